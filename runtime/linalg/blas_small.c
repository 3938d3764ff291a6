/* Small products: opening a library takes 2 ms, as long as some million multiply-adds, and a call of one is not free
 * either. Operands are brought into the order (blas_turn.c) that the kernels (blas_kernels.c) read. */
#include "runtime/linalg/blas_small.h"

#include "runtime/cpu.h"

#include <complex.h>
#include <stdlib.h>

enum { ON_STACK = 16 << 10 }; /* bytes of an operand that are copied to the stack; more go to new memory */

/* Bytes of B and of A that stay in the first cache beside what else is there, and of A in the second one; bytes of C
 * from which whole rows of it are written one after the other. */
enum { FIRST_OF_B = 36 << 10, FIRST_OF_A = 20 << 10, KEPT_OF_A = 256 << 10, LARGE_C = 64 << 10 };

/* Of products with a large B: rows of B that are read side by side, how much of each is asked for in advance, and how
 * much of C stays in the second cache meanwhile (bytes). */
enum { STREAMS = 16, AHEAD = 512, KEPT_OF_C = 512 << 10 };

static bool is_complex(int32_t type) { return type == SDFG_RT_C64 || type == SDFG_RT_C128; }

static double complex value_of(int32_t type, const void *element)
{
    switch (type) {
    case SDFG_RT_F32:
        return *(const float *)element;
    case SDFG_RT_F64:
        return *(const double *)element;
    case SDFG_RT_C64:
        return *(const float complex *)element;
    default:
        return *(const double complex *)element;
    }
}

/* NULL if it is `usual`. */
static const void *factor(int32_t type, const void *element, double usual)
{
    return element && value_of(type, element) != usual ? element : NULL;
}

/* ---- products ---- */

/* B in rows, in new memory or in `space` of ON_STACK bytes; to be freed if it is not that. NULL: there is no memory. */
static void *rows_of_b(int32_t type, int64_t rows, int64_t cols, const struct small_product *s, int64_t b_col,
                       void *space)
{
    size_t bytes = sdfg_rt_type_size(type) * (size_t)(rows * cols);
    void *memory = bytes > ON_STACK ? malloc(bytes) : space;
    struct sdfg_rt_matrix from = { (void *)s->b, rows, cols, s->b_row, b_col }, to = { memory, rows, cols, cols, 1 };
    if (memory)
        sdfg_rt_small_copy(type, &from, &to);
    return memory;
}

static int64_t parts_of(int64_t count, int64_t most) { return (count + most - 1) / most; }

/* What tiles to the right of this one will read of B. */
static void ask_ahead(const struct small_tiles *t, const struct small_product *s, int64_t j, int64_t width)
{
    uintptr_t at = (uintptr_t)s->b + (uintptr_t)(j * t->bytes + AHEAD); /* may be behind the end */
    for (int64_t p = 0; p < s->k; p++, at += (uintptr_t)(s->b_row * t->bytes))
        for (int64_t line = 0; line < width * t->bytes; line += CPU_LINE)
            __builtin_prefetch((const void *)(at + (uintptr_t)line));
}

/* The next of `left` parts: usually so many, all of them up to `most`, halves of what is left for two. Divisions take
 * as long as a tiny product. */
static int64_t next_of(int64_t left, int64_t usual, int64_t most)
{
    return left <= most ? left : left < 2 * usual ? (left + 1) / 2 : usual;
}

/* Some rows of A, up to `usual`, with all of B, then the next ones: A and C go by once. */
static void run_rows(const struct small_tiles *t, const struct small_product *s, int64_t usual, bool ahead)
{
    for (int64_t i = 0, rows; i < s->m; i += rows) {
        rows = next_of(s->m - i, usual, usual);
        int64_t most = usual == t->rows && 2 * rows <= usual ? MOST_OF_ROW : MOST_VECTORS;
        for (int64_t j = 0, width; j < s->n; j += width) {
            int64_t left = s->n - j, vectors = next_of((left + t->lanes - 1) >> t->shift, most, most);
            width = vectors << t->shift;
            if (ahead && i == 0)
                ask_ahead(t, s, j, width);
            t->tiles[rows - 1][vectors - 1](s, i, j, left < width ? t->lanes - (width - left) : t->lanes);
        }
    }
}

