/* The host of live objects: what free names, attributes, elements and calls mean is asked from an interpreter through
 * `struct sdfg_host`. Constants become values, arrays become arguments (one for each object, however it is reached),
 * functions are parsed when they are called. Each question is asked once; its answer is a guard of the program. */
#include "engine/include/sdfg.h"
#include "frontend/value.h"

#include <string.h>

struct live {
    struct fe *f;
    const struct sdfg_host *host;
    struct map answers;      /* question -> value */
    struct map arrays;       /* id as text -> struct fe_container * */
    struct map functions;    /* id as text -> struct fe_function * */
    VEC(const char *) asked; /* the questions that were answered, in order; each has left a guard */
    uint64_t entry;
};

/* Names of one function. */
struct live_host {
    struct fe_host host;
    struct live *live;
    uint64_t function;
    const char *name;
};

static struct live_host *of(struct fe_host *h) { return (struct live_host *)h; }

static const char *id_key(struct fe *f, uint64_t id)
{
    return intern(f->ir->names, fe_format(f, "%llu", (unsigned long long)id));
}

static struct sdfg_object unknown(void) { return (struct sdfg_object){ .struct_size = sizeof(struct sdfg_object) }; }

/* ---- symbols ---- */

static void declare_symbol(void *user, const struct sym *name)
{
    struct live *l = user;
    struct sdfg_object o = unknown();
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

static const struct value *descriptor(struct live *l, const struct py *n, const struct sdfg_object *o)
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

/* The argument that a live array is; the first path that reaches it gives the name. A parameter keeps its own. */
static const struct value *array(struct live *l, const struct py *n, const struct sdfg_object *o, const char *path,
                                 bool parameter)
{
    struct fe *f = l->f;
    const char *key = id_key(f, o->id);
    struct fe_container *c = map_get(&l->arrays, key);
    if (c)
        return fe_whole(f, c);
    const struct value *d = descriptor(l, n, o);
    if (!d || !f->level)
        return d ? fe_unsupported(f, n, "an array outside of the program's statements") : NULL;
    bool raw = f->raw;
    f->raw = false;
    for (uint32_t i = 0; i < d->rank; i++) /* its symbols are those of the program */
        (void)fe_in_context(f, n, fe_symbol(f, d->shape[i]));
    f->raw = raw;
    c = fe_argument(f, parameter ? path : fe_unique(f, fe_format(f, "__g_%s", path)), d);
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

static const struct fe_function *function(struct live *l, const struct py *n, uint64_t id);

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
    const struct fe_function *fn = function(l, n, o->id);
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
    bool known = v && !(v->kind == FE_BUILTIN && fe_is_python_only(v->builtin));
    if (known || !l->host->callback || !o->id)
        return v;
    const char *why = v ? NULL : fe_reason(f, before);
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
        return descriptor(l, n, o);
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
        return array(l, n, o, path, false);
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
    if (v->kind == FE_VIEW)
        g.argument = v->view.container->name;
    g.value = v->kind == FE_STRING  ? fe_format(f, "'%s'", v->text)
              : v->kind == FE_INT   ? fe_format(f, "%lld", (long long)v->i)
              : v->kind == FE_BOOL  ? (v->i ? "True" : "False")
              : v->kind == FE_FLOAT ? fe_format(f, "%.17g", v->f)
                                    : fe_describe(f, v);
    vec_push(f->arena, &f->found->guards, g);
}

/* What the host has answered: as a value, from now on the answer to `question`. */
static const struct value *take(struct live *l, const struct py *n, struct fe_host *h, const char *question,
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
static const struct value *answered(struct live *l, const char *question)
{
    const struct value *v = map_get(&l->answers, question);
    return v && v->kind == FE_VIEW ? fe_whole(l->f, v->view.container) : v;
}

/* ---- questions ---- */

static const struct value *lookup(struct fe_host *h, const struct py *n, const char *name)
{
    struct live_host *of_function = of(h);
    struct live *l = of_function->live;
    struct fe *f = l->f;
    const char *question =
        intern(f->ir->names, fe_format(f, "%llu:%s", (unsigned long long)of_function->function, name));
    const struct value *v = answered(l, question);
    if (v && v->kind == FE_BUILTIN && f->raw) /* in annotations some are types */
        return fe_python_name(f, name) ? fe_python_name(f, name) : v;
    if (v || !l->host->lookup)
        return v;
    struct sdfg_object o = unknown();
    bool good = l->host->lookup(l->host->user, of_function->function, name, &o);
    const char *path = of_function->function == l->entry ? name : fe_format(f, "%s.%s", of_function->name, name);
    return take(l, n, h, question, path, good, &o);
}

static const struct value *parameter(struct fe_host *h, const struct py *p)
{
    struct live *l = of(h)->live;
    const char *name = p->arg.arg, *question = intern(l->f->ir->names, fe_format(l->f, "parameter %s", name));
    struct sdfg_object o = unknown();
    if (!l->host->parameter)
        return NULL;
    bool good = l->host->parameter(l->host->user, name, &o);
    bool data = o.kind == SDFG_OBJECT_ARRAY || o.kind == SDFG_OBJECT_VALUE || o.kind == SDFG_OBJECT_DESCRIPTOR;
    if (good && o.kind == SDFG_OBJECT_ARRAY && o.id) /* it may be reached by other names, too */
        return array(l, p, &o, name, true);
    return good && data ? descriptor(l, p, &o) : take(l, p, h, question, name, good, &o);
}

static const struct value *attribute(struct fe_host *h, const struct py *n, const struct value *v, const char *name)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    const char *question = intern(f->ir->names, fe_format(f, "%llu.%s", (unsigned long long)v->object->id, name));
    const struct value *known = answered(l, question);
    if (known || !l->host->attribute)
        return known;
    struct sdfg_object o = unknown();
    bool good = l->host->attribute(l->host->user, v->object->id, name, &o);
    return take(l, n, h, question, fe_format(f, "%s.%s", v->object->path, name), good, &o);
}

/* A constant of the program for the host; false: it is none. */
bool fe_to_object(const struct value *v, struct sdfg_object *o)
{
    static const enum sdfg_object_kind numbers[] = { [FE_BOOL] = SDFG_OBJECT_BOOL,
                                                     [FE_INT] = SDFG_OBJECT_INTEGER,
                                                     [FE_FLOAT] = SDFG_OBJECT_FLOAT,
                                                     [FE_COMPLEX] = SDFG_OBJECT_COMPLEX };
    *o = unknown();
    if (fe_is_number(v)) {
        o->kind = numbers[v->kind];
        o->weak = v->weak;
        o->type = v->type ? v->type->name : NULL;
        o->integer = v->kind <= FE_INT ? v->i : 0;
        o->real = v->kind > FE_INT ? v->f : 0;
        o->imaginary = v->im;
        return true;
    }
    o->kind = v->kind == FE_NONE     ? SDFG_OBJECT_NONE
              : v->kind == FE_STRING ? SDFG_OBJECT_STRING
              : v->kind == FE_TYPE   ? SDFG_OBJECT_TYPE
              : v->kind == FE_OBJECT ? SDFG_OBJECT_OTHER
                                     : SDFG_OBJECT_UNKNOWN;
    o->text = v->kind == FE_STRING ? v->text : NULL;
    o->type = v->kind == FE_TYPE ? v->type->name : NULL;
    o->id = v->kind == FE_OBJECT ? v->object->id : 0;
    return o->kind != SDFG_OBJECT_UNKNOWN;
}

static const char *key_text(struct fe *f, const struct sdfg_object *key)
{
    switch (key->kind) {
    case SDFG_OBJECT_STRING:
        return fe_format(f, "'%s'", key->text);
    case SDFG_OBJECT_BOOL:
    case SDFG_OBJECT_INTEGER:
        return fe_format(f, "%lld", (long long)key->integer);
    case SDFG_OBJECT_FLOAT:
        return fe_format(f, "%.17g", key->real);
    default:
        return fe_format(f, "<%d %llu>", (int)key->kind, (unsigned long long)key->id);
    }
}

static const struct value *item(struct fe_host *h, const struct py *n, const struct value *v, const struct value *key)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    struct sdfg_object k, o = unknown();
    if (!fe_to_object(key, &k))
        return fe_unsupported(f, n, "an element of %s whose key is known at run time only", v->object->what);
    const char *text = key_text(f, &k);
    const char *question = intern(f->ir->names, fe_format(f, "%llu[%s]", (unsigned long long)v->object->id, text));
    const struct value *known = answered(l, question);
    if (known || !l->host->item)
        return known;
    bool good = l->host->item(l->host->user, v->object->id, &k, &o);
    return take(l, n, h, question, fe_format(f, "%s[%s]", v->object->path, text), good, &o);
}

