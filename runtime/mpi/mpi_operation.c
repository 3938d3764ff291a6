#include "runtime/mpi/mpi_operation.h"

#include <stdlib.h>
#include <string.h>

static bool pack(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p, void *buffer, const int64_t *layout)
{
    *p = (struct sdfg_rt_mpi_packed){ .buffer = buffer, .memory = buffer };
    if (!sdfg_rt_mpi_layout(n, layout, &p->layout))
        return false;
    if (sdfg_rt_mpi_contiguous(&p->layout))
        return true;
    p->copy = p->memory = malloc((size_t)p->layout.elements * p->layout.bytes);
    if (!p->copy)
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "packing %lld elements", (long long)p->layout.elements);
    sdfg_rt_mpi_pack(&p->layout, buffer, p->copy);
    return true;
}

bool sdfg_rt_mpi_operation_begin(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, const void *in,
                                 const int64_t *in_layout, void *out, const int64_t *out_layout)
{
    if (pack(n, &o->in, (void *)(uintptr_t)in, in_layout) && pack(n, &o->out, out, out_layout))
        return true;
    free(o->in.copy);
    return false;
}

#define DIVIDE(TYPE, by)                                                                                               \
    for (int64_t i = 0; i < elements; i++)                                                                             \
        ((TYPE *)o->out.memory)[i] /= (by);                                                                            \
    return true

/* The mean of what the processes gave, from the sum; of integers, cut off as C does. */
static bool average(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o)
{
    int64_t elements = (o->what == SDFG_RT_MPI_REDUCE_SCATTER ? &o->out : &o->in)->layout.elements;
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

bool sdfg_rt_mpi_operation_end(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, bool good)
{
    bool to_one = o->what == SDFG_RT_MPI_GATHER || o->what == SDFG_RT_MPI_REDUCE;
    bool here = !to_one || n->rank == o->root;
    if (good && here && o->op == SDFG_RT_MPI_AVERAGE)
        good = average(n, o);
    if (good && here && o->out.copy)
        sdfg_rt_mpi_unpack(&o->out.layout, o->out.buffer, o->out.copy);
    free(o->in.copy);
    free(o->out.copy);
    free(o->numbers);
    return good;
}

/* ---- operations that go on ---- */

/* Requests of programs are what the library gives, addresses or 32 bits, or one of ours with this bit. */
#define OURS ((uint64_t)1 << 63)

static bool complete(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o)
{
    struct sdfg_rt_mpi_node of = *n;
    struct sdfg_rt_mpi_status status;
    of.rank = o->rank;
    of.size = o->size;
    sdfg_rt_mpi_about(&of, o->name, SDFG_RT_MPI_ALL, -1);
    bool good = sdfg_rt_mpi_good(&of, "MPI_Wait", n->mpi->Wait(&o->request, &status), "for %s", o->name);
    return sdfg_rt_mpi_operation_end(&of, o, good);
}

void sdfg_rt_mpi_go_on(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_operation *o, const char *name,
                       mpi_handle request, uint64_t *out)
{
    struct sdfg_rt_mpi_operation *kept = malloc(sizeof *kept), here = *o;
    here.name = name;
    here.request = request;
    here.rank = n->rank;
    here.size = n->size;
    if (!kept) { /* the buffers may not be left to it */
        complete(n, &here);
        sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "%s", name);
        return;
    }
    *kept = here;
    *out = (uint64_t)(uintptr_t)kept | OURS;
}

bool sdfg_rt_mpi_is_operation(uint64_t request) { return request & OURS; }

bool sdfg_rt_mpi_operation_wait(const struct sdfg_rt_mpi_node *n, uint64_t *request)
{
    struct sdfg_rt_mpi_operation *o = (struct sdfg_rt_mpi_operation *)(uintptr_t)(*request & ~OURS);
    *request = 0;
    bool good = complete(n, o);
    free(o);
    return good;
}
