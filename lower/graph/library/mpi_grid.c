/* Process grids and arrays in blocks on them (library-nodes.md 10): mpi.BlockScatter, BlockGather, Redistribute. */
#include "lower/graph/library/mpi.h"

#include "ir/library.h"

#include <string.h>

static const struct container *named(const struct scope *sc, const char *name, enum container_kind kind)
{
    struct sdfg *s = sc->act->sdfg;
    for (uint32_t i = 0; name && i < s->containers.count; i++)
        if (!strcmp(s->containers.items[i]->name, name) && s->containers.items[i]->kind == kind)
            return s->containers.items[i];
    return NULL;
}

/* The descriptor behind a connector; NULL if nothing, or something else, is wired. */
static const struct container *wired(const struct library *n, const char *conn, enum container_kind kind)
{
    const struct edge *e = library_input_edge(n, conn);
    const struct access *a = e ? as_access(e->src) : NULL;
    return a && a->data && a->data->kind == kind ? a->data : NULL;
}

static bool missing(struct scope *sc, const struct place *place, const char *what, const char *kind)
{
    return diag_error(sc->act->lw->diags, place, DIAG_MPI_DESCRIPTOR, what, kind);
}

/* ---- grids ---- */

/* `parent` NULL: of all processes. exact: the part that takes part, or -1. */
static struct tree_expr *call(struct scope *sc, const struct place *place, const char *name, struct tree_expr *parent,
                              const struct sym *const *list, uint32_t count, const struct sym *exact)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *pointer = type_pointer(lw->ir, type_basic(lw->ir, TYPE_I8));
    struct mpi_call c = mpi_begin_at(sc, place);
    mpi_add(&c, parent ? parent : expr_null(t, pointer));
    mpi_add(&c, library_list(sc, place, list, count));
    mpi_add(&c, lower_index(lw, place, exact));
    if (c.failed)
        return NULL;
    struct tree_var *v = tree_var(t, name, pointer);
    stmt_call(t, sc->block, v, "sdfg_rt_mpi_grid", c.args, c.count)->place = place;
    return expr_var(t, v);
}

struct tree_expr *mpi_whole_grid(struct scope *sc, struct library *n, const char *name, const struct sym *const *list,
                                 uint32_t count)
{
    return call(sc, &n->node.place, name, NULL, list, count, sym_int(sc->act->lw->ir, -1));
}

static struct tree_expr *make(struct scope *sc, const struct place *place, const struct container *grid)
{
    struct lower *lw = sc->act->lw;
    const struct distributed *d = grid->distributed;
    const struct container *parent = d->is_subgrid ? named(sc, d->parent, CONTAINER_PROCESS_GRID) : NULL;
    uint32_t count = d->is_subgrid ? d->num_dimensions : grid->rank;
    if (d->is_subgrid && (!parent || parent == grid || parent->distributed->is_subgrid)) {
        missing(sc, place, grid->name, "parent process grid");
        return NULL;
    }
    if (parent && count != parent->rank) {
        missing(sc, place, grid->name, "colour for each dimension of its parent");
        return NULL;
    }
    const struct sym **list = NEW_ARRAY(lw->arena, const struct sym *, count + 1);
    list[0] = sym_int(lw->ir, count);
    for (uint32_t i = 0; i < count; i++)
        if (!(list[1 + i] = parent ? sym_int(lw->ir, d->dimensions[i]) : lower_symbolic(sc, place, grid->shape[i])))
            return NULL;
    const struct sym *exact = d->exact ? lower_symbolic(sc, place, d->exact) : sym_int(lw->ir, -1);
    struct tree_expr *whole = parent && exact ? make(sc, place, parent) : NULL;
    return !exact || (parent && !whole) ? NULL : call(sc, place, grid->name, whole, list, count + 1, exact);
}

bool mpi_make_grid(struct scope *sc, const struct place *place, const struct container *grid)
{
    return make(sc, place, grid) != NULL;
}

struct tree_expr *mpi_grid_handle(struct scope *sc, const struct place *place, const struct container *grid)
{
    struct mpi_call c = mpi_begin_at(sc, place);
    struct tree_expr *value;
    mpi_add(&c, make(sc, place, grid));
    return mpi_finish_value(&c, "sdfg_rt_mpi_comm_of", &value) ? value : NULL;
}

