/* Plug-ins that are part of the embedding program: what they register, what a failing one leaves behind (nothing), and
 * library nodes whose implementation is a graph. Plug-ins from files: tests/cli/plugins.txt. */
#include "engine/include/sdfg_plugin.h"
#include "ir/build/build.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

static sdfg_engine *engine_new(void)
{
    sdfg_engine *e;
    CHECK(!sdfg_engine_new(&e, NULL));
    return e;
}

/* The code and message of an error, which is freed. */
static const char *said(sdfg_error *e)
{
    static char text[512];
    snprintf(text, sizeof text, "%s: %s", e ? sdfg_error_code(e) : "", e ? sdfg_error_message(e) : "");
    sdfg_error_free(e);
    return text;
}

static sdfg_plugin_about about(const char *name)
{
    return (sdfg_plugin_about){ sizeof(sdfg_plugin_about), SDFG_PLUGIN_ABI, name, "1", "for tests" };
}

static const char *extend(sdfg_engine *e, const char *name, sdfg_plugin_function *f)
{
    sdfg_plugin_about a = about(name);
    return said(sdfg_engine_extend(e, &a, f));
}

static size_t rows(sdfg_engine *e, enum sdfg_list_kind what)
{
    sdfg_list *l;
    CHECK(!sdfg_engine_list(&l, e, what));
    size_t count = sdfg_list_count(l);
    sdfg_list_free(l);
    return count;
}

/* ---- what is registered ---- */

static bool node(void *user, const sdfg_node *n)
{
    (void)user;
    (void)n;
    return true;
}

static const sdfg_plugin_api *kept;

static bool good(const sdfg_plugin_api *api)
{
    CHECK_INT(api->struct_size, sizeof *api);
    CHECK_INT(api->version, sdfg_version_number());
    kept = api;
    return api->implement(api->plugin, "a.b.C", "does nothing", node, NULL);
}

TEST(engines_do_not_share_plugins)
{
    sdfg_engine *with = engine_new(), *without = engine_new();
    size_t before = rows(without, SDFG_LIST_OPS);
    CHECK_STR(extend(with, "good", good), ": ");
    CHECK(!kept->implement(kept->plugin, "a.b.D", "too late", node, NULL)); /* its function has returned */
    CHECK_INT(rows(with, SDFG_LIST_PLUGINS), 1);
    CHECK_INT(rows(with, SDFG_LIST_OPS), before + 1);
    CHECK_INT(rows(without, SDFG_LIST_PLUGINS), 0);
    CHECK_INT(rows(without, SDFG_LIST_OPS), before);
    CHECK_STR(said(sdfg_engine_implement(with, "a.b.C", node, NULL)),
              "NODE_TWICE: library nodes 'a.b.C' have an implementation already");
    CHECK_STR(extend(without, "good", good), ": ");
    sdfg_engine_free(with);
    sdfg_engine_free(without);
}

static int freed;

static void count_down(void *user)
{
    CHECK_INT(freed, (int)(intptr_t)user); /* the last first */
    freed--;
}

static bool two_ends(const sdfg_plugin_api *api)
{
    api->at_free(api->plugin, count_down, (void *)(intptr_t)1);
    api->at_free(api->plugin, count_down, (void *)(intptr_t)2);
    return true;
}

static bool fails_late(const sdfg_plugin_api *api)
{
    static const sdfg_attribute attributes[] = { { .name = "n", .type = SDFG_ATTRIBUTE_INTEGER } };
    sdfg_member m = { .struct_size = sizeof m,
                      .enumeration = SDFG_ENUM_SCHEDULE,
                      .name = "Acme",
                      .attributes = attributes,
                      .num_attributes = 1 };
    two_ends(api);
    CHECK(api->member(api->plugin, &m) && api->implement(api->plugin, "a.b.E", NULL, node, NULL));
    api->fail(api->plugin, "no reason");
    return true;
}

