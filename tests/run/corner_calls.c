/* Memory, nested SDFGs and arguments. */
#include "tests/run/corner.h"

static const char sum[] = "lambda x, y: x + y";

/* Used in one map body only: each iteration has its own. */
static void private_transient(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int64 A[20000]", "0:20000", NULL);
    corner_array(c, "int64 B[20000]", "20000*-1", "1:20001");
    build_transient(c->s, "T", "int64", "1");
    struct access *a = build_access(st, "A"), *b = build_access(st, "B"), *t = build_access(st, "T");
    struct map_entry *m = build_map(st, "m", "i = 0:20000");
    struct tasklet *first = build_tasklet(st, "first", "a", "t", "t = a");
    struct tasklet *second = build_tasklet(st, "second", "t", "b", "b = t + 1");
    m->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    build_path("A[i]", NULL, NULL, "a", &a->node, &m->node, &first->node, NULL);
    build_edge(&first->node, "t", &t->node, NULL, "T[0]", NULL);
    build_edge(&t->node, NULL, &second->node, "t", "T[0]", NULL);
    build_path("B[i]", NULL, "b", NULL, &second->node, m->exit, &b->node, NULL);
}

static void large_register(struct corner *c)
{
    corner_array(c, "float64 B[1]", "0", "799980000");
    build_transient(c->s, "T", "float64", "40000")->storage = enum_builtin(c->ir, STORAGE_REGISTER);
    corner_body(corner_state(c), "i = 0:40000", "t = i", NULL, "t = T[i]", NULL);
    corner_body(corner_state(c), "i = 0:40000", "b = t", "t = T[i]", "b = B[0]", sum);
}

/* Zeroed at its first access node, not at the second. */
static void second_setzero(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 B[1]", "0", "6");
    build_transient(c->s, "T", "int32", "1");
    struct corner_body five = corner_body(st, NULL, "o = 5", NULL, "o = T[0]", NULL);
    struct corner_body one = corner_body(st, NULL, "o = 1", NULL, "o = T[0]", sum);
    struct node *first = five.tasklet->node.out.items[0]->dst, *second = one.tasklet->node.out.items[0]->dst;
    as_access(second)->setzero = true;
    build_edge(first, NULL, &one.tasklet->node, NULL, NULL, NULL);
    build_edge(second, NULL, &build_access(st, "B")->node, NULL, "T[0]", NULL);
}

/* A structure with two arrays that the program takes and gives back; what leaks is seen where a leak checker runs. */
static void transient_structure(struct corner *c)
{
    struct ir *ir = c->ir;
    corner_symbol(c, "int64 N", "100");
    corner_array(c, "float64 B[1]", "0", "4950");
    struct container *s = build_transient(c->s, "S", "float64", "1");
    struct sdfg *members = build_sdfg(ir, "members");
    s->kind = CONTAINER_STRUCTURE;
    s->struct_name = intern(ir->names, "Pair");
    s->storage = enum_builtin(ir, STORAGE_CPU_HEAP);
    struct type_field fields[2];
    for (int i = 0; i < 2; i++) {
        struct container *m = build_transient(members, i ? "values" : "indices", i ? "float64" : "int32", "N");
        m->parent = s;
        m->storage = s->storage;
        vec_push(ir->arena, &s->members, m);
        fields[i] = (struct type_field){ .name = m->name, .type = type_pointer(ir, m->type) };
    }
    s->type = type_pointer(ir, type_struct(ir, s->struct_name, fields, 2));
    corner_body(corner_state(c), "i = 0:N", "k = i\nv = i", NULL, "k = S.indices[i], v = S.values[i]", NULL);
    corner_body(corner_state(c), "i = 0:N", "b = v + k - k", "k = S.indices[i], v = S.values[i]", "b = B[0]", sum);
}

/* Memory of a nested SDFG is its own in every call: it is zeroed each time. */
static void nested_lifetime(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int32 B[4]", "4*-1", "4*1");
    build_symbol(c->s, "i", "int64");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "b", "int32", "1");
    struct container *t = build_transient(inner, "T", "int32", "1");
    t->lifetime = enum_builtin(c->ir, LIFETIME_SDFG);
    t->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    struct state *add = build_state(&inner->region, "add"), *give = build_state(&inner->region, "give");
    struct corner_body one = corner_body(add, NULL, "o = 1", NULL, "o = T[0]", sum);
    as_access(one.tasklet->node.out.items[0]->dst)->setzero = true;
    corner_body(give, NULL, "o = t", "t = T[0]", "o = b[0]", NULL);
    build_transition(&add->block, &give->block, NULL, NULL);
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 4", "i = i + 1");
    struct state *st = build_state(&loop->region, "call");
    struct nested *n = build_nested(st, "call", inner, NULL, "b", NULL);
    build_edge(&n->node, "b", &build_access(st, "B")->node, NULL, "B[i]", NULL);
}

