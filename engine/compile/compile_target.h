/* Targets of plug-ins as targets of the lowering. */
#ifndef ENGINE_COMPILE_TARGET_H
#define ENGINE_COMPILE_TARGET_H

#include "engine/codegen.h"
#include "lower/graph/target.h"

struct arena;

/* The library's own, then those of plug-ins, in `a`. With `request` they are asked whether they are ready when a
 * program uses them; NULL: they are for lists. */
const struct targets *compile_targets(struct arena *a, const struct codegen_target *own, uint32_t count,
                                      const struct codegen_request *request);

#endif