/* Rows of a tile of so many vectors, up to t->widest, and at most. */
static int64_t usual_rows(const struct small_tiles *t, int64_t vectors)
{
    return vectors == 1 ? 2 * t->rows : vectors > MOST_VECTORS ? 3 * t->rows / 4 : t->rows;
}

static int64_t most_rows(const struct small_tiles *t, int64_t vectors)
{
    return vectors == 2 ? 3 * t->rows / 2 : usual_rows(t, vectors);
}

/* Some columns of B, which stay in the first cache, with as many rows of A as stay in the second one. */
static void run_columns(const struct small_tiles *t, const struct small_product *s)
{
    int64_t bytes = s->m * s->k * t->bytes,
            block = bytes <= KEPT_OF_A ? s->m : parts_of(s->m, parts_of(bytes, KEPT_OF_A));
    for (int64_t first = 0; first < s->m; first += block) {
        int64_t end = s->m - first < block ? s->m : first + block;
        for (int64_t j = 0, width; j < s->n; j += width) {
            int64_t left = s->n - j, vectors = next_of((left + t->lanes - 1) >> t->shift, MOST_VECTORS, t->widest);
            int64_t usual = usual_rows(t, vectors), most = most_rows(t, vectors);
            width = vectors << t->shift;
            int64_t last = left < width ? t->lanes - (width - left) : t->lanes;
            for (int64_t i = first, rows; i < end; i += rows) {
                rows = next_of(end - i, usual, most);
                t->tiles[rows - 1][vectors - 1](s, i, j, last);
            }
        }
    }
}

/* A C that goes to the second cache between few terms: where multiply-adds take long, so that tiles need not be large,
 * smaller ones leave stores more time. */
static bool waits_for_stores(const struct small_tiles *t, const struct small_product *s)
{
    enum { LEAST = 4, MOST = 32 }; /* terms */
    return t->halves && s->k >= LEAST && s->k <= MOST && s->n > 2 * t->lanes &&
           s->m * s->n * t->bytes > CPU_FIRST_CACHE;
}

static void run_tiles(const struct small_tiles *t, const struct small_product *s, bool ahead)
{
    bool one_tile = s->n <= t->lanes && s->m <= 2 * t->rows, one_panel = s->n <= 2 * t->lanes;
    bool in_rows =
        s->m * s->k * t->bytes > FIRST_OF_A || (s->n > t->widest * t->lanes && s->m * s->n * t->bytes > LARGE_C);
    if (one_tile && !ahead)
        t->tiles[s->m - 1][0](s, 0, 0, s->n);
    else if (!ahead && waits_for_stores(t, s))
        run_rows(t, s, t->rows / 2, false);
    else if (ahead || s->m <= t->rows || (!one_panel && s->k * s->n * t->bytes <= FIRST_OF_B && in_rows))
        run_rows(t, s, t->rows, ahead);
    else
        run_columns(t, s);
}

/* A few rows of B at a time from one end to the other, for as many columns as C of them stays in the cache: B goes by
 * once, as fast as memory gives it. */
static void run_streams(const struct small_tiles *t, const struct small_product *s)
{
    struct small_product q = *s;
    int64_t step = parts_of(s->k, (s->k + STREAMS / 2) / STREAMS);
    int64_t block = parts_of(s->n, parts_of(s->m * s->n * t->bytes, KEPT_OF_C)), tile = MOST_VECTORS * t->lanes;
    block = parts_of(block, tile) * tile;
    for (int64_t j = 0; j < s->n; j += block) {
        q.n = s->n - j < block ? s->n - j : block;
        q.c = (char *)s->c + j * t->bytes;
        for (int64_t p = 0; p < s->k; p += step) {
            q.k = s->k - p < step ? s->k - p : step;
            q.a = (const char *)s->a + p * s->a_col * t->bytes;
            q.b = (const char *)s->b + (p * s->b_row + j) * t->bytes;
            q.beta = p > 0 ? t->one : s->beta;
            run_tiles(t, &q, true);
        }
    }
}

static void run_dots(const struct small_tiles *t, const struct small_product *s)
{
    enum { FAR = 64 << 10 };
    int64_t i = 0;
    small_dots *dots = s->m * s->k * t->bytes > FAR ? t->dots_ahead : t->dots[MOST_DOTS - 1];
    for (; i + MOST_DOTS <= s->m; i += MOST_DOTS)
        dots(s, i);
    if (i < s->m)
        t->dots[s->m - i - 1](s, i);
}

