/* Expressions of a loop in vectors: one lane for each iteration. */
#include "lower/opt/vectors/vectorize.h"

#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_linear.h"

const struct type *lanes_type(const struct vectorize *v, const struct type *element)
{
    return type_scalable(v->tree->ir, element, VSCALE_BYTES / v->bytes);
}

static struct tree_expr *cannot(struct vectorize *v, const char *why)
{
    lanes_obstacle(v, why);
    return NULL;
}

static bool has_lanes(const struct type *t)
{
    return t->kind == TYPE_BOOL || type_is_integer(t) || type_is_complex(t) ||
           (type_is_float(t) && t->kind != TYPE_F8E4M3 && t->kind != TYPE_F8E5M2);
}

static struct tree_expr *splat(struct vectorize *v, struct tree_expr *e)
{
    return expr_splat(v->tree, lanes_type(v, e->type), e);
}

static struct tree_expr *inverse(struct vectorize *v, struct tree_expr *mask)
{
    return expr_binary(v->tree, EXPR_XOR, mask, splat(v, expr_bool(v->tree, true)));
}

/* ---- memory ---- */

/* What does not change, and the number of the iteration: the emitter adds the former outside of the loop. */
static struct tree_expr *neighbours(struct vectorize *v, struct tree_expr *first)
{
    struct linear rest, count;
    linear_of(&rest, first);
    linear_of(&count, v->count);
    linear_add(&rest, &count, -1);
    return rest.known ? expr_binary(v->tree, EXPR_ADD, linear_expr(v->tree, &rest), v->count) : first;
}

struct tree_expr *lanes_place(struct vectorize *v, const struct lane_index *at, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    const struct type *indices = lanes_type(v, type_basic(t->ir, TYPE_I64));
    switch (at->shape) {
    case LANES_UNIT:
        return neighbours(v, lanes_first(v, at->index));
    case LANES_STRIDED:
        return expr_steps(t, indices, lanes_first(v, at->index), at->stride);
    case LANES_SAME:
        return expr_splat(t, indices, lanes_first(v, at->index));
    default:
        return lanes_of(v, at->index, mask);
    }
}

static struct tree_expr *load(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    if (!tree_scan_invariant(&v->scan, e->args[0]))
        return cannot(v, "it loads through pointers that differ from iteration to iteration");
    struct lane_index at = lanes_index(v, e->args[1]);
    if (at.shape == LANES_SAME && mask == v->active)
        return splat(v, expr_load(t, e->type, e->args[0], lanes_first(v, at.index), e->alias));
    struct tree_expr *place = lanes_place(v, &at, mask);
    return place ? expr_masked(t, lanes_type(v, e->type), e->args[0], place, mask, e->alias) : NULL;
}

static struct tree_expr *variable(struct vectorize *v, struct tree_expr *e)
{
    struct lane_variable *x = lanes_variable(v, e->var);
    if (e->var == v->loop->var || (x && x->index)) {
        struct lane_index at = lanes_index(v, e);
        struct tree_expr *first = lanes_first(v, at.index);
        if (at.shape == LANES_SAME)
            return splat(v, first);
        if (at.shape == LANES_INDEXED)
            return lanes_of(v, at.index, v->active);
        struct tree_expr *stride = at.shape == LANES_UNIT ? expr_i64(v->tree, 1) : at.stride;
        return expr_steps(v->tree, lanes_type(v, e->type), first, stride);
    }
    if (!x)
        return splat(v, e);
    return x->vector ? expr_var(v->tree, x->vector) : cannot(v, "a variable has no value yet where it is used");
}

/* ---- operators ---- */

/* The right side only where the left one decides nothing. */
static struct tree_expr *logical(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    bool is_and = e->op == EXPR_LOGICAL_AND;
    struct tree_expr *a = lanes_of(v, e->args[0], mask);
    struct tree_expr *needed = a ? expr_binary(t, EXPR_AND, mask, is_and ? a : inverse(v, a)) : NULL;
    struct tree_expr *b = a ? lanes_of(v, e->args[1], needed) : NULL;
    return b ? expr_binary(t, is_and ? EXPR_AND : EXPR_OR, a, b) : NULL;
}

