/* Calls that are stopped (sdfg_call_cancel): at the places of lower/tree/tree_stop.h the number of requests is compared
 * with what it was when the call began; if they differ, the function returns. */
#include "lower/llvm/llvm_emit.h"
#include "lower/tree/tree_stop.h"
#include "runtime/abi.h"

#include <stddef.h>

void llvm_cancel_point(struct llvm_func *f)
{
    struct llvm_unit *u = f->unit;
    if (!f->code->stoppable || f->critical)
        return;
    LLVMValueRef began =
        LLVMBuildLoad2(f->builder, u->i32, llvm_context_field(f, offsetof(struct sdfg_rt_context, cancelled)), "began");
    LLVMValueRef at = LLVMBuildLoad2(f->builder, u->pointer,
                                     llvm_context_field(f, offsetof(struct sdfg_rt_context, cancel)), "cancel");
    llvm_meta_internal(f, began);
    llvm_meta_internal(f, at);
    LLVMValueRef now = LLVMBuildLoad2(f->builder, u->i32, at, "now");
    LLVMSetOrdering(now, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(now, sizeof(uint32_t));
    LLVMBasicBlockRef on = llvm_block(f, "on");
    bool first = !f->cancelled;
    if (first)
        f->cancelled = llvm_block(f, "cancelled");
    LLVMBuildCondBr(f->builder, LLVMBuildICmp(f->builder, LLVMIntEQ, now, began, ""), on, f->cancelled);
    if (first) {
        llvm_block_begin(f, f->cancelled);
        llvm_runtime(f, "sdfg_rt_cancelled", &f->context, 1);
        llvm_flow_return(f);
    }
    llvm_block_begin(f, on);
}

void llvm_cancel_before(struct llvm_func *f, const struct tree_stmt *s)
{
    if (f->code->stoppable && !f->loop && tree_stops_before(s))
        llvm_cancel_point(f);
}

void llvm_cancel_again(struct llvm_func *f, const struct tree_stmt *loop)
{
    if (f->code->stoppable && tree_stops_again(loop, f->loop != NULL))
        llvm_cancel_point(f);
}
