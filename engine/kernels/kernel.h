/* Specializations of a program: compiled on the first request, kept in memory, shared by all calls with the same
 * signature. */
#ifndef ENGINE_KERNEL_H
#define ENGINE_KERNEL_H

#include "cache/memory.h"
#include "engine/program/program.h"
#include "jit/place.h"

/* What a call fixes before code is generated. Equal signatures give the same kernel. */
struct signature {
    const sdfg_symbol *bound; /* in the order of the program's variables */
    uint32_t num_bound;
    const char *const *may_alias; /* in argument order */
    uint32_t num_may_alias;
    uint32_t alignment;
    bool device;            /* code for a GPU */
    const char *device_why; /* why that was chosen, or the CPU; NULL: nothing was. Equal code for all of it */
    const struct codegen_export *exports; /* of objects for other programs; NULL for kernels */
    const sdfg_symbol *values;            /* of a call, for what is counted about it; code does not know them */
    uint32_t num_values;
    const char *passes; /* as in sdfg_options, "": none; NULL: what the options of the engine say */
    const char *tuned;  /* how those were found, for a remark; NULL: they were not */
    bool trial;         /* its kernel is measured and then dropped: it is not kept on disk */
};

struct sdfg_kernel {
    struct sdfg_program *program;
    struct arena *arena;
    struct codegen_result code;
    sdfg_param *params;
    struct taken {
        const struct leaf *leaf; /* NULL: the program has no such argument */
        sdfg_dtype dtype;
    } * takes;          /* one per parameter */
    sdfg_phase *phases; /* opening the code generator, then its passes */
    uint32_t num_phases;
    sdfg_symbol *bound;
    uint32_t num_bound;
    double compile_seconds;
    struct placed *placed; /* code from disk, without the code generator; else NULL */
    struct kernel_object {
        sdfg_code_object object;
        sdfg_loaded_object loaded;
        const struct engine_target *target;
    } * kept;             /* objects of targets, in the order of their numbers (engine/kernels/kept.c) */
    int64_t *kept_values; /* NULL: there are none */
    uint32_t num_kept;    /* that are loaded */
    const char *objects;  /* all of the code, for people */
    bool from_disk;
    bool quick;                           /* code of the quick tier, which may become better (engine/kernels/tiers.h) */
    atomic_uint calls;                    /* of quick code */
    _Atomic(struct sdfg_kernel *) better; /* what calls run instead; pinned as long as this kernel lives */
    struct sdfg_kernel *next_asked;       /* of the queue there */
    const char *origin;                   /* why it was compiled, or where it was read */
    struct signature signature;
    /* of the table of the program (engine/kernels/kernels.c) */
    struct memory_item item;
    uint64_t hash;
    bool replaced;            /* not in the table any more */
    const char *not_improved; /* why optimized code could not be made, or NULL */
    struct sdfg_kernel *next;
};

/* Makes the kernel for a signature: reads it from the disk cache or compiles it. `reason`: why there is none in memory;
 * NULL: it is not compiled. NULL with *error set, or without if it is not on disk. */
struct sdfg_kernel *kernel_new(struct sdfg_program *p, const struct signature *s, const char *reason,
                               enum sdfg_tier tier, sdfg_error **error);
/* "machine code 'axpy.0' 1632 bytes, device image 'device' 40000 bytes" (kept.c) */
const char *kernel_objects_text(const struct sdfg_kernel *k, struct arena *a);
/* Gives objects of the code to the targets that keep them; false with *error: one could not take its object. And tells
 * them that the code is gone (kept.c). */
bool kernel_load_kept(struct sdfg_kernel *k, sdfg_error **error);
void kernel_unload_kept(struct sdfg_kernel *k);
/* What a call of `k` runs: the kernel itself, or the one that took its place. Counts calls of quick code. */
struct sdfg_kernel *kernel_to_run(struct sdfg_kernel *k);
/* Whether runs share memory that an initialization makes (engine/call/handle.h). */
static inline bool kernel_has_state(const struct sdfg_kernel *k)
{
    return k->code.num_slots || k->code.init || k->code.exit;
}
/* The same for questions. */
const struct sdfg_kernel *kernel_newest(const struct sdfg_kernel *k);
void kernel_free(struct sdfg_kernel *k);
/* Tells the caller's hook; `reason` may be NULL. */
void kernel_event(const struct sdfg_program *p, enum sdfg_event_kind kind, const struct signature *s,
                  const char *reason, double seconds);
