/* Transfers. The driver copies ordinary memory of the host through buffers of its own before the call returns, as much
 * of it as does not go through ours (device_stage.c); pinned memory it reads when the queue gets there, so that the
 * host would have to leave it alone until then. */
#include "runtime/device_internal.h"

#include <stdio.h>

static const char *const functions[] = { [SDFG_RT_TO_DEVICE] = "cuMemcpyHtoDAsync",
                                         [SDFG_RT_TO_HOST] = "cuMemcpyDtoHAsync",
                                         [SDFG_RT_WITHIN_DEVICE] = "cuMemcpyDtoDAsync" };

static int copy_row(const struct sdfg_rt_cuda *cuda, void *to, const void *from, size_t bytes, int64_t direction,
                    cuda_stream stream)
{
    cuda_address there = (cuda_address)(uintptr_t)to, here = (cuda_address)(uintptr_t)from;
    if (direction == SDFG_RT_TO_DEVICE)
        return cuda->MemcpyHtoDAsync(there, from, bytes, stream);
    if (direction == SDFG_RT_TO_HOST)
        return cuda->MemcpyDtoHAsync(to, here, bytes, stream);
    return cuda->MemcpyDtoDAsync(there, here, bytes, stream);
}

static int copy_rows(const struct sdfg_rt_cuda *cuda, void *to, const void *from, size_t bytes, size_t rows,
                     size_t to_pitch, size_t from_pitch, int64_t direction, cuda_stream stream)
{
    bool from_host = direction == SDFG_RT_TO_DEVICE, to_host = direction == SDFG_RT_TO_HOST;
    struct cuda_copy_2d copy = {
        .from_type = from_host ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE,
        .from_host = from_host ? from : NULL,
        .from_device = from_host ? 0 : (cuda_address)(uintptr_t)from,
        .from_pitch = from_pitch,
        .to_type = to_host ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE,
        .to_host = to_host ? to : NULL,
        .to_device = to_host ? 0 : (cuda_address)(uintptr_t)to,
        .to_pitch = to_pitch,
        .bytes = bytes,
        .rows = rows,
    };
    return cuda->Memcpy2DAsync(&copy, stream);
}

static bool is_pinned(struct sdfg_rt_run *run, const void *host)
{
    const struct sdfg_rt_mirror *m = sdfg_rt_mirror_find(run, host);
    return m ? m->pinned : sdfg_rt_device_is_pinned(run->gpu, host);
}

/* Rows may be one behind the other, backwards, or the same one again and again. */
static bool copy_each(struct sdfg_rt_run *run, char *to, const char *from, int64_t bytes, int64_t rows,
                      int64_t to_pitch, int64_t from_pitch, int64_t direction, cuda_stream stream)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    char what[96];
    snprintf(what, sizeof what, "%lld rows of %lld bytes", (long long)rows, (long long)bytes);
    if (rows > 1 && to_pitch == bytes && from_pitch == bytes) {
        bytes *= rows;
        rows = 1;
    }
    if (rows > 1 && to_pitch >= bytes && from_pitch >= bytes)
        return sdfg_rt_run_check(run, "cuMemcpy2DAsync",
                                 copy_rows(cuda, to, from, (size_t)bytes, (size_t)rows, (size_t)to_pitch,
                                           (size_t)from_pitch, direction, stream),
                                 what);
    for (int64_t i = 0; i < rows; i++)
        if (!sdfg_rt_run_check(
                run, functions[direction],
                copy_row(cuda, to + i * to_pitch, from + i * from_pitch, (size_t)bytes, direction, stream), what))
            return false;
    return true;
}

void sdfg_rt_device_copy(struct sdfg_rt_run *run, void *to, const void *from, int64_t bytes, int64_t rows,
                         int64_t to_pitch, int64_t from_pitch, int64_t direction, int64_t queue)
{
    cuda_stream stream;
    int64_t all;
    if (!sdfg_rt_run_good(run) || to == from || bytes == 0 || rows <= 0)
        return;
    if (bytes < 0 || __builtin_mul_overflow(bytes, rows, &all)) {
        sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "a copy of %lld rows of %lld bytes", (long long)rows,
                            (long long)bytes);
        return;
    }
    if (!sdfg_rt_run_queue(run, queue, &stream))
        return;
    struct sdfg_rt_mark *mark = sdfg_rt_time_copy(run, direction, all, stream);
    bool pinned = direction != SDFG_RT_WITHIN_DEVICE && is_pinned(run, direction == SDFG_RT_TO_DEVICE ? from : to);
    bool whole = rows == 1 || (to_pitch == bytes && from_pitch == bytes);
    enum sdfg_rt_staged staged = SDFG_RT_NOT_STAGED;
    if (whole && !pinned)
        staged = sdfg_rt_stage_copy(run, to, from, (size_t)all, direction, stream);
    bool good = staged == SDFG_RT_NOT_STAGED
                    ? copy_each(run, to, from, bytes, rows, to_pitch, from_pitch, direction, stream)
                    : staged == SDFG_RT_STAGED;
    sdfg_rt_time_end(run, mark, stream);
    if (good && direction == SDFG_RT_TO_DEVICE && pinned)
        sdfg_rt_device_wait(run, queue);
}

void sdfg_rt_device_zero(struct sdfg_rt_run *run, void *to, int64_t bytes, int64_t queue)
{
    cuda_stream stream;
    if (!sdfg_rt_run_good(run) || bytes <= 0 || !sdfg_rt_run_queue(run, queue, &stream))
        return;
    char what[64];
    snprintf(what, sizeof what, "%lld bytes", (long long)bytes);
    struct sdfg_rt_mark *mark = sdfg_rt_time_clear(run, bytes, stream);
    sdfg_rt_run_check(run, "cuMemsetD8Async",
                      run->gpu->cuda->MemsetD8Async((cuda_address)(uintptr_t)to, 0, (size_t)bytes, stream), what);
    sdfg_rt_time_end(run, mark, stream);
}
