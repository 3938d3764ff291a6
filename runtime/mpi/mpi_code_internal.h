/* What the files about MPI functions of C++ tasklets share (runtime/mpi_code.h). */
#ifndef RUNTIME_MPI_MPI_CODE_INTERNAL_H
#define RUNTIME_MPI_MPI_CODE_INTERNAL_H

#include "runtime/mpi/mpi_internal.h"
#include "runtime/mpi_code.h"

enum { MPI_CODE_FAILED = 15 }; /* what functions give where no library says more: MPI_ERR_OTHER of MPICH */

/* MPI_IN_PLACE, whatever the library. */
static inline bool sdfg_rt_mpi_code_in_place(const void *buffer) { return buffer == (const void *)(intptr_t)1; }

/* Begins a call. False: it has failed before, or MPI is at its end (calls that give something back are done then). */
bool sdfg_rt_mpi_code_enter(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where);
/* Ends one that asked the library: its result, reported if it is no 0. */
int32_t sdfg_rt_mpi_code_done(const struct sdfg_rt_mpi_node *n, const char *function, int result);

/* ---- with a library: its handles for ours, and back ---- */

mpi_handle sdfg_rt_mpi_code_handle(const struct sdfg_rt_mpi_node *n, int64_t value);
mpi_handle sdfg_rt_mpi_code_comm(const struct sdfg_rt_mpi_node *n, int64_t value);
mpi_handle sdfg_rt_mpi_code_type(const struct sdfg_rt_mpi_node *n, int64_t value);
int64_t sdfg_rt_mpi_code_value(const struct sdfg_rt_mpi_node *n, mpi_handle handle);
/* Numbers of processes. */
int sdfg_rt_mpi_code_peer(const struct sdfg_rt_mpi_node *n, int32_t rank);
int32_t sdfg_rt_mpi_code_rank(const struct sdfg_rt_mpi_node *n, int rank);

/* ---- without (mpi_code_self.c): false or NULL, with an error ---- */

/* So many items of a type lie in memory like this, the first one so many elements behind the buffer. */
bool sdfg_rt_mpi_code_region(const struct sdfg_rt_mpi_node *n, int64_t type, int64_t count,
                             struct sdfg_rt_mpi_layout *out, int64_t *begin);
/* What one process sends to itself. `in` may be MPI_IN_PLACE. */
int32_t sdfg_rt_mpi_code_copy(const struct sdfg_rt_mpi_node *n, const void *in, int64_t in_count, int64_t in_type,
                              void *out, int64_t out_count, int64_t out_type);
/* An array of rank dimensions, whose whole takes `spans` elements of a predefined type. */
int32_t sdfg_rt_mpi_code_new_type(const struct sdfg_rt_mpi_node *n, int64_t of, int rank, const int64_t *extents,
                                  const int64_t *strides, int64_t begin, int64_t spans, int64_t *out);
int32_t sdfg_rt_mpi_code_resize(const struct sdfg_rt_mpi_node *n, int64_t of, int64_t begin, int64_t extent,
                                int64_t *out);
/* From one item to the next one, in bytes; 0: no type. */
int64_t sdfg_rt_mpi_code_extent(int64_t type);
void sdfg_rt_mpi_code_free_type(int64_t type);

struct sdfg_rt_mpi_code_grid {
    int rank, periods[SDFG_RT_MPI_RANK];
};
int32_t sdfg_rt_mpi_code_new_grid(const struct sdfg_rt_mpi_node *n, int rank, const int32_t *dims,
                                  const int32_t *periods, int64_t *out);
const struct sdfg_rt_mpi_code_grid *sdfg_rt_mpi_code_grid_of(const struct sdfg_rt_mpi_node *n, int64_t comm);
void sdfg_rt_mpi_code_free_grid(int64_t comm);

#endif
