/* The operations of linear algebra that a device has a library for, or loops: where their arguments are. */
#ifndef LOWER_OPT_DEVICE_SOLVER_FORM_H
#define LOWER_OPT_DEVICE_SOLVER_FORM_H

#include "lower/tree/tree_callee.h"

enum { SOLVER_TYPE = 1, SOLVER_MATRICES = 3, SOLVER_CODES = 2 };

enum solver_operation { CHOLESKY, POTRF, GETRF, GETRS, SOLVE, INVERSE, DEMAND /* codes that say it has no result */ };

/* Indices of arguments; 0: it has none. */
struct solver_form {
    enum tree_callee_row row;
    enum solver_operation what;
    int lower, rows, columns;      /* flag; extents */
    int matrices[SOLVER_MATRICES]; /* addresses, each with two strides behind it; the last is the result */
    int codes[SOLVER_CODES];       /* addresses of pivots and info */
};

/* NULL: the statement is no such call. */
const struct solver_form *solver_form_of(const struct tree_stmt *s);
const struct type *solver_elements(const struct solver_form *f, const struct tree_stmt *call);
int solver_result(const struct solver_form *f); /* the index of its address */
/* Are the type of the elements and the triangle constants? */
bool solver_is_known(const struct solver_form *f, const struct tree_stmt *call);

#endif
