#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_fold.h"

#include <math.h>

static struct tree_expr *expr_new(struct tree *t, enum expr_op op, const struct type *type, uint32_t num_args)
{
    struct tree_expr *e = arena_alloc(t->arena, sizeof *e + num_args * sizeof e->args[0]);
    e->op = op;
    e->type = type;
    e->num_args = num_args;
    return e;
}

static struct tree_expr *expr_new1(struct tree *t, enum expr_op op, const struct type *type, struct tree_expr *a)
{
    struct tree_expr *e = expr_new(t, op, type, 1);
    e->args[0] = a;
    return e;
}

static struct tree_expr *expr_new2(struct tree *t, enum expr_op op, const struct type *type, struct tree_expr *a,
                                   struct tree_expr *b)
{
    struct tree_expr *e = expr_new(t, op, type, 2);
    e->args[0] = a;
    e->args[1] = b;
    return e;
}

static struct tree_expr *expr_new3(struct tree *t, enum expr_op op, const struct type *type, struct tree_expr *a,
                                   struct tree_expr *b, struct tree_expr *c)
{
    struct tree_expr *e = expr_new(t, op, type, 3);
    e->args[0] = a;
    e->args[1] = b;
    e->args[2] = c;
    return e;
}

/* ---- leaves ---- */

struct tree_expr *expr_int(struct tree *t, const struct type *type, int64_t value)
{
    struct tree_expr *e = expr_new(t, EXPR_INT, type, 0);
    e->i = fold_wrap(type, value);
    return e;
}

struct tree_expr *expr_i64(struct tree *t, int64_t value) { return expr_int(t, type_basic(t->ir, TYPE_I64), value); }

struct tree_expr *expr_bool(struct tree *t, bool value) { return expr_int(t, type_basic(t->ir, TYPE_BOOL), value); }

struct tree_expr *expr_float(struct tree *t, const struct type *type, double value)
{
    struct tree_expr *e = expr_new(t, EXPR_FLOAT, type, 0);
    e->f = fold_round(type, value);
    return e;
}

struct tree_expr *expr_zero(struct tree *t, const struct type *type)
{
    if (type->kind == TYPE_VECTOR)
        return expr_splat(t, type, expr_zero(t, type->elem));
    if (type_is_complex(type)) {
        struct tree_expr *zero = expr_zero(t, type_part(t->ir, type));
        return expr_complex(t, zero, zero);
    }
    if (type_is_float(type))
        return expr_float(t, type, 0);
    return type->kind == TYPE_BOOL || type_is_integer(type) ? expr_int(t, type, 0) : expr_null(t, type);
}

struct tree_expr *expr_null(struct tree *t, const struct type *pointer) { return expr_new(t, EXPR_NULL, pointer, 0); }

struct tree_expr *expr_context(struct tree *t)
{
    return expr_new(t, EXPR_CONTEXT, type_pointer(t->ir, type_basic(t->ir, TYPE_VOID)), 0);
}

struct tree_expr *expr_var(struct tree *t, struct tree_var *v)
{
    struct tree_expr *e = expr_new(t, EXPR_VAR, v->type, 0);
    e->var = v;
    return e;
}

struct tree_expr *expr_thread(struct tree *t, enum tree_thread which)
{
    struct tree_expr *e = expr_new(t, EXPR_THREAD, type_basic(t->ir, TYPE_I32), 0);
    e->i = which;
    return e;
}

struct tree_expr *expr_slot(struct tree *t, uint32_t slot, const struct type *pointer)
{
    struct tree_expr *e = expr_new(t, EXPR_SLOT, pointer, 0);
    e->i = slot;
    return e;
}

struct tree_expr *expr_data(struct tree *t, const struct type *elem, const void *bytes, size_t size)
{
    struct tree_expr *e = expr_new(t, EXPR_DATA, type_pointer(t->ir, elem), 0);
    e->i = (int64_t)size;
    e->data = bytes;
    return e;
}

bool expr_is_int(const struct tree_expr *e, int64_t value) { return e->op == EXPR_INT && e->i == value; }

