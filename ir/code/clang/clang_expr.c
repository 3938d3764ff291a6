/* Expressions. Conversions that C++ makes silently are written down as CODE_CAST. */
#include <string.h>

#include "ir/code/clang/clang_walk.h"

/* ---- conversions ---- */

struct code *clang_cast(struct clang_walk *w, CXCursor at, const struct type *from, const struct type *to,
                        struct code *c)
{
    bool converts = type_is_basic(to) || to->kind == TYPE_POINTER || to->kind == TYPE_VECTOR;
    if (!c || from == to || !converts)
        return c;
    if (c->kind == CODE_INT && !c->big && type_is_integer(to) && to->size >= 4) { /* a literal of that type at once */
        int64_t value = to->kind == TYPE_I32 ? (int32_t)c->i : to->kind == TYPE_U32 ? (uint32_t)c->i : c->i;
        return clang_integer(w, at, to, value);
    }
    struct code *cast = clang_node(w, at, CODE_CAST, 1);
    cast->type = to;
    cast->items[0] = c;
    return cast;
}

/* A node around one expression: a conversion from its type to the node's, written or not. */
static struct code *converted(struct clang_walk *w, CXCursor c, CXCursor operand)
{
    CXType own = w->api->getCursorType(c), inner = w->api->getCursorType(operand);
    struct code *e = clang_expr(w, operand);
    if (!e || w->api->getCanonicalType(own).kind == CXType_Void || clang_is_class(w, own))
        return e;
    const struct type *to = clang_type(w, c, own), *from = to ? clang_type(w, operand, inner) : NULL;
    if (!from)
        return NULL;
    /* a[i] is a place until it is converted; a condition of a pointer stays one */
    if (from->kind == TYPE_POINTER && to->kind == TYPE_BOOL) {
        struct code *test = clang_node(w, c, CODE_BINARY, 2);
        test->op = CODE_NE;
        test->items[0] = e;
        test->items[1] = clang_node(w, c, CODE_NONE, 0);
        return test;
    }
    return clang_cast(w, c, from, to, e);
}

CXCursor clang_skip(struct clang_walk *w, CXCursor c)
{
    for (;;) {
        enum CXCursorKind kind = w->api->getCursorKind(c);
        if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
            return c;
        struct clang_cursors inside = clang_expressions(w, c);
        if (inside.count != 1)
            return c;
        c = inside.items[0];
    }
}

static struct code *unexposed(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (inside.count == 1)
        return converted(w, c, inside.items[0]);
    struct code *value = clang_constant(w, c);
    return value ? value : clang_unsupported(w, c, "this expression");
}

static struct code *written_cast(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (inside.count) /* what stands before the last is part of the type: decltype(x)(y) */
        return converted(w, c, inside.items[inside.count - 1]);
    const struct type *type = clang_type(w, c, w->api->getCursorType(c)); /* T() */
    if (!type || !type_is_basic(type))
        return type ? clang_unsupported(w, c, "this conversion") : NULL;
    return clang_literal(w, c, type, 0);
}

/* ---- names ---- */

struct clang_local *clang_find_local(struct clang_walk *w, CXCursor decl)
{
    for (uint32_t i = w->locals.count; i > 0; i--)
        if (w->api->equalCursors(w->locals.items[i - 1].decl, decl))
            return &w->locals.items[i - 1];
    return NULL;
}

const char *clang_add_local(struct clang_walk *w, CXCursor decl, struct code *declared)
{
    const char *name = clang_spelling(w, decl);
    if (w->frame || !*name) /* a variable of a function that is inlined must not hide one of its caller */
        name = intern(w->ir->names, arena_printf(w->arena, "%s$%u", name, ++w->num_inlined));
    if (declared)
        declared->name = name;
    vec_push(w->arena, &w->locals, ((struct clang_local){ .decl = decl, .name = name, .declared = declared }));
    return name;
}

/* A variable at file scope: the value of a constant; an array of constants and what is not constant are declared before
 * the statements of the tasklet. */
static struct code *global(struct clang_walk *w, CXCursor c, CXCursor decl)
{
    CXType t = w->api->getCursorType(decl);
    CXCursor definition = w->api->getCursorDefinition(decl);
    if (!w->api->Cursor_isNull(definition))
        decl = definition;
    if (clang_is_const(w, t) && !clang_is_array(w, t) && !clang_is_class(w, t)) {
        struct code *value = clang_constant(w, decl);
        if (value)
            return value;
    }
    struct code block = { .kind = CODE_BLOCK };
    if (!clang_declare(w, decl, &block))
        return NULL;
    for (uint32_t i = 0; i < block.count; i++)
        vec_push(w->arena, &w->constants, block.items[i]);
    return clang_name(w, c, clang_find_local(w, decl)->name);
}

