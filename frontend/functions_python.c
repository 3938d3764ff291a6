/* Functions of Python and of the module dace. */
#include "frontend/functions.h"

#include <string.h>

static int64_t characters(const char *text)
{
    int64_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

const struct value *fn_len(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct value *v = a->count == 1 ? a->items[0] : NULL;
    if (v && fe_is_data(v) && v->rank)
        return fe_symbol(f, v->shape[0]);
    if (v && (v->kind == FE_TUPLE || v->kind == FE_DICT))
        return fe_int(f, v->kind == FE_DICT ? v->count / 2 : v->count);
    if (v && v->kind == FE_STRING)
        return fe_int(f, characters(v->text));
    return fe_error(f, a->node, "len of %s", v ? fe_describe(f, v) : "nothing");
}

const struct value *fn_range(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count < 1 || a->count > 3 || a->num_names)
        return fe_error(f, a->node, "range has one to three arguments");
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, 3);
    struct value *v = fe_new(f, FE_RANGE);
    items[0] = a->count > 1 ? a->items[0] : fe_int(f, 0);
    items[1] = a->items[a->count > 1];
    items[2] = a->count > 2 ? a->items[2] : fe_int(f, 1);
    for (int i = 0; i < 3; i++)
        if (!(items[i] = fe_as_symbol(f, a->node, items[i])))
            return NULL;
    v->items = items;
    v->count = 3;
    return v;
}

/* The elements of what is known at compile time. */
static const struct value *elements(struct fe *f, const struct py *n, const struct value *v)
{
    const struct value *t = v->kind == FE_RANGE  ? fe_unroll_range(f, v)
                            : v->kind == FE_DICT ? fe_entries(f, v, "k")
                                                 : v;
    if (t && t->kind == FE_POINTS)
        t = fe_elements(f, n, t);
    if (!t && v->kind == FE_POINTS)
        return NULL;
    if (t && t->kind == FE_TUPLE)
        return t;
    return fe_unsupported(f, n, "going through %s here", fe_describe(f, v));
}

static const struct value *side_by_side(struct fe *f, const struct value *const *parts, uint32_t count)
{
    struct value *v = fe_new(f, FE_TUPLE);
    v->items = arena_copy(f->arena, parts, count * sizeof *parts);
    v->count = count;
    v->lazy = true;
    return v;
}

const struct value *fe_entries(struct fe *f, const struct value *dictionary, const char *which)
{
    uint32_t count = dictionary->count / 2;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct value *const *entry = dictionary->items + (size_t)2 * i;
        items[i] = which[1] ? fe_tuple(f, entry, 2) : entry[*which == 'v'];
    }
    return fe_tuple(f, items, count);
}

/* Of a dictionary: keys(), values(), items(). */
const struct value *fn_entries(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return fe_args_done(f, a, 1) ? fe_entries(f, a->items[0], b->format) : NULL;
}

const struct value *fn_get(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *key = fe_arg(a, 1, "key"), *otherwise = fe_arg(a, 2, "default");
    (void)b;
    if (!key || fe_is_data(key) || !fe_args_done(f, a, 3))
        return f->failed ? NULL : fe_error(f, a->node, "'get' of a dictionary needs a constant key");
    for (uint32_t i = 0; i + 1 < a->items[0]->count; i += 2) {
        const struct value *same = fe_compare(f, a->node, PY_EQ, a->items[0]->items[i], key);
        if (same && same->kind == FE_BOOL && same->i)
            return a->items[0]->items[i + 1];
    }
    return otherwise ? otherwise : fe_none(f);
}

const struct value *fn_enumerate(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct value *start = fe_arg(a, 1, "start");
    bool lazy = a->count && a->items[0]->kind == FE_TUPLE && a->items[0]->lazy;
    if (lazy || (a->count && fe_is_data(a->items[0]))) {
        struct value *numbers = fe_new(f, FE_RANGE);
        const struct value *limits[3] = { start ? start : fe_int(f, 0), fe_none(f), fe_int(f, 1) };
        numbers->items = arena_copy(f->arena, limits, sizeof limits);
        numbers->count = 3;
        const struct value *pair[2] = { numbers,
                                        lazy ? a->items[0] : fe_materialize(f, a->node, a->items[0], "items") };
        return pair[1] ? side_by_side(f, pair, 2) : NULL;
    }
    const struct value *v = a->count ? elements(f, a->node, a->items[0]) : NULL;
    if (!v)
        return f->failed ? NULL : fe_error(f, a->node, "enumerate of nothing");
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct value *pair[2] = { fe_int(f, i + (start && start->kind == FE_INT ? start->i : 0)), v->items[i] };
        items[i] = fe_tuple(f, pair, 2);
    }
    return fe_tuple(f, items, v->count);
}

