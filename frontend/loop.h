/* Loops, and what they go through (loop.c, iterate.c). */
#ifndef FRONTEND_LOOP_H
#define FRONTEND_LOOP_H

#include "frontend/lower.h"

/* One `for` or `while` that is lowered. */
struct iteration {
    const struct py *node;
    const struct value *range; /* items: begin, end, step; NULL: while */
    const char *symbol;
    const struct value *array;     /* whose elements the target gets; NULL: it gets the number */
    const struct iteration *inner; /* of np.ndindex: the next dimension; the innermost one has the target */
    const struct value *points;    /* of the innermost one: what the target gets */
};

/* The loop, with its storage: a fe_body of a struct iteration. */
bool fe_run_for(struct fe *f, const void *user);
/* The element of the iteration `i`: rows of arrays, and tuples of those for enumerate and zip. NULL with an error. */
const struct value *fe_item_at(struct fe *f, const struct py *n, const struct value *v, const struct value *i);
/* for x in A, for i, x in enumerate(A), for x, y in zip(A, B) */
bool fe_over_array(struct fe *f, const struct py *n, const struct value *array);
/* for i, j in np.ndindex(n, m): loops inside each other */
bool fe_over_points(struct fe *f, const struct py *n, const struct value *points);

#endif
