/* A sequential loop whose iterations go through all earlier ones is turned: what they do for one of these is done at
 * once.
 *
 *     for i = 0 to N {                          for j = 0 to N {
 *         for j = 0 to i {                          D(j)
 *             S(i, j)                               for i = j + 1 to N {
 *         }                            ->               S(i, j)
 *         D(i)                                      }
 *     }                                         }
 *
 * Loops that begin further down with each i, and have as many more iterations, are triangles of the same kind; there is
 * no D then. With S(i, j) = (A[i, j] -= sum over k < j of A[i, k] * A[j, k], divided by A[j, j]) that is the step from
 * rows to columns in a factorization: each element of a row needs the ones before it, those of a column do not need
 * each other.
 *
 * Legality: Pairs that change their order have no element in common of which one changes it: S(i, j) and S(i', j') with
 * i < i' and j > j', and S(i, j) and D(i') with j < i' < i. Values of variables stay in one S, or D.
 * Profitability: If the new inner loop has independent iterations, and the old one has not. For devices: there the
 * loop of the steps is one kernel, whose threads share the iterations of a column. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_PAIRS = 4000 };

struct turn {
    struct iterations x;
    struct tree_stmt *outer, *inner; /* the loops over i and j */
    bool slanted;                    /* the begin of j depends on i */
    int64_t ahead;                   /* iterations of the loop over j in the first iteration of the other one */
    struct tree_scan scan;           /* of the outer loop */
    uint32_t pairs;
};

/* ---- is it a triangle? ---- */

static bool is_plain(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && !s->loop.parallel && !s->loop.independent && expr_is_int(s->step, 1);
}

static uint32_t uses(const struct tree_scan *scan, const struct tree_var *v)
{
    return (uint32_t)(uintptr_t)map_get(&scan->uses, v);
}

static void see_load(void *user, struct tree_expr *e) { *(bool *)user |= expr_loads_memory(e); }

/* Has it the same value wherever the counters have the same values? */
static bool is_of_variables(struct tree_expr *e)
{
    bool loads = false;
    expr_visit(e, see_load, &loads);
    return !loads;
}

/* The loop over j has as many iterations more than `ahead` as i is behind its begin. */
static bool is_triangle(struct turn *w, struct tree_stmt *s)
{
    struct linear span, begin;
    struct tree_stmt *j = s->kind == STMT_FOR && s->body->items.count ? s->body->items.items[0] : NULL;
    if (!j || !is_plain(s) || !is_plain(j) || j->var->type != s->var->type)
        return false;
    w->outer = s;
    w->inner = j;
    w->scan = (struct tree_scan){ .arena = w->x.tree->scratch };
    tree_scan_add(&w->scan, s);
    linear_of(&span, j->end);
    linear_of(&begin, j->begin);
    linear_add(&span, &begin, -1);
    linear_of(&begin, expr_var(w->x.tree, s->var));
    linear_add(&span, &begin, -1);
    linear_of(&begin, s->begin);
    linear_add(&span, &begin, 1);
    w->slanted = !tree_scan_invariant(&w->scan, j->begin);
    if (!linear_is_constant(&span) || span.constant < 0 || span.constant > 1 ||
        !tree_scan_invariant(&w->scan, s->end) || !tree_scan_invariant(&w->scan, s->begin) ||
        (w->slanted ? s->body->items.count > 1 || !is_of_variables(j->begin)
                    : j->end->op != EXPR_VAR || j->end->var != s->var))
        return false;
    w->ahead = span.constant;
    const struct tree_scan *whole = tree_whole(&w->x.whole);
    return uses(whole, s->var) == uses(&w->scan, s->var) && uses(whole, j->var) == uses(&w->scan, j->var);
}

/* ---- dependences ---- */

static bool changes(void *user, const struct tree_var *v)
{
    const struct turn *w = user;
    return map_has(&w->scan.assigned, v);
}

static bool is_inside(const struct tree_access *a, const struct tree_stmt *loop)
{
    const struct tree_frame *f = a->frame;
    while (f && f->loop != loop)
        f = f->outer;
    return f != NULL;
}

/* No two at distances (> 0, < 0) or (< 0, > 0). */
static bool keep_order(const struct system_range *i, const struct system_range *j)
{
    return (i->most <= 0 || j->least >= 0) && (i->least >= 0 || j->most <= 0);
}

static bool between_steps(struct turn *w, const struct tree_access *a, const struct tree_access *b)
{
    const struct depend_loop any[] = { { w->outer, w->outer, false }, { w->inner, w->inner, false } };
    const struct depend_loop column[] = { { w->outer, w->outer, false }, { w->inner, w->inner, true } };
    struct depend_query q = { w->x.tree->scratch, a, b, any, 2, changes, w };
    struct depend d = depend_between(&q);
    if (d.kind == DEPEND_NEVER)
        return true;
    if (d.kind != DEPEND_MEET || !keep_order(&d.distance[0], &d.distance[1]))
        return false;
    q.loops = column;
    d = depend_between(&q);
    return d.kind == DEPEND_NEVER || (d.kind == DEPEND_MEET && d.distance[0].least >= 0 && d.distance[0].most <= 0);
}

