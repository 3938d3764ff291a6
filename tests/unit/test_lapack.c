#include "runtime/linalg/lapack.h"

#include "tests/unit/check.h"
#include "tests/unit/matrices.h"

#include <math.h>

/* Greatest |A X - B|. */
static double residual(int type, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *x,
                       const struct sdfg_rt_matrix *b)
{
    double worst = 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < x->cols; j++) {
            number sum = b ? -get(type, b, i, j) : -(i == j);
            for (int64_t k = 0; k < a->cols; k++)
                sum += get(type, a, i, k) * get(type, x, k, j);
            worst = fmax(worst, cabs(sum));
        }
    return worst;
}

static struct sdfg_rt_matrix regular(int type, int64_t n, enum layout layout)
{
    struct sdfg_rt_matrix a = matrix_new(type, n, n, layout);
    for (int64_t i = 0; i < n; i++) /* some pivots must be looked for, but the condition stays good */
        set(type, &a, i, (i + 1) % n, get(type, &a, i, (i + 1) % n) + (double)n);
    return a;
}

TEST(solve_and_inverse)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int64_t n = 1; n < 50; n += 12) {
                struct sdfg_rt_matrix a = regular(type, n, layout), b = matrix_new(type, n, 3, (layout + 1) % LAYOUTS);
                struct sdfg_rt_matrix x = matrix_new(type, n, 3, (layout + 2) % LAYOUTS),
                                      inv = matrix_new(type, n, n, layout);
                int32_t info = -1;
                sdfg_rt_solve(&context, type, n, 3, a.data, a.row_stride, a.col_stride, b.data, b.row_stride,
                              b.col_stride, x.data, x.row_stride, x.col_stride, &info);
                CHECK_INT(info, 0);
                CHECK(residual(type, &a, &x, &b) <= 50 * tolerance(type) * (double)n);
                sdfg_rt_inverse(&context, type, n, a.data, a.row_stride, a.col_stride, inv.data, inv.row_stride,
                                inv.col_stride, NULL);
                CHECK(residual(type, &a, &inv, NULL) <= 50 * tolerance(type) * (double)n);
                matrix_free(type, a);
                matrix_free(type, b);
                matrix_free(type, x);
                matrix_free(type, inv);
            }
    double singular[4] = { 1, 2, 2, 4 }, right[2] = { 1, 1 }, out[2];
    int32_t info = 0;
    sdfg_rt_solve(&context, SDFG_RT_F64, 2, 1, singular, 2, 1, right, 1, 1, out, 1, 1, &info);
    CHECK_INT(info, 2);
    sdfg_rt_solve(&context, SDFG_RT_F64, 0, 1, NULL, 1, 1, NULL, 1, 1, NULL, 1, 1, &info);
    CHECK_INT(info, 0);
    sdfg_rt_solve(&context, SDFG_RT_F64, 1, 0, singular, 1, 1, NULL, 1, 1, NULL, 1, 1, &info);
    CHECK_INT(info, 0);
}

/* X = A^-1 B with as many columns as threads share out; x may lie in the memory of b. */
static void check_columns(int type, const struct sdfg_rt_matrix *a, struct sdfg_rt_matrix b, struct sdfg_rt_matrix x)
{
    struct sdfg_rt_context context = { .num_threads = 3 };
    struct sdfg_rt_matrix kept = matrix_new(type, b.rows, b.cols, ROWS);
    int32_t info = -1;
    sdfg_rt_copy_matrix(type, &b, &kept);
    sdfg_rt_solve(&context, type, a->rows, b.cols, a->data, a->row_stride, a->col_stride, b.data, b.row_stride,
                  b.col_stride, x.data, x.row_stride, x.col_stride, &info);
    CHECK_INT(info, 0);
    CHECK_INT(context.error, 0);
    CHECK(residual(type, a, &x, &kept) <= 50 * tolerance(type) * (double)a->rows);
    matrix_free(type, kept);
}

