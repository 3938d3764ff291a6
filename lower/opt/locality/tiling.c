/* Nests that are cut, and points of their space. */
#include "lower/opt/locality/tiling.h"
#include "lower/tree/tree_depend.h"

struct plain {
    bool reductions, good;
};

static bool see_kind(void *user, struct tree_stmt *s)
{
    struct plain *p = user;
    p->good = p->good && (s->kind == STMT_BLOCK || s->kind == STMT_ASSIGN || s->kind == STMT_STORE ||
                          s->kind == STMT_FOR || s->kind == STMT_IF || (s->kind == STMT_REDUCE && p->reductions));
    return p->good;
}

bool tiling_is_plain(struct tree_stmt *s, bool reductions)
{
    struct plain p = { reductions, true };
    stmt_visit(s, see_kind, &p);
    return p.good;
}

bool tiling_has_bounds(const struct tree *t, const struct tree_stmt *loop)
{
    const struct tree_expr *begin = loop->begin, *end = loop->end;
    if (loop->kind != STMT_FOR || loop->var->type->kind != TYPE_I64 || !expr_is_int(loop->step, 1))
        return false;
    if (begin->op != EXPR_INT || end->op != EXPR_INT)
        return tree_is_size(t, begin) && tree_is_size(t, end);
    return begin->i > -TILING_LIMIT && begin->i < end->i && end->i < TILING_LIMIT;
}

int64_t tiling_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Takes the term of the variable out; false if it is in several. */
static bool take_term(struct linear *l, const struct tree_var *v, struct linear_term *term)
{
    *term = (struct linear_term){ 0 };
    for (uint32_t i = 0; l->known && i < l->count; i++) {
        if (!linear_term_has(&l->terms[i], v))
            continue;
        if (term->times)
            return false;
        *term = l->terms[i];
        l->terms[i--] = l->terms[--l->count];
    }
    return l->known;
}

bool tiling_stride(const struct tree *t, const struct tree_stmt *loop, const struct linear *at,
                   struct linear_term *stride, struct linear *rest)
{
    const struct tree_var *v = loop->var;
    if (rest != at)
        linear_copy(rest, at);
    if (!take_term(rest, v, stride))
        return false;
    for (uint32_t k = 0; k < stride->count; k++)
        if (stride->factors[k]->op == EXPR_VAR && stride->factors[k]->var == v) {
            stride->factors[k] = stride->factors[--stride->count];
            break;
        }
    int64_t none;
    bool plain = linear_take(rest, v, &none) && stride->times >= 0 && stride->times <= TILING_LIMIT;
    for (uint32_t k = 0; k < stride->count && plain; k++)
        plain = tree_is_size(t, stride->factors[k]);
    return plain;
}

bool tiling_same_stride(const struct linear_term *a, const struct linear_term *b)
{
    return a->times == b->times && (a->times == 0 || linear_same_factors(a, b));
}

void tiling_sum(struct linear *out, const struct linear_term *stride)
{
    linear_constant(out, stride->count ? 0 : stride->times);
    out->count = stride->count > 0;
    out->terms[0] = *stride;
}

int64_t tiling_take_points(struct linear *l, const struct linear_term *stride)
{
    int64_t points = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (linear_same_factors(&l->terms[i], stride)) {
            points = tiling_divide(l->terms[i].times, stride->times);
            l->terms[i].times -= points * stride->times;
            if (l->terms[i].times == 0)
                l->terms[i] = l->terms[--l->count];
            break;
        }
    return points;
}

/* l = quotient * size + rest */
static void split(const struct linear *l, const struct tree_expr *size, struct linear *quotient, struct linear *rest)
{
    linear_constant(quotient, 0);
    linear_constant(rest, l->constant);
    for (uint32_t i = 0; i < l->count; i++) {
        struct linear one = { .known = true, .count = 1 };
        struct linear_term *term = &one.terms[0];
        *term = l->terms[i];
        uint32_t k = 0;
        while (k < term->count && !expr_equal(term->factors[k], size))
            k++;
        bool divides = k < term->count;
        if (divides)
            term->factors[k] = term->factors[--term->count];
        if (term->count == 0) {
            one.constant = term->times;
            one.count = 0;
        }
        linear_add(divides ? quotient : rest, &one, 1);
    }
}

/* Dimension by dimension, as products of sizes cannot be compared. */
bool tiling_is_within(struct arena *a, const struct linear *l, const struct linear_term *stride,
                      const struct tree_frame *frame)
{
    if (stride->count <= 1) {
        struct linear below;
        tiling_sum(&below, stride);
        below.constant--;
        linear_add(&below, l, -1);
        return depend_is_natural(a, l, frame) && depend_is_natural(a, &below, frame);
    }
    for (uint32_t i = 0; i < stride->count; i++) {
        struct linear quotient, rest;
        struct linear_term one = { .times = 1, .count = 1, .factors = { stride->factors[i] } }, others = *stride;
        others.factors[i] = others.factors[--others.count];
        split(l, stride->factors[i], &quotient, &rest);
        if (quotient.known && rest.known && tiling_is_within(a, &rest, &one, frame) &&
            tiling_is_within(a, &quotient, &others, frame))
            return true;
    }
    return false;
}
