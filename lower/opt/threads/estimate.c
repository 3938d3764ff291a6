/* The operations of one call are counted from the bounds of the loops; nothing is changed. The tier is chosen by it.
 */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"

#include <math.h>
#include <string.h>

enum { OPERATIONS_OF_MATH = 20, OPERATIONS_OF_ATOMIC = 20, MOST_OF_EXPRESSION = 1 << 20 };

static double expr_operations(const struct tree_expr *e)
{
    double sum = e->op == EXPR_MATH ? OPERATIONS_OF_MATH : e->op == EXPR_CALL ? HUGE_VAL : e->num_args ? 1 : 0;
    for (uint32_t i = 0; i < e->num_args && sum < MOST_OF_EXPRESSION; i++) /* parts may be shared */
        sum += expr_operations(e->args[i]);
    return sum;
}

/* Of the expressions of the statement itself. */
static double own_operations(const struct tree_stmt *s)
{
    const struct tree_expr *const parts[] = { s->pointer, s->index, s->value, s->pointer2 };
    double sum = s->atomic ? OPERATIONS_OF_ATOMIC : 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sum += parts[i] ? expr_operations(parts[i]) : 0;
    return sum;
}

/* The most iterations there can be: bounds that depend on outer loops are as wide as they get. */
static double trips(const struct tree_stmt *loop, const struct tree_frame *inner)
{
    double width = (double)inner->range.high - (double)inner->range.low + 1;
    if (!inner->range.known)
        return HUGE_VAL;
    return width <= 0                                        ? 0
           : loop->step->op == EXPR_INT && loop->step->i > 1 ? ceil(width / (double)loop->step->i)
                                                             : width;
}

static double range_operations(const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct interval count = interval_of(s->count, frame, NULL);
    return count.known ? (double)(count.high > 0 ? count.high : 0) : HUGE_VAL;
}

static double operations(struct tree_estimate *e, const struct tree_stmt *s, const struct tree_frame *frame);

/* Nothing that is repeated without end is still nothing. */
static double loop_operations(struct tree_estimate *e, const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_frame inner = tree_frame_of(frame, s);
    double n = trips(s, &inner), body = 1 + operations(e, s->body, &inner);
    return n > 0 ? n * body : 0;
}

static double operations(struct tree_estimate *e, const struct tree_stmt *s, const struct tree_frame *frame)
{
    double sum = 0;
    e->statements += s->kind != STMT_BLOCK;
    switch (s->kind) {
    case STMT_FOR:
        return loop_operations(e, s, frame);
    case STMT_WHILE:
    case STMT_DO:
    case STMT_GOTO:
        sum = HUGE_VAL;
        break;
    case STMT_COPY:
    case STMT_ZERO:
        sum = range_operations(s, frame);
        break;
    case STMT_CALL:
        sum = s->pointer ? HUGE_VAL : 0;
        break;
    case STMT_BLOCK:
        break;
    default:
        sum = own_operations(s);
        break;
    }
    if (s->body)
        sum += operations(e, s->body, frame);
    if (s->otherwise)
        sum += operations(e, s->otherwise, frame);
    for (uint32_t i = 0; i < s->items.count; i++)
        sum += operations(e, s->items.items[i], frame);
    return sum;
}

double opt_operations(const struct tree_stmt *s, const struct tree_frame *frame)
{
    struct tree_estimate e = { 0 };
    return operations(&e, s, frame);
}

bool opt_estimate(struct tree *t, const struct tree_options *o)
{
    struct tree_estimate e = { 0 };
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++)
        if (tree_func_is_main(t->functions.items[i]))
            e.operations = operations(&e, t->functions.items[i]->body, NULL);
    t->estimate = e;
    remark_times(t);
    return true;
}
