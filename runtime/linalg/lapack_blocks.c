/* Factorizations without a library. Each halves its matrix until little is left, so that almost all work is products
 * (F. Gustavson: Recursion leads to automatic variable blocking for dense linear-algebra algorithms, IBM J. Res. Dev.
 * 41, 1997). */
#include "runtime/linalg/lapack_parts.h"

#include <stdlib.h>

/* Columns of a factorization with pivots, and rows and columns of the other parts, that are not halved. */
enum { FEW_COLUMNS = 8, FEW = 16 };

struct factoring {
    struct sdfg_rt_context *context;
    int32_t type;
    const struct lapack_parts *parts;
    void *conjugated; /* memory for the conjugate of a quarter of the matrix, of complex numbers */
};

static struct factoring factoring_of(struct sdfg_rt_context *context, int32_t type)
{
    return (struct factoring){ context, type, sdfg_rt_lapack_parts(type), NULL };
}

static struct sdfg_rt_matrix part(const struct factoring *f, const struct sdfg_rt_matrix *m, int64_t i, int64_t rows,
                                  int64_t j, int64_t cols)
{
    int64_t at = (i * m->row_stride + j * m->col_stride) * (int64_t)sdfg_rt_type_size(f->type);
    return (struct sdfg_rt_matrix){ (char *)m->data + at, rows, cols, m->row_stride, m->col_stride };
}

/* C -= A B */
static void less_product(const struct factoring *f, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b,
                         const struct sdfg_rt_matrix *c)
{
    static const float single[2][2] = { { -1, 0 }, { 1, 0 } };
    static const double twice[2][2] = { { -1, 0 }, { 1, 0 } };
    bool is_single = f->type == SDFG_RT_F32 || f->type == SDFG_RT_C64;
    const void *minus = is_single ? (const void *)single[0] : twice[0],
               *one = is_single ? (const void *)single[1] : twice[1];
    if (a->cols > 0)
        sdfg_rt_gemm(f->context, f->type, c->rows, c->cols, a->cols, a->data, a->row_stride, a->col_stride, b->data,
                     b->row_stride, b->col_stride, c->data, c->row_stride, c->col_stride, minus, one);
}

/* C -= A B^H */
static void less_product_with_conjugate(const struct factoring *f, const struct sdfg_rt_matrix *a,
                                        const struct sdfg_rt_matrix *b, const struct sdfg_rt_matrix *c)
{
    struct sdfg_rt_matrix turned = { b->data, b->cols, b->rows, b->col_stride, b->row_stride };
    if (f->conjugated) {
        f->parts->conjugate(b, f->conjugated);
        turned = (struct sdfg_rt_matrix){ f->conjugated, b->cols, b->rows, 1, b->cols };
    }
    less_product(f, a, &turned, c);
}

/* ---- triangles ---- */

static void solve_lower(const struct factoring *f, const struct sdfg_rt_matrix *l, const struct sdfg_rt_matrix *b)
{
    int64_t n = l->rows, half = n / 2;
    if (n <= FEW) {
        f->parts->solve_lower(l, b);
        return;
    }
    struct sdfg_rt_matrix first = part(f, l, 0, half, 0, half), under = part(f, l, half, n - half, 0, half);
    struct sdfg_rt_matrix second = part(f, l, half, n - half, half, n - half);
    struct sdfg_rt_matrix above = part(f, b, 0, half, 0, b->cols), below = part(f, b, half, n - half, 0, b->cols);
    solve_lower(f, &first, &above);
    less_product(f, &under, &above, &below);
    solve_lower(f, &second, &below);
}

static void solve_upper(const struct factoring *f, const struct sdfg_rt_matrix *u, const struct sdfg_rt_matrix *b)
{
    int64_t n = u->rows, half = n / 2;
    if (n <= FEW) {
        f->parts->solve_upper(u, b);
        return;
    }
    struct sdfg_rt_matrix first = part(f, u, 0, half, 0, half), beside = part(f, u, 0, half, half, n - half);
    struct sdfg_rt_matrix second = part(f, u, half, n - half, half, n - half);
    struct sdfg_rt_matrix above = part(f, b, 0, half, 0, b->cols), below = part(f, b, half, n - half, 0, b->cols);
    solve_upper(f, &second, &below);
    less_product(f, &beside, &below, &above);
    solve_upper(f, &first, &above);
}

/* B = B L^-H */
static void divide(const struct factoring *f, const struct sdfg_rt_matrix *l, const struct sdfg_rt_matrix *b)
{
    int64_t n = l->rows, half = n / 2;
    if (n <= FEW) {
        f->parts->divide(l, b);
        return;
    }
    struct sdfg_rt_matrix first = part(f, l, 0, half, 0, half), under = part(f, l, half, n - half, 0, half);
    struct sdfg_rt_matrix second = part(f, l, half, n - half, half, n - half);
    struct sdfg_rt_matrix left = part(f, b, 0, b->rows, 0, half), right = part(f, b, 0, b->rows, half, n - half);
    divide(f, &first, &left);
    less_product_with_conjugate(f, &left, &under, &right);
    divide(f, &second, &right);
}

