/* The target of maps over scalable vectors: loops of the host, whose body a pass over the graph gives single elements
 * (ir/passes/machine_vectors.c) and a pass over the tree vectors again (lower/opt/vectors/). */
#include "lower/graph/target.h"

const struct target sve_target = {
    .size = sizeof sve_target,
    .name = "sve",
    .extends = &cpu_target,
};
