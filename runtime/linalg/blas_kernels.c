/* Tiles of products in registers, for three kinds of processors. Compiled with fused multiply-adds where the processor
 * has them; the terms of an element are added in order, but for dot products of rows, whose lanes are added in the end.
 *
 * A complex matrix is one of real numbers with pairs for elements: with x the pairs of a row of B, sums of re(a) * x
 * and of im(a) * x are kept apart, and the second ones are exchanged within pairs and negated where they belong to the
 * real part when all terms are there. */
#include "runtime/cpu.h"
#include "runtime/linalg/blas_small.h"

#include <stdatomic.h>
#include <string.h>

#define IN_PLACE static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")

enum { MOST_LANES = 16, MOST_WAYS = 4 /* vectors of sums side by side in the product of a row with a vector */ };

/* What is taken away from or added to the parts of a complex number. */
static const float signs_f32[MOST_LANES] = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1 };
static const double signs_f64[MOST_LANES] = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1 };

static const float one_f32[2] = { 1, 0 };
static const double one_f64[2] = { 1, 0 };

/* Bytes from a row of A to the rows below: with these, of which a machine adds multiples to an address for nothing, 16
 * rows need few registers. Compilers see through it and keep more steps, some in memory, unless told not to. */
struct row_steps {
    int64_t one, three, five, seven, eight;
};

IN_PLACE struct row_steps row_steps_of(int64_t one)
{
    struct row_steps s = { one, 3 * one, 5 * one, 7 * one, 8 * one };
    __asm__("" : "+r"(s.one), "+r"(s.three), "+r"(s.five), "+r"(s.seven), "+r"(s.eight));
    return s;
}

IN_PLACE struct row_steps row_steps_now(const struct row_steps *steps)
{
    struct row_steps s = *steps;
    __asm__("" : "+r"(s.one), "+r"(s.three));
    return s;
}

/* Found when it is needed: compilers would like to have the places of all rows at once, which need more registers. */
IN_PLACE const void *row_behind(const void *row, int64_t bytes)
{
    const char *behind = (const char *)row + bytes;
    __asm__("" : "+r"(behind));
    return behind;
}

/* ---- what is the same for all kinds of vectors ---- */

#define TILES_JOIN_NOW(x, y, z) x##y##z
#define TILES_JOIN(x, y, z)     TILES_JOIN_NOW(x, y, z)

#define T       float
#define DOUBLE  0
#define BYTES   16
#define SIGNS   signs_f32
#define NAME(x) x##_f32x4
#define TARGET
#include "runtime/linalg/blas_tiles.inc"

#define T       double
#define DOUBLE  1
#define BYTES   16
#define SIGNS   signs_f64
#define NAME(x) x##_f64x2
#define TARGET
#include "runtime/linalg/blas_tiles.inc"

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX2   __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx2,fma")))

static const int32_t masks[MOST_LANES] = { -1, -1, -1, -1, -1, -1, -1, -1 }; /* 8 set, 8 not */

#define T       float
#define DOUBLE  0
#define BYTES   32
#define SIGNS   signs_f32
#define NAME(x) x##_f32x8
#define TARGET  WITH_AVX2
#include "runtime/linalg/blas_tiles.inc"

#define T       double
#define DOUBLE  1
#define BYTES   32
#define SIGNS   signs_f64
#define NAME(x) x##_f64x4
#define TARGET  WITH_AVX2
#include "runtime/linalg/blas_tiles.inc"

#define T       float
#define DOUBLE  0
#define BYTES   32
#define MASKS   1
#define SIGNS   signs_f32
#define NAME(x) x##_f32x8_masks
#define TARGET  WITH_AVX512
#include "runtime/linalg/blas_tiles.inc"

#define T       double
#define DOUBLE  1
#define BYTES   32
#define MASKS   1
#define SIGNS   signs_f64
#define NAME(x) x##_f64x4_masks
#define TARGET  WITH_AVX512
#include "runtime/linalg/blas_tiles.inc"

#define T       float
#define DOUBLE  0
#define BYTES   64
#define MASKS   1
#define SIGNS   signs_f32
#define NAME(x) x##_f32x16
#define TARGET  WITH_AVX512
#include "runtime/linalg/blas_tiles.inc"

#define T       double
#define DOUBLE  1
#define BYTES   64
#define MASKS   1
#define SIGNS   signs_f64
#define NAME(x) x##_f64x8
#define TARGET  WITH_AVX512
#include "runtime/linalg/blas_tiles.inc"

#endif

/* ---- functions for every size ---- */

enum { plain, paired }; /* numbers, and pairs of them */

