/* What all processes of a communicator do together. Regions with gaps are packed and unpacked around it. */
#include "runtime/mpi/mpi_internal.h"

#include <limits.h>
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
    sdfg_rt_mpi_about(&n, "MPI_Bcast", from, -1);
    sdfg_rt_mpi_good(&n, "MPI_Bcast", n.mpi->Bcast(buffer, e.count, e.type, from, n.comm), "from rank %d", from);
    sdfg_rt_mpi_elements_free(&n, &e);
}

/* ---- one operation for each kind ---- */

struct operation {
    int64_t what, op;
    int root;
    struct packed in, out;
};

#define DIVIDE(TYPE, by)                                                                                               \
    for (int64_t i = 0; i < elements; i++)                                                                             \
        ((TYPE *)o->out.memory)[i] /= (by);                                                                            \
    return true

/* The mean of what the processes gave, from the sum; of integers, cut off as C does. */
static bool average(const struct sdfg_rt_mpi_node *n, const struct operation *o, int64_t elements)
{
    if (o->op != SDFG_RT_MPI_AVERAGE)
        return true;
    switch (o->out.layout.type) {
    case SDFG_RT_MPI_INT8:
        DIVIDE(int8_t, n->size);
    case SDFG_RT_MPI_INT16:
        DIVIDE(int16_t, n->size);
    case SDFG_RT_MPI_INT32:
        DIVIDE(int32_t, n->size);
    case SDFG_RT_MPI_INT64:
        DIVIDE(int64_t, n->size);
    case SDFG_RT_MPI_UINT8:
        DIVIDE(uint8_t, n->size);
    case SDFG_RT_MPI_UINT16:
        DIVIDE(uint16_t, n->size);
    case SDFG_RT_MPI_UINT32:
        DIVIDE(uint32_t, (uint32_t)n->size);
    case SDFG_RT_MPI_UINT64:
        DIVIDE(uint64_t, (uint64_t)n->size);
    case SDFG_RT_MPI_FLOAT32:
        DIVIDE(float, (float)n->size);
    case SDFG_RT_MPI_FLOAT64:
        DIVIDE(double, n->size);
    case SDFG_RT_MPI_COMPLEX64:
        elements *= 2;
        DIVIDE(float, (float)n->size);
    case SDFG_RT_MPI_COMPLEX128:
        elements *= 2;
        DIVIDE(double, n->size);
    default:
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "there is no mean of truth values");
    }
}
#undef DIVIDE

/* MPI's operations are for types without derivation: so many elements at a time. */
static bool reduce(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    bool all = o->what == SDFG_RT_MPI_ALLREDUCE, result_here = all || n->rank == o->root;
    bool in_place = o->in.buffer == o->out.buffer && result_here;
    mpi_handle type = m->types[o->in.layout.type];
    mpi_handle op = m->ops[o->op == SDFG_RT_MPI_AVERAGE ? SDFG_RT_MPI_SUM : o->op];
    int64_t most = 1 << 30, elements = o->in.layout.elements;
    char *out = o->out.memory;
    if (in_place && o->in.copy)
        memcpy(out, o->in.memory, (size_t)elements * o->in.layout.bytes);
    for (int64_t at = 0; at < elements || (!at && !elements); at += most) {
        int count = (int)(elements - at < most ? elements - at : most);
        size_t offset = (size_t)at * o->in.layout.bytes;
        const void *from = in_place ? m->in_place : (const char *)o->in.memory + offset;
        sdfg_rt_mpi_about(n, all ? "MPI_Allreduce" : "MPI_Reduce", SDFG_RT_MPI_ALL, -1);
        int result = all ? m->Allreduce(from, out + offset, count, type, op, n->comm)
                         : m->Reduce(from, out + offset, count, type, op, o->root, n->comm);
        if (!sdfg_rt_mpi_good(n, all ? "MPI_Allreduce" : "MPI_Reduce", result, "root %d", o->root))
            return false;
    }
    return !result_here || average(n, o, elements);
}

static bool reduce_scatter(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int64_t elements = o->out.layout.elements;
    if (o->in.layout.elements != elements * n->size || elements > 1 << 30)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements for %d processes, each of which gets %lld",
                                (long long)o->in.layout.elements, n->size, (long long)elements);
    mpi_handle op = m->ops[o->op == SDFG_RT_MPI_AVERAGE ? SDFG_RT_MPI_SUM : o->op];
    sdfg_rt_mpi_about(n, "MPI_Reduce_scatter_block", SDFG_RT_MPI_ALL, -1);
    int result =
        m->Reduce_scatter_block(o->in.memory, o->out.memory, (int)elements, m->types[o->in.layout.type], op, n->comm);
    return sdfg_rt_mpi_good(n, "MPI_Reduce_scatter_block", result, "%lld elements", (long long)elements) &&
           average(n, o, elements);
}

