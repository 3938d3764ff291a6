/* Conflicting writes (WCR). Maps are large where threads should meet: small ones run on one thread. */
#include "tests/run/corner.h"

static const char sum[] = "lambda x, y: x + y";

/* A call of max is the maximum, whatever its arguments. */
static void kind_by_name(struct corner *c)
{
    corner_array(c, "int32 B[1]", "3", "3");
    corner_body(corner_state(c), NULL, "b = 2", NULL, "b = B[0]", "lambda a, b: max(a, b * 2)");
}

/* Nothing is zeroed but what says so. */
static void initial_value(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[1]", "100", "145");
    corner_array(c, "int32 D[1]", "100", "45");
    build_transient(c->s, "T", "int32", "1");
    corner_body(st, "i = 0:10", "b = a", "a = A[i]", "b = B[0]", sum);
    struct corner_body b = corner_body(st, "i = 0:10", "b = a", "a = A[i]", "b = T[0]", sum);
    struct node *t = b.map->exit->out.items[0]->dst;
    as_access(t)->setzero = true;
    build_edge(t, NULL, &build_access(st, "D")->node, NULL, "T[0]", NULL);
}

/* Without an identity a reduction goes on from what is there. */
static void no_identity(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[2, 3]", "1 2 3 40 5 6", NULL);
    corner_array(c, "int32 B[2]", "10 10", "10 40");
    struct library *r = build_library(st, "largest", "dace.libraries.standard.nodes.reduce.Reduce", NULL, NULL,
                                      "{\"wcr\": \"(lambda a, b: max(a, b))\", \"axes\": [1], \"identity\": null}");
    build_edge(&build_access(st, "A")->node, NULL, &r->node, NULL, "A[0:2, 0:3]", NULL);
    build_edge(&r->node, NULL, &build_access(st, "B")->node, NULL, "B[0:2]", NULL);
}

/* The nested SDFG writes its argument itself. */
static void outside_nested(struct corner *c)
{
    struct state *st = corner_state(c);
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    corner_array(c, "int32 B[1]", "10", "5");
    build_array(inner, "b", "int32", "1");
    corner_body(build_state(&inner->region, "s"), NULL, "o = 5", NULL, "o = b[0]", NULL);
    struct nested *n = build_nested(st, "five", inner, NULL, "b", NULL);
    build_edge(&n->node, "b", &build_access(st, "B")->node, NULL, "B[0]", sum);
}

/* Logical operations give 0 or 1, whatever was there, with threads or without. */
static void logical(struct corner *c)
{
    struct state *st = corner_state(c);
    const char *both = "lambda a, b: a and b", *either = "lambda a, b: a or b";
    corner_array(c, "int32 S[1]", "6", "1");
    corner_array(c, "int32 P[1]", "6", "1");
    corner_array(c, "int32 O[1]", "6", "1");
    struct corner_body one = corner_body(st, "i = 0:3", "o = 1", NULL, "o = S[0]", both);
    struct corner_body many = corner_body(st, "i = 0:100000", "o = 1", NULL, "o = P[0]", both);
    struct corner_body any = corner_body(st, "i = 0:100000", "o = 0", NULL, "o = O[0]", either);
    corner_schedule(&one, SCHEDULE_SEQUENTIAL);
    corner_schedule(&many, SCHEDULE_CPU_MULTICORE);
    corner_schedule(&any, SCHEDULE_CPU_MULTICORE);
}

/* The threads of the outer map meet in the sums of the map inside the nested SDFG. */
static void through_nested(struct corner *c)
{
    struct state *st = corner_state(c);
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    corner_array(c, "int64 B[4]", "4*0", "199990000 399980000 599970000 799960000");
    build_symbol(inner, "k", "int64");
    build_array(inner, "b", "int64", "4");
    struct corner_body add =
        corner_body(build_state(&inner->region, "s"), "j = 0:4", "o = k * (j + 1)", NULL, "o = b[j]", sum);
    corner_schedule(&add, SCHEDULE_SEQUENTIAL);
    struct map_entry *m = build_map(st, "rows", "i = 0:20000");
    m->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    struct nested *n = build_nested(st, "add", inner, NULL, "b", "k = i");
    build_edge(&m->node, NULL, &n->node, NULL, NULL, NULL);
    build_path("B[0:4]", NULL, "b", NULL, &n->node, m->exit, &build_access(st, "B")->node, NULL);
}

/* Tiles that do not meet, and neighbours that do. */
static void tiles_and_neighbours(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int64 B[16000]", "16000*1", "16000*2");
    corner_array(c, "int64 D[4001]", "4001*0", "1 3999*2 1");
    struct corner_body apart =
        corner_body(st, "i = 0:4000", "for k in range(4):\n    b[k] = 1", NULL, "b = B[4 * i:4 * i + 4]", sum);
    struct corner_body close =
        corner_body(st, "i = 0:4000", "for k in range(2):\n    d[k] = 1", NULL, "d = D[i:i + 2]", sum);
    corner_schedule(&apart, SCHEDULE_CPU_MULTICORE);
    corner_schedule(&close, SCHEDULE_CPU_MULTICORE);
}

