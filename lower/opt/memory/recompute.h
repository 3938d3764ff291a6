/* What the files of the recompute pass share. */
#ifndef LOWER_OPT_MEMORY_RECOMPUTE_H
#define LOWER_OPT_MEMORY_RECOMPUTE_H

#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"

enum { RECOMPUTE_LOOPS = 6 };

/* A nest that stores one element in each iteration. */
struct recompute_nest {
    struct tree *tree;
    struct tree_stmt *loops[RECOMPUTE_LOOPS]; /* from the outside in */
    uint32_t num_loops;
    struct tree_stmt *body, *store; /* the last statement of it */
    const struct tree_var *memory;
    struct linear at; /* of the store */
    uint32_t work;    /* of an element */
    struct tree_scan scan;
    VEC(uint32_t) classes; /* that it loads from */
    VEC(const struct tree_var *) roots;
    bool device; /* code for one */
    bool good;
};

/* ---- recompute_solve.c ---- */

/* The values of the counters for which the nest stores at `index`, a sum for each loop; false: they are not found. */
bool recompute_solve(const struct recompute_nest *p, const struct tree_expr *index, struct linear *counters);
/* Are they within the bounds of the nest in all iterations of the loops? */
bool recompute_is_within(const struct recompute_nest *p, const struct linear *counters, const struct tree_frame *frame);

#endif
