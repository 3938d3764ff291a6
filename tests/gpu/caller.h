/* What tests share whose arguments lie on a GPU: the driver as another package in the process would use it, calls of
 * axpy, and the test program. */
#ifndef TESTS_GPU_CALLER_H
#define TESTS_GPU_CALLER_H

#include "engine/include/sdfg.h"

#include "tests/gpu/standins.h"

#include <limits.h>

enum { N = 1000, LONGEST = 4096 };
enum { BYTES = N * sizeof(double), TO_DEVICE = 0, TO_HOST = 1 };

/* ---- the caller's side of the driver ---- */

typedef unsigned long long address;
struct caller_driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*push)(void *);
    int (*create)(void **, unsigned, int);
    int (*alloc)(address *, size_t);
    int (*host_alloc)(void **, size_t, unsigned);
    int (*free)(address);
    int (*copy_in)(address, const void *, size_t, void *);
    int (*copy_out)(void *, address, size_t, void *);
    int (*stream)(void **, unsigned);
    int (*destroy)(void *);
    int (*wait)(void *);
};
static struct caller_driver driver;

static __attribute__((unused)) void take(void *out, const char *name)
{
    void *library = dlopen(getenv("SDFG_CUDA"), RTLD_NOW), *f = library ? dlsym(library, name) : NULL;
    CHECK(f);
    memcpy(out, &f, sizeof f);
}

/* As another package in the process would: with the context of a device current. */
static __attribute__((unused)) void start(int device)
{
    void *context = NULL;
    take(&driver.init, "cuInit");
    take(&driver.retain, "cuDevicePrimaryCtxRetain");
    take(&driver.push, "cuCtxPushCurrent_v2");
    take(&driver.create, "cuCtxCreate_v2");
    take(&driver.alloc, "cuMemAlloc_v2");
    take(&driver.host_alloc, "cuMemHostAlloc");
    take(&driver.free, "cuMemFree_v2");
    take(&driver.copy_in, "cuMemcpyHtoDAsync_v2");
    take(&driver.copy_out, "cuMemcpyDtoHAsync_v2");
    take(&driver.stream, "cuStreamCreate");
    take(&driver.destroy, "cuStreamDestroy_v2");
    take(&driver.wait, "cuStreamSynchronize");
    CHECK_INT(driver.init(0) | driver.retain(&context, device) | driver.push(context), 0);
}

static __attribute__((unused)) void *on_device(const void *values, size_t bytes)
{
    address at = 0;
    CHECK_INT(driver.alloc(&at, bytes) | driver.copy_in(at, values, bytes, NULL) | driver.wait(NULL), 0);
    return (void *)(uintptr_t)at;
}

static __attribute__((unused)) const double *values_of(const void *memory, size_t bytes)
{
    static double values[N];
    CHECK_INT(driver.copy_out(values, (address)(uintptr_t)memory, bytes, NULL) | driver.wait(NULL), 0);
    return values;
}

static __attribute__((unused)) long bytes_moved(void)
{
    long (*f)(int);
    void *s = standin("SDFG_CUDA", "standin_bytes");
    memcpy(&f, &s, sizeof f);
    return f(TO_DEVICE) + f(TO_HOST);
}

/* ---- programs ---- */

struct caller {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
};
static double x[N], y[N];

/* Code and text of an error, "" if there is none. */
static __attribute__((unused)) const char *said(sdfg_error *error)
{
    static char text[LONGEST];
    snprintf(text, sizeof text, "%s%s%s", error ? sdfg_error_code(error) : "", error ? ": " : "",
             error ? sdfg_error_message(error) : "");
    sdfg_error_free(error);
    return text;
}

static __attribute__((unused)) void open_program(struct caller *h, const char *device, const char *file)
{
    sdfg_options o = SDFG_OPTIONS_INIT;
    o.device = device;
    CHECK_STR(said(sdfg_engine_new(&h->engine, &o)), "");
    CHECK_STR(said(sdfg_program_load_file(&h->program, h->engine, file)), "");
    CHECK_STR(said(sdfg_args_new(&h->args, h->program)), "");
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1;
    }
}

static __attribute__((unused)) void close_program(struct caller *h)
{
    sdfg_args_free(h->args);
    sdfg_program_free(h->program);
    sdfg_engine_free(h->engine);
}

static __attribute__((unused)) const char *give(struct caller *h, const char *name, void *data,
                                                enum sdfg_device_kind kind, int index)
{
    return said(sdfg_args_array(
        h->args, name,
        SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 1, .shape = { N }, .device = { kind, index })));
}

static __attribute__((unused)) const char *call(struct caller *h) { return said(sdfg_call(h->program, h->args)); }

static __attribute__((unused)) bool is_right(const double *result)
{
    for (int i = 0; i < N; i++)
        if (result[i] != 2.0 * i + 1)
            return false;
    return true;
}

static int run_tests(void) { return check_run_tests(); }

#endif
