/* A stand-in for cuBLAS: products by a kernel of its own (library_kernels.c) through the stand-in for the driver. The
 * declarations are those of cuBLAS, made from its documentation. Matrices have to lie on the device, and memory to work
 * in has to be given behind each change of the stream.
 *   $SDFG_STANDIN_CUBLAS_FAIL=K[:STATUS]  call number K of the process fails (13)
 *   $SDFG_STANDIN_COUNTS=FILE             the numbers of calls are added to this file as one line of JSON at the end */
#include "tests/gpu/standin/library_host.h"

#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID_VALUE = 7,
    EXECUTION_FAILED = 13,
    INTERNAL_ERROR = 14
};
enum { PEDANTIC = 2, TF32 = 3 };

API CUresult cuCtxGetCurrent(CUcontext *out);
API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);

typedef struct {
    CUmodule module;
    CUfunction product, system;
    CUstream stream;
    void *workspace;
    int mode;
} * cublasHandle_t;

API int cublasCreate_v2(cublasHandle_t *out);
API int cublasDestroy_v2(cublasHandle_t h);
API int cublasSetStream_v2(cublasHandle_t h, CUstream stream);
API int cublasSetWorkspace_v2(cublasHandle_t h, void *memory, size_t bytes);
API int cublasSetMathMode(cublasHandle_t h, int mode);

/* ---- calls ---- */

enum { CREATE, DESTROY, SET_STREAM, SET_WORKSPACE, SET_MODE, GEMM, GEMM_BATCHED, GETRF, GETRS, KINDS };
static long calls[KINDS], all;

API long standin_cublas_products(void); /* so far */
long standin_cublas_products(void) { return calls[GEMM] + calls[GEMM_BATCHED]; }

static int enter(int kind)
{
    calls[kind]++;
    return standin_library_enter("SDFG_STANDIN_CUBLAS_FAIL", &all, EXECUTION_FAILED);
}

__attribute__((destructor)) static void write_counts(void)
{
    static const char *const names[] = { "cublas_create",        "cublas_destroy",       "cublas_set_stream",
                                         "cublas_set_workspace", "cublas_set_mode",      "cublas_gemm",
                                         "cublas_gemm_batched",  "cublas_getrf_batched", "cublas_getrs_batched" };
    standin_library_counts(names, calls, KINDS);
}

static int status_of(CUresult result)
{
    return result == CUDA_SUCCESS ? SUCCESS : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOC_FAILED : EXECUTION_FAILED;
}

/* ---- handles ---- */

int cublasCreate_v2(cublasHandle_t *out)
{
    int status = enter(CREATE);
    CUcontext current = NULL;
    if (status)
        return status;
    if (cuCtxGetCurrent(&current) || !current)
        return NOT_INITIALIZED;
    cublasHandle_t h = calloc(1, sizeof *h);
    CUresult result = standin_library_load(&h->module, (void *)calls);
    if (!result && ((result = cuModuleGetFunction(&h->product, h->module, "product")) ||
                    (result = cuModuleGetFunction(&h->system, h->module, "system"))))
        cuModuleUnload(h->module);
    if (result) {
        free(h);
        return status_of(result);
    }
    *out = h;
    return SUCCESS;
}

int cublasDestroy_v2(cublasHandle_t h)
{
    int status = enter(DESTROY);
    cuModuleUnload(h->module);
    free(h);
    return status;
}

/* Takes the memory to work in away. */
int cublasSetStream_v2(cublasHandle_t h, CUstream stream)
{
    int status = enter(SET_STREAM);
    h->stream = stream;
    h->workspace = NULL;
    return status;
}

int cublasSetWorkspace_v2(cublasHandle_t h, void *memory, size_t bytes)
{
    int status = enter(SET_WORKSPACE);
    h->workspace = memory;
    return status                                                                             ? status
           : standin_is_on_device(memory) && standin_is_on_device((char *)memory + bytes - 1) ? SUCCESS
                                                                                              : INVALID_VALUE;
}

int cublasSetMathMode(cublasHandle_t h, int mode)
{
    int status = enter(SET_MODE);
    h->mode = mode;
    return status ? status : mode == 0 || mode == PEDANTIC || mode == TF32 ? SUCCESS : INVALID_VALUE;
}

/* ---- products ---- */

static void factor(double *out, int type, const void *from)
{
    const float *single = from;
    const double *real = from;
    bool complex = type == STANDIN_C64 || type == STANDIN_C128, is_single = type == STANDIN_F32 || type == STANDIN_C64;
    for (int i = 0; i < 1 + complex; i++)
        out[i] = is_single ? single[i] : real[i];
}

static bool is_line(int ld, int rows) { return ld >= (rows > 1 ? rows : 1); }

static int multiply(int kind, cublasHandle_t h, struct standin_product p, const void *alpha, const void *beta)
{
    int status = enter(kind);
    if (status)
        return status;
    if (p.m < 0 || p.n < 0 || p.k < 0 || p.count < 0 || !is_line(p.lda, p.transposed[0] ? p.k : p.m) ||
        !is_line(p.ldb, p.transposed[1] ? p.n : p.k) || !is_line(p.ldc, p.m))
        return INVALID_VALUE;
    if (!h->workspace)
        return INTERNAL_ERROR;
    p.rounded = h->mode == TF32;
    factor(p.alpha, p.type, alpha);
    factor(p.beta, p.type, beta);
    int64_t threads = (int64_t)p.m * p.n * p.count;
    return status_of(standin_library_launch(h->product, threads, h->stream, &p, sizeof p));
}

