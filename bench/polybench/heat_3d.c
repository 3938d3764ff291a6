#include <stdint.h>

void heat_3d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B);
void heat_3d(int64_t TSTEPS, int64_t N, double *restrict A, double *restrict B)
{
    for (int64_t t = 1; t < TSTEPS; t++)
        for (int half = 0; half < 2; half++) {
            const double *from = half ? B : A;
            double *to = half ? A : B;
#pragma omp parallel for
            for (int64_t i = 1; i < N - 1; i++)
                for (int64_t j = 1; j < N - 1; j++)
#pragma omp simd
                    for (int64_t k = 1; k < N - 1; k++) {
                        const double *c = from + (i * N + j) * N + k;
                        to[(i * N + j) * N + k] = 0.125 * (c[N * N] - 2 * c[0] + c[-N * N]) +
                                                  0.125 * (c[N] - 2 * c[0] + c[-N]) +
                                                  0.125 * (c[1] - 2 * c[0] + c[-1]) + c[0];
                    }
        }
}
