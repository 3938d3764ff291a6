/* Objects that describe themselves as graphs: what they are told, what they capture, and each way to get it wrong. */
#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/unit/check.h"

#include <string.h>

enum fault {
    NONE,
    NO_SIGNATURE,
    NO_GRAPH,
    SILENT,
    WRONG_NAME,
    WRONG_TYPE,
    MORE,
    INVALID_GRAPH,
    MISTAKE,
    ITSELF,
    NO_CLOSURE,
    STRANGE,
    WRONG_TEXT,
    INVALID_TEXT,
    NOT_RESOLVED,
    NO_NAME, /* of what it captures */
    NO_ARRAY,
    NO_TYPE,
    RANK,
    STRIDES,
    FEWER,
    NO_NAMES
};

/* y = factor * x + w: factor is a constant, w is captured. */
struct object {
    enum fault fault;
    bool text; /* the graph comes from one */
    unsigned graphs, resolved;
    double *weights;
    sdfg_array array;
    sdfg_capture capture;
    struct object *inner; /* that makes the graph in its place */
    char shape[64];
};

static bool signature(void *user, const char *const **names, const char *const **constants, const char **why)
{
    static const char *const all[] = { "x", "y", "factor", NULL }, *const known[] = { "factor", NULL };
    struct object *o = user;
    *names = o->fault == NO_NAMES ? NULL : all;
    *constants = known;
    *why = "it has none";
    return o->fault != NO_SIGNATURE;
}

static bool resolve(void *user, const sdfg_given *given, size_t count, const char **why)
{
    struct object *o = user;
    *why = "not today";
    CHECK_INT(count, 3);
    CHECK(!given[0].constant && !strcmp(given[2].constant, "3"));
    o->resolved++;
    return o->fault != NOT_RESOLVED;
}

static sdfg_convertible convertible(struct object *o);

/* y = x + w, as a text; in an invalid one the tasklet reads a container that is not there. */
static void read_text(sdfg_graph *g, enum fault fault)
{
    char *text;
    size_t size;
    sdfg_graph *whole;
    CHECK(!sdfg_graph_new(&whole, NULL, "whole"));
    static const char *const names[] = { "x", "y", "w" };
    for (int i = 0; i < 3; i++)
        sdfg_graph_container(whole, SDFG_CONTAINER_ARRAY, names[i], "float64", "4");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(whole), "s"), *m = sdfg_graph_map(s, "m", "i = 0:4");
    sdfg_element *t = sdfg_graph_tasklet(s, "t", "a, v", "b", "b = a + v");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "x"), m, t), "x[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "w"), m, t), "w[i]", NULL, NULL, "v");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "y")), "y[i]", NULL, "b", NULL);
    CHECK(!sdfg_graph_text(&text, &size, whole));
    for (char *found = text; fault == INVALID_TEXT && (found = strstr(found, "\"data\":\"w\"")); found++)
        found[8] = 'q';
    sdfg_graph_read(g, text, fault == WRONG_TEXT ? size / 2 : size);
    sdfg_text_free(text);
    sdfg_graph_free(whole);
}

static bool make(void *user, sdfg_graph *g, const sdfg_given *given, size_t count, const char **why)
{
    struct object *o = user;
    char code[64];
    CHECK_INT(count, 3);
    o->graphs++;
    if (o->fault == NO_GRAPH)
        *why = "there is no such thing";
    if (o->fault == NO_GRAPH || o->fault == SILENT)
        return false;
    if (o->text || o->fault == WRONG_TEXT || o->fault == INVALID_TEXT) {
        read_text(g, o->fault);
        return true;
    }
    snprintf(o->shape, sizeof o->shape, "%s", given[0].shape[0]);
    const char *x = o->fault == WRONG_NAME ? "z" : "x", *type = o->fault == WRONG_TYPE ? "float32" : given[0].type;
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, x, type, given[0].shape[0]);
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "y", given[1].type, given[1].shape[0]);
    if (o->fault == MORE)
        sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "more", "float64", "4");
    if (o->fault == MISTAKE)
        sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "y", "float64", "4");
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s");
    if (o->inner) {
        sdfg_convertible inner = convertible(o->inner);
        sdfg_actual actuals[] = { { "x", NULL, { 0, 0 } },
                                  { "y", NULL, { 0, 0 } },
                                  { NULL, given[2].constant, { 0, 0 } } };
        sdfg_graph_call(s, &inner, actuals, 3);
        return true;
    }
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "w", "float64", "4");
    snprintf(code, sizeof code, "b = %s * a + v", given[2].constant);
    sdfg_element *m = sdfg_graph_map(s, "m", "i = 0:4"), *t = sdfg_graph_tasklet(s, "t", "a, v", "b", code);
    if (o->fault != INVALID_GRAPH)
        sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, x), m, t), o->fault == WRONG_NAME ? "z[i]" : "x[i]", NULL, NULL,
                        "a");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "w"), m, t), "w[i]", NULL, NULL, "v");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "y")), "y[i]", NULL, "b", NULL);
    return true;
}

