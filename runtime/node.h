/* Library nodes that the embedding program implements (struct sdfg_rt_nodes of runtime/abi.h). */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include "runtime/runtime.h"

/* Runs the implementation of a node on this thread. After a failure in the same call of the program nothing is run. */
void sdfg_rt_node(struct sdfg_rt_context *context, const char *text, const int64_t *layout);

#endif
