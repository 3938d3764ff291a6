/* Symbolic expressions over tree symbols as code (format.md 5.5).
 *
 * Integers are computed in int64. Quotients that symbolic arithmetic keeps exact are integer divisions here: a rational
 * factor q/d of a product becomes (q * rest) / d; a sum with fractions is taken over the common denominator when that
 * divides evenly and term by term otherwise, as the evaluator does. */
#include "lower/graph/lower.h"

#include <math.h>
#include <string.h>

enum { LARGEST_EXPRESSION = 1 << 14 };

struct context {
    struct lower *lw;
    const struct place *place;
    uint32_t steps; /* taken; sums of fractions inside each other double them at every level */
};

static struct tree_expr *value(struct context *c, const struct sym *s);

static struct tree_expr *i64(struct context *c, int64_t v) { return expr_i64(c->lw->tree, v); }

static bool is_int(const struct tree_expr *e) { return type_is_integer(e->type) || e->type->kind == TYPE_BOOL; }

/* Vectors, structures and pointers have symbols, too: dynamic inputs of scopes, arguments. */
static bool is_number(struct context *c, const struct tree_expr *e)
{
    return (e->type->kind != TYPE_VECTOR && e->type->kind != TYPE_STRUCT && e->type->kind != TYPE_POINTER) ||
           diag_error(c->lw->diags, c->place, DIAG_LLVM_TYPE, type_text(c->lw->ir, e->type));
}

static struct tree_expr *as_i64(struct context *c, struct tree_expr *e)
{
    return e && is_number(c, e) ? expr_cast(c->lw->tree, type_basic(c->lw->ir, TYPE_I64), e) : NULL;
}

/* Pointers may be equal. */
static bool may_be_operand(struct context *c, enum expr_op op, const struct tree_expr *e)
{
    return ((op == EXPR_EQ || op == EXPR_NE) && e->type->kind == TYPE_POINTER) || is_number(c, e);
}

static struct tree_expr *binary(struct context *c, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    if (!a || !b || !may_be_operand(c, op, a) || !may_be_operand(c, op, b))
        return NULL;
    const struct type *t =
        is_int(a) && is_int(b) ? type_basic(c->lw->ir, TYPE_I64) : type_arithmetic(c->lw->ir, a->type, b->type);
    return expr_binary(c->lw->tree, op, expr_cast(c->lw->tree, t, a), expr_cast(c->lw->tree, t, b));
}

static struct tree_expr *unsupported(struct context *c, const struct sym *s)
{
    diag_error(c->lw->diags, c->place, DIAG_SYMBOLIC_UNSUPPORTED, sym_text(c->lw->ir, s));
    return NULL;
}

/* As whoever walks the expression meets them. */
static void count_operations(const struct tree_expr *e, uint32_t *count)
{
    for (uint32_t i = 0; i < e->num_args && *count <= LARGEST_EXPRESSION; i++)
        count_operations(e->args[i], count);
    ++*count;
}

/* An operand that the result needs more than once; NULL with a diagnostic if it is too large for that. */
static struct tree_expr *shared(struct context *c, const struct sym *s)
{
    struct tree_expr *e = value(c, s);
    uint32_t count = 0;
    if (e)
        count_operations(e, &count);
    return count > LARGEST_EXPRESSION ? unsupported(c, s) : e;
}

/* base ** exponent for an integer exponent >= 0: repeated multiplication. */
static struct tree_expr *power(struct context *c, struct tree_expr *base, int64_t exponent)
{
    struct tree_expr *r = is_int(base) ? i64(c, 1) : expr_float(c->lw->tree, base->type, 1);
    for (int64_t i = 0; i < exponent && r; i++)
        r = binary(c, EXPR_MUL, r, base);
    return r;
}

enum { LARGEST_UNROLLED_POWER = 64 };

static struct tree_expr *float_power(struct context *c, const struct sym *base, const struct sym *exponent)
{
    const struct type *f64 = type_basic(c->lw->ir, TYPE_F64);
    struct tree_expr *b = value(c, base), *e = value(c, exponent);
    if (!b || !e)
        return NULL;
    struct tree_expr *args[] = { expr_cast(c->lw->tree, f64, b), expr_cast(c->lw->tree, f64, e) };
    if (exponent->op == SYM_RATIONAL && exponent->i == 1 && exponent->den == 2)
        return expr_math(c->lw->tree, TREE_MATH_sqrt, args);
    struct tree_expr *r = expr_math(c->lw->tree, TREE_MATH_pow, args);
    return is_int(b) && is_int(e) ? as_i64(c, expr_math(c->lw->tree, TREE_MATH_round, &r)) : r;
}

