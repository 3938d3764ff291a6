#include <stdint.h>

void seidel_2d(int64_t TSTEPS, int64_t N, double *restrict A);
void seidel_2d(int64_t TSTEPS, int64_t N, double *restrict A)
{
    for (int64_t t = 0; t < TSTEPS - 1; t++)
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < N - 1; j++) {
                double *c = A + i * N + j;
                c[0] = (c[-N - 1] + c[-N] + c[-N + 1] + c[-1] + c[0] + c[1] + c[N - 1] + c[N] + c[N + 1]) / 9.0;
            }
}
