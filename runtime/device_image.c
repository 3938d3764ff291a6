/* Images of device code: loaded when a run first needs them, and kept for all programs with the same code. */
#include "runtime/device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sdfg_rt_module *find(struct sdfg_rt_gpu *gpu, const struct sdfg_rt_image *image)
{
    struct sdfg_rt_module *m = gpu->modules;
    while (m && (m->hash[0] != image->hash[0] || m->hash[1] != image->hash[1]))
        m = m->next;
    return m;
}

static bool check(struct sdfg_rt_run *run, const struct sdfg_rt_image *image)
{
    char made_for[32] = "";
    if (image->abi != SDFG_RT_IMAGE_ABI)
        return sdfg_rt_device_fail(run->context, SDFG_RT_DEVICE,
                                   "the device code was made for interface %u, and this runtime has interface %d",
                                   image->abi, SDFG_RT_IMAGE_ABI);
    uint32_t device = (uint32_t)run->gpu->arch;
    bool runs =
        image->kind == SDFG_RT_PTX ? image->arch <= device : image->arch / 10 == device / 10 && image->arch <= device;
    snprintf(made_for, sizeof made_for, "sm_%u", image->arch);
    return runs || sdfg_rt_device_fail(run->context, SDFG_RT_DEVICE,
                                       "the device code is for %s, which does not run on device %d, an sm_%u", made_for,
                                       run->gpu->index, device);
}

static struct sdfg_rt_module *load(struct sdfg_rt_run *run, const struct sdfg_rt_image *image)
{
    struct sdfg_rt_gpu *gpu = run->gpu;
    struct sdfg_rt_module *m = calloc(1, sizeof *m + image->num_kernels * sizeof *m->functions);
    if (!m) {
        sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
        return NULL;
    }
    memcpy(m->hash, image->hash, sizeof m->hash);
    m->num_functions = image->num_kernels;
    if (!sdfg_rt_run_check(run, "cuModuleLoadData", gpu->cuda->ModuleLoadData(&m->handle, image->bytes), "")) {
        free(m);
        return NULL;
    }
    m->next = gpu->modules;
    gpu->modules = m;
    return m;
}

struct sdfg_rt_module *sdfg_rt_module_of(struct sdfg_rt_run *run, const struct sdfg_rt_image *image)
{
    pthread_mutex_lock(&run->gpu->lock);
    struct sdfg_rt_module *m = find(run->gpu, image);
    if (!m && check(run, image))
        m = load(run, image);
    pthread_mutex_unlock(&run->gpu->lock);
    return m;
}

/* More dynamic shared memory than every device has must be asked for. */
static bool allow_shared(struct sdfg_rt_run *run, const struct sdfg_rt_kernel *k, cuda_function function)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    if (k->shared <= (uint32_t)run->gpu->max_shared)
        return true;
    if (k->shared > (uint32_t)run->gpu->max_shared_optin || !cuda->FuncSetAttribute)
        return sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE,
                                   "kernel %s%s%s: %u bytes of shared memory in a block, and the device has %d",
                                   k->name, *k->path ? " of " : "", k->path, k->shared, run->gpu->max_shared_optin);
    return sdfg_rt_run_check(run, "cuFuncSetAttribute",
                             cuda->FuncSetAttribute(function, CUDA_FUNCTION_DYNAMIC_SHARED, (int)k->shared), k->name);
}

struct sdfg_rt_function *sdfg_rt_function_of(struct sdfg_rt_run *run, int64_t kernel)
{
    const struct sdfg_rt_cuda *cuda = run->gpu->cuda;
    if (!run->module || kernel < 0 || kernel >= run->module->num_functions) {
        sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE, "there is no kernel %lld", (long long)kernel);
        return NULL;
    }
    struct sdfg_rt_function *f = &run->module->functions[kernel];
    const struct sdfg_rt_kernel *k = &run->image->kernels[kernel];
    cuda_function handle = NULL;
    int threads = 0;
    if (f->handle)
        return f;
    if (!sdfg_rt_run_check(run, "cuModuleGetFunction", cuda->ModuleGetFunction(&handle, run->module->handle, k->name),
                           k->name) ||
        !sdfg_rt_run_check(run, "cuFuncGetAttribute", cuda->FuncGetAttribute(&threads, CUDA_FUNCTION_THREADS, handle),
                           k->name) ||
        !allow_shared(run, k, handle))
        return NULL;
    f->threads = threads; /* the same, whichever thread comes first */
    f->handle = handle;
    return f;
}

void sdfg_rt_module_free(struct sdfg_rt_gpu *gpu, struct sdfg_rt_module *m)
{
    sdfg_rt_graph_free(gpu, m);
    gpu->cuda->ModuleUnload(m->handle);
    free(m);
}
