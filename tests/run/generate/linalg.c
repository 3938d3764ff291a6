/* linalg.Inv, Solve, Cholesky and the lapack nodes. Expected values come from Gaussian elimination and from products,
 * so that the factors of the nodes are checked by what they are for. */
#include "tests/run/generate/generate.h"

#include <math.h>
#include <stdlib.h>

#define INV      "dace.libraries.linalg.nodes.inv.Inv"
#define SOLVE    "dace.libraries.linalg.nodes.solve.Solve"
#define CHOLESKY "dace.libraries.linalg.nodes.cholesky.Cholesky"
#define GETRF    "dace.libraries.lapack.nodes.getrf.Getrf"
#define GETRS    "dace.libraries.lapack.nodes.getrs.Getrs"
#define GETRI    "dace.libraries.lapack.nodes.getri.Getri"
#define POTRF    "dace.libraries.lapack.nodes.potrf.Potrf"

enum { LARGEST = 16 };

typedef double complex matrix[LARGEST][LARGEST];

/* x = a^-1 b for n x n and n x columns, with row exchanges. */
static void solve(matrix a, matrix b, matrix x, int n, int columns)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++)
            x[i][j] = b[i][j];
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(a[i][k]) > cabs(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < LARGEST; j++) {
            double complex t = a[k][j], u = x[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
            x[k][j] = x[pivot][j];
            x[pivot][j] = u;
        }
        for (int i = 0; i < n; i++) {
            double complex factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = 0; j < n; j++)
                a[i][j] -= factor * a[k][j];
            for (int j = 0; j < columns; j++)
                x[i][j] -= factor * x[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++)
            x[i][j] /= a[i][i];
}

/* A matrix far from singular: 8 is added along the diagonal. `positive` makes it Hermitian and positive definite. */
static void fill_matrix(struct gen_array *a, int n, bool positive)
{
    for (int i = 0; i < n; i++) {
        GEN_IN(a, i, i) += positive ? 30 : 8;
        for (int j = 0; j < i && positive; j++)
            GEN_IN(a, i, j) = conj(GEN_IN(a, j, i));
        if (positive)
            GEN_IN(a, i, i) = creal(GEN_IN(a, i, i));
    }
    for (int64_t i = 0; i < a->count; i++)
        a->out[i] = a->in[i];
}

static void get(const struct gen_array *a, matrix m, int rows, int columns)
{
    for (int i = 0; i < LARGEST; i++)
        for (int j = 0; j < LARGEST; j++)
            m[i][j] = i < rows && j < columns ? a->in[i * columns + j] : 0;
}

static double tolerance(const char *type)
{
    return type[0] == 'f' && type[5] == '3' ? 1e-4 : type[7] == '6' ? 1e-4 : 1e-9;
}

static void inverse(const char *name, const char *type, const char *strides, const char *attributes, bool in_place)
{
    struct gen *g = gen_begin(name);
    g->rtol = tolerance(type);
    struct gen_array *a = gen_array(g, "A", type, "7, 7", strides), *b = gen_array(g, "B", type, "7, 7", NULL);
    matrix m, one = { { 0 } }, x;
    fill_matrix(a, 7, false);
    gen_node(g, INV, attributes, "_ain = A", in_place ? "_aout = A" : "_aout = B", NULL);
    get(a, m, 7, 7);
    for (int i = 0; i < 7; i++)
        one[i][i] = 1;
    solve(m, one, x, 7, 7);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            GEN_OUT(in_place ? a : b, i, j) = x[i][j];
    gen_end(g);
}

static void solves(const char *name, const char *type, const char *shape, int columns)
{
    struct gen *g = gen_begin(name);
    g->rtol = tolerance(type);
    struct gen_array *a = gen_array(g, "A", type, "9, 9", NULL), *b = gen_array(g, "B", type, shape, NULL);
    struct gen_array *x = gen_array(g, "X", type, shape, NULL);
    matrix m, rhs, result;
    fill_matrix(a, 9, false);
    gen_node(g, SOLVE, NULL, "_ain = A, _bin = B", "_bout = X", NULL);
    get(a, m, 9, 9);
    get(b, rhs, 9, columns);
    solve(m, rhs, result, 9, columns);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < columns; j++)
            x->out[i * columns + j] = result[i][j];
    gen_end(g);
}

