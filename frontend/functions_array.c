/* Functions that make arrays. */
#include "frontend/functions.h"

#include <math.h>
#include <string.h>

const char *fe_wish(struct fe *f, const char *otherwise)
{
    const char *name = f->wish ? f->wish : otherwise;
    f->wish = NULL;
    return name;
}

static const struct value *filled(struct fe *f, const struct py *n, const char *name, const struct type *t,
                                  const struct sym *const *shape, uint32_t rank, const struct value *with)
{
    const struct value *v = fe_whole(f, fe_container(f, fe_wish(f, name), t, shape, rank));
    return !with || fe_store(f, n, v, with, NULL) ? v : NULL;
}

const struct sym **fe_extents(struct fe *f, const struct py *n, const struct value *v, uint32_t *rank)
{
    if (!v)
        return fe_error(f, n, "the shape is missing");
    const struct value *const *items = v->kind == FE_TUPLE ? v->items : &v;
    *rank = v->kind == FE_TUPLE ? v->count : 1;
    if (*rank > FE_MAX_RANK)
        return fe_unsupported(f, n, "more than %d dimensions", FE_MAX_RANK);
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, *rank + 1);
    for (uint32_t i = 0; i < *rank; i++) {
        const struct value *s = fe_as_size(f, n, items[i]);
        if (!s)
            return NULL;
        shape[i] = fe_sym(f, s);
    }
    return shape;
}

static const struct value *with_strides(struct fe *f, const struct py *n, const char *name, const struct type *t,
                                        const struct sym *const *shape, uint32_t rank, const struct value *given)
{
    uint32_t count;
    const struct sym **strides = fe_extents(f, n, given, &count);
    if (strides && count != rank)
        return fe_error(f, n, "%u strides for %u dimensions", count, rank);
    return strides ? fe_whole(f, fe_strided(f, fe_wish(f, name), t, shape, strides, rank)) : NULL;
}

/* storage= and lifetime= of DaCe's functions: the container has them, as long as it is memory of the host. */
struct hints {
    const char *storage, *lifetime;
};

static bool take_hints(struct fe *f, struct fe_args *a, struct hints *p)
{
    const char *const names[2] = { "storage", "lifetime" };
    const char **const out[2] = { &p->storage, &p->lifetime };
    for (int i = 0; i < 2; i++) {
        const struct value *v = fe_arg(a, UINT32_MAX, names[i]);
        if (v && (v->kind != FE_STRING || strncmp(v->text, "GPU", 3) == 0))
            return fe_unsupported(f, a->node, "argument '%s' of this function, other than memory of the host",
                                  names[i]) != NULL;
        *out[i] = v ? v->text : NULL;
    }
    return true;
}

static const struct value *placed(struct fe *f, const struct hints *p, const struct value *v)
{
    if (v && p->storage)
        fe_hinted(f, v, p->storage);
    if (v && p->lifetime && !f->dry)
        sdfg_find_container(v->view.container->level->sdfg, v->view.container->name)->lifetime =
            enum_by_name(f->ir, ENUM_LIFETIME, p->lifetime);
    return v;
}

const struct value *fn_filled(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    bool own = strcmp(b->name, "ndarray") == 0 || strcmp(b->name, "define_local") == 0;
    const struct value *strides = own ? fe_arg(a, UINT32_MAX, "strides") : NULL;
    struct hints place = { 0 };
    uint32_t rank;
    const struct sym **shape = fe_extents(f, a->node, fe_arg(a, 0, "shape"), &rank);
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), type_basic(f->ir, TYPE_F64));
    if (!shape || !t || ((own || f->dace) && !take_hints(f, a, &place)) || !fe_args_done(f, a, 2))
        return NULL;
    if (strides)
        return placed(f, &place, with_strides(f, a->node, b->name, t, shape, rank, strides));
    return placed(f, &place,
                  filled(f, a->node, b->name, t, shape, rank, b->format ? fe_int(f, *b->format - '0') : NULL));
}

/* A variable of one element; one that lives longer than a call keeps its value. */
const struct value *fn_local_scalar(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 0, "dtype"), NULL);
    struct hints place = { 0 };
    if (!t || !take_hints(f, a, &place) || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_error(f, a->node, "a scalar needs a type");
    if (!place.lifetime)
        return fe_cast(f, a->node, t, fe_int(f, 0));
    const struct value *v = filled(f, a->node, b->name, t, NULL, 0, NULL);
    v->view.container->kept = true;
    return placed(f, &place, v);
}

