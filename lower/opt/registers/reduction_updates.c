/* Stores of what was loaded from the same place and combined with something else become reductions.
 *
 *     for k = 0 to i {                          for k = 0 to i {
 *         old = T[i]                                T[i] max= A[k] + B[k]
 *         new = max(old, A[k] + B[k])   ->      }
 *         T[i] = new
 *     }
 *
 * Legality: Between the load and the store there are assignments alone, and nobody else needs the values on the way.
 * Reductions may take any order, so they are minima and maxima, and sums and products of integers.
 * Profitability: In a sequential loop that does not change the place: the pass behind keeps the value in a variable,
 * which threads can share the iterations of the loop for. */
#include "lower/opt/registers/reduction.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"
#include "lower/tree/tree_scan.h"

struct updates {
    struct tree *tree;
    struct tree_whole whole;
    const struct tree_stmt *loop; /* the innermost one around, if it is sequential */
    struct tree_scan scan;        /* of that */
};

/* Where statements of a block are that only the store needs. */
struct way {
    struct updates *updates;
    const struct tree_stmt *block;
    uint32_t first, count; /* index of the load, number of assignments on the way */
    uint32_t items[8];
};

/* The assignment in front of item `end` that gives the variable its value, which is used once. */
static bool find_value(struct way *w, const struct tree_var *v, uint32_t end, uint32_t *found)
{
    const struct tree_scan *whole = tree_whole(&w->updates->whole);
    if ((uintptr_t)map_get(&whole->uses, v) != 2)
        return false;
    for (uint32_t i = end; i-- > 0;) {
        const struct tree_stmt *s = w->block->items.items[i];
        if (s->kind != STMT_ASSIGN)
            return false;
        if (s->var == v) {
            *found = i;
            return w->count < 8;
        }
    }
    return false;
}

/* The expression behind variables on the way to it. */
static struct tree_expr *follow(struct way *w, struct tree_expr *e, uint32_t end)
{
    while (e->op == EXPR_VAR && find_value(w, e->var, end, &w->first)) {
        end = w->items[w->count++] = w->first;
        e = w->block->items.items[end]->value;
    }
    return e;
}

static bool is_same_place(const struct tree_expr *load, const struct tree_stmt *store)
{
    struct linear a, b;
    if (load->op != EXPR_LOAD || load->type != store->value->type || !expr_equal(load->args[0], store->pointer))
        return false;
    linear_of(&a, load->args[1]);
    linear_of(&b, store->index);
    return expr_equal(load->args[1], store->index) || (a.known && b.known && linear_equal(&a, &b));
}

static bool is_combined_by(struct tree *t, enum wcr_kind wcr, const struct tree_expr *e)
{
    return reduce_can_accumulate(wcr, e->type) && expr_equal(reduce_combine(t, wcr, e->args[0], e->args[1]), e);
}

/* The kind of reduction that the operation is. */
static enum wcr_kind kind_of(struct tree *t, const struct tree_expr *e)
{
    static const enum wcr_kind kinds[] = { WCR_MIN, WCR_MAX, WCR_SUM, WCR_PRODUCT };
    size_t count = type_is_integer(e->type) ? 4 : 2;
    for (size_t i = 0; i < count && e->num_args == 2 && e->args[0]->type == e->type; i++)
        if (is_combined_by(t, kinds[i], e))
            return kinds[i];
    return WCR_NONE;
}

static void become_reduction(struct way *w, struct tree_stmt *s, enum wcr_kind wcr, struct tree_expr *value)
{
    struct tree *t = w->updates->tree;
    struct tree_stmt *none = stmt_block(t);
    const struct place *place = s->place;
    for (uint32_t i = 0; i < w->count; i++)
        *w->block->items.items[w->items[i]] = *none;
    *s = *stmt_reduce(t, stmt_block(t), wcr, false, s->pointer, s->index, value, s->alias);
    s->place = place;
}

/* Has the expression of item `end` the same value at item `n`, with nothing but assignments between the two? */
static bool is_kept(const struct tree_stmt *block, uint32_t end, uint32_t n, const struct tree_expr *e)
{
    for (uint32_t i = end; i < n; i++)
        if (expr_mentions(e, block->items.items[i]->var))
            return false;
    return true;
}

/* Item `n` of the block is a store. */
static void look_at_store(struct updates *u, struct tree_stmt *block, uint32_t n)
{
    struct tree_stmt *s = block->items.items[n];
    struct way w = { .updates = u, .block = block };
    if (!tree_scan_invariant(&u->scan, s->pointer) || !tree_scan_invariant(&u->scan, s->index))
        return;
    struct tree_expr *e = follow(&w, s->value, n);
    enum wcr_kind wcr = kind_of(u->tree, e);
    if (wcr == WCR_NONE)
        return;
    uint32_t end = w.count ? w.first : n, before = w.count;
    for (uint32_t side = 0; side < 1u + type_is_integer(e->type); side++) {
        w.count = before;
        if (is_kept(block, end, n, e->args[1 - side]) && is_same_place(follow(&w, e->args[side], end), s)) {
            become_reduction(&w, s, wcr, e->args[1 - side]);
            return;
        }
    }
}

static void look(struct updates *u, struct tree_stmt *s)
{
    struct updates outer = *u;
    if (stmt_is_loop(s) || s->kind == STMT_PARALLEL || s->kind == STMT_KERNEL) {
        u->loop = s->kind == STMT_FOR && !s->loop.parallel && !s->loop.independent ? s : NULL;
        u->scan = (struct tree_scan){ .arena = u->tree->scratch };
        if (u->loop)
            tree_scan_add(&u->scan, s);
    }
    if (s->body)
        look(u, s->body);
    if (s->otherwise)
        look(u, s->otherwise);
    for (uint32_t i = 0; i < s->items.count; i++) {
        if (u->loop && s->kind == STMT_BLOCK && s->items.items[i]->kind == STMT_STORE)
            look_at_store(u, s, i);
        look(u, s->items.items[i]);
    }
    u->loop = outer.loop;
    u->scan = outer.scan;
}

bool opt_reduction_updates(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct updates u = { .tree = t, .whole = { t, t->functions.items[i], { 0 } } };
        look(&u, t->functions.items[i]->body);
        stmt_flatten(t, t->functions.items[i]->body);
    }
    return true;
}
