#include <stdint.h>
#include <stdlib.h>

/* A program of its own that does not come back. */
void axpy(double alpha, const double *X, double *Y, int64_t N)
{
    (void)alpha, (void)X, (void)Y, (void)N;
    abort();
}
