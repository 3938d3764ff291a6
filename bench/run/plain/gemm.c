#include "plain.h"

static void gemm(int64_t n, double alpha, const double *restrict a, const double *restrict b, double beta,
                 double *restrict c)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = beta * c[i * n + j];
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}

void plain_gemm(void *const *arrays, const int64_t *sizes)
{
    gemm(sizes[0], 1.5, arrays[0], arrays[1], 0.5, arrays[2]);
}
