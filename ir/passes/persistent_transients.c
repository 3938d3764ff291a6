/* Arrays of the program whose size is known when it begins are taken once, instead of in each call: their lifetime
 * becomes Persistent, as DaCe's make_transients_persistent does it.
 *
 * That is for arrays of the outermost SDFG that lie outside of all scopes and have the lifetime Scope, on the heap of
 * the host or in the memory of a device. Their extents may depend on symbols that callers give and nothing assigns.
 * Those of a single element stay: they become variables. */
#include "ir/passes/passes.h"

struct lifetimes {
    struct sdfg *sdfg;
    struct map given;    /* symbols that calls have */
    struct map in_scope; /* containers that a scope uses for itself */
};

static void see_access(struct lifetimes *x, const struct node *n)
{
    const struct access *a = as_access(n);
    if (a && n->scope && a->data)
        map_put(x->sdfg->ir->arena, &x->in_scope, a->data, a->data);
}

static void see_block(void *user, struct block *b)
{
    const struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        see_access(user, st->nodes.items[i]);
}

static bool lies_in_memory(const struct container *c)
{
    switch (c->storage->row) {
    case STORAGE_DEFAULT:
    case STORAGE_CPU_HEAP:
    case STORAGE_CPU_PINNED:
    case STORAGE_GPU_GLOBAL:
        return true;
    default:
        return false;
    }
}

struct check {
    const struct map *given;
    bool ok;
};

static void check_name(void *user, const struct sym *name)
{
    struct check *x = user;
    x->ok = x->ok && map_has(x->given, name->name);
}

static bool is_known(const struct lifetimes *x, const struct sym *size)
{
    struct check check = { &x->given, true };
    sym_visit_names(size, check_name, &check);
    return check.ok;
}

static bool is_persistent(const struct lifetimes *x, const struct container *c)
{
    bool ok = c->transient && c->kind == CONTAINER_ARRAY && c->lifetime->row == LIFETIME_SCOPE && lies_in_memory(c) &&
              !c->pool && !map_has(&x->in_scope, c) && is_known(x, c->total_size) && !sym_is_int(c->total_size, 1);
    for (uint32_t i = 0; ok && i < c->rank; i++)
        ok = is_known(x, c->shape[i]) && is_known(x, c->strides[i]);
    return ok;
}

static void find_given(struct lifetimes *x)
{
    struct sdfg *s = x->sdfg;
    struct map assigned = { 0 };
    const char **names;
    uint32_t count = sdfg_free_symbols(s, true, &names);
    sdfg_assigned_symbols(s, &assigned);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = intern(s->ir->names, names[i]);
        if (!map_has(&assigned, name))
            map_put(s->ir->arena, &x->given, name, (void *)(uintptr_t)name);
    }
}

bool sdfg_persistent_transients(struct sdfg *s)
{
    struct lifetimes x = { .sdfg = s };
    find_given(&x);
    region_each_block(&s->region, see_block, &x);
    for (uint32_t i = 0; i < s->containers.count; i++)
        if (is_persistent(&x, s->containers.items[i]))
            s->containers.items[i]->lifetime = enum_builtin(s->ir, LIFETIME_PERSISTENT);
    return true;
}
