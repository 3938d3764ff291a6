/* Expressions. */
#include "frontend/lower.h"

#include <string.h>

/* ---- displays ---- */

static const struct value *constant(struct fe *f, const struct py *n)
{
    const struct py_value *v = &n->constant.value;
    switch (v->kind) {
    case PY_NONE:
        return fe_none(f);
    case PY_TRUE:
    case PY_FALSE:
        return fe_bool(f, v->kind == PY_TRUE);
    case PY_ELLIPSIS:
        return fe_new(f, FE_ELLIPSIS);
    case PY_INT:
        if (v->big || v->u > INT64_MAX)
            return fe_unsupported(f, n, "an integer of more than 64 bits");
        return fe_int(f, (int64_t)v->u);
    case PY_FLOAT:
        return fe_float(f, v->f);
    case PY_IMAG:
        return fe_complex(f, 0, v->f);
    case PY_STRING:
        return fe_string(f, v->text);
    default:
        return fe_unsupported(f, n, "a byte string");
    }
}

static const struct value *display(struct fe *f, const struct py_list *elts)
{
    VEC(const struct value *) items = { 0 };
    for (uint32_t i = 0; i < elts->count; i++) {
        const struct py *e = elts->items[i];
        const struct value *v = fe_eval_index(f, e->kind == PY_STARRED ? e->starred.value : e);
        if (!v)
            return NULL;
        if (e->kind == PY_STARRED && v->kind != FE_TUPLE)
            return fe_error(f, e, "only a tuple or list can be unpacked here, this is %s", fe_describe(f, v));
        for (uint32_t k = 0; k < (e->kind == PY_STARRED ? v->count : 1); k++)
            vec_push(f->arena, &items, e->kind == PY_STARRED ? v->items[k] : v);
    }
    return fe_tuple(f, items.items, items.count);
}

static const struct value *dictionary(struct fe *f, const struct py *n)
{
    struct value *d = fe_new(f, FE_DICT);
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, 2 * n->dict.keys.count + 1);
    for (uint32_t i = 0; i < n->dict.keys.count; i++) {
        if (!n->dict.keys.items[i])
            return fe_unsupported(f, n->dict.values.items[i], "unpacking a dictionary");
        items[2 * i] = fe_eval(f, n->dict.keys.items[i]);
        items[2 * i + 1] = fe_eval(f, n->dict.values.items[i]);
        if (!items[2 * i] || !items[2 * i + 1])
            return NULL;
    }
    d->items = items;
    d->count = 2 * n->dict.keys.count;
    d->depth = f->depth;
    return d;
}

/* ---- operators ---- */

static bool has_subscript(void *user, struct py *n)
{
    *(bool *)user |= n->kind == PY_SUBSCRIPT || n->kind == PY_CALL;
    return true;
}

/* a and b: b is not computed where a decides. */
static const struct value *boolean(struct fe *f, const struct py *n)
{
    bool is_and = n->bool_op.op == PY_AND, truth;
    struct fe_known known = fe_known(f);
    const struct value *v = fe_eval(f, n->bool_op.values.items[0]);
    for (uint32_t i = 1; i < n->bool_op.values.count && v; i++) {
        const struct py *next = n->bool_op.values.items[i];
        fe_learn(f, n->bool_op.values.items[i - 1], !is_and);
        if (fe_truth(v, &truth)) {
            if (truth != is_and)
                break;
            v = fe_eval(f, next);
            continue;
        }
        bool guarded = false;
        py_visit((struct py *)next, has_subscript, &guarded);
        if (guarded && (!fe_is_data(v) || v->rank == 0)) {
            v = fe_guarded(f, n, is_and, v, next);
            continue;
        }
        const struct value *right = fe_eval(f, next);
        if (right && fe_truth(right, &truth) && truth == is_and)
            continue;
        v = right ? fe_logical(f, n, is_and, v, right) : NULL;
    }
    fe_forget(f, known);
    return v;
}

