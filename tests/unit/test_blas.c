#include "runtime/blas_small.h"
#include "runtime/lapack.h"

#include "tests/unit/check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef double complex number;

static number get(int type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j)
{
    int64_t at = i * m->row_stride + j * m->col_stride;
    switch (type) {
    case SDFG_RT_F32:
        return ((float *)m->data)[at];
    case SDFG_RT_F64:
        return ((double *)m->data)[at];
    case SDFG_RT_C64:
        return ((float complex *)m->data)[at];
    default:
        return ((number *)m->data)[at];
    }
}

static void set(int type, const struct sdfg_rt_matrix *m, int64_t i, int64_t j, number value)
{
    int64_t at = i * m->row_stride + j * m->col_stride;
    switch (type) {
    case SDFG_RT_F32:
        ((float *)m->data)[at] = (float)creal(value);
        break;
    case SDFG_RT_F64:
        ((double *)m->data)[at] = creal(value);
        break;
    case SDFG_RT_C64:
        ((float complex *)m->data)[at] = (float complex)value;
        break;
    default:
        ((number *)m->data)[at] = value;
        break;
    }
}

static uint64_t seed = 1;
static double random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 23) - 1;
}

enum { ANY_WAY = -1 };
enum layout { ROWS, COLUMNS, PADDED_ROWS, PADDED_COLUMNS, SCATTERED, BACKWARDS, LAYOUTS };

/* Random elements; what lies between them is checked by matrix_free. */
static struct sdfg_rt_matrix matrix_new(int type, int64_t rows, int64_t cols, enum layout layout)
{
    struct sdfg_rt_matrix m = { NULL, rows, cols, cols, 1 };
    if (layout == COLUMNS)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 1, rows };
    else if (layout == PADDED_ROWS)
        m.row_stride = cols + 3;
    else if (layout == PADDED_COLUMNS)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 1, rows + 2 };
    else if (layout == SCATTERED)
        m = (struct sdfg_rt_matrix){ NULL, rows, cols, 2 * cols + 5, 2 };
    int64_t count = rows * (2 * cols + 5) + cols * (rows + 2) + 1;
    m.data = malloc((size_t)count * sizeof(number));
    memset(m.data, 0x55, (size_t)count * sizeof(number));
    if (layout == BACKWARDS) {
        m.data = (char *)m.data + (size_t)(rows * cols - 1) * sdfg_rt_type_size(type);
        m.row_stride = -cols;
        m.col_stride = -1;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            set(type, &m, i, j, random_number() + random_number() * I);
    return m;
}

static void matrix_free(int type, struct sdfg_rt_matrix m)
{
    if (m.row_stride == m.cols + 3 && m.rows > 1) {
        struct sdfg_rt_matrix gap = { (char *)m.data + (size_t)m.cols * sdfg_rt_type_size(type), 1, 1, 1, 1 };
        struct sdfg_rt_matrix same = { &(number){ 0 }, 1, 1, 1, 1 };
        memset(same.data, 0x55, sizeof(number));
        CHECK(get(type, &gap, 0, 0) == get(type, &same, 0, 0)); /* nobody wrote between the rows */
    }
    free(m.row_stride < 0 ? (char *)m.data - (size_t)(m.rows * m.cols - 1) * sdfg_rt_type_size(type) : m.data);
}

static double tolerance(int type) { return type == SDFG_RT_F32 || type == SDFG_RT_C64 ? 2e-5 : 1e-13; }

/* By sdfg_rt_gemm; with a level of blas_small.h by what is done for small products on such processors, which may refuse
 * layouts of C that are neither rows nor columns. */
