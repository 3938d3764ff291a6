/* Graphs that a reader may give and that lowering refuses, with the message and the element. */
#include "ir/build/build.h"
#include "ir/passes/passes.h"
#include "lower/graph/lower.h"

#include "tests/unit/check.h"
#include "tests/unit/registered.h"

struct graph {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
    struct tasklet *t;
    struct access *a, *b;
};

/* B = f(A), all in one state. */
static struct graph begin(const char *code)
{
    struct graph g = { .ir = ir_new() };
    g.s = build_sdfg(g.ir, "p");
    build_symbol(g.s, "N", "int64");
    build_array(g.s, "A", "float64", "N, N");
    build_array(g.s, "B", "float64", "N, N");
    g.st = build_state(&g.s->region, "state");
    if (code) {
        g.a = build_access(g.st, "A");
        g.b = build_access(g.st, "B");
        g.t = build_tasklet(g.st, "t", "a", "b", code);
    }
    return g;
}

static void connect(struct graph *g)
{
    build_path("A[0, 0]", NULL, NULL, "a", &g->a->node, &g->t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g->t->node, &g->b->node, NULL);
}

/* `message` and `path` may be NULL: not compared. */
static void refused(struct graph *g, enum diag_code code, const char *message, const char *path)
{
    struct lower_options o = registered_options(g->ir->arena);
    struct tree *t;
    CHECK(!(sdfg_infer_types(g->s) && lower_program(g->s, &o, &t)));
    CHECK(diags_count(g->ir->diags) > 0);
    if (diags_count(g->ir->diags)) {
        const struct diag *d = diags_get(g->ir->diags, 0);
        CHECK_STR(diag_name(d->code), diag_name(code));
        CHECK_STR(d->message, message ? message : d->message);
        CHECK_STR(d->path, path ? path : d->path);
    }
    ir_free(g->ir);
}

static void finish(struct graph *g) { CHECK(build_finish(g->s)); }

