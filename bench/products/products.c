/* Products of programs against CBLAS called directly, in one process:
 *
 *     bench-products [--threads=1,2] [--samples=15] [--only=NAME,...] [--random=COUNT[,SEED]] [--blas=LIBRARY] [--json]
 *                    [--check]
 *
 * Every product is a program with one library node; the other side is what a C program would call: gemm, gemv or dot of
 * the library that the programs use. Both take turns of five blocks of calls, and the least time per call of all
 * blocks counts. The ratio is the library's time by ours: above 1, ours is faster. With several threads the library
 * uses its own and ours the threads of our regions; there is a pause before each turn until those of the other side
 * sleep, and then calls that do not count until those of this side are awake: the first call after a pause takes up to
 * twice as long on both sides. --random takes products of random extents in place of the list. --check measures
 * nothing: small versions of all products against plain loops. */
#include "bench/products/products.h"

#include "bench/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SAMPLES = 1001 };

static const double BLOCK = 1e-3; /* seconds of a block of calls, at least */
static const int BLOCKS = 5;      /* of a turn */
static const double PAUSE = 0.2;  /* seconds; threads of OpenBLAS spin for 2^28 cycles when they have nothing to do */
static const double AWAKE = 5e-3; /* seconds of calls after a pause */
static const double MOST_DIFFERENCE = 4;                    /* of reference_difference; results are 0.1 to 1 apart */
static const int64_t CHECK_EXTENT = 90, CHECK_MATRICES = 5; /* at most, with --check */

/* Of the ratios of all products. */
struct summary {
    int count, below_95, below_90;
    double logarithms, least;
};

struct bench {
    struct choices choices;
    const char *blas;
    int samples, random; /* so many random products instead of the list */
    unsigned long long seed;
    bool check;
    struct direct direct;
    bool has_direct, first;
    struct summary summary;
};

