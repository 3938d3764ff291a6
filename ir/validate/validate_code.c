/* Tasklets and nested SDFGs (format.md 9.5, rule 34). */
#include "ir/validate/validate.h"

#include <string.h>

static void check_names(struct state_scan *s, const struct node *n)
{
    struct diags *d = validate_diags(s);
    if (!validate_name(n->label))
        diag_error(d, &n->place, DIAG_RULE_NAME_NODE, n->label);
    for (uint32_t i = 0; i < n->in_conns.count && !validate_full(s->sdfg->v); i++)
        if (!validate_name(n->in_conns.items[i].name))
            diag_error(d, &n->place, DIAG_RULE_NAME_CONNECTOR, n->in_conns.items[i].name);
    for (uint32_t i = 0; i < n->out_conns.count && !validate_full(s->sdfg->v); i++)
        if (!validate_name(n->out_conns.items[i].name))
            diag_error(d, &n->place, DIAG_RULE_NAME_CONNECTOR, n->out_conns.items[i].name);
}

/* ---- subscripts of connectors in Python tasklets ---- */

struct subscripts {
    struct state_scan *s;
    struct tasklet *t;
    struct map memlets; /* connector -> struct edge * */
};

static bool is_single(struct state_scan *s, const struct range *r)
{
    return sym_is_int(sym_range_size(s->sdfg->v->ir, r->begin, r->end, r->step), 1);
}

/* Dimensions that a connector can be indexed with, or -1 when that is not decided by the subset alone. */
static int indexable_rank(struct state_scan *s, const struct tasklet *t, const struct edge *e, const char *conn)
{
    const struct memlet *m = &e->memlet;
    const struct connector *in = node_in_conn(&t->node, conn), *out = node_out_conn(&t->node, conn);
    const struct type *type = in ? in->type : out ? out->type : NULL;
    if (!m->data || m->data->kind != CONTAINER_ARRAY || m->dynamic || (type && type->kind == TYPE_VECTOR))
        return -1;
    int rank = 0;
    if (!m->subset)
        return (int)m->data->rank;
    for (uint32_t i = 0; i < m->subset->rank; i++)
        rank += !is_single(s, &m->subset->dims[i]) + !sym_is_int(m->subset->dims[i].tile, 1);
    bool vector = m->data->type && m->data->type->kind == TYPE_VECTOR; /* one is indexed by its lanes */
    return vector && !rank ? -1 : rank;
}

static bool check_subscript(void *user, struct code *c)
{
    struct subscripts *u = user;
    if (c->kind != CODE_INDEX || c->items[0]->kind != CODE_NAME)
        return true;
    const char *conn = c->items[0]->name;
    const struct edge *e = map_get(&u->memlets, conn);
    if (!e || validate_full(u->s->sdfg->v))
        return true;
    int rank = indexable_rank(u->s, u->t, e, conn);
    uint32_t indices = c->count - 1;
    if (indices == 1 && c->items[1]->kind == CODE_TUPLE)
        indices = c->items[1]->count;
    if (rank >= 0 && indices != (uint32_t)rank)
        diag_error_in(validate_diags(u->s), &u->t->node.place, u->t->code.text, strlen(u->t->code.text), c->offset,
                      DIAG_RULE_SUBSCRIPT_COUNT, conn, indices, rank);
    return true;
}

/* The tree of a Python tasklet; NULL if it is no Python or cannot be read. What is Python but beyond us is for the time
 * when the tasklet has to be compiled. */
static struct code *tasklet_tree(struct state_scan *s, struct tasklet *t)
{
    if (t->code.tree || !t->code.language || t->code.language->row != LANGUAGE_PYTHON)
        return t->code.tree;
    struct diags *d = validate_diags(s);
    uint32_t before = diags_count(d);
    t->code.tree = python_parse(s->sdfg->v->ir, &t->node.place, t->code.text);
    for (uint32_t i = before; i < diags_count(d); i++) {
        if (diag_class_of(diags_get(d, i)->code) != DIAG_CLASS_INVALID) {
            diags_reset(d, before);
            break;
        }
    }
    return t->code.tree;
}

void validate_tasklet(struct state_scan *s, struct tasklet *t)
{
    struct subscripts u = { .s = s, .t = t };
    check_names(s, &t->node);
    if (!strchr(t->code.text, '['))
        return;
    for (uint32_t i = 0; i < t->node.in.count; i++)
        if (t->node.in.items[i]->dst_conn)
            map_put(s->sdfg->v->scratch, &u.memlets, t->node.in.items[i]->dst_conn, t->node.in.items[i]);
    for (uint32_t i = 0; i < t->node.out.count; i++)
        if (t->node.out.items[i]->src_conn)
            map_put(s->sdfg->v->scratch, &u.memlets, t->node.out.items[i]->src_conn, t->node.out.items[i]);
    struct code *tree = tasklet_tree(s, t);
    if (tree && t->code.language->row == LANGUAGE_PYTHON)
        code_visit(tree, check_subscript, &u);
}

