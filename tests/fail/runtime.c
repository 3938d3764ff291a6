/* Functions of the runtime in this process: their results, then the same while one allocation after the other fails,
 * which is an error of memory or the right result, and nothing stays behind. */
#include "runtime/check.h"
#include "runtime/data.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/fft.h"
#include "runtime/linalg/lapack.h"
#include "runtime/stream.h"
#include "runtime/timing.h"

#include "tests/fail/interpose.h"
#include "tests/unit/check.h"

#include <complex.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 12 };

/* Any type, as long as numbers are small. */
static double complex get(int32_t type, const void *x, int64_t i)
{
    return type == SDFG_RT_F32   ? ((const float *)x)[i]
           : type == SDFG_RT_F64 ? ((const double *)x)[i]
           : type == SDFG_RT_C64 ? ((const float complex *)x)[i]
                                 : ((const double complex *)x)[i];
}

static void set(int32_t type, void *x, int64_t i, double complex value)
{
    if (type == SDFG_RT_F32)
        ((float *)x)[i] = (float)creal(value);
    else if (type == SDFG_RT_F64)
        ((double *)x)[i] = creal(value);
    else if (type == SDFG_RT_C64)
        ((float complex *)x)[i] = (float complex)value;
    else
        ((double complex *)x)[i] = value;
}

static bool near(double complex a, double complex b) { return cabs(a - b) < 1e-3 * (1 + cabs(b)); }

/* A matrix of N x N with every second element of every second row, diagonally dominant and symmetric. */
static double complex a[4 * N * N], b[4 * N * N], c[4 * N * N], x[4 * N * N];

static double complex element(int64_t i, int64_t j) { return i == j ? 2 * N : (double)((i + j) % 5); }

static void fill(int32_t type, void *to, int64_t row, int64_t col)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            set(type, to, i * row + j * col, element(i, j));
}

/* Of the matrix and itself. */
static double complex product(int64_t i, int64_t j)
{
    double complex sum = 0;
    for (int64_t k = 0; k < N; k++)
        sum += element(i, k) * element(k, j);
    return sum;
}

/* ---- scenarios: whether the results are right ---- */

static const int64_t apart[2] = { 4 * N, 2 }; /* strides of rows and columns that no library takes */

static bool products(struct sdfg_rt_context *context)
{
    bool good = true;
    for (int32_t type = 0; type < SDFG_RT_TYPE_COUNT; type++) {
        double complex alpha[2], beta[2];
        set(type, alpha, 0, 2);
        set(type, beta, 0, 1);
        fill(type, a, apart[0], apart[1]);
        fill(type, b, 1, N);
        fill(type, c, apart[0], apart[1]);
        sdfg_rt_gemm(context, type, N, N, N, a, apart[0], apart[1], b, 1, N, c, apart[0], apart[1], alpha, beta);
        for (int64_t i = 0; i < N; i++)
            good = good && near(get(type, c, i * apart[0]), 2 * product(i, 0) + element(i, 0));
        sdfg_rt_gemv(context, type, N, N, a, apart[0], apart[1], b, 1, c, 2, NULL, NULL);
        good = good && near(get(type, c, 2), product(1, 0));
        sdfg_rt_gemv(context, type, N, N, b, 1, N, b, 1, c, -1, NULL, NULL);
        sdfg_rt_dot(context, type, N, b, 1, b, N, c);
        good = good && near(get(type, c, 0), product(0, 0));
    }
    return good;
}

/* Operands that are more than the stack takes. */
static bool larger_products(struct sdfg_rt_context *context)
{
    enum { ROWS = 24, SIDE = 50 };
    static double left[ROWS * SIDE], right[SIDE * SIDE], result[ROWS * SIDE];
    bool good = true;
    for (int64_t i = 0; i < SIDE * SIDE; i++)
        right[i] = (double)(i % 7);
    for (int64_t i = 0; i < ROWS * SIDE; i++)
        left[i] = (double)(i % 5);
    sdfg_rt_gemm(context, SDFG_RT_F64, ROWS, SIDE, SIDE, left, SIDE, 1, right, 1, SIDE, result, SIDE, 1, NULL, NULL);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            double sum = 0;
            for (int64_t k = 0; k < SIDE; k++)
                sum += left[i * SIDE + k] * right[j * SIDE + k];
            good = good && result[i * SIDE + j] == sum;
        }
    return good;
}

