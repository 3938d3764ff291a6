/* Whether the program has something to do while an operation of all processes is under way.
 *
 * All processes have to take the same form of MPI's functions, and code is made for the symbols of each: so this looks
 * at the graph alone, container by container. Where the wait goes is found out later, element by element
 * (lower/opt/messages). */
#include "ir/code/code.h"
#include "lower/graph/library/mpi.h"

struct used {
    const struct container *container;
    bool written;
};

struct search {
    struct arena *arena;
    VEC(struct used) used; /* by the operation */
    bool adds;             /* to `used`; else what is seen is compared with that */
    bool meets, work;
};

static void see_container(struct search *s, const struct container *c, bool written)
{
    if (s->adds)
        vec_push(s->arena, &s->used, ((struct used){ c, written }));
    else
        for (uint32_t i = 0; i < s->used.count; i++)
            s->meets = s->meets || (s->used.items[i].container == c && (written || s->used.items[i].written));
}

/* Of an access node, and of what it is a view of. */
static void see_access(struct search *s, const struct node *n, bool written)
{
    const struct access *a = as_access(n);
    if (!a || !a->data)
        return;
    see_container(s, a->data, written);
    const struct edge *e = container_is_view(a->data) ? view_edge(a) : NULL;
    const struct access *of = e ? as_access(e->src == n ? e->dst : e->src) : NULL;
    if (of && of->data)
        see_container(s, of->data, written);
}

static void see_edges(struct search *s, const struct node *inputs_of, const struct node *outputs_of)
{
    for (uint32_t i = 0; i < inputs_of->in.count; i++)
        see_access(s, path_first_edge(inputs_of->in.items[i])->src, false);
    for (uint32_t i = 0; i < outputs_of->out.count; i++)
        see_access(s, path_last_edge(outputs_of->out.items[i])->dst, true);
}

static bool is_work(const struct node *n)
{
    return node_is_entry(n) || n->kind == NODE_NESTED || n->kind == NODE_LIBRARY;
}

/* Nodes outside of maps in their order, from that number on, up to the first one that decides. */
static void see_nodes(struct search *s, struct state *st, const struct node *after)
{
    struct node **order;
    uint32_t count = scope_order(st, NULL, &order), i = 0;
    while (after && i < count && order[i++] != after)
        ;
    for (; i < count && !s->meets && !s->work; i++) {
        struct node *n = order[i];
        if (n->kind == NODE_ACCESS) { /* copies to others */
            for (uint32_t k = 0; k < n->out.count; k++)
                if (n->out.items[k]->dst->kind == NODE_ACCESS && !n->out.items[k]->dst_conn) {
                    see_access(s, n, false);
                    see_access(s, n->out.items[k]->dst, true);
                }
            continue;
        }
        see_edges(s, n, node_is_entry(n) ? scope_exit(n) : n);
        s->work = is_work(n);
    }
}

static void see_name(void *user, const char *name)
{
    struct search *s = user;
    for (uint32_t i = 0; i < s->used.count; i++)
        s->meets = s->meets || (s->used.items[i].written && s->used.items[i].container->name == name);
}

static void see_transition(struct search *s, const struct transition *t)
{
    if (t->condition.tree)
        code_free_names(t->condition.tree, see_name, s);
    for (uint32_t i = 0; i < t->assignments.count; i++)
        if (t->assignments.items[i].value)
            code_free_names(t->assignments.items[i].value, see_name, s);
}

/* All of a loop or a branch. */
static void see_inside(void *user, struct block *b)
{
    struct search *s = user;
    struct state *st = as_state(b);
    bool work = s->work;
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        const struct node *n = st->nodes.items[i];
        if (n->kind == NODE_ACCESS)
            see_access(s, n, n->in.count > 0);
        work = work || is_work(n);
    }
    s->work = work;
}

/* The block behind it, if there is one only; NULL at the end of a loop's body, since the next iteration may be there.
 */
static struct block *behind(struct search *s, const struct block *b)
{
    while (b && !b->out.count && b->region && b->region->block.kind == BLOCK_REGION)
        b = &b->region->block;
    if (!b || b->out.count != 1)
        return NULL;
    see_transition(s, b->out.items[0]);
    return b->out.items[0]->dst;
}

bool mpi_goes_on(const struct scope *sc, const struct library *n)
{
    struct search s = { .arena = sc->act->lw->arena, .adds = true };
    struct state *st = n->node.state;
    if (n->node.scope)
        return false;
    const struct edge *in = library_input_edge(n, "_inbuffer"), *out = library_output_edge(n, "_outbuffer");
    if (!in || !out)
        return false;
    see_access(&s, in->src, false);
    see_access(&s, out->dst, true);
    s.adds = false;
    see_nodes(&s, st, &n->node);
    const struct block *b = &st->block;
    for (uint32_t seen = 0; !s.meets && !s.work && seen < 64; seen++) { /* transitions may go in circles */
        struct block *next = behind(&s, b);
        if (!next || s.meets)
            return false;
        struct state *state = as_state(next);
        if (state) {
            see_nodes(&s, state, NULL);
        } else if (as_region(next)) {
            region_each_block(as_region(next), see_inside, &s);
        } else {
            return false;
        }
        b = next;
    }
    return s.work && !s.meets;
}
