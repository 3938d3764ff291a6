/* Updates that each iteration of a loop makes for all earlier ones become a nest of their own, behind the loop.
 *
 *     for i = 0 to M {                              for i = 0 to M {
 *         for j = 0 to N parallel {                     for j = 0 to N parallel {
 *             for k = 0 to i parallel {                     for k = 0 to i parallel { sum += B[k, j] * A[i, k] }
 *                 C[k, j] += B[i, j] * A[i, k]              C[i, j] = C[i, j] + sum
 *                 sum += B[k, j] * A[i, k]      ->      }
 *             }                                     }
 *             C[i, j] = C[i, j] + sum               for j = 0 to N parallel {
 *         }                                             for k = 0 to M - 1 parallel {
 *     }                                                     for i = k + 1 to M { C[k, j] += B[i, j] * A[i, k] }
 *                                                       }
 *                                                   }
 *
 * Legality: What the loop does besides does not touch, in the same or a later iteration, what an update changes, and
 * does not change there what an update loads (tree_depend.h); elements are updated by the same j and k, in the order
 * of i. Profitability: For devices: all elements are updated at once, and the rest of the loop is often independent. */
#include "lower/opt/iterations.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

struct distribute {
    struct iterations x;
    struct tree *tree;
    struct tree_stmt *loop, *nest, *inner; /* over i, j and k */
    uint32_t update;                       /* item of the body of the inner one */
    struct tree_scan scan;                 /* of the loop */
    int64_t ahead;                         /* k ends so far behind i */
};

/* ---- which updates ---- */

static bool is_threaded(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent) && expr_is_int(s->step, 1);
}

/* The inner loop goes from a constant to the counter of the loop. */
static bool is_triangle(struct distribute *w)
{
    struct linear end;
    int64_t by;
    linear_of(&end, w->inner->end);
    if (!end.known || !linear_take(&end, w->loop->var, &by) || by != 1 || !linear_is_constant(&end) ||
        w->inner->begin->op != EXPR_INT || w->loop->begin->op != EXPR_INT ||
        w->inner->var->type != w->loop->var->type || w->nest->var->type != w->loop->var->type)
        return false;
    w->ahead = end.constant;
    return w->inner->begin->i - w->ahead + 1 >= w->loop->begin->i && tree_scan_keeps_bounds(&w->scan, w->nest) &&
           tree_scan_invariant(&w->scan, w->loop->end);
}

static bool mentions(const struct tree_stmt *s, const struct tree_var *v)
{
    return (s->value && expr_mentions(s->value, v)) || (s->index && expr_mentions(s->index, v)) ||
           (s->pointer && expr_mentions(s->pointer, v));
}

/* Does one of the statements need a value that this one gives? */
static bool is_needed(struct tree *t, const struct tree_stmt *out, const struct tree_stmt *s)
{
    struct tree_scan scan = { .arena = t->scratch };
    tree_scan_add(&scan, s);
    for (uint32_t i = 0; i < out->items.count; i++)
        for (uint32_t k = 0; k < scan.assigned.count; k++)
            if (mentions(out->items.items[i], scan.assigned.slots[k].key))
                return true;
    return false;
}

/* The values in front of item `n` that the statements of `out`, in reverse, need are added to it. False: they need more
 * than values. */
static bool add_values(struct tree *t, struct tree_stmt *out, const struct tree_stmt *block, uint32_t n)
{
    while (n-- > 0) {
        struct tree_stmt *s = block->items.items[n];
        if (!is_needed(t, out, s))
            continue;
        if (s->kind != STMT_ASSIGN || !expr_is_pure(s->value))
            return false;
        stmt_append(t, out, s);
    }
    return true;
}

static uint32_t place_in(const struct tree_stmt *block, const struct tree_stmt *s)
{
    uint32_t i = 0;
    while (i < block->items.count && block->items.items[i] != s)
        i++;
    return i;
}