/* A product: numerator factors, denominator factors (negative powers), one rational coefficient. */
static struct tree_expr *product(struct context *c, const struct sym *s)
{
    struct tree_expr *num = i64(c, 1), *den = i64(c, 1);
    for (uint32_t i = 0; i < s->num_args; i++) {
        const struct sym *f = s->args[i];
        if (f->op == SYM_RATIONAL) {
            num = binary(c, EXPR_MUL, num, i64(c, f->i));
            den = binary(c, EXPR_MUL, den, i64(c, f->den));
        } else if (f->op == SYM_FLOAT && f->f != 0 && fabs(f->f) < 1 && 1 / f->f == rint(1 / f->f)) {
            den = binary(c, EXPR_MUL, den, i64(c, (int64_t)rint(1 / f->f)));
        } else if (f->op == SYM_POW && f->args[1]->op == SYM_INT && f->args[1]->i < 0 &&
                   f->args[1]->i >= -LARGEST_UNROLLED_POWER) {
            struct tree_expr *base = shared(c, f->args[0]);
            den = base ? binary(c, EXPR_MUL, den, power(c, base, -f->args[1]->i)) : NULL;
        } else {
            num = binary(c, EXPR_MUL, num, value(c, f));
        }
        if (!num || !den)
            return NULL;
    }
    if (expr_is_int(den, 1))
        return num;
    return binary(c, EXPR_DIV, num, den);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

static int64_t denominator_of(const struct sym *s)
{
    if (s->op == SYM_RATIONAL)
        return s->den;
    if (s->op == SYM_MUL && s->args[0]->op == SYM_RATIONAL)
        return s->args[0]->den;
    return 1;
}

/* Sum with fractions: total / common if that is exact, else every term divided on its own. */
static struct tree_expr *fraction_sum(struct context *c, const struct sym *s, int64_t common)
{
    struct tree *t = c->lw->tree;
    struct tree_expr *total = i64(c, 0), *termwise = i64(c, 0);
    for (uint32_t i = 0; i < s->num_args; i++) {
        struct tree_expr *scaled = value(c, sym_mul(c->lw->ir, sym_int(c->lw->ir, common), s->args[i]));
        total = binary(c, EXPR_ADD, total, scaled);
        termwise = binary(c, EXPR_ADD, termwise, value(c, s->args[i]));
        if (!total || !termwise)
            return NULL;
    }
    struct tree_expr *exact = expr_binary(t, EXPR_EQ, binary(c, EXPR_REM, total, i64(c, common)), i64(c, 0));
    return expr_select(t, exact, binary(c, EXPR_DIV, total, i64(c, common)), as_i64(c, termwise));
}

static struct tree_expr *sum(struct context *c, const struct sym *s)
{
    int64_t common = 1;
    for (uint32_t i = 0; i < s->num_args; i++) {
        int64_t d = denominator_of(s->args[i]);
        common = common / gcd(common, d) * d;
    }
    if (common > 1 && s->num_args > 1)
        return fraction_sum(c, s, common);
    struct tree_expr *r = NULL;
    for (uint32_t pass = 0; pass < 2;
         pass++) /* the constant (first in canonical order) is added last: i + 1, not 1 + i */
        for (uint32_t i = 0; i < s->num_args; i++) {
            if (sym_is_constant(s->args[i]) != (pass == 1))
                continue;
            struct tree_expr *term = value(c, s->args[i]);
            if (!term)
                return NULL;
            r = r ? binary(c, EXPR_ADD, r, term) : term;
        }
    return r;
}

static struct tree_expr *fold(struct context *c, const struct sym *s, enum expr_op op)
{
    struct tree_expr *r = value(c, s->args[0]);
    for (uint32_t i = 1; i < s->num_args && r; i++)
        r = binary(c, op, r, value(c, s->args[i]));
    return r;
}

static struct tree_expr *logic(struct context *c, const struct sym *s, enum expr_op op)
{
    struct tree *t = c->lw->tree;
    struct tree_expr *r = value(c, s->args[0]);
    if (!r)
        return NULL;
    r = expr_truth(t, r);
    for (uint32_t i = 1; i < s->num_args; i++) {
        struct tree_expr *e = value(c, s->args[i]);
        if (!e)
            return NULL;
        r = expr_binary(t, op, r, expr_truth(t, e));
    }
    return r;
}

static struct tree_expr *math_call(struct context *c, const struct sym *s)
{
    static const struct {
        const char *name;
        enum tree_math math;
        uint32_t arity;
    } known[] = {
#define MATH(name, arity) { #name, TREE_MATH_##name, arity },
        TREE_MATH_LIST(MATH)
#undef MATH
    };
    const struct type *f64 = type_basic(c->lw->ir, TYPE_F64);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, s->name) || known[i].arity != s->num_args)
            continue;
        struct tree_expr *args[3];
        for (uint32_t k = 0; k < s->num_args; k++) {
            args[k] = value(c, s->args[k]);
            if (!args[k])
                return NULL;
            args[k] = expr_cast(c->lw->tree, f64, args[k]);
        }
        return expr_math(c->lw->tree, known[i].math, args);
    }
    return unsupported(c, s);
}

