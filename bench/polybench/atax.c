#include <stdint.h>

void atax(int64_t M, int64_t N, const double *restrict A, const double *restrict x, double *restrict __return);
void atax(int64_t M, int64_t N, const double *restrict A, const double *restrict x, double *restrict __return)
{
    for (int64_t j = 0; j < N; j++)
        __return[j] = 0;
    for (int64_t i = 0; i < M; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < N; j++)
            sum += A[i * N + j] * x[j];
        for (int64_t j = 0; j < N; j++)
            __return[j] += A[i * N + j] * sum;
    }
}
