#include "lower/opt/check/check_region.h"

static bool is_least(const struct linear *l, int64_t least, const struct tree_frame *frame, struct checking *k)
{
    return l->known && check_is_at_least(linear_expr(k->tree, l), least, frame, k);
}

/* a - b >= least? */
static bool differ(const struct linear *a, const struct linear *b, int64_t least, const struct tree_frame *frame,
                   struct checking *k)
{
    struct linear d;
    linear_copy(&d, a);
    linear_add(&d, b, -1);
    return is_least(&d, least, frame, k);
}

static bool multiply(struct linear *out, const struct linear *a, const struct linear *b, struct checking *k)
{
    struct tree *t = k->tree;
    if (!a->known || !b->known)
        return false;
    linear_of(out, expr_binary(t, EXPR_MUL, linear_expr(t, a), linear_expr(t, b)));
    return out->known;
}

/* A run of `length` elements from `low` on, `steps` + 1 times, each `by` further: one run without gaps? */
static bool extend(struct region_dim *d, const struct linear *by, const struct linear *steps, bool gaps,
                   struct checking *k)
{
    struct linear all;
    if (!gaps && !differ(&d->length, by, 0, NULL, k))
        return false;
    if (!multiply(&all, by, steps, k))
        return false;
    linear_add(&d->length, &all, 1);
    return d->length.known;
}

/* ---- of a mark ---- */

static void dimension(struct linear *steps, struct linear *by, const struct tree_stmt *mark, uint32_t d,
                      struct checking *k)
{
    struct tree *t = k->tree;
    struct tree_expr *step = *check_number(mark, d, CHECK_STEP);
    struct tree_expr *span =
        expr_binary(t, EXPR_SUB, *check_number(mark, d, CHECK_HIGH), *check_number(mark, d, CHECK_LOW));
    linear_of(steps, expr_is_int(step, 1) ? span : expr_binary(t, EXPR_DIV, span, step));
    linear_of(by, expr_binary(t, EXPR_MUL, step, *check_number(mark, d, CHECK_STRIDE)));
}

static bool flat_region(struct check_region *r, const struct tree_stmt *mark, struct tree_expr *index, bool gaps,
                        bool backwards, struct checking *k)
{
    uint32_t rank = mark->check->rank;
    r->rank = 1;
    linear_of(&r->dims[0].low, index);
    linear_constant(&r->dims[0].length, 1);
    for (uint32_t i = 0; i < rank; i++) {
        struct linear steps, by;
        dimension(&steps, &by, mark, backwards ? rank - 1 - i : i, k);
        if (linear_is_constant(&steps) && steps.constant == 0)
            continue;
        if (!steps.known || !by.known || !extend(&r->dims[0], &by, &steps, gaps, k))
            return false;
    }
    return r->dims[0].low.known;
}

static bool box(struct check_region *r, const struct tree_stmt *mark, bool gaps, struct checking *k)
{
    r->container = mark->check->container;
    r->rank = mark->check->rank;
    for (uint32_t d = 0; d < r->rank; d++) {
        struct region_dim *dim = &r->dims[d];
        struct tree_expr *low = *check_number(mark, d, CHECK_LOW), *high = *check_number(mark, d, CHECK_HIGH);
        if (!gaps && low != high && !expr_is_int(*check_number(mark, d, CHECK_STEP), 1))
            return false;
        linear_of(&dim->low, low);
        linear_of(&dim->length, expr_binary(k->tree, EXPR_SUB, high, low));
        dim->length.constant++;
        if (!dim->low.known || !dim->length.known)
            return false;
    }
    return r->rank > 0;
}

bool region_of(struct check_region *out, struct tree_stmt *mark, const struct check_root *root, struct tree_expr *index,
               bool flat, bool gaps, struct checking *k)
{
    out->root = root;
    out->container = NULL;
    out->full = false;
    if (mark->check->rank > REGION_RANK)
        return false;
    if (!flat)
        return box(out, mark, gaps, k);
    return index && (flat_region(out, mark, index, gaps, true, k) || flat_region(out, mark, index, gaps, false, k));
}

/* ---- of a loop ---- */

/* Splits off what is multiplied with the variable; false if that is not linear. */
static bool take_coefficient(struct linear *l, const struct tree_var *v, struct linear *coefficient)
{
    linear_constant(coefficient, 0);
    for (uint32_t i = 0; i < l->count;) {
        struct linear_term *term = &l->terms[i];
        if (!linear_term_has(term, v)) {
            i++;
            continue;
        }
        struct linear_term rest = { .times = term->times };
        uint32_t found = 0;
        for (uint32_t f = 0; f < term->count; f++) {
            if (term->factors[f]->op == EXPR_VAR && term->factors[f]->var == v)
                found++;
            else if (expr_mentions(term->factors[f], v))
                return false;
            else
                rest.factors[rest.count++] = term->factors[f];
        }
        if (found != 1)
            return false;
        struct linear one = { .known = true, .count = rest.count ? 1 : 0, .constant = rest.count ? 0 : rest.times };
        one.terms[0] = rest;
        linear_add(coefficient, &one, 1);
        l->terms[i] = l->terms[--l->count];
    }
    return coefficient->known;
}

