/* MPI functions of C++ tasklets (runtime/mpi_code.h): communicators, groups, process grids, element types. */
#include "runtime/mpi/mpi_code_internal.h"

#include <string.h>

#define CODE(name, ...) int32_t sdfg_rt_MPI_##name(struct sdfg_rt_context *context, const char *where, __VA_ARGS__)

/* ---- handles ---- */

bool sdfg_rt_mpi_code_enter(struct sdfg_rt_mpi_node *n, struct sdfg_rt_context *context, const char *where)
{
    int ended = 0;
    if (!sdfg_rt_mpi_enter(n, context, where, NULL))
        return false;
    /* exit code of a program may run after MPI_Finalize, which has freed everything */
    return n->mpi->self || (sdfg_rt_mpi_good(n, "MPI_Finalized", n->mpi->Finalized(&ended), "in a tasklet") && !ended);
}

int32_t sdfg_rt_mpi_code_done(const struct sdfg_rt_mpi_node *n, const char *function, int result)
{
    sdfg_rt_mpi_good(n, function, result, "in a tasklet");
    return result;
}

/* MPICH's are 32 bits of the integer. */
mpi_handle sdfg_rt_mpi_code_handle(const struct sdfg_rt_mpi_node *n, int64_t value)
{
    return n->mpi->constants->handle_bytes == 4 ? (mpi_handle)(uint32_t)value : (mpi_handle)value;
}

int64_t sdfg_rt_mpi_code_value(const struct sdfg_rt_mpi_node *n, mpi_handle handle)
{
    return n->mpi->constants->handle_bytes == 4 ? (int64_t)(uint32_t)handle : (int64_t)handle;
}

mpi_handle sdfg_rt_mpi_code_comm(const struct sdfg_rt_mpi_node *n, int64_t value)
{
    switch (value) {
    case SDFG_RT_MPI_CODE_NULL:
        return n->mpi->none;
    case SDFG_RT_MPI_CODE_WORLD:
        return n->comm;
    case SDFG_RT_MPI_CODE_SELF:
        return n->mpi->alone;
    default:
        return sdfg_rt_mpi_code_handle(n, value);
    }
}

mpi_handle sdfg_rt_mpi_code_type(const struct sdfg_rt_mpi_node *n, int64_t value)
{
    bool predefined = value > 0 && value <= SDFG_RT_MPI_TYPES;
    return predefined ? n->mpi->types[value - 1] : sdfg_rt_mpi_code_handle(n, value);
}

int sdfg_rt_mpi_code_peer(const struct sdfg_rt_mpi_node *n, int32_t rank)
{
    return rank == SDFG_RT_MPI_NOBODY    ? n->mpi->constants->proc_null
           : rank == SDFG_RT_MPI_ANYBODY ? n->mpi->constants->any_source
                                         : rank;
}

int32_t sdfg_rt_mpi_code_rank(const struct sdfg_rt_mpi_node *n, int rank)
{
    return rank == n->mpi->constants->proc_null ? SDFG_RT_MPI_NOBODY : rank;
}

/* A communicator that was made: its failures come back, too. */
static int32_t made(const struct sdfg_rt_mpi_node *n, const char *function, int result, mpi_handle comm, int64_t *out)
{
    bool there = !result && comm != n->mpi->none;
    if (there)
        n->mpi->Comm_set_errhandler(comm, n->mpi->errors_return);
    *out = there ? sdfg_rt_mpi_code_value(n, comm) : SDFG_RT_MPI_CODE_NULL;
    return sdfg_rt_mpi_code_done(n, function, result);
}

/* ---- communicators ---- */

CODE(Comm_rank, int64_t comm, int32_t *rank)
{
    struct sdfg_rt_mpi_node n;
    *rank = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    return n.mpi->self
               ? 0
               : sdfg_rt_mpi_code_done(&n, "MPI_Comm_rank", n.mpi->Comm_rank(sdfg_rt_mpi_code_comm(&n, comm), rank));
}

CODE(Comm_size, int64_t comm, int32_t *size)
{
    struct sdfg_rt_mpi_node n;
    *size = 1;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    return n.mpi->self
               ? 0
               : sdfg_rt_mpi_code_done(&n, "MPI_Comm_size", n.mpi->Comm_size(sdfg_rt_mpi_code_comm(&n, comm), size));
}