static bool closure(void *user, const sdfg_capture **captures, size_t *count, const char **why)
{
    struct object *o = user;
    (void)why;
    o->array = (sdfg_array){
        .struct_size = sizeof o->array, .data = o->weights, .dtype = SDFG_F64, .rank = 1, .shape = { 4 }
    };
    static const int64_t strides[] = { 1 };
    o->capture = (sdfg_capture){ o->fault == STRANGE ? "nothing" : "w", &o->array, { 0, 0 } };
    if (o->fault == NO_NAME)
        o->capture.name = NULL;
    if (o->fault == NO_ARRAY)
        o->capture.array = NULL;
    if (o->fault == NO_TYPE)
        o->array.dtype = SDFG_NONE;
    if (o->fault == RANK)
        o->array.rank = 77;
    if (o->fault == STRIDES)
        o->array.strides = strides;
    *captures = &o->capture;
    *count = o->inner || o->fault == FEWER ? 0 : 1;
    return o->fault != NO_CLOSURE;
}

static sdfg_convertible convertible(struct object *o)
{
    return (sdfg_convertible){ sizeof(sdfg_convertible), "affine", o, signature, resolve, make, closure };
}

static sdfg_graph *graph_new(void)
{
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "caller"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", "N");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", "N");
    return g;
}

static sdfg_element *call_in(sdfg_element *state, struct object *o, const char *x, const char *factor)
{
    sdfg_convertible c = convertible(o);
    sdfg_actual actuals[] = { { x, NULL, { 0, 0 } }, { "B[0:4]", NULL, { 0, 0 } }, { NULL, factor, { 0, 0 } } };
    return sdfg_graph_call(state, &c, actuals, 3);
}

static sdfg_element *call(sdfg_graph *g, const char *state, struct object *o, const char *x, const char *factor)
{
    return call_in(sdfg_graph_state(sdfg_graph_body(g), state), o, x, factor);
}

TEST(calls_capture_and_share)
{
    double a[8] = { 0, 0, 0, 0, 1, 2, 3, 4 }, b[8] = { 0 }, w[4] = { 10, 20, 30, 40 }, v[4] = { 5, 5, 5, 5 };
    struct object o = { .weights = w }, around = { .inner = &o };
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_args *args;
    sdfg_graph *g = graph_new();
    static const char *const labels[] = { "one", "two", "three" };
    sdfg_element *s[3];
    for (int i = 0; i < 3; i++)
        s[i] = sdfg_graph_state(sdfg_graph_body(g), labels[i]);
    sdfg_graph_transition(s[0], s[1], NULL, NULL);
    sdfg_graph_transition(s[1], s[2], NULL, NULL);
    CHECK(call_in(s[0], &o, "A[N - 4:N]", "3") && call_in(s[1], &o, "A[N - 4:N]", "3"));
    CHECK_INT(o.graphs, 1); /* the second one is a copy */
    CHECK_INT(o.resolved, 2);
    CHECK_STR(o.shape, "4");
    CHECK(call_in(s[2], &around, "A[0:4]", "3") != NULL); /* an object that calls another one: the same array */
    sdfg_error *error = sdfg_graph_check(g);
    CHECK_STR(sdfg_error_text(error), "");
    sdfg_error_free(error);
    sdfg_graph_free(g);

    g = graph_new();
    CHECK(call(g, "one", &around, "A[N - 4:N]", "3") != NULL);
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!sdfg_graph_load(&p, e, g));
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })));
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { 8 })));
    CHECK(!sdfg_graph_captures(g, args));
    CHECK(!sdfg_call(p, args));
    CHECK(b[0] == 13 && b[1] == 26 && b[3] == 52 && b[4] == 0);
    o.weights = v; /* where the object looks now */
    CHECK(!sdfg_graph_captures(g, args));
    CHECK(!sdfg_call(p, args));
    CHECK(b[0] == 8 && b[3] == 17);
    o.fault = NO_CLOSURE;
    error = sdfg_graph_captures(g, args);
    CHECK_STR(sdfg_error_message(error), "the object 'affine' gives no closure: it does not say why");
    sdfg_error_free(error);
    o.fault = FEWER;
    error = sdfg_graph_captures(g, args);
    CHECK_STR(sdfg_error_message(error), "the object 'affine' gives no closure: it captures less than before");
    sdfg_error_free(error);
    o.fault = NO_TYPE; /* not what the program was made for */
    error = sdfg_graph_captures(g, args);
    CHECK_INT(sdfg_error_class_of(error), SDFG_ERROR_INVALID);
    sdfg_error_free(error);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

