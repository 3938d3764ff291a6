#include "engine/include/sdfg.h"
#include "tests/unit/check.h"
#include "tests/unit/objects.h"

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

TEST(arrays_that_cannot_be)
{
    static int64_t far[] = { INT64_MAX / 8, 1 }, farther[] = { INT64_MAX / 8, INT64_MIN / 8 + 1 },
                   farthest[] = { INT64_MAX, 1 }, wide[] = { INT64_MAX / 64, 1 },
                   apart[] = { INT64_MIN / 16, INT64_MAX / 16 };
    static const struct {
        sdfg_array array;
        const char *why;
    } rows[] = {
        { { .dtype = SDFG_F64, .rank = -1 }, "the rank is not within 0 and 32" },
        { { .dtype = SDFG_F64, .rank = 33 }, "the rank is not within 0 and 32" },
        { { .dtype = SDFG_NONE, .rank = 1 }, "the element type is not one of sdfg_dtype" },
        { { .dtype = SDFG_RECORD + 1, .rank = 1 }, "the element type is not one of sdfg_dtype" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, -1 } }, "a dimension is negative" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { INT64_MAX, 2 } },
          "the number of bytes does not fit into 64 bits" },
        { { .dtype = SDFG_RECORD, .item_bytes = 1 << 30, .rank = 1, .shape = { 1LL << 40 } },
          "the number of bytes does not fit into 64 bits" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, 4 }, .strides = far },
          "the strides lead farther than 64 bits can count" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 2, 3 }, .strides = farther },
          "the strides lead farther than 64 bits can count" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 2, 4 }, .strides = farthest },
          "the strides lead farther than 64 bits can count" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 9, 9 }, .strides = wide },
          "the strides lead farther than 64 bits can count" },
        /* in both directions, and where nothing is stepped through */
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 2, 2 }, .strides = apart }, NULL },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 1, 4 }, .strides = farthest }, NULL },
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[200] = "";
        sdfg_array y = rows[i].array;
        y.struct_size = sizeof y;
        y.data = data;
        if (rows[i].why)
            snprintf(expected, sizeof expected, "invalid: the shape of 'A' is not valid: %s", rows[i].why);
        CHECK_STR(said(sdfg_args_array(f.args, "A", &y)), expected);
    }
    end(&f);
}

TEST(vectors_lie_packed)
{
    static int64_t packed[] = { 8, 1 }, apart[] = { 6, 1 }, stepped[] = { 8, 2 }, step[] = { 2 };
    static const struct {
        int rank;
        int64_t shape[3], *strides;
        const char *said;
    } rows[] = {
        { 2, { 6, 4 }, NULL, "" },
        { 2, { 6, 4 }, packed, "invalid: the strides of 'V' are [2], but the program expects [1]" },
        { 2,
          { 6, 4 },
          apart,
          "invalid: the shape of 'V' is not valid: its last dimension must hold whole vectors, packed" },
        { 2,
          { 6, 4 },
          stepped,
          "invalid: the shape of 'V' is not valid: its last dimension must hold whole vectors, packed" },
        { 2,
          { 6, 3 },
          NULL,
          "invalid: the shape of 'V' is not valid: its last dimension must hold whole vectors, packed" },
        { 1,
          { 24 },
          step,
          "invalid: the shape of 'V' is not valid: its last dimension must hold whole vectors, packed" },
        { 3, { 2, 3, 4 }, NULL, "invalid: 'V' has 3 dimensions, but the program expects 1: [K]" },
        { 0, { 0 }, NULL, "invalid: 'V' has 0 dimensions, but the program expects 1: [K]" },
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_array y = {
            .struct_size = sizeof y, .data = data, .dtype = SDFG_F32, .rank = rows[i].rank, .strides = rows[i].strides
        };
        memcpy(y.shape, rows[i].shape, sizeof rows[i].shape);
        give_all(&f);
        CHECK_STR(said(sdfg_args_array(f.args, "V", &y)), "");
        CHECK_STR(said(sdfg_call(f.program, f.args)), rows[i].said);
    }
    end(&f);
}

/* ---- what kinds of arguments take ---- */

#define KIND(name, type, more)                                                                                         \
    "\"" name "\": {\"type\": \"" type "\", \"attributes\": {\"shape\": [\"1\"], \"total_size\": \"1\", " more "}}"
#define PAIR                                                                                                           \
    "\"dtype\": {\"type\": \"pointer\", \"dtype\": {\"type\": \"struct\", \"name\": \"pair\", \"data\": [[\"x\", "     \
    "\"float64\"]], \"length\": {}, \"bytes\": 8}}, \"members\": [[\"x\", {\"type\": \"Scalar\", \"attributes\": {"    \
    "\"dtype\": \"float64\", \"shape\": [\"1\"]}}]]"

