/* Sums, products and powers in canonical form.
 *
 * A sum is a list of terms sorted by what is left of them without their number; a product is an optional number
 * followed by factors sorted by their base, sums among them with coprime coefficients and a positive leading one. Both
 * are built from any number of operands at once: collect, sort, merge neighbours. */
#include "ir/sym/sym_internal.h"

static const struct number ONE = { .num = 1, .den = 1 };

static bool is_one(struct number n) { return !n.real && n.num == 1 && n.den == 1; }

static bool is_sum(const struct sym *s) { return s->op == SYM_ADD && !s->raw; }

static bool is_product(const struct sym *s) { return s->op == SYM_MUL && !s->raw; }

const struct sym *const *sym_terms(const struct sym *const *a, uint32_t *count)
{
    *count = is_sum(*a) ? (*a)->num_args : 1;
    return is_sum(*a) ? (*a)->args : a;
}

const struct sym *const *sym_factors(const struct sym *const *a, uint32_t *count)
{
    *count = is_product(*a) ? (*a)->num_args : 1;
    return is_product(*a) ? (*a)->args : a;
}

static int infinity_sign(const struct sym *s)
{
    if (s->op == SYM_INFINITY)
        return 1;
    return is_product(s) && s->num_args == 2 && s->args[1]->op == SYM_INFINITY ? -1 : 0;
}

/* number * factors, where the factors are sorted and free of numbers */
static const struct sym *join(struct ir *ir, struct number c, const struct sym *const *factors, uint32_t count)
{
    if (!count)
        return number_sym(ir, c);
    if (count == 1)
        return is_one(c) ? factors[0] : sym_scale(ir, c, factors[0]);
    if (is_one(c))
        return sym_node(ir, SYM_MUL, NULL, NULL, factors, count);
    if (number_sign(c) == 0)
        return number_sym(ir, c);
    struct sym_list all;
    sym_list_init(&all, ir);
    sym_list_add(&all, number_sym(ir, c));
    for (uint32_t i = 0; i < count; i++)
        sym_list_add(&all, factors[i]);
    return sym_node(ir, SYM_MUL, NULL, NULL, all.items, all.count);
}

struct number sym_coefficient(struct ir *ir, const struct sym *term, const struct sym **rest)
{
    if (sym_is_number(term)) {
        if (rest)
            *rest = sym_int(ir, 1);
        return number_of(term);
    }
    if (is_product(term) && sym_is_number(term->args[0])) {
        if (rest)
            *rest = join(ir, ONE, term->args + 1, term->num_args - 1);
        return number_of(term->args[0]);
    }
    if (rest)
        *rest = term;
    return ONE;
}

/* ---- number times anything ---- */

static const struct sym *overflowing_scale(struct ir *ir, struct number factor, const struct sym *a)
{
    const struct sym *const args[] = { number_sym(ir, factor), a };
    return sym_raw(ir, SYM_MUL, args, 2);
}

static const struct sym *scale_sum(struct ir *ir, struct number factor, const struct sym *a)
{
    struct sym_list terms;
    sym_list_init(&terms, ir);
    bool real = false;
    for (uint32_t i = 0; i < a->num_args; i++) {
        struct number c;
        if (!number_mul(factor, sym_coefficient(ir, a->args[i], NULL), &c))
            return overflowing_scale(ir, factor, a);
        real = real || c.real;
        sym_list_add(&terms, sym_scale(ir, factor, a->args[i]));
    }
    if (real) /* a term may have become zero */
        return sym_sum(ir, terms.items, terms.count);
    return sym_node(ir, SYM_ADD, NULL, NULL, terms.items, terms.count);
}

static const struct sym *scale_number(struct ir *ir, struct number factor, const struct sym *a)
{
    struct number c;
    if (!number_mul(factor, number_of(a), &c))
        return overflowing_scale(ir, factor, a);
    if (a->type && !factor.real && factor.num == -1 && factor.den == 1)
        return sym_typed_int(ir, c.num, a->type);
    return number_sym(ir, c);
}

