/* Operators of two operands. Integer sums keep their constant outermost on the right ((x + 3) + 2 is x + 5, 3 + x is x
 * + 3, x - 3 is x + -3), products too, so that index arithmetic of bound sizes becomes constants and equal addresses
 * look equal. All of it is exact in wrapping arithmetic. */
#include "lower/tree/tree_fold.h"

static struct tree_expr *binary_new(struct tree *t, enum expr_op op, const struct type *type, struct tree_expr *a,
                                    struct tree_expr *b)
{
    struct tree_expr *e = arena_alloc(t->arena, sizeof *e + 2 * sizeof e->args[0]);
    e->op = op;
    e->type = type;
    e->num_args = 2;
    e->args[0] = a;
    e->args[1] = b;
    return e;
}

/* The parts of x + c; c is 0 for anything else. */
static struct tree_expr *split_constant(struct tree_expr *e, int64_t *constant)
{
    *constant = 0;
    if (e->op != EXPR_ADD || e->args[1]->op != EXPR_INT)
        return e;
    *constant = e->args[1]->i;
    return e->args[0];
}

static struct tree_expr *add_constant(struct tree *t, struct tree_expr *a, int64_t constant)
{
    if (a->op == EXPR_INT)
        return expr_int(t, a->type, (int64_t)((uint64_t)a->i + (uint64_t)constant));
    int64_t inner;
    a = split_constant(a, &inner);
    struct tree_expr *sum = expr_int(t, a->type, (int64_t)((uint64_t)inner + (uint64_t)constant));
    return sum->i == 0 ? a : binary_new(t, EXPR_ADD, a->type, a, sum);
}

static struct tree_expr *int_add(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    int64_t ca, cb;
    if (a->op == EXPR_INT)
        return add_constant(t, b, a->i);
    if (b->op == EXPR_INT)
        return add_constant(t, a, b->i);
    a = split_constant(a, &ca);
    b = split_constant(b, &cb);
    struct tree_expr *sum;
    if (a->op == EXPR_SUB && expr_is_pure(b) && expr_equal(a->args[1], b)) /* (x - y) + y */
        sum = a->args[0];
    else if (b->op == EXPR_SUB && expr_is_pure(a) && expr_equal(b->args[1], a))
        sum = b->args[0];
    else
        sum = binary_new(t, EXPR_ADD, a->type, a, b);
    return add_constant(t, sum, (int64_t)((uint64_t)ca + (uint64_t)cb));
}

static struct tree_expr *int_sub(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    int64_t ca, cb;
    if (b->op == EXPR_INT)
        return add_constant(t, a, (int64_t) - (uint64_t)b->i);
    b = split_constant(b, &cb);
    if (a->op == EXPR_INT) {
        struct tree_expr *c = expr_int(t, a->type, (int64_t)((uint64_t)a->i - (uint64_t)cb));
        return c->i == 0 ? expr_unary(t, EXPR_NEG, b) : binary_new(t, EXPR_SUB, a->type, c, b);
    }
    a = split_constant(a, &ca);
    struct tree_expr *rest;
    if (expr_is_pure(a) && expr_equal(a, b))
        rest = expr_int(t, a->type, 0);
    else if (a->op == EXPR_ADD && expr_is_pure(b) && expr_equal(a->args[0], b)) /* (x + y) - x */
        rest = a->args[1];
    else if (a->op == EXPR_ADD && expr_is_pure(b) && expr_equal(a->args[1], b))
        rest = a->args[0];
    else
        rest = binary_new(t, EXPR_SUB, a->type, a, b);
    return add_constant(t, rest, (int64_t)((uint64_t)ca - (uint64_t)cb));
}

static struct tree_expr *int_mul(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    if (a->op == EXPR_INT) {
        struct tree_expr *swap = a;
        a = b;
        b = swap;
    }
    if (b->op != EXPR_INT)
        return binary_new(t, EXPR_MUL, a->type, a, b);
    if (b->i == 1)
        return a;
    if (b->i == 0 && expr_is_pure(a))
        return b;
    if (a->op == EXPR_MUL && a->args[1]->op == EXPR_INT)
        return int_mul(t, a->args[0], expr_int(t, a->type, (int64_t)((uint64_t)a->args[1]->i * (uint64_t)b->i)));
    return binary_new(t, EXPR_MUL, a->type, a, b);
}

