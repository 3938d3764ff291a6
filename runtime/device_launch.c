#include "runtime/device_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
                  const int64_t *s, void **extra, cuda_stream stream, struct cuda_launch_attribute *how)
{
    unsigned shape[6];
    for (int i = 0; i < 6; i++)
        shape[i] = (unsigned)s[i];
    if (!how)
        return cuda->LaunchKernel(function, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], k->shared,
                                  stream, NULL, extra);
    struct cuda_launch l = { .grid = { shape[0], shape[1], shape[2] },
                             .block = { shape[3], shape[4], shape[5] },
                             .shared = k->shared,
                             .stream = stream,
                             .attributes = how,
                             .num_attributes = 1 };
    return cuda->LaunchKernelEx(&l, function, NULL, extra);
}

/* ---- blocks that wait for each other ---- */

static int64_t blocks_of(const int64_t *shape) { return shape[0] * shape[1] * shape[2]; }

/* Cooperative kernels do with any number of blocks: with as many in x as fit on the device at once, and with one block
 * where blocks cannot wait for each other (a driver older than CUDA 11.8). */
static bool limit_blocks(struct sdfg_rt_run *run, int64_t kernel, int64_t *shape)
{
    const struct sdfg_rt_gpu *gpu = run->gpu;
    if (blocks_of(shape) == 1)
        return true;
    if (!gpu->cooperative || !gpu->cuda->LaunchKernelEx) {
        shape[0] = shape[1] = shape[2] = 1;
        return true;
    }
    int64_t most = sdfg_rt_device_resident(run, kernel, shape[3] * shape[4] * shape[5]) / (shape[1] * shape[2]);
    if (shape[0] > most)
        shape[0] = most < 1 ? 1 : most;
    return sdfg_rt_run_good(run);
}

/* The blocks of a kernel count each other in memory that belongs to the kernel, so that no two such launches of a
 * device may overlap. */
int sdfg_rt_together_enter(struct sdfg_rt_run *run, cuda_stream stream, const char **name)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    const struct sdfg_rt_cuda *cuda = gpu->cuda;
    int result = CUDA_GOOD;
    pthread_mutex_lock(&gpu->lock);
    *name = "cuEventCreate";
    if (!gpu->met)
        result = cuda->EventCreate(&gpu->met, CUDA_EVENT_NO_TIMING);
    if (result == CUDA_GOOD && gpu->met_in && gpu->met_in != stream) {
        *name = "cuStreamWaitEvent";
        result = cuda->StreamWaitEvent(stream, gpu->met, 0);
    }
    return result;
}

int sdfg_rt_together_leave(struct sdfg_rt_run *run, int result, cuda_stream stream, const char **name)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    if (result == CUDA_GOOD) {
        *name = "cuEventRecord";
        result = gpu->cuda->EventRecord(gpu->met, stream);
        gpu->met_in = stream;
    }
    pthread_mutex_unlock(&gpu->lock);
    return result;
}

static int launch_together(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                           const int64_t *shape, void **extra, cuda_stream stream, const char **name)
{
    int result = sdfg_rt_together_enter(run, stream, name);
    if (result == CUDA_GOOD) {
        struct cuda_launch_attribute cooperative = { .id = CUDA_LAUNCH_COOPERATIVE, .value = { .cooperative = 1 } };
        *name = "cuLaunchKernelEx";
        result = launch(run->gpu->cuda, k, function, shape, extra, stream, &cooperative);
    }
    return sdfg_rt_together_leave(run, result, stream, name);
}

/* A few blocks as one cluster, whose barrier is quicker and needs no memory. The device may have no room for it. */
static bool launch_cluster(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                           const int64_t *shape, void **extra, cuda_stream stream)
{
    struct cuda_launch_attribute cluster = { .id = CUDA_LAUNCH_CLUSTER,
                                             .value = { .cluster = { (unsigned)shape[0], 1, 1 } } };
    return launch(run->gpu->cuda, k, function, shape, extra, stream, &cluster) == CUDA_GOOD;
}

