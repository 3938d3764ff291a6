/* Connectors of all nodes (format.md 9.5, rules 36 and 40 to 45). */
#include "ir/validate/validate.h"

#include <string.h>

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* One side of a node: its connectors and how many edges each has. */
struct node_side {
    struct state_scan *s;
    struct node *n;
    bool in;
    const struct connector *conns;
    uint32_t count;
    uint32_t *edges;
    struct map index; /* connector name -> 1 + position */
};

static void side_open(struct node_side *side, struct state_scan *s, struct node *n, bool in)
{
    struct arena *a = s->sdfg->v->scratch;
    *side = (struct node_side){ .s = s, .n = n, .in = in };
    side->conns = in ? n->in_conns.items : n->out_conns.items;
    side->count = in ? n->in_conns.count : n->out_conns.count;
    side->edges = NEW_ARRAY(a, uint32_t, side->count);
    for (uint32_t i = 0; i < side->count; i++)
        map_put(a, &side->index, side->conns[i].name, (void *)(uintptr_t)(i + 1));
}

static bool side_has(const struct node_side *side, const char *name)
{
    const char *known = intern_find(side->s->sdfg->v->ir->names, name);
    return known && map_has(&side->index, known);
}

/* Which inputs a library node needs is known when it is expanded. */
static void report_unused(const struct node_side *side, const char *name)
{
    struct validator *v = side->s->sdfg->v;
    const char *what = side->in ? "input" : "output";
    if (side->n->kind != NODE_LIBRARY)
        diag_error(v->ir->diags, &side->n->place, DIAG_RULE_CONNECTOR_NO_EDGE, what, name);
    else if (validate_may_warn(v))
        diag_warning(v->ir->diags, &side->n->place, DIAG_RULE_CONNECTOR_NO_EDGE, what, name);
}

/* 43 to 45 */
static void check_edges(struct node_side *side)
{
    struct node *n = side->n;
    struct validator *v = side->s->sdfg->v;
    struct diags *d = v->ir->diags;
    const char *what = side->in ? "input" : "output";
    uint32_t num_edges = side->in ? n->in.count : n->out.count;
    for (uint32_t i = 0; i < num_edges && !validate_full(v); i++) {
        const struct edge *e = side->in ? n->in.items[i] : n->out.items[i];
        const char *conn = side->in ? e->dst_conn : e->src_conn;
        uintptr_t at = conn ? (uintptr_t)map_get(&side->index, conn) : 0;
        if (at)
            side->edges[at - 1]++;
        else if (conn)
            diag_error(d, &e->place, DIAG_RULE_CONNECTOR_UNDECLARED, what, conn);
    }
    bool many = side->in
                    ? node_is_exit(n)
                    : !node_is_exit(n) && n->kind != NODE_TASKLET && n->kind != NODE_NESTED && n->kind != NODE_LIBRARY;
    for (uint32_t i = 0; i < side->count && !validate_full(v); i++) {
        if (!side->edges[i])
            report_unused(side, side->conns[i].name);
        if (side->edges[i] > 1 && !many)
            diag_error(d, &n->place, DIAG_RULE_CONNECTOR_MANY_EDGES, what, side->conns[i].name, side->edges[i]);
    }
}

/* 36 */
static void check_pairs(const struct node_side *side, const struct node_side *other)
{
    struct validator *v = side->s->sdfg->v;
    const char *half = side->in ? "IN_" : "OUT_", *other_half = side->in ? "OUT_" : "IN_";
    for (uint32_t i = 0; i < side->count && !validate_full(v); i++) {
        const char *name = side->conns[i].name;
        if (!starts_with(name, half))
            continue;
        const char *pair = arena_join(v->scratch, other_half, name + strlen(half));
        if (!side_has(other, pair))
            diag_error(v->ir->diags, &side->n->place, DIAG_RULE_CONNECTOR_PAIR, name, pair);
    }
}

/* 41, 42 */
static void check_names(const struct node_side *side, const struct node_side *other)
{
    struct node *n = side->n;
    struct validator *v = side->s->sdfg->v;
    for (uint32_t i = 0; i < side->count && !validate_full(v); i++) {
        const char *name = side->conns[i].name;
        if (side->in && map_has(&other->index, name))
            diag_error(v->ir->diags, &n->place, DIAG_RULE_CONNECTOR_BOTH, name);
        if (!node_is_entry(n) && map_has(&side->s->sdfg->names, name))
            diag_error(v->ir->diags, &n->place, DIAG_RULE_CONNECTOR_NAME_TAKEN, name);
    }
}

void validate_connectors(struct state_scan *s, struct node *n)
{
    struct node_side in, out;
    side_open(&in, s, n, true);
    side_open(&out, s, n, false);
    if (node_is_entry(n) || node_is_exit(n)) {
        check_pairs(&in, &out);
        check_pairs(&out, &in);
    }
    if (n->kind == NODE_CONSUME_ENTRY && !(side_has(&in, "IN_stream") && side_has(&out, "OUT_stream")))
        diag_error(validate_diags(s), &n->place, DIAG_RULE_CONSUME_CONNECTORS); /* 40 */
    if (n->kind != NODE_NESTED && n->kind != NODE_LIBRARY) {
        check_names(&in, &out);
        check_names(&out, &in);
    }
    check_edges(&in);
    check_edges(&out);
}
