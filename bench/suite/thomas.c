#include <stdint.h>

void thomas(int64_t N, int64_t M, const double *restrict a, double *restrict b, const double *restrict c,
            double *restrict d);
void thomas(int64_t N, int64_t M, const double *restrict a, double *restrict b, const double *restrict c,
            double *restrict d)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        const double *A = a + i * M, *C = c + i * M;
        double *B = b + i * M, *X = d + i * M;
        for (int64_t k = 0; k < M; k++)
            B[k] += 4.0;
        for (int64_t k = 1; k < M; k++) {
            double w = A[k] / B[k - 1];
            B[k] -= w * C[k - 1];
            X[k] -= w * X[k - 1];
        }
        X[M - 1] /= B[M - 1];
        for (int64_t k = M - 2; k >= 0; k--)
            X[k] = (X[k] - C[k] * X[k + 1]) / B[k];
    }
}
