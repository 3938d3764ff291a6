/* Functions on real and complex numbers that are one operation of the tree, or nearly. */
#include "lower/graph/code/code_gen.h"

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

const struct type *code_library_type(struct code_gen *g, struct tree_expr **args, uint32_t count)
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
    const struct type *first = args[0]->type, *type = code_library_type(g, args, count);
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
