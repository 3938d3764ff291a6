/* Messages whose elements are in memory of a device. Libraries that can take its addresses get them; for others, and
 * for what we do with elements ourselves, the elements of a region are copied to memory of the host and back. The host
 * has waited for the device when a message begins (lower/opt/device/offload_message.c). */
#include "runtime/device_internal.h"
#include "runtime/mpi/mpi_operation.h"

void sdfg_rt_mpi_launch(struct sdfg_rt_context *context)
{
    if (context->run)
        sdfg_rt_graph_flush(context->run);
}

bool sdfg_rt_mpi_on_device(const struct sdfg_rt_mpi_node *n, const void *memory, bool *out)
{
    int32_t place = -1, index;
    char trouble[SDFG_RT_DEVICE_TROUBLE];
    *out = false;
    if (!n->context->run)
        return true;
    if (!sdfg_rt_device_place(memory, &place, &index, trouble))
        return sdfg_rt_mpi_fail(n, SDFG_RT_DEVICE, "memory of a message: %.300s", trouble);
    *out = place == SDFG_RT_ON_DEVICE;
    return true;
}

/* The region, or elements one behind the other on the host: rows of the two last dimensions at a time. */
static bool move(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_packed *p, bool to_host)
{
    const struct sdfg_rt_mpi_layout *l = &p->layout;
    int64_t index[SDFG_RT_MPI_RANK] = { 0 }, size = (int64_t)l->bytes;
    int64_t outer = l->rank && l->strides[l->rank - 1] == 1 ? l->rank - 1 : l->rank;
    int64_t bytes = outer < l->rank ? l->extents[outer] * size : size, rows = outer ? l->extents[outer - 1] : 1;
    int64_t pitch = outer ? l->strides[outer - 1] * size : bytes;
    char *apart = p->buffer, *together = p->copy;
    for (int64_t d = 0; l->elements && d >= 0;) {
        if (to_host)
            sdfg_rt_device_copy(n->context->run, together, apart, bytes, rows, bytes, pitch, SDFG_RT_TO_HOST, 0);
        else
            sdfg_rt_device_copy(n->context->run, apart, together, bytes, rows, pitch, bytes, SDFG_RT_TO_DEVICE, 0);
        together += bytes * rows;
        for (d = outer - 2; d >= 0; d--) {
            apart += l->strides[d] * size;
            if (++index[d] < l->extents[d])
                break;
            apart -= l->extents[d] * l->strides[d] * size;
            index[d] = 0;
        }
    }
    sdfg_rt_device_wait(n->context->run, 0); /* the copy on the host is needed now, or goes away */
    return n->context->error == SDFG_RT_OK;
}

bool sdfg_rt_mpi_device_pack(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_packed *p)
{
    return move(n, p, true);
}

bool sdfg_rt_mpi_device_unpack(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_packed *p)
{
    return move(n, p, false);
}
