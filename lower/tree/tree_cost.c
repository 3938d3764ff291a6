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

static bool is_gather(const struct tree_expr *e)
{
    bool found = e->op == EXPR_LOAD;
    for (uint32_t i = 0; i < e->num_args && !found; i++)
        found = is_gather(e->args[i]);
    return found;
}

/* What costs are found with. */
struct coster {
    struct tree *tree;
    const struct tree_scan *piece;
    const struct tree_frame *frame; /* the loops around and what variables have been given; NULL: not asked for */
};

static struct tree_expr *cost_of(const struct coster *c, const struct tree_stmt *body);

static struct tree_expr *iteration_cost(const struct coster *c, const struct tree_stmt *loop)
{
    enum { WIDEST = 8 };
    struct tree *t = c->tree;
    struct coster inside = *c;
    struct tree_frame frame;
    if (c->frame && loop->kind == STMT_FOR) {
        frame = tree_frame_of(c->frame, loop);
        inside.frame = &frame;
    }
    struct tree_expr *cost = cost_of(&inside, loop->body);
    struct lanes l = { .widest = 1, .other = !loop->loop.independent };
    stmt_visit(loop->body, see_statement, &l);
    if (l.other || l.widest >= WIDEST)
        return cost;
    int64_t lanes = WIDEST / l.widest;
    return expr_binary(t, EXPR_DIV, add(t, cost, expr_i64(t, lanes - 1)), expr_i64(t, lanes));
}

struct innermost {
    bool loops;      /* there are some inside */
    bool sums, wide; /* sums of several iterations; vectors of the tree's own */
    bool other;      /* what vectors have no code for */
};

static bool see_innermost(void *user, struct tree_stmt *s)
{
    struct innermost *in = user;
    struct lanes l = { 0 };
    in->loops |= s->kind == STMT_FOR || s->kind == STMT_WHILE || s->kind == STMT_DO;
    in->sums |= s->kind == STMT_REDUCE;
    if (s->value)
        see_value(&l, s->value);
    in->wide |= s->value && s->value->type->kind == TYPE_VECTOR;
    in->other |= l.other || s->kind == STMT_CALL || s->kind == STMT_GOTO || s->kind == STMT_UPDATE ||
                 (s->kind == STMT_REDUCE && is_gather(s->index));
    return !in->loops;
}

static bool find_scalar(void *user, struct tree_stmt *s)
{
    bool *scalar = user;
    if (s->kind == STMT_WHILE || s->kind == STMT_DO)
        *scalar = true;
    if (s->kind != STMT_FOR || *scalar)
        return !*scalar;
    struct innermost in = { 0 };
    stmt_visit(s->body, see_innermost, &in);
    *scalar = !in.loops && (in.other || !(s->loop.independent || in.sums || in.wide));
    return in.loops && !*scalar;
}

bool tree_cost_has_vectors(struct tree_stmt *loop)
{
    bool scalar = false;
    stmt_visit(loop, find_scalar, &scalar);
    return !scalar;
}

/* What a variable was given, if it was. */
static const struct tree_expr *given(const struct coster *c, const struct tree_expr *e)
{
    for (const struct tree_frame *f = c->frame; f && e->op == EXPR_VAR; f = f->outer)
        if (f->loop->var == e->var)
            return f->loop->kind == STMT_ASSIGN ? f->loop->value : e;
    return e;
}