/* Threads multiply, too. */
static void product(struct corner *c)
{
    corner_array(c, "int64 A[1]", "1", "1152921504606846976");
    struct corner_body b = corner_body(corner_state(c), "i = 0:60000", "a = 2 if i % 1000 == 0 else 1", NULL,
                                       "a = A[0]", "lambda x, y: x * y");
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

/* old - sum, in any order. */
static void custom(struct corner *c)
{
    corner_array(c, "int64 A[1]", "1000", "-199989000");
    struct corner_body b = corner_body(corner_state(c), "i = 0:20000", "a = i", NULL, "a = A[0]", "lambda x, y: x - y");
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

/* The lanes of a vector that meet a scalar are reduced too. */
static void vector_into_scalar(struct corner *c)
{
    corner_array(c, "float64 A[8]", "0:8", NULL);
    corner_array(c, "float64 B[1]", "100", "128");
    struct corner_body b = corner_body(corner_state(c), "i = 0:2", "b = a", "a = A[4 * i:4 * i + 4]", "b = B[0]", sum);
    struct connector *in = &b.tasklet->node.in_conns.items[0], *out = &b.tasklet->node.out_conns.items[0];
    in->type = out->type = type_vector(c->ir, type_by_name(c->ir, "float64"), 4, NULL);
    in->inferred = out->inferred = false;
}

/* An assignment that combines is worth what was there before; one that does not, what the target holds then. */
static void worth(struct corner *c)
{
    corner_array(c, "float64 V[5]", "5*0", "10 11 13 16 20");
    corner_array(c, "float64 W[5]", "5*0", "2.25 3.75 5.25 6.75 8.25");
    corner_array(c, "int32 K[5]", "5*0", "2 3 5 6 8");
    corner_array(c, "int32 O[3]", "7 10 7", "7 25 7");
    corner_array(c, "float32 P[2]", "2.25 1", "9.75 1");
    struct corner_body b = corner_body(corner_state(c), "i = 0:5", "v = o[1] = i + 1.75\nw = p[0] = 1.5\nq = k = w",
                                       NULL, "o = O[0:3], p = P[0:2], v = V[i], k = K[i], w = W[i]", sum);
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
}

/* Several combining targets: each takes what was in the one behind it. */
static void worth_of_several(struct corner *c)
{
    corner_array(c, "int32 O[3]", "100 200 300", "100 29 7");
    corner_array(c, "int32 V[3]", "3*1000", "200 200 50");
    struct corner_body b = corner_body(corner_state(c), "i = 0:3", "v = o[1] = o[2] = 50 - i * 43 // 2", NULL,
                                       "o = O[0:3], v = V[i]", "lambda x, y: min(x, y)");
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
}

/* On several threads no value is there twice. */
static void worth_on_threads(struct corner *c)
{
    corner_array(c, "int64 O[2]", "0 0", "0 20000");
    corner_array(c, "int64 S[1]", "0", "199990000");
    struct corner_body b =
        corner_body(corner_state(c), "i = 0:20000", "v = o[1] = 1", NULL, "o = O[0:2], v = S[0]", sum);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

/* DaCe's functions in C++. */
static void worth_in_cpp(struct corner *c)
{
    corner_array(c, "int64 O[2]", "0 0", "0 20000");
    corner_array(c, "int64 S[1]", "0", "199990000");
    struct corner_body b =
        corner_body(corner_state(c), "i = 0:20000",
                    "v = dace::wcr_fixed<dace::ReductionType::Sum, int64_t>::reduce_atomic(o + 1, 1);", NULL,
                    "o = O[0:2], v = S[0]", sum);
    b.tasklet->code.language = enum_builtin(c->ir, LANGUAGE_CPP);
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

const struct corner_row corner_conflicts[] = {
    { "052_kind_by_name", kind_by_name, false },
    { "053_initial_value", initial_value, false },
    { "054_no_identity", no_identity, false },
    { "055_outside_nested", outside_nested, false },
    { "056_logical", logical, false },
    { "057_through_nested", through_nested, false },
    { "058_tiles_and_neighbours", tiles_and_neighbours, false },
    { "059_product", product, false },
    { "060_custom", custom, false },
    { "061_vector_into_scalar", vector_into_scalar, false },
    { "conflict_worth", worth, false },
    { "conflict_worth_of_several", worth_of_several, false },
    { "conflict_worth_on_threads", worth_on_threads, false },
    { "conflict_worth_in_cpp", worth_in_cpp, false },
    { NULL, NULL, false },
};
