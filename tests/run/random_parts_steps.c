#include "tests/run/random_parts.h"

#include <string.h>

/* ---- a step ---- */

struct map_entry *part_open_map(struct views *m, struct state *st, const struct params *p)
{
    static const enum enum_row rows[] = { SCHEDULE_DEFAULT, SCHEDULE_DEFAULT, SCHEDULE_CPU_MULTICORE,
                                          SCHEDULE_SEQUENTIAL };
    const char *ranges = "";
    for (uint32_t i = 0; i < p->count; i++)
        ranges = TEXT(m, "%s%s%s = %s", ranges, i ? ", " : "", p->items[i].name, p->items[i].range);
    struct map_entry *e = build_map(st, part_fresh(m, "map"), ranges);
    e->schedule = enum_builtin(m->ir, PICK(m, rows));
    return e;
}

static const char *add_view(struct views *m, const struct shape *s)
{
    const char *name = part_fresh(m, "V");
    build_strides(m->s, build_view(m->s, name, s->type, part_shape_text(m, s)), part_strides_text(m, s));
    return name;
}

/* What a map reads, or writes: an access node outside of it and the memlet inside. */
struct end {
    struct node *node;
    const char *memlet;
};

/* A view of the part, of a view of it now and then. */
static struct end through_view(struct views *m, struct state *st, const struct part *p, const char *const *indices,
                               bool out)
{
    struct node *array = &build_access(st, p->of->name)->node;
    const char *name = add_view(m, &p->shape);
    struct node *view = &build_access(st, name)->node;
    if (out)
        build_edge(view, "views", array, NULL, part_memlet_of(m, p), NULL);
    else
        build_edge(array, NULL, view, "views", part_memlet_of(m, p), NULL);
    if (!out && part_chance(m, 15)) {
        const char *again = add_view(m, &p->shape);
        struct node *next = &build_access(st, again)->node;
        build_edge(view, NULL, next, "views", name, NULL);
        view = next;
        name = again;
    }
    return (struct end){ view, part_element(m, name, &p->shape, indices) };
}

static struct end end_of(struct views *m, struct state *st, const struct part *p, const char *const *indices, bool out)
{
    if (p->plain && part_chance(m, 35))
        return (struct end){ &build_access(st, p->of->name)->node, part_element_in_place(m, p, indices) };
    return through_view(m, st, p, indices, out);
}

static const char *const sums[] = { "lambda a, b: a + b", "lambda a, b: a + b", "lambda a, b: max(a, b)",
                                    "lambda a, b: min(a, b)" };

/* The part that the part `p` of the same array may be read from while `p` is written: the one beside it. */
static bool neighbour(const struct part *p, struct part *out)
{
    if (!p->vary)
        return false;
    *out = *p;
    for (uint32_t d = 0; d < p->of->shape.rank; d++)
        if (!p->cuts[d].count && !strcmp(p->cuts[d].begin, p->vary)) {
            out->cuts[d].begin = p->next;
            return true;
        }
    return false;
}

static void whole(struct views *m, struct part *p)
{
    for (uint32_t d = 0; d < p->of->shape.rank; d++)
        p->cuts[d] = (struct cut){ "0", 1, p->of->shape.dims[d] };
    part_shape_of_cuts(m, p);
}

/* What the elements of a part are made of. */
struct making {
    struct part out;
    const struct part *same; /* NULL, or a part of the same dimensions: element from element, mostly */
    bool all;                /* all elements get values, and none has one before */
    bool sum;
};

