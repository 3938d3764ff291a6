/* The table of functions, and those that work on elements. */
#include "frontend/functions.h"

#include <math.h>
#include <string.h>

static const struct fe_builtin table[] = {
#define F(module, name, function, format, rule) { #module, #name, function, format, (int)(rule) },
#include "frontend/functions.def"
#undef F
};
enum { NUM_BUILTINS = sizeof table / sizeof *table };

const char *frontend_function_name(uint32_t index)
{
    static const struct {
        const char *name;
        fe_call_function *call;
    } rows[] = {
#define F(module, name, function, format, rule) { #module "." #name, function },
#include "frontend/functions.def"
#undef F
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].call != fn_unknown && !strstr(rows[i].name, "._") && !index--)
            return rows[i].name;
    return NULL;
}

const struct fe_builtin *fe_builtin_find(const char *module, const char *name)
{
    for (size_t i = 0; i < NUM_BUILTINS; i++)
        if (strcmp(table[i].module, module) == 0 && strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

static bool similar(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), same = 0;
    if (n > m + 1 || m > n + 1)
        return false;
    while (same < n && same < m && a[same] == b[same])
        same++;
    size_t end = 0;
    while (end < n - same && end < m - same && a[n - 1 - end] == b[m - 1 - end])
        end++;
    return same + end + 1 >= (n > m ? n : m) && n > 2;
}

const char *fe_builtin_near(const char *module, const char *name)
{
    for (size_t i = 0; i < NUM_BUILTINS; i++)
        if (strcmp(table[i].module, module) == 0 && similar(table[i].name, name))
            return table[i].name;
    return NULL;
}

const struct value *fn_unknown(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (strcmp(b->module, "builtins") == 0)
        return fe_unsupported(f, a->node, "'%s'", b->name);
    return fe_unsupported(f, a->node, "'%s.%s' here", b->module, b->name);
}

bool fe_is_python_only(const struct fe_builtin *b)
{
    return (b->call == fn_unknown || b->call == fn_print) && strcmp(b->module, "builtins") == 0;
}

bool fe_is_sized(const struct fe_builtin *b) { return b->call == fn_library && b->kind == FE_SIZED; }

const struct type *fe_dtype(struct fe *f, const struct py *n, const struct value *v, const struct type *otherwise)
{
    if (!v || v->kind == FE_NONE)
        return otherwise;
    if (v->kind == FE_TYPE)
        return v->type;
    if (v->kind == FE_STRING && type_by_name(f->ir, v->text))
        return type_by_name(f->ir, v->text);
    if (v->kind == FE_BUILTIN && strcmp(v->builtin->name, "int") == 0)
        return type_basic(f->ir, TYPE_I64);
    if (v->kind == FE_BUILTIN && v->builtin->call == fn_convert)
        return type_basic(f->ir, (enum type_kind)v->builtin->kind);
    return fe_error(f, n, "%s is no element type", fe_describe(f, v));
}

static const struct value *strong(struct fe *f, const struct value *v)
{
    struct value *s = arena_copy(f->arena, v, sizeof *v);
    s->type = fe_own_type(f, v);
    s->weak = false;
    return s;
}

const struct value *fe_into(struct fe *f, struct fe_args *a, const struct value *v)
{
    const struct value *out = fe_arg(a, UINT32_MAX, "out"), *where = fe_arg(a, UINT32_MAX, "where");
    const struct value *dtype = fe_arg(a, UINT32_MAX, "dtype");
    if (!v || !fe_args_done(f, a, UINT32_MAX))
        return NULL;
    if (v->kind == FE_SYMBOL && a->strong)
        v = fe_cast(f, a->node, type_basic(f->ir, TYPE_I64), v);
    else if (v->weak && a->strong) /* what NumPy computes of Python's numbers is NumPy's */
        v = strong(f, v);
    if (dtype) {
        const struct type *t = fe_dtype(f, a->node, dtype, NULL);
        v = t ? fe_cast(f, a->node, t, v) : NULL;
    }
    if (where && where->kind == FE_TUPLE)
        where = fe_as_array(f, a->node, where);
    if (v && where && (!out || out->kind == FE_NONE)) /* other elements have no value; here they are zero */
        return fe_select(f, a->node, where, v, fe_cast(f, a->node, fe_own_type(f, v), fe_int(f, 0)));
    if (!v || !out || out->kind == FE_NONE)
        return v;
    if (out->kind != FE_VIEW)
        return fe_error(f, a->node, "'out' must be an array");
    v = fe_cast(f, a->node, out->type, v);
    if (v && where)
        v = fe_select(f, a->node, where, v, out);
    return v && fe_store(f, a->node, out, v, NULL) ? out : NULL;
}

static bool operands(struct fe *f, struct fe_args *a, uint32_t count)
{
    if (a->count < count || a->count > count + 1)
        return fe_error(f, a->node, "%u arguments, %u are needed", a->count, count) != NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (a->items[i]->kind == FE_TUPLE) {
            const struct value *v = fe_as_array(f, a->node, a->items[i]),
                               **items = NEW_ARRAY(f->arena, const struct value *, a->count);
            memcpy(items, a->items, a->count * sizeof *items);
            items[i] = v;
            a->items = items;
            if (!v)
                return false;
        }
        if (!fe_is_operand(a->items[i]))
            return fe_error(f, a->node, "a number or an array is needed here, this is %s",
                            fe_describe(f, a->items[i])) != NULL;
    }
    if (a->count == count + 1) { /* a third one is `out` */
        const char **names = NEW_ARRAY(f->arena, const char *, a->num_names + 1);
        const struct value **values = NEW_ARRAY(f->arena, const struct value *, a->num_names + 1);
        for (uint32_t i = 0; i < a->num_names; i++) {
            names[i] = a->names[i];
            values[i] = a->values[i];
        }
        names[a->num_names] = "out";
        values[a->num_names++] = a->items[count];
        a->names = names;
        a->values = values;
    }
    return true;
}

