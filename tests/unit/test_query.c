/* Queries over a graph: scopes, order, memlet paths, views, subsets, symbols, constants, properties of library nodes.
 */
#include "ir/build/build.h"
#include "ir/library.h"
#include "tests/unit/check.h"

#include <math.h>

/* C = A * x with a temporary, two maps, a view and a nested SDFG. */
struct example {
    struct ir *ir;
    struct sdfg *s, *inner;
    struct state *st;
    struct access *a, *t, *v, *out;
    struct map_entry *outer, *point;
    struct tasklet *task;
    struct nested *call;
};

static struct example build_example(void)
{
    struct example e = { .ir = ir_new() };
    e.s = build_sdfg(e.ir, "example");
    build_symbol(e.s, "N", "int64");
    build_symbol(e.s, "M", "int64");
    build_symbol(e.s, "w", "float64");
    build_array(e.s, "A", "float64", "N, M");
    build_transient(e.s, "T", "float64", "N, M");
    build_view(e.s, "V", "float64", "M");
    build_array(e.s, "out", "float64", "M");
    e.st = build_state(&e.s->region, "main");
    e.a = build_access(e.st, "A");
    e.t = build_access(e.st, "T");
    e.v = build_access(e.st, "V");
    e.out = build_access(e.st, "out");
    e.outer = build_map(e.st, "outer", "i = 0:N");
    e.point = build_map(e.st, "point", "j = 0:M");
    e.task = build_tasklet(e.st, "scale", "a", "b", "b = a * w + i");
    build_path("A[i, j]", NULL, NULL, "a", &e.a->node, &e.outer->node, &e.point->node, &e.task->node, NULL);
    build_path("T[i, j]", NULL, "b", NULL, &e.task->node, e.point->exit, e.outer->exit, &e.t->node, NULL);
    build_edge(&e.t->node, NULL, &e.v->node, NULL, "T[1, 0:M]", NULL);
    e.inner = build_sdfg(e.ir, "inner");
    build_symbol(e.inner, "m", "int64");
    build_array(e.inner, "x", "float64", "m");
    build_array(e.inner, "y", "float64", "m");
    struct state *body = build_state(&e.inner->region, "copy");
    build_edge(&build_access(body, "x")->node, NULL, &build_access(body, "y")->node, NULL, "x[0:m]", NULL);
    e.call = build_nested(e.st, "call", e.inner, "x", "y", "m = M");
    build_edge(&e.v->node, NULL, &e.call->node, "x", "V[0:M]", NULL);
    build_edge(&e.call->node, "y", &e.out->node, NULL, "out[0:M]", NULL);
    CHECK(build_finish(e.s));
    return e;
}

TEST(scopes_and_order)
{
    struct example e = build_example();
    struct node **order;
    CHECK_INT(scope_order(e.st, NULL, &order), 6);
    CHECK(order[0] == &e.a->node && order[1] == &e.outer->node && order[2] == &e.t->node && order[3] == &e.v->node &&
          order[4] == &e.call->node && order[5] == &e.out->node);
    CHECK_INT(scope_order(e.st, &e.outer->node, &order), 1);
    CHECK(order[0] == &e.point->node);
    CHECK_INT(scope_order(e.st, &e.point->node, &order), 1);
    CHECK(order[0] == &e.task->node);
    CHECK(e.task->node.scope == &e.point->node && e.point->node.scope == &e.outer->node);
    CHECK(e.point->exit->scope == &e.point->node && as_map_exit(e.point->exit)->entry == &e.point->node);
    ir_free(e.ir);
}

/* Two independent chains and a node that waits for both. */
TEST(order_is_depth_first)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "order");
    static const char *const names[] = { "d", "a", "b", "c", "e" };
    for (int i = 0; i < 5; i++)
        build_array(s, names[i], "int32", "4");
    struct state *st = build_state(&s->region, "main");
    struct access *n[5];
    for (int i = 0; i < 5; i++)
        n[i] = build_access(st, names[i]);
    build_edge(&n[1]->node, NULL, &n[0]->node, NULL, "a", NULL); /* a -> d */
    build_edge(&n[1]->node, NULL, &n[2]->node, NULL, "a", NULL); /* a -> b */
    build_edge(&n[2]->node, NULL, &n[4]->node, NULL, "b", NULL); /* b -> e */
    build_edge(&n[3]->node, NULL, &n[0]->node, NULL, "c", NULL); /* c -> d */
    CHECK(build_finish(s));
    struct node **order;
    CHECK_INT(scope_order(st, NULL, &order), 5);
    struct text t = text_new(ir->arena);
    for (int i = 0; i < 5; i++)
        text_add(&t, order[i]->label);
    CHECK_STR(text_get(&t), "abecd");
    ir_free(ir);
}

