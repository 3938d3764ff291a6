/* Reductions and linear algebra: library nodes. */
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
    int64_t top = (int64_t)(UINT64_MAX >> (65 - 8 * t->size));
    return fe_int(f, max ? -top - 1 : top);
}

static bool axes_of(struct fe *f, const struct py *n, const struct value *v, const struct value *axis, bool *reduced)
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

/* What elements are combined with: `identity` NULL: they are combined with what `initial` is. */
struct accumulation {
    const char *wcr, *identity;
    const struct value *initial;
};

static const struct value *accumulate(struct fe *f, const struct py *n, const struct value *v, const bool *reduced,
                                      const struct accumulation *how)
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
    const struct value *to = fe_whole(f, fe_container(f, f->wish ? f->wish : "reduced", v->type, shape, rank));
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
    struct accumulation a = { reductions[how].wcr, initial ? NULL : reductions[how].identity, initial };
    if (!a.identity && !initial)
        a.initial = neutral(f, how, v->type);
    return accumulate(f, n, v, reduced, &a);
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
    if (!v || !axes_of(f, n, v, axis, reduced))
        return NULL;
    const struct sym *count = sym_int(f->ir, 1);
    for (uint32_t i = 0; i < v->rank; i++)
        count = reduced[i] ? sym_mul(f->ir, count, v->shape[i]) : count;
    const struct value *sum = accumulate_from(f, n, v, how, reduced, initial);
    if (sum && how == REDUCE_MEAN)
        sum = fe_binary(f, n, PY_DIV, sum, fe_symbol(f, count));
    return sum && keepdims ? keep_dimensions(f, n, sum, v->rank, reduced) : sum;
}

