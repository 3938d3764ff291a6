#include "tests/unit/api.h"

#include <stdlib.h>

static sdfg_engine *new_engine(const char *specialize)
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_options_init(&o, sizeof o);
    o.specialize = specialize;
    CHECK(good(sdfg_engine_new(&engine, &o)));
    return engine;
}

/* Keeps the values of the last call: out gets what the call before stored, kept gets x. */
static struct sdfg *keeper(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "keeper");
    build_symbol(s, "N", "int64");
    build_array(s, "x", "float64", "N");
    build_array(s, "out", "float64", "N");
    build_transient(s, "kept", "float64", "N")->lifetime = enum_builtin(ir, LIFETIME_PERSISTENT);
    struct state *first = build_state(&s->region, "give"), *second = build_state(&s->region, "take");
    build_transition(&first->block, &second->block, NULL, NULL);
    build_edge(&build_access(first, "kept")->node, NULL, &build_access(first, "out")->node, NULL, "kept", NULL);
    build_edge(&build_access(second, "x")->node, NULL, &build_access(second, "kept")->node, NULL, "x", NULL);
    return s;
}

/* One call with n elements that are all `value`; the first element of the result. */
static double keep(sdfg_program *p, int n, double value)
{
    double x[4], out[4] = { 0 };
    sdfg_args *args;
    for (int i = 0; i < n; i++)
        x[i] = value;
    CHECK(good(sdfg_args_new(&args, p)));
    CHECK(good(sdfg_args_array(args, "x", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_args_array(args, "out", SDFG_ARRAY(.data = out, .dtype = SDFG_F64, .rank = 1, .shape = { n }))));
    CHECK(good(sdfg_call(p, args)));
    sdfg_args_free(args);
    return out[0];
}

TEST(persistent_memory_stays_and_is_kept_apart_by_size)
{
    static const char *const policies[] = { "auto", "none" };
    for (int i = 0; i < 2; i++) {
        struct ir *ir = ir_new();
        sdfg_engine *engine = new_engine(policies[i]);
        sdfg_program *p = program_of(engine, keeper(ir));
        keep(p, 2, 1.5);
        CHECK(keep(p, 2, 2.5) == 1.5);
        keep(p, 4, 7);
        CHECK(keep(p, 2, 3.5) == 2.5);
        CHECK(keep(p, 4, 8) == 7);
        sdfg_program_free(p);
        sdfg_engine_free(engine);
        ir_free(ir);
    }
}

/* out gets what calls before added, x is added if N > 3 only: small N never touch `kept`. */
TEST(persistent_memory_outlives_specializations_that_do_not_use_it)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "rare");
    build_symbol(s, "N", "int64");
    build_array(s, "x", "float64", "N");
    build_array(s, "out", "float64", "N");
    build_transient(s, "kept", "float64", "1")->lifetime = enum_builtin(ir, LIFETIME_PERSISTENT);
    struct state *first = build_state(&s->region, "ask"), *give = build_state(&s->region, "give");
    struct state *take = build_state(&s->region, "take");
    build_transition(&first->block, &give->block, "N > 3", NULL);
    build_transition(&give->block, &take->block, NULL, NULL);
    build_edge(&build_access(give, "kept")->node, NULL, &build_access(give, "out")->node, NULL, "kept[0] -> out[0]",
               NULL);
    build_edge(&build_access(take, "x")->node, NULL, &build_access(take, "kept")->node, NULL, "x[0] -> kept[0]", NULL);
    sdfg_engine *engine = new_engine("all");
    sdfg_program *p = program_of(engine, s);
    CHECK(keep(p, 2, 1.5) == 0);
    CHECK(keep(p, 4, 2.5) == 0);
    CHECK(keep(p, 2, 3.5) == 0);
    CHECK(keep(p, 4, 4.5) == 2.5);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    ir_free(ir);
}

static size_t position(const sdfg_kernel *k, const char *name)
{
    for (size_t i = 0; i < sdfg_kernel_num_params(k); i++)
        if (!strcmp(sdfg_kernel_param(k, i)->name, name))
            return i;
    CHECK(!"the parameter is there");
    return 0;
}

