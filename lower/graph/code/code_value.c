/* Expressions that are neither operators on numbers nor calls. */
#include "lower/graph/code/code_gen.h"
#include "lower/tree/tree_check.h"

/* ---- literals ---- */

static struct tree_expr *integer(struct code_gen *g, const struct code *c, bool negative)
{
    enum type_kind kind = c->big ? TYPE_U64 : c->i > UINT32_MAX ? TYPE_I64 : c->i > INT32_MAX ? TYPE_U32 : TYPE_I32;
    if (kind == TYPE_U32 && (!g->s->python || (negative && c->u == (uint64_t)INT32_MAX + 1)))
        kind = TYPE_I64; /* -2147483648 (semantics.md 6.4) */
    return expr_int(g->t, c->type ? c->type : code_basic(g, kind), c->i);
}

static struct tree_expr *real(struct code_gen *g, const struct code *c)
{
    return expr_float(g->t, c->type ? c->type : code_basic(g, TYPE_F64), c->f);
}

static struct tree_expr *string(struct code_gen *g, const struct code *c)
{
    size_t size = 0;
    while (c->name[size])
        size++;
    return expr_data(g->t, code_basic(g, TYPE_I8), arena_copy(g->arena, c->name, size + 1), size + 1);
}

/* ---- operands in order ---- */

static bool changes_values(const struct tree_stmt *s)
{
    if (s->kind != STMT_BLOCK)
        return !stmt_is_check(s);
    for (uint32_t i = 0; i < s->items.count; i++)
        if (changes_values(s->items.items[i]))
            return true;
    return false;
}

void code_append_operand(struct code_gen *g, struct tree_stmt *made, struct tree_expr **operands, uint32_t count,
                         uint32_t *kept)
{
    bool changes = changes_values(made);
    for (; changes && *kept < count; ++*kept)
        if (!expr_is_const(operands[*kept]))
            operands[*kept] = code_temp(g, "operand", operands[*kept]);
    if (made->items.count)
        stmt_append(g->t, g->out, made);
}

bool code_eval_list(struct code_gen *g, struct code *const *codes, uint32_t count, struct tree_expr **out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tree_stmt *before = code_begin(g);
        out[i] = code_eval(g, codes[i]);
        struct tree_stmt *made = code_end(g, before);
        if (!out[i])
            return false;
        code_append_operand(g, made, out, i, &kept);
    }
    return true;
}

/* ---- what is evaluated only sometimes ---- */

struct tree_expr *code_truth_of(struct code_gen *g, const struct code *c)
{
    struct tree_expr *e = code_eval(g, c);
    return e ? code_truth(g, c, e) : NULL;
}

/* The type of a choice: that of both, or the arithmetic one of C. */
static bool unify(struct code_gen *g, const struct code *c, struct tree_expr **a, struct tree_expr **b)
{
    if ((*a)->type == (*b)->type)
        return true;
    if (code_is_pointer((*a)->type) || code_is_pointer((*b)->type)) {
        const struct type *type = code_is_pointer((*a)->type) && (*a)->op != EXPR_NULL ? (*a)->type : (*b)->type;
        *a = code_to(g, c, type, *a);
        *b = *a ? code_to(g, c, type, *b) : NULL;
        return *b;
    }
    return code_common(g, c, a, b);
}

static struct tree_expr *choose_lanes(struct code_gen *g, const struct code *c, struct tree_expr *mask,
                                      struct tree_expr *a, struct tree_expr *b)
{
    const struct type *type = a->type->kind == TYPE_VECTOR ? a->type : b->type;
    if (type->kind != TYPE_VECTOR)
        type = type_vector(g->ir, type_arithmetic(g->ir, a->type, b->type), mask->type->lanes, NULL);
    a = code_to(g, c, type, a);
    b = a ? code_to(g, c, type, b) : NULL;
    return b ? expr_select(g->t, mask, a, b) : NULL;
}

