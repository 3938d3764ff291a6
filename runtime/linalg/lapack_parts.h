/* The parts of factorizations that are too small to be products (lapack_loops.c): of a few columns, or of a few rows
 * and columns. Matrices have any strides. */
#ifndef RUNTIME_LAPACK_PARTS_H
#define RUNTIME_LAPACK_PARTS_H

#include "runtime/linalg/lapack.h"

struct lapack_parts {
    /* Rows i and ipiv[i] (from 1 on) change places, for i up to `count` in order. */
    void (*swaps)(const struct sdfg_rt_matrix *a, const int32_t *ipiv, int64_t count);
    int (*factor)(const struct sdfg_rt_matrix *a, int32_t *ipiv); /* getrf; gives its info */
    void (*solve_lower)(const struct sdfg_rt_matrix *l,
                        const struct sdfg_rt_matrix *b); /* B = L^-1 B, 1 on the diagonal */
    void (*solve_upper)(const struct sdfg_rt_matrix *u, const struct sdfg_rt_matrix *b); /* B = U^-1 B */
    int (*cholesky)(const struct sdfg_rt_matrix *a);                                /* potrf, lower; gives its info */
    void (*divide)(const struct sdfg_rt_matrix *l, const struct sdfg_rt_matrix *b); /* B = B L^-H */
    void (*less_square)(const struct sdfg_rt_matrix *a,
                        const struct sdfg_rt_matrix *c);         /* C -= A A^H, its lower part */
    void (*conjugate)(const struct sdfg_rt_matrix *a, void *to); /* to rows behind each other */
    int (*singular)(const struct sdfg_rt_matrix *u); /* the first 0 on the diagonal, from 1 on; 0: there is none */
    void (*identity)(const struct sdfg_rt_matrix *a);
};
const struct lapack_parts *sdfg_rt_lapack_parts(int32_t type);

#endif
