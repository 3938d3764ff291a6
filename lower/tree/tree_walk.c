#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rows.h"

void expr_visit(struct tree_expr *e, void (*visit)(void *user, struct tree_expr *e), void *user)
{
    visit(user, e);
    for (uint32_t i = 0; i < e->num_args; i++)
        expr_visit(e->args[i], visit, user);
}

void stmt_visit(struct tree_stmt *s, bool (*visit)(void *user, struct tree_stmt *s), void *user)
{
    if (!visit(user, s))
        return;
    if (s->body)
        stmt_visit(s->body, visit, user);
    if (s->otherwise)
        stmt_visit(s->otherwise, visit, user);
    for (uint32_t i = 0; i < s->items.count; i++)
        stmt_visit(s->items.items[i], visit, user);
}

void stmt_children(const struct tree_stmt *s, void (*visit)(void *user, const struct tree_stmt *child), void *user)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        visit(user, s->items.items[i]);
    if (s->body && s->kind != STMT_KERNEL)
        visit(user, s->body);
    if (s->otherwise)
        visit(user, s->otherwise);
}

struct search {
    enum stmt_kind kind;
    bool found;
};

static void search_in(void *user, const struct tree_stmt *s)
{
    struct search *q = user;
    q->found = q->found || stmt_contains(s, q->kind);
}

bool stmt_contains(const struct tree_stmt *s, enum stmt_kind kind)
{
    struct search q = { kind, s->kind == kind };
    if (!q.found)
        stmt_children(s, search_in, &q);
    return q.found;
}

void stmt_each_expr(struct tree_stmt *s, void (*visit)(void *user, struct tree_expr **e), void *user)
{
    if (s->kind == STMT_BLOCK) /* every second statement */
        return;
    if (s->pointer)
        visit(user, &s->pointer);
    if (s->index)
        visit(user, &s->index);
    if (s->mask)
        visit(user, &s->mask);
    if (s->value)
        visit(user, &s->value);
    if (s->pointer2)
        visit(user, &s->pointer2);
    if (s->begin)
        visit(user, &s->begin);
    if (s->end)
        visit(user, &s->end);
    if (s->step)
        visit(user, &s->step);
    if (s->count)
        visit(user, &s->count);
    for (uint32_t i = 0; i < s->num_args; i++)
        visit(user, &s->args[i]);
}

bool stmt_is_loop(const struct tree_stmt *s) { return stmt_rows[s->kind].flags & STMT_LOOPS; }

bool stmt_has_loops(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (stmt_is_loop(s->items.items[i]) || stmt_has_loops(s->items.items[i]))
            return true;
    return (s->body && stmt_has_loops(s->body)) || (s->otherwise && stmt_has_loops(s->otherwise));
}

bool stmt_has_products(const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        if (s->items.items[i]->product)
            return true;
    return false;
}

bool expr_is_pure(const struct tree_expr *e)
{
    if (e->op == EXPR_CALL && !callee_is_pure(e->callee))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!expr_is_pure(e->args[i]))
            return false;
    return true;
}

bool expr_mentions(const struct tree_expr *e, const struct tree_var *v)
{
    if (e->op == EXPR_VAR && e->var == v)
        return true;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (expr_mentions(e->args[i], v))
            return true;
    return false;
}

static bool leaf_equal(const struct tree_expr *a, const struct tree_expr *b)
{
    switch (expr_rows[a->op].payload) {
    case PAYLOAD_INTEGER:
        return a->i == b->i;
    case PAYLOAD_DATA:
        return a->i == b->i && a->data == b->data;
    case PAYLOAD_FLOAT:
        return expr_float_bits(a) == expr_float_bits(b);
    case PAYLOAD_VARIABLE:
        return a->var == b->var;
    case PAYLOAD_MATH:
        return a->math == b->math;
    case PAYLOAD_CALLEE:
        return a->callee == b->callee && callee_is_pure(a->callee);
    default:
        return true;
    }
}

bool expr_equal(const struct tree_expr *a, const struct tree_expr *b)
{
    if (a == b)
        return expr_is_pure(a);
    if (a->op != b->op || a->type != b->type || a->num_args != b->num_args || !leaf_equal(a, b))
        return false;
    for (uint32_t i = 0; i < a->num_args; i++)
        if (!expr_equal(a->args[i], b->args[i]))
            return false;
    return true;
}
