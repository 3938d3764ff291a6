/* Functions of the program are lowered where they are called. */
#include "frontend/lower.h"

#include <string.h>

/* ---- parameters ---- */

struct formal {
    const char *name;
    const struct py *annotation, *standard;
    uint32_t position; /* of the standard value: those of positional parameters, then those of keywords */
    bool keyword;
};

static const struct py *arguments_of(const struct py *n)
{
    return n->kind == PY_LAMBDA ? n->lambda.args : n->function.args;
}

static bool formals_of(struct fe *f, const struct py *n, struct formal *out, uint32_t *count)
{
    const struct py *args = arguments_of(n);
    const struct py_list *lists[3] = { &args->arguments.posonlyargs, &args->arguments.args,
                                       &args->arguments.kwonlyargs };
    const struct py_list *defaults = &args->arguments.defaults;
    uint32_t positional = lists[0]->count + lists[1]->count;
    *count = 0;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k]->count; i++) {
            const struct py *a = lists[k]->items[i];
            uint32_t at = *count;
            if (at == 255)
                return fe_unsupported(f, a, "more than 255 parameters") != NULL;
            out[at] = (struct formal){ .name = a->arg.arg, .annotation = a->arg.annotation, .keyword = k == 2 };
            if (k < 2 && at + defaults->count >= positional) {
                out[at].position = at + defaults->count - positional;
                out[at].standard = defaults->items[out[at].position];
            }
            if (k == 2) {
                out[at].position = defaults->count + i;
                out[at].standard = args->arguments.kw_defaults.items[i];
            }
            ++*count;
        }
    return true;
}

static bool is_compiletime(const struct value *v)
{
    return v->kind == FE_BUILTIN && strcmp(v->builtin->name, "compiletime") == 0;
}

/* An annotation as it is written, with the symbols of its module; NULL without error: it says nothing. */
static bool annotation_value(struct fe *f, const struct fe_function *fn, const struct py *n, const struct value **out)
{
    struct fe_scope *kept = f->scope;
    const struct fe_source *source = f->source;
    bool raw = f->raw, failed = f->failed;
    uint32_t before = diags_count(f->ir->diags);
    *out = NULL;
    if (!n || (n->kind == PY_CONSTANT && n->constant.value.kind == PY_STRING))
        return true;
    f->scope = fn->scope;
    f->source = fn->source;
    f->raw = true;
    const struct value *v = fe_eval(f, n);
    f->scope = kept;
    f->source = source;
    f->raw = raw;
    if (!v && fn->id) { /* its names are those of where the function was defined, which are gone */
        diags_reset(f->ir->diags, before);
        f->failed = failed;
        f->said = false;
        return true;
    }
    if (v && (v->kind == FE_TYPE || v->kind == FE_DESC || is_compiletime(v)))
        *out = v;
    return v != NULL;
}

/* ---- symbols from shapes ---- */

static bool is_bound(const struct fe_scope *s, const char *name)
{
    return fe_has_name(s->symbols.items, s->symbols.count, name);
}

struct bound_names {
    struct fe *f;
    const struct fe_scope *scope;
};

static const struct sym *bound_value(void *user, const struct sym *name)
{
    const struct bound_names *b = user;
    for (uint32_t i = 0; i < b->scope->symbols.count; i++)
        if (b->scope->symbols.items[i] == name->name)
            return fe_sym(b->f, b->scope->symbol_values.items[i]);
    return NULL;
}

struct unbound {
    const struct fe_scope *scope;
    const char *name;
    bool several;
};

static void find_unbound(void *user, const struct sym *name)
{
    struct unbound *u = user;
    if (is_bound(u->scope, name->name) || u->name == name->name)
        return;
    u->several |= u->name != NULL;
    u->name = name->name;
}

static const struct sym *known(struct fe *f, struct fe_scope *s, const struct sym *dim)
{
    struct bound_names b = { f, s };
    return sym_substitute(f->ir, dim, bound_value, &b);
}

static void solve_dim(struct fe *f, struct fe_scope *s, const struct sym *dim, const struct sym *actual)
{
    struct unbound u = { .scope = s };
    const struct sym *factor, *rest;
    sym_visit_names(dim, find_unbound, &u);
    if (!u.name || u.several || !sym_linear_in(f->ir, dim, u.name, &factor, &rest))
        return;
    if (!sym_is_int(factor, 1))
        return;
    vec_push(f->arena, &s->symbols, u.name);
    vec_push(f->arena, &s->symbol_values, fe_symbol(f, sym_sub(f->ir, actual, known(f, s, rest))));
}

