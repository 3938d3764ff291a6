// recorded.c: the loops of the recorded programs with SVE maps (corpus/sve), each as a function of its program's name
// in C. loops.py counts the instructions that a C compiler makes of them.
#include <math.h>

#define EACH(i, begin, end, step) for (long i = begin; i < end; i += step)

void chained(const double *restrict x, const double *restrict y, double *restrict z, long N)
{
    EACH(i, 0, N, 1) z[i] = (x[i] + y[i]) * (x[i] - y[i]) / (y[i] + 1.0);
}

void daxpy(const double *restrict a, const double *restrict x, double *restrict y, long N)
{
    EACH(i, 0, N, 1) y[i] = a[0] * x[i] + y[i];
}

void diagonal_scatter(const double *restrict A, double *restrict B, long N)
{
    EACH(i, 0, N, 1) B[2 * i] = A[i * N + i] + A[i * N + i];
}

void doitgen_map(const double *restrict A, const double *restrict C, double *restrict S, long N, long M, long K)
{
    EACH(r, 0, N, 1)
    EACH(q, 0, M, 1) EACH(s, 0, K, 1) EACH(p, 0, K, 1) S[(r * M + q) * K + p] += A[(r * M + q) * K + s] * C[s * K + p];
}

void dot_wcr(const double *restrict x, const double *restrict y, double *restrict s, long N)
{
    EACH(i, 0, N, 1) s[0] += x[i] * y[i];
}

void gather_index(const long *restrict idx, const double *restrict x, double *restrict y, long N)
{
    EACH(i, 0, N, 1) y[i] = x[idx[i]] * 2.0;
}

void iaxpy32(const int *restrict x, const int *restrict y, int *restrict z, long N)
{
    EACH(i, 0, N, 1) z[i] = 3 * x[i] - y[i] * y[i];
}

void map2d(const double *restrict A, const double *restrict B, double *restrict C, long N, long M)
{
    EACH(i, 0, N, 1) EACH(j, 0, M, 1) C[i * M + j] = A[i * M + j] * B[i * M + j] - A[i * M + j];
}

void masked(const double *restrict x, double *restrict z, long N)
{
    EACH(i, 0, N, 1) z[i] = x[i] > 0.0 ? x[i] * 3.0 : 0.0;
}

void matvec_wcr(const double *restrict A, const double *restrict x, double *restrict y, long N, long M)
{
    EACH(i, 0, N, 1) EACH(j, 0, M, 1) y[i] += A[i * M + j] * x[j];
}

void max_wcr(const float *restrict x, float *restrict s, long N) { EACH(i, 0, N, 1) s[0] = s[0] > x[i] ? s[0] : x[i]; }

void rowmin_wcr(const double *restrict A, double *restrict s, long N, long M)
{
    EACH(i, 0, N, 1) EACH(j, 0, M, 1) s[i] = s[i] < A[i * M + j] ? s[i] : A[i * M + j];
}

void saxpy(const float *restrict a, const float *restrict x, float *restrict y, long N)
{
    EACH(i, 0, N, 1) y[i] = a[0] * x[i] + y[i];
}

void select(const double *restrict x, const double *restrict y, double *restrict z, long N)
{
    EACH(i, 0, N, 1) z[i] = x[i] > 0.0 ? x[i] * y[i] : y[i] - x[i];
}

void sqrt1(const double *restrict x, double *restrict y, long N) { EACH(i, 0, N, 1) y[i] = sqrt(x[i]) + 1.0; }

void stencil3(const double *restrict A, double *restrict B, long N)
{
    EACH(i, 1, N - 1, 1) B[i] = 0.25 * (A[i - 1] + 2.0 * A[i] + A[i + 1]);
}

void stepped(const double *restrict A, double *restrict B, long N) { EACH(i, 0, N, 3) B[i] = A[i] * 10.0; }

void transpose_gather(const double *restrict A, double *restrict B, long N, long M)
{
    EACH(i, 0, N, 1) EACH(j, 0, M, 1) B[i * M + j] = A[j * N + i];
}
