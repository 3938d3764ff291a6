#include "engine/args/scalar.h"

#include "engine/include/sdfg.h"
#include "tests/unit/check.h"

#include <math.h>

/* A program without work: only its arguments matter. */
static const char text[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"nothing\", \"_arrays\": {"
    "\"A\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"$N\", \"$M\"], "
    "\"strides\": [\"$M\", \"1\"], \"total_size\": \"$N*$M\", \"offset\": [\"0\", \"0\"]}},"
    "\"S\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"int32\", \"shape\": [\"$N\", \"4\"], "
    "\"optional\": true, \"strides\": [\"$step\", \"1\"], \"total_size\": \"$N*$step\", \"offset\": [\"0\", \"0\"]}},"
    "\"V\": {\"type\": \"Array\", \"attributes\": {\"dtype\": {\"type\": \"vector\", \"dtype\": \"float32\", "
    "\"elements\": \"4\"}, "
    "\"shape\": [\"$K\"], \"optional\": true, \"strides\": [\"1\"], \"total_size\": \"$K\", \"offset\": [\"0\"]}},"
    "\"alpha\": {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float32\", \"shape\": [\"1\"]}},"
    "\"small\": {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"int8\", \"shape\": [\"1\"]}}},"
    "\"symbols\": {\"N\": \"int64\", \"M\": \"int64\", \"K\": \"int64\", \"step\": \"int64\"}},"
    "\"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", \"label\": \"empty\", \"id\": 0, "
    "\"attributes\": {}, "
    "\"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";

static double data[64];
static char messages[2000];

struct fixture {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
};

/* The messages of an error, one per line, and its class; "" for none. */
static const char *said(sdfg_error *e)
{
    messages[0] = 0;
    for (size_t i = 0; e && i < sdfg_error_count(e); i++)
        snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%s%s: %s", i ? "\n" : "",
                 sdfg_error_class_name(sdfg_error_get(e, i)->class_id), sdfg_error_get(e, i)->text);
    sdfg_error_free(e);
    return messages;
}

static void begin(struct fixture *f)
{
    CHECK_STR(said(sdfg_engine_new(&f->engine, NULL)), "");
    CHECK_STR(said(sdfg_program_load(&f->program, f->engine, text, strlen(text), NULL)), "");
    CHECK_STR(said(sdfg_args_new(&f->args, f->program)), "");
}

static void end(struct fixture *f)
{
    sdfg_args_free(f->args);
    sdfg_program_free(f->program);
    sdfg_engine_free(f->engine);
}

/* Every argument, right. */
static void give_all(struct fixture *f)
{
    CHECK_STR(
        said(sdfg_args_array(f->args, "A", SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }))),
        "");
    CHECK_STR(said(sdfg_args_array(f->args, "S",
                                   SDFG_ARRAY(.data = data, .dtype = SDFG_I32, .rank = 2, .shape = { 3, 4 },
                                              .strides = (int64_t[]){ 7, 1 }))),
              "");
    CHECK_STR(
        said(sdfg_args_array(f->args, "V", SDFG_ARRAY(.data = data, .dtype = SDFG_F32, .rank = 2, .shape = { 6, 4 }))),
        "");
    CHECK_STR(said(sdfg_args_f64(f->args, "alpha", 0.5)), "");
    CHECK_STR(said(sdfg_args_i64(f->args, "small", -128)), "");
}

static int64_t value(const struct fixture *f, const char *name)
{
    int64_t v = -1;
    return sdfg_args_value(f->args, name, &v) ? v : -1000;
}

TEST(shapes_and_strides_give_symbols)
{
    struct fixture f;
    begin(&f);
    give_all(&f);
    CHECK_STR(said(sdfg_args_solve(f.args)), "");
    CHECK_INT(value(&f, "N"), 3);
    CHECK_INT(value(&f, "M"), 5);
    CHECK_INT(value(&f, "step"), 7);
    CHECK_INT(value(&f, "K"), 6);
    CHECK_INT(value(&f, "small"), -128);
    end(&f);
}

TEST(a_call_that_is_right_runs)
{
    struct fixture f;
    begin(&f);
    give_all(&f);
    CHECK_STR(said(sdfg_call(f.program, f.args)), "");
    end(&f);
}

TEST(vectors_take_their_base_type)
{
    struct fixture f;
    begin(&f);
    CHECK_STR(
        said(sdfg_args_array(f.args, "V", SDFG_ARRAY(.data = data, .dtype = SDFG_F32, .rank = 1, .shape = { 24 }))),
        "");
    CHECK_STR(said(sdfg_args_solve(f.args)), "");
    CHECK_INT(value(&f, "K"), 6);
    CHECK_STR(
        said(sdfg_args_array(f.args, "V", SDFG_ARRAY(.data = data, .dtype = SDFG_F32, .rank = 1, .shape = { 23 }))),
        "");
    CHECK_STR(said(sdfg_args_solve(f.args)),
              "invalid: the shape of 'V' is not valid: its last dimension must hold whole vectors, packed");
    end(&f);
}

