/* Values of symbolic expressions: exact rationals; reals only where the expression has them. */
#include "ir/sym/sym_internal.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, EULER = 2.71828182845904523536;

struct evaluation {
    sym_value_of *integers; /* one of the two */
    sym_number_of *reals;
    void *user;
    const char *unknown;
    bool termwise; /* quotients inside sums are cut to integers, as in generated code (format.md 5.5) */
};

typedef enum sym_eval_status status;

static status evaluate(struct evaluation *e, const struct sym *a, struct number *out);

static status name_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    bool known;
    if (e->reals) {
        *out = number_real(0);
        known = e->reals(e->user, a->name, &out->f);
    } else {
        *out = number_int(0);
        known = e->integers(e->user, a->name, &out->num);
    }
    if (!known)
        e->unknown = a->name;
    return known ? SYM_EVAL_OK : SYM_EVAL_UNKNOWN_NAME;
}

static status constant_value(const struct sym *a, struct number *out)
{
    switch (a->op) {
    case SYM_BOOL:
        *out = number_int(a->i);
        return SYM_EVAL_OK;
    case SYM_PI:
        *out = number_real(PI);
        return SYM_EVAL_OK;
    case SYM_E:
        *out = number_real(EULER);
        return SYM_EVAL_OK;
    case SYM_INT:
    case SYM_RATIONAL:
    case SYM_FLOAT:
        *out = number_of(a);
        return SYM_EVAL_OK;
    default:
        return SYM_EVAL_NOT_INTEGER;
    }
}

static status checked(bool fits) { return fits ? SYM_EVAL_OK : SYM_EVAL_OVERFLOW; }

/* ---- sums and products ---- */

static status sum_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    *out = number_int(0);
    for (uint32_t i = 0; i < a->num_args; i++) {
        struct number term;
        status s = evaluate(e, a->args[i], &term);
        if (!s && e->termwise)
            s = checked(number_trunc(term, &term));
        if (!s)
            s = checked(number_add(*out, term, out));
        if (s)
            return s;
    }
    return SYM_EVAL_OK;
}

static status product_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    *out = number_int(1);
    for (uint32_t i = 0; i < a->num_args; i++) {
        struct number factor;
        status s = evaluate(e, a->args[i], &factor);
        if (!s)
            s = checked(number_mul(*out, factor, out));
        if (s)
            return s;
    }
    return SYM_EVAL_OK;
}

static status power_value(struct number base, struct number exponent, struct number *out)
{
    if (number_sign(base) == 0 && number_sign(exponent) < 0)
        return SYM_EVAL_DIVIDE_BY_ZERO;
    if (number_pow(base, exponent, out))
        return SYM_EVAL_OK;
    if (!base.real && !exponent.real && exponent.den == 1)
        return SYM_EVAL_OVERFLOW;
    double f = pow(number_double(base), number_double(exponent));
    *out = number_real(f);
    return isfinite(f) ? SYM_EVAL_OK : SYM_EVAL_NOT_INTEGER;
}

/* ---- operations on two numbers ---- */

static status quotient_value(enum sym_op op, struct number a, struct number b, struct number *out)
{
    struct number q;
    if (number_sign(b) == 0)
        return SYM_EVAL_DIVIDE_BY_ZERO;
    if (!number_div(a, b, &q) || !(op == SYM_CEIL_DIV ? number_ceil : number_floor)(q, &q))
        return SYM_EVAL_OVERFLOW;
    *out = q;
    if (op != SYM_MOD)
        return SYM_EVAL_OK;
    return checked(number_mul(q, b, &q) && number_mul(q, number_int(-1), &q) && number_add(a, q, out));
}

static status bits_value(enum sym_op op, struct number a, struct number b, struct number *out)
{
    if (!number_is_int(a) || !number_is_int(b))
        return SYM_EVAL_NOT_INTEGER;
    int64_t x = a.real ? (int64_t)a.f : a.num, y = b.real ? (int64_t)b.f : b.num, r = 0;
    switch (op) {
    case SYM_BIT_AND:
        r = x & y;
        break;
    case SYM_BIT_OR:
        r = x | y;
        break;
    case SYM_BIT_XOR:
        r = x ^ y;
        break;
    case SYM_SHR:
        if (y < 0)
            return SYM_EVAL_OVERFLOW;
        r = y > 63 ? (x < 0 ? -1 : 0) : x >> y;
        break;
    default:
        if (y < 0 || y > 62 || __builtin_mul_overflow(x, (int64_t)1 << y, &r))
            return SYM_EVAL_OVERFLOW;
        break;
    }
    *out = number_int(r);
    return SYM_EVAL_OK;
}

static status binary_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    struct number x, y;
    status s = evaluate(e, a->args[0], &x);
    if (!s)
        s = evaluate(e, a->args[1], &y);
    if (s)
        return s;
    switch (a->op) {
    case SYM_POW:
        return power_value(x, y, out);
    case SYM_FLOOR_DIV:
    case SYM_CEIL_DIV:
    case SYM_MOD:
        return quotient_value(a->op, x, y, out);
    case SYM_LT:
        *out = number_int(number_compare(x, y) < 0);
        return SYM_EVAL_OK;
    case SYM_LE:
        *out = number_int(number_compare(x, y) <= 0);
        return SYM_EVAL_OK;
    case SYM_EQ:
        *out = number_int(number_compare(x, y) == 0);
        return SYM_EVAL_OK;
    case SYM_NE:
        *out = number_int(number_compare(x, y) != 0);
        return SYM_EVAL_OK;
    default:
        return bits_value(a->op, x, y, out);
    }
}

