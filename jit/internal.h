/* What the files of jit/ share. */
#ifndef JIT_INTERNAL_H
#define JIT_INTERNAL_H

#include "base/text.h"
#include "base/vec.h"
#include "jit/jit.h"

#include <llvm-c/LLJIT.h>
#include <stdatomic.h>

/* The machine code is made for. Strings live in the arena. */
struct jit_machine {
    const char *triple, *cpu, *features;
    const char *tune; /* the processor whose costs LLVM counts with; NULL: `cpu` */
    LLVMTargetRef target;
    LLVMCodeGenOptLevel level;
    bool native; /* its code can run in this process */
};

/* One module on its way to an object; used by one thread at a time. */
struct jit_unit {
    enum code_type type;
    const char *name; /* in the arena */
    LLVMContextRef context;
    LLVMModuleRef module;       /* NULL once it is compiled */
    LLVMMemoryBufferRef object; /* NULL until it is compiled */
    bool foreign;               /* made by jit_add_ir */
    bool failed;
    bool memory;             /* it failed because memory was exhausted */
    char *error;             /* malloc'ed: what LLVM said; NULL if there was no memory for it */
    struct remarks *remarks; /* or NULL */
    uint32_t last_remark;    /* number of the loop that it was about */
    double optimize, emit;   /* seconds */
};

struct jit {
    struct arena *arena;
    struct diags *diags;
    struct jit_options options;
    struct jit_machine machine;
    LLVMTargetMachineRef target_machine; /* of the thread that owns the jit */
    LLVMTargetDataRef layout;
    VEC(struct jit_unit *) units;
    atomic_bool abandoned; /* LLVM could not go on: its objects are not to be touched */

    struct placed *placed;      /* what our placer linked, or NULL */
    LLVMOrcLLJITRef lljit;      /* else */
    struct text session_errors; /* what ORC reported while linking */
    const char *missing;        /* first symbol nobody has */
    size_t code_bytes;
    double link;
};

double jit_now(void); /* seconds of a monotonic clock */

struct jit_unit *jit_unit_new(struct jit *j, enum code_type type, const char *name); /* with a context and no module */

/* host_features.c: what the host has beyond its processor's name, as LLVM spells it; malloc'ed, NULL: no memory. */
char *jit_host_features(void);

/* target.c */
void jit_first_done(void); /* a compilation is through */
bool jit_machine_init(struct jit *j);
LLVMTargetMachineRef jit_machine_new(const struct jit_machine *m);

/* compile.c, optimize.c: these set unit->error and return false on failure. */
bool jit_unit_fail(struct jit_unit *u, const char *doing, const char *message);
/* Verifies it first. */
bool jit_unit_optimize(struct jit_unit *u, LLVMTargetMachineRef machine, const struct jit_options *o);
/* plain_stores.c: of an optimized unit for x86. */
void jit_keep_plain_stores(struct jit_unit *u, LLVMTargetMachineRef machine);
bool jit_unit_emit(struct jit_unit *u, LLVMTargetMachineRef machine, LLVMCodeGenFileType kind,
                   LLVMMemoryBufferRef *out);
bool jit_unit_report(struct jit *j,
                     struct jit_unit *u); /* moves the error to the diagnostics: false if there was one */

/* remarks.c: LLVM makes remarks if it was told to, for all that it compiles from then on. Passes run between begin and
 * end. */
void jit_remarks_enable(void);
void jit_passes_begin(void);
void jit_passes_end(void);
void jit_remarks_take(struct jit_unit *u, LLVMDiagnosticInfoRef info);

/* listen.c */
bool jit_listen_begin(struct jit *j);
/* The functions of one object and their addresses, for perf. */
struct jit_function {
    const char *name;
    uint16_t section;
    uint64_t value, size;
    bool global;
};
struct jit_functions {
    VEC(struct jit_function) list;
};
void jit_object_read(struct jit *j, LLVMMemoryBufferRef object, struct jit_functions *functions);
void jit_listen_linked(struct jit *j, const struct jit_functions *objects, uint32_t num_objects);

#endif
