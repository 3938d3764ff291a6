#include "plain.h"

static void sweep(int64_t n, const double *restrict from, double *restrict to)
{
#pragma omp parallel for
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++)
            to[i * n + j] = 0.2 * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                                   from[i * n + j - 1] + from[i * n + j + 1]);
}

void plain_jacobi_2d(void *const *arrays, const int64_t *sizes)
{
    for (int64_t t = 0; t < sizes[1]; t++) {
        sweep(sizes[0], arrays[0], arrays[1]);
        sweep(sizes[0], arrays[1], arrays[0]);
    }
}
