/* What all processes of a communicator do together: at once, or while the program goes on (then there is a request).
 * Regions with gaps are packed and unpacked around it. */
#include "runtime/mpi/mpi_operation.h"

#include <string.h>

/* ---- one operation for each kind; request NULL: it waits ---- */

static bool bcast(const struct sdfg_rt_mpi_node *n, void *buffer, const struct sdfg_rt_mpi_elements *e, int root,
                  mpi_handle *request)
{
    if (request)
        return sdfg_rt_mpi_good(n, "MPI_Ibcast", n->mpi->Ibcast(buffer, e->count, e->type, root, n->comm, request),
                                "from rank %d", root);
    sdfg_rt_mpi_about(n, "MPI_Bcast", root, -1);
    return sdfg_rt_mpi_good(n, "MPI_Bcast", n->mpi->Bcast(buffer, e->count, e->type, root, n->comm), "from rank %d",
                            root);
}

static mpi_handle operator_of(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o)
{
    return n->mpi->ops[o->op == SDFG_RT_MPI_AVERAGE ? SDFG_RT_MPI_SUM : o->op];
}

static bool has_room(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o)
{
    int64_t in = o->in.layout.elements, out = o->out.layout.elements;
    return in <= out || sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements come where there are %lld", (long long)in,
                                         (long long)out);
}

/* MPI's operations are for types without derivation: so many elements at a time, of which only the last ones go on. */
static bool reduce(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    bool all = o->what == SDFG_RT_MPI_ALLREDUCE,
         in_place = o->in.buffer == o->out.buffer && (all || n->rank == o->root);
    mpi_handle type = m->types[o->in.layout.type], op = operator_of(n, o);
    int64_t most = 1 << 30, elements = o->in.layout.elements;
    char *out = o->out.memory;
    if ((all || n->rank == o->root) && !has_room(n, o))
        return false;
    if (in_place && o->in.copy)
        memcpy(out, o->in.memory, (size_t)elements * o->in.layout.bytes);
    for (int64_t at = 0; at < elements || (!at && !elements); at += most) {
        int count = (int)(elements - at < most ? elements - at : most);
        size_t offset = (size_t)at * o->in.layout.bytes;
        const void *from = in_place ? m->constants->in_place : (const char *)o->in.memory + offset;
        const char *name = all ? "MPI_Allreduce" : "MPI_Reduce";
        int result;
        if (request && elements - at <= most) {
            name = all ? "MPI_Iallreduce" : "MPI_Ireduce";
            result = all ? m->Iallreduce(from, out + offset, count, type, op, n->comm, request)
                         : m->Ireduce(from, out + offset, count, type, op, o->root, n->comm, request);
        } else {
            sdfg_rt_mpi_about(n, name, SDFG_RT_MPI_ALL, -1);
            result = all ? m->Allreduce(from, out + offset, count, type, op, n->comm)
                         : m->Reduce(from, out + offset, count, type, op, o->root, n->comm);
        }
        if (!sdfg_rt_mpi_good(n, name, result, "root %d", o->root))
            return false;
    }
    return true;
}

static bool reduce_scatter(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int64_t elements = o->out.layout.elements;
    mpi_handle type = m->types[o->in.layout.type], op = operator_of(n, o);
    if (o->in.layout.elements != elements * n->size || elements > 1 << 30)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements for %d processes, each of which gets %lld",
                                (long long)o->in.layout.elements, n->size, (long long)elements);
    void *out = o->out.memory;
    const void *in = o->in.memory == out ? m->constants->in_place : o->in.memory;
    int count = (int)elements;
    if (request)
        return sdfg_rt_mpi_good(n, "MPI_Ireduce_scatter_block",
                                m->Ireduce_scatter_block(in, out, count, type, op, n->comm, request), "%d elements",
                                count);
    sdfg_rt_mpi_about(n, "MPI_Reduce_scatter_block", SDFG_RT_MPI_ALL, -1);
    return sdfg_rt_mpi_good(n, "MPI_Reduce_scatter_block", m->Reduce_scatter_block(in, out, count, type, op, n->comm),
                            "%d elements", count);
}

static const char *name_of(int64_t what, bool goes_on)
{
    static const char *const names[][2] = {
        [SDFG_RT_MPI_SCATTER] = { "MPI_Scatter", "MPI_Iscatter" },
        [SDFG_RT_MPI_GATHER] = { "MPI_Gather", "MPI_Igather" },
        [SDFG_RT_MPI_ALLGATHER] = { "MPI_Allgather", "MPI_Iallgather" },
        [SDFG_RT_MPI_ALLTOALL] = { "MPI_Alltoall", "MPI_Ialltoall" },
        [SDFG_RT_MPI_REDUCE] = { "MPI_Reduce", "MPI_Ireduce" },
        [SDFG_RT_MPI_ALLREDUCE] = { "MPI_Allreduce", "MPI_Iallreduce" },
        [SDFG_RT_MPI_REDUCE_SCATTER] = { "MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block" },
    };
    return names[what][goes_on];
}