TEST(graphs_from_texts)
{
    double a[4] = { 1, 2, 3, 4 }, b[4] = { 0 }, w[4] = { 10, 20, 30, 40 };
    struct object o = { .weights = w, .text = true };
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_args *args;
    sdfg_graph *g = graph_new();
    CHECK(call(g, "one", &o, "A[0:4]", "3") != NULL);
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!sdfg_graph_load(&p, e, g));
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { 4 })));
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { 4 })));
    CHECK(!sdfg_graph_captures(g, args));
    CHECK(!sdfg_call(p, args));
    CHECK(b[0] == 11 && b[3] == 44);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
}

static void check_fault(enum fault fault, const char *code, const char *path)
{
    double w[4] = { 0 };
    struct object o = { .weights = w, .fault = fault };
    sdfg_graph *g = graph_new();
    if (fault == ITSELF)
        o.inner = &o;
    sdfg_element *n = call(g, "state", &o, "A[0:4]", "3");
    CHECK(!n);
    sdfg_error *error = sdfg_graph_check(g);
    CHECK_STR(sdfg_error_code(error), code);
    CHECK_STR(sdfg_error_path(error), path);
    CHECK_INT(sdfg_error_class_of(error), SDFG_ERROR_INVALID);
    sdfg_error_free(error);
    sdfg_graph_free(g);
}

TEST(faults)
{
    static const char *const state = "caller/state[0] \"state\"";
    check_fault(NO_SIGNATURE, "CONVERT_FAILED", state);
    check_fault(NO_GRAPH, "CONVERT_FAILED", state);
    check_fault(SILENT, "CONVERT_FAILED", state);
    check_fault(WRONG_NAME, "CONVERT_LACKS", state);
    check_fault(WRONG_TYPE, "CONVERT_TYPE", state);
    check_fault(MORE, "CONVERT_TAKES", state);
    check_fault(INVALID_GRAPH, "CONVERT_FAILED", state);
    check_fault(MISTAKE, "CONVERT_FAILED", state);
    check_fault(ITSELF, "CONVERT_DEPTH", "affine/state[0] \"s\"");
    check_fault(NO_CLOSURE, "CONVERT_FAILED", state);
    check_fault(STRANGE, "CONVERT_LACKS", state);
    check_fault(WRONG_TEXT, "CONVERT_FAILED", state);
    check_fault(INVALID_TEXT, "CONVERT_FAILED", state);
    check_fault(NOT_RESOLVED, "CONVERT_FAILED", state);
    check_fault(NO_NAMES, "CONVERT_COUNT", state);
    for (enum fault f = NO_NAME; f <= STRIDES; f++)
        check_fault(f, "CONVERT_FAILED", state);
}