TEST(what_a_plugin_asked_for_is_called)
{
    sdfg_engine *e = engine_new();
    CHECK_STR(extend(e, "ends", two_ends), ": ");
    freed = 2;
    CHECK_STR(extend(e, "late", fails_late), "PLUGIN_FAILED: plug-in 'late' cannot be used: no reason");
    CHECK_INT(freed, 0); /* its own, not those of the other */
    size_t ops = rows(e, SDFG_LIST_OPS);
    CHECK_INT(rows(e, SDFG_LIST_PLUGINS), 1);
    freed = 2;
    extend(e, "late", fails_late); /* once more: nothing of it is left */
    CHECK_INT(rows(e, SDFG_LIST_OPS), ops);
    freed = 2;
    sdfg_engine_free(e);
    CHECK_INT(freed, 0);
}

/* ---- targets (tests/cli/targets.txt runs programs with some) ---- */

static bool with_target;

static bool target(const sdfg_plugin_api *api)
{
    static const char *const storages[] = { "Snitch_L2", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_STORAGE, .names = storages } };
    static const sdfg_environment environment = { .struct_size = sizeof environment, .name = "a" };
    sdfg_target t = {
        .struct_size = sizeof t, .name = "snitch", .claims = claims, .num_claims = sizeof claims / sizeof *claims
    };
    return api->environment(api->plugin, &environment) && api->target(api->plugin, &t) && with_target;
}

TEST(engines_do_not_share_targets)
{
    sdfg_engine *with = engine_new(), *without = engine_new();
    size_t before = rows(without, SDFG_LIST_TARGETS);
    with_target = false;
    CHECK_STR(extend(with, "t", target), "PLUGIN_FAILED: plug-in 't' cannot be used: it did not say why");
    CHECK_INT(rows(with, SDFG_LIST_TARGETS), before); /* nothing of it is left */
    with_target = true;
    CHECK_STR(extend(with, "t", target), ": ");
    CHECK_INT(rows(with, SDFG_LIST_TARGETS), before + 1);
    CHECK_INT(rows(without, SDFG_LIST_TARGETS), before);
    CHECK_STR(extend(with, "u", target),
              "PLUGIN_REGISTER: plug-in 'u' registers the environment 'a': plug-in 't' has registered it");
    CHECK_STR(extend(without, "u", target), ": ");
    sdfg_engine_free(with);
    sdfg_engine_free(without);
}

static sdfg_target wrong_target;

static bool register_wrong(const sdfg_plugin_api *api) { return api->target(api->plugin, &wrong_target); }

static const char *target_of(sdfg_engine *e, sdfg_target t)
{
    wrong_target = t;
    return extend(e, "t", register_wrong);
}

TEST(wrong_targets)
{
    sdfg_engine *e = engine_new();
    static const char *const nobody[] = { "nobody", NULL };
    static const sdfg_claim kind[] = { { .kind = (enum sdfg_claim_kind)77 } },
                            storage[] = { { .kind = SDFG_CLAIM_COPY, .to = nobody } };
    static const sdfg_target_entry function[] = { { "f", NULL } };
#define TARGET(...) target_of(e, (sdfg_target){ sizeof(sdfg_target), __VA_ARGS__ })
#define SAYS(name)  "PLUGIN_REGISTER: plug-in 't' registers the target '" name "': "
    CHECK_STR(target_of(e, (sdfg_target){ 0 }),
              SAYS("") "struct sdfg_target has no struct_size; it begins as SDFG_..._INIT");
    CHECK_STR(TARGET(.name = ""), SAYS("") "it has no name");
    CHECK_STR(TARGET(.name = "cpu"), SAYS("cpu") "there is a target of this name");
    CHECK_STR(TARGET(.name = "x", .num_claims = 1), SAYS("x") "there are no claims or functions");
    CHECK_STR(TARGET(.name = "x", .claims = kind, .num_claims = 1),
              SAYS("x") "the kind of a claim is one of enum sdfg_claim_kind");
    CHECK_STR(TARGET(.name = "x", .claims = storage, .num_claims = 1), SAYS("x") "StorageType has no member 'nobody'");
    CHECK_STR(TARGET(.name = "x", .functions = function, .num_functions = 1),
              SAYS("x") "functions have a name and an address");
    CHECK_STR(TARGET(.name = "x", .environments = nobody), SAYS("x") "there is no environment 'nobody'");
    sdfg_engine_free(e);
}

/* ---- mistakes ---- */

static sdfg_member wrong_member;

static bool member(const sdfg_plugin_api *api)
{
    wrong_member.struct_size = sizeof wrong_member;
    return api->member(api->plugin, &wrong_member);
}

