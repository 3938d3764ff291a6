#include <stdint.h>

void syr2k(double alpha, double beta, int64_t M, int64_t N, const double *restrict A, const double *restrict B,
           double *restrict C);
void syr2k(double alpha, double beta, int64_t M, int64_t N, const double *restrict A, const double *restrict B,
           double *restrict C)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < M; k++)
                sum += A[j * M + k] * B[i * M + k] + B[j * M + k] * A[i * M + k];
            C[i * N + j] = beta * C[i * N + j] + alpha * sum;
        }
    }
}
