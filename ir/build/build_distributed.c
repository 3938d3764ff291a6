/* Descriptors of distributed data. */
#include "ir/build/build.h"

static struct container *distributed(struct sdfg *s, enum container_kind kind, const char *name, const char *type,
                                     const char *shape, struct distributed **out)
{
    struct container *c = build_container(s, kind, name, type, shape);
    c->transient = true;
    c->lifetime = enum_builtin(s->ir, LIFETIME_PERSISTENT);
    c->distributed = *out = NEW(s->ir->arena, struct distributed);
    return c;
}

static void set_dimensions(struct sdfg *s, struct distributed *d, const int64_t *items, uint32_t count)
{
    d->dimensions = arena_copy(s->ir->arena, items, count * sizeof *items);
    d->num_dimensions = count;
}

struct container *build_grid(struct sdfg *s, const char *name, const char *shape)
{
    struct distributed *d;
    struct container *c = distributed(s, CONTAINER_PROCESS_GRID, name, "int32", shape, &d);
    c->type = type_opaque(s->ir, "MPI_Comm");
    return c;
}

struct container *build_subgrid(struct sdfg *s, const char *name, const char *parent, const int64_t *keeps,
                                uint32_t count, const char *exact)
{
    struct distributed *d;
    struct container *c = distributed(s, CONTAINER_PROCESS_GRID, name, "int32", NULL, &d);
    c->type = type_opaque(s->ir, "MPI_Comm");
    d->is_subgrid = true;
    d->parent = intern(s->ir->names, parent);
    set_dimensions(s, d, keeps, count);
    d->exact = exact ? build_sym(s->ir, &c->place, exact) : NULL;
    return c;
}

struct container *build_subarray(struct sdfg *s, const char *name, const char *type, const char *shape,
                                 const char *block, const char *grid, const int64_t *along, uint32_t count)
{
    struct distributed *d;
    struct container *c = distributed(s, CONTAINER_SUB_ARRAY, name, type, shape, &d);
    uint32_t rank;
    d->subshape = build_syms(s, c, block, &rank);
    if (rank != c->rank || count != c->rank)
        diag_error(s->ir->diags, &c->place, DIAG_READ_SUBARRAY, rank != c->rank ? "subshape" : "correspondence",
                   rank != c->rank ? rank : count, c->rank);
    d->parent = intern(s->ir->names, grid);
    set_dimensions(s, d, along, count);
    return c;
}

struct container *build_redistribution(struct sdfg *s, const char *name, const char *from, const char *to)
{
    struct distributed *d;
    struct container *c = distributed(s, CONTAINER_REDISTR_ARRAY, name, "int32", NULL, &d);
    c->type = type_opaque(s->ir, "dace::comm::RedistrArray");
    d->from = intern(s->ir->names, from);
    d->to = intern(s->ir->names, to);
    return c;
}
