/* Values of properties of graphs: what is taken, and what is refused with which words; graphs that are read and
 * written as a whole. */
#include "engine/include/sdfg_graph.h"
#include "tests/unit/check.h"

#include <string.h>

struct parts {
    sdfg_graph *graph;
    sdfg_element *body, *state, *loop, *region, *conditional, *jump, *container, *access, *tasklet, *map, *exit,
        *consume, *library, *edge, *transition;
};

static struct parts parts_new(void)
{
    struct parts p;
    CHECK(!sdfg_graph_new(&p.graph, NULL, "small"));
    sdfg_graph_symbol(p.graph, "N", "int64");
    p.container = sdfg_graph_container(p.graph, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(p.graph, SDFG_CONTAINER_STREAM, "Q", "float64", NULL);
    p.body = sdfg_graph_body(p.graph);
    p.state = sdfg_graph_state(p.body, "s");
    p.loop = sdfg_graph_loop(p.body, "l", "i", "i = 0", "i < N", "i = i + 1");
    p.region = sdfg_graph_region(p.body, "r");
    p.conditional = sdfg_graph_conditional(p.body, "c");
    p.jump = sdfg_graph_jump(p.loop, SDFG_JUMP_BREAK, "b");
    p.access = sdfg_graph_access(p.state, "A");
    p.tasklet = sdfg_graph_tasklet(p.state, "t", "a, b", "c", "c = a");
    p.map = sdfg_graph_map(p.state, "m", "k = 0:N");
    p.exit = sdfg_graph_exit(p.map);
    p.consume = sdfg_graph_consume(p.state, "q", "p", "4", NULL);
    p.library = sdfg_graph_library(p.state, "n", "a.B", NULL, NULL, NULL);
    p.edge = sdfg_graph_edge(p.access, NULL, p.tasklet, "a", "A[0]", NULL);
    p.transition = sdfg_graph_transition(p.state, p.loop, NULL, NULL);
    return p;
}

/* The message of the mistake, or "". */
static const char *said(sdfg_graph *g)
{
    static char text[512];
    sdfg_error *e = sdfg_graph_check(g);
    snprintf(text, sizeof text, "%s", e ? sdfg_error_get(e, 0)->text : "");
    sdfg_error_free(e);
    return text;
}

TEST(values_that_properties_do_not_take)
{
    static const struct {
        size_t part;
        const char *property, *value, *said;
    } rows[] = {
#define OF(part) offsetof(struct parts, part)
        { OF(map), "collapse", "", "'' is no value of 'collapse'" },
        { OF(map), "collapse", "two", "'two' is no value of 'collapse'" },
        { OF(map), "collapse", "2.5", "'2.5' is no value of 'collapse'" },
        { OF(map), "collapse", "99999999999", "'99999999999' is no value of 'collapse'" },
        { OF(map), "unroll", "1", "'1' is no value of 'unroll'" },
        { OF(map), "schedule", "Sometimes", "'Sometimes' is no value of 'schedule'" },
        { OF(map), "schedule", "{", "not JSON: line 1, column 2: unexpected end of the file" },
        { OF(map), "schedule", "{\"no\": \"type\"}", "'{\"no\": \"type\"}' is no value of 'schedule'" },
        { OF(tasklet), "side_effects", "perhaps", "'perhaps' is no value of 'side_effects'" },
        { OF(tasklet), "debuginfo", "file", "'file' is no value of 'debuginfo'" },
        { OF(tasklet), "debuginfo", "file:", "'file:' is no value of 'debuginfo'" },
        { OF(tasklet), "debuginfo", "file:1x", "'file:1x' is no value of 'debuginfo'" },
        { OF(tasklet), "debuginfo", "file:12345678901", "'file:12345678901' is no value of 'debuginfo'" },
        { OF(tasklet), "debuginfo", ":3", "':3' is no value of 'debuginfo'" },
        { OF(tasklet), "in_connectors", "[1]", "'[1]' is no value of 'connectors'" },
        { OF(tasklet), "in_connectors", "{", "not JSON: line 1, column 2: unexpected end of the file" },
        { OF(tasklet), "in_connectors", "{\"x\": \"int32\"}", "'x' is no value of 'connectors'" },
        { OF(tasklet), "in_connectors", "{\"b\": \"int33\"}", "unknown type of connector 'b'" },
        { OF(region), "type", "Loop", "'Loop' is no value of 'type'" },
        { OF(transition), "debuginfo", "file:3", "there is no property 'debuginfo' to set here" },
        { OF(exit), "instrument", "Timer", "there is no property 'instrument' to set here" },
        { OF(jump), "instrument", "Timer", "there is no property 'instrument' to set here" },
        { OF(conditional), "unroll", "true", "there is no property 'unroll' to set here" },
        { OF(edge), "dynamic", "yes", "'yes' is no value of 'dynamic'" },
        { OF(edge), "volume", "N +", "symbolic expression: the expression ends where an operand is expected" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parts p = parts_new();
        sdfg_element *e;
        memcpy(&e, (const char *)&p + rows[i].part, sizeof e);
        sdfg_graph_set(e, rows[i].property, rows[i].value);
        CHECK_STR(said(p.graph), rows[i].said);
        sdfg_graph_free(p.graph);
    }
}

TEST(values_are_written)
{
    char *text;
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "small"));
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "2");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *t = sdfg_graph_tasklet(s, "t", "", "o", "o = 1");
    sdfg_graph_edge(t, "o", sdfg_graph_access(s, "A"), NULL, "A[0]", NULL);
    sdfg_graph_set(t, "state_fields", "int count");
    sdfg_graph_set(t, "state_fields", "double sum");
    sdfg_graph_set(t, "side_effects", "false");
    sdfg_graph_set(t, "debuginfo", "dir/prog.py:12:5");
    sdfg_graph_set(s, "debuginfo", "c:prog.py:7"); /* the name has a colon */
    sdfg_graph_set(t, "out_connectors", "{\"o\": \"float64\"}");
    sdfg_graph_set(s, "instrument", "{\"type\": \"Timer\"}");
    sdfg_error *e = sdfg_graph_text(&text, NULL, g);
    CHECK_STR(sdfg_error_text(e), "");
    sdfg_error_free(e);
    CHECK(text && strstr(text, "\"state_fields\":[\"int count\",\"double sum\"]"));
    CHECK(text && strstr(text, "\"side_effects\":false"));
    CHECK(text && strstr(text, "\"out_connectors\":{\"o\":\"float64\"}"));
    CHECK(text && strstr(text, "\"instrument\":\"Timer\""));
    CHECK(text && strstr(text, "\"start_line\":12") && strstr(text, "\"start_column\":5"));
    CHECK(text && strstr(text, "\"filename\":\"c:prog.py\""));
    sdfg_text_free(text);
    sdfg_graph_free(g);
}