/* ---- the rest ---- */

static status extreme_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    for (uint32_t i = 0; i < a->num_args; i++) {
        struct number x;
        status s = evaluate(e, a->args[i], &x);
        if (s)
            return s;
        int order = i ? number_compare(x, *out) : 0;
        if (!i || (a->op == SYM_MIN ? order < 0 : order > 0))
            *out = x;
    }
    return SYM_EVAL_OK;
}

static status logic_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    for (uint32_t i = 0; i < a->num_args; i++) {
        struct number x;
        status s = evaluate(e, a->args[i], &x);
        if (s)
            return s;
        *out = number_int(number_sign(x) != 0);
        if (out->num == (a->op == SYM_OR))
            break;
    }
    return SYM_EVAL_OK;
}

static status cast_value(const struct type *type, struct number x, struct number *out)
{
    if (type->kind == TYPE_BOOL)
        x = number_int(number_sign(x) != 0);
    else if (type_is_float(type))
        x = number_real(type->kind == TYPE_F32 ? (double)(float)number_double(x) : number_double(x));
    else if (!type_is_integer(type) || !number_trunc(x, &x))
        return SYM_EVAL_NOT_INTEGER;
    else if (!number_is_int(x) || !sym_fits(x.real ? (int64_t)x.f : x.num, type))
        return SYM_EVAL_OVERFLOW;
    else
        x = x.real ? number_int((int64_t)x.f) : x;
    *out = x;
    return SYM_EVAL_OK;
}

static status unary_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    struct number x;
    status s = evaluate(e, a->args[0], &x);
    if (s)
        return s;
    switch (a->op) {
    case SYM_FLOOR:
        return checked(number_floor(x, out));
    case SYM_CEIL:
        return checked(number_ceil(x, out));
    case SYM_ROUND:
        return checked(number_round(x, out));
    case SYM_ABS:
        *out = x;
        return number_sign(x) < 0 ? checked(number_mul(x, number_int(-1), out)) : SYM_EVAL_OK;
    case SYM_NOT:
        *out = number_int(number_sign(x) == 0);
        return SYM_EVAL_OK;
    case SYM_CAST:
        return cast_value(a->type, x, out);
    default:
        if (!number_is_int(x))
            return SYM_EVAL_NOT_INTEGER;
        *out = number_int(~(x.real ? (int64_t)x.f : x.num));
        return SYM_EVAL_OK;
    }
}

static status call_value(struct evaluation *e, const struct sym *a, struct number *out)
{
    static const struct {
        const char *name;
        double (*function)(double);
    } known[] = {
        { "exp", exp },   { "log", log },   { "sin", sin },   { "cos", cos },   { "tan", tan },   { "asin", asin },
        { "acos", acos }, { "atan", atan }, { "sinh", sinh }, { "cosh", cosh }, { "tanh", tanh },
    };
    for (size_t i = 0; a->num_args == 1 && i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, a->name))
            continue;
        struct number x;
        status s = evaluate(e, a->args[0], &x);
        if (s)
            return s;
        *out = number_real(known[i].function(number_double(x)));
        return isfinite(out->f) ? SYM_EVAL_OK : SYM_EVAL_NOT_INTEGER;
    }
    e->unknown = a->name;
    return SYM_EVAL_UNKNOWN_NAME;
}

static status evaluate(struct evaluation *e, const struct sym *a, struct number *out)
{
    switch (a->op) {
    case SYM_NAME:
        return name_value(e, a, out);
    case SYM_ADD:
        return sum_value(e, a, out);
    case SYM_MUL:
        return product_value(e, a, out);
    case SYM_MIN:
    case SYM_MAX:
        return extreme_value(e, a, out);
    case SYM_AND:
    case SYM_OR:
        return logic_value(e, a, out);
    case SYM_SELECT: {
        status s = evaluate(e, a->args[0], out);
        return s ? s : evaluate(e, a->args[number_sign(*out) ? 1 : 2], out);
    }
    case SYM_SUBSCRIPT:
    case SYM_ATTR:
        e->unknown = a->name;
        return SYM_EVAL_UNKNOWN_NAME;
    case SYM_CALL:
        return call_value(e, a, out);
    default:
        break;
    }
    return a->num_args == 2 ? binary_value(e, a, out) : a->num_args ? unary_value(e, a, out) : constant_value(a, out);
}

enum sym_eval_status sym_eval(const struct sym *a, sym_value_of *lookup, void *user, int64_t *out, const char **unknown)
{
    struct evaluation e = { .integers = lookup, .user = user };
    struct number n;
    status s = evaluate(&e, a, &n);
    if (!s && !number_is_int(n)) {
        e.termwise = true;
        s = evaluate(&e, a, &n);
        if (!s)
            s = checked(number_trunc(n, &n));
    }
    if (unknown)
        *unknown = e.unknown;
    if (!s && !number_is_int(n))
        return SYM_EVAL_OVERFLOW; /* a real beyond 2**53 */
    if (!s)
        *out = n.real ? (int64_t)n.f : n.num;
    return s;
}

enum sym_eval_status sym_eval_float(const struct sym *a, sym_number_of *lookup, void *user, double *out)
{
    struct evaluation e = { .reals = lookup, .user = user };
    struct number n;
    status s = evaluate(&e, a, &n);
    if (!s)
        *out = number_double(n);
    return s;
}