/* Columns at the end that are a part of a vector. */
struct rest {
    int64_t columns;
    const struct small_tiles *tiles; /* for shorter vectors; NULL: by products of A with vectors */
};

/* Whether a vector half as long is enough for the last part of a row, and takes half of the time. */
static bool ends_short(const struct small_tiles *t, const struct small_product *s)
{
    return t->halves && (s->n - 1) % t->lanes < t->shorter->lanes;
}

/* Columns that are the smaller part of a vector cost as much as a whole one, or a shorter one: as products of A with
 * vectors they are less work if rows of A are long. Alone they need not be less, because tiles of one vector wait for
 * loads of A; but a short vector without lanes left over is. Counted in multiply-adds of vectors, in whose time a
 * number of B is brought into order. */
static bool vectors_pay(const struct small_tiles *t, int32_t type, const struct small_product *s, int64_t columns)
{
    enum { SUM = 2 /* to add the lanes of a vector */, BEGIN = 200 };
    int64_t vectors = (s->k + t->lanes - 1) >> t->shift, numbers = columns * s->k;
    bool alone = columns == s->n, shorter = ends_short(t, s), fills = shorter && columns == t->shorter->lanes;
    bool possible = !is_complex(type) && s->a_col == 1 && s->m >= MOST_DOTS && numbers * t->bytes <= ON_STACK;
    int64_t quarters = alone ? 6 : shorter ? 3 : 4; /* of the terms */
    return possible && !(alone && fills) &&
           s->m * 2 * columns * (vectors + SUM) + numbers + BEGIN <= s->m * s->k * quarters / 4;
}

static struct rest rest_of(const struct small_tiles *t, int32_t type, const struct small_product *s)
{
    enum { FEW_VECTORS = 8, MANY = 500 };
    int64_t columns = s->n & (t->lanes - 1);
    if (columns > 0 && vectors_pay(t, type, s, columns))
        return (struct rest){ columns, NULL };
    bool pays = s->n > t->lanes + t->lanes / 2 && s->n < FEW_VECTORS * t->lanes && s->m * s->k >= MANY;
    if (columns > 0 && pays && ends_short(t, s))
        return (struct rest){ columns, t->shorter };
    return (struct rest){ 0, NULL };
}

/* Shorter vectors where C has no more than one of them, since processors load three of them at a time, and where two of
 * them take as long as a long one, in whatever they need less of. */
static const struct small_tiles *tiles_for(const struct small_tiles *t, const struct small_product *s)
{
    bool one = t->shorter && s->n <= t->shorter->lanes;
    bool some = ends_short(t, s) && s->n <= MOST_VECTORS * t->shorter->lanes;
    return one || some ? t->shorter : t;
}

static struct small_product rows_of(const struct small_tiles *t, const struct small_product *s, int64_t i, int64_t rows)
{
    struct small_product part = *s;
    part.a = (const char *)s->a + i * s->a_row * t->bytes;
    part.c = (char *)s->c + i * s->c_row * t->bytes;
    part.m = rows;
    return part;
}

/* A times vectors that are b_row apart, to columns of C: four rows with some vectors at a time, and rows that are left
 * over. */
static void run_vectors(const struct small_tiles *t, const struct small_product *s, int64_t columns)
{
    for (int64_t j = 0, width; j < columns; j += width) {
        struct small_product q = *s;
        width = next_of(columns - j, t->most_columns, t->most_columns);
        q.b = (const char *)s->b + j * s->b_row * t->bytes;
        q.c = (char *)s->c + j * t->bytes;
        int64_t done = width > 1 ? t->columns[width - 1](&q) : 0;
        q = rows_of(t, &q, done, s->m - done);
        for (int64_t v = 0; v < width && q.m > 0; v++) {
            run_dots(t, &q);
            q.b = (const char *)q.b + s->b_row * t->bytes;
            q.c = (char *)q.c + t->bytes;
        }
    }
}

/* Columns of B that are apart, as vectors side by side in `space`. */
static void gather_columns(int32_t type, const struct small_product *s, int64_t columns, void *space)
{
    int64_t size = (int64_t)sdfg_rt_type_size(type);
    struct sdfg_rt_matrix from = { (char *)s->b + s->n * size, columns, s->k, 1, s->b_row };
    struct sdfg_rt_matrix to = { space, columns, s->k, s->k, 1 };
    sdfg_rt_small_copy(type, &from, &to);
}