static bool dimension_over(struct region_dim *d, const struct linear *coefficient, const struct tree_stmt *loop,
                           struct checking *k)
{
    struct tree *t = k->tree;
    struct linear first, begin, by, steps;
    struct tree_expr *last = expr_binary(t, EXPR_SUB, loop->end, expr_int(t, loop->end->type, 1));
    struct tree_expr *span = expr_binary(t, EXPR_SUB, last, loop->begin);
    if (loop->step->op != EXPR_INT)
        return false;
    linear_of(&begin, loop->begin);
    linear_of(&steps, loop->step->i == 1 ? span : expr_binary(t, EXPR_DIV, span, loop->step));
    linear_copy(&by, coefficient);
    linear_constant(&by, 0);
    linear_add(&by, coefficient, loop->step->i);
    if (linear_is_constant(&by) && by.constant < 0) { /* downwards: from the last iteration on */
        struct linear back;
        if (!multiply(&back, &by, &steps, k) || !multiply(&first, coefficient, &begin, k))
            return false;
        linear_add(&d->low, &first, 1);
        linear_add(&d->low, &back, 1);
        by.constant = -by.constant;
        return d->low.known && extend(d, &by, &steps, false, k);
    }
    if (!multiply(&first, coefficient, &begin, k))
        return false;
    linear_add(&d->low, &first, 1);
    return d->low.known && extend(d, &by, &steps, false, k);
}

bool region_over(struct check_region *r, const struct tree_stmt *loop, struct checking *k)
{
    uint32_t moving = 0;
    for (uint32_t d = 0; d < r->rank; d++) {
        struct linear coefficient;
        if (linear_has(&r->dims[d].length, loop->var) || !take_coefficient(&r->dims[d].low, loop->var, &coefficient))
            return false;
        if (linear_is_constant(&coefficient) && coefficient.constant == 0)
            continue;
        if (moving++ || !dimension_over(&r->dims[d], &coefficient, loop, k))
            return false;
    }
    if (moving)
        return true;
    struct linear count, begin; /* the same in all iterations: is there one? */
    linear_of(&count, loop->end);
    linear_of(&begin, loop->begin);
    linear_add(&count, &begin, -1);
    return is_least(&count, 1, NULL, k);
}

bool region_before(struct check_region *r, const struct tree_stmt *loop, struct checking *k)
{
    struct tree_stmt before = *loop;
    before.end = expr_var(k->tree, loop->var);
    return region_over(r, &before, k);
}

/* ---- joining ---- */

static void end_of(struct linear *out, const struct region_dim *d)
{
    linear_copy(out, &d->low);
    linear_add(out, &d->length, 1);
}

static bool same_dimension(const struct region_dim *a, const struct region_dim *b)
{
    return linear_equal(&a->low, &b->low) && linear_equal(&a->length, &b->length);
}

bool region_join(struct check_region *out, const struct check_region *a, const struct check_region *b,
                 const struct tree_frame *frame, struct checking *k)
{
    uint32_t at = REGION_RANK;
    if (a->root != b->root || a->container != b->container || a->rank != b->rank || a->full || b->full)
        return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (same_dimension(&a->dims[d], &b->dims[d]))
            continue;
        if (at != REGION_RANK)
            return false;
        at = d;
    }
    if (at == REGION_RANK)
        return false;
    struct linear end, last;
    end_of(&end, &a->dims[at]);
    end_of(&last, &b->dims[at]);
    if (!linear_equal(&end, &b->dims[at].low) || !is_least(&a->dims[at].length, 0, frame, k) ||
        !is_least(&b->dims[at].length, 0, frame, k))
        return false;
    *out = *a;
    linear_add(&last, &a->dims[at].low, -1);
    linear_copy(&out->dims[at].length, &last);
    return last.known;
}

/* ---- comparing ---- */

static bool is_all(const struct region_dim *d, const struct tree_expr *extent, struct checking *k)
{
    struct linear all, rest;
    linear_of(&all, extent);
    linear_copy(&rest, &d->length);
    linear_add(&rest, &all, -1);
    return all.known && linear_is_constant(&d->low) && d->low.constant <= 0 && is_least(&rest, 0, NULL, k);
}

bool region_is_full(const struct check_region *r, const struct tree_stmt *mark, struct checking *k)
{
    if (!r->container)
        return r->root->count && is_all(&r->dims[0], r->root->count, k);
    for (uint32_t d = 0; d < r->rank; d++)
        if (!is_all(&r->dims[d], *check_number(mark, d, CHECK_EXTENT), k))
            return false;
    return true;
}

bool region_holds(const struct check_region *all, const struct check_region *part, const struct tree_frame *frame,
                  struct checking *k)
{
    if (all->root != part->root || all->container != part->container || all->rank != part->rank)
        return false;
    for (uint32_t d = 0; d < all->rank; d++) {
        struct linear end, part_end;
        linear_copy(&end, &all->dims[d].low);
        linear_add(&end, &all->dims[d].length, 1);
        linear_copy(&part_end, &part->dims[d].low);
        linear_add(&part_end, &part->dims[d].length, 1);
        if (!differ(&part->dims[d].low, &all->dims[d].low, 0, frame, k) || !differ(&end, &part_end, 0, frame, k))
            return false;
    }
    return true;
}
