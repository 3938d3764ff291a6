#include <stdint.h>

void streamcluster(int64_t N, int64_t D, int64_t K, const float *restrict X, const float *restrict cost,
                   double *restrict gain);
void streamcluster(int64_t N, int64_t D, int64_t K, const float *restrict X, const float *restrict cost,
                   double *restrict gain)
{
#pragma omp parallel for
    for (int64_t c = 0; c < K; c++) {
        double saved = 0;
        for (int64_t i = 0; i < N; i++) {
            float d = 0;
#pragma omp simd reduction(+ : d)
            for (int64_t f = 0; f < D; f++)
                d += (X[i * D + f] - X[c * D + f]) * (X[i * D + f] - X[c * D + f]);
            if (d < cost[i])
                saved += cost[i] - d;
        }
        gain[c] = saved;
    }
}
