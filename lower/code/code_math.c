/* Functions on real and complex numbers. */
#include "lower/code/code_gen.h"

#include <math.h>
#include <string.h>

struct code_math {
    const char *name;
    enum tree_math f;
    bool complex; /* also on complex numbers */
};

static const struct code_math math_table[] = {
    { "sqrt", TREE_MATH_sqrt, true },
    { "cbrt", TREE_MATH_cbrt, false },
    { "exp", TREE_MATH_exp, true },
    { "exp2", TREE_MATH_exp2, true },
    { "expm1", TREE_MATH_expm1, true },
    { "log", TREE_MATH_log, true },
    { "log2", TREE_MATH_log2, true },
    { "log10", TREE_MATH_log10, true },
    { "log1p", TREE_MATH_log1p, true },
    { "sin", TREE_MATH_sin, true },
    { "cos", TREE_MATH_cos, true },
    { "tan", TREE_MATH_tan, true },
    { "asin", TREE_MATH_asin, true },
    { "acos", TREE_MATH_acos, true },
    { "atan", TREE_MATH_atan, true },
    { "sinh", TREE_MATH_sinh, true },
    { "cosh", TREE_MATH_cosh, true },
    { "tanh", TREE_MATH_tanh, true },
    { "asinh", TREE_MATH_asinh, true },
    { "acosh", TREE_MATH_acosh, true },
    { "atanh", TREE_MATH_atanh, true },
    { "atan2", TREE_MATH_atan2, false },
    { "hypot", TREE_MATH_hypot, false },
    { "fabs", TREE_MATH_fabs, true },
    { "floor", TREE_MATH_floor, false },
    { "ceil", TREE_MATH_ceil, false },
    { "trunc", TREE_MATH_trunc, false },
    { "round", TREE_MATH_round, true },
    { "nearbyint", TREE_MATH_nearbyint, true },
    { "rint", TREE_MATH_nearbyint, true },
    { "fmod", TREE_MATH_fmod, false },
    { "copysign", TREE_MATH_copysign, false },
    { "erf", TREE_MATH_erf, false },
    { "erfc", TREE_MATH_erfc, false },
    { "tgamma", TREE_MATH_tgamma, false },
    { "lgamma", TREE_MATH_lgamma, false },
    { "fma", TREE_MATH_fma, false },
    { "isnan", TREE_MATH_isnan, true },
    { "isinf", TREE_MATH_isinf, true },
    { "isfinite", TREE_MATH_isfinite, true },
    { "signbit", TREE_MATH_signbit, false },
    { "ceiling", TREE_MATH_ceil, false },
};

const struct code_math *code_find_math(const char *name)
{
    for (size_t i = 0; i < sizeof math_table / sizeof *math_table; i++)
        if (strcmp(math_table[i].name, name) == 0)
            return &math_table[i];
    return NULL;
}

/* The type in which the C++ library computes: double if there is an integer, else the widest. NULL if there is none. */
static const struct type *library_type(struct code_gen *g, struct tree_expr **args, uint32_t count)
{
    const struct type *type = NULL;
    bool whole = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!type_is_basic(type_scalar(args[i]->type)))
            return NULL;
        const struct type *t = args[i]->type->kind == TYPE_VECTOR ? args[i]->type : type_promote(g->ir, args[i]->type);
        whole |= type_is_integer(t);
        type = type ? type_arithmetic(g->ir, type, t) : t;
        if (!type)
            return NULL;
    }
    if (type->kind == TYPE_VECTOR)
        return type_is_float(type->elem) || type_is_complex(type->elem) ? type : NULL;
    if (type_is_complex(type))
        return type;
    return whole ? code_basic(g, TYPE_F64) : type;
}

static struct tree_expr *math1(struct code_gen *g, enum tree_math f, struct tree_expr *x)
{
    return expr_math(g->t, f, &x);
}

/* Rounding goes by part; a complex number is infinite or no number if one part is, and finite if both are. */
static struct tree_expr *by_parts(struct code_gen *g, enum tree_math f, struct tree_expr *x)
{
    x = code_once(g, x);
    struct tree_expr *re = math1(g, f, expr_unary(g->t, EXPR_REAL, x));
    struct tree_expr *im = math1(g, f, expr_unary(g->t, EXPR_IMAG, x));
    if (re->type->kind != TYPE_BOOL)
        return expr_complex(g->t, re, im);
    return expr_binary(g->t, f == TREE_MATH_isfinite ? EXPR_LOGICAL_AND : EXPR_LOGICAL_OR, re, im);
}