enum sdfg_rt_blocks sdfg_rt_blocks_of(const struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k,
                                      const int64_t *shape)
{
    enum { MOST_BLOCKS = 8, WITH_CLUSTERS = 90 };
    if (!(k->flags & SDFG_RT_COOPERATIVE) || blocks_of(shape) == 1)
        return SDFG_RT_APART;
    bool few = blocks_of(shape) <= MOST_BLOCKS && blocks_of(shape) == shape[0];
    return few && run->image->arch >= WITH_CLUSTERS ? SDFG_RT_CLUSTER : SDFG_RT_TOGETHER;
}

int sdfg_rt_launch(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function,
                   const int64_t *shape, void **extra, cuda_stream stream, const char **name)
{
    enum sdfg_rt_blocks blocks = sdfg_rt_blocks_of(run, k, shape);
    if (blocks == SDFG_RT_APART) {
        *name = "cuLaunchKernel";
        return launch(run->gpu->cuda, k, function, shape, extra, stream, NULL);
    }
    if (blocks == SDFG_RT_CLUSTER && launch_cluster(run, k, function, shape, extra, stream))
        return CUDA_GOOD;
    return launch_together(run, k, function, shape, extra, stream, name);
}

void sdfg_rt_device_launch(struct sdfg_rt_run *run, int64_t kernel, const int64_t *wanted, const void *params,
                           int64_t bytes, int64_t queue)
{
    int64_t shape[6];
    if (!sdfg_rt_run_good(run))
        return;
    for (int i = 0; i < 6; i++)
        if (wanted[i] <= 0)
            return;
    memcpy(shape, wanted, sizeof shape);
    struct sdfg_rt_function *f = sdfg_rt_function_of(run, kernel);
    cuda_stream stream;
    if (!f)
        return;
    const struct sdfg_rt_kernel *k = &run->image->kernels[kernel];
    size_t size = (size_t)bytes;
    void *extra[] = { (void *)(uintptr_t)CUDA_LAUNCH_BUFFER, (void *)(uintptr_t)params,
                      (void *)(uintptr_t)CUDA_LAUNCH_BYTES, &size, (void *)(uintptr_t)CUDA_LAUNCH_END };
    if (!within_limits(run, f, k, shape, bytes) ||
        (k->flags & SDFG_RT_COOPERATIVE && !limit_blocks(run, kernel, shape)))
        return;
    if (queue == 0 && sdfg_rt_graph_defer(run, k, f->handle, shape, params, size)) {
        sdfg_rt_log_add(run, kernel, shape);
        return;
    }
    if (!sdfg_rt_run_queue(run, queue, &stream))
        return;
    struct sdfg_rt_mark *mark = sdfg_rt_time_kernel(run, k, stream);
    sdfg_rt_log_add(run, kernel, shape);
    const char *name;
    int result = sdfg_rt_launch(run, k, f->handle, shape, extra, stream, &name);
    sdfg_rt_time_end(run, mark, stream);
    if (result != CUDA_GOOD)
        sdfg_rt_run_check(run, name, result, sdfg_rt_cuda_is_fault(result) ? "" : k->name);
    else if (run->call->check || k->flags & SDFG_RT_CHECKED)
        sdfg_rt_device_wait(run, queue);
    if (k->flags & SDFG_RT_CHECKED)
        sdfg_rt_fault_look(run, k);
}

int64_t sdfg_rt_device_resident(struct sdfg_rt_run *run, int64_t kernel, int64_t threads)
{
    struct sdfg_rt_function *f = sdfg_rt_run_good(run) ? sdfg_rt_function_of(run, kernel) : NULL;
    int blocks = 1;
    if (!f)
        return 1;
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    const struct sdfg_rt_kernel *k = &run->image->kernels[kernel];
    int64_t known = __atomic_load_n(&f->resident, __ATOMIC_RELAXED);
    if (known && known >> 32 == threads)
        return known & UINT32_MAX;
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
    all = all < 1 ? 1 : all;
    __atomic_store_n(&f->resident, threads << 32 | all, __ATOMIC_RELAXED);
    return all;
}
