#include <math.h>
#include <stdint.h>

void cholesky(int64_t N, double *restrict A);
void cholesky(int64_t N, double *restrict A)
{
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < j; k++)
                sum += A[i * N + k] * A[j * N + k];
            A[i * N + j] = j < i ? (A[i * N + j] - sum) / A[j * N + j] : sqrt(A[i * N + i] - sum);
        }
    }
}
