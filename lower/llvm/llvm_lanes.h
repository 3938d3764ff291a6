/* Vectors of float32 and float64 that the emitter makes itself: in memory from any element on, of some only the first
 * lanes. */
#ifndef LOWER_LLVM_LANES_H
#define LOWER_LLVM_LANES_H

#include "lower/llvm/llvm_emit.h"

enum { LLVM_LANES_MAX = 16, LLVM_LANES_GROUP = 4 };

struct llvm_lanes {
    LLVMTypeRef type;  /* the number itself where there is one lane */
    unsigned bytes;    /* of a number */
    LLVMValueRef mask; /* of the lanes that are in memory, NULL: all of them */
};

/* The first `count` of `lanes` (a power of two up to LLVM_LANES_MAX) are in memory. */
struct llvm_lanes llvm_lanes(struct llvm_func *f, const struct type *number, int64_t lanes, int64_t count);
/* Lanes that are not in memory are loaded as 0, and neither read nor written there. */
LLVMValueRef llvm_lanes_load(struct llvm_func *f, const struct llvm_lanes *s, LLVMValueRef at);
void llvm_lanes_store(struct llvm_func *f, const struct llvm_lanes *s, LLVMValueRef v, LLVMValueRef at);
/* The lanes of a vector, and those of each of LLVM_LANES_GROUP vectors, added up in pairs. */
LLVMValueRef llvm_lanes_sum(struct llvm_func *f, LLVMValueRef v);
LLVMValueRef llvm_lanes_sums(struct llvm_func *f, const LLVMValueRef *v);

#endif