static const char kinds_text[] = "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"kinds\", \"_arrays\": {" //
    KIND("A", "Array", "\"dtype\": \"float64\", \"optional\": false") ","                                    //
    KIND("x", "Scalar", "\"dtype\": \"uint8\"") ","                                                          //
    KIND("T", "Scalar", "\"dtype\": {\"type\": \"string\"}") ","                                             //
    KIND("F", "Scalar", "\"dtype\": {\"type\": \"callback\", \"arguments\": [], \"returntypes\": []}") "," KIND(
        "R", "Array",
        "\"dtype\": {\"type\": \"struct\", \"name\": \"one\", \"data\": [[\"x\", \"float64\"]], \"length\": {}, "
        "\"bytes\": 8}") "," KIND("V", "Scalar",
                                  "\"dtype\": {\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"4\"}") "," KIND("Q",
                                                                                                                             "Stream",
                                                                                                                             "\"dtype\": \"float64\"") "," //
    KIND("B", "Structure", PAIR) "}, \"symbols\": {\"N\": \"int64\"}}, \"start_block\": 0, \"edges\": [], " //
                                 "\"nodes\": [{\"type\": \"SDFGState\", \"label\": \"empty\", \"id\": 0, "  //
                                 "\"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";

static sdfg_error *give_array(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name, SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 1, .shape = { 1 }));
}

static sdfg_error *give_pair(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name, SDFG_ARRAY(.data = data, .dtype = SDFG_U8, .rank = 1, .shape = { 2 }));
}

static sdfg_error *give_value(sdfg_args *a, const char *name) { return sdfg_args_i64(a, name, 1); }
static sdfg_error *give_complex(sdfg_args *a, const char *name) { return sdfg_args_complex(a, name, 1, 2); }
static sdfg_error *give_text(sdfg_args *a, const char *name) { return sdfg_args_string(a, name, "text"); }
static sdfg_error *give_null(sdfg_args *a, const char *name) { return sdfg_args_null(a, name); }
static sdfg_error *give_pointer(sdfg_args *a, const char *name) { return sdfg_args_pointer(a, name, data); }

static sdfg_stream *queue;

static sdfg_error *give_stream(sdfg_args *a, const char *name) { return sdfg_args_stream(a, name, queue); }

static sdfg_error *give_largest(sdfg_args *a, const char *name)
{
    return sdfg_args_scalar(a, name, SDFG_U64, &(uint64_t){ UINT64_MAX });
}

static sdfg_error *give_empty(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name, SDFG_ARRAY(.data = NULL, .dtype = SDFG_U8));
}

static sdfg_error *give_record(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name,
                           SDFG_ARRAY(.data = data, .dtype = SDFG_RECORD, .item_bytes = 8, .rank = 1, .shape = { 1 }));
}

static sdfg_error *give_larger_record(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name,
                           SDFG_ARRAY(.data = data, .dtype = SDFG_RECORD, .item_bytes = 16, .rank = 1, .shape = { 1 }));
}

static sdfg_error *give_table(sdfg_args *a, const char *name)
{
    return sdfg_args_array(a, name, SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 2, .shape = { 1, 1 }));
}

