#include <stdint.h>

void fdtd_2d(int64_t TMAX, int64_t NX, int64_t NY, const double *restrict _fict_, double *restrict ex,
             double *restrict ey, double *restrict hz);
void fdtd_2d(int64_t TMAX, int64_t NX, int64_t NY, const double *restrict _fict_, double *restrict ex,
             double *restrict ey, double *restrict hz)
{
    for (int64_t t = 0; t < TMAX; t++) {
        for (int64_t j = 0; j < NY; j++)
            ey[j] = _fict_[t];
#pragma omp parallel for
        for (int64_t i = 1; i < NX; i++)
            for (int64_t j = 0; j < NY; j++)
                ey[i * NY + j] -= 0.5 * (hz[i * NY + j] - hz[(i - 1) * NY + j]);
#pragma omp parallel for
        for (int64_t i = 0; i < NX; i++)
            for (int64_t j = 1; j < NY; j++)
                ex[i * NY + j] -= 0.5 * (hz[i * NY + j] - hz[i * NY + j - 1]);
#pragma omp parallel for
        for (int64_t i = 0; i < NX - 1; i++)
            for (int64_t j = 0; j < NY - 1; j++)
                hz[i * NY + j] -= 0.7 * (ex[i * NY + j + 1] - ex[i * NY + j] + ey[(i + 1) * NY + j] - ey[i * NY + j]);
    }
}
