/* Run times of generated code against plain C in the same process:
 *
 *     bench-run [--threads=1,2] [--repeat=15] [--only=axpy,gemm] [--quick] [--json] EXAMPLES
 *
 * EXAMPLES is the folder of the programs. The plain versions come from libbench-plain.so beside this program, which is
 * built where clang is found; without it our times stand alone. Both take turns, call by call, on arrays of their own
 * with the same contents; the first pair of calls is not counted and its results are compared. */
#include "bench/choices.h"
#include "bench/run/plain/plain.h"
#include "sdfg.h"

#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARRAYS = 3, MAX_SIZES = 2, MAX_RUNS = 1001 };

/* Arguments in the order in which the plain version takes them; scalars are written into it. */
struct kernel {
    const char *name, *file, *function;
    struct {
        const char *name;
        sdfg_dtype dtype;
        int rank;
        const char *shape[SDFG_MAX_RANK]; /* names of sizes, or a number */
    } arrays[MAX_ARRAYS];
    struct {
        const char *name;
        int64_t value, quick;
    } sizes[MAX_SIZES];
    double alpha, beta; /* given if not 0 */
};

static const struct kernel kernels[] = {
    { "axpy, in cache",
      "axpy",
      "plain_axpy",
      { { "X", SDFG_F64, 1, { "N" } }, { "Y", SDFG_F64, 1, { "N" } } },
      { { "N", 20000, 1000 } },
      1.5,
      0 },
    { "axpy",
      "axpy",
      "plain_axpy",
      { { "X", SDFG_F64, 1, { "N" } }, { "Y", SDFG_F64, 1, { "N" } } },
      { { "N", 4000000, 1000 } },
      1.5,
      0 },
    { "jacobi_2d, in cache",
      "jacobi_2d",
      "plain_jacobi_2d",
      { { "A", SDFG_F64, 2, { "N", "N" } }, { "B", SDFG_F64, 2, { "N", "N" } } },
      { { "N", 250, 40 }, { "T", 40, 2 } },
      0,
      0 },
    { "jacobi_2d",
      "jacobi_2d",
      "plain_jacobi_2d",
      { { "A", SDFG_F64, 2, { "N", "N" } }, { "B", SDFG_F64, 2, { "N", "N" } } },
      { { "N", 1400, 40 }, { "T", 4, 2 } },
      0,
      0 },
    { "gemm (loops)",
      "gemm_maps",
      "plain_gemm",
      { { "A", SDFG_F64, 2, { "N", "N" } }, { "B", SDFG_F64, 2, { "N", "N" } }, { "C", SDFG_F64, 2, { "N", "N" } } },
      { { "N", 320, 40 } },
      1.5,
      0.5 },
    { "gemm (library)",
      "gemm",
      "plain_gemm",
      { { "A", SDFG_F64, 2, { "N", "N" } }, { "B", SDFG_F64, 2, { "N", "N" } }, { "C", SDFG_F64, 2, { "N", "N" } } },
      { { "N", 320, 40 } },
      1.5,
      0.5 },
    { "softmax",
      "softmax",
      "plain_softmax",
      { { "X", SDFG_F32, 2, { "N", "M" } }, { "Y", SDFG_F32, 2, { "N", "M" } } },
      { { "N", 1000, 20 }, { "M", 500, 30 } },
      0,
      0 },
    { "histogram",
      "histogram",
      "plain_histogram",
      { { "image", SDFG_F64, 2, { "H", "W" } }, { "histogram", SDFG_I64, 1, { "16" } } },
      { { "H", 1000, 20 }, { "W", 1000, 30 } },
      0,
      0 },
    { "heat_3d",
      "heat_3d",
      "plain_heat_3d",
      { { "A", SDFG_F64, 3, { "N", "N", "N" } }, { "B", SDFG_F64, 3, { "N", "N", "N" } } },
      { { "N", 120, 16 }, { "T", 4, 2 } },
      0,
      0 },
};

enum { NUM_KERNELS = sizeof kernels / sizeof *kernels };

struct bench {
    struct choices choices;
    const char *folder;
    int repeat;
    bool quick;
    void *library; /* of the plain versions; may be NULL */
};

