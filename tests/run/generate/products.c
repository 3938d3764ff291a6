/* blas.MatMul, Gemm, Gemv, BatchedMatMul. */
#include "tests/run/generate/generate.h"

#include <math.h>

#define MATMUL  "dace.libraries.blas.nodes.matmul.MatMul"
#define GEMM    "dace.libraries.blas.nodes.gemm.Gemm"
#define GEMV    "dace.libraries.blas.nodes.gemv.Gemv"
#define BATCHED "dace.libraries.blas.nodes.batched_matmul.BatchedMatMul"
#define SUM     "(lambda a, b: (a + b))"

/* c = alpha a b + beta addend over whole arrays; `addend` may be NULL. */
static void product(const struct gen_array *a, const struct gen_array *b, const struct gen_array *c,
                    double complex alpha, const double complex *addend, double complex beta)
{
    for (int64_t i = 0; i < a->shape[0]; i++)
        for (int64_t j = 0; j < b->shape[1]; j++) {
            double complex sum = 0;
            for (int64_t k = 0; k < a->shape[1]; k++)
                sum += GEN_IN(a, i, k) * GEN_IN(b, k, j);
            GEN_OUT(c, i, j) = alpha * sum + (addend ? beta * addend[gen_at(c, (const int64_t[]){ i, j })] : 0);
        }
}

static void gemm_separate(void)
{
    struct gen *g = gen_begin("gemm_beta_of_another_container");
    struct gen_array *a = gen_array(g, "A", "float64", "5, 6", NULL), *b = gen_array(g, "B", "float64", "6, 4", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "5, 4", NULL), *d = gen_array(g, "D", "float64", "5, 4", NULL);
    gen_node(g, GEMM, "{\"alpha\": 2, \"beta\": 3}", "_a = A, _b = B, _c = D", "_c = C", NULL);
    product(a, b, c, 2, d->in, 3);
    gen_end(g);
}

static void gemm_through_output(void)
{
    struct gen *g = gen_begin("gemm_beta_without_input");
    struct gen_array *a = gen_array(g, "A", "float32", "5, 6", NULL), *b = gen_array(g, "B", "float32", "6, 4", NULL);
    struct gen_array *c = gen_array(g, "C", "float32", "5, 4", NULL);
    gen_node(g, GEMM, "{\"beta\": 0.5, \"cin\": false}", "_a = A, _b = B", "_c = C", NULL);
    product(a, b, c, 1, c->in, 0.5);
    gen_end(g);
}

/* The addend is another region of the container that holds the result. */
static void gemm_other_region(void)
{
    struct gen *g = gen_begin("gemm_beta_of_another_region");
    struct gen_array *a = gen_array(g, "A", "float64", "3, 2", NULL), *b = gen_array(g, "B", "float64", "2, 4", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "2, 3, 4", NULL);
    gen_node(g, GEMM, "{\"beta\": 2}", "_a = A, _b = B, _c = C[0, 0:3, 0:4]", "_c = C[1, 0:3, 0:4]", NULL);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            GEN_OUT(c, 1, i, j) =
                GEN_IN(a, i, 0) * GEN_IN(b, 0, j) + GEN_IN(a, i, 1) * GEN_IN(b, 1, j) + 2 * GEN_IN(c, 0, i, j);
    gen_end(g);
}

/* Both flags, a column-major operand, every second column of the other, and a result whose elements lie apart; large
 * enough for a library call. */
static void gemm_layouts(void)
{
    struct gen *g = gen_begin("gemm_transposed_strided");
    struct gen_array *a = gen_array(g, "A", "float64", "12, 14", "1, 12");
    struct gen_array *b = gen_array(g, "B", "float64", "10, 24", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "14, 10", "30, 3");
    gen_node(g, GEMM, "{\"transA\": true, \"transB\": true, \"alpha\": -1}", "_a = A, _b = B[0:10, 0:24:2]", "_c = C",
             NULL);
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 10; j++) {
            GEN_OUT(c, i, j) = 0;
            for (int k = 0; k < 12; k++)
                GEN_OUT(c, i, j) -= GEN_IN(a, k, i) * GEN_IN(b, j, 2 * k);
        }
    gen_end(g);
}

