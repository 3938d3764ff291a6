/* cuSOLVER by way of the runtime (runtime/device_solver.c), against stand-ins, which $SDFG_CUDA, $SDFG_CUBLAS and
 * $SDFG_CUSOLVER name. Each test has a process of its own: a library stays open. */
#include "tests/gpu/runtime_call.h"

#include <complex.h>
#include <math.h>

/* ---- matrices by columns, of all types as double complex ---- */

enum { MOST = 4096 };

static const size_t sizes[] = { sizeof(float), sizeof(double), sizeof(float complex), sizeof(double complex) };

static double complex get(const void *x, int32_t type, int64_t at)
{
    const float *f = x;
    const double *d = x;
    switch (type) {
    case SDFG_RT_F32:
        return f[at];
    case SDFG_RT_F64:
        return d[at];
    case SDFG_RT_C64:
        return CMPLX(f[2 * at], f[2 * at + 1]);
    default:
        return CMPLX(d[2 * at], d[2 * at + 1]);
    }
}

static void set(void *x, int32_t type, int64_t at, double complex value)
{
    float *f = x;
    double *d = x;
    bool pair = type == SDFG_RT_C64 || type == SDFG_RT_C128;
    for (int part = 0; part < 1 + pair; part++) {
        double v = part ? cimag(value) : creal(value);
        if (type == SDFG_RT_F32 || type == SDFG_RT_C64)
            f[(1 + pair) * at + part] = (float)v;
        else
            d[(1 + pair) * at + part] = v;
    }
}

/* Hermitian and positive definite, or with rows that have to be exchanged. */
static void fill(void *x, int32_t type, int64_t n, int64_t count, bool definite)
{
    for (int64_t b = 0; b < count; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double real = (double)((i + j + b) % 3), imaginary = (double)((i - j) % 4) / 8;
                double diagonal = definite ? (double)(4 * n) * (i == j) : (double)(3 * n) * (i == n - 1 - j);
                set(x, type, b * n * n + i + j * n, CMPLX(real + diagonal, imaginary));
            }
}

