/* The code of a program that certainly runs, in the order of its control flow. */
#include "ir/bounds/walk.h"

#include <string.h>

enum { DEEPEST = 50 };

static void walk_region(struct bound_walk *w, struct region *r);

/* ---- states ---- */

static void walk_scope(struct bound_walk *w, struct state *st, struct node *entry);

/* Names of an inner SDFG in terms of what is around its node. */
static const struct bound_name *inner_names(struct bound_walk *w, const struct nested *n)
{
    const struct bound_name *names = w->names, *inner = NULL;
    struct map assigned = { 0 };
    sdfg_assigned_symbols(n->sdfg, &assigned);
    for (uint32_t i = 0; i < n->mapping.count; i++) {
        const struct symbol_mapping *m = &n->mapping.items[i];
        const struct sym *value = bound_resolve(w, names, m->value);
        w->names = inner;
        bound_name(w, m->name, map_has(&assigned, m->name) ? sym_undefined(w->ir) : value);
        inner = w->names;
        w->names = names;
    }
    return inner;
}

static void walk_nested(struct bound_walk *w, struct nested *n)
{
    if (!n->sdfg || w->depth == DEEPEST)
        return;
    const struct bound_name *names = w->names, *outside = w->outside, *inner = inner_names(w, n);
    for (uint32_t i = 0; i < n->mapping.count; i++)
        bound_elements(w, &n->node.place, n->mapping.items[i].value);
    for (uint32_t i = 0; i < n->node.out.count; i++)
        bound_connector(w, n->node.out.items[i], n, n->node.out.items[i]->src_conn, inner);
    for (uint32_t i = 0; i < n->node.in.count; i++)
        bound_connector(w, n->node.in.items[i], n, n->node.in.items[i]->dst_conn, inner);
    struct sdfg *outer = w->sdfg;
    w->names = w->outside = inner;
    w->sdfg = n->sdfg;
    w->depth++;
    for (uint32_t i = 0; w->certain && i < n->sdfg->containers.count; i++)
        if (n->sdfg->containers.items[i]->transient)
            bound_size(w, n->sdfg->containers.items[i]);
    walk_region(w, &n->sdfg->region);
    w->depth--;
    w->sdfg = outer;
    w->names = names;
    w->outside = outside;
}

/* Every iteration of the range runs. */
static bool runs_whole_range(const struct map_entry *m)
{
    uint32_t row = m->schedule ? m->schedule->row : SCHEDULE_DEFAULT;
    return row == SCHEDULE_DEFAULT || row == SCHEDULE_SEQUENTIAL || row == SCHEDULE_CPU_MULTICORE;
}

static void walk_map(struct bound_walk *w, struct state *st, struct node *n)
{
    const struct bound_name *around = w->names;
    uint32_t params = w->params.count;
    bool certain = w->certain;
    struct map_entry *m = as_map_entry(n);
    w->certain = certain && m && runs_whole_range(m);
    for (uint32_t i = 0; i < n->in_conns.count; i++) /* what is read at the entry hides symbols */
        if (strncmp(n->in_conns.items[i].name, "IN_", 3) != 0)
            bound_name(w, n->in_conns.items[i].name, sym_undefined(w->ir));
    for (uint32_t i = 0; m && i < m->params.count && i < m->range.rank; i++) {
        const struct subset dim = { 1, &m->range.dims[i] };
        bound_names(w, &n->place, &dim, true);
        if (bound_push(w, m->params.items[i], &m->range.dims[i]))
            continue;
        bound_name(w, m->params.items[i], sym_undefined(w->ir));
        w->certain = false;
    }
    walk_scope(w, st, n);
    w->certain = certain;
    w->params.count = params;
    w->names = around;
}

static void walk_access(struct bound_walk *w, struct access *a)
{
    if (!a->data)
        return;
    if (container_is_view(a->data))
        bound_view(w, a);
    if (!w->certain)
        return;
    if (!map_has(&w->sized, a->data)) {
        map_put(w->scratch, &w->sized, a->data, w);
        bound_names_of_size(w, a->data);
    }
    for (uint32_t i = 0; i < a->node.in.count; i++)
        if (as_access(path_source(a->node.in.items[i])) && !node_is_exit(a->node.in.items[i]->src))
            bound_edge(w, a->node.in.items[i]);
    for (uint32_t i = 0; i < a->node.out.count; i++)
        if (node_is_exit(a->node.out.items[i]->dst) && as_access(path_target(a->node.out.items[i])))
            bound_edge(w, a->node.out.items[i]);
}

static void walk_code(struct bound_walk *w, struct node *n)
{
    for (uint32_t i = 0; i < n->in.count; i++)
        if (n->in.items[i]->dst_conn && !(node_is_entry(n) && !strncmp(n->in.items[i]->dst_conn, "IN_", 3)))
            bound_edge(w, n->in.items[i]);
    for (uint32_t i = 0; !node_is_entry(n) && i < n->out.count; i++)
        if (n->out.items[i]->src_conn)
            bound_edge(w, n->out.items[i]);
}

