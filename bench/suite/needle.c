#include <stdint.h>

void needle(int64_t N, int64_t M, const int32_t *restrict S, int32_t *restrict F, int32_t penalty);
void needle(int64_t N, int64_t M, const int32_t *restrict S, int32_t *restrict F, int32_t penalty)
{
    for (int64_t i = 1; i < N; i++)
        for (int64_t j = 1; j < M; j++) {
            int32_t up = F[(i - 1) * M + j], left = F[i * M + j - 1];
            int32_t gap = (up > left ? up : left) - penalty, both = F[(i - 1) * M + j - 1] + S[i * M + j];
            F[i * M + j] = both > gap ? both : gap;
        }
}