TEST(all_mistakes_are_named)
{
    struct fixture f;
    begin(&f);
    give_all(&f);
    CHECK_STR(
        said(sdfg_args_array(f.args, "A", SDFG_ARRAY(.data = data, .dtype = SDFG_F32, .rank = 2, .shape = { 3, 5 }))),
        "");
    CHECK_STR(said(sdfg_args_f64(f.args, "small", 3.5)), "");
    CHECK_STR(said(sdfg_call(f.program, f.args)), "invalid: 'A' holds float64, but float32 was given\n"
                                                  "invalid: the value 3.5 of 'small' does not fit into int8");
    end(&f);
}

TEST(arguments_belong_to_a_program)
{
    struct fixture f;
    sdfg_program *other;
    begin(&f);
    give_all(&f);
    CHECK_STR(said(sdfg_program_load(&other, f.engine, text, strlen(text), NULL)), "");
    CHECK_STR(said(sdfg_call(other, f.args)), "invalid: the arguments were made for another program");
    sdfg_program_free(other);
    end(&f);
}

TEST(strides_must_be_those_of_the_descriptor)
{
    struct fixture f;
    begin(&f);
    give_all(&f);
    CHECK_STR(said(sdfg_args_array(f.args, "A",
                                   SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 },
                                              .strides = (int64_t[]){ 1, 3 }))),
              "");
    CHECK_STR(said(sdfg_call(f.program, f.args)),
              "invalid: the strides of 'A' are [1, 3], but the program expects [M = 5, 1]");
    end(&f);
}

TEST(missing_arguments_and_symbols)
{
    struct fixture f;
    begin(&f);
    give_all(&f);
    sdfg_args_clear(f.args);
    CHECK_STR(said(sdfg_args_null(f.args, "S")), "");
    CHECK_STR(said(sdfg_args_null(f.args, "V")), "");
    CHECK_STR(said(sdfg_args_f64(f.args, "alpha", 1)), "");
    CHECK_STR(said(sdfg_args_i64(f.args, "small", 1)), "");
    CHECK_STR(
        said(sdfg_args_array(f.args, "A", SDFG_ARRAY(.data = NULL, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }))),
        "");
    sdfg_error *e = sdfg_call(f.program, f.args);
    CHECK_STR(sdfg_error_code(e), "ARGUMENT_NULL");
    CHECK_STR(sdfg_error_path(e), "nothing/container \"A\"");
    CHECK(strstr(sdfg_error_json(e), "\"code\":\"ARGUMENT_NULL\"") != NULL);
    sdfg_error_free(e);
    end(&f);
}

TEST(wrong_names_suggest_right_ones)
{
    struct fixture f;
    begin(&f);
    CHECK_STR(said(sdfg_args_i64(f.args, "aplha", 1)),
              "invalid: the program has no argument 'aplha' (did you mean 'alpha'?)");
    CHECK_STR(said(sdfg_args_i64(f.args, "A.x", 1)), "invalid: the program has no argument 'A.x'");
    CHECK_STR(said(sdfg_args_i64(f.args, "A[", 1)), "invalid: the program has no argument 'A[' (did you mean 'A'?)");
    CHECK_STR(said(sdfg_args_i64(f.args, "A", 1)), "");
    CHECK_STR(said(sdfg_args_solve(f.args)), "invalid: 'A' is an array, but a single value was given");
    end(&f);
}

TEST(layouts_follow_the_symbols)
{
    struct fixture f;
    int rank;
    int64_t shape[SDFG_MAX_RANK], strides[SDFG_MAX_RANK], elements;
    begin(&f);
    CHECK_STR(said(sdfg_args_layout(f.args, "S", &rank, shape, strides, &elements)),
              "invalid: the size of 'S' is not known: [N, 4] depends on what has no value yet");
    sdfg_error_free(sdfg_args_i64(f.args, "N", 3));
    sdfg_error_free(sdfg_args_i64(f.args, "step", 8));
    CHECK_STR(said(sdfg_args_solve(f.args)), "");
    CHECK_STR(said(sdfg_args_layout(f.args, "S", &rank, shape, strides, &elements)), "");
    CHECK_INT(rank, 2);
    CHECK_INT(shape[0], 3);
    CHECK_INT(strides[0], 8);
    CHECK_INT(elements, 24);
    end(&f);
}

