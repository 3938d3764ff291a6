/* States are only where order demands them: neighbours become one where the dataflow keeps the order of what they do.
 *
 *     state { A -> map -> T }                     state { A -> map -> T -> map -> B }
 *     state { T -> map -> B }          ->
 *
 * Each statement gives states of its own, so this is done when a graph is complete. What the second one reads comes
 * from the last access node of the first one; what it changes, it must change behind all of the first one that has to
 * do with that memory: there is a path. Arguments may be the same memory. States with effects beyond memory, streams
 * and views stay on their own, and so do those that use memory of a size known at run time only which is older than an
 * iteration: what it holds would end with the state. */
#include "frontend/lower.h"

#include <string.h>

enum { MOST_NODES = 64 };

struct join {
    const struct fe *f;
    struct state *first, *second;
    struct map assigned;           /* symbols of the graph that get their values in it */
    struct node *same[MOST_NODES]; /* by node of the second: the one of the first that it becomes, or NULL */
    bool
        before[2 * MOST_NODES]; /* by node of both, those of the first in front: there is a path to the one asked for */
};

/* ---- which states ---- */

static bool is_memory(const struct container *c) { return c->kind == CONTAINER_ARRAY || c->kind == CONTAINER_SCALAR; }

static bool is_quiet_block(const struct fe *f, struct block *b);

static bool is_quiet_region(const struct fe *f, const struct region *r)
{
    for (uint32_t i = 0; i < r->blocks.count; i++)
        if (!is_quiet_block(f, r->blocks.items[i]))
            return false;
    return true;
}

/* Has the node no effects but those on memory? */
static bool is_quiet(const struct fe *f, struct node *n)
{
    switch (n->kind) {
    case NODE_ACCESS:
        return is_memory(as_access(n)->data) || container_is_view(as_access(n)->data);
    case NODE_TASKLET:
        return as_tasklet(n)->side_effects <= 0 && as_tasklet(n)->code.language == enum_builtin(f->ir, LANGUAGE_PYTHON);
    case NODE_MAP_ENTRY:
    case NODE_MAP_EXIT:
        return true;
    case NODE_NESTED:
        return as_nested(n)->sdfg && is_quiet_region(f, &as_nested(n)->sdfg->region);
    case NODE_LIBRARY:
        return !strstr(as_library(n)->classpath, ".mpi.") && !strstr(as_library(n)->classpath, ".pblas.");
    default:
        return false;
    }
}

static bool is_quiet_block(const struct fe *f, struct block *b)
{
    const struct state *st = as_state(b);
    const struct conditional *c = as_conditional(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        if (!is_quiet(f, st->nodes.items[i]))
            return false;
    for (uint32_t i = 0; c && i < c->branches.count; i++)
        if (!is_quiet_region(f, c->branches.items[i].region))
            return false;
    return !as_region(b) || is_quiet_region(f, as_region(b));
}

static bool is_joinable(const struct fe *f, const struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        if (!is_quiet(f, n) || (as_access(n) && !is_memory(as_access(n)->data)))
            return false;
    }
    return true;
}

/* ---- which memory ---- */

struct size {
    const struct map *assigned;
    bool changes;
};

static void see_name(void *size, const struct sym *name)
{
    struct size *s = size;
    s->changes = s->changes || map_has(s->assigned, name->name);
}

/* Would it lose what it holds if only one state had to do with it? */
static bool outlives(const struct join *j, const struct container *c)
{
    struct size s = { .assigned = &j->assigned };
    sym_visit_names(c->total_size, see_name, &s);
    return c->transient && s.changes && map_get(&j->f->born, c) != j->first->block.region;
}

/* Arrays from outside, but for those of results. */
static bool is_argument(const struct container *c)
{
    return !c->transient && c->kind == CONTAINER_ARRAY && strncmp(c->name, "__return", 8) != 0;
}

static bool may_be_same(const struct container *a, const struct container *b)
{
    return a == b || (is_argument(a) && is_argument(b));
}

/* ---- may they be one ---- */

/* The last access to what the node of the second state reads. */
static struct node *last_access(const struct join *j, const struct access *read)
{
    struct node *found = NULL;
    for (uint32_t i = 0; i < j->first->nodes.count; i++) {
        struct node *n = j->first->nodes.items[i];
        if (as_access(n) && as_access(n)->data == read->data && (!found || n->in.count || !found->in.count))
            found = n;
    }
    return found;
}

static bool *is_before(struct join *j, const struct node *n)
{
    return &j->before[n->index + (n->state == j->second ? MOST_NODES : 0)];
}

static void mark_before(struct join *j, const struct node *n)
{
    if (*is_before(j, n))
        return;
    *is_before(j, n) = true;
    if (n->state == j->second && j->same[n->index])
        mark_before(j, j->same[n->index]);
    for (uint32_t i = 0; i < n->in.count; i++)
        mark_before(j, n->in.items[i]->src);
}

/* Are the accesses of the first state over when the second one writes? */
static bool is_behind(struct join *j, const struct access *write)
{
    memset(j->before, 0, sizeof j->before);
    mark_before(j, &write->node);
    for (uint32_t i = 0; i < j->first->nodes.count; i++) {
        const struct node *n = j->first->nodes.items[i];
        const struct access *a = (const struct access *)n;
        if (n->kind != NODE_ACCESS || !may_be_same(a->data, write->data))
            continue;
        if (n->in.count && !*is_before(j, n))
            return false;
        for (uint32_t k = 0; k < n->out.count; k++)
            if (!*is_before(j, n->out.items[k]->dst))
                return false;
    }
    return true;
}

