/* What all processes of a communicator do together. Regions with gaps are packed and unpacked around it. */
#include "runtime/mpi/mpi_internal.h"

#include <stdlib.h>
#include <string.h>

/* A region without gaps: the caller's own, or a packed copy. */
struct packed {
    struct sdfg_rt_mpi_layout layout;
    void *buffer, *memory;
    void *copy; /* NULL: none */
};

static bool pack(const struct sdfg_rt_mpi_node *n, struct packed *p, void *buffer, const int64_t *layout, bool read)
{
    *p = (struct packed){ .buffer = buffer, .memory = buffer };
    if (!sdfg_rt_mpi_layout(n, layout, &p->layout))
        return false;
    if (sdfg_rt_mpi_contiguous(&p->layout))
        return true;
    p->copy = p->memory = malloc((size_t)p->layout.elements * p->layout.bytes);
    if (!p->copy)
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "packing %lld elements", (long long)p->layout.elements);
    if (read)
        sdfg_rt_mpi_pack(&p->layout, buffer, p->copy);
    return true;
}

static void unpack(struct packed *p, bool written)
{
    if (p->copy && written)
        sdfg_rt_mpi_unpack(&p->layout, p->buffer, p->copy);
    free(p->copy);
}

void sdfg_rt_mpi_bcast(struct sdfg_rt_context *context, const char *where, const void *grid, void *buffer,
                       const int64_t *layout, int64_t root)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct sdfg_rt_mpi_elements e;
    int from;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_layout(&n, layout, &l) ||
        !sdfg_rt_mpi_rank(&n, "the root", root, -1, &from) || n.mpi->self || !sdfg_rt_mpi_elements(&n, &l, &e))
        return;
    sdfg_rt_mpi_good(&n, "MPI_Bcast", n.mpi->Bcast(buffer, e.count, e.type, from, n.comm), "from rank %d", from);
    sdfg_rt_mpi_elements_free(&n, &e);
}

/* ---- one operation for each kind ---- */

struct operation {
    int64_t what, op;
    int root;
    struct packed in, out;
};

/* MPI's operations are for types without derivation: so many elements at a time. */
static bool reduce(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    bool all = o->what == SDFG_RT_MPI_ALLREDUCE, result_here = all || n->rank == o->root;
    bool in_place = o->in.buffer == o->out.buffer && result_here;
    mpi_handle type = m->types[o->in.layout.type], op = m->ops[o->op];
    int64_t most = 1 << 30, elements = o->in.layout.elements;
    char *out = o->out.memory;
    if (in_place && o->in.copy)
        memcpy(out, o->in.memory, (size_t)elements * o->in.layout.bytes);
    for (int64_t at = 0; at < elements || (!at && !elements); at += most) {
        int count = (int)(elements - at < most ? elements - at : most);
        size_t offset = (size_t)at * o->in.layout.bytes;
        const void *from = in_place ? m->in_place : (const char *)o->in.memory + offset;
        int result = all ? m->Allreduce(from, out + offset, count, type, op, n->comm)
                         : m->Reduce(from, out + offset, count, type, op, o->root, n->comm);
        if (!sdfg_rt_mpi_good(n, all ? "MPI_Allreduce" : "MPI_Reduce", result, "root %d", o->root))
            return false;
    }
    return true;
}

static bool exchange(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    const char *name = "MPI_Alltoall";
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
    int result = 0;
    const void *from = o->in.memory;
    void *to = o->out.memory;
    if (o->what == SDFG_RT_MPI_SCATTER) {
        name = "MPI_Scatter";
        result = m->Scatter(from, in.count, in.type, to, out.count, out.type, o->root, n->comm);
    } else if (o->what == SDFG_RT_MPI_GATHER) {
        name = "MPI_Gather";
        result = m->Gather(from, in.count, in.type, to, out.count, out.type, o->root, n->comm);
    } else if (o->what == SDFG_RT_MPI_ALLGATHER) {
        name = "MPI_Allgather";
        result = m->Allgather(from, in.count, in.type, to, out.count, out.type, n->comm);
    } else {
        result = m->Alltoall(from, in.count, in.type, to, out.count, out.type, n->comm);
    }
    sdfg_rt_mpi_elements_free(n, &in);
    sdfg_rt_mpi_elements_free(n, &out);
    return sdfg_rt_mpi_good(n, name, result, "root %d", o->root);
}

/* Alone, all of them copy. */
static bool alone(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    int64_t in = o->in.layout.elements, out = o->out.layout.elements;
    if (in > out)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements come where there are %lld", (long long)in,
                                (long long)out);
    memmove(o->out.memory, o->in.memory, (size_t)in * o->in.layout.bytes);
    return true;
}

void sdfg_rt_mpi_collective(struct sdfg_rt_context *context, const char *where, const void *grid, int64_t what,
                            int64_t op, const void *in, const int64_t *in_layout, void *out, const int64_t *out_layout,
                            int64_t root)
{
    struct sdfg_rt_mpi_node n;
    struct operation o = { .what = what, .op = op };
    bool reduces = what == SDFG_RT_MPI_REDUCE || what == SDFG_RT_MPI_ALLREDUCE;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_rank(&n, "the root", root, -1, &o.root))
        return;
    bool good = pack(&n, &o.in, (void *)(uintptr_t)in, in_layout, true) && pack(&n, &o.out, out, out_layout, true);
    if (good)
        good = n.mpi->self ? alone(&n, &o) : reduces ? reduce(&n, &o) : exchange(&n, &o);
    bool here = n.rank == o.root || (what != SDFG_RT_MPI_GATHER && what != SDFG_RT_MPI_REDUCE);
    unpack(&o.out, good && here);
    unpack(&o.in, false);
}
