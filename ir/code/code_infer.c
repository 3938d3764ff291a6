#include "ir/code/code.h"

#include <string.h>

/* semantics.md 7, `infer_expr_type`. Quirks of DaCe are kept: they decide the types of symbols and registers. */

struct infer {
    struct ir *ir;
    code_type_of *type_of;
    void *user;
};

static const struct type *infer(struct infer *n, const struct code *c);

static const struct type *basic(struct infer *n, enum type_kind kind) { return type_basic(n->ir, kind); }

static const struct type *infer_name(struct infer *n, const char *name)
{
    const struct type *t = n->type_of(n->user, name);
    if (t)
        return t;
    if (strcmp(name, "int") == 0)
        return basic(n, TYPE_I64);
    return strcmp(name, "float") == 0 ? basic(n, TYPE_F64) : NULL;
}

/* The joint type of arguments `begin` to the last; NULL if one is unknown. */
static const struct type *joint(struct infer *n, const struct code *c, uint32_t begin)
{
    const struct type *t = begin < c->count ? infer(n, c->items[begin]) : NULL;
    for (uint32_t i = begin + 1; i < c->count && t; i++) {
        const struct type *other = infer(n, c->items[i]);
        t = other ? type_joint(n->ir, t, other) : NULL;
    }
    return t;
}

static const struct type *comparison(struct infer *n, const struct type *a, const struct type *b)
{
    const struct type *vector = a && a->kind == TYPE_VECTOR ? a : b && b->kind == TYPE_VECTOR ? b : NULL;
    const struct type *truth = basic(n, TYPE_BOOL);
    return vector ? type_vector(n->ir, truth, vector->lanes, vector->lanes_text) : truth;
}

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* The normalised spellings of transitions (format.md 5.6) are known besides DaCe's own list. */
static const struct type *infer_call(struct infer *n, const struct code *c)
{
    static const char *const like_first[] = { "abs", "Abs", "log", "sgn", "sign", NULL };
    static const char *const like_all[] = { "min",    "max",   "Min",  "Max",    "int_floor", "int_ceil", "Mod",
                                            "py_mod", "PyMod", "CMod", "FtnMod", "FtnModulo", NULL };
    static const char *const truths[] = { "Is",  "Eq", "Ne",  "Lt",  "Le", "Gt", "Ge",
                                          "And", "Or", "Not", "AND", "OR", NULL };
    const struct code *callee = c->items[0];
    const struct code *first = c->count > 1 ? c->items[1] : NULL;
    if (callee->kind == CODE_MEMBER && callee->items[0]->kind == CODE_NAME) {
        const char *module = callee->items[0]->name;
        if (strcmp(module, "math") == 0 || strcmp(module, "cmath") == 0)
            return joint(n, c, 1);
        return strcmp(module, "dace") == 0 ? type_by_name(n->ir, callee->name) : NULL;
    }
    if (callee->kind != CODE_NAME)
        return NULL;
    const char *name = callee->name;
    if (is_one_of(name, like_first) && first)
        return infer(n, first);
    if (is_one_of(name, like_all))
        return joint(n, c, 1);
    if (is_one_of(name, truths))
        return basic(n, TYPE_BOOL);
    if (strcmp(name, "round") == 0 || strcmp(name, "ROUND") == 0 || strcmp(name, "int") == 0)
        return basic(n, TYPE_I64);
    if (strcmp(name, "float") == 0)
        return basic(n, TYPE_F64);
    if (strcmp(name, "IfExpr") == 0 && c->count == 4)
        return joint(n, c, 2);
    return type_by_name(n->ir, name);
}

/* `a`: of the left operand. */
static const struct type *infer_binary(struct infer *n, const struct code *c, const struct type *a)
{
    const struct code *right = c->items[1];
    if (c->op == CODE_IS || c->op == CODE_ISNOT || c->op == CODE_IN || c->op == CODE_NOTIN)
        return basic(n, TYPE_BOOL);
    const struct type *b = infer(n, right);
    if ((c->op >= CODE_LT && c->op <= CODE_NE) || c->op == CODE_AND || c->op == CODE_OR)
        return comparison(n, a, b);
    if (!a || !b)
        return NULL;
    if (c->op == CODE_POW && right->kind == CODE_INT)
        return type_joint(n->ir, a, basic(n, TYPE_U32));
    return type_joint(n->ir, a, b);
}

static const struct type *infer_binaries(struct infer *n, const struct code *c)
{
    const struct code **chain;
    uint32_t count = code_chain(n->ir->arena, c, &chain);
    const struct type *t = infer(n, chain[count - 1]->items[0]);
    for (uint32_t i = count; i > 0; i--)
        t = infer_binary(n, chain[i - 1], t);
    return t;
}

static const struct type *infer_chain(struct infer *n, const struct code *c)
{
    const struct type *t = comparison(n, infer(n, c->items[0]->items[0]), infer(n, c->items[0]->items[1]));
    for (uint32_t i = 1; i < c->count; i++)
        t = comparison(n, t, infer(n, c->items[i]->items[1]));
    return t;
}

/* The element, or the field of a struct that a pointer or a value may hold. */
static const struct type *infer_part(struct infer *n, const struct code *c)
{
    const struct type *base;
    if (c->kind == CODE_MEMBER) {
        const char *dotted = code_dotted(n->ir, c);
        base = dotted ? n->type_of(n->user, dotted) : NULL;
        if (base)
            return base;
    }
    base = infer(n, c->items[0]);
    if (!base)
        return NULL;
    if (c->kind == CODE_INDEX)
        return base->kind == TYPE_POINTER || base->kind == TYPE_VECTOR ? base->elem : base;
    if (base->kind == TYPE_POINTER)
        base = base->elem;
    for (uint32_t i = 0; i < base->num_fields && base->kind == TYPE_STRUCT; i++)
        if (strcmp(base->fields[i].name, c->name) == 0)
            return base->fields[i].type;
    return NULL;
}

static const struct type *infer(struct infer *n, const struct code *c)
{
    switch (c->kind) {
    case CODE_INT:
        return c->type ? c->type : basic(n, c->big ? TYPE_U64 : TYPE_I64);
    case CODE_FLOAT:
        return c->type ? c->type : basic(n, TYPE_F64);
    case CODE_IMAG:
        return basic(n, TYPE_C128);
    case CODE_BOOL:
        return basic(n, TYPE_BOOL);
    case CODE_STRING:
        return type_pointer(n->ir, basic(n, TYPE_I8));
    case CODE_NAME:
        return infer_name(n, c->name);
    case CODE_MEMBER:
    case CODE_INDEX:
        return infer_part(n, c);
    case CODE_CALL:
        return infer_call(n, c);
    case CODE_UNARY: /* also `not`: QUIRK */
        return infer(n, c->items[0]);
    case CODE_BINARY:
        return infer_binaries(n, c);
    case CODE_COMPARE_CHAIN:
        return infer_chain(n, c);
    case CODE_SELECT:
        return joint(n, c, 1);
    case CODE_CAST:
        return c->type;
    default:
        return NULL;
    }
}

const struct type *code_infer(struct ir *ir, const struct code *expression, code_type_of *type_of, void *user)
{
    struct infer n = { ir, type_of, user };
    return infer(&n, expression);
}
