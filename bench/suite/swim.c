#include <stdint.h>
#include <stdlib.h>

void swim(int64_t N, int64_t M, int64_t steps, double *restrict U, double *restrict V, double *restrict P);
void swim(int64_t N, int64_t M, int64_t steps, double *restrict U, double *restrict V, double *restrict P)
{
    double *restrict CU = calloc(N * M, sizeof(double)), *restrict CV = calloc(N * M, sizeof(double));
    double *restrict Z = calloc(N * M, sizeof(double)), *restrict H = calloc(N * M, sizeof(double));
    for (int64_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t i = 1; i < N; i++)
            for (int64_t j = 1; j < M; j++) {
                int64_t x = i * M + j;
                CU[x] = 0.5 * (P[x] + P[x - M]) * U[x];
                CV[x] = 0.5 * (P[x] + P[x - 1]) * V[x];
                Z[x] =
                    (4.0 * (V[x] - V[x - M]) - 4.0 * (U[x] - U[x - 1])) / (P[x - M - 1] + P[x - 1] + P[x] + P[x - M]);
                H[x] = P[x] + 0.25 * (U[x] * U[x] + V[x] * V[x]);
            }
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                int64_t x = i * M + j;
                U[x] += 0.01 * (Z[x + 1] + Z[x]) * (CV[x + 1] + CV[x]) - 0.02 * (H[x] - H[x - M]);
                V[x] += -0.01 * (Z[x + M] + Z[x]) * (CU[x + M] + CU[x]) - 0.02 * (H[x] - H[x - 1]);
                P[x] += -0.02 * (CU[x + M] - CU[x]) - 0.02 * (CV[x + 1] - CV[x]);
            }
    }
    free(CU);
    free(CV);
    free(Z);
    free(H);
}