/* ---- elementwise ---- */

const struct value *fn_operator(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    enum py_op op = (enum py_op)b->kind;
    a->strong = strcmp(b->module, "numpy") == 0;
    bool unary = op == PY_USUB || op == PY_UADD || op == PY_INVERT;
    if (!operands(f, a, unary ? 1 : 2))
        return NULL;
    const struct value *v = unary                         ? fe_unary(f, a->node, op, a->items[0])
                            : op >= PY_EQ && op <= PY_GTE ? fe_compare(f, a->node, op, a->items[0], a->items[1])
                                                          : fe_binary(f, a->node, op, a->items[0], a->items[1]);
    return fe_into(f, a, v);
}

static double fold_real(const char *name, double x, bool *known)
{
    static const struct {
        const char *name;
        double (*function)(double);
    } rows[] = { { "exp", exp },     { "log", log },       { "sqrt", sqrt },   { "sin", sin },   { "cos", cos },
                 { "tan", tan },     { "tanh", tanh },     { "floor", floor }, { "ceil", ceil }, { "log2", log2 },
                 { "log10", log10 }, { "absolute", fabs }, { "abs", fabs },    { "fabs", fabs } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *known = true;
            return rows[i].function(x);
        }
    return 0;
}

static const struct type *rule_type(struct fe *f, enum fe_rule rule, const struct type *t)
{
    switch (rule) {
    case RULE_COMPLEX:
    case RULE_FLOAT:
    case RULE_FLOAT_BOOL:
        return fe_float_of(f, t);
    case RULE_DOUBLE:
        return type_basic(f->ir, TYPE_F64);
    case RULE_LOGICAL:
        return type_basic(f->ir, TYPE_BOOL);
    default:
        return t;
    }
}

/* The text for elements of the type, with a cast where C would compute in a wider one. */
static const char *in_type(struct fe *f, const struct type *t, const char *format)
{
    struct text text = text_new(f->arena);
    bool single = t->kind == TYPE_F32, wider = single && strchr(format, '.') != NULL;
    for (const char *s = format; *s; s++) {
        bool next = strncmp(s, "nextafter(", 10) == 0;
        text_printf(&text, "%.*s%s", next ? 9 : 1, s, next && single ? "f" : "");
        s += next ? 8 : 0;
    }
    bool narrow = (type_is_integer(t) && t->size < 4) || t->kind == TYPE_F16 || wider;
    return narrow ? fe_format(f, "dace.%s(%s)", t->name, text_get(&text)) : text_get(&text);
}

