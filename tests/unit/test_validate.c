/* The validator as a whole; tests/reject shows its rules one by one. */
#include "ir/build/build.h"

#include "tests/unit/check.h"

enum { LIMIT = 100, MANY = 3 * LIMIT };

static uint32_t warnings(const struct diags *d) { return diags_count(d) - diags_errors(d); }

TEST(reports_end_after_many_errors)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "wrong");
    for (int i = 0; i < MANY; i++)
        build_state(&s->region, arena_printf(ir->arena, "not a name %d", i));
    for (uint32_t i = 1; i < MANY; i++)
        build_transition(s->region.blocks.items[i - 1], s->region.blocks.items[i], NULL, NULL);
    CHECK(build_finish(s));
    CHECK(!sdfg_validate(s));
    CHECK_INT(diags_errors(ir->diags), LIMIT);
    ir_free(ir);
}

TEST(warnings_do_not_hide_errors)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "careless");
    build_array(s, "A", "float64", "4");
    struct state *st = build_state(&s->region, "lonely");
    for (int i = 0; i < MANY; i++)
        build_access(st, "A");
    CHECK(build_finish(s));
    CHECK(sdfg_validate(s));
    CHECK_INT(warnings(ir->diags), LIMIT);
    struct tasklet *t = build_tasklet(st, "t", NULL, "b", "b = 1");
    build_edge(&t->node, "b", &build_access(st, "A")->node, NULL, "A[4]", NULL);
    CHECK(build_finish(s));
    CHECK(!sdfg_validate(s));
    ir_free(ir);
}

TEST(a_cycle_is_an_error_and_not_the_end)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "circle");
    build_array(s, "A", "float64", "4");
    struct state *st = build_state(&s->region, "circle");
    struct map_entry *m = build_map(st, "m", "i = 0:4"), *n = build_map(st, "n", "j = 0:4");
    build_edge(&m->node, "OUT_x", &n->node, "IN_x", "A[0]", NULL);
    build_edge(&n->node, "OUT_x", &m->node, "IN_x", "A[0]", NULL);
    CHECK(!build_finish(s));
    CHECK(!sdfg_validate(s));
    ir_free(ir);
}

/* Names that only a graph built in C can have; the reader refuses them earlier. */
TEST(names)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "None");
    build_array(s, "a..b", "float64", "4");
    build_state(&s->region, "fine");
    CHECK(build_finish(s));
    CHECK(!sdfg_validate(s));
    CHECK_INT(diags_errors(ir->diags), 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_STR(diag_name(diags_get(ir->diags, i)->code), "READ_NAME");
    ir_free(ir);
}

/* Symbols that are assigned before they are used need no declaration, whatever the order of the blocks in the file. */
TEST(definitions_follow_the_walk)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "walk");
    struct state *last = build_state(&s->region, "last"), *first = build_state(&s->region, "first");
    struct state *middle = build_state(&s->region, "middle");
    build_transition(&middle->block, &last->block, "k > 2", "n = k + 1");
    build_transition(&first->block, &middle->block, NULL, "k = 1");
    CHECK(build_finish(s));
    CHECK(sdfg_validate(s));
    CHECK_INT(diags_count(ir->diags), 0);
    ir_free(ir);
}

CHECK_MAIN
