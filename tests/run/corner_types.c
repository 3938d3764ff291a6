/* Element types that are no plain numbers: vectors, narrow floats, text. */
#include "tests/run/corner.h"

static const char sum[] = "lambda x, y: x + y";

/* A vector of complex numbers is an array of pairs in memory. */
static void complex_vectors(struct corner *c)
{
    corner_array(c, "complex64:2 A[2]", "1 2  0 1   3 0  -1 -1", NULL);
    corner_array(c, "complex64:2 B[2]", "2 0  1 1   0 -1  2 3", NULL);
    corner_array(c, "complex64:2 P[2]", "8*0", "2 4  -1 1   0 -3  1 -5"); /* a * b */
    corner_array(c, "complex64:2 S[2]", "8*0", "0 5  -1 2   6 2  -4 -4"); /* 2 * a - b + 1j */
    corner_array(c, "complex64:2 N[2]", "8*0", "-1 -2  0 -1   -3 0  1 1");
    corner_array(c, "complex64:2 Q[2]", "8*0", "1 2  0 1   3 0  -1 -1"); /* (a * b) / b */
    struct corner_body b = corner_body(corner_state(c), "i = 0:2", "p = a * b\ns = 2 * a - b + 1j\nn = -a\nq = p / b",
                                       "a = A[i], b = B[i]", "p = P[i], s = S[i], n = N[i], q = Q[i]", NULL);
    c->rtol = "1e-6";
    corner_schedule(&b, SCHEDULE_SEQUENTIAL);
}

/* Single lanes, parts, functions and comparisons. */
static void complex_lanes(struct corner *c)
{
    corner_array(c, "complex128:4 A[1]", "3 4  0 0  -5 12  1 -1", NULL);
    corner_array(c, "complex128:4 C[1]", "8*0", "3 -4  0 0  -5 -12  1 1");
    corner_array(c, "float64:4 M[1]", "4*0", "5 0 13 1.4142135623730951");
    corner_array(c, "float64:4 R[1]", "4*0", "3 0 -5 1");
    corner_array(c, "complex128 L[1]", "0 0", "-2 16");
    corner_array(c, "complex128:4 W[1]", "8*0", "3 4  7 0  -5 12  1 -1"); /* zeros replaced by 7 */
    corner_body(corner_state(c), NULL, "c = conj(a)\nm = abs(a)\nr = real(a)\nl = a[0] + a[2]\nw = a if a != 0 else 7",
                "a = A[0]", "c = C[0], m = M[0], r = R[0], l = L[0], w = W[0]", NULL);
}

static void complex_roots(struct corner *c)
{
    corner_array(c, "complex64:2 A[1]", "-4 0  3 4", NULL);
    corner_array(c, "complex64:2 B[1]", "4*0", "0 2  2 1");
    corner_array(c, "complex64:2 E[1]", "4*0", "0.018315639 0  -13.128783 -15.200784");
    corner_body(corner_state(c), NULL, "b = sqrt(a)\ne = exp(a)", "a = A[0]", "b = B[0], e = E[0]", NULL);
    c->rtol = "1e-5";
}

/* Many threads add to one vector, and to one number. */
static void complex_sums(struct corner *c)
{
    corner_array(c, "complex64:2 V[1]", "1 0  0 1", "20001 40000  0 60001");
    corner_array(c, "complex64 T[1]", "100 0", "20100 100000");
    corner_array(c, "complex64:2 U[1]", "1 2  0 3", NULL);
    struct corner_body b =
        corner_body(corner_state(c), "i = 0:20000", "v = u\nt = u", "u = U[0]", "v = V[0], t = T[0]", sum);
    struct connector *t = &b.tasklet->node.out_conns.items[1];
    t->type = sdfg_find_container(c->s, "U")->type;
    t->inferred = false;
    corner_schedule(&b, SCHEDULE_CPU_MULTICORE);
}

/* From memory to registers and elsewhere, in a nested SDFG and through captured variables of a region. */
static void complex_copies(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_array(c, "complex64:2 A[3]", "0:12", NULL);
    corner_array(c, "complex64:2 B[3]", "12*0", "8:12 4:8 0:4");
    corner_array(c, "complex128:2 D[3]", "12*0", "0:12");
    build_transient(c->s, "T", "complex64", "3")->type = sdfg_find_container(c->s, "A")->type;
    struct access *t = build_access(st, "T");
    build_edge(&build_access(st, "A")->node, NULL, &t->node, NULL, "A[0:3] -> [0:3]", NULL);
    struct map_entry *m = build_map(st, "turn", "i = 0:3");
    struct tasklet *turn = build_tasklet(st, "turn", "a", "b", "b = a");
    build_path("T[i]", NULL, NULL, "a", &t->node, &m->node, &turn->node, NULL);
    build_path("B[2 - i]", NULL, "b", NULL, &turn->node, m->exit, &build_access(st, "B")->node, NULL);
    m->schedule = enum_builtin(c->ir, SCHEDULE_CPU_MULTICORE);
    corner_copy(corner_state(c), "A", "D", "A[0:3] -> [0:3]");
}

