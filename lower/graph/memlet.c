/* Memlets: from a container and a subset to addresses, sizes and strides. */
#include "lower/graph/stream.h"

struct binding *binding_new(struct scope *sc, const struct place *place, const struct container *desc,
                            struct tree_expr *pointer, uint32_t alias)
{
    struct lower *lw = sc->act->lw;
    if (!desc->type) {
        diag_error(lw->diags, &desc->place, DIAG_UNKNOWN_TYPE, desc->name);
        return NULL;
    }
    struct binding *b = NEW(lw->arena, struct binding);
    b->desc = desc;
    b->type = is_stream(desc) ? stream_handle_type(lw->ir) : desc->type;
    b->pointer = pointer;
    if (container_is_structure(desc) && desc->type->kind == TYPE_POINTER) { /* the element is the structure itself */
        b->type = desc->type->elem;
        b->pointer = pointer ? expr_cast(lw->tree, desc->type, pointer) : NULL; /* a transient has none yet */
    }
    b->alias = alias;
    b->rank = desc->rank;
    b->strides = NEW_ARRAY(lw->arena, const struct sym *, desc->rank);
    b->offset = NEW_ARRAY(lw->arena, const struct sym *, desc->rank);
    for (uint32_t i = 0; i < desc->rank; i++) {
        b->strides[i] = lower_symbolic(sc, place, desc->strides[i]);
        b->offset[i] = lower_symbolic(sc, place, desc->offset[i]);
        if (!b->strides[i] || !b->offset[i])
            return NULL;
    }
    return b;
}

const struct sym *lower_shape(struct scope *sc, const struct place *place, const struct binding *b, uint32_t dim)
{
    return lower_symbolic(sc, place, b->desc->shape[dim]);
}

const struct sym *lower_total_size(struct scope *sc, const struct place *place, const struct container *c)
{
    const struct sym *size = lower_symbolic(sc, place, c->total_size);
    const struct sym *start = size ? lower_symbolic(sc, place, c->start_offset) : NULL;
    return start ? sym_add(sc->act->lw->ir, size, start) : NULL;
}

enum packing lower_packing(struct scope *sc, const struct place *place, const struct binding *b)
{
    struct lower *lw = sc->act->lw;
    int packing = PACKED_BOTH;
    const struct sym *c = sym_int(lw->ir, 1), *f = sym_int(lw->ir, 1);
    for (uint32_t i = 0; i < b->rank; i++) {
        uint32_t k = b->rank - 1 - i;
        const struct sym *extent_c = lower_shape(sc, place, b, k), *extent_f = lower_shape(sc, place, b, i);
        if (!extent_c || !extent_f)
            return PACKED_NONE;
        if (b->strides[k] != c && !sym_is_int(extent_c, 1))
            packing &= ~PACKED_C;
        if (b->strides[i] != f && !sym_is_int(extent_f, 1))
            packing &= ~PACKED_F;
        c = sym_mul(lw->ir, c, extent_c);
        f = sym_mul(lw->ir, f, extent_f);
    }
    return (enum packing)packing;
}

static bool whole_dimension(struct scope *sc, const struct place *place, const struct binding *b, uint32_t d,
                            struct range *out)
{
    struct ir *ir = sc->act->lw->ir;
    const struct sym *extent = lower_shape(sc, place, b, d);
    if (!extent)
        return false;
    *out = (struct range){ sym_int(ir, 0), sym_sub(ir, extent, sym_int(ir, 1)), sym_int(ir, 1), sym_int(ir, 1) };
    return true;
}

static bool resolve_range(struct scope *sc, const struct place *place, const struct range *r, struct range *out)
{
    out->begin = lower_symbolic(sc, place, r->begin);
    out->end = r->end == r->begin ? out->begin : lower_symbolic(sc, place, r->end);
    out->step = lower_symbolic(sc, place, r->step);
    out->tile = lower_symbolic(sc, place, r->tile);
    return out->begin && out->end && out->step && out->tile;
}

static void add_dimension(struct area *a, const struct sym *size, const struct sym *stride)
{
    a->sizes[a->rank] = size;
    a->strides[a->rank++] = stride;
}

/* ---- what checked mode wants to know ---- */

static void note_ranges(struct lower *lw, struct area *a, uint32_t rank)
{
    a->low = NEW_ARRAY(lw->arena, const struct sym *, rank + 1);
    a->high = NEW_ARRAY(lw->arena, const struct sym *, rank + 1);
    a->step = NEW_ARRAY(lw->arena, const struct sym *, rank + 1);
}

static void note_range(struct lower *lw, struct area *a, uint32_t d, const struct range *r)
{
    a->low[d] = r->begin;
    a->high[d] = sym_add(lw->ir, r->end, sym_sub(lw->ir, r->tile, sym_int(lw->ir, 1)));
    a->step[d] = r->step;
    a->tiled |= !sym_is_int(r->tile, 1);
    if (sym_is_int(r->step, 1) || r->begin == r->end)
        return;
    /* the last index that the steps meet */
    const struct sym *steps = sym_sub(lw->ir, sym_range_size(lw->ir, r->begin, r->end, r->step), sym_int(lw->ir, 1));
    a->high[d] = sym_add(lw->ir, r->begin, sym_mul(lw->ir, steps, r->step));
    if (a->tiled)
        a->high[d] = sym_add(lw->ir, a->high[d], sym_sub(lw->ir, r->tile, sym_int(lw->ir, 1)));
}

