#include "ir/sym/sym_internal.h"

#include <string.h>

static const struct sym *base_of(const struct sym *s) { return s->op == SYM_POW ? s->args[0] : s; }

static int order_numbers(const struct sym *a, const struct sym *b)
{
    int c = number_compare(number_of(a), number_of(b));
    if (c)
        return c;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    uint32_t x = a->type ? 1 + (uint32_t)a->type->kind : 0, y = b->type ? 1 + (uint32_t)b->type->kind : 0;
    return (x > y) - (x < y);
}

static int order_lists(const struct sym *a, const struct sym *b)
{
    for (uint32_t i = 0; i < a->num_args && i < b->num_args; i++) {
        int c = sym_order(a->args[i], b->args[i]);
        if (c)
            return c;
    }
    return (a->num_args > b->num_args) - (a->num_args < b->num_args);
}

/* Two expressions as units: names first, in the order of their bytes. */
static int order_units(const struct sym *a, const struct sym *b)
{
    if (a == b)
        return 0;
    if (sym_is_number(a) && sym_is_number(b))
        return order_numbers(a, b);
    if (a->op != b->op)
        return a->op == SYM_NAME ? -1 : b->op == SYM_NAME ? 1 : a->op < b->op ? -1 : 1;
    int c = 0;
    switch (a->op) {
    case SYM_NAME:
    case SYM_STRING:
    case SYM_SUBSCRIPT:
    case SYM_ATTR:
    case SYM_CALL:
        c = strcmp(a->name, b->name);
        break;
    case SYM_BOOL:
        return a->i < b->i ? -1 : 1;
    case SYM_FLOAT:
        c = (a->f > b->f) - (a->f < b->f);
        break;
    default:
        break;
    }
    if (!c && a->type && b->type)
        c = (a->type->kind > b->type->kind) - (a->type->kind < b->type->kind);
    if (!c)
        c = order_lists(a, b);
    if (!c)
        c = (int)a->raw - (int)b->raw;
    return c ? c : a->id < b->id ? -1 : 1;
}

int sym_order_factors(const struct sym *a, const struct sym *b) { return order_units(base_of(a), base_of(b)); }

static int order_exponents(const struct sym *a, const struct sym *b)
{
    if (a->op != SYM_POW && b->op != SYM_POW)
        return 0;
    if (a->op == SYM_POW && b->op == SYM_POW)
        return sym_order(a->args[1], b->args[1]);
    const struct sym *e = a->op == SYM_POW ? a->args[1] : b->args[1];
    int c = sym_is_number(e) ? number_compare(number_of(e), number_int(1)) : 1;
    if (!c)
        c = 1; /* x**1.0 */
    return a->op == SYM_POW ? c : -c;
}

/* The factors behind the number of a term; a number has none. */
static const struct sym *const *rest_of(const struct sym *const *a, uint32_t *count)
{
    if (sym_is_number(*a)) {
        *count = 0;
        return a;
    }
    const struct sym *const *factors = sym_factors(a, count);
    if (*count > 1 && sym_is_number(factors[0])) {
        --*count;
        factors++;
    }
    return factors;
}

int sym_order_terms(const struct sym *a, const struct sym *b)
{
    if (a == b)
        return 0;
    uint32_t x, y;
    const struct sym *const *fa = rest_of(&a, &x), *const *fb = rest_of(&b, &y);
    if (x != y)
        return x < y ? -1 : 1;
    for (uint32_t i = 0; i < x; i++) {
        if (fa[i] == fb[i])
            continue;
        int c = sym_order_factors(fa[i], fb[i]);
        if (!c)
            c = order_exponents(fa[i], fb[i]);
        if (c)
            return c;
    }
    return 0;
}

static struct number leading_number(const struct sym *a)
{
    if (sym_is_number(a))
        return number_of(a);
    return a->op == SYM_MUL && !a->raw && sym_is_number(a->args[0]) ? number_of(a->args[0]) : number_int(1);
}

int sym_order(const struct sym *a, const struct sym *b)
{
    if (a == b)
        return 0;
    int c = sym_order_terms(a, b);
    if (c)
        return c;
    if (sym_is_number(a) && sym_is_number(b))
        return order_numbers(a, b);
    c = number_compare(leading_number(a), leading_number(b));
    return c ? c : a->id < b->id ? -1 : 1; /* 2*x before 2.0*x, or the other way round: no order of their own */
}

/* ---- stable merge sort ---- */

static void insertion_sort(const struct sym **items, uint32_t count,
                           int (*order)(const struct sym *, const struct sym *))
{
    for (uint32_t i = 1; i < count; i++) {
        const struct sym *s = items[i];
        uint32_t at = i;
        for (; at > 0 && order(items[at - 1], s) > 0; at--)
            items[at] = items[at - 1];
        items[at] = s;
    }
}

static void merge_sort(const struct sym **items, const struct sym **spare, uint32_t count,
                       int (*order)(const struct sym *, const struct sym *))
{
    if (count <= 8) {
        insertion_sort(items, count, order);
        return;
    }
    uint32_t half = count / 2, i = 0, j = half, at = 0;
    merge_sort(items, spare, half, order);
    merge_sort(items + half, spare, count - half, order);
    if (order(items[half - 1], items[half]) <= 0)
        return;
    while (i < half && j < count)
        spare[at++] = order(items[i], items[j]) <= 0 ? items[i++] : items[j++];
    while (i < half)
        spare[at++] = items[i++];
    memcpy(items, spare, at * sizeof *items); /* what is left of the second half is in place */
}

void sym_sort(struct ir *ir, const struct sym **items, uint32_t count,
              int (*order)(const struct sym *, const struct sym *))
{
    if (count <= 8)
        insertion_sort(items, count, order);
    else
        merge_sort(items, NEW_ARRAY(ir->arena, const struct sym *, count), count, order);
}