/* Elements of a part, each from its own before, any of its neighbour, or any of other arrays. */
static struct block *put_elements(struct views *m, struct region *r, const struct making *k)
{
    struct state *st = build_state(r, part_fresh(m, "s"));
    const struct part *out = &k->out;
    struct part in[MOST_INPUTS];
    struct params p = { 0 };
    part_add_params(m, &p, &out->shape, k->all);
    struct map_entry *map = part_open_map(m, st, &p);
    const char *own[MOST_DIMS], *any[MOST_DIMS], *xs[MOST_INPUTS], *names = "";
    for (uint32_t d = 0; d < p.count; d++)
        own[d] = p.items[d].name;
    uint32_t count = k->same ? 1 + part_below(m, MOST_INPUTS) : part_below(m, MOST_INPUTS + 1), made = 0;
    struct end ends[MOST_INPUTS];
    for (uint32_t i = 0; i < count; i++) {
        const struct array *from = part_any_array(m, out->of);
        if (k->same && i == 0) {
            in[made] = *k->same;
            part_any_indices(m, &in[made].shape, &p, any);
            ends[made] = end_of(m, st, &in[made], part_chance(m, 75) ? own : any, false);
        } else if (!k->all && !k->sum && i == 0 && part_chance(m, 40)) { /* in place */
            in[made] = *out;
            ends[made] = end_of(m, st, out, own, false);
        } else {
            bool beside = !k->all && part_chance(m, 30) && neighbour(out, &in[made]);
            if (!beside && !from)
                continue;
            if (!beside)
                in[made] = part_cut(m, from);
            if (!beside && part_chance(m, 40))
                part_bend(m, &in[made]);
            if (!beside && part_chance(m, 10))
                part_halve(&in[made]);
            part_any_indices(m, &in[made].shape, &p, any);
            ends[made] = end_of(m, st, &in[made], any, false);
        }
        xs[made] = part_input_value(m, made, in[made].shape.type);
        names = TEXT(m, "%s%sx%u", names, made ? ", " : "", made);
        made++;
    }
    const char *value = part_bounded(m, out->shape.type, part_expression(m, &p, xs, made), k->sum);
    struct tasklet *t = build_tasklet(st, part_fresh(m, "t"), made ? names : NULL, "o", TEXT(m, "o = %s", value));
    for (uint32_t i = 0; i < made; i++)
        build_path(ends[i].memlet, NULL, NULL, TEXT(m, "x%u", i), ends[i].node, &map->node, &t->node, NULL);
    if (!made)
        build_edge(&map->node, NULL, &t->node, NULL, NULL, NULL);
    if (k->sum && part_chance(m, 60))
        part_any_indices(m, &out->shape, &p, own);
    struct end end = end_of(m, st, out, own, true);
    build_path(end.memlet, k->sum ? PICK(m, sums) : NULL, "o", NULL, &t->node, map->exit, end.node, NULL);
    return &st->block;
}

struct block *part_elements(struct views *m, struct region *r, const struct array *to, bool all)
{
    struct making k = { .out = part_cut(m, to), .all = all, .sum = !all && part_chance(m, 25) };
    if (all)
        whole(m, &k.out);
    if (part_chance(m, 40))
        part_bend(m, &k.out);
    if (part_chance(m, 15))
        part_halve(&k.out);
    return put_elements(m, r, &k);
}

struct array part_temporary(struct views *m, const char *type, uint32_t rank, const int *dims)
{
    struct array a = { .name = part_fresh(m, "T"), .shape = { type, rank } };
    int stride = 1;
    for (uint32_t d = rank; d-- > 0; stride *= dims[d]) {
        a.shape.dims[d] = dims[d];
        a.shape.strides[d] = TEXT(m, "%d", stride);
    }
    build_transient(m->s, a.name, type, part_shape_text(m, &a.shape));
    return a;
}

/* Temporaries of the same dimensions, each made of the one before, and a part of the last one. */
struct block *part_chain(struct views *m, struct region *r, const struct array *to)
{
    struct region *all = build_region(r, part_fresh(m, "chain"));
    struct part out = part_cut(m, to), before;
    if (part_chance(m, 40))
        part_bend(m, &out);
    struct block *last = NULL;
    struct array stages[3];
    uint32_t count = 1 + part_below(m, 3);
    for (uint32_t i = 0; i <= count; i++) {
        struct making k = { .out = out, .same = i ? &before : NULL, .all = i < count };
        if (i < count) {
            bool alike = part_chance(m, 60); /* else values would have to fit into it */
            stages[i] = part_temporary(m, alike ? out.shape.type : part_any_type(m), out.shape.rank, out.shape.dims);
            k.out = (struct part){ .of = &stages[i] };
            whole(m, &k.out);
        } else {
            k.sum = part_chance(m, 25);
        }
        struct block *b = put_elements(m, all, &k);
        if (last)
            build_transition(last, b, NULL, NULL);
        last = b;
        before = k.out;
    }
    return &all->block;
}

