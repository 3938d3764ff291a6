#include <stdint.h>
#include <stdlib.h>

void sad(int64_t N, int64_t M, int64_t K, const int32_t *restrict A, const int32_t *restrict B, int64_t *restrict S);
void sad(int64_t N, int64_t M, int64_t K, const int32_t *restrict A, const int32_t *restrict B, int64_t *restrict S)
{
#pragma omp parallel for collapse(2)
    for (int64_t dy = 0; dy < K; dy++)
        for (int64_t dx = 0; dx < K; dx++) {
            int64_t s = 0;
            for (int64_t i = 0; i < N - K; i++)
                for (int64_t j = 0; j < M - K; j++)
                    s += abs(A[i * M + j] - B[(i + dy) * M + j + dx]);
            S[dy * K + dx] = s;
        }
}
