/* Conversions between types. The rules for values out of range are in lower/llvm/llvm.h. */
#include "lower/llvm/llvm_emit.h"

#include <math.h>

static const struct type *basic(struct llvm_func *f, enum type_kind kind)
{
    return type_basic(f->emitter->tree->ir, kind);
}

/* ---- floats and integers ---- */

/* To int32 or int64; what does not fit becomes the smallest integer. The comparison is false for NaN, and the unused
 * result of the conversion does no harm: a select does not pass on what it does not choose. */
static LLVMValueRef float_to_signed(struct llvm_func *f, LLVMValueRef v, unsigned bits)
{
    LLVMTypeRef from = LLVMTypeOf(v), to = llvm_shaped(bits == 32 ? f->unit->i32 : f->unit->i64, v);
    LLVMValueRef magnitude = llvm_intrinsic(f, "llvm.fabs", from, &v, 1);
    LLVMValueRef fits =
        LLVMBuildFCmp(f->builder, LLVMRealOLT, magnitude, llvm_const_float(from, ldexp(1, (int)bits - 1)), "");
    LLVMValueRef lowest = llvm_const_int(to, bits == 32 ? INT32_MIN : INT64_MIN);
    return LLVMBuildSelect(f->builder, fits, LLVMBuildFPToSI(f->builder, v, to, ""), lowest, "");
}

static LLVMValueRef float_to_uint64(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef from = LLVMTypeOf(v), to = llvm_shaped(f->unit->i64, v);
    LLVMValueRef half = llvm_const_float(from, 0x1p63);
    LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGE, v, half, "");
    LLVMValueRef low = LLVMBuildSelect(b, large, LLVMBuildFSub(b, v, half, ""), v, "");
    LLVMValueRef top = LLVMBuildSelect(b, large, llvm_const_int(to, INT64_MIN), LLVMConstNull(to), "");
    return LLVMBuildXor(b, float_to_signed(f, low, 64), top, "");
}

static LLVMValueRef float_to_int(struct llvm_func *f, const struct type *to, LLVMValueRef v)
{
    if (to->kind == TYPE_U64)
        return float_to_uint64(f, v);
    unsigned bits = to->kind == TYPE_I64 || to->kind == TYPE_U32 ? 64 : 32;
    LLVMValueRef r = float_to_signed(f, v, bits);
    return to->size * 8 == bits ? r : LLVMBuildTrunc(f->builder, r, llvm_shaped(llvm_type(f->unit, to), v), "");
}

static LLVMValueRef int_to_int(struct llvm_func *f, const struct type *to, const struct type *from, LLVMValueRef v)
{
    LLVMTypeRef type = llvm_shaped(llvm_type(f->unit, to), v);
    if (from->kind == TYPE_BOOL)
        return LLVMBuildZExt(f->builder, v, type, "");
    if (to->size == from->size)
        return v;
    if (to->size < from->size)
        return LLVMBuildTrunc(f->builder, v, type, "");
    return type_is_signed(from) ? LLVMBuildSExt(f->builder, v, type, "") : LLVMBuildZExt(f->builder, v, type, "");
}

static LLVMValueRef to_float(struct llvm_func *f, const struct type *to, const struct type *from, LLVMValueRef v)
{
    if (llvm_type_is_small_float(to)) {
        LLVMValueRef wide = from->kind == TYPE_F64 ? llvm_round_to_odd(f, v) : to_float(f, basic(f, TYPE_F32), from, v);
        return llvm_narrow(f, to, wide);
    }
    LLVMTypeRef type = llvm_shaped(llvm_type(f->unit, to), v);
    if (llvm_type_is_small_float(from)) {
        v = llvm_widen(f, from, v);
        return to->kind == TYPE_F64 ? LLVMBuildFPExt(f->builder, v, type, "") : v;
    }
    if (from->kind == to->kind)
        return v;
    if (type_is_float(from))
        return to->kind == TYPE_F64 ? LLVMBuildFPExt(f->builder, v, type, "")
                                    : LLVMBuildFPTrunc(f->builder, v, type, "");
    return type_is_signed(from) ? LLVMBuildSIToFP(f->builder, v, type, "") : LLVMBuildUIToFP(f->builder, v, type, "");
}

static bool is_address(const struct type *t)
{
    return t->kind == TYPE_POINTER || t->kind == TYPE_STRING || t->kind == TYPE_CALLBACK;
}

static LLVMValueRef cast_address(struct llvm_func *f, const struct type *to, const struct type *from, LLVMValueRef v)
{
    if (is_address(to) && is_address(from))
        return v;
    if (is_address(from))
        return LLVMBuildPtrToInt(f->builder, v, llvm_type(f->unit, to), "");
    return LLVMBuildIntToPtr(f->builder, int_to_int(f, basic(f, TYPE_I64), from, v), f->unit->pointer, "");
}

struct llvm_value llvm_cast(struct llvm_func *f, const struct type *to, const struct type *from, struct llvm_value v)
{
    if (to == from)
        return v;
    const struct type *target = type_scalar(to), *source = type_scalar(from);
    if (to->kind == TYPE_VECTOR && from->kind != TYPE_VECTOR) {
        return llvm_splat_value(f, to, llvm_cast(f, target, from, v));
    }
    if (target->kind == TYPE_BOOL)
        return (struct llvm_value){ llvm_truth(f, from, v), NULL };
    if (type_is_complex(target)) {
        if (!type_is_complex(source)) {
            LLVMValueRef re = llvm_cast(f, llvm_type_part(f, to), from, v).v;
            return (struct llvm_value){ re, LLVMConstNull(LLVMTypeOf(re)) };
        }
        const struct type *part = llvm_type_part(f, target), *old = llvm_type_part(f, source);
        return (struct llvm_value){ to_float(f, part, old, v.v), to_float(f, part, old, v.im) };
    }
    if (type_is_complex(source))
        return llvm_cast(f, to, llvm_type_part(f, from), (struct llvm_value){ v.v, NULL });
    if (is_address(target) || is_address(source))
        return (struct llvm_value){ cast_address(f, target, source, v.v), NULL };
    if (type_is_float(target))
        return (struct llvm_value){ to_float(f, target, source, v.v), NULL };
    if (llvm_type_is_small_float(source))
        return (struct llvm_value){ float_to_int(f, target, llvm_widen(f, source, v.v)), NULL };
    if (type_is_float(source))
        return (struct llvm_value){ float_to_int(f, target, v.v), NULL };
    return (struct llvm_value){ int_to_int(f, target, source, v.v), NULL };
}