static void *to_device(struct call *c, void *x, size_t bytes)
{
    void *there = sdfg_rt_device_alloc(c->context.run, (int64_t)bytes, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_copy(c->context.run, there, x, (int64_t)bytes, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    return there;
}

static void to_host(struct call *c, void *x, void *there, size_t bytes)
{
    sdfg_rt_device_copy(c->context.run, x, there, (int64_t)bytes, 1, 0, 0, SDFG_RT_TO_HOST, 0);
}

static double complex a[MOST], factors[MOST], b[MOST], x[MOST];
static int32_t codes[64];

/* ---- results ---- */

/* How far L L^H, of the triangle that was asked for, is from the matrix. */
static double cholesky_error(int32_t type, int64_t n, int64_t count, bool lower)
{
    double worst = 0;
    for (int64_t m = 0; m < count; m++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double complex sum = 0;
                int64_t first = m * n * n;
                for (int64_t k = 0; k <= j; k++) {
                    double complex p = get(factors, type, first + (lower ? i + k * n : k + i * n));
                    double complex q = get(factors, type, first + (lower ? j + k * n : k + j * n));
                    sum += lower ? p * conj(q) : conj(p) * q;
                }
                worst = fmax(worst, cabs(sum - get(a, type, first + i + j * n)));
            }
    return worst;
}

static bool factor(struct call *c, int32_t type, int64_t n, int64_t count, bool lower)
{
    size_t bytes = (size_t)(n * n * count) * sizes[type];
    fill(a, type, n, count, true);
    begin(c);
    void *there = to_device(c, a, bytes);
    sdfg_rt_device_potrf(&c->context, "prog/node", type, lower, n, count, there, NULL, true);
    to_host(c, factors, there, bytes);
    sdfg_rt_device_free(c->context.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->context.run);
    return c->context.error == SDFG_RT_OK;
}

OWN_PROCESS(cholesky)
{
    struct call c = { .device = { .index = 0 } };
    for (int32_t type = SDFG_RT_F32; type < SDFG_RT_TYPE_COUNT; type++)
        for (int64_t count = 1; count < 4; count += 2)
            for (int lower = 0; lower < 2; lower++) {
                CHECK(factor(&c, type, 7, count, lower));
                CHECK(cholesky_error(type, 7, count, lower) < 1e-4);
            }
}

static double solve_error(int32_t type, int64_t n, int64_t nrhs, int64_t count, bool transposed)
{
    double worst = 0;
    for (int64_t m = 0; m < count; m++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < nrhs; j++) {
                double complex sum = 0;
                for (int64_t k = 0; k < n; k++)
                    sum += get(a, type, m * n * n + (transposed ? k + i * n : i + k * n)) *
                           get(x, type, m * n * nrhs + k + j * n);
                worst = fmax(worst, cabs(sum - get(b, type, m * n * nrhs + i + j * n)));
            }
    return worst;
}

static bool solve(struct call *c, int32_t type, int64_t n, int64_t nrhs, int64_t count, bool transposed)
{
    size_t bytes = (size_t)(n * n * count) * sizes[type], more = (size_t)(n * nrhs * count) * sizes[type];
    fill(a, type, n, count, false);
    for (int64_t i = 0; i < n * nrhs * count; i++)
        set(b, type, i, CMPLX((double)(i % 5), (double)(i % 3)));
    begin(c);
    void *there = to_device(c, a, bytes), *sides = to_device(c, b, more), *pivots = to_device(c, codes, sizeof codes);
    sdfg_rt_device_getrf(&c->context, "prog/node", type, n, n, count, there, pivots, NULL, true);
    sdfg_rt_device_getrs(&c->context, "prog/node", type, transposed, n, nrhs, count, there, pivots, sides, NULL);
    to_host(c, x, sides, more);
    sdfg_rt_device_free(c->context.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(c->context.run, sides, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(c->context.run, pivots, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->context.run);
    return c->context.error == SDFG_RT_OK;
}

OWN_PROCESS(systems)
{
    struct call c = { .device = { .index = 0 } };
    for (int32_t type = SDFG_RT_F32; type < SDFG_RT_TYPE_COUNT; type++)
        for (int64_t count = 1; count < 5; count += 3)
            for (int transposed = 0; transposed < 2; transposed++)
                for (int64_t nrhs = 1; nrhs < 4; nrhs += 2) {
                    CHECK(solve(&c, type, 6, nrhs, count, transposed));
                    CHECK(solve_error(type, 6, nrhs, count, transposed) < 1e-4);
                }
}

/* Large ones are solved one by one. */
OWN_PROCESS(large_systems_of_a_batch)
{
    struct call c = { .device = { .index = 0 } };
    static const int32_t type = SDFG_RT_F32;
    static char large[2 * 260 * 260 * sizeof(float)];
    begin(&c);
    fill(large, type, 260, 2, true);
    void *there = to_device(&c, large, sizeof large);
    sdfg_rt_device_potrf(&c.context, "prog/node", type, true, 260, 2, there, NULL, true);
    sdfg_rt_device_end(c.context.run);
    CHECK_INT(c.context.error, SDFG_RT_OK);
    CHECK_INT(calls_of("cuLaunchKernel"), 2);
}

/* Pivots and codes of matrices that are not square, with more room than numbers. */
OWN_PROCESS(factors_of_rectangles)
{
    static const int64_t shapes[][2] = { { 5, 3 }, { 3, 5 }, { 1, 4 }, { 0, 3 }, { 3, 0 } };
    for (int i = 0; i < 5; i++) {
        struct call c = { .device = { .index = 0 } };
        int64_t m = shapes[i][0], n = shapes[i][1], least = m < n ? m : n;
        int32_t found[8], info = 77;
        for (int64_t k = 0; k < m * n; k++)
            set(a, SDFG_RT_F64, k, (double)((k * 7 + 3) % 11));
        memset(found, 0x55, sizeof found);
        begin(&c);
        void *there = to_device(&c, a, sizeof a), *pivots = to_device(&c, found, sizeof found);
        void *code = to_device(&c, &info, sizeof info);
        sdfg_rt_device_getrf(&c.context, "prog/node", SDFG_RT_F64, m, n, 1, there, pivots, code, false);
        to_host(&c, found, pivots, sizeof found);
        to_host(&c, &info, code, sizeof info);
        sdfg_rt_device_end(c.context.run);
        CHECK_INT(c.context.error, SDFG_RT_OK);
        CHECK_INT(info, 0);
        for (int64_t k = 0; k < 8; k++)
            CHECK(k < least ? found[k] > k && found[k] <= m : found[k] == 0x55555555);
    }
}

/* ---- matrices without factors ---- */

static int32_t singular(struct call *c, int64_t count, bool with_code, bool needed, int32_t *code)
{
    memset(a, 0, sizeof a);
    for (int64_t i = 0; i < 3 * (count - 1); i++) /* all but the last one are good */
        set(a, SDFG_RT_F64, i / 3 * 9 + i % 3 * 4, 1);
    begin(c);
    void *there = to_device(c, a, sizeof a), *codes_there = to_device(c, codes, sizeof codes);
    sdfg_rt_device_potrf(&c->context, "prog/node", SDFG_RT_F64, 1, 3, count, there, with_code ? codes_there : NULL,
                         needed);
    to_host(c, codes, codes_there, sizeof codes);
    sdfg_rt_device_end(c->context.run);
    *code = codes[count - 1];
    return c->context.error;
}

OWN_PROCESS(info)
{
    struct call c = { .device = { .index = 0 } };
    int32_t code = 0;
    for (int64_t count = 1; count < 4; count += 2) {
        CHECK_INT(singular(&c, count, true, false, &code), SDFG_RT_OK);
        CHECK_INT(code, 1);
        CHECK_INT(singular(&c, count, false, false, &code), SDFG_RT_OK);
        CHECK_INT(singular(&c, count, false, true, &code), SDFG_RT_SINGULAR);
        CHECK(factor(&c, SDFG_RT_F64, 7, count, true)); /* the next call is a new one */
    }
}

/* More codes than there is room for: those that were there are looked at first. */
OWN_PROCESS(many_codes)
{
    struct call c = { .device = { .index = 0 } };
    static char ones[5000 * sizeof(float)];
    for (int i = 0; i < 5000; i++)
        set(ones, SDFG_RT_F32, i, i ? 1 : -1);
    begin(&c);
    void *there = to_device(&c, ones, sizeof ones);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F32, 1, 1, 1, there, NULL, true);
    CHECK_INT(c.context.error, SDFG_RT_OK);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F32, 1, 1, 5000, there, NULL, true);
    CHECK_INT(c.context.error, SDFG_RT_SINGULAR);
    sdfg_rt_device_end(c.context.run);
    set(ones, SDFG_RT_F32, 0, 1);
    begin(&c);
    there = to_device(&c, ones, sizeof ones);
    for (int i = 0; i < 3; i++)
        sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F32, 1, 1, 3000 + 1000 * (i / 2), there, NULL, true);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F32, 1, 1, 4500, there, NULL, true);
    sdfg_rt_device_end(c.context.run);
    CHECK_INT(c.context.error, SDFG_RT_OK);
}

