/* Minimum, maximum, comparisons, logic, bits, selection and casts. */
#include "ir/sym/sym_internal.h"

#include <math.h>
#include <string.h>

/* Whether a - b is a number; `sign` becomes its sign. Canonical sums differ by a number only in their first term. */
static bool differ_by_number(const struct sym *a, const struct sym *b, int *sign)
{
    uint32_t x, y;
    const struct sym *const *ta = sym_terms(&a, &x), *const *tb = sym_terms(&b, &y);
    struct number na = number_int(0), nb = na;
    if (sym_is_number(*ta)) {
        na = number_of(*ta++);
        x--;
    }
    if (sym_is_number(*tb)) {
        nb = number_of(*tb++);
        y--;
    }
    *sign = number_compare(na, nb);
    return x == y && (!x || !memcmp(ta, tb, x * sizeof *ta));
}

/* ---- Min, Max, Abs ---- */

static bool is_minus_infinity(const struct sym *s)
{
    return s->op == SYM_MUL && s->num_args == 2 && s->args[1]->op == SYM_INFINITY && sym_is_int(s->args[0], -1);
}

/* Drops items that another one beats whatever the symbols are. */
static void drop_beaten(struct sym_list *l, enum sym_op op)
{
    enum { MANY = 16 }; /* pairs are compared */
    if (l->count > MANY)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t j = i + 1; j < l->count; j++) {
            int sign;
            if (!differ_by_number(l->items[i], l->items[j], &sign))
                continue;
            if (op == SYM_MIN ? sign > 0 : sign < 0)
                l->items[i] = l->items[j];
            memmove(&l->items[j], &l->items[j + 1], (l->count - j - 1) * sizeof *l->items);
            l->count--;
            j--;
        }
}

const struct sym *sym_min_max(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t count)
{
    struct sym_list l;
    sym_list_init(&l, ir);
    const struct sym *neutral = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *a = args[i];
        bool high = a->op == SYM_INFINITY, low = is_minus_infinity(a);
        if (a->op == SYM_UNDEFINED || a->op == SYM_NAN || (op == SYM_MIN ? low : high))
            return a;
        if (high || low)
            neutral = a;
        else if (a->op == op)
            for (uint32_t j = 0; j < a->num_args; j++)
                sym_list_add(&l, a->args[j]);
        else
            sym_list_add(&l, a);
    }
    if (!l.count)
        return neutral;
    sym_sort(ir, l.items, l.count, sym_order);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < l.count; i++)
        if (l.items[i] != l.items[kept - 1])
            l.items[kept++] = l.items[i];
    l.count = kept;
    drop_beaten(&l, op);
    sym_sort(ir, l.items, l.count, sym_order);
    return l.count == 1 ? l.items[0] : sym_node(ir, op, NULL, NULL, l.items, l.count);
}

const struct sym *sym_abs(struct ir *ir, const struct sym *a)
{
    struct number n;
    if (a->op == SYM_ABS || a->op == SYM_UNDEFINED || a->op == SYM_NAN || a->op == SYM_INFINITY)
        return a;
    if (sym_is_number(a) ? number_sign(number_of(a)) < 0 : sym_content(a, &n) && n.num < 0)
        return sym_abs(ir, sym_neg(ir, a));
    return sym_is_number(a) ? a : sym_node(ir, SYM_ABS, NULL, NULL, &a, 1);
}

/* ---- comparisons, logic ---- */

static bool is_constant(const struct sym *s) { return sym_is_constant(s) || s->op == SYM_STRING || s->op == SYM_NONE; }

const struct sym *sym_comparison(struct ir *ir, enum sym_op op, const struct sym *a, const struct sym *b)
{
    const struct sym *args[] = { a, b };
    int sign;
    if (a->op == SYM_UNDEFINED || b->op == SYM_UNDEFINED || a->op == SYM_NAN || b->op == SYM_NAN)
        return sym_node(ir, op, NULL, NULL, args, 2);
    bool equality = op == SYM_EQ || op == SYM_NE;
    if (equality && a->op == b->op && is_constant(a) && a->op >= SYM_BOOL)
        return sym_bool(ir, (a == b) == (op == SYM_EQ));
    if (differ_by_number(a, b, &sign))
        return sym_bool(ir, op == SYM_LT ? sign < 0 : op == SYM_LE ? sign <= 0 : (sign == 0) == (op == SYM_EQ));
    if (equality && (is_constant(a) != is_constant(b) ? is_constant(a) : sym_order(a, b) > 0)) {
        args[0] = b; /* constants stand on the right */
        args[1] = a;
    }
    return sym_node(ir, op, NULL, NULL, args, 2);
}

const struct sym *sym_not(struct ir *ir, const struct sym *a)
{
    switch (a->op) {
    case SYM_BOOL:
    case SYM_INT:
        return sym_bool(ir, !a->i);
    case SYM_LT:
        return sym_comparison(ir, SYM_LE, a->args[1], a->args[0]);
    case SYM_LE:
        return sym_comparison(ir, SYM_LT, a->args[1], a->args[0]);
    case SYM_EQ:
        return sym_comparison(ir, SYM_NE, a->args[0], a->args[1]);
    case SYM_NE:
        return sym_comparison(ir, SYM_EQ, a->args[0], a->args[1]);
    case SYM_NOT:
        if (sym_is_boolean(a->args[0]))
            return a->args[0];
        break;
    default:
        break;
    }
    return sym_node(ir, SYM_NOT, NULL, NULL, &a, 1);
}

