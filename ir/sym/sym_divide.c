/* Integer quotients, remainders and rounding. What is divisible leaves: (4*N + 7) // 4 is 1 + N + 3 // 4.
 *
 * Quotients round down here, but are cut in code that DaCe generates. Where operands may be negative for sizes and
 * indices that are not, as in (N - 5) // 4, only rewritings are done that hold for both. */
#include "ir/sym/sym_internal.h"

static bool is_zero(const struct sym *s) { return sym_is_number(s) && number_sign(number_of(s)) == 0; }

/* a == quotient * b + rest, where the quotient is an integer and holds all terms of `a` that are multiples of b. */
static void split(struct ir *ir, const struct sym *a, const struct sym *b, const struct sym **quotient,
                  const struct sym **rest)
{
    enum { MANY = 64 }; /* each term costs a division */
    const struct sym *inverse = sym_power(ir, b, sym_int(ir, -1)), *whole = sym_mul(ir, a, inverse);
    uint32_t count;
    const struct sym *const *terms = sym_terms(&a, &count);
    *quotient = sym_int(ir, 0);
    *rest = a;
    if (whole->integer) {
        *quotient = whole;
        *rest = sym_int(ir, 0);
    } else if (count > 1 && count <= MANY) {
        struct sym_list divisible, others;
        sym_list_init(&divisible, ir);
        sym_list_init(&others, ir);
        for (uint32_t i = 0; i < count; i++) {
            const struct sym *q = sym_mul(ir, terms[i], inverse);
            if (q->integer)
                sym_list_add(&divisible, q);
            else
                sym_list_add(&others, terms[i]);
        }
        if (divisible.count) {
            *quotient = sym_sum(ir, divisible.items, divisible.count);
            *rest = sym_sum(ir, others.items, others.count);
        }
    }
}

static bool has_negative_term(const struct sym *a)
{
    uint32_t count;
    const struct sym *const *terms = sym_terms(&a, &count);
    for (uint32_t i = 0; i < count; i++)
        if (number_sign(sym_coefficient(NULL, terms[i], NULL)) < 0)
            return true;
    return false;
}

/* Divides both by what they have in common, makes all coefficients integers and the leading one of b positive. */
static bool reduce(struct ir *ir, const struct sym **a, const struct sym **b)
{
    struct number x, y, common, inverse;
    if (!sym_content(*a, &x) || !sym_content(*b, &y))
        return false;
    uint64_t num = number_gcd((uint64_t)(x.num < 0 ? -x.num : x.num), (uint64_t)(y.num < 0 ? -y.num : y.num));
    uint64_t den = (uint64_t)x.den / number_gcd((uint64_t)x.den, (uint64_t)y.den);
    if (__builtin_mul_overflow(den, (uint64_t)y.den, &den) || den > INT64_MAX)
        return false;
    if (!number_make(y.num < 0 ? -(int64_t)num : (int64_t)num, (int64_t)den, &common) ||
        (common.num == 1 && common.den == 1) || !number_div(number_int(1), common, &inverse))
        return false;
    const struct sym *new_a = sym_scale(ir, inverse, *a), *new_b = sym_scale(ir, inverse, *b);
    if (new_a->raw || new_b->raw)
        return false;
    *a = new_a;
    *b = new_b;
    return true;
}

/* Cancels the factors of b that divide all of a. */
static bool cancel(struct ir *ir, const struct sym **a, const struct sym **b)
{
    uint32_t count;
    const struct sym *old = *b, *const *factors = sym_factors(&old, &count);
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *f = factors[i]->op == SYM_POW ? factors[i]->args[0] : factors[i], *quotient, *rest;
        if (sym_is_number(f) || !f->integer)
            continue;
        split(ir, *a, f, &quotient, &rest);
        if (!is_zero(rest))
            continue;
        *a = quotient;
        *b = sym_div(ir, *b, f);
        changed = true;
    }
    return changed;
}

static const struct sym *divide_numbers(struct ir *ir, const struct sym *a, const struct sym *b, bool up)
{
    struct number n;
    if (!number_div(number_of(a), number_of(b), &n) || !(up ? number_ceil : number_floor)(n, &n))
        return NULL;
    return number_is_int(n) ? sym_int(ir, n.real ? (int64_t)n.f : n.num) : number_sym(ir, n);
}

