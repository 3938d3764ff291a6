#include <math.h>
#include <stdint.h>

void nearest(int64_t N, const float *restrict x, const float *restrict y, float *restrict d, float px, float py);
void nearest(int64_t N, const float *restrict x, const float *restrict y, float *restrict d, float px, float py)
{
#pragma omp parallel for simd
    for (int64_t i = 0; i < N; i++)
        d[i] = sqrtf((x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py));
}
