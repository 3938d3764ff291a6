/* standard.Reduce. */
#include "tests/run/generate/generate.h"

#include <math.h>
#include <stdlib.h>

#define REDUCE "dace.libraries.standard.nodes.reduce.Reduce"

typedef double complex fold(double complex old, double complex value);

static double complex fold_sum(double complex a, double complex b) { return a + b; }
static double complex fold_product(double complex a, double complex b) { return a * b; }
static double complex fold_min(double complex a, double complex b) { return fmin(creal(a), creal(b)); }
static double complex fold_max(double complex a, double complex b) { return fmax(creal(a), creal(b)); }
static double complex fold_and(double complex a, double complex b) { return creal(a) != 0 && creal(b) != 0; }
static double complex fold_or(double complex a, double complex b) { return creal(a) != 0 || creal(b) != 0; }
static double complex fold_bits(double complex a, double complex b) { return (double)((int)creal(a) ^ (int)creal(b)); }
static double complex fold_horner(double complex a, double complex b) { return 2 * a + b; }

#define SUM     "(lambda a, b: (a + b))"
#define PRODUCT "(lambda a, b: (a * b))"
#define MIN     "(lambda a, b: min(a, b))"
#define MAX     "(lambda a, b: max(a, b))"

/* out (of rank at most 3) = fold over the marked dimensions of `in`, starting from its current contents. */
static void reduce(const struct gen_array *in, const bool *reduced, const struct gen_array *out, fold *f)
{
    int64_t index[GEN_MAX_RANK] = { 0 };
    for (int64_t n = 0; n < in->count; n++) {
        int64_t rest = n, at = 0;
        for (int d = in->rank - 1; d >= 0; d--) {
            index[d] = rest % in->shape[d];
            rest /= in->shape[d];
        }
        for (int d = 0; d < in->rank; d++)
            if (!reduced[d])
                at = at * in->shape[d] + index[d];
        out->out[at] = f(out->out[at], in->in[n]);
    }
}

static void start(const struct gen_array *out, double complex value)
{
    for (int64_t i = 0; i < out->count; i++)
        out->out[i] = value;
}

/* The dimensions "4, 5, 6" of a row-major container, the marked ones reduced. */
static void axes(const char *name, const char *type, const char *list, const bool *reduced, const char *shape)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "4, 5, 6", NULL), *r = gen_array(g, "R", type, shape, NULL);
    gen_node(g, REDUCE, arena_printf(g->ir->arena, "{\"wcr\": \"" SUM "\", \"axes\": %s, \"identity\": \"0\"}", list),
             "= A", "= R", NULL);
    start(r, 0);
    reduce(a, reduced, r, fold_sum);
    gen_end(g);
}

/* All of a 6 x 7 matrix along its second dimension. */
static void operation(const char *name, const char *type, const char *wcr, const char *identity, double complex first,
                      fold *f)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "6, 7", NULL), *r = gen_array(g, "R", type, "6", NULL);
    gen_node(g, REDUCE,
             arena_printf(g->ir->arena, "{\"wcr\": \"%s\", \"axes\": [1], \"identity\": \"%s\"}", wcr, identity), "= A",
             "= R", NULL);
    start(r, first);
    reduce(a, (const bool[]){ false, true }, r, f);
    gen_end(g);
}

/* Without identity the old contents take part. */
static void accumulates(const char *name, const char *list, const bool *reduced, const char *shape, const char *wcr)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", "6, 7", NULL), *r = gen_array(g, "R", "float64", shape, NULL);
    gen_node(g, REDUCE, arena_printf(g->ir->arena, "{\"wcr\": \"" SUM "\", \"axes\": %s}", list), "= A", "= R", wcr);
    reduce(a, reduced, r, fold_sum);
    gen_end(g);
}

/* The result of the node is combined with the old contents as the edge says. */
static void resolved(void)
{
    struct gen *g = gen_begin("reduce_resolved_max");
    struct gen_array *a = gen_array(g, "A", "float64", "6, 7", NULL), *r = gen_array(g, "R", "float64", "6", NULL);
    gen_node(g, REDUCE, "{\"wcr\": \"" SUM "\", \"axes\": [1], \"identity\": \"0\"}", "= A", "= R", MAX);
    start(r, 0);
    reduce(a, (const bool[]){ false, true }, r, fold_sum);
    for (int i = 0; i < 6; i++)
        r->out[i] = fold_max(r->in[i], r->out[i]);
    gen_end(g);
}

