/* Devices, contexts, images and launches.
 *   $SDFG_STANDIN_DEVICES=N  how many devices there are (1)
 *   $SDFG_STANDIN_ARCH=90    their compute capability
 *   $SDFG_STANDIN_CLUSTERS=0  they have no room for clusters
 *   $SDFG_STANDIN_VERSION    of CUDA, as cuDriverGetVersion gives it (12090) */
#include "tests/gpu/standin/driver.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

API CUresult cuInit(unsigned flags);
API CUresult cuDriverGetVersion(int *version);
API CUresult cuDeviceGetCount(int *count);
API CUresult cuDeviceGet(CUdevice *device, int index);
API CUresult cuDeviceGetName(char *text, int size, CUdevice device);
API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
API CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
API CUresult cuCtxDestroy_v2(CUcontext c);
API CUresult cuCtxPushCurrent_v2(CUcontext c);
API CUresult cuCtxPopCurrent_v2(CUcontext *out);
API CUresult cuCtxGetCurrent(CUcontext *out);
API CUresult cuCtxGetDevice(CUdevice *device);
API CUresult cuModuleLoadData(CUmodule *out, const void *image);
API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);
API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction f);
API CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value);
API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream s, void **params, void **extra);
API CUresult cuLaunchKernelEx(const void *config, CUfunction f, void **params, void **extra);
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared);

enum { PROCESSORS = 4, RESIDENT = 2, DEVICES = 8, STACK = 16, THREADS = 1024 };

struct CUctx_st {
    CUdevice device;
};
struct CUmod_st {
    int64_t number;
};
struct CUfunc_st {
    CUmodule module;
    int64_t number, bytes, threads;
    struct CUfunc_st *next;
};
static struct CUctx_st primary[DEVICES];
static bool started;
static __thread CUcontext current[STACK];
static __thread int depth;
static CUfunction functions;

static int devices(void) { return (int)standin_setting("SDFG_STANDIN_DEVICES", 1); }

CUresult cuInit(unsigned flags)
{
    ENTER(false);
    int wanted = (int)standin_setting("SDFG_STANDIN_INIT", CUDA_SUCCESS);
    (void)flags;
    if (wanted)
        return wanted;
    if (devices() < 1)
        return CUDA_ERROR_NO_DEVICE;
    CUresult result = started ? CUDA_SUCCESS : standin_start();
    started = result == CUDA_SUCCESS;
    return result;
}

