/* Products of matrices on the device by cuBLAS. It stores matrices by columns; ours lie as their strides say. */
#include "runtime/device_blas.h"
#include "runtime/device_vendor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct cublas {
#define CUBLAS(need, name, symbol, parameters) int(*name) parameters;
#include "runtime/device_blas.def"
};
static struct cublas functions;

static const struct sdfg_rt_vendor_row rows[] = {
#define REQUIRED                               true
#define OPTIONAL                               false
#define CUBLAS(need, name, symbol, parameters) { symbol, need, offsetof(struct cublas, name) },
#include "runtime/device_blas.def"
#undef REQUIRED
#undef OPTIONAL
};

static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL };
static const struct sdfg_rt_vendor_need needs[] = { { "cublasLt", "cublas" }, { NULL, NULL } };
struct sdfg_rt_vendor sdfg_rt_cublas = {
    .title = "cuBLAS",
    .needs = needs,
    .files = { "SDFG_CUBLAS", names, "cublas" },
    .rows = rows,
    .num_rows = sizeof rows / sizeof *rows,
    .functions = &functions,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ---- errors ---- */

enum { /* cublasStatus_t */
       CUBLAS_GOOD = 0,
       CUBLAS_NOT_INITIALIZED = 1,
       CUBLAS_ALLOC_FAILED = 3,
       CUBLAS_INVALID_VALUE = 7,
       CUBLAS_ARCH_MISMATCH = 8,
       CUBLAS_MAPPING_ERROR = 11,
       CUBLAS_EXECUTION_FAILED = 13,
       CUBLAS_INTERNAL_ERROR = 14,
       CUBLAS_NOT_SUPPORTED = 15,
};

static const char *status_name(int status)
{
    static const char *const texts[] = {
        [CUBLAS_NOT_INITIALIZED] = "CUBLAS_STATUS_NOT_INITIALIZED",
        [CUBLAS_ALLOC_FAILED] = "CUBLAS_STATUS_ALLOC_FAILED",
        [CUBLAS_INVALID_VALUE] = "CUBLAS_STATUS_INVALID_VALUE",
        [CUBLAS_ARCH_MISMATCH] = "CUBLAS_STATUS_ARCH_MISMATCH",
        [CUBLAS_MAPPING_ERROR] = "CUBLAS_STATUS_MAPPING_ERROR",
        [CUBLAS_EXECUTION_FAILED] = "CUBLAS_STATUS_EXECUTION_FAILED",
        [CUBLAS_INTERNAL_ERROR] = "CUBLAS_STATUS_INTERNAL_ERROR",
        [CUBLAS_NOT_SUPPORTED] = "CUBLAS_STATUS_NOT_SUPPORTED",
    };
    bool known = status > 0 && status < (int)(sizeof texts / sizeof *texts);
    return known ? texts[status] : NULL;
}

static bool check_for(struct sdfg_rt_run *run, const char *function, int status, const char *doing, const char *path)
{
    return sdfg_rt_vendor_check(run, &(struct sdfg_rt_vendor_status){ function, status_name(status), doing, path,
                                                                      status, status == CUBLAS_ALLOC_FAILED });
}

static bool check(struct sdfg_rt_run *run, const char *function, int status, const char *path)
{
    return check_for(run, function, status, "the product of", path);
}

/* ---- the handle ---- */

/* The library's lock of the context is held. */
static bool prepare(struct sdfg_rt_run *run, cuda_stream stream, int32_t mode, const char *path)
{
    enum { DEFAULT_MATH = 0, PEDANTIC_MATH = 2, TF32_MATH = 3 }; /* cublasMath_t */
    struct sdfg_rt_handle *h = &run->gpu->blas;
    int math = mode == SDFG_RT_PRODUCT_STRICT ? PEDANTIC_MATH : mode == SDFG_RT_PRODUCT_FAST ? TF32_MATH : DEFAULT_MATH;
    if (!h->handle) {
        if (!check(run, "cublasCreate", functions.Create(&h->handle), path)) {
            h->handle = NULL;
            return false;
        }
        h->workspace = NULL;
        h->mode = DEFAULT_MATH;
    }
    if (h->workspace != run->workspace || h->stream != stream) {
        h->workspace = NULL; /* a new stream takes it away */
        if (!check(run, "cublasSetStream", functions.SetStream(h->handle, stream), path) ||
            (functions.SetWorkspace &&
             !check(run, "cublasSetWorkspace",
                    functions.SetWorkspace(h->handle, run->workspace, SDFG_RT_LIBRARY_MEMORY), path)))
            return false;
        h->stream = stream;
        h->workspace = run->workspace;
    }
    if (h->mode != math && !check(run, "cublasSetMathMode", functions.SetMathMode(h->handle, math), path))
        return false;
    h->mode = math;
    return true;
}

void sdfg_rt_blas_free(struct sdfg_rt_gpu *gpu)
{
    if (gpu->blas.handle)
        functions.Destroy(gpu->blas.handle);
    gpu->blas = (struct sdfg_rt_handle){ .handle = NULL };
}

/* ---- products ---- */

struct matrix {
    char *address;
    int64_t row, column, step; /* elements */
};

struct product {
    struct sdfg_rt_run *run;
    const char *path;
    int32_t type, mode;
    int64_t m, n, k, count;
    struct matrix a, b, c;
    double alpha[2], beta[2];
};

/* Factors as the library wants them. */
union factor {
    float single[2];
    double real[2];
};

static size_t size_of(int32_t type)
{
    return type == SDFG_RT_F32 ? sizeof(float) : type == SDFG_RT_C128 ? 2 * sizeof(double) : sizeof(double);
}

static const void *factor(union factor *out, int32_t type, const double *value)
{
    bool single = type == SDFG_RT_F32 || type == SDFG_RT_C64;
    for (int i = 0; i < 2; i++)
        if (single)
            out->single[i] = (float)value[i];
        else
            out->real[i] = value[i];
    return out;
}

/* The distance between lines of `first` elements, one behind the other; 0: they do not lie so. */
static int64_t leading(int64_t first, int64_t first_step, int64_t second, int64_t second_step)
{
    int64_t least = first > 1 ? first : 1;
    if (first > 1 && first_step != 1)
        return 0;
    return second <= 1 ? least : second_step >= least ? second_step : 0;
}

struct blas_operand {
    const void *address;
    int transposed; /* cublasOperation_t: 0, 1 */
    int64_t leading, step;
};

static bool operand_of(struct blas_operand *out, const struct matrix *x, int64_t m, int64_t n)
{
    *out = (struct blas_operand){ .address = x->address, .step = x->step, .leading = leading(m, x->row, n, x->column) };
    if (!out->leading) {
        out->transposed = 1;
        out->leading = leading(n, x->column, m, x->row);
    }
    return out->leading;
}

static struct matrix turned(const struct matrix *x)
{
    return (struct matrix){ x->address, x->column, x->row, x->step };
}

static int call(const struct product *p, const struct blas_operand *a, const struct blas_operand *b, int64_t ldc,
                const char **function)
{
    static const char *const gemm[] = { "cublasSgemm", "cublasDgemm", "cublasCgemm", "cublasZgemm" };
    static const char *const batched[] = { "cublasSgemmStridedBatched", "cublasDgemmStridedBatched",
                                           "cublasCgemmStridedBatched", "cublasZgemmStridedBatched" };
    int (*const one[])(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,
                       const void *, void *,
                       int) = { functions.Sgemm, functions.Dgemm, functions.Cgemm, functions.Zgemm };
    int (*const many[])(void *, int, int, int, int, int, const void *, const void *, int, long long, const void *, int,
                        long long, const void *, void *, int, long long,
                        int) = { functions.SgemmStridedBatched, functions.DgemmStridedBatched,
                                 functions.CgemmStridedBatched, functions.ZgemmStridedBatched };
    void *handle = p->run->gpu->blas.handle;
    union factor alpha, beta;
    int32_t which = p->type; /* the same order */
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    factor(&alpha, p->type, p->alpha);
    factor(&beta, p->type, p->beta);
    *function = p->count == 1 ? gemm[which] : batched[which];
    return p->count == 1 ? one[which](handle, a->transposed, b->transposed, m, n, k, &alpha, a->address,
                                      (int)a->leading, b->address, (int)b->leading, &beta, p->c.address, (int)ldc)
                         : many[which](handle, a->transposed, b->transposed, m, n, k, &alpha, a->address,
                                       (int)a->leading, a->step, b->address, (int)b->leading, b->step, &beta,
                                       p->c.address, (int)ldc, p->c.step, (int)p->count);
}

static bool multiply(struct product *p);

/* `count` products, each one step further. */
static bool multiply_parts(struct product part, int64_t count, int64_t a, int64_t b, int64_t c)
{
    int64_t size = (int64_t)size_of(part.type);
    bool sum = !c; /* parts of one sum */
    for (int64_t i = 0; i < count; i++) {
        if (!multiply(&part))
            return false;
        part.a.address += a * size;
        part.b.address += b * size;
        part.c.address += c * size;
        if (sum) {
            part.beta[0] = 1;
            part.beta[1] = 0;
        }
    }
    return true;
}

/* Matrices that the library has no form for, rows that overlap or run backwards, are taken apart. */
static bool multiply_apart(const struct product *p, bool by_rows)
{
    struct product part = *p;
    if (p->count > 1) {
        part.count = 1;
        return multiply_parts(part, p->count, p->a.step, p->b.step, p->c.step);
    }
    if (p->m > 1 && (by_rows || p->n <= 1)) {
        part.m = 1;
        return multiply_parts(part, p->m, p->a.row, 0, p->c.row);
    }
    if (p->n > 1) {
        part.n = 1;
        return multiply_parts(part, p->n, 0, p->b.column, p->c.column);
    }
    part.k = 1;
    return multiply_parts(part, p->k, p->a.column, p->b.row, 0);
}

static bool multiply(struct product *p)
{
    struct product x = *p;
    struct blas_operand a, b;
    const char *function;
    int64_t ldc = leading(p->m, p->c.row, p->n, p->c.column);
    if (!ldc) { /* the transposed result from the transposed operands */
        x.m = p->n;
        x.n = p->m;
        x.a = turned(&p->b);
        x.b = turned(&p->a);
        x.c = turned(&p->c);
        ldc = leading(x.m, x.c.row, x.n, x.c.column);
    }
    bool good_a = operand_of(&a, &x.a, x.m, x.k), good_b = operand_of(&b, &x.b, x.k, x.n);
    if (!ldc || !good_a || !good_b)
        return multiply_apart(&x, !ldc || !good_a);
    if (a.leading > INT_MAX || b.leading > INT_MAX || ldc > INT_MAX)
        return sdfg_rt_device_fail(p->run->context, SDFG_RT_BAD_VALUE,
                                   "the product of %s has rows that are %d elements apart or more", p->path, INT_MAX);
    int status = call(&x, &a, &b, ldc, &function);
    return check(p->run, function, status, p->path);
}

static bool fits(const struct product *p)
{
    const int64_t sizes[] = { p->m, p->n, p->k, p->count };
    for (int i = 0; i < 4; i++)
        if (sizes[i] > INT_MAX)
            return sdfg_rt_device_fail(p->run->context, SDFG_RT_BAD_VALUE,
                                       "the product of %s has an extent of %lld, and cuBLAS takes up to %d", p->path,
                                       (long long)sizes[i], INT_MAX);
    return true;
}

static void multiply_in(struct product *p)
{
    struct sdfg_rt_run *run = p->run;
    cuda_stream stream;
    if (!sdfg_rt_vendor_open(&sdfg_rt_cublas, run, p->path) || !sdfg_rt_run_workspace(run) ||
        !sdfg_rt_run_queue(run, 0, &stream))
        return;
    struct sdfg_rt_mark *mark = sdfg_rt_time_library(run, "gemm", p->path, stream);
    sdfg_rt_log_library(run, p->path);
    pthread_mutex_lock(&run->gpu->library_lock);
    bool good = prepare(run, stream, p->mode, p->path) && multiply(p);
    pthread_mutex_unlock(&run->gpu->library_lock);
    sdfg_rt_time_end(run, mark, stream);
    if (good && run->call->check)
        sdfg_rt_device_wait(run, 0);
}

void sdfg_rt_device_gemm(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t mode, int64_t m,
                         int64_t n, int64_t k, void *a, int64_t a_row, int64_t a_column, void *b, int64_t b_row,
                         int64_t b_column, void *c, int64_t c_row, int64_t c_column, double alpha_real,
                         double alpha_imag, double beta_real, double beta_imag, int64_t count, int64_t a_step,
                         int64_t b_step, int64_t c_step)
{
    struct product p = { context->run,
                         path,
                         type,
                         mode,
                         m,
                         n,
                         k,
                         count,
                         { a, a_row, a_column, a_step },
                         { b, b_row, b_column, b_step },
                         { c, c_row, c_column, c_step },
                         { alpha_real, alpha_imag },
                         { beta_real, beta_imag } };
    if (k <= 0) { /* the operands have no elements */
        p.k = 0;
        p.a = p.b = (struct matrix){ .address = c, .row = 1, .column = m };
    }
    if (sdfg_rt_run_good(p.run) && m > 0 && n > 0 && count > 0 && fits(&p))
        multiply_in(&p);
}

/* ---- many small systems ---- */

static bool begin_batch(const struct sdfg_rt_blas_batch *b)
{
    cuda_stream stream;
    return sdfg_rt_vendor_open(&sdfg_rt_cublas, b->run, b->path) && sdfg_rt_run_workspace(b->run) &&
           sdfg_rt_run_queue(b->run, 0, &stream) && prepare(b->run, stream, SDFG_RT_PRODUCT_DEFAULT, b->path);
}

bool sdfg_rt_blas_getrf(const struct sdfg_rt_blas_batch *b, int32_t *info)
{
    static const char *const name[] = { "cublasSgetrfBatched", "cublasDgetrfBatched", "cublasCgetrfBatched",
                                        "cublasZgetrfBatched" };
    if (!begin_batch(b))
        return false;
    int (*const function[])(void *, int, void **, int, int *, int *,
                            int) = { functions.SgetrfBatched, functions.DgetrfBatched, functions.CgetrfBatched,
                                     functions.ZgetrfBatched };
    int n = (int)b->n, count = (int)b->count;
    int status = function[b->type](b->run->gpu->blas.handle, n, b->a, n, b->pivots, info, count);
    return check_for(b->run, name[b->type], status, b->doing, b->path);
}

bool sdfg_rt_blas_getrs(const struct sdfg_rt_blas_batch *b, int transposed, int64_t nrhs, void **sides)
{
    static const char *const name[] = { "cublasSgetrsBatched", "cublasDgetrsBatched", "cublasCgetrsBatched",
                                        "cublasZgetrsBatched" };
    if (!begin_batch(b))
        return false;
    int (*const function[])(void *, int, int, int, void **, int, const int *, void **, int, int *,
                            int) = { functions.SgetrsBatched, functions.DgetrsBatched, functions.CgetrsBatched,
                                     functions.ZgetrsBatched };
    int n = (int)b->n, count = (int)b->count, wrong = 0; /* of the arguments; on the host */
    int status = function[b->type](b->run->gpu->blas.handle, transposed, n, (int)nrhs, b->a, n, b->pivots, sides, n,
                                   &wrong, count);
    return check_for(b->run, name[b->type], status, b->doing, b->path);
}
