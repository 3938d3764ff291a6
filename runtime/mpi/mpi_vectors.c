/* Gatherv and Alltoallv: parts of different sizes. */
#include "runtime/mpi/mpi_operation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

static bool gather_parts(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, const int64_t *list,
                         mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int *counts = o->numbers, *at = o->numbers + n->size;
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
    int sent = (int)o->in.layout.elements;
    mpi_handle in = m->types[o->in.layout.type], out = m->types[o->out.layout.type];
    if (request)
        return sdfg_rt_mpi_good(
            n, "MPI_Igatherv",
            m->Igatherv(o->in.memory, sent, in, o->out.memory, counts, at, out, o->root, n->comm, request), "root %d",
            o->root);
    sdfg_rt_mpi_about(n, "MPI_Gatherv", SDFG_RT_MPI_ALL, -1);
    int result = m->Gatherv(o->in.memory, sent, in, o->out.memory, counts, at, out, o->root, n->comm);
    return sdfg_rt_mpi_good(n, "MPI_Gatherv", result, "root %d", o->root);
}

static bool exchange_parts(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, const int64_t *list,
                           mpi_handle *request)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int *sent = o->numbers, *sent_at = sent + n->size, *got = sent_at + n->size, *got_at = got + n->size;
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
    mpi_handle in = m->types[o->in.layout.type], out = m->types[o->out.layout.type];
    if (request)
        return sdfg_rt_mpi_good(
            n, "MPI_Ialltoallv",
            m->Ialltoallv(o->in.memory, sent, sent_at, in, o->out.memory, got, got_at, out, n->comm, request),
            "%d processes", n->size);
    sdfg_rt_mpi_about(n, "MPI_Alltoallv", SDFG_RT_MPI_ALL, -1);
    int result = m->Alltoallv(o->in.memory, sent, sent_at, in, o->out.memory, got, got_at, out, n->comm);
    return sdfg_rt_mpi_good(n, "MPI_Alltoallv", result, "%d processes", n->size);
}

void sdfg_rt_mpi_start_vectors(struct sdfg_rt_context *context, const char *where, const void *grid, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                               int32_t to_one, int64_t root, uint64_t *request)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_operation o = { .what = to_one ? SDFG_RT_MPI_GATHER : SDFG_RT_MPI_ALLTOALL };
    mpi_handle started = 0;
    if (request)
        *request = 0;
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !sdfg_rt_mpi_rank(&n, "the root", root, -1, &o.root))
        return;
    if (list[0] != n.size) {
        sdfg_rt_mpi_fail(&n, SDFG_RT_BAD_VALUE, "there are counts for %lld processes", (long long)list[0]);
        return;
    }
    if (!sdfg_rt_mpi_operation_begin(&n, &o, in, in_layout, out, out_layout))
        return;
    o.numbers = malloc(4 * (size_t)n.size * sizeof *o.numbers);
    bool good = o.numbers ? (to_one ? gather_parts : exchange_parts)(&n, &o, list + 1, request ? &started : NULL)
                          : sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "counts of elements");
    if (good && request && !n.mpi->self)
        sdfg_rt_mpi_go_on(&n, &o, to_one ? "MPI_Igatherv" : "MPI_Ialltoallv", started, request);
    else
        sdfg_rt_mpi_operation_end(&n, &o, good);
}

void sdfg_rt_mpi_vectors(struct sdfg_rt_context *context, const char *where, const void *grid, const void *in,
                         const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                         int32_t to_one, int64_t root, int32_t goes_on)
{
    uint64_t request;
    sdfg_rt_mpi_start_vectors(context, where, grid, in, in_layout, out, out_layout, list, to_one, root,
                              goes_on ? &request : NULL);
    if (goes_on)
        sdfg_rt_mpi_wait(context, where, &request, 1, 1, NULL, NULL);
}
