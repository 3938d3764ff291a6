#include "frontend/lower.h"

#include <math.h>
#include <string.h>

bool fe_same_extent(struct fe *f, const struct sym *a, const struct sym *b)
{
    return a == b || sym_equal(f->ir, a, b) == TRUTH_YES || sym_expand(f->ir, a) == sym_expand(f->ir, b);
}

static const char *op_text(enum py_op op)
{
    static const char *const texts[PY_OP_COUNT] = {
        [PY_ADD] = "+",    [PY_SUB] = "-",        [PY_MULT] = "*",      [PY_MATMULT] = "@", [PY_DIV] = "/",
        [PY_MOD] = "%",    [PY_POW] = "**",       [PY_LSHIFT] = "<<",   [PY_RSHIFT] = ">>", [PY_BITOR] = "|",
        [PY_BITXOR] = "^", [PY_BITAND] = "&",     [PY_FLOORDIV] = "//", [PY_INVERT] = "~",  [PY_NOT] = "not",
        [PY_UADD] = "+",   [PY_USUB] = "-",       [PY_EQ] = "==",       [PY_NOTEQ] = "!=",  [PY_LT] = "<",
        [PY_LTE] = "<=",   [PY_GT] = ">",         [PY_GTE] = ">=",      [PY_IS] = "is",     [PY_ISNOT] = "is not",
        [PY_IN] = "in",    [PY_NOTIN] = "not in", [PY_AND] = "and",     [PY_OR] = "or",
    };
    return texts[op] ? texts[op] : "";
}

/* x, y: the extents that do not match. That of `A[k:k + 1]` is 1, or 0 if k is behind the end. */
static const char *mismatch(struct fe *f, const struct value *a, const struct value *b, const struct sym *x,
                            const struct sym *y)
{
    bool empty = sym_is_int(fe_unclipped(f, x), 1) || sym_is_int(fe_unclipped(f, y), 1);
    return fe_format(f, "operands of shapes that do not match: %s and %s%s", fe_describe(f, a), fe_describe(f, b),
                     empty ? " (a slice that begins behind the end is empty; with index=trust, slices lie inside)"
                           : "");
}

bool fe_broadcast(struct fe *f, const struct py *n, const struct value *a, const struct value *b,
                  const struct sym ***shape, uint32_t *rank)
{
    uint32_t ra = fe_is_data(a) ? a->rank : 0, rb = fe_is_data(b) ? b->rank : 0, r = ra > rb ? ra : rb;
    const struct sym **out = NEW_ARRAY(f->arena, const struct sym *, r + 1);
    for (uint32_t i = 0; i < r; i++) {
        const struct sym *x = i + ra >= r ? a->shape[i + ra - r] : NULL;
        const struct sym *y = i + rb >= r ? b->shape[i + rb - r] : NULL;
        if (!x || !y)
            out[i] = x ? x : y;
        else if (fe_same_extent(f, x, y) || sym_is_int(y, 1))
            out[i] = x;
        else if (sym_is_int(x, 1))
            out[i] = y;
        else if (!(out[i] = fe_common_extent(f, n, x, y, mismatch(f, a, b, x, y))))
            return false;
    }
    *shape = out;
    *rank = r;
    return true;
}

const struct value *fe_apply(struct fe *f, const struct py *n, const struct type *t, const char *format, uint32_t count,
                             const struct value *const *args)
{
    const struct value *joint = args[0];
    bool weak = args[0]->weak;
    for (uint32_t i = 1; i < count; i++) {
        const struct sym **shape;
        uint32_t rank;
        if (!fe_broadcast(f, n, joint, args[i], &shape, &rank))
            return NULL;
        joint = fe_elem(f, t, shape, rank, "", 0, NULL);
        weak &= args[i]->weak;
    }
    const struct value *v = fe_elem(f, t, joint->shape, fe_is_data(joint) ? joint->rank : 0, format, count, args);
    ((struct value *)v)->weak = weak && v->rank == 0;
    return v;
}

/* C computes in a wider type. */
static bool is_narrow(const struct type *t) { return (type_is_integer(t) && t->size < 4) || t->kind == TYPE_F16; }

static int64_t wrapped(int64_t i, const struct type *t)
{
    switch (t->kind) {
    case TYPE_I8:
        return (int8_t)i;
    case TYPE_I16:
        return (int16_t)i;
    case TYPE_I32:
        return (int32_t)i;
    case TYPE_U8:
        return (uint8_t)i;
    case TYPE_U16:
        return (uint16_t)i;
    case TYPE_U32:
        return (uint32_t)i;
    default:
        return i;
    }
}

