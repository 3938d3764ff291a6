/* While loops that count, up or down, become `for` loops; a loop of one iteration is replaced by its body. A leading
 * test that leaves an endless loop (checked mode makes such loops) becomes the condition of the loop.
 *
 *     k = 0                                for k' = 0 to N step 1
 *     while k < N {          ->                body
 *         body                             k = max(0, N)
 *         k = k + 1
 *     }
 *
 * Bounds may be floating-point values, as in `float64(k) < pow(float64(R), float64(i))`: what counts is the next
 * integer, and a power of an integer with an exponent that is not negative is one itself.
 *
 * Legality: The counter is assigned once, at the end of the body, by a constant step, and the bound is loop-invariant.
 * Profitability: Always; every later pass works on `for` loops. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

#include <math.h>

struct loops {
    struct tree *tree;
    struct tree_whole whole;
};

/* ---- conditions ---- */

static bool is_only_break(const struct tree_stmt *block)
{
    return block && block->items.count == 1 && block->items.items[0]->kind == STMT_BREAK;
}

/* while true { if c { break } ... } becomes while !c { ... }. */
static bool take_condition(void *user, struct tree_stmt *s)
{
    struct loops *l = user;
    while (s->kind == STMT_WHILE && expr_is_int(s->value, 1) && s->body->items.count) {
        const struct tree_stmt *test = s->body->items.items[0];
        if (test->kind != STMT_IF || !is_only_break(test->body) || (test->otherwise && test->otherwise->items.count))
            break;
        s->value = expr_unary(l->tree, EXPR_NOT, test->value);
        s->body->items.items++;
        s->body->items.capacity--;
        s->body->items.count--;
    }
    return true;
}

/* ---- while loops that count ---- */

/* A counting loop: variable, bound (exclusive) and change per iteration. */
struct counted {
    struct tree_var *var;
    struct tree_expr *bound;
    int64_t step;
};

/* The last statement: v = v + constant. */
static bool match_step(const struct tree_stmt *body, struct counted *c)
{
    const struct tree_stmt *last = body->items.count ? vec_last(&body->items) : NULL;
    if (!last || last->kind != STMT_ASSIGN || last->value->op != EXPR_ADD)
        return false;
    const struct tree_expr *a = last->value->args[0], *b = last->value->args[1];
    c->var = last->var;
    c->step = b->op == EXPR_INT ? b->i : 0;
    return a->op == EXPR_VAR && a->var == c->var && c->step > -INT32_MAX && c->step < INT32_MAX;
}

static struct tree_expr *of_one(struct tree *t, enum tree_math f, struct tree_expr *x) { return expr_math(t, f, &x); }

/* R^e for integers, between 1 and 2^53: as index expressions have it. NULL: it is none, or nobody knows. */
static struct tree_expr *whole_power(struct tree *t, const struct tree_expr *e, const struct tree_frame *frame)
{
    enum { EXACT = 53 /* bits */ };
    if (e->op != EXPR_MATH || e->math != TREE_MATH_pow || e->args[0]->op != EXPR_FLOAT || e->args[1]->op != EXPR_CAST ||
        !type_is_integer(e->args[1]->args[0]->type))
        return NULL;
    double base = e->args[0]->f;
    struct linear exponent;
    linear_of(&exponent, e->args[1]->args[0]);
    struct interval range = linear_interval(&exponent, frame, NULL);
    if (base != trunc(base) || base < 1 || !exponent.known || !range.known || range.low < 0 ||
        (double)range.high * log2(base) > EXACT)
        return NULL;
    struct tree_expr *args[] = { e->args[0], expr_cast(t, e->args[1]->type, linear_expr(t, &exponent)) };
    return expr_cast(t, type_basic(t->ir, TYPE_I64), of_one(t, TREE_MATH_round, expr_math(t, TREE_MATH_pow, args)));
}

/* x where it is beyond the limit on the side of `op`, else the limit; as a test, `e` stands for x. */
static struct tree_expr *beyond(struct tree *t, enum expr_op op, struct tree_expr *e, struct tree_expr *x,
                                struct tree_expr *limit)
{
    return expr_select(t, expr_binary(t, op, e, limit), x, limit);
}

/* The integer that stands for a floating-point bound. Where it is NaN, no number is within it. */
static struct tree_expr *whole_bound(struct tree *t, struct tree_expr *e, enum expr_op op, const struct type *type,
                                     const struct tree_frame *frame)
{
    struct tree_expr *power = whole_power(t, e, frame);
    if (power)
        return expr_cast(t, type, power);
    bool narrow = type->kind == TYPE_I32, up = op == EXPR_LT || op == EXPR_GE;
    struct tree_expr *low = expr_float(t, e->type, narrow ? 1 - 0x1p31 : -0x1p53); /* room for one more */
    struct tree_expr *high = expr_float(t, e->type, narrow ? 0x1p31 - 2 : 0x1p53);
    struct tree_expr *whole = of_one(t, up ? TREE_MATH_ceil : TREE_MATH_floor, e);
    if (op == EXPR_LT || op == EXPR_LE)
        whole = beyond(t, EXPR_GT, e, beyond(t, EXPR_LT, e, whole, high), low);
    else
        whole = beyond(t, EXPR_LT, e, beyond(t, EXPR_GT, e, whole, low), high);
    return expr_cast(t, type, whole);
}

