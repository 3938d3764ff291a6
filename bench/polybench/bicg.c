#include <stdint.h>

void bicg(int64_t M, int64_t N, const double *restrict A, const double *restrict p, const double *restrict r,
          double *restrict __return_0, double *restrict __return_1);
void bicg(int64_t M, int64_t N, const double *restrict A, const double *restrict p, const double *restrict r,
          double *restrict __return_0, double *restrict __return_1)
{
    for (int64_t j = 0; j < M; j++)
        __return_0[j] = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < M; j++) {
            __return_0[j] += r[i] * A[i * M + j];
            sum += A[i * M + j] * p[j];
        }
        __return_1[i] = sum;
    }
}
