/* Two operands whose labels fall into rows, columns and summed dimensions become matrix products inside loops over what
 * is left after dimensions that lie next to each other in memory have been merged; more operands are taken two at a
 * time. Everything else is a plain loop nest. */
#include "lower/graph/library/labelled.h"

/* Elements of memory per step of a label; a repeated label walks the diagonal. */
static const struct sym *stride_of(struct lower *lw, const struct operand_labels *o, uint32_t label)
{
    const struct sym *s = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < o->count; i++)
        if (o->label[i] == label)
            s = sym_add(lw->ir, s, o->area.strides[i]);
    return s;
}

static bool has_label(const struct operand_labels *o, uint32_t label)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (o->label[i] == label)
            return true;
    return false;
}

static bool is_read(const struct labelled *l, uint32_t label)
{
    for (uint32_t i = 0; i < l->num_inputs; i++)
        if (has_label(&l->in[i], label))
            return true;
    return false;
}

/* result = beta * result before terms are added. */
static bool prepare_result(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct area *out = &l->out.area;
    if (library_is_constant(l->beta, 1))
        return true;
    if (library_is_constant(l->beta, 0))
        return library_fill(sc, place, out, expr_zero(t, out->type));
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    struct tree_stmt *body = lower_loops(sc, place, out->rank, out->sizes, true, index);
    struct tree_expr *at = body ? area_offset(lw, place, out, index) : NULL;
    if (!at)
        return false;
    const struct type *wide = type_promote(lw->ir, out->type);
    struct tree_expr *old = expr_cast(t, wide, expr_load(t, out->type, out->pointer, at, out->alias));
    struct tree_expr *scaled = expr_binary(t, EXPR_MUL, expr_cast(t, wide, l->beta), old);
    stmt_store(t, body, out->pointer, at, expr_cast(t, out->type, scaled), out->alias)->place = place;
    return true;
}

static struct tree_expr *address(struct scope *sc, const struct place *place, const struct operand_labels *o,
                                 const uint32_t *labels, const struct sym *const *index, uint32_t count)
{
    struct lower *lw = sc->act->lw;
    const struct sym *at = sym_int(lw->ir, 0);
    for (uint32_t i = 0; i < count; i++)
        at = sym_add(lw->ir, at, sym_mul(lw->ir, index[i], stride_of(lw, o, labels[i])));
    struct tree_expr *e = lower_index(lw, place, at);
    return e ? expr_offset(lw->tree, o->area.pointer, e) : NULL;
}

static struct tree_stmt *loops_over(struct scope *sc, const struct place *place, const struct labelled *l,
                                    const uint32_t *labels, uint32_t count, bool parallel, const struct sym **index)
{
    const struct sym *sizes[MAX_LABELS];
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = l->size[labels[i]];
    return lower_loops(sc, place, count, sizes, parallel, index);
}

/* Loops over what is summed up: their iterations meet in the result. */
static struct tree_stmt *sum_loops(struct scope *sc, const struct place *place, const struct labelled *l,
                                   const uint32_t *labels, uint32_t count, bool parallel, const struct sym **index)
{
    uint32_t before = sc->block->items.count;
    struct tree_stmt *body = loops_over(sc, place, l, labels, count, parallel, index);
    if (body && sc->block->items.count > before)
        for (struct tree_stmt *s = vec_last(&sc->block->items); s && s->kind == STMT_FOR;
             s = s->body->items.count ? s->body->items.items[0] : NULL)
            s->loop.independent = false;
    return body;
}

static bool generic_loops(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    uint32_t order[MAX_LABELS], count = 0;
    for (uint32_t i = 0; i < l->out.count; i++)
        order[count++] = l->out.label[i];
    uint32_t kept = count;
    for (uint32_t i = 0; i < l->num_labels; i++)
        if (!has_label(&l->out, i) && is_read(l, i))
            order[count++] = i;
    const struct sym *index[MAX_LABELS];
    struct scope outer = *sc, body = *sc;
    outer.block = loops_over(sc, place, l, order, kept, true, index);
    if (!outer.block)
        return false;
    bool meet = kept == 0 && !sc->parallel; /* threads sum up into one element */
    outer.parallel = sc->parallel || kept > 0;
    body.block = sum_loops(&outer, place, l, order + kept, count - kept, true, index + kept);
    if (!body.block)
        return false;
    const struct type *wide = type_promote(lw->ir, l->out.area.type);
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *product = library_is_constant(l->alpha, 1) ? NULL : expr_cast(t, wide, l->alpha);
    for (uint32_t k = 0; k < l->num_inputs; k++) {
        const struct area *a = &l->in[k].area;
        struct tree_expr *p = address(sc, place, &l->in[k], order, index, count);
        struct tree_expr *v = p ? code_convert(&cs, wide, expr_load(t, a->type, p, expr_i64(t, 0), a->alias)) : NULL;
        if (!v)
            return false;
        product = product ? expr_binary(t, EXPR_MUL, product, v) : v;
    }
    struct tree_expr *to = address(sc, place, &l->out, order, index, kept);
    if (!to)
        return false;
    bool atomic = meet && count > 0 && !lw->options->no_threads;
    stmt_reduce(t, body.block, WCR_SUM, atomic, to, expr_i64(t, 0), expr_cast(t, l->out.area.type, product),
                l->out.area.alias)
        ->place = place;
    return true;
}

