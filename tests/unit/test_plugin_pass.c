/* Passes of plug-ins: what they give takes the place of the program only if it is one and has its arguments; where they
 * may stand and in which order they run; what they may ask and tell. Plug-ins from files: tests/cli/passes.txt. */
#include "base/text.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/unit/check.h"

#include <string.h>

enum { N = 4 };

/* What a pass does: each `from` of the text becomes `into`. */
struct change {
    const char *from, *into;
};

static char ran[256]; /* the names of passes as they run, where their user is one */

static bool replace(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    const struct change *c = user;
    struct arena *arena = arena_new();
    struct text t = text_new(arena);
    const char *at = p->text, *next;
    for (; (next = strstr(at, c->from)); at = next + strlen(c->from)) {
        text_addn(&t, at, (size_t)(next - at));
        text_add(&t, c->into);
    }
    bool found = at != p->text;
    text_add(&t, at);
    give(to, text_get(&t), t.length);
    arena_free(arena);
    return found;
}

static bool note(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)p;
    give(to, NULL, 0); /* as nothing */
    strcat(strcat(ran, *ran ? " " : ""), user);
    return true;
}

static const sdfg_pass *passes; /* that the plug-in registers, up to one without a name */

static bool register_all(const sdfg_plugin_api *api)
{
    for (const sdfg_pass *p = passes; p->name; p++) {
        sdfg_pass own = *p;
        own.struct_size = sizeof own;
        own.text = "for tests";
        if (!own.run && !own.library)
            own.run = note;
        if (own.run == note)
            own.user = (void *)(uintptr_t)own.name;
        if (!api->pass(api->plugin, &own))
            return false;
    }
    return true;
}

