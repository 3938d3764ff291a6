/* The host of live objects: what free names, attributes, elements and calls mean is asked from an interpreter through
 * `struct sdfg_host`. Constants become values, arrays become arguments (one for each object, however it is reached),
 * functions are parsed when they are called. Each question is asked once; its answer is a guard of the program. */
#include "frontend/live.h"

static struct live_host *of(struct fe_host *h) { return (struct live_host *)h; }

/* ---- questions ---- */

static const struct value *lookup(struct fe_host *h, const struct py *n, const char *name)
{
    struct live_host *of_function = of(h);
    struct live *l = of_function->live;
    struct fe *f = l->f;
    const char *question =
        intern(f->ir->names, fe_format(f, "%llu:%s", (unsigned long long)of_function->function, name));
    const struct value *v = live_answered(l, question);
    if (v && v->kind == FE_BUILTIN && f->raw) /* in annotations some are types */
        return fe_python_name(f, name) ? fe_python_name(f, name) : v;
    if (v || !l->host->lookup)
        return v;
    struct sdfg_object o = live_unknown();
    bool good = l->host->lookup(l->host->user, of_function->function, name, &o);
    const char *path = of_function->function == l->entry ? name : fe_format(f, "%s.%s", of_function->name, name);
    return live_take(l, n, h, question, path, good, &o);
}

static const struct value *parameter(struct fe_host *h, const struct py *p)
{
    struct live *l = of(h)->live;
    const char *name = p->arg.arg, *question = intern(l->f->ir->names, fe_format(l->f, "parameter %s", name));
    struct sdfg_object o = live_unknown();
    if (!l->host->parameter)
        return NULL;
    bool good = l->host->parameter(l->host->user, name, &o);
    bool data = o.kind == SDFG_OBJECT_ARRAY || o.kind == SDFG_OBJECT_VALUE || o.kind == SDFG_OBJECT_DESCRIPTOR;
    if (good && o.kind == SDFG_OBJECT_ARRAY && o.id) /* it may be reached by other names, too */
        return live_array(l, p, &o, name, true);
    return good && data ? live_descriptor(l, p, &o) : live_take(l, p, h, question, name, good, &o);
}

static const struct value *attribute(struct fe_host *h, const struct py *n, const struct value *v, const char *name)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    const char *question = intern(f->ir->names, fe_format(f, "%llu.%s", (unsigned long long)v->object->id, name));
    const struct value *known = live_answered(l, question);
    if (known || !l->host->attribute)
        return known;
    struct sdfg_object o = live_unknown();
    bool good = l->host->attribute(l->host->user, v->object->id, name, &o);
    return live_take(l, n, h, question, fe_format(f, "%s.%s", v->object->path, name), good, &o);
}

/* A constant of the program for the host; false: it is none. */
bool fe_to_object(const struct value *v, struct sdfg_object *o)
{
    static const enum sdfg_object_kind numbers[] = { [FE_BOOL] = SDFG_OBJECT_BOOL,
                                                     [FE_INT] = SDFG_OBJECT_INTEGER,
                                                     [FE_FLOAT] = SDFG_OBJECT_FLOAT,
                                                     [FE_COMPLEX] = SDFG_OBJECT_COMPLEX };
    *o = live_unknown();
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
    struct sdfg_object k, o = live_unknown();
    if (!fe_to_object(key, &k))
        return fe_unsupported(f, n, "an element of %s whose key is known at run time only", v->object->what);
    const char *text = key_text(f, &k);
    const char *question = intern(f->ir->names, fe_format(f, "%llu[%s]", (unsigned long long)v->object->id, text));
    const struct value *known = live_answered(l, question);
    if (known || !l->host->item)
        return known;
    bool good = l->host->item(l->host->user, v->object->id, &k, &o);
    return live_take(l, n, h, question, fe_format(f, "%s[%s]", v->object->path, text), good, &o);
}

static const struct value *key_of(struct fe_host *h, const struct py *n, const struct value *v, uint32_t index)
{
    struct live *l = of(h)->live;
    struct sdfg_object o = live_unknown();
    bool good = l->host->key && l->host->key(l->host->user, v->object->id, index, &o);
    const char *path = fe_format(l->f, "%s.keys()[%u]", v->object->path, index);
    return live_take(l, n, h, intern(l->f->ir->names, path), path, good, &o);
}

/* ---- calls ---- */

/* The value of a call whose arguments are constants, if the host computes it; NULL without error: it does not. */
static const struct value *compute(struct fe_host *h, const struct py *n, const struct fe_callee *c, struct fe_args *a)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    struct sdfg_object *items = NEW_ARRAY(f->arena, struct sdfg_object, a->count + a->num_names + 1),
                       o = live_unknown();
    const char *path = fe_format(f, "%s() in line %u", c->path, f->place.line);
    const char *question = fe_format(f, "call %u %s", n->begin, path);
    for (uint32_t i = 0; i < a->count + a->num_names; i++) {
        if (!fe_to_object(i < a->count ? a->items[i] : a->values[i - a->count], &items[i]))
            return NULL;
        question = fe_format(f, "%s %s", question, key_text(f, &items[i]));
    }
    question = intern(f->ir->names, question);
    const struct value *known = live_answered(l, question);
    if (known)
        return known;
    o.integer = f->inlining != 0;
    bool good = l->host->call(l->host->user, c->id, items, a->count + a->num_names, a->names, a->num_names, &o);
    if (good && o.kind == SDFG_OBJECT_UNKNOWN && !o.text)
        return NULL;
    return live_take(l, n, h, question, path, good, &o);
}

static const struct value *callback(struct fe_host *h, const struct py *n, const struct fe_callee *callee,
                                    struct fe_args *a)
{
    return live_callback(of(h)->live, n, callee, a);
}

static const struct value *method_caller(struct fe_host *h, const struct py *n, const char *name)
{
    struct live *l = of(h)->live;
    struct fe *f = l->f;
    const char *question = intern(f->ir->names, fe_format(f, "method %s", name));
    const struct value *known = live_answered(l, question);
    struct sdfg_object o = live_unknown();
    if (known || !l->host->attribute || !l->host->callback)
        return known;
    bool good = l->host->attribute(l->host->user, 0, name, &o);
    const struct value *v = live_take(l, n, h, question, name, good, &o);
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
    struct fe_callee callee = { v->object->id, v->object->self, v->object->path, v->object->why };
    const struct value *result = l->host->call ? compute(h, n, &callee, a) : NULL;
    if (result || f->said)
        return result;
    const struct value *method = attribute(h, n, v, "__call__");
    if (method && method->kind == FE_FUNCTION)
        return fe_call_value(f, n, method, a);
    if (!f->said && (h->callback || l->host->graph))
        return callback(h, n, &callee, a);
    return f->said ? NULL : fe_unsupported(f, n, "a call of %s", v->object->what);
}

/* ---- the host ---- */

const struct fe_host live_questions = {
    .lookup = lookup,
    .parameter = parameter,
    .attribute = attribute,
    .item = item,
    .key = key_of,
    .call = call,
    .compute = compute,
    .begin = begin,
    .end = end,
    .callback = callback,
    .method = method_caller,
};

const struct fe_function *fe_live(struct fe *f, const struct sdfg_host *host, uint64_t id)
{
    struct live *l = NEW(f->arena, struct live);
    *l = (struct live){ .f = f, .host = host, .entry = id };
    f->typed = host->typed;
    f->typed_user = host->user;
    return live_function(l, NULL, id);
}
