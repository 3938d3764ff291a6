/* The text that libclang gets (clang_unit.c), for clang_read.c. */
#ifndef LOWER_CLANG_UNIT_H
#define LOWER_CLANG_UNIT_H

#include "ir/code/clang/clang_walk.h"

#define CLANG_FUNCTION "__sdfg_body_" /* and the number of the body */
#define CLANG_STATE    "__sdfg_state" /* the structure of the state fields */

/* Code that becomes a function: of a tasklet, or what runs when the program begins or ends. */
struct clang_body {
    struct tasklet *tasklet; /* NULL: code of the program, which knows the symbols of the root */
    struct code_text *code;
    const struct place *place;
};

struct clang_field {
    const struct place *place;
    const char *text; /* of the declaration */
};

struct clang_unit {
    struct ir *ir;
    struct arena *arena;
    struct sdfg *root;
    VEC(struct clang_body) bodies;
    VEC(const struct tasklet *) tasklets; /* with global code or fields of the state */
    VEC(struct clang_field) grids;        /* fields of the state that Dummy nodes declare for process grids */
    VEC(struct clang_piece) pieces;       /* global code and fields, then one for each body */
    uint32_t first_function;              /* piece of the first body */
    struct text out;
    bool first;     /* the next parameter is the first of its list */
    bool fields;    /* there are fields of the state */
    bool libraries; /* the state has the handles of CUDA's libraries */
};

void clang_find_code(struct clang_unit *u, struct sdfg *root);
bool clang_write_unit(struct clang_unit *u, struct clang_walk *w);

#endif
