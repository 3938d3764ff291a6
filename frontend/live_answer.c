/* What a live host answers, as values. */
#include "frontend/live.h"

#include <string.h>

const char *live_key(struct fe *f, uint64_t id)
{
    return intern(f->ir->names, fe_format(f, "%llu", (unsigned long long)id));
}

/* ---- symbols ---- */

static void declare_symbol(void *user, const struct sym *name)
{
    struct live *l = user;
    struct sdfg_object o = live_unknown();
    if (map_has(&l->f->symbol_types, name->name))
        return;
    bool known = l->host->symbol && l->host->symbol(l->host->user, name->name, &o) && o.kind == SDFG_OBJECT_TYPE;
    const struct type *t = known && o.type ? type_by_name(l->f->ir, o.type) : NULL;
    map_put(l->f->arena, &l->f->symbol_types, name->name, (void *)(uintptr_t)(t ? t : type_basic(l->f->ir, TYPE_I64)));
}

static const struct sym *expression(struct live *l, const char *text)
{
    const struct sym *s = build_sym(l->f->ir, NULL, text);
    sym_visit_names(s, declare_symbol, l);
    return s;
}

static const struct sym *const *expressions(struct live *l, const char *const *texts, size_t count)
{
    const struct sym **list = NEW_ARRAY(l->f->arena, const struct sym *, count + 1);
    for (size_t i = 0; i < count; i++)
        list[i] = expression(l, texts[i]);
    return list;
}

/* ---- answers ---- */

const struct value *live_descriptor(struct live *l, const struct py *n, const struct sdfg_object *o)
{
    struct fe *f = l->f;
    bool array = o->kind == SDFG_OBJECT_ARRAY || o->kind == SDFG_OBJECT_DESCRIPTOR;
    const struct type *t = o->type ? type_by_name(f->ir, o->type) : NULL;
    if (!t || !type_is_basic(t))
        return fe_unsupported(f, n, "elements of type %s", o->type ? o->type : "unknown");
    if (o->rank > FE_MAX_RANK)
        return fe_unsupported(f, n, "an array of more than %d dimensions", FE_MAX_RANK);
    struct value *v = fe_new(f, array ? FE_DESC : FE_TYPE);
    v->type = t;
    v->weak = o->weak;
    v->rank = array ? (uint32_t)o->rank : 0;
    v->shape = expressions(l, o->shape, v->rank);
    v->strides = array && o->strides ? expressions(l, o->strides, v->rank) : NULL;
    return v;
}

const struct value *live_array(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                               bool parameter)
{
    struct fe *f = l->f;
    const char *key = live_key(f, o->id);
    struct fe_container *c = map_get(&l->arrays, key);
    if (c)
        return fe_whole(f, c);
    const struct value *d = live_descriptor(l, n, o);
    if (!d || !f->level)
        return d ? fe_unsupported(f, n, "an array outside of the program's statements") : NULL;
    bool raw = f->raw;
    f->raw = false;
    for (uint32_t i = 0; i < d->rank; i++) /* its symbols are those of the program */
        (void)fe_in_context(f, n, fe_symbol(f, d->shape[i]));
    f->raw = raw;
    c = fe_argument(f, parameter ? path : fe_unique(f, fe_format(f, o->transient ? "%s" : "__g_%s", path)), d);
    if (o->transient) {
        c->argument = false;
        sdfg_find_container(c->level->sdfg, c->name)->transient = true;
    }
    map_put(f->arena, &l->arrays, key, c);
    return fe_whole(f, c);
}

static const struct value *number(struct live *l, const struct py *n, const struct sdfg_object *o)
{
    struct fe *f = l->f;
    const struct value *v = o->kind == SDFG_OBJECT_BOOL      ? fe_bool(f, o->integer != 0)
                            : o->kind == SDFG_OBJECT_INTEGER ? fe_int(f, o->integer)
                            : o->kind == SDFG_OBJECT_FLOAT   ? fe_float(f, o->real)
                                                             : fe_complex(f, o->real, o->imaginary);
    const struct type *t = o->type && !o->weak ? type_by_name(f->ir, o->type) : NULL;
    return t ? fe_cast(f, n, t, v) : v;
}

