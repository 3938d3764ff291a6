#include <stdint.h>
#include <stdlib.h>

void srad(int64_t N, int64_t M, int64_t steps, double *restrict J);
void srad(int64_t N, int64_t M, int64_t steps, double *restrict J)
{
    double *restrict C = calloc(N * M, sizeof(double));
    for (int64_t t = 0; t < steps; t++) {
        double total = 0, squares = 0;
#pragma omp parallel for simd reduction(+ : total, squares)
        for (int64_t i = 0; i < N * M; i++) {
            total += J[i];
            squares += J[i] * J[i];
        }
        double mean = total / (N * M), q0 = (squares / (N * M) - mean * mean) / (mean * mean);
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                double x = J[i * M + j], n = J[(i - 1) * M + j] - x, s = J[(i + 1) * M + j] - x;
                double w = J[i * M + j - 1] - x, e = J[i * M + j + 1] - x;
                double g = (n * n + s * s + w * w + e * e) / (x * x), l = (n + s + w + e) / x;
                double q = (0.5 * g - 0.0625 * l * l) / ((1.0 + 0.25 * l) * (1.0 + 0.25 * l));
                double c = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
                c = c > 0.0 ? c : 0.0;
                C[i * M + j] = c < 1.0 ? c : 1.0;
            }
#pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < M - 1; j++) {
                double c = C[i * M + j];
                J[i * M + j] += 0.05 * (C[(i + 1) * M + j] * c + C[i * M + j + 1] * c + 0.5 * c - 2.5 * c * c);
            }
    }
    free(C);
}