static bool is_lazy(const struct value *v) { return fe_is_data(v) || (v->kind == FE_TUPLE && v->lazy); }

/* Arrays side by side are gone through by a loop, unless there are lists beside them. */
static const struct value *zip_arrays(struct fe *f, struct fe_args *a)
{
    const struct value **parts = NEW_ARRAY(f->arena, const struct value *, a->count);
    for (uint32_t i = 0; i < a->count; i++) {
        bool array = fe_is_data(a->items[i]);
        if (!(parts[i] = array ? fe_materialize(f, a->node, a->items[i], "items") : a->items[i]))
            return NULL;
    }
    return side_by_side(f, parts, a->count);
}

const struct value *fn_zip(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    uint32_t count = UINT32_MAX, data = 0, constant = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        data += is_lazy(a->items[i]);
        constant += a->items[i]->kind == FE_TUPLE && !a->items[i]->lazy;
    }
    if (data && !constant)
        return zip_arrays(f, a);
    const struct value **lists = NEW_ARRAY(f->arena, const struct value *, a->count + 1);
    for (uint32_t i = 0; i < a->count; i++) {
        bool lazy = is_lazy(a->items[i]);
        if (!(lists[i] = lazy ? fe_elements(f, a->node, a->items[i]) : elements(f, a->node, a->items[i])))
            return NULL;
        count = lists[i]->count < count ? lists[i]->count : count;
    }
    count = a->count ? count : 0;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct value **row = NEW_ARRAY(f->arena, const struct value *, a->count);
        for (uint32_t k = 0; k < a->count; k++)
            row[k] = lists[k]->items[i];
        items[i] = fe_tuple(f, row, a->count);
    }
    return fe_tuple(f, items, count);
}

/* The numbers of a range from the last to the first: those whose number is not known at compile time, too. */
static const struct value *reversed_range(struct fe *f, const struct py *n, const struct value *range)
{
    const struct value *begin = range->items[0], *end = range->items[1], *step = range->items[2];
    if (step->kind != FE_INT || !step->i)
        return fe_unsupported(f, n, "reversed of a range whose step is known at run time only");
    const struct value *span = fe_binary(f, n, PY_SUB, end, begin);
    span = span ? fe_binary(f, n, PY_ADD, span, fe_int(f, step->i > 0 ? -1 : 1)) : NULL;
    const struct value *steps = span && step->i != 1 ? fe_binary(f, n, PY_FLOORDIV, span, step) : span;
    const struct value *back = steps ? fe_binary(f, n, PY_MULT, steps, step) : NULL;
    const struct value *items[3] = { back ? fe_binary(f, n, PY_ADD, begin, back) : NULL,
                                     fe_binary(f, n, PY_SUB, begin, step), fe_int(f, -step->i) };
    struct value *v = fe_new(f, FE_RANGE);
    v->items = arena_copy(f->arena, items, sizeof items);
    v->count = 3;
    return items[0] && items[1] ? v : NULL;
}

static const struct value *backwards(struct fe *f, const struct py *n, const struct value *array)
{
    struct value *slice = fe_new(f, FE_SLICE);
    const struct value *items[3] = { fe_none(f), fe_none(f), fe_int(f, -1) };
    slice->items = arena_copy(f->arena, items, sizeof items);
    slice->count = 3;
    array = fe_materialize(f, n, array, "items");
    return array ? fe_subscript(f, n, array, slice) : NULL;
}

const struct value *fn_reversed(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count == 1 && fe_is_data(a->items[0]) && a->items[0]->rank)
        return backwards(f, a->node, a->items[0]);
    if (a->count == 1 && a->items[0]->kind == FE_RANGE && !fe_unroll_range(f, a->items[0]) && !f->failed)
        return reversed_range(f, a->node, a->items[0]);
    const struct value *v = a->count == 1 ? elements(f, a->node, a->items[0]) : NULL;
    if (!v)
        return f->failed ? NULL : fe_error(f, a->node, "reversed needs one argument");
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->count + 1);
    for (uint32_t i = 0; i < v->count; i++)
        items[i] = v->items[v->count - 1 - i];
    return fe_tuple(f, items, v->count);
}

