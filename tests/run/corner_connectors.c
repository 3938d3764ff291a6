/* Connectors and memlets. */
#include "tests/run/corner.h"

static void remainder_of_reals(struct corner *c)
{
    build_array(c->s, "A", "float64", "1");
    build_array(c->s, "B", "float64", "1");
    corner_body(corner_state(c), NULL, "o = a % 2.0", "a = A[0]", "o = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: code: operator '%' on float64 and float64\n"
                   "  at corner/state[0] \"s0\"/tasklet[1] \"t0\"\n"
                   "    o = a % 2.0\n"
                   "          ^\n"
                   "[4]\n");
}

static void huge_int_cast(struct corner *c)
{
    corner_array(c, "float64 X[3]", "3000000000 -3000000000 nan", NULL);
    corner_array(c, "int64 O[3]", "0 0 0", "0 0 0");
    c->uninit = "O";
    corner_body(corner_state(c), "i = 0:3", "o = int(x)", "x = X[i]", "o = O[i]", NULL);
}

/* A name that is assigned in a branch first ends with it. */
static void branch_local(struct corner *c)
{
    build_array(c->s, "A", "int32", "1");
    build_array(c->s, "B", "int32", "1");
    corner_body(corner_state(c), NULL, "if a > 0:\n    x = 1\nelse:\n    x = 2\nb = x", "a = A[0]", "b = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: code: 'x' was assigned in a block that has ended\n"
                   "  at corner/state[0] \"s0\"/tasklet[1] \"t0\"\n"
                   "    b = x\n"
                   "        ^\n"
                   "[4]\n");
}

static void tasklet_return(struct corner *c)
{
    build_array(c->s, "A", "int32", "1");
    build_array(c->s, "B", "int32", "1");
    corner_body(corner_state(c), NULL, "o = a\nreturn", "a = A[0]", "o = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[unsupported]: code: 'return', which would leave the whole program, is not supported\n"
                   "  at corner/state[0] \"s0\"/tasklet[1] \"t0\"\n"
                   "    return\n"
                   "    ^\n"
                   "[5]\n");
}

/* An output that the tasklet does not assign: nothing is stored, static or dynamic. */
static void static_output(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[2]", "-1 1", NULL);
    corner_array(c, "int32 B[2]", "10 20", "10 1");
    corner_array(c, "int32 D[2]", "10 20", "10 1");
    corner_body(st, "i = 0:2", "if a > 0:\n    b = a", "a = A[i]", "b = B[i]", NULL);
    struct corner_body dynamic = corner_body(st, "i = 0:2", "if a > 0:\n    b = a", "a = A[i]", "b = D[i]", NULL);
    corner_out(&dynamic, "b")->memlet.dynamic = true;
}

/* Every assignment to a dynamic output with a conflict resolution is a reduction, of a static one only the last. */
static void dynamic_reduction(struct corner *c)
{
    const char *code = "for k in range(4):\n    b = k", *sum = "lambda x, y: x + y";
    struct state *st = corner_state(c);
    corner_array(c, "int32 S[1]", "10", "13");
    corner_array(c, "int32 D[1]", "10", "16");
    corner_body(st, NULL, code, NULL, "b = S[0]", sum);
    struct corner_body dynamic = corner_body(st, NULL, code, NULL, "b = D[0]", sum);
    corner_out(&dynamic, "b")->memlet.dynamic = true;
}

/* All inputs are read before any output is stored. */
static void read_before_write(struct corner *c)
{
    corner_array(c, "int32 A[2]", "1 2", "2 1");
    corner_body(corner_state(c), NULL, "p = b\nq = a", "a = A[0], b = A[1]", "p = A[0], q = A[1]", NULL);
}

/* A pointer has as many indices as its memlet has dimensions of more than one element. */
static void squeezed_pointer(struct corner *c)
{
    corner_array(c, "int32 A[4, 5]", "0:20", NULL);
    corner_array(c, "int32 B[5]", "5*0", "19 18 17 16 15");
    corner_body(corner_state(c), NULL, "for k in range(5):\n    b[k] = a[4 - k]", "a = A[3, 0:5]", "b = B[0:5]", NULL);
}

static void squeezed_pointer_indices(struct corner *c)
{
    build_array(c->s, "A", "int32", "4, 5");
    build_array(c->s, "B", "int32", "1");
    corner_body(corner_state(c), NULL, "b = a[0, 2]", "a = A[3, 0:5]", "b = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: 'a' has 2 indices, but its memlet has 1 dimensions of more than one element\n"
                   "  at corner/state[0] \"s0\"/tasklet[1] \"t0\"\n"
                   "    b = a[0, 2]\n"
                   "         ^\n"
                   "sdfg-run: the program is kept in BUILD/cache/libsdfg/failing.sdfg\n"
                   "[4]\n");
}

