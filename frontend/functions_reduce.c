/* Reductions: Reduce nodes, and the methods of ufuncs that are made of them. */
#include "frontend/functions.h"

#include <string.h>

/* ---- reductions ---- */

struct reduction {
    const char *wcr, *identity;
};

static const struct reduction reductions[] = {
    [REDUCE_SUM] = { "lambda a, b: a + b", "0" },      [REDUCE_PROD] = { "lambda a, b: a * b", "1" },
    [REDUCE_MEAN] = { "lambda a, b: a + b", "0" },     [REDUCE_MAX] = { "lambda a, b: max(a, b)", NULL },
    [REDUCE_MIN] = { "lambda a, b: min(a, b)", NULL }, [REDUCE_ANY] = { "lambda a, b: a or b", NULL },
    [REDUCE_ALL] = { "lambda a, b: a and b", NULL },
};

/* What no element changes: of max the smallest value of the type. */
static const struct value *neutral(struct fe *f, enum fe_reduction how, const struct type *t)
{
    bool max = how == REDUCE_MAX;
    if (how == REDUCE_ANY || how == REDUCE_ALL)
        return fe_bool(f, how == REDUCE_ALL);
    if (type_is_float(t))
        return fe_float(f, max ? -__builtin_inf() : __builtin_inf());
    if (t->kind == TYPE_BOOL)
        return fe_bool(f, !max);
    if (type_is_unsigned(t))
        return max ? fe_int(f, 0) : fe_cast(f, NULL, t, fe_int(f, -1));
    if (type_is_complex(t)) /* is refused later: they have no order */
        return fe_int(f, 0);
    int64_t top = (int64_t)(UINT64_MAX >> (65 - 8 * t->size));
    return fe_int(f, max ? -top - 1 : top);
}

bool fe_reduced_axes(struct fe *f, const struct py *n, const struct value *v, const struct value *axis, bool *reduced)
{
    for (uint32_t i = 0; i < v->rank; i++)
        reduced[i] = !axis || axis->kind == FE_NONE;
    if (!axis || axis->kind == FE_NONE)
        return true;
    const struct value *const *items = axis->kind == FE_TUPLE ? axis->items : &axis;
    for (uint32_t i = 0; i < (axis->kind == FE_TUPLE ? axis->count : 1); i++) {
        int64_t at = items[i]->kind == FE_INT ? items[i]->i : INT64_MAX;
        at += at < 0 ? v->rank : 0;
        if (at < 0 || at >= v->rank)
            return fe_error(f, n, "there is no such axis of %s", fe_describe(f, v)) != NULL;
        reduced[at] = true;
    }
    return true;
}

static bool acts(void *found, struct py *n)
{
    *(bool *)found |= n->kind == PY_CALL || n->kind == PY_NAMED_EXPR;
    return true;
}

/* Whole numbers, symbols and slices of them. */
static bool is_plain_index(const struct value *index)
{
    if (index->kind == FE_TUPLE || index->kind == FE_SLICE) {
        bool plain = !index->list;
        for (uint32_t i = 0; i < index->count; i++)
            plain &= (index->kind == FE_SLICE && index->items[i]->kind == FE_NONE) || is_plain_index(index->items[i]);
        return plain;
    }
    return index->kind == FE_INT || index->kind == FE_SYMBOL || index->kind == FE_ELLIPSIS;
}

/* The region of an array that the statement assigns the results to, if they can be accumulated there instead of in
 * memory of their own: elements of their type, as many, that the operand is not made of. NULL: they cannot. */
static const struct value *assigned_region(struct fe *f, const struct value *from, const struct type *type,
                                           const struct sym *const *shape, uint32_t rank)
{
    const struct py *target = f->into;
    bool calls = false;
    f->into = NULL;
    if (!target || target->kind != PY_SUBSCRIPT || target->subscript.value->kind != PY_NAME || !rank)
        return NULL;
    py_visit(target->subscript.slice, acts, &calls);
    const struct value *base = calls ? NULL : fe_eval_lazy(f, target->subscript.value);
    if (!base || base->kind != FE_VIEW || base->type != type || base->view.container->level != f->level ||
        base->view.container->shows || base->view.container->buffer)
        return NULL;
    const struct value *index = fe_eval_index(f, target->subscript.slice);
    const struct value *to = index && is_plain_index(index) ? fe_subscript(f, target, base, index) : NULL;
    if (!to || to->kind != FE_VIEW || !fe_is_plain(to) || to->rank != rank || !fe_independent(to, from))
        return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (to->shape[i] != shape[i])
            return NULL;
    to->view.container->symbol = NULL;
    return to;
}

