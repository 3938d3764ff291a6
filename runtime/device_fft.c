/* Discrete Fourier transforms on the device by cuFFT, in place, of memory without gaps: kernels in front of and behind
 * these calls copy from and to what programs have. Plans take long to make, so a context keeps some. */
#include "runtime/device_vendor.h"

#include <limits.h>
#include <stdlib.h>

struct cufft {
#define CUFFT(need, name, symbol, parameters) int(*name) parameters;
#include "runtime/device_fft.def"
};
static struct cufft functions;

static const struct sdfg_rt_vendor_row rows[] = {
#define REQUIRED                              true
#define CUFFT(need, name, symbol, parameters) { symbol, need, offsetof(struct cufft, name) },
#include "runtime/device_fft.def"
#undef REQUIRED
};

static const char *const names[] = { "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", NULL };
struct sdfg_rt_vendor sdfg_rt_cufft = {
    .title = "cuFFT",
    .behind = 1,
    .files = { "SDFG_CUFFT", names, "cufft" },
    .rows = rows,
    .num_rows = sizeof rows / sizeof *rows,
    .functions = &functions,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* ---- errors ---- */

static const char *status_name(int status)
{
    static const char *const texts[] = { "CUFFT_SUCCESS",       "CUFFT_INVALID_PLAN",  "CUFFT_ALLOC_FAILED",
                                         "CUFFT_INVALID_TYPE",  "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR",
                                         "CUFFT_EXEC_FAILED",   "CUFFT_SETUP_FAILED",  "CUFFT_INVALID_SIZE",
                                         "CUFFT_UNALIGNED_DATA" };
    return status >= 0 && status < (int)(sizeof texts / sizeof *texts) ? texts[status] : NULL;
}

static bool check(struct sdfg_rt_run *run, const char *path, const char *function, int status)
{
    enum { ALLOC_FAILED = 2 };
    return sdfg_rt_vendor_check(run, &(struct sdfg_rt_vendor_status){ function, status_name(status), "the transform of",
                                                                      path, status, status == ALLOC_FAILED });
}

/* ---- plans ---- */

enum { MOST_PLANS = 16, MOST_RANK = 3 };

struct sdfg_rt_plan {
    int plan;
    int32_t type;
    int64_t rank, sizes[MOST_RANK], count; /* sizes beyond the rank are 1 */
    size_t memory;                         /* bytes that it works in */
    struct sdfg_rt_plan *next;
};

static void free_plan(struct sdfg_rt_plan *p)
{
    functions.Destroy(p->plan);
    free(p);
}

void sdfg_rt_fft_free(struct sdfg_rt_gpu *gpu)
{
    while (gpu->plans) {
        struct sdfg_rt_plan *p = gpu->plans;
        gpu->plans = p->next;
        free_plan(p);
    }
}

static bool is_same(const struct sdfg_rt_plan *a, const struct sdfg_rt_plan *b)
{
    return a->type == b->type && a->rank == b->rank && a->count == b->count && a->sizes[0] == b->sizes[0] &&
           a->sizes[1] == b->sizes[1] && a->sizes[2] == b->sizes[2];
}

static bool make(struct sdfg_rt_run *run, const char *path, struct sdfg_rt_plan *p)
{
    enum { C2C = 0x29, Z2Z = 0x69 }; /* cufftType */
    int sizes[MOST_RANK] = { (int)p->sizes[0], (int)p->sizes[1], (int)p->sizes[2] };
    if (!check(run, path, "cufftCreate", functions.Create(&p->plan)))
        return false;
    if (check(run, path, "cufftSetAutoAllocation", functions.SetAutoAllocation(p->plan, 0)) &&
        check(run, path, "cufftMakePlanMany",
              functions.MakePlanMany(p->plan, (int)p->rank, sizes, NULL, 1, 0, NULL, 1, 0,
                                     p->type == SDFG_RT_C64 ? C2C : Z2Z, (int)p->count, &p->memory)))
        return true;
    functions.Destroy(p->plan);
    return false;
}

/* The one that was used last comes first; the last one goes. The library's lock of the context is held. */
static const struct sdfg_rt_plan *plan_of(struct sdfg_rt_run *run, const char *path, const struct sdfg_rt_plan *wanted)
{
    struct sdfg_rt_plan **at = &run->gpu->plans, *p;
    int seen = 0;
    while (*at && !is_same(*at, wanted)) {
        if (++seen == MOST_PLANS) {
            p = *at;
            *at = NULL;
            free_plan(p);
            break;
        }
        at = &(*at)->next;
    }
    p = *at;
    if (p) {
        *at = p->next;
    } else {
        p = malloc(sizeof *p);
        if (!p) {
            sdfg_rt_fail(run->context, SDFG_RT_OUT_OF_MEMORY);
            return NULL;
        }
        *p = *wanted;
        if (!make(run, path, p)) {
            free(p);
            return NULL;
        }
    }
    p->next = run->gpu->plans;
    run->gpu->plans = p;
    return p;
}

/* ---- transforms ---- */

static bool fits(struct sdfg_rt_run *run, const char *path, const struct sdfg_rt_plan *p)
{
    const int64_t extents[] = { p->sizes[0], p->sizes[1], p->sizes[2], p->count };
    for (int i = 0; i < 4; i++)
        if (extents[i] > INT_MAX)
            return sdfg_rt_device_fail(run->context, SDFG_RT_BAD_VALUE,
                                       "the transform of %s has an extent of %lld, and cuFFT takes up to %d", path,
                                       (long long)extents[i], INT_MAX);
    return true;
}

/* The queue is asked for once more behind the memory, which other queues may still use. */
static void transform(struct sdfg_rt_run *run, const char *path, const struct sdfg_rt_plan *wanted, int32_t sign,
                      void *data)
{
    cuda_stream stream;
    const struct sdfg_rt_plan *p = plan_of(run, path, wanted);
    void *memory = p ? sdfg_rt_device_alloc(run, (int64_t)p->memory, SDFG_RT_ON_DEVICE) : NULL;
    bool ready = memory && sdfg_rt_run_queue(run, 0, &stream) &&
                 check(run, path, "cufftSetStream", functions.SetStream(p->plan, stream)) &&
                 check(run, path, "cufftSetWorkArea", functions.SetWorkArea(p->plan, memory));
    if (ready && p->type == SDFG_RT_C64)
        check(run, path, "cufftExecC2C", functions.ExecC2C(p->plan, data, data, sign));
    else if (ready)
        check(run, path, "cufftExecZ2Z", functions.ExecZ2Z(p->plan, data, data, sign));
    sdfg_rt_device_free(run, memory, SDFG_RT_ON_DEVICE);
}

void sdfg_rt_device_fft(struct sdfg_rt_context *context, const char *path, int32_t type, int32_t sign, int64_t rank,
                        int64_t first, int64_t second, int64_t third, int64_t count, void *data)
{
    struct sdfg_rt_run *run = context->run;
    struct sdfg_rt_plan wanted = { .type = type, .rank = rank, .sizes = { first, second, third }, .count = count };
    cuda_stream stream;
    if (!sdfg_rt_run_good(run) || first <= 0 || second <= 0 || third <= 0 || count <= 0 || !fits(run, path, &wanted) ||
        !sdfg_rt_vendor_open(&sdfg_rt_cufft, run, path) || !sdfg_rt_run_queue(run, 0, &stream))
        return;
    struct sdfg_rt_mark *mark = sdfg_rt_time_library(run, "fft", path, stream);
    sdfg_rt_log_library(run, path);
    pthread_mutex_lock(&run->gpu->library_lock);
    transform(run, path, &wanted, sign, data);
    pthread_mutex_unlock(&run->gpu->library_lock);
    sdfg_rt_time_end(run, mark, stream);
    if (run->call->check)
        sdfg_rt_device_wait(run, 0);
}
