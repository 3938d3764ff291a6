/* Devices and their contexts: one struct sdfg_rt_gpu for each pair that programs ran on, for the life of the process.
 * The primary context of a device is shared with everybody in the process who uses CUDA's runtime. */
#include "runtime/device_vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of both */
static struct sdfg_rt_gpu *gpus;
static int64_t holders;

static bool attribute(const struct sdfg_rt_cuda *cuda, int device, int which, int *out, int *result)
{
    *result = cuda->DeviceGetAttribute(out, which, device);
    return *result == CUDA_GOOD;
}

/* False with *result set. */
static bool ask(struct sdfg_rt_gpu *g, int *result)
{
    const struct sdfg_rt_cuda *cuda = g->cuda;
    int major = 0, minor = 0, cooperative = 0;
    bool good = attribute(cuda, g->device, CUDA_MAJOR, &major, result) &&
                attribute(cuda, g->device, CUDA_MINOR, &minor, result) &&
                attribute(cuda, g->device, CUDA_PROCESSORS, &g->processors, result) &&
                attribute(cuda, g->device, CUDA_MAX_THREADS, &g->max_threads, result) &&
                attribute(cuda, g->device, CUDA_MAX_SHARED, &g->max_shared, result) &&
                attribute(cuda, g->device, CUDA_COOPERATIVE, &cooperative, result);
    for (int i = 0; i < 3 && good; i++)
        good = attribute(cuda, g->device, CUDA_MAX_BLOCK_X + i, &g->max_block[i], result) &&
               attribute(cuda, g->device, CUDA_MAX_GRID_X + i, &g->max_grid[i], result);
    g->max_shared_optin = g->max_shared;
    int optin = 0, ignored;
    if (good && attribute(cuda, g->device, CUDA_MAX_SHARED_OPTIN, &optin, &ignored) && optin > g->max_shared)
        g->max_shared_optin = optin;
    g->arch = 10 * major + minor;
    g->cooperative = cooperative;
    return good;
}

static bool refuse(struct sdfg_rt_context *context, const struct sdfg_rt_cuda *cuda, const char *function, int result,
                   int index)
{
    char text[256];
    int count = 0;
    sdfg_rt_cuda_text(cuda, function, result, text, sizeof text);
    if (result == CUDA_INVALID_DEVICE && cuda->DeviceGetCount(&count) == CUDA_GOOD)
        return sdfg_rt_device_fail(context, SDFG_RT_DEVICE, "there is no device %d; %d visible", index, count);
    if (result == CUDA_INVALID_CONTEXT)
        return sdfg_rt_device_fail(context, SDFG_RT_BAD_VALUE, "the caller's context is none, or not of device %d",
                                   index);
    return sdfg_rt_device_fail(context, result == CUDA_OUT_OF_MEMORY ? SDFG_RT_OUT_OF_MEMORY : SDFG_RT_DEVICE,
                               "device %d: %s", index, text);
}

/* A caller's context knows its device. */
static int find_device(struct sdfg_rt_gpu *g, const char **function)
{
    cuda_context popped;
    if (!g->callers) {
        *function = "cuDeviceGet";
        return g->cuda->DeviceGet(&g->device, g->index);
    }
    *function = "cuCtxPushCurrent";
    int result = g->cuda->CtxPushCurrent(g->handle);
    if (result != CUDA_GOOD)
        return result;
    *function = "cuCtxGetDevice";
    result = g->cuda->CtxGetDevice(&g->device);
    g->cuda->CtxPopCurrent(&popped);
    return result == CUDA_GOOD && g->device != g->index ? CUDA_INVALID_CONTEXT : result; /* numbered alike */
}

