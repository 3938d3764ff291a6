/* Blocks, nodes and edges. */
#include "engine/graph/graph.h"

#include <string.h>

static struct sdfg_element *refuse(const struct sdfg_element *e, const char *function, const char *what)
{
    const struct place *at = graph_place(e);
    diag_error(e->graph->ir->diags, at, DIAG_BUILD_HANDLE, function, at->label ? at->label : "", what);
    return NULL;
}

/* ---- what a handle stands for; NULL after a mistake ---- */

static struct region *region_of(const struct sdfg_element *e, const char *function)
{
    bool block = e->kind == ELEMENT_BLOCK || e->kind == ELEMENT_BODY || e->kind == ELEMENT_BRANCH;
    struct region *r = block ? as_region(e->block) : NULL;
    if (!r)
        refuse(e, function, "a region");
    return r;
}

static struct state *state_of(const struct sdfg_element *e, const char *function)
{
    struct state *st = e->kind == ELEMENT_BLOCK ? as_state(e->block) : NULL;
    if (!st)
        refuse(e, function, "a state");
    return st;
}

static bool is_node(const struct sdfg_element *e, const char *function)
{
    return e->kind == ELEMENT_NODE || refuse(e, function, "a node");
}

/* Whether both are parts of one outermost graph. */
static bool belong_together(const struct sdfg_element *a, const struct sdfg_element *b, const char *function)
{
    return a->graph->outermost == b->graph->outermost ||
           diag_error(a->graph->ir->diags, graph_place(a), DIAG_BUILD_FOREIGN, function);
}

static bool has(const struct sdfg_element *e, const char *text, const char *function, const char *parameter)
{
    return graph_has(e->graph, text, function, parameter);
}

/* ---- control flow ---- */

sdfg_element *sdfg_graph_body(sdfg_graph *g) { return g ? &g->body : NULL; }

sdfg_element *sdfg_graph_state(sdfg_element *region, const char *label)
{
    MAKES_IN(region);
    struct region *r = region_of(region, __func__);
    if (!r || !has(region, label, __func__, "label"))
        return NULL;
    return graph_element(region->graph, ELEMENT_BLOCK, &build_state(r, label)->block);
}

sdfg_element *sdfg_graph_region(sdfg_element *region, const char *label)
{
    MAKES_IN(region);
    struct region *r = region_of(region, __func__);
    if (!r || !has(region, label, __func__, "label"))
        return NULL;
    return graph_element(region->graph, ELEMENT_BLOCK, &build_region(r, label)->block);
}

sdfg_element *sdfg_graph_loop(sdfg_element *region, const char *label, const char *variable, const char *init,
                              const char *condition, const char *update)
{
    MAKES_IN(region);
    struct region *r = region_of(region, __func__);
    if (!r || !has(region, label, __func__, "label") || !has(region, condition, __func__, "condition"))
        return NULL;
    struct loop *l = build_loop(r, label, variable, init, condition, update);
    return graph_element(region->graph, ELEMENT_BLOCK, &l->region.block);
}

sdfg_element *sdfg_graph_conditional(sdfg_element *region, const char *label)
{
    MAKES_IN(region);
    struct region *r = region_of(region, __func__);
    if (!r || !has(region, label, __func__, "label"))
        return NULL;
    return graph_element(region->graph, ELEMENT_BLOCK, &build_conditional(r, label)->block);
}

sdfg_element *sdfg_graph_branch(sdfg_element *conditional, const char *condition)
{
    MAKES_IN(conditional);
    struct conditional *c = conditional->kind == ELEMENT_BLOCK ? as_conditional(conditional->block) : NULL;
    if (!c)
        return refuse(conditional, __func__, "a conditional");
    return graph_element(conditional->graph, ELEMENT_BRANCH, &build_branch(c, condition)->block);
}

sdfg_element *sdfg_graph_jump(sdfg_element *region, enum sdfg_jump kind, const char *label)
{
    static const enum block_kind kinds[] = {
        [SDFG_JUMP_BREAK] = BLOCK_BREAK, [SDFG_JUMP_CONTINUE] = BLOCK_CONTINUE, [SDFG_JUMP_RETURN] = BLOCK_RETURN
    };
    MAKES_IN(region);
    struct region *r = region_of(region, __func__);
    if (!r || !has(region, label, __func__, "label"))
        return NULL;
    if ((unsigned)kind > SDFG_JUMP_RETURN) {
        diag_error(region->graph->ir->diags, graph_place(region), DIAG_BUILD_KIND, label, "enum sdfg_jump");
        return NULL;
    }
    return graph_element(region->graph, ELEMENT_BLOCK, build_jump(r, kinds[kind], label));
}

sdfg_element *sdfg_graph_transition(sdfg_element *from, sdfg_element *to, const char *condition,
                                    const char *assignments)
{
    if (!to)
        return NULL;
    MAKES_IN(from);
    if (from->kind != ELEMENT_BLOCK)
        return refuse(from, __func__, "a block of a region");
    if (to->kind != ELEMENT_BLOCK)
        return refuse(to, __func__, "a block of a region");
    if (!belong_together(from, to, __func__))
        return NULL;
    struct transition *t = build_transition(from->block, to->block, condition, assignments);
    return graph_element(from->graph, ELEMENT_TRANSITION, t);
}

/* ---- nodes ---- */

