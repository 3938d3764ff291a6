/* States and scopes: the order of nodes, and what access nodes do. */
#include "lower/graph/instrument.h"

struct scope scope_at(struct activation *act, struct tree_stmt *block)
{
    struct scope sc = { .act = act, .block = block };
    if (act->caller) {
        sc.parallel = act->caller->parallel;
        sc.team = act->caller->team;
    }
    return sc;
}

struct scope scope_inside(struct scope *parent, struct node *entry, struct tree_stmt *block)
{
    return (struct scope){
        .act = parent->act,
        .parent = parent,
        .state = parent->state,
        .entry = entry,
        .block = block,
        .parallel = parent->parallel,
        .team = parent->team,
    };
}

bool lower_state(struct activation *act, struct state *st, struct tree_stmt *block)
{
    struct lower *lw = act->lw;
    struct scope sc = scope_at(act, block);
    sc.state = st;
    struct lower_measured measured;
    if (!lower_measure_state(&sc, st, &measured))
        return false;
    struct tree_stmt *frees = stmt_block(lw->tree);
    if (!lower_data_symbols(&sc, st) || !lower_allocate_scope(&sc, frees) || !lower_bind_views(&sc) ||
        !lower_scope_nodes(&sc))
        return false;
    stmt_append(lw->tree, block, frees);
    lower_measured(&sc, &measured);
    return true;
}

bool lower_scope_nodes(struct scope *sc)
{
    struct node **order;
    uint32_t n = scope_order(sc->state, sc->entry, &order);
    for (uint32_t i = 0; i < n; i++)
        if (!lower_node(sc, order[i]))
            return false;
    return true;
}

/* A copy waits for its destination's turn if something is ordered before the destination by an empty memlet. */
static bool waits(const struct node *dst)
{
    for (uint32_t i = 0; i < dst->in.count; i++)
        if (memlet_is_empty(&dst->in.items[i]->memlet))
            return true;
    return false;
}

static bool is_reference_set(const struct edge *e, const char *set)
{
    return e->dst->kind == NODE_ACCESS && e->dst_conn == set;
}

/* Copies into this node that are carried out when it is reached: from outside the scope, or waiting ones. */
static bool copy_in(struct scope *sc, struct node *n, const char *set)
{
    for (uint32_t i = 0; i < n->in.count; i++) {
        struct edge *e = n->in.items[i];
        if (memlet_is_empty(&e->memlet) || lower_is_view_edge(e))
            continue;
        bool ok = true;
        if (is_reference_set(e, set))
            ok = path_source(e)->kind != NODE_ACCESS || lower_set_reference(sc, e);
        else if ((node_is_entry(e->src) && path_source(e)->kind == NODE_ACCESS) ||
                 (e->src->kind == NODE_ACCESS && waits(n)))
            ok = lower_copy_edge(sc, e);
        if (!ok)
            return false;
    }
    return true;
}

static bool copy_out(struct scope *sc, struct node *n, const char *set)
{
    for (uint32_t i = 0; i < n->out.count; i++) {
        struct edge *e = n->out.items[i];
        if (memlet_is_empty(&e->memlet) || lower_is_view_edge(e) || is_reference_set(e, set))
            continue;
        bool here = (e->dst->kind == NODE_ACCESS && !waits(e->dst)) ||
                    (node_is_exit(e->dst) && path_target(e)->kind == NODE_ACCESS);
        if (here && !lower_copy_edge(sc, e))
            return false;
    }
    return true;
}

bool lower_access(struct scope *sc, struct node *n)
{
    struct access *a = as_access(n);
    const char *set = intern(sc->act->lw->ir->names, "set");
    if (!a->data)
        return diag_error(sc->act->lw->diags, &n->place, DIAG_UNDEFINED_SYMBOL, a->name ? a->name : "");
    if (container_is_view(a->data) && !lower_point_view(sc, a))
        return false;
    return copy_in(sc, n, set) && lower_data_access(sc, a) && copy_out(sc, n, set);
}
