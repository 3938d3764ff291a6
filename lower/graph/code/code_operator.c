/* Operators on values, as C++ computes them: promotion, wrap-around, truncation (semantics.md 6.3). */
#include "lower/graph/code/code_gen.h"

static bool is_number(const struct type *t) { return type_is_basic(type_scalar(t)); }

static bool is_whole(const struct type *t)
{
    return type_is_integer(type_scalar(t)) || type_scalar(t)->kind == TYPE_BOOL;
}

static void *refuse(struct code_gen *g, const struct code *c, enum code_op op, const struct tree_expr *a,
                    const struct tree_expr *b)
{
    if (!b)
        return code_invalid(g, c, "operator '%s' on %s", code_op_text(op), code_type_text(g, a->type));
    return code_invalid(g, c, "operator '%s' on %s and %s", code_op_text(op), code_type_text(g, a->type),
                        code_type_text(g, b->type));
}

struct tree_expr *code_floor_int(struct code_gen *g, struct tree_expr *e)
{
    const struct type *type = code_basic(g, TYPE_I64);
    if (e->type->kind == TYPE_VECTOR)
        type = type_vector(g->ir, type, e->type->lanes, e->type->lanes_text);
    return expr_cast(g->t, type, expr_math(g->t, TREE_MATH_floor, &e));
}

/* ---- one operand ---- */

struct tree_expr *code_unary(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a)
{
    if (op == CODE_NOT && a->type->kind == TYPE_VECTOR)
        return expr_binary(g->t, EXPR_EQ, a, expr_zero(g->t, a->type));
    if (op == CODE_NOT) {
        struct tree_expr *truth = code_truth(g, c, a);
        return truth ? expr_unary(g->t, EXPR_NOT, truth) : NULL;
    }
    if (!is_number(a->type) || (op == CODE_BITNOT && !is_whole(a->type)))
        return refuse(g, c, op, a, NULL);
    a = code_promote(g, a);
    return op == CODE_PLUS ? a : expr_unary(g->t, op == CODE_NEG ? EXPR_NEG : EXPR_BITNOT, a);
}

/* ---- pointers, as in C, in tasklets of either language ---- */

static struct tree_expr *pointer_sum(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a,
                                     struct tree_expr *b)
{
    a = code_characters(g, a);
    b = code_characters(g, b);
    bool both = code_is_pointer(a->type) && code_is_pointer(b->type);
    if (op == CODE_ADD && !code_is_pointer(a->type)) {
        struct tree_expr *swap = a;
        a = b;
        b = swap;
    }
    const struct type *elem = a->type->kind == TYPE_POINTER ? a->type->elem : NULL;
    bool counts = both ? op != CODE_ADD && a->type == b->type : is_whole(b->type);
    if (!elem || !elem->size || !counts)
        return refuse(g, c, op, a, b);
    const struct type *i64 = code_basic(g, TYPE_I64);
    if (both) {
        struct tree_expr *bytes = expr_binary(g->t, EXPR_SUB, expr_cast(g->t, i64, a), expr_cast(g->t, i64, b));
        return expr_binary(g->t, EXPR_DIV, bytes, expr_i64(g->t, elem->size));
    }
    struct tree_expr *by = code_to_index(g, c, b);
    if (!by)
        return NULL;
    return expr_offset(g->t, a, op == CODE_SUB ? expr_unary(g->t, EXPR_NEG, by) : by);
}

static struct tree_expr *compare_pointers(struct code_gen *g, const struct code *c, enum expr_op op,
                                          enum code_op written, struct tree_expr *a, struct tree_expr *b)
{
    const struct type *type = code_is_pointer(a->type) ? a->type : b->type;
    bool fits = (code_is_pointer(a->type) || expr_is_int(a, 0)) && (code_is_pointer(b->type) || expr_is_int(b, 0));
    if (!fits)
        return refuse(g, c, written, a, b);
    a = code_to(g, c, type, a);
    b = a ? code_to(g, c, type, b) : NULL;
    if (b && op != EXPR_EQ && op != EXPR_NE) {
        a = expr_cast(g->t, code_basic(g, TYPE_U64), a);
        b = expr_cast(g->t, code_basic(g, TYPE_U64), b);
    }
    return b ? expr_binary(g->t, op, a, b) : NULL;
}

/* ---- two operands ---- */

static enum expr_op comparison_op(enum code_op op)
{
    switch (op) {
    case CODE_LT:
        return EXPR_LT;
    case CODE_LE:
        return EXPR_LE;
    case CODE_GT:
        return EXPR_GT;
    case CODE_GE:
        return EXPR_GE;
    case CODE_NE:
    case CODE_ISNOT:
        return EXPR_NE;
    default:
        return EXPR_EQ;
    }
}