static struct sdfg_rt_gpu *make(struct sdfg_rt_context *context, const struct sdfg_rt_cuda *cuda,
                                const struct sdfg_rt_device *call)
{
    const char *function;
    struct sdfg_rt_gpu *g = calloc(1, sizeof *g);
    if (!g) {
        sdfg_rt_fail(context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    g->cuda = cuda;
    g->index = call->index;
    g->handle = call->cuda_context;
    g->callers = call->cuda_context != NULL;
    int result = find_device(g, &function);
    if (result == CUDA_GOOD) {
        function = "cuDeviceGetAttribute";
        ask(g, &result);
    }
    if (result == CUDA_GOOD && !g->callers) {
        function = "cuDevicePrimaryCtxRetain";
        result = cuda->DevicePrimaryCtxRetain(&g->handle, g->device);
    }
    if (result == CUDA_GOOD) {
        pthread_mutex_init(&g->lock, NULL);
        pthread_mutex_init(&g->library_lock, NULL);
        pthread_mutex_init(&g->stage_lock, NULL);
        g->next = gpus;
        gpus = g;
        return g;
    }
    refuse(context, cuda, function, result, call->index);
    free(g);
    return NULL;
}

static struct sdfg_rt_gpu *find(const struct sdfg_rt_device *call)
{
    struct sdfg_rt_gpu *g = gpus;
    while (g && (call->cuda_context ? g->handle != call->cuda_context : g->callers || g->index != call->index))
        g = g->next;
    return g;
}

struct sdfg_rt_gpu *sdfg_rt_gpu_of(struct sdfg_rt_context *context, const struct sdfg_rt_device *call)
{
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    const struct sdfg_rt_cuda *cuda = sdfg_rt_cuda_open(trouble);
    if (!cuda) {
        sdfg_rt_device_fail(context, SDFG_RT_DEVICE, "%s", trouble);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct sdfg_rt_gpu *g = find(call);
    if (!g)
        g = make(context, cuda, call);
    pthread_mutex_unlock(&lock);
    if (!g || !g->lost)
        return g;
    char text[256];
    sdfg_rt_cuda_text(cuda, "an earlier run", g->lost, text, sizeof text);
    sdfg_rt_device_fail(context, SDFG_RT_DEVICE, "device %d is lost to this process: %s", g->index, text);
    return NULL;
}

/* ---- questions ---- */

bool sdfg_rt_device_describe(int32_t index, struct sdfg_rt_device_info *out, char *trouble)
{
    *trouble = 0;
    *out = (struct sdfg_rt_device_info){ .arch = 0 };
    const struct sdfg_rt_cuda *cuda = sdfg_rt_cuda_open(trouble);
    if (!cuda)
        return false;
    struct sdfg_rt_gpu g = { .cuda = cuda, .index = index };
    struct sdfg_rt_device call = { .index = index };
    struct sdfg_rt_context context = { .device = &call };
    size_t bytes = 0;
    const char *function = "cuDeviceGetCount";
    int result = cuda->DeviceGetCount(&out->num_devices);
    if (result == CUDA_GOOD)
        result = find_device(&g, &function);
    if (result == CUDA_GOOD) {
        function = "cuDeviceGetAttribute";
        ask(&g, &result);
    }
    if (result == CUDA_GOOD) {
        function = "cuDeviceGetName";
        result = cuda->DeviceGetName(out->name, sizeof out->name, g.device);
    }
    if (result == CUDA_GOOD) {
        function = "cuDeviceTotalMem";
        result = cuda->DeviceTotalMem(&bytes, g.device);
    }
    if (result == CUDA_GOOD) {
        function = "cuDriverGetVersion";
        result = cuda->DriverGetVersion(&out->driver);
    }
    out->arch = g.arch;
    out->processors = g.processors;
    out->shared_memory = g.max_shared;
    out->memory = (int64_t)bytes;
    if (result == CUDA_GOOD)
        return true;
    refuse(&context, cuda, function, result, index);
    snprintf(trouble, SDFG_RT_DEVICE_TROUBLE, "%s", call.trouble);
    return false;
}

/* ---- what is kept for later calls ---- */

static void empty(struct sdfg_rt_gpu *g)
{
    cuda_context popped;
    bool there = g->cuda->CtxPushCurrent(g->handle) == CUDA_GOOD; /* a caller may have destroyed it */
    sdfg_rt_stage_free(g);                                        /* its events are of streams that runs own */
    pthread_mutex_lock(&g->lock);
    sdfg_rt_run_collect(g, true);
    while (g->idle) {
        struct sdfg_rt_run *run = g->idle;
        g->idle = run->next;
        sdfg_rt_run_free(g, run);
    }
    if (g->met)
        g->cuda->EventDestroy(g->met);
    g->met = NULL;
    g->met_in = NULL;
    while (g->modules) {
        struct sdfg_rt_module *m = g->modules;
        g->modules = m->next;
        sdfg_rt_module_free(g, m);
    }
    sdfg_rt_device_trim(g, true);
    pthread_mutex_unlock(&g->lock);
    sdfg_rt_blas_free(g);
    sdfg_rt_solver_free(g);
    sdfg_rt_fft_free(g);
    if (there)
        g->cuda->CtxPopCurrent(&popped);
}

void sdfg_rt_device_hold(void)
{
    pthread_mutex_lock(&lock);
    holders++;
    pthread_mutex_unlock(&lock);
}

void sdfg_rt_device_let_go(void)
{
    pthread_mutex_lock(&lock);
    if (--holders == 0)
        for (struct sdfg_rt_gpu **at = &gpus; *at;) {
            struct sdfg_rt_gpu *g = *at;
            empty(g);
            if (g->callers) {
                *at = g->next;
                pthread_mutex_destroy(&g->lock);
                pthread_mutex_destroy(&g->library_lock);
                pthread_mutex_destroy(&g->stage_lock);
                free(g);
            } else {
                at = &g->next;
            }
        }
    pthread_mutex_unlock(&lock);
}
