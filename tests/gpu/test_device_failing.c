/* Programs' view of a device while calls of the driver and allocations fail, one after the other; values that are
 * refused; drivers that lack functions, and files that are none. */
#include "runtime/mpi.h"
#include "tests/gpu/device_call.h"

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

OWN_PROCESS(every_call_fails_in_graphs)
{
    each_failure(in_graphs);
    CHECK(calls_of("cuGraphLaunch") > 0);
}

/* Blocks that wait for each other, alone and in graphs. */
static bool meet_thrice(struct call *c, const struct sdfg_rt_image *code)
{
    bool right = true;
    for (int round = 0; round < 3 && right; round++)
        right = meet(c, code) && c->context.error == SDFG_RT_OK;
    return right;
}

static bool in_meetings(struct call *c) { return meet_thrice(c, &assembly); }
static bool in_clusters(struct call *c) { return meet_thrice(c, &image); }

OWN_PROCESS(every_call_fails_in_meetings) { each_failure(in_meetings); }
OWN_PROCESS(every_call_fails_in_clusters) { each_failure(in_clusters); }

/* A kernel in a queue of its own, and some that nothing but a wait gives to the driver; pinned memory. */
static bool with_waits(struct call *c)
{
    static double x[N];
    const int64_t shape[] = { (N + 63) / 64, 1, 1, 64, 1, 1 };
    memset(x, 0, sizeof x);
    begin(c, &image);
    double *there = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_ON_DEVICE);
    double *pinned = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_PINNED);
    struct {
        void *x;
        int64_t n;
        double by;
    } p = { there, N, 3 };
    sdfg_rt_device_zero(c->run, there, sizeof x, 1);
    sdfg_rt_device_launch(c->run, ADD, shape, &p, sizeof p, 1);
    sdfg_rt_device_order(c->run, 0, 1);
    sdfg_rt_device_launch(c->run, ADD, shape, &p, sizeof p, 0);
    sdfg_rt_device_wait(c->run, 0);
    sdfg_rt_device_copy(c->run, pinned, there, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 2);
    sdfg_rt_device_wait(c->run, SDFG_RT_ALL_QUEUES);
    sdfg_rt_device_launch(c->run, ADD, shape, &p, sizeof p, 3); /* which is of no use any more */
    if (c->context.error == SDFG_RT_OK)
        memcpy(x, pinned, sizeof x);
    sdfg_rt_device_free(c->run, pinned, SDFG_RT_PINNED);
    sdfg_rt_device_free(c->run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    return x[0] == 6 && x[N - 1] == 6;
}

OWN_PROCESS(every_call_fails_with_waits) { each_failure(with_waits); }

/* With times of everything. */
static bool timed(struct call *c)
{
    static double x[N];
    struct sdfg_rt_timings timings;
    sdfg_rt_timings_init(&timings);
    begin(c, &image);
    c->context.timings = &timings;
    whole_call(c, x);
    bool right = is_right(x) && timings.count >= 4;
    sdfg_rt_timings_release(&timings);
    return right;
}

OWN_PROCESS(every_call_fails_with_times) { each_failure(timed); }

/* Messages of the only process, from and to rows of the device with gaps between, and a mean, which is computed here.
 */