CODE(Comm_dup, int64_t comm, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const int32_t one[SDFG_RT_MPI_RANK] = { 1 };
        return sdfg_rt_mpi_code_new_grid(&n, 1, one, one, out);
    }
    sdfg_rt_mpi_about(&n, "MPI_Comm_dup", SDFG_RT_MPI_ALL, -1);
    int result = n.mpi->Comm_dup(sdfg_rt_mpi_code_comm(&n, comm), &got);
    return made(&n, "MPI_Comm_dup", result, got, out);
}

CODE(Comm_split, int64_t comm, int32_t color, int32_t key, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const int32_t one[SDFG_RT_MPI_RANK] = { 1 };
        return color == SDFG_RT_MPI_CODE_UNDEFINED ? 0 : sdfg_rt_mpi_code_new_grid(&n, 1, one, one, out);
    }
    sdfg_rt_mpi_about(&n, "MPI_Comm_split", SDFG_RT_MPI_ALL, -1);
    int result = n.mpi->Comm_split(sdfg_rt_mpi_code_comm(&n, comm), color, key, &got);
    return made(&n, "MPI_Comm_split", result, got, out);
}

CODE(Comm_free, int64_t *comm)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    int64_t old = *comm;
    *comm = SDFG_RT_MPI_CODE_NULL;
    if (n.mpi->self) {
        sdfg_rt_mpi_code_free_grid(old);
        return 0;
    }
    mpi_handle handle = sdfg_rt_mpi_code_comm(&n, old);
    return sdfg_rt_mpi_code_done(&n, "MPI_Comm_free", n.mpi->Comm_free(&handle));
}

CODE(Abort, int64_t comm, int32_t code)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    sdfg_rt_mpi_end(n.mpi, n.mpi->self ? 0 : sdfg_rt_mpi_code_comm(&n, comm), code);
}

int64_t sdfg_rt_mpi_comm_of(struct sdfg_rt_context *context, const char *where, const void *grid)
{
    struct sdfg_rt_mpi_node n;
    const struct sdfg_rt_mpi_grid *g = grid;
    if (!g || !g->valid || !sdfg_rt_mpi_code_enter(&n, context, where))
        return SDFG_RT_MPI_CODE_NULL;
    return n.mpi->self ? g->own : sdfg_rt_mpi_code_value(&n, g->comm);
}

/* ---- groups: without a library the only one is that of this process ---- */

CODE(Comm_group, int64_t comm, int64_t *group)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *group = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        *group = SDFG_RT_MPI_CODE_WORLD;
        return 0;
    }
    int result = n.mpi->Comm_group(sdfg_rt_mpi_code_comm(&n, comm), &got);
    *group = result ? SDFG_RT_MPI_CODE_NULL : sdfg_rt_mpi_code_value(&n, got);
    return sdfg_rt_mpi_code_done(&n, "MPI_Comm_group", result);
}

CODE(Group_size, int64_t group, int32_t *size)
{
    struct sdfg_rt_mpi_node n;
    *size = 1;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    return n.mpi->self ? 0
                       : sdfg_rt_mpi_code_done(&n, "MPI_Group_size",
                                               n.mpi->Group_size(sdfg_rt_mpi_code_handle(&n, group), size));
}

CODE(Group_rank, int64_t group, int32_t *rank)
{
    struct sdfg_rt_mpi_node n;
    *rank = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    return n.mpi->self ? 0
                       : sdfg_rt_mpi_code_done(&n, "MPI_Group_rank",
                                               n.mpi->Group_rank(sdfg_rt_mpi_code_handle(&n, group), rank));
}

CODE(Group_translate_ranks, int64_t from, int32_t count, const int32_t *ranks, int64_t to, int32_t *out)
{
    struct sdfg_rt_mpi_node n;
    for (int32_t i = 0; i < count; i++)
        out[i] = ranks[i] ? SDFG_RT_MPI_CODE_UNDEFINED : 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return 0;
    int result = n.mpi->Group_translate_ranks(sdfg_rt_mpi_code_handle(&n, from), count, ranks,
                                              sdfg_rt_mpi_code_handle(&n, to), out);
    for (int32_t i = 0; i < count; i++)
        out[i] = sdfg_rt_mpi_code_rank(&n, out[i]);
    return sdfg_rt_mpi_code_done(&n, "MPI_Group_translate_ranks", result);
}

CODE(Group_free, int64_t *group)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    mpi_handle handle = sdfg_rt_mpi_code_handle(&n, *group);
    *group = SDFG_RT_MPI_CODE_NULL;
    return n.mpi->self ? 0 : sdfg_rt_mpi_code_done(&n, "MPI_Group_free", n.mpi->Group_free(&handle));
}

