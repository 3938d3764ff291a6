#include <stdint.h>

void fdtd3d(int64_t N, int64_t steps, double *restrict E, double *restrict H);
void fdtd3d(int64_t N, int64_t steps, double *restrict E, double *restrict H)
{
    int64_t L = N * N, A = N * N * N;
    for (int64_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t i = 0; i < N - 1; i++)
            for (int64_t j = 0; j < N - 1; j++)
                for (int64_t k = 0; k < N - 1; k++) {
                    const double *e = E + i * L + j * N + k;
                    double *h = H + i * L + j * N + k;
                    h[0] += 0.5 * (e[A + 1] - e[A] - e[2 * A + N] + e[2 * A]);
                    h[A] += 0.5 * (e[2 * A + L] - e[2 * A] - e[1] + e[0]);
                    h[2 * A] += 0.5 * (e[N] - e[0] - e[A + L] + e[A]);
                }
#pragma omp parallel for
        for (int64_t i = 1; i < N; i++)
            for (int64_t j = 1; j < N; j++)
                for (int64_t k = 1; k < N; k++) {
                    double *e = E + i * L + j * N + k;
                    const double *h = H + i * L + j * N + k;
                    e[0] += 0.5 * (h[2 * A] - h[2 * A - N] - h[A] + h[A - 1]);
                    e[A] += 0.5 * (h[0] - h[-1] - h[2 * A] + h[2 * A - L]);
                    e[2 * A] += 0.5 * (h[A] - h[A - L] - h[0] + h[-N]);
                }
    }
}