static const struct value *key_of(struct fe_host *h, const struct py *n, const struct value *v, uint32_t index)
{
    struct live *l = of(h)->live;
    struct sdfg_object o = unknown();
    bool good = l->host->key && l->host->key(l->host->user, v->object->id, index, &o);
    const char *path = fe_format(l->f, "%s.keys()[%u]", v->object->path, index);
    return take(l, n, h, intern(l->f->ir->names, path), path, good, &o);
}

/* ---- calls ---- */

/* The value of a call whose arguments are constants, if the host computes it; NULL without error: it does not. */
static const struct value *constant_call(struct live *l, const struct py *n, const struct value *v, struct fe_args *a)
{
    struct fe *f = l->f;
    struct sdfg_object *items = NEW_ARRAY(f->arena, struct sdfg_object, a->count + a->num_names + 1), o = unknown();
    for (uint32_t i = 0; i < a->count + a->num_names; i++)
        if (!fe_to_object(i < a->count ? a->items[i] : a->values[i - a->count], &items[i]))
            return NULL;
    bool good = l->host->call(l->host->user, v->object->id, items, a->count + a->num_names, a->names, a->num_names, &o);
    if (good && o.kind == SDFG_OBJECT_UNKNOWN && !o.text)
        return NULL;
    const char *path = fe_format(f, "%s() in line %u", v->object->path, f->place.line);
    return take(l, n, v->object->host, intern(f->ir->names, fe_format(f, "call %u %s", n->begin, path)), path, good,
                &o);
}

