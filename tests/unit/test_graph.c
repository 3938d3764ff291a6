/* Graphs made by the public functions: what they become, that mistakes are collected with their places, and that
 * handles of the wrong kind are mistakes. */
#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

static sdfg_graph *graph_new(void)
{
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "small"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    return g;
}

/* b[i] = code of a[i], in a map. */
static sdfg_element *mapped(sdfg_element *region, const char *code)
{
    sdfg_element *s = sdfg_graph_state(region, "compute"), *m = sdfg_graph_map(s, "m", "i = 0:N");
    sdfg_element *t = sdfg_graph_tasklet(s, "t", "a", "b", code);
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "A"), m, t), "A[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "B")), "B[i]", NULL, "b", NULL);
    return m;
}

static void check_error(sdfg_error *e, const char *code, const char *path)
{
    CHECK(e != NULL);
    CHECK_STR(sdfg_error_code(e), code);
    CHECK_STR(sdfg_error_path(e), path);
    sdfg_error_free(e);
}

static sdfg_engine *engine_new(void)
{
    sdfg_engine *e;
    CHECK(!sdfg_engine_new(&e, NULL));
    return e;
}

static void run(sdfg_engine *e, sdfg_graph *g, double *a, double *b, int64_t n)
{
    sdfg_program *p;
    sdfg_args *args;
    sdfg_error *error = sdfg_graph_load(&p, e, g);
    CHECK_STR(sdfg_error_text(error), "");
    sdfg_error_free(error);
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { n })));
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { n })));
    CHECK(!sdfg_call(p, args));
    sdfg_args_free(args);
    sdfg_program_free(p);
}

