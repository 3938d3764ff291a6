/* blas.Einsum, linalg.TensorDot, Transpose, TensorTranspose. */
#include "tests/run/generate/generate.h"

#include <math.h>
#include <string.h>

#define EINSUM           "dace.libraries.blas.nodes.einsum.Einsum"
#define TENSORDOT        "dace.libraries.linalg.nodes.tensordot.TensorDot"
#define TRANSPOSE        "dace.libraries.linalg.nodes.transpose.Transpose"
#define TENSOR_TRANSPOSE "dace.libraries.linalg.nodes.ttranspose.TensorTranspose"

/* ---- sums over labelled dimensions; one letter per dimension, extents by letter ---- */

static int64_t extent(char letter)
{
    switch (letter) {
    case 'i':
        return 3;
    case 'j':
        return 4;
    case 'k':
        return 5;
    case 'l':
        return 2;
    default:
        return 6;
    }
}

static int64_t index_of(const struct gen_array *a, const char *letters, const int64_t *values)
{
    int64_t index[GEN_MAX_RANK];
    for (int i = 0; i < a->rank; i++)
        index[i] = values[(unsigned char)letters[i]];
    return gen_at(a, index);
}

/* out += alpha * product for all values of all letters. */
static void sum_products(struct gen_array *const *in, const char *const *letters, int count, struct gen_array *out,
                         const char *out_letters, double complex alpha)
{
    char all[32] = "";
    int64_t values[256] = { 0 };
    size_t n = 0;
    for (int k = 0; k < count; k++)
        for (const char *p = letters[k]; *p; p++)
            if (!strchr(all, *p))
                all[n++] = *p;
    for (;;) {
        double complex product = alpha;
        for (int k = 0; k < count; k++)
            product *= in[k]->in[index_of(in[k], letters[k], values)];
        out->out[index_of(out, out_letters, values)] += product;
        size_t d = 0;
        while (d < n && ++values[(unsigned char)all[d]] == extent(all[d]))
            values[(unsigned char)all[d++]] = 0;
        if (d == n)
            return;
    }
}

static const char *shape_of(struct gen *g, const char *letters)
{
    const char *shape = "";
    for (const char *p = letters; *p; p++)
        shape = arena_printf(g->ir->arena, "%s%s%lld", shape, *shape ? ", " : "", (long long)extent(*p));
    return *shape ? shape : "1";
}

static const char *const in_names[] = { "A", "B", "C", "D" };

/* `attributes` are those beside the string; `written` is the string as the node has it. */
static void einsum(const char *name, const char *type, const char *written, const char *const *letters, int count,
                   const char *out_letters, const char *attributes, double complex alpha, double complex beta)
{
    struct gen *g = gen_begin(name);
    struct gen_array *in[4];
    const char *inputs = "";
    for (int k = 0; k < count; k++) {
        in[k] = gen_array(g, in_names[k], type, shape_of(g, letters[k]), NULL);
        inputs = arena_printf(g->ir->arena, "%s%s_in_%d = %s", inputs, k ? ", " : "", k, in_names[k]);
    }
    struct gen_array *out = gen_array(g, "R", type, shape_of(g, out_letters), NULL);
    gen_node(g, EINSUM, arena_printf(g->ir->arena, "{\"einsum_str\": \"%s\"%s}", written, attributes), inputs,
             "_out = R", NULL);
    for (int64_t i = 0; i < out->count; i++)
        out->out[i] = beta == 0 ? 0 : beta * out->in[i];
    sum_products(in, letters, count, out, out_letters, alpha);
    gen_end(g);
}

#define EINSUM_CASE(name, written, out, ...)                                                                           \
    einsum(name, "float64", written, (const char *const[]){ __VA_ARGS__ },                                             \
           (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)), out, "", 1, 0)

/* Operands follow the order of the connectors' names as text: _in_10 lies before _in_2. */
static void einsum_order(void)
{
    struct gen *g = gen_begin("einsum_operand_order");
    struct gen_array *a = gen_array(g, "A", "float64", "3, 5", NULL), *b = gen_array(g, "B", "float64", "5, 4", NULL);
    struct gen_array *r = gen_array(g, "R", "float64", "3, 4", NULL);
    gen_node(g, EINSUM, "{\"einsum_str\": \"ik,kj->ij\"}", "_in_2 = B, _in_10 = A", "_out = R", NULL);
    memset(r->out, 0, (size_t)r->count * sizeof *r->out);
    sum_products((struct gen_array *const[]){ a, b }, (const char *const[]){ "ik", "kj" }, 2, r, "ij", 1);
    gen_end(g);
}