static const struct sym *divide(struct ir *ir, const struct sym *a, const struct sym *b, bool up);

/* a / b for an integer b > 1: whole multiples in the constant leave, and of the two roundings the one without constant
 * is taken: (N + 3) // 4 is int_ceil(N, 4). NULL: nothing to do. */
static const struct sym *divide_constant(struct ir *ir, const struct sym *a, const struct sym *b, bool up)
{
    enum sym_op op = up ? SYM_CEIL_DIV : SYM_FLOOR_DIV;
    int64_t divisor;
    if (a->op == op && a->args[1]->op == SYM_INT && a->args[1]->i > 0 &&
        !__builtin_mul_overflow(a->args[1]->i, b->i, &divisor))
        return divide(ir, a->args[0], sym_int(ir, divisor), up);
    if (a->op != SYM_ADD || a->raw || !a->integer || a->args[0]->op != SYM_INT)
        return NULL;
    int64_t constant = a->args[0]->i, whole = constant / b->i - (constant % b->i < 0), rest = constant - whole * b->i;
    const struct sym *variable = sym_sum(ir, a->args + 1, a->num_args - 1);
    if ((up || whole != 0 || rest != b->i - 1) && has_negative_term(a))
        return NULL;
    if (up && rest > 0) {
        whole++;
        rest--;
        up = false;
    } else if (!up && rest == b->i - 1) {
        rest = 0;
        up = true;
    } else if (whole == 0) {
        return NULL;
    }
    const struct sym *quotient = divide(ir, sym_add(ir, variable, sym_int(ir, rest)), b, up);
    return sym_add(ir, sym_int(ir, whole), quotient);
}

static const struct sym *divide(struct ir *ir, const struct sym *a, const struct sym *b, bool up)
{
    const struct sym *const args[] = { a, b };
    enum sym_op op = up ? SYM_CEIL_DIV : SYM_FLOOR_DIV;
    const struct sym *quotient, *rest, *result;
    if (is_zero(b) || a->op == SYM_UNDEFINED || b->op == SYM_UNDEFINED)
        return sym_node(ir, op, NULL, NULL, args, 2);
    if (sym_is_number(a) && sym_is_number(b) && (result = divide_numbers(ir, a, b, up)))
        return result;
    if (sym_is_int(b, 1))
        return sym_round_to(ir, up ? SYM_CEIL : SYM_FLOOR, a);
    split(ir, a, b, &quotient, &rest);
    if (is_zero(rest))
        return quotient;
    if (rest != a && !has_negative_term(a) && !has_negative_term(b))
        return sym_add(ir, quotient, divide(ir, rest, b, up));
    if (reduce(ir, &a, &b) || cancel(ir, &a, &b))
        return divide(ir, a, b, up);
    if (b->op == SYM_INT && b->i > 1 && (result = divide_constant(ir, a, b, up)))
        return result;
    return sym_node(ir, op, NULL, NULL, args, 2);
}

const struct sym *sym_floor_div(struct ir *ir, const struct sym *a, const struct sym *b)
{
    return divide(ir, a, b, false);
}

const struct sym *sym_ceil_div(struct ir *ir, const struct sym *a, const struct sym *b)
{
    return divide(ir, a, b, true);
}

