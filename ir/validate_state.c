/* States: acyclic, scopes closed, and the ends of all memlet paths (format.md 9.4, 2.19). */
#include "ir/validate.h"

#include <string.h>

/* 32: nodes in a topological order, ties in file order. False if there is a cycle. */
static bool order_nodes(struct state_scan *s)
{
    struct state *st = s->state;
    struct arena *a = s->sdfg->v->scratch;
    uint32_t *waiting = NEW_ARRAY(a, uint32_t, st->nodes.count), done = 0, ready = 0;
    s->order = NEW_ARRAY(a, struct node *, st->nodes.count);
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        waiting[i] = st->nodes.items[i]->in.count;
        if (!waiting[i])
            s->order[ready++] = st->nodes.items[i];
    }
    while (done < ready) {
        struct node *n = s->order[done++];
        for (uint32_t i = 0; i < n->out.count; i++)
            if (--waiting[n->out.items[i]->dst->index] == 0)
                s->order[ready++] = n->out.items[i]->dst;
    }
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (waiting[i])
            return diag_error(validate_diags(s), &st->nodes.items[i]->place, DIAG_SCOPE_CYCLE);
    return true;
}

/* The name of the other half of a pass-through connector, or NULL if `name` is none or its other half occurs nowhere.
 */
static const char *other_half(const struct state_scan *s, const char *name)
{
    bool in = name && strncmp(name, "IN_", 3) == 0;
    if (!in && !(name && strncmp(name, "OUT_", 4) == 0))
        return NULL;
    struct ir *ir = s->sdfg->v->ir;
    const char *suffix = name + (in ? 3 : 4);
    return intern_find(ir->names, arena_printf(s->sdfg->v->scratch, "%s%s", in ? "OUT_" : "IN_", suffix));
}

/* Gives every edge in `ends` that continues an edge of `begins` through node `n` the end of that edge. */
static void pass_through(struct state_scan *s, bool forwards, struct node *n, struct edge **ends)
{
    struct map by_conn = { 0 };
    uint32_t known = forwards ? n->in.count : n->out.count, open = forwards ? n->out.count : n->in.count;
    struct edge *const *known_edges = forwards ? n->in.items : n->out.items;
    struct edge *const *open_edges = forwards ? n->out.items : n->in.items;
    for (uint32_t i = 0; i < known; i++) {
        const char *conn = forwards ? known_edges[i]->dst_conn : known_edges[i]->src_conn;
        if (conn && !map_has(&by_conn, conn))
            map_put(s->sdfg->v->scratch, &by_conn, conn, known_edges[i]);
    }
    for (uint32_t i = 0; i < open; i++) {
        const char *conn = other_half(s, forwards ? open_edges[i]->src_conn : open_edges[i]->dst_conn);
        struct edge *next = conn ? map_get(&by_conn, conn) : NULL;
        if (next)
            ends[open_edges[i]->index] = ends[next->index];
    }
}

static void find_path_ends(struct state_scan *s)
{
    struct state *st = s->state;
    s->first = NEW_ARRAY(s->sdfg->v->scratch, struct edge *, st->edges.count);
    s->last = NEW_ARRAY(s->sdfg->v->scratch, struct edge *, st->edges.count);
    for (uint32_t i = 0; i < st->edges.count; i++)
        s->first[i] = s->last[i] = st->edges.items[i];
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (node_is_entry(s->order[i]) || node_is_exit(s->order[i]))
            pass_through(s, true, s->order[i], s->first);
    for (uint32_t i = st->nodes.count; i-- > 0;)
        if (node_is_entry(s->order[i]) || node_is_exit(s->order[i]))
            pass_through(s, false, s->order[i], s->last);
}

/* 33 */
static void check_scopes(struct state_scan *s)
{
    for (uint32_t i = 0; i < s->state->nodes.count; i++) {
        struct node *n = s->state->nodes.items[i];
        if (node_is_entry(n) && !scope_exit(n))
            diag_error(validate_diags(s), &n->place, DIAG_SCOPE_EXIT);
        if (node_is_exit(n) && !scope_entry(n))
            diag_error(validate_diags(s), &n->place, DIAG_SCOPE_ENTRY);
    }
}

enum placement validate_placement(const struct state_scan *s, const struct node *n)
{
    for (const struct node *scope = n->scope; scope; scope = scope->scope) {
        const struct enum_value *schedule =
            scope->kind == NODE_MAP_ENTRY ? as_map_entry(scope)->schedule : as_consume_entry(scope)->schedule;
        uint32_t row = schedule ? schedule->row : SCHEDULE_DEFAULT;
        if (row >= SCHEDULE_GPU_DEVICE && row <= SCHEDULE_GPU_PERSISTENT)
            return PLACED_DEVICE;
        if (row == SCHEDULE_DEFAULT || row == SCHEDULE_UNDEFINED)
            return PLACED_OPEN;
    }
    return s->sdfg->placement;
}

void validate_state(struct sdfg_scan *sdfg, struct state *st)
{
    struct state_scan s = { .sdfg = sdfg, .state = st };
    if (!order_nodes(&s))
        return;
    find_path_ends(&s);
    check_scopes(&s);
    for (uint32_t i = 0; i < st->nodes.count && !validate_full(sdfg->v); i++)
        validate_node(&s, s.order[i]);
    for (uint32_t i = 0; i < st->edges.count && !validate_full(sdfg->v); i++)
        validate_edge(&s, st->edges.items[i]);
}
