/* A tree for one call, to count in: it is not the program any more. */
#ifndef LOWER_TREE_ASSUME_H
#define LOWER_TREE_ASSUME_H

#include "lower/tree/tree.h"

struct tree_assumption {
    const char *name; /* of a parameter */
    int64_t value;
};

/* In main, integer parameters that keep their value become constants, and variables that are given one once become what
 * that is, if it follows from constants and counters of loops. Other names mean nothing. */
void tree_assume(struct tree *t, const struct tree_assumption *values, uint32_t count);

#endif