static bool factorizations(struct sdfg_rt_context *context)
{
    bool good = true;
    int32_t pivots[N], info = 0;
    for (int32_t type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int turned = 0; turned < 3; turned++) {
            int64_t row = turned == 2 ? apart[0] : turned ? 1 : N, col = turned == 2 ? apart[1] : turned ? N : 1;
            fill(type, a, row, col);
            fill(type, b, row, col);
            sdfg_rt_getrf(context, type, N, N, a, row, col, pivots, NULL);
            sdfg_rt_getrs(context, type, N, N, a, row, col, pivots, b, row, col, &info);
            sdfg_rt_getri(context, type, N, a, row, col, pivots, NULL);
            for (int64_t i = 0; i < N && !context->error && !info; i++)
                good = good && near(get(type, b, i * row + i * col), 1) && near(get(type, b, i ? 0 : row), i ? 1 : 0);
            fill(type, a, row, col);
            sdfg_rt_inverse(context, type, N, a, row, col, b, row, col, NULL);
            sdfg_rt_solve(context, type, N, N, a, row, col, a, row, col, x, col, row, NULL);
            sdfg_rt_gemm(context, type, N, N, N, a, row, col, b, row, col, c, row, col, NULL, NULL);
            for (int64_t i = 0; i < N && !context->error; i++)
                good = good && near(get(type, c, i * row + i * col), 1) && near(get(type, x, i * row + i * col), 1);
            sdfg_rt_inverse(context, type, N, a, row, col, a, row, col, NULL); /* in place */
            good = good && (context->error || near(get(type, a, 0), get(type, b, 0)));
            for (int32_t lower = 0; lower < 2; lower++) {
                fill(type, a, row, col);
                sdfg_rt_cholesky(context, type, lower, N, a, row, col, b, row, col, NULL);
                sdfg_rt_potrf(context, type, lower, N, a, row, col, NULL);
                double complex root = get(type, b, 0), other = get(type, b, lower ? col : row);
                good = good && (context->error ||
                                (near(root * root, element(0, 0)) && near(other, 0) && near(get(type, a, 0), root)));
            }
        }
    if (info == -1000) /* told by info alone */
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    return good;
}

static bool transforms(struct sdfg_rt_context *context)
{
    static const int64_t lengths[] = { 8, 7, 12, 1 };
    bool good = true;
    for (int32_t type = SDFG_RT_C64; type <= SDFG_RT_C128; type++)
        for (int l = 0; l < 4; l++) {
            int64_t sizes[] = { 2, lengths[l] }, in[] = { lengths[l] * 2, 2 }, out[] = { lengths[l], 1 };
            double complex factor[2];
            set(type, factor, 0, 2);
            for (int64_t i = 0; i < 4 * lengths[l]; i++)
                set(type, a, i, (double)(i % 3));
            double complex sum = 0;
            for (int64_t i = 0; i < 2; i++)
                for (int64_t j = 0; j < lengths[l]; j++)
                    sum += get(type, a, i * in[0] + j * in[1]);
            sdfg_rt_fft(context, type, -1, 2, sizes, a, in, b, out, factor);
            good = good && near(get(type, b, 0), 2 * sum);
            sdfg_rt_fft(context, type, 1, 2, sizes, b, out, b, out, factor);
            good = good && (context->error || near(get(type, b, 0), 4.0 * 2 * (double)lengths[l] * get(type, a, 0)));
        }
    return good;
}

