#include "engine/args/args.h"

#include "tests/unit/check.h"

#include <stdlib.h>

/* The quick way to symbols and checks says the same as the long one, or nothing. */

#define ARRAY(name, dtype, shape, strides, more)                                                                       \
    "\"" name "\": {\"type\": \"Array\", \"attributes\": {\"dtype\": " dtype ", \"shape\": [" shape                    \
    "], \"strides\": [" strides "], \"total_size\": \"1000\"" more "}}"
#define SCALAR(name, dtype)                                                                                            \
    "\"" name "\": {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"" dtype "\", \"shape\": [\"1\"]}}"

static const char text[] = "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"nothing\", \"_arrays\": {"        //
    ARRAY("A", "\"float64\"", "\"N\", \"M\"", "\"M\", \"1\"", ", \"optional\": false") ","                      //
    ARRAY("B", "\"float64\"", "\"2*N\"", "\"1\"", ", \"optional\": false") ","                                  //
    ARRAY("C", "\"int32\"", "\"N+M\", \"3\"", "\"step\", \"1\"", ", \"optional\": false") ","                   //
    ARRAY("D", "\"float64\"", "\"few\"", "\"1\"", ", \"optional\": true") ","                                   //
    ARRAY("V", "{\"type\": \"vector\", \"dtype\": \"float32\", \"elements\": \"4\"}", "\"K\"", "\"1\"", "") "," //
    SCALAR("x", "float32") "," SCALAR(
        "size", "int64") "}, \"symbols\": {\"N\": \"int64\", \"M\": \"int64\", \"K\": \"int64\", \"few\": \"int8\", "
                         "\"step\": \"int64\"}}, "
                         "\"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", \"label\": "
                         "\"empty\", \"id\": 0, "
                         "\"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";

static _Alignas(64) char data[4096];
static sdfg_engine *engine;
static sdfg_program *program;

static bool good(sdfg_error *e)
{
    bool ok = !e;
    if (e)
        printf("%s", sdfg_error_text(e));
    sdfg_error_free(e);
    return ok;
}

static sdfg_args *begin(void)
{
    sdfg_args *a;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    CHECK(good(sdfg_program_load(&program, engine, text, strlen(text), NULL)));
    CHECK(good(sdfg_args_new(&a, program)));
    return a;
}

static void end(sdfg_args *a)
{
    sdfg_args_free(a);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
}

/* The long way, and what it found. */
static bool check_all(sdfg_args *a, struct arena *arena)
{
    struct solver s;
    struct diags *d = diags_new(arena);
    return args_solve(a, arena, &s, d) & args_check(a, &s, d);
}

/* True if the quick way settles the call; what both leave is compared. */
static bool compare(sdfg_args *a)
{
    struct arena *arena = arena_new();
    struct argument_entry *quick = NEW_ARRAY(arena, struct argument_entry, a->num_entries);
    bool settled = args_settle(a);
    struct symbol_value *values = arena_copy(arena, a->values, program->num_variables * sizeof *values);
    for (size_t i = 0; i < a->num_entries; i++)
        quick[i] = *a->entries[i];
    bool right = check_all(a, arena);
    CHECK(!settled || right);
    for (uint32_t v = 0; settled && v < program->num_variables; v++) {
        CHECK_INT(values[v].origin, a->values[v].origin);
        CHECK_INT(values[v].value, a->values[v].value);
    }
    for (size_t i = 0; settled && i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        CHECK(quick[i].has_extent == e->has_extent && quick[i].begin == e->begin && quick[i].end == e->end);
        CHECK_INT(quick[i].alignment, e->alignment);
    }
    arena_free(arena);
    return settled;
}

static void give(sdfg_args *a, const char *name, sdfg_dtype dtype, int rank, int64_t n, int64_t m)
{
    CHECK(good(sdfg_args_array(a, name, SDFG_ARRAY(.data = data, .dtype = dtype, .rank = rank, .shape = { n, m }))));
}

static void give_most(sdfg_args *a)
{
    give(a, "A", SDFG_F64, 2, 3, 5);
    give(a, "B", SDFG_F64, 1, 6, 0);
    give(a, "C", SDFG_I32, 2, 8, 3);
    give(a, "D", SDFG_F64, 1, 100, 0);
    CHECK(good(sdfg_args_pointer(a, "V", data)));
    CHECK(good(sdfg_args_f64(a, "x", 1)) && good(sdfg_args_i64(a, "size", 7)) && good(sdfg_args_i64(a, "step", 3)));
}