/* ---- what it costs, and what goes wrong ---- */

OWN_PROCESS(handles_and_memory_are_kept)
{
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    CHECK(solve(&c, SDFG_RT_F64, 6, 2, 1, false));
    long allocated = calls_of("cuMemAlloc_v2"), loaded = calls_of("cuModuleLoadData");
    for (int i = 0; i < 3; i++)
        CHECK(solve(&c, SDFG_RT_F64, 6, 2, 1, false));
    CHECK_INT(calls_of("cuMemAlloc_v2"), allocated);
    CHECK_INT(calls_of("cuModuleLoadData"), loaded);
    CHECK_INT(calls_of("cuLaunchKernel"), 8);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Factorizations of which nobody wants to know whether they were possible. */
static bool factor_blindly(struct call *c, int64_t count, bool by_columns)
{
    enum { ORDER = 5 };
    fill(a, SDFG_RT_F64, ORDER, count, true);
    begin(c);
    void *there = to_device(c, a, (size_t)(ORDER * ORDER * count) * sizes[SDFG_RT_F64]);
    void *pivots = to_device(c, codes, sizeof codes);
    if (by_columns)
        sdfg_rt_device_getrf(&c->context, "prog/node", SDFG_RT_F64, ORDER, ORDER, count, there, pivots, NULL, false);
    else
        sdfg_rt_device_potrf(&c->context, "prog/node", SDFG_RT_F64, true, ORDER, count, there, NULL, false);
    sdfg_rt_device_free(c->context.run, there, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_free(c->context.run, pivots, SDFG_RT_ON_DEVICE);
    sdfg_rt_device_end(c->context.run);
    return c->context.error == SDFG_RT_OK;
}

enum { WORKS = 8 };

/* Right, if there was no error. */
static bool work(struct call *c, int which)
{
    int64_t count = which % 2 ? 3 : 1;
    if (which < 2)
        return solve(c, SDFG_RT_F64, 6, 2, count, false) && solve_error(SDFG_RT_F64, 6, 2, count, false) < 1e-9;
    if (which < 4)
        return factor(c, SDFG_RT_F64, 7, count, true) && cholesky_error(SDFG_RT_F64, 7, count, true) < 1e-9;
    return factor_blindly(c, count, which < 6);
}

/* Each call of the driver fails once; the next call works. */
static void fail_each_call(bool checked, int error)
{
    for (int which = 0; which < WORKS; which++) {
        struct call c = { .device = { .index = 0, .check = checked } };
        sdfg_rt_device_hold();
        CHECK(work(&c, which)); /* with all that is made once */
        sdfg_rt_device_let_go();
        sdfg_rt_device_hold();
        for (long k = 1, passed = 0; passed < 3; k++) {
            fail_at(k, error);
            bool right = work(&c, which), good = c.context.error == SDFG_RT_OK;
            passed = good ? passed + 1 : 0; /* memory is asked for twice */
            CHECK(good ? right : *c.device.trouble);
            fail_at(0, 0);
            CHECK(work(&c, which));
            sdfg_rt_device_let_go(); /* handles and memory are made again */
            sdfg_rt_device_hold();
        }
        sdfg_rt_device_let_go();
        CHECK_INT(objects(), 0);
    }
}

OWN_PROCESS(calls_that_fail) { fail_each_call(false, 2 /* out of memory */); }

OWN_PROCESS(checked_calls_that_fail) { fail_each_call(true, 999); }

/* The library works in memory that another queue may still use: it waits for that one. */
OWN_PROCESS(memory_of_another_queue)
{
    enum { ORDER = 6, BYTES = ORDER * sizeof(double) }; /* as much as it works in */
    for (int kind = 0; kind < 2; kind++) {
        struct call c = { .device = { .index = 0 } };
        fill(a, SDFG_RT_F64, ORDER, 1, true);
        begin(&c);
        void *there = to_device(&c, a, ORDER * ORDER * sizes[SDFG_RT_F64]), *info = to_device(&c, codes, sizeof codes);
        void *other = sdfg_rt_device_alloc(c.context.run, BYTES, SDFG_RT_ON_DEVICE);
        sdfg_rt_device_zero(c.context.run, other, BYTES, 1);
        sdfg_rt_device_free(c.context.run, other, SDFG_RT_ON_DEVICE);
        long waits = calls_of("cuStreamWaitEvent");
        if (kind)
            sdfg_rt_device_getrf(&c.context, "prog/node", SDFG_RT_F64, ORDER, ORDER, 1, there, codes, info, true);
        else
            sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F64, true, ORDER, 1, there, info, true);
        CHECK_INT(calls_of("cuStreamWaitEvent"), waits + 1);
        c.context.error = SDFG_RT_CANCELLED; /* pivots are not on the device */
        sdfg_rt_device_end(c.context.run);
    }
}

/* A batch of which there are none, and one of matrices without elements, with codes and without. */
OWN_PROCESS(nothing_to_do)
{
    struct call c = { .device = { .index = 0 } };
    int32_t info = 77;
    setenv("SDFG_CUSOLVER", "/nowhere/libcusolver.so.12", 1);
    begin(&c);
    int32_t *code = to_device(&c, &info, sizeof info);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F64, true, 3, 0, a, code, true);
    to_host(&c, &info, code, sizeof info);
    CHECK_INT(info, 77);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F64, true, 0, 1, a, NULL, true);
    sdfg_rt_device_getrs(&c.context, "prog/node", SDFG_RT_F64, false, 3, 0, 1, a, codes, b, code);
    to_host(&c, &info, code, sizeof info);
    CHECK_INT(info, 0);
    sdfg_rt_device_end(c.context.run);
    CHECK(says(&c, SDFG_RT_OK, ""));
}

