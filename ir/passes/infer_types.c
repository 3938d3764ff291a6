/* Types of connectors and of symbols that transitions and loops assign (semantics.md 2.7 and 7).
 *
 * Explicit types are kept. Tasklet code is parsed here, since outputs into other tasklets take the type of the code.
 * Types of inner symbols that their SDFG does not declare come from the symbol mapping. */
#include "ir/passes/passes.h"

#include <string.h>

struct infer {
    struct ir *ir;
    struct sdfg *sdfg;
    bool ok;
};

/* ---- connectors ---- */

static bool one_element(struct ir *ir, const struct memlet *m)
{
    if (m->data->kind == CONTAINER_SCALAR || m->data->kind == CONTAINER_STRUCTURE)
        return true;
    if (!m->subset)
        return sym_is_int(m->data->total_size, 1);
    return sym_is_int(subset_volume(ir, m->subset), 1);
}

static const struct type *inner_type(struct ir *ir, const struct nested *n, const char *conn)
{
    struct container *c = n->sdfg ? sdfg_find_container(n->sdfg, conn) : NULL;
    if (!c || !c->type)
        return NULL;
    return c->kind == CONTAINER_SCALAR || c->kind == CONTAINER_STREAM ? c->type : type_pointer(ir, c->type);
}

/* The memlet that says how a connector reaches its data: that of the edge at the node. */
static const struct type *data_type(struct ir *ir, const struct memlet *m, bool input)
{
    if (memlet_is_empty(m) || !m->data || !m->data->type)
        return NULL;
    const struct type *elem = m->data->type;
    if (m->data->kind == CONTAINER_STREAM)
        return elem;
    if (m->data->kind == CONTAINER_PROCESS_GRID) /* its communicator */
        return type_opaque(ir, "MPI_Comm");
    if (m->data->kind == CONTAINER_SCALAR)
        return elem;
    bool value = one_element(ir, m) && (input || !m->dynamic || m->wcr_kind != WCR_NONE);
    return value ? elem : type_pointer(ir, elem);
}

struct tasklet_names {
    const struct tasklet *t;
    struct sdfg *sdfg;
    struct node *scope;
};

static const struct type *type_of_name(void *user, const char *name)
{
    const struct tasklet_names *n = user;
    const struct connector *c = node_in_conn(&n->t->node, name);
    if (c)
        return c->type;
    for (const struct node *s = &n->t->node; s; s = s->scope) {
        const struct connector *dynamic = node_in_conn(s, name);
        if (node_is_entry(s) && dynamic && dynamic->type)
            return dynamic->type;
    }
    const struct type *t = sdfg_symbol_type(n->sdfg, name);
    if (t)
        return t;
    const struct constant *k = sdfg_find_constant(n->sdfg, name);
    if (k)
        return k->desc->type;
    return type_basic(n->sdfg->ir, TYPE_I64);
}

/* The type of `name` after the tasklet's body: that of the first assignment to it. */
struct assigned {
    const char *name;
    struct ir *ir;
    struct tasklet_names *names;
    const struct type *type;
};

static bool find_assignment(void *user, struct code *c)
{
    struct assigned *a = user;
    if (c->kind == CODE_ASSIGN)
        for (uint32_t i = 1; i < c->count; i++)
            if (c->items[i]->kind == CODE_NAME && c->items[i]->name == a->name && !a->type)
                a->type = c->type ? c->type : code_infer(a->ir, c->items[0], type_of_name, a->names);
    return true;
}

static const struct type *code_output_type(struct ir *ir, struct sdfg *s, const struct tasklet *t, const char *conn)
{
    if (!t->code.tree)
        return NULL;
    struct tasklet_names names = { .t = t, .sdfg = s };
    struct assigned a = { .name = conn, .ir = ir, .names = &names };
    code_visit(t->code.tree, find_assignment, &a);
    return a.type;
}

