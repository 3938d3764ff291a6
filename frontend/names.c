/* Names: what they are bound to, and what symbols of a module stand for in the function that is lowered. */
#include "frontend/lower.h"

#include "base/near.h"

struct fe_binding *fe_find(struct fe_scope *s, const char *name)
{
    uintptr_t at = (uintptr_t)map_get(&s->places, name);
    bool there = at && at <= s->names.count && s->names.items[at - 1].name == name;
    return there ? &s->names.items[at - 1] : NULL;
}

struct fe_binding *fe_bind(struct fe *f, struct fe_scope *s, const char *name, const struct value *v)
{
    struct fe_binding *b = fe_find(s, name);
    if (b) {
        fe_change(f, s, b);
    } else {
        vec_push(f->arena, &s->names, ((struct fe_binding){ .name = name, .epoch = s->epoch }));
        map_put(f->arena, &s->places, name, (void *)(uintptr_t)s->names.count);
        b = &vec_last(&s->names);
    }
    b->value = v;
    b->gone = NULL;
    return b;
}

/* ---- snapshots ---- */

struct fe_binding *fe_change(struct fe *f, struct fe_scope *s, struct fe_binding *b)
{
    if (b->epoch != s->epoch)
        vec_push(f->arena, &s->changes, ((struct fe_change){ (uint32_t)(b - s->names.items), *b }));
    b->epoch = s->epoch;
    return b;
}

struct fe_snapshot fe_snapshot(struct fe *f)
{
    struct fe_scope *s = f->scope;
    s->epoch++;
    return (struct fe_snapshot){
        .changes = s->changes.count, .count = s->names.count, .symbols = f->symbols.count, .ended = f->ended
    };
}

void fe_restore(struct fe *f, const struct fe_snapshot *s)
{
    struct fe_scope *scope = f->scope;
    while (scope->changes.count > s->changes) {
        const struct fe_change *c = &scope->changes.items[--scope->changes.count];
        struct fe_binding *b = &scope->names.items[c->place];
        const struct type *joined = b->joined;
        bool weak = b->joined_weak;
        *b = c->before;
        b->joined = joined;
        b->joined_weak = weak;
    }
    scope->names.count = s->count;
    f->symbols.count = s->symbols;
    f->ended = s->ended;
}

struct fe_changed fe_changed(struct fe *f, const struct fe_snapshot *s)
{
    struct fe_changed found = { 0 };
    for (uint32_t i = s->changes; i < f->scope->changes.count; i++) {
        const struct fe_change *c = &f->scope->changes.items[i];
        if (c->place >= s->count || map_has(&found.by_name, c->before.name))
            continue;
        vec_push(f->arena, &found.list, *c);
        map_put(f->arena, &found.by_name, c->before.name, (void *)(uintptr_t)found.list.count);
    }
    return found;
}

const struct value *fe_was(const struct fe *f, const struct fe_snapshot *s, const struct fe_changed *changed,
                           const struct fe_binding *b)
{
    if (b - f->scope->names.items >= (ptrdiff_t)s->count)
        return NULL;
    uintptr_t at = (uintptr_t)map_get(&changed->by_name, b->name);
    return at ? changed->list.items[at - 1].before.value : b->value;
}

/* ---- symbols ---- */

struct substitution {
    struct fe *f;
    const struct py *node;
    bool failed;
};

static const struct value *given_for(struct fe *f, const char *name)
{
    for (struct fe_scope *scope = f->scope; scope; scope = scope->caller)
        for (uint32_t i = 0; i < scope->symbols.count; i++)
            if (scope->symbols.items[i] == name)
                return scope->symbol_values.items[i];
    return NULL;
}

/* What a symbol of the module stands for in the function that is lowered. */
static const struct sym *symbol_value(struct substitution *s, const char *name)
{
    struct fe *f = s->f;
    for (struct fe_scope *scope = f->scope; scope; scope = scope->caller)
        for (uint32_t i = 0; i < scope->symbols.count; i++) {
            if (scope->symbols.items[i] != name)
                continue;
            const struct value *v = fe_as_symbol(f, s->node, scope->symbol_values.items[i]);
            s->failed |= !v;
            if (v)
                scope->symbol_values.items[i] = v;
            return v ? fe_sym(f, v) : NULL;
        }
    if (map_has(&f->symbol_types, name) && !fe_has_name(f->program_symbols.items, f->program_symbols.count, name)) {
        vec_push(f->arena, &f->program_symbols, name);
        map_put(f->arena, &f->used_names, name, (void *)1);
    }
    return NULL;
}

