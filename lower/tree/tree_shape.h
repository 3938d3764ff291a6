/* The shape of loops and statements: the questions that passes ask before they look further. */
#ifndef LOWER_TREE_SHAPE_H
#define LOWER_TREE_SHAPE_H

#include "lower/tree/tree.h"

/* A loop over whole numbers of 64 bits, one after the other? Any statement may be asked about. */
bool loop_counts_by_one(const struct tree_stmt *s);
bool loop_has_constant_bounds(const struct tree_stmt *loop);
/* Its end minus its begin, which are constants. Of more than 2^56 that number, or its negative: it can be multiplied
 * with sizes of elements. */
int64_t loop_span(const struct tree_stmt *loop);
/* Is it known that the loop runs fewer iterations? */
bool loop_is_shorter(const struct tree_stmt *loop, int64_t iterations);
/* The statement and all inside. */
uint32_t stmt_count(const struct tree_stmt *s);
/* Is it that constant? NULL is none. */
bool expr_is_float(const struct tree_expr *e, double value);

#endif
