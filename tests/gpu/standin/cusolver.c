/* A stand-in for cuSOLVER: its operations by one thread for each matrix (library_kernels.c) through the stand-in for
 * the driver. The declarations are those of cuSOLVER, made from its documentation. Memory to work in has to be given,
 * as much as was asked for. $SDFG_STANDIN_CUSOLVER_FAIL=K[:STATUS]  call number K of the process fails (6)
 *   $SDFG_STANDIN_COUNTS=FILE               the numbers of calls are added to this file as one line of JSON at the end
 */
#include "tests/gpu/standin/library_host.h"

#include <stdlib.h>

enum { SUCCESS = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 2, INVALID_VALUE = 3, EXECUTION_FAILED = 6 };

API CUresult cuCtxGetCurrent(CUcontext *out);
API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);

typedef struct {
    CUmodule module;
    CUfunction system;
    CUstream stream;
} * cusolverDnHandle_t;

API int cusolverDnCreate(cusolverDnHandle_t *out);
API int cusolverDnDestroy(cusolverDnHandle_t h);
API int cusolverDnSetStream(cusolverDnHandle_t h, CUstream stream);

enum { CREATE, DESTROY, SET_STREAM, SIZE, POTRF, GETRF, GETRS, POTRF_BATCHED, KINDS };
static long calls[KINDS], all;

static int enter(int kind)
{
    calls[kind]++;
    return standin_library_enter("SDFG_STANDIN_CUSOLVER_FAIL", &all, EXECUTION_FAILED);
}

__attribute__((destructor)) static void write_counts(void)
{
    static const char *const names[] = { "cusolver_create", "cusolver_destroy",      "cusolver_set_stream",
                                         "cusolver_size",   "cusolver_potrf",        "cusolver_getrf",
                                         "cusolver_getrs",  "cusolver_potrf_batched" };
    standin_library_counts(names, calls, KINDS);
}

static int status_of(CUresult result)
{
    return result == CUDA_SUCCESS ? SUCCESS : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOC_FAILED : EXECUTION_FAILED;
}

int cusolverDnCreate(cusolverDnHandle_t *out)
{
    int status = enter(CREATE);
    CUcontext current = NULL;
    if (status)
        return status;
    if (cuCtxGetCurrent(&current) || !current)
        return NOT_INITIALIZED;
    cusolverDnHandle_t h = calloc(1, sizeof *h);
    CUresult result = standin_library_load(&h->module, (void *)calls);
    if (!result && (result = cuModuleGetFunction(&h->system, h->module, "system")))
        cuModuleUnload(h->module);
    if (result) {
        free(h);
        return status_of(result);
    }
    *out = h;
    return SUCCESS;
}

int cusolverDnDestroy(cusolverDnHandle_t h)
{
    int status = enter(DESTROY);
    cuModuleUnload(h->module);
    free(h);
    return status;
}

int cusolverDnSetStream(cusolverDnHandle_t h, CUstream stream)
{
    int status = enter(SET_STREAM);
    h->stream = stream;
    return status;
}

static int size_of_memory(int m, int n, int lda, int *size)
{
    int status = enter(SIZE);
    *size = m > n ? m : n;
    return status ? status : m < 0 || n < 0 || lda < m ? INVALID_VALUE : SUCCESS;
}

/* `memory` ends with its last element: the stand-in for the driver has a page behind it that nobody may read. */
static int launch(int kind, cusolverDnHandle_t h, struct standin_system s, const void *memory)
{
    int status = enter(kind);
    if (status)
        return status;
    bool works = kind == POTRF || kind == GETRF;
    if (s.m < 0 || s.n < 0 || s.nrhs < 0 || s.lda < s.m || (kind == GETRS && s.ldb < s.n) || !s.info ||
        (works && !standin_is_on_device(memory)))
        return INVALID_VALUE;
    return status_of(standin_library_launch(h->system, s.count, h->stream, &s, sizeof s));
}

