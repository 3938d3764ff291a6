/* What all MPI nodes have in common: whom they talk to, and how they fail. */
#include "runtime/mpi/mpi_internal.h"

#include <stdarg.h>
#include <stdio.h>

static bool fail(struct sdfg_rt_context *context, enum sdfg_rt_error error, const char *text)
{
    struct sdfg_rt_mpi *call = context->mpi;
    if (call && context->error == SDFG_RT_OK)
        snprintf(call->trouble, sizeof call->trouble, "%.*s", (int)sizeof call->trouble - 1, text);
    sdfg_rt_fail(context, error);
    return false;
}

bool sdfg_rt_mpi_fail(const struct sdfg_rt_mpi_node *n, enum sdfg_rt_error error, const char *format, ...)
{
    char text[SDFG_RT_MPI_TROUBLE], all[2 * SDFG_RT_MPI_TROUBLE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(all, sizeof all, "rank %d of %d: %s, at %s", n->rank, n->size, text, n->where);
    return fail(n->context, error, all);
}

bool sdfg_rt_mpi_good(const struct sdfg_rt_mpi_node *n, const char *function, int result, const char *format, ...)
{
    sdfg_rt_mpi_came_back();
    if (!result)
        return true;
    char text[SDFG_RT_MPI_TROUBLE / 2], error[1024] = "no text"; /* MPI libraries write 512 at most */
    int length;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    n->mpi->Error_string(result, error, &length);
    for (char *c = error; *c; c++)
        *c = *c == '\n' ? ' ' : *c; /* MPICH tells a stack */
    return sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "%s, %s: %.200s", function, text, error);
}

static mpi_handle communicator(const struct sdfg_rt_mpi_library *m, const struct sdfg_rt_mpi *call)
{
    if (!call || !call->has_communicator)
        return m->world;
    return m->Comm_f2c ? m->Comm_f2c(call->communicator) : (mpi_handle)(uint32_t)call->communicator;
}

bool sdfg_rt_mpi_enter(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where,
                       const struct sdfg_rt_mpi_grid *grid)
{
    char trouble[SDFG_RT_MPI_TROUBLE];
    const struct sdfg_rt_mpi *call = context->mpi;
    sdfg_rt_mpi_launch(context);
    if (context->error != SDFG_RT_OK || (grid && !grid->valid))
        return false;
    *n = (struct sdfg_rt_mpi_node){ .context = context, .where = where, .mpi = sdfg_rt_mpi_open(trouble), .size = 1 };
    if (!n->mpi)
        return fail(context, SDFG_RT_MPI, trouble);
    if (n->mpi->self)
        return !call || !call->has_communicator ||
               sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "a communicator was given, but this process has no MPI");
    n->comm = grid ? grid->comm : communicator(n->mpi, call);
    n->rank = grid ? grid->me : n->mpi->rank;
    n->size = grid ? grid->processes : n->mpi->size;
    if (!n->mpi->threads && sdfg_rt_in_parallel())
        return sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "the MPI library has no MPI_THREAD_MULTIPLE for a parallel region");
    return grid || n->comm == n->mpi->world ||
           (sdfg_rt_mpi_good(n, "MPI_Comm_rank", n->mpi->Comm_rank(n->comm, &n->rank), "communicator of the caller") &&
            sdfg_rt_mpi_good(n, "MPI_Comm_size", n->mpi->Comm_size(n->comm, &n->size), "communicator of the caller"));
}

bool sdfg_rt_mpi_rank(const struct sdfg_rt_mpi_node *n, const char *what, int64_t rank, int negative, int *out)
{
    *out = rank < 0 ? negative : rank < n->size ? (int)rank : 0;
    return rank < n->size || sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%s is rank %lld", what, (long long)rank);
}