const struct value *fn_tuple(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = a->count ? elements(f, a->node, a->items[0]) : fe_tuple(f, NULL, 0);
    if (!v || b->kind)
        return fe_as_list(f, v);
    struct value *tuple = arena_copy(f->arena, v, sizeof *v);
    tuple->list = false;
    return tuple;
}

/* np.ndindex of a shape, and np.ndenumerate (1) of an array. */
const struct value *fn_points(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = a->count ? a->items[0] : NULL, *shape;
    if (!v || !fe_args_done(f, a, b->kind ? 1 : UINT32_MAX) || (b->kind && (!fe_is_data(v) || !v->rank)))
        return f->failed ? NULL : fe_error(f, a->node, "np.%s needs %s", b->name, b->kind ? "an array" : "a shape");
    const struct value *array = b->kind ? fe_materialize(f, a->node, v, "items") : NULL;
    if (b->kind && !array)
        return NULL;
    shape = b->kind                                ? fe_attribute(f, a->node, array, "shape")
            : a->count == 1 && v->kind == FE_TUPLE ? v
                                                   : fe_tuple(f, a->items, a->count);
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, shape->count + 1);
    for (uint32_t i = 0; i < shape->count; i++)
        if (!(items[i] = fe_as_size(f, a->node, shape->items[i])))
            return NULL;
    struct value *points = fe_new(f, FE_POINTS);
    points->items = items;
    points->count = shape->count;
    points->self = array;
    return points;
}

/* map(function, sequence...), each call made at once. */
const struct value *fn_map(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count < 2 || !fe_args_done(f, a, UINT32_MAX))
        return f->failed ? NULL : fe_error(f, a->node, "map needs a function and what it is called with");
    struct fe_args rest = { .node = a->node, .items = a->items + 1, .count = a->count - 1 };
    const struct value *rows = fn_zip(f, b, &rest);
    rows = rows && rows->lazy ? fe_elements(f, a->node, rows) : rows;
    const struct value **items = rows ? NEW_ARRAY(f->arena, const struct value *, rows->count + 1) : NULL;
    for (uint32_t i = 0; rows && i < rows->count; i++) {
        struct fe_args one = { .node = a->node, .items = rows->items[i]->items, .count = rows->items[i]->count };
        if (!(items[i] = fe_call_value(f, a->node, a->items[0], &one)))
            return NULL;
    }
    return rows ? fe_tuple(f, items, rows->count) : NULL;
}

const struct value *fn_sum(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count == 1 && fe_is_data(a->items[0]) && a->items[0]->rank)
        return fe_reduce(f, a->node, a->items[0], REDUCE_SUM, fe_int(f, 0), false, NULL, NULL);
    const struct value *v = a->count ? elements(f, a->node, a->items[0]) : NULL, *sum = fe_int(f, 0);
    for (uint32_t i = 0; v && i < v->count && sum; i++)
        sum = fe_binary(f, a->node, PY_ADD, sum, v->items[i]);
    return v ? sum : NULL;
}

/* Half to even; without a number of digits an int, as Python's. */
const struct value *fn_round(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *digits = fe_arg(a, 1, "ndigits"), *v = a->count ? a->items[0] : NULL;
    if (!v || !fe_is_operand(v) || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "'round' needs a number");
    if (digits && digits->kind != FE_NONE) {
        const struct value *items[2] = { v, digits };
        struct fe_args both = { .node = a->node, .items = items, .count = 2 };
        return fn_around(f, b, &both);
    }
    if (fe_is_int_type(fe_own_type(f, v)))
        return v;
    v = fe_apply(f, a->node, fe_own_type(f, v), "rint($0)", 1, &v);
    return v && v->rank == 0 ? fe_cast(f, a->node, type_basic(f->ir, TYPE_I64), v) : v;
}

const struct value *fn_slice(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (!a->count || !fe_args_done(f, a, 3))
        return f->failed ? NULL : fe_error(f, a->node, "slice has one to three arguments");
    struct value *v = fe_new(f, FE_SLICE);
    const struct value *items[3] = { a->count > 1 ? a->items[0] : fe_none(f), a->items[a->count > 1],
                                     a->count > 2 ? a->items[2] : fe_none(f) };
    v->items = arena_copy(f->arena, items, sizeof items);
    v->count = 3;
    return v;
}