static struct tree_expr *compare(struct code_gen *g, const struct code *c, enum code_op written, struct tree_expr *a,
                                 struct tree_expr *b)
{
    enum expr_op op = comparison_op(written);
    if (code_is_pointer(a->type) || code_is_pointer(b->type))
        return compare_pointers(g, c, op, written, a, b);
    if (!is_number(a->type) || !is_number(b->type))
        return refuse(g, c, written, a, b);
    if (a->type->kind == TYPE_BOOL && b->type->kind == TYPE_BOOL)
        return expr_binary(g->t, op, a, b);
    if (!code_common(g, c, &a, &b))
        return NULL;
    if (type_is_complex(type_scalar(a->type)) && op != EXPR_EQ && op != EXPR_NE)
        return refuse(g, c, written, a, b);
    return expr_binary(g->t, op, a, b);
}

/* A shift has the type of its left side. */
static struct tree_expr *shift(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a,
                               struct tree_expr *b)
{
    if (!is_whole(a->type) || !is_whole(b->type))
        return refuse(g, c, op, a, b);
    if (b->type->kind == TYPE_VECTOR && a->type->kind != TYPE_VECTOR)
        return code_common(g, c, &a, &b) ? expr_binary(g->t, op == CODE_SHL ? EXPR_SHL : EXPR_SHR, a, b) : NULL;
    a = code_promote(g, a);
    b = code_to(g, c, a->type, b);
    return b ? expr_binary(g->t, op == CODE_SHL ? EXPR_SHL : EXPR_SHR, a, b) : NULL;
}

/* C: ifloor(a / b), so the quotient of integers is truncated. That of floats becomes a 64-bit integer, where DaCe's is
 * 32 bits wide and overflows (semantics.md 13, case 3). */
static struct tree_expr *floor_divide(struct code_gen *g, const struct code *c, struct tree_expr *a,
                                      struct tree_expr *b)
{
    if (!code_common(g, c, &a, &b))
        return NULL;
    if (type_is_complex(type_scalar(a->type)))
        return refuse(g, c, CODE_FLOORDIV, a, b);
    struct tree_expr *quotient = expr_binary(g->t, EXPR_DIV, a, b);
    return is_whole(quotient->type) ? quotient : code_floor_int(g, quotient);
}

/* `and`, `or` of vectors: lane masks. */
static struct tree_expr *combine_masks(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a,
                                       struct tree_expr *b)
{
    if (!code_common(g, c, &a, &b))
        return NULL;
    a = expr_binary(g->t, EXPR_NE, a, expr_zero(g->t, a->type));
    b = expr_binary(g->t, EXPR_NE, b, expr_zero(g->t, b->type));
    return expr_binary(g->t, op == CODE_AND ? EXPR_AND : EXPR_OR, a, b);
}

/* Vectors of truth values stay such; single ones are integers in arithmetic. */
static bool is_truths(const struct type *t) { return t->kind == TYPE_VECTOR && t->elem->kind == TYPE_BOOL; }

static bool divides(enum code_op op)
{
    return op == CODE_DIV || op == CODE_MOD || op == CODE_FLOORDIV || op == CODE_SHL || op == CODE_SHR;
}

struct tree_expr *code_binary(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a,
                              struct tree_expr *b)
{
    static const enum expr_op ops[CODE_OP_COUNT] = {
        [CODE_ADD] = EXPR_ADD, [CODE_SUB] = EXPR_SUB,    [CODE_MUL] = EXPR_MUL,  [CODE_DIV] = EXPR_DIV,
        [CODE_MOD] = EXPR_REM, [CODE_BITAND] = EXPR_AND, [CODE_BITOR] = EXPR_OR, [CODE_BITXOR] = EXPR_XOR,
    };
    bool bits = op == CODE_MOD || op == CODE_BITAND || op == CODE_BITOR || op == CODE_BITXOR;
    if (op == CODE_MATMUL || op == CODE_IN || op == CODE_NOTIN)
        return code_unsupported(g, c, arena_printf(g->arena, "operator '%s'", code_op_text(op)));
    if (op >= CODE_LT && op <= CODE_ISNOT)
        return compare(g, c, op, a, b);
    if ((op == CODE_ADD || op == CODE_SUB) && (code_is_pointer(a->type) || code_is_pointer(b->type)))
        return pointer_sum(g, c, op, a, b);
    if (!is_number(a->type) || !is_number(b->type))
        return refuse(g, c, op, a, b);
    if (op == CODE_POW)
        return code_pow(g, c, a, b);
    if (divides(op) && (is_truths(a->type) || is_truths(b->type)))
        return refuse(g, c, op, a, b);
    if (op == CODE_FLOORDIV)
        return floor_divide(g, c, a, b);
    if (op == CODE_SHL || op == CODE_SHR)
        return shift(g, c, op, a, b);
    if (op == CODE_AND || op == CODE_OR)
        return combine_masks(g, c, op, a, b);
    if (bits && (!is_whole(a->type) || !is_whole(b->type)))
        return refuse(g, c, op, a, b);
    return code_common(g, c, &a, &b) ? expr_binary(g->t, ops[op], a, b) : NULL;
}
