#include "engine/program/program.h"

#include <string.h>

/* Which containers the graph compares with None: null may be given for those even if their descriptor leaves it open
 * whether they are optional. A test inside of a nested SDFG counts for what its container stands for. */

struct search {
    struct arena *arena;
    struct sdfg *sdfg;
    struct map *tested; /* container -> non-NULL */
    bool found;
};

static void mark(struct search *s, const char *name)
{
    const struct container *c = map_get(&s->sdfg->container_by_name, name);
    if (c)
        map_put(s->arena, s->tested, c, s);
}

static bool visit_code(void *user, struct code *c)
{
    if (c->kind != CODE_BINARY || (c->op != CODE_IS && c->op != CODE_ISNOT && c->op != CODE_EQ && c->op != CODE_NE))
        return true;
    for (int i = 0; i < 2; i++)
        if (c->items[i]->kind == CODE_NONE && c->items[1 - i]->kind == CODE_NAME)
            mark(user, c->items[1 - i]->name);
    return true;
}

static void look_in(struct search *s, struct code *tree)
{
    if (tree)
        code_visit(tree, visit_code, s);
}

static void visit_transitions(struct search *s, const struct region *r)
{
    for (uint32_t i = 0; i < r->transitions.count; i++) {
        look_in(s, r->transitions.items[i]->condition.tree);
        for (uint32_t k = 0; k < r->transitions.items[i]->assignments.count; k++)
            look_in(s, r->transitions.items[i]->assignments.items[k].value);
    }
}

/* A tasklet that gets the address and knows of null. */
static void visit_tasklet(struct search *s, struct tasklet *t)
{
    const char *text = t->code.text;
    if (!strstr(text, "None") && !strstr(text, "nullptr") && !strstr(text, "NULL"))
        return;
    for (uint32_t i = 0; i < t->node.in.count; i++)
        if (t->node.in.items[i]->memlet.data)
            map_put(s->arena, s->tested, t->node.in.items[i]->memlet.data, s);
    for (uint32_t i = 0; i < t->node.out.count; i++)
        if (t->node.out.items[i]->memlet.data)
            map_put(s->arena, s->tested, t->node.out.items[i]->memlet.data, s);
}

/* What a tested container of a nested SDFG stands for. */
static void visit_edges(struct search *s, struct nested *n)
{
    for (uint32_t side = 0; n->sdfg && side < 2; side++) {
        uint32_t count = side ? n->node.out.count : n->node.in.count;
        for (uint32_t i = 0; i < count; i++) {
            const struct edge *e = side ? n->node.out.items[i] : n->node.in.items[i];
            const char *conn = side ? e->src_conn : e->dst_conn;
            const struct container *inner = conn ? map_get(&n->sdfg->container_by_name, conn) : NULL;
            if (!inner || !e->memlet.data || !map_has(s->tested, inner) || map_has(s->tested, e->memlet.data))
                continue;
            map_put(s->arena, s->tested, e->memlet.data, s);
            s->found = true;
        }
    }
}

static void visit_block(void *user, struct block *b)
{
    struct search *s = user;
    const struct state *st = as_state(b);
    const struct conditional *c = as_conditional(b);
    if (as_region(b))
        visit_transitions(s, as_region(b));
    if (as_loop(b))
        look_in(s, as_loop(b)->condition.tree);
    for (uint32_t i = 0; c && i < c->branches.count; i++)
        look_in(s, c->branches.items[i].condition.tree);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        if (as_tasklet(st->nodes.items[i]))
            visit_tasklet(s, as_tasklet(st->nodes.items[i]));
        if (as_nested(st->nodes.items[i]))
            visit_edges(s, as_nested(st->nodes.items[i]));
    }
}

static void visit_sdfg(void *user, struct sdfg *sdfg)
{
    struct search *s = user;
    s->sdfg = sdfg;
    visit_transitions(s, &sdfg->region);
    region_each_block(&sdfg->region, visit_block, s);
}

void program_null_tests(const struct sdfg_program *p, struct map *tested)
{
    struct search s = { .arena = p->ir->arena, .tested = tested };
    do { /* once more for every level that a test has to come up */
        s.found = false;
        sdfg_each(p->root, visit_sdfg, &s);
    } while (s.found);
}
