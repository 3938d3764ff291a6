#include "engine/cli/tuning.h"

#include "engine/cli/report.h"

static void print_trial(void *user, const sdfg_trial *t)
{
    FILE *out = user;
    if (t->ratio > 0)
        fprintf(out, "%-26s %6.3f   %.3f .. %.3f%s\n", t->change, t->ratio, t->low, t->high,
                t->adopted ? "   taken" : "");
    else
        fprintf(out, "%-26s %s\n", t->change, t->differs ? "other results" : "failed");
    fflush(out);
}

int tuning_run(const struct inputs *in, FILE *out, sdfg_tuned *found)
{
    sdfg_tuning t = SDFG_TUNING_INIT;
    t.seconds = in->command->tune > 0 ? in->command->tune : 1e-9; /* 0 are the usual ones to the library */
    t.trial = print_trial;
    t.user = out;
    *found = (sdfg_tuned)SDFG_TUNED_INIT;
    fprintf(out, "%-26s %6s   %s\n", "with", "time", "95 %");
    sdfg_error *e = sdfg_tune(found, in->program, in->args, &t);
    return e ? report_error(in->command, e) : EXIT_GOOD;
}
