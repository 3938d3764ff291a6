/* Between the passes that bring iterations together (pass_jam.c, pass_chains.c) and what does it (pass_jam_rows.c). */
#ifndef LOWER_PASS_JAM_H
#define LOWER_PASS_JAM_H

#include "lower/opt/passes.h"

enum { JAM_MOST = 8 };

/* `rows` iterations of the loop, JAM_MOST at most, go through the loops inside together; those left over come behind.
 * The body has assignments, sums, stores, memory on the stack, and loops with the same bounds in every iteration. */
void jam_iterations(struct tree *t, struct tree_stmt *loop, uint32_t rows);

#endif
