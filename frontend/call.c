/* Calls: functions of the file are lowered in place, with their own names; symbols of their annotations are solved from
 * the shapes of the arguments. */
#include "frontend/functions.h"

#include <string.h>

const struct value *fe_arg(struct fe_args *a, uint32_t position, const char *name)
{
    for (uint32_t i = 0; i < a->num_names; i++)
        if (name && strcmp(a->names[i], name) == 0) {
            a->used |= 1u << (i % 32);
            return a->values[i];
        }
    return position < a->count ? a->items[position] : NULL;
}

bool fe_args_done(struct fe *f, struct fe_args *a, uint32_t most)
{
    if (a->count > most)
        return fe_error(f, a->node, "%u arguments, at most %u are possible", a->count, most) != NULL;
    for (uint32_t i = 0; i < a->num_names; i++)
        if (!(a->used >> (i % 32) & 1))
            return fe_unsupported(f, a->node, "argument '%s' of this function", a->names[i]) != NULL;
    return true;
}

/* ---- calls ---- */

static bool arguments(struct fe *f, const struct py *n, struct fe_args *a)
{
    VEC(const struct value *) items = { 0 }, values = { 0 };
    VEC(const char *) names = { 0 };
    for (uint32_t i = 0; i < n->call.args.count; i++) {
        const struct py *e = n->call.args.items[i];
        const struct value *v = fe_eval(f, e->kind == PY_STARRED ? e->starred.value : e);
        if (!v)
            return false;
        if (e->kind == PY_STARRED && v->kind != FE_TUPLE)
            return fe_error(f, e, "only a tuple or list can be unpacked here") != NULL;
        for (uint32_t k = 0; k < (e->kind == PY_STARRED ? v->count : 1); k++)
            vec_push(f->arena, &items, e->kind == PY_STARRED ? v->items[k] : v);
    }
    for (uint32_t i = 0; i < n->call.keywords.count; i++) {
        const struct py *k = n->call.keywords.items[i];
        const struct value *v = fe_eval(f, k->keyword.value);
        if (!v)
            return false;
        if (!k->keyword.arg && v->kind != FE_DICT)
            return fe_error(f, k, "only a dictionary can be unpacked here, this is %s", fe_describe(f, v)) != NULL;
        for (uint32_t d = 0; !k->keyword.arg && d + 1 < v->count; d += 2) {
            if (v->items[d]->kind != FE_STRING)
                return fe_error(f, k, "the keys of this dictionary must be strings") != NULL;
            vec_push(f->arena, &names, v->items[d]->text);
            vec_push(f->arena, &values, v->items[d + 1]);
        }
        if (k->keyword.arg) {
            vec_push(f->arena, &names, k->keyword.arg);
            vec_push(f->arena, &values, v);
        }
        if (names.count > 32)
            return fe_unsupported(f, k, "more than 32 keywords") != NULL;
    }
    *a = (struct fe_args){ .node = n,
                           .items = items.items,
                           .count = items.count,
                           .names = names.items,
                           .values = values.items,
                           .num_names = names.count };
    return true;
}

/* Of a method: the object comes first. */
void fe_prepend(struct fe *f, struct fe_args *a, const struct value *self)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, a->count + 1);
    items[0] = self;
    for (uint32_t i = 0; i < a->count; i++)
        items[i + 1] = a->items[i];
    a->items = items;
    a->count++;
}

/* The type that the name has been given, or anything. */
static const struct value *wanted_of_name(struct fe *f, const char *name)
{
    for (uint32_t i = 0; i < f->scope->declared.count; i++)
        if (f->scope->declared.items[i].name == name)
            return f->scope->declared.items[i].value;
    const struct fe_binding *b =
        f->dace ? fe_find(f->scope, name) : NULL; /* in DaCe's dialect names keep their types */
    const struct value *v = b ? b->value : NULL;
    if (v && fe_is_number(v)) {
        struct value *type = fe_new(f, FE_TYPE);
        type->type = fe_own_type(f, v);
        return type;
    }
    return v && fe_is_data(v) ? v : fe_new(f, FE_ELLIPSIS);
}

/* What a call that is the value of a statement must give: the views that it is stored in, where they are elements. */
static const struct value *wanted_of(struct fe *f, const struct py *target)
{
    if (target->kind == PY_SUBSCRIPT)
        return fe_eval(f, target);
    if (target->kind != PY_TUPLE)
        return target->kind == PY_NAME ? wanted_of_name(f, target->name.id) : fe_new(f, FE_ELLIPSIS);
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, target->tuple.elts.count + 1);
    for (uint32_t i = 0; i < target->tuple.elts.count; i++)
        if (!(items[i] = wanted_of(f, target->tuple.elts.items[i])))
            return NULL;
    return fe_tuple(f, items, target->tuple.elts.count);
}

