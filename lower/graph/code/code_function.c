/* Functions by name that are no single operation of the tree; all have checked numbers of arguments. */
#include "lower/graph/code/code_gen.h"

#include <math.h>
#include <string.h>

static struct tree_expr *math1(struct code_gen *g, enum tree_math f, struct tree_expr *x)
{
    return expr_math(g->t, f, &x);
}

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
    const struct type *type = code_library_type(g, args, 2);
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
    const struct type *type = code_library_type(g, args, 1);
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
/* Of single precision, for text that means it. */
static struct tree_expr *f_nextafterf(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    const struct type *f32 = code_basic(g, TYPE_F32);
    struct tree_expr *values[2] = { code_to(g, c, f32, args[0]), code_to(g, c, f32, args[1]) };
    return values[0] && values[1] ? expr_call(g->t, f32, intern(g->ir->names, "nextafterf"), values, count) : NULL;
}
LIBRARY(remainder, false)
LIBRARY(fdim, false)
LIBRARY(logb, false)
LIBRARY(ldexp, true)
LIBRARY(scalbn, true)
#undef LIBRARY

const struct code_function_row code_functions[] = {
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
    { "dace_conj", 1, 1, f_conj },
    { "real", 1, 1, f_real },
    { "imag", 1, 1, f_imag },
    { "deg2rad", 1, 1, f_deg2rad },
    { "rad2deg", 1, 1, f_rad2deg },
    { "radians", 1, 1, f_deg2rad },
    { "degrees", 1, 1, f_rad2deg },
    { "nextafter", 2, 2, f_nextafter },
    { "nextafterf", 2, 2, f_nextafterf },
    { "remainder", 2, 2, f_remainder },
    { "fdim", 2, 2, f_fdim },
    { "logb", 1, 1, f_logb },
    { "ldexp", 2, 2, f_ldexp },
    { "scalbn", 2, 2, f_scalbn },
    { NULL, 0, 0, NULL },
};

static const struct code_function_row *find_row(const struct code_function_row *rows, const char *name)
{
    while (rows->name && strcmp(rows->name, name) != 0)
        rows++;
    return rows->name ? rows : NULL;
}

const struct code_function_row *code_find_function(const char *name)
{
    const struct code_function_row *row = find_row(code_functions, name);
    if (!row)
        row = find_row(code_integer_functions, name);
    return row ? row : find_row(code_bits_functions, name);
}
