/* Matrix products: which layout is handed to the library, what is packed, and how large ones are split. */
#include "runtime/linalg/blas.h"

#include "runtime/cpu.h"
#include "runtime/linalg/blas_small.h"

#include <complex.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* of CBLAS */

/* Multiply-adds up to which a sum of products needs no library, and from which two threads are worth their fork and
 * join (each gets some microseconds; of many, which take longer to fork and join, each has to get one at least);
 * elements of a matrix from which a matrix-vector product is. Where threads sleep between regions each has to get a
 * hundred microseconds. */
enum {
    LOOPS_UP_TO = 512,
    SPLIT_FROM = 1 << 18,
    SPLIT_EACH = 1 << 15,
    SPLIT_ELEMENTS_FROM = 1 << 17,
    SPLIT_ASLEEP = 6 << 20,
    SPLIT_ELEMENTS_ASLEEP = 3 << 18,
    MOST_THREADS = 64
};

static struct sdfg_rt_matrix transposed(struct sdfg_rt_matrix m)
{
    return (struct sdfg_rt_matrix){ m.data, m.cols, m.rows, m.col_stride, m.row_stride };
}

/* The sub-matrix of `rows` x `cols` elements from (i, j) on. */
static struct sdfg_rt_matrix part(int32_t type, struct sdfg_rt_matrix m, int64_t i, int64_t rows, int64_t j,
                                  int64_t cols)
{
    m.data = (char *)m.data + (i * m.row_stride + j * m.col_stride) * (int64_t)sdfg_rt_type_size(type);
    m.rows = rows;
    m.cols = cols;
    return m;
}

/* Rows are contiguous and apart from each other: what BLAS calls row-major. */
static bool is_row_major(const struct sdfg_rt_matrix *m)
{
    bool contiguous = m->col_stride == 1 || m->cols == 1;
    return contiguous && (m->rows == 1 || (m->row_stride >= m->cols && m->row_stride <= INT32_MAX));
}

/* BLAS rejects a leading dimension below the row length even when there is one row only. */
static int leading(const struct sdfg_rt_matrix *m) { return (int)(m->rows == 1 ? m->cols : m->row_stride); }

/* A row-major copy in new memory; data is NULL if there is none. */
static struct sdfg_rt_matrix packed_like(int32_t type, const struct sdfg_rt_matrix *m)
{
    size_t size = sdfg_rt_type_size(type) * (size_t)m->rows * (size_t)m->cols;
    return (struct sdfg_rt_matrix){ malloc(size), m->rows, m->cols, m->cols, 1 };
}

/* An input as the library reads it: in place, transposed, or packed. */
struct packed_operand {
    struct sdfg_rt_matrix view; /* row-major, after `trans` is undone */
    int trans;
    void *memory; /* of the packed copy */
};

static bool operand_of(int32_t type, struct sdfg_rt_matrix m, struct packed_operand *out)
{
    struct sdfg_rt_matrix t = transposed(m);
    *out = (struct packed_operand){ m, NO_TRANS, NULL };
    if (is_row_major(&m))
        return true;
    if (is_row_major(&t)) {
        out->view = t;
        out->trans = TRANS;
        return true;
    }
    out->view = packed_like(type, &m);
    out->memory = out->view.data;
    if (!out->memory)
        return false;
    sdfg_rt_copy_matrix(type, &m, &out->view);
    return true;
}

/* ---- C = alpha A B + beta C ---- */

