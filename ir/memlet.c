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

/* Extents and distances in memory, without dimensions of one element. */
struct shape {
    uint32_t rank;
    const struct sym **sizes, **strides;
};

static struct shape shape_of(struct ir *ir, const struct container *c, const struct subset *s)
{
    struct shape shape = { .rank = 0 };
    shape.sizes = NEW_ARRAY(ir->arena, const struct sym *, c->rank + 1);
    shape.strides = NEW_ARRAY(ir->arena, const struct sym *, c->rank + 1);
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct sym *size = s ? subset_size(ir, s, i) : c->shape[i];
        if (sym_is_int(size, 1))
            continue;
        shape.sizes[shape.rank] = size;
        shape.strides[shape.rank++] = s ? sym_mul(ir, s->dims[i].step, c->strides[i]) : c->strides[i];
    }
    return shape;
}

static bool is_packed(struct ir *ir, const struct shape *s)
{
    const struct sym *next = sym_int(ir, 1);
    for (uint32_t i = s->rank; i-- > 0; next = sym_mul(ir, next, s->sizes[i]))
        if (s->strides[i] != next)
            return false;
    return true;
}

/* Does the view address exactly the elements of the region that the edge names at its other end? */
static bool view_fits(const struct access *a, struct edge *e)
{
    struct ir *ir = a->node.state->sdfg->ir;
    bool source = e->dst == &a->node;
    const struct container *c = as_access(source ? path_source(e) : path_target(e))->data;
    const struct subset *s = source ? memlet_source_subset(&e->memlet) : memlet_target_subset(&e->memlet);
    if (!c || (s && s->rank != c->rank))
        return false;
    struct shape region = shape_of(ir, c, s), view = shape_of(ir, a->data, NULL);
    bool same = region.rank == view.rank;
    for (uint32_t i = 0; same && i < view.rank; i++)
        same = region.strides[i] == view.strides[i];
    return same || (is_packed(ir, &region) && is_packed(ir, &view));
}

/* Files without the number of a version are older than the connector "views" (format.md 2.20.4). */
static bool is_old(const struct sdfg *s)
{
    while (s->parent)
        s = s->parent->node.state->sdfg;
    return !s->dace_version;
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
    if (in_names != out_names) {
        struct edge *named = in_names ? out : in, *other = in_names ? in : out;
        /* Old releases left it open which side is viewed: then it is the one that the view's layout describes. */
        return is_old(a->node.state->sdfg) && !view_fits(a, named) && view_fits(a, other) ? other : named;
    }
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