static void set_type(struct connector *c, const struct type *t)
{
    if (c->type || !t)
        return;
    c->type = t;
    c->inferred = true;
}

static const struct type *producer_type(const struct edge *e)
{
    const struct edge *first = path_first_edge((struct edge *)(uintptr_t)e);
    const struct connector *c = first->src_conn ? node_out_conn(first->src, first->src_conn) : NULL;
    return c ? c->type : NULL;
}

static bool skip_inference(const struct node *n, const char *conn)
{
    return node_is_exit(n) || (node_is_entry(n) && !strncmp(conn, "IN_", 3));
}

static void infer_inputs(struct infer *f, struct node *n)
{
    const struct nested *inner = as_nested(n);
    for (uint32_t i = 0; i < n->in_conns.count; i++) {
        struct connector *c = &n->in_conns.items[i];
        if (c->type || skip_inference(n, c->name))
            continue;
        const struct edge *e = node_in_edge(n, c->name);
        if (inner)
            set_type(c, inner_type(f->ir, inner, c->name));
        else if (e && memlet_is_empty(&e->memlet))
            set_type(c, producer_type(e));
        else if (e)
            set_type(c, data_type(f->ir, &e->memlet, true));
    }
}

/* An edge into connector `set`: the address that a reference gets. */
static bool sets_reference(struct infer *f, const struct edge *e)
{
    const struct access *a = as_access(e->dst);
    return a && a->data && a->data->type && container_is_reference(a->data) &&
           e->dst_conn == intern(f->ir->names, "set");
}

static void infer_outputs(struct infer *f, struct node *n)
{
    const struct nested *inner = as_nested(n);
    if (node_is_entry(n) || node_is_exit(n))
        return;
    for (uint32_t i = 0; i < n->out_conns.count; i++) {
        struct connector *c = &n->out_conns.items[i];
        if (c->type)
            continue;
        const struct edge *e = node_out_edge(n, c->name);
        if (inner)
            set_type(c, inner_type(f->ir, inner, c->name));
        else if (e && sets_reference(f, e))
            set_type(c, type_pointer(f->ir, as_access(e->dst)->data->type));
        else if (e && !memlet_is_empty(&e->memlet))
            set_type(c, data_type(f->ir, &e->memlet, false));
        if (!c->type && n->kind == NODE_TASKLET)
            set_type(c, code_output_type(f->ir, f->sdfg, as_tasklet(n), c->name));
    }
}

static bool parse_tasklet(struct infer *f, struct tasklet *t)
{
    if (t->code.tree || t->code.language->row != LANGUAGE_PYTHON)
        return true;
    t->code.tree = python_parse(f->ir, &t->node.place, t->code.text);
    return t->code.tree != NULL;
}

static void infer_state(struct infer *f, struct state *st, struct node *scope)
{
    struct node **order;
    uint32_t n = scope_order(st, scope, &order);
    for (uint32_t i = 0; i < n; i++) {
        if (order[i]->kind == NODE_TASKLET && !parse_tasklet(f, as_tasklet(order[i])))
            f->ok = false;
        infer_inputs(f, order[i]);
        if (node_is_entry(order[i]))
            infer_state(f, st, order[i]);
        infer_outputs(f, order[i]);
    }
}

/* ---- symbols ---- */

static const struct type *type_in_sdfg(void *user, const char *name)
{
    struct infer *f = user;
    const struct type *t = sdfg_symbol_type(f->sdfg, name);
    if (t && t->kind != TYPE_VOID)
        return t;
    const struct container *c = sdfg_find_container(f->sdfg, name);
    if (c)
        return c->type;
    const struct constant *k = sdfg_find_constant(f->sdfg, name);
    return k ? k->desc->type : NULL;
}

