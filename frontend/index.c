/* Subscripts: regions of containers. */
#include "frontend/functions.h"

#include <string.h>

static const struct sym *num(struct fe *f, int64_t i) { return sym_int(f->ir, i); }

/* An index, a slice, a new axis or an array of indices, of one axis of the base. */
struct index_part {
    enum { PART_POINT, PART_SLICE, PART_NEW, PART_ARRAY } kind;
    const struct sym *begin, *step, *extent;
    const struct value *array;
    bool dropped; /* a slice of one element that DaCe drops */
    bool apart;   /* behind an ellipsis, which may stand for no axes */
};

/* A negative index counts from the end; NULL with an error. Symbols of the program are taken for sizes, which are 1 at
 * least, as in DaCe: `-N` is negative. Calls are refused that take another way; DaCe's programs may have `A[:-n]` with
 * n = 0. */
static const struct sym *wrapped(struct fe *f, const struct py *n, const struct sym *i, const struct sym *extent)
{
    const struct sym *zero = num(f, 0);
    if (!fe_is_of_program(f, i))
        return f->trust_indices ? i : fe_from_end(f, i, extent);
    if (i->op == SYM_INT ? i->i >= 0 : sym_less_from(f->ir, i, zero, 1) != TRUTH_YES)
        return i;
    bool sure = sym_less_from(f->ir, i, zero, 0) == TRUTH_YES;
    if (!sure && f->branches && !f->dace)
        return fe_unsupported(f, n, "the index %s in a branch: it counts from the end unless it is 0", fe_text(f, i));
    if (!sure)
        fe_require_negative(f, n, f->dace ? sym_sub(f->ir, i, num(f, 1)) : i,
                            fe_format(f, "the index %s counts from the end, so it must be negative", fe_text(f, i)));
    return sym_add(f->ir, extent, i);
}

/* A signed index that is known at run time wraps around there. */
static const struct sym *point_index(struct fe *f, const struct py *n, const struct value *v, const struct sym *extent)
{
    const struct sym *s = fe_sym(f, v);
    if (s) {
        struct fe_known known = fe_known(f);
        fe_know_not_negative(f, sym_sub(f->ir, extent, num(f, 1))); /* of an array without elements no index is right */
        s = wrapped(f, n, s, extent);
        fe_forget(f, known);
        s = s ? fe_exact_division(f, n, s, false) : NULL;
        if (!s)
            return NULL;
        if (f->eager && s->op != SYM_INT)
            s = fe_at_least_0(f, fe_at_most(f, s, sym_sub(f->ir, extent, num(f, 1))));
        if (s->op == SYM_INT && (s->i < 0 || (extent->op == SYM_INT && s->i >= extent->i)))
            return fe_raise(f, n, "IndexError", "index %s is outside of %s elements", fe_text(f, fe_sym(f, v)),
                            fe_text(f, extent));
        return s;
    }
    if (!f->trust_indices && fe_is_data(v) && fe_is_int_type(v->type) && !type_is_unsigned(v->type) &&
        v->type->kind != TYPE_BOOL && v->rank == 0) {
        const struct type *t = type_basic(f->ir, TYPE_I64);
        const struct value *args[2] = { fe_cast(f, n, t, v), fe_cast(f, n, t, fe_symbol(f, extent)) };
        v = fe_apply(f, n, t, "($0 if $0 >= 0 else $0 + $1)", 2, args);
    }
    v = fe_as_symbol(f, n, v);
    return v ? fe_sym(f, v) : NULL;
}

/* A power grows with its exponent if the base is positive, as it is in all sizes that make sense. */
static void require_bases(struct fe *f, const struct py *n, const struct sym *s)
{
    const struct sym *base = s->op == SYM_POW ? s->args[0] : NULL;
    for (uint32_t i = 0; i < s->num_args; i++)
        require_bases(f, n, s->args[i]);
    if (base && base->op != SYM_INT)
        fe_require_negative(
            f, n, sym_neg(f->ir, base),
            fe_format(f, "the base %s of a power in the bound of a slice must be positive", fe_text(f, base)));
}

static const struct sym *bound(struct fe *f, const struct py *n, const struct value *v, const struct sym *extent,
                               const struct sym *otherwise)
{
    if (v->kind == FE_NONE)
        return otherwise;
    v = fe_as_size(f, n, v);
    const struct sym *s = v ? fe_sym(f, v) : NULL;
    if (!s)
        return NULL;
    const struct sym *given = s, *zero = num(f, 0);
    s = wrapped(f, n, given, extent);
    if (!s)
        return NULL;
    require_bases(f, n, given);
    if (!fe_is_of_program(f, given)) /* when the program runs it ends with the array */
        return f->trust_indices ? s : fe_at_most(f, fe_at_least_0(f, s), extent);
    if (s->op == SYM_INT && s->i < 0)
        return zero;
    if (s == given && sym_less_equal_from(f->ir, zero, s, 0) != TRUTH_YES)
        fe_require_negative(f, n, sym_sub(f->ir, num(f, -1), s),
                            fe_format(f, "the bound %s of a slice must not be negative", fe_text(f, s)));
    return s->op == SYM_INT && extent->op == SYM_INT && s->i > extent->i ? extent : s;
}