/* A vector whose length is the machine's: one element at a time here. */
static void vectors_of_the_machine(struct corner *c)
{
    corner_array(c, "float32 A[10]", "0:10", NULL);
    corner_array(c, "float32 B[10]", "10*0", "1 3 5 7 9 11 13 15 17 19");
    struct corner_body b = corner_body(corner_state(c), "i = 0:10", "b = 2 * a + 1", "a = A[i]", "b = B[i]", NULL);
    corner_schedule(&b, SCHEDULE_SVE_MAP);
    b.tasklet->node.in_conns.items[0].type = b.tasklet->node.out_conns.items[0].type =
        type_vector(c->ir, type_by_name(c->ir, "float32"), 0, "SVE_LEN");
}

/* As DaCe writes it: subsets of as many elements as the machine's vectors have, and one more; a symbol that no SDFG
 * declares and no caller gives. */
static void vectors_in_subsets(struct corner *c)
{
    corner_array(c, "float32 A[10]", "0:10", NULL);
    corner_array(c, "float32 B[10]", "10*0", "1 3 5 7 9 11 13 15 17 19");
    corner_array(c, "float32 S[1]", "4", "104");
    struct state *st = corner_state(c);
    struct corner_body bodies[] = {
        corner_body(st, "i = 0:10", "b = 2 * a + 1 if a > 0 else 1", "a = A[i:i + __dace_sve_len + 1]",
                    "b = B[i:i + __dace_sve_len + 1]", NULL),
        corner_body(st, "i = 0:10", "s = 2 * a + 1", "a = A[i:i + __dace_sve_len + 1]", "s = S[0]",
                    "lambda x, y: x + y"),
    };
    for (int i = 0; i < 2; i++) {
        struct node *n = &bodies[i].tasklet->node;
        corner_schedule(&bodies[i], SCHEDULE_SVE_MAP);
        n->in_conns.items[0].type = n->out_conns.items[0].type =
            type_vector(c->ir, type_by_name(c->ir, "float32"), 0, SDFG_LANES);
    }
}

/* O = f(A) for containers of a narrow type, which files cannot hold. */
static void narrow(struct corner *c, const char *type, const char *name, const char *code, const char *in,
                   const char *out)
{
    struct arena *a = c->ir->arena;
    const char *x = arena_printf(a, "%s_x", name), *y = arena_printf(a, "%s_y", name);
    const char *from = arena_printf(a, "%s_in", name), *to = arena_printf(a, "%s_out", name);
    corner_array(c, arena_printf(a, "float64 %s[6]", from), in, NULL);
    corner_array(c, arena_printf(a, "float64 %s[6]", to), "6*0", out);
    build_transient(c->s, x, type, "6");
    build_transient(c->s, y, type, "6");
    corner_copy(corner_state(c), from, x, arena_printf(a, "%s[0:6]", from));
    corner_body(corner_state(c), "i = 0:6", code, arena_printf(a, "x = %s[i]", x), arena_printf(a, "y = %s[i]", y),
                NULL);
    corner_copy(corner_state(c), y, to, arena_printf(a, "%s[0:6]", y));
}

/* Arithmetic in float32, rounded to nearest even when stored: 2048 + 1 is a tie in float16, 256 + 1 in bfloat16. */
static void narrow_floats(struct corner *c)
{
    narrow(c, "float16", "half", "y = x + 1", "2048 2050 0.1 65504 65520 -1", "2048 2052 1.099609375 65504 inf 0");
    narrow(c, "bfloat16", "brain", "y = x + 1", "256 258 0.1 -1 1e39 0.0078125", "256 260 1.1015625 0 inf 1.0078125");
    narrow(c, "bfloat16", "once", "y = x * x - x", "3 1.0078125 16 0 -2 255", "6 0.00787353515625 240 0 6 64768");
}

