/* Writing: today's format, nothing lost, and a second round trip that gives the same bytes. read/x.written is what
 * becomes of read/x.sdfg; SDFG_BLESS=1 rewrites it. */
#include "ir/build/build.h"
#include "ir/json/json.h"
#include "tests/unit/check.h"

#include <stdlib.h>

static const char *written(const struct sdfg *s)
{
    struct text out = text_new(s->ir->arena);
    sdfg_write(s, &out);
    return text_get(&out);
}

static const char *printed(const struct sdfg *s)
{
    struct text out = text_new(s->ir->arena);
    sdfg_print(s, &out);
    return text_get(&out);
}

static struct sdfg *read_file(struct ir *ir, const char *path)
{
    size_t size;
    char *text = file_read(ir->arena, ir->diags, path, &size);
    return text ? sdfg_read(ir, text, size, "read") : NULL;
}

static void check_round_trip(const struct sdfg *s)
{
    struct ir *ir = ir_new();
    const char *first = written(s);
    struct sdfg *again = sdfg_read(ir, first, strlen(first), NULL);
    CHECK(again);
    if (again) {
        CHECK_INT(again->syntax, SYM_SYNTAX_NEW);
        CHECK_STR(printed(again), printed(s));
        CHECK_STR(written(again), first);
    }
    ir_free(ir);
}

static void check_file(const char *name)
{
    struct ir *ir = ir_new();
    struct sdfg *s = read_file(ir, arena_printf(ir->arena, "read/%s.sdfg", name));
    CHECK(s);
    if (s) {
        const char *golden = arena_printf(ir->arena, "read/%s.written", name);
        if (getenv("SDFG_BLESS")) {
            FILE *f = fopen(golden, "w");
            fprintf(f, "%s\n", written(s));
            fclose(f);
        }
        size_t size = 0;
        const char *expected = file_read(ir->arena, ir->diags, golden, &size);
        CHECK(expected && size);
        if (expected && size)
            CHECK_STR(written(s), arena_strndup(ir->arena, expected, size - 1));
        check_round_trip(s);
    }
    ir_free(ir);
}

TEST(vintages)
{
    check_file("v0.9");
    check_file("v0.13");
    check_file("v0.16");
    check_file("v2.0");
    check_file("nested-alone");
    check_file("external");
}

TEST(unknown_content_is_kept)
{
    static const char *const kept[] = {
        "\"extra\":{\"kept\":[1,2.5,null]}",
        "\"color\":\"red\"",
        "\"caption\":\"kept\"",
        "\"callback_mapping\":{\"f\":\"func\"}",
        "{\"type\":\"HyperBlock\",\"label\":\"later\"",
        "\"debuginfo\":{\"type\":\"DebugInfo\",\"start_line\":9,\"start_column\":2,\"file_index\":0}",
    };
    struct ir *ir = ir_new();
    struct sdfg *s = read_file(ir, "read/v2.0.sdfg");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        CHECK(strstr(written(s), kept[i]));
    ir_free(ir);
}

TEST(unknown_names_and_types_are_kept)
{
    static const char *const kept[] = {
        "{\"type\":\"HoloArray\",\"attributes\":{\"shape\":[\"$n\"],\"facets\":7}}",
        "\"storage\":\"Cube_RAM\"",
        "\"schedule\":{\"type\":\"ScheduleType.Lanes\",\"width\":4}",
        "{\"type\":\"QuantumNode\",\"label\":\"maybe\"",
        "\"location\":{\"gpu\":\"1 + $n\"}",
        "[\"count\",\"2*$n\"]",
        "\"length\":[[\"row\",\"n\"]]",
    };
    struct ir *ir = ir_new();
    struct sdfg *s = read_file(ir, "read/nested-alone.sdfg");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (!strstr(written(s), kept[i]))
            printf("not written: %s\n", kept[i]);
        CHECK(strstr(written(s), kept[i]));
    }
    ir_free(ir);
}

TEST(built_graphs_are_written)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "axpy");
    build_symbol(s, "N", "int64");
    build_scalar(s, "alpha", "float64");
    build_array(s, "X", "float64", "N");
    build_array(s, "Y", "float64", "N");
    build_constant(s, "k", "int32", "2", "[1, 2]");
    struct state *first = build_state(&s->region, "first"), *st = build_state(&s->region, "compute");
    build_transition(&first->block, &st->block, "N > 0", "M = N - 1");
    struct access *a = build_access(st, "alpha"), *x = build_access(st, "X"), *y = build_access(st, "Y");
    struct map_entry *m = build_map(st, "axpy", "i = 0:N");
    struct tasklet *t = build_tasklet(st, "multiply_add", "s, a", "b", "b = s * a");
    build_path("alpha", NULL, NULL, "s", &a->node, &m->node, &t->node, NULL);
    build_path("X[i]", NULL, NULL, "a", &x->node, &m->node, &t->node, NULL);
    build_path("Y[i]", "lambda p, q: p + q", "b", NULL, &t->node, m->exit, &y->node, NULL);
    CHECK(build_finish(s));
    check_round_trip(s);
    ir_free(ir);
}

CHECK_MAIN
