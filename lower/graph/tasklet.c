/* Tasklets: inputs are read, the body runs, outputs are stored (semantics.md 4.3). */
#include "lower/graph/check.h"
#include "lower/graph/library/mpi.h"
#include "lower/graph/stream.h"
#include "lower/graph/threads.h"

#include <string.h>

struct names {
    struct scope *sc;
    struct tasklet *tasklet;
    struct map operands; /* interned connector name -> struct operand * */
};

static bool is_cpp(const struct tasklet *t) { return t->code.language->row == LANGUAGE_CPP; }

/* Connectors, then symbols and constants; containers are not visible inside a tasklet. */
static bool lookup(void *user, const char *name, struct operand *out)
{
    struct names *n = user;
    const struct operand *o = map_get(&n->operands, name);
    if (o) {
        *out = *o;
        return true;
    }
    *out = (struct operand){ .kind = OPERAND_NONE };
    if (is_cpp(n->tasklet) && lower_state_operand(n->sc->act->lw, name, out))
        return true;
    if (!lower_find_symbol(n->sc, name) && !sdfg_find_constant(n->sc->act->sdfg, name))
        return lower_thread_operand(n->sc, &n->tasklet->node.place, name, out);
    if (!lower_lookup(n->sc, name, out))
        return false;
    if (out->kind == OPERAND_ARRAY && is_cpp(n->tasklet))
        out->kind = OPERAND_POINTER;
    return true;
}

static struct operand *add_operand(struct names *n, const char *conn)
{
    struct lower *lw = n->sc->act->lw;
    struct operand *o = NEW(lw->arena, struct operand);
    map_put(lw->arena, &n->operands, conn, o);
    return o;
}

static void variable_operand(struct operand *o, struct tree_var *v)
{
    *o = (struct operand){ .kind = OPERAND_VARIABLE, .type = v->type, .var = v };
}

/* ---- connectors of C++: pointers are pointers, and any name may be assigned or have its address taken ---- */

struct name_use {
    const char *name;
    bool assigned, address;
    bool passed; /* to a function, which may access all that the memlet names */
};

static bool is_name(const struct code *c, const char *name) { return c->kind == CODE_NAME && c->name == name; }

/* The pointer, as it is, moved, or as the address of one of its elements. */
static bool is_pointer_of(const struct code *c, const char *name)
{
    switch (c->kind) {
    case CODE_BINARY:
        return is_pointer_of(c->items[0], name) || is_pointer_of(c->items[1], name);
    case CODE_SELECT:
        return is_pointer_of(c->items[1], name) || is_pointer_of(c->items[2], name);
    case CODE_CAST:
        return is_pointer_of(c->items[0], name);
    case CODE_ADDRESS:
        return c->items[0]->kind == CODE_INDEX && is_pointer_of(c->items[0]->items[0], name);
    default:
        return is_name(c, name);
    }
}

static bool find_use(void *user, struct code *c)
{
    struct name_use *u = user;
    if (c->kind == CODE_ADDRESS && is_name(c->items[0], u->name))
        u->address = true;
    if ((c->kind == CODE_STEP || c->kind == CODE_ASSIGN_EXPR) && is_name(c->items[0], u->name))
        u->assigned = true;
    for (uint32_t i = 1; c->kind == CODE_CALL && i < c->count; i++)
        u->passed |= is_pointer_of(c->items[i], u->name);
    for (uint32_t i = 1; c->kind == CODE_ASSIGN && i < c->count; i++)
        u->assigned |= is_name(c->items[i], u->name);
    return true;
}

static struct name_use use_of(const struct tasklet *t, const char *name)
{
    struct name_use u = { .name = name };
    if (is_cpp(t))
        code_visit(t->code.tree, find_use, &u);
    return u;
}

/* A variable in memory, for code that wants its address. */
static void memory_operand(struct scope *sc, struct operand *o, struct tree_var *v)
{
    struct lower *lw = sc->act->lw;
    struct tree_var *memory = tree_var(lw->tree, v->name, type_pointer(lw->ir, v->type));
    stmt_alloc(lw->tree, sc->block, memory, v->type, expr_i64(lw->tree, 1), TREE_STACK);
    *o = (struct operand){ .kind = OPERAND_ARRAY, .type = v->type, .pointer = expr_var(lw->tree, memory) };
}

static void input_variable(struct names *n, struct operand *o, struct tree_var *v)
{
    struct lower *lw = n->sc->act->lw;
    variable_operand(o, v);
    if (!use_of(n->tasklet, v->name).address)
        return;
    memory_operand(n->sc, o, v);
    stmt_store(lw->tree, n->sc->block, o->pointer, expr_i64(lw->tree, 0), expr_var(lw->tree, v), 0);
}