/* `a` in S(i, j), `b` in D(i'): no two with i' < i and j < i'. */
static bool with_diagonal(struct turn *w, const struct tree_access *a, const struct tree_access *b)
{
    const struct depend_loop loops[] = { { w->outer, w->outer, false }, { w->inner, w->outer, false } };
    struct depend_query q = { w->x.tree->scratch, a, b, loops, 2, changes, w };
    struct depend d = depend_between(&q);
    return d.kind == DEPEND_NEVER ||
           (d.kind == DEPEND_MEET &&
            (d.distance[0].least >= 0 || (d.distance[1].most < INT64_MAX && d.distance[1].most + w->ahead <= 0)));
}

static bool pair_fits(struct turn *w, const struct tree_access *a, const struct tree_access *b)
{
    bool a_inside = is_inside(a, w->inner), b_inside = is_inside(b, w->inner);
    if ((!a->write && !b->write) || (!a_inside && !b_inside))
        return true;
    if (++w->pairs > MOST_PAIRS)
        return false;
    return a_inside && b_inside ? between_steps(w, a, b) : a_inside ? with_diagonal(w, a, b) : with_diagonal(w, b, a);
}

static bool find_own(void *user, struct tree_stmt *s)
{
    struct tree_scan *own = user;
    if (s->kind == STMT_ALLOC && s->where != TREE_STATE)
        map_put(own->arena, &own->assigned, s->var, s);
    return true;
}

/* Memory that S, or D, takes for itself. */
static bool is_own(const struct tree_scan *own, const struct tree_access *a)
{
    return a->pointer && a->pointer->op == EXPR_VAR && map_has(&own->assigned, a->pointer->var);
}

static bool may_turn(struct turn *w)
{
    struct arena *scratch = w->x.tree->scratch;
    struct tree_piece piece = { 0 };
    struct tree_scan own = { .arena = scratch };
    piece_add(scratch, &piece, w->outer, NULL);
    if (piece.control || piece.effects || piece.frees || piece.jumps || !iterations_keep_variables(&w->x, w->outer))
        return false;
    stmt_visit(w->outer->body, find_own, &own);
    for (uint32_t i = 0; i < piece.accesses.count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const struct tree_access *a = piece.accesses.items[i], *b = piece.accesses.items[k];
            if (!is_own(&own, a) && !is_own(&own, b) && !pair_fits(w, a, b))
                return false;
        }
    return true;
}

/* ---- the walk ---- */

/* Without what only says that a loop may not run: the new one is in one that does. */
static struct tree_expr *end_of(const struct tree_stmt *loop) { return (struct tree_expr *)depend_end(loop); }

/* for m = 0 to E - begin + ahead - 1 { for i = begin - ahead + m + 1 to E { S(i, begin of j + m) } } */
static void turn_slanted(struct turn *w)
{
    struct tree *t = w->x.tree;
    struct tree_stmt *s = w->outer, *inner = w->inner, *body = stmt_block(t);
    const struct type *type = s->var->type;
    struct tree_var *step = tree_var(t, inner->var->name, type);
    struct tree_expr *m = expr_var(t, step), *first = expr_binary(t, EXPR_ADD, s->begin, m);
    stmt_substitute(t, inner->body, inner->var, expr_binary(t, EXPR_ADD, inner->begin, m));
    first = expr_binary(t, EXPR_ADD, first, expr_int(t, type, 1 - w->ahead));
    struct tree_stmt *column = stmt_for(t, body, s->var, first, end_of(s), inner->step);
    column->place = inner->place;
    column->body = inner->body;
    s->end = expr_binary(t, EXPR_SUB, expr_binary(t, EXPR_ADD, s->end, expr_int(t, type, w->ahead - 1)), s->begin);
    s->var = step;
    s->begin = expr_int(t, type, 0);
    s->body = body;
}

static void turn(struct turn *w)
{
    struct tree *t = w->x.tree;
    struct tree_stmt *s = w->outer, *inner = w->inner, *body = stmt_block(t), *diagonal = body;
    struct tree_expr *j = expr_var(t, inner->var);
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_INTERCHANGED, remark_subject(t, inner));
    if (w->slanted) {
        turn_slanted(w);
        return;
    }
    if (w->ahead && s->body->items.count > 1)
        diagonal = stmt_if(t, body, expr_binary(t, EXPR_GE, j, s->begin))->body;
    for (uint32_t i = 1; i < s->body->items.count; i++) {
        struct tree_stmt *item = s->body->items.items[i];
        stmt_substitute(t, item, s->var, j);
        stmt_append(t, diagonal, item);
    }
    struct tree_stmt *column =
        stmt_for(t, body, s->var, expr_binary(t, EXPR_ADD, j, expr_int(t, j->type, 1)), end_of(s), inner->step);
    column->place = inner->place;
    column->body = inner->body;
    s->var = inner->var;
    s->begin = inner->begin;
    s->body = body;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct turn *w = user;
    if (s->kind == STMT_PARALLEL)
        return false;
    w->pairs = 0;
    if (is_triangle(w, s) && may_turn(w))
        turn(w);
    return true;
}

bool opt_turn_triangles(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct turn w = { .x = iterations_of(t, f) };
        stmt_visit(f->body, look, &w);
    }
    return true;
}