TEST(paths_and_ends)
{
    struct example e = build_example();
    struct edge *leaf = node_in_edge(&e.task->node, "a"), *store = node_out_edge(&e.task->node, "b");
    CHECK(path_source(leaf) == &e.a->node && path_target(leaf) == &e.task->node);
    CHECK(path_source(store) == &e.task->node && path_target(store) == &e.t->node);
    CHECK(leaf->memlet.subset_is_source && !store->memlet.subset_is_source);
    CHECK(memlet_source_subset(&leaf->memlet) == leaf->memlet.subset && !memlet_target_subset(&leaf->memlet));
    CHECK(memlet_target_subset(&store->memlet) == store->memlet.subset && !memlet_source_subset(&store->memlet));
    CHECK(node_in_edge(&e.task->node, "b") == NULL && node_out_edge(&e.task->node, "a") == NULL);
    CHECK(node_in_conn(&e.task->node, "a") && !node_in_conn(&e.task->node, "b"));
    CHECK(node_out_conn(&e.call->node, "y") && !node_out_conn(&e.call->node, "x"));
    CHECK(view_edge(e.v) == e.v->node.in.items[0]);
    ir_free(e.ir);
}

/* Between two arrays the memlets tell which one is viewed; in old files the layout of the view does, where it fits one
 * of them only. */
TEST(views_of_old_files)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "old");
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float64", "N, 8, N");
    build_array(s, "B", "float64", "8, N, 4");
    build_view(s, "V", "float64", "8, N");
    build_view(s, "W", "float64", "8 * N");
    struct state *st = build_state(&s->region, "main");
    struct access *v = build_access(st, "V"), *w = build_access(st, "W");
    struct edge *in =
        build_edge(&build_access(st, "A")->node, NULL, &v->node, NULL, "V[0:8, 0:N] -> [3, 0:8, 0:N]", NULL);
    struct edge *out = build_edge(&v->node, NULL, &build_access(st, "B")->node, NULL, "B[0:8, 0:N, 2]", NULL);
    struct edge *flat = build_edge(&build_access(st, "A")->node, NULL, &w->node, NULL, "A[3, 0:8, 0:N]", NULL);
    build_edge(&w->node, NULL, &build_access(st, "A")->node, NULL, "W[0:8 * N] -> [4, 0:8, 0:N]", NULL);
    in->memlet.subset_is_source = false;
    CHECK(build_finish(s));
    CHECK(view_edge(v) == out && view_edge(w) == flat);
    s->dace_version = NULL;
    CHECK(view_edge(v) == in && view_edge(w) == flat);
    ir_free(ir);
}

TEST(self_copies_follow_the_flag)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "self");
    build_array(s, "A", "int32", "8");
    struct state *st = build_state(&s->region, "main");
    struct edge *e =
        build_edge(&build_access(st, "A")->node, NULL, &build_access(st, "A")->node, NULL, "A[0:4] -> [4:8]", NULL);
    CHECK(build_finish(s) && e->memlet.subset_is_source);
    e->memlet.flag_is_data_src = false;
    CHECK(state_resolve(st) && !e->memlet.subset_is_source);
    ir_free(ir);
}

TEST(subsets)
{
    struct example e = build_example();
    struct container *t = sdfg_find_container(e.s, "T");
    struct subset *whole = subset_whole(e.ir, t);
    CHECK_STR(sym_text(e.ir, subset_volume(e.ir, whole)), "M*N");
    CHECK(subset_size(e.ir, whole, 1) == sym_name(e.ir, "M"));
    struct subset *strided = subset_new(e.ir, 1);
    strided->dims[0] = (struct range){ sym_int(e.ir, 0), sym_int(e.ir, 9), sym_int(e.ir, 4), sym_int(e.ir, 2) };
    CHECK(sym_is_int(subset_volume(e.ir, strided), 6));
    t->offset[0] = sym_int(e.ir, -1);
    CHECK(sym_is_int(subset_whole(e.ir, t)->dims[0].begin, 1));
    CHECK(subset_whole(e.ir, t)->dims[0].end == sym_name(e.ir, "N"));
    CHECK(sdfg_find_container(e.s, "T.x") == NULL && sdfg_find_container(e.s, "Z") == NULL);
    ir_free(e.ir);
}