#define TILE_FUNCTION(name, kind, rows, vectors, ATTRIBUTE)                                                            \
    ATTRIBUTE static void kind##_##name##_##rows##x##vectors(const struct small_product *s, int64_t i, int64_t j,      \
                                                             int64_t last)                                             \
    {                                                                                                                  \
        tile_##name(s, i, j, last, kind, rows, vectors);                                                               \
    }
#define DOTS_FUNCTION(name, kind, number, rows, ahead, ATTRIBUTE)                                                      \
    ATTRIBUTE static void kind##_##name##_dots##number(const struct small_product *s, int64_t i)                       \
    {                                                                                                                  \
        dots_##name(s, i, kind, rows, ahead);                                                                          \
    }
#define TALL_BAND(name, kind, rows, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, rows, 1, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 2, ATTRIBUTE)
#define BAND(name, kind, rows, ATTRIBUTE)                                                                              \
    TALL_BAND(name, kind, rows, ATTRIBUTE)                                                                             \
    TILE_FUNCTION(name, kind, rows, 3, ATTRIBUTE)
#define WIDER_BAND(name, kind, rows, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, rows, 4, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 5, ATTRIBUTE)                                                                      \
    TILE_FUNCTION(name, kind, rows, 6, ATTRIBUTE)
#define BANDS_2(name, kind, ATTRIBUTE)                                                                                 \
    BAND(name, kind, 1, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 2, ATTRIBUTE)                                                                                     \
    TALL_BAND(name, kind, 3, ATTRIBUTE)                                                                                \
    TILE_FUNCTION(name, kind, 4, 1, ATTRIBUTE)                                                                         \
    WIDER_BAND(name, kind, 1, ATTRIBUTE)
#define SHORT_4(name, kind, ATTRIBUTE)                                                                                 \
    BAND(name, kind, 1, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 2, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 3, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 4, ATTRIBUTE)                                                                                     \
    TALL_BAND(name, kind, 5, ATTRIBUTE)                                                                                \
    TALL_BAND(name, kind, 6, ATTRIBUTE)                                                                                \
    TILE_FUNCTION(name, kind, 7, 1, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 8, 1, ATTRIBUTE)
#define BANDS_4(name, kind, ATTRIBUTE)                                                                                 \
    SHORT_4(name, kind, ATTRIBUTE)                                                                                     \
    WIDER_BAND(name, kind, 1, ATTRIBUTE)                                                                               \
    WIDER_BAND(name, kind, 2, ATTRIBUTE)
#define SHORT_8(name, kind, ATTRIBUTE)                                                                                 \
    BAND(name, kind, 1, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 2, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 3, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 4, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 5, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 6, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 7, ATTRIBUTE)                                                                                     \
    BAND(name, kind, 8, ATTRIBUTE)                                                                                     \
    TALL_BAND(name, kind, 9, ATTRIBUTE)                                                                                \
    TALL_BAND(name, kind, 10, ATTRIBUTE)                                                                               \
    TALL_BAND(name, kind, 11, ATTRIBUTE)                                                                               \
    TALL_BAND(name, kind, 12, ATTRIBUTE)                                                                               \
    TILE_FUNCTION(name, kind, 13, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 14, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 15, 1, ATTRIBUTE)                                                                        \
    TILE_FUNCTION(name, kind, 16, 1, ATTRIBUTE)
#define BANDS_8(name, kind, ATTRIBUTE)                                                                                 \
    SHORT_8(name, kind, ATTRIBUTE)                                                                                     \
    WIDER_BAND(name, kind, 1, ATTRIBUTE)                                                                               \
    WIDER_BAND(name, kind, 2, ATTRIBUTE)                                                                               \
    WIDER_BAND(name, kind, 3, ATTRIBUTE)                                                                               \
    WIDER_BAND(name, kind, 4, ATTRIBUTE)                                                                               \
    TILE_FUNCTION(name, kind, 5, 4, ATTRIBUTE)                                                                         \
    TILE_FUNCTION(name, kind, 6, 4, ATTRIBUTE)
#define DOTS_4(name, kind, ATTRIBUTE)                                                                                  \
    DOTS_FUNCTION(name, kind, 1, 1, false, ATTRIBUTE)                                                                  \
    DOTS_FUNCTION(name, kind, 2, 2, false, ATTRIBUTE)                                                                  \
    DOTS_FUNCTION(name, kind, 3, 3, false, ATTRIBUTE)                                                                  \
    DOTS_FUNCTION(name, kind, 4, 4, false, ATTRIBUTE)                                                                  \
    DOTS_FUNCTION(name, kind, _ahead, 4, true, ATTRIBUTE)
#define COLUMNS_FUNCTION(name, columns, ATTRIBUTE)                                                                     \
    ATTRIBUTE static int64_t columns_##name##_##columns(const struct small_product *s)                                 \
    {                                                                                                                  \
        return dots_of_##name(s, columns);                                                                             \
    }
