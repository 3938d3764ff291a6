#include "engine/cli/workspace.h"

#include <stdlib.h>
#include <string.h>

/* Without memory nothing is given, which the call reports. */
static sdfg_error *give(struct workspaces *w, const char *storage, sdfg_args *a)
{
    size_t bytes;
    sdfg_error *e = sdfg_args_workspace_size(&bytes, a, storage);
    if (e)
        return e;
    size_t lines = bytes / 64 + 1;
    void *memory = aligned_alloc(64, lines * 64);
    if (memory)
        memset(memory, 0, lines * 64);
    w->memory[w->count++] = memory;
    return sdfg_args_workspace(a, storage, memory, memory ? bytes : 0);
}

sdfg_error *workspaces_give(struct workspaces *w, const sdfg_program *p, sdfg_args *a)
{
    size_t count = sdfg_program_num_workspaces(p);
    sdfg_error *e = NULL;
    w->memory = count ? calloc(count, sizeof *w->memory) : NULL;
    for (size_t i = 0; i < count && w->memory && !e; i++)
        e = give(w, sdfg_program_workspace(p, i), a);
    return e;
}

void workspaces_release(struct workspaces *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->memory[i]);
    free(w->memory);
    *w = (struct workspaces){ 0 };
}
