/* Programs' view of a device (runtime/device.h) against the stand-ins for the driver and for NVRTC, which are tested
 * with it. $SDFG_CUDA and $SDFG_NVRTC name them. Each test has a process of its own: a fault ends the use of a device
 * in a process. */
#include "base/diag.h"
#include "gpu/nvrtc.h"
#include "runtime/device.h"
#include "runtime/timing.h"

#include "tests/gpu/standins.h"

#include <math.h>
#include <signal.h>

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
static void begin(struct call *c, const struct sdfg_rt_image *code)
{
    c->context = (struct sdfg_rt_context){ .device = &c->device, .num_threads = c->context.num_threads };
    c->device.trouble[0] = 0;
    c->run = sdfg_rt_device_begin(&c->context, code);
}
static bool says(const struct call *c, enum sdfg_rt_error error, const char *part)
{
    bool good = c->context.error == (int32_t)error && strstr(c->device.trouble, part);
    if (!good)
        printf("error %d: %s\n", c->context.error, c->device.trouble);
    return good;
}

static void launch(struct call *c, int kernel, int64_t blocks, int64_t threads, const void *params, int64_t bytes)
{
    const int64_t shape[] = { blocks, 1, 1, threads, 1, 1 };
    sdfg_rt_device_launch(c->run, kernel, shape, params, bytes, 0);
}

static void add(struct call *c, void *x, int64_t n, double by, int64_t blocks)
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
static void whole_call(struct call *c, double *x)
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

static bool is_right(const double *x)
{
    for (int i = 0; i < N; i++)
        if (x[i] != i + 3)
            return false;
    return true;
}

