/* A plug-in with passes of its own.
 *
 *     cc -shared -fPIC plugin_passes.c $(pkg-config --cflags sdfg) -o libpasses.so
 *     sdfg-opt gemm_maps.sdfg --plugin=./libpasses.so -o atomic.sdfg
 *     COUNT_LOOPS=1 sdfg-run gemm_maps.sdfg --N=64 --plugin=./libpasses.so
 *
 * atomic-writes takes back what a graph says of its conflicting writes: all may meet, to find out whether a wrong
 * result comes from there. count-loops says how many loops are left when the passes of the library are through; it
 * changes nothing, and runs if COUNT_LOOPS is set. */
#include <sdfg_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Graphs come as JSON without blanks. */
static bool atomic_writes(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    static const char from[] = "\"wcr_nonatomic\":true", into[] = "\"wcr_nonatomic\":false";
    size_t count = 0;
    (void)user;
    for (const char *at = p->text; (at = strstr(at, from)); at += sizeof from - 1)
        count++;
    if (!count)
        return true; /* nothing given: it stays as it is */
    char *out = malloc(p->size + count * (sizeof into - sizeof from) + 1), *end = out;
    if (!out)
        return false;
    const char *rest = p->text;
    for (const char *at; (at = strstr(rest, from)); rest = at + sizeof from - 1) {
        memcpy(end, rest, (size_t)(at - rest));
        end += at - rest;
        memcpy(end, into, sizeof into - 1);
        end += sizeof into - 1;
    }
    strcpy(end, rest);
    give(to, out, strlen(out));
    free(out);
    return true;
}

static bool wants_count(void *user, const sdfg_pass_run *p)
{
    (void)user, (void)p;
    return getenv("COUNT_LOOPS") != NULL;
}

/* Trees come as text, one statement a line (docs/tree.md). */
static bool count_loops(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    size_t loops = 0;
    (void)user, (void)give, (void)to;
    for (const char *line = p->text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \n");
        loops += !strncmp(line, "for ", 4) || !strncmp(line, "while ", 6);
    }
    fprintf(stderr, "%s: %zu loops\n", p->program, loops);
    return true;
}

SDFG_PLUGIN("passes", "1.0", "passes over graphs and trees");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const sdfg_pass graph = {
        .struct_size = sizeof graph,
        .name = "atomic-writes",
        .text = "conflicting writes are atomic, whatever the graph says",
        .kind = SDFG_PASS_GRAPH,
        .run = atomic_writes,
    };
    static const sdfg_pass tree = {
        .struct_size = sizeof tree,
        .name = "count-loops",
        .text = "says how many loops there are",
        .kind = SDFG_PASS_TREE,
        .where = SDFG_PASS_BEFORE,
        .other = "tier",
        .condition = wants_count,
        .run = count_loops,
    };
    return api->pass(api->plugin, &graph) && api->pass(api->plugin, &tree);
}
