#include "runtime/linalg/cblas.h"

#include "runtime/linalg/blas.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

static void strides(int layout, int trans, int ld, int64_t *row, int64_t *column)
{
    bool by_rows = (layout == ROW_MAJOR) == (trans == NO_TRANS);
    *row = by_rows ? ld : 1;
    *column = by_rows ? 1 : ld;
}

static bool is_plain(struct sdfg_rt_context *context, int layout, int trans)
{
    bool good = (layout == ROW_MAJOR || layout == COLUMN_MAJOR) && trans >= NO_TRANS && trans <= CONJ_TRANS;
    if (!good)
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
    return good;
}

/* A matrix that is to be conjugated: op(A) has so many rows and columns. */
struct conjugate {
    const void *data;
    void *copy; /* to be freed, or NULL */
    int trans, ld;
};

static void conjugate_lines(int type, const void *from, int64_t ld, void *to, int64_t lines, int64_t length)
{
    for (int64_t i = 0; i < lines; i++)
        for (int64_t k = 0; k < length; k++)
            if (type == SDFG_RT_C64)
                ((float complex *)to)[i * length + k] = conjf(((const float complex *)from)[i * ld + k]);
            else
                ((double complex *)to)[i * length + k] = conj(((const double complex *)from)[i * ld + k]);
}

/* The matrix itself, or, if it is to be conjugated, a copy that is to be transposed only. False without memory. */
static bool conjugated(struct sdfg_rt_context *context, int type, int layout, int rows, int columns,
                       struct conjugate *a)
{
    bool needed = a->trans == CONJ_TRANS && (type == SDFG_RT_C64 || type == SDFG_RT_C128) && rows > 0 && columns > 0;
    if (a->trans == CONJ_TRANS)
        a->trans = TRANS;
    if (!needed)
        return true;
    int64_t lines = layout == ROW_MAJOR ? columns : rows, length = layout == ROW_MAJOR ? rows : columns;
    a->copy = malloc((size_t)(lines * length) * sdfg_rt_type_size(type));
    if (!a->copy) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return false;
    }
    conjugate_lines(type, a->data, a->ld, a->copy, lines, length);
    a->data = a->copy;
    a->ld = (int)length;
    return true;
}

static void gemm(struct sdfg_rt_context *context, int type, int layout, int trans_a, int trans_b, int m, int n, int k,
                 const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc)
{
    int64_t sa[2], sb[2], sc[2];
    if (!is_plain(context, layout, trans_a) || !is_plain(context, layout, trans_b))
        return;
    struct conjugate x = { .data = a, .trans = trans_a, .ld = lda }, y = { .data = b, .trans = trans_b, .ld = ldb };
    if (conjugated(context, type, layout, m, k, &x) && conjugated(context, type, layout, k, n, &y)) {
        strides(layout, x.trans, x.ld, &sa[0], &sa[1]);
        strides(layout, y.trans, y.ld, &sb[0], &sb[1]);
        strides(layout, NO_TRANS, ldc, &sc[0], &sc[1]);
        sdfg_rt_gemm(context, type, m, n, k, x.data, sa[0], sa[1], y.data, sb[0], sb[1], c, sc[0], sc[1], alpha, beta);
    }
    free(x.copy);
    free(y.copy);
}

/* BLAS counts from the far end where the increment is negative. */
static const void *first(int type, const void *x, int n, int increment)
{
    return increment < 0 ? (const char *)x + (int64_t)(1 - n) * increment * (int64_t)sdfg_rt_type_size(type) : x;
}

static void gemv(struct sdfg_rt_context *context, int type, int layout, int trans, int m, int n, const void *alpha,
                 const void *a, int lda, const void *x, int incx, const void *beta, void *y, int incy)
{
    int64_t row, column;
    if (!is_plain(context, layout, trans))
        return;
    int rows = trans == NO_TRANS ? m : n, columns = trans == NO_TRANS ? n : m;
    struct conjugate op = { .data = a, .trans = trans, .ld = lda };
    if (!conjugated(context, type, layout, rows, columns, &op))
        return;
    strides(layout, op.trans, op.ld, &row, &column);
    x = first(type, x, columns, incx);
    y = (void *)(uintptr_t)first(type, y, rows, incy);
    sdfg_rt_gemv(context, type, rows, columns, op.data, row, column, x, incx, y, incy, alpha, beta);
    free(op.copy);
}

static void dot(struct sdfg_rt_context *context, int type, int n, const void *x, int incx, const void *y, int incy,
                void *result)
{
    sdfg_rt_dot(context, type, n, first(type, x, n, incx), incx, first(type, y, n, incy), incy, result);
}

#define REAL(p, T, code)                                                                                               \
    void sdfg_rt_cblas_##p##gemm(struct sdfg_rt_context *context, int layout, int ta, int tb, int m, int n, int k,     \
                                 T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc)             \
    {                                                                                                                  \
        gemm(context, code, layout, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);                           \
    }                                                                                                                  \
    void sdfg_rt_cblas_##p##gemv(struct sdfg_rt_context *context, int layout, int trans, int m, int n, T alpha,        \
                                 const T *a, int lda, const T *x, int incx, T beta, T *y, int incy)                    \
    {                                                                                                                  \
        gemv(context, code, layout, trans, m, n, &alpha, a, lda, x, incx, &beta, y, incy);                             \
    }                                                                                                                  \
    T sdfg_rt_cblas_##p##dot(struct sdfg_rt_context *context, int n, const T *x, int incx, const T *y, int incy)       \
    {                                                                                                                  \
        T result = 0;                                                                                                  \
        dot(context, code, n, x, incx, y, incy, &result);                                                              \
        return result;                                                                                                 \
    }

