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
    bool faults; /* behind all of them: the address of the call's struct sdfg_rt_device_fault (runtime/device.h) */
    uint32_t faults_at;
    uint32_t bytes;
};

/* The variables that a STMT_KERNEL reads and that are not its own, in the order in which its body first mentions them:
 * the parameters of the device function, which the host packs by value. What is the context of the call to code of the
 * host is the record of faults to a kernel. In the arena. */
struct kernel_params kernel_params(struct arena *a, const struct tree_stmt *kernel);

/* All kernels, in the order of the tree's text: the number of one is its place here. In the tree's arena. */
struct tree_kernels {
    const struct tree_stmt *const *kernels;
    uint32_t count;
};
struct tree_kernels tree_kernels(const struct tree *t);

#endif