static bool with_messages(struct call *c)
{
    enum { ROWS = 10, ROW = N / ROWS, SENT = ROW / 2 };
    static const int64_t layout[] = { SDFG_RT_MPI_FLOAT64, 2, ROWS, SENT, ROW, 1 };
    static double x[N], y[N];
    struct sdfg_rt_mpi mpi = { .has_communicator = false };
    for (int i = 0; i < N; i++)
        x[i] = i, y[i] = -1;
    begin(c, &image);
    c->context.run = c->run;
    c->context.mpi = &mpi;
    double *a = sdfg_rt_device_alloc(c->run, sizeof x, SDFG_RT_ON_DEVICE);
    double *b = sdfg_rt_device_alloc(c->run, sizeof y, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_copy(c->run, a, x, sizeof x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_copy(c->run, b, y, sizeof y, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    add(c, a, N, 5, (N + 63) / 64);
    sdfg_rt_device_wait(c->run, 0);
    sdfg_rt_mpi_collective(&c->context, "prog/mean", NULL, SDFG_RT_MPI_ALLREDUCE, SDFG_RT_MPI_AVERAGE, a, layout, b,
                           layout, 0, false);
    sdfg_rt_mpi_send(&c->context, "prog/send", NULL, b, layout, 0, 3);
    if (c->context.error == SDFG_RT_OK)
        sdfg_rt_mpi_recv(&c->context, "prog/recv", NULL, a, layout, 0, 3);
    sdfg_rt_device_copy(c->run, x, a, sizeof x, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_copy(c->run, y, b, sizeof y, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_free(c->run, a, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(c->run, b, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->run);
    bool right = true;
    for (int i = 0; i < N; i++)
        right = right && x[i] == i + 5 && y[i] == (i % ROW < SENT ? i + 5 : -1);
    return right;
}

OWN_PROCESS(every_call_fails_with_messages)
{
    unsetenv("SDFG_MPI");
    each_failure(with_messages);
}

/* In a context of the caller, which is forgotten with the last engine. */
static void *of_caller;

static bool in_a_context(struct call *c)
{
    static double x[N];
    c->device.cuda_context = of_caller;
    begin(c, &image);
    whole_call(c, x);
    return is_right(x);
}

static void make_context(int device)
{
    int (*create)(void **, unsigned, int);
    struct sdfg_rt_device_info info;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    CHECK(sdfg_rt_device_describe(0, &info, trouble)); /* starts the driver */
    void *f = standin("SDFG_CUDA", "cuCtxCreate_v2");
    memcpy(&create, &f, sizeof create);
    CHECK_INT(create(&of_caller, 0, device), 0);
}

OWN_PROCESS(every_call_fails_in_a_context)
{
    make_context(0);
    each_failure(in_a_context);
}

/* Contexts of one device have their own streams and images; what the caller has destroyed is only forgotten. */
OWN_PROCESS(contexts_side_by_side)
{
    static double x[N];
    struct call of_context = { .device = { .index = 0 } }, plain = { .device = { .index = 0 } };
    make_context(0);
    sdfg_rt_device_hold();
    for (int i = 0; i < 3; i++) {
        CHECK(in_a_context(&of_context) && says(&of_context, SDFG_RT_OK, ""));
        begin(&plain, &image);
        whole_call(&plain, x);
        CHECK(is_right(x) && says(&plain, SDFG_RT_OK, ""));
    }
    CHECK_INT(calls_of("cuModuleLoadData"), 2);
    fail_at(1, 201); /* CUDA_ERROR_INVALID_CONTEXT */
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(contexts_of_other_devices)
{
    struct call c = { .device = { .index = 0 } };
    make_context(1);
    CHECK(!in_a_context(&c));
    CHECK(says(&c, SDFG_RT_BAD_VALUE, "the caller's context is none, or not of device 0"));
}

/* Memory of one device is none of another one's. */
OWN_PROCESS(memory_of_other_devices)
{
    struct call c = { .device = { .index = 1 } };
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    int32_t place, index = -1;
    setenv("SDFG_STANDIN_DEVICES", "2", 1);
    begin(&c, &image);
    void *there = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    CHECK(sdfg_rt_device_mirror(c.run, there, 64) == there);
    CHECK(sdfg_rt_device_place(there, &place, &index, trouble) && place == SDFG_RT_ON_DEVICE && index == 1);
    c.device.index = 0;
    struct call other = { .device = { .index = 0 } };
    begin(&other, &image);
    CHECK(!sdfg_rt_device_mirror(other.run, there, 64));
    sdfg_rt_device_end(other.run);
    CHECK(says(&other, SDFG_RT_BAD_VALUE, "is on device 1, and the program runs on device 0"));
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* Drivers that call memory that they do not know an error, and those that do not answer. */
OWN_PROCESS(memory_that_the_driver_does_not_know)
{
    static double x[8];
    struct call c = { .device = { .index = 0 } };
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    int32_t place, index = -1;
    begin(&c, &image);
    fail_at(1, 1); /* CUDA_ERROR_INVALID_VALUE */
    CHECK(sdfg_rt_device_mirror(c.run, x, sizeof x));
    fail_at(1, 1);
    CHECK(sdfg_rt_device_place(x, &place, &index, trouble) && place == -1);
    fail_at(1, 999);
    CHECK(!sdfg_rt_device_place(x, &place, &index, trouble) && strstr(trouble, "cuPointerGetAttributes"));
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* Who is not asked for a device has the first one, and hears no text. */
OWN_PROCESS(calls_without_a_device)
{
    static double x[N];
    struct call c = { .device = { .index = 7 } };
    c.run = sdfg_rt_device_begin(&c.context, &image);
    whole_call(&c, x);
    CHECK(c.context.error == SDFG_RT_OK && is_right(x));
    c.run = sdfg_rt_device_begin(&c.context, &image);
    fail_at(1, 999);
    whole_call(&c, x);
    CHECK_INT(c.context.error, SDFG_RT_DEVICE);
}

/* The stream of the call is among those whose work comes first. */
OWN_PROCESS(behind_itself)
{
    static double x[N];
    static void *const after[] = { NULL };
    struct call c = { .device = { .index = 0, .has_stream = true, .after = after, .num_after = 1 } };
    begin(&c, &image);
    whole_call(&c, x);
    CHECK(says(&c, SDFG_RT_OK, "") && is_right(x));
    CHECK_INT(calls_of("cuStreamWaitEvent"), 0);
}

/* Asynchronous runs of which nobody asks for the end, or without work; what needs their memory waits for them. */
OWN_PROCESS(memory_of_runs_in_the_background)
{
    enum { LESS = 40000, MORE = 45000 };
    struct call c = { .device = { .index = 0, .async = true } };
    setenv("SDFG_STANDIN_MEMORY", "65536", 1);
    begin(&c, &image);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
    begin(&c, &image);
    void *there = sdfg_rt_device_alloc(c.run, LESS, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(c.run, there, LESS, 0);
    sdfg_rt_device_free(c.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
    c.device.async = false;
    begin(&c, &image);
    long waits = calls_of("cuEventSynchronize");
    CHECK(sdfg_rt_device_alloc(c.run, MORE, SDFG_RT_ON_DEVICE));
    CHECK_INT(calls_of("cuEventSynchronize"), waits + 1);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* Results of the driver behind which the device is of no use any more. */
static int fault_of_device;

/* When it gets the kernel, at once or where the host waits. */
static void is_lost_in_a_launch(void)
{
    for (int checked = 0; checked < 2; checked++) {
        struct call c = { .device = { .index = checked, .check = checked } };
        setenv("SDFG_STANDIN_DEVICES", "2", 1);
        begin(&c, &image);
        void *there = sdfg_rt_device_alloc(c.run, N * sizeof(double), SDFG_RT_ON_DEVICE);
        sdfg_rt_device_zero(c.run, there, N * sizeof(double), 0);
        add(&c, there, 0, 1, 1);
        fail_at(1, fault_of_device);
        add(&c, there, 0, 1, 1);
        sdfg_rt_device_wait(c.run, 0);
        sdfg_rt_device_end(c.run);
        CHECK(says(&c, SDFG_RT_DEVICE_FAULT, "cuLaunchKernel: ") && strstr(c.device.trouble, "add of prog/state/add"));
    }
}

static void is_lost(void)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c, &image);
    void *there = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    fail_at(1, fault_of_device);
    sdfg_rt_device_zero(c.run, there, 64, 0);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_DEVICE_FAULT, "cuStreamCreate: ") && !strstr(c.device.trouble, "kernel"));
    begin(&c, &image);
    CHECK(!c.run && says(&c, SDFG_RT_DEVICE, "lost to this process"));
}

TEST(faults)
{
    static const int results[] = { 700, 702, 710, 714, 715, 719 };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        fault_of_device = results[i];
        CHECK(in_child(is_lost));
        CHECK(in_child(is_lost_in_a_launch));
    }
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

/* The same of other flows. */
static void each_allocation(bool (*flow)(struct call *c))
{
    struct call c = { .device = { .index = 0 } };
    int refused = 0;
    sdfg_rt_device_hold();
    CHECK(flow(&c)); /* what is made once in a process is there */
    sdfg_rt_device_let_go();
    for (long k = 1, done = 0; k < 200 && !done; k++) {
        sdfg_rt_device_hold();
        allocations = 0;
        failing_allocation = k;
        bool right = flow(&c);
        done = allocations < k;
        failing_allocation = 0;
        refused += c.context.error != SDFG_RT_OK;
        CHECK(c.context.error != SDFG_RT_OK ? c.context.error == SDFG_RT_OUT_OF_MEMORY : right);
        CHECK(flow(&c) && says(&c, SDFG_RT_OK, ""));
        sdfg_rt_device_let_go();
        CHECK_INT(objects(), 0);
    }
    CHECK(refused > 1);
}

OWN_PROCESS(every_allocation_fails_in_graphs) { each_allocation(in_graphs); }
OWN_PROCESS(every_allocation_fails_in_the_background) { each_allocation(in_the_background); }
OWN_PROCESS(every_allocation_fails_in_meetings) { each_allocation(in_meetings); }
OWN_PROCESS(every_allocation_fails_with_messages)
{
    unsetenv("SDFG_MPI");
    each_allocation(with_messages);
}
OWN_PROCESS(every_allocation_fails_with_times) { each_allocation(timed); }

/* More of them than are kept: those that there are are told first, and what comes behind them is waited for, too. */
OWN_PROCESS(many_timings)
{
    enum { KEPT = 4096 };
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_timings timings;
    sdfg_rt_timings_init(&timings);
    begin(&c, &image);
    c.context.timings = &timings;
    void *there = sdfg_rt_device_alloc(c.run, 64, SDFG_RT_ON_DEVICE);
    for (int i = 0; i < KEPT; i++)
        sdfg_rt_device_zero(c.run, there, 64, 0);
    CHECK_INT(calls_of("cuStreamSynchronize"), 0);
    sdfg_rt_device_zero(c.run, there, 64, 1);
    CHECK_INT(calls_of("cuStreamSynchronize"), 2); /* both queues */
    sdfg_rt_device_wait(c.run, 1);
    CHECK_INT(calls_of("cuStreamSynchronize"), 3);
    sdfg_rt_device_end(c.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
    int64_t clears = 0;
    for (size_t i = 0; i < (size_t)timings.count; i++)
        clears += !strcmp(timings.items[i].element->name, "Clear");
    CHECK_INT(clears, KEPT + 1);
    sdfg_rt_timings_release(&timings);
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
static void wrong_queue(struct sdfg_rt_run *run) { sdfg_rt_device_zero(run, x_of_nobody, 8, 1000); }
static void negative_queue(struct sdfg_rt_run *run) { sdfg_rt_device_zero(run, x_of_nobody, 8, -1); }
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
        { wrong_queue, "no queue 1000" },          { negative_queue, "no queue -1" },
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
    sdfg_rt_device_free(c.run, x_of_nobody, SDFG_RT_ON_DEVICE); /* no block of ours */
    void *mirror = sdfg_rt_device_mirror(c.run, x_of_nobody, 8);
    sdfg_rt_device_free(c.run, mirror, SDFG_RT_ON_DEVICE); /* stays until the end */
    CHECK(sdfg_rt_device_mirror(c.run, x_of_nobody, 8) == mirror);
    sdfg_rt_device_copy(c.run, x_of_nobody, x_of_nobody, 8, 1, 0, 0, SDFG_RT_TO_DEVICE, 0); /* in place */
    sdfg_rt_device_copy(c.run, x_of_nobody, &c, 0, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_copy(c.run, x_of_nobody, &c, 8, 0, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_zero(c.run, x_of_nobody, 0, 0);
    CHECK(!sdfg_rt_device_mirror(c.run, NULL, 8));
    sdfg_rt_device_order(c.run, 2, 2);
    sdfg_rt_device_order(c.run, 2, -1);
    sdfg_rt_device_order(c.run, 2, 1000);
    sdfg_rt_device_order(c.run, 2, 3); /* where nothing is */
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

/* More than every device has, which nobody can ask for. */
static void does_without_shared_memory(void)
{
    static double x[N];
    struct sdfg_rt_kernel own[sizeof kernels / sizeof *kernels];
    struct sdfg_rt_image with = image;
    struct call c = { .device = { .index = 0 } };
    memcpy(own, kernels, sizeof own);
    own[ADD].shared = 100 << 10;
    with.kernels = own;
    with.hash[0] = 99;
    begin(&c, &with);
    whole_call(&c, x);
    CHECK(says(&c, SDFG_RT_BAD_VALUE, "102400 bytes of shared memory in a block"));
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
    lacking = "cuFuncSetAttribute";
    CHECK(in_child(does_without_shared_memory));
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
OWN_PROCESS(newer_than_the_kernel) { opens_badly("SDFG_STANDIN_INIT", "804", "is newer than what the driver"); }
OWN_PROCESS(does_not_start) { opens_badly("SDFG_STANDIN_INIT", "999", "the driver does not start"); }
OWN_PROCESS(no_name)
{
    if (!dlopen("libcuda.so.1", RTLD_NOW)) /* there is no GPU */
        opens_badly("SDFG_CUDA", "", "Tried:\n  libcuda.so.1: cannot open");
}
OWN_PROCESS(mismatch) { opens_badly("SDFG_STANDIN_INIT", "803", "of different versions"); }
int main(void) { return run_tests(); }
