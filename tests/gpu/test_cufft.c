/* cuFFT by way of the runtime (runtime/device_fft.c), against stand-ins, which $SDFG_CUDA and $SDFG_CUFFT name. Each
 * test has a process of its own: a library stays open. */
#include "tests/gpu/runtime_call.h"

#include <complex.h>
#include <math.h>

enum { MOST = 512 };
static double complex data[MOST], result[MOST];

static int64_t elements(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

static bool transform(struct call *c, int32_t type, int32_t sign, int64_t rank, const int64_t *sizes, int64_t count)
{
    static float complex narrow[MOST];
    int64_t all = elements(sizes) * count;
    bool single = type == SDFG_RT_C64;
    void *memory = single ? (void *)narrow : (void *)result;
    int64_t bytes = all * (int64_t)(single ? sizeof *narrow : sizeof *result);
    for (int64_t i = 0; i < all; i++) {
        data[i] = CMPLX((double)(i * 7 % 5), (double)(i * 3 % 4));
        narrow[i] = (float complex)data[i];
        result[i] = data[i];
    }
    begin(c);
    struct sdfg_rt_run *run = c->context.run;
    void *there = sdfg_rt_device_alloc(run, bytes, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_copy(run, there, memory, bytes, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    sdfg_rt_device_fft(&c->context, "prog/node", type, sign, rank, sizes[0], sizes[1], sizes[2], count, there);
    sdfg_rt_device_copy(run, memory, there, bytes, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_free(run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(run);
    for (int64_t i = 0; single && i < all; i++)
        result[i] = narrow[i];
    return c->context.error == SDFG_RT_OK;
}

/* By definition. */
static double error_of(int32_t sign, const int64_t *sizes, int64_t count)
{
    double worst = 0;
    int64_t all = elements(sizes);
    for (int64_t b = 0; b < count; b++)
        for (int64_t k = 0; k < all; k++) {
            double complex sum = 0;
            int64_t k0 = k / (sizes[1] * sizes[2]), k1 = k / sizes[2] % sizes[1], k2 = k % sizes[2];
            for (int64_t i = 0; i < all; i++) {
                int64_t i0 = i / (sizes[1] * sizes[2]), i1 = i / sizes[2] % sizes[1], i2 = i % sizes[2];
                double turns = (double)(i0 * k0) / (double)sizes[0] + (double)(i1 * k1) / (double)sizes[1] +
                               (double)(i2 * k2) / (double)sizes[2];
                sum += data[b * all + i] * cexp(CMPLX(0, sign * 2 * acos(-1) * turns));
            }
            worst = fmax(worst, cabs(sum - result[b * all + k]));
        }
    return worst;
}

static const int64_t usual[] = { 12, 1, 1 };

OWN_PROCESS(transforms)
{
    struct call c = { .device = { .index = 0 } };
    static const int64_t sizes[][3] = { { 1, 1, 1 }, { 12, 1, 1 }, { 7, 1, 1 }, { 4, 6, 1 }, { 3, 2, 5 } };
    static const int64_t ranks[] = { 1, 1, 1, 2, 3 };
    for (int i = 0; i < 5; i++)
        for (int32_t type = SDFG_RT_C64; type <= SDFG_RT_C128; type++)
            for (int32_t sign = -1; sign < 2; sign += 2)
                for (int64_t count = 1; count < 4; count += 2) {
                    CHECK(transform(&c, type, sign, ranks[i], sizes[i], count));
                    CHECK(error_of(sign, sizes[i], count) < 1e-3);
                }
}

OWN_PROCESS(nothing_to_do)
{
    struct call c = { .device = { .index = 0 } };
    static const int64_t none[] = { 0, 1, 1 };
    setenv("SDFG_CUFFT", "/nowhere/libcufft.so.12", 1);
    CHECK(transform(&c, SDFG_RT_C128, 1, 1, none, 1));
    CHECK(transform(&c, SDFG_RT_C128, 1, 1, usual, 0));
}

/* Those that were used last stay. */
OWN_PROCESS(plans_are_kept)
{
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    CHECK(transform(&c, SDFG_RT_C128, 1, 1, usual, 1));
    long loaded = calls_of("cuModuleLoadData"), allocated = calls_of("cuMemAlloc_v2");
    CHECK(transform(&c, SDFG_RT_C128, -1, 1, usual, 1));
    CHECK_INT(calls_of("cuModuleLoadData"), loaded);
    CHECK_INT(calls_of("cuMemAlloc_v2"), allocated);
    for (int64_t n = 1; n < 40; n++) {
        const int64_t sizes[] = { n, 1, 1 };
        CHECK(transform(&c, SDFG_RT_C128, 1, 1, sizes, 1));
        CHECK(error_of(1, sizes, 1) < 1e-9);
        CHECK(transform(&c, SDFG_RT_C128, 1, 1, usual, 1));
        CHECK(error_of(1, usual, 1) < 1e-9);
    }
    CHECK_INT(calls_of("cuModuleLoadData"), loaded + 38);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Shapes that differ in one extent only have plans of their own. */
OWN_PROCESS(plans_of_all_extents)
{
    static const int64_t shapes[][3] = { { 4, 3, 2 }, { 4, 3, 5 }, { 4, 2, 2 }, { 2, 3, 2 } };
    struct call c = { .device = { .index = 0 } };
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 4; i++) {
            CHECK(transform(&c, SDFG_RT_C128, 1, 3, shapes[i], 1));
            CHECK(error_of(1, shapes[i], 1) < 1e-9);
        }
    CHECK_INT(calls_of("cuModuleLoadData"), 4);
}

/* A plan works in memory that another queue may still use: it waits for that queue, and the call for the plan. */
OWN_PROCESS(memory_of_another_queue)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    struct sdfg_rt_run *run = c.context.run;
    enum { BYTES = 12 * sizeof(double complex) }; /* as much as the plan works in */
    void *there = sdfg_rt_device_alloc(run, 4 * BYTES, SDFG_RT_ON_DEVICE);
    void *other = sdfg_rt_device_alloc(run, BYTES, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(run, other, BYTES, 1);
    sdfg_rt_device_free(run, other, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_fft(&c.context, "prog/node", SDFG_RT_C128, 1, 1, 12, 1, 1, 1, there);
    CHECK_INT(calls_of("cuMemAlloc_v2"), 2);
    CHECK_INT(calls_of("cuStreamWaitEvent"), 1);
    sdfg_rt_device_end(run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* The driver has no memory before it has waited for all queues: the transform is work of this call nevertheless. */
OWN_PROCESS(memory_at_the_second_attempt)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    struct sdfg_rt_run *run = c.context.run;
    void *there = sdfg_rt_device_alloc(run, 1024, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_zero(run, there, 1024, 1);
    sdfg_rt_device_fft(&c.context, "prog/node", SDFG_RT_C128, 1, 1, 12, 1, 1, 1, there);
    sdfg_rt_device_wait(run, SDFG_RT_ALL_QUEUES);
    long waits = calls_of("cuStreamSynchronize");
    sdfg_rt_device_zero(run, there, 1024, 1);
    setenv("SDFG_STANDIN_MEMORY", "8192", 1); /* two pages, which are in use */
    sdfg_rt_device_fft(&c.context, "prog/node", SDFG_RT_C128, 1, 1, 12, 1, 1, 4, there);
    CHECK(says(&c, SDFG_RT_OK, ""));
    CHECK_INT(calls_of("cuStreamSynchronize"), waits + 2); /* both queues */
    sdfg_rt_device_end(run);
    CHECK_INT(calls_of("cuStreamSynchronize"), waits + 3);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* Each call of the driver fails once; the next call works. */
static void fail_each_call(bool checked, int error)
{
    struct call c = { .device = { .index = 0, .check = checked } };
    sdfg_rt_device_hold();
    CHECK(transform(&c, SDFG_RT_C128, 1, 1, usual, 2)); /* with all that is made once */
    sdfg_rt_device_let_go();
    sdfg_rt_device_hold();
    for (long k = 1, failed = true, passed = 0; failed || passed < 3; k++) {
        fail_at(k, error);
        failed = !transform(&c, SDFG_RT_C128, 1, 1, usual, 2);
        passed = failed ? 0 : passed + 1; /* memory is asked for twice */
        CHECK(!failed || *c.device.trouble);
        CHECK(failed || error_of(1, usual, 2) < 1e-9);
        fail_at(0, 0);
        CHECK(transform(&c, SDFG_RT_C128, 1, 1, usual, 2));
        CHECK(error_of(1, usual, 2) < 1e-9);
        sdfg_rt_device_let_go(); /* plans and memory are made again */
        sdfg_rt_device_hold();
    }
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(calls_that_fail) { fail_each_call(false, 2 /* out of memory */); }
OWN_PROCESS(checked_calls_that_fail) { fail_each_call(true, 999); }

static void fails_as(const char *setting, enum sdfg_rt_error error, const char *text)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_STANDIN_CUFFT_FAIL", setting, 1);
    CHECK(!transform(&c, SDFG_RT_C64, 1, 1, usual, 1));
    CHECK(says(&c, error, text));
    unsetenv("SDFG_STANDIN_CUFFT_FAIL");
    CHECK(transform(&c, SDFG_RT_C64, 1, 1, usual, 1)); /* nothing is left of it */
    CHECK(error_of(1, usual, 1) < 1e-3);
}

OWN_PROCESS(creation_fails)
{
    fails_as("1:5", SDFG_RT_DEVICE, "cufftCreate: CUFFT_INTERNAL_ERROR (5): the transform of prog/node");
}
OWN_PROCESS(settings_fail) { fails_as("2:77", SDFG_RT_DEVICE, "cufftSetAutoAllocation: an unknown error (77)"); }
OWN_PROCESS(plans_fail) { fails_as("3:2", SDFG_RT_OUT_OF_MEMORY, "cufftMakePlanMany: CUFFT_ALLOC_FAILED (2)"); }
OWN_PROCESS(streams_fail) { fails_as("4", SDFG_RT_DEVICE, "cufftSetStream: CUFFT_EXEC_FAILED (6)"); }
OWN_PROCESS(memory_fails) { fails_as("5", SDFG_RT_DEVICE, "cufftSetWorkArea: CUFFT_EXEC_FAILED (6)"); }
OWN_PROCESS(execution_fails) { fails_as("6", SDFG_RT_DEVICE, "cufftExecC2C: CUFFT_EXEC_FAILED (6)"); }

OWN_PROCESS(sizes_beyond_the_library)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    sdfg_rt_device_fft(&c.context, "prog/node", SDFG_RT_C128, 1, 1, 1LL << 31, 1, 1, 1, data);
    sdfg_rt_device_end(c.context.run);
    CHECK(says(&c, SDFG_RT_BAD_VALUE,
               "the transform of prog/node has an extent of 2147483648, and cuFFT takes up to 2147483647"));
}

OWN_PROCESS(a_library_that_is_not_there)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_CUFFT", "/nowhere/libcufft.so.12", 1);
    CHECK(!transform(&c, SDFG_RT_C64, 1, 1, usual, 1));
    CHECK(says(&c, SDFG_RT_DEVICE,
               "cuFFT, which was there when the program was compiled, cannot be opened for "
               "prog/node. SDFG_CUFFT names its file"));
}

int main(void) { return run_tests("SDFG_CUFFT"); }