static bool pointer_operand(struct names *n, const struct place *place, const char *name, const struct area *a,
                            const struct type *type, struct operand *o)
{
    struct lower *lw = n->sc->act->lw;
    struct name_use use = use_of(n->tasklet, name);
    struct tree_expr *pointer = expr_cast(lw->tree, type, a->pointer);
    struct operand checked = { .kind = OPERAND_POINTER };
    if (use.passed && (!lower_check_address(n->sc, place, a) || !lower_check_area(n->sc, place, a, false, false)))
        return false;
    if (!lower_check_operand(n->sc, place, a, &checked))
        return false;
    if (!use.assigned && !use.address) {
        struct tree_expr *elements = lower_index(lw, &n->tasklet->node.place, area_volume(lw, a));
        *o = (struct operand){
            .kind = OPERAND_POINTER, .type = type->elem, .pointer = pointer, .elements = elements, .alias = a->alias
        };
        o->check = checked.check;
        return elements;
    }
    struct tree_var *v = tree_var(lw->tree, name, type);
    stmt_assign(lw->tree, n->sc->block, v, pointer);
    input_variable(n, o, v);
    return true;
}

/* A pointer connector: an array over the dimensions of the subset that are not 1. */
static bool array_operand(struct scope *sc, const struct place *place, const struct area *area, const struct type *elem,
                          struct operand *o)
{
    struct lower *lw = sc->act->lw;
    struct area a = *area;
    area_squeeze(&a);
    *o = (struct operand){
        .kind = OPERAND_ARRAY,
        .type = elem,
        .pointer = expr_cast(lw->tree, type_pointer(lw->ir, elem), a.pointer),
        .rank = a.rank,
        .alias = a.alias,
        .single = a.rank == 0,
    };
    o->strides = NEW_ARRAY(lw->arena, struct tree_expr *, a.rank + 1);
    for (uint32_t i = 0; i < a.rank; i++) {
        o->strides[i] = lower_index(lw, place, a.strides[i]);
        if (!o->strides[i])
            return false;
    }
    return lower_check_operand(sc, place, area, o);
}

static struct tree_var *passed_value(const struct scope *sc, struct edge *e)
{
    struct edge *first = path_first_edge(e);
    for (; sc; sc = sc->parent) {
        struct tree_var *v = map_get(&sc->values, first);
        if (v)
            return v;
    }
    return NULL;
}

static const struct type *connector_type(struct scope *sc, const struct node *n, const struct connector *c,
                                         const char *conn)
{
    if (!c || !c->type) {
        diag_error(sc->act->lw->diags, &n->place, DIAG_CONNECTOR_TYPE, conn);
        return NULL;
    }
    return c->type;
}

/* A static connector of one element pops before the tasklet runs, any other each time it is mentioned. */
static bool read_stream(struct scope *sc, struct edge *e, const struct type *type, struct operand *o)
{
    struct lower *lw = sc->act->lw;
    const struct memlet *m = &e->memlet;
    struct area a;
    if (!lower_stream_area(sc, &e->place, m->data, m->subset, &a) || !lower_stream_operand(sc, &e->place, &a, o))
        return false;
    if (m->dynamic || !sym_is_int(m->volume, 1) || o->rank)
        return true;
    if (!lower_check_area(sc, &e->place, &a, false, false))
        return false;
    struct tree_expr *handle = stream_handle(lw->tree, o->pointer, expr_i64(lw->tree, 0), o->alias);
    struct tree_expr *value = stream_pop(lw->tree, sc->block, o->type, handle);
    struct code_scope cs = lower_code_scope(sc, &e->place, NULL);
    if (o->type->kind == TYPE_STRUCT) {
        code_struct_operand(&cs, sc->block, o->type, o);
        return code_store(&cs, sc->block, o, NULL, 0, value);
    }
    struct tree_var *v = tree_var(lw->tree, e->dst_conn, type);
    value = code_convert(&cs, type, value);
    if (!value)
        return false;
    stmt_assign(lw->tree, sc->block, v, value);
    variable_operand(o, v);
    return true;
}

/* C++ code sees the communicator of a process grid, an integer. */
static bool read_grid(struct names *n, const struct edge *e, struct operand *o)
{
    struct lower *lw = n->sc->act->lw;
    if (!is_cpp(n->tasklet))
        return lower_unsupported(n->sc, &e->place, "a process grid in a tasklet that is not C++");
    struct tree_expr *handle = mpi_grid_handle(n->sc, &n->tasklet->node.place, e->memlet.data);
    if (!handle)
        return false;
    struct tree_var *v = tree_var(lw->tree, e->dst_conn, handle->type);
    stmt_assign(lw->tree, n->sc->block, v, handle);
    input_variable(n, o, v);
    return true;
}

