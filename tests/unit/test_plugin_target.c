/* Targets of plug-ins while code is made: what they are told of copies, and each way to make no code that can be used.
 * What they register: test_plugin.c; programs that run with some: tests/cli/targets.txt. */
#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- a target with storage and a schedule of its own, whose functions are those of the test ---- */

static sdfg_target functions; /* of the test at hand: enter to copy */

static bool give_back(sdfg_target_call *call)
{
    free((void *)(intptr_t)call->arguments[0]);
    return true;
}

static bool take(sdfg_target_call *call)
{
    call->result = (int64_t)(intptr_t)malloc((size_t)call->arguments[0] + 1);
    return call->result;
}

static bool extend(const sdfg_plugin_api *api)
{
    static const char *const far[] = { "Far", NULL }, *const rows[] = { "Rows", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_STORAGE, .names = far },
                                         { .kind = SDFG_CLAIM_SCHEDULE, .names = rows },
                                         { .kind = SDFG_CLAIM_COPY, .names = far },
                                         { .kind = SDFG_CLAIM_COPY, .to = far } };
    static const sdfg_target_entry entries[] = { { "take", take }, { "give_back", give_back } };
    const sdfg_member storage = { .struct_size = sizeof storage, .enumeration = SDFG_ENUM_STORAGE, .name = "Far" },
                      schedule = { .struct_size = sizeof schedule, .name = "Rows" };
    sdfg_target t = functions;
    t.struct_size = sizeof t;
    t.name = "far";
    t.claims = claims;
    t.num_claims = sizeof claims / sizeof *claims;
    t.functions = entries;
    t.num_functions = sizeof entries / sizeof *entries;
    return api->member(api->plugin, &storage) && api->member(api->plugin, &schedule) && api->target(api->plugin, &t);
}

static sdfg_engine *engine_with(sdfg_target t)
{
    static const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "test", "1", "for tests" };
    sdfg_engine *e;
    functions = t;
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!sdfg_engine_extend(e, &about, extend));
    return e;
}

/* ---- a program: A goes to F, which is far, a map doubles it there, and F goes to B ---- */

struct program {
    const char *shape, *from, *to, *back; /* of A and B; of F, NULL: the same; memlets of the copies */
    const char *far, *type;               /* shape and type of F; NULL: as A */
    enum sdfg_container_kind kind;        /* of F; 0: a transient array */
    const char *wcr;                      /* of the copy back */
    bool zero;                            /* F is zeroed */
};

static const struct program vector = { .shape = "N", .from = "A", .back = "F" };

static void add_map(sdfg_graph *g, sdfg_element *state)
{
    (void)g;
    sdfg_element *m = sdfg_graph_map(state, "rows", "i = 0:4"), *t = sdfg_graph_tasklet(state, "t", NULL, "b", "b = i");
    sdfg_graph_set(m, "schedule", "Rows");
    sdfg_graph_edge(m, NULL, t, NULL, NULL, NULL);
    sdfg_graph_path(SDFG_PATH(t, sdfg_graph_exit(m), sdfg_graph_access(state, "C")), "C[i]", NULL, "b", NULL);
}

static sdfg_graph *graph_of(sdfg_engine *e, const struct program *p)
{
    sdfg_graph *g;
    CHECK(!sdfg_graph_new(&g, e, "there"));
    sdfg_graph_symbol(g, "N", "int64");
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "A", "float64", p->shape);
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "B", "float64", p->shape);
    sdfg_graph_container(g, SDFG_CONTAINER_ARRAY, "C", "float64", "4");
    bool stream = p->kind == SDFG_CONTAINER_STREAM;
    const char *shape = stream ? NULL : p->far ? p->far : p->shape, *type = p->type ? p->type : "float64";
    sdfg_graph_set(sdfg_graph_container(g, stream ? p->kind : SDFG_CONTAINER_TRANSIENT, "F", type, shape), "storage",
                   "Far");
    sdfg_element *copies = sdfg_graph_state(sdfg_graph_body(g), "copies"),
                 *map = sdfg_graph_state(sdfg_graph_body(g), "map");
    sdfg_graph_transition(copies, map, NULL, NULL);
    sdfg_element *f = sdfg_graph_access(copies, "F");
    if (p->zero)
        sdfg_graph_set(f, "setzero", "true");
    sdfg_graph_edge(sdfg_graph_access(copies, "A"), NULL, f, NULL, p->from, NULL);
    sdfg_graph_edge(f, NULL, sdfg_graph_access(copies, "B"), NULL, p->back, p->wcr);
    add_map(g, map);
    return g;
}

