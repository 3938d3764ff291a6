#include <math.h>
#include <stdint.h>

void softmax(int64_t N, int64_t H, int64_t SM, const float *restrict x, float *restrict __return);
void softmax(int64_t N, int64_t H, int64_t SM, const float *restrict x, float *restrict __return)
{
#pragma omp parallel for
    for (int64_t row = 0; row < N * H * SM; row++) {
        const float *in = x + row * SM;
        float *out = __return + row * SM, most = -INFINITY, sum = 0;
#pragma omp simd reduction(max : most)
        for (int64_t i = 0; i < SM; i++)
            most = in[i] > most ? in[i] : most;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < SM; i++) {
            out[i] = expf(in[i] - most);
            sum += out[i];
        }
        for (int64_t i = 0; i < SM; i++)
            out[i] /= sum;
    }
}
