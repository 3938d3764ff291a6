/* Functions on integers (some on floats too): divisions, remainders, bits, comparisons by name. */
#include "lower/graph/code/code_gen.h"

static struct tree_expr *binary(struct code_gen *g, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(g->t, op, a, b);
}

/* Both in their common type, which must not be complex, and usable several times. */
static bool pair(struct code_gen *g, const struct code *c, struct tree_expr **args, struct tree_expr **a,
                 struct tree_expr **b)
{
    *a = args[0];
    *b = args[1];
    if (!code_common(g, c, a, b))
        return false;
    if (!type_is_basic((*a)->type))
        return code_invalid(g, c, "this function of values of type %s", code_type_text(g, (*a)->type));
    *a = code_once(g, *a);
    *b = code_once(g, *b);
    return true;
}

static bool integers(struct code_gen *g, const struct code *c, struct tree_expr **args, struct tree_expr **a,
                     struct tree_expr **b)
{
    if (!pair(g, c, args, a, b))
        return false;
    if (!type_is_integer((*a)->type))
        return code_invalid(g, c, "this function needs integers, not %s", code_type_text(g, (*a)->type));
    return true;
}

static struct tree_expr *like_first(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                    struct tree_expr *e)
{
    return e ? code_to(g, c, args[0]->type, e) : NULL;
}

/* ---- division ---- */

/* Rounds towards minus infinity. `a` and `b` have one type and may be used several times. */
struct tree_expr *code_floor_divide(struct code_gen *g, const struct code *c, struct tree_expr *a, struct tree_expr *b)
{
    struct tree_expr *quotient = binary(g, EXPR_DIV, a, b);
    if (type_is_unsigned(a->type))
        return quotient;
    if (type_is_integer(a->type)) {
        struct tree_expr *zero = expr_zero(g->t, a->type);
        struct tree_expr *rest = binary(g, EXPR_NE, binary(g, EXPR_REM, a, b), zero);
        struct tree_expr *signs = binary(g, EXPR_NE, binary(g, EXPR_LT, a, zero), binary(g, EXPR_LT, b, zero));
        return binary(g, EXPR_SUB, quotient, expr_cast(g->t, a->type, binary(g, EXPR_LOGICAL_AND, rest, signs)));
    }
    if (type_is_float(a->type))
        return expr_math(g->t, TREE_MATH_floor, &quotient);
    if (!type_is_complex(a->type))
        return code_invalid(g, c, "division of values of type %s", code_type_text(g, a->type));
    struct tree_expr *re = expr_unary(g->t, EXPR_REAL, quotient);
    return expr_complex(g->t, expr_math(g->t, TREE_MATH_floor, &re), expr_zero(g->t, re->type));
}

static struct tree_expr *f_py_floor(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *a, *b;
    (void)count;
    return pair(g, c, args, &a, &b) ? code_floor_divide(g, c, a, b) : NULL;
}

static struct tree_expr *f_py_mod(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *a, *b;
    (void)count;
    struct tree_expr *q = pair(g, c, args, &a, &b) ? code_floor_divide(g, c, a, b) : NULL;
    return q ? binary(g, EXPR_SUB, a, binary(g, EXPR_MUL, q, b)) : NULL;
}

static struct tree_expr *f_cpp_mod(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *a, *b;
    (void)count;
    if (!pair(g, c, args, &a, &b))
        return NULL;
    return type_is_complex(a->type) ? code_invalid(g, c, "remainder of complex numbers") : binary(g, EXPR_REM, a, b);
}

static struct tree_expr *f_Mod(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    return g->ir->floored_mod ? f_py_mod(g, c, args, count) : code_binary(g, c, CODE_MOD, args[0], args[1]);
}

/* a - cut(a / b) * b with the quotient cut in one of three ways. */
enum cut { CUT_TRUNCATE, CUT_FLOOR, CUT_FLOOR_SINGLE };

static struct tree_expr *modulo(struct code_gen *g, const struct code *c, struct tree_expr **args, enum cut cut)
{
    struct tree_expr *a, *b;
    if (!pair(g, c, args, &a, &b))
        return NULL;
    if (type_is_complex(a->type))
        return code_invalid(g, c, "remainder of complex numbers");
    struct tree_expr *x = a, *y = b;
    const struct type *single = code_basic(g, TYPE_F32);
    if (cut == CUT_FLOOR_SINGLE) { /* float(a) / b in C: 32 bits, unless b is double */
        x = code_to(g, c, single, a);
        y = args[1];
        if (!code_common(g, c, &x, &y))
            return NULL;
    }
    struct tree_expr *q = binary(g, EXPR_DIV, x, y);
    if (type_is_float(q->type))
        q = expr_math(g->t, cut == CUT_TRUNCATE ? TREE_MATH_trunc : TREE_MATH_floor, &q);
    if (!code_common(g, c, &q, &b))
        return NULL;
    struct tree_expr *product = binary(g, EXPR_MUL, q, b);
    return code_common(g, c, &a, &product) ? binary(g, EXPR_SUB, a, product) : NULL;
}

static struct tree_expr *f_Mod_float(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return modulo(g, c, args, CUT_TRUNCATE);
}

static struct tree_expr *f_Modulo(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return modulo(g, c, args, CUT_FLOOR_SINGLE);
}

static struct tree_expr *f_Modulo_float(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                        uint32_t count)
{
    (void)count;
    return modulo(g, c, args, CUT_FLOOR);
}

static struct tree_expr *f_int_floor(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return like_first(g, c, args, code_binary(g, c, CODE_DIV, args[0], args[1]));
}