/* ---- in place ---- */

static const struct value *bind_argument(struct fe *f, const struct fe_args *a, const struct formal *p,
                                         const struct value *type, const struct value *v, bool strict)
{
    if (type && is_compiletime(type)) {
        bool known = !fe_is_data(v) && v->kind != FE_PYOBJECT;
        return known
                   ? v
                   : fe_error(f, a->node, "argument '%s' is a constant (compiletime), but %s is known at run time only",
                              p->name, fe_describe(f, v));
    }
    if (!type || (!fe_is_operand(v)))
        return fe_is_data(v) ? fe_materialize(f, a->node, v, p->name) : v;
    if (type->kind == FE_TYPE) {
        if (fe_is_data(v) && v->rank > 0) {
            const struct value *s = v->kind == FE_VIEW ? fe_squeeze(f, v) : v;
            if (s->rank)
                return fe_error(f, a->node, "argument '%s' is %s, but a scalar is expected", p->name,
                                fe_describe(f, v));
            v = s;
        }
        if (v->kind == FE_SYMBOL && fe_is_int_type(type->type))
            return v;
        v = fe_cast(f, a->node, type->type, v);
        bool fixed =
            !v || fe_is_number(v) || (v->kind == FE_VIEW && v->view.container->scalar && !v->view.container->storage);
        return fixed ? v : fe_copy(f, a->node, v, p->name);
    }
    if (!fe_is_data(v) || v->rank != type->rank)
        return fe_error(f, a->node, "argument '%s' is %s, but %s is expected", p->name, fe_describe(f, v),
                        fe_format(f, "an array of %u dimensions", type->rank));
    if (v->type != type->type)
        return fe_error(f, a->node, "argument '%s' is %s, but elements of %s are expected", p->name, fe_describe(f, v),
                        type_text(f->ir, type->type));
    for (uint32_t i = 0; i < v->rank; i++)
        if (strict && v->shape[i]->op == SYM_INT && type->shape[i]->op == SYM_INT && v->shape[i] != type->shape[i])
            return fe_raise(f, a->node, "IndexError",
                            "argument '%s' is %s, but %s elements are expected in dimension %u", p->name,
                            fe_describe(f, v), fe_text(f, type->shape[i]), i);
    return fe_materialize(f, a->node, v, p->name);
}

static const char *name_of(const struct fe_function *fn)
{
    return fn->node->kind == PY_LAMBDA ? "lambda" : fn->node->function.name;
}

/* Whether a keyword is the name of a symbol: one of the program, or one that the function sees under its own name. */
static bool is_symbol_of(struct fe *f, const struct fe_function *fn, const char *name)
{
    if (map_has(&f->symbol_types, name))
        return true;
    struct fe_host *host = fn->id ? fn->scope->host : NULL;
    bool raw = f->raw;
    f->raw = true;
    const struct value *v = host ? host->lookup(host, fn->node, name) : NULL;
    f->raw = raw;
    return v && v->kind == FE_SYMBOL && v->sym->op == SYM_NAME && v->sym->name == name;
}

/* Keywords that no parameter has: symbols of the function, or elements of `**name`. */
static bool bind_others(struct fe *f, const struct fe_function *fn, struct fe_args *a, struct fe_scope *inner)
{
    const struct py *rest = arguments_of(fn->node)->arguments.kwarg;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, 2 * a->num_names + 1);
    struct value *all = fe_new(f, FE_DICT);
    for (uint32_t i = 0; i < a->num_names; i++) {
        if (a->used >> (i % 32) & 1)
            continue;
        const char *name = intern(f->ir->names, a->names[i]);
        if (rest) {
            items[all->count++] = fe_string(f, name);
            items[all->count++] = a->values[i];
            continue;
        }
        if (!is_symbol_of(f, fn, name))
            return fe_raise(f, a->node, "TypeError", "'%s' has no parameter '%s'", name_of(fn), a->names[i]) != NULL;
        vec_push(f->arena, &inner->symbols, name);
        vec_push(f->arena, &inner->symbol_values, a->values[i]);
    }
    all->items = items;
    if (rest)
        fe_bind(f, inner, rest->arg.arg, all);
    return true;
}

