/* Arrays that lie on a process grid in blocks: to there, back, and from one grid to another. The block of a process is
 * the one at its coordinates; all blocks have the same extents. Blocks are packed: the array may have any strides. */
#include "runtime/mpi/mpi_internal.h"

#include <stdlib.h>
#include <string.h>

/* How an array lies on a grid: rank, extents, extents of a block, dimension of the grid for each. */
struct tiling {
    const struct sdfg_rt_mpi_grid *grid;
    int64_t rank;
    const int64_t *sizes, *blocks, *along;
};

static bool tile(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *grid, const int64_t *list,
                 struct tiling *out)
{
    int64_t rank = list[0];
    *out = (struct tiling){ grid, rank, list + 1, list + 1 + rank, list + 1 + 2 * rank };
    bool good = rank == grid->rank;
    for (int64_t i = 0; good && i < rank; i++)
        good = out->along[i] >= 0 && out->along[i] < grid->rank &&
               out->blocks[i] * grid->dims[out->along[i]] == out->sizes[i];
    return good || sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the blocks of a sub-array do not tile it on its grid");
}

static int64_t block_elements(const struct tiling *t)
{
    int64_t all = 1;
    for (int64_t i = 0; i < t->rank; i++)
        all *= t->blocks[i];
    return all;
}

static void first_of(const struct tiling *t, int process, int64_t *first)
{
    int64_t at[SDFG_RT_MPI_RANK];
    sdfg_rt_mpi_coordinates(t->grid, process, at);
    for (int64_t i = 0; i < t->rank; i++)
        first[i] = at[t->along[i]] * t->blocks[i];
}

/* A box of a region: `layout` is that of the region, with an extent for each dimension of the tiling. */
static struct sdfg_rt_mpi_layout box(const int64_t *layout, size_t bytes, const int64_t *extents)
{
    struct sdfg_rt_mpi_layout l = { .type = layout[0], .elements = 1, .rank = layout[1], .bytes = bytes };
    for (int64_t i = 0; i < l.rank; i++) {
        l.extents[i] = extents[i];
        l.strides[i] = layout[2 + l.rank + i];
        l.elements *= extents[i];
    }
    return l;
}

static char *at(const int64_t *layout, size_t bytes, void *buffer, const int64_t *index)
{
    char *p = buffer;
    for (int64_t i = 0; i < layout[1]; i++)
        p += index[i] * layout[2 + layout[1] + i] * (int64_t)bytes;
    return p;
}

/* ---- one process has all ---- */

struct spread {
    struct tiling tiling;
    const int64_t *whole, *part; /* layouts */
    struct sdfg_rt_mpi_layout block;
    void *whole_buffer, *part_buffer;
    char *all, *own; /* packed: all blocks in the order of the processes, and that of this one */
};

static void pack_all(const struct spread *s, bool pack)
{
    struct sdfg_rt_mpi_layout l = box(s->whole, s->block.bytes, s->tiling.blocks);
    int64_t first[SDFG_RT_MPI_RANK];
    for (int p = 0; p < s->tiling.grid->processes; p++) {
        char *packed = s->all + (size_t)(p * s->block.elements) * s->block.bytes;
        first_of(&s->tiling, p, first);
        char *apart = at(s->whole, s->block.bytes, s->whole_buffer, first);
        if (pack)
            sdfg_rt_mpi_pack(&l, apart, packed);
        else
            sdfg_rt_mpi_unpack(&l, apart, packed);
    }
}

static bool begin(const struct sdfg_rt_mpi_node *n, struct spread *s, const int64_t *list,
                  const struct sdfg_rt_mpi_grid *grid)
{
    if (!tile(n, grid, list, &s->tiling) || !sdfg_rt_mpi_layout(n, s->part, &s->block) ||
        !sdfg_rt_mpi_same_type(n, s->whole[0], s->part[0]))
        return false;
    if (s->whole[1] != s->tiling.rank || s->block.elements != block_elements(&s->tiling))
        return sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "the buffers have not the extents of the sub-array");
    size_t bytes = (size_t)s->block.elements * s->block.bytes;
    s->own = malloc(bytes + 1);
    s->all = grid->me ? NULL : malloc(bytes * (size_t)grid->processes + 1);
    return (s->own && (s->all || grid->me)) || sdfg_rt_mpi_fail(n, SDFG_RT_OUT_OF_MEMORY, "blocks of an array");
}

