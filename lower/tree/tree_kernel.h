/* What kernels get from the code around them. */
#ifndef LOWER_TREE_KERNEL_H
#define LOWER_TREE_KERNEL_H

#include "lower/tree/tree.h"

struct kernel_params {
    struct tree_var **vars;
    uint32_t count;
    /* Of the buffer in which they are passed: each at the next multiple of its alignment a
     * complex number as its two parts. */
    uint32_t *offsets;
    uint32_t bytes;
};

/* The variables that a STMT_KERNEL reads and that are not its own, in the order in which its body first mentions them:
 * the parameters of the device function, which the host packs by value. In the arena. */
struct kernel_params kernel_params(struct arena *a, const struct tree_stmt *kernel);

#endif
