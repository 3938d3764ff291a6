/* Names that loops and branches assign. A name that is bound before one and assigned in it gets storage: a container to
 * which all its versions are written. Its type is found by going through the body without building (f->dry) until it
 * stays. */
#include "frontend/lower.h"

#include <string.h>

/* ---- names that a body assigns ---- */

struct stores {
    struct fe *f;
    VEC(const char *) names;
    VEC(bool) updated; /* the first store is an augmented assignment */
    VEC(bool) plain;   /* some store is none */
};

static void add_store(struct stores *s, const char *name, bool updated)
{
    for (uint32_t i = 0; i < s->names.count; i++)
        if (s->names.items[i] == name) {
            s->plain.items[i] |= !updated;
            return;
        }
    vec_push(s->f->arena, &s->names, name);
    vec_push(s->f->arena, &s->updated, updated);
    vec_push(s->f->arena, &s->plain, !updated);
}

static void add_targets(struct stores *s, const struct py *n, bool updated)
{
    const struct py_list *elts = n->kind == PY_TUPLE ? &n->tuple.elts : n->kind == PY_LIST ? &n->list.elts : NULL;
    if (n->kind == PY_NAME)
        add_store(s, n->name.id, updated);
    for (uint32_t i = 0; elts && i < elts->count; i++)
        add_targets(s, elts->items[i], updated);
}

/* Of a tasklet, the variables that its memlets write; the names of its code are its own. False: it is none. */
static bool collect_tasklet(struct stores *s, const struct py_list *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->count; i++) {
        const char *name = fe_is_memlet(body->items[i]) ? fe_memlet_target(body->items[i]) : NULL;
        found |= fe_is_memlet(body->items[i]);
        if (name)
            add_store(s, name, true);
    }
    return found;
}

/* What a `return` binds in a callee. */
static void add_results(struct stores *s, const struct py *value, const char *name)
{
    add_store(s, name, false);
    for (uint32_t i = 0; value && value->kind == PY_TUPLE && i < value->tuple.elts.count; i++)
        add_results(s, value->tuple.elts.items[i], fe_result_name(s->f, name, i));
}

static bool collect(void *user, struct py *n)
{
    struct stores *s = user;
    switch (n->kind) {
    case PY_WITH:
        if (collect_tasklet(s, &n->with.body))
            return false;
        for (uint32_t i = 0; i < n->with.items.count; i++)
            if (n->with.items.items[i]->with_item.optional_vars)
                add_targets(s, n->with.items.items[i]->with_item.optional_vars, false);
        return true;
    case PY_ASSIGN:
        for (uint32_t i = 0; i < n->assign.targets.count; i++)
            add_targets(s, n->assign.targets.items[i], false);
        return true;
    case PY_AUG_ASSIGN:
        add_targets(s, n->aug_assign.target, true);
        return true;
    case PY_ANN_ASSIGN:
        if (n->ann_assign.value)
            add_targets(s, n->ann_assign.target, false);
        return true;
    case PY_NAMED_EXPR:
        add_targets(s, n->named.target, false);
        return true;
    case PY_RETURN:
        add_results(s, n->return_.value, intern(s->f->ir->names, "__result"));
        return true;
    case PY_FUNCTION_DEF:
        return n->function.decorator_list.count && !collect_tasklet(s, &n->function.body);
    case PY_LAMBDA:
        return false;
    default:
        return true;
    }
}

static struct stores stores_of(struct fe *f, const struct py_list *const *bodies, uint32_t count)
{
    struct stores s = { .f = f };
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = 0; i < bodies[b]->count; i++)
            py_visit(bodies[b]->items[i], collect, &s);
    return s;
}

/* ---- storage ---- */

/* The names of one construct that get storage in it. */
struct held {
    VEC(const char *) names;
    VEC(const struct value *) before;
};

static void set_storage(struct fe *f, struct fe_binding *b, struct fe_container *c)
{
    const struct value *v = fe_whole(f, c);
    ((struct value *)v)->weak = b->joined_weak && c->rank == 0;
    c->storage = true;
    c->symbol = NULL;
    fe_change(f, f->scope, b)->storage = c;
    b->value = v;
}

static struct fe_container *storage_for(struct fe *f, const struct fe_binding *b, const struct value *before)
{
    bool data = fe_is_data(before);
    struct fe_container *c = fe_container(f, b->name, b->joined, before->shape, data ? before->rank : 0);
    c->lists = fe_is_list(before) ? before->lists : 0;
    return c;
}

static struct held hold(struct fe *f, const struct stores *s, bool updates_only)
{
    struct held h = { 0 };
    for (uint32_t i = 0; i < s->names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, s->names.items[i]);
        if (!b || !b->value || b->storage || !fe_is_operand(b->value) || (updates_only && !s->updated.items[i]))
            continue;
        if (fe_is_data(b->value) && b->value->rank > 0 && !s->plain.items[i])
            continue; /* arrays are updated in place */
        vec_push(f->arena, &h.names, b->name);
        vec_push(f->arena, &h.before, b->value);
        b->joined = fe_own_type(f, b->value);
        b->joined_weak = b->value->weak;
    }
    return h;
}