TEST(a_graph_runs_and_is_written)
{
    double a[3] = { 1, 2, 3 }, b[3] = { 0 };
    sdfg_engine *e = engine_new();
    sdfg_graph *g = graph_new();
    sdfg_element *m = mapped(sdfg_graph_body(g), "b = 2 * a");
    sdfg_graph_set(m, "schedule", "Sequential");
    sdfg_graph_set(m, "unroll_factor", "4");
    CHECK(!sdfg_graph_check(g));
    run(e, g, a, b, 3);
    CHECK(b[0] == 2 && b[1] == 4 && b[2] == 6);
    char *text;
    size_t size;
    CHECK(!sdfg_graph_text(&text, &size, g));
    CHECK(size == strlen(text));
    CHECK(strstr(text, "\"Sequential\"") && strstr(text, "\"unroll_factor\":4"));
    sdfg_text_free(text);
    check_error(sdfg_graph_save(g, "/dev/null/x.sdfg"), "FILE_WRITE", "");
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* A graph may grow behind a check and a load. */
TEST(control_flow_and_nested_graphs)
{
    double a[2] = { 5, 0 }, b[2] = { 0 };
    sdfg_engine *e = engine_new();
    sdfg_graph *g = graph_new(), *inner = sdfg_graph_inner(g, "inner");
    sdfg_graph_symbol(inner, "n", "int64");
    sdfg_graph_container(inner, SDFG_CONTAINER_ARRAY, "v", "float64", "n");
    sdfg_element *body = sdfg_graph_state(sdfg_graph_body(inner), "body");
    sdfg_element *one = sdfg_graph_tasklet(body, "one", NULL, "r", "r = 7.0");
    sdfg_graph_edge(one, "r", sdfg_graph_access(body, "v"), NULL, "v[n - 1]", NULL);

    sdfg_element *choice = sdfg_graph_conditional(sdfg_graph_body(g), "choice");
    sdfg_element *small = sdfg_graph_state(sdfg_graph_branch(choice, "N < 2"), "small");
    sdfg_element *other = sdfg_graph_state(sdfg_graph_branch(choice, NULL), "other");
    sdfg_element *n = sdfg_graph_nested(other, "call", inner, NULL, "v", "n = N");
    sdfg_graph_edge(n, "v", sdfg_graph_access(other, "B"), NULL, "B", NULL);
    CHECK(small != NULL);
    run(e, g, a, b, 2);
    CHECK(b[0] == 0 && b[1] == 7);

    sdfg_element *loop = sdfg_graph_loop(sdfg_graph_body(g), "forever", "k", "k = 0", "k < 10", "k = k + 1");
    sdfg_graph_symbol(g, "k", "int64");
    sdfg_element *more = sdfg_graph_state(loop, "more"), *add = sdfg_graph_tasklet(more, "add", "a", "b", "b = a + 1");
    sdfg_graph_edge(sdfg_graph_access(more, "B"), NULL, add, "a", "B[0]", NULL);
    sdfg_graph_edge(add, "b", sdfg_graph_access(more, "B"), NULL, "B[0]", NULL);
    sdfg_graph_transition(more, sdfg_graph_jump(loop, SDFG_JUMP_BREAK, "stop"), "k == 4", NULL);
    sdfg_graph_transition(choice, loop, NULL, NULL);
    run(e, g, a, b, 2);
    CHECK(b[0] == 5 && b[1] == 7);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* The text of a graph fills another one, outermost or inner, which may grow. */
TEST(texts_are_read)
{
    double a[3] = { 1, 2, 3 }, b[3] = { 0 };
    char *text, *again;
    size_t size;
    sdfg_engine *e = engine_new();
    sdfg_graph *g = graph_new(), *read, *around;
    mapped(sdfg_graph_body(g), "b = 2 * a");
    CHECK(!sdfg_graph_text(&text, &size, g));
    sdfg_graph_free(g);

    CHECK(!sdfg_graph_new(&read, NULL, "other"));
    sdfg_element *body = sdfg_graph_body(read);
    sdfg_graph_read(read, text, size);
    CHECK(!sdfg_graph_text(&again, NULL, read));
    CHECK_STR(again, text);
    sdfg_text_free(again);
    run(e, read, a, b, 3);
    CHECK(b[0] == 2 && b[2] == 6);
    sdfg_graph_container(read, SDFG_CONTAINER_ARRAY, "C", "float64", "N");
    sdfg_graph_set(body, "openmp_sections", "true"); /* the handle is of what was read */
    CHECK(!sdfg_graph_text(&again, NULL, read));
    CHECK(strstr(again, "\"C\"") && strstr(again, "\"openmp_sections\":true"));
    sdfg_text_free(again);
    sdfg_graph_free(read);

    around = graph_new();
    sdfg_graph *inner = sdfg_graph_inner(around, "inner");
    sdfg_graph_read(inner, text, size);
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(around), "s");
    sdfg_element *n = sdfg_graph_nested(s, "call", inner, "A", "B", "N = N");
    sdfg_graph_edge(sdfg_graph_access(s, "A"), NULL, n, "A", "A", NULL);
    sdfg_graph_edge(n, "B", sdfg_graph_access(s, "B"), NULL, "B", NULL);
    b[2] = 0;
    run(e, around, a, b, 3);
    CHECK(b[0] == 2 && b[2] == 6);
    sdfg_graph_free(around);
    sdfg_text_free(text);
    sdfg_engine_free(e);
}

TEST(texts_that_are_wrong)
{
    static const char *const cut = "{\"type\": \"SDFG\", ", *const other = "{\"type\": \"MapEntry\"}";
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "wrong"));
    sdfg_graph_read(g, cut, strlen(cut));
    sdfg_graph_read(g, other, strlen(other));
    sdfg_graph_read(g, "", 0);
    sdfg_graph_read(g, NULL, 0);
    sdfg_graph_read(NULL, cut, strlen(cut));
    sdfg_graph_symbol(g, "N", "int64"); /* it is still there, and empty */
    sdfg_graph_read(g, cut, strlen(cut));
    sdfg_error *e = sdfg_graph_check(g);
    CHECK_INT(sdfg_error_count(e), 5);
    CHECK_STR(sdfg_error_get(e, 0)->code, "JSON_SYNTAX");
    CHECK_STR(sdfg_error_get(e, 1)->code, "READ_ROOT");
    CHECK_STR(sdfg_error_get(e, 2)->code, "JSON_SYNTAX");
    CHECK_STR(sdfg_error_get(e, 3)->code, "NULL_PARAMETER");
    CHECK_STR(sdfg_error_get(e, 4)->text, "sdfg_graph_read: the graph 'wrong' is not empty");
    sdfg_error_free(e);
    sdfg_graph_free(g);
}

