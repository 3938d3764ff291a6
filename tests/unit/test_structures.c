/* Structures and container arrays as arguments: what is made of members, and what is said of those that are missing or
 * do not fit. */
#include "tests/unit/api.h"

#include <stdint.h>

/* ---- programs: out[0] is what a tasklet makes of an argument that it gets as a whole ---- */

#define ATTRIBUTES(kind, more) "{\"type\": \"" kind "\", \"attributes\": {\"shape\": [\"1\"], " more "}}"
#define MEMBER(name, more)     "[\"" name "\", " ATTRIBUTES("Scalar", "\"dtype\": " more) "]"
#define STRUCT(name, data)     "{\"type\": \"struct\", \"name\": \"" name "\", \"data\": [" data "], \"length\": {}}"
#define POINTER(to)            "{\"type\": \"pointer\", \"dtype\": " to "}"
#define CALLBACK               "{\"type\": \"callback\", \"arguments\": [\"int32\"], \"returntypes\": [\"int32\"]}"
#define VECTOR                 "{\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"4\"}"
#define TEXT                   "{\"type\": \"string\"}"
#define ALL                    "{\"type\": \"Range\", \"ranges\": [{\"start\": \"0\", \"end\": \"0\", \"step\": \"1\", \"tile\": \"1\"}]}"
#define EDGE(from, out, to, in, data)                                                                                  \
    "{\"type\": \"MultiConnectorEdge\", \"src\": \"" from "\", \"dst\": \"" to "\", \"src_connector\": " out           \
    ", \"dst_connector\": " in                                                                                         \
    ", \"attributes\": {\"data\": {\"type\": \"Memlet\", \"attributes\": {\"data\": \"" data                           \
    "\", \"volume\": \"1\", \"subset\": " ALL "}}}}"
#define ACCESS(id, data)                                                                                               \
    "{\"type\": \"AccessNode\", \"label\": \"" data "\", \"id\": " id ", \"attributes\": {\"data\": \"" data "\"}}"
#define PROGRAM(containers, symbols, code)                                                                                  \
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"parts\", \"_arrays\": {" containers ", \"out\": " ATTRIBUTES(        \
        "Array",                                                                                                            \
        "\"dtype\": \"float64\", \"total_size\": \"1\"") "}, \"symbols\": {" symbols                                        \
                                                         "}}, \"start_block\": 0, \"edges\": [], \"nodes\": "               \
                                                         "[{\"type\": \"SDFGState\", \"label\": \"s\", \"id\": 0, "         \
                                                         "\"attributes\": {}, \"scope_dict\": {}, \"nodes\": "              \
                                                         "[" ACCESS(                                                        \
                                                             "0",                                                           \
                                                             "S") ", {\"type\": \"Tasklet\", \"label\": "                   \
                                                                  "\"t\", \"id\": 1, \"attributes\": {\"label\": "          \
                                                                  "\"t\", \"code\": {\"string_data\": \"" code              \
                                                                  "\", \"language\": "                                      \
                                                                  "\"Python\"}, \"in_connectors\": {\"s\": null}, "         \
                                                                  "\"out_connectors\": {\"o\": null}}}, " ACCESS(           \
                                                                      "2",                                                  \
                                                                      "out") "], \"edges\": [" EDGE("0", "null", "1",       \
                                                                                                    "\"s\"",                \
                                                                                                    "S") ", " EDGE("1",     \
                                                                                                                   "\"o\"", \
                                                                                                                   "2",     \
                                                                                                                   "n"      \
                                                                                                                   "u"      \
                                                                                                                   "l"      \
                                                                                                                   "l",     \
                                                                                                                   "o"      \
                                                                                                                   "u"      \
                                                                                                                   "t") "]}]}"

#define DATA                                                                                                           \
    "[\"x\", \"float64\"], [\"small\", \"int8\"], [\"text\", " TEXT "], [\"f\", " CALLBACK                             \
    "], [\"inner\", " POINTER(STRUCT("inner", "[\"deep\", \"int64\"]")) "]"
#define MEMBERS                                                                                                        \
    MEMBER("x", "\"float64\"")                                                                                         \
    ", " MEMBER("small", "\"int8\"") ", " MEMBER("text", TEXT) ", " MEMBER("f", CALLBACK) ", [\"inner\", " ATTRIBUTES( \
        "Structure", "\"name\": \"inner\", \"dtype\": " POINTER(STRUCT(                                                \
                         "inner", "[\"deep\", \"int64\"]")) ", \"members\": [" MEMBER("deep", "\"int64\"") "]") "]"
