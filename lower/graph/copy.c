/* Copies between containers (semantics.md 4.4): regions are collapsed, jointly contiguous dimensions merged, and what
 * is left is a loop nest around block copies or single elements. */
#include "lower/graph/check.h"
#include "lower/graph/stream.h"
#include "lower/graph/target.h"

/* ---- which regions ---- */

static const struct sym *volume_of(struct scope *sc, const struct place *place, const struct container *c,
                                   const struct subset *s)
{
    struct lower *lw = sc->act->lw;
    struct area a;
    return lower_area(sc, place, c, s, &a) ? area_volume(lw, &a) : NULL;
}

static bool provably_different(struct lower *lw, const struct sym *a, const struct sym *b)
{
    const struct sym *d = sym_expand(lw->ir, sym_sub(lw->ir, a, b));
    return (d->op == SYM_INT && d->i != 0) || sym_less(lw->ir, a, b) == TRUTH_YES ||
           sym_less(lw->ir, b, a) == TRUTH_YES;
}

/* The region at the end whose subset is not given: the whole container if its size can be equal, else the same index
 * ranges, else the elements from the first one on. */
static bool missing_area(struct scope *sc, const struct place *place, const struct container *c,
                         const struct area *given, const struct subset *given_subset, struct area *out)
{
    struct lower *lw = sc->act->lw;
    const struct sym *size = area_volume(lw, given), *whole = volume_of(sc, place, c, NULL);
    if (!whole)
        return false;
    if (!provably_different(lw, size, whole))
        return lower_area(sc, place, c, NULL, out);
    if (given_subset && given_subset->rank == c->rank && !sym_is_int(size, 1))
        return lower_area(sc, place, c, given_subset, out);
    if (!lower_area(sc, place, c, NULL, out))
        return false;
    struct area squeezed = area_copy(lw, given);
    area_squeeze(&squeezed);
    if (squeezed.rank > out->rank)
        return diag_error(lw->diags, place, DIAG_COPY_SHAPE, c->name);
    uint32_t skip = out->rank - squeezed.rank;             /* the last dimensions take part */
    for (uint32_t i = 0; i < out->rank && out->low; i++) { /* from the first element on */
        const struct sym *count = i < skip ? sym_int(lw->ir, 1) : squeezed.sizes[i - skip];
        out->high[i] = sym_sub(lw->ir, count, sym_int(lw->ir, 1));
    }
    for (uint32_t i = 0; i < squeezed.rank; i++) {
        out->sizes[i] = squeezed.sizes[i];
        out->strides[i] = out->strides[skip + i];
    }
    out->rank = squeezed.rank;
    return true;
}

static bool copy_areas(struct scope *sc, struct edge *e, struct area *from, struct area *to)
{
    struct lower *lw = sc->act->lw;
    const struct memlet *m = &e->memlet;
    const struct access *s = as_access(path_source(e)), *d = as_access(path_target(e));
    const struct container *src_data = s->data, *dst_data = d->data;
    const struct subset *src = memlet_source_subset(m), *dst = memlet_target_subset(m);
    if (src_data == dst_data && m->subset && m->other) {
        dst = m->subset; /* a container onto itself: `subset` is the destination (semantics.md 4.4 rule 9) */
        src = m->other;
    } else if (m->data != src_data && m->data != dst_data) {
        if (m->data->parent == src_data) /* a member of the structure at one end */
            src_data = m->data;
        else if (m->data->parent == dst_data)
            dst_data = m->data;
        else
            return diag_error(lw->diags, &e->place, DIAG_COPY_DATA, m->name);
        src = src_data == m->data ? m->subset : m->other;
        dst = src_data == m->data ? m->other : m->subset;
    }
    if (!src && !dst)
        return lower_area(sc, &e->place, src_data, NULL, from) && missing_area(sc, &e->place, dst_data, from, NULL, to);
    if (src && !lower_area(sc, &e->place, src_data, src, from))
        return false;
    if (dst && !lower_area(sc, &e->place, dst_data, dst, to))
        return false;
    if (!src)
        return missing_area(sc, &e->place, src_data, to, dst, from);
    if (!dst)
        return missing_area(sc, &e->place, dst_data, from, src, to);
    return true;
}

