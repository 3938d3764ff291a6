/* A graph built in C is the graph that reading its file gives. */
#include "ir/build/build.h"

#include "tests/unit/check.h"

static void check_clean(struct ir *ir)
{
    struct text out = text_new(ir->arena);
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &out);
    CHECK_STR(text_get(&out), "");
}

/* build -> validate -> write -> read -> the same print and the same file. */
static void check_round_trip(struct sdfg *s)
{
    struct ir *ir = s->ir, *other = ir_new();
    struct text before = text_new(ir->arena), after = text_new(ir->arena);
    struct text once = text_new(ir->arena), twice = text_new(ir->arena);
    CHECK(build_finish(s));
    CHECK(sdfg_validate(s));
    check_clean(ir);
    sdfg_print(s, &before);
    sdfg_write(s, &once);
    struct sdfg *copy = sdfg_read(other, text_get(&once), once.length, NULL);
    check_clean(other);
    CHECK(copy != NULL);
    if (copy) {
        CHECK(sdfg_validate(copy));
        sdfg_print(copy, &after);
        sdfg_write(copy, &twice);
        CHECK_STR(text_get(&after), text_get(&before));
        CHECK_STR(text_get(&twice), text_get(&once));
    }
    ir_free(other);
}

static const char *range_text(struct ir *ir, const struct range *r)
{
    return arena_printf(ir->arena, "%s..%s", sym_text(ir, r->begin), sym_text(ir, r->end));
}

static struct sdfg *small(struct ir *ir)
{
    struct sdfg *s = build_sdfg(ir, "small");
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float64", "N, N");
    build_array(s, "B", "float64", "N");
    return s;
}

TEST(map)
{
    struct ir *ir = ir_new();
    struct sdfg *s = small(ir);
    struct state *st = build_state(&s->region, "compute");
    struct access *a = build_access(st, "A"), *b = build_access(st, "B");
    struct map_entry *rows = build_map(st, "rows", "i = 0:N"), *cols = build_map(st, "cols", "j = 1:N:2");
    struct tasklet *t = build_tasklet(st, "add", "x, y", "r", "r = x + y");
    build_path("A[i, j]", NULL, NULL, "x", &a->node, &rows->node, &cols->node, &t->node, NULL);
    build_path("A[i, j - 1]", NULL, NULL, "y", &a->node, &rows->node, &cols->node, &t->node, NULL);
    build_path("B[i]", "lambda x, y: x + y", "r", NULL, &t->node, cols->exit, rows->exit, &b->node, NULL);
    check_round_trip(s);
    CHECK_INT(rows->node.in_conns.count, 1);
    CHECK_INT(cols->node.in_conns.count, 1);
    CHECK_INT(cols->node.out_conns.count, 1);
    CHECK(t->node.scope == &cols->node);
    CHECK(cols->node.scope == &rows->node);
    CHECK(path_source(t->node.in.items[1]) == &a->node);
    CHECK(path_target(t->node.out.items[0]) == &b->node);
    const struct memlet *outer = &rows->node.in.items[0]->memlet, *middle = &cols->node.in.items[0]->memlet;
    CHECK_STR(range_text(ir, &middle->subset->dims[0]), "i..i");
    CHECK_STR(range_text(ir, &middle->subset->dims[1]), "0..-1 + N");
    CHECK_STR(range_text(ir, &outer->subset->dims[0]), "0..-1 + N");
    CHECK_INT(b->node.in.items[0]->memlet.wcr_kind, WCR_SUM);
    ir_free(ir);
}

TEST(control_flow)
{
    struct ir *ir = ir_new();
    struct sdfg *s = small(ir);
    build_symbol(s, "i", "int64");
    build_constant(s, "table", "int32", "2, 2", "[[1, 2], [3, 4]]");
    build_arguments(s, "B, A");
    struct state *begin = build_state(&s->region, "begin");
    struct loop *loop = build_loop(&s->region, "loop", "i", "i = 0", "i < N", "i = i + 1");
    build_transition(&begin->block, &loop->region.block, "N > 0", "k = N + 1; q = 2");
    struct conditional *c = build_conditional(&loop->region, "parity");
    build_state(build_branch(c, "i % 2 == 0"), "even");
    build_jump(build_branch(c, NULL), BLOCK_BREAK, "stop");
    check_round_trip(s);
    CHECK(s->region.start == &begin->block);
    CHECK(loop->region.start == &c->block);
    CHECK_INT(s->region.transitions.items[0]->assignments.count, 2);
    ir_free(ir);
}

