/* Launches one behind the other are put off until the run does something else, up to MOST_STEPS of them. A sequence of
 * kernels that comes for the second time, in this call or another one, becomes a graph, which the driver gets with one
 * call; where shapes or parameters differ from those of the last time its nodes are updated. Kernels whose blocks wait
 * for each other are nodes like others, which say so. Without graphs in the driver, and where it refuses one, each
 * launch is a call of its own. */
#include "runtime/device_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_STEPS = 4 /* of a graph */, MOST_STEPS = 1024, MOST_GRAPHS = 16 /* of a module */ };

struct sdfg_rt_step {
    const struct sdfg_rt_kernel *kernel; /* of the run's image; not there any more in the steps of a graph */
    cuda_function function;
    unsigned grid[3], block[3];
    enum sdfg_rt_blocks blocks;
    size_t at, bytes; /* of its parameters */
};

struct sdfg_rt_graph {
    struct sdfg_rt_steps steps; /* as the nodes have them */
    cuda_node *nodes;
    cuda_graph graph;
    cuda_graph_exec exec; /* NULL: the sequence was seen once */
    bool refused;
    struct sdfg_rt_graph *next;
};

/* ---- sequences ---- */

static bool grow(void **memory, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    size_t more = wanted > 2 * *room ? wanted : 2 * *room;
    void *larger = realloc(*memory, more * size);
    if (!larger)
        return false;
    *memory = larger;
    *room = more;
    return true;
}

void sdfg_rt_steps_free(struct sdfg_rt_steps *s)
{
    free(s->items);
    free(s->params);
    *s = (struct sdfg_rt_steps){ 0 };
}

static bool copy_steps(struct sdfg_rt_steps *to, const struct sdfg_rt_steps *from)
{
    if (!grow((void **)&to->items, &to->max, from->count, sizeof *to->items) ||
        !grow((void **)&to->params, &to->room, from->used + 1, 1))
        return false;
    memcpy(to->items, from->items, from->count * sizeof *to->items);
    memcpy(to->params, from->params, from->used);
    to->count = from->count;
    to->used = from->used;
    return true;
}

/* What is part of a node and cannot be updated. */
static bool is_node(const struct sdfg_rt_step *a, const struct sdfg_rt_step *b)
{
    return a->function == b->function && a->blocks == b->blocks &&
           (a->blocks != SDFG_RT_CLUSTER || !memcmp(a->grid, b->grid, sizeof a->grid));
}

/* The same kernels; equal kernels have parameters of equal sizes. */
static bool is_alike(const struct sdfg_rt_steps *a, const struct sdfg_rt_steps *b)
{
    bool alike = a->count == b->count && a->used == b->used;
    for (size_t i = 0; alike && i < a->count; i++)
        alike = is_node(&a->items[i], &b->items[i]);
    return alike;
}

static bool has_graphs(const struct sdfg_rt_cuda *c)
{
    return c->GraphCreate && c->GraphDestroy && c->GraphAddKernelNode && c->GraphInstantiateWithFlags &&
           c->GraphExecKernelNodeSetParams && c->GraphExecDestroy && c->GraphLaunch;
}

bool sdfg_rt_graph_defer(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                         const int64_t *shape, const void *params, size_t bytes)
{
    enum { ALIGNMENT = 16 };
    struct sdfg_rt_steps *s = &run->steps;
    enum sdfg_rt_blocks blocks = sdfg_rt_blocks_of(run, k, shape);
    bool at_once = blocks != SDFG_RT_APART && !run->gpu->cuda->GraphKernelNodeSetAttribute;
    at_once |= run->call->check || k->flags & SDFG_RT_CHECKED || run->context->timings;
    if (at_once || !has_graphs(run->gpu->cuda))
        return false;
    if (s->count == MOST_STEPS)
        sdfg_rt_graph_flush(run);
    size_t end = s->used + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!grow((void **)&s->items, &s->max, s->count + 1, sizeof *s->items) ||
        !grow((void **)&s->params, &s->room, end + 1, 1))
        return false;
    struct sdfg_rt_step *step = &s->items[s->count++];
    *step = (struct sdfg_rt_step){ .kernel = k, .function = function, .blocks = blocks, .at = s->used, .bytes = bytes };
    for (int i = 0; i < 3; i++) {
        step->grid[i] = (unsigned)shape[i];
        step->block[i] = (unsigned)shape[3 + i];
    }
    memset(s->params + s->used, 0, end - s->used);
    if (bytes) // a kernel without parameters has no buffer
        memcpy(s->params + s->used, params, bytes);
    s->used = end;
    run->busy |= 1;
    return true;
}