/* What runs where there is no library, a step at a time. */
static bool own_loops(struct sdfg_rt_context *context)
{
    static const int64_t lengths[] = { 1, 8, 31 * 2, 37, 2 * 41 };
    bool good = true;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (int64_t i = 0; i < lengths[l]; i++)
            x[i] = (double)(i % 3);
        double complex sum = 0;
        for (int64_t i = 0; i < lengths[l]; i++)
            sum += x[i];
        if (!sdfg_rt_fft_line(x, lengths[l], -1))
            sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        good = good && near(x[0], sum);
    }
    int32_t pivots[N];
    struct sdfg_rt_matrix m = { a, N, N, N, 1 };
    fill(SDFG_RT_C128, a, N, 1);
    fill(SDFG_RT_C128, b, N, 1);
    good = !sdfg_rt_getrf_blocks(context, SDFG_RT_C128, &m, pivots) && good;
    if (sdfg_rt_getri_blocks(context, SDFG_RT_C128, &m, pivots))
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    double complex sum = 0; /* of the first row and the first column */
    for (int64_t k = 0; k < N; k++)
        sum += a[k] * b[k * N];
    return good && near(sum, 1);
}

static bool streams(struct sdfg_rt_context *context)
{
    struct sdfg_rt_stream *s[3] = { NULL };
    int numbers[100], got[200] = { 0 };
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    sdfg_rt_stream_open(context, s, 3, sizeof(int));
    for (int round = 0; round < 5; round++)
        sdfg_rt_stream_push(context, s[round % 2], numbers, 20);
    sdfg_rt_stream_push(context, s[1], numbers, 100);
    sdfg_rt_stream_move(context, s[0], s[1]);
    int64_t size = sdfg_rt_stream_size(context, s[1]);
    int64_t took = sdfg_rt_stream_take(context, s[1], got, 7);
    sdfg_rt_stream_done(context, s[1], took);
    int64_t popped = sdfg_rt_stream_try_pop(context, s[1], got, 200);
    bool good = size == 200 && took == 7 && popped == 193 && got[0] == 7 && got[192] == 19;
    good = good && !sdfg_rt_stream_try_take(context, s[2], got, 1) && !sdfg_rt_stream_wait(context, s[2]);
    sdfg_rt_stream_close(context, s, 3);
    return good;
}

/* Of threads of one team after the other, and between them from outside: the order stays. */
static bool streams_of_teams(struct sdfg_rt_context *context)
{
    struct sdfg_rt_team teams[] = { { .id = 1 }, { .id = 2 }, { .id = 3 } };
    static const int64_t threads[] = { 2, 2, 5 };
    struct sdfg_rt_stream *s[2] = { NULL };
    int numbers[100], got[700] = { 0 };
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    sdfg_rt_stream_open(context, s, 2, sizeof(int));
    for (int t = 0; t < 3; t++) {
        sdfg_rt_stream_push(context, s[0], numbers, 100);
        sdfg_rt_team_enter(&teams[t], threads[t] - 1, threads[t]);
        sdfg_rt_stream_push(context, s[0], numbers, 50);
        sdfg_rt_stream_push(context, s[0], numbers + 50, 50);
        sdfg_rt_team_leave(&teams[t]);
    }
    sdfg_rt_stream_move(context, s[0], s[1]);
    int64_t popped = sdfg_rt_stream_try_pop(context, s[1], got, 700);
    bool good = popped == 600;
    for (int i = 0; i < 600; i++)
        good = good && got[i] == i % 100;
    sdfg_rt_stream_close(context, s, 2);
    return good;
}