/* Code and message of the error that the code of a program is, or ": ". */
static const char *compiled(sdfg_target t, const struct program *p)
{
    static char text[512];
    sdfg_engine *e = engine_with(t);
    sdfg_graph *g = graph_of(e, p);
    sdfg_program *program = NULL;
    sdfg_kernel *k = NULL;
    sdfg_error *error = sdfg_graph_load(&program, e, g);
    if (!error)
        error = sdfg_specialize(&k, program, &(sdfg_symbol){ "N", 6 }, 1);
    snprintf(text, sizeof text, "%s: %s", error ? sdfg_error_code(error) : "", error ? sdfg_error_message(error) : "");
    sdfg_error_free(error);
    sdfg_kernel_free(k);
    sdfg_program_free(program);
    sdfg_graph_free(g);
    sdfg_engine_free(e);
    return text;
}

#define FAILS(why) "TARGET_FAILED: target 'far' of plug-in 'test' makes no code for this element: " why

/* ---- memory ---- */

static enum sdfg_answer allocate(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user;
    m->address = code->call(code, "take", &m->bytes, 1);
    return SDFG_DONE;
}

static enum sdfg_answer release(void *user, sdfg_code *code, const sdfg_memory *m)
{
    (void)user;
    code->call(code, "give_back", (sdfg_value *const *)&m->address, 1);
    return SDFG_DONE;
}

static enum sdfg_answer no_address(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user, (void)code, (void)m;
    return SDFG_DONE;
}

static enum sdfg_answer no_release(void *user, sdfg_code *code, const sdfg_memory *m)
{
    (void)user, (void)m;
    code->fail(code, "it stays");
    return SDFG_FAILED;
}

/* What comes after a mistake does nothing, and its message stays. */
static enum sdfg_answer goes_on(void *user, sdfg_code *code, sdfg_memory *m)
{
    const sdfg_code_object object = { .struct_size = sizeof object, .name = "o" };
    sdfg_value *one = code->number(code, 1);
    (void)user;
    code->fail(code, "it is full");
    code->fail(code, "another reason");
    CHECK(!code->attribute(code, "a") && !code->number(code, 2) && !code->expression(code, "N"));
    CHECK(!code->compute(code, SDFG_ADD, one, one) && !code->call(code, "take", &one, 1));
    CHECK(!code->loop(code, "i", one, one, one, 0) && !code->unique(code) && !code->invoke(code, "f", &one, 1));
    CHECK(!code->operand(code, NULL, false) && !code->object(code, &object));
    code->branch(code, one);
    code->end(code);
    code->parameter(code, 0, one);
    code->source(code, "int f;");
    m->address = one;
    return SDFG_DONE;
}

static enum sdfg_answer fails_without_a_word(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user, (void)m;
    code->fail(code, "");
    return SDFG_FAILED;
}

static enum sdfg_answer no_condition(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user, (void)m;
    code->branch(code, NULL);
    return SDFG_DONE;
}

static enum sdfg_answer no_end(void *user, sdfg_code *code, sdfg_memory *m)
{
    (void)user, (void)m;
    code->loop(code, "i", code->number(code, 0), NULL, code->number(code, 1), 0);
    return SDFG_DONE;
}

