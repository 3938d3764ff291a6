/* Queues in the loop tree, and in the text of tasklets: a name that stands for a queue pops where it is read and pushes
 * where it is assigned (semantics.md 4.3). */
#include "lower/graph/code/code_gen.h"
#include "lower/graph/stream.h"

#include <string.h>

const struct type *stream_handle_type(struct ir *ir) { return type_pointer(ir, type_basic(ir, TYPE_VOID)); }

struct tree_expr *stream_handle(struct tree *t, struct tree_expr *pointer, struct tree_expr *index, uint32_t alias)
{
    return expr_load(t, stream_handle_type(t->ir), pointer, index, alias);
}

struct tree_expr *stream_buffer(struct tree *t, struct tree_stmt *b, const struct type *elem, int64_t count)
{
    struct tree_var *v = tree_var(t, "element", type_pointer(t->ir, elem));
    stmt_alloc(t, b, v, elem, expr_i64(t, count), TREE_STACK);
    return expr_var(t, v);
}

struct tree_stmt *stream_call(struct tree *t, struct tree_stmt *b, struct tree_var *result, const char *what,
                              struct tree_expr *handle, struct tree_expr *first, struct tree_expr *second)
{
    struct tree_expr *args[] = { expr_context(t), handle, first, second };
    uint32_t count = second ? 4 : first ? 3 : 2;
    const char *name = intern(t->ir->names, arena_printf(t->arena, "sdfg_rt_stream_%s", what));
    return stmt_call(t, b, result, name, args, count);
}

struct tree_expr *stream_pop(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *handle)
{
    struct tree_expr *buffer = stream_buffer(t, b, elem, 1);
    struct tree_var *count = tree_var(t, "count", type_basic(t->ir, TYPE_I64));
    stream_call(t, b, count, "pop", handle, buffer, expr_i64(t, 1))->isolated = true;
    if (elem->kind == TYPE_STRUCT)
        return buffer;
    struct tree_var *v = tree_var(t, "popped", elem);
    stmt_assign(t, b, v, expr_load(t, elem, buffer, expr_i64(t, 0), t->num_aliases++));
    return expr_var(t, v);
}

void stream_push(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *handle,
                 struct tree_expr *value)
{
    struct tree_expr *buffer = value;
    if (elem->kind != TYPE_STRUCT) {
        buffer = stream_buffer(t, b, elem, 1);
        stmt_store(t, b, buffer, expr_i64(t, 0), value, t->num_aliases++);
    }
    stream_call(t, b, NULL, "push", handle, buffer, expr_i64(t, 1))->isolated = elem->kind != TYPE_STRUCT;
}

/* ---- in the text ---- */

struct tree_expr *code_pop(struct code_gen *g, const struct lvalue *p)
{
    return stream_pop(g->t, g->out, p->type, code_checked_handle(g, p));
}

bool code_push(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    if (p->type->kind != TYPE_STRUCT)
        value = code_to(g, c, p->type, value);
    else if (value->type->kind != TYPE_POINTER || value->type->elem != p->type)
        return code_invalid(g, c, "a value of type %s cannot be pushed to a stream of %s",
                            code_type_text(g, value->type), code_type_text(g, p->type));
    if (value)
        stream_push(g->t, g->out, p->type, code_checked_handle(g, p), value);
    return value;
}

/* The queue that the text in front of a dot names, if it names one. */
static bool names_queue(struct code_gen *g, const struct code *c, struct lvalue *out)
{
    const struct code *base = c->kind == CODE_INDEX ? c->items[0] : c;
    struct operand o;
    if (base->kind != CODE_NAME || code_find_local(g, base->name) || !code_lookup(g, base->name, &o) ||
        o.kind != OPERAND_STREAM)
        return false;
    return code_place(g, c, out) && out->kind == LVALUE_STREAM;
}

static struct tree_expr *size_of(struct code_gen *g, const struct lvalue *p)
{
    struct tree_var *size = tree_var(g->t, "size", code_basic(g, TYPE_I64));
    stream_call(g->t, g->out, size, "size", code_checked_handle(g, p), NULL, NULL)->isolated = true;
    return expr_var(g->t, size);
}

/* pop_try(x): takes an element into x if there is one, and tells so. */
static struct tree_expr *pop_try(struct code_gen *g, const struct code *target, const struct lvalue *p)
{
    struct tree_expr *buffer = stream_buffer(g->t, g->out, p->type, 1);
    struct tree_var *count = tree_var(g->t, "count", code_basic(g, TYPE_I64));
    stream_call(g->t, g->out, count, "try_pop", code_checked_handle(g, p), buffer, expr_i64(g->t, 1))->isolated = true;
    struct tree_expr *got = expr_binary(g->t, EXPR_NE, expr_var(g->t, count), expr_i64(g->t, 0));
    struct tree_stmt *before = g->out;
    g->out = stmt_if(g->t, before, got)->body;
    struct tree_expr *value = buffer;
    if (p->type->kind != TYPE_STRUCT)
        value = expr_load(g->t, p->type, buffer, expr_i64(g->t, 0), g->t->num_aliases++);
    bool good = code_assign_to(g, target, value);
    g->out = before;
    return good ? got : NULL;
}

bool code_stream_method(struct code_gen *g, const struct code *c, struct tree_expr **out)
{
    const struct code *callee = c->items[0];
    struct lvalue p;
    uint32_t count = c->count - 1;
    if (callee->kind != CODE_MEMBER || !names_queue(g, callee->items[0], &p))
        return false;
    if (strcmp(callee->name, "push") == 0 && count == 1) {
        struct tree_expr *value = code_eval(g, c->items[1]);
        *out = value && code_push(g, c, &p, value) ? expr_i64(g->t, 0) : NULL;
    } else if (strcmp(callee->name, "pop") == 0 && count == 0) {
        *out = code_pop(g, &p);
    } else if (strcmp(callee->name, "pop_try") == 0 && count == 1) {
        *out = pop_try(g, c->items[1], &p);
    } else if (strcmp(callee->name, "size_approx") == 0 && count == 0) {
        *out = size_of(g, &p);
    } else {
        *out = code_unsupported(g, c, arena_printf(g->arena, "method '%s' of streams", callee->name));
    }
    return true;
}

bool code_stream_member(struct code_gen *g, const struct code *c, struct tree_expr **out)
{
    struct lvalue p;
    if (strcmp(c->name, "m_elements") != 0 || !names_queue(g, c->items[0], &p))
        return false;
    *out = size_of(g, &p);
    return true;
}
