/* Between the files of the pass lines: which rows go through whole vectors (pass_lines.c), and what an iteration of
 * those leaves to the next one (pass_lines_carry.c). */
#ifndef LOWER_PASS_LINES_H
#define LOWER_PASS_LINES_H

#include "lower/opt/passes.h"

enum { LINES_LOADS = 64 };

/* Elements side by side that an iteration of the loop loads are loaded once, and stay in variables for the iterations
 * behind it. `block` gets what the first one finds there: it runs, and the loop is put behind that. `loads`,
 * LINES_LOADS at most, are those of its body whose place moves by one element in each iteration, each once. Gives the
 * number of elements that stay. */
uint32_t lines_carry(struct tree *t, struct tree_stmt *block, struct tree_stmt *loop,
                     const struct tree_expr *const *loads, uint32_t count);

#endif
