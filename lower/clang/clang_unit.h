/* The text that libclang gets (clang_unit.c), for clang_read.c. */
#ifndef LOWER_CLANG_UNIT_H
#define LOWER_CLANG_UNIT_H

#include "lower/clang/clang_walk.h"

#define CLANG_FUNCTION "__sdfg_tasklet_" /* and the number of the tasklet */

struct clang_unit {
    struct ir *ir;
    struct arena *arena;
    VEC(struct tasklet *) tasklets;
    VEC(struct clang_piece) pieces; /* global code, then one for each tasklet */
    uint32_t first_function;        /* piece of the first tasklet */
    struct text out;
    bool first; /* the next parameter is the first of its list */
};

void clang_find_tasklets(struct clang_unit *u, struct sdfg *root);
bool clang_write_unit(struct clang_unit *u, struct clang_walk *w, struct sdfg *root);

#endif