static struct tree_expr *rounding(struct context *c, const struct sym *s, enum tree_math f)
{
    const struct sym *a = s->args[0];
    if (a->op == SYM_RATIONAL || denominator_of(a) > 1) { /* an exact quotient: round as integers */
        int64_t d = denominator_of(a);
        struct tree_expr *num = value(c, sym_mul(c->lw->ir, sym_int(c->lw->ir, d), a));
        if (num && f == TREE_MATH_ceil)
            num = binary(c, EXPR_ADD, num, i64(c, d - 1));
        return binary(c, EXPR_DIV, num, i64(c, d));
    }
    struct tree_expr *e = value(c, a);
    if (!e || is_int(e))
        return e;
    return as_i64(c, expr_math(c->lw->tree, f, &e));
}

static struct tree_expr *magnitude(struct context *c, const struct sym *s)
{
    struct tree_expr *e = shared(c, s->args[0]);
    if (!e)
        return NULL;
    return is_int(e) ? binary(c, EXPR_MAX, e, expr_unary(c->lw->tree, EXPR_NEG, as_i64(c, e)))
                     : expr_math(c->lw->tree, TREE_MATH_fabs, &e);
}

static struct tree_expr *name_value(struct context *c, const struct sym *s)
{
    struct tree_var *v = map_get(&c->lw->vars, s->name);
    if (!v)
        return unsupported(c, s);
    struct tree_expr *e = expr_var(c->lw->tree, v);
    return type_is_integer(v->type) ? as_i64(c, e) : e;
}

static struct tree_expr *select_value(struct context *c, const struct sym *s)
{
    struct tree_expr *cond = value(c, s->args[0]), *a = value(c, s->args[1]), *b = value(c, s->args[2]);
    if (!cond || !a || !b)
        return NULL;
    const struct type *t =
        is_int(a) && is_int(b) ? type_basic(c->lw->ir, TYPE_I64) : type_arithmetic(c->lw->ir, a->type, b->type);
    return expr_select(c->lw->tree, expr_truth(c->lw->tree, cond), expr_cast(c->lw->tree, t, a),
                       expr_cast(c->lw->tree, t, b));
}

static struct tree_expr *unary(struct context *c, const struct sym *s, enum expr_op op)
{
    struct tree_expr *e = value(c, s->args[0]);
    if (!e)
        return NULL;
    return expr_unary(c->lw->tree, op, op == EXPR_NOT ? expr_truth(c->lw->tree, e) : as_i64(c, e));
}

static struct tree_expr *power_value(struct context *c, const struct sym *s)
{
    const struct sym *e = s->args[1];
    if (e->op != SYM_INT || e->i > LARGEST_UNROLLED_POWER || e->i < -LARGEST_UNROLLED_POWER)
        return float_power(c, s->args[0], e);
    struct tree_expr *base = shared(c, s->args[0]);
    if (!base)
        return NULL;
    if (e->i >= 0)
        return power(c, base, e->i);
    return binary(c, EXPR_DIV, i64(c, 1), power(c, base, -e->i));
}

