#include "lower/graph/code/code_gen.h"

#include <math.h>

bool code_is_pointer(const struct type *t)
{
    return t->kind == TYPE_POINTER || t->kind == TYPE_STRING || t->kind == TYPE_CALLBACK || t->kind == TYPE_OPAQUE;
}

struct tree_expr *code_characters(struct code_gen *g, struct tree_expr *e)
{
    bool text = e && e->type->kind == TYPE_STRING;
    return text ? expr_cast(g->t, type_pointer(g->ir, code_basic(g, TYPE_I8)), e) : e;
}

static struct tree_expr *refuse(struct code_gen *g, const struct code *c, const struct type *type,
                                const struct tree_expr *e)
{
    return code_invalid(g, c, "a value of type %s cannot be converted to %s", code_type_text(g, e->type),
                        code_type_text(g, type));
}

static struct tree_expr *to_vector(struct code_gen *g, const struct code *c, const struct type *type,
                                   struct tree_expr *e)
{
    if (e->type->kind == TYPE_VECTOR) {
        const struct type *from = e->type->elem;
        bool fits = e->type->lanes == type->lanes && type_is_basic(from) &&
                    (type_is_complex(type->elem) || !type_is_complex(from));
        return fits ? expr_cast(g->t, type, e) : refuse(g, c, type, e);
    }
    struct tree_expr *lane = code_to(g, c, type->elem, e);
    return lane ? expr_splat(g->t, type, lane) : NULL;
}

static struct tree_expr *to_pointer(struct code_gen *g, const struct code *c, const struct type *type,
                                    struct tree_expr *e)
{
    if (code_is_pointer(e->type))
        return expr_cast(g->t, type, e);
    if (expr_is_int(e, 0))
        return expr_null(g->t, type);
    return !g->s->python && type_is_integer(e->type) ? expr_cast(g->t, type, e) : refuse(g, c, type, e);
}

/* Constants beyond the integers: C leaves it open, the compilers that DaCe uses take the nearest integer, 0 for NaN. */
static struct tree_expr *saturated(struct code_gen *g, const struct type *type, struct tree_expr *e)
{
    uint32_t bits = type->size * 8 - type_is_signed(type);
    double limit = ldexp(1, (int)bits);
    if (isnan(e->f))
        return expr_int(g->t, type, 0);
    if (e->f >= limit)
        return expr_int(g->t, type, bits == 64 ? -1 : (int64_t)((UINT64_C(1) << bits) - 1));
    double lowest = type_is_signed(type) ? -limit : 0;
    if (e->f < lowest)
        return expr_int(g->t, type, type_is_signed(type) ? INT64_MIN >> (63 - bits) : 0);
    return expr_cast(g->t, type, e);
}

struct tree_expr *code_to(struct code_gen *g, const struct code *c, const struct type *type, struct tree_expr *e)
{
    const struct type *from = e->type;
    if (from == type)
        return e;
    if (type->kind == TYPE_VECTOR)
        return to_vector(g, c, type, e);
    if (code_is_pointer(type))
        return to_pointer(g, c, type, e);
    if (type->kind == TYPE_BOOL)
        return code_truth(g, c, e);
    if (type->kind == TYPE_STRUCT && from->kind == TYPE_POINTER && from->elem == type)
        return e; /* the address stands for the structure */
    if (!type_is_basic(type))
        return refuse(g, c, type, e);
    if (code_is_pointer(from))
        return !g->s->python && type_is_integer(type) ? expr_cast(g->t, type, e) : refuse(g, c, type, e);
    if (from->kind == TYPE_VECTOR && from->lanes == 1)
        return code_to(g, c, type, expr_lane(g->t, e, expr_i64(g->t, 0)));
    if (!type_is_basic(from) || (type_is_complex(from) && !type_is_complex(type)))
        return refuse(g, c, type, e);
    if (e->op == EXPR_FLOAT && type_is_integer(type))
        return saturated(g, type, e);
    return expr_cast(g->t, type, e);
}

struct tree_expr *code_promote(struct code_gen *g, struct tree_expr *e)
{
    if (g->s->wide && type_is_signed(e->type) && e->type->size < 8)
        return expr_cast(g->t, code_basic(g, TYPE_I64), e);
    bool number = type_is_basic(e->type) || e->type->kind == TYPE_VECTOR;
    return number ? expr_cast(g->t, type_promote(g->ir, e->type), e) : e;
}

bool code_common(struct code_gen *g, const struct code *c, struct tree_expr **a, struct tree_expr **b)
{
    const struct type *ta = (*a)->type, *tb = (*b)->type;
    bool numbers = (type_is_basic(ta) || ta->kind == TYPE_VECTOR) && (type_is_basic(tb) || tb->kind == TYPE_VECTOR);
    const struct type *type = numbers ? type_arithmetic(g->ir, ta, tb) : NULL;
    if (type && g->s->wide && type_is_signed(type) && type->size < 8)
        type = code_basic(g, TYPE_I64);
    if (ta->kind == TYPE_VECTOR && tb->kind == TYPE_VECTOR && ta != tb)
        type = NULL;
    if (!type)
        return code_invalid(g, c, "types %s and %s do not go together", code_type_text(g, ta), code_type_text(g, tb));
    *a = code_to(g, c, type, *a);
    *b = *a ? code_to(g, c, type, *b) : NULL;
    return *b;
}

struct tree_expr *code_truth(struct code_gen *g, const struct code *c, struct tree_expr *e)
{
    if (type_is_basic(e->type)) {
        bool narrow = type_is_float(e->type) && e->type->kind != TYPE_F64;
        return expr_truth(g->t, narrow ? code_promote(g, e) : type_is_complex(e->type) && g->out ? code_once(g, e) : e);
    }
    if (code_is_pointer(e->type))
        return expr_binary(g->t, EXPR_NE, e, expr_null(g->t, e->type));
    return code_invalid(g, c, "a value of type %s has no truth", code_type_text(g, e->type));
}

struct tree_expr *code_to_index(struct code_gen *g, const struct code *c, struct tree_expr *e)
{
    if (!type_is_integer(e->type) && e->type->kind != TYPE_BOOL)
        return code_invalid(g, c, "an index must be an integer, not %s", code_type_text(g, e->type));
    return expr_cast(g->t, code_basic(g, TYPE_I64), e);
}

struct tree_expr *code_constant(struct code_gen *g, const struct type *type, double value)
{
    if (type->kind == TYPE_VECTOR)
        return expr_splat(g->t, type, code_constant(g, type->elem, value));
    return expr_cast(g->t, type, expr_float(g->t, code_basic(g, TYPE_F64), value));
}
