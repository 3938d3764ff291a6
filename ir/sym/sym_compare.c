/* What can be proven about order.
 *
 * "a <= b" is "b - a is never negative". The difference is written in terms of x - least for every symbol x, so that
 * each symbol stands for something not negative, and multiplied out: if then no coefficient is negative, neither is the
 * value. Min and Max are split into their cases, quotients replaced by their bounds. Each step costs budget, so that no
 * input is slow. */
#include "ir/sym/sym_internal.h"

enum { BUDGET = 200 };

struct proof {
    struct ir *ir;
    int64_t least;
    uint32_t budget;
};

static bool never_negative(struct proof *p, const struct sym *d);

static const struct sym *shifted(void *user, const struct sym *name)
{
    const struct proof *p = user;
    return name->integer ? sym_add(p->ir, name, sym_int(p->ir, p->least)) : NULL;
}

/* d with its term number i, coefficient * old, replaced by coefficient * replacement */
static const struct sym *replace(struct ir *ir, const struct sym *d, uint32_t i, struct number coefficient,
                                 const struct sym *replacement)
{
    uint32_t count;
    const struct sym *const *terms = sym_terms(&d, &count);
    struct sym_list all;
    sym_list_init(&all, ir);
    for (uint32_t j = 0; j < count; j++)
        sym_list_add(&all, j == i ? sym_scale(ir, coefficient, replacement) : terms[j]);
    return sym_expand(ir, sym_sum(ir, all.items, all.count));
}

/* d with term i being coefficient * Min or Max: either all cases are needed or one will do. */
static bool prove_cases(struct proof *p, const struct sym *d, uint32_t i, struct number c, const struct sym *extreme)
{
    bool all = (extreme->op == SYM_MIN) == (number_sign(c) > 0);
    for (uint32_t j = 0; j < extreme->num_args; j++)
        if (never_negative(p, replace(p->ir, d, i, c, extreme->args[j])) != all)
            return !all;
    return all;
}

/* (a + more) / b */
static const struct sym *quotient(struct ir *ir, const struct sym *a, int64_t more, const struct sym *b)
{
    return sym_div(ir, sym_add(ir, a, sym_int(ir, more)), b);
}

static bool is_positive(struct proof *p, const struct sym *a)
{
    return a->integer && never_negative(p, sym_sub(p->ir, a, sym_int(p->ir, 1)));
}

/* 0 <= x / y <= x, rounded either way */
static bool divides_small(struct proof *p, const struct sym *x, const struct sym *y)
{
    return x->integer && never_negative(p, x) && is_positive(p, y);
}

/* A bound of `a` by something simpler: from below if `below`. NULL: none known. */
static const struct sym *bound(struct proof *p, const struct sym *a, bool below)
{
    struct ir *ir = p->ir;
    const struct sym *x = a->args[0], *y = a->num_args > 1 ? a->args[1] : NULL;
    bool constant = y && y->op == SYM_INT && y->i > 0 && x->integer;
    switch (a->op) {
    case SYM_FLOOR_DIV:
        if (constant)
            return quotient(ir, x, below ? 1 - y->i : 0, y);
        return divides_small(p, x, y) ? (below ? sym_int(ir, 0) : x) : NULL;
    case SYM_CEIL_DIV:
        if (constant)
            return quotient(ir, x, below ? 0 : y->i - 1, y);
        return divides_small(p, x, y) ? (below ? sym_int(ir, 0) : x) : NULL;
    case SYM_MOD:
        if (!x->integer || !is_positive(p, y))
            return NULL;
        return below ? sym_int(ir, 0) : sym_sub(ir, y, sym_int(ir, 1));
    case SYM_ABS:
        return below ? sym_int(ir, 0) : never_negative(p, x) ? x : NULL;
    default:
        return NULL;
    }
}

static bool has_bounds(const struct sym *a)
{
    return a->op == SYM_FLOOR_DIV || a->op == SYM_CEIL_DIV || a->op == SYM_MOD || a->op == SYM_ABS;
}

