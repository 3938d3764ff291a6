/* Sums of products over labelled dimensions, what Einsum and TensorDot are (library-nodes.md 3.8 and 5.3). */
#ifndef LOWER_LIBRARY_LABELLED_H
#define LOWER_LIBRARY_LABELLED_H

#include "lower/graph/library/library.h"

enum { MAX_LABELS = 64, MAX_OPERANDS = 16 };

struct operand_labels {
    struct area area;
    uint32_t count;
    uint32_t label[2 * LOWER_MAX_RANK + 1]; /* of each dimension */
};

struct labelled {
    uint32_t num_labels, num_inputs;
    const struct sym *size[MAX_LABELS];
    struct operand_labels in[MAX_OPERANDS], out;
    struct tree_expr *alpha, *beta; /* as library_factor gives them for the elements of the result */
};

bool labelled_repeats(const struct operand_labels *o); /* some label occurs twice */

/* out = alpha * sum over the labels that it lacks of the product of the operands + beta * out. Changes the list. */
bool labelled_contract(struct scope *sc, const struct place *place, struct labelled *l);

#endif
