/* Large transfers of ordinary memory of the host go through two pinned buffers in pieces: some threads copy one piece
 * while the device's engine moves the other one. On an H200 the driver moves 6 GB/s to the device and 14 from it, this
 * 28 and 26 (one thread copies 8). Pinned memory takes long to get (0.7 ms for each MiB), so a context has its pair
 * when some transfers have gone through the driver. A second transfer at the same time leaves its memory to the driver,
 * as do small ones, and all where no pinned memory or only one thread is left. */
#include "runtime/device_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    LEAST = 1 << 20,
    ENOUGH = 32 << 20, /* bytes that the driver moves before */
    MOST_PIECE = 4 << 20,
    BUFFERS = 2,
    PARTS = 4, /* of a transfer, if they are not too large */
    COPIERS = 4
};

static bool has_threads(const struct sdfg_rt_context *context)
{
    int64_t threads = context->num_threads > 0 ? context->num_threads : sdfg_rt_default_threads();
    return threads > 1 && !sdfg_rt_in_parallel();
}

static bool open_stage(struct sdfg_rt_gpu *gpu)
{
    struct sdfg_rt_stage *s = &gpu->stage;
    const struct sdfg_rt_cuda *cuda = gpu->cuda;
    void *memory = NULL;
    if (s->memory || s->refused)
        return s->memory != NULL;
    bool good = cuda->EventCreate(&s->moved[0], CUDA_EVENT_NO_TIMING) == CUDA_GOOD &&
                cuda->EventCreate(&s->moved[1], CUDA_EVENT_NO_TIMING) == CUDA_GOOD &&
                cuda->MemHostAlloc(&memory, (size_t)BUFFERS * MOST_PIECE, CUDA_HOST_PORTABLE) == CUDA_GOOD;
    s->memory = memory;
    s->refused = !good;
    return good;
}

void sdfg_rt_stage_free(struct sdfg_rt_gpu *gpu)
{
    struct sdfg_rt_stage *s = &gpu->stage;
    for (int i = 0; i < BUFFERS; i++)
        if (s->moved[i]) {
            if (s->busy[i])
                gpu->cuda->EventSynchronize(s->moved[i]);
            gpu->cuda->EventDestroy(s->moved[i]);
            s->moved[i] = NULL;
            s->busy[i] = false;
        }
    if (s->memory)
        gpu->cuda->MemFreeHost(s->memory);
    s->memory = NULL;
    s->refused = false;
    s->bytes = 0;
}

/* When what was moved last from or to a buffer is done. */
static bool wait_for(struct sdfg_rt_run *run, int buffer, const char *what)
{
    struct sdfg_rt_stage *s = &run->gpu->stage;
    if (!s->busy[buffer])
        return true;
    s->busy[buffer] = false;
    return sdfg_rt_run_check(run, "cuEventSynchronize", run->gpu->cuda->EventSynchronize(s->moved[buffer]), what);
}

/* Without an event there is nothing to wait for later. */
static bool mark(struct sdfg_rt_run *run, int buffer, cuda_stream stream, const char *what)
{
    struct sdfg_rt_stage *s = &run->gpu->stage;
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    s->busy[buffer] = sdfg_rt_run_check(run, "cuEventRecord", cuda->EventRecord(s->moved[buffer], stream), what);
    if (!s->busy[buffer])
        cuda->StreamSynchronize(stream);
    return s->busy[buffer];
}

struct copy {
    char *to;
    const char *from;
    size_t bytes;
};

static void copy_part(struct sdfg_rt_context *context, void *data, int64_t thread, int64_t threads)
{
    enum { PAGE = 4096 };
    const struct copy *c = data;
    size_t part = (c->bytes / (size_t)threads + PAGE) / PAGE * PAGE, first = part * (size_t)thread;
    (void)context;
    if (first < c->bytes)
        memcpy(c->to + first, c->from + first, c->bytes - first < part ? c->bytes - first : part);
}

/* One thread copies slower than the device's engine. */
static void copy_by_threads(struct sdfg_rt_run *run, char *to, const char *from, size_t bytes)
{
    struct copy c = { to, from, bytes };
    sdfg_rt_parallel(run->context, copy_part, &c, COPIERS);
}

static bool to_device(struct sdfg_rt_run *run, char *to, const char *from, size_t bytes, size_t piece,
                      cuda_stream stream, const char *what)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    int buffer = 0;
    for (size_t at = 0; at < bytes; at += piece, buffer = 1 - buffer) {
        char *staged = run->gpu->stage.memory + (size_t)buffer * MOST_PIECE;
        size_t size = bytes - at < piece ? bytes - at : piece;
        if (!wait_for(run, buffer, what))
            return false;
        copy_by_threads(run, staged, from + at, size);
        if (!sdfg_rt_run_check(run, "cuMemcpyHtoDAsync",
                               cuda->MemcpyHtoDAsync((cuda_address)(uintptr_t)(to + at), staged, size, stream), what) ||
            !mark(run, buffer, stream, what))
            return false;
    }
    return true;
}

static bool to_host(struct sdfg_rt_run *run, char *to, const char *from, size_t bytes, size_t piece, cuda_stream stream,
                    const char *what)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    size_t pieces = (bytes + piece - 1) / piece;
    for (size_t i = 0; i < pieces + 1; i++) { /* piece i is asked for, and the one before put where it belongs */
        int buffer = i % BUFFERS;
        size_t at = i * piece, before = at - piece;
        if (i < pieces) {
            size_t size = bytes - at < piece ? bytes - at : piece;
            if (!wait_for(run, buffer, what) ||
                !sdfg_rt_run_check(run, "cuMemcpyDtoHAsync",
                                   cuda->MemcpyDtoHAsync(run->gpu->stage.memory + (size_t)buffer * MOST_PIECE,
                                                         (cuda_address)(uintptr_t)(from + at), size, stream),
                                   what) ||
                !mark(run, buffer, stream, what))
                return false;
        }
        if (i > 0) {
            size_t size = bytes - before < piece ? bytes - before : piece;
            if (!wait_for(run, 1 - buffer, what))
                return false;
            copy_by_threads(run, to + before, run->gpu->stage.memory + (size_t)(1 - buffer) * MOST_PIECE, size);
        }
    }
    return true;
}

enum sdfg_rt_staged sdfg_rt_stage_copy(struct sdfg_rt_run *run, void *to, const void *from, size_t bytes,
                                       int64_t direction, cuda_stream stream)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    char what[64];
    if (bytes < LEAST || direction == SDFG_RT_WITHIN_DEVICE || !has_threads(run->context) ||
        pthread_mutex_trylock(&gpu->stage_lock))
        return SDFG_RT_NOT_STAGED;
    enum sdfg_rt_staged result = SDFG_RT_NOT_STAGED;
    gpu->stage.bytes += bytes;
    if (gpu->stage.bytes >= ENOUGH && open_stage(gpu)) {
        enum { GRANULE = 64 << 10 };
        size_t piece = (bytes / PARTS + GRANULE - 1) / GRANULE * GRANULE;
        piece = piece > MOST_PIECE ? MOST_PIECE : piece;
        snprintf(what, sizeof what, "1 rows of %zu bytes", bytes);
        bool good = (direction == SDFG_RT_TO_DEVICE ? to_device : to_host)(run, to, from, bytes, piece, stream, what);
        result = good ? SDFG_RT_STAGED : SDFG_RT_STAGE_FAILED;
    }
    pthread_mutex_unlock(&gpu->stage_lock);
    return result;
}
