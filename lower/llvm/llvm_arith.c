#include "lower/llvm/llvm_emit.h"

static bool is_product(LLVMValueRef v) { return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul; }

/* Flags by --fp. A product and the sum it goes into may become one fused operation, wherever the product was computed,
 * if it did not go through memory. An accumulator may also take its terms in any order. */
LLVMValueRef llvm_fp(struct llvm_func *f, LLVMValueRef v)
{
    LLVMFastMathFlags flags = LLVMFastMathNone;
    enum llvm_fp mode = f->emitter->options->fp;
    if (mode == LLVM_FP_FAST)
        flags = LLVMFastMathAll;
    else if (mode == LLVM_FP_DEFAULT && f->reassociate)
        flags = LLVMFastMathAllowContract | LLVMFastMathAllowReassoc;
    else if (mode == LLVM_FP_DEFAULT && (f->fuse || is_product(v)))
        flags = LLVMFastMathAllowContract;
    if (flags && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, flags);
    return v;
}

struct llvm_value llvm_select(struct llvm_func *f, LLVMValueRef condition, struct llvm_value a, struct llvm_value b)
{
    struct llvm_value r = { LLVMBuildSelect(f->builder, condition, a.v, b.v, ""), NULL };
    if (a.im)
        r.im = LLVMBuildSelect(f->builder, condition, a.im, b.im, "");
    return r;
}

/* ---- integers ---- */

/* No divisor traps: for -1 and 0 the quotient is (-a) & b, that is -a and 0, and the remainder 0; the machine divides
 * by 1 then. */
static LLVMValueRef int_divide(struct llvm_func *f, bool is_signed, bool remainder, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef q = f->builder;
    LLVMTypeRef t = LLVMTypeOf(a);
    LLVMOpcode op = is_signed ? remainder ? LLVMSRem : LLVMSDiv : remainder ? LLVMURem : LLVMUDiv;
    if (LLVMIsAConstantInt(b) && (uint64_t)LLVMConstIntGetSExtValue(b) + 1 > 1)
        return LLVMBuildBinOp(q, op, a, b, "");
    LLVMValueRef one = llvm_const_int(t, 1), zero = LLVMConstNull(t);
    LLVMValueRef special = is_signed
                               ? LLVMBuildICmp(q, LLVMIntULT, LLVMBuildAdd(q, b, one, ""), llvm_const_int(t, 2), "")
                               : LLVMBuildICmp(q, LLVMIntEQ, b, zero, "");
    LLVMValueRef r = LLVMBuildBinOp(q, op, a, LLVMBuildSelect(q, special, one, b, ""), "");
    LLVMValueRef other = is_signed && !remainder ? LLVMBuildAnd(q, LLVMBuildNeg(q, a, ""), b, "") : zero;
    return LLVMBuildSelect(q, special, other, r, "");
}

static LLVMValueRef int_shift(struct llvm_func *f, LLVMOpcode op, const struct type *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef count = LLVMBuildAnd(f->builder, b, llvm_const_int(LLVMTypeOf(b), t->size * 8 - 1), "");
    return LLVMBuildBinOp(f->builder, op, a, count, "");
}

static LLVMValueRef int_extreme(struct llvm_func *f, bool least, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    const char *name = least ? is_signed ? "llvm.smin" : "llvm.umin" : is_signed ? "llvm.smax" : "llvm.umax";
    return llvm_intrinsic(f, name, LLVMTypeOf(a), (LLVMValueRef[]){ a, b }, 2);
}

