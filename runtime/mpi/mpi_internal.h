/* What the files of runtime/mpi/ share. */
#ifndef RUNTIME_MPI_MPI_INTERNAL_H
#define RUNTIME_MPI_MPI_INTERNAL_H

#include "runtime/mpi.h"
#include "runtime/runtime.h"

typedef uintptr_t mpi_handle;
/* What MPI calls for an attribute of a communicator: when that is duplicated, and before it is freed. Of MPICH's
 * handles the upper half means nothing here. */
typedef int mpi_copy(mpi_handle comm, int key, void *extra, void *value, void *out, int *copied);
typedef int mpi_remove(mpi_handle comm, int key, void *value, void *extra);

/* Numbers of the library's header that do not depend on its handles. */
struct sdfg_rt_mpi_constants {
    void *in_place;
    size_t handle_bytes;      /* of one handle in an array */
    size_t source_at, tag_at; /* of the fields of a status, in bytes */
    int proc_null, any_source, any_tag;
    int orders[2];             /* MPI_ORDER_C, MPI_ORDER_FORTRAN */
    int thread_multiple;       /* MPI_THREAD_MULTIPLE */
    int mode_read, mode_write; /* MPI_MODE_RDONLY, MPI_MODE_WRONLY */
};

/* The library that is open. `self`: there is none, this process is the whole world. */
struct sdfg_rt_mpi_library {
    bool self;
    bool threads;  /* several may call at once */
    bool standard; /* the library has the standard ABI of MPI 5 */
    bool devices;  /* buffers may be memory of a device */
    int rank, size;
#define MPI(name, parameters) int(*name) parameters;
#include "runtime/mpi/mpi.def"
    mpi_handle (*Comm_f2c)(int32_t); /* a macro in MPICH, where both handles are the same number: NULL */
    mpi_handle world, alone, none, errors_return, no_info; /* alone: MPI_COMM_SELF */
    mpi_handle types[SDFG_RT_MPI_TYPES], ops[SDFG_RT_MPI_OPS];
    const struct sdfg_rt_mpi_constants *constants;
};

/* Opened and initialized, or NULL with the reason. */
const struct sdfg_rt_mpi_library *sdfg_rt_mpi_open(char *trouble);

/* Replaces the functions of the library that block by those of mpi_yield.c. here: this process yields the processor. */
void sdfg_rt_mpi_yield(struct sdfg_rt_mpi_library *m, bool here);
bool sdfg_rt_mpi_yields(void);
/* MPI_Wait that yields, whether or not the library's functions have been replaced. */
int sdfg_rt_mpi_wait_yielding(mpi_handle *request, void *status);
/* Whether collectives yield, too: all processes must have agreed on that. */
void sdfg_rt_mpi_yield_together(bool all);

/* Ends the processes of a communicator, this one included. m: NULL if there is no library. */
_Noreturn void sdfg_rt_mpi_end(const struct sdfg_rt_mpi_library *m, mpi_handle comm, int code);

/* One node's call: what its functions need all the time. */
struct sdfg_rt_mpi_node {
    struct sdfg_rt_context *context;
    const char *where;
    const struct sdfg_rt_mpi_library *mpi;
    mpi_handle comm;
    int rank, size; /* in `comm` */
};

/* A process grid (mpi_grid.c). */
struct sdfg_rt_mpi_grid {
    struct sdfg_rt_mpi_grid *next;
    /* what it was made of */
    mpi_handle from;
    const struct sdfg_rt_mpi_grid *parent; /* NULL: of all processes */
    int64_t exact, list[1 + SDFG_RT_MPI_RANK];
    /* what it is */
    int rank, processes, me, dims[SDFG_RT_MPI_RANK];
    mpi_handle comm;
    bool has_blacs;
    int blacs;          /* ScaLAPACK's context for it (mpi_scalapack.c) */
    int64_t own;        /* without a library, its communicator as C++ code has it */
    bool member, valid; /* this process is in it; takes part in what it does */
};
void sdfg_rt_mpi_coordinates(const struct sdfg_rt_mpi_grid *g, int rank, int64_t *out);
/* The rank among all processes of one of the grid; of a grid of all processes (they come in their order, the first one
 * first) or of the part of one that is exact. */
int sdfg_rt_mpi_world_rank(const struct sdfg_rt_mpi_grid *g, int rank);

/* grid: NULL for all processes. False if the call has failed, or fails here, or this process is not in the grid. */
bool sdfg_rt_mpi_enter(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where,
                       const struct sdfg_rt_mpi_grid *grid);
