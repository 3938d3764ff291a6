/* What the stand-ins for libraries of CUDA and their kernels (library_kernels.c) share. */
#ifndef STANDIN_LIBRARY_H
#define STANDIN_LIBRARY_H

#include <stdint.h>

enum standin_type { STANDIN_F32, STANDIN_F64, STANDIN_C64, STANDIN_C128 };

/* C = alpha op(A) op(B) + beta C, by columns; one thread for each element of each product. */
struct standin_product {
    int32_t type, rounded /* float32 operands to TF32 */, transposed[2];
    int32_t m, n, k, lda, ldb, ldc;
    int64_t count, steps[3];
    uint64_t a, b, c;
    double alpha[2], beta[2];
};

/* Factorizations and solutions, by columns; one thread for each problem. */
enum standin_operation { STANDIN_POTRF, STANDIN_GETRF, STANDIN_GETRS };
struct standin_system {
    int32_t type, what, option /* upper triangle; transposed */, batch /* `a` and `b` have addresses of matrices */;
    int32_t m, n, nrhs, lda, ldb, padding;
    int64_t count;
    uint64_t a, b, pivots, info; /* info: 0 for none */
};

/* Fourier transforms in place, row-major, one behind the other; one thread for each, which needs memory for a line of
 * double complex numbers. */
struct standin_transform {
    int32_t type, rank, sign, longest;
    int32_t sizes[3], padding;
    int64_t count;
    uint64_t data, memory;
};

#endif
