/* Passes in a group: one shortens the label of the first state by a letter, one tells how long it is, and the one
 * behind them reads that. A pass over the tree prints what it is told of the program. */
#include "engine/include/sdfg_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(void *to, const char *text, size_t size) { printf("%s: %.*s\n", (const char *)to, (int)size, text); }

/* Where the label begins, and its length. */
static const char *label(const sdfg_pass_run *p, size_t *length)
{
    static const char before[] = "\"label\":\"";
    const char *states = strstr(p->text, "\"nodes\":["), *at = states ? strstr(states, before) : NULL;
    if (!at)
        return NULL;
    at += sizeof before - 1;
    *length = strcspn(at, "\"");
    return at;
}

static bool shorten(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    size_t length;
    const char *at = label(p, &length);
    (void)user;
    if (!at || length < 2)
        return true;
    char *out = malloc(p->size);
    if (!out)
        return false;
    size_t begin = (size_t)(at - p->text) + length - 1;
    memcpy(out, p->text, begin);
    memcpy(out + begin, p->text + begin + 1, p->size - begin - 1);
    give(to, out, p->size - 1);
    free(out);
    return true;
}

static bool measure(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    size_t length;
    char text[40];
    (void)user, (void)give, (void)to;
    if (!label(p, &length))
        return false;
    int size = snprintf(text, sizeof text, "%zu letters after round %u", length, p->round);
    return p->tell(p, "length", text, (size_t)size) && !p->tell(p, "width", text, (size_t)size);
}

static bool look(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    static const char *const names[] = { "length", "accesses", "loops", "memory", "work", "weather" };
    (void)user, (void)give, (void)to;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!p->ask(p, names[i], print, (void *)(size_t)names[i]))
            printf("  so there is no %s\n", names[i]);
    return true;
}

SDFG_PLUGIN("rounds", "1", "a group of passes, and two that ask");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const length[] = { "length", NULL };
    static const sdfg_pass passes[] = {
        { .struct_size = sizeof(sdfg_pass),
          .name = "shorten",
          .breaks = length,
          .run = shorten,
          .group = "labels",
          .rounds = ROUNDS },
        { .struct_size = sizeof(sdfg_pass),
          .name = "measure",
          .makes = length,
          .run = measure,
          .group = "labels",
          .rounds = 1 },
        { .struct_size = sizeof(sdfg_pass), .name = "look", .needs = length, .run = look },
        { .struct_size = sizeof(sdfg_pass),
          .name = "look-at-tree",
          .kind = SDFG_PASS_TREE,
          .where = SDFG_PASS_BEFORE,
          .other = "parallelize",
          .run = look },
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        ok = ok && api->pass(api->plugin, &passes[i]);
    return ok;
}
