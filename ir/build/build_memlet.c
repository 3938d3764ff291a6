/* Edges, memlets from text, and memlets through scopes. */
#include "ir/build/build.h"

#include <stdarg.h>
#include <string.h>

/* ---- memlets from text ---- */

static struct range parse_range(struct ir *ir, const struct place *at, const char *slice)
{
    const struct sym *one = sym_int(ir, 1);
    struct range r = { .step = one, .tile = one };
    build_list parts = { 0 };
    build_split(ir, slice, ':', &parts);
    if (parts.count < 1 || parts.count > 4)
        diag_error(ir->diags, at, DIAG_BUILD_RANGE, slice);
    r.begin = build_sym(ir, at, parts.count ? parts.items[0] : "0");
    r.end = parts.count > 1 ? sym_sub(ir, build_sym(ir, at, parts.items[1]), one) : r.begin;
    if (parts.count > 2)
        r.step = build_sym(ir, at, parts.items[2]);
    if (parts.count > 3)
        r.tile = build_sym(ir, at, parts.items[3]);
    return r;
}

/* The same slices come again and again: those without mistakes and warnings are read once. */
struct range build_range(struct ir *ir, const struct place *at, const char *slice)
{
    const char *text = intern(ir->names, slice);
    const struct range *known = map_get(&ir->ranges, text);
    if (known)
        return *known;
    uint32_t said = diags_count(ir->diags);
    struct range r = parse_range(ir, at, text);
    if (diags_count(ir->diags) == said)
        map_put(ir->arena, &ir->ranges, text, arena_copy(ir->arena, &r, sizeof r));
    return r;
}

/* The region in brackets at `text`; NULL if there is none. */
static struct subset *parse_subset(struct ir *ir, const struct place *at, const char *text)
{
    const char *open = text ? strchr(text, '[') : NULL, *close = text ? strrchr(text, ']') : NULL;
    if (!open || !close || close < open)
        return NULL;
    build_list parts = { 0 };
    build_split(ir, arena_strndup(ir->arena, open + 1, (size_t)(close - open - 1)), ',', &parts);
    struct subset *s = subset_new(ir, parts.count);
    for (uint32_t i = 0; i < parts.count; i++)
        s->dims[i] = build_range(ir, at, parts.items[i]);
    return s;
}

static void parse_wcr(struct ir *ir, struct memlet *m, const struct place *at, const char *wcr)
{
    m->wcr_text = arena_strdup(ir->arena, wcr);
    m->wcr = python_parse_expression(ir, at, m->wcr_text);
    if (m->wcr && (m->wcr->kind != CODE_LAMBDA || m->wcr->count != 3))
        diag_error(ir->diags, at, DIAG_READ_LAMBDA, wcr);
    else if (m->wcr)
        m->wcr_kind = wcr_detect(m->wcr);
}

void build_memlet(struct edge *e, const char *text, const char *wcr)
{
    struct sdfg *s = e->src->state->sdfg;
    struct ir *ir = s->ir;
    struct memlet *m = &e->memlet;
    m->flag_is_data_src = true;
    m->volume = sym_int(ir, 0);
    if (!text)
        return;
    const char *arrow = strstr(text, "->");
    const char *here = arrow ? arena_strndup(ir->arena, text, (size_t)(arrow - text)) : text;
    size_t length = strcspn(here, " [");
    m->name = intern_n(ir->names, here, length);
    e->place.label = m->name;
    m->data = sdfg_find_container(s, m->name);
    if (!m->data) {
        diag_error(ir->diags, &e->place, DIAG_READ_CONTAINER, m->name);
        return;
    }
    m->subset = parse_subset(ir, &e->place, here);
    if (!m->subset)
        m->subset = subset_whole(ir, m->data);
    m->other = parse_subset(ir, &e->place, arrow);
    if (m->subset->rank != m->data->rank) {
        diag_error(ir->diags, &e->place, DIAG_RULE_MEMLET_RANK, m->subset->rank, m->name, m->data->rank);
        m->subset = subset_whole(ir, m->data);
    }
    m->volume = subset_volume(ir, m->subset);
    if (wcr)
        parse_wcr(ir, m, &e->place, wcr);
}