static const struct value *comparison(struct fe *f, const struct py *n)
{
    const struct value *left = fe_eval(f, n->compare.left), *all = NULL;
    for (uint32_t i = 0; i < n->compare.ops.count && left; i++) {
        const struct value *right = fe_eval(f, n->compare.comparators.items[i]);
        const struct value *v = right ? fe_compare(f, n, n->compare.ops.items[i]->op.op, left, right) : NULL;
        bool truth;
        if (!v)
            return NULL;
        if (!all || (fe_truth(all, &truth) && truth))
            all = v;
        else if (!(fe_truth(v, &truth) && truth))
            all = fe_truth(all, &truth) ? all : fe_logical(f, n, true, all, v);
        left = right;
    }
    return left ? all : NULL;
}

/* `a if test else b`: of tuples and lists each element is chosen. */
static const struct value *chosen(struct fe *f, const struct py *n, const struct value *test, const struct value *a,
                                  const struct value *b)
{
    if (fe_is_operand(a) && fe_is_operand(b))
        return fe_select(f, n, test, a, b);
    if (fe_same_value(a, b))
        return a;
    bool alike = a->kind == FE_TUPLE && b->kind == FE_TUPLE && a->list == b->list && !a->lazy && !b->lazy;
    if (!alike || a->count != b->count)
        return fe_error(
            f, n,
            "%s or %s, which the run decides: numbers and arrays alone can be chosen there, and tuples of as "
            "many (an `if` statement around what uses them can do the same)",
            fe_describe(f, a), fe_describe(f, b));
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, a->count + 1);
    for (uint32_t i = 0; i < a->count; i++)
        if (!(items[i] = chosen(f, n, test, a->items[i], b->items[i])))
            return NULL;
    const struct value *v = fe_tuple(f, items, a->count);
    return a->list ? fe_as_list(f, v) : v;
}

static const struct value *conditional(struct fe *f, const struct py *n)
{
    const struct value *test = fe_eval(f, n->if_exp.test);
    bool truth;
    if (!test)
        return NULL;
    if (fe_truth(test, &truth))
        return fe_eval(f, truth ? n->if_exp.body : n->if_exp.orelse);
    if (fe_is_data(test) && test->rank)
        return fe_raise(f, n->if_exp.test, "ValueError", "the truth of an array with several elements: use np.where");
    f->eager++;
    const struct value *a = fe_eval(f, n->if_exp.body), *b = a ? fe_eval(f, n->if_exp.orelse) : NULL;
    f->eager--;
    return b ? chosen(f, n, test, a, b) : NULL;
}

/* ---- attributes ---- */

static const struct value *shape_value(struct fe *f, const struct value *v)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->rank + 1);
    for (uint32_t i = 0; i < v->rank; i++)
        items[i] = fe_symbol(f, v->shape[i]);
    return fe_tuple(f, items, v->rank);
}

