#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void sobel(int64_t N, int64_t M, const float *restrict A, float *restrict B);
void sobel(int64_t N, int64_t M, const float *restrict A, float *restrict B)
{
    float *restrict S = calloc(N * M, sizeof(float));
#pragma omp parallel for
    for (int64_t i = 1; i < N - 1; i++)
        for (int64_t j = 1; j < M - 1; j++) {
            const float *a = A + i * M + j;
            S[i * M + j] = 0.0625f * (a[-M - 1] + a[-M + 1] + a[M - 1] + a[M + 1]) +
                           0.125f * (a[-M] + a[M] + a[-1] + a[1]) + 0.25f * a[0];
        }
#pragma omp parallel for
    for (int64_t i = 2; i < N - 2; i++)
        for (int64_t j = 2; j < M - 2; j++) {
            const float *s = S + i * M + j;
            float x = s[-M + 1] - s[-M - 1] + 2 * (s[1] - s[-1]) + s[M + 1] - s[M - 1];
            float y = s[M - 1] - s[-M - 1] + 2 * (s[M] - s[-M]) + s[M + 1] - s[-M + 1];
            B[i * M + j] = sqrtf(x * x + y * y);
        }
    free(S);
}
