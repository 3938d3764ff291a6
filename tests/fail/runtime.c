/* Functions of the runtime in this process: their results, then the same while one allocation after the other fails,
 * which is an error of memory or the right result, and nothing stays behind; and what linear algebra refuses. */
#include "runtime/data.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/cblas.h"
#include "runtime/linalg/fft.h"
#include "runtime/stream.h"
#include "runtime/timing.h"

#include "tests/fail/interpose.h"
#include "tests/unit/check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 12, ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

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
    { "products", products, 60 }, { "factorizations", factorizations, 150 }, { "transforms", transforms, 100 },
    { "streams", streams, 100 },  { "names of timings", names, 20 },         { "memory", memory, 20 },
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

/* ---- what is refused ---- */

static void refused(struct sdfg_rt_context *context, int error)
{
    CHECK_INT(context->error, error);
    context->error = SDFG_RT_OK;
}

TEST(types_that_are_none)
{
    enum { BAD = SDFG_RT_TYPE_COUNT };
    struct sdfg_rt_context context = { .num_threads = 1 };
    int32_t pivots[N];
    sdfg_rt_gemm(&context, BAD, N, N, N, a, N, 1, b, N, 1, c, N, 1, NULL, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_gemv(&context, BAD, N, N, a, N, 1, b, 1, c, 1, NULL, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_dot(&context, BAD, N, a, 1, b, 1, c);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_getrf(&context, BAD, N, N, a, N, 1, pivots, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_getri(&context, BAD, N, a, N, 1, pivots, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_getrs(&context, BAD, N, N, a, N, 1, pivots, b, N, 1, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_potrf(&context, BAD, true, N, a, N, 1, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_solve(&context, BAD, N, N, a, N, 1, b, N, 1, x, N, 1, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_inverse(&context, BAD, N, a, N, 1, b, N, 1, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_cholesky(&context, BAD, true, N, a, N, 1, b, N, 1, NULL);
    refused(&context, SDFG_RT_BAD_VALUE);
}

/* Nothing is read or stored; larger than a library counts is no memory for it. */
TEST(empty_and_huge_matrices)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    const int64_t huge = (int64_t)1 << 32;
    int32_t info = 7;
    for (int32_t type = 0; type < SDFG_RT_TYPE_COUNT; type++) {
        sdfg_rt_getrf(&context, type, 0, 0, a, 1, 1, NULL, &info);
        CHECK_INT(info, 0);
        sdfg_rt_getri(&context, type, 0, a, 1, 1, NULL, &info);
        sdfg_rt_getrs(&context, type, 0, 3, a, 1, 1, NULL, b, 1, 1, &info);
        sdfg_rt_potrf(&context, type, false, 0, a, 1, 1, &info);
        sdfg_rt_solve(&context, type, 0, 0, a, 1, 1, b, 1, 1, x, 1, 1, &info);
        sdfg_rt_inverse(&context, type, 0, a, 1, 1, b, 1, 1, &info);
        sdfg_rt_cholesky(&context, type, true, 0, a, 1, 1, b, 1, 1, &info);
        CHECK_INT(info, 0);
        sdfg_rt_gemm(&context, type, 0, 3, 3, NULL, 1, 1, NULL, 1, 1, NULL, 1, 1, NULL, NULL);
        sdfg_rt_gemv(&context, type, 0, 3, NULL, 1, 1, NULL, 1, NULL, 1, NULL, NULL);
        refused(&context, SDFG_RT_OK);
        sdfg_rt_getrf(&context, type, huge, 2, NULL, 1, huge, NULL, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
        sdfg_rt_getri(&context, type, huge, NULL, 1, huge, NULL, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
        sdfg_rt_potrf(&context, type, true, huge, NULL, 1, huge, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
    }
}

/* Each form of CBLAS's and LAPACKE's arguments, against the same by strides. */
TEST(cblas)
{
    static const int layouts[] = { ROW_MAJOR, COLUMN_MAJOR }, transposed[] = { NO_TRANS, TRANS, CONJ_TRANS };
    struct sdfg_rt_context context = { .num_threads = 1 };
    double complex one = 1, zero = 0, p[6], q[6], r[4], dot;
    float complex one_single = 1, zero_single = 0, ps[6], qs[6], rs[4];
    for (int i = 0; i < 6; i++) {
        p[i] = i + 1 + (i - 2) * I;
        q[i] = 2 - i * I;
        ps[i] = (float complex)p[i];
        qs[i] = (float complex)q[i];
    }
    for (int l = 0; l < 2; l++)
        for (int ta = 0; ta < 3; ta++)
            for (int tb = 0; tb < 3; tb++) {
                int lda = (l == 0) == (ta == 0) ? 3 : 2, ldb = (l == 0) == (tb == 0) ? 2 : 3;
                sdfg_rt_cblas_zgemm(&context, layouts[l], transposed[ta], transposed[tb], 2, 2, 3, &one, p, lda, q, ldb,
                                    &zero, r, 2);
                sdfg_rt_cblas_cgemm(&context, layouts[l], transposed[ta], transposed[tb], 2, 2, 3, &one_single, ps, lda,
                                    qs, ldb, &zero_single, rs, 2);
                for (int i = 0; i < 2; i++)
                    for (int j = 0; j < 2; j++) {
                        double complex sum = 0;
                        for (int k = 0; k < 3; k++) {
                            double complex u = p[lda == 3 ? 3 * i + k : i + 2 * k];
                            double complex v = q[ldb == 2 ? 2 * k + j : k + 3 * j];
                            sum += (ta == 2 ? conj(u) : u) * (tb == 2 ? conj(v) : v);
                        }
                        CHECK(near(r[l ? i + 2 * j : 2 * i + j], sum) && near(rs[l ? i + 2 * j : 2 * i + j], sum));
                    }
                sdfg_rt_cblas_zgemv(&context, layouts[l], transposed[ta], ta ? 3 : 2, ta ? 2 : 3, &one, p, lda, q, -1,
                                    &zero, r, 1);
                double complex sum = 0;
                for (int k = 0; k < 3; k++) {
                    double complex u = p[lda == 3 ? k : 2 * k];
                    sum += (ta == 2 ? conj(u) : u) * q[2 - k];
                }
                CHECK(near(r[0], sum));
            }
    sdfg_rt_cblas_zdotu_sub(&context, 3, p, 1, q, -2, &dot);
    CHECK(near(dot, p[0] * q[4] + p[1] * q[2] + p[2] * q[0]));
    refused(&context, SDFG_RT_OK);
    sdfg_rt_cblas_dgemm(&context, 100, NO_TRANS, NO_TRANS, 1, 1, 1, 1, NULL, 1, NULL, 1, 0, NULL, 1);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_cblas_dgemm(&context, ROW_MAJOR, 110, NO_TRANS, 1, 1, 1, 1, NULL, 1, NULL, 1, 0, NULL, 1);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_cblas_sgemm(&context, COLUMN_MAJOR, TRANS, 114, 1, 1, 1, 1, NULL, 1, NULL, 1, 0, NULL, 1);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_cblas_dgemv(&context, 0, NO_TRANS, 1, 1, 1, NULL, 1, NULL, 1, 0, NULL, 1);
    refused(&context, SDFG_RT_BAD_VALUE);
    for (int k = 1; k <= 2; k++) { /* memory for the one and for the other operand */
        fail_at(k, false);
        sdfg_rt_cblas_zgemm(&context, ROW_MAJOR, CONJ_TRANS, CONJ_TRANS, 2, 2, 3, &one, p, 2, q, 3, &zero, r, 2);
        fail_at(0, false);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
    }
    fail_at(1, false);
    sdfg_rt_cblas_cgemv(&context, ROW_MAJOR, CONJ_TRANS, 3, 2, &one_single, ps, 2, qs, 1, &zero_single, rs, 1);
    fail_at(0, false);
    refused(&context, SDFG_RT_OUT_OF_MEMORY);
    float s[4];
    double d[4];
    int pivots[2] = { 1, 2 };
    CHECK_INT(sdfg_rt_LAPACKE_sgetrs(&context, ROW_MAJOR, 'T', 2, 1, s, 2, pivots, s, 1), -2);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_dgetrs(&context, ROW_MAJOR, 'c', 2, 1, d, 2, pivots, d, 1), -2);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_cgetrs(&context, ROW_MAJOR, 'C', 2, 1, ps, 2, pivots, ps, 1), -2);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_zgetrs(&context, ROW_MAJOR, 't', 2, 1, p, 2, pivots, p, 1), -2);
    refused(&context, SDFG_RT_BAD_VALUE);
    for (int lower = 0; lower < 2; lower++) {
        double complex m[4] = { 4, 2 * I, -2 * I, 5 };
        CHECK_INT(sdfg_rt_LAPACKE_zpotrf(&context, ROW_MAJOR, lower ? 'l' : 'u', 2, m, 2), 0);
        CHECK(near(m[0], 2) && near(m[3], 2));
    }
}

/* Transforms of other types, of too many dimensions, of nothing. */
TEST(transforms_that_are_refused)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    const int64_t one = 1, none = 0;
    double complex factor = 1;
    sdfg_rt_fft(&context, SDFG_RT_F64, 1, 1, &one, a, &one, b, &one, &factor);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_fft(&context, SDFG_RT_C128, 1, SDFG_RT_FFT_MAX_RANK + 1, &one, a, &one, b, &one, &factor);
    refused(&context, SDFG_RT_BAD_VALUE);
    sdfg_rt_fft(&context, SDFG_RT_C128, 1, 1, &none, NULL, &one, NULL, &one, &factor);
    refused(&context, SDFG_RT_OK);
}

CHECK_MAIN
