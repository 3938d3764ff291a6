/* Loop distribution: what a sequential loop computes for its terms alone becomes a loop of its own, with independent
 * iterations.
 *
 *     for i = 0 to n {                          for i parallel { terms[i] = tanh(A[i]) }
 *         s = s + tanh(A[i])            ->      for i = 0 to n {
 *     }                                             s = s + terms[i]
 *                                               }
 *
 * Legality: The loop writes no memory and carries one variable; terms do not depend on it. They are combined in the
 * order that they have in the program. Profitability: Code for devices, where one thread would compute all functions,
 * quotients and roots: some terms have one. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"
#include "lower/opt/threads/loop_slice.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 256 /* iterations, if they are known */ };

struct distribution {
    struct tree *tree;
    struct iterations x;
    struct loop_memory memory;
    /* the loop at hand */
    struct tree_stmt *loop;
    struct tree_scan scan;
    struct tree_var *carried;
    struct map bound;       /* variables that depend on what is carried */
    struct map needed;      /* others that those statements read */
    struct tree_var *value; /* the only one of these that an iteration gives a value */
    bool costly, found;
};

/* ---- which loops ---- */

/* The variable with uses behind the loop, or in front: the only one, and of a number. */
static bool find_carried(struct distribution *w)
{
    const struct tree_scan *whole = tree_whole(&w->x.whole);
    struct map but = { 0 };
    w->carried = NULL;
    for (uint32_t i = 0; i < w->scan.assigned.count; i++) {
        struct tree_var *v = w->scan.assigned.slots[i].value;
        if (map_get(&w->scan.uses, v) == map_get(&whole->uses, v))
            continue;
        if (w->carried || v == w->loop->var || !type_is_basic(v->type))
            return false;
        w->carried = v;
    }
    if (!w->carried)
        return false;
    map_put(w->tree->scratch, &but, w->carried, w);
    return iterations_define_variables(w->tree, w->loop, &but);
}

static void see_bound(void *user, struct tree_expr *e)
{
    struct distribution *w = user;
    if (e->op == EXPR_VAR && (e->var == w->carried || map_has(&w->bound, e->var)))
        w->found = true;
}

static bool is_bound(struct distribution *w, const struct tree_stmt *s)
{
    w->found = s->var == w->carried;
    expr_visit(s->value, see_bound, w);
    return w->found;
}

static void see_needed(void *user, struct tree_expr *e)
{
    struct distribution *w = user;
    bool term =
        e->op == EXPR_VAR && map_has(&w->scan.assigned, e->var) && e->var != w->carried && !map_has(&w->bound, e->var);
    if (term || e->op == EXPR_LOAD)
        map_put(w->tree->scratch, &w->needed, term ? (const void *)e->var : (const void *)e, e);
}

static void see_cost(void *user, struct tree_expr *e)
{
    struct distribution *w = user;
    bool quotient = (e->op == EXPR_DIV || e->op == EXPR_REM) && !expr_is_const(e->args[1]);
    w->costly |= (e->op == EXPR_MATH && e->math != TREE_MATH_fabs) || e->op == EXPR_CALL || quotient;
}

/* Assignments in order, of which those that depend on the carried variable need one value of the others. */
static bool has_terms(struct distribution *w)
{
    const struct tree_stmt *body = w->loop->body;
    w->bound = w->needed = (struct map){ 0 };
    w->costly = false;
    for (uint32_t i = 0; i < body->items.count; i++) {
        const struct tree_stmt *s = body->items.items[i];
        if (s->kind != STMT_ASSIGN || !type_is_basic(s->var->type) || !expr_is_pure(s->value) || s->reassociate)
            return false;
        if (is_bound(w, s)) {
            map_put(w->tree->scratch, &w->bound, s->var, w);
            expr_visit(s->value, see_needed, w);
        } else {
            expr_visit(s->value, see_cost, w);
            if (map_has(&w->bound, s->var))
                return false;
        }
    }
    if (w->needed.count != 1)
        return false;
    const struct tree_expr *e = w->needed.slots[0].value;
    w->value = e->op == EXPR_VAR && e->var != w->loop->var ? e->var : NULL;
    return w->value && w->costly;
}

/* ---- rewriting ---- */

static void rewrite(struct distribution *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *loop = w->loop, *out = stmt_block(t), *body = stmt_block(t);
    uint32_t alias;
    struct tree_expr *begin = stmt_variable(t, out, "begin", loop->begin);
    struct tree_expr *span = expr_binary(t, EXPR_SUB, loop->end, begin);
    struct tree_expr *need = expr_binary(t, EXPR_MAX, span, expr_i64(t, 0));
    struct tree_var *terms = loop_memory_take(&w->memory, out, "terms", w->value->type, need, &alias);
    struct tree_expr *at = expr_binary(t, EXPR_SUB, expr_var(t, loop->var), begin);
    struct tree_stmt *first = stmt_clone(t, loop);
    first->body = stmt_block(t);
    stmt_assign(t, body, w->value, expr_load(t, w->value->type, expr_var(t, terms), at, alias))->place = loop->place;
    for (uint32_t i = 0; i < loop->body->items.count; i++) {
        struct tree_stmt *s = loop->body->items.items[i];
        stmt_append(t, is_bound(w, s) ? body : first->body, s);
    }
    stmt_store(t, first->body, expr_var(t, terms), at, expr_var(t, w->value), alias)->place = loop->place;
    first = stmt_clone_apart(t, first);
    first->loop.parallel = first->loop.independent = true;
    remark(t->ir->remarks, loop->place, remark_subject(t, loop), REMARK_DISTRIBUTED);
    struct tree_stmt *second = arena_copy(t->arena, loop, sizeof *loop);
    second->body = body;
    stmt_append(t, out, first);
    stmt_append(t, out, second);
    *loop = *out;
}

static bool look(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct distribution *w = user;
    (void)frame;
    if (s->kind == STMT_PARALLEL || (s->kind == STMT_FOR && (s->loop.parallel || s->loop.independent)))
        return false;
    if (!loop_counts_by_one(s) || loop_is_shorter(s, SHORTEST) || s->body->items.count == 0)
        return true;
    w->loop = s;
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    tree_scan_add(&w->scan, s);
    if (!find_carried(w) || expr_mentions(s->begin, w->carried) || expr_mentions(s->end, w->carried) || !has_terms(w))
        return true;
    rewrite(w);
    return false;
}

bool opt_distribute_terms(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct distribution w = { .tree = t, .x = iterations_of(t, f), .memory = loop_memory_begin(t, f) };
    if (o->plain || o->counting || stmt_contains(f->body, STMT_RETURN))
        return true;
    tree_visit_frames(f->body, NULL, look, &w);
    loop_memory_end(&w.memory);
    stmt_flatten(t, f->body);
    return true;
}
