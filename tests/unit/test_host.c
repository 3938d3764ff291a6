/* What a process that embeds the library must survive: objects freed in any order, no more files. */
#include "tests/unit/api.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static sdfg_engine *engine_new(void)
{
    sdfg_engine *e;
    CHECK(good(sdfg_engine_new(&e, NULL)));
    return e;
}

static void expect(sdfg_error *e, const char *code)
{
    CHECK_STR(sdfg_error_code(e), code);
    CHECK_INT(sdfg_error_class_of(e), SDFG_ERROR_ENVIRONMENT);
    sdfg_error_free(e);
}

/* The first test: nobody has opened the code generator. */
TEST(no_more_files)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p = axpy_load(e), *other;
    double x[4] = { 0 }, y[4] = { 0 };
    sdfg_args *a = axpy_arguments(p, x, y, 4);
    struct rlimit before, none;
    CHECK(!getrlimit(RLIMIT_NOFILE, &before));
    int first = open("/dev/null", O_RDONLY);
    close(first);
    none = (struct rlimit){ (rlim_t)first, before.rlim_max };
    CHECK(!setrlimit(RLIMIT_NOFILE, &none));
    expect(sdfg_program_load_file(&other, e, "../examples/axpy.sdfg"), "FILE_OPEN");
    expect(sdfg_call(p, a), "CODEGEN_OPEN");
    CHECK(!setrlimit(RLIMIT_NOFILE, &before));
    CHECK(good(sdfg_call(p, a)));
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(an_engine_goes_with_the_last_of_its_programs)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p = axpy_load(e), *q = axpy_load(e);
    sdfg_engine_free(e);
    sdfg_engine_free(e); /* counts once */
    sdfg_program_free(q);
    CHECK(axpy_call(p, 8));
    sdfg_program_free(p);
}

TEST(a_program_goes_with_the_last_of_what_was_made_of_it)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p = axpy_load(e);
    double x[8], y[8];
    sdfg_args *a = axpy_arguments(p, x, y, 8);
    sdfg_bound *b;
    sdfg_kernel *k;
    CHECK(good(sdfg_bind(&b, p, a)));
    CHECK(good(sdfg_specialize(&k, p, NULL, 0)));
    sdfg_engine_free(e);
    sdfg_program_free(p);
    sdfg_args_free(a);
    for (int i = 0; i < 8; i++) {
        x[i] = i;
        y[i] = 1;
    }
    CHECK(good(sdfg_bound_call(b)));
    CHECK(y[7] == 15);
    CHECK(sdfg_kernel_num_params(sdfg_bound_kernel(b)) > 0);
    sdfg_bound_free(b);
    CHECK(sdfg_kernel_num_params(k) > 0);
    sdfg_kernel_free(k);
}

TEST(arguments_keep_their_program)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p = axpy_load(e);
    double x[4] = { 0, 1, 2, 3 }, y[4] = { 1, 1, 1, 1 };
    sdfg_args *a = axpy_arguments(p, x, y, 4);
    sdfg_program_free(p);
    sdfg_engine_free(e);
    int64_t n;
    CHECK(good(sdfg_args_solve(a)));
    CHECK(sdfg_args_value(a, "N", &n) && n == 4);
    CHECK(!sdfg_args_ready(a));
    sdfg_args_free(a);
}

TEST(a_call_says_whether_its_code_is_there)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p = axpy_load(e);
    double x[4] = { 0 }, y[4] = { 0 };
    sdfg_args *a = axpy_arguments(p, x, y, 4);
    CHECK(!sdfg_args_ready(a));
    CHECK(good(sdfg_call(p, a)));
    CHECK(sdfg_args_ready(a));
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

CHECK_MAIN
