/* Programs whose steps work on parts of arrays: rows, columns and blocks, strided, turned, split or with dimensions of
 * one element, met in place, through views, through views of iterations, as arrays of nested SDFGs (called once, or in
 * each iteration of a map), and through references that are set on the way. Elements have many types. Loop variables
 * and symbols that change between steps say where parts begin. Values are small integers. */
#include "tests/run/random_parts.h"

#include <string.h>

/* ---- nested SDFGs ---- */

static void fill_region(struct views *m, struct region *r, uint32_t steps, const struct array *to);

/* The inner SDFG, with arrays `names[i]` that look like the parts, the first of which it changes. */
static struct sdfg *make_inner(struct views *m, const struct part *parts, const char *const *names, uint32_t count,
                               const struct params *p, const char **mapping)
{
    struct sdfg *inner = build_sdfg(m->ir, part_fresh(m, "inner"));
    struct views in = { .ir = m->ir, .random = m->random, .s = inner, .depth = m->depth + 1, .labels = m->labels };
    build_symbol(inner, "N", "int64");
    build_symbol(inner, "M", "int64");
    *mapping = "N = N, M = M";
    for (uint32_t i = 0; i < m->num_variables + p->count && in.num_variables + 2 < MOST_VARIABLES; i++) {
        bool param = i >= m->num_variables;
        const char *name = param ? p->items[i - m->num_variables].name : m->variables[i].name;
        int high = param ? p->items[i - m->num_variables].count - 1 : m->variables[i].high, by = (int)part_below(m, 2);
        const char *own = part_chance(m, 50) ? name : part_fresh(m, "q");
        build_symbol(inner, own, "int64");
        *mapping = TEXT(m, "%s, %s = %s + %d", *mapping, own, name, by);
        in.variables[in.num_variables++] = (struct variable){ own, high + by, false };
    }
    for (uint32_t i = 0; i < count; i++) {
        in.arrays[in.num_arrays++] = (struct array){ names[i], parts[i].shape };
        struct container *c = build_array(inner, names[i], parts[i].shape.type, part_shape_text(m, &parts[i].shape));
        build_strides(inner, c, part_strides_text(m, &parts[i].shape));
    }
    fill_region(&in, &inner->region, 1 + part_below(m, 3), &in.arrays[0]);
    return inner;
}

/* Called once, or in each iteration of a map over the first dimension of what it changes. */
static struct block *make_call(struct views *m, struct region *r, const struct array *to)
{
    const struct array *from = part_any_array(m, to);
    struct part parts[2] = { part_cut(m, to) };
    if (m->depth >= MOST_DEPTH || !from)
        return part_elements(m, r, to, false);
    parts[1] = part_cut(m, from);
    struct state *st = build_state(r, part_fresh(m, "s"));
    struct params p = { 0 };
    struct map_entry *map = NULL;
    uint32_t d = 0;
    while (d < to->shape.rank && !parts[0].cuts[d].count)
        d++;
    if (d < to->shape.rank && part_chance(m, 50)) {
        struct cut *c = &parts[0].cuts[d], *other = &parts[1].cuts[part_below(m, from->shape.rank)];
        p.items[p.count++] = (struct param){ part_fresh(m, "p"), TEXT(m, "0:%d", c->count), c->count };
        map = part_open_map(m, st, &p);
        *c = (struct cut){ TEXT(m, "%s + %d * %s", c->begin, c->step, p.items[0].name), 1, 0 };
        if (other->count >= p.items[0].count && part_chance(m, 70))
            *other = (struct cut){ TEXT(m, "%s + %s", other->begin, p.items[0].name), 1, 0 };
        for (int i = 0; i < 2; i++)
            part_shape_of_cuts(m, &parts[i]);
    }
    static const char *const names[] = { "target", "source" };
    const char *mapping;
    struct sdfg *inner = make_inner(m, parts, names, 2, &p, &mapping);
    struct nested *call = build_nested(st, part_fresh(m, "call"), inner, "target, source", "target", mapping);
    struct access *a = build_access(st, to->name), *b = build_access(st, from->name), *c = build_access(st, to->name);
    const char *target = part_memlet_of(m, &parts[0]), *source = part_memlet_of(m, &parts[1]);
    struct node *entry = map ? &map->node : &call->node, *exit = map ? map->exit : &c->node;
    build_path(target, NULL, NULL, "target", &a->node, entry, map ? &call->node : NULL, NULL);
    build_path(source, NULL, NULL, "source", &b->node, entry, map ? &call->node : NULL, NULL);
    build_path(target, NULL, "target", NULL, &call->node, exit, map ? &c->node : NULL, NULL);
    return &st->block;
}

