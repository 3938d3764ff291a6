/* Binary operators: a + b + c, a and b and c, a < b < c. Such a chain is taken from the left by iteration, and its
 * value is kept in a variable every so often, so that no expression is as deep as the chain has terms. */
#include "lower/graph/code/code_gen.h"

enum { MOST_TERMS = 256 }; /* of one expression */

/* What is computed of a chain. */
struct chain {
    struct code_gen *g;
    struct tree_expr *value;
    uint32_t terms; /* in `value` */
    bool typeless;
    double number; /* if it is typeless */
};

static bool count_term(struct chain *n)
{
    if (!n->value)
        return false;
    if (++n->terms < MOST_TERMS || expr_is_const(n->value))
        return true;
    n->value = code_temp(n->g, "part", n->value);
    n->terms = 0;
    return true;
}

/* The value of what is evaluated next; what comes before it keeps its value. */
static struct tree_expr *next_operand(struct chain *n, const struct code *c)
{
    struct code_gen *g = n->g;
    struct tree_stmt *before = code_begin(g);
    struct tree_expr *e = code_eval(g, c);
    struct tree_stmt *made = code_end(g, before);
    uint32_t kept = 0;
    if (e)
        code_append_operand(g, made, &n->value, 1, &kept);
    return e;
}

/* and, or: the right side is evaluated only if it counts. */
static struct tree_expr *logical(struct code_gen *g, const struct code *c, struct tree_expr *a)
{
    const struct code *left = c->items[0], *right = c->items[1];
    bool is_or = c->op == CODE_OR;
    struct tree_stmt *before = code_begin(g);
    struct tree_expr *b = code_eval(g, right);
    bool vector = a->type->kind == TYPE_VECTOR || (b && b->type->kind == TYPE_VECTOR);
    if (b && !vector)
        b = code_truth(g, right, b);
    struct tree_stmt *made = code_end(g, before);
    if (!b)
        return NULL;
    if (vector) {
        stmt_append(g->t, g->out, made);
        return code_binary(g, c, c->op, a, b);
    }
    a = code_truth(g, left, a);
    if (!a || !made->items.count)
        return a ? expr_binary(g->t, is_or ? EXPR_LOGICAL_OR : EXPR_LOGICAL_AND, a, b) : NULL;
    struct tree_var *v = tree_var(g->t, "truth", code_basic(g, TYPE_BOOL));
    stmt_assign(g->t, g->out, v, a);
    struct tree_expr *result = expr_var(g->t, v);
    struct tree_stmt *s = stmt_if(g->t, g->out, is_or ? expr_unary(g->t, EXPR_NOT, result) : result);
    stmt_append(g->t, s->body, made);
    stmt_assign(g->t, s->body, v, b);
    return result;
}

/* math.pi takes the type of the other side. */
static struct tree_expr *typed(struct code_gen *g, double number, struct tree_expr *e, const struct type *other)
{
    const struct type *elem = other->kind == TYPE_VECTOR ? other->elem : other;
    return type_is_float(elem) || type_is_complex(elem) ? code_constant(g, other, number) : e;
}

static struct tree_expr *operate(struct chain *n, const struct code *c)
{
    struct code_gen *g = n->g;
    double number = n->number;
    bool arithmetic = c->op >= CODE_ADD && c->op <= CODE_DIV, left = arithmetic && n->typeless;
    if (arithmetic && code_typeless_binary(g, c, n->typeless, &number)) {
        n->typeless = true;
        n->number = number;
        return expr_float(g->t, code_basic(g, TYPE_F64), number);
    }
    n->typeless = false;
    if (c->op == CODE_AND || c->op == CODE_OR)
        return logical(g, c, n->value);
    if (c->op == CODE_POW)
        return code_power(g, c, n->value, c->items[1]);
    struct tree_expr *b = next_operand(n, c->items[1]), *a = n->value;
    if (!b)
        return NULL;
    if (left)
        a = typed(g, n->number, a, b->type);
    else if (arithmetic && code_typeless(g, c->items[1], &number))
        b = typed(g, number, b, a->type);
    return code_binary(g, c, c->op, a, b);
}

static bool compares_none(const struct code *c)
{
    bool none = c->items[0]->kind == CODE_NONE || c->items[1]->kind == CODE_NONE;
    return none && c->op >= CODE_LT && c->op <= CODE_ISNOT;
}

static struct tree_expr *binaries(struct chain *n, const struct code *c)
{
    struct code_gen *g = n->g;
    const struct code **nodes;
    uint32_t count = code_chain(g->arena, c, &nodes), begin = 0;
    while (begin < count && !compares_none(nodes[begin])) /* such a comparison evaluates its operands in its own way */
        begin++;
    if (begin < count) {
        const struct code *none = nodes[begin], *left = none->items[0];
        n->value = code_compare_none(g, none, none->op, none->items[1]->kind == CODE_NONE ? left : none->items[1]);
    } else {
        const struct code *first = nodes[count - 1]->items[0];
        n->value = code_eval(g, first);
        n->typeless = code_typeless(g, first, &n->number);
    }
    for (uint32_t i = begin; i > 0 && n->value; i--) {
        n->value = operate(n, nodes[i - 1]);
        if (!count_term(n))
            return NULL;
    }
    return n->value;
}

/* DaCe compiles a < b < c as (a < b) < c, so all operands are evaluated. */
static struct tree_expr *comparisons(struct chain *n, const struct code *c)
{
    n->value = code_eval(n->g, c->items[0]->items[0]);
    for (uint32_t i = 0; i < c->count && n->value; i++) {
        struct tree_expr *b = next_operand(n, c->items[i]->items[1]);
        n->value = b ? code_binary(n->g, c->items[i], c->items[i]->op, n->value, b) : NULL;
        if (!count_term(n))
            return NULL;
    }
    return n->value;
}

struct tree_expr *code_chain_value(struct code_gen *g, const struct code *c)
{
    struct chain n = { .g = g };
    return c->kind == CODE_BINARY ? binaries(&n, c) : comparisons(&n, c);
}
