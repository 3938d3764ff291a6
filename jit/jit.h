/* From LLVM modules to code that can be called: target machine, optimization, objects, linking. Knows nothing of SDFGs.
 *
 * A `struct jit` serves one compilation. Modules are made in contexts of their own (one per unit, so that units can be compiled on several
 * threads) and handed over; jit_link compiles the units, adds the objects through ORC and finds the entry points. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "base/diag.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#define TAKES /* the callee owns it from here on, also on failure */

struct jit_options {
    int opt_level;          /* 0..3: LLVM's own default<On>; -1: the lean pipeline (docs/architecture.md) */
    bool debug_info, listeners;
    int num_threads;        /* for compiling; 0: one per unit up to the number of processors */
    const char *triple, *cpu, *features; /* NULL: this host */
    void *(*runtime_symbol)(const char *name);
};

enum jit_text { JIT_TEXT_LL, JIT_TEXT_LL_OPT, JIT_TEXT_ASM, JIT_TEXT_OBJECT };

struct jit;

struct jit *jit_new(struct arena *a, struct diags *d, const struct jit_options *o); /* NULL with ENVIRONMENT on failure */
void jit_free(struct jit *j); /* unloads the code */

/* A module of its own context, with triple, data layout and host attributes set. The context is owned by the jit. */
LLVMModuleRef jit_module(struct jit *j, const char *name);
/* Sets target-cpu, target-features and what every generated function needs. */
void jit_function_attributes(struct jit *j, LLVMValueRef function);

bool jit_compile(struct jit *j); /* optimizes and emits all modules made so far; they are consumed */
bool jit_link(struct jit *j);    /* after jit_compile */
void *jit_address(struct jit *j, const char *name); /* NULL if absent */
/* Text or object instead of code: consumes the modules (several units are joined). *text is in the arena. */
bool jit_text(struct jit *j, enum jit_text kind, const char **text, size_t *size);

size_t jit_code_bytes(const struct jit *j);
void jit_times(const struct jit *j, double *optimize, double *emit, double *link);
const char *jit_version(void);

#endif