/* The variable, or its exact value as a floating-point number. */
static bool is_counter(const struct tree_expr *e, const struct counted *c)
{
    bool cast = e->op == EXPR_CAST && e->type->kind == TYPE_F64;
    const struct tree_expr *v = cast ? e->args[0] : e;
    return v->op == EXPR_VAR && v->var == c->var;
}

/* A sum or product of sizes in 32 bits that is extended, in 64: no program relies on its overflow, and dependence
 * tests see what it is made of. */
static struct tree_expr *widen(struct tree *t, struct tree_expr *e)
{
    struct tree_expr *sum = e->op == EXPR_CAST && e->type->kind == TYPE_I64 ? e->args[0] : NULL;
    if (!sum || sum->type->kind != TYPE_I32 || !tree_is_size(t, sum) ||
        (sum->op != EXPR_ADD && sum->op != EXPR_SUB && sum->op != EXPR_MUL))
        return e;
    struct tree_expr *a = expr_cast(t, e->type, sum->args[0]), *b = expr_cast(t, e->type, sum->args[1]);
    return expr_binary(t, sum->op, widen(t, a), widen(t, b));
}

/* v < bound, or v > bound for a loop downwards; with "or equal" if the bound cannot wrap. */
static bool match_condition(struct tree *t, struct tree_expr *e, struct counted *c, const struct tree_frame *frame)
{
    static const enum expr_op mirror[] = { EXPR_GT, EXPR_GE, EXPR_LT, EXPR_LE };
    enum expr_op op = e->op;
    if (op < EXPR_LT || op > EXPR_GE)
        return false;
    struct tree_expr *a = e->args[0], *b = e->args[1];
    if (is_counter(b, c)) {
        struct tree_expr *swap = a;
        a = b;
        b = swap;
        op = mirror[op - EXPR_LT];
    }
    bool upwards = c->step > 0, equal = op == EXPR_LE || op == EXPR_GE;
    if (!is_counter(a, c) || c->step == 0 || upwards != (op == EXPR_LT || op == EXPR_LE))
        return false;
    if (a->op == EXPR_CAST) {
        c->bound = whole_bound(t, b, op, c->var->type, frame);
        if (equal)
            c->bound = expr_binary(t, EXPR_ADD, c->bound, expr_int(t, c->var->type, upwards ? 1 : -1));
        return true;
    }
    if (equal && (b->op != EXPR_INT || b->i > INT32_MAX / 2 || b->i < -(INT32_MAX / 2)))
        return false;
    c->bound = equal ? expr_int(t, b->type, b->i + (upwards ? 1 : -1)) : widen(t, b);
    return true;
}

static bool match(struct loops *l, struct tree_stmt *s, struct counted *c, const struct tree_frame *frame)
{
    if (s->kind != STMT_WHILE || !match_step(s->body, c) ||
        (c->var->type->kind != TYPE_I64 && c->var->type->kind != TYPE_I32) ||
        !match_condition(l->tree, s->value, c, frame))
        return false;
    struct tree_piece piece = { 0 };
    piece_add(l->tree->scratch, &piece, s->body, NULL);
    uint32_t assigned = 0;
    for (uint32_t i = 0; i < piece.writes.count; i++)
        assigned += piece.writes.items[i] == c->var;
    struct tree_scan scan = { .arena = l->tree->scratch };
    tree_scan_add(&scan, s->body);
    return assigned == 1 && !scan.breaks && tree_scan_is_closed(&scan, tree_whole(&l->whole)) &&
           tree_scan_invariant(&scan, c->bound);
}

enum { LOOK_BACK = 8 }; /* statements */

static void see_other(void *user, struct tree_expr *e)
{
    bool *plain = user;
    *plain &= e->op == EXPR_VAR || e->op == EXPR_INT || e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL;
}

/* Sums and products of variables that nothing between the assignment and the loop changes. */
static bool still_holds(struct loops *l, const struct tree_stmt *block, uint32_t from, uint32_t to)
{
    struct tree_expr *value = block->items.items[from]->value;
    struct tree_scan scan = { .arena = l->tree->scratch };
    bool plain = true;
    expr_visit(value, see_other, &plain);
    for (uint32_t i = from; i < to; i++)
        tree_scan_add(&scan, block->items.items[i]);
    return plain && tree_scan_invariant(&scan, value);
}

