/* Nodes, one kind at a time (format.md 9.5, rules 34, 35, 37 to 39, 62). */
#include "ir/validate/validate.h"

#include <string.h>

static void check_name(struct state_scan *s, const struct node *n)
{
    if (!validate_name(n->label))
        diag_error(validate_diags(s), &n->place, DIAG_RULE_NAME_NODE, n->label);
}

static bool moves_data(const struct edge *e) { return !memlet_is_empty(&e->memlet); }

static bool has_data_edge(const struct access *a, bool in)
{
    uint32_t count = in ? a->node.in.count : a->node.out.count;
    for (uint32_t i = 0; i < count; i++)
        if (moves_data(in ? a->node.in.items[i] : a->node.out.items[i]))
            return true;
    return false;
}

/* 39: what an inner SDFG touches must have come in, and what it writes must go out. */
static void check_binding(struct state_scan *s, struct access *a, const struct container *c)
{
    const struct nested *outer = s->state->sdfg->parent;
    if (!outer || c->transient)
        return;
    bool in = node_in_conn(&outer->node, c->name) != NULL, out = node_out_conn(&outer->node, c->name) != NULL;
    if (!in && !out)
        diag_error(validate_diags(s), &a->node.place, DIAG_RULE_ACCESS_UNBOUND, c->name);
    else if (!out && has_data_edge(a, true))
        diag_error(validate_diags(s), &a->node.place, DIAG_RULE_WRITE_UNBOUND, c->name);
}

/* 38 */
void validate_read(struct sdfg_scan *s, const struct place *place, const struct container *c)
{
    bool memory = c->transient && !container_is_view(c) && !container_is_reference(c) && c->kind != CONTAINER_STREAM;
    if (!memory || c->distributed || map_has(&s->written, c) || sdfg_find_constant(s->sdfg, c->name))
        return;
    if (validate_may_warn(s->v))
        diag_warning(s->v->ir->diags, place, DIAG_RULE_TRANSIENT_UNWRITTEN, c->name);
    map_put(s->v->scratch, &s->written, c, (void *)(uintptr_t)c); /* the first read is enough */
}

/* All that is written to it is combined with what it holds. */
static bool only_combines(const struct access *a)
{
    bool combines = false;
    for (uint32_t i = 0; i < a->node.in.count; i++) {
        const struct edge *e = a->node.in.items[i];
        if (moves_data(e) && !e->memlet.wcr)
            return false;
        combines |= moves_data(e);
    }
    return combines;
}

/* 38 */
static void check_order(struct state_scan *s, struct access *a, const struct container *c)
{
    struct map *written = &s->sdfg->written;
    bool set = false, reference = container_is_reference(c);
    if (a->setzero && !reference)
        map_put(s->sdfg->v->scratch, written, c, a);
    else if (only_combines(a))
        validate_read(s->sdfg, &a->node.place, c);
    for (uint32_t i = 0; i < a->node.in.count; i++) {
        const char *conn = a->node.in.items[i]->dst_conn;
        set |= reference ? conn && strcmp(conn, "set") == 0 : moves_data(a->node.in.items[i]);
    }
    if (set)
        map_put(s->sdfg->v->scratch, written, c, a);
    if (map_has(written, c))
        return;
    if (reference)
        diag_error(validate_diags(s), &a->node.place, DIAG_RULE_REFERENCE_UNSET, c->name);
    else if (has_data_edge(a, false))
        validate_read(s->sdfg, &a->node.place, c);
}

static void validate_access(struct state_scan *s, struct access *a)
{
    if (!a->data)
        return; /* the reader has said so */
    const struct container *c = validate_root_container(a->data);
    check_binding(s, a, c);
    check_order(s, a, c);
    if (a->setzero && c->transient && sdfg_find_constant(s->state->sdfg, c->name))
        diag_error(validate_diags(s), &a->node.place, DIAG_RULE_CONSTANT_ZEROED, c->name);
    bool alone = !a->node.in.count && !a->node.out.count;
    if (alone && validate_may_warn(s->sdfg->v)) /* 35; such a node does nothing, and scopes cannot be without edges */
        diag_warning(validate_diags(s), &a->node.place, DIAG_RULE_NODE_ISOLATED);
    if (!alone && container_is_view(a->data) && !view_edge(a))
        diag_error(validate_diags(s), &a->node.place, DIAG_RULE_VIEW_EDGE, a->name); /* 37 */
}