/* Without memory races are not found, which is no error. */
static bool races(struct sdfg_rt_context *context)
{
    enum { ITERATION = 1, MODE = 2, ELEMENTS = 5000 };
    static const struct sdfg_rt_access access = { .kind = 1, .rank = 2 };
    static double elements[ELEMENTS];
    struct sdfg_rt_faults faults = { 0 };
    context->faults = &faults;
    /* run, iteration, mode, one of how many, bytes; first, last, extent, stride, step of two dimensions */
    int64_t list[] = { sdfg_rt_race_begin(context),
                       1,
                       1,
                       1,
                       sizeof *elements,
                       0,
                       1,
                       2,
                       ELEMENTS / 2,
                       1,
                       0,
                       ELEMENTS / 2 - 1,
                       ELEMENTS / 2,
                       1,
                       1 };
    sdfg_rt_race(context, &access, elements, list);
    list[ITERATION] = 2;
    list[MODE] = 0;
    bool good = !faults.count;
    sdfg_rt_race(context, &access, elements, list);
    good = good && (fail_failed() || faults.count == ELEMENTS);
    good = good && (!faults.count || context->error == SDFG_RT_FAULT);
    if (context->error == SDFG_RT_FAULT)
        context->error = SDFG_RT_OK;
    sdfg_rt_races_free(faults.races);
    context->faults = NULL;
    sdfg_rt_race(context, &access, elements, list); /* nobody looks for them */
    return good && !sdfg_rt_race_begin(context);
}

/* What does not fit is not printed. */
static bool printed(struct sdfg_rt_context *context)
{
    FILE *usual = stdout;
    static FILE *nowhere;
    (void)context;
    if (!nowhere) /* once, with a buffer */
        nowhere = fopen("/dev/null", "w"), setvbuf(nowhere, NULL, _IONBF, 0);
    stdout = nowhere;
    int length = sdfg_rt_print("%s and %d", "a text", 7LL);
    stdout = usual;
    return fail_failed() ? length < 12 : length == 12;
}

static bool names(struct sdfg_rt_context *context)
{
    struct sdfg_rt_timings t;
    int here, there;
    sdfg_rt_timings_init(&t);
    context->timings = &t;
    const struct sdfg_rt_element *e = sdfg_rt_timings_name(context, &here, "Kernel ", "k");
    sdfg_rt_timings_name(context, &there, "Kernel ", "l");
    bool good = e && !strcmp(e->name, "Kernel k") && sdfg_rt_timings_name(context, &here, "Kernel ", "k") == e;
    for (int64_t i = 0; i < 300; i++)
        sdfg_rt_timings_add(context, &(struct sdfg_rt_timing){ .element = e, .begin = i, .end = i + 1 });
    good = good && t.count == 300 && t.items[299].begin == 299;
    sdfg_rt_timings_release(&t);
    context->timings = NULL;
    sdfg_rt_timings_add(context, &(struct sdfg_rt_timing){ .element = NULL });
    return good;
}

static bool memory(struct sdfg_rt_context *context)
{
    struct sdfg_rt_pool *pool = sdfg_rt_pool_new();
    context->pool = pool;
    char *block = sdfg_rt_alloc(context, 1 << 20), *other = sdfg_rt_alloc(context, 100);
    if (block && other)
        block[0] = other[99] = 1;
    sdfg_rt_free(context, block);
    sdfg_rt_free(context, other);
    other = sdfg_rt_alloc(context, 1 << 20); /* the kept one */
    bool good = !pool || other == block;
    sdfg_rt_free(context, other);
    context->pool = NULL;
    sdfg_rt_pool_free(pool);
    return good && other;
}

static bool saved(struct sdfg_rt_context *context)
{
    static const int64_t layout[] = { 8, 3, 1, 3, 1 };
    char folder[] = "/tmp/fail-runtime-XXXXXX", command[64];
    double values[] = { 1, 2, 3 }, back[3] = { 0 };
    if (!mkdtemp(folder))
        return false;
    struct sdfg_rt_data *d = sdfg_rt_data_new(folder, folder);
    context->data = d;
    sdfg_rt_save(context,
                 "A\0"
                 "0_0_0",
                 layout, values);
    sdfg_rt_save_int(context,
                     "n\0"
                     "0",
                     5);
    sdfg_rt_save_real(context,
                      "x\0"
                      "0",
                      0.25);
    sdfg_rt_restore(context,
                    "A\0"
                    "0_0_0",
                    layout, back);
    int64_t n = sdfg_rt_restore_int(context,
                                    "n\0"
                                    "0",
                                    -1);
    double real = sdfg_rt_restore_real(context,
                                       "x\0"
                                       "0",
                                       -1);
    bool good = !d || (n == 5 && real == 0.25 && !memcmp(values, back, sizeof back));
    context->data = NULL;
    sdfg_rt_data_free(d);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    good = good && !system(command);
    if (context->error == SDFG_RT_DATA) /* says so */
        context->error = SDFG_RT_OUT_OF_MEMORY;
    return good;
}