TEST(after_a_mistake)
{
    CHECK_STR(compiled((sdfg_target){ .allocate = goes_on, .release = release }, &vector), FAILS("it is full"));
    CHECK_STR(compiled((sdfg_target){ .allocate = fails_without_a_word, .release = release }, &vector),
              FAILS("it did not say why"));
    CHECK_STR(compiled((sdfg_target){ .allocate = no_condition, .release = release }, &vector),
              FAILS("a condition is NULL"));
    CHECK_STR(compiled((sdfg_target){ .allocate = no_end, .release = release }, &vector),
              FAILS("a part of a loop is NULL"));
}

/* One call that is wrong, then an answer as if it was right. */
#define MISTAKE(id, ...)                                                                                               \
    static enum sdfg_answer id(void *user, sdfg_code *code, sdfg_memory *m)                                            \
    {                                                                                                                  \
        (void)user;                                                                                                    \
        (void)(__VA_ARGS__);                                                                                           \
        m->address = code->number(code, 64);                                                                           \
        return SDFG_DONE;                                                                                              \
    }

MISTAKE(null_operand, code->compute(code, SDFG_ADD, code->number(code, 1), NULL))
MISTAKE(null_first, code->compute(code, SDFG_ADD, NULL, code->number(code, 1)))
MISTAKE(no_operator, code->compute(code, (enum sdfg_operator)99, code->number(code, 1), code->number(code, 1)))
MISTAKE(null_argument, code->call(code, "take", (sdfg_value *const[]){ NULL }, 1))
MISTAKE(no_function, code->call(code, "nobody", NULL, 0))
MISTAKE(null_function, code->call(code, NULL, NULL, 0))
MISTAKE(no_expression, code->expression(code, "N +"))
MISTAKE(null_expression, code->expression(code, NULL))
MISTAKE(unknown_symbol, code->expression(code, "nobody"))
MISTAKE(no_attribute, code->attribute(code, "nobody"))
MISTAKE(null_attribute, code->attribute(code, NULL))
MISTAKE(reserved_function, code->invoke(code, "sdfg_f", NULL, 0))
MISTAKE(null_invoked, code->invoke(code, NULL, NULL, 0))
MISTAKE(null_of_invoked, code->invoke(code, "f", (sdfg_value *const[]){ NULL }, 1))
MISTAKE(no_node, code->operand(code, NULL, false))
MISTAKE(null_object, code->object(code, NULL))
MISTAKE(nameless_object, code->object(code, &(sdfg_code_object){ .struct_size = sizeof(sdfg_code_object), .name = "" }))
MISTAKE(object_without_bytes,
        code->object(code, &(sdfg_code_object){ .struct_size = sizeof(sdfg_code_object), .name = "o", .size = 3 }))
MISTAKE(end_of_nothing, code->end(code))
MISTAKE(no_parameter, code->parameter(code, 0, code->number(code, 1)))