/* Every second element of a part, into a part of a result with gaps. */
static void parts(void)
{
    struct gen *g = gen_begin("reduce_parts_with_steps");
    struct gen_array *a = gen_array(g, "A", "float64", "8, 9", NULL), *r = gen_array(g, "R", "float64", "5, 3", NULL);
    gen_node(g, REDUCE, "{\"wcr\": \"" SUM "\", \"axes\": [0], \"identity\": \"0\"}", "= A[1:8:3, 2:9:2]",
             "= R[0:4, 1]", NULL);
    for (int j = 0; j < 4; j++) {
        GEN_OUT(r, j, 1) = 0;
        for (int i = 1; i < 8; i += 3)
            GEN_OUT(r, j, 1) += GEN_IN(a, i, 2 + 2 * j);
    }
    gen_end(g);
}

/* Reduced dimensions of extent 1 drop out; if nothing is left the node copies, whatever the identity. */
static void degenerate(const char *name, const char *list, const char *identity)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", "5, 1", NULL), *r = gen_array(g, "R", "float64", "5", NULL);
    gen_node(g, REDUCE, arena_printf(g->ir->arena, "{\"wcr\": \"" SUM "\", \"axes\": %s%s}", list, identity), "= A",
             "= R", NULL);
    for (int i = 0; i < 5; i++)
        r->out[i] = a->in[i];
    gen_end(g);
}

/* A custom function that depends on the order: row-major, as one thread would go. */
static void ordered(const char *name, const char *list, const bool *reduced, const char *shape)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "int64", "5, 9", NULL), *r = gen_array(g, "R", "int64", shape, NULL);
    gen_node(g, REDUCE,
             arena_printf(g->ir->arena,
                          "{\"wcr\": \"(lambda a, b: ((2 * a) + b))\", \"axes\": %s, \"identity\": \"1\"}", list),
             "= A", "= R", NULL);
    start(r, 1);
    reduce(a, reduced, r, fold_horner);
    gen_end(g);
}

static void types(const char *name, const char *from, const char *to)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", from, "3, 50", NULL), *r = gen_array(g, "R", to, "3", NULL);
    gen_node(g, REDUCE, "{\"wcr\": \"" SUM "\", \"axes\": [-1], \"identity\": \"0\"}", "= A", "= R", NULL);
    start(r, 0);
    reduce(a, (const bool[]){ false, true }, r, fold_sum);
    for (int64_t i = 0; i < r->count && r->dtype == SDFG_BOOL; i++)
        r->out[i] = creal(r->out[i]) != 0;
    gen_end(g);
}

static void nothing(const char *name, int64_t rows, int64_t columns)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "M", rows);
    gen_symbol(g, "N", columns);
    gen_array(g, "A", "float64", "M, N", NULL);
    struct gen_array *r = gen_array(g, "R", "float64", "M", NULL);
    gen_node(g, REDUCE, "{\"wcr\": \"" MAX "\", \"axes\": [1], \"identity\": \"-3.5\"}", "= A", "= R", NULL);
    start(r, -3.5);
    gen_end(g);
}

/* Large enough for threads: a transient filled here with (37 i + 11 j) mod 101. */
static void large(const char *name, const char *type, const char *list, const char *shape, int reduced, const char *wcr,
                  const char *identity, double complex first, fold *f)
{
    enum { ROWS = 700, COLUMNS = 900 };
    struct gen *g = gen_begin(name);
    build_transient(g->sdfg, "A", type, "700, 900");
    struct gen_array *r = gen_array(g, "R", type, shape, NULL);
    struct access *a = build_access(g->state, "A");
    struct map_entry *m = build_map(g->state, "fill", "i = 0:700, j = 0:900");
    struct tasklet *t = build_tasklet(g->state, "fill", NULL, "a", "a = (37 * i + 11 * j) % 101");
    build_edge(&m->node, NULL, &t->node, NULL, NULL, NULL);
    build_path("A[i, j]", NULL, "a", NULL, &t->node, m->exit, &a->node, NULL);
    struct library *n = build_library(
        g->state, "node", REDUCE, NULL, NULL,
        arena_printf(g->ir->arena, "{\"wcr\": \"%s\", \"axes\": %s, \"identity\": \"%s\"}", wcr, list, identity));
    build_edge(&a->node, NULL, &n->node, NULL, "A", NULL);
    build_edge(&n->node, NULL, &build_access(g->state, "R")->node, NULL, "R", NULL);
    start(r, first);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double complex *to = &r->out[reduced == 2 ? 0 : reduced == 1 ? i : j];
            *to = f(*to, (37 * i + 11 * j) % 101);
        }
    gen_end(g);
}

