/* Data-flow edges and their memlets (format.md 9.6). Numbers are compared only where they fold to constants. */
#include "ir/validate/validate.h"

#include <string.h>

static bool is_structure(const struct container *c) { return c && container_is_structure(c); }

static bool has_no_bounds(const struct container *c)
{
    return !c || is_structure(c) || c->kind == CONTAINER_UNKNOWN || c->kind == CONTAINER_PROCESS_GRID ||
           c->kind == CONTAINER_REDISTR_ARRAY;
}

static const struct access *source(struct edge *e) { return as_access(path_first_edge(e)->src); }

static const struct access *target(struct edge *e) { return as_access(path_last_edge(e)->dst); }

/* ---- subsets ---- */

/* -1, 0, 1 for a dimension that certainly has a negative size, no elements, some elements; 2 if that depends. */
static int extent_sign(struct validator *v, const struct range *r)
{
    int64_t length, step;
    if (!validate_literal(v, sym_sub(v->ir, r->end, r->begin), &length) || !validate_literal(v, r->step, &step))
        return 2;
    length = step < 0 ? -length : length;
    return length < -1 ? -1 : length < 0 ? 0 : 1;
}

/* 47 */
static void check_sizes(struct state_scan *s, struct edge *e, const struct subset *subset)
{
    for (uint32_t i = 0; subset && i < subset->rank; i++)
        if (extent_sign(s->sdfg->v, &subset->dims[i]) == -1)
            diag_error(validate_diags(s), &e->place, DIAG_RULE_SUBSET_NEGATIVE, i);
}

/* Only the innermost memlet of a path says what is accessed; those around scopes are unions that may be too wide
 * (2.19.2). */
static void report_bounds(struct state_scan *s, struct edge *e, enum diag_code code, uint32_t dim,
                          const struct sym *index, const struct container *c)
{
    struct ir *ir = s->sdfg->v->ir;
    const char *text = sym_text(ir, index);
    bool outer = node_is_entry(e->dst) || node_is_exit(e->src);
    if (!e->memlet.dynamic && !outer)
        diag_error(ir->diags, &e->place, code, text, dim, c->name, sym_text(ir, c->shape[dim]));
    else if (validate_may_warn(s->sdfg->v))
        diag_warning(ir->diags, &e->place, code, text, dim, c->name, sym_text(ir, c->shape[dim]));
}

static struct known_range *known_range(struct validator *v, const struct known_range *k)
{
    const uintptr_t parts[] = { (uintptr_t)k->begin, (uintptr_t)k->end, (uintptr_t)k->step, (uintptr_t)k->offset,
                                (uintptr_t)k->extent };
    uint64_t hash = 0;
    for (int i = 0; i < 5; i++)
        hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15u;
    return &v->known[(hash >> 32) % KNOWN_RANGES];
}

static bool same_range(const struct known_range *a, const struct known_range *b)
{
    return a->begin == b->begin && a->end == b->end && a->step == b->step && a->offset == b->offset &&
           a->extent == b->extent;
}

/* False: reported. */
static bool check_dimension(struct state_scan *s, struct edge *e, const struct range *r, uint32_t dim,
                            const struct sym *offset, const struct container *c)
{
    struct validator *v = s->sdfg->v;
    int64_t step, value;
    bool downwards = validate_literal(v, r->step, &step) && step < 0;
    if (extent_sign(v, r) < 1)
        return true;
    const struct sym *low = downwards ? r->end : r->begin, *high = downwards ? r->begin : r->end;
    low = sym_add(v->ir, low, offset);
    high = sym_add(v->ir, high, offset);
    bool below = validate_literal(v, low, &value) && value < 0;
    bool above = !below && validate_literal(v, sym_sub(v->ir, high, c->shape[dim]), &value) && value >= 0;
    if (below)
        report_bounds(s, e, DIAG_RULE_SUBSET_BELOW, dim, low, c);
    if (above)
        report_bounds(s, e, DIAG_RULE_SUBSET_ABOVE, dim, high, c);
    return !below && !above;
}

