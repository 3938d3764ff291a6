/* Factorizations through Fortran LAPACK, which OpenBLAS contains. It wants column-major matrices: others are copied
 * there and back, which is little beside the work. Without a library, or with one whose products are slow,
 * lapack_blocks.c does it. */
#include "runtime/linalg/lapack.h"

#include <stdlib.h>
#include <string.h>

typedef void getrf(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
typedef void getri(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info);
typedef void getrs(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *ipiv,
                   void *b, const int *ldb, int *info, size_t trans_length);
typedef void potrf(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);

/* Rows from which threads pay, and from which our own blocks are quicker than a library whose products are slow. */
enum { THREADS_FROM = 256, PRODUCTS_FROM = 48, PRODUCTS_OF_CHOLESKY_FROM = 160, BLOCK = 64 };

/* A matrix for LAPACK, which wants column-major ones, or for our own blocks, which take all: the caller's memory or a
 * copy. */
struct work {
    int32_t type;
    struct sdfg_rt_matrix caller, own; /* own.data NULL: no memory */
    int ld;
    bool copied;
};

static bool is_column_major(const struct sdfg_rt_matrix *m)
{
    return m->row_stride == 1 && m->col_stride >= m->rows && m->col_stride > 0 && m->col_stride <= INT32_MAX;
}

/* `library`: NULL: our own blocks. `keep`: the caller's matrix must not change. */
static struct work work_begin(const struct sdfg_rt_blas *library, int32_t type, struct sdfg_rt_matrix m, bool keep)
{
    struct work w = { .type = type, .caller = m, .own = m };
    if (m.rows > INT32_MAX || m.cols > INT32_MAX) {
        w.own.data = NULL;
        return w;
    }
    bool taken = library ? is_column_major(&m) : m.row_stride == 1 || m.col_stride == 1;
    w.copied = keep || !m.data || !taken; /* what has no elements need not have memory */
    if (w.copied) {
        int64_t rows = m.rows > 0 ? m.rows : 1, cols = m.cols > 0 ? m.cols : 1;
        bool by_rows = !library && m.col_stride == 1;
        w.own = (struct sdfg_rt_matrix){ NULL, m.rows, m.cols, by_rows ? cols : 1, by_rows ? 1 : rows };
        w.own.data = malloc(sdfg_rt_type_size(type) * (size_t)rows * (size_t)cols);
        if (w.own.data)
            sdfg_rt_copy_matrix(type, &m, &w.own);
    }
    w.ld = (int)w.own.col_stride;
    return w;
}

/* Bytes from `first` up to `last`, the place behind them. */
static void extent_of(int32_t type, const struct sdfg_rt_matrix *m, const char **first, const char **last)
{
    int64_t size = (int64_t)sdfg_rt_type_size(type), low = 0, high = size;
    const int64_t spans[] = { (m->rows - 1) * m->row_stride * size, (m->cols - 1) * m->col_stride * size };
    for (int i = 0; i < 2; i++)
        *(spans[i] < 0 ? &low : &high) += spans[i];
    *first = (const char *)m->data + low;
    *last = (const char *)m->data + high;
}

/* A copy of a square matrix in the memory of the result, which may be row-major: then it is turned in the end. Memory
 * of its own, whose pages are new in each call, would cost a quarter of a factorization. */
static struct work work_in_result(const struct sdfg_rt_blas *library, int32_t type, struct sdfg_rt_matrix m,
                                  struct sdfg_rt_matrix to)
{
    const char *first, *last, *other_first, *other_last;
    struct work w = { .type = type, .caller = to, .own = to };
    if (to.row_stride != 1) {
        w.own.row_stride = to.col_stride;
        w.own.col_stride = to.row_stride;
    }
    if (m.rows < 1 || m.rows > INT32_MAX || !is_column_major(&w.own))
        return work_begin(library, type, m, true);
    extent_of(type, &m, &first, &last);
    extent_of(type, &to, &other_first, &other_last);
    if (first < other_last && other_first < last)
        return work_begin(library, type, m, true);
    sdfg_rt_copy_matrix(type, &m, &w.own);
    w.ld = (int)w.own.col_stride;
    return w;
}

/* `to` NULL: the copy is dropped. */
static void work_end(struct work *w, const struct sdfg_rt_matrix *to)
{
    if (!w->copied && to && w->own.row_stride != to->row_stride)
        sdfg_rt_turn_matrix(w->type, &w->own);
    if (!w->copied)
        return;
    if (to && w->own.data)
        sdfg_rt_copy_matrix(w->type, &w->own, to);
    free(w->own.data);
}

/* For a problem of n rows; NULL if there is none that has what is needed, or if its products, which problems of `from`
 * rows and more are made of, are slow. */
static const struct sdfg_rt_blas *library_get(int64_t n, int64_t from)
{
    const struct sdfg_rt_blas *b = n < from ? sdfg_rt_blas_get() : sdfg_rt_blas_quick();
    bool complete =
        b && b->getrf[SDFG_RT_F64] && b->getri[SDFG_RT_F64] && b->getrs[SDFG_RT_F64] && b->potrf[SDFG_RT_F64];
    return complete ? b : NULL;
}

/* With as many threads as the call may use; done with sdfg_rt_blas_end. */
static const struct sdfg_rt_blas *library_begin(const struct sdfg_rt_context *context, int64_t n, int64_t from)
{
    const struct sdfg_rt_blas *b = library_get(n, from);
    sdfg_rt_blas_begin(b, n >= THREADS_FROM ? sdfg_rt_threads(context) : 1);
    return b;
}

static void report(struct sdfg_rt_context *context, int32_t *info, int found)
{
    if (found == SDFG_RT_LAPACK_MEMORY)
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    if (info)
        *info = found;
}

/* Of an operation without result for such a matrix: where nobody asks for the code the call fails. */
static void report_failure(struct sdfg_rt_context *context, int32_t *info, int found)
{
    report(context, info, found);
    if (found > 0 && !info)
        sdfg_rt_fail(context, SDFG_RT_SINGULAR);
}

void sdfg_rt_demand(struct sdfg_rt_context *context, int64_t count, const int32_t *codes)
{
    for (int64_t i = 0; i < count; i++)
        if (codes[i] > 0)
            sdfg_rt_fail(context, SDFG_RT_SINGULAR);
}

/* Nothing is done any more once the call has failed: what the operation before was to give, as pivots, may be missing.
 */
static bool begins(struct sdfg_rt_context *context, int32_t type)
{
    bool known = type >= 0 && type < SDFG_RT_TYPE_COUNT;
    if (!known)
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
    return __atomic_load_n(&context->error, __ATOMIC_RELAXED) == SDFG_RT_OK;
}

/* ---- on column-major memory ---- */

static int factor(struct sdfg_rt_context *context, const struct sdfg_rt_blas *b, const struct work *a, int32_t *ipiv)
{
    int info = 0, m = (int)a->own.rows, n = (int)a->own.cols;
    if (m == 0 || n == 0)
        return 0;
    if (!b)
        return sdfg_rt_getrf_blocks(context, a->type, &a->own, ipiv);
    ((getrf *)b->getrf[a->type])(&m, &n, a->own.data, &a->ld, ipiv, &info);
    return info;
}

static int invert_factors(struct sdfg_rt_context *context, const struct sdfg_rt_blas *b, const struct work *a,
                          const int32_t *ipiv)
{
    int info = 0, n = (int)a->own.rows;
    if (n == 0)
        return 0;
    if (!b)
        return sdfg_rt_getri_blocks(context, a->type, &a->own, ipiv);
    int64_t size = (int64_t)n * BLOCK;
    int lwork = size <= INT32_MAX ? (int)size : n;
    void *memory = malloc(sdfg_rt_type_size(a->type) * (size_t)lwork);
    if (!memory)
        return SDFG_RT_LAPACK_MEMORY;
    ((getri *)b->getri[a->type])(&n, a->own.data, &a->ld, ipiv, memory, &lwork, &info);
    free(memory);
    return info;
}

static int solve_factors(struct sdfg_rt_context *context, const struct sdfg_rt_blas *b, const struct work *a,
                         const int32_t *ipiv, const struct work *rhs)
{
    int info = 0, n = (int)a->own.rows, nrhs = (int)rhs->own.cols;
    if (!b)
        return sdfg_rt_getrs_blocks(context, a->type, &a->own, ipiv, &rhs->own);
    ((getrs *)b->getrs[a->type])("N", &n, &nrhs, a->own.data, &a->ld, ipiv, rhs->own.data, &rhs->ld, &info, 1);
    return info;
}

static int factor_cholesky(struct sdfg_rt_context *context, const struct sdfg_rt_blas *b, const struct work *a,
                           bool lower)
{
    int info = 0, n = (int)a->own.rows;
    if (n == 0)
        return 0;
    if (!b)
        return sdfg_rt_potrf_blocks(context, a->type, &a->own, lower);
    ((potrf *)b->potrf[a->type])(lower ? "L" : "U", &n, a->own.data, &a->ld, &info, 1);
    return info;
}

/* ---- A X = B with factors of A ---- */

struct solve {
    const struct sdfg_rt_blas *library;
    const struct work *a; /* factors */
    const int32_t *ipiv;
    struct sdfg_rt_matrix b, x; /* the same memory, or apart */
    bool keep, apart;           /* B; x is not in its memory */
    int found;
};

static struct sdfg_rt_matrix columns_of(int32_t type, struct sdfg_rt_matrix m, int64_t first, int64_t count)
{
    m.data = (char *)m.data + first * m.col_stride * (int64_t)sdfg_rt_type_size(type);
    m.cols = count;
    return m;
}

/* Each thread takes some columns, and copies them where they need it. */
static void solve_columns(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    struct solve *s = data;
    int32_t type = s->a->type;
    int64_t first = s->b.cols * thread / threads, count = s->b.cols * (thread + 1) / threads - first;
    struct sdfg_rt_matrix to = columns_of(type, s->x, first, count), from = columns_of(type, s->b, first, count);
    bool copied = s->keep && s->apart && !s->library; /* where they are solved */
    if (copied)
        sdfg_rt_copy_matrix(type, &from, &to);
    struct work rhs = copied ? work_begin(NULL, type, to, false) : work_begin(s->library, type, from, s->keep);
    int found = rhs.own.data ? solve_factors(context, s->library, s->a, s->ipiv, &rhs) : SDFG_RT_LAPACK_MEMORY;
    work_end(&rhs, &to);
    if (found)
        __atomic_store_n(&s->found, found, __ATOMIC_RELAXED);
}

/* In a region of ours, or with the library's threads where there are few columns. */
static int solve_all(struct sdfg_rt_context *context, struct solve *s)
{
    const struct sdfg_rt_matrix *b = &s->b, *x = &s->x;
    const char *first, *last, *other_first, *other_last;
    if (b->rows == 0 || b->cols == 0)
        return 0;
    extent_of(s->a->type, b, &first, &last);
    extent_of(s->a->type, x, &other_first, &other_last);
    bool in_place = b->data == x->data && b->row_stride == x->row_stride && b->col_stride == x->col_stride;
    s->apart = !in_place && (first >= other_last || other_first >= last);
    bool ours = (in_place || s->apart) && (!s->library || s->library->single);
    int64_t threads = ours ? sdfg_rt_threads_for(context, s->a->type, b->rows, b->cols, b->rows) : 1;
    if (threads > 1 && b->cols >= threads) {
        sdfg_rt_blas_begin(s->library, 1);
        sdfg_rt_parallel(context, solve_columns, s, threads);
        sdfg_rt_blas_end(s->library);
        return s->found;
    }
    const struct sdfg_rt_blas *library = library_begin(context, b->rows, PRODUCTS_FROM);
    solve_columns(context, s, 0, 1);
    sdfg_rt_blas_end(library);
    return s->found;
}

/* ---- rows of abi.def ---- */

void sdfg_rt_getrf(struct sdfg_rt_context *context, int32_t type, int64_t m, int64_t n, void *a, int64_t sam,
                   int64_t san, int32_t *ipiv, int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *b = library_begin(context, n, PRODUCTS_FROM);
    struct work w = work_begin(b, type, (struct sdfg_rt_matrix){ a, m, n, sam, san }, false);
    report(context, info, w.own.data ? factor(context, b, &w, ipiv) : SDFG_RT_LAPACK_MEMORY);
    work_end(&w, &w.caller);
    sdfg_rt_blas_end(b);
}

void sdfg_rt_getri(struct sdfg_rt_context *context, int32_t type, int64_t n, void *a, int64_t sam, int64_t san,
                   const int32_t *ipiv, int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *b = library_begin(context, n, PRODUCTS_FROM);
    struct work w = work_begin(b, type, (struct sdfg_rt_matrix){ a, n, n, sam, san }, false);
    report(context, info, w.own.data ? invert_factors(context, b, &w, ipiv) : SDFG_RT_LAPACK_MEMORY);
    work_end(&w, &w.caller);
    sdfg_rt_blas_end(b);
}

void sdfg_rt_getrs(struct sdfg_rt_context *context, int32_t type, int64_t n, int64_t nrhs, const void *a, int64_t sam,
                   int64_t san, const int32_t *ipiv, void *b, int64_t sbm, int64_t sbn, int32_t *info)
{
    if (!begins(context, type))
        return;
    struct sdfg_rt_matrix rhs = { b, n, nrhs, sbm, sbn };
    const struct sdfg_rt_blas *library = library_get(n, PRODUCTS_FROM);
    struct work w = work_begin(library, type, (struct sdfg_rt_matrix){ (void *)a, n, n, sam, san }, false);
    struct solve solve = { .library = library, .a = &w, .ipiv = ipiv, .b = rhs, .x = rhs };
    report(context, info, w.own.data ? solve_all(context, &solve) : SDFG_RT_LAPACK_MEMORY);
    work_end(&w, NULL);
}

void sdfg_rt_potrf(struct sdfg_rt_context *context, int32_t type, int32_t lower, int64_t n, void *a, int64_t sam,
                   int64_t san, int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *b = library_begin(context, n, PRODUCTS_OF_CHOLESKY_FROM);
    struct work w = work_begin(b, type, (struct sdfg_rt_matrix){ a, n, n, sam, san }, false);
    report(context, info, w.own.data ? factor_cholesky(context, b, &w, lower) : SDFG_RT_LAPACK_MEMORY);
    work_end(&w, &w.caller);
    sdfg_rt_blas_end(b);
}

void sdfg_rt_solve(struct sdfg_rt_context *context, int32_t type, int64_t n, int64_t nrhs, const void *a, int64_t sam,
                   int64_t san, const void *b, int64_t sbm, int64_t sbn, void *x, int64_t sxm, int64_t sxn,
                   int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *library = library_begin(context, n, PRODUCTS_FROM);
    struct work w = work_begin(library, type, (struct sdfg_rt_matrix){ (void *)a, n, n, sam, san }, true);
    int32_t *ipiv = malloc(sizeof *ipiv * (size_t)(n > 0 ? n : 1));
    int found = w.own.data && ipiv ? factor(context, library, &w, ipiv) : SDFG_RT_LAPACK_MEMORY;
    sdfg_rt_blas_end(library);
    struct solve solve = { .library = library, .a = &w, .ipiv = ipiv, .keep = true };
    solve.b = (struct sdfg_rt_matrix){ (void *)b, n, nrhs, sbm, sbn };
    solve.x = (struct sdfg_rt_matrix){ x, n, nrhs, sxm, sxn };
    if (found == 0)
        found = solve_all(context, &solve);
    report_failure(context, info, found);
    free(ipiv);
    work_end(&w, NULL);
}

void sdfg_rt_inverse(struct sdfg_rt_context *context, int32_t type, int64_t n, const void *a, int64_t sam, int64_t san,
                     void *out, int64_t som, int64_t son, int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *b = library_begin(context, n, PRODUCTS_FROM);
    struct work w = work_begin(b, type, (struct sdfg_rt_matrix){ (void *)a, n, n, sam, san }, true);
    struct sdfg_rt_matrix to = { out, n, n, som, son };
    int32_t *ipiv = malloc(sizeof *ipiv * (size_t)(n > 0 ? n : 1));
    int found = SDFG_RT_LAPACK_MEMORY;
    if (w.own.data && ipiv) {
        found = factor(context, b, &w, ipiv);
        if (found == 0)
            found = invert_factors(context, b, &w, ipiv);
    }
    report_failure(context, info, found);
    free(ipiv);
    work_end(&w, &to);
    sdfg_rt_blas_end(b);
}

/* The other triangle of a factor. */
static void clear_triangle(const struct work *w, bool lower)
{
    bool by_rows = w->own.row_stride != 1, front = lower != by_rows;
    int64_t n = w->own.rows, step = by_rows ? w->own.row_stride : w->own.col_stride;
    size_t size = sdfg_rt_type_size(w->type);
    for (int64_t i = 0; i < n; i++) {
        int64_t first = front ? 0 : i + 1, last = front ? i : n;
        memset((char *)w->own.data + (size_t)(i * step + first) * size, 0, (size_t)(last - first) * size);
    }
}

void sdfg_rt_cholesky(struct sdfg_rt_context *context, int32_t type, int32_t lower, int64_t n, const void *a,
                      int64_t sam, int64_t san, void *out, int64_t som, int64_t son, int32_t *info)
{
    if (!begins(context, type))
        return;
    const struct sdfg_rt_blas *b = library_begin(context, n, PRODUCTS_OF_CHOLESKY_FROM);
    struct sdfg_rt_matrix to = { out, n, n, som, son };
    struct work w = work_in_result(b, type, (struct sdfg_rt_matrix){ (void *)a, n, n, sam, san }, to);
    report_failure(context, info, w.own.data ? factor_cholesky(context, b, &w, lower) : SDFG_RT_LAPACK_MEMORY);
    if (w.own.data)
        clear_triangle(&w, lower);
    work_end(&w, &to);
    sdfg_rt_blas_end(b);
}
