/* What the engine says to the runtime about the GPU of a call, and what callers see if something fails there. */
#include "engine/call/device.h"

#include "tests/unit/check.h"

static void check(enum sdfg_rt_error error, enum sdfg_error_class class, const char *message)
{
    struct sdfg_engine engine = { .cuda_device = 2, .options = { .check = SDFG_CHECK_BOUNDS } };
    struct sdfg_program program = { .engine = &engine };
    struct sdfg_kernel kernel = { .program = &program, .signature = { .device = true } };
    struct sdfg_rt_device device;
    struct sdfg_rt_context context = { .error = SDFG_RT_OK };
    memset(&device, 0xff, sizeof device);
    device_enter(&kernel, &device, &context);
    CHECK(context.device == &device);
    CHECK(device.index == 2 && device.check && !device.async && !device.has_stream && !device.cuda_context);
    context.error = error;
    CHECK(!device_explains(&context));
    snprintf(device.trouble, sizeof device.trouble, "why");
    CHECK(device_explains(&context));
    sdfg_error *e = device_error(&context);
    CHECK_INT(sdfg_error_class_of(e), class);
    CHECK_STR(sdfg_error_message(e), message);
    sdfg_error_free(e);
}

TEST(errors)
{
    check(SDFG_RT_DEVICE, SDFG_ERROR_ENVIRONMENT, "the GPU cannot run the program: why");
    check(SDFG_RT_OUT_OF_MEMORY, SDFG_ERROR_ENVIRONMENT, "out of memory for the GPU: why");
    check(SDFG_RT_BAD_VALUE, SDFG_ERROR_INVALID, "the program asks the GPU for what it cannot do: why");
    check(SDFG_RT_DEVICE_FAULT, SDFG_ERROR_INVALID, "code of the program failed on the GPU: why");
}

TEST(on_the_cpu)
{
    struct sdfg_engine engine = { .cuda_device = 0, .device_auto = true };
    struct sdfg_program program = { .engine = &engine };
    struct sdfg_kernel kernel = { .program = &program };
    struct sdfg_rt_device device;
    struct sdfg_rt_context context = { .error = SDFG_RT_BAD_VALUE };
    device_enter(&kernel, &device, &context);
    CHECK(!context.device && !device_explains(&context));
}

CHECK_MAIN