/* `*name`: what is given by position behind the parameters. */
static bool bind_rest(struct fe *f, const struct fe_function *fn, struct fe_args *a, uint32_t positional,
                      struct fe_scope *inner)
{
    const struct py *rest = arguments_of(fn->node)->arguments.vararg;
    uint32_t more = a->count > positional ? a->count - positional : 0;
    if (!rest)
        return !more || fe_error(f, a->node, "%u arguments for %u parameters of '%s'", a->count, positional,
                                 name_of(fn)) != NULL;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, more + 1);
    for (uint32_t i = 0; i < more; i++) {
        const struct value *v = a->items[positional + i];
        if (!(items[i] = fe_is_data(v) ? fe_materialize(f, a->node, v, rest->arg.arg) : v))
            return false;
    }
    fe_bind(f, inner, rest->arg.arg, fe_tuple(f, items, more));
    return true;
}

/* What the parameter is if it is not given. Python has evaluated that where the function was defined: of a live one it
 * is an object, which calls share. */
static const struct value *standard_value(struct fe *f, const struct fe_function *fn, const struct formal *p)
{
    struct fe_scope *kept = f->scope;
    const struct fe_source *source = f->source;
    const struct value *v;
    f->scope = fn->scope;
    f->source = fn->source;
    if (fn->id && p->standard->kind != PY_CONSTANT) {
        struct value *object = fe_new(f, FE_OBJECT);
        struct fe_object *made = NEW(f->arena, struct fe_object);
        *made = (struct fe_object){ .host = fn->scope->host, .id = fn->id, .path = name_of(fn), .what = "a function" };
        object->object = made;
        v = fe_attribute(f, p->standard, object, p->keyword ? "__kwdefaults__" : "__defaults__");
        v = v ? fe_subscript(f, p->standard, v, p->keyword ? fe_string(f, p->name) : fe_int(f, p->position)) : NULL;
    } else {
        v = fn->defaults ? fn->defaults[p->position] : fe_eval(f, p->standard);
    }
    f->scope = kept;
    f->source = source;
    return v;
}

static bool bind_arguments(struct fe *f, const struct fe_function *fn, struct fe_args *a, struct fe_scope *inner)
{
    struct formal formals[256];
    const struct value *given[256] = { 0 }, *types[256] = { 0 };
    uint32_t count;
    const struct fe_source *caller = f->source;
    f->source = fn->source;
    bool accepted = formals_of(f, fn->node, formals, &count);
    f->source = caller;
    if (!accepted)
        return false;
    const struct py *args = arguments_of(fn->node);
    uint32_t positional = args->arguments.posonlyargs.count + args->arguments.args.count;
    for (uint32_t i = 0; i < count; i++) {
        given[i] = fe_arg(a, i < positional ? i : UINT32_MAX, formals[i].name);
        if (fn->node->kind == PY_FUNCTION_DEF && !annotation_value(f, fn, formals[i].annotation, &types[i]))
            return false;
        if (given[i] && types[i] && types[i]->kind == FE_DESC && f->dace && fe_is_data(given[i]) &&
            given[i]->rank != types[i]->rank) {
            const struct value *v = fe_materialize(f, a->node, given[i], formals[i].name);
            const struct value *s = v ? fe_squeeze(f, v) : NULL;
            given[i] = s && s->rank == types[i]->rank ? s : given[i];
        }
    }
    if (!bind_rest(f, fn, a, positional, inner) || !bind_others(f, fn, a, inner))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++)
            if (given[i] && types[i] && types[i]->kind == FE_DESC && fe_is_data(given[i]) &&
                given[i]->rank == types[i]->rank)
                for (uint32_t d = 0; d < types[i]->rank; d++)
                    solve_dim(f, inner, types[i]->shape[d], given[i]->shape[d]);
    for (uint32_t i = 0; i < count; i++) {
        const struct value *v = given[i];
        if (!v && formals[i].standard) {
            v = standard_value(f, fn, &formals[i]);
        } else if (!v) {
            return fe_raise(f, a->node, "TypeError", "argument '%s' of '%s' is missing", formals[i].name,
                            name_of(fn)) != NULL;
        }
        v = v ? bind_argument(f, a, &formals[i], types[i], v, fn->strict) : NULL;
        if (!v)
            return false;
        fe_bind(f, inner, formals[i].name, v);
        f->source = fn->source;
        fe_typed(f, fn->node, formals[i].name, v);
        f->source = caller;
    }
    return true;
}

