#include <stdint.h>

void gemm(double alpha, double beta, int64_t NI, int64_t NJ, int64_t NK, const double *restrict A,
          const double *restrict B, double *restrict C);
void gemm(double alpha, double beta, int64_t NI, int64_t NJ, int64_t NK, const double *restrict A,
          const double *restrict B, double *restrict C)
{
#pragma omp parallel for
    for (int64_t i = 0; i < NI; i++) {
        for (int64_t j = 0; j < NJ; j++)
            C[i * NJ + j] *= beta;
        for (int64_t k = 0; k < NK; k++)
            for (int64_t j = 0; j < NJ; j++)
                C[i * NJ + j] += alpha * A[i * NK + k] * B[k * NJ + j];
    }
}
