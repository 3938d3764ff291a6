/* Between the files of the vectorize pass: the loop at hand, and what its variables are in vectors. */
#ifndef LOWER_PASS_VECTORIZE_H
#define LOWER_PASS_VECTORIZE_H

#include "lower/opt/iterations.h"
#include "lower/opt/passes.h"

enum { LANES_MOST_VECTORS = 4 };

/* A variable that the body gives a value. */
struct lane_variable {
    struct tree_var *var;
    struct tree_expr *index; /* its value, computed from the counter and what does not change in the loop; or NULL */
    struct tree_var *vector; /* its lanes; NULL: not made yet */
    struct tree_var *sums[LANES_MOST_VECTORS]; /* an accumulator's, for each vector of an iteration */
    enum expr_op accumulates;                  /* ADD, MIN, ...: every assignment is x = x op e; 0: none is */
    bool ordered;                              /* the terms of a sum are added one by one */
    struct tree_stmt *step;        /* its only assignment, if it is the place where values are appended; else NULL */
    struct tree_expr *some, *many; /* then: the lanes that append, and their number; NULL: not made yet */
};

struct vectorize {
    struct tree *tree;
    const struct tree_options *options;
    struct iterations *iterations;
    /* the loop at hand */
    struct tree_stmt *loop;
    struct tree_scan scan;
    const char *why;      /* it stays as it is: the first obstacle */
    struct map variables; /* struct tree_var * -> struct lane_variable * */
    VEC(struct lane_variable *) accumulators;
    struct map appends;             /* STMT_STORE -> struct lane_variable *: the place it appends at */
    VEC(struct tree_stmt *) hidden; /* the same stores: no other iteration writes there */
    uint32_t bytes;                 /* of the largest value that lanes hold */
    struct tree_expr *count;        /* number of the iteration in lane 0 */
    struct tree_expr *active;       /* mask of the lanes with iterations */
    struct tree_expr
        *others; /* mask of the active lanes where `condition` does not hold: in its else branch; or NULL */
    struct tree_expr *condition;
    bool outlives; /* the counter is used outside of the loop */
    bool offset;   /* the counter is not that number */
};

/* Where an iteration accesses memory, compared to the one before. */
enum lane_shape { LANES_SAME, LANES_UNIT, LANES_STRIDED, LANES_INDEXED };
struct lane_index {
    enum lane_shape shape;
    struct tree_expr *index;  /* of the iteration, variables replaced by what they are computed from */
    struct tree_expr *stride; /* STRIDED */
};

/* vectorize_index.c */
struct lane_index lanes_index(struct vectorize *v, struct tree_expr *index);
/* Computed from the counter and what does not change, without loads? */
bool lanes_is_index(const struct vectorize *v, const struct tree_expr *e);
struct tree_expr *lanes_substitute(struct vectorize *v, struct tree_expr *e);
/* The value that the expression (substituted) has in lane 0. */
struct tree_expr *lanes_first(struct vectorize *v, struct tree_expr *e);

/* vectorize_check.c: obstacles, the variables, the size of lanes; false: see `why` */
bool lanes_check(struct vectorize *v, const struct tree_frame *frame);
struct lane_variable *lanes_variable(const struct vectorize *v, const struct tree_var *var);
bool lanes_obstacle(struct vectorize *v, const char *why); /* false */

/* vectorize_sums.c: are there accumulators in several steps? They are rewritten to be x = x op e. */
bool lanes_sums(struct vectorize *v);

/* vectorize_compact.c: is the variable the place where values are appended? */
bool lanes_take_place(struct vectorize *v, struct lane_variable *x);
bool lanes_append(struct vectorize *v, struct tree_stmt *s, struct tree_stmt *out, struct tree_expr *mask);
void lanes_step(struct vectorize *v, const struct lane_variable *x, struct tree_stmt *out);

/* vectorize_expr.c: the lanes of an expression where `mask` says; NULL: see `why` */
struct tree_expr *lanes_of(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask);
const struct type *lanes_type(const struct vectorize *v, const struct type *element);
/* The index of an access as EXPR_MASKED takes it. */
struct tree_expr *lanes_place(struct vectorize *v, const struct lane_index *at, struct tree_expr *mask);

/* vectorize_stmt.c */
bool lanes_body(struct vectorize *v, struct tree_stmt *body, struct tree_stmt *out, struct tree_expr *mask);

#endif