const struct value *fe_accumulate(struct fe *f, const struct py *n, const struct value *v, const bool *reduced,
                                  const struct fe_accumulation *how)
{
    const struct sym *shape[FE_MAX_RANK + 1] = { 0 };
    const struct value *from = fe_plain(f, n, v, "tmp");
    uint32_t rank = 0;
    if (!from)
        return NULL;
    struct text axes = text_new(f->arena);
    for (uint32_t i = 0; i < v->rank; i++)
        if (!reduced[i])
            shape[rank++] = v->shape[i];
    /* A region may have fewer dimensions than its container: the node counts those of the memlet, in which the others
     * are of one element and go away too. */
    for (uint32_t k = 0; k < from->view.container->rank; k++) {
        int axis = from->view.dims[k].axis;
        if (axis < 0 || reduced[axis])
            text_printf(&axes, "%s%u", axes.length ? ", " : "", k);
    }
    bool scalar = rank == 0;
    if (scalar)
        shape[rank++] = sym_int(f->ir, 1);
    const struct value *to = scalar ? NULL : assigned_region(f, from, v->type, shape, rank);
    if (!to)
        to = fe_whole(f, fe_container(f, f->wish ? f->wish : "reduced", v->type, shape, rank));
    const char *identity = how->identity;
    if (!identity && !fe_store(f, n, to, how->initial, NULL))
        return NULL;
    if (!f->dry) {
        struct state *st = fe_state(f, "reduce");
        const char *text = fe_format(f, "{\"wcr\": \"%s\", \"axes\": [%s], \"identity\": %s}", how->wcr,
                                     text_get(&axes), identity ? fe_format(f, "\"%s\"", identity) : "null");
        struct library *l =
            build_library(st, "reduce", "dace.libraries.standard.nodes.reduce.Reduce", NULL, NULL, text);
        fe_mark(f, &l->node.place);
        build_edge(fe_access(f, st, from->view.container, false), NULL, &l->node, NULL, fe_region(f, from, false),
                   NULL);
        build_edge(&l->node, NULL, fe_access(f, st, to->view.container, true), NULL, fe_region(f, to, true), NULL);
    }
    f->emitted++;
    return scalar ? fe_subscript(f, n, to, fe_int(f, 0)) : to;
}

static const struct value *accumulate_from(struct fe *f, const struct py *n, const struct value *v,
                                           enum fe_reduction how, const bool *reduced, const struct value *initial)
{
    struct fe_accumulation a = { reductions[how].wcr, initial ? NULL : reductions[how].identity, initial };
    if (!a.identity && !initial)
        a.initial = neutral(f, how, v->type);
    return fe_accumulate(f, n, v, reduced, &a);
}

/* With axes of one where elements were taken together. */
static const struct value *keep_dimensions(struct fe *f, const struct py *n, const struct value *v, uint32_t rank,
                                           const bool *reduced)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, rank + 1), *none = fe_none(f);
    const struct value *all[3] = { none, none, none };
    struct value *slice = fe_new(f, FE_SLICE);
    slice->items = arena_copy(f->arena, all, sizeof all);
    slice->count = 3;
    for (uint32_t i = 0; i < rank; i++)
        items[i] = reduced[i] ? none : slice;
    v = fe_materialize(f, n, v, "reduced");
    return v ? fe_subscript(f, n, v, fe_tuple(f, items, rank)) : NULL;
}

const struct value *fe_reduce(struct fe *f, const struct py *n, const struct value *v, enum fe_reduction how,
                              const struct value *axis, bool keepdims, const struct value *initial,
                              const struct type *type)
{
    bool reduced[FE_MAX_RANK] = { 0 };
    if (!fe_is_data(v) || v->rank == 0)
        return fe_is_operand(v) ? v : fe_error(f, n, "%s cannot be reduced", fe_describe(f, v));
    const struct type *t = v->type;
    bool adds = how == REDUCE_SUM || how == REDUCE_PROD;
    if (type)
        t = type;
    else if (how == REDUCE_MEAN && fe_is_int_type(t))
        t = type_basic(f->ir, TYPE_F64);
    else if (adds && fe_is_int_type(t))
        t = type_basic(f->ir, type_is_unsigned(t) ? TYPE_U64 : TYPE_I64);
    else if (how == REDUCE_ANY || how == REDUCE_ALL)
        t = type_basic(f->ir, TYPE_BOOL);
    if (type_is_complex(t) && (how == REDUCE_MAX || how == REDUCE_MIN))
        return fe_unsupported(f, n, "an order of complex numbers");
    v = fe_cast(f, n, t, v);
    if (!v || !fe_reduced_axes(f, n, v, axis, reduced))
        return NULL;
    const struct sym *count = sym_int(f->ir, 1);
    for (uint32_t i = 0; i < v->rank; i++)
        count = reduced[i] ? sym_mul(f->ir, count, v->shape[i]) : count;
    const struct value *sum = accumulate_from(f, n, v, how, reduced, initial);
    if (sum && how == REDUCE_MEAN)
        sum = fe_binary(f, n, PY_DIV, sum, fe_symbol(f, count));
    return sum && keepdims ? keep_dimensions(f, n, sum, v->rank, reduced) : sum;
}