TEST(mistakes_are_collected)
{
    sdfg_graph *g = graph_new();
    sdfg_element *m = mapped(sdfg_graph_body(g), "b = a"), *body = sdfg_graph_body(g);
    sdfg_element *s = sdfg_graph_state(body, "more");
    CHECK(!sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "no name", "float64", "N"));
    CHECK(!sdfg_graph_container(g, 17, "C", "float64", "N"));
    CHECK(!sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "C", "float64", NULL));
    sdfg_graph_set(m, "colour", "red");
    sdfg_graph_set(m, "unroll_factor", "many");
    sdfg_graph_set(m, "unroll", "1");
    sdfg_graph_set(m, "schedule", "Nowhere");
    CHECK(!sdfg_graph_state(s, "state in a state"));
    CHECK(!sdfg_graph_branch(body, "N > 1"));
    CHECK(!sdfg_graph_access(body, "A"));
    CHECK(!sdfg_graph_exit(s));
    CHECK(!sdfg_graph_jump(body, 9, "x"));
    CHECK(!sdfg_graph_transition(s, body, NULL, NULL));
    CHECK(!sdfg_graph_edge(s, NULL, m, NULL, NULL, NULL));
    CHECK(!sdfg_graph_path(SDFG_PATH(m), "A", NULL, NULL, NULL));
    sdfg_element *t = sdfg_graph_tasklet(s, "t", NULL, "o", "o = 1");
    CHECK(!sdfg_graph_path(SDFG_PATH(t, t, t), "A", NULL, NULL, NULL));
    sdfg_graph_edge(t, "o", sdfg_graph_access(s, "A"), NULL, "A[0, 1]", NULL);
    sdfg_error *e = sdfg_graph_check(g);
    CHECK_INT(sdfg_error_count(e), 17);
    CHECK_INT(sdfg_error_class_of(e), SDFG_ERROR_INVALID);
    CHECK_STR(sdfg_error_get(e, 0)->code, "READ_NAME");
    CHECK_STR(sdfg_error_get(e, 3)->code, "BUILD_PROPERTY");
    CHECK_STR(sdfg_error_get(e, 3)->path, "small/state[0] \"compute\"/map[0] \"m\"");
    CHECK_STR(sdfg_error_get(e, 6)->text, "'Nowhere' is no value of 'schedule'");
    CHECK_STR(sdfg_error_get(e, 7)->text, "sdfg_graph_state: 'more' is not a region");
    CHECK_STR(sdfg_error_get(e, 15)->code, "BUILD_PATH");
    CHECK_STR(sdfg_error_get(e, 16)->code, "RULE_MEMLET_RANK");
    sdfg_error_free(e);
    sdfg_graph_free(g);
}

