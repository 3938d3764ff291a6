/* What the plain C versions share. They are written as a C programmer would: the same order of work as the graph, one
 * loop nest per map, OpenMP on the outermost loop. */
#ifndef BENCH_RUN_PLAIN_PLAIN_H
#define BENCH_RUN_PLAIN_PLAIN_H

#include <stdint.h>

/* `arrays` and `sizes` in the order of the table in bench/run/run.c. */
typedef void plain_kernel(void *const *arrays, const int64_t *sizes);

plain_kernel plain_axpy, plain_jacobi_2d, plain_gemm, plain_softmax, plain_histogram, plain_heat_3d;
void plain_threads(int count);

#endif
