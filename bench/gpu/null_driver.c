/* A driver of CUDA that does nothing: every call succeeds at once, all memory is its memory and is never touched,
 * kernels do not run. What a program takes with it is what the library itself takes.
 *   $SDFG_NULL_GRAPHS=0  it makes no graphs of kernels */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long cuda_address;
typedef void *cuda_context, *cuda_module, *cuda_function, *cuda_stream, *cuda_event, *cuda_graph, *cuda_graph_exec,
    *cuda_node;

enum { CUDA_GOOD = 0, CUDA_NOT_SUPPORTED = 801 };
enum { CUDA_POINTER_MEMORY_TYPE = 2, CUDA_MEMORY_DEVICE = 2 };
enum { /* CUdevice_attribute */
       CUDA_MAX_THREADS = 1,
       CUDA_MAX_BLOCK_X = 2,
       CUDA_MAX_GRID_X = 5,
       CUDA_MAX_SHARED = 8,
       CUDA_PROCESSORS = 16,
       CUDA_MAJOR = 75,
       CUDA_MINOR = 76,
       CUDA_COOPERATIVE = 95,
       CUDA_MAX_SHARED_OPTIN = 97
};

#define API __attribute__((visibility("default")))

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"

static long launches;
static int handle; /* what all handles are the address of */

API long null_launches(void) { return launches; }

/* ---- what gives nothing ---- */

#define NOTHING(name, ...)                                                                                             \
    API int name(__VA_ARGS__) { return CUDA_GOOD; }

NOTHING(cuInit, unsigned flags)
NOTHING(cuCtxPushCurrent_v2, cuda_context context)
NOTHING(cuModuleUnload, cuda_module module)
NOTHING(cuFuncSetAttribute, cuda_function function, int attribute, int value)
NOTHING(cuMemsetD8Async, cuda_address to, unsigned char value, size_t bytes, cuda_stream stream)
NOTHING(cuMemcpyHtoDAsync_v2, cuda_address to, const void *from, size_t bytes, cuda_stream stream)
NOTHING(cuMemcpyDtoHAsync_v2, void *to, cuda_address from, size_t bytes, cuda_stream stream)
NOTHING(cuMemcpyDtoDAsync_v2, cuda_address to, cuda_address from, size_t bytes, cuda_stream stream)
NOTHING(cuMemcpy2DAsync_v2, const void *copy, cuda_stream stream)
NOTHING(cuStreamDestroy_v2, cuda_stream stream)
NOTHING(cuStreamSynchronize, cuda_stream stream)
NOTHING(cuStreamWaitEvent, cuda_stream stream, cuda_event event, unsigned flags)
NOTHING(cuEventDestroy_v2, cuda_event event)
NOTHING(cuEventRecord, cuda_event event, cuda_stream stream)
NOTHING(cuEventSynchronize, cuda_event event)
NOTHING(cuEventQuery, cuda_event event)
NOTHING(cuGraphDestroy, cuda_graph graph)
NOTHING(cuGraphKernelNodeSetAttribute, cuda_node node, int attribute, const void *value)
NOTHING(cuGraphExecKernelNodeSetParams, cuda_graph_exec exec, cuda_node node, const void *launch)
NOTHING(cuGraphExecDestroy, cuda_graph_exec exec)
NOTHING(cuGraphLaunch, cuda_graph_exec exec, cuda_stream stream)

/* ---- handles and memory ---- */

#define HANDLE(name, type, ...)                                                                                        \
    API int name(type *out, __VA_ARGS__)                                                                               \
    {                                                                                                                  \
        *out = (void *)&handle;                                                                                        \
        return CUDA_GOOD;                                                                                              \
    }

HANDLE(cuDevicePrimaryCtxRetain, cuda_context, int device)
HANDLE(cuModuleLoadData, cuda_module, const void *image)
HANDLE(cuModuleGetFunction, cuda_function, cuda_module module, const char *name)
HANDLE(cuStreamCreate, cuda_stream, unsigned flags)
HANDLE(cuEventCreate, cuda_event, unsigned flags)
HANDLE(cuGraphInstantiateWithFlags, cuda_graph_exec, cuda_graph graph, unsigned long long flags)