#define ADDRESS(pointer) (uint64_t)(uintptr_t)(pointer)
#define OPERATIONS(letter, kind)                                                                                       \
    API int cusolverDn##letter##potrf_bufferSize(cusolverDnHandle_t h, int part, int n, void *a, int lda, int *size);  \
    int cusolverDn##letter##potrf_bufferSize(cusolverDnHandle_t h, int part, int n, void *a, int lda, int *size)       \
    {                                                                                                                  \
        (void)h, (void)part, (void)a;                                                                                  \
        return size_of_memory(n, n, lda, size);                                                                        \
    }                                                                                                                  \
    API int cusolverDn##letter##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, void *a, int lda, int *size);     \
    int cusolverDn##letter##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, void *a, int lda, int *size)          \
    {                                                                                                                  \
        (void)h, (void)a;                                                                                              \
        return size_of_memory(m, n, lda, size);                                                                        \
    }                                                                                                                  \
    API int cusolverDn##letter##potrf(cusolverDnHandle_t h, int part, int n, void *a, int lda, void *memory, int size, \
                                      int *info);                                                                      \
    int cusolverDn##letter##potrf(cusolverDnHandle_t h, int part, int n, void *a, int lda, void *memory, int size,     \
                                  int *info)                                                                           \
    {                                                                                                                  \
        struct standin_system s = { kind, STANDIN_POTRF, part, 0, n, n, 0, lda, 0, 0, 1, ADDRESS(a), 0, 0, 0 };        \
        s.info = ADDRESS(info);                                                                                        \
        return size < n ? INVALID_VALUE : launch(POTRF, h, s, memory);                                                 \
    }                                                                                                                  \
    API int cusolverDn##letter##potrfBatched(cusolverDnHandle_t h, int part, int n, void **a, int lda, int *info,      \
                                             int count);                                                               \
    int cusolverDn##letter##potrfBatched(cusolverDnHandle_t h, int part, int n, void **a, int lda, int *info,          \
                                         int count)                                                                    \
    {                                                                                                                  \
        struct standin_system s = { kind, STANDIN_POTRF, part, 1, n, n, 0, lda, 0, 0, count, ADDRESS(a), 0, 0, 0 };    \
        s.info = ADDRESS(info);                                                                                        \
        return launch(POTRF_BATCHED, h, s, NULL);                                                                      \
    }                                                                                                                  \
    API int cusolverDn##letter##getrf(cusolverDnHandle_t h, int m, int n, void *a, int lda, void *memory, int *pivots, \
                                      int *info);                                                                      \
    int cusolverDn##letter##getrf(cusolverDnHandle_t h, int m, int n, void *a, int lda, void *memory, int *pivots,     \
                                  int *info)                                                                           \
    {                                                                                                                  \
        struct standin_system s = { kind, STANDIN_GETRF, 0, 0, m, n, 0, lda, 0, 0, 1, ADDRESS(a), 0, 0, 0 };           \
        s.pivots = ADDRESS(pivots);                                                                                    \
        s.info = ADDRESS(info);                                                                                        \
        return launch(GETRF, h, s, memory);                                                                            \
    }                                                                                                                  \
    API int cusolverDn##letter##getrs(cusolverDnHandle_t h, int op, int n, int nrhs, const void *a, int lda,           \
                                      const int *pivots, void *b, int ldb, int *info);                                 \
    int cusolverDn##letter##getrs(cusolverDnHandle_t h, int op, int n, int nrhs, const void *a, int lda,               \
                                  const int *pivots, void *b, int ldb, int *info)                                      \
    {                                                                                                                  \
        struct standin_system s = { kind, STANDIN_GETRS, op, 0, n, n, nrhs, lda, ldb, 0, 1, ADDRESS(a), 0, 0, 0 };     \
        s.b = ADDRESS(b);                                                                                              \
        s.pivots = ADDRESS(pivots);                                                                                    \
        s.info = ADDRESS(info);                                                                                        \
        return launch(GETRS, h, s, NULL);                                                                              \
    }

OPERATIONS(S, STANDIN_F32)
OPERATIONS(D, STANDIN_F64)
OPERATIONS(C, STANDIN_C64)
OPERATIONS(Z, STANDIN_C128)