static void declare(struct infer *f, const char *name, const struct type *type)
{
    const struct type *known = map_get(&f->sdfg->symbol_by_name, name);
    if (known && known->kind != TYPE_VOID)
        return;
    if (sdfg_find_container(f->sdfg, name))
        return;
    map_put(f->ir->arena, &f->sdfg->symbol_by_name, name, (void *)(uintptr_t)type);
    for (uint32_t i = 0; i < f->sdfg->symbols.count; i++)
        if (f->sdfg->symbols.items[i].name == name) {
            f->sdfg->symbols.items[i].type = type;
            return;
        }
    vec_push(f->ir->arena, &f->sdfg->symbols, ((struct symbol_decl){ name, type }));
}

static void infer_transition(struct infer *f, const struct transition *t)
{
    for (uint32_t i = 0; i < t->assignments.count; i++) {
        const struct assignment *a = &t->assignments.items[i];
        const struct type *type = a->value ? code_infer(f->ir, a->value, type_in_sdfg, f) : NULL;
        if (type && type->kind == TYPE_POINTER)
            type = type->elem;
        declare(f, a->name, type ? type : type_basic(f->ir, TYPE_I64));
    }
}

/* Loop variables: the common type of what is assigned in init and update (semantics.md 2.4). */
static void infer_loop(struct infer *f, const struct loop *l)
{
    if (!*l->variable)
        return;
    const struct type *type = NULL;
    const struct code_text *const texts[] = { &l->init, &l->update };
    for (int i = 0; i < 2; i++) {
        const struct code *block = texts[i]->tree;
        const struct code *s = block && block->kind == CODE_BLOCK && block->count ? block->items[0] : block;
        if (!s || s->kind != CODE_ASSIGN || s->op)
            continue;
        const struct type *t = code_infer(f->ir, s->items[0], type_in_sdfg, f);
        if (t && !type)
            type = t;
    }
    declare(f, l->variable, type && type_is_basic(type) ? type : type_basic(f->ir, TYPE_I64));
}

static void infer_block(void *user, struct block *b)
{
    struct infer *f = user;
    if (as_loop(b))
        infer_loop(f, as_loop(b));
    if (as_region(b))
        for (uint32_t i = 0; i < as_region(b)->transitions.count; i++)
            infer_transition(f, as_region(b)->transitions.items[i]);
}

static void infer_inner_symbols(struct ir *ir, struct nested *n)
{
    struct infer f = { .ir = ir, .sdfg = n->sdfg };
    for (uint32_t i = 0; i < n->mapping.count; i++) {
        const struct sym *v = n->mapping.items[i].value;
        const struct type *t = v->op == SYM_NAME ? sdfg_symbol_type(n->node.state->sdfg, v->name) : NULL;
        if (!t && v->op == SYM_NAME) {
            const struct container *c = sdfg_find_container(n->node.state->sdfg, v->name);
            t = c ? c->type : v->type;
        }
        if (v->op == SYM_FLOAT)
            t = type_basic(ir, TYPE_F64);
        declare(&f, n->mapping.items[i].name, t && t->kind != TYPE_VOID ? t : type_basic(ir, TYPE_I64));
    }
}

static void infer_sdfg(void *user, struct sdfg *s)
{
    struct infer *f = user;
    f->sdfg = s;
    if (s->parent)
        infer_inner_symbols(f->ir, s->parent);
    infer_block(f, &s->region.block);
    region_each_block(&s->region, infer_block, f);
}

static void infer_states_of_block(void *user, struct block *b)
{
    struct infer *f = user;
    if (as_state(b))
        infer_state(f, as_state(b), NULL);
}

static void infer_states(void *user, struct sdfg *s)
{
    struct infer *f = user;
    f->sdfg = s;
    region_each_block(&s->region, infer_states_of_block, f);
}

bool sdfg_infer_types(struct sdfg *s)
{
    struct infer f = { .ir = s->ir, .ok = true };
    sdfg_each(s, infer_sdfg, &f);
    sdfg_each(s, infer_states, &f);
    return f.ok;
}
