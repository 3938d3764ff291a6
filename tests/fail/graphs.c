/* Graphs made in C while allocations fail. */
#include "tests/fail/scenario.h"

static void containers(sdfg_graph *g)
{
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
}

/* b[i] = code of a[i], in a map. */
static void mapped(sdfg_element *state, const char *code)
{
    sdfg_element *m = sdfg_graph_map(state, "m", "i = 0:N"), *t = sdfg_graph_tasklet(state, "t", "a", "b", code);
    sdfg_graph_set(m, "schedule", "Sequential");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(state, "A"), m, t), "A[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(state, "B")), "B[i]", NULL, "b", NULL);
}

static sdfg_error *use(struct state *s, sdfg_graph *g)
{
    sdfg_program *p = NULL;
    sdfg_error *e = sdfg_graph_check(g);
    if (!e)
        e = sdfg_graph_load(&p, s->engine, g);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    return e;
}

static sdfg_error *make_graph(struct state *s)
{
    sdfg_graph *g;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "made");
    if (e)
        return e;
    containers(g);
    mapped(sdfg_graph_state(sdfg_graph_body(g), "s"), "b = 2 * a");
    return use(s, g);
}

/* Control flow, a nested graph, a library node, streams. */
static void add_blocks(sdfg_graph *g)
{
    sdfg_element *body = sdfg_graph_body(g), *choice = sdfg_graph_conditional(body, "choice");
    sdfg_graph *inner = sdfg_graph_inner(g, "inner");
    sdfg_graph_symbol(inner, "n", "int64");
    sdfg_graph_container(inner, SDFG_CONTAINER_ARRAY, "v", "float64", "n");
    sdfg_element *write = sdfg_graph_state(sdfg_graph_body(inner), "write");
    sdfg_element *one = sdfg_graph_tasklet(write, "one", NULL, "r", "r = one");
    sdfg_graph_edge(one, "r", sdfg_graph_access(write, "v"), NULL, "v[n - 1]", NULL);
    sdfg_graph_constant(inner, "one", "float64", NULL, "1.0");

    sdfg_element *call = sdfg_graph_state(sdfg_graph_branch(choice, "N > 2"), "call");
    sdfg_element *n = sdfg_graph_nested(call, "nested", inner, NULL, "v", "n = N");
    sdfg_graph_edge(n, "v", sdfg_graph_access(call, "B"), NULL, "B", NULL);
    mapped(sdfg_graph_state(sdfg_graph_branch(choice, NULL), "else"), "b = a + 1");

    sdfg_element *loop = sdfg_graph_loop(body, "loop", "k", "k = 0", "k < N", "k = k + 1");
    sdfg_graph_symbol(g, "k", "int64");
    sdfg_element *more = sdfg_graph_state(loop, "more"), *stop = sdfg_graph_jump(loop, SDFG_JUMP_BREAK, "stop");
    mapped(more, "b = a * a");
    sdfg_graph_transition(more, stop, "k == 4", NULL);
    sdfg_graph_transition(choice, loop, NULL, NULL);

    sdfg_element *region = sdfg_graph_region(body, "region"), *copy = sdfg_graph_state(region, "copy");
    sdfg_element *l =
        sdfg_graph_library(copy, "copy", "dace.libraries.standard.nodes.CopyNode", "_cpy_in", "_cpy_out", NULL);
    sdfg_graph_edge(sdfg_graph_access(copy, "A"), NULL, l, "_cpy_in", "A", NULL);
    sdfg_graph_edge(l, "_cpy_out", sdfg_graph_access(copy, "B"), NULL, "B", NULL);
    sdfg_graph_transition(loop, region, NULL, NULL);
}

static void add_stream(sdfg_graph *g)
{
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "streams");
    sdfg_graph_container(g, SDFG_CONTAINER_STREAM, "Q", "float64", NULL);
    sdfg_element *q = sdfg_graph_access(s, "Q"), *c = sdfg_graph_consume(s, "all", "p", "4", NULL);
    sdfg_element *t = sdfg_graph_tasklet(s, "last", "x", "y", "y = x");
    sdfg_graph_edge(sdfg_graph_access(s, "A"), NULL, q, NULL, "A", NULL);
    sdfg_graph_edge(q, NULL, c, "IN_stream", "Q", NULL);
    sdfg_graph_edge(c, "OUT_stream", t, "x", "Q", NULL);
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(c), sdfg_graph_access(s, "B")), "B[p]", NULL, "y", NULL);
}

