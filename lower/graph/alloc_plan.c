/* Where transients live (semantics.md 3.3): computed once per activation.
 *
 * Memory whose size is known when the activation starts is taken there even if only one state uses it (its content is
 * undefined at state entry anyway), so loops over states do not allocate. Sizes that depend on symbols assigned inside
 * are allocated when control first reaches a use, and again when a state that only writes needs more. */
#include "lower/graph/alloc.h"
#include "lower/graph/instrument.h"
#include "lower/graph/stream.h"
#include "lower/graph/target.h"

/* ---- uses ---- */

const struct container *alloc_root(const struct container *c)
{
    while (c->parent)
        c = c->parent;
    return c;
}

static struct home *home_of(struct alloc_plan *p, const struct container *c)
{
    c = alloc_root(c);
    struct home *h = map_get(&p->homes, c);
    if (!h) {
        h = NEW(p->act->lw->arena, struct home);
        h->desc = c;
        map_put(p->act->lw->arena, &p->homes, c, h);
    }
    return h;
}

static uint32_t depth(const struct node *entry)
{
    uint32_t d = 0;
    for (; entry; entry = entry->scope)
        d++;
    return d;
}

static struct node *common_scope(struct node *a, struct node *b)
{
    while (depth(a) > depth(b))
        a = a->scope;
    while (depth(b) > depth(a))
        b = b->scope;
    while (a != b) {
        a = a->scope;
        b = b->scope;
    }
    return a;
}

static struct home *use(struct alloc_plan *p, const struct container *c, struct state *st, struct node *scope)
{
    struct home *h = home_of(p, c);
    if (h->used && h->state != st)
        h->shared = true;
    h->scope = h->used && h->state == st ? common_scope(h->scope, scope) : scope;
    h->state = st;
    h->used = true;
    return h;
}

/* The state has an access node of the container. */
static void use_access(struct alloc_plan *p, const struct access *a, struct state *st)
{
    struct home *h = use(p, a->data, st, a->node.scope);
    h->zero = h->zero || a->setzero;
    if (!h->states.count || h->states.items[h->states.count - 1] != st)
        vec_push(p->act->lw->arena, &h->states, st);
}

struct use_site {
    struct alloc_plan *plan;
    struct state *state; /* NULL: a transition, loop or branch */
    struct node *scope;
};

static void use_name(void *user, const char *name)
{
    struct use_site *s = user;
    const struct container *c = sdfg_find_container(s->plan->act->sdfg, name);
    if (!c)
        return;
    use(s->plan, c, s->state, s->scope);
    if (!s->state)
        home_of(s->plan, c)->shared = true;
}

static void use_sym_name(void *user, const struct sym *name) { use_name(user, name->name); }

static void use_subset(struct use_site *s, const struct subset *subset)
{
    for (uint32_t i = 0; subset && i < subset->rank; i++) {
        sym_visit_names(subset->dims[i].begin, use_sym_name, s);
        sym_visit_names(subset->dims[i].end, use_sym_name, s);
        sym_visit_names(subset->dims[i].step, use_sym_name, s);
    }
}

static void collect_state(struct alloc_plan *p, struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        struct use_site site = { p, st, n->scope };
        if (as_access(n) && as_access(n)->data) {
            use_access(p, as_access(n), st);
        } else if (as_map_entry(n)) {
            use_subset(&site, &as_map_entry(n)->range);
        } else if (as_consume_entry(n)) {
            sym_visit_names(as_consume_entry(n)->num_pes, use_sym_name, &site);
            if (as_consume_entry(n)->condition.tree)
                code_free_names(as_consume_entry(n)->condition.tree, use_name, &site);
        } else if (as_nested(n)) {
            for (uint32_t k = 0; k < as_nested(n)->mapping.count; k++)
                sym_visit_names(as_nested(n)->mapping.items[k].value, use_sym_name, &site);
        }
    }
    for (uint32_t i = 0; i < st->edges.count; i++) {
        struct edge *e = st->edges.items[i];
        struct use_site site = { p, st, node_is_entry(e->src) ? e->dst->scope : e->src->scope };
        use_subset(&site, e->memlet.subset);
        use_subset(&site, e->memlet.other);
    }
}

static void collect_code(struct alloc_plan *p, const struct code *c)
{
    struct use_site site = { .plan = p };
    if (c)
        code_free_names((struct code *)(uintptr_t)c, use_name, &site);
}

static void collect_block(void *user, struct block *b)
{
    struct alloc_plan *p = user;
    if (as_state(b))
        collect_state(p, as_state(b));
    if (as_loop(b)) {
        collect_code(p, as_loop(b)->init.tree);
        collect_code(p, as_loop(b)->condition.tree);
        collect_code(p, as_loop(b)->update.tree);
    }
    if (as_conditional(b))
        for (uint32_t i = 0; i < as_conditional(b)->branches.count; i++)
            collect_code(p, as_conditional(b)->branches.items[i].condition.tree);
    if (as_region(b))
        for (uint32_t i = 0; i < as_region(b)->transitions.count; i++) {
            struct transition *t = as_region(b)->transitions.items[i];
            collect_code(p, t->condition.tree);
            for (uint32_t k = 0; k < t->assignments.count; k++)
                collect_code(p, t->assignments.items[k].value);
        }
}

