/* reduce and elementwise of the module dace: a function of the program on the elements of an array. */
#include "frontend/functions.h"

#include <string.h>

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
    struct fe_accumulation how = { wcr, NULL, identity && identity->kind != FE_NONE ? identity : out };
    if (!how.initial)
        return fe_unsupported(f, a->node,
                              "dace.reduce with another lambda than +, *, max or min and without an identity");
    if (!v || !fe_is_data(v) || !v->rank || !fe_reduced_axes(f, a->node, v, axis, reduced))
        return f->failed ? NULL : fe_error(f, a->node, "dace.reduce needs an array");
    const struct value *r = fe_accumulate(f, a->node, v, reduced, &how);
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