static void end(struct spread *s)
{
    free(s->own);
    free(s->all);
}

static bool scatter(const struct sdfg_rt_mpi_node *n, struct spread *s)
{
    struct sdfg_rt_mpi_elements e;
    if (s->all)
        pack_all(s, true);
    if (n->mpi->self) {
        memcpy(s->own, s->all, (size_t)s->block.elements * s->block.bytes);
        return true;
    }
    if (!sdfg_rt_mpi_row(n, s->block.type, s->block.elements, &e))
        return false;
    sdfg_rt_mpi_about(n, "MPI_Scatter", SDFG_RT_MPI_ALL, -1);
    int result = n->mpi->Scatter(s->all, e.count, e.type, s->own, e.count, e.type, 0, s->tiling.grid->comm);
    sdfg_rt_mpi_elements_free(n, &e);
    return sdfg_rt_mpi_good(n, "MPI_Scatter", result, "blocks on %d processes", s->tiling.grid->processes);
}

static bool gather(const struct sdfg_rt_mpi_node *n, struct spread *s)
{
    struct sdfg_rt_mpi_elements e;
    if (n->mpi->self) {
        memcpy(s->all, s->own, (size_t)s->block.elements * s->block.bytes);
        pack_all(s, false);
        return true;
    }
    if (!sdfg_rt_mpi_row(n, s->block.type, s->block.elements, &e))
        return false;
    sdfg_rt_mpi_about(n, "MPI_Gather", SDFG_RT_MPI_ALL, -1);
    int result = n->mpi->Gather(s->own, e.count, e.type, s->all, e.count, e.type, 0, s->tiling.grid->comm);
    sdfg_rt_mpi_elements_free(n, &e);
    if (!sdfg_rt_mpi_good(n, "MPI_Gather", result, "blocks from %d processes", s->tiling.grid->processes))
        return false;
    if (s->all)
        pack_all(s, false);
    return true;
}

void sdfg_rt_mpi_block_scatter(struct sdfg_rt_context *context, const char *where, const void *in,
                               const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                               void *grid, void *copies)
{
    struct sdfg_rt_mpi_node n;
    const struct sdfg_rt_mpi_grid *g = grid, *c = copies;
    struct spread s = {
        .whole = in_layout, .part = out_layout, .whole_buffer = (void *)(uintptr_t)in, .part_buffer = out
    };
    struct sdfg_rt_mpi_elements e;
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL))
        return;
    bool good = true;
    if (g->valid) {
        good = begin(&n, &s, list, g) && scatter(&n, &s);
        if (good)
            sdfg_rt_mpi_unpack(&s.block, out, s.own);
        end(&s);
    }
    if (!good || !c || !c->valid || n.mpi->self || !sdfg_rt_mpi_layout(&n, out_layout, &s.block) ||
        !sdfg_rt_mpi_elements(&n, &s.block, &e))
        return;
    sdfg_rt_mpi_about(&n, "MPI_Bcast", 0, -1);
    sdfg_rt_mpi_good(&n, "MPI_Bcast", n.mpi->Bcast(out, e.count, e.type, 0, c->comm), "on %d processes", c->processes);
    sdfg_rt_mpi_elements_free(&n, &e);
}

bool sdfg_rt_mpi_add_up(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *grid, int64_t type,
                        int64_t elements, char *own)
{
    const struct sdfg_rt_mpi_library *m = n->mpi;
    int64_t most = 1 << 30;
    for (int64_t i = 0; i < elements && !m->self; i += most) {
        int count = (int)(elements - i < most ? elements - i : most);
        char *part = own + (size_t)i * sdfg_rt_mpi_bytes(type);
        sdfg_rt_mpi_about(n, "MPI_Reduce", SDFG_RT_MPI_ALL, -1);
        int result = m->Reduce(grid->me ? part : m->constants->in_place, part, count, m->types[type],
                               m->ops[SDFG_RT_MPI_SUM], 0, grid->comm);
        if (!sdfg_rt_mpi_good(n, "MPI_Reduce", result, "on %d processes", grid->processes))
            return false;
    }
    return true;
}

