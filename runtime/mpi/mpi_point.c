/* Messages from one process to another. */
#include "runtime/mpi/mpi_operation.h"

#include <string.h>

static bool begin(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where, const void *grid,
                  const void *buffer, const int64_t *layout, struct sdfg_rt_mpi_packed *p)
{
    return sdfg_rt_mpi_enter(n, context, where, grid) && sdfg_rt_mpi_reach(n, p, buffer, layout);
}

/* It has been begun, or not; a copy goes away, or stays until the request is waited for. */
static void begun(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, const char *name, bool good,
                  mpi_handle started, uint64_t *request)
{
    if (!request || !good || (!o->in.copy && !o->out.copy) || !started) {
        sdfg_rt_mpi_operation_end(n, o, good && !request);
        if (request)
            *request = started;
    } else {
        sdfg_rt_mpi_go_on(n, o, name, started, request);
    }
}

static void send(struct sdfg_rt_context *context, const char *where, const void *grid, const void *buffer,
                 const int64_t *layout, int64_t to, int64_t tag, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_operation o = { .what = SDFG_RT_MPI_MESSAGE };
    struct sdfg_rt_mpi_elements e;
    mpi_handle started = 0;
    int peer;
    if (request)
        *request = 0;
    if (!begin(&n, context, where, grid, buffer, layout, &o.in))
        return;
    struct sdfg_rt_mpi_layout l = sdfg_rt_mpi_reached(&o.in);
    bool good = sdfg_rt_mpi_rank(&n, "the receiver", to, n.mpi->constants->proc_null, &peer);
    if (good && n.mpi->self) {
        good = sdfg_rt_mpi_self_send(&n, o.in.memory, &l, to, tag);
    } else if (good && (good = sdfg_rt_mpi_elements(&n, &l, &e))) {
        if (!request)
            sdfg_rt_mpi_about(&n, "MPI_Send", peer, (int)tag);
        int result = request ? n.mpi->Isend(o.in.memory, e.count, e.type, peer, (int)tag, n.comm, &started)
                             : n.mpi->Send(o.in.memory, e.count, e.type, peer, (int)tag, n.comm);
        good = sdfg_rt_mpi_good(&n, request ? "MPI_Isend" : "MPI_Send", result, "to rank %d, tag %lld", peer,
                                (long long)tag);
        sdfg_rt_mpi_elements_free(&n, &e);
    }
    begun(&n, &o, "MPI_Isend", good, started, request);
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
    struct sdfg_rt_mpi_operation o = { .what = SDFG_RT_MPI_MESSAGE };
    struct sdfg_rt_mpi_elements e;
    struct sdfg_rt_mpi_status status;
    mpi_handle started = 0;
    uint64_t own = 0; /* without a library */
    int peer, which = tag < 0 ? -1 : (int)tag;
    if (request)
        *request = 0;
    if (!begin(&n, context, where, grid, buffer, layout, &o.out))
        return;
    struct sdfg_rt_mpi_layout l = sdfg_rt_mpi_reached(&o.out);
    bool nobody = from == SDFG_RT_MPI_NOBODY || (from < 0 && from == n.mpi->constants->proc_null);
    bool good = sdfg_rt_mpi_rank(&n, "the sender", from,
                                 nobody ? n.mpi->constants->proc_null : n.mpi->constants->any_source, &peer);
    if (good && n.mpi->self) {
        good = nobody || sdfg_rt_mpi_self_recv(&n, o.out.memory, &l, from, tag, request ? &own : NULL);
        started = own;
    } else if (good && (good = sdfg_rt_mpi_elements(&n, &l, &e))) {
        which = tag < 0 ? n.mpi->constants->any_tag : which;
        if (!request)
            sdfg_rt_mpi_about(&n, "MPI_Recv", peer, which);
        int result = request ? n.mpi->Irecv(o.out.memory, e.count, e.type, peer, which, n.comm, &started)
                             : n.mpi->Recv(o.out.memory, e.count, e.type, peer, which, n.comm, &status);
        good = sdfg_rt_mpi_good(&n, request ? "MPI_Irecv" : "MPI_Recv", result, "from rank %d, tag %d", peer, which);
        sdfg_rt_mpi_elements_free(&n, &e);
    }
    begun(&n, &o, "MPI_Irecv", good, started, request);
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

bool sdfg_rt_mpi_complete(const struct sdfg_rt_mpi_node *n, const char *function, uint64_t request, int32_t *tag,
                          int32_t *source)
{
    struct sdfg_rt_mpi_status status;
    mpi_handle started = (mpi_handle)request;
    sdfg_rt_mpi_about(n, function, SDFG_RT_MPI_ALL, -1);
    if (!sdfg_rt_mpi_good(n, "MPI_Wait", n->mpi->Wait(&started, &status), "for %s",
                          strcmp(function, "MPI_Wait") ? function : "a message"))
        return false;
    if (tag)
        memcpy(tag, status.bytes + n->mpi->constants->tag_at, sizeof *tag);
    if (source)
        memcpy(source, status.bytes + n->mpi->constants->source_at, sizeof *source);
    return true;
}

static bool wait_for(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source)
{
    uint64_t started = *request;
    if (!started)
        return true;
    if (sdfg_rt_mpi_is_operation(started))
        return sdfg_rt_mpi_operation_wait(n, request, tag, source);
    if (n->mpi->self)
        return sdfg_rt_mpi_self_wait(n, request, tag, source);
    *request = 0;
    return sdfg_rt_mpi_complete(n, "MPI_Wait", started, tag, source);
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
    if (n.mpi->self || sdfg_rt_mpi_is_operation(*request)) {
        wait_for(&n, request, NULL, NULL);
        return;
    }
    if (!started)
        return;
    *request = 0;
    sdfg_rt_mpi_about(&n, function, (int)peer, (int)tag);
    sdfg_rt_mpi_good(&n, function, n.mpi->Wait(&started, &status), "%s rank %lld, tag %lld", sent ? "to" : "from",
                     (long long)peer, (long long)tag);
}