/* Each function, with a handle of another kind or without a text that it needs. */
TEST(what_functions_take)
{
    static const char *const said[] = {
        "sdfg_graph_region: 's' is not a region",
        "sdfg_graph_region: 'label' must not be NULL",
        "sdfg_graph_region: 'A' is not a region",
        "sdfg_graph_region: 'c' is not a region",
        "sdfg_graph_loop: 's' is not a region",
        "sdfg_graph_loop: 'label' must not be NULL",
        "sdfg_graph_loop: 'condition' must not be NULL",
        "sdfg_graph_state: 'label' must not be NULL",
        "sdfg_graph_conditional: 's' is not a region",
        "sdfg_graph_conditional: 'label' must not be NULL",
        "sdfg_graph_branch: 'A' is not a conditional",
        "sdfg_graph_branch: 's' is not a conditional",
        "sdfg_graph_jump: 's' is not a region",
        "sdfg_graph_jump: 'label' must not be NULL",
        "sdfg_graph_transition: 'A' is not a block of a region",
        "sdfg_graph_transition: 'A' is not a block of a region",
        "sdfg_graph_transition: 'small' is not a block of a region",
        "sdfg_graph_access: 'container' must not be NULL",
        "sdfg_graph_access: 'small' is not a state",
        "sdfg_graph_access: '' is not a state",
        "sdfg_graph_tasklet: 'c' is not a state",
        "sdfg_graph_tasklet: 'label' must not be NULL",
        "sdfg_graph_tasklet: 'code' must not be NULL",
        "sdfg_graph_map: 'small' is not a state",
        "sdfg_graph_map: 'label' must not be NULL",
        "sdfg_graph_map: 'ranges' must not be NULL",
        "sdfg_graph_consume: 'small' is not a state",
        "sdfg_graph_consume: 'label' must not be NULL",
        "sdfg_graph_consume: 'pe_index' must not be NULL",
        "sdfg_graph_consume: 'num_pes' must not be NULL",
        "sdfg_graph_exit: 'A' is not an entry node",
        "sdfg_graph_exit: 't' is not an entry node",
        "sdfg_graph_exit: '' is not an entry node",
        "sdfg_graph_nested: 'small' is not a state",
        "sdfg_graph_nested: 'label' must not be NULL",
        "sdfg_graph_library: 'small' is not a state",
        "sdfg_graph_library: 'label' must not be NULL",
        "sdfg_graph_library: 'class_path' must not be NULL",
        "sdfg_graph_edge: 's' is not a node",
        "sdfg_graph_edge: '' is not a node",
        "sdfg_graph_edge: an element of another graph",
        "sdfg_graph_path: 's' is not a node",
        "sdfg_graph_path: an element of another graph",
        "no entry node belongs to this exit node",
    };
    sdfg_graph *g = graph_new(), *other = graph_new();
    sdfg_element *r = sdfg_graph_body(g), *s = sdfg_graph_state(r, "s"), *c = sdfg_graph_conditional(r, "c");
    sdfg_element *a = sdfg_graph_access(s, "A"), *m = sdfg_graph_map(s, "m", "i = 0:N"),
                 *t = sdfg_graph_tasklet(s, "t", "a", "b", "b = a");
    sdfg_element *e = sdfg_graph_edge(a, NULL, m, NULL, NULL, NULL),
                 *far = sdfg_graph_access(sdfg_graph_state(sdfg_graph_body(other), "far"), "A");
    sdfg_graph *inner = sdfg_graph_inner(g, "inner");
    sdfg_element *const nodes[] = { a, NULL, m }, *const mixed[] = { a, s }, *const foreign[] = { a, far };
    CHECK(r && s && c && a && m && t && e && far && inner);
    CHECK(!sdfg_graph_region(s, "x") && !sdfg_graph_region(r, NULL) && !sdfg_graph_region(a, "x") &&
          !sdfg_graph_region(c, "x"));
    CHECK(!sdfg_graph_loop(s, "x", NULL, NULL, "1", NULL) && !sdfg_graph_loop(r, NULL, NULL, NULL, "1", NULL));
    CHECK(!sdfg_graph_loop(r, "x", NULL, NULL, NULL, NULL) && !sdfg_graph_state(r, NULL));
    CHECK(!sdfg_graph_conditional(s, "x") && !sdfg_graph_conditional(r, NULL) && !sdfg_graph_branch(a, "x") &&
          !sdfg_graph_branch(s, "x"));
    CHECK(!sdfg_graph_jump(s, SDFG_JUMP_BREAK, "x") && !sdfg_graph_jump(r, SDFG_JUMP_BREAK, NULL));
    CHECK(!sdfg_graph_transition(s, a, NULL, NULL) && !sdfg_graph_transition(a, s, NULL, NULL) &&
          !sdfg_graph_transition(r, s, NULL, NULL));
    CHECK(!sdfg_graph_access(s, NULL) && !sdfg_graph_access(r, "A") && !sdfg_graph_access(e, "A"));
    CHECK(!sdfg_graph_tasklet(c, "x", NULL, NULL, "") && !sdfg_graph_tasklet(s, NULL, NULL, NULL, "") &&
          !sdfg_graph_tasklet(s, "x", NULL, NULL, NULL));
    CHECK(!sdfg_graph_map(r, "x", "i = 0:N") && !sdfg_graph_map(s, NULL, "i = 0:N") && !sdfg_graph_map(s, "x", NULL));
    CHECK(!sdfg_graph_consume(r, "x", "p", "4", NULL) && !sdfg_graph_consume(s, NULL, "p", "4", NULL));
    CHECK(!sdfg_graph_consume(s, "x", NULL, "4", NULL) && !sdfg_graph_consume(s, "x", "p", NULL, NULL));
    CHECK(!sdfg_graph_exit(a) && !sdfg_graph_exit(t) && !sdfg_graph_exit(e));
    CHECK(!sdfg_graph_nested(r, "x", inner, NULL, NULL, NULL) && !sdfg_graph_nested(s, NULL, inner, NULL, NULL, NULL));
    CHECK(!sdfg_graph_library(r, "x", "a.B", NULL, NULL, NULL) &&
          !sdfg_graph_library(s, NULL, "a.B", NULL, NULL, NULL));
    CHECK(!sdfg_graph_library(s, "x", NULL, NULL, NULL, NULL));
    CHECK(!sdfg_graph_edge(a, NULL, s, NULL, NULL, NULL) && !sdfg_graph_edge(e, NULL, a, NULL, NULL, NULL) &&
          !sdfg_graph_edge(a, NULL, far, NULL, NULL, NULL));
    CHECK(!sdfg_graph_path(mixed, 2, NULL, NULL, NULL, NULL) && !sdfg_graph_path(foreign, 2, NULL, NULL, NULL, NULL));
    /* no mistakes of their own: what comes after one */
    CHECK(!sdfg_graph_path(nodes, 3, NULL, NULL, NULL, NULL) && !sdfg_graph_path(nodes, 0, NULL, NULL, NULL, NULL));
    CHECK(!sdfg_graph_path(nodes + 1, 1, NULL, NULL, NULL, NULL) && !sdfg_graph_edge(NULL, NULL, a, NULL, NULL, NULL));
    CHECK(!sdfg_graph_transition(s, NULL, NULL, NULL) && !sdfg_graph_nested(s, "x", NULL, NULL, NULL, NULL));
    sdfg_error *error = sdfg_graph_check(g);
    CHECK_INT(sdfg_error_count(error), sizeof said / sizeof *said);
    for (size_t i = 0; i < sdfg_error_count(error) && i < sizeof said / sizeof *said; i++)
        CHECK_STR(sdfg_error_get(error, i)->text, said[i]);
    sdfg_error_free(error);
    sdfg_graph_free(g);
    sdfg_graph_free(other);
}