TEST(nested_and_library)
{
    struct ir *ir = ir_new();
    struct sdfg *s = small(ir), *inner = build_sdfg(ir, "inner");
    build_symbol(inner, "n", "int64");
    build_array(inner, "v", "float64", "n");
    struct state *body = build_state(&inner->region, "body");
    struct tasklet *t = build_tasklet(body, "first", NULL, "r", "r = 1.0");
    build_edge(&t->node, "r", &build_access(body, "v")->node, NULL, "v[0]", NULL);
    struct state *st = build_state(&s->region, "call");
    struct access *b = build_access(st, "B"), *back = build_access(st, "B");
    struct nested *n = build_nested(st, "call", inner, NULL, "v", "n = N");
    struct library *l = build_library(st, "sum", "dace.libraries.standard.nodes.reduce.Reduce", "_in", "_out",
                                      "{\"axes\": [1], \"identity\": \"0\", \"wcr\": \"(lambda a, b: (a + b))\"}");
    build_edge(&n->node, "v", &b->node, NULL, "B", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &l->node, "_in", "A", NULL);
    build_edge(&l->node, "_out", &back->node, NULL, "B", NULL);
    build_edge(&b->node, NULL, &l->node, NULL, NULL, NULL);
    check_round_trip(s);
    CHECK(inner->parent == n);
    ir_free(ir);
}

TEST(streams_views_and_copies)
{
    struct ir *ir = ir_new();
    struct sdfg *s = small(ir);
    build_stream(s, "S", "int32", "N");
    build_view(s, "V", "float64", "4");
    build_reference(s, "R", "float64", "4");
    build_strides(s, build_transient(s, "T", "float64", "4, N"), "1, 4");
    struct state *st = build_state(&s->region, "all");
    struct access *a = build_access(st, "A"), *v = build_access(st, "V"), *r = build_access(st, "R");
    build_edge(&a->node, NULL, &v->node, "views", "A[0, 0:4]", NULL);
    build_edge(&v->node, NULL, &build_access(st, "B")->node, NULL, "V[0:4] -> [1:5]", NULL);
    build_edge(&a->node, NULL, &r->node, "set", "A[1, 0:4]", NULL);
    build_edge(&build_access(st, "B")->node, NULL, &build_access(st, "T")->node, NULL, "T[0:4, 1]", NULL);
    struct consume_entry *c = build_consume(st, "pop", "p", "2", NULL);
    struct tasklet *t = build_tasklet(st, "use", "x", "y", "y[x] = 1.0");
    build_edge(&build_access(st, "S")->node, NULL, &c->node, "IN_stream", "S[0]", NULL);
    build_edge(&c->node, "OUT_stream", &t->node, "x", "S[0]", NULL);
    build_path("B", NULL, "y", NULL, &t->node, c->exit, &build_access(st, "B")->node, NULL);
    check_round_trip(s);
    CHECK(view_edge(v) == v->node.in.items[0]);
    ir_free(ir);
}

TEST(mistakes_are_collected)
{
    static const enum diag_code expected[] = { DIAG_BUILD_TYPE,       DIAG_READ_TWICE,
                                               DIAG_READ_CONTAINER,   DIAG_BUILD_RANGE,
                                               DIAG_READ_CONTAINER,   DIAG_RULE_CONNECTOR_UNDECLARED,
                                               DIAG_BUILD_ASSIGNMENT, DIAG_BUILD_TRANSITION,
                                               DIAG_BUILD_EDGE,       DIAG_BUILD_NESTED };
    struct ir *ir = ir_new();
    struct sdfg *s = small(ir), *inner = small(ir);
    build_symbol(s, "k", "integer");
    build_array(s, "A", "float64", "N");
    struct state *st = build_state(&s->region, "one"), *two = build_state(&s->region, "two");
    build_access(st, "Q");
    struct map_entry *m = build_map(st, "m", "i");
    struct tasklet *t = build_tasklet(st, "t", "a", NULL, "pass");
    build_edge(&build_access(st, "A")->node, NULL, &t->node, "a", "Z[0]", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &t->node, "b", "A[0]", NULL);
    build_transition(&st->block, &two->block, NULL, "k + 1");
    struct loop *l = build_loop(&s->region, "l", NULL, NULL, "True", NULL);
    build_transition(&two->block, &build_state(&l->region, "inside")->block, NULL, NULL);
    build_edge(&m->node, NULL, &build_tasklet(two, "u", NULL, NULL, "pass")->node, NULL, NULL, NULL);
    build_nested(st, "call", inner, NULL, NULL, NULL);
    build_nested(st, "again", inner, NULL, NULL, NULL);
    CHECK_INT(diags_errors(ir->diags), sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < diags_count(ir->diags) && i < sizeof expected / sizeof *expected; i++)
        CHECK_STR(diag_name(diags_get(ir->diags, i)->code), diag_name(expected[i]));
    ir_free(ir);
}

CHECK_MAIN
