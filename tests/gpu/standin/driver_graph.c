/* Graphs of kernels, each behind the one before: launched, they are work like single launches. $SDFG_STANDIN_GRAPHS=0:
 * the driver cannot make them. */
#include "tests/gpu/standin/driver.h"

#include <stdlib.h>
#include <string.h>

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

typedef struct {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS;

API CUresult cuGraphCreate(CUgraph *out, unsigned flags);
API CUresult cuGraphDestroy(CUgraph g);
API CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *behind, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value);
API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags);
API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphExecDestroy(CUgraphExec e);
API CUresult cuGraphLaunch(CUgraphExec e, CUstream s);

struct CUgraphNode_st {
    CUfunction function;
    struct work work;
    size_t number; /* in the graph */
    CUgraphNode next;
};
struct CUgraph_st {
    CUgraphNode first, last;
    size_t count;
};
struct CUgraphExec_st {
    size_t count;
    struct CUgraphNode_st nodes[];
};

static CUresult launch_of(const CUDA_KERNEL_NODE_PARAMS *p, struct work *out)
{
    const int64_t shape[] = { p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ };
    return standin_launch(p->func, shape, false, p->kernelParams, p->extra, out);
}

CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
    ENTER(true);
    if (flags || !standin_setting("SDFG_STANDIN_GRAPHS", 1))
        return CUDA_ERROR_NOT_SUPPORTED;
    *out = calloc(1, sizeof **out);
    standin_change_objects(1);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph g)
{
    ENTER(false);
    while (g->first) {
        CUgraphNode n = g->first;
        g->first = n->next;
        free(n->work.params);
        free(n);
    }
    free(g);
    standin_change_objects(-1);
    return CUDA_SUCCESS;
}

/* Work of this stand-in is in order anyway, so that nodes have to be, too. */
CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *behind, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *p)
{
    ENTER(true);
    struct work w;
    if (count != (g->last != NULL) || (count && behind[0] != g->last))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = launch_of(p, &w);
    if (result)
        return result;
    CUgraphNode n = calloc(1, sizeof *n);
    *n = (struct CUgraphNode_st){ .function = p->func, .work = w, .number = g->count++ };
    if (g->last)
        g->last->next = n;
    else
        g->first = n;
    g->last = *out = n;
    return CUDA_SUCCESS;
}

/* Blocks at once: as one cluster, or all together. */
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute, const void *value)
{
    ENTER(true);
    const int64_t *shape = node->work.launch.shape;
    CUresult result = standin_blocks(attribute, value, shape);
    node->work.launch.cooperative = result == CUDA_SUCCESS;
    return result;
}

static void *copy_of(const struct work *w) { return memcpy(malloc(w->bytes + 1), w->params, w->bytes); }

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    ENTER(true);
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec e = calloc(1, sizeof *e + g->count * sizeof *e->nodes);
    for (CUgraphNode n = g->first; n; n = n->next) {
        e->nodes[e->count] = *n;
        e->nodes[e->count++].work.params = copy_of(&n->work);
    }
    *out = e;
    standin_change_objects(1);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    ENTER(true);
    struct work w;
    if (node->number >= e->count || p->func != e->nodes[node->number].function)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = launch_of(p, &w);
    if (result)
        return result;
    w.launch.cooperative = e->nodes[node->number].work.launch.cooperative;
    free(e->nodes[node->number].work.params);
    e->nodes[node->number].work = w;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec e)
{
    ENTER(false);
    for (size_t i = 0; i < e->count; i++)
        free(e->nodes[i].work.params);
    free(e);
    standin_change_objects(-1);
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec e, CUstream s)
{
    ENTER(true);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < e->count && !result; i++) {
        struct work w = e->nodes[i].work;
        w.params = copy_of(&w);
        result = standin_queue(s, &w);
    }
    return result;
}