static void stepped_pointer(struct corner *c)
{
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[2]", "0 0", "6 9");
    corner_body(corner_state(c), NULL, "b[0] = a[2]\nb[1] = a[3]", "a = A[0:10:3]", "b = B[0:2]", NULL);
}

/* Sums and differences with pointers count elements, as the C++ that DaCe makes of them. */
static void pointer_sum(struct corner *c)
{
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[4]", "4*0", "3 5 4 1");
    corner_body(corner_state(c), NULL,
                "p = a + 3\nq = 2 + p\nb[0] = p[0]\nb[1] = q[0]\nb[2] = (q - 1)[0]\nb[3] = q - a == 5 and q > p",
                "a = A[0:10]", "b = B[0:4]", NULL);
}

/* A tasklet's output sets a reference. */
static void pointer_to_reference(struct corner *c)
{
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[2]", "2*0", "4 5");
    build_reference(c->s, "R", "int32", "2");
    const struct type *pointer = type_pointer(c->ir, type_by_name(c->ir, "int32"));
    struct state *set = corner_state(c);
    struct tasklet *t = build_tasklet(set, "set", "a", "o", "o = a + 4");
    build_edge(&build_access(set, "A")->node, NULL, &t->node, "a", "A[0:10]", NULL);
    build_edge(&t->node, "o", &build_access(set, "R")->node, "set", "R[0]", NULL);
    t->node.in_conns.items[0].type = t->node.out_conns.items[0].type = pointer;
    t->node.in_conns.items[0].inferred = t->node.out_conns.items[0].inferred = false;
    corner_body(corner_state(c), "i = 0:2", "o = r", "r = R[i]", "o = B[i]", NULL);
}

static void negative_subscript(struct corner *c)
{
    corner_array(c, "int32 A[5]", "10:15", NULL);
    corner_array(c, "int32 B[1]", "0", "11");
    corner_body(corner_state(c), NULL, "b = a[-1]", "a = A[2:5]", "b = B[0]", NULL);
}

/* A connector of another type would see other numbers, or more bytes than there are. */
static void reinterpreted_connector(struct corner *c)
{
    build_array(c->s, "A", "float32", "1");
    build_array(c->s, "B", "int32", "1");
    struct corner_body b = corner_body(corner_state(c), NULL, "o = a", "a = A[0]", "o = B[0]", NULL);
    b.tasklet->node.in_conns.items[0].type = type_by_name(c->ir, "int32");
    b.tasklet->node.in_conns.items[0].inferred = false;
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: the connector 'a' has elements of type int32, but 'A' holds float32\n"
                   "  at corner/state[0] \"s0\"/edge[0] \"A\"\n"
                   "sdfg-run: the program is kept in BUILD/cache/libsdfg/failing.sdfg\n"
                   "[4]\n");
}

/* A dynamic input is read where it is used, after what the tasklet has stored; a static one before. */
static void dynamic_input(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "1", "5");
    corner_array(c, "int32 B[1]", "1", "5");
    corner_array(c, "int32 R[2]", "0 0", "5 1");
    struct corner_body dynamic = corner_body(st, NULL, "o = 5\nr = i", "i = A[0]", "o = A[0], r = R[0]", NULL);
    corner_in(&dynamic, "i")->memlet.dynamic = true;
    corner_out(&dynamic, "o")->memlet.dynamic = true;
    struct corner_body fixed = corner_body(st, NULL, "o = 5\nr = i", "i = B[0]", "o = B[0], r = R[1]", NULL);
    corner_out(&fixed, "o")->memlet.dynamic = true;
}

/* Three elements; every mention of the stream takes one. */
static void stream_mentions(struct corner *c)
{
    corner_symbol(c, "int64 n", "3");
    corner_array(c, "int32 A[3]", "3:6", NULL);
    corner_array(c, "int32 B[2]", "0 0", "12 5");
    build_stream(c->s, "S", "int32", "8");
    corner_copy(corner_state(c), "A", "S", "S[0:n]");
    struct corner_body b =
        corner_body(corner_state(c), NULL, "o = x * x\np = x", "x = S[0]", "o = B[0], p = B[1]", NULL);
    corner_in(&b, "x")->memlet.dynamic = true;
}

/* The second write stands first in the file; only the empty memlet orders the two. */
static void empty_memlet(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[1]", "0", "2");
    struct corner_body second = corner_body(st, NULL, "o = 2", NULL, "o = A[0]", NULL);
    struct corner_body first = corner_body(st, NULL, "o = 1", NULL, "o = A[0]", NULL);
    build_edge(first.tasklet->node.out.items[0]->dst, NULL, &second.tasklet->node, NULL, NULL, NULL);
}