/* ---- whole graphs ---- */

static const char empty[] =
    "{\"type\": \"SDFG\", \"attributes\": {\"name\": \"read\", \"_arrays\": {}, \"symbols\": {}}, "
    "\"start_block\": 0, \"edges\": [], \"nodes\": [{\"type\": \"SDFGState\", \"label\": \"s\", "
    "\"id\": 0, \"attributes\": {}, \"scope_dict\": {}, \"nodes\": [], \"edges\": []}]}";

TEST(only_empty_graphs_are_read)
{
    for (int what = 0; what < 6; what++) {
        sdfg_graph *g, *inner;
        CHECK(!sdfg_graph_new(&g, NULL, "small"));
        inner = what == 5 ? sdfg_graph_inner(g, "inner") : g;
        if (what == 1)
            sdfg_graph_container(g, SDFG_CONTAINER_SCALAR, "x", "float64", NULL);
        if (what == 2)
            sdfg_graph_symbol(g, "N", "int64");
        if (what == 3)
            sdfg_graph_constant(g, "two", "float64", NULL, "2");
        if (what == 4)
            sdfg_graph_state(sdfg_graph_body(g), "s");
        if (what == 5)
            sdfg_graph_nested(sdfg_graph_state(sdfg_graph_body(g), "s"), "n", inner, NULL, NULL, NULL);
        sdfg_graph_read(inner, empty, sizeof empty - 1);
        CHECK_STR(said(g), what == 0   ? ""
                           : what == 5 ? "sdfg_graph_read: the graph 'inner' is not empty"
                                       : "sdfg_graph_read: the graph 'small' is not empty");
        sdfg_graph_free(g);
    }
}

TEST(a_disk_that_is_full_is_an_error)
{
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "small"));
    sdfg_graph_read(g, empty, sizeof empty - 1);
    sdfg_error *e = sdfg_graph_save(g, "/dev/full");
    CHECK_STR(sdfg_error_message(e), "cannot write '/dev/full': No space left on device");
    sdfg_error_free(e);
    e = sdfg_graph_save(g, "/no/such/folder/graph.sdfg");
    CHECK_STR(sdfg_error_message(e), "cannot write '/no/such/folder/graph.sdfg': No such file or directory");
    sdfg_error_free(e);
    sdfg_graph_state(sdfg_graph_body(g), NULL); /* a mistake */
    e = sdfg_graph_save(g, "/no/such/folder/graph.sdfg");
    CHECK_STR(sdfg_error_message(e), "sdfg_graph_state: 'label' must not be NULL");
    sdfg_error_free(e);
    sdfg_graph_free(g);
}

CHECK_MAIN