static const char *free_names(struct sdfg *s, bool shapes)
{
    const char **names;
    uint32_t count = sdfg_free_symbols(s, shapes, &names);
    struct text t = text_new(s->ir->arena);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&t, "%s%s", i ? " " : "", names[i]);
    return text_get(&t);
}

TEST(free_symbols)
{
    struct example e = build_example();
    CHECK_STR(free_names(e.s, false), "M N w");
    CHECK_STR(free_names(e.inner, false), "m");
    CHECK(sdfg_symbol_type(e.s, "w") == type_basic(e.ir, TYPE_F64));
    CHECK(sdfg_symbol_type(e.s, "i") == NULL);
    ir_free(e.ir);
}

TEST(assigned_symbols_are_not_free)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "flow");
    static const char *const names[] = { "N", "k", "late", "i", "q" };
    for (int i = 0; i < 5; i++)
        build_symbol(s, names[i], "int64");
    build_array(s, "A", "int64", "N");
    struct state *first = build_state(&s->region, "first");
    struct loop *l = build_loop(&s->region, "loop", "i", "i = k", "i < late", "i = i + q");
    build_state(&l->region, "body");
    build_transition(&first->block, &l->region.block, "A[0] > 2", "k = A[1]");
    struct state *last = build_state(&s->region, "last");
    build_transition(&l->region.block, &last->block, NULL, "late = 3");
    CHECK(build_finish(s));
    CHECK_STR(free_names(s, false), "late q");
    CHECK_STR(free_names(s, true), "N late q");
    struct map assigned = { 0 };
    sdfg_assigned_symbols(s, &assigned);
    CHECK_INT(assigned.count, 3);
    CHECK(map_has(&assigned, intern(ir->names, "i")) && map_has(&assigned, intern(ir->names, "k")));
    ir_free(ir);
}

static void count_sdfg(void *user, struct sdfg *s)
{
    (void)s;
    ++*(int *)user;
}

static void count_block(void *user, struct block *b)
{
    (void)b;
    ++*(int *)user;
}

TEST(walks)
{
    struct example e = build_example();
    int sdfgs = 0, blocks = 0;
    sdfg_each(e.s, count_sdfg, &sdfgs);
    CHECK_INT(sdfgs, 2);
    struct conditional *c = build_conditional(&e.s->region, "pick");
    build_state(build_branch(c, "N > 1"), "yes");
    build_state(build_branch(c, NULL), "no");
    region_each_block(&e.s->region, count_block, &blocks);
    CHECK_INT(blocks, 4);
    ir_free(e.ir);
}

/* ---- constants ---- */

static bool same_bytes(struct sdfg *s, const char *name, const void *expected, size_t size)
{
    void *bytes;
    size_t actual;
    const struct constant *c = sdfg_find_constant(s, name);
    return c && constant_bytes(s->ir, c, &bytes, &actual) && actual == size && !memcmp(bytes, expected, size);
}

