#include "lower/tree/tree_shape.h"

bool loop_counts_by_one(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && s->var->type->kind == TYPE_I64 && expr_is_int(s->step, 1);
}

bool loop_has_constant_bounds(const struct tree_stmt *loop)
{
    return loop->begin->op == EXPR_INT && loop->end->op == EXPR_INT;
}

int64_t loop_span(const struct tree_stmt *loop)
{
    static const int64_t most = INT64_C(1) << 56;
    int64_t begin = loop->begin->i, end = loop->end->i, span;
    if (__builtin_sub_overflow(end, begin, &span))
        return end > begin ? most : -most;
    return span > most ? most : span < -most ? -most : span;
}

bool loop_is_shorter(const struct tree_stmt *loop, int64_t iterations)
{
    int64_t span, step = loop->step->op == EXPR_INT ? loop->step->i : 1;
    return loop->begin->op == EXPR_INT && loop->end->op == EXPR_INT &&
           !__builtin_sub_overflow(loop->end->i, loop->begin->i, &span) &&
           !__builtin_mul_overflow(iterations - 1, step, &step) && span <= step;
}

uint32_t stmt_count(const struct tree_stmt *s)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < s->items.count; i++)
        count += stmt_count(s->items.items[i]);
    return count + (s->body ? stmt_count(s->body) : 0) + (s->otherwise ? stmt_count(s->otherwise) : 0);
}

bool expr_is_float(const struct tree_expr *e, double value) { return e && e->op == EXPR_FLOAT && e->f == value; }
