/* What a library node keeps while it is lowered: results on their way and temporary memory. */
#ifndef LOWER_LIBRARY_OPERAND_H
#define LOWER_LIBRARY_OPERAND_H

#include "lower/graph/library/library.h"

struct library_result {
    struct edge *edge;
    struct area temporary, target;
};

struct library_memory {
    VEC(struct library_result) results;
    VEC(struct tree_var *) heap; /* to be freed when the node is done */
};

/* Combines temporary results with what they are meant for and frees the memory of the node. */
bool library_deliver(struct scope *sc, struct library *n);

#endif
