/* What a program would cost on the processor and on a GPU, before either code is made. */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_COST_H
#define LOWER_OPT_DEVICE_OFFLOAD_COST_H

#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

struct offload_cost {
    bool known;       /* false: loops or branches depend on data */
    double cpu, gpu;  /* seconds; without the transfers of arguments */
    double launches;  /* of a call */
    uint32_t kernels; /* 0: nothing would run on the GPU */
};

/* Of the tree that offload would get in code for a GPU, with values for its symbols (tree_assume). `cores`: that the
 * processor has. */
struct offload_cost offload_cost(struct tree *t, const struct tree_options *options, int cores);

#endif
