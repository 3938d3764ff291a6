/* Do iterations of a loop have anything to do with each other? Asked by passes that change their order. */
#ifndef LOWER_PASS_ITERATIONS_H
#define LOWER_PASS_ITERATIONS_H

#include "lower/opt/fusion/fuse.h"
#include "lower/tree/tree_scan.h"

struct iterations {
    struct tree *tree;
    struct tree_whole whole; /* the function */
    struct piece_set set;
    struct fuse_obstacle obstacle; /* what iterations_are_apart found last */
};

struct iterations iterations_of(struct tree *t, const struct tree_func *f);
/* Do values of variables stay in one iteration of the loop (and of all loops inside)? */
bool iterations_keep_variables(struct iterations *x, struct tree_stmt *loop);
/* Are all variables that the loop assigns, but these, given a value before they are used, in each iteration? */
bool iterations_define_variables(struct tree *t, struct tree_stmt *loop, const struct map *but);
/* `nest` is the loop itself or lies directly inside it; `frame`: the loops around, or NULL. Do iterations of the nest
 * never touch what other iterations of it change, whatever the iterations of the loop are? Memory that an iteration
 * takes for itself does not count. */
bool iterations_are_apart(struct iterations *x, struct tree_stmt *loop, const struct fuse_nest *nest,
                          const struct tree_frame *frame);

/* Would iterations of the loop have nothing to do with each other if each had the memory that these variables point to
 * for itself? */
bool iterations_are_apart_but(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame,
                              const struct map *own);

/* Why iterations of the loop have to do with each other, as the end of a sentence about it, in the scratch arena; NULL:
 * they surely have not. */
const char *iterations_depend(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame);

#endif