static void check_product(int level, int type, int64_t m, int64_t n, int64_t k, enum layout la, enum layout lb,
                          enum layout lc, bool scale, int threads)
{
    struct sdfg_rt_context context = { .num_threads = threads };
    struct sdfg_rt_matrix a = matrix_new(type, m, k, la), b = matrix_new(type, k, n, lb),
                          c = matrix_new(type, m, n, lc);
    struct sdfg_rt_matrix old = matrix_new(type, m, n, ROWS);
    number alpha_value = 1.5 - 0.5 * I, beta_value = -0.75 + I, alpha_memory, beta_memory;
    struct sdfg_rt_matrix alpha = { &alpha_memory, 1, 1, 1, 1 }, beta = { &beta_memory, 1, 1, 1, 1 };
    set(type, &alpha, 0, 0, alpha_value);
    set(type, &beta, 0, 0, beta_value);
    for (int64_t i = 0; i < m && !scale; i++)
        for (int64_t j = 0; j < n; j++)
            set(type, &c, i, j, NAN); /* must not be read */
    sdfg_rt_copy_matrix(type, &c, &old);
    const void *factors[] = { scale ? &alpha_memory : NULL, scale ? &beta_memory : NULL };
    bool done = true;
    if (level == ANY_WAY)
        sdfg_rt_gemm(&context, type, m, n, k, a.data, a.row_stride, a.col_stride, b.data, b.row_stride, b.col_stride,
                     c.data, c.row_stride, c.col_stride, factors[0], factors[1]);
    else
        done = sdfg_rt_small_run(level, type, m, n, k, a.data, a.row_stride, a.col_stride, b.data, b.row_stride,
                                 b.col_stride, c.data, c.row_stride, c.col_stride, factors[0], factors[1]);
    CHECK(done || lc == SCATTERED || lc == BACKWARDS || m == 1 || n == 1);
    double worst = 0;
    for (int64_t i = 0; done && i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            number sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += get(type, &a, i, p) * get(type, &b, p, j);
            if (scale)
                sum = get(type, &alpha, 0, 0) * sum + get(type, &beta, 0, 0) * get(type, &old, i, j);
            double error = cabs(get(type, &c, i, j) - sum);
            worst = error <= worst ? worst : error;
        }
    CHECK(worst <= tolerance(type) * (double)(k + 1));
    CHECK_INT(context.error, 0);
    matrix_free(type, a);
    matrix_free(type, b);
    matrix_free(type, c);
    matrix_free(type, old);
}

static void check_gemm(int type, int64_t m, int64_t n, int64_t k, enum layout la, enum layout lb, enum layout lc,
                       bool scale, int threads)
{
    check_product(ANY_WAY, type, m, n, k, la, lb, lc, scale, threads);
}

TEST(gemm_layouts)
{
    printf("BLAS: %s, OpenMP: %s\n", sdfg_rt_blas_name() ? sdfg_rt_blas_name() : "none",
           sdfg_rt_openmp_name() ? sdfg_rt_openmp_name() : "none");
    static const int64_t sizes[][3] = { { 3, 4, 5 },    { 17, 9, 23 },  { 1, 40, 30 }, { 40, 1, 30 }, { 30, 40, 1 },
                                        { 1, 1, 2000 }, { 27, 43, 11 }, { 16, 24, 8 }, { 9, 16, 40 } };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int layouts = 0; layouts < LAYOUTS * LAYOUTS * LAYOUTS; layouts++)
                check_gemm(type, sizes[s][0], sizes[s][1], sizes[s][2], layouts % LAYOUTS, layouts / LAYOUTS % LAYOUTS,
                           layouts / LAYOUTS / LAYOUTS, layouts & 1, 1);
}

/* More terms than small products have, but one operand that is, also in parts for threads. */
TEST(thin_products)
{
    static const int64_t sizes[][3] = {
        { 3000, 8, 5 }, { 3000, 31, 16 }, { 3, 5000, 7 }, { 2, 300000, 2 }, { 140000, 3, 4 }
    };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int threads = 1; threads <= 3; threads++) {
                const int64_t *size = sizes[s];
                check_gemm(type, size[0], size[1], size[2], ROWS, ROWS, ROWS, threads == 2, threads);
                check_gemm(type, size[0], size[1], size[2], COLUMNS, COLUMNS, PADDED_ROWS, threads == 1, threads);
            }
}

/* Few rows times a matrix of more than SMALL_STREAMED bytes, which goes by a few of its rows at a time; one with more
 * of C than stays in cache, and one with fewer terms than rows that go by together. */
TEST(streamed_products)
{
    static const int64_t sizes[][3] = { { 5, 1100, 301 }, { 8, 530, 521 }, { 2, 70001, 9 }, { 16, 9001, 33 } };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int64_t *size = sizes[s];
            for (int level = 0; level <= (int)sdfg_rt_small_level(); level++) {
                check_product(level, type, size[0], size[1], size[2], ROWS, ROWS, ROWS, level & 1, 1);
                check_product(level, type, size[0], size[1], size[2], COLUMNS, PADDED_ROWS, PADDED_ROWS, !(level & 1),
                              1);
            }
            check_gemm(type, size[0], size[1], size[2], PADDED_ROWS, ROWS, PADDED_ROWS, s & 1, 3);
        }
}