static const struct value *callee_of(struct fe *f, const struct py *n)
{
    if (n->kind != PY_ATTRIBUTE)
        return fe_eval_lazy(f, n);
    const struct value *v = fe_eval_lazy(f, n->attribute.value);
    return v && v->kind == FE_PYOBJECT ? fe_object_method(f, n, v, n->attribute.attr)
                                       : fe_attribute(f, n, v, n->attribute.attr);
}

const struct value *fe_call(struct fe *f, const struct py *n)
{
    const struct value *wanted = f->wanted;
    const struct py *target = f->target;
    f->wanted = NULL;
    f->target = NULL;
    const struct value *callee = callee_of(f, n->call.func);
    struct fe_args a;
    bool inlines = callee && callee->kind == FE_BUILTIN && callee->builtin->call == fn_inline;
    f->inlining += inlines;
    bool good = callee && arguments(f, n, &a);
    f->inlining -= inlines;
    if (!good)
        return NULL;
    bool live = callee->kind == FE_OBJECT || (callee->kind == FE_FUNCTION && callee->function->id);
    if (live && target && !wanted && !(wanted = wanted_of(f, target)))
        return NULL;
    a.wanted = wanted;
    a.target = target;
    return fe_call_value(f, n, callee, &a);
}

/* Whether the function compiles with these arguments, which is found out without building; decided once, as what it
 * does not accept mostly lies in its text. */
static bool compiles(struct fe *f, struct fe_function *fn, const struct fe_args *a)
{
    if (fn->verdict != FE_UNTRIED)
        return fn->verdict != FE_REFUSED;
    struct fe_args copy = *a;
    struct fe_trial t = fe_trial_begin(f, fn->scope->host);
    fn->verdict = FE_TRYING;
    bool good = fe_call_function_value(f, fn, &copy) && !f->failed;
    fn->why = good ? NULL : fe_reason(f, t.errors);
    fe_trial_end(f, &t, good);
    /* What needs an order may compile where there is one. */
    fn->verdict = good ? FE_COMPILES : t.ordered ? FE_UNTRIED : FE_REFUSED;
    return good;
}

static const struct value *call_live(struct fe *f, const struct py *n, const struct value *callee, struct fe_args *a)
{
    struct fe_function *fn = (struct fe_function *)callee->function;
    struct fe_host *h = fn->scope->host;
    bool fixed = fn->strict || !h->callback || f->nesting >= FE_MAX_CALLS;
    struct fe_args whole = *a;
    if (callee->self)
        fe_prepend(f, &whole, callee->self);
    f->said = false;
    struct fe_callee c = { fn->id, callee->self ? callee->self->object->id : 0, fn->node->function.name, NULL };
    const struct value *computed = h->compute ? h->compute(h, n, &c, &whole) : NULL;
    if (computed || f->said)
        return computed;
    if (fixed || compiles(f, fn, &whole))
        return fe_call_function_value(f, fn, &whole);
    c.why = fn->why;
    return h->callback(h, n, &c, a);
}

/* What functions get of lists whose length the run decides; a new array where NumPy makes one. */
static bool lists_as_arrays(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value **items = NULL;
    bool python = strcmp(b->module, "builtins") == 0;
    if (python && (strcmp(b->name, "isinstance") == 0 || strcmp(b->name, "list") == 0))
        return true;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!fe_is_list(a->items[i]))
            continue;
        items = items ? items : arena_copy(f->arena, a->items, a->count * sizeof *items);
        items[i] = python ? fe_as_elements(f, items[i]) : fe_copy(f, a->node, items[i], "array");
        if (!items[i])
            return false;
    }
    a->items = items ? items : a->items;
    return true;
}

const struct value *fe_call_value(struct fe *f, const struct py *n, const struct value *callee, struct fe_args *a)
{
    switch (callee->kind) {
    case FE_TYPE:
        if (a->count != 1 || a->num_names)
            return fe_error(f, n, "a type converts one value");
        return fe_cast(f, n, callee->type, a->items[0]);
    case FE_FUNCTION:
        if (!f->level)
            return fe_unsupported(f, n, "a call of a function of the file outside of a program");
        if (callee->function->id && callee->function->node->kind == PY_FUNCTION_DEF)
            return call_live(f, n, callee, a);
        if (callee->self)
            fe_prepend(f, a, callee->self);
        return fe_call_function_value(f, callee->function, a);
    case FE_CLASS:
        return fe_new_record(f, callee, a);
    case FE_OBJECT:
        if (callee->self)
            fe_prepend(f, a, callee->self);
        return callee->object->host->call(callee->object->host, n, callee, a);
    case FE_BUILTIN:
        if (callee->self && callee->self->kind == FE_STRING)
            return fe_ufunc_method(f, callee->builtin, callee->self->text, a);
        if (callee->self)
            fe_prepend(f, a, callee->self);
        return lists_as_arrays(f, callee->builtin, a) ? callee->builtin->call(f, callee->builtin, a) : NULL;
    default:
        return fe_raise(f, n, "TypeError", "%s cannot be called", fe_describe(f, callee));
    }
}