/* ---- references ---- */

static const char *condition(struct views *m)
{
    if (m->num_variables && part_chance(m, 70))
        return TEXT(m, "%s %% 2 == %u", m->variables[part_below(m, m->num_variables)].name, part_below(m, 2));
    return TEXT(m, "(N + M) %% 7 < %u", part_below(m, 8));
}

static struct block *set_reference(struct views *m, struct region *r, const char *name, const struct part *p)
{
    struct state *st = build_state(r, part_fresh(m, "s"));
    build_edge(&build_access(st, p->of->name)->node, NULL, &build_access(st, name)->node, "set", part_memlet_of(m, p),
               NULL);
    return &st->block;
}

/* A reference that is set here or there, and then used instead of the array. */
static struct block *make_reference(struct views *m, struct region *r, const struct array *to)
{
    struct part p = part_cut(m, to), q = part_cut(m, to);
    if (m->num_arrays == MOST_ARRAYS || m->depth)
        return part_elements(m, r, to, false);
    for (uint32_t d = 0; d < to->shape.rank; d++) { /* the same shape */
        int rest = to->shape.dims[d] - 1 - (p.cuts[d].count ? (p.cuts[d].count - 1) * p.cuts[d].step : 0);
        q.cuts[d] = p.cuts[d];
        q.cuts[d].begin = part_place(m, rest, NULL);
    }
    const char *name = part_fresh(m, "R");
    struct region *all = build_region(r, part_fresh(m, "reference"));
    build_strides(m->s, build_reference(m->s, name, p.shape.type, part_shape_text(m, &p.shape)),
                  part_strides_text(m, &p.shape));
    struct block *last;
    if (part_chance(m, 50)) {
        struct conditional *c = build_conditional(all, part_fresh(m, "branch"));
        set_reference(m, build_branch(c, condition(m)), name, &p);
        set_reference(m, build_branch(c, NULL), name, &q);
        last = &c->block;
    } else {
        last = set_reference(m, all, name, &p);
    }
    struct array reference = { name, p.shape };
    const struct array *third = part_any_array(m, to);
    struct views alone = *m; /* what is written here is read only where it is known to be in order */
    alone.num_arrays = 0;
    for (int i = 0; i < 3; i++) {
        struct block *b;
        if (i == 2) {
            alone.arrays[0] = reference;
            alone.num_arrays = 1;
            b = third ? part_elements(&alone, all, third, false) : NULL;
        } else {
            b = part_elements(&alone, all, i ? to : &reference, false);
        }
        if (b)
            build_transition(last, b, NULL, NULL);
        last = b;
    }
    return &all->block;
}

/* ---- control flow ---- */

static struct block *make_step(struct views *m, struct region *r, const struct array *only)
{
    const struct array *to = only ? only : part_any_array(m, NULL);
    uint32_t kind = part_below(m, 20);
    if (kind < 5)
        return part_elements(m, r, to, false);
    if (kind < 9)
        return part_chain(m, r, to);
    if (kind < 11)
        return part_inner_views(m, r, to);
    if (kind < 14)
        return part_copy(m, r, to);
    if (kind < 18)
        return make_call(m, r, to);
    return make_reference(m, r, to);
}