static const char *member_of(sdfg_engine *e, sdfg_member m)
{
    wrong_member = m;
    const char *text = extend(e, "m", member);
    CHECK_INT(rows(e, SDFG_LIST_PLUGINS), 0);
    return text;
}

TEST(wrong_members)
{
    sdfg_engine *e = engine_new();
    static const sdfg_attribute twice[] = { { .name = "a" }, { .name = "a" } }, type[] = { { .name = "type" } },
                                kind[] = { { .name = "a", .type = (enum sdfg_attribute_type)77 } };
    CHECK_STR(member_of(e, (sdfg_member){ .name = "a b" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'a b': names are identifiers");
    CHECK_STR(member_of(e, (sdfg_member){ .enumeration = (enum sdfg_enumeration)9, .name = "A" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the member 'A': the enumeration is one of enum sdfg_enumeration");
    CHECK_STR(member_of(e, (sdfg_member){ .enumeration = SDFG_ENUM_LIFETIME, .name = "A" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the AllocationLifetime 'A': its members are those of the format");
    CHECK_STR(member_of(e, (sdfg_member){ .enumeration = SDFG_ENUM_OMP_SCHEDULE, .name = "A" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the OMPScheduleType 'A': its members are those of the format");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "GPU_Default" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'GPU_Default': there is a member of this name");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "A", .attributes = twice, .num_attributes = 2 }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'A': the attribute 'a' occurs twice");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "A", .attributes = type, .num_attributes = 1 }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'A': names of attributes are identifiers other "
              "than 'type'");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "A", .attributes = kind, .num_attributes = 1 }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'A': the type of an attribute is one of enum "
              "sdfg_attribute_type");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "A", .num_attributes = 1 }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'A': there are no attributes");
    CHECK_STR(member_of(e, (sdfg_member){ .name = "A", .storage_inside = "B" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the ScheduleType 'A': StorageType has no member 'B'");
    CHECK_STR(member_of(e, (sdfg_member){ .enumeration = SDFG_ENUM_STORAGE, .name = "A", .schedule_inside = "A" }),
              "PLUGIN_REGISTER: plug-in 'm' registers the StorageType 'A': only schedules have defaults inside");
    sdfg_engine_free(e);
}

static sdfg_engine *outer;

static bool registers_another(const sdfg_plugin_api *api)
{
    (void)api;
    CHECK_STR(extend(outer, "inner", good),
              "PLUGIN_LATE: plug-in 'of the embedding program' must be loaded after the function of the other plug-in "
              "has returned");
    return rows(outer, SDFG_LIST_PLUGINS) == 0;
}

static bool no_function(const sdfg_plugin_api *api) { return api->expand(api->plugin, "a.b.C", NULL, NULL, NULL); }

static bool no_class(const sdfg_plugin_api *api) { return api->implement(api->plugin, "", NULL, node, NULL); }

TEST(wrong_plugins)
{
    sdfg_engine *e = outer = engine_new();
    sdfg_plugin_about old = about("old");
    old.abi++;
    CHECK_STR(said(sdfg_engine_extend(e, &old, good)),
              "PLUGIN_ABI: plug-in 'of the embedding program' was compiled for version 2 of the plug-in interface, and "
              "this library has version 1");
    CHECK_STR(extend(e, "", good), "PLUGIN_NAME: plug-in 'of the embedding program' has the name '', which is not 1 to "
                                   "64 letters, digits, '_', '-' and '.'");
    CHECK_STR(extend(e, "f", no_function),
              "PLUGIN_REGISTER: plug-in 'f' registers the library node 'a.b.C': there is no function");
    CHECK_STR(extend(e, "f", no_class),
              "PLUGIN_REGISTER: plug-in 'f' registers the library node '': the class path is empty");
    CHECK_STR(extend(e, "outer", registers_another), ": ");
    CHECK_STR(extend(e, "outer", good), "PLUGIN_TWICE: there is a plug-in 'outer' already");
    CHECK_STR(said(sdfg_engine_plugin(e, "/nowhere/lib.so")),
              "PLUGIN_OPEN: plug-in '/nowhere/lib.so' cannot be opened: /nowhere/lib.so: cannot open shared object "
              "file: No such file or directory");
    sdfg_engine_free(e);
}

/* ---- graphs for library nodes ---- */

static void give_graph(struct ir *ir, struct sdfg *s, sdfg_give *give, void *to)
{
    struct text json = text_new(ir->arena);
    CHECK(build_finish(s));
    sdfg_write(s, &json);
    give(to, text_get(&json), json.length);
    ir_free(ir);
}

/* _out = 3 * _in, in a map over the extent that the memlet has, which the graph takes from outside. */
static bool triple(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)user;
    CHECK_INT(x->struct_size, sizeof *x);
    CHECK_STR(x->class_path, "a.b.Triple");
    CHECK(strstr(x->properties, "\"p\"") != NULL);
    CHECK_INT(x->num_connectors, 2);
    CHECK(!x->connectors[0].output && x->connectors[1].output);
    CHECK_STR(x->connectors[0].container, strcmp(x->label, "second") ? strcmp(x->label, "first") ? "A" : "_in" : "T");
    CHECK_STR(x->connectors[0].type, "float64");
    CHECK_INT(x->connectors[0].rank, 1);
    CHECK_STR(x->connectors[0].shape[0], "N");
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "triple");
    build_symbol(s, "N", "int64");
    build_array(s, "_in", "float64", "N");
    build_array(s, "_out", "float64", "N");
    struct state *st = build_state(&s->region, "main");
    struct map_entry *m = build_map(st, "m", "i = 0:N");
    struct tasklet *t = build_tasklet(st, "t", "a", "b", "b = 3 * a");
    build_path("_in[i]", NULL, NULL, "a", &build_access(st, "_in")->node, &m->node, &t->node, NULL);
    build_path("_out[i]", NULL, "b", NULL, &t->node, m->exit, &build_access(st, "_out")->node, NULL);
    give_graph(ir, s, give, to);
    return true;
}

static void add_triple(struct state *st, const char *label, const char *from, const char *into)
{
    struct library *n = build_library(st, label, "a.b.Triple", "_in", "_out", "{\"p\": 1}");
    build_edge(&build_access(st, from)->node, NULL, &n->node, "_in", from, NULL);
    build_edge(&n->node, "_out", &build_access(st, into)->node, NULL, into, NULL);
}

/* _out = nine times _in, by two nodes of the other class. */
static bool ninefold(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)user;
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "ninefold");
    build_symbol(s, "N", "int64");
    build_array(s, "_in", "float64", "N");
    build_array(s, "_out", "float64", "N");
    build_transient(s, "T", "float64", "N");
    struct state *first = build_state(&s->region, "first"), *second = build_state(&s->region, "second");
    build_transition(&first->block, &second->block, NULL, NULL);
    add_triple(first, "first", "_in", "T");
    add_triple(second, "second", "T", "_out");
    CHECK_STR(x->label, "mine");
    give_graph(ir, s, give, to);
    return true;
}

static bool refuses(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)x;
    if (user)
        give(to, user, strlen(user));
    return false;
}

static bool gives_text(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)x;
    if (user)
        give(to, user, strlen(user));
    return true;
}

/* A graph that writes a container which is no connector. */
static bool gives_invalid(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)user;
    (void)x;
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "invalid");
    build_array(s, "_in", "float64", "4");
    build_array(s, "other", "float64", "4");
    struct state *st = build_state(&s->region, "main");
    build_edge(&build_access(st, "_in")->node, NULL, &build_access(st, "other")->node, NULL, "_in", NULL);
    give_graph(ir, s, give, to);
    return true;
}

static bool gives_itself(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    (void)user;
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "again");
    build_symbol(s, "N", "int64");
    build_array(s, "_in", "float64", "N");
    build_array(s, "_out", "float64", "N");
    struct state *st = build_state(&s->region, "main");
    struct library *n = build_library(st, "again", x->class_path, "_in", "_out", NULL);
    build_edge(&build_access(st, "_in")->node, NULL, &n->node, "_in", "_in", NULL);
    build_edge(&n->node, "_out", &build_access(st, "_out")->node, NULL, "_out", NULL);
    give_graph(ir, s, give, to);
    return true;
}

