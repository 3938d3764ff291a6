/* Calls that the interpreter makes at run time: a tasklet calls a function pointer that the program takes. Memory is
 * passed as the address of a container with offset, extents and strides, so that the interpreter sees any view, also
 * one whose size is known at run time only; results come back through pointers. Single values are arrays of rank 0. */
#include "frontend/live.h"

#include <string.h>

struct passed {
    struct fe_container *container;
    const char *name; /* of the connectors behind "__in_", "__out_" */
    bool read, write;
};

struct callback {
    struct fe *f;
    const struct py *node;
    VEC(struct passed) passed;
    VEC(const char *) texts; /* of the arguments of the call; NULL: the address of the next in `order` */
    VEC(uint32_t) order;     /* in `passed` */
    VEC(struct type_field) types;
    VEC(const struct value *) values; /* of the arguments of the call, in memory where the run knows them */
    bool failed;
};

static void argument(struct callback *c, const char *text, const struct type *type)
{
    struct type_field field = { .name = "", .type = type };
    vec_push(c->f->arena, &c->texts, text);
    vec_push(c->f->arena, &c->types, field);
}

static void number(struct callback *c, const struct sym *s)
{
    argument(c, fe_text(c->f, s), type_basic(c->f->ir, TYPE_I64));
}

static void address(struct callback *c, struct fe_container *to, bool read, bool write)
{
    struct fe *f = c->f;
    uint32_t i = 0;
    while (i < c->passed.count && c->passed.items[i].container != to)
        i++;
    if (i == c->passed.count)
        vec_push(f->arena, &c->passed, ((struct passed){ .container = to, .name = fe_format(f, "%u", i) }));
    c->passed.items[i].read |= read;
    c->passed.items[i].write |= write;
    vec_push(f->arena, &c->order, i);
    argument(c, NULL, type_pointer(f->ir, to->type));
}

/* ---- arguments ---- */

static const struct sym *const *strides_of(struct fe *f, const struct fe_container *c)
{
    const struct sym **list = NEW_ARRAY(f->arena, const struct sym *, c->rank + 1), *step = sym_int(f->ir, 1);
    for (uint32_t i = c->rank; i-- > 0; step = sym_mul(f->ir, step, c->shape[i]))
        list[i] = c->strides ? c->strides[i] : step;
    return list;
}

static void view(struct callback *c, const struct value *v)
{
    struct fe *f = c->f;
    struct fe_container *to = v->view.container;
    const struct sym *const *steps = strides_of(f, to), *offset = sym_int(f->ir, 0), *own[FE_MAX_RANK];
    for (uint32_t i = 0; i < v->rank; i++)
        own[i] = sym_int(f->ir, 0);
    for (uint32_t i = 0; i < to->rank; i++) {
        const struct fe_dim *d = &v->view.dims[i];
        offset = sym_add(f->ir, offset, sym_mul(f->ir, d->begin, steps[i]));
        if (d->axis >= 0)
            own[d->axis] = sym_mul(f->ir, d->step, steps[i]);
    }
    address(c, to, true, to->rank > 0);
    number(c, offset);
    for (uint32_t i = 0; i < v->rank; i++)
        number(c, v->shape[i]);
    for (uint32_t i = 0; i < v->rank; i++)
        number(c, own[i]);
}

static bool has_index(const struct value *v)
{
    for (uint32_t i = 0; i < v->view.container->rank; i++)
        if (v->view.dims[i].index)
            return true;
    return false;
}

static void data_object(struct callback *c, const struct value *v, struct sdfg_object *o)
{
    struct fe *f = c->f;
    const char **shape = NEW_ARRAY(f->arena, const char *, v->rank + 1);
    for (uint32_t i = 0; i < v->rank; i++)
        shape[i] = fe_text(f, v->shape[i]);
    o->kind = v->rank ? SDFG_OBJECT_ARRAY : SDFG_OBJECT_VALUE;
    o->type = v->kind == FE_PYOBJECT ? "pyobject" : v->type->name;
    o->weak = v->weak;
    o->rank = v->rank;
    o->shape = shape;
    if (v->kind == FE_VIEW && v->rank && fe_same_places(v, fe_whole(f, v->view.container)))
        o->text = v->view.container->name;
}