API int cuCtxPopCurrent_v2(cuda_context *context)
{
    *context = (void *)&handle;
    return CUDA_GOOD;
}

API int cuGraphCreate(cuda_graph *graph, unsigned flags)
{
    const char *graphs = getenv("SDFG_NULL_GRAPHS");
    *graph = (void *)&handle;
    return graphs && !strcmp(graphs, "0") ? CUDA_NOT_SUPPORTED : CUDA_GOOD;
}

API int cuGraphAddKernelNode(cuda_node *node, cuda_graph graph, const cuda_node *behind, size_t num_behind,
                             const void *launch)
{
    *node = (void *)&handle;
    return CUDA_GOOD;
}

static void *take(size_t bytes) { return aligned_alloc(512, (bytes + 511) / 512 * 512); }

API int cuMemAlloc_v2(cuda_address *address, size_t bytes)
{
    *address = (cuda_address)(uintptr_t)take(bytes);
    return CUDA_GOOD;
}

API int cuMemFree_v2(cuda_address address)
{
    free((void *)(uintptr_t)address);
    return CUDA_GOOD;
}

API int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = take(bytes);
    return CUDA_GOOD;
}

API int cuMemFreeHost(void *memory)
{
    free(memory);
    return CUDA_GOOD;
}

API int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    *left = *total = (size_t)1 << 36;
    return CUDA_GOOD;
}

/* All memory is the device's. */
API int cuPointerGetAttributes(unsigned count, const int *attributes, void **values, cuda_address address)
{
    for (unsigned i = 0; i < count; i++)
        *(int *)values[i] = attributes[i] == CUDA_POINTER_MEMORY_TYPE ? CUDA_MEMORY_DEVICE : 0;
    return CUDA_GOOD;
}

/* ---- the device ---- */

#define NUMBER(name, type, value, ...)                                                                                 \
    API int name(type *out, __VA_ARGS__)                                                                               \
    {                                                                                                                  \
        *out = value;                                                                                                  \
        return CUDA_GOOD;                                                                                              \
    }

NUMBER(cuDeviceGet, int, 0, int index)
NUMBER(cuDeviceTotalMem_v2, size_t, (size_t)1 << 36, int device)
NUMBER(cuFuncGetAttribute, int, 1024, int attribute, cuda_function function)
NUMBER(cuOccupancyMaxActiveBlocksPerMultiprocessor, int, 2, cuda_function function, int threads, size_t shared)

API int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_GOOD;
}

API int cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_GOOD;
}

API int cuCtxGetDevice(int *device)
{
    *device = 0;
    return CUDA_GOOD;
}

API int cuDeviceGetName(char *text, int size, int device)
{
    strncpy(text, "nothing", (size_t)size);
    return CUDA_GOOD;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } rows[] = { { CUDA_MAX_THREADS, 1024 },
                 { CUDA_MAX_BLOCK_X, 1024 },
                 { CUDA_MAX_BLOCK_X + 1, 1024 },
                 { CUDA_MAX_BLOCK_X + 2, 64 },
                 { CUDA_MAX_GRID_X, 0x7fffffff },
                 { CUDA_MAX_GRID_X + 1, 65535 },
                 { CUDA_MAX_GRID_X + 2, 65535 },
                 { CUDA_MAX_SHARED, 48 << 10 },
                 { CUDA_PROCESSORS, 132 },
                 { CUDA_MAJOR, 9 },
                 { CUDA_MINOR, 0 },
                 { CUDA_COOPERATIVE, 1 },
                 { CUDA_MAX_SHARED_OPTIN, 227 << 10 } };
    *value = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *value = rows[i].attribute == attribute ? rows[i].value : *value;
    return CUDA_GOOD;
}

static int say(const char **text)
{
    *text = "nothing";
    return CUDA_GOOD;
}
API int cuGetErrorName(int result, const char **text) { return say(text); }
API int cuGetErrorString(int result, const char **text) { return say(text); }

/* ---- launches ---- */

API int cuLaunchKernel(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared, cuda_stream stream, void **parameters,
                       void **extra)
{
    launches++;
    return CUDA_GOOD;
}

API int cuLaunchKernelEx(const void *launch, cuda_function function, void **parameters, void **extra)
{
    launches++;
    return CUDA_GOOD;
}
