#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- connectors ---- */

const struct connector *node_in_conn(const struct node *n, const char *name)
{
    for (uint32_t i = 0; name && i < n->in_conns.count; i++)
        if (!strcmp(n->in_conns.items[i].name, name))
            return &n->in_conns.items[i];
    return NULL;
}

const struct connector *node_out_conn(const struct node *n, const char *name)
{
    for (uint32_t i = 0; name && i < n->out_conns.count; i++)
        if (!strcmp(n->out_conns.items[i].name, name))
            return &n->out_conns.items[i];
    return NULL;
}

struct edge *node_in_edge(const struct node *n, const char *conn)
{
    for (uint32_t i = 0; i < n->in.count; i++)
        if (n->in.items[i]->dst_conn && !strcmp(n->in.items[i]->dst_conn, conn))
            return n->in.items[i];
    return NULL;
}

struct edge *node_out_edge(const struct node *n, const char *conn)
{
    for (uint32_t i = 0; i < n->out.count; i++)
        if (n->out.items[i]->src_conn && !strcmp(n->out.items[i]->src_conn, conn))
            return n->out.items[i];
    return NULL;
}

/* ---- memlet paths (format.md 2.19.2) ---- */

/* The edge on the other side of an entry or exit node, or NULL where the path ends. */
static struct edge *path_previous(const struct edge *e)
{
    const struct node *n = e->src;
    if ((!node_is_entry(n) && !node_is_exit(n)) || !e->src_conn || strncmp(e->src_conn, "OUT_", 4))
        return NULL;
    for (uint32_t i = 0; i < n->in.count; i++) {
        const char *conn = n->in.items[i]->dst_conn;
        if (conn && !strncmp(conn, "IN_", 3) && !strcmp(conn + 3, e->src_conn + 4))
            return n->in.items[i];
    }
    return NULL;
}

static struct edge *path_next(const struct edge *e)
{
    const struct node *n = e->dst;
    if ((!node_is_entry(n) && !node_is_exit(n)) || !e->dst_conn || strncmp(e->dst_conn, "IN_", 3))
        return NULL;
    for (uint32_t i = 0; i < n->out.count; i++) {
        const char *conn = n->out.items[i]->src_conn;
        if (conn && !strncmp(conn, "OUT_", 4) && !strcmp(conn + 4, e->dst_conn + 3))
            return n->out.items[i];
    }
    return NULL;
}

/* The number of steps is bounded, because invalid graphs may have cycles. */
struct edge *path_first_edge(struct edge *e)
{
    struct edge *before;
    for (uint32_t steps = e->src->state->nodes.count; !e->first && steps && (before = path_previous(e)); steps--)
        e = before;
    return e->first ? e->first : e;
}

struct edge *path_last_edge(struct edge *e)
{
    struct edge *after;
    for (uint32_t steps = e->src->state->nodes.count; !e->last && steps && (after = path_next(e)); steps--)
        e = after;
    return e->last ? e->last : e;
}

/* What follows the prefix of a pass-through connector, `IN_` or `OUT_`; NULL if `name` is none. */
static const char *half(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return name && !strncmp(name, prefix, length) ? name + length : NULL;
}

struct edges {
    struct edge *const *items;
    uint32_t count;
};

/* The edge that ends (`forwards`) at node `n` or starts there, by its connector; the first one of each. */
static struct map by_connector(struct ir *ir, bool forwards, struct edges known)
{
    struct map found = { 0 };
    for (uint32_t i = 0; i < known.count; i++) {
        const char *conn = forwards ? known.items[i]->dst_conn : known.items[i]->src_conn;
        if (conn && !map_has(&found, conn))
            map_put(ir->arena, &found, conn, known.items[i]);
    }
    return found;
}

/* The edge among `known` whose connector is the other half of one that ends with `name`; NULL if there is none. */
static const struct edge *among(bool forwards, struct edges known, const char *name)
{
    for (uint32_t i = 0; i < known.count; i++) {
        const char *other = forwards ? half(known.items[i]->dst_conn, "IN_") : half(known.items[i]->src_conn, "OUT_");
        if (other && !strcmp(other, name))
            return known.items[i];
    }
    return NULL;
}