static bool graphs(const sdfg_plugin_api *api)
{
    sdfg_plugin *p = api->plugin;
    return api->expand(p, "a.b.Triple", "three times", triple, NULL) &&
           api->expand(p, "a.b.Ninefold", "nine times", ninefold, NULL) &&
           api->expand(p, "a.b.Refuses", NULL, refuses, "the moon is full") &&
           api->expand(p, "a.b.RefusesSilently", NULL, refuses, NULL) &&
           api->expand(p, "a.b.Nothing", NULL, gives_text, NULL) &&
           api->expand(p, "a.b.NoJson", NULL, gives_text, "{") &&
           api->expand(p, "a.b.Invalid", NULL, gives_invalid, NULL) &&
           api->expand(p, "a.b.Again", NULL, gives_itself, NULL);
}

static sdfg_program *one_node(sdfg_engine *e, const char *class)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "one_node");
    struct text json = text_new(ir->arena);
    sdfg_program *p;
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float64", "N");
    build_array(s, "B", "float64", "N");
    struct state *st = build_state(&s->region, "main");
    struct library *n = build_library(st, "mine", class, "_in", "_out", "{\"p\": 3}");
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "_in", "A", NULL);
    build_edge(&n->node, "_out", &build_access(st, "B")->node, NULL, "B", NULL);
    CHECK(build_finish(s));
    sdfg_write(s, &json);
    CHECK_STR(said(sdfg_program_load(&p, e, text_get(&json), json.length, NULL)), ": ");
    ir_free(ir);
    return p;
}