static bool goes_by_parts(enum tree_math f)
{
    return f == TREE_MATH_round || f == TREE_MATH_nearbyint || f == TREE_MATH_isnan || f == TREE_MATH_isinf ||
           f == TREE_MATH_isfinite;
}

static bool classifies(enum tree_math f)
{
    return f == TREE_MATH_isnan || f == TREE_MATH_isinf || f == TREE_MATH_isfinite || f == TREE_MATH_signbit;
}

/* Lane masks, as comparisons of vectors are. */
static struct tree_expr *classify_lanes(struct code_gen *g, enum tree_math f, struct tree_expr *x)
{
    x = code_once(g, code_promote(g, x));
    const struct type *t = x->type;
    if (f == TREE_MATH_isnan)
        return expr_binary(g->t, EXPR_NE, x, x);
    if (f == TREE_MATH_signbit) {
        const struct type *lane = code_basic(g, t->elem->kind == TYPE_F64 ? TYPE_I64 : TYPE_I32);
        const struct type *bits = type_vector(g->ir, lane, t->lanes, NULL);
        return expr_binary(g->t, EXPR_LT, expr_bits(g->t, bits, x), expr_zero(g->t, bits));
    }
    struct tree_expr *size = math1(g, TREE_MATH_fabs, x);
    return expr_binary(g->t, f == TREE_MATH_isinf ? EXPR_EQ : EXPR_LT, size, code_constant(g, size->type, INFINITY));
}

/* DaCe computes these of complex numbers through exp and log. */
static struct tree_expr *complex_formula(struct code_gen *g, enum tree_math f, struct tree_expr *x)
{
    const double ln2 = 0.693147180559945309417;
    struct tree_expr *one = code_constant(g, x->type, 1), *factor = code_constant(g, x->type, ln2);
    switch (f) {
    case TREE_MATH_exp2:
        return math1(g, TREE_MATH_exp, expr_binary(g->t, EXPR_MUL, x, factor));
    case TREE_MATH_log2:
        return expr_binary(g->t, EXPR_DIV, math1(g, TREE_MATH_log, x), factor);
    case TREE_MATH_expm1:
        return expr_binary(g->t, EXPR_SUB, math1(g, TREE_MATH_exp, x), one);
    case TREE_MATH_log1p:
        return math1(g, TREE_MATH_log, expr_binary(g->t, EXPR_ADD, x, one));
    default:
        return goes_by_parts(f) ? by_parts(g, f, x) : math1(g, f, x);
    }
}

struct tree_expr *code_math(struct code_gen *g, const struct code *c, const struct code_math *f,
                            struct tree_expr **args, uint32_t count, bool same)
{
    uint32_t arity = tree_math_arity(f->f);
    if (count != arity)
        return code_invalid(g, c, "'%s' takes %u arguments, not %u", f->name, arity, count);
    const struct type *first = args[0]->type, *type = library_type(g, args, count);
    bool complex = type && type_is_complex(type_scalar(type));
    if (!type || (complex && !f->complex))
        return code_invalid(g, c, "'%s' of a value of type %s", f->name, code_type_text(g, first));
    struct tree_expr *values[3];
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] = code_to(g, c, type, args[i])))
            return NULL;
    if (type->kind == TYPE_VECTOR && classifies(f->f))
        return classify_lanes(g, f->f, values[0]);
    struct tree_expr *e = complex && count == 1 ? complex_formula(g, f->f, values[0]) : expr_math(g->t, f->f, values);
    return same && e->type->kind != TYPE_BOOL && !(complex && !type_is_complex(type_scalar(e->type)))
               ? code_to(g, c, first, e)
               : e;
}

/* ---- functions that are no single operation; all have checked numbers of arguments ---- */

static struct tree_expr *binary(struct code_gen *g, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(g->t, op, a, b);
}

static bool is_basic(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!type_is_basic(args[i]->type))
            return code_invalid(g, c, "this function of a value of type %s", code_type_text(g, args[i]->type));
    return true;
}

