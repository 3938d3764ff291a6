/* Memory of the device, and pinned memory of the host. Blocks that are freed are kept for later calls, which ask for
 * the same sizes: allocating waits for the device. They go when the driver has no memory left, and with the last
 * engine. */
#include "runtime/device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRANULE = 16, LARGE = 1 << 20 };

/* ---- blocks ---- */

static struct sdfg_rt_device_block *take(struct sdfg_rt_device_block **list, const void *address)
{
    for (struct sdfg_rt_device_block **at = list; *at; at = &(*at)->next)
        if ((*at)->address == address) {
            struct sdfg_rt_device_block *b = *at;
            *at = b->next;
            return b;
        }
    return NULL;
}

/* The one that wastes least, and at most an eighth of a large block; of several the first in memory, so that equal
 * calls get equal addresses. */
static bool is_better(const struct sdfg_rt_device_block *a, const struct sdfg_rt_device_block *b)
{
    return a->size < b->size || (a->size == b->size && (uintptr_t)a->address < (uintptr_t)b->address);
}

static struct sdfg_rt_device_block *take_fit(struct sdfg_rt_device_block **list, size_t size, int place)
{
    struct sdfg_rt_device_block **best = NULL;
    size_t most = size < LARGE ? size : size + size / 8;
    for (struct sdfg_rt_device_block **at = list; *at; at = &(*at)->next)
        if ((*at)->place == place && (*at)->size >= size && (*at)->size <= most && (!best || is_better(*at, *best)))
            best = at;
    struct sdfg_rt_device_block *b = best ? *best : NULL;
    if (b)
        *best = b->next;
    return b;
}

static void release(struct sdfg_rt_gpu *gpu, struct sdfg_rt_device_block *b)
{
    if (b->place == SDFG_RT_PINNED)
        gpu->cuda->MemFreeHost(b->address);
    else
        gpu->cuda->MemFree((cuda_address)(uintptr_t)b->address);
    free(b);
}

static void release_list(struct sdfg_rt_gpu *gpu, struct sdfg_rt_device_block **list)
{
    while (*list) {
        struct sdfg_rt_device_block *b = *list;
        *list = b->next;
        release(gpu, b);
    }
}

void sdfg_rt_device_trim(struct sdfg_rt_gpu *gpu, bool all)
{
    release_list(gpu, &gpu->kept);
    if (all)
        release_list(gpu, &gpu->used);
}

bool sdfg_rt_device_is_pinned(struct sdfg_rt_gpu *gpu, const void *memory)
{
    bool found = false;
    pthread_mutex_lock(&gpu->lock);
    for (const struct sdfg_rt_device_block *b = gpu->used; b && !found; b = b->next)
        found = b->place == SDFG_RT_PINNED && (const char *)memory >= b->address &&
                (const char *)memory < b->address + b->size;
    pthread_mutex_unlock(&gpu->lock);
    return found;
}

static int ask(struct sdfg_rt_gpu *gpu, struct sdfg_rt_device_block *b)
{
    cuda_address address = 0;
    void *memory = NULL;
    int result = b->place == SDFG_RT_PINNED ? gpu->cuda->MemHostAlloc(&memory, b->size, CUDA_HOST_PORTABLE)
                                            : gpu->cuda->MemAlloc(&address, b->size);
    b->address = b->place == SDFG_RT_PINNED ? memory : (char *)(uintptr_t)address;
    return result;
}