TEST(columns_are_shared_out)
{
    enum { N = 131, FEW = 2, MANY = 83 };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct sdfg_rt_matrix a = regular(type, N, layout), few = matrix_new(type, N, FEW, layout);
            struct sdfg_rt_matrix b = matrix_new(type, N, MANY, layout);
            struct sdfg_rt_matrix x = matrix_new(type, N, MANY, (layout + 1) % LAYOUTS);
            check_columns(type, &a, b, x);
            check_columns(type, &a, few, few);
            check_columns(type, &a, b, b);
            matrix_free(type, a);
            matrix_free(type, b);
            matrix_free(type, x);
            matrix_free(type, few);
        }
    /* a result that lies across its right-hand side: columns of the one are rows of the other */
    struct sdfg_rt_matrix a = regular(SDFG_RT_F64, N, ROWS), b = matrix_new(SDFG_RT_F64, N, N, ROWS), x = b;
    x.row_stride = 1;
    x.col_stride = N;
    check_columns(SDFG_RT_F64, &a, b, x);
    matrix_free(SDFG_RT_F64, a);
    matrix_free(SDFG_RT_F64, b);
}

/* So many that threads that sleep are woken up for them. */
TEST(many_columns)
{
    enum { N = 193, MANY = 200 };
    struct sdfg_rt_matrix a = regular(SDFG_RT_F64, N, ROWS), b = matrix_new(SDFG_RT_F64, N, MANY, ROWS);
    struct sdfg_rt_matrix x = matrix_new(SDFG_RT_F64, N, MANY, COLUMNS);
    check_columns(SDFG_RT_F64, &a, b, x);
    check_columns(SDFG_RT_F64, &a, b, b);
    matrix_free(SDFG_RT_F64, a);
    matrix_free(SDFG_RT_F64, b);
    matrix_free(SDFG_RT_F64, x);
}

/* The steps by themselves, with the library and by loops: pivots and factors must be the same. */
TEST(factors)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    enum { N = 19 };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct sdfg_rt_matrix a = regular(type, N, layout), lu = matrix_new(type, N, N, layout);
            struct sdfg_rt_matrix loops = matrix_new(type, N, N, ROWS);
            struct sdfg_rt_matrix b = matrix_new(type, N, 2, layout), x = matrix_new(type, N, 2, layout);
            struct sdfg_rt_matrix y = matrix_new(type, N, 2, layout);
            int32_t pivots[N], loop_pivots[N], info = -1;
            sdfg_rt_copy_matrix(type, &a, &lu);
            sdfg_rt_copy_matrix(type, &a, &loops);
            sdfg_rt_copy_matrix(type, &b, &x);
            sdfg_rt_copy_matrix(type, &b, &y);
            sdfg_rt_getrf(&context, type, N, N, lu.data, lu.row_stride, lu.col_stride, pivots, &info);
            CHECK_INT(info, 0);
            CHECK_INT(sdfg_rt_getrf_blocks(&context, type, &loops, loop_pivots), 0);
            CHECK(memcmp(pivots, loop_pivots, sizeof pivots) == 0);
            for (int64_t i = 0; i < N * N; i++)
                CHECK(cabs(get(type, &lu, i / N, i % N) - get(type, &loops, i / N, i % N)) < 1000 * tolerance(type));
            sdfg_rt_getrs(&context, type, N, 2, lu.data, lu.row_stride, lu.col_stride, pivots, x.data, x.row_stride,
                          x.col_stride, &info);
            CHECK(info == 0 && residual(type, &a, &x, &b) < 1000 * tolerance(type));
            sdfg_rt_getrs_blocks(&context, type, &loops, pivots, &y);
            CHECK(residual(type, &a, &y, &b) < 1000 * tolerance(type));
            sdfg_rt_getri(&context, type, N, lu.data, lu.row_stride, lu.col_stride, pivots, &info);
            CHECK(info == 0 && residual(type, &a, &lu, NULL) < 1000 * tolerance(type));
            CHECK_INT(sdfg_rt_getri_blocks(&context, type, &loops, pivots), 0);
            CHECK(residual(type, &a, &loops, NULL) < 1000 * tolerance(type));
            struct sdfg_rt_matrix all[] = { a, lu, loops, b, x, y };
            for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                matrix_free(type, all[i]);
        }
}