TEST(graphs_do_not_mix)
{
    sdfg_graph *g = graph_new(), *other = graph_new(), *inner = sdfg_graph_inner(g, "inner");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *far = sdfg_graph_state(sdfg_graph_body(other), "far");
    sdfg_element *inside = sdfg_graph_state(sdfg_graph_body(inner), "inside");
    CHECK(!sdfg_graph_transition(s, far, NULL, NULL));
    CHECK(!sdfg_graph_nested(far, "foreign", inner, NULL, NULL, NULL));
    CHECK(!sdfg_graph_nested(inside, "itself", inner, NULL, NULL, NULL));
    CHECK(!sdfg_graph_nested(s, "outermost", g, NULL, NULL, NULL));
    CHECK(sdfg_graph_nested(s, "once", inner, NULL, NULL, NULL) != NULL);
    CHECK(!sdfg_graph_nested(s, "twice", inner, NULL, NULL, NULL));
    sdfg_error *e = sdfg_graph_check(inner); /* of all */
    CHECK_INT(sdfg_error_count(e), 4);
    CHECK_STR(sdfg_error_get(e, 0)->code, "BUILD_FOREIGN");
    CHECK_STR(sdfg_error_get(e, 1)->code, "BUILD_AROUND");
    CHECK_STR(sdfg_error_get(e, 3)->code, "BUILD_NESTED");
    sdfg_error_free(e);
    sdfg_graph_free(inner); /* does nothing: it lives in g */
    sdfg_graph_free(g);
    sdfg_graph_free(other);
}

/* What has no parameters of its own is given as files have it. */
static const char *const pair =
    "{\"type\": \"Structure\", \"attributes\": {\"name\": \"Pair\", \"transient\": true, \"members\": ["
    "[\"x\", {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"$N\"], \"transient\": "
    "true}}],"
    "[\"y\", {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": [\"$N\"], \"transient\": "
    "true}}]]}}";

/* All of `from` to `to`, each element by `code` of a. */
static void all_of(sdfg_element *s, sdfg_element *from, const char *read, sdfg_element *to, const char *written,
                   const char *code)
{
    sdfg_element *m = sdfg_graph_map(s, "m", "i = 0:N"), *t = sdfg_graph_tasklet(s, "t", "a", "b", code);
    sdfg_graph_path(SDFG_PATH(from, m, t), read, NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), to), written, NULL, "b", NULL);
}

