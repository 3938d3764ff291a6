#include "lower/graph/check.h"
#include "lower/graph/target.h"

#include <string.h>

bool lower_dynamic_inputs(struct scope *sc, struct node *n, struct scope *in)
{
    struct lower *lw = sc->act->lw;
    for (uint32_t i = 0; i < n->in.count; i++) {
        struct edge *e = n->in.items[i];
        if (!e->dst_conn || !strncmp(e->dst_conn, "IN_", 3) || memlet_is_empty(&e->memlet))
            continue;
        struct area a;
        if (!lower_memlet_area(sc, e, &a) || !lower_check_area(sc, &e->place, &a, true, false))
            return false;
        struct symval *v = NEW(lw->arena, struct symval);
        v->var = NULL;
        v->type = a.type;
        struct tree_var *var = tree_var(lw->tree, e->dst_conn, a.type);
        stmt_assign(lw->tree, sc->block, var, expr_load(lw->tree, a.type, a.pointer, expr_i64(lw->tree, 0), a.alias));
        v->value = lower_var_symbol(lw, var);
        map_put(lw->arena, &in->symbols, e->dst_conn, v);
    }
    return true;
}

bool lower_map_entry(struct scope *sc, struct node *n)
{
    struct lower *lw = sc->act->lw;
    struct map_entry *m = as_map_entry(n);
    const struct target *t = lower_target_of_map(sc, m);
    if (!t || !lower_enter(lw, &n->place, LOWER_LEVELS_OF_LOOP * m->range.rank))
        return false;
    struct scope in = scope_inside(sc, n, NULL);
    if (!lower_dynamic_inputs(sc, n, &in) || !TARGET_WITH(t, enter)->enter(t, sc, m, &in))
        return false;
    struct tree_stmt *frees = stmt_block(lw->tree), *body = in.block;
    struct parts_outside *parts = in.parallel && !sc->parallel ? lower_enter_threads(&in) : NULL;
    if (!lower_allocate_scope(&in, frees) || !lower_bind_views(&in) || !lower_scope_nodes(&in))
        return false;
    stmt_append(lw->tree, body, frees);
    if (parts)
        lower_leave_threads(parts);
    lower_leave(lw, LOWER_LEVELS_OF_LOOP * m->range.rank);
    return TARGET_WITH(t, leave)->leave(t, sc, m, &in);
}

bool lower_map_exit(struct scope *sc, struct node *n)
{
    (void)sc, (void)n; /* the entry lowers the whole scope */
    return true;
}

bool lower_unknown(struct scope *sc, struct node *n)
{
    return diag_error(sc->act->lw->diags, &n->place, DIAG_UNKNOWN_NODE, as_unknown(n)->type_name);
}