bool expr_is_const(const struct tree_expr *e)
{
    return e->op == EXPR_INT || e->op == EXPR_FLOAT || e->op == EXPR_NULL ||
           (e->op == EXPR_COMPLEX && e->args[0]->op == EXPR_FLOAT && e->args[1]->op == EXPR_FLOAT);
}

uint64_t expr_float_bits(const struct tree_expr *e) { return fold_float_bits(e->type->kind, e->f); }

/* ---- memory ---- */

struct tree_expr *expr_load(struct tree *t, const struct type *type, struct tree_expr *pointer, struct tree_expr *index,
                            uint32_t alias)
{
    if (pointer->op == EXPR_OFFSET && pointer->type == pointer->args[0]->type && pointer->type->elem == type) {
        index = expr_binary(t, EXPR_ADD, pointer->args[1], index);
        pointer = pointer->args[0];
    }
    struct tree_expr *e = expr_new2(t, EXPR_LOAD, type, pointer, index);
    e->alias = alias;
    return e;
}

struct tree_expr *expr_offset(struct tree *t, struct tree_expr *pointer, struct tree_expr *index)
{
    if (expr_is_int(index, 0))
        return pointer;
    if (pointer->op == EXPR_OFFSET)
        return expr_offset(t, pointer->args[0], expr_binary(t, EXPR_ADD, pointer->args[1], index));
    return expr_new2(t, EXPR_OFFSET, pointer->type, pointer, index);
}

const struct tree_expr *expr_root(const struct tree_expr *pointer)
{
    while (pointer->op == EXPR_OFFSET || pointer->op == EXPR_FIELD || pointer->op == EXPR_CAST)
        pointer = pointer->args[0];
    return pointer;
}

const struct tree_var *expr_root_var(const struct tree_expr *pointer)
{
    const struct tree_expr *root = expr_root(pointer);
    return root->op == EXPR_VAR ? root->var : NULL;
}

struct tree_expr *expr_field(struct tree *t, struct tree_expr *pointer, uint32_t field)
{
    const struct type *type = pointer->type->elem->fields[field].type;
    struct tree_expr *e = expr_new1(t, EXPR_FIELD, type_pointer(t->ir, type), pointer);
    e->i = field;
    return e;
}

/* ---- operators of one operand ---- */

static enum expr_op inverse(enum expr_op op)
{
    switch (op) {
    case EXPR_EQ:
        return EXPR_NE;
    case EXPR_NE:
        return EXPR_EQ;
    case EXPR_LT:
        return EXPR_GE;
    case EXPR_LE:
        return EXPR_GT;
    case EXPR_GT:
        return EXPR_LE;
    default:
        return EXPR_LT;
    }
}

static struct tree_expr *negate_truth(struct tree *t, struct tree_expr *a)
{
    if (a->op == EXPR_NOT)
        return a->args[0];
    bool ordered = a->op >= EXPR_EQ && a->op <= EXPR_GE && a->type->kind == TYPE_BOOL;
    /* !(x < y) is not x >= y if one is not a number */
    if (ordered && (a->op <= EXPR_NE || !type_is_float(a->args[0]->type)))
        return expr_binary(t, inverse(a->op), a->args[0], a->args[1]);
    return expr_new1(t, EXPR_NOT, a->type, a);
}

struct tree_expr *expr_unary(struct tree *t, enum expr_op op, struct tree_expr *a)
{
    int64_t i;
    double f;
    const struct type *type = a->type;
    if (op == EXPR_REAL || op == EXPR_IMAG) {
        if (a->op == EXPR_COMPLEX && expr_is_pure(a))
            return a->args[op == EXPR_IMAG];
        if (type_is_complex(type_scalar(type)))
            type = type_part(t->ir, type);
        return expr_new1(t, op, type, a);
    }
    if (a->op == EXPR_INT && fold_int(op, type, a->i, 0, &i))
        return expr_int(t, type, i);
    if (a->op == EXPR_FLOAT && fold_float(op, type, a->f, 0, &f))
        return expr_float(t, type, f);
    if (op == EXPR_NOT)
        return negate_truth(t, a);
    if (a->op == op) /* -(-x), ~(~x) */
        return a->args[0];
    return expr_new1(t, op, type, a);
}