const struct sym *sym_scale(struct ir *ir, struct number factor, const struct sym *a)
{
    if (is_one(factor) || a->op == SYM_NAN || a->op == SYM_UNDEFINED)
        return a;
    if (sym_is_number(a))
        return scale_number(ir, factor, a);
    int sign = infinity_sign(a) * number_sign(factor);
    if (infinity_sign(a) && sign >= 0)
        return sym_leaf(ir, sign ? SYM_INFINITY : SYM_NAN);
    if (sign < 0)
        a = sym_leaf(ir, SYM_INFINITY), factor = number_int(-1);
    if (number_sign(factor) == 0)
        return number_sym(ir, factor);
    if (is_sum(a))
        return scale_sum(ir, factor, a);
    if (is_product(a)) {
        bool numbered = sym_is_number(a->args[0]);
        struct number c = factor;
        if (numbered && !number_mul(factor, number_of(a->args[0]), &c))
            return overflowing_scale(ir, factor, a);
        return join(ir, c, a->args + numbered, a->num_args - numbered);
    }
    const struct sym *const args[] = { number_sym(ir, factor), a };
    return sym_node(ir, SYM_MUL, NULL, NULL, args, 2);
}

/* ---- sums ---- */

/* Adds up neighbours with equal rest; false: overflow. */
static bool merge_terms(struct ir *ir, struct sym_list *l)
{
    uint32_t kept = 0, next;
    for (uint32_t i = 0; i < l->count; i = next) {
        const struct sym *term = l->items[i], *rest = NULL;
        for (next = i + 1; next < l->count && !sym_order_terms(term, l->items[next]); next++)
            ;
        if (next > i + 1) {
            struct number c = sym_coefficient(ir, term, &rest);
            for (uint32_t j = i + 1; j < next; j++)
                if (!number_add(c, sym_coefficient(ir, l->items[j], NULL), &c))
                    return false;
            if (number_sign(c) == 0)
                continue;
            term = sym_is_number(rest) ? number_sym(ir, c) : sym_scale(ir, c, rest);
        }
        l->items[kept++] = term;
    }
    l->count = kept;
    return true;
}

/* (N + 1)*M - M is M*N: multiplied out where that leaves fewer terms. The answer is kept, for it is asked often. */
static const struct sym *shorten(struct ir *ir, const struct sym *sum)
{
    if (!is_sum(sum))
        return sum;
    if (!sum->shorter) {
        const struct sym *open = sym_expand_terms(ir, sum);
        uint32_t count;
        sym_terms(&open, &count);
        ((struct sym *)sum)->shorter = count < sum->num_args ? open : sum;
    }
    return sum->shorter;
}

static bool is_plain_int(const struct sym *s) { return s->op == SYM_INT && !s->type; }

/* Neither a number nor made of operands that are to be put in order. */
static bool is_unit(const struct sym *s) { return !sym_is_number(s) && !is_sum(s) && !is_product(s); }

const struct sym *sym_sum(struct ir *ir, const struct sym *const *args, uint32_t count)
{
    if (count == 1 && (is_plain_int(args[0]) || is_unit(args[0])))
        return args[0];
    struct sym_list l;
    sym_list_init(&l, ir);
    int infinite = 0;
    bool nan = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *a = args[i];
        int sign = infinity_sign(a);
        if (a->op == SYM_UNDEFINED)
            return a;
        nan = nan || a->op == SYM_NAN || (sign && infinite == -sign);
        infinite = sign ? sign : infinite;
        if (is_sum(a))
            for (uint32_t j = 0; j < a->num_args; j++)
                sym_list_add(&l, a->args[j]);
        else if (!sym_is_number(a) || number_sign(number_of(a)))
            sym_list_add(&l, a);
    }
    if (nan)
        return sym_leaf(ir, SYM_NAN);
    if (infinite)
        return sym_scale(ir, number_int(infinite), sym_leaf(ir, SYM_INFINITY));
    sym_sort(ir, l.items, l.count, sym_order_terms);
    if (!merge_terms(ir, &l))
        return sym_raw(ir, SYM_ADD, args, count);
    if (l.count < 2)
        return l.count ? l.items[0] : sym_int(ir, 0);
    if (l.items[0]->op == SYM_INT && l.items[0]->type)
        l.items[0] = sym_int(ir, l.items[0]->i);
    return shorten(ir, sym_node(ir, SYM_ADD, NULL, NULL, l.items, l.count));
}

