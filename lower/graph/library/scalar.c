/* Scalar properties of library nodes. */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"
#include "ir/library.h"
#include "runtime/abi.h"

#include <math.h>
#include <string.h>

/* ---- real arithmetic ---- */

/* A subexpression with a value of its own, as a floating-point variable. */
static const struct sym *settled(struct scope *sc, const struct place *place, const struct sym *s)
{
    struct lower *lw = sc->act->lw;
    const struct type *f64 = type_basic(lw->ir, TYPE_F64);
    struct tree_expr *e = lower_value(lw, place, s);
    if (!e)
        return NULL;
    if (type_is_complex(e->type))
        return s;
    struct tree_var *v = tree_var(lw->tree, "factor", f64);
    stmt_assign(lw->tree, sc->block, v, expr_cast(lw->tree, f64, e));
    return lower_var_symbol(lw, v);
}

/* `s` with names and fractions replaced by floating-point ones; over tree symbols. */
static const struct sym *in_reals(struct scope *sc, const struct place *place, const struct sym *s)
{
    struct lower *lw = sc->act->lw;
    switch (s->op) {
    case SYM_RATIONAL:
        return sym_float(lw->ir, (double)s->i / (double)s->den);
    case SYM_ADD:
    case SYM_MUL:
    case SYM_POW:
    case SYM_CALL:
        break;
    default:
        return sym_is_constant(s) || s->op == SYM_I ? s : settled(sc, place, s);
    }
    const struct sym **args = NEW_ARRAY(lw->arena, const struct sym *, s->num_args);
    for (uint32_t i = 0; i < s->num_args; i++) {
        bool root =
            s->op == SYM_POW && i == 1 && s->args[1]->op == SYM_RATIONAL && s->args[1]->i == 1 && s->args[1]->den == 2;
        args[i] = root ? s->args[i] : in_reals(sc, place, s->args[i]);
        if (!args[i])
            return NULL;
    }
    return sym_make(lw->ir, s->op, s->type, s->op == SYM_CALL ? s->name : NULL, args, s->num_args);
}

struct tree_expr *library_real(struct scope *sc, const struct place *place, const struct sym *s)
{
    const struct sym *r = in_reals(sc, place, s);
    return r ? lower_value(sc->act->lw, place, r) : NULL;
}

/* ---- properties ---- */

/* pi, E and I are constants where no symbol has that name, with or without the mark of a symbol. */
static const struct sym *constant_name(void *user, const struct sym *name)
{
    struct scope *sc = user;
    struct ir *ir = sc->act->lw->ir;
    if (name->op != SYM_NAME || lower_find_symbol(sc, name->name))
        return NULL;
    if (!strcmp(name->name, "I"))
        return sym_make(ir, SYM_I, NULL, NULL, NULL, 0);
    if (!strcmp(name->name, "pi"))
        return sym_make(ir, SYM_PI, NULL, NULL, NULL, 0);
    return strcmp(name->name, "E") ? NULL : sym_make(ir, SYM_E, NULL, NULL, NULL, 0);
}

/* The value in a type of its own: int64, float64, complex128, bool or that of the symbols. */
static struct tree_expr *natural(struct scope *sc, struct library *n, const char *property, double otherwise, bool real)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &n->node.place;
    const struct type *f64 = type_basic(lw->ir, TYPE_F64);
    const struct json *json = json_get(n->attributes, property);
    struct library_number v;
    int64_t i;
    if (json && json_is(json, JSON_INT) && json_int(json, &i))
        return expr_i64(t, i);
    if (json && (json_is(json, JSON_TRUE) || json_is(json, JSON_FALSE)))
        return expr_bool(t, json_is(json, JSON_TRUE));
    if (!library_number(n, property, otherwise, &v))
        return NULL;
    if (v.symbol) {
        const struct sym *s = lower_symbolic(sc, place, sym_substitute(lw->ir, v.symbol, constant_name, sc));
        return !s ? NULL : real ? library_real(sc, place, s) : lower_value(lw, place, s);
    }
    if (v.im != 0)
        return expr_complex(t, expr_float(t, f64, v.re), expr_float(t, f64, v.im));
    return v.is_integer && fabs(v.re) < 0x1p62 ? expr_i64(t, (int64_t)v.re) : expr_float(t, f64, v.re);
}

static bool is_whole(const struct type *t) { return type_is_integer(t) || t->kind == TYPE_BOOL; }

struct tree_expr *library_scalar(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type)
{
    struct tree_expr *e = natural(sc, n, property, otherwise, !is_whole(type));
    struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
    return e ? code_convert(&cs, type, e) : NULL;
}

struct tree_expr *library_factor(struct scope *sc, struct library *n, const char *property, double otherwise,
                                 const struct type *type)
{
    if (!is_whole(type))
        return library_scalar(sc, n, property, otherwise, type_promote(sc->act->lw->ir, type));
    struct tree_expr *e = natural(sc, n, property, otherwise, false);
    if (!e)
        return NULL;
    bool whole = is_whole(e->type) || (e->op == EXPR_FLOAT && e->f == rint(e->f) && fabs(e->f) < 0x1p62);
    struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
    return code_convert(&cs, whole ? type : type_basic(sc->act->lw->ir, TYPE_F64), e);
}

bool library_is_constant(const struct tree_expr *e, double value)
{
    switch (e->op) {
    case EXPR_INT:
        return (double)e->i == value;
    case EXPR_FLOAT:
        return e->f == value;
    case EXPR_CAST:
    case EXPR_SPLAT:
        return library_is_constant(e->args[0], value);
    case EXPR_COMPLEX:
        return library_is_constant(e->args[0], value) && library_is_constant(e->args[1], 0);
    default:
        return false;
    }
}

/* ---- types ---- */

/* Integers of 32 bits and more do not fit float32, nor its complex numbers. */
static const struct type *widened(struct ir *ir, const struct type *t, const struct type *other)
{
    if (!type_is_integer(other) || other->size < 4)
        return t;
    return t->kind == TYPE_F32 ? type_basic(ir, TYPE_F64) : t->kind == TYPE_C64 ? type_basic(ir, TYPE_C128) : t;
}

const struct type *library_sum_type(struct ir *ir, const struct type *a, const struct type *b)
{
    if (a == b)
        return is_whole(a) ? a : type_promote(ir, a);
    const struct type *t = widened(ir, widened(ir, type_arithmetic(ir, a, b), a), b);
    bool wide = (type_is_complex(a) || type_is_complex(b)) && (a->kind == TYPE_F64 || b->kind == TYPE_F64);
    return wide && t->kind == TYPE_C64 ? type_basic(ir, TYPE_C128) : t;
}