/* One kernel on its way: ours works on arrays[0], the plain version on arrays[1]. */
struct subject {
    const struct kernel *kernel;
    int64_t sizes[MAX_SIZES];
    sdfg_array shapes[MAX_ARRAYS];
    size_t elements[MAX_ARRAYS];
    void *arrays[2][MAX_ARRAYS];
    plain_kernel *plain;
    double ours[MAX_RUNS], theirs[MAX_RUNS], ratios[MAX_RUNS];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- arrays ---- */

static int64_t size_of(const struct subject *s, const char *name)
{
    for (int i = 0; i < MAX_SIZES && s->kernel->sizes[i].name; i++)
        if (!strcmp(s->kernel->sizes[i].name, name))
            return s->sizes[i];
    return atoll(name);
}

/* The same numbers in [0, 1) for both. */
static void fill(void *data, sdfg_dtype dtype, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double x = (double)(state >> 11) * 0x1p-53;
        if (dtype == SDFG_F64)
            ((double *)data)[i] = x;
        else if (dtype == SDFG_F32)
            ((float *)data)[i] = (float)x;
        else
            ((int64_t *)data)[i] = 0;
    }
}

static bool make_arrays(struct subject *s)
{
    for (int i = 0; i < MAX_ARRAYS && s->kernel->arrays[i].name; i++) {
        sdfg_dtype dtype = s->kernel->arrays[i].dtype;
        size_t elements = 1;
        s->shapes[i] =
            (sdfg_array){ .struct_size = sizeof(sdfg_array), .dtype = dtype, .rank = s->kernel->arrays[i].rank };
        for (int d = 0; d < s->shapes[i].rank; d++) {
            s->shapes[i].shape[d] = size_of(s, s->kernel->arrays[i].shape[d]);
            elements *= (size_t)s->shapes[i].shape[d];
        }
        s->elements[i] = elements;
        size_t bytes = elements * (dtype == SDFG_F32 ? 4 : 8);
        for (int side = 0; side < 2; side++) {
            s->arrays[side][i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
            if (!s->arrays[side][i])
                return false;
            fill(s->arrays[side][i], dtype, elements);
        }
        s->shapes[i].data = s->arrays[0][i];
    }
    return true;
}

static void free_arrays(struct subject *s)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < MAX_ARRAYS; i++)
            free(s->arrays[side][i]);
}

static bool close_enough(const void *a, const void *b, sdfg_dtype dtype, size_t i)
{
    if (dtype == SDFG_I64)
        return ((const int64_t *)a)[i] == ((const int64_t *)b)[i];
    if (dtype == SDFG_F32)
        return fabsf(((const float *)a)[i] - ((const float *)b)[i]) <= 1e-4F * fabsf(((const float *)b)[i]) + 1e-7F;
    return fabs(((const double *)a)[i] - ((const double *)b)[i]) <= 1e-9 * fabs(((const double *)b)[i]) + 1e-12;
}

static bool same_results(const struct subject *s)
{
    for (int i = 0; i < MAX_ARRAYS && s->kernel->arrays[i].name; i++)
        for (size_t e = 0; e < s->elements[i]; e++)
            if (!close_enough(s->arrays[0][i], s->arrays[1][i], s->kernel->arrays[i].dtype, e)) {
                fprintf(stderr, "bench-run: %s: %s differs at element %zu\n", s->kernel->name,
                        s->kernel->arrays[i].name, e);
                return false;
            }
    return true;
}

/* ---- measuring ---- */

