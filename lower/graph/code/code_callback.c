/* Callbacks: calls through function pointers that the caller of the program supplies (semantics.md 6.9). Arrays travel
 * as pointers. A single result that is no array comes back by value; several results, and arrays, are written through
 * pointers behind the arguments, which the text names. */
#include "lower/graph/code/code_gen.h"

/* The type of argument `i`, or NULL if there is none. */
static const struct type *argument_type(const struct type *callback, bool by_value, uint32_t i)
{
    if (i < callback->num_fields)
        return callback->fields[i].type;
    i -= callback->num_fields;
    return !by_value && i < callback->num_results ? callback->results[i] : NULL;
}

static struct tree_expr *address_argument(struct code_gen *g, const struct code *c, const struct type *type)
{
    if (c->kind == CODE_NONE)
        return expr_null(g->t, type);
    uint32_t errors = diags_errors(g->s->diags);
    struct tree_expr *e = code_has_place(c) ? code_address(g, c) : NULL;
    if (!e && diags_errors(g->s->diags) == errors)
        e = code_eval(g, c);
    if (!e)
        return NULL;
    if (!code_is_pointer(e->type))
        return code_invalid(g, c, "the callback takes an address here, not a value of type %s",
                            code_type_text(g, e->type));
    return expr_cast(g->t, type, e);
}

/* Each argument, with the statements before it in the order of the text. */
static bool arguments(struct code_gen *g, const struct code *c, const struct type *callback, bool by_value,
                      struct tree_expr **out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i + 1 < c->count; i++) {
        const struct code *argument = c->items[i + 1];
        const struct type *type = argument_type(callback, by_value, i);
        if (argument->kind == CODE_KEYWORD)
            return code_unsupported(g, argument, "a keyword argument");
        struct tree_stmt *before = code_begin(g);
        if (code_is_pointer(type) && type->kind != TYPE_OPAQUE) { /* what is opaque is a value */
            out[i] = address_argument(g, argument, type);
        } else {
            struct tree_expr *e = code_eval(g, argument);
            out[i] = e ? code_to(g, argument, type, e) : NULL;
        }
        struct tree_stmt *made = code_end(g, before);
        if (!out[i])
            return false;
        code_append_operand(g, made, out, i, &kept);
    }
    return true;
}

bool code_callback(struct code_gen *g, const struct code *c, const struct operand *o, struct tree_expr **result)
{
    const struct type *type = o->type;
    bool by_value = type->num_results == 1 && type->results[0]->kind != TYPE_POINTER;
    uint32_t expected = type->num_fields + (by_value ? 0 : type->num_results), count = c->count - 1;
    *result = NULL;
    if (count != expected)
        return code_invalid(g, c, "callback '%s' takes %u arguments, not %u", c->items[0]->name, expected, count);
    struct tree_expr **args = NEW_ARRAY(g->arena, struct tree_expr *, count + 1);
    if (!arguments(g, c, type, by_value, args))
        return false;
    struct tree_var *v = by_value ? tree_var(g->t, "result", type->results[0]) : NULL;
    struct tree_stmt *s = stmt_call(g->t, g->out, v, c->items[0]->name, args, count);
    s->pointer = o->value;
    s->place = g->s->place;
    if (v)
        *result = expr_var(g->t, v);
    return true;
}
