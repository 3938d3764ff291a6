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
