/* The copies of arguments that trials work on, and contests of two versions on them. */
#include "engine/tune/contest.h"

#include "tests/unit/api.h"

#include <math.h>

enum { N = 48 };

/* The arguments of axpy as a call has settled them. */
static sdfg_args *settled(sdfg_program *p, double *x, double *y, int n)
{
    sdfg_args *a = axpy_arguments(p, x, y, n);
    CHECK(good(sdfg_args_solve(a)));
    return a;
}

TEST(copies_lie_to_one_another_as_the_arrays_do)
{
    static double memory[(5 << 20) / sizeof(double)];
    static const struct {
        int x, y, n;
        uint32_t blocks;
    } cases[] = { { 0, 8, 8, 2 },
                  { 8, 0, 8, 2 },
                  { 0, 4, 8, 1 },
                  { 4, 0, 8, 1 },
                  { 0, 0, 8, 1 },
                  { 0, 8, 0, 0 },
                  { 0, 1, sizeof memory / sizeof *memory - 1, 1 } };
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *arena = arena_new();
        struct own o;
        sdfg_error *error;
        double alpha = 2, *x = memory + cases[i].x, *y = memory + cases[i].y;
        sdfg_args *a = settled(p, x, y, cases[i].n);
        CHECK(good(sdfg_args_array(a, "alpha", SDFG_ARRAY(.data = &alpha, .dtype = SDFG_F64))));
        CHECK(good(sdfg_args_solve(a)));
        CHECK(own_begin(&o, a, arena, &error) && good(error));
        CHECK_INT(o.num_blocks, cases[i].blocks + 1); /* alpha is read from memory */
        const char *own_x = o.args->entries[1]->array.data, *own_y = o.args->entries[2]->array.data;
        CHECK(!cases[i].n || (own_x != (const char *)x && own_y != (const char *)y));
        if (cases[i].blocks == 1)
            CHECK_INT(own_y - own_x, (const char *)y - (const char *)x);
        own_end(&o);
        sdfg_args_free(a);
        arena_free(arena);
    }
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* Addresses, nulls and arrays without elements come as they are. */
TEST(copies_of_what_is_no_array)
{
    double x[N] = { 1 }, y[N] = { 2 };
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine);
    for (int n = 0; n <= N; n += N) {
        struct arena *arena = arena_new();
        struct own o;
        sdfg_error *error;
        sdfg_args *a;
        CHECK(good(sdfg_args_new(&a, p)));
        CHECK(good(sdfg_args_i64(a, "N", n)) && good(sdfg_args_pointer(a, "X", x)));
        if (n)
            CHECK(good(sdfg_args_pointer(a, "Y", y)));
        else
            CHECK(
                good(sdfg_args_array(a, "Y", SDFG_ARRAY(.data = NULL, .dtype = SDFG_F64, .rank = 1, .shape = { 0 }))));
        CHECK(good(sdfg_args_null(a, "alpha"))); /* the call refuses it */
        sdfg_error_free(sdfg_args_solve(a));
        CHECK(own_begin(&o, a, arena, &error) && good(error));
        CHECK_INT(o.num_blocks, n ? 2 : 0);
        CHECK_INT(o.args->num_entries, 4);
        for (size_t i = 0; i < o.args->num_entries; i++)
            CHECK_STR(o.args->entries[i]->name, a->entries[i]->name);
        if (n)
            CHECK(o.args->entries[1]->array.data != x && *(double *)o.args->entries[2]->array.data == 2);
        CHECK(own_compare(&o) || n);
        own_end(&o);
        sdfg_args_free(a);
        arena_free(arena);
    }
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* One array of a type, of which the first element is written. */
static sdfg_program *load_of_type(sdfg_engine *engine, sdfg_dtype dtype)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "typed");
    build_array(s, "Y", sdfg_dtype_name(dtype), "2");
    struct state *st = build_state(&s->region, "main");
    struct tasklet *t = build_tasklet(st, "set", "", "y", "y = 1");
    build_edge(&t->node, "y", &build_access(st, "Y")->node, NULL, "Y[0]", NULL);
    sdfg_program *p = program_of(engine, s);
    ir_free(ir);
    return p;
}