/* Views inside of a map: each iteration looks at a row of its own, and a row of another array. */
struct block *part_inner_views(struct views *m, struct region *r, const struct array *to)
{
    const struct array *from = part_any_array(m, to);
    if (!from || from->shape.rank < 2 || to->shape.rank < 2)
        return part_elements(m, r, to, false);
    struct state *st = build_state(r, part_fresh(m, "s"));
    int rows = part_less_than(m, from->shape.dims[0] < to->shape.dims[0] ? from->shape.dims[0] : to->shape.dims[0]);
    struct params p = { .count = 1, .items = { { part_fresh(m, "p"), TEXT(m, "0:%d", rows), rows } } };
    struct map_entry *map = part_open_map(m, st, &p);
    struct part in = part_cut(m, from), out = part_cut(m, to);
    struct part *const both[] = { &in, &out };
    for (int i = 0; i < 2; i++) {
        both[i]->cuts[0] = (struct cut){ p.items[0].name, 1, 0 };
        both[i]->cuts[1] = (struct cut){ part_place(m, 20, NULL), 1, part_less_than(m, 24) };
        for (uint32_t d = 2; d < both[i]->of->shape.rank; d++)
            both[i]->cuts[d] = (struct cut){ "0", 1, 0 };
        if (both[i]->cuts[1].count + 40 > both[i]->of->shape.dims[1])
            both[i]->cuts[1] = (struct cut){ "0", 1, part_less_than(m, both[i]->of->shape.dims[1]) };
        part_shape_of_cuts(m, both[i]);
    }
    const char *v = add_view(m, &in.shape), *w = add_view(m, &out.shape), *at[MOST_DIMS], *xs[1];
    struct node *view = &build_access(st, v)->node, *target = &build_access(st, w)->node;
    struct tasklet *t = build_tasklet(st, part_fresh(m, "t"), "x0", "o", "o = 0");
    xs[0] = part_input_value(m, 0, in.shape.type);
    t->code.text = TEXT(m, "o = %s", part_bounded(m, out.shape.type, part_expression(m, &p, xs, 1), false));
    build_path(part_memlet_of(m, &in), NULL, NULL, "views", &build_access(st, from->name)->node, &map->node, view,
               NULL);
    part_any_indices(m, &in.shape, &p, at);
    build_edge(view, NULL, &t->node, "x0", part_element(m, v, &in.shape, at), NULL);
    part_any_indices(m, &out.shape, &p, at);
    build_edge(&t->node, "o", target, NULL, part_element(m, w, &out.shape, at), NULL);
    build_path(part_memlet_of(m, &out), NULL, "views", NULL, target, map->exit, &build_access(st, to->name)->node,
               NULL);
    return &st->block;
}

/* ---- copies ---- */

struct block *part_copy(struct views *m, struct region *r, const struct array *to)
{
    const struct array *from = part_any_array(m, to);
    if (!from ||
        (part_is_real(from->shape.type) && !part_is_real(to->shape.type) && strcmp(to->shape.type, "int64") != 0))
        return part_elements(m, r, to, false); /* no integers for values that they cannot hold */
    struct state *st = build_state(r, part_fresh(m, "s"));
    struct part out = part_cut(m, to), in = part_cut(m, from);
    int count = part_less_than(m, 24);
    struct part *const both[] = { &in, &out };
    for (int i = 0; i < 2; i++) { /* so many elements in one dimension, one place in the others */
        const struct shape *s = &both[i]->of->shape;
        for (uint32_t d = 0; d < s->rank; d++)
            count = count <= s->dims[d] ? count : s->dims[d];
    }
    for (int i = 0; i < 2; i++) {
        const struct shape *s = &both[i]->of->shape;
        uint32_t along = part_below(m, s->rank);
        for (uint32_t d = 0; d < s->rank; d++) {
            int step = d == along && 2 * count <= s->dims[d] && part_chance(m, 30) && count > 1 ? 2 : 1;
            int most = s->dims[d] - 1 - (d == along ? (count - 1) * step : 0);
            both[i]->cuts[d] = (struct cut){ part_place(m, most, NULL), step, d == along ? count : 0 };
        }
    }
    const char *target = part_memlet_of(m, &out);
    build_edge(&build_access(st, from->name)->node, NULL, &build_access(st, to->name)->node, NULL,
               TEXT(m, "%s -> %s", part_memlet_of(m, &in), strchr(target, '[')), NULL);
    return &st->block;
}
