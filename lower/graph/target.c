/* Which target serves what. */
#include "lower/graph/target.h"

#include <string.h>

const struct target *target_builtin(const char *name)
{
    static const struct target *const all[] = { &cpu_target, &openmp_target, &mpi_target,
                                                &sve_target, &gpu_target,    &cuda_target };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

/* ---- parts of a target ---- */

static bool has(const struct target *t, size_t offset, size_t size)
{
    static const char none[sizeof(void (*)(void))];
    return offset + size <= t->size && memcmp((const char *)t + offset, none, size) != 0;
}

const struct target *target_with(const struct target *t, size_t offset, size_t size)
{
    while (t && !has(t, offset, size))
        t = t->extends;
    return t;
}

/* ---- claims ---- */

static bool is_named(const char *const *list, const char *name)
{
    for (uint32_t i = 0; name && list && list[i]; i++)
        if (!strcmp(list[i], name))
            return true;
    return !list;
}

static bool names_fit(const struct claim *c, enum claim_kind kind, const char *name, const char *to,
                      const char *schedule)
{
    return c->kind == kind && is_named(c->names, name) &&
           (kind != CLAIM_COPY || (is_named(c->to, to) && is_named(c->schedules, schedule)));
}

enum { RANK_PREDICATE = 8, RANK_SCHEDULE = 4 };

static int rank_of(const struct claim *c)
{
    return (c->holds ? RANK_PREDICATE : 0) + (c->schedules ? RANK_SCHEDULE : 0) + (c->names != NULL) + (c->to != NULL);
}

/* The best claim of one target; NULL: none. */
static const struct claim *best_claim(const struct target *t, enum claim_kind kind, const char *name, const char *to,
                                      const char *schedule, const struct claim_site *site)
{
    const struct target *base = TARGET_WITH(t, claims);
    const struct claim *best = NULL;
    for (uint32_t i = 0; base && i < base->num_claims; i++) {
        const struct claim *c = &base->claims[i];
        if (names_fit(c, kind, name, to, schedule) && (!best || rank_of(c) > rank_of(best)) &&
            (!c->holds || c->holds(t, c, site)))
            best = c;
    }
    return best;
}

bool target_find(const struct targets *all, enum claim_kind kind, const char *name, const char *to,
                 const char *schedule, const struct claim_site *site, struct claim_found *out,
                 const struct target **second)
{
    *out = (struct claim_found){ 0 };
    *second = NULL;
    for (uint32_t i = all->count; i-- > 0;) {
        const struct claim *c = best_claim(all->items[i], kind, name, to, schedule, site);
        if (!c || (out->claim && rank_of(c) < rank_of(out->claim)))
            continue;
        if (out->claim && rank_of(c) == rank_of(out->claim)) {
            if (c->holds && !*second)
                *second = all->items[i];
            continue;
        }
        *out = (struct claim_found){ all->items[i], c };
        *second = NULL;
    }
    return out->claim && !*second;
}

/* ---- what lowering asks ---- */

/* The first use of a target in a program. */
static bool begin(struct lower *lw, const struct target *t)
{
    if (map_has(&lw->used_targets, t))
        return true;
    map_put(lw->arena, &lw->used_targets, t, (void *)(uintptr_t)t);
    const struct target *with = TARGET_WITH(t, begin);
    return !with || with->begin(t, lw);
}

bool lower_end_targets(struct lower *lw)
{
    for (uint32_t i = 0; i < lw->targets->count; i++) {
        const struct target *t = lw->targets->items[i];
        const struct target *with = map_has(&lw->used_targets, t) ? TARGET_WITH(t, end) : NULL;
        if (with && !with->end(t, lw))
            return false;
    }
    return true;
}

/* What was found, if it can be used. */
static const struct target *usable(struct lower *lw, const struct place *place, const struct claim_found *found,
                                   const struct target *second)
{
    if (second)
        diag_error(lw->diags, place, DIAG_TARGETS_DISAGREE, found->target->name, second->name);
    else if (found->claim->refused)
        diag_error(lw->diags, place, DIAG_UNSUPPORTED, found->claim->refused);
    else if (begin(lw, found->target))
        return found->target;
    return NULL;
}

/* `t` if it can do `what`. NULL stays NULL. */
static const struct target *with_functions(struct lower *lw, const struct place *place, const struct target *t,
                                           bool there, const char *what)
{
    if (t && !there)
        diag_error(lw->diags, place, DIAG_TARGET_WITHOUT, t->name, what);
    return there ? t : NULL;
}

const struct target *lower_target_of_map(struct scope *sc, const struct map_entry *m)
{
    struct lower *lw = sc->act->lw;
    struct claim_site site = { .scope = sc, .node = &m->node };
    struct claim_found found;
    const struct target *second, *t;
    if (!target_find(lw->targets, CLAIM_SCHEDULE, m->schedule->name, NULL, NULL, &site, &found, &second) && !second) {
        diag_error(lw->diags, &m->node.place, DIAG_NO_SCHEDULE_TARGET, m->schedule->name);
        return NULL;
    }
    t = usable(lw, &m->node.place, &found, second);
    return with_functions(lw, &m->node.place, t, TARGET_WITH(t, enter) && TARGET_WITH(t, leave), "maps");
}

const struct target *lower_target_of_memory(struct scope *sc, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    struct claim_site site = { .scope = sc, .to = c };
    struct claim_found found;
    const struct target *second, *t;
    if (!target_find(lw->targets, CLAIM_STORAGE, c->storage->name, NULL, NULL, &site, &found, &second) && !second) {
        diag_error(lw->diags, &c->place, DIAG_NO_STORAGE_TARGET, c->storage->name);
        return NULL;
    }
    t = usable(lw, &c->place, &found, second);
    return with_functions(lw, &c->place, t, TARGET_WITH(t, allocate) && TARGET_WITH(t, release), "memory");
}

bool lower_has_parts(const struct lower *lw, const struct container *c)
{
    struct claim_site site = { .to = c };
    struct claim_found found;
    const struct target *second;
    return target_find(lw->targets, CLAIM_STORAGE, c->storage->name, NULL, NULL, &site, &found, &second) &&
           found.claim->parts;
}

/* ---- copies ---- */

const char *lower_schedule_around(const struct scope *sc)
{
    for (; sc; sc = sc->act->caller)
        for (const struct scope *s = sc; s; s = s->parent)
            if (s->entry)
                return as_map_entry(s->entry) ? as_map_entry(s->entry)->schedule->name
                                              : as_consume_entry(s->entry)->schedule->name;
    return NULL;
}

static bool no_copy(struct lower *lw, const struct place *place, const struct claim_site *site, const char *from,
                    const char *to)
{
    const struct container *const ends[] = { site->to, site->from };
    for (int i = 0; i < 2; i++) {
        struct claim_site end = { .scope = site->scope, .to = ends[i] };
        struct claim_found found;
        const struct target *second;
        if (ends[i] &&
            !target_find(lw->targets, CLAIM_STORAGE, ends[i]->storage->name, NULL, NULL, &end, &found, &second))
            return diag_error(lw->diags, place, DIAG_NO_STORAGE_TARGET, ends[i]->storage->name);
    }
    return diag_error(lw->diags, place, DIAG_NO_COPY_TARGET, from, to);
}

bool lower_copy_between(struct scope *sc, const struct place *place, const struct area *from, const struct area *to,
                        const struct memlet *m, bool atomic)
{
    static const char temporary[] = "Register";
    struct lower *lw = sc->act->lw;
    struct claim_site site = { .scope = sc, .from = from->desc, .to = to->desc };
    const char *source = from->desc ? from->desc->storage->name : temporary,
               *target = to->desc ? to->desc->storage->name : temporary;
    struct claim_found found;
    const struct target *second;
    if (!target_find(lw->targets, CLAIM_COPY, source, target, lower_schedule_around(sc), &site, &found, &second) &&
        !second)
        return no_copy(lw, place, &site, source, target);
    const struct target *t = usable(lw, place, &found, second), *with = TARGET_WITH(t, copy);
    return with_functions(lw, place, t, with, "copies") && with->copy(t, sc, place, from, to, m, atomic);
}

/* ---- memory ---- */

bool lower_release(struct lower *lw, const struct allocation *a, struct tree_stmt *block)
{
    return TARGET_WITH(a->owner, release)->release(a->owner, lw, a, block);
}

bool lower_allocate(struct scope *sc, struct allocation *a, struct tree_stmt *frees)
{
    return TARGET_WITH(a->owner, allocate)->allocate(a->owner, sc, a) && lower_release(sc->act->lw, a, frees);
}

/* ---- nodes ---- */

static bool (*const lower_by_kind[NODE_COUNT])(struct scope *, struct node *) = {
#define NODE(K, json, s, family, doc) [NODE_##K] = lower_##s,
#include "ir/nodes.def"
#undef NODE
};

static const char *const node_types[NODE_COUNT] = {
#define NODE(K, json, s, family, doc) [NODE_##K] = json,
#include "ir/nodes.def"
#undef NODE
};

bool lower_node_as_usual(struct scope *sc, struct node *n) { return lower_by_kind[n->kind](sc, n); }

const char *lower_node_type(const struct node *n)
{
    return n->kind == NODE_UNKNOWN ? as_unknown(n)->type_name : node_types[n->kind];
}

bool lower_node_by_target(struct scope *sc, struct node *n)
{
    struct lower *lw = sc->act->lw;
    struct claim_site site = { .scope = sc, .node = n };
    const char *type = lower_node_type(n);
    struct claim_found found;
    const struct target *second;
    if (!target_find(lw->targets, CLAIM_NODE, type, NULL, NULL, &site, &found, &second) && !second)
        return diag_error(lw->diags, &n->place, DIAG_BUG, "no target claims the node");
    const struct target *t = usable(lw, &n->place, &found, second), *with = TARGET_WITH(t, node);
    return with_functions(lw, &n->place, t, with, "nodes") && with->node(t, sc, n);
}