TEST(each_kind_of_argument_takes_its_own)
{
    static const struct {
        const char *name;
        sdfg_error *(*give)(sdfg_args *a, const char *name);
        const char *said;
    } rows[] = {
        { "A", give_array, "" },
        { "A", give_pair, "invalid: 'A' holds float64, but uint8 was given" },
        { "A", give_value, "invalid: 'A' is an array, but a single value was given" },
        { "A", give_complex, "invalid: 'A' is an array, but a single value was given" },
        { "A", give_text, "invalid: 'A' is an array, but a text was given" },
        { "A", give_null, "" },
        { "A", give_pointer, "" },
        { "A", give_stream, "invalid: 'A' is an array, but a stream was given" },
        { "A", give_largest, "invalid: 'A' is an array, but a single value was given" },
        { "A", give_empty, "invalid: 'A' holds float64, but uint8 was given" },
        { "A", give_record, "invalid: 'A' holds float64, but record was given" },
        { "x", give_array, "" },
        { "x", give_pair, "invalid: 'x' is a scalar, but an array was given" },
        { "x", give_value, "" },
        { "x", give_complex, "invalid: the value (1.0, 2.0) of 'x' does not fit into uint8" },
        { "x", give_text, "invalid: 'x' is a scalar, but a text was given" },
        { "x", give_null, "invalid: 'x' is a scalar, but null was given" },
        { "x", give_pointer, "invalid: 'x' is a scalar, but a pointer was given" },
        { "x", give_stream, "invalid: 'x' is a scalar, but a stream was given" },
        { "x", give_largest, "invalid: the value 18446744073709551615 of 'x' does not fit into uint8" },
        { "x", give_empty, "invalid: 'x' must not be null" },
        { "x", give_record, "invalid: 'x' holds uint8, but record was given" },
        { "T", give_array, "invalid: 'T' holds string, but float64 was given" },
        { "T", give_pair, "invalid: 'T' holds string, but uint8 was given" },
        { "T", give_value, "invalid: 'T' is a text, but a single value was given" },
        { "T", give_complex, "invalid: 'T' is a text, but a single value was given" },
        { "T", give_text, "" },
        { "T", give_null, "" },
        { "T", give_pointer, "" },
        { "T", give_stream, "invalid: 'T' is a text, but a stream was given" },
        { "T", give_largest, "invalid: 'T' is a text, but a single value was given" },
        { "T", give_empty, "invalid: 'T' holds string, but uint8 was given" },
        { "T", give_record, "invalid: 'T' holds string, but record was given" },
        { "F", give_array, "invalid: 'F' holds callback(), but float64 was given" },
        { "F", give_pair, "invalid: 'F' holds callback(), but uint8 was given" },
        { "F", give_value, "invalid: 'F' is a function, but a single value was given" },
        { "F", give_complex, "invalid: 'F' is a function, but a single value was given" },
        { "F", give_text, "" },
        { "F", give_null, "" },
        { "F", give_pointer, "" },
        { "F", give_stream, "invalid: 'F' is a function, but a stream was given" },
        { "F", give_largest, "invalid: 'F' is a function, but a single value was given" },
        { "F", give_empty, "invalid: 'F' holds callback(), but uint8 was given" },
        { "F", give_record, "invalid: 'F' holds callback(), but record was given" },
        { "F", give_larger_record, "invalid: 'F' holds callback(), but record was given" },
        { "F", give_table, "invalid: 'F' is a function, but an array was given" },
        { "R", give_array, "invalid: 'R' holds struct one, but float64 was given" },
        { "R", give_pair, "invalid: 'R' holds struct one, but uint8 was given" },
        { "R", give_value, "invalid: 'R' is an array, but a single value was given" },
        { "R", give_complex, "invalid: 'R' is an array, but a single value was given" },
        { "R", give_text, "invalid: 'R' is an array, but a text was given" },
        { "R", give_null, "" },
        { "R", give_pointer, "" },
        { "R", give_stream, "invalid: 'R' is an array, but a stream was given" },
        { "R", give_largest, "invalid: 'R' is an array, but a single value was given" },
        { "R", give_empty, "invalid: 'R' holds struct one, but uint8 was given" },
        { "R", give_record, "" },
        { "R", give_larger_record, "invalid: 'R' holds struct one, but record was given" },
        { "R", give_table, "invalid: 'R' holds struct one, but float64 was given" },
        { "V", give_array, "" },
        { "V", give_pair, "invalid: 'V' is a scalar, but an array was given" },
        { "V", give_value, "" },
        { "V", give_complex, "invalid: the value (1.0, 2.0) of 'V' does not fit into vec<float32,4>" },
        { "V", give_text, "invalid: 'V' is a scalar, but a text was given" },
        { "V", give_null, "invalid: 'V' is a scalar, but null was given" },
        { "V", give_pointer, "invalid: 'V' is a scalar, but a pointer was given" },
        { "V", give_stream, "invalid: 'V' is a scalar, but a stream was given" },
        { "V", give_largest, "" },
        { "V", give_empty, "invalid: 'V' must not be null" },
        { "V", give_record, "invalid: 'V' holds vec<float32,4>, but record was given" },
        { "V", give_larger_record, "invalid: 'V' holds vec<float32,4>, but record was given" },
        { "V", give_table, "invalid: 'V' is a scalar, but an array was given" },
        { "A", give_larger_record, "invalid: 'A' holds float64, but record was given" },
        { "x", give_larger_record, "invalid: 'x' holds uint8, but record was given" },
        { "x", give_table, "invalid: 'x' is a scalar, but an array was given" },
        { "T", give_larger_record, "invalid: 'T' holds string, but record was given" },
        { "T", give_table, "invalid: 'T' is a text, but an array was given" },
        { "Q", give_larger_record, "invalid: 'Q' is a stream, but an array was given" },
        { "Q", give_table, "invalid: 'Q' is a stream, but an array was given" },
        { "B", give_larger_record, "invalid: 'B' is a structure, but an array was given" },
        { "B", give_table, "invalid: 'B' is a structure, but an array was given" },
        { "Q", give_array, "invalid: 'Q' is a stream, but an array was given" },
        { "Q", give_pair, "invalid: 'Q' is a stream, but an array was given" },
        { "Q", give_value, "invalid: 'Q' is a stream, but a single value was given" },
        { "Q", give_complex, "invalid: 'Q' is a stream, but a single value was given" },
        { "Q", give_text, "invalid: 'Q' is a stream, but a text was given" },
        { "Q", give_null, "" },
        { "Q", give_pointer, "invalid: 'Q' is a stream, but a pointer was given" },
        { "Q", give_stream, "" },
        { "Q", give_largest, "invalid: 'Q' is a stream, but a single value was given" },
        { "Q", give_empty, "invalid: 'Q' is a stream, but an array was given" },
        { "Q", give_record, "invalid: 'Q' is a stream, but an array was given" },
        { "B", give_array, "invalid: 'B' is a structure, but an array was given" },
        { "B", give_pair, "invalid: 'B' is a structure, but an array was given" },
        { "B", give_value, "invalid: 'B' is a structure, but a single value was given" },
        { "B", give_complex, "invalid: 'B' is a structure, but a single value was given" },
        { "B", give_text, "invalid: 'B' is a structure, but a text was given" },
        { "B", give_null, "" },
        { "B", give_pointer, "" },
        { "B", give_stream, "invalid: 'B' is a structure, but a stream was given" },
        { "B", give_largest, "invalid: 'B' is a structure, but a single value was given" },
        { "B", give_empty, "invalid: 'B' is a structure, but an array was given" },
        { "B", give_record, "invalid: 'B' is a structure, but an array was given" },
    };
    sdfg_engine *engine;
    sdfg_program *p;
    sdfg_args *a;
    CHECK_STR(said(sdfg_engine_new(&engine, NULL)), "");
    CHECK_STR(said(sdfg_program_load(&p, engine, kinds_text, strlen(kinds_text), NULL)), "");
    CHECK_STR(said(sdfg_stream_new(&queue, 8, 1)), "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STR(said(sdfg_args_new(&a, p)), "");
        CHECK_STR(said(rows[i].give(a, rows[i].name)), "");
        CHECK_STR(said(sdfg_args_solve(a)), rows[i].said);
        sdfg_args_free(a);
    }
    sdfg_stream_free(queue);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

/* Names that nothing has, however a value is given. */
TEST(unknown_names)
{
    sdfg_error *(*const rows[])(sdfg_args * a, const char *name) = { give_array,  give_value,  give_complex,
                                                                     give_text,   give_null,   give_pointer,
                                                                     give_stream, give_largest };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(said(rows[i](f.args, "nothing")), "invalid: the program has no argument 'nothing'");
    CHECK_STR(said(sdfg_args_scalar(f.args, "small", SDFG_RECORD, data)),
              "invalid: the shape of 'small' is not valid: a single value needs a basic element type");
    end(&f);
}

/* After a call all is settled; an array that lies in another way is looked at again. */
TEST(another_layout_after_a_call)
{
    static int64_t packed[] = { 5, 1 }, wide[] = { 6, 1 };
    static const struct {
        sdfg_array array;
        const char *said;
    } rows[] = {
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 } }, "" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }, .strides = packed }, "" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }, .strides = wide },
          "invalid: the strides of 'A' are [6, 1], but the program expects [M = 5, 1]" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 3, 6 } }, "" },
        { { .dtype = SDFG_F64, .rank = 2, .shape = { 4, 5 } },
          "invalid: 'N' is 4 from A.shape[0] = N, but 3 from S.shape[0] = N" },
        { { .dtype = SDFG_F64, .rank = 1, .shape = { 15 } },
          "invalid: 'A' has 1 dimensions, but the program expects 2: [N, M]" },
        { { .dtype = SDFG_F32, .rank = 2, .shape = { 3, 5 } }, "invalid: 'A' holds float64, but float32 was given" },
        { { .dtype = SDFG_RECORD, .item_bytes = 8, .rank = 2, .shape = { 3, 5 } },
          "invalid: 'A' holds float64, but record was given" },
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdfg_array y = rows[i].array;
        y.struct_size = sizeof y;
        y.data = data;
        give_all(&f);
        CHECK_STR(said(sdfg_call(f.program, f.args)), "");
        CHECK_STR(said(sdfg_args_array(f.args, "A", &y)), "");
        CHECK_STR(said(sdfg_call(f.program, f.args)), rows[i].said);
    }
    end(&f);
}