TEST(kernels_run_with_bare_addresses)
{
    sdfg_engine *engine = new_engine(NULL);
    sdfg_program *p;
    sdfg_kernel *k, *same, *other;
    double alpha = 3, x[3] = { 1, 2, 3 }, y[3] = { 10, 10, 10 };
    void *args[8] = { 0 };
    p = axpy_load(engine);
    CHECK(good(sdfg_specialize(&k, p, &(sdfg_symbol){ "N", 3 }, 1)));
    CHECK(good(sdfg_specialize(&same, p, &(sdfg_symbol){ "N", 3 }, 1)));
    CHECK(good(sdfg_specialize(&other, p, NULL, 0)));
    CHECK(k == same && k != other);
    args[position(k, "alpha")] = &alpha;
    args[position(k, "X")] = x;
    args[position(k, "Y")] = y;
    CHECK(good(sdfg_run(k, args, sdfg_kernel_num_params(k))));
    CHECK(y[0] == 13 && y[2] == 19);
    sdfg_error *e = sdfg_run(k, args, sdfg_kernel_num_params(k) + 1);
    CHECK_STR(sdfg_error_code(e), "PARAMETER_COUNT");
    sdfg_error_free(e);
    sdfg_kernel_free(other);
    e = sdfg_specialize(&other, p, &(sdfg_symbol){ "M", 3 }, 1);
    CHECK_STR(sdfg_error_message(e), "the program has no argument 'M'");
    sdfg_error_free(e);
    CHECK(!other);
    sdfg_kernel_free(same);
    sdfg_kernel_free(k);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* Persistent memory of kernels that are run with bare addresses is kept by the sizes they were made for or get. */
TEST(bare_addresses_and_persistent_memory)
{
    for (int bound = 0; bound < 2; bound++) {
        struct ir *ir = ir_new();
        sdfg_engine *engine = new_engine("none");
        sdfg_program *p = program_of(engine, keeper(ir));
        const sdfg_symbol n = { "N", 2 };
        double x[2] = { 1, 2 }, out[2] = { 0 };
        int64_t size = 2;
        sdfg_kernel *k;
        CHECK(good(sdfg_specialize(&k, p, &n, (size_t)bound)));
        void *args[8];
        size_t count = sdfg_kernel_num_params(k);
        for (size_t i = 0; i < count && i < 8; i++) {
            const char *name = sdfg_kernel_param(k, i)->name;
            args[i] = !strcmp(name, "x") ? (void *)x : !strcmp(name, "out") ? (void *)out : &size;
        }
        CHECK(!sdfg_kernel_param(k, count));
        CHECK(good(sdfg_run(k, args, count)));
        x[0] = 5;
        CHECK(good(sdfg_run(k, args, count)) && out[0] == 1 && out[1] == 2);
        CHECK(good(sdfg_run(k, args, count)) && out[0] == 5);
        sdfg_error *e = sdfg_run(k, args, count + 1);
        CHECK_STR(sdfg_error_code(e), "PARAMETER_COUNT");
        sdfg_error_free(e);
        sdfg_kernel_free(k);
        sdfg_program_free(p);
        sdfg_engine_free(engine);
        ir_free(ir);
    }
}

TEST(every_form_can_be_emitted)
{
    sdfg_engine *engine = new_engine(NULL);
    sdfg_program *p = axpy_load(engine);
    for (int what = SDFG_EMIT_SDFG; what <= SDFG_EMIT_OBJECT; what++) {
        char *text;
        size_t size;
        CHECK(good(sdfg_program_emit(&text, &size, p, (enum sdfg_emit)what, NULL, 0)));
        CHECK(size > 0 && text[size] == 0);
        sdfg_text_free(text);
    }
    char *none;
    sdfg_error *e = sdfg_program_emit(&none, NULL, p, (enum sdfg_emit)99, NULL, 0);
    CHECK_STR(sdfg_error_code(e), "OPTION_VALUE");
    sdfg_error_free(e);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* Without work: what a program does with members is tested with the lowering. */
TEST(structures_are_built_from_members)
{
    static const char json[] =
        "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"sum\", \"_arrays\": {"
        "\"S\": {\"type\": \"Structure\", \"attributes\": {\"members\": ["
        "[\"total\", {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"1\"]}}],"
        "[\"x\", {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"$N\"], \"strides\": "
        "[\"1\"], "
        "\"total_size\": \"$N\", \"offset\": [\"0\"]}}]], \"name\": \"S\", \"dtype\": {\"type\": \"pointer\", "
        "\"dtype\": "
        "{\"type\": \"struct\", \"name\": \"S\", \"data\": [[\"total\", \"float64\"], [\"x\", {\"type\": \"pointer\", "
        "\"dtype\": \"float64\"}]], \"length\": [[\"x\", \"N\"]], \"bytes\": 16}}, \"shape\": [\"1\"]}}},"
        "\"symbols\": {\"N\": \"int64\"}}, \"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", "
        "\"label\": \"empty\", \"id\": 0, \"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";
    sdfg_engine *engine = new_engine(NULL);
    sdfg_program *p;
    sdfg_args *args;
    double total = 5, x[3] = { 1, 2, 3 };
    int64_t n;
    CHECK(good(sdfg_program_load(&p, engine, json, sizeof json - 1, NULL)));
    sdfg_argument member = { .struct_size = sizeof member };
    CHECK(sdfg_program_member(p, "S", 1, &member));
    CHECK_STR(member.name, "x");
    CHECK_STR(member.shape[0], "N");
    CHECK(!sdfg_program_member(p, "S", 2, &member));
    CHECK(good(sdfg_args_new(&args, p)));
    sdfg_error *e = sdfg_call(p, args);
    CHECK_STR(sdfg_error_message(e), "argument 'S.total' (float64) is missing");
    sdfg_error_free(e);
    CHECK(good(
        sdfg_args_array(args, "S.total", SDFG_ARRAY(.data = &total, .dtype = SDFG_F64, .rank = 0, .shape = { 0 }))));
    CHECK(good(sdfg_args_array(args, "S.x", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
    CHECK(good(sdfg_call(p, args)));
    CHECK(total == 5);
    CHECK(sdfg_args_value(args, "N", &n) && n == 3);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

CHECK_MAIN