static bool slice_step(struct fe *f, const struct py *n, const struct value *v, const struct sym **step)
{
    const struct sym *s = *step = v->kind == FE_NONE ? num(f, 1) : fe_sym(f, v);
    if (!s || (s->op != SYM_INT && !fe_is_of_program(f, s) && !fe_is_not_negative(f, sym_sub(f->ir, s, num(f, 1)))))
        return fe_unsupported(f, n,
                              "a slice whose step is known at run time only, and not shown to be positive: an array "
                              "of indices, such as np.arange(begin, end, step), may have any") != NULL;
    if (sym_is_int(s, 0))
        return fe_raise(f, n, "ValueError", "the step of a slice is 0") != NULL;
    if (s->op == SYM_INT || !fe_is_of_program(f, s))
        return true;
    if (f->branches && !f->dace)
        return fe_unsupported(f, n, "a slice in a branch whose step is %s: it may be negative", fe_text(f, s)) != NULL;
    fe_require_negative(f, n, sym_sub(f->ir, num(f, 0), s),
                        fe_format(f, "the step %s of a slice must be positive", fe_text(f, s)));
    return true;
}

static bool slice_part(struct fe *f, const struct py *n, const struct value *v, const struct sym *extent,
                       struct index_part *p)
{
    const struct sym *one = num(f, 1), *step;
    if (!slice_step(f, n, v->items[2], &step))
        return false;
    bool down = step->op == SYM_INT && step->i < 0;
    const struct sym *last = sym_sub(f->ir, extent, one);
    const struct sym *lo = bound(f, n, v->items[0], extent, down ? last : num(f, 0));
    const struct sym *hi = bound(f, n, v->items[1], extent, down ? num(f, -1) : extent);
    if (!lo || !hi)
        return false;
    if (down && !fe_is_of_program(f, lo))
        lo = fe_at_most(f, lo, last);
    const struct sym *span = down ? sym_sub(f->ir, lo, hi) : sym_sub(f->ir, hi, lo);
    if (!fe_is_of_program(f, span) && !f->trust_indices)
        span = fe_at_least_0(f, span);
    const struct sym *size = down ? num(f, -step->i) : step;
    const struct sym *args[2] = { sym_add(f->ir, span, sym_sub(f->ir, size, one)), size };
    *p = (struct index_part){ .kind = PART_SLICE, .begin = lo, .step = step };
    p->extent = sym_is_int(size, 1) ? span : sym_make(f->ir, SYM_FLOOR_DIV, NULL, NULL, args, 2);
    if (p->extent->op == SYM_INT && p->extent->i < 0)
        p->extent = num(f, 0);
    bool constant = lo->op == SYM_INT && v->items[1]->kind != FE_NONE && v->items[0]->kind <= FE_INT;
    p->dropped = f->dace && constant && sym_is_int(p->extent, 1);
    return true;
}

static bool make_part(struct fe *f, const struct py *n, const struct value *v, const struct sym *extent,
                      struct index_part *p)
{
    if (v->kind == FE_SLICE)
        return slice_part(f, n, v, extent, p);
    if (v->kind == FE_TUPLE) { /* a list of integers */
        if (!(v = fe_as_array(f, n, v)))
            return false;
    }
    if (fe_is_data(v) && v->rank > 0) {
        if (v->type->kind == TYPE_BOOL)
            return fe_unsupported(f, n, "an array of bools among other indices") != NULL;
        if (!fe_is_int_type(v->type))
            return fe_raise(f, n, "IndexError", "an index must be an integer, this is %s", fe_describe(f, v)) != NULL;
        *p = (struct index_part){ .kind = PART_ARRAY, .array = fe_materialize(f, n, v, "index") };
        return p->array != NULL;
    }
    if (!fe_is_operand(v) || v->kind == FE_FLOAT || v->kind == FE_COMPLEX)
        return fe_raise(f, n, "IndexError", "an index must be an integer, this is %s", fe_describe(f, v)) != NULL;
    *p = (struct index_part){ .kind = PART_POINT, .begin = point_index(f, n, v, extent) };
    return p->begin != NULL;
}