/* Strided operands, of which one has a dimension of extent 1 that no letter names. */
static void einsum_strided(void)
{
    struct gen *g = gen_begin("einsum_strided_squeezed");
    struct gen_array *a = gen_array(g, "A", "float32", "2, 3, 10", NULL),
                     *b = gen_array(g, "B", "float32", "5, 4", "1, 6");
    struct gen_array *r = gen_array(g, "R", "float32", "3, 4", "1, 3");
    gen_node(g, EINSUM, "{\"einsum_str\": \"ik,kj->ij\"}", "_a = A[1, 0:3, 0:10:2], _b = B", "_out = R", NULL);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            GEN_OUT(r, i, j) = 0;
            for (int k = 0; k < 5; k++)
                GEN_OUT(r, i, j) += GEN_IN(a, 1, i, 2 * k) * GEN_IN(b, k, j);
        }
    gen_end(g);
}

static void tensordot(const char *name, const char *type, const char *left, const char *right, const char *out,
                      const char *attributes, const char *strides)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, shape_of(g, left), NULL);
    struct gen_array *b = gen_array(g, "B", type, shape_of(g, right), strides);
    struct gen_array *r = gen_array(g, "R", type, shape_of(g, out), NULL);
    gen_node(g, TENSORDOT, attributes, "_left_tensor = A, _right_tensor = B", "_out_tensor = R", NULL);
    memset(r->out, 0, (size_t)r->count * sizeof *r->out);
    sum_products((struct gen_array *const[]){ a, b }, (const char *const[]){ left, right }, 2, r, out, 1);
    gen_end(g);
}

/* ---- transpositions ---- */

static void transpose(const char *name, const char *from, const char *to, int64_t m, int64_t n)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "M", m);
    gen_symbol(g, "N", n);
    struct gen_array *a = gen_array(g, "A", from, "M, N", NULL), *b = gen_array(g, "B", to, "N, M", NULL);
    gen_node(g, TRANSPOSE, NULL, "_inp = A", "_out = B", NULL);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            GEN_OUT(b, j, i) = GEN_IN(a, i, j);
    gen_end(g);
}

/* A part of a matrix, every second row of it, into a part of another. */
static void transpose_parts(void)
{
    struct gen *g = gen_begin("transpose_parts");
    struct gen_array *a = gen_array(g, "A", "float64", "20, 40", NULL),
                     *b = gen_array(g, "B", "float64", "3, 40, 12", NULL);
    gen_node(g, TRANSPOSE, NULL, "_inp = A[1:20:2, 3:38]", "_out = B[1, 4:39, 2:12]", NULL);
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 35; j++)
            GEN_OUT(b, 1, 4 + j, 2 + i) = GEN_IN(a, 1 + 2 * i, 3 + j);
    gen_end(g);
}

static void transpose_column(void)
{
    struct gen *g = gen_begin("transpose_column");
    struct gen_array *a = gen_array(g, "A", "float64", "9, 1", NULL), *b = gen_array(g, "B", "float64", "1, 9", NULL);
    gen_node(g, TRANSPOSE, NULL, "_inp = A", "_out = B", NULL);
    for (int i = 0; i < 9; i++)
        b->out[i] = a->in[i];
    gen_end(g);
}

static void transpose_resolved(void)
{
    struct gen *g = gen_begin("transpose_resolved_sum");
    struct gen_array *a = gen_array(g, "A", "float64", "4, 6", NULL), *b = gen_array(g, "B", "float64", "6, 4", NULL);
    gen_node(g, TRANSPOSE, NULL, "_inp = A", "_out = B", "(lambda a, b: (a + b))");
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            GEN_OUT(b, j, i) += GEN_IN(a, i, j);
    gen_end(g);
}

static void tensor_transpose(const char *name, const char *type, const int *axes, const char *attributes, double alpha,
                             double beta)
{
    static const int64_t extents[] = { 7, 3, 5, 9 };
    struct gen *g = gen_begin(name);
    const char *shape = arena_printf(g->ir->arena, "%d, %d, %d, %d", (int)extents[axes[0]], (int)extents[axes[1]],
                                     (int)extents[axes[2]], (int)extents[axes[3]]);
    struct gen_array *a = gen_array(g, "A", type, "7, 3, 5, 9", NULL), *b = gen_array(g, "B", type, shape, NULL);
    gen_node(
        g, TENSOR_TRANSPOSE,
        arena_printf(g->ir->arena, "{\"axes\": [%d, %d, %d, %d]%s}", axes[0], axes[1], axes[2], axes[3], attributes),
        "_inp_tensor = A", "_out_tensor = B", NULL);
    for (int64_t n = 0; n < a->count; n++) {
        int64_t index[] = { n / 135, n / 45 % 3, n / 9 % 5, n % 9 };
        int64_t at = gen_at(b, (const int64_t[]){ index[axes[0]], index[axes[1]], index[axes[2]], index[axes[3]] });
        b->out[at] = alpha * a->in[n] + (beta != 0 ? beta * b->in[at] : 0);
        if (b->dtype == SDFG_I32)
            b->out[at] = trunc(creal(b->out[at]));
    }
    gen_end(g);
}