/* ---- process grids ---- */

CODE(Cart_create, int64_t comm, int32_t rank, const int32_t *dims, const int32_t *periods, int32_t reorder,
     int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_new_grid(&n, rank, dims, periods, out);
    sdfg_rt_mpi_about(&n, "MPI_Cart_create", SDFG_RT_MPI_ALL, -1);
    int result = n.mpi->Cart_create(sdfg_rt_mpi_code_comm(&n, comm), rank, dims, periods, reorder, &got);
    return made(&n, "MPI_Cart_create", result, got, out);
}

CODE(Cart_sub, int64_t comm, const int32_t *remain, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const struct sdfg_rt_mpi_code_grid *g = sdfg_rt_mpi_code_grid_of(&n, comm);
        int32_t dims[SDFG_RT_MPI_RANK], periods[SDFG_RT_MPI_RANK], rank = 0;
        for (int i = 0; g && i < g->rank; i++)
            if (remain[i]) {
                dims[rank] = 1;
                periods[rank++] = g->periods[i];
            }
        return g ? sdfg_rt_mpi_code_new_grid(&n, rank, dims, periods, out) : MPI_CODE_FAILED;
    }
    sdfg_rt_mpi_about(&n, "MPI_Cart_sub", SDFG_RT_MPI_ALL, -1);
    int result = n.mpi->Cart_sub(sdfg_rt_mpi_code_comm(&n, comm), remain, &got);
    return made(&n, "MPI_Cart_sub", result, got, out);
}

/* MPI says nothing of grids of fewer dimensions than there is room for: their numbers stay. */
CODE(Cart_get, int64_t comm, int32_t most, int32_t *dims, int32_t *periods, int32_t *coords)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (!n.mpi->self)
        return sdfg_rt_mpi_code_done(&n, "MPI_Cart_get",
                                     n.mpi->Cart_get(sdfg_rt_mpi_code_comm(&n, comm), most, dims, periods, coords));
    const struct sdfg_rt_mpi_code_grid *g = sdfg_rt_mpi_code_grid_of(&n, comm);
    for (int i = 0; g && i < g->rank && i < most; i++) {
        dims[i] = 1;
        periods[i] = g->periods[i];
        coords[i] = 0;
    }
    return g ? 0 : MPI_CODE_FAILED;
}

CODE(Cart_coords, int64_t comm, int32_t rank, int32_t most, int32_t *coords)
{
    struct sdfg_rt_mpi_node n;
    for (int32_t i = 0; i < most; i++)
        coords[i] = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (!n.mpi->self)
        return sdfg_rt_mpi_code_done(&n, "MPI_Cart_coords",
                                     n.mpi->Cart_coords(sdfg_rt_mpi_code_comm(&n, comm), rank, most, coords));
    return sdfg_rt_mpi_code_grid_of(&n, comm) ? 0 : MPI_CODE_FAILED;
}

CODE(Cart_rank, int64_t comm, const int32_t *coords, int32_t *rank)
{
    struct sdfg_rt_mpi_node n;
    *rank = 0;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (!n.mpi->self)
        return sdfg_rt_mpi_code_done(&n, "MPI_Cart_rank",
                                     n.mpi->Cart_rank(sdfg_rt_mpi_code_comm(&n, comm), coords, rank));
    return sdfg_rt_mpi_code_grid_of(&n, comm) ? 0 : MPI_CODE_FAILED;
}

CODE(Cart_shift, int64_t comm, int32_t dimension, int32_t by, int32_t *source, int32_t *dest)
{
    struct sdfg_rt_mpi_node n;
    *source = *dest = SDFG_RT_MPI_NOBODY;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const struct sdfg_rt_mpi_code_grid *g = sdfg_rt_mpi_code_grid_of(&n, comm);
        if (g && dimension >= 0 && dimension < g->rank && (g->periods[dimension] || !by))
            *source = *dest = 0;
        return g ? 0 : MPI_CODE_FAILED;
    }
    int result = n.mpi->Cart_shift(sdfg_rt_mpi_code_comm(&n, comm), dimension, by, source, dest);
    *source = sdfg_rt_mpi_code_rank(&n, *source);
    *dest = sdfg_rt_mpi_code_rank(&n, *dest);
    return sdfg_rt_mpi_code_done(&n, "MPI_Cart_shift", result);
}

CODE(Dims_create, int32_t processes, int32_t dimensions, int32_t *dims)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (!n.mpi->self)
        return sdfg_rt_mpi_code_done(&n, "MPI_Dims_create", n.mpi->Dims_create(processes, dimensions, dims));
    for (int32_t i = 0; i < dimensions; i++) /* of one process */
        dims[i] = dims[i] ? dims[i] : 1;
    return 0;
}