#define COLUMNS_4(name, ATTRIBUTE) COLUMNS_FUNCTION(name, 2, ATTRIBUTE)
#define COLUMNS_8(name, ATTRIBUTE)                                                                                     \
    COLUMNS_4(name, ATTRIBUTE)                                                                                         \
    COLUMNS_FUNCTION(name, 3, ATTRIBUTE)                                                                               \
    COLUMNS_FUNCTION(name, 4, ATTRIBUTE)                                                                               \
    COLUMNS_FUNCTION(name, 5, ATTRIBUTE)                                                                               \
    COLUMNS_FUNCTION(name, 6, ATTRIBUTE)

#define BAND_OF(name, kind, rows)                                                                                      \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2, kind##_##name##_##rows##x3                             \
    }
#define FOUR_OF(name, kind, rows)                                                                                      \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2, kind##_##name##_##rows##x3, kind##_##name##_##rows##x4 \
    }
#define WIDE_BAND_OF(name, kind, rows)                                                                                 \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2, kind##_##name##_##rows##x3,                            \
            kind##_##name##_##rows##x4, kind##_##name##_##rows##x5, kind##_##name##_##rows##x6                         \
    }
#define TALL_OF(name, kind, rows)                                                                                      \
    {                                                                                                                  \
        kind##_##name##_##rows##x1, kind##_##name##_##rows##x2                                                         \
    }
#define TALLEST_OF(name, kind, rows)                                                                                   \
    {                                                                                                                  \
        kind##_##name##_##rows##x1                                                                                     \
    }
#define BANDS_OF_2(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), BAND_OF(name, kind, 2), TALL_OF(name, kind, 3), TALLEST_OF(name, kind, 4)
#define BANDS_OF_4(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), WIDE_BAND_OF(name, kind, 2), BAND_OF(name, kind, 3), BAND_OF(name, kind, 4),          \
        TALL_OF(name, kind, 5), TALL_OF(name, kind, 6), TALLEST_OF(name, kind, 7), TALLEST_OF(name, kind, 8)
#define BANDS_OF_8(name, kind)                                                                                         \
    WIDE_BAND_OF(name, kind, 1), WIDE_BAND_OF(name, kind, 2), WIDE_BAND_OF(name, kind, 3),                             \
        WIDE_BAND_OF(name, kind, 4), FOUR_OF(name, kind, 5), FOUR_OF(name, kind, 6), BAND_OF(name, kind, 7),           \
        BAND_OF(name, kind, 8), TALL_OF(name, kind, 9), TALL_OF(name, kind, 10), TALL_OF(name, kind, 11),              \
        TALL_OF(name, kind, 12), TALLEST_OF(name, kind, 13), TALLEST_OF(name, kind, 14), TALLEST_OF(name, kind, 15),   \
        TALLEST_OF(name, kind, 16)
#define SHORT_OF_4(name, kind)                                                                                         \
    BAND_OF(name, kind, 1), BAND_OF(name, kind, 2), BAND_OF(name, kind, 3), BAND_OF(name, kind, 4),                    \
        TALL_OF(name, kind, 5), TALL_OF(name, kind, 6), TALLEST_OF(name, kind, 7), TALLEST_OF(name, kind, 8)
#define SHORT_OF_8(name, kind)                                                                                         \
    BAND_OF(name, kind, 1), BAND_OF(name, kind, 2), BAND_OF(name, kind, 3), BAND_OF(name, kind, 4),                    \
        BAND_OF(name, kind, 5), BAND_OF(name, kind, 6), BAND_OF(name, kind, 7), BAND_OF(name, kind, 8),                \
        TALL_OF(name, kind, 9), TALL_OF(name, kind, 10), TALL_OF(name, kind, 11), TALL_OF(name, kind, 12),             \
        TALLEST_OF(name, kind, 13), TALLEST_OF(name, kind, 14), TALLEST_OF(name, kind, 15), TALLEST_OF(name, kind, 16)