/* ---- what `where` leaves out ---- */

/* The mask of where=: NULL without an error where all elements count. */
static bool mask_of(struct fe *f, struct fe_args *a, const struct value **mask)
{
    const struct value *where = fe_arg(a, UINT32_MAX, "where");
    bool truth;
    if (where && where->kind == FE_TUPLE && !(where = fe_as_array(f, a->node, where)))
        return false;
    *mask = where && (!fe_truth(where, &truth) || !truth) ? where : NULL;
    if (*mask && (!fe_is_operand(*mask) || fe_own_type(f, *mask)->kind != TYPE_BOOL))
        return fe_raise(f, a->node, "TypeError", "'where' must be of bools, here is %s", fe_describe(f, *mask)) != NULL;
    return !f->failed;
}

/* The elements, where the mask is false what changes no result. */
static const struct value *masked(struct fe *f, const struct py *n, const struct value *v, const struct value *mask,
                                  enum fe_reduction how)
{
    const struct value *with = how == REDUCE_SUM || how == REDUCE_MEAN ? fe_int(f, 0)
                               : how == REDUCE_PROD                    ? fe_int(f, 1)
                                                                       : neutral(f, how, fe_own_type(f, v));
    return v && mask ? fe_select(f, n, mask, v, fe_cast(f, n, fe_own_type(f, v), with)) : v;
}

/* How many elements each result is made of. */
static const struct value *count_of(struct fe *f, const struct py *n, const struct value *v, const struct value *mask,
                                    const struct value *axis, bool keepdims)
{
    const struct type *t = type_basic(f->ir, TYPE_I64);
    bool reduced[FE_MAX_RANK] = { 0 };
    if (mask) {
        const struct sym **shape;
        uint32_t rank;
        const struct value *one = fe_cast(f, n, t, mask);
        if (!one || !fe_broadcast(f, n, v, one, &shape, &rank))
            return NULL;
        one = fe_elem(f, t, shape, rank, "$0", 1, &one);
        return fe_reduce(f, n, one, REDUCE_SUM, axis, keepdims, NULL, NULL);
    }
    if (!fe_reduced_axes(f, n, v, axis, reduced))
        return NULL;
    const struct sym *count = sym_int(f->ir, 1);
    for (uint32_t i = 0; i < v->rank; i++)
        count = reduced[i] ? sym_mul(f->ir, count, v->shape[i]) : count;
    return fe_symbol(f, count);
}

static const struct value *quotient(struct fe *f, const struct py *n, const struct value *sum,
                                    const struct value *count)
{
    count = sum && count && fe_is_data(count) ? fe_cast(f, n, fe_own_type(f, sum), count) : count;
    return sum && count ? fe_binary(f, n, PY_DIV, sum, count) : NULL;
}

static const struct value *masked_mean(struct fe *f, const struct py *n, const struct value *v,
                                       const struct value *mask, const struct value *axis, bool keepdims,
                                       const struct type *t)
{
    f->wish = NULL;
    v = fe_materialize(f, n, v, "tmp");
    mask = v && fe_is_data(mask) ? fe_materialize(f, n, mask, "where") : mask;
    if (!v || !mask)
        return NULL;
    if (!t)
        t = fe_is_int_type(v->type) ? type_basic(f->ir, TYPE_F64) : v->type;
    const struct value *x = masked(f, n, fe_cast(f, n, t, v), mask, REDUCE_SUM);
    const struct value *sum = x ? fe_reduce(f, n, x, REDUCE_SUM, axis, keepdims, NULL, t) : NULL;
    return sum ? quotient(f, n, sum, count_of(f, n, v, mask, axis, keepdims)) : NULL;
}

