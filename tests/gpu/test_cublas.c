/* Libraries of CUDA by way of the runtime (runtime/device_blas.c), against their stand-ins, which $SDFG_CUDA and
 * $SDFG_CUBLAS name. Each test has a process of its own: a library stays open, and a fault ends the use of a device. */
#include "tests/gpu/runtime_call.h"

#include <complex.h>
#include <math.h>

/* ---- products, and what they should give ---- */

enum { ROOM = 4096 /* elements of each operand */, MIDDLE = 2048 /* the first element of each */ };

struct matrix {
    int64_t row, column, step;
};

struct product {
    int32_t type;
    int64_t m, n, k, count;
    struct matrix a, b, c;
    double complex alpha, beta;
};

static const size_t sizes[] = { sizeof(float), sizeof(double), sizeof(float complex), sizeof(double complex) };

union memory {
    float f32[ROOM];
    double f64[ROOM];
    float complex c64[ROOM];
    double complex c128[ROOM];
};

static double complex get(const union memory *x, int32_t type, int64_t at)
{
    switch (type) {
    case SDFG_RT_F32:
        return x->f32[at];
    case SDFG_RT_F64:
        return x->f64[at];
    case SDFG_RT_C64:
        return x->c64[at];
    default:
        return x->c128[at];
    }
}

static void set(union memory *x, int32_t type, int64_t at, double complex value)
{
    switch (type) {
    case SDFG_RT_F32:
        x->f32[at] = (float)creal(value);
        break;
    case SDFG_RT_F64:
        x->f64[at] = creal(value);
        break;
    case SDFG_RT_C64:
        x->c64[at] = (float complex)value;
        break;
    default:
        x->c128[at] = value;
    }
}

/* Small integers: sums are exact in each type. */
static void fill(union memory *x, int32_t type, int seed)
{
    for (int i = 0; i < ROOM; i++)
        set(x, type, i, CMPLX((i * 7 + seed) % 5 - 2, (i * 3 + seed) % 4 - 1));
}

static int64_t place(const struct matrix *x, int64_t i, int64_t j, int64_t number)
{
    return MIDDLE + i * x->row + j * x->column + number * x->step;
}

static void multiply(const struct product *p, const union memory *a, const union memory *b, union memory *c)
{
    bool real = p->type == SDFG_RT_F32 || p->type == SDFG_RT_F64;
    double complex alpha = real ? creal(p->alpha) : p->alpha, beta = real ? creal(p->beta) : p->beta;
    for (int64_t x = 0; x < p->count; x++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                double complex sum = 0;
                int64_t at = place(&p->c, i, j, x);
                for (int64_t k = 0; k < p->k; k++)
                    sum += get(a, p->type, place(&p->a, i, k, x)) * get(b, p->type, place(&p->b, k, j, x));
                sum *= alpha;
                set(c, p->type, at, beta == 0 ? sum : sum + beta * get(c, p->type, at));
            }
}

static void *to_device(struct call *c, union memory *x)
{
    void *there = sdfg_rt_device_mirror(c->context.run, x, sizeof *x);
    sdfg_rt_device_copy(c->context.run, there, x, sizeof *x, 1, 0, 0, SDFG_RT_TO_DEVICE, 0);
    return there;
}

static void give(struct call *c, const struct product *p, int32_t mode, void *const *matrices)
{
    size_t first = MIDDLE * sizes[p->type];
    char *a = matrices[0], *b = matrices[1], *r = matrices[2];
    sdfg_rt_device_gemm(&c->context, "prog/product", p->type, mode, p->m, p->n, p->k, a + first, p->a.row, p->a.column,
                        b + first, p->b.row, p->b.column, r + first, p->c.row, p->c.column, creal(p->alpha),
                        cimag(p->alpha), creal(p->beta), cimag(p->beta), p->count, p->a.step, p->b.step, p->c.step);
}

static union memory a, b, result, expected;

static bool is_product(struct call *c, const struct product *p, int32_t mode)
{
    fill(&a, p->type, 1);
    fill(&b, p->type, 2);
    fill(&result, p->type, 3);
    if (p->beta == 0) /* what was there does not count */
        for (int i = 0; i < ROOM; i++)
            set(&result, p->type, i, NAN);
    memcpy(&expected, &result, sizeof result);
    multiply(p, &a, &b, &expected);
    begin(c);
    void *const matrices[] = { to_device(c, &a), to_device(c, &b), to_device(c, &result) };
    give(c, p, mode, matrices);
    sdfg_rt_device_copy(c->context.run, &result, matrices[2], sizeof result, 1, 0, 0, SDFG_RT_TO_HOST, 0);
    sdfg_rt_device_end(c->context.run);
    return c->context.error == SDFG_RT_OK;
}