static sdfg_error *call(sdfg_engine *e, const char *class, double *a, double *b)
{
    sdfg_program *p = one_node(e, class);
    sdfg_args *args;
    CHECK(!sdfg_args_new(&args, p));
    CHECK(!sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_F64, .rank = 1, .shape = { 3 })));
    CHECK(!sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_F64, .rank = 1, .shape = { 3 })));
    sdfg_error *error = sdfg_call(p, args);
    sdfg_args_free(args);
    sdfg_program_free(p);
    return error;
}

TEST(nodes_become_graphs)
{
    sdfg_engine *e = engine_new();
    double a[3] = { 1, 2, 3 }, b[3] = { 0 };
    CHECK_STR(extend(e, "graphs", graphs), ": ");
    CHECK_STR(said(call(e, "a.b.Triple", a, b)), ": ");
    CHECK(b[0] == 3 && b[2] == 9);
    CHECK_STR(said(call(e, "a.b.Ninefold", a, b)), ": ");
    CHECK(b[0] == 9 && b[2] == 27);
    CHECK_STR(extend(e, "late", good),
              "PLUGIN_LATE: plug-in 'of the embedding program' must be loaded before the first program is loaded");
    sdfg_engine_free(e);
}

TEST(graphs_that_are_wrong)
{
    sdfg_engine *e = engine_new();
    double a[3] = { 1, 2, 3 }, b[3] = { 0 };
    CHECK_STR(extend(e, "graphs", graphs), ": ");
    CHECK_STR(said(call(e, "a.b.Refuses", a, b)),
              "EXPAND_FAILED: plug-in 'graphs' has no graph for this node: the moon is full");
    CHECK_STR(said(call(e, "a.b.RefusesSilently", a, b)),
              "EXPAND_FAILED: plug-in 'graphs' has no graph for this node: it does not say why");
    CHECK_STR(said(call(e, "a.b.Nothing", a, b)),
              "EXPAND_GRAPH: the graph that plug-in 'graphs' gives for this node was not given");
    sdfg_error *error = call(e, "a.b.NoJson", a, b);
    CHECK(error &&
          strstr(sdfg_error_text(error), "the graph that plug-in 'graphs' gives for this node cannot be read"));
    sdfg_error_free(error);
    CHECK_STR(said(call(e, "a.b.Again", a, b)),
              "EXPAND_DEPTH: graphs of library nodes contain such nodes more than 32 deep");
    error = call(e, "a.b.Invalid", a, b);
    CHECK(error && sdfg_error_class_of(error) == SDFG_ERROR_INVALID);
    CHECK(error && strstr(sdfg_error_path(error), "one_node/state[0] \"main\"/") != NULL);
    sdfg_error_free(error);
    sdfg_engine_free(e);
}

CHECK_MAIN
