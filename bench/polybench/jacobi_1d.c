#include <stdint.h>

void jacobi_1d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B);
void jacobi_1d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B)
{
    for (int64_t t = 1; t < TSTEPS; t++) {
        for (int64_t i = 1; i < N - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (int64_t i = 1; i < N - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}
