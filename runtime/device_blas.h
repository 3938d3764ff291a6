/* Many small systems at once, by cuBLAS, for device_solver.c: the context is current and the lock of its libraries
 * held. */
#ifndef RUNTIME_DEVICE_BLAS_H
#define RUNTIME_DEVICE_BLAS_H

#include "runtime/device_internal.h"

/* Square matrices by columns, without gaps; `a` has their addresses, on the device, and `pivots` n numbers for each. */
struct sdfg_rt_blas_batch {
    struct sdfg_rt_run *run;
    const char *doing, *path; /* for messages */
    int32_t type;             /* enum sdfg_rt_type */
    int64_t n, count;
    void **a;
    int32_t *pivots;
};

/* False with the error set. `info`: a code for each. */
bool sdfg_rt_blas_getrf(const struct sdfg_rt_blas_batch *b, int32_t *info);
/* `sides` has the addresses, on the device, of matrices with `nrhs` columns: right-hand sides, then solutions. */
bool sdfg_rt_blas_getrs(const struct sdfg_rt_blas_batch *b, int transposed, int64_t nrhs, void **sides);

#endif
