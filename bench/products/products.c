/* Products of programs against CBLAS called directly, in one process:
 *
 *     bench-products [--threads=1,2] [--samples=15] [--only=NAME,...] [--blas=LIBRARY] [--json] [--check]
 *
 * Every product is a program with one library node; the other side is what a C program would call: gemm, gemv or dot of
 * the library that the programs use. Both take turns in blocks of calls, and the least time per call of all blocks
 * counts. The ratio is the library's time by ours: above 1, ours is faster. With several threads the library uses its
 * own and ours the threads of our regions; there is a pause before each block until those of the other side sleep, and
 * then calls that do not count until those of this side are awake: the first call after a pause takes up to twice as
 * long on both sides. --check measures nothing: small versions of all products against plain loops. */
#include "bench/products/products.h"

#include "bench/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { F32 = 1, F64 = 2, C64 = 4, C128 = 8, REAL = F32 | F64, ALL = 15 };
enum { MOST_SAMPLES = 1001 };

static const double BLOCK = 1e-3; /* seconds of a block of calls, at least */
static const double PAUSE = 0.2;  /* seconds; threads of OpenBLAS spin for 2^28 cycles when they have nothing to do */
static const double AWAKE = 5e-3; /* seconds of calls after a pause */
static const double MOST_DIFFERENCE = 4;                    /* of reference_difference; results are 0.1 to 1 apart */
static const int64_t CHECK_EXTENT = 90, CHECK_MATRICES = 5; /* at most, with --check */

static const struct {
    const char *group;
    int types;
    struct product p;
} cases[] = {
    { "square", ALL, { .m = 4, .n = 4, .k = 4 } },
    { "square", ALL, { .m = 8, .n = 8, .k = 8 } },
    { "square", REAL, { .m = 12, .n = 12, .k = 12 } },
    { "square", ALL, { .m = 16, .n = 16, .k = 16 } },
    { "square", REAL, { .m = 24, .n = 24, .k = 24 } },
    { "square", ALL, { .m = 32, .n = 32, .k = 32 } },
    { "square", REAL, { .m = 40, .n = 40, .k = 40 } },
    { "square", REAL, { .m = 48, .n = 48, .k = 48 } },
    { "square", ALL, { .m = 64, .n = 64, .k = 64 } },
    { "square", ALL, { .m = 128, .n = 128, .k = 128 } },
    { "square", REAL, { .m = 256, .n = 256, .k = 256 } },
    { "square", ALL, { .m = 512, .n = 512, .k = 512 } },
    { "square", REAL, { .m = 1024, .n = 1024, .k = 1024 } },
    { "odd", ALL, { .m = 5, .n = 7, .k = 3 } },
    { "odd", REAL, { .m = 13, .n = 9, .k = 11 } },
    { "odd", ALL, { .m = 33, .n = 17, .k = 65 } },
    { "odd", REAL, { .m = 17, .n = 65, .k = 33 } },
    { "odd", REAL, { .m = 61, .n = 61, .k = 61 } },
    { "odd", ALL, { .m = 101, .n = 99, .k = 103 } },
    { "odd", REAL, { .m = 255, .n = 513, .k = 129 } },
    { "thin", ALL, { .m = 20000, .n = 8, .k = 8 } },
    { "thin", REAL, { .m = 20000, .n = 4, .k = 16 } },
    { "thin", ALL, { .m = 2, .n = 100000, .k = 2 } },
    { "thin", REAL, { .m = 2000, .n = 3, .k = 500 } },
    { "thin", REAL, { .m = 8, .n = 8, .k = 10000 } },
    { "thin", REAL, { .m = 8, .n = 10000, .k = 8 } },
    { "thin", REAL, { .m = 1000, .n = 1000, .k = 2 } },
    { "thin", REAL, { .m = 1000, .n = 32, .k = 1000 } },
    { "vector", ALL, { .m = 30, .n = 1, .k = 30 } },
    { "vector", REAL, { .m = 120, .n = 1, .k = 100 } },
    { "vector", ALL, { .m = 1000, .n = 1, .k = 1000 } },
    { "vector", REAL, { .m = 100, .n = 1, .k = 20000 } },
    { "vector", REAL, { .m = 20000, .n = 1, .k = 100 } },
    { "vector", ALL, { .m = 1, .n = 30, .k = 30 } },
    { "vector", REAL, { .m = 1, .n = 120, .k = 100 } },
    { "vector", ALL, { .m = 1, .n = 1000, .k = 1000 } },
    { "vector", REAL, { .m = 1, .n = 20000, .k = 100 } },
    { "vector", REAL, { .m = 1, .n = 100, .k = 20000 } },
    { "vector", ALL, { .m = 1, .n = 1, .k = 1000 } },
    { "vector", REAL, { .m = 1, .n = 1, .k = 100000 } },
    { "turned", ALL, { .m = 24, .n = 24, .k = 24, .trans_a = true } },
    { "turned", ALL, { .m = 24, .n = 24, .k = 24, .trans_b = true } },
    { "turned", REAL, { .m = 24, .n = 24, .k = 24, .trans_a = true, .trans_b = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_a = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_b = true } },
    { "turned", REAL, { .m = 100, .n = 100, .k = 100, .trans_a = true, .trans_b = true } },
    { "turned", REAL, { .m = 500, .n = 500, .k = 500, .trans_a = true } },
    { "turned", REAL, { .m = 500, .n = 500, .k = 500, .trans_b = true } },
    { "scaled", ALL, { .m = 24, .n = 24, .k = 24, .alpha = 1.5, .beta = 0.5 } },
    { "scaled", REAL, { .m = 200, .n = 200, .k = 200, .alpha = 1.5, .beta = 0.5 } },
    { "stack", ALL, { .batch = 1000, .m = 4, .n = 4, .k = 4 } },
    { "stack", REAL, { .batch = 500, .m = 12, .n = 12, .k = 12 } },
    { "stack", ALL, { .batch = 200, .m = 16, .n = 16, .k = 16 } },
    { "stack", REAL, { .batch = 50, .m = 33, .n = 17, .k = 65 } },
    { "stack", REAL, { .batch = 20, .m = 100, .n = 100, .k = 100 } },
};

