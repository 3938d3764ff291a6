/* The operations by plain loops, for any strides: tiny sizes, and machines without a BLAS. */
#include "runtime/linalg/blas.h"

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

/* Along what lies together in `to`. Where that is apart in `from`, in tiles: a line of either stays in the cache until
 * all of it was used. */
#define COPY_LOOPS(name, T)                                                                                            \
    static void copy_##name(const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)                        \
    {                                                                                                                  \
        int64_t tile_rows = is_turned(from) ? COPY_TILE : to->rows,                                                    \
                tile_cols = is_turned(from) ? COPY_TILE : to->cols;                                                    \
        for (int64_t i0 = 0; i0 < to->rows; i0 += tile_rows)                                                           \
            for (int64_t j0 = 0; j0 < to->cols; j0 += tile_cols) {                                                     \
                int64_t rows = least(tile_rows, to->rows - i0), cols = least(tile_cols, to->cols - j0);                \
                const T *in = (const T *)from->data + i0 * from->row_stride + j0 * from->col_stride;                   \
                T *out = (T *)to->data + i0 * to->row_stride + j0 * to->col_stride;                                    \
                for (int64_t i = 0; i < rows; i++)                                                                     \
                    for (int64_t j = 0; j < cols; j++)                                                                 \
                        out[i * to->row_stride + j * to->col_stride] =                                                 \
                            in[i * from->row_stride + j * from->col_stride];                                           \
            }                                                                                                          \
    }

#define TURN_LOOPS(name, T)                                                                                            \
    static void turn_##name(const struct sdfg_rt_matrix *m)                                                            \
    {                                                                                                                  \
        for (int64_t i0 = 0; i0 < m->rows; i0 += COPY_TILE)                                                            \
            for (int64_t j0 = 0; j0 <= i0; j0 += COPY_TILE)                                                            \
                for (int64_t i = i0; i < least(i0 + COPY_TILE, m->rows); i++)                                          \
                    for (int64_t j = j0; j < least(j0 + COPY_TILE, i); j++) {                                          \
                        T *a = (T *)m->data + i * m->row_stride + j * m->col_stride;                                   \
                        T *b = (T *)m->data + j * m->row_stride + i * m->col_stride, value = *a;                       \
                        *a = *b;                                                                                       \
                        *b = value;                                                                                    \
                    }                                                                                                  \
    }

enum { COPY_TILE = 32 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static bool is_turned(const struct sdfg_rt_matrix *m) { return distance(m->row_stride) < distance(m->col_stride); }

static struct sdfg_rt_matrix turned(const struct sdfg_rt_matrix *m)
{
    return (struct sdfg_rt_matrix){ m->data, m->cols, m->rows, m->col_stride, m->row_stride };
}

TYPES(GEMM_LOOPS)
TYPES(DOT_LOOPS)
TYPES(COPY_LOOPS)
TYPES(TURN_LOOPS)

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

static void copy_rows(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)
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

void sdfg_rt_copy_matrix(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)
{
    struct sdfg_rt_matrix a = turned(from), b = turned(to);
    if (is_turned(to))
        copy_rows(type, &a, &b);
    else
        copy_rows(type, from, to);
}

void sdfg_rt_turn_matrix(int32_t type, const struct sdfg_rt_matrix *m)
{
    switch (type) {
    case SDFG_RT_F32:
        turn_f32(m);
        break;
    case SDFG_RT_F64:
        turn_f64(m);
        break;
    case SDFG_RT_C64:
        turn_c64(m);
        break;
    case SDFG_RT_C128:
        turn_c128(m);
        break;
    default:
        break;
    }
}
