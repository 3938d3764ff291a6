/* fft.FFT, IFFT: sums over all terms. */
#include "tests/run/generate/generate.h"

#include <math.h>
#include <string.h>

#define FFT  "dace.libraries.fft.nodes.fft.FFT"
#define IFFT "dace.libraries.fft.nodes.fft.IFFT"

/* Along the last of `columns` ... : row by row, in place; the stride of an element is `step`. */
static void transform_line(double complex *x, int64_t n, int64_t step, double sign)
{
    double complex copy[128];
    for (int64_t i = 0; i < n; i++)
        copy[i] = x[i * step];
    for (int64_t k = 0; k < n; k++) {
        double complex sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += copy[i] * cexp(sign * 2 * M_PI * I * (double)(i * k % n) / (double)n);
        x[k * step] = sum;
    }
}

static void transform(const struct gen_array *a, double sign, double factor)
{
    int64_t step = 1;
    for (int d = a->rank - 1; d >= 0; d--) {
        for (int64_t i = 0; i < a->count; i++)
            if (i / step % a->shape[d] == 0)
                transform_line(a->out + i, a->shape[d], step, sign);
        step *= a->shape[d];
    }
    for (int64_t i = 0; i < a->count; i++)
        a->out[i] *= factor;
}

static void fft(const char *name, const char *from, const char *to, const char *shape, const char *class,
                const char *attributes, double factor)
{
    struct gen *g = gen_begin(name);
    g->rtol = strstr(to, "64") ? 2e-4 : 1e-9;
    gen_symbol(g, "N", 12);
    struct gen_array *x = gen_array(g, "x", from, shape, NULL), *y = gen_array(g, "y", to, shape, NULL);
    gen_node(g, class, attributes, "_inp = x", "_out = y", NULL);
    memcpy(y->out, x->in, (size_t)x->count * sizeof *x->in);
    transform(y, strcmp(class, FFT) ? 1 : -1, factor);
    gen_end(g);
}

/* A row of a matrix, every second element, into a column. */
static void strided(void)
{
    struct gen *g = gen_begin("fft_strided");
    g->rtol = 1e-9;
    struct gen_array *x = gen_array(g, "x", "complex128", "3, 20", NULL),
                     *y = gen_array(g, "y", "complex128", "10, 2", NULL);
    gen_node(g, FFT, NULL, "_inp = x[1, 0:20:2]", "_out = y[0:10, 1]", NULL);
    for (int i = 0; i < 10; i++)
        GEN_OUT(y, i, 1) = GEN_IN(x, 1, 2 * i);
    transform_line(y->out + 1, 10, 2, -1);
    gen_end(g);
}

static void in_place(void)
{
    struct gen *g = gen_begin("fft_in_place");
    g->rtol = 1e-9;
    struct gen_array *x = gen_array(g, "x", "complex128", "16", NULL);
    gen_node(g, FFT, NULL, "_inp = x", "_out = x", NULL);
    transform(x, -1, 1);
    gen_end(g);
}

static void single(void)
{
    struct gen *g = gen_begin("fft_single_element");
    struct gen_array *x = gen_array(g, "x", "complex128", "1", NULL), *y = gen_array(g, "y", "complex128", "1", NULL);
    gen_node(g, FFT, "{\"factor\": \"2\"}", "_inp = x", "_out = y", NULL);
    y->out[0] = 2 * x->in[0];
    gen_end(g);
}

void gen_fft(void)
{
    fft("fft_power_of_two", "complex128", "complex128", "64", FFT, NULL, 1);
    fft("fft_mixed_radix", "complex128", "complex128", "90", FFT, NULL, 1);
    fft("fft_prime", "complex128", "complex128", "97", FFT, NULL, 1);
    fft("fft_symbolic_factor", "complex128", "complex128", "N", IFFT, "{\"factor\": \"1/$N\"}", 1. / 12);
    fft("fft_single_precision", "complex64", "complex64", "60", FFT, "{\"factor\": \"0.125\"}", 0.125);
    fft("fft_real", "float64", "complex128", "30", FFT, NULL, 1);
    fft("fft_real_single", "float32", "complex64", "32", IFFT, "{\"factor\": \"sqrt(1/$N)\"}", sqrt(1. / 12));
    fft("fft_integers", "int32", "complex128", "15", FFT, NULL, 1);
    fft("fft_matrix", "complex128", "complex128", "6, 10", FFT, NULL, 1);
    fft("fft_cube", "complex128", "complex128", "4, 3, 5", IFFT, "{\"factor\": \"2\"}", 2);
    strided();
    in_place();
    single();
}
