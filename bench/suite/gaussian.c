#include <stdint.h>

void gaussian(int64_t N, double *restrict A, double *restrict b);
void gaussian(int64_t N, double *restrict A, double *restrict b)
{
    for (int64_t i = 0; i < N; i++)
        A[i * N + i] += 100.0;
    for (int64_t k = 0; k < N - 1; k++)
#pragma omp parallel for
        for (int64_t i = k + 1; i < N; i++) {
            double f = A[i * N + k] / A[k * N + k];
#pragma omp simd
            for (int64_t j = k; j < N; j++)
                A[i * N + j] -= f * A[k * N + j];
            b[i] -= f * b[k];
        }
}