/* 52 */
static void check_bounds(struct state_scan *s, struct edge *e, const struct subset *subset, const struct container *c)
{
    struct validator *v = s->sdfg->v;
    if (subset->rank != c->rank) {
        diag_error(validate_diags(s), &e->place, DIAG_RULE_MEMLET_RANK, subset->rank, c->name, c->rank);
        return;
    }
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct range *r = &subset->dims[i];
        const struct sym *offset = c->offset && c->offset[i] ? c->offset[i] : sym_int(v->ir, 0);
        struct known_range key = { r->begin, r->end, r->step, offset, c->shape[i] };
        struct known_range *known = known_range(v, &key);
        if (!same_range(known, &key) && check_dimension(s, e, r, i, offset, c))
            *known = key;
    }
}

static int64_t vector_lanes(const struct container *c)
{
    return c && c->type && c->type->kind == TYPE_VECTOR && c->type->lanes ? c->type->lanes : 1;
}

static bool is_stream(const struct access *a) { return a && a->data && a->data->kind == CONTAINER_STREAM; }

/* 56 */
static void check_volumes(struct state_scan *s, struct edge *e)
{
    struct validator *v = s->sdfg->v;
    const struct memlet *m = &e->memlet;
    const struct access *from = source(e), *to = target(e);
    const char *conn = path_last_edge(e)->dst_conn;
    if (!from || !to || m->allow_oob || is_stream(from) || is_stream(to) || (conn && strcmp(conn, "set") == 0))
        return;
    const struct sym *here = subset_volume(v->ir, m->subset), *there = subset_volume(v->ir, m->other);
    const struct access *other_end = m->subset_is_source ? to : from;
    here = sym_mul(v->ir, here, sym_int(v->ir, vector_lanes(m->data)));
    there = sym_mul(v->ir, there, sym_int(v->ir, vector_lanes(other_end->data)));
    int64_t difference;
    if (!validate_literal(v, sym_sub(v->ir, here, there), &difference) || difference == 0)
        return;
    bool view = (from->data && container_is_view(from->data)) || (to->data && container_is_view(to->data));
    if (!view)
        diag_error(v->ir->diags, &e->place, DIAG_RULE_SUBSET_VOLUME, sym_text(v->ir, here), sym_text(v->ir, there));
    else if (validate_may_warn(v))
        diag_warning(v->ir->diags, &e->place, DIAG_RULE_SUBSET_VOLUME, sym_text(v->ir, here), sym_text(v->ir, there));
}

static void check_subsets(struct state_scan *s, struct edge *e)
{
    const struct memlet *m = &e->memlet;
    const struct access *from = source(e), *to = target(e);
    const struct access *here = m->subset_is_source ? from : to, *there = m->subset_is_source ? to : from;
    if (as_access(e->src) && as_access(e->dst)) {
        check_sizes(s, e, m->subset);
        check_sizes(s, e, m->other);
    }
    if (m->subset && !has_no_bounds(m->data)) {
        if (here && here->data == m->data && !m->allow_oob)
            check_bounds(s, e, m->subset, m->data);
        else if (m->subset->rank != m->data->rank)
            diag_error(validate_diags(s), &e->place, DIAG_RULE_MEMLET_RANK, m->subset->rank, m->name,
                       m->data->rank); /* 55 */
    }
    if (m->other && there && !has_no_bounds(there->data) && !m->allow_oob)
        check_bounds(s, e, m->other, there->data);
    if (m->subset && m->other)
        check_volumes(s, e);
}

/* ---- where edges may lead ---- */

/* The scope that an edge leaves from or arrives in. */
static const struct node *scope_behind(const struct node *n, bool leaving)
{
    if (leaving && node_is_entry(n))
        return n;
    if (leaving && node_is_exit(n))
        return n->scope ? n->scope->scope : NULL;
    return n->scope;
}

/* 54 */
static void check_scope(struct state_scan *s, struct edge *e)
{
    if (scope_behind(e->src, true) != scope_behind(e->dst, false))
        diag_error(validate_diags(s), &e->place, DIAG_RULE_SCOPE_CROSSED);
    if (node_is_exit(e->src) && node_is_entry(e->dst) && !memlet_is_empty(&e->memlet))
        diag_error(validate_diags(s), &e->place, DIAG_RULE_SCOPES_DISJOINT);
    const struct edge *last = path_last_edge(e);
    if (last != e && node_is_exit(last->src) && !as_access(last->dst) && !memlet_is_empty(&e->memlet) &&
        last->dst->kind != NODE_UNKNOWN)
        diag_error(validate_diags(s), &e->place, DIAG_RULE_PATH_LEAVES_SCOPE);
}