static void gemm_complex(const char *name, const char *type, const char *size)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "N", size[0] == '1' ? 12 : 3);
    struct gen_array *a = gen_array(g, "A", type, "N, N", NULL), *b = gen_array(g, "B", type, "N, N", NULL);
    struct gen_array *c = gen_array(g, "C", type, "N, N", NULL);
    gen_node(g, GEMM, "{\"alpha\": \"(1+2j)\", \"beta\": \"(-1-1j)\"}", "_a = A, _b = B, _c = C", "_c = C", NULL);
    product(a, b, c, 1 + 2 * I, c->in, -1 - I);
    gen_end(g);
}

static void gemm_symbolic(void)
{
    struct gen *g = gen_begin("gemm_symbolic_scalars");
    gen_symbol(g, "p", 3);
    gen_symbol(g, "q", -2);
    struct gen_array *a = gen_array(g, "A", "float64", "4, 3", NULL), *b = gen_array(g, "B", "float64", "3, 5", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "4, 5", NULL);
    gen_node(g, GEMM, "{\"alpha\": \"$p\", \"beta\": \"$q + 1\"}", "_a = A, _b = B, _c = C", "_c = C", NULL);
    product(a, b, c, 3, c->in, -1);
    gen_end(g);
}

/* A factor that the element type cannot hold multiplies the sums all the same; storing cuts the fraction off. */
static void gemm_fraction(void)
{
    struct gen *g = gen_begin("gemm_integers_fraction");
    struct gen_array *a = gen_array(g, "A", "int32", "4, 3", NULL), *b = gen_array(g, "B", "int32", "3, 5", NULL);
    struct gen_array *c = gen_array(g, "C", "int32", "4, 5", NULL);
    gen_node(g, GEMM, "{\"alpha\": 1.5, \"beta\": 2}", "_a = A, _b = B, _c = C", "_c = C", NULL);
    product(a, b, c, 1.5, c->in, 2);
    for (int64_t i = 0; i < c->count; i++)
        c->out[i] = trunc(creal(c->out[i]));
    gen_end(g);
}

static void gemm_type(const char *name, const char *ta, const char *tb, const char *tc)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", ta, "6, 40", NULL), *b = gen_array(g, "B", tb, "40, 5", NULL);
    struct gen_array *c = gen_array(g, "C", tc, "6, 5", NULL);
    gen_node(g, GEMM, "{\"alpha\": 3, \"beta\": 1}", "_a = A, _b = B, _c = C", "_c = C", NULL);
    product(a, b, c, 3, c->in, 1);
    gen_end(g);
}

static void gemm_truth(void)
{
    struct gen *g = gen_begin("gemm_bool");
    struct gen_array *a = gen_array(g, "A", "bool", "6, 4", NULL), *b = gen_array(g, "B", "bool", "4, 5", NULL);
    struct gen_array *c = gen_array(g, "C", "bool", "6, 5", NULL);
    gen_node(g, GEMM, NULL, "_a = A, _b = B", "_c = C", NULL);
    product(a, b, c, 1, NULL, 0);
    for (int64_t i = 0; i < c->count; i++)
        c->out[i] = creal(c->out[i]) != 0;
    gen_end(g);
}

/* Without summed elements the result is beta times the addend. */
static void gemm_empty(const char *name, int64_t m, int64_t k, const char *attributes, double beta)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "M", m);
    gen_symbol(g, "K", k);
    struct gen_array *a = gen_array(g, "A", "float64", "M, K", NULL), *b = gen_array(g, "B", "float64", "K, 3", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "M, 3", NULL);
    gen_node(g, GEMM, attributes, beta != 0 ? "_a = A, _b = B, _c = C" : "_a = A, _b = B", "_c = C", NULL);
    product(a, b, c, 1, c->in, beta);
    gen_end(g);
}

