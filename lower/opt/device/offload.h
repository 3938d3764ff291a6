/* Offloading: what of a program's main function runs on a device. offload.c decides, offload_host.c and
 * offload_cells.c write the host's side, offload_kernel.c, offload_nest.c and offload_region.c the kernels.
 *
 * Memory that kernels touch lives on the device for the whole call: pointers to it have a *twin*, a variable of the
 * host with the address on the device. Scalars that device code computes and others read have a *cell*, an element of
 * one block of device memory; the host's variable of that name is only a copy. */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_H
#define LOWER_OPT_DEVICE_OFFLOAD_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_scan.h"

/* Where memory comes from: an argument, an allocation, or a slot of the program's state. */
struct origin {
    struct origin *next;       /* of the same memory */
    struct tree_expr *address; /* on the host */
    struct tree_var *twin;
    const struct type *type; /* of the elements */
    struct tree_expr *count; /* value of the host, while it is `live` */
    uint32_t alias;
    bool argument; /* or a slot: there before the call, and behind it */
    bool live;     /* allocated where code is being written */
};

/* What pointers may lead to that are computed from each other. */
struct memory {
    struct memory *parent; /* another one that stands for this one; NULL: none */
    struct origin *origins;
    bool foreign;     /* of unknown size, or reached by ways that are not seen: it stays on the host */
    bool device;      /* kernels touch it */
    bool host;        /* so do statements that only the host can run */
    bool written;     /* by device code */
    bool overwritten; /* as a whole, before it is read */
    bool sent;        /* messages that may be under way are in it */
};

enum placement {
    PLACE_HOST,    /* as it is, perhaps between transfers */
    PLACE_CONTROL, /* the host decides, what is inside is placed on its own */
    PLACE_SERIAL,  /* one thread of the device */
    PLACE_REGION,  /* a loop around small nests, as one kernel */
    PLACE_SMALL,   /* the same for calls whose nests are small; else as PLACE_CONTROL */
    PLACE_LIBRARY, /* products of matrices, which a library of the device does */
    PLACE_SOLVER,  /* factorizations and solutions, which another one does */
    PLACE_FFT,     /* ... and Fourier transforms */
    PLACE_KERNEL   /* a nest whose iterations are threads */
};

struct offload {
    struct tree *tree;
    struct tree_func *main;
    struct tree_whole whole;
    uint32_t num_vars;     /* when it began: variables with larger numbers are ours */
    struct memory *by_var; /* of pointer variables, by id */
    struct memory *by_slot;
    struct memory outside; /* everything else */
    bool *in_cell;         /* variables that have a cell, by id */
    bool *steers;          /* ... by which the host decides, and which it computes if they have none */
    bool *fetched;         /* ... from values of the device */
    struct map placed;     /* statement -> enum placement */
    uint32_t large;        /* loops around that are placed for large nests */
    bool changed, failed;
    bool solvers;       /* there is the library for them */
    bool batches;       /* ... and the one that does many small ones at once */
    bool transforms;    /* there is the library for them */
    bool no_messages;   /* none has memory of the device */
    bool strict;        /* results of floating-point sums are the same each time */
    bool fast;          /* products may be less exact than their types */
    uint32_t num_nests; /* and products: what the device does */

    /* while code is written */
    struct tree_var **twins, **slot_twins;
    struct tree_var *cells, *copies; /* the cells, and room on the host to copy them to */
    uint32_t cell_class, copy_class;
    uint32_t *cell_of;  /* by variable: 1 + the int64 number of its cell */
    uint32_t num_cells; /* in int64 elements */
    uint32_t num_kernels;
    struct tree_stmt *prologue, *epilogue;
    struct tree_label *leave; /* the end of the function; NULL: nothing goes there */
};

/* ---- offload.c ---- */

/* What runs where; nothing is written. */
void offload_decide(struct offload *o, struct tree *t, const struct tree_options *options);

/* ---- offload_memory.c ---- */

void offload_find_memory(struct offload *o);
/* What a pointer leads to; NULL for constants and null pointers. */
struct memory *offload_memory(struct offload *o, const struct tree_expr *pointer);
struct memory *offload_same(struct memory *m); /* the one that stands for all */
/* The memory that a statement itself reads or writes, and what its expressions load. */
typedef void offload_touch(void *user, struct memory *m, bool write);
void offload_each_touch(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user);
bool offload_on_device(struct offload *o,
                       const struct tree_expr *e); /* does it read a cell, or memory of the device? */

/* ---- offload_overwritten.c ---- */

/* Does the function give every element a value before it reads one? The memory of one argument, or of a slot. */
bool offload_is_overwritten(struct offload *o, const struct memory *m);

/* ---- offload_fits.c ---- */

bool offload_expr_fits(struct offload *o, const struct tree_expr *e);
/* Can a statement with all in it be device code? `threads`: each iteration may be a thread of its own. */
bool offload_fits(struct offload *o, const struct tree_stmt *s);
/* Why the iterations of a loop cannot be threads of a device, in words; NULL: they can if they are independent. */
const char *offload_obstacle(struct offload *o, const struct tree_stmt *loop);
bool offload_is_nest(struct offload *o, struct tree_stmt *s);
bool offload_has_nests(struct offload *o, struct tree_stmt *s);
/* Does control neither enter nor leave the piece in its middle, and does nothing outside need an address from it? */
bool offload_is_closed(struct offload *o, const struct tree_scan *piece);
/* Is the variable mentioned by anything but the piece? */
bool offload_used_outside(struct offload *o, const struct tree_scan *piece, const struct tree_var *v);

/* ---- offload_steer.c ---- */

/* Sets `steers`, from the tree alone. */
void offload_find_steering(struct offload *o);

