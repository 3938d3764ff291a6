/* The tables behind kernels.h, shared by the files that fill them (kernels.c), count (store.c) and explain
 * (table_explain.c). */
#ifndef ENGINE_KERNELS_TABLE_H
#define ENGINE_KERNELS_TABLE_H

#include "cache/memory.h"
#include "engine/kernels/kernels.h"

#include <pthread.h>
#include <stdatomic.h>

enum { NUM_BUCKETS = 64, OWN_SHARDS = 16, NUM_SHARDS = 2 * OWN_SHARDS, CACHE_LINE = 64, DROPPED = 32 };

/* A kernel that is being made; on the stack of the thread that does it, until nobody waits for it any more. */
struct flight {
    const struct signature *signature;
    uint64_t hash;
    struct sdfg_kernel *kernel; /* pinned for each that waits */
    const sdfg_error *error;
    uint32_t waiting;
    bool landed;
    struct flight *next;
};

/* Threads count calls in places of their own, so that they do not wait for each other's memory: the first ones in
 * places that no other thread writes, so that a plain addition does, which takes a quarter of the time of a locked one;
 * the others share what is left. */
struct counters {
    _Alignas(CACHE_LINE) atomic_ullong calls;
    atomic_ullong found; /* by callers that had the kernel */
};

struct kernel_table {
    struct counters shards[NUM_SHARDS];
    struct sdfg_program *program;
    struct kernel_table *next; /* of the engine */
    /* What follows is guarded by the lock of the store. */
    struct sdfg_kernel *buckets[NUM_BUCKETS];
    struct flight *flights;
    struct sdfg_kernel *replaced; /* that somebody still has pinned */
    uint64_t dropped[DROPPED];    /* hashes of the signatures whose kernels were dropped last */
    uint32_t num_dropped;
    sdfg_stats stats;
};

struct kernel_store {
    atomic_uint crowded; /* changes seldom */
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    pthread_cond_t landed; /* some flight has; or nobody waits for it any more */
    struct memory_list memory;
    struct kernel_table *tables;
    sdfg_stats gone; /* of tables that were freed */
};

static inline struct kernel_store *store_of(const struct kernel_table *t) { return t->program->engine->kernels; }

/* Zeroed, in cache lines of its own; released with free. */
void *table_memory(size_t size);

/* With what the shards have counted; with the lock held. */
void table_add_stats(sdfg_stats *to, const struct kernel_table *t);

/* Of the names and values in it; names are those of the program, so pointers tell them apart. */
uint64_t signature_hash(const struct signature *s);
/* The kernel with this signature, or NULL; with the lock held. */
struct sdfg_kernel *table_find(const struct kernel_table *t, const struct signature *s, uint64_t hash);
/* Why there is no kernel: "it is the first one", "it was dropped ...", "N is 25 and not 24"; with the lock held. */
void table_reason(const struct kernel_table *t, const struct signature *s, uint64_t hash, struct text *out);

#endif
