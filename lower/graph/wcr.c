/* Writes: plain, combining, and whether a combining write must be atomic (semantics.md 4.7). */
#include "lower/graph/lower.h"

struct extents {
    const struct container *container;
    bool all;
};

static void find_extent(void *user, const struct sym *name)
{
    struct extents *x = user;
    bool found = false;
    for (uint32_t d = 0; d < x->container->rank; d++)
        found |= sym_mentions(x->container->shape[d], name->name);
    x->all &= found;
}

/* Do neighbours in the dimension lie apart? Strides made of extents are not 0 where there are elements; others are what
 * callers say. */
static bool lies_apart(struct lower *lw, const struct activation *act, const struct container *c, uint32_t dim)
{
    if (!c->strides || dim >= c->rank)
        return true;
    const struct binding *b = map_get(&act->bindings, c);
    const struct sym *stride = b && b->strides ? b->strides[dim] : c->strides[dim];
    if (stride->op == SYM_INT)
        return stride->i != 0;
    struct extents x = { c, true };
    sym_visit_names(c->strides[dim], find_extent, &x);
    return x.all && sym_less_equal(lw->ir, sym_int(lw->ir, 1), c->strides[dim]) == TRUTH_YES;
}

/* A container of an activation, and the part of it that is written. */
struct written {
    const struct activation *act;
    const struct container *container;
    const struct subset *subset;
};

/* Some dimension is coefficient * parameter + rest with an extent below the coefficient times the step: different
 * values of the parameter touch different elements. */
static bool separates(struct lower *lw, const struct written *w, const char *param, const struct sym *step)
{
    struct ir *ir = lw->ir;
    for (uint32_t d = 0; w->subset && d < w->subset->rank; d++) {
        const struct range *r = &w->subset->dims[d];
        const struct sym *coefficient, *rest;
        if (!sym_linear_in(ir, r->begin, param, &coefficient, &rest) || coefficient->op != SYM_INT ||
            coefficient->i < 1)
            continue;
        const struct sym *extent = sym_add(ir, sym_sub(ir, r->end, r->begin), r->tile);
        const struct sym *reach = sym_mul(ir, coefficient, step);
        if (!sym_mentions(extent, param) && sym_less_equal(ir, extent, reach) == TRUTH_YES &&
            lies_apart(lw, w->act, w->container, d))
            return true;
    }
    return false;
}

/* Do iterations of the concurrent parameters of `sc` meet in what is written? */
static bool conflicts_in_scope(struct lower *lw, const struct scope *sc, const struct written *w)
{
    const struct map_entry *m = as_map_entry(sc->entry);
    if (!m)
        return true;
    if (m->schedule->row == SCHEDULE_CPU_PERSISTENT)
        return true;
    for (uint32_t p = 0; p < sc->concurrent; p++) {
        const struct range *r = &m->range.dims[p];
        if (r->begin == r->end)
            continue;
        if (!separates(lw, w, m->params.items[p], r->step))
            return true;
    }
    return false;
}

static struct edge *output_edge(const struct nested *n, const char *conn)
{
    return n ? node_out_edge(&n->node, conn) : NULL;
}

bool lower_is_conflicting(struct scope *sc, struct edge *e)
{
    struct lower *lw = sc->act->lw;
    if (!sc->parallel || e->memlet.wcr_nonatomic || e->memlet.wcr_kind == WCR_NONE)
        return false;
    const struct container *c = e->memlet.data;
    const struct subset *subset = e->memlet.subset;
    struct node *target = path_target(e);
    if (as_access(target) && as_access(target)->data && as_access(target)->data != c) {
        c = as_access(target)->data;
        subset = e->memlet.other;
    }
    if (container_is_view(c) || container_is_reference(c))
        return true;
    const struct activation *act = sc->act;
    const struct scope *s = sc;
    for (;;) {
        for (; s; s = s->parent) {
            if (s->entry && lower_is_private_to(act, c, s->entry))
                return false;
            if (s->concurrent && conflicts_in_scope(lw, s, &(struct written){ act, c, subset }))
                return true;
        }
        if (c->transient || !act->parent || !act->caller->parallel)
            return false;
        struct edge *out = output_edge(act->node, c->name);
        if (!out || memlet_is_empty(&out->memlet))
            return true;
        c = out->memlet.data;
        subset = out->memlet.subset;
        if (container_is_view(c) || container_is_reference(c))
            return true;
        s = act->caller;
        act = act->parent;
    }
}

/* ---- writing ---- */

static struct tree_expr *first_index(struct lower *lw) { return expr_i64(lw->tree, 0); }

/* A vector combined into a scalar: lane by lane. */
static bool write_lanes(struct scope *sc, const struct place *place, const struct area *to, const struct memlet *m,
                        bool atomic, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    if (!value->type->lanes)
        return lower_unsupported(sc, place, "conflict resolution of vectors with a symbolic number of lanes");
    struct tree_var *v = tree_var(lw->tree, "lanes", value->type);
    stmt_assign(lw->tree, sc->block, v, value);
    for (uint32_t i = 0; i < value->type->lanes; i++)
        if (!lower_write(sc, place, to, m, atomic, expr_lane(lw->tree, expr_var(lw->tree, v), expr_i64(lw->tree, i))))
            return false;
    return true;
}

bool lower_write(struct scope *sc, const struct place *place, const struct area *to, const struct memlet *m,
                 bool atomic, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    enum wcr_kind kind = m ? m->wcr_kind : WCR_NONE;
    if (kind != WCR_NONE && value->type->kind == TYPE_VECTOR && to->type->kind != TYPE_VECTOR)
        return write_lanes(sc, place, to, m, atomic, value);
    if (to->type->kind == TYPE_STRUCT) {
        struct operand o = { .kind = OPERAND_ARRAY,
                             .type = to->type,
                             .pointer = to->pointer,
                             .alias = to->alias,
                             .wcr = kind,
                             .wcr_lambda = m ? m->wcr : NULL,
                             .atomic = atomic };
        return code_store(&cs, sc->block, &o, NULL, 0, value);
    }
    if (kind != WCR_NONE && !code_wcr_applies(kind, to->type))
        return diag_error(lw->diags, place, DIAG_WCR_TYPE, type_text(lw->ir, to->type));
    value = code_convert(&cs, to->type, value);
    if (!value)
        return false;
    struct tree_stmt *s;
    if (kind == WCR_NONE) {
        s = stmt_store(t, sc->block, to->pointer, first_index(lw), value, to->alias);
    } else if (kind != WCR_CUSTOM) {
        s = stmt_reduce(t, sc->block, kind, atomic, to->pointer, first_index(lw), value, to->alias);
    } else {
        struct tree_var *fresh = tree_var(t, "value", to->type);
        stmt_assign(t, sc->block, fresh, value);
        s = stmt_new(t, sc->block, STMT_UPDATE);
        s->var = tree_var(t, "old", to->type);
        s->type = to->type;
        s->pointer = to->pointer;
        s->index = first_index(lw);
        s->alias = to->alias;
        s->atomic = atomic;
        s->body = stmt_block(t);
        struct tree_expr *r = code_apply(&cs, s->body, m->wcr, expr_var(t, s->var), expr_var(t, fresh));
        s->value = r ? code_convert(&cs, to->type, r) : NULL;
        if (!s->value)
            return false;
    }
    s->place = place;
    return true;
}