static bool is_same(double complex x, double complex y) { return x == y || (isnan(creal(x)) && isnan(creal(y))); }

static void check(const struct product *p)
{
    struct call c = { .device = { .index = 0 } };
    bool good = is_product(&c, p, SDFG_RT_PRODUCT_DEFAULT);
    CHECK(good);
    if (!good)
        printf("%s\n", c.device.trouble);
    int wrong = -1;
    for (int i = 0; wrong < 0 && i < ROOM; i++)
        wrong = is_same(get(&result, p->type, i), get(&expected, p->type, i)) ? -1 : i;
    CHECK_INT(wrong, -1);
    if (wrong >= 0)
        printf("type %d; A %ld %ld B %ld %ld C %ld %ld\n", p->type, (long)p->a.row, (long)p->a.column, (long)p->b.row,
               (long)p->b.column, (long)p->c.row, (long)p->c.column);
}

/* A matrix by rows or by columns, with some room between lines. */
static struct matrix lying(bool columns, int64_t m, int64_t n, int64_t room)
{
    int64_t line = (columns ? m : n) + room;
    return (struct matrix){ columns ? 1 : line, columns ? line : 1, (columns ? n : m) * line + room };
}

OWN_PROCESS(types_and_orders)
{
    for (int32_t type = SDFG_RT_F32; type < SDFG_RT_TYPE_COUNT; type++)
        for (int order = 0; order < 8; order++)
            for (int count = 1; count < 4; count += 2) {
                int64_t m = 5, n = 7, k = 6;
                struct product p = { type,
                                     m,
                                     n,
                                     k,
                                     count,
                                     lying(order & 1, m, k, order % 3),
                                     lying(order & 2, k, n, 1),
                                     lying(order & 4, m, n, 2),
                                     CMPLX(2, 1),
                                     count > 1 ? 0 : CMPLX(-1, 3) };
                check(&p);
            }
}

OWN_PROCESS(factors_and_sizes)
{
    static const double betas[] = { 0, 1, -2 };
    static const int64_t shapes[][3] = { { 1, 1, 1 }, { 1, 9, 4 }, { 9, 1, 4 }, { 4, 4, 1 }, { 3, 2, 0 }, { 0, 3, 3 } };
    for (int f = 0; f < 3; f++)
        for (int s = 0; s < 6; s++)
            for (int order = 0; order < 8; order++) {
                int64_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
                struct product p = { SDFG_RT_F64,
                                     m,
                                     n,
                                     k,
                                     1,
                                     lying(order & 1, m, k, 0),
                                     lying(order & 2, k, n, 0),
                                     lying(order & 4, m, n, 0),
                                     f ? -1 : 1,
                                     betas[f] };
                check(&p);
            }
}

/* Rows that overlap, run backwards or are all the same one; elements that are apart. */
OWN_PROCESS(matrices_that_no_library_takes)
{
    struct matrix by_rows = lying(false, 5, 5, 0);
    for (int32_t type = SDFG_RT_F32; type < SDFG_RT_TYPE_COUNT; type++) {
        struct product p = { type, 4, 3, 5, 1, { -5, 2, 0 }, { 1, -7, 0 }, by_rows, 2, 1 };
        check(&p);
    }
    static const struct matrix operands[] = { { 1, 1, 0 },  { 0, 1, 0 },  { 1, 0, 0 },   { -5, 1, 0 },
                                              { 1, -5, 0 }, { 2, 11, 0 }, { -2, -13, 0 } };
    static const struct matrix results[] = { { -5, 1, 0 }, { 1, -7, 0 }, { 2, 12, 0 }, { -20, -3, 0 } };
    for (int i = 0; i < 7; i++) {
        struct product left = { SDFG_RT_F64, 5, 5, 5, 1, operands[i], by_rows, by_rows, 1, 2 };
        struct product right = { SDFG_RT_F64, 5, 5, 5, 1, by_rows, operands[i], by_rows, 1, 2 };
        struct product both = { SDFG_RT_C64, 4, 3, 5, 1, operands[i], operands[i], by_rows, CMPLX(0, 1), 0 };
        check(&left);
        check(&right);
        check(&both);
    }
    for (int i = 0; i < 4; i++) {
        struct product p = { SDFG_RT_F64, 4, 3, 5, 2, by_rows, by_rows, results[i], 1, 3 };
        p.c.step = 300;
        check(&p);
    }
}