/* One array under two names: what is written to one is read from the other. */
static void two_names(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[5]", "0:5", "10 11 12 13 14");
    corner_array(c, "int32 B[5]", "5*0", "10:15");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "x", "int32", "5");
    build_array(inner, "y", "int32", "5");
    build_array(inner, "z", "int32", "5");
    struct state *write = build_state(&inner->region, "write"), *read = build_state(&inner->region, "read");
    corner_body(write, "i = 0:5", "o = a + 10", "a = x[i]", "o = y[i]", NULL);
    corner_body(read, "i = 0:5", "o = a", "a = x[i]", "o = z[i]", NULL);
    build_transition(&write->block, &read->block, NULL, NULL);
    struct nested *n = build_nested(st, "call", inner, "x", "y, z", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "x", "A[0:5]", NULL);
    build_edge(&n->node, "y", &build_access(st, "A")->node, NULL, "A[0:5]", NULL);
    build_edge(&n->node, "z", &build_access(st, "B")->node, NULL, "B[0:5]", NULL);
}

/* A scalar of a nested SDFG is a place, not a value. */
static void scalar_by_reference(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[5]", "0:5", "0 1 77 3 4");
    corner_array(c, "int32 B[1]", "0", "77");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_scalar(inner, "s", "int32");
    build_array(inner, "a", "int32", "5");
    build_array(inner, "b", "int32", "1");
    struct state *write = build_state(&inner->region, "write"), *read = build_state(&inner->region, "read");
    corner_body(write, NULL, "o = 77", NULL, "o = a[2]", NULL);
    corner_body(read, NULL, "o = v", "v = s[0]", "o = b[0]", NULL);
    build_transition(&write->block, &read->block, NULL, NULL);
    struct nested *n = build_nested(st, "call", inner, "s", "a, b", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "s", "A[2]", NULL);
    build_edge(&n->node, "a", &build_access(st, "A")->node, NULL, "A[0:5]", NULL);
    build_edge(&n->node, "b", &build_access(st, "B")->node, NULL, "B[0]", NULL);
}

/* The inner strides count, not those of the region that is passed. */
static void inner_strides(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[4, 3]", "0:12", NULL);
    corner_array(c, "int32 B[4]", "4*0", "1 2 3 4");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "x", "int32", "4");
    build_array(inner, "y", "int32", "4");
    corner_body(build_state(&inner->region, "s"), "i = 0:4", "o = a", "a = x[i]", "o = y[i]", NULL);
    struct nested *n = build_nested(st, "call", inner, "x", "y", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "x", "A[0:4, 1]", NULL);
    build_edge(&n->node, "y", &build_access(st, "B")->node, NULL, "B[0:4]", NULL);
}

/* In files since DaCe 2.0.0b1 a nested SDFG gets whole containers, whatever part of them the memlets of its edges
 * select; the `offset` that indices start from is that of the inner container. */
static void whole_container(struct corner *c)
{
    c->ir->whole_connectors = c->ir->floored_mod = true;
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[3, 4]", "0:12", NULL);
    corner_array(c, "int32 B[3, 4]", "12*0", "10:22");
    corner_array(c, "int32 D[5]", "0:5", "0 1 77 3 4");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_symbol(inner, "k", "int64");
    build_array(inner, "x", "int32", "3, 4");
    build_array(inner, "y", "int32", "3, 4");
    build_array(inner, "z", "int32", "5")->offset[0] = sym_int(c->ir, -1);
    corner_body(build_state(&inner->region, "s"), "j = 0:4", "o = a + 10", "a = x[k, j]", "o = y[k, j]", NULL);
    corner_body(build_state(&inner->region, "t"), NULL, "o = 77", NULL, "o = z[3]", NULL);
    build_transition(inner->region.blocks.items[0], inner->region.blocks.items[1], NULL, NULL);
    struct map_entry *m = build_map(st, "rows", "i = 0:3");
    struct nested *n = build_nested(st, "call", inner, "x", "y, z", "k = i");
    build_path("A[i, 0:4]", NULL, NULL, "x", &build_access(st, "A")->node, &m->node, &n->node, NULL);
    build_path("B[i, 0:4]", NULL, "y", NULL, &n->node, m->exit, &build_access(st, "B")->node, NULL);
    build_path("D[2]", NULL, "z", NULL, &n->node, m->exit, &build_access(st, "D")->node, NULL);
}

