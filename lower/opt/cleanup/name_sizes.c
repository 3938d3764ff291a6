/* Sums of sizes that stand in products get a variable: strides (N + 1) * K become s * K.
 *
 *     A[i * (N + 1) * K + j * K + k]      ->      s = N + 1
 *                                                 A[i * s * K + j * K + k]
 *
 * Legality: Parameters keep their values; the arithmetic is that of integers that wrap around.
 * Profitability: Always. Index expressions are compared as sums of products: multiplied out, the parts of such a stride
 * would be strides of their own. What the variable is stays known (tree_var). */
#include "lower/opt/passes.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_rows.h"

struct naming {
    struct tree *tree;
    struct tree_stmt *sizes; /* what gives them their values */
};

/* H - K + 1 rather than K - H - 1: extents are not negative. */
static bool is_negated(const struct linear *l)
{
    int64_t more = l->constant > 0 ? 1 : l->constant < 0 ? -1 : 0; /* positive terms than negative ones */
    for (uint32_t i = 0; i < l->count; i++)
        more += l->terms[i].times > 0 ? 1 : -1;
    return more < 0;
}

static struct tree_expr *variable_for(struct naming *w, const struct linear *sum)
{
    for (uint32_t i = 0; i < w->sizes->items.count; i++) {
        struct linear known;
        linear_of(&known, w->sizes->items.items[i]->value);
        if (linear_equal(&known, sum))
            return expr_var(w->tree, w->sizes->items.items[i]->var);
    }
    struct tree_expr *value = linear_expr(w->tree, sum);
    struct tree_var *v = tree_var(w->tree, "size", value->type);
    v->size = value;
    stmt_assign(w->tree, w->sizes, v, value);
    return expr_var(w->tree, v);
}

/* A factor that is a sum, by its name; others are what they are. */
static struct tree_expr *name_factor(struct naming *w, struct tree_expr *e)
{
    struct linear factor, sum;
    if (!tree_is_size(w->tree, e))
        return e;
    linear_of(&factor, e);
    int64_t sign = is_negated(&factor) ? -1 : 1;
    linear_constant(&sum, 0);
    linear_add(&sum, &factor, sign);
    if (!sum.known || sum.count + (sum.constant != 0) < 2)
        return e;
    return expr_binary(w->tree, EXPR_MUL, variable_for(w, &sum), expr_i64(w->tree, sign));
}

static struct tree_expr *name_factors(void *user, struct tree_expr *e)
{
    struct naming *w = user;
    if (e->op != EXPR_MUL || e->type->kind != TYPE_I64 || e->args[0]->op == EXPR_INT || e->args[1]->op == EXPR_INT)
        return e;
    struct tree_expr *a = name_factor(w, e->args[0]), *b = name_factor(w, e->args[1]);
    return a == e->args[0] && b == e->args[1] ? e : expr_binary(w->tree, EXPR_MUL, a, b);
}

static bool name_stmt(void *user, struct tree_stmt *s)
{
    struct naming *w = user;
    stmt_rewrite(w->tree, s, name_factors, w);
    if (s->kind == STMT_ALLOC && s->var->elements)
        s->var->elements = expr_rewrite(w->tree, s->var->elements, name_factors, w);
    return true;
}

bool opt_name_sizes(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        if (!tree_func_is_main(f))
            continue;
        struct naming w = { t, stmt_block(t) };
        stmt_visit(f->body, name_stmt, &w);
        if (w.sizes->items.count == 0)
            continue;
        for (uint32_t k = 0; k < f->body->items.count; k++)
            stmt_append(t, w.sizes, f->body->items.items[k]);
        f->body->items = w.sizes->items;
    }
    return true;
}