static const struct value *data_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name)
{
    if (fe_is_list(v) && fe_builtin_find("list", name))
        return fe_unsupported(
            f, n, "'%s' of a list whose length the run decides: np.concatenate makes one array of several", name);
    if (fe_is_list(v))
        return fe_raise(f, n, "AttributeError", "a list has no attribute '%s': np.array(...) makes an array of it",
                        name);
    if (strcmp(name, "shape") == 0)
        return shape_value(f, v);
    if (strcmp(name, "dtype") == 0)
        return fe_type(f, v->type);
    if (strcmp(name, "ndim") == 0)
        return fe_int(f, v->rank);
    if (strcmp(name, "size") == 0) {
        const struct sym *s = sym_int(f->ir, 1);
        for (uint32_t i = 0; i < v->rank; i++)
            s = sym_mul(f->ir, s, v->shape[i]);
        return fe_symbol(f, s);
    }
    if (strcmp(name, "T") == 0) {
        uint32_t axes[FE_MAX_RANK];
        const struct value *view = fe_materialize(f, n, v, "tmp");
        for (uint32_t i = 0; i < v->rank; i++)
            axes[i] = v->rank - 1 - i;
        return view ? fe_transpose(f, view, axes) : NULL;
    }
    if (strcmp(name, "flat") == 0)
        return fe_flat(f, n, v);
    bool real = strcmp(name, "real") == 0;
    if (real || strcmp(name, "imag") == 0) {
        if (!type_is_complex(v->type))
            return real ? v : fe_cast(f, n, v->type, fe_int(f, 0));
        return fe_apply(f, n, type_part(f->ir, v->type), real ? "$0.real()" : "$0.imag()", 1, &v);
    }
    const struct fe_builtin *b = fe_builtin_find(fe_is_request(v->type) ? "MPI.Request" : "ndarray", name);
    if (!b) {
        const char *near = fe_builtin_near("ndarray", name);
        return near ? fe_error(f, n, "an array has no attribute '%s'; did you mean '%s'?", name, near)
                    : fe_unsupported(f, n, "attribute '%s' of an array", name);
    }
    struct value *m = fe_new(f, FE_BUILTIN);
    m->builtin = b;
    m->self = v;
    return m;
}

struct fe_host *fe_live_host(const struct fe *f)
{
    struct fe_scope *s = f->scope;
    while (s && !s->is_module)
        s = s->outer;
    return s && s->host && s->host->callback && s->host->method ? s->host : NULL;
}

bool fe_is_live(const struct fe *f) { return fe_live_host(f) != NULL; }

const struct value *fe_object_method(struct fe *f, const struct py *n, const struct value *object, const char *name)
{
    struct fe_host *h = fe_live_host(f);
    const struct value *m = h ? h->method(h, n, name) : NULL;
    if (!m)
        return fe_unsupported(f, n, "'%s' of %s", name, fe_describe(f, object));
    struct value *bound = arena_copy(f->arena, m, sizeof *m);
    bound->self = object;
    return bound;
}

const struct value *fe_attribute(struct fe *f, const struct py *n, const struct value *v, const char *name)
{
    if (!v)
        return NULL;
    if (fe_is_data(v))
        return data_attribute(f, n, v, name);
    if (v->kind == FE_DICT || (v->kind == FE_OBJECT && v->object->content == FE_MAPPING)) {
        const struct fe_builtin *b = fe_builtin_find("dict", name);
        struct value *m = b ? fe_new(f, FE_BUILTIN) : NULL;
        if (m) {
            m->builtin = b;
            m->self = fe_expand(f, n, v);
            return m->self ? m : NULL;
        }
    }
    if (v->kind == FE_RECORD || v->kind == FE_CLASS) {
        const struct value *m = fe_member(f, v, name);
        return m ? m : fe_raise(f, n, "AttributeError", "%s has no attribute '%s'", fe_describe(f, v), name);
    }
    if (v->kind == FE_TUPLE && v->list && fe_builtin_find("list", name)) {
        struct value *m = fe_new(f, FE_BUILTIN);
        m->builtin = fe_builtin_find("list", name);
        m->self = v;
        return m;
    }
    if (v->kind == FE_OBJECT) {
        f->said = false;
        const struct value *m = v->object->host->attribute(v->object->host, n, v, name);
        return m || f->said ? m : fe_error(f, n, "%s has no attribute '%s'", fe_describe(f, v), name);
    }
    if (v->kind == FE_MODULE) {
        const struct value *m = fe_module_attribute(f, v->text, name);
        if (m && m->kind == FE_GRID && v->self)
            ((struct value *)m)->self = fe_attribute(f, n, v->self, name);
        bool asked = m && m->kind == FE_BUILTIN && f->calls_sized && fe_is_sized(m->builtin);
        if (m && !(v->self && (asked || m->kind == FE_MODULE))) /* of a live module there is more to know */
            return m;
        const struct value *own = m ? NULL : fe_file_attribute(f, v->text, name);
        if (own)
            return fe_in_context(f, n, own);
        if (v->self) /* a live module may have more */
            return fe_attribute(f, n, v->self, name);
        const char *near = fe_builtin_near(v->text, name);
        return near ? fe_unsupported(f, n, "'%s.%s'; did you mean '%s'?", v->text, name, near)
                    : fe_unsupported(f, n, "'%s.%s'", v->text, name);
    }
    if (v->kind == FE_BUILTIN && !v->self) {
        struct value *m = arena_copy(f->arena, v, sizeof *v);
        m->self = fe_string(f, name);
        return m;
    }
    if (v->kind == FE_TYPE && strcmp(name, "type") == 0)
        return v;
    for (int i = 0; v->kind == FE_SLICE && i < 3; i++)
        if (strcmp(name, (const char *const[]){ "start", "stop", "step" }[i]) == 0)
            return v->items[i];
    if (v->kind == FE_GRID || (v->kind == FE_TYPE && fe_is_request(v->type)))
        return fe_grid_attribute(f, n, v, name);
    if (fe_is_number(v) && !v->weak && strcmp(name, "dtype") == 0)
        return fe_type(f, fe_own_type(f, v));
    return fe_error(f, n, "attribute '%s' of %s", name, fe_describe(f, v));
}