/* ---- graphs ---- */

struct node_launch {
    struct cuda_node_launch of_driver;
    void *extra[5];
    size_t bytes;
};

static const struct cuda_node_launch *describe(struct node_launch *l, const struct sdfg_rt_steps *s, size_t i)
{
    const struct sdfg_rt_step *step = &s->items[i];
    void *const extra[] = { (void *)(uintptr_t)CUDA_LAUNCH_BUFFER, s->params + step->at,
                            (void *)(uintptr_t)CUDA_LAUNCH_BYTES, &l->bytes, (void *)(uintptr_t)CUDA_LAUNCH_END };
    l->bytes = step->bytes;
    memcpy(l->extra, extra, sizeof extra);
    l->of_driver =
        (struct cuda_node_launch){ .function = step->function, .shared = step->kernel->shared, .extra = l->extra };
    memcpy(l->of_driver.grid, step->grid, sizeof step->grid);
    memcpy(l->of_driver.block, step->block, sizeof step->block);
    return &l->of_driver;
}

static void destroy(const struct sdfg_rt_cuda *cuda, struct sdfg_rt_graph *g)
{
    if (g->exec)
        cuda->GraphExecDestroy(g->exec);
    if (g->graph)
        cuda->GraphDestroy(g->graph);
    free(g->nodes);
    g->exec = NULL;
    g->graph = NULL;
    g->nodes = NULL;
}

static void free_graph(const struct sdfg_rt_cuda *cuda, struct sdfg_rt_graph *g)
{
    destroy(cuda, g);
    sdfg_rt_steps_free(&g->steps);
    free(g);
}

void sdfg_rt_graph_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_module *module)
{
    while (module->graphs) {
        struct sdfg_rt_graph *g = module->graphs;
        module->graphs = g->next;
        free_graph(gpu->cuda, g);
    }
}

/* The graph of the sequence, which belongs to the run until it is given back. NULL: there is none yet. */
static struct sdfg_rt_graph *take(struct sdfg_rt_run *run, const struct sdfg_rt_steps *s)
{
    struct sdfg_rt_graph *g = NULL;
    pthread_mutex_lock(&run->gpu->lock);
    for (struct sdfg_rt_graph **at = &run->module->graphs; *at && !g; at = &(*at)->next)
        if (is_alike(&(*at)->steps, s)) {
            g = *at;
            *at = g->next;
            break;
        }
    pthread_mutex_unlock(&run->gpu->lock);
    return g;
}

/* The one that was not used for longest goes. */
static void give(struct sdfg_rt_run *run, struct sdfg_rt_graph *g)
{
    struct sdfg_rt_graph *dropped = NULL;
    int count = 0;
    pthread_mutex_lock(&run->gpu->lock);
    g->next = run->module->graphs;
    run->module->graphs = g;
    for (struct sdfg_rt_graph **at = &run->module->graphs; *at; at = &(*at)->next)
        if (++count > MOST_GRAPHS) {
            dropped = *at;
            *at = NULL;
            break;
        }
    pthread_mutex_unlock(&run->gpu->lock);
    if (dropped)
        free_graph(run->gpu->cuda, dropped);
}

static void note(struct sdfg_rt_run *run, const struct sdfg_rt_steps *s)
{
    struct sdfg_rt_graph *g = calloc(1, sizeof *g);
    if (g && copy_steps(&g->steps, s))
        give(run, g);
    else if (g)
        free_graph(run->gpu->cuda, g);
}

/* Blocks that wait for each other have to come together in a graph, too. */
static bool set_blocks(const struct sdfg_rt_cuda *cuda, cuda_node node, const struct sdfg_rt_step *step)
{
    struct cuda_launch_attribute cluster = { .id = CUDA_LAUNCH_CLUSTER,
                                             .value = { .cluster = { step->grid[0], 1, 1 } } },
                                 together = { .id = CUDA_LAUNCH_COOPERATIVE, .value = { .cooperative = 1 } };
    const struct cuda_launch_attribute *how = step->blocks == SDFG_RT_CLUSTER ? &cluster : &together;
    return step->blocks == SDFG_RT_APART || cuda->GraphKernelNodeSetAttribute(node, how->id, &how->value) == CUDA_GOOD;
}

