/* blas.Dot, Axpy, Ger. */
#include "tests/run/generate/generate.h"

#include <math.h>

#define DOT  "dace.libraries.blas.nodes.dot.Dot"
#define AXPY "dace.libraries.blas.nodes.axpy.Axpy"
#define GER  "dace.libraries.blas.nodes.ger.Ger"

static void dot(const char *name, const char *type, int64_t length, const char *wcr)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "N", length);
    struct gen_array *x = gen_array(g, "x", type, "N, 3", NULL), *y = gen_array(g, "y", type, "N", "2");
    struct gen_array *r = gen_array(g, "r", type, "4", NULL);
    gen_node(g, DOT, NULL, "_x = x[0:N, 1], _y = y", "_result = r[2]", wcr);
    double complex sum = 0;
    for (int64_t i = 0; i < length; i++)
        sum += GEN_IN(x, i, 1) * y->in[i];
    r->out[2] = sum + (wcr ? r->in[2] : 0);
    gen_end(g);
}

/* The sum of many terms does not stop growing where a term is below the precision of the result's type. */
static void dot_long(void)
{
    struct gen *g = gen_begin("dot_float16_long");
    struct gen_array *x = gen_array(g, "x", "float16", "4000", NULL), *y = gen_array(g, "y", "float16", "4000", NULL);
    struct gen_array *r = gen_array(g, "r", "float16", "1", NULL);
    gen_node(g, DOT, NULL, "_x = x, _y = y", "_result = r", NULL);
    for (int i = 0; i < 4000; i++)
        x->in[i] = x->out[i] = y->in[i] = y->out[i] = 1;
    r->out[0] = 4000;
    gen_end(g);
}

static void axpy(const char *name, const char *type, const char *attributes, double complex a)
{
    struct gen *g = gen_begin(name);
    gen_symbol(g, "a", 3);
    gen_symbol(g, "n", 7);
    struct gen_array *x = gen_array(g, "x", type, "14", NULL), *y = gen_array(g, "y", type, "n", NULL);
    struct gen_array *r = gen_array(g, "r", type, "n, 2", NULL);
    gen_node(g, AXPY, attributes, "_x = x[0:14:2], _y = y", "_res = r[0:n, 0]", NULL);
    for (int i = 0; i < 7; i++) {
        GEN_OUT(r, i, 0) = a * x->in[2 * i] + y->in[i];
        if (r->dtype == SDFG_I32)
            GEN_OUT(r, i, 0) = trunc(creal(GEN_OUT(r, i, 0)));
    }
    gen_end(g);
}

static void axpy_in_place(void)
{
    struct gen *g = gen_begin("axpy_in_place");
    gen_symbol(g, "n", 9);
    struct gen_array *x = gen_array(g, "x", "float64", "n", NULL), *y = gen_array(g, "y", "float64", "n", NULL);
    gen_node(g, AXPY, "{\"a\": \"-2\"}", "_x = x, _y = y", "_res = y", NULL);
    for (int i = 0; i < 9; i++)
        y->out[i] = y->in[i] - 2 * x->in[i];
    gen_end(g);
}

static void ger(const char *name, const char *type, const char *result, const char *attributes, double complex alpha)
{
    struct gen *g = gen_begin(name);
    struct gen_array *a = gen_array(g, "A", type, "5, 7", NULL), *x = gen_array(g, "x", type, "10", NULL);
    struct gen_array *y = gen_array(g, "y", type, "7", NULL), *r = gen_array(g, "R", type, "5, 7", "1, 5");
    bool in_place = result[0] == 'A';
    gen_node(g, GER, attributes, "_A = A, _x = x[0:10:2], _y = y", in_place ? "_res = A" : "_res = R", NULL);
    struct gen_array *out = in_place ? a : r;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++)
            GEN_OUT(out, i, j) = alpha * x->in[2 * i] * y->in[j] + GEN_IN(a, i, j);
    gen_end(g);
}

void gen_vectors(void)
{
    dot("dot_strided", "float64", 11, NULL);
    dot("dot_complex", "complex64", 9, NULL);
    dot("dot_int16", "int16", 50, NULL);
    dot("dot_empty", "float32", 0, NULL);
    dot("dot_single", "float64", 1, NULL);
    dot("dot_resolved_sum", "float64", 6, "(lambda a, b: (a + b))");
    dot_long();
    axpy("axpy_default_factor", "float64", NULL, 3);
    axpy("axpy_float16", "float16", "{\"a\": \"2\"}", 2);
    axpy("axpy_complex", "complex128", "{\"a\": \"2 + $I\"}", 2 + I);
    axpy("axpy_integers_fraction", "int32", "{\"a\": \"0.5\"}", 0.5);
    axpy_in_place();
    ger("ger_separate", "float64", "R", "{\"alpha\": \"2\"}", 2);
    ger("ger_in_place", "float32", "A", NULL, 1);
    ger("ger_complex", "complex128", "R", "{\"alpha\": \"$I\"}", I);
}
