/* Symbols that are members of structures, as graphs from Fortran have them (tests/cli/sources.sdfg). */
#include "tests/unit/api.h"

struct grid {
    int32_t n, first;
    double *values;
};

static sdfg_engine *engine;
static sdfg_program *program;
static double values[4] = { 1, 2, 3, 4 }, out[4];

/* The error of a call, and no other. */
static bool refuses(sdfg_args *a, const char *expected)
{
    sdfg_error *e = sdfg_call(program, a);
    bool same = e && strstr(sdfg_error_text(e), expected);
    if (!same)
        printf("%s\n", e ? sdfg_error_text(e) : "no error");
    sdfg_error_free(e);
    return same;
}

static sdfg_args *begin(void)
{
    sdfg_args *a;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load_file(&program, engine, "cli/sources.sdfg")));
    CHECK(good(sdfg_args_new(&a, program)));
    return a;
}

static void end(sdfg_args *a)
{
    sdfg_args_free(a);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

static sdfg_error *give_out(sdfg_args *a, int64_t n)
{
    return sdfg_args_array(a, "out", SDFG_ARRAY(.data = out, .dtype = SDFG_F64, .rank = 1, .shape = { n }));
}

TEST(structures_in_memory_say_what_symbols_are)
{
    sdfg_args *a = begin();
    struct grid grid = { 3, 2, values };
    CHECK(good(sdfg_args_pointer(a, "grid", &grid)) && good(give_out(a, 3)));
    CHECK(good(sdfg_call(program, a)));
    CHECK(out[0] == 43 && out[2] == 45 && out[3] == 0);
    grid.first = 5; /* each call reads them */
    CHECK(good(sdfg_call(program, a)));
    CHECK(out[0] == 46 && out[2] == 48);
    grid.n = 4;
    CHECK(refuses(a, "'n_grid' is 4 from the given value, but 3 from out.shape[0] = n_grid"));
    CHECK(good(give_out(a, 4)) && good(sdfg_call(program, a)));
    CHECK(out[3] == 49);
    end(a);
}

TEST(members_and_symbols_are_one)
{
    sdfg_args *a = begin();
    int64_t value;
    CHECK(good(sdfg_args_i64(a, "grid.n", 2)) && good(sdfg_args_i64(a, "first_grid", 7)));
    CHECK(good(
        sdfg_args_array(a, "grid.values", SDFG_ARRAY(.data = values, .dtype = SDFG_F64, .rank = 1, .shape = { 2 }))));
    CHECK(good(give_out(a, 2)) && good(sdfg_call(program, a)));
    CHECK(out[0] == 48 && out[1] == 49);
    CHECK(sdfg_args_value(a, "n_grid", &value) && value == 2);
    CHECK(sdfg_args_value(a, "grid.first", &value) && value == 7);
    CHECK(good(sdfg_args_i64(a, "n_grid", 2)) && good(sdfg_call(program, a))); /* said twice */
    CHECK(good(sdfg_args_i64(a, "n_grid", 3)));
    CHECK(refuses(a, "'n_grid' is 2 from another given value, but 3 from n_grid"));
    end(a);
}

CHECK_MAIN
