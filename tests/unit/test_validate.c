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

/* ---- more errors than are told ---- */

enum flaw {
    CONTAINERS,
    STATES,
    TASKLETS,
    INPUTS,
    OUTPUTS,
    NO_INPUT,
    NO_OUTPUT,
    CONDITIONS,
    ASSIGNMENTS,
    BRANCHES,
    MEMLETS,
    UNMAPPED,
    FLAWS
};

/* "name0, name1, ..." */
static const char *numbered(struct ir *ir, const char *format, int count, const char *separator)
{
    struct text t = text_new(ir->arena);
    for (int i = 0; i < count; i++)
        text_printf(&t, "%s%s%d", i ? separator : "", format, i);
    return text_get(&t);
}

static void add_flaws(struct ir *ir, struct sdfg *s, enum flaw which, int count)
{
    struct state *st = build_state(&s->region, arena_printf(ir->arena, "of_%d", which)), *other;
    struct sdfg *inner;
    struct conditional *c;
    struct text t = text_new(ir->arena);
    switch (which) {
    case INPUTS:
        build_tasklet(st, "in", numbered(ir, "i..", count, ", "), "", "");
        return;
    case OUTPUTS:
        build_tasklet(st, "out", "", numbered(ir, "o..", count, ", "), "");
        return;
    case NO_INPUT:
        build_tasklet(st, "no_in", numbered(ir, "i", count, ", "), "", "");
        return;
    case NO_OUTPUT:
        build_tasklet(st, "no_out", "", numbered(ir, "o", count, ", "), "");
        return;
    case ASSIGNMENTS:
        for (int i = 0; i < count; i++)
            text_printf(&t, "%sk%d = unknown%d + 1", i ? "; " : "", i, i);
        other = build_state(&s->region, "assigned");
        build_transition(&st->block, &other->block, NULL, text_get(&t));
        return;
    case BRANCHES:
        c = build_conditional(&s->region, "branches");
        for (int i = 0; i < count; i++)
            build_state(build_branch(c, arena_printf(ir->arena, "unknown%d > 1", i)), "in");
        build_state(build_branch(c, NULL), "in");
        return;
    case UNMAPPED:
        inner = build_sdfg(ir, "inner");
        for (int i = 0; i < count; i++)
            build_symbol(inner, arena_printf(ir->arena, "u%d", i), "int32");
        build_array(inner, "a", "float64", numbered(ir, "u", count, " + "));
        build_state(&inner->region, "fine");
        build_array(s, "of_nested", "float64", "4");
        build_edge(&build_access(st, "of_nested")->node, NULL, &build_nested(st, "nested", inner, "a", "", NULL)->node,
                   "a", "of_nested[0:4]", NULL);
        return;
    default:
        break;
    }
    for (int i = 0; i < count; i++) {
        const char *name = arena_printf(ir->arena, "x..%d_%d", which, i);
        if (which == CONTAINERS)
            build_array(s, name, "float64", "4");
        else if (which == STATES)
            build_state(&s->region, name);
        else if (which == TASKLETS)
            build_tasklet(st, name, "", "", "");
        else if (which == CONDITIONS) {
            other = build_state(&s->region, arena_printf(ir->arena, "behind%d", i));
            build_transition(&st->block, &other->block, arena_printf(ir->arena, "unknown%d > 0", i), NULL);
            st = other;
        } else
            build_edge(&build_access(st, "A")->node, NULL, &build_access(st, "B")->node, NULL, "A[9]", NULL);
    }
}

/* Wherever they are, a bounded number of them is told. */
TEST(more_errors_than_are_told)
{
    enum { FLAWED = 130, TOLD = 100 };
    for (int which = 0; which < FLAWS; which++) {
        struct ir *ir = ir_new();
        struct sdfg *s = build_sdfg(ir, "many");
        build_array(s, "A", "float64", "4");
        build_array(s, "B", "float64", "4");
        for (int other = 0; other < FLAWS; other++)
            add_flaws(ir, s, (enum flaw)other, other == which ? FLAWED : 1);
        build_finish(s);
        bool good = sdfg_validate(s);
        uint32_t errors = diags_errors(ir->diags);
        CHECK(!good);
        if (errors < TOLD || errors > TOLD + 2) {
            printf("flaw %d: %u errors\n", which, errors);
            check_failures++;
        }
        ir_free(ir);
    }
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
