#include <math.h>
#include <stdint.h>

void blackscholes(int64_t N, const double *restrict S, const double *restrict X, const double *restrict T,
                  double *restrict price);
void blackscholes(int64_t N, const double *restrict S, const double *restrict X, const double *restrict T,
                  double *restrict price)
{
#pragma omp parallel for simd
    for (int64_t i = 0; i < N; i++) {
        double v = 0.3 * sqrt(T[i] + 1.0), d1 = (log((S[i] + 1.0) / (X[i] + 1.0)) + 0.065 * (T[i] + 1.0)) / v,
               d2 = d1 - v;
        double n1 = 0.5 * (1.0 + erf(d1 * 0.7071067811865476)), n2 = 0.5 * (1.0 + erf(d2 * 0.7071067811865476));
        price[i] = (S[i] + 1.0) * n1 - (X[i] + 1.0) * exp(-0.02 * (T[i] + 1.0)) * n2;
    }
}