typedef void sgemm(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void dgemm(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void zgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                   void *, int);

struct product {
    const struct sdfg_rt_blas *blas;
    int32_t type;
    struct sdfg_rt_matrix a, b, c;
    const void *alpha, *beta;
    int64_t row_parts, col_parts; /* C is split into so many parts */
    bool registers, blocks;       /* without the library: as it is, or by parts that are brought into order */
};

static void call_gemm(const struct product *p, const struct packed_operand *a, const struct packed_operand *b,
                      const struct sdfg_rt_matrix *c)
{
    static const double complex one = 1, zero = 0;
    static const float complex one_single = 1, zero_single = 0;
    int m = (int)c->rows, n = (int)c->cols, k = (int)p->a.cols;
    int lda = leading(&a->view), ldb = leading(&b->view), ldc = leading(c);
    const void *pa = a->view.data, *pb = b->view.data;
    void *f = p->blas->gemm[p->type];
    if (p->type == SDFG_RT_F32) {
        float alpha = p->alpha ? *(const float *)p->alpha : 1, beta = p->beta ? *(const float *)p->beta : 0;
        ((sgemm *)f)(ROW_MAJOR, a->trans, b->trans, m, n, k, alpha, pa, lda, pb, ldb, beta, c->data, ldc);
    } else if (p->type == SDFG_RT_F64) {
        double alpha = p->alpha ? *(const double *)p->alpha : 1, beta = p->beta ? *(const double *)p->beta : 0;
        ((dgemm *)f)(ROW_MAJOR, a->trans, b->trans, m, n, k, alpha, pa, lda, pb, ldb, beta, c->data, ldc);
    } else {
        bool single = p->type == SDFG_RT_C64;
        const void *alpha = p->alpha ? p->alpha : single ? (const void *)&one_single : &one;
        const void *beta = p->beta ? p->beta : single ? (const void *)&zero_single : &zero;
        ((zgemm *)f)(ROW_MAJOR, a->trans, b->trans, m, n, k, alpha, pa, lda, pb, ldb, beta, c->data, ldc);
    }
}

static bool run_in_registers(const struct product *p)
{
    return sdfg_rt_small_run(sdfg_rt_small_level(), p->type, p->c.rows, p->c.cols, p->a.cols, p->a.data,
                             p->a.row_stride, p->a.col_stride, p->b.data, p->b.row_stride, p->b.col_stride, p->c.data,
                             p->c.row_stride, p->c.col_stride, p->alpha, p->beta);
}

static bool run_in_library(const struct product *p, const struct sdfg_rt_matrix *c)
{
    struct packed_operand a = { .memory = NULL }, b = { .memory = NULL };
    bool ok = operand_of(p->type, p->a, &a) && operand_of(p->type, p->b, &b);
    if (ok)
        call_gemm(p, &a, &b, c);
    free(a.memory);
    free(b.memory);
    return ok;
}

/* `c`, in rows, in the place of p->c. False: there is no memory; nothing has happened. */
static bool run_in_rows(const struct product *p, const struct sdfg_rt_matrix *c)
{
    if (p->blas)
        return run_in_library(p, c);
    return sdfg_rt_blocks_run(sdfg_rt_small_level(), p->type, &p->a, &p->b, c, p->alpha, p->beta);
}

static void run_product(const struct product *p)
{
    if (p->registers && run_in_registers(p))
        return;
    if (!p->blas && !p->blocks) {
        sdfg_rt_gemm_loops(p->type, &p->a, &p->b, &p->c, p->alpha, p->beta);
        return;
    }
    struct product q = *p;
    struct sdfg_rt_matrix turned = transposed(p->c);
    if (!is_row_major(&p->c) && is_row_major(&turned)) { /* C^T = B^T A^T */
        q.a = transposed(p->b);
        q.b = transposed(p->a);
        q.c = turned;
    }
    struct sdfg_rt_matrix c = q.c;
    void *memory = NULL;
    bool ok = true;
    if (!is_row_major(&c)) {
        c = packed_like(q.type, &q.c);
        memory = c.data;
        ok = memory != NULL;
        if (ok && q.beta)
            sdfg_rt_copy_matrix(q.type, &q.c, &c);
    }
    if (!ok || !run_in_rows(&q, &c))
        sdfg_rt_gemm_loops(q.type, &q.a, &q.b, &q.c, q.alpha, q.beta);
    else if (memory)
        sdfg_rt_copy_matrix(q.type, &c, &q.c);
    free(memory);
}

/* Part number `index` of `parts` of 0 .. count. */
static int64_t bound(int64_t count, int64_t parts, int64_t index)
{
    return count / parts * index + (index < count % parts ? index : count % parts);
}

/* A thread may have to do several parts: a region may come out smaller than asked for. */
static void run_parts(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    const struct product *p = data;
    for (int64_t index = thread; index < p->row_parts * p->col_parts; index += threads) {
        int64_t row = index / p->col_parts, col = index % p->col_parts;
        int64_t i = bound(p->c.rows, p->row_parts, row), rows = bound(p->c.rows, p->row_parts, row + 1) - i;
        int64_t j = bound(p->c.cols, p->col_parts, col), cols = bound(p->c.cols, p->col_parts, col + 1) - j;
        struct product q = *p;
        q.a = part(p->type, p->a, i, rows, 0, p->a.cols);
        q.b = part(p->type, p->b, 0, p->b.rows, j, cols);
        q.c = part(p->type, p->c, i, rows, j, cols);
        if (rows > 0 && cols > 0)
            run_product(&q);
    }
}

/* The split into `threads` parts that reads the least: of every thread's share of A and B. Of equal ones that into more
 * bands of rows, whose results lie together. */
static void choose_parts(struct product *p, int64_t threads)
{
    double least = 0;
    for (int64_t rows = 1; rows <= threads; rows++) {
        if (threads % rows != 0)
            continue;
        int64_t cols = threads / rows;
        double read = (double)p->c.rows / (double)rows + (double)p->c.cols / (double)cols;
        if (rows == 1 || read <= least) {
            least = read;
            p->row_parts = rows;
            p->col_parts = cols;
        }
    }
}

int64_t sdfg_rt_threads(const struct sdfg_rt_context *context)
{
    if (context->num_threads == 1 || sdfg_rt_in_parallel())
        return 1;
    int64_t threads = context->num_threads > 0 ? context->num_threads : sdfg_rt_default_threads();
    return threads < MOST_THREADS ? threads : MOST_THREADS; /* OpenBLAS has buffers for so many callers at a time */
}

/* Does it pay to share so many multiply-adds of real numbers out? `from`: if threads wait for work. If they sleep, it
 * has to be more, and as numbers of four bytes take half of the time, that is given for eight bytes. */
static bool pays(struct sdfg_rt_context *context, int32_t type, double work, double from, double asleep)
{
    bool is_double = type == SDFG_RT_F64 || type == SDFG_RT_C128;
    return work >= from && (work >= (is_double ? 1 : 2) * asleep || !sdfg_rt_threads_sleep(context));
}

static bool known_type(struct sdfg_rt_context *context, int32_t type)
{
    bool known = type >= 0 && type < SDFG_RT_TYPE_COUNT;
    if (!known)
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
    return known;
}

static bool is_complex(int32_t type) { return type == SDFG_RT_C64 || type == SDFG_RT_C128; }

/* Multiply-adds of real numbers. */
static double work_of(int32_t type, int64_t m, int64_t n, int64_t k)
{
    return (double)m * (double)n * (double)k * (is_complex(type) ? 4 : 1);
}

int64_t sdfg_rt_threads_for(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, int64_t k)
{
    double work = work_of(type, m, n, k);
    if (work < SPLIT_FROM)
        return 1;
    int64_t threads = sdfg_rt_threads(context);
    return pays(context, type, work, (double)threads * SPLIT_EACH, SPLIT_ASLEEP) ? threads : 1;
}

/* B stays in the second cache as it is, so that bringing it into another order gains nothing; that its rows are turned
 * first does not count where many rows of A use them. Columns of A are as good as rows, but the library does not bring
 * these into another order either if the product is small. Measured where vectors have 64 bytes. */
static bool is_near(const struct product *p)
{
    enum { NEAR = CPU_SECOND_CACHE / 8 * 3, ROW = 64, MANY_ROWS = 64, LARGE = 1 << 20 };
    int64_t size = (int64_t)sdfg_rt_type_size(p->type);
    double numbers = (double)p->b.rows * (double)p->b.cols;
    bool fits = numbers * (double)size <= NEAR && p->b.cols * size >= ROW, in_rows = p->a.col_stride == 1;
    bool turns = p->b.row_stride == 1 && p->c.rows >= MANY_ROWS && !is_complex(p->type) && in_rows;
    bool orders = p->b.col_stride == 1 && (in_rows || numbers * (double)p->c.rows > LARGE);
    return fits && (orders || turns) && sdfg_rt_small_level() >= SMALL_AVX512;
}

/* Tall A with a B that stays in the first cache, or few rows of C whose B is so flat or so large that it goes by once:
 * nothing is used again that the library could bring into a better order. */
static bool is_thin(const struct product *p)
{
    enum { FEW_NUMBERS = 512, FEW_ROWS = 8, FEW_TERMS = 16, COLUMN = 64 };
    int64_t parts = is_complex(p->type) ? 2 : 1, size = (int64_t)sdfg_rt_type_size(p->type);
    double numbers = (double)p->b.rows * (double)p->b.cols * (double)parts;
    bool flat = p->c.rows * parts <= FEW_ROWS && p->a.cols <= FEW_TERMS;
    bool streamed = p->c.rows * size <= COLUMN && p->b.cols * size > SMALL_ROW &&
                    numbers * (double)(size / parts) >= SMALL_STREAMED;
    bool in_rows = p->b.col_stride == 1 && (flat || streamed);
    return numbers <= FEW_NUMBERS || in_rows;
}

static bool goes_through_registers(const struct product *p)
{
    return p->a.cols > 0 && p->c.col_stride == 1 && (is_thin(p) || is_near(p));
}

/* Without a library: few rows of A use B, or B stays in the second cache, so that copies would take longer than they
 * save. */
static bool needs_no_order(const struct product *p)
{
    enum { NEAR = CPU_SECOND_CACHE / 2, FEW_ROWS = 32 };
    int64_t size = (int64_t)sdfg_rt_type_size(p->type);
    bool in_rows = p->a.col_stride == 1 && p->b.col_stride == 1 && p->c.col_stride == 1;
    bool few = p->c.rows <= FEW_ROWS && p->b.cols * size > SMALL_ROW;
    return in_rows && (few || (double)p->b.rows * (double)p->b.cols * (double)size <= NEAR);
}

void sdfg_rt_gemm(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, int64_t k, const void *a,
                  int64_t sam, int64_t sak, const void *b, int64_t sbk, int64_t sbn, void *c, int64_t scm, int64_t scn,
                  const void *alpha, const void *beta)
{
    if (m <= 0 || n <= 0 || !known_type(context, type))
        return;
    if (n == 1 && m > 1) {
        sdfg_rt_gemv(context, type, m, k, a, sam, sak, b, sbk, c, scm, alpha, beta);
        return;
    }
    if (m == 1 && n > 1) { /* C^T = B^T A^T */
        sdfg_rt_gemv(context, type, n, k, b, sbn, sbk, a, sak, c, scn, alpha, beta);
        return;
    }
    double work = work_of(type, m, n, k);
    if (work <= SDFG_RT_SMALL_PRODUCT &&
        sdfg_rt_small_run(sdfg_rt_small_level(), type, m, n, k, a, sam, sak, b, sbk, sbn, c, scm, scn, alpha, beta))
        return;
    struct product p = { .type = type, .alpha = alpha, .beta = beta, .row_parts = 1, .col_parts = 1 };
    p.a = (struct sdfg_rt_matrix){ (void *)a, m, k > 0 ? k : 0, sam, sak };
    p.b = (struct sdfg_rt_matrix){ (void *)b, k > 0 ? k : 0, n, sbk, sbn };
    p.c = (struct sdfg_rt_matrix){ c, m, n, scm, scn };
    bool fits = m <= INT32_MAX && n <= INT32_MAX && k <= INT32_MAX;
    p.registers = goes_through_registers(&p);
    if (work > LOOPS_UP_TO && fits && !p.registers)
        p.blas = sdfg_rt_blas_quick();
    p.blocks = work > LOOPS_UP_TO && !p.blas;
    p.registers = p.registers || (p.blocks && needs_no_order(&p));
    bool ours = p.registers || p.blocks || (p.blas && p.blas->single); /* threads are */
    int64_t threads = ours ? sdfg_rt_threads_for(context, type, m, n, k) : 1;
    sdfg_rt_blas_begin(p.blas, 1);
    if (threads == 1) {
        run_product(&p);
    } else {
        choose_parts(&p, threads);
        sdfg_rt_parallel(context, run_parts, &p, threads);
    }
    sdfg_rt_blas_end(p.blas);
}

/* ---- y = alpha A x + beta y ---- */

typedef void sgemv(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void dgemv(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void zgemv(int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);

/* As a product with one column, where there is no library or its gemv cannot: p->b is x, p->c is y. */
static void run_vector(const struct product *p)
{
    if (!p->blas) {
        run_product(p);
        return;
    }
    static const double complex one = 1, zero = 0;
    static const float complex one_single = 1, zero_single = 0;
    struct sdfg_rt_matrix a = p->a, turned = transposed(p->a);
    int64_t sx = p->b.row_stride, sy = p->c.row_stride;
    int trans = is_row_major(&a) ? NO_TRANS : TRANS;
    if (trans == TRANS)
        a = turned;
    if (!is_row_major(&a) || sx <= 0 || sy <= 0 || sx > INT32_MAX || sy > INT32_MAX) {
        run_product(p);
        return;
    }
    int m = (int)a.rows, n = (int)a.cols, lda = leading(&a), incx = (int)sx, incy = (int)sy;
    void *f = p->blas->gemv[p->type], *y = p->c.data;
    const void *x = p->b.data;
    if (p->type == SDFG_RT_F32) {
        float alpha = p->alpha ? *(const float *)p->alpha : 1, beta = p->beta ? *(const float *)p->beta : 0;
        ((sgemv *)f)(ROW_MAJOR, trans, m, n, alpha, a.data, lda, x, incx, beta, y, incy);
    } else if (p->type == SDFG_RT_F64) {
        double alpha = p->alpha ? *(const double *)p->alpha : 1, beta = p->beta ? *(const double *)p->beta : 0;
        ((dgemv *)f)(ROW_MAJOR, trans, m, n, alpha, a.data, lda, x, incx, beta, y, incy);
    } else {
        bool single = p->type == SDFG_RT_C64;
        const void *alpha = p->alpha ? p->alpha : single ? (const void *)&one_single : &one;
        const void *beta = p->beta ? p->beta : single ? (const void *)&zero_single : &zero;
        ((zgemv *)f)(ROW_MAJOR, trans, m, n, alpha, a.data, lda, x, incx, beta, y, incy);
    }
}

static void run_vector_part(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    (void)context;
    const struct product *p = data;
    struct product q = *p;
    int64_t i = bound(p->c.rows, threads, thread), rows = bound(p->c.rows, threads, thread + 1) - i;
    q.a = part(p->type, p->a, i, rows, 0, p->a.cols);
    q.c = part(p->type, p->c, i, rows, 0, 1);
    if (rows > 0)
        run_vector(&q);
}

void sdfg_rt_gemv(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, const void *a, int64_t sam,
                  int64_t san, const void *x, int64_t sx, void *y, int64_t sy, const void *alpha, const void *beta)
{
    if (m <= 0 || !known_type(context, type))
        return;
    double work = work_of(type, m, 1, n);
    if (work <= SDFG_RT_SMALL_PRODUCT &&
        sdfg_rt_small_run(sdfg_rt_small_level(), type, m, 1, n, a, sam, san, x, sx, sx, y, sy, 1, alpha, beta))
        return;
    struct product p = { .type = type, .alpha = alpha, .beta = beta };
    p.a = (struct sdfg_rt_matrix){ (void *)a, m, n > 0 ? n : 0, sam, san };
    p.b = (struct sdfg_rt_matrix){ (void *)x, n > 0 ? n : 0, 1, sx, 1 };
    p.c = (struct sdfg_rt_matrix){ y, m, 1, sy, 1 };
    if (work > LOOPS_UP_TO && m <= INT32_MAX && n <= INT32_MAX)
        p.blas = sdfg_rt_blas_quick();
    p.registers = !p.blas;
    bool shared = (!p.blas || p.blas->single) && pays(context, type, work, SPLIT_ELEMENTS_FROM, SPLIT_ELEMENTS_ASLEEP);
    int64_t threads = shared ? sdfg_rt_threads(context) : 1;
    sdfg_rt_blas_begin(p.blas, 1);
    if (threads > 1 && m >= threads)
        sdfg_rt_parallel(context, run_vector_part, &p, threads);
    else
        run_vector(&p);
    sdfg_rt_blas_end(p.blas);
}

/* ---- x . y ---- */

typedef float sdot(int, const void *, int, const void *, int);
typedef double ddot(int, const void *, int, const void *, int);
typedef void zdotu(int, const void *, int, const void *, int, void *);

void sdfg_rt_dot(struct sdfg_rt_context *context, int32_t type, int64_t n, const void *x, int64_t sx, const void *y,
                 int64_t sy, void *result)
{
    if (!known_type(context, type))
        return;
    if (sx == 1 && sy == 1 && /* as quick as the library, whatever the length */
        sdfg_rt_small_run(sdfg_rt_small_level(), type, 1, 1, n, x, n, 1, y, 1, 1, result, 1, 1, NULL, NULL))
        return;
    bool fits = n <= INT32_MAX && sx > 0 && sy > 0 && sx <= INT32_MAX && sy <= INT32_MAX;
    const struct sdfg_rt_blas *b = fits && n > LOOPS_UP_TO ? sdfg_rt_blas_get() : NULL;
    if (!b) {
        sdfg_rt_dot_loops(type, n, x, sx, y, sy, result);
        return;
    }
    void *f = b->dot[type];
    sdfg_rt_blas_begin(b, 1);
    if (type == SDFG_RT_F32)
        *(float *)result = ((sdot *)f)((int)n, x, (int)sx, y, (int)sy);
    else if (type == SDFG_RT_F64)
        *(double *)result = ((ddot *)f)((int)n, x, (int)sx, y, (int)sy);
    else
        ((zdotu *)f)((int)n, x, (int)sx, y, (int)sy, result);
    sdfg_rt_blas_end(b);
}
