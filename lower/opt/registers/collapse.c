/* Nests of two independent loops over contiguous memory become one loop, which has one remainder instead of one for
 * each row, and whose vectors are aligned in all rows or in none.
 *
 *     for i = 0 to M {                             for k = 0 to M * N {
 *         for j = 0 to N {                  ->         A[k] = B[k] + 1.0
 *             A[j + N * i] = B[j + N * i] + 1.0    }
 *         }
 *     }
 *
 * Legality: Nothing but indices names the variables of the loops, and all of these indices grow by 1 with the inner and
 * by its trip count with the outer loop. The order of iterations stays. Profitability: Rows that are not known to be
 * long, and loops of whose iterations the program says nothing (`Unrolled`, chunks). */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum { LONG = 4096 }; /* iterations of the inner loop: of so many the remainder is nothing */

struct collapsing {
    struct tree *tree;
    struct tree_whole whole; /* the function */
    /* the nest at hand */
    const struct tree_stmt *outer, *inner;
    struct tree_expr *row; /* trip count of the inner loop where it runs */
    uintptr_t indexed[2];  /* places in indices that name the variables of the two loops */
    bool ok;
};

/* ---- indices ---- */

struct naming {
    const struct tree_var *var;
    uintptr_t count;
};

static void see_name(void *user, struct tree_expr *e)
{
    struct naming *n = user;
    n->count += e->op == EXPR_VAR && e->var == n->var;
}

static uintptr_t names_of(struct tree_expr *e, const struct tree_var *v)
{
    struct naming n = { v, 0 };
    expr_visit(e, see_name, &n);
    return n.count;
}

/* An index is the same in all iterations, or counts them. */
static void see_index(struct collapsing *c, struct tree_expr *index)
{
    uintptr_t outer = names_of(index, c->outer->var), inner = names_of(index, c->inner->var);
    struct linear at;
    if (outer + inner == 0)
        return;
    linear_of(&at, index);
    c->ok &= at.known && linear_grows_by(c->tree, &at, c->inner->var, expr_i64(c->tree, 1)) &&
             linear_grows_by(c->tree, &at, c->outer->var, c->row);
    c->indexed[0] += outer;
    c->indexed[1] += inner;
}

static void see_load(void *user, struct tree_expr *e)
{
    if (e->op == EXPR_LOAD)
        see_index(user, e->args[1]);
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_load, user); }

/* ---- which nests ---- */

static bool is_simple(const struct tree_stmt *s)
{
    return (s->kind == STMT_ASSIGN || s->kind == STMT_STORE) && expr_is_pure(s->value);
}

static bool may_run_apart(const struct tree_stmt *loop)
{
    const struct tree_loop *l = &loop->loop;
    bool as_asked = l->unroll || l->omp != TREE_OMP_STATIC || l->chunk || l->tiles; /* its iterations mean something */
    return loop_counts_by_one(loop) && expr_is_int(loop->begin, 0) && !as_asked && (l->parallel || l->independent);
}

/* Do all places that name the variable stand in the indices that were seen? */
static bool only_indexed(struct collapsing *c, const struct tree_scan *scan, const struct tree_var *v, uintptr_t seen)
{
    uintptr_t uses = (uintptr_t)map_get(&scan->uses, v);
    return uses == seen + 1 && /* and of the loop */
           uses == (uintptr_t)map_get(&tree_whole(&c->whole)->uses, v);
}

static bool is_contiguous(struct collapsing *c, struct tree_stmt *nest)
{
    struct tree_scan scan = { .arena = c->tree->scratch };
    tree_scan_add(&scan, nest);
    if (!tree_scan_invariant(&scan, c->inner->end) || !tree_scan_invariant(&scan, c->outer->end))
        return false;
    for (uint32_t i = 0; i < c->inner->body->items.count && c->ok; i++) {
        struct tree_stmt *s = c->inner->body->items.items[i];
        if (!is_simple(s))
            return false;
        stmt_each_expr(s, see_operand, c);
        if (s->kind == STMT_STORE)
            see_index(c, s->index);
    }
    return c->ok && c->indexed[1] && only_indexed(c, &scan, c->outer->var, c->indexed[0]) &&
           only_indexed(c, &scan, c->inner->var, c->indexed[1]);
}

/* ---- the walk ---- */

static bool is_natural(const struct tree_expr *e)
{
    return e->op == EXPR_MUL ? is_natural(e->args[0]) && is_natural(e->args[1])
                             : e->op == EXPR_MAX && expr_is_int(e->args[1], 0);
}

static struct tree_expr *trips(struct tree *t, struct tree_expr *end)
{
    return is_natural(end) ? end : expr_binary(t, EXPR_MAX, end, expr_i64(t, 0));
}

static void collapse(struct collapsing *c, struct tree_stmt *s)
{
    struct tree *t = c->tree;
    struct tree_stmt *inner = s->body->items.items[0];
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_COLLAPSED);
    s->end = expr_binary(t, EXPR_MUL, trips(t, s->end), trips(t, inner->end));
    stmt_substitute(t, inner->body, s->var, expr_i64(t, 0));
    stmt_substitute(t, inner->body, inner->var, expr_var(t, s->var));
    s->body = inner->body;
    s->loop.independent &= inner->loop.independent;
}

/* From the inside out, as three loops may become one. Gives the trip count where the loop runs: no factor is negative
 * there. */
static struct tree_expr *look_into(struct collapsing *c, struct tree_stmt *s)
{
    struct tree_stmt *inner = s->body->items.count == 1 ? s->body->items.items[0] : NULL;
    if (!inner || !may_run_apart(s) || inner->kind != STMT_FOR)
        return s->end;
    struct tree_expr *row = look_into(c, inner), *rows = s->end;
    *c = (struct collapsing){ .tree = c->tree, .whole = c->whole, .outer = s, .inner = inner, .row = row, .ok = true };
    bool is_long = inner->end->op == EXPR_INT && inner->end->i >= LONG;
    bool loses_threads = inner->loop.parallel && !s->loop.parallel;
    if (!may_run_apart(inner) || is_long || loses_threads || !is_contiguous(c, s))
        return rows;
    collapse(c, s);
    return expr_binary(c->tree, EXPR_MUL, rows, row);
}

static bool look(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR)
        look_into(user, s);
    return true;
}

bool opt_collapse(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct collapsing c = { .tree = t, .whole = { .tree = t, .func = t->functions.items[i] } };
        stmt_visit(t->functions.items[i]->body, look, &c);
    }
    return true;
}