/* ---- edges ---- */

static void want_connector(struct node *n, const char *name, bool in)
{
    struct ir *ir = n->state->sdfg->ir;
    if (!name || (in ? node_in_conn(n, name) : node_out_conn(n, name)))
        return;
    struct connector c = { .name = name, .inferred = true };
    if (!node_is_entry(n) && !node_is_exit(n) && n->kind != NODE_ACCESS)
        diag_error(ir->diags, &n->place, DIAG_RULE_CONNECTOR_UNDECLARED, in ? "input" : "output", name);
    else if (in)
        vec_push(ir->arena, &n->in_conns, c);
    else
        vec_push(ir->arena, &n->out_conns, c);
}

static struct edge *add_edge(struct node *src, const char *src_conn, struct node *dst, const char *dst_conn)
{
    struct state *st = src->state;
    struct ir *ir = st->sdfg->ir;
    struct edge *e = NEW(ir->arena, struct edge);
    e->place = (struct place){ .parent = &st->block.place, .noun = "edge", .id = st->edges.count };
    e->index = st->edges.count;
    e->src = src;
    e->dst = dst;
    e->src_conn = src_conn ? intern(ir->names, src_conn) : NULL;
    e->dst_conn = dst_conn ? intern(ir->names, dst_conn) : NULL;
    if (dst->state != st)
        diag_error(ir->diags, &e->place, DIAG_BUILD_EDGE);
    want_connector(src, e->src_conn, false);
    want_connector(dst, e->dst_conn, true);
    vec_push(ir->arena, &st->edges, e);
    vec_push(ir->arena, &src->out, e);
    vec_push(ir->arena, &dst->in, e);
    return e;
}

struct edge *build_edge(struct node *src, const char *src_conn, struct node *dst, const char *dst_conn,
                        const char *memlet, const char *wcr)
{
    struct edge *e = add_edge(src, src_conn, dst, dst_conn);
    build_memlet(e, memlet, wcr);
    return e;
}

/* ---- propagation ---- */

struct parameter_value {
    const char *name;
    const struct sym *value;
};

static const struct sym *replace_one(void *user, const struct sym *name)
{
    const struct parameter_value *v = user;
    return name->name == v->name ? v->value : NULL;
}

/* The least (or greatest) value of `bound` over the iterations of `m`; NULL if it is not linear in a parameter. */
static const struct sym *extreme(struct ir *ir, const struct sym *bound, const struct map_entry *m, bool least)
{
    for (uint32_t i = m->params.count; i-- > 0;) {
        const struct sym *factor, *rest;
        const char *name = m->params.items[i];
        if (!sym_mentions(bound, name))
            continue;
        if (!sym_linear_in(ir, bound, name, &factor, &rest) || factor->op != SYM_INT)
            return NULL;
        bool up = (factor->i > 0) != least;
        struct parameter_value v = { name, up ? m->range.dims[i].end : m->range.dims[i].begin };
        bound = sym_substitute(ir, bound, replace_one, &v);
    }
    for (uint32_t i = 0; i < m->node.in_conns.count; i++) /* dynamic inputs are known inside only */
        if (sym_mentions(bound, m->node.in_conns.items[i].name))
            return NULL;
    return bound;
}

static bool mentions_parameter(const struct sym *s, const struct map_entry *m)
{
    for (uint32_t i = 0; i < m->params.count; i++)
        if (sym_mentions(s, m->params.items[i]))
            return true;
    return false;
}

static void propagate_dimension(struct ir *ir, const struct container *c, uint32_t dim, const struct range *inside,
                                const struct map_entry *m, struct range *out)
{
    const struct sym *begin = extreme(ir, inside->begin, m, true), *end = extreme(ir, inside->end, m, false);
    bool moves = mentions_parameter(inside->begin, m) || mentions_parameter(inside->end, m);
    *out = *inside;
    if (begin && end && !sym_has_undefined(begin) && !sym_has_undefined(end)) {
        out->begin = begin;
        out->end = end;
    } else {
        *out = subset_whole(ir, c)->dims[dim];
    }
    if (moves)
        out->step = out->tile = sym_int(ir, 1);
}

