/* Memory that ends in a function that somebody else calls: while a graph is made, and in what plug-ins call while their
 * passes and targets work. No function of theirs is left half-way; the error comes when they have returned. Texts are
 * larger than what an arena has left, so that the first allocation is the one that fails.
 *
 *     fail-exhausted EXAMPLES */
#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/fail/interpose.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 4 << 20, OFTEN = 1 << 22 };

static char large[LARGE + 1];
static const char *examples;

static void begin_failing(void) { fail_at(1, true); }

static bool failed(void)
{
    bool any = fail_failed() > 0;
    fail_at(0, false);
    return any;
}

static void check_error(sdfg_error *e, const char *what)
{
    bool good = e && sdfg_error_class_of(e) == SDFG_ERROR_ENVIRONMENT && strstr(sdfg_error_message(e), "memory");
    if (!good)
        printf("%s: %s\n", what, e ? sdfg_error_text(e) : "no error");
    CHECK(good);
    sdfg_error_free(e);
}

/* ---- graphs ---- */

struct graph {
    sdfg_graph *graph;
    sdfg_element *body, *state, *conditional, *map, *access;
};

static struct graph graph_new(void)
{
    struct graph g;
    CHECK(!sdfg_graph_new(&g.graph, NULL, "g"));
    sdfg_graph_container(g.graph, SDFG_CONTAINER_ARRAY, "A", "float64", "4");
    g.body = sdfg_graph_body(g.graph);
    g.state = sdfg_graph_state(g.body, "s");
    g.conditional = sdfg_graph_conditional(g.body, "c");
    g.map = sdfg_graph_map(g.state, "m", "i = 0:4");
    g.access = sdfg_graph_access(g.state, "A");
    return g;
}

static void inner(struct graph *g) { CHECK(!sdfg_graph_inner(g->graph, large)); }
static void container(struct graph *g)
{
    CHECK(!sdfg_graph_container(g->graph, SDFG_CONTAINER_ARRAY, large, "float64", "4"));
}
static void descriptor(struct graph *g) { CHECK(!sdfg_graph_descriptor(g->graph, large, "{}")); }
static void symbol(struct graph *g) { sdfg_graph_symbol(g->graph, large, "int64"); }
static void constant(struct graph *g) { sdfg_graph_constant(g->graph, large, "int64", NULL, "1"); }
static void arguments(struct graph *g) { sdfg_graph_arguments(g->graph, large); }
static void set(struct graph *g) { sdfg_graph_set(g->state, "symbol_instrument_condition", large); }
static void keep(struct graph *g) { sdfg_graph_set(g->map, "gpu_launch_bounds", large); }
static void state(struct graph *g) { CHECK(!sdfg_graph_state(g->body, large)); }
static void region(struct graph *g) { CHECK(!sdfg_graph_region(g->body, large)); }
static void loop(struct graph *g) { CHECK(!sdfg_graph_loop(g->body, "l", NULL, NULL, large, NULL)); }
static void conditional(struct graph *g) { CHECK(!sdfg_graph_conditional(g->body, large)); }
static void branch(struct graph *g) { CHECK(!sdfg_graph_branch(g->conditional, large)); }
static void jump(struct graph *g) { CHECK(!sdfg_graph_jump(g->body, SDFG_JUMP_BREAK, large)); }
static void transition(struct graph *g) { CHECK(!sdfg_graph_transition(g->state, g->conditional, large, NULL)); }
static void access_node(struct graph *g) { CHECK(!sdfg_graph_access(g->state, large)); }
static void tasklet(struct graph *g) { CHECK(!sdfg_graph_tasklet(g->state, "t", "a", "b", large)); }
static void map(struct graph *g) { CHECK(!sdfg_graph_map(g->state, large, "i = 0:4")); }
static void consume(struct graph *g) { CHECK(!sdfg_graph_consume(g->state, large, "p", "4", NULL)); }
static void nested(struct graph *g)
{
    sdfg_graph *n;
    fail_at(0, false);
    n = sdfg_graph_inner(g->graph, "n");
    begin_failing();
    CHECK(n && !sdfg_graph_nested(g->state, large, n, NULL, NULL, NULL));
}
static void library(struct graph *g) { CHECK(!sdfg_graph_library(g->state, large, "a.B", NULL, NULL, NULL)); }
static void edge(struct graph *g) { CHECK(!sdfg_graph_edge(g->access, NULL, g->map, large, "A", NULL)); }
static void path(struct graph *g)
{
    sdfg_element *const nodes[] = { g->access, g->map };
    CHECK(!sdfg_graph_path(nodes, 2, large, NULL, NULL, NULL));
}
static void read_text(struct graph *g)
{
    sdfg_graph *n;
    fail_at(0, false);
    n = sdfg_graph_inner(g->graph, "n");
    begin_failing();
    sdfg_graph_read(n, large, LARGE);
}

TEST(graphs)
{
    static const struct {
        const char *name;
        void (*work)(struct graph *g);
    } rows[] = {
        { "inner", inner },
        { "container", container },
        { "descriptor", descriptor },
        { "symbol", symbol },
        { "constant", constant },
        { "arguments", arguments },
        { "set", set },
        { "keep", keep },
        { "state", state },
        { "region", region },
        { "loop", loop },
        { "conditional", conditional },
        { "branch", branch },
        { "jump", jump },
        { "transition", transition },
        { "access", access_node },
        { "tasklet", tasklet },
        { "map", map },
        { "consume", consume },
        { "nested", nested },
        { "library", library },
        { "edge", edge },
        { "path", path },
        { "read", read_text },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct graph g = graph_new();
        begin_failing();
        rows[i].work(&g);
        if (!failed())
            printf("%s asks for no memory\n", rows[i].name), check_failures++;
        check_error(sdfg_graph_check(g.graph), rows[i].name);
        sdfg_graph_free(g.graph);
    }
}

