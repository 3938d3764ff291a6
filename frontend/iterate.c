/* What `for` goes through: elements of arrays, of several side by side, and indices. */
#include "frontend/loop.h"

/* The element of the iteration: rows of arrays, and tuples of those for enumerate and zip. */
const struct value *fe_item_at(struct fe *f, const struct py *n, const struct value *v, const struct value *i)
{
    if (v->kind == FE_TUPLE) {
        const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->count + 1);
        for (uint32_t k = 0; k < v->count; k++)
            if (!(items[k] = fe_item_at(f, n, v->items[k], i)))
                return NULL;
        return fe_tuple(f, items, v->count);
    }
    if (v->kind == FE_RANGE) {
        const struct value *moved = fe_binary(f, n, PY_MULT, i, v->items[2]);
        return moved ? fe_binary(f, n, PY_ADD, v->items[0], moved) : NULL;
    }
    return fe_subscript(f, n, v, i);
}

const struct sym *fe_length(struct fe *f, const struct py *n, const struct value *v)
{
    if (fe_is_data(v) && v->rank)
        return v->shape[0];
    if (v->kind == FE_RANGE && v->items[2]->kind == FE_INT && v->items[2]->i == 1) {
        const struct value *span =
            v->items[1]->kind == FE_NONE ? NULL : fe_binary(f, n, PY_SUB, v->items[1], v->items[0]);
        return span ? fe_sym(f, span) : NULL;
    }
    const struct sym *extent = NULL;
    for (uint32_t k = 0; v->kind == FE_TUPLE && k < v->count; k++) {
        const struct value *item = v->items[k];
        if (item->kind == FE_RANGE && item->items[1]->kind == FE_NONE)
            continue; /* the numbers of enumerate */
        const struct sym *s = fe_length(f, n, item);
        if (!s || (extent && !fe_same_extent(f, s, extent)))
            return fe_unsupported(f, n, "going through parts that may differ in length");
        extent = s;
    }
    return extent;
}

/* The indices of the point with this number, and for np.ndenumerate the element there. */
static const struct value *point_at(struct fe *f, const struct py *n, const struct value *points, int64_t number)
{
    const struct value **at = NEW_ARRAY(f->arena, const struct value *, points->count + 1);
    for (uint32_t k = points->count; k-- > 0;) {
        at[k] = fe_int(f, number % points->items[k]->i);
        number /= points->items[k]->i;
    }
    const struct value *pair[2] = { fe_tuple(f, at, points->count) };
    pair[1] = points->self ? fe_subscript(f, n, points->self, pair[0]) : NULL;
    return pair[1] ? fe_tuple(f, pair, 2) : points->self ? NULL : pair[0];
}

static const struct value *all_points(struct fe *f, const struct py *n, const struct value *points)
{
    int64_t count = 1;
    for (uint32_t k = 0; k < points->count; k++) {
        if (points->items[k]->kind != FE_INT || (count *= points->items[k]->i) > 4096)
            return fe_unsupported(f, n, "going through these indices outside of a `for` statement");
    }
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++)
        if (!(items[i] = point_at(f, n, points, i)))
            return NULL;
    return fe_tuple(f, items, (uint32_t)count);
}

const struct value *fe_elements(struct fe *f, const struct py *n, const struct value *v)
{
    if (v->kind == FE_POINTS)
        return all_points(f, n, v);
    v = fe_is_data(v) ? fe_materialize(f, n, v, "items") : v;
    const struct sym *extent = v ? fe_length(f, n, v) : NULL;
    if (!extent)
        return NULL;
    if (extent->op != SYM_INT || extent->i > 4096)
        return fe_unsupported(f, n, "going through %s elements outside of a `for` statement", fe_text(f, extent));
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, (size_t)extent->i + 1);
    for (int64_t i = 0; i < extent->i; i++)
        if (!(items[i] = fe_item_at(f, n, v, fe_int(f, i))))
            return NULL;
    return fe_tuple(f, items, (uint32_t)extent->i);
}

/* for x in A, for i, x in enumerate(A), for x, y in zip(A, B) */
bool fe_over_array(struct fe *f, const struct py *n, const struct value *array)
{
    array = fe_is_data(array) ? fe_materialize(f, n->for_.iter, array, "items") : array;
    const struct sym *extent = array ? fe_length(f, n->for_.iter, array) : NULL;
    if (!extent && !f->failed)
        fe_error(f, n->for_.iter, "%s is nothing to loop over", fe_describe(f, array));
    if (!extent)
        return false;
    struct value *range = fe_new(f, FE_RANGE);
    const struct value *items[3] = { fe_int(f, 0), fe_symbol(f, extent), fe_int(f, 1) };
    range->items = arena_copy(f->arena, items, sizeof items);
    range->count = 3;
    struct iteration it = {
        .node = n, .range = range, .symbol = fe_loop_symbol(f, intern(f->ir->names, "item")), .array = array
    };
    const struct py_list *bodies[1] = { &n->for_.body };
    return fe_with_storage(f, bodies, 1, false, fe_run_for, &it);
}

static bool has_break(void *user, struct py *n)
{
    *(bool *)user |= n->kind == PY_BREAK;
    return n->kind != PY_FOR && n->kind != PY_WHILE && n->kind != PY_FUNCTION_DEF;
}

/* for i, j in np.ndindex(n, m): loops inside each other. */
bool fe_over_points(struct fe *f, const struct py *n, const struct value *points)
{
    struct iteration *loops = NEW_ARRAY(f->arena, struct iteration, points->count + 1);
    const struct value **at = NEW_ARRAY(f->arena, const struct value *, points->count + 1);
    bool breaks = false;
    for (uint32_t i = 0; i < n->for_.body.count; i++)
        py_visit(n->for_.body.items[i], has_break, &breaks);
    if (breaks)
        return fe_unsupported(f, n->for_.iter, "'break' out of a loop over the indices of several dimensions") != NULL;
    if (!points->count)
        return fe_unsupported(f, n->for_.iter, "a loop over the indices of no dimensions") != NULL;
    for (uint32_t k = 0; k < points->count; k++) {
        struct value *range = fe_new(f, FE_RANGE);
        const struct value *items[3] = { fe_int(f, 0), points->items[k], fe_int(f, 1) };
        range->items = arena_copy(f->arena, items, sizeof items);
        range->count = 3;
        loops[k] =
            (struct iteration){ .node = n, .range = range, .symbol = fe_unique(f, "index"), .inner = &loops[k + 1] };
        at[k] = fe_symbol(f, sym_name(f->ir, loops[k].symbol));
    }
    struct iteration *last = &loops[points->count - 1];
    const struct value *pair[2] = { fe_tuple(f, at, points->count) };
    last->inner = NULL;
    last->points = pair[0];
    if (points->self) {
        if (!(pair[1] = fe_subscript(f, n->for_.iter, points->self, pair[0])))
            return false;
        last->points = fe_tuple(f, pair, 2);
    }
    const struct py_list *bodies[1] = { &n->for_.body };
    return fe_with_storage(f, bodies, 1, false, fe_run_for, loops);
}
