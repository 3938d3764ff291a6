#include "engine/program/program.h"

#include <string.h>

/* Views stand for the container they look into; a container is written if it, or a view of it, has an incoming edge
 * that is not the one that ties the view to it. */

struct walk {
    const struct sdfg_program *program;
    struct map *written;
    bool changed;
};

static void mark(struct walk *w, const char *name)
{
    if (map_has(w->written, name))
        return;
    map_put(w->program->ir->arena, w->written, name, (void *)(uintptr_t)name);
    w->changed = true;
}

/* Members of structures count for the structure. */
static const char *container_name(struct walk *w, const struct access *a)
{
    const char *dot = strchr(a->name, '.');
    return dot ? intern_n(w->program->ir->names, a->name, (size_t)(dot - a->name)) : a->name;
}

static void visit_access(struct walk *w, struct access *a)
{
    struct edge *tie = a->data && container_is_view(a->data) ? view_edge(a) : NULL;
    for (uint32_t i = 0; i < a->node.in.count; i++)
        if (a->node.in.items[i] != tie && !memlet_is_empty(&a->node.in.items[i]->memlet))
            mark(w, container_name(w, a));
    if (!tie)
        return;
    struct access *other = as_access(tie->src == &a->node ? path_target(tie) : path_source(tie));
    if (other && map_has(w->written, container_name(w, a)))
        mark(w, container_name(w, other));
}

static void visit_block(void *user, struct block *b)
{
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        struct access *a = as_access(st->nodes.items[i]);
        if (a)
            visit_access(user, a);
    }
}

void program_written(const struct sdfg_program *p, struct map *written)
{
    struct walk w = { .program = p, .written = written };
    do {
        w.changed = false;
        region_each_block(&p->root->region, visit_block, &w);
    } while (w.changed);
}
