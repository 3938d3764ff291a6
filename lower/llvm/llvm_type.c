#include "lower/llvm/llvm_emit.h"

bool llvm_type_is_small_float(const struct type *t) { return t->kind >= TYPE_F16 && t->kind <= TYPE_F8E5M2; }

bool llvm_type_is_complex(const struct type *t) { return type_is_complex(type_scalar(t)); }

const struct type *llvm_type_part(struct llvm_func *f, const struct type *t)
{
    return type_part(f->emitter->tree->ir, t);
}

bool llvm_type_usable(const struct type *t)
{
    if (t->kind == TYPE_VECTOR)
        return t->lanes > 0 && type_is_basic(t->elem);
    return t->kind != TYPE_VOID && (t->kind != TYPE_OPAQUE || t->size);
}

LLVMTypeRef llvm_type(struct llvm_unit *u, const struct type *t)
{
    switch (t->kind) {
    case TYPE_VOID:
        return u->nothing;
    case TYPE_BOOL:
        return u->i1;
    case TYPE_I8:
    case TYPE_U8:
    case TYPE_F8E4M3:
    case TYPE_F8E5M2:
        return u->i8;
    case TYPE_I16:
    case TYPE_U16:
    case TYPE_BF16:
        return u->i16;
    case TYPE_I32:
    case TYPE_U32:
        return u->i32;
    case TYPE_I64:
    case TYPE_U64:
        return u->i64;
    case TYPE_F16:
        return u->f16;
    case TYPE_F32:
    case TYPE_C64:
        return u->f32;
    case TYPE_F64:
    case TYPE_C128:
        return u->f64;
    case TYPE_VECTOR:
        return t->scalable && !u->vscale
                   ? LLVMScalableVectorType(llvm_type(u, t->elem), t->lanes)
                   : LLVMVectorType(llvm_type(u, t->elem), t->lanes * (t->scalable ? u->vscale : 1));
    case TYPE_STRUCT:
        return LLVMArrayType2(u->i8, t->size);
    case TYPE_POINTER:
    case TYPE_STRING:
    case TYPE_CALLBACK:
    case TYPE_OPAQUE: /* the handle of an object */
    case TYPE_COUNT:
        break;
    }
    return u->pointer;
}

LLVMTypeRef llvm_type_memory(struct llvm_unit *u, const struct type *t)
{
    switch (t->kind) {
    case TYPE_VOID:
    case TYPE_BOOL:
        return u->i8;
    case TYPE_C64:
    case TYPE_C128:
        return LLVMArrayType2(llvm_type(u, t), 2);
    case TYPE_VECTOR:
        return LLVMArrayType2(llvm_type_memory(u, t->elem), t->lanes);
    default:
        return llvm_type(u, t);
    }
}

LLVMValueRef llvm_int(LLVMTypeRef type, int64_t value) { return LLVMConstInt(type, (unsigned long long)value, true); }

bool llvm_is_vector(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind;
}

LLVMTypeRef llvm_with_lanes(LLVMTypeRef vector, LLVMTypeRef element)
{
    unsigned lanes = LLVMGetVectorSize(vector); /* of a scalable one: the multiples of vscale */
    bool scalable = LLVMGetTypeKind(vector) == LLVMScalableVectorTypeKind;
    return scalable ? LLVMScalableVectorType(element, lanes) : LLVMVectorType(element, lanes);
}

LLVMTypeRef llvm_with_pairs(LLVMTypeRef vector)
{
    LLVMTypeRef element = LLVMGetElementType(vector);
    unsigned lanes = 2 * LLVMGetVectorSize(vector);
    bool scalable = LLVMGetTypeKind(vector) == LLVMScalableVectorTypeKind;
    return scalable ? LLVMScalableVectorType(element, lanes) : LLVMVectorType(element, lanes);
}

/* Of vectors whose length is not known, constants are made from lane 0. */
static LLVMValueRef constant_lanes(LLVMTypeRef vector, LLVMValueRef scalar)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(vector));
    LLVMValueRef lanes[256];
    unsigned n = LLVMGetVectorSize(vector);
    if (LLVMGetTypeKind(vector) == LLVMScalableVectorTypeKind) {
        LLVMValueRef one = LLVMConstInsertElement(LLVMGetPoison(vector), scalar, LLVMConstNull(i32));
        return LLVMConstShuffleVector(one, LLVMGetPoison(vector), LLVMConstNull(llvm_with_lanes(vector, i32)));
    }
    if (n > 256)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        lanes[i] = scalar;
    return LLVMConstVector(lanes, n);
}

LLVMValueRef llvm_const_int(LLVMTypeRef like, int64_t value)
{
    if (llvm_is_vector(like))
        return constant_lanes(like, llvm_int(LLVMGetElementType(like), value));
    return llvm_int(like, value);
}

LLVMValueRef llvm_const_float(LLVMTypeRef like, double value)
{
    if (llvm_is_vector(like))
        return constant_lanes(like, LLVMConstReal(LLVMGetElementType(like), value));
    return LLVMConstReal(like, value);
}

LLVMValueRef llvm_splat(struct llvm_func *f, LLVMTypeRef like, LLVMValueRef scalar)
{
    if (!llvm_is_vector(like))
        return scalar;
    LLVMTypeRef type = llvm_with_lanes(like, LLVMTypeOf(scalar));
    LLVMTypeRef mask = llvm_with_lanes(like, f->unit->i32);
    LLVMValueRef one = LLVMBuildInsertElement(f->builder, LLVMGetPoison(type), scalar, llvm_int(f->unit->i32, 0), "");
    return LLVMBuildShuffleVector(f->builder, one, LLVMGetPoison(type), LLVMConstNull(mask), "");
}

struct llvm_value llvm_splat_value(struct llvm_func *f, const struct type *vector, struct llvm_value lane)
{
    LLVMTypeRef type = llvm_type(f->unit, vector);
    return (struct llvm_value){ llvm_splat(f, type, lane.v), lane.im ? llvm_splat(f, type, lane.im) : NULL };
}

struct llvm_value llvm_lane(struct llvm_func *f, struct llvm_value vector, LLVMValueRef lane)
{
    LLVMValueRef im = vector.im ? LLVMBuildExtractElement(f->builder, vector.im, lane, "") : NULL;
    return (struct llvm_value){ LLVMBuildExtractElement(f->builder, vector.v, lane, ""), im };
}