static bool read_input(struct names *n, struct edge *e)
{
    struct scope *sc = n->sc;
    struct lower *lw = sc->act->lw;
    const struct node *node = e->dst;
    if (!e->dst_conn)
        return true;
    const struct type *type = connector_type(sc, node, node_in_conn(node, e->dst_conn), e->dst_conn);
    if (!type)
        return false;
    struct operand *o = add_operand(n, e->dst_conn);
    struct tree_var *passed = passed_value(sc, e);
    if (passed) {
        struct code_scope cs = lower_code_scope(sc, &e->place, NULL);
        struct tree_var *v = tree_var(lw->tree, e->dst_conn, type);
        struct tree_expr *value = code_convert(&cs, type, expr_var(lw->tree, passed));
        if (!value)
            return false;
        stmt_assign(lw->tree, sc->block, v, value);
        input_variable(n, o, v);
        return true;
    }
    if (memlet_is_empty(&e->memlet))
        return diag_error(lw->diags, &e->place, DIAG_EMPTY_MEMLET_VALUE, e->dst_conn);
    if (e->memlet.data->kind == CONTAINER_PROCESS_GRID)
        return read_grid(n, e, o);
    struct area a;
    bool consumed = lower_consumed(sc, e, &a);
    if (!consumed && is_stream(e->memlet.data))
        return read_stream(sc, e, type, o);
    if (!consumed && !lower_memlet_area(sc, e, &a))
        return false;
    if (type->kind == TYPE_POINTER && a.type->kind != TYPE_POINTER && is_cpp(n->tasklet)) {
        return pointer_operand(n, &e->place, e->dst_conn, &a, type, o);
    }
    if (consumed && !sym_is_int(a.sizes[0], 1))
        return array_operand(sc, &e->place, &a, a.type, o);
    if (type->kind == TYPE_POINTER && a.type->kind != TYPE_POINTER)
        return array_operand(sc, &e->place, &a, type->elem, o);
    if (e->memlet.dynamic) {
        a.rank = 0;
        return array_operand(sc, &e->place, &a, type, o);
    }
    if (!lower_check_value(sc, &e->place, &a, true, false))
        return false;
    struct tree_expr *p = expr_cast(lw->tree, type_pointer(lw->ir, type), a.pointer);
    if (type->kind == TYPE_STRUCT) {
        struct code_scope cs = lower_code_scope(sc, &e->place, NULL);
        code_struct_operand(&cs, sc->block, type, o);
        return code_store(&cs, sc->block, o, NULL, 0, p);
    }
    struct tree_var *v = tree_var(lw->tree, e->dst_conn, type);
    stmt_assign(lw->tree, sc->block, v, expr_load(lw->tree, type, p, expr_i64(lw->tree, 0), a.alias));
    input_variable(n, o, v);
    return true;
}

/* ---- outputs ---- */

static bool always_assigns(const struct code *c, const char *name)
{
    if (!c)
        return false;
    if (c->kind == CODE_BLOCK) {
        for (uint32_t i = 0; i < c->count; i++)
            if (always_assigns(c->items[i], name))
                return true;
        return false;
    }
    if (c->kind == CODE_IF)
        return c->count == 3 && always_assigns(c->items[1], name) && always_assigns(c->items[2], name);
    if (c->kind == CODE_EXPR)
        return c->items[0]->kind == CODE_ASSIGN_EXPR && !c->items[0]->op && c->items[0]->items[0]->kind == CODE_NAME &&
               c->items[0]->items[0]->name == name;
    if (c->kind != CODE_ASSIGN || c->op)
        return false;
    for (uint32_t i = 1; i < c->count; i++)
        if (c->items[i]->kind == CODE_NAME && c->items[i]->name == name)
            return true;
    return false;
}

static bool find_name(void *user, struct code *c)
{
    struct name_use *u = user;
    u->assigned |= is_name(c, u->name);
    return !u->assigned;
}

static bool mentions(struct code *c, const char *name)
{
    struct name_use u = { .name = name };
    code_visit(c, find_name, &u);
    return u.assigned;
}