/* One product on its way; C of ours, of the library, and of the loops. */
struct subject {
    struct product p;
    char name[96];
    void *a, *b, *c[3];
    double ours[MOST_SAMPLES], theirs[MOST_SAMPLES];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one product ---- */

static void *filled(sdfg_dtype dtype, int64_t elements, uint64_t seed)
{
    size_t bytes = product_element_bytes(dtype) * (size_t)elements;
    void *data = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (data)
        reference_fill(dtype, data, elements, seed);
    return data;
}

static bool prepare(struct subject *s)
{
    s->a = filled(s->p.dtype, product_elements_a(&s->p), 1);
    s->b = filled(s->p.dtype, product_elements_b(&s->p), 2);
    bool good = s->a && s->b;
    for (int i = 0; i < 3; i++) {
        s->c[i] = filled(s->p.dtype, product_elements_c(&s->p), 3);
        good &= s->c[i] != NULL;
    }
    return good;
}

static void release(struct subject *s)
{
    free(s->a);
    free(s->b);
    for (int i = 0; i < 3; i++)
        free(s->c[i]);
}

static sdfg_array array_of(const struct product *p, void *data, int64_t rows, int64_t cols)
{
    sdfg_array a = { .struct_size = sizeof a, .data = data, .dtype = p->dtype };
    bool vector = !p->batch && (rows == 1 || cols == 1);
    if (p->batch)
        a.shape[a.rank++] = p->batch;
    if (vector) {
        a.shape[a.rank++] = rows * cols;
    } else {
        a.shape[a.rank++] = rows;
        a.shape[a.rank++] = cols;
    }
    return a;
}

static sdfg_error *give(const struct subject *s, sdfg_args *args)
{
    const struct product *p = &s->p;
    sdfg_array a = array_of(p, s->a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k);
    sdfg_array b = array_of(p, s->b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n);
    sdfg_array c = array_of(p, s->c[0], p->m, p->n);
    sdfg_error *e = sdfg_args_array(args, "A", &a);
    if (!e)
        e = sdfg_args_array(args, "B", &b);
    return e ? e : sdfg_args_array(args, "C", &c);
}

static sdfg_error *bind(const struct subject *s, sdfg_engine *engine, sdfg_program **program, sdfg_bound **bound)
{
    char *graph = product_graph(&s->p);
    sdfg_args *args = NULL;
    sdfg_error *e = sdfg_program_load(program, engine, graph ? graph : "", graph ? strlen(graph) : 0, NULL);
    if (!e)
        e = sdfg_args_new(&args, *program);
    if (!e)
        e = give(s, args);
    if (!e)
        e = sdfg_bind(bound, *program, args);
    sdfg_args_free(args);
    free(graph);
    return e;
}

/* ---- measuring ---- */

/* `calls` calls of ours, or of the library if there is no `bound`. */
static sdfg_error *call(const struct bench *b, const struct subject *s, sdfg_bound *bound, int calls)
{
    sdfg_error *e = NULL;
    for (int i = 0; !e && i < calls; i++)
        if (bound)
            e = sdfg_bound_call(bound);
        else
            direct_run(&b->direct, &s->p, s->a, s->b, s->c[1]);
    return e;
}

static void set_threads(const struct bench *b, int threads)
{
    if (b->direct.set_threads)
        b->direct.set_threads(threads);
}

/* Until the threads of the other side sleep and those of this one are awake. */
static sdfg_error *change_sides(const struct bench *b, const struct subject *s, sdfg_bound *bound, int threads,
                                int calls)
{
    sdfg_error *e = NULL;
    set_threads(b, bound ? 1 : threads); /* ours sets it so */
    if (threads == 1)
        return NULL;
    usleep((useconds_t)(1e6 * PAUSE));
    for (double start = now(); !e && now() - start < AWAKE;)
        e = call(b, s, bound, calls);
    return e;
}

/* A turn of ours, or of the library if there is no `bound`: some blocks of calls, and the least time per call of them.
 */
static sdfg_error *take_turn(const struct bench *b, const struct subject *s, sdfg_bound *bound, int threads, int calls,
                             double *least)
{
    sdfg_error *e = change_sides(b, s, bound, threads, calls);
    *least = HUGE_VAL;
    for (int i = 0; !e && i < BLOCKS; i++) {
        double start = now();
        e = call(b, s, bound, calls);
        *least = fmin(*least, (now() - start) / calls);
    }
    return e;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sdfg_error *take_turns(const struct bench *b, struct subject *s, sdfg_bound *bound, int threads)
{
    int calls = 1;
    for (int i = -3; i < b->samples; i++) {
        double our_time, their_time;
        sdfg_error *e = take_turn(b, s, bound, threads, calls, &our_time);
        if (!e)
            e = take_turn(b, s, NULL, threads, calls, &their_time);
        if (e)
            return e;
        if (i < 0) { /* so many calls that a block is long enough; the clock of the first is not to be trusted */
            calls = (int)fmin(1e6, ceil(fmax(calls, BLOCK / fmax(fmin(our_time, their_time), 1e-12))));
            continue;
        }
        s->ours[i] = our_time;
        s->theirs[i] = their_time;
    }
    set_threads(b, 1);
    qsort(s->ours, (size_t)b->samples, sizeof *s->ours, by_value);
    qsort(s->theirs, (size_t)b->samples, sizeof *s->theirs, by_value);
    return NULL;
}

static void count(struct summary *s, double ratio)
{
    s->count++;
    s->logarithms += log(ratio);
    s->least = fmin(s->least, ratio);
    s->below_95 += ratio < 0.95;
    s->below_90 += ratio < 0.9;
}

static void report_all(const struct summary *s, int threads)
{
    printf("%d products, threads %d: geometric mean %.3f, least %.3f, below 0.95: %d, below 0.9: %d\n", s->count,
           threads, exp(s->logarithms / s->count), s->least, s->below_95, s->below_90);
}

static void report(struct bench *b, const struct subject *s, int threads)
{
    double mine = 1e6 * s->ours[0], other = 1e6 * s->theirs[0];
    double flops = 2.0 * (double)product_elements_a(&s->p) * (double)s->p.n * (s->p.dtype >= SDFG_C64 ? 4 : 1);
    if (b->choices.json)
        printf("%s\n {\"product\": \"%s\", \"threads\": %d, \"ours_us\": %.3f, \"blas_us\": %.3f, \"ours_median_us\": "
               "%.3f, \"blas_median_us\": %.3f, \"ratio\": %.3f}",
               b->first ? "[" : ",", s->name, threads, mine, other, 1e6 * s->ours[b->samples / 2],
               1e6 * s->theirs[b->samples / 2], other / mine);
    else
        printf("%-40s %7d %12.3f %12.3f %9.1f %8.3f\n", s->name, threads, mine, other, flops / mine * 1e-3,
               other / mine);
    fflush(stdout);
    count(&b->summary, other / mine);
    b->first = false;
}

/* Results of the loops and of ours; the first call also where times are measured. */
static bool same(const struct subject *s, const void *x, const void *y, const char *other)
{
    double difference = reference_difference(&s->p, x, y);
    if (difference <= MOST_DIFFERENCE)
        return true;
    fprintf(stderr, "bench-products: %s: %.3g units away from %s\n", s->name, difference, other);
    return false;
}

static sdfg_error *run_bound(struct bench *b, struct subject *s, sdfg_bound *bound, int threads, bool *good)
{
    sdfg_error *e = sdfg_bound_call(bound);
    if (e)
        return e;
    if (b->check) {
        reference_run(&s->p, s->a, s->b, s->c[2]);
        *good = same(s, s->c[0], s->c[2], "loops");
    }
    if (b->has_direct) {
        call(b, s, NULL, 1);
        *good &= same(s, s->c[0], s->c[1], "the library");
    }
    if (b->check)
        return NULL;
    e = take_turns(b, s, bound, threads);
    if (!e)
        report(b, s, threads);
    return e;
}

static bool run_product(struct bench *b, sdfg_engine *engine, struct subject *s, int threads)
{
    sdfg_program *program = NULL;
    sdfg_bound *bound = NULL;
    bool good = true;
    sdfg_error *e = prepare(s) ? bind(s, engine, &program, &bound) : NULL;
    if (!e && bound)
        e = run_bound(b, s, bound, threads, &good);
    if (e || !bound)
        fprintf(stderr, "bench-products: %s: %s\n", s->name, e ? sdfg_error_text(e) : "not enough memory");
    good &= !e && bound;
    sdfg_error_free(e);
    sdfg_bound_free(bound);
    sdfg_program_free(program);
    release(s);
    return good;
}

/* ---- the command ---- */

/* The version that is only checked. */
static void make_small(struct product *p)
{
    int64_t *const extents[] = { &p->m, &p->n, &p->k };
    for (int i = 0; i < 3; i++)
        *extents[i] = *extents[i] > CHECK_EXTENT ? CHECK_EXTENT - *extents[i] % 7 : *extents[i];
    if (p->batch > CHECK_MATRICES)
        p->batch = CHECK_MATRICES;
}

/* Has the engine open the library before anything else of this process does, so that the engine is who chooses the
 * number of its threads: by a product that is too large for tiles in registers. */
static bool open_libraries(struct bench *b, sdfg_engine *engine, struct subject *s)
{
    bool check = b->check;
    *s = (struct subject){ .p = { .dtype = SDFG_F64, .m = 300, .n = 300, .k = 300, .alpha = 1 }, .name = "first" };
    b->check = true; /* nothing is measured */
    bool good = run_product(b, engine, s, 1);
    b->check = check;
    b->has_direct = direct_open(&b->direct, b->blas);
    return good;
}

/* The name of the group; NULL: there are no more. */
static const char *choose(const struct bench *b, int index, uint64_t *state, struct product *p)
{
    if (b->random == 0)
        return product_listed(index, p);
    return index < b->random ? product_random(state, p) : NULL;
}

static bool run_all(struct bench *b, struct subject *s, int threads)
{
    sdfg_options options;
    sdfg_engine *engine = NULL;
    sdfg_options_init(&options, sizeof options);
    options.num_threads = threads;
    sdfg_error *e = sdfg_engine_new(&engine, &options);
    if (e)
        fputs(sdfg_error_text(e), stderr);
    bool good = !e && (b->has_direct || open_libraries(b, engine, s));
    sdfg_error_free(e);
    bool ready = good && (b->has_direct || b->check);
    b->summary = (struct summary){ .least = HUGE_VAL };
    uint64_t state = b->seed;
    const char *group;
    for (int i = 0; ready && (group = choose(b, i, &state, &s->p)) != NULL; i++) {
        if (b->check)
            make_small(&s->p);
        product_name(&s->p, group, s->name, sizeof s->name);
        if (choices_want(&b->choices, s->name))
            good &= run_product(b, engine, s, threads);
    }
    if (!b->choices.json && b->summary.count > 1)
        report_all(&b->summary, threads);
    sdfg_engine_free(engine);
    return good && ready;
}

static bool parse(struct bench *b, int argc, char **argv)
{
    *b =
        (struct bench){ .choices = choices_new(), .blas = "libopenblas.so.0", .samples = 15, .seed = 1, .first = true };
    bool valid = true;
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        if (!strncmp(a, "--samples=", 10))
            b->samples = atoi(a + 10);
        else if (!strncmp(a, "--blas=", 7))
            b->blas = a + 7;
        else if (!strncmp(a, "--random=", 9))
            valid &= sscanf(a + 9, "%d,%llu", &b->random, &b->seed) >= 1;
        else if (!strcmp(a, "--check"))
            b->check = true;
        else if (!choices_take(&b->choices, a))
            return false;
    }
    return valid && b->samples > 0 && b->samples <= MOST_SAMPLES && b->random >= 0 && b->seed > 0;
}

int main(int argc, char **argv)
{
    struct bench b;
    if (!parse(&b, argc, argv)) {
        fputs("usage: bench-products [--threads=1,2] [--samples=N] [--only=PART_OF_NAME,...] [--random=COUNT[,SEED]] "
              "[--blas=LIBRARY] [--json] [--check]\n",
              stderr);
        return 2;
    }
    struct subject *s = malloc(sizeof *s);
    bool good = s != NULL;
    if (!b.choices.json && !b.check)
        printf("%-40s %7s %12s %12s %9s %8s\n", "product", "threads", "ours, us", "BLAS, us", "GFLOP/s", "ratio");
    for (int t = 0; good && t < b.choices.num_threads; t++)
        good = run_all(&b, s, b.choices.threads[t]);
    if (good && !b.has_direct)
        fprintf(stderr, "bench-products: %s could not be opened\n", b.blas);
    if (b.choices.json && !b.first)
        puts("\n]");
    free(s);
    return good ? 0 : 1;
}