size_t kernel_bytes(const struct sdfg_kernel *k); /* of memory that kernel_free gives back */

struct signature signature_copy(const struct signature *s, struct arena *a);
/* The choice of passes that code is made with, or NULL. */
const char *signature_passes(const struct sdfg_program *p, const struct signature *s);
bool signature_same(const struct signature *x, const struct signature *y); /* names are those of one program */
/* "N = 24, arrays aligned to 64 bytes, overlapping A, B" (engine/kernels/explain.c) */
void signature_print(const struct signature *s, struct text *out);
/* The number of differences, as "N is 25 and not 24, ..." if `out` is not NULL. */
uint32_t signature_differences(const struct signature *s, const struct signature *other, struct text *out);

/* The variables that were given, one value per variable of the program; a name that is none is an error. */
bool kernel_bound_values(const struct sdfg_program *p, const sdfg_symbol *symbols, size_t n,
                         struct symbol_value *values, struct report *r);
/* The signature for those that can be constants. */
struct signature kernel_signature(const struct sdfg_program *p, const struct symbol_value *values, struct arena *a);
/* Adds all values that are known. */
void signature_add_values(struct signature *s, const struct sdfg_program *p, const struct symbol_value *values,
                          struct arena *a);
/* What a call with the values of the signature would cost. */
sdfg_error *kernels_cost(struct sdfg_program *p, const struct signature *s, struct codegen_cost *out);
/* The loop tree, in `a`, and the name of a function that it calls and whose calls others than this call of the program
 * notice, or NULL. */
sdfg_error *kernels_tree(struct sdfg_program *p, const struct signature *s, struct arena *a, const char **tree,
                         const char **noticed);
/* Runs the code generator for text or an object; *out is allocated with malloc and followed by a zero. `size` may be
 * NULL. */
sdfg_error *kernels_emit(struct sdfg_program *p, const struct signature *s, enum codegen_emit what, char **out,
                         size_t *size);
/* The same for what the interface names; the graph itself needs no code generator. */
sdfg_error *program_emit(struct sdfg_program *p, const struct signature *s, enum sdfg_emit what, char **out,
                         size_t *size);

struct sdfg_rt_block;
/* What a run needs besides addresses. */
struct run {
    const struct symbol_value *values;  /* one per variable of the program */
    const struct sdfg_rt_block *blocks; /* memory for lifetime External, one per storage; NULL: none */
    int num_threads;                    /* 0: what the engine says */
    bool has_communicator;              /* of MPI: that with this handle; else all processes */
    int32_t communicator;
    _Atomic uint32_t *cancel; /* the run ends once this is not `cancelled`; NULL: nobody stops it */
    uint32_t cancelled;
    const struct run_device *device; /* NULL: arguments are anywhere, and the run ends with the function */
};
/* What a run of a GPU's code needs besides. */
struct run_device {
    bool host_only;     /* all arguments are ordinary memory of the host */
    void *const *after; /* streams whose work comes first */
    size_t num_after;
    const struct going_on *on; /* NULL: the run ends with the function */
};
/* A run whose work on a device may go on when the function has returned. */
struct going_on {
    const sdfg_cuda_stream *stream; /* of the caller; NULL: one of ours */
    struct sdfg_rt_ticket *ticket;  /* may be NULL */
};
/* Runs a kernel with the addresses of its parameters. */
sdfg_error *kernel_run(struct sdfg_kernel *k, void *const *args, const struct run *r);
/* The error for what generated code left in the context; NULL for SDFG_RT_OK. */
sdfg_error *run_error(int32_t error);

#endif
