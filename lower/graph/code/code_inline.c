/* Functions of C++ where they are called. */
#include "lower/graph/code/code_gen.h"

bool code_leave(struct code_gen *g, const struct code *c)
{
    struct code_return *r = g->inlined;
    if (!r)
        return code_unsupported(g, c, "'return', which would leave the whole program,");
    if (c->count && r->type) {
        struct tree_expr *value = code_eval(g, c->items[0]);
        if (!value || !code_write(g, c, &r->result, value))
            return false;
    } else if (c->count && c->items[0]->kind == CODE_REDUCE) {
        if (!code_reduce(g, c->items[0]))
            return false;
    } else if (c->count) {
        struct tree_expr *value = code_eval(g, c->items[0]);
        if (!value)
            return false;
        if (!expr_is_pure(value))
            code_temp(g, "unused", value);
    }
    if (c == r->last)
        return true;
    r->used = true;
    stmt_goto(g->t, g->out, r->end);
    return true;
}

static struct lvalue result_of(struct code_gen *g, const struct type *type)
{
    if (type->kind == TYPE_STRUCT)
        return (struct lvalue){
            .kind = LVALUE_MEMORY, .type = type, .pointer = code_new_struct(g, type), .index = expr_i64(g->t, 0)
        };
    struct tree_var *v = tree_var(g->t, "result", type);
    stmt_assign(g->t, g->out, v, expr_zero(g->t, type)); /* control may reach the end without a value */
    return (struct lvalue){ .kind = LVALUE_VAR, .type = type, .var = v };
}

bool code_inline(struct code_gen *g, const struct code *c, struct tree_expr **value)
{
    const struct code *body = c->items[c->count - 1];
    uint32_t locals = g->locals.count;
    bool good = true;
    *value = NULL;
    for (uint32_t i = 0; good && i + 1 < c->count; i++)
        good = code_statement(g, c->items[i]);
    const struct code *only = good && body->count == 1 && body->items[0]->kind == CODE_RETURN ? body->items[0] : NULL;
    if (only && only->count && c->type && c->type->kind != TYPE_STRUCT) {
        struct tree_expr *e = code_eval(g, only->items[0]);
        *value = e ? code_to(g, c, c->type, e) : NULL;
        good = *value;
    } else if (good) {
        struct code_return frame = { .outer = g->inlined, .type = c->type, .end = tree_label(g->t, "return") };
        if (c->type)
            frame.result = result_of(g, c->type);
        frame.last = body->count ? body->items[body->count - 1] : NULL;
        struct tree_stmt *block = stmt_block(g->t);
        struct code_jump *jumps = g->jump;
        stmt_append(g->t, g->out, block);
        g->inlined = &frame;
        g->jump = NULL;
        good = code_in_block(g, body, block);
        g->inlined = frame.outer;
        g->jump = jumps;
        if (frame.used)
            stmt_label(g->t, g->out, frame.end);
        *value = good && c->type ? code_read(g, c, &frame.result) : NULL;
    }
    g->locals.count = locals;
    return good;
}