/* The values of `end - begin`, where the least of several ends counts: of min(i + 16, N) - i it is 16. */
static struct interval span(const struct coster *c, const struct tree_expr *begin, const struct tree_expr *end)
{
    struct linear from, to;
    begin = given(c, begin);
    end = given(c, end);
    bool ends = end->op == EXPR_MIN, begins = begin->op == EXPR_MAX;
    if (ends || begins) {
        struct interval a = span(c, ends ? begin : begin->args[0], ends ? end->args[0] : end);
        struct interval b = span(c, ends ? begin : begin->args[1], ends ? end->args[1] : end);
        bool known = a.known && b.known;
        return (struct interval){ known, a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
    }
    linear_of(&from, begin);
    linear_of(&to, end);
    linear_add(&to, &from, -1);
    return to.known ? linear_interval(&to, c->frame, NULL) : (struct interval){ 0 };
}

/* Iterations of a loop whose bounds change: as many as the middle of what they can be. */
static struct tree_expr *middle_trips(const struct coster *c, const struct tree_stmt *loop)
{
    struct interval i = c->frame ? span(c, loop->begin, loop->end) : (struct interval){ 0 };
    int64_t step = loop->step->op == EXPR_INT && loop->step->i > 0 ? loop->step->i : 1;
    int64_t low = i.low > 0 ? i.low : 0, high = i.high > low ? i.high : low;
    return expr_i64(c->tree, i.known ? (low + (high - low) / 2 + step - 1) / step : UNKNOWN_TRIPS);
}

static struct tree_expr *loop_cost(const struct coster *c, const struct tree_stmt *s)
{
    struct tree *t = c->tree;
    struct tree_expr *trips = s->kind == STMT_FOR ? tree_trip_count(t, s) : NULL;
    if (!trips || !tree_scan_invariant(c->piece, trips))
        trips = s->kind == STMT_FOR ? middle_trips(c, s) : expr_i64(t, UNKNOWN_TRIPS);
    int64_t control = s->kind == STMT_FOR ? 1 : 1 + expr_cost(s->value);
    return tree_cost_repeat(t, trips, add(t, iteration_cost(c, s), expr_i64(t, control)));
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

/* ... and most of those to places that go along with loops into copies of the threads. (pass_copies.c decides.) */
static bool is_private(const struct coster *c, const struct tree_stmt *s)
{
    return accumulates(c->piece, s) || (c->frame && s->kind == STMT_REDUCE && !is_gather(s->index));
}

static int64_t own_cost(const struct coster *c, const struct tree_stmt *s)
{
    int64_t cost = s->atomic && !is_private(c, s) ? COST_ATOMIC : 1;
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

/* Variables that get a value are known to the statements behind. */
static struct tree_expr *block_cost(const struct coster *c, const struct tree_stmt *block)
{
    struct tree *t = c->tree;
    struct coster behind = *c;
    struct tree_expr *cost = expr_i64(t, 0);
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        cost = add(t, cost, cost_of(&behind, s));
        if (!c->frame || s->kind != STMT_ASSIGN || s->value->type->kind != TYPE_I64)
            continue;
        struct tree_frame *f = NEW(t->scratch, struct tree_frame);
        *f =
            (struct tree_frame){ .outer = behind.frame, .loop = s, .range = interval_of(s->value, behind.frame, NULL) };
        behind.frame = f;
    }
    return cost;
}

static struct tree_expr *cost_of(const struct coster *c, const struct tree_stmt *body)
{
    struct tree *t = c->tree;
    struct tree_expr *cost;
    switch (body->kind) {
    case STMT_BLOCK:
        return block_cost(c, body);
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_DO:
        return loop_cost(c, body);
    case STMT_COPY:
    case STMT_ZERO:
        return range_cost(t, c->piece, body);
    case STMT_LABEL:
    case STMT_KIND_COUNT:
        return expr_i64(t, 0);
    default:
        cost = expr_i64(t, own_cost(c, body));
        if (body->body)
            cost = add(t, cost, cost_of(c, body->body));
        if (body->otherwise) /* of an IF: as if both sides were taken half of the time each, which errs to more work */
            cost = add(t, cost, cost_of(c, body->otherwise));
        return cost;
    }
}

struct tree_expr *tree_cost(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *body)
{
    return cost_of(&(struct coster){ t, piece, NULL }, body);
}

struct tree_expr *tree_cost_iteration(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *loop)
{
    return iteration_cost(&(struct coster){ t, piece, NULL }, loop);
}

struct tree_expr *tree_cost_middle(struct tree *t, const struct tree_scan *piece, const struct tree_stmt *loop,
                                   const struct tree_frame *outer)
{
    struct tree_frame frame = tree_frame_of(outer, loop);
    return iteration_cost(&(struct coster){ t, piece, &frame }, loop);
}