/* A Python int that does not fit into the type of its partner is an error in NumPy. */
static bool fits_type(struct fe *f, const struct py *n, const struct type *t, const struct value *v)
{
    if (!v->weak || v->kind != FE_INT || !type_is_integer(t))
        return true;
    bool fits = t->kind == TYPE_U64 ? v->i >= 0 : wrapped(v->i, t) == v->i;
    return fits || fe_error(f, n, "%lld does not fit into %s", (long long)v->i, t->name) != NULL;
}

/* An operation of C on operands of one type; narrow ones wrap or are rounded as those of NumPy. */
static const struct value *arithmetic(struct fe *f, const struct py *n, const struct type *t, const char *format,
                                      const struct value *a, const struct value *b)
{
    if (!fits_type(f, n, t, a) || !fits_type(f, n, t, b))
        return NULL;
    const struct value *args[2] = { fe_cast(f, n, t, a), fe_cast(f, n, t, b) };
    if (!args[0] || !args[1])
        return NULL;
    if (is_narrow(t))
        format = fe_format(f, "dace.%s(%s)", t->name, format);
    const struct value *v = fe_apply(f, n, t, format, 2, args);
    if (v && a->weak && b->weak)
        ((struct value *)v)->weak = v->rank == 0;
    return v;
}

/* ---- numbers ---- */

double fe_real(const struct value *v) { return v->kind == FE_FLOAT || v->kind == FE_COMPLEX ? v->f : (double)v->i; }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

static const struct value *fold_int(struct fe *f, const struct py *n, enum py_op op, int64_t a, int64_t b)
{
    int64_t r = 0;
    bool over = false;
    switch (op) {
    case PY_ADD:
        over = __builtin_add_overflow(a, b, &r);
        break;
    case PY_SUB:
        over = __builtin_sub_overflow(a, b, &r);
        break;
    case PY_MULT:
        over = __builtin_mul_overflow(a, b, &r);
        break;
    case PY_DIV:
        return b ? fe_float(f, (double)a / (double)b) : fe_error(f, n, "division by zero");
    case PY_FLOORDIV:
    case PY_MOD:
        if (!b)
            return fe_error(f, n, "division by zero");
        over = b == -1 && a == INT64_MIN;
        r = over ? 0 : op == PY_MOD ? a - floor_div(a, b) * b : floor_div(a, b);
        break;
    case PY_POW:
        if (b < 0)
            return a ? fe_float(f, pow((double)a, (double)b)) : fe_error(f, n, "division by zero");
        r = 1;
        for (int64_t i = 0; i < b && !over && (a > 1 || a < -1); i++)
            over = __builtin_mul_overflow(r, a, &r);
        r = a == 0 ? b == 0 : a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : r;
        break;
    case PY_LSHIFT:
        over = b < 0 || b > 62 || (a << b) >> b != a;
        r = over ? 0 : a << b;
        break;
    case PY_RSHIFT:
        over = b < 0;
        r = a >> (b > 63 ? 63 : b);
        break;
    case PY_BITOR:
        r = a | b;
        break;
    case PY_BITXOR:
        r = a ^ b;
        break;
    case PY_BITAND:
        r = a & b;
        break;
    default:
        return fe_error(f, n, "operator on integers");
    }
    return over ? fe_unsupported(f, n, "an integer of more than 64 bits") : fe_int(f, r);
}

static const struct value *fold(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                const struct value *b)
{
    if (a->kind <= FE_INT && b->kind <= FE_INT)
        return fold_int(f, n, op, a->i, b->i);
    if (a->kind == FE_COMPLEX || b->kind == FE_COMPLEX) {
        double ar = fe_real(a), ai = a->im, br = fe_real(b), bi = b->im, d = br * br + bi * bi;
        switch (op) {
        case PY_ADD:
            return fe_complex(f, ar + br, ai + bi);
        case PY_SUB:
            return fe_complex(f, ar - br, ai - bi);
        case PY_MULT:
            return fe_complex(f, ar * br - ai * bi, ar * bi + ai * br);
        case PY_DIV:
            return d != 0 ? fe_complex(f, (ar * br + ai * bi) / d, (ai * br - ar * bi) / d)
                          : fe_error(f, n, "division by zero");
        default:
            return NULL;
        }
    }
    double x = fe_real(a), y = fe_real(b);
    if (y == 0 && (op == PY_DIV || op == PY_FLOORDIV || op == PY_MOD))
        return fe_error(f, n, "division by zero");
    switch (op) {
    case PY_ADD:
        return fe_float(f, x + y);
    case PY_SUB:
        return fe_float(f, x - y);
    case PY_MULT:
        return fe_float(f, x * y);
    case PY_DIV:
        return fe_float(f, x / y);
    case PY_FLOORDIV:
        return fe_float(f, floor(x / y));
    case PY_MOD:
        return fe_float(f, x - floor(x / y) * y);
    case PY_POW:
        return fe_float(f, pow(x, y));
    default:
        return fe_error(f, n, "a bit operation on %s and %s", fe_describe(f, a), fe_describe(f, b));
    }
}

