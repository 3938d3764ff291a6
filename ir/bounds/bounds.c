#include "ir/bounds/bounds.h"

#include "ir/bounds/walk.h"

/* ---- names ---- */

static const struct sym *value_of_name(void *user, const struct sym *name)
{
    const struct bound_walk *w = ((void **)user)[0];
    for (const struct bound_name *n = ((void **)user)[1]; n; n = n->outer)
        if (n->name == name->name)
            return n->value;
    bool known =
        w->sdfg == w->root && !map_has(&w->assigned, name->name) && !map_has(&w->root->container_by_name, name->name);
    return known ? NULL : sym_undefined(w->ir);
}

void bound_name(struct bound_walk *w, const char *name, const struct sym *value)
{
    struct bound_name *n = NEW(w->scratch, struct bound_name);
    *n = (struct bound_name){ w->names, name, value };
    w->names = n;
}

const struct sym *bound_resolve(struct bound_walk *w, const struct bound_name *names, const struct sym *s)
{
    const void *user[] = { w, names };
    return s->op == SYM_INT ? s : sym_substitute(w->ir, s, value_of_name, (void *)user);
}

/* ---- parameters ---- */

bool bound_push(struct bound_walk *w, const char *name, const struct range *r)
{
    struct ir *ir = w->ir;
    const struct sym *begin = bound_resolve(w, w->names, r->begin), *end = bound_resolve(w, w->names, r->end),
                     *step = bound_resolve(w, w->names, r->step);
    if (sym_has_undefined(begin) || sym_has_undefined(end) || step->op != SYM_INT || !step->i ||
        !sym_is_int(r->tile, 1))
        return false;
    struct bound_param p = { .first = begin, .last = end };
    p.extent = step->i > 0 ? sym_sub(ir, end, begin) : sym_sub(ir, begin, end);
    if (step->i != 1) {
        const struct sym *const parts[] = { p.extent, sym_int(ir, step->i > 0 ? step->i : -step->i) };
        const struct sym *steps = sym_make(ir, SYM_FLOOR_DIV, NULL, NULL, parts, 2);
        p.last = sym_add(ir, begin, sym_mul(ir, steps, step));
    }
    p.name = intern(ir->names, arena_printf(w->scratch, "%s#%u", name, w->params.count));
    vec_push(w->scratch, &w->params, p);
    bound_name(w, name, sym_name(ir, p.name));
    return true;
}

struct replacement {
    const char *name;
    const struct sym *value;
};

static const struct sym *replace_name(void *user, const struct sym *name)
{
    const struct replacement *r = user;
    return name->name == r->name ? r->value : NULL;
}

static const struct sym *replaced(struct bound_walk *w, const struct sym *s, const char *name, const struct sym *value)
{
    struct replacement r = { name, value };
    return sym_mentions(s, name) ? sym_substitute(w->ir, s, replace_name, &r) : s;
}

/* Any choice is an iteration that runs; the best one has the parameter where the expression grows. */
struct bound_point bound_extreme(struct bound_walk *w, const struct sym *s, bool largest)
{
    struct bound_point point = { NEW_ARRAY(w->scratch, bool, w->params.count) };
    for (uint32_t i = w->params.count; i-- > 0;) {
        const struct bound_param *p = &w->params.items[i];
        const struct sym *coefficient, *rest;
        if (!sym_mentions(s, p->name))
            continue;
        bool falls =
            sym_linear_in(w->ir, s, p->name, &coefficient, &rest) && coefficient->op == SYM_INT && coefficient->i < 0;
        point.last[i] = largest != falls;
        s = replaced(w, s, p->name, point.last[i] ? p->last : p->first);
    }
    return point;
}

const struct sym *bound_at(struct bound_walk *w, const struct bound_point *point, const struct sym *s)
{
    for (uint32_t i = w->params.count; i-- > 0;)
        s = replaced(w, s, w->params.items[i].name,
                     point->last[i] ? w->params.items[i].last : w->params.items[i].first);
    return s;
}

/* ---- bounds ---- */

