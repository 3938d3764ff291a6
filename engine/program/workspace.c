#include "engine/program/workspace.h"

#include "engine/call/call.h"

#include <string.h>

/* What holds nothing special lies on the heap. */
static const struct enum_value *storage_of(const struct sdfg_program *p, const struct container *c)
{
    return c->storage->row == STORAGE_DEFAULT ? enum_builtin(p->ir, STORAGE_CPU_HEAP) : c->storage;
}

static void find_in(void *user, struct sdfg *s)
{
    struct sdfg_program *p = user;
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        if (!c->transient || c->lifetime->row != LIFETIME_EXTERNAL)
            continue;
        const struct enum_value *storage = storage_of(p, c);
        bool known = false;
        for (uint32_t k = 0; k < p->workspaces.count; k++)
            known = known || p->workspaces.items[k]->row == storage->row;
        if (!known)
            vec_push(p->ir->arena, &p->workspaces, storage);
    }
}

void workspace_find(struct sdfg_program *p) { sdfg_each(p->root, find_in, p); }

void workspace_reset(struct sdfg_args *a)
{
    for (uint32_t i = 0; i < a->program->workspaces.count; i++)
        a->blocks[i] = (struct sdfg_rt_block){ .storage = a->program->workspaces.items[i]->row };
}

size_t sdfg_program_num_workspaces(const sdfg_program *p) { return p ? p->workspaces.count : 0; }

const char *sdfg_program_workspace(const sdfg_program *p, size_t index)
{
    return p && index < p->workspaces.count ? p->workspaces.items[index]->name : NULL;
}

/* The position of a storage among those of the program, or -1 with the reason recorded. */
static int32_t find(const struct sdfg_args *a, const char *storage, struct diags *d)
{
    for (uint32_t i = 0; i < a->program->workspaces.count; i++)
        if (!strcmp(a->program->workspaces.items[i]->name, storage))
            return (int32_t)i;
    diag_error(d, NULL, DIAG_WORKSPACE_STORAGE, storage);
    return -1;
}

sdfg_error *sdfg_args_workspace(sdfg_args *a, const char *storage, void *memory, size_t bytes)
{
    NEEDS(a);
    NEEDS(storage);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = report_begin();
    int32_t at = find(a, storage, r.diags);
    if (at >= 0) {
        a->blocks[at].memory = memory;
        a->blocks[at].bytes = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
    }
    return report_end(&r, SDFG_STAGE_BIND);
}

/* Lets the program ask for its memory, without using any. */
static sdfg_error *measure(const struct call *c, int32_t at, size_t *out)
{
    struct sdfg_rt_workspace w = { .blocks = c->blocks,
                                   .num_blocks = c->kernel->program->workspaces.count,
                                   .measure = true };
    struct sdfg_rt_context context = { .num_threads = 1, .workspace = &w };
    if (c->kernel->code.workspace)
        c->kernel->code.workspace(&context, c->args);
    *out = (size_t)c->blocks[at].used;
    return run_error(context.error);
}

sdfg_error *sdfg_args_workspace_size(size_t *out, sdfg_args *a, const char *storage)
{
    NEEDS(out);
    *out = 0;
    NEEDS(a);
    NEEDS(storage);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    int32_t at = find(a, storage, r.diags);
    sdfg_error *error = report_end(&r, SDFG_STAGE_BIND);
    if (error)
        return error;
    struct call c;
    error = call_prepare(&c, a->program, a, NULL);
    if (!error)
        error = measure(&c, at, out);
    call_release(&c);
    return error;
}
