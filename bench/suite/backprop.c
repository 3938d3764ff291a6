#include <math.h>
#include <stdint.h>

void backprop(int64_t N, int64_t M, const float *restrict x, float *restrict W, float *restrict V,
              const float *restrict target, float *restrict y);
void backprop(int64_t N, int64_t M, const float *restrict x, float *restrict W, float *restrict V,
              const float *restrict target, float *restrict y)
{
#pragma omp parallel for
    for (int64_t j = 0; j < M; j++) {
        float s = 0;
        for (int64_t i = 0; i < N; i++)
            s += W[i * M + j] * x[i];
        y[j] = 1 / (1 + expf(-s));
    }
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < M; j++) {
            float delta = y[j] * (1 - y[j]) * (target[j] - y[j]), step = 0.3f * delta * x[i] + 0.3f * V[i * M + j];
            W[i * M + j] += step;
            V[i * M + j] = step;
        }
}