/* ---- expressions ---- */

static const struct value *slice(struct fe *f, const struct py *n)
{
    const struct py *parts[3] = { n->slice.lower, n->slice.upper, n->slice.step };
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, 3);
    struct value *v = fe_new(f, FE_SLICE);
    for (int i = 0; i < 3; i++)
        if (!(items[i] = parts[i] ? fe_eval(f, parts[i]) : fe_none(f)))
            return NULL;
    v->items = items;
    v->count = 3;
    return v;
}

const struct value *fe_eval_index(struct fe *f, const struct py *n)
{
    return n->kind == PY_SLICE ? slice(f, n) : fe_eval(f, n);
}

static const struct value *lambda(struct fe *f, const struct py *n)
{
    struct fe_function *fn = NEW(f->arena, struct fe_function);
    struct value *v = fe_new(f, FE_FUNCTION);
    fn->node = n;
    fn->source = f->source;
    fn->scope = f->scope;
    v->function = fn;
    return v;
}

/* With its storage: of a container that only the program knows, or of an annotation. */
const struct value *fe_hinted(struct fe *f, const struct value *v, const char *storage)
{
    if (v->kind == FE_TYPE || v->kind == FE_DESC) {
        struct value *d = arena_copy(f->arena, v, sizeof *v);
        d->text = storage;
        return d;
    }
    struct fe_container *to = v->kind == FE_VIEW ? v->view.container : NULL;
    struct container *c =
        to && !to->argument && !to->shows && !f->dry ? sdfg_find_container(to->level->sdfg, to->name) : NULL;
    if (c)
        c->storage = enum_by_name(f->ir, ENUM_STORAGE, storage);
    return v;
}

static const struct value *binary(struct fe *f, const struct py *n)
{
    const struct value *a = fe_eval(f, n->bin_op.left), *b = a ? fe_eval(f, n->bin_op.right) : NULL;
    if (!b)
        return NULL;
    if (n->bin_op.op == PY_MATMULT && f->dace && b->kind == FE_STRING && strncmp(b->text, "GPU", 3) != 0)
        return fe_hinted(f, a, b->text); /* array @ storage: a hint */
    return n->bin_op.op == PY_MATMULT ? fe_matmul(f, n, a, b) : fe_binary(f, n, n->bin_op.op, a, b);
}