/* ---- two operands as matrix products ---- */

struct groups {
    uint32_t m[MAX_LABELS], n[MAX_LABELS], k[MAX_LABELS], batch[MAX_LABELS];
    uint32_t num_m, num_n, num_k, num_batch;
};

static bool classify(const struct labelled *l, struct groups *g)
{
    const struct operand_labels *a = &l->in[0], *b = &l->in[1], *c = &l->out;
    for (uint32_t i = 0; i < c->count; i++) { /* in the order of the result */
        bool in_a = has_label(a, c->label[i]), in_b = has_label(b, c->label[i]);
        if (in_a && in_b)
            g->batch[g->num_batch++] = c->label[i];
        else if (in_a)
            g->m[g->num_m++] = c->label[i];
        else if (in_b)
            g->n[g->num_n++] = c->label[i];
        else
            return false;
    }
    for (uint32_t i = 0; i < a->count; i++) { /* in the order of the first operand */
        if (has_label(c, a->label[i]))
            continue;
        if (!has_label(b, a->label[i]))
            return false;
        g->k[g->num_k++] = a->label[i];
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (!has_label(c, b->label[i]) && !has_label(a, b->label[i]))
            return false;
    return g->num_m && g->num_n && g->num_k;
}

bool labelled_repeats(const struct operand_labels *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t k = i + 1; k < o->count; k++)
            if (o->label[i] == o->label[k])
                return true;
    return false;
}

/* The last labels of a group that lie next to each other in both operands become one dimension; returns how many stay
 * outside. */
static uint32_t merge(struct lower *lw, const struct labelled *l, const struct operand_labels *x,
                      const struct operand_labels *y, const uint32_t *group, uint32_t count, const struct sym **size)
{
    *size = l->size[group[count - 1]];
    const struct sym *sx = stride_of(lw, x, group[count - 1]), *sy = stride_of(lw, y, group[count - 1]);
    while (count > 1 && stride_of(lw, x, group[count - 2]) == sym_mul(lw->ir, *size, sx) &&
           stride_of(lw, y, group[count - 2]) == sym_mul(lw->ir, *size, sy)) {
        *size = sym_mul(lw->ir, *size, l->size[group[count - 2]]);
        count--;
    }
    return count - 1;
}

/* The operand as a matrix of the last labels of two groups. */
static void set_plane(struct lower *lw, struct area *out, const struct operand_labels *o, uint32_t row,
                      const struct sym *rows, uint32_t column, const struct sym *columns)
{
    *out = o->area;
    out->rank = 2;
    out->sizes = NEW_ARRAY(lw->arena, const struct sym *, 3);
    out->strides = NEW_ARRAY(lw->arena, const struct sym *, 3);
    out->sizes[0] = rows;
    out->sizes[1] = columns;
    out->strides[0] = stride_of(lw, o, row);
    out->strides[1] = stride_of(lw, o, column);
}

static bool as_products(struct scope *sc, const struct place *place, const struct labelled *l, const struct groups *g)
{
    struct lower *lw = sc->act->lw;
    const struct operand_labels *a = &l->in[0], *b = &l->in[1], *c = &l->out;
    const struct sym *rows, *columns, *terms;
    uint32_t rest_m = merge(lw, l, a, c, g->m, g->num_m, &rows), rest_n = merge(lw, l, b, c, g->n, g->num_n, &columns),
             rest_k = merge(lw, l, a, b, g->k, g->num_k, &terms);
    uint32_t m = g->m[g->num_m - 1], n = g->n[g->num_n - 1], k = g->k[g->num_k - 1];
    struct contraction p = { .alpha = l->alpha, .beta = l->beta };
    set_plane(lw, &p.a, a, m, rows, k, terms);
    set_plane(lw, &p.b, b, k, terms, n, columns);
    set_plane(lw, &p.c, c, m, rows, n, columns);
    if (rest_k) {
        if (!prepare_result(sc, place, l))
            return false;
        p.beta = expr_cast(lw->tree, c->area.type, expr_i64(lw->tree, 1));
    }
    uint32_t order[MAX_LABELS], count = 0;
    for (uint32_t i = 0; i < g->num_batch; i++)
        order[count++] = g->batch[i];
    for (uint32_t i = 0; i < rest_m; i++)
        order[count++] = g->m[i];
    for (uint32_t i = 0; i < rest_n; i++)
        order[count++] = g->n[i];
    uint32_t kept = count;
    for (uint32_t i = 0; i < rest_k; i++)
        order[count++] = g->k[i];
    const struct sym *index[MAX_LABELS];
    struct scope outer = *sc, body;
    outer.block = loops_over(sc, place, l, order, kept, true, index);
    if (!outer.block)
        return false;
    outer.parallel = sc->parallel || kept > 0;
    body = outer;
    body.block = sum_loops(&outer, place, l, order + kept, rest_k, false, index + kept);
    if (!body.block)
        return false;
    p.a.pointer = address(&body, place, a, order, index, count);
    p.b.pointer = address(&body, place, b, order, index, count);
    p.c.pointer = address(&body, place, c, order, index, kept);
    return p.a.pointer && p.b.pointer && p.c.pointer && library_contract(&body, place, &p);
}