/* Solutions are always possible: codes of them, one by one and of a batch, are 0. */
OWN_PROCESS(codes_of_solutions)
{
    for (int64_t count = 1; count < 4; count += 2) {
        struct call c = { .device = { .index = 0 } };
        size_t bytes = (size_t)(36 * count) * sizes[SDFG_RT_F64], more = (size_t)(6 * count) * sizes[SDFG_RT_F64];
        fill(a, SDFG_RT_F64, 6, count, false);
        memset(codes, 0x55, sizeof codes);
        begin(&c);
        void *there = to_device(&c, a, bytes), *sides = to_device(&c, b, more), *info = to_device(&c, codes, 64);
        void *pivots = to_device(&c, codes, sizeof codes);
        sdfg_rt_device_getrf(&c.context, "prog/node", SDFG_RT_F64, 6, 6, count, there, pivots, info, true);
        sdfg_rt_device_copy(c.context.run, info, codes, 64, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
        sdfg_rt_device_getrs(&c.context, "prog/node", SDFG_RT_F64, false, 6, 1, count, there, pivots, sides, info);
        to_host(&c, codes, info, 64);
        sdfg_rt_device_end(c.context.run);
        CHECK(says(&c, SDFG_RT_OK, ""));
        for (int64_t i = 0; i < 16; i++)
            CHECK_INT(codes[i], i < count ? 0 : 0x55555555);
    }
}

static void fails_as(const char *setting, enum sdfg_rt_error error, const char *text)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_STANDIN_CUSOLVER_FAIL", setting, 1);
    CHECK(!solve(&c, SDFG_RT_C64, 6, 2, 1, false));
    CHECK(says(&c, error, text));
}