TEST(constants)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "constants");
    build_constant(s, "i8s", "int8", "2, 2", "[[1, -2], [\"3\", -128]]");
    build_constant(s, "big", "uint64", NULL, "18446744073709551615");
    build_constant(s, "yes", "bool", NULL, "\"True\"");
    build_constant(s, "no", "bool", NULL, "\"False\"");
    build_constant(s, "real", "float32", NULL, "\"1.5\"");
    build_constant(s, "half", "float16", "3", "[1, NaN, -Infinity]");
    build_constant(s, "z", "complex64", "2", "[\"(1-2j)\", 3]");
    build_constant(s, "too_big", "int8", NULL, "128");
    build_constant(s, "negative", "uint32", NULL, "-1");
    build_constant(s, "fraction", "int32", NULL, "1.5");
    build_constant(s, "word", "float64", NULL, "\"one\"");
    CHECK(same_bytes(s, "i8s", (int8_t[]){ 1, -2, 3, -128 }, 4));
    CHECK(same_bytes(s, "big", &(uint64_t){ UINT64_MAX }, 8));
    CHECK(same_bytes(s, "yes", &(bool){ true }, 1) && same_bytes(s, "no", &(bool){ false }, 1));
    CHECK(same_bytes(s, "real", &(float){ 1.5f }, 4));
    CHECK(same_bytes(s, "half", (uint16_t[]){ 0x3c00, 0x7e00, 0xfc00 }, 6));
    CHECK(same_bytes(s, "z", (float[]){ 1, -2, 3, 0 }, 16));
    static const char *const bad[] = { "too_big", "negative", "fraction", "word" };
    for (uint32_t i = 0; i < 4; i++) {
        void *bytes;
        size_t size;
        CHECK(!constant_bytes(ir, sdfg_find_constant(s, bad[i]), &bytes, &size));
        CHECK_INT(diags_errors(ir->diags), i + 1);
        CHECK_STR(diag_name(diags_get(ir->diags, i)->code), "CONSTANT_VALUE");
    }
    CHECK(sdfg_find_constant(s, "absent") == NULL);
    ir_free(ir);
}

/* ---- properties of library nodes ---- */

TEST(library_properties)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, "lib");
    struct state *st = build_state(&s->region, "main");
    struct library *l =
        build_library(st, "node", "dace.libraries.blas.nodes.gemm.Gemm", "_a", "_c",
                      "{\"transA\": true, \"alpha\": 2.5, \"beta\": \"(1+2j)\", \"n\": \"3\", \"a\": \"1/2\","
                      "\"axes\": [0, -1], \"names\": [\"x\", \"y\"], \"op\": \"MPI_SUM\", \"bad\": {},"
                      "\"dtype\": \"float32\", \"none\": null, \"identity\": 0}");
    bool flag;
    int64_t i, *list;
    uint32_t count;
    const char *text, **names;
    struct library_number x;
    const struct type *t;
    const struct sym *sym;
    CHECK_STR(library_class(l), "Gemm");
    CHECK(library_bool(l, "transA", false, &flag) && flag);
    CHECK(library_bool(l, "transB", true, &flag) && flag);
    CHECK(library_int(l, "n", 1, &i) && i == 3);
    CHECK(library_int(l, "none", 7, &i) && i == 7);
    CHECK(library_number(l, "alpha", 1, &x) && x.re == 2.5 && x.im == 0 && !x.is_integer && !x.symbol);
    CHECK(library_number(l, "beta", 1, &x) && x.re == 1 && x.im == 2);
    CHECK(library_number(l, "n", 1, &x) && x.re == 3 && x.is_integer);
    CHECK(library_number(l, "a", 1, &x) && x.re == 0.5 && !x.symbol);
    CHECK(library_number(l, "absent", 1, &x) && x.re == 1 && x.is_integer);
    CHECK(library_symbolic(l, "n", NULL, &sym) && sym_is_int(sym, 3));
    CHECK(library_symbolic(l, "absent", NULL, &sym) && !sym);
    CHECK(library_string(l, "op", NULL, &text) && !strcmp(text, "MPI_SUM"));
    CHECK(library_string(l, "identity", NULL, &text) && !strcmp(text, "0"));
    CHECK(library_ints(l, "axes", &list, &count) && count == 2 && list[1] == -1);
    CHECK(library_ints(l, "none", &list, &count) && !list);
    CHECK(library_strings(l, "names", &names, &count) && count == 2 && !strcmp(names[1], "y"));
    CHECK(library_type(l, "dtype", &t) && t == type_basic(ir, TYPE_F32));
    CHECK(library_type(l, "absent", &t) && !t);
    CHECK_INT(diags_errors(ir->diags), 0);
    CHECK(!library_bool(l, "op", false, &flag) && !library_int(l, "op", 0, &i) && !library_number(l, "bad", 0, &x));
    CHECK(!library_ints(l, "names", &list, &count) && !library_strings(l, "axes", &names, &count));
    CHECK(!library_string(l, "bad", NULL, &text) && !library_type(l, "op", &t));
    CHECK_INT(diags_errors(ir->diags), 7);
    CHECK_STR(diags_get(ir->diags, 0)->path, "lib/state[0] \"main\"/library[0] \"node\"");
    ir_free(ir);
}

CHECK_MAIN