/* ---- bytes ---- */

static LLVMTypeRef memory_vector(struct llvm_func *f, const struct type *t)
{
    if (llvm_type_is_complex(t))
        return t->kind == TYPE_VECTOR ? llvm_with_pairs(llvm_type(f->unit, t))
                                      : LLVMVectorType(llvm_type(f->unit, t), 2);
    LLVMTypeRef scalar = t->kind == TYPE_VECTOR ? llvm_type_memory(f->unit, t->elem) : llvm_type_memory(f->unit, t);
    return t->kind == TYPE_VECTOR ? llvm_with_lanes(llvm_type(f->unit, t), scalar) : scalar;
}

static LLVMValueRef every_second_lane(struct llvm_func *f, LLVMValueRef pairs, unsigned count, unsigned first)
{
    LLVMValueRef *mask = NEW_ARRAY(f->emitter->arena, LLVMValueRef, count);
    for (unsigned i = 0; i < count; i++)
        mask[i] = llvm_int(f->unit->i32, first + 2 * i);
    return LLVMBuildShuffleVector(f->builder, pairs, LLVMGetPoison(LLVMTypeOf(pairs)), LLVMConstVector(mask, count),
                                  "");
}

/* Parts of complex lanes to pairs, and back. */
LLVMValueRef llvm_interleave(struct llvm_func *f, LLVMValueRef re, LLVMValueRef im)
{
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(re));
    if (LLVMGetTypeKind(LLVMTypeOf(re)) == LLVMScalableVectorTypeKind) {
        LLVMTypeRef pairs = llvm_with_pairs(LLVMTypeOf(re));
        return llvm_intrinsic(f, "llvm.vector.interleave2", pairs, (LLVMValueRef[]){ re, im }, 2);
    }
    LLVMValueRef *mask = NEW_ARRAY(f->emitter->arena, LLVMValueRef, 2 * count);
    for (unsigned i = 0; i < 2 * count; i++)
        mask[i] = llvm_int(f->unit->i32, i / 2 + (i % 2) * count);
    return LLVMBuildShuffleVector(f->builder, re, im, LLVMConstVector(mask, 2 * count), "");
}

static struct llvm_value deinterleave(struct llvm_func *f, LLVMValueRef pairs)
{
    if (LLVMGetTypeKind(LLVMTypeOf(pairs)) == LLVMScalableVectorTypeKind) {
        LLVMValueRef both = llvm_intrinsic(f, "llvm.vector.deinterleave2", LLVMTypeOf(pairs), &pairs, 1);
        return (struct llvm_value){ LLVMBuildExtractValue(f->builder, both, 0, ""),
                                    LLVMBuildExtractValue(f->builder, both, 1, "") };
    }
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(pairs)) / 2;
    LLVMValueRef re = every_second_lane(f, pairs, count, 0);
    return (struct llvm_value){ re, every_second_lane(f, pairs, count, 1) };
}

LLVMValueRef llvm_to_memory(struct llvm_func *f, const struct type *t, struct llvm_value v)
{
    if (t->kind == TYPE_VECTOR && v.im)
        return llvm_interleave(f, v.v, v.im);
    if (type_is_complex(t)) {
        LLVMValueRef pair = LLVMGetPoison(memory_vector(f, t));
        pair = LLVMBuildInsertElement(f->builder, pair, v.v, llvm_int(f->unit->i32, 0), "");
        return LLVMBuildInsertElement(f->builder, pair, v.im, llvm_int(f->unit->i32, 1), "");
    }
    if (type_scalar(t)->kind == TYPE_BOOL)
        return LLVMBuildZExt(f->builder, v.v, memory_vector(f, t), "");
    return v.v;
}

struct llvm_value llvm_from_memory(struct llvm_func *f, const struct type *t, LLVMValueRef v)
{
    if (t->kind == TYPE_VECTOR && type_is_complex(t->elem))
        return deinterleave(f, v);
    if (type_is_complex(t)) {
        LLVMValueRef re = LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 0), "");
        return (struct llvm_value){ re, LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 1), "") };
    }
    if (type_scalar(t)->kind == TYPE_BOOL)
        return (struct llvm_value){ LLVMBuildICmp(f->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), ""), NULL };
    return (struct llvm_value){ v, NULL };
}

struct llvm_value llvm_bits(struct llvm_func *f, const struct type *to, const struct type *from, struct llvm_value v)
{
    LLVMValueRef bytes = llvm_to_memory(f, from, v);
    LLVMTypeRef type = memory_vector(f, to);
    if (is_address(from))
        bytes = LLVMBuildPtrToInt(f->builder, bytes, f->unit->i64, "");
    if (is_address(to))
        bytes = LLVMBuildIntToPtr(f->builder, LLVMBuildBitCast(f->builder, bytes, f->unit->i64, ""), type, "");
    else
        bytes = LLVMBuildBitCast(f->builder, bytes, type, "");
    return llvm_from_memory(f, to, bytes);
}