#define DOTS_OF(name, kind)                                                                                            \
    .dots = { kind##_##name##_dots1, kind##_##name##_dots2, kind##_##name##_dots3, kind##_##name##_dots4 },            \
    .dots_ahead = kind##_##name##_dots_ahead

#define COLUMNS_OF_2(name) .most_columns = 1
#define COLUMNS_OF_4(name) .most_columns = 2, .columns = { NULL, columns_##name##_2 }
#define COLUMNS_OF_8(name)                                                                                             \
    .most_columns = 6, .columns = {                                                                                    \
        NULL, columns_##name##_2, columns_##name##_3, columns_##name##_4, columns_##name##_5, columns_##name##_6       \
    }

#define SHIFT_OF(lanes) ((lanes) == 2 ? 1 : (lanes) == 4 ? 2 : (lanes) == 8 ? 3 : 4)
#define SIZES_OF(name, type, T, most_rows, most_vectors)                                                               \
    .lanes = sizeof(vector_##name) / sizeof(T), .shift = SHIFT_OF(sizeof(vector_##name) / sizeof(T)),                  \
    .bytes = sizeof(T), .rows = most_rows, .widest = most_vectors, .one = one_##type
#define TILES_OF(name, type, T, kind, most_rows, less, is_halves)                                                      \
    {                                                                                                                  \
        SIZES_OF(name, type, T, most_rows, MOST_VECTORS + (most_rows == 8)),                                           \
            .tiles = { BANDS_OF_##most_rows(name, kind) }, .halves = is_halves, .shorter = less, DOTS_OF(name, kind),  \
            COLUMNS_OF_##most_rows(name)                                                                               \
    }
#define SHORT_TILES_OF(name, type, T, kind, rows)                                                                      \
    {                                                                                                                  \
        SIZES_OF(name, type, T, rows, MOST_VECTORS), .tiles = { SHORT_OF_##rows(name, kind) }                          \
    }

/* Pairs need twice as many registers and get half of the rows. */
#define SHORT_KERNELS(name, type, T, ATTRIBUTE)                                                                        \
    SHORT_8(name, plain, ATTRIBUTE)                                                                                    \
    SHORT_4(name, paired, ATTRIBUTE)                                                                                   \
    static const struct small_tiles plain_##name = SHORT_TILES_OF(name, type, T, plain, 8);                            \
    static const struct small_tiles paired_##name = SHORT_TILES_OF(name, type, T, paired, 4);
#define FUNCTIONS(name, rows, half, ATTRIBUTE)                                                                         \
    BANDS_##rows(name, plain, ATTRIBUTE) BANDS_##half(name, paired, ATTRIBUTE) DOTS_4(name, plain, ATTRIBUTE)          \
        DOTS_4(name, paired, ATTRIBUTE) COLUMNS_##rows(name, ATTRIBUTE)
#define KERNELS(name, type, T, rows, half, ATTRIBUTE)                                                                  \
    FUNCTIONS(name, rows, half, ATTRIBUTE)                                                                             \
    static const struct small_tiles tiles_##name[] = {                                                                 \
        [plain] = TILES_OF(name, type, T, plain, rows, NULL, false),                                                   \
        [paired] = TILES_OF(name, type, T, paired, half, NULL, false),                                                 \
    };
#define LONG_TILES(name, type, T, less, halves)                                                                        \
    {                                                                                                                  \
        [plain] = TILES_OF(name, type, T, plain, 8, &plain_##less, halves),                                            \
        [paired] = TILES_OF(name, type, T, paired, 4, &paired_##less, halves),                                         \
    }
#define LONG_KERNELS(name, type, T, less, ATTRIBUTE)                                                                   \
    SHORT_KERNELS(less, type, T, ATTRIBUTE)                                                                            \
    FUNCTIONS(name, 8, 4, ATTRIBUTE)                                                                                   \
    static const struct small_tiles tiles_##name[] = LONG_TILES(name, type, T, less, false);                           \
    static const struct small_tiles halved_##name[] = LONG_TILES(name, type, T, less, true);

KERNELS(f32x4, f32, float, 4, 2, )
KERNELS(f64x2, f64, double, 4, 2, )
#if defined(__x86_64__)
KERNELS(f32x8, f32, float, 4, 2, WITH_AVX2)
KERNELS(f64x4, f64, double, 4, 2, WITH_AVX2)
LONG_KERNELS(f32x16, f32, float, f32x8_masks, WITH_AVX512)
LONG_KERNELS(f64x8, f64, double, f64x4_masks, WITH_AVX512)
#endif

static const struct small_tiles *const kinds[SMALL_LEVELS][2] = {
    [SMALL_ANY] = { tiles_f32x4, tiles_f64x2 },
#if defined(__x86_64__)
    [SMALL_AVX2] = { tiles_f32x8, tiles_f64x4 },
    [SMALL_AVX512] = { tiles_f32x16, tiles_f64x8 },
    [SMALL_AVX512_HALVES] = { halved_f32x16, halved_f64x8 },
#endif
};

static enum small_level level_of_processor(void)
{
#if defined(__x86_64__)
    bool avx2 = CPU_CAN(AVX2, "avx2") && CPU_CAN(FMA, "fma");
    if (avx2 && CPU_CAN(AVX512F, "avx512f") && CPU_CAN(AVX512VL, "avx512vl"))
        return cpu_has_halves() ? SMALL_AVX512_HALVES : SMALL_AVX512;
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