/* What is too large is no number in e4m3fn, which has no infinity, and infinite in e5m2. */
static void narrowest_floats(struct corner *c)
{
    narrow(c, "float8_e4m3fn", "many", "y = 3 * x", "1 17 0.3 448 -448 0.001953125", "3 48 0.9375 nan nan 0.005859375");
    narrow(c, "float8_e4m3fn", "stored", "y = x", "449 464 465 -1000 0.0009765625 19", "448 448 nan nan 0 20");
    narrow(c, "float8_e5m2", "few", "y = 3 * x", "1 17 0.3 57344 -57344 0.0000152587890625",
           "3 48 1 inf -inf 0.0000457763671875");
}

/* Every addition rounds: from 16 on, 1 does not change a float8_e4m3fn any more. */
static void narrow_sums(struct corner *c)
{
    static const char *const types[] = { "float8_e4m3fn", "bfloat16", "float8_e5m2" };
    corner_array(c, "float64 R[3]", "0 0 0", "16 256 49152");
    struct state *clear = corner_state(c), *add = corner_state(c), *largest = corner_state(c), *end = corner_state(c);
    for (int i = 0; i < 3; i++) {
        struct arena *a = c->ir->arena;
        build_transient(c->s, arena_printf(a, "T%d", i), types[i], "1");
        corner_body(clear, NULL, "o = 0", NULL, arena_printf(a, "o = T%d[0]", i), NULL);
        struct corner_body b =
            corner_body(i < 2 ? add : largest, i < 2 ? "i = 0:1000" : "i = 0:50000", i < 2 ? "o = 1" : "o = i", NULL,
                        arena_printf(a, "o = T%d[0]", i), i < 2 ? sum : "lambda x, y: max(x, y)");
        corner_schedule(&b, i < 2 ? SCHEDULE_SEQUENTIAL : SCHEDULE_CPU_MULTICORE);
        corner_body(end, NULL, "o = v", arena_printf(a, "v = T%d[0]", i), arena_printf(a, "o = R[%d]", i), NULL);
    }
}

/* Vectors of narrow floats; each lane is rounded like a number. */
static void narrow_vectors(struct corner *c)
{
    corner_array(c, "float16:4 A[1]", "2048 2050 0.5 -1", NULL);
    corner_array(c, "float16:4 B[1]", "4*0", "2048 2052 1.5 0");
    corner_array(c, "float32:2 D[1]", "256 258", NULL);
    corner_array(c, "float32:2 E[1]", "2*0", "256 260");
    build_transient(c->s, "T", "bfloat16", "1")->type = type_vector(c->ir, type_by_name(c->ir, "bfloat16"), 2, NULL);
    corner_body(corner_state(c), NULL, "b = a + 1\nt = d + 1", "a = A[0], d = D[0]", "b = B[0], t = T[0]", NULL);
    corner_body(corner_state(c), NULL, "e = t", "t = T[0]", "e = E[0]", NULL);
}

/* A text is the address of its characters. */
static void text_argument(struct corner *c)
{
    corner_array(c, "int8 B[4]", "4*0", "115 100 102 103");
    corner_array(c, "int64 N[1]", "0", "4");
    build_scalar(c->s, "S", "int8")->type = type_basic(c->ir, TYPE_STRING);
    corner_entry(c, "{\"name\": \"S\", \"kind\": \"string\", \"dtype\": \"string\", \"in\": \"sdfg\"}");
    struct corner_body b =
        corner_body(corner_state(c), NULL, "for (int k = 0; k < 4; k++) b[k] = s[k];", "s = S[0]", "b = B[0:4]", NULL);
    b.tasklet->code.language = enum_builtin(c->ir, LANGUAGE_CPP);
    b = corner_body(corner_state(c), NULL, "int k = 0; while (s[k]) k++; n = k;", "s = S[0]", "n = N[0]", NULL);
    b.tasklet->code.language = enum_builtin(c->ir, LANGUAGE_CPP);
}

const struct corner_row corner_types[] = {
    { "type_complex_vectors", complex_vectors, false },
    { "type_complex_lanes", complex_lanes, false },
    { "type_complex_roots", complex_roots, false },
    { "type_complex_sums", complex_sums, false },
    { "type_complex_copies", complex_copies, false },
    { "type_vectors_of_the_machine", vectors_of_the_machine, false },
    { "type_vectors_in_subsets", vectors_in_subsets, false },
    { "type_narrow_floats", narrow_floats, false },
    { "type_narrowest_floats", narrowest_floats, false },
    { "type_narrow_sums", narrow_sums, false },
    { "type_narrow_vectors", narrow_vectors, false },
    { "type_text", text_argument, false },
    { NULL, NULL, false },
};