/* Products of some size with a B that stays in cache: in every layout, and in parts for threads. */
TEST(near_products)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layouts = 0; layouts < LAYOUTS * LAYOUTS; layouts++) {
            enum layout la = layouts % LAYOUTS, lb = layouts / LAYOUTS;
            check_gemm(type, 71, 67, 45, la, lb, layouts & 1 ? ROWS : PADDED_ROWS, layouts & 2, 1);
            if (layouts % 5 == 0)
                check_gemm(type, 129, 83, 101, la, lb, layouts & 1 ? PADDED_ROWS : ROWS, layouts & 2, 2);
        }
}

/* Every shape of a tile, with parts of vectors, on every kind of processor that this one can be. */
TEST(small_products)
{
    static const int64_t depths[] = { 1, 2, 7, 33, 131 };
    static const enum layout layouts[][3] = { { ROWS, ROWS, ROWS },
                                              { COLUMNS, PADDED_ROWS, PADDED_ROWS },
                                              { PADDED_ROWS, COLUMNS, ROWS },
                                              { COLUMNS, COLUMNS, PADDED_COLUMNS },
                                              { SCATTERED, BACKWARDS, PADDED_ROWS } };
    for (int level = 0; level <= (int)sdfg_rt_small_level(); level++)
        for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
            for (int64_t m = 1; m <= 18; m++)
                for (int64_t n = 1; n <= 105; n += n < 18 ? 1 : 9)
                    for (int i = 0; i < 5; i++) {
                        const enum layout *l = layouts[(m + n + i) % 5];
                        check_product(level, type, m, n, depths[i], l[0], l[1], l[2], (m + i) & 1, 1);
                    }
}

TEST(small_products_of_nothing)
{
    double c = 5;
    CHECK(!sdfg_rt_small_run(sdfg_rt_small_level(), SDFG_RT_F64, 1, 1, 0, &c, 1, 1, &c, 1, 1, &c, 1, 1, NULL, NULL));
    CHECK(c == 5);
}

TEST(gemm_split)
{
    for (int threads = 2; threads <= 6; threads++) {
        check_gemm(SDFG_RT_F64, 130, 127, 101, ROWS, COLUMNS, PADDED_ROWS, true, threads);
        check_gemm(SDFG_RT_F32, 3, 700, 503, PADDED_ROWS, ROWS, COLUMNS, false, threads);
        check_gemm(SDFG_RT_C128, 601, 2, 900, ROWS, SCATTERED, SCATTERED, true, threads);
    }
}

TEST(gemm_edges)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    double c[4] = { 1, 2, 3, 4 }, two = 2;
    sdfg_rt_gemm(&context, SDFG_RT_F64, 2, 2, 0, NULL, 1, 1, NULL, 1, 1, c, 2, 1, NULL, &two);
    CHECK(c[0] == 2 && c[1] == 4 && c[2] == 6 && c[3] == 8);
    sdfg_rt_gemm(&context, SDFG_RT_F64, 0, 2, 3, NULL, 1, 1, NULL, 1, 1, c, 2, 1, NULL, NULL);
    CHECK(c[0] == 2);
    sdfg_rt_gemm(&context, SDFG_RT_F64, 2, 2, 0, NULL, 1, 1, NULL, 1, 1, c, 2, 1, NULL, NULL);
    CHECK(c[0] == 0 && c[3] == 0);
    sdfg_rt_gemm(&context, 17, 1, 1, 1, c, 1, 1, c, 1, 1, c, 1, 1, NULL, NULL);
    CHECK_INT(context.error, SDFG_RT_BAD_VALUE);
}

