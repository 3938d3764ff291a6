#include <stdint.h>

void kmeans(int64_t N, int64_t K, int64_t D, const float *restrict X, const float *restrict C, int64_t *restrict member,
            float *restrict total, int64_t *restrict count);
void kmeans(int64_t N, int64_t K, int64_t D, const float *restrict X, const float *restrict C, int64_t *restrict member,
            float *restrict total, int64_t *restrict count)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        float near = 1e30f;
        int64_t which = 0;
        for (int64_t c = 0; c < K; c++) {
            float d = 0;
#pragma omp simd reduction(+ : d)
            for (int64_t f = 0; f < D; f++)
                d += (X[i * D + f] - C[c * D + f]) * (X[i * D + f] - C[c * D + f]);
            if (d < near) {
                near = d;
                which = c;
            }
        }
        member[i] = which;
    }
    for (int64_t i = 0; i < N; i++) {
        count[member[i]] += 1;
        for (int64_t f = 0; f < D; f++)
            total[member[i] * D + f] += X[i * D + f];
    }
}