/* In DaCe's dialect an annotation of the result is its type. */
static const struct value *typed_result(struct fe *f, const struct fe_function *fn, const struct py *n,
                                        const struct value *v)
{
    const struct value *type = NULL;
    bool single = v && (fe_is_number(v) || v->kind == FE_SYMBOL || (fe_is_data(v) && v->rank == 0));
    if (!single || !f->dace || fn->node->kind != PY_FUNCTION_DEF)
        return v;
    if (!annotation_value(f, fn, fn->node->function.returns, &type))
        return NULL;
    return type && type->kind == FE_TYPE ? fe_cast(f, n, type->type, v) : v;
}

static const struct value *named_result(struct fe *f, const struct py *n, struct fe_scope *inner, const char *name)
{
    struct fe_binding *b = fe_find(inner, name);
    if (b && !b->value && b->gone)
        return b->gone == fe_wrong ? NULL : fe_unsupported(f, n, "a call whose value %s", b->gone);
    return b && b->value ? b->value : fe_none(f);
}

/* What the function returned under the name (fe_return_statement). */
static const struct value *result_of(struct fe *f, const struct py *n, struct fe_scope *inner, const char *name)
{
    const struct value *v = named_result(f, n, inner, name);
    if (!v || v->kind != FE_TUPLE || !v->lazy || !v->count || v->items[0]->kind != FE_STRING)
        return v;
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->count);
    for (uint32_t i = 0; i < v->count; i++)
        if (!(items[i] = result_of(f, n, inner, v->items[i]->text)))
            return NULL;
    return fe_tuple(f, items, v->count);
}

const struct value *fe_call_function_value(struct fe *f, const struct fe_function *fn, struct fe_args *a)
{
    for (uint32_t i = 0; i < f->calls.count; i++)
        if (f->calls.items[i] == fn)
            return fe_unsupported(f, a->node, "recursion");
    if (++f->nesting > FE_MAX_CALLS)
        return fe_unsupported(f, a->node, "more than %d calls inside each other", FE_MAX_CALLS);
    struct fe_scope *inner = NEW(f->arena, struct fe_scope), *outer = f->scope;
    inner->outer = fn->scope;
    inner->caller = f->scope;
    inner->body = fn->node->kind == PY_FUNCTION_DEF ? fn->node : NULL;
    if (!bind_arguments(f, fn, a, inner))
        return NULL;
    struct fe_return returns = { .inlined = true }, *kept = f->returns;
    struct place place = f->place;
    const struct fe_source *source = f->source;
    uint32_t loops = f->loops, map_loops = f->map_loops, function_managers = f->function_managers,
             loop_managers = f->loop_managers, unroll = f->unroll;
    bool ended = f->ended, good;
    const struct value *v = NULL;
    if (fn->node->kind == PY_FUNCTION_DEF) { /* a lambda belongs to the function around it */
        vec_push(f->arena, &f->calls, fn);
        f->unroll = fn->unroll;
    }
    f->scope = inner;
    f->source = fn->source;
    f->returns = &returns;
    f->loops = f->map_loops = 0;
    f->function_managers = f->loop_managers = f->managers.count;
    if (fn->node->kind == PY_LAMBDA) {
        v = fe_eval(f, fn->node->lambda.body);
        good = v != NULL;
    } else {
        good = fe_block(f, &fn->node->function.body);
        v = good ? typed_result(f, fn, a->node, result_of(f, a->node, inner, intern(f->ir->names, "__result"))) : NULL;
        good = v != NULL;
    }
    f->calls.count -= fn->node->kind == PY_FUNCTION_DEF;
    f->scope = outer;
    f->source = source;
    f->returns = kept;
    f->loops = loops;
    f->map_loops = map_loops;
    f->unroll = unroll;
    f->function_managers = function_managers;
    f->loop_managers = loop_managers;
    f->nesting--;
    f->ended = ended;
    f->place = place;
    return good ? v : NULL;
}