void gen_tensors(void)
{
    EINSUM_CASE("einsum_product", "ik,kj->ij", "ij", "ik", "kj");
    EINSUM_CASE("einsum_implicit", "jk,ik", "ij", "jk", "ik");
    EINSUM_CASE("einsum_batch", "ijk,ikl->ijl", "ijl", "ijk", "ikl");
    EINSUM_CASE("einsum_batch_inside", "jik,kil->jil", "jil", "jik", "kil");
    EINSUM_CASE("einsum_groups", "ijkl,klm->ijm", "ijm", "ijkl", "klm");
    EINSUM_CASE("einsum_outer", "i,j->ij", "ij", "i", "j");
    EINSUM_CASE("einsum_elements", "ij,ij->ij", "ij", "ij", "ij");
    EINSUM_CASE("einsum_matrix_vector", "ij,j->i", "i", "ij", "j");
    EINSUM_CASE("einsum_full_sum", "ij,ij->", "", "ij", "ij");
    EINSUM_CASE("einsum_sum_of_one", "ijk->j", "j", "ijk");
    EINSUM_CASE("einsum_sum_of_one_side", "ij,jk->i", "i", "ij", "jk");
    EINSUM_CASE("einsum_transposition", "ijk->kij", "kij", "ijk");
    EINSUM_CASE("einsum_diagonal", "iij->ij", "ij", "iij");
    EINSUM_CASE("einsum_diagonal_implicit", "ii", "i", "ii"); /* not the trace */
    EINSUM_CASE("einsum_trace", "ii->", "", "ii");
    EINSUM_CASE("einsum_three", "ij,jk,kl->il", "il", "ij", "jk", "kl");
    EINSUM_CASE("einsum_four", "ij,jk,kl,l->i", "i", "ij", "jk", "kl", "l");
    EINSUM_CASE("einsum_three_outer", "i,j,k->kji", "kji", "i", "j", "k");
    static const char *const product[] = { "ik", "kj" }, *const one[] = { "ij" };
    einsum("einsum_factors", "complex128", "ik,kj->ij", product, 2, "ij", ", \"alpha\": \"2 + $I\", \"beta\": \"3\"",
           2 + I, 3);
    einsum("einsum_accumulates", "float32", "ij->i", one, 1, "i", ", \"beta\": \"1.0\"", 1, 1);
    einsum("einsum_int16", "int16", "ik,kj->ij", product, 2, "ij", ", \"alpha\": \"2\"", 2, 0);
    einsum("einsum_float16", "float16", "ij->i", one, 1, "i", "", 1, 0);
    einsum_order();
    einsum_strided();

    tensordot("tensordot_one_axis", "float64", "ijk", "kl", "ijl", "{\"left_axes\": [2], \"right_axes\": [0]}", NULL);
    tensordot("tensordot_two_axes", "complex64", "ijk", "kjl", "il", "{\"left_axes\": [1, 2], \"right_axes\": [1, 0]}",
              NULL);
    tensordot("tensordot_permuted", "float64", "ijk", "jlm", "mikl",
              "{\"left_axes\": [1], \"right_axes\": [0], \"permutation\": [3, 0, 1, 2]}", NULL);
    tensordot("tensordot_outer", "float64", "ij", "kl", "ijkl", "{\"left_axes\": [], \"right_axes\": []}", NULL);
    tensordot("tensordot_all_axes", "float64", "ij", "ij", "", "{\"left_axes\": [0, 1], \"right_axes\": [0, 1]}", NULL);
    tensordot("tensordot_strided", "int32", "ij", "jkl", "ikl", "{\"left_axes\": [1], \"right_axes\": [0]}",
              "1, 4, 32");

    transpose("transpose_plain", "float64", "float64", 37, 21);
    transpose("transpose_converting", "float32", "float64", 5, 9);
    transpose("transpose_bytes", "uint8", "uint8", 40, 70);
    transpose("transpose_complex", "complex128", "complex128", 6, 11);
    transpose("transpose_empty", "float64", "float64", 0, 4);
    transpose_parts();
    transpose_column();
    transpose_resolved();
    tensor_transpose("tensor_transpose_plain", "float64", (const int[]){ 3, 1, 0, 2 }, "", 1, 0);
    tensor_transpose("tensor_transpose_rotation", "complex64", (const int[]){ 2, 3, 0, 1 }, "", 1, 0);
    tensor_transpose("tensor_transpose_identity", "float32", (const int[]){ 0, 1, 2, 3 }, "", 1, 0);
    tensor_transpose("tensor_transpose_factors", "float64", (const int[]){ 0, 3, 2, 1 },
                     ", \"alpha\": 2, \"beta\": 0.5", 2, 0.5);
    tensor_transpose("tensor_transpose_float16", "float16", (const int[]){ 1, 0, 3, 2 }, ", \"alpha\": 3", 3, 0);
    tensor_transpose("tensor_transpose_integers_fraction", "int32", (const int[]){ 1, 0, 3, 2 }, ", \"alpha\": 0.5",
                     0.5, 0);
}