static void check_parameters(struct state_scan *s, struct map_entry *m)
{
    struct map seen = { 0 };
    bool repeated = false;
    for (uint32_t i = 0; i < m->params.count; i++) {
        const char *name = m->params.items[i];
        repeated = repeated || map_has(&s->repeated, name);
        if (!validate_name(name))
            diag_error(validate_diags(s), &m->node.place, DIAG_RULE_NAME_SYMBOL, name);
        if (map_has(&seen, name))
            diag_error(validate_diags(s), &m->node.place, DIAG_RULE_PARAMETER_TWICE, name);
        map_put(s->sdfg->v->scratch, &seen, name, m);
    }
    for (struct node *outer = repeated ? m->node.scope : NULL; outer; outer = outer->scope)
        for (uint32_t i = 0; as_map_entry(outer) && i < as_map_entry(outer)->params.count; i++)
            if (map_has(&seen, as_map_entry(outer)->params.items[i]) && validate_may_warn(s->sdfg->v))
                diag_warning(validate_diags(s), &m->node.place, DIAG_RULE_PARAMETER_HIDES,
                             as_map_entry(outer)->params.items[i]);
}

/* The parameter of a CPU_Persistent scope is a thread number: whether a team covers the range, nobody knows before it
 * runs, unless the range is given by the size of the team. */
static void check_persistent(struct state_scan *s, const struct map_entry *m)
{
    struct ir *ir = s->sdfg->v->ir;
    const struct range *r = m->range.rank ? &m->range.dims[0] : NULL;
    const char *team = intern(ir->names, "__omp_num_threads");
    if (!r || sym_mentions(r->begin, team) || sym_mentions(r->end, team) || sym_mentions(r->step, team))
        return;
    int64_t value;
    const struct sym *extent = sym_sub(ir, r->end, r->begin);
    bool known = validate_literal(s->sdfg->v, extent, &value);
    if ((!known || value > 0) && validate_may_warn(s->sdfg->v))
        diag_warning(validate_diags(s), &m->node.place, DIAG_RULE_PERSISTENT_RANGE,
                     sym_text(ir, sym_add(ir, extent, sym_int(ir, 1))));
}

static void validate_map(struct state_scan *s, struct map_entry *m)
{
    struct diags *d = validate_diags(s);
    const struct place *place = &m->node.place;
    check_name(s, &m->node);
    if (!m->params.count)
        diag_error(d, place, DIAG_RULE_MAP_NO_PARAMETERS);
    if (m->params.count != m->range.rank)
        diag_error(d, place, DIAG_RULE_MAP_DIMENSIONS, m->params.count, m->range.rank);
    check_parameters(s, m);
    for (uint32_t i = 0; i < m->range.rank; i++) {
        const struct range *r = &m->range.dims[i];
        int64_t value;
        if (validate_literal(s->sdfg->v, r->step, &value) && value <= 0) {
            diag_error(d, place, DIAG_RULE_MAP_STEP, i, sym_text(s->sdfg->v->ir, r->step));
            continue;
        }
        const struct sym *extent = sym_sub(s->sdfg->v->ir, r->end, r->begin);
        if (validate_literal(s->sdfg->v, extent, &value) && value < 0 && validate_may_warn(s->sdfg->v))
            diag_warning(d, place, DIAG_RULE_MAP_EMPTY_RANGE, i);
    }
    uint32_t row = m->schedule ? m->schedule->row : SCHEDULE_DEFAULT;
    if (m->unroll && (row == SCHEDULE_CPU_MULTICORE || row == SCHEDULE_CPU_PERSISTENT))
        diag_error(d, place, DIAG_RULE_MAP_UNROLL_PARALLEL, m->schedule->name); /* 62 */
    if (row == SCHEDULE_CPU_PERSISTENT)
        check_persistent(s, m);
}

void validate_node(struct state_scan *s, struct node *n)
{
    if (n->kind == NODE_UNKNOWN)
        return; /* refused when it has to run */
    validate_connectors(s, n);
    if (as_access(n))
        validate_access(s, as_access(n));
    else if (as_tasklet(n))
        validate_tasklet(s, as_tasklet(n));
    else if (as_map_entry(n))
        validate_map(s, as_map_entry(n));
    else if (as_nested(n))
        validate_nested(s, as_nested(n));
    else if (as_consume_entry(n))
        check_name(s, n);
}
