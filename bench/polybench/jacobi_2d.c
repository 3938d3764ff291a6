#include <stdint.h>

void jacobi_2d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B);
void jacobi_2d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B)
{
    for (int64_t t = 1; t < TSTEPS; t++)
        for (int half = 0; half < 2; half++) {
            const double *from = half ? B : A;
            double *to = half ? A : B;
#pragma omp parallel for
            for (int64_t i = 1; i < N - 1; i++)
#pragma omp simd
                for (int64_t j = 1; j < N - 1; j++)
                    to[i * N + j] = 0.2 * (from[i * N + j] + from[i * N + j - 1] + from[i * N + j + 1] +
                                           from[(i + 1) * N + j] + from[(i - 1) * N + j]);
        }
}