/* What stands for the value in the call; NULL after a mistake. */
static const struct value *object(struct callback *c, const struct value *v, struct sdfg_object *o)
{
    struct fe *f = c->f;
    *o = (struct sdfg_object){ .struct_size = sizeof *o };
    if (v->kind == FE_TUPLE || v->kind == FE_DICT) {
        struct sdfg_object *items = NEW_ARRAY(f->arena, struct sdfg_object, v->count + 1);
        for (uint32_t i = 0; i < v->count; i++)
            (void)object(c, v->items[i], &items[i]);
        o->kind = v->kind == FE_DICT ? SDFG_OBJECT_DICTIONARY : v->list ? SDFG_OBJECT_LIST : SDFG_OBJECT_TUPLE;
        o->count = v->count;
        o->items = items;
        return v;
    }
    if (v->kind == FE_SYMBOL) {
        o->kind = SDFG_OBJECT_SYMBOL;
        o->text = fe_text(f, v->sym);
        number(c, v->sym);
        return v;
    }
    if (fe_is_data(v) || v->kind == FE_PYOBJECT) {
        bool weak = v->weak;
        if (v->kind == FE_ELEM)
            v = fe_copy(f, c->node, v, "argument");
        else if (v->kind == FE_VIEW && has_index(v))
            v = fe_plain(f, c->node, v, "argument");
        if (v) {
            data_object(c, v, o);
            o->weak = weak;
            view(c, v);
        }
        c->failed |= !v;
        return v;
    }
    if (!fe_to_object(v, o))
        c->failed |=
            !fe_unsupported(f, c->node, "%s as an argument of a call that the interpreter makes", fe_describe(f, v));
    return v;
}

/* ---- results ---- */

static void wanted_object(struct callback *c, const struct value *v, struct sdfg_object *o)
{
    *o = (struct sdfg_object){ .struct_size = sizeof *o };
    if (v && v->kind == FE_TUPLE) {
        struct sdfg_object *items = NEW_ARRAY(c->f->arena, struct sdfg_object, v->count + 1);
        for (uint32_t i = 0; i < v->count; i++)
            wanted_object(c, v->items[i], &items[i]);
        o->kind = SDFG_OBJECT_TUPLE;
        o->count = v->count;
        o->items = items;
    } else if (v && v->kind == FE_NONE) {
        o->kind = SDFG_OBJECT_NONE;
    } else if (v && v->type) {
        data_object(c, v, o);
        o->integer = v->kind == FE_VIEW; /* elements that are assigned: the value need not have their shape */
    }
}

static const struct value *result(struct callback *c, const struct sdfg_object *o, const char *wish)
{
    struct fe *f = c->f;
    if (o->kind == SDFG_OBJECT_NONE)
        return fe_none(f);
    if (o->kind == SDFG_OBJECT_TUPLE) {
        const struct value **items = NEW_ARRAY(f->arena, const struct value *, o->count + 1);
        for (size_t i = 0; i < o->count; i++)
            if (!(items[i] = result(c, &o->items[i], wish)))
                return NULL;
        return fe_tuple(f, items, (uint32_t)o->count);
    }
    bool opaque = o->type && strcmp(o->type, "pyobject") == 0;
    const struct type *t = opaque ? type_basic(f->ir, TYPE_U64) : o->type ? type_by_name(f->ir, o->type) : NULL;
    if (!t || !type_is_basic(t) || o->rank > FE_MAX_RANK)
        return fe_unsupported(f, c->node, "a result of type %s", o->type ? o->type : "unknown");
    const struct sym *shape[FE_MAX_RANK];
    for (size_t i = 0; i < o->rank; i++) {
        const struct value *n = fe_in_context(f, c->node, fe_symbol(f, build_sym(f->ir, NULL, o->shape[i])));
        shape[i] = n ? fe_sym(f, n) : NULL;
        if (!shape[i])
            return NULL;
    }
    struct fe_container *to = fe_container(f, wish, t, shape, (uint32_t)o->rank);
    address(c, to, false, true);
    for (size_t i = 0; i < o->rank; i++)
        number(c, shape[i]);
    struct value *v = (struct value *)fe_whole(f, to);
    v->weak = o->weak && !o->rank;
    if (opaque)
        v->kind = FE_PYOBJECT;
    return v;
}

/* ---- the tasklet ---- */

static const char *connector(struct fe *f, const struct passed *p, bool out)
{
    return fe_format(f, "%s_%s", out ? "__out" : "__in", p->name);
}

static void point(struct fe *f, struct node *n, bool out, const char *name, const struct type *to)
{
    for (uint32_t i = 0; i < (out ? n->out_conns.count : n->in_conns.count); i++) {
        struct connector *c = out ? &n->out_conns.items[i] : &n->in_conns.items[i];
        if (strcmp(c->name, name) == 0) {
            c->type = type_pointer(f->ir, to);
            c->inferred = false;
        }
    }
}

/* What may be written is passed by one name throughout. */
static const char *code_of(struct callback *c, const char *name)
{
    struct text code = text_new(c->f->arena);
    uint32_t next = 0;
    text_printf(&code, "%s(", name);
    for (uint32_t i = 0; i < c->texts.count; i++) {
        const struct passed *p = c->texts.items[i] ? NULL : &c->passed.items[c->order.items[next++]];
        text_printf(&code, "%s%s", i ? ", " : "", p ? connector(c->f, p, p->write) : c->texts.items[i]);
    }
    text_addc(&code, ')');
    return text_get(&code);
}

