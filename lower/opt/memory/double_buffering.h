/* Between the two files of the double-buffering pass: which loops need no copies (double_buffering_find.c), and what
 * becomes of them (double_buffering.c). */
#ifndef LOWER_PASS_DOUBLE_BUFFERING_H
#define LOWER_PASS_DOUBLE_BUFFERING_H

#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_scan.h"

/* An array and the copy of it that each iteration makes. */
struct buffer_pair {
    const struct tree_stmt *copy;
    struct tree_var *old, *now;
    uint32_t first_store; /* item of the body */
    uint32_t depth;       /* most loops around a store */
    /* Loads of elements of `now` that are stored to behind them: those are copied. */
    VEC(const struct tree_access *) rows;
};

struct buffers {
    struct tree *tree;
    struct tree_func *func;
    struct tree_stmt *loop;
    struct tree_frame frame; /* of the loop */
    struct tree_scan scan;   /* of the loop */
    struct tree_whole whole; /* the function, as it was before the pass */
    struct tree_piece *items /* of the loop's body */, function;
    VEC(struct buffer_pair) pairs;
};

/* Finds the pairs of the loop; false: there is none. Nests that copy whole arrays are copies in the body then. */
bool buffers_find(struct buffers *w);
/* The statement among those of the body that takes memory for the variable; NULL: there is not one. */
const struct tree_stmt *buffers_allocation(const struct buffers *w, const struct tree_var *v);

#endif
