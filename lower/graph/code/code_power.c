/* Powers: `**` depends on how the exponent is written (semantics.md 6.3). */
#include "lower/graph/code/code_gen.h"

#include <math.h>
#include <string.h>

/* x ** (1/2) is how transitions write a root (format.md 5.6). */
static bool literal_quotient(struct code_gen *g, const struct code *c, double *value)
{
    const struct code **chain;
    uint32_t count = code_chain(g->arena, c, &chain);
    double by;
    for (uint32_t i = 0; i < count; i++)
        if (chain[i]->op != CODE_DIV)
            return false;
    if (!code_literal(g, chain[count - 1]->items[0], value))
        return false;
    for (uint32_t i = count; i > 0; i--) {
        if (!code_literal(g, chain[i - 1]->items[1], &by) || by == 0)
            return false;
        *value /= by;
    }
    return true;
}

bool code_literal(struct code_gen *g, const struct code *c, double *value)
{
    switch (c->kind) {
    case CODE_INT:
        *value = c->big ? (double)c->u : (double)c->i;
        return true;
    case CODE_FLOAT:
        *value = c->f;
        return true;
    case CODE_UNARY:
        if ((c->op != CODE_NEG && c->op != CODE_PLUS) || !code_literal(g, c->items[0], value))
            return false;
        *value = c->op == CODE_NEG ? -*value : *value;
        return true;
    case CODE_BINARY:
        return literal_quotient(g, c, value);
    default:
        return false;
    }
}

static bool is_pi(const struct code *c, double *value)
{
    if (c->kind != CODE_MEMBER || (strcmp(c->name, "pi") != 0 && strcmp(c->name, "nan") != 0))
        return false;
    const struct code *module = c->items[0];
    if (module->kind == CODE_MEMBER && strcmp(module->name, "math") == 0)
        module = module->items[0];
    if (module->kind != CODE_NAME || (strcmp(module->name, "math") != 0 && strcmp(module->name, "dace") != 0))
        return false;
    *value = strcmp(c->name, "pi") == 0 ? 3.14159265358979323846 : NAN;
    return true;
}

static bool whole_literal(const struct code *c, double *value)
{
    *value = c->big ? (double)c->u : (double)c->i;
    return c->kind == CODE_INT;
}

bool code_typeless_binary(struct code_gen *g, const struct code *c, bool left_typeless, double *value)
{
    double right;
    if (c->op < CODE_ADD || c->op > CODE_DIV || (!left_typeless && !whole_literal(c->items[0], value)))
        return false;
    if (!(code_typeless(g, c->items[1], &right) || (left_typeless && whole_literal(c->items[1], &right))))
        return false;
    *value = c->op == CODE_ADD   ? *value + right
             : c->op == CODE_SUB ? *value - right
             : c->op == CODE_MUL ? *value * right
                                 : *value / right;
    return true;
}

bool code_typeless(struct code_gen *g, const struct code *c, double *value)
{
    if (is_pi(c, value))
        return true;
    if (c->kind == CODE_UNARY && c->op == CODE_NEG && code_typeless(g, c->items[0], value)) {
        *value = -*value;
        return true;
    }
    if (c->kind != CODE_BINARY)
        return false;
    const struct code **chain;
    uint32_t count = code_chain(g->arena, c, &chain);
    bool good = code_typeless(g, chain[count - 1]->items[0], value);
    for (uint32_t i = count; i > 0 && (good || i == count); i--)
        good = code_typeless_binary(g, chain[i - 1], good, value);
    return good;
}

/* T(1) / x, in the type of x. */
struct tree_expr *code_reciprocal(struct code_gen *g, const struct code *c, struct tree_expr *a)
{
    const struct type *type = a->type;
    struct tree_expr *wide = code_promote(g, a);
    return code_to(g, c, type, expr_binary(g->t, EXPR_DIV, code_constant(g, wide->type, 1), wide));
}

/* Small powers one multiplication after the other, as DaCe does, so that roundings agree; large ones by squaring. */
struct tree_expr *code_ipow(struct code_gen *g, struct tree_expr *base, uint64_t exponent)
{
    enum { CHAIN = 16 };
    struct tree_expr *a = code_once(g, base), *result = a;
    if (exponent <= CHAIN) {
        for (uint64_t i = 1; i < exponent; i++)
            result = expr_binary(g->t, EXPR_MUL, result, a);
        return result;
    }
    result = NULL;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result ? expr_binary(g->t, EXPR_MUL, result, a) : a;
        if (exponent > 1)
            a = code_once(g, expr_binary(g->t, EXPR_MUL, a, a));
    }
    return result;
}

static struct tree_expr *integer_power(struct code_gen *g, const struct code *c, struct tree_expr *base,
                                       double exponent)
{
    if (exponent == 0)
        return expr_int(g->t, code_basic(g, TYPE_I32), 1);
    const struct type *type = base->type;
    struct tree_expr *power = code_ipow(g, code_promote(g, base), (uint64_t)fabs(exponent));
    power = code_to(g, c, type, power);
    return power && exponent < 0 ? code_reciprocal(g, c, power) : power;
}

