/* Stores that combine the old content with the new value (semantics.md 4.7). */
#include "lower/graph/code/code_gen.h"

/* ---- the old content as the value of a name ---- */

static bool reads(const struct code *c, const char *name)
{
    if (!c)
        return false;
    if (c->kind == CODE_NAME)
        return c->name == name;
    for (uint32_t i = 0; i < c->count; i++) {
        bool target = c->kind == CODE_ASSIGN && i > 0 && !c->op && c->items[i]->kind == CODE_NAME;
        if (!target && reads(code_item(c, i), name))
            return true;
    }
    return false;
}

struct tree_var *code_old_variable(struct code_gen *g, const char *name, const struct type *type)
{
    for (uint32_t i = 0; i < g->olds.count; i++)
        if (g->olds.items[i].name == name)
            return g->olds.items[i].var;
    if (!type_is_basic(type) || !reads(g->body, name))
        return NULL;
    struct code_old old = { name, tree_var(g->t, name, type) };
    stmt_assign(g->t, g->prologue, old.var, expr_zero(g->t, type));
    vec_push(g->arena, &g->olds, old);
    return old.var;
}

/* ---- combining ---- */

static const struct {
    enum expr_op op;
    bool truth; /* operands as truth values */
} combine_ops[] = {
    [WCR_SUM] = { EXPR_ADD, false },
    [WCR_PRODUCT] = { EXPR_MUL, false },
    [WCR_MIN] = { EXPR_MIN, false },
    [WCR_MAX] = { EXPR_MAX, false },
    [WCR_LOGICAL_AND] = { EXPR_LOGICAL_AND, true },
    [WCR_LOGICAL_OR] = { EXPR_LOGICAL_OR, true },
    [WCR_LOGICAL_XOR] = { EXPR_NE, true },
    [WCR_BIT_AND] = { EXPR_AND, false },
    [WCR_BIT_OR] = { EXPR_OR, false },
    [WCR_BIT_XOR] = { EXPR_XOR, false },
};

static bool is_bits(enum wcr_kind wcr) { return wcr == WCR_BIT_AND || wcr == WCR_BIT_OR || wcr == WCR_BIT_XOR; }

bool code_wcr_applies(enum wcr_kind wcr, const struct type *type)
{
    const struct type *elem = type->kind == TYPE_VECTOR ? type->elem : type;
    bool ordered = wcr == WCR_MIN || wcr == WCR_MAX, whole = type_is_integer(elem) || elem->kind == TYPE_BOOL;
    return wcr == WCR_CUSTOM ||
           (type_is_basic(elem) && !(is_bits(wcr) && !whole) && !(ordered && type_is_complex(elem)));
}

/* wcr(a, b) of two values of one type, as an expression of that type; NULL with a diagnostic. */
static struct tree_expr *combined(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *a,
                                  struct tree_expr *b)
{
    const struct type *type = a->type;
    if (p->wcr == WCR_EXCHANGE)
        return b;
    if (p->wcr == WCR_CUSTOM) {
        struct tree_expr *e = code_apply(g->s, g->out, p->wcr_lambda, a, b);
        return e && type->kind != TYPE_POINTER ? code_to(g, c, type, e) : e;
    }
    if (combine_ops[p->wcr].truth) {
        a = code_truth(g, c, a);
        b = a ? code_truth(g, c, b) : NULL;
    } else {
        a = code_promote(g, a);
        b = code_promote(g, b);
    }
    return b ? code_to(g, c, type, expr_binary(g->t, combine_ops[p->wcr].op, a, b)) : NULL;
}

/* A vector combined into one element: its lanes first. */
static struct tree_expr *lanes_combined(struct code_gen *g, const struct code *c, const struct lvalue *p,
                                        struct tree_expr *vector)
{
    if (!vector->type->lanes)
        return code_unsupported(g, c, "conflict resolution of vectors with a symbolic number of lanes");
    vector = code_once(g, vector);
    struct tree_expr *e = NULL;
    for (uint32_t i = 0; i < vector->type->lanes; i++) {
        struct tree_expr *lane = code_to(g, c, p->type, expr_lane(g->t, vector, expr_i64(g->t, i)));
        e = lane && e ? combined(g, c, p, e, lane) : lane;
        if (!e)
            return NULL;
        e = code_once(g, e);
    }
    return e;
}