static void check_gemv(int type, int64_t m, int64_t n, enum layout layout, int64_t stride, bool scale, int threads)
{
    struct sdfg_rt_context context = { .num_threads = threads };
    struct sdfg_rt_matrix a = matrix_new(type, m, n, layout);
    struct sdfg_rt_matrix x = matrix_new(type, n, stride, ROWS), y = matrix_new(type, m, stride, ROWS), old = y;
    old.data = malloc((size_t)(m * stride) * sizeof(number));
    sdfg_rt_copy_matrix(type, &y, &old);
    number memory;
    set(type, &(struct sdfg_rt_matrix){ &memory, 1, 1, 1, 1 }, 0, 0, 0.5);
    sdfg_rt_gemv(&context, type, m, n, a.data, a.row_stride, a.col_stride, x.data, stride, y.data, stride,
                 scale ? &memory : NULL, scale ? &memory : NULL);
    double worst = 0;
    for (int64_t i = 0; i < m; i++) {
        number sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += get(type, &a, i, j) * get(type, &x, j, 0);
        sum = scale ? 0.5 * sum + 0.5 * get(type, &old, i, 0) : sum;
        worst = fmax(worst, cabs(get(type, &y, i, 0) - sum));
        for (int64_t j = 1; j < stride; j++)
            CHECK(get(type, &y, i, j) == get(type, &old, i, j));
    }
    CHECK(worst <= tolerance(type) * (double)n);
    free(old.data);
    matrix_free(type, a);
    matrix_free(type, x);
    matrix_free(type, y);
}

TEST(gemv)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int64_t stride = 1; stride <= 3; stride += 2) {
                check_gemv(type, 5, 7, layout, stride, layout & 1, 1);
                check_gemv(type, 33, 57, layout, stride, !(layout & 1), 1);
                check_gemv(type, 403, 401, layout, stride, layout & 1, 3);
            }
}

static void check_dot(int type, int64_t n, int64_t stride)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    struct sdfg_rt_matrix x = matrix_new(type, n, stride, ROWS), y = matrix_new(type, 1, n, ROWS);
    number memory, sum = 0;
    memset(&memory, 0xff, sizeof memory); /* not a number */
    sdfg_rt_dot(&context, type, n, x.data, stride, y.data, 1, &memory);
    for (int64_t i = 0; i < n; i++)
        sum += get(type, &x, i, 0) * get(type, &y, 0, i);
    CHECK(cabs(get(type, &(struct sdfg_rt_matrix){ &memory, 1, 1, 1, 1 }, 0, 0) - sum) <=
          tolerance(type) * (double)(n + 1));
    matrix_free(type, x);
    matrix_free(type, y);
}

TEST(dot)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int64_t n = 0; n < 3000; n += n < 140 ? 1 : n) {
            check_dot(type, n, 1);
            check_dot(type, n, 2);
        }
}

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
            CHECK_INT(sdfg_rt_getrf_loops(type, &loops, loop_pivots), 0);
            CHECK(memcmp(pivots, loop_pivots, sizeof pivots) == 0);
            for (int64_t i = 0; i < N * N; i++)
                CHECK(cabs(get(type, &lu, i / N, i % N) - get(type, &loops, i / N, i % N)) < 1000 * tolerance(type));
            sdfg_rt_getrs(&context, type, N, 2, lu.data, lu.row_stride, lu.col_stride, pivots, x.data, x.row_stride,
                          x.col_stride, &info);
            CHECK(info == 0 && residual(type, &a, &x, &b) < 1000 * tolerance(type));
            sdfg_rt_getrs_loops(type, &loops, pivots, &y);
            CHECK(residual(type, &a, &y, &b) < 1000 * tolerance(type));
            sdfg_rt_getri(&context, type, N, lu.data, lu.row_stride, lu.col_stride, pivots, &info);
            CHECK(info == 0 && residual(type, &a, &lu, NULL) < 1000 * tolerance(type));
            CHECK_INT(sdfg_rt_getri_loops(type, &loops, pivots), 0);
            CHECK(residual(type, &a, &loops, NULL) < 1000 * tolerance(type));
            struct sdfg_rt_matrix all[] = { a, lu, loops, b, x, y };
            for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
                matrix_free(type, all[i]);
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
        info = sdfg_rt_potrf_loops(type, &f, lower);
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
    if (!by_loops) { /* in place: the same */
        sdfg_rt_cholesky(&context, type, lower, N, a.data, a.row_stride, a.col_stride, a.data, a.row_stride,
                         a.col_stride, &info);
        for (int64_t i = 0; i < N * N; i++)
            CHECK(get(type, &a, i / N, i % N) == get(type, &f, i / N, i % N));
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

TEST(library_by_name)
{
    const char *name = sdfg_rt_blas_name();
    if (name)
        CHECK(sdfg_rt_blas_use(name));
    CHECK(!sdfg_rt_blas_use("libsdfg_no_such_blas.so.1"));
    CHECK(sdfg_rt_blas_name() == name);
}

CHECK_MAIN
