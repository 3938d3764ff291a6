#include "frontend/lower.h"

const struct type *fe_own_type(struct fe *f, const struct value *v)
{
    if (v->type)
        return v->type;
    switch (v->kind) {
    case FE_BOOL:
        return type_basic(f->ir, TYPE_BOOL);
    case FE_INT:
    case FE_SYMBOL:
        return type_basic(f->ir, TYPE_I64);
    case FE_FLOAT:
        return type_basic(f->ir, TYPE_F64);
    case FE_COMPLEX:
        return type_basic(f->ir, TYPE_C128);
    default:
        return v->type;
    }
}

/* bool, unsigned, signed, float, complex. */
static int rank_of(const struct type *t)
{
    return t->kind == TYPE_BOOL ? 0 : type_is_unsigned(t) ? 1 : type_is_signed(t) ? 2 : type_is_float(t) ? 3 : 4;
}

static const struct type *signed_type(struct fe *f, uint32_t bytes)
{
    return type_basic(f->ir, bytes <= 1 ? TYPE_I8 : bytes == 2 ? TYPE_I16 : bytes == 4 ? TYPE_I32 : TYPE_I64);
}

static const struct type *float_type(struct fe *f, uint32_t bytes)
{
    return type_basic(f->ir, bytes <= 2 ? TYPE_F16 : bytes == 4 ? TYPE_F32 : TYPE_F64);
}

/* The float that holds the values of an integer type, as NumPy chooses it. */
static uint32_t float_bytes(const struct type *t)
{
    if (!fe_is_int_type(t))
        return type_is_complex(t) ? t->size / 2 : t->size;
    return t->kind == TYPE_BOOL || t->size == 1 ? 2 : t->size == 2 ? 4 : 8;
}

const struct type *fe_promote(struct fe *f, const struct type *a, const struct type *b)
{
    int ra = rank_of(a), rb = rank_of(b);
    if (a == b)
        return a;
    if (ra > rb)
        return fe_promote(f, b, a);
    if (ra == rb)
        return a->size >= b->size ? a : b;
    if (ra == 0)
        return b;
    if (ra == 1 && rb == 2) {
        if (a->size < b->size)
            return b;
        return a->size < 8 ? signed_type(f, a->size * 2) : type_basic(f->ir, TYPE_F64);
    }
    uint32_t bytes = float_bytes(a) > float_bytes(b) ? float_bytes(a) : float_bytes(b);
    return rb == 3 ? float_type(f, bytes) : type_basic(f->ir, bytes <= 4 ? TYPE_C64 : TYPE_C128);
}

/* A Python number takes the type of its partner, unless its kind is higher. */
static const struct type *weak_type(struct fe *f, const struct type *strong, const struct value *weak)
{
    const struct type *own = fe_own_type(f, weak);
    int rs = rank_of(strong), rw = rank_of(own);
    if (rw <= rs || (rw == 2 && rs == 1))
        return strong;
    if (rw == 2) /* an int with bools */
        return own;
    if (rw == 3)
        return float_type(f, rs == 0 || rs == 1 || rs == 2 ? 8 : strong->size);
    return type_basic(f->ir, rs == 3 && strong->size <= 4 ? TYPE_C64 : TYPE_C128);
}

const struct type *fe_result_type(struct fe *f, const struct value *a, const struct value *b)
{
    if (a->weak && !b->weak)
        return weak_type(f, b->type, a);
    if (b->weak && !a->weak)
        return weak_type(f, a->type, b);
    return fe_promote(f, fe_own_type(f, a), fe_own_type(f, b));
}

const struct type *fe_float_of(struct fe *f, const struct type *t)
{
    return fe_is_int_type(t) ? float_type(f, float_bytes(t)) : t;
}
