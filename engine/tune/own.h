/* The arguments of a call with memory of their own, so that trials change nothing of the caller's. */
#ifndef ENGINE_TUNE_OWN_H
#define ENGINE_TUNE_OWN_H

#include "engine/args/args.h"

/* Arguments that share memory lie in one block, as they do with the caller. */
struct own_block {
    unsigned char *memory;   /* from malloc */
    unsigned char *own;      /* in it, where the copy begins */
    unsigned char *expected; /* what the first call made of it; NULL: nothing writes it */
    uintptr_t begin, end;    /* the caller's */
};

struct own {
    struct arena *arena;
    const struct sdfg_args *source; /* settled; its arrays stay as they are meanwhile */
    sdfg_args *args;
    struct own_block *blocks;
    uint32_t num_blocks;
};

/* What of the arguments keeps a program from being called with copies, as the end of "cannot be tuned: "; NULL:
 * nothing. */
const char *own_refuses(const struct sdfg_args *a, struct arena *arena);
/* False: out of memory. own_end in any case. */
bool own_begin(struct own *o, struct sdfg_args *source, struct arena *arena, sdfg_error **error);
void own_end(struct own *o);
/* Everything as the caller has it. */
void own_reset(struct own *o);
/* Keeps the results of a call. */
void own_expect(struct own *o);
/* Are the results those? As exactly as another order of sums allows. */
bool own_compare(const struct own *o);

#endif
