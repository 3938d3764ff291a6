/* Which memory pointers lead to: those that are computed from each other lead to the same. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

struct memory *offload_same(struct memory *m)
{
    while (m->parent)
        m = m->parent;
    return m;
}

static struct memory *join(struct memory *a, struct memory *b)
{
    if (!a || !b)
        return a ? offload_same(a) : b ? offload_same(b) : NULL;
    a = offload_same(a);
    b = offload_same(b);
    if (a == b)
        return a;
    b->parent = a;
    a->foreign |= b->foreign;
    a->host |= b->host;
    a->device |= b->device;
    a->written |= b->written;
    a->sent |= b->sent;
    struct origin **last = &a->origins;
    while (*last)
        last = &(*last)->next;
    *last = b->origins;
    return a;
}

struct memory *offload_memory(struct offload *o, const struct tree_expr *e)
{
    switch (e->op) {
    case EXPR_OFFSET:
    case EXPR_FIELD:
        return offload_memory(o, e->args[0]);
    case EXPR_CAST:
        return e->args[0]->type->kind == TYPE_POINTER ? offload_memory(o, e->args[0]) : offload_same(&o->outside);
    case EXPR_VAR:
        return e->type->kind == TYPE_POINTER && e->var->id < o->num_vars ? offload_same(&o->by_var[e->var->id])
                                                                         : offload_same(&o->outside);
    case EXPR_SLOT:
        return offload_same(&o->by_slot[e->i]);
    case EXPR_SELECT:
        return join(offload_memory(o, e->args[1]), offload_memory(o, e->args[2]));
    case EXPR_DATA:
    case EXPR_NULL:
        return NULL;
    default:
        return offload_same(&o->outside);
    }
}

/* ---- touches ---- */

struct touches {
    struct offload *offload;
    offload_touch *see;
    void *user;
};

static void touch(struct touches *w, const struct tree_expr *pointer, bool write)
{
    struct memory *m = offload_memory(w->offload, pointer);
    if (m)
        w->see(w->user, m, write);
}

static void touch_args(struct touches *w, const struct tree_callee *callee, struct tree_expr *const *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i]->type->kind == TYPE_POINTER && args[i]->op != EXPR_CONTEXT)
            touch(w, args[i], callee_writes(callee, i));
}

static void touch_expr(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_LOAD)
        touch(user, e->args[0], false);
    else if (e->op == EXPR_CALL)
        touch_args(user, e->callee, e->args, e->num_args);
}

static void touch_operand(void *user, struct tree_expr **e) { expr_visit(*e, touch_expr, user); }

void offload_each_touch(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user)
{
    struct touches w = { o, see, user };
    unsigned flags = stmt_rows[s->kind].flags;
    stmt_each_expr(s, touch_operand, &w);
    if (flags & STMT_WRITES)
        touch(&w, s->pointer, true);
    if (flags & STMT_READS_SOURCE)
        touch(&w, s->pointer2, false);
    if (flags & STMT_CALLS)
        touch_args(&w, stmt_callee(s), s->args, s->num_args);
}

struct reads {
    struct offload *offload;
    bool found;
};

static void see_device(void *user, struct tree_expr *e)
{
    struct reads *r = user;
    if (e->op == EXPR_VAR)
        r->found |= e->var->id < r->offload->num_vars && r->offload->in_cell[e->var->id];
    struct memory *m = e->op == EXPR_LOAD ? offload_memory(r->offload, e->args[0]) : NULL;
    r->found |= m && m->device;
}

bool offload_on_device(struct offload *o, const struct tree_expr *e)
{
    struct reads r = { o, false };
    expr_visit((struct tree_expr *)e, see_device, &r);
    return r.found;
}

/* ---- what leads where ---- */

static void make_foreign(struct offload *o, const struct tree_expr *pointer)
{
    struct memory *m = offload_memory(o, pointer);
    if (m)
        m->foreign = true;
}

