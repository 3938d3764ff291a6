#include <stdint.h>

void trisolv(int64_t N, const double *restrict L, const double *restrict b, double *restrict x);
void trisolv(int64_t N, const double *restrict L, const double *restrict b, double *restrict x)
{
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < i; j++)
            sum += L[i * N + j] * x[j];
        x[i] = (b[i] - sum) / L[i * N + i];
    }
}
