#include <stdint.h>
#include <stdlib.h>

void viterbi(int64_t N, int64_t K, const float *restrict T, const float *restrict E, float *restrict score);
void viterbi(int64_t N, int64_t K, const float *restrict T, const float *restrict E, float *restrict score)
{
    float *restrict old = malloc(K * sizeof(float));
    for (int64_t t = 0; t < N; t++) {
        for (int64_t s = 0; s < K; s++)
            old[s] = score[s];
        for (int64_t s = 0; s < K; s++)
            score[s] = old[0] + T[s];
        for (int64_t p = 1; p < K; p++)
            for (int64_t s = 0; s < K; s++) {
                float x = old[p] + T[p * K + s];
                score[s] = x > score[s] ? x : score[s];
            }
        for (int64_t s = 0; s < K; s++)
            score[s] += E[t * K + s];
    }
    free(old);
}