const struct value *fn_full(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    uint32_t rank;
    const struct sym **shape = fe_extents(f, a->node, fe_arg(a, 0, "shape"), &rank);
    const struct value *with = fe_arg(a, 1, "fill_value");
    if (!shape || !with || !fe_is_operand(with))
        return f->failed ? NULL : fe_error(f, a->node, "np.full needs a shape and a value");
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 2, "dtype"), fe_own_type(f, with));
    return t && fe_args_done(f, a, 3) ? filled(f, a->node, b->name, t, shape, rank, with) : NULL;
}

static const struct value *like(struct fe *f, const struct fe_builtin *b, struct fe_args *a, const struct value *with,
                                uint32_t dtype_at)
{
    const struct value *v = fe_arg(a, 0, "a"), *size = fe_arg(a, UINT32_MAX, "shape");
    if (!v || !fe_is_data(v))
        return fe_error(f, a->node, "np.%s needs an array", b->name);
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, dtype_at, "dtype"), v->type);
    uint32_t rank = v->rank;
    const struct sym *const *shape = size ? (const struct sym *const *)fe_extents(f, a->node, size, &rank) : v->shape;
    if (!t || !shape || !fe_args_done(f, a, dtype_at + 1))
        return NULL;
    return filled(f, a->node, b->name, t, shape, rank, with);
}

const struct value *fn_like(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return like(f, b, a, b->format ? fe_int(f, *b->format - '0') : NULL, 1);
}

const struct value *fn_full_like(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *with = fe_arg(a, 1, "fill_value");
    return with ? like(f, b, a, with, 2) : fe_error(f, a->node, "np.full_like needs a value");
}

/* The index along axis `axis` of a result of `rank` dimensions, as int64. */
static const struct value *index_value(struct fe *f, const struct sym *extent)
{
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, 1);
    shape[0] = extent;
    return fe_elem(f, type_basic(f->ir, TYPE_I64), shape, 1, "#index", 0, NULL);
}

/* As a column: with an axis of one behind it. */
static const struct value *column(struct fe *f, const struct py *n, const struct value *v)
{
    const struct value *all[3] = { fe_none(f), fe_none(f), fe_none(f) }, *items[2];
    struct value *slice = fe_new(f, FE_SLICE);
    slice->items = arena_copy(f->arena, all, sizeof all);
    slice->count = 3;
    items[0] = slice;
    items[1] = fe_none(f);
    v = fe_materialize(f, n, v, "index");
    return v ? fe_subscript(f, n, v, fe_tuple(f, items, 2)) : NULL;
}

const struct value *fn_eye(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *n = fe_arg(a, 0, "N"), *m = fe_arg(a, 1, "M"), *k = fe_arg(a, 2, "k");
    bool identity = strcmp(b->name, "identity") == 0;
    n = n ? n : fe_arg(a, 0, "n");
    const struct type *t =
        fe_dtype(f, a->node, identity ? fe_arg(a, 1, "dtype") : fe_arg(a, 3, "dtype"), type_basic(f->ir, TYPE_F64));
    const struct sym *rows = n ? fe_sym(f, n) : NULL,
                     *cols = !identity && m && m->kind != FE_NONE ? fe_sym(f, m) : rows;
    if (!rows || !cols || !t || !fe_args_done(f, a, 4))
        return f->failed ? NULL : fe_error(f, a->node, "np.%s needs integers or symbols", b->name);
    const char *name = fe_wish(f, b->name);
    const struct value *i = column(f, a->node, index_value(f, rows)), *j = index_value(f, cols);
    const struct value *moved = i && k ? fe_binary(f, a->node, PY_ADD, i, k) : i;
    const struct value *same = moved ? fe_compare(f, a->node, PY_EQ, moved, j) : NULL;
    same = fe_cast(f, a->node, t, same);
    return same ? fe_copy(f, a->node, same, name) : NULL;
}

/* Constant limits: the number of elements is known. */
static const struct value *arange_of_floats(struct fe *f, const struct fe_builtin *b, struct fe_args *a,
                                            const struct value *lo, const struct value *hi, const struct value *step)
{
    if (!fe_is_number(lo) || !fe_is_number(hi) || !fe_is_number(step) || fe_real(step) == 0)
        return fe_unsupported(f, a->node, "np.arange with limits that are no constants, or a step that is no integer");
    bool whole = lo->kind <= FE_INT && hi->kind <= FE_INT && step->kind <= FE_INT;
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 3, "dtype"), type_basic(f->ir, whole ? TYPE_I64 : TYPE_F64));
    double count = ceil((fe_real(hi) - fe_real(lo)) / fe_real(step));
    if (!t || !fe_args_done(f, a, 3))
        return NULL;
    if (!(count <= 1e15))
        return fe_error(f, a->node, "np.arange of too many elements");
    /* NumPy's step is the difference of the first two elements */
    const struct value *first = fe_cast(f, a->node, t, lo), *second = fe_binary(f, a->node, PY_ADD, lo, step);
    second = fe_cast(f, a->node, t, second);
    const struct value *d = first && second ? fe_binary(f, a->node, PY_SUB, second, first) : NULL;
    const struct sym *extent = sym_int(f->ir, count > 0 ? (int64_t)count : 0);
    const struct value *v = d ? fe_binary(f, a->node, PY_MULT, index_value(f, extent), d) : NULL;
    v = v ? fe_binary(f, a->node, PY_ADD, v, first) : NULL;
    v = fe_cast(f, a->node, t, v);
    return v ? fe_copy(f, a->node, v, fe_wish(f, b->name)) : NULL;
}