/* ---- offload_cells.c ---- */

uint32_t offload_cell_of(struct offload *o, const struct tree_var *v);
uint32_t offload_new_cell(struct offload *o, const struct type *type);
/* The address of a cell, or of the room on the host for a copy of it. */
struct tree_expr *offload_cell(struct offload *o, uint32_t number, const struct type *type, bool host);
/* The value of an expression that may read cells and memory of the device, for the host. */
struct tree_expr *offload_value(struct offload *o, struct tree_stmt *out, struct tree_expr *e,
                                const struct place *place);
/* The host has given the variable a value: its cell gets it, too, if there is one. */
void offload_send(struct offload *o, struct tree_stmt *out, struct tree_var *v, const struct place *place);
struct tree_stmt *offload_transfer(struct offload *o, struct tree_stmt *out, enum tree_direction direction,
                                   const struct type *type, struct tree_expr *count, const struct place *place);
void offload_wait(struct offload *o, struct tree_stmt *out);
/* The program is not supported; the first reason counts. */
void offload_refuse(struct offload *o, const struct place *place, const char *what);

/* ---- offload_host.c ---- */

void offload_write(struct offload *o);

/* ---- offload_library.c ---- */

/* Are there products, solvers or transforms of a library in it? */
bool offload_has_library_calls(struct offload *o, struct tree_stmt *s);
/* The only call of a kind in the loop, beside factors and lists on the stack of the host; NULL: there is more. */
struct tree_stmt *offload_only_call(const struct tree_stmt *loop, bool (*is_call)(const struct tree_stmt *s));

/* ---- offload_product.c ---- */

/* Is it a product of matrices, or a loop over many that lie evenly, whose memory can be on the device? Products that
 * are still calls here are meant for a library. */
bool offload_is_product(struct offload *o, struct tree_stmt *s);
/* The matrices of it; factors are the host's. */
void offload_product_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user);
void offload_product(struct offload *o, struct tree_stmt *out, struct tree_stmt *s);

/* ---- offload_solver.c ---- */

/* Is it a factorization of a matrix, or a solution or inverse, or a loop over many that lie evenly, that a library of
 * the device can do? */
bool offload_is_solver(struct offload *o, struct tree_stmt *s);
/* Why such a call stays on the host; NULL: it does not, or is none. */
const char *offload_solver_on_host(struct offload *o, const struct tree_stmt *s);
void offload_solver_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user);
void offload_solver(struct offload *o, struct tree_stmt *out, struct tree_stmt *s);

/* ---- offload_fft.c ---- */

/* Is it a Fourier transform of up to three dimensions, or a loop over many that lie evenly, that a library of the
 * device can do? */
bool offload_is_fft(struct offload *o, struct tree_stmt *s);
const char *offload_fft_on_host(struct offload *o, const struct tree_stmt *s);
void offload_fft_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user);
void offload_fft(struct offload *o, struct tree_stmt *out, struct tree_stmt *s);

/* ---- offload_message.c ---- */

/* Buffers of a message that may stay on the device. */
void offload_message_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user);
/* Does the function keep the pointer, unless it is a buffer that may be on the device? */
bool offload_message_keeps(struct offload *o, const struct tree_callee *callee, uint32_t argument);
/* A copy of the statement without its buffers on the device: what it touches besides them. */
struct tree_stmt *offload_beside_message(struct offload *o, struct tree_stmt *s);
/* Replaces its buffers on the device by their device addresses. */
void offload_message(struct offload *o, struct tree_stmt *out, struct tree_stmt *s);

/* ---- offload_region.c ---- */

enum { OFFLOAD_REGION_THREADS = 512 }; /* of a block */

enum offload_region { REGION_NONE, REGION_SMALL /* for some values of symbols */, REGION_ALWAYS };

/* Is it a sequential loop around small nests that can be one kernel? The answer does not depend on what is placed
 * where. */
enum offload_region offload_is_region(struct offload *o, struct tree_stmt *s);
/* Can the statements of a block, for one thread or regions, be one kernel with the statement that follows them? */
bool offload_is_longer_region(struct offload *o, struct tree_stmt *block, struct tree_stmt *s);
/* `large` is what the host does where nests are too large; NULL: they never are. */
void offload_region(struct offload *o, struct tree_stmt *out, struct tree_stmt *block, struct tree_stmt *large);

/* ---- offload_kernel.c ---- */

/* The block becomes a kernel: what it assigns are the kernel's own variables. `alone`: for one thread. */
struct tree_stmt *offload_kernel(struct offload *o, struct tree_stmt *out, const char *kind, struct tree_stmt *block,
                                 const struct place *place, bool alone);
/* Variables with cells that the piece mentions: their values are loaded in front of it, and stored behind it where it
 * changes them. Those in `local` (may be NULL) do not need theirs. */
void offload_load_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                        const struct map *local);
void offload_store_cells(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece,
                         const struct map *local);
/* Variables that only the block mentions, and that get a value there before they are used: they need no cell in it. */
void offload_find_local(struct offload *o, struct tree_stmt *block, const struct tree_scan *piece, struct map *local);

/* The statements of a block, one thread. */
void offload_serial(struct offload *o, struct tree_stmt *out, struct tree_stmt *block);
void offload_fetch(struct offload *o, struct tree_stmt *out, struct tree_expr *value, uint32_t cell,
                   const struct place *place);
/* Addresses on the host become those on the device. */
struct tree_expr *offload_twins(struct offload *o, struct tree_expr *e);

/* ---- offload_nest.c ---- */

void offload_nest(struct offload *o, struct tree_stmt *out, struct tree_stmt *loop);

#endif