/* From the driver; if that has none, again when all kept blocks are given back. */
static struct sdfg_rt_device_block *make(struct sdfg_rt_run *run, size_t size, int place)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    struct sdfg_rt_device_block *b = malloc(sizeof *b);
    if (!b) {
        sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    *b = (struct sdfg_rt_device_block){ .size = size, .place = place };
    int result = ask(gpu, b);
    if (result == CUDA_OUT_OF_MEMORY) {
        sdfg_rt_device_wait(run, SDFG_RT_ALL_QUEUES);
        pthread_mutex_lock(&gpu->lock);
        sdfg_rt_run_collect(gpu, true);
        sdfg_rt_device_trim(gpu, false);
        pthread_mutex_unlock(&gpu->lock);
        result = ask(gpu, b);
    }
    if (result == CUDA_GOOD)
        return b;
    char what[160];
    size_t left = 0, total = 0;
    gpu->cuda->MemGetInfo(&left, &total);
    snprintf(what, sizeof what, "%zu bytes %s; device %d has %zu of %zu left", size,
             place == SDFG_RT_PINNED ? "of pinned memory" : "on the device", gpu->index, left, total);
    sdfg_rt_run_check(run, place == SDFG_RT_PINNED ? "cuMemHostAlloc" : "cuMemAlloc", result, what);
    free(b);
    return NULL;
}

void *sdfg_rt_device_alloc(struct sdfg_rt_run *run, int64_t bytes, int64_t place)
{
    if (!sdfg_rt_run_good(run))
        return NULL;
    if (bytes < 0 || bytes > INT64_MAX - GRANULE) {
        sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "memory of %lld bytes", (long long)bytes);
        return NULL;
    }
    struct sdfg_rt_gpu *gpu = run->gpu;
    size_t size = bytes ? ((size_t)bytes + GRANULE - 1) / GRANULE * GRANULE : GRANULE;
    struct sdfg_rt_device_block *b = take_fit(&run->freed, size, (int)place);
    if (b) {
        run->reuses++;
    } else {
        pthread_mutex_lock(&gpu->lock);
        b = take_fit(&gpu->kept, size, (int)place);
        pthread_mutex_unlock(&gpu->lock);
    }
    if (!b && !(b = make(run, size, (int)place)))
        return NULL;
    pthread_mutex_lock(&gpu->lock);
    b->run = run;
    b->next = gpu->used;
    gpu->used = b;
    run->owned++;
    pthread_mutex_unlock(&gpu->lock);
    return b->address;
}

/* Pinned memory is the host's too, which does not wait for the queues. */
void sdfg_rt_device_free(struct sdfg_rt_run *run, void *memory, int64_t place)
{
    (void)place;
    if (!run || !memory)
        return;
    for (size_t i = 0; i < run->num_mirrors; i++)
        if (run->mirrors[i].device == memory)
            return;
    struct sdfg_rt_gpu *gpu = run->gpu;
    pthread_mutex_lock(&gpu->lock);
    struct sdfg_rt_device_block *b = take(&gpu->used, memory);
    struct sdfg_rt_device_block **list = run->busy ? &run->freed : &gpu->kept;
    if (b) {
        run->owned -= b->run == run;
        b->next = *list;
        *list = b;
    }
    pthread_mutex_unlock(&gpu->lock);
}

void sdfg_rt_device_disown(struct sdfg_rt_run *run, bool failed)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    if (!run->owned)
        return;
    pthread_mutex_lock(&gpu->lock);
    for (struct sdfg_rt_device_block **at = &gpu->used; *at;) {
        struct sdfg_rt_device_block *b = *at;
        bool drop = failed && b->run == run;
        if (b->run == run)
            b->run = NULL;
        if (drop) {
            *at = b->next;
            b->next = gpu->kept;
            gpu->kept = b;
        } else {
            at = &b->next;
        }
    }
    run->owned = 0;
    pthread_mutex_unlock(&gpu->lock);
}

/* ---- mirrors ---- */

const struct sdfg_rt_mirror *sdfg_rt_mirror_find(const struct sdfg_rt_run *run, const void *host)
{
    for (size_t i = 0; i < run->num_mirrors; i++) {
        const struct sdfg_rt_mirror *m = &run->mirrors[i];
        if ((const char *)host >= m->host && (const char *)host < m->host + m->size)
            return m;
    }
    return NULL;
}

