/* Functions of a live interpreter: a host that answers from tables stands for one. */
#include "tests/unit/api.h"

#include <string.h>

enum { F = 1, HELPER, ARRAY, OBJECT, LIST, TABLE };

static const char f_text[] = "    @anything\n"
                             "    def f(A, mode):\n"
                             "        A[:] = A * scale + table + box.table\n"
                             "        for x in box.list:\n"
                             "            A += helper(x)\n"
                             "        if mode == 'sum':\n"
                             "            return np.sum(A), A * 2\n"
                             "        return A[0], A\n";
static const char helper_text[] = "def helper(x):\n    return x * scale\n";
static const char wrong_text[] = "def f(A, mode):\n    return A + box.nothing + missing + box.broken\n";

static const char loops_text[] = "def f(A, mode):\n"
                                 "    table[0] = 5\n"
                                 "    for i in range(3):\n"
                                 "        A[i] = i + table[0]\n"
                                 "    for j in range(4):\n"
                                 "        table[0] = j\n"
                                 "    for k in nounroll(range(3)):\n"
                                 "        A[k] += table[0]\n"
                                 "    for l in range(2):\n"
                                 "        if A[l] > 100:\n"
                                 "            continue\n"
                                 "        A[l] += 10\n";

static const char increment_text[] = "def f(A, mode):\n    A += 1\n";
static const char boxed_text[] = "def f(A, mode):\n    box(A[1:])\n    box(A[::2])\n";

struct world {
    const char *text, *graph; /* what a call of the box stands for; NULL: an error */
    const char *parameter;    /* of it, that the first argument is */
    double scale;
    int questions;
    uint32_t unroll;
    bool transient;
};

static bool source(void *user, uint64_t function, sdfg_source *out)
{
    struct world *w = user;
    out->path = function == F ? "f.py" : "helper.py";
    out->text = function == F ? w->text : helper_text;
    out->size = strlen(out->text);
    out->name = function == F ? "f" : "helper";
    out->first_line = function == F ? 10 : 1;
    out->unroll = w->unroll;
    return function == F || function == HELPER;
}

static void array(sdfg_object *out)
{
    static const char *const shape[] = { "N" }, *const packed[] = { "1" };
    out->kind = SDFG_OBJECT_ARRAY;
    out->id = TABLE;
    out->type = "float64";
    out->rank = 1;
    out->shape = shape;
    out->strides = packed;
}

static bool parameter(void *user, const char *name, sdfg_object *out)
{
    (void)user;
    if (strcmp(name, "A") == 0) {
        array(out);
        out->id = ARRAY;
        return true;
    }
    out->kind = SDFG_OBJECT_STRING;
    out->text = "sum";
    return true;
}

static bool lookup(void *user, uint64_t function, const char *name, sdfg_object *out)
{
    struct world *w = user;
    w->questions++;
    if (strcmp(name, "scale") == 0) { /* another one in the helper */
        out->kind = SDFG_OBJECT_FLOAT;
        out->weak = true;
        out->real = function == F ? w->scale : 10;
    } else if (strcmp(name, "table") == 0) {
        array(out);
        out->transient = w->transient;
    } else if (strcmp(name, "nounroll") == 0 || strcmp(name, "range") == 0) {
        out->kind = SDFG_OBJECT_BUILTIN;
        out->text = *name == 'n' ? "dace.nounroll" : "builtins.range";
    } else if (strcmp(name, "box") == 0) {
        out->kind = SDFG_OBJECT_OTHER;
        out->id = OBJECT;
        out->text = "a box";
    } else if (strcmp(name, "helper") == 0) {
        out->kind = SDFG_OBJECT_FUNCTION;
        out->id = HELPER;
    } else if (strcmp(name, "np") == 0) {
        out->kind = SDFG_OBJECT_MODULE;
        out->text = "numpy";
    }
    return true;
}

static bool attribute(void *user, uint64_t object, const char *name, sdfg_object *out)
{
    (void)user;
    if (object == OBJECT && strcmp(name, "table") == 0) {
        array(out);
    } else if (object == OBJECT && strcmp(name, "list") == 0) {
        out->kind = SDFG_OBJECT_LIST;
        out->id = LIST;
        out->count = 2;
    } else if (strcmp(name, "broken") == 0) {
        out->text = "the lid is stuck";
        return false;
    }
    return true;
}

