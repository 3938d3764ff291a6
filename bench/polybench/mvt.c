#include <stdint.h>

void mvt(int64_t N, const double *restrict A, double *restrict x1, double *restrict x2, const double *restrict y_1,
         const double *restrict y_2);
void mvt(int64_t N, const double *restrict A, double *restrict x1, double *restrict x2, const double *restrict y_1,
         const double *restrict y_2)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < N; j++)
            sum += A[i * N + j] * y_1[j];
        x1[i] += sum;
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            x2[j] += A[i * N + j] * y_2[i];
}
