#include "runtime/linalg/blas_small.h"

#include "tests/unit/check.h"
#include "tests/unit/matrices.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ANY_WAY = -1, IN_BLOCKS = 16 /* added to a level */ };

/* The elements of a matrix, row by row, or column by column. */
static number *elements(int type, const struct sdfg_rt_matrix *m, bool turned)
{
    int64_t outer = turned ? m->cols : m->rows, inner = turned ? m->rows : m->cols;
    number *all = malloc((size_t)(outer * inner) * sizeof *all);
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < inner; j++)
            all[i * inner + j] = turned ? get(type, m, j, i) : get(type, m, i, j);
    return all;
}

/* The sum of a[i] * b[i]. C's own complex product also checks for infinities, which takes most of the time. */
static number dot_of(const number *a, const number *b, int64_t n)
{
    double real = 0, imaginary = 0;
    for (int64_t i = 0; i < n; i++) {
        real += creal(a[i]) * creal(b[i]) - cimag(a[i]) * cimag(b[i]);
        imaginary += creal(a[i]) * cimag(b[i]) + cimag(a[i]) * creal(b[i]);
    }
    return real + imaginary * I;
}

/* The largest difference of an element of C from alpha * A * B + beta * old. */
static double worst_of(int type, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b,
                       const struct sdfg_rt_matrix *c, const struct sdfg_rt_matrix *old, number alpha, number beta)
{
    number *left = elements(type, a, false), *right = elements(type, b, true);
    double worst = 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            number sum = dot_of(left + i * a->cols, right + j * a->cols, a->cols);
            if (alpha != 1)
                sum *= alpha;
            if (beta != 0)
                sum += beta * get(type, old, i, j);
            number apart = get(type, c, i, j) - sum;
            double error = fabs(creal(apart)) + fabs(cimag(apart));
            worst = worse_of(worst, error);
        }
    free(left);
    free(right);
    return worst;
}

/* By sdfg_rt_gemm; with a level of blas_small.h by what is done for small products on such processors, which may refuse
 * layouts of C that are neither rows nor columns, or in blocks, for a C in rows. */
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
    else if (level >= IN_BLOCKS)
        done = sdfg_rt_blocks_run(level - IN_BLOCKS, type, &a, &b, &c, factors[0], factors[1]);
    else
        done = sdfg_rt_small_run(level, type, m, n, k, a.data, a.row_stride, a.col_stride, b.data, b.row_stride,
                                 b.col_stride, c.data, c.row_stride, c.col_stride, factors[0], factors[1]);
    CHECK(done || lc == SCATTERED || lc == BACKWARDS || m == 1 || n == 1);
    number by = scale ? get(type, &alpha, 0, 0) : 1, keeps = scale ? get(type, &beta, 0, 0) : 0;
    double worst = done ? worst_of(type, &a, &b, &c, &old, by, keeps) : 0;
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
            for (int threads = 1; threads <= 3; threads += 2) {
                const int64_t *size = sizes[s];
                check_gemm(type, size[0], size[1], size[2], ROWS, ROWS, ROWS, threads == 3, threads);
                check_gemm(type, size[0], size[1], size[2], COLUMNS, COLUMNS, PADDED_ROWS, threads == 1, threads);
            }
}

/* What this processor can run: what is faster on others, too. */
static int last_level(void)
{
    enum small_level own = sdfg_rt_small_level();
    return own == SMALL_AVX512 ? SMALL_AVX512_HALVES : (int)own;
}

/* Few rows times a matrix of more than SMALL_STREAMED bytes, which goes by a few of its rows at a time; one with more
 * of C than stays in cache, and one with fewer terms than rows that go by together. */
