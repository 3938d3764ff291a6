/* A target of a plug-in in one compilation: what makes targets of what is registered (compile_target_list.c) and their
 * functions (compile_target.c) share. */
#ifndef ENGINE_COMPILE_PLUGIN_TARGET_H
#define ENGINE_COMPILE_PLUGIN_TARGET_H

#include "engine/codegen.h"
#include "engine/compile/compile_code.h"
#include "lower/graph/target.h"

struct plugin_target {
    struct target target;
    struct codegen_target own;
    struct target_source source; /* in this program */
    const struct codegen_added *added;
    uint32_t index;
    struct plugin_target *base;   /* NULL: the base is of the library */
    const struct target *library; /* at the end of the chain; of a target that the library serves, itself */
    struct entered *entered;      /* innermost map that is open */
};

/* The functions of p->target, which ask the plug-in. */
void plugin_target_fill(struct plugin_target *p);

#endif
