/* What the files of the code generator share: one compilation and the passes that are not about graphs or trees alone.
 */
#ifndef ENGINE_COMPILE_H
#define ENGINE_COMPILE_H

#include "engine/codegen.h"
#include "ir/pass.h"
#include "jit/jit.h"
#include "lower/lower.h"
#include "lower/pass/pass.h"

extern const struct pass pipeline[]; /* ends with a row without function */

/* The pass table as the request wants it: up to the pass that makes what is asked for. */
bool compile_run(struct compile *c);

/* ---- passes of compile_pass.c ---- */

bool pass_read(struct compile *c);
bool pass_parse_cpp(struct compile *c);
bool pass_lower(struct compile *c);
bool pass_tree(struct compile *c); /* any row of lower/pass/passes.def */
bool pass_target(struct compile *c);
bool pass_emit(struct compile *c);
bool pass_machine_code(struct compile *c);
bool pass_link(struct compile *c);

#endif
