#include "jit/internal.h"

/* Vector loops that keep the larger of two values, `if (p[i] < x) p[i] = x`, end as
 *
 *     %old = load p;  %c = fcmp olt %old, %x;  store select(%c, %x, %old), p
 *
 * of which LLVM's code generator makes a masked store rather than a maximum: stores that later loads cannot be served
 * from, and on AMD's processors without AVX-512 dozens of operations each (a loop over states of a Markov model is 7
 * times slower by that). It looks for the load itself. A frozen one is the same value, and is not seen. */
static void freeze_kept_value(LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), place = LLVMGetOperand(store, 1);
    if (!LLVMIsASelectInst(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
        return;
    LLVMValueRef kept = LLVMGetOperand(value, 2), test = LLVMGetOperand(value, 0);
    if (!LLVMIsALoadInst(kept) || LLVMGetOperand(kept, 0) != place)
        return;
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(kept));
    LLVMValueRef frozen = LLVMBuildFreeze(b, kept, "kept");
    LLVMSetOperand(value, 2, frozen);
    for (unsigned i = 0; LLVMIsAFCmpInst(test) && i < 2; i++)
        if (LLVMGetOperand(test, i) == kept)
            LLVMSetOperand(test, i, frozen);
}

void jit_keep_plain_stores(struct jit_unit *u)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAStoreInst(i))
                    freeze_kept_value(b, i);
    LLVMDisposeBuilder(b);
}