void sdfg_rt_mpi_block_gather(struct sdfg_rt_context *context, const char *where, const void *in,
                              const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *list,
                              void *grid, void *sums)
{
    struct sdfg_rt_mpi_node n;
    const struct sdfg_rt_mpi_grid *g = grid, *r = sums;
    struct spread s = {
        .whole = out_layout, .part = in_layout, .whole_buffer = out, .part_buffer = (void *)(uintptr_t)in
    };
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL) || !(g->valid || (r && r->valid)))
        return;
    if (begin(&n, &s, list, g)) {
        sdfg_rt_mpi_pack(&s.block, in, s.own);
        bool good = !r || !r->valid || sdfg_rt_mpi_add_up(&n, r, s.block.type, s.block.elements, s.own);
        if (good && g->valid)
            gather(&n, &s);
    }
    end(&s);
}

/* ---- from one grid to another ---- */

struct piece {
    int64_t first[SDFG_RT_MPI_RANK], extents[SDFG_RT_MPI_RANK], elements;
};

/* What two blocks have in common. */
static bool common(const struct tiling *a, int in_a, const struct tiling *b, int in_b, struct piece *out)
{
    int64_t fa[SDFG_RT_MPI_RANK], fb[SDFG_RT_MPI_RANK];
    first_of(a, in_a, fa);
    first_of(b, in_b, fb);
    out->elements = 1;
    for (int64_t i = 0; i < a->rank; i++) {
        int64_t ea = fa[i] + a->blocks[i], eb = fb[i] + b->blocks[i], last = ea < eb ? ea : eb;
        out->first[i] = fa[i] > fb[i] ? fa[i] : fb[i];
        out->extents[i] = last > out->first[i] ? last - out->first[i] : 0;
        out->elements *= out->extents[i];
    }
    return out->elements > 0;
}

struct exchange {
    const struct sdfg_rt_mpi_node *n;
    struct tiling a, b;
    const int64_t *in_layout, *out_layout;
    void *in, *out;
    size_t bytes;
    mpi_handle *requests;
    char **packed;
};

/* Addresses and layouts of a piece in the block of a process. */
static char *place_of(const struct tiling *t, int process, const int64_t *layout, size_t bytes, void *buffer,
                      const struct piece *p)
{
    int64_t first[SDFG_RT_MPI_RANK];
    first_of(t, process, first);
    for (int64_t i = 0; i < t->rank; i++)
        first[i] = p->first[i] - first[i];
    return at(layout, bytes, buffer, first);
}

static bool send_piece(struct exchange *x, int to, const struct piece *p)
{
    int peer = sdfg_rt_mpi_world_rank(x->b.grid, to);
    struct sdfg_rt_mpi_layout l = box(x->in_layout, x->bytes, p->extents);
    struct sdfg_rt_mpi_elements e;
    const struct sdfg_rt_mpi_library *m = x->n->mpi;
    x->packed[to] = malloc((size_t)p->elements * x->bytes);
    if (!x->packed[to])
        return sdfg_rt_mpi_fail(x->n, SDFG_RT_OUT_OF_MEMORY, "a block of an array");
    sdfg_rt_mpi_pack(&l, place_of(&x->a, x->a.grid->me, x->in_layout, x->bytes, x->in, p), x->packed[to]);
    if (!sdfg_rt_mpi_row(x->n, l.type, l.elements, &e))
        return false;
    int result = m->Isend(x->packed[to], e.count, e.type, peer, 0, x->n->comm, &x->requests[to]);
    sdfg_rt_mpi_elements_free(x->n, &e);
    return sdfg_rt_mpi_good(x->n, "MPI_Isend", result, "a block to rank %d", peer);
}

