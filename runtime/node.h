/* Library nodes that the embedding program implements, and targets of plug-ins (struct sdfg_rt_nodes of runtime/abi.h).
 */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include "runtime/runtime.h"

/* Runs the implementation of a node on this thread. After a failure in the same call of the program nothing is run. */
void sdfg_rt_node(struct sdfg_rt_context *context, const char *text, const int64_t *layout);

/* Runs a function of a target, the same way; 0 after a failure. */
int64_t sdfg_rt_target(struct sdfg_rt_context *context, const char *text, const int64_t *arguments);
/* Memory at an address that a target gave; 0 is a failure: out of memory, unless there has been one before. */
void *sdfg_rt_target_memory(struct sdfg_rt_context *context, int64_t address);
/* What a target made of object number `index` of the code. */
int64_t sdfg_rt_target_object(struct sdfg_rt_context *context, int64_t index);
/* Keeps a pointer with the program. */
void sdfg_rt_set_slot(struct sdfg_rt_context *context, int64_t slot, void *pointer);

#endif
