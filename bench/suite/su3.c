#include <complex.h>
#include <stdint.h>

void su3(int64_t N, const double complex *restrict A, const double complex *restrict B, double complex *restrict C);
void su3(int64_t N, const double complex *restrict A, const double complex *restrict B, double complex *restrict C)
{
#pragma omp parallel for
    for (int64_t s = 0; s < N; s++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double re = 0, im = 0;
                for (int k = 0; k < 3; k++) {
                    double complex a = A[s * 9 + i * 3 + k], b = B[s * 9 + k * 3 + j];
                    re += creal(a) * creal(b) - cimag(a) * cimag(b);
                    im += creal(a) * cimag(b) + cimag(a) * creal(b);
                }
                C[s * 9 + i * 3 + j] = re + im * I;
            }
}
