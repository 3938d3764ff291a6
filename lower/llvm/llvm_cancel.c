/* Where a call can be stopped (sdfg_call_cancel): sequential code of `main` compares the number of requests with what
 * it was when the call began, and returns if they differ.
 *
 * That is done where little else is going on: before loop nests, parallel regions and library calls that no loop
 * contains, and at back edges of loops around long ones. Loops that are innermost keep the form that the optimizer
 * wants; code of parallel regions returns when the region ends. */
#include "lower/llvm/llvm_emit.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rows.h"
#include "runtime/abi.h"

#include <stddef.h>

enum {
    SHORT = 32, /* iterations of loops that do not count as long */
    NEST = 2    /* a depth from which on one iteration of a loop around it takes a while */
};

static bool is_short(const struct tree_stmt *s)
{
    int64_t span;
    return s->kind == STMT_FOR && s->begin->op == EXPR_INT && s->end->op == EXPR_INT && s->step->op == EXPR_INT &&
           !__builtin_sub_overflow(s->end->i, s->begin->i, &span) && span / SHORT <= s->step->i;
}

static bool is_library_call(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && callee_multiplies(stmt_callee(s));
}

static void deepest(void *user, const struct tree_stmt *s);

/* Long loops around each other, at most, in `s`. */
static unsigned depth(const struct tree_stmt *s)
{
    if (s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL)
        return NEST;
    unsigned most = is_library_call(s);
    llvm_children(s, deepest, &most);
    return most + ((stmt_rows[s->kind].flags & STMT_LOOPS) && !is_short(s));
}

static void deepest(void *user, const struct tree_stmt *s)
{
    unsigned *most = user, d = depth(s);
    *most = d > *most ? d : *most;
}

bool llvm_cancel_in(const struct tree_stmt *s)
{
    return depth(s) || llvm_contains(s, STMT_GOTO) || llvm_contains(s, STMT_WHILE) || llvm_contains(s, STMT_DO);
}

void llvm_cancel_point(struct llvm_func *f)
{
    struct llvm_unit *u = f->unit;
    if (!f->job->stoppable || f->critical)
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
    struct llvm_if i = llvm_flow_if(f, LLVMBuildICmp(f->builder, LLVMIntNE, now, began, ""));
    llvm_runtime(f, "sdfg_rt_cancelled", &f->context, 1);
    llvm_flow_return(f);
    llvm_flow_end(f, &i);
}

void llvm_cancel_before(struct llvm_func *f, const struct tree_stmt *s)
{
    bool takes_long =
        stmt_rows[s->kind].flags & STMT_LOOPS ? depth(s) >= NEST : s->kind == STMT_PARALLEL || is_library_call(s);
    if (takes_long && f->job->stoppable && !f->loop)
        llvm_cancel_point(f);
}

void llvm_cancel_again(struct llvm_func *f, const struct tree_stmt *loop)
{
    unsigned d = f->job->stoppable ? depth(loop->body) : 0;
    if (d >= NEST || (!f->loop && (d || loop->kind != STMT_FOR)))
        llvm_cancel_point(f);
}