static int exchange_by(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o,
                       const struct sdfg_rt_mpi_elements *in, const struct sdfg_rt_mpi_elements *out,
                       mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    const void *from = o->in.memory;
    void *to = o->out.memory;
    mpi_handle comm = n->comm;
    switch (o->what) {
    case SDFG_RT_MPI_SCATTER:
        return request ? m->Iscatter(from, in->count, in->type, to, out->count, out->type, o->root, comm, request)
                       : m->Scatter(from, in->count, in->type, to, out->count, out->type, o->root, comm);
    case SDFG_RT_MPI_GATHER:
        return request ? m->Igather(from, in->count, in->type, to, out->count, out->type, o->root, comm, request)
                       : m->Gather(from, in->count, in->type, to, out->count, out->type, o->root, comm);
    case SDFG_RT_MPI_ALLGATHER:
        return request ? m->Iallgather(from, in->count, in->type, to, out->count, out->type, comm, request)
                       : m->Allgather(from, in->count, in->type, to, out->count, out->type, comm);
    default:
        return request ? m->Ialltoall(from, in->count, in->type, to, out->count, out->type, comm, request)
                       : m->Alltoall(from, in->count, in->type, to, out->count, out->type, comm);
    }
}

static bool exchange(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, mpi_handle *request)
{
    const char *name = name_of(o->what, request);
    bool in_whole = o->what == SDFG_RT_MPI_GATHER || o->what == SDFG_RT_MPI_ALLGATHER;
    bool out_whole = o->what == SDFG_RT_MPI_SCATTER;
    struct sdfg_rt_mpi_elements in, out;
    int64_t in_count = o->in.layout.elements / (in_whole ? 1 : n->size);
    int64_t out_count = o->out.layout.elements / (out_whole ? 1 : n->size);
    if (!sdfg_rt_mpi_row(n, o->in.layout.type, in_count, &in))
        return false;
    if (!sdfg_rt_mpi_row(n, o->out.layout.type, out_count, &out)) {
        sdfg_rt_mpi_elements_free(n, &in);
        return false;
    }
    if (!request)
        sdfg_rt_mpi_about(n, name, SDFG_RT_MPI_ALL, -1);
    int result = exchange_by(n, o, &in, &out, request);
    sdfg_rt_mpi_elements_free(n, &in); /* MPI keeps what it still needs */
    sdfg_rt_mpi_elements_free(n, &out);
    return sdfg_rt_mpi_good(n, name, result, "root %d", o->root);
}

/* Alone, all of them copy. */
static bool alone(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o)
{
    if (!has_room(n, o))
        return false;
    memmove(o->out.memory, o->in.memory, (size_t)o->in.layout.elements * o->in.layout.bytes);
    return true;
}

/* ---- nodes ---- */

void sdfg_rt_mpi_start_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                             const int64_t *layout, int64_t root, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_operation o = { .what = SDFG_RT_MPI_MESSAGE };
    struct sdfg_rt_mpi_packed p;
    struct sdfg_rt_mpi_elements e;
    mpi_handle started = 0;
    if (request)
        *request = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_rank(&n, "the root", root, -1, &o.root) ||
        n.mpi->self || !sdfg_rt_mpi_reach(&n, &p, buffer, layout))
        return;
    struct sdfg_rt_mpi_layout l = sdfg_rt_mpi_reached(&p);
    *(n.rank == o.root ? &o.in : &o.out) = p;
    bool good = sdfg_rt_mpi_elements(&n, &l, &e);
    if (good) {
        good = bcast(&n, p.memory, &e, o.root, request ? &started : NULL);
        sdfg_rt_mpi_elements_free(&n, &e);
    }
    if (good && request)
        sdfg_rt_mpi_go_on(&n, &o, "MPI_Ibcast", started, request);
    else
        sdfg_rt_mpi_operation_end(&n, &o, good);
}

void sdfg_rt_mpi_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                       const int64_t *layout, int64_t root, int32_t goes_on)
{
    uint64_t request;
    sdfg_rt_mpi_start_bcast(context, where, grid, buffer, layout, root, goes_on ? &request : NULL);
    if (goes_on)
        sdfg_rt_mpi_wait(context, where, &request, 1, 1, NULL, NULL);
}

void sdfg_rt_mpi_start(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what, int64_t op,
                       const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout, int64_t root,
                       uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_operation o = { .what = what, .op = op };
    mpi_handle started = 0, *goes_on = request ? &started : NULL;
    bool reduces = what == SDFG_RT_MPI_REDUCE || what == SDFG_RT_MPI_ALLREDUCE;
    if (request)
        *request = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_rank(&n, "the root", root, -1, &o.root) ||
        !sdfg_rt_mpi_operation_begin(&n, &o, in, in_layout, out, out_layout))
        return;
    bool good = n.mpi->self                          ? alone(&n, &o)
                : what == SDFG_RT_MPI_REDUCE_SCATTER ? reduce_scatter(&n, &o, goes_on)
                : reduces                            ? reduce(&n, &o, goes_on)
                                                     : exchange(&n, &o, goes_on);
    if (good && request && !n.mpi->self)
        sdfg_rt_mpi_go_on(&n, &o, name_of(what, true), started, request);
    else
        sdfg_rt_mpi_operation_end(&n, &o, good);
}

void sdfg_rt_mpi_collective(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what,
                            int64_t op, const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout,
                            int64_t root, int32_t goes_on)
{
    uint64_t request;
    sdfg_rt_mpi_start(context, where, grid, what, op, in, in_layout, out, out_layout, root, goes_on ? &request : NULL);
    if (goes_on)
        sdfg_rt_mpi_wait(context, where, &request, 1, 1, NULL, NULL);
}