const struct value *fn_reduce(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_arg(a, 0, "a"), *axis = fe_arg(a, 1, "axis"), *keep = fe_arg(a, UINT32_MAX, "keepdims");
    const struct value *initial = fe_arg(a, UINT32_MAX, "initial"), *dtype = fe_arg(a, UINT32_MAX, "dtype");
    const struct value *where = fe_arg(a, UINT32_MAX, "where"), *out = fe_arg(a, UINT32_MAX, "out");
    if (where || out || !v || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_unsupported(f, a->node, "'out' and 'where' of np.%s", b->name);
    bool truth = false;
    if (keep && !fe_truth(keep, &truth))
        return fe_error(f, a->node, "'keepdims' must be True or False");
    const struct type *t = dtype ? fe_dtype(f, a->node, dtype, NULL) : NULL;
    if (dtype && !t)
        return NULL;
    return fe_reduce(f, a->node, v, (enum fe_reduction)b->kind, axis, truth, initial, t);
}

struct closed {
    const struct py *args;
    const struct py *callees[8];
    uint32_t count;
    bool open;
};

static bool check_names(void *user, struct py *n)
{
    struct closed *c = user;
    if (n->kind == PY_CALL && n->call.func->kind == PY_NAME && c->count < 8)
        c->callees[c->count++] = n->call.func;
    bool known = n->kind != PY_NAME;
    for (uint32_t i = 0; !known && i < c->count; i++)
        known = c->callees[i] == n;
    for (uint32_t i = 0; !known && i < 2; i++)
        known = n->name.id == c->args->arguments.args.items[i]->arg.arg;
    c->open |= !known || n->kind == PY_ATTRIBUTE;
    return true;
}

/* The text of a lambda of two parameters that reads nothing else, on one line; or NULL. */
static const char *closed_lambda(struct fe *f, const struct value *how)
{
    if (!how || how->kind != FE_FUNCTION || how->function->node->kind != PY_LAMBDA)
        return NULL;
    const struct py *n = how->function->node;
    struct closed c = { .args = n->lambda.args };
    if (c.args->arguments.args.count != 2 || c.args->arguments.defaults.count)
        return NULL;
    py_visit(n->lambda.body, check_names, &c);
    const char *text = arena_strndup(f->arena, how->function->source->text + n->begin, n->end - n->begin);
    return c.open || strpbrk(text, "\"\\\n") ? NULL : text;
}

/* With a function of its own: from `identity`, or from what is in `out`. */
static const struct value *reduce_by(struct fe *f, struct fe_args *a, const char *wcr, const struct value *v,
                                     const struct value *out, const struct value *axis, const struct value *identity)
{
    bool reduced[FE_MAX_RANK] = { 0 };
    struct accumulation how = { wcr, NULL, identity && identity->kind != FE_NONE ? identity : out };
    if (!how.initial)
        return fe_unsupported(f, a->node,
                              "dace.reduce with another lambda than +, *, max or min and without an identity");
    if (!v || !fe_is_data(v) || !v->rank || !axes_of(f, a->node, v, axis, reduced))
        return f->failed ? NULL : fe_error(f, a->node, "dace.reduce needs an array");
    const struct value *r = accumulate(f, a->node, v, reduced, &how);
    return r && out ? (fe_store(f, a->node, out, r, NULL) ? out : NULL) : r;
}

/* dace.reduce(lambda, array[, out][, axis][, identity]); without an identity it adds to what is in `out`. */
const struct value *fn_dace_reduce(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *how = fe_arg(a, 0, "redfunction"), *v = fe_arg(a, 1, "in_array"),
                       *out = fe_arg(a, 2, "out_array");
    const struct value *axis = fe_arg(a, 3, "axis"), *identity = fe_arg(a, 4, "identity");
    (void)b;
    if (out && !fe_is_data(out)) { /* there is none: what stands there is the axis */
        identity = identity ? identity : fe_arg(a, 3, NULL);
        axis = out;
        out = NULL;
    }
    const struct py *body = how && how->kind == FE_FUNCTION && how->function->node->kind == PY_LAMBDA
                                ? how->function->node->lambda.body
                                : NULL;
    const char *call =
        body && body->kind == PY_CALL && body->call.func->kind == PY_NAME ? body->call.func->name.id : "";
    bool adds = body && body->kind == PY_BIN_OP && body->bin_op.op == PY_ADD;
    bool multiplies = body && body->kind == PY_BIN_OP && body->bin_op.op == PY_MULT;
    bool max = strcmp(call, "max") == 0, min = strcmp(call, "min") == 0;
    bool known = adds || multiplies || max || min;
    const char *own = known ? NULL : closed_lambda(f, how);
    if (!known && !own)
        return fe_unsupported(f, a->node, "dace.reduce with anything but a lambda of its two parameters");
    if (own && (!out || out->kind == FE_VIEW) && fe_args_done(f, a, 5))
        return reduce_by(f, a, own, v, out, axis, identity);
    if (!v || !fe_is_data(v) || (out && out->kind != FE_VIEW) || !fe_args_done(f, a, 5))
        return f->failed ? NULL : fe_error(f, a->node, "dace.reduce needs an array");
    enum fe_reduction kind = adds ? REDUCE_SUM : multiplies ? REDUCE_PROD : max ? REDUCE_MAX : REDUCE_MIN;
    bool starts = identity && identity->kind != FE_NONE;
    const struct value *r = fe_reduce(f, a->node, v, kind, axis, false, starts ? identity : NULL, v->type);
    if (!r || !out)
        return r;
    if (!starts) {
        const struct value *both[2] = { out, r };
        struct fe_args combine = { .node = a->node, .items = both, .count = 2 };
        const char *name = adds ? "add" : multiplies ? "multiply" : max ? "maximum" : "minimum";
        const struct fe_builtin *op = fe_builtin_find("numpy", name);
        r = op->call(f, op, &combine);
    }
    return r && fe_store(f, a->node, out, r, NULL) ? out : NULL;
}

struct function_names {
    struct fe *f;
    struct fe_scope *scope;
};

/* The names of functions that DaCe knows in such lambdas, whatever the file imports. */
static bool name_functions(void *user, struct py *n)
{
    struct function_names *u = user;
    const struct py *c = n->kind == PY_CALL ? n->call.func : NULL;
    if (!c || c->kind != PY_NAME)
        return true;
    bool known = fe_builtin_find("builtins", c->name.id) != NULL;
    for (struct fe_scope *s = u->scope; s && !known; s = s->outer)
        known = fe_find(s, c->name.id) || (s->host && s->host->lookup(s->host, n, c->name.id));
    const struct value *function = known ? NULL : fe_module_attribute(u->f, "math", c->name.id);
    if (function)
        fe_bind(u->f, u->scope, c->name.id, function);
    return true;
}

/* elementwise(function, array[, out]) */
const struct value *fn_elementwise(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *how = fe_arg(a, 0, "func"), *v = fe_arg(a, 1, "in_array"), *out = fe_arg(a, 2, "out_array");
    (void)b;
    if (!how || !v || !fe_is_data(v) || (out && out->kind != FE_VIEW) || !fe_args_done(f, a, 3))
        return f->failed ? NULL : fe_error(f, a->node, "elementwise needs a function and an array");
    if (f->dace && how->kind == FE_FUNCTION && how->function->node->kind == PY_LAMBDA) {
        struct function_names names = { f, how->function->scope };
        py_visit(how->function->node->lambda.body, name_functions, &names);
    }
    struct fe_args one = { .node = a->node, .items = &v, .count = 1 };
    const struct value *r = fe_call_value(f, a->node, how, &one);
    if (!r || !out)
        return r;
    return fe_store(f, a->node, out, r, NULL) ? fe_none(f) : NULL;
}

/* The mean of the squared distances from the mean, `ddof` less in the divisor; std is its root. */
const struct value *fn_variance(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_arg(a, 0, "a"), *axis = fe_arg(a, 1, "axis"), *keep = fe_arg(a, UINT32_MAX, "keepdims");
    const struct value *ddof = fe_arg(a, UINT32_MAX, "ddof");
    bool truth = false, reduced[FE_MAX_RANK] = { 0 };
    if (!v || !fe_is_data(v) || !v->rank || (keep && !fe_truth(keep, &truth)) || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "np.%s needs an array", b->name);
    if (type_is_complex(v->type))
        return fe_unsupported(f, a->node, "np.%s of complex numbers", b->name);
    f->wish = NULL;
    v = fe_materialize(f, a->node, v, "tmp");
    const struct value *mean = v ? fe_reduce(f, a->node, v, REDUCE_MEAN, axis, true, NULL, NULL) : NULL;
    const struct value *d = mean ? fe_binary(f, a->node, PY_SUB, v, mean) : NULL;
    d = d ? fe_binary(f, a->node, PY_MULT, d, d) : NULL;
    const struct value *sum = d ? fe_reduce(f, a->node, d, REDUCE_SUM, axis, truth, NULL, NULL) : NULL;
    if (!sum || !axes_of(f, a->node, v, axis, reduced))
        return NULL;
    const struct value *count = fe_int(f, 1);
    for (uint32_t i = 0; i < v->rank; i++)
        count = reduced[i] ? fe_binary(f, a->node, PY_MULT, count, fe_symbol(f, v->shape[i])) : count;
    count = ddof ? fe_binary(f, a->node, PY_SUB, count, ddof) : count;
    sum = count ? fe_binary(f, a->node, PY_DIV, sum, count) : NULL;
    return sum && b->format ? fe_apply(f, a->node, fe_own_type(f, sum), b->format, 1, &sum) : sum;
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
    bool binary = b->call == fn_operator ? b->kind != PY_USUB && b->kind != PY_UADD && b->kind != PY_INVERT
                                         : b->call == fn_binary || b->call == fn_extreme;
    if (binary && (strcmp(method, "accumulate") == 0 || strcmp(method, "reduce") == 0)) {
        struct value *function = fe_new(f, FE_BUILTIN);
        function->builtin = b;
        fe_prepend(f, a, function);
        return fe_library(f, method, a);
    }
    return fe_unsupported(f, a->node, "'np.%s.%s'", b->name, method);
}

/* ---- products ---- */

static struct node *wired(struct fe *f, struct state *st, const struct fe_wire *w)
{
    if (w->descriptor) {
        struct access *a = build_access(st, w->descriptor);
        fe_mark(f, &a->node.place);
        return &a->node;
    }
    return fe_access(f, st, w->value->view.container, w->out);
}

void fe_wired_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                   const struct fe_wire *wires)
{
    if (f->dry)
        return;
    struct state *st = fe_state(f, label);
    struct text in = text_new(f->arena), out = text_new(f->arena);
    for (uint32_t i = 0; i < count; i++) {
        struct text *t = wires[i].out ? &out : &in;
        text_printf(t, "%s%s", t->length ? ", " : "", wires[i].connector);
    }
    struct library *l = build_library(st, label, path, text_get(&in), text_get(&out), attributes);
    fe_mark(f, &l->node.place);
    for (uint32_t i = 0; i < count; i++) {
        const struct fe_wire *w = &wires[i];
        const char *region = w->descriptor ? w->descriptor : fe_region(f, w->value, w->out);
        if (w->out)
            build_edge(&l->node, w->connector, wired(f, st, w), NULL, region, NULL);
        else
            build_edge(wired(f, st, w), NULL, &l->node, w->connector, region, NULL);
    }
}

