/* Loop nests that compute what a solver of a device would (expand_solvers.c); nobody else includes it. */
#ifndef LOWER_OPT_DEVICE_SOLVER_LOOPS_H
#define LOWER_OPT_DEVICE_SOLVER_LOOPS_H

#include "lower/opt/device/solver_form.h"

/* Numbers in memory of their own, or of the caller. */
struct solver_list {
    struct tree_expr *address;
    uint32_t alias;
};

struct solver_expansion {
    struct tree *tree;
    const struct tree_stmt *call;
    const struct solver_form *form;
    struct tree_stmt *out;
    const struct type *type, *real, *i32; /* of the elements, of their absolute values, of pivots and codes */
    struct tree_expr *rows, *columns;     /* extents: of the matrix, or right-hand sides */
    struct solver_list code; /* the column without a pivot, counted from 1, or 0; no address: nobody asks */
    struct tree_expr *code_at;
};

/* Memory for so many elements, in front of what is appended to `b` next. */
struct solver_list solver_take(struct solver_expansion *x, struct tree_stmt *b, const char *name,
                               const struct type *type, struct tree_expr *count, enum tree_memory where);
/* Appends the loops of x->form to x->out. */
void solver_loops(struct solver_expansion *x);

#endif