static sdfg_error *bind(const struct subject *s, sdfg_program *p, sdfg_bound **out)
{
    const struct kernel *k = s->kernel;
    sdfg_args *args;
    sdfg_error *e = sdfg_args_new(&args, p);
    for (int i = 0; !e && i < MAX_ARRAYS && k->arrays[i].name; i++)
        e = sdfg_args_array(args, k->arrays[i].name, &s->shapes[i]);
    for (int i = 0; !e && i < MAX_SIZES && k->sizes[i].name; i++)
        e = sdfg_args_i64(args, k->sizes[i].name, s->sizes[i]);
    if (!e && k->alpha != 0)
        e = sdfg_args_f64(args, "alpha", k->alpha);
    if (!e && k->beta != 0)
        e = sdfg_args_f64(args, "beta", k->beta);
    if (!e)
        e = sdfg_bind(out, p, args);
    sdfg_args_free(args);
    return e;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static sdfg_error *take_turns(const struct bench *b, struct subject *s, sdfg_bound *bound, bool *same)
{
    *same = true;
    for (int i = -1; i < b->repeat; i++) {
        double start = now();
        sdfg_error *e = sdfg_bound_call(bound);
        double middle = now();
        if (e)
            return e;
        if (s->plain)
            s->plain(s->arrays[1], s->sizes);
        double end = now();
        if (i < 0) {
            *same = !s->plain || same_results(s);
            continue;
        }
        s->ours[i] = middle - start;
        s->theirs[i] = end - middle;
        s->ratios[i] = s->ours[i] / s->theirs[i];
    }
    return NULL;
}

static void report(const struct bench *b, struct subject *s, int threads, bool *first)
{
    double ours = median(s->ours, b->repeat) * 1e6, theirs = median(s->theirs, b->repeat) * 1e6;
    double ratio = median(s->ratios, b->repeat);
    if (b->choices.json) {
        printf("%s\n {\"kernel\": \"%s\", \"threads\": %d, \"ours_us\": %.2f", *first ? "[" : ",", s->kernel->name,
               threads, ours);
        printf(s->plain ? ", \"plain_us\": %.2f, \"ratio\": %.3f}" : "}", theirs, ratio);
    } else {
        printf("%-22s %7d %12.1f", s->kernel->name, threads, ours);
        printf(s->plain ? " %12.1f %8.3f\n" : "\n", theirs, ratio);
    }
    fflush(stdout);
    *first = false;
}

static bool run_loaded(const struct bench *b, struct subject *s, sdfg_program *p, int threads, bool *first)
{
    sdfg_bound *bound = NULL;
    bool same = false;
    sdfg_error *e = bind(s, p, &bound);
    if (!e)
        e = take_turns(b, s, bound, &same);
    if (!e)
        report(b, s, threads, first);
    else
        fputs(sdfg_error_text(e), stderr);
    sdfg_bound_free(bound);
    bool good = !e && same;
    sdfg_error_free(e);
    return good;
}

static bool run_kernel(const struct bench *b, const struct kernel *k, int threads, bool *first)
{
    struct subject *s = calloc(1, sizeof *s);
    char path[4096];
    sdfg_options options;
    sdfg_engine *engine = NULL;
    sdfg_program *p = NULL;
    if (!s)
        return false;
    s->kernel = k;
    for (int i = 0; i < MAX_SIZES; i++)
        s->sizes[i] = b->quick ? k->sizes[i].quick : k->sizes[i].value;
    if (b->library) {
        void *function = dlsym(b->library, k->function), *set_threads = dlsym(b->library, "plain_threads");
        memcpy(&s->plain, &function, sizeof function);
        void (*apply)(int);
        memcpy(&apply, &set_threads, sizeof apply);
        apply(threads);
    }
    snprintf(path, sizeof path, "%s/%s.sdfg", b->folder, k->file);
    sdfg_options_init(&options, sizeof options);
    options.num_threads = threads;
    sdfg_error *e = sdfg_engine_new(&engine, &options);
    if (!e)
        e = sdfg_program_load_file(&p, engine, path);
    bool good = !e && make_arrays(s) && run_loaded(b, s, p, threads, first);
    if (e)
        fputs(sdfg_error_text(e), stderr);
    sdfg_error_free(e);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    free_arrays(s);
    free(s);
    return good;
}

/* ---- the command ---- */

static bool parse(struct bench *b, int argc, char **argv)
{
    *b = (struct bench){ .choices = choices_new(), .repeat = 15 };
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        if (!strncmp(a, "--repeat=", 9))
            b->repeat = atoi(a + 9);
        else if (!strcmp(a, "--quick"))
            b->quick = true;
        else if (choices_take(&b->choices, a))
            continue;
        else if (*a == '-' || b->folder)
            return false;
        else
            b->folder = a;
    }
    return b->folder && b->repeat > 0 && b->repeat <= MAX_RUNS;
}

static void *open_plain(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    if (n < 0)
        return NULL;
    path[n] = 0;
    dirname(path);
    strcat(path, "/libbench-plain.so");
    return dlopen(path, RTLD_NOW);
}

int main(int argc, char **argv)
{
    struct bench b;
    bool good = true, first = true;
    if (!parse(&b, argc, argv)) {
        fputs("usage: bench-run [--threads=1,2] [--repeat=N] [--only=PART_OF_NAME,...] [--quick] [--json] EXAMPLES\n",
              stderr);
        return 2;
    }
    b.library = open_plain();
    if (!b.library)
        fprintf(stderr, "bench-run: no plain versions: %s\n", dlerror());
    if (!b.choices.json)
        printf("%-22s %7s %12s %12s %8s\n", "kernel", "threads", "ours, us", "plain C, us", "ratio");
    for (int t = 0; t < b.choices.num_threads; t++)
        for (int k = 0; k < NUM_KERNELS; k++)
            if (choices_want(&b.choices, kernels[k].name))
                good &= run_kernel(&b, &kernels[k], b.choices.threads[t], &first);
    if (b.choices.json && !first)
        puts("\n]");
    return good ? 0 : 1;
}
