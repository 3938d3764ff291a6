/* Many calls with the same arrays: a bound call looks nothing up, so that a step costs what its loops cost. Heat flows
 * from the border into a square until it hardly changes. Every error is handled, none ends the process.
 *
 *     cc embed_jacobi.c -lsdfg -o embed_jacobi && ./embed_jacobi jacobi_2d.sdfg */
#include "sdfg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, MAX_CALLS = 1000 };

struct heat {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_bound *step;
    double *a, *b;
};

/* Gives 100 double steps from `a` to `b` and back; they work in place in every later call. */
static sdfg_error *bind_step(struct heat *h)
{
    sdfg_args *args;
    sdfg_array a = { .struct_size = sizeof a, .data = h->a, .dtype = SDFG_F64, .rank = 2, .shape = { N, N } }, b = a;
    b.data = h->b;
    sdfg_error *error = sdfg_args_new(&args, h->program);
    if (!error)
        error = sdfg_args_array(args, "A", &a);
    if (!error)
        error = sdfg_args_array(args, "B", &b);
    if (!error)
        error = sdfg_args_i64(args, "T", 100);
    if (!error)
        error = sdfg_bind(&h->step, h->program, args);
    sdfg_args_free(args);
    return error;
}

static sdfg_error *start(struct heat *h, const char *path)
{
    for (int i = 0; i < N; i++)
        h->a[i] = h->b[i] = 100; /* the hot border */
    sdfg_error *error = sdfg_engine_new(&h->engine, NULL);
    if (!error)
        error = sdfg_program_load_file(&h->program, h->engine, path);
    if (!error)
        error = bind_step(h);
    return error;
}

static sdfg_error *run_until_still(struct heat *h, int *calls, double *centre)
{
    double before = -1;
    *calls = 0;
    *centre = 0;
    while (*calls < MAX_CALLS && fabs(*centre - before) > 1e-9) {
        before = *centre;
        sdfg_error *error = sdfg_bound_call(h->step);
        if (error)
            return error;
        *centre = h->a[N / 2 * N + N / 2];
        ++*calls;
    }
    return NULL;
}

/* One line per message, each with its class and the element of the program it is about. */
static void report(const sdfg_error *error)
{
    for (size_t i = 0; i < sdfg_error_count(error); i++) {
        const sdfg_message *m = sdfg_error_get(error, i);
        fprintf(stderr, "%s %s: %s (at %s)\n", m->warning ? "warning" : "error", sdfg_error_class_name(m->class_id),
                m->text, *m->path ? m->path : "the program as a whole");
    }
}

int main(int argc, char **argv)
{
    struct heat h = { .a = calloc(N * N, sizeof(double)), .b = calloc(N * N, sizeof(double)) };
    int calls = 0;
    double centre = 0;
    sdfg_error *error = h.a && h.b ? start(&h, argc > 1 ? argv[1] : "jacobi_2d.sdfg") : NULL;
    bool good = h.a && h.b && !error;
    if (good)
        error = run_until_still(&h, &calls, &centre);
    if (error)
        report(error);
    else if (good)
        printf("%d calls, %.6f degrees in the middle\n", calls, centre);
    good = good && !error;
    sdfg_error_free(error);
    sdfg_bound_free(h.step);
    sdfg_program_free(h.program);
    sdfg_engine_free(h.engine);
    free(h.a);
    free(h.b);
    return good ? 0 : 1;
}