static struct tree_expr *ceil_div(struct context *c, const struct sym *s)
{
    struct tree_expr *a = value(c, s->args[0]), *b = shared(c, s->args[1]);
    if (!a || !b)
        return NULL;
    return binary(c, EXPR_DIV, binary(c, EXPR_SUB, binary(c, EXPR_ADD, a, b), i64(c, 1)), b);
}

static struct tree_expr *value(struct context *c, const struct sym *s)
{
    struct tree *t = c->lw->tree;
    const struct type *f64 = type_basic(c->lw->ir, TYPE_F64);
    if (c->steps++ >= LARGEST_EXPRESSION)
        return c->steps == LARGEST_EXPRESSION + 1 ? unsupported(c, s) : NULL; /* said once */
    switch (s->op) {
    case SYM_INT:
        return i64(c, s->i);
    case SYM_RATIONAL:
        return i64(c, s->i / s->den);
    case SYM_FLOAT:
        return expr_float(t, f64, s->f);
    case SYM_BOOL:
        return expr_bool(t, s->i != 0);
    case SYM_PI:
        return expr_float(t, f64, 3.14159265358979323846);
    case SYM_E:
        return expr_float(t, f64, 2.71828182845904523536);
    case SYM_INFINITY:
        return expr_float(t, f64, INFINITY);
    case SYM_NAN:
        return expr_float(t, f64, NAN);
    case SYM_I:
        return expr_complex(t, expr_float(t, f64, 0), expr_float(t, f64, 1));
    case SYM_NAME:
        return name_value(c, s);
    case SYM_ADD:
        return sum(c, s);
    case SYM_MUL:
        return product(c, s);
    case SYM_POW:
        return power_value(c, s);
    case SYM_MIN:
        return fold(c, s, EXPR_MIN);
    case SYM_MAX:
        return fold(c, s, EXPR_MAX);
    case SYM_AND:
        return logic(c, s, EXPR_LOGICAL_AND);
    case SYM_OR:
        return logic(c, s, EXPR_LOGICAL_OR);
    case SYM_NOT:
        return unary(c, s, EXPR_NOT);
    case SYM_FLOOR_DIV:
        return fold(c, s, EXPR_DIV);
    case SYM_CEIL_DIV:
        return ceil_div(c, s);
    case SYM_MOD:
        return fold(c, s, EXPR_REM);
    case SYM_FLOOR:
        return rounding(c, s, TREE_MATH_floor);
    case SYM_CEIL:
        return rounding(c, s, TREE_MATH_ceil);
    case SYM_ROUND:
        return rounding(c, s, TREE_MATH_round);
    case SYM_ABS:
        return magnitude(c, s);
    case SYM_LT:
        return fold(c, s, EXPR_LT);
    case SYM_LE:
        return fold(c, s, EXPR_LE);
    case SYM_EQ:
        return fold(c, s, EXPR_EQ);
    case SYM_NE:
        return fold(c, s, EXPR_NE);
    case SYM_BIT_AND:
        return fold(c, s, EXPR_AND);
    case SYM_BIT_OR:
        return fold(c, s, EXPR_OR);
    case SYM_BIT_XOR:
        return fold(c, s, EXPR_XOR);
    case SYM_SHL:
        return fold(c, s, EXPR_SHL);
    case SYM_SHR:
        return fold(c, s, EXPR_SHR);
    case SYM_BIT_NOT:
        return unary(c, s, EXPR_BITNOT);
    case SYM_SELECT:
        return select_value(c, s);
    case SYM_CAST: {
        struct tree_expr *e = value(c, s->args[0]);
        return e ? expr_cast(t, s->type, e) : NULL;
    }
    case SYM_CALL:
        return math_call(c, s);
    default:
        return unsupported(c, s);
    }
}

struct tree_expr *lower_value(struct lower *lw, const struct place *place, const struct sym *s)
{
    struct context c = { .lw = lw, .place = place };
    return shared(&c, s);
}

struct tree_expr *lower_index(struct lower *lw, const struct place *place, const struct sym *s)
{
    struct context c = { .lw = lw, .place = place };
    struct tree_expr *e = lower_value(lw, place, s);
    if (e && type_is_complex(e->type))
        return unsupported(&c, s);
    return as_i64(&c, e);
}
