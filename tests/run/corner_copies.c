/* Copies between containers. */
#include "tests/run/corner.h"

/* Without a source region the same indices are meant. */
static void destination_only(struct corner *c)
{
    corner_array(c, "int32 A[20]", "100:120", NULL);
    corner_array(c, "int32 B[20]", "20*0", "0 0 0 103 104 105 106 107 12*0");
    corner_copy(corner_state(c), "A", "B", "B[3:8]");
}

/* From a container to itself: the subset is the destination. */
static void self_copy(struct corner *c)
{
    corner_array(c, "int32 A[20]", "0:20", "10:15 5:20");
    corner_copy(corner_state(c), "A", "A", "A[0:5] -> [10:15]");
}

/* Regions of different rank are walked in the order of their memory. */
static void rank_change(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_strided(c, "int32 F[4, 5]", "1, 4", "0 4 8 12 16 1 5 9 13 17 2 6 10 14 18 3 7 11 15 19", NULL);
    corner_array(c, "int32 FLAT[20]", "20*0", "0:20");
    corner_array(c, "int32 C[4, 5]", "0:20", NULL);
    corner_array(c, "int32 CLAT[20]", "20*0", "0:20");
    corner_copy(st, "F", "FLAT", "F[0:4, 0:5]");
    corner_copy(st, "C", "CLAT", "C[0:4, 0:5]");
}

static void shape_mismatch(struct corner *c)
{
    build_array(c->s, "A", "int32", "4, 5");
    build_array(c->s, "B", "int32", "5, 4");
    corner_copy(corner_state(c), "A", "B", "A[0:4, 0:5]");
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg\n"
                   "error[invalid]: the two sides of the copy to 'B' have different shapes\n"
                   "  at corner/state[0] \"s0\"/edge[0] \"A\"\n"
                   "[4]\n");
}

static void conversion(struct corner *c)
{
    corner_array(c, "float64 A[4]", "0.5 1.25 -3 16777217", NULL);
    corner_array(c, "float32 B[4]", "4*0", "0.5 1.25 -3 16777216");
    corner_copy(corner_state(c), "A", "B", "A[0:4]");
    c->rtol = "0";
}

static void zero_size(struct corner *c)
{
    corner_symbol(c, "int64 N", "0");
    corner_array(c, "int32 A[10]", "0:10", NULL);
    corner_array(c, "int32 B[10]", "10*7", NULL);
    corner_copy(corner_state(c), "A", "B", "A[0:N] -> [0:N]");
}

/* Two writers of one node: both effective where they do not meet. */
static void two_writers(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "int32 A[5]", "10:15", NULL);
    corner_array(c, "int32 B[10]", "10*0", "10:15 5*1");
    struct edge *copy = corner_copy(st, "A", "B", "A[0:5] -> [0:5]");
    struct tasklet *t = build_tasklet(st, "ones", NULL, "b", "for k in range(5):\n    b[k] = 1");
    build_edge(&t->node, "b", copy->dst, NULL, "B[5:10]", NULL);
}

/* The region of the array counts. */
static void into_stream(struct corner *c)
{
    corner_symbol(c, "int64 n", "5");
    corner_array(c, "int32 A[20]", "100:120", NULL);
    corner_array(c, "int32 B[5]", "5*0", "105:110");
    build_stream(c->s, "S", "int32", "8");
    corner_copy(corner_state(c), "A", "S", "S[0:n] -> [5:n + 5]");
    corner_copy(corner_state(c), "S", "B", "S[0:n]");
}

/* Three elements are there, five are asked for. */
static void out_of_stream(struct corner *c)
{
    corner_symbol(c, "int64 n", "3");
    corner_symbol(c, "int64 m", "5");
    corner_array(c, "int32 A[3]", "3:6", NULL);
    corner_array(c, "int32 B[5]", "5*-1", "3 4 5 -1 -1");
    build_stream(c->s, "S", "int32", "8");
    corner_copy(corner_state(c), "A", "S", "S[0:n]");
    corner_copy(corner_state(c), "S", "B", "S[0:m]");
}

/* Two elements at each of 0, 5, 10, 15. */
static void tiles(struct corner *c)
{
    corner_array(c, "int32 A[20]", "0:20", NULL);
    corner_array(c, "int32 B[8]", "8*0", "0 1 5 6 10 11 15 16");
    corner_copy(corner_state(c), "A", "B", "A[0:20:5:2] -> [0:8]");
}

const struct corner_row corner_copies[] = {
    { "042_destination_only", destination_only, false },
    { "043_self_copy", self_copy, false },
    { "044_rank_change", rank_change, false },
    { "045_shape_mismatch", shape_mismatch, true },
    { "046_conversion", conversion, false },
    { "047_zero_size", zero_size, false },
    { "048_two_writers", two_writers, false },
    { "049_into_stream", into_stream, false },
    { "050_out_of_stream", out_of_stream, false },
    { "051_tiles", tiles, false },
    { NULL, NULL, false },
};