/* What it needs, and what it may lack: then its graph takes arguments alone. */
TEST(objects_without_functions)
{
    double w[4] = { 0 };
    struct object o = { .weights = w };
    sdfg_graph *g = graph_new();
    sdfg_convertible c = convertible(&o), no_name = c, wrong_name = c, no_signature = c, no_graph = c, short_one = c;
    no_name.name = NULL;
    wrong_name.name = "a b";
    no_signature.signature = NULL;
    no_graph.sdfg = NULL;
    short_one.struct_size = 0;
    const sdfg_convertible *wrong[] = { &no_name, &wrong_name, &no_signature, &no_graph, &short_one };
    static const char *const codes[] = { "NULL_PARAMETER", "READ_NAME", "NULL_PARAMETER", "NULL_PARAMETER",
                                         "STRUCT_SIZE" };
    sdfg_actual actuals[] = { { "A[0:4]", NULL, { 0, 0 } }, { "B[0:4]", NULL, { 0, 0 } }, { NULL, "3", { 0, 0 } } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), wrong[i], actuals, 3));
    CHECK(!sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), &c, NULL, 3));
    sdfg_error *error = sdfg_graph_check(g);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_STR(sdfg_error_get(error, i)->code, codes[i]);
    CHECK_STR(sdfg_error_get(error, 5)->code, "NULL_PARAMETER");
    CHECK_INT(sdfg_error_count(error), 6);
    sdfg_error_free(error);
    sdfg_graph_free(g);
    g = graph_new();
    c.resolve = NULL;
    c.closure = NULL; /* so nobody gives `w` */
    CHECK(!sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), &c, actuals, 3));
    CHECK_INT(o.resolved, 0);
    error = sdfg_graph_check(g);
    CHECK_STR(sdfg_error_code(error), "CONVERT_TAKES");
    sdfg_error_free(error);
    sdfg_graph_free(g);
}

TEST(arguments_that_do_not_fit)
{
    double w[4] = { 0 };
    struct object o = { .weights = w };
    sdfg_convertible c = convertible(&o);
    sdfg_graph *g = graph_new();
    sdfg_actual few[] = { { "A", NULL, { 0, 0 } } };
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s");
    CHECK(!sdfg_graph_call(s, &c, few, 1));
    CHECK(!call(g, "no constant", &o, "A", NULL));
    CHECK(!call(g, "no container", &o, "Q", "3"));
    CHECK(!call(g, "no data", &o, NULL, "3"));
    CHECK(!sdfg_graph_call(sdfg_graph_body(g), &c, few, 1));
    CHECK(!sdfg_graph_call(s, NULL, few, 1));
    CHECK_INT(o.graphs, 0);
    sdfg_graph *inner = sdfg_graph_inner(g, "inner");
    sdfg_graph_container(inner, SDFG_CONTAINER_ARRAY, "A", "float64", "4");
    sdfg_graph_container(inner, SDFG_CONTAINER_ARRAY, "B", "float64", "4");
    CHECK(call(inner, "t", &o, "A[0:4]", "3") != NULL);
    CHECK(!sdfg_graph_nested(s, "call", inner, "A", "B", NULL));
    sdfg_error *error = sdfg_graph_check(g);
    CHECK_INT(sdfg_error_count(error), 7);
    CHECK_STR(sdfg_error_get(error, 0)->text, "the object 'affine' takes 3 arguments, 1 are given");
    CHECK_STR(sdfg_error_get(error, 1)->text, "the parameter 'factor' of the object 'affine' must be a constant");
    CHECK_STR(sdfg_error_get(error, 2)->code, "READ_CONTAINER");
    CHECK_STR(sdfg_error_get(error, 3)->text, "the parameter 'x' of the object 'affine' must be data");
    CHECK_STR(sdfg_error_get(error, 4)->code, "BUILD_HANDLE");
    CHECK_STR(sdfg_error_get(error, 5)->code, "NULL_PARAMETER");
    CHECK_STR(sdfg_error_get(error, 6)->code, "CONVERT_NESTED");
    sdfg_error_free(error);
    sdfg_graph_free(g);
}

/* ---- graphs from files, with sizes of their own ---- */

static bool signature_of_two(void *user, const char *const **names, const char *const **constants, const char **why)
{
    static const char *const both[] = { "x", "y", NULL };
    (void)user, (void)why;
    *names = both;
    *constants = NULL;
    return true;
}

