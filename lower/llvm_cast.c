/* Conversions between types. The rules for values out of range are in lower/llvm.h. */
#include "lower/llvm_emit.h"

#include <math.h>

static const struct type *basic(struct llvm_func *f, enum type_kind kind)
{
    return type_basic(f->emitter->tree->ir, kind);
}

/* `scalar` itself, or a vector of it with the lanes of `shape`. */
static LLVMTypeRef shaped(LLVMTypeRef scalar, LLVMValueRef shape)
{
    LLVMTypeRef t = LLVMTypeOf(shape);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMVectorType(scalar, LLVMGetVectorSize(t)) : scalar;
}

/* ---- small floats ---- */

static LLVMValueRef widen_bfloat(struct llvm_func *f, LLVMValueRef v)
{
    LLVMTypeRef i32 = shaped(f->unit->i32, v);
    LLVMValueRef wide = LLVMBuildZExt(f->builder, v, i32, "");
    return LLVMBuildBitCast(f->builder, LLVMBuildShl(f->builder, wide, llvm_const_int(i32, 16), ""),
                            shaped(f->unit->f32, v), "");
}

/* Round to nearest even on the upper half; a NaN keeps its sign and becomes quiet. */
static LLVMValueRef narrow_bfloat(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef i32 = shaped(f->unit->i32, v);
    LLVMValueRef bits = LLVMBuildBitCast(b, v, i32, "");
    LLVMValueRef high = LLVMBuildLShr(b, bits, llvm_const_int(i32, 16), "");
    LLVMValueRef odd = LLVMBuildAnd(b, high, llvm_const_int(i32, 1), "");
    LLVMValueRef bias = LLVMBuildAdd(b, odd, llvm_const_int(i32, 0x7fff), "");
    LLVMValueRef rounded = LLVMBuildLShr(b, LLVMBuildAdd(b, bits, bias, ""), llvm_const_int(i32, 16), "");
    LLVMValueRef quiet = LLVMBuildOr(b, high, llvm_const_int(i32, 0x40), "");
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, nan, quiet, rounded, ""), shaped(f->unit->i16, v), "");
}

/* 8-bit floats go through the runtime, one lane at a time. */
static LLVMValueRef convert_lanes(struct llvm_func *f, LLVMValueRef v, LLVMTypeRef to,
                                  LLVMValueRef (*one)(struct llvm_func *f, const struct type *small, LLVMValueRef v),
                                  const struct type *small)
{
    LLVMTypeRef from = LLVMTypeOf(v);
    if (LLVMGetTypeKind(from) != LLVMVectorTypeKind)
        return one(f, small, v);
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(to, LLVMGetVectorSize(from)));
    for (unsigned i = 0; i < LLVMGetVectorSize(from); i++) {
        LLVMValueRef lane = llvm_int(f->unit->i32, i);
        LLVMValueRef x = one(f, small, LLVMBuildExtractElement(f->builder, v, lane, ""));
        result = LLVMBuildInsertElement(f->builder, result, x, lane, "");
    }
    return result;
}

static LLVMValueRef widen_byte(struct llvm_func *f, const struct type *small, LLVMValueRef v)
{
    LLVMValueRef arg = LLVMBuildZExt(f->builder, v, f->unit->i32, "");
    return llvm_runtime(f, small->kind == TYPE_F8E4M3 ? "sdfg_rt_f8e4m3_to_float" : "sdfg_rt_f8e5m2_to_float", &arg, 1);
}

static LLVMValueRef narrow_byte(struct llvm_func *f, const struct type *small, LLVMValueRef v)
{
    LLVMValueRef r =
        llvm_runtime(f, small->kind == TYPE_F8E4M3 ? "sdfg_rt_float_to_f8e4m3" : "sdfg_rt_float_to_f8e5m2", &v, 1);
    return LLVMBuildTrunc(f->builder, r, f->unit->i8, "");
}

LLVMValueRef llvm_widen(struct llvm_func *f, const struct type *small, LLVMValueRef v)
{
    if (small->kind == TYPE_F16)
        return LLVMBuildFPExt(f->builder, v, shaped(f->unit->f32, v), "");
    if (small->kind == TYPE_BF16)
        return widen_bfloat(f, v);
    return convert_lanes(f, v, f->unit->f32, widen_byte, small);
}

LLVMValueRef llvm_narrow(struct llvm_func *f, const struct type *small, LLVMValueRef v)
{
    if (small->kind == TYPE_F16)
        return LLVMBuildFPTrunc(f->builder, v, shaped(f->unit->f16, v), "");
    if (small->kind == TYPE_BF16)
        return narrow_bfloat(f, v);
    return convert_lanes(f, v, f->unit->i8, narrow_byte, small);
}

/* float64 to float32 rounded to odd: rounding the result to a float with at least two bits less is the same as rounding
 * once. */
static LLVMValueRef round_to_odd(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef f32 = shaped(f->unit->f32, v), i32 = shaped(f->unit->i32, v), f64 = LLVMTypeOf(v);
    LLVMValueRef near = LLVMBuildFPTrunc(b, v, f32, "");
    LLVMValueRef back = LLVMBuildFPExt(b, near, f64, "");
    LLVMValueRef a = llvm_intrinsic(f, "llvm.fabs", f64, &back, 1), c = llvm_intrinsic(f, "llvm.fabs", f64, &v, 1);
    LLVMValueRef bits = LLVMBuildBitCast(b, near, i32, "");
    LLVMValueRef away = LLVMBuildZExt(b, LLVMBuildFCmp(b, LLVMRealOGT, a, c, ""), i32, "");
    LLVMValueRef odd = LLVMBuildOr(b, LLVMBuildSub(b, bits, away, ""), llvm_const_int(i32, 1), "");
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, back, v, "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, inexact, odd, bits, ""), f32, "");
}