#define COMPLEX(p, T, code)                                                                                            \
    void sdfg_rt_cblas_##p##gemm(struct sdfg_rt_context *context, int layout, int ta, int tb, int m, int n, int k,     \
                                 const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,        \
                                 int ldc)                                                                              \
    {                                                                                                                  \
        gemm(context, code, layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                             \
    }                                                                                                                  \
    void sdfg_rt_cblas_##p##gemv(struct sdfg_rt_context *context, int layout, int trans, int m, int n, const T *alpha, \
                                 const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)             \
    {                                                                                                                  \
        gemv(context, code, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                               \
    }                                                                                                                  \
    void sdfg_rt_cblas_##p##dotu_sub(struct sdfg_rt_context *context, int n, const T *x, int incx, const T *y,         \
                                     int incy, T *result)                                                              \
    {                                                                                                                  \
        dot(context, code, n, x, incx, y, incy, result);                                                               \
    }

REAL(s, float, SDFG_RT_F32)
REAL(d, double, SDFG_RT_F64)
COMPLEX(c, float complex, SDFG_RT_C64)
COMPLEX(z, double complex, SDFG_RT_C128)

/* ---- LAPACKE: what is wrong is told by the number of the argument ---- */

enum { BAD_LAYOUT = -1, BAD_FORM = -2 };

/* Is the letter one of those? */
static bool is_form(struct sdfg_rt_context *context, char letter, const char *letters)
{
    bool good = letter && strchr(letters, letter);
    if (!good)
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
    return good;
}

#define LAPACKE(p, T, code)                                                                                            \
    int sdfg_rt_LAPACKE_##p##getrf(struct sdfg_rt_context *context, int layout, int m, int n, T *a, int lda,           \
                                   int *ipiv)                                                                          \
    {                                                                                                                  \
        int64_t row, column;                                                                                           \
        int32_t info = 0;                                                                                              \
        if (!is_plain(context, layout, NO_TRANS))                                                                      \
            return BAD_LAYOUT;                                                                                         \
        strides(layout, NO_TRANS, lda, &row, &column);                                                                 \
        sdfg_rt_getrf(context, code, m, n, a, row, column, ipiv, &info);                                               \
        return info;                                                                                                   \
    }                                                                                                                  \
    int sdfg_rt_LAPACKE_##p##getri(struct sdfg_rt_context *context, int layout, int n, T *a, int lda, const int *ipiv) \
    {                                                                                                                  \
        int64_t row, column;                                                                                           \
        int32_t info = 0;                                                                                              \
        if (!is_plain(context, layout, NO_TRANS))                                                                      \
            return BAD_LAYOUT;                                                                                         \
        strides(layout, NO_TRANS, lda, &row, &column);                                                                 \
        sdfg_rt_getri(context, code, n, a, row, column, ipiv, &info);                                                  \
        return info;                                                                                                   \
    }                                                                                                                  \
    int sdfg_rt_LAPACKE_##p##getrs(struct sdfg_rt_context *context, int layout, int8_t trans, int n, int nrhs,         \
                                   const T *a, int lda, const int *ipiv, T *b, int ldb)                                \
    {                                                                                                                  \
        int64_t sa[2], sb[2];                                                                                          \
        int32_t info = 0;                                                                                              \
        if (!is_plain(context, layout, NO_TRANS))                                                                      \
            return BAD_LAYOUT;                                                                                         \
        if (!is_form(context, (char)trans, "Nn"))                                                                      \
            return BAD_FORM;                                                                                           \
        strides(layout, NO_TRANS, lda, &sa[0], &sa[1]);                                                                \
        strides(layout, NO_TRANS, ldb, &sb[0], &sb[1]);                                                                \
        sdfg_rt_getrs(context, code, n, nrhs, a, sa[0], sa[1], ipiv, b, sb[0], sb[1], &info);                          \
        return info;                                                                                                   \
    }                                                                                                                  \
    int sdfg_rt_LAPACKE_##p##potrf(struct sdfg_rt_context *context, int layout, int8_t uplo, int n, T *a, int lda)     \
    {                                                                                                                  \
        int64_t row, column;                                                                                           \
        int32_t info = 0;                                                                                              \
        if (!is_plain(context, layout, NO_TRANS))                                                                      \
            return BAD_LAYOUT;                                                                                         \
        if (!is_form(context, (char)uplo, "LlUu"))                                                                     \
            return BAD_FORM;                                                                                           \
        strides(layout, NO_TRANS, lda, &row, &column);                                                                 \
        sdfg_rt_potrf(context, code, uplo == 'L' || uplo == 'l', n, a, row, column, &info);                            \
        return info;                                                                                                   \
    }

LAPACKE(s, float, SDFG_RT_F32)
LAPACKE(d, double, SDFG_RT_F64)
LAPACKE(c, float complex, SDFG_RT_C64)
LAPACKE(z, double complex, SDFG_RT_C128)
