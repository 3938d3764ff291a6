/* Whether iterations of a map that reduce into elements of an array meet, by the strides that it has. */
#include "tests/unit/api.h"

/* Does the tree of A[i] += 1, for all i of an array with these strides, have atomic operations? `known`: with values of
 * N and s. */
static bool is_atomic(const char *shape, const char *strides, const char *memlet, bool known)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "conflicts");
    build_symbol(s, "N", "int64");
    build_symbol(s, "M", "int64");
    build_symbol(s, "s", "int64");
    build_strides(s, build_array(s, "A", "float64", shape), strides);
    struct state *st = build_state(&s->region, "main");
    struct map_entry *m = build_map(st, "all", "i = 0:N");
    struct tasklet *t = build_tasklet(st, "one", NULL, "a", "a = 1.0");
    build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL);
    build_path(memlet, "lambda x, y: x + y", "a", NULL, &t->node, m->exit, &build_access(st, "A")->node, NULL);
    sdfg_engine *engine;
    CHECK(good(sdfg_engine_new(&engine, NULL)));
    sdfg_program *p = program_of(engine, s);
    const sdfg_symbol symbols[] = { { "N", 100000 }, { "s", 1 } };
    char *text = NULL;
    CHECK(good(sdfg_program_emit(&text, NULL, p, SDFG_EMIT_TREE, symbols, known ? 2 : 0)));
    bool found = text && strstr(text, "atomic");
    sdfg_text_free(text);
    sdfg_program_free(p);
    sdfg_engine_free(engine);
    ir_free(ir);
    return found;
}

TEST(a_stride_may_be_zero)
{
    CHECK(is_atomic("N", "s", "A[i]", false));
    CHECK(!is_atomic("N", "s", "A[i]", true)); /* 1 */
    CHECK(is_atomic("N", "0", "A[i]", false));
    CHECK(is_atomic("N, M", "s, 1", "A[i, 0]", false));
}

TEST(extents_are_not)
{
    CHECK(!is_atomic("N", "1", "A[i]", false));
    CHECK(!is_atomic("N, M", "M, 1", "A[i, 0]", false));
    CHECK(!is_atomic("N, M", "M + 2, 1", "A[i, 3]", false));
    CHECK(!is_atomic("M, N", "1, M", "A[2, i]", false));
}

CHECK_MAIN
