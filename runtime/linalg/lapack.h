/* LAPACK's operations for machines without the library, or with a slow one (lapack_blocks.c). Matrices have any
 * strides; the results and the info codes are those of LAPACK. */
#ifndef RUNTIME_LAPACK_H
#define RUNTIME_LAPACK_H

#include "runtime/linalg/blas.h"

enum { SDFG_RT_LAPACK_MEMORY = -1000 }; /* info: no memory; LAPACK itself gives -1 for its first argument and so on */

int sdfg_rt_getrf_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a, int32_t *ipiv);
int sdfg_rt_getri_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a,
                         const int32_t *ipiv);
int sdfg_rt_getrs_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a,
                         const int32_t *ipiv, const struct sdfg_rt_matrix *b);
int sdfg_rt_potrf_blocks(struct sdfg_rt_context *context, int32_t type, const struct sdfg_rt_matrix *a, bool lower);

#endif
