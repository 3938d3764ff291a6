/* Indices of a loop that becomes vectors: how they go from iteration to iteration. */
#include "lower/opt/vectors/vectorize.h"

#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

bool lanes_is_index(const struct vectorize *v, const struct tree_expr *e)
{
    if (e->op == EXPR_LOAD || e->op == EXPR_CALL)
        return false;
    if (e->op == EXPR_VAR && e->var != v->loop->var && map_has(&v->scan.assigned, e->var))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!lanes_is_index(v, e->args[i]))
            return false;
    return true;
}

static struct tree_expr *replace_variable(void *user, struct tree_expr *e)
{
    const struct vectorize *v = user;
    struct lane_variable *x = e->op == EXPR_VAR ? lanes_variable(v, e->var) : NULL;
    return x && x->index ? x->index : e;
}

struct tree_expr *lanes_substitute(struct vectorize *v, struct tree_expr *e)
{
    return expr_rewrite(v->tree, e, replace_variable, v);
}

/* ---- from iteration to iteration ---- */

/* The next iteration's index less this one's. */
static bool take_stride(const struct vectorize *v, const struct linear *at, struct linear *stride)
{
    struct linear next, step;
    linear_of(&next, expr_var(v->tree, v->loop->var));
    linear_of(&step, v->loop->step);
    linear_add(&next, &step, 1);
    linear_replace(stride, at, v->loop->var, &next);
    linear_add(stride, at, -1);
    return stride->known && !linear_has(stride, v->loop->var);
}

struct lane_index lanes_index(struct vectorize *v, struct tree_expr *index)
{
    struct lane_index x = { .shape = LANES_INDEXED, .index = lanes_substitute(v, index) };
    struct linear at, stride;
    if (!lanes_is_index(v, x.index))
        return x;
    if (!expr_mentions(x.index, v->loop->var)) {
        x.shape = LANES_SAME;
        return x;
    }
    linear_of(&at, x.index);
    if (!at.known || !take_stride(v, &at, &stride))
        return x;
    if (linear_is_constant(&stride) && (stride.constant == 0 || stride.constant == 1)) {
        x.shape = stride.constant ? LANES_UNIT : LANES_SAME;
        return x;
    }
    x.shape = LANES_STRIDED;
    x.stride = linear_expr(v->tree, &stride);
    return x;
}

struct first {
    const struct tree_var *counter;
    struct tree_expr *value;
};

static struct tree_expr *replace_counter(void *user, struct tree_expr *e)
{
    const struct first *f = user;
    return e->op == EXPR_VAR && e->var == f->counter ? f->value : e;
}

struct tree_expr *lanes_first(struct vectorize *v, struct tree_expr *e)
{
    struct tree *t = v->tree;
    struct tree_expr *i = expr_binary(t, EXPR_MUL, v->count, v->loop->step);
    struct first f = { v->loop->var, v->offset ? expr_binary(t, EXPR_ADD, v->loop->begin, i) : i };
    return expr_rewrite(t, e, replace_counter, &f);
}
