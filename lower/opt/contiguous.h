/* Nests of independent loops whose iterations store to consecutive elements, all of a range: fills and copies. */
#ifndef LOWER_PASS_CONTIGUOUS_H
#define LOWER_PASS_CONTIGUOUS_H

#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"

enum { CONTIGUOUS_LOOPS = 8 };

struct contiguous_nest {
    struct tree *tree;
    const struct tree_stmt *loops[CONTIGUOUS_LOOPS];
    uint32_t count;
    const struct tree_stmt *body; /* of the innermost loop */
    struct tree_scan scan;        /* of the nest */
};

/* Independent loops in each other with bounds that do not change, and something in the innermost one. */
bool contiguous_nest_of(struct contiguous_nest *c, struct tree *t, const struct tree_stmt *nest);
/* Are all variables that it assigns its own? `whole` is the scan of the function. */
bool contiguous_is_closed(const struct contiguous_nest *c, const struct tree_scan *whole);
/* What a statement of the body stores: a variable's value is the last one that the body has given it. */
const struct tree_expr *contiguous_value(const struct contiguous_nest *c, const struct tree_stmt *store);
/* Do the iterations store to all elements of a range, of which `first` is the index of the first? The strides of the
 * loops are 1 and the products of the trip counts of the loops with smaller strides. */
bool contiguous_first(const struct contiguous_nest *c, const struct tree_stmt *store, struct linear *first);
/* How many elements: the product of the trip counts. */
struct tree_expr *contiguous_elements(const struct contiguous_nest *c);

#endif