void mpi_add_grid(struct mpi_call *c, const char *conn)
{
    struct lower *lw = c->sc->act->lw;
    const struct container *grid = wired(c->node, conn, CONTAINER_PROCESS_GRID);
    if (!library_input_edge(c->node, conn))
        mpi_add(c, expr_null(lw->tree, type_pointer(lw->ir, type_basic(lw->ir, TYPE_I8))));
    else if (!grid)
        c->failed = !missing(c->sc, c->place, conn, "process grid");
    else
        mpi_add(c, make(c->sc, c->place, grid));
}

/* ---- blocks ---- */

/* Rank, extents, extents of a block, dimensions of the grid. */
static struct tree_expr *tiling(struct scope *sc, struct library *n, const struct container *sub)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    const struct distributed *d = sub->distributed;
    uint32_t rank = sub->rank, count = 1;
    const struct sym **list = NEW_ARRAY(lw->arena, const struct sym *, 1 + 3 * (size_t)rank);
    if (!d->subshape && rank) {
        missing(sc, &n->node.place, sub->name, "subshape");
        return NULL;
    }
    list[0] = sym_int(lw->ir, rank);
    for (uint32_t i = 0; i < rank; i++)
        if (!(list[count++] = lower_symbolic(sc, place, sub->shape[i])))
            return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (!(list[count++] = lower_symbolic(sc, place, d->subshape[i])))
            return NULL;
    for (uint32_t i = 0; i < rank; i++)
        list[count++] = sym_int(lw->ir, i < d->num_dimensions ? d->dimensions[i] : (int64_t)i);
    return library_list(sc, place, list, count);
}

static bool blocks(struct scope *sc, struct library *n, const char *grid, const char *other, const char *function)
{
    struct mpi_call c = mpi_begin(sc, n);
    const struct container *sub = wired(n, "_subarray", CONTAINER_SUB_ARRAY);
    if (!sub)
        return missing(sc, &n->node.place, "_subarray", "sub-array");
    if (!wired(n, grid, CONTAINER_PROCESS_GRID))
        return missing(sc, &n->node.place, grid, "process grid");
    mpi_add_input(&c, "_inp_buffer");
    mpi_add_output(&c, "_out_buffer");
    mpi_add(&c, tiling(sc, n, sub));
    mpi_add_grid(&c, grid);
    mpi_add_grid(&c, other);
    return mpi_finish(&c, function);
}

bool lower_mpi_block_scatter(struct scope *sc, struct library *n)
{
    return blocks(sc, n, "_scatter_grid", "_bcast_grid", "sdfg_rt_mpi_block_scatter");
}

bool lower_mpi_block_gather(struct scope *sc, struct library *n)
{
    return blocks(sc, n, "_gather_grid", "_reduce_grid", "sdfg_rt_mpi_block_gather");
}

/* One side of a redistribution. */
static bool add_side(struct mpi_call *c, const char *name)
{
    const struct container *sub = named(c->sc, name, CONTAINER_SUB_ARRAY);
    const struct container *grid = sub ? named(c->sc, sub->distributed->parent, CONTAINER_PROCESS_GRID) : NULL;
    if (!grid)
        return missing(c->sc, c->place, name ? name : "redistr", "sub-array on a process grid");
    if (grid->distributed->is_subgrid && !grid->distributed->exact) /* which part? */
        return diag_error(c->sc->act->lw->diags, &c->node->node.place, DIAG_MPI_PART, grid->name);
    mpi_add(c, tiling(c->sc, c->node, sub));
    mpi_add(c, make(c->sc, c->place, grid));
    return true;
}

bool lower_mpi_redistribute(struct scope *sc, struct library *n)
{
    struct mpi_call c = mpi_begin(sc, n);
    const char *name;
    const struct container *wire = wired(n, "_rdistrarray", CONTAINER_REDISTR_ARRAY);
    if (!library_string(n, "redistr", "tmp", &name))
        return false;
    const struct container *r = wire ? wire : named(sc, name, CONTAINER_REDISTR_ARRAY);
    if (!r)
        return missing(sc, &n->node.place, "_rdistrarray", "redistribution");
    mpi_add_input(&c, "_inp_buffer");
    mpi_add_output(&c, "_out_buffer");
    return add_side(&c, r->distributed->from) && add_side(&c, r->distributed->to) &&
           mpi_finish(&c, "sdfg_rt_mpi_redistribute");
}
