/* Divisions by what a vectorized loop does not change become products with its reciprocal, with the same results.
 *
 *     for i {                                       s = |d| < 2^-1000 ? 2^100 : 1, e = d * s, r = 1 / e
 *         C[i] = A[i] / d                           for i {
 *     }                                                 x = A[i] * s
 *                                          ->           q = x * r
 *                                                       rest = fma(-q, e, x)
 *                                                       better = fma(rest, r, q)
 *                                                       C[i] = better < q || better > q ? better : q
 *                                                   }
 *
 * Legality: `better` is the quotient, rounded as a division rounds it (P. Markstein: Computation of elementary
 * functions on the IBM RISC System/6000 processor, IBM J. Res. Dev. 34, 1990; N. Brisebarre, J.-M. Muller, S. Raina:
 * Accelerating correctly rounded floating-point division when the divisor is known in advance, IEEE Trans. Comp. 53,
 * 2004). It is q where both are equal (the sign of 0 counts), or where `better` is not a number. Below 2^-969 the rest
 * of a dividend is not exact, and the last bit may differ; not with --fp=strict. Doubles only: floats have too few
 * exponents.
 * Profitability: Dividers take 5 to 16 cycles for a vector, while other units go on; the product takes six operations
 * of those. Where there is a fused multiply-add, for loops of some iterations that take fewer cycles then. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

#include <math.h>

enum {
    SHORTEST = 8,   /* iterations, if they are known */
    OPERATIONS = 6, /* of a quotient without a division */
    VECTOR = 32     /* bytes, for which the cycles of `machine.divide` are */
};

struct divisor {
    struct tree_expr *value;                       /* in front of the loop */
    struct tree_expr *scale, *scaled, *reciprocal; /* scale NULL: 1 */
};

struct divisors {
    struct tree *tree;
    struct tree_stmt *front; /* what is computed in front of the loop */
    struct tree_scan scan;   /* of the loop */
    struct map copies; /* variables of an iteration that are equal to a struct tree_expr of in front of the loop */
    VEC(struct divisor) found;
    uint32_t quotients;
};

/* What the expression is in front of the loop; NULL: it changes in it, or is no variable or number. */
static struct tree_expr *value_in_front(const struct divisors *x, struct tree_expr *e)
{
    if (e->op == EXPR_VAR && map_has(&x->scan.assigned, e->var))
        return map_get(&x->copies, e->var);
    return (e->op == EXPR_VAR || e->op == EXPR_FLOAT) && tree_scan_invariant(&x->scan, e) ? e : NULL;
}

static struct tree_expr *f64(const struct divisors *x, double value)
{
    return expr_float(x->tree, type_basic(x->tree->ir, TYPE_F64), value);
}

static struct tree_expr *times(const struct divisors *x, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(x->tree, EXPR_MUL, a, b);
}

static struct tree_expr *fused(const struct divisors *x, struct tree_expr *a, struct tree_expr *b, struct tree_expr *c)
{
    return expr_math(x->tree, TREE_MATH_fma, (struct tree_expr *[]){ a, b, c });
}

/* A reciprocal of a number that is very small would be infinite. */
static const struct divisor *divisor_of(struct divisors *x, struct tree_expr *value)
{
    struct tree *t = x->tree;
    for (uint32_t i = 0; i < x->found.count; i++)
        if (expr_equal(x->found.items[i].value, value))
            return &x->found.items[i];
    struct divisor d = { .value = value, .scaled = value };
    if (value->op != EXPR_FLOAT) {
        struct tree_expr *size = expr_math(t, TREE_MATH_fabs, &value);
        struct tree_expr *small = expr_binary(t, EXPR_LT, size, f64(x, 0x1p-1000));
        d.scale = stmt_variable(t, x->front, "scale", expr_select(t, small, f64(x, 0x1p100), f64(x, 1)));
        d.scaled = stmt_variable(t, x->front, "divisor", times(x, value, d.scale));
    }
    d.reciprocal = stmt_variable(t, x->front, "reciprocal", expr_binary(t, EXPR_DIV, f64(x, 1), d.scaled));
    vec_push(t->scratch, &x->found, d);
    return &x->found.items[x->found.count - 1];
}

static struct tree_expr *quotient(struct divisors *x, struct tree_stmt *out, struct tree_expr *dividend,
                                  struct tree_expr *divisor)
{
    struct tree *t = x->tree;
    const struct divisor *d = divisor_of(x, divisor);
    x->quotients++;
    struct tree_expr *a = stmt_variable(t, out, "dividend", d->scale ? times(x, dividend, d->scale) : dividend);
    struct tree_expr *q = stmt_variable(t, out, "quotient", times(x, a, d->reciprocal));
    struct tree_expr *rest = stmt_variable(t, out, "rest", fused(x, expr_unary(t, EXPR_NEG, q), d->scaled, a));
    struct tree_expr *better = stmt_variable(t, out, "better", fused(x, rest, d->reciprocal, q));
    struct tree_expr *less = expr_binary(t, EXPR_LT, better, q), *more = expr_binary(t, EXPR_GT, better, q);
    return expr_select(t, expr_binary(t, EXPR_LOGICAL_OR, less, more), better, q);
}

