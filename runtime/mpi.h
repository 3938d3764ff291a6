/* Messages between processes: what generated code and the engine ask of MPI (library-nodes.md 10).
 *
 * The MPI library is opened at run time, when the first node of a call needs it: the one that the process already uses
 * (mpi4py, a host program), else the one whose launcher started the process; SDFG_MPI names a file instead. MPICH and
 * its kin (Intel, MVAPICH, Cray), Open MPI and the standard ABI of MPI 5 are known. A process that no launcher started,
 * and that has no MPI, is the only rank of its world: then no library is opened, and messages to oneself stay in the
 * process.
 *
 * Functions of generated code do nothing when the call has failed before; a failure is in the context's `error`, with a
 * text in its `mpi`. Threads: a parallel region may send and receive if the library gives MPI_THREAD_MULTIPLE, which is
 * asked for; else that is an error. */
#ifndef RUNTIME_MPI_H
#define RUNTIME_MPI_H

#include "runtime/abi.h"

enum sdfg_rt_mpi_type {
#define MPI_ELEMENT(name, bytes, mpich, open, standard) SDFG_RT_MPI_##name,
#include "runtime/mpi/mpi.def"
    SDFG_RT_MPI_TYPES
};

enum sdfg_rt_mpi_op {
#define MPI_OPERATION(name, mpich, open, standard) SDFG_RT_MPI_##name,
#include "runtime/mpi/mpi.def"
    SDFG_RT_MPI_OPS
};

enum sdfg_rt_mpi_collective {
    SDFG_RT_MPI_SCATTER,
    SDFG_RT_MPI_GATHER,
    SDFG_RT_MPI_ALLGATHER,
    SDFG_RT_MPI_ALLTOALL,
    SDFG_RT_MPI_REDUCE,
    SDFG_RT_MPI_ALLREDUCE,
    SDFG_RT_MPI_REDUCE_SCATTER
};
enum { SDFG_RT_MPI_AVERAGE = SDFG_RT_MPI_OPS }; /* of reductions: the sum, divided by how many processes there are */

enum { SDFG_RT_MPI_RANK = 64, SDFG_RT_MPI_TROUBLE = 512 };

/* Peers: a receiver less than 0 is nobody. A sender less than 0 is nobody if it is this number or MPI_PROC_NULL of the
 * library that is used, else anybody, for which the other number stands whatever the library. */
enum { SDFG_RT_MPI_NOBODY = -1000, SDFG_RT_MPI_ANYBODY = -1001 };

/* What a call says about its messages, in the context's `mpi`. NULL there: the world, and no text. */
struct sdfg_rt_mpi {
    bool has_communicator;
    int32_t communicator;              /* Fortran's handle of the caller's communicator */
    char trouble[SDFG_RT_MPI_TROUBLE]; /* what went wrong first; the caller sets it to "" */
};

/* ---- generated code (rows of runtime/abi.def) ----
 *
 * where: path of the node, for messages. grid: what sdfg_rt_mpi_grid or sdfg_rt_mpi_handle gave, or NULL: all
 * processes. layout: enum sdfg_rt_mpi_type, rank (at most SDFG_RT_MPI_RANK), extents, strides in elements. A request is
 * eight bytes of which only these functions know the meaning. */

/* The number of this process, and how many there are; 0 and 1 after a failure. */
int64_t sdfg_rt_mpi_me(struct sdfg_rt_context *context, const char *where, const void *grid);
int64_t sdfg_rt_mpi_processes(struct sdfg_rt_context *context, const char *where, const void *grid);
/* A communicator that is an integer of the program, as a grid for the other functions. */
void *sdfg_rt_mpi_handle(struct sdfg_rt_context *context, const char *where, int64_t handle);
/* The integer for one of Fortran's handles; that of a new communicator. 0 after a failure, or without MPI. */
int64_t sdfg_rt_mpi_f2c(struct sdfg_rt_context *context, const char *where, int64_t handle);
int64_t sdfg_rt_mpi_split(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t color,
                          int64_t key);
