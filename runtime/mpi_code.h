/* The functions of MPI that C++ tasklets call (rows sdfg_rt_MPI_... of runtime/abi.def): the context, the path of the
 * tasklet, then the arguments as in MPI. They give an error code, 0 if all is well. A failure is also one of the call,
 * with a text as for nodes (runtime/mpi.h), and those that come after it do nothing but give a code.
 *
 * Handles are 64-bit integers, whatever the library: small ones stand for what is predefined (enum
 * sdfg_rt_mpi_code_handle, and the numbers of enum sdfg_rt_mpi_type and enum sdfg_rt_mpi_op plus 1), others are the
 * library's own. So are numbers of processes less than 0: SDFG_RT_MPI_NOBODY and SDFG_RT_MPI_ANYBODY. The prelude of
 * the C++ reader (ir/code/clang/clang_prelude_mpi.c) has the same numbers. Without a library, types and grids are our
 * own. */
#ifndef RUNTIME_MPI_CODE_H
#define RUNTIME_MPI_CODE_H

#include "runtime/mpi.h"

enum sdfg_rt_mpi_code_handle { SDFG_RT_MPI_CODE_NULL, SDFG_RT_MPI_CODE_WORLD, SDFG_RT_MPI_CODE_SELF };
enum { SDFG_RT_MPI_CODE_UNDEFINED = -32766 }; /* as in all libraries */

struct sdfg_rt_mpi_code_status {
    int32_t source, tag, error;
};

/* The communicator of a grid (sdfg_rt_mpi_grid); MPI_COMM_NULL for processes that are in no part that takes part. */
int64_t sdfg_rt_mpi_comm_of(struct sdfg_rt_context *context, const char *where, const void *grid);

#define CODE(name, ...) int32_t sdfg_rt_MPI_##name(struct sdfg_rt_context *context, const char *where, __VA_ARGS__)
/* communicators and groups */
CODE(Comm_rank, int64_t comm, int32_t *rank);
CODE(Comm_size, int64_t comm, int32_t *size);
CODE(Comm_group, int64_t comm, int64_t *group);
CODE(Comm_dup, int64_t comm, int64_t *out);
CODE(Comm_split, int64_t comm, int32_t color, int32_t key, int64_t *out);
CODE(Comm_free, int64_t *comm);
CODE(Group_size, int64_t group, int32_t *size);
CODE(Group_rank, int64_t group, int32_t *rank);
CODE(Group_translate_ranks, int64_t from, int32_t count, const int32_t *ranks, int64_t to, int32_t *out);
CODE(Group_free, int64_t *group);
CODE(Abort, int64_t comm, int32_t code);
/* process grids */
CODE(Cart_create, int64_t comm, int32_t rank, const int32_t *dims, const int32_t *periods, int32_t reorder,
     int64_t *out);
CODE(Cart_sub, int64_t comm, const int32_t *remain, int64_t *out);
CODE(Cart_get, int64_t comm, int32_t most, int32_t *dims, int32_t *periods, int32_t *coords);
CODE(Cart_coords, int64_t comm, int32_t rank, int32_t most, int32_t *coords);
CODE(Cart_rank, int64_t comm, const int32_t *coords, int32_t *rank);
CODE(Cart_shift, int64_t comm, int32_t dimension, int32_t by, int32_t *source, int32_t *dest);
CODE(Dims_create, int32_t processes, int32_t dimensions, int32_t *dims);
/* element types */
CODE(Type_contiguous, int32_t count, int64_t type, int64_t *out);
CODE(Type_vector, int32_t count, int32_t length, int32_t stride, int64_t type, int64_t *out);
CODE(Type_create_subarray, int32_t rank, const int32_t *sizes, const int32_t *counts, const int32_t *begins,
     int32_t order, int64_t type, int64_t *out);
CODE(Type_create_resized, int64_t type, int64_t begin, int64_t extent, int64_t *out);
CODE(Type_commit, int64_t *type);
CODE(Type_free, int64_t *type);
/* messages; status: null, or one for each request */
CODE(Send, const void *buffer, int32_t count, int64_t type, int32_t to, int32_t tag, int64_t comm);
CODE(Recv, void *buffer, int32_t count, int64_t type, int32_t from, int32_t tag, int64_t comm,
     struct sdfg_rt_mpi_code_status *status);
CODE(Sendrecv, const void *in, int32_t in_count, int64_t in_type, int32_t to, int32_t in_tag, void *out,
     int32_t out_count, int64_t out_type, int32_t from, int32_t out_tag, int64_t comm,
     struct sdfg_rt_mpi_code_status *status);
CODE(Isend, const void *buffer, int32_t count, int64_t type, int32_t to, int32_t tag, int64_t comm, uint64_t *request);
CODE(Irecv, void *buffer, int32_t count, int64_t type, int32_t from, int32_t tag, int64_t comm, uint64_t *request);
CODE(Wait, uint64_t *request, struct sdfg_rt_mpi_code_status *status);
CODE(Waitall, int32_t count, uint64_t *requests, struct sdfg_rt_mpi_code_status *status);
/* collectives; `in` may be MPI_IN_PLACE, the address 1 */
CODE(Barrier, int64_t comm);
CODE(Bcast, void *buffer, int32_t count, int64_t type, int32_t root, int64_t comm);
CODE(Reduce, const void *in, void *out, int32_t count, int64_t type, int64_t op, int32_t root, int64_t comm);
CODE(Allreduce, const void *in, void *out, int32_t count, int64_t type, int64_t op, int64_t comm);
CODE(Scatter, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int32_t root, int64_t comm);
CODE(Gather, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int32_t root, int64_t comm);
CODE(Allgather, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int64_t comm);
CODE(Alltoall, const void *in, int32_t in_count, int64_t in_type, void *out, int32_t out_count, int64_t out_type,
     int64_t comm);
CODE(Scatterv, const void *in, const int32_t *in_counts, const int32_t *in_at, int64_t in_type, void *out,
     int32_t out_count, int64_t out_type, int32_t root, int64_t comm);
CODE(Gatherv, const void *in, int32_t in_count, int64_t in_type, void *out, const int32_t *out_counts,
     const int32_t *out_at, int64_t out_type, int32_t root, int64_t comm);
CODE(Allgatherv, const void *in, int32_t in_count, int64_t in_type, void *out, const int32_t *out_counts,
     const int32_t *out_at, int64_t out_type, int64_t comm);
CODE(Alltoallv, const void *in, const int32_t *in_counts, const int32_t *in_at, int64_t in_type, void *out,
     const int32_t *out_counts, const int32_t *out_at, int64_t out_type, int64_t comm);
#undef CODE

#endif
