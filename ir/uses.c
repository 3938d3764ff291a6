/* Which containers of an SDFG its states read and write. */
#include "ir/graph.h"

#include <string.h>

struct walk {
    struct sdfg *sdfg;
    struct sdfg_uses *uses;
    uint32_t blocks;
    bool changed;
};

static void mark(struct walk *w, struct map *map, const char *name)
{
    if (map_has(map, name))
        return;
    map_put(w->sdfg->ir->arena, map, name, (void *)(uintptr_t)name);
    w->changed = true;
}

/* Members of structures count for the structure. */
static const char *container_name(struct walk *w, const struct access *a)
{
    const char *dot = strchr(a->name, '.');
    return dot ? intern_n(w->sdfg->ir->names, a->name, (size_t)(dot - a->name)) : a->name;
}

/* A container is written if it, or a view of it, has an incoming edge that is not the one that ties the view to it. */
static void visit_access(struct walk *w, struct access *a)
{
    struct edge *tie = a->data && container_is_view(a->data) ? view_edge(a) : NULL;
    for (uint32_t i = 0; i < a->node.in.count; i++)
        if (a->node.in.items[i] != tie && !memlet_is_empty(&a->node.in.items[i]->memlet))
            mark(w, &w->uses->written, container_name(w, a));
    for (uint32_t i = 0; i < a->node.out.count; i++)
        if (!memlet_is_empty(&a->node.out.items[i]->memlet))
            mark(w, &w->uses->read, container_name(w, a));
    if (!tie)
        return;
    struct access *other = as_access(tie->src == &a->node ? path_target(tie) : path_source(tie));
    if (other && map_has(&w->uses->written, container_name(w, a)))
        mark(w, &w->uses->written, container_name(w, other));
}

static void visit_block(void *user, struct block *b)
{
    struct walk *w = user;
    struct state *st = as_state(b);
    w->blocks++;
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct access *a = as_access(st->nodes.items[i]);
        if (a)
            visit_access(w, a);
    }
}

struct sdfg_uses sdfg_uses(struct sdfg *s)
{
    struct sdfg_uses uses = { 0 };
    struct walk w = { .sdfg = s, .uses = &uses };
    do {
        w.changed = false;
        w.blocks = 0;
        region_each_block(&s->region, visit_block, &w);
    } while (w.changed);
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *c = s->containers.items[i];
        uses.references |= container_is_reference(c);
        if (w.blocks > 1 || !map_has(&uses.written, c->name))
            mark(&w, &uses.read, c->name);
    }
    return uses;
}
