#include <stdint.h>

void spmv(int64_t M, const uint32_t *restrict A_row, const uint32_t *restrict A_col, const double *restrict A_val,
          const double *restrict x, double *restrict __return);
void spmv(int64_t M, const uint32_t *restrict A_row, const uint32_t *restrict A_col, const double *restrict A_val,
          const double *restrict x, double *restrict __return)
{
#pragma omp parallel for
    for (int64_t i = 0; i < M; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (uint32_t k = A_row[i]; k < A_row[i + 1]; k++)
            sum += A_val[k] * x[A_col[k]];
        __return[i] = sum;
    }
}