static struct tree_expr *f_abs(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    const struct type *type = type_scalar(args[0]->type);
    (void)count;
    if (!type_is_basic(type))
        return code_invalid(g, c, "'abs' of a value of type %s", code_type_text(g, args[0]->type));
    struct tree_expr *x = code_promote(g, args[0]);
    return type_is_unsigned(type_scalar(x->type)) ? x : math1(g, TREE_MATH_fabs, x);
}

static struct tree_expr *extremum(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count,
                                  enum expr_op op)
{
    struct tree_expr *result = args[count - 1]; /* min(a, b, c) is min(a, min(b, c)) */
    for (uint32_t i = count - 1; i > 0; i--) {
        struct tree_expr *a = args[i - 1];
        bool same = a->type == result->type && type_promote(g->ir, a->type)->kind != TYPE_F32;
        if (!same && !code_common(g, c, &a, &result))
            return NULL;
        if (!type_is_basic(type_scalar(a->type)) || type_is_complex(type_scalar(a->type)))
            return code_invalid(g, c, "values of type %s have no order", code_type_text(g, a->type));
        result = binary(g, op, a, result);
    }
    return result;
}

static struct tree_expr *f_min(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    return extremum(g, c, args, count, EXPR_MIN);
}

static struct tree_expr *f_max(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    return extremum(g, c, args, count, EXPR_MAX);
}

/* Min and Max convert to the type of the first argument. */
static struct tree_expr *f_Min(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *e = extremum(g, c, args, count, EXPR_MIN);
    return e ? code_to(g, c, args[0]->type, e) : NULL;
}

static struct tree_expr *f_Max(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *e = extremum(g, c, args, count, EXPR_MAX);
    return e ? code_to(g, c, args[0]->type, e) : NULL;
}

/* fmin and fmax of C: a number wins over what is none. */
static struct tree_expr *number_extremum(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                         enum expr_op op)
{
    const struct type *type = library_type(g, args, 2);
    if (!type || !type_is_float(type))
        return code_invalid(g, c, "this function of values of type %s", code_type_text(g, args[0]->type));
    struct tree_expr *a = code_once(g, code_to(g, c, type, args[0])), *b = code_once(g, code_to(g, c, type, args[1]));
    struct tree_expr *first = binary(g, EXPR_LOGICAL_OR, binary(g, op, a, b), math1(g, TREE_MATH_isnan, b));
    return expr_select(g->t, first, a, b);
}

static struct tree_expr *f_fmin(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return number_extremum(g, c, args, EXPR_LT);
}

static struct tree_expr *f_fmax(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return number_extremum(g, c, args, EXPR_GT);
}

static struct tree_expr *f_pow(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return code_pow(g, c, args[0], args[1]);
}

static struct tree_expr *f_np_float_pow(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                        uint32_t count)
{
    (void)count;
    const struct type *f64 = code_basic(g, TYPE_F64);
    struct tree_expr *both[2] = { code_to(g, c, f64, args[0]), code_to(g, c, f64, args[1]) };
    return both[0] && both[1] ? expr_math(g->t, TREE_MATH_pow, both) : NULL;
}

static struct tree_expr *f_ipow(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    const struct tree_expr *k = args[1];
    if (!is_basic(g, c, args, 1) || k->op != EXPR_INT || k->i < 0)
        return code_pow(g, c, args[0], args[1]);
    if (k->i == 0)
        return code_constant(g, args[0]->type, 1);
    return code_to(g, c, args[0]->type, code_ipow(g, code_promote(g, args[0]), (uint64_t)k->i));
}

static struct tree_expr *f_ifloor(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    struct tree_expr *x = code_promote(g, args[0]);
    if (type_is_integer(x->type))
        return x;
    return type_is_float(x->type) ? code_floor_int(g, x)
                                  : code_invalid(g, c, "'ifloor' of a value of type %s", code_type_text(g, x->type));
}

static struct tree_expr *f_iround(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *x = code_math(g, c, code_find_math("round"), args, count, false);
    return x ? code_to(g, c, code_basic(g, TYPE_I32), x) : NULL;
}

static struct tree_expr *f_ROUND(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    return code_math(g, c, code_find_math("round"), args, count, true);
}