/* Of the machine's own vectors one lane is taken; of others nobody says how many there are. */
TEST(vectors_of_unknown_length)
{
    struct graph g = begin("b = a");
    build_path("A[0, 0:N]", NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", "lambda x, y: x + y", "b", NULL, &g.t->node, &g.b->node, NULL);
    g.t->node.in_conns.items[0].type = g.t->node.out_conns.items[0].type =
        type_vector(g.ir, type_by_name(g.ir, "float64"), 0, "N");
    finish(&g);
    refused(&g, DIAG_UNSUPPORTED, "conflict resolution of vectors with a symbolic number of lanes", NULL);
}

TEST(schedule_that_nobody_serves)
{
    struct graph g = begin("b = a");
    struct map_entry *m = build_map(g.st, "m", "i = 0:N");
    m->schedule = enum_by_name(g.ir, ENUM_SCHEDULE, "Quantum");
    build_path("A[i, 0]", NULL, NULL, "a", &g.a->node, &m->node, &g.t->node, NULL);
    build_path("B[i, 0]", NULL, "b", NULL, &g.t->node, m->exit, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_NO_SCHEDULE_TARGET, "no target serves schedule 'Quantum'", "p/state[0] \"state\"/map[3] \"m\"");
}

/* What later versions of the format may bring is kept when a file is read, and named when it should run. */
static void refused_when_renamed(struct graph *g, const char *from, const char *to, enum diag_code code,
                                 const char *message, const char *path)
{
    struct text json = text_new(g->ir->arena), changed = text_new(g->ir->arena);
    finish(g);
    sdfg_write(g->s, &json);
    const char *text = text_get(&json), *at = strstr(text, from);
    CHECK(at);
    text_printf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    g->s = sdfg_read(g->ir, text_get(&changed), changed.length, NULL);
    CHECK(g->s);
    refused(g, code, message, path);
}

TEST(node_that_nobody_knows)
{
    struct graph g = begin("b = a");
    connect(&g);
    refused_when_renamed(&g, "\"Tasklet\"", "\"QuantumGate\"", DIAG_UNKNOWN_NODE,
                         "nodes of type 'QuantumGate' are not supported", "p/state[0] \"state\"/node[2] \"t\"");
}

TEST(element_type_that_nobody_knows)
{
    struct graph g = begin("b = a");
    build_array(g.s, "X", "uint16", "N, N");
    g.a = build_access(g.st, "X");
    build_path("X[0, 0]", NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    refused_when_renamed(&g, "\"uint16\"", "\"float512\"", DIAG_UNKNOWN_TYPE,
                         "the element type of 'X' is not supported", "p/container \"X\"");
}

TEST(storage_that_nobody_serves)
{
    struct graph g = begin(NULL);
    build_transient(g.s, "T", "float64", "N, N")->storage = enum_by_name(g.ir, ENUM_STORAGE, "Tape");
    g.a = build_access(g.st, "A");
    g.b = build_access(g.st, "T");
    build_edge(&g.a->node, NULL, &g.b->node, NULL, "A", NULL);
    finish(&g);
    refused(&g, DIAG_NO_STORAGE_TARGET, "no target serves storage 'Tape'", "p/container \"T\"");
}

TEST(data_from_earlier_runs)
{
    struct graph g = begin("b = a");
    connect(&g);
    finish(&g);
    g.a->instrument = enum_builtin(g.ir, DATA_INSTRUMENT_RESTORE);
    refused(&g, DIAG_UNSUPPORTED, "restoring saved data without a folder to restore from",
            "p/state[0] \"state\"/access[0] \"A\"");
    g = begin("b = a");
    connect(&g);
    finish(&g);
    g.st->symbol_instrument = enum_builtin(g.ir, DATA_INSTRUMENT_RESTORE);
    refused(&g, DIAG_UNSUPPORTED, "restoring saved symbols without a folder to restore from", "p/state[0] \"state\"");
}

TEST(connector_without_container)
{
    struct graph g = begin(NULL);
    struct sdfg *inner = build_sdfg(g.ir, "inner");
    build_state(&inner->region, "empty");
    struct nested *n = build_nested(g.st, "n", inner, "x", "", NULL);
    build_edge(&build_access(g.st, "A")->node, NULL, &n->node, "x", "A", NULL);
    finish(&g);
    refused(&g, DIAG_UNDEFINED_SYMBOL, "'x' is not defined here", "p/state[0] \"state\"/edge[0] \"A\"");
}

TEST(subscript_of_another_rank)
{
    struct graph g = begin("b = a");
    build_array(g.s, "I", "int64", "N, N");
    build_path("A[I[0], 0]", NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_BAD_SUBSCRIPT, "'I' is subscripted with 1 indices but has 2 dimensions",
            "p/state[0] \"state\"/edge[0] \"A\"");
}

TEST(subset_of_another_rank)
{
    struct graph g = begin("b = a");
    connect(&g);
    finish(&g);
    g.t->node.in.items[0]->memlet.subset->rank = 1;
    refused(&g, DIAG_SUBSET_RANK, "the subset of 'A' has 1 dimensions, the container has 2",
            "p/state[0] \"state\"/edge[0] \"A\"");
}

TEST(dimensions_beyond_the_limit)
{
    struct graph g = begin("b = a");
    struct text shape = text_new(g.ir->arena), index = text_new(g.ir->arena);
    for (int i = 0; i < 33; i++) {
        text_add(&shape, i ? ", 1" : "2");
        text_add(&index, i ? ", 0" : "H[0");
    }
    text_add(&index, "]");
    build_array(g.s, "H", "float64", text_get(&shape));
    g.a = build_access(g.st, "H");
    build_path(text_get(&index), NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_UNSUPPORTED, "a container of more than 32 dimensions", "p/state[0] \"state\"/edge[0] \"H\"");
}

TEST(index_that_grows_with_every_level)
{
    struct graph g = begin("b = a");
    struct text index = text_new(g.ir->arena);
    for (int i = 0; i < 20; i++)
        text_add(&index, "Abs(3 - ");
    text_add(&index, "N");
    for (int i = 0; i < 20; i++)
        text_add(&index, ")");
    build_path(arena_printf(g.ir->arena, "A[%s, 0]", text_get(&index)), NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_SYMBOLIC_UNSUPPORTED, NULL, NULL);
}

TEST(conflict_without_meaning)
{
    struct graph g = begin(NULL);
    build_array(g.s, "X", "complex128", "N");
    build_array(g.s, "Y", "complex128", "N");
    g.a = build_access(g.st, "X");
    g.b = build_access(g.st, "Y");
    build_edge(&g.a->node, NULL, &g.b->node, NULL, "X", "lambda a, b: max(a, b)");
    finish(&g);
    refused(&g, DIAG_WCR_TYPE, "the conflict resolution has no meaning for elements of type 'complex128'",
            "p/state[0] \"state\"/edge[0] \"X\"");
}

TEST(view_without_data)
{
    struct graph g = begin("b = a");
    build_view(g.s, "V", "float64", "N, N");
    g.a = build_access(g.st, "V");
    build_path("V[0, 0]", NULL, NULL, "a", &g.a->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_VIEW_WITHOUT_DATA, "view 'V' is not attached to a container",
            "p/state[0] \"state\"/access[3] \"V\"");
}

/* V0 views A, V1 views V0 and so on; the tasklet reads the last one. */
static struct graph views(int count)
{
    struct graph g = begin("b = a");
    struct access *last = g.a;
    for (int i = 0; i < count; i++) {
        const char *name = arena_printf(g.ir->arena, "V%d", i);
        build_view(g.s, name, "float64", "N, N");
        struct access *next = build_access(g.st, name);
        build_edge(&last->node, NULL, &next->node, "views", arena_printf(g.ir->arena, "%s[0:N, 0:N]", last->name),
                   NULL);
        last = next;
    }
    build_path(arena_printf(g.ir->arena, "%s[0, 0]", last->name), NULL, NULL, "a", &last->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    return g;
}

TEST(views_of_views)
{
    struct graph g = views(100);
    struct lower_options o = registered_options(g.ir->arena);
    struct tree *t;
    CHECK(sdfg_infer_types(g.s) && lower_program(g.s, &o, &t));
    CHECK_INT(diags_count(g.ir->diags), 0);
    ir_free(g.ir);
    g = views(300);
    refused(&g, DIAG_UNSUPPORTED, "a view of more than 200 views, one of the other", NULL);
}

TEST(connector_without_type)
{
    struct graph g = begin("b = a");
    build_edge(&g.a->node, NULL, &g.t->node, "a", NULL, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_CONNECTOR_TYPE, "the type of connector 'a' cannot be inferred",
            "p/state[0] \"state\"/tasklet[2] \"t\"");
}

TEST(empty_memlet_into_a_connector)
{
    struct graph g = begin("b = a");
    build_edge(&g.a->node, NULL, &g.t->node, "a", NULL, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, &g.b->node, NULL);
    finish(&g);
    g.t->node.in_conns.items[0].type = type_basic(g.ir, TYPE_F64);
    refused(&g, DIAG_EMPTY_MEMLET_VALUE, "connector 'a' is fed by an empty memlet", "p/state[0] \"state\"/edge[0]");
}

TEST(nested_sdfg_that_is_elsewhere)
{
    struct graph g = begin(NULL);
    struct nested *n = build_nested(g.st, "n", build_sdfg(g.ir, "inner"), "", "", NULL);
    finish(&g);
    n->sdfg = NULL;
    n->ext_path = "inner.sdfg";
    refused(&g, DIAG_NESTED_MISSING, "the nested SDFG is stored elsewhere and was not found: 'inner.sdfg'",
            "p/state[0] \"state\"/nested[0] \"n\"");
}

TEST(loop_statement_of_two_names)
{
    struct graph g = begin("b = a");
    connect(&g);
    struct loop *l = build_loop(&g.s->region, "l", "i", "i = 0", "i < 4", "i, j = i + 1, 2");
    build_state(&l->region, "body");
    build_transition(&g.st->block, &l->region.block, NULL, NULL);
    finish(&g);
    refused(&g, DIAG_LOOP_STATEMENT, "loop statements must assign one symbol: 'i, j = i + 1, 2'", "p/loop[1] \"l\"");
}

TEST(no_start)
{
    struct graph g = begin("b = a");
    connect(&g);
    finish(&g);
    g.s->region.start = NULL;
    refused(&g, DIAG_NO_START, "the start block cannot be determined", "p");
}

TEST(copy_of_a_third_container)
{
    struct graph g = begin(NULL);
    build_array(g.s, "C", "float64", "N, N");
    g.a = build_access(g.st, "A");
    g.b = build_access(g.st, "B");
    build_edge(&g.a->node, NULL, &g.b->node, NULL, "C", NULL);
    finish(&g);
    refused(&g, DIAG_COPY_DATA, "the memlet names 'C', which is at neither end", "p/state[0] \"state\"/edge[0] \"C\"");
}

TEST(consume_scope_without_stream)
{
    struct graph g = begin("b = a");
    struct consume_entry *c = build_consume(g.st, "c", "p", "4", NULL);
    build_path("A[0, 0]", NULL, NULL, "a", &g.a->node, &c->node, &g.t->node, NULL);
    build_path("B[0, 0]", NULL, "b", NULL, &g.t->node, c->exit, &g.b->node, NULL);
    finish(&g);
    refused(&g, DIAG_CONSUME_STREAM, "the scope has no stream at its connector 'IN_stream'",
            "p/state[0] \"state\"/consume[3] \"c\"");
}

TEST(streams_of_different_elements)
{
    struct graph g = begin(NULL);
    build_stream(g.s, "S", "float64", "1");
    struct sdfg *inner = build_sdfg(g.ir, "inner");
    build_stream(inner, "s", "int32", "1")->transient = false;
    build_state(&inner->region, "empty");
    struct nested *n = build_nested(g.st, "n", inner, "s", "", NULL);
    build_edge(&build_access(g.st, "S")->node, NULL, &n->node, "s", "S[0]", NULL);
    finish(&g);
    refused(&g, DIAG_STREAM_TYPE, "streams 's' and 'S' have elements of different types",
            "p/state[0] \"state\"/edge[0] \"S\"");
}

CHECK_MAIN