struct tree_expr *code_select(struct code_gen *g, const struct code *c, const struct code *condition,
                              const struct code *then, const struct code *otherwise)
{
    struct tree_expr *chosen = code_eval(g, condition);
    if (chosen && chosen->type->kind != TYPE_VECTOR)
        chosen = code_truth(g, condition, chosen);
    if (!chosen)
        return NULL;
    struct tree_stmt *outer = code_begin(g);
    struct tree_expr *a = code_eval(g, then);
    struct tree_stmt *first = code_end(g, outer);
    outer = code_begin(g);
    struct tree_expr *b = a ? code_eval(g, otherwise) : NULL;
    struct tree_stmt *second = code_end(g, outer);
    if (!b)
        return NULL;
    if (chosen->type->kind == TYPE_VECTOR) {
        chosen = first->items.count + second->items.count ? code_temp(g, "mask", chosen) : chosen;
        stmt_append(g->t, g->out, first);
        stmt_append(g->t, g->out, second);
        return choose_lanes(g, c, chosen, a, b);
    }
    if (!unify(g, c, &a, &b))
        return NULL;
    if (!first->items.count && !second->items.count)
        return expr_select(g->t, chosen, a, b);
    struct tree_var *v = tree_var(g->t, "chosen", a->type);
    struct tree_stmt *s = stmt_if(g->t, g->out, chosen);
    stmt_append(g->t, s->body, first);
    stmt_assign(g->t, s->body, v, a);
    stmt_append(g->t, s->otherwise, second);
    stmt_assign(g->t, s->otherwise, v, b);
    return expr_var(g->t, v);
}

/* ---- addresses ---- */

struct tree_expr *code_address(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    if (c->kind == CODE_NAME && !code_find_local(g, c->name)) { /* also of one element named without subscript */
        struct operand o;
        if (!code_lookup(g, c->name, &o))
            return NULL;
        if (o.kind == OPERAND_ARRAY || o.kind == OPERAND_POINTER)
            return o.pointer;
    }
    if (!code_has_place(c) || !code_place(g, c, &p))
        return NULL;
    if (p.kind == LVALUE_ARRAY)
        return p.pointer;
    if (p.kind == LVALUE_VALUE)
        return code_is_pointer(p.type) ? p.value : NULL;
    return p.kind == LVALUE_MEMORY ? expr_offset(g->t, p.pointer, p.index) : NULL;
}

/* A pointer that is kept somewhere, as a value; NULL for all else. */
static struct tree_expr *kept_pointer(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    struct operand o;
    struct tree_expr *e = NULL;
    bool operand = c->kind == CODE_NAME && !code_find_local(g, c->name) && code_lookup(g, c->name, &o) &&
                   (o.kind == OPERAND_ARRAY || o.kind == OPERAND_POINTER);
    if (operand || !code_has_place(c))
        return NULL;
    struct tree_stmt *before = code_begin(g);
    if (code_place(g, c, &p) && code_is_pointer(p.type) && (p.kind == LVALUE_MEMORY || p.kind == LVALUE_VAR))
        e = code_read(g, c, &p);
    struct tree_stmt *made = code_end(g, before);
    if (e)
        stmt_append(g->t, g->out, made);
    return e;
}

struct tree_expr *code_compare_none(struct code_gen *g, const struct code *c, enum code_op op, const struct code *other)
{
    bool equal = op == CODE_EQ || op == CODE_IS;
    if (!equal && op != CODE_NE && op != CODE_ISNOT)
        return code_invalid(g, c, "None has no order");
    if (other->kind == CODE_NONE)
        return expr_bool(g->t, equal);
    uint32_t errors = diags_errors(g->s->diags);
    struct tree_expr *pointer = kept_pointer(g, other);
    if (!pointer && diags_errors(g->s->diags) == errors && code_has_place(other))
        pointer = code_address(g, other);
    if (diags_errors(g->s->diags) > errors)
        return NULL;
    if (!pointer && !(pointer = code_eval(g, other)))
        return NULL;
    if (!code_is_pointer(pointer->type))
        return expr_bool(g->t, !equal); /* a number is never None */
    return expr_binary(g->t, equal ? EXPR_EQ : EXPR_NE, pointer, expr_null(g->t, pointer->type));
}

/* ---- operators ---- */

static struct tree_expr *unary(struct code_gen *g, const struct code *c)
{
    const struct code *operand = c->items[0];
    struct tree_expr *a =
        operand->kind == CODE_INT && c->op == CODE_NEG ? integer(g, operand, true) : code_eval(g, operand);
    return a ? code_unary(g, c, c->op, a) : NULL;
}

