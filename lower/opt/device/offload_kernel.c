/* Kernels, and pieces for one thread. */
#include "lower/opt/device/offload_team.h"
#include "lower/tree/tree_rewrite.h"

/* ---- addresses ---- */

static struct tree_var *twin_of(struct offload *o, struct tree_var **twin, const char *name, const struct type *type)
{
    if (!*twin) {
        const struct tree_stmt *region = o->tree->region;
        o->tree->region = NULL;
        *twin = tree_var(o->tree, name, type);
        o->tree->region = region;
    }
    return *twin;
}

static struct tree_expr *replace_address(void *user, struct tree_expr *e)
{
    struct offload *o = user;
    if (e->op == EXPR_SLOT) {
        struct memory *m = offload_same(&o->by_slot[e->i]);
        return m->device ? expr_var(o->tree, twin_of(o, &o->slot_twins[e->i], "slot", e->type)) : e;
    }
    if (e->op != EXPR_VAR || e->type->kind != TYPE_POINTER || e->var->id >= o->num_vars)
        return e;
    struct memory *m = offload_same(&o->by_var[e->var->id]);
    return m->device ? expr_var(o->tree, twin_of(o, &o->twins[e->var->id], e->var->name, e->type)) : e;
}

struct tree_expr *offload_twins(struct offload *o, struct tree_expr *e)
{
    return expr_rewrite(o->tree, e, replace_address, o);
}

/* ---- bodies ---- */

struct body {
    struct offload *offload;
    struct map own; /* memory of the thread */
    bool alone;     /* one thread: nothing has to be atomic */
};

static bool find_own(void *user, struct tree_stmt *s)
{
    struct body *b = user;
    if (s->kind == STMT_ALLOC) {
        s->where = s->where == TREE_SHARED ? TREE_SHARED : TREE_STACK;
        map_put(b->offload->tree->scratch, &b->own, s->var, s->var);
    }
    return true;
}

static bool finish(void *user, struct tree_stmt *s)
{
    struct body *b = user;
    stmt_rewrite(b->offload->tree, s, replace_address, b->offload);
    if (s->kind == STMT_REDUCE || s->kind == STMT_UPDATE) {
        const struct tree_var *root = expr_root_var(s->pointer);
        s->atomic &= !b->alone && !(root && map_has(&b->own, root));
    }
    if (s->kind == STMT_FREE)
        *s = *stmt_block(b->offload->tree);
    if (s->kind == STMT_FOR)
        s->loop.parallel = false;
    s->nontemporal = false;
    return true;
}

/* ---- what all threads would compute alike ---- */

struct alike {
    struct offload *offload;
    struct tree_stmt *out;
    const struct tree_scan *scan; /* of the kernel */
    VEC(struct tree_expr *) values;
    VEC(struct tree_expr *) kept;
};

/* Computed from variables of the host alone. */
static bool is_alike(const struct alike *w, const struct tree_expr *e)
{
    if (!type_is_basic(e->type) || e->op == EXPR_LOAD || e->op == EXPR_CALL || e->op == EXPR_THREAD)
        return false;
    if (e->op == EXPR_VAR &&
        (map_has(&w->scan->assigned, e->var) || (e->var->id < w->offload->num_vars && w->offload->in_cell[e->var->id])))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!is_alike(w, e->args[i]))
            return false;
    return true;
}

static bool is_costly(const struct tree_expr *e)
{
    bool costly = e->op == EXPR_MATH || ((e->op == EXPR_DIV || e->op == EXPR_REM) && !expr_is_const(e->args[1]));
    for (uint32_t i = 0; i < e->num_args && !costly; i++)
        costly = is_costly(e->args[i]);
    return costly;
}

static struct tree_expr *keep(struct alike *w, struct tree_expr *e)
{
    struct tree *t = w->offload->tree;
    for (uint32_t i = 0; i < w->values.count; i++)
        if (expr_equal(w->values.items[i], e))
            return w->kept.items[i];
    struct tree_expr *kept = stmt_variable(t, w->out, "alike", e);
    vec_push(t->scratch, &w->values, e);
    vec_push(t->scratch, &w->kept, kept);
    return kept;
}

static struct tree_expr *hoist(struct alike *w, struct tree_expr *e)
{
    struct tree *t = w->offload->tree;
    if (!e->num_args || !is_costly(e))
        return e;
    if (is_alike(w, e))
        return keep(w, e);
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = hoist(w, e->args[i]);
    return copy;
}

