/* A loop whose iterations read what later ones overwrite reads it from a copy of the array, if it is independent then.
 *
 *                                            old = heap float64[M * N], copy of B
 *     for i = 0 to M {                       for i = 0 to M {
 *         for j = 0 to N {                       for j = 0 to N {
 *             for k = i + 1 to M {                   for k = i + 1 to M {
 *                 sum += A[k, i] * B[k, j]   ->          sum += A[k, i] * old[k, j]
 *             }                                      }
 *             B[i, j] = B[i, j] + sum                B[i, j] = B[i, j] + sum
 *         }                                      }
 *     }                                      }
 *
 * Legality: Each load of the array is of elements that only later iterations store to (tree_depend.h), or only the same
 * one; with the former from the copy, no two iterations touch the same element, one of them to change it.
 * Profitability: For devices, where such a loop is a thread, or a launch or barriers for each iteration, at the top of
 * the function, so that the copy is made once, and with loops inside. */
#include "lower/opt/iterations.h"
#include "lower/tree/tree_depend.h"
#include "lower/tree/tree_rewrite.h"

enum { MOST_LOADS = 64 };

struct anti {
    struct iterations x;
    struct tree *tree;
    const struct tree_func *func;
    struct tree_stmt *loop;
    struct tree_scan scan; /* of it */
    uint32_t alias;        /* of the array */
    const struct tree_expr *pointer;
    struct tree_expr *elements;
    const struct tree_access *loads[MOST_LOADS]; /* of what later iterations store */
    uint32_t num_loads;
    struct tree_var *copy;
    uint32_t copy_alias;
};

/* ---- which loads ---- */

enum order { NEVER, SAME_ITERATION, LATER, OTHERWISE };

/* When the element of the load is stored to. */
static enum order order_of(struct anti *w, const struct tree_access *load, const struct tree_access *store)
{
    const struct depend_loop loops[] = { { w->loop, w->loop, false } };
    struct depend_query q = { w->tree->scratch, load, store, loops, 1, tree_scan_assigns, &w->scan };
    struct depend d = depend_between(&q);
    if (d.kind == DEPEND_NEVER)
        return NEVER;
    if (d.kind != DEPEND_MEET)
        return OTHERWISE;
    return d.distance[0].least >= 1                              ? LATER
           : d.distance[0].least == 0 && d.distance[0].most == 0 ? SAME_ITERATION
                                                                 : OTHERWISE;
}

/* False: there is no copy that helps. */
static bool look_at_load(struct anti *w, const struct tree_piece *piece, const struct tree_access *load)
{
    bool later = false, same = false;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *store = piece->accesses.items[i];
        if (!store->write || store->alias != w->alias)
            continue;
        enum order o = order_of(w, load, store);
        if (o == OTHERWISE)
            return false;
        later |= o == LATER;
        same |= o == SAME_ITERATION;
    }
    if ((later && same) || w->num_loads == MOST_LOADS)
        return false;
    if (later)
        w->loads[w->num_loads++] = load;
    return true;
}

static struct tree_expr *elements_of(const struct anti *w, const struct tree_var *v)
{
    for (uint32_t i = 0; i < w->func->params.count; i++) {
        const struct tree_param *p = &w->func->params.items[i];
        if (p->var == v)
            return p->elements ? p->elements : p->count ? expr_i64(w->tree, p->count) : NULL;
    }
    return v->several ? NULL : v->elements;
}

/* All accesses of the array are elements of one pointer, and those that later iterations store to are known. */
static bool look_at_array(struct anti *w, const struct tree_piece *piece, const struct tree_access *store)
{
    const struct tree_var *v = store->pointer && store->pointer->op == EXPR_VAR ? store->pointer->var : NULL;
    w->alias = store->alias;
    w->pointer = store->pointer;
    w->num_loads = 0;
    w->elements = v && w->alias && !map_has(&w->scan.assigned, v) ? elements_of(w, v) : NULL;
    if (!w->elements || !type_is_arithmetic(store->type))
        return false;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (a->alias != w->alias)
            continue;
        if (!a->pointer || !expr_equal(a->pointer, w->pointer) || a->type != store->type || a->extent != 1 ||
            (a->read && !a->write && !look_at_load(w, piece, a)))
            return false;
    }
    return w->num_loads > 0;
}

/* ---- the copy ---- */

static struct tree_expr *from_copy(void *user, struct tree_expr *e)
{
    const struct anti *w = user;
    struct linear at;
    if (e->op != EXPR_LOAD || e->alias != w->alias)
        return e;
    linear_of(&at, e->args[1]);
    for (uint32_t i = 0; i < w->num_loads; i++)
        if (at.known && linear_equal(w->loads[i]->at, &at))
            return expr_load(w->tree, e->type, expr_var(w->tree, w->copy), e->args[1], w->copy_alias);
    return e;
}

static bool rewrite(void *user, struct tree_stmt *s)
{
    struct anti *w = user;
    stmt_rewrite(w->tree, s, from_copy, w);
    return true;
}

/* Makes the copy in front of the loop, item `n` of the block, if that makes the loop independent. */
static bool take_copy(struct anti *w, struct tree_stmt *block, uint32_t n, const struct type *type)
{
    struct tree *t = w->tree;
    struct tree_stmt *loop = stmt_clone(t, w->loop), *items = stmt_block(t);
    w->copy = tree_var(t, "old", type_pointer(t->ir, type));
    w->copy_alias = t->num_aliases++;
    w->x = iterations_of(t, w->func); /* which knows the new class */
    stmt_visit(loop, rewrite, w);
    if (iterations_depend(&w->x, loop, NULL))
        return false;
    for (uint32_t i = 0; i < n; i++)
        stmt_append(t, items, block->items.items[i]);
    struct tree_stmt *s = stmt_alloc(t, items, w->copy, type, w->elements, TREE_HEAP);
    s->alias = w->copy_alias;
    s->place = w->loop->place;
    tree_var_holds(t, w->copy, w->elements);
    s = stmt_copy(t, items, type, expr_var(t, w->copy), w->copy_alias, (struct tree_expr *)w->pointer, w->alias,
                  w->elements);
    s->place = w->loop->place;
    stmt_append(t, items, loop);
    stmt_free(t, items, w->copy);
    for (uint32_t i = n + 1; i < block->items.count; i++)
        stmt_append(t, items, block->items.items[i]);
    *block = *items;
    return true;
}

static bool try_loop(struct anti *w, struct tree_stmt *block, uint32_t n)
{
    struct tree_stmt *s = block->items.items[n];
    struct tree_piece piece = { 0 };
    if (s->kind != STMT_FOR || s->loop.parallel || s->loop.independent || !stmt_has_loops(s->body))
        return false;
    w->loop = s;
    w->scan = (struct tree_scan){ .arena = w->tree->scratch };
    tree_scan_add(&w->scan, s);
    piece_add(w->tree->scratch, &piece, s, NULL);
    if (piece.control || piece.effects || piece.jumps || !iterations_depend(&w->x, s, NULL))
        return false;
    for (uint32_t i = 0; i < piece.accesses.count; i++) {
        const struct tree_access *a = piece.accesses.items[i];
        if (a->store && look_at_array(w, &piece, a))
            return take_copy(w, block, n, a->type);
    }
    return false;
}

bool opt_break_anti_dependences(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct anti w = { .x = iterations_of(t, f), .tree = t, .func = f };
        stmt_flatten(t, f->body);
        for (uint32_t n = 0; n < f->body->items.count; n++)
            if (tree_func_is_main(f) && try_loop(&w, f->body, n))
                n += 3;
    }
    return true;
}
