#include <stdint.h>
#include <stdlib.h>

static float sum9(const float *a, int64_t w)
{
    return a[0] + a[1] + a[2] + a[w] + a[w + 1] + a[w + 2] + a[2 * w] + a[2 * w + 1] + a[2 * w + 2];
}

void harris(int64_t N, int64_t M, const float *restrict A, float *restrict B);
void harris(int64_t N, int64_t M, const float *restrict A, float *restrict B)
{
    int64_t W = M - 2;
    float *restrict xx = malloc((N - 2) * W * sizeof(float));
    float *restrict yy = malloc((N - 2) * W * sizeof(float));
    float *restrict xy = malloc((N - 2) * W * sizeof(float));
#pragma omp parallel for
    for (int64_t i = 0; i < N - 2; i++)
        for (int64_t j = 0; j < W; j++) {
            const float *a = A + i * M + j, *b = a + M, *c = b + M;
            float x = (a[2] - a[0] + 2 * (b[2] - b[0]) + c[2] - c[0]) * 0.125f;
            float y = (c[0] - a[0] + 2 * (c[1] - a[1]) + c[2] - a[2]) * 0.125f;
            xx[i * W + j] = x * x;
            yy[i * W + j] = y * y;
            xy[i * W + j] = x * y;
        }
#pragma omp parallel for
    for (int64_t i = 0; i < N - 4; i++)
        for (int64_t j = 0; j < M - 4; j++) {
            float sxx = sum9(xx + i * W + j, W), syy = sum9(yy + i * W + j, W), sxy = sum9(xy + i * W + j, W);
            float trace = sxx + syy;
            B[i * (M - 4) + j] = sxx * syy - sxy * sxy - 0.04f * trace * trace;
        }
    free(xx);
    free(yy);
    free(xy);
}
