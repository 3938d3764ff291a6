/* Two loops change places:
 *
 *     for k { values; for i independent { body } }        ->        for i independent { for k { values; body } }
 *
 * for the passes turn, which brings loops together so, and strip, which takes the new one apart. */
#ifndef LOWER_PASS_TURN_H
#define LOWER_PASS_TURN_H

#include "lower/opt/iterations.h"

/* The independent loop that is all of a sequential one, but for values of variables in front of it; NULL: none. */
struct tree_stmt *turn_inner(const struct tree_stmt *loop);
/* A nest that does the same with the inner loop outside, made of new statements; `loop` stays what it is. NULL: it
 * would not be the same, as iterations of the inner loop are independent in one of the outer one only, or bounds or
 * variables are in the way. `frame`: the loops around. */
struct tree_stmt *turn_nest(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame);

#endif
