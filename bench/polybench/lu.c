#include <stdint.h>

void lu(int64_t N, double *restrict A);
void lu(int64_t N, double *restrict A)
{
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < i; j++) {
            for (int64_t k = 0; k < j; k++)
                A[i * N + j] -= A[i * N + k] * A[k * N + j];
            A[i * N + j] /= A[j * N + j];
        }
        for (int64_t k = 0; k < i; k++)
            for (int64_t j = i; j < N; j++)
                A[i * N + j] -= A[i * N + k] * A[k * N + j];
    }
}
