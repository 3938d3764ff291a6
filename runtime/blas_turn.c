/* Operands of small products in rows that lie together. */
#include "runtime/blas_small.h"

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

static inline void square_f32(const float *in, int64_t step, float *out, int64_t out_step)
{
    four a = *(const four *)in, b = *(const four *)(in + step), c = *(const four *)(in + 2 * step),
         d = *(const four *)(in + 3 * step);
    four ab = { a[0], b[0], a[1], b[1] }, cd = { c[0], d[0], c[1], d[1] };
    *(four *)out = (four){ ab[0], ab[1], cd[0], cd[1] };
    *(four *)(out + out_step) = (four){ ab[2], ab[3], cd[2], cd[3] };
    ab = (four){ a[2], b[2], a[3], b[3] };
    cd = (four){ c[2], d[2], c[3], d[3] };
    *(four *)(out + 2 * out_step) = (four){ ab[0], ab[1], cd[0], cd[1] };
    *(four *)(out + 3 * out_step) = (four){ ab[2], ab[3], cd[2], cd[3] };
}

static inline void square_f64(const double *in, int64_t step, double *out, int64_t out_step)
{
    two a = *(const two *)in, b = *(const two *)(in + step);
    *(two *)out = (two){ a[0], b[0] };
    *(two *)(out + out_step) = (two){ a[1], b[1] };
}

/* Columns become rows, a square of BYTES a side at a time, in registers. */
#define TURN(name, T, BYTES, TARGET)                                                                                   \
    TARGET static void turn_##name(const struct sdfg_rt_matrix *from, T *to)                                           \
    {                                                                                                                  \
        enum { SIDE = BYTES / sizeof(T) };                                                                             \
        const T *in = from->data;                                                                                      \
        int64_t rows = from->rows, cols = from->cols, step = from->col_stride, i = 0;                                  \
        for (; i + SIDE <= rows; i += SIDE) {                                                                          \
            int64_t j = 0;                                                                                             \
            for (; j + SIDE <= cols; j += SIDE)                                                                        \
                square_##name(in + j * step + i, step, to + i * cols + j, cols);                                       \
            for (; j < cols; j++)                                                                                      \
                for (int r = 0; r < SIDE; r++)                                                                         \
                    to[(i + r) * cols + j] = in[j * step + i + r];                                                     \
        }                                                                                                              \
        for (; i < rows; i++)                                                                                          \
            for (int64_t j = 0; j < cols; j++)                                                                         \
                to[i * cols + j] = in[j * step + i];                                                                   \
    }

TURN(f32, float, 16, )
TURN(f64, double, 16, )

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

/* Twice as wide takes half as many instructions, and is for matrices of whole squares: numbers beside them go one by
 * one. */
WITH_AVX2 static inline void square_f32_wide(const float *in, int64_t step, float *out, int64_t out_step)
{
    enum { SIDE = 8 };
    __m256 v[SIDE], pairs[SIDE];
    for (int r = 0; r < 4; r++) { /* halves of rows r and r + 4 side by side */
        v[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + r * step)),
                                    _mm_loadu_ps(in + (r + 4) * step), 1);
        v[r + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + r * step + 4)),
                                        _mm_loadu_ps(in + (r + 4) * step + 4), 1);
    }
    for (int h = 0; h < SIDE; h += 4) {
        pairs[h] = _mm256_unpacklo_ps(v[h], v[h + 1]);
        pairs[h + 1] = _mm256_unpackhi_ps(v[h], v[h + 1]);
        pairs[h + 2] = _mm256_unpacklo_ps(v[h + 2], v[h + 3]);
        pairs[h + 3] = _mm256_unpackhi_ps(v[h + 2], v[h + 3]);
        _mm256_storeu_ps(out + h * out_step, _mm256_shuffle_ps(pairs[h], pairs[h + 2], 0x44));
        _mm256_storeu_ps(out + (h + 1) * out_step, _mm256_shuffle_ps(pairs[h], pairs[h + 2], 0xee));
        _mm256_storeu_ps(out + (h + 2) * out_step, _mm256_shuffle_ps(pairs[h + 1], pairs[h + 3], 0x44));
        _mm256_storeu_ps(out + (h + 3) * out_step, _mm256_shuffle_ps(pairs[h + 1], pairs[h + 3], 0xee));
    }
}

WITH_AVX2 static inline void square_f64_wide(const double *in, int64_t step, double *out, int64_t out_step)
{
    for (int h = 0; h < 4; h += 2, in += 2, out += 2 * out_step) { /* rows 0 and 2, 1 and 3 side by side */
        __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(in)), _mm_loadu_pd(in + 2 * step), 1);
        __m256d odd =
            _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(in + step)), _mm_loadu_pd(in + 3 * step), 1);
        _mm256_storeu_pd(out, _mm256_unpacklo_pd(even, odd));
        _mm256_storeu_pd(out + out_step, _mm256_unpackhi_pd(even, odd));
    }
}

TURN(f32_wide, float, 32, WITH_AVX2)
TURN(f64_wide, double, 32, WITH_AVX2)

static bool turn_wide(int32_t type, const struct sdfg_rt_matrix *from, void *to)
{
    int64_t side = type == SDFG_RT_F32 ? 8 : 4;
    if (type == SDFG_RT_C64 || type == SDFG_RT_C128 || from->rows % side || from->cols % side ||
        sdfg_rt_small_level() == SMALL_ANY)
        return false;
    if (type == SDFG_RT_F32)
        turn_f32_wide(from, to);
    else
        turn_f64_wide(from, to);
    return true;
}
#else
static bool turn_wide(int32_t type, const struct sdfg_rt_matrix *from, void *to)
{
    (void)type;
    (void)from;
    (void)to;
    return false;
}
#endif

void sdfg_rt_small_copy(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to)
{
    if (from->row_stride == 1 && turn_wide(type, from, to->data))
        return;
    if (from->row_stride == 1 && type == SDFG_RT_F32)
        turn_f32(from, to->data);
    else if (from->row_stride == 1 && type == SDFG_RT_F64)
        turn_f64(from, to->data);
    else
        sdfg_rt_copy_matrix(type, from, to);
}