static const struct value *builtin(struct live *l, const struct py *n, const char *text)
{
    struct fe *f = l->f;
    const char *dot = strrchr(text, '.');
    const char *module = dot ? arena_strndup(f->arena, text, (size_t)(dot - text)) : "builtins";
    const char *name = dot ? dot + 1 : text;
    const struct value *v =
        strcmp(module, "builtins") == 0 ? fe_python_name(f, name) : fe_module_attribute(f, module, name);
    return v ? v : fe_unsupported(f, n, "'%s'", strcmp(module, "builtins") == 0 ? name : text);
}

static const struct value *object(struct live *l, const struct sdfg_object *o, const char *path, struct fe_host *h)
{
    struct fe *f = l->f;
    struct value *v = fe_new(f, FE_OBJECT);
    struct fe_object *made = NEW(f->arena, struct fe_object);
    *made = (struct fe_object){ .host = h, .id = o->id, .path = path, .count = (uint32_t)o->count };
    made->content = o->kind == SDFG_OBJECT_TUPLE        ? FE_SEQUENCE
                    : o->kind == SDFG_OBJECT_LIST       ? FE_LIST
                    : o->kind == SDFG_OBJECT_DICTIONARY ? FE_MAPPING
                                                        : FE_OPAQUE;
    made->what = made->content == FE_MAPPING    ? "a dictionary"
                 : made->content == FE_LIST     ? "a list"
                 : made->content == FE_SEQUENCE ? "a tuple"
                 : o->text                      ? arena_strdup(f->arena, o->text)
                                                : "an object";
    v->object = made;
    return v;
}

static const struct value *method(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                                  struct fe_host *h)
{
    struct value *v;
    uint32_t before = diags_count(l->f->ir->diags);
    bool failed = l->f->failed;
    const struct fe_function *fn = live_function(l, n, o->id);
    if (!fn && l->host->callback) { /* it may be called nevertheless */
        v = (struct value *)object(l, o, path, h);
        struct fe_object *made = (struct fe_object *)v->object;
        made->why = fe_reason(l->f, before);
        made->what = "a function that cannot be compiled";
        made->self = o->self;
        l->f->failed = failed;
        return v;
    }
    v = fn ? fe_new(l->f, FE_FUNCTION) : NULL;
    if (!v)
        return NULL;
    v->function = fn;
    if (o->self) {
        struct sdfg_object self = { .kind = SDFG_OBJECT_OTHER, .id = o->self, .text = "the object of the method" };
        const char *dot = strrchr(path, '.');
        v->self = object(l, &self, dot ? arena_strndup(l->f->arena, path, (size_t)(dot - path)) : path, h);
    }
    return v;
}

/* A function that the library knows; another one may still be called by the interpreter. */
static const struct value *known_builtin(struct live *l, const struct py *n, const struct sdfg_object *o,
                                         const char *path, struct fe_host *h)
{
    struct fe *f = l->f;
    uint32_t before = diags_count(f->ir->diags);
    bool failed = f->failed;
    const struct value *v = builtin(l, n, o->text ? o->text : "");
    bool sized = f->calls_sized && v && v->kind == FE_BUILTIN && fe_is_sized(v->builtin);
    bool known = v && !sized && !(v->kind == FE_BUILTIN && fe_is_python_only(v->builtin));
    if (known || !l->host->callback || !o->id)
        return v;
    const char *why = sized ? "the program returns an array whose size is known at run time only"
                      : v   ? NULL
                            : fe_reason(f, before);
    v = object(l, o, path, h);
    ((struct fe_object *)v->object)->why = why;
    ((struct fe_object *)v->object)->what = fe_format(f, "the function '%s'", o->text);
    f->failed = failed;
    return v;
}

static const struct value *value_of(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                                    struct fe_host *h);

