/* Tiles of products in registers, for three kinds of processors. Compiled with fused multiply-adds where the processor
 * has them; the terms of an element are added in order, but for dot products of rows, whose lanes are added in the end.
 *
 * A complex matrix is one of real numbers with pairs for elements: with x the pairs of a row of B, sums of re(a) * x
 * and of im(a) * x are kept apart, and the second ones are exchanged within pairs and negated where they belong to the
 * real part when all terms are there. */
#include "runtime/blas_small.h"
#include "runtime/cpu.h"

#include <stdatomic.h>
#include <string.h>

#define INLINE   static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")

enum { MOST_LANES = 16, MOST_WAYS = 4 /* vectors of sums side by side in the product of a row with a vector */ };

/* What is taken away from or added to the parts of a complex number. */
static const float signs_f32[MOST_LANES] = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1 };
static const double signs_f64[MOST_LANES] = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1 };

static const float one_f32[2] = { 1, 0 };
static const double one_f64[2] = { 1, 0 };

/* ---- vectors: of part, only `count` lanes are in memory; turned, neighbours change places; held ones are loaded once
 * instead of by every operation ---- */

/* By the compiler's vectors of 16 bytes, which every processor has in some form. */
#define VECTORS_ANY(name, T)                                                                                           \
    enum { LANES_##name = 16 / sizeof(T) };                                                                            \
    typedef T vector_##name __attribute__((vector_size(16)));                                                          \
    typedef int64_t mask_##name;                                                                                       \
    INLINE mask_##name mask_of_##name(int64_t count) { return count; }                                                 \
    INLINE vector_##name load_##name(const T *p)                                                                       \
    {                                                                                                                  \
        vector_##name v;                                                                                               \
        memcpy(&v, p, sizeof v);                                                                                       \
        return v;                                                                                                      \
    }                                                                                                                  \
    INLINE vector_##name load_part_##name(const T *p, mask_##name count)                                               \
    {                                                                                                                  \
        vector_##name v = { 0 };                                                                                       \
        if (count == LANES_##name)                                                                                     \
            return load_##name(p);                                                                                     \
        for (int64_t i = 0; i < count; i++)                                                                            \
            v[i] = p[i];                                                                                               \
        return v;                                                                                                      \
    }                                                                                                                  \
    INLINE void store_##name(T *p, vector_##name v) { memcpy(p, &v, sizeof v); }                                       \
    INLINE vector_##name held_##name(vector_##name v) { return v; }                                                    \
    INLINE void store_part_##name(T *p, mask_##name count, vector_##name v)                                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++)                                                                            \
            p[i] = v[i];                                                                                               \
    }                                                                                                                  \
    INLINE vector_##name turned_##name(vector_##name v)                                                                \
    {                                                                                                                  \
        vector_##name out;                                                                                             \
        for (int i = 0; i < LANES_##name; i++)                                                                         \
            out[i] = v[i ^ 1];                                                                                         \
        return out;                                                                                                    \
    }                                                                                                                  \
    INLINE T sum_##name(vector_##name v)                                                                               \
    {                                                                                                                  \
        T sum = v[0];                                                                                                  \
        for (int i = 1; i < LANES_##name; i++)                                                                         \
            sum += v[i];                                                                                               \
        return sum;                                                                                                    \
    }

VECTORS_ANY(f32x4, float)
VECTORS_ANY(f64x2, double)

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX2   __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx2,fma")))

static const int32_t masks[MOST_LANES] = { -1, -1, -1, -1, -1, -1, -1, -1 }; /* 8 set, 8 not */

#define VECTORS_X86(name, T, BYTES, V, M, ATTRIBUTE, bits, s, pairs)                                                   \
    enum { LANES_##name = BYTES / sizeof(T) };                                                                         \
    typedef V vector_##name;                                                                                           \
    typedef M mask_##name;                                                                                             \
    ATTRIBUTE INLINE vector_##name load_##name(const T *p) { return _mm##bits##_loadu_##s(p); }                        \
    ATTRIBUTE INLINE void store_##name(T *p, vector_##name v) { _mm##bits##_storeu_##s(p, v); }                        \
    ATTRIBUTE INLINE vector_##name held_##name(vector_##name v)                                                        \
    {                                                                                                                  \
        __asm__("" : "+v"(v));                                                                                         \
        return v;                                                                                                      \
    }                                                                                                                  \
    ATTRIBUTE INLINE vector_##name turned_##name(vector_##name v) { return _mm##bits##_permute_##s(v, pairs); }

#define VECTORS_AVX2(name, T, V, s, pairs)                                                                             \
    VECTORS_X86(name, T, 32, V, __m256i, WITH_AVX2, 256, s, pairs)                                                     \
    WITH_AVX2 INLINE mask_##name mask_of_##name(int64_t count)                                                         \
    {                                                                                                                  \
        return _mm256_loadu_si256((const void *)(masks + 8 - count * (int64_t)(sizeof(T) / 4)));                       \
    }                                                                                                                  \
    WITH_AVX2 INLINE vector_##name load_part_##name(const T *p, mask_##name m) { return _mm256_maskload_##s(p, m); }   \
    WITH_AVX2 INLINE void store_part_##name(T *p, mask_##name m, vector_##name v) { _mm256_maskstore_##s(p, m, v); }   \
    WITH_AVX2 INLINE T sum_##name(vector_##name v)                                                                     \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < LANES_##name / 2; i++)                                                                     \
            sum += v[i] + v[i + LANES_##name / 2];                                                                     \
        return sum;                                                                                                    \
    }

#define VECTORS_AVX512(name, T, V, M, s, pairs)                                                                        \
    VECTORS_X86(name, T, 64, V, M, WITH_AVX512, 512, s, pairs)                                                         \
    WITH_AVX512 INLINE mask_##name mask_of_##name(int64_t count) { return (mask_##name)((1U << count) - 1); }          \
    WITH_AVX512 INLINE vector_##name load_part_##name(const T *p, mask_##name m)                                       \
    {                                                                                                                  \
        return _mm512_maskz_loadu_##s(m, p);                                                                           \
    }                                                                                                                  \
    WITH_AVX512 INLINE void store_part_##name(T *p, mask_##name m, vector_##name v)                                    \
    {                                                                                                                  \
        _mm512_mask_storeu_##s(p, m, v);                                                                               \
    }                                                                                                                  \
    WITH_AVX512 INLINE T sum_##name(vector_##name v) { return _mm512_reduce_add_##s(v); }

VECTORS_AVX2(f32x8, float, __m256, ps, 0xb1)
VECTORS_AVX2(f64x4, double, __m256d, pd, 0x5)
VECTORS_AVX512(f32x16, float, __m512, __mmask16, ps, 0xb1)
VECTORS_AVX512(f64x8, double, __m512d, __mmask8, pd, 0x55)
#endif

/* ---- tiles ---- */

#define BASICS(name, type, T, ATTRIBUTE)                                                                               \
    ATTRIBUTE INLINE vector_##name signs_of_##name(void) { return load_##name(signs_##type); }                         \
    ATTRIBUTE INLINE vector_##name crossed_##name(vector_##name v) { return signs_of_##name() * turned_##name(v); }    \
    ATTRIBUTE INLINE vector_##name scaled_##name(const T *factor, vector_##name v, bool pairs)                         \
    {                                                                                                                  \
        return pairs ? factor[0] * v + factor[1] * crossed_##name(v) : factor[0] * v;                                  \
    }                                                                                                                  \
    /* C = alpha tile + beta C. Not in line: it would be most of the code. */                                          \
    ATTRIBUTE static __attribute__((noinline)) void blend_##name(                                                      \
        const struct small_product *s, const T *tile, T *c, int64_t rows, int64_t vectors, int64_t last, bool pairs)   \
    {                                                                                                                  \
        for (int64_t r = 0; r < rows; r++)                                                                             \
            for (int64_t v = 0; v < vectors; v++) {                                                                    \
                mask_##name mask = mask_of_##name(v + 1 < vectors ? LANES_##name : last);                              \
                vector_##name sum = load_##name(tile + (r * vectors + v) * LANES_##name);                              \
                T *at = c + r * s->c_row + v * LANES_##name;                                                           \
                if (s->alpha)                                                                                          \
                    sum = scaled_##name(s->alpha, sum, pairs);                                                         \
                if (s->beta)                                                                                           \
                    sum += scaled_##name(s->beta, load_part_##name(at, mask), pairs);                                  \
                store_part_##name(at, mask, sum);                                                                      \
            }                                                                                                          \
    }

/* The term at `a` and `b` of every element of a tile. */
#define TERM(name, T, ATTRIBUTE)                                                                                       \
    ATTRIBUTE INLINE void term_##name(const struct small_product *s, const T *a, const T *b,                           \
                                      vector_##name sums[][MOST_OF_ROW], vector_##name crossed[][MOST_OF_ROW],         \
                                      mask_##name mask, const bool whole, const bool pairs, const int rows,            \
                                      const int vectors)                                                               \
    {                                                                                                                  \
        vector_##name x[MOST_OF_ROW];                                                                                  \
        UNROLLED for (int v = 0; v < vectors; v++)                                                                     \
        {                                                                                                              \
            const T *at = b + v * LANES_##name;                                                                        \
            x[v] = held_##name(whole || v + 1 < vectors ? load_##name(at) : load_part_##name(at, mask));               \
        }                                                                                                              \
        UNROLLED for (int r = 0; r < rows; r++)                                                                        \
        {                                                                                                              \
            UNROLLED for (int v = 0; v < vectors; v++)                                                                 \
            {                                                                                                          \
                sums[r][v] += a[r * s->a_row] * x[v];                                                                  \
                if (pairs)                                                                                             \
                    crossed[r][v] += a[r * s->a_row + 1] * x[v];                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }

/* What tiles sum up. A load of a part of a vector takes one of the two ports of multiply-adds, so that there are loops
 * without. Eight multiply-adds are on their way at a time: where a tile has fewer sums, several terms have their own.
 */
#define TERMS(name, T, ATTRIBUTE)                                                                                      \
    ATTRIBUTE INLINE void terms_##name(const struct small_product *s, const T *a, const T *b,                          \
                                       vector_##name sums[][MOST_OF_ROW], vector_##name crossed[][MOST_OF_ROW],        \
                                       mask_##name mask, const bool whole, const bool pairs, const int rows,           \
                                       const int vectors)                                                              \
    {                                                                                                                  \
        const int chains = rows * vectors * (pairs ? 2 : 1), ways = chains <= 2 ? 4 : chains <= 4 ? 2 : 1;             \
        int64_t p = s->k;                                                                                              \
        for (; ways > 1 && p >= ways; p -= ways, a += ways * s->a_col, b += ways * s->b_row) {                         \
            UNROLLED for (int w = 0; w < ways; w++)                                                                    \
                term_##name(s, a + w * s->a_col, b + w * s->b_row, sums + w * rows, crossed + w * rows, mask, whole,   \
                            pairs, rows, vectors);                                                                     \
        }                                                                                                              \
        for (; p > 0; p--, a += s->a_col, b += s->b_row)                                                               \
            term_##name(s, a, b, sums, crossed, mask, whole, pairs, rows, vectors);                                    \
        UNROLLED for (int w = 1; w < ways; w++)                                                                        \
        {                                                                                                              \
            UNROLLED for (int r = 0; r < rows; r++)                                                                    \
            {                                                                                                          \
                UNROLLED for (int v = 0; v < vectors; v++)                                                             \
                {                                                                                                      \
                    sums[r][v] += sums[w * rows + r][v];                                                               \
                    crossed[r][v] += crossed[w * rows + r][v];                                                         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

/* `rows` x `vectors` vectors of C, from row i and number j of a row on; `last` numbers of the last vector are there. */
#define TILE(name, T, ATTRIBUTE)                                                                                       \
    ATTRIBUTE INLINE void tile_##name(const struct small_product *s, int64_t i, int64_t j, int64_t last,               \
                                      const bool pairs, const int rows, const int vectors)                             \
    {                                                                                                                  \
        const T *a = (const T *)s->a + i * s->a_row, *b = (const T *)s->b + j;                                         \
        T *c = (T *)s->c + i * s->c_row + j;                                                                           \
        mask_##name mask = mask_of_##name(last);                                                                       \
        vector_##name sums[MOST_ROWS][MOST_OF_ROW] = { { { 0 } } }, crossed[MOST_ROWS][MOST_OF_ROW] = { { { 0 } } };   \
        if (last == LANES_##name)                                                                                      \
            terms_##name(s, a, b, sums, crossed, mask, true, pairs, rows, vectors);                                    \
        else                                                                                                           \
            terms_##name(s, a, b, sums, crossed, mask, false, pairs, rows, vectors);                                   \
        T tile[MOST_ROWS * MOST_VECTORS * LANES_##name];                                                               \
        const T *alpha = s->alpha, *beta = s->beta;                                                                    \
        const T scale = alpha ? *alpha : 1, keep = beta ? *beta : 0;                                                   \
        const int64_t row = s->c_row;                                                                                  \
        const bool blend = pairs && (alpha || (beta && beta[1] != 0)), adds = beta && !blend;                          \
        if (pairs) {                                                                                                   \
            UNROLLED for (int r = 0; r < rows; r++)                                                                    \
            {                                                                                                          \
                UNROLLED for (int v = 0; v < vectors; v++) sums[r][v] += crossed_##name(crossed[r][v]);                \
            }                                                                                                          \
        }                                                                                                              \
        /* All loads before the stores: a load waits for a store of a part that could reach into it. */                \
        if (adds || (alpha && !pairs)) {                                                                               \
            UNROLLED for (int r = 0; r < rows; r++)                                                                    \
            {                                                                                                          \
                UNROLLED for (int v = 0; v < vectors; v++)                                                             \
                {                                                                                                      \
                    const T *at = c + r * row + v * LANES_##name;                                                      \
                    if (!pairs)                                                                                        \
                        sums[r][v] *= scale;                                                                           \
                    if (adds)                                                                                          \
                        sums[r][v] += keep * (v + 1 < vectors ? load_##name(at) : load_part_##name(at, mask));         \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        UNROLLED for (int r = 0; r < rows; r++)                                                                        \
        {                                                                                                              \
            UNROLLED for (int v = 0; v < vectors; v++)                                                                 \
            {                                                                                                          \
                T *at = c + r * row + v * LANES_##name;                                                                \
                if (blend)                                                                                             \
                    store_##name(tile + (r * vectors + v) * LANES_##name, sums[r][v]);                                 \
                else if (v + 1 < vectors)                                                                              \
                    store_##name(at, sums[r][v]);                                                                      \
                else                                                                                                   \
                    store_part_##name(at, mask, sums[r][v]);                                                           \
            }                                                                                                          \
        }                                                                                                              \
        if (blend)                                                                                                     \
            blend_##name(s, tile, c, rows, vectors, last, pairs);                                                      \
    }

/* The products of `rows` rows of A, from row i on, with a vector. */
#define DOTS(name, T, ATTRIBUTE)                                                                                       \
    ATTRIBUTE INLINE void finish_##name(const struct small_product *s, T *at, T sum, T imaginary, const bool pairs)    \
    {                                                                                                                  \
        const T *alpha = s->alpha, *beta = s->beta;                                                                    \
        T im = alpha && pairs ? alpha[0] * imaginary + alpha[1] * sum : imaginary;                                     \
        T re = alpha && pairs ? alpha[0] * sum - alpha[1] * imaginary : alpha ? alpha[0] * sum : sum;                  \
        if (beta && pairs) {                                                                                           \
            re += beta[0] * at[0] - beta[1] * at[1];                                                                   \
            im += beta[0] * at[1] + beta[1] * at[0];                                                                   \
        } else if (beta) {                                                                                             \
            re += beta[0] * at[0];                                                                                     \
        }                                                                                                              \
        at[0] = re;                                                                                                    \
        if (pairs)                                                                                                     \
            at[1] = im;                                                                                                \
    }                                                                                                                  \
    ATTRIBUTE INLINE void dots_##name(const struct small_product *s, int64_t i, const bool pairs, const int rows)      \
    {                                                                                                                  \
        const T *a = (const T *)s->a + i * s->a_row, *x = s->b;                                                        \
        T *y = (T *)s->c + i * s->c_row;                                                                               \
        const int ways = rows == 1 ? MOST_WAYS : rows == 2 || !pairs ? 2 : 1;                                          \
        const int64_t step = (int64_t)ways * LANES_##name;                                                             \
        int64_t p = 0;                                                                                                 \
        vector_##name sums[MOST_DOTS][MOST_WAYS] = { { { 0 } } }, crossed[MOST_DOTS][MOST_WAYS] = { { { 0 } } };       \
        for (; p + step <= s->k; p += step) {                                                                          \
            UNROLLED for (int w = 0; w < ways; w++)                                                                    \
            {                                                                                                          \
                const vector_##name value = load_##name(x + p + w * LANES_##name);                                     \
                UNROLLED for (int r = 0; r < rows; r++)                                                                \
                {                                                                                                      \
                    const vector_##name row = load_##name(a + r * s->a_row + p + w * LANES_##name);                    \
                    sums[r][w] += row * value;                                                                         \
                    if (pairs)                                                                                         \
                        crossed[r][w] += row * turned_##name(value);                                                   \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (; p < s->k; p += LANES_##name) {                                                                          \
            mask_##name mask = mask_of_##name(s->k - p < LANES_##name ? s->k - p : LANES_##name);                      \
            const vector_##name value = load_part_##name(x + p, mask);                                                 \
            UNROLLED for (int r = 0; r < rows; r++)                                                                    \
            {                                                                                                          \
                const vector_##name row = load_part_##name(a + r * s->a_row + p, mask);                                \
                sums[r][0] += row * value;                                                                             \
                if (pairs)                                                                                             \
                    crossed[r][0] += row * turned_##name(value);                                                       \
            }                                                                                                          \
        }                                                                                                              \
        UNROLLED for (int r = 0; r < rows; r++)                                                                        \
        {                                                                                                              \
            UNROLLED for (int w = 1; w < ways; w++)                                                                    \
            {                                                                                                          \
                sums[r][0] += sums[r][w];                                                                              \
                if (pairs)                                                                                             \
                    crossed[r][0] += crossed[r][w];                                                                    \
            }                                                                                                          \
            if (pairs)                                                                                                 \
                sums[r][0] *= -signs_of_##name();                                                                      \
            finish_##name(s, y + r * s->c_row, sum_##name(sums[r][0]), pairs ? sum_##name(crossed[r][0]) : 0, pairs);  \
        }                                                                                                              \
    }

/* ---- functions for every size ---- */

enum { plain, paired }; /* numbers, and pairs of them */

#define TILE_FUNCTION(name, kind, rows, vectors, ATTRIBUTE)                                                            \
    ATTRIBUTE static void kind##_##name##_##rows##x##vectors(const struct small_product *s, int64_t i, int64_t j,      \
                                                             int64_t last)                                             \
    {                                                                                                                  \
        tile_##name(s, i, j, last, kind, rows, vectors);                                                               \
    }
#define DOTS_FUNCTION(name, kind, rows, ATTRIBUTE)                                                                     \
    ATTRIBUTE static void kind##_##name##_dots##rows(const struct small_product *s, int64_t i)                         \
    {                                                                                                                  \
        dots_##name(s, i, kind, rows);                                                                                 \
    }
#define BAND(name, kind, rows, ATTRIBUTE)                                                                              \
    TILE_FUNCTION(name, kind, rows, 1, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 2, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 3, ATTRIBUTE)
#define WIDE_BAND(name, kind, rows, ATTRIBUTE)                                                                         \
    BAND(name, kind, rows, ATTRIBUTE)                                                                                  \
    TILE_FUNCTION(name, kind, rows, 4, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 5, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 6, ATTRIBUTE)
#define BANDS_2(name, kind, ATTRIBUTE)                                                                                 \
    WIDE_BAND(name, kind, 1, ATTRIBUTE)                                                                                \
    BAND(name, kind, 2, ATTRIBUTE)                                                                                     \
    TILE_FUNCTION(name, kind, 3, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 4, 1, ATTRIBUTE)
#define BANDS_4(name, kind, ATTRIBUTE)                                                                                 \
    WIDE_BAND(name, kind, 1, ATTRIBUTE)                                                                                \
    WIDE_BAND(name, kind, 2, ATTRIBUTE)                                                                                \
    BAND(name, kind, 3, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 4, ATTRIBUTE)                                                                                     \
    TILE_FUNCTION(name, kind, 5, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 6, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 7, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 8, 1, ATTRIBUTE)
#define BANDS_8(name, kind, ATTRIBUTE)                                                                                 \
    WIDE_BAND(name, kind, 1, ATTRIBUTE)                                                                                \
    WIDE_BAND(name, kind, 2, ATTRIBUTE)                                                                                \
    WIDE_BAND(name, kind, 3, ATTRIBUTE)                                                                                \
    WIDE_BAND(name, kind, 4, ATTRIBUTE)                                                                                \
    BAND(name, kind, 5, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 6, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 7, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 8, ATTRIBUTE)                                                                                     \
    TILE_FUNCTION(name, kind, 9, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 10, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 11, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 12, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 13, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 14, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 15, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 16, 1, ATTRIBUTE)
#define DOTS_4(name, kind, ATTRIBUTE)                                                                                  \
    DOTS_FUNCTION(name, kind, 1, ATTRIBUTE)                                                                            \
    DOTS_FUNCTION(name, kind, 2, ATTRIBUTE)                                                                            \
    DOTS_FUNCTION(name, kind, 3, ATTRIBUTE)                                                                            \
    DOTS_FUNCTION(name, kind, 4, ATTRIBUTE)

#define BAND_OF(name, kind, rows)                                                                                      \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2, kind##_##name##_##rows##x3                             \
    }
#define WIDE_BAND_OF(name, kind, rows)                                                                                 \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2, kind##_##name##_##rows##x3,                            \
            kind##_##name##_##rows##x4, kind##_##name##_##rows##x5, kind##_##name##_##rows##x6                         \
    }
#define TALL_OF(name, kind, rows)                                                                                      \
    {                                                                                                                  \
        kind##_##name##_##rows##x1                                                                                     \
    }
#define BANDS_OF_2(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), BAND_OF(name, kind, 2), TALL_OF(name, kind, 3), TALL_OF(name, kind, 4)
#define BANDS_OF_4(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), WIDE_BAND_OF(name, kind, 2), BAND_OF(name, kind, 3), BAND_OF(name, kind, 4),          \
        TALL_OF(name, kind, 5), TALL_OF(name, kind, 6), TALL_OF(name, kind, 7), TALL_OF(name, kind, 8)
#define BANDS_OF_8(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), WIDE_BAND_OF(name, kind, 2), WIDE_BAND_OF(name, kind, 3),                             \
        WIDE_BAND_OF(name, kind, 4), BAND_OF(name, kind, 5), BAND_OF(name, kind, 6), BAND_OF(name, kind, 7),           \
        BAND_OF(name, kind, 8), TALL_OF(name, kind, 9), TALL_OF(name, kind, 10), TALL_OF(name, kind, 11),              \
        TALL_OF(name, kind, 12), TALL_OF(name, kind, 13), TALL_OF(name, kind, 14), TALL_OF(name, kind, 15),            \
        TALL_OF(name, kind, 16)
#define DOTS_OF(name, kind)                                                                                            \
    {                                                                                                                  \
        kind##_##name##_dots1, kind##_##name##_dots2, kind##_##name##_dots3, kind##_##name##_dots4                     \
    }

#define SHIFT_OF(lanes) ((lanes) == 2 ? 1 : (lanes) == 4 ? 2 : (lanes) == 8 ? 3 : 4)
#define TILES_OF(name, type, T, kind, rows)                                                                            \
    {                                                                                                                  \
        LANES_##name, SHIFT_OF(LANES_##name), sizeof(T), rows, one_##type, { BANDS_OF_##rows(name, kind) },            \
            DOTS_OF(name, kind)                                                                                        \
    }

/* Pairs need twice as many registers and get half of the rows. */
#define KERNELS(name, type, T, rows, half, ATTRIBUTE)                                                                  \
    BASICS(name, type, T, ATTRIBUTE)                                                                                   \
    TERM(name, T, ATTRIBUTE)                                                                                           \
    TERMS(name, T, ATTRIBUTE)                                                                                          \
    TILE(name, T, ATTRIBUTE)                                                                                           \
    DOTS(name, T, ATTRIBUTE)                                                                                           \
    BANDS_##rows(name, plain, ATTRIBUTE) BANDS_##half(name, paired, ATTRIBUTE) DOTS_4(name, plain, ATTRIBUTE)          \
        DOTS_4(name, paired, ATTRIBUTE) static const struct small_tiles tiles_##name[] = {                             \
            [plain] = TILES_OF(name, type, T, plain, rows),                                                            \
            [paired] = TILES_OF(name, type, T, paired, half),                                                          \
        };

KERNELS(f32x4, f32, float, 4, 2, )
KERNELS(f64x2, f64, double, 4, 2, )
#if defined(__x86_64__)
KERNELS(f32x8, f32, float, 4, 2, WITH_AVX2)
KERNELS(f64x4, f64, double, 4, 2, WITH_AVX2)
KERNELS(f32x16, f32, float, 8, 4, WITH_AVX512)
KERNELS(f64x8, f64, double, 8, 4, WITH_AVX512)
#endif

static const struct small_tiles *const kinds[SMALL_LEVELS][2] = {
    [SMALL_ANY] = { tiles_f32x4, tiles_f64x2 },
#if defined(__x86_64__)
    [SMALL_AVX2] = { tiles_f32x8, tiles_f64x4 },
    [SMALL_AVX512] = { tiles_f32x16, tiles_f64x8 },
#endif
};

static enum small_level level_of_processor(void)
{
#if defined(__x86_64__)
    bool avx2 = CPU_CAN(AVX2, "avx2") && CPU_CAN(FMA, "fma");
    if (avx2 && CPU_CAN(AVX512F, "avx512f") && CPU_CAN(AVX512VL, "avx512vl"))
        return SMALL_AVX512;
    if (avx2)
        return SMALL_AVX2;
#endif
    return SMALL_ANY;
}

enum small_level sdfg_rt_small_level(void)
{
    static atomic_int known; /* the level and 1: asking takes as long as a small product */
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level) {
        level = (int)level_of_processor() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (enum small_level)(level - 1);
}

const struct small_tiles *sdfg_rt_small_tiles(enum small_level level, int32_t type)
{
    bool wide = type == SDFG_RT_F64 || type == SDFG_RT_C128, pairs = type == SDFG_RT_C64 || type == SDFG_RT_C128;
    return &kinds[level][wide][pairs ? paired : plain];
}
