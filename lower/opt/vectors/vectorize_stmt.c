/* Statements of a loop in vectors: branches become masks. */
#include "lower/opt/vectors/vectorize.h"

#include "lower/opt/registers/reduction.h"

/* An expression that is used several times, in a variable. */
static struct tree_expr *keep(struct vectorize *v, struct tree_stmt *out, const char *name, struct tree_expr *e)
{
    struct tree_var *x = tree_var(v->tree, name, e->type);
    stmt_assign(v->tree, out, x, e);
    return expr_var(v->tree, x);
}

/* The value in the lanes of the mask, `before` in the other active ones: what lanes without iterations hold does not
 * matter. */
static struct tree_expr *blended(struct vectorize *v, struct tree_expr *mask, struct tree_expr *value,
                                 struct tree_expr *before)
{
    return mask == v->others ? expr_select(v->tree, v->condition, before, value)
                             : expr_select(v->tree, mask, value, before);
}

/* x = x op e in the lanes of the mask; a sum in order goes through them at once. */
static bool accumulate(struct vectorize *v, struct lane_variable *x, struct tree_stmt *s, struct tree_stmt *out,
                       struct tree_expr *mask)
{
    struct tree *t = v->tree;
    struct tree_expr *term = lanes_of(v, s->value->args[1], mask);
    if (!term)
        return false;
    if (x->ordered) {
        if (s->value->op == EXPR_SUB)
            term = expr_unary(t, EXPR_NEG, term);
        struct tree_expr *nothing = expr_splat(t, term->type, reduce_identity(t, WCR_SUM, x->var->type));
        struct tree_expr *sum = expr_ordered_sum(t, expr_var(t, x->var), expr_select(t, mask, term, nothing));
        stmt_assign(t, out, x->var, sum)->place = s->place;
        return true;
    }
    enum expr_op op = s->value->op == EXPR_SUB ? EXPR_SUB : x->accumulates;
    struct tree_expr *before = expr_var(t, x->vector);
    struct tree_var *next = tree_var(t, x->var->name, x->vector->type);
    struct tree_stmt *step = stmt_assign(t, out, next, expr_binary(t, op, before, term));
    step->reassociate = s->reassociate;
    step->place = s->place;
    stmt_assign(t, out, x->vector, expr_select(t, mask, expr_var(t, next), before))->place = s->place;
    return true;
}

static bool assign(struct vectorize *v, struct tree_stmt *s, struct tree_stmt *out, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    struct lane_variable *x = lanes_variable(v, s->var);
    if (x->index)
        return true;
    if (x->step) {
        lanes_step(v, x, out);
        return true;
    }
    if (x->accumulates)
        return accumulate(v, x, s, out, mask);
    struct tree_expr *value = lanes_of(v, s->value, mask);
    if (!value)
        return false;
    if (x->vector && mask != v->active)
        value = blended(v, mask, value, expr_var(t, x->vector));
    if (!x->vector)
        x->vector = tree_var(t, s->var->name, value->type);
    struct tree_stmt *made = stmt_assign(t, out, x->vector, value);
    made->reassociate = s->reassociate && mask == v->active;
    made->place = s->place;
    return true;
}

static enum expr_op operation(enum wcr_kind wcr)
{
    switch (wcr) {
    case WCR_SUM:
        return EXPR_ADD;
    case WCR_PRODUCT:
        return EXPR_MUL;
    case WCR_MIN:
        return EXPR_MIN;
    case WCR_MAX:
        return EXPR_MAX;
    case WCR_BIT_AND:
        return EXPR_AND;
    case WCR_BIT_OR:
        return EXPR_OR;
    case WCR_BIT_XOR:
        return EXPR_XOR;
    default:
        return EXPR_INT;
    }
}

static bool store(struct vectorize *v, struct tree_stmt *s, struct tree_stmt *out, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    if (map_has(&v->appends, s))
        return lanes_append(v, s, out, mask);
    if (!tree_scan_invariant(&v->scan, s->pointer))
        return lanes_obstacle(v, "it stores through pointers that differ from iteration to iteration");
    struct lane_index at = lanes_index(v, s->index);
    if (at.shape == LANES_SAME)
        return lanes_obstacle(v, "its iterations store into the same element");
    if (s->kind == STMT_REDUCE && (at.shape == LANES_INDEXED || operation(s->wcr) == EXPR_INT))
        return lanes_obstacle(v, "its iterations may reduce into the same element");
    struct tree_expr *value = lanes_of(v, s->value, mask), *place = value ? lanes_place(v, &at, mask) : NULL;
    if (!place)
        return false;
    if (s->kind == STMT_REDUCE) {
        struct tree_expr *old = expr_masked(t, value->type, s->pointer, place, mask, s->alias);
        value = expr_binary(t, operation(s->wcr), old, value);
    }
    stmt_masked(t, out, s->pointer, place, mask, value, s->alias)->place = s->place;
    return true;
}

/* Under a condition that is the same for all lanes the branch stays one. */
static bool branch(struct vectorize *v, struct tree_stmt *s, struct tree_stmt *out, struct tree_expr *mask)
{
    struct tree *t = v->tree;
    if (tree_scan_invariant(&v->scan, s->value)) {
        struct tree_stmt *made = stmt_if(t, out, s->value);
        made->place = s->place;
        return lanes_body(v, s->body, made->body, mask) &&
               (!s->otherwise || lanes_body(v, s->otherwise, made->otherwise, mask));
    }
    struct tree_expr *condition = lanes_of(v, s->value, mask);
    if (!condition)
        return false;
    condition = keep(v, out, "condition", condition);
    struct tree_expr *some = keep(v, out, "mask", expr_binary(t, EXPR_AND, mask, condition));
    if (!lanes_body(v, s->body, out, some))
        return false;
    if (!s->otherwise || !s->otherwise->items.count)
        return true;
    struct tree_expr *yes = expr_splat(t, condition->type, expr_bool(t, true));
    struct tree_expr *others = expr_binary(t, EXPR_AND, mask, expr_binary(t, EXPR_XOR, condition, yes));
    others = keep(v, out, "mask", others);
    if (mask == v->active) {
        v->others = others;
        v->condition = condition;
    }
    return lanes_body(v, s->otherwise, out, others);
}

bool lanes_body(struct vectorize *v, struct tree_stmt *body, struct tree_stmt *out, struct tree_expr *mask)
{
    if (body->kind != STMT_BLOCK)
        return lanes_obstacle(v, "vectors have no code for a statement of it");
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        bool good = s->kind == STMT_BLOCK    ? lanes_body(v, s, out, mask)
                    : s->kind == STMT_ASSIGN ? assign(v, s, out, mask)
                    : s->kind == STMT_IF     ? branch(v, s, out, mask)
                                             : store(v, s, out, mask);
        if (!good)
            return false;
    }
    return true;
}
