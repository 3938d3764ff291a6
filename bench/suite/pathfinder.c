#include <stdint.h>
#include <stdlib.h>

void pathfinder(int64_t N, int64_t M, const int32_t *restrict W, int32_t *restrict best);
void pathfinder(int64_t N, int64_t M, const int32_t *restrict W, int32_t *restrict best)
{
    int32_t *restrict row = malloc(M * sizeof(int32_t));
    for (int64_t j = 0; j < M; j++)
        best[j] = W[j];
    for (int64_t i = 1; i < N; i++) {
        for (int64_t j = 0; j < M; j++)
            row[j] = best[j];
        for (int64_t j = 1; j < M - 1; j++) {
            int32_t least = row[j - 1] < row[j + 1] ? row[j - 1] : row[j + 1];
            best[j] = W[i * M + j] + (row[j] < least ? row[j] : least);
        }
        best[0] = W[i * M] + (row[0] < row[1] ? row[0] : row[1]);
        best[M - 1] = W[i * M + M - 1] + (row[M - 1] < row[M - 2] ? row[M - 1] : row[M - 2]);
    }
    free(row);
}