/* ---- conversions ---- */

static struct tree_expr *cast_int(struct tree *t, const struct type *type, const struct tree_expr *a)
{
    if (type->kind == TYPE_BOOL || type_is_integer(type))
        return expr_int(t, type, type->kind == TYPE_BOOL ? a->i != 0 : a->i);
    if (type->kind == TYPE_F32 || type->kind == TYPE_F64)
        return expr_float(t, type, fold_int_to_float(type, a->type, a->i));
    return NULL;
}

static struct tree_expr *cast_float(struct tree *t, const struct type *type, const struct tree_expr *a)
{
    int64_t i;
    if (type_is_float(type))
        return expr_float(t, type, a->f);
    if ((type->kind == TYPE_BOOL || type_is_integer(type)) && fold_float_to_int(type, a->f, &i))
        return expr_int(t, type, i);
    return NULL;
}

/* A cast of a cast that keeps every value goes back to the original. */
static bool cast_is_lossless(const struct tree_expr *a)
{
    const struct type *from = a->args[0]->type, *to = a->type;
    if (from->kind == TYPE_POINTER)
        return to->kind == TYPE_POINTER;
    if (from->kind == TYPE_F32 && to->kind == TYPE_F64)
        return true;
    return type_is_integer(from) && type_is_integer(to) && from->size <= to->size;
}

struct tree_expr *expr_cast(struct tree *t, const struct type *type, struct tree_expr *a)
{
    if (a->type == type)
        return a;
    struct tree_expr *folded = NULL;
    if (a->op == EXPR_INT)
        folded = cast_int(t, type, a);
    else if (a->op == EXPR_FLOAT)
        folded = cast_float(t, type, a);
    else if (a->op == EXPR_NULL && type->kind == TYPE_POINTER)
        folded = expr_null(t, type);
    if (folded)
        return folded;
    if (type_is_complex(type) && (a->op == EXPR_INT || a->op == EXPR_FLOAT || a->op == EXPR_COMPLEX)) {
        const struct type *part = type_part(t->ir, type);
        if (a->op == EXPR_COMPLEX)
            return expr_complex(t, expr_cast(t, part, a->args[0]), expr_cast(t, part, a->args[1]));
        return expr_complex(t, expr_cast(t, part, a), expr_zero(t, part));
    }
    if (a->op == EXPR_CAST && cast_is_lossless(a)) {
        const struct type *middle = a->type, *from = a->args[0]->type;
        if (type->kind == TYPE_POINTER
                ? middle->kind == TYPE_POINTER
                : from == type || (type_is_integer(type) && type_is_integer(middle) && type->size <= middle->size))
            return expr_cast(t, type, a->args[0]);
    }
    return expr_new1(t, EXPR_CAST, type, a);
}

struct tree_expr *expr_bits(struct tree *t, const struct type *type, struct tree_expr *a)
{
    if (a->type == type)
        return a;
    if (a->op == EXPR_BITS)
        return expr_bits(t, type, a->args[0]);
    if (a->op == EXPR_INT && type_is_integer(type))
        return expr_int(t, type, a->i);
    if (a->op == EXPR_FLOAT && type_is_integer(type))
        return expr_int(t, type, (int64_t)expr_float_bits(a));
    return expr_new1(t, EXPR_BITS, type, a);
}

struct tree_expr *expr_truth(struct tree *t, struct tree_expr *e)
{
    if (e->type->kind == TYPE_BOOL)
        return e;
    if (type_is_complex(e->type))
        return expr_binary(t, EXPR_LOGICAL_OR, expr_truth(t, expr_unary(t, EXPR_REAL, e)),
                           expr_truth(t, expr_unary(t, EXPR_IMAG, e)));
    return expr_binary(t, EXPR_NE, e, expr_zero(t, e->type));
}

/* ---- choice, functions, parts ---- */