/* Symbols: exact; NULL where the result is no integer for all values. */
static const struct value *symbolic(struct fe *f, enum py_op op, const struct sym *a, const struct sym *b)
{
    const struct sym *args[2] = { a, b };
    switch (op) {
    case PY_ADD:
        return fe_symbol(f, sym_add(f->ir, a, b));
    case PY_SUB:
        return fe_symbol(f, sym_sub(f->ir, a, b));
    case PY_MULT:
        return fe_symbol(f, sym_mul(f->ir, a, b));
    case PY_FLOORDIV:
        return fe_symbol(f, sym_make(f->ir, SYM_FLOOR_DIV, NULL, NULL, args, 2));
    case PY_MOD:
        return fe_symbol(f, sym_make(f->ir, SYM_MOD, NULL, NULL, args, 2));
    case PY_POW:
        return b->op == SYM_INT && b->i < 0 ? NULL : fe_symbol(f, sym_make(f->ir, SYM_POW, NULL, NULL, args, 2));
    default:
        return NULL;
    }
}

/* ---- data ---- */

void *fe_no_operator(struct fe *f, const struct py *n, enum py_op op, const struct value *a, const struct value *b)
{
    if (a->kind == FE_PYOBJECT || b->kind == FE_PYOBJECT)
        return fe_error(f, n, "Trying to operate on a callback: operator '%s' between %s and %s", op_text(op),
                        fe_describe(f, a), fe_describe(f, b));
    return fe_error(f, n, "operator '%s' between %s and %s", op_text(op), fe_describe(f, a), fe_describe(f, b));
}

static const struct value *power(struct fe *f, const struct py *n, const struct value *a, const struct value *b)
{
    const struct type *t = fe_result_type(f, a, b);
    bool constant = b->kind == FE_INT || (b->kind == FE_FLOAT && b->f == floor(b->f) && fabs(b->f) < 64);
    int64_t k = b->kind == FE_INT ? b->i : constant ? (int64_t)b->f : 0;
    if (t->kind == TYPE_BOOL)
        t = type_basic(f->ir, TYPE_I8);
    if (constant && fe_is_int_type(t) && k < 0)
        return fe_error(f, n, "an integer to a negative power");
    const struct value *x = fe_cast(f, n, t, a);
    if (constant && k == 2)
        return fe_apply(f, n, t, is_narrow(t) ? fe_format(f, "dace.%s($0 * $0)", t->name) : "($0 * $0)", 1, &x);
    if (constant && k >= -3 && k <= 8 && !type_is_complex(t))
        return fe_apply(f, n, t, fe_format(f, k < 0 ? "(1.0 / ($0 ** %d))" : "($0 ** %d)", (int)(k < 0 ? -k : k)), 1,
                        &x);
    if (fe_is_int_type(t))
        return arithmetic(f, n, t, "($0 ** $1)", a, b);
    if (b->kind == FE_FLOAT && b->f == 0.5)
        return fe_apply(f, n, t, "sqrt($0)", 1, &x);
    return arithmetic(f, n, t, "pow($0, $1)", a, b);
}

/* `//` and `%` of floats by the exact remainder, which has the sign of the divisor. The quotient is near an integer. */
static const char *float_division(struct fe *f, enum py_op op, const struct value *b)
{
    bool known = b->kind == FE_INT || b->kind == FE_FLOAT;
    const char *rest = "fmod($0, $1)";
    const char *turns = known ? fe_format(f, "%s %s 0", rest, fe_real(b) < 0 ? ">" : "<")
                              : fe_format(f, "(%s != 0 and (%s < 0) != ($1 < 0))", rest, rest);
    if (op == PY_MOD)
        return fe_format(f, "((%s + $1) if %s else %s)", rest, turns, rest);
    const char *quotient = fe_format(f, "floor(($0 - %s) / $1 - (0.5 if %s else -0.5))", rest, turns);
    return known && fe_real(b) != 0 ? quotient : fe_format(f, "(%s if $1 != 0 else $0 / $1)", quotient);
}

