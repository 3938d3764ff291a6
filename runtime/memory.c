/* Memory of generated code. Large blocks that are freed are kept for the next call of the program, which asks for the
 * same sizes: the system would give fresh pages every time, and touching those for the first time takes longer than
 * most loops over them. Blocks for other sizes make room for new ones, oldest first. */
#include "runtime/memory.h"

#include "runtime/owned.h"
#include "runtime/runtime.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,
    KEPT_LEAST = 64 << 10, /* smaller ones are malloc's own business */
    HUGE_PAGE = 2 << 20,
    MAX_BLOCKS = 64,
};
static const size_t kept_most = (size_t)512 << 20; /* bytes per program */

/* What lies before each block. */
struct owned_block {
    _Alignas(ALIGNMENT) struct sdfg_rt_owned owned;
    size_t size;                          /* of the block without this */
    const struct sdfg_rt_allocator *from; /* NULL: the system */
};
static_assert(sizeof(struct owned_block) == ALIGNMENT, "blocks are aligned");

struct sdfg_rt_pool {
    struct sdfg_rt_allocator allocator; /* allocate is NULL: the system */
    _Atomic size_t taken, peak;         /* bytes of blocks that would be kept, in use */
    pthread_mutex_t lock;
    size_t bytes;
    int count;
    struct owned_block *blocks[MAX_BLOCKS]; /* oldest first */
};

struct sdfg_rt_pool *sdfg_rt_pool_new(void)
{
    struct sdfg_rt_pool *p = calloc(1, sizeof *p);
    if (p)
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void sdfg_rt_pool_allocator(struct sdfg_rt_pool *pool, const struct sdfg_rt_allocator *a) { pool->allocator = *a; }

static struct owned_block *take_at(struct sdfg_rt_pool *p, int index)
{
    struct owned_block *b = p->blocks[index];
    p->bytes -= b->size;
    p->count--;
    for (int i = index; i < p->count; i++)
        p->blocks[i] = p->blocks[i + 1];
    return b;
}

void sdfg_rt_pool_free(struct sdfg_rt_pool *p)
{
    if (!p)
        return;
    while (p->count)
        free(take_at(p, p->count - 1));
    pthread_mutex_destroy(&p->lock);
    free(p);
}

size_t sdfg_rt_pool_peak(struct sdfg_rt_pool *p) { return atomic_load_explicit(&p->peak, memory_order_relaxed); }

static void count_taken(struct sdfg_rt_pool *p, size_t size)
{
    size_t now = atomic_fetch_add_explicit(&p->taken, size, memory_order_relaxed) + size;
    size_t peak = atomic_load_explicit(&p->peak, memory_order_relaxed);
    while (now > peak &&
           !atomic_compare_exchange_weak_explicit(&p->peak, &peak, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* The latest block of that size: its contents may still be in the cache. */
static struct owned_block *take(struct sdfg_rt_pool *p, size_t size)
{
    struct owned_block *found = NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = p->count - 1; i >= 0 && !found; i--)
        if (p->blocks[i]->size == size)
            found = take_at(p, i);
    pthread_mutex_unlock(&p->lock);
    return found;
}

static void keep(struct sdfg_rt_pool *p, struct owned_block *b)
{
    struct owned_block *leaving[MAX_BLOCKS];
    int count = 0;
    pthread_mutex_lock(&p->lock);
    while (p->count == MAX_BLOCKS || (p->count && p->bytes + b->size > kept_most))
        leaving[count++] = take_at(p, 0);
    p->blocks[p->count++] = b;
    p->bytes += b->size;
    pthread_mutex_unlock(&p->lock);
    while (count)
        free(leaving[--count]);
}

void *sdfg_rt_pages(size_t bytes)
{
    if (bytes < 2 * HUGE_PAGE)
        return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    /* One fault for 512 pages, where the system does that on request. Whether it does is not our concern. */
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static struct owned_block *allocate(const struct sdfg_rt_allocator *from, size_t size)
{
    size_t total = size + sizeof(struct owned_block);
    return from ? from->allocate(from->user, total, ALIGNMENT) : sdfg_rt_pages(total);
}

static void release(struct sdfg_rt_context *context, struct sdfg_rt_owned *owned)
{
    sdfg_rt_free(context, (struct owned_block *)owned + 1);
}

void *sdfg_rt_alloc(struct sdfg_rt_context *context, int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX - 2 * HUGE_PAGE) {
        sdfg_rt_fail(context, bytes < 0 ? SDFG_RT_BAD_VALUE : SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    /* Empty containers have an address of their own too. */
    size_t size = bytes ? ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    struct sdfg_rt_pool *pool = context->pool;
    const struct sdfg_rt_allocator *from = pool && pool->allocator.allocate ? &pool->allocator : NULL;
    struct owned_block *b = size >= KEPT_LEAST && pool && !from ? take(pool, size) : NULL;
    if (!b)
        b = allocate(from, size);
    if (!b) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    b->size = size;
    b->from = from;
    b->owned.release = release;
    sdfg_rt_own(context, &b->owned);
    if (pool && size >= KEPT_LEAST)
        count_taken(pool, size);
    return b + 1;
}

void sdfg_rt_free(struct sdfg_rt_context *context, void *memory)
{
    if (!memory)
        return;
    struct owned_block *b = (struct owned_block *)memory - 1;
    struct sdfg_rt_pool *pool = context->pool;
    sdfg_rt_give_up(context, &b->owned);
    if (pool && b->size >= KEPT_LEAST)
        atomic_fetch_sub_explicit(&pool->taken, b->size, memory_order_relaxed);
    if (b->from)
        b->from->release(b->from->user, b, b->size + sizeof *b);
    else if (context->pool && b->size >= KEPT_LEAST && b->size <= kept_most)
        keep(context->pool, b);
    else
        free(b);
}

static struct sdfg_rt_block *block_of(struct sdfg_rt_workspace *w, int64_t storage)
{
    for (int64_t i = 0; w && i < w->num_blocks; i++)
        if (w->blocks[i].storage == storage)
            return &w->blocks[i];
    return NULL;
}

void *sdfg_rt_workspace(struct sdfg_rt_context *context, int64_t storage, int64_t bytes, int64_t alignment)
{
    struct sdfg_rt_workspace *w = context->workspace;
    struct sdfg_rt_block *b = block_of(w, storage);
    int64_t at = b ? (b->used + alignment - 1) / alignment * alignment : 0, end;
    if (bytes < 0 || __builtin_add_overflow(at, bytes, &end)) {
        sdfg_rt_fail(context, SDFG_RT_BAD_VALUE);
        return NULL;
    }
    if (!b || (!w->measure && (!b->memory || end > b->bytes))) {
        sdfg_rt_fail(context, SDFG_RT_WORKSPACE);
        return NULL;
    }
    b->used = end;
    return w->measure ? (void *)b : b->memory + at;
}

void *sdfg_rt_external(struct sdfg_rt_context *context, int64_t storage, int64_t bytes)
{
    return sdfg_rt_workspace(context, storage, bytes, ALIGNMENT);
}
