/* Matrices in block-cyclic distribution: from the first process of a grid to all, and back (library-nodes.md 11). */
#include "runtime/mpi/mpi_cyclic.h"

#include <stdlib.h>
#include <string.h>

struct sdfg_rt_mpi_matrix sdfg_rt_mpi_matrix(const void *buffer, const int64_t *layout)
{
    int64_t rank = layout[1];
    return (struct sdfg_rt_mpi_matrix){
        .data = (char *)(uintptr_t)buffer,
        .type = layout[0],
        .rows = layout[2],
        .cols = rank > 1 ? layout[3] : 1,
        .row_stride = layout[2 + rank],
        .col_stride = rank > 1 ? layout[3 + rank] : 1,
        .bytes = sdfg_rt_mpi_bytes(layout[0]),
    };
}

int64_t sdfg_rt_mpi_cyclic_local(const struct sdfg_rt_mpi_cyclic *c, int process)
{
    int64_t blocks = c->size / c->block, whole = blocks / c->processes, more = blocks % c->processes;
    return whole * c->block + (process < more ? c->block : process == more ? c->size % c->block : 0);
}

int64_t sdfg_rt_mpi_cyclic_global(const struct sdfg_rt_mpi_cyclic *c, int process, int64_t i)
{
    return (i / c->block * c->processes + process) * c->block + i % c->block;
}

bool sdfg_rt_mpi_cyclic_make(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g, int64_t rows,
                             int64_t cols, const int32_t *blocks, struct sdfg_rt_mpi_cyclic out[2])
{
    out[0] = (struct sdfg_rt_mpi_cyclic){ rows, blocks[0], g->dims[0] };
    out[1] = (struct sdfg_rt_mpi_cyclic){ cols, cols > 1 ? blocks[1] : 1, g->dims[1] };
    return (out[0].block > 0 && out[1].block > 0) ||
           sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "blocks of %lld x %lld elements", (long long)out[0].block,
                            (long long)out[1].block);
}

bool sdfg_rt_mpi_cyclic_fits(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g,
                             const struct sdfg_rt_mpi_cyclic *c, const struct sdfg_rt_mpi_matrix *part,
                             const char *name)
{
    int64_t at[2];
    sdfg_rt_mpi_coordinates(g, g->me, at);
    int64_t rows = sdfg_rt_mpi_cyclic_local(&c[0], (int)at[0]), cols = sdfg_rt_mpi_cyclic_local(&c[1], (int)at[1]);
    return (part->rows >= rows && part->cols >= cols) ||
           sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE,
                            "%s has %lld x %lld elements, and %lld x %lld of the matrix are on this process", name,
                            (long long)part->rows, (long long)part->cols, (long long)rows, (long long)cols);
}

/* ---- one process has all ---- */

struct deal {
    const struct sdfg_rt_mpi_node *node;
    const struct sdfg_rt_mpi_grid *grid;
    struct sdfg_rt_mpi_matrix whole, part;
    struct sdfg_rt_mpi_cyclic cyclic[2];
    char *packed; /* the elements of one process, row by row */
};

/* The elements of a process between the matrix and the packed ones, a run of neighbours at a time. */
static void move_whole(const struct deal *d, int process, bool pack)
{
    const struct sdfg_rt_mpi_matrix *m = &d->whole;
    char *packed = d->packed;
    int64_t at[2];
    sdfg_rt_mpi_coordinates(d->grid, process, at);
    int64_t rows = sdfg_rt_mpi_cyclic_local(&d->cyclic[0], (int)at[0]);
    int64_t cols = sdfg_rt_mpi_cyclic_local(&d->cyclic[1], (int)at[1]);
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = sdfg_rt_mpi_cyclic_global(&d->cyclic[0], (int)at[0], i), width;
        for (int64_t j = 0; j < cols; j += width) {
            width = d->cyclic[1].block < cols - j ? d->cyclic[1].block : cols - j;
            int64_t col = sdfg_rt_mpi_cyclic_global(&d->cyclic[1], (int)at[1], j);
            struct sdfg_rt_mpi_layout l = { .elements = width, .rank = 1, .bytes = m->bytes };
            l.extents[0] = width;
            l.strides[0] = m->col_stride;
            (pack ? sdfg_rt_mpi_pack(&l, sdfg_rt_mpi_at(m, row, col), packed)
                  : sdfg_rt_mpi_unpack(&l, sdfg_rt_mpi_at(m, row, col), packed));
            packed += (size_t)width * m->bytes;
        }
    }
}

static int64_t elements_of(const struct deal *d, int process)
{
    int64_t at[2];
    sdfg_rt_mpi_coordinates(d->grid, process, at);
    return sdfg_rt_mpi_cyclic_local(&d->cyclic[0], (int)at[0]) * sdfg_rt_mpi_cyclic_local(&d->cyclic[1], (int)at[1]);
}

