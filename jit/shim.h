/* What LLVM's C interface lacks; the only C++ of the project is behind it (jit/shim.cpp). */
#ifndef JIT_SHIM_H
#define JIT_SHIM_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `no_memory` is called when LLVM finds no memory, and decides whether it comes back: then the process goes on as
 * without it. `gave_up` hears the other fatal errors in the same way. Once per process. */
void shim_on_failure(void (*no_memory)(void), void (*gave_up)(const char *reason));

/* The names that a target knows, each given to `name` once; false if there is no such target. */
bool shim_processors(const char *triple, void (*name)(void *user, const char *text, size_t length), void *user);
bool shim_features(const char *triple, void (*name)(void *user, const char *text, size_t length), void *user);

/* Runs passes over a module, as LLVMRunPasses does with default options. One more has a name: "known-conditions" (and
 * runs in front of the vectorizer of "default<On>"): uses of a branch condition that an edge of the branch dominates
 * become constants. The loop vectorizer of LLVM 22 miscompiles a select whose condition is also one of its operands: it
 * inverts the comparison in place and swaps the operands twice. NULL, or what is wrong with the names (malloc'ed). */
char *shim_run_passes(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine);

/* Heads of loops lie at multiples of `bytes`, a power of two. */
void shim_align_loops(LLVMTargetMachineRef machine, unsigned bytes);

/* The functions of an object file with debug lines, each as ranges of its code: bytes from its begin, the last one
 * excluded, and the number of the line; 0: none. NULL, or why it cannot be read (malloc'ed). */
typedef void shim_range(void *user, const char *function, size_t length, uint64_t begin, uint64_t end, uint32_t line);
char *shim_lines(const char *object, size_t size, shim_range *range, void *user);

#ifdef __cplusplus
}
#endif

#endif