struct tree_expr *expr_select(struct tree *t, struct tree_expr *c, struct tree_expr *a, struct tree_expr *b)
{
    if (c->op == EXPR_INT)
        return c->i ? a : b;
    if (expr_is_pure(c) && expr_equal(a, b))
        return a;
    if (a->type->kind == TYPE_BOOL && expr_is_int(a, 1) && expr_is_int(b, 0))
        return c;
    if (a->type->kind == TYPE_BOOL && expr_is_int(a, 0) && expr_is_int(b, 1))
        return expr_unary(t, EXPR_NOT, c);
    if (c->op == EXPR_NOT)
        return expr_select(t, c->args[0], b, a);
    return expr_new3(t, EXPR_SELECT, a->type, c, a, b);
}

static const struct {
    const char *name;
    uint32_t arity;
} math_table[TREE_MATH_COUNT] = {
#define MATH(name, arity) { #name, arity },
    TREE_MATH_LIST(MATH)
#undef MATH
};

const char *tree_math_name(enum tree_math f) { return math_table[f].name; }

uint32_t tree_math_arity(enum tree_math f) { return math_table[f].arity; }

const struct type *tree_math_type(struct tree *t, enum tree_math f, const struct type *arg)
{
    if (f == TREE_MATH_isnan || f == TREE_MATH_isinf || f == TREE_MATH_isfinite || f == TREE_MATH_signbit)
        return arg->scalable ? tree_mask_type(t, arg) : type_basic(t->ir, TYPE_BOOL);
    if (f == TREE_MATH_fabs && type_is_complex(type_scalar(arg)))
        return type_part(t->ir, arg);
    return arg;
}

struct tree_expr *expr_math(struct tree *t, enum tree_math f, struct tree_expr *const *args)
{
    const struct type *type = tree_math_type(t, f, args[0]->type);
    double value;
    if (args[0]->op == EXPR_FLOAT && fold_math(f, args[0]->type, &args[0]->f, &value))
        return type->kind == TYPE_BOOL ? expr_bool(t, value != 0) : expr_float(t, type, value);
    if (f == TREE_MATH_pow && type->kind == TYPE_F64 && args[0]->op == EXPR_FLOAT && args[1]->op == EXPR_FLOAT &&
        fold_power(args[0]->f, args[1]->f, &value))
        return expr_float(t, type, value);
    if (f == TREE_MATH_fabs && args[0]->op == EXPR_INT)
        return expr_int(t, type,
                        args[0]->i < 0 && type_is_signed(type) ? (int64_t) - (uint64_t)args[0]->i : args[0]->i);
    struct tree_expr *e = expr_new(t, EXPR_MATH, type, math_table[f].arity);
    e->math = f;
    for (uint32_t i = 0; i < e->num_args; i++)
        e->args[i] = args[i];
    return e;
}

struct tree_expr *expr_call(struct tree *t, const struct type *type, const char *name, struct tree_expr *const *args,
                            uint32_t num_args)
{
    struct tree_expr *e = expr_new(t, EXPR_CALL, type, num_args);
    e->name = name;
    e->callee = tree_callee(name);
    for (uint32_t i = 0; i < num_args; i++)
        e->args[i] = args[i];
    return e;
}

struct tree_expr *expr_complex(struct tree *t, struct tree_expr *re, struct tree_expr *im)
{
    const struct type *part = re->type;
    const struct type *type = type_basic(t->ir, type_scalar(part)->kind == TYPE_F32 ? TYPE_C64 : TYPE_C128);
    if (part->kind == TYPE_VECTOR)
        type = type_lanes_of(t->ir, part, type);
    return expr_new2(t, EXPR_COMPLEX, type, re, im);
}

struct tree_expr *expr_splat(struct tree *t, const struct type *vector, struct tree_expr *scalar)
{
    return expr_new1(t, EXPR_SPLAT, vector, scalar);
}

struct tree_expr *expr_lane(struct tree *t, struct tree_expr *v, struct tree_expr *lane)
{
    if (v->op == EXPR_SPLAT && expr_is_pure(lane))
        return v->args[0];
    return expr_new2(t, EXPR_LANE, v->type->elem, v, lane);
}

struct tree_expr *expr_insert(struct tree *t, struct tree_expr *v, struct tree_expr *lane, struct tree_expr *value)
{
    return expr_new3(t, EXPR_INSERT, v->type, v, lane, value);
}
