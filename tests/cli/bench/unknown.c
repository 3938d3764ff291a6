#include <stdint.h>

/* Not axpy(double *X) { but: */
void axpy(double alpha, const double *restrict X, double *restrict Y, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        Y[i] += alpha * X[i]; // axpy() { }
}