static bool is_instance(const struct value *v, const struct value *type)
{
    const char *name = type->kind == FE_BUILTIN ? type->builtin->name : "";
    bool number = !fe_is_data(v) || v->weak;
    enum fe_kind kind = fe_is_data(v) ? FE_VIEW : v->kind;
    if (type->kind == FE_TUPLE) {
        for (uint32_t i = 0; i < type->count; i++)
            if (is_instance(v, type->items[i]))
                return true;
        return false;
    }
    if (fe_is_list(v))
        return strcmp(name, "list") == 0;
    if (type->kind == FE_TYPE)
        return fe_is_data(v) && !v->rank && !v->weak && v->type == type->type;
    if (strcmp(name, "ndarray") == 0)
        return fe_is_data(v) && v->rank;
    if (strcmp(name, "tuple") == 0 || strcmp(name, "list") == 0)
        return kind == FE_TUPLE && v->list == (*name == 'l');
    if (strcmp(name, "dict") == 0 || strcmp(name, "str") == 0 || strcmp(name, "slice") == 0)
        return kind == (*name == 'd' ? FE_DICT : name[1] == 't' ? FE_STRING : FE_SLICE);
    if (fe_is_data(v) && (v->rank || !number))
        return false;
    if (strcmp(name, "int") == 0)
        return kind == FE_INT || kind == FE_BOOL || kind == FE_SYMBOL || (fe_is_data(v) && fe_is_int_type(v->type));
    if (strcmp(name, "float") == 0)
        return kind == FE_FLOAT || (fe_is_data(v) && type_is_float(v->type));
    return strcmp(name, "bool") == 0 ? kind == FE_BOOL : strcmp(name, "complex") == 0 && kind == FE_COMPLEX;
}

const struct value *fn_isinstance(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count != 2 || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "isinstance has two arguments");
    return fe_bool(f, is_instance(a->items[0], a->items[1]));
}

const struct value *fn_hasattr(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count != 2 || a->items[1]->kind != FE_STRING)
        return fe_error(f, a->node, "hasattr has an object and a name");
    uint32_t before = diags_count(f->ir->diags);
    bool failed = f->failed, found = fe_attribute(f, a->node, a->items[0], a->items[1]->text) != NULL;
    diags_reset(f->ir->diags, before);
    f->failed = failed;
    return fe_bool(f, found);
}

/* any (0) and all (1) of Python. */
const struct value *fn_truth(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count == 1 && fe_is_data(a->items[0]) && a->items[0]->rank == 1)
        return fe_reduce(f, a->node, a->items[0], b->kind ? REDUCE_ALL : REDUCE_ANY, NULL, false, NULL, NULL);
    const struct value *v = a->count == 1 ? elements(f, a->node, a->items[0]) : NULL, *r = fe_bool(f, b->kind);
    bool truth;
    for (uint32_t i = 0; v && i < v->count && r; i++) {
        if (fe_truth(r, &truth) && truth != (b->kind == 1))
            return r;
        r = fe_truth(r, &truth) ? fe_cast(f, a->node, type_basic(f->ir, TYPE_BOOL), v->items[i])
                                : fe_logical(f, a->node, b->kind, r, v->items[i]);
    }
    return v ? r : fe_error(f, a->node, "%s needs one argument", b->name);
}

/* ---- dace ---- */

const struct value *fn_symbol(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct value *name = fe_arg(a, 0, "name"), *dtype = fe_arg(a, 1, "dtype");
    if (!name || name->kind != FE_STRING)
        return fe_error(f, a->node, "a symbol needs a name");
    const struct type *t = fe_dtype(f, a->node, dtype, type_basic(f->ir, TYPE_I32));
    if (!t)
        return NULL;
    const char *text = intern(f->ir->names, name->text);
    map_put(f->arena, &f->symbol_types, text, (void *)(uintptr_t)t);
    return fe_symbol(f, sym_name(f->ir, text));
}

/* Hints: the value itself; a range that is unrolled becomes its numbers. */
const struct value *fn_unroll(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count != 1 || a->num_names)
        return fe_error(f, a->node, "'%s' has one argument", b->name);
    return b->kind && a->items[0]->kind == FE_RANGE ? fe_unroll_range(f, a->items[0]) : a->items[0];
}

/* Its argument was computed by the host, where there is one. */
const struct value *fn_inline(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fn_unroll(f, b, a);
    if (v && (fe_is_data(v) || v->kind == FE_PYOBJECT))
        return fe_error(f, a->node, "'inline' of %s, which is known at run time only", fe_describe(f, v));
    return v;
}

const struct value *fn_in_program(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    return fe_args_done(f, a, 0) ? fe_bool(f, true) : NULL;
}