/* A connector on both sides is one pointer, that of the output. */
static void both_ways(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[10]", "0:10", "0 1 2 3 4 6 6 7 8 9");
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    build_array(inner, "a", "int32", "5");
    corner_body(build_state(&inner->region, "s"), NULL, "o = v + 1", "v = a[0]", "o = a[0]", NULL);
    struct nested *n = build_nested(st, "call", inner, "a", "a", NULL);
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "a", "A[0:5]", NULL);
    build_edge(&n->node, "a", &build_access(st, "A")->node, NULL, "A[5:10]", NULL);
}

/* Containers by name, then scalars and symbols by name, in the order of ASCII. */
static void argument_order(struct corner *c)
{
    struct state *st = corner_state(c);
    build_symbol(c->s, "N", "int64");
    build_scalar(c->s, "Z", "int32");
    build_array(c->s, "a", "int32", "N");
    build_array(c->s, "_x", "int32", "N");
    build_array(c->s, "B", "int32", "N");
    corner_body(st, "i = 0:N", "r = p + q + z", "p = a[i], q = _x[i], z = Z[0]", "r = B[i]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --describe | sed -n '2,/constraints/p'\n"
                   "arguments\n"
                   "  B   int32[N]                  array, written\n"
                   "  _x  int32[N]                  array\n"
                   "  a   int32[N]                  array\n"
                   "  N   int64                     symbol, solved from shapes\n"
                   "  Z   int32                     scalar\n"
                   "constraints\n");
}

/* The leading dimension of an argument is not needed to address it. */
static void leading_dimension(struct corner *c)
{
    build_symbol(c->s, "M", "int64");
    build_symbol(c->s, "N", "int64");
    build_array(c->s, "A", "int32", "M, N");
    build_array(c->s, "B", "int32", "1");
    corner_body(corner_state(c), NULL, "r = p", "p = A[1, 1]", "r = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --describe | sed -n '2,/constraints/p'\n"
                   "arguments\n"
                   "  A  int32[M, N]               array\n"
                   "  B  int32[1]                  array, written\n"
                   "  M  int64                     symbol, solved from shapes, not needed to run\n"
                   "  N  int64                     symbol, solved from shapes\n"
                   "constraints\n");
}

/* An argument that is not used is one all the same, but nobody asks for its symbols: DaCe's list of arguments. */
static void unused_argument(struct corner *c)
{
    build_symbol(c->s, "K", "int64");
    build_symbol(c->s, "L", "int64");
    build_array(c->s, "A", "int32", "1");
    build_array(c->s, "B", "int32", "K, L");
    corner_body(corner_state(c), NULL, "r = 1", NULL, "r = A[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --describe | sed -n '2,/constraints/p'\n"
                   "arguments\n"
                   "  A  int32[1]                  array, written\n"
                   "  B  int32[K, L]               array\n"
                   "  K  int64                     symbol, solved from shapes, not needed to run\n"
                   "  L  int64                     symbol, solved from shapes, not needed to run\n"
                   "constraints\n");
}

#define NAMES                                                                                                          \
    "$ sdfg-cc $HERE/prog.sdfg -o p.o --header=p.h && sed -n '/__program_/,/)/s/.*[ *]\\([A-Za-z_]*\\)[,)].*/\\1/p' "  \
    "p.h | "                                                                                                           \
    "xargs\n"

/* The arguments of exported functions are those of DaCe's libraries: symbols of strides only where they are used. */
static void exported_strides(struct corner *c)
{
    static const char *const names[] = { "a", "b", "o" };
    for (int i = 0; i < 3; i++) {
        build_symbol(c->s, arena_printf(c->ir->arena, "stride_%s", names[i]), "int32");
        build_symbol(c->s, arena_printf(c->ir->arena, "end_%s", names[i]), "int32");
        struct container *x = build_array(c->s, names[i], "int32", arena_printf(c->ir->arena, "end_%s", names[i]));
        x->strides[0] = build_sym(c->ir, &x->place, arena_printf(c->ir->arena, "stride_%s", names[i]));
    }
    build_symbol(c->s, "size", "int32");
    corner_copy(corner_state(c), "a", "o", "a[0:size] -> [0:size]");
    corner_says(c, NAMES "handle a b o size stride_a stride_o\n");
}