TEST(structures)
{
    double a[3] = { 1, 2, 3 }, b[3] = { 0 };
    sdfg_engine *e = engine_new();
    sdfg_graph *g = graph_new(), *again;
    CHECK(sdfg_graph_descriptor(g, "S", pair) != NULL);
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *y = sdfg_graph_access(s, "S.y");
    all_of(s, sdfg_graph_access(s, "A"), "A[i]", y, "S.y[N - 1 - i]", "b = 2 * a");
    all_of(s, y, "S.y[i]", sdfg_graph_access(s, "B"), "B[i]", "b = a + 1");
    run(e, g, a, b, 3);
    CHECK(b[0] == 7 && b[1] == 5 && b[2] == 3);
    char *text;
    CHECK(!sdfg_graph_text(&text, NULL, g));
    CHECK(strstr(text, "\"Structure\"") && strstr(text, "\"Pair\"") && strstr(text, "\"S.y\""));
    sdfg_text_free(text);
    CHECK(!sdfg_graph_new(&again, NULL, "wrong"));
    CHECK(!sdfg_graph_descriptor(again, "S", "{"));
    CHECK(!sdfg_graph_descriptor(again, "T", "{\"type\": \"Heap\", \"attributes\": {}}"));
    CHECK(!sdfg_graph_descriptor(again, "U", "[1]"));
    CHECK(!sdfg_graph_descriptor(again, "no name", pair));
    sdfg_graph_descriptor(again, "S", pair);
    sdfg_graph_descriptor(again, "S", pair);
    sdfg_error *error = sdfg_graph_check(again);
    CHECK_INT(sdfg_error_count(error), 5);
    CHECK_STR(sdfg_error_get(error, 1)->text, "'Heap' is no value of 'type'");
    CHECK_STR(sdfg_error_get(error, 1)->path, "wrong/container \"T\"");
    CHECK_STR(sdfg_error_get(error, 4)->code, "READ_TWICE");
    sdfg_error_free(error);
    sdfg_graph_free(again);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* B[i] = M[1][i], M being an array of arrays. */
TEST(arrays_of_containers)
{
    double rows[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, b[3] = { 0 };
    void *m[2] = { rows[0], rows[1] };
    sdfg_engine *e = engine_new();
    sdfg_program *p;
    sdfg_args *args;
    sdfg_graph *g = graph_new();
    CHECK(sdfg_graph_descriptor(
        g, "M",
        "{\"type\": \"ContainerArray\", \"attributes\": {\"dtype\": {\"type\": \"pointer\", \"dtype\": \"float64\"},"
        "\"shape\": [\"2\"], \"stype\": {\"type\": \"Array\", \"attributes\": {\"dtype\": \"float64\", \"shape\": "
        "[\"3\"]}}}}"));
    sdfg_graph_container(g, SDFG_CONTAINER_VIEW, "V", "float64", "3");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *v = sdfg_graph_access(s, "V");
    sdfg_graph_edge(sdfg_graph_access(s, "M"), NULL, v, "views", "M[1]", NULL);
    all_of(s, v, "V[i]", sdfg_graph_access(s, "B"), "B[i]", "b = a");
    sdfg_error *error = sdfg_graph_load(&p, e, g);
    CHECK_STR(sdfg_error_text(error), "");
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_pointer(args, "M", m));
    CHECK(!sdfg_args_pointer(args, "A", rows)); /* nothing reads it */
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { 3 })));
    CHECK(!sdfg_args_i64(args, "N", 3));
    error = sdfg_call(p, args);
    CHECK_STR(sdfg_error_text(error), "");
    CHECK(b[0] == 4 && b[1] == 5 && b[2] == 6);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* Errors name the line of the user's program that an element was given, and files keep it. */
