/* Memlets, inner containers and views against the containers they are in. */
#include "ir/bounds/walk.h"
#include "ir/library.h"

#include <string.h>

enum { MOST_GUARDS = 64 };

struct guards {
    const struct sym *items[MOST_GUARDS];
    uint32_t count;
};

static bool add(struct guards *g, const struct sym *s)
{
    if (g->count == MOST_GUARDS)
        return false;
    g->items[g->count++] = s;
    return true;
}

/* Memory of a known extent, which is what the descriptor says. */
static bool is_plain(const struct container *c)
{
    return c && (c->kind == CONTAINER_ARRAY || c->kind == CONTAINER_SCALAR) && c->shape && c->offset && c->total_size &&
           c->type;
}

/* Several queues: a region says which. Of a single one it may say how many elements. */
static bool is_queues(const struct container *c)
{
    return c && c->kind == CONTAINER_STREAM && c->shape && c->offset && c->total_size && !sym_is_int(c->total_size, 1);
}

/* ---- memlets ---- */

struct dimension {
    const struct sym *first, *last; /* offset included */
};

/* The region in terms of parameters; its extents are what has to be >= 0 for anything to be accessed. */
static bool resolve(struct bound_walk *w, const struct container *c, const struct subset *s, struct dimension *dims,
                    struct guards *g)
{
    struct ir *ir = w->ir;
    for (uint32_t i = 0; i < s->rank; i++) {
        const struct range *r = &s->dims[i];
        const struct sym *begin = bound_resolve(w, w->names, r->begin), *end = begin;
        const struct sym *offset = bound_resolve(w, w->outside, c->offset[i]);
        if (r->end != r->begin) {
            const struct sym *step = bound_resolve(w, w->names, r->step);
            end = bound_resolve(w, w->names, r->end);
            if (step->op != SYM_INT || !step->i || step->i == INT64_MIN || !sym_is_int(r->tile, 1))
                return false;
            const struct sym *extent = step->i > 0 ? sym_sub(ir, end, begin) : sym_sub(ir, begin, end);
            const struct sym *const parts[] = { extent, sym_int(ir, step->i > 0 ? step->i : -step->i) };
            if (step->i != 1)
                end = sym_add(ir, begin, sym_mul(ir, sym_make(ir, SYM_FLOOR_DIV, NULL, NULL, parts, 2), step));
            if (!add(g, extent))
                return false;
        }
        if (sym_has_undefined(begin) || sym_has_undefined(end) || sym_has_undefined(offset))
            return false;
        dims[i] = (struct dimension){ sym_add(ir, begin, offset), sym_add(ir, end, offset) };
    }
    return true;
}

static void check_index(struct bound_walk *w, struct bound *b, const struct sym *index, const struct guards *g)
{
    b->is = index;
    if (b->kind == BOUND_BELOW)
        b->kind = BOUND_ABOVE;
    b->excess = sym_sub(w->ir, index, b->limit);
    struct bound_point high = bound_extreme(w, b->excess, true), low = bound_extreme(w, index, false);
    bound_add(w, b, &high, g->items, g->count);
    if (b->kind == BOUND_ABOVE)
        b->kind = BOUND_BELOW;
    b->excess = sym_sub(w->ir, sym_int(w->ir, -1), index);
    bound_add(w, b, &low, g->items, g->count);
}

static void check_dimensions(struct bound_walk *w, struct bound *b, const struct container *c,
                             const struct dimension *dims, const struct guards *g)
{
    b->kind = BOUND_ABOVE;
    b->name = c->name;
    for (uint32_t i = 0; i < c->rank; i++) {
        b->dim = i;
        b->limit = bound_resolve(w, w->outside, c->shape[i]);
        if (sym_has_undefined(b->limit))
            continue;
        check_index(w, b, dims[i].first, g);
        if (dims[i].last != dims[i].first)
            check_index(w, b, dims[i].last, g);
    }
}

/* Inner containers are seen through descriptors that may be smaller than the memory they stand for, or larger; strides
 * of a transient, too, may lead out of its memory. */
static void check_elements(struct bound_walk *w, struct bound *b, const struct container *c,
                           const struct dimension *dims, const struct guards *g)
{
    struct ir *ir = w->ir;
    const struct bound_memory *m = map_get(&w->memory, c);
    if (!m)
        return;
    const struct sym *first = m->begin, *last = m->begin;
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct sym *stride = bound_resolve(w, w->outside, c->strides[i]);
        first = sym_add(ir, first, sym_mul(ir, dims[i].first, stride));
        last = sym_add(ir, last, sym_mul(ir, dims[i].last, stride));
    }
    b->kind = BOUND_OUTSIDE;
    b->name = m->data->name;
    b->inner = c->name;
    b->limit = m->total;
    check_index(w, b, first, g);
    if (last != first)
        check_index(w, b, last, g);
}

