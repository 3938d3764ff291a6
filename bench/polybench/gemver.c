#include <stdint.h>

void gemver(double alpha, double beta, int64_t N, double *restrict A, const double *restrict u1,
            const double *restrict u2, const double *restrict v1, const double *restrict v2, double *restrict w,
            double *restrict x, const double *restrict y, const double *restrict z);
void gemver(double alpha, double beta, int64_t N, double *restrict A, const double *restrict u1,
            const double *restrict u2, const double *restrict v1, const double *restrict v2, double *restrict w,
            double *restrict x, const double *restrict y, const double *restrict z)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            A[i * N + j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            x[j] += beta * y[i] * A[i * N + j];
    for (int64_t i = 0; i < N; i++)
        x[i] += z[i];
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < N; j++)
            sum += A[i * N + j] * x[j];
        w[i] += alpha * sum;
    }
}