/* Into out=, if it is given. */
static const struct value *put_out(struct fe *f, const struct py *n, const struct value *v, const struct value *out)
{
    if (!v || !out || out->kind == FE_NONE)
        return v;
    if (out->kind != FE_VIEW)
        return fe_raise(f, n, "TypeError", "'out' must be an array, this is %s", fe_describe(f, out));
    if (out->rank != (fe_is_data(v) ? v->rank : 0))
        return fe_raise(f, n, "ValueError", "'out' has %u dimensions, the result %u", out->rank,
                        fe_is_data(v) ? v->rank : 0);
    v = fe_cast(f, n, out->type, v);
    return v && fe_store(f, n, out, v, NULL) ? out : NULL;
}

/* An argument that is absent or None. */
static const struct value *given(struct fe_args *a, uint32_t position, const char *name)
{
    const struct value *v = fe_arg(a, position, name);
    return v && v->kind != FE_NONE ? v : NULL;
}

/* The array of a reduction, which may be a list. */
static const struct value *reduced_array(struct fe *f, struct fe_args *a, const char *name)
{
    const struct value *v = fe_arg(a, 0, name);
    return v && v->kind == FE_TUPLE ? fe_as_array(f, a->node, v) : v;
}

const struct value *fn_reduce(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    enum fe_reduction how = (enum fe_reduction)b->kind;
    bool typed = how == REDUCE_SUM || how == REDUCE_PROD || how == REDUCE_MEAN; /* dtype comes third */
    const struct value *v = reduced_array(f, a, "a"), *axis = fe_arg(a, 1, "axis"), *mask;
    const struct value *dtype = given(a, typed ? 2 : UINT32_MAX, "dtype"), *out = given(a, typed ? 3 : 2, "out");
    const struct value *keep = fe_arg(a, UINT32_MAX, "keepdims"), *initial = given(a, UINT32_MAX, "initial");
    bool truth = false, orders = how == REDUCE_MAX || how == REDUCE_MIN;
    if (!v || !mask_of(f, a, &mask) || !fe_args_done(f, a, typed ? 4 : 3))
        return f->failed ? NULL : fe_error(f, a->node, "np.%s of nothing", b->name);
    if (keep && !fe_truth(keep, &truth))
        return fe_error(f, a->node, "'keepdims' must be True or False");
    if (mask && orders && !initial)
        return fe_raise(f, a->node, "ValueError", "np.%s has no value for no elements: 'where' needs 'initial', too",
                        b->name);
    const struct type *t = dtype ? fe_dtype(f, a->node, dtype, NULL) : NULL;
    if (dtype && !t)
        return NULL;
    if (mask && how == REDUCE_MEAN)
        return put_out(f, a->node, masked_mean(f, a->node, v, mask, axis, truth, t), out);
    if (mask && (how == REDUCE_ANY || how == REDUCE_ALL))
        v = fe_cast(f, a->node, type_basic(f->ir, TYPE_BOOL), v);
    v = v && fe_is_operand(v) ? masked(f, a->node, v, mask, how) : v;
    f->into = truth || out ? NULL : a->target;
    v = v ? put_out(f, a->node, fe_reduce(f, a->node, v, how, axis, truth, initial, t), out) : NULL;
    f->into = NULL;
    return v;
}

/* The mean of the squared distances from the mean, `ddof` less in the divisor; std is its root. */
const struct value *fn_variance(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = reduced_array(f, a, "a"), *axis = fe_arg(a, 1, "axis"), *dtype = given(a, 2, "dtype");
    const struct value *keep = fe_arg(a, UINT32_MAX, "keepdims"), *ddof = fe_arg(a, UINT32_MAX, "ddof"), *mask;
    const struct value *out = given(a, 3, "out");
    const struct py *n = a->node;
    bool truth = false;
    ddof = ddof ? ddof : fe_arg(a, UINT32_MAX, "correction");
    const struct type *t = dtype ? fe_dtype(f, n, dtype, NULL) : NULL;
    if (!v || !fe_is_data(v) || !v->rank || (dtype && !t) || (keep && !fe_truth(keep, &truth)) ||
        !mask_of(f, a, &mask) || !fe_args_done(f, a, 4))
        return f->failed ? NULL : fe_error(f, n, "np.%s needs an array", b->name);
    if (type_is_complex(v->type))
        return fe_unsupported(f, n, "np.%s of complex numbers", b->name);
    f->wish = NULL;
    v = fe_materialize(f, n, t ? fe_cast(f, n, t, v) : v, "tmp");
    mask = v && mask && fe_is_data(mask) ? fe_materialize(f, n, mask, "where") : mask;
    const struct value *mean = !v     ? NULL
                               : mask ? masked_mean(f, n, v, mask, axis, true, NULL)
                                      : fe_reduce(f, n, v, REDUCE_MEAN, axis, true, NULL, NULL);
    const struct value *d = mean ? fe_binary(f, n, PY_SUB, v, mean) : NULL;
    d = d ? masked(f, n, fe_binary(f, n, PY_MULT, d, d), mask, REDUCE_SUM) : NULL;
    const struct value *sum = d ? fe_reduce(f, n, d, REDUCE_SUM, axis, truth, NULL, NULL) : NULL;
    const struct value *count = sum ? count_of(f, n, v, mask, axis, truth) : NULL;
    count = count && ddof ? fe_binary(f, n, PY_SUB, count, ddof) : count;
    sum = quotient(f, n, sum, count);
    sum = sum && b->format ? fe_apply(f, n, fe_own_type(f, sum), b->format, 1, &sum) : sum;
    return put_out(f, n, sum, out);
}

