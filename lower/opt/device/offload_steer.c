/* Scalars by which the host decides. If device code computed them, the host would fetch them at each such place: it
 * computes them itself, and fetches what they are made of, once.
 *
 *     count = first[n]                          count = first'[n], from the device
 *     need = count                      ->      need = count
 *     if capacity < need { ... }                if capacity < need { ... }
 *     for p = 0 to count parallel { ... }       launch for p = 0 to count
 *
 * Profitability: In the innermost loop around each assignment there is such a place, so that no more is fetched than
 * would be without this. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_rows.h"

/* An assignment, or a place where the host decides by a variable. */
struct steering_place {
    const struct tree_var *var;
    const struct tree_stmt *loop; /* of the host, the innermost one around; NULL: none */
};

struct steering {
    struct offload *offload;
    const struct tree_stmt *loop;
    struct map outer; /* loop of the host -> the one around */
    VEC(struct steering_place) values, uses;
    bool *fixed; /* by variable: it gets values in other ways, too */
};

/* ---- where the host decides ---- */

static void see_use(void *user, struct tree_expr *e)
{
    struct steering *w = user;
    if (e->op != EXPR_VAR || e->type->kind == TYPE_POINTER)
        return;
    for (uint32_t i = 0; i < w->uses.count; i++)
        if (w->uses.items[i].var == e->var && w->uses.items[i].loop == w->loop)
            return;
    vec_push(w->offload->tree->scratch, &w->uses, ((struct steering_place){ .var = e->var, .loop = w->loop }));
}

static void see_operand(void *user, struct tree_expr **e) { expr_visit(*e, see_use, user); }

static bool see_bounds(void *user, struct tree_stmt *s)
{
    if (s->kind == STMT_FOR)
        stmt_each_expr(s, see_operand, user);
    return true;
}

/* Loops and branches that the host goes through. */
static bool is_control(struct steering *w, struct tree_stmt *s)
{
    return offload_has_nests(w->offload, s) || offload_has_library_calls(w->offload, s) ||
           stmt_contains(s, STMT_ALLOC) || stmt_contains(s, STMT_COPY);
}

/* ---- the whole function ---- */

static void fix(struct steering *w, const struct tree_stmt *s)
{
    if (s->var)
        w->fixed[s->var->id] = true;
    if (s->var2)
        w->fixed[s->var2->id] = true;
}

static bool fix_all(void *user, struct tree_stmt *s)
{
    fix(user, s);
    return true;
}

static void walk(struct steering *w, struct tree_stmt *s);

static void walk_control(struct steering *w, struct tree_stmt *s)
{
    const struct tree_stmt *around = w->loop;
    bool loop = stmt_is_loop(s);
    fix(w, s);
    if (loop) {
        map_put(w->offload->tree->scratch, &w->outer, s, (void *)(uintptr_t)around);
        w->loop = s->kind == STMT_FOR ? around : s;
    }
    stmt_each_expr(s, see_operand, w);
    w->loop = loop ? s : around;
    walk(w, s->body);
    if (s->otherwise)
        walk(w, s->otherwise);
    w->loop = around;
}

static void walk(struct steering *w, struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        walk(w, s->items.items[i]);
    if (s->kind == STMT_BLOCK)
        return;
    if (offload_is_nest(w->offload, s)) {
        stmt_visit(s, see_bounds, w);
        stmt_visit(s, fix_all, w);
    } else if (s->kind == STMT_ASSIGN && s->var->type->kind != TYPE_POINTER) {
        vec_push(w->offload->tree->scratch, &w->values, ((struct steering_place){ s->var, w->loop }));
    } else if (s->body && s->kind != STMT_UPDATE && is_control(w, s)) {
        walk_control(w, s);
    } else {
        stmt_visit(s, fix_all, w);
        if (s->kind == STMT_ALLOC || s->kind == STMT_COPY || s->kind == STMT_ZERO)
            stmt_each_expr(s, see_operand, w);
    }
}

static bool is_in(const struct steering *w, const struct tree_stmt *inner, const struct tree_stmt *loop)
{
    while (inner && inner != loop)
        inner = map_get(&w->outer, inner);
    return inner == loop;
}

static bool has_use(const struct steering *w, const struct steering_place *v)
{
    for (uint32_t i = 0; i < w->uses.count; i++)
        if (w->uses.items[i].var == v->var && is_in(w, w->uses.items[i].loop, v->loop))
            return true;
    return false;
}

void offload_find_steering(struct offload *o)
{
    struct steering w = { .offload = o };
    w.fixed = NEW_ARRAY(o->tree->scratch, bool, o->num_vars);
    o->steers = NEW_ARRAY(o->tree->arena, bool, o->num_vars);
    o->fetched = NEW_ARRAY(o->tree->arena, bool, o->num_vars);
    walk(&w, o->main->body);
    for (uint32_t i = 0; i < w.values.count; i++) {
        const struct steering_place *v = &w.values.items[i];
        w.fixed[v->var->id] |= !has_use(&w, v);
    }
    for (uint32_t i = 0; i < w.values.count; i++)
        o->steers[w.values.items[i].var->id] = !w.fixed[w.values.items[i].var->id];
}