static bool has_own_memory(const struct bound_walk *w, const struct container *c)
{
    return w->sdfg == w->root || c->transient;
}

void bound_region(struct bound_walk *w, const struct place *place, const struct container *c, const struct subset *s)
{
    struct guards g = { .count = 0 };
    struct dimension *dims = NEW_ARRAY(w->scratch, struct dimension, s->rank);
    if (!(is_plain(c) || is_queues(c)) || s->rank != c->rank || !resolve(w, c, s, dims, &g))
        return;
    struct bound b = { .place = place };
    if (has_own_memory(w, c))
        check_dimensions(w, &b, c, dims, &g);
    check_elements(w, &b, c, dims, &g);
}

/* A copy that names a region at one end only takes the whole container at the other (semantics.md 4.4): it must have as
 * many elements. */
static void check_copy(struct bound_walk *w, struct edge *e, const struct container *c, const struct container *other)
{
    struct ir *ir = w->ir;
    struct guards g = { .count = 0 };
    struct dimension *dims = NEW_ARRAY(w->scratch, struct dimension, c->rank);
    const struct subset *s = e->memlet.subset;
    if (!is_plain(other) || c == other || !has_own_memory(w, other) || other->type->size != c->type->size ||
        s->rank != c->rank || !resolve(w, c, s, dims, &g))
        return;
    const struct sym *volume = bound_resolve(w, w->names, subset_volume(ir, s)), *elements = sym_int(ir, 1);
    for (uint32_t i = 0; i < other->rank; i++)
        elements = sym_mul(ir, elements, bound_resolve(w, w->outside, other->shape[i]));
    struct bound b = {
        .kind = BOUND_COPY, .place = &e->place, .name = other->name, .inner = c->name, .is = volume, .limit = elements
    };
    b.excess = sym_sub(ir, sym_sub(ir, volume, elements), sym_int(ir, 1));
    struct bound_point high = bound_extreme(w, b.excess, true);
    bound_add(w, &b, &high, g.items, g.count);
}

static bool is_single(const struct subset *s)
{
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->dims[i].begin != s->dims[i].end)
            return false;
    return true;
}

static bool is_set(const struct edge *e, const char *conn)
{
    return conn && strcmp(conn, "set") == 0 && as_access(e->dst) && container_is_reference(as_access(e->dst)->data);
}

/* Does the code get the value of the first element, whatever the extents are? */
static bool is_value(const struct edge *e, const struct node *code, const struct connector *c)
{
    if (code->kind != NODE_TASKLET || is_single(e->memlet.subset))
        return false;
    return c->type ? c->type->kind != TYPE_POINTER && c->type->kind != TYPE_VECTOR
                   : e->memlet.data->kind == CONTAINER_SCALAR;
}

static const struct subset *first_element(struct bound_walk *w, const struct subset *s)
{
    struct subset *out = arena_copy(w->scratch, s, sizeof *s);
    out->dims = arena_copy(w->scratch, s->dims, s->rank * sizeof *s->dims);
    for (uint32_t i = 0; i < s->rank; i++)
        out->dims[i].end = out->dims[i].begin;
    return out;
}

/* The region that is accessed, whatever the code does with it; NULL: the code decides. */
static const struct subset *accessed(struct bound_walk *w, const struct edge *e)
{
    const struct node *code = as_access(e->src) || node_is_entry(e->src) ? e->dst : e->src;
    const struct subset *s = e->memlet.subset;
    if (code->kind == NODE_LIBRARY)
        return s;
    if (code->kind != NODE_TASKLET && !node_is_entry(code))
        return NULL;
    const struct connector *c = code == e->dst ? node_in_conn(code, e->dst_conn) : node_out_conn(code, e->src_conn);
    if (!c)
        return NULL;
    if (is_value(e, code, c))
        return first_element(w, s);
    return (!c->type || c->type->kind != TYPE_POINTER) && is_single(s) ? s : NULL;
}

/* The first process reads or writes as many elements of a distributed product's vector as the matrix has rows or
 * columns, whatever the memlet says. The region with that extent; NULL: no such edge. */
