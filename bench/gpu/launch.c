/* bench-launch EXAMPLES [STEPS [ROUNDS]]: what a launch of a kernel costs on the host besides the driver's own time.
 * The driver is one that does nothing ($SDFG_CUDA: libnull-cuda.so); the kernels of the example jacobi_2d are compiled
 * by NVRTC, or by the stand-in for it ($SDFG_NVRTC), and never run. Nanoseconds for each launch: the difference between
 * bound calls with many steps and with few, the least of ROUNDS. In a call that repeats, launches are nodes of a CUDA
 * graph; without graphs ($SDFG_NULL_GRAPHS=0) each is a call of the driver. */
#include "engine/include/sdfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000 /* too many elements for a loop of steps within one kernel */, FEW = 10 };

static double data[2][N * N];

static void check(sdfg_error *e)
{
    if (!e)
        return;
    fputs(sdfg_error_text(e), stderr);
    exit(sdfg_error_class_of(e) == SDFG_ERROR_ENVIRONMENT ? 77 : 1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static sdfg_bound *bind(sdfg_program *p, int64_t steps)
{
    sdfg_args *a;
    sdfg_bound *b;
    check(sdfg_args_new(&a, p));
    for (int i = 0; i < 2; i++)
        check(sdfg_args_array(a, i ? "B" : "A",
                              SDFG_ARRAY(.data = data[i], .dtype = SDFG_F64, .rank = 2, .shape = { N, N },
                                         .device = { SDFG_DEVICE_CUDA, 0 })));
    check(sdfg_args_i64(a, "T", steps));
    check(sdfg_bind(&b, p, a));
    return b;
}

/* The least time of a call. */
static double time_of(sdfg_bound *b, int rounds)
{
    double least = 0;
    for (int i = 0; i < rounds + 3; i++) { /* the first ones allocate and record */
        double begin = now();
        check(sdfg_bound_call(b));
        double took = now() - begin;
        least = i == 3 || (i > 3 && took < least) ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    char file[4096];
    int64_t steps = argc > 2 ? atol(argv[2]) : 4000;
    int rounds = argc > 3 ? atoi(argv[3]) : 50;
    sdfg_options o = SDFG_OPTIONS_INIT;
    sdfg_engine *engine;
    sdfg_program *program;
    if (argc < 2)
        return 2;
    o.device = "cuda";
    snprintf(file, sizeof file, "%s/jacobi_2d.sdfg", argv[1]);
    check(sdfg_engine_new(&engine, &o));
    check(sdfg_program_load_file(&program, engine, file));
    sdfg_bound *few = bind(program, FEW), *many = bind(program, FEW + steps);
    double base = time_of(few, rounds), all = time_of(many, rounds);
    printf("%.0f ns for a call with %d steps, %.1f ns for each further launch (%lld steps of 2)\n", base, FEW,
           (all - base) / (2.0 * (double)steps), (long long)steps);
    sdfg_bound_free(few);
    sdfg_bound_free(many);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return 0;
}