/* One part for every axis of the base, and the new axes between them. */
static bool make_parts(struct fe *f, const struct py *n, const struct value *base, const struct value *index,
                       struct index_part *parts, uint32_t *count)
{
    bool tuple = index->kind == FE_TUPLE && !index->list;
    const struct value *const *items = tuple ? index->items : &index;
    uint32_t given = tuple ? index->count : 1, used = 0, axis = 0;
    for (uint32_t i = 0; i < given; i++)
        used += items[i]->kind != FE_NONE && items[i]->kind != FE_ELLIPSIS;
    if (used > base->rank || given > FE_MAX_RANK)
        return fe_raise(f, n, "IndexError", "%u indices for %s", used, fe_describe(f, base)) != NULL;
    bool filled = false;
    const struct value *nothing = fe_none(f), *none3[3] = { nothing, nothing, nothing };
    const struct value all = { .kind = FE_SLICE, .items = none3, .count = 3 };
    *count = 0;
    for (uint32_t i = 0; i <= given; i++) {
        bool rest = i == given ? !filled : items[i]->kind == FE_ELLIPSIS;
        if (rest && i < given && filled)
            return fe_error(f, n, "an index can have one ellipsis only") != NULL;
        if (rest) {
            filled = true;
            for (uint32_t k = base->rank - used; k > 0; k--, axis++)
                if (!slice_part(f, n, &all, base->shape[axis], &parts[(*count)++]))
                    return false;
        } else if (i < given && items[i]->kind == FE_NONE) {
            parts[(*count)++] = (struct index_part){ .kind = PART_NEW };
        } else if (i < given) {
            struct index_part *p = &parts[(*count)++];
            if (!make_part(f, n, items[i], base->shape[axis++], p))
                return false;
            p->apart = i && items[i - 1]->kind == FE_ELLIPSIS;
        }
    }
    return *count <= FE_MAX_RANK || fe_error(f, n, "more than %d dimensions", FE_MAX_RANK) != NULL;
}

/* Where the axes of arrays of indices go: in place of the first if they stand together, else to the front. Single
 * indices count as such arrays, without axes. */
struct index_block {
    uint32_t rank;
    const struct sym **shape;
    bool any, front;
};

/* The arrays of indices become one shape. */
static bool join_block(struct fe *f, const struct py *n, struct index_block *b, const struct value *array)
{
    if (!b->any) {
        b->shape = arena_copy(f->arena, array->shape, array->rank * sizeof *b->shape);
        b->rank = array->rank;
        b->any = true;
        return true;
    }
    const struct value *joint = fe_elem(f, array->type, b->shape, b->rank, "", 0, NULL);
    for (uint32_t i = 0; i < b->rank && i < array->rank; i++) {
        const struct sym *x = b->shape[b->rank - 1 - i], *y = array->shape[array->rank - 1 - i];
        if (x->op == SYM_INT && y->op == SYM_INT && x != y && x->i != 1 && y->i != 1)
            return fe_raise(f, n, "IndexError",
                            "shape mismatch: indexing arrays could not be broadcast together: %s and %s",
                            fe_describe(f, joint), fe_describe(f, array)) != NULL;
    }
    return fe_broadcast(f, n, joint, array, &b->shape, &b->rank);
}

static bool find_block(struct fe *f, const struct py *n, const struct index_part *parts, uint32_t count,
                       struct index_block *b)
{
    uint32_t blocks = 0;
    *b = (struct index_block){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        bool belongs = parts[i].kind == PART_ARRAY || parts[i].kind == PART_POINT;
        bool before = i && !parts[i].apart && (parts[i - 1].kind == PART_ARRAY || parts[i - 1].kind == PART_POINT);
        blocks += belongs && !before;
        if (parts[i].kind == PART_ARRAY && !join_block(f, n, b, parts[i].array))
            return false;
    }
    b->front = b->any && blocks > 1;
    return true;
}

static void apply_part(struct fe *f, struct fe_dim *d, const struct index_part *p, const struct index_block *b,
                       int block_axis, int axis)
{
    if (p->kind == PART_ARRAY) {
        d->axis = block_axis + (int)(b->rank - p->array->rank);
        d->index = p->array;
        return;
    }
    d->begin = sym_add(f->ir, d->begin, sym_mul(f->ir, d->step, p->begin));
    d->axis = axis;
    if (p->kind == PART_SLICE)
        d->step = sym_mul(f->ir, d->step, p->step);
}

static bool plain_begin(const struct fe_dim *d) { return sym_is_int(d->begin, 0) && sym_is_int(d->step, 1); }