/* y = 2 * x, over arrays of the shape that `user` is, in K and L. */
static bool doubled(void *user, sdfg_graph *into, const sdfg_given *given, size_t count, const char **why)
{
    const char *shape = user;
    char *text;
    size_t size;
    sdfg_graph *g;
    bool matrix = strchr(shape, ',');
    (void)given, (void)count, (void)why;
    CHECK(!sdfg_graph_new(&g, NULL, "file"));
    sdfg_graph_symbol(g, "K", "int64");
    sdfg_graph_symbol(g, "L", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "x", "float64", shape);
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "y", "float64", shape);
    sdfg_element *s = sdfg_graph_state(sdfg_graph_body(g), "s"), *t = sdfg_graph_tasklet(s, "t", "a", "b", "b = 2 * a");
    sdfg_element *m = sdfg_graph_map(s, "m", matrix ? "i = 0:K, j = 0:L" : "i = 0:K");
    sdfg_graph_path(SDFG_PATH(sdfg_graph_access(s, "x"), m, t), matrix ? "x[i, j]" : "x[i]", NULL, NULL, "a");
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(s, "y")), matrix ? "y[i, j]" : "y[i]", NULL, "b",
                    NULL);
    CHECK(!sdfg_graph_text(&text, &size, g));
    sdfg_graph_read(into, text, size);
    sdfg_text_free(text);
    sdfg_graph_free(g);
    return true;
}

/* B = the object of (from, to), for N = 6; the error, or "". */
static const char *run_doubled(const char *shape, const char *around, const char *from, const char *to, double *a,
                               double *b)
{
    static char text[256];
    const sdfg_convertible object = { sizeof object, "doubled", (void *)(uintptr_t)shape, signature_of_two, NULL,
                                      doubled,       NULL };
    const sdfg_actual actuals[] = { { from, NULL, { 0, 0 } }, { to, NULL, { 0, 0 } } };
    bool matrix = strchr(around, ',');
    sdfg_engine *e;
    sdfg_program *p = NULL;
    sdfg_args *args = NULL;
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, NULL, "caller"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", around);
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", around);
    sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), &object, actuals, 2);
    CHECK(!sdfg_engine_new(&e, NULL));
    sdfg_error *error = sdfg_graph_load(&p, e, g);
    snprintf(text, sizeof text, "%s", error ? sdfg_error_message(error) : "");
    if (!error) {
        CHECK(!sdfg_args_new(&args, p));
        CHECK(!sdfg_args_array(
            args, "A",
            SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = matrix ? 2 : 1, .shape = { 6, matrix ? 6 : 0 })));
        CHECK(!sdfg_args_array(
            args, "B",
            SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = matrix ? 2 : 1, .shape = { 6, matrix ? 6 : 0 })));
        error = sdfg_call(p, args);
        CHECK_STR(error ? sdfg_error_message(error) : "", "");
    }
    sdfg_error_free(error);
    sdfg_args_free(args);
    sdfg_program_free(p);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
    return text;
}

TEST(graphs_with_sizes_of_their_own)
{
    double a[36], b[36] = { 0 };
    for (int i = 0; i < 36; i++)
        a[i] = i;
    CHECK_STR(run_doubled("K", "N", "A[1:N]", "B[0:N - 1]", a, b), "");
    CHECK(b[0] == 2 && b[4] == 10 && b[5] == 0);
    CHECK_STR(run_doubled("K, L", "N, N", "A[2:5, 0:N]", "B[0:3, 0:N]", a, b), ""); /* whole rows */
    CHECK(b[0] == 24 && b[17] == 58 && b[18] == 0);
    CHECK_STR(run_doubled("K, L", "N, N", "A[0:2, 0:3]", "B[0:2, 0:3]", a, b), /* rows are N apart, not 3 */
              "the object 'doubled' gives no graph for these strides: 'x' has 3 in dimension 0, but lies with N");
    CHECK_STR(run_doubled("K, L", "N, N", "A[0:1, 0:3]", "B[1:2, 0:3]", a, b), ""); /* one row */
    CHECK(b[6] == 0 && b[8] == 4 && b[9] == 42);
}

/* ---- objects of plug-ins ---- */