static void gemm_resolved(const char *name, const char *wcr, double complex (*resolve)(double complex, double complex))
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", "4, 3", NULL), *b = gen_array(g, "B", "float64", "3, 5", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "4, 5", NULL);
    gen_node(g, GEMM, "{\"alpha\": 2}", "_a = A, _b = B", "_c = C", wcr);
    product(a, b, c, 2, NULL, 0);
    for (int64_t i = 0; i < c->count; i++)
        c->out[i] = resolve(c->in[i], c->out[i]);
    gen_end(g);
}

static double complex resolve_sum(double complex a, double complex b) { return a + b; }
static double complex resolve_max(double complex a, double complex b) { return fmax(creal(a), creal(b)); }

/* Iterations of a parallel map add their products to one matrix. */
static void gemm_conflict(void)
{
    struct gen *g = gen_begin("gemm_conflict_in_map");
    struct gen_array *a = gen_array(g, "A", "float64", "24, 4, 3", NULL);
    struct gen_array *b = gen_array(g, "B", "float64", "3, 5", NULL), *c = gen_array(g, "C", "float64", "4, 5", NULL);
    struct access *in_a = build_access(g->state, "A"), *in_b = build_access(g->state, "B");
    struct access *out = build_access(g->state, "C");
    struct map_entry *m = build_map(g->state, "stack", "t = 0:24");
    struct library *n = build_library(g->state, "node", GEMM, "_a, _b", "_c", NULL);
    build_path("A[t, 0:4, 0:3]", NULL, NULL, "_a", &in_a->node, &m->node, &n->node, NULL);
    build_path("B[0:3, 0:5]", NULL, NULL, "_b", &in_b->node, &m->node, &n->node, NULL);
    build_path("C[0:4, 0:5]", SUM, "_c", NULL, &n->node, m->exit, &out->node, NULL);
    for (int t = 0; t < 24; t++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 5; j++)
                for (int k = 0; k < 3; k++)
                    GEN_OUT(c, i, j) += GEN_IN(a, t, i, k) * GEN_IN(b, k, j);
    gen_end(g);
}

/* A slice of a container of higher rank, seen through a view with another shape. */
static void matmul_view(void)
{
    struct gen *g = gen_begin("matmul_slice_and_view");
    struct gen_array *a = gen_array(g, "A", "float64", "2, 4, 3", NULL), *b = gen_array(g, "B", "float64", "15", NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "4, 5", NULL);
    build_view(g->sdfg, "V", "float64", "3, 5");
    struct access *in_b = build_access(g->state, "B"), *view = build_access(g->state, "V");
    struct library *n = build_library(g->state, "node", MATMUL, "_a, _b", "_c", NULL);
    build_edge(&in_b->node, NULL, &view->node, "views", "B", NULL);
    build_edge(&view->node, NULL, &n->node, "_b", "V", NULL);
    build_edge(&build_access(g->state, "A")->node, NULL, &n->node, "_a", "A[1, 0:4, 0:3]", NULL);
    build_edge(&n->node, "_c", &build_access(g->state, "C")->node, NULL, "C", NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) {
            GEN_OUT(c, i, j) = 0;
            for (int k = 0; k < 3; k++)
                GEN_OUT(c, i, j) += GEN_IN(a, 1, i, k) * b->in[5 * k + j];
        }
    gen_end(g);
}

/* Products of matrices and vectors in every combination, with factors. `columns` of the operands are their shapes'
 * text. */