/* Addresses that become values: kept somewhere, or compared. */
static void see_use(void *user, struct tree_expr *e)
{
    struct offload *o = user;
    if (e->op == EXPR_CAST && e->type->kind != TYPE_POINTER && e->args[0]->type->kind == TYPE_POINTER)
        make_foreign(o, e->args[0]);
    if (e->op == EXPR_EQ || e->op == EXPR_NE)
        for (int i = 0; i < 2; i++) {
            struct memory *m = e->args[i]->type->kind == TYPE_POINTER ? offload_memory(o, e->args[i]) : NULL;
            if (m)
                m->host = true;
        }
    if (e->op == EXPR_CALL)
        for (uint32_t i = 0; i < e->num_args; i++)
            if (e->args[i]->type->kind == TYPE_POINTER && offload_message_keeps(o, e->callee, i))
                make_foreign(o, e->args[i]);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

static void add_origin(struct offload *o, struct memory *m, struct origin origin)
{
    struct origin *x = NEW(o->tree->arena, struct origin);
    m = offload_same(m);
    *x = origin;
    x->next = m->origins;
    m->origins = x;
    m->foreign |= !x->type->size;
}

static void keep(struct offload *o, struct tree_stmt *call, uint32_t argument)
{
    struct memory *m = offload_memory(o, call->args[argument]);
    if (m && offload_message_keeps(o, stmt_callee(call), argument))
        m->foreign = true;
    else if (m)
        m->sent = true;
}

static bool see_stmt(void *user, struct tree_stmt *s)
{
    struct offload *o = user;
    bool pointer = s->var && s->var->type->kind == TYPE_POINTER;
    stmt_each_expr(s, see_operand, o);
    if (s->kind == STMT_ALLOC)
        add_origin(o, &o->by_var[s->var->id],
                   (struct origin){ .address = expr_var(o->tree, s->var), .type = s->type, .alias = s->alias });
    if (s->kind == STMT_ASSIGN && pointer && s->value->op == EXPR_DATA)
        offload_same(&o->by_var[s->var->id])->foreign = true;
    else if (s->kind == STMT_ASSIGN && pointer)
        join(&o->by_var[s->var->id], offload_memory(o, s->value));
    else if (pointer && s->kind != STMT_ALLOC && s->kind != STMT_FREE)
        offload_same(&o->by_var[s->var->id])->foreign = true;
    if (s->value && s->kind != STMT_ASSIGN && s->value->type->kind == TYPE_POINTER)
        make_foreign(o, s->value);
    for (uint32_t i = 0; s->kind == STMT_CALL && i < s->num_args; i++)
        if (s->args[i]->type->kind == TYPE_POINTER && s->args[i]->op != EXPR_CONTEXT &&
            !callee_forgets(stmt_callee(s), i))
            keep(o, s, i);
    return true;
}

struct slots {
    struct offload *offload;
    const struct tree_func *func;
};

static struct tree_expr *of_main(void *user, struct tree_expr *e)
{
    struct slots *w = user;
    for (uint32_t i = 0; e->op == EXPR_VAR && i < w->func->params.count && i < w->offload->main->params.count; i++)
        if (w->func->params.items[i].var == e->var)
            return expr_var(w->offload->tree, w->offload->main->params.items[i].var);
    return e;
}

static void see_param_use(void *user, struct tree_expr *e)
{
    struct slots *w = user;
    bool known = e->op != EXPR_VAR && e->op != EXPR_LOAD && e->op != EXPR_CALL;
    for (uint32_t i = 0; e->op == EXPR_VAR && i < w->offload->main->params.count; i++)
        known |= w->offload->main->params.items[i].var == e->var && w->offload->main->params.items[i].by_value;
    if (!known)
        w->func = NULL;
}

/* Memory in the state of the program has the size that `init` gives it; it is known if arguments say it. */
static bool see_state(void *user, struct tree_stmt *s)
{
    struct slots *w = user;
    if (s->kind != STMT_ALLOC || s->where != TREE_STATE)
        return true;
    struct offload *o = w->offload;
    struct memory *m = &o->by_slot[s->slot];
    const struct tree_func *func = w->func;
    struct tree_expr *count = expr_rewrite(o->tree, s->count, of_main, w);
    expr_visit(count, see_param_use, w);
    m->foreign |= !w->func || m->origins != NULL;
    w->func = func;
    add_origin(o, m,
               (struct origin){ .address = expr_slot(o->tree, s->slot, s->var->type),
                                .type = s->type,
                                .count = count,
                                .alias = s->alias,
                                .argument = true });
    return true;
}

void offload_find_memory(struct offload *o)
{
    struct tree *t = o->tree;
    o->by_var = NEW_ARRAY(t->arena, struct memory, t->num_vars);
    o->by_slot = NEW_ARRAY(t->arena, struct memory, t->num_slots + 1);
    o->outside.foreign = true;
    for (uint32_t i = 0; i < o->main->params.count; i++) {
        const struct tree_param *p = &o->main->params.items[i];
        if (p->var->type->kind != TYPE_POINTER)
            continue;
        struct memory *m = &o->by_var[p->var->id];
        m->foreign = p->by_value || (!p->count && !p->elements);
        add_origin(o, m,
                   (struct origin){ .address = expr_var(t, p->var),
                                    .type = p->var->type->elem,
                                    .count = p->elements ? p->elements : expr_i64(t, p->count),
                                    .alias = p->alias,
                                    .argument = true });
    }
    for (uint32_t i = 0; i < t->functions.count; i++)
        if (t->functions.items[i] != o->main) {
            struct slots w = { o, t->functions.items[i] };
            stmt_visit(t->functions.items[i]->body, see_state, &w);
        }
    for (uint32_t i = 0; i < t->num_slots; i++)
        o->by_slot[i].foreign |= !o->by_slot[i].origins;
    stmt_visit(o->main->body, see_stmt, o);
}
