#include "runtime/node.h"

#include <stddef.h>

void sdfg_rt_node(struct sdfg_rt_context *context, const char *text, const int64_t *layout)
{
    const struct sdfg_rt_nodes *nodes = context->user;
    if (__atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK)
        return;
    if (!nodes || !nodes->call || !nodes->call(nodes, text, layout))
        sdfg_rt_fail(context, SDFG_RT_NODE_FAILED);
}

int64_t sdfg_rt_target(struct sdfg_rt_context *context, const char *text, const int64_t *arguments)
{
    const struct sdfg_rt_nodes *nodes = context->user;
    int64_t result = 0;
    if (__atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK)
        return 0;
    if (nodes && nodes->call_target && nodes->call_target(nodes, text, arguments, &result))
        return result;
    sdfg_rt_fail(context, SDFG_RT_TARGET_FAILED);
    return 0;
}

void *sdfg_rt_target_memory(struct sdfg_rt_context *context, int64_t address)
{
    if (!address)
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
    return (void *)(intptr_t)address;
}

int64_t sdfg_rt_target_object(struct sdfg_rt_context *context, int64_t index)
{
    const int64_t *objects = context->objects;
    return objects ? objects[index] : 0;
}

void sdfg_rt_set_slot(struct sdfg_rt_context *context, int64_t slot, void *pointer)
{
    ((void **)context->slots)[slot] = pointer;
}