static const struct value *divide(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                  const struct value *b)
{
    const struct type *t = fe_result_type(f, a, b);
    if (op == PY_DIV)
        return arithmetic(f, n, fe_is_int_type(t) ? type_basic(f->ir, TYPE_F64) : t, "($0 / $1)", a, b);
    if (type_is_complex(t))
        return fe_no_operator(f, n, op, a, b);
    if (t->kind == TYPE_BOOL)
        t = type_basic(f->ir, TYPE_I8);
    if (fe_is_int_type(t)) {
        bool safe = b->kind == FE_INT && b->i != 0;
        /* DaCe's functions want operands of one type, which literals do not have */
        const char *name = op == PY_FLOORDIV ? "py_floor" : "py_mod";
        const char *format = fe_is_number(a)   ? fe_format(f, "%s(dace.%s($0), $1)", name, t->name)
                             : fe_is_number(b) ? fe_format(f, "%s($0, dace.%s($1))", name, t->name)
                                               : fe_format(f, "%s($0, $1)", name);
        return arithmetic(f, n, t, safe ? format : fe_format(f, "(%s if $1 != 0 else 0)", format), a, b);
    }
    return arithmetic(f, n, t, float_division(f, op, b), a, b);
}

static const struct value *bits(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                const struct value *b)
{
    const struct type *t = fe_result_type(f, a, b);
    if (!fe_is_int_type(t))
        return fe_no_operator(f, n, op, a, b);
    bool logical = t->kind == TYPE_BOOL;
    if (logical && (op == PY_LSHIFT || op == PY_RSHIFT))
        t = type_basic(f->ir, TYPE_I8);
    const char *format = op == PY_LSHIFT   ? "($0 << $1)"
                         : op == PY_RSHIFT ? "($0 >> $1)"
                         : op == PY_BITAND ? (logical ? "($0 and $1)" : "($0 & $1)")
                         : op == PY_BITOR  ? (logical ? "($0 or $1)" : "($0 | $1)")
                                           : (logical ? "($0 != $1)" : "($0 ^ $1)");
    return arithmetic(f, n, t, format, a, b);
}

/* What an array does with the operand, NumPy does with a list: with anything else the list would do something of its
 * own.
 */
static bool is_alone(const struct value *list, const struct value *other)
{
    return fe_is_list(list) && !(other && fe_is_data(other) && other->rank && !fe_is_list(other));
}

bool fe_refuses_list(struct fe *f, const struct py *n, const struct value *a, const struct value *b)
{
    const struct value *list = is_alone(a, b) ? a : b && is_alone(b, a) ? b : NULL;
    if (list)
        fe_unsupported(f, n, "an operator of %s whose length the run decides: np.array(...) makes an array of it",
                       fe_describe(f, list));
    return list != NULL;
}

/* The elements of one tuple or list and then those of the other, again and again. */
static const struct value *chained(struct fe *f, const struct value *a, const struct value *b, uint32_t count)
{
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        items[i] = i < a->count ? a->items[i] : b->items[(i - a->count) % b->count];
    const struct value *v = fe_tuple(f, items, count);
    return a->list ? fe_as_list(f, v) : v;
}

const struct value *fe_binary(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                              const struct value *b)
{
    if (!a || !b)
        return NULL;
    if (op == PY_ADD && a->kind == FE_TUPLE && b->kind == FE_TUPLE)
        return chained(f, a, b, a->count + b->count);
    if (op == PY_MULT && a->kind == FE_TUPLE && b->kind == FE_INT && b->i < 1000 && b->i * a->count < 1000)
        return chained(f, a, a, b->i > 0 ? (uint32_t)b->i * a->count : 0);
    if (fe_refuses_list(f, n, a, b))
        return NULL;
    if (op == PY_ADD && a->kind == FE_STRING && b->kind == FE_STRING)
        return fe_string(f, fe_format(f, "%s%s", a->text, b->text));
    if (!fe_is_operand(a) || !fe_is_operand(b))
        return fe_no_operator(f, n, op, a, b);
    if (fe_is_number(a) && fe_is_number(b) && a->weak && b->weak) {
        const struct value *v = fold(f, n, op, a, b);
        if (v || f->failed)
            return v;
    }
    const struct sym *sa = a->weak ? fe_sym(f, a) : NULL, *sb = b->weak ? fe_sym(f, b) : NULL;
    if (sa && sb) {
        const struct value *v = symbolic(f, op, sa, sb);
        if (v)
            return v;
    }
    const struct type *t = fe_result_type(f, a, b);
    bool truth = t->kind == TYPE_BOOL;
    switch (op) {
    case PY_ADD:
        return arithmetic(f, n, t, truth ? "($0 or $1)" : "($0 + $1)", a, b);
    case PY_SUB:
        return truth ? fe_no_operator(f, n, op, a, b) : arithmetic(f, n, t, "($0 - $1)", a, b);
    case PY_MULT:
        return arithmetic(f, n, t, truth ? "($0 and $1)" : "($0 * $1)", a, b);
    case PY_DIV:
    case PY_FLOORDIV:
    case PY_MOD:
        return divide(f, n, op, a, b);
    case PY_POW:
        return power(f, n, a, b);
    default:
        return bits(f, n, op, a, b);
    }
}