const struct value *fn_unary(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (!operands(f, a, 1))
        return NULL;
    const struct value *x = a->items[0];
    enum fe_rule rule = (enum fe_rule)b->kind;
    a->strong = strcmp(b->module, "numpy") == 0;
    const struct type *own = fe_own_type(f, x), *t = rule_type(f, rule, own), *result = t;
    bool complex = type_is_complex(own), known = false;
    if (fe_is_number(x) && !complex && x->kind != FE_BOOL && x->weak) {
        double r = fold_real(b->name, x->kind == FE_INT ? (double)x->i : x->f, &known);
        if (known && x->kind == FE_INT && (rule == RULE_ABS || rule == RULE_ROUND))
            return fe_into(f, a, rule == RULE_ABS && x->i < 0 ? fe_int(f, -x->i) : x);
        if (known)
            return fe_into(f, a, fe_float(f, r));
    }
    if (complex && (rule == RULE_FLOAT || rule == RULE_ROUND || rule == RULE_FLOAT_BOOL))
        return fe_unsupported(f, a->node, "%s of complex numbers", b->name);
    if ((rule == RULE_CONJ && !complex) || (rule == RULE_ROUND && fe_is_int_type(own)) ||
        (rule == RULE_ABS && (type_is_unsigned(own) || own->kind == TYPE_BOOL)))
        return fe_into(f, a, x);
    if (rule == RULE_ABS && complex)
        result = type_part(f->ir, t);
    if (rule == RULE_BOOL || rule == RULE_FLOAT_BOOL)
        result = type_basic(f->ir, TYPE_BOOL);
    if (own->kind == TYPE_BOOL && rule == RULE_SAME)
        t = result = type_basic(f->ir, TYPE_I8);
    x = fe_cast(f, a->node, t, x);
    const char *format = b->format;
    if (rule == RULE_SIGN && complex)
        format = fe_format(f, "($0 / dace.%s(abs($0)) if $0 != dace.%s(0) else $0)", t->name, t->name);
    else if (complex && strcmp(b->name, "rint") == 0)
        format = fe_format(f, "dace.%s(rint($0.real()), rint($0.imag()))", t->name);
    return fe_into(f, a, x ? fe_apply(f, a->node, result, result == t ? in_type(f, t, format) : format, 1, &x) : NULL);
}

const struct value *fn_binary(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (!operands(f, a, 2))
        return NULL;
    enum fe_rule rule = (enum fe_rule)b->kind;
    const struct type *t = rule_type(f, rule, fe_result_type(f, a->items[0], a->items[1]));
    const char *format = b->format;
    a->strong = strcmp(b->module, "numpy") == 0;
    if (type_is_complex(t) && rule != RULE_LOGICAL && rule != RULE_DOUBLE)
        return fe_unsupported(f, a->node, "%s of complex numbers", b->name);
    if (rule == RULE_INT && !fe_is_int_type(t))
        return fe_error(f, a->node, "%s needs integers, here are %s and %s", b->name, fe_describe(f, a->items[0]),
                        fe_describe(f, a->items[1]));
    if (t->kind == TYPE_BOOL && (rule == RULE_FMOD || rule == RULE_INT))
        t = type_basic(f->ir, TYPE_I8);
    if (rule == RULE_FMOD && fe_is_int_type(t))
        format = "($0 % $1 if $1 != 0 else 0)";
    const struct value *args[2] = { fe_cast(f, a->node, t, a->items[0]), fe_cast(f, a->node, t, a->items[1]) };
    return fe_into(f, a, args[0] && args[1] ? fe_apply(f, a->node, t, in_type(f, t, format), 2, args) : NULL);
}

/* The smaller or larger of two: $1 where `$0 < $1` (or >). With `propagate` a NaN if one is, as in NumPy. */
static const struct value *extreme(struct fe *f, const struct py *n, const char *less, bool propagate,
                                   const struct value *x, const struct value *y)
{
    const struct type *t = fe_result_type(f, x, y);
    bool clean = !propagate || fe_is_int_type(t) || (fe_is_number(y) && y->f == y->f);
    if (type_is_complex(t))
        return fe_unsupported(f, n, "an order of complex numbers");
    if (fe_sym(f, x) && fe_sym(f, y) && x->weak && y->weak) {
        const struct sym *args[2] = { fe_sym(f, x), fe_sym(f, y) };
        return fe_symbol(f, sym_make(f->ir, *less == '<' ? SYM_MAX : SYM_MIN, NULL, NULL, args, 2));
    }
    const struct value *args[2] = { fe_cast(f, n, t, x), fe_cast(f, n, t, y) };
    const char *format =
        type_is_integer(t)
            ? *less == '<' ? "max($0, $1)" : "min($0, $1)"
            : fe_format(f, clean ? "($1 if $0 %s $1 else $0)" : "($1 if ($0 %s $1 or $1 != $1) else $0)", less);
    return args[0] && args[1] ? fe_apply(f, n, t, format, 2, args) : NULL;
}

const struct value *fn_extreme(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    a->strong = true; /* also of Python's numbers */
    return operands(f, a, 2) ? fe_into(f, a, extreme(f, a->node, b->format, true, a->items[0], a->items[1])) : NULL;
}

