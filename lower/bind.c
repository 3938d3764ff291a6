/* Bindings of containers, members of structures included. */
#include "lower/lower.h"

static struct binding *member_binding(struct scope *sc, const struct place *place, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    struct binding *parent = lower_binding(sc, place, c->parent);
    if (!parent)
        return NULL;
    const struct type *s = parent->type->kind == TYPE_POINTER ? parent->type->elem : parent->type;
    for (uint32_t i = 0; i < s->num_fields; i++) {
        if (s->fields[i].name != c->name)
            continue;
        struct tree_expr *base = expr_cast(lw->tree, type_pointer(lw->ir, s), parent->pointer);
        struct tree_expr *field = expr_field(lw->tree, base, i);
        if (s->fields[i].type->kind == TYPE_POINTER && c->kind != CONTAINER_SCALAR)
            field = expr_load(lw->tree, s->fields[i].type, field, expr_i64(lw->tree, 0), 0);
        if (!c->type) {
            diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
            return NULL;
        }
        return binding_new(sc, place, c, expr_cast(lw->tree, type_pointer(lw->ir, c->type), field), 0);
    }
    diag_error(lw->diags, place, DIAG_UNDEFINED_SYMBOL, c->name);
    return NULL;
}

struct binding *lower_binding(struct scope *sc, const struct place *place, const struct container *c)
{
    struct binding *b = map_get(&sc->act->bindings, c);
    if (b)
        return b;
    if (c->parent)
        return member_binding(sc, place, c);
    diag_error(sc->act->lw->diags, place, DIAG_NOT_BOUND, c->name);
    return NULL;
}
