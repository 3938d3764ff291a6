/* Small products in registers: opening a library takes 2 ms, as long as some million multiply-adds, and calling one is
 * not free either. Compiled with fused multiply-adds where the processor has them; terms are added in order. */
#include "runtime/blas.h"
#include "runtime/cpu.h"

/* Rows and vectors of C that are summed up at a time, so that sums stay in registers. */
enum { ROWS = 4, VECTORS = 3 };

#define INLINE   static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 4")
#define OPERANDS const struct sdfg_rt_matrix *a, const struct sdfg_rt_matrix *b, const struct sdfg_rt_matrix *c

/* `rows` x `vectors` vectors of C, from (i, j) on. */
#define TILE(name, T, BYTES)                                                                                           \
    typedef T vector_##name __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));                        \
    enum { LANES_##name = BYTES / sizeof(T) };                                                                         \
    INLINE void tile_##name(OPERANDS, int64_t i, int64_t j, T scale, T keep, const int rows, const int vectors)        \
    {                                                                                                                  \
        const T *pa = (const T *)a->data + i * a->row_stride, *pb = (const T *)b->data + j;                            \
        T *pc = (T *)c->data + i * c->row_stride + j;                                                                  \
        vector_##name sums[ROWS][VECTORS] = { { { 0 } } };                                                             \
        for (int64_t p = 0; p < a->cols; p++) {                                                                        \
            UNROLLED for (int v = 0; v < vectors; v++)                                                                 \
            {                                                                                                          \
                vector_##name x = *(const vector_##name *)(const void *)(pb + p * b->row_stride + v * LANES_##name);   \
                UNROLLED for (int r = 0; r < rows; r++)                                                                \
                {                                                                                                      \
                    sums[r][v] += pa[r * a->row_stride + p * a->col_stride] * x;                                       \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        UNROLLED for (int r = 0; r < rows; r++)                                                                        \
        {                                                                                                              \
            UNROLLED for (int v = 0; v < vectors; v++)                                                                 \
            {                                                                                                          \
                vector_##name *e = (vector_##name *)(void *)(pc + r * c->row_stride + v * LANES_##name);               \
                *e = keep == 0 ? scale * sums[r][v] : scale * sums[r][v] + keep * *e;                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

/* One element of C. */
#define ELEMENT(type, T)                                                                                               \
    INLINE void element_##type(OPERANDS, int64_t i, int64_t j, T scale, T keep)                                        \
    {                                                                                                                  \
        const T *pa = (const T *)a->data + i * a->row_stride, *pb = (const T *)b->data + j;                            \
        T *e = (T *)c->data + i * c->row_stride + j, sum = 0;                                                          \
        for (int64_t p = 0; p < a->cols; p++)                                                                          \
            sum += pa[p * a->col_stride] * pb[p * b->row_stride];                                                      \
        *e = keep == 0 ? scale * sum : scale * sum + keep * *e;                                                        \
    }

/* All columns of `rows` rows from i on, in vectors of two sizes. */
#define BAND(name, wide, narrow, type, T)                                                                              \
    INLINE void band_##name(OPERANDS, int64_t i, T scale, T keep, const int rows)                                      \
    {                                                                                                                  \
        int64_t j = 0;                                                                                                 \
        for (; j + VECTORS * LANES_##wide <= c->cols; j += VECTORS * LANES_##wide)                                     \
            tile_##wide(a, b, c, i, j, scale, keep, rows, VECTORS);                                                    \
        for (; j + LANES_##wide <= c->cols; j += LANES_##wide)                                                         \
            tile_##wide(a, b, c, i, j, scale, keep, rows, 1);                                                          \
        for (; j + LANES_##narrow <= c->cols; j += LANES_##narrow)                                                     \
            tile_##narrow(a, b, c, i, j, scale, keep, rows, 1);                                                        \
        for (; j < c->cols; j++)                                                                                       \
            for (int r = 0; r < rows; r++)                                                                             \
                element_##type(a, b, c, i + r, j, scale, keep);                                                        \
    }

#define PRODUCT(name, wide, narrow, type, T, ATTRIBUTE)                                                                \
    BAND(name, wide, narrow, type, T)                                                                                  \
    ATTRIBUTE static void product_##name(OPERANDS, T scale, T keep)                                                    \
    {                                                                                                                  \
        int64_t i = 0;                                                                                                 \
        for (; i + ROWS <= c->rows; i += ROWS)                                                                         \
            band_##name(a, b, c, i, scale, keep, ROWS);                                                                \
        for (; i < c->rows; i++)                                                                                       \
            band_##name(a, b, c, i, scale, keep, 1);                                                                   \
    }

TILE(f32x4, float, 16)
TILE(f64x2, double, 16)
ELEMENT(f32, float)
ELEMENT(f64, double)
PRODUCT(f32_any, f32x4, f32x4, f32, float, )
PRODUCT(f64_any, f64x2, f64x2, f64, double, )

typedef void product_f32(OPERANDS, float, float);
typedef void product_f64(OPERANDS, double, double);

#if defined(__x86_64__)
#define WITH_AVX2   __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx2,fma")))
TILE(f32x8, float, 32)
TILE(f32x16, float, 64)
TILE(f64x4, double, 32)
TILE(f64x8, double, 64)
PRODUCT(f32_avx2, f32x8, f32x4, f32, float, WITH_AVX2)
PRODUCT(f64_avx2, f64x4, f64x2, f64, double, WITH_AVX2)
PRODUCT(f32_avx512, f32x16, f32x8, f32, float, WITH_AVX512)
PRODUCT(f64_avx512, f64x8, f64x4, f64, double, WITH_AVX512)

static bool has_avx2(void) { return CPU_CAN(AVX2, "avx2") && CPU_CAN(FMA, "fma"); }

static bool has_avx512(void) { return has_avx2() && CPU_CAN(AVX512F, "avx512f") && CPU_CAN(AVX512VL, "avx512vl"); }

#define CHOOSE(type)                                                                                                   \
    (has_avx512() ? product_##type##_avx512 : has_avx2() ? product_##type##_avx2 : product_##type##_any)
#else
#define CHOOSE(type) product_##type##_any
#endif

bool sdfg_rt_gemm_small(int32_t type, OPERANDS, const void *alpha, const void *beta)
{
    enum { FEWEST_COLUMNS = 8 }; /* fewer are mostly outside of vectors */
    if (b->col_stride != 1 || c->col_stride != 1 || c->cols < FEWEST_COLUMNS)
        return false;
    if (type == SDFG_RT_F32) {
        product_f32 *f = CHOOSE(f32);
        f(a, b, c, alpha ? *(const float *)alpha : 1, beta ? *(const float *)beta : 0);
        return true;
    }
    if (type == SDFG_RT_F64) {
        product_f64 *f = CHOOSE(f64);
        f(a, b, c, alpha ? *(const double *)alpha : 1, beta ? *(const double *)beta : 0);
        return true;
    }
    return false;
}
