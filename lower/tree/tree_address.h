/* Addresses in the iterations of a loop. */
#ifndef LOWER_TREE_ADDRESS_H
#define LOWER_TREE_ADDRESS_H

#include "lower/tree/tree.h"

/* Elements of `type` from one iteration of a loop over `v` to the next; NULL: they are not always as many. */
struct tree_expr *address_step(struct tree *t, const struct tree_expr *address, const struct type *type,
                               const struct tree_var *v);
/* The address in the first iteration of the loop. */
struct tree_expr *address_in_first(struct tree *t, struct tree_expr *address, const struct tree_stmt *loop);

#endif