static const struct sym *substitute_name(void *user, const struct sym *name) { return symbol_value(user, name->name); }

const struct value *fe_in_context(struct fe *f, const struct py *n, const struct value *v)
{
    struct substitution s = { f, n, false };
    if (f->raw || !f->level)
        return v;
    if (v->kind == FE_SYMBOL && v->sym->op == SYM_NAME) { /* alone it may stand for a float */
        const struct value *given = given_for(f, v->sym->name);
        if (given && (given->kind == FE_FLOAT || given->kind == FE_COMPLEX ||
                      (fe_is_data(given) && !fe_is_int_type(given->type))))
            return given;
    }
    if (v->kind == FE_SYMBOL) {
        const struct sym *sym = sym_substitute(f->ir, v->sym, substitute_name, &s);
        return s.failed ? NULL : sym == v->sym ? v : fe_symbol(f, sym);
    }
    if (v->kind != FE_DESC)
        return v;
    struct value *d = arena_copy(f->arena, v, sizeof *v);
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, v->rank + 1);
    for (uint32_t i = 0; i < v->rank; i++)
        shape[i] = sym_substitute(f->ir, v->shape[i], substitute_name, &s);
    d->shape = shape;
    return s.failed ? NULL : d;
}

/* ---- names ---- */

static void try_near(void *near, const char *name) { near_try(near, name); }

static const struct value *unknown(struct fe *f, const struct py *n, const char *name)
{
    struct near near = near_begin(name);
    for (struct fe_scope *s = f->scope; s; s = s->outer) {
        for (uint32_t i = 0; i < s->names.count; i++)
            if (s->names.items[i].value)
                near_try(&near, s->names.items[i].name);
        if (s->host && s->host->names)
            s->host->names(s->host, try_near, &near);
    }
    return *near.best ? fe_error(f, n, "'%s' is not defined; did you mean '%s'?", name, near.best)
                      : fe_error(f, n, "'%s' is not defined", name);
}

struct own_names {
    struct fe *f;
    struct fe_scope *scope;
};

static bool collect_own(void *user, struct py *n)
{
    struct own_names *o = user;
    if (n->kind == PY_NAME && n->name.ctx == PY_STORE)
        map_put(o->f->arena, &o->scope->own, n->name.id, (void *)1);
    if (n == o->scope->body)
        return true;
    if (n->kind == PY_FUNCTION_DEF)
        map_put(o->f->arena, &o->scope->own, n->function.name, (void *)1);
    return n->kind != PY_FUNCTION_DEF && n->kind != PY_LAMBDA && n->kind != PY_LIST_COMP &&
           n->kind != PY_GENERATOR_EXP && n->kind != PY_SET_COMP && n->kind != PY_DICT_COMP;
}

/* Whether the function makes the name a local one, by assigning it anywhere. */
static bool is_own(struct fe *f, struct fe_scope *s, const char *name)
{
    if (!s->body)
        return false;
    if (!s->own_known)
        py_visit((struct py *)s->body, collect_own, &(struct own_names){ f, s });
    s->own_known = true;
    return map_has(&s->own, name);
}

/* Names that DaCe's programs need not import. */
static const struct value *known_to_dace(struct fe *f, const char *name)
{
    if (strcmp(name, "dace") == 0)
        return fe_known_module(f, name);
    bool map = strcmp(name, "parrange") == 0 || strcmp(name, "prange") == 0;
    return map ? fe_module_attribute(f, "dace", name) : NULL;
}

const struct value *fe_name(struct fe *f, const struct py *n)
{
    const char *name = n->name.id;
    for (struct fe_scope *s = f->scope; s; s = s->outer) {
        struct fe_binding *b = fe_find(s, name);
        if (b && !b->value && b->gone == fe_wrong)
            return NULL; /* what was wrong there has been said */
        if (b && !b->value && b->gone)
            return fe_error(f, n, "'%s' %s", name, b->gone);
        f->said = false;
        const struct value *v = b ? b->value : s->host ? s->host->lookup(s->host, n, name) : NULL;
        if (v && s->is_module) {
            fe_typed(f, n, name, v);
            return fe_in_context(f, n, v);
        }
        if (v || f->said)
            return v;
        if (!b && is_own(f, s, name))
            return fe_error(f, n,
                            "'%s' is assigned in this function, so it is a local name, which has no value here yet; "
                            "programs cannot assign to names outside of them",
                            name);
    }
    const struct value *v = f->dace ? known_to_dace(f, name) : NULL;
    return v ? v : unknown(f, n, name);
}
