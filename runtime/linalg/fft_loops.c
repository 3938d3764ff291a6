/* Transforms of one line without a library: mixed radix for lengths of small prime factors, Bluestein's algorithm (a
 * convolution of a power of two) for all others. */
#include "runtime/linalg/fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FACTOR = 31 };

static int64_t smallest_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

static bool has_small_factors(int64_t n)
{
    while (n > 1) {
        int64_t p = smallest_factor(n);
        if (p > LARGEST_FACTOR)
            return false;
        n /= p;
    }
    return true;
}

/* The powers of the n-th root of unity. */
static void roots(double complex *w, int64_t n, int sign)
{
    for (int64_t k = 0; k < n; k++) {
        double angle = 2 * M_PI * (double)k / (double)n;
        w[k] = cos(angle) + sign * sin(angle) * I;
    }
}

/* out[0..n-1] is the transform of in[0], in[stride], ...; `stride` is also the step in the `total` roots. */
static void mixed_radix(const double complex *in, int64_t stride, double complex *out, int64_t n,
                        const double complex *w, int64_t total)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t r = 0; r < p; r++)
        mixed_radix(in + r * stride, stride * p, out + r * m, m, w, total);
    double complex terms[LARGEST_FACTOR];
    for (int64_t k = 0; k < m; k++) {
        for (int64_t r = 0; r < p; r++)
            terms[r] = out[r * m + k] * w[r * k * stride % total];
        for (int64_t q = 0; q < p; q++) {
            double complex sum = terms[0];
            for (int64_t r = 1; r < p; r++)
                sum += terms[r] * w[r * q % p * m * stride % total];
            out[q * m + k] = sum;
        }
    }
}

static bool by_factors(double complex *x, int64_t n, int sign)
{
    double complex *w = malloc(2 * sizeof *w * (size_t)n), *copy = w + n;
    if (!w)
        return false;
    roots(w, n, sign);
    memcpy(copy, x, sizeof *x * (size_t)n);
    mixed_radix(copy, 1, x, n, w, n);
    free(w);
    return true;
}

/* k n = (k^2 + n^2 - (k - n)^2) / 2: the sum is a convolution with a chirp. */
static bool by_convolution(double complex *x, int64_t n, int sign)
{
    int64_t size = 1;
    while (size < 2 * n - 1)
        size *= 2;
    double complex *chirp = malloc(sizeof *chirp * (size_t)(n + 2 * size)), *a = chirp + n, *b = a + size;
    if (!chirp)
        return false;
    memset(a, 0, 2 * sizeof *a * (size_t)size);
    int64_t square = 0; /* k^2 modulo 2 n */
    for (int64_t k = 0; k < n; k++) {
        double angle = M_PI * (double)square / (double)n;
        chirp[k] = cos(angle) + sign * sin(angle) * I;
        square = (square + 2 * k + 1) % (2 * n);
        a[k] = x[k] * chirp[k];
        b[k] = conj(chirp[k]);
        if (k > 0)
            b[size - k] = b[k];
    }
    bool good = by_factors(a, size, -1) && by_factors(b, size, -1);
    for (int64_t k = 0; k < size; k++)
        a[k] *= b[k] / (double)size;
    good = good && by_factors(a, size, 1);
    for (int64_t k = 0; k < n; k++)
        x[k] = a[k] * chirp[k];
    free(chirp);
    return good;
}

bool sdfg_rt_fft_line(double complex *x, int64_t n, int sign)
{
    if (n < 2)
        return true;
    return (has_small_factors(n) ? by_factors : by_convolution)(x, n, sign);
}
