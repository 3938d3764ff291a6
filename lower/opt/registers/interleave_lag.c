/* Rows that need each other go on together, each some steps behind the one before.
 *
 *     for i {                                      for i = ... step 2 {
 *         for k {                                      y[i, 1] = f(y[i, 0], y[i - 1, 2])
 *             y[i, k] = f(y[i, k - 1],                 for k {
 *                         y[i - 1, k + 1])  ->             y[i, k] = f(y[i, k - 1], y[i - 1, k + 1])
 *         }                                                y[i + 1, k - 1] = f(y[i + 1, k - 2], y[i, k])
 *     }                                                }
 *                                                      y[i + 1, n - 1] = f(y[i + 1, n - 2], y[i, n])
 *                                                  }
 *                                                  for i, the rest { ... }
 *
 * Legality: Of two iterations that have an element in common, of which one changes it, that of the later row is no more
 * than the lag of all rows between them in front of the other one. In one step rows follow each other. Every iteration
 * computes with the values that it had. */
#include "lower/opt/registers/interleave.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LAG = 4, MOST_PAIRS = 1000 };

/* ---- dependences ---- */

/* Notes what two accesses ask for, of which one writes. */
static bool see_pair(struct lagging *l, const struct tree_scan *scan, const struct tree_access *a,
                     const struct tree_access *b)
{
    struct depend_loop loops[] = { { l->loop, l->loop, false }, { l->inner, l->inner, false } };
    struct depend_query q = { scan->arena, a, b, loops, 2, tree_scan_assigns, (void *)(uintptr_t)scan };
    struct depend d = depend_between(&q);
    if (d.kind == DEPEND_NEVER)
        return true;
    const struct system_range *rows = &d.distance[0], *steps = &d.distance[1];
    if (d.kind != DEPEND_MEET)
        return false;
    bool same = rows->least == 0 && rows->most == 0 && steps->least == 0 && steps->most == 0;
    l->once &= !a->write || !b->write || (a == b && same);
    /* the later iteration is b's, or a's */
    if ((rows->most > 0 && steps->least < -MOST_LAG) || (rows->least < 0 && steps->most > MOST_LAG))
        return false;
    int64_t early = rows->most > 0 ? -steps->least : 0, late = rows->least < 0 ? steps->most : 0;
    l->lag = early > l->lag ? early : l->lag;
    l->lag = late > l->lag ? late : l->lag;
    return true;
}

static bool find_lag(struct lagging *l, const struct tree_scan *scan, const struct tree_frame *frame)
{
    struct tree_piece piece = { 0 };
    uint32_t pairs = 0;
    piece_add(scan->arena, &piece, l->loop, frame);
    if (piece.control || piece.effects || piece.jumps || piece.frees)
        return false;
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const struct tree_access *a = piece.accesses.items[k], *b = piece.accesses.items[i];
            if (!a->write && !b->write)
                continue;
            if (++pairs > MOST_PAIRS || !see_pair(l, scan, a, b))
                return false;
        }
    return true;
}

bool lag_is_possible(struct iterations *x, struct tree_stmt *loop, const struct tree_frame *frame, struct lagging *l)
{
    struct tree_scan scan = { .arena = x->tree->scratch };
    *l = (struct lagging){ .loop = loop, .once = true };
    if (loop->body->items.count != 1 || loop->body->items.items[0]->kind != STMT_FOR)
        return false;
    l->inner = loop->body->items.items[0];
    tree_scan_add(&scan, loop);
    return expr_is_int(l->inner->step, 1) && !l->inner->loop.parallel && l->inner->var->type == loop->var->type &&
           expr_is_pure(l->inner->begin) && expr_is_pure(l->inner->end) && jam_is_possible(x, loop, &scan) &&
           find_lag(l, &scan, frame);
}

/* ---- the loops ---- */

struct rows {
    struct tree *tree;
    const struct lagging *lagging;
    struct tree_expr *first; /* of the rows that go together */
    uint32_t count;
};

static struct tree_expr *plus(const struct rows *w, struct tree_expr *e, int64_t n)
{
    return expr_binary(w->tree, EXPR_ADD, e, expr_int(w->tree, e->type, n));
}

/* Steps of one row by itself. */
static void put_row(const struct rows *w, struct tree_stmt *block, uint32_t row, struct tree_expr *begin,
                    struct tree_expr *end)
{
    struct tree *t = w->tree;
    struct tree_stmt *one = stmt_block(t);
    stmt_append(t, one, w->lagging->inner);
    one = stmt_clone_apart(t, one);
    struct tree_stmt *loop = one->items.items[0];
    loop->begin = begin;
    loop->end = end;
    stmt_substitute(t, loop, w->lagging->loop->var, plus(w, w->first, row));
    stmt_append(t, block, loop);
}

/* Steps of all rows. */
static void put_steps(const struct rows *w, struct tree_stmt *block)
{
    struct tree *t = w->tree;
    const struct tree_stmt *inner = w->lagging->inner;
    struct tree_expr *begin = plus(w, inner->begin, w->lagging->lag * (w->count - 1));
    struct tree_stmt *steps =
        stmt_for(t, NULL, tree_var(t, inner->var->name, inner->var->type), begin, inner->end, inner->step);
    steps->place = inner->place;
    steps->loop = inner->loop;
    for (uint32_t r = 0; r < w->count; r++) {
        struct tree_stmt *one = stmt_clone_apart(t, inner->body);
        stmt_substitute(t, one, w->lagging->loop->var, plus(w, w->first, r));
        stmt_substitute(t, one, inner->var, plus(w, expr_var(t, steps->var), -(int64_t)r * w->lagging->lag));
        stmt_append(t, steps->body, one);
    }
    stmt_flatten(t, steps->body);
    if (w->lagging->once)
        lag_forward(t, steps, block, begin);
    stmt_append(t, block, steps);
}

/* Each row but the last one is ahead when all go on, and each but the first one has steps left. */
static void put_together(const struct rows *w, struct tree_stmt *block)
{
    const struct tree_stmt *inner = w->lagging->inner;
    int64_t lag = w->lagging->lag;
    for (uint32_t r = 0; r + 1 < w->count && lag; r++)
        put_row(w, block, r, inner->begin, plus(w, inner->begin, lag * (w->count - 1 - r)));
    put_steps(w, block);
    for (uint32_t r = 1; r < w->count && lag; r++)
        put_row(w, block, r, plus(w, inner->end, -lag * r), inner->end);
}

void lag_iterations(struct tree *t, const struct lagging *l, uint32_t count)
{
    struct jam_blocks b = jam_begin(t, l->loop, count);
    struct rows w = { t, l, b.first, count };
    struct tree_stmt *block = b.main->body;
    struct tree_expr *span = expr_binary(t, EXPR_SUB, l->inner->end, l->inner->begin);
    /* there is a step of all rows: what lag_forward loads in front is there */
    struct tree_expr *is_long = expr_binary(t, EXPR_GT, span, expr_int(t, span->type, l->lag * (count - 1)));
    if (is_long->op != EXPR_INT) {
        struct tree_stmt *choice = stmt_if(t, block, is_long);
        for (uint32_t r = 0; r < count; r++)
            put_row(&w, choice->otherwise, r, l->inner->begin, l->inner->end);
        block = choice->body;
    }
    put_together(&w, block);
    jam_end(t, &b);
}
