/* Transposed, reshaped and reinterpreted views. */
#include "frontend/functions.h"

#include <string.h>

struct value *fe_view(struct fe *f, const struct value *base, struct fe_dim *dims, const struct sym **shape,
                      uint32_t rank)
{
    struct value *v = fe_new(f, FE_VIEW);
    v->type = base->type;
    v->weak = base->weak && rank == 0;
    v->view.container = base->view.container;
    v->view.dims = dims;
    v->rank = rank;
    v->shape = arena_copy(f->arena, shape, (rank + 1) * sizeof *shape);
    return v;
}

const struct value *fe_transpose(struct fe *f, const struct value *v, const uint32_t *axes)
{
    uint32_t dims = v->view.container->rank ? v->view.container->rank : 1;
    struct fe_dim *out = arena_copy(f->arena, v->view.dims, dims * sizeof *out);
    const struct sym *shape[FE_MAX_RANK + 1] = { 0 };
    for (uint32_t i = 0; i < v->rank; i++)
        shape[i] = v->shape[axes[i]];
    for (uint32_t k = 0; k < dims; k++)
        for (uint32_t i = 0; i < v->rank; i++)
            if (v->view.dims[k].axis == (int)axes[i])
                out[k].axis = (int)i;
    return fe_view(f, v, out, shape, v->rank);
}

const struct value *fe_squeeze(struct fe *f, const struct value *v)
{
    uint32_t dims = v->view.container->rank ? v->view.container->rank : 1, rank = 0;
    struct fe_dim *out = arena_copy(f->arena, v->view.dims, dims * sizeof *out);
    const struct sym *shape[FE_MAX_RANK + 1] = { 0 };
    for (uint32_t i = 0; i < v->rank; i++) {
        bool keep = !sym_is_int(v->shape[i], 1);
        for (uint32_t k = 0; k < dims; k++)
            if (v->view.dims[k].axis == (int)i)
                out[k].axis = keep ? (int)rank : -1;
        if (keep)
            shape[rank++] = v->shape[i];
    }
    return fe_view(f, v, out, shape, rank);
}

/* Whether the elements of the view lie one behind the other. */
static bool contiguous(struct fe *f, const struct value *v)
{
    const struct fe_container *c = v->view.container;
    bool full = true; /* all dimensions behind this one are whole */
    if (!fe_is_plain(v) || c->strides)
        return false;
    for (uint32_t i = c->rank; i-- > 0;) {
        const struct fe_dim *d = &v->view.dims[i];
        bool single = d->axis < 0 || sym_is_int(v->shape[d->axis], 1);
        if (!full && !single)
            return false;
        if (!single && !sym_is_int(d->step, 1))
            return false;
        full &= !single && fe_same_extent(f, v->shape[d->axis], c->shape[i]);
        full |= sym_is_int(c->shape[i], 1);
    }
    return true;
}

/* A view of the region with another shape or type. */
static const struct value *shown(struct fe *f, const struct value *v, const struct type *t,
                                 const struct sym *const *shape, uint32_t rank)
{
    struct fe_container *c = NEW(f->arena, struct fe_container);
    c->name = fe_unique(f, fe_format(f, "%s_view", v->view.container->name));
    c->type = t;
    c->rank = rank;
    c->shape = NEW_ARRAY(f->arena, const struct sym *, rank + 1);
    memcpy(c->shape, shape, rank * sizeof *shape);
    c->level = f->level;
    c->shows = v;
    if (!f->dry)
        build_view(f->level->sdfg, c->name, c->type->name, fe_shape_text(f, c->shape, rank));
    return fe_whole(f, c);
}

const struct value *fe_reshape(struct fe *f, const struct py *n, const struct value *v, const struct sym **shape,
                               uint32_t rank)
{
    const struct sym *have = sym_int(f->ir, 1), *want = sym_int(f->ir, 1);
    int open = -1;
    v = fe_materialize(f, n, v, "tmp");
    if (v && !contiguous(f, v))
        v = fe_copy(f, n, v, "tmp");
    if (!v)
        return NULL;
    for (uint32_t i = 0; i < v->rank; i++)
        have = sym_mul(f->ir, have, v->shape[i]);
    for (uint32_t i = 0; i < rank; i++) {
        if (sym_is_int(shape[i], -1))
            open = (int)i;
        else
            want = sym_mul(f->ir, want, shape[i]);
    }
    if (open >= 0) {
        const struct sym *args[2] = { have, want };
        shape[open] = sym_make(f->ir, SYM_FLOOR_DIV, NULL, NULL, args, 2);
    } else if (have->op == SYM_INT && want->op == SYM_INT && have != want) {
        return fe_error(f, n, "%s as %s elements", fe_describe(f, v), fe_text(f, want));
    }
    return shown(f, v, v->type, shape, rank);
}

const struct value *fe_flat(struct fe *f, const struct py *n, const struct value *v)
{
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, 2);
    shape[0] = sym_int(f->ir, -1);
    if (v->kind == FE_VIEW && !contiguous(f, v))
        return fe_unsupported(f, n, "'flat' of an array whose elements do not lie side by side");
    return fe_reshape(f, n, v, shape, 1);
}

const struct value *fe_reinterpret(struct fe *f, const struct py *n, const struct value *v, const struct type *t)
{
    const struct sym **shape = arena_copy(f->arena, v->shape, v->rank * sizeof *shape), **last = &shape[v->rank - 1];
    int64_t to = t->size, from = v->type->size;
    if (!contiguous(f, v) && to != from)
        return fe_unsupported(f, n, "a view of other elements whose own do not lie side by side");
    if (!contiguous(f, v) && !(v = fe_copy(f, n, v, "tmp")))
        return NULL;
    if (to != from) {
        const struct sym *bytes = sym_mul(f->ir, *last, sym_int(f->ir, from)), *args[2] = { bytes, sym_int(f->ir, to) };
        *last = from % to == 0 ? sym_mul(f->ir, *last, sym_int(f->ir, from / to))
                               : sym_make(f->ir, SYM_FLOOR_DIV, NULL, NULL, args, 2);
        const char *said = "When changing to a larger dtype, its size must be a divisor of the total size in bytes of "
                           "the last axis of the "
                           "array.";
        if (from % to && !fe_require_same(f, n, sym_mul(f->ir, *last, sym_int(f->ir, to)), bytes, said))
            return NULL;
    }
    return shown(f, v, t, shape, v->rank);
}