/* A view has the size of nothing, and a condition uses what it reads. */
static void exported_views(struct corner *c)
{
    struct state *st = corner_state(c);
    static const char *const names[] = { "K", "L", "M", "N" };
    for (int i = 0; i < 4; i++)
        build_symbol(c->s, names[i], "int64");
    build_array(c->s, "A", "int32", "K, L");
    build_array(c->s, "B", "int32", "1");
    build_array(c->s, "Q", "int32", "M, N");
    build_view(c->s, "V", "int32", "K*L");
    struct access *v = build_access(st, "V");
    build_edge(&build_access(st, "A")->node, NULL, &v->node, "views", "A[0:K, 0:L]", NULL);
    struct tasklet *t = build_tasklet(st, "t", "x", "o", "o = x");
    build_edge(&v->node, NULL, &t->node, "x", "V[0]", NULL);
    build_edge(&t->node, "o", &build_access(st, "B")->node, NULL, "B[0]", NULL);
    struct state *next = build_state(&c->s->region, "next");
    build_transition(&st->block, &next->block, "Q[0, 0] > 0", NULL);
    corner_says(c, NAMES "handle A B Q L N\n");
}

/* A product takes its sizes from the first operand, and the columns from the second. */
static void exported_product(struct corner *c)
{
    struct state *st = corner_state(c);
    static const char *const names[] = { "B", "K", "L", "M", "N", "O" };
    for (int i = 0; i < 6; i++)
        build_symbol(c->s, names[i], "int64");
    build_array(c->s, "x", "float64", "M, K");
    build_array(c->s, "y", "float64", "O, N");
    build_array(c->s, "z", "float64", "L, B");
    struct library *n = build_library(st, "product", "dace.libraries.blas.nodes.matmul.MatMul", "_a, _b", "_c", NULL);
    build_edge(&build_access(st, "x")->node, NULL, &n->node, "_a", "x[0:M, 0:K]", NULL);
    build_edge(&build_access(st, "y")->node, NULL, &n->node, "_b", "y[0:O, 0:N]", NULL);
    build_edge(&n->node, "_c", &build_access(st, "z")->node, NULL, "z[0:L, 0:B]", NULL);
    corner_says(c, NAMES "handle x y z B K M N\n");
}

/* Eleven return values, in the order of their names as text. */
static void return_order(struct corner *c)
{
    struct state *st = corner_state(c);
    for (int i = 0; i < 11; i++) {
        const char *name = arena_printf(c->ir->arena, "__return_%d", i);
        build_array(c->s, name, "int32", "1");
        corner_body(st, NULL, arena_printf(c->ir->arena, "r = %d", i), NULL,
                    arena_printf(c->ir->arena, "r = %s[0]", name), NULL);
    }
    corner_says(c,
                "$ sdfg-run $HERE/prog.sdfg --describe | sed -n 's/.*\\(__return_[0-9]*\\) .*/\\1/p' | tr '\\n' ' '\n"
                "__return_0 __return_1 __return_10 __return_2 __return_3 __return_4 __return_5 __return_6 __return_7 "
                "__return_8 __return_9 \n");
}

static void doubled(struct corner *c, const char *array)
{
    corner_body(corner_state(c), "i = 0:4", "b = 2 * a", arena_printf(c->ir->arena, "a = %s[i]", array), "b = B[i]",
                NULL);
}

/* An array of another type is refused, not reinterpreted. */
static void other_type(struct corner *c)
{
    build_array(c->s, "A", "float64", "4");
    corner_array(c, "float32 A[4]", "0:4", NULL);
    corner_array(c, "float64 B[4]", "4*0", NULL);
    doubled(c, "A");
    corner_says(c, "$ sdfg-run --case $HERE\n"
                   "HERE: error[invalid]: 'A' holds float64, but float32 was given at corner/container \"A\"\n"
                   "[2]\n");
}

/* A strided array is taken where the descriptor's stride is a symbol ... */
static void strided_argument(struct corner *c)
{
    corner_symbol(c, "int64 step", "2");
    build_strides(c->s, build_array(c->s, "A", "int32", "4"), "step");
    corner_array(c, "int32 B[4]", "4*0", "0 2 4 6");
    corner_entry(c, "{\"name\": \"A\", \"kind\": \"array\", \"dtype\": \"int32\", \"shape\": [4], \"strides\": [2], "
                    "\"in\": \"in/A.npy\"}");
    corner_values(c, "int32 A[4]", "0:4");
    doubled(c, "A");
}

