#include <math.h>
#include <stdint.h>

void lavamd(int64_t N, const double *restrict P, const double *restrict q, double *restrict F);
void lavamd(int64_t N, const double *restrict P, const double *restrict q, double *restrict F)
{
#pragma omp parallel for
    for (int64_t i = 0; i < N; i++) {
        double v = 0, fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : v, fx, fy, fz)
        for (int64_t j = 0; j < N; j++) {
            double dx = P[i * 4 + 1] - P[j * 4 + 1], dy = P[i * 4 + 2] - P[j * 4 + 2], dz = P[i * 4 + 3] - P[j * 4 + 3];
            double e = exp(-0.5 * (dx * dx + dy * dy + dz * dz));
            v += q[j] * e;
            fx += q[j] * 2.0 * e * dx;
            fy += q[j] * 2.0 * e * dy;
            fz += q[j] * 2.0 * e * dz;
        }
        F[i * 4] += v;
        F[i * 4 + 1] += fx;
        F[i * 4 + 2] += fy;
        F[i * 4 + 3] += fz;
    }
}