void gen_reductions(void)
{
    axes("reduce_inner", "float64", "[2]", (const bool[]){ false, false, true }, "4, 5");
    axes("reduce_outer", "float64", "[0]", (const bool[]){ true, false, false }, "5, 6");
    axes("reduce_middle", "float32", "[1]", (const bool[]){ false, true, false }, "4, 6");
    axes("reduce_two_inner", "float64", "[2, 1]", (const bool[]){ false, true, true }, "4");
    axes("reduce_two_outer", "int32", "[0, 1]", (const bool[]){ true, true, false }, "6");
    axes("reduce_around", "complex64", "[0, 2]", (const bool[]){ true, false, true }, "5");
    axes("reduce_all", "float64", "null", (const bool[]){ true, true, true }, "1");
    axes("reduce_negative_axis", "float64", "[-2]", (const bool[]){ false, true, false }, "4, 6");
    axes("reduce_kept_dimensions", "float64", "[1]", (const bool[]){ false, true, false }, "4, 1, 6");
    operation("reduce_product", "float64", PRODUCT, "1", 1, fold_product);
    operation("reduce_min", "float64", MIN, "inf", INFINITY, fold_min);
    operation("reduce_max_lowest", "float32", MAX, "-3.4028234663852886e+38", -3.4028234663852886e+38, fold_max);
    operation("reduce_max_int8", "int8", MAX, "-128", -128, fold_max);
    operation("reduce_and", "bool", "(lambda a, b: (a and b))", "True", 1, fold_and);
    operation("reduce_or", "bool", "(lambda a, b: (a or b))", "False", 0, fold_or);
    operation("reduce_bits", "uint16", "(lambda a, b: (a ^ b))", "5", 5, fold_bits);
    operation("reduce_complex_identity", "complex128", SUM, "1.5", 1.5, fold_sum);
    accumulates("reduce_accumulates", "[1]", (const bool[]){ false, true }, "6", NULL);
    accumulates("reduce_accumulates_all", "null", (const bool[]){ true, true }, "1", NULL);
    accumulates("reduce_accumulates_resolved", "[0]", (const bool[]){ true, false }, "7", SUM);
    resolved();
    parts();
    degenerate("reduce_axis_of_one", "[1]", "");
    degenerate("reduce_no_axes", "[]", ", \"identity\": \"100\"");
    ordered("reduce_custom_rows", "[1]", (const bool[]){ false, true }, "5");
    ordered("reduce_custom_columns", "[0]", (const bool[]){ true, false }, "9");
    ordered("reduce_custom_all", "null", (const bool[]){ true, true }, "1");
    types("reduce_bytes_to_int64", "int8", "int64");
    types("reduce_float16", "float16", "float16");
    types("reduce_float_to_double", "float32", "float64");
    types("reduce_integer_to_float", "int32", "float32");
    types("reduce_bool_sum", "bool", "bool");
    types("reduce_bool_count", "bool", "int64");
    nothing("reduce_nothing", 3, 0);
    nothing("reduce_no_results", 0, 3);
    large("reduce_large_all", "float64", "null", "1", 2, SUM, "0", 0, fold_sum);
    large("reduce_large_all_max", "int32", "null", "1", 2, MAX, "-1", -1, fold_max);
    large("reduce_large_rows", "float32", "[1]", "700", 1, SUM, "0", 0, fold_sum);
    large("reduce_large_columns", "float64", "[0]", "900", 0, SUM, "0", 0, fold_sum);
    large("reduce_large_columns_max", "int16", "[0]", "900", 0, MAX, "-1", -1, fold_max);
}
