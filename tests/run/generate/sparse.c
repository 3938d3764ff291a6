/* sparse.CSRMM, CSRMV. */
#include "tests/run/generate/generate.h"

#define CSRMM "dace.libraries.sparse.nodes.csrmm.CSRMM"
#define CSRMV "dace.libraries.sparse.nodes.csrmv.CSRMV"

enum { ROWS = 6, TERMS = 11 };

/* An empty row, one entry twice, columns out of order. */
static const int rows[ROWS + 1] = { 0, 3, 3, 5, 8, 9, 11 }, columns[TERMS] = { 4, 0, 2, 1, 1, 3, 0, 4, 2, 4, 3 };

static struct gen_array *matrix(struct gen *g, const char *type, const char *index)
{
    struct gen_array *r = gen_array(g, "rows", index, "7", NULL), *c = gen_array(g, "cols", index, "11", NULL);
    for (int i = 0; i <= ROWS; i++)
        r->in[i] = r->out[i] = rows[i];
    for (int i = 0; i < TERMS; i++)
        c->in[i] = c->out[i] = columns[i];
    return gen_array(g, "vals", type, "11", NULL);
}

#define A "_a_rows = rows, _a_cols = cols, _a_vals = vals"

/* beta: 0 overwrites, 1 adds to the result, else `addend` is read. */
static void csrmm_typed(const char *name, const char *type, const char *dense, const char *index, bool transposed,
                        const char *attributes, double complex alpha, double beta)
{
    struct gen *g = gen_begin(name);
    struct gen_array *v = matrix(g, type, index);
    struct gen_array *b = gen_array(g, "B", dense, transposed ? "4, 5" : "5, 4", NULL),
                     *c = gen_array(g, "C", dense, "6, 4", NULL);
    bool other = beta != 0 && beta != 1;
    struct gen_array *d = other ? gen_array(g, "D", dense, "6, 4", NULL) : c;
    gen_node(g, CSRMM, attributes,
             other       ? A ", _b = B, _cin = D"
             : beta == 1 ? A ", _b = B, _cin = C"
                         : A ", _b = B",
             "_c = C", NULL);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4; j++) {
            double complex sum = 0;
            for (int t = rows[i]; t < rows[i + 1]; t++)
                sum += v->in[t] * (transposed ? GEN_IN(b, j, columns[t]) : GEN_IN(b, columns[t], j));
            GEN_OUT(c, i, j) = alpha * sum + (beta != 0 ? beta * GEN_IN(d, i, j) : 0);
        }
    gen_end(g);
}

static void csrmm(const char *name, const char *type, const char *index, bool transposed, const char *attributes,
                  double complex alpha, double beta)
{
    csrmm_typed(name, type, type, index, transposed, attributes, alpha, beta);
}

static void csrmv(const char *name, const char *type, const char *index, const char *attributes, double complex alpha,
                  double beta)
{
    struct gen *g = gen_begin(name);
    struct gen_array *v = matrix(g, type, index);
    struct gen_array *b = gen_array(g, "b", type, "5", NULL), *c = gen_array(g, "c", type, "6", NULL);
    struct gen_array *d = beta != 0 ? gen_array(g, "d", type, "6", NULL) : NULL;
    gen_node(g, CSRMV, attributes, d ? A ", _b = b, _cin = d" : A ", _b = b", "_c = c", NULL);
    for (int i = 0; i < ROWS; i++) {
        double complex sum = 0;
        for (int t = rows[i]; t < rows[i + 1]; t++)
            sum += v->in[t] * b->in[columns[t]];
        c->out[i] = alpha * sum + (d ? beta * d->in[i] : 0);
    }
    gen_end(g);
}

void gen_sparse(void)
{
    csrmm("csrmm_plain", "float64", "int32", false, NULL, 1, 0);
    csrmm("csrmm_transposed", "float32", "int64", true, "{\"transB\": true, \"alpha\": 2}", 2, 0);
    csrmm("csrmm_accumulates", "float64", "int32", false, "{\"beta\": 1}", 1, 1);
    csrmm("csrmm_addend", "float64", "int32", false, "{\"alpha\": -1, \"beta\": 0.5}", -1, 0.5);
    csrmm("csrmm_complex", "complex128", "int32", false, "{\"alpha\": \"(1+1j)\"}", 1 + I, 0);
    csrmm("csrmm_integers", "int32", "uint32", false, "{\"alpha\": 3}", 3, 0);
    csrmm_typed("csrmm_single_by_double", "float32", "float64", "int32", false, NULL, 1, 0);
    csrmm_typed("csrmm_double_by_single", "float64", "float32", "int32", true, "{\"transB\": true}", 1, 0);
    csrmv("csrmv_plain", "float64", "int32", NULL, 1, 0);
    csrmv("csrmv_addend", "float32", "int64", "{\"alpha\": 2, \"beta\": -2}", 2, -2);
    csrmv("csrmv_complex", "complex64", "int32", "{\"alpha\": \"(0-1j)\"}", -I, 0);
}
