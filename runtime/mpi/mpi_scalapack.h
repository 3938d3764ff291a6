/* Products of block-cyclic matrices by ScaLAPACK, which is opened at run time, where there is one for the MPI library
 * that is used: SDFG_SCALAPACK names a file, "none" none; else the names that distributions give it are tried. */
#ifndef RUNTIME_MPI_MPI_SCALAPACK_H
#define RUNTIME_MPI_MPI_SCALAPACK_H

#include "runtime/mpi/mpi_cyclic.h"

enum sdfg_rt_scalapack_result {
    SDFG_RT_SCALAPACK_DONE,
    SDFG_RT_SCALAPACK_FAILED,  /* with an error */
    SDFG_RT_SCALAPACK_NOT_DONE /* there is no library, or it cannot do it */
};

/* C = A B. left, right: how A and B lie on the grid. type: enum sdfg_rt_type. All processes of the grid call it, and
 * get the same answer: what decides is the same for all of them. */
enum sdfg_rt_scalapack_result sdfg_rt_scalapack_gemm(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g,
                                                     int32_t type, const struct sdfg_rt_mpi_matrix *a,
                                                     const struct sdfg_rt_mpi_cyclic left[2],
                                                     const struct sdfg_rt_mpi_matrix *b,
                                                     const struct sdfg_rt_mpi_cyclic right[2],
                                                     const struct sdfg_rt_mpi_matrix *c);
/* y = A x, or the transposed A; the first process has the vectors. */
enum sdfg_rt_scalapack_result sdfg_rt_scalapack_gemv(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_grid *g,
                                                     int32_t type, const struct sdfg_rt_mpi_matrix *a,
                                                     const struct sdfg_rt_mpi_cyclic lies[2], bool transposed,
                                                     const struct sdfg_rt_mpi_matrix *x,
                                                     const struct sdfg_rt_mpi_matrix *y);
/* Before the communicator of the grid is freed. */
void sdfg_rt_scalapack_forget(const struct sdfg_rt_mpi_grid *g);

#endif