TEST(places_in_the_users_program)
{
    sdfg_engine *e = engine_new();
    sdfg_program *p;
    sdfg_graph *g = graph_new();
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *t = sdfg_graph_tasklet(s, "t", "a", NULL, "a"), *m;
    sdfg_error *error = sdfg_graph_load(&p, e, g); /* no edge leads to the tasklet */
    CHECK_STR(sdfg_error_code(error), "RULE_CONNECTOR_NO_EDGE");
    CHECK_STR(sdfg_error_source(error), "");
    sdfg_error_free(error);
    sdfg_graph_set(sdfg_graph_body(g), "debuginfo", "C:my.dsl:3:5");
    error = sdfg_graph_load(&p, e, g);
    CHECK_STR(sdfg_error_source(error), "C:my.dsl:3:5");
    sdfg_error_free(error);
    sdfg_graph_set(t, "debuginfo", "my.dsl:12");
    error = sdfg_graph_load(&p, e, g);
    CHECK_STR(sdfg_error_source(error), "my.dsl:12");
    sdfg_error_free(error);
    sdfg_graph_free(g);

    g = graph_new();
    static const char *const wrong[] = { "my.dsl", "my.dsl:0", "my.dsl:x", ":3", "", "my.dsl:1:" };
    m = mapped(sdfg_graph_body(g), "b = a");
    sdfg_graph_set(m, "debuginfo", "my.dsl:12");
    char *text;
    CHECK(!sdfg_graph_text(&text, NULL, g));
    const char *first = strstr(text, "\"start_line\":12"),
               *second = first ? strstr(first + 1, "\"start_line\":12") : NULL;
    CHECK(first && second && strstr(text, "my.dsl")); /* entry and exit */
    sdfg_text_free(text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        sdfg_graph_set(m, "debuginfo", wrong[i]);
    error = sdfg_graph_check(g);
    CHECK_INT(sdfg_error_count(error), sizeof wrong / sizeof *wrong);
    CHECK_STR(sdfg_error_get(error, 0)->text, "'my.dsl' is no value of 'debuginfo'");
    sdfg_error_free(error);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* Code of the whole program, and types that are records. */
TEST(code_and_callbacks)
{
    double a[2] = { 3, 4 }, b[2] = { 0 };
    sdfg_engine *e = engine_new();
    sdfg_graph *g = graph_new();
    sdfg_element *body = sdfg_graph_body(g), *s = sdfg_graph_state(body, "s");
    sdfg_graph_set(body, "global_code", "static double twice(double x) { return 2 * x; }");
    sdfg_graph_set(body, "global_code", "static double more(double x) { return twice(x) + 1; }");
    sdfg_element *t = sdfg_graph_tasklet(s, "t", "a", "b", "b = more(a);");
    sdfg_graph_set(t, "language", "CPP");
    sdfg_graph_edge(sdfg_graph_access(s, "A"), NULL, t, "a", "A[N - 1]", NULL);
    sdfg_element *to = sdfg_graph_access(s, "B");
    sdfg_graph_set(to, "instrument_condition", "N > 5");
    sdfg_graph_edge(t, "b", to, NULL, "B[0]", NULL);
    run(e, g, a, b, 2);
    CHECK(b[0] == 9);
    sdfg_graph_symbol(g, "f", "{\"type\": \"callback\", \"arguments\": [\"float64\"], \"returntypes\": [\"float64\"]}");
    char *text;
    sdfg_error *error = sdfg_graph_text(&text, NULL, g);
    CHECK_STR(sdfg_error_text(error), "");
    CHECK(strstr(text, "\"callback\"") && strstr(text, "twice(x) + 1"));
    sdfg_text_free(text);
    sdfg_graph_symbol(g, "h", "{\"type\": \"cloud\"}");
    error = sdfg_graph_check(g);
    CHECK_STR(sdfg_error_code(error), "BUILD_TYPE");
    sdfg_error_free(error);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

/* What a file may have besides: kept, written, and read again by an engine. */
TEST(attributes_of_files)
{
    static const struct {
        const char *of, *property, *value, *written, *wrong;
    } rows[] = {
        { "map", "gpu_block_size", "[32, 4, 1]", "\"gpu_block_size\":[32,4,1]", "[\"a\"]" },
        { "map", "gpu_launch_bounds", "128", "\"gpu_launch_bounds\":\"128\"", NULL },
        { "map", "gpu_maxnreg", "64", "\"gpu_maxnreg\":64", "many" },
        { "map", "gpu_force_syncthreads", "true", "\"gpu_force_syncthreads\":true", "1" },
        { "tasklet", "location", "{\"gpu\": \"0\"}", "\"location\":{\"gpu\":\"0\"}", "[]" },
        { "tasklet", "ignored_symbols", "[\"x\", \"y\"]", "\"ignored_symbols\":[\"x\",\"y\"]", "[1]" },
        { "tasklet", "environments", "[\"acme.Env\"]", "\"environments\":[\"acme.Env\"]", "{" },
        { "tasklet", "in_connectors", "{\"a\": \"float64\"}", "\"in_connectors\":{\"a\":\"float64\"}",
          "{\"z\": \"int32\"}" },
        { "tasklet", "out_connectors", "{\"b\": {\"type\": \"vector\", \"dtype\": \"float64\", \"elements\": \"1\"}}",
          "\"out_connectors\":{\"b\":{\"type\":\"vector\"", "{\"b\": \"cloud\"}" },
        { "state", "symbol_instrument", "Save", "\"symbol_instrument\":\"Save\"", "Keep" },
        { "state", "symbol_instrument_condition", "N > 5", "\"symbol_instrument_condition\":{\"string_data\":\"N > 5\"",
          NULL },
        { "state", "nosync", "true", "\"nosync\":true", "yes" },
        { "region", "type", "FunctionCallRegion", "\"type\":\"FunctionCallRegion\"", "Loop" },
        { "region", "arguments", "{\"x\": \"A\"}", "\"arguments\":{\"x\":\"A\"}", "1" },
        { "body", "openmp_sections", "true", "\"openmp_sections\":true", "on" },
        { "body", "callback_mapping", "{\"f\": \"g\"}", "\"callback_mapping\":{\"f\":\"g\"}", "f" },
        { "body", "logical_groups", "[]", "\"logical_groups\":[]", "{}" },
        { "A", "optional", "false", "\"optional\":false", "no" },
        { "A", "allow_conflicts", "true", "\"allow_conflicts\":true", "no" },
        { "A", "offset", "0", "\"offset\":[\"0\"]", "1, 2" },
        { "A", "location", "{\"gpu\": \"1\"}", "\"location\":{\"gpu\":\"1\"}", "0" },
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    sdfg_engine *e = engine_new();
    sdfg_program *p;
    for (int wrong = 0; wrong < 2; wrong++) {
        sdfg_graph *g;
        char *text;
        int mistakes = 0;
        CHECK(!sdfg_graph_new(&g, NULL, "g"));
        sdfg_graph_symbol(g, "N", "int64");
        sdfg_element *a = sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N"),
                     *body = sdfg_graph_body(g);
        sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
        sdfg_element *region = sdfg_graph_region(body, "r"), *s = sdfg_graph_state(region, "s");
        sdfg_element *m = sdfg_graph_map(s, "m", "i = 0:N"), *t = sdfg_graph_tasklet(s, "t", "a", "b", "b = a");
        sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "A"), m, t), "A[i]", NULL, NULL, "a");
        sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "B")), "B[i]", NULL, "b", NULL);
        for (int i = 0; i < ROWS; i++) {
            const char *of = rows[i].of;
            sdfg_element *on = !strcmp(of, "map")       ? m
                               : !strcmp(of, "tasklet") ? t
                               : !strcmp(of, "state")   ? s
                               : !strcmp(of, "region")  ? region
                               : !strcmp(of, "body")    ? body
                                                        : a;
            mistakes += wrong && rows[i].wrong;
            if (!wrong || rows[i].wrong)
                sdfg_graph_set(on, rows[i].property, wrong ? rows[i].wrong : rows[i].value);
        }
        sdfg_error *error = sdfg_graph_check(g);
        CHECK_INT(sdfg_error_count(error), mistakes);
        sdfg_error_free(error);
        if (!wrong) {
            sdfg_graph_set(m, "gpu_block_size", "[64, 1, 1]"); /* the last one counts */
            CHECK(!sdfg_graph_text(&text, NULL, g));
            for (int i = 1; i < ROWS; i++)
                CHECK_STR(strstr(text, rows[i].written) ? rows[i].written : "", rows[i].written);
            CHECK(strstr(text, "\"gpu_block_size\":[64,1,1]") && !strstr(text, rows[0].written));
            CHECK(!sdfg_program_load(&p, e, text, strlen(text), NULL));
            sdfg_program_free(p);
            sdfg_text_free(text);
        }
        sdfg_graph_free(g);
    }
    sdfg_engine_free(e);
}

