/* Between the files of the interleave pass: rows that need each other (interleave_lag.c). */
#ifndef LOWER_PASS_INTERLEAVE_H
#define LOWER_PASS_INTERLEAVE_H

#include "lower/opt/registers/unroll_jam.h"

enum { INTERLEAVE_ROWS = 4 }; /* of those that need each other */

/* Does a step of the loop, which is not independent, load what a store of one or two steps before stored? */
bool interleave_is_chain(struct tree_stmt *loop);

/* Iterations of a loop around a single one, and by how many of its steps each has to stay behind the one before. */
struct lagging {
    struct tree_stmt *loop, *inner;
    int64_t lag;
    bool once; /* no element is stored twice: loads may take values that were stored steps before */
};

/* May iterations of the loop go on together, each some steps of the inner loop behind the one before? `frame`: the
 * loops around. */
bool lag_is_possible(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame, struct lagging *l);
/* The body of the row with its loops as one, which is a chain (interleave_join.c); NULL: they cannot be. */
struct tree_stmt *interleave_join(struct tree *t, struct tree_stmt *row, const struct tree_frame *frame);
/* `rows` iterations, JAM_MOST at most, go on together; those left over come behind. */
void lag_iterations(struct tree *t, const struct lagging *l, uint32_t rows);
/* In the body of a loop of which no element is stored twice, loads take what was stored in the same step or up to two
 * steps before from variables. `front`: the block in front of the loop, which begins at `begin`. */
void lag_forward(struct tree *t, struct tree_stmt *loop, struct tree_stmt *front, struct tree_expr *begin);

#endif