TEST(mistakes_in_code)
{
    static const struct {
        enum sdfg_answer (*allocate)(void *user, sdfg_code *code, sdfg_memory *m);
        const char *why;
    } rows[] = {
        { null_operand, "it computes with a value that is NULL" },
        { null_first, "it computes with a value that is NULL" },
        { no_operator, "operators are those of enum sdfg_operator" },
        { null_argument, "an argument of a call is NULL" },
        { no_function, "the target has no function 'nobody'" },
        { null_function, "the target has no function ''" },
        { no_expression, "the expression 'N +' cannot be used" },
        { null_expression, "the expression '' cannot be used" },
        { unknown_symbol, "the expression 'nobody' cannot be used" },
        { no_attribute, "there is no integer 'nobody' among the attributes" },
        { null_attribute, "there is no integer '' among the attributes" },
        { reserved_function, "no function of its source can be called 'sdfg_f'" },
        { null_invoked, "no function of its source can be called ''" },
        { null_of_invoked, "an argument of a call is NULL" },
        { no_node, "only library nodes have operands" },
        { null_object, "struct sdfg_code_object is NULL" },
        { nameless_object, "an object has a name" },
        { object_without_bytes, "an object has bytes, or the size 0" },
        { end_of_nothing, "it ends a loop that is not open" },
        { no_parameter, "a parameter gets one value, when its map is entered" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[400];
        snprintf(expected, sizeof expected, "%s%s", FAILS(""), rows[i].why);
        CHECK_STR(compiled((sdfg_target){ .allocate = rows[i].allocate, .release = release }, &vector), expected);
    }
}

TEST(memory)
{
    struct program stream = { .shape = "N", .from = "A", .back = "F", .kind = SDFG_CONTAINER_STREAM }, zero = vector;
    zero.zero = true;
    CHECK_STR(compiled((sdfg_target){ .allocate = allocate, .release = release }, &vector), ": ");
    CHECK_STR(compiled((sdfg_target){ .allocate = allocate, .release = release }, &zero), ": ");
    CHECK_STR(compiled((sdfg_target){ .allocate = no_address, .release = release }, &vector),
              FAILS("memory has no address"));
    CHECK_STR(compiled((sdfg_target){ .allocate = allocate, .release = no_release }, &vector), FAILS("it stays"));
    CHECK_STR(compiled((sdfg_target){ .allocate = allocate, .release = release }, &stream),
              FAILS("streams are queues of the host"));
}

/* ---- copies ---- */

static char told[256];

static enum sdfg_answer inherits(void *user, sdfg_code *code, const sdfg_transfer *c)
{
    (void)user, (void)code;
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, "%s to %s, rank %zu%s%s; ", c->from.container, c->to.container,
             c->rank, c->converts ? ", converts" : "", c->reduces ? ", reduces" : "");
    return SDFG_INHERITED;
}

static enum sdfg_answer no_copy(void *user, sdfg_code *code, const sdfg_transfer *c)
{
    (void)user, (void)code, (void)c;
    return SDFG_FAILED;
}

static enum sdfg_answer no_answer(void *user, sdfg_code *code, const sdfg_transfer *c)
{
    (void)user, (void)code, (void)c;
    return (enum sdfg_answer)7;
}

static const char *copies(struct program p)
{
    *told = 0;
    CHECK_STR(compiled((sdfg_target){ .copy = inherits }, &p), ": ");
    return told;
}

TEST(what_copies_are)
{
    CHECK_STR(copies(vector), "A to F, rank 1; F to B, rank 1; ");
    CHECK_STR(copies((struct program){ .shape = "N, N", .from = "A", .back = "F" }),
              "A to F, rank 1; F to B, rank 1; ");
    CHECK_STR(copies((struct program){
                  .shape = "N, N", .from = "A[0:3, 0:2] -> [0:3, 0:2]", .back = "F[0:N, 1] -> [0:N, 2]" }),
              "A to F, rank 2; F to B, rank 1; ");
    CHECK_STR(copies((struct program){
                  .shape = "N", .from = "A", .back = "F", .type = "float32", .wcr = "lambda a, b: a + b" }),
              "A to F, rank 1, converts; F to B, rank 1, converts, reduces; ");
}

TEST(copies_that_cannot_be_made)
{
    struct program other = { .shape = "N, N", .far = "N, N", .from = "A[0:2, 0:3] -> [0:3, 0:2]", .back = "F" };
    CHECK_STR(compiled((sdfg_target){ .copy = no_copy }, &vector), FAILS("it did not say why"));
    CHECK_STR(compiled((sdfg_target){ .copy = no_answer }, &vector), FAILS("answers are those of enum sdfg_answer"));
    CHECK_STR(compiled((sdfg_target){ .copy = inherits }, &other),
              "UNSUPPORTED: copies between regions of different shape by a target of a plug-in");
}

/* ---- maps, beginning and end ---- */

static enum sdfg_answer half_open(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user;
    code->loop(code, "i", map->begin[0], map->end[0], map->step[0], 0);
    return SDFG_INHERITED;
}