static struct tree_stmt *copy_loop(struct tree *t, struct tree_stmt *out, const struct tree_stmt *loop)
{
    struct tree_stmt *s = arena_copy(t->arena, loop, sizeof *loop);
    s->body = stmt_block(t);
    stmt_append(t, out, s);
    return s;
}

/* The update with the values that it is made of, in order. NULL: more is needed. */
static struct tree_stmt *slice_of(struct distribute *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *reversed = stmt_block(t), *out = stmt_block(t);
    stmt_append(t, reversed, w->inner->body->items.items[w->update]);
    if (!add_values(t, reversed, w->inner->body, w->update) ||
        !add_values(t, reversed, w->nest->body, place_in(w->nest->body, w->inner)) ||
        !add_values(t, reversed, w->loop->body, place_in(w->loop->body, w->nest)))
        return NULL;
    for (uint32_t i = reversed->items.count; i-- > 0;)
        stmt_append(t, out, stmt_clone(t, reversed->items.items[i]));
    return out;
}

/* ---- may they wait ---- */

/* `rest` in an iteration that is surely before that of the update, if both touch the same element. */
static bool is_before(struct distribute *w, const struct tree_stmt *updates, const struct tree_access *update,
                      const struct tree_access *rest)
{
    const struct depend_loop loops[] = { { updates, w->loop, false } };
    struct depend_query q = { w->tree->scratch, update, rest, loops, 1, tree_scan_assigns, &w->scan };
    if (!update->write && !rest->write)
        return true;
    struct depend d = depend_between(&q);
    return d.kind == DEPEND_NEVER || (d.kind == DEPEND_MEET && d.distance[0].most <= -1);
}

static bool may_wait(struct distribute *w, struct tree_stmt *updates, struct tree_stmt *rest)
{
    struct tree_piece a = { 0 }, b = { 0 };
    piece_add(w->tree->scratch, &a, updates, NULL);
    piece_add(w->tree->scratch, &b, rest, NULL);
    if (a.control || b.control || a.effects || b.effects || a.jumps || b.jumps)
        return false;
    for (uint32_t i = 0; i < a.accesses.count; i++)
        for (uint32_t k = 0; k < b.accesses.count; k++)
            if (!is_before(w, updates, a.accesses.items[i], b.accesses.items[k]))
                return false;
    struct fuse_nest nest = fuse_nest_of(updates->body->items.items[0], &a);
    nest.depth = 2;
    return iterations_are_apart(&w->x, updates, &nest, NULL);
}

/* ---- code ---- */

/* The loop with nothing but the updates, with the loops as they are. */
static struct tree_stmt *updates_of(struct distribute *w, const struct tree_stmt *slice)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *loop = copy_loop(t, out, w->loop);
    struct tree_stmt *inner = copy_loop(t, copy_loop(t, loop->body, w->nest)->body, w->inner);
    for (uint32_t i = 0; i < slice->items.count; i++)
        stmt_append(t, inner->body, slice->items.items[i]);
    return loop;
}

/* The same with the loop over i inside. */
static struct tree_stmt *turned(struct distribute *w, const struct tree_stmt *slice)
{
    struct tree *t = w->tree;
    struct tree_stmt *out = stmt_block(t), *nest = copy_loop(t, out, w->nest);
    struct tree_stmt *inner = copy_loop(t, nest->body, w->inner), *loop = copy_loop(t, inner->body, w->loop);
    inner->end = expr_binary(t, EXPR_ADD, w->loop->end, expr_i64(t, w->ahead - 1));
    inner->loop.independent = true;
    loop->begin = expr_binary(t, EXPR_ADD, expr_var(t, w->inner->var), expr_i64(t, 1 - w->ahead));
    for (uint32_t i = 0; i < slice->items.count; i++)
        stmt_append(t, loop->body, slice->items.items[i]);
    return stmt_clone_apart(t, nest);
}