static struct code *name(struct clang_walk *w, CXCursor c)
{
    CXCursor decl = w->api->getCursorReferenced(c);
    const struct clang_local *l = clang_find_local(w, decl);
    enum CXCursorKind kind = w->api->getCursorKind(decl);
    if (l)
        return l->lambda ? clang_unsupported(w, c, "a lambda as a value") : clang_name(w, c, l->name);
    if (kind == CXCursor_ParmDecl) /* of the tasklet */
        return clang_name(w, c, clang_spelling(w, decl));
    if (kind == CXCursor_EnumConstantDecl) {
        const struct type *type = clang_type(w, c, w->api->getCursorType(c));
        return type ? clang_literal(w, c, type, (int64_t)w->api->getEnumConstantDeclUnsignedValue(decl)) : NULL;
    }
    if (kind == CXCursor_VarDecl && clang_in_prelude(w, decl) && clang_is_class(w, w->api->getCursorType(decl)))
        return clang_name(w, c, clang_spelling(w, decl)); /* threadIdx and the like */
    if (kind == CXCursor_VarDecl)
        return global(w, c, decl);
    struct code *value = clang_constant(w, c); /* a parameter of a template */
    return value ? value : clang_unsupported(w, c, "'%s' as a value", clang_spelling(w, c));
}

/* ---- subscripts ---- */

struct code *clang_element(struct clang_walk *w, CXCursor at, struct code *array, CXType element, struct code *index)
{
    bool row = clang_is_array(w, element);
    struct code *e = clang_node(w, at, row ? CODE_BINARY : CODE_INDEX, 2);
    e->items[0] = array;
    e->items[1] = index;
    if (!row)
        return e;
    const struct type *i64 = type_basic(w->ir, TYPE_I64);
    struct code *scaled = clang_node(w, at, CODE_BINARY, 2);
    scaled->op = CODE_MUL;
    scaled->items[0] = clang_cast(w, at, NULL, i64, index);
    scaled->items[1] = clang_integer(w, at, i64, (int64_t)clang_array_count(w, element));
    e->op = CODE_ADD;
    e->items[1] = scaled;
    return e;
}

static struct code *subscript(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (inside.count != 2)
        return clang_unsupported(w, c, "this subscript");
    enum CXTypeKind kind = w->api->getCanonicalType(w->api->getCursorType(inside.items[1])).kind;
    bool turned = kind == CXType_Pointer || clang_is_array(w, w->api->getCursorType(inside.items[1])); /* 2[a] */
    struct code *base = clang_expr(w, inside.items[turned]),
                *index = base ? clang_expr(w, inside.items[!turned]) : NULL;
    if (!index)
        return NULL;
    return clang_element(w, c, base, w->api->getCursorType(c), index);
}

/* ---- operators ---- */

static struct code *unary_node(struct clang_walk *w, CXCursor c, enum code_kind kind, enum code_op op,
                               struct code *operand)
{
    struct code *e = operand ? clang_node(w, c, kind, 1) : NULL;
    if (!e)
        return NULL;
    e->op = op;
    e->items[0] = operand;
    return e;
}

/* Variables live in memory if somebody wants their address. */
static struct code *address(struct clang_walk *w, CXCursor c, CXCursor operand)
{
    operand = clang_skip(w, operand);
    if (clang_is_array(w, w->api->getCursorType(operand)))
        return clang_expr(w, operand); /* the address of its first element */
    if (w->api->getCursorKind(operand) == CXCursor_DeclRefExpr) {
        struct clang_local *l = clang_find_local(w, w->api->getCursorReferenced(operand));
        if (l && l->declared)
            l->declared->big = true;
    }
    struct code *e = clang_expr(w, operand);
    return e && e->kind == CODE_DEREF ? e->items[0] : unary_node(w, c, CODE_ADDRESS, CODE_OP_NONE, e);
}

