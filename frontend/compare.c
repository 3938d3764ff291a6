/* Comparisons, choices, and operations on truth values. */
#include "frontend/lower.h"

#include <string.h>

/* Whether the operand is a Python int, whose value counts in comparisons, whatever the type of the other one. */
static bool is_weak_int(const struct value *v) { return v->weak && (v->kind == FE_INT || v->kind == FE_SYMBOL); }

static const struct value *compare_syms(struct fe *f, enum py_op op, const struct sym *a, const struct sym *b)
{
    enum truth t = op == PY_EQ || op == PY_NOTEQ ? sym_equal_from(f->ir, a, b, INT32_MIN)
                   : op == PY_LT                 ? sym_less_from(f->ir, a, b, INT32_MIN)
                   : op == PY_LTE                ? sym_less_equal_from(f->ir, a, b, INT32_MIN)
                   : op == PY_GT                 ? sym_less_from(f->ir, b, a, INT32_MIN)
                                                 : sym_less_equal_from(f->ir, b, a, INT32_MIN);
    if (t == TRUTH_MAYBE)
        return NULL;
    return fe_bool(f, (t == TRUTH_YES) != (op == PY_NOTEQ));
}

static bool same_constant(const struct value *a, const struct value *b)
{
    if (fe_is_number(a) && fe_is_number(b))
        return fe_real(a) == fe_real(b) && a->im == b->im;
    if (a->kind != b->kind)
        return false;
    if (a->kind == FE_STRING)
        return strcmp(a->text, b->text) == 0;
    if (a->kind == FE_TYPE)
        return a->type == b->type;
    if (a->kind == FE_BUILTIN || a->kind == FE_FUNCTION)
        return a->kind == FE_BUILTIN ? a->builtin == b->builtin : a->function == b->function;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->count != b->count || !same_constant(a->items[i], b->items[i]))
            return false;
    return a->count == b->count;
}

bool fe_same_value(const struct value *a, const struct value *b)
{
    if (a == b || (a->kind == FE_VIEW && b->kind == FE_VIEW && a->view.container == b->view.container && !a->rank))
        return true;
    if (a->kind != b->kind || fe_is_data(a) || a->kind == FE_SYMBOL)
        return a->kind == FE_SYMBOL && b->kind == FE_SYMBOL && a->sym == b->sym;
    if (a->kind == FE_GRID || a->kind == FE_BLOCKS || a->kind == FE_OBJECT || a->kind == FE_PYOBJECT)
        return false;
    if (a->kind != FE_TUPLE && a->kind != FE_DICT && a->kind != FE_RECORD && a->kind != FE_SLICE && a->kind != FE_RANGE)
        return same_constant(a, b);
    bool same = a->count == b->count && a->lazy == b->lazy && a->list == b->list;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = fe_same_value(a->items[i], b->items[i]);
    return same;
}

static const struct value *compare_constants(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                                             const struct value *b)
{
    if (op == PY_EQ || op == PY_NOTEQ || op == PY_IS || op == PY_ISNOT)
        return fe_bool(f, same_constant(a, b) == (op == PY_EQ || op == PY_IS));
    if (a->kind == FE_STRING && b->kind == FE_STRING) {
        int order = strcmp(a->text, b->text);
        return fe_bool(f, op == PY_LT ? order < 0 : op == PY_LTE ? order <= 0 : op == PY_GT ? order > 0 : order >= 0);
    }
    if (!fe_is_number(a) || !fe_is_number(b) || a->kind == FE_COMPLEX || b->kind == FE_COMPLEX)
        return fe_no_operator(f, n, op, a, b);
    double x = fe_real(a), y = fe_real(b);
    if (a->kind <= FE_INT && b->kind <= FE_INT)
        return fe_bool(f, op == PY_LT    ? a->i < b->i
                          : op == PY_LTE ? a->i <= b->i
                          : op == PY_GT  ? a->i > b->i
                                         : a->i >= b->i);
    return fe_bool(f, op == PY_LT ? x < y : op == PY_LTE ? x <= y : op == PY_GT ? x > y : x >= y);
}