static void build(struct callback *c, const char *name)
{
    struct fe *f = c->f;
    struct text in = text_new(f->arena), out = text_new(f->arena);
    for (uint32_t i = 0; i < c->passed.count; i++) {
        const struct passed *p = &c->passed.items[i];
        if (p->read)
            text_printf(&in, "%s%s", in.length ? ", " : "", connector(f, p, false));
        if (p->write)
            text_printf(&out, "%s%s", out.length ? ", " : "", connector(f, p, true));
    }
    build_callback(f->level->sdfg, name, type_callback(f->ir, c->types.items, c->types.count, NULL, 0));
    struct state *st = fe_state(f, "callback");
    struct tasklet *t = build_tasklet(st, fe_format(f, "callback_%u", fe_label_line(f)), text_get(&in), text_get(&out),
                                      code_of(c, name));
    t->side_effects = 1;
    fe_mark(f, &t->node.place);
    for (uint32_t i = 0; i < c->passed.count; i++) {
        const struct passed *p = &c->passed.items[i];
        for (int write = 0; write < 2; write++) {
            if (!(write ? p->write : p->read))
                continue;
            const char *conn = connector(f, p, write), *region = fe_whole_text(f, p->container);
            struct node *access = fe_access(f, st, p->container, write);
            struct edge *e = write ? build_path(region, NULL, conn, NULL, &t->node, access, NULL)
                                   : build_path(region, NULL, NULL, conn, access, &t->node, NULL);
            point(f, &t->node, write, conn, p->container->type);
            fe_mark(f, &e->place);
        }
    }
}

/* The call as the host hears of it. */
static bool site_of(struct callback *c, const struct fe_callee *callee, const struct fe_args *a, sdfg_site *site)
{
    struct fe *f = c->f;
    uint32_t count = a->count + a->num_names;
    struct sdfg_object *items = NEW_ARRAY(f->arena, struct sdfg_object, count + 1),
                       *wish = NEW(f->arena, struct sdfg_object);
    for (uint32_t i = 0; i < count; i++) {
        const struct value *v = object(c, i < a->count ? a->items[i] : a->values[i - a->count], &items[i]);
        vec_push(f->arena, &c->values, v);
    }
    if (c->failed)
        return false;
    wanted_object(c, a->wanted, wish);
    *site = (sdfg_site){ .struct_size = sizeof *site,
                         .object = callee->id,
                         .self = callee->self,
                         .path = callee->path,
                         .why = callee->why,
                         .file = f->source->path,
                         .line = f->place.line,
                         .arguments = items,
                         .count = count,
                         .names = a->names,
                         .num_names = a->num_names,
                         .wanted = wish,
                         .manager = a->manager };
    return true;
}

static const struct value *call_back(struct callback *c, struct live *l, sdfg_site *site, const char *wish)
{
    struct fe *f = c->f;
    struct sdfg_object o = { .struct_size = sizeof o };
    const char *last = strrchr(site->path, '.');
    const char *called = last ? last + 1 : site->path; /* "f() in line 3": a result of f */
    site->argument = f->dry ? NULL : fe_unique(f, arena_strndup(f->arena, called, strcspn(called, "( ")));
    if (!l->host->callback(l->host->user, site, &o))
        return fe_unsupported(f, c->node, "%s: %s", site->path,
                              o.text      ? arena_strdup(f->arena, o.text)
                              : site->why ? site->why
                                          : "it cannot be called");
    for (uint32_t i = 0; i < c->passed.count && o.integer; i++)
        c->passed.items[i].write = false;
    const struct value *v = result(c, &o, wish ? wish : "result");
    f->emitted++;
    if (v && !f->dry)
        build(c, site->argument);
    return v;
}

static const struct value *refuse(struct fe *f, const struct py *n, const char *called, const char *where,
                                  const char *why)
{
    return fe_unsupported(f, n, "a call that the interpreter makes (of '%s'), %s%s%s", called, where, why ? ": " : "",
                          why ? why : "");
}

const struct value *live_callback(struct live *l, const struct py *n, const struct fe_callee *callee,
                                  const struct fe_args *a)
{
    struct fe *f = l->f;
    struct callback c = { .f = f, .node = n };
    const char *why = NULL, *wish = f->wish;
    sdfg_site site;
    if (!f->level)
        return refuse(f, n, callee->path, "outside of the program's statements", NULL);
    f->wish = NULL;
    f->said = false;
    if (!site_of(&c, callee, a, &site))
        return NULL;
    const struct value *v = live_graph(l, n, &site, c.values.items, wish, &why);
    if (v || f->said)
        return v;
    if (!l->host->callback)
        return fe_unsupported(f, n, "a call of '%s'%s%s", callee->path, why ? ": " : "", why ? why : "");
    f->ordered |= f->level->outer != NULL;
    if (f->level->outer)
        return refuse(f, n, callee->path, "in a parallel map", why);
    return call_back(&c, l, &site, wish);
}
