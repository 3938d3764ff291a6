/* Regions of containers as MPI takes them: so many elements of a type, which is derived where the region has gaps or
 * more elements than an int counts. */
#include "runtime/mpi/mpi_internal.h"

#include <limits.h>
#include <string.h>

static const size_t sizes[] = {
#define MPI_ELEMENT(name, bytes, mpich, open, standard) bytes,
#include "runtime/mpi/mpi.def"
};

size_t sdfg_rt_mpi_bytes(int64_t type) { return sizes[type]; }

bool sdfg_rt_mpi_layout(const struct sdfg_rt_mpi_node *n, const int64_t *layout, struct sdfg_rt_mpi_layout *out)
{
    int64_t rank = layout[1];
    const int64_t *extents = layout + 2, *strides = extents + rank;
    *out = (struct sdfg_rt_mpi_layout){ .type = layout[0], .elements = 1, .bytes = sizes[layout[0]] };
    for (int64_t i = 0; i < rank; i++) {
        out->elements *= extents[i];
        if (extents[i] < 0)
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "dimension %lld has %lld elements", (long long)i,
                                    (long long)extents[i]);
        if (extents[i] == 1)
            continue;
        int64_t last = out->rank - 1;
        if (out->rank && out->strides[last] == extents[i] * strides[i]) {
            out->extents[last] *= extents[i];
            out->strides[last] = strides[i];
        } else {
            out->extents[out->rank] = extents[i];
            out->strides[out->rank++] = strides[i];
        }
    }
    return true;
}

bool sdfg_rt_mpi_same_type(const struct sdfg_rt_mpi_node *n, int64_t from, int64_t to)
{
    static const char *const names[] = {
#define MPI_ELEMENT(name, bytes, mpich, open, standard) #name,
#include "runtime/mpi/mpi.def"
    };
    return from == to || sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "elements of type %s come where there are some of %s",
                                          names[from], names[to]);
}

bool sdfg_rt_mpi_contiguous(const struct sdfg_rt_mpi_layout *l)
{
    return !l->rank || !l->elements || (l->rank == 1 && l->strides[0] == 1);
}

/* ---- packing ---- */

/* Calls move(apart, together, bytes) for each element or row without gaps, in row-major order. */
static void each_row(const struct sdfg_rt_mpi_layout *l, char *apart, char *together, bool pack)
{
    int64_t index[SDFG_RT_MPI_RANK] = { 0 }, rank = l->rank;
    bool row = rank && l->strides[rank - 1] == 1;
    int64_t outer = row ? rank - 1 : rank;
    size_t bytes = l->bytes * (row ? (size_t)l->extents[rank - 1] : 1);
    for (int64_t d = 0; l->elements && d >= 0;) {
        memcpy(pack ? together : apart, pack ? apart : together, bytes);
        together += bytes;
        for (d = outer - 1; d >= 0; d--) {
            apart += l->strides[d] * (int64_t)l->bytes;
            if (++index[d] < l->extents[d])
                break;
            apart -= l->extents[d] * l->strides[d] * (int64_t)l->bytes;
            index[d] = 0;
        }
    }
}

void sdfg_rt_mpi_pack(const struct sdfg_rt_mpi_layout *l, const void *buffer, void *packed)
{
    each_row(l, (char *)(uintptr_t)buffer, packed, true);
}

void sdfg_rt_mpi_unpack(const struct sdfg_rt_mpi_layout *l, void *buffer, const void *packed)
{
    each_row(l, buffer, (char *)(uintptr_t)packed, false);
}

/* ---- derived types ---- */

void sdfg_rt_mpi_elements_free(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_elements *e)
{
    if (e->made)
        n->mpi->Type_free(&e->type);
    e->made = false;
}

/* `e` becomes one element of the new type. */
static bool became(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_elements *e, const char *function, int result,
                   mpi_handle type)
{
    if (!sdfg_rt_mpi_good(n, function, result, "type of a region"))
        return false;
    sdfg_rt_mpi_elements_free(n, e); /* the new type keeps what it needs */
    *e = (struct sdfg_rt_mpi_elements){ type, 1, true };
    return true;
}

enum { CHUNK = 1 << 30 };

/* Chunks and the rest behind them. */
static bool long_row(const struct sdfg_rt_mpi_node *n, int64_t type, int64_t count, struct sdfg_rt_mpi_elements *out)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    mpi_handle base = m->types[type], chunk = 0, all = 0; /* MPICH writes half of the bits */
    struct sdfg_rt_mpi_elements chunks = { base, 1, false };
    int rest = (int)(count % CHUNK), lengths[2] = { (int)(count / CHUNK), rest };
    intptr_t offsets[2] = { 0, (intptr_t)((size_t)(count - rest) * sizes[type]) };
    int result = m->Type_contiguous(CHUNK, base, &chunk);
    if (!became(n, &chunks, "MPI_Type_contiguous", result, chunk))
        return false;
    char types[2 * sizeof(mpi_handle)];
    memcpy(types, &chunks.type, m->constants->handle_bytes);
    memcpy(types + m->constants->handle_bytes, &base, m->constants->handle_bytes);
    *out = chunks;
    result = m->Type_create_struct(2, lengths, offsets, types, &all);
    if (became(n, out, "MPI_Type_create_struct", result, all))
        return true;
    sdfg_rt_mpi_elements_free(n, out);
    return false;
}

static bool commit(const struct sdfg_rt_mpi_node *n, struct sdfg_rt_mpi_elements *e)
{
    if (!e->made || sdfg_rt_mpi_good(n, "MPI_Type_commit", n->mpi->Type_commit(&e->type), "type of a region"))
        return true;
    sdfg_rt_mpi_elements_free(n, e);
    return false;
}

bool sdfg_rt_mpi_row(const struct sdfg_rt_mpi_node *n, int64_t type, int64_t count, struct sdfg_rt_mpi_elements *out)
{
    *out = (struct sdfg_rt_mpi_elements){ n->mpi->types[type], (int)count, false };
    return count <= INT_MAX || (long_row(n, type, count, out) && commit(n, out));
}

bool sdfg_rt_mpi_elements(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_layout *l,
                          struct sdfg_rt_mpi_elements *out)
{
    if (sdfg_rt_mpi_contiguous(l))
        return sdfg_rt_mpi_row(n, l->type, l->elements, out);
    *out = (struct sdfg_rt_mpi_elements){ n->mpi->types[l->type], 1, false };
    for (int64_t d = l->rank - 1; d >= 0; d--) {
        mpi_handle type = 0;
        if (l->extents[d] > INT_MAX) {
            sdfg_rt_mpi_elements_free(n, out);
            return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a region with gaps has a dimension of %lld elements",
                                    (long long)l->extents[d]);
        }
        int result =
            n->mpi->Type_create_hvector((int)l->extents[d], 1, l->strides[d] * (intptr_t)l->bytes, out->type, &type);
        if (!became(n, out, "MPI_Type_create_hvector", result, type)) {
            sdfg_rt_mpi_elements_free(n, out);
            return false;
        }
    }
    return commit(n, out);
}