static const struct scenario {
    const char *name;
    bool (*run)(struct sdfg_rt_context *context);
    int allocations; /* that are tried at most: BLAS libraries have many */
} scenarios[] = {
    { "products", products, 60 },
    { "larger products", larger_products, 60 },
    { "factorizations", factorizations, 150 },
    { "transforms", transforms, 100 },
    { "own loops", own_loops, 40 },
    { "streams", streams, 100 },
    { "streams of teams", streams_of_teams, 100 },
    { "races", races, 20 },
    { "prints", printed, 20 },
    { "names of timings", names, 20 },
    { "memory", memory, 20 },
    { "saved data", saved, 40 },
};

TEST(results)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        for (int threads = 1; threads < 3; threads++) {
            struct sdfg_rt_context context = { .num_threads = threads };
            if (!scenarios[i].run(&context) || context.error) {
                printf("%s: wrong, or error %d\n", scenarios[i].name, (int)context.error);
                check_failures++;
            }
        }
}

/* Fails allocation k. Returns how many blocks stay. */
static long run_failing(const struct scenario *s, long k, bool *failed)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    long before = fail_live();
    fail_at(k, false);
    bool right = s->run(&context);
    *failed = fail_failed();
    fail_at(0, false);
    if (context.error ? context.error != SDFG_RT_OUT_OF_MEMORY : !right) {
        printf("%s: allocation %ld: error %d\n", s->name, k, (int)context.error);
        check_failures++;
    }
    return fail_live() - before;
}

TEST(allocations_that_fail)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *s = &scenarios[i];
        bool failed = true;
        for (long k = 1; failed && k <= s->allocations; k++) {
            bool again;
            long stay = run_failing(s, k, &failed);
            if (stay > 0) /* a thread of a library may take a block at this time, but only once */
                stay = run_failing(s, k, &again);
            if (stay > 0) {
                printf("%s: allocation %ld: %ld blocks stay\n", s->name, k, stay);
                check_failures++;
            }
        }
    }
}

/* ---- disks that are full ---- */

/* A container whose file cannot be written from its first bytes on, and one that is written when it is closed. */
TEST(full_disks)
{
    enum { MANY = 100000 };
    static double many[MANY];
    char folder[] = "/tmp/fail-runtime-XXXXXX", path[64], link[80];
    if (access("/dev/full", W_OK) || !mkdtemp(folder))
        return;
    snprintf(path, sizeof path, "%s/A", folder);
    CHECK_INT(mkdir(path, 0700), 0);
    for (int version = 0; version < 2; version++) {
        snprintf(link, sizeof link, "%s/0_%d.bin", path, version);
        CHECK_INT(symlink("/dev/full", link), 0);
    }
    struct sdfg_rt_data *d = sdfg_rt_data_new(folder, folder);
    for (int version = 0; version < 2; version++) {
        int64_t count = version ? 3 : MANY;
        const int64_t layout[] = { 8, count, 1, count, 1 };
        struct sdfg_rt_context context = { .num_threads = 1, .data = d };
        char trouble[512];
        sdfg_rt_save(&context,
                     "A\0"
                     "0",
                     layout, many);
        CHECK_INT(context.error, SDFG_RT_DATA);
        sdfg_rt_data_trouble(d, trouble, sizeof trouble);
        snprintf(link, sizeof link, "%s/0_%d.bin: No space left on device", path, version);
        CHECK_STR(trouble, link);
    }
    sdfg_rt_data_free(d);
    snprintf(path, sizeof path, "rm -r %s", folder);
    CHECK_INT(system(path), 0);
}

CHECK_MAIN