/* What stands on the outer edges of a path does not address anything. */
static void leaf_memlets(struct corner *c)
{
    corner_array(c, "int32 A[8]", "0:8", NULL);
    corner_array(c, "int32 B[8]", "8*-1", "0 10 20 30 -1 -1 -1 -1");
    struct corner_body b = corner_body(corner_state(c), "i = 0:4", "b = 10 * a", "a = A[i]", "b = B[i]", NULL);
    struct range *in = b.map->node.in.items[0]->memlet.subset->dims;
    struct range *out = b.map->exit->out.items[0]->memlet.subset->dims;
    in->end = in->begin;
    out->end = sym_int(c->ir, 7);
}

/* An offset is added to every index; a start offset moves the data inside the allocation. */
static void offsets(struct corner *c)
{
    corner_array(c, "int32 A[5]", "0:5", NULL);
    corner_array(c, "int32 B[5]", "5*0", "10 11 12 13 14");
    sdfg_find_container(c->s, "A")->offset[0] = sym_int(c->ir, -5);
    struct container *t = build_transient(c->s, "T", "int32", "5");
    t->start_offset = sym_int(c->ir, 3);
    t->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    corner_body(corner_state(c), "i = 5:10", "t = a + 10", "a = A[i]", "t = T[i - 5]", NULL);
    corner_body(corner_state(c), "i = 0:5", "b = t", "t = T[i]", "b = B[i]", NULL);
}

/* A view that walks backwards: its stride is a symbol. */
static void reversed_view(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_symbol(c, "int64 N", "5");
    corner_symbol(c, "int64 stride", "-1");
    corner_array(c, "int32 A[N]", "0:5", NULL);
    corner_array(c, "int32 B[N]", "5*0", "4 3 2 1 0");
    struct container *v = build_view(c->s, "V", "int32", "N");
    build_strides(c->s, v, "stride");
    v->total_size = build_sym(c->ir, &v->place, "N");
    struct access *view = build_access(st, "V");
    build_edge(&build_access(st, "A")->node, NULL, &view->node, "views", "A[N - 1]", NULL);
    build_edge(&view->node, NULL, &build_access(st, "B")->node, NULL, "V[0:N] -> [0:N]", NULL);
}

/* An annotated assignment is a cast, and its target the connector; an annotation alone says nothing of a connector. */
static void annotated_output(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 X[4]", "1 300 -1 7", NULL);
    corner_array(c, "int32 A[4]", "4*0", "1 44 255 7");
    corner_array(c, "int32 B[4]", "4*0", "1 300 -1 7");
    corner_array(c, "int32 C[4]", "4*0", "2 45 0 8");
    corner_array(c, "int32 D[4]", "4*0", "7 44 7 7");
    corner_body(st, "i = 0:4", "o: dace.uint8 = x", "x = X[i]", "o = A[i]", NULL);
    corner_body(st, "i = 0:4", "o: dace.uint8\no = x", "x = X[i]", "o = B[i]", NULL);
    corner_body(st, "i = 0:4", "t = x\nt: dace.uint8 = x + 1\no = t", "x = X[i]", "o = C[i]", NULL);
    corner_body(st, "i = 0:4", "if x > 7:\n    o: dace.uint8 = x\nelse:\n    o = 7", "x = X[i]", "o = D[i]", NULL);
}

const struct corner_row corner_connectors[] = {
    { "004_remainder_of_reals", remainder_of_reals, true },
    { "009_huge_int_cast", huge_int_cast, false },
    { "021_branch_local", branch_local, true },
    { "023_tasklet_return", tasklet_return, true },
    { "029_static_output", static_output, false },
    { "030_dynamic_reduction", dynamic_reduction, false },
    { "031_read_before_write", read_before_write, false },
    { "032_squeezed_pointer", squeezed_pointer, false },
    { "032_squeezed_pointer_indices", squeezed_pointer_indices, true },
    { "033_stepped_pointer", stepped_pointer, false },
    { "033_pointer_sum", pointer_sum, false },
    { "033_pointer_to_reference", pointer_to_reference, false },
    { "034_negative_subscript", negative_subscript, false },
    { "035_reinterpreted_connector", reinterpreted_connector, true },
    { "036_dynamic_input", dynamic_input, false },
    { "037_stream_mentions", stream_mentions, false },
    { "038_empty_memlet", empty_memlet, false },
    { "039_leaf_memlets", leaf_memlets, false },
    { "040_offsets", offsets, false },
    { "041_reversed_view", reversed_view, false },
    { "116_annotated_output", annotated_output, false },
    { NULL, NULL, false },
};
