#include <stdint.h>

void mgrid(int64_t N, const double *restrict U, const double *restrict V, double *restrict R);
void mgrid(int64_t N, const double *restrict U, const double *restrict V, double *restrict R)
{
    int64_t L = N * N;
#pragma omp parallel for
    for (int64_t i = 1; i < N - 1; i++)
        for (int64_t j = 1; j < N - 1; j++)
            for (int64_t k = 1; k < N - 1; k++) {
                const double *u = U + i * L + j * N + k;
                R[i * L + j * N + k] = V[i * L + j * N + k] + 2.6 * u[0] -
                                       0.1 * (u[-L - N] + u[L - N] + u[-L + N] + u[L + N] + u[-N - 1] + u[N - 1] +
                                              u[-N + 1] + u[N + 1] + u[-L - 1] + u[-L + 1] + u[L - 1] + u[L + 1]) -
                                       0.08 * (u[-L - N - 1] + u[L - N - 1] + u[-L + N - 1] + u[L + N - 1] +
                                               u[-L - N + 1] + u[L - N + 1] + u[-L + N + 1] + u[L + N + 1]);
            }
}
