/* Bindings of containers, members of structures included. */
#include "lower/graph/check.h"

/* Address of the field of a structure that holds a member (the value of a scalar, the pointer of anything else); its
 * type comes with it as the pointee. NULL with a diagnostic. */
struct tree_expr *lower_member_field(struct scope *sc, const struct place *place, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    struct binding *parent = lower_binding(sc, place, c->parent);
    if (!parent)
        return NULL;
    const struct type *s = parent->type->kind == TYPE_POINTER ? parent->type->elem : parent->type;
    for (uint32_t i = 0; i < s->num_fields; i++)
        if (s->fields[i].name == c->name)
            return expr_field(lw->tree, expr_cast(lw->tree, type_pointer(lw->ir, s), parent->pointer), i);
    diag_error(lw->diags, place, DIAG_UNDEFINED_SYMBOL, c->name);
    return NULL;
}

static struct binding *member_binding(struct scope *sc, const struct place *place, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *field = lower_member_field(sc, place, c);
    if (!field)
        return NULL;
    if (!c->type) {
        diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
        return NULL;
    }
    if (field->type->elem->kind == TYPE_POINTER && c->kind != CONTAINER_SCALAR)
        field =
            lower_check_memory(sc, place, c, expr_load(lw->tree, field->type->elem, field, expr_i64(lw->tree, 0), 0));
    return binding_new(sc, place, c, expr_cast(lw->tree, type_pointer(lw->ir, c->type), field), 0);
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