static void matmul_shapes(const char *name, const char *shape_a, const char *shape_b, const char *shape_c, int64_t m,
                          int64_t k, int64_t n)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", shape_a, NULL), *b = gen_array(g, "B", "float64", shape_b, NULL);
    struct gen_array *c = gen_array(g, "C", "float64", shape_c, NULL);
    gen_node(g, MATMUL, "{\"alpha\": 2, \"beta\": -1}", "_a = A, _b = B", "_c = C", NULL);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double complex sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += a->in[i * k + p] * b->in[p * n + j];
            c->out[i * n + j] = 2 * sum - c->in[i * n + j];
        }
    gen_end(g);
}

static void gemv(const char *name, const char *type, bool transposed, bool addend, const char *wcr)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "20, 30", "32, 1");
    struct gen_array *x = gen_array(g, "x", type, transposed ? "40" : "60", NULL);
    struct gen_array *y = gen_array(g, "y", type, transposed ? "30, 2" : "20, 2", NULL);
    int m = transposed ? 30 : 20, n = transposed ? 20 : 30;
    struct gen_array *z = addend ? gen_array(g, "z", type, transposed ? "30" : "20", NULL) : NULL;
    const char *flags =
        transposed ? "{\"transA\": true, \"alpha\": \"2\", \"beta\": \"3\"}" : "{\"alpha\": \"2\", \"beta\": \"3\"}";
    if (!addend)
        flags = transposed ? "{\"transA\": true, \"alpha\": \"2\"}" : "{\"alpha\": \"2\"}";
    const char *inputs = transposed ? "_A = A, _x = x[0:40:2]" : "_A = A, _x = x[0:60:2]";
    if (addend)
        inputs = transposed ? "_A = A, _x = x[0:40:2], _y = z" : "_A = A, _x = x[0:60:2], _y = z";
    gen_node(g, GEMV, flags, inputs, transposed ? "_y = y[0:30, 1]" : "_y = y[0:20, 1]", wcr);
    for (int i = 0; i < m; i++) {
        double complex sum = 0;
        for (int k = 0; k < n; k++)
            sum += (transposed ? GEN_IN(a, k, i) : GEN_IN(a, i, k)) * x->in[2 * k];
        GEN_OUT(y, i, 1) = 2 * sum + (addend ? 3 * z->in[i] : 0) + (wcr ? GEN_IN(y, i, 1) : 0);
    }
    gen_end(g);
}

/* Stacks: dimensions of extent 1 stretch, shorter lists are aligned at the right. */
static void batched(const char *name, const char *class, const char *shape_a, const char *shape_b,
                    const char *attributes, double alpha, double beta)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", "float64", shape_a, NULL), *b = gen_array(g, "B", "float64", shape_b, NULL);
    struct gen_array *c = gen_array(g, "C", "float64", "2, 3, 4, 6", NULL);
    gen_node(g, class, attributes, "_a = A, _b = B", "_c = C", NULL);
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 3; t++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 6; j++) {
                    int64_t ia[4] = { s, t, i, 0 }, ib[4] = { s, t, 0, j };
                    for (int d = 0; d < 2; d++) {
                        ia[d] = a->rank > 3 - d && a->shape[a->rank - 4 + d] > 1 ? ia[d] : 0;
                        ib[d] = b->rank > 3 - d && b->shape[b->rank - 4 + d] > 1 ? ib[d] : 0;
                    }
                    double complex sum = 0;
                    for (int k = 0; k < 5; k++) {
                        ia[3] = ib[2] = k;
                        sum += a->in[gen_at(a, ia + 4 - a->rank)] * b->in[gen_at(b, ib + 4 - b->rank)];
                    }
                    GEN_OUT(c, s, t, i, j) = alpha * sum + beta * GEN_IN(c, s, t, i, j);
                }
    gen_end(g);
}