/* Is the pointer set before the code looks at it? */
static bool assigns_first(struct code *c, const char *name)
{
    if (!c)
        return false;
    if (c->kind == CODE_BLOCK) {
        for (uint32_t i = 0; i < c->count; i++)
            if (assigns_first(c->items[i], name) || mentions(c->items[i], name))
                return assigns_first(c->items[i], name);
        return false;
    }
    if (c->kind == CODE_IF)
        return c->count == 3 && !mentions(c->items[0], name) && assigns_first(c->items[1], name) &&
               assigns_first(c->items[2], name);
    if (!always_assigns(c, name))
        return false;
    return !mentions(c->kind == CODE_EXPR ? c->items[0]->items[1] : c->items[0], name);
}

struct output {
    struct edge *edge;
    struct area area;
    struct tree_var *var;        /* static output or value for another tasklet; NULL: written through memory */
    struct tree_expr *structure; /* address of a static output of structure type */
    struct tree_expr *memory;    /* where the variable lives while the code runs, or NULL */
    bool to_memory;
    bool sets; /* the value is the address that a reference gets */
};

/* A static output that the body may leave alone keeps what is there; DaCe stores garbage (differences.md). */
static void preload(struct scope *sc, const struct tasklet *t, struct output *out, bool always)
{
    struct lower *lw = sc->act->lw;
    if (!always && always_assigns(t->code.tree, out->edge->src_conn))
        return;
    const struct type *type = out->var->type;
    struct tree_expr *old = expr_zero(lw->tree, type);
    if (out->to_memory && out->edge->memlet.wcr_kind == WCR_NONE)
        old = expr_load(lw->tree, type, expr_cast(lw->tree, type_pointer(lw->ir, type), out->area.pointer),
                        expr_i64(lw->tree, 0), out->area.alias);
    stmt_assign(lw->tree, sc->block, out->var, old);
}

static void output_variable(struct names *n, struct operand *o, struct output *out, const struct type *type)
{
    struct lower *lw = n->sc->act->lw;
    out->var = tree_var(lw->tree, out->edge->src_conn, type);
    variable_operand(o, out->var);
    bool address = use_of(n->tasklet, out->edge->src_conn).address;
    preload(n->sc, n->tasklet, out, address);
    if (!address)
        return;
    memory_operand(n->sc, o, out->var);
    out->memory = o->pointer;
    stmt_store(lw->tree, n->sc->block, o->pointer, expr_i64(lw->tree, 0), expr_var(lw->tree, out->var), 0);
}

/* An edge into connector `set` of a reference. */
static bool sets_reference(const struct scope *sc, const struct edge *e)
{
    const struct access *a = as_access(e->dst);
    return a && a->data && container_is_reference(a->data) && e->dst_conn == intern(sc->act->lw->ir->names, "set");
}

static bool prepare_reference(struct names *n, struct edge *e, struct output *out, const struct type *type)
{
    if (type->kind != TYPE_POINTER || type->elem != as_access(e->dst)->data->type)
        return lower_unsupported(n->sc, &e->place, "a reference set to something else than a pointer to its elements");
    if (!always_assigns(n->tasklet->code.tree, e->src_conn))
        return lower_unsupported(n->sc, &e->place, "a reference that a tasklet does not always set");
    out->sets = true;
    output_variable(n, add_operand(n, e->src_conn), out, type);
    return true;
}

static bool prepare_output(struct names *n, struct edge *e, struct output *out)
{
    struct scope *sc = n->sc;
    struct tasklet *t = n->tasklet;
    const struct type *type = connector_type(sc, &t->node, node_out_conn(&t->node, e->src_conn), e->src_conn);
    if (!type)
        return false;
    out->edge = e;
    if (sets_reference(sc, e))
        return prepare_reference(n, e, out, type);
    struct operand *o = add_operand(n, e->src_conn);
    struct node *target = path_target(e);
    if (memlet_is_empty(&e->memlet) || target->kind == NODE_TASKLET) {
        if (type->kind == TYPE_POINTER && !assigns_first(t->code.tree, e->src_conn))
            return lower_unsupported(sc, &e->place,
                                     "elements of a pointer that is a value for another tasklet: it has no memory");
        output_variable(n, o, out, type);
        return true;
    }
    out->to_memory = true;
    if (is_stream(e->memlet.data)) {
        if (e->memlet.wcr_kind != WCR_NONE)
            return lower_unsupported(sc, &e->place, "conflict resolution in streams");
        return lower_stream_area(sc, &e->place, e->memlet.data, e->memlet.subset, &out->area) &&
               lower_stream_operand(sc, &e->place, &out->area, o);
    }
    if (as_access(target) && container_is_view(as_access(target)->data) && !lower_point_view(sc, as_access(target)))
        return false;
    if (!lower_memlet_area(sc, e, &out->area))
        return false;
    bool atomic = lower_is_conflicting(sc, e);
    bool pointer = type->kind == TYPE_POINTER && out->area.type->kind != TYPE_POINTER;
    if (pointer && is_cpp(t)) {
        lower_check_assume(sc, &e->place, &out->area);
        return pointer_operand(n, &e->place, e->src_conn, &out->area, type, o);
    }
    if (pointer || (e->memlet.dynamic && type->kind != TYPE_POINTER)) {
        struct area a = out->area;
        if (is_cpp(t) && e->memlet.wcr_kind != WCR_NONE) /* DaCe drops what the code assigns */
            return lower_unsupported(sc, &e->place, "conflict resolution of a dynamic output of C++ code");
        if (!pointer)
            a.rank = 0;
        if (!array_operand(sc, &e->place, &a, pointer ? type->elem : type, o))
            return false;
        o->wcr = e->memlet.wcr_kind;
        o->wcr_lambda = e->memlet.wcr;
        o->atomic = atomic;
        return true;
    }
    if (!lower_check_value(sc, &e->place, &out->area, e->memlet.wcr_kind != WCR_NONE, true))
        return false;
    if (type->kind == TYPE_STRUCT) {
        struct code_scope cs = lower_code_scope(sc, &e->place, NULL);
        code_struct_operand(&cs, sc->block, type, o);
        out->structure = o->pointer;
        return always_assigns(t->code.tree, e->src_conn) || e->memlet.wcr_kind != WCR_NONE ||
               code_store(&cs, sc->block, o, NULL, 0, out->area.pointer);
    }
    output_variable(n, o, out, type);
    return true;
}