void sdfg_rt_mpi_comm_free(struct sdfg_rt_context *context, const char *where, int64_t handle);
void sdfg_rt_mpi_barrier(struct sdfg_rt_context *context, const char *where, const void *grid);
/* Ends all processes: it does not return, unless the call has failed before. */
void sdfg_rt_mpi_stop(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t code);
void sdfg_rt_mpi_send(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                      const int64_t *layout, int64_t to, int64_t tag);
void sdfg_rt_mpi_recv(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                      const int64_t *layout, int64_t from, int64_t tag);
void sdfg_rt_mpi_isend(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                       const int64_t *layout, int64_t to, int64_t tag, uint64_t *request);
void sdfg_rt_mpi_irecv(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                       const int64_t *layout, int64_t from, int64_t tag, uint64_t *request);
/* For `count` requests, `stride` apart, in their order; then they are none any more, and waiting for them again does
 * nothing. tag, source: of the last message received; null: not wanted. */
void sdfg_rt_mpi_wait(struct sdfg_rt_context *context, const char *where, uint64_t *requests, int64_t count,
                      int64_t stride, int32_t *tag, int32_t *source);
/* For one message, of which it is known who sends or receives it. */
void sdfg_rt_mpi_wait_for(struct sdfg_rt_context *context, const char *where, uint64_t *request, int64_t sent,
                          int64_t peer, int64_t tag);
/* goes_on, here and below: MPI's form that does not wait is used and waited for at once. All processes have to use the
 * same form, so the graph decides (mpi_goes_on), not what else is known of a process. */
void sdfg_rt_mpi_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                       const int64_t *layout, int64_t root, int32_t goes_on);
/* what: enum sdfg_rt_mpi_collective. op: enum sdfg_rt_mpi_op, of the reductions. root: where there is one. `in` and
 * `out` may be the same memory for reductions. */
void sdfg_rt_mpi_collective(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what,
                            int64_t op, const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout,
                            int64_t root, int32_t goes_on);
/* Parts of different sizes. to_one: all to the process `root`, else each to each. list: how many processes there are;
 * to_one: how many elements come from each, and where the first of them goes; else: how many elements go to each, and
 * how many come. */
void sdfg_rt_mpi_vectors(struct sdfg_rt_context *context, const char *where, const void *grid, const void *in,
                         const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                         int32_t to_one, int64_t root, int32_t goes_on);
/* The same three without waiting: `in` and `out` are in use until sdfg_rt_mpi_wait. request NULL: they wait. */
void sdfg_rt_mpi_start_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                             const int64_t *layout, int64_t root, uint64_t *request);
void sdfg_rt_mpi_start(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what, int64_t op,
                       const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout, int64_t root,
                       uint64_t *request);
void sdfg_rt_mpi_start_vectors(struct sdfg_rt_context *context, const char *where, const void *grid, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                               int32_t to_one, int64_t root, uint64_t *request);

/* A process grid: parent NULL, list: how many dimensions, and processes in each; or a part of the grid `parent`, list:
 * how many dimensions that has, and 1 for each that stays. exact: only the part with this rank of the parent takes part
 * in what is done on the grid; less than 0: all. The grid, or NULL after a failure. Processes that are in no grid do
 * nothing in its nodes. Collective over all processes, or those of the parent. */
void *sdfg_rt_mpi_grid(struct sdfg_rt_context *context, const char *where, void *parent, const int64_t *list,
                       int64_t exact);
/* An array of the first process of the grid, to blocks in all, and back. list: rank, extents of the array, extents of a
 * block, and for each dimension that of the grid along which its blocks lie. copies: a grid in which the first process
 * gives its block to the others; sums: a grid in whose first process the blocks are added up before; or NULL. */