TEST(streamed_products)
{
    static const int64_t sizes[][3] = { { 5, 1100, 301 }, { 8, 530, 521 }, { 2, 70001, 9 }, { 16, 9001, 33 } };
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int64_t *size = sizes[s];
            for (int level = 0; level <= last_level(); level++) {
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

/* Several blocks of each extent, with parts of panels and tiles, and an A that is not copied. */
TEST(products_in_blocks)
{
    static const int64_t sizes[][3] = {
        { 263, 70, 150 }, { 31, 2100, 140 }, { 600, 11, 130 }, { 7, 5, 700 }, { 1, 1, 1 }
    };
    static const enum layout layouts[][3] = { { ROWS, ROWS, ROWS },
                                              { COLUMNS, PADDED_ROWS, PADDED_ROWS },
                                              { PADDED_ROWS, COLUMNS, ROWS },
                                              { SCATTERED, BACKWARDS, PADDED_ROWS } };
    for (int level = 0; level <= last_level(); level++)
        for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
            for (int i = 0; i < 20; i++) {
                const int64_t *size = sizes[i % 5];
                const enum layout *l = layouts[(i + type) % 4];
                check_product(level + IN_BLOCKS, type, size[0], size[1], size[2], l[0], l[1], l[2], i & 1, 1);
            }
}

/* The end of `size` bytes behind which nothing can be read or written. */
static char *memory_with_end(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    CHECK(mprotect(memory + size, page, PROT_NONE) == 0);
    return memory + size;
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
    for (int level = 0; level <= last_level(); level++)
        for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
            for (int64_t m = 1; m <= 18; m++)
                for (int64_t n = 1; n <= 105; n += n < 18 ? 1 : 9)
                    for (int i = 0; i < 5; i++) {
                        const enum layout *l = layouts[(m + n + i) % 5];
                        check_product(level, type, m, n, depths[i], l[0], l[1], l[2], (m + i) & 1, 1);
                    }
}

/* More of A than stays in the second cache, with more of B than in the first one. */
TEST(tall_products)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int level = 0; level <= last_level(); level++)
            check_product(level, type, 701, 101, 99, ROWS, level & 1 ? ROWS : PADDED_ROWS, ROWS, level == 1, 1);
}

/* A few columns more than whole vectors have, or nothing else: up to six at a time by inner products, with rows left
 * over, or in short vectors. */
TEST(products_with_columns_apart)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int level = 0; level <= last_level(); level++)
            for (int64_t n = 2; n <= 24; n = n == 8 ? 17 : n + 1)
                for (int64_t m = 4; m <= 27; m = m == 7 ? 24 : m + 1) {
                    check_product(level, type, m, n, 131, n & 1 ? ROWS : PADDED_ROWS, PADDED_ROWS, PADDED_ROWS, m & 1,
                                  1);
                    check_product(level, type, m, n, 300, ROWS, COLUMNS, ROWS, !(m & 1), 1);
                }
}

