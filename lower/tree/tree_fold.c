#include "lower/tree/tree_fold.h"

#include "base/smallfloat.h"

#include <math.h>
#include <string.h>

int64_t fold_wrap(const struct type *type, int64_t value)
{
    switch (type->kind) {
    case TYPE_BOOL:
        return value != 0;
    case TYPE_I8:
        return (int8_t)value;
    case TYPE_I16:
        return (int16_t)value;
    case TYPE_I32:
        return (int32_t)value;
    case TYPE_U8:
        return (uint8_t)value;
    case TYPE_U16:
        return (uint16_t)value;
    case TYPE_U32:
        return (uint32_t)value;
    default:
        return value;
    }
}

static enum smallfloat small_format(enum type_kind kind)
{
    switch (kind) {
    case TYPE_F16:
        return SMALLFLOAT_F16;
    case TYPE_BF16:
        return SMALLFLOAT_BF16;
    case TYPE_F8E4M3:
        return SMALLFLOAT_F8E4M3;
    default:
        return SMALLFLOAT_F8E5M2;
    }
}

double fold_round(const struct type *type, double value)
{
    if (type->kind == TYPE_F64)
        return value;
    if (type->kind == TYPE_F32)
        return (float)value;
    return smallfloat_decode(small_format(type->kind), (uint32_t)fold_float_bits(type->kind, value));
}

uint64_t fold_float_bits(enum type_kind kind, double value)
{
    uint64_t bits = 0;
    float single = (float)value;
    if (kind == TYPE_F64)
        memcpy(&bits, &value, sizeof value);
    else if (kind == TYPE_F32)
        memcpy(&bits, &single, sizeof single);
    else
        bits = smallfloat_encode(small_format(kind), value);
    return bits;
}

static bool fold_divide(enum expr_op op, const struct type *type, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return false;
    if (type_is_unsigned(type)) {
        uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
        *out = (int64_t)(op == EXPR_DIV ? ua / ub : ua % ub);
        return true;
    }
    if (b == -1 && fold_wrap(type, -(uint64_t)a) == a && a != 0)
        return false; /* the quotient does not exist */
    *out = op == EXPR_DIV ? a / b : a % b;
    return true;
}

static bool fold_shift(enum expr_op op, const struct type *type, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b >= (int64_t)type->size * 8)
        return false;
    if (op == EXPR_SHL)
        *out = (int64_t)((uint64_t)a << b);
    else
        *out = type_is_unsigned(type) ? (int64_t)((uint64_t)a >> b) : a >> b;
    return true;
}

bool fold_int(enum expr_op op, const struct type *type, int64_t a, int64_t b, int64_t *out)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    bool ok = true;
    switch (op) {
    case EXPR_NEG:
        *out = (int64_t)-ua;
        break;
    case EXPR_NOT:
        *out = !a;
        break;
    case EXPR_BITNOT:
        *out = type->kind == TYPE_BOOL ? !a : ~a;
        break;
    case EXPR_ADD:
        *out = (int64_t)(ua + ub);
        break;
    case EXPR_SUB:
        *out = (int64_t)(ua - ub);
        break;
    case EXPR_MUL:
        *out = (int64_t)(ua * ub);
        break;
    case EXPR_DIV:
    case EXPR_REM:
        ok = fold_divide(op, type, a, b, out);
        break;
    case EXPR_AND:
        *out = a & b;
        break;
    case EXPR_OR:
        *out = a | b;
        break;
    case EXPR_XOR:
        *out = a ^ b;
        break;
    case EXPR_SHL:
    case EXPR_SHR:
        ok = fold_shift(op, type, a, b, out);
        break;
    case EXPR_MIN:
        *out = fold_compare_int(EXPR_LT, type, a, b) ? a : b;
        break;
    case EXPR_MAX:
        *out = fold_compare_int(EXPR_GT, type, a, b) ? a : b;
        break;
    case EXPR_LOGICAL_AND:
        *out = a && b;
        break;
    case EXPR_LOGICAL_OR:
        *out = a || b;
        break;
    default:
        return false;
    }
    if (ok)
        *out = fold_wrap(type, *out);
    return ok;
}

/* Sums, products and quotients of float32 values computed in float64 and rounded once more are the float32 results (53
 * >= 2 * 24 + 2 bits), so one function serves both types. */