static bool build(const struct sdfg_rt_cuda *cuda, struct sdfg_rt_graph *g, const struct sdfg_rt_steps *s)
{
    struct node_launch l;
    g->nodes = calloc(s->count, sizeof *g->nodes);
    bool good = g->nodes && cuda->GraphCreate(&g->graph, 0) == CUDA_GOOD && copy_steps(&g->steps, s);
    for (size_t i = 0; good && i < s->count; i++)
        good = cuda->GraphAddKernelNode(&g->nodes[i], g->graph, i ? &g->nodes[i - 1] : NULL, i != 0,
                                        describe(&l, s, i)) == CUDA_GOOD &&
               set_blocks(cuda, g->nodes[i], &s->items[i]);
    return good && cuda->GraphInstantiateWithFlags(&g->exec, g->graph, 0) == CUDA_GOOD;
}

static bool differs(const struct sdfg_rt_steps *a, const struct sdfg_rt_steps *b, size_t i)
{
    const struct sdfg_rt_step *x = &a->items[i], *y = &b->items[i];
    return memcmp(x->grid, y->grid, sizeof x->grid) || memcmp(x->block, y->block, sizeof x->block) ||
           memcmp(a->params + x->at, b->params + y->at, x->bytes);
}

static bool update(const struct sdfg_rt_cuda *cuda, struct sdfg_rt_graph *g, const struct sdfg_rt_steps *s)
{
    struct node_launch l;
    for (size_t i = 0; i < s->count; i++)
        if (differs(&g->steps, s, i) &&
            cuda->GraphExecKernelNodeSetParams(g->exec, g->nodes[i], describe(&l, s, i)) != CUDA_GOOD)
            return false;
    return copy_steps(&g->steps, s);
}

/* ---- to the driver ---- */

static void launch_each(struct sdfg_rt_run *run, const struct sdfg_rt_steps *s, cuda_stream stream)
{
    struct node_launch l;
    for (size_t i = 0; i < s->count; i++) {
        const struct cuda_node_launch *d = describe(&l, s, i);
        const int64_t shape[] = { d->grid[0], d->grid[1], d->grid[2], d->block[0], d->block[1], d->block[2] };
        const char *name;
        int result = sdfg_rt_launch(run, s->items[i].kernel, d->function, shape, d->extra, stream, &name);
        if (!sdfg_rt_run_check(run, name, result, sdfg_rt_cuda_is_fault(result) ? "" : s->items[i].kernel->name))
            return;
    }
}

static void launch_graph(struct sdfg_rt_run *run, const struct sdfg_rt_graph *g, cuda_stream stream)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    const char *name = "cuGraphLaunch";
    bool together = false;
    int result = CUDA_GOOD;
    for (size_t i = 0; i < g->steps.count; i++)
        together |= g->steps.items[i].blocks == SDFG_RT_TOGETHER;
    if (together)
        result = sdfg_rt_together_enter(run, stream, &name);
    if (result == CUDA_GOOD) {
        name = "cuGraphLaunch";
        result = cuda->GraphLaunch(g->exec, stream);
    }
    if (together)
        result = sdfg_rt_together_leave(run, result, stream, &name);
    sdfg_rt_run_check(run, name, result, "");
}

/* False: there is no graph of it. */
static bool replay(struct sdfg_rt_run *run, const struct sdfg_rt_steps *s, cuda_stream stream)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    if (s->count < LEAST_STEPS)
        return false;
    struct sdfg_rt_graph *g = take(run, s);
    if (!g) {
        note(run, s);
        return false;
    }
    if (!g->refused && !(g->exec ? update(cuda, g, s) : build(cuda, g, s))) {
        destroy(cuda, g);
        g->refused = true;
    }
    bool there = g->exec != NULL;
    if (there)
        launch_graph(run, g, stream);
    give(run, g);
    return there;
}

void sdfg_rt_graph_flush(struct sdfg_rt_run *run)
{
    struct sdfg_rt_steps s = run->steps;
    cuda_stream stream;
    if (!s.count)
        return;
    run->steps.count = run->steps.used = 0;
    if (sdfg_rt_run_good(run) && sdfg_rt_run_queue(run, 0, &stream) && !replay(run, &s, stream))
        launch_each(run, &s, stream);
}