/* The greatest difference of L U from A with its rows in the order of the pivots, which changes A. */
static double factors_apart(int type, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *lu,
                            const int32_t *pivots)
{
    int64_t m = a->rows, n = a->cols, steps = m < n ? m : n;
    double worst = 0;
    for (int64_t i = 0; i < steps; i++)
        for (int64_t j = 0; j < n; j++) {
            number one = get(type, a, i, j);
            set(type, a, i, j, get(type, a, pivots[i] - 1, j));
            set(type, a, pivots[i] - 1, j, one);
        }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            number sum = -get(type, a, i, j);
            for (int64_t k = 0; k < steps && k <= i && k <= j; k++)
                sum += (k == i ? 1 : get(type, lu, i, k)) * get(type, lu, k, j);
            worst = fmax(worst, cabs(sum));
        }
    return worst;
}

TEST(factors_of_any_shape)
{
    static const int64_t shapes[][2] = {
        { 40, 70 }, { 70, 40 }, { 9, 90 }, { 90, 9 }, { 130, 130 }, { 5, 60 }, { 1, 9 }
    };
    struct sdfg_rt_context context = { .num_threads = 2 };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            enum layout layout = (enum layout)((size_t)type + s) % LAYOUTS;
            struct sdfg_rt_matrix a = matrix_new(type, shapes[s][0], shapes[s][1], layout);
            struct sdfg_rt_matrix lu = matrix_new(type, shapes[s][0], shapes[s][1], layout);
            int32_t pivots[130];
            sdfg_rt_copy_matrix(type, &a, &lu);
            CHECK_INT(sdfg_rt_getrf_blocks(&context, type, &lu, pivots), 0);
            CHECK(factors_apart(type, &a, &lu, pivots) < 1000 * tolerance(type));
            matrix_free(type, a);
            matrix_free(type, lu);
        }
}

/* Columns 20 and 33 are 0: the code tells of the first one, and the others are factors all the same. */
TEST(columns_of_zeros)
{
    enum { N = 40 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++) {
        struct sdfg_rt_matrix a = regular(type, N, COLUMNS), lu = matrix_new(type, N, N, ROWS);
        int32_t pivots[N];
        for (int64_t i = 0; i < N; i++) {
            set(type, &a, i, 20, 0);
            set(type, &a, i, 33, 0);
        }
        sdfg_rt_copy_matrix(type, &a, &lu);
        CHECK_INT(sdfg_rt_getrf_blocks(&context, type, &lu, pivots), 21);
        CHECK(factors_apart(type, &a, &lu, pivots) < 1000 * tolerance(type));
        CHECK_INT(sdfg_rt_getri_blocks(&context, type, &lu, pivots), 21);
        matrix_free(type, a);
        matrix_free(type, lu);
    }
}

