#include <stdint.h>

void floyd_warshall(int64_t N, int32_t *restrict path);
void floyd_warshall(int64_t N, int32_t *restrict path)
{
    for (int64_t k = 0; k < N; k++)
#pragma omp parallel for
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                int32_t through = path[i * N + k] + path[k * N + j];
                path[i * N + j] = path[i * N + j] < through ? path[i * N + j] : through;
            }
}
