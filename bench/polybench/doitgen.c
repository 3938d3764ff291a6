#include <stdint.h>

void doitgen(int64_t NR, int64_t NQ, int64_t NP, double *restrict A, const double *restrict C4);
void doitgen(int64_t NR, int64_t NQ, int64_t NP, double *restrict A, const double *restrict C4)
{
#pragma omp parallel for
    for (int64_t r = 0; r < NR; r++)
        for (int64_t q = 0; q < NQ; q++) {
            double *row = A + (r * NQ + q) * NP, sum[NP];
            for (int64_t p = 0; p < NP; p++)
                sum[p] = 0;
            for (int64_t s = 0; s < NP; s++)
                for (int64_t p = 0; p < NP; p++)
                    sum[p] += row[s] * C4[s * NP + p];
            for (int64_t p = 0; p < NP; p++)
                row[p] = sum[p];
        }
}