/* ---- floats and integers ---- */

/* To int32 or int64; what does not fit becomes the smallest integer. The comparison is false for NaN, and the unused
 * result of the conversion does no harm: a select does not pass on what it does not choose. */
static LLVMValueRef float_to_signed(struct llvm_func *f, LLVMValueRef v, unsigned bits)
{
    LLVMTypeRef from = LLVMTypeOf(v), to = shaped(bits == 32 ? f->unit->i32 : f->unit->i64, v);
    LLVMValueRef magnitude = llvm_intrinsic(f, "llvm.fabs", from, &v, 1);
    LLVMValueRef fits =
        LLVMBuildFCmp(f->builder, LLVMRealOLT, magnitude, llvm_const_float(from, ldexp(1, (int)bits - 1)), "");
    LLVMValueRef lowest = llvm_const_int(to, bits == 32 ? INT32_MIN : INT64_MIN);
    return LLVMBuildSelect(f->builder, fits, LLVMBuildFPToSI(f->builder, v, to, ""), lowest, "");
}

static LLVMValueRef float_to_uint64(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef from = LLVMTypeOf(v), to = shaped(f->unit->i64, v);
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
    return to->size * 8 == bits ? r : LLVMBuildTrunc(f->builder, r, shaped(llvm_type(f->unit, to), v), "");
}

static LLVMValueRef int_to_int(struct llvm_func *f, const struct type *to, const struct type *from, LLVMValueRef v)
{
    LLVMTypeRef type = shaped(llvm_type(f->unit, to), v);
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
        LLVMValueRef wide = from->kind == TYPE_F64 ? round_to_odd(f, v) : to_float(f, basic(f, TYPE_F32), from, v);
        return llvm_narrow(f, to, wide);
    }
    LLVMTypeRef type = shaped(llvm_type(f->unit, to), v);
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

struct value llvm_cast(struct llvm_func *f, const struct type *to, const struct type *from, struct value v)
{
    if (to == from)
        return v;
    const struct type *target = llvm_type_scalar(to), *source = llvm_type_scalar(from);
    if (to->kind == TYPE_VECTOR && from->kind != TYPE_VECTOR) {
        struct value lane = llvm_cast(f, target, from, v);
        return (struct value){ llvm_splat(f, llvm_type(f->unit, to), lane.v), NULL };
    }
    if (target->kind == TYPE_BOOL)
        return (struct value){ llvm_truth(f, from, v), NULL };
    if (type_is_complex(target)) {
        const struct type *part = llvm_type_part(f, target);
        if (!type_is_complex(source))
            return (struct value){ llvm_cast(f, part, source, v).v, LLVMConstNull(llvm_type(f->unit, part)) };
        const struct type *old = llvm_type_part(f, source);
        return (struct value){ to_float(f, part, old, v.v), to_float(f, part, old, v.im) };
    }
    if (type_is_complex(source))
        return llvm_cast(f, to, llvm_type_part(f, source), (struct value){ v.v, NULL });
    if (is_address(target) || is_address(source))
        return (struct value){ cast_address(f, target, source, v.v), NULL };
    if (type_is_float(target))
        return (struct value){ to_float(f, target, source, v.v), NULL };
    if (llvm_type_is_small_float(source))
        return (struct value){ float_to_int(f, target, llvm_widen(f, source, v.v)), NULL };
    if (type_is_float(source))
        return (struct value){ float_to_int(f, target, v.v), NULL };
    return (struct value){ int_to_int(f, target, source, v.v), NULL };
}

/* ---- bytes ---- */

static LLVMTypeRef memory_vector(struct llvm_func *f, const struct type *t)
{
    if (type_is_complex(t))
        return LLVMVectorType(llvm_type(f->unit, t), 2);
    LLVMTypeRef scalar = t->kind == TYPE_VECTOR ? llvm_type_memory(f->unit, t->elem) : llvm_type_memory(f->unit, t);
    return t->kind == TYPE_VECTOR ? LLVMVectorType(scalar, t->lanes) : scalar;
}

LLVMValueRef llvm_to_memory(struct llvm_func *f, const struct type *t, struct value v)
{
    if (type_is_complex(t)) {
        LLVMValueRef pair = LLVMGetPoison(memory_vector(f, t));
        pair = LLVMBuildInsertElement(f->builder, pair, v.v, llvm_int(f->unit->i32, 0), "");
        return LLVMBuildInsertElement(f->builder, pair, v.im, llvm_int(f->unit->i32, 1), "");
    }
    if (llvm_type_scalar(t)->kind == TYPE_BOOL)
        return LLVMBuildZExt(f->builder, v.v, memory_vector(f, t), "");
    return v.v;
}

struct value llvm_from_memory(struct llvm_func *f, const struct type *t, LLVMValueRef v)
{
    if (type_is_complex(t)) {
        LLVMValueRef re = LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 0), "");
        return (struct value){ re, LLVMBuildExtractElement(f->builder, v, llvm_int(f->unit->i32, 1), "") };
    }
    if (llvm_type_scalar(t)->kind == TYPE_BOOL)
        return (struct value){ LLVMBuildICmp(f->builder, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), ""), NULL };
    return (struct value){ v, NULL };
}

struct value llvm_bits(struct llvm_func *f, const struct type *to, const struct type *from, struct value v)
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