/* ---- arrays of an interpreter ---- */

static const int other_type = 0;

TEST(objects_that_are_no_such_arrays_are_left_to_the_caller)
{
    static const int types[SDFG_RECORD] = { 0 };
    static const int64_t shape[] = { 3, 5 }, strides[] = { 40, 8 }, odd[] = { 40, 12 };
    static const struct {
        struct object object;
        size_t taken;
        const char *said;
    } rows[] = {
        { { &array_type, data, shape, strides, &types[SDFG_F64], 2, 0 }, 1, "" },
        { { &array_type, data, NULL, NULL, &types[SDFG_F64], 0, 0 }, 1, "" },
        { { &other_type, data, shape, strides, &types[SDFG_F64], 2, 0 }, 0, "" },
        { { &array_type, data, shape, strides, &other_type, 2, 0 }, 0, "" },
        { { &array_type, data, shape, strides, &types[SDFG_F64], -1, 0 }, 0, "" },
        { { &array_type, data, shape, strides, &types[SDFG_F64], SDFG_MAX_RANK + 1, 0 }, 0, "" },
        { { &array_type, data, shape, odd, &types[SDFG_F64], 2, 0 }, 0, "" },
        { { &array_type, data, shape, strides, &types[SDFG_NONE], 2, 0 }, 0, "" },
        { { &array_type, data, shape, strides, &types[SDFG_NONE], 0, 0 },
          0,
          "invalid: the shape of 'A' is not valid: the element type is not one of sdfg_dtype" },
    };
    static const char *const names[] = { "A", "nothing" };
    const void *dtypes[SDFG_RECORD];
    struct fixture f;
    size_t taken;
    sdfg_object_layout l = layout_of(dtypes, types);
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const void *const tuple[] = { &rows[i].object };
        CHECK_STR(said(sdfg_args_objects(&taken, f.args, &l, names, 1, tuple)), rows[i].said);
        CHECK_INT(taken, rows[i].taken);
    }
    const void *const two[] = { &rows[0].object, &rows[0].object };
    CHECK_STR(said(sdfg_args_objects(&taken, f.args, &l, names, 2, two)),
              "invalid: the program has no argument 'nothing'");
    CHECK_INT(taken, 1);
    end(&f);
}

