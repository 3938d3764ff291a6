/* May two accesses to memory touch the same element, in which iterations of the loops around them, and on which
 * condition of the run? The one place that knows; passes ask, and decide what they do about it.
 *
 * What is compared are index expressions as sums (tree_linear.h), within the bounds of all loops around, which may be
 * triangles and may depend on variables (sizes) that are the same for both accesses. Where strides are such variables,
 * indices are taken apart into dimensions: i * N + j with |j - j'| < N proved by the bounds. */
#ifndef LOWER_TREE_DEPEND_H
#define LOWER_TREE_DEPEND_H

#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_system.h"

enum { DEPEND_LOOPS = 8 };

/* One loop at each access: the same one, of which they are in any two iterations, or two that are compared. */
struct depend_loop {
    const struct tree_stmt *a, *b;
    bool in_step; /* only iterations that stand equally far from the begin of their loop */
};

struct depend_query {
    struct arena *arena; /* for what is made meanwhile */
    const struct tree_access *a, *b;
    /* Loops whose iterations may be different ones, outermost first. Loops further out that are around both accesses
     * are in one and the same iteration; those further in are in any. */
    const struct depend_loop *loops;
    uint32_t count;
    /* May the variable, which belongs to no loop around, have different values at the two accesses? NULL: none has. */
    bool (*changes)(void *user, const struct tree_var *v);
    void *user;
};

enum depend_kind {
    DEPEND_NEVER,   /* no element is touched by both */
    DEPEND_MEET,    /* elements of the same memory: `distance` says where */
    DEPEND_OVERLAP, /* only if different pointers lead to the same memory */
    DEPEND_UNKNOWN  /* nothing is known of one of the places */
};

struct depend {
    enum depend_kind kind;
    bool certain; /* MEET: for some iterations and values of variables they do meet */
    /* MEET, for each loop that was asked about: iteration of b minus iteration of a, in values of the variable counted
     * from the begin. No two iterations at other distances meet. */
    struct system_range distance[DEPEND_LOOPS];
};

/* Surely no element in common, if both are evaluated with the same values of all variables? */
bool depend_differs(const struct tree_access *a, const struct tree_access *b);

struct depend depend_between(const struct depend_query *q);
/* Do they surely touch no element in common? */
bool depend_is_never(const struct depend_query *q);
/* ... or only in iterations of the last loop that are in step? */
bool depend_is_in_step(const struct depend_query *q);

/* The end of the loop if it runs: max(x, y) is x if y is no further than the begin. */
const struct tree_expr *depend_end(const struct tree_stmt *loop);
/* Is the sum at least 0 in all iterations of the loops? */
bool depend_is_natural(struct arena *arena, const struct linear *l, const struct tree_frame *frame);

#endif