/* A = M M^H + N; the factor times its conjugate transpose gives A again. */
static void check_cholesky(int type, enum layout layout, bool lower, bool by_loops)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    enum { N = 45 }; /* more than a tile of what turns matrices */
    struct sdfg_rt_matrix m = matrix_new(type, N, N, ROWS), a = matrix_new(type, N, N, layout),
                          f = matrix_new(type, N, N, layout);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            number sum = i == j ? N : 0;
            for (int64_t k = 0; k < N; k++)
                sum += get(type, &m, i, k) * conj(get(type, &m, j, k));
            set(type, &a, i, j, sum);
        }
    sdfg_rt_copy_matrix(type, &a, &f);
    int32_t info = -1;
    if (by_loops)
        info = sdfg_rt_potrf_blocks(&context, type, &f, lower);
    else
        sdfg_rt_cholesky(&context, type, lower, N, a.data, a.row_stride, a.col_stride, f.data, f.row_stride,
                         f.col_stride, &info);
    CHECK_INT(info, 0);
    double worst = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            bool outside = lower ? j > i : j < i;
            if (outside)
                CHECK(get(type, &f, i, j) == (by_loops ? get(type, &a, i, j) : 0));
            number sum = -get(type, &a, i, j);
            for (int64_t k = 0; k <= (i < j ? i : j); k++)
                sum += lower ? get(type, &f, i, k) * conj(get(type, &f, j, k))
                             : conj(get(type, &f, k, i)) * get(type, &f, k, j);
            worst = fmax(worst, cabs(sum));
        }
    CHECK(worst < 5000 * tolerance(type));
    if (!by_loops) { /* in place: the same, but for the order of sums, which a library chooses by alignment */
        sdfg_rt_cholesky(&context, type, lower, N, a.data, a.row_stride, a.col_stride, a.data, a.row_stride,
                         a.col_stride, &info);
        for (int64_t i = 0; i < N * N; i++)
            CHECK(cabs(get(type, &a, i / N, i % N) - get(type, &f, i / N, i % N)) <= 50 * tolerance(type) * N);
    }
    matrix_free(type, m);
    matrix_free(type, a);
    matrix_free(type, f);
}

TEST(cholesky)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int form = 0; form < 4; form++)
                check_cholesky(type, layout, form & 1, form & 2);
    struct sdfg_rt_context context = { .num_threads = 1 };
    double indefinite[4] = { 1, 2, 2, 1 };
    int32_t info = 0;
    sdfg_rt_potrf(&context, SDFG_RT_F64, 1, 2, indefinite, 2, 1, &info);
    CHECK_INT(info, 2);
}

/* Where nobody asks for LAPACK's code, a matrix without inverse fails the call. */
TEST(singular_matrices)
{
    const double zeros[4] = { 1, 2, 2, 4 }, right[2] = { 1, 1 };
    double x[4];
    int32_t info = 0;
    struct sdfg_rt_context asked = { .num_threads = 1 }, solves = asked, inverts = asked, factors = asked;
    sdfg_rt_solve(&asked, SDFG_RT_F64, 2, 1, zeros, 2, 1, right, 1, 1, x, 1, 1, &info);
    CHECK_INT(info, 2);
    CHECK_INT(asked.error, SDFG_RT_OK);
    sdfg_rt_solve(&solves, SDFG_RT_F64, 2, 1, zeros, 2, 1, right, 1, 1, x, 1, 1, NULL);
    CHECK_INT(solves.error, SDFG_RT_SINGULAR);
    sdfg_rt_inverse(&inverts, SDFG_RT_F64, 2, zeros, 2, 1, x, 2, 1, NULL);
    CHECK_INT(inverts.error, SDFG_RT_SINGULAR);
    sdfg_rt_cholesky(&factors, SDFG_RT_F64, 1, 2, (const double[]){ 1, 2, 2, 1 }, 2, 1, x, 2, 1, NULL);
    CHECK_INT(factors.error, SDFG_RT_SINGULAR);
}

TEST(codes_that_are_asked_for_later)
{
    struct sdfg_rt_context good = { .num_threads = 1 }, bad = good;
    sdfg_rt_demand(&good, 3, (const int32_t[]){ 0, -1, 0, 7 });
    CHECK_INT(good.error, SDFG_RT_OK);
    sdfg_rt_demand(&bad, 3, (const int32_t[]){ 0, 2, 0 });
    CHECK_INT(bad.error, SDFG_RT_SINGULAR);
}

CHECK_MAIN
