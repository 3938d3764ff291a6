/* Element types on both sides of a connector: memory is not converted there, so they have to be the same. */
#include "ir/validate/validate.h"

#include <string.h>

/* A vector stands for consecutive elements of its base type; void is the pointee of an untyped pointer. */
static bool same_elements(const struct type *a, const struct type *b)
{
    a = type_scalar(a);
    b = type_scalar(b);
    while (a->kind == TYPE_POINTER && b->kind == TYPE_POINTER) {
        a = type_scalar(a->elem);
        b = type_scalar(b->elem);
    }
    if (a == b || a->kind == TYPE_VOID || b->kind == TYPE_VOID)
        return true;
    if (a->kind != b->kind || (a->kind != TYPE_STRUCT && a->kind != TYPE_OPAQUE) || strcmp(a->name, b->name) != 0 ||
        a->num_fields != b->num_fields)
        return false;
    for (uint32_t i = 0; i < a->num_fields; i++)
        if (a->fields[i].name != b->fields[i].name || !same_elements(a->fields[i].type, b->fields[i].type))
            return false;
    return true;
}

/* False: reported. */
static bool compare(struct state_scan *s, struct edge *e, const struct connector *c, const struct type *type)
{
    struct ir *ir = s->sdfg->v->ir;
    const struct container *data = e->memlet.data;
    if (type && type->kind == TYPE_POINTER && data->type->kind != TYPE_POINTER)
        type = type->elem; /* the address of the data */
    if (!type || same_elements(type, data->type))
        return true;
    const char *here = type_text(ir, type), *there = type_text(ir, data->type);
    if (strcmp(here, there) == 0)
        return diag_error(ir->diags, &e->place, DIAG_RULE_CONNECTOR_MEMBERS, here, c->name, data->name);
    return diag_error(ir->diags, &e->place, DIAG_RULE_CONNECTOR_TYPE, c->name, here, data->name, there);
}

static void check_end(struct state_scan *s, struct edge *e, const struct node *n, const struct connector *c)
{
    if (!c || !e->memlet.data->type || e->memlet.data->distributed) /* of descriptors no memory is passed */
        return;
    const struct nested *nested = as_nested(n);
    const struct container *inner = nested && nested->sdfg ? map_get(&nested->sdfg->container_by_name, c->name) : NULL;
    if ((!inner || compare(s, e, c, inner->type)) && !c->inferred)
        compare(s, e, c, c->type);
}

/* Inputs of entry nodes are values, which are converted. */
void validate_connector_types(struct state_scan *s, struct edge *e)
{
    if (e->src_conn && !node_is_entry(e->src) && !node_is_exit(e->src))
        check_end(s, e, e->src, node_out_conn(e->src, e->src_conn));
    if (e->dst_conn && !node_is_entry(e->dst) && !node_is_exit(e->dst))
        check_end(s, e, e->dst, node_in_conn(e->dst, e->dst_conn));
}
