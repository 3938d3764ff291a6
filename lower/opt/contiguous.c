#include "lower/opt/contiguous.h"

#include "lower/tree/tree_shape.h"

bool contiguous_nest_of(struct contiguous_nest *c, struct tree *t, const struct tree_stmt *s)
{
    *c = (struct contiguous_nest){ .tree = t, .scan = { .arena = t->scratch } };
    if (s->kind != STMT_FOR)
        return false;
    tree_scan_add(&c->scan, s);
    for (;; s = s->body->items.items[0]) {
        if (c->count == CONTIGUOUS_LOOPS || !loop_counts_by_one(s) || !(s->loop.parallel || s->loop.independent))
            return false;
        c->loops[c->count++] = s;
        c->body = s->body;
        if (!tree_scan_invariant(&c->scan, s->begin) || !tree_scan_invariant(&c->scan, s->end))
            return false;
        if (s->body->items.count != 1 || s->body->items.items[0]->kind != STMT_FOR)
            return s->body->items.count > 0;
    }
}

bool contiguous_is_closed(const struct contiguous_nest *c, const struct tree_scan *whole)
{
    for (uint32_t i = 0; i < c->scan.assigned.count; i++) {
        const struct tree_var *v = c->scan.assigned.slots[i].key;
        if (map_get(&c->scan.uses, v) != map_get(&whole->uses, v))
            return false;
    }
    return true;
}

const struct tree_expr *contiguous_value(const struct contiguous_nest *c, const struct tree_stmt *store)
{
    const struct tree_expr *found = store->value;
    uint32_t n = 0;
    while (c->body->items.items[n] != store)
        n++;
    while (n-- > 0 && found->op == EXPR_VAR) {
        const struct tree_stmt *s = c->body->items.items[n];
        if (s->kind == STMT_ASSIGN && s->var == found->var)
            found = s->value;
    }
    return found;
}

static struct tree_expr *trips(struct tree *t, const struct tree_stmt *loop)
{
    return expr_binary(t, EXPR_SUB, loop->end, loop->begin);
}

bool contiguous_first(const struct contiguous_nest *c, const struct tree_stmt *store, struct linear *first)
{
    struct tree *t = c->tree;
    struct tree_expr *stride = expr_i64(t, 1);
    bool done[CONTIGUOUS_LOOPS] = { false };
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

struct tree_expr *contiguous_elements(const struct contiguous_nest *c)
{
    struct tree *t = c->tree;
    struct tree_expr *count = expr_i64(t, 1);
    for (uint32_t l = 0; l < c->count; l++)
        count = expr_binary(t, EXPR_MUL, count, expr_binary(t, EXPR_MAX, trips(t, c->loops[l]), expr_i64(t, 0)));
    return count;
}