/* ---- passes ---- */

static void take(void *to, const char *text, size_t size) { (void)to, (void)text, (void)size; }

static bool asks(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)user, (void)give, (void)to;
    begin_failing();
    CHECK(!p->ask(p, large, take, NULL));
    CHECK(failed());
    return true;
}

static bool tells(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)user, (void)give, (void)to;
    begin_failing();
    CHECK(!p->tell(p, "fact", large, LARGE));
    CHECK(failed());
    return true;
}

static bool gives(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to)
{
    (void)user, (void)p;
    begin_failing();
    give(to, large, LARGE);
    CHECK(failed());
    return true;
}

static bool (*pass_run)(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to);

static bool add_pass(const sdfg_plugin_api *api)
{
    static const char *const fact[] = { "fact", NULL };
    const sdfg_pass p = {
        .struct_size = sizeof p, .name = "exhausted", .kind = SDFG_PASS_TREE, .makes = fact, .run = pass_run
    };
    return api->pass(api->plugin, &p);
}

/* The error of code for N = 4 of this example, with this plug-in. */
static sdfg_error *specialized(const char *file, sdfg_plugin_function *plugin)
{
    const sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "exhausted", "1", NULL };
    const sdfg_symbol n = { "N", 4 };
    char name[4096];
    sdfg_engine *e;
    sdfg_program *p;
    sdfg_kernel *k = NULL;
    snprintf(name, sizeof name, "%s/%s", examples, file);
    CHECK(!sdfg_engine_new(&e, NULL) && !sdfg_engine_extend(e, &about, plugin));
    CHECK(!sdfg_program_load_file(&p, e, name));
    sdfg_error *error = sdfg_specialize(&k, p, &n, 1);
    sdfg_kernel_free(k);
    sdfg_program_free(p);
    sdfg_engine_free(e);
    return error;
}

TEST(passes)
{
    static const struct {
        const char *name;
        bool (*run)(void *user, const sdfg_pass_run *p, sdfg_give *give, void *to);
    } rows[] = { { "ask", asks }, { "tell", tells }, { "give", gives } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pass_run = rows[i].run;
        check_error(specialized("axpy.sdfg", add_pass), rows[i].name);
    }
}

/* ---- targets ---- */

static sdfg_value *two;

static void of_fail(sdfg_code *c) { c->fail(c, large); }
static void of_attribute(sdfg_code *c) { c->attribute(c, large); }
static void of_number(sdfg_code *c)
{
    for (int i = 0; i < OFTEN && !fail_failed(); i++)
        c->number(c, i);
}
static void of_expression(sdfg_code *c) { CHECK(!c->expression(c, large)); }
static void of_compute(sdfg_code *c)
{
    for (int i = 0; i < OFTEN && !fail_failed(); i++)
        c->compute(c, SDFG_ADD, two, two);
}
static void of_call(sdfg_code *c) { CHECK(!c->call(c, large, NULL, 0)); }
static void of_loop(sdfg_code *c) { CHECK(!c->loop(c, large, two, two, two, 0)); }
static void of_branch(sdfg_code *c)
{
    for (int i = 0; i < OFTEN && !fail_failed(); i++)
        c->branch(c, two);
}
static void of_source(sdfg_code *c) { c->source(c, large); }
static void of_invoke(sdfg_code *c) { CHECK(!c->invoke(c, large, NULL, 0)); }
static void of_operand(sdfg_code *c) { CHECK(!c->operand(c, large, false)); }
static void of_object(sdfg_code *c)
{
    const sdfg_code_object o = { .struct_size = sizeof o, .name = large, .bytes = large, .size = LARGE };
    CHECK(!c->object(c, &o));
}

static void (*of_code)(sdfg_code *c);

static enum sdfg_answer node(void *user, sdfg_code *code, const sdfg_claimed_node *claimed)
{
    (void)user, (void)claimed;
    two = code->number(code, 2);
    begin_failing();
    of_code(code);
    CHECK(failed());
    CHECK(!code->number(code, 3)); /* nothing works behind it */
    return SDFG_DONE;
}

static bool add_target(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_NODE, .names = names } };
    const sdfg_target t = {
        .struct_size = sizeof t, .name = "exhausted", .claims = claims, .num_claims = 1, .node = node
    };
    return api->target(api->plugin, &t);
}

TEST(targets)
{
    static const struct {
        const char *name;
        void (*work)(sdfg_code *c);
    } rows[] = {
        { "fail", of_fail },       { "attribute", of_attribute },
        { "number", of_number },   { "expression", of_expression },
        { "compute", of_compute }, { "call", of_call },
        { "loop", of_loop },       { "branch", of_branch },
        { "source", of_source },   { "invoke", of_invoke },
        { "operand", of_operand }, { "object", of_object },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        of_code = rows[i].work;
        check_error(specialized("clip.sdfg", add_target), rows[i].name);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    examples = argv[1];
    memset(large, 'a', LARGE);
    return check_run_tests();
}