/* Element by a custom function, or of a type that targets have no reduction for: one step of reading, combining and
 * writing. */
static bool update(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    struct tree_var *old = tree_var(g->t, "old", p->type);
    value = code_once(g, value);
    struct tree_stmt *s = stmt_new(g->t, g->out, STMT_UPDATE);
    s->place = g->s->place;
    s->var = old;
    s->pointer = p->pointer;
    s->index = p->index;
    s->type = p->type;
    s->alias = p->alias;
    s->wcr = p->wcr;
    s->atomic = p->atomic;
    s->body = stmt_block(g->t);
    struct tree_stmt *before = g->out;
    g->out = s->body;
    s->value = combined(g, c, p, expr_var(g->t, old), value);
    g->out = before;
    if (p->old)
        stmt_assign(g->t, g->out, p->old, expr_var(g->t, old));
    return s->value;
}

/* A structure: by its address, inside a critical section if others may write it. */
static bool update_struct(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    if (value->type->kind != TYPE_POINTER || value->type->elem != p->type || p->wcr != WCR_CUSTOM)
        return code_invalid(g, c, "a value of type %s cannot be combined with %s", code_type_text(g, value->type),
                            code_type_text(g, p->type));
    struct tree_stmt *before = g->out;
    value = code_once(g, value);
    if (p->atomic) {
        struct tree_stmt *s = stmt_new(g->t, g->out, STMT_CRITICAL);
        s->body = g->out = stmt_block(g->t);
    }
    struct lvalue plain = *p;
    plain.wcr = WCR_NONE;
    struct tree_expr *e = combined(g, c, p, expr_offset(g->t, p->pointer, p->index), value);
    bool good = e && code_copy_struct(g, c, &plain, e);
    g->out = before;
    return good;
}

bool code_combine(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value)
{
    const struct type *type = p->type;
    if (type->kind == TYPE_STRUCT)
        return update_struct(g, c, p, value);
    value = value->type->kind == TYPE_VECTOR && type->kind != TYPE_VECTOR ? lanes_combined(g, c, p, value)
                                                                          : code_to(g, c, type, value);
    if (!value)
        return false;
    const struct type *elem = type->kind == TYPE_VECTOR ? type->elem : type;
    if (!code_wcr_applies(p->wcr, type))
        return code_invalid(g, c, "this conflict resolution has no meaning for %s", code_type_text(g, type));
    bool narrow = type_is_float(elem) && type_promote(g->ir, elem) != elem;
    if (p->wcr == WCR_CUSTOM || narrow || type->kind == TYPE_VECTOR || p->old)
        return update(g, c, p, value);
    stmt_reduce(g->t, g->out, p->wcr, p->atomic, p->pointer, p->index, value, p->alias)->place = g->s->place;
    return true;
}

struct tree_expr *code_combine_old(struct code_gen *g, const struct code *c, const struct lvalue *p,
                                   struct tree_expr *value)
{
    if (p->type->kind == TYPE_STRUCT)
        return code_unsupported(g, c, "what a structure was before it is combined, as a value,");
    struct lvalue with = *p;
    with.old = p->old ? p->old : tree_var(g->t, "before", p->type);
    return code_combine(g, c, &with, value) ? expr_var(g->t, with.old) : NULL;
}

/* The place and the value of CODE_REDUCE. */
static bool reduction(struct code_gen *g, const struct code *c, struct lvalue *p, struct tree_expr **value)
{
    struct tree_expr *v[2];
    if (!code_eval_list(g, c->items, 2, v))
        return false;
    if (v[0]->type->kind != TYPE_POINTER || !v[0]->type->elem->size || c->i <= WCR_NONE || c->i >= WCR_EXCHANGE)
        return code_invalid(g, c, "a reduction of %s", code_type_text(g, v[0]->type));
    *p = (struct lvalue){ .kind = LVALUE_MEMORY,
                          .type = v[0]->type->elem,
                          .pointer = v[0],
                          .index = expr_i64(g->t, 0),
                          .wcr = (enum wcr_kind)c->i,
                          .atomic = c->big };
    *value = v[1];
    return true;
}

bool code_reduce(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    struct tree_expr *value;
    return reduction(g, c, &p, &value) && code_combine(g, c, &p, value);
}

struct tree_expr *code_reduce_value(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    struct tree_expr *value;
    return reduction(g, c, &p, &value) ? code_combine_old(g, c, &p, value) : NULL;
}
