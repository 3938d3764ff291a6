/* Collectives that go on while the program does other things; sdfg_rt_mpi_wait ends them. Their regions have no gaps:
 * nobody would unpack a copy. */
#include "runtime/mpi/mpi_internal.h"

#include <limits.h>
#include <string.h>

struct whole_region {
    struct sdfg_rt_mpi_layout layout;
    void *buffer;
};

static bool take_region(const struct sdfg_rt_mpi_node *n, struct whole_region *r, void *buffer, const int64_t *layout)
{
    r->buffer = buffer;
    if (!sdfg_rt_mpi_layout(n, layout, &r->layout))
        return false;
    return sdfg_rt_mpi_contiguous(&r->layout) ||
           sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a region with gaps in an operation that does not wait");
}

/* A reduction. MPI's operations are for types without derivation. */
static bool start_reduction(const struct sdfg_rt_mpi_node *n, int64_t what, int64_t op, const struct whole_region *in,
                            const struct whole_region *out, int root, mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    bool parts = what == SDFG_RT_MPI_REDUCE_SCATTER, one = what == SDFG_RT_MPI_REDUCE;
    int64_t elements = parts ? out->layout.elements : in->layout.elements;
    bool in_place = in->buffer == out->buffer && (!one || n->rank == root);
    const void *from = in_place ? m->in_place : in->buffer;
    mpi_handle type = m->types[in->layout.type];
    if (elements > INT_MAX || (parts && in->layout.elements != elements * n->size))
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements for %d processes, each of which gets %lld",
                                (long long)in->layout.elements, n->size, (long long)elements);
    if (one)
        return sdfg_rt_mpi_good(n, "MPI_Ireduce",
                                m->Ireduce(from, out->buffer, (int)elements, type, m->ops[op], root, n->comm, request),
                                "root %d", root);
    if (parts)
        return sdfg_rt_mpi_good(
            n, "MPI_Ireduce_scatter_block",
            m->Ireduce_scatter_block(from, out->buffer, (int)elements, type, m->ops[op], n->comm, request),
            "%lld elements", (long long)elements);
    return sdfg_rt_mpi_good(n, "MPI_Iallreduce",
                            m->Iallreduce(from, out->buffer, (int)elements, type, m->ops[op], n->comm, request),
                            "%lld elements", (long long)elements);
}

static bool start_exchange(const struct sdfg_rt_mpi_node *n, int64_t what, const struct whole_region *in,
                           const struct whole_region *out, int root, mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    bool in_whole = what == SDFG_RT_MPI_GATHER || what == SDFG_RT_MPI_ALLGATHER,
         out_whole = what == SDFG_RT_MPI_SCATTER;
    struct sdfg_rt_mpi_elements i, o;
    const char *name = "MPI_Ialltoall";
    int result;
    if (!sdfg_rt_mpi_row(n, in->layout.type, in->layout.elements / (in_whole ? 1 : n->size), &i))
        return false;
    if (!sdfg_rt_mpi_row(n, out->layout.type, out->layout.elements / (out_whole ? 1 : n->size), &o)) {
        sdfg_rt_mpi_elements_free(n, &i);
        return false;
    }
    const void *from = in->buffer;
    void *to = out->buffer;
    if (what == SDFG_RT_MPI_SCATTER) {
        name = "MPI_Iscatter";
        result = m->Iscatter(from, i.count, i.type, to, o.count, o.type, root, n->comm, request);
    } else if (what == SDFG_RT_MPI_GATHER) {
        name = "MPI_Igather";
        result = m->Igather(from, i.count, i.type, to, o.count, o.type, root, n->comm, request);
    } else if (what == SDFG_RT_MPI_ALLGATHER) {
        name = "MPI_Iallgather";
        result = m->Iallgather(from, i.count, i.type, to, o.count, o.type, n->comm, request);
    } else {
        result = m->Ialltoall(from, i.count, i.type, to, o.count, o.type, n->comm, request);
    }
    sdfg_rt_mpi_elements_free(n, &i); /* MPI keeps what it still needs */
    sdfg_rt_mpi_elements_free(n, &o);
    return sdfg_rt_mpi_good(n, name, result, "root %d", root);
}

void sdfg_rt_mpi_start(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what, int64_t op,
                       const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout, int64_t root,
                       uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct whole_region from, to;
    mpi_handle started = 0;
    int rank;
    bool reduces = what == SDFG_RT_MPI_REDUCE || what == SDFG_RT_MPI_ALLREDUCE || what == SDFG_RT_MPI_REDUCE_SCATTER;
    *request = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid))
        return;
    if (n.mpi->self) { /* done at once */
        sdfg_rt_mpi_collective(context, where, grid, what, op, in, in_layout, out, out_layout, root);
        return;
    }
    if (!sdfg_rt_mpi_rank(&n, "the root", root, -1, &rank) ||
        !take_region(&n, &from, (void *)(uintptr_t)in, in_layout) || !take_region(&n, &to, out, out_layout))
        return;
    bool good = reduces ? start_reduction(&n, what, op, &from, &to, rank, &started)
                        : start_exchange(&n, what, &from, &to, rank, &started);
    if (good)
        *request = started;
}

void sdfg_rt_mpi_start_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                             const int64_t *layout, int64_t root, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements e;
    mpi_handle started = 0;
    int from;
    *request = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_layout(&n, layout, &l) ||
        !sdfg_rt_mpi_rank(&n, "the root", root, -1, &from) || n.mpi->self || !sdfg_rt_mpi_elements(&n, &l, &e))
        return;
    int result = n.mpi->Ibcast(buffer, e.count, e.type, from, n.comm, &started);
    if (sdfg_rt_mpi_good(&n, "MPI_Ibcast", result, "from rank %d", from))
        *request = started;
    sdfg_rt_mpi_elements_free(&n, &e);
}