static void run_in_order(const struct small_tiles *t, const struct small_product *s)
{
    bool large = s->n * t->bytes > SMALL_ROW && s->k * s->n * t->bytes >= SMALL_STREAMED;
    if (large && s->k >= STREAMS + STREAMS / 2)
        run_streams(t, s);
    else
        run_tiles(t, s, false);
}

/* Tiles, and the rest while the rows of A are in the first cache, if B stays there, too. */
static void run_with_rest(const struct small_tiles *t, int32_t type, const struct small_product *s, struct rest rest)
{
    double space[ON_STACK / sizeof(double)];
    bool near = s->k * s->n * t->bytes <= FIRST_OF_B;
    int64_t tall = most_rows(t, s->n <= t->lanes ? 1 : 2), bands = FIRST_OF_A / (s->k * t->bytes * tall);
    int64_t block = near ? tall * (bands > 0 ? bands : 1) : s->m;
    for (int64_t i = 0; i < s->m; i += block) {
        struct small_product p = rows_of(t, s, i, s->m - i < block ? s->m - i : block);
        if (s->n > 0)
            run_in_order(t, &p);
        p.c = (char *)p.c + s->n * t->bytes;
        if (rest.tiles) {
            p.b = (const char *)p.b + s->n * t->bytes;
            p.n = rest.columns;
            run_tiles(rest.tiles, &p, false);
            continue;
        }
        if (i == 0) /* now that B is in the cache: this reads a column of it */
            gather_columns(type, s, rest.columns, space);
        p.b = space;
        p.b_row = s->k;
        run_vectors(t, &p, rest.columns);
    }
}

/* Strides and extents of complex numbers count their parts from here on. */
static void run(enum small_level level, int32_t type, bool vector, struct small_product *s)
{
    if (is_complex(type)) {
        *(vector ? &s->k : &s->n) *= 2;
        s->a_row *= 2;
        s->a_col *= 2;
        s->b_row *= 2;
        s->c_row *= 2;
    }
    const struct small_tiles *t = sdfg_rt_small_tiles(level, type);
    if (vector) {
        run_dots(t, s);
        return;
    }
    struct rest rest = rest_of(t, type, s);
    s->n -= rest.columns;
    if (rest.columns)
        run_with_rest(t, type, s, rest);
    else
        run_in_order(tiles_for(t, s), s);
}

static bool run_ordered(enum small_level level, int32_t type, bool vector, struct small_product *s, int64_t b_col)
{
    _Alignas(64) double complex space[ON_STACK / sizeof(double complex)];
    int64_t rows = vector ? 1 : s->k, cols = vector ? s->k : s->n;
    void *memory = rows_of_b(type, rows, cols, s, b_col, space);
    if (!memory)
        return false;
    s->b = memory;
    s->b_row = cols;
    run(level, type, vector, s);
    if (memory != space)
        free(memory);
    return true;
}

bool sdfg_rt_small_run(enum small_level level, int32_t type, int64_t m, int64_t n, int64_t k, const void *a,
                       int64_t sam, int64_t sak, const void *b, int64_t sbk, int64_t sbn, void *c, int64_t scm,
                       int64_t scn, const void *alpha, const void *beta)
{
    struct small_product s = { .c = c, .k = k, .alpha = factor(type, alpha, 1), .beta = factor(type, beta, 0) };
    bool vector = n == 1 && sak == 1;
    int64_t b_col = 1;
    if (k <= 0)
        return false;
    if (vector || (n > 1 && scn == 1)) {
        s.a = a;
        s.b = b;
        s.m = m;
        s.n = n;
        s.a_row = sam;
        s.a_col = sak;
        s.b_row = sbk;
        s.c_row = scm;
        b_col = vector ? sbk : sbn;
    } else if (scm == 1) { /* C^T = B^T A^T */
        s.a = b;
        s.b = a;
        s.m = n;
        s.n = m;
        s.a_row = sbn;
        s.a_col = sbk;
        s.b_row = sak;
        s.c_row = scn;
        b_col = sam;
    } else {
        return false;
    }
    if (b_col != 1)
        return run_ordered(level, type, vector, &s, b_col);
    run(level, type, vector, &s);
    return true;
}
