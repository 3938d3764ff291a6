/* Large products from tiles: where there is no library, or one whose kernels are for older processors.
 *
 * B is brought into panels as wide as a tile, some terms at a time, which stay near while all rows of a block of A go
 * by; that is copied to rows that lie together and stays in the second cache (K. Goto, R. van de Geijn: Anatomy of
 * High-Performance Matrix Multiplication, ACM TOMS 34, 2008). */
#include "runtime/linalg/blas_small.h"

#include "runtime/cpu.h"
#include "runtime/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a panel of B, and of all panels of B at a time. Panels of so many terms come from the second cache, which is
 * quicker than more passes over a large C. */
enum { PANEL = 96 << 10, BLOCK_OF_B = 4 << 20, FEW_PANELS = 2, MOST_OF_CACHE = 2 * CPU_SECOND_CACHE };

/* One product in blocks. Numbers are counted as in struct small_product: a complex number is two. */
struct blocks {
    const struct small_tiles *tiles;
    int32_t type;
    int64_t parts;                    /* numbers of an element */
    int64_t terms, rows, cols, width; /* of a block: elements of k, rows of A, numbers of B; of a panel of B */
    bool in_place;                    /* A: its rows are contiguous, and too few columns of B use them */
    char *a, *b;                      /* the copies */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t parts_of(int64_t count, int64_t most) { return (count + most - 1) / most; }

/* `count` in equal parts of at most `most`, each a multiple of `unit`. */
static int64_t part_of(int64_t count, int64_t most, int64_t unit)
{
    int64_t each = parts_of(count, parts_of(count, most > unit ? most : unit));
    return parts_of(each, unit) * unit;
}

/* Bytes of a block of A: half of the second cache. The system is asked once: in a virtual machine that takes
 * microseconds. */
static int64_t block_of_a(void)
{
    static atomic_int known;
    int size = atomic_load_explicit(&known, memory_order_relaxed);
    if (!size) {
        long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
        size = cache < CPU_SECOND_CACHE ? CPU_SECOND_CACHE : cache > MOST_OF_CACHE ? MOST_OF_CACHE : (int)cache;
        atomic_store_explicit(&known, size, memory_order_relaxed);
    }
    return size / 2;
}

static bool choose(struct blocks *x, const struct small_product *s, const struct small_tiles *t)
{
    x->tiles = t;
    x->width = MOST_VECTORS * t->lanes;
    x->terms = part_of(s->k, PANEL / (x->width * t->bytes), 1);
    x->rows = part_of(s->m, block_of_a() / (x->terms * x->parts * t->bytes), t->rows);
    x->cols = part_of(s->n, BLOCK_OF_B / (x->terms * t->bytes), x->width);
    x->in_place = s->a_col == 1 && s->n <= FEW_PANELS * x->width;
    size_t a = x->in_place ? 0 : (size_t)(x->rows * x->terms * x->parts * t->bytes),
           b = (size_t)(x->cols * x->terms * t->bytes);
    a = (a + CPU_LINE - 1) / CPU_LINE * CPU_LINE;
    b = (b + CPU_LINE - 1) / CPU_LINE * CPU_LINE;
    x->a = sdfg_rt_pages(a + b);
    x->b = x->a ? x->a + a : NULL;
    return x->a != NULL;
}

/* Terms from p on of the numbers from j on, in panels, from contiguous rows of B: those are read one by one, so that
 * the processor prefetches them. What a panel has more than B is 0. */
static void take_whole_rows(struct blocks *x, const struct small_product *s, int64_t p, int64_t terms, int64_t j,
                            int64_t cols)
{
    int64_t bytes = x->tiles->bytes, wide = x->width * bytes, panel = terms * wide, row = s->b_row * x->parts * bytes;
    const char *from = (const char *)s->b + p * row + j * bytes;
    for (int64_t q = 0; q < terms; q++, from += row) {
        char *to = x->b + q * wide;
        int64_t left = cols * bytes;
        const char *at = from;
        for (; left >= wide; left -= wide, at += wide, to += panel)
            memcpy(to, at, (size_t)wide);
        if (left > 0) {
            memcpy(to, at, (size_t)left);
            memset(to + left, 0, (size_t)(wide - left));
        }
    }
}

/* The same for any strides of B, panel by panel. */
static void take_panels(struct blocks *x, const struct small_product *s, int64_t b_col, int64_t p, int64_t terms,
                        int64_t j, int64_t cols)
{
    int64_t size = x->tiles->bytes * x->parts, wide = x->width / x->parts;
    if (b_col == 1) {
        take_whole_rows(x, s, p, terms, j, cols);
        return;
    }
    for (int64_t at = 0; at < cols; at += x->width) {
        char *panel = x->b + at * terms * x->tiles->bytes;
        int64_t here = least(x->width, cols - at) / x->parts;
        if (here < wide)
            memset(panel, 0, (size_t)(terms * x->width * x->tiles->bytes));
        const char *first = (const char *)s->b + (p * s->b_row + (j + at) / x->parts * b_col) * size;
        struct sdfg_rt_matrix from = { (void *)first, terms, here, s->b_row, b_col };
        struct sdfg_rt_matrix to = { panel, terms, here, wide, 1 };
        sdfg_rt_copy_matrix(x->type, &from, &to);
    }
}

/* Rows of A from i on, and their terms from p on. */
static struct sdfg_rt_matrix take_rows(struct blocks *x, const struct small_product *s, int64_t i, int64_t rows,
                                       int64_t p, int64_t terms)
{
    int64_t size = x->tiles->bytes * x->parts;
    const char *first = (const char *)s->a + (i * s->a_row + p * s->a_col) * size;
    struct sdfg_rt_matrix from = { (void *)first, rows, terms, s->a_row, s->a_col };
    struct sdfg_rt_matrix to = { x->a, rows, terms, terms, 1 };
    if (x->in_place)
        return from;
    sdfg_rt_copy_matrix(x->type, &from, &to);
    return to;
}

/* C's rows from i on, and numbers from j on, with what a block of A and the panels of B add to them. */
static void run_block(const struct blocks *x, const struct small_product *s, const struct sdfg_rt_matrix *a, int64_t i,
                      int64_t j, int64_t cols, const void *beta)
{
    int64_t terms = a->cols, rows = a->rows;
    const struct small_tiles *t = x->tiles;
    for (int64_t at = 0; at < cols; at += x->width) {
        int64_t left = least(x->width, cols - at), vectors = (left + t->lanes - 1) >> t->shift;
        struct small_product q = { .a = a->data, .m = rows, .n = left, .k = terms, .alpha = s->alpha, .beta = beta };
        q.b = x->b + at * terms * t->bytes;
        q.c = (char *)s->c + (i * s->c_row * x->parts + j + at) * t->bytes;
        q.a_row = a->row_stride * x->parts;
        q.a_col = x->parts;
        q.b_row = x->width;
        q.c_row = s->c_row * x->parts;
        int64_t last = left - ((vectors - 1) << t->shift);
        for (int64_t r = 0, here; r < rows; r += here) {
            here = least(t->rows, rows - r);
            t->tiles[here - 1][vectors - 1](&q, r, 0, last);
        }
    }
}

static void run_blocks(struct blocks *x, const struct small_product *s, int64_t b_col)
{
    for (int64_t j = 0; j < s->n; j += x->cols)
        for (int64_t p = 0; p < s->k; p += x->terms) {
            int64_t cols = least(x->cols, s->n - j), terms = least(x->terms, s->k - p);
            take_panels(x, s, b_col, p, terms, j, cols);
            for (int64_t i = 0; i < s->m; i += x->rows) {
                struct sdfg_rt_matrix a = take_rows(x, s, i, least(x->rows, s->m - i), p, terms);
                run_block(x, s, &a, i, j, cols, p > 0 ? x->tiles->one : s->beta);
            }
        }
}

bool sdfg_rt_blocks_run(enum small_level level, int32_t type, const struct sdfg_rt_matrix *a,
                        const struct sdfg_rt_matrix *b, const struct sdfg_rt_matrix *c, const void *alpha,
                        const void *beta)
{
    struct blocks x = { .type = type, .parts = type == SDFG_RT_C64 || type == SDFG_RT_C128 ? 2 : 1 };
    struct small_product s = { .a = a->data,
                               .b = b->data,
                               .c = c->data,
                               .m = c->rows,
                               .n = c->cols * x.parts,
                               .k = a->cols,
                               .a_row = a->row_stride,
                               .a_col = a->col_stride,
                               .b_row = b->row_stride,
                               .c_row = c->row_stride,
                               .alpha = alpha,
                               .beta = beta };
    if (s.k <= 0 || c->col_stride != 1 || !choose(&x, &s, sdfg_rt_small_tiles(level, type)))
        return false;
    run_blocks(&x, &s, b->col_stride);
    free(x.a);
    return true;
}
