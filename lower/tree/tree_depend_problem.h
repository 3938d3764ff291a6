/* Between the files of the dependence service: the system of rows that the iterations of two accesses fulfil. */
#ifndef LOWER_TREE_DEPEND_PROBLEM_H
#define LOWER_TREE_DEPEND_PROBLEM_H

#include "lower/tree/tree_depend.h"

enum { DEPEND_TWINS = 24 };

/* What b has for itself under a name that a uses, too: the variable of a loop, or a value that changes. */
struct depend_twin {
    const struct tree_expr *from, *to;
};

struct depend_problem {
    const struct depend_query *query;
    const struct tree_frame *shared; /* the innermost loop that is around both accesses, in the same iteration */
    struct depend_twin twins[DEPEND_TWINS];
    uint32_t num_twins;
    bool filled; /* what the memory holds has been asked for */
    struct system system;
    struct linear_term names[SYSTEM_VARS]; /* what its variables stand for */
};

/* Bounds of all loops, and the steps that loops are in. What is not known is left out, and the system loose. */
void depend_begin(struct depend_problem *p, const struct depend_query *q);
/* The sum in terms of the problem, from one of the access a, or b. False: it is too large. */
bool depend_name(struct depend_problem *p, struct linear *out, const struct linear *in, bool b);
/* As a row of the system; false if there is no room. */
bool depend_row(struct depend_problem *p, struct system_row *row, const struct linear *l);
/* Iteration of b minus iteration of a, each counted from the begin of its loop; false: that is not known. */
bool depend_distance(struct depend_problem *p, const struct depend_loop *loop, struct linear *out);
/* Of a sum in terms of the problem: one value, whichever iterations the accesses are in? */
bool depend_is_fixed(const struct depend_problem *p, const struct tree_expr *factor);
/* low <= l <= high becomes part of the problem, dimension by dimension where strides are products. */
void depend_place(struct depend_problem *p, const struct linear *l, int64_t low, int64_t high);
/* l = quotient * stride + rest for a constant stride, the largest one possible: if the rest is less than a stride away
 * from all of low to high, l is there only if the quotient is 0 and the rest is there. False: there is no such stride.
 */
bool depend_falls_apart_by(const struct depend_problem *p, const struct linear *l, struct linear *quotient,
                           struct linear *rest, int64_t low, int64_t high);
/* Is there no solution with sum * sign >= 1? */
bool depend_none_beyond(struct depend_problem *p, const struct system_row *sum, int64_t sign);
/* Has an expression one value for both accesses? */
bool depend_is_same(const struct depend_problem *p, const struct tree_expr *e);

#endif
