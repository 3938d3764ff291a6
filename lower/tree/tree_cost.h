/* How much work a statement is, roughly, as an expression that can be evaluated in front of it. The unit is one simple
 * operation: 0.05 to 0.5 ns, with and without vector instructions. */
#ifndef LOWER_TREE_COST_H
#define LOWER_TREE_COST_H

#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"

/* Work of one execution of `body`, with `piece` the scan of the loop around it: trip counts of inner loops that `piece`
 * changes count as a small constant. int64, at most 2^24 if constant. */
struct tree_expr *tree_cost(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *body);
/* Work of one iteration. Vectors have more lanes for numbers of less than eight bytes: where the loop is independent
 * and has nothing but such, several iterations are the work of one. */
struct tree_expr *tree_cost_iteration(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *loop);
/* The same, closer to the truth: trip counts that `piece` changes count as the middle of what they can be, where the
 * loops around, from `outer` on, tell, and reductions as atomic only if their place depends on data. */
struct tree_expr *tree_cost_middle(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *loop,
                                   const struct tree_frame *outer);
/* Will the loops inside that have no loops themselves (or the loop itself) become vector code, as far as one sees here?
 * A unit takes a third to a tenth of the time then. */
bool tree_cost_has_vectors(struct tree_stmt *loop);
/* Number of iterations of a FOR loop, int64; may be negative for none. */
struct tree_expr *tree_trip_count(struct tree *t, const struct tree_stmt *loop);
/* trips * work, saturated so that it cannot overflow. */
struct tree_expr *tree_cost_repeat(struct tree *t, struct tree_expr *trips, struct tree_expr *work);

#endif