static const struct value *callback(struct fe_host *h, const struct py *n, const struct fe_callee *callee,
                                    struct fe_args *a)
{
    struct fe *f = of(h)->live->f;
    return fe_callback(f, n, of(h)->live->host, callee, a, a->wanted);
}

static const struct value *method_caller(struct fe_host *h, const struct py *n, const char *name)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    const char *question = intern(f->ir->names, fe_format(f, "method %s", name));
    const struct value *known = answered(l, question);
    struct sdfg_object o = unknown();
    if (known || !l->host->attribute || !l->host->callback)
        return known;
    bool good = l->host->attribute(l->host->user, 0, name, &o);
    const struct value *v = take(l, n, h, question, name, good, &o);
    if (v && v->kind == FE_OBJECT)
        ((struct fe_object *)v->object)->why = "its object is known at run time only";
    return v;
}

static uint32_t begin(struct fe_host *h)
{
    struct live *l = of(h)->live;
    if (l->host->attempt)
        l->host->attempt(l->host->user, SDFG_ATTEMPT_BEGINS);
    return l->asked.count;
}

/* Arrays are arguments already, so what was said of them stays. */
static void end(struct fe_host *h, uint32_t mark, bool good)
{
    struct live *l = of(h)->live;
    struct frontend_found *found = l->f->found;
    uint32_t kept = mark;
    if (l->host->attempt)
        l->host->attempt(l->host->user, good ? SDFG_ATTEMPT_SUCCEEDS : SDFG_ATTEMPT_FAILS);
    for (uint32_t i = mark; i < l->asked.count && !good; i++) {
        const struct value *v = map_get(&l->answers, l->asked.items[i]);
        bool stays = v && v->kind == FE_VIEW;
        if (!stays)
            map_put(l->f->arena, &l->answers, l->asked.items[i], NULL);
        if (stays && found)
            found->guards.items[kept] = found->guards.items[i];
        if (stays)
            l->asked.items[kept++] = l->asked.items[i];
    }
    if (good)
        return;
    l->asked.count = kept;
    if (found)
        found->guards.count = kept;
}

static const struct value *call(struct fe_host *h, const struct py *n, const struct value *v, struct fe_args *a)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    f->said = false;
    const struct value *result = l->host->call ? constant_call(l, n, v, a) : NULL;
    if (result || f->said)
        return result;
    const struct value *method = attribute(h, n, v, "__call__");
    if (method && method->kind == FE_FUNCTION)
        return fe_call_value(f, n, method, a);
    if (!f->said && h->callback) {
        struct fe_callee callee = { v->object->id, v->object->self, v->object->path, v->object->why };
        return callback(h, n, &callee, a);
    }
    return f->said ? NULL : fe_unsupported(f, n, "a call of %s", v->object->what);
}

