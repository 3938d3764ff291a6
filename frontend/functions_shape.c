/* Shapes of arrays, and arrays that are joined. */
#include "frontend/functions.h"

#include <string.h>

const struct value *fn_reshape(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    bool several = b->format && a->count > 2;
    const struct value *v = fe_arg(a, 0, "a"),
                       *shape = several ? fe_tuple(f, a->items + 1, a->count - 1) : fe_arg(a, 1, "shape");
    shape = shape ? shape : fe_arg(a, UINT32_MAX, "newshape");
    uint32_t rank;
    const struct sym **s = shape ? fe_extents(f, a->node, shape, &rank) : NULL;
    if (!v || !fe_is_data(v) || !s || !fe_args_done(f, a, UINT32_MAX))
        return f->failed ? NULL : fe_error(f, a->node, "reshape needs an array and a shape");
    return fe_reshape(f, a->node, v, s, rank);
}

static const struct value *flat(struct fe *f, const struct py *n, const struct value *v)
{
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, 2);
    shape[0] = sym_int(f->ir, -1);
    return fe_reshape(f, n, v, shape, 1);
}

const struct value *fn_ravel(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count != 1 || !fe_is_data(a->items[0]) || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_error(f, a->node, "%s needs an array", b->name);
    return flat(f, a->node, a->items[0]);
}

const struct value *fn_flatten(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *order = fe_arg(a, 1, "order"), *v = a->count ? a->items[0] : NULL;
    const char *how = !order ? "C" : order->kind == FE_STRING ? order->text : "";
    bool columns = strcmp(how, "F") == 0;
    if (!v || !fe_is_data(v) || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "%s needs an array", b->name);
    if (!columns && strcmp(how, "C") != 0)
        return fe_unsupported(f, a->node, "another order than 'C' and 'F'");
    if (columns) {
        uint32_t axes[FE_MAX_RANK];
        for (uint32_t i = 0; i < v->rank; i++)
            axes[i] = v->rank - 1 - i;
        v = fe_materialize(f, a->node, v, "tmp");
        v = v ? fe_transpose(f, v, axes) : NULL;
    }
    v = v ? flat(f, a->node, v) : NULL;
    return v ? fe_copy(f, a->node, v, fe_wish(f, "flatten")) : NULL;
}

const struct value *fn_transpose(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    bool several = b->format && a->count > 2;
    const struct value *axes = several ? fe_tuple(f, a->items + 1, a->count - 1) : fe_arg(a, 1, "axes");
    const struct value *v = a->count && fe_is_data(a->items[0]) ? fe_materialize(f, a->node, a->items[0], "tmp") : NULL;
    uint32_t order[FE_MAX_RANK] = { 0 }, seen = 0;
    if (!v || !fe_args_done(f, a, UINT32_MAX))
        return f->failed ? NULL : fe_error(f, a->node, "transpose needs an array");
    bool given = axes && axes->kind == FE_TUPLE;
    if (given && axes->count != v->rank)
        return fe_error(f, a->node, "%u axes for %s", axes->count, fe_describe(f, v));
    for (uint32_t i = 0; i < v->rank; i++) {
        int64_t at = given && axes->items[i]->kind == FE_INT ? axes->items[i]->i : (int64_t)v->rank - 1 - i;
        at += at < 0 ? v->rank : 0;
        if (at < 0 || at >= v->rank || (seen >> at & 1))
            return fe_error(f, a->node, "the axes are no order of the dimensions");
        seen |= 1u << at;
        order[i] = (uint32_t)at;
    }
    return fe_transpose(f, v, order);
}

/* The axis that an argument names, counted from the end if it is negative; false with an error. */
static bool axis_of(struct fe *f, const struct py *n, const struct value *v, uint32_t rank, uint32_t *axis)
{
    int64_t at = v && v->kind == FE_INT ? v->i : INT64_MAX;
    at += at < 0 ? rank : 0;
    *axis = (uint32_t)at;
    return (at >= 0 && at < rank) || fe_error(f, n, "there is no such axis: the array has %u", rank) != NULL;
}

static const struct value *array_of(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (!a->count || !fe_is_data(a->items[0]) || !a->items[0]->rank)
        return fe_error(f, a->node, "np.%s needs an array", b->name);
    return fe_materialize(f, a->node, a->items[0], "tmp");
}

static const struct value *whole_slice(struct fe *f, int64_t step)
{
    struct value *s = fe_new(f, FE_SLICE);
    const struct value *items[3] = { fe_none(f), fe_none(f), fe_int(f, step) };
    s->items = arena_copy(f->arena, items, sizeof items);
    s->count = 3;
    return s;
}

const struct value *fn_flip(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = array_of(f, b, a), *axis = fe_arg(a, 1, "axis");
    const struct value **index = NEW_ARRAY(f->arena, const struct value *, FE_MAX_RANK);
    if (!v || !fe_args_done(f, a, 2))
        return NULL;
    bool all = !axis || axis->kind == FE_NONE, tuple = axis && axis->kind == FE_TUPLE;
    for (uint32_t i = 0; i < v->rank; i++)
        index[i] = whole_slice(f, all ? -1 : 1);
    for (uint32_t i = 0, at; !all && i < (tuple ? axis->count : 1); i++) {
        if (!axis_of(f, a->node, tuple ? axis->items[i] : axis, v->rank, &at))
            return NULL;
        index[at] = whole_slice(f, -1);
    }
    return fe_subscript(f, a->node, v, fe_tuple(f, index, v->rank));
}

