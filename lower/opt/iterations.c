#include "lower/opt/iterations.h"

struct iterations iterations_of(struct tree *t, const struct tree_func *f)
{
    struct iterations x = { .tree = t, .whole = { .tree = t, .func = f } };
    piece_set_init(&x.set, t->scratch, t);
    return x;
}

/* ---- variables ---- */

struct defined {
    const struct tree_scan *scan;
    struct arena *arena;
    struct map vars; /* that have a value of this iteration */
    bool ok;
};

static void see_use(void *user, struct tree_expr *e)
{
    struct defined *d = user;
    if (e->op == EXPR_VAR && map_has(&d->scan->assigned, e->var) && !map_has(&d->vars, e->var))
        d->ok = false;
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

/* Is every variable given a value before it is used, in the same iteration? */
static void check_defined(struct defined *d, struct tree_stmt *s)
{
    VEC(const struct tree_var *) added = { 0 };
    stmt_each_expr(s, see_operand, d);
    if (s->kind == STMT_FOR)
        map_put(d->arena, &d->vars, s->var, s);
    if (s->body)
        check_defined(d, s->body);
    if (s->otherwise)
        check_defined(d, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        check_defined(d, item);
        if ((item->kind == STMT_ASSIGN || item->kind == STMT_ALLOC) && !map_has(&d->vars, item->var)) {
            map_put(d->arena, &d->vars, item->var, item);
            vec_push(d->arena, &added, item->var);
        }
    }
    if (s->kind == STMT_FOR)
        map_remove(&d->vars, s->var);
    while (added.count) /* the last one first: that is what removing is quick at */
        map_remove(&d->vars, added.items[--added.count]);
}

bool iterations_keep_variables(struct iterations *x, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = x->tree->scratch };
    tree_scan_add(&scan, loop);
    const struct tree_scan *whole = tree_whole(&x->whole);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const void *v = scan.assigned.slots[i].key;
        if (map_get(&scan.uses, v) != map_get(&whole->uses, v))
            return false;
    }
    struct defined d = { .scan = &scan, .arena = x->tree->scratch, .ok = true };
    check_defined(&d, loop);
    return d.ok;
}

/* ---- memory ---- */

static bool find_stack(void *user, struct tree_stmt *s)
{
    struct tree_scan *scan = user;
    if (s->kind == STMT_ALLOC && s->where == TREE_STACK)
        map_put(scan->arena, &scan->assigned, s->var, s);
    return true;
}

/* Memory that every iteration takes for itself is nobody else's business. */
static void drop_own(struct arena *a, struct tree_stmt *loop, struct tree_piece *piece)
{
    struct tree_scan own = { .arena = a };
    stmt_visit(loop->body, find_stack, &own);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct tree_access *x = piece->accesses.items[i];
        if (!x->pointer || x->pointer->op != EXPR_VAR || !map_has(&own.assigned, x->pointer->var))
            piece->accesses.items[kept++] = x;
    }
    piece->accesses.count = kept;
}

bool iterations_are_apart(struct iterations *x, struct tree_stmt *loop, const struct fuse_nest *nest,
                          const struct tree_frame *frame)
{
    struct arena *a = x->tree->scratch;
    struct tree_piece piece = { 0 };
    piece_add(a, &piece, loop, frame);
    drop_own(a, nest->loops[0], &piece);
    struct fuse_nest all = *nest;
    all.piece = &piece;
    piece_set_clear(&x->set);
    piece_set_add(&x->set, &piece);
    return fuse_find_obstacle(x->tree, &x->set, &all, &all, nest->loops[0] == loop ? NULL : loop, &x->obstacle);
}