/* Identities of the other integer operators; NULL if none holds. */
static struct tree_expr *int_identity(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    bool same = expr_is_pure(a) && expr_equal(a, b);
    switch (op) {
    case EXPR_DIV:
        return expr_is_int(b, 1) ? a : NULL;
    case EXPR_REM:
        return expr_is_int(b, 1) && expr_is_pure(a) ? expr_int(t, a->type, 0) : NULL;
    case EXPR_AND:
        if (same)
            return a;
        return expr_is_int(b, 0) && expr_is_pure(a) ? b : expr_is_int(a, 0) && expr_is_pure(b) ? a : NULL;
    case EXPR_OR:
        return same || expr_is_int(b, 0) ? a : expr_is_int(a, 0) ? b : NULL;
    case EXPR_XOR:
        return expr_is_int(b, 0) ? a : expr_is_int(a, 0) ? b : NULL;
    case EXPR_SHL:
    case EXPR_SHR:
        return expr_is_int(b, 0) ? a : NULL;
    case EXPR_MIN:
    case EXPR_MAX:
        if (a->op == op && a->args[1]->op == EXPR_INT && b->op == EXPR_INT) /* min(min(x, 3), 2) */
            return expr_binary(t, op, a->args[0], expr_binary(t, op, a->args[1], b));
        return same ? a : NULL;
    default:
        return NULL;
    }
}

static struct tree_expr *int_binary(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    if (type_is_integer(a->type)) {
        if (op == EXPR_ADD)
            return int_add(t, a, b);
        if (op == EXPR_SUB)
            return int_sub(t, a, b);
        if (op == EXPR_MUL)
            return int_mul(t, a, b);
    }
    struct tree_expr *simple = int_identity(t, op, a, b);
    return simple ? simple : binary_new(t, op, a->type, a, b);
}

/* Only what holds for every value, signed zeros and not-a-numbers included. */
static struct tree_expr *float_binary(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    if ((op == EXPR_MUL || op == EXPR_DIV) && b->op == EXPR_FLOAT && b->f == 1)
        return a;
    if (op == EXPR_MUL && a->op == EXPR_FLOAT && a->f == 1)
        return b;
    if (op == EXPR_SUB && b->op == EXPR_FLOAT && expr_float_bits(b) == 0)
        return a;
    return binary_new(t, op, a->type, a, b);
}

static struct tree_expr *logical(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    bool decides = op == EXPR_LOGICAL_OR; /* the value that decides alone */
    if (a->op == EXPR_INT)
        return (a->i != 0) == decides ? a : b;
    if (b->op == EXPR_INT && ((b->i != 0) != decides || expr_is_pure(a)))
        return (b->i != 0) == decides ? b : a;
    if (expr_is_pure(a) && expr_equal(a, b))
        return a;
    return binary_new(t, op, a->type, a, b);
}

const struct type *tree_mask_type(struct tree *t, const struct type *vector)
{
    enum type_kind kind = TYPE_I8;
    if (vector->scalable)
        return type_scalable(t->ir, type_basic(t->ir, TYPE_BOOL), vector->lanes);
    while (type_basic(t->ir, kind)->size < vector->elem->size && kind < TYPE_I64)
        kind++;
    return type_vector(t->ir, type_basic(t->ir, kind), vector->lanes, vector->lanes_text);
}

static struct tree_expr *compare(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    if (a->op == EXPR_INT && b->op == EXPR_INT)
        return expr_bool(t, fold_compare_int(op, a->type, a->i, b->i));
    if (a->op == EXPR_FLOAT && b->op == EXPR_FLOAT)
        return expr_bool(t, fold_compare_float(op, a->f, b->f));
    if (a->type->kind == TYPE_VECTOR)
        return binary_new(t, op, tree_mask_type(t, a->type), a, b);
    bool total = a->type->kind == TYPE_BOOL || a->type->kind == TYPE_POINTER || type_is_integer(a->type);
    if (total && expr_is_pure(a) && expr_equal(a, b))
        return expr_bool(t, op == EXPR_EQ || op == EXPR_LE || op == EXPR_GE);
    if (a->type->kind == TYPE_BOOL && b->op == EXPR_INT && (op == EXPR_EQ || op == EXPR_NE))
        return (b->i != 0) == (op == EXPR_EQ) ? a : expr_unary(t, EXPR_NOT, a);
    return binary_new(t, op, type_basic(t->ir, TYPE_BOOL), a, b);
}

struct tree_expr *expr_binary(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    if (op >= EXPR_EQ && op <= EXPR_GE)
        return compare(t, op, a, b);
    int64_t i;
    double f;
    if (a->op == EXPR_INT && b->op == EXPR_INT && fold_int(op, a->type, a->i, b->i, &i))
        return expr_int(t, a->type, i);
    if (a->op == EXPR_FLOAT && b->op == EXPR_FLOAT && fold_float(op, a->type, a->f, b->f, &f))
        return expr_float(t, a->type, f);
    if (op == EXPR_LOGICAL_AND || op == EXPR_LOGICAL_OR)
        return logical(t, op, a, b);
    if (type_is_integer(a->type) || a->type->kind == TYPE_BOOL)
        return int_binary(t, op, a, b);
    if (type_is_float(a->type))
        return float_binary(t, op, a, b);
    return binary_new(t, op, a->type, a, b);
}
