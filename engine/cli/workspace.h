/* Memory for containers of lifetime External, which a program expects from its caller. */
#ifndef ENGINE_CLI_WORKSPACE_H
#define ENGINE_CLI_WORKSPACE_H

#include "engine/include/sdfg.h"

struct workspaces {
    void **memory;
    size_t count;
};

/* Allocates as much as the program wants, cleared, and gives it to the arguments, of which all others are there. */
sdfg_error *workspaces_give(struct workspaces *w, const sdfg_program *p, sdfg_args *a);
void workspaces_release(struct workspaces *w);

#endif