OWN_PROCESS(copies_and_launches)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    for (int round = 0; round < 3; round++) {
        begin(&c, round == 2 ? &assembly : &image);
        whole_call(&c, x);
        CHECK_INT(c.context.error, SDFG_RT_OK);
        CHECK(is_right(x));
    }
    /* What is kept serves the later calls. */
    CHECK_INT(calls_of("cuMemAlloc_v2"), 1);
    CHECK_INT(calls_of("cuStreamCreate"), 1);
    CHECK_INT(calls_of("cuModuleLoadData"), 2);
    CHECK_INT(calls_of("cuMemcpyHtoDAsync_v2"), 3);
    CHECK_INT(calls_of("cuMemcpyDtoHAsync_v2"), 3);
    CHECK_INT(calls_of("cuLaunchKernel"), 6);
    CHECK_INT(calls_of("cuStreamSynchronize"), 3);
    sdfg_rt_device_hold();
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Two calls at once: their kernels may not count each other's blocks. A cluster has a barrier of its own. */
static void meet_twice(const struct sdfg_rt_image *code)
{
    struct call c[2] = { { .device = { .index = 0 } }, { .device = { .index = 0 } } };
    for (int i = 0; i < 2; i++) {
        begin(&c[i], code);
        struct {
            char *counter, *out;
        } m = { sdfg_rt_device_alloc(c[i].run, 64, SDFG_RT_ON_DEVICE), NULL };
        m.out = m.counter + 16;
        sdfg_rt_device_zero(c[i].run, m.counter, 64, 0);
        for (int k = 0; k < 2; k++) {
            sdfg_rt_device_zero(c[i].run, m.counter, 4, 0);
            launch(&c[i], MEET, 2, 32, &m, sizeof m);
        }
        sdfg_rt_device_zero(c[i].run, m.counter, 4, 0); /* gives the launch to the driver */
        CHECK_INT(calls_of("cuStreamWaitEvent"), code == &assembly ? i : 0);
        CHECK_INT(calls_of("cuLaunchKernelEx"), 2 * (i + 1));
        sdfg_rt_device_free(c[i].run, m.counter, SDFG_RT_ON_DEVICE);
    }
    for (int i = 1; i >= 0; i--) {
        sdfg_rt_device_end(c[i].run);
        CHECK(says(&c[i], SDFG_RT_OK, ""));
    }
    sdfg_rt_device_hold();
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(kernels_whose_threads_meet_do_not_overlap) { meet_twice(&assembly); }

OWN_PROCESS(clusters_may_overlap) { meet_twice(&image); }

/* Kernels whose blocks wait for each other are nodes of graphs, too, and ordered behind those of other runs. Gives the
 * launches that were none. */
static long meet_in_graphs(const struct sdfg_rt_image *code, long graphs)
{
    enum { LAUNCHES = 6, ROUNDS = 4, BYTES = 64 };
    struct call c = { .device = { .index = 0 } };
    long single = 0;
    sdfg_rt_device_hold();
    for (int round = 0; round < ROUNDS; round++) {
        char found[LAUNCHES * BYTES];
        begin(&c, code);
        long before = calls_of("cuLaunchKernelEx");
        char *there = sdfg_rt_device_alloc(c.run, sizeof found, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_zero(c.run, there, sizeof found, 0);
        for (int k = 0; k < LAUNCHES; k++) {
            struct {
                char *counter, *out;
            } m = { there + k * BYTES, there + k * BYTES + 16 };
            launch(&c, MEET, 2, 32, &m, sizeof m);
        }
        sdfg_rt_device_copy(c.run, found, there, sizeof found, 1, 0, 0, SDFG_RT_TO_HOST, 0);
        sdfg_rt_device_free(c.run, there, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_end(c.run);
        CHECK(says(&c, SDFG_RT_OK, ""));
        for (int k = 0; k < LAUNCHES; k++)
            CHECK(*(int *)(found + k * BYTES + 20) == 1 && *(int *)(found + k * BYTES) == 2);
        single += calls_of("cuLaunchKernelEx") - before;
    }
    CHECK_INT(calls_of("cuGraphLaunch"), graphs);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
    return single;
}

OWN_PROCESS(together_in_graphs)
{
    CHECK_INT(meet_in_graphs(&assembly, 3), 6);
    CHECK_INT(calls_of("cuEventRecord"), 9); /* behind each of six launches, and each of three graphs */
}

OWN_PROCESS(clusters_in_graphs)
{
    CHECK_INT(meet_in_graphs(&image, 3), 6);
    CHECK_INT(calls_of("cuEventRecord"), 0);
}

/* The driver refuses the graph: each launch tries a cluster, and does without. */
OWN_PROCESS(no_clusters_in_graphs)
{
    setenv("SDFG_STANDIN_CLUSTERS", "0", 1);
    CHECK_INT(meet_in_graphs(&image, 0), 4 * 6 * 2);
}

/* The device has no room for a cluster: the driver refuses, and the blocks are launched together. */
OWN_PROCESS(without_clusters)
{
    setenv("SDFG_STANDIN_CLUSTERS", "0", 1);
    struct call c = { .device = { .index = 0 } };
    int met[2] = { 0 };
    begin(&c, &image);
    struct {
        char *counter, *out;
    } m = { sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE), NULL };
    m.out = m.counter + 16;
    sdfg_rt_device_zero(c.run, m.counter, 64, 0);
    launch(&c, MEET, 2, 32, &m, sizeof m);
    sdfg_rt_device_copy(c.run, met, m.out, sizeof met, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK_INT(met[1], 1);
    CHECK_INT(calls_of("cuLaunchKernelEx"), 2);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* A call that is cancelled, or fails, stops where it is: its blocks serve the next ones. */
OWN_PROCESS(stopped_calls_give_up_their_memory)
{
    static double x[N];
    static const enum sdfg_rt_error errors[] = { SDFG_RT_CANCELLED, SDFG_RT_OUT_OF_MEMORY, SDFG_RT_BAD_VALUE };
    struct call c = { .device = { .index = 0 } };
    for (int round = 0; round < 6; round++) {
        begin(&c, &image);
        void *there = sdfg_rt_device_mirror(c.run, x, N * (int64_t)sizeof *x);
        sdfg_rt_device_alloc(c.run, 1 << 20, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_alloc(c.run, 4096, SDFG_RT_PINNED);
        add(&c, there, N, 1, (N + 63) / 64);
        c.context.error = errors[round % 3];
        sdfg_rt_device_end(c.run);
        CHECK_INT(calls_of("cuMemAlloc_v2"), 2);
        CHECK_INT(calls_of("cuMemHostAlloc"), 1);
    }
    sdfg_rt_device_hold();
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(threads_meet)
{
    struct call c = { .device = { .index = 0 } };
    double x[N], sum = 0, expected = 0;
    int warps = -1, met[8] = { 0 }, mixed[4] = { 0 };
    unsigned counter = 0;
    begin(&c, &image);
    for (int i = 0; i < N; i++)
        expected += x[i] = i;
    char *there = sdfg_rt_device_alloc(c.run, sizeof x, SDFG_RT_ON_DEVICE);
    char *out = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    struct {
        void *x, *out;
        int n, careless;
    } p = { there, out, N, 0 };
    sdfg_rt_device_copy(c.run, there, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    launch(&c, SUM, 1, 256, &p, sizeof p);
    sdfg_rt_device_copy(c.run, &sum, out, sizeof sum, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK(sum == expected);
    /* Without the barriers it is wrong in some order, which the test is run in: see CMakeLists.txt. */
    p.careless = 1;
    launch(&c, SUM, 1, 256, &p, sizeof p);
    sdfg_rt_device_copy(c.run, &sum, out, sizeof sum, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    const char *order = getenv("SDFG_STANDIN_ORDER");
    CHECK((sum == expected) == (order && !strcmp(order, "reverse")));
    sdfg_rt_device_zero(c.run, out, 64, 0);
    launch(&c, WARPS, 2, 64, &out, sizeof out);
    sdfg_rt_device_copy(c.run, &warps, out, sizeof warps, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK_INT(warps, 2 * 63 * 64 / 2);
    struct {
        void *counter, *out;
    } m = { out, out + 16 };
    sdfg_rt_device_copy(c.run, out, &counter, sizeof counter, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    int64_t resident = sdfg_rt_device_resident(c.run, MEET, 32);
    CHECK_INT(resident, 8);
    launch(&c, MEET, resident, 32, &m, sizeof m);
    sdfg_rt_device_copy(c.run, met, out + 16, sizeof met, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    for (int i = 0; i < 8; i++)
        CHECK_INT(met[i], i);
    sdfg_rt_device_zero(c.run, out, 64, 0);
    launch(&c, MEET, 100, 32, &m, sizeof m); /* as many as fit */
    sdfg_rt_device_copy(c.run, met, out + 16, sizeof met, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    for (int i = 0; i < 8; i++)
        CHECK_INT(met[i], i);
    CHECK_INT(calls_of("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
    sdfg_rt_device_zero(c.run, out, 64, 0);
    launch(&c, MEET, 1, 32, &m, sizeof m); /* nobody to wait for */
    CHECK_INT(calls_of("cuLaunchKernelEx"), 2);
    struct {
        void *out;
        char a;
        double b;
        short c;
        float d;
    } k = { out, 1, 2.5, 3, 4.5f };
    launch(&c, MIXED, 1, 1, &k, sizeof k);
    sdfg_rt_device_copy(c.run, mixed, out, 1, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK_INT(mixed[0], 1);
    sdfg_rt_device_free(c.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(c.run, out, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* New memory is NaN; rows and columns; an address of the device stays what it is; pieces share a mirror. */
OWN_PROCESS(memory)
{
    struct call c = { .device = { .index = 0 } };
    double matrix[4][5], column[4], fresh[2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            matrix[i][j] = 10 * i + j;
    begin(&c, &image);
    double *there = sdfg_rt_device_mirror(c.run, matrix, sizeof matrix);
    CHECK(sdfg_rt_device_mirror(c.run, matrix[2], 16) == there + 10);
    CHECK(sdfg_rt_device_mirror(c.run, there, sizeof matrix) == there);
    sdfg_rt_device_copy(c.run, fresh, there, sizeof fresh, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK(isnan(fresh[0]) && isnan(fresh[1]));
    sdfg_rt_device_copy(c.run, there, matrix, sizeof matrix[0], 4, sizeof matrix[0], sizeof matrix[0],
                        SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_copy(c.run, column, there + 3, 8, 4, 8, sizeof matrix[0], SDFG_RT_TO_HOST, 0);
    for (int i = 0; i < 4; i++)
        CHECK(column[i] == 10 * i + 3);
    sdfg_rt_device_copy(c.run, column, there + 15, 8, 4, 8, -(int64_t)sizeof matrix[0], SDFG_RT_TO_HOST,
                        0); /* upwards */
    CHECK(column[0] == 30 && column[3] == 0);
    double *pinned = sdfg_rt_device_alloc(c.run, 16, SDFG_RT_PINNED);
    int32_t index = -1, place;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    CHECK(sdfg_rt_device_place(pinned, &place, &index, trouble) && place == SDFG_RT_PINNED);
    CHECK(sdfg_rt_device_place(matrix, &place, &index, trouble) && place == -1 && index == -1);
    CHECK(sdfg_rt_device_place(there, &place, &index, trouble) && place == SDFG_RT_ON_DEVICE && index == 0);
    pinned[0] = 1;
    sdfg_rt_device_copy(c.run, there, pinned, 8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    pinned[0] = 2; /* from the call on the host may write */
    sdfg_rt_device_copy(c.run, pinned, there, 8, 1, 0, 0, SDFG_RT_TO_HOST, 1);
    sdfg_rt_device_wait(c.run, 1);
    CHECK(pinned[0] == 1);
    sdfg_rt_device_free(c.run, pinned, SDFG_RT_PINNED);
    CHECK(!sdfg_rt_device_mirror(c.run, matrix[3], sizeof matrix));
    CHECK(says(&c, SDFG_RT_BAD_VALUE, "overlap"));
    sdfg_rt_device_end(c.run);
    begin(&c, &image);
    CHECK(!sdfg_rt_device_alloc(c.run, (int64_t)1 << 40, SDFG_RT_ON_DEVICE));
    CHECK(says(&c, SDFG_RT_OUT_OF_MEMORY, "1099511627776 bytes on the device"));
    sdfg_rt_device_end(c.run);
}

/* Ordinary memory goes through the same two pinned buffers in pieces, in both directions, and may change behind the
 * call; small and pinned memory does not, nor does any before there was enough of it, or for one thread. Without pinned
 * memory the driver has it all. */
static void copy_large(struct call *c, int64_t count, bool staged)
{
    double *x = malloc((size_t)count * sizeof *x), *y = calloc((size_t)count, sizeof *y);
    begin(c, &image);
    long in = calls_of("cuMemcpyHtoDAsync_v2"), out = calls_of("cuMemcpyDtoHAsync_v2");
    double *there = sdfg_rt_device_alloc(c->run, count * 8, SDFG_RT_ON_DEVICE);
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)i;
    sdfg_rt_device_copy(c->run, there, x, count * 8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    memset(x, 0, (size_t)count * sizeof *x);
    add(c, there, count, 1, (count + 63) / 64);
    sdfg_rt_device_copy(c->run, y, there, count * 8, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_free(c->run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    CHECK_INT(c->context.error, SDFG_RT_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++)
        wrong += y[i] != (double)i + 1;
    CHECK_INT(wrong, 0);
    int64_t piece = 4 << 20, pieces = staged ? (count * 8 / 4 < piece ? 4 : (count * 8 + piece - 1) / piece) : 1;
    CHECK_INT(calls_of("cuMemcpyHtoDAsync_v2") - in, pieces);
    CHECK_INT(calls_of("cuMemcpyDtoHAsync_v2") - out, pieces);
    free(x);
    free(y);
}

OWN_PROCESS(large_transfers_are_staged)
{
    struct call c = { .device = { .index = 0 }, .context = { .num_threads = 1 } };
    sdfg_rt_device_hold();
    copy_large(&c, (33 << 20) / 8, false);
    c.context.num_threads = 2;
    copy_large(&c, 1000, false);
    copy_large(&c, (1 << 20) / 8, false);
    CHECK_INT(calls_of("cuMemHostAlloc"), 0);
    for (int round = 0; round < 3; round++) {
        copy_large(&c, (33 << 20) / 8 + 7, true);
        copy_large(&c, (1 << 20) / 8, true);
        copy_large(&c, 200001, true);
        copy_large(&c, 100001, false);
    }
    CHECK_INT(calls_of("cuMemHostAlloc"), 1);
    CHECK_INT(calls_of("cuMemFreeHost"), 0);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Each call of the driver fails once: what is left is an error, or the right result by another way. */
OWN_PROCESS(staged_transfers_that_fail)
{
    enum { COUNT = (32 << 20) / 8 };
    static double x[COUNT], y[COUNT];
    struct call c = { .device = { .index = 0 }, .context = { .num_threads = 2 } };
    int refused = 0;
    for (long k = 1; k < 80; k += 3) {
        sdfg_rt_device_hold();
        begin(&c, &image);
        double *there = sdfg_rt_device_alloc(c.run, sizeof x, SDFG_RT_ON_DEVICE);
        for (int i = 0; i < COUNT; i++)
            x[i] = i;
        memset(y, 0, sizeof y);
        fail_at(k, 2); /* out of memory */
        sdfg_rt_device_copy(c.run, there, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
        sdfg_rt_device_copy(c.run, y, there, sizeof y, 1, 0, 0, SDFG_RT_TO_HOST, 0);
        fail_at(0, 0);
        bool right = !memcmp(x, y, sizeof x);
        CHECK(right == (c.context.error == SDFG_RT_OK));
        refused += c.context.error != SDFG_RT_OK;
        sdfg_rt_device_end(c.run);
        sdfg_rt_device_let_go();
        CHECK_INT(objects(), 0);
    }
    CHECK(refused > 5 && refused < 26);
}

/* Work in two queues is ordered where the program says so, and where they share a block that was freed. */
OWN_PROCESS(queues)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    begin(&c, &image);
    double *a = sdfg_rt_device_alloc(c.run, sizeof x, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_copy(c.run, a, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 1);
    sdfg_rt_device_order(c.run, 0, 1);
    add(&c, a, N, 5, (N + 63) / 64);
    sdfg_rt_device_order(c.run, 2, 0);
    sdfg_rt_device_copy(c.run, x, a, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 2);
    CHECK(x[0] == 5 && x[N - 1] == 5);
    add(&c, a, N, 1, (N + 63) / 64);
    sdfg_rt_device_free(c.run, a, SDFG_RT_ON_DEVICE);
    double *b = sdfg_rt_device_alloc(c.run, sizeof x, SDFG_RT_ON_DEVICE);
    CHECK(a == b);
    sdfg_rt_device_zero(c.run, b, sizeof x, 3);
    sdfg_rt_device_copy(c.run, x, b, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 3);
    sdfg_rt_device_wait(c.run, SDFG_RT_ALL_QUEUES);
    sdfg_rt_device_copy(c.run, x, b, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK(x[0] == 0);
    sdfg_rt_device_free(c.run, b, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* ---- what goes wrong ---- */

static void end_lost(struct call *c, const char *part)
{
    sdfg_rt_device_end(c->run);
    CHECK(says(c, SDFG_RT_DEVICE_FAULT, part));
    begin(c, &image);
    CHECK(!c->run && says(c, SDFG_RT_DEVICE, "lost to this process"));
}

OWN_PROCESS(memory_of_the_host)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    begin(&c, &image);
    add(&c, x, N, 1, 1);
    end_lost(&c, "kernel add of prog/state/add, line 7 with 1 x 1 x 1 blocks of 64 x 1 x 1 threads");
}

OWN_PROCESS(past_the_end)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c, &image);
    double *x = sdfg_rt_device_alloc(c.run, 64 * sizeof *x, SDFG_RT_ON_DEVICE);
    add(&c, x, 64, 1, 1);
    sdfg_rt_device_wait(c.run, 0);
    CHECK(says(&c, SDFG_RT_OK, ""));
    add(&c, x, 64, 1, 1);
    launch(&c, TRAP, 0, 1, NULL, 0); /* no blocks: not launched */
    add(&c, x, 65, 1, 2);
    end_lost(&c,
             "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered: one of the last 2 kernels");
}

OWN_PROCESS(traps_are_named_when_checked)
{
    struct call c = { .device = { .check = true } };
    begin(&c, &image);
    double *x = sdfg_rt_device_alloc(c.run, 64 * sizeof *x, SDFG_RT_ON_DEVICE);
    add(&c, x, 64, 1, 1);
    launch(&c, TRAP, 1, 1, NULL, 0);
    CHECK(says(&c, SDFG_RT_DEVICE_FAULT, ": kernel trap of prog/trap"));
    end_lost(&c, "CUDA_ERROR_LAUNCH_FAILED");
}

OWN_PROCESS(the_host_does_not_see_it)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c, &image);
    volatile double *x = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        _exit(x[0] != 0);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

OWN_PROCESS(limits)
{
    static const struct {
        int64_t shape[6];
        const char *text;
    } rows[] = {
        { { 1, 65536, 1, 1, 1, 1 }, "kernel add of prog/state/add: 65536 blocks in y, and the device allows 65535" },
        { { 1, 1, 1, 1, 1, 65 }, "65 threads in z, and the device allows 64" },
        { { 1, 1, 1, 64, 32, 1 }, "2048 threads in a block, and the device allows 1024" },
        { { (int64_t)1 << 40, 1, 1, 1, 1, 1 }, "1099511627776 blocks in x" },
    };
    struct call c = { .device = { .index = 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char params[24] = { 0 };
        begin(&c, &image);
        sdfg_rt_device_launch(c.run, ADD, rows[i].shape, params, sizeof params, 0);
        sdfg_rt_device_end(c.run);
        CHECK(says(&c, SDFG_RT_BAD_VALUE, rows[i].text));
    }
    begin(&c, &image);
    launch(&c, SUM, 1, 512, "", 24);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_BAD_VALUE, "512 threads in a block, and the device allows 256"));
    struct sdfg_rt_image other = image;
    other.arch = 100;
    other.hash[0] = 9;
    begin(&c, &other);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, "the device code is for sm_100"));
    c.device.index = 3;
    begin(&c, &image);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, "there is no device 3; 1 visible"));
}

/* Every call of the driver fails once: there is an error or the right result, and afterwards everything works. */
OWN_PROCESS(every_call_fails)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_info info;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    CHECK(sdfg_rt_device_describe(0, &info, trouble));
    CHECK_STR(info.name, "stand-in 0");
    CHECK_INT(info.arch, 90);
    sdfg_rt_device_hold();
    for (long k = 1, done = 0; k < 200 && !done; k++) {
        fail_at(k, 999);
        long before = calls_of(NULL);
        begin(&c, &image);
        whole_call(&c, x);
        bool failed = c.context.error != SDFG_RT_OK;
        CHECK(failed ? says(&c, SDFG_RT_DEVICE, "(999)") : is_right(x));
        done = calls_of(NULL) - before < k;
        fail_at(0, 0);
        begin(&c, &image);
        whole_call(&c, x);
        CHECK(says(&c, SDFG_RT_OK, "") && is_right(x));
        sdfg_rt_device_let_go();
        CHECK_INT(objects(), 0);
        sdfg_rt_device_hold();
    }
    sdfg_rt_device_let_go();
}

/* Each call of the driver that a flow makes fails once, in several ways: there is an error or the right result, and
 * afterwards it works. */
static void each_failure(bool (*flow)(struct call *c))
{
    static const int results[] = { 999, 2 };
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_info info;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    long failures = 0;
    CHECK(sdfg_rt_device_describe(0, &info, trouble)); /* opens the driver */
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        for (long k = 1, done = 0; k < 400 && !done; k++) {
            sdfg_rt_device_hold();
            fail_at(k, results[i]);
            long before = calls_of(NULL);
            bool right = flow(&c);
            failures += c.context.error != SDFG_RT_OK;
            CHECK(c.context.error != SDFG_RT_OK || right);
            done = calls_of(NULL) - before < k;
            fail_at(0, 0);
            CHECK(flow(&c) && says(&c, SDFG_RT_OK, ""));
            sdfg_rt_device_let_go();
            CHECK_INT(objects(), 0);
        }
    CHECK(failures > 10);
}

/* Copies and kernels in four queues that wait for each other, also for those that had the block before. */
static bool in_queues(struct call *c)
{
    static double x[N];
    for (int i = 0; i < N; i++)
        x[i] = i;
    begin(c, &image);
    double *a = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_copy(c->run, a, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 1);
    sdfg_rt_device_order(c->run, 0, 1);
    add(c, a, N, 5, (N + 63) / 64);
    sdfg_rt_device_order(c->run, 2, 0);
    sdfg_rt_device_copy(c->run, x, a, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 2);
    bool right = c->context.error == SDFG_RT_OK && x[0] == 5 && x[N - 1] == N + 4;
    sdfg_rt_device_free(c->run, a, SDFG_RT_ON_DEVICE);
    double *b = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(c->run, b, sizeof x, 3);
    sdfg_rt_device_copy(c->run, x, b, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 3);
    sdfg_rt_device_wait(c->run, 2);
    sdfg_rt_device_wait(c->run, SDFG_RT_ALL_QUEUES);
    sdfg_rt_device_free(c->run, b, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    return right && x[0] == 0 && x[N - 1] == 0;
}

OWN_PROCESS(every_call_fails_in_queues) { each_failure(in_queues); }

/* Launches that become a graph when they come again. */
static bool in_graphs(struct call *c)
{
    enum { LAUNCHES = 6, ROUNDS = 4 };
    static double x[N];
    bool right = true;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            x[i] = i;
        begin(c, &image);
        double *there = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_copy(c->run, there, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
        for (int k = 0; k < LAUNCHES; k++) /* the last round has other values */
            add(c, there, N, round == ROUNDS - 1 ? 2 : 1, (N + 63) / 64);
        sdfg_rt_device_copy(c->run, x, there, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 0);
        sdfg_rt_device_free(c->run, there, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_end(c->run);
        if (c->context.error != SDFG_RT_OK)
            return false;
        right &= x[7] == 7 + LAUNCHES * (round == ROUNDS - 1 ? 2 : 1);
    }
    return right;
}

/* Work that goes on when the call has ended, behind that of another stream; the end is asked for twice. */
static bool in_the_background(struct call *c)
{
    static void *const after[] = { NULL }; /* the default stream */
    struct sdfg_rt_ticket ticket = { 0 };
    c->device.async = true;
    c->device.ticket = &ticket;
    c->device.after = after;
    c->device.num_after = 1;
    begin(c, &image);
    double *a = sdfg_rt_device_alloc(c->run, N * sizeof *a, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(c->run, a, N * sizeof *a, 1);
    sdfg_rt_device_order(c->run, 0, 1);
    add(c, a, N, 5, (N + 63) / 64);
    sdfg_rt_device_zero(c->run, a, 8, 2);
    sdfg_rt_device_free(c->run, a, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    sdfg_rt_device_finished(&ticket, false);
    while (!sdfg_rt_device_finished(&ticket, true))
        ;
    if (c->context.error == SDFG_RT_OK)
        c->context.error = ticket.error;
    memset(&c->device, 0, sizeof c->device);
    return c->context.error == SDFG_RT_OK;
}

OWN_PROCESS(every_call_fails_in_the_background) { each_failure(in_the_background); }

/* Sequences of other lengths, blocks and threads have graphs of their own; the oldest are dropped. */
OWN_PROCESS(many_graphs)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    for (int steps = 4; steps < 24; steps++)
        for (int round = 0; round < 6; round++) {
            memset(x, 0, sizeof x);
            begin(&c, &image);
            double *there = sdfg_rt_device_mirror(c.run, x, sizeof x);
            sdfg_rt_device_copy(c.run, there, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
            for (int k = 0; k < steps; k++) {
                struct {
                    void *x;
                    int64_t n;
                    double by;
                } p = { there, N, 1 };
                launch(&c, ADD, round < 4 ? 16 : 8, round < 4 ? 64 : 128, &p, sizeof p);
            }
            sdfg_rt_device_copy(c.run, x, there, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 0);
            sdfg_rt_device_end(c.run);
            CHECK(says(&c, SDFG_RT_OK, "") && x[0] == steps && x[N - 1] == steps);
        }
    CHECK(calls_of("cuGraphLaunch") > 40 && calls_of("cuGraphExecDestroy") > 0);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Dynamic shared memory: as much as every device has, as must be asked for, and more than there is. */
OWN_PROCESS(shared_memory)
{
    static const struct {
        uint32_t bytes;
        const char *path, *said; /* NULL: it runs */
    } rows[] = {
        { 1024, "", NULL },
        { 100 << 10, "prog/add", NULL },
        { 100 << 20, "prog/add",
          "kernel add of prog/add: 104857600 bytes of shared memory in a block, and the device has" },
        { 100 << 20, "", "kernel add: 104857600 bytes of shared memory in a block, and the device has" },
    };
    static double x[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdfg_rt_kernel own[sizeof kernels / sizeof *kernels];
        struct sdfg_rt_image with = image;
        struct call c = { .device = { .index = 0 } };
        memcpy(own, kernels, sizeof own);
        own[ADD].shared = rows[i].bytes;
        own[ADD].path = rows[i].path;
        with.kernels = own;
        with.hash[0] = 100 + i;
        begin(&c, &with);
        whole_call(&c, x);
        CHECK(rows[i].said ? says(&c, SDFG_RT_BAD_VALUE, rows[i].said) : says(&c, SDFG_RT_OK, "") && is_right(x));
        CHECK_INT(calls_of("cuFuncSetAttribute"), i > 0);
    }
}

/* A fault names the last kernels, each once where it comes several times, and not all of many. */
OWN_PROCESS(the_last_kernels_are_named)
{
    struct call c = { .device = { .index = 0 } };
    char k[32] = { 0 };
    begin(&c, &image);
    double *x = sdfg_rt_device_alloc(c.run, N * sizeof *x, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(c.run, x, N * sizeof *x, 0);
    memcpy(k, &x, sizeof x);
    struct {
        void *x, *out;
        int n, careless;
    } p = { x, x, 4, 0 };
    for (int i = 0; i < 3; i++) {
        launch(&c, MIXED, 1, 1, k, sizeof k);
        launch(&c, SUM, 1, 64, &p, sizeof p);
        launch(&c, WARPS, 1, 32, &x, sizeof x);
        launch(&c, WARPS, 1, 32, &x, sizeof x);
        add(&c, x, N, 1, 1);
    }
    launch(&c, TRAP, 1, 1, NULL, 0);
    sdfg_rt_device_end(c.run);
    CHECK(says(
        &c, SDFG_RT_DEVICE_FAULT,
        "one of the last 16 kernels, trap of prog/trap with 1 x 1 x 1 blocks of 1 x 1 x 1 threads; add of "
        "prog/state/add, line 7 with 1 x 1 x 1 blocks of 64 x 1 x 1 threads; warps with 1 x 1 x 1 blocks of 32 x 1 "
        "x 1 threads; sum of prog/state/sum with 1 x 1 x 1 blocks of 64 x 1 x 1 threads"));
}

OWN_PROCESS(every_call_fails_in_graphs)
{
    each_failure(in_graphs);
    CHECK(calls_of("cuGraphLaunch") > 0);
}

/* ---- allocations of the runtime, not of the stand-ins: the linker wraps them ---- */

static long allocations, failing_allocation;
static char x_of_nobody[64];

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fails(void) { return ++allocations == failing_allocation; }
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *p, size_t size) { return fails() ? NULL : __real_realloc(p, size); }

/* More than one call needs: queues, events, many mirrors, timings, a place for faults. */
static void busy_call(struct call *c, double *x)
{
    struct sdfg_rt_timings timings;
    double others[20][2] = { { 0 } };
    sdfg_rt_timings_init(&timings);
    c->context.timings = &timings;
    for (int i = 0; i < 20; i++)
        sdfg_rt_device_mirror(c->run, others[i], sizeof others[i]);
    void *there = sdfg_rt_device_alloc(c->run, N * sizeof *x, SDFG_RT_ON_DEVICE);
    void *pinned = sdfg_rt_device_alloc(c->run, 100, SDFG_RT_PINNED);
    sdfg_rt_device_zero(c->run, there, N * sizeof *x, 1);
    sdfg_rt_device_order(c->run, 0, 1);
    sdfg_rt_device_faults(c->run);
    sdfg_rt_device_free(c->run, pinned, SDFG_RT_PINNED);
    sdfg_rt_device_free(c->run, there, SDFG_RT_ON_DEVICE);
    whole_call(c, x);
    sdfg_rt_timings_release(&timings);
}

OWN_PROCESS(every_allocation_fails)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    int refused = 0;
    for (long k = 1, done = 0; k < 200 && !done; k++) {
        sdfg_rt_device_hold();
        allocations = 0;
        failing_allocation = k;
        begin(&c, &image);
        busy_call(&c, x);
        done = allocations < k;
        failing_allocation = 0;
        refused += c.context.error != SDFG_RT_OK;
        CHECK(c.context.error != SDFG_RT_OK ? c.context.error == SDFG_RT_OUT_OF_MEMORY : is_right(x));
        begin(&c, &image);
        busy_call(&c, x);
        CHECK(says(&c, SDFG_RT_OK, "") && is_right(x));
        sdfg_rt_device_let_go();
        CHECK_INT(objects(), 0);
    }
    CHECK(refused > 5);
}

/* Behind a failure, and where there is no run, nothing is done. */
OWN_PROCESS(nothing_behind_a_failure)
{
    struct call c = { .device = { .index = 0 } };
    static double x[N];
    begin(&c, &image);
    char *there = sdfg_rt_device_alloc(c.run, 1024, SDFG_RT_ON_DEVICE);
    struct sdfg_rt_run *run = c.run;
    c.context.error = SDFG_RT_BAD_VALUE;
    long before = calls_of(NULL);
    for (int without = 0; without < 2; without++) {
        CHECK(!sdfg_rt_device_alloc(run, 8, SDFG_RT_ON_DEVICE) && !sdfg_rt_device_mirror(run, x, 8));
        sdfg_rt_device_copy(run, there, x, 8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
        sdfg_rt_device_zero(run, there, 8, 0);
        sdfg_rt_device_launch(run, ADD, (const int64_t[]){ 1, 1, 1, 1, 1, 1 }, x, 24, 0);
        sdfg_rt_device_order(run, 1, 0);
        sdfg_rt_device_wait(run, 0);
        sdfg_rt_device_free(run, NULL, SDFG_RT_ON_DEVICE);
        CHECK_INT(sdfg_rt_device_resident(run, MEET, 32), 1);
        CHECK(!sdfg_rt_device_faults(run));
        run = NULL;
    }
    CHECK_INT(calls_of(NULL), before);
    CHECK(!sdfg_rt_device_begin(&c.context, &image)); /* of a call that has failed */
    sdfg_rt_device_end(c.run);
    sdfg_rt_device_end(NULL);
    CHECK(says(&c, SDFG_RT_BAD_VALUE, ""));
}

static void wrong_bytes(struct sdfg_rt_run *run) { sdfg_rt_device_alloc(run, -1, SDFG_RT_ON_DEVICE); }
static void too_many_bytes(struct sdfg_rt_run *run) { sdfg_rt_device_alloc(run, INT64_MAX, SDFG_RT_ON_DEVICE); }
static void wrong_mirror(struct sdfg_rt_run *run) { sdfg_rt_device_mirror(run, &allocations, -8); }
static void wrong_copy(struct sdfg_rt_run *run)
{
    sdfg_rt_device_copy(run, &allocations, &failing_allocation, -8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
}
static void too_large_copy(struct sdfg_rt_run *run)
{
    sdfg_rt_device_copy(run, &allocations, &failing_allocation, INT64_MAX, 3, 0, 0, SDFG_RT_TO_DEVICE, 0);
}
static void wrong_kernel(struct sdfg_rt_run *run)
{
    sdfg_rt_device_launch(run, 7, (const int64_t[]){ 1, 1, 1, 1, 1, 1 }, NULL, 0, 0);
}
static void negative_kernel(struct sdfg_rt_run *run) { sdfg_rt_device_resident(run, -1, 32); }
static void wrong_params(struct sdfg_rt_run *run)
{
    sdfg_rt_device_launch(run, WARPS, (const int64_t[]){ 1, 1, 1, 32, 1, 1 }, "", 12, 0);
}
static void no_threads(struct sdfg_rt_run *run) { sdfg_rt_device_resident(run, MEET, 0); }
static void too_many_threads(struct sdfg_rt_run *run) { sdfg_rt_device_resident(run, MEET, 5000); }

OWN_PROCESS(values_that_are_refused)
{
    static const struct {
        void (*run)(struct sdfg_rt_run *run);
        const char *text;
    } rows[] = {
        { wrong_bytes, "memory of -1 bytes" },     { too_many_bytes, "memory of 9223372036854775807 bytes" },
        { wrong_mirror, "memory of -8 bytes" },    { wrong_copy, "-8 bytes" },
        { too_large_copy, "9223372036854775807" }, { wrong_kernel, "kernel 7" },
        { negative_kernel, "kernel -1" },          { wrong_params, "kernel warps: 12 bytes of parameters" },
        { no_threads, "kernel meet: 0 threads" },  { too_many_threads, "kernel meet: 5000 threads" },
    };
    struct call c = { .device = { .index = 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(&c, &image);
        rows[i].run(c.run);
        sdfg_rt_device_end(c.run);
        CHECK(says(&c, SDFG_RT_BAD_VALUE, rows[i].text));
    }
    begin(&c, &image);
    sdfg_rt_device_copy(c.run, x_of_nobody, x_of_nobody, 8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0); /* in place */
    sdfg_rt_device_copy(c.run, x_of_nobody, &c, 0, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_copy(c.run, x_of_nobody, &c, 8, 0, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_zero(c.run, x_of_nobody, 0, 0);
    CHECK(!sdfg_rt_device_mirror(c.run, NULL, 8));
    sdfg_rt_device_order(c.run, 2, 2);
    sdfg_rt_device_order(c.run, 2, -1);
    sdfg_rt_device_order(c.run, 2, 1000);
    sdfg_rt_device_wait(c.run, 3);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
    struct sdfg_rt_image other = image;
    other.abi = SDFG_RT_IMAGE_ABI + 1;
    other.hash[0] = 77;
    begin(&c, &other);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, ""));
    begin(&c, NULL); /* a run without kernels */
    launch(&c, ADD, 1, 1, "", 24);
    sdfg_rt_device_end(c.run);
    CHECK(c.context.error != SDFG_RT_OK);
}

/* ---- drivers that lack functions: the linker wraps dlsym ---- */

static const char *lacking; /* a function; NULL: the driver has all */

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
    bool hidden = lacking && (!strcmp(name, lacking) || !strcmp(name, "cuGetProcAddress_v2"));
    return hidden ? NULL : __real_dlsym(library, name);
}

static long with_graphs, without_graphs; /* launches of each that are expected */

static void does_without(void)
{
    static double x[N];
    struct sdfg_rt_timings timings;
    struct call c = { .device = { .index = 0 } };
    CHECK_INT(meet_in_graphs(&assembly, with_graphs), without_graphs);
    begin(&c, &image);
    sdfg_rt_timings_init(&timings);
    c.context.timings = &timings;
    whole_call(&c, x);
    CHECK(says(&c, SDFG_RT_OK, "") && is_right(x));
    sdfg_rt_timings_release(&timings);
}

/* Without the function for clusters and cooperative launches there is one block. */
static void does_with_one_block(void)
{
    struct call c = { .device = { .index = 0 } };
    int met[3] = { 7, 7, 7 };
    begin(&c, &assembly);
    char *there = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    struct {
        char *counter, *out;
    } m = { there, there + 16 };
    sdfg_rt_device_zero(c.run, there, 64, 0);
    launch(&c, MEET, 8, 32, &m, sizeof m);
    sdfg_rt_device_copy(c.run, met, there, sizeof met, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK_INT(met[0], 1);
    CHECK_INT(calls_of("cuLaunchKernel"), 1);
    sdfg_rt_device_free(c.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

TEST(older_drivers)
{
    static const struct {
        const char *name;
        long graphs, launches;
    } rows[] = {
        { NULL, 3, 6 },
        { "cuFuncSetAttribute", 3, 6 },
        { "cuEventElapsedTime", 3, 6 },
        { "cuOccupancyMaxActiveBlocksPerMultiprocessor", 3, 6 },
        { "cuGraphCreate", 0, 24 },
        { "cuGraphDestroy", 0, 24 },
        { "cuGraphAddKernelNode", 0, 24 },
        { "cuGraphKernelNodeSetAttribute", 0, 24 },
        { "cuGraphInstantiateWithFlags", 0, 24 },
        { "cuGraphExecKernelNodeSetParams", 0, 24 },
        { "cuGraphExecDestroy", 0, 24 },
        { "cuGraphLaunch", 0, 24 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lacking = rows[i].name;
        with_graphs = rows[i].graphs;
        without_graphs = rows[i].launches;
        if (!in_child(does_without))
            printf("without %s\n", lacking), check_failures++;
    }
    lacking = "cuLaunchKernelEx";
    CHECK(in_child(does_with_one_block));
    lacking = NULL;
}

static void opens_badly(const char *variable, const char *value, const char *part)
{
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_info info;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    setenv(variable, value, 1);
    begin(&c, &image);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, part));
    CHECK(!sdfg_rt_device_describe(0, &info, trouble));
    CHECK(strstr(trouble, part));
}

OWN_PROCESS(no_file) { opens_badly("SDFG_CUDA", "/nowhere/libcuda.so", "Tried:\n  /nowhere/libcuda.so"); }
OWN_PROCESS(another_library) { opens_badly("SDFG_CUDA", "libm.so.6", "libm.so.6: has no cuInit"); }
OWN_PROCESS(no_device) { opens_badly("SDFG_STANDIN_DEVICES", "0", "CUDA_VISIBLE_DEVICES"); }
OWN_PROCESS(for_linking) { opens_badly("SDFG_STANDIN_INIT", "34", "for linking, and no driver"); }
OWN_PROCESS(mismatch) { opens_badly("SDFG_STANDIN_INIT", "803", "of different versions"); }

int main(void)
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
