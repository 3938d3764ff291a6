/* The arguments of a call, by name, and what they say about the symbols. */
#ifndef ENGINE_ARGS_H
#define ENGINE_ARGS_H

#include "engine/args/scalar.h"
#include "engine/program/program.h"

/* An array as its descriptor counts it: in elements of the container (vectors are one), rank as declared, strides
 * always there. */
struct layout {
    uint32_t rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK];
};

enum entry_kind { ENTRY_ARRAY, ENTRY_POINTER, ENTRY_NULL, ENTRY_SCALAR, ENTRY_STRING, ENTRY_STREAM };

struct argument_entry {
    char *name; /* as given: "B[2].x" */
    const struct leaf *leaf;
    uint32_t argument; /* of the program, that this is or is part of */
    enum entry_kind kind;
    sdfg_array array; /* ENTRY_ARRAY, ENTRY_POINTER; strides point to `strides` or are NULL. ENTRY_STREAM: its queues */
    const struct sdfg_stream *stream;
    int64_t strides[SDFG_MAX_RANK];
    struct layout layout; /* of the last args_solve */
    bool laid_out;
    /* Of the last args_solve or args_settle. */
    bool has_extent; /* it is memory, unless `array.data` is null: of this the bytes [begin, end) are touched */
    int64_t begin, end;
    uintptr_t alignment; /* what the address must be a multiple of, a power of two */
    bool on_device;      /* of the last device_place_arguments (engine/call/device.h) */
    struct scalar scalar;
    char *text;
};

struct sdfg_args {
    struct sdfg_program *program;
    struct arena *scratch; /* of one public call */
    struct argument_entry **entries;
    size_t num_entries, capacity, expected; /* the entry that is given next, if names come as they did before */
    struct argument_entry **given; /* one per argument of the program: what was given for it as a whole, or NULL */
    int num_threads;               /* of calls; 0: what the engine says */
    bool has_communicator;         /* of MPI, from the caller; else all processes */
    int32_t communicator;          /* Fortran's handle */
    struct recent *recent;         /* kernels of the last calls (engine/call/recent.h) */
    struct sdfg_kernel *kernel;    /* of the last call, one of them; or NULL */
    uint32_t kernel_alignment;     /* of the arrays in the call that took it */
    bool disjoint; /* the caller vouches for it: programs from Python need not refuse what seems to overlap */
    void **after;  /* streams of the device whose work comes before the call */
    size_t num_after;
    const char *trial;            /* passes that calls take, for trials (engine/tune/); NULL: as usual */
    bool in_stream;               /* the call that is made has a stream of the caller */
    bool settled;                 /* a call has solved and checked everything, and since then only data changed */
    struct symbol_value *values;  /* of the last solve, one per variable */
    _Atomic uint32_t cancel;      /* requests to stop the call that runs; any thread */
    struct sdfg_rt_block *blocks; /* memory for lifetime External, one per entry of program->workspaces */
};

/* Another array for a name that had one before. NULL: there was none, or something is wrong with the array: the way
 * with reports is needed. */
struct argument_entry *args_give_again(struct sdfg_args *a, const char *name, const sdfg_array *array);

const struct argument_entry *args_find_name(const struct sdfg_args *a, const char *name);

/* Memory where there must be some, aligned. */
static inline bool entry_has_data(const struct argument_entry *e)
{
    return e->array.data ? !((uintptr_t)e->array.data & (e->alignment - 1)) : e->begin == e->end || e->leaf->optional;
}

/* What was given for a leaf, which is called `name` ("B[2].x"); NULL if nothing was. Whole arguments lie in one table.
 */
static inline const struct argument_entry *args_find(const struct sdfg_args *a, const struct leaf *l, const char *name)
{
    const struct sdfg_program *p = a->program;
    bool whole = l >= p->arguments && l < p->arguments + p->num_arguments;
    return whole ? a->given[l - p->arguments] : args_find_name(a, name);
}

/* An empty report of a public call with these arguments. */
struct report args_report(struct sdfg_args *a);

/* Checks kinds, types and ranks, then solves. `s` is filled in for messages; its texts live in `arena`. Fills
 * a->values and the extents of entries. */
bool args_solve(struct sdfg_args *a, struct arena *arena, struct solver *s, struct diags *d);
/* After args_solve: strides, null pointers, alignment, missing arguments and symbols. */
bool args_check(const struct sdfg_args *a, const struct solver *s, struct diags *d);
/* Both at once in a fraction of the time, for most calls (engine/args/settle.c). False: something is wrong or not that
 * simple, and the two above are needed. */
bool args_settle(struct sdfg_args *a);
void entry_measure(struct argument_entry *e, const struct sdfg_program *p,
                   const struct symbol_value *values); /* its extent */
/* What is left of args_check when a->settled: null pointers and alignment. */
bool args_check_data(const struct sdfg_args *a, struct diags *d);
/* "N, 2*M" */
const char *leaf_shape_text(const struct leaf *l, struct arena *a);
#endif