static enum sdfg_answer loops(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user;
    code->parameter(code, 0, code->loop(code, "i", map->begin[0], map->end[0], map->step[0], SDFG_LOOP_PARALLEL));
    return SDFG_DONE;
}

static enum sdfg_answer twice(void *user, sdfg_code *code, const sdfg_map *map)
{
    loops(user, code, map);
    code->parameter(code, 0, map->begin[0]);
    return SDFG_DONE;
}

/* Deeper than a target may go. */
static enum sdfg_answer deep(void *user, sdfg_code *code, const sdfg_map *map)
{
    for (int i = 0; i < 40; i++)
        code->branch(code, code->compute(code, SDFG_LESS, map->begin[0], map->end[0]));
    return loops(user, code, map);
}

/* The value of the parameter is computed. */
static enum sdfg_answer backwards(void *user, sdfg_code *code, const sdfg_map *map)
{
    sdfg_value *i = code->loop(code, "i", map->begin[0], map->end[0], map->step[0], SDFG_LOOP_INDEPENDENT);
    (void)user;
    code->parameter(code, 0, code->compute(code, SDFG_SUB, code->number(code, 3), i));
    return SDFG_DONE;
}

static enum sdfg_answer many(void *user, sdfg_code *code, const sdfg_map *map)
{
    sdfg_value *arguments[65];
    (void)user;
    for (int i = 0; i < 65; i++)
        arguments[i] = map->begin[0];
    code->call(code, "take", arguments, 65);
    return SDFG_INHERITED;
}

static enum sdfg_answer unknown(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user;
    code->compute(code, (enum sdfg_operator)77, map->begin[0], map->end[0]);
    return SDFG_INHERITED;
}

static enum sdfg_answer operand(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user, (void)map;
    code->operand(code, "_x", false);
    return SDFG_INHERITED;
}

static enum sdfg_answer no_leave(void *user, sdfg_code *code, const sdfg_map *map)
{
    (void)user, (void)map;
    code->end(code);
    code->end(code);
    return SDFG_DONE;
}

static enum sdfg_answer not_now(void *user, sdfg_code *code)
{
    (void)user;
    code->fail(code, "not now");
    return SDFG_FAILED;
}

static enum sdfg_answer nothing(void *user, sdfg_code *code)
{
    (void)user, (void)code;
    return SDFG_INHERITED;
}

TEST(maps)
{
    CHECK_STR(compiled((sdfg_target){ .enter = loops }, &vector), ": ");
    CHECK_STR(compiled((sdfg_target){ .enter = backwards }, &vector), ": ");
    CHECK_STR(compiled((sdfg_target){ .enter = half_open }, &vector),
              FAILS("it inherits the loops of a map and opens some"));
    CHECK_STR(compiled((sdfg_target){ .enter = twice }, &vector),
              FAILS("a parameter gets one value, when its map is entered"));
    CHECK_STR(compiled((sdfg_target){ .enter = deep }, &vector), FAILS("loops and branches are nested too deeply"));
    CHECK_STR(compiled((sdfg_target){ .enter = many }, &vector), FAILS("calls have at most 64 arguments"));
    CHECK_STR(compiled((sdfg_target){ .enter = unknown }, &vector), FAILS("operators are those of enum sdfg_operator"));
    CHECK_STR(compiled((sdfg_target){ .enter = operand }, &vector), FAILS("only library nodes have operands"));
    CHECK_STR(compiled((sdfg_target){ .enter = loops, .leave = no_leave }, &vector),
              FAILS("it ends a loop that is not open"));
}

TEST(begin_and_end)
{
    CHECK_STR(compiled((sdfg_target){ .begin = nothing, .end = nothing }, &vector), ": ");
    CHECK_STR(compiled((sdfg_target){ .begin = not_now }, &vector), FAILS("not now"));
    CHECK_STR(compiled((sdfg_target){ .end = not_now }, &vector), FAILS("not now"));
}
/* ---- claims of two plug-ins for the same elements, with nothing that decides between them ---- */