/* Y = 2 * X + Y of examples/axpy.sdfg with these passes, for X = 1, Y = 10; the message of the error, or "". */
static const char *said_with(const sdfg_pass *list, const char *choice, double *y)
{
    static char text[512];
    sdfg_options o;
    sdfg_engine *e;
    sdfg_program *p = NULL;
    sdfg_args *a = NULL;
    sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "p", "1", "for tests" };
    double x[N] = { 1, 1, 1, 1 };
    for (int i = 0; i < N; i++)
        y[i] = 10;
    passes = list;
    *ran = 0;
    sdfg_options_init(&o, sizeof o);
    o.passes = choice;
    CHECK(!sdfg_engine_new(&e, &o));
    sdfg_error *error = sdfg_engine_extend(e, &about, register_all);
    error = error ? error : sdfg_program_load_file(&p, e, "../examples/axpy.sdfg");
    error = error ? error : sdfg_args_new(&a, p);
    if (!error) {
        CHECK(!sdfg_args_f64(a, "alpha", 2));
        CHECK(!sdfg_args_array(a, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
        CHECK(!sdfg_args_array(a, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
        error = sdfg_call(p, a);
    }
    snprintf(text, sizeof text, "%s", error ? sdfg_error_message(error) : "");
    sdfg_error_free(error);
    sdfg_args_free(a);
    sdfg_program_free(p);
    sdfg_engine_free(e);
    return text;
}

/* ---- what is given ---- */

static const char *changed(enum sdfg_pass_kind kind, const struct change *c, double *y)
{
    void *user = (void *)(uintptr_t)c;
    const sdfg_pass list[] = { { .name = "mine", .kind = kind, .user = user, .run = replace }, { 0 } };
    return said_with(list, NULL, y);
}

TEST(programs_are_what_passes_give)
{
    static const struct change minus = { "a * x + y", "a * x - y" }, same = { "a * x", "a * x" };
    double y[N];
    CHECK_STR(said_with((const sdfg_pass[]){ { .name = "nothing", .kind = SDFG_PASS_TREE }, { 0 } }, NULL, y), "");
    CHECK(y[0] == 12 && y[N - 1] == 12);
    CHECK_STR(changed(SDFG_PASS_TREE, &minus, y), "");
    CHECK(y[0] == -8 && y[N - 1] == -8);
    CHECK_STR(changed(SDFG_PASS_TREE, &same, y), "");
    CHECK(y[0] == 12 && y[N - 1] == 12);
    CHECK_STR(changed(SDFG_PASS_GRAPH, &minus, y), "");
    CHECK(y[0] == -8 && y[N - 1] == -8);
}

TEST(trees_keep_their_functions_and_parameters)
{
    static const struct change rows[] = {
        { "axpy main(", "axpy other(" },
        { "axpy main(", "axpy first() {\n}\naxpy main(" },
        { "X", "Z" },
        { ", alpha: float64)", ", alpha: float64, more: float64)" },
        { ", alpha: float64)", ", alpha: float64*)" },
        { ", alpha: float64)", ", alpha: float32)" },
    };
    double y[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STR(changed(SDFG_PASS_TREE, &rows[i], y),
                  "pass 'mine' of plug-in 'p' gave a tree with other functions or parameters");
        CHECK(y[0] == 10);
    }
}

TEST(graphs_keep_their_arguments)
{
    static const struct change rows[] = {
        { "\"Y\":{\"type\":\"Array\",\"attributes\":{",
          "\"Y\":{\"type\":\"Array\",\"attributes\":{\"transient\":true," },
        { "\"alpha\":{\"type\":\"Scalar\"", "\"alpha\":{\"type\":\"Array\"" },
        { "\"_arrays\":{",
          "\"_arrays\":{\"W\":{\"type\":\"Scalar\",\"attributes\":{\"dtype\":\"float64\",\"shape\":[\"1\"]}}," },
        { "\"X\"", "\"Z\"" },
    };
    double y[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(changed(SDFG_PASS_GRAPH, &rows[i], y),
                  "pass 'mine' of plug-in 'p' gave an SDFG with other arguments");
}

static bool fails_silently(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)p;
    if (user)
        give(to, "", 0);
    return false;
}

TEST(passes_that_fail_may_say_nothing)
{
    double y[N];
    const sdfg_pass nothing[] = { { .name = "silent", .run = fails_silently }, { 0 } };
    const sdfg_pass empty[] = { { .name = "silent", .run = fails_silently, .user = "" }, { 0 } };
    CHECK_STR(said_with(nothing, NULL, y), "pass 'silent' of plug-in 'p' failed: it did not say why");
    CHECK_STR(said_with(empty, NULL, y), "pass 'silent' of plug-in 'p' failed: it did not say why");
}

/* ---- places ---- */

#define TREE  .kind = SDFG_PASS_TREE
#define GRAPH .kind = SDFG_PASS_GRAPH

TEST(passes_stand_in_their_places)
{
    double y[N];
    const sdfg_pass list[] = { { .name = "1", TREE },
                               { .name = "2", TREE, .where = SDFG_PASS_AFTER, .other = "lower" },
                               { .name = "3", TREE, .where = SDFG_PASS_BEFORE, .other = "check" },
                               { .name = "4", TREE, .where = SDFG_PASS_AFTER },
                               { .name = "5", TREE, .where = SDFG_PASS_AFTER, .other = "2" },
                               { .name = "6", TREE, .where = SDFG_PASS_BEFORE, .other = "tier" },
                               { .name = "7", GRAPH, .where = SDFG_PASS_BEFORE, .other = "infer-types" },
                               { .name = "8", GRAPH },
                               { 0 } };
    CHECK_STR(said_with(list, NULL, y), "");
    CHECK_STR(ran, "8 7 1 2 5 4 3 6");
}

TEST(passes_that_cannot_stand_there)
{
    static const struct {
        sdfg_pass pass;
        const char *message;
    } rows[] = {
        { { .name = "a", TREE, .where = SDFG_PASS_INSTEAD, .other = "tier" },
          "'tier' makes what others need: nothing can take its place" },
        { { .name = "a", GRAPH, .where = SDFG_PASS_INSTEAD, .other = "infer-types" },
          "'infer-types' makes what others need: nothing can take its place" },
        { { .name = "a", TREE, .where = SDFG_PASS_INSTEAD, .other = "lower" },
          "passes over trees stand between 'lower' and 'tier', not at 'lower'" },
        { { .name = "a", TREE, .where = SDFG_PASS_BEFORE, .other = "validate" },
          "passes over trees stand between 'lower' and 'tier', not at 'validate'" },
        { { .name = "a", TREE, .where = SDFG_PASS_BEFORE, .other = "link" },
          "passes over trees stand between 'lower' and 'tier', not at 'link'" },
        { { .name = "a", TREE, .where = SDFG_PASS_AFTER, .other = "tier" },
          "passes over trees stand between 'lower' and 'tier', not at 'tier'" },
        { { .name = "lower", TREE }, "there is a pass 'lower'" },
    };
    double y[N];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "plug-in 'p' registers the pass '%s': %s", rows[i].pass.name,
                 rows[i].message);
        CHECK_STR(said_with((const sdfg_pass[]){ rows[i].pass, { 0 } }, NULL, y), expected);
    }
}

/* ---- facts ---- */

/* Sixteen facts of plug-ins have room, in whichever lists they are. */
TEST(facts_have_room)
{
    static const char *const all[] = { "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8", "f9",
                                       "f10", "f11", "f12", "f13", "f14", "f15", "f16", NULL },
                             *const more[] = { "f16", "f17", NULL };
    double y[N];
    const sdfg_pass makes = { .name = "makes", TREE, .makes = all }, end = { 0 };
    const sdfg_pass needs = { .name = "needs", TREE, .where = SDFG_PASS_AFTER, .other = "makes", .needs = all };
    const sdfg_pass last[] = { { .name = "last", TREE, .needs = more },
                               { .name = "last", TREE, .makes = more },
                               { .name = "last", TREE, .breaks = more } };
    CHECK_STR(said_with((const sdfg_pass[]){ makes, needs, end }, NULL, y), "");
    CHECK_STR(ran, "makes needs");
    for (size_t i = 0; i < 3; i++)
        CHECK_STR(said_with((const sdfg_pass[]){ makes, last[i], end }, NULL, y),
                  "plug-in 'p' registers the pass 'last': plug-ins have too many facts; 'f17' is one more");
}

TEST(facts_that_nobody_has_made_are_named)
{
    static const char *const first[] = { "f1", NULL }, *const both[] = { "f1", "f2", NULL };
    double y[N];
    const sdfg_pass list[] = { { .name = "makes", TREE, .makes = first },
                               { .name = "needs", TREE, .needs = both },
                               { 0 } };
    const sdfg_pass neither[] = { { .name = "needs", TREE, .needs = both }, { 0 } };
    CHECK_STR(said_with(list, NULL, y), "pass 'needs' of plug-in 'p' needs 'f2', which no pass before it has made");
    CHECK_STR(said_with(neither, NULL, y),
              "pass 'needs' of plug-in 'p' needs 'f1, f2', which no pass before it has made");
}

/* ---- asking and telling ---- */

static char answers[1024];

static void add_answer(void *to, const char *text, size_t size)
{
    (void)to;
    snprintf(answers + strlen(answers), sizeof answers - strlen(answers), "%.*s\n", (int)size, text);
}

static bool asks(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)give;
    (void)to;
    return p->ask(p, user, add_answer, NULL);
}