/* -1, 0 or 1 in the type of `x`; 0 for what is not a number. */
static struct tree_expr *sign_of(struct code_gen *g, struct tree_expr *x, const struct type *type)
{
    struct tree_expr *zero = expr_zero(g->t, x->type);
    struct tree_expr *minus = code_constant(g, type, type_is_unsigned(type) ? 0 : -1);
    struct tree_expr *rest = expr_select(g->t, binary(g, EXPR_LT, x, zero), minus, expr_zero(g->t, type));
    return expr_select(g->t, binary(g, EXPR_GT, x, zero), code_constant(g, type, 1), rest);
}

static struct tree_expr *f_sgn(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    if (!is_basic(g, c, args, count) || type_is_complex(args[0]->type))
        return code_invalid(g, c, "'sgn' of a value of type %s", code_type_text(g, args[0]->type));
    return sign_of(g, code_once(g, code_promote(g, args[0])), code_basic(g, TYPE_I32));
}

/* Of complex numbers: the sign of the real part, or that of the imaginary part if the real one is 0. */
static struct tree_expr *f_sign(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    if (!is_basic(g, c, args, count))
        return NULL;
    const struct type *type = args[0]->type;
    struct tree_expr *x = code_once(g, code_promote(g, args[0]));
    if (!type_is_complex(type))
        return code_to(g, c, type, sign_of(g, x, x->type));
    struct tree_expr *re = expr_unary(g->t, EXPR_REAL, x), *im = expr_unary(g->t, EXPR_IMAG, x);
    struct tree_expr *none = binary(g, EXPR_EQ, re, expr_zero(g->t, re->type));
    struct tree_expr *sign = expr_select(g->t, none, sign_of(g, im, im->type), sign_of(g, re, re->type));
    return expr_complex(g->t, sign, expr_zero(g->t, re->type));
}

/* NumPy 2: x / |x|. DaCe gives 0 when one part is 0. */
static struct tree_expr *f_sign_numpy_2(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                        uint32_t count)
{
    if (!is_basic(g, c, args, count) || !type_is_complex(args[0]->type))
        return f_sign(g, c, args, count);
    struct tree_expr *x = code_once(g, args[0]);
    struct tree_expr *re = expr_unary(g->t, EXPR_REAL, x), *im = expr_unary(g->t, EXPR_IMAG, x);
    struct tree_expr *zero = expr_zero(g->t, re->type);
    struct tree_expr *both = binary(g, EXPR_LOGICAL_AND, binary(g, EXPR_NE, re, zero), binary(g, EXPR_NE, im, zero));
    struct tree_expr *size = expr_cast(g->t, x->type, math1(g, TREE_MATH_fabs, x));
    return expr_select(g->t, both, binary(g, EXPR_DIV, x, size), expr_zero(g->t, x->type));
}

static struct tree_expr *f_heaviside(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    if (!is_basic(g, c, args, count) || type_is_complex(args[0]->type))
        return code_invalid(g, c, "'heaviside' of a value of type %s", code_type_text(g, args[0]->type));
    const struct type *type = args[0]->type;
    struct tree_expr *x = code_once(g, code_promote(g, args[0])), *zero = expr_zero(g->t, x->type);
    struct tree_expr *at_zero = count > 1 ? code_to(g, c, x->type, args[1]) : zero;
    if (!at_zero)
        return NULL;
    struct tree_expr *rest = expr_select(g->t, binary(g, EXPR_GT, x, zero), code_constant(g, x->type, 1), at_zero);
    return code_to(g, c, type, expr_select(g->t, binary(g, EXPR_LT, x, zero), zero, rest));
}

static struct tree_expr *f_reciprocal(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    return is_basic(g, c, args, count) ? code_reciprocal(g, c, args[0]) : NULL;
}

static struct tree_expr *f_conj(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    if (type_is_complex(type_scalar(args[0]->type)))
        return math1(g, TREE_MATH_conj, args[0]);
    return is_basic(g, c, args, count) ? args[0] : NULL;
}

static struct tree_expr *part(struct code_gen *g, const struct code *c, struct tree_expr **args, enum expr_op op)
{
    if (type_is_complex(type_scalar(args[0]->type)))
        return expr_unary(g->t, op, args[0]);
    if (!is_basic(g, c, args, 1))
        return NULL;
    return op == EXPR_REAL ? args[0] : expr_zero(g->t, args[0]->type);
}