const struct sym *sym_mod(struct ir *ir, const struct sym *a, const struct sym *b)
{
    const struct sym *quotient, *rest;
    if (a->op != SYM_UNDEFINED && b->op != SYM_UNDEFINED && !is_zero(b)) {
        struct number n;
        if (sym_is_number(a) && sym_is_number(b) && number_div(number_of(a), number_of(b), &n) && number_floor(n, &n) &&
            number_mul(n, number_of(b), &n) && number_mul(n, number_int(-1), &n) && number_add(number_of(a), n, &n))
            return number_sym(ir, n);
        split(ir, a, b, &quotient, &rest);
        if (is_zero(rest))
            return sym_int(ir, 0);
        bool negative = has_negative_term(a) || has_negative_term(b);
        if (rest != a && !negative)
            return sym_mod(ir, rest, b);
        if (a->op == SYM_MOD && a->args[1] == b)
            return a;
        if (b->op == SYM_INT && b->i > 0 && !negative && a->op == SYM_ADD && !a->raw && a->args[0]->op == SYM_INT &&
            a->args[0]->i >= b->i) {
            const struct sym *variable = sym_sum(ir, a->args + 1, a->num_args - 1);
            return sym_mod(ir, sym_add(ir, variable, sym_int(ir, a->args[0]->i % b->i)), b);
        }
    }
    const struct sym *const args[] = { a, b };
    return sym_node(ir, SYM_MOD, NULL, NULL, args, 2);
}

/* ---- rounding ---- */

/* What a term has to be multiplied with to have no fractions: its denominator. */
static const struct sym *denominator_of(struct ir *ir, const struct sym *term)
{
    uint32_t count;
    const struct sym *const *factors = sym_factors(&term, &count), *result = sym_int(ir, 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *f = factors[i];
        if (f->op == SYM_RATIONAL)
            result = sym_int(ir, f->den);
        else if (f->op == SYM_POW && f->args[1]->op == SYM_INT && f->args[1]->i < 0)
            result = sym_div(ir, result, f);
    }
    return result;
}

/* a as numerator without fractions and denominator, if all terms share one. */
static bool as_quotient(struct ir *ir, const struct sym *a, const struct sym **numerator,
                        const struct sym **denominator)
{
    uint32_t count;
    const struct sym *const *terms = sym_terms(&a, &count);
    struct number content;
    *denominator = denominator_of(ir, terms[count - 1]);
    if (sym_content(a, &content)) {
        struct number own = sym_coefficient(ir, *denominator, NULL);
        if (!own.real && own.num && content.den % own.num == 0)
            *denominator = sym_scale(ir, number_int(content.den / own.num), *denominator);
    }
    struct sym_list all;
    sym_list_init(&all, ir);
    for (uint32_t i = 0; i < count; i++)
        sym_list_add(&all, sym_mul(ir, terms[i], *denominator));
    *numerator = sym_sum(ir, all.items, all.count);
    terms = sym_terms(numerator, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!sym_is_int(denominator_of(ir, terms[i]), 1))
            return false;
    return !sym_is_int(*denominator, 1) && !is_zero(*denominator);
}

const struct sym *sym_round_to(struct ir *ir, enum sym_op op, const struct sym *a)
{
    struct number n;
    if (a->integer || a->op == SYM_UNDEFINED || a->op == SYM_NAN || a->op == SYM_INFINITY)
        return a;
    if (sym_is_number(a)) {
        n = number_of(a);
        if ((op == SYM_FLOOR ? number_floor : op == SYM_CEIL ? number_ceil : number_round)(n, &n))
            return number_is_int(n) ? sym_int(ir, n.real ? (int64_t)n.f : n.num) : number_sym(ir, n);
    }
    if (op != SYM_ROUND) {
        const struct sym *quotient, *rest, *numerator, *denominator;
        split(ir, a, sym_int(ir, 1), &quotient, &rest);
        if (rest != a)
            return sym_add(ir, quotient, sym_round_to(ir, op, rest));
        if (as_quotient(ir, a, &numerator, &denominator))
            return divide(ir, numerator, denominator, op == SYM_CEIL);
    }
    return sym_node(ir, op, NULL, NULL, &a, 1);
}

const struct sym *sym_range_size(struct ir *ir, const struct sym *begin, const struct sym *end, const struct sym *step)
{
    if (begin == end && !sym_is_int(step, 0))
        return sym_int(ir, 1);
    bool down = sym_is_number(step) && number_sign(number_of(step)) < 0;
    const struct sym *one = sym_int(ir, down ? -1 : 1);
    if (sym_is_int(begin, 0))
        return sym_ceil_div(ir, sym_add(ir, end, one), step);
    const struct sym *const terms[] = { end, sym_neg(ir, begin), one };
    return sym_ceil_div(ir, sym_sum(ir, terms, 3), step);
}
