/* A sequential loop is interchanged with an independent one where a neighbouring nest has the independent loop
 * outside: fused, the array between them becomes private to an iteration.
 *
 *     for i { T[i, 0] = ... }                                for i {
 *     for k { for i { T[i, k] = f(T[i, k - 1]) } }               T[i, 0] = ...
 *     for k { for i { B[k, i] = g(T[i, N - k]) } }    ->         for k { T[i, k] = f(T[i, k - 1]) }
 *                                                                for k { B[k, i] = g(T[i, N - k]) }
 *                                                            }
 *
 * Legality: As for interchange; in addition the parts of the array that iterations use are disjoint.
 * Profitability: If array-contraction can shrink the array then. */
#include "lower/opt/fusion/interchange_to_contract.h"
#include "lower/opt/locality/strip_mine.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

/* ---- one nest ---- */

struct tree_stmt *turn_inner(const struct tree_stmt *loop)
{
    uint32_t count = loop->kind == STMT_FOR ? loop->body->items.count : 0;
    if (count == 0 || loop->loop.independent || loop->loop.parallel)
        return NULL;
    for (uint32_t i = 0; i + 1 < count; i++)
        if (loop->body->items.items[i]->kind != STMT_ASSIGN || !expr_is_pure(loop->body->items.items[i]->value))
            return NULL;
    struct tree_stmt *inner = loop->body->items.items[count - 1];
    return inner->kind == STMT_FOR && inner->loop.independent ? inner : NULL;
}

static bool is_rectangular(const struct tree *t, const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, loop);
    return tree_scan_invariant(&scan, inner->begin) && tree_scan_invariant(&scan, inner->end) &&
           tree_scan_keeps_bounds(&scan, loop);
}

/* The nest with the values computed in each iteration of the inner loop. */
static struct tree_stmt *sink_values(struct tree *t, const struct tree_stmt *loop)
{
    struct tree_stmt *sunk = stmt_clone(t, loop), *body = stmt_block(t);
    struct tree_stmt *deep = sunk->body->items.items[sunk->body->items.count - 1];
    for (uint32_t i = 0; i + 1 < sunk->body->items.count; i++)
        stmt_append(t, body, sunk->body->items.items[i]);
    for (uint32_t i = 0; i < deep->body->items.count; i++)
        stmt_append(t, body, deep->body->items.items[i]);
    deep->body = body;
    sunk->body = stmt_block(t);
    stmt_append(t, sunk->body, deep);
    return sunk;
}

struct tree_stmt *turn_nest(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame)
{
    struct tree *t = x->tree;
    struct tree_stmt *inner = turn_inner(loop);
    struct tree_piece piece = { 0 };
    if (!inner || !expr_is_int(inner->step, 1) || !is_rectangular(t, loop, inner))
        return NULL;
    piece_add(t->scratch, &piece, loop, frame);
    if (piece.control || piece.effects || piece.frees || piece.jumps || !iterations_keep_variables(x, loop))
        return NULL;
    struct tree_stmt *sunk = sink_values(t, loop), *deep = sunk->body->items.items[0];
    struct fuse_nest nest = { .loops = { deep }, .depth = 1 };
    if (!iterations_are_apart(x, sunk, &nest, frame))
        return NULL;
    struct tree_stmt *inside = NEW(t->arena, struct tree_stmt), *turned = NEW(t->arena, struct tree_stmt);
    *inside = *sunk;
    inside->body = deep->body;
    *turned = *deep;
    turned->body = stmt_block(t);
    stmt_append(t, turned->body, inside);
    return turned;
}

/* ---- neighbours ---- */

struct turns {
    struct iterations x;
    struct map own; /* variables of memory that is taken here -> the allocation */
};

static bool find_memory(void *user, struct tree_stmt *s)
{
    struct turns *w = user;
    if (s->kind == STMT_ALLOC && s->where == TREE_HEAP)
        map_put(w->x.tree->scratch, &w->own, s->var, s);
    return true;
}

/* Does the second one read memory taken here that the first one writes, in which iterations of `loop` are apart? Where
 * they are neighbours they walk memory evenly as it is. */
static bool hands_over(const struct turns *w, const struct tree_piece *first, const struct tree_piece *second,
                       const struct tree_stmt *loop)
{
    for (uint32_t i = 0; i < second->accesses.count; i++) {
        const struct tree_access *b = second->accesses.items[i];
        if (!b->read || !b->pointer || b->pointer->op != EXPR_VAR || !map_has(&w->own, b->pointer->var) ||
            strip_stride(b, loop->var) <= 1)
            continue;
        for (uint32_t k = 0; k < first->accesses.count; k++) {
            const struct tree_access *a = first->accesses.items[k];
            if (a->write && a->pointer && expr_equal(a->pointer, b->pointer))
                return true;
        }
    }
    return false;
}

/* Would the two be one loop whose iterations hand themselves memory? */
static bool belong_together(struct turns *w, struct tree_stmt *first, struct tree_stmt *second,
                            const struct tree_frame *frame)
{
    struct tree *t = w->x.tree;
    struct tree_piece a = { 0 }, b = { 0 };
    piece_add(t->scratch, &a, first, frame);
    piece_add(t->scratch, &b, second, frame);
    struct fuse_nest x = { .loops = { first }, .depth = 1, .piece = &a };
    struct fuse_nest y = { .loops = { second }, .depth = 1, .piece = &b };
    if (a.control || b.control || first->loop.parallel != second->loop.parallel || !fuse_same_space(t, &x, &y) ||
        !hands_over(w, &a, &b, second))
        return false;
    piece_set_clear(&w->x.set);
    piece_set_add(&w->x.set, &a);
    return fuse_is_legal(t, &w->x.set, &x, &y);
}

/* The item with an independent loop outside: itself, or turned around; NULL: neither. */
static struct tree_stmt *outside(struct turns *w, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind != STMT_FOR)
        return NULL;
    if (s->loop.independent)
        return s;
    struct tree_stmt *inner = turn_inner(s);
    return inner && !strip_has_loop(inner->body) ? turn_nest(&w->x, s, frame) : NULL;
}

static void look_at_block(struct turns *w, struct tree_stmt *block, const struct tree_frame *frame)
{
    struct tree_stmt *before = NULL;
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i], *after = outside(w, s, frame);
        bool turns = before && after && strip_has_loop(after->body) && belong_together(w, before, after, frame);
        if (turns && before != block->items.items[i - 1])
            block->items.items[i - 1] = before;
        if (turns && after != s) {
            remark(w->x.tree->ir->remarks, s->place, remark_subject(w->x.tree, s), REMARK_INTERCHANGED,
                   remark_subject(w->x.tree, after));
            block->items.items[i] = after;
        }
        before = after;
    }
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->items.count > 1)
        look_at_block(user, s, frame);
    return s->kind != STMT_PARALLEL;
}

bool opt_interchange_to_contract(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct turns w = { .x = iterations_of(t, f) };
        stmt_visit(f->body, find_memory, &w);
        if (w.own.count)
            tree_visit_frames(f->body, NULL, look, &w);
    }
    return true;
}
