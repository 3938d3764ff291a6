/* For tests of CUDA's libraries by way of the runtime: a call without a program, and all tests of a file. */
#ifndef TESTS_GPU_RUNTIME_CALL_H
#define TESTS_GPU_RUNTIME_CALL_H

#include "runtime/device.h"

#include "tests/gpu/standins.h"

struct call {
    struct sdfg_rt_device device;
    struct sdfg_rt_context context;
};

static void begin(struct call *c)
{
    c->device.host_only = true;
    c->device.trouble[0] = 0;
    c->context = (struct sdfg_rt_context){ .device = &c->device };
    c->context.run = sdfg_rt_device_begin(&c->context, NULL);
}

/* Has the call failed with the error, and a text that has the part in it? */
static bool says(const struct call *c, enum sdfg_rt_error error, const char *part)
{
    bool good = c->context.error == (int32_t)error && strstr(c->device.trouble, part);
    if (!good)
        printf("error %d: %s\n", c->context.error, c->device.trouble);
    return good;
}

/* What `main` returns; 77: the environment does not name the driver or the library. */
static int run_tests(const char *library)
{
    if (!getenv("SDFG_CUDA") || !getenv(library))
        return 77;
    return check_run_tests();
}

#endif