/* ---- functions ---- */

struct finding {
    const char *name;
    struct py *found;
    uint32_t count;
};

static bool find(void *user, struct py *n)
{
    struct finding *s = user;
    bool is = s->name ? n->kind == PY_FUNCTION_DEF && n->function.name == s->name : n->kind == PY_LAMBDA;
    if (is && !s->count++)
        s->found = n;
    return !is;
}

/* The definition in the text; a lambda as a function that returns its expression. */
static const struct py *definition(struct live *l, struct py *tree, const char *name)
{
    struct fe *f = l->f;
    bool lambda = strcmp(name, "<lambda>") == 0;
    struct finding s = { .name = lambda ? NULL : intern(f->ir->names, name) };
    py_visit(tree, find, &s);
    if (!s.found)
        return fe_unsupported(f, tree, "no 'def %s' in the text of the function", name);
    if (!lambda)
        return s.found;
    if (s.count > 1)
        return fe_unsupported(f, s.found, "a lambda beside another one in the same statement");
    struct py *ret = arena_alloc(f->arena, sizeof *ret), *def = arena_alloc(f->arena, sizeof *def);
    memset(def, 0, sizeof *def);
    memset(ret, 0, sizeof *ret);
    ret->kind = PY_RETURN;
    def->kind = PY_FUNCTION_DEF;
    ret->begin = def->begin = s.found->begin;
    ret->end = def->end = s.found->end;
    ret->return_.value = s.found->lambda.body;
    def->function.name = intern(f->ir->names, "function");
    def->function.args = s.found->lambda.args;
    def->function.body.count = 1;
    def->function.body.items = NEW_ARRAY(f->arena, struct py *, 1);
    def->function.body.items[0] = ret;
    return def;
}

static const struct fe_function *function(struct live *l, const struct py *n, uint64_t id)
{
    struct fe *f = l->f;
    const char *key = id_key(f, id);
    struct fe_function *fn = map_get(&l->functions, key);
    if (fn)
        return fn;
    struct sdfg_source given = { .struct_size = sizeof given };
    bool good = l->host->source && l->host->source(l->host->user, id, &given);
    if (!good || !given.name)
        return fe_unsupported(f, n, "a function without source text%s%s", given.text ? ": " : "",
                              given.text ? arena_strdup(f->arena, given.text) : "");
    struct live_host *h = NEW(f->arena, struct live_host);
    *h = (struct live_host){ { .lookup = lookup,
                               .parameter = parameter,
                               .attribute = attribute,
                               .item = item,
                               .key = key_of,
                               .call = call,
                               .begin = begin,
                               .end = end,
                               .callback = l->host->callback ? callback : NULL,
                               .method = method_caller },
                             l,
                             id,
                             arena_strdup(f->arena, given.name) };
    fn = NEW(f->arena, struct fe_function);
    fn->source = fe_source(f, given.path ? given.path : "<unknown>", arena_strndup(f->arena, given.text, given.size),
                           given.size, given.first_line ? given.first_line : 1);
    fn->program = true;
    fn->dace = given.dace;
    fn->strict = given.strict;
    fn->id = id;
    struct py *tree = fe_parse(f, fn->source, PY_MODE_SNIPPET);
    const struct fe_source *kept = f->source;
    f->source = fn->source;
    fn->node = tree ? definition(l, tree, h->name) : NULL;
    f->source = kept;
    if (!fn->node)
        return NULL;
    fn->scope = NEW(f->arena, struct fe_scope);
    fn->scope->host = &h->host;
    fn->scope->is_module = true;
    map_put(f->arena, &l->functions, key, fn);
    return fn;
}

const struct fe_function *fe_live(struct fe *f, const struct sdfg_host *host, uint64_t id)
{
    struct live *l = NEW(f->arena, struct live);
    *l = (struct live){ .f = f, .host = host, .entry = id };
    f->typed = host->typed;
    f->typed_user = host->user;
    return function(l, NULL, id);
}
