#include "lower/opt/registers/reduction.h"

#include <math.h>

static double float_identity(enum wcr_kind wcr)
{
    switch (wcr) {
    case WCR_PRODUCT:
        return 1;
    case WCR_MIN:
        return INFINITY;
    case WCR_MAX:
        return -INFINITY;
    default:
        return -0.0; /* what changes no number when added, not even the sign of a zero */
    }
}

static int64_t int_identity(enum wcr_kind wcr, const struct type *type)
{
    uint32_t bits = type->size * 8;
    int64_t largest = type->kind == TYPE_BOOL  ? 1
                      : type_is_unsigned(type) ? (int64_t)(UINT64_MAX >> (64 - bits))
                                               : (int64_t)(UINT64_MAX >> (65 - bits));
    switch (wcr) {
    case WCR_PRODUCT:
    case WCR_LOGICAL_AND:
        return 1;
    case WCR_MIN:
        return largest;
    case WCR_MAX:
        return type_is_signed(type) ? -largest - 1 : 0;
    case WCR_BIT_AND:
        return type->kind == TYPE_BOOL ? 1 : -1;
    default:
        return 0;
    }
}

struct tree_expr *reduce_identity(struct tree *t, enum wcr_kind wcr, const struct type *type)
{
    if (type_is_complex(type)) {
        const struct type *part = type_part(t->ir, type);
        double real = float_identity(wcr);
        return expr_complex(t, expr_float(t, part, real), expr_float(t, part, wcr == WCR_SUM ? -0.0 : 0));
    }
    return type_is_float(type) ? expr_float(t, type, float_identity(wcr)) : expr_int(t, type, int_identity(wcr, type));
}

struct tree_expr *reduce_combine(struct tree *t, enum wcr_kind wcr, struct tree_expr *a, struct tree_expr *b)
{
    const struct type *type = a->type, *wide = type_basic(t->ir, TYPE_F32);
    if (type_is_float(type) && type->size < wide->size) /* computed in float32 */
        return expr_cast(t, type, reduce_combine(t, wcr, expr_cast(t, wide, a), expr_cast(t, wide, b)));
    switch (wcr) {
    case WCR_SUM:
        return expr_binary(t, EXPR_ADD, a, b);
    case WCR_PRODUCT:
        return expr_binary(t, EXPR_MUL, a, b);
    case WCR_MIN:
        return expr_binary(t, EXPR_MIN, a, b);
    case WCR_MAX:
        return expr_binary(t, EXPR_MAX, a, b);
    case WCR_BIT_AND:
        return expr_binary(t, EXPR_AND, a, b);
    case WCR_BIT_OR:
        return expr_binary(t, EXPR_OR, a, b);
    case WCR_BIT_XOR:
        return expr_binary(t, EXPR_XOR, a, b);
    default:
        break;
    }
    enum expr_op op = wcr == WCR_LOGICAL_AND ? EXPR_LOGICAL_AND : wcr == WCR_LOGICAL_OR ? EXPR_LOGICAL_OR : EXPR_NE;
    return expr_cast(t, a->type, expr_binary(t, op, expr_truth(t, a), expr_truth(t, b)));
}

bool reduce_can_accumulate(enum wcr_kind wcr, const struct type *type)
{
    bool integer = type->kind == TYPE_BOOL || type_is_integer(type);
    bool number = type->kind == TYPE_F32 || type->kind == TYPE_F64 || integer;
    switch (wcr) {
    case WCR_SUM:
    case WCR_PRODUCT:
        return type->kind != TYPE_BOOL && (number || type_is_complex(type));
    case WCR_MIN:
    case WCR_MAX:
        return number;
    case WCR_LOGICAL_AND:
    case WCR_LOGICAL_OR:
    case WCR_LOGICAL_XOR:
    case WCR_BIT_AND:
    case WCR_BIT_OR:
    case WCR_BIT_XOR:
        return integer;
    default:
        return false;
    }
}
