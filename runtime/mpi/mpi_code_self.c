/* MPI functions of C++ tasklets in a process that is its whole world: types and grids are our own, messages stay here.
 */
#include "runtime/mpi/mpi_code_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

/* A handle is its address. */
struct own_type {
    struct sdfg_rt_mpi_layout layout;
    int64_t begin, extent; /* of the first element, in elements; from one item to the next one, in bytes */
};

static bool is_predefined(int64_t type) { return type > 0 && type <= SDFG_RT_MPI_TYPES; }

/* NULL for predefined types. */
static const struct own_type *own(int64_t type) { return (const struct own_type *)(intptr_t)type; }

static bool known(const struct sdfg_rt_mpi_node *n, int64_t type)
{
    return type || sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the type is MPI_DATATYPE_NULL");
}

bool sdfg_rt_mpi_code_region(const struct sdfg_rt_mpi_node *n, int64_t type, int64_t count,
                             struct sdfg_rt_mpi_layout *out, int64_t *begin)
{
    *begin = 0;
    if (!known(n, type))
        return false;
    if (is_predefined(type)) {
        const int64_t row[4] = { type - 1, 1, count, 1 };
        return sdfg_rt_mpi_layout(n, row, out);
    }
    const struct own_type *t = own(type);
    int64_t list[2 + 2 * SDFG_RT_MPI_RANK] = { t->layout.type, t->layout.rank + 1, count };
    if (list[1] > SDFG_RT_MPI_RANK)
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a type of %lld dimensions", (long long)t->layout.rank);
    list[2 + list[1]] = t->extent / (int64_t)t->layout.bytes;
    memcpy(list + 3, t->layout.extents, (size_t)t->layout.rank * sizeof *list);
    memcpy(list + 3 + list[1], t->layout.strides, (size_t)t->layout.rank * sizeof *list);
    *begin = t->begin;
    return sdfg_rt_mpi_layout(n, list, out);
}

int64_t sdfg_rt_mpi_code_extent(int64_t type)
{
    return is_predefined(type) ? (int64_t)sdfg_rt_mpi_bytes(type - 1) : type ? own(type)->extent : 0;
}

static int32_t keep(const struct sdfg_rt_mpi_node *n, const struct own_type *t, int64_t *out)
{
    struct own_type *made = malloc(sizeof *made);
    if (!made) {
        sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "a type");
        return MPI_CODE_FAILED;
    }
    *made = *t;
    *out = (intptr_t)made;
    return 0;
}

int32_t sdfg_rt_mpi_code_new_type(const struct sdfg_rt_mpi_node *n, int64_t of, int rank, const int64_t *extents,
                                  const int64_t *strides, int64_t begin, int64_t spans, int64_t *out)
{
    struct own_type t = { .begin = begin };
    int64_t list[2 + 2 * SDFG_RT_MPI_RANK] = { of - 1, rank };
    if (!known(n, of))
        return MPI_CODE_FAILED;
    if (!is_predefined(of) || rank > SDFG_RT_MPI_RANK) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a type of a derived type needs an MPI library, and there is none");
        return MPI_CODE_FAILED;
    }
    memcpy(list + 2, extents, (size_t)rank * sizeof *list);
    memcpy(list + 2 + rank, strides, (size_t)rank * sizeof *list);
    t.extent = spans * (int64_t)sdfg_rt_mpi_bytes(of - 1);
    return sdfg_rt_mpi_layout(n, list, &t.layout) ? keep(n, &t, out) : MPI_CODE_FAILED;
}

int32_t sdfg_rt_mpi_code_resize(const struct sdfg_rt_mpi_node *n, int64_t of, int64_t begin, int64_t extent,
                                int64_t *out)
{
    struct own_type t = { .begin = 0 };
    if (!known(n, of))
        return MPI_CODE_FAILED;
    if (is_predefined(of)) {
        const int64_t one[4] = { of - 1, 1, 1, 1 };
        sdfg_rt_mpi_layout(n, one, &t.layout);
    } else {
        t = *own(of);
    }
    if (begin || extent % (int64_t)t.layout.bytes) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a type that is resized to no multiple of its elements");
        return MPI_CODE_FAILED;
    }
    t.extent = extent;
    return keep(n, &t, out);
}

void sdfg_rt_mpi_code_free_type(int64_t type)
{
    if (type && !is_predefined(type))
        free((void *)(intptr_t)type);
}

/* ---- messages ---- */

int32_t sdfg_rt_mpi_code_copy(const struct sdfg_rt_mpi_node *n, const void *in, int64_t in_count, int64_t in_type,
                              void *out, int64_t out_count, int64_t out_type)
{
    struct sdfg_rt_mpi_layout from, to;
    int64_t from_begin, to_begin;
    if (sdfg_rt_mpi_code_in_place(in) || sdfg_rt_mpi_code_in_place(out))
        return 0;
    if (!sdfg_rt_mpi_code_region(n, in_type, in_count, &from, &from_begin) ||
        !sdfg_rt_mpi_code_region(n, out_type, out_count, &to, &to_begin))
        return MPI_CODE_FAILED;
    if (from.type != to.type || from.elements > to.elements) {
        sdfg_rt_mpi_fail(n, SDFG_RT_MPI, "%lld elements are received where there are %lld, or of another type",
                         (long long)from.elements, (long long)to.elements);
        return MPI_CODE_FAILED;
    }
    size_t all = (size_t)to.elements * to.bytes;
    char *packed = malloc(all + 1);
    if (!packed) {
        sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "packing %lld elements", (long long)to.elements);
        return MPI_CODE_FAILED;
    }
    char *there = (char *)out + to_begin * (int64_t)to.bytes;
    sdfg_rt_mpi_pack(&to, there, packed); /* what no element comes for stays */
    sdfg_rt_mpi_pack(&from, (const char *)in + from_begin * (int64_t)from.bytes, packed);
    sdfg_rt_mpi_unpack(&to, there, packed);
    free(packed);
    return 0;
}

/* ---- grids ---- */

int32_t sdfg_rt_mpi_code_new_grid(const struct sdfg_rt_mpi_node *n, int rank, const int32_t *dims,
                                  const int32_t *periods, int64_t *out)
{
    bool one = rank >= 0 && rank <= SDFG_RT_MPI_RANK;
    for (int i = 0; one && i < rank; i++)
        one = dims[i] == 1;
    if (!one) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a process grid wants more than 1 process, or none");
        return MPI_CODE_FAILED;
    }
    struct sdfg_rt_mpi_code_grid *g = calloc(1, sizeof *g);
    if (!g) {
        sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "a process grid");
        return MPI_CODE_FAILED;
    }
    for (int i = 0; i < rank; i++)
        g->periods[i] = periods[i] != 0;
    g->rank = rank;
    *out = (intptr_t)g;
    return 0;
}

const struct sdfg_rt_mpi_code_grid *sdfg_rt_mpi_code_grid_of(const struct sdfg_rt_mpi_node *n, int64_t comm)
{
    if (comm > SDFG_RT_MPI_CODE_SELF)
        return (const struct sdfg_rt_mpi_code_grid *)(intptr_t)comm;
    sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the communicator is no process grid");
    return NULL;
}

void sdfg_rt_mpi_code_free_grid(int64_t comm)
{
    if (comm > SDFG_RT_MPI_CODE_SELF)
        free((void *)(intptr_t)comm);
}