/* Does the second state read an argument that may be another one, which the first state writes? */
static bool reads_another(const struct join *j, const struct access *read)
{
    for (uint32_t i = 0; i < j->first->nodes.count; i++) {
        const struct node *n = j->first->nodes.items[i];
        const struct access *a = (const struct access *)n;
        if (n->kind == NODE_ACCESS && n->in.count && a->data != read->data && may_be_same(a->data, read->data))
            return true;
    }
    return false;
}

static bool may_join(struct join *j)
{
    uint32_t count = j->second->nodes.count;
    if (j->first->nodes.count + count > MOST_NODES || !is_joinable(j->f, j->first) || !is_joinable(j->f, j->second))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct node *n = j->second->nodes.items[i];
        const struct access *a = (const struct access *)n;
        j->same[i] = n->kind == NODE_ACCESS && !n->in.count ? last_access(j, a) : NULL;
        if (n->kind == NODE_ACCESS && (outlives(j, a->data) || reads_another(j, a)))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct node *n = j->second->nodes.items[i];
        if (n->kind == NODE_ACCESS && n->in.count && !is_behind(j, (const struct access *)n))
            return false;
    }
    return true;
}

/* ---- joining ---- */

static void take_nodes(struct join *j)
{
    struct arena *a = j->f->arena;
    for (uint32_t i = 0; i < j->second->nodes.count; i++) {
        struct node *n = j->second->nodes.items[i], *same = j->same[i];
        for (uint32_t k = 0; same && k < n->out.count; k++) {
            n->out.items[k]->src = same;
            vec_push(a, &same->out, n->out.items[k]);
        }
        if (same)
            continue;
        n->state = j->first;
        n->index = n->place.id = j->first->nodes.count;
        n->place.parent = &j->first->block.place;
        vec_push(a, &j->first->nodes, n);
    }
    for (uint32_t i = 0; i < j->second->edges.count; i++) {
        struct edge *e = j->second->edges.items[i];
        e->index = e->place.id = j->first->edges.count;
        e->place.parent = &j->first->block.place;
        vec_push(a, &j->first->edges, e);
    }
}

/* The states that follow on each other come into the first one; the second one belongs to no region then. */
static void join(struct join *j)
{
    struct block *first = &j->first->block, *second = &j->second->block;
    if (!j->first->nodes.count) {
        first->label = first->place.label = second->label;
        first->place.file = second->place.file;
        first->place.line = second->place.line;
        first->place.column = second->place.column;
    }
    take_nodes(j);
    first->out.items[0]->src = NULL;
    first->out.items = second->out.items;
    first->out.count = second->out.count;
    first->out.capacity = second->out.capacity;
    for (uint32_t i = 0; i < first->out.count; i++)
        first->out.items[i]->src = first;
    second->region = NULL;
}

/* What follows on the state, if nothing else does and nothing else comes there. */
static struct state *next_of(const struct state *st)
{
    const struct transition *t = st->block.out.count == 1 ? st->block.out.items[0] : NULL;
    if (!t || t->condition.tree || t->assignments.count || t->dst->in.count != 1 || t->dst == &st->block)
        return NULL;
    return as_state(t->dst);
}

static void remove_joined(struct region *r)
{
    uint32_t blocks = 0, transitions = 0;
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        struct block *b = r->blocks.items[i];
        if (!b->region)
            continue;
        b->index = b->place.id = blocks;
        r->blocks.items[blocks++] = b;
    }
    for (uint32_t i = 0; i < r->transitions.count; i++) {
        struct transition *t = r->transitions.items[i];
        if (!t->src)
            continue;
        t->index = t->place.id = transitions;
        r->transitions.items[transitions++] = t;
    }
    r->blocks.count = blocks;
    r->transitions.count = transitions;
}

static void join_in_region(struct join *j, struct region *r);

static void join_in_block(const struct join *j, struct block *b)
{
    struct join inside = { .f = j->f, .assigned = j->assigned };
    const struct conditional *c = as_conditional(b);
    const struct state *st = as_state(b);
    if (as_region(b))
        join_in_region(&inside, as_region(b));
    for (uint32_t i = 0; c && i < c->branches.count; i++)
        join_in_region(&inside, c->branches.items[i].region);
    for (uint32_t i = 0; st && i < st->nodes.count; i++)
        if (as_nested(st->nodes.items[i]))
            fe_join_states(j->f, as_nested(st->nodes.items[i])->sdfg);
}

static void join_in_region(struct join *j, struct region *r)
{
    for (uint32_t i = 0; i < r->blocks.count; i++)
        join_in_block(j, r->blocks.items[i]);
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        j->first = r->blocks.items[i]->region ? as_state(r->blocks.items[i]) : NULL;
        while (j->first && (j->second = next_of(j->first)) && may_join(j))
            join(j);
    }
    remove_joined(r);
}

void fe_join_states(const struct fe *f, struct sdfg *s)
{
    struct join j = { .f = f };
    sdfg_assigned_symbols(s, &j.assigned);
    join_in_region(&j, &s->region);
}