static struct code *unary(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (inside.count != 1)
        return clang_unsupported(w, c, "this operator");
    enum CXUnaryOperatorKind kind = w->api->getCursorUnaryOperatorKind(c);
    if (kind == CXUnaryOperator_AddrOf)
        return address(w, c, inside.items[0]);
    struct code *e = clang_expr(w, inside.items[0]), *step;
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
        return unary_node(w, c, CODE_STEP, kind == CXUnaryOperator_PostInc ? CODE_ADD : CODE_SUB, e);
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        step = unary_node(w, c, CODE_STEP, kind == CXUnaryOperator_PreInc ? CODE_ADD : CODE_SUB, e);
        if (step)
            step->i = 1;
        return step;
    case CXUnaryOperator_Deref:
        if (clang_is_array(w, w->api->getCursorType(c)))
            return e;
        return e && e->kind == CODE_ADDRESS ? e->items[0] : unary_node(w, c, CODE_DEREF, CODE_OP_NONE, e);
    case CXUnaryOperator_Plus:
        return unary_node(w, c, CODE_UNARY, CODE_PLUS, e);
    case CXUnaryOperator_Minus:
        return unary_node(w, c, CODE_UNARY, CODE_NEG, e);
    case CXUnaryOperator_Not:
        return unary_node(w, c, CODE_UNARY, CODE_BITNOT, e);
    case CXUnaryOperator_LNot:
        return unary_node(w, c, CODE_UNARY, CODE_NOT, e);
    case CXUnaryOperator_Extension:
        return e;
    default:
        return clang_unsupported(w, c, "this operator");
    }
}

static enum code_op binary_op(enum CXBinaryOperatorKind kind)
{
    static const enum code_op ops[] = {
        [CXBinaryOperator_Mul] = CODE_MUL,
        [CXBinaryOperator_Div] = CODE_DIV,
        [CXBinaryOperator_Rem] = CODE_MOD,
        [CXBinaryOperator_Add] = CODE_ADD,
        [CXBinaryOperator_Sub] = CODE_SUB,
        [CXBinaryOperator_Shl] = CODE_SHL,
        [CXBinaryOperator_Shr] = CODE_SHR,
        [CXBinaryOperator_LT] = CODE_LT,
        [CXBinaryOperator_GT] = CODE_GT,
        [CXBinaryOperator_LE] = CODE_LE,
        [CXBinaryOperator_GE] = CODE_GE,
        [CXBinaryOperator_EQ] = CODE_EQ,
        [CXBinaryOperator_NE] = CODE_NE,
        [CXBinaryOperator_And] = CODE_BITAND,
        [CXBinaryOperator_Xor] = CODE_BITXOR,
        [CXBinaryOperator_Or] = CODE_BITOR,
        [CXBinaryOperator_LAnd] = CODE_AND,
        [CXBinaryOperator_LOr] = CODE_OR,
        [CXBinaryOperator_MulAssign] = CODE_MUL,
        [CXBinaryOperator_DivAssign] = CODE_DIV,
        [CXBinaryOperator_RemAssign] = CODE_MOD,
        [CXBinaryOperator_AddAssign] = CODE_ADD,
        [CXBinaryOperator_SubAssign] = CODE_SUB,
        [CXBinaryOperator_ShlAssign] = CODE_SHL,
        [CXBinaryOperator_ShrAssign] = CODE_SHR,
        [CXBinaryOperator_AndAssign] = CODE_BITAND,
        [CXBinaryOperator_XorAssign] = CODE_BITXOR,
        [CXBinaryOperator_OrAssign] = CODE_BITOR,
    };
    return (size_t)kind < sizeof ops / sizeof *ops ? ops[kind] : CODE_OP_NONE;
}

struct code *clang_assign(struct clang_walk *w, CXCursor c, struct code *to, struct code *value)
{
    struct code *e = to && value ? clang_node(w, c, CODE_ASSIGN_EXPR, 2) : NULL;
    if (!e)
        return NULL;
    e->items[0] = to;
    e->items[1] = value;
    return e;
}

/* (a, b), c is one node: these would be as deep as they are many. */
static struct code *comma(struct clang_walk *w, CXCursor c, struct code *left, struct code *right)
{
    uint32_t count = left->kind == CODE_COMMA ? left->count : 1;
    struct code *e = left->kind == CODE_COMMA ? left : clang_node(w, c, CODE_COMMA, 2);
    if (e != left) {
        e->items[0] = left;
    } else if ((count & (count - 1)) == 0) { /* a power of two: the array is full */
        struct code **items = NEW_ARRAY(w->ir->arena, struct code *, 2 * count);
        memcpy(items, left->items, count * sizeof *items);
        e->items = items;
    }
    e->items[count] = right;
    e->count = count + 1;
    return e;
}

struct chained {
    CXCursor operator, right;
};

