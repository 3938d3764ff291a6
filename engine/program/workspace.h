/* Memory that the caller supplies for containers of lifetime External (semantics.md 1.6, 8). */
#ifndef ENGINE_WORKSPACE_H
#define ENGINE_WORKSPACE_H

#include "engine/args/args.h"
#include "runtime/abi.h"

/* Fills p->workspaces. */
void workspace_find(struct sdfg_program *p);
/* No memory is given. */
void workspace_reset(struct sdfg_args *a);

#endif
