/* Statements for a device. Code for the host has none as long as its tree comes from the passes for the CPU. */
#include "lower/llvm/llvm_emit.h"

void llvm_stmt_device(struct llvm_func *f, const struct tree_stmt *s)
{
    (void)s;
    llvm_bug(f, "a statement for a device in code for the host");
}

struct value llvm_expr_thread(struct llvm_func *f, const struct tree_expr *e)
{
    (void)e;
    llvm_bug(f, "a thread of a kernel in code for the host");
    return (struct value){ LLVMGetPoison(f->unit->i32), NULL };
}
