/* What linear algebra of the runtime refuses: types, layouts and forms that are none, and matrices without elements or
 * with too many; forms of CBLAS and LAPACKE, also without memory for their copies. */
#include "runtime/linalg/blas.h"
#include "runtime/linalg/cblas.h"
#include "runtime/linalg/fft.h"
#include "runtime/linalg/lapack.h"

#include "tests/fail/interpose.h"
#include "tests/unit/check.h"

#include <complex.h>

enum { N = 12, ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

static double complex a[N * N], b[N * N], c[N * N], x[N * N];

static bool near(double complex p, double complex q) { return cabs(p - q) < 1e-3 * (1 + cabs(q)); }

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
        for (int64_t column = 0; column < 2; column++) { /* there need be no memory */
            sdfg_rt_getrf(&context, type, 0, 0, NULL, 1, column, NULL, &info);
            sdfg_rt_getri(&context, type, 0, NULL, 1, column, NULL, &info);
            sdfg_rt_getrs(&context, type, 0, 3, NULL, 1, column, NULL, NULL, 1, column, &info);
            sdfg_rt_potrf(&context, type, true, 0, NULL, 1, column, &info);
            refused(&context, SDFG_RT_OK);
            CHECK_INT(info, 0);
        }
        sdfg_rt_getrf(&context, type, huge, 2, NULL, 1, huge, NULL, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
        sdfg_rt_getrf(&context, type, 2, huge, NULL, 1, 2, NULL, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
        sdfg_rt_getri(&context, type, huge, NULL, 1, huge, NULL, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
        sdfg_rt_potrf(&context, type, true, huge, NULL, 1, huge, NULL);
        refused(&context, SDFG_RT_OUT_OF_MEMORY);
    }
}

/* Of one element, the distance to the next one does not matter. */
TEST(distances_beyond_a_library)
{
    enum { ROWS = 70000 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    const int64_t far = (int64_t)1 << 32;
    static double column[ROWS], result[ROWS];
    double two = 2, product = 0;
    int32_t pivots[1] = { 0 }, info = 7;
    sdfg_rt_dot(&context, SDFG_RT_F64, 1, &two, far, &two, 1, &product);
    CHECK(product == 4);
    sdfg_rt_dot(&context, SDFG_RT_F64, 1, &two, 1, &two, far, &product);
    sdfg_rt_dot(&context, SDFG_RT_F64, 1, &two, -1, &two, far, &product);
    CHECK(product == 4);
    for (int64_t i = 0; i < ROWS; i++)
        column[i] = (double)i;
    sdfg_rt_gemv(&context, SDFG_RT_F64, ROWS, 1, column, 1, far, &two, far, result, 1, NULL, NULL);
    CHECK(result[0] == 0 && result[ROWS - 1] == 2 * (ROWS - 1));
    sdfg_rt_getrf(&context, SDFG_RT_F64, 2, 1, column + 1, 1, far, pivots, &info);
    CHECK(info == 0 && pivots[0] == 2 && column[1] == 2 && column[2] == 0.5);
    refused(&context, SDFG_RT_OK);
}

/* Matrices that have no inverse are found at the first pivot that is 0, by libraries and loops. */
TEST(zeros)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    for (int32_t type = 0; type < SDFG_RT_TYPE_COUNT; type++) {
        double complex zeros[9] = { 0 }, others[9] = { 0 };
        int32_t pivots[3], info = 7;
        struct sdfg_rt_matrix m = { others, 3, 3, 3, 1 };
        sdfg_rt_getrf(&context, type, 3, 3, zeros, 3, 1, pivots, &info);
        CHECK_INT(info, 1);
        sdfg_rt_getri(&context, type, 3, zeros, 3, 1, pivots, &info);
        CHECK_INT(info, 1);
        CHECK_INT(sdfg_rt_getrf_blocks(&context, type, &m, pivots), 1);
        CHECK_INT(sdfg_rt_getri_blocks(&context, type, &m, pivots), 1);
        refused(&context, SDFG_RT_OK);
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
    sdfg_rt_cblas_zgemv(&context, ROW_MAJOR, CONJ_TRANS, 0, 2, &one, NULL, 2, q, 1, &zero, r, 1);
    CHECK(r[0] == 0 && r[1] == 0); /* of vectors without elements */
    sdfg_rt_cblas_zgemv(&context, ROW_MAJOR, CONJ_TRANS, 2, 0, &one, NULL, 1, q, 1, &zero, NULL, 1);
    refused(&context, SDFG_RT_OK);
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
    /* layouts and triangles that are none, as LAPACKE says it */
    CHECK_INT(sdfg_rt_LAPACKE_dgetrf(&context, 100, 2, 2, d, 2, pivots), -1);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_sgetri(&context, 103, 2, s, 2, pivots), -1);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_cgetrs(&context, 0, 'N', 2, 1, ps, 2, pivots, ps, 1), -1);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_dpotrf(&context, 0, 'L', 2, d, 2), -1);
    refused(&context, SDFG_RT_BAD_VALUE);
    CHECK_INT(sdfg_rt_LAPACKE_zpotrf(&context, ROW_MAJOR, 'N', 2, p, 2), -2);
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
