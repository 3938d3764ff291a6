/* A stand-in for cuBLAS: products by a kernel of its own (library_kernels.c) through the stand-in for the driver. The
 * declarations are those of cuBLAS, made from its documentation. Matrices have to lie on the device, and memory to work
 * in has to be given behind each change of the stream.
 *   $SDFG_STANDIN_CUBLAS_FAIL=K[:STATUS]  call number K of the process fails (13)
 *   $SDFG_STANDIN_COUNTS=FILE             the numbers of calls are added to this file as one line of JSON at the end */
#include "tests/gpu/standin/driver.h"
#include "tests/gpu/standin/library.h"

#include <dlfcn.h>
#include <stdio.h>
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
enum { THREADS = 256, PEDANTIC = 2, TF32 = 3 };

API CUresult cuCtxGetCurrent(CUcontext *out);
API CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **out, CUdeviceptr address);
API CUresult cuModuleLoadData(CUmodule *out, const void *image);
API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);
API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned shared, CUstream s, void **params, void **extra);

typedef struct {
    CUmodule module;
    CUfunction product;
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

enum { CREATE, DESTROY, SET_STREAM, SET_WORKSPACE, SET_MODE, GEMM, GEMM_BATCHED, KINDS };
static long calls[KINDS], all;

API long standin_cublas_products(void); /* so far */
long standin_cublas_products(void) { return calls[GEMM] + calls[GEMM_BATCHED]; }

/* The status that the call shall have. */
static int enter(int kind)
{
    const char *fail = getenv("SDFG_STANDIN_CUBLAS_FAIL"), *status = fail ? strchr(fail, ':') : NULL;
    calls[kind]++;
    if (!fail || ++all != atol(fail))
        return SUCCESS;
    return status ? atoi(status + 1) : EXECUTION_FAILED;
}

__attribute__((destructor)) static void write_counts(void)
{
    static const char *const names[] = { "create",   "destroy", "set_stream",  "set_workspace",
                                         "set_mode", "gemm",    "gemm_batched" };
    const char *file = getenv("SDFG_STANDIN_COUNTS");
    FILE *f = file ? fopen(file, "a") : NULL;
    if (!f)
        return;
    for (int i = 0; i < KINDS; i++)
        fprintf(f, "%s\"cublas_%s\": %ld", i ? ", " : "{", names[i], calls[i]);
    fprintf(f, "}\n");
    fclose(f);
}

static int status_of(CUresult result)
{
    return result == CUDA_SUCCESS ? SUCCESS : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOC_FAILED : EXECUTION_FAILED;
}

/* ---- handles ---- */

/* The image lies beside this library. */
static void *read_image(void)
{
    char file[4096];
    Dl_info here;
    if (!dladdr((void *)calls, &here))
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    snprintf(file, sizeof file, "%.*s/libstandin-kernels.so", slash ? (int)(slash - here.dli_fname) : 1,
             slash ? here.dli_fname : ".");
    FILE *f = fopen(file, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    void *image = malloc((size_t)size);
    if (fread(image, 1, (size_t)size, f) != (size_t)size) {
        free(image);
        image = NULL;
    }
    fclose(f);
    return image;
}

int cublasCreate_v2(cublasHandle_t *out)
{
    int status = enter(CREATE);
    CUcontext current = NULL;
    if (status)
        return status;
    if (cuCtxGetCurrent(&current) || !current)
        return NOT_INITIALIZED;
    void *image = read_image();
    cublasHandle_t h = calloc(1, sizeof *h);
    CUresult result = image ? cuModuleLoadData(&h->module, image) : CUDA_ERROR_UNKNOWN;
    free(image);
    if (!result && (result = cuModuleGetFunction(&h->product, h->module, "product")))
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

static bool is_on_device(const void *memory)
{
    enum { DEVICE = 2 };
    const int memory_type = 2;
    int type = 0;
    void *out = &type;
    return cuPointerGetAttributes(1, &memory_type, &out, (uintptr_t)memory) == CUDA_SUCCESS && type == DEVICE;
}

int cublasSetWorkspace_v2(cublasHandle_t h, void *memory, size_t bytes)
{
    int status = enter(SET_WORKSPACE);
    h->workspace = memory;
    return status ? status : is_on_device(memory) && is_on_device((char *)memory + bytes - 1) ? SUCCESS : INVALID_VALUE;
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
    size_t bytes = sizeof p;
    void *extra[] = { (void *)1, &p, (void *)2, &bytes, NULL };
    int64_t threads = (int64_t)p.m * p.n * p.count;
    if (!threads)
        return SUCCESS;
    return status_of(cuLaunchKernel(h->product, (unsigned)((threads + THREADS - 1) / THREADS), 1, 1, THREADS, 1, 1, 0,
                                    h->stream, NULL, extra));
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
