#include <stdint.h>

void trmm(double alpha, int64_t M, int64_t N, const double *restrict A, double *restrict B);
void trmm(double alpha, int64_t M, int64_t N, const double *restrict A, double *restrict B)
{
    for (int64_t i = 0; i < M; i++) {
        for (int64_t k = i + 1; k < M; k++)
            for (int64_t j = 0; j < N; j++)
                B[i * N + j] += A[k * M + i] * B[k * N + j];
        for (int64_t j = 0; j < N; j++)
            B[i * N + j] *= alpha;
    }
}
