/* What passes that give reductions memory of their own know of the kinds. */
#ifndef LOWER_PASS_REDUCE_H
#define LOWER_PASS_REDUCE_H

#include "lower/opt/passes.h"

/* Kinds and types that an accumulator can hold. */
bool reduce_can_accumulate(enum wcr_kind wcr, const struct type *type);
/* What changes no value it is combined with, not even the sign of a zero. */
struct tree_expr *reduce_identity(struct tree *t, enum wcr_kind wcr, const struct type *type);
/* Two values combined as the kind says. */
struct tree_expr *reduce_combine(struct tree *t, enum wcr_kind wcr, struct tree_expr *a, struct tree_expr *b);

#endif