static bool store_output(struct scope *sc, struct output *out)
{
    struct lower *lw = sc->act->lw;
    if (out->structure)
        return lower_write(sc, &out->edge->place, &out->area, &out->edge->memlet, lower_is_conflicting(sc, out->edge),
                           out->structure);
    if (!out->var)
        return true;
    if (out->memory)
        stmt_assign(lw->tree, sc->block, out->var,
                    expr_load(lw->tree, out->var->type, out->memory, expr_i64(lw->tree, 0), 0));
    if (out->sets)
        return lower_point_reference(sc, as_access(out->edge->dst), expr_var(lw->tree, out->var));
    if (!out->to_memory) {
        map_put(lw->arena, &sc->values, out->edge, out->var);
        return true;
    }
    struct area a = out->area;
    if (out->var->type != a.type && out->var->type->kind != TYPE_VECTOR && out->var->type->kind != TYPE_POINTER) {
        a.pointer =
            expr_cast(lw->tree, type_pointer(lw->ir, out->var->type), a.pointer); /* reinterpreted, not converted */
        a.type = out->var->type;
    } else if (out->var->type->kind == TYPE_VECTOR && a.type->kind != TYPE_VECTOR &&
               out->edge->memlet.wcr_kind == WCR_NONE) {
        a.pointer = expr_cast(lw->tree, type_pointer(lw->ir, out->var->type), a.pointer);
        a.type = out->var->type;
    }
    return lower_write(sc, &out->edge->place, &a, &out->edge->memlet, lower_is_conflicting(sc, out->edge),
                       expr_var(lw->tree, out->var));
}

static bool check_language(struct scope *sc, const struct tasklet *t)
{
    if (t->code.tree)
        return true;
    if (t->code.language->row == LANGUAGE_PYTHON && !*t->code.text)
        return true;
    return diag_error(sc->act->lw->diags, &t->node.place, DIAG_TASKLET_LANGUAGE, t->code.language->name);
}

bool lower_tasklet(struct scope *sc, struct node *n)
{
    struct lower *lw = sc->act->lw;
    struct tasklet *t = as_tasklet(n);
    struct names names = { .sc = sc, .tasklet = t };
    if (!check_language(sc, t))
        return false;
    for (uint32_t i = 0; i < n->in.count; i++)
        if (!read_input(&names, n->in.items[i]))
            return false;
    struct output *outputs = NEW_ARRAY(lw->arena, struct output, n->out.count + 1);
    uint32_t num_outputs = 0;
    for (uint32_t i = 0; i < n->out.count; i++)
        if (n->out.items[i]->src_conn && !prepare_output(&names, n->out.items[i], &outputs[num_outputs++]))
            return false;
    struct code_scope cs = lower_code_scope(sc, &n->place, t->code.text);
    cs.lookup = lookup;
    cs.user = &names;
    cs.python = t->code.language->row == LANGUAGE_PYTHON;
    if (t->code.tree && !code_body(&cs, sc->block, t->code.tree))
        return false;
    for (uint32_t i = 0; i < num_outputs; i++)
        if (!store_output(sc, &outputs[i]))
            return false;
    return true;
}