/* l with l l^H = a. */
static void factor(matrix a, matrix l, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double complex sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * conj(l[j][k]);
            l[i][j] = i == j ? csqrt(sum) : sum / l[j][j];
        }
}

static void cholesky(const char *name, const char *type, bool lower)
{
    struct gen *g = gen_begin(name);
    g->rtol = tolerance(type);
    struct gen_array *a = gen_array(g, "A", type, "8, 8", NULL), *b = gen_array(g, "B", type, "8, 8", NULL);
    matrix m, l = { { 0 } };
    fill_matrix(a, 8, true);
    gen_node(g, CHOLESKY, lower ? NULL : "{\"lower\": false}", "_a = A", "_b = B", NULL);
    get(a, m, 8, 8);
    factor(m, l, 8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            GEN_OUT(b, i, j) = lower ? l[i][j] : conj(l[j][i]);
    gen_end(g);
}

/* Factors in place; the other triangle stays. */
static void potrf(const char *name, bool lower)
{
    struct gen *g = gen_begin(name);
    g->rtol = 1e-9;
    struct gen_array *a = gen_array(g, "A", "float64", "8, 8", "10, 1"),
                     *info = gen_array(g, "info", "int32", "1", NULL);
    matrix m, l = { { 0 } };
    fill_matrix(a, 8, true);
    gen_node(g, POTRF, lower ? NULL : "{\"lower\": false}", "_xin = A", "_xout = A, _res = info", NULL);
    get(a, m, 8, 8);
    factor(m, l, 8);
    info->out[0] = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++)
            GEN_OUT(a, lower ? i : j, lower ? j : i) = l[i][j];
    gen_end(g);
}

/* Factorization and solution or inverse with one node each; `type` complex or real. */
static void lu(const char *name, const char *type, bool inverts)
{
    struct gen *g = gen_begin(name);
    g->rtol = tolerance(type);
    struct gen_array *a = gen_array(g, "A", type, "6, 6", NULL),
                     *b = gen_array(g, "B", type, inverts ? "6, 6" : "6", NULL);
    struct gen_array *pivots = gen_array(g, "ipiv", "int32", "6", NULL),
                     *info = gen_array(g, "info", "int32", "2", NULL);
    build_transient(g->sdfg, "LU", type, "6, 6");
    matrix m, rhs, x;
    fill_matrix(a, 6, false);
    struct access *p = build_access(g->state, "ipiv"), *factors = build_access(g->state, "LU"),
                  *infos = build_access(g->state, "info");
    struct library *n = build_library(g->state, "factor", GETRF, "_xin", "_xout, _ipiv, _res", NULL);
    build_edge(&build_access(g->state, "A")->node, NULL, &n->node, "_xin", "A", NULL);
    build_edge(&n->node, "_xout", &factors->node, NULL, "LU", NULL);
    build_edge(&n->node, "_ipiv", &p->node, NULL, "ipiv", NULL);
    build_edge(&n->node, "_res", &infos->node, NULL, "info[0]", NULL);
    struct library *second = inverts
                                 ? build_library(g->state, "use", GETRI, "_xin, _ipiv", "_xout, _res", NULL)
                                 : build_library(g->state, "use", GETRS, "_a, _rhs_in, _ipiv", "_rhs_out, _res", NULL);
    build_edge(&factors->node, NULL, &second->node, inverts ? "_xin" : "_a", "LU", NULL);
    build_edge(&p->node, NULL, &second->node, "_ipiv", "ipiv", NULL);
    if (!inverts)
        build_edge(&build_access(g->state, "B")->node, NULL, &second->node, "_rhs_in", "B", NULL);
    build_edge(&second->node, inverts ? "_xout" : "_rhs_out", &build_access(g->state, "B")->node, NULL, "B", NULL);
    build_edge(&second->node, "_res", &build_access(g->state, "info")->node, NULL, "info[1]", NULL);
    for (int i = 0; i < 6; i++) /* the diagonal is made the largest of its column, so that no rows are exchanged */
        for (int j = 0; j < 6; j++)
            a->in[6 * i + j] *= i == j ? 4 : 1, a->out[6 * i + j] = a->in[6 * i + j];
    get(a, m, 6, 6);
    for (int i = 0; i < LARGEST; i++)
        for (int j = 0; j < LARGEST; j++)
            rhs[i][j] = inverts ? i == j : j == 0 && i < 6 ? b->in[i] : 0;
    solve(m, rhs, x, 6, inverts ? 6 : 1);
    for (int i = 0; i < 6; i++) {
        pivots->out[i] = i + 1;
        for (int j = 0; j < (inverts ? 6 : 1); j++)
            b->out[inverts ? 6 * i + j : i] = x[i][j];
    }
    info->out[0] = info->out[1] = 0;
    gen_end(g);
}