TEST(what_is_common_is_settled)
{
    sdfg_args *a = begin();
    give_most(a);
    CHECK(compare(a));
    CHECK(good(sdfg_args_null(a, "D"))); /* it may be missing, and then its symbol has no value */
    CHECK(compare(a));
    CHECK(good(sdfg_args_i64(a, "few", 4)));
    CHECK(compare(a));
    CHECK(good(sdfg_args_i64(a, "N", 3))); /* given and found */
    CHECK(compare(a));
    give(a, "A", SDFG_F64, 2, 0, 5); /* nothing is read */
    CHECK(!compare(a));
    CHECK(good(sdfg_args_i64(a, "N", 0)));
    give(a, "B", SDFG_F64, 1, 0, 0);
    give(a, "C", SDFG_I32, 2, 5, 3);
    CHECK(compare(a));
    end(a);
}

TEST(what_is_wrong_or_harder_is_not)
{
    sdfg_args *a = begin();
    CHECK(!compare(a)); /* nothing is there */
    give_most(a);
    CHECK(compare(a));
    give(a, "B", SDFG_F64, 1, 7, 0); /* is 2*N */
    CHECK(!compare(a));
    give(a, "B", SDFG_F32, 1, 6, 0);
    CHECK(!compare(a));
    give(a, "B", SDFG_F64, 2, 6, 1);
    CHECK(!compare(a));
    give(a, "B", SDFG_F64, 1, 6, 0);
    CHECK(compare(a));
    CHECK(good(sdfg_args_array(
        a, "A",
        SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }, .strides = (int64_t[]){ 1, 3 }))));
    CHECK(!compare(a));
    CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = data + 4, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }))));
    CHECK(!compare(a)); /* alignment */
    CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = NULL, .dtype = SDFG_F64, .rank = 2, .shape = { 3, 5 }))));
    CHECK(!compare(a));
    give(a, "A", SDFG_F64, 2, 3, 5);
    give(a, "D", SDFG_F64, 1, 200, 0); /* no int8 */
    CHECK(!compare(a));
    give(a, "D", SDFG_F64, 1, 100, 0);
    give(a, "V", SDFG_F32, 2, 6, 4); /* lanes */
    CHECK(!compare(a));
    end(a);
}

static unsigned state = 1;

static int64_t pick(int64_t low, int64_t high)
{
    state = state * 1103515245 + 12345;
    return low + (int64_t)(state >> 16) % (high - low + 1);
}

/* Arrays around the right ones, in any order, some of them left out. */
TEST(any_call)
{
    static const struct {
        const char *name;
        sdfg_dtype dtype;
        int rank;
    } arrays[] = { { "A", SDFG_F64, 2 }, { "B", SDFG_F64, 1 }, { "C", SDFG_I32, 2 }, { "D", SDFG_F64, 1 } };
    int settled = 0;
    for (int round = 0; round < 60; round++) {
        sdfg_args *a = begin();
        for (int step = 0; step < 40; step++) {
            int64_t n = pick(0, 3), m = pick(1, 3), size[4][2] = { { n, m }, { 2 * n, 0 }, { n + m, 3 }, { n, 0 } };
            for (int k = 0; k < 4; k++) {
                int64_t which = (k + round) % 4, *shape = size[which];
                if (pick(0, 15))
                    shape[0] += pick(0, 30) == 0;
                int64_t strides[] = { pick(1, 4), 1 };
                sdfg_array y = *SDFG_ARRAY(.data = data, .dtype = arrays[which].dtype, .rank = arrays[which].rank,
                                           .shape = { shape[0], shape[1] });
                if (!pick(0, 40))
                    y.strides = strides;
                if (pick(0, 30))
                    CHECK(good(sdfg_args_array(a, arrays[which].name, &y)));
            }
            if (!pick(0, 3))
                CHECK(good(sdfg_args_i64(a, "step", pick(2, 3))));
            if (!pick(0, 3))
                CHECK(good(sdfg_args_i64(a, "N", n)));
            CHECK(good(sdfg_args_pointer(a, "V", data)));
            CHECK(good(sdfg_args_f64(a, "x", 1)) && good(sdfg_args_f64(a, "size", pick(0, 5) ? 3 : 3.5)));
            settled += compare(a);
        }
        end(a);
    }
    CHECK(settled > 200);
}

CHECK_MAIN