static LLVMValueRef int_binary(struct llvm_func *f, enum expr_op op, const struct type *t, LLVMValueRef a,
                               LLVMValueRef b)
{
    LLVMBuilderRef q = f->builder;
    bool is_signed = type_is_signed(t);
    switch (op) {
    case EXPR_ADD:
        return LLVMBuildAdd(q, a, b, "");
    case EXPR_SUB:
        return LLVMBuildSub(q, a, b, "");
    case EXPR_MUL:
        return LLVMBuildMul(q, a, b, "");
    case EXPR_DIV:
        return int_divide(f, is_signed, false, a, b);
    case EXPR_REM:
        return int_divide(f, is_signed, true, a, b);
    case EXPR_AND:
        return LLVMBuildAnd(q, a, b, "");
    case EXPR_OR:
        return LLVMBuildOr(q, a, b, "");
    case EXPR_XOR:
        return LLVMBuildXor(q, a, b, "");
    case EXPR_SHL:
        return int_shift(f, LLVMShl, t, a, b);
    case EXPR_SHR:
        return int_shift(f, is_signed ? LLVMAShr : LLVMLShr, t, a, b);
    case EXPR_MIN:
        return int_extreme(f, true, is_signed, a, b);
    case EXPR_MAX:
        return int_extreme(f, false, is_signed, a, b);
    default:
        llvm_bug(f, "this operation does not apply to integers");
        return a;
    }
}

/* Sums and the like of truth values: the result in int, as a truth value again. */
static LLVMValueRef bool_binary(struct llvm_func *f, enum expr_op op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case EXPR_AND:
    case EXPR_MUL:
    case EXPR_MIN:
        return LLVMBuildAnd(f->builder, a, b, "");
    case EXPR_OR:
    case EXPR_ADD:
    case EXPR_MAX:
        return LLVMBuildOr(f->builder, a, b, "");
    case EXPR_XOR:
    case EXPR_SUB:
        return LLVMBuildXor(f->builder, a, b, "");
    default:
        llvm_bug(f, "this operation does not apply to truth values");
        return a;
    }
}

/* ---- floats ---- */

/* An accumulator may take its terms in any order, so a NaN among them may give NaN or not. The form that always gives
 * NaN is the one that vectorizes. */
static LLVMValueRef float_extreme(struct llvm_func *f, bool least, LLVMValueRef a, LLVMValueRef b)
{
    if (f->reassociate && f->emitter->options->fp == LLVM_FP_DEFAULT) {
        const char *name = least ? "llvm.minimum" : "llvm.maximum";
        LLVMValueRef r = llvm_intrinsic(f, name, LLVMTypeOf(a), (LLVMValueRef[]){ a, b }, 2);
        LLVMSetFastMathFlags(r, LLVMFastMathNoSignedZeros);
        return r;
    }
    LLVMValueRef first = llvm_fp(f, LLVMBuildFCmp(f->builder, least ? LLVMRealOLT : LLVMRealOGT, a, b, ""));
    return llvm_fp(f, LLVMBuildSelect(f->builder, first, a, b, ""));
}

static LLVMValueRef float_binary(struct llvm_func *f, enum expr_op op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef q = f->builder;
    switch (op) {
    case EXPR_ADD:
        return llvm_fp(f, LLVMBuildFAdd(q, a, b, ""));
    case EXPR_SUB:
        return llvm_fp(f, LLVMBuildFSub(q, a, b, ""));
    case EXPR_MUL:
        return llvm_fp(f, LLVMBuildFMul(q, a, b, ""));
    case EXPR_DIV:
        return llvm_fp(f, LLVMBuildFDiv(q, a, b, ""));
    case EXPR_REM:
        return llvm_fp(f, LLVMBuildFRem(q, a, b, ""));
    case EXPR_MIN:
        return float_extreme(f, true, a, b);
    case EXPR_MAX:
        return float_extreme(f, false, a, b);
    default:
        llvm_bug(f, "this operation does not apply to floats");
        return a;
    }
}

struct llvm_value llvm_binary(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a,
                              struct llvm_value b)
{
    const struct type *scalar = type_scalar(t);
    if (llvm_type_is_complex(t))
        return llvm_complex_binary(f, op, a, b);
    if (scalar->kind == TYPE_BOOL)
        return (struct llvm_value){ bool_binary(f, op, a.v, b.v), NULL };
    if (llvm_type_is_small_float(scalar)) {
        LLVMValueRef r = float_binary(f, op, llvm_widen(f, scalar, a.v), llvm_widen(f, scalar, b.v));
        return (struct llvm_value){ llvm_narrow(f, scalar, r), NULL };
    }
    if (op == EXPR_REM && type_is_float(scalar) && t->kind == TYPE_VECTOR)
        return (struct llvm_value){ llvm_vector_math(f, TREE_MATH_fmod, t, (struct llvm_value[]){ a, b }), NULL };
    if (type_is_float(scalar))
        return (struct llvm_value){ float_binary(f, op, a.v, b.v), NULL };
    if (type_is_integer(scalar))
        return (struct llvm_value){ int_binary(f, op, scalar, a.v, b.v), NULL };
    llvm_bug(f, "arithmetic on something that is no number");
    return a;
}