OWN_PROCESS(statuses_are_named)
{
    fails_as("1:1", SDFG_RT_DEVICE,
             "cusolverDnCreate: CUSOLVER_STATUS_NOT_INITIALIZED (1): the factorization of prog/node");
}
OWN_PROCESS(no_memory_is_its_own_error)
{
    fails_as("1:2", SDFG_RT_OUT_OF_MEMORY,
             "cusolverDnCreate: CUSOLVER_STATUS_ALLOC_FAILED (2): the factorization of prog/node");
}
OWN_PROCESS(streams_fail)
{
    fails_as("2", SDFG_RT_DEVICE, "cusolverDnSetStream: CUSOLVER_STATUS_EXECUTION_FAILED (6)");
}
OWN_PROCESS(sizes_fail) { fails_as("3:7", SDFG_RT_DEVICE, "cusolverDnCgetrf_bufferSize: CUSOLVER_STATUS_INTERNAL_"); }
OWN_PROCESS(factorizations_fail) { fails_as("4:99", SDFG_RT_DEVICE, "cusolverDnCgetrf: an unknown error (99)"); }
OWN_PROCESS(solutions_fail)
{
    fails_as("5", SDFG_RT_DEVICE, "cusolverDnCgetrs: CUSOLVER_STATUS_EXECUTION_FAILED (6): the solution of prog/node");
}