#define STRUCTURE(data, members)                                                                                       \
    "\"S\": " ATTRIBUTES("Structure",                                                                                  \
                         "\"name\": \"all\", \"dtype\": " POINTER(STRUCT("all", data)) ", \"members\": [" members "]")

static const char structure[] = PROGRAM(STRUCTURE(DATA, MEMBERS), "", "o = s.x + s.small");
static const char vectors[] =
    PROGRAM(STRUCTURE("[\"x\", \"float64\"], [\"v\", " VECTOR "]", MEMBER("x", "\"float64\"") ", " MEMBER("v", VECTOR)),
            "", "o = s.x");
#define NARROW "{\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"2\"}"
static const char smaller[] =
    PROGRAM(STRUCTURE("[\"x\", \"float64\"], [\"v\", " NARROW "]", MEMBER("x", "\"float64\"") ", " MEMBER("v", VECTOR)),
            "", "o = s.x");

struct trial {
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    double out[1];
};

static void begin(struct trial *t, const char *json)
{
    *t = (struct trial){ .out = { 0 } };
    CHECK(good(sdfg_engine_new(&t->engine, NULL)));
    CHECK(good(sdfg_program_load(&t->program, t->engine, json, strlen(json), NULL)));
    CHECK(good(sdfg_args_new(&t->args, t->program)));
    CHECK(good(
        sdfg_args_array(t->args, "out", SDFG_ARRAY(.data = t->out, .dtype = SDFG_F64, .rank = 1, .shape = { 1 }))));
}

static void end(struct trial *t)
{
    sdfg_args_free(t->args);
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
}

/* The messages of a call, one per line. */
static const char *called(struct trial *t)
{
    static char text[1000];
    sdfg_error *e = sdfg_call(t->program, t->args);
    *text = 0;
    for (size_t i = 0; i < sdfg_error_count(e); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "\n" : "", sdfg_error_get(e, i)->text);
    sdfg_error_free(e);
    return text;
}

static void give_members(struct trial *t)
{
    CHECK(good(sdfg_args_f64(t->args, "S.x", 1.5)));
    CHECK(good(sdfg_args_i64(t->args, "S.small", -3)));
    CHECK(good(sdfg_args_string(t->args, "S.text", "hello")));
    CHECK(good(sdfg_args_pointer(t->args, "S.f", (void *)(uintptr_t)give_members)));
    CHECK(good(sdfg_args_i64(t->args, "S.inner.deep", 4)));
}

TEST(members_make_a_structure)
{
    struct trial t;
    begin(&t, structure);
    CHECK_STR(called(&t), "argument 'S.x' (float64) is missing\nargument 'S.small' (int8) is missing\n"
                          "argument 'S.text' (string) is missing\n"
                          "argument 'S.f' (callback(int32) -> int32) is missing\n"
                          "argument 'S.inner.deep' (int64) is missing");
    give_members(&t);
    CHECK_STR(called(&t), "");
    CHECK(t.out[0] == -1.5);
    end(&t);
}

TEST(members_that_do_not_fit)
{
    struct trial t;
    float one = 2;
    double large = 1000;
    begin(&t, structure);
    give_members(&t);
    CHECK(good(sdfg_args_i64(t.args, "S.small", 128)));
    CHECK_STR(called(&t), "the value 128 of 'S.small' does not fit into int8");
    CHECK(good(sdfg_args_array(t.args, "S.small", SDFG_ARRAY(.data = &large, .dtype = SDFG_F64))));
    CHECK_STR(called(&t), "the value 1000.0 of 'S.small' does not fit into int8");
    CHECK(good(sdfg_args_i64(t.args, "S.small", 0)));
    CHECK(good(sdfg_args_array(t.args, "S.x", SDFG_ARRAY(.data = &one, .dtype = SDFG_F32)))); /* is converted */
    CHECK_STR(called(&t), "");
    CHECK(t.out[0] == 2);
    CHECK(good(sdfg_args_null(t.args, "S.text")));
    CHECK_STR(called(&t), "");
    CHECK(good(sdfg_args_string(t.args, "S.f", "no function")));
    CHECK_STR(called(&t), "'S.f' is a function (callback(int32) -> int32), but a text was given");
    CHECK(good(sdfg_args_null(t.args, "S.f")));
    CHECK_STR(called(&t), "'S.f' must not be null");
    CHECK(good(sdfg_args_i64(t.args, "S.f", 1)));
    CHECK_STR(called(&t), "'S.f' is a function, but a single value was given");
    end(&t);
}