void build_propagate(struct ir *ir, const struct memlet *inside, const struct map_entry *m, struct memlet *out)
{
    *out = *inside;
    out->other = NULL;
    out->subset = subset_new(ir, inside->subset->rank);
    for (uint32_t i = 0; i < inside->subset->rank && i < inside->data->rank; i++)
        propagate_dimension(ir, inside->data, i, &inside->subset->dims[i], m, &out->subset->dims[i]);
    for (uint32_t i = 0; i < m->range.rank; i++) {
        const struct range *r = &m->range.dims[i];
        out->volume = sym_mul(ir, out->volume, sym_range_size(ir, r->begin, r->end, r->step));
    }
    const struct sym *volume = out->volume;
    for (uint32_t i = m->params.count; volume && i-- > 0;)
        if (sym_mentions(volume, m->params.items[i]))
            volume = extreme(ir, sym_expand(ir, volume), m, false);
    if (volume)
        out->volume = volume;
    else
        out->volume = sym_int(ir, 0);
    out->dynamic |= !volume;
}

/* ---- paths ---- */

static const char *half(struct ir *ir, bool input, const char *suffix)
{
    return intern_joined(ir->names, input ? "IN_" : "OUT_", suffix);
}

/* A connector suffix for `name` that is free on both sides of a scope node. */
static const char *free_suffix(struct node *n, const char *name)
{
    struct ir *ir = n->state->sdfg->ir;
    char *base = arena_strdup(ir->arena, name);
    for (char *c = base; *c; c++)
        if (*c == '.')
            *c = '_';
    const char *suffix = base;
    for (uint32_t i = 1; node_in_conn(n, half(ir, true, suffix)) || node_out_conn(n, half(ir, false, suffix)); i++)
        suffix = arena_printf(ir->arena, "%s_%u", base, i);
    return suffix;
}

static struct subset *subset_copy(struct ir *ir, const struct subset *s)
{
    struct subset *copy = subset_new(ir, s->rank);
    for (uint32_t i = 0; i < s->rank; i++)
        copy->dims[i] = s->dims[i];
    return copy;
}

/* The smaller (or larger) of two bounds; NULL if that depends on symbols. */
static const struct sym *wider(struct ir *ir, const struct sym *a, const struct sym *b, bool smaller)
{
    const struct sym *difference = sym_sub(ir, a, b);
    if (difference->op != SYM_INT)
        return NULL;
    return (difference->i < 0) == smaller ? a : b;
}

/* Widens an outer memlet so that it also covers another path through the same connector. */
static void widen(struct ir *ir, struct memlet *m, const struct memlet *with)
{
    struct subset *whole = subset_whole(ir, m->data);
    for (uint32_t i = 0; i < m->subset->rank && i < with->subset->rank && i < whole->rank; i++) {
        struct range *a = &m->subset->dims[i];
        const struct range *b = &with->subset->dims[i];
        const struct sym *begin = wider(ir, a->begin, b->begin, true), *end = wider(ir, a->end, b->end, false);
        if (a->begin == b->begin && a->end == b->end && a->step == b->step)
            continue;
        *a = whole->dims[i];
        if (begin && end) {
            a->begin = begin;
            a->end = end;
        }
    }
    m->volume = sym_add(ir, m->volume, with->volume);
    m->dynamic |= with->dynamic;
}

/* One side of a path outside its innermost edge: scope nodes, then the end. */
struct outside {
    struct node *const *nodes;
    uint32_t count;
    const char *end_conn;
    bool inwards; /* entry nodes, towards the source */
};

/* An edge outside the first scope node that carries the same data between the same ends, to be shared by another path.
 */
