/* Communicators as values of programs: integers that hold an MPI_Comm, as DaCe and mpi4py's _handleof have them. */
#include "runtime/mpi/mpi_internal.h"

#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sdfg_rt_mpi_grid *known; /* what nodes get for a handle; they live as long as the process */

static struct sdfg_rt_mpi_grid *entry_for(mpi_handle comm)
{
    pthread_mutex_lock(&lock);
    struct sdfg_rt_mpi_grid *g = known;
    while (g && g->comm != comm)
        g = g->next;
    if (!g && (g = calloc(1, sizeof *g))) {
        g->comm = comm;
        g->next = known;
        known = g;
    }
    pthread_mutex_unlock(&lock);
    return g;
}

/* MPICH's handles are 32 bits of the integer. */
static mpi_handle handle_of(const struct sdfg_rt_mpi_library *m, int64_t value)
{
    return m->constants->handle_bytes == 4 ? (mpi_handle)(uint32_t)value : (mpi_handle)value;
}

static int64_t value_of(const struct sdfg_rt_mpi_library *m, mpi_handle comm)
{
    return m->constants->handle_bytes == 4 ? (int64_t)(int32_t)(uint32_t)comm : (int64_t)comm;
}

/* A handle may stand for another communicator than last time: its size is asked for again. */
void *sdfg_rt_mpi_handle(struct sdfg_rt_context *context, const char *where, int64_t handle)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL))
        return NULL;
    mpi_handle comm = n.mpi->self ? 0 : handle_of(n.mpi, handle);
    struct sdfg_rt_mpi_grid *g = entry_for(comm);
    if (!g) {
        sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "a communicator");
        return NULL;
    }
    int me = 0, processes = 1;
    if (!n.mpi->self) {
        if (!comm || comm == n.mpi->none) {
            sdfg_rt_mpi_fail(&n, SDFG_RT_BAD_VALUE, "the communicator is MPI_COMM_NULL");
            return NULL;
        }
        n.mpi->Comm_set_errhandler(comm, n.mpi->errors_return);
        if (!sdfg_rt_mpi_good(&n, "MPI_Comm_rank", n.mpi->Comm_rank(comm, &me), "of a communicator") ||
            !sdfg_rt_mpi_good(&n, "MPI_Comm_size", n.mpi->Comm_size(comm, &processes), "of a communicator"))
            return NULL;
    }
    g->me = me;
    g->processes = processes;
    g->member = g->valid = true;
    return g;
}

int64_t sdfg_rt_mpi_f2c(struct sdfg_rt_context *context, const char *where, int64_t handle)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL) || n.mpi->self)
        return 0;
    return n.mpi->Comm_f2c ? value_of(n.mpi, n.mpi->Comm_f2c((int32_t)handle)) : handle;
}

int64_t sdfg_rt_mpi_split(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t color,
                          int64_t key)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle comm = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || n.mpi->self)
        return 0;
    sdfg_rt_mpi_about(&n, "MPI_Comm_split", SDFG_RT_MPI_ALL, -1);
    int result = n.mpi->Comm_split(n.comm, (int)color, (int)key, &comm);
    return sdfg_rt_mpi_good(&n, "MPI_Comm_split", result, "color %lld", (long long)color) ? value_of(n.mpi, comm) : 0;
}

void sdfg_rt_mpi_comm_free(struct sdfg_rt_context *context, const char *where, int64_t handle)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL) || n.mpi->self)
        return;
    mpi_handle comm = handle_of(n.mpi, handle);
    if (comm == n.mpi->world || comm == n.mpi->none)
        sdfg_rt_mpi_fail(&n, SDFG_RT_BAD_VALUE, "MPI_COMM_WORLD and MPI_COMM_NULL cannot be freed");
    else
        sdfg_rt_mpi_good(&n, "MPI_Comm_free", n.mpi->Comm_free(&comm), "of a communicator");
}

void sdfg_rt_mpi_barrier(struct sdfg_rt_context *context, const char *where, const void *grid)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || n.mpi->self)
        return;
    sdfg_rt_mpi_about(&n, "MPI_Barrier", SDFG_RT_MPI_ALL, -1);
    sdfg_rt_mpi_good(&n, "MPI_Barrier", n.mpi->Barrier(n.comm), "of %d processes", n.size);
}

void sdfg_rt_mpi_stop(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t code)
{
    struct sdfg_rt_mpi_node n;
    if (sdfg_rt_mpi_enter(&n, context, where, grid))
        sdfg_rt_mpi_end(n.mpi, n.comm, (int)code);
}

int64_t sdfg_rt_mpi_me(struct sdfg_rt_context *context, const char *where, const void *grid)
{
    struct sdfg_rt_mpi_node n;
    return sdfg_rt_mpi_enter(&n, context, where, grid) ? n.rank : 0;
}

int64_t sdfg_rt_mpi_processes(struct sdfg_rt_context *context, const char *where, const void *grid)
{
    struct sdfg_rt_mpi_node n;
    return sdfg_rt_mpi_enter(&n, context, where, grid) ? n.size : 1;
}
