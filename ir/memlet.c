#include "ir/graph.h"

#include <string.h>

/* ---- subsets ---- */

struct subset *subset_new(struct ir *ir, uint32_t rank)
{
    struct subset *s = NEW(ir->arena, struct subset);
    s->rank = rank;
    s->dims = NEW_ARRAY(ir->arena, struct range, rank);
    return s;
}

struct subset *subset_whole(struct ir *ir, const struct container *c)
{
    struct subset *s = subset_new(ir, c->rank);
    const struct sym *one = sym_int(ir, 1);
    for (uint32_t i = 0; i < c->rank; i++) {
        /* indices count from minus the offset (format.md 2.20.3) */
        const struct sym *begin = sym_neg(ir, c->offset[i]);
        s->dims[i] = (struct range){ begin, sym_sub(ir, sym_add(ir, begin, c->shape[i]), one), one, one };
    }
    return s;
}

const struct sym *subset_size(struct ir *ir, const struct subset *s, uint32_t dim)
{
    const struct range *d = &s->dims[dim];
    return sym_mul(ir, d->tile, sym_range_size(ir, d->begin, d->end, d->step));
}

const struct sym *subset_volume(struct ir *ir, const struct subset *s)
{
    const struct sym *volume = sym_int(ir, 1);
    for (uint32_t i = 0; i < s->rank; i++)
        volume = sym_mul(ir, volume, subset_size(ir, s, i));
    return volume;
}

struct subset *subset_substitute(struct ir *ir, const struct subset *s, sym_lookup *lookup, void *user)
{
    struct subset *out = subset_new(ir, s->rank);
    for (uint32_t i = 0; i < s->rank; i++) {
        out->dims[i].begin = sym_substitute(ir, s->dims[i].begin, lookup, user);
        out->dims[i].end = sym_substitute(ir, s->dims[i].end, lookup, user);
        out->dims[i].step = sym_substitute(ir, s->dims[i].step, lookup, user);
        out->dims[i].tile = sym_substitute(ir, s->dims[i].tile, lookup, user);
    }
    return out;
}

/* ---- ends of memlets ---- */

struct subset *memlet_source_subset(const struct memlet *m) { return m->subset_is_source ? m->subset : m->other; }

struct subset *memlet_target_subset(const struct memlet *m) { return m->subset_is_source ? m->other : m->subset; }

/* ---- views (format.md 2.20.4) ---- */

static bool names_view(const struct edge *e, const struct access *a)
{
    return e->memlet.name && !strcmp(e->memlet.name, a->name);
}

static struct edge *choose_view_edge(const struct access *a, struct edge *in, struct edge *out)
{
    bool from_access = path_source(in)->kind == NODE_ACCESS, to_access = path_target(out)->kind == NODE_ACCESS;
    if (!from_access || !to_access)
        return from_access ? in : to_access ? out : NULL;
    if (in->dst_conn && !strcmp(in->dst_conn, "views"))
        return in;
    if (out->src_conn && !strcmp(out->src_conn, "views"))
        return out;
    bool in_names = names_view(in, a), out_names = names_view(out, a);
    if (in_names != out_names)
        return in_names ? out : in;
    if (in_names)
        return NULL;
    if (node_is_entry(in->src))
        return in;
    return node_is_exit(out->dst) ? out : in;
}

struct edge *view_edge(const struct access *a)
{
    struct edge *in = NULL;
    uint32_t num_in = 0, num_out = a->node.out.count;
    for (uint32_t i = 0; i < a->node.in.count; i++)
        if (!memlet_is_empty(&a->node.in.items[i]->memlet)) {
            in = in ? in : a->node.in.items[i];
            num_in++;
        }
    struct edge *out = num_out ? a->node.out.items[0] : NULL;
    if (num_in == 1 && num_out == 1)
        return choose_view_edge(a, in, out);
    if (num_in == num_out)
        return NULL;
    if (num_in == 1)
        return path_source(in)->kind == NODE_ACCESS ? in : NULL;
    if (num_out == 1)
        return path_target(out)->kind == NODE_ACCESS ? out : NULL;
    return NULL;
}