const struct value *fn_expand_dims(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = array_of(f, b, a), *axis = fe_arg(a, 1, "axis");
    const struct value **index = NEW_ARRAY(f->arena, const struct value *, FE_MAX_RANK + 1);
    uint32_t at;
    if (!v || v->rank == FE_MAX_RANK || !fe_args_done(f, a, 2) || !axis_of(f, a->node, axis, v->rank + 1, &at))
        return NULL;
    for (uint32_t i = 0; i <= v->rank; i++)
        index[i] = i == at ? fe_none(f) : whole_slice(f, 1);
    return fe_subscript(f, a->node, v, fe_tuple(f, index, v->rank + 1));
}

const struct value *fn_squeeze(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = array_of(f, b, a), *axis = fe_arg(a, 1, "axis");
    const struct value **index = NEW_ARRAY(f->arena, const struct value *, FE_MAX_RANK);
    uint32_t at;
    if (!v || !fe_args_done(f, a, 2))
        return NULL;
    if (!axis || axis->kind == FE_NONE)
        return fe_squeeze(f, v);
    if (!axis_of(f, a->node, axis, v->rank, &at))
        return NULL;
    if (!sym_is_int(v->shape[at], 1))
        return fe_error(f, a->node, "axis %u of %s is not of length one", at, fe_describe(f, v));
    for (uint32_t i = 0; i < v->rank; i++)
        index[i] = i == at ? fe_int(f, 0) : whole_slice(f, 1);
    return fe_subscript(f, a->node, v, fe_tuple(f, index, v->rank));
}

const struct value *fn_swapaxes(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = array_of(f, b, a);
    uint32_t order[FE_MAX_RANK], x, y;
    if (!v || !axis_of(f, a->node, fe_arg(a, 1, "axis1"), v->rank, &x) ||
        !axis_of(f, a->node, fe_arg(a, 2, "axis2"), v->rank, &y) || !fe_args_done(f, a, 3))
        return NULL;
    for (uint32_t i = 0; i < v->rank; i++)
        order[i] = i == x ? y : i == y ? x : i;
    return fe_transpose(f, v, order);
}

/* The parts of np.concatenate: in a row for axis None. */
static const struct value *joined_parts(struct fe *f, struct fe_args *a, const struct value *parts, bool in_a_row)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, parts->count + 1);
    for (uint32_t i = 0; i < parts->count; i++) {
        items[i] = parts->items[i];
        if (items[i]->kind == FE_TUPLE)
            items[i] = fe_as_array(f, a->node, items[i]);
        if (items[i] && fe_is_data(items[i]) && in_a_row)
            items[i] = flat(f, a->node, items[i]);
        if (!items[i])
            return NULL;
        if (!fe_is_data(items[i]) || items[i]->rank != items[0]->rank || !items[i]->rank)
            return fe_error(f, a->node, "the arrays have different numbers of dimensions");
    }
    return fe_tuple(f, items, parts->count);
}

static bool store_part(struct fe *f, const struct py *n, const struct value *to, uint32_t axis, const struct sym *begin,
                       const struct sym *end, const struct value *v)
{
    const struct value **index = NEW_ARRAY(f->arena, const struct value *, to->rank), *none = fe_none(f);
    for (uint32_t k = 0; k < to->rank; k++) {
        struct value *s = fe_new(f, FE_SLICE);
        const struct value *items[3] = { k == axis ? fe_symbol(f, begin) : none, k == axis ? fe_symbol(f, end) : none,
                                         none };
        s->items = arena_copy(f->arena, items, sizeof items);
        s->count = 3;
        index[k] = s;
    }
    const struct value *part = fe_subscript(f, n, to, fe_tuple(f, index, to->rank));
    return part && fe_store(f, n, part, v, NULL);
}

const struct value *fn_concatenate(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *parts = fe_arg(a, 0, "arrays"), *axis = fe_arg(a, 1, "axis"), *out = fe_arg(a, 2, "out");
    const struct value *dtype = fe_arg(a, UINT32_MAX, "dtype"), *joint = NULL;
    uint32_t at = 0;
    fe_arg(a, UINT32_MAX, "casting");
    if (!parts || parts->kind != FE_TUPLE || !parts->count || !fe_args_done(f, a, 3))
        return f->failed ? NULL : fe_error(f, a->node, "np.concatenate needs a list of arrays");
    bool in_a_row = axis && axis->kind == FE_NONE;
    if (!(parts = joined_parts(f, a, parts, in_a_row)))
        return NULL;
    const struct value *first = parts->items[0];
    const struct type *t = fe_dtype(f, a->node, dtype, fe_joint_type(f, parts, &joint));
    if (!t || (axis && !in_a_row && !axis_of(f, a->node, axis, first->rank, &at)))
        return NULL;
    const struct sym **shape = arena_copy(f->arena, first->shape, first->rank * sizeof *shape);
    for (uint32_t i = 1; i < parts->count; i++)
        shape[at] = sym_add(f->ir, shape[at], parts->items[i]->shape[at]);
    bool given = out && out->kind != FE_NONE;
    if (given && (out->kind != FE_VIEW || out->rank != first->rank || !fe_same_extent(f, out->shape[at], shape[at])))
        return fe_error(f, a->node, "'out' is %s, which is no array for this result", fe_describe(f, out));
    const struct value *to = given ? out : fe_whole(f, fe_container(f, fe_wish(f, b->name), t, shape, first->rank));
    const struct sym *begin = sym_int(f->ir, 0);
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct sym *end = sym_add(f->ir, begin, parts->items[i]->shape[at]);
        if (!store_part(f, a->node, to, at, begin, end, parts->items[i]))
            return NULL;
        begin = end;
    }
    return to;
}