/* Gives every edge that continues another one through node `n` the end of that edge. */
static void pass_through(struct ir *ir, bool forwards, struct node *n)
{
    enum { FEW = 8 }; /* are compared one by one */
    struct edges in = { n->in.items, n->in.count }, out = { n->out.items, n->out.count };
    struct edges known = forwards ? in : out, open = forwards ? out : in;
    struct map found = known.count > FEW ? by_connector(ir, forwards, known) : (struct map){ 0 };
    for (uint32_t i = 0; i < open.count; i++) {
        struct edge *e = open.items[i];
        const char *name = forwards ? half(e->src_conn, "OUT_") : half(e->dst_conn, "IN_");
        if (!name)
            continue;
        const struct edge *next = NULL;
        if (known.count <= FEW) {
            next = among(forwards, known, name);
        } else {
            next = map_get(&found, intern_joined(ir->names, forwards ? "IN_" : "OUT_", name));
        }
        if (next && forwards)
            e->first = next->first;
        else if (next)
            e->last = next->last;
    }
}

/* `order` respects the edges. */
static void find_path_ends(struct state *st, struct node *const *order)
{
    for (uint32_t i = 0; i < st->edges.count; i++)
        st->edges.items[i]->first = st->edges.items[i]->last = st->edges.items[i];
    for (uint32_t i = 0; i < st->nodes.count; i++)
        if (node_is_entry(order[i]) || node_is_exit(order[i]))
            pass_through(st->sdfg->ir, true, order[i]);
    for (uint32_t i = st->nodes.count; i-- > 0;)
        if (node_is_entry(order[i]) || node_is_exit(order[i]))
            pass_through(st->sdfg->ir, false, order[i]);
}

/* ---- which end a subset describes (format.md 2.17) ---- */

/* 2: the node's container is that of the memlet, 1: the memlet names a member of it. */
static int names_node(const struct memlet *m, const struct node *n)
{
    const struct access *a = as_access(n);
    if (!a || !a->name)
        return 0;
    if (!strcmp(a->name, m->name))
        return 2;
    size_t length = strlen(a->name);
    return !strncmp(a->name, m->name, length) && m->name[length] == '.';
}

static void find_described_end(struct edge *e)
{
    struct memlet *m = &e->memlet;
    if (memlet_is_empty(m))
        return;
    int source = names_node(m, path_source(e)), target = names_node(m, path_target(e));
    m->subset_is_source = source == target && source ? m->flag_is_data_src : source > target;
}

/* ---- scopes (format.md 2.19.1) ---- */

/* The scope that the source of an edge gives its target. */
static struct node *scope_behind(const struct node *n)
{
    if (node_is_entry(n))
        return (struct node *)(uintptr_t)n;
    if (node_is_exit(n))
        return n->scope ? n->scope->scope : NULL;
    return n->scope;
}

/* Where sources disagree (an edge that jumps into a scope, which validation refuses) the innermost scope wins.
 * `depths`: entry nodes around each node visited so far. */
static void set_scope(struct node *n, uint32_t *depths)
{
    for (uint32_t i = 0; i < n->in.count; i++) {
        struct node *scope = scope_behind(n->in.items[i]->src);
        if (scope && depths[scope->index] + 1 > depths[n->index]) {
            n->scope = scope;
            depths[n->index] = depths[scope->index] + 1;
        }
    }
}

static bool pair_exit(struct node *exit)
{
    struct diags *d = exit->state->sdfg->ir->diags;
    struct node *entry = exit->scope;
    bool fits = entry && (entry->kind == NODE_MAP_ENTRY) == (exit->kind == NODE_MAP_EXIT);
    if (!fits)
        return diag_error(d, &exit->place, DIAG_SCOPE_ENTRY);
    if (scope_exit(entry))
        return diag_error(d, &exit->place, DIAG_SCOPE_TWO_EXITS);
    if (entry->kind == NODE_MAP_ENTRY) {
        as_map_entry(entry)->exit = exit;
        as_map_exit(exit)->entry = entry;
    } else {
        as_consume_entry(entry)->exit = exit;
        as_consume_exit(exit)->entry = entry;
    }
    return true;
}