/* ---- nested SDFGs ---- */

static void check_connector(struct state_scan *s, struct nested *n, const char *name)
{
    struct diags *d = validate_diags(s);
    const struct container *c = map_get(&n->sdfg->container_by_name, name);
    if (map_has(&n->sdfg->symbol_by_name, name))
        diag_error(d, &n->node.place, DIAG_RULE_NESTED_CONNECTOR_SYMBOL, name, n->sdfg->name);
    else if (!c)
        diag_error(d, &n->node.place, DIAG_RULE_NESTED_CONNECTOR_UNKNOWN, name, n->sdfg->name);
    else if (c->transient)
        diag_error(d, &n->node.place, DIAG_RULE_NESTED_CONNECTOR_TRANSIENT, name, n->sdfg->name);
}

/* A name that comes in and goes out is one region of one container. */
static void check_both_ways(struct state_scan *s, struct nested *n)
{
    struct map inputs = { 0 };
    for (uint32_t i = 0; i < n->node.in.count; i++)
        if (n->node.in.items[i]->dst_conn)
            map_put(s->sdfg->v->scratch, &inputs, n->node.in.items[i]->dst_conn, n->node.in.items[i]);
    for (uint32_t i = 0; i < n->node.out.count && !validate_full(s->sdfg->v); i++) {
        struct edge *out = n->node.out.items[i];
        struct edge *in = out->src_conn ? map_get(&inputs, out->src_conn) : NULL;
        const struct access *from = in ? as_access(path_first_edge(in)->src) : NULL;
        const struct access *to = as_access(path_last_edge(out)->dst);
        if (from && to && from->data && to->data && from->data != to->data)
            diag_error(validate_diags(s), &n->node.place, DIAG_RULE_NESTED_BOTH_WAYS, out->src_conn, from->name,
                       to->name);
    }
}

static void check_bindings(struct state_scan *s, struct nested *n)
{
    struct map bound = { 0 };
    for (uint32_t i = 0; i < n->node.in_conns.count && !validate_full(s->sdfg->v); i++) {
        map_put(s->sdfg->v->scratch, &bound, n->node.in_conns.items[i].name, n);
        check_connector(s, n, n->node.in_conns.items[i].name);
    }
    for (uint32_t i = 0; i < n->node.out_conns.count && !validate_full(s->sdfg->v); i++) {
        const char *name = n->node.out_conns.items[i].name;
        if (!map_has(&bound, name))
            check_connector(s, n, name);
        map_put(s->sdfg->v->scratch, &bound, name, n);
    }
    for (uint32_t i = 0; i < n->sdfg->containers.count && !validate_full(s->sdfg->v); i++) {
        struct container *c = n->sdfg->containers.items[i];
        if (!c->transient && !map_has(&bound, c->name))
            diag_error(validate_diags(s), &c->place, DIAG_RULE_NESTED_CONTAINER_UNBOUND, c->name);
    }
}

static void check_mapping(struct state_scan *s, struct nested *n)
{
    const char **free_names;
    uint32_t count = sdfg_free_symbols(n->sdfg, true, &free_names);
    struct map mapped = { 0 }, needed = { 0 };
    for (uint32_t i = 0; i < n->mapping.count; i++)
        map_put(s->sdfg->v->scratch, &mapped, n->mapping.items[i].name, n);
    for (uint32_t i = 0; i < count && !validate_full(s->sdfg->v); i++) {
        map_put(s->sdfg->v->scratch, &needed, free_names[i], n);
        if (!map_has(&mapped, free_names[i]))
            diag_error(validate_diags(s), &n->node.place, DIAG_RULE_NESTED_SYMBOL_UNMAPPED, free_names[i],
                       n->sdfg->name);
    }
    for (uint32_t i = 0; i < n->mapping.count; i++) {
        const char *name = n->mapping.items[i].name;
        if (!map_has(&needed, name) && !map_has(&n->sdfg->symbol_by_name, name) && validate_may_warn(s->sdfg->v))
            diag_warning(validate_diags(s), &n->node.place, DIAG_RULE_NESTED_SYMBOL_EXTRA, name, n->sdfg->name);
    }
}

void validate_nested(struct state_scan *s, struct nested *n)
{
    check_names(s, &n->node);
    if (!n->sdfg)
        return; /* a file of its own that is not loaded; refused when it has to run */
    check_bindings(s, n);
    check_both_ways(s, n);
    check_mapping(s, n);
    validate_sdfg(s->sdfg->v, n->sdfg, validate_placement(s, &n->node));
}
