#include "runtime/node.h"

#include <stddef.h>

void sdfg_rt_node(struct sdfg_rt_context *context, const char *text, const int64_t *layout)
{
    const struct sdfg_rt_nodes *nodes = context->user;
    if (__atomic_load_n(&context->error, __ATOMIC_RELAXED) != SDFG_RT_OK)
        return;
    if (!nodes || !nodes->call(nodes, text, layout))
        sdfg_rt_fail(context, SDFG_RT_NODE_FAILED);
}