static bool add_storage(const sdfg_plugin_api *api)
{
    static const sdfg_attribute attributes[] = { { "bank", SDFG_ATTRIBUTE_INTEGER, { 0, 0 } } };
    sdfg_member m = { sizeof m, SDFG_ENUM_STORAGE, "Acme_Bank", attributes, 1, NULL, NULL };
    return api->member(api->plugin, &m);
}

/* Members that a plug-in adds are known in graphs of its engine, and in no others. */
TEST(members_of_plugins)
{
    sdfg_engine *e = engine_new();
    sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "acme", "1", "a storage" };
    CHECK(!sdfg_engine_extend(e, &about, add_storage));
    for (int own = 0; own < 2; own++) {
        sdfg_graph *g;
        CHECK(!sdfg_graph_new(&g, own ? e : NULL, "g"));
        sdfg_element *c = sdfg_graph_container(g, SDFG_CONTAINER_TRANSIENT, "T", "float64", "8");
        sdfg_graph_set(c, "storage", "{\"type\": \"StorageType.Acme_Bank\", \"bank\": 3}");
        sdfg_graph_state(sdfg_graph_body(g), "s");
        sdfg_error *error = sdfg_graph_check(g);
        CHECK_STR(sdfg_error_code(error), own ? "" : "BUILD_VALUE");
        sdfg_error_free(error);
        sdfg_graph_set(c, "storage", "{\"type\": \"StorageType.Acme_Bank\", \"bank\": \"x\"}");
        error = sdfg_graph_check(g);
        CHECK_STR(sdfg_error_code(error), own ? "READ_ATTRIBUTES" : "BUILD_VALUE");
        sdfg_error_free(error);
        sdfg_graph_free(g);
    }
    sdfg_engine_free(e);
}

CHECK_MAIN