static struct tree_expr *f_real(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return part(g, c, args, EXPR_REAL);
}

static struct tree_expr *f_imag(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return part(g, c, args, EXPR_IMAG);
}

static struct tree_expr *scaled(struct code_gen *g, const struct code *c, struct tree_expr **args, double by,
                                double over)
{
    const struct type *type = library_type(g, args, 1);
    struct tree_expr *x = type ? code_to(g, c, type, args[0]) : NULL;
    if (!x)
        return code_invalid(g, c, "an angle of type %s", code_type_text(g, args[0]->type));
    x = binary(g, EXPR_MUL, x, code_constant(g, type, by));
    return binary(g, EXPR_DIV, x, code_constant(g, type, over));
}

static struct tree_expr *f_deg2rad(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return scaled(g, c, args, 3.14159265358979323846, 180);
}

static struct tree_expr *f_rad2deg(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return scaled(g, c, args, 180, 3.14159265358979323846);
}

/* Functions of the C library without an operation of their own. Without overloads, they are those of double. */
static struct tree_expr *library_call(struct code_gen *g, const struct code *c, const char *name,
                                      struct tree_expr **args, uint32_t count, bool integer_second)
{
    const struct type *f64 = code_basic(g, TYPE_F64);
    struct tree_expr *values[2];
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] = code_to(g, c, i && integer_second ? code_basic(g, TYPE_I32) : f64, args[i])))
            return NULL;
    return expr_call(g->t, f64, intern(g->ir->names, name), values, count);
}

#define LIBRARY(name, integer_second)                                                                                  \
    static struct tree_expr *f_##name(struct code_gen *g, const struct code *c, struct tree_expr **args,               \
                                      uint32_t count)                                                                  \
    {                                                                                                                  \
        return library_call(g, c, #name, args, count, integer_second);                                                 \
    }
LIBRARY(nextafter, false)
LIBRARY(remainder, false)
LIBRARY(fdim, false)
LIBRARY(logb, false)
LIBRARY(ldexp, true)
LIBRARY(scalbn, true)
#undef LIBRARY

static const struct {
    const char *name;
    uint32_t least, most;
    code_function *run;
} functions[] = {
    { "abs", 1, 1, f_abs },
    { "Abs", 1, 1, f_abs },
    { "min", 1, 64, f_min },
    { "max", 1, 64, f_max },
    { "Min", 1, 64, f_Min },
    { "Max", 1, 64, f_Max },
    { "fmin", 2, 2, f_fmin },
    { "fmax", 2, 2, f_fmax },
    { "pow", 2, 2, f_pow },
    { "np_float_pow", 2, 2, f_np_float_pow },
    { "ipow", 2, 2, f_ipow },
    { "ifloor", 1, 1, f_ifloor },
    { "iround", 1, 1, f_iround },
    { "ROUND", 1, 1, f_ROUND },
    { "sgn", 1, 1, f_sgn },
    { "sign", 1, 1, f_sign },
    { "sign_numpy_2", 1, 1, f_sign_numpy_2 },
    { "heaviside", 1, 2, f_heaviside },
    { "reciprocal", 1, 1, f_reciprocal },
    { "conj", 1, 1, f_conj },
    { "real", 1, 1, f_real },
    { "imag", 1, 1, f_imag },
    { "deg2rad", 1, 1, f_deg2rad },
    { "rad2deg", 1, 1, f_rad2deg },
    { "radians", 1, 1, f_deg2rad },
    { "degrees", 1, 1, f_rad2deg },
    { "nextafter", 2, 2, f_nextafter },
    { "remainder", 2, 2, f_remainder },
    { "fdim", 2, 2, f_fdim },
    { "logb", 1, 1, f_logb },
    { "ldexp", 2, 2, f_ldexp },
    { "scalbn", 2, 2, f_scalbn },
};

code_function *code_find_function(const char *name, uint32_t *least, uint32_t *most)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) {
            *least = functions[i].least;
            *most = functions[i].most;
            return functions[i].run;
        }
    return code_find_integer(name, least, most);
}