static const struct value *slice(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                                 struct fe_host *h)
{
    struct value *v = fe_new(l->f, FE_SLICE);
    const struct value **items = NEW_ARRAY(l->f->arena, const struct value *, 3);
    for (int i = 0; i < 3; i++) {
        bool known = o->items && (o->items[i].kind == SDFG_OBJECT_NONE || o->items[i].kind == SDFG_OBJECT_INTEGER ||
                                  o->items[i].kind == SDFG_OBJECT_SYMBOL);
        if (!known || !(items[i] = value_of(l, n, &o->items[i], path, h)))
            return fe_error(l->f, n, "%s: a slice whose parts are no integers", path);
    }
    v->items = items;
    v->count = 3;
    return v;
}

static const struct value *value_of(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                                    struct fe_host *h)
{
    struct fe *f = l->f;
    struct value *v;
    switch (o->kind) {
    case SDFG_OBJECT_NONE:
        return fe_none(f);
    case SDFG_OBJECT_BOOL:
    case SDFG_OBJECT_INTEGER:
    case SDFG_OBJECT_FLOAT:
    case SDFG_OBJECT_COMPLEX:
        return number(l, n, o);
    case SDFG_OBJECT_STRING:
        return fe_string(f, arena_strdup(f->arena, o->text ? o->text : ""));
    case SDFG_OBJECT_ELLIPSIS:
        return fe_new(f, FE_ELLIPSIS);
    case SDFG_OBJECT_TYPE:
    case SDFG_OBJECT_VALUE:
    case SDFG_OBJECT_DESCRIPTOR:
        return live_descriptor(l, n, o);
    case SDFG_OBJECT_SYMBOL:
        return fe_symbol(f, expression(l, o->text ? o->text : "0"));
    case SDFG_OBJECT_MODULE:
        v = (struct value *)fe_known_module(f, o->text ? o->text : "");
        if (v)
            v->self = object(l, o, path, h);
        return v ? v : object(l, o, path, h);
    case SDFG_OBJECT_BUILTIN:
        return known_builtin(l, n, o, path, h);
    case SDFG_OBJECT_ARRAY:
        return live_array(l, n, o, path, false);
    case SDFG_OBJECT_FUNCTION:
        return method(l, n, o, path, h);
    case SDFG_OBJECT_SLICE:
        return slice(l, n, o, path, h);
    case SDFG_OBJECT_TUPLE:
    case SDFG_OBJECT_LIST:
    case SDFG_OBJECT_DICTIONARY:
    case SDFG_OBJECT_OTHER:
        return object(l, o, path, h);
    default:
        return o->text ? fe_error(f, n, "%s: %s", path, arena_strdup(f->arena, o->text)) : NULL;
    }
}

static void guard(struct live *l, const struct sdfg_object *o, const char *path, const struct value *v)
{
    struct fe *f = l->f;
    struct frontend_guard g = { .path = path, .kind = (int)o->kind, .id = o->id };
    if (!f->found)
        return;
    if (v->kind == FE_VIEW && !o->transient)
        g.argument = v->view.container->name;
    g.value = v->kind == FE_STRING  ? fe_format(f, "'%s'", v->text)
              : v->kind == FE_INT   ? fe_format(f, "%lld", (long long)v->i)
              : v->kind == FE_BOOL  ? (v->i ? "True" : "False")
              : v->kind == FE_FLOAT ? fe_format(f, "%.17g", v->f)
                                    : fe_describe(f, v);
    vec_push(f->arena, &f->found->guards, g);
}

const struct value *live_take(struct live *l, const struct py *n, struct fe_host *h, const char *question,
                              const char *path, bool good, const struct sdfg_object *o)
{
    struct fe *f = l->f;
    const char *what = o->text ? arena_strdup(f->arena, o->text) : "the interpreter does not say what it is";
    if (!good)
        return fe_error(f, n, "%s: %s", path, what);
    const struct value *v = value_of(l, n, o, path, h);
    if (!v)
        return NULL;
    map_put(f->arena, &l->answers, question, (void *)(uintptr_t)v);
    vec_push(f->arena, &l->asked, question);
    guard(l, o, path, v);
    return v;
}

/* A second view of an array, which the dry runs before may have given other marks. */
const struct value *live_answered(struct live *l, const char *question)
{
    const struct value *v = map_get(&l->answers, question);
    return v && v->kind == FE_VIEW ? fe_whole(l->f, v->view.container) : v;
}
