/* bench-call [CALLS [THREADS]]: what a call costs besides the work: a program without any is called with eight
 * arguments (six arrays of two dimensions, two scalars), in all ways there are, then by several threads at once.
 * Nanoseconds per call: with one thread the least of 200 rounds of CALLS calls, with several the mean of 100 * CALLS in
 * processor time of their own, which shows what they wait for in memory, not who else is there. */
#include "engine/include/sdfg.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUM_ARRAYS = 6, ROWS = 3, COLUMNS = 4, ROUNDS = 200, MOST_THREADS = 64 };

static double data[NUM_ARRAYS][ROWS * COLUMNS];

static void check(sdfg_error *e)
{
    if (!e)
        return;
    fputs(sdfg_error_text(e), stderr);
    exit(1);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Containers A .. F: [N, M], scalars x and y, and one state in which nothing happens. */
static sdfg_program *load(sdfg_engine *engine)
{
    static char json[8192];
    size_t n = 0;
    sdfg_program *p;
    n += (size_t)snprintf(json, sizeof json,
                          "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"nothing\", \"_arrays\": {");
    for (char c = 'A'; c < 'A' + NUM_ARRAYS; c++)
        n += (size_t)snprintf(json + n, sizeof json - n,
                              "\"%c\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": "
                              "[\"$N\", \"$M\"], \"strides\": [\"$M\", \"1\"], \"total_size\": \"$M*$N\", "
                              "\"offset\": [\"0\", \"0\"]}},",
                              c);
    for (char c = 'x'; c <= 'y'; c++)
        n += (size_t)snprintf(json + n, sizeof json - n,
                              "\"%c\": {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float64\", \"shape\": "
                              "[\"1\"]}}%s",
                              c, c == 'x' ? "," : "");
    snprintf(json + n, sizeof json - n,
             "}, \"symbols\": {\"N\": \"int64\", \"M\": \"int64\"}}, \"start_block\": 0, \"edges\": [], \"nodes\": "
             "[{\"type\": \"SDFGState\", \"label\": \"empty\", \"id\": 0, \"attributes\": {}, \"scope_dict\": {}, "
             "\"nodes\": [], \"edges\": []}]}");
    check(sdfg_program_load(&p, engine, json, strlen(json), NULL));
    return p;
}

static void give(sdfg_args *a)
{
    for (int i = 0; i < NUM_ARRAYS; i++)
        check(sdfg_args_array(a, (char[]){ (char)('A' + i), 0 },
                              SDFG_ARRAY(.data = data[i], .dtype = SDFG_F64, .rank = 2, .shape = { ROWS, COLUMNS })));
    check(sdfg_args_f64(a, "x", 1));
    check(sdfg_args_f64(a, "y", 2));
}

/* ---- the ways ---- */

struct ways {
    sdfg_program *program;
    sdfg_args *args;
    sdfg_bound *bound;
    sdfg_kernel *kernel;
    void *addresses[NUM_ARRAYS + 4];
    size_t num_params;
    int rows;
};

static void run_bare(struct ways *w) { check(sdfg_run(w->kernel, w->addresses, w->num_params)); }
static void run_bound(struct ways *w) { check(sdfg_bound_call(w->bound)); }
static void run_call(struct ways *w) { check(sdfg_call(w->program, w->args)); }

static void run_give_and_call(struct ways *w)
{
    give(w->args);
    check(sdfg_call(w->program, w->args));
}

/* Every other call has other sizes, so that symbols are solved again. */
static void run_resized(struct ways *w)
{
    w->rows = w->rows == ROWS ? ROWS - 1 : ROWS;
    for (int i = 0; i < NUM_ARRAYS; i++)
        check(
            sdfg_args_array(w->args, (char[]){ (char)('A' + i), 0 },
                            SDFG_ARRAY(.data = data[i], .dtype = SDFG_F64, .rank = 2, .shape = { w->rows, COLUMNS })));
    check(sdfg_call(w->program, w->args));
}

static void ways_init(struct ways *w, sdfg_program *p)
{
    static double number;
    *w = (struct ways){ .program = p };
    check(sdfg_args_new(&w->args, p));
    give(w->args);
    check(sdfg_bind(&w->bound, p, w->args));
    check(sdfg_specialize(&w->kernel, p, (sdfg_symbol[]){ { "N", ROWS }, { "M", COLUMNS } }, 2));
    w->num_params = sdfg_kernel_num_params(w->kernel);
    for (size_t i = 0; i < w->num_params; i++) {
        const sdfg_param *param = sdfg_kernel_param(w->kernel, i);
        w->addresses[i] = param->by_value ? (void *)&number : data[*param->name - 'A'];
    }
}

static void ways_release(struct ways *w)
{
    sdfg_kernel_free(w->kernel);
    sdfg_bound_free(w->bound);
    sdfg_args_free(w->args);
}

static double measure(void (*run)(struct ways *w), struct ways *w, long calls)
{
    double least = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now(CLOCK_MONOTONIC);
        for (long i = 0; i < calls; i++)
            run(w);
        double taken = (now(CLOCK_MONOTONIC) - begin) / (double)calls;
        least = taken < least ? taken : least;
    }
    return least;
}

/* ---- threads: each has arguments and a bound call of its own, in cache lines of its own ---- */

struct caller {
    _Alignas(128) pthread_t thread;
    struct ways ways;
    void (*run)(struct ways *w);
    long calls;
    double taken; /* on its own clock, which others on the machine do not move */
    pthread_barrier_t *together;
};

static void *call_often(void *caller)
{
    struct caller *c = caller;
    pthread_barrier_wait(c->together);
    double begin = now(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < c->calls; i++)
        c->run(&c->ways);
    c->taken = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

static double measure_threads(void (*run)(struct ways *w), sdfg_program *p, int threads, long calls)
{
    static struct caller callers[MOST_THREADS];
    pthread_barrier_t together;
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        callers[i] = (struct caller){ .run = run, .calls = calls, .together = &together };
        ways_init(&callers[i].ways, p);
        pthread_create(&callers[i].thread, NULL, call_often, &callers[i]);
    }
    double taken = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
        ways_release(&callers[i].ways);
        taken += callers[i].taken;
    }
    pthread_barrier_destroy(&together);
    return taken / (double)calls / threads;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct ways *w);
    } ways[] = {
        { "sdfg_run", run_bare },
        { "sdfg_bound_call", run_bound },
        { "sdfg_call", run_call },
        { "arguments and call", run_give_and_call },
        { "other sizes and call", run_resized },
    };
    long calls = argc > 1 ? atol(argv[1]) : 1000;
    int most = argc > 2 ? atoi(argv[2]) : 4;
    sdfg_engine *engine;
    struct ways w;
    if (calls < 1 || most < 1 || most > MOST_THREADS) {
        fputs("usage: bench-call [CALLS [THREADS]]\n", stderr);
        return 2;
    }
    check(sdfg_engine_new(&engine, NULL));
    sdfg_program *p = load(engine);
    ways_init(&w, p);
    printf("%-20s %8s", "ns per call", "1");
    for (int threads = 2; threads <= most; threads *= 2)
        printf(" %8d", threads);
    puts(" threads");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        printf("%-20s %8.1f", ways[i].name, measure(ways[i].run, &w, calls));
        for (int threads = 2; threads <= most; threads *= 2)
            printf(" %8.1f", measure_threads(ways[i].run, p, threads, 100 * calls));
        putchar('\n');
    }
    ways_release(&w);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    return 0;
}
