/* Nests that set contiguous memory to zero become one statement, a memset of the device instead of a kernel.
 *
 *     for i = 0 to M parallel { for j = 0 to N parallel { A[j + N * i] = 0.0 } }
 *         ->
 *     zero float64[max(M, 0) * max(N, 0)] at &A[0]
 *
 * Legality: The nest does nothing else, and its iterations store to consecutive elements: the strides of the loops are
 * 1 and the products of the trip counts of the loops with smaller strides. Profitability: Nests outside of all loops,
 * which would be kernels of their own. */
#include "lower/opt/contiguous.h"
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_rewrite.h"

#include <math.h>

struct clearing {
    struct tree *tree;
    struct tree_whole whole; /* the function */
};

static bool is_zero(const struct tree_expr *e)
{
    return e->op == EXPR_INT ? e->i == 0 : e->op == EXPR_FLOAT && e->f == 0 && !signbit(e->f);
}

/* Stores of zeros, and assignments of constants for them to variables that nobody else reads. */
static bool stores_zeros(struct clearing *w, const struct contiguous_nest *c)
{
    bool stores = false;
    for (uint32_t i = 0; i < c->body->items.count; i++) {
        const struct tree_stmt *s = c->body->items.items[i];
        bool constant = s->kind == STMT_ASSIGN && expr_is_const(s->value);
        bool zero =
            s->kind == STMT_STORE && s->pointer->type->elem == s->value->type && is_zero(contiguous_value(c, s));
        if (!constant && !zero)
            return false;
        stores |= zero;
    }
    return stores && contiguous_is_closed(c, tree_whole(&w->whole));
}

static void clear(struct tree *t, const struct contiguous_nest *c, struct tree_stmt *nest)
{
    struct tree_stmt *out = stmt_block(t);
    for (uint32_t i = 0; i < c->body->items.count; i++) {
        const struct tree_stmt *s = c->body->items.items[i];
        struct linear first;
        if (s->kind != STMT_STORE)
            continue;
        if (!contiguous_first(c, s, &first))
            return;
        struct tree_expr *at = expr_offset(t, s->pointer, linear_expr(t, &first));
        stmt_zero(t, out, s->value->type, at, s->alias, contiguous_elements(c))->place = nest->place;
    }
    remark(t->ir->remarks, nest->place, remark_subject(t, nest), REMARK_CLEARED);
    *nest = *out;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct clearing *w = user;
    struct contiguous_nest c;
    if (s->kind != STMT_FOR)
        return !stmt_is_loop(s) && s->kind != STMT_PARALLEL;
    if (s->loop.level == TREE_HOST && contiguous_nest_of(&c, w->tree, s) && stores_zeros(w, &c))
        clear(w->tree, &c, s);
    return false;
}

bool opt_memset(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct clearing w = { .tree = t, .whole = { .tree = t, .func = f } };
    if (o->plain || o->counting)
        return true;
    stmt_visit(f->body, look, &w);
    stmt_flatten(t, f->body);
    return true;
}