/* ... and refused where it is 1. */
static void strided_dense_argument(struct corner *c)
{
    build_array(c->s, "A", "int32", "4");
    corner_array(c, "int32 B[4]", "4*0", NULL);
    corner_entry(c, "{\"name\": \"A\", \"kind\": \"array\", \"dtype\": \"int32\", \"shape\": [4], \"strides\": [2], "
                    "\"in\": \"in/A.npy\"}");
    corner_values(c, "int32 A[4]", "0:4");
    doubled(c, "A");
    corner_says(c, "$ sdfg-run --case $HERE\n"
                   "HERE: error[invalid]: the strides of 'A' are [2], but the program expects [1] at corner/container "
                   "\"A\"\n"
                   "[2]\n");
}

/* What the program does not take is ignored. */
static void extra_argument(struct corner *c)
{
    corner_array(c, "int32 B[4]", "4*0", "4*3");
    corner_scalar(c, "int32 n", "3");
    corner_entry(c, "{\"name\": \"extra\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"in\": 5}");
    corner_body(corner_state(c), "i = 0:4", "b = a", "a = n[0]", "b = B[i]", NULL);
}

static void missing_argument(struct corner *c)
{
    corner_array(c, "int32 B[4]", "4*0", NULL);
    build_scalar(c->s, "n", "int32");
    corner_body(corner_state(c), "i = 0:4", "b = a", "a = n[0]", "b = B[i]", NULL);
    corner_says(c, "$ sdfg-run --case $HERE\n"
                   "HERE: error[invalid]: argument 'n' (int32) is missing at corner/container \"n\"\n"
                   "[2]\n");
}

/* A value that does not fit its type is refused, not rounded. */
static void scalar_conversion(struct corner *c, const char *value)
{
    corner_array(c, "float64 B[1]", "0", "3");
    corner_scalar(c, "int32 n", value);
    corner_body(corner_state(c), NULL, "b = a", "a = n[0]", "b = B[0]", NULL);
}

static void whole_number(struct corner *c) { scalar_conversion(c, "3.0"); }

static void broken_number(struct corner *c)
{
    scalar_conversion(c, "3.7");
    corner_says(c, "$ sdfg-run --case $HERE\n"
                   "HERE: error[invalid]: the value 3.7 of 'n' does not fit into int32 at corner/container \"n\"\n"
                   "[2]\n");
}

/* A kernel with memory of the device inside. */
static void device_transient(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "float32 A[64]", "0:64", NULL);
    corner_array(c, "float32 B[64]", "64*-1", "10:74");
    build_transient(c->s, "T", "float32", "1");
    static const char *const names[] = { "A", "B", "T" };
    for (int i = 0; i < 3; i++)
        sdfg_find_container(c->s, names[i])->storage = enum_builtin(c->ir, STORAGE_GPU_GLOBAL);
    struct map_entry *m = build_map(st, "kernel", "i = 0:64");
    m->schedule = enum_builtin(c->ir, SCHEDULE_GPU_DEVICE);
    struct access *t = build_access(st, "T");
    struct tasklet *add = build_tasklet(st, "add", "a", "t", "t = a + 1"),
                   *more = build_tasklet(st, "more", "t", "b", "b = 9 + t");
    build_path("A[i]", NULL, NULL, "a", &build_access(st, "A")->node, &m->node, &add->node, NULL);
    build_edge(&add->node, "t", &t->node, NULL, "T[0]", NULL);
    build_edge(&t->node, NULL, &more->node, "t", "T[0]", NULL);
    build_path("B[i]", NULL, "b", NULL, &more->node, m->exit, &build_access(st, "B")->node, NULL);
}

const struct corner_row corner_calls[] = {
    { "079_private_transient", private_transient, false },
    { "080_device_transient", device_transient, false },
    { "081_large_register", large_register, false },
    { "085_second_setzero", second_setzero, false },
    { "086_transient_structure", transient_structure, false },
    { "087_nested_lifetime", nested_lifetime, false },
    { "088_two_names", two_names, false },
    { "089_scalar_by_reference", scalar_by_reference, false },
    { "090_inner_strides", inner_strides, false },
    { "090_whole_container", whole_container, false },
    { "091_both_ways", both_ways, false },
    { "092_argument_order", argument_order, true },
    { "093_leading_dimension", leading_dimension, true },
    { "094_unused_argument", unused_argument, true },
    { "argument_strides", exported_strides, true },
    { "argument_views", exported_views, true },
    { "argument_product", exported_product, true },
    { "095_return_order", return_order, true },
    { "096_other_type", other_type, true },
    { "097_strided_argument", strided_argument, false },
    { "097_strided_dense_argument", strided_dense_argument, true },
    { "098_extra_argument", extra_argument, false },
    { "098_missing_argument", missing_argument, true },
    { "099_whole_number", whole_number, false },
    { "099_broken_number", broken_number, true },
    { NULL, NULL, false },
};
