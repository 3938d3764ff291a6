#include "lower/tree/tree_cost.h"

enum {
    COST_DIVIDE = 8,
    COST_MATH = 20,
    COST_CALL = 50,
    COST_ATOMIC = 20,
    COST_ALLOC = 100,
    UNKNOWN_TRIPS = 16,
    MANY_TRIPS = 1 << 20,
    MOST_WORK = 1 << 24 /* that is told apart from more */
};

static int64_t expr_cost(const struct tree_expr *e)
{
    int64_t cost = 1;
    switch (e->op) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_NULL:
    case EXPR_VAR:
    case EXPR_CONTEXT:
    case EXPR_DATA:
        cost = 0;
        break;
    case EXPR_DIV:
    case EXPR_REM:
        cost = COST_DIVIDE;
        break;
    case EXPR_MATH:
        cost = e->math == TREE_MATH_fabs || e->math == TREE_MATH_fma ? 1 : COST_MATH;
        break;
    case EXPR_CALL:
        cost = COST_CALL;
        break;
    case EXPR_LOAD:
    case EXPR_OFFSET: /* index arithmetic is strength-reduced */
        return cost + (e->args[1]->op == EXPR_LOAD ? expr_cost(e->args[1]) : 0);
    default:
        break;
    }
    for (uint32_t i = 0; i < e->num_args && cost < MOST_WORK; i++)
        cost += expr_cost(e->args[i]);
    return cost;
}

static struct tree_expr *saturate(struct tree *t, struct tree_expr *e, int64_t limit)
{
    return expr_binary(t, EXPR_MIN, e, expr_i64(t, limit));
}

static struct tree_expr *add(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return saturate(t, expr_binary(t, EXPR_ADD, a, b), MOST_WORK);
}

struct tree_expr *tree_cost_repeat(struct tree *t, struct tree_expr *trips, struct tree_expr *work)
{
    return expr_binary(t, EXPR_MUL, saturate(t, trips, MANY_TRIPS), saturate(t, work, MOST_WORK));
}

struct tree_expr *tree_trip_count(struct tree *t, const struct tree_stmt *loop)
{
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct tree_expr *begin = expr_cast(t, i64, loop->begin), *end = expr_cast(t, i64, loop->end);
    struct tree_expr *step = expr_cast(t, i64, loop->step);
    struct tree_expr *span = expr_binary(t, EXPR_SUB, end, begin);
    if (expr_is_int(step, 1))
        return span;
    return expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_ADD, span, expr_binary(t, EXPR_SUB, step, expr_i64(t, 1))),
                       step);
}

/* ---- vectors ---- */

struct lanes {
    uint32_t widest; /* bytes of a value */
    bool other;      /* what vectors have no code for */
};

static void see_value(struct lanes *l, const struct tree_expr *e)
{
    l->widest = e->type->size > l->widest ? e->type->size : l->widest;
    l->other |= e->op == EXPR_CALL;
    for (uint32_t i = 0; i < e->num_args && e->op != EXPR_LOAD; i++)
        see_value(l, e->args[i]);
}

static bool see_statement(void *user, struct tree_stmt *s)
{
    struct lanes *l = user;
    l->other |= s->kind != STMT_BLOCK && s->kind != STMT_ASSIGN && s->kind != STMT_STORE && s->kind != STMT_IF;
    if (s->value)
        see_value(l, s->value);
    return !l->other;
}

struct tree_expr *tree_cost_iteration(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *loop)
{
    enum { WIDEST = 8 };
    struct tree_expr *cost = tree_cost(t, piece, loop->body);
    struct lanes l = { .widest = 1, .other = !loop->loop.independent };
    stmt_visit(loop->body, see_statement, &l);
    if (l.other || l.widest >= WIDEST)
        return cost;
    int64_t lanes = WIDEST / l.widest;
    return expr_binary(t, EXPR_DIV, add(t, cost, expr_i64(t, lanes - 1)), expr_i64(t, lanes));
}

static struct tree_expr *loop_cost(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *s)
{
    struct tree_expr *trips = s->kind == STMT_FOR ? tree_trip_count(t, s) : NULL;
    if (!trips || !tree_scan_invariant(piece, trips))
        trips = expr_i64(t, UNKNOWN_TRIPS);
    int64_t control = s->kind == STMT_FOR ? 1 : 1 + expr_cost(s->value);
    return tree_cost_repeat(t, trips, add(t, tree_cost_iteration(t, piece, s), expr_i64(t, control)));
}

/* Copies and fills go through memory: several elements per unit. */
static struct tree_expr *range_cost(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *s)
{
    struct tree_expr *count = tree_scan_invariant(piece, s->count) ? s->count : expr_i64(t, UNKNOWN_TRIPS);
    return add(t, expr_binary(t, EXPR_DIV, saturate(t, count, INT32_MAX), expr_i64(t, 4)), expr_i64(t, 4));
}

/* Reductions to one place go into a variable of the thread (pass_privatize.c). */
static bool accumulates(const struct tree_scan *piece, const struct tree_stmt *s)
{
    return s->kind == STMT_REDUCE && tree_scan_invariant(piece, s->pointer) && tree_scan_invariant(piece, s->index);
}

static int64_t own_cost(const struct tree_scan *piece, const struct tree_stmt *s)
{
    int64_t cost = s->atomic && !accumulates(piece, s) ? COST_ATOMIC : 1;
    if (s->kind == STMT_CALL)
        return COST_CALL;
    if (s->kind == STMT_ALLOC)
        return s->where == TREE_HEAP ? COST_ALLOC : 1;
    if (s->value)
        cost += expr_cost(s->value);
    if (s->index && s->index->op == EXPR_LOAD)
        cost += expr_cost(s->index);
    return cost;
}

struct tree_expr *tree_cost(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *body)
{
    struct tree_expr *cost;
    switch (body->kind) {
    case STMT_BLOCK:
        cost = expr_i64(t, 0);
        for (uint32_t i = 0; i < body->items.count; i++)
            cost = add(t, cost, tree_cost(t, piece, body->items.items[i]));
        return cost;
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_DO:
        return loop_cost(t, piece, body);
    case STMT_COPY:
    case STMT_ZERO:
        return range_cost(t, piece, body);
    case STMT_LABEL:
    case STMT_KIND_COUNT:
        return expr_i64(t, 0);
    default:
        cost = expr_i64(t, own_cost(piece, body));
        if (body->body)
            cost = add(t, cost, tree_cost(t, piece, body->body));
        if (body->otherwise) /* of an IF: as if both sides were taken half of the time each, which errs to more work */
            cost = add(t, cost, tree_cost(t, piece, body->otherwise));
        return cost;
    }
}
