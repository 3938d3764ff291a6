/* From LLVM modules to code that can be called: target machine, optimization, objects, linking. Knows nothing of SDFGs.
 *
 * A `struct jit` serves one compilation. Modules are made in contexts of their own (one per unit, so that units can be
 * compiled on several threads) and handed over; jit_link compiles the units, places the objects in memory and finds the
 * entry points.
 *
 * One jit belongs to one thread at a time; several jits may work at once. Code that was linked may be called from any
 * thread. */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "base/diag.h"
#include "base/remark.h"
#include "jit/place.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#define TAKES /* the callee owns it from here on, also on failure */

/* By default our own placer links (jit/place.h), and ORC where that cannot: it is slower to start, but brings debuggers
 * all that LLVM knows. */
enum jit_linker { JIT_LINKER_AUTO, JIT_LINKER_PLACE, JIT_LINKER_ORC };

struct jit_options {
    int opt_level;   /* 0..3: LLVM's own default<On>; -1: the lean pipeline (jit/optimize.c) */
    bool quick;      /* whatever opt_level says: as little as makes code that is not slow, and LLVM's fast selector */
    bool debug_info; /* frames that debuggers and profilers can walk */
    enum jit_linker linker;
    bool listeners;                      /* announce the code to gdb, and to perf by /tmp/perf-<pid>.map */
    int num_threads;                     /* for compiling; 0: one per unit up to the number of processors */
    const char *triple, *cpu, *features; /* NULL: this host; for another triple: its baseline */
    struct remarks
        *remarks; /* what jit_text's LLVM says of loops, whose lines are numbers of remarks_number; or NULL */
    void *(*runtime_symbol)(
        const char *name); /* first choice for what the code calls; then what the process has. May be NULL */
};

enum jit_text { JIT_TEXT_LL, JIT_TEXT_LL_OPT, JIT_TEXT_ASM, JIT_TEXT_OBJECT };

struct jit;

/* What code is made for, as LLVM names it. */
struct jit_names {
    const char *triple, *cpu, *features;
    bool native; /* the machine that this process runs on, or of its triple */
};
/* Those of `o`; what it leaves out is the host's. The texts are in `a` or live as long as the process. */
struct jit_names jit_names_of(struct arena *a, const struct jit_options *o);

/* NULL with ENVIRONMENT on failure. `a` and `d` live at least until the jit is linked or freed. */
struct jit *jit_new(struct arena *a, struct diags *d, const struct jit_options *o);
void jit_free(struct jit *j); /* unloads the code; NULL is allowed */

/* A module of its own context, with triple, data layout and host attributes set. The context is owned by the jit. */
LLVMModuleRef jit_module(struct jit *j, enum code_type type, const char *name);
/* Sets target-cpu, target-features and what every generated function needs. */
void jit_function_attributes(struct jit *j, LLVMValueRef function);

/* A function over int64 that code from elsewhere has to define. */
struct jit_wanted {
    const char *name;
    uint32_t num_params;
};
/* Code from elsewhere, of type CODE_GIVEN: LLVM IR (text or bitcode), or an object file of the machine, copied. NULL,
 * or why it cannot be used (text of the arena or static). */
const char *jit_add_ir(struct jit *j, const char *name, const char *bytes, size_t size, const struct jit_wanted *wanted,
                       uint32_t count);
const char *jit_add_object(struct jit *j, const char *name, const char *bytes, size_t size);

bool jit_compile(struct jit *j); /* verifies, optimizes and emits all modules made so far; they are consumed */
bool jit_link(struct jit *j);    /* after jit_compile, once */
void *jit_address(struct jit *j, const char *name); /* of a function, after jit_link; NULL if absent */
/* The objects of all units, after jit_compile; they live as long as the jit. */
uint32_t jit_objects(const struct jit *j, const struct code_object **out);
/* The linked code, if our placer linked it: the caller's from now on, and independent of the jit. Else NULL. */
struct placed *jit_take_placed(struct jit *j);
/* ---- when LLVM cannot go on ----
 *
 * It ends the work by `fatal` (base/fatal.h) when it has no memory or meets what it calls a fatal error. Whoever has
 * set the guard calls jit_abandoned; what LLVM had in use then is never touched again and never freed. */

void jit_abandoned(void);
unsigned jit_num_abandoned(void); /* how often that was */
/* It happened before the first compilation was through, so that LLVM may be half set up: it must not be used any more.
 */
bool jit_lost(void);

/* Text or object instead of code: consumes the modules (several units are joined). *text is in the arena and
 * zero-terminated; *size does not count the zero. */
bool jit_text(struct jit *j, enum jit_text kind, const char **text, size_t *size);

/* Of the object that jit_text would give: a line for each range of code. Lines of debug information are numbers of
 * `places`. */
bool jit_map(struct jit *j, const struct remarks *places, struct text *out);

/* Bytes of code and data that the program occupies. */
size_t jit_code_bytes(const struct jit *j);
/* Seconds; optimize and emit are summed over the units, so with several threads they may exceed the time that passed.
 */
void jit_times(const struct jit *j, double *optimize, double *emit, double *link);
const char *jit_version(void); /* "LLVM 22.1.8" */

/* Records `error` as a failure of LLVM `while doing`; true if there was an error. */
bool llvm_failed(struct diags *d, LLVMErrorRef TAKES error, const char *doing);

#endif