/* 48 */
static void check_nested_end(struct state_scan *s, struct edge *e)
{
    const struct node *from = path_first_edge(e)->src, *to = path_last_edge(e)->dst;
    bool bad = (e->src->kind == NODE_NESTED && to->kind != NODE_ACCESS && to->kind != NODE_UNKNOWN) ||
               (e->dst->kind == NODE_NESTED && from->kind != NODE_ACCESS && from->kind != NODE_UNKNOWN);
    if (bad)
        diag_error(validate_diags(s), &e->place, DIAG_RULE_NESTED_EDGE_END);
}

static bool names_end(const struct access *a, const char *conn, const struct memlet *m)
{
    return (a && a->data == m->data) || (a && conn && strcmp(conn, m->name) == 0);
}

/* 49 */
static void check_container(struct state_scan *s, struct edge *e)
{
    const struct access *from = source(e), *to = target(e);
    if ((!from && !to) || (from && is_structure(from->data)) || (to && is_structure(to->data)))
        return;
    if (!names_end(from, path_first_edge(e)->src_conn, &e->memlet) &&
        !names_end(to, path_last_edge(e)->dst_conn, &e->memlet))
        diag_error(validate_diags(s), &e->place, DIAG_RULE_MEMLET_CONTAINER, e->memlet.name);
}

/* Library calls get the address of an element, not its value. */
static bool passes_pointer(const struct edge *e)
{
    const struct connector *in = e->dst_conn ? node_in_conn(e->dst, e->dst_conn) : NULL;
    const struct connector *out = e->src_conn ? node_out_conn(e->src, e->src_conn) : NULL;
    return (in && in->type && in->type->kind == TYPE_POINTER) || (out && out->type && out->type->kind == TYPE_POINTER);
}

/* 50 */
static void check_device(struct state_scan *s, struct edge *e)
{
    const struct memlet *m = &e->memlet;
    bool dynamic_input = node_is_entry(e->dst) && e->dst_conn && strncmp(e->dst_conn, "IN_", 3) != 0;
    const struct node *user = dynamic_input || as_tasklet(e->dst) ? e->dst : as_tasklet(e->src) ? e->src : NULL;
    if (!user || !m->data || !m->subset || !validate_on_gpu(m->data) || passes_pointer(e))
        return;
    if (sym_is_int(subset_volume(s->sdfg->v->ir, m->subset), 1) && validate_placement(s, user) == PLACED_HOST)
        diag_error(validate_diags(s), &e->place, DIAG_RULE_HOST_USES_DEVICE, m->name,
                   validate_root_container(m->data)->storage->name);
}

/* 51 */
static void check_empty(struct state_scan *s, struct edge *e)
{
    bool between = as_tasklet(e->src) && as_tasklet(e->dst);
    if (!between && ((as_tasklet(e->src) && e->src_conn) || (as_tasklet(e->dst) && e->dst_conn)))
        diag_error(validate_diags(s), &e->place, DIAG_RULE_MEMLET_EMPTY,
                   e->src_conn && as_tasklet(e->src) ? e->src_conn : e->dst_conn);
}

/* Library nodes know unnamed edges; code does not. What code would write is lost, what it does not read harms nothing.
 */
static void check_named(struct state_scan *s, struct edge *e)
{
    if (!e->src_conn && (as_tasklet(e->src) || as_nested(e->src)))
        diag_error(validate_diags(s), &e->place, DIAG_RULE_OUTPUT_UNNAMED, e->memlet.name);
    if (!e->dst_conn && (as_tasklet(e->dst) || as_nested(e->dst)) && validate_may_warn(s->sdfg->v))
        diag_warning(validate_diags(s), &e->place, DIAG_RULE_INPUT_UNNAMED, e->memlet.name);
}

void validate_edge(struct state_scan *s, struct edge *e)
{
    check_scope(s, e);
    if (memlet_is_empty(&e->memlet)) {
        check_empty(s, e);
        return;
    }
    if (!e->memlet.data)
        return; /* the reader has said so */
    check_named(s, e);
    check_nested_end(s, e);
    check_container(s, e);
    check_device(s, e);
    validate_connector_types(s, e);
    check_subsets(s, e);
}
