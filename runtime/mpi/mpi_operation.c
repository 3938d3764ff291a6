#include "runtime/mpi/mpi_operation.h"

#include <stdlib.h>
#include <string.h>

static bool find(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p, const void *buffer,
                 const int64_t *layout)
{
    void *memory = (void *)(uintptr_t)buffer;
    *p = (struct sdfg_rt_mpi_packed){ .buffer = memory, .memory = memory };
    return sdfg_rt_mpi_layout(n, layout, &p->layout) && sdfg_rt_mpi_on_device(n, buffer, &p->device);
}

static bool copy(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p)
{
    p->copy = p->memory = malloc((size_t)p->layout.elements * p->layout.bytes + 1);
    if (!p->copy)
        return sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "packing %lld elements", (long long)p->layout.elements);
    if (!p->device)
        sdfg_rt_mpi_pack(&p->layout, p->buffer, p->copy);
    else if (!sdfg_rt_mpi_device_pack(n, p)) {
        free(p->copy);
        p->copy = NULL;
        return false;
    }
    return true;
}

bool sdfg_rt_mpi_reach(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p, const void *buffer,
                       const int64_t *layout)
{
    return find(n, p, buffer, layout) && (!p->device || n->mpi->devices || copy(n, p));
}

struct sdfg_rt_mpi_layout sdfg_rt_mpi_reached(const struct sdfg_rt_mpi_packed *p)
{
    struct sdfg_rt_mpi_layout flat = { .type = p->layout.type,
                                       .elements = p->layout.elements,
                                       .rank = 1,
                                       .extents = { p->layout.elements },
                                       .strides = { 1 },
                                       .bytes = p->layout.bytes };
    return p->copy ? flat : p->layout;
}

/* host: we compute with the elements. */
static bool pack(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_packed *p, const void *buffer,
                 const int64_t *layout, bool host)
{
    if (!find(n, p, buffer, layout))
        return false;
    bool within_reach = !p->device || (n->mpi->devices && !host);
    return (sdfg_rt_mpi_contiguous(&p->layout) && within_reach) || copy(n, p);
}

bool sdfg_rt_mpi_operation_begin(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, const void *in,
                                 const int64_t *in_layout, void *out, const int64_t *out_layout)
{
    bool mean = o->op == SDFG_RT_MPI_AVERAGE;
    o->out = (struct sdfg_rt_mpi_packed){ 0 };
    if (!pack(n, &o->in, in, in_layout, mean))
        return false;
    bool good =
        pack(n, &o->out, out, out_layout, mean) && sdfg_rt_mpi_same_type(n, o->in.layout.type, o->out.layout.type);
    if (good && mean && o->out.layout.type == SDFG_RT_MPI_BOOL)
        good = sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "there is no mean of truth values");
    if (good)
        return true;
    free(o->in.copy);
    free(o->out.copy);
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
    default: /* COMPLEX128; begin refuses BOOL */
        elements *= 2;
        DIVIDE(double, n->size);
    }
}
#undef DIVIDE

bool sdfg_rt_mpi_operation_end(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, bool good)
{
    bool to_one = o->what == SDFG_RT_MPI_GATHER || o->what == SDFG_RT_MPI_REDUCE;
    bool here = !to_one || n->rank == o->root;
    if (good && here && o->op == SDFG_RT_MPI_AVERAGE)
        good = average(n, o);
    if (good && here && o->out.copy && o->out.device)
        good = sdfg_rt_mpi_device_unpack(n, &o->out);
    else if (good && here && o->out.copy)
        sdfg_rt_mpi_unpack(&o->out.layout, o->out.buffer, o->out.copy);
    free(o->in.copy);
    free(o->out.copy);
    free(o->numbers);
    return good;
}

/* ---- operations that go on ---- */

/* Requests of programs are what the library gives, addresses or 32 bits, or one of ours with this bit. */
#define OURS ((uint64_t)1 << 63)

static bool complete(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_operation *o, int32_t *tag, int32_t *source)
{
    struct sdfg_rt_mpi_node of = *n;
    of.rank = o->rank;
    of.size = o->size;
    uint64_t request = o->request;
    bool good = n->mpi->self ? sdfg_rt_mpi_self_wait(&of, &request, tag, source)
                             : sdfg_rt_mpi_complete(&of, o->name, request, tag, source);
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
        complete(n, &here, NULL, NULL);
        sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "%s", name);
        return;
    }
    *kept = here;
    *out = (uint64_t)(uintptr_t)kept | OURS;
}

bool sdfg_rt_mpi_is_operation(uint64_t request) { return request & OURS; }

bool sdfg_rt_mpi_operation_wait(const struct sdfg_rt_mpi_node *n, uint64_t *request, int32_t *tag, int32_t *source)
{
    struct sdfg_rt_mpi_operation *o = (struct sdfg_rt_mpi_operation *)(uintptr_t)(*request & ~OURS);
    *request = 0;
    bool good = complete(n, o, tag, source);
    free(o);
    return good;
}
