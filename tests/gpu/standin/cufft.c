/* A stand-in for cuFFT: transforms by one thread each (library_kernels.c) through the stand-in for the driver. The
 * declarations are those of cuFFT, made from its documentation. Plans have to be told where to work, in memory of the
 * device of the size that they said.
 *   $SDFG_STANDIN_CUFFT_FAIL=K[:RESULT]  call number K of the process fails (6)
 *   $SDFG_STANDIN_COUNTS=FILE            the numbers of calls are added to this file as one line of JSON at the end */
#include "tests/gpu/standin/library_host.h"

#include <stdlib.h>

enum { SUCCESS = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_TYPE = 3, INVALID_VALUE = 4, EXEC_FAILED = 6 };
enum { C2C = 0x29, Z2Z = 0x69, MOST_PLANS = 64 };

API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name);

API int cufftCreate(int *plan);
API int cufftDestroy(int plan);
API int cufftSetAutoAllocation(int plan, int automatic);
API int cufftMakePlanMany(int plan, int rank, int *sizes, int *in, int in_stride, int in_step, int *out, int out_stride,
                          int out_step, int type, int count, size_t *memory);
API int cufftSetStream(int plan, CUstream stream);
API int cufftSetWorkArea(int plan, void *memory);
API int cufftExecC2C(int plan, void *in, void *out, int direction);
API int cufftExecZ2Z(int plan, void *in, void *out, int direction);

static struct plan {
    bool used, made;
    CUmodule module;
    CUfunction transform;
    CUstream stream;
    int type;
    struct standin_transform t;
} plans[MOST_PLANS];

enum { CREATE, DESTROY, MAKE, SET, EXEC, KINDS };
static long calls[KINDS], all;

static int enter(int kind)
{
    calls[kind]++;
    return standin_library_enter("SDFG_STANDIN_CUFFT_FAIL", &all, EXEC_FAILED);
}

__attribute__((destructor)) static void write_counts(void)
{
    static const char *const names[] = { "cufft_create", "cufft_destroy", "cufft_make", "cufft_set", "cufft_exec" };
    standin_library_counts(names, calls, KINDS);
}

static int status_of(CUresult result)
{
    return result == CUDA_SUCCESS ? SUCCESS : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOC_FAILED : EXEC_FAILED;
}

static struct plan *plan_of(int plan)
{
    return plan > 0 && plan < MOST_PLANS && plans[plan].used ? &plans[plan] : NULL;
}

int cufftCreate(int *plan)
{
    int status = enter(CREATE), number = 1;
    if (status)
        return status;
    while (number < MOST_PLANS && plans[number].used)
        number++;
    if (number == MOST_PLANS)
        return ALLOC_FAILED;
    struct plan *p = &plans[number];
    *p = (struct plan){ .used = false };
    CUresult result = standin_library_load(&p->module, (void *)calls);
    if (!result && (result = cuModuleGetFunction(&p->transform, p->module, "transform")))
        cuModuleUnload(p->module);
    p->used = !result;
    *plan = number;
    return status_of(result);
}

int cufftDestroy(int plan)
{
    int status = enter(DESTROY);
    struct plan *p = plan_of(plan);
    if (!p)
        return INVALID_PLAN;
    cuModuleUnload(p->module);
    p->used = false;
    return status;
}

int cufftSetAutoAllocation(int plan, int automatic)
{
    int status = enter(SET);
    return status ? status : !plan_of(plan) || automatic ? INVALID_PLAN : SUCCESS;
}

int cufftMakePlanMany(int plan, int rank, int *sizes, int *in, int in_stride, int in_step, int *out, int out_stride,
                      int out_step, int type, int count, size_t *memory)
{
    int status = enter(MAKE), longest = 1;
    struct plan *p = plan_of(plan);
    (void)in_stride, (void)in_step, (void)out_stride, (void)out_step;
    if (status)
        return status;
    if (!p || p->made)
        return INVALID_PLAN;
    if (rank < 1 || rank > 3 || count < 1 || in || out)
        return INVALID_VALUE;
    if (type != C2C && type != Z2Z)
        return INVALID_TYPE;
    p->t = (struct standin_transform){ .type = type == C2C ? STANDIN_C64 : STANDIN_C128, .rank = rank, .count = count };
    for (int d = 0; d < rank; d++) {
        if (sizes[d] < 1)
            return INVALID_VALUE;
        p->t.sizes[d] = sizes[d];
        longest = sizes[d] > longest ? sizes[d] : longest;
    }
    p->t.longest = longest;
    p->type = type;
    p->made = true;
    *memory = (size_t)longest * (size_t)count * 2 * sizeof(double);
    return SUCCESS;
}

int cufftSetStream(int plan, CUstream stream)
{
    int status = enter(SET);
    struct plan *p = plan_of(plan);
    if (!p)
        return INVALID_PLAN;
    p->stream = stream;
    return status;
}

int cufftSetWorkArea(int plan, void *memory)
{
    int status = enter(SET);
    struct plan *p = plan_of(plan);
    if (!p)
        return INVALID_PLAN;
    p->t.memory = (uint64_t)(uintptr_t)memory;
    return status ? status : standin_is_on_device(memory) ? SUCCESS : INVALID_VALUE;
}

static int transform(int plan, void *in, void *out, int direction, int type)
{
    int status = enter(EXEC);
    struct plan *p = plan_of(plan);
    if (status)
        return status;
    if (!p || !p->made || p->type != type || !p->t.memory)
        return INVALID_PLAN;
    if (in != out || (direction != 1 && direction != -1))
        return INVALID_VALUE;
    struct standin_transform t = p->t;
    t.data = (uint64_t)(uintptr_t)in;
    t.sign = direction;
    return status_of(standin_library_launch(p->transform, t.count, p->stream, &t, sizeof t));
}

int cufftExecC2C(int plan, void *in, void *out, int direction) { return transform(plan, in, out, direction, C2C); }

int cufftExecZ2Z(int plan, void *in, void *out, int direction) { return transform(plan, in, out, direction, Z2Z); }