/* A 4 x 3 matrix of ones and zeros whose factors are known: rows 1 and 2 are exchanged. */
static void getrf_tall(void)
{
    static const double before[] = { 1, 2, 3, 4, 4, 4, 2, 3, 6, 0, 1, 1 };
    static const double after[] = { 4, 4, 4, 0.25, 1, 2, 0.5, 1, 2, 0, 1, -0.5 };
    struct gen *g = gen_begin("getrf_tall");
    struct gen_array *a = gen_array(g, "A", "float64", "4, 3", NULL), *p = gen_array(g, "ipiv", "int32", "3", NULL);
    struct gen_array *info = gen_array(g, "info", "int32", "1", NULL);
    gen_node(g, GETRF, NULL, "_xin = A", "_xout = A, _ipiv = ipiv, _res = info", NULL);
    for (int i = 0; i < 12; i++) {
        a->in[i] = before[i];
        a->out[i] = after[i];
    }
    p->out[0] = p->out[1] = 2;
    p->out[2] = 3;
    info->out[0] = 0;
    gen_end(g);
}

/* What LAPACK says of a singular matrix arrives where the node has an output for it. */
static void getrf_singular(void)
{
    struct gen *g = gen_begin("getrf_singular");
    struct gen_array *a = gen_array(g, "A", "float64", "2, 2", NULL), *p = gen_array(g, "ipiv", "int32", "2", NULL);
    struct gen_array *info = gen_array(g, "info", "int32", "1", NULL);
    gen_node(g, GETRF, NULL, "_xin = A", "_xout = A, _ipiv = ipiv, _res = info", NULL);
    for (int i = 0; i < 4; i++)
        a->in[i] = i < 2 ? 2 : 1;
    GEN_OUT(a, 0, 0) = GEN_OUT(a, 0, 1) = 2;
    GEN_OUT(a, 1, 0) = 0.5;
    GEN_OUT(a, 1, 1) = 0;
    p->out[0] = 1;
    p->out[1] = 2;
    info->out[0] = 2;
    gen_end(g);
}

void gen_linalg(void)
{
    inverse("inv_plain", "float64", NULL, NULL, false);
    inverse("inv_columns", "float64", "1, 7", NULL, false);
    inverse("inv_overwrite", "float32", NULL, "{\"overwrite\": true}", true);
    inverse("inv_complex", "complex128", NULL, "{\"use_getri\": false}", false);
    solves("solve_matrix", "float64", "9, 4", 4);
    solves("solve_vector", "float64", "9", 1);
    solves("solve_complex64", "complex64", "9, 2", 2);
    cholesky("cholesky_lower", "float64", true);
    cholesky("cholesky_upper", "float64", false);
    cholesky("cholesky_complex", "complex128", true);
    cholesky("cholesky_complex_upper", "complex128", false);
    potrf("potrf_lower", true);
    potrf("potrf_upper", false);
    lu("getrf_getrs_vector", "float64", false);
    lu("getrf_getri_complex", "complex128", true);
    getrf_tall();
    getrf_singular();
}
