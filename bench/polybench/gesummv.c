#include <stdint.h>

void gesummv(double alpha, double beta, int64_t N, const double *restrict A, const double *restrict B,
             const double *restrict x, double *restrict __return);
void gesummv(double alpha, double beta, int64_t N, const double *restrict A, const double *restrict B,
             const double *restrict x, double *restrict __return)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
        for (int64_t j = 0; j < N; j++) {
            a += A[i * N + j] * x[j];
            b += B[i * N + j] * x[j];
        }
        __return[i] = alpha * a + beta * b;
    }
}