static const struct subset *product_vector(struct bound_walk *w, const struct edge *e)
{
    bool result = e->src->kind == NODE_LIBRARY;
    const struct library *l = as_library(result ? e->src : e->dst);
    const char *conn = result ? e->src_conn : e->dst_conn, *how = "N";
    const struct subset *s = e->memlet.subset;
    const struct sym *size = NULL;
    if (!l || !conn || strcmp(library_class(l), "Pgemv") != 0 || strcmp(conn, result ? "_c" : "_b") != 0 ||
        !library_string(l, "transa", "N", &how) ||
        !library_symbolic(l, (how[0] == 'T') == result ? "n" : "m", NULL, &size) || !size)
        return NULL;
    struct subset *out = arena_copy(w->scratch, s, sizeof *s);
    out->dims = arena_copy(w->scratch, s->dims, s->rank * sizeof *s->dims);
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->rank == 1 || s->dims[i].begin != s->dims[i].end) {
            const struct sym *steps = sym_sub(w->ir, size, sym_int(w->ir, 1));
            out->dims[i].end = sym_add(w->ir, s->dims[i].begin, sym_mul(w->ir, steps, s->dims[i].step));
        }
    return out;
}

void bound_edge(struct bound_walk *w, struct edge *e)
{
    const struct memlet *m = &e->memlet;
    if (memlet_is_empty(m) || m->dynamic || m->allow_oob || !m->data || !m->subset || is_set(e, e->dst_conn))
        return;
    const struct access *from = as_access(path_source(e)), *to = as_access(path_target(e));
    if (!(from && to)) {
        const struct subset *vector = product_vector(w, e), *region = vector ? vector : accessed(w, e);
        bound_names(w, &e->place, region ? region : m->subset, region);
        if (region)
            bound_region(w, &e->place, m->data, region);
        return;
    }
    if (!from->data || !to->data || (container_is_view(from->data) && view_edge(from) == e) ||
        (container_is_view(to->data) && view_edge(to) == e))
        return;
    const struct container *other = m->data == from->data ? to->data : from->data;
    bound_names(w, &e->place, m->subset, true);
    if (is_plain(m->data))
        bound_region(w, &e->place, m->data, m->subset);
    if (m->other)
        bound_names(w, &e->place, m->other, true);
    if (m->other && is_plain(other))
        bound_region(w, &e->place, other, m->other);
    else if (is_plain(m->data))
        check_copy(w, e, m->data, other);
}

/* ---- inner containers and views ---- */

static uint64_t element_bytes(const struct container *c) { return c->type ? c->type->size : 0; }

/* Elements from the first to the last one, if no stride is negative. */
static const struct sym *span(struct bound_walk *w, const struct bound_name *names, const struct container *c,
                              struct guards *g)
{
    struct ir *ir = w->ir;
    const struct sym *s = sym_int(ir, 1);
    for (uint32_t i = 0; i < c->rank; i++) {
        const struct sym *steps = sym_sub(ir, bound_resolve(w, names, c->shape[i]), sym_int(ir, 1));
        const struct sym *stride = bound_resolve(w, names, c->strides[i]);
        s = sym_add(ir, s, sym_mul(ir, steps, stride));
        if (!add(g, steps) || !add(g, stride))
            return sym_undefined(ir);
    }
    return s;
}

static bool has_layout(const struct container *c)
{
    return is_plain(c) && !c->parent && c->strides && (!c->start_offset || sym_is_int(c->start_offset, 0)) &&
           element_bytes(c);
}

/* The memory behind `subset` (NULL: all) of a container; false if it is not known. */
static bool find_memory(struct bound_walk *w, const struct container *c, const struct subset *s,
                        struct bound_memory *out)
{
    struct ir *ir = w->ir;
    const struct bound_memory *known = map_get(&w->memory, c);
    if (!c || !has_layout(c) || (s && s->rank != c->rank) || (!known && !has_own_memory(w, c)))
        return false;
    if (known)
        *out = *known;
    else
        *out = (struct bound_memory){ c, sym_int(ir, 0), bound_resolve(w, w->outside, c->total_size) };
    for (uint32_t i = 0; s && i < s->rank; i++) {
        const struct sym *at = bound_resolve(w, w->names, sym_add(ir, s->dims[i].begin, c->offset[i]));
        out->begin = sym_add(ir, out->begin, sym_mul(ir, at, bound_resolve(w, w->outside, c->strides[i])));
    }
    return true;
}

/* Elements behind the beginning of the part; all, if that depends on the iteration, since the part that is used may be
 * smaller in the last ones. */
static const struct sym *rest(struct bound_walk *w, const struct bound_memory *m, struct guards *g)
{
    bool moves = sym_has_undefined(m->begin);
    for (uint32_t i = 0; i < w->params.count; i++)
        moves = moves || sym_mentions(m->begin, w->params.items[i].name);
    return moves || !add(g, m->begin) ? m->total : sym_sub(w->ir, m->total, m->begin);
}