TEST(results_may_differ_as_sums_in_another_order_do)
{
    static const struct {
        sdfg_dtype dtype;
        double expected[2], is[2]; /* beside a first element of 1000 */
        bool close;
    } cases[] = { { SDFG_F64, { 1, 0 }, { 1 + 1e-8, 0 }, true },
                  { SDFG_F64, { 1, 0 }, { 1 + 1e-5, 0 }, false },
                  { SDFG_F32, { 1, 0 }, { 1.1, 0 }, true },
                  { SDFG_F32, { 1, 0 }, { 1.5, 0 }, false },
                  { SDFG_F16, { 1, 0 }, { 11, 0 }, true },
                  { SDFG_F16, { 1, 0 }, { 31, 0 }, false },
                  { SDFG_C128, { 1, 1 }, { 1, 1 + 1e-8 }, true },
                  { SDFG_C128, { 1, 1 }, { 1, 1.1 }, false },
                  { SDFG_C64, { 1, 1 }, { 1.1, 1 }, true },
                  { SDFG_C64, { 1, 1 }, { 1.5, 1 }, false },
                  { SDFG_I32, { 1, 0 }, { 1, 0 }, true },
                  { SDFG_I32, { 1, 0 }, { 2, 0 }, false },
                  { SDFG_F64, { NAN, 0 }, { NAN, 0 }, true },
                  { SDFG_F64, { NAN, 0 }, { 1, 0 }, false },
                  { SDFG_F64, { 1, 0 }, { NAN, 0 }, false },
                  { SDFG_F64, { INFINITY, 0 }, { INFINITY, 0 }, true },
                  { SDFG_F64, { INFINITY, 0 }, { 1e300, 0 }, false } };
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sdfg_dtype dtype = cases[i].dtype;
        bool integer = dtype < SDFG_F16;
        size_t item = sdfg_dtype_size(dtype);
        unsigned char memory[32] = { 0 };
        struct arena *arena = arena_new();
        struct own o;
        sdfg_error *error;
        sdfg_args *a;
        sdfg_program *p = load_of_type(engine, dtype);
        CHECK(good(sdfg_args_new(&a, p)));
        CHECK(good(sdfg_args_array(a, "Y", SDFG_ARRAY(.data = memory, .dtype = dtype, .rank = 1, .shape = { 2 }))));
        CHECK(good(sdfg_args_solve(a)));
        CHECK(own_begin(&o, a, arena, &error) && good(error) && o.num_blocks == 1);
        const struct scalar first = { .dtype = SDFG_C128, .f = { 1000, 0 } },
                            near = { .dtype = SDFG_C128, .f = { integer ? 1000 : 1000 * (1 + 1e-12), 0 } },
                            expected = { .dtype = SDFG_C128, .f = { cases[i].expected[0], cases[i].expected[1] } },
                            is = { .dtype = SDFG_C128, .f = { cases[i].is[0], cases[i].is[1] } };
        CHECK(scalar_store(&first, dtype, o.blocks->expected) && scalar_store(&near, dtype, o.blocks->own));
        CHECK(scalar_store(&expected, dtype, o.blocks->expected + item) &&
              scalar_store(&is, dtype, o.blocks->own + item));
        CHECK_INT(own_compare(&o), cases[i].close);
        own_reset(&o);
        own_expect(&o);
        CHECK(own_compare(&o)); /* with itself */
        own_end(&o);
        sdfg_args_free(a);
        sdfg_program_free(p);
        arena_free(arena);
    }
    sdfg_engine_free(engine);
}

/* Two bound calls on the same copies, of which the second has another alpha, or fails. */
TEST(versions_that_differ_or_fail_win_nothing)
{
    double x[N], y[N];
    struct arena *arena = arena_new();
    struct own o;
    struct estimate ratio = { 0 };
    sdfg_engine *engine;
    sdfg_error *error;
    sdfg_bound *base, *same, *other, *failing;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = axpy_load(engine), *inverse;
    sdfg_args *singular;
    double zero[49] = { 0 }, out[49];
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i;
    sdfg_args *a = settled(p, x, y, N);
    CHECK(own_begin(&o, a, arena, &error) && good(error));
    CHECK(good(sdfg_bind(&base, p, o.args)) && good(sdfg_bind(&same, p, o.args)));
    CHECK(good(sdfg_args_f64(o.args, "alpha", 3)) && good(sdfg_bind(&other, p, o.args)));
    CHECK(good(sdfg_program_load_file(&inverse, engine, "run/library/inv_plain/prog.sdfg")));
    CHECK(good(sdfg_args_new(&singular, inverse)));
    sdfg_argument info = SDFG_ARGUMENT_INIT;
    for (size_t i = 0; sdfg_program_argument(inverse, i, &info); i++)
        CHECK(good(sdfg_args_pointer(singular, info.name, i ? out : zero)));
    CHECK(good(sdfg_bind(&failing, inverse, singular)));
    struct contest c = { .own = &o, .base = base, .other = same, .rounds = 6, .end = contest_now() + 60, .threads = 1 };
    CHECK_INT(contest(&c, &ratio, &error), CONTEST_DONE);
    CHECK(good(error) && ratio.count >= CONTEST_LEAST_ROUNDS && ratio.median > 0);
    c.other = other;
    CHECK_INT(contest(&c, &ratio, &error), CONTEST_DIFFERS);
    CHECK(good(error));
    c.other = failing;
    CHECK_INT(contest(&c, &ratio, &error), CONTEST_FAILED);
    CHECK_INT(sdfg_error_stage_of(error), SDFG_STAGE_RUN);
    sdfg_error_free(error);
    c.base = failing;
    CHECK_INT(contest(&c, &ratio, &error), CONTEST_FAILED);
    sdfg_error_free(error);
    double seconds;
    error = contest_time(&c, failing, &seconds);
    CHECK_INT(sdfg_error_stage_of(error), SDFG_STAGE_RUN);
    sdfg_error_free(error);
    sdfg_bound *const all[] = { base, same, other, failing };
    for (int i = 0; i < 4; i++)
        sdfg_bound_free(all[i]);
    own_end(&o);
    sdfg_args_free(singular);
    sdfg_program_free(inverse);
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    arena_free(arena);
}

CHECK_MAIN
