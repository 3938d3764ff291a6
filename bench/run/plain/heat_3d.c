#include "plain.h"

static void sweep(int64_t n, const double *restrict from, double *restrict to)
{
    int64_t plane = n * n;
#pragma omp parallel for
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++)
            for (int64_t k = 1; k < n - 1; k++) {
                const double *p = from + i * plane + j * n + k;
                to[i * plane + j * n + k] = 0.25 * p[0] + 0.125 * (p[-plane] + p[plane] + p[-n] + p[n] + p[-1] + p[1]);
            }
}

void plain_heat_3d(void *const *arrays, const int64_t *sizes)
{
    for (int64_t t = 0; t < sizes[1]; t++) {
        sweep(sizes[0], arrays[0], arrays[1]);
        sweep(sizes[0], arrays[1], arrays[0]);
    }
}