/* The value of the variable in front of the loop: an expression if it was just assigned. */
static struct tree_expr *start_value(struct loops *l, const struct tree_stmt *block, uint32_t at, struct tree_var *v)
{
    uint32_t loop = at;
    for (uint32_t last = at > LOOK_BACK ? at - LOOK_BACK : 0; at-- > last;) {
        struct tree_stmt *s = block->items.items[at];
        if (s->kind == STMT_ASSIGN && s->var == v && still_holds(l, block, at, loop))
            return s->value;
        struct tree_scan scan = { .arena = l->tree->scratch };
        tree_scan_add(&scan, s);
        if (s->kind == STMT_LABEL || scan.labels.count || map_has(&scan.assigned, v))
            break;
    }
    return expr_var(l->tree, v);
}

/* Number of iterations: (distance + step - 1) / step, at least 0. */
static struct tree_expr *trips(struct tree *t, struct tree_expr *distance, int64_t step)
{
    const struct type *type = distance->type;
    struct tree_expr *count = expr_binary(t, EXPR_MAX, distance, expr_int(t, type, 0));
    if (step == 1)
        return count;
    count = expr_binary(t, EXPR_ADD, count, expr_int(t, type, step - 1));
    return expr_binary(t, EXPR_DIV, count, expr_int(t, type, step));
}

static struct tree_stmt *make_counted(struct loops *l, const struct tree_stmt *block, uint32_t at,
                                      const struct counted *c)
{
    struct tree *t = l->tree;
    struct tree_stmt *s = block->items.items[at], *result = stmt_block(t);
    const struct type *type = c->var->type;
    struct tree_expr *start = start_value(l, block, at, c->var), *value;
    struct tree_var *v = tree_var(t, c->var->name, type);
    v->owner = c->var->owner;
    int64_t step = c->step > 0 ? c->step : -c->step;
    struct tree_expr *distance =
        c->step > 0 ? expr_binary(t, EXPR_SUB, c->bound, start) : expr_binary(t, EXPR_SUB, start, c->bound);
    struct tree_expr *count = trips(t, distance, step);
    s->body->items.count--;
    struct tree_stmt *loop;
    if (c->step > 0) {
        loop = stmt_for(t, result, v, start, c->bound, expr_int(t, type, step));
        value = expr_var(t, v);
    } else {
        loop = stmt_for(t, result, v, expr_int(t, type, 0), count, expr_int(t, type, 1));
        value = expr_binary(t, EXPR_ADD, start, expr_binary(t, EXPR_MUL, expr_var(t, v), expr_int(t, type, c->step)));
    }
    loop->place = s->place;
    loop->body = s->body;
    stmt_substitute(t, loop->body, c->var, value);
    struct tree_expr *moved = expr_binary(t, EXPR_MUL, count, expr_int(t, type, c->step));
    stmt_assign(t, result, c->var, expr_binary(t, EXPR_ADD, start, moved));
    return result;
}

/* ---- loops of one iteration ---- */

static bool is_single(struct loops *l, struct tree_stmt *s)
{
    struct linear span, begin;
    if (s->kind != STMT_FOR || s->step->op != EXPR_INT)
        return false;
    linear_of(&span, s->end);
    linear_of(&begin, s->begin);
    linear_add(&span, &begin, -1);
    if (!linear_is_constant(&span) || span.constant <= 0 || span.constant > s->step->i)
        return false;
    struct tree_scan scan = { .arena = l->tree->scratch };
    tree_scan_add(&scan, s->body);
    uintptr_t inside = (uintptr_t)map_get(&scan.uses, s->var);
    return !scan.breaks && tree_scan_invariant(&scan, s->begin) &&
           (uintptr_t)map_get(&tree_whole(&l->whole)->uses, s->var) == inside + 1;
}

/* The body in place of the loop; what the loop asked for goes to a loop of the same map inside. */
static void make_single(struct loops *l, struct tree_stmt *s)
{
    struct tree_stmt *body = s->body, *inner = body->items.count == 1 ? body->items.items[0] : NULL;
    if (inner && inner->kind == STMT_FOR && inner->place == s->place && s->loop.parallel && !inner->loop.parallel) {
        struct tree_loop loop = s->loop;
        loop.independent = inner->loop.independent;
        loop.unroll = inner->loop.unroll;
        inner->loop = loop;
    }
    stmt_substitute(l->tree, body, s->var, s->begin);
    *s = *body;
}

/* ---- the walk ---- */

static bool count_loops(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    struct counted c;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (match(user, s->items.items[i], &c, frame))
            s->items.items[i] = make_counted(user, s, i, &c);
    return true;
}

static bool unwrap_single(void *user, struct tree_stmt *s)
{
    while (is_single(user, s))
        make_single(user, s);
    return true;
}

bool opt_canonical_loops(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        stmt_flatten(t, f->body);
        struct loops l = { .tree = t, .whole = { t, f, { 0 } } };
        stmt_visit(f->body, take_condition, &l);
        tree_visit_frames(f->body, NULL, count_loops, &l);
        l.whole.scan = (struct tree_scan){ 0 };
        stmt_visit(f->body, unwrap_single, &l);
        stmt_flatten(t, f->body);
    }
    return true;
}
