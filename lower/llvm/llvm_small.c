/* Floats narrower than 32 bits. Registers hold float16 as LLVM's half, the others as their bits; all arithmetic is done
 * in float32. Only instructions of the target and functions of our runtime are used, never the compiler's own runtime
 * library. */
#include "lower/llvm/llvm_emit.h"

/* `scalar` itself, or a vector of it with the lanes of `shape`. */
LLVMTypeRef llvm_shaped(LLVMTypeRef scalar, LLVMValueRef shape)
{
    LLVMTypeRef t = LLVMTypeOf(shape);
    return llvm_is_vector(t) ? llvm_with_lanes(t, scalar) : scalar;
}

static LLVMValueRef widen_bfloat(struct llvm_func *f, LLVMValueRef v)
{
    LLVMTypeRef i32 = llvm_shaped(f->unit->i32, v);
    LLVMValueRef wide = LLVMBuildZExt(f->builder, v, i32, "");
    return LLVMBuildBitCast(f->builder, LLVMBuildShl(f->builder, wide, llvm_const_int(i32, 16), ""),
                            llvm_shaped(f->unit->f32, v), "");
}

/* Round to nearest even on the upper half; a NaN keeps its sign and becomes quiet. */
static LLVMValueRef narrow_bfloat(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef i32 = llvm_shaped(f->unit->i32, v);
    LLVMValueRef bits = LLVMBuildBitCast(b, v, i32, "");
    LLVMValueRef high = LLVMBuildLShr(b, bits, llvm_const_int(i32, 16), "");
    LLVMValueRef odd = LLVMBuildAnd(b, high, llvm_const_int(i32, 1), "");
    LLVMValueRef bias = LLVMBuildAdd(b, odd, llvm_const_int(i32, 0x7fff), "");
    LLVMValueRef rounded = LLVMBuildLShr(b, LLVMBuildAdd(b, bits, bias, ""), llvm_const_int(i32, 16), "");
    LLVMValueRef quiet = LLVMBuildOr(b, high, llvm_const_int(i32, 0x40), "");
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    return LLVMBuildTrunc(b, LLVMBuildSelect(b, nan, quiet, rounded, ""), llvm_shaped(f->unit->i16, v), "");
}