void fe_library_node(struct fe *f, const char *label, const char *path, const char *attributes, uint32_t count,
                     const char *const *connectors, const struct value *const *values)
{
    struct fe_wire *wires = NEW_ARRAY(f->arena, struct fe_wire, count);
    for (uint32_t i = 0; i < count; i++)
        wires[i] = (struct fe_wire){ connectors[i], values[i], NULL, i + 1 == count };
    fe_wired_node(f, label, path, attributes, count, wires);
}

static bool product_shape(struct fe *f, const struct py *n, const struct value *a, const struct value *b,
                          const struct sym **shape, uint32_t *rank)
{
    const struct sym *ka = a->shape[a->rank - 1], *kb = b->shape[b->rank > 1 ? b->rank - 2 : 0];
    const char *said = fe_format(f, "product of %s and %s: %s and %s do not match", fe_describe(f, a),
                                 fe_describe(f, b), fe_text(f, ka), fe_text(f, kb));
    if (!fe_require_same(f, n, ka, kb, said))
        return false;
    uint32_t ra = a->rank > 2 ? a->rank - 2 : 0, rb = b->rank > 2 ? b->rank - 2 : 0, r = ra > rb ? ra : rb;
    *rank = 0;
    for (uint32_t i = 0; i < r; i++) {
        const struct sym *x = i + ra >= r ? a->shape[i + ra - r] : NULL, *y = i + rb >= r ? b->shape[i + rb - r] : NULL;
        if (x && y && !sym_is_int(x, 1) && !sym_is_int(y, 1) &&
            !fe_require_same(f, n, x, y, fe_format(f, "product of %s and %s", fe_describe(f, a), fe_describe(f, b))))
            return false;
        shape[(*rank)++] = !x || (y && sym_is_int(x, 1)) ? y : x;
    }
    if (a->rank > 1)
        shape[(*rank)++] = a->shape[a->rank - 2];
    if (b->rank > 1)
        shape[(*rank)++] = b->shape[b->rank - 1];
    return true;
}