/* A product of factors none of which is ever negative. */
static bool factors_never_negative(struct proof *p, const struct sym *term)
{
    uint32_t count;
    const struct sym *const *factors = sym_factors(&term, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *f = factors[i], *base = f->op == SYM_POW ? f->args[0] : f;
        bool even = f->op == SYM_POW && f->args[1]->op == SYM_INT && f->args[1]->i % 2 == 0;
        if (sym_is_number(f) ? number_sign(number_of(f)) >= 0 : base->op == SYM_NAME ? base->integer || even : even)
            continue;
        /* What stands alone was tried before; a sum is only here because multiplying out was too much. */
        if (base == term || base->op == SYM_ADD || !never_negative(p, base))
            return false;
    }
    return true;
}

/* Symbols are not negative here, `d` is multiplied out. */
static bool never_negative(struct proof *p, const struct sym *d)
{
    uint32_t count;
    if (p->budget == 0 || d->op == SYM_UNDEFINED)
        return false;
    p->budget--;
    const struct sym *const *terms = sym_terms(&d, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *rest;
        struct number c = sym_coefficient(p->ir, terms[i], &rest);
        if (rest->op == SYM_MIN || rest->op == SYM_MAX)
            return prove_cases(p, d, i, c, rest);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *rest;
        struct number c = sym_coefficient(p->ir, terms[i], &rest);
        const struct sym *other = has_bounds(rest) ? bound(p, rest, number_sign(c) > 0) : NULL;
        if (other)
            return never_negative(p, replace(p->ir, d, i, c, other));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *rest;
        struct number c = sym_coefficient(p->ir, terms[i], &rest);
        if (number_sign(c) < 0 || !factors_never_negative(p, rest))
            return false;
    }
    return true;
}

/* a + least_difference <= b, whatever the symbols are */
static bool proven(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least_difference, int64_t least)
{
    struct proof p = { .ir = ir, .least = least, .budget = BUDGET };
    const struct sym *d = sym_sub(ir, sym_sub(ir, b, a), sym_int(ir, least_difference));
    if (least)
        d = sym_substitute(ir, d, shifted, &p);
    return never_negative(&p, sym_expand(ir, d));
}

static bool has_order(const struct sym *a)
{
    return a->op != SYM_UNDEFINED && a->op != SYM_NAN && a->op != SYM_STRING && a->op != SYM_NONE;
}

enum truth sym_less_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least)
{
    if (!has_order(a) || !has_order(b))
        return TRUTH_MAYBE;
    const struct sym *d = sym_sub(ir, b, a);
    if (sym_is_number(d))
        return number_sign(number_of(d)) > 0 ? TRUTH_YES : TRUTH_NO;
    if (a->integer && b->integer && proven(ir, a, b, 1, least))
        return TRUTH_YES;
    return proven(ir, b, a, 0, least) ? TRUTH_NO : TRUTH_MAYBE;
}

enum truth sym_less_equal_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least)
{
    enum truth more = sym_less_from(ir, b, a, least);
    return more == TRUTH_MAYBE ? TRUTH_MAYBE : more == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

enum truth sym_less(struct ir *ir, const struct sym *a, const struct sym *b) { return sym_less_from(ir, a, b, 1); }

enum truth sym_less_equal(struct ir *ir, const struct sym *a, const struct sym *b)
{
    return sym_less_equal_from(ir, a, b, 1);
}

enum truth sym_equal_from(struct ir *ir, const struct sym *a, const struct sym *b, int64_t least)
{
    if (!has_order(a) || !has_order(b))
        return a == b && a->op != SYM_UNDEFINED && a->op != SYM_NAN ? TRUTH_YES : TRUTH_MAYBE;
    const struct sym *d = a == b ? sym_int(ir, 0) : sym_expand(ir, sym_sub(ir, a, b));
    if (sym_is_number(d))
        return number_sign(number_of(d)) ? TRUTH_NO : TRUTH_YES;
    bool differ = sym_less_from(ir, a, b, least) == TRUTH_YES || sym_less_from(ir, b, a, least) == TRUTH_YES;
    return differ ? TRUTH_NO : TRUTH_MAYBE;
}

enum truth sym_equal(struct ir *ir, const struct sym *a, const struct sym *b) { return sym_equal_from(ir, a, b, 1); }