/* The exponent is moved by a multiplication, which also takes care of subnormal numbers. */
static LLVMValueRef widen_half(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef i32 = llvm_shaped(f->unit->i32, v), f32 = llvm_shaped(f->unit->f32, v);
    LLVMValueRef bits = LLVMBuildZExt(b, LLVMBuildBitCast(b, v, llvm_shaped(f->unit->i16, v), ""), i32, "");
    LLVMValueRef rest = LLVMBuildAnd(b, bits, llvm_const_int(i32, 0x7fff), "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildXor(b, bits, rest, ""), llvm_const_int(i32, 16), "");
    LLVMValueRef wide = LLVMBuildShl(b, rest, llvm_const_int(i32, 13), "");
    LLVMValueRef scaled = LLVMBuildFMul(b, LLVMBuildBitCast(b, wide, f32, ""), llvm_const_float(f32, 0x1p112), "");
    LLVMValueRef special = LLVMBuildOr(b, wide, llvm_const_int(i32, 0x7f800000), "");
    LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, rest, llvm_const_int(i32, 0x7c00), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_special, special, LLVMBuildBitCast(b, scaled, i32, ""), "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, r, sign, ""), f32, "");
}

/* Three ranges of the magnitude: infinity and NaN; what becomes subnormal, rounded by adding 0.5, whose last place is
 * that of a subnormal number; and the rest, where the exponent is moved and the lower bits are rounded to even. */
static LLVMValueRef narrow_half(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef i32 = llvm_shaped(f->unit->i32, v), f32 = LLVMTypeOf(v);
    LLVMValueRef bits = LLVMBuildBitCast(b, v, i32, "");
    LLVMValueRef rest = LLVMBuildAnd(b, bits, llvm_const_int(i32, 0x7fffffff), "");
    LLVMValueRef sign = LLVMBuildLShr(b, LLVMBuildXor(b, bits, rest, ""), llvm_const_int(i32, 16), "");
    LLVMValueRef nan = LLVMBuildICmp(b, LLVMIntUGT, rest, llvm_const_int(i32, 0x7f800000), "");
    LLVMValueRef special = LLVMBuildSelect(b, nan, llvm_const_int(i32, 0x7e00), llvm_const_int(i32, 0x7c00), "");
    LLVMValueRef half = llvm_const_float(f32, 0.5);
    LLVMValueRef shifted = LLVMBuildBitCast(b, LLVMBuildFAdd(b, LLVMBuildBitCast(b, rest, f32, ""), half, ""), i32, "");
    LLVMValueRef subnormal = LLVMBuildSub(b, shifted, llvm_const_int(i32, 0x3f000000), "");
    LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, rest, llvm_const_int(i32, 13), ""), llvm_const_int(i32, 1), "");
    LLVMValueRef bias = LLVMBuildAdd(b, odd, llvm_const_int(i32, 0xfff - (112 << 23)), "");
    LLVMValueRef normal = LLVMBuildLShr(b, LLVMBuildAdd(b, rest, bias, ""), llvm_const_int(i32, 13), "");
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntULT, rest, llvm_const_int(i32, 113 << 23), "");
    LLVMValueRef is_special = LLVMBuildICmp(b, LLVMIntUGE, rest, llvm_const_int(i32, 143 << 23), "");
    LLVMValueRef r = LLVMBuildSelect(b, is_special, special, LLVMBuildSelect(b, is_small, subnormal, normal, ""), "");
    r = LLVMBuildTrunc(b, LLVMBuildOr(b, r, sign, ""), llvm_shaped(f->unit->i16, v), "");
    return LLVMBuildBitCast(b, r, llvm_shaped(f->unit->f16, v), "");
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
    if (small->kind == TYPE_F16 && f->soft_half)
        return widen_half(f, v);
    if (small->kind == TYPE_F16)
        return LLVMBuildFPExt(f->builder, v, llvm_shaped(f->unit->f32, v), "");
    if (small->kind == TYPE_BF16)
        return widen_bfloat(f, v);
    return convert_lanes(f, v, f->unit->f32, widen_byte, small);
}

LLVMValueRef llvm_narrow(struct llvm_func *f, const struct type *small, LLVMValueRef v)
{
    if (small->kind == TYPE_F16 && f->soft_half)
        return narrow_half(f, v);
    if (small->kind == TYPE_F16)
        return LLVMBuildFPTrunc(f->builder, v, llvm_shaped(f->unit->f16, v), "");
    if (small->kind == TYPE_BF16)
        return narrow_bfloat(f, v);
    return convert_lanes(f, v, f->unit->i8, narrow_byte, small);
}

/* float64 to float32 rounded to odd: rounding the result to a float with at least two bits less is the same as rounding
 * once. */
LLVMValueRef llvm_round_to_odd(struct llvm_func *f, LLVMValueRef v)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef f32 = llvm_shaped(f->unit->f32, v), i32 = llvm_shaped(f->unit->i32, v), f64 = LLVMTypeOf(v);
    LLVMValueRef near = LLVMBuildFPTrunc(b, v, f32, "");
    LLVMValueRef back = LLVMBuildFPExt(b, near, f64, "");
    LLVMValueRef a = llvm_intrinsic(f, "llvm.fabs", f64, &back, 1), c = llvm_intrinsic(f, "llvm.fabs", f64, &v, 1);
    LLVMValueRef bits = LLVMBuildBitCast(b, near, i32, "");
    LLVMValueRef away = LLVMBuildZExt(b, LLVMBuildFCmp(b, LLVMRealOGT, a, c, ""), i32, "");
    LLVMValueRef odd = LLVMBuildOr(b, LLVMBuildSub(b, bits, away, ""), llvm_const_int(i32, 1), "");
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, back, v, "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, inexact, odd, bits, ""), f32, "");
}