void sdfg_rt_mpi_block_scatter(struct sdfg_rt_context *context, const char *where, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                               void *grid, void *copies);
void sdfg_rt_mpi_block_gather(struct sdfg_rt_context *context, const char *where, const void *in,
                              const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                              void *grid, void *sums);
/* Blocks on one grid to blocks of the same array on another; a grid that is a part of one has to be an exact one. */
void sdfg_rt_mpi_redistribute(struct sdfg_rt_context *context, const char *where, const void *in,
                              const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *from,
                              void *from_grid, const int64_t *to, void *to_grid);

/* Matrices in block-cyclic distribution over a grid of two dimensions, px x py: the block (i, j) lies on the process
 * (i mod px, j mod py), and the blocks of a process lie one behind the other in its part. blocks: height and width of a
 * block (a region of one dimension is a column, and its blocks have a height only). A part may be larger than what the
 * process has of the matrix. */

/* From the matrix of the first process to the parts of all, and back. descriptors: nine numbers for ScaLAPACK, whose
 * matrices are column-major, or null. */
void sdfg_rt_mpi_cyclic_scatter(struct sdfg_rt_context *context, const char *where, const void *in,
                                const int64_t *in_layout, void *out, const int64_t *out_layout, const int32_t *blocks,
                                void *grid, int32_t *whole_descriptor, int32_t *part_descriptor);
void sdfg_rt_mpi_cyclic_gather(struct sdfg_rt_context *context, const char *where, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int32_t *blocks,
                               void *grid);
/* C = A B. sizes: rows and columns of C, columns of A. C has blocks of A's height and of B's width. */
void sdfg_rt_mpi_gemm(struct sdfg_rt_context *context, const char *where, const void *a, const int64_t *a_layout,
                      const void *b, const int64_t *b_layout, void *c, const int64_t *c_layout, const int64_t *sizes,
                      const int32_t *a_blocks, const int32_t *b_blocks, void *grid);
/* c = A b, or the transposed A. sizes: rows and columns of A. The first process has the vectors. */
void sdfg_rt_mpi_gemv(struct sdfg_rt_context *context, const char *where, const void *a, const int64_t *a_layout,
                      const void *b, const int64_t *b_layout, void *c, const int64_t *c_layout, const int64_t *sizes,
                      const int32_t *a_blocks, int32_t transposed, void *grid);

/* ---- the embedding engine ---- */

/* Whether an MPI launcher started this process, as its environment says; nothing is opened. */
bool sdfg_rt_mpi_launched(void);
/* Opens and initializes MPI if that is not done. False with the reason in `trouble` (SDFG_RT_MPI_TROUBLE bytes). A
 * library that we initialize is finalized when the process exits. Any thread. */
bool sdfg_rt_mpi_world(int *rank, int *size, char *trouble);
/* For the processes of the world, after sdfg_rt_mpi_world: the least value that any of them gives; all wait. */
bool sdfg_rt_mpi_least(int64_t value, int64_t *least, char *trouble);
/* A part of a file. Of the dimensions of a region of bytes: counts and strides; in memory they are one behind the
 * other. */
struct sdfg_rt_mpi_part {
    const char *path;
    bool writes;
    int64_t begin; /* in bytes */
    int rank;
    const int64_t *counts, *strides;
    void *memory;
};
/* Reads or writes the parts of all processes, which all call it. False: no process did, since one cannot use the file
 * by MPI; or the call has failed (context->error). */
bool sdfg_rt_mpi_transfer(struct sdfg_rt_context *context, const struct sdfg_rt_mpi_part *p);
/* What this process waits for: "rank 1 of 4 waits in MPI_Recv for rank 0, tag 3, at PATH". 0: for nothing, else a
 * number that is another one for each message. Signal handlers may call it. */
unsigned sdfg_rt_mpi_waits(char *text, size_t size);
/* Ends all processes of the world, this one included, with that exit code. */
void sdfg_rt_mpi_abort(int code);

#endif