static struct block *make_loop(struct views *m, struct region *r, const struct array *only)
{
    const char *name = part_fresh(m, "t");
    int high = (int)part_below(m, m->loops ? 4 : LARGEST);
    build_symbol(m->s, name, "int64");
    struct loop *l = part_chance(m, 20)
                         ? build_loop(r, part_fresh(m, "loop"), name, TEXT(m, "%s = %d", name, high),
                                      TEXT(m, "%s > -1", name), TEXT(m, "%s = %s - 1", name, name))
                         : build_loop(r, part_fresh(m, "loop"), name, TEXT(m, "%s = 0", name),
                                      TEXT(m, "%s < %d", name, high + 1), TEXT(m, "%s = %s + 1", name, name));
    m->variables[m->num_variables++] = (struct variable){ name, high, true };
    m->loops++;
    fill_region(m, &l->region, 1 + part_below(m, 3), only);
    m->loops--;
    m->num_variables--;
    return &l->region.block;
}

static struct block *make_branches(struct views *m, struct region *r, const struct array *only)
{
    struct conditional *c = build_conditional(r, part_fresh(m, "branch"));
    fill_region(m, build_branch(c, condition(m)), 1, only);
    if (part_chance(m, 50))
        fill_region(m, build_branch(c, NULL), 1, only);
    return &c->block;
}

/* A temporary that is written before it is read. */
static struct block *make_temporary(struct views *m, struct region *r)
{
    static const int dims[] = { 1, 4, 8, 20, 24 };
    uint32_t rank = 1 + part_below(m, MOST_DIMS);
    int own[MOST_DIMS];
    for (uint32_t d = 0; d < rank; d++)
        own[d] = rank == 3 ? dims[part_below(m, 3)] : PICK(m, dims);
    struct array made = part_temporary(m, part_any_type(m), rank, own);
    struct block *b = part_elements(m, r, &made, true);
    m->arrays[m->num_arrays++] = made;
    return b;
}

/* "k = abs(A[3]) % 5", "k = t + 1", or another value for what has one. */
static const char *assignment(struct views *m, const char **symbol)
{
    const struct array *a = &m->arrays[part_below(m, m->num_arrays)];
    const char *zero[MOST_DIMS] = { "0", "0", "0" };
    bool is_signed = a->shape.type[0] == 'i';
    if (!*symbol || part_chance(m, 40)) {
        *symbol = part_fresh(m, "k");
        build_symbol(m->s, *symbol, "int64");
        m->variables[m->num_variables++] = (struct variable){ *symbol, 6, false };
    }
    if (m->num_variables > 1 && m->variables[0].name != *symbol && part_chance(m, 40))
        return TEXT(m, "%s = (%s + %u) %% 5", *symbol, m->variables[0].name, part_below(m, 4));
    if (is_signed && m->num_arrays)
        return TEXT(m, "%s = abs(%s) %% 5", *symbol, part_element(m, a->name, &a->shape, zero));
    return TEXT(m, "%s = %u", *symbol, part_below(m, 6));
}

/* `only`: the one array that may be changed. */
static void fill_region(struct views *m, struct region *r, uint32_t steps, const struct array *only)
{
    struct block *last = NULL;
    uint32_t variables = m->num_variables, arrays = m->num_arrays;
    const char *symbol = NULL;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t kind = part_below(m, 12);
        bool room = m->num_variables + 2 < MOST_VARIABLES;
        const char *change = last && room && part_chance(m, 25) ? assignment(m, &symbol) : NULL;
        struct block *b = kind < 3 && m->loops < 2 && m->depth < 2 && room ? make_loop(m, r, only)
                          : kind < 4                                       ? make_branches(m, r, only)
                          : kind < 6 && m->num_arrays < MOST_ARRAYS        ? make_temporary(m, r)
                                                                           : make_step(m, r, only);
        if (last)
            build_transition(last, b, NULL, change);
        last = b;
    }
    m->num_variables = variables;
    m->num_arrays = arrays;
}

struct sdfg *random_views(struct ir *ir, uint64_t seed)
{
    uint32_t labels = 0;
    struct views m = { .ir = ir, .random = &seed, .labels = &labels };
    m.s = build_sdfg(ir, "views");
    build_symbol(m.s, "N", "int64");
    build_symbol(m.s, "M", "int64");
    for (uint32_t i = 0, count = 2 + part_below(&m, 3); i < count; i++)
        part_add_argument(&m);
    fill_region(&m, &m.s->region, 3 + part_below(&m, 4), NULL);
    return m.s;
}
