/* Loop tree to LLVM IR. The emitter knows nothing of SDFGs.
 *
 * What the emitted code promises beyond the contract of lower/tree/tree.h:
 * - Integer division: a zero divisor gives 0 (quotient and remainder), the smallest integer divided by -1 wraps. No
 * trap.
 * - Shift counts are taken modulo the width.
 * - Float to integer: values out of range and NaN give what x86-64 gives, on all targets: the smallest int32 or int64;
 * narrower integers and uint32 are the low bits of the int32 or int64 result.
 * - bool in memory is a byte; any value but 0 reads as true.
 * - float64 to the 16- and 8-bit floats rounds once. bfloat16 is converted by integer operations, float16 by the
 * target's.
 * - Complex multiplication is the plain formula, not contracted; division is scaled (Smith) and gives infinities for a
 * zero divisor.
 * - A node that one statement uses several times is evaluated once, unless the uses are in different branches.
 * - STMT_ALLOC, heap: if the runtime gives null, the function returns (a caller of the outlined body tests the error
 * field). TREE_STATE: memory found in the slot is used again (`zero` then does nothing); the engine empties the slots
 * after "exit".
 * - With `stoppable`, "main" returns where it is when its call is cancelled; who called it frees what it has allocated.
 * - Atomic reductions are relaxed; kinds that have no instruction are compare-and-swap loops, complex ones (except
 * sums, which are added by parts) and vectors use the critical section of the runtime. */
#ifndef LOWER_LLVM_H
#define LOWER_LLVM_H

#include "lower/tree/tree.h"

#include <llvm-c/Core.h>

struct sdfg_rt_image;

/* The constant that code for a device refers to, if it has kernels. */
#define LLVM_DEVICE_IMAGE "sdfg_device_image"

enum llvm_fp { LLVM_FP_DEFAULT, LLVM_FP_STRICT, LLVM_FP_FAST };

/* Functions that other programs call, with the interface of DaCe's libraries (semantics.md 1.1): __dace_init_<name>,
 * __program_<name>, __dace_exit_<name>, those for external memory, and __sdfg_call_<name>, which is __program_<name>
 * with a result. */
struct llvm_export_argument {
    const char *name;
    const struct type *type; /* passed by value; NULL: a pointer */
    bool symbol;             /* known when the program is initialised */
    bool bound;              /* the code is for this value only */
    int64_t value;
};

struct llvm_export {
    const char *name;
    const struct llvm_export_argument *arguments; /* of __program_<name>, behind the handle */
    uint32_t num_arguments;
    const char *const *storages; /* with containers of lifetime External */
    const int64_t *storage_ids;
    uint32_t num_storages;
    int num_threads; /* 0: decided at run time */
};

struct llvm_options {
    enum llvm_fp fp; /* default: contraction of what is in registers, re-association only in accumulators */
    bool device;     /* the tree has statements for a device */
    const struct sdfg_rt_image *image; /* of its kernels, to be defined in the first unit; NULL: it is elsewhere */
    bool debug_info;                   /* DILocations from the places of statements */
    struct remarks *remarks;           /* or NULL: lines are numbers of remarks_number, for what LLVM says of loops */
    struct remarks *places;            /* or NULL: so it is with all statements, for jit_map */
    bool stoppable;                    /* "main" looks at `cancel` of its context now and then (tree_stop.h) */
    uint32_t unit_budget; /* statements per unit before functions are moved to another module; 0: one unit */
    /* Finds vector forms of mathematical functions (libmvec, up to 4 units in the last place); NULL: do not use any.
     * What it finds must be known to the linker. */
    void *(*vector_symbol)(const char *name);
    /* Makes a module (own context, triple and layout set) and decorates a function; both owned by the caller. */
    LLVMModuleRef (*module)(void *user, const char *name);
    void (*decorate)(void *user, LLVMValueRef function);
    void *user;
    const struct llvm_export *exports; /* NULL: none. Else nothing but these functions can be seen from outside */
};

/* Emits every function of the tree, void name(context, args): "sdfg_main", "sdfg_init", "sdfg_exit", "sdfg_workspace".
 * Outlined parallel bodies are "main.parallel<k>", parts of functions larger than the budget "main.part<k>". The code
 * is correct as it stands, but variables that are assigned more than once live in allocas of the entry block: run
 * `sroa` (or `mem2reg`) before anything else. */
bool llvm_emit(const struct tree *t, struct diags *d, const struct llvm_options *o);

/* Defines LLVM_DEVICE_IMAGE in a module, which others see unless it is `hidden`. What functions of the same module say
 * about it is resolved. */
void llvm_image(LLVMModuleRef module, const struct sdfg_rt_image *image, struct arena *a, bool hidden);

#endif