/* Where the elements go that a consume scope has taken: the given region, or as many from the first one on. */
static bool consumed_target(struct scope *sc, struct edge *e, const struct area *from, struct area *to)
{
    const struct container *c = as_access(path_target(e))->data;
    const struct subset *given = e->memlet.data == c ? e->memlet.subset : e->memlet.other;
    if (is_stream(c))
        return lower_unsupported(sc, &e->place, "copies from a consume scope's element to a stream");
    if (given && sym_is_int(from->sizes[0], 1))
        return lower_area(sc, &e->place, c, given, to);
    if (!lower_area(sc, &e->place, c, NULL, to))
        return false;
    lower_check_assume(sc, &e->place, to);
    to->low = NULL;
    to->rank = 1;
    to->sizes[0] = from->sizes[0];
    to->strides[0] = to->strides[to->rank - 1];
    return true;
}

bool lower_copy_edge(struct scope *sc, struct edge *e)
{
    const struct access *s = as_access(path_source(e)), *d = as_access(path_target(e));
    struct area from, to;
    if (container_is_view(d->data) && d->node.scope == sc->entry && !lower_point_view(sc, as_access(path_target(e))))
        return false;
    bool consumed = lower_consumed(sc, e, &from);
    if (!consumed && (is_stream(s->data) || is_stream(d->data)))
        return lower_stream_copy(sc, e);
    if (consumed ? !consumed_target(sc, e, &from, &to) : !copy_areas(sc, e, &from, &to))
        return false;
    if (from.type->kind == TYPE_STRUCT || from.type->kind == TYPE_POINTER || to.type->kind == TYPE_STRUCT)
        if (from.type != to.type)
            return lower_unsupported(sc, &e->place, "copies between structures of different types");
    if (!lower_check_area(sc, &e->place, &from, true, false) ||
        !lower_check_area(sc, &e->place, &to, e->memlet.wcr_kind != WCR_NONE, true))
        return false;
    return lower_copy_between(sc, &e->place, &from, &to, &e->memlet, lower_is_conflicting(sc, e));
}

/* ---- how ---- */

/* Dimensions that both sides walk without gaps become one. */
static void merge_dimensions(struct lower *lw, struct area *a, struct area *b)
{
    for (uint32_t i = a->rank; i-- > 1;) {
        const struct sym *inner_a = sym_mul(lw->ir, a->sizes[i], a->strides[i]);
        const struct sym *inner_b = sym_mul(lw->ir, a->sizes[i], b->strides[i]);
        if (a->strides[i - 1] != inner_a || b->strides[i - 1] != inner_b)
            continue;
        a->sizes[i - 1] = sym_mul(lw->ir, a->sizes[i - 1], a->sizes[i]);
        b->sizes[i - 1] = a->sizes[i - 1];
        a->strides[i - 1] = a->strides[i];
        b->strides[i - 1] = b->strides[i];
        for (uint32_t k = i; k + 1 < a->rank; k++) {
            a->sizes[k] = a->sizes[k + 1];
            b->sizes[k] = b->sizes[k + 1];
            a->strides[k] = a->strides[k + 1];
            b->strides[k] = b->strides[k + 1];
        }
        a->rank--;
        b->rank--;
    }
}

enum { SMALLEST_BLOCK_COPY = 32 }; /* elements; shorter known blocks are copied by a loop, which inlines */

static bool as_blocks(const struct area *from, const struct area *to, const struct memlet *m)
{
    if (from->type != to->type || (m && m->wcr_kind != WCR_NONE) || !from->rank)
        return false;
    uint32_t last = from->rank - 1;
    if (!sym_is_int(from->strides[last], 1) || !sym_is_int(to->strides[last], 1))
        return false;
    return from->sizes[last]->op != SYM_INT || from->sizes[last]->i >= SMALLEST_BLOCK_COPY;
}

static bool copy_element(struct scope *sc, const struct place *place, const struct area *from,
                         struct tree_expr *from_index, const struct area *to, struct tree_expr *to_index,
                         const struct memlet *m, bool atomic)
{
    struct tree *t = sc->act->lw->tree;
    struct area at = *to;
    at.pointer = expr_offset(t, to->pointer, to_index);
    return lower_write(sc, place, &at, m, atomic, expr_load(t, from->type, from->pointer, from_index, from->alias));
}

static bool copy_loops(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                       const struct memlet *m, bool atomic)
{
    struct lower *lw = sc->act->lw;
    bool blocks = as_blocks(from, to, m), plain = !m || m->wcr_kind == WCR_NONE;
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    uint32_t loops = blocks ? from->rank - 1 : from->rank;
    struct scope in = *sc;
    in.block = lower_loops(sc, place, loops, from->sizes, plain, index);
    if (!in.block)
        return false;
    struct area from_outer = *from, to_outer = *to;
    from_outer.rank = to_outer.rank = loops;
    struct tree_expr *from_index = area_offset(lw, place, &from_outer, index);
    struct tree_expr *to_index = area_offset(lw, place, &to_outer, index);
    if (!from_index || !to_index)
        return false;
    if (!blocks)
        return copy_element(&in, place, from, from_index, to, to_index, m, atomic);
    struct tree_expr *count = lower_index(lw, place, from->sizes[loops]);
    if (!count)
        return false;
    stmt_copy(lw->tree, in.block, to->type, expr_offset(lw->tree, to->pointer, to_index), to->alias,
              expr_offset(lw->tree, from->pointer, from_index), from->alias, count)
        ->place = place;
    return true;
}

