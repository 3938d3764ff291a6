#include <stdint.h>

void lbm(int64_t N, int64_t M, int64_t steps, double *restrict A, double *restrict B);
void lbm(int64_t N, int64_t M, int64_t steps, double *restrict A, double *restrict B)
{
    int64_t L = N * M;
    for (int64_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                const double *a = A + i * M + j;
                double *b = B + i * M + j;
                double rho = a[0] + a[L] + a[2 * L] + a[3 * L] + a[4 * L] + a[5 * L] + a[6 * L] + a[7 * L] + a[8 * L];
                double u = (a[L] - a[3 * L] + a[5 * L] - a[6 * L] - a[7 * L] + a[8 * L]) / rho;
                double v = (a[2 * L] - a[4 * L] + a[5 * L] + a[6 * L] - a[7 * L] - a[8 * L]) / rho;
                double w = 1.0 - 1.5 * (u * u + v * v), p = u + v, m = u - v;
                b[0] = 0.4 * a[0] + 0.6 * rho * 4 / 9 * w;
                b[L + 1] = 0.4 * a[L] + 0.6 * rho / 9 * (w + 3 * u + 4.5 * u * u);
                b[2 * L + M] = 0.4 * a[2 * L] + 0.6 * rho / 9 * (w + 3 * v + 4.5 * v * v);
                b[3 * L - 1] = 0.4 * a[3 * L] + 0.6 * rho / 9 * (w - 3 * u + 4.5 * u * u);
                b[4 * L - M] = 0.4 * a[4 * L] + 0.6 * rho / 9 * (w - 3 * v + 4.5 * v * v);
                b[5 * L + M + 1] = 0.4 * a[5 * L] + 0.6 * rho / 36 * (w + 3 * p + 4.5 * p * p);
                b[6 * L + M - 1] = 0.4 * a[6 * L] + 0.6 * rho / 36 * (w - 3 * m + 4.5 * m * m);
                b[7 * L - M - 1] = 0.4 * a[7 * L] + 0.6 * rho / 36 * (w - 3 * p + 4.5 * p * p);
                b[8 * L - M + 1] = 0.4 * a[8 * L] + 0.6 * rho / 36 * (w + 3 * m + 4.5 * m * m);
            }
#pragma omp parallel for collapse(2)
        for (int64_t k = 0; k < 9; k++)
            for (int64_t i = 1; i < N - 1; i++)
                for (int64_t j = 1; j < M - 1; j++)
                    A[k * L + i * M + j] = B[k * L + i * M + j];
    }
}
