/* What the function made of a piece of tree does with variables: which it touches, and which have a single assignment
 * that dominates all uses, so that they need no memory. */
#ifndef LOWER_TREE_USES_H
#define LOWER_TREE_USES_H

#include "lower/tree/tree.h"

/* Of one variable. */
struct tree_use {
    uint32_t stamp; /* the rest holds for the scan with this number */
    uint32_t assignments, block, labels, loops;
    bool freed;     /* its memory is gone from here on */
    bool in_memory; /* not one assignment that dominates all uses */
};

struct tree_uses {
    struct arena *arena;
    struct tree_use *vars;          /* by id; ask tree_use */
    uint32_t *class_stamps;         /* by alias class */
    uint32_t stamp;                 /* number of the last scan */
    VEC(struct tree_var *) touched; /* by the piece of the last scan, in the order of the text */
    VEC(uint32_t) classes;          /* alias classes > 0 of its accesses outside of parallel bodies */
    struct map kernels;             /* STMT_KERNEL -> struct kernel_params, as they are met */
};

/* For pieces of `t`, all in one arena. */
struct tree_uses tree_uses_new(const struct tree *t, struct arena *a);
/* Looks through the code of the host in a piece: what was known of another one is forgotten. A kernel counts as uses of
 * what is passed to it, a parallel region with its body. */
void tree_uses_scan(struct tree_uses *u, const struct tree_stmt *piece);
/* What the last scan found; of a variable that the piece does not name: nothing. */
const struct tree_use *tree_use(const struct tree_uses *u, const struct tree_var *v);

#endif
