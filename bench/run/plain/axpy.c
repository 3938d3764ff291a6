#include "plain.h"

static void axpy(int64_t n, double alpha, const double *restrict x, double *restrict y)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        y[i] = alpha * x[i] + y[i];
}

void plain_axpy(void *const *arrays, const int64_t *sizes) { axpy(sizes[0], 1.5, arrays[0], arrays[1]); }