static sdfg_error *make_all(struct state *s)
{
    sdfg_graph *g;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "all");
    if (e)
        return e;
    containers(g);
    sdfg_graph_arguments(g, "B, A");
    add_blocks(g);
    return use(s, g);
}

static sdfg_error *make_stream(struct state *s)
{
    sdfg_graph *g;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "streams");
    if (e)
        return e;
    containers(g);
    add_stream(g);
    return use(s, g);
}

static sdfg_error *write_graph(struct state *s)
{
    sdfg_graph *g;
    char *text = NULL;
    size_t size;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "written");
    if (e)
        return e;
    containers(g);
    sdfg_graph_descriptor(
        g, "S",
        "{\"type\": \"Structure\", \"attributes\": {\"name\": \"One\", \"transient\": true, \"members\": "
        "[[\"x\", {\"type\": \"Scalar\", \"attributes\": {\"dtype\": \"float64\"}}]]}}");
    sdfg_graph_set(sdfg_graph_body(g), "debuginfo", "file.dsl:7");
    sdfg_graph_set(sdfg_graph_body(g), "global_code", "static int unused;");
    mapped(sdfg_graph_state(sdfg_graph_body(g), "s"), "b = -a");
    e = sdfg_graph_text(&text, &size, g);
    if (!e) {
        sdfg_graph_read(sdfg_graph_inner(g, "inner"), text, size);
        e = sdfg_graph_save(g, "/dev/null");
    }
    sdfg_text_free(text);
    sdfg_graph_free(g);
    return e;
}

/* ---- an object that describes itself: y = x + w, w captured ---- */

static bool signature(void *user, const char *const **names, const char *const **constants, const char **why)
{
    static const char *const all[] = { "x", "y", NULL };
    (void)user, (void)why;
    *names = all;
    *constants = NULL;
    return true;
}

static bool graph_of(void *user, sdfg_graph *g, const sdfg_given *given, size_t count, const char **why)
{
    (void)user, (void)given, (void)count, (void)why;
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "x", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "y", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "w", "float64", "16");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *m = sdfg_graph_map(s, "m", "i = 0:N");
    sdfg_element *t = sdfg_graph_tasklet(s, "t", "a, v", "b", "b = a + v");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "x"), m, t), "x[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "w"), m, t), "w[i]", NULL, NULL, "v");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "y")), "y[i]", NULL, "b", NULL);
    return true;
}

static bool closure(void *user, const sdfg_capture **captures, size_t *count, const char **why)
{
    static sdfg_array array;
    static const sdfg_capture w = { "w", &array, { 0, 0 } };
    (void)why;
    array =
        (sdfg_array){ .struct_size = sizeof array, .data = user, .dtype = SDFG_F64, .rank = 1, .shape = { LENGTH } };
    *captures = &w;
    *count = 1;
    return true;
}

static sdfg_error *call_object(struct state *s)
{
    const sdfg_convertible object = { sizeof object, "sum", s->x, signature, NULL, graph_of, closure };
    const sdfg_actual actuals[] = { { "A", NULL, { 0, 0 } }, { "B", NULL, { 0, 0 } } };
    sdfg_graph *g;
    sdfg_program *p = NULL;
    sdfg_args *a = NULL;
    sdfg_error *e = sdfg_graph_new(&g, s->engine, "caller");
    if (e)
        return e;
    containers(g);
    sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), &object, actuals, 2);
    e = sdfg_graph_load(&p, s->engine, g);
    if (!e)
        e = sdfg_args_new(&a, p);
    if (!e)
        e = sdfg_graph_captures(g, a);
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    return e;
}

const struct scenario graph_scenarios[] = {
    { "graph", prepare_engine, make_graph, false, false },
    { "graph-all", prepare_engine, make_all, false, false },
    { "graph-stream", prepare_engine, make_stream, false, false },
    { "graph-text", prepare_engine, write_graph, false, false },
    { "graph-call", prepare_engine, call_object, false, false },
    { 0 },
};
