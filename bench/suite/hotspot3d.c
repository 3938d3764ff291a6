#include <stdint.h>

static void step(int64_t K, int64_t N, int64_t M, const float *restrict A, float *restrict B, const float *restrict P)
{
#pragma omp parallel for
    for (int64_t k = 1; k < K - 1; k++)
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                const float *a = A + (k * N + i) * M + j;
                B[(k * N + i) * M + j] = 0.4f * a[0] + 0.1f * (a[-1] + a[1] + a[-M] + a[M] + a[-N * M] + a[N * M]) +
                                         0.05f * P[(k * N + i) * M + j];
            }
}

void hotspot3d(int64_t K, int64_t N, int64_t M, int64_t steps, float *restrict A, float *restrict B,
               const float *restrict P);
void hotspot3d(int64_t K, int64_t N, int64_t M, int64_t steps, float *restrict A, float *restrict B,
               const float *restrict P)
{
    for (int64_t t = 0; t < steps; t++) {
        step(K, N, M, A, B, P);
        step(K, N, M, B, A, P);
    }
}
