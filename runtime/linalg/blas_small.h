/* Small products in registers: what blas_small.c and blas_kernels.c share, and the test of all kinds of processors. */
#ifndef RUNTIME_BLAS_SMALL_H
#define RUNTIME_BLAS_SMALL_H

#include "runtime/linalg/blas.h"

/* C = alpha A B + beta C in numbers: strides and n (of a vector product: k) count the parts of complex numbers. Rows of
 * B and C are contiguous. Of a product with a vector, b is that vector, n is 1, rows of A and the vector are
 * contiguous, and c_row is the way from one element of C to the next. alpha NULL: 1, beta NULL: 0; both point to one
 * element. */
struct small_product {
    const void *a, *b;
    void *c;
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, c_row;
    const void *alpha, *beta;
};

/* Kinds of processors, each with all that the ones before it have; in halves: its units are half as long as its
 * vectors, so that two vectors of that length take no longer. */
enum small_level { SMALL_ANY, SMALL_AVX2, SMALL_AVX512, SMALL_AVX512_HALVES, SMALL_LEVELS };
enum small_level sdfg_rt_small_level(void); /* of this one */

/* Rows and vectors of C that are summed up at a time, so that sums stay in registers: a kind's `rows` of MOST_VECTORS,
 * half of them of MOST_OF_ROW, three quarters of one vector more where there is `widest`, one and a half times as many
 * of two vectors and twice as many of one; and rows in products with a vector or with some at once. */
enum { MOST_ROWS = 16, MOST_VECTORS = 3, MOST_OF_ROW = 6, MOST_DOTS = 4, MOST_COLUMNS = 6 };

/* Terms from which the sums of a tile take longer than a line of C from memory. */
enum { LONG_TILE = 128 };

/* Bytes of B from which it goes by as streams, if its rows have more than so many. */
enum { SMALL_STREAMED = 1 << 20, SMALL_ROW = 1 << 10 };

/* A tile of C from row i and number j of the row on; its last vector has `last` numbers, 1 to `lanes`. */
typedef void small_tile(const struct small_product *s, int64_t i, int64_t j, int64_t last);
typedef void small_dots(const struct small_product *s, int64_t i);
typedef int64_t small_columns(const struct small_product *s); /* gives how many rows are done: all, or but for 1 to 3 */

struct small_tiles {
    int64_t lanes, shift, bytes, rows;         /* numbers of a vector, 1 << shift; bytes of one; at most so many rows */
    int64_t widest;                            /* vectors of tiles of more than half of the rows */
    const void *one;                           /* element */
    small_tile *tiles[MOST_ROWS][MOST_OF_ROW]; /* by rows and vectors, less one; NULL where there are too many */
    small_dots *dots[MOST_DOTS];               /* by rows, less one */
    small_dots *dots_ahead;                    /* of MOST_DOTS, of a matrix that is not in the first cache */
    bool halves;                               /* see SMALL_AVX512_HALVES */
    const struct small_tiles *shorter; /* of vectors half as long, without inner products; NULL: there are none */
    int64_t most_columns;
    small_columns *columns[MOST_COLUMNS]; /* products with so many vectors of real numbers, less one, b_row apart */
};

/* `level` up to sdfg_rt_small_level(). */
const struct small_tiles *sdfg_rt_small_tiles(enum small_level level, int32_t type);

/* Copies a matrix to one whose rows lie together and behind each other. */
void sdfg_rt_small_copy(int32_t type, const struct sdfg_rt_matrix *from, const struct sdfg_rt_matrix *to);

/* C = alpha A B + beta C with strides as for sdfg_rt_gemm. False: C's are not of the kind that is done here, or there
 * is no memory to bring an operand into order; nothing has happened then. */
bool sdfg_rt_small_run(enum small_level level, int32_t type, int64_t m, int64_t n, int64_t k, const void *a,
                       int64_t sam, int64_t sak, const void *b, int64_t sbk, int64_t sbn, void *c, int64_t scm,
                       int64_t scn, const void *alpha, const void *beta);

/* The same for products of any size, in blocks (blas_blocks.c). C's rows are contiguous. False: there is no memory, or
 * no term; nothing has happened then. */
bool sdfg_rt_blocks_run(enum small_level level, int32_t type, const struct sdfg_rt_matrix *a,
                        const struct sdfg_rt_matrix *b, const struct sdfg_rt_matrix *c, const void *alpha,
                        const void *beta);

#endif