static void clear_pairs(struct state *st)
{
    for (uint32_t i = 0; i < st->edges.count; i++)
        st->edges.items[i]->first = st->edges.items[i]->last = NULL;
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        n->scope = NULL;
        if (n->kind == NODE_MAP_ENTRY)
            as_map_entry(n)->exit = NULL;
        else if (n->kind == NODE_CONSUME_ENTRY)
            as_consume_entry(n)->exit = NULL;
        else if (n->kind == NODE_MAP_EXIT)
            as_map_exit(n)->entry = NULL;
        else if (n->kind == NODE_CONSUME_EXIT)
            as_consume_exit(n)->entry = NULL;
    }
}

/* Visits the nodes in an order that respects the edges. */
static bool find_scopes(struct state *st)
{
    struct arena *a = st->sdfg->ir->arena;
    uint32_t count = st->nodes.count, done = 0, known = 0;
    uint32_t *waiting = NEW_ARRAY(a, uint32_t, count), *depths = NEW_ARRAY(a, uint32_t, count);
    struct node **order = NEW_ARRAY(a, struct node *, count);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        waiting[i] = st->nodes.items[i]->in.count;
        if (!waiting[i])
            order[known++] = st->nodes.items[i];
    }
    for (; done < known; done++) {
        struct node *n = order[done];
        set_scope(n, depths);
        if (node_is_exit(n))
            good = pair_exit(n) && good;
        for (uint32_t i = 0; i < n->out.count; i++)
            if (!--waiting[n->out.items[i]->dst->index])
                order[known++] = n->out.items[i]->dst;
    }
    for (uint32_t i = 0; i < count && done < count; i++)
        if (waiting[i]) /* one message is enough */
            return diag_error(st->sdfg->ir->diags, &st->nodes.items[i]->place, DIAG_SCOPE_CYCLE);
    find_path_ends(st, order);
    return good;
}

static void list_scopes(struct state *st)
{
    st->inside = NULL;
    for (uint32_t i = 0; i < st->nodes.count; i++)
        st->nodes.items[i]->inside = NULL;
    for (uint32_t i = st->nodes.count; i--;) {
        struct node *n = st->nodes.items[i], **first = n->scope ? &n->scope->inside : &st->inside;
        n->beside = *first;
        *first = n;
    }
}

bool state_resolve(struct state *st)
{
    clear_pairs(st);
    bool good = find_scopes(st);
    list_scopes(st);
    for (uint32_t i = 0; good && i < st->nodes.count; i++)
        if (node_is_entry(st->nodes.items[i]) && !scope_exit(st->nodes.items[i]))
            good = diag_error(st->sdfg->ir->diags, &st->nodes.items[i]->place, DIAG_SCOPE_EXIT);
    if (good)
        for (uint32_t i = 0; i < st->edges.count; i++)
            find_described_end(st->edges.items[i]);
    return good;
}

/* ---- order ---- */

/* One scope as a graph of its own: an entry node stands for its whole scope. */
struct ordering {
    struct arena *arena;
    const struct node *entry;
    VEC(struct node *) members;
    struct map position; /* node -> 1 + index in members */
    uint32_t *waiting;   /* predecessors that were not listed yet */
    struct node **out;
    uint32_t count;
};

/* The node behind an edge in this scope, or NULL if the edge leaves it. */
static struct node *successor(const struct ordering *o, const struct edge *e)
{
    return map_has(&o->position, e->dst) ? e->dst : NULL;
}

/* What a member writes to: the edges of its exit if it opens a scope. */
static const struct node *tail_of(const struct node *n) { return node_is_entry(n) ? scope_exit(n) : n; }

enum { LISTED = -1 };

static uint32_t *waiting_of(const struct ordering *o, const struct node *n)
{
    return &o->waiting[(uintptr_t)map_get(&o->position, n) - 1];
}

static void list_node(struct ordering *o, struct node *n)
{
    const struct node *tail = tail_of(n);
    o->out[o->count++] = n;
    *waiting_of(o, n) = LISTED;
    for (uint32_t i = 0; i < tail->out.count; i++) {
        struct node *next = successor(o, tail->out.items[i]);
        if (next)
            --*waiting_of(o, next);
    }
}