bool sym_content(const struct sym *a, struct number *out)
{
    uint32_t count;
    const struct sym *const *terms = sym_terms(&a, &count);
    uint64_t divisor = 0, multiple = 1;
    for (uint32_t i = 0; i < count; i++) {
        struct number c = sym_coefficient(NULL, terms[i], NULL);
        if (c.real)
            return false;
        divisor = number_gcd(divisor, c.num < 0 ? -(uint64_t)c.num : (uint64_t)c.num);
        uint64_t more = (uint64_t)c.den / number_gcd(multiple, (uint64_t)c.den);
        if (__builtin_mul_overflow(multiple, more, &multiple) || multiple > INT64_MAX || divisor > INT64_MAX)
            return false;
    }
    const struct sym *leading = count > 1 && sym_is_number(terms[0]) ? terms[1] : terms[0];
    int sign = number_sign(sym_coefficient(NULL, leading, NULL));
    return divisor && number_make(sign < 0 ? -(int64_t)divisor : (int64_t)divisor, (int64_t)multiple, out);
}

/* ---- products ---- */

struct product {
    struct ir *ir;
    struct number coefficient;
    struct sym_list factors, later; /* later: powers that turned into something else, to be multiplied in again */
    bool nan, fits;
};

static void times_number(struct product *p, struct number n)
{
    p->fits = p->fits && number_mul(p->coefficient, n, &p->coefficient);
}

static void add_factor(struct product *p, const struct sym *f)
{
    if (sym_is_number(f))
        times_number(p, number_of(f));
    else
        sym_list_add(&p->factors, f);
    p->nan = p->nan || f->op == SYM_NAN;
}

/* Sums among other factors are divided by their content. */
static void make_primitive(struct product *p)
{
    for (uint32_t i = 0; i < p->factors.count; i++) {
        const struct sym *f = p->factors.items[i];
        struct number c, inverse;
        if (!is_sum(f) || !sym_content(f, &c) || is_one(c) || !number_div(ONE, c, &inverse))
            continue;
        f = sym_scale(p->ir, inverse, f);
        if (f->raw)
            continue;
        p->factors.items[i] = f;
        times_number(p, c);
    }
}

static const struct sym *exponent_of(struct ir *ir, const struct sym *f)
{
    return f->op == SYM_POW ? f->args[1] : sym_int(ir, 1);
}

static void merge_factors(struct product *p)
{
    uint32_t kept = 0, next;
    for (uint32_t i = 0; i < p->factors.count; i = next) {
        const struct sym *f = p->factors.items[i];
        for (next = i + 1; next < p->factors.count && !sym_order_factors(f, p->factors.items[next]); next++)
            ;
        if (next > i + 1) {
            const struct sym *base = f->op == SYM_POW ? f->args[0] : f;
            struct sym_list exponents;
            sym_list_init(&exponents, p->ir);
            for (uint32_t j = i; j < next; j++)
                sym_list_add(&exponents, exponent_of(p->ir, p->factors.items[j]));
            f = sym_power(p->ir, base, sym_sum(p->ir, exponents.items, exponents.count));
            if (sym_is_number(f)) {
                times_number(p, number_of(f));
                continue;
            }
            if (!(f->op == SYM_POW && f->args[0] == base) && (f != base || is_sum(f))) {
                sym_list_add(&p->later, f);
                continue;
            }
        }
        p->factors.items[kept++] = f;
    }
    p->factors.count = kept;
}

const struct sym *sym_product(struct ir *ir, const struct sym *const *args, uint32_t count)
{
    struct product p = { .ir = ir, .coefficient = ONE, .fits = true };
    sym_list_init(&p.factors, ir);
    sym_list_init(&p.later, ir);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n;
        const struct sym *const *factors = sym_factors(&args[i], &n);
        if (args[i]->op == SYM_UNDEFINED)
            return args[i];
        for (uint32_t j = 0; j < n; j++)
            add_factor(&p, factors[j]);
    }
    if (p.nan)
        return sym_leaf(ir, SYM_NAN);
    if (p.factors.count > 1) {
        make_primitive(&p);
        sym_sort(ir, p.factors.items, p.factors.count, sym_order_factors);
        merge_factors(&p);
    }
    if (!p.fits)
        return sym_raw(ir, SYM_MUL, args, count);
    const struct sym *result = join(ir, p.coefficient, p.factors.items, p.factors.count);
    if (!p.later.count)
        return result;
    sym_list_add(&p.later, result);
    return sym_product(ir, p.later.items, p.later.count);
}

/* ---- powers ---- */