static void hoist_operand(void *user, struct tree_expr **e) { *e = hoist(user, *e); }

static bool hoist_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, hoist_operand, user);
    return true;
}

/* The host computes them once, and as it computes the sizes of memory. */
static void hoist_alike(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree_scan scan = { .arena = o->tree->scratch };
    tree_scan_add(&scan, block);
    struct alike w = { .offload = o, .out = out, .scan = &scan };
    stmt_visit(block, hoist_stmt, &w);
}

struct tree_stmt *offload_kernel(struct offload *o, struct tree_stmt *out, const char *kind, struct tree_stmt *block,
                                 const struct place *place, bool alone)
{
    struct tree *t = o->tree;
    hoist_alike(o, out, block);
    struct tree_stmt *k = tree_kernel_begin(t, NULL, arena_printf(t->arena, "%s_%u", kind, o->num_kernels++));
    struct body b = { .offload = o, .alone = alone };
    k->place = place;
    k->body = stmt_clone_apart(t, block);
    stmt_visit(k->body, find_own, &b);
    stmt_visit(k->body, finish, &b);
    stmt_flatten(t, k->body);
    tree_kernel_end(t, k);
    stmt_append(t, out, k);
    return k;
}

/* ---- cells ---- */

void offload_load_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                        const struct map *local)
{
    for (uint32_t i = 0; i < piece->uses.count; i++) {
        struct tree_var *v = (struct tree_var *)piece->uses.slots[i].key;
        if (v->id < o->num_vars && o->in_cell[v->id] && !(local && map_has(local, v))) {
            uint32_t cell = offload_cell_of(o, v);
            stmt_assign(o->tree, block, v,
                        expr_load(o->tree, v->type, offload_cell(o, cell, v->type, false), expr_i64(o->tree, 0),
                                  o->cell_class));
        }
    }
}

void offload_store_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                         const struct map *local)
{
    for (uint32_t i = 0; i < piece->assigned.count; i++) {
        struct tree_var *v = (struct tree_var *)piece->assigned.slots[i].key;
        if (v->id < o->num_vars && o->in_cell[v->id] && !(local && map_has(local, v)))
            stmt_store(o->tree, block, offload_cell(o, offload_cell_of(o, v), v->type, false), expr_i64(o->tree, 0),
                       expr_var(o->tree, v), o->cell_class);
    }
}

void offload_find_local(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece, struct map *local)
{
    struct map seen = { 0 };
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        struct tree_scan scan = { .arena = o->tree->scratch };
        tree_scan_add(&scan, s);
        bool assigns = (s->kind == STMT_ASSIGN && !expr_mentions(s->value, s->var)) || s->kind == STMT_FOR;
        if (assigns && !map_has(&seen, s->var) && !offload_used_outside(o, piece, s->var))
            map_put(o->tree->scratch, local, s->var, s->var);
        for (uint32_t k = 0; k < scan.uses.count; k++)
            map_put(o->tree->scratch, &seen, scan.uses.slots[k].key, o);
    }
}

void offload_serial(struct offload *o, struct tree_stmt *out, struct tree_stmt *block)
{
    struct tree *t = o->tree;
    struct tree_scan scan = { .arena = t->scratch };
    struct map local = { 0 };
    if (offload_team_alone(o, out, block))
        return;
    tree_scan_add(&scan, block);
    offload_find_local(o, block, &scan, &local);
    struct tree_stmt *all = stmt_block(t);
    offload_load_cells(o, all, &scan, &local);
    stmt_append(t, all, block);
    offload_store_cells(o, all, &scan, &local);
    offload_kernel(o, out, "serial", all, block->items.items[0]->place, true);
}

void offload_fetch(struct offload *o, struct tree_stmt *out, struct tree_expr *value, uint32_t cell,
                   const struct place *place)
{
    struct tree *t = o->tree;
    struct tree_stmt *store =
        stmt_store(t, stmt_block(t), offload_cell(o, cell, value->type, false), expr_i64(t, 0), value, o->cell_class);
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, store);
    struct tree_stmt *all = stmt_block(t);
    offload_load_cells(o, all, &scan, NULL);
    stmt_append(t, all, store);
    offload_kernel(o, out, "fetch", all, place, true);
}
