/* Other forms of an expression: multiplied out, linear in a name, without rationals. */
#include "ir/sym/sym_internal.h"

enum { MANY_TERMS = 256, LARGEST_POWER = 16 }; /* beyond that an expression is left as it is */

/* ---- multiplying out ---- */

/* NULL: too large. */
static const struct sym *multiply_out(struct ir *ir, const struct sym *a, const struct sym *b)
{
    uint32_t x, y;
    const struct sym *const *ta = sym_terms(&a, &x), *const *tb = sym_terms(&b, &y);
    if (x > MANY_TERMS || y > MANY_TERMS || x * y > MANY_TERMS)
        return NULL;
    if (x == 1 && y == 1)
        return sym_mul(ir, a, b);
    struct sym_list terms;
    sym_list_init(&terms, ir);
    for (uint32_t i = 0; i < x; i++)
        for (uint32_t j = 0; j < y; j++)
            sym_list_add(&terms, sym_mul(ir, ta[i], tb[j]));
    return sym_sum(ir, terms.items, terms.count);
}

static bool is_sum(const struct sym *a) { return a->op == SYM_ADD && !a->raw; }

static const struct sym *expand_product(struct ir *ir, const struct sym *const *factors, uint32_t count)
{
    struct sym_list single;
    sym_list_init(&single, ir);
    for (uint32_t i = 0; i < count; i++)
        if (!is_sum(factors[i]))
            sym_list_add(&single, factors[i]);
    const struct sym *result = sym_product(ir, single.items, single.count);
    for (uint32_t i = 0; i < count && result; i++)
        if (is_sum(factors[i]))
            result = multiply_out(ir, result, factors[i]);
    return result;
}

static const struct sym *expand_power(struct ir *ir, const struct sym *base, int64_t exponent)
{
    const struct sym *result = base;
    for (int64_t i = 1; i < exponent && result; i++)
        result = multiply_out(ir, result, base);
    return result;
}

const struct sym *sym_expand(struct ir *ir, const struct sym *a)
{
    if (!a->num_args || a->raw)
        return a;
    struct sym_list args;
    sym_list_init(&args, ir);
    bool changed = false;
    for (uint32_t i = 0; i < a->num_args; i++) {
        sym_list_add(&args, sym_expand(ir, a->args[i]));
        changed = changed || args.items[i] != a->args[i];
    }
    const struct sym *result = NULL;
    if (a->op == SYM_MUL)
        result = expand_product(ir, args.items, args.count);
    else if (a->op == SYM_POW && is_sum(args.items[0]) && args.items[1]->op == SYM_INT && args.items[1]->i > 1 &&
             args.items[1]->i <= LARGEST_POWER)
        result = expand_power(ir, args.items[0], args.items[1]->i);
    if (result)
        return result;
    return changed ? sym_make(ir, a->op, a->type, a->name, args.items, args.count) : a;
}

static bool has_sum(const struct sym *term)
{
    uint32_t count;
    const struct sym *const *factors = sym_factors(&term, &count);
    for (uint32_t i = 0; i < count; i++)
        if (is_sum(factors[i]))
            return true;
    return false;
}

/* How many terms the product has when multiplied out, at most `most` + 1. Sums that hold such products again stay, so
 * that the work does not multiply from level to level. */
static uint32_t expanded_count(const struct sym *term, uint32_t most)
{
    uint32_t count, result = 1;
    const struct sym *const *factors = sym_factors(&term, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_sum(factors[i]))
            continue;
        result = factors[i]->num_args > most / result ? most + 1 : result * factors[i]->num_args;
        for (uint32_t j = 0; result <= most && j < factors[i]->num_args; j++)
            if (has_sum(factors[i]->args[j]))
                return 1;
    }
    return result;
}

