#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void unsharp(int64_t N, int64_t M, const float *restrict A, float *restrict B);
void unsharp(int64_t N, int64_t M, const float *restrict A, float *restrict B)
{
    int64_t W = M - 4;
    float *restrict S = malloc(N * W * sizeof(float));
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < W; j++) {
            const float *a = A + i * M + j;
            S[i * W + j] = 0.0625f * (a[0] + a[4]) + 0.25f * (a[1] + a[3]) + 0.375f * a[2];
        }
#pragma omp parallel for
    for (int64_t i = 0; i < N - 4; i++)
        for (int64_t j = 0; j < W; j++) {
            const float *s = S + i * W + j;
            float a = A[(i + 2) * M + j + 2];
            float smooth = 0.0625f * (s[0] + s[4 * W]) + 0.25f * (s[W] + s[3 * W]) + 0.375f * s[2 * W];
            B[i * W + j] = fabsf(a - smooth) < 0.01f ? a : 4 * a - 3 * smooth;
        }
    free(S);
}