static struct sdfg_element *node_element(const struct sdfg_element *state, struct node *n)
{
    return graph_element(state->graph, ELEMENT_NODE, n);
}

sdfg_element *sdfg_graph_access(sdfg_element *state, const char *container)
{
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, container, __func__, "container"))
        return NULL;
    return node_element(state, &build_access(st, container)->node);
}

sdfg_element *sdfg_graph_tasklet(sdfg_element *state, const char *label, const char *inputs, const char *outputs,
                                 const char *code)
{
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, label, __func__, "label") || !has(state, code, __func__, "code"))
        return NULL;
    return node_element(state, &build_tasklet(st, label, inputs, outputs, code)->node);
}

sdfg_element *sdfg_graph_map(sdfg_element *state, const char *label, const char *ranges)
{
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, label, __func__, "label") || !has(state, ranges, __func__, "ranges"))
        return NULL;
    return node_element(state, &build_map(st, label, ranges)->node);
}

sdfg_element *sdfg_graph_consume(sdfg_element *state, const char *label, const char *pe_index, const char *num_pes,
                                 const char *condition)
{
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, label, __func__, "label") || !has(state, pe_index, __func__, "pe_index") ||
        !has(state, num_pes, __func__, "num_pes"))
        return NULL;
    return node_element(state, &build_consume(st, label, pe_index, num_pes, condition)->node);
}

sdfg_element *sdfg_graph_exit(sdfg_element *entry)
{
    MAKES_IN(entry);
    if (entry->kind != ELEMENT_NODE || !node_is_entry(entry->node))
        return refuse(entry, __func__, "an entry node");
    return node_element(entry, scope_exit(entry->node));
}

/* Whether an SDFG contains a state, at any depth. */
static bool lies_around(const struct sdfg *s, const struct state *st)
{
    for (const struct sdfg *around = st->sdfg; around;
         around = around->parent ? around->parent->node.state->sdfg : NULL)
        if (around == s)
            return true;
    return false;
}

sdfg_element *sdfg_graph_nested(sdfg_element *state, const char *label, sdfg_graph *inner, const char *inputs,
                                const char *outputs, const char *mapping)
{
    if (!inner)
        return NULL;
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, label, __func__, "label") || !belong_together(state, &inner->body, __func__))
        return NULL;
    if (inner->sdfg->parent || inner->outermost == inner || lies_around(inner->sdfg, st)) {
        enum diag_code why = inner->sdfg->parent ? DIAG_BUILD_NESTED : DIAG_BUILD_AROUND;
        diag_error(state->graph->ir->diags, &st->block.place, why, inner->sdfg->name);
        return NULL;
    }
    if (inner->captures.count) {
        diag_error(state->graph->ir->diags, &st->block.place, DIAG_CONVERT_NESTED, inner->sdfg->name,
                   inner->captures.items[0].object->name);
        return NULL;
    }
    return node_element(state, &build_nested(st, label, inner->sdfg, inputs, outputs, mapping)->node);
}

sdfg_element *sdfg_graph_library(sdfg_element *state, const char *label, const char *class_path, const char *inputs,
                                 const char *outputs, const char *properties)
{
    MAKES_IN(state);
    struct state *st = state_of(state, __func__);
    if (!st || !has(state, label, __func__, "label") || !has(state, class_path, __func__, "class_path"))
        return NULL;
    return node_element(state, &build_library(st, label, class_path, inputs, outputs, properties)->node);
}

/* ---- edges ---- */

sdfg_element *sdfg_graph_edge(sdfg_element *from, const char *from_connector, sdfg_element *to,
                              const char *to_connector, const char *memlet, const char *wcr)
{
    if (!to)
        return NULL;
    MAKES_IN(from);
    if (!is_node(from, __func__) || !is_node(to, __func__) || !belong_together(from, to, __func__))
        return NULL;
    struct edge *e = build_edge(from->node, from_connector, to->node, to_connector, memlet, wcr);
    return graph_element(from->graph, ELEMENT_EDGE, e);
}

/* Whether build_route takes these nodes. */
static bool is_path(sdfg_element *const *nodes, size_t count)
{
    size_t i = 1;
    if (count < 2 || count > BUILD_PATH)
        return false;
    while (i + 1 < count && node_is_entry(nodes[i]->node))
        i++;
    while (i + 1 < count && node_is_exit(nodes[i]->node))
        i++;
    return i + 1 == count;
}

sdfg_element *sdfg_graph_path(sdfg_element *const *nodes, size_t count, const char *memlet, const char *wcr,
                              const char *from_connector, const char *to_connector)
{
    struct node *path[BUILD_PATH];
    if (!nodes || !count)
        return NULL;
    MAKES_IN(nodes[0]);
    for (size_t i = 0; i < count; i++)
        if (!nodes[i] || !is_node(nodes[i], __func__) || !belong_together(nodes[0], nodes[i], __func__))
            return NULL;
    if (!is_path(nodes, count)) {
        diag_error(nodes[0]->graph->ir->diags, graph_place(nodes[0]), DIAG_BUILD_PATH, BUILD_PATH);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        path[i] = nodes[i]->node;
    struct edge *e = build_route(path, (uint32_t)count, from_connector, to_connector, memlet, wcr);
    return graph_element(nodes[0]->graph, ELEMENT_EDGE, e);
}
