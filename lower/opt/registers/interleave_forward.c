/* What a step loads and an earlier one, or the same one, stored stays in a variable:
 *
 *                                     left = y[0]
 *     for k {                         for k {
 *         y[k] = f(y[k - 1])    ->        left = f(left)
 *     }                                   y[k] = left
 *                                     }
 *
 * LLVM finds that in one row, not in several. */
#include "lower/opt/registers/interleave.h"
#include "lower/tree/tree_rewrite.h"

enum { FARTHEST = 2 /* steps back */, MOST_STORES = 32 };

struct stored {
    const struct tree_expr *pointer;
    const struct type *type;
    uint32_t alias;
    struct linear at;
    int64_t stride;                        /* elements from a step to the next */
    struct tree_var *values[FARTHEST + 1]; /* of this step and of those before; NULL: not wanted */
    bool behind;                           /* the store stands in front of the statement at hand */
};

struct forward {
    struct tree *tree;
    struct tree_scan scan; /* of the body */
    struct tree_stmt *loop, *front;
    struct tree_expr *begin;
    struct stored stores[MOST_STORES];
    uint32_t count;
};

/* The store that wrote the element, and how many steps ago. */
static struct stored *find_store(struct forward *w, const struct tree_expr *load, int64_t *steps)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct stored *s = &w->stores[i];
        struct linear apart;
        if (load->alias != s->alias || load->type != s->type || !expr_equal(load->args[0], s->pointer))
            continue;
        linear_of(&apart, load->args[1]);
        linear_add(&apart, &s->at, -1);
        if (!linear_is_constant(&apart) || apart.constant % s->stride)
            continue;
        *steps = -apart.constant / s->stride;
        if (*steps >= (s->behind ? 0 : 1) && *steps <= FARTHEST)
            return s;
    }
    return NULL;
}

/* The value of so many steps before; those between come along. In front of the loop it is what memory holds. */
static struct tree_expr *take_value(struct forward *w, struct stored *s, int64_t steps)
{
    struct tree *t = w->tree;
    for (int64_t i = 1; i <= steps; i++) {
        if (s->values[i])
            continue;
        struct linear at;
        linear_copy(&at, &s->at);
        at.constant -= i * s->stride;
        struct tree_expr *pointer = (struct tree_expr *)(uintptr_t)s->pointer;
        s->values[i] = tree_var(t, "before", s->type);
        struct tree_stmt *first =
            stmt_assign(t, w->front, s->values[i], expr_load(t, s->type, pointer, linear_expr(t, &at), s->alias));
        stmt_substitute(t, first, w->loop->var, w->begin);
    }
    return expr_var(t, s->values[steps]);
}

static struct tree_expr *replace(void *user, struct tree_expr *e)
{
    struct forward *w = user;
    int64_t steps;
    struct stored *s = e->op == EXPR_LOAD ? find_store(w, e, &steps) : NULL;
    return s ? take_value(w, s, steps) : e;
}

/* Stores whose places only the counter of the loop changes. */
static void add_store(struct forward *w, struct tree_stmt *s)
{
    struct stored *n = &w->stores[w->count];
    struct linear rest;
    if (w->count == MOST_STORES || !tree_scan_invariant(&w->scan, s->index) ||
        !tree_scan_invariant(&w->scan, s->pointer))
        return;
    *n = (struct stored){ .pointer = s->pointer, .type = s->value->type, .alias = s->alias };
    linear_of(&n->at, s->index);
    linear_copy(&rest, &n->at);
    w->count += rest.known && linear_take(&rest, w->loop->var, &n->stride) && n->stride != 0;
}

/* Each value that is stored gets a variable. */
static void name_values(struct forward *w)
{
    struct tree *t = w->tree;
    struct tree_stmt *body = w->loop->body, *out = stmt_block(t);
    for (uint32_t i = 0; i < body->items.count; i++) {
        struct tree_stmt *s = body->items.items[i];
        stmt_rewrite(t, s, replace, w);
        if (s->kind == STMT_STORE) {
            struct tree_var *v = tree_var(t, "value", s->value->type);
            stmt_assign(t, out, v, s->value)->place = s->place;
            s->value = expr_var(t, v);
            for (uint32_t k = 0; k < w->count; k++)
                if (expr_equal(w->stores[k].pointer, s->pointer) && !w->stores[k].behind) {
                    struct linear at;
                    linear_of(&at, s->index);
                    if (!linear_equal(&at, &w->stores[k].at))
                        continue;
                    w->stores[k].values[0] = v;
                    w->stores[k].behind = true;
                }
        }
        stmt_append(t, out, s);
    }
    w->loop->body = out;
}

void lag_forward(struct tree *t, struct tree_stmt *loop, struct tree_stmt *front, struct tree_expr *begin)
{
    struct forward w = { .tree = t, .scan = { .arena = t->scratch }, .loop = loop, .front = front, .begin = begin };
    tree_scan_add(&w.scan, loop->body);
    for (uint32_t i = 0; i < loop->body->items.count; i++)
        if (loop->body->items.items[i]->kind == STMT_STORE)
            add_store(&w, loop->body->items.items[i]);
    name_values(&w);
    for (uint32_t k = 0; k < w.count; k++)
        for (uint32_t i = FARTHEST; i > 0; i--)
            if (w.stores[k].values[i])
                stmt_assign(t, loop->body, w.stores[k].values[i], expr_var(t, w.stores[k].values[i - 1]));
}