static void batched_transposed(void)
{
    struct gen *g = gen_begin("batched_matmul_transposed");
    struct gen_array *a = gen_array(g, "A", "complex64", "3, 5, 4", NULL);
    struct gen_array *b = gen_array(g, "B", "complex64", "3, 6, 5", "40, 6, 1");
    struct gen_array *c = gen_array(g, "C", "complex64", "3, 4, 6", NULL);
    gen_node(g, BATCHED, "{\"transA\": true, \"transB\": true, \"alpha\": \"(0+1j)\"}", "_a = A, _b = B", "_c = C",
             NULL);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 6; j++) {
                GEN_OUT(c, s, i, j) = 0;
                for (int k = 0; k < 5; k++)
                    GEN_OUT(c, s, i, j) += I * GEN_IN(a, s, k, i) * GEN_IN(b, s, j, k);
            }
    gen_end(g);
}

void gen_products(void)
{
    gemm_separate();
    gemm_through_output();
    gemm_other_region();
    gemm_layouts();
    gemm_complex("gemm_complex128", "complex128", "12");
    gemm_complex("gemm_complex64", "complex64", "3");
    gemm_symbolic();
    gemm_fraction();
    gemm_type("gemm_int8", "int8", "int8", "int8");
    gemm_type("gemm_uint16", "uint16", "uint16", "uint16");
    gemm_type("gemm_int64", "int64", "int64", "int64");
    gemm_type("gemm_float16", "float16", "float16", "float16");
    gemm_type("gemm_mixed_floats", "float32", "float64", "float64");
    gemm_type("gemm_mixed_integer", "int32", "float32", "float64");
    gemm_type("gemm_mixed_complex", "float64", "complex128", "complex128");
    gemm_truth();
    gemm_empty("gemm_no_terms", 4, 0, "{\"beta\": 2}", 2);
    gemm_empty("gemm_no_terms_overwritten", 4, 0, NULL, 0);
    gemm_empty("gemm_no_rows", 0, 5, NULL, 0);
    gemm_resolved("gemm_resolved_sum", SUM, resolve_sum);
    gemm_resolved("gemm_resolved_max", "(lambda a, b: max(a, b))", resolve_max);
    gemm_conflict();
    matmul_view();
    matmul_shapes("matmul_matrices", "4, 5", "5, 3", "4, 3", 4, 5, 3);
    matmul_shapes("matmul_matrix_vector", "4, 5", "5", "4", 4, 5, 1);
    matmul_shapes("matmul_vector_matrix", "5", "5, 3", "3", 1, 5, 3);
    matmul_shapes("matmul_vectors", "5", "5", "1", 1, 5, 1);
    matmul_shapes("matmul_row_column", "1, 5", "5, 1", "1, 1", 1, 5, 1);
    matmul_shapes("matmul_column_row", "4, 1", "1, 3", "4, 3", 4, 1, 3);
    matmul_shapes("matmul_matrix_column", "4, 5", "5, 1", "4, 1", 4, 5, 1);
    matmul_shapes("matmul_row_matrix", "1, 5", "5, 3", "1, 3", 1, 5, 3);
    matmul_shapes("matmul_column_as_vector", "5, 1", "5, 3", "1, 3", 1, 5, 3);
    matmul_shapes("matmul_stack_vector", "2, 3, 5", "5", "2, 3", 6, 5, 1);
    matmul_shapes("matmul_stack_of_rows", "4, 1, 5", "5, 3", "4, 1, 3", 4, 5, 3);
    gemv("gemv_plain", "float64", false, false, NULL);
    gemv("gemv_beta", "float32", false, true, NULL);
    gemv("gemv_transposed_beta", "complex128", true, true, NULL);
    gemv("gemv_float16", "float16", true, false, NULL);
    gemv("gemv_resolved_sum", "float64", false, false, SUM);
    batched("batched_matmul_stretched", BATCHED, "2, 1, 4, 5", "1, 3, 5, 6", NULL, 1, 0);
    batched("batched_matmul_shorter", BATCHED, "3, 4, 5", "2, 3, 5, 6", "{\"alpha\": 2, \"beta\": 3}", 2, 3);
    batched("batched_matmul_matrix", MATMUL, "2, 3, 4, 5", "5, 6", "{\"alpha\": -1}", -1, 0);
    batched_transposed();
}
