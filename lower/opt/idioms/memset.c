/* Nests that set contiguous memory to zero become one statement, a memset of the device instead of a kernel.
 *
 *     for i = 0 to M parallel { for j = 0 to N parallel { A[j + N * i] = 0.0 } }
 *         ->
 *     zero float64[max(M, 0) * max(N, 0)] at &A[0]
 *
 * Legality: The nest does nothing else, and its iterations store to consecutive elements: the strides of the loops are
 * 1 and the products of the trip counts of the loops with smaller strides. Profitability: Nests outside of all loops,
 * which would be kernels of their own. */
#include "lower/opt/passes.h"
#include "lower/opt/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"
#include "lower/tree/tree_shape.h"

#include <math.h>

enum { MOST_LOOPS = 8 };

struct clearing {
    struct tree *tree;
    struct tree_whole whole; /* the function */
    /* the nest at hand */
    const struct tree_stmt *loops[MOST_LOOPS];
    uint32_t count;
    const struct tree_stmt *body; /* of the innermost loop */
    struct tree_scan scan;
};

/* ---- which nests ---- */

static bool is_zero(const struct tree_expr *e)
{
    return e->op == EXPR_INT ? e->i == 0 : e->op == EXPR_FLOAT && e->f == 0 && !signbit(e->f);
}

/* What the store stores: a variable's value is the last one that the body has given it. */
static const struct tree_expr *value_of(const struct clearing *c, const struct tree_stmt *store)
{
    const struct tree_expr *found = store->value;
    for (uint32_t i = 0; c->body->items.items[i] != store; i++) {
        const struct tree_stmt *s = c->body->items.items[i];
        if (s->kind == STMT_ASSIGN && store->value->op == EXPR_VAR && s->var == store->value->var)
            found = s->value;
    }
    return found;
}

/* Independent loops in each other. */
static bool find_loops(struct clearing *c, const struct tree_stmt *s)
{
    for (c->count = 0;; s = s->body->items.items[0]) {
        if (c->count == MOST_LOOPS || !loop_counts_by_one(s) || !(s->loop.parallel || s->loop.independent))
            return false;
        c->loops[c->count++] = s;
        c->body = s->body;
        if (s->body->items.count != 1 || s->body->items.items[0]->kind != STMT_FOR)
            return s->body->items.count > 0;
    }
}

/* Stores of zeros, and assignments of constants for them to variables that nobody else reads. */
static bool stores_zeros(struct clearing *c)
{
    bool stores = false;
    for (uint32_t i = 0; i < c->body->items.count; i++) {
        const struct tree_stmt *s = c->body->items.items[i];
        bool constant = s->kind == STMT_ASSIGN && expr_is_const(s->value);
        bool zero = s->kind == STMT_STORE && s->pointer->type->elem == s->value->type && is_zero(value_of(c, s));
        if (!constant && !zero)
            return false;
        stores |= zero;
    }
    const struct tree_scan *whole = tree_whole(&c->whole);
    for (uint32_t i = 0; i < c->scan.assigned.count; i++) {
        const struct tree_var *v = c->scan.assigned.slots[i].key;
        if (map_get(&c->scan.uses, v) != map_get(&whole->uses, v))
            return false;
    }
    return stores;
}

/* ---- contiguous places ---- */

static struct tree_expr *trips(struct tree *t, const struct tree_stmt *loop)
{
    return expr_binary(t, EXPR_SUB, loop->end, loop->begin);
}

/* Do the iterations store to all elements of a range, of which `first` is the index of the first? */
static bool is_contiguous(struct clearing *c, const struct tree_stmt *store, struct linear *first)
{
    struct tree *t = c->tree;
    struct tree_expr *stride = expr_i64(t, 1);
    bool done[MOST_LOOPS] = { false };
    linear_of(first, store->index);
    if (!first->known || !tree_scan_invariant(&c->scan, store->pointer))
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t l = 0;
        while (l < c->count && (done[l] || !linear_grows_by(t, first, c->loops[l]->var, stride)))
            l++;
        if (l == c->count)
            return false;
        done[l] = true;
        stride = expr_binary(t, EXPR_MUL, stride, trips(t, c->loops[l]));
    }
    for (uint32_t l = 0; l < c->count; l++) {
        struct linear begin, moved;
        linear_of(&begin, c->loops[l]->begin);
        linear_replace(&moved, first, c->loops[l]->var, &begin);
        linear_copy(first, &moved);
    }
    return first->known && tree_scan_invariant(&c->scan, linear_expr(t, first));
}

/* ---- rewriting ---- */

static void clear(struct clearing *c, struct tree_stmt *nest)
{
    struct tree *t = c->tree;
    struct tree_stmt *out = stmt_block(t);
    struct tree_expr *count = expr_i64(t, 1);
    for (uint32_t l = 0; l < c->count; l++)
        count = expr_binary(t, EXPR_MUL, count, expr_binary(t, EXPR_MAX, trips(t, c->loops[l]), expr_i64(t, 0)));
    for (uint32_t i = 0; i < c->body->items.count; i++) {
        const struct tree_stmt *s = c->body->items.items[i];
        struct linear first;
        if (s->kind != STMT_STORE)
            continue;
        if (!is_contiguous(c, s, &first))
            return;
        struct tree_expr *at = expr_offset(t, s->pointer, linear_expr(t, &first));
        stmt_zero(t, out, s->value->type, at, s->alias, count)->place = nest->place;
    }
    remark(t->ir->remarks, nest->place, remark_subject(t, nest), REMARK_CLEARED);
    *nest = *out;
}

static bool look(void *user, struct tree_stmt *s)
{
    struct clearing *c = user;
    if (s->kind != STMT_FOR)
        return !stmt_is_loop(s) && s->kind != STMT_PARALLEL;
    c->scan = (struct tree_scan){ .arena = c->tree->scratch };
    if (s->loop.level == TREE_HOST && find_loops(c, s)) {
        tree_scan_add(&c->scan, s);
        bool bounds = true;
        for (uint32_t l = 0; l < c->count; l++)
            bounds &=
                tree_scan_invariant(&c->scan, c->loops[l]->begin) && tree_scan_invariant(&c->scan, c->loops[l]->end);
        if (bounds && stores_zeros(c))
            clear(c, s);
    }
    return false;
}

bool opt_memset(struct tree *t, const struct tree_options *o)
{
    struct tree_func *f = t->functions.items[0];
    struct clearing c = { .tree = t, .whole = { .tree = t, .func = f } };
    if (o->plain || o->counting)
        return true;
    stmt_visit(f->body, look, &c);
    stmt_flatten(t, f->body);
    return true;
}