/* ---- operators of C that assign ---- */

static struct tree_expr *assign_expression(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    struct tree_expr *value = code_eval(g, c->items[1]);
    if (!value || !code_target_place(g, c->items[0], &value, &p))
        return NULL;
    if (c->op) {
        struct tree_expr *old = code_read(g, c, &p);
        value = old ? code_binary(g, c, c->op, old, value) : NULL;
    }
    value = value && p.type->kind != TYPE_STRUCT ? code_to(g, c, p.type, value) : value;
    if (!value)
        return NULL;
    value = code_temp(g, "assigned", value);
    return code_write(g, c, &p, value) ? value : NULL;
}

static struct tree_expr *step(struct code_gen *g, const struct code *c)
{
    struct lvalue p;
    if (!code_has_place(c->items[0]))
        return code_invalid(g, c, "this cannot be incremented");
    if (!code_place(g, c->items[0], &p))
        return NULL;
    struct tree_expr *old = code_read(g, c, &p);
    if (!old)
        return NULL;
    old = code_temp(g, "before", old);
    struct tree_expr *new = code_binary(g, c, c->op, old, expr_int(g->t, code_basic(g, TYPE_I32), 1));
    new = new ? code_to(g, c, p.type, new) : NULL;
    if (!new || !code_write(g, c, &p, new))
        return NULL;
    return c->i ? new : old;
}

static struct tree_expr *address(struct code_gen *g, const struct code *c)
{
    uint32_t errors = diags_errors(g->s->diags);
    struct tree_expr *e = code_address(g, c->items[0]);
    if (e || diags_errors(g->s->diags) > errors)
        return e;
    return code_unsupported(g, c, "the address of a variable");
}

struct tree_expr *code_eval(struct code_gen *g, const struct code *c)
{
    struct tree_expr *e = NULL;
    switch (c->kind) {
    case CODE_INT:
        return integer(g, c, false);
    case CODE_FLOAT:
        return real(g, c);
    case CODE_IMAG:
        return expr_complex(g->t, expr_zero(g->t, code_basic(g, TYPE_F64)),
                            expr_float(g->t, code_basic(g, TYPE_F64), c->f));
    case CODE_BOOL:
        return expr_bool(g->t, c->i != 0);
    case CODE_STRING:
        return string(g, c);
    case CODE_NONE:
        return expr_null(g->t, type_pointer(g->ir, code_basic(g, TYPE_VOID)));
    case CODE_NAME:
    case CODE_MEMBER:
    case CODE_INDEX:
    case CODE_DEREF: {
        struct lvalue p;
        return code_place(g, c, &p) ? code_read(g, c, &p) : NULL;
    }
    case CODE_CALL:
        return code_call(g, c);
    case CODE_UNARY:
        return unary(g, c);
    case CODE_BINARY:
    case CODE_COMPARE_CHAIN:
        return code_chain_value(g, c);
    case CODE_SELECT:
        return code_select(g, c, c->items[0], c->items[1], c->items[2]);
    case CODE_CAST:
        e = code_eval(g, c->items[0]);
        return e ? code_to(g, c, c->type, e) : NULL;
    case CODE_ASSIGN_EXPR:
        return assign_expression(g, c);
    case CODE_REDUCE:
        return code_reduce_value(g, c);
    case CODE_STEP:
        return step(g, c);
    case CODE_ADDRESS:
        return address(g, c);
    case CODE_COMMA:
        for (uint32_t i = 0; i < c->count; i++) {
            if (e && !expr_is_pure(e))
                code_temp(g, "unused", e);
            if (!(e = code_eval(g, c->items[i])))
                return NULL;
        }
        return e;
    case CODE_INLINE:
        if (!code_inline(g, c, &e))
            return NULL;
        return e ? e : code_invalid(g, c, "a function that gives no value");
    case CODE_SLICE:
        return code_unsupported(g, c, "a slice");
    case CODE_LAMBDA:
        return code_unsupported(g, c, "a lambda as a value");
    case CODE_TUPLE:
        return code_unsupported(g, c, "a tuple as a value");
    default:
        return code_unsupported(g, c, "this expression");
    }
}
