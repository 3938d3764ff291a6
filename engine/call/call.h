/* A call that is ready to run: kernel, addresses in the kernel's order, and the memory behind them. */
#ifndef ENGINE_CALL_H
#define ENGINE_CALL_H

#include "engine/args/args.h"
#include "engine/call/device.h"
#include "engine/kernels/kernel.h"

/* One value passed by address, of any basic type; strings and pointers are pointers. */
struct slot {
    _Alignas(16) unsigned char bytes[16];
};

/* A scalar member of a structure that the caller gave as memory: copied in before and back after each run. */
struct shared_member {
    void *data;   /* the caller's */
    void *memory; /* in the structure */
    size_t bytes;
};

struct call {
    struct arena *arena;
    const struct sdfg_args *source; /* while it is being made */
    struct sdfg_kernel *kernel;
    bool pinned;                    /* the kernel is, for this call; else for the arguments */
    void **args;                    /* those of values point to slots */
    struct slot *slots;             /* one per argument */
    uint32_t *by_slot, num_by_slot; /* positions of the values among the arguments */
    int num_threads;                /* 0: what the engine says */
    bool has_communicator;
    int32_t communicator;         /* of MPI (runtime/mpi.h) */
    struct symbol_value *values;  /* one per variable */
    struct sdfg_rt_block *blocks; /* of the arguments, or NULL */
    VEC(struct shared_member) members;
    struct places *places; /* of engines whose programs run on a GPU; else NULL, so that other calls pay nothing */
};

struct sdfg_bound {
    struct call call;
    _Atomic uint32_t cancel; /* requests to stop the calls that run */
};

/* Everything of a call but the run. *out is released with call_release in any case. What it holds lives in `arena`;
 * NULL: in the scratch memory of the arguments, until their next use. */
sdfg_error *call_prepare(struct call *out, const struct sdfg_program *p, struct sdfg_args *a, struct arena *arena);
void call_release(struct call *c);

/* sdfg_call and sdfg_bound_call, whose work on a device may go on behind them (`on`, or NULL). *kernel (or NULL): what
 * runs, pinned; NULL if it did not come to that. */
sdfg_error *call_once(sdfg_program *p, sdfg_args *a, const struct going_on *on, struct sdfg_kernel **kernel);
sdfg_error *call_bound(sdfg_bound *b, const struct going_on *on);

/* Solves symbols and checks what was given, unless that is known to be good. */
bool call_settle(struct sdfg_args *a, struct report *r);
/* Fills args and slots for the kernel's parameters (engine/call/marshal.c). */
bool call_marshal(struct call *c, struct diags *d);

/* Arguments that share memory, one of them written, although neither is declared with may_alias. */
bool call_broken_promise(const struct sdfg_args *a, const struct leaf **x, const struct leaf **y);
/* The signature of a call: bound symbols, arguments that overlap, alignment (engine/call/signature.c). Calls that only
 * ask are not remembered by the policy. *alignment (or NULL): that of the addresses, whatever the policy makes of it.
 */
struct signature call_signature(const struct sdfg_args *a, struct arena *arena, bool remember, uint32_t *alignment);
/* The call differs from the one before in nothing that code depends on: it takes a->kernel again. */
bool call_is_repeated(const struct sdfg_args *a);

#endif
