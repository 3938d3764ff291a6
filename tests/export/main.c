/* A program that is linked with two programs compiled ahead of time, and knows what must come out. */
#include "axpy.h"
#include "gemm_maps.h"

#include <math.h>
#include <stdio.h>

enum { N = 7 };

static int check(const char *name, double actual, double expected)
{
    if (fabs(actual - expected) <= 1e-12 * fabs(expected))
        return 0;
    printf("%s is %.17g, expected %.17g\n", name, actual, expected);
    return 1;
}

/* C = 2 A B - C */
static int check_gemm(void)
{
    double A[N][N], B[N][N], C[N][N];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            A[i][k] = i + 0.5 * k;
            B[i][k] = i - 0.25 * k;
            C[i][k] = i * k;
        }
    gemm_mapsHandle_t handle = __dace_init_gemm_maps(N);
    __program_gemm_maps(handle, *A, *B, *C, N, 2, -1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = -i * j;
            for (int k = 0; k < N; k++)
                sum += 2 * A[i][k] * B[k][j];
            wrong += check("C", C[i][j], sum);
        }
    return wrong + __dace_exit_gemm_maps(handle);
}

static int check_axpy(void)
{
    double X[N], Y[N];
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        X[i] = i;
        Y[i] = 1;
    }
    axpyHandle_t handle = __dace_init_axpy(N);
    int error = __sdfg_call_axpy(handle, X, Y, N, 2.5);
    if (error)
        printf("axpy: %s\n", sdfg_rt_error_text(error));
    for (int i = 0; i < N; i++)
        wrong += check("Y", Y[i], 2.5 * i + 1);
    return wrong + error + __dace_exit_axpy(handle);
}

int main(void) { return check_gemm() + check_axpy() ? 1 : 0; }