static const struct value *view_subscript(struct fe *f, const struct py *n, const struct value *base,
                                          const struct value *index)
{
    struct index_part parts[2 * FE_MAX_RANK + 2];
    const struct sym *shape[2 * FE_MAX_RANK + 1] = { 0 };
    struct index_block b;
    uint32_t count, rank = 0, axis = 0, dims = base->view.container->rank ? base->view.container->rank : 1;
    bool single = index->kind == FE_SLICE;
    if (f->dace && single && !base->rank && index->items[0]->kind == FE_NONE && index->items[1]->kind == FE_NONE)
        return base; /* DaCe's scalars are arrays of one element */
    for (uint32_t i = 0; i < dims; i++)
        if (base->view.dims[i].index && !(base = fe_copy(f, n, base, "tmp")))
            return NULL;
    if (!make_parts(f, n, base, index, parts, &count) || !find_block(f, n, parts, count, &b))
        return NULL;
    struct fe_dim *out = arena_copy(f->arena, base->view.dims, dims * sizeof *out);
    int block_axis = b.front ? 0 : -1;
    if (b.front)
        for (; rank < b.rank; rank++)
            shape[rank] = b.shape[rank];
    for (uint32_t i = 0; i < count; i++) {
        const struct index_part *p = &parts[i];
        struct fe_dim *d = NULL;
        for (uint32_t k = 0; p->kind != PART_NEW && k < dims; k++)
            if (base->view.dims[k].axis == (int)axis)
                d = &out[k];
        axis += p->kind != PART_NEW;
        int to = -1;
        if (p->kind == PART_ARRAY) {
            if (d && !plain_begin(d))
                return fe_unsupported(f, n, "an array of indices into a slice: take a copy of the slice first");
            if (block_axis < 0) {
                block_axis = (int)rank;
                for (uint32_t k = 0; k < b.rank; k++)
                    shape[rank++] = b.shape[k];
            }
        } else if (p->kind == PART_NEW || (p->kind == PART_SLICE && !(p->dropped && !single))) {
            to = (int)rank;
            shape[rank++] = p->kind == PART_NEW ? num(f, 1) : p->extent;
        }
        if (p->kind == PART_SLICE && p->dropped && !single)
            fe_warn_dialect(f, n,
                            "the dimension of a slice of one element is dropped, which NumPy keeps: write an index");
        if (d)
            apply_part(f, d, p, &b, block_axis, to);
    }
    struct value *v = fe_view(f, base, out, shape, rank);
    for (uint32_t i = 0; i < count && i < base->lists && !b.any; i++)
        v->lists += parts[i].kind == PART_SLICE;
    return v;
}

/* base[mask] as a value, whose size is known at run time only. */
static const struct value *masked(struct fe *f, const struct py *n, const struct value *base, const struct value *mask)
{
    if (mask->rank > base->rank || (mask->rank > 1 && mask->rank != base->rank))
        return fe_unsupported(f, n, "a mask of %u dimensions for %s", mask->rank, fe_describe(f, base));
    for (uint32_t i = 0; i < mask->rank; i++)
        if (!fe_require_same(f, n, base->shape[i], mask->shape[i],
                             fe_format(f, "%s cannot be a mask of %s", fe_describe(f, mask), fe_describe(f, base))))
            return NULL;
    const struct value *items[2] = { base, mask };
    struct fe_args a = { .node = n, .items = items, .count = 2 };
    return fe_library(f, "_masked", &a);
}

const struct value *fe_subscript(struct fe *f, const struct py *n, const struct value *base, const struct value *index)
{
    if (!base || !index)
        return NULL;
    bool is_list =
        base->kind == FE_OBJECT && (base->object->content == FE_SEQUENCE || base->object->content == FE_LIST);
    if (is_list && index->kind == FE_SLICE && !(base = fe_expand(f, n, base)))
        return NULL;
    if (base->kind == FE_OBJECT) {
        f->said = false;
        const struct value *v = base->object->host->item(base->object->host, n, base, index);
        return v || f->said ? v : fe_error(f, n, "%s has no such element", fe_describe(f, base));
    }
    if (base->kind == FE_BUILTIN && strcmp(base->builtin->name, "Optional") == 0) /* Optional[T] */
        return index;
    if (base->kind == FE_TUPLE || base->kind == FE_DICT)
        return fe_item(f, n, base, index);
    if (base->kind == FE_TYPE || base->kind == FE_DESC) {
        struct value *v = fe_new(f, FE_DESC);
        v->type = base->type;
        if (!(v->shape = fe_shape_of(f, index, &v->rank)))
            return fe_error(f, n, "the extents of an array must be integers or symbols");
        return v;
    }
    base = fe_is_data(base) ? fe_materialize(f, n, base, "tmp") : base;
    if (!base)
        return NULL;
    if (base->kind == FE_PYOBJECT)
        return fe_error(f, n, "%s cannot be sliced", fe_describe(f, base));
    if (base->kind != FE_VIEW)
        return fe_error(f, n, "%s has no elements", fe_describe(f, base));
    if (fe_is_data(index) && index->rank && index->type->kind == TYPE_BOOL)
        return masked(f, n, base, index);
    return view_subscript(f, n, base, index);
}