static bool tells(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)user;
    (void)give;
    (void)to;
    bool wrong = p->tell(p, NULL, "text", 4) || p->tell(p, "f1", NULL, 0) || p->tell(p, "f2", "text", 4) ||
                 p->tell(p, "tree", "text", 4);
    return !wrong && p->tell(p, "f1", "first", 5) && p->tell(p, "f1", "second...", 6);
}

static bool asks_in_vain(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)give;
    (void)to;
    return !p->ask(p, user, add_answer, NULL);
}

static bool tells_of_others(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)user;
    (void)give;
    (void)to;
    return !p->tell(p, "f1", "text", 4);
}

TEST(passes_ask_what_earlier_ones_told)
{
    static const char *const f1[] = { "f1", NULL };
    double y[N];
    const sdfg_pass list[] = {
        { .name = "tells", TREE, .makes = f1, .run = tells },
        { .name = "asks", TREE, .user = "f1", .run = asks },
        { .name = "breaks", TREE, .breaks = f1, .run = tells_of_others },
        { .name = "asks-again", TREE, .user = "f1", .run = asks_in_vain },
        { .name = "makes", TREE, .makes = f1 },
        { .name = "asks-at-last", TREE, .user = "f1", .run = asks_in_vain },
        { 0 },
    };
    *answers = 0;
    CHECK_STR(said_with(list, NULL, y), "");
    CHECK_STR(answers, "second\n"
                       "there is no analysis 'f1', and no pass has told of a fact of that name that holds\n"
                       "there is no analysis 'f1', and no pass has told of a fact of that name that holds\n");
}

TEST(passes_ask_for_what_there_is)
{
    double y[N];
    const sdfg_pass list[] = {
        { .name = "tree", GRAPH, .user = "loops", .run = asks_in_vain },
        { .name = "null", TREE, .run = asks_in_vain },
        { .name = "graph", TREE, .user = "accesses", .run = asks_in_vain },
        { .name = "nobody", TREE, .user = "what", .run = asks_in_vain },
        { .name = "untold", TREE, .user = "valid", .run = asks_in_vain },
        { 0 },
    };
    *answers = 0;
    CHECK_STR(said_with(list, NULL, y), "");
    CHECK_STR(answers, "'loops' is an analysis of trees\n"
                       "there is no analysis '', and no pass has told of a fact of that name that holds\n"
                       "'accesses' is an analysis of graphs\n"
                       "there is no analysis 'what', and no pass has told of a fact of that name that holds\n"
                       "there is no analysis 'valid', and no pass has told of a fact of that name that holds\n");
}

CHECK_MAIN
