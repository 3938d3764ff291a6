#include "runtime/device_internal.h"

#include <stdint.h>
#include <stdio.h>

enum { LAUNCH_END = 0, LAUNCH_BUFFER = 1, LAUNCH_BYTES = 2 }; /* CU_LAUNCH_PARAM_... */

static bool refuse(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, const char *what, int64_t is, int64_t most)
{
    return sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "kernel %s%s%s: %lld %s, and the device allows %lld",
                               k->name, *k->path ? " of " : "", k->path, (long long)is, what, (long long)most);
}

static bool within_limits(struct sdfg_rt_run *run, const struct sdfg_rt_function *f, const struct sdfg_rt_kernel *k,
                          const int64_t *shape, int64_t bytes)
{
    static const char *const names[] = { "blocks in x",  "blocks in y",  "blocks in z",
                                         "threads in x", "threads in y", "threads in z" };
    const struct sdfg_rt_gpu *gpu = run->gpu;
    for (int i = 0; i < 6; i++) {
        int64_t most = i < 3 ? gpu->max_grid[i] : gpu->max_block[i - 3];
        if (shape[i] > most)
            return refuse(run, k, names[i], shape[i], most);
    }
    int64_t threads = shape[3] * shape[4] * shape[5];
    if (threads > f->threads)
        return refuse(run, k, "threads in a block", threads, f->threads);
    return bytes == k->params ||
           sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "kernel %s%s%s: %lld bytes of parameters instead of %u",
                               k->name, *k->path ? " of " : "", k->path, (long long)bytes, k->params);
}

static int launch(const struct sdfg_rt_cuda *cuda, const struct sdfg_rt_kernel *k, cuda_function function,
                  const int64_t *s, void **extra, cuda_stream stream)
{
    unsigned shape[6];
    for (int i = 0; i < 6; i++)
        shape[i] = (unsigned)s[i];
    if (!(k->flags & SDFG_RT_COOPERATIVE))
        return cuda->LaunchKernel(function, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], k->shared,
                                  stream, NULL, extra);
    struct cuda_launch_attribute cooperative = { .id = CUDA_LAUNCH_COOPERATIVE, .value = { .cooperative = 1 } };
    struct cuda_launch l = { .grid = { shape[0], shape[1], shape[2] },
                             .block = { shape[3], shape[4], shape[5] },
                             .shared = k->shared,
                             .stream = stream,
                             .attributes = &cooperative,
                             .num_attributes = 1 };
    return cuda->LaunchKernelEx(&l, function, NULL, extra);
}

static bool can_cooperate(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k)
{
    return !(k->flags & SDFG_RT_COOPERATIVE) || (run->gpu->cooperative && run->gpu->cuda->LaunchKernelEx) ||
           sdfg_rt_device_fail(
               run->context, SDFG_RT_DEVICE,
               "kernel %s%s%s needs blocks that wait for each other, which takes a driver for CUDA 11.8 "
               "and a device that can launch such kernels",
               k->name, *k->path ? " of " : "", k->path);
}

void sdfg_rt_device_launch(struct sdfg_rt_run *run, int64_t kernel, const int64_t *shape, const void *params,
                           int64_t bytes, int64_t queue)
{
    if (!sdfg_rt_run_good(run))
        return;
    for (int i = 0; i < 6; i++)
        if (shape[i] <= 0)
            return;
    struct sdfg_rt_function *f = sdfg_rt_function_of(run, kernel);
    cuda_stream stream;
    if (!f || !sdfg_rt_run_queue(run, queue, &stream))
        return;
    const struct sdfg_rt_kernel *k = &run->image->kernels[kernel];
    size_t size = (size_t)bytes;
    void *extra[] = { (void *)(uintptr_t)LAUNCH_BUFFER, (void *)(uintptr_t)params, (void *)(uintptr_t)LAUNCH_BYTES,
                      &size, (void *)(uintptr_t)LAUNCH_END };
    if (!within_limits(run, f, k, shape, bytes) || !can_cooperate(run, k))
        return;
    sdfg_rt_log_add(run, kernel, shape);
    int result = launch(run->gpu->cuda, k, f->handle, shape, extra, stream);
    if (result != CUDA_GOOD)
        sdfg_rt_run_check(run, k->flags & SDFG_RT_COOPERATIVE ? "cuLaunchKernelEx" : "cuLaunchKernel", result,
                          sdfg_rt_cuda_is_fault(result) ? "" : k->name);
    else if (run->call->check)
        sdfg_rt_device_wait(run, queue);
}

int64_t sdfg_rt_device_resident(struct sdfg_rt_run *run, int64_t kernel, int64_t threads)
{
    struct sdfg_rt_function *f = sdfg_rt_run_good(run) ? sdfg_rt_function_of(run, kernel) : NULL;
    int blocks = 1;
    if (!f)
        return 1;
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    const struct sdfg_rt_kernel *k = &run->image->kernels[kernel];
    if (threads < 1 || threads > f->threads) {
        refuse(run, k, "threads in a block", threads, f->threads);
        return 1;
    }
    if (cuda->OccupancyMaxActiveBlocksPerMultiprocessor &&
        !sdfg_rt_run_check(run, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                           cuda->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f->handle, (int)threads, k->shared),
                           k->name))
        return 1;
    int64_t all = (int64_t)blocks * run->gpu->processors;
    return all < 1 ? 1 : all;
}