struct tree_expr *lower_linear_offset(struct lower *lw, const struct place *place, const struct area *a,
                                      struct tree_var *n, bool column_major)
{
    struct tree *t = lw->tree;
    struct tree_expr *rest = expr_var(t, n), *at = expr_i64(t, 0);
    for (uint32_t k = 0; k < a->rank; k++) {
        uint32_t d = column_major ? k : a->rank - 1 - k;
        struct tree_expr *size = lower_index(lw, place, a->sizes[d]), *stride = lower_index(lw, place, a->strides[d]);
        if (!size || !stride)
            return NULL;
        struct tree_expr *digit = k + 1 == a->rank ? rest : expr_binary(t, EXPR_REM, rest, size);
        at = expr_binary(t, EXPR_ADD, at, expr_binary(t, EXPR_MUL, digit, stride));
        rest = expr_binary(t, EXPR_DIV, rest, size);
    }
    return at;
}

/* Different ranks: both regions are walked linearly, in the order the source is packed in. */
static bool copy_reshape(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                         const struct memlet *m, bool atomic)
{
    struct lower *lw = sc->act->lw;
    const struct binding *ordered = from->rank > 1 ? from->binding : to->binding;
    bool column_major = ordered && lower_packing(sc, place, ordered) == PACKED_F;
    const struct sym *index[1], *volume = area_volume(lw, from);
    struct scope in = *sc;
    in.block = lower_loops(sc, place, 1, &volume, !m || m->wcr_kind == WCR_NONE, index);
    if (!in.block)
        return false;
    struct tree_var *n = map_get(&lw->vars, index[0]->name);
    struct tree_expr *from_index = lower_linear_offset(lw, place, from, n, column_major);
    struct tree_expr *to_index = lower_linear_offset(lw, place, to, n, column_major);
    return from_index && to_index && copy_element(&in, place, from, from_index, to, to_index, m, atomic);
}

static bool contiguous_pair(struct lower *lw, const struct area *a, const struct area *b)
{
    return area_is_contiguous(lw, a) && area_is_contiguous(lw, b);
}

static bool is_empty(struct lower *lw, const struct area *a)
{
    const struct sym *v = area_volume(lw, a);
    return v->op == SYM_INT && v->i <= 0;
}

static void flatten(struct lower *lw, struct area *a)
{
    a->sizes[0] = area_volume(lw, a);
    a->strides[0] = sym_int(lw->ir, 1);
    a->rank = 1;
}

bool lower_copy(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                const struct memlet *m, bool atomic)
{
    struct lower *lw = sc->act->lw;
    struct area a = area_copy(lw, from), b = area_copy(lw, to);
    area_squeeze(&a);
    area_squeeze(&b);
    if (is_empty(lw, &a) || is_empty(lw, &b))
        return true;
    if (a.rank == 0 || b.rank == 0) {
        if (a.rank != b.rank && b.rank == 0 && a.rank > 0 &&
            !provably_different(lw, area_volume(lw, &a), sym_int(lw->ir, 1)))
            a.rank = 0;
        if (a.rank > 0)
            return diag_error(lw->diags, place, DIAG_COPY_SHAPE, to->desc->name);
        return copy_element(sc, place, &a, expr_i64(lw->tree, 0), &b, expr_i64(lw->tree, 0), m, atomic);
    }
    bool waived = m && m->allow_oob;
    if (a.rank != b.rank) {
        if (!contiguous_pair(lw, &a, &b))
            return copy_reshape(sc, place, &a, &b, m, atomic);
        flatten(lw, &a);
        flatten(lw, &b);
    }
    for (uint32_t i = 0; i < a.rank; i++) {
        if (a.sizes[i] == b.sizes[i] || waived)
            continue;
        if (!provably_different(lw, a.sizes[i], b.sizes[i]))
            continue;
        return diag_error(lw->diags, place, DIAG_COPY_SHAPE, to->desc->name);
    }
    merge_dimensions(lw, &a, &b);
    return copy_loops(sc, place, &a, &b, m, atomic);
}