const struct value *fe_matmul(struct fe *f, const struct py *n, const struct value *a, const struct value *b)
{
    const struct sym *shape[2 * FE_MAX_RANK] = { 0 };
    uint32_t rank;
    if (!fe_is_data(a) || !fe_is_data(b) || !a->rank || !b->rank)
        return fe_error(f, n, "operator @ between %s and %s", fe_describe(f, a), fe_describe(f, b));
    const char *wish = f->wish ? f->wish : "product";
    f->wish = NULL;
    const struct type *t = fe_promote(f, a->type, b->type);
    if (!product_shape(f, n, a, b, shape, &rank))
        return NULL;
    a = fe_plain(f, n, fe_cast(f, n, t, a), "left");
    b = a ? fe_plain(f, n, fe_cast(f, n, t, b), "right") : NULL;
    if (!b)
        return NULL;
    bool scalar = rank == 0;
    if (scalar)
        shape[rank++] = sym_int(f->ir, 1);
    const struct value *to = fe_whole(f, fe_container(f, wish, t, shape, rank));
    const char *connectors[3] = { "_a", "_b", "_c" };
    const struct value *values[3] = { a, b, to };
    fe_library_node(f, "matmul", "dace.libraries.blas.nodes.matmul.MatMul", NULL, 3, connectors, values);
    f->emitted++;
    return scalar ? fe_subscript(f, n, to, fe_int(f, 0)) : to;
}

