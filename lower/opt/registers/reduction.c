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
