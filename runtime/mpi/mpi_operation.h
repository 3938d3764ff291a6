/* What all processes of a communicator do together, at once or while the program goes on. */
#ifndef RUNTIME_MPI_MPI_OPERATION_H
#define RUNTIME_MPI_MPI_OPERATION_H

#include "runtime/mpi/mpi_internal.h"

/* A region without gaps: the caller's own, or a packed copy. */
struct sdfg_rt_mpi_packed {
    struct sdfg_rt_mpi_layout layout;
    void *buffer, *memory;
    void *copy; /* NULL: none */
};

struct sdfg_rt_mpi_operation {
    int64_t what, op; /* enum sdfg_rt_mpi_collective; of reductions: enum sdfg_rt_mpi_op */
    int root;
    struct sdfg_rt_mpi_packed in, out;
    int *numbers; /* counts and places of parts, or NULL */
    /* of one that goes on */
    const char *name;
    mpi_handle request;
    int rank, size;
};

/* Packs the regions; false: failed, and there is nothing to end. */
bool sdfg_rt_mpi_operation_begin(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, const void *in,
                                 const int64_t *in_layout, void *out, const int64_t *out_layout);
/* What is to be done with a result; good: there is one. */
bool sdfg_rt_mpi_operation_end(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, bool good);

/* An operation that goes on becomes the request of a program. */
void sdfg_rt_mpi_go_on(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, const char *name,
                       mpi_handle request, uint64_t *out);

#endif