TEST(options_are_checked)
{
    sdfg_engine *engine;
    struct {
        sdfg_options known;
        int later;
    } o;
    sdfg_options_init(&o.known, sizeof o);
    CHECK_STR(said(sdfg_engine_new(&engine, &o.known)), "");
    sdfg_engine_free(engine);
    o.later = 1;
    CHECK_STR(said(sdfg_engine_new(&engine, &o.known)),
              "invalid: struct sdfg_options uses a field that this version of the library does not know");
    sdfg_options_init(&o.known, sizeof o.known);
    o.known.opt_level = 7;
    CHECK_STR(said(sdfg_engine_new(&engine, &o.known)), "invalid: option 'opt_level' is -1 to 3, or SDFG_OPT_MAX");
    sdfg_options_init(&o.known, sizeof o.known);
    static const char *const wrong[] = { "gpu", "cuda:", "cuda:x", "cuda0", "CPU" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.known.device = wrong[i];
        CHECK_STR(said(sdfg_engine_new(&engine, &o.known)),
                  "invalid: option 'device' is auto, cpu, cuda or cuda:NUMBER");
    }
    o.known.device = "cuda:1";
    CHECK_STR(said(sdfg_engine_new(&engine, &o.known)), ""); /* a device is looked for when it is needed */
    sdfg_engine_free(engine);
}

TEST(a_code_generator_that_is_not_there)
{
    sdfg_options o;
    sdfg_engine *engine;
    const char *backend;
    sdfg_options_init(&o, sizeof o);
    o.codegen = "/no/such/library.so";
    CHECK_STR(said(sdfg_engine_new(&engine, &o)), "");
    CHECK_STR(said(sdfg_engine_backend(&backend, engine)),
              "environment: the code generator cannot be opened: /no/such/library.so: cannot open shared object file: "
              "No such file or directory");
    sdfg_engine_free(engine);
}

TEST(axpy)
{
    struct fixture f;
    double x[5] = { 1, 2, 3, 4, 5 }, y[5] = { 10, 20, 30, 40, 50 };
    sdfg_bound *bound;
    CHECK_STR(said(sdfg_engine_new(&f.engine, NULL)), "");
    CHECK_STR(said(sdfg_program_load_file(&f.program, f.engine, "../examples/axpy.sdfg")), "");
    CHECK_STR(said(sdfg_args_new(&f.args, f.program)), "");
    CHECK_STR(said(sdfg_args_array(f.args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { 5 }))),
              "");
    CHECK_STR(said(sdfg_args_array(f.args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { 5 }))),
              "");
    CHECK_STR(said(sdfg_args_f64(f.args, "alpha", 2)), "");
    CHECK_STR(said(sdfg_call(f.program, f.args)), "");
    CHECK(y[0] == 12 && y[4] == 60);
    CHECK_STR(said(sdfg_bind(&bound, f.program, f.args)), "");
    CHECK_STR(said(sdfg_bound_call(bound)), "");
    CHECK(y[0] == 14 && y[4] == 70);
    sdfg_kernel_info info = { .struct_size = sizeof info };
    sdfg_kernel_describe(sdfg_bound_kernel(bound), &info);
    CHECK_INT(info.num_bound, 1);
    CHECK_STR(info.bound[0].name, "N");
    CHECK_INT(info.bound[0].value, 5);
    sdfg_bound_free(bound);
    CHECK_STR(
        said(sdfg_args_array(f.args, "X", SDFG_ARRAY(.data = y + 1, .dtype = SDFG_F64, .rank = 1, .shape = { 4 }))),
        "");
    CHECK_STR(said(sdfg_args_array(f.args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { 4 }))),
              "");
    CHECK_STR(said(sdfg_call(f.program, f.args)), ""); /* overlapping, and a second size */
    CHECK(y[0] == 14 + 2 * 28 && y[3] == 56 + 2 * 70);
    end(&f);
}

TEST(scalars)
{
    int8_t i8;
    uint64_t u64 = UINT64_MAX;
    float f32;
    uint16_t f16;
    struct scalar s = scalar_load(SDFG_U64, &u64);
    CHECK(!scalar_store(&s, SDFG_I8, &i8));
    CHECK(scalar_store(&s, SDFG_U64, &u64) && u64 == UINT64_MAX);
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { -3, 0 } }, SDFG_I8, &i8) && i8 == -3);
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { 3.5, 0 } }, SDFG_I8, &i8));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { NAN, 0 } }, SDFG_I8, &i8));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { 1e300, 0 } }, SDFG_F32, &f32));
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_F64, .f = { INFINITY, 0 } }, SDFG_F32, &f32) && isinf(f32));
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_C128, .f = { 1, 1 } }, SDFG_F32, &f32));
    CHECK(scalar_store(&(struct scalar){ .dtype = SDFG_I64, .i = 1 }, SDFG_F16, &f16) && f16 == 0x3c00);
    CHECK(!scalar_store(&(struct scalar){ .dtype = SDFG_I64, .i = 2 }, SDFG_BOOL, &i8));
}

CHECK_MAIN
