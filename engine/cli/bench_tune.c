/* sdfg-bench --tune: which passes a program is faster without, and which numbers it is faster with. */
#include "engine/cli/bench.h"
#include "engine/cli/tuning.h"

#include <stdio.h>

static void conclude(const sdfg_tuned *found)
{
    if (!found->complete)
        printf("time was up before all were tried (--tune=SECONDS)\n");
    if (found->passes)
        printf("--passes=%s: %.3f of the time of the default, %.3f .. %.3f\n", found->passes, found->ratio, found->low,
               found->high);
    else
        printf("the default is best\n");
}

int bench_tune(struct bench *b)
{
    struct side usual = { .kind = SIDE_JIT, .command = b->command, .name = "default" };
    struct cold ignored;
    sdfg_tuned found;
    int code = side_open(&usual, &ignored);
    if (!code) {
        bench_print_program(&usual);
        printf(", %d thread%s\n\n", b->threads, b->threads == 1 ? "" : "s");
        code = tuning_run(&usual.in, stdout, &found);
    }
    if (!code)
        conclude(&found);
    side_close(&usual);
    return code;
}