/* B ends where memory does, and so does C. */
TEST(products_at_the_end_of_memory)
{
    enum { M = 3, MOST = 40, DEPTH = 9 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (MOST * DEPTH * sizeof(double) + page - 1) / page * page;
    char *b_end = memory_with_end(size), *c_end = memory_with_end(size);
    double a[M * DEPTH];
    for (int i = 0; i < M * DEPTH; i++)
        a[i] = i % 5 - 2;
    for (int level = 0; level <= last_level(); level++)
        for (int64_t n = 1; n <= MOST; n++)
            for (int64_t k = 1; k <= DEPTH; k++) {
                double *b = (double *)(void *)b_end - n * k, *c = (double *)(void *)c_end - M * n;
                for (int64_t i = 0; i < n * k; i++)
                    b[i] = (double)(i % 7);
                CHECK(sdfg_rt_small_run(level, SDFG_RT_F64, M, n, k, a, k, 1, b, n, 1, c, n, 1, NULL, NULL));
                for (int64_t i = 0; i < M * n; i++) {
                    double sum = 0;
                    for (int64_t p = 0; p < k; p++)
                        sum += a[i / n * k + p] * b[p * n + i % n];
                    CHECK(c[i] == sum);
                }
            }
    munmap(b_end - size, size + page);
    munmap(c_end - size, size + page);
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

/* Columns of any length become rows, whatever squares and pairs they are made of. */
TEST(operands_are_turned)
{
    enum { MOST = 19 };
    static const size_t bytes[SDFG_RT_TYPE_COUNT] = { 4, 8, 8, 16 };
    static char from[MOST * (MOST + 2) * 16], to[MOST * MOST * 16 + 16];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)(i * 7 % 251);
    for (int32_t type = 0; type < SDFG_RT_TYPE_COUNT; type++)
        for (int64_t rows = 1; rows <= MOST; rows++)
            for (int64_t cols = 1; cols <= MOST; cols++) {
                struct sdfg_rt_matrix a = { from, rows, cols, 1, rows + 2 }, b = { to, rows, cols, cols, 1 };
                int64_t wrong = 0;
                memset(to, 0x55, sizeof to);
                sdfg_rt_small_copy(type, &a, &b);
                for (int64_t i = 0; i < rows; i++)
                    for (int64_t j = 0; j < cols; j++)
                        wrong += memcmp(to + (size_t)(i * cols + j) * bytes[type],
                                        from + (size_t)(i + j * (rows + 2)) * bytes[type], bytes[type]) != 0;
                CHECK_INT(wrong, 0);
                CHECK(to[(size_t)(rows * cols) * bytes[type]] == 0x55);
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

/* How far a product is from what it should be. */
static double far_product(struct sdfg_rt_matrix a, struct sdfg_rt_matrix b, struct sdfg_rt_matrix c)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t k = 0; k < a.cols; k++)
            set(SDFG_RT_F64, &a, i, k, (double)((i + k) % 5));
    for (int64_t k = 0; k < b.rows; k++)
        for (int64_t j = 0; j < b.cols; j++)
            set(SDFG_RT_F64, &b, k, j, (double)((k - j) % 3));
    sdfg_rt_gemm(&context, SDFG_RT_F64, c.rows, c.cols, a.cols, a.data, a.row_stride, a.col_stride, b.data,
                 b.row_stride, b.col_stride, c.data, c.row_stride, c.col_stride, NULL, NULL);
    CHECK_INT(context.error, 0);
    double worst = 0;
    for (int64_t i = 0; i < c.rows; i++)
        for (int64_t j = 0; j < c.cols; j++) {
            number sum = 0;
            for (int64_t k = 0; k < a.cols; k++)
                sum += get(SDFG_RT_F64, &a, i, k) * get(SDFG_RT_F64, &b, k, j);
            worst = fmax(worst, cabs(sum - get(SDFG_RT_F64, &c, i, j)));
        }
    return worst;
}

/* Two rows, or columns, that are further apart than libraries count. */
TEST(rows_that_are_far_apart)
{
    enum { M = 300, K = 200, LONG = 40000 };
    const int64_t far = (int64_t)INT32_MAX + 9;
    size_t bytes = (size_t)(far + LONG) * sizeof(double);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    static double near[M * K], result[2 * M], vector[LONG], pair[2];
    if (memory == MAP_FAILED)
        return;
    /* the far one is A, B or C; its rows or its columns are apart */
    struct sdfg_rt_matrix tall = { near, M, K, K, 1 }, wide = { near, K, M, M, 1 };
    for (int turned = 0; turned < 2; turned++) {
        int64_t one = turned ? M : 1, other = turned ? 1 : 2;
        struct sdfg_rt_matrix c_tall = { result, M, 2, other, one },
                              c_wide = { result, 2, M, turned ? 1 : M, turned ? 2 : 1 };
        CHECK(far_product((struct sdfg_rt_matrix){ memory, 2, K, far, 1 }, wide, c_wide) == 0);
        CHECK(far_product(tall, (struct sdfg_rt_matrix){ memory, K, 2, 1, far }, c_tall) == 0);
    }
    static double few[2 * K];
    struct sdfg_rt_matrix a = { few, 2, K, K, 1 };
    CHECK(far_product(a, wide, (struct sdfg_rt_matrix){ memory, 2, M, far, 1 }) == 0);
    CHECK(far_product((struct sdfg_rt_matrix){ memory, 2, LONG, far, 1 },
                      (struct sdfg_rt_matrix){ vector, LONG, 1, 1, 1 },
                      (struct sdfg_rt_matrix){ pair, 2, 1, 1, 1 }) == 0);
    munmap(memory, bytes);
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

TEST(library_by_name)
{
    const char *name = sdfg_rt_blas_name();
    if (name)
        CHECK(sdfg_rt_blas_use(name));
    CHECK(!sdfg_rt_blas_use("libsdfg_no_such_blas.so.1"));
    CHECK(sdfg_rt_blas_name() == name);
}

/* Others in the process find the library's own threads as they left them, also if calls overlap. */
TEST(threads_of_the_library)
{
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    if (!b || !b->set_num_threads)
        return;
    int before = b->get_num_threads();
    b->set_num_threads(2);
    sdfg_rt_blas_begin(b, 1);
    CHECK_INT(b->get_num_threads(), 1);
    check_gemm(SDFG_RT_F64, 200, 190, 180, ROWS, ROWS, ROWS, false, 2); /* overlaps */
    CHECK_INT(b->get_num_threads(), 1);
    sdfg_rt_blas_end(b);
    CHECK_INT(b->get_num_threads(), 2);
    check_gemm(SDFG_RT_F64, 200, 190, 180, ROWS, ROWS, ROWS, false, 1);
    check_gemv(SDFG_RT_F64, 300, 290, ROWS, 1, false, 2);
    CHECK_INT(b->get_num_threads(), 2);
    sdfg_rt_blas_begin(b, 1); /* what somebody else has set meanwhile stays */
    b->set_num_threads(2);
    sdfg_rt_blas_end(b);
    CHECK_INT(b->get_num_threads(), 2);
    b->set_num_threads(before);
}

CHECK_MAIN