/* A matrix that all products of a batch have. */
OWN_PROCESS(batches)
{
    struct product p = { SDFG_RT_F32,           4, 6, 5, 9, lying(false, 4, 5, 0), lying(true, 5, 6, 0),
                         lying(false, 4, 6, 0), 3, 1 };
    p.b.step = 0;
    check(&p);
    p.a.step = 0;
    p.b.step = 2;
    check(&p);
}

OWN_PROCESS(arithmetic)
{
    struct call c = { .device = { .index = 0 } };
    struct product p = { SDFG_RT_F32,           8, 8, 8, 1, lying(false, 8, 8, 0), lying(false, 8, 8, 0),
                         lying(false, 8, 8, 0), 1, 0 };
    static const int32_t modes[] = { SDFG_RT_PRODUCT_DEFAULT, SDFG_RT_PRODUCT_FAST, SDFG_RT_PRODUCT_STRICT };
    float seen[3];
    for (int i = 0; i < 3; i++) {
        CHECK(is_product(&c, &p, modes[i]));
        begin(&c);
        a.f32[MIDDLE] = 1.0009765f; /* more than ten bits behind the point */
        for (int k = 1; k < 8; k++)
            a.f32[MIDDLE + k] = 0;
        b.f32[MIDDLE] = 1;
        void *const matrices[] = { to_device(&c, &a), to_device(&c, &b), to_device(&c, &result) };
        give(&c, &p, modes[i], matrices);
        sdfg_rt_device_copy(c.context.run, &result, matrices[2], sizeof result, 1, 0, 0, SDFG_RT_TO_HOST, 0);
        sdfg_rt_device_end(c.context.run);
        seen[i] = result.f32[MIDDLE];
    }
    CHECK(seen[0] == 1.0009765f && seen[2] == 1.0009765f && seen[1] != 1.0009765f);
}

/* ---- what it costs, and what goes wrong ---- */

static const struct product usual = { SDFG_RT_F64, 8, 8, 8, 1, { 8, 1, 0 }, { 8, 1, 0 }, { 8, 1, 0 }, 1, 0 };

/* The handle and the memory of the library are there from the second call on. */
OWN_PROCESS(handles_are_kept)
{
    struct call c = { .device = { .index = 0 } };
    sdfg_rt_device_hold();
    CHECK(is_product(&c, &usual, 0));
    long allocated = calls_of("cuMemAlloc_v2"), loaded = calls_of("cuModuleLoadData");
    for (int i = 0; i < 3; i++)
        CHECK(is_product(&c, &usual, 0));
    CHECK_INT(calls_of("cuMemAlloc_v2"), allocated);
    CHECK_INT(calls_of("cuModuleLoadData"), loaded);
    CHECK_INT(calls_of("cuLaunchKernel"), 4);
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

/* Each call of the library and of the driver fails once; the next call works. */
static void fail_each_call(bool checked, int error)
{
    struct call c = { .device = { .index = 0, .check = checked } };
    /* rows that run backwards are several products */
    struct product several = usual;
    several.a.row = -8;
    sdfg_rt_device_hold();
    CHECK(is_product(&c, &several, 0)); /* with all that is made once */
    sdfg_rt_device_let_go();
    sdfg_rt_device_hold();
    for (long k = 1, passed = 0; passed < 3; k++) {
        fail_at(k, error);
        bool good = is_product(&c, &several, 0);
        passed = good ? passed + 1 : 0; /* memory is asked for twice */
        CHECK(good || *c.device.trouble);
        CHECK(!good || !memcmp(&result, &expected, ROOM * sizeof(double)));
        fail_at(0, 0);
        CHECK(is_product(&c, &several, 0));
        CHECK(!memcmp(&result, &expected, ROOM * sizeof(double)));
        sdfg_rt_device_let_go(); /* the handle and memory are made again */
        sdfg_rt_device_hold();
    }
    sdfg_rt_device_let_go();
    CHECK_INT(objects(), 0);
}

OWN_PROCESS(calls_that_fail) { fail_each_call(false, 2 /* out of memory */); }
OWN_PROCESS(checked_calls_that_fail) { fail_each_call(true, 999); }

/* The handle follows the queue that the caller has. */
OWN_PROCESS(streams_of_the_caller)
{
    struct call c = { .device = { .index = 0 } };
    CHECK(is_product(&c, &usual, 0));
    c.device.has_stream = true; /* the default one */
    for (int i = 0; i < 2; i++) {
        CHECK(is_product(&c, &usual, 0));
        CHECK(!memcmp(&result, &expected, ROOM * sizeof(double)));
    }
}

static void fails_as(const char *setting, enum sdfg_rt_error error, const char *text)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_STANDIN_CUBLAS_FAIL", setting, 1);
    CHECK(!is_product(&c, &usual, 0));
    CHECK(says(&c, error, text));
}