static bool item(void *user, uint64_t object, const sdfg_object *key, sdfg_object *out)
{
    (void)user;
    out->kind = SDFG_OBJECT_INTEGER;
    out->weak = true;
    out->integer = key->integer + 1;
    return object == LIST && key->kind == SDFG_OBJECT_INTEGER;
}

static bool graph(void *user, const sdfg_site *site, sdfg_graph_answer *out)
{
    struct world *w = user;
    out->text = w->graph ? w->graph : "the box is empty";
    out->size = strlen(out->text);
    out->names = &w->parameter;
    out->wrong = !w->graph;
    return w->graph && site->count == 1 && !site->argument && site->object == OBJECT;
}

static sdfg_host host_of(struct world *w)
{
    sdfg_host h = SDFG_HOST_INIT;
    h.user = w;
    h.source = source;
    h.parameter = parameter;
    h.lookup = lookup;
    h.attribute = attribute;
    h.item = item;
    return h;
}

TEST(calls)
{
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_args *a;
    struct world w = { .text = f_text, .scale = 3 };
    sdfg_host h = host_of(&w);
    CHECK(good(sdfg_engine_new(&e, NULL)));
    CHECK(good(sdfg_program_load_function(&p, e, F, &h)));
    CHECK(w.questions == 6); /* each name once: scale, table, box, helper, its scale, np */
    double A[3] = { 1, 2, 3 }, table[3] = { 1, 1, 2 }, twice[3], sum;
    CHECK(good(sdfg_args_new(&a, p)));
    CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = A, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
    CHECK(
        good(sdfg_args_array(a, "__g_table", SDFG_ARRAY(.data = table, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
    CHECK(
        good(sdfg_args_array(a, "__return_0", SDFG_ARRAY(.data = &sum, .dtype = SDFG_F64, .rank = 1, .shape = { 1 }))));
    CHECK(good(
        sdfg_args_array(a, "__return_1", SDFG_ARRAY(.data = twice, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
    CHECK(good(sdfg_call(p, a)));
    CHECK(A[0] == 1 * 3 + 2 + 30 && A[2] == 3 * 3 + 4 + 30 && twice[1] == 2 * (2 * 3 + 2 + 30));
    CHECK(sum == A[0] + A[1] + A[2]);
    CHECK(sdfg_program_num_results(p) == 2 && sdfg_program_result_is_number(p, 0) &&
          !sdfg_program_result_is_number(p, 1));
    CHECK(
        good(sdfg_args_array(a, "__g_table", SDFG_ARRAY(.data = twice, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
    sdfg_error *error = sdfg_call(p, a);
    CHECK(error && !strcmp(sdfg_error_code(error), "ARGUMENT_OVERLAP"));
    sdfg_error_free(error);
    CHECK(good(sdfg_args_disjoint(a)) && good(sdfg_call(p, a)));
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

TEST(guards)
{
    sdfg_engine *e;
    sdfg_program *p;
    struct world w = { .text = f_text, .scale = 2.5 };
    sdfg_host h = host_of(&w);
    char text[1000] = "";
    CHECK(good(sdfg_engine_new(&e, NULL)));
    CHECK(good(sdfg_program_load_function(&p, e, F, &h)));
    sdfg_guard g = SDFG_GUARD_INIT;
    for (size_t i = 0; sdfg_program_guard(p, i, &g); i++)
        if (g.kind != SDFG_OBJECT_FUNCTION && g.kind != SDFG_OBJECT_MODULE)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s = %s%s%s\n", g.path, g.value,
                     g.argument ? " as " : "", g.argument ? g.argument : "");
    CHECK_STR(text, "mode = 'sum'\nscale = 2.5\ntable = float64[N] as __g_table\nbox = a box\n"
                    "box.table = float64[N] as __g_table\nbox.list = a list\nbox.list[0] = 1\nbox.list[1] = 2\n"
                    "helper.scale = 10\n");
    CHECK(!sdfg_program_guard(p, 1000, &g));
    sdfg_program_free(p);
    sdfg_engine_free(e);
}

/* Loops of at most three iterations are unrolled, an array is memory of the program. */
TEST(unrolled_and_transient)
{
    static const char *const loops[] = { "i", "j", "k", "l" };
    for (uint32_t most = 0; most < 6; most += 3) {
        sdfg_engine *e;
        sdfg_program *p;
        sdfg_args *a;
        struct world w = { .text = loops_text, .scale = 1, .unroll = most, .transient = true };
        sdfg_host h = host_of(&w);
        char *text;
        CHECK(good(sdfg_engine_new(&e, NULL)));
        CHECK(good(sdfg_program_load_function(&p, e, F, &h)));
        CHECK(good(sdfg_program_emit(&text, NULL, p, SDFG_EMIT_SDFG, NULL, 0)));
        for (int i = 0; i < 4; i++) {
            char variable[40];
            snprintf(variable, sizeof variable, "\"loop_variable\":\"%s\"", loops[i]);
            CHECK((strstr(text, variable) != NULL) == (!most || i > 0));
        }
        sdfg_text_free(text);
        double A[3] = { 0 };
        CHECK(good(sdfg_args_new(&a, p)));
        CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = A, .dtype = SDFG_F64, .rank = 1, .shape = { 3 }))));
        CHECK(good(sdfg_call(p, a)));
        CHECK(A[0] == 18 && A[1] == 19 && A[2] == 10);
        sdfg_guard g = SDFG_GUARD_INIT;
        for (size_t i = 0; sdfg_program_guard(p, i, &g); i++)
            CHECK(strcmp(g.path, "table") != 0 || !g.argument);
        sdfg_args_free(a);
        sdfg_program_free(p);
        sdfg_engine_free(e);
    }
}

TEST(errors)
{
    sdfg_engine *e;
    sdfg_program *p;
    struct world w = { .text = wrong_text, .scale = 1 };
    sdfg_host h = host_of(&w);
    CHECK(good(sdfg_engine_new(&e, NULL)));
    sdfg_error *error = sdfg_program_load_function(&p, e, F, &h);
    CHECK(error && !p);
    CHECK_STR(sdfg_error_message(error), "a box has no attribute 'nothing'");
    CHECK_STR(sdfg_error_source(error), "f.py:11:16");
    sdfg_error_free(error);
    error = sdfg_program_load_function(&p, e, TABLE, &h); /* no function */
    CHECK(error && sdfg_error_class_of(error) == SDFG_ERROR_UNSUPPORTED);
    sdfg_error_free(error);
    sdfg_host nobody = SDFG_HOST_INIT;
    error = sdfg_program_load_function(&p, e, F, &nobody);
    CHECK(error && sdfg_error_class_of(error) == SDFG_ERROR_UNSUPPORTED);
    sdfg_error_free(error);
    sdfg_engine_free(e);
}

/* Of a call in `boxed_text`, in the text of the error; NULL: there is none. */
static void check_boxed(sdfg_engine *e, struct world *w, const char *expected)
{
    sdfg_program *p;
    sdfg_host h = host_of(w);
    h.graph = graph;
    sdfg_error *error = sdfg_program_load_function(&p, e, F, &h);
    CHECK(error && sdfg_error_class_of(error) == SDFG_ERROR_UNSUPPORTED);
    CHECK_STR(sdfg_error_message(error), expected);
    sdfg_error_free(error);
}

/* A call that stands for a graph is a nested SDFG of the program; a view that lies otherwise is copied. */
TEST(graphs)
{
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_args *a;
    struct world w = { .text = increment_text };
    sdfg_host h = host_of(&w);
    char *text;
    double A[4] = { 0 };
    CHECK(good(sdfg_engine_new(&e, NULL)));
    CHECK(good(sdfg_program_load_function(&p, e, F, &h)));
    CHECK(good(sdfg_program_emit(&text, NULL, p, SDFG_EMIT_SDFG, NULL, 0)));
    sdfg_program_free(p);
    w = (struct world){ .text = boxed_text, .graph = text, .parameter = "A" };
    h.graph = graph;
    CHECK(good(sdfg_program_load_function(&p, e, F, &h)));
    CHECK(good(sdfg_args_new(&a, p)));
    CHECK(good(sdfg_args_array(a, "A", SDFG_ARRAY(.data = A, .dtype = SDFG_F64, .rank = 1, .shape = { 4 }))));
    CHECK(good(sdfg_call(p, a)));
    CHECK(A[0] == 1 && A[1] == 1 && A[2] == 2 && A[3] == 1);
    sdfg_args_free(a);
    sdfg_program_free(p);
    w.parameter = NULL;
    check_boxed(e, &w, "not supported: a call of 'box': nothing is passed for 'A'");
    w.graph = "{";
    check_boxed(e, &w, "not supported: a call of 'box': its text is not read");
    w.graph = NULL;
    check_boxed(e, &w, "not supported: box: the box is empty");
    sdfg_text_free(text);
    sdfg_engine_free(e);
}

CHECK_MAIN