static sdfg_claim claim; /* of the plug-in at hand */
static const char *claimant;

static bool register_claim(const sdfg_plugin_api *api)
{
    const sdfg_target t = { .struct_size = sizeof t, .name = claimant, .claims = &claim, .num_claims = 1 };
    return api->target(api->plugin, &t);
}

static sdfg_error *extend_with(sdfg_engine *e, const char *name, sdfg_claim c)
{
    const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, name, "1", "for tests" };
    claim = c;
    claimant = name;
    return sdfg_engine_extend(e, &about, register_claim);
}

/* What the second plug-in's error says behind "claims the "; NULL: there is none. */
static const char *clash(sdfg_claim first, sdfg_claim second)
{
    static char text[256];
    sdfg_engine *e;
    CHECK(!sdfg_engine_new(&e, NULL));
    CHECK(!extend_with(e, "first", first));
    sdfg_error *error = extend_with(e, "second", second);
    const char *what = error ? strstr(sdfg_error_message(error), "claims the ") : NULL;
    snprintf(text, sizeof text, "%s", what ? what + strlen("claims the ") : "");
    CHECK(!error == !what);
    sdfg_error_free(error);
    sdfg_engine_free(e);
    return error ? text : NULL;
}

static bool always(void *user, const sdfg_claim_site *site)
{
    (void)user, (void)site;
    return true;
}

TEST(claims)
{
    static const char *const l2[] = { "Snitch_L2", NULL }, *const both[] = { "Snitch_TCDM", "Snitch_L2", NULL },
                             *const tcdm[] = { "Snitch_TCDM", NULL }, *const snitch[] = { "Snitch", NULL },
                             *const cores[] = { "Snitch_Multicore", NULL };
#define CLAIM(K, ...) ((sdfg_claim){ .kind = SDFG_CLAIM_##K, __VA_ARGS__ })
    CHECK_STR(clash(CLAIM(SCHEDULE, .names = snitch), CLAIM(SCHEDULE, .names = snitch)), "schedule 'Snitch', too");
    CHECK(!clash(CLAIM(SCHEDULE, .names = snitch), CLAIM(SCHEDULE, .names = cores)));
    CHECK(!clash(CLAIM(SCHEDULE, .names = snitch), CLAIM(SCHEDULE, .names = snitch, .holds = always)));
    CHECK_STR(clash(CLAIM(STORAGE, .names = both), CLAIM(STORAGE, .names = l2)), "storage 'Snitch_L2', too");
    CHECK(!clash(CLAIM(STORAGE, .names = l2), CLAIM(COPY, .names = l2)));
    CHECK_STR(clash(CLAIM(NODE, .names = NULL), CLAIM(NODE, .names = NULL)), "node 'of every name', too");
    CHECK(!clash(CLAIM(NODE, .names = NULL), CLAIM(NODE, .names = snitch)));
    CHECK_STR(clash(CLAIM(COPY, .names = l2), CLAIM(COPY, .names = both)), "copies from storage 'Snitch_L2', too");
    CHECK_STR(clash(CLAIM(COPY, .to = l2), CLAIM(COPY, .to = both)), "copies from storage 'of every name', too");
    CHECK(!clash(CLAIM(COPY, .names = l2, .to = l2), CLAIM(COPY, .names = l2, .to = tcdm)));
    CHECK(!clash(CLAIM(COPY, .names = l2), CLAIM(COPY, .names = l2, .schedules = snitch)));
    CHECK(!clash(CLAIM(COPY, .names = l2, .schedules = cores), CLAIM(COPY, .names = l2, .schedules = snitch)));
    CHECK_STR(clash(CLAIM(COPY, .schedules = snitch), CLAIM(COPY, .schedules = snitch)),
              "copies from storage 'of every name', too");
}

CHECK_MAIN