/* Values in the inner body that nothing in the loop, nor behind it, needs are dropped, from the end on. */
static void drop_values(struct distribute *w)
{
    struct tree *t = w->tree;
    for (uint32_t n = w->inner->body->items.count; n-- > 0;) {
        struct tree_stmt *body = w->inner->body, *kept = stmt_block(t), *s = body->items.items[n];
        struct tree_scan scan = { .arena = t->scratch };
        tree_scan_add(&scan, w->loop);
        if (s->kind != STMT_ASSIGN || (uintptr_t)map_get(&scan.uses, s->var) != 1 || !expr_is_pure(s->value))
            continue;
        for (uint32_t i = 0; i < body->items.count; i++)
            if (i != n)
                stmt_append(t, kept, body->items.items[i]);
        w->inner->body = kept;
    }
}

/* Are variables of the inner body used in the loop alone? */
static bool keeps_values(struct distribute *w)
{
    const struct tree_scan *whole = tree_whole(&w->x.whole);
    for (uint32_t i = 0; i < w->inner->body->items.count; i++) {
        const struct tree_stmt *s = w->inner->body->items.items[i];
        if (s->kind == STMT_ASSIGN && map_get(&whole->uses, s->var) != map_get(&w->scan.uses, s->var))
            return false;
    }
    return true;
}

/* The store is an update if it may wait; the rest of the loop stays without it. */
static bool try_store(struct distribute *w, struct tree_stmt *block, uint32_t n)
{
    struct tree *t = w->tree;
    struct tree_stmt *body = w->inner->body, *kept = stmt_block(t), *slice = slice_of(w);
    struct tree_stmt *items = stmt_block(t);
    if (!slice || !keeps_values(w))
        return false;
    for (uint32_t i = 0; i < body->items.count; i++)
        if (i != w->update)
            stmt_append(t, kept, body->items.items[i]);
    w->inner->body = kept;
    drop_values(w);
    if (!may_wait(w, updates_of(w, slice), w->loop)) {
        w->inner->body = body;
        return false;
    }
    for (uint32_t i = 0; i < block->items.count; i++) {
        stmt_append(t, items, block->items.items[i]);
        if (i == n)
            stmt_append(t, items, turned(w, slice));
    }
    *block = *items;
    return true;
}

static bool has_others(const struct tree_stmt *body, uint32_t update)
{
    for (uint32_t i = 0; i < body->items.count; i++)
        if (i != update && body->items.items[i]->kind != STMT_ASSIGN)
            return true;
    return false;
}

static bool try_inner(struct distribute *w, struct tree_stmt *block, uint32_t n)
{
    const struct tree_stmt *body = w->inner->body;
    bool straight = is_triangle(w);
    for (uint32_t i = 0; i < body->items.count; i++) {
        enum stmt_kind kind = body->items.items[i]->kind;
        straight &= kind == STMT_ASSIGN || kind == STMT_STORE || kind == STMT_REDUCE;
    }
    for (w->update = 0; straight && w->update < body->items.count; w->update++) {
        const struct tree_stmt *s = body->items.items[w->update];
        if (s->kind == STMT_STORE && s->alias && has_others(body, w->update) && try_store(w, block, n))
            return true;
    }
    return false;
}

/* Item `n` of the block. */
static bool try_loop(struct distribute *w, struct tree_stmt *block, uint32_t n)
{
    struct tree_stmt *s = block->items.items[n];
    if (s->kind != STMT_FOR || is_threaded(s) || !expr_is_int(s->step, 1))
        return false;
    w->loop = s;
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    tree_scan_add(&w->scan, s);
    for (uint32_t i = 0; i < s->body->items.count; i++) {
        w->nest = s->body->items.items[i];
        for (uint32_t k = 0; is_threaded(w->nest) && k < w->nest->body->items.count; k++) {
            w->inner = w->nest->body->items.items[k];
            if (is_threaded(w->inner) && try_inner(w, block, n))
                return true;
        }
    }
    return false;
}

bool opt_distribute_updates(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct distribute w = { .x = iterations_of(t, f), .tree = t };
        stmt_flatten(t, f->body);
        for (uint32_t n = 0; n < f->body->items.count; n++)
            while (try_loop(&w, f->body, n))
                ;
    }
    return true;
}
