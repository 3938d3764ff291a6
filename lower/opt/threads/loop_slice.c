#include "lower/opt/threads/loop_slice.h"

#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

/* ---- what is left of a loop ---- */

static struct tree_stmt *copy_kept(struct tree *t, const struct tree_stmt *s, const struct map *kept)
{
    const struct tree_stmt *other = map_get(kept, s);
    if (other)
        return stmt_clone(t, other);
    if (stmt_rows[s->kind].flags & STMT_WRITES)
        return stmt_block(t);
    struct tree_stmt *copy = arena_copy(t->arena, s, sizeof *s);
    copy->items.items = NULL;
    copy->items.count = copy->items.capacity = 0;
    for (uint32_t i = 0; i < s->items.count; i++)
        stmt_append(t, copy, copy_kept(t, s->items.items[i], kept));
    copy->body = s->body ? copy_kept(t, s->body, kept) : NULL;
    copy->otherwise = s->otherwise ? copy_kept(t, s->otherwise, kept) : NULL;
    return copy;
}

struct pruning {
    struct tree *tree;
    struct map read; /* variables */
    bool changed;
};

static void see_read(void *user, struct tree_expr *e)
{
    struct pruning *p = user;
    if (e->op == EXPR_VAR)
        map_put(p->tree->scratch, &p->read, e->var, e->var);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_read, user); }

static bool see_reads(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_operand, user);
    return true;
}

static bool is_empty(const struct tree_stmt *block) { return !block || block->items.count == 0; }

static bool is_dead(const struct pruning *p, const struct tree_stmt *s)
{
    if (s->kind == STMT_ASSIGN || s->kind == STMT_ALLOC)
        return !map_has(&p->read, s->var);
    if (s->kind == STMT_FOR)
        return is_empty(s->body) && !map_has(&p->read, s->var);
    return s->kind == STMT_BLOCK ? is_empty(s) : s->kind == STMT_IF && is_empty(s->body) && is_empty(s->otherwise);
}

static bool drop_dead(void *user, struct tree_stmt *s)
{
    struct pruning *p = user;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!is_dead(p, s->items.items[i]))
            s->items.items[kept++] = s->items.items[i];
    p->changed |= kept < s->items.count;
    s->items.count = kept;
    return true;
}

struct tree_stmt *loop_slice(struct tree *t, struct tree_stmt *loop, const struct map *kept)
{
    struct tree_stmt *slice = copy_kept(t, loop, kept);
    struct pruning p = { .tree = t, .changed = true };
    while (p.changed) {
        p.changed = false;
        p.read = (struct map){ 0 };
        stmt_visit(slice, see_reads, &p);
        stmt_visit(slice, drop_dead, &p);
    }
    return stmt_clone_apart(t, slice);
}

/* ---- what it reads ---- */

struct reading {
    struct tree *tree;
    const struct map *but;
    struct map written; /* alias classes + 1 */
    bool any;           /* ... class 0 among them */
    bool found;
};

static const void *class_key(uint32_t alias) { return (const void *)(uintptr_t)(alias + 1); }

static void see_touch(void *user, const struct tree_touch *touch)
{
    struct reading *r = user;
    if (touch->write && touch->alias)
        map_put(r->tree->scratch, &r->written, class_key(touch->alias), r);
    else if (touch->write)
        r->any = true;
}

static bool see_writes(void *user, struct tree_stmt *s)
{
    stmt_each_touch(s, see_touch, user);
    return true;
}

static void see_load(void *user, struct tree_expr *e)
{
    struct reading *r = user;
    if (!expr_loads_memory(e) || (e->alias && r->but && map_has(r->but, class_key(e->alias))))
        return;
    r->found |= r->any || (e->alias ? map_has(&r->written, class_key(e->alias)) : r->written.count > 0);
}

static void see_loaded(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

static bool see_loads(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, see_loaded, user);
    return true;
}

bool loop_slice_reads(struct tree *t, struct tree_stmt *slice, struct tree_stmt *loop, const struct map *but)
{
    struct reading r = { .tree = t, .but = but };
    stmt_visit(loop, see_writes, &r);
    stmt_visit(slice, see_loads, &r);
    return r.found;
}

/* ---- memory ---- */

struct loop_memory loop_memory_begin(struct tree *t, struct tree_func *f)
{
    return (struct loop_memory){ .tree = t, .func = f, .front = stmt_block(t), .behind = stmt_block(t) };
}

struct tree_var *loop_memory_take(struct loop_memory *m, struct tree_stmt *out, const char *name,
                                  const struct type *type, struct tree_expr *need, uint32_t *alias)
{
    struct tree *t = m->tree;
    struct tree_var *v = tree_var(t, name, type_pointer(t->ir, type));
    *alias = t->num_aliases++;
    if (tree_is_size(t, need)) {
        stmt_alloc(t, m->front, v, type, need, TREE_HEAP)->alias = *alias;
        stmt_free(t, m->behind, v);
        return v;
    }
    struct tree_var *capacity = tree_var(t, "capacity", type_basic(t->ir, TYPE_I64));
    stmt_assign(t, m->front, capacity, expr_i64(t, 0));
    stmt_assign(t, m->front, v, expr_null(t, v->type));
    need = stmt_variable(t, out, "need", need);
    struct tree_stmt *more = stmt_if(t, out, expr_binary(t, EXPR_LT, expr_var(t, capacity), need));
    stmt_free(t, more->body, v);
    stmt_alloc(t, more->body, v, type, need, TREE_HEAP)->alias = *alias;
    stmt_assign(t, more->body, capacity, need);
    more->otherwise = NULL;
    stmt_free(t, m->behind, v);
    return v;
}

void loop_memory_end(struct loop_memory *m)
{
    struct tree *t = m->tree;
    struct tree_stmt *all = stmt_block(t);
    if (!m->front->items.count)
        return;
    stmt_append(t, all, m->front);
    stmt_append(t, all, m->func->body);
    stmt_append(t, all, m->behind);
    m->func->body = all;
    stmt_flatten(t, all);
}