/* The part of this process. */
static void move_part(const struct deal *d, bool pack)
{
    const struct sdfg_rt_mpi_matrix *m = &d->part;
    int64_t at[2];
    sdfg_rt_mpi_coordinates(d->grid, d->grid->me, at);
    struct sdfg_rt_mpi_layout l = { .rank = 2, .bytes = m->bytes, .strides = { m->row_stride, m->col_stride } };
    l.extents[0] = sdfg_rt_mpi_cyclic_local(&d->cyclic[0], (int)at[0]);
    l.extents[1] = sdfg_rt_mpi_cyclic_local(&d->cyclic[1], (int)at[1]);
    l.elements = l.extents[0] * l.extents[1];
    (pack ? sdfg_rt_mpi_pack(&l, m->data, d->packed) : sdfg_rt_mpi_unpack(&l, m->data, d->packed));
}

/* Between this process and another one; process 0 talks to all others. */
static bool transfer(const struct deal *d, int process, int peer, bool sends)
{
    const struct sdfg_rt_mpi_library *m = d->node->mpi;
    struct sdfg_rt_mpi_elements e;
    struct sdfg_rt_mpi_status status;
    if (!sdfg_rt_mpi_row(d->node, d->whole.type, elements_of(d, process), &e))
        return false;
    sdfg_rt_mpi_about(d->node, sends ? "MPI_Send" : "MPI_Recv", peer, 0);
    int result = sends ? m->Send(d->packed, e.count, e.type, peer, 0, d->grid->comm)
                       : m->Recv(d->packed, e.count, e.type, peer, 0, d->grid->comm, &status);
    sdfg_rt_mpi_elements_free(d->node, &e);
    return sdfg_rt_mpi_good(d->node, sends ? "MPI_Send" : "MPI_Recv", result, "blocks of a matrix, rank %d", peer);
}

static bool scatter(const struct deal *d)
{
    int me = d->grid->me;
    for (int p = 1; !me && p < d->grid->processes; p++) {
        move_whole(d, p, true);
        if (!transfer(d, p, p, true))
            return false;
    }
    if (me && !transfer(d, me, 0, false))
        return false;
    if (!me)
        move_whole(d, 0, true);
    move_part(d, false);
    return true;
}

static bool gather(const struct deal *d)
{
    int me = d->grid->me;
    move_part(d, true);
    if (me)
        return transfer(d, me, 0, true);
    move_whole(d, 0, false);
    for (int p = 1; p < d->grid->processes; p++) {
        if (!transfer(d, p, p, false))
            return false;
        move_whole(d, p, false);
    }
    return true;
}

/* In ScaLAPACK's words, whose matrices are column-major, the matrix is the transposed one. */
static void describe(int32_t *out, const struct deal *d, int64_t width, int64_t height, int64_t leading)
{
    if (!out)
        return;
    const int64_t fields[9] = { 1, 0, d->cyclic[1].size, d->cyclic[0].size, width, height, 0, 0, leading };
    for (int i = 0; i < 9; i++)
        out[i] = (int32_t)fields[i];
}

static bool begin(struct deal *d, const int32_t *blocks)
{
    int64_t most = 0;
    if (!sdfg_rt_mpi_cyclic_make(d->node, d->grid, d->whole.rows, d->whole.cols, blocks, d->cyclic) ||
        !sdfg_rt_mpi_cyclic_fits(d->node, d->grid, d->cyclic, &d->part, "the part") ||
        !sdfg_rt_mpi_same_type(d->node, d->whole.type, d->part.type))
        return false;
    for (int p = 0; p < d->grid->processes; p++)
        most = most > elements_of(d, p) ? most : elements_of(d, p);
    d->packed = malloc((size_t)most * d->whole.bytes + 1);
    return d->packed || sdfg_rt_mpi_fail(d->node, SDFG_RT_OUT_OF_MEMORY, "blocks of a matrix");
}

void sdfg_rt_mpi_cyclic_scatter(struct sdfg_rt_context *context, const char *where, const void *in,
                                const int64_t *in_layout, void *out, const int64_t *out_layout, const int32_t *blocks,
                                void *grid, int32_t *whole_descriptor, int32_t *part_descriptor)
{
    struct sdfg_rt_mpi_node n;
    struct deal d = { .node = &n,
                      .grid = grid,
                      .whole = sdfg_rt_mpi_matrix(in, in_layout),
                      .part = sdfg_rt_mpi_matrix(out, out_layout) };
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !begin(&d, blocks))
        return;
    if (scatter(&d)) {
        int64_t at[2];
        sdfg_rt_mpi_coordinates(d.grid, d.grid->me, at);
        int64_t cols = sdfg_rt_mpi_cyclic_local(&d.cyclic[1], (int)at[1]);
        describe(whole_descriptor, &d, d.whole.cols, d.whole.rows, d.whole.cols);
        describe(part_descriptor, &d, d.cyclic[1].block, d.cyclic[0].block, cols ? cols : 1);
    }
    free(d.packed);
}

void sdfg_rt_mpi_cyclic_gather(struct sdfg_rt_context *context, const char *where, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int32_t *blocks,
                               void *grid)
{
    struct sdfg_rt_mpi_node n;
    struct deal d = { .node = &n,
                      .grid = grid,
                      .whole = sdfg_rt_mpi_matrix(out, out_layout),
                      .part = sdfg_rt_mpi_matrix(in, in_layout) };
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) || !begin(&d, blocks))
        return;
    gather(&d);
    free(d.packed);
}