/* ---- methods of ufuncs ---- */

static const struct value *with_axes(struct fe *f, const struct py *n, const struct value *v, uint32_t more)
{
    const struct value *none = fe_none(f), *all[3] = { none, none, none };
    struct value *slice = fe_new(f, FE_SLICE);
    slice->items = arena_copy(f->arena, all, sizeof all);
    slice->count = 3;
    if (!fe_is_data(v) || !v->rank)
        return v;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->rank + more + 1);
    for (uint32_t i = 0; i < v->rank + more; i++)
        items[i] = i < v->rank ? slice : none;
    v = fe_materialize(f, n, v, "tmp");
    return v ? fe_subscript(f, n, v, fe_tuple(f, items, v->rank + more)) : NULL;
}

static const struct value *outer(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count != 2 || !fe_is_operand(a->items[0]) || !fe_is_operand(a->items[1]))
        return fe_error(f, a->node, "outer needs two arrays");
    const struct value *items[2] = { a->items[0], a->items[1] };
    if (fe_is_data(items[1]) && items[1]->rank)
        items[0] = with_axes(f, a->node, items[0], items[1]->rank);
    if (!items[0])
        return NULL;
    struct fe_args both = *a;
    both.items = items;
    return b->call(f, b, &both);
}

const struct value *fe_ufunc_method(struct fe *f, const struct fe_builtin *b, const char *method, struct fe_args *a)
{
    static const struct {
        const char *name;
        enum fe_reduction how;
    } rows[] = { { "add", REDUCE_SUM },     { "multiply", REDUCE_PROD },  { "maximum", REDUCE_MAX },
                 { "minimum", REDUCE_MIN }, { "logical_or", REDUCE_ANY }, { "logical_and", REDUCE_ALL } };
    if (strcmp(method, "outer") == 0)
        return outer(f, b, a);
    bool binary = b->call == fn_operator ? b->kind != PY_USUB && b->kind != PY_UADD && b->kind != PY_INVERT
                                         : b->call == fn_binary || b->call == fn_extreme;
    if (binary && strcmp(method, "at") == 0) {
        struct value *function = fe_new(f, FE_BUILTIN);
        function->builtin = b;
        fe_prepend(f, a, function);
        return fe_library(f, "ufunc_at", a);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows && strcmp(method, "reduce") == 0; i++) {
        if (strcmp(rows[i].name, b->name) != 0)
            continue;
        const struct value *v = fe_arg(a, 0, "array"), *axis = fe_arg(a, 1, "axis"),
                           *keep = fe_arg(a, UINT32_MAX, "keepdims");
        const struct value *initial = fe_arg(a, UINT32_MAX, "initial");
        bool truth = false;
        if (!v || !fe_args_done(f, a, 2) || (keep && !fe_truth(keep, &truth)))
            return f->failed ? NULL : fe_error(f, a->node, "reduce of nothing");
        if (initial && initial->kind == FE_NONE)
            initial = NULL;
        return fe_reduce(f, a->node, v, rows[i].how, axis ? axis : fe_int(f, 0), truth, initial, NULL);
    }
    if (binary && (strcmp(method, "accumulate") == 0 || strcmp(method, "reduce") == 0)) {
        struct value *function = fe_new(f, FE_BUILTIN);
        function->builtin = b;
        fe_prepend(f, a, function);
        return fe_library(f, method, a);
    }
    return fe_unsupported(f, a->node, "'np.%s.%s'", b->name, method);
}

const struct value *fn_outer(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct fe_builtin *multiply = fe_builtin_find("numpy", "multiply");
    return outer(f, multiply, a);
}
