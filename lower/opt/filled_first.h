/* Does every iteration of a loop write memory before it reads it? Then the memory is its own: no iteration has to do
 * with what another one leaves there. */
#ifndef LOWER_PASS_FILLED_FIRST_H
#define LOWER_PASS_FILLED_FIRST_H

#include "lower/tree/tree_linear.h"

/* Elements base + low .. base + low + count - 1 of the memory that the variable points to. */
struct filled_part {
    const struct tree_var *memory;
    const struct type *type;   /* of the elements */
    const struct linear *base; /* keeps its value in an iteration */
    int64_t low, count;
};

/* Does every iteration that reads any of it write all of it before, on the same way through its branches? The loop
 * names no other elements of that memory, and has no jumps. */
bool filled_first(const struct filled_part *part, struct tree_stmt *loop);

#endif