/* ---- element types ---- */

static int32_t made_type(const struct sdfg_rt_mpi_node *n, const char *function, int result, mpi_handle type,
                         int64_t *out)
{
    *out = result ? SDFG_RT_MPI_CODE_NULL : sdfg_rt_mpi_code_value(n, type);
    return sdfg_rt_mpi_code_done(n, function, result);
}

CODE(Type_contiguous, int32_t count, int64_t type, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const int64_t extent = count, stride = 1;
        return sdfg_rt_mpi_code_new_type(&n, type, 1, &extent, &stride, 0, count, out);
    }
    int result = n.mpi->Type_contiguous(count, sdfg_rt_mpi_code_type(&n, type), &got);
    return made_type(&n, "MPI_Type_contiguous", result, got, out);
}

CODE(Type_vector, int32_t count, int32_t length, int32_t stride, int64_t type, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self) {
        const int64_t extents[2] = { count, length }, strides[2] = { stride, 1 };
        int64_t spans = count ? (int64_t)(count - 1) * stride + length : 0;
        return sdfg_rt_mpi_code_new_type(&n, type, 2, extents, strides, 0, spans, out);
    }
    int result = n.mpi->Type_vector(count, length, stride, sdfg_rt_mpi_code_type(&n, type), &got);
    return made_type(&n, "MPI_Type_vector", result, got, out);
}

/* order: 0 for C. */
static int32_t own_subarray(const struct sdfg_rt_mpi_node *n, int32_t rank, const int32_t *sizes, const int32_t *counts,
                            const int32_t *begins, int32_t order, int64_t type, int64_t *out)
{
    int64_t extents[SDFG_RT_MPI_RANK], strides[SDFG_RT_MPI_RANK], begin = 0, stride = 1;
    if (rank < 1 || rank > SDFG_RT_MPI_RANK) {
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a subarray of %d dimensions", rank);
        return MPI_CODE_FAILED;
    }
    for (int32_t k = 0; k < rank; k++) {
        int32_t from = order ? k : rank - 1 - k, to = rank - 1 - k; /* the fastest dimension comes last */
        extents[to] = counts[from];
        strides[to] = stride;
        begin += begins[from] * stride;
        stride *= sizes[from];
    }
    return sdfg_rt_mpi_code_new_type(n, type, rank, extents, strides, begin, stride, out);
}

CODE(Type_create_subarray, int32_t rank, const int32_t *sizes, const int32_t *counts, const int32_t *begins,
     int32_t order, int64_t type, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return own_subarray(&n, rank, sizes, counts, begins, order, type, out);
    int result = n.mpi->Type_create_subarray(rank, sizes, counts, begins, n.mpi->constants->orders[order != 0],
                                             sdfg_rt_mpi_code_type(&n, type), &got);
    return made_type(&n, "MPI_Type_create_subarray", result, got, out);
}

CODE(Type_create_resized, int64_t type, int64_t begin, int64_t extent, int64_t *out)
{
    struct sdfg_rt_mpi_node n;
    mpi_handle got = 0;
    *out = SDFG_RT_MPI_CODE_NULL;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    if (n.mpi->self)
        return sdfg_rt_mpi_code_resize(&n, type, begin, extent, out);
    int result = n.mpi->Type_create_resized(sdfg_rt_mpi_code_type(&n, type), begin, extent, &got);
    return made_type(&n, "MPI_Type_create_resized", result, got, out);
}

CODE(Type_commit, int64_t *type)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    mpi_handle handle = sdfg_rt_mpi_code_type(&n, *type);
    return n.mpi->self ? 0 : sdfg_rt_mpi_code_done(&n, "MPI_Type_commit", n.mpi->Type_commit(&handle));
}

CODE(Type_free, int64_t *type)
{
    struct sdfg_rt_mpi_node n;
    if (!sdfg_rt_mpi_code_enter(&n, context, where))
        return MPI_CODE_FAILED;
    int64_t old = *type;
    *type = SDFG_RT_MPI_CODE_NULL;
    if (n.mpi->self) {
        sdfg_rt_mpi_code_free_type(old);
        return 0;
    }
    mpi_handle handle = sdfg_rt_mpi_code_type(&n, old);
    return sdfg_rt_mpi_code_done(&n, "MPI_Type_free", n.mpi->Type_free(&handle));
}