bool lower_area(struct scope *sc, const struct place *place, const struct container *c, const struct subset *subset,
                struct area *out)
{
    struct lower *lw = sc->act->lw;
    struct ir *ir = lw->ir;
    struct binding *b = lower_binding(sc, place, c);
    if (!b)
        return false;
    uint32_t rank = subset ? subset->rank : b->rank;
    if (rank != b->rank)
        return diag_error(lw->diags, place, DIAG_SUBSET_RANK, c->name, rank, b->rank);
    if (rank > LOWER_MAX_RANK)
        return lower_unsupported(sc, place, "a container of more than 32 dimensions");
    *out = (struct area){ .binding = b, .desc = c, .type = b->type, .alias = b->alias, .whole = !subset };
    out->sizes = NEW_ARRAY(lw->arena, const struct sym *, 2 * (size_t)rank + 1);
    out->strides = NEW_ARRAY(lw->arena, const struct sym *, 2 * (size_t)rank + 1);
    const struct sym *first = sym_int(ir, 0);
    if (lw->options->check)
        note_ranges(lw, out, rank);
    for (uint32_t d = 0; d < rank; d++) {
        struct range r;
        if (!(subset ? resolve_range(sc, place, &subset->dims[d], &r) : whole_dimension(sc, place, b, d, &r)))
            return false;
        first = sym_add(ir, first, sym_mul(ir, sym_add(ir, r.begin, b->offset[d]), b->strides[d]));
        const struct sym *count = r.begin == r.end ? sym_int(ir, 1) : sym_range_size(ir, r.begin, r.end, r.step);
        add_dimension(out, count, sym_mul(ir, b->strides[d], r.step));
        if (out->low)
            note_range(lw, out, d, &r);
        if (!sym_is_int(r.tile, 1))
            add_dimension(out, r.tile, b->strides[d]);
    }
    struct tree_expr *index = lower_index(lw, place, first);
    if (!index)
        return false;
    out->pointer = expr_offset(lw->tree, b->pointer, index);
    return true;
}

bool lower_memlet_area(struct scope *sc, const struct edge *e, struct area *out)
{
    return lower_area(sc, &e->place, e->memlet.data, e->memlet.subset, out);
}

struct area area_copy(struct lower *lw, const struct area *a)
{
    struct area copy = *a;
    copy.sizes = NEW_ARRAY(lw->arena, const struct sym *, (size_t)a->rank + 1);
    copy.strides = NEW_ARRAY(lw->arena, const struct sym *, (size_t)a->rank + 1);
    for (uint32_t i = 0; i < a->rank; i++) {
        copy.sizes[i] = a->sizes[i];
        copy.strides[i] = a->strides[i];
    }
    return copy;
}

void area_squeeze(struct area *a)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (sym_is_int(a->sizes[i], 1))
            continue;
        a->sizes[kept] = a->sizes[i];
        a->strides[kept++] = a->strides[i];
    }
    a->rank = kept;
}

const struct sym *area_volume(struct lower *lw, const struct area *a)
{
    const struct sym *v = sym_int(lw->ir, 1);
    for (uint32_t i = 0; i < a->rank; i++)
        v = sym_mul(lw->ir, v, a->sizes[i]);
    return v;
}

bool area_is_contiguous(struct lower *lw, const struct area *a)
{
    const struct sym *stride = sym_int(lw->ir, 1);
    for (uint32_t i = a->rank; i-- > 0;) {
        if (!sym_is_int(a->sizes[i], 1) && a->strides[i] != stride)
            return false;
        stride = sym_mul(lw->ir, stride, a->sizes[i]);
    }
    return true;
}

struct tree_expr *area_offset(struct lower *lw, const struct place *place, const struct area *a,
                              const struct sym *const *index)
{
    const struct sym *at = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < a->rank; i++)
        at = sym_add(lw->ir, at, sym_mul(lw->ir, index[i], a->strides[i]));
    return lower_index(lw, place, at);
}

struct tree_stmt *lower_loops(struct scope *sc, const struct place *place, uint32_t rank,
                              const struct sym *const *sizes, bool parallel, const struct sym **index)
{
    struct lower *lw = sc->act->lw;
    struct tree_stmt *block = sc->block;
    for (uint32_t i = 0; i < rank; i++) {
        struct tree_expr *end = lower_index(lw, place, sizes[i]);
        if (!end)
            return NULL;
        struct tree_var *v = tree_var(lw->tree, "i", type_basic(lw->ir, TYPE_I64));
        struct tree_stmt *loop = stmt_for(lw->tree, block, v, expr_i64(lw->tree, 0), end, expr_i64(lw->tree, 1));
        loop->place = place;
        loop->loop.independent = true;
        loop->loop.parallel = parallel && i == 0 && !sc->parallel;
        index[i] = lower_var_symbol(lw, v);
        block = loop->body;
    }
    return block;
}

bool lower_enter(struct lower *lw, const struct place *place, uint32_t levels)
{
    if (levels > LOWER_LEVELS_MAX || lw->depth + levels > LOWER_LEVELS_MAX)
        return diag_error(lw->diags, place, DIAG_UNSUPPORTED,
                          "scopes, loops and nested SDFGs more than 200 levels deep, or branches more than 1000");
    lw->depth += levels;
    return true;
}

void lower_leave(struct lower *lw, uint32_t levels) { lw->depth -= levels; }

bool lower_unsupported(struct scope *sc, const struct place *place, const char *what)
{
    return diag_error(sc->act->lw->diags, place, DIAG_UNSUPPORTED, what);
}