static void check_span(struct bound_walk *w, struct bound *b, const struct guards *g)
{
    b->excess = sym_sub(w->ir, sym_sub(w->ir, b->is, b->limit), sym_int(w->ir, 1));
    struct bound_point high = bound_extreme(w, b->excess, true);
    bound_add(w, b, &high, g->items, g->count);
}

void bound_connector(struct bound_walk *w, struct edge *e, struct nested *n, const char *conn,
                     const struct bound_name *names)
{
    const struct container *inner = conn ? map_get(&n->sdfg->container_by_name, conn) : NULL;
    struct sdfg *outer = w->sdfg;
    struct guards g = { .count = 0 };
    struct bound_memory *m = NEW(w->scratch, struct bound_memory);
    if (memlet_is_empty(&e->memlet) || !inner || !has_layout(inner) ||
        !find_memory(w, e->memlet.data, n->whole ? NULL : e->memlet.subset, m))
        return;
    if (!n->whole)
        bound_names(w, &e->place, e->memlet.subset, false);
    uint64_t of = element_bytes(m->data), bytes = element_bytes(inner);
    struct bound b = { .kind = BOUND_NESTED, .place = &e->place, .name = m->data->name, .inner = inner->name };
    w->sdfg = n->sdfg;
    b.is = span(w, names, inner, &g);
    w->sdfg = outer;
    b.limit = rest(w, m, &g);
    if (bytes > of) /* vectors */
        b.is = sym_mul(w->ir, b.is, sym_int(w->ir, (int64_t)(bytes / of)));
    else
        b.limit = sym_mul(w->ir, b.limit, sym_int(w->ir, (int64_t)(of / bytes)));
    if (of == bytes && !sym_has_undefined(m->begin))
        map_put(w->scratch, &w->memory, inner, m);
    check_span(w, &b, &g);
}

void bound_view(struct bound_walk *w, const struct access *a)
{
    const struct container *view = a->data;
    struct edge *e = view_edge(a);
    if (!e || view->kind != CONTAINER_VIEW || !view->strides || !view->shape || !element_bytes(view) ||
        e->memlet.dynamic)
        return;
    const struct access *viewed = as_access(e->dst == &a->node ? path_source(e) : path_target(e));
    const struct subset *s = e->dst == &a->node ? memlet_source_subset(&e->memlet) : memlet_target_subset(&e->memlet);
    struct bound_memory m;
    struct guards g = { .count = 0 };
    if (!viewed || !find_memory(w, viewed->data, s, &m))
        return;
    struct bound b = { .kind = BOUND_VIEW, .place = &a->node.place, .name = m.data->name, .inner = view->name };
    b.is = sym_mul(w->ir, span(w, w->outside, view, &g), sym_int(w->ir, (int64_t)element_bytes(view)));
    b.limit = sym_mul(w->ir, rest(w, &m, &g), sym_int(w->ir, (int64_t)element_bytes(m.data)));
    check_span(w, &b, &g);
}

/* ---- sizes ---- */

/* A transient whose shape and strides may need more than it has: its accesses are judged by elements, too. */
static void note_memory(struct bound_walk *w, const struct container *c)
{
    struct guards g = { .count = 0 };
    if (!c->transient || c->kind != CONTAINER_ARRAY || !has_layout(c))
        return;
    struct bound_memory m = { c, sym_int(w->ir, 0), bound_resolve(w, w->outside, c->total_size) };
    const struct sym *left = sym_expand(w->ir, sym_sub(w->ir, m.total, span(w, w->outside, c, &g)));
    if (!(left->op == SYM_INT && left->i >= 0) && !sym_has_undefined(left))
        map_put(w->scratch, &w->memory, c, arena_copy(w->scratch, &m, sizeof m));
}

void bound_size(struct bound_walk *w, const struct container *c)
{
    int64_t bytes;
    note_memory(w, c);
    if (!is_plain(c) || !element_bytes(c) ||
        (c->total_size->op == SYM_INT && !__builtin_mul_overflow(c->total_size->i, (int64_t)element_bytes(c), &bytes)))
        return;
    struct bound b = { .kind = BOUND_SIZE, .place = &c->place, .name = c->name };
    b.is = bound_resolve(w, w->outside, c->total_size);
    b.limit = sym_int(w->ir, (int64_t)element_bytes(c));
    struct bound_point any = bound_extreme(w, b.is, true);
    if (!sym_has_undefined(b.is))
        bound_add(w, &b, &any, NULL, 0);
}
