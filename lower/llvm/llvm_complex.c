#include "lower/llvm/llvm_emit.h"

/* Smith's division: the divisor's larger part is taken out, so that nothing overflows before the result does. A zero
 * divisor gives what the parts divided by zero give. */
static struct llvm_value complex_divide(struct llvm_func *f, struct llvm_value a, struct llvm_value b)
{
    LLVMBuilderRef q = f->builder;
    LLVMTypeRef t = LLVMTypeOf(b.v);
    LLVMValueRef absolute_re = llvm_intrinsic(f, "llvm.fabs", t, &b.v, 1),
                 absolute_im = llvm_intrinsic(f, "llvm.fabs", t, &b.im, 1);
    LLVMValueRef real_larger = LLVMBuildFCmp(q, LLVMRealOGE, absolute_re, absolute_im, "");
    LLVMValueRef large = LLVMBuildSelect(q, real_larger, b.v, b.im, ""),
                 small = LLVMBuildSelect(q, real_larger, b.im, b.v, "");
    LLVMValueRef x = LLVMBuildSelect(q, real_larger, a.v, a.im, ""), y = LLVMBuildSelect(q, real_larger, a.im, a.v, "");
    LLVMValueRef is_zero = LLVMBuildFCmp(q, LLVMRealOEQ, large, LLVMConstNull(t), "");
    LLVMValueRef ratio =
        LLVMBuildSelect(q, is_zero, LLVMConstNull(t), llvm_fp(f, LLVMBuildFDiv(q, small, large, "")), "");
    LLVMValueRef scale = llvm_fp(f, LLVMBuildFAdd(q, large, llvm_fp(f, LLVMBuildFMul(q, small, ratio, "")), ""));
    LLVMValueRef re = llvm_fp(f, LLVMBuildFAdd(q, x, llvm_fp(f, LLVMBuildFMul(q, y, ratio, "")), ""));
    LLVMValueRef im = llvm_fp(f, LLVMBuildFSub(q, y, llvm_fp(f, LLVMBuildFMul(q, x, ratio, "")), ""));
    im = LLVMBuildSelect(q, real_larger, im, LLVMBuildFNeg(q, im, ""), "");
    return (struct llvm_value){ llvm_fp(f, LLVMBuildFDiv(q, re, scale, "")),
                                llvm_fp(f, LLVMBuildFDiv(q, im, scale, "")) };
}

/* The products of one multiplication are rounded alike unless fast arithmetic is asked for: contracting one of two
 * would leave an imaginary part in z * conj(z). */
static struct llvm_value complex_multiply(struct llvm_func *f, struct llvm_value a, struct llvm_value b)
{
    LLVMBuilderRef q = f->builder;
    bool fast = f->emitter->options->fp == LLVM_FP_FAST;
    LLVMValueRef rr = LLVMBuildFMul(q, a.v, b.v, ""), ii = LLVMBuildFMul(q, a.im, b.im, "");
    LLVMValueRef ri = LLVMBuildFMul(q, a.v, b.im, ""), ir = LLVMBuildFMul(q, a.im, b.v, "");
    LLVMValueRef products[] = { rr, ii, ri, ir };
    for (int i = 0; fast && i < 4; i++)
        llvm_fp(f, products[i]);
    return (struct llvm_value){ llvm_fp(f, LLVMBuildFSub(q, rr, ii, "")), llvm_fp(f, LLVMBuildFAdd(q, ri, ir, "")) };
}

struct llvm_value llvm_complex_binary(struct llvm_func *f, enum expr_op op, struct llvm_value a, struct llvm_value b)
{
    LLVMBuilderRef q = f->builder;
    switch (op) {
    case EXPR_ADD:
        return (struct llvm_value){ llvm_fp(f, LLVMBuildFAdd(q, a.v, b.v, "")),
                                    llvm_fp(f, LLVMBuildFAdd(q, a.im, b.im, "")) };
    case EXPR_SUB:
        return (struct llvm_value){ llvm_fp(f, LLVMBuildFSub(q, a.v, b.v, "")),
                                    llvm_fp(f, LLVMBuildFSub(q, a.im, b.im, "")) };
    case EXPR_MUL:
        return complex_multiply(f, a, b);
    case EXPR_DIV:
        return complex_divide(f, a, b);
    default:
        llvm_bug(f, "this operation does not apply to complex numbers");
        return a;
    }
}
