#include "jit/internal.h"

#include <string.h>

/* Masked stores are what LLVM takes for two things that plain stores do as well. Without AVX-512, later loads cannot
 * be served from them, and on AMD's processors each takes dozens of operations. */

/* Vector loops that keep the larger of two values, `if (p[i] < x) p[i] = x`, end as
 *
 *     %old = load p;  %c = fcmp olt %old, %x;  store select(%c, %x, %old), p
 *
 * of which LLVM's code generator makes a masked store rather than a maximum (a loop over states of a Markov model is 7
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

/* The number of lanes in front of the first one that the mask leaves out; 0 if it is not constant or has lanes behind.
 */
static unsigned first_lanes(LLVMValueRef mask)
{
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(mask)), first = 0;
    if (!LLVMIsAConstantVector(mask))
        return 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef lane = LLVMGetAggregateElement(mask, i);
        bool known = LLVMIsAConstantInt(lane), set = known && LLVMConstIntGetZExtValue(lane);
        if (!known || (set && first != i))
            return 0;
        first += set;
    }
    return first;
}

/* Loops of a few iterations become one vector with a mask: its first lanes by two or three stores (lenet: 1.5 times
 * faster). */
static void store_first_lanes(LLVMBuilderRef b, LLVMValueRef call, unsigned lanes)
{
    LLVMValueRef value = LLVMGetOperand(call, 0), place = LLVMGetOperand(call, 1);
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
    LLVMContextRef c = LLVMGetTypeContext(element);
    LLVMTypeRef number = LLVMInt32TypeInContext(c);
    LLVMPositionBuilderBefore(b, call);
    for (unsigned at = 0, size; at < lanes; at += size) {
        LLVMValueRef index[64], offset = LLVMConstInt(LLVMInt64TypeInContext(c), at, 0);
        for (size = 1; 2 * size <= lanes - at; size *= 2)
            ;
        for (unsigned i = 0; i < size; i++)
            index[i] = LLVMConstInt(number, at + i, 0);
        LLVMValueRef part = size == 1 ? LLVMBuildExtractElement(b, value, index[0], "")
                                      : LLVMBuildShuffleVector(b, value, LLVMGetPoison(LLVMTypeOf(value)),
                                                               LLVMConstVector(index, size), "");
        LLVMValueRef store = LLVMBuildStore(b, part, LLVMBuildGEP2(b, element, place, &offset, 1, ""));
        LLVMSetAlignment(store, 1);
    }
    LLVMInstructionEraseFromParent(call);
}

static bool is_masked_store(LLVMValueRef i)
{
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName2(callee, &length), "llvm.masked.store.", 18);
}

void jit_keep_plain_stores(struct jit_unit *u, LLVMTargetMachineRef machine)
{
    char *features = LLVMGetTargetMachineFeatureString(machine);
    bool cheap = features && strstr(features, "+avx512vl"); /* masked stores */
    LLVMDisposeMessage(features);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                unsigned lanes =
                    !cheap && is_masked_store(i) ? first_lanes(LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1)) : 0;
                if (LLVMIsAStoreInst(i))
                    freeze_kept_value(b, i);
                else if (lanes)
                    store_first_lanes(b, i, lanes);
            }
    LLVMDisposeBuilder(b);
}
