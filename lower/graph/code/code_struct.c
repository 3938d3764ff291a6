/* Structures: a value is the address of one in memory. */
#include "lower/graph/code/code_gen.h"

#include <string.h>

struct tree_expr *code_new_struct(struct code_gen *g, const struct type *type)
{
    struct tree_var *v = tree_var(g->t, "structure", type_pointer(g->ir, type));
    stmt_alloc(g->t, g->out, v, type, expr_i64(g->t, 1), TREE_STACK);
    return expr_var(g->t, v);
}

bool code_copy_struct(struct code_gen *g, const struct code *c, const struct lvalue *to, struct tree_expr *from)
{
    if (from->type->kind != TYPE_POINTER || from->type->elem != to->type)
        return code_invalid(g, c, "a value of type %s cannot be converted to %s", code_type_text(g, from->type),
                            code_type_text(g, to->type));
    stmt_copy(g->t, g->out, to->type, expr_offset(g->t, to->pointer, to->index), to->alias, from, 0, expr_i64(g->t, 1))
        ->place = g->s->place;
    return true;
}

bool code_field(struct code_gen *g, const struct code *c, struct tree_expr *base, uint32_t alias, struct lvalue *out)
{
    const struct type *type = base->type->kind == TYPE_POINTER ? base->type->elem : base->type;
    if (type->kind != TYPE_STRUCT)
        return code_invalid(g, c, "a value of type %s has no member '%s'", code_type_text(g, base->type), c->name);
    for (uint32_t i = 0; i < type->num_fields; i++) {
        if (strcmp(type->fields[i].name, c->name) != 0)
            continue;
        *out = (struct lvalue){ .kind = LVALUE_MEMORY,
                                .type = type->fields[i].type,
                                .pointer = expr_field(g->t, base, i),
                                .index = expr_i64(g->t, 0),
                                .alias = alias };
        return true;
    }
    return code_invalid(g, c, "%s has no member '%s'", code_type_text(g, type), c->name);
}

/* Files call the constructor by the name of the type, older ones with a prefix (format.md 3.2). */
static const char *plain_name(const char *name)
{
    static const char prefix[] = "__DACESTRUCT_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

bool code_is_constructor(const struct code_gen *g, const char *name)
{
    return g->expected && g->expected->name && strcmp(plain_name(g->expected->name), plain_name(name)) == 0;
}

struct tree_expr *code_construct(struct code_gen *g, const struct code *call)
{
    const struct type *type = g->expected;
    uint32_t count = call->count - 1;
    struct code **values = NEW_ARRAY(g->arena, struct code *, count + 1);
    struct tree_expr **args = NEW_ARRAY(g->arena, struct tree_expr *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        values[i] = call->items[i + 1]->kind == CODE_KEYWORD ? call->items[i + 1]->items[0] : call->items[i + 1];
    if (!code_eval_list(g, values, count, args))
        return NULL;
    struct tree_expr *memory = code_new_struct(g, type);
    stmt_zero(g->t, g->out, type, memory, 0, expr_i64(g->t, 1));
    for (uint32_t i = 0; i < count; i++) {
        const struct code *item = call->items[i + 1];
        struct code named = *item;
        struct lvalue field;
        if (item->kind != CODE_KEYWORD) {
            if (i >= type->num_fields)
                return code_invalid(g, item, "%s has only %u members", code_type_text(g, type), type->num_fields);
            named.name = type->fields[i].name;
        }
        if (!code_field(g, &named, memory, 0, &field) || !code_write(g, item, &field, args[i]))
            return NULL;
    }
    return memory;
}
