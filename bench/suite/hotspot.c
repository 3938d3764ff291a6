#include <stdint.h>
#include <stdlib.h>

void hotspot(int64_t N, int64_t M, int64_t steps, double *restrict T, const double *restrict P);
void hotspot(int64_t N, int64_t M, int64_t steps, double *restrict T, const double *restrict P)
{
    double *restrict new = malloc(N * M * sizeof(double));
    for (int64_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                double x = T[i * M + j];
                new[i * M + j] = x + 0.1 * (P[i * M + j] + (T[(i - 1) * M + j] + T[(i + 1) * M + j] - 2 * x) * 0.3 +
                                            (T[i * M + j - 1] + T[i * M + j + 1] - 2 * x) * 0.2 + (80.0 - x) * 0.01);
            }
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++)
                T[i * M + j] = new[i * M + j];
    }
    free(new);
}