/* base ** n for a sum or product as base */
static const struct sym *integer_power(struct ir *ir, const struct sym *base, const struct sym *n)
{
    const struct sym *const args[] = { base, n };
    struct number c;
    if (is_sum(base)) {
        struct number inverse, power;
        if (sym_content(base, &c) && !is_one(c) && number_div(ONE, c, &inverse) &&
            number_pow(c, number_of(n), &power)) {
            const struct sym *primitive = sym_scale(ir, inverse, base);
            if (!primitive->raw)
                return sym_scale(ir, power, sym_power(ir, primitive, n));
        }
        return sym_node(ir, SYM_POW, NULL, NULL, args, 2);
    }
    struct sym_list factors;
    sym_list_init(&factors, ir);
    for (uint32_t i = 0; i < base->num_args; i++) {
        const struct sym *f = base->args[i];
        if (sym_is_number(f) && !number_pow(number_of(f), number_of(n), &c))
            return sym_node(ir, SYM_POW, NULL, NULL, args, 2);
        sym_list_add(&factors, sym_power(ir, f, n));
    }
    return sym_product(ir, factors.items, factors.count);
}

const struct sym *sym_power(struct ir *ir, const struct sym *base, const struct sym *exponent)
{
    const struct sym *const args[] = { base, exponent };
    if (base->op == SYM_UNDEFINED || exponent->op == SYM_UNDEFINED)
        return sym_leaf(ir, SYM_UNDEFINED);
    if (exponent->op == SYM_INT && !exponent->i)
        return sym_int(ir, 1);
    if (sym_is_int(exponent, 1) || sym_is_int(base, 1))
        return base;
    if (sym_is_number(base) && sym_is_number(exponent)) {
        struct number n;
        if (number_pow(number_of(base), number_of(exponent), &n))
            return number_sym(ir, n);
    } else if (exponent->op == SYM_INT) {
        if (base->op == SYM_POW)
            return sym_power(ir, base->args[0], sym_mul(ir, base->args[1], exponent));
        if (is_sum(base) || is_product(base))
            return integer_power(ir, base, exponent);
    }
    return sym_node(ir, SYM_POW, NULL, NULL, args, 2);
}

/* ---- two operands ---- */

static const struct sym *add_any(struct ir *ir, const struct sym *a, const struct sym *b)
{
    struct syms *t = ir->syms;
    uint32_t at = (a->id * 31 + b->id) % SYM_LAST_SUMS;
    if (t->sums[at].a == a && t->sums[at].b == b)
        return t->sums[at].sum;
    const struct sym *const args[] = { a, b };
    const struct sym *sum = sym_sum(ir, args, 2);
    if (sum->op != SYM_UNDEFINED) { /* which is counted each time if it is too large */
        t->sums[at].a = a;
        t->sums[at].b = b;
        t->sums[at].sum = sum;
    }
    return sum;
}

const struct sym *sym_add(struct ir *ir, const struct sym *a, const struct sym *b)
{
    int64_t sum;
    if (is_plain_int(a) && is_plain_int(b) && !__builtin_add_overflow(a->i, b->i, &sum) && sum != INT64_MIN)
        return sym_int(ir, sum);
    if (sym_is_int(b, 0) && is_unit(a))
        return a;
    if (sym_is_int(a, 0) && is_unit(b))
        return b;
    return add_any(ir, a, b);
}

const struct sym *sym_neg(struct ir *ir, const struct sym *a) { return sym_scale(ir, number_int(-1), a); }

const struct sym *sym_sub(struct ir *ir, const struct sym *a, const struct sym *b)
{
    if (a == b && a->op == SYM_NAME)
        return sym_int(ir, 0);
    return sym_add(ir, a, sym_neg(ir, b));
}

const struct sym *sym_mul(struct ir *ir, const struct sym *a, const struct sym *b)
{
    int64_t product;
    if (is_plain_int(a) && is_plain_int(b) && !__builtin_mul_overflow(a->i, b->i, &product) && product != INT64_MIN)
        return sym_int(ir, product);
    if (sym_is_int(b, 1) && is_unit(a))
        return a;
    if (sym_is_int(a, 1) && is_unit(b))
        return b;
    const struct sym *const args[] = { a, b };
    return sym_product(ir, args, 2);
}

const struct sym *sym_div(struct ir *ir, const struct sym *a, const struct sym *b)
{
    return sym_mul(ir, a, sym_power(ir, b, sym_int(ir, -1)));
}
