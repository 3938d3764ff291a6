/* Fourier transforms of the runtime against the sums that define them, with the library and without. */
#include "runtime/linalg/fft.h"
#include "tests/unit/check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double complex value(int64_t i) { return sin(1.0 + (double)i) + cos(2.0 * (double)i) * I; }

static double complex defined_by(const double complex *x, int64_t n, int64_t k, int sign)
{
    double complex sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * cexp(sign * 2 * M_PI * I * (double)(i * k % n) / (double)n);
    return sum;
}

static double line_error(int64_t n, int sign)
{
    double complex *x = malloc(2 * sizeof *x * (size_t)n), *y = x + n;
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        x[i] = y[i] = value(i);
    CHECK(sdfg_rt_fft_line(y, n, sign));
    for (int64_t k = 0; k < n; k++)
        worst = fmax(worst, cabs(y[k] - defined_by(x, n, k, sign)));
    free(x);
    return worst;
}

TEST(own_code_for_every_length)
{
    for (int64_t n = 1; n <= 130; n++)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(line_error(n, sign) < 1e-11 * (double)n);
}

TEST(own_code_for_long_lines)
{
    static const int64_t lengths[] = { 1024, 1000, 997, 31 * 31, 2 * 499 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        CHECK(line_error(lengths[i], -1) < 1e-10 * (double)lengths[i]);
}

TEST(forth_and_back)
{
    enum { N = 60 };
    struct sdfg_rt_context context = { .num_threads = 1 };
    int64_t sizes[] = { N }, one[] = { 1 };
    double complex x[N], y[N], factor = 1, inverse = 1.0 / N;
    for (int64_t i = 0; i < N; i++)
        x[i] = value(i);
    sdfg_rt_fft(&context, SDFG_RT_C128, -1, 1, sizes, x, one, y, one, &factor);
    CHECK(cabs(y[7] - defined_by(x, N, 7, -1)) < 1e-11);
    sdfg_rt_fft(&context, SDFG_RT_C128, 1, 1, sizes, y, one, y, one, &inverse); /* in place */
    for (int i = 0; i < N; i++)
        CHECK(cabs(y[i] - x[i]) < 1e-12);
    CHECK_INT(context.error, SDFG_RT_OK);
}

/* Rows backwards in one array, columns of another; elements between are left alone. */
TEST(strides)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    int64_t sizes[] = { 3, 4 }, from[] = { -4, 1 }, to[] = { 2, 6 };
    float complex x[12], y[24], factor = 2;
    for (int i = 0; i < 12; i++)
        x[i] = (float complex)value(i);
    for (int i = 0; i < 24; i++)
        y[i] = -77;
    sdfg_rt_fft(&context, SDFG_RT_C64, 1, 2, sizes, x + 8, from, y, to, &factor);
    for (int64_t k = 0; k < 3; k++)
        for (int64_t l = 0; l < 4; l++) {
            double complex sum = 0;
            for (int64_t i = 0; i < 3; i++)
                for (int64_t j = 0; j < 4; j++)
                    sum += x[8 - 4 * i + j] * cexp(2 * M_PI * I * ((double)(i * k) / 3 + (double)(j * l) / 4));
            CHECK(cabs(y[2 * k + 6 * l] - 2 * sum) < 1e-4);
            CHECK(y[2 * k + 6 * l + 1] == -77);
        }
}

TEST(nothing_and_bad_types)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    int64_t sizes[] = { 0 }, one[] = { 1 };
    double complex factor = 1;
    sdfg_rt_fft(&context, SDFG_RT_C128, -1, 1, sizes, NULL, one, NULL, one, &factor);
    CHECK_INT(context.error, SDFG_RT_OK);
    sdfg_rt_fft(&context, SDFG_RT_F64, -1, 1, sizes, NULL, one, NULL, one, &factor);
    CHECK_INT(context.error, SDFG_RT_BAD_VALUE);
}

/* With FFTW and without: both ways give the results above. */
TEST(the_library_is_taken_if_it_is_there)
{
    CHECK_INT(sdfg_rt_fft_name(SDFG_RT_C64) != NULL, dlopen("libfftw3f.so.3", RTLD_NOW) != NULL);
    CHECK_INT(sdfg_rt_fft_name(SDFG_RT_C128) != NULL, dlopen("libfftw3.so.3", RTLD_NOW) != NULL);
}

CHECK_MAIN