struct llvm_value llvm_unary(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a)
{
    const struct type *scalar = type_scalar(t);
    if (op == EXPR_BITNOT)
        return (struct llvm_value){ LLVMBuildNot(f->builder, a.v, ""), NULL };
    if (llvm_type_is_complex(t))
        return (struct llvm_value){ LLVMBuildFNeg(f->builder, a.v, ""), LLVMBuildFNeg(f->builder, a.im, "") };
    if (llvm_type_is_small_float(scalar)) {
        LLVMValueRef negative = LLVMBuildFNeg(f->builder, llvm_widen(f, scalar, a.v), "");
        return (struct llvm_value){ llvm_narrow(f, scalar, negative), NULL };
    }
    if (type_is_float(scalar))
        return (struct llvm_value){ LLVMBuildFNeg(f->builder, a.v, ""), NULL };
    return (struct llvm_value){ scalar->kind == TYPE_BOOL ? a.v : LLVMBuildNeg(f->builder, a.v, ""), NULL };
}

/* ---- comparisons ---- */

static const struct {
    LLVMIntPredicate with_sign, without_sign;
    LLVMRealPredicate real;
} predicates[] = {
    [EXPR_EQ - EXPR_EQ] = { LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ },
    [EXPR_NE - EXPR_EQ] = { LLVMIntNE, LLVMIntNE, LLVMRealUNE },
    [EXPR_LT - EXPR_EQ] = { LLVMIntSLT, LLVMIntULT, LLVMRealOLT },
    [EXPR_LE - EXPR_EQ] = { LLVMIntSLE, LLVMIntULE, LLVMRealOLE },
    [EXPR_GT - EXPR_EQ] = { LLVMIntSGT, LLVMIntUGT, LLVMRealOGT },
    [EXPR_GE - EXPR_EQ] = { LLVMIntSGE, LLVMIntUGE, LLVMRealOGE },
};

LLVMValueRef llvm_compare(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a,
                          struct llvm_value b)
{
    const struct type *scalar = type_scalar(t);
    LLVMRealPredicate real = predicates[op - EXPR_EQ].real;
    if (llvm_type_is_complex(t)) {
        LLVMValueRef re = LLVMBuildFCmp(f->builder, real, a.v, b.v, ""),
                     im = LLVMBuildFCmp(f->builder, real, a.im, b.im, "");
        if (op == EXPR_EQ)
            return LLVMBuildAnd(f->builder, re, im, "");
        if (op != EXPR_NE)
            llvm_bug(f, "complex numbers have no order");
        return LLVMBuildOr(f->builder, re, im, "");
    }
    if (llvm_type_is_small_float(scalar))
        return LLVMBuildFCmp(f->builder, real, llvm_widen(f, scalar, a.v), llvm_widen(f, scalar, b.v), "");
    if (type_is_float(scalar))
        return llvm_fp(f, LLVMBuildFCmp(f->builder, real, a.v, b.v, ""));
    if (type_is_signed(scalar))
        return LLVMBuildICmp(f->builder, predicates[op - EXPR_EQ].with_sign, a.v, b.v, "");
    return LLVMBuildICmp(f->builder, predicates[op - EXPR_EQ].without_sign, a.v, b.v, "");
}

LLVMValueRef llvm_truth(struct llvm_func *f, const struct type *t, struct llvm_value v)
{
    if (type_scalar(t)->kind == TYPE_BOOL)
        return v.v;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v.v));
    return llvm_compare(f, EXPR_NE, t, v, (struct llvm_value){ zero, v.im ? zero : NULL });
}