static struct code *operation(struct clang_walk *w, CXCursor c, struct code *left, CXCursor operand)
{
    enum CXBinaryOperatorKind kind = w->api->getCursorBinaryOperatorKind(c);
    enum code_op op = binary_op(kind);
    bool assigns = kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
    if (!op && kind != CXBinaryOperator_Assign && kind != CXBinaryOperator_Comma)
        return clang_unsupported(w, c, "this operator");
    struct code *right = left ? clang_expr(w, operand) : NULL;
    if (!right)
        return NULL;
    if (kind == CXBinaryOperator_Comma)
        return comma(w, c, left, right);
    struct code *e = assigns ? clang_assign(w, c, left, right) : clang_node(w, c, CODE_BINARY, 2);
    e->op = op;
    e->items[0] = left;
    e->items[1] = right;
    return e;
}

/* a + b + c, which the tree nests to the left, by iteration. */
static struct code *binary(struct clang_walk *w, CXCursor c)
{
    VEC(struct chained) chain = { 0 };
    enum CXCursorKind kind = CXCursor_BinaryOperator;
    for (; kind == CXCursor_BinaryOperator || !chain.count; kind = w->api->getCursorKind(c)) {
        struct clang_cursors inside = clang_expressions(w, c);
        if (inside.count != 2)
            return clang_unsupported(w, c, "this operator");
        vec_push(w->arena, &chain, ((struct chained){ c, inside.items[1] }));
        c = inside.items[0];
    }
    struct code *e = clang_expr(w, c);
    for (uint32_t i = chain.count; i > 0 && e; i--)
        e = operation(w, chain.items[i - 1].operator, e, chain.items[i - 1].right);
    return e;
}

static struct code *conditional(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (inside.count != 3)
        return clang_unsupported(w, c, "this choice");
    struct code *e = clang_node(w, c, CODE_SELECT, 3);
    for (uint32_t i = 0; i < 3; i++)
        if (!(e->items[i] = clang_expr(w, inside.items[i])))
            return NULL;
    return e;
}

/* { x }: of a number that is one. */
static struct code *braces(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    if (clang_is_class(w, w->api->getCursorType(c)))
        return clang_list(w, c);
    const struct type *type = clang_type(w, c, w->api->getCursorType(c));
    if (!type)
        return NULL;
    if (!type_is_basic(type) && type->kind != TYPE_POINTER)
        return clang_unsupported(w, c, "a list in braces here");
    if (inside.count == 1)
        return converted(w, c, inside.items[0]);
    return inside.count || !type_is_basic(type) ? clang_unsupported(w, c, "a list in braces here")
                                                : clang_literal(w, c, type, 0);
}

static struct code *expression(struct clang_walk *w, CXCursor c)
{
    switch ((int)w->api->getCursorKind(c)) {
    case CXCursor_UnexposedExpr:
        return unexposed(w, c);
    case CXCursor_ParenExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
        return written_cast(w, c);
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
        return clang_written(w, c);
    case CXCursor_StringLiteral:
        return clang_string(w, c);
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
        return clang_node(w, c, CODE_NONE, 0);
    case CXCursor_DeclRefExpr:
        return name(w, c);
    case CXCursor_MemberRefExpr:
        return clang_member(w, c);
    case CXCursor_ArraySubscriptExpr:
        return subscript(w, c);
    case CXCursor_UnaryOperator:
        return unary(w, c);
    case CXCursor_UnaryExpr: /* sizeof and the like */
        return clang_written(w, c);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return binary(w, c);
    case CXCursor_ConditionalOperator:
        return conditional(w, c);
    case CXCursor_CallExpr:
        return clang_call(w, c);
    case CXCursor_InitListExpr:
        return braces(w, c);
    case CXCursor_CXXNewExpr:
        return clang_new(w, c);
    case CXCursor_CXXDeleteExpr:
        return clang_delete(w, c);
    case CXCursor_CXXThisExpr:
        return w->frame && w->frame->self
                   ? unary_node(w, c, CODE_ADDRESS, CODE_OP_NONE, clang_name(w, c, w->frame->self))
                   : clang_unsupported(w, c, "'this'");
    default:
        return clang_unsupported(w, c, "this expression");
    }
}

struct code *clang_expr(struct clang_walk *w, CXCursor c)
{
    if (w->depth >= CLANG_MOST_DEPTH)
        return clang_unsupported(w, c, "an expression nested this deep");
    w->depth++;
    struct code *e = expression(w, c);
    w->depth--;
    return e;
}
