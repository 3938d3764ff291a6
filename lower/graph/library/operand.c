#include "lower/graph/library/operand.h"

#include <string.h>

/* ---- edges ---- */

static struct edge *find_edge(struct edge *const *edges, uint32_t count, const char *conn, bool input)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *name = input ? edges[i]->dst_conn : edges[i]->src_conn;
        if (!memlet_is_empty(&edges[i]->memlet) && (!conn || (name && !strcmp(name, conn))))
            return edges[i];
    }
    return NULL;
}

struct edge *library_input_edge(const struct library *n, const char *conn)
{
    return find_edge(n->node.in.items, n->node.in.count, conn, true);
}

struct edge *library_output_edge(const struct library *n, const char *conn)
{
    return find_edge(n->node.out.items, n->node.out.count, conn, false);
}

/* ---- regions ---- */

/* Nodes work on numbers in memory. */
static bool is_operand(struct scope *sc, struct library *n, const struct edge *e)
{
    const struct container *c = e->memlet.data;
    if (c->kind == CONTAINER_STREAM)
        return lower_unsupported(sc, &e->place, "streams at library nodes");
    bool handle = c->type && c->type->kind == TYPE_OPAQUE && c->type->size; /* which the node itself looks at */
    if (!c->type || (!type_is_basic(c->type) && c->type->kind != TYPE_VECTOR && !handle))
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_UNKNOWN_TYPE, c->name);
    return true;
}

bool library_input(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    struct edge *e = library_input_edge(n, conn);
    if (!e)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, conn ? conn : "input");
    return is_operand(sc, n, e) && lower_memlet_area(sc, e, out);
}

bool library_target(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    struct edge *e = library_output_edge(n, conn);
    if (!e)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, conn ? conn : "output");
    if (!is_operand(sc, n, e))
        return false;
    struct access *target = as_access(path_target(e));
    if (target && target->data && container_is_view(target->data) && !lower_point_view(sc, target))
        return false;
    return lower_memlet_area(sc, e, out);
}

static bool output(struct scope *sc, struct library *n, const char *conn, bool read, struct area *out)
{
    struct lower *lw = sc->act->lw;
    struct edge *e = library_output_edge(n, conn);
    struct library_result r = { .edge = e };
    if (!e || e->memlet.wcr_kind == WCR_NONE)
        return library_target(sc, n, conn, out);
    if (!library_target(sc, n, conn, &r.target) ||
        !library_temporary(sc, &n->node.place, &r.target, r.target.type, &r.temporary))
        return false;
    vec_push(lw->arena, &sc->library->results, r);
    *out = area_copy(lw, &r.temporary);
    return !read || lower_copy(sc, &n->node.place, &r.target, &r.temporary, NULL, false);
}

bool library_output(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    return output(sc, n, conn, false, out);
}

bool library_update(struct scope *sc, struct library *n, const char *conn, struct area *out)
{
    return output(sc, n, conn, true, out);
}

bool library_deliver(struct scope *sc, struct library *n)
{
    struct library_memory *m = sc->library;
    for (uint32_t i = 0; i < m->results.count; i++) {
        const struct library_result *r = &m->results.items[i];
        if (!lower_copy(sc, &n->node.place, &r->temporary, &r->target, &r->edge->memlet,
                        lower_is_conflicting(sc, r->edge)))
            return false;
    }
    for (uint32_t i = 0; i < m->heap.count; i++)
        stmt_free(sc->act->lw->tree, sc->block, m->heap.items[i]);
    return true;
}

/* ---- extents ---- */

bool library_same(const struct area *a, const struct area *b)
{
    if (!expr_equal(a->pointer, b->pointer) || a->type != b->type || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->sizes[i] != b->sizes[i] || a->strides[i] != b->strides[i])
            return false;
    return true;
}

bool library_to_rank(struct area *a, uint32_t rank)
{
    uint32_t kept = 0, excess = a->rank > rank ? a->rank - rank : 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (excess && sym_is_int(a->sizes[i], 1)) {
            excess--;
            continue;
        }
        a->sizes[kept] = a->sizes[i];
        a->strides[kept++] = a->strides[i];
    }
    a->rank = kept;
    return kept == rank;
}

bool library_differ(struct lower *lw, const struct sym *a, const struct sym *b)
{
    const struct sym *d = sym_expand(lw->ir, sym_sub(lw->ir, a, b));
    return d->op == SYM_INT && d->i != 0;
}

bool library_wrong_shapes(struct scope *sc, struct library *n, const char *what)
{
    return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_SHAPES, what);
}

/* ---- temporary memory ---- */

enum { LARGEST_ON_STACK = 4096 }; /* bytes */

bool library_temporary(struct scope *sc, const struct place *place, const struct area *like, const struct type *type,
                       struct area *out)
{
    struct lower *lw = sc->act->lw;
    *out = area_copy(lw, like);
    out->binding = NULL;
    out->type = type;
    out->whole = true;
    out->alias = lw->tree->num_aliases++;
    const struct sym *count = sym_int(lw->ir, 1);
    for (uint32_t i = out->rank; i-- > 0;) {
        out->strides[i] = count;
        count = sym_mul(lw->ir, count, out->sizes[i]);
    }
    struct tree_expr *elements = lower_index(lw, place, count);
    if (!elements)
        return false;
    bool on_stack =
        elements->op == EXPR_INT && elements->i > 0 && elements->i <= LARGEST_ON_STACK / (int64_t)type->size;
    struct tree_var *v = tree_var(lw->tree, "temporary", type_pointer(lw->ir, type));
    stmt_alloc(lw->tree, sc->block, v, type, elements, on_stack ? TREE_STACK : TREE_HEAP)->place = place;
    out->pointer = expr_var(lw->tree, v);
    if (!on_stack)
        vec_push(lw->arena, &sc->library->heap, v);
    return true;
}

void library_release(struct scope *sc, const struct area *temporary)
{
    struct library_memory *m = sc->library;
    for (uint32_t i = 0; i < m->heap.count; i++) {
        if (temporary->pointer->op != EXPR_VAR || m->heap.items[i] != temporary->pointer->var)
            continue;
        stmt_free(sc->act->lw->tree, sc->block, m->heap.items[i]);
        m->heap.items[i] = m->heap.items[--m->heap.count];
        return;
    }
}

bool library_as_type(struct scope *sc, const struct place *place, const struct type *type, struct area *a)
{
    if (a->type == type)
        return true;
    struct area copy;
    if (!library_temporary(sc, place, a, type, &copy) || !lower_copy(sc, place, a, &copy, NULL, false))
        return false;
    *a = copy;
    return true;
}

struct tree_expr *library_list(struct scope *sc, const struct place *place, const struct sym *const *items,
                               uint32_t count)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64);
    struct tree_var *v = tree_var(t, "list", type_pointer(lw->ir, i64));
    stmt_alloc(t, sc->block, v, i64, expr_i64(t, count), TREE_STACK);
    for (uint32_t i = 0; i < count; i++) {
        struct tree_expr *e = lower_index(lw, place, items[i]);
        if (!e)
            return NULL;
        stmt_store(t, sc->block, expr_var(t, v), expr_i64(t, i), e, 0);
    }
    return expr_var(t, v);
}