static bool is_float(const struct value *v) { return fe_is_data(v) && !fe_is_int_type(v->type); }

const struct value *fn_arange(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *lo = a->count > 1 ? a->items[0] : fe_int(f, 0), *hi = a->count ? a->items[a->count > 1] : NULL;
    const struct value *step = a->count > 2 ? a->items[2] : fe_int(f, 1);
    if (!hi || a->count > 3)
        return fe_error(f, a->node, "np.arange has one to three arguments");
    if (lo->kind == FE_FLOAT || hi->kind == FE_FLOAT || step->kind == FE_FLOAT || (step->kind == FE_INT && step->i < 0))
        return arange_of_floats(f, b, a, lo, hi, step);
    if (step->kind != FE_INT || !step->i || is_float(lo) || is_float(hi)) {
        const struct value *items[3] = { lo, hi, step };
        a->items = items;
        a->count = 3;
        return fe_library(f, "_stepped", a);
    }
    lo = fe_as_symbol(f, a->node, lo);
    hi = lo ? fe_as_symbol(f, a->node, hi) : NULL;
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 3, "dtype"), type_basic(f->ir, TYPE_I64));
    if (!hi || !t)
        return NULL;
    const struct value *span = fe_binary(f, a->node, PY_SUB, hi, lo);
    span = span ? fe_binary(f, a->node, PY_ADD, span, fe_int(f, step->i - 1)) : NULL;
    span = span ? fe_binary(f, a->node, PY_FLOORDIV, span, step) : NULL;
    if (!span || !fe_args_done(f, a, 3))
        return NULL;
    const struct value *v = fe_binary(f, a->node, PY_MULT, index_value(f, fe_sym(f, span)), step);
    v = v ? fe_binary(f, a->node, PY_ADD, v, lo) : NULL;
    v = fe_cast(f, a->node, t, v);
    return v ? fe_copy(f, a->node, v, fe_wish(f, b->name)) : NULL;
}

const struct value *fn_linspace(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *lo = fe_arg(a, 0, "start"), *hi = fe_arg(a, 1, "stop"), *num = fe_arg(a, 2, "num");
    if (fe_arg(a, UINT32_MAX, "retstep") || fe_arg(a, UINT32_MAX, "axis") || (lo && fe_is_data(lo) && lo->rank) ||
        (hi && fe_is_data(hi) && hi->rank) || (lo && lo->kind == FE_TUPLE) || (hi && hi->kind == FE_TUPLE) ||
        a->count > 4) {
        a->used = 0;
        return fe_library(f, b->name, a);
    }
    const struct value *end = fe_arg(a, 3, "endpoint"), *count = num ? fe_as_symbol(f, a->node, num) : fe_int(f, 50);
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 4, "dtype"), type_basic(f->ir, TYPE_F64));
    bool open = end && end->kind == FE_BOOL && !end->i;
    if (!lo || !hi || !count || !t || !fe_args_done(f, a, 5))
        return f->failed ? NULL : fe_error(f, a->node, "np.linspace needs a start and a stop");
    const struct value *span = fe_binary(f, a->node, PY_SUB, hi, lo);
    const struct value *parts = open ? count : fe_binary(f, a->node, PY_SUB, count, fe_int(f, 1));
    const struct value *step = span && parts ? fe_binary(f, a->node, PY_DIV, span, parts) : NULL;
    const struct value *v = step ? fe_binary(f, a->node, PY_MULT, index_value(f, fe_sym(f, count)), step) : NULL;
    v = v ? fe_binary(f, a->node, PY_ADD, v, lo) : NULL;
    v = fe_cast(f, a->node, t, v);
    return v ? fe_copy(f, a->node, v, fe_wish(f, b->name)) : NULL;
}

/* ---- from values ---- */