static struct object registered;
static const sdfg_convertible *wrong; /* what a plug-in registers besides */

static bool registers(const sdfg_plugin_api *api)
{
    sdfg_convertible c = convertible(&registered);
    return api->convertible(api->plugin, "a factor and weights", &c) &&
           (!wrong || api->convertible(api->plugin, NULL, wrong));
}

/* The error of a plug-in that registers `c` behind an object that is right, and leaves nothing behind. */
static const char *refused(const sdfg_convertible *c)
{
    static const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "dsl", "1", "" };
    static char text[256];
    sdfg_engine *e;
    CHECK(!sdfg_engine_new(&e, NULL));
    wrong = c;
    sdfg_error *error = sdfg_engine_extend(e, &about, registers);
    wrong = NULL;
    snprintf(text, sizeof text, "%s", error ? sdfg_error_message(error) : "");
    CHECK(!sdfg_engine_convertible(e, "affine"));
    sdfg_error_free(error);
    sdfg_engine_free(e);
    return text;
}

static void check_row(sdfg_engine *e, bool told)
{
    static const char *const names[] = { "parameters", "constants", "plug-in" };
    const char *const values[] = { told ? "x, y, factor" : "", told ? "factor" : "", "dsl" };
    sdfg_list *list;
    CHECK(!sdfg_engine_list(&list, e, SDFG_LIST_CONVERTIBLES));
    CHECK_INT(sdfg_list_count(list), 1);
    const sdfg_list_row *row = sdfg_list_get(list, 0);
    CHECK_STR(row->name, "affine");
    CHECK_STR(row->text, "a factor and weights");
    CHECK_STR(row->unusable ? row->unusable : "", told ? "" : "it has none");
    CHECK_INT(row->num_values, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_STR(row->names[i], names[i]);
        CHECK_STR(row->values[i], values[i]);
    }
    sdfg_list_free(list);
}

TEST(objects_of_plugins)
{
    static const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "dsl", "1", "" };
    double w[4] = { 10, 20, 30, 40 };
    const sdfg_actual actuals[] = { { "A[0:4]", NULL, { 0, 0 } },
                                    { "B[0:4]", NULL, { 0, 0 } },
                                    { NULL, "3", { 0, 0 } } };
    sdfg_engine *e, *other;
    registered = (struct object){ .weights = w };
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!sdfg_engine_new(&other, NULL));
    CHECK(!sdfg_engine_extend(e, &about, registers));
    CHECK(!sdfg_engine_convertible(e, "nothing") && !sdfg_engine_convertible(e, NULL));
    CHECK(!sdfg_engine_convertible(NULL, "affine") && !sdfg_engine_convertible(other, "affine"));
    check_row(e, true);
    registered.fault = NO_SIGNATURE;
    check_row(e, false);
    registered.fault = NONE;
    sdfg_graph *g = graph_new();
    CHECK(sdfg_graph_call(sdfg_graph_state(sdfg_graph_body(g), "s"), sdfg_engine_convertible(e, "affine"), actuals, 3));
    sdfg_error *error = sdfg_graph_check(g);
    CHECK_STR(sdfg_error_text(error), "");
    sdfg_graph_free(g);
    sdfg_engine_free(other);
    sdfg_engine_free(e);
}

TEST(wrong_objects_of_plugins)
{
    sdfg_convertible c = convertible(&registered);
    CHECK_STR(refused(&c), "plug-in 'dsl' registers the convertible object 'affine': plug-in 'dsl' has registered it");
    c.name = "two words";
    CHECK_STR(refused(&c), "plug-in 'dsl' registers the convertible object 'two words': names are identifiers");
    c.name = NULL;
    CHECK_STR(refused(&c), "plug-in 'dsl' registers the convertible object '': names are identifiers");
    c = (sdfg_convertible){ sizeof c, "other", NULL, signature, NULL, NULL, NULL };
    CHECK_STR(refused(&c),
              "plug-in 'dsl' registers the convertible object 'other': it needs the functions signature and sdfg");
    c.struct_size = 1;
    CHECK(strstr(refused(&c), "plug-in 'dsl' registers the convertible object '': struct sdfg_convertible ") != NULL);
}

CHECK_MAIN