/* ---- where ---- */

struct depends {
    const struct alloc_plan *plan;
    bool found, assigned_only;
};

static void check_name(void *user, const struct sym *name)
{
    struct depends *d = user;
    struct activation *act = d->plan->act;
    if (map_has(&d->plan->assigned, name->name) ||
        (!d->assigned_only && !map_has(&act->symbols, name->name) && !sdfg_find_constant(act->sdfg, name->name)))
        d->found = true;
}

/* Does the size need a symbol that has no value when the activation starts? */
static bool size_changes(const struct alloc_plan *p, const struct container *c, bool assigned_only)
{
    struct depends d = { .plan = p, .assigned_only = assigned_only };
    sym_visit_names(c->total_size, check_name, &d);
    sym_visit_names(c->start_offset, check_name, &d);
    for (uint32_t i = 0; i < c->members.count; i++)
        d.found = d.found || size_changes(p, c->members.items[i], assigned_only);
    return d.found;
}

static enum home_kind decide(const struct alloc_plan *p, const struct home *h)
{
    const struct container *c = h->desc;
    switch (c->lifetime->row) {
    case LIFETIME_PERSISTENT:
        return HOME_PERSISTENT;
    case LIFETIME_EXTERNAL:
        return HOME_EXTERNAL;
    case LIFETIME_GLOBAL:
        return HOME_GLOBAL;
    case LIFETIME_SDFG:
        return size_changes(p, c, true) ? HOME_LAZY : HOME_ENTRY;
    default:
        break;
    }
    if (!h->shared && h->scope && c->lifetime->row == LIFETIME_SCOPE)
        return HOME_SCOPE;
    if (!h->shared && is_stream(c)) /* its queues are empty whenever the state is entered */
        return HOME_STATE;
    if (!size_changes(p, c, false))
        return HOME_ENTRY;
    return h->shared ? HOME_LAZY : HOME_STATE;
}

static void place_at(struct alloc_plan *p, const void *where, struct home *h)
{
    struct arena *a = p->act->lw->arena;
    struct home_list *list = map_get(&p->places, where);
    if (!list)
        map_put(a, &p->places, where, list = NEW(a, struct home_list));
    vec_push(a, list, h);
}

/* Where lower_allocate_scope has something to do for it. */
static void place(struct alloc_plan *p, struct home *h)
{
    switch (h->kind) {
    case HOME_NONE:
        return;
    case HOME_SCOPE:
        place_at(p, h->scope, h);
        return;
    case HOME_STATE:
        place_at(p, h->state, h);
        return;
    default:
        place_at(p, p->act, h);
    }
    for (uint32_t i = 0; h->kind == HOME_LAZY && i < h->states.count; i++)
        place_at(p, h->states.items[i], h);
    /* setzero of memory that is taken earlier than DaCe would: cleared when its state is entered */
    if (h->kind == HOME_ENTRY && h->zero && !h->shared && h->desc->lifetime->row != LIFETIME_SDFG &&
        !container_is_reference(h->desc))
        place_at(p, h->state, h);
}

const struct home_list *alloc_homes_at(const struct scope *sc)
{
    const void *where = sc->entry ? (const void *)sc->entry : sc->state ? (const void *)sc->state : sc->act;
    return map_get(&sc->act->plan->places, where);
}

bool lower_plan_allocations(struct activation *act)
{
    struct lower *lw = act->lw;
    struct alloc_plan *p = NEW(lw->arena, struct alloc_plan);
    p->act = act;
    act->plan = p;
    lower_assigned_symbols(act->lw, act->sdfg, &p->assigned);
    collect_block(p, &act->sdfg->region.block);
    region_each_block(&act->sdfg->region, collect_block, p);
    for (uint32_t i = 0; i < p->homes.count; i++) {
        struct home *h = p->homes.slots[i].value;
        if (!h->desc->transient || container_is_view(h->desc) || h->desc->distributed)
            continue; /* it has no memory of its own */
        h->kind = container_is_reference(h->desc) ? HOME_ENTRY : decide(p, h);
        place(p, h);
        if (lower_has_parts(lw, h->desc))
            vec_push(lw->arena, &p->locals, h->desc);
    }
    return true;
}

bool lower_is_private_to(const struct activation *act, const struct container *c, const struct node *entry)
{
    const struct home *h = map_get(&act->plan->homes, alloc_root(c));
    if (!h || h->kind != HOME_SCOPE)
        return false;
    for (const struct node *s = h->scope; s; s = s->scope)
        if (s == entry)
            return true;
    return false;
}
