/* Loops of a sum become one where all that they load follows each other through both.
 *
 *     for y = 0 to K {                               for yx = 0 to max(K, 0) * max(C, 0) {
 *         for x = 0 to C {                   ->          c += A[yx] * B[row + yx]
 *             c += A[y * C + x] * B[row + y * C + x]
 *         }
 *     }
 *
 * Inner loops of a few iterations, as many as a call says, cost as much as what is in them. Those of constant length
 * stay: they are unrolled. */
#include "lower/opt/locality/pack.h"
#include "lower/tree/tree_rewrite.h"

struct join {
    struct tree *tree;
    const struct tree_var *outer, *inner;
    struct tree_expr *count; /* iterations of the inner loop */
    bool apart;              /* something does not follow */
};

static void find_use(void *user, struct tree_expr *e)
{
    struct join *j = user;
    j->apart |= e->op == EXPR_VAR && (e->var == j->outer || e->var == j->inner);
}

/* Takes the terms with the variable out; false if it is not a plain factor of them. */
static bool take_factor(struct linear *l, const struct tree_var *v, struct linear *times)
{
    linear_constant(times, 0);
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear one = { .known = true, .count = 1, .terms = { l->terms[i] } };
        struct linear_term *term = &one.terms[0];
        uint32_t k = 0;
        while (k < term->count && !(term->factors[k]->op == EXPR_VAR && term->factors[k]->var == v))
            k++;
        if (k == term->count)
            continue;
        term->factors[k] = term->factors[--term->count];
        if (term->count == 0)
            linear_constant(&one, term->times);
        linear_add(times, &one, 1);
        l->terms[i--] = l->terms[--l->count];
    }
    return times->known;
}

/* Is one iteration of the outer loop as far as all of the inner one? */
static void see_place(struct join *j, struct tree_expr *index)
{
    struct linear at, by_outer, by_inner, all;
    linear_of(&at, index);
    if (!at.known || !take_factor(&at, j->outer, &by_outer) || !take_factor(&at, j->inner, &by_inner)) {
        j->apart = true;
        return;
    }
    linear_of(&all, expr_binary(j->tree, EXPR_MUL, linear_expr(j->tree, &by_inner), j->count));
    j->apart |= !linear_equal(&all, &by_outer);
    expr_visit(linear_expr(j->tree, &at), find_use, j);
    expr_visit(linear_expr(j->tree, &by_outer), find_use, j);
    expr_visit(linear_expr(j->tree, &by_inner), find_use, j);
}

static void see_value(struct join *j, struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        find_use(j, e);
    for (uint32_t i = 0; i < e->num_args && !j->apart; i++) {
        if (e->op == EXPR_LOAD && i == 1)
            see_place(j, e->args[i]);
        else
            see_value(j, e->args[i]);
    }
}

static void see_operand(void *user, struct tree_expr **e) { see_value(user, *e); }

static bool see_stmt(void *user, struct tree_stmt *s)
{
    struct join *j = user;
    stmt_each_expr(s, see_operand, j);
    return !j->apart;
}

static struct tree_expr *trips(struct tree *t, const struct tree_stmt *loop)
{
    return expr_binary(t, EXPR_SUB, loop->end, loop->begin);
}

static struct tree_expr *natural(struct tree *t, struct tree_expr *e)
{
    return expr_binary(t, EXPR_MAX, e, expr_i64(t, 0));
}

static struct tree_expr *first_outer(void *user, struct tree_expr *e)
{
    const struct tree_stmt *outer = user;
    return e->op == EXPR_VAR && e->var == outer->var ? outer->begin : e;
}

static bool try_join(struct pack *p, uint32_t k)
{
    struct tree *t = p->tree;
    struct tree_stmt *outer = p->sums[k], *inner = p->sums[k + 1];
    struct join j = { .tree = t, .outer = outer->var, .inner = inner->var, .count = trips(t, inner) };
    if (outer->body->items.count != 1 || j.count->op == EXPR_INT)
        return false;
    stmt_visit(inner->body, see_stmt, &j);
    if (j.apart)
        return false;
    struct tree_expr *all = expr_binary(t, EXPR_MUL, natural(t, trips(t, outer)), natural(t, j.count));
    inner->end = expr_binary(t, EXPR_ADD, inner->begin, all);
    stmt_substitute(t, inner->body, outer->var, outer->begin);
    for (uint32_t i = 0; i < p->num_packed; i++)
        p->packed[i] = expr_rewrite(t, p->packed[i], first_outer, outer);
    p->num_sums--;
    for (uint32_t i = k; i < p->num_sums; i++)
        p->sums[i] = p->sums[i + 1];
    return true;
}

void pack_join_sums(struct pack *p)
{
    for (uint32_t k = p->num_sums - 1; k-- > 0;)
        try_join(p, k);
}