OWN_PROCESS(statuses_are_named)
{
    fails_as("1:1", SDFG_RT_DEVICE, "cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED (1): the product of prog/product");
}
OWN_PROCESS(no_memory_is_its_own_error)
{
    fails_as("1:3", SDFG_RT_OUT_OF_MEMORY, "cublasCreate: CUBLAS_STATUS_ALLOC_FAILED (3): the product of prog/product");
}
OWN_PROCESS(streams_fail) { fails_as("2", SDFG_RT_DEVICE, "cublasSetStream: CUBLAS_STATUS_EXECUTION_FAILED (13)"); }
OWN_PROCESS(workspaces_fail) { fails_as("3:7", SDFG_RT_DEVICE, "cublasSetWorkspace: CUBLAS_STATUS_INVALID_VALUE (7)"); }
OWN_PROCESS(modes_fail)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_STANDIN_CUBLAS_FAIL", "4:7", 1);
    CHECK(!is_product(&c, &usual, SDFG_RT_PRODUCT_FAST));
    CHECK(says(&c, SDFG_RT_DEVICE, "cublasSetMathMode: CUBLAS_STATUS_INVALID_VALUE (7)"));
    unsetenv("SDFG_STANDIN_CUBLAS_FAIL");
    CHECK(is_product(&c, &usual, SDFG_RT_PRODUCT_FAST));
}
OWN_PROCESS(products_fail)
{
    fails_as("4:99", SDFG_RT_DEVICE, "cublasDgemm: an unknown error (99): the product of prog/product");
}

OWN_PROCESS(faults_name_the_product)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    void *const matrices[] = { &a, &b, &result }; /* of the host */
    give(&c, &usual, 0, matrices);
    sdfg_rt_device_end(c.context.run);
    CHECK(
        says(&c, SDFG_RT_DEVICE_FAULT,
             "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered: a library for prog/product"));
}

OWN_PROCESS(sizes_beyond_the_library)
{
    struct call c = { .device = { .index = 0 } };
    struct product p = usual;
    p.m = 1LL << 31;
    begin(&c);
    void *const matrices[] = { &a, &b, &result };
    give(&c, &p, 0, matrices);
    sdfg_rt_device_end(c.context.run);
    CHECK(says(&c, SDFG_RT_BAD_VALUE,
               "the product of prog/product has an extent of 2147483648, and cuBLAS takes up to 2147483647"));
}

/* Lines of a matrix are further apart than the library counts. */
OWN_PROCESS(distances_beyond_the_library)
{
    for (int which = 0; which < 3; which++) {
        struct call c = { .device = { .index = 0 } };
        struct product p = usual;
        (which == 0 ? &p.a : which == 1 ? &p.b : &p.c)->row = 1LL << 31;
        begin(&c);
        void *const matrices[] = { &a, &b, &result }; /* nothing is read */
        give(&c, &p, 0, matrices);
        sdfg_rt_device_end(c.context.run);
        CHECK(says(&c, SDFG_RT_BAD_VALUE, "the product of prog/product has rows that are 2147483647 elements apart"));
    }
}

/* No library is opened for them. */
OWN_PROCESS(nothing_to_do)
{
    struct call c = { .device = { .index = 0 } };
    setenv("SDFG_CUBLAS", "/nowhere/libcublas.so.12", 1);
    for (int which = 0; which < 3; which++) {
        struct product p = usual;
        *(which == 0 ? &p.m : which == 1 ? &p.n : &p.count) = 0;
        CHECK(is_product(&c, &p, 0));
    }
}

