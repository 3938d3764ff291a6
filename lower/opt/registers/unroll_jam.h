/* Unroll-and-jam: several iterations of a loop go on together. Passes decide which (unroll_jam.c, interleave.c,
 * unroll_jam_triangle.c, unroll_jam_solve.c); this is what they do it with (unroll_jam_rows.c). */
#ifndef LOWER_OPT_UNROLL_JAM_H
#define LOWER_OPT_UNROLL_JAM_H

#include "lower/opt/iterations.h"
#include "lower/opt/passes.h"

enum { JAM_MOST = 8 };

/* Have the loops directly inside the same bounds in every iteration, does the loop count by one, and do values of its
 * variables stay in one iteration? `scan` is that of the loop. What iterations do to memory is for the caller to
 * compare. */
bool jam_is_possible(struct iterations *x, struct tree_stmt *loop, const struct tree_scan *scan);

/* `rows` iterations of the loop, JAM_MOST at most, go through the loops inside together; those left over come behind.
 * The body has assignments, sums, stores, memory on the stack, and loops with the same bounds in every iteration. */
void jam_iterations(struct tree *t, struct tree_stmt *loop, uint32_t rows);

/* The values of an expression in as many iterations as the vector has lanes, from the one on that `v`, the variable of
 * their loop, stands for: neighbours in memory become vectors. NULL: there is something else. */
struct tree_expr *jam_lanes(struct tree *t, struct tree_expr *e, const struct tree_var *v, const struct type *vector);

/* A loop taken apart: blocks of `rows` iterations, and those left over. */
struct jam_blocks {
    struct tree_stmt *loop, *main, *out; /* the loop; over blocks, with a body to be filled; what stands for both */
    struct tree_expr *first, *stop;      /* of the block; where the last block ends */
    const struct tree_stmt *around;      /* the region before */
};
struct jam_blocks jam_begin(struct tree *t, struct tree_stmt *loop, uint32_t rows);
/* The loop becomes the blocks with what is left behind them, unless there is known to be nothing. */
void jam_end(struct tree *t, struct jam_blocks *b);

#endif