/* Depth first: after a node come those of its successors that wait for nothing else. */
static void list_from(struct ordering *o, struct node *source)
{
    struct frame {
        const struct node *tail;
        uint32_t next;
    };
    VEC(struct frame) stack = { 0 };
    list_node(o, source);
    vec_push(o->arena, &stack, ((struct frame){ tail_of(source), 0 }));
    while (stack.count) {
        struct frame *top = &vec_last(&stack);
        if (top->next == top->tail->out.count) {
            stack.count--;
            continue;
        }
        struct node *n = successor(o, top->tail->out.items[top->next++]);
        if (!n || *waiting_of(o, n))
            continue;
        list_node(o, n);
        vec_push(o->arena, &stack, ((struct frame){ tail_of(n), 0 }));
    }
}

static void add_member(struct ordering *o, struct node *n)
{
    if (n->scope != o->entry || node_is_exit(n) || map_has(&o->position, n))
        return;
    vec_push(o->arena, &o->members, n);
    map_put(o->arena, &o->position, n, (void *)(uintptr_t)o->members.count);
}

static int by_index(const void *a, const void *b)
{
    const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void find_members(struct ordering *o, struct state *st)
{
    if (!o->entry) {
        for (uint32_t i = 0; i < st->nodes.count; i++)
            add_member(o, st->nodes.items[i]);
        return;
    }
    for (uint32_t i = 0; i < o->entry->out.count; i++)
        add_member(o, o->entry->out.items[i]->dst);
    for (uint32_t i = 0; i < o->members.count; i++) {
        const struct node *tail = tail_of(o->members.items[i]);
        for (uint32_t k = 0; k < tail->out.count; k++)
            add_member(o, tail->out.items[k]->dst);
    }
    qsort(o->members.items, o->members.count, sizeof *o->members.items, by_index);
    for (uint32_t i = 0; i < o->members.count; i++)
        map_put(o->arena, &o->position, o->members.items[i], (void *)(uintptr_t)(i + 1));
}

/* What is only read from a stream waits until all nodes of the scope that fill the stream are listed. */
static bool is_fillable(const struct ordering *o, const struct node *n)
{
    const struct access *reader = as_access((struct node *)(uintptr_t)n);
    if (!reader || !reader->data || reader->data->kind != CONTAINER_STREAM)
        return false;
    for (uint32_t i = 0; i < o->members.count; i++) {
        const struct access *a = as_access(o->members.items[i]);
        if (a && a->data == reader->data && a->node.in.count && o->waiting[i] != (uint32_t)LISTED)
            return true;
    }
    return false;
}

/* Sources in order; those that would find an empty stream come later, if anything else is left. */
static void list_sources(struct ordering *o, struct node **sources, uint32_t count)
{
    bool *done = NEW_ARRAY(o->arena, bool, count);
    for (uint32_t left = count; left;) {
        uint32_t first = count, before = left;
        for (uint32_t i = 0; i < count; i++) {
            if (done[i])
                continue;
            if (is_fillable(o, sources[i])) {
                first = first < i ? first : i;
                continue;
            }
            done[i] = true;
            left--;
            list_from(o, sources[i]);
        }
        if (left == before) { /* they wait for each other */
            done[first] = true;
            left--;
            list_from(o, sources[first]);
        }
    }
}

uint32_t scope_order(struct state *st, const struct node *entry, struct node ***out)
{
    struct ordering o = { .arena = st->sdfg->ir->arena, .entry = entry };
    find_members(&o, st);
    o.waiting = NEW_ARRAY(o.arena, uint32_t, o.members.count);
    o.out = NEW_ARRAY(o.arena, struct node *, o.members.count);
    VEC(struct node *) sources = { 0 };
    for (uint32_t i = 0; i < o.members.count; i++) {
        const struct node *tail = tail_of(o.members.items[i]);
        for (uint32_t k = 0; k < tail->out.count; k++) {
            struct node *next = successor(&o, tail->out.items[k]);
            if (next)
                ++*waiting_of(&o, next);
        }
    }
    for (uint32_t i = 0; i < o.members.count; i++)
        if (!o.waiting[i])
            vec_push(o.arena, &sources, o.members.items[i]);
    list_sources(&o, sources.items, sources.count);
    *out = o.out;
    return o.count;
}
