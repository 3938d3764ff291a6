/* Copies between arrays become maps, as DaCe's transformation CopyToMap makes them:
 *
 *     A --[A[0:N] -> B[2:N+2]]--> B     ->     A --> map i = 0:N --A[i]--> tasklet --B[i + 2]--> B
 *
 * so that transformations of maps apply to them, and files say what runs. A copy stays that has no such form for sure:
 * of streams, views and structures, between host and device, with conversion, from an array to itself, or of regions
 * whose extents are not the same expressions dimension by dimension (those of extent 1 do not count). */
#include "ir/build/build.h"
#include "ir/passes/passes.h"

#include <string.h>

enum { MOST_DIMENSIONS = 32 };

struct copy {
    struct ir *ir;
    struct edge *edge;
    const struct subset *from, *to;
    uint32_t rank; /* dimensions with more than one element */
    const struct sym *sizes[MOST_DIMENSIONS];
    bool device;
};

/* ---- what fits ---- */

static bool is_on_device(const struct container *c) { return c->storage->row == STORAGE_GPU_GLOBAL; }

static bool is_of_host(const struct container *c)
{
    switch (c->storage->row) {
    case STORAGE_DEFAULT:
    case STORAGE_CPU_HEAP:
    case STORAGE_CPU_PINNED:
    case STORAGE_CPU_THREADLOCAL:
    case STORAGE_REGISTER:
        return true;
    default:
        return false;
    }
}

static bool are_arrays(const struct container *a, const struct container *b)
{
    return a && b && a != b && a->kind == CONTAINER_ARRAY && b->kind == CONTAINER_ARRAY && !a->parent && !b->parent &&
           a->type && a->type == b->type && a->type->kind != TYPE_STRUCT && a->type->kind != TYPE_POINTER;
}

/* The extents that are not 1; false: there are too many, or some are not plain ranges. */
static bool extents_of(struct ir *ir, const struct subset *s, const struct sym **sizes, uint32_t *rank)
{
    *rank = 0;
    for (uint32_t i = 0; i < s->rank; i++) {
        const struct sym *size = subset_size(ir, s, i);
        if (!sym_is_int(s->dims[i].tile, 1) || *rank == MOST_DIMENSIONS)
            return false;
        if (!sym_is_int(size, 1))
            sizes[(*rank)++] = size;
    }
    return true;
}