OWN_PROCESS(a_library_that_is_not_there)
{
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_file file;
    setenv("SDFG_CUBLAS", "/nowhere/libcublas.so.12", 1);
    CHECK(!sdfg_rt_device_library(SDFG_RT_CUBLAS, 0, &file));
    CHECK(!is_product(&c, &usual, 0));
    CHECK(says(&c, SDFG_RT_DEVICE, "cannot be opened for prog/product"));
    CHECK(strstr(c.device.trouble, "Tried:\n  /nowhere/libcublas.so.12: cannot open"));
}

OWN_PROCESS(a_library_that_is_another_one)
{
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_file file;
    setenv("SDFG_CUBLAS", getenv("SDFG_CUDA"), 1);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUBLAS, 0, &file));
    CHECK(!is_product(&c, &usual, 0));
    CHECK(says(&c, SDFG_RT_DEVICE, "has no cublasCreate_v2"));
}

OWN_PROCESS(libraries_that_are_not_wanted)
{
    struct call c = { .device = { .index = 0 } };
    struct sdfg_rt_device_file file;
    setenv("SDFG_CUBLAS", "none", 1);
    CHECK(!sdfg_rt_device_library(SDFG_RT_CUBLAS, 0, &file));
    CHECK(!is_product(&c, &usual, 0));
    CHECK(says(&c, SDFG_RT_DEVICE, "Tried: nothing"));
}

/* The driver says nothing of its version when the library is to be opened; the next call opens it. */
OWN_PROCESS(drivers_without_a_version)
{
    struct call c = { .device = { .index = 0 } };
    begin(&c);
    void *const matrices[] = { &a, &b, &result };
    fail_at(1, 999);
    give(&c, &usual, 0, matrices);
    sdfg_rt_device_end(c.context.run);
    CHECK(says(&c, SDFG_RT_DEVICE, "cuDriverGetVersion: CUDA_ERROR_UNKNOWN (999)"));
    CHECK(is_product(&c, &usual, 0));
}

/* What it needs lies beside it, and nowhere else. */
OWN_PROCESS(libraries_that_it_needs)
{
    struct call c = { .device = { .index = 0 } };
    char folder[] = "/tmp/cublas-XXXXXX", command[4096], path[64];
    const char *library = getenv("SDFG_CUBLAS"), *needed = getenv("SDFG_CUFFT");
    if (!needed || !strchr(library, '/') || !strchr(needed, '/'))
        return;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command,
             "cd %s && ln -s %s libcublas.so.12 && ln -s %s libcublasLt.so.12 && ln -s %.*s/libstandin-kernels.so .",
             folder, library, needed, (int)(strrchr(library, '/') - library), library);
    CHECK_INT(system(command), 0);
    snprintf(path, sizeof path, "%s/libcublas.so.12", folder);
    setenv("SDFG_CUBLAS", path, 1);
    CHECK(!dlopen(needed, RTLD_NOW | RTLD_NOLOAD));
    CHECK(is_product(&c, &usual, 0));
    CHECK(dlopen(needed, RTLD_NOW | RTLD_NOLOAD));
    CHECK(!memcmp(&result, &expected, ROOM * sizeof(double)));
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

/* A library that is newer than the driver is passed over. */
OWN_PROCESS(versions)
{
    struct sdfg_rt_device_file file;
    char folder[] = "/tmp/cublas-XXXXXX", path[64], toolkit[64], command[256];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command, "mkdir %s/lib64 && touch %s/lib64/libcublas.so.13 %s/lib64/libcublas.so.12",
             folder, folder, folder);
    CHECK_INT(system(command), 0);
    snprintf(toolkit, sizeof toolkit, "%s", folder);
    unsetenv("SDFG_CUBLAS");
    setenv("CUDA_HOME", toolkit, 1);
    snprintf(path, sizeof path, "%s/lib64/libcublas.so.13", folder);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUBLAS, 13000, &file));
    CHECK_STR(file.path, path);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUBLAS, 0, &file));
    CHECK_STR(file.path, path);
    snprintf(path, sizeof path, "%s/lib64/libcublas.so.12", folder);
    CHECK(sdfg_rt_device_library(SDFG_RT_CUBLAS, 12080, &file));
    CHECK_STR(file.path, path);
    snprintf(command, sizeof command, "rm %s/lib64/libcublas.so.12", folder);
    CHECK_INT(system(command), 0);
    struct call c = { .device = { .index = 0 } };
    CHECK(!is_product(&c, &usual, 0));
    CHECK(says(&c, SDFG_RT_DEVICE, "libcublas.so.13: newer than the driver"));
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

int main(void) { return run_tests("SDFG_CUBLAS"); }