enum { NUM_CASES = sizeof cases / sizeof *cases };

static const struct {
    int bit;
    sdfg_dtype dtype;
    const char *name;
} types[] = {
    { F32, SDFG_F32, "f32" }, { F64, SDFG_F64, "f64" }, { C64, SDFG_C64, "c64" }, { C128, SDFG_C128, "c128" }
};

struct bench {
    struct choices choices;
    const char *blas;
    int samples;
    bool check;
    struct direct direct;
    bool has_direct, first;
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
    sdfg_array a = { .data = data, .dtype = p->dtype };
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

static sdfg_error *ours(sdfg_bound *bound, int calls)
{
    sdfg_error *e = NULL;
    for (int i = 0; !e && i < calls; i++)
        e = sdfg_bound_call(bound);
    return e;
}

static void theirs(const struct bench *b, const struct subject *s, int calls)
{
    for (int i = 0; i < calls; i++)
        direct_run(&b->direct, &s->p, s->a, s->b, s->c[1]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void set_threads(const struct bench *b, int threads)
{
    if (b->direct.set_threads)
        b->direct.set_threads(threads);
}

/* Until the threads of the other side sleep and those of this one, `bound` or the library, are awake. */
static sdfg_error *change_sides(const struct bench *b, const struct subject *s, sdfg_bound *bound, int threads,
                                int calls)
{
    sdfg_error *e = NULL;
    set_threads(b, bound ? 1 : threads); /* ours sets it so */
    if (threads == 1)
        return NULL;
    usleep((useconds_t)(1e6 * PAUSE));
    for (double start = now(); !e && now() - start < AWAKE;)
        if (bound)
            e = ours(bound, calls);
        else
            theirs(b, s, calls);
    return e;
}

static sdfg_error *take_turns(const struct bench *b, struct subject *s, sdfg_bound *bound, int threads)
{
    int calls = 1;
    for (int i = -3; i < b->samples; i++) {
        sdfg_error *e = change_sides(b, s, bound, threads, calls);
        double start = now();
        if (!e)
            e = ours(bound, calls);
        double our_time = now() - start;
        if (e)
            return e;
        change_sides(b, s, NULL, threads, calls);
        start = now();
        theirs(b, s, calls);
        double their_time = now() - start;
        if (i < 0) { /* so many calls that a block is long enough; the clock of the first is not to be trusted */
            double least = our_time < their_time ? our_time : their_time;
            calls = (int)fmin(1e6, ceil(calls * fmax(1, BLOCK / fmax(least, 1e-9))));
            continue;
        }
        s->ours[i] = our_time / calls;
        s->theirs[i] = their_time / calls;
    }
    set_threads(b, 1);
    qsort(s->ours, (size_t)b->samples, sizeof *s->ours, by_value);
    qsort(s->theirs, (size_t)b->samples, sizeof *s->theirs, by_value);
    return NULL;
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
        theirs(b, s, 1);
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

/* The version of a case for one type, small if it is only checked. */
static void specialize(struct subject *s, const struct bench *b, int index, int type)
{
    struct product *p = &s->p;
    *p = cases[index].p;
    p->dtype = types[type].dtype;
    if (p->alpha == 0)
        p->alpha = 1;
    int64_t *const extents[] = { &p->m, &p->n, &p->k };
    for (int i = 0; b->check && i < 3; i++)
        *extents[i] = *extents[i] > CHECK_EXTENT ? CHECK_EXTENT - *extents[i] % 7 : *extents[i];
    if (b->check && p->batch > CHECK_MATRICES)
        p->batch = CHECK_MATRICES;
    char stack[24] = "";
    if (p->batch)
        snprintf(stack, sizeof stack, " * %lld", (long long)p->batch);
    snprintf(s->name, sizeof s->name, "%s %s %lldx%lldx%lld%s%s%s", cases[index].group, types[type].name,
             (long long)p->m, (long long)p->n, (long long)p->k, stack, p->trans_a ? " A^T" : "",
             p->trans_b ? " B^T" : "");
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
    for (int i = 0; ready && i < NUM_CASES; i++)
        for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
            specialize(s, b, i, t);
            if ((cases[i].types & types[t].bit) && choices_want(&b->choices, s->name))
                good &= run_product(b, engine, s, threads);
        }
    sdfg_engine_free(engine);
    return good && ready;
}

static bool parse(struct bench *b, int argc, char **argv)
{
    *b = (struct bench){ .choices = choices_new(), .blas = "libopenblas.so.0", .samples = 15, .first = true };
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        if (!strncmp(a, "--samples=", 10))
            b->samples = atoi(a + 10);
        else if (!strncmp(a, "--blas=", 7))
            b->blas = a + 7;
        else if (!strcmp(a, "--check"))
            b->check = true;
        else if (!choices_take(&b->choices, a))
            return false;
    }
    return b->samples > 0 && b->samples <= MOST_SAMPLES;
}

int main(int argc, char **argv)
{
    struct bench b;
    if (!parse(&b, argc, argv)) {
        fputs("usage: bench-products [--threads=1,2] [--samples=N] [--only=PART_OF_NAME,...] [--blas=LIBRARY] [--json] "
              "[--check]\n",
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
