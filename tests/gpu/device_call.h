/* For tests of programs' view of a device (runtime/device.h) against the stand-ins for the driver and for NVRTC, which
 * are tested with it: kernels, and a call without a program. $SDFG_CUDA and $SDFG_NVRTC name the stand-ins. Each test
 * has a process of its own: a fault ends the use of a device in a process. */
#ifndef TESTS_GPU_DEVICE_CALL_H
#define TESTS_GPU_DEVICE_CALL_H

#include "base/diag.h"
#include "gpu/nvrtc.h"
#include "runtime/device.h"
#include "runtime/timing.h"

#include "tests/gpu/standins.h"

static const char text[] =
    "extern \"C\" __global__ void add(double *x, long n, double by)\n"
    "{ long i = (long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += by; }\n"
    "extern \"C\" __global__ void __launch_bounds__(256) sum(const double *x, double *out, int n, int careless)\n"
    "{ __shared__ double part[256]; int t = threadIdx.x; double s = 0;\n"
    "  for (int i = t; i < n; i += blockDim.x) s += x[i];\n"
    "  part[t] = s;\n"
    "  for (int w = blockDim.x / 2; w; w /= 2)\n"
    "  { if (!careless) __syncthreads(); if (t < w) part[t] += part[t + w]; }\n"
    "  if (!t) *out = part[0]; }\n"
    "extern \"C\" __global__ void warps(int *out)\n"
    "{ int v = threadIdx.x; for (int w = 16; w; w /= 2) v += __shfl_xor_sync(~0u, v, w);\n"
    "  if (threadIdx.x % 32 == 0) atomicAdd(out, v); }\n"
    "extern \"C\" __global__ void meet(unsigned *counter, int *out)\n"
    "{ __shared__ int mine; if (!threadIdx.x) mine = blockIdx.x; __syncthreads();\n"
    "  if (!threadIdx.x) { atomicAdd(counter, 1u); while (*(volatile unsigned *)counter < gridDim.x) __nanosleep(20); "
    "}\n"
    "  __syncthreads(); if (threadIdx.x == 1) out[blockIdx.x] = mine; }\n"
    "extern \"C\" __global__ void mixed(char *out, char a, double b, short c, float d)\n"
    "{ out[0] = a == 1 && b == 2.5 && c == 3 && d == 4.5f; }\n"
    "extern \"C\" __global__ void trap() { __trap(); }\n"
    "extern \"C\" __global__ void forever(volatile int *x) { while (*x) ; }\n";

enum { ADD, SUM, WARPS, MEET, MIXED, TRAP, FOREVER };
static const struct sdfg_rt_kernel kernels[] = {
    { "add", "prog/state/add", 7, 0, 0, 24 },
    { "sum", "prog/state/sum", 0, 0, 0, 24 },
    { "warps", "", 0, 0, 0, 8 },
    { "meet", "", 0, SDFG_RT_COOPERATIVE, 0, 16 },
    { "mixed", "", 0, 0, 0, 32 },
    { "trap", "prog/trap", 0, 0, 0, 0 },
    { "forever", "prog/forever", 0, 0, 0, 8 },
};
static struct sdfg_rt_image image = {
    .abi = SDFG_RT_IMAGE_ABI, .arch = 90, .kind = SDFG_RT_CUBIN, .num_kernels = 7, .hash = { 1, 2 }, .kernels = kernels
};
static struct sdfg_rt_image assembly = {
    .abi = SDFG_RT_IMAGE_ABI, .arch = 80, .kind = SDFG_RT_PTX, .num_kernels = 7, .hash = { 3, 4 }, .kernels = kernels
};
static struct arena *arena;

static void compile(struct sdfg_rt_image *out, enum nvrtc_form form)
{
    struct diags *d = diags_new(arena);
    struct nvrtc *n = nvrtc_open(arena, d, NULL);
    struct nvrtc_source s = { .name = "test", .text = text, .arch = (int)out->arch, .form = form };
    struct nvrtc_job *job = n ? nvrtc_begin(n, d, &s) : NULL;
    struct nvrtc_code code;
    bool good = job && nvrtc_end(job, arena, d, &code);
    for (uint32_t i = 0; i < diags_count(d); i++)
        printf("%s\n", diags_get(d, i)->message);
    CHECK(good);
    out->bytes = good ? code.bytes : NULL;
    out->size = good ? code.size : 0;
}