/* The result has the type of the base: a root of an integer is truncated. */
static struct tree_expr *root(struct code_gen *g, const struct code *c, struct tree_expr *base, bool inverse)
{
    const struct type *type = base->type;
    struct tree_expr *x = code_promote(g, base);
    const struct type *elem = type_scalar(type);
    if (!type_is_float(elem) && !type_is_complex(elem))
        x = code_to(g, c, code_basic(g, TYPE_F64), x);
    if (!x)
        return NULL;
    x = code_to(g, c, type, expr_math(g->t, TREE_MATH_sqrt, &x));
    return x && inverse ? code_reciprocal(g, c, x) : x;
}

/* pow(int, int) of DaCe: a loop that wraps; a negative exponent gives 0. Squaring wraps to the same. */
static struct tree_expr *power_loop(struct code_gen *g, struct tree_expr *base, struct tree_expr *exponent)
{
    struct tree *t = g->t;
    const struct type *type = base->type;
    struct tree_expr *zero = expr_int(t, type, 0), *one = expr_int(t, type, 1);
    if (exponent->op == EXPR_INT)
        return exponent->i > 0 ? code_ipow(g, base, (uint64_t)exponent->i) : exponent->i ? zero : one;
    exponent = code_once(g, exponent);
    struct tree_var *result = tree_var(t, "power", type), *factor = tree_var(t, "factor", type);
    struct tree_var *left = tree_var(t, "left", type);
    stmt_assign(t, g->out, result, expr_select(t, expr_binary(t, EXPR_LT, exponent, zero), zero, one));
    stmt_assign(t, g->out, factor, base);
    stmt_assign(t, g->out, left, exponent);
    struct tree_stmt *s = stmt_while(t, g->out, expr_binary(t, EXPR_GT, expr_var(t, left), zero));
    struct tree_expr *odd = expr_binary(t, EXPR_NE, expr_binary(t, EXPR_AND, expr_var(t, left), one), zero);
    struct tree_stmt *multiply = stmt_if(t, s->body, odd);
    stmt_assign(t, multiply->body, result, expr_binary(t, EXPR_MUL, expr_var(t, result), expr_var(t, factor)));
    stmt_assign(t, s->body, factor, expr_binary(t, EXPR_MUL, expr_var(t, factor), expr_var(t, factor)));
    stmt_assign(t, s->body, left, expr_binary(t, EXPR_SHR, expr_var(t, left), one));
    return expr_var(t, result);
}

/* A complex constant that is a small whole number. Products are nearer to the power than exp(b * log(a)), and faster.
 */
static bool is_whole_complex(const struct tree_expr *e, double *value)
{
    enum { LARGEST = 64 };
    while (e->op == EXPR_CAST && type_is_complex(e->type))
        e = e->args[0];
    bool pair = e->op == EXPR_COMPLEX && e->args[0]->op == EXPR_FLOAT && e->args[1]->op == EXPR_FLOAT;
    if (!pair || e->args[1]->f != 0)
        return false;
    *value = e->args[0]->f;
    return *value == floor(*value) && fabs(*value) >= 1 && fabs(*value) <= LARGEST;
}

struct tree_expr *code_pow(struct code_gen *g, const struct code *c, struct tree_expr *a, struct tree_expr *b)
{
    if (!type_is_basic(a->type) || !type_is_basic(b->type))
        return code_invalid(g, c, "power of %s and %s", code_type_text(g, a->type), code_type_text(g, b->type));
    if (a->type == b->type && (a->type->kind == TYPE_I32 || a->type->kind == TYPE_U32))
        return power_loop(g, a, b);
    const struct type *type = type_arithmetic(g->ir, a->type, b->type);
    bool whole = type_is_integer(type_promote(g->ir, a->type)) || type_is_integer(type_promote(g->ir, b->type));
    if (whole && !type_is_complex(type)) /* the C++ library takes integers as double */
        type = code_basic(g, TYPE_F64);
    struct tree_expr *args[2] = { code_to(g, c, type, a), code_to(g, c, type, b) };
    double whole_exponent;
    if (args[0] && type_is_complex(type) && is_whole_complex(b, &whole_exponent))
        return integer_power(g, c, args[0], whole_exponent);
    if (!args[0] || !args[1])
        return NULL;
    bool square = args[1]->op == EXPR_FLOAT && args[1]->f == 2; /* rounded once: what the best pow gives */
    return square ? code_to(g, c, type, code_ipow(g, code_promote(g, args[0]), 2))
                  : expr_math(g->t, TREE_MATH_pow, args);
}

struct tree_expr *code_power(struct code_gen *g, const struct code *c, struct tree_expr *base,
                             const struct code *exponent)
{
    double value;
    const struct type *elem = type_scalar(base->type);
    if (code_literal(g, exponent, &value) && type_is_basic(elem)) {
        if (value == floor(value) && fabs(value) <= (double)(1ll << 53))
            return integer_power(g, c, base, value);
        if (fabs(value) == 0.5)
            return root(g, c, base, value < 0);
        struct tree_expr *e = expr_float(g->t, code_basic(g, TYPE_F64), value);
        return code_pow(g, c, base, e);
    }
    struct tree_stmt *before = code_begin(g);
    struct tree_expr *e = code_eval(g, exponent);
    struct tree_stmt *made = code_end(g, before);
    if (made->items.count) {
        base = code_once(g, base);
        stmt_append(g->t, g->out, made);
    }
    return e ? code_pow(g, c, base, e) : NULL;
}