bool sdfg_rt_mpi_fail(const struct sdfg_rt_mpi_node *n, enum sdfg_rt_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What an MPI function gave; `format` says what it was about. */
bool sdfg_rt_mpi_good(const struct sdfg_rt_mpi_node *n, const char *function, int result, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Before a call that waits for `peer` (less than 0: anybody), or SDFG_RT_MPI_ALL processes; sdfg_rt_mpi_good ends it
 * (mpi_waits.c). */
enum { SDFG_RT_MPI_ALL = -100 };
void sdfg_rt_mpi_about(const struct sdfg_rt_mpi_node *n, const char *function, int peer, int tag);
void sdfg_rt_mpi_came_back(void);
/* Ranks that programs give: 0 to size - 1, or less than 0 for nobody or anybody, as the library wants it. */
bool sdfg_rt_mpi_rank(const struct sdfg_rt_mpi_node *n, const char *what, int64_t rank, int negative, int *out);

/* MPI_Status of any library: the largest has 40 bytes. */
struct sdfg_rt_mpi_status {
    _Alignas(16) char bytes[128];
};

/* The device begins what it was told, while the host waits for others (mpi_device.c). */
void sdfg_rt_mpi_launch(struct sdfg_rt_context *context);

/* ---- layouts (mpi_layout.c) ---- */

size_t sdfg_rt_mpi_bytes(int64_t type); /* of an element */

/* A layout without what is redundant: extents of 1 are gone, and dimensions that lie one behind the other are one. */
struct sdfg_rt_mpi_layout {
    int64_t type, elements, rank, extents[SDFG_RT_MPI_RANK], strides[SDFG_RT_MPI_RANK];
    size_t bytes; /* of one element */
};
bool sdfg_rt_mpi_layout(const struct sdfg_rt_mpi_node *n, const int64_t *layout, struct sdfg_rt_mpi_layout *out);
/* Elements go where there are some of the same type: no library looks, nor would the others hear of it. */
bool sdfg_rt_mpi_same_type(const struct sdfg_rt_mpi_node *n, int64_t from, int64_t to);
bool sdfg_rt_mpi_contiguous(const struct sdfg_rt_mpi_layout *l);
void sdfg_rt_mpi_pack(const struct sdfg_rt_mpi_layout *l, const void *buffer, void *packed);
void sdfg_rt_mpi_unpack(const struct sdfg_rt_mpi_layout *l, void *buffer, const void *packed);

/* So many elements of a type of the library. */
struct sdfg_rt_mpi_elements {
    mpi_handle type;
    int count;
    bool made; /* to be freed */
};
/* All of a layout; sdfg_rt_mpi_elements_free may be called as soon as the transfer has begun. */
bool sdfg_rt_mpi_elements(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_layout *l,
                          struct sdfg_rt_mpi_elements *out);
/* So many in a row. */
bool sdfg_rt_mpi_row(const struct sdfg_rt_mpi_node *n, int64_t type, int64_t count, struct sdfg_rt_mpi_elements *out);
void sdfg_rt_mpi_elements_free(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_elements *e);

/* The sum over the processes of a grid, in the memory of its first one: so many elements in a row. */
bool sdfg_rt_mpi_add_up(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *grid, int64_t type,
                        int64_t elements, char *own);

/* ---- operations of all processes that go on (mpi_operation.c) ---- */

/* Is that a request of one, and no message's? */
bool sdfg_rt_mpi_is_operation(uint64_t request);
/* tag, source: NULL, or where those of a message go. */
bool sdfg_rt_mpi_operation_wait(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source);
/* The library's request, which `function` has begun (mpi_point.c). */
bool sdfg_rt_mpi_complete(const struct sdfg_rt_mpi_node *n, const char *function, uint64_t request, int32_t *tag,
                          int32_t *source);

/* ---- a world of one process (mpi_self.c) ---- */

bool sdfg_rt_mpi_self_send(const struct sdfg_rt_mpi_node *n, const void *buffer, const struct sdfg_rt_mpi_layout *l,
                           int64_t to, int64_t tag);
/* request NULL: the message must be there. */
bool sdfg_rt_mpi_self_recv(const struct sdfg_rt_mpi_node *n, void *buffer, const struct sdfg_rt_mpi_layout *l,
                           int64_t from, int64_t tag, uint64_t *request);
bool sdfg_rt_mpi_self_wait(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source);

#endif
