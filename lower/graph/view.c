/* Views and references: pointers with a layout of their own (semantics.md 3.5 and 3.6). */
#include "lower/graph/check.h"

bool lower_is_view_edge(const struct edge *e)
{
    const struct access *s = as_access(e->src), *d = as_access(e->dst);
    return (s && s->data && container_is_view(s->data) && view_edge(s) == e) ||
           (d && d->data && container_is_view(d->data) && view_edge(d) == e);
}

/* The address an edge denotes at the end that is not `own`, with the alias class of the memory there. */
static bool address_of_other_end(struct scope *sc, struct edge *e, const struct access *own, struct area *out)
{
    const struct memlet *m = &e->memlet;
    struct node *other = e->dst == &own->node ? path_source(e) : path_target(e);
    if (m->data && m->data != own->data)
        return lower_area(sc, &e->place, m->data, m->subset, out);
    if (other->kind != NODE_ACCESS || !as_access(other)->data)
        return diag_error(sc->act->lw->diags, &e->place, DIAG_VIEW_WITHOUT_DATA, own->name);
    return lower_area(sc, &e->place, as_access(other)->data, m->other, out);
}

static bool is_container_array(const struct container *c)
{
    return c->kind == CONTAINER_CONTAINER_ARRAY || c->kind == CONTAINER_CONTAINER_VIEW ||
           c->kind == CONTAINER_CONTAINER_REFERENCE;
}

/* Does the view point to what an element of a container array points to? A view of the same elements is part of it. */
static bool is_pointer_element(const struct area *a, const struct container *desc)
{
    return is_container_array(a->desc) && (!is_container_array(desc) || desc->type != a->type);
}

/* What a view of that area points to: its first element, or the pointer stored there, whose load checked mode checks as
 * that of any other element. NULL with a diagnostic. */
static struct tree_expr *target_pointer(struct scope *sc, const struct place *place, const struct area *a,
                                        const struct container *desc)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *p = a->pointer;
    if (is_pointer_element(a, desc)) {
        if (!lower_check_area(sc, place, a, true, false))
            return NULL;
        p = lower_check_memory(sc, place, desc, expr_load(lw->tree, a->type, p, expr_i64(lw->tree, 0), a->alias));
    }
    return expr_cast(lw->tree, type_pointer(lw->ir, desc->type), p);
}

enum { MOST_VIEWS = 200 }; /* each binds those below it anew */

static bool bind_view(struct scope *sc, struct access *a, uint32_t depth)
{
    struct lower *lw = sc->act->lw;
    struct edge *e = view_edge(a);
    if (!e)
        return diag_error(lw->diags, &a->node.place, DIAG_VIEW_WITHOUT_DATA, a->name);
    if (depth > MOST_VIEWS)
        return lower_unsupported(sc, &a->node.place, "a view of more than 200 views, one of the other");
    struct node *other = e->dst == &a->node ? path_source(e) : path_target(e);
    struct access *viewed = as_access(other);
    if (viewed && viewed->data && container_is_view(viewed->data) && viewed->data != a->data &&
        viewed->node.scope == sc->entry && !bind_view(sc, viewed, depth + 1))
        return false;
    if (!a->data->type)
        return diag_error(lw->diags, &a->data->place, DIAG_UNKNOWN_TYPE, a->data->name);
    struct area area;
    if (!address_of_other_end(sc, e, a, &area))
        return false;
    struct tree_var *v = tree_var(lw->tree, a->data->name, type_pointer(lw->ir, a->data->type));
    struct tree_expr *target = target_pointer(sc, &e->place, &area, a->data);
    if (!target)
        return false;
    stmt_assign(lw->tree, sc->block, v, target);
    uint32_t alias = is_pointer_element(&area, a->data) ? 0 : area.alias;
    struct binding *b = binding_new(sc, &a->node.place, a->data, expr_var(lw->tree, v), alias);
    if (!b)
        return false;
    b->var = v;
    map_put(lw->arena, &sc->act->bindings, a->data, b);
    return true;
}

bool lower_bind_views(struct scope *sc)
{
    struct map seen = { 0 };
    for (struct node *n = scope_first(sc->state, sc->entry); n; n = n->beside) {
        struct access *a = as_access(n);
        if (!a || !a->data || !container_is_view(a->data) || map_has(&seen, a->data))
            continue;
        map_put(sc->act->lw->arena, &seen, a->data, a);
        if (!bind_view(sc, a, 0))
            return false;
    }
    return true;
}

static uintptr_t count_nodes(struct scope *sc, const struct container *view)
{
    struct activation *act = sc->act;
    if (act->views_of != sc->state) {
        act->views_of = sc->state;
        act->views = (struct map){ 0 };
        for (uint32_t i = 0; i < sc->state->nodes.count; i++) {
            const struct access *a = as_access(sc->state->nodes.items[i]);
            if (!a || !a->data || !container_is_view(a->data))
                continue;
            uintptr_t count = (uintptr_t)map_get(&act->views, a->data) + 1;
            map_put(act->lw->arena, &act->views, a->data, (void *)count);
        }
    }
    return (uintptr_t)map_get(&act->views, view);
}

bool lower_point_view(struct scope *sc, struct access *a)
{
    return count_nodes(sc, a->data) < 2 || a->node.scope != sc->entry || bind_view(sc, a, 0);
}

bool lower_set_reference(struct scope *sc, struct edge *e)
{
    struct access *a = as_access(e->dst);
    struct area area;
    if (!address_of_other_end(sc, e, a, &area))
        return false;
    struct tree_expr *target = target_pointer(sc, &e->place, &area, a->data);
    return target && lower_point_reference(sc, a, target);
}

bool lower_point_reference(struct scope *sc, struct access *a, struct tree_expr *p)
{
    struct lower *lw = sc->act->lw;
    if (a->data->parent) { /* a member of a structure: the structure keeps the pointer */
        struct tree_expr *field = lower_member_field(sc, &a->node.place, a->data);
        if (field)
            stmt_store(lw->tree, sc->block, field, expr_i64(lw->tree, 0), expr_cast(lw->tree, field->type->elem, p), 0);
        return field != NULL;
    }
    struct binding *b = lower_binding(sc, &a->node.place, a->data);
    if (b && !b->var)
        return lower_unsupported(sc, &a->node.place, "references that are set inside a nested SDFG");
    if (b)
        stmt_assign(lw->tree, sc->block, b->var, p);
    return b != NULL;
}