const struct value *fe_unary(struct fe *f, const struct py *n, enum py_op op, const struct value *a)
{
    bool truth;
    if (!a || fe_refuses_list(f, n, a, NULL))
        return NULL;
    if (op == PY_NOT) {
        if (fe_truth(a, &truth))
            return fe_bool(f, !truth);
        const struct value *b = fe_cast(f, n, type_basic(f->ir, TYPE_BOOL), a);
        return b ? fe_apply(f, n, b->type, "(not $0)", 1, &b) : NULL;
    }
    if (!fe_is_operand(a))
        return fe_error(f, n, "operator '%s' on %s", op_text(op), fe_describe(f, a));
    if (fe_is_number(a)) {
        if (op == PY_UADD)
            return a;
        if (op == PY_INVERT)
            return a->kind <= FE_INT ? fe_int(f, ~a->i) : fe_error(f, n, "operator ~ on %s", fe_describe(f, a));
        const struct value *v = a->kind == FE_COMPLEX ? fe_complex(f, -a->f, -a->im)
                                : a->kind == FE_FLOAT ? fe_float(f, -a->f)
                                                      : fe_int(f, -a->i);
        return a->type ? fe_cast(f, n, a->type, v) : v;
    }
    if (a->kind == FE_SYMBOL && op != PY_INVERT)
        return op == PY_UADD ? a : fe_symbol(f, sym_neg(f->ir, a->sym));
    const struct type *t = fe_own_type(f, a);
    if (op == PY_UADD)
        return a;
    if (op == PY_INVERT && !fe_is_int_type(t))
        return fe_error(f, n, "operator ~ on %s", fe_describe(f, a));
    if (op == PY_USUB && t->kind == TYPE_BOOL)
        return fe_error(f, n, "operator - on bool: use ~");
    const char *format = op == PY_USUB ? "(-$0)" : t->kind == TYPE_BOOL ? "(not $0)" : "(~$0)";
    return fe_apply(f, n, t, is_narrow(t) ? fe_format(f, "dace.%s%s", t->name, format) : format, 1, &a);
}

/* ---- conversions ---- */

const struct value *fe_cast(struct fe *f, const struct py *n, const struct type *t, const struct value *v)
{
    if (!v)
        return NULL;
    if (!fe_is_operand(v) || !type_is_basic(t))
        return fe_error(f, n, "%s as %s", fe_describe(f, v), type_text(f->ir, t));
    const struct type *own = fe_own_type(f, v);
    if (type_is_complex(own) && !type_is_complex(t) && t->kind != TYPE_BOOL)
        return fe_error(f, n, "%s as %s: the imaginary part would be lost, use .real", fe_describe(f, v),
                        type_text(f->ir, t));
    if (fe_is_number(v)) {
        struct value *c = arena_copy(f->arena, v, sizeof *v);
        c->kind = type_is_complex(t)     ? FE_COMPLEX
                  : type_is_float(t)     ? FE_FLOAT
                  : t->kind == TYPE_BOOL ? FE_BOOL
                                         : FE_INT;
        bool was_real = v->kind == FE_FLOAT || v->kind == FE_COMPLEX;
        if (c->kind == FE_FLOAT || c->kind == FE_COMPLEX)
            c->f = fe_real(v);
        else if (c->kind == FE_BOOL)
            c->i = was_real ? v->f != 0 || v->im != 0 : v->i != 0;
        else
            c->i = wrapped(was_real ? (fabs(v->f) < 9.2e18 ? (int64_t)v->f : INT64_MIN) : v->i, t);
        if (t->kind == TYPE_F32)
            c->f = (float)c->f;
        c->type = t;
        c->weak = false;
        return c;
    }
    if (own == t && v->kind != FE_SYMBOL)
        return v;
    const char *format = own == t ? "$0" : t->kind == TYPE_BOOL ? "($0 != 0)" : fe_format(f, "dace.%s($0)", t->name);
    return fe_elem(f, t, v->shape, fe_is_data(v) ? v->rank : 0, format, 1, &v);
}