TEST(calls_repeat_with_objects)
{
    static const int types[SDFG_RECORD] = { 0 };
    static const char *const names[] = { "X", "Y" };
    static const int64_t shape[] = { 5 }, stride[] = { 8 };
    const void *dtypes[SDFG_RECORD];
    struct fixture f;
    size_t taken;
    double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 1, 1, 1, 1 }, z[] = { 0, 0, 0, 0, 7 };
    sdfg_object_layout l = layout_of(dtypes, types), older = l;
    struct object read = { &array_type, x, shape, stride, &types[SDFG_F64], 1, 0 }, written = read, sealed, foreign;
    written.data = y;
    written.flags = OBJECT_WRITABLE;
    sealed = foreign = written;
    sealed.flags = ~OBJECT_WRITABLE;
    foreign.type = &other_type;
    const void *const tuple[] = { &read, &written }, *const no_array[] = { &foreign, &written };
    const void *const read_only[] = { &read, &sealed };
    CHECK_STR(said(sdfg_engine_new(&f.engine, NULL)), "");
    CHECK_STR(said(sdfg_program_load_file(&f.program, f.engine, "../examples/axpy.sdfg")), "");
    CHECK_STR(said(sdfg_args_new(&f.args, f.program)), "");
    sdfg_objects o = { sizeof o, f.args, &l, names, 2 };
    CHECK_STR(said(sdfg_args_f64(f.args, "alpha", 2)), "");
    CHECK(!sdfg_objects_ready(&o, tuple)); /* nothing has been given before */
    CHECK_STR(said(sdfg_args_objects(&taken, f.args, &l, names, 2, tuple)), "");
    CHECK_STR(said(sdfg_call(f.program, f.args)), "");
    CHECK(y[0] == 3 && y[4] == 11);
    written.data = z;
    CHECK(sdfg_objects_ready(&o, tuple));
    CHECK_STR(said(sdfg_call(f.program, f.args)), "");
    CHECK(y[4] == 11 && z[4] == 17);
    CHECK(!sdfg_objects_ready(&o, no_array) && !sdfg_objects_ready(&o, read_only));
    older.struct_size = offsetof(sdfg_object_layout, flags);
    o.layout = &older;
    CHECK(!sdfg_objects_ready(&o, tuple) && !sdfg_objects_ready(NULL, tuple));
    end(&f);
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

CHECK_MAIN