static const char *refused(enum py_kind kind)
{
    switch (kind) {
    case PY_AWAIT:
        return "'await'";
    case PY_YIELD:
    case PY_YIELD_FROM:
        return "'yield'";
    case PY_SET:
    case PY_SET_COMP:
        return "a set";
    case PY_DICT_COMP:
        return "a comprehension of a dictionary";
    default:
        return "this expression";
    }
}

/* An element of a live object by its position. */
static const struct value *element(struct fe *f, const struct py *n, const struct value *v, uint32_t i)
{
    return fe_expand(f, n, v->object->host->item(v->object->host, n, v, fe_int(f, i)));
}

static const struct value *expand_mapping(struct fe *f, const struct py *n, const struct value *v)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, 2 * v->object->count + 1);
    for (uint32_t i = 0; i < v->object->count; i++) {
        items[2 * i] = v->object->host->key(v->object->host, n, v, i);
        items[2 * i + 1] = items[2 * i] ? v->object->host->item(v->object->host, n, v, items[2 * i]) : NULL;
        if (!(items[2 * i + 1] = fe_expand(f, n, items[2 * i + 1])))
            return NULL;
    }
    struct value *d = fe_new(f, FE_DICT);
    d->items = items;
    d->count = 2 * v->object->count;
    return d;
}

const struct value *fe_expand(struct fe *f, const struct py *n, const struct value *v)
{
    if (!v || v->kind != FE_OBJECT || v->object->content == FE_OPAQUE)
        return v;
    if (v->object->count > 4096)
        return fe_unsupported(f, n, "%s of more than 4096 elements as a constant", v->object->what);
    if (v->object->content == FE_MAPPING)
        return expand_mapping(f, n, v);
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, v->object->count + 1);
    for (uint32_t i = 0; i < v->object->count; i++)
        if (!(items[i] = element(f, n, v, i)))
            return NULL;
    struct value *t = (struct value *)fe_tuple(f, items, v->object->count);
    t->list = v->object->content == FE_LIST;
    return t;
}

const struct value *fe_eval(struct fe *f, const struct py *n) { return fe_expand(f, n, fe_eval_lazy(f, n)); }

const struct value *fe_eval_lazy(struct fe *f, const struct py *n)
{
    const struct value *v;
    switch (n->kind) {
    case PY_CONSTANT:
        return constant(f, n);
    case PY_NAME:
        return fe_name(f, n);
    case PY_ATTRIBUTE:
        v = fe_eval_lazy(f, n->attribute.value);
        return fe_attribute(f, n, v, n->attribute.attr);
    case PY_SUBSCRIPT:
        v = fe_eval_lazy(f, n->subscript.value);
        return v ? fe_subscript(f, n, v, fe_eval_index(f, n->subscript.slice)) : NULL;
    case PY_TUPLE:
        return display(f, &n->tuple.elts);
    case PY_LIST:
        return fe_as_list(f, display(f, &n->list.elts));
    case PY_DICT:
        return dictionary(f, n);
    case PY_BIN_OP:
        return binary(f, n);
    case PY_UNARY_OP:
        v = fe_eval(f, n->unary.operand);
        return v ? fe_unary(f, n, n->unary.op, v) : NULL;
    case PY_BOOL_OP:
        return boolean(f, n);
    case PY_COMPARE:
        return comparison(f, n);
    case PY_IF_EXP:
        return conditional(f, n);
    case PY_CALL:
        return fe_call(f, n);
    case PY_LAMBDA:
        return lambda(f, n);
    case PY_LIST_COMP:
        return fe_as_list(f, fe_comprehension(f, n));
    case PY_GENERATOR_EXP:
        return fe_comprehension(f, n);
    case PY_JOINED_STR:
        return fe_formatted(f, n);
    case PY_NAMED_EXPR:
        v = fe_eval(f, n->named.value);
        return v && fe_assign(f, n->named.target, v, NULL) ? fe_eval(f, n->named.target) : NULL;
    default:
        return fe_unsupported(f, n, "%s", refused(n->kind));
    }
}
