/* Messages from one process to another. */
#include "runtime/mpi/mpi_internal.h"

#include <string.h>

static bool begin(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where, const void *grid,
                  const int64_t *layout, struct sdfg_rt_mpi_layout *l)
{
    return sdfg_rt_mpi_enter(n, context, where, grid) && sdfg_rt_mpi_layout(n, layout, l);
}

static void send(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                 const int64_t *layout, int64_t to, int64_t tag, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements e;
    mpi_handle started = 0;
    int peer;
    if (request)
        *request = 0;
    if (!begin(&n, context, where, grid, layout, &l) ||
        !sdfg_rt_mpi_rank(&n, "the receiver", to, n.mpi->proc_null, &peer))
        return;
    if (n.mpi->self) {
        sdfg_rt_mpi_self_send(&n, buffer, &l, to, tag);
        return;
    }
    if (!sdfg_rt_mpi_elements(&n, &l, &e))
        return;
    if (!request)
        sdfg_rt_mpi_about(&n, "MPI_Send", peer, (int)tag);
    int result = request ? n.mpi->Isend(buffer, e.count, e.type, peer, (int)tag, n.comm, &started)
                         : n.mpi->Send(buffer, e.count, e.type, peer, (int)tag, n.comm);
    sdfg_rt_mpi_good(&n, request ? "MPI_Isend" : "MPI_Send", result, "to rank %d, tag %lld", peer, (long long)tag);
    if (request)
        *request = started;
    sdfg_rt_mpi_elements_free(&n, &e);
}

void sdfg_rt_mpi_send(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                      const int64_t *layout, int64_t to, int64_t tag)
{
    send(context, where, grid, buffer, layout, to, tag, NULL);
}

void sdfg_rt_mpi_isend(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                       const int64_t *layout, int64_t to, int64_t tag, uint64_t *request)
{
    send(context, where, grid, buffer, layout, to, tag, request);
}

static void receive(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                    const int64_t *layout, int64_t from, int64_t tag, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements e;
    struct sdfg_rt_mpi_status status;
    mpi_handle started = 0;
    int peer;
    if (request)
        *request = 0;
    if (!begin(&n, context, where, grid, layout, &l))
        return;
    bool nobody = from == SDFG_RT_MPI_NOBODY || (from < 0 && from == n.mpi->proc_null);
    if (!sdfg_rt_mpi_rank(&n, "the sender", from, nobody ? n.mpi->proc_null : n.mpi->any_source, &peer) ||
        (nobody && n.mpi->self))
        return;
    if (n.mpi->self) {
        sdfg_rt_mpi_self_recv(&n, buffer, &l, from, tag, request);
        return;
    }
    if (!sdfg_rt_mpi_elements(&n, &l, &e))
        return;
    int which = tag < 0 ? n.mpi->any_tag : (int)tag;
    if (!request)
        sdfg_rt_mpi_about(&n, "MPI_Recv", peer, which);
    int result = request ? n.mpi->Irecv(buffer, e.count, e.type, peer, which, n.comm, &started)
                         : n.mpi->Recv(buffer, e.count, e.type, peer, which, n.comm, &status);
    sdfg_rt_mpi_good(&n, request ? "MPI_Irecv" : "MPI_Recv", result, "from rank %d, tag %d", peer, which);
    if (request)
        *request = started;
    sdfg_rt_mpi_elements_free(&n, &e);
}

void sdfg_rt_mpi_recv(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                      const int64_t *layout, int64_t from, int64_t tag)
{
    receive(context, where, grid, buffer, layout, from, tag, NULL);
}

void sdfg_rt_mpi_irecv(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                       const int64_t *layout, int64_t from, int64_t tag, uint64_t *request)
{
    receive(context, where, grid, buffer, layout, from, tag, request);
}

static bool wait_for(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source)
{
    struct sdfg_rt_mpi_status status;
    mpi_handle started = (mpi_handle)*request;
    if (!started)
        return true;
    if (n->mpi->self)
        return sdfg_rt_mpi_self_wait(n, request, tag, source);
    if (sdfg_rt_mpi_is_operation(*request))
        return sdfg_rt_mpi_operation_wait(n, request);
    *request = 0;
    sdfg_rt_mpi_about(n, "MPI_Wait", SDFG_RT_MPI_ALL, -1);
    if (!sdfg_rt_mpi_good(n, "MPI_Wait", n->mpi->Wait(&started, &status), "for a message"))
        return false;
    if (tag)
        memcpy(tag, status.bytes + n->mpi->tag_at, sizeof *tag);
    if (source)
        memcpy(source, status.bytes + n->mpi->source_at, sizeof *source);
    return true;
}

void sdfg_rt_mpi_wait(struct sdfg_rt_context *context, const char *where, uint64_t *requests, int64_t count,
                      int64_t stride, int32_t *tag, int32_t *source)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL))
        return;
    for (int64_t i = 0; i < count; i++)
        if (!wait_for(&n, &requests[i * stride], tag, source))
            return;
}

void sdfg_rt_mpi_wait_for(struct sdfg_rt_context *context, const char *where, uint64_t *request, int64_t sent,
                          int64_t peer, int64_t tag)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_status status;
    const char *function = sent ? "MPI_Send" : "MPI_Recv"; /* what the program has */
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL))
        return;
    mpi_handle started = (mpi_handle)*request;
    if (!started)
        return;
    if (n.mpi->self) {
        sdfg_rt_mpi_self_wait(&n, request, NULL, NULL);
        return;
    }
    *request = 0;
    sdfg_rt_mpi_about(&n, function, (int)peer, (int)tag);
    sdfg_rt_mpi_good(&n, function, n.mpi->Wait(&started, &status), "%s rank %lld, tag %lld", sent ? "to" : "from",
                     (long long)peer, (long long)tag);
}