const struct value *fn_matmul(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (a->count < 2 || a->count > 3)
        return fe_error(f, a->node, "np.%s needs two arrays", b->name);
    const struct value *out = fe_arg(a, 2, "out"), *x = a->items[0], *y = a->items[1];
    bool dot = strcmp(b->name, "dot") == 0;
    if (!fe_args_done(f, a, 3))
        return NULL;
    if (dot && (!fe_is_data(x) || !x->rank || !fe_is_data(y) || !y->rank))
        return fe_binary(f, a->node, PY_MULT, x, y);
    if (dot && y->rank > 2)
        return fe_unsupported(f, a->node, "np.dot of more than two dimensions: use np.matmul");
    const struct value *v = fe_matmul(f, a->node, x, y);
    if (!v || !out)
        return v;
    return out->kind == FE_VIEW && fe_store(f, a->node, out, v, NULL) ? out
                                                                      : fe_error(f, a->node, "'out' must be an array");
}

const struct value *fn_outer(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct fe_builtin *multiply = fe_builtin_find("numpy", "multiply");
    return outer(f, multiply, a);
}

static const struct value *matrix(struct fe *f, const struct py *n, const struct value *v, bool vector)
{
    if (!v || !fe_is_data(v) || (v->rank != 2 && !(vector && v->rank == 1)))
        return fe_error(f, n, "a matrix is needed here, this is %s", v ? fe_describe(f, v) : "nothing");
    if (fe_is_int_type(v->type))
        v = fe_cast(f, n, type_basic(f->ir, TYPE_F64), v);
    v = v ? fe_plain(f, n, v, "matrix") : NULL;
    bool part = v && v->view.container->rank != v->rank; /* a region of more dimensions, as of a row */
    return part ? fe_copy(f, n, v, "matrix") : v;
}

const struct value *fn_solve(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    const struct value *x = matrix(f, a->node, fe_arg(a, 0, "a"), false),
                       *y = x ? matrix(f, a->node, fe_arg(a, 1, "b"), true) : NULL;
    if (!y || !fe_args_done(f, a, 2))
        return NULL;
    if (x->type != y->type)
        return fe_unsupported(f, a->node, "np.linalg.solve of %s and %s", fe_describe(f, x), fe_describe(f, y));
    const struct value *to = fe_whole(f, fe_container(f, f->wish ? f->wish : "solved", y->type, y->shape, y->rank));
    const char *connectors[3] = { "_ain", "_bin", "_bout" };
    const struct value *values[3] = { x, y, to };
    fe_library_node(f, "solve", "dace.libraries.linalg.nodes.solve.Solve", NULL, 3, connectors, values);
    return to;
}

static const struct value *of_matrix(struct fe *f, struct fe_args *a, const char *label, const char *path,
                                     const char *in, const char *out)
{
    const struct value *x = matrix(f, a->node, fe_arg(a, 0, "a"), false);
    if (!x || !fe_args_done(f, a, 1))
        return NULL;
    const struct value *to = fe_whole(f, fe_container(f, f->wish ? f->wish : label, x->type, x->shape, x->rank));
    const char *connectors[2] = { in, out };
    const struct value *values[2] = { x, to };
    fe_library_node(f, label, path, NULL, 2, connectors, values);
    return to;
}

const struct value *fn_cholesky(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return of_matrix(f, a, b->name, "dace.libraries.linalg.nodes.cholesky.Cholesky", "_a", "_b");
}

const struct value *fn_inv(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    return of_matrix(f, a, b->name, "dace.libraries.linalg.nodes.inv.Inv", "_ain", "_aout");
}