#define ADDRESS(pointer) (uint64_t)(uintptr_t)(pointer)
#define PRODUCTS(letter, kind)                                                                                         \
    API int cublas##letter##gemm_v2(cublasHandle_t h, int ta, int tb, int m, int n, int k, const void *alpha,          \
                                    const void *a, int lda, const void *b, int ldb, const void *beta, void *c,         \
                                    int ldc);                                                                          \
    int cublas##letter##gemm_v2(cublasHandle_t h, int ta, int tb, int m, int n, int k, const void *alpha,              \
                                const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc)    \
    {                                                                                                                  \
        struct standin_product p = { kind, 0, { ta, tb }, m,          n,          k,          lda,   ldb,              \
                                     ldc,  1, { 0 },      ADDRESS(a), ADDRESS(b), ADDRESS(c), { 0 }, { 0 } };          \
        return multiply(GEMM, h, p, alpha, beta);                                                                      \
    }                                                                                                                  \
    API int cublas##letter##gemmStridedBatched(cublasHandle_t h, int ta, int tb, int m, int n, int k,                  \
                                               const void *alpha, const void *a, int lda, long long sa, const void *b, \
                                               int ldb, long long sb, const void *beta, void *c, int ldc,              \
                                               long long sc, int count);                                               \
    int cublas##letter##gemmStridedBatched(cublasHandle_t h, int ta, int tb, int m, int n, int k, const void *alpha,   \
                                           const void *a, int lda, long long sa, const void *b, int ldb, long long sb, \
                                           const void *beta, void *c, int ldc, long long sc, int count)                \
    {                                                                                                                  \
        struct standin_product p = { kind, 0,     { ta, tb },     m,          n,          k,          lda,   ldb,      \
                                     ldc,  count, { sa, sb, sc }, ADDRESS(a), ADDRESS(b), ADDRESS(c), { 0 }, { 0 } };  \
        return multiply(GEMM_BATCHED, h, p, alpha, beta);                                                              \
    }

PRODUCTS(S, STANDIN_F32)
PRODUCTS(D, STANDIN_F64)
PRODUCTS(C, STANDIN_C64)
PRODUCTS(Z, STANDIN_C128)

/* ---- many small systems ---- */

static int solve(int kind, cublasHandle_t h, struct standin_system s, int *wrong)
{
    int status = enter(kind);
    if (status)
        return status;
    if (wrong)
        *wrong = 0;
    if (s.n < 0 || s.count < 0 || s.nrhs < 0 || !is_line(s.lda, s.n) || (kind == GETRS && !is_line(s.ldb, s.n)))
        return INVALID_VALUE;
    if (!standin_is_on_device((void *)(uintptr_t)s.a))
        return INVALID_VALUE;
    return status_of(standin_library_launch(h->system, s.count, h->stream, &s, sizeof s));
}

#define SYSTEMS(letter, kind)                                                                                          \
    API int cublas##letter##getrfBatched(cublasHandle_t h, int n, void **a, int lda, int *pivots, int *info,           \
                                         int count);                                                                   \
    int cublas##letter##getrfBatched(cublasHandle_t h, int n, void **a, int lda, int *pivots, int *info, int count)    \
    {                                                                                                                  \
        struct standin_system s = { .type = kind, .what = STANDIN_GETRF, .batch = 1, .m = n, .n = n, .lda = lda };     \
        s.count = count;                                                                                               \
        s.a = ADDRESS(a);                                                                                              \
        s.pivots = ADDRESS(pivots);                                                                                    \
        s.info = ADDRESS(info);                                                                                        \
        return solve(GETRF, h, s, NULL);                                                                               \
    }                                                                                                                  \
    API int cublas##letter##getrsBatched(cublasHandle_t h, int op, int n, int nrhs, void **a, int lda,                 \
                                         const int *pivots, void **b, int ldb, int *info, int count);                  \
    int cublas##letter##getrsBatched(cublasHandle_t h, int op, int n, int nrhs, void **a, int lda, const int *pivots,  \
                                     void **b, int ldb, int *info, int count)                                          \
    {                                                                                                                  \
        struct standin_system s = { .type = kind, .what = STANDIN_GETRS, .batch = 1, .m = n, .n = n, .lda = lda };     \
        s.option = op;                                                                                                 \
        s.nrhs = nrhs;                                                                                                 \
        s.ldb = ldb;                                                                                                   \
        s.count = count;                                                                                               \
        s.a = ADDRESS(a);                                                                                              \
        s.b = ADDRESS(b);                                                                                              \
        s.pivots = ADDRESS(pivots);                                                                                    \
        return solve(GETRS, h, s, info);                                                                               \
    }

SYSTEMS(S, STANDIN_F32)
SYSTEMS(D, STANDIN_F64)
SYSTEMS(C, STANDIN_C64)
SYSTEMS(Z, STANDIN_C128)
