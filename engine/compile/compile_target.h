/* What is registered as targets and operations of the lowering. */
#ifndef ENGINE_COMPILE_TARGET_H
#define ENGINE_COMPILE_TARGET_H

#include "engine/codegen.h"
#include "lower/graph/target.h"

struct arena;

/* All that may be claimed for, in the order of registration, in `a`. */
const struct targets *compile_targets(struct arena *a, const struct codegen_added *added);
/* The targets and operations of the lowering. */
void compile_take_added(struct arena *a, const struct codegen_added *added, struct lower_options *o);

struct target_source;

/* What the target got for its compiler in this program (compile_source.c), with its objects, and whose it is; NULL:
 * nothing. */
struct target_source *compile_target_source(const struct target *t, const struct codegen_target **own);

struct code_object;
struct compile;

/* How many objects targets keep with the code, and these, in the order of their numbers. */
uint32_t compile_num_kept(const struct compile *c);
void compile_kept(const struct compile *c, struct code_object *out);

#endif