static void walk_scope(struct bound_walk *w, struct state *st, struct node *entry)
{
    for (struct node *n = scope_first(st, entry); n; n = n->beside) {
        if (as_access(n))
            walk_access(w, as_access(n));
        else if (w->certain && !node_is_exit(n) && n->kind != NODE_NESTED)
            walk_code(w, n);
        if (as_nested(n))
            walk_nested(w, as_nested(n));
        if (node_is_entry(n))
            walk_map(w, st, n);
    }
}

/* ---- control flow ---- */

static void find_jump(void *found, struct block *b)
{
    if (b->kind == BLOCK_BREAK || b->kind == BLOCK_CONTINUE || b->kind == BLOCK_RETURN || b->kind == BLOCK_UNKNOWN)
        *(bool *)found = true;
}

/* May control leave the block for something else than what follows it? */
static bool jumps(struct block *b)
{
    bool found = false;
    const struct conditional *c = as_conditional(b);
    find_jump(&found, b);
    if (as_region(b))
        region_each_block(as_region(b), find_jump, &found);
    for (uint32_t i = 0; c && i < c->branches.count; i++)
        if (c->branches.items[i].region)
            region_each_block(c->branches.items[i].region, find_jump, &found);
    return found;
}

/* Its body may not run at all, and who knows for which iterations. */
static void walk_loop(struct bound_walk *w, struct loop *l)
{
    const struct bound_name *names = w->names, *outside = w->outside;
    bool certain = w->certain;
    bound_code(w, &l->region.block.place, l->init.tree);
    if (*l->variable)
        bound_name(w, l->variable, sym_undefined(w->ir));
    if (!l->inverted)
        bound_code(w, &l->region.block.place, l->condition.tree);
    w->certain = false;
    w->outside = w->names;
    walk_region(w, &l->region);
    w->certain = certain;
    w->names = names;
    w->outside = outside;
}

static void walk_block(struct bound_walk *w, struct block *b)
{
    bool certain = w->certain;
    struct conditional *c = as_conditional(b);
    if (as_state(b))
        walk_scope(w, as_state(b), NULL);
    else if (as_loop(b))
        walk_loop(w, as_loop(b));
    else if (as_region(b))
        walk_region(w, as_region(b));
    if (c && c->branches.count)
        bound_code(w, &b->place, c->branches.items[0].condition.tree);
    for (uint32_t i = 0; c && i < c->branches.count; i++) {
        w->certain = false;
        if (c->branches.items[i].region)
            walk_region(w, c->branches.items[i].region);
    }
    w->certain = certain;
}

/* What is evaluated behind a block: the condition of the first transition, or all of the only one. */
static void walk_transition(struct bound_walk *w, struct block *b)
{
    if (!b->out.count || jumps(b))
        return;
    const struct transition *t = b->out.items[0];
    bound_code(w, &t->place, t->condition.tree);
    bool taken = b->out.count == 1 && !t->condition.tree;
    for (uint32_t i = 0; taken && i < t->assignments.count; i++)
        bound_code(w, &t->place, t->assignments.items[i].value);
}

/* The block that certainly runs after `b`, or NULL. */
static struct block *next(struct block *b)
{
    const struct transition *t = b->out.count == 1 ? b->out.items[0] : NULL;
    return t && !t->condition.tree && !jumps(b) ? t->dst : NULL;
}

static void walk_region(struct bound_walk *w, struct region *r)
{
    bool certain = w->certain;
    bool *seen = NEW_ARRAY(w->scratch, bool, r->blocks.count);
    for (struct block *b = certain ? r->start : NULL; b && !seen[b->index]; b = next(b)) {
        seen[b->index] = true;
        walk_block(w, b);
        walk_transition(w, b);
    }
    w->certain = false;
    for (uint32_t i = 0; i < r->blocks.count; i++)
        if (!seen[i])
            walk_block(w, r->blocks.items[i]);
    w->certain = certain;
}

static void add_requirement(struct bound_walk *w, const struct requirement *q)
{
    struct bound b = { .kind = BOUND_REQUIRED, .place = &q->place, .name = q->message, .excess = q->negative[0] };
    b.is = b.limit = q->negative[0];
    b.guards = q->negative + 1;
    b.num_guards = q->count - 1;
    vec_push(w->ir->arena, &w->found, b);
}

bool sdfg_check_bounds(struct sdfg *root)
{
    struct bound_walk w = { .ir = root->ir, .scratch = arena_new(), .root = root, .sdfg = root, .certain = true };
    sdfg_assigned_symbols(root, &w.assigned);
    for (uint32_t i = 0; i < root->requirements.count; i++) /* first: they say why sizes go wrong */
        add_requirement(&w, root->requirements.items[i]);
    for (uint32_t i = 0; i < root->containers.count; i++)
        bound_size(&w, root->containers.items[i]);
    walk_region(&w, &root->region);
    root->bounds = w.found.items;
    root->num_bounds = w.found.count;
    arena_free(w.scratch);
    return !w.bad;
}
