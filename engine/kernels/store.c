/* What all programs of an engine share of their kernels, and what is counted. */
#include "engine/kernels/table.h"

#include "base/fatal.h"

#include <stdlib.h>
#include <string.h>

void *table_memory(size_t size)
{
    void *p = aligned_alloc(CACHE_LINE, size);
    if (!p)
        fatal_memory();
    return memset(p, 0, size);
}

struct kernel_store *kernel_store_new(size_t limit)
{
    struct kernel_store *s = table_memory(sizeof *s);
    s->memory.limit = limit;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->landed, NULL);
    return s;
}

void kernel_store_free(struct kernel_store *s)
{
    if (!s)
        return;
    pthread_cond_destroy(&s->landed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- statistics ---- */

/* Counts the threads that have called something, from 1 on. */
static unsigned long long thread_place(void)
{
    static atomic_ullong threads;
    static _Thread_local unsigned long long place __attribute__((tls_model("initial-exec")));
    if (!place)
        place = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    return place;
}

static void count(struct kernel_table *t, size_t counter)
{
    unsigned long long place = thread_place() - 1;
    bool own = place < OWN_SHARDS;
    struct counters *shard = &t->shards[own ? place : OWN_SHARDS + place % OWN_SHARDS];
    atomic_ullong *c = (atomic_ullong *)((char *)shard + counter);
    if (own)
        atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
}

void kernels_count_call(struct kernel_table *t) { count(t, offsetof(struct counters, calls)); }

void kernels_count_found(struct kernel_table *t) { count(t, offsetof(struct counters, found)); }

void table_add_stats(sdfg_stats *to, const struct kernel_table *t)
{
    const sdfg_stats *from = &t->stats;
    for (int i = 0; i < NUM_SHARDS; i++) {
        to->calls += atomic_load_explicit(&t->shards[i].calls, memory_order_relaxed);
        to->found += atomic_load_explicit(&t->shards[i].found, memory_order_relaxed);
    }
    to->found += from->found;
    to->compiled += from->compiled;
    to->read += from->read;
    to->waited += from->waited;
    to->failed += from->failed;
    to->dropped += from->dropped;
    to->kernels += from->kernels;
    to->kernel_bytes += from->kernel_bytes;
    to->compile_seconds += from->compile_seconds;
    to->improved += from->improved;
}

sdfg_stats kernels_stats(struct kernel_table *t)
{
    struct kernel_store *s = store_of(t);
    sdfg_stats sum = SDFG_STATS_INIT;
    pthread_mutex_lock(&s->lock);
    table_add_stats(&sum, t);
    pthread_mutex_unlock(&s->lock);
    return sum;
}

sdfg_stats kernel_store_stats(struct kernel_store *s)
{
    pthread_mutex_lock(&s->lock);
    sdfg_stats sum = s->gone;
    for (struct kernel_table *t = s->tables; t; t = t->next)
        table_add_stats(&sum, t);
    pthread_mutex_unlock(&s->lock);
    return sum;
}