static bool exchange(const struct sdfg_rt_mpi_node *n, const struct operation *o)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    const char *name = o->what == SDFG_RT_MPI_SCATTER     ? "MPI_Scatter"
                       : o->what == SDFG_RT_MPI_GATHER    ? "MPI_Gather"
                       : o->what == SDFG_RT_MPI_ALLGATHER ? "MPI_Allgather"
                                                          : "MPI_Alltoall";
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
        good = n.mpi->self                          ? alone(&n, &o)
               : what == SDFG_RT_MPI_REDUCE_SCATTER ? reduce_scatter(&n, &o)
               : reduces                            ? reduce(&n, &o)
                                                    : exchange(&n, &o);
    bool here = n.rank == o.root || (what != SDFG_RT_MPI_GATHER && what != SDFG_RT_MPI_REDUCE);
    unpack(&o.out, good && here);
    unpack(&o.in, false);
}

/* ---- parts of different sizes ---- */

/* The sums of all before; false if one is less than 0 or does not fit. */
static bool offsets(const struct sdfg_rt_mpi_node *n, const int64_t *counts, int *lengths, int *at, int64_t most)
{
    int64_t all = 0;
    for (int i = 0; i < n->size; i++) {
        if (counts[i] < 0 || counts[i] > most - all || all + counts[i] > INT_MAX)
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements for rank %d, and there are %lld in all",
                                    (long long)counts[i], i, (long long)most);
        lengths[i] = (int)counts[i];
        at[i] = (int)all;
        all += counts[i];
    }
    return true;
}

static bool gather_parts(const struct sdfg_rt_mpi_node *n, const struct operation *o, const int64_t *list, int *numbers)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int *counts = numbers, *at = numbers + n->size;
    int64_t room = o->out.layout.elements;
    for (int i = 0; i < n->size; i++) {
        int64_t count = list[i], first = list[n->size + i];
        bool fits = n->rank != o->root || (first <= room && count <= room - first);
        if (count < 0 || first < 0 || count > INT_MAX || first > INT_MAX || !fits)
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements of rank %d at %lld, where there are %lld",
                                    (long long)count, i, (long long)first, (long long)room);
        counts[i] = (int)count;
        at[i] = (int)first;
    }
    if (o->in.layout.elements != list[n->rank])
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%lld elements are sent where %lld are expected",
                                (long long)o->in.layout.elements, (long long)list[n->rank]);
    if (m->self) {
        memmove((char *)o->out.memory + (size_t)at[0] * o->out.layout.bytes, o->in.memory,
                (size_t)counts[0] * o->in.layout.bytes);
        return true;
    }
    sdfg_rt_mpi_about(n, "MPI_Gatherv", SDFG_RT_MPI_ALL, -1);
    int result = m->Gatherv(o->in.memory, (int)o->in.layout.elements, m->types[o->in.layout.type], o->out.memory,
                            counts, at, m->types[o->out.layout.type], o->root, n->comm);
    return sdfg_rt_mpi_good(n, "MPI_Gatherv", result, "root %d", o->root);
}

static bool exchange_parts(const struct sdfg_rt_mpi_node *n, const struct operation *o, const int64_t *list,
                           int *numbers)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int *sent = numbers, *sent_at = sent + n->size, *got = sent_at + n->size, *got_at = got + n->size;
    if (!offsets(n, list, sent, sent_at, o->in.layout.elements) ||
        !offsets(n, list + n->size, got, got_at, o->out.layout.elements))
        return false;
    if (m->self) {
        if (sent[0] != got[0])
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "%d elements are sent where %d are expected", sent[0],
                                    got[0]);
        memmove(o->out.memory, o->in.memory, (size_t)sent[0] * o->in.layout.bytes);
        return true;
    }
    sdfg_rt_mpi_about(n, "MPI_Alltoallv", SDFG_RT_MPI_ALL, -1);
    int result = m->Alltoallv(o->in.memory, sent, sent_at, m->types[o->in.layout.type], o->out.memory, got, got_at,
                              m->types[o->out.layout.type], n->comm);
    return sdfg_rt_mpi_good(n, "MPI_Alltoallv", result, "%d processes", n->size);
}

void sdfg_rt_mpi_vectors(struct sdfg_rt_context *context, const char *where, const void *grid, const void *in,
                         const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                         int32_t to_one, int64_t root)
{
    struct sdfg_rt_mpi_node n;
    struct operation o = { .what = SDFG_RT_MPI_GATHER };
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_rank(&n, "the root", root, -1, &o.root))
        return;
    if (list[0] != n.size) {
        sdfg_rt_mpi_fail(&n, SDFG_RT_BAD_VALUE, "there are counts for %lld processes", (long long)list[0]);
        return;
    }
    int *numbers = malloc(4 * (size_t)n.size * sizeof *numbers);
    bool good = numbers || sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "counts of elements");
    good = good && pack(&n, &o.in, (void *)(uintptr_t)in, in_layout, true) && pack(&n, &o.out, out, out_layout, true);
    if (good)
        good = (to_one ? gather_parts : exchange_parts)(&n, &o, list + 1, numbers);
    unpack(&o.out, good && (!to_one || n.rank == o.root));
    unpack(&o.in, false);
    free(numbers);
}