static struct tree_expr *choice(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    struct tree_expr *c = lanes_of(v, e->args[0], mask);
    struct tree_expr *a = c ? lanes_of(v, e->args[1], expr_binary(t, EXPR_AND, mask, c)) : NULL;
    struct tree_expr *b = a ? lanes_of(v, e->args[2], expr_binary(t, EXPR_AND, mask, inverse(v, c))) : NULL;
    return b ? expr_select(t, c, a, b) : NULL;
}

static struct tree_expr *binary(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree_expr *a = lanes_of(v, e->args[0], mask), *b = a ? lanes_of(v, e->args[1], mask) : NULL;
    return b ? expr_binary(v->tree, e->op, a, b) : NULL;
}

/* What is no instruction goes through a library's vector form, or lane by lane. */
static struct tree_expr *math(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree_expr *args[3];
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!(args[i] = lanes_of(v, e->args[i], mask)))
            return NULL;
    return expr_math(v->tree, e->math, args);
}

/* Lane by lane, also of those that are not active: a pure function has no effects. */
static struct tree_expr *call(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree_expr *args[3];
    if (!callee_is_pure(tree_callee(e->name)) || e->num_args > 3)
        return cannot(v, arena_printf(v->tree->arena, "it calls %s, which vectors have no code for", e->name));
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!(args[i] = lanes_of(v, e->args[i], mask)))
            return NULL;
    return expr_call(v->tree, lanes_type(v, e->type), e->name, args, e->num_args);
}

static struct tree_expr *complex_number(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree_expr *re = lanes_of(v, e->args[0], mask), *im = re ? lanes_of(v, e->args[1], mask) : NULL;
    return im ? expr_complex(v->tree, re, im) : NULL;
}

static struct tree_expr *of_operand(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    struct tree_expr *a = lanes_of(v, e->args[0], mask);
    if (!a)
        return NULL;
    if (e->op == EXPR_NOT)
        return inverse(v, a);
    if (e->op == EXPR_CAST)
        return expr_cast(v->tree, lanes_type(v, e->type), a);
    if (e->op == EXPR_BITS)
        return expr_bits(v->tree, lanes_type(v, e->type), a);
    return expr_unary(v->tree, e->op, a);
}

struct tree_expr *lanes_of(struct vectorize *v, struct tree_expr *e, struct tree_expr *mask)
{
    if (!has_lanes(e->type) || (e->num_args && !has_lanes(e->args[0]->type) && e->op != EXPR_LOAD))
        return cannot(v, "it has values of a type that vectors do not have");
    if (tree_scan_invariant(&v->scan, e))
        return splat(v, e);
    if (e->op >= EXPR_EQ && e->op <= EXPR_GE)
        return binary(v, e, mask);
    if (e->op >= EXPR_ADD && e->op <= EXPR_MAX)
        return binary(v, e, mask);
    switch (e->op) {
    case EXPR_VAR:
        return variable(v, e);
    case EXPR_LOAD:
        return load(v, e, mask);
    case EXPR_NEG:
    case EXPR_NOT:
    case EXPR_BITNOT:
    case EXPR_CAST:
    case EXPR_BITS:
    case EXPR_REAL:
    case EXPR_IMAG:
        return of_operand(v, e, mask);
    case EXPR_LOGICAL_AND:
    case EXPR_LOGICAL_OR:
        return logical(v, e, mask);
    case EXPR_SELECT:
        return choice(v, e, mask);
    case EXPR_MATH:
        return math(v, e, mask);
    case EXPR_COMPLEX:
        return complex_number(v, e, mask);
    case EXPR_CALL:
        return call(v, e, mask);
    default:
        return cannot(v, "vectors have no code for an expression of it");
    }
}
