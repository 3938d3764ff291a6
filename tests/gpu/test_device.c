/* Programs' view of a device: memory, copies, launches, queues, graphs, and what it refuses. */
#include "tests/gpu/device_call.h"

#include <math.h>
#include <signal.h>

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

/* The least block that fits, and of equal ones the first; what lies around pinned memory is ordinary. */
OWN_PROCESS(blocks_that_were_freed)
{
    enum { BLOCKS = 4, LARGE = 1 << 20 };
    static const int64_t sizes[BLOCKS] = { 64, 64, LARGE + 4096, LARGE + 1024 };
    struct call c = { .device = { .index = 0 } };
    char *blocks[BLOCKS];
    double on_stack = 5, back = 0;
    begin(&c, &image);
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = sdfg_rt_device_alloc(c.run, sizes[i], SDFG_RT_ON_DEVICE);
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < BLOCKS; i++)
            sdfg_rt_device_free(c.run, blocks[order ? i : BLOCKS - 1 - i], SDFG_RT_ON_DEVICE);
        CHECK(sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE) == blocks[0]);
        CHECK(sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE) == blocks[1]);
        CHECK(sdfg_rt_device_alloc(c.run, LARGE, SDFG_RT_ON_DEVICE) == blocks[3]);
        CHECK(sdfg_rt_device_alloc(c.run, LARGE, SDFG_RT_ON_DEVICE) == blocks[2]);
    }
    CHECK_INT(calls_of("cuMemAlloc_v2"), BLOCKS);
    sdfg_rt_device_alloc(c.run, 64, SDFG_RT_PINNED);
    sdfg_rt_device_copy(c.run, blocks[0], &on_stack, sizeof on_stack, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    on_stack = 6; /* was copied before */
    static double below = 4;
    sdfg_rt_device_copy(c.run, blocks[0] + 8, &below, sizeof below, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_copy(c.run, &back, blocks[0], sizeof back, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, "") && back == 5);
}

/* Blocks in two dimensions make no cluster, and fit on the device together. */
OWN_PROCESS(blocks_in_two_dimensions)
{
    struct call c = { .device = { .index = 0 } };
    int met[8] = { 0 };
    begin(&c, &image);
    char *there = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    struct {
        char *counter, *out;
    } m = { there, there + 16 };
    sdfg_rt_device_zero(c.run, there, 64, 0);
    sdfg_rt_device_launch(c.run, MEET, (const int64_t[]){ 2, 2, 1, 32, 1, 1 }, &m, sizeof m, 0);
    sdfg_rt_device_copy(c.run, met, there, sizeof met, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    CHECK_INT(met[0], 4);
    CHECK_INT(calls_of("cuEventRecord"), 1);
    CHECK_INT(sdfg_rt_device_resident(c.run, MEET, 64), 8);
    CHECK_INT(sdfg_rt_device_resident(c.run, MEET, 32), 8);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
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
    for (long k = 1; k < 80; k += k < 12 ? 1 : 3) {
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
    CHECK(refused > 5 && refused < 34);
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
    static const struct {
        bool text;
        uint32_t arch;
        const char *said;
    } others[] = {
        { false, 100, "the device code is for sm_100" },
        { false, 95, "the device code is for sm_95" },
        { false, 80, "the device code is for sm_80" },
        { true, 100, "the device code is for sm_100" },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct sdfg_rt_image other = others[i].text ? assembly : image;
        other.arch = others[i].arch;
        other.hash[1] = 9;
        begin(&c, &other);
        CHECK(!c.run && says(&c, SDFG_RT_DEVICE, others[i].said));
    }
    c.device.index = 3;
    begin(&c, &image);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, "there is no device 3; 1 visible"));
    fail_at(2, 999); /* the number of devices */
    begin(&c, &image);
    fail_at(0, 0);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, "device 3: cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"));
}

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

/* Sequences with as many launches and parameters have graphs of their own where kernels differ, blocks that wait for
 * each other or not, or the size of clusters. */
OWN_PROCESS(graphs_that_look_alike)
{
    enum { STEPS = 4, ROUNDS = 3 };
    static const struct {
        int kernel, blocks, threads;
    } rows[] = { { WARPS, 1, 32 }, { MEET, 1, 32 }, { MEET, 2, 32 }, { MEET, 4, 32 }, { WARPS, 1, 64 } };
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            unsigned found[STEPS][16] = { { 0 } };
            begin(&c, &image);
            char *there = sdfg_rt_device_alloc(c.run, sizeof found, SDFG_RT_ON_DEVICE);
            sdfg_rt_device_zero(c.run, there, sizeof found, 0);
            for (int k = 0; k < STEPS; k++) {
                struct {
                    char *counter, *out;
                } m = { there + k * 64, there + k * 64 + 16 };
                launch(&c, rows[r].kernel, rows[r].blocks, rows[r].threads, &m, rows[r].kernel == MEET ? 16 : 8);
            }
            sdfg_rt_device_copy(c.run, found, there, sizeof found, 1, 0, 0, SDFG_RT_TO_HOST, 0);
            sdfg_rt_device_free(c.run, there, SDFG_RT_ON_DEVICE);
            sdfg_rt_device_end(c.run);
            CHECK(says(&c, SDFG_RT_OK, ""));
            unsigned all = (unsigned)(rows[r].threads * (rows[r].threads - 1) / 2);
            for (int k = 0; k < STEPS; k++)
                CHECK_INT(found[k][0], rows[r].kernel == MEET ? (unsigned)rows[r].blocks : all);
        }
    /* the last row has the graph of the first one, with other threads */
    CHECK_INT(calls_of("cuGraphInstantiateWithFlags"), 4);
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

/* Names that leave no room for others are cut off. */
OWN_PROCESS(long_names)
{
    static char path[900];
    struct sdfg_rt_kernel own[sizeof kernels / sizeof *kernels];
    struct sdfg_rt_image with = image;
    struct call c = { .device = { .index = 0 } };
    memset(path, 'x', sizeof path - 1);
    memcpy(own, kernels, sizeof own);
    own[TRAP].path = path;
    with.kernels = own;
    with.hash[0] = 98;
    begin(&c, &with);
    double *x = sdfg_rt_device_alloc(c.run, 64 * sizeof *x, SDFG_RT_ON_DEVICE);
    add(&c, x, 64, 1, 1);
    launch(&c, TRAP, 1, 1, NULL, 0);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_DEVICE_FAULT, "one of the last 2 kernels, trap of xxxx"));
    CHECK(!strstr(c.device.trouble, "add") && strlen(c.device.trouble) < sizeof path);
}

/* Engines are counted. */
OWN_PROCESS(the_last_engine)
{
    static double x[N];
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    sdfg_rt_device_hold();
    begin(&c, &image);
    whole_call(&c, x);
    sdfg_rt_device_let_go();
    CHECK(objects() > 0);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

int main(void) { return run_tests(); }