/* A number that is a power of two, of which LLVM multiplies itself, or has an infinite reciprocal stays. */
static bool is_usual(const struct tree_expr *divisor)
{
    int exponent;
    double d = divisor->op == EXPR_FLOAT ? fabs(divisor->f) : 3;
    return d > 0x1p-1000 && d < 0x1p1000 && frexp(d, &exponent) != 0.5;
}

/* The expression without such divisions; what they take is computed in `out`. Operands of operators that do not always
 * need them stay. */
static struct tree_expr *without(struct divisors *x, struct tree_stmt *out, struct tree_expr *e)
{
    bool binary = e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL || e->op == EXPR_DIV;
    if (e->type->kind != TYPE_F64 || (!binary && e->op != EXPR_NEG))
        return e;
    struct tree_expr *a = without(x, out, e->args[0]), *b = binary ? without(x, out, e->args[1]) : NULL;
    struct tree_expr *divisor = e->op == EXPR_DIV ? value_in_front(x, b) : NULL;
    if (divisor && is_usual(divisor) && !value_in_front(x, a))
        return quotient(x, out, a, divisor);
    if (a == e->args[0] && (!binary || b == e->args[1]))
        return e;
    return binary ? expr_binary(x->tree, e->op, a, b) : expr_unary(x->tree, e->op, a);
}

static bool forget(void *user, struct tree_stmt *s)
{
    struct divisors *x = user;
    if (s->kind == STMT_ASSIGN)
        map_remove(&x->copies, s->var);
    return true;
}

static void look_at_block(struct divisors *x, struct tree_stmt *block)
{
    struct tree_stmt *out = stmt_block(x->tree);
    for (uint32_t i = 0; i < block->items.count; i++) {
        struct tree_stmt *s = block->items.items[i];
        if (s->kind == STMT_ASSIGN || s->kind == STMT_STORE)
            s->value = without(x, out, s->value);
        struct tree_expr *value = s->kind == STMT_ASSIGN ? value_in_front(x, s->value) : NULL;
        if (s->kind == STMT_IF) {
            look_at_block(x, s->body);
            if (s->otherwise)
                look_at_block(x, s->otherwise);
        }
        stmt_visit(s, forget, x);
        if (value)
            map_put(x->tree->scratch, &x->copies, s->var, value);
        stmt_append(x->tree, out, s);
    }
    block->items = out->items;
}

/* Loops of assignments, stores and conditions, which LLVM vectorizes. */
static bool is_plain(const struct tree_stmt *s)
{
    if (s->kind != STMT_BLOCK && s->kind != STMT_ASSIGN && s->kind != STMT_STORE && s->kind != STMT_IF)
        return false;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (!is_plain(s->items.items[i]))
            return false;
    return (!s->body || is_plain(s->body)) && (!s->otherwise || is_plain(s->otherwise));
}

/* ---- profitability ---- */

struct arithmetic {
    uint32_t divisions, others;
};

static void count_expr(void *user, struct tree_expr *e)
{
    struct arithmetic *a = user;
    if (e->type->kind == TYPE_F64) {
        a->divisions += e->op == EXPR_DIV;
        a->others += e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL || e->op == EXPR_MATH;
    }
}

static void count_operand(void *user, struct tree_expr **e) { expr_visit(*e, count_expr, user); }

static bool count_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, count_operand, user);
    return true;
}

/* Does an iteration take fewer cycles? The divider works beside the other units. */
static bool gains(const struct tree *t, const struct arithmetic *a, uint32_t quotients)
{
    const struct machine *m = t->machine;
    int64_t units = m->vector > VECTOR && !m->double_pumped ? m->vector / VECTOR : 1;
    int64_t divider = m->divide * a->divisions * units, rest = m->divide * (a->divisions - quotients) * units;
    int64_t issued = (a->others + a->divisions) / m->issue;
    int64_t products = (a->others + a->divisions + (OPERATIONS - 1) * quotients) / m->issue;
    return (products > rest ? products : rest) < (issued > divider ? issued : divider);
}

static bool look(void *user, struct tree_stmt *s)
{
    struct tree *t = user;
    struct arithmetic a = { 0 };
    if (s->kind != STMT_FOR || !s->loop.independent || loop_is_shorter(s, SHORTEST) || !is_plain(s->body))
        return true;
    stmt_visit(s->body, count_stmt, &a);
    if (!a.divisions)
        return false;
    struct divisors x = { .tree = t, .front = stmt_block(t), .scan = { .arena = t->scratch } };
    struct tree_stmt *loop = stmt_clone(t, s);
    const struct tree_stmt *around = t->region;
    t->region = s->var->owner; /* of the new variables */
    tree_scan_add(&x.scan, loop);
    look_at_block(&x, loop->body);
    t->region = around;
    if (!x.quotients || !gains(t, &a, x.quotients))
        return false;
    remark(t->ir->remarks, s->place, remark_subject(t, s), REMARK_RECIPROCALS, (unsigned)x.found.count);
    stmt_append(t, x.front, loop);
    *s = *x.front;
    return false;
}

bool opt_invariant_divisors(struct tree *t, const struct tree_options *o)
{
    if (o->plain || o->strict_fp || o->fast_fp || !t->machine->fused)
        return true;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        stmt_visit(t->functions.items[i]->body, look, t);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
