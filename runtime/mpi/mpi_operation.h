/* What all processes of a communicator do together, at once or while the program goes on. */
#ifndef RUNTIME_MPI_MPI_OPERATION_H
#define RUNTIME_MPI_MPI_OPERATION_H

#include "runtime/mpi/mpi_internal.h"

/* A region as MPI gets it: the caller's own, or elements one behind the other in a copy. */
struct sdfg_rt_mpi_packed {
    struct sdfg_rt_mpi_layout layout; /* of the caller's region */
    void *buffer, *memory;            /* the caller's; where MPI goes */
    void *copy;                       /* NULL: none */
    bool device;                      /* the caller's is memory of a device */
};

enum { SDFG_RT_MPI_MESSAGE = -1 }; /* no enum sdfg_rt_mpi_collective: the region of a message, or of a broadcast */

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

/* A copy only where memory of a device is out of the library's reach. operation_end ends an operation with it. */
bool sdfg_rt_mpi_reach(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p, const void *buffer,
                       const int64_t *layout);
/* The layout of `memory`. */
struct sdfg_rt_mpi_layout sdfg_rt_mpi_reached(const struct sdfg_rt_mpi_packed *p);

/* Packs the regions; false: failed, and there is nothing to end. */
bool sdfg_rt_mpi_operation_begin(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, const void *in,
                                 const int64_t *in_layout, void *out, const int64_t *out_layout);
/* What is to be done with a result; good: there is one. */
bool sdfg_rt_mpi_operation_end(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, bool good);

/* An operation that goes on becomes the request of a program. */
void sdfg_rt_mpi_go_on(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, const char *name,
                       mpi_handle request, uint64_t *out);

/* ---- memory of devices (mpi_device.c) ---- */

/* False: nobody knows, and the call has failed. */
bool sdfg_rt_mpi_on_device(const struct sdfg_rt_mpi_node *n, const void *memory, bool *out);
/* From the region to the copy, and back. */
bool sdfg_rt_mpi_device_pack(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_packed *p);
bool sdfg_rt_mpi_device_unpack(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_packed *p);

#endif