/* Goes through the body without building until the types of the held names stay. The names are as after the body. */
static bool find_types(struct fe *f, struct held *h, fe_body *run, const void *user, const struct fe_snapshot *start)
{
    bool was_dry = f->dry, changed = true, good = true;
    uint32_t emitted = f->emitted;
    f->dry = true;
    for (int round = 0; changed && good && round < 8; round++) {
        bool weak[256] = { 0 };
        changed = false;
        fe_restore(f, start);
        for (uint32_t i = 0; i < h->names.count; i++) {
            struct fe_binding *b = fe_find(f->scope, h->names.items[i]);
            set_storage(f, b, storage_for(f, b, h->before.items[i]));
            weak[i % 256] = b->joined_weak;
        }
        good = run(f, user);
        for (uint32_t i = 0; i < h->names.count && good; i++) {
            struct fe_binding *b = fe_find(f->scope, h->names.items[i]);
            changed |= b->storage && (b->joined != b->storage->type || b->joined_weak != weak[i % 256]);
        }
    }
    f->dry = was_dry;
    f->emitted = emitted;
    return good;
}

static void release(struct fe *f, const struct held *h)
{
    for (uint32_t i = 0; i < h->names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, h->names.items[i]);
        if (b)
            fe_change(f, f->scope, b)->storage = NULL;
    }
}

/* Names that are new in both branches of an `if` meet behind it. */
static void hold_new(struct fe *f, struct held *h, const struct stores *s, const struct fe_snapshot *start)
{
    struct fe_changed changed = fe_changed(f, start);
    for (uint32_t i = 0; i < s->names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, s->names.items[i]);
        bool fresh = b && b->value && !fe_was(f, start, &changed, b);
        if (!fresh || !b->joined || !fe_is_operand(b->value) || fe_has_name(h->names.items, h->names.count, b->name))
            continue;
        vec_push(f->arena, &h->names, b->name);
        vec_push(f->arena, &h->before, b->value);
    }
}

/* A loop that binds a tuple, a string or None again: which one the name has depends on the iteration, so it has none at
 * the beginning of the body, and behind the loop. */
static void hide_constants(struct fe *f, const struct stores *s, const struct fe_snapshot *before)
{
    struct fe_changed changed = { 0 };
    if (before)
        changed = fe_changed(f, before);
    for (uint32_t i = 0; i < s->names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, s->names.items[i]);
        const struct value *v = !b ? NULL : before ? fe_was(f, before, &changed, b) : b->value;
        if (!v || b->storage || fe_is_operand(v) || v->kind == FE_PYOBJECT ||
            (v->kind == FE_STREAM && !s->plain.items[i]))
            continue;
        fe_change(f, f->scope, b)->value = NULL;
        b->gone = "is neither a number nor an array, and a loop binds it again: what it is depends on the iteration";
    }
}

static bool with_storage(struct fe *f, const struct stores *bodies, bool branches, bool updates_only, fe_body *run,
                         const void *user);

bool fe_with_storage(struct fe *f, const struct py_list *const *bodies, uint32_t count, bool updates_only, fe_body *run,
                     const void *user)
{
    struct stores s = stores_of(f, bodies, count);
    bool branches = count == 2;
    struct fe_snapshot before = fe_snapshot(f);
    if (!branches)
        hide_constants(f, &s, NULL);
    bool good = with_storage(f, &s, branches, updates_only, run, user);
    if (!branches)
        hide_constants(f, &s, &before);
    return good;
}

static bool with_storage(struct fe *f, const struct stores *bodies, bool branches, bool updates_only, fe_body *run,
                         const void *user)
{
    struct stores s = *bodies;
    struct fe_snapshot start = fe_snapshot(f);
    struct held h = hold(f, &s, updates_only);
    if ((h.names.count || branches) && !find_types(f, &h, run, user, &start)) {
        release(f, &h); /* this storage was never built */
        return false;
    }
    if (branches && !f->dry)
        hold_new(f, &h, &s, &start);
    if (f->dry && h.names.count) { /* this was the pass */
        release(f, &h);
        return true;
    }
    VEC(struct fe_binding) found = { 0 };
    for (uint32_t i = 0; i < h.names.count; i++)
        vec_push(f->arena, &found, *fe_find(f->scope, h.names.items[i]));
    fe_restore(f, &start);
    for (uint32_t i = 0; i < h.names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, h.names.items[i]);
        bool bound = b && b->value;
        if (!b)
            b = fe_bind(f, f->scope, h.names.items[i], NULL);
        b->joined = found.items[i].joined;
        b->joined_weak = found.items[i].joined_weak;
        const struct value *before = h.before.items[i];
        struct fe_container *c = storage_for(f, b, before);
        set_storage(f, b, c);
        if (bound && !fe_store(f, NULL, fe_whole(f, c), before, NULL))
            return false;
    }
    bool good = run(f, user);
    release(f, &h);
    return good;
}

void fe_mark_wrong(struct fe *f, const struct py *n)
{
    struct stores s = { .f = f };
    py_visit((struct py *)n, collect, &s);
    for (uint32_t i = 0; i < s.names.count; i++) {
        struct fe_binding *b = fe_find(f->scope, s.names.items[i]);
        if (!b || !b->storage)
            fe_bind(f, f->scope, s.names.items[i], NULL)->gone = fe_wrong;
    }
}
