/* What plug-ins cost an engine: the least time to make and free one without them, and with one that registers passes
 * and targets, half of each.
 *
 *     bench-registry [COUNT [REPEAT]] */
#include "engine/include/sdfg_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int count = 100;
static char (*names)[32]; /* of the entries: plug-ins have them as literals */

static void check(sdfg_error *error)
{
    if (!error)
        return;
    fputs(sdfg_error_text(error), stderr);
    sdfg_error_free(error);
    exit(1);
}

static bool same(void *user, const sdfg_pass_run *what, sdfg_give *give, void *to)
{
    (void)user, (void)what, (void)give, (void)to;
    return true;
}

static bool add(const sdfg_plugin_api *api)
{
    for (int i = 0; i < count; i++) {
        const char *name = names[i];
        const sdfg_pass pass = { .struct_size = sizeof pass, .name = name, .kind = SDFG_PASS_TREE, .run = same };
        const sdfg_target target = { .struct_size = sizeof target, .name = name, .text = "a target" };
        if (i % 2 ? !api->pass(api->plugin, &pass) : !api->target(api->plugin, &target))
            return false;
    }
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Microseconds of one engine. */
static double engine(bool extended)
{
    const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "many", "1", "many entries" };
    sdfg_engine *e;
    double begin = now();
    check(sdfg_engine_new(&e, NULL));
    if (extended)
        check(sdfg_engine_extend(e, &about, add));
    sdfg_engine_free(e);
    return now() - begin;
}

int main(int argc, char **argv)
{
    count = argc > 1 ? atoi(argv[1]) : count;
    int repeat = argc > 2 ? atoi(argv[2]) : 1000;
    names = calloc((size_t)count + 1, sizeof *names);
    if (!names)
        return 1;
    for (int i = 0; i < count; i++)
        snprintf(names[i], sizeof names[i], "entry-%d", i);
    double without = 1e30, with = 1e30;
    for (int i = 0; i < repeat; i++) { /* in turns: noise meets both alike */
        double a = engine(false), b = engine(true);
        without = a < without ? a : without;
        with = b < with ? b : with;
    }
    free(names);
    printf("engine %.2f us; with %d passes and targets %.2f us: %.1f times, %.2f us more\n", without, count, with,
           with / without, with - without);
    return 0;
}
