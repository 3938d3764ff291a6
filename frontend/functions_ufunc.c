/* Elementwise functions that are more than a row of the table: several results, exponents, rounding to digits. */
#include "frontend/functions.h"

#include <string.h>

/* The operand that an argument is, or NULL with an error. */
static const struct value *operand(struct fe *f, struct fe_args *a, uint32_t i)
{
    const struct value *v = i < a->count ? a->items[i] : NULL;
    if (v && v->kind == FE_TUPLE)
        return fe_as_array(f, a->node, v);
    return v && fe_is_operand(v) ? v
                                 : fe_error(f, a->node, "a number or an array is needed here, this is %s",
                                            v ? fe_describe(f, v) : "nothing");
}

/* Two results, each into its element of `out`. */
static const struct value *two_results(struct fe *f, struct fe_args *a, const struct value *const *results,
                                       uint32_t operands)
{
    const struct value *out = fe_arg(a, UINT32_MAX, "out"), *where = fe_arg(a, UINT32_MAX, "where"), *both[2];
    if (out && (out->kind != FE_TUPLE || out->count != 2))
        return fe_error(f, a->node, "'out' must be a tuple of two arrays");
    if (a->count > operands + 2)
        return fe_error(f, a->node, "%u arguments, %u are needed", a->count, operands);
    for (uint32_t i = 0; i < 2; i++) {
        const char *names[2];
        const struct value *values[2];
        struct fe_args one = { .node = a->node, .names = names, .values = values, .strong = true };
        const struct value *to = operands + i < a->count ? a->items[operands + i] : out ? out->items[i] : NULL;
        if (to) {
            names[one.num_names] = "out";
            values[one.num_names++] = to;
        }
        if (where) {
            names[one.num_names] = "where";
            values[one.num_names++] = where;
        }
        if (!results[i] || !(both[i] = fe_into(f, &one, fe_materialize(f, a->node, results[i], "part"))))
            return NULL;
    }
    return fe_args_done(f, a, UINT32_MAX) ? fe_tuple(f, both, 2) : NULL;
}

const struct value *fn_divmod(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *x = operand(f, a, 0), *y = x ? operand(f, a, 1) : NULL;
    if (!y)
        return NULL;
    const struct value *results[2] = { fe_binary(f, a->node, PY_FLOORDIV, x, y), fe_binary(f, a->node, PY_MOD, x, y) };
    if (!results[0] || !results[1])
        return NULL;
    return strcmp(b->module, "numpy") == 0 ? two_results(f, a, results, 2) : fe_tuple(f, results, 2);
}

/* modf (0) and frexp (1) of a real number. */
const struct value *fn_two(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *x = operand(f, a, 0), *results[2];
    const struct type *t = x ? fe_float_of(f, fe_own_type(f, x)) : NULL;
    if (!x || type_is_complex(t))
        return x ? fe_unsupported(f, a->node, "np.%s of complex numbers", b->name) : NULL;
    x = fe_materialize(f, a->node, fe_cast(f, a->node, t, x), "whole");
    if (!x)
        return NULL;
    results[0] = fe_apply(f, a->node, t, fe_format(f, "dace.%s(%s)", t->name, b->format), 1, &x);
    results[1] = b->kind ? fe_apply(f, a->node, type_basic(f->ir, TYPE_I32), "frexp($0)", 1, &x)
                         : fe_apply(f, a->node, t, "trunc($0)", 1, &x);
    if (b->kind && results[1] && strcmp(b->module, "math") == 0)
        results[1] = fe_cast(f, a->node, type_basic(f->ir, TYPE_I64), results[1]);
    return two_results(f, a, results, 1);
}

const struct value *fn_ldexp(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *x = operand(f, a, 0), *e = x ? operand(f, a, 1) : NULL;
    if (!e)
        return NULL;
    const struct type *t = fe_float_of(f, fe_own_type(f, x));
    if (type_is_complex(t) || !fe_is_int_type(fe_own_type(f, e)))
        return fe_error(f, a->node, "%s needs a real number and an integer", b->name);
    const struct value *args[2] = { fe_cast(f, a->node, t, x), fe_cast(f, a->node, type_basic(f->ir, TYPE_I32), e) };
    if (!args[0] || !args[1])
        return NULL;
    a->items += 2;
    a->count -= 2;
    a->strong = strcmp(b->module, "numpy") == 0;
    const char *names[33];
    const struct value *values[33];
    if (a->count == 1 && a->num_names < 32) { /* `out` by position */
        memcpy(names, a->names, a->num_names * sizeof *names);
        memcpy(values, a->values, a->num_names * sizeof *values);
        names[a->num_names] = "out";
        values[a->num_names++] = a->items[0];
        a->names = names;
        a->values = values;
        a->count = 0;
    }
    return fe_into(f, a, fe_apply(f, a->node, t, fe_format(f, "dace.%s(%s)", t->name, b->format), 2, args));
}

/* Rounded to a number of decimals, half to even. */
const struct value *fn_around(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = operand(f, a, 0);
    (void)b;
    if (!v)
        return NULL;
    const struct value *decimals = fe_arg(a, 1, "decimals");
    bool whole = fe_is_int_type(fe_own_type(f, v)), none = !decimals || (decimals->kind == FE_INT && decimals->i == 0);
    if (whole && decimals && decimals->kind == FE_INT && decimals->i >= 0)
        none = true;
    if (!none)
        return fe_library(f, "around", a);
    a->count = 1;
    a->strong = true;
    return fe_into(f, a, whole ? v : fe_apply(f, a->node, fe_own_type(f, v), "rint($0)", 1, &v));
}

/* The bytes of an array as elements of another type. */
const struct value *fn_view(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct type *t = fe_dtype(f, a->node, fe_arg(a, 1, "dtype"), NULL);
    const struct value *v = a->count ? fe_plain(f, a->node, a->items[0], "tmp") : NULL;
    (void)b;
    if (!t || !v || !v->rank || !fe_args_done(f, a, 2))
        return f->failed ? NULL : fe_error(f, a->node, "view needs an array and a type");
    return fe_reinterpret(f, a->node, v, t);
}

const struct value *fn_item(struct fe *f, const struct fe_builtin *b, struct fe_args *a)
{
    const struct value *v = a->items[0], **index = NEW_ARRAY(f->arena, const struct value *, v->rank + 1);
    (void)b;
    if (a->count > 1)
        return fe_subscript(f, a->node, v, fe_tuple(f, a->items + 1, a->count - 1));
    for (uint32_t i = 0; i < v->rank; i++) {
        if (!sym_is_int(v->shape[i], 1))
            return fe_error(f, a->node, "item() of %s, which has several elements", fe_describe(f, v));
        index[i] = fe_int(f, 0);
    }
    return v->rank ? fe_subscript(f, a->node, v, fe_tuple(f, index, v->rank)) : v;
}