const struct sym *sym_expand_terms(struct ir *ir, const struct sym *sum)
{
    enum { MANY = 64 };
    uint32_t total = 0;
    for (uint32_t i = 0; i < sum->num_args && total <= MANY; i++)
        total += expanded_count(sum->args[i], MANY);
    if (total > MANY || total == sum->num_args)
        return sum;
    struct sym_list terms;
    sym_list_init(&terms, ir);
    for (uint32_t i = 0; i < sum->num_args; i++) {
        uint32_t count;
        const struct sym *term = sum->args[i], *const *factors = sym_factors(&term, &count);
        const struct sym *open = expanded_count(term, MANY) > 1 ? expand_product(ir, factors, count) : term;
        sym_list_add(&terms, open ? open : term);
    }
    return sym_sum(ir, terms.items, terms.count);
}

/* ---- linear forms ---- */

/* term == factor * name, where the name occurs once; NULL: otherwise */
static const struct sym *without(struct ir *ir, const struct sym *term, const char *name)
{
    uint32_t count;
    const struct sym *const *factors = sym_factors(&term, &count);
    struct sym_list others;
    sym_list_init(&others, ir);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (factors[i]->op == SYM_NAME && factors[i]->name == name)
            found = true;
        else if (sym_mentions(factors[i], name))
            return NULL;
        else
            sym_list_add(&others, factors[i]);
    }
    if (!found)
        return NULL;
    return others.count ? sym_product(ir, others.items, others.count) : sym_int(ir, 1);
}

bool sym_linear_in(struct ir *ir, const struct sym *a, const char *name, const struct sym **coefficient,
                   const struct sym **rest)
{
    uint32_t count;
    if (a->op == SYM_NAME && a->name == name) {
        *coefficient = sym_int(ir, 1);
        *rest = sym_int(ir, 0);
        return true;
    }
    a = sym_expand(ir, a);
    const struct sym *const *terms = sym_terms(&a, &count);
    struct sym_list with, others;
    sym_list_init(&with, ir);
    sym_list_init(&others, ir);
    for (uint32_t i = 0; i < count; i++) {
        if (!sym_mentions(terms[i], name)) {
            sym_list_add(&others, terms[i]);
            continue;
        }
        const struct sym *factor = without(ir, terms[i], name);
        if (!factor)
            return false;
        sym_list_add(&with, factor);
    }
    *coefficient = sym_sum(ir, with.items, with.count);
    *rest = sym_sum(ir, others.items, others.count);
    return !sym_has_undefined(a);
}

/* ---- without rationals ---- */

bool sym_common_denominator(struct ir *ir, const struct sym *a, const struct sym **numerator, int64_t *denominator)
{
    struct number content;
    *numerator = a;
    *denominator = 1;
    if (!sym_content(a, &content))
        return a->integer;
    *denominator = content.den;
    *numerator = sym_scale(ir, number_int(content.den), a);
    return !(*numerator)->raw && (*numerator)->integer;
}

/* num * rest / den, cut to an integer; a real factor 0.5 counts as 1/2 */
static const struct sym *cut_term(struct ir *ir, const struct sym *term)
{
    const struct sym *rest;
    struct number c = sym_coefficient(ir, term, &rest), inverse;
    if (term->integer)
        return term;
    if (c.real && number_div(number_int(1), c, &inverse) && number_is_int(inverse))
        number_make(1, (int64_t)inverse.f, &c);
    if (sym_is_number(rest))
        return number_trunc(c, &c) && number_is_int(c) ? sym_int(ir, c.real ? (int64_t)c.f : c.num) : term;
    if (c.real || c.den == 1 || !rest->integer)
        return term;
    return sym_floor_div(ir, sym_scale(ir, number_int(c.num), rest), sym_int(ir, c.den));
}

const struct sym *sym_termwise(struct ir *ir, const struct sym *a)
{
    if (a->integer || !(a->op == SYM_ADD || a->op == SYM_MUL || a->op <= SYM_FLOAT) || a->raw)
        return a;
    uint32_t count;
    const struct sym *const *terms = sym_terms(&a, &count);
    struct sym_list cut;
    sym_list_init(&cut, ir);
    for (uint32_t i = 0; i < count; i++)
        sym_list_add(&cut, cut_term(ir, terms[i]));
    return sym_sum(ir, cut.items, cut.count);
}