/* The lower part of C -= A A^H. */
static void less_square(const struct factoring *f, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *c)
{
    int64_t n = c->rows, half = n / 2;
    if (n <= FEW) {
        f->parts->less_square(a, c);
        return;
    }
    struct sdfg_rt_matrix above = part(f, a, 0, half, 0, a->cols), below = part(f, a, half, n - half, 0, a->cols);
    struct sdfg_rt_matrix first = part(f, c, 0, half, 0, half), under = part(f, c, half, n - half, 0, half);
    struct sdfg_rt_matrix second = part(f, c, half, n - half, half, n - half);
    less_square(f, &above, &first);
    less_product_with_conjugate(f, &below, &above, &under);
    less_square(f, &below, &second);
}

/* ---- factorizations ---- */

static int factor(const struct factoring *f, const struct sdfg_rt_matrix *a, int32_t *ipiv)
{
    int64_t m = a->rows, n = a->cols, steps = m < n ? m : n, left = steps <= FEW_COLUMNS ? steps : steps / 2;
    if (n <= FEW_COLUMNS)
        return f->parts->factor(a, ipiv);
    struct sdfg_rt_matrix panel = part(f, a, 0, m, 0, left), rest = part(f, a, 0, m, left, n - left);
    struct sdfg_rt_matrix first = part(f, a, 0, left, 0, left), beside = part(f, a, 0, left, left, n - left);
    struct sdfg_rt_matrix under = part(f, a, left, m - left, 0, left);
    struct sdfg_rt_matrix second = part(f, a, left, m - left, left, n - left);
    int info = factor(f, &panel, ipiv);
    f->parts->swaps(&rest, ipiv, left);
    solve_lower(f, &first, &beside);
    if (left == m || left == n)
        return info;
    less_product(f, &under, &beside, &second);
    int more = factor(f, &second, ipiv + left);
    f->parts->swaps(&under, ipiv + left, steps - left);
    for (int64_t i = left; i < steps; i++)
        ipiv[i] += (int32_t)left;
    return info ? info : more ? more + (int)left : 0;
}

static int cholesky(const struct factoring *f, const struct sdfg_rt_matrix *a)
{
    int64_t n = a->rows, half = n / 2;
    if (n <= FEW)
        return f->parts->cholesky(a);
    struct sdfg_rt_matrix first = part(f, a, 0, half, 0, half), under = part(f, a, half, n - half, 0, half);
    struct sdfg_rt_matrix second = part(f, a, half, n - half, half, n - half);
    int info = cholesky(f, &first);
    if (info)
        return info;
    divide(f, &first, &under);
    less_square(f, &under, &second);
    info = cholesky(f, &second);
    return info ? info + (int)half : 0;
}

/* ---- as LAPACK's ---- */

int sdfg_rt_getrf_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a, int32_t *ipiv)
{
    struct factoring f = factoring_of(context, type);
    return factor(&f, a, ipiv);
}

int sdfg_rt_getrs_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a,
                         const int32_t *ipiv, const struct sdfg_rt_matrix *b)
{
    struct factoring f = factoring_of(context, type);
    f.parts->swaps(b, ipiv, a->rows);
    solve_lower(&f, a, b);
    solve_upper(&f, a, b);
    return 0;
}

/* A row-major copy; its data are NULL if there is no memory. */
static struct sdfg_rt_matrix copy_of(int32_t type, const struct sdfg_rt_matrix *a)
{
    size_t size = sdfg_rt_type_size(type) * (size_t)a->rows * (size_t)a->cols;
    struct sdfg_rt_matrix copy = { malloc(size), a->rows, a->cols, a->cols, 1 };
    if (copy.data)
        sdfg_rt_copy_matrix(type, a, &copy);
    return copy;
}

int sdfg_rt_getri_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a,
                         const int32_t *ipiv)
{
    struct factoring f = factoring_of(context, type);
    int info = f.parts->singular(a);
    if (info)
        return info;
    struct sdfg_rt_matrix factors = copy_of(type, a);
    if (!factors.data)
        return SDFG_RT_LAPACK_MEMORY;
    f.parts->identity(a);
    info = sdfg_rt_getrs_blocks(context, type, &factors, ipiv, a);
    free(factors.data);
    return info;
}

int sdfg_rt_potrf_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a, bool lower)
{
    /* A = U^H U is A^T = L L^H with L = U^T, and transposing is exchanging the strides */
    struct sdfg_rt_matrix l = *a;
    if (!lower)
        l = (struct sdfg_rt_matrix){ a->data, a->rows, a->cols, a->col_stride, a->row_stride };
    struct factoring f = factoring_of(context, type);
    size_t half = (size_t)(a->rows + 1) / 2;
    if ((type == SDFG_RT_C64 || type == SDFG_RT_C128) && a->rows > FEW) {
        f.conjugated = malloc(sdfg_rt_type_size(type) * half * half);
        if (!f.conjugated)
            return SDFG_RT_LAPACK_MEMORY;
    }
    int info = cholesky(&f, &l);
    free(f.conjugated);
    return info;
}
