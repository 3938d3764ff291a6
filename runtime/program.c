#include "runtime/program.h"

#include "runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The handle. Its memory is made by init, so the sizes are those of that moment: calls must agree. */
struct program_handle {
    const struct sdfg_rt_program *program;
    struct sdfg_rt_pool *pool;
    void **slots;
    struct sdfg_rt_block *blocks; /* one per storage */
    int64_t *keys;                /* values that the handle was initialised for */
};

/* The first GPU, and what went wrong there in the last call of this thread. */
static _Thread_local struct sdfg_rt_device last_device;

static struct sdfg_rt_context context_of(const struct program_handle *h)
{
    return (
        struct sdfg_rt_context){ .num_threads = (int32_t)h->program->num_threads, .slots = h->slots, .pool = h->pool };
}

static void release(struct program_handle *h)
{
    sdfg_rt_pool_free(h->pool);
    free(h->slots);
    free(h->blocks);
    free(h->keys);
    free(h);
}

static int64_t key_of(const struct sdfg_rt_program *p, int64_t index, void *const *args)
{
    int64_t value = 0;
    memcpy(&value, args[p->keys[2 * index]], (size_t)p->keys[2 * index + 1]);
    return value;
}

void *sdfg_rt_program_begin(const struct sdfg_rt_program *p, void *const *args)
{
    struct program_handle *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->program = p;
    h->pool = sdfg_rt_pool_new();
    h->slots = calloc((size_t)p->num_slots + 1, sizeof *h->slots);
    h->blocks = calloc((size_t)p->num_storages + 1, sizeof *h->blocks);
    h->keys = calloc((size_t)p->num_keys + 1, sizeof *h->keys);
    bool ok = h->slots && h->blocks && h->keys;
    for (int64_t i = 0; ok && i < p->num_keys; i++)
        h->keys[i] = key_of(p, i, args);
    for (int64_t i = 0; ok && i < p->num_storages; i++)
        h->blocks[i].storage = p->storages[i];
    if (ok && p->init) {
        struct sdfg_rt_context context = context_of(h);
        p->init(&context, args);
        ok = !context.error;
        if (ok)
            sdfg_rt_hand_over(&context);
        else
            sdfg_rt_release(&context);
    }
    if (ok)
        return h;
    release(h);
    return NULL;
}

int32_t sdfg_rt_program_run(void *handle, void *const *args)
{
    enum { MOST = 16 };
    struct program_handle *h = handle;
    for (int64_t i = 0; i < h->program->num_keys; i++)
        if (h->keys[i] != key_of(h->program, i, args))
            return SDFG_RT_OTHER_SYMBOL;
    struct sdfg_rt_context context = context_of(h);
    /* Blocks are counted off during a run, so every run has its own. */
    struct sdfg_rt_block blocks[MOST];
    struct sdfg_rt_workspace workspace = { .blocks = blocks };
    workspace.num_blocks = h->program->num_storages < MOST ? h->program->num_storages : MOST;
    if (workspace.num_blocks) {
        memcpy(blocks, h->blocks, (size_t)workspace.num_blocks * sizeof *blocks);
        context.workspace = &workspace;
    }
    last_device.trouble[0] = 0;
    context.device = &last_device;
    h->program->main(&context, args);
    if (context.error)
        sdfg_rt_release(&context);
    return context.error;
}

int32_t sdfg_rt_program_end(void *handle)
{
    struct program_handle *h = handle;
    if (!h)
        return 0;
    int32_t error = 0;
    if (h->program->exit) {
        struct sdfg_rt_context context = context_of(h);
        context.num_threads = 1;
        h->program->exit(&context, NULL);
        error = context.error;
    }
    release(h);
    return error;
}

int64_t sdfg_rt_program_external_size(void *handle, int64_t storage, void *const *args)
{
    struct program_handle *h = handle;
    if (!h->program->workspace)
        return 0;
    for (int64_t i = 0; i < h->program->num_storages; i++)
        h->blocks[i].used = 0;
    struct sdfg_rt_workspace workspace = { h->blocks, h->program->num_storages, .measure = true };
    struct sdfg_rt_context context = context_of(h);
    context.workspace = &workspace;
    h->program->workspace(&context, args);
    int64_t bytes = h->blocks[storage].used;
    for (int64_t i = 0; i < h->program->num_storages; i++)
        h->blocks[i].used = 0;
    return context.error ? 0 : bytes;
}

void sdfg_rt_program_external(void *handle, int64_t storage, void *const *args, void *memory)
{
    struct program_handle *h = handle;
    h->blocks[storage].bytes = sdfg_rt_program_external_size(handle, storage, args);
    h->blocks[storage].memory = memory;
}

const char *sdfg_rt_error_text(int32_t error)
{
    static const char *const texts[] = {
        [SDFG_RT_OK] = "no error",
        [SDFG_RT_OUT_OF_MEMORY] = "out of memory",
        [SDFG_RT_BAD_VALUE] = "a size is negative or a value out of range",
        [SDFG_RT_WORKSPACE] = "memory that the caller has to supply is missing or too small",
        [SDFG_RT_STREAM_EMPTY] = "the program waits for an element of a stream that nobody can push any more",
        [SDFG_RT_SINGULAR] = "a matrix to be inverted or factored is singular",
        [SDFG_RT_NODE_FAILED] = "a library node failed",
        [SDFG_RT_DATA] = "data cannot be saved or restored",
        [SDFG_RT_FAULT] = "checked mode found a fault",
        [SDFG_RT_DEVICE] = "there is no device, or it failed",
        [SDFG_RT_CANCELLED] = "the call was cancelled",
        [SDFG_RT_DEVICE_FAULT] = "code on the device did what it may not",
        [SDFG_RT_TARGET_FAILED] = "a function of a target failed",
        [SDFG_RT_PROVIDER] = "a provider of instrumentation failed",
        [SDFG_RT_MPI] = "messages between processes failed",
        [SDFG_RT_OTHER_SYMBOL] = "a symbol does not have the value that the program was compiled or initialised for",
    };
    if ((error == SDFG_RT_DEVICE || error == SDFG_RT_DEVICE_FAULT) && last_device.trouble[0])
        return last_device.trouble;
    bool known = error >= 0 && error < (int32_t)(sizeof texts / sizeof *texts);
    return known ? texts[error] : "an unknown error";
}

void sdfg_rt_program_check(const char *name, int32_t error)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s\n", name, sdfg_rt_error_text(error));
    abort();
}