static void report(struct bound_walk *w, const struct bound *b)
{
    struct diags *d = w->ir->diags;
    const char *is = sym_text(w->ir, b->is), *limit = sym_text(w->ir, b->limit);
    static const enum diag_code codes[] = { [BOUND_COPY] = DIAG_RULE_COPY_LARGER,
                                            [BOUND_NESTED] = DIAG_RULE_NESTED_LARGER,
                                            [BOUND_OUTSIDE] = DIAG_RULE_ELEMENT_OUTSIDE,
                                            [BOUND_VIEW] = DIAG_RULE_VIEW_LARGER };
    w->bad = true;
    if (b->kind == BOUND_BELOW || b->kind == BOUND_ABOVE)
        diag_error(d, b->place, b->kind == BOUND_BELOW ? DIAG_RULE_SUBSET_BELOW : DIAG_RULE_SUBSET_ABOVE, is, b->dim,
                   b->name, limit);
    else if (b->kind == BOUND_SIZE)
        diag_error(d, b->place, DIAG_SIZE_OVERFLOW, b->name, is, limit);
    else
        diag_error(d, b->place, codes[b->kind], b->inner, is, b->name, limit);
}

static bool is_literal(const struct bound_walk *w, const struct sym *s, int64_t *value)
{
    if (s->op != SYM_INT)
        s = sym_expand(w->ir, s);
    *value = s->i;
    return s->op == SYM_INT;
}

/* Collects a condition that has to be >= 0; false if it never is. */
static bool add_guard(struct bound_walk *w, struct bound *b, const struct sym **guards, const struct sym *g)
{
    int64_t value;
    if (is_literal(w, g, &value))
        return value >= 0;
    for (uint32_t i = 0; i < b->num_guards; i++)
        if (guards[i] == g)
            return true;
    guards[b->num_guards++] = g;
    return !sym_has_undefined(g);
}

/* Does one say what the other says? Containers of one size need only be looked at once. */
static bool is_same(const struct bound *a, const struct bound *b)
{
    bool same = a->kind == b->kind && a->limit == b->limit && a->num_guards == b->num_guards &&
                (a->kind == BOUND_SIZE || a->name == b->name);
    for (uint32_t i = 0; same && i < a->num_guards; i++)
        same = a->guards[i] == b->guards[i];
    return same;
}

/* The excess and a guard cannot both be >= 0 if their sum is a negative number: `-N` where `N - 1` is. */
static bool never_exceeded(struct bound_walk *w, const struct bound *b)
{
    int64_t value;
    for (uint32_t i = 0; b->excess && i < b->num_guards; i++)
        if (is_literal(w, sym_add(w->ir, b->excess, b->guards[i]), &value) && value < 0)
            return true;
    return false;
}

void bound_add(struct bound_walk *w, const struct bound *proto, const struct bound_point *point,
               const struct sym *const *own, uint32_t num_own)
{
    struct bound b = *proto;
    int64_t value = 0;
    b.excess = b.excess ? bound_at(w, point, b.excess) : NULL;
    bool literal = b.excess && is_literal(w, b.excess, &value);
    if ((literal && value < 0) || (b.excess && sym_has_undefined(b.excess)))
        return;
    b.is = bound_at(w, point, b.is);
    b.limit = bound_at(w, point, b.limit);
    const struct sym **guards = NEW_ARRAY(w->ir->arena, const struct sym *, w->params.count + num_own);
    b.guards = guards;
    for (uint32_t i = 0; i < num_own; i++)
        if (!add_guard(w, &b, guards, bound_at(w, point, own[i])))
            return;
    for (uint32_t i = 0; i < w->params.count; i++)
        if (!add_guard(w, &b, guards, bound_at(w, point, w->params.items[i].extent)))
            return;
    if (literal && !b.num_guards) {
        report(w, &b);
        return;
    }
    if (!w->certain || never_exceeded(w, &b))
        return;
    const struct sym *key = b.excess ? b.excess : b.is;
    uint32_t before = (uint32_t)(uintptr_t)map_get(&w->seen, key);
    if (before && is_same(&w->found.items[before - 1], &b))
        return;
    vec_push(w->ir->arena, &w->found, b);
    map_put(w->scratch, &w->seen, key, (void *)(uintptr_t)w->found.count);
}
