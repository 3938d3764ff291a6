/* Inner products that are not part of a larger idiom become library calls, also the share of one thread.
 *
 *     for i = first to last {                 dot(last - first, &x[first], &y[first], &sum)
 *         acc = acc + x[i] * y[i]      ->     acc = acc + sum
 *     }
 *
 * Legality: The sum may be re-associated.
 * Profitability: Loops without other loops around them in the same nest. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

enum { SHORTEST = 256, SHORTEST_COMPLEX = 32 /* iterations, if they are known */ };

struct dots {
    struct tree *tree;
    struct tree_whole whole;
};

/* The address of the first element of a factor; NULL if its elements do not lie side by side. */
static struct tree_expr *factor(struct tree *t, const struct tree_stmt *loop, const struct tree_scan *scan,
                                const struct tree_expr *e)
{
    struct linear at;
    int64_t times = 0;
    if (e->op != EXPR_LOAD || !tree_scan_invariant(scan, e->args[0]))
        return NULL;
    linear_of(&at, e->args[1]);
    if (!at.known || !linear_take(&at, loop->var, &times) || times != 1)
        return NULL;
    return expr_offset(t, e->args[0], expr_binary(t, EXPR_ADD, linear_expr(t, &at), loop->begin));
}

static bool is_long(const struct tree_stmt *loop, const struct type *type)
{
    return !loop_has_constant_bounds(loop) || loop_span(loop) >= (type_is_complex(type) ? SHORTEST_COMPLEX : SHORTEST);
}

static void call(struct tree *t, struct tree_stmt *loop, struct tree_stmt *sum, struct tree_expr *x,
                 struct tree_expr *y)
{
    const struct type *type = sum->var->type;
    struct tree_stmt *block = stmt_block(t);
    struct tree_expr *result = stmt_address_of(t, block, expr_zero(t, type)), *one = expr_i64(t, 1);
    uint32_t alias = t->num_aliases - 1; /* of that place */
    struct tree_expr *args[] = { expr_context(t),
                                 expr_int(t, type_basic(t->ir, TYPE_I32), tree_product_type(type)),
                                 expr_binary(t, EXPR_SUB, loop->end, loop->begin),
                                 x,
                                 one,
                                 y,
                                 one,
                                 result };
    stmt_call(t, block, NULL, "sdfg_rt_dot", args, sizeof args / sizeof *args)->place = sum->place;
    struct tree_expr *terms = expr_load(t, type, result, expr_i64(t, 0), alias);
    stmt_assign(t, block, sum->var, expr_binary(t, EXPR_ADD, expr_var(t, sum->var), terms))->place = sum->place;
    remark(t->ir->remarks, loop->place, remark_subject(t, loop), REMARK_LIBRARY_CALL, "dot");
    *loop = *block;
}

static void try_loop(struct dots *d, struct tree_stmt *loop)
{
    struct tree *t = d->tree;
    struct tree_scan scan = { .arena = t->scratch };
    struct tree_stmt *s = loop->body->items.count == 1 ? loop->body->items.items[0] : NULL;
    if (!s || s->kind != STMT_ASSIGN || !s->reassociate || loop->loop.parallel || !expr_is_int(loop->step, 1) ||
        loop->var->type->kind != TYPE_I64 || tree_product_type(s->var->type) < 0 || !is_long(loop, s->var->type))
        return;
    const struct tree_expr *e = s->value;
    bool sum = e->op == EXPR_ADD && e->args[0]->op == EXPR_VAR && e->args[0]->var == s->var;
    if (!sum || e->args[1]->op != EXPR_MUL)
        return;
    tree_scan_add(&scan, loop);
    struct tree_expr *x = factor(t, loop, &scan, e->args[1]->args[0]);
    struct tree_expr *y = x ? factor(t, loop, &scan, e->args[1]->args[1]) : NULL;
    if (y && map_get(&scan.uses, loop->var) == map_get(&tree_whole(&d->whole)->uses, loop->var)) /* not behind it */
        call(t, loop, s, x, y);
}

static void look(struct dots *d, struct tree_stmt *s)
{
    struct tree *t = d->tree;
    const struct tree_stmt *around = t->region;
    if (s->kind == STMT_FOR)
        try_loop(d, s);
    if (s->kind != STMT_BLOCK && s->kind != STMT_IF && s->kind != STMT_PARALLEL)
        return;
    if (s->kind == STMT_PARALLEL)
        t->region = s;
    struct tree_stmt *const parts[] = { s->body, s->otherwise };
    for (int i = 0; i < 2; i++)
        if (parts[i])
            look(d, parts[i]);
    for (uint32_t i = 0; i < s->items.count; i++)
        look(d, s->items.items[i]);
    t->region = around;
}

bool opt_dot(struct tree *t, const struct tree_options *o)
{
    for (uint32_t i = 0; !o->strict_fp && i < t->functions.count; i++) {
        struct dots d = { .tree = t, .whole = { t, t->functions.items[i], { 0 } } };
        look(&d, t->functions.items[i]->body);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