/* Regions with the same extents. An end without a region is all of its array. */
static bool take_regions(struct copy *c, const struct container *a, const struct container *b)
{
    const struct memlet *m = &c->edge->memlet;
    const struct sym *sizes[MOST_DIMENSIONS];
    uint32_t rank;
    c->from = memlet_source_subset(m);
    c->to = memlet_target_subset(m);
    c->from = c->from ? c->from : subset_whole(c->ir, a);
    c->to = c->to ? c->to : subset_whole(c->ir, b);
    if (!extents_of(c->ir, c->from, c->sizes, &c->rank) || !extents_of(c->ir, c->to, sizes, &rank) || rank != c->rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (sizes[i] != c->sizes[i])
            return false;
    return rank > 0;
}

static bool is_map(struct copy *c)
{
    const struct edge *e = c->edge;
    const struct memlet *m = &e->memlet;
    const struct access *a = as_access(e->src), *b = as_access(e->dst);
    if (!a || !b || memlet_is_empty(m) || m->dynamic || m->allow_oob || e->src_conn || e->dst_conn)
        return false;
    if (!are_arrays(a->data, b->data) || (m->data != a->data && m->data != b->data))
        return false;
    c->device = is_on_device(a->data) && is_on_device(b->data) && !a->node.scope;
    return (c->device || (is_of_host(a->data) && is_of_host(b->data))) && take_regions(c, a->data, b->data);
}

/* ---- the map ---- */

/* Names that nothing in the SDFG or around the copy has. */
static const char *parameter(const struct copy *c, uint32_t dim)
{
    const struct sdfg *s = c->edge->src->state->sdfg;
    const char *name = arena_printf(c->ir->arena, "__c%u", dim);
    for (uint32_t k = 0; sdfg_symbol_type(s, name) || sdfg_find_container(s, name); k++)
        name = arena_printf(c->ir->arena, "__c%u_%u", dim, k);
    return intern(c->ir->names, name);
}

static const char *ranges(const struct copy *c)
{
    struct text t = text_new(c->ir->arena);
    for (uint32_t i = 0; i < c->rank; i++)
        text_printf(&t, "%s%s = 0", i ? ", " : "", parameter(c, i));
    return text_get(&t);
}

/* The element of a region in an iteration. */
static struct subset *element(const struct copy *c, const struct subset *region, const struct map_entry *m)
{
    struct subset *at = subset_new(c->ir, region->rank);
    uint32_t dim = 0;
    for (uint32_t i = 0; i < region->rank; i++) {
        const struct range *r = &region->dims[i];
        const struct sym *one = sym_int(c->ir, 1), *index = r->begin;
        if (!sym_is_int(subset_size(c->ir, region, i), 1))
            index = sym_add(c->ir, index, sym_mul(c->ir, r->step, sym_name(c->ir, m->params.items[dim++])));
        at->dims[i] = (struct range){ index, index, one, one };
    }
    return at;
}

static void set_region(struct copy *c, struct edge *e, const struct subset *region)
{
    struct subset *own = subset_new(c->ir, region->rank);
    memcpy(own->dims, region->dims, region->rank * sizeof *own->dims);
    e->memlet.subset = own;
    e->memlet.volume = subset_volume(c->ir, own);
}

static void take_reduction(struct memlet *m, const struct memlet *from)
{
    m->wcr = from->wcr;
    m->wcr_text = from->wcr_text;
    m->wcr_kind = from->wcr_kind;
    m->wcr_nonatomic = from->wcr_nonatomic;
}

/* One side of the map: its edges outside and inside. */
static void connect(struct copy *c, struct node *array, struct map_entry *m, struct tasklet *t, bool output)
{
    const char *name = as_access(array)->name;
    const struct subset *region = output ? c->to : c->from;
    struct edge *inside =
        output ? build_edge(&t->node, "_out", m->exit, arena_printf(c->ir->arena, "IN_%s", name), name, NULL)
               : build_edge(&m->node, arena_printf(c->ir->arena, "OUT_%s", name), &t->node, "_in", name, NULL);
    struct edge *outside =
        output ? build_edge(m->exit, arena_printf(c->ir->arena, "OUT_%s", name), array, NULL, name, NULL)
               : build_edge(array, NULL, &m->node, arena_printf(c->ir->arena, "IN_%s", name), name, NULL);
    set_region(c, inside, element(c, region, m));
    set_region(c, outside, region);
    if (output) {
        take_reduction(&inside->memlet, &c->edge->memlet);
        take_reduction(&outside->memlet, &c->edge->memlet);
    }
}

static void stand_where(struct node *n, const struct copy *c)
{
    const struct place *p = place_source(&c->edge->dst->place);
    if (p) {
        n->place.file = p->file;
        n->place.line = p->line;
        n->place.column = p->column;
    }
}

static void make_map(struct copy *c)
{
    struct state *st = c->edge->src->state;
    struct map_entry *m = build_map(st, "copy", ranges(c));
    struct tasklet *t = build_tasklet(st, "copy", "_in", "_out", "_out = _in");
    const struct sym *one = sym_int(c->ir, 1);
    for (uint32_t i = 0; i < c->rank; i++)
        m->range.dims[i] = (struct range){ sym_int(c->ir, 0), sym_sub(c->ir, c->sizes[i], one), one, one };
    if (c->device)
        m->schedule = enum_builtin(c->ir, SCHEDULE_GPU_DEVICE);
    stand_where(&m->node, c);
    stand_where(m->exit, c);
    stand_where(&t->node, c);
    connect(c, c->edge->src, m, t, false);
    connect(c, c->edge->dst, m, t, true);
}

/* ---- the copy goes ---- */

static void remove_from(struct edge **items, uint32_t *count, const struct edge *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (items[i] != e)
            items[kept++] = items[i];
    *count = kept;
}

static void remove_edge(struct edge *e)
{
    struct state *st = e->src->state;
    remove_from(e->src->out.items, &e->src->out.count, e);
    remove_from(e->dst->in.items, &e->dst->in.count, e);
    remove_from(st->edges.items, &st->edges.count, e);
    for (uint32_t i = 0; i < st->edges.count; i++)
        st->edges.items[i]->index = st->edges.items[i]->place.id = i;
}

static void visit_block(void *ir, struct block *b)
{
    struct state *st = as_state(b);
    bool changed = false;
    for (uint32_t i = 0, count = st ? st->edges.count : 0; i < count;) {
        struct copy c = { .ir = ir, .edge = st->edges.items[i] };
        if (!is_map(&c)) {
            i++;
            continue;
        }
        make_map(&c);
        remove_edge(c.edge); /* those of the map are behind all others */
        count--;
        changed = true;
    }
    if (changed)
        state_resolve(st);
}

static void visit_sdfg(void *ir, struct sdfg *s) { region_each_block(&s->region, visit_block, ir); }

bool sdfg_copy_to_map(struct sdfg *s)
{
    sdfg_each(s, visit_sdfg, s->ir);
    return sdfg_validate(s);
}