CUresult cuDriverGetVersion(int *version)
{
    ENTER(false);
    *version = (int)standin_setting("SDFG_STANDIN_VERSION", 12090);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    ENTER(false);
    *count = devices();
    return started ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDeviceGet(CUdevice *device, int index)
{
    ENTER(false);
    *device = index;
    return index >= 0 && index < devices() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *text, int size, CUdevice device)
{
    ENTER(false);
    snprintf(text, (size_t)size, "stand-in %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    ENTER(false);
    int arch = (int)standin_setting("SDFG_STANDIN_ARCH", 90);
    const int values[] = {
        [1] = THREADS,    [2] = 1024,  [3] = 1024,    [4] = 64,          [5] = 2147483647,
        [6] = 65535,      [7] = 65535, [8] = 49152,   [16] = PROCESSORS, [75] = arch / 10,
        [76] = arch % 10, [95] = 1,    [97] = 232448,
    };
    (void)device;
    if (attribute < 0 || attribute >= (int)(sizeof values / sizeof *values) || (attribute != 76 && !values[attribute]))
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    ENTER(false);
    (void)device;
    *bytes = (size_t)standin_setting("SDFG_STANDIN_MEMORY", 4L << 30);
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    ENTER(false);
    primary[device].device = device;
    *out = &primary[device];
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    ENTER(false);
    (void)flags;
    *out = calloc(1, sizeof **out);
    (*out)->device = device;
    if (depth < STACK)
        current[depth++] = *out;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext c)
{
    ENTER(false);
    if (depth && current[depth - 1] == c)
        depth--;
    free(c);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext c)
{
    ENTER(false);
    if (!c || depth == STACK)
        return CUDA_ERROR_INVALID_CONTEXT;
    current[depth++] = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    ENTER(false);
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    *out = current[--depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
    ENTER(false);
    *out = depth ? current[depth - 1] : NULL;
    return CUDA_SUCCESS;
}

int standin_device(void) { return depth ? current[depth - 1]->device : 0; }

CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER(false);
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = current[depth - 1]->device;
    return CUDA_SUCCESS;
}

/* ---- images ---- */

static size_t elf_size(const unsigned char *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    return memcmp(image, ELFMAG, SELFMAG) ? 0 : h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
}

static int digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

/* The shared library that NVRTC's stand-in has made; *owned: it was text. NULL if it is neither. */
static const void *code_of(const void *image, size_t *size, void **owned)
{
    const char *text = image;
    *owned = NULL;
    if ((*size = elf_size(image)))
        return image;
    if (strncmp(text, "// stand-in\n", 12) != 0)
        return NULL;
    text += 12;
    *size = strlen(text) / 2;
    char *bytes = *owned = malloc(*size);
    for (size_t i = 0; i < *size; i++)
        bytes[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return bytes;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    ENTER(true);
    char file[] = "/tmp/standin-image-XXXXXX";
    size_t size;
    void *owned;
    struct standin_reply r = { .value = 0 };
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    const void *code = code_of(image, &size, &owned);
    int fd = code ? mkstemp(file) : -1;
    if (fd < 0)
        return CUDA_ERROR_INVALID_IMAGE;
    ssize_t written = write(fd, code, size);
    close(fd);
    free(owned);
    struct standin_request q = { .kind = STANDIN_LOAD, .payload = sizeof file };
    CUresult result = written == (ssize_t)size ? standin_request(&q, file, &r) : CUDA_ERROR_INVALID_IMAGE;
    unlink(file);
    if (result)
        return result;
    *out = malloc(sizeof **out);
    (*out)->number = r.value;
    standin_change_objects(1);
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule m)
{
    ENTER(true);
    struct standin_reply r;
    CUresult result = standin_flush_all();
    if (result)
        return result;
    struct standin_request q = { .kind = STANDIN_UNLOAD, .module = m->number };
    for (CUfunction *at = &functions; *at;) {
        CUfunction f = *at;
        if (f->module != m) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        free(f);
    }
    result = standin_request(&q, NULL, &r);
    free(m);
    standin_change_objects(-1);
    return result;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
    ENTER(true);
    struct standin_reply r = { .value = 0 };
    struct standin_request q = { .kind = STANDIN_FIND, .module = m->number, .payload = (int64_t)strlen(name) + 1 };
    CUresult result = standin_request(&q, name, &r);
    if (result)
        return result;
    CUfunction f = malloc(sizeof *f);
    *f = (struct CUfunc_st){ m, r.value, r.shape[0], r.shape[1], functions };
    functions = f;
    *out = f;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction f)
{
    ENTER(true);
    *value = attribute == 0 ? (int)f->threads : 0;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, int attribute, int value)
{
    ENTER(true);
    (void)f;
    (void)attribute;
    (void)value;
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

/* Parameters come as one buffer: { 1, buffer, 2, &bytes, 0 }. */
CUresult standin_launch(CUfunction f, const int64_t *shape, bool cooperative, void **params, void **extra,
                        struct work *out)
{
    if (params || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4])
        return CUDA_ERROR_NOT_SUPPORTED;
    size_t bytes = *(size_t *)extra[3];
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((int64_t)bytes != f->bytes || bytes > 4096)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 6; i++)
        if (shape[i] < 1 || shape[i] > (i == 0 ? 2147483647 : i < 3 ? 65535 : i < 5 ? 1024 : 64))
            return CUDA_ERROR_INVALID_VALUE;
    if (shape[3] * shape[4] * shape[5] > f->threads)
        return f->threads < THREADS ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_ERROR_INVALID_VALUE;
    if (cooperative && shape[0] * shape[1] * shape[2] > PROCESSORS * RESIDENT)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    *out = (struct work){ .kind = LAUNCH, .bytes = bytes };
    out->launch = (struct standin_request){ .kind = STANDIN_LAUNCH,
                                            .cooperative = cooperative,
                                            .module = f->module->number,
                                            .kernel = f->number,
                                            .payload = (int64_t)bytes };
    memcpy(out->launch.shape, shape, sizeof out->launch.shape);
    out->params = malloc(bytes + 1);
    if (bytes)
        memcpy(out->params, extra[1], bytes);
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction f, const int64_t *shape, bool cooperative, CUstream s, void **params, void **extra)
{
    struct work w;
    CUresult result = standin_launch(f, shape, cooperative, params, extra, &w);
    return result ? result : standin_queue(s, &w);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream s, void **params, void **extra)
{
    ENTER(true);
    const int64_t shape[] = { gx, gy, gz, bx, by, bz };
    (void)shared;
    return launch(f, shape, false, s, params, extra);
}

typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    const struct {
        int id;
        char pad[4];
        union {
            char bytes[64];
            int cooperative;
            unsigned cluster[3];
        } value;
    } * attrs;
    unsigned numAttrs;
} CUlaunchConfig;

CUresult standin_blocks(int attribute, const void *value, const int64_t *shape)
{
    enum { COOPERATIVE = 2, CLUSTER = 4, MOST_IN_CLUSTER = 8 };
    const unsigned *cluster = value;
    int64_t blocks = shape[0] * shape[1] * shape[2];
    if (attribute == COOPERATIVE)
        return !*(const int *)value                      ? CUDA_ERROR_NOT_SUPPORTED
               : blocks > PROCESSORS * (int64_t)RESIDENT ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                                                         : CUDA_SUCCESS;
    if (attribute != CLUSTER)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (standin_setting("SDFG_STANDIN_ARCH", 90) < 90 || !standin_setting("SDFG_STANDIN_CLUSTERS", 1) ||
        cluster[0] * cluster[1] * cluster[2] > MOST_IN_CLUSTER)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    bool one = cluster[0] == shape[0] && cluster[1] == shape[1] && cluster[2] == shape[2];
    return one ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED; /* one cluster alone */
}

CUresult cuLaunchKernelEx(const void *config, CUfunction f, void **params, void **extra)
{
    ENTER(true);
    const CUlaunchConfig *c = config;
    const int64_t shape[] = { c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ };
    for (unsigned i = 0; i < c->numAttrs; i++) {
        CUresult result = standin_blocks(c->attrs[i].id, &c->attrs[i].value, shape);
        if (result)
            return result;
    }
    return launch(f, shape, c->numAttrs > 0, c->hStream, params, extra);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared)
{
    ENTER(true);
    (void)f;
    (void)threads;
    (void)shared;
    *blocks = RESIDENT;
    return CUDA_SUCCESS;
}
