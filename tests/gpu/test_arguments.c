/* Arguments of the C interface that lie on a GPU, for which the stand-ins are: used in place, behind the work of the
 * caller's streams, and told apart from memory of the host. Arguments: the folder of examples, that of these tests. */
#include "tests/gpu/caller.h"

static char axpy[PATH_MAX], transform[PATH_MAX];

/* ---- in place ---- */

OWN_PROCESS(arguments_on_the_device_are_used_in_place)
{
    struct caller h;
    start(0);
    open_program(&h, "cuda", axpy);
    void *there = on_device(x, BYTES), *result = on_device(y, BYTES);
    CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
    CHECK_STR(give(&h, "X", there, SDFG_DEVICE_CUDA, 0), "");
    CHECK_STR(give(&h, "Y", result, SDFG_DEVICE_CUDA, 0), "");
    long moved = bytes_moved();
    CHECK_STR(call(&h), "");
    CHECK_INT(bytes_moved(), moved);
    CHECK(is_right(values_of(result, BYTES)));
    CHECK_INT(driver.free((address)(uintptr_t)there) | driver.free((address)(uintptr_t)result), 0);
    close_program(&h);
    CHECK_INT(objects(), 0);
}

/* X on the host, Y on the device, of which nothing is said; again, bound. */
OWN_PROCESS(each_argument_lies_where_it_lies)
{
    struct caller h;
    sdfg_bound *bound;
    start(0);
    open_program(&h, "cuda:0", axpy);
    void *result = on_device(y, BYTES), *pinned = NULL;
    CHECK_INT(driver.host_alloc(&pinned, BYTES, 0), 0);
    CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_CPU, 0), "");
    CHECK_STR(give(&h, "Y", result, SDFG_DEVICE_DEFAULT, 0), "");
    long moved = bytes_moved();
    CHECK_STR(call(&h), "");
    CHECK_INT(bytes_moved() - moved, BYTES);
    CHECK(is_right(values_of(result, BYTES)));
    CHECK_STR(give(&h, "X", memset(pinned, 0, BYTES), SDFG_DEVICE_CUDA_HOST, 0), "");
    CHECK_STR(give(&h, "Y", result, SDFG_DEVICE_CUDA, -1), "");
    CHECK_STR(said(sdfg_bind(&bound, h.program, h.args)), "");
    CHECK_STR(said(sdfg_bound_call(bound)), "");
    CHECK(is_right(values_of(result, BYTES)));
    sdfg_bound_free(bound);
    close_program(&h);
}

