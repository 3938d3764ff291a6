/* The operations by plain loops, for any strides: tiny sizes, and machines without a BLAS. */
#include "runtime/blas.h"

#include <complex.h>

static int64_t distance(int64_t x) { return x < 0 ? -x : x; }

#define TYPES(ROW) ROW(f32, float) ROW(f64, double) ROW(c64, float complex) ROW(c128, double complex)

/* C = beta C, then row by row: C[i, :] += alpha A[i, p] B[p, :] if rows of B are the shorter way, else by dot products.
 */
#define GEMM_LOOPS(name, T)                                                                                            \
    static void gemm_##name(const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b,                            \
                            const struct sdfg_rt_matrix *c, const T *alpha, const T *beta)                             \
    {                                                                                                                  \
        const T *pa = a->data, *pb = b->data, scale = alpha ? *alpha : 1, keep = beta ? *beta : 0;                     \
        bool by_rows = distance(b->col_stride) <= distance(b->row_stride);                                             \
        for (int64_t i = 0; i < c->rows; i++) {                                                                        \
            T *row = (T *)c->data + i * c->row_stride;                                                                 \
            for (int64_t j = 0; j < c->cols; j++) {                                                                    \
                T *e = row + j * c->col_stride, sum = 0;                                                               \
                for (int64_t p = 0; p < a->cols && !by_rows; p++)                                                      \
                    sum += pa[i * a->row_stride + p * a->col_stride] * pb[p * b->row_stride + j * b->col_stride];      \
                *e = keep == 0 ? scale * sum : scale * sum + keep * *e;                                                \
            }                                                                                                          \
            for (int64_t p = 0; p < a->cols && by_rows; p++) {                                                         \
                T factor = scale * pa[i * a->row_stride + p * a->col_stride];                                          \
                for (int64_t j = 0; j < c->cols; j++)                                                                  \
                    row[j * c->col_stride] += factor * pb[p * b->row_stride + j * b->col_stride];                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#define DOT_LOOPS(name, T)                                                                                             \
    static void dot_##name(int64_t n, const T *x, int64_t sx, const T *y, int64_t sy, T *result)                       \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                                                \
            sum += x[i * sx] * y[i * sy];                                                                              \
        *result = sum;                                                                                                 \
    }

#define COPY_LOOPS(name, T)                                                                                            \
    static void copy_##name(const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)                        \
    {                                                                                                                  \
        for (int64_t i = 0; i < from->rows; i++)                                                                       \
            for (int64_t j = 0; j < from->cols; j++)                                                                   \
                ((T *)to->data)[i * to->row_stride + j * to->col_stride] =                                             \
                    ((const T *)from->data)[i * from->row_stride + j * from->col_stride];                              \
    }

TYPES(GEMM_LOOPS)
TYPES(DOT_LOOPS)
TYPES(COPY_LOOPS)

size_t sdfg_rt_type_size(int32_t type)
{
    static const size_t sizes[SDFG_RT_TYPE_COUNT] = { sizeof(float), sizeof(double), sizeof(float complex),
                                                      sizeof(double complex) };
    return sizes[type];
}

void sdfg_rt_gemm_loops(int32_t type, const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b,
                        const struct sdfg_rt_matrix *c, const void *alpha, const void *beta)
{
    switch (type) {
    case SDFG_RT_F32:
        gemm_f32(a, b, c, alpha, beta);
        break;
    case SDFG_RT_F64:
        gemm_f64(a, b, c, alpha, beta);
        break;
    case SDFG_RT_C64:
        gemm_c64(a, b, c, alpha, beta);
        break;
    case SDFG_RT_C128:
        gemm_c128(a, b, c, alpha, beta);
        break;
    default:
        break;
    }
}

void sdfg_rt_dot_loops(int32_t type, int64_t n, const void *x, int64_t sx, const void *y, int64_t sy, void *result)
{
    switch (type) {
    case SDFG_RT_F32:
        dot_f32(n, x, sx, y, sy, result);
        break;
    case SDFG_RT_F64:
        dot_f64(n, x, sx, y, sy, result);
        break;
    case SDFG_RT_C64:
        dot_c64(n, x, sx, y, sy, result);
        break;
    case SDFG_RT_C128:
        dot_c128(n, x, sx, y, sy, result);
        break;
    default:
        break;
    }
}

void sdfg_rt_copy_matrix(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)
{
    switch (type) {
    case SDFG_RT_F32:
        copy_f32(from, to);
        break;
    case SDFG_RT_F64:
        copy_f64(from, to);
        break;
    case SDFG_RT_C64:
        copy_c64(from, to);
        break;
    case SDFG_RT_C128:
        copy_c128(from, to);
        break;
    default:
        break;
    }
}
