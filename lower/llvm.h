/* Loop tree to LLVM IR. The emitter knows nothing of SDFGs. */
#ifndef LOWER_LLVM_H
#define LOWER_LLVM_H

#include "lower/tree.h"

#include <llvm-c/Core.h>

enum llvm_fp { LLVM_FP_DEFAULT, LLVM_FP_STRICT, LLVM_FP_FAST };

struct llvm_options {
    enum llvm_fp fp;       /* default: contraction allowed, re-association only in reductions */
    bool debug_info;       /* DILocations from the places of statements */
    uint32_t unit_budget;  /* statements per unit before functions are moved to another module; 0: one unit */
    /* Makes a module (own context, triple and layout set) and decorates a function; both owned by the caller. */
    LLVMModuleRef (*module)(void *user, const char *name);
    void (*decorate)(void *user, LLVMValueRef function);
    void *user;
};

/* Emits every function of the tree, void name(context, args): "sdfg_main", "sdfg_init", "sdfg_exit". */
bool llvm_emit(const struct tree *t, struct diags *d, const struct llvm_options *o);

#endif