static bool receive_piece(struct exchange *x, int from, const struct piece *p)
{
    int peer = sdfg_rt_mpi_world_rank(x->a.grid, from);
    struct sdfg_rt_mpi_layout l = box(x->out_layout, x->bytes, p->extents);
    struct sdfg_rt_mpi_elements e;
    struct sdfg_rt_mpi_status status;
    char *packed = malloc((size_t)p->elements * x->bytes);
    if (!packed)
        return sdfg_rt_mpi_fail(x->n, SDFG_RT_OUT_OF_MEMORY, "a block of an array");
    bool good = sdfg_rt_mpi_row(x->n, l.type, l.elements, &e);
    if (good) {
        sdfg_rt_mpi_about(x->n, "MPI_Recv", peer, 0);
        int result = x->n->mpi->Recv(packed, e.count, e.type, peer, 0, x->n->comm, &status);
        sdfg_rt_mpi_elements_free(x->n, &e);
        good = sdfg_rt_mpi_good(x->n, "MPI_Recv", result, "a block from rank %d", peer);
    }
    if (good)
        sdfg_rt_mpi_unpack(&l, place_of(&x->b, x->b.grid->me, x->out_layout, x->bytes, x->out, p), packed);
    free(packed);
    return good;
}

static void exchange(struct exchange *x)
{
    struct piece p;
    bool good = true;
    struct sdfg_rt_mpi_status status;
    const struct sdfg_rt_mpi_grid *a = x->a.grid, *b = x->b.grid;
    for (int to = 0; a->valid && good && to < b->processes; to++)
        if (common(&x->a, a->me, &x->b, to, &p))
            good = send_piece(x, to, &p);
    for (int from = 0; b->valid && good && from < a->processes; from++)
        if (common(&x->a, from, &x->b, b->me, &p))
            good = receive_piece(x, from, &p);
    for (int to = 0; good && to < b->processes; to++)
        if (x->requests[to]) {
            good = sdfg_rt_mpi_good(x->n, "MPI_Wait", x->n->mpi->Wait(&x->requests[to], &status), "a block sent");
            x->requests[to] = 0;
        }
    /* Behind a failure nobody may receive what is on its way: it is not waited for, and its memory is left to MPI. */
    for (int to = 0; to < b->processes; to++)
        if (x->requests[to])
            x->packed[to] = NULL;
}

/* Alone, the block is the array. */
static void copy_alone(struct exchange *x)
{
    struct sdfg_rt_mpi_layout from = box(x->in_layout, x->bytes, x->a.sizes);
    struct sdfg_rt_mpi_layout to = box(x->out_layout, x->bytes, x->b.sizes);
    char *packed = malloc((size_t)from.elements * x->bytes + 1);
    if (packed) {
        sdfg_rt_mpi_pack(&from, x->in, packed);
        sdfg_rt_mpi_unpack(&to, x->out, packed);
    } else {
        sdfg_rt_mpi_fail(x->n, SDFG_RT_OUT_OF_MEMORY, "a block of an array");
    }
    free(packed);
}

void sdfg_rt_mpi_redistribute(struct sdfg_rt_context *context, const char *where, const void *in,
                              const int64_t *in_layout, void *out, const int64_t *out_layout, const int64_t *from,
                              void *from_grid, const int64_t *to, void *to_grid)
{
    struct sdfg_rt_mpi_node n;
    struct sdfg_rt_mpi_layout l;
    struct exchange x = {
        .n = &n, .in_layout = in_layout, .out_layout = out_layout, .in = (void *)(uintptr_t)in, .out = out
    };
    if (!sdfg_rt_mpi_enter(&n, context, where, NULL) || !tile(&n, from_grid, from, &x.a) ||
        !tile(&n, to_grid, to, &x.b) || !sdfg_rt_mpi_layout(&n, in_layout, &l) ||
        !sdfg_rt_mpi_same_type(&n, in_layout[0], out_layout[0]))
        return;
    x.bytes = l.bytes;
    if (x.a.rank != x.b.rank || memcmp(x.a.sizes, x.b.sizes, (size_t)x.a.rank * sizeof *x.a.sizes) ||
        in_layout[1] != x.a.rank || out_layout[1] != x.b.rank) {
        sdfg_rt_mpi_fail(&n, SDFG_RT_BAD_VALUE, "the two sub-arrays are of arrays of different extents");
        return;
    }
    if (n.mpi->self) {
        copy_alone(&x);
        return;
    }
    size_t processes = (size_t)x.b.grid->processes;
    x.requests = calloc(processes, sizeof *x.requests);
    x.packed = calloc(processes, sizeof *x.packed);
    if (x.requests && x.packed)
        exchange(&x);
    else
        sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "blocks of an array");
    for (size_t i = 0; x.packed && i < processes; i++)
        free(x.packed[i]);
    free(x.packed);
    free(x.requests);
}