/* ---- a program ---- */

struct call {
    struct sdfg_rt_device device;
    struct sdfg_rt_context context;
    struct sdfg_rt_run *run;
};
static __attribute__((unused)) void begin(struct call *c, const struct sdfg_rt_image *code)
{
    c->context = (struct sdfg_rt_context){ .device = &c->device, .num_threads = c->context.num_threads };
    c->device.trouble[0] = 0;
    c->run = sdfg_rt_device_begin(&c->context, code);
}
static __attribute__((unused)) bool says(const struct call *c, enum sdfg_rt_error error, const char *part)
{
    bool good = c->context.error == (int32_t)error && strstr(c->device.trouble, part);
    if (!good)
        printf("error %d: %s\n", c->context.error, c->device.trouble);
    return good;
}

static __attribute__((unused)) void launch(struct call *c, int kernel, int64_t blocks, int64_t threads,
                                           const void *params, int64_t bytes)
{
    const int64_t shape[] = { blocks, 1, 1, threads, 1, 1 };
    sdfg_rt_device_launch(c->run, kernel, shape, params, bytes, 0);
}

static __attribute__((unused)) void add(struct call *c, void *x, int64_t n, double by, int64_t blocks)
{
    struct {
        void *x;
        int64_t n;
        double by;
    } p = { x, n, by };
    launch(c, ADD, blocks, 64, &p, sizeof p);
}

enum { N = 1000 };

/* x[i] = i + 3 by way of the device. */
static __attribute__((unused)) void whole_call(struct call *c, double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = i;
    void *there = sdfg_rt_device_mirror(c->run, x, N * (int64_t)sizeof *x);
    sdfg_rt_device_copy(c->run, there, x, N * sizeof *x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    add(c, there, N, 1, (N + 63) / 64);
    add(c, there, N, 2, (N + 63) / 64);
    sdfg_rt_device_copy(c->run, x, there, N * sizeof *x, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_end(c->run);
}

static __attribute__((unused)) bool is_right(const double *x)
{
    for (int i = 0; i < N; i++)
        if (x[i] != i + 3)
            return false;
    return true;
}

/* Kernels whose blocks wait for each other. */
static __attribute__((unused)) bool meet(struct call *c, const struct sdfg_rt_image *code)
{
    enum { LAUNCHES = 6, BYTES = 64 };
    char found[LAUNCHES * BYTES] = { 0 };
    begin(c, code);
    char *there = sdfg_rt_device_alloc(c->run, sizeof found, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(c->run, there, sizeof found, 0);
    for (int k = 0; k < LAUNCHES; k++) {
        struct {
            char *counter, *out;
        } m = { there + k * BYTES, there + k * BYTES + 16 };
        launch(c, MEET, 2, 32, &m, sizeof m);
    }
    sdfg_rt_device_copy(c->run, found, there, sizeof found, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_free(c->run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    bool right = true;
    for (int k = 0; k < LAUNCHES; k++)
        right = right && *(int *)(found + k * BYTES + 20) == 1 && *(int *)(found + k * BYTES) == 2;
    return right;
}

/* They are nodes of graphs, too, and ordered behind those of other runs. Gives the launches that were none, in a
 * process of its own. */
static __attribute__((unused)) long meet_in_graphs(const struct sdfg_rt_image *code, long graphs)
{
    enum { ROUNDS = 4 };
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(meet(&c, code));
        CHECK(says(&c, SDFG_RT_OK, ""));
    }
    CHECK_INT(calls_of("cuGraphLaunch"), graphs);
    long single = calls_of("cuLaunchKernelEx");
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
    return single;
}

/* What `main` returns; 77: the environment does not name the stand-ins. */
static int run_tests(void)
{
    if (!getenv("SDFG_CUDA") || !getenv("SDFG_NVRTC"))
        return 77;
    arena = arena_new();
    compile(&image, NVRTC_CUBIN);
    compile(&assembly, NVRTC_PTX);
    int result = check_run_tests();
    arena_free(arena);
    return result;
}

#endif
