/* Types that nobody has declared: of values between tasklets, from their code; of symbols, from what is assigned. */
#include "ir/build/build.h"
#include "ir/passes/passes.h"

#include "tests/unit/check.h"

static const struct {
    const char *code, *type;
} rows[] = {
    { "o = x", "float32" },
    { "o = n", "int32" },
    { "o = half", "float64" },
    { "o = i", "int64" },
    { "o = d", "int16" },
    { "o = 2.5", "float64" },
    { "o = n + half", "float64" },
    { "o = x > 1", "bool" },
    { "o = dace.int8(x)", "int8" },
    { "a = x; o = n; o = x", "int32" },
    { "o: dace.uint8 = n", "uint8" },
    { "if n > 1:\n  o = x", "float32" },
};

/* A tasklet in a map writes o, which another tasklet takes: no container says what it is. */
TEST(values_between_tasklets)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ir *ir = ir_new();
        struct sdfg *s = build_sdfg(ir, "p");
        build_symbol(s, "n", "int32");
        build_constant(s, "half", "float64", NULL, "0.5");
        build_array(s, "X", "float32", "n");
        build_array(s, "D", "int16", "1");
        build_array(s, "Y", "float64", "n");
        struct state *st = build_state(&s->region, "s");
        struct map_entry *m = build_map(st, "m", "i = 0:n");
        struct tasklet *first = build_tasklet(st, "first", "x", "o", rows[i].code);
        struct tasklet *second = build_tasklet(st, "second", "v", "y", "y = v");
        struct access *x = build_access(st, "X"), *y = build_access(st, "Y"), *d = build_access(st, "D");
        build_edge(&d->node, NULL, &m->node, "d", "D[0]", NULL);
        build_path("X[i]", NULL, NULL, "x", &x->node, &m->node, &first->node, NULL);
        build_edge(&first->node, "o", &second->node, "v", NULL, NULL);
        build_path("Y[i]", NULL, "y", NULL, &second->node, scope_exit(&m->node), &y->node, NULL);
        CHECK(build_finish(s) && sdfg_infer_types(s));
        const struct connector *o = node_out_conn(&first->node, "o"), *v = node_in_conn(&second->node, "v");
        if (!o || !o->type || !v || v->type != o->type) {
            printf("%s: no type\n", rows[i].code);
            check_failures++;
        }
        if (o && o->type)
            CHECK_STR(o->type->name, rows[i].type);
        ir_free(ir);
    }
}

TEST(symbols_that_are_assigned)
{
    static const char *const values[][2] = {
        { "n + 1", "int64" }, { "n", "int32" },          { "X[0]", "float32" }, { "2.5", "float64" },
        { "n > 2", "bool" },  { "q + half", "float64" }, { "nobody", "int64" }, { "min(n, 3)", NULL },
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct ir *ir = ir_new();
        struct sdfg *s = build_sdfg(ir, "p");
        build_symbol(s, "n", "int32");
        build_symbol(s, "q", "int64");
        build_constant(s, "half", "float64", NULL, "0.5");
        build_array(s, "X", "float32", "4");
        struct state *a = build_state(&s->region, "a");
        struct state *b = build_state(&s->region, "b");
        build_transition(&a->block, &b->block, NULL, arena_printf(ir->arena, "k = %s", values[i][0]));
        struct loop *l = build_loop(&s->region, "l", "j", "j = half", "j < 3", "j = j + 1");
        build_state(&l->region, "body");
        build_transition(&b->block, &l->region.block, NULL, NULL);
        CHECK(build_finish(s) && sdfg_infer_types(s));
        const struct type *t = sdfg_symbol_type(s, intern(ir->names, "k"));
        CHECK(t != NULL);
        if (t && values[i][1])
            CHECK_STR(t->name, values[i][1]);
        t = sdfg_symbol_type(s, intern(ir->names, "j"));
        CHECK_STR(t ? t->name : "none", "float64");
        ir_free(ir);
    }
}

CHECK_MAIN