/* min(a, b, ...), or the elements of a tuple. */
const struct value *fn_min(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *const *items = a->items;
    uint32_t count = a->count;
    if (count == 1 && items[0]->kind == FE_TUPLE) {
        count = items[0]->count;
        items = items[0]->items;
    }
    if (!fe_args_done(f, a, UINT32_MAX) || !count)
        return f->failed ? NULL : fe_error(f, a->node, "%s of nothing", b->name);
    if (count == 1 && fe_is_data(items[0]))
        return fe_reduce(f, a->node, items[0], *b->format == '<' ? REDUCE_MAX : REDUCE_MIN, NULL, false, NULL, NULL);
    const struct value *v = items[0];
    for (uint32_t i = 1; i < count && v; i++) {
        if (!fe_is_operand(v) || !fe_is_operand(items[i]))
            return fe_error(f, a->node, "%s of %s", b->name, fe_describe(f, items[i]));
        if (fe_is_number(v) && fe_is_number(items[i])) {
            const struct value *less = fe_compare(f, a->node, PY_LT, v, items[i]);
            v = less && (less->i != 0) == (*b->format == '<') ? items[i] : v;
        } else {
            v = extreme(f, a->node, b->format, false, v, items[i]);
        }
    }
    return v;
}

const struct value *fn_part(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    if (!operands(f, a, 1))
        return NULL;
    const struct value *v = fe_is_data(a->items[0]) ? a->items[0] : fe_materialize(f, a->node, a->items[0], "tmp");
    bool part = strcmp(b->format, "real") == 0 || strcmp(b->format, "imag") == 0;
    if (v && !part)
        return fe_args_done(f, a, 1) ? fe_attribute(f, a->node, v, b->format) : NULL;
    return v ? fe_into(f, a, fe_attribute(f, a->node, v, b->format)) : NULL;
}

const struct value *fn_where(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (a->count == 1)
        return fe_library(f, "nonzero", a);
    if (a->count != 3 || !fe_args_done(f, a, 3))
        return f->failed ? NULL : fe_error(f, a->node, "np.where needs a condition and two values");
    for (int i = 0; i < 3; i++)
        if (!fe_is_operand(a->items[i]))
            return fe_error(f, a->node, "a number or an array is needed here, this is %s", fe_describe(f, a->items[i]));
    return fe_select(f, a->node, a->items[0], a->items[1], a->items[2]);
}

const struct value *fn_clip(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = fe_arg(a, 0, "a"), *low = fe_arg(a, 1, "a_min"), *high = fe_arg(a, 2, "a_max");
    (void)b;
    low = low ? low : fe_arg(a, UINT32_MAX, "min");
    high = high ? high : fe_arg(a, UINT32_MAX, "max");
    if (!v || !fe_is_operand(v))
        return fe_error(f, a->node, "np.clip of nothing");
    if (low && low->kind != FE_NONE)
        v = extreme(f, a->node, "<", true, v, low);
    if (v && high && high->kind != FE_NONE)
        v = extreme(f, a->node, ">", true, v, high);
    return fe_into(f, a, v);
}

/* ---- conversions of Python ---- */

static const struct value *as_weak(const struct value *v)
{
    if (v && (!fe_is_data(v) || v->rank == 0))
        ((struct value *)v)->weak = true;
    return v;
}

const struct value *fn_convert(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct type *t = type_basic(f->ir, (enum type_kind)b->kind);
    if (b->kind == TYPE_C128 && a->count == 2) {
        const struct value *i = fe_complex(f, 0, 1), *y = fe_binary(f, a->node, PY_MULT, a->items[1], i);
        return y ? fe_binary(f, a->node, PY_ADD, a->items[0], y) : NULL;
    }
    if (!operands(f, a, 1))
        return NULL;
    const struct value *v = fe_cast(f, a->node, t, a->items[0]);
    if (v == a->items[0] && v)
        v = arena_copy(f->arena, v, sizeof *v);
    return as_weak(v);
}

const struct value *fn_int(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    (void)b;
    if (!operands(f, a, 1))
        return NULL;
    const struct value *x = a->items[0];
    if (x->kind == FE_SYMBOL || (x->kind == FE_INT && x->weak))
        return x;
    const struct value *v = fe_cast(f, a->node, type_basic(f->ir, TYPE_I64), x);
    if (v == x && v)
        v = arena_copy(f->arena, v, sizeof *v);
    if (v && fe_is_number(v))
        return fe_int(f, v->i);
    return as_weak(v);
}

const struct value *fn_to_int(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *x = operands(f, a, 1) ? fe_cast(f, a->node, type_basic(f->ir, TYPE_F64), a->items[0]) : NULL;
    if (x && fe_is_number(x))
        return fe_int(f, (int64_t)(b->name[0] == 'f' ? floor(x->f) : ceil(x->f)));
    x = x ? fe_apply(f, a->node, x->type, b->format, 1, &x) : NULL;
    return as_weak(fe_cast(f, a->node, type_basic(f->ir, TYPE_I64), x));
}