static struct edge *shared_edge(const struct outside *o, const struct memlet *m)
{
    struct node *scope = o->nodes[0], *end = o->nodes[o->count - 1];
    uint32_t count = o->inwards ? scope->in.count : scope->out.count;
    for (uint32_t i = 0; i < count; i++) {
        struct edge *e = o->inwards ? scope->in.items[i] : scope->out.items[i];
        const char *own = o->inwards ? e->dst_conn : e->src_conn;
        struct edge *last = o->inwards ? path_first_edge(e) : path_last_edge(e);
        bool through = own && strncmp(own, o->inwards ? "IN_" : "OUT_", o->inwards ? 3 : 4) == 0;
        bool same_end = (o->inwards ? last->src : last->dst) == end &&
                        (o->inwards ? last->src_conn : last->dst_conn) == o->end_conn;
        if (through && same_end && e->memlet.data == m->data && e->memlet.wcr_kind == m->wcr_kind)
            return e;
    }
    return NULL;
}

/* Builds the path outside its innermost edge and gives the connector of the first scope node on its inner side. */
static const char *build_outside(const struct outside *o, const struct memlet *inside)
{
    struct node *scope = o->nodes[0], *next = o->nodes[1];
    struct ir *ir = scope->state->sdfg->ir;
    struct node *entry = o->inwards ? scope : scope_entry(scope);
    struct memlet memlet = *inside;
    if (as_map_entry(entry) && inside->data)
        build_propagate(ir, inside, as_map_entry(entry), &memlet);
    else if (inside->subset) /* to be widened without the edge inside */
        memlet.subset = subset_copy(ir, inside->subset);
    struct edge *shared = shared_edge(o, inside);
    const char *suffix = shared ? (o->inwards ? shared->dst_conn + 3 : shared->src_conn + 4)
                                : free_suffix(scope, inside->name ? inside->name : "data");
    const char *far = o->end_conn;
    if (o->count > 2) {
        struct outside further = { o->nodes + 1, o->count - 1, o->end_conn, o->inwards };
        far = build_outside(&further, &memlet);
    }
    if (shared) {
        if (memlet.subset)
            widen(ir, &shared->memlet, &memlet);
        return half(ir, !o->inwards, suffix);
    }
    const char *outer = half(ir, o->inwards, suffix);
    struct edge *e = o->inwards ? add_edge(next, far, scope, outer) : add_edge(scope, outer, next, far);
    e->memlet = memlet;
    e->place.label = memlet.name;
    e->place.file = scope->place.file; /* where the scope is in the source */
    e->place.line = scope->place.line;
    e->place.column = scope->place.column;
    return half(ir, !o->inwards, suffix);
}

struct edge *build_route(struct node *const *nodes, uint32_t count, const char *src_conn, const char *dst_conn,
                         const char *memlet, const char *wcr)
{
    uint32_t leaf = 0; /* the innermost edge joins nodes[leaf] and nodes[leaf + 1] */
    while (leaf + 2 < count && node_is_entry(nodes[leaf + 1]))
        leaf++;
    struct edge *e = add_edge(nodes[leaf], leaf ? NULL : src_conn, nodes[leaf + 1], leaf + 2 < count ? NULL : dst_conn);
    build_memlet(e, memlet, wcr);
    struct ir *ir = e->src->state->sdfg->ir;
    struct node *outwards[BUILD_PATH];
    if (leaf > 0) {
        for (uint32_t i = 0; i <= leaf; i++)
            outwards[i] = nodes[leaf - i];
        struct outside o = { outwards, leaf + 1, src_conn ? intern(ir->names, src_conn) : NULL, true };
        e->src_conn = build_outside(&o, &e->memlet);
        want_connector(e->src, e->src_conn, false);
    }
    if (leaf + 2 < count) {
        struct outside o = { nodes + leaf + 1, count - leaf - 1, dst_conn ? intern(ir->names, dst_conn) : NULL, false };
        e->dst_conn = build_outside(&o, &e->memlet);
        want_connector(e->dst, e->dst_conn, true);
    }
    return e;
}

struct edge *build_path(const char *memlet, const char *wcr, const char *src_conn, const char *dst_conn,
                        struct node *first, ...)
{
    struct node *nodes[BUILD_PATH] = { first };
    uint32_t count = 1;
    va_list args;
    va_start(args, first);
    for (struct node *n = va_arg(args, struct node *); n && count < BUILD_PATH; n = va_arg(args, struct node *))
        nodes[count++] = n;
    va_end(args);
    return build_route(nodes, count, src_conn, dst_conn, memlet, wcr);
}