/* What another package has asked a stream to do comes first, if that is said. */
OWN_PROCESS(calls_come_behind_streams)
{
    struct caller h;
    void *stream = NULL;
    start(0);
    open_program(&h, "cuda", axpy);
    void *there = on_device(y, BYTES), *result = on_device(y, BYTES);
    CHECK_INT(driver.stream(&stream, 1), 0);
    for (int told = 0; told < 2; told++) {
        CHECK_INT(driver.copy_in((address)(uintptr_t)there, x, BYTES, stream), 0);
        CHECK_INT(driver.copy_in((address)(uintptr_t)result, y, BYTES, NULL) | driver.wait(NULL), 0);
        CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
        CHECK_STR(give(&h, "X", there, SDFG_DEVICE_CUDA, 0), "");
        CHECK_STR(give(&h, "Y", result, SDFG_DEVICE_CUDA, 0), "");
        if (told)
            CHECK_STR(said(sdfg_args_after(h.args, stream)), "");
        CHECK_STR(call(&h), "");
        CHECK(is_right(values_of(result, BYTES)) == told);
        CHECK_INT(driver.wait(stream), 0);
        CHECK_INT(driver.copy_in((address)(uintptr_t)there, y, BYTES, NULL) | driver.wait(NULL), 0);
    }
    sdfg_args_clear(h.args); /* forgets the stream */
    CHECK_INT(driver.destroy(stream), 0);
    CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(give(&h, "Y", y, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(call(&h), "");
    CHECK(is_right(y));
    close_program(&h);
}

/* The CPU for little work, the device for what lies there already. */
OWN_PROCESS(calls_choose_where_they_run)
{
    struct caller h;
    start(0);
    open_program(&h, "auto", axpy);
    void *there = on_device(x, BYTES), *result = on_device(y, BYTES);
    for (long round = 0, asked = 0; round < 4; round++) {
        bool device = round % 2;
        long launches = calls_of("cuLaunchKernel");
        CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
        CHECK_STR(give(&h, "X", device ? there : x, SDFG_DEVICE_DEFAULT, 0), "");
        CHECK_STR(give(&h, "Y", device ? result : y, SDFG_DEVICE_DEFAULT, 0), "");
        CHECK_STR(call(&h), "");
        CHECK_INT(calls_of("cuLaunchKernel") - launches, device);
        CHECK(round < 2 || calls_of("cuDeviceGetName") == asked);
        asked = calls_of("cuDeviceGetName");
        CHECK(round > 1 || is_right(device ? values_of(result, BYTES) : y));
    }
    close_program(&h);
}

/* ---- code of the host ---- */

static void give_on_device(struct caller *h, const char *name, void *data, int64_t size)
{
    const sdfg_device device = { SDFG_DEVICE_CUDA, 0 };
    CHECK_STR(said(sdfg_args_array(
                  h->args, name,
                  SDFG_ARRAY(.data = data, .dtype = SDFG_C128, .rank = 1, .shape = { size }, .device = device))),
              "");
}

/* A library routine of the host computes in the place of the device. */
OWN_PROCESS(code_of_the_host_gets_copies)
{
    enum { SIZE = 64 };
    struct caller h;
    double a[2 * SIZE] = { 8 }, c[2 * SIZE] = { 0 };
    start(0);
    open_program(&h, "cuda", transform);
    void *stream = NULL, *signal = on_device(c, sizeof a), *result = on_device(c, sizeof c);
    give_on_device(&h, "x", signal, SIZE);
    give_on_device(&h, "y", result, SIZE);
    CHECK_INT(driver.stream(&stream, 1) | driver.copy_in((address)(uintptr_t)signal, a, sizeof a, stream), 0);
    CHECK_STR(said(sdfg_args_after(h.args, stream)), "");
    CHECK_STR(call(&h), "");
    const double *found = values_of(result, sizeof c);
    for (int i = 0; i < SIZE; i++)
        CHECK(found[2 * i] == 8 && found[2 * i + 1] == 0);
    give_on_device(&h, "y", signal, SIZE);
    CHECK_STR(said(sdfg_args_disjoint(h.args)), "");
    CHECK(strstr(call(&h), "ARGUMENT_DEVICE_SHARED: 'x' and 'y' are the same memory"));
    close_program(&h);
}

/* ---- errors ---- */

OWN_PROCESS(memory_is_not_where_it_was_said_to_be)
{
    struct caller h;
    setenv("SDFG_STANDIN_DEVICES", "2", 1);
    start(1);
    open_program(&h, "cuda", axpy);
    void *other = on_device(x, BYTES);
    CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
    CHECK_STR(give(&h, "Y", y, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_CUDA, 0), "");
    CHECK(strstr(call(&h), "ARGUMENT_DEVICE_WRONG: 'X' was given as memory of CUDA device 0, but its address is in "
                           "ordinary memory of the host"));
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_CUDA_HOST, 0), "");
    CHECK(strstr(call(&h), "ARGUMENT_DEVICE_WRONG: 'X' was given as memory of the host, pinned for CUDA device 0"));
    CHECK_STR(give(&h, "X", other, SDFG_DEVICE_CUDA, 0), "");
    CHECK(strstr(call(&h), "but its address is in CUDA device 1"));
    CHECK_STR(give(&h, "X", other, SDFG_DEVICE_CUDA, 1), "");
    CHECK(strstr(call(&h), "ARGUMENT_DEVICE_OTHER: 'X' is memory of CUDA device 1, and the program runs on device 0"));
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_DEFAULT, 0), "");
    CHECK_STR(call(&h), "");
    CHECK(is_right(y));
    CHECK(strstr(said(sdfg_args_array(h.args, "alpha",
                                      SDFG_ARRAY(.data = other, .dtype = SDFG_F64, .device = { SDFG_DEVICE_CUDA, 1 }))),
                 "ARGUMENT_DEVICE_PART: 'alpha'"));
    close_program(&h);
}

OWN_PROCESS(programs_on_the_cpu_do_not_reach_devices)
{
    struct caller h;
    start(0);
    open_program(&h, "cpu", axpy);
    CHECK(strstr(give(&h, "X", on_device(x, BYTES), SDFG_DEVICE_CUDA, 0),
                 "ARGUMENT_DEVICE: 'X' is memory of CUDA device 0, and programs run on the CPU"));
    CHECK(strstr(give(&h, "X", x, SDFG_DEVICE_CUDA, -1), "'X' is memory of a CUDA device,"));
    CHECK(strstr(said(sdfg_args_after(h.args, NULL)), "DEVICE_STREAM"));
    CHECK_STR(said(sdfg_args_f64(h.args, "alpha", 2)), "");
    CHECK_STR(give(&h, "X", x, SDFG_DEVICE_CUDA_HOST, 0), "");
    CHECK_STR(give(&h, "Y", y, SDFG_DEVICE_CPU, 0), "");
    CHECK_STR(call(&h), "");
    CHECK(is_right(y));
    close_program(&h);
}

int main(int argc, char **argv)
{
    if (argc < 3 || !getenv("SDFG_CUDA") || !getenv("SDFG_NVRTC"))
        return 77;
    snprintf(axpy, sizeof axpy, "%s/axpy.sdfg", argv[1]);
    snprintf(transform, sizeof transform, "%s/../../run/library/fft_power_of_two/prog.sdfg", argv[2]);
    return run_tests();
}