static bool contract_pair(struct scope *sc, const struct place *place, const struct labelled *l)
{
    struct groups g = { 0 };
    if (l->num_inputs == 2 && !labelled_repeats(&l->in[0]) && !labelled_repeats(&l->in[1]) && classify(l, &g))
        return as_products(sc, place, l, &g);
    return prepare_result(sc, place, l) && generic_loops(sc, place, l);
}

/* ---- more operands: two at a time ---- */

enum { ASSUMED_EXTENT = 64 }; /* of a dimension whose extent is not known */

static double elements(const struct labelled *l, const struct operand_labels *o)
{
    double n = 1;
    for (uint32_t i = 0; i < o->count; i++)
        n *= l->size[o->label[i]]->op == SYM_INT ? (double)l->size[o->label[i]]->i : ASSUMED_EXTENT;
    return n;
}

/* The labels that are left of operands x and y: those that the result or another operand has. */
static void joint_labels(const struct labelled *l, uint32_t x, uint32_t y, struct operand_labels *out)
{
    out->count = 0;
    for (uint32_t label = 0; label < l->num_labels; label++) {
        bool used = has_label(&l->out, label);
        for (uint32_t i = 0; i < l->num_inputs; i++)
            used = used || (i != x && i != y && has_label(&l->in[i], label));
        if (used && (has_label(&l->in[x], label) || has_label(&l->in[y], label)))
            out->label[out->count++] = label;
    }
}

/* The pair whose product takes the least memory beyond what it replaces becomes one operand. */
static bool contract_greedily(struct scope *sc, const struct place *place, struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    while (l->num_inputs > 2) {
        uint32_t x = 0, y = 1;
        double least = 0;
        for (uint32_t i = 0; i < l->num_inputs; i++)
            for (uint32_t k = i + 1; k < l->num_inputs; k++) {
                struct operand_labels joint;
                joint_labels(l, i, k, &joint);
                double cost = elements(l, &joint) - elements(l, &l->in[i]) - elements(l, &l->in[k]);
                if ((i == 0 && k == 1) || cost < least) {
                    least = cost;
                    x = i;
                    y = k;
                }
            }
        struct labelled *pair = NEW(lw->arena, struct labelled);
        *pair = *l;
        pair->num_inputs = 2;
        pair->in[0] = l->in[x];
        pair->in[1] = l->in[y];
        joint_labels(l, x, y, &pair->out);
        const struct sym *sizes[2 * LOWER_MAX_RANK + 1];
        for (uint32_t i = 0; i < pair->out.count; i++)
            sizes[i] = l->size[pair->out.label[i]];
        struct area shape = { .desc = l->out.area.desc, .rank = pair->out.count, .sizes = sizes, .strides = sizes };
        const struct type *type = l->out.area.type;
        pair->alpha = expr_cast(lw->tree, type, expr_i64(lw->tree, 1));
        pair->beta = expr_cast(lw->tree, type, expr_i64(lw->tree, 0));
        if (!library_temporary(sc, place, &shape, type, &pair->out.area) || !contract_pair(sc, place, pair))
            return false;
        l->in[x] = pair->out;
        l->in[y] = l->in[--l->num_inputs];
    }
    return contract_pair(sc, place, l);
}

/* Sums are taken in the type of the operands if that is wider than the result's. */
bool labelled_contract(struct scope *sc, const struct place *place, struct labelled *l)
{
    struct lower *lw = sc->act->lw;
    struct area out = l->out.area;
    const struct type *type = out.type;
    for (uint32_t i = 0; i < l->num_inputs; i++)
        type = library_sum_type(lw->ir, type, l->in[i].area.type);
    if ((type_is_integer(type) || type->kind == TYPE_BOOL) &&
        (type_is_float(l->alpha->type) || type_is_float(l->beta->type)))
        type = type_basic(lw->ir, TYPE_F64);
    if (type != out.type) {
        if (!library_temporary(sc, place, &out, type, &l->out.area) ||
            (!library_is_constant(l->beta, 0) && !lower_copy(sc, place, &out, &l->out.area, NULL, false)))
            return false;
    }
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    l->alpha = code_convert(&cs, type, l->alpha);
    l->beta = code_convert(&cs, type, l->beta);
    return l->alpha && l->beta && contract_greedily(sc, place, l) &&
           (type == out.type || lower_copy(sc, place, &l->out.area, &out, NULL, false));
}
