/* Between the files that plan the functions of a tree. */
#ifndef LOWER_TREE_OUTLINE_PLAN_H
#define LOWER_TREE_OUTLINE_PLAN_H

#include "lower/tree/tree_outline.h"
#include "lower/tree/tree_uses.h"

struct tree_outline_plan {
    struct tree_outline *out;
    const struct tree *tree;
    struct arena *arena;
    struct tree_uses uses;
    uint32_t budget, in_unit; /* statements: see tree_outline; of the last unit so far */
    uint32_t num_outlined;
};

/* One more function, made of `body`, which is code of `outer`. */
struct tree_outlined *tree_outline_add(struct tree_outline_plan *p, const struct tree_outlined *outer,
                                       enum tree_outlined_kind kind, const struct tree_stmt *body);
/* Statements, parallel bodies not counted. */
uint32_t tree_outline_cost(const struct tree_stmt *s);
/* Makes functions of parts of `outer`, if it is too large. */
void tree_outline_split(struct tree_outline_plan *p, const struct tree_outlined *outer);

#endif