bool fold_float(enum expr_op op, const struct type *type, double a, double b, double *out)
{
    if (type->kind != TYPE_F32 && type->kind != TYPE_F64)
        return false;
    switch (op) {
    case EXPR_NEG:
        *out = -a;
        return true;
    case EXPR_ADD:
        *out = fold_round(type, a + b);
        return true;
    case EXPR_SUB:
        *out = fold_round(type, a - b);
        return true;
    case EXPR_MUL:
        *out = fold_round(type, a * b);
        return true;
    case EXPR_DIV:
        if (b == 0)
            return false;
        *out = fold_round(type, a / b);
        return true;
    case EXPR_REM:
        if (b == 0)
            return false;
        *out = fmod(a, b);
        return true;
    case EXPR_MIN:
        *out = a < b ? a : b;
        return true;
    case EXPR_MAX:
        *out = a > b ? a : b;
        return true;
    default:
        return false;
    }
}

bool fold_compare_int(enum expr_op op, const struct type *type, int64_t a, int64_t b)
{
    bool less = type_is_unsigned(type) ? (uint64_t)a < (uint64_t)b : a < b;
    switch (op) {
    case EXPR_EQ:
        return a == b;
    case EXPR_NE:
        return a != b;
    case EXPR_LT:
        return less;
    case EXPR_LE:
        return less || a == b;
    case EXPR_GT:
        return !less && a != b;
    default:
        return !less;
    }
}

bool fold_compare_float(enum expr_op op, double a, double b)
{
    switch (op) {
    case EXPR_EQ:
        return a == b;
    case EXPR_NE:
        return a != b;
    case EXPR_LT:
        return a < b;
    case EXPR_LE:
        return a <= b;
    case EXPR_GT:
        return a > b;
    default:
        return a >= b;
    }
}

bool fold_math(enum tree_math f, const struct type *type, const double *args, double *out)
{
    if (type->kind != TYPE_F32 && type->kind != TYPE_F64)
        return false;
    double a = args[0];
    switch (f) {
    case TREE_MATH_sqrt: /* correctly rounded; the remark at fold_float holds */
        if (a < 0)
            return false;
        *out = fold_round(type, sqrt(a));
        return true;
    case TREE_MATH_fabs:
        *out = fabs(a);
        return true;
    case TREE_MATH_floor:
        *out = floor(a);
        return true;
    case TREE_MATH_ceil:
        *out = ceil(a);
        return true;
    case TREE_MATH_trunc:
        *out = trunc(a);
        return true;
    case TREE_MATH_round:
        *out = round(a);
        return true;
    case TREE_MATH_nearbyint:
        *out = nearbyint(a);
        return true;
    case TREE_MATH_isnan:
        *out = isnan(a) != 0;
        return true;
    case TREE_MATH_isinf:
        *out = isinf(a) != 0;
        return true;
    case TREE_MATH_isfinite:
        *out = isfinite(a) != 0;
        return true;
    case TREE_MATH_signbit:
        *out = signbit(a) != 0;
        return true;
    default:
        return false;
    }
}

bool fold_power(double base, double exponent, double *out)
{
    enum { MOST = 1024 };
    const double exact = 0x1p53;
    double power = 1;
    if (base != trunc(base) || exponent != trunc(exponent) || exponent < 0 || exponent > MOST)
        return false;
    for (int i = 0; i < (int)exponent; i++) {
        power *= base;
        if (fabs(power) > exact)
            return false;
    }
    *out = power;
    return true;
}

bool fold_float_to_int(const struct type *type, double value, int64_t *out)
{
    if (type->kind == TYPE_BOOL) {
        *out = value != 0;
        return true;
    }
    int bits = (int)type->size * 8 - type_is_signed(type);
    double whole = trunc(value);
    double low = type_is_signed(type) ? -ldexp(1, bits) : 0;
    if (!(whole >= low && whole < ldexp(1, bits)))
        return false; /* undefined in C */
    *out = type_is_signed(type) ? (int64_t)whole : (int64_t)(uint64_t)whole;
    return true;
}

double fold_int_to_float(const struct type *to, const struct type *from, int64_t value)
{
    if (to->kind == TYPE_F32)
        return type_is_unsigned(from) ? (float)(uint64_t)value : (float)value;
    return type_is_unsigned(from) ? (double)(uint64_t)value : (double)value;
}
