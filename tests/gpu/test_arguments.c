/* Arguments of the C interface that lie on a GPU, for which the stand-ins are: used in place, behind the work of the
 * caller's streams, and told apart from memory of the host. Arguments: the folder of examples, that of these tests. */
#include "engine/include/sdfg.h"

#include "tests/gpu/standins.h"

#include <limits.h>

enum { N = 1000, LONGEST = 4096 };
enum { BYTES = N * sizeof(double), TO_DEVICE = 0, TO_HOST = 1 };

static char axpy[PATH_MAX], solve[PATH_MAX];

/* ---- the caller's side of the driver ---- */

typedef unsigned long long address;
struct driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*push)(void *);
    int (*alloc)(address *, size_t);
    int (*host_alloc)(void **, size_t, unsigned);
    int (*free)(address);
    int (*copy_in)(address, const void *, size_t, void *);
    int (*copy_out)(void *, address, size_t, void *);
    int (*stream)(void **, unsigned);
    int (*destroy)(void *);
    int (*wait)(void *);
};
static struct driver driver;

static void take(void *out, const char *name)
{
    void *library = dlopen(getenv("SDFG_CUDA"), RTLD_NOW), *f = library ? dlsym(library, name) : NULL;
    CHECK(f);
    memcpy(out, &f, sizeof f);
}

/* As another package in the process would: with the context of a device current. */
static void start(int device)
{
    void *context = NULL;
    take(&driver.init, "cuInit");
    take(&driver.retain, "cuDevicePrimaryCtxRetain");
    take(&driver.push, "cuCtxPushCurrent_v2");
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

static void *on_device(const void *values, size_t bytes)
{
    address at = 0;
    CHECK_INT(driver.alloc(&at, bytes) | driver.copy_in(at, values, bytes, NULL) | driver.wait(NULL), 0);
    return (void *)(uintptr_t)at;
}

static const double *values_of(const void *memory, size_t bytes)
{
    static double values[N];
    CHECK_INT(driver.copy_out(values, (address)(uintptr_t)memory, bytes, NULL) | driver.wait(NULL), 0);
    return values;
}

static long bytes_moved(void)
{
    long (*f)(int);
    void *s = standin("SDFG_CUDA", "standin_bytes");
    memcpy(&f, &s, sizeof f);
    return f(TO_DEVICE) + f(TO_HOST);
}

/* ---- programs ---- */

struct host {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
};
static double x[N], y[N];

/* Code and text of an error, "" if there is none. */
static const char *said(sdfg_error *error)
{
    static char text[LONGEST];
    snprintf(text, sizeof text, "%s%s%s", error ? sdfg_error_code(error) : "", error ? ": " : "",
             error ? sdfg_error_message(error) : "");
    sdfg_error_free(error);
    return text;
}

static void open_program(struct host *h, const char *device, const char *file)
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

static void close_program(struct host *h)
{
    sdfg_args_free(h->args);
    sdfg_program_free(h->program);
    sdfg_engine_free(h->engine);
}

static const char *give(struct host *h, const char *name, void *data, enum sdfg_device_kind kind, int index)
{
    return said(sdfg_args_array(
        h->args, name,
        SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 1, .shape = { N }, .device = { kind, index })));
}

static const char *call(struct host *h) { return said(sdfg_call(h->program, h->args)); }

static bool is_right(const double *result)
{
    for (int i = 0; i < N; i++)
        if (result[i] != 2.0 * i + 1)
            return false;
    return true;
}

/* ---- in place ---- */

OWN_PROCESS(arguments_on_the_device_are_used_in_place)
{
    struct host h;
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
    struct host h;
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
    struct host h;
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

/* ---- code of the host ---- */

/* A library routine of the host solves in the place of the device; the other arguments stay where they are. */
OWN_PROCESS(code_of_the_host_gets_copies)
{
    enum { SIZE = 4 };
    struct host h;
    double a[SIZE * SIZE] = { 4, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 8 }, b[SIZE] = { 8, 8, 8, 8 },
                    c[SIZE] = { 0 };
    start(0);
    open_program(&h, "cuda", solve);
    void *matrix = on_device(a, sizeof a), *right = on_device(b, sizeof b), *result = on_device(c, sizeof c);
    const sdfg_device device = { SDFG_DEVICE_CUDA, 0 };
    CHECK_STR(said(sdfg_args_array(
                  h.args, "A",
                  SDFG_ARRAY(.data = matrix, .dtype = SDFG_F64, .rank = 2, .shape = { SIZE, SIZE }, .device = device))),
              "");
    CHECK_STR(
        said(sdfg_args_array(
            h.args, "b", SDFG_ARRAY(.data = right, .dtype = SDFG_F64, .rank = 1, .shape = { SIZE }, .device = device))),
        "");
    CHECK_STR(said(sdfg_args_array(
                  h.args, "x",
                  SDFG_ARRAY(.data = result, .dtype = SDFG_F64, .rank = 1, .shape = { SIZE }, .device = device))),
              "");
    CHECK_STR(call(&h), "");
    const double *found = values_of(result, sizeof c);
    CHECK(found[0] == 2 && found[1] == 4 && found[2] == 8 && found[3] == 1);
    CHECK_STR(
        said(sdfg_args_array(
            h.args, "x", SDFG_ARRAY(.data = right, .dtype = SDFG_F64, .rank = 1, .shape = { SIZE }, .device = device))),
        "");
    CHECK_STR(said(sdfg_args_disjoint(h.args)), "");
    CHECK(strstr(call(&h), "ARGUMENT_DEVICE_SHARED: 'b' and 'x' are the same memory"));
    close_program(&h);
}

/* ---- errors ---- */

OWN_PROCESS(memory_is_not_where_it_was_said_to_be)
{
    struct host h;
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
    struct host h;
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
    snprintf(solve, sizeof solve, "%s/host_code.py:solve", argv[2]);
    for (struct check_test *t = check_tests; t; t = t->next) {
        int before = check_failures;
        t->run();
        if (check_failures != before)
            printf("test %s failed\n", t->name);
    }
    return check_failures ? 1 : 0;
}
