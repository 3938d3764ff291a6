#include "tests/unit/api.h"

#include <pthread.h>
#include <stdlib.h>

/* Calls from many threads at once: of one program, with equal and different sizes, so that kernels are looked up,
 * compiled and run at the same time. */

enum { NUM_THREADS = 8, NUM_CALLS = 12, LARGEST = 40 };

static sdfg_program *program;

static void *caller(void *data)
{
    long *wrong = data, first = *wrong;
    *wrong = 0;
    for (int i = 0; i < NUM_CALLS; i++)
        *wrong += !axpy_call(program, 1 + (int)((first + i) * 5 % LARGEST));
    return NULL;
}

TEST(overlapping_calls)
{
    sdfg_engine *engine;
    pthread_t threads[NUM_THREADS];
    long wrong[NUM_THREADS];
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    program = axpy_load(engine);
    for (long i = 0; i < NUM_THREADS; i++) {
        wrong[i] = i;
        CHECK(!pthread_create(&threads[i], NULL, caller, &wrong[i]));
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(wrong[i], 0);
    }
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

static size_t bound_symbols(int n)
{
    static double x[LARGEST], y[LARGEST];
    sdfg_args *args;
    sdfg_bound *bound;
    sdfg_kernel_info info = { .struct_size = sizeof info };
    CHECK(good(sdfg_args_new(&args, program)));
    CHECK(good(sdfg_args_f64(args, "alpha", 2)));
    CHECK(good(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_bind(&bound, program, args)));
    sdfg_kernel_describe(sdfg_bound_kernel(bound), &info);
    sdfg_bound_free(bound);
    sdfg_args_free(args);
    return info.num_bound;
}

TEST(many_sizes_share_one_kernel)
{
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    program = axpy_load(engine);
    for (int n = 1; n <= 8; n++)
        CHECK_INT(bound_symbols(n), 1);
    for (int n = 9; n <= LARGEST; n++)
        CHECK_INT(bound_symbols(n), 0);
    CHECK_INT(bound_symbols(3), 1);
    CHECK(axpy_call(program, LARGEST));
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

CHECK_MAIN
