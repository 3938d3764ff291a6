/* A sequential loop around a nest goes inside.
 *
 *     for k ... {                                for i ... parallel {
 *         for i ... parallel {                       for j ... {
 *             for j ... {               ->               for k ... {
 *                 A[i, j, k] = A[i, j, k - 1]                A[i, j, k] = A[i, j, k - 1]
 *
 * It may if iterations of the nest never touch what other iterations of it change, for no two values of k: the test of
 * the fuse pass, applied to the nest and itself at another k. It goes inside all of the nest if memory is then run
 * through more evenly; if not, inside all but the last loop of a parallel nest, so that threads are started once. */
#include "lower/pass/pass_fuse.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

struct interchange {
    struct tree *tree;
    struct tree_scan whole;
    struct piece_set set;
};

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
        if (item->kind == STMT_ASSIGN && !map_has(&d->vars, item->var)) {
            map_put(d->arena, &d->vars, item->var, item);
            vec_push(d->arena, &added, item->var);
        }
    }
    if (s->kind == STMT_FOR)
        map_remove(&d->vars, s->var);
    for (uint32_t i = 0; i < added.count; i++)
        map_remove(&d->vars, added.items[i]);
}

/* Do values of variables stay in one iteration of the whole nest? */
static bool keeps_variables(struct interchange *x, struct tree_stmt *loop)
{
    struct tree_scan scan = { .arena = x->tree->arena };
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < scan.assigned.count; i++) {
        const void *v = scan.assigned.slots[i].key;
        if (map_get(&scan.uses, v) != map_get(&x->whole.uses, v))
            return false;
    }
    struct defined d = { .scan = &scan, .arena = x->tree->arena, .ok = true };
    check_defined(&d, loop);
    return d.ok;
}

static bool same_everywhere(const struct tree_scan *body, const struct tree_stmt *loop)
{
    return tree_scan_invariant(body, loop->begin) && tree_scan_invariant(body, loop->end) &&
           tree_scan_invariant(body, loop->step);
}

/* Bounds of the loop and those of the first `depth` ones inside do not depend on each other. */
static bool is_rectangular(struct interchange *x, const struct tree_stmt *loop, const struct fuse_nest *nest)
{
    struct tree_scan scan = { .arena = x->tree->arena };
    tree_scan_add(&scan, loop);
    for (uint32_t i = 0; i < nest->depth; i++)
        if (!same_everywhere(&scan, nest->loops[i]))
            return false;
    return same_everywhere(&scan, loop);
}

/* ---- memory ---- */

static bool rename_loops(void *user, struct tree_stmt *s)
{
    struct tree *t = user;
    if (s->kind == STMT_FOR) {
        struct tree_var *v = tree_var(t, s->var->name, s->var->type);
        v->owner = s->var->owner;
        stmt_substitute(t, s->body, s->var, expr_var(t, v));
        s->var = v;
    }
    return true;
}

/* Accesses whose address moves by at most one element per iteration of each loop. */
static void count_even(const struct tree_piece *piece, const struct tree_var *k, const struct tree_var *inner,
                       uint32_t *even_k, uint32_t *even_inner)
{
    *even_k = *even_inner = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        struct linear at = { .known = true };
        int64_t by_k, by_inner;
        linear_add(&at, piece->accesses.items[i]->at, 1);
        *even_k += linear_take(&at, k, &by_k) && by_k >= -1 && by_k <= 1;
        *even_inner += linear_take(&at, inner, &by_inner) && by_inner >= -1 && by_inner <= 1;
    }
}

static bool has_loops(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->kind == STMT_FOR || has_loops(s->items.items[i]))
            return true;
    return (s->body && has_loops(s->body)) || (s->otherwise && has_loops(s->otherwise));
}

/* How many loops of the nest it pays to go into. */
static uint32_t wanted_depth(const struct tree_stmt *loop, const struct fuse_nest *nest)
{
    const struct tree_stmt *last = nest->loops[nest->depth - 1];
    uint32_t even_k, even_inner;
    count_even(nest->piece, loop->var, last->var, &even_k, &even_inner);
    if (!has_loops(last->body) && even_k > even_inner)
        return nest->depth;
    return nest->loops[0]->loop.parallel ? nest->depth - 1 : 0;
}

static bool is_legal(struct interchange *x, struct tree_stmt *loop, const struct fuse_nest *nest)
{
    struct tree *t = x->tree;
    struct tree_stmt *other = stmt_clone(t, loop);
    stmt_visit(other, rename_loops, t);
    struct tree_piece piece = { 0 };
    piece_add(t->arena, &piece, other, NULL);
    struct fuse_nest twin = fuse_nest_of(other->body->items.items[0], &piece);
    twin.depth = nest->depth;
    piece_set_clear(&x->set);
    piece_set_add(&x->set, nest->piece);
    return fuse_is_legal(t, &x->set, nest, &twin);
}

/* ---- the walk ---- */

static bool try_loop(struct interchange *x, struct tree_stmt *loop)
{
    if (loop->kind != STMT_FOR || loop->loop.parallel || loop->body->items.count != 1 ||
        loop->body->items.items[0]->kind != STMT_FOR)
        return false;
    struct tree_piece piece = { 0 };
    piece_add(x->tree->arena, &piece, loop, NULL);
    struct fuse_nest nest = fuse_nest_of(loop->body->items.items[0], &piece);
    if (piece.control || piece.effects || piece.frees)
        return false;
    nest.depth = wanted_depth(loop, &nest);
    if (nest.depth == 0 || !is_rectangular(x, loop, &nest) || !keeps_variables(x, loop) || !is_legal(x, loop, &nest))
        return false;
    struct tree_stmt *last = nest.loops[nest.depth - 1], *inner = NEW(x->tree->arena, struct tree_stmt);
    *inner = *loop;
    inner->body = last->body;
    last->body = stmt_block(x->tree);
    stmt_append(x->tree, last->body, inner);
    *loop = *nest.loops[0];
    return true;
}

static bool look(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL)
        return false;
    try_loop(user, s);
    return true;
}

bool tree_interchange(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct interchange x = { .tree = t, .whole = tree_scan_function(t, f) };
        piece_set_init(&x.set, t->arena, t);
        stmt_visit(f->body, look, &x);
    }
    return true;
}
