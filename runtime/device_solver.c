/* Factorizations and solutions of systems on the device by cuSOLVER. Matrices lie by columns, without gaps, those of
 * several problems one behind the other: kernels in front of and behind these calls copy from and to what programs
 * have. Many small problems are one call each of cuSOLVER and cuBLAS. */
#include "runtime/device_blas.h"
#include "runtime/device_vendor.h"

#include <limits.h>
#include <stdlib.h>

struct cusolver {
#define CUSOLVER(need, name, symbol, parameters) int(*name) parameters;
#include "runtime/device_solver.def"
};
static struct cusolver functions;

static const struct sdfg_rt_vendor_row rows[] = {
#define REQUIRED                                 true
#define CUSOLVER(need, name, symbol, parameters) { symbol, need, offsetof(struct cusolver, name) },
#include "runtime/device_solver.def"
#undef REQUIRED
};

static const char *const names[] = { "libcusolver.so.12", "libcusolver.so.11", NULL };
static const struct sdfg_rt_vendor_need needs[] = { { "nvJitLink", "nvjitlink" },
                                                    { "cusparse", "cusparse" },
                                                    { "cublasLt", "cublas" },
                                                    { "cublas", "cublas" },
                                                    { NULL, NULL } };
struct sdfg_rt_vendor sdfg_rt_cusolver = {
    .title = "cuSOLVER",
    .behind = 1,
    .needs = needs,
    .files = { "SDFG_CUSOLVER", names, "cusolver" },
    .rows = rows,
    .num_rows = sizeof rows / sizeof *rows,
    .functions = &functions,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ---- errors ---- */

static const char *status_name(int status)
{
    static const char *const texts[] = { "CUSOLVER_STATUS_SUCCESS",          "CUSOLVER_STATUS_NOT_INITIALIZED",
                                         "CUSOLVER_STATUS_ALLOC_FAILED",     "CUSOLVER_STATUS_INVALID_VALUE",
                                         "CUSOLVER_STATUS_ARCH_MISMATCH",    "CUSOLVER_STATUS_MAPPING_ERROR",
                                         "CUSOLVER_STATUS_EXECUTION_FAILED", "CUSOLVER_STATUS_INTERNAL_ERROR" };
    return status >= 0 && status < (int)(sizeof texts / sizeof *texts) ? texts[status] : NULL;
}

/* `count` problems of one kind, in queue 0. */
struct problem {
    struct sdfg_rt_run *run;
    const char *name, *doing, *path;
    int32_t type;
    int64_t m, n, count;
    char *a;
    int32_t *info;
    cuda_stream stream;
    void *handle;
    struct sdfg_rt_mark *mark;
};

static bool check(const struct problem *p, const char *function, int status)
{
    enum { ALLOC_FAILED = 2 };
    return sdfg_rt_vendor_check(p->run, &(struct sdfg_rt_vendor_status){ function, status_name(status), p->doing,
                                                                         p->path, status, status == ALLOC_FAILED });
}

/* ---- the handle ---- */

/* The library's lock of the context is held. */
static bool prepare(struct problem *p)
{
    struct sdfg_rt_handle *h = &p->run->gpu->solver;
    if (!h->handle) {
        if (!check(p, "cusolverDnCreate", functions.Create(&h->handle))) {
            h->handle = NULL;
            return false;
        }
        h->told = false;
    }
    if (!h->told || h->stream != p->stream) {
        h->told = false;
        if (!check(p, "cusolverDnSetStream", functions.SetStream(h->handle, p->stream)))
            return false;
        h->told = true;
        h->stream = p->stream;
    }
    p->handle = h->handle;
    return true;
}

void sdfg_rt_solver_free(struct sdfg_rt_gpu *gpu)
{
    if (gpu->solver.handle)
        functions.Destroy(gpu->solver.handle);
    gpu->solver = (struct sdfg_rt_handle){ .handle = NULL };
}

/* ---- problems ---- */

static int64_t size_of(int32_t type)
{
    return type == SDFG_RT_F32    ? (int64_t)sizeof(float)
           : type == SDFG_RT_C128 ? 2 * (int64_t)sizeof(double)
                                  : (int64_t)sizeof(double);
}

static bool fits(const struct problem *p, int64_t extent)
{
    return extent <= INT_MAX || sdfg_rt_device_fail(p->run->context, SDFG_RT_BAD_VALUE,
                                                    "%s %s has an extent of %lld, and cuSOLVER takes up to %d",
                                                    p->doing, p->path, (long long)extent, INT_MAX);
}

/* False: nothing is to be done, or that has failed. Else the library's lock is held until `end`. */
static bool begin(struct problem *p)
{
    if (!sdfg_rt_run_good(p->run) || p->count <= 0)
        return false;
    if (p->m <= 0 || p->n <= 0) {
        if (p->info)
            sdfg_rt_device_zero(p->run, p->info, p->count * (int64_t)sizeof *p->info, 0);
        return false;
    }
    if (!fits(p, p->m) || !fits(p, p->n) || !fits(p, p->count) ||
        !sdfg_rt_vendor_open(&sdfg_rt_cusolver, p->run, p->path) || !sdfg_rt_run_queue(p->run, 0, &p->stream))
        return false;
    p->mark = sdfg_rt_time_library(p->run, p->name, p->path, p->stream);
    sdfg_rt_log_library(p->run, p->path);
    pthread_mutex_lock(&p->run->gpu->library_lock);
    if (prepare(p))
        return true;
    pthread_mutex_unlock(&p->run->gpu->library_lock);
    return false;
}

static void end(struct problem *p)
{
    pthread_mutex_unlock(&p->run->gpu->library_lock);
    sdfg_rt_time_end(p->run, p->mark, p->stream);
    if (p->run->call->check)
        sdfg_rt_device_wait(p->run, 0);
}

/* Memory for the time of one call; work that is in the queue then may go on using it. The queue is asked for once more,
 * because others may still use the memory. */
static void *take(struct problem *p, int64_t bytes)
{
    void *memory = sdfg_rt_device_alloc(p->run, bytes, SDFG_RT_ON_DEVICE);
    return memory && sdfg_rt_run_queue(p->run, 0, &p->stream) ? memory : NULL;
}

static void give(struct problem *p, void *memory) { sdfg_rt_device_free(p->run, memory, SDFG_RT_ON_DEVICE); }

/* Where a code goes that nobody wants. */
static int32_t *unwanted(struct problem *p) { return take(p, p->count * (int64_t)sizeof(int32_t)); }

/* Functions for many problems at once are for small ones. */
static bool is_batch(const struct problem *p)
{
    enum { SMALL = 128 };
    return p->count > 1 && p->n / p->count <= SMALL;
}

/* The addresses of the matrices of a batch, on the device. */
static void **addresses(struct problem *p, char *first, int64_t step)
{
    size_t bytes = (size_t)p->count * sizeof(void *);
    void **there = take(p, (int64_t)bytes);
    char **here = malloc(bytes);
    if (!here)
        sdfg_rt_fail(p->run->context, SDFG_RT_OUT_OF_MEMORY);
    for (int64_t i = 0; here && i < p->count; i++)
        here[i] = first + i * step * size_of(p->type);
    if (there && here)
        sdfg_rt_device_copy(p->run, there, here, (int64_t)bytes, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    free(here);
    return sdfg_rt_run_good(p->run) ? there : NULL;
}

/* ---- Cholesky ---- */

static void potrf_batch(struct problem *p, int part)
{
    static const char *const name[] = { "cusolverDnSpotrfBatched", "cusolverDnDpotrfBatched", "cusolverDnCpotrfBatched",
                                        "cusolverDnZpotrfBatched" };
    int (*const function[])(void *, int, int, void **, int, int *,
                            int) = { functions.SpotrfBatched, functions.DpotrfBatched, functions.CpotrfBatched,
                                     functions.ZpotrfBatched };
    int n = (int)p->n;
    void **all = addresses(p, p->a, p->n * p->n);
    if (all)
        check(p, name[p->type], function[p->type](p->handle, part, n, all, n, p->info, (int)p->count));
    give(p, all);
}

static void potrf_each(struct problem *p, int part)
{
    static const char *const sizes[] = { "cusolverDnSpotrf_bufferSize", "cusolverDnDpotrf_bufferSize",
                                         "cusolverDnCpotrf_bufferSize", "cusolverDnZpotrf_bufferSize" };
    static const char *const name[] = { "cusolverDnSpotrf", "cusolverDnDpotrf", "cusolverDnCpotrf",
                                        "cusolverDnZpotrf" };
    int (*const size_of_memory[])(void *, int, int, void *, int,
                                  int *) = { functions.Spotrf_bufferSize, functions.Dpotrf_bufferSize,
                                             functions.Cpotrf_bufferSize, functions.Zpotrf_bufferSize };
    int (*const function[])(void *, int, int, void *, int, void *, int, int *) = { functions.Spotrf, functions.Dpotrf,
                                                                                   functions.Cpotrf, functions.Zpotrf };
    int n = (int)p->n, size = 0;
    if (!check(p, sizes[p->type], size_of_memory[p->type](p->handle, part, n, p->a, n, &size)))
        return;
    void *memory = take(p, size * size_of(p->type));
    for (int64_t i = 0; memory && i < p->count; i++) {
        void *a = p->a + i * p->n * p->n * size_of(p->type);
        if (!check(p, name[p->type], function[p->type](p->handle, part, n, a, n, memory, size, p->info + i)))
            break;
    }
    give(p, memory);
}

void sdfg_rt_device_potrf(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t lower, int64_t n,
                          int64_t count, void *a, int32_t *info, int32_t needed)
{
    struct problem p = { .run = context->run, .name = "potrf", .doing = "the factorization of", .path = path };
    p.type = type;
    p.m = p.n = n;
    p.count = count;
    p.a = a;
    p.info = info;
    if (!begin(&p))
        return;
    int32_t *extra = info ? NULL : needed ? sdfg_rt_status_take(p.run, count) : unwanted(&p);
    p.info = info ? info : extra;
    if (p.info && is_batch(&p))
        potrf_batch(&p, !lower);
    else if (p.info)
        potrf_each(&p, !lower);
    if (!needed)
        give(&p, extra);
    end(&p);
}

/* ---- LU ---- */

static void getrf_each(struct problem *p, int32_t *pivots)
{
    static const char *const sizes[] = { "cusolverDnSgetrf_bufferSize", "cusolverDnDgetrf_bufferSize",
                                         "cusolverDnCgetrf_bufferSize", "cusolverDnZgetrf_bufferSize" };
    static const char *const name[] = { "cusolverDnSgetrf", "cusolverDnDgetrf", "cusolverDnCgetrf",
                                        "cusolverDnZgetrf" };
    int (*const size_of_memory[])(void *, int, int, void *, int,
                                  int *) = { functions.Sgetrf_bufferSize, functions.Dgetrf_bufferSize,
                                             functions.Cgetrf_bufferSize, functions.Zgetrf_bufferSize };
    int (*const function[])(void *, int, int, void *, int, void *, int *,
                            int *) = { functions.Sgetrf, functions.Dgetrf, functions.Cgetrf, functions.Zgetrf };
    int m = (int)p->m, n = (int)p->n, size = 0;
    int64_t num_pivots = m < n ? m : n;
    if (!check(p, sizes[p->type], size_of_memory[p->type](p->handle, m, n, p->a, m, &size)))
        return;
    void *memory = take(p, size * size_of(p->type));
    for (int64_t i = 0; memory && i < p->count; i++) {
        void *a = p->a + i * p->m * p->n * size_of(p->type);
        if (!check(p, name[p->type],
                   function[p->type](p->handle, m, n, a, m, memory, pivots + i * num_pivots, p->info + i)))
            break;
    }
    give(p, memory);
}

static void getrf_batch(struct problem *p, int32_t *pivots)
{
    void **all = addresses(p, p->a, p->n * p->n);
    struct sdfg_rt_blas_batch b = { p->run, p->doing, p->path, p->type, p->n, p->count, all, pivots };
    if (all)
        sdfg_rt_blas_getrf(&b, p->info);
    give(p, all);
}

void sdfg_rt_device_getrf(struct sdfg_rt_context *context, const char *path, int32_t type, int64_t m, int64_t n,
                          int64_t count, void *a, int32_t *pivots, int32_t *info, int32_t needed)
{
    struct problem p = { .run = context->run, .name = "getrf", .doing = "the factorization of", .path = path };
    p.type = type;
    p.m = m;
    p.n = n;
    p.count = count;
    p.a = a;
    p.info = info;
    if (!begin(&p))
        return;
    int32_t *extra = info ? NULL : needed ? sdfg_rt_status_take(p.run, count) : unwanted(&p);
    p.info = info ? info : extra;
    if (p.info && m == n && is_batch(&p))
        getrf_batch(&p, pivots);
    else if (p.info)
        getrf_each(&p, pivots);
    if (!needed)
        give(&p, extra);
    end(&p);
}

static void getrs_each(struct problem *p, int transposed, int64_t nrhs, const int32_t *pivots, char *b)
{
    static const char *const name[] = { "cusolverDnSgetrs", "cusolverDnDgetrs", "cusolverDnCgetrs",
                                        "cusolverDnZgetrs" };
    int (*const function[])(void *, int, int, int, const void *, int, const int *, void *, int,
                            int *) = { functions.Sgetrs, functions.Dgetrs, functions.Cgetrs, functions.Zgetrs };
    int n = (int)p->n;
    for (int64_t i = 0; i < p->count; i++) {
        const char *a = p->a + i * p->n * p->n * size_of(p->type);
        void *x = b + i * p->n * nrhs * size_of(p->type);
        if (!check(p, name[p->type],
                   function[p->type](p->handle, transposed, n, (int)nrhs, a, n, pivots + i * p->n, x, n, p->info + i)))
            break;
    }
}

static void getrs_batch(struct problem *p, int transposed, int64_t nrhs, int32_t *pivots, char *b)
{
    void **all = addresses(p, p->a, p->n * p->n), **sides = addresses(p, b, p->n * nrhs);
    struct sdfg_rt_blas_batch batch = { p->run, p->doing, p->path, p->type, p->n, p->count, all, pivots };
    if (all && sides)
        sdfg_rt_blas_getrs(&batch, transposed, nrhs, sides);
    give(p, sides);
    give(p, all);
}

void sdfg_rt_device_getrs(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t transposed,
                          int64_t n, int64_t nrhs, int64_t count, void *a, int32_t *pivots, void *b, int32_t *info)
{
    struct problem p = { .run = context->run, .name = "getrs", .doing = "the solution of", .path = path };
    p.type = type;
    p.m = nrhs;
    p.n = n;
    p.count = count;
    p.a = a;
    p.info = info;
    if (!begin(&p))
        return;
    int32_t *extra = info ? NULL : unwanted(&p);
    p.info = info ? info : extra;
    if (p.info && is_batch(&p)) {
        getrs_batch(&p, transposed, nrhs, pivots, b);
        if (info)
            sdfg_rt_device_zero(p.run, info, count * (int64_t)sizeof *info, 0);
    } else if (p.info) {
        getrs_each(&p, transposed, nrhs, pivots, b);
    }
    give(&p, extra);
    end(&p);
}
