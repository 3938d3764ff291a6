/* Operands of small products in rows that lie together. */
#include "runtime/linalg/blas_small.h"

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef double one __attribute__((aligned(4), may_alias));
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

/* Lanes of two vectors, which are counted on from the first one to the second. */
#if defined(__clang__)
#define PICKED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICKED(a, b, ...) __builtin_shuffle(a, b, (four_numbers){ __VA_ARGS__ })
typedef int32_t four_numbers __attribute__((vector_size(16)));
#endif

static inline void square_f32(const float *in, int64_t step, float *out, int64_t out_step)
{
    four a = *(const four *)in, b = *(const four *)(in + step), c = *(const four *)(in + 2 * step),
         d = *(const four *)(in + 3 * step);
    four ab = PICKED(a, b, 0, 4, 1, 5), cd = PICKED(c, d, 0, 4, 1, 5);
    *(four *)out = PICKED(ab, cd, 0, 1, 4, 5);
    *(four *)(out + out_step) = PICKED(ab, cd, 2, 3, 6, 7);
    ab = PICKED(a, b, 2, 6, 3, 7);
    cd = PICKED(c, d, 2, 6, 3, 7);
    *(four *)(out + 2 * out_step) = PICKED(ab, cd, 0, 1, 4, 5);
    *(four *)(out + 3 * out_step) = PICKED(ab, cd, 2, 3, 6, 7);
}

/* Two columns of four rows. */
static inline void pair_float(const float *in, int64_t step, float *out, int64_t out_step)
{
    four ab = (four)(two){ *(const one *)in, *(const one *)(in + step) };
    four cd = (four)(two){ *(const one *)(in + 2 * step), *(const one *)(in + 3 * step) };
    *(four *)out = PICKED(ab, cd, 0, 2, 4, 6);
    *(four *)(out + out_step) = PICKED(ab, cd, 1, 3, 5, 7);
}

static inline void square_f64(const double *in, int64_t step, double *out, int64_t out_step)
{
    two a = *(const two *)in, b = *(const two *)(in + step);
    *(two *)out = (two){ a[0], b[0] };
    *(two *)(out + out_step) = (two){ a[1], b[1] };
}

/* Columns become rows: from column i on so many at a time, of which `turn` takes DEPTH numbers in registers. */
#define TURN_SOME(COLUMNS, DEPTH, turn)                                                                                \
    for (; i + (COLUMNS) <= rows; i += (COLUMNS)) {                                                                    \
        int64_t j = 0;                                                                                                 \
        for (; j + (DEPTH) <= cols; j += (DEPTH))                                                                      \
            turn(in + j * step + i, step, to + i * cols + j, cols);                                                    \
        for (; j < cols; j++)                                                                                          \
            for (int r = 0; r < (COLUMNS); r++)                                                                        \
                to[(i + r) * cols + j] = in[j * step + i + r];                                                         \
    }

/* `SOME`: squares, then what is left of the columns but the last. */
#define TURN(name, T, SOME)                                                                                            \
    static void turn_##name(const struct sdfg_rt_matrix *from, T *to)                                                  \
    {                                                                                                                  \
        const T *in = from->data;                                                                                      \
        int64_t rows = from->rows, cols = from->cols, step = from->col_stride, i = 0;                                  \
        SOME for (; i < rows; i++) for (int64_t j = 0; j < cols; j++) to[i * cols + j] = in[j * step + i];             \
    }

TURN(f32, float, TURN_SOME(4, 4, square_f32) TURN_SOME(2, 4, pair_float))
TURN(f64, double, TURN_SOME(2, 2, square_f64))

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

/* Twice as wide takes half as many instructions, and is for matrices of whole squares. */
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

#define TURN_WIDE(name, T, SIDE)                                                                                       \
    WITH_AVX2 static void turn_##name(const struct sdfg_rt_matrix *from, T *to)                                        \
    {                                                                                                                  \
        const T *in = from->data;                                                                                      \
        int64_t rows = from->rows, cols = from->cols, step = from->col_stride;                                         \
        for (int64_t i = 0; i < rows; i += (SIDE))                                                                     \
            for (int64_t j = 0; j < cols; j += (SIDE))                                                                 \
                square_##name(in + j * step + i, step, to + i * cols + j, cols);                                       \
    }

TURN_WIDE(f32_wide, float, 8)
TURN_WIDE(f64_wide, double, 4)

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