static struct tree_expr *f_int_ceil(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *a, *b;
    (void)count;
    if (!pair(g, c, args, &a, &b))
        return NULL;
    struct tree_expr *sum = binary(g, EXPR_SUB, binary(g, EXPR_ADD, a, b), code_constant(g, a->type, 1));
    return like_first(g, c, args, binary(g, EXPR_DIV, sum, b));
}

/* ---- divisors ---- */

static struct tree_expr *magnitude(struct code_gen *g, struct tree_expr *x)
{
    return type_is_unsigned(x->type) ? x : expr_math(g->t, TREE_MATH_fabs, &x);
}

static struct tree_expr *f_gcd(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *a, *b;
    (void)count;
    if (!integers(g, c, args, &a, &b))
        return NULL;
    struct tree *t = g->t;
    struct tree_var *x = tree_var(t, "gcd", a->type), *y = tree_var(t, "divisor", a->type);
    struct tree_var *rest = tree_var(t, "rest", a->type);
    stmt_assign(t, g->out, x, magnitude(g, a));
    stmt_assign(t, g->out, y, magnitude(g, b));
    struct tree_stmt *s = stmt_while(t, g->out, expr_truth(t, expr_var(t, y)));
    stmt_assign(t, s->body, rest, binary(g, EXPR_REM, expr_var(t, x), expr_var(t, y)));
    stmt_assign(t, s->body, x, expr_var(t, y));
    stmt_assign(t, s->body, y, expr_var(t, rest));
    return expr_var(t, x);
}

static struct tree_expr *f_lcm(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    struct tree_expr *both[2], *zero;
    if (!integers(g, c, args, &both[0], &both[1]))
        return NULL;
    struct tree_expr *gcd = f_gcd(g, c, both, count);
    if (!gcd)
        return NULL;
    zero = expr_zero(g->t, gcd->type);
    struct tree_expr *product = binary(g, EXPR_MUL, binary(g, EXPR_DIV, both[0], gcd), both[1]);
    return expr_select(g->t, binary(g, EXPR_EQ, gcd, zero), zero, magnitude(g, product));
}

/* ---- operators by name ---- */

#define OPERATOR(name, op)                                                                                             \
    static struct tree_expr *f_##name(struct code_gen *g, const struct code *c, struct tree_expr **args,               \
                                      uint32_t count)                                                                  \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        return code_binary(g, c, op, args[0], args[1]);                                                                \
    }
OPERATOR(Eq, CODE_EQ)
OPERATOR(Ne, CODE_NE)
OPERATOR(Lt, CODE_LT)
OPERATOR(Le, CODE_LE)
OPERATOR(Gt, CODE_GT)
OPERATOR(Ge, CODE_GE)
#undef OPERATOR

/* These have the type of the first operand. */
#define OPERATOR(name, op)                                                                                             \
    static struct tree_expr *f_##name(struct code_gen *g, const struct code *c, struct tree_expr **args,               \
                                      uint32_t count)                                                                  \
    {                                                                                                                  \
        (void)count;                                                                                                   \
        return like_first(g, c, args, code_binary(g, c, op, args[0], args[1]));                                        \
    }
OPERATOR(bitwise_and, CODE_BITAND)
OPERATOR(bitwise_or, CODE_BITOR)
OPERATOR(bitwise_xor, CODE_BITXOR)
OPERATOR(left_shift, CODE_SHL)
OPERATOR(right_shift, CODE_SHR)
#undef OPERATOR

static struct tree_expr *f_bitwise_invert(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                          uint32_t count)
{
    (void)count;
    return like_first(g, c, args, code_unary(g, c, CODE_BITNOT, args[0]));
}

static struct tree_expr *f_Not(struct code_gen *g, const struct code *c, struct tree_expr **args, uint32_t count)
{
    (void)count;
    return code_unary(g, c, CODE_NOT, args[0]);
}

const struct code_function_row code_integer_functions[] = {
    { "py_floor", 2, 2, f_py_floor },
    { "int_floor_ni", 2, 2, f_py_floor },
    { "py_mod", 2, 2, f_py_mod },
    { "cpp_mod", 2, 2, f_cpp_mod },
    { "PyMod", 2, 2, f_py_mod },
    { "FtnModulo", 2, 2, f_py_mod },
    { "ftn_modulo", 2, 2, f_py_mod },
    { "CMod", 2, 2, f_cpp_mod },
    { "c_mod", 2, 2, f_cpp_mod },
    { "FtnMod", 2, 2, f_cpp_mod },
    { "ftn_mod", 2, 2, f_cpp_mod },
    { "Mod", 2, 2, f_Mod },
    { "Mod_float", 2, 2, f_Mod_float },
    { "Modulo", 2, 2, f_Modulo },
    { "Modulo_float", 2, 2, f_Modulo_float },
    { "int_floor", 2, 2, f_int_floor },
    { "int_ceil", 2, 2, f_int_ceil },
    { "gcd", 2, 2, f_gcd },
    { "lcm", 2, 2, f_lcm },
    { "Eq", 2, 2, f_Eq },
    { "Ne", 2, 2, f_Ne },
    { "NotEq", 2, 2, f_Ne },
    { "Lt", 2, 2, f_Lt },
    { "Le", 2, 2, f_Le },
    { "LtE", 2, 2, f_Le },
    { "Gt", 2, 2, f_Gt },
    { "Ge", 2, 2, f_Ge },
    { "GtE", 2, 2, f_Ge },
    { "bitwise_and", 2, 2, f_bitwise_and },
    { "bitwise_or", 2, 2, f_bitwise_or },
    { "bitwise_xor", 2, 2, f_bitwise_xor },
    { "left_shift", 2, 2, f_left_shift },
    { "right_shift", 2, 2, f_right_shift },
    { "bitwise_invert", 1, 1, f_bitwise_invert },
    { "Not", 1, 1, f_Not },
    { NULL, 0, 0, NULL },
};