static struct sdfg_rt_mirror *add(struct sdfg_rt_run *run)
{
    if (run->num_mirrors == run->max_mirrors) {
        size_t most = run->max_mirrors ? 2 * run->max_mirrors : 16;
        struct sdfg_rt_mirror *mirrors = realloc(run->mirrors, most * sizeof *mirrors);
        if (!mirrors) {
            sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
            return NULL;
        }
        run->mirrors = mirrors;
        run->max_mirrors = most;
    }
    return &run->mirrors[run->num_mirrors];
}

/* What the driver knows of an address, in one call, which leaves the values of memory that it does not know as zero. */
static int find_place(const struct sdfg_rt_cuda *cuda, const void *address, int32_t *place, int32_t *index)
{
    static const int asked[] = { CUDA_POINTER_MEMORY_TYPE, CUDA_POINTER_IS_MANAGED, CUDA_POINTER_DEVICE };
    int type = 0, managed = 0, device = 0;
    void *values[] = { &type, &managed, &device };
    int result =
        cuda->PointerGetAttributes(sizeof asked / sizeof *asked, asked, values, (cuda_address)(uintptr_t)address);
    *place = -1;
    if (result != CUDA_GOOD)
        return result == CUDA_INVALID_VALUE ? CUDA_GOOD : result;
    if (managed) /* on each device */
        *place = SDFG_RT_ON_DEVICE;
    else if (type == CUDA_MEMORY_HOST)
        *place = SDFG_RT_PINNED;
    else if (type == CUDA_MEMORY_DEVICE) {
        *place = SDFG_RT_ON_DEVICE;
        *index = device;
    }
    return CUDA_GOOD;
}

bool sdfg_rt_device_place(const void *address, int32_t *place, int32_t *index, char *trouble)
{
    const struct sdfg_rt_cuda *cuda = sdfg_rt_cuda_open(trouble);
    *place = -1;
    if (!cuda)
        return true;
    int result = find_place(cuda, address, place, index);
    if (result != CUDA_GOOD)
        sdfg_rt_cuda_text(cuda, "cuPointerGetAttributes", result, trouble, SDFG_RT_DEVICE_TROUBLE);
    return result == CUDA_GOOD;
}

/* Memory that the device uses in place: on it, or managed. False with the error set if it is another device's. */
static bool in_place(struct sdfg_rt_run *run, struct sdfg_rt_mirror *m)
{
    int32_t index = run->gpu->index, place;
    if (!sdfg_rt_run_check(run, "cuPointerGetAttributes", find_place(run->gpu->cuda, m->host, &place, &index), ""))
        return false;
    m->pinned = place == SDFG_RT_PINNED;
    if (place != SDFG_RT_ON_DEVICE)
        return true;
    m->device = m->host;
    return index == run->gpu->index ||
           sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE,
                               "memory at %p is on device %d, and the program runs on device %d", (void *)m->host,
                               index, run->gpu->index);
}

void *sdfg_rt_device_mirror(struct sdfg_rt_run *run, void *address, int64_t bytes)
{
    if (!sdfg_rt_run_good(run))
        return NULL;
    if (bytes < 0) {
        sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "memory of %lld bytes", (long long)bytes);
        return NULL;
    }
    if (!address)
        return NULL;
    const struct sdfg_rt_mirror *known = sdfg_rt_mirror_find(run, address);
    if (known && (char *)address + bytes <= known->host + known->size)
        return known->device + ((char *)address - known->host);
    if (known) {
        sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE,
                            "two arguments overlap, and neither lies inside of the other: %lld bytes at %p",
                            (long long)bytes, address);
        return NULL;
    }
    struct sdfg_rt_mirror *m = add(run);
    if (!m)
        return NULL;
    *m = (struct sdfg_rt_mirror){ .host = address, .size = (size_t)bytes };
    if (!run->call->host_only && !in_place(run, m))
        return NULL;
    m->own = !m->device;
    if (m->own && !(m->device = sdfg_rt_device_alloc(run, bytes, SDFG_RT_ON_DEVICE)))
        return NULL;
    run->num_mirrors++;
    return m->device;
}