TEST(members_that_cannot_be_stored)
{
    struct trial t;
    float v[4] = { 0 };
    begin(&t, vectors);
    CHECK(good(sdfg_args_f64(t.args, "S.x", 1)));
    CHECK_STR(called(&t), "argument 'S.v' (vec<float32,4>) is missing");
    CHECK(good(sdfg_args_array(t.args, "S.v", SDFG_ARRAY(.data = v, .dtype = SDFG_F32, .rank = 1, .shape = { 4 }))));
    CHECK_STR(called(&t), "'S.v' is a scalar, but an array was given");
    CHECK(good(sdfg_args_f64(t.args, "S.v", 1)));
    CHECK_STR(called(&t), "arguments of type vec<float32,4> ('S.v') cannot be passed");
    end(&t);
    begin(&t, smaller); /* than the member */
    CHECK(good(sdfg_args_f64(t.args, "S.x", 1)));
    CHECK(good(sdfg_args_f64(t.args, "S.v", 1)));
    CHECK_STR(called(&t), "arguments of type vec<float32,4> ('S.v') cannot be passed");
    end(&t);
}

TEST(structures_may_be_given_as_they_lie)
{
    struct {
        double x;
        int8_t small;
        const char *text;
        void *f;
        struct {
            int64_t deep;
        } * inner;
    } s = { .x = 3, .small = 4 };
    struct trial t;
    begin(&t, structure);
    CHECK(good(sdfg_args_pointer(t.args, "S", &s)));
    CHECK_STR(called(&t), "");
    CHECK(t.out[0] == 7);
    end(&t);
}

/* ---- container arrays ---- */

static const char container_array[] =
    PROGRAM("\"S\": {\"type\": \"ContainerArray\", \"attributes\": {\"dtype\": " POINTER(
                "\"float64\"") ", \"shape\": [\"K\"], "
                               "\"strides\": [\"1\"], \"total_size\": \"K\", \"stype\": {\"type\": \"Array\", "
                               "\"attributes\": {\"dtype\": "
                               "\"float64\", \"shape\": [\"2\"], \"strides\": [\"1\"], \"total_size\": \"2\"}}}}",
            "\"K\": \"int64\"", "o = s[1] + K");

TEST(elements_make_a_container_array)
{
    double first[2] = { 1, 2 }, second[2] = { 3, 4 };
    struct trial t;
    begin(&t, container_array);
    CHECK_STR(called(&t), "symbol 'K' has no value: no shape or stride that was given mentions it");
    CHECK(
        good(sdfg_args_array(t.args, "S[0]", SDFG_ARRAY(.data = first, .dtype = SDFG_F64, .rank = 1, .shape = { 2 }))));
    CHECK_STR(called(&t), "symbol 'K' has no value: no shape or stride that was given mentions it");
    CHECK(good(sdfg_args_i64(t.args, "K", 2)));
    CHECK_STR(called(&t), "argument 'S[1]' (float64) is missing");
    CHECK(good(
        sdfg_args_array(t.args, "S[1]", SDFG_ARRAY(.data = second, .dtype = SDFG_F64, .rank = 1, .shape = { 2 }))));
    CHECK_STR(called(&t), "");
    CHECK(t.out[0] == first[1] + 2);
    static const int64_t wrong[] = { -1, 1 << 21, INT64_MAX };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(good(sdfg_args_i64(t.args, "K", wrong[i])));
        CHECK_STR(called(&t), "the shape of 'S' is not valid: a container array has up to 1048576 elements, each given "
                              "by name");
    }
    end(&t);
}

/* What the file says of the type is derived from the element: a number is none that a container array could have. */
static const char number_array[] =
    PROGRAM("\"S\": {\"type\": \"ContainerArray\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"2\"], "
            "\"strides\": [\"1\"], \"total_size\": \"2\"}}",
            "", "o = 1");

TEST(elements_of_a_container_array_are_pointers)
{
    struct trial t;
    begin(&t, number_array);
    CHECK_STR(called(&t), "argument 'S' (void*) is missing");
    end(&t);
}

CHECK_MAIN