static bool measure(struct fe *f, const struct py *n, const struct value *v, const struct sym **shape, uint32_t *rank,
                    uint32_t depth)
{
    if (v->kind != FE_TUPLE) {
        uint32_t more = fe_is_data(v) ? v->rank : 0;
        bool good = fe_is_operand(v) && depth + more <= FE_MAX_RANK && (*rank == UINT32_MAX || *rank == depth + more);
        for (uint32_t i = 0; i < more && good; i++) {
            const struct sym **extent = &shape[depth + i];
            good = !*extent || fe_same_extent(f, *extent, v->shape[i]);
            *extent = v->shape[i];
        }
        *rank = depth + more;
        return good || fe_unsupported(f, n, "an array of parts that are no numbers, or of different lengths") != NULL;
    }
    if (depth >= FE_MAX_RANK || v->count == 0)
        return fe_unsupported(f, n, "an empty array, or one of too many dimensions") != NULL;
    const struct sym *extent = sym_int(f->ir, v->count);
    if (shape[depth] && !fe_same_extent(f, shape[depth], extent))
        return fe_error(f, n, "the rows have different lengths") != NULL;
    shape[depth] = extent;
    for (uint32_t i = 0; i < v->count; i++)
        if (!measure(f, n, v->items[i], shape, rank, depth + 1))
            return false;
    return true;
}

const struct type *fe_joint_type(struct fe *f, const struct value *v, const struct value **weakest)
{
    if (v->kind != FE_TUPLE) {
        const struct type *t = *weakest ? fe_result_type(f, *weakest, v) : fe_own_type(f, v);
        struct value *w = fe_new(f, FE_ELEM);
        w->type = t;
        w->weak = v->weak && (!*weakest || (*weakest)->weak);
        *weakest = w;
        return t;
    }
    const struct type *t = NULL;
    for (uint32_t i = 0; i < v->count; i++)
        t = fe_joint_type(f, v->items[i], weakest);
    return t;
}

static bool store_items(struct fe *f, const struct py *n, const struct value *to, const struct value *v)
{
    if (v->kind != FE_TUPLE)
        return fe_store(f, n, to, v, NULL);
    for (uint32_t i = 0; i < v->count; i++) {
        const struct value *part = fe_subscript(f, n, to, fe_int(f, i));
        if (!part || !store_items(f, n, part, v->items[i]))
            return false;
    }
    return true;
}

const struct value *fn_array(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_arg(a, 0, "object"), *weakest = NULL;
    v = v ? v : fe_arg(a, 0, "a");
    const struct sym *shape[FE_MAX_RANK + 1] = { 0 };
    uint32_t rank = UINT32_MAX;
    fe_arg(a, UINT32_MAX, "copy");
    if (v && fe_is_data(v)) {
        const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), v->type);
        if (t == v->type && b && b->format) /* no copy */
            return fe_args_done(f, a, 2) ? v : NULL;
        v = t ? fe_cast(f, a->node, t, v) : NULL;
        return v ? fe_copy(f, a->node, v, fe_wish(f, "array")) : NULL;
    }
    if (v && fe_is_operand(v)) {
        const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), fe_own_type(f, v));
        v = t ? fe_copy(f, a->node, fe_cast(f, a->node, t, v), fe_wish(f, "array")) : NULL;
        if (v)
            ((struct value *)v)->weak = false;
        return v;
    }
    if (!v || v->kind != FE_TUPLE)
        return fe_error(f, a->node, "np.array of %s", v ? fe_describe(f, v) : "nothing");
    if (!measure(f, a->node, v, shape, &rank, 0))
        return NULL;
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), fe_joint_type(f, v, &weakest));
    if (!t || !fe_args_done(f, a, 2))
        return NULL;
    const struct value *to = fe_whole(f, fe_container(f, fe_wish(f, "array"), t, shape, rank));
    return store_items(f, a->node, to, v) ? to : NULL;
}

const struct value *fe_as_array(struct fe *f, const struct py *n, const struct value *tuple)
{
    struct fe_args one = { .node = n, .items = &tuple, .count = 1 };
    return fn_array(f, NULL, &one);
}

const struct value *fn_copy(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (!a->count || !fe_args_done(f, a, 1))
        return f->failed ? NULL : fe_error(f, a->node, "%s of nothing", b->name);
    return fe_copy(f, a->node, a->items[0], fe_wish(f, b->name));
}

const struct value *fn_astype(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), NULL);
    fe_arg(a, UINT32_MAX, "copy");
    if (!t || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "astype needs a type");
    const struct value *v = fe_cast(f, a->node, t, a->items[0]);
    return v ? fe_copy(f, a->node, v, fe_wish(f, "astype")) : NULL;
}

const struct value *fn_fill(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count != 2 || a->items[0]->kind != FE_VIEW)
        return fe_error(f, a->node, "fill needs an array and a value");
    return fe_store(f, a->node, a->items[0], a->items[1], NULL) ? fe_none(f) : NULL;
}