const struct value *fe_compare(struct fe *f, const struct py *n, enum py_op op, const struct value *a,
                               const struct value *b)
{
    if (!a || !b)
        return NULL;
    if (op == PY_IN || op == PY_NOTIN) {
        if (b->kind != FE_TUPLE && b->kind != FE_DICT)
            return fe_unsupported(f, n, "'in' for %s", fe_describe(f, b));
        bool found = false;
        for (uint32_t i = 0; i < b->count; i += b->kind == FE_DICT ? 2 : 1)
            found |= same_constant(a, b->items[i]);
        return fe_bool(f, found == (op == PY_IN));
    }
    if (a->kind == FE_GRID && b->kind == FE_GRID)
        return fe_compare_grids(f, n, op, a, b);
    bool identity = op == PY_IS || op == PY_ISNOT;
    if (identity && (a->kind == FE_NONE || b->kind == FE_NONE))
        return fe_bool(f, (a->kind == b->kind) == (op == PY_IS));
    if (!identity && fe_refuses_list(f, n, a, b))
        return NULL;
    if (!fe_is_operand(a) || !fe_is_operand(b) || (fe_is_number(a) && fe_is_number(b)))
        return fe_is_data(a) || fe_is_data(b) ? fe_no_operator(f, n, op, a, b) : compare_constants(f, n, op, a, b);
    if (identity) { /* data is no constant: neither None, nor True, nor False */
        const struct value *data = fe_is_data(a) ? a : b;
        bool python = data->kind == FE_VIEW && data->view.container->scalar && data->view.container->argument &&
                      data->type->kind == TYPE_BOOL;
        if (python && (a->kind == FE_BOOL || b->kind == FE_BOOL)) /* a caller passes True or False */
            return fe_compare(f, n, op == PY_IS ? PY_EQ : PY_NOTEQ, a, b);
        if (fe_is_number(a) || fe_is_number(b))
            return fe_bool(f, op == PY_ISNOT);
        return fe_unsupported(f, n, "'is' between values that are known at run time only");
    }
    const struct sym *sa = fe_sym(f, a), *sb = fe_sym(f, b);
    if (sa && sb) {
        const struct value *v = compare_syms(f, op, sa, sb);
        if (v)
            return v;
    }
    const struct type *t = fe_result_type(f, a, b);
    if ((is_weak_int(a) || is_weak_int(b)) && type_is_integer(t) && t->kind != TYPE_U64)
        t = type_basic(f->ir, TYPE_I64);
    if (type_is_complex(t) && op != PY_EQ && op != PY_NOTEQ)
        return fe_no_operator(f, n, op, a, b);
    static const char *const formats[] = { "($0 == $1)", "($0 != $1)", "($0 < $1)",
                                           "($0 <= $1)", "($0 > $1)",  "($0 >= $1)" };
    const struct value *args[2] = { fe_cast(f, n, t, a), fe_cast(f, n, t, b) };
    return args[0] && args[1] ? fe_apply(f, n, type_basic(f->ir, TYPE_BOOL), formats[op - PY_EQ], 2, args) : NULL;
}

const struct value *fe_logical(struct fe *f, const struct py *n, bool is_and, const struct value *a,
                               const struct value *b)
{
    const struct type *truth = type_basic(f->ir, TYPE_BOOL);
    if ((fe_is_data(a) && a->rank > 0) || (fe_is_data(b) && b->rank > 0)) {
        if (!f->dace)
            return fe_raise(f, n, "ValueError", "the truth of an array with several elements: use %s",
                            is_and ? "&" : "|");
        fe_warn_dialect(f, n,
                        fe_format(f, "'%s' works on elements here, which NumPy refuses: write %s",
                                  is_and ? "and" : "or", is_and ? "&" : "|"));
    }
    const struct value *args[2] = { fe_cast(f, n, truth, a), fe_cast(f, n, truth, b) };
    return args[0] && args[1] ? fe_apply(f, n, truth, is_and ? "($0 and $1)" : "($0 or $1)", 2, args) : NULL;
}

const struct value *fe_select(struct fe *f, const struct py *n, const struct value *c, const struct value *a,
                              const struct value *b)
{
    const struct type *t = fe_result_type(f, a, b);
    const struct value *args[3] = { fe_cast(f, n, type_basic(f->ir, TYPE_BOOL), c), fe_cast(f, n, t, a),
                                    fe_cast(f, n, t, b) };
    return args[0] && args[1] && args[2] ? fe_apply(f, n, t, "($1 if $0 else $2)", 3, args) : NULL;
}