const struct sym *sym_and_or(struct ir *ir, enum sym_op op, const struct sym *const *args, uint32_t count)
{
    enum { MANY = 256 }; /* longer ones stay nested */
    struct sym_list l;
    sym_list_init(&l, ir);
    uint32_t flat = 0;
    for (uint32_t i = 0; i < count; i++)
        flat += args[i]->op == op ? args[i]->num_args : 1;
    for (uint32_t i = 0; i < count; i++) {
        bool inner = args[i]->op == op && flat <= MANY;
        const struct sym *const *items = inner ? args[i]->args : &args[i];
        for (uint32_t j = 0; j < (inner ? args[i]->num_args : 1); j++) {
            const struct sym *a = items[j];
            if (a->op == SYM_UNDEFINED || (a->op == SYM_BOOL && a->i == (op == SYM_OR)))
                return a;
            bool known = a->op == SYM_BOOL;
            for (uint32_t k = 0; k < l.count && flat <= MANY && !known; k++)
                known = l.items[k] == a;
            if (!known)
                sym_list_add(&l, a);
        }
    }
    if (!l.count)
        return sym_bool(ir, op == SYM_AND);
    if (l.count > 1)
        return sym_node(ir, op, NULL, NULL, l.items, l.count);
    return sym_is_boolean(l.items[0]) ? l.items[0] : sym_comparison(ir, SYM_NE, l.items[0], sym_int(ir, 0));
}

const struct sym *sym_select(struct ir *ir, const struct sym *const *args)
{
    const struct sym *condition = args[0];
    if (condition->op == SYM_BOOL || condition->op == SYM_INT)
        return condition->i ? args[1] : args[2];
    if (args[1] == args[2] && condition->op != SYM_UNDEFINED)
        return args[1];
    return sym_node(ir, SYM_SELECT, NULL, NULL, args, 3);
}

/* ---- bits ---- */

static bool fold_bits(enum sym_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case SYM_BIT_AND:
        *out = a & b;
        return true;
    case SYM_BIT_OR:
        *out = a | b;
        return true;
    case SYM_BIT_XOR:
        *out = a ^ b;
        return true;
    case SYM_SHR:
        *out = b > 62 ? (a < 0 ? -1 : 0) : a >> (b & 63);
        return b >= 0;
    default:
        return b >= 0 && b < 63 && !__builtin_mul_overflow(a, (int64_t)1 << (b & 63), out);
    }
}

const struct sym *sym_bits(struct ir *ir, enum sym_op op, const struct sym *const *args)
{
    int64_t value;
    if (op == SYM_BIT_NOT) {
        if (args[0]->op == SYM_INT)
            return sym_int(ir, ~args[0]->i);
        if (args[0]->op == SYM_BIT_NOT && args[0]->integer)
            return args[0]->args[0];
        return sym_node(ir, op, NULL, NULL, args, 1);
    }
    const struct sym *pair[] = { args[0], args[1] };
    if (pair[0]->op == SYM_INT && pair[1]->op == SYM_INT && fold_bits(op, pair[0]->i, pair[1]->i, &value))
        return sym_int(ir, value);
    if (op != SYM_SHL && op != SYM_SHR)
        sym_sort(ir, pair, 2, sym_order);
    return sym_node(ir, op, NULL, NULL, pair, 2);
}

/* ---- casts ---- */

bool sym_fits(int64_t value, const struct type *type)
{
    uint32_t bits = type->size * 8;
    if (type_is_unsigned(type))
        return value >= 0 && (bits == 64 || value < (int64_t)1 << bits);
    return bits == 64 || (value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1));
}

/* Of constants where the result is exact; conversions that lose something are left to run time. */
const struct sym *sym_cast(struct ir *ir, const struct type *type, const struct sym *a)
{
    const double exact = 9007199254740992.0; /* 2**53 */
    bool constant = a->op == SYM_INT || a->op == SYM_BOOL || a->op == SYM_FLOAT;
    double f = a->op == SYM_FLOAT ? a->f : constant ? (double)a->i : 0;
    if (constant && type->kind == TYPE_BOOL)
        return sym_bool(ir, f != 0);
    if (constant && type_is_integer(type) && fabs(f) <= exact && sym_fits((int64_t)f, type))
        return sym_typed_int(ir, (int64_t)f, type);
    if (constant && type_is_integer(type) && a->op == SYM_INT && sym_fits(a->i, type))
        return sym_typed_int(ir, a->i, type);
    if (constant && type_is_float(type) && f >= 0 && f <= exact && (a->op != SYM_FLOAT || !a->type))
        return sym_typed_float(ir, f, type);
    if (a->op == SYM_CAST && a->type == type)
        return a;
    return sym_node(ir, SYM_CAST, type, NULL, &a, 1);
}
