/* Arguments that may overlap: what they are in the way of has two versions, and calls take the one that is right for
 * their addresses. */
#include "tests/unit/api.h"

enum { N = 200 };

/* B = X, and behind that C = A + 1: one loop, unless B is A. */
static sdfg_program *program_with(sdfg_engine *engine)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "versions");
    build_symbol(s, "N", "int64");
    static const char *const names[] = { "A", "B", "C", "X" };
    for (int i = 0; i < 4; i++)
        build_array(s, names[i], "float64", "N")->may_alias = i < 2;
    struct state *first = build_state(&s->region, "first"), *second = build_state(&s->region, "second");
    struct map_entry *m = build_map(first, "set", "i = 0:N"), *n = build_map(second, "add", "i = 0:N");
    struct tasklet *t = build_tasklet(first, "set", "x", "b", "b = x"),
                   *u = build_tasklet(second, "add", "a", "c", "c = a + 1.0");
    build_path("X[i]", NULL, NULL, "x", &build_access(first, "X")->node, &m->node, &t->node, NULL);
    build_path("B[i]", NULL, "b", NULL, &t->node, m->exit, &build_access(first, "B")->node, NULL);
    build_path("A[i]", NULL, NULL, "a", &build_access(second, "A")->node, &n->node, &u->node, NULL);
    build_path("C[i]", NULL, "c", NULL, &u->node, n->exit, &build_access(second, "C")->node, NULL);
    build_transition(&first->block, &second->block, NULL, NULL);
    sdfg_program *p = program_of(engine, s);
    ir_free(ir);
    return p;
}

static bool give(sdfg_args *args, const char *name, double *data, int64_t n)
{
    return good(sdfg_args_array(args, name, SDFG_ARRAY(.data = data, .dtype = SDFG_F64, .rank = 1, .shape = { n })));
}

/* A begins `a`, B `b` and C `c` elements behind each other's memory. */
static void check_call(sdfg_program *p, int a, int b, int c)
{
    static double memory[4 * N], expected[4 * N], x[N];
    sdfg_args *args;
    for (int i = 0; i < 4 * N; i++)
        memory[i] = expected[i] = i;
    for (int i = 0; i < N; i++)
        x[i] = 1000 + i;
    for (int i = 0; i < N; i++)
        expected[b + i] = x[i];
    for (int i = 0; i < N; i++)
        expected[c + i] = expected[a + i] + 1;
    CHECK(good(sdfg_args_new(&args, p)));
    CHECK(give(args, "A", memory + a, N) && give(args, "B", memory + b, N) && give(args, "C", memory + c, N) &&
          give(args, "X", x, N));
    CHECK(good(sdfg_call(p, args)));
    CHECK(!memcmp(memory, expected, sizeof memory));
    sdfg_args_free(args);
}

static void check_all(const char *specialize)
{
    sdfg_options o;
    sdfg_engine *engine;
    sdfg_options_init(&o, sizeof o);
    o.specialize = specialize;
    CHECK(good(sdfg_engine_new(&engine, &o)));
    sdfg_program *p = program_with(engine);
    check_call(p, 0, N, 2 * N); /* apart: they touch at their ends */
    check_call(p, N, 0, 2 * N);
    check_call(p, 0, 0, 2 * N); /* the same */
    check_call(p, 1, 0, 2 * N); /* A[i] is B[i + 1], which a common loop would not have set yet */
    check_call(p, 0, 1, 2 * N);
    check_call(p, N - 1, 0, 2 * N); /* one element in common */
    check_call(p, 0, N, 2 * N - 1); /* the last of B and the first of C */
    sdfg_program_free(p);
    sdfg_engine_free(engine);
}

TEST(every_way_to_overlap) { check_all(NULL); }

TEST(sizes_are_parameters) { check_all("none"); }

CHECK_MAIN
