/* Matrices in block-cyclic distribution, as ScaLAPACK has them: on a grid of px x py processes, the block (i, j) lies
 * on the process (i mod px, j mod py), and the blocks of a process lie one behind the other in its part, which is
 * row-major in the sense of the matrix (its strides are its own). */
#ifndef RUNTIME_MPI_MPI_CYCLIC_H
#define RUNTIME_MPI_MPI_CYCLIC_H

#include "runtime/mpi/mpi_internal.h"

/* A region of rank 1 (a column) or 2. */
struct sdfg_rt_mpi_matrix {
    char *data;
    int64_t type, rows, cols, row_stride, col_stride; /* strides in elements */
    size_t bytes;                                     /* of one element */
};
struct sdfg_rt_mpi_matrix sdfg_rt_mpi_matrix(const void *buffer, const int64_t *layout);
static inline char *sdfg_rt_mpi_at(const struct sdfg_rt_mpi_matrix *m, int64_t i, int64_t j)
{
    return m->data + (i * m->row_stride + j * m->col_stride) * (int64_t)m->bytes;
}

/* One dimension of a matrix: `size` elements in blocks, over so many processes. */
struct sdfg_rt_mpi_cyclic {
    int64_t size, block;
    int processes;
};
/* How many of the elements are on a process (ScaLAPACK's numroc), and which of all its element `i` is. */
int64_t sdfg_rt_mpi_cyclic_local(const struct sdfg_rt_mpi_cyclic *c, int process);
int64_t sdfg_rt_mpi_cyclic_global(const struct sdfg_rt_mpi_cyclic *c, int process, int64_t i);

/* How a matrix lies on a grid of two dimensions; false with an error for blocks without elements. `blocks` has the
 * height, and unless there is one column only, the width. */
bool sdfg_rt_mpi_cyclic_make(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g, int64_t rows,
                             int64_t cols, const int32_t *blocks, struct sdfg_rt_mpi_cyclic out[2]);
/* False with an error if the part of this process is smaller than its share; `c` has both dimensions. */
bool sdfg_rt_mpi_cyclic_fits(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g,
                             const struct sdfg_rt_mpi_cyclic *c, const struct sdfg_rt_mpi_matrix *part,
                             const char *name);

#endif
