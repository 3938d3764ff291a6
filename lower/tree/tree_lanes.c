/* Expressions and statements of vectors as long as the machine's. */
#include "lower/tree/tree.h"

static struct tree_expr *make(struct tree *t, enum expr_op op, const struct type *type, struct tree_expr *const *args,
                              uint32_t count)
{
    struct tree_expr *e = arena_alloc(t->arena, sizeof *e + count * sizeof e->args[0]);
    e->op = op;
    e->type = type;
    e->num_args = count;
    for (uint32_t i = 0; i < count; i++)
        e->args[i] = args[i];
    return e;
}

struct tree_expr *expr_vscale(struct tree *t) { return make(t, EXPR_VSCALE, type_basic(t->ir, TYPE_I64), NULL, 0); }

struct tree_expr *expr_steps(struct tree *t, const struct type *vector, struct tree_expr *first, struct tree_expr *step)
{
    return make(t, EXPR_STEPS, vector, (struct tree_expr *[]){ first, step }, 2);
}

struct tree_expr *expr_active(struct tree *t, const struct type *mask, struct tree_expr *i, struct tree_expr *end)
{
    return make(t, EXPR_ACTIVE, mask, (struct tree_expr *[]){ i, end }, 2);
}

struct tree_expr *expr_masked(struct tree *t, const struct type *vector, struct tree_expr *pointer,
                              struct tree_expr *index, struct tree_expr *mask, uint32_t alias)
{
    struct tree_expr *e = make(t, EXPR_MASKED, vector, (struct tree_expr *[]){ pointer, index, mask }, 3);
    e->alias = alias;
    return e;
}

struct tree_expr *expr_lanes(struct tree *t, enum expr_op op, struct tree_expr *vector)
{
    return make(t, op, vector->type->elem, &vector, 1);
}

struct tree_expr *expr_lanes_count(struct tree *t, struct tree_expr *mask)
{
    return make(t, EXPR_LANES_COUNT, type_basic(t->ir, TYPE_I64), &mask, 1);
}

struct tree_expr *expr_compact(struct tree *t, struct tree_expr *vector, struct tree_expr *mask)
{
    return make(t, EXPR_COMPACT, vector->type, (struct tree_expr *[]){ vector, mask }, 2);
}

struct tree_expr *expr_ordered_sum(struct tree *t, struct tree_expr *first, struct tree_expr *vector)
{
    return make(t, EXPR_ORDERED_SUM, first->type, (struct tree_expr *[]){ first, vector }, 2);
}

struct tree_stmt *stmt_masked(struct tree *t, struct tree_stmt *b, struct tree_expr *pointer, struct tree_expr *index,
                              struct tree_expr *mask, struct tree_expr *value, uint32_t alias)
{
    struct tree_stmt *s = stmt_new(t, b, STMT_MASKED);
    s->pointer = pointer;
    s->index = index;
    s->mask = mask;
    s->value = value;
    s->alias = alias;
    return s;
}
