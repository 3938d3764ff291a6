/* Python divides integers towards minus infinity. What is computed from a graph divides as C does, towards zero: in
 * code, and in ranges, subsets and shapes. Here quotients of symbols are spelt so that both are the same. */
#include "frontend/lower.h"

#include "base/intern.h"

static bool divides(const struct sym *s) { return s->op == SYM_FLOOR_DIV || s->op == SYM_CEIL_DIV || s->op == SYM_MOD; }

/* `s` with other operands. */
static const struct sym *with_args(struct fe *f, const struct sym *s, const struct sym *const *args)
{
    bool named = s->op == SYM_SUBSCRIPT || s->op == SYM_ATTR || s->op == SYM_CALL;
    return sym_make(f->ir, s->op, s->op == SYM_CAST ? s->type : NULL, named ? s->name : NULL, args, s->num_args);
}

static const struct sym *pair(struct fe *f, enum sym_op op, const struct sym *a, const struct sym *b)
{
    const struct sym *args[2] = { a, b };
    return sym_make(f->ir, op, NULL, NULL, args, 2);
}

static const struct sym *called(struct fe *f, const char *name, const struct sym *a, const struct sym *b)
{
    const struct sym *args[2] = { a, b };
    return sym_make(f->ir, SYM_CALL, NULL, intern(f->ir->names, name), args, 2);
}

const struct sym *fe_code_division(struct fe *f, const struct sym *s)
{
    if (!s->num_args)
        return s;
    const struct sym **args = NEW_ARRAY(f->arena, const struct sym *, s->num_args);
    for (uint32_t i = 0; i < s->num_args; i++)
        args[i] = fe_code_division(f, s->args[i]);
    if (s->op == SYM_CEIL_DIV)
        return sym_neg(f->ir, called(f, "py_floor", sym_neg(f->ir, args[0]), args[1]));
    return divides(s) ? called(f, s->op == SYM_MOD ? "py_mod" : "py_floor", args[0], args[1]) : with_args(f, s, args);
}

/* For a positive b that is right for dividends of both signs. */
static const struct sym *quotient(struct fe *f, const struct sym *a, const struct sym *b)
{
    if (b->op == SYM_INT && b->i < 0)
        return quotient(f, sym_neg(f->ir, a), sym_neg(f->ir, b));
    const struct sym *zero = sym_int(f->ir, 0), *above = pair(f, SYM_MAX, a, zero),
                     *below = pair(f, SYM_MAX, sym_neg(f->ir, a), zero);
    return sym_sub(f->ir, pair(f, SYM_FLOOR_DIV, above, b), pair(f, SYM_CEIL_DIV, below, b));
}

/* Whether calls may be required to have a dividend that is not negative: where only an empty array would make it so,
 * and in sizes. */
static bool may_require(struct fe *f, const struct sym *a, bool size)
{
    bool never = sym_less_equal_from(f->ir, a, sym_int(f->ir, 0), 1) == TRUTH_YES;
    return !f->branches && fe_is_of_program(f, a) && (size ? !never : fe_is_above(f, a, 1));
}

/* a // b, rounded up for SYM_CEIL_DIV, or a % b; NULL with an error. */
static const struct sym *exact(struct fe *f, const struct py *n, bool size, enum sym_op op, const struct sym *a,
                               const struct sym *b)
{
    bool positive = b->op == SYM_INT ? b->i > 0 : fe_is_not_negative(f, b);
    if (positive && fe_is_not_negative(f, a))
        return pair(f, op, a, b);
    if (!positive && !f->branches && fe_is_of_program(f, b) && b->op != SYM_INT) {
        const char *said = fe_format(f, "the divisor %s of an index, bound or size must be positive", fe_text(f, b));
        fe_require_negative(f, n, sym_neg(f->ir, b), said);
        positive = true;
    }
    if (!positive && b->op != SYM_INT)
        return fe_unsupported(f, n, "a division by %s in an index, bound or size: it may be negative", fe_text(f, b));
    if (positive && may_require(f, a, size)) {
        const char *said =
            fe_format(f, "the dividend %s of an index, bound or size must not be negative", fe_text(f, a));
        fe_require_negative(f, n, sym_sub(f->ir, sym_int(f->ir, -1), a), said);
        return pair(f, op, a, b);
    }
    if (op == SYM_CEIL_DIV)
        return sym_neg(f->ir, quotient(f, sym_neg(f->ir, a), b));
    const struct sym *q = quotient(f, a, b);
    return op == SYM_MOD ? sym_sub(f->ir, a, sym_mul(f->ir, q, b)) : q;
}

const struct sym *fe_exact_division(struct fe *f, const struct py *n, const struct sym *s, bool size)
{
    if (!s->num_args)
        return s;
    const struct sym **args = NEW_ARRAY(f->arena, const struct sym *, s->num_args);
    bool changed = false;
    for (uint32_t i = 0; i < s->num_args; i++) {
        args[i] = fe_exact_division(f, n, s->args[i], size);
        if (!args[i])
            return NULL;
        changed |= args[i] != s->args[i];
    }
    return divides(s) ? exact(f, n, size, s->op, args[0], args[1]) : changed ? with_args(f, s, args) : s;
}