static void batch_fails_as(const char *setting, const char *text)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_STANDIN_CUBLAS_FAIL", setting, 1);
    CHECK(!solve(&c, SDFG_RT_C64, 6, 2, 3, false));
    CHECK(says(&c, SDFG_RT_DEVICE, text));
}

OWN_PROCESS(factorizations_of_a_batch_fail)
{
    batch_fails_as("4", "cublasCgetrfBatched: CUBLAS_STATUS_EXECUTION_FAILED (13): the factorization of prog/node");
}
OWN_PROCESS(solutions_of_a_batch_fail)
{
    batch_fails_as("5", "cublasCgetrsBatched: CUBLAS_STATUS_EXECUTION_FAILED (13): the solution of prog/node");
}

OWN_PROCESS(sizes_beyond_the_library)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    sdfg_rt_device_potrf(&c.context, "prog/node", SDFG_RT_F64, 1, 1LL << 31, 1, a, NULL, true);
    sdfg_rt_device_end(c.context.run);
    CHECK(says(&c, SDFG_RT_BAD_VALUE,
               "the factorization of prog/node has an extent of 2147483648, and cuSOLVER takes up to 2147483647"));
    for (int i = 0; i < 3; i++) {
        begin(&c);
        sdfg_rt_device_getrf(&c.context, "prog/node", SDFG_RT_F64, i == 0 ? 1LL << 31 : 1, i == 1 ? 1LL << 31 : 1,
                             i == 2 ? 1LL << 31 : 1, a, codes, NULL, true);
        sdfg_rt_device_end(c.context.run);
        CHECK(says(&c, SDFG_RT_BAD_VALUE, "has an extent of 2147483648"));
    }
}

OWN_PROCESS(a_library_that_is_not_there)
{
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_file file;
    setenv("SDFG_CUSOLVER", "/nowhere/libcusolver.so.12", 1);
    CHECK(!sdfg_rt_device_library(SDFG_RT_CUSOLVER, 0, &file));
    CHECK(!factor(&c, SDFG_RT_F64, 7, 1, true));
    CHECK(says(&c, SDFG_RT_DEVICE,
               "cuSOLVER, which was there when the program was compiled, cannot be opened for "
               "prog/node. SDFG_CUSOLVER names its file"));
    CHECK(strstr(c.device.trouble, "Tried:\n  /nowhere/libcusolver.so.12: cannot open"));
}

OWN_PROCESS(a_library_that_is_another_one)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_CUSOLVER", getenv("SDFG_CUDA"), 1);
    CHECK(!factor(&c, SDFG_RT_F64, 7, 1, true));
    CHECK(says(&c, SDFG_RT_DEVICE, "has no cusolverDnCreate"));
}

/* The library of CUDA 13 has number 12. */
OWN_PROCESS(versions)
{
    struct sdfg_rt_device_file file;
    char folder[] = "/tmp/cusolver-XXXXXX", path[64], command[256];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command, "mkdir %s/lib64 && touch %s/lib64/libcusolver.so.12 %s/lib64/libcusolver.so.11",
             folder, folder, folder);
    CHECK_INT(system(command), 0);
    unsetenv("SDFG_CUSOLVER");
    setenv("CUDA_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/lib64/libcusolver.so.12", folder);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUSOLVER, 13000, &file));
    CHECK_STR(file.path, path);
    snprintf(path, sizeof path, "%s/lib64/libcusolver.so.11", folder);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUSOLVER, 12080, &file));
    CHECK_STR(file.path, path);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

int main(void) { return getenv("SDFG_CUBLAS") ? run_tests("SDFG_CUSOLVER") : 77; }
