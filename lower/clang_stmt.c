/* Statements and declarations. */
#include "lower/clang_walk.h"

/* Blocks grow while they are read; the capacity is the next power of two. */
void clang_append(struct clang_walk *w, struct code *block, struct code *statement)
{
    uint32_t n = block->count;
    if ((n & (n - 1)) == 0) {
        struct code **items = NEW_ARRAY(w->arena, struct code *, n ? 2 * n : 1);
        for (uint32_t i = 0; i < n; i++)
            items[i] = block->items[i];
        block->items = items;
    }
    block->items[block->count++] = statement;
}

/* ---- declarations ---- */

static bool is_static(struct clang_walk *w, CXCursor v)
{
    return w->api->Cursor_getStorageClass(v) == CX_SC_Static && !clang_is_const(w, w->api->getCursorType(v));
}

/* An array or a structure: the variable first, then its values. */
static bool declare_object(struct clang_walk *w, CXCursor v, CXCursor init, struct code *block)
{
    CXType t = w->api->getCursorType(v);
    const struct type *type = clang_type(w, v, t);
    if (!type)
        return false;
    struct code *d = clang_node(w, v, CODE_DECLARE, 0);
    d->type = type;
    if (clang_is_array(w, t)) {
        d->u = clang_array_count(w, t);
        if (w->api->getCanonicalType(t).kind != CXType_ConstantArray || !d->u)
            return clang_unsupported(w, v, "an array of a size that is not constant");
    }
    const char *name = clang_add_local(w, v, d);
    clang_append(w, block, d);
    return w->api->Cursor_isNull(init) || clang_initialize(w, init, t, clang_name(w, v, name), block);
}

bool clang_declare(struct clang_walk *w, CXCursor v, struct code *block)
{
    const struct clang_api *api = w->api;
    if (is_static(w, v))
        return clang_unsupported(w, v, "the static variable '%s'", clang_spelling(w, v));
    CXType t = api->getCursorType(v);
    CXCursor init = api->Cursor_getVarDeclInitializer(v);
    if (clang_is_array(w, t) && !clang_is_reference(w, t))
        return declare_object(w, v, init, block);
    CXCursor inside = api->Cursor_isNull(init) ? init : clang_skip(w, init);
    if (!api->Cursor_isNull(init) && api->getCursorKind(inside) == CXCursor_LambdaExpr) {
        vec_push(w->arena, &w->locals,
                 ((struct clang_local){ .decl = v, .name = clang_spelling(w, v), .lambda = true, .value = inside }));
        return true;
    }
    if (clang_is_class(w, t) && !clang_is_reference(w, t))
        return declare_object(w, v, init, block);
    const struct type *type = clang_type(w, v, t);
    struct code *value = NULL;
    if (!type || (!api->Cursor_isNull(init) && !(value = clang_expr(w, init))))
        return false;
    bool place = value && (value->kind == CODE_NAME || value->kind == CODE_INDEX || value->kind == CODE_MEMBER ||
                           value->kind == CODE_DEREF);
    struct code *d = clang_node(w, v, CODE_DECLARE, value ? 1 : 0);
    d->type = type;
    d->i = clang_is_reference(w, t) && place;
    if (value)
        d->items[0] = value;
    clang_add_local(w, v, d->i ? NULL : d);
    d->name = vec_last(&w->locals).name;
    clang_append(w, block, d);
    return true;
}

static bool declarations(struct clang_walk *w, CXCursor c, struct code *block)
{
    struct clang_cursors inside = clang_children(w, c);
    for (uint32_t i = 0; i < inside.count; i++) {
        enum CXCursorKind kind = w->api->getCursorKind(inside.items[i]);
        bool nothing = kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl || kind == CXCursor_StructDecl ||
                       kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl || kind == CXCursor_ClassDecl ||
                       kind == CXCursor_UsingDirective || kind == CXCursor_UsingDeclaration ||
                       kind == CXCursor_StaticAssert || kind == CXCursor_NamespaceAlias;
        if (nothing)
            continue;
        if (kind != CXCursor_VarDecl)
            return clang_unsupported(w, inside.items[i], "this declaration");
        if (!clang_declare(w, inside.items[i], block))
            return false;
    }
    return true;
}

/* ---- control ---- */

static struct code *node_of(struct clang_walk *w, CXCursor c, enum code_kind kind, struct code *a, struct code *b)
{
    if (!a || !b)
        return NULL;
    struct code *s = clang_node(w, c, kind, 2);
    s->items[0] = a;
    s->items[1] = b;
    return s;
}

/* if (int q = i) ...: the declaration goes before, in a block of its own. */
static struct code *branch(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors parts = clang_children(w, c);
    struct code *block = clang_node(w, c, CODE_BLOCK, 0);
    uint32_t i = 0, locals = w->locals.count;
    for (; i < parts.count && !w->api->isExpression(w->api->getCursorKind(parts.items[i])); i++) {
        bool good = w->api->getCursorKind(parts.items[i]) == CXCursor_VarDecl ? clang_declare(w, parts.items[i], block)
                    : w->api->getCursorKind(parts.items[i]) == CXCursor_DeclStmt
                        ? declarations(w, parts.items[i], block)
                        : clang_unsupported(w, c, "this condition") != NULL;
        if (!good)
            return NULL;
    }
    if (parts.count < i + 2 || parts.count > i + 3)
        return clang_unsupported(w, c, "this branch");
    struct code *s = clang_node(w, c, CODE_IF, parts.count - i);
    s->items[0] = clang_expr(w, parts.items[i]);
    if (!s->items[0])
        return NULL;
    for (uint32_t k = 1; k < s->count; k++)
        if (!(s->items[k] = clang_block(w, parts.items[i + k])))
            return NULL;
    w->locals.count = locals;
    if (!block->count)
        return s;
    clang_append(w, block, s);
    return block;
}

/* libclang leaves out the parts of a `for` that are missing; the semicolons tell which ones. */
static bool for_parts(struct clang_walk *w, CXCursor c, CXCursor slots[4], bool there[4])
{
    CXToken *tokens;
    unsigned count, depth = 0, limit[3], num_limits = 0;
    w->api->tokenize(w->unit, w->api->getCursorExtent(c), &tokens, &count);
    for (unsigned i = 0; i < count && num_limits < 3; i++) {
        if (w->api->getTokenKind(tokens[i]) != CXToken_Punctuation)
            continue;
        CXString s = w->api->getTokenSpelling(w->unit, tokens[i]);
        char t = *w->api->getCString(s);
        w->api->disposeString(s);
        depth += t == '(' || t == '[' || t == '{';
        bool ends = t == ')' || t == ']' || t == '}';
        if ((t == ';' && depth == 1) || (ends && depth == 1))
            w->api->getExpansionLocation(w->api->getTokenLocation(w->unit, tokens[i]), NULL, NULL, NULL,
                                         &limit[num_limits++]);
        depth -= ends;
    }
    w->api->disposeTokens(w->unit, tokens, count);
    struct clang_cursors parts = clang_children(w, c);
    for (uint32_t i = 0; i < parts.count && num_limits == 3; i++) {
        uint32_t offset = clang_offset(w, parts.items[i]);
        int slot = offset < limit[0] ? 0 : offset < limit[1] ? 1 : offset < limit[2] ? 2 : 3;
        if (there[slot])
            return false;
        slots[slot] = parts.items[i];
        there[slot] = true;
    }
    return num_limits == 3 && there[3];
}

static struct code *for_loop(struct clang_walk *w, CXCursor c)
{
    CXCursor parts[4];
    bool there[4] = { false };
    uint32_t locals = w->locals.count;
    if (!for_parts(w, c, parts, there))
        return clang_unsupported(w, c, "this loop");
    struct code *s = clang_node(w, c, CODE_FOR, 4);
    if (there[0] && !(s->items[0] = clang_stmt(w, parts[0])))
        return NULL;
    if (there[1] && !(s->items[1] = clang_expr(w, parts[1])))
        return NULL;
    if (there[2] && !(s->items[2] = clang_stmt(w, parts[2])))
        return NULL;
    s->items[3] = clang_block(w, parts[3]);
    w->locals.count = locals;
    return s->items[3] ? s : NULL;
}

static struct code *while_loop(struct clang_walk *w, CXCursor c, bool test_first)
{
    struct clang_cursors parts = clang_children(w, c);
    if (parts.count != 2 || !w->api->isExpression(w->api->getCursorKind(parts.items[test_first ? 0 : 1])))
        return clang_unsupported(w, c, "this loop");
    struct code *first = test_first ? clang_expr(w, parts.items[0]) : clang_block(w, parts.items[0]);
    struct code *second = !first ? NULL : test_first ? clang_block(w, parts.items[1]) : clang_expr(w, parts.items[1]);
    return node_of(w, c, test_first ? CODE_WHILE : CODE_DO, first, second);
}

static bool add_statement(struct clang_walk *w, CXCursor c, struct code *block)
{
    if (w->api->getCursorKind(c) == CXCursor_DeclStmt)
        return declarations(w, c, block);
    struct code *s = clang_stmt(w, c);
    if (s)
        clang_append(w, block, s);
    return s;
}

/* `case 1: case 2: s` nests; the statements behind belong to the last label. */
static bool add_case(struct clang_walk *w, CXCursor c, struct code *choice)
{
    bool other = w->api->getCursorKind(c) == CXCursor_DefaultStmt;
    struct clang_cursors parts = clang_children(w, c);
    if (parts.count != (other ? 1 : 2))
        return clang_unsupported(w, c, "this label");
    struct code *label = clang_node(w, c, CODE_CASE, 2);
    if (!other && !(label->items[0] = clang_expr(w, parts.items[0])))
        return false;
    label->items[1] = clang_node(w, c, CODE_BLOCK, 0);
    clang_append(w, choice, label);
    CXCursor body = parts.items[parts.count - 1];
    enum CXCursorKind kind = w->api->getCursorKind(body);
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt)
        return add_case(w, body, choice);
    return add_statement(w, body, label->items[1]);
}

static struct code *choice(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors parts = clang_children(w, c);
    if (parts.count != 2 || w->api->getCursorKind(parts.items[1]) != CXCursor_CompoundStmt)
        return clang_unsupported(w, c, "this switch");
    struct code *s = clang_node(w, c, CODE_BLOCK, 0), *value = clang_expr(w, parts.items[0]);
    if (!value)
        return NULL;
    clang_append(w, s, value);
    s->kind = CODE_SWITCH;
    struct clang_cursors body = clang_children(w, parts.items[1]);
    for (uint32_t i = 0; i < body.count; i++) {
        enum CXCursorKind kind = w->api->getCursorKind(body.items[i]);
        if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt) {
            if (!add_case(w, body.items[i], s))
                return NULL;
            continue;
        }
        if (s->count < 2)
            return clang_unsupported(w, body.items[i], "a statement before the first label");
        if (!add_statement(w, body.items[i], s->items[s->count - 1]->items[1]))
            return NULL;
    }
    return s;
}

/* An expression as a statement: assignments have a form of their own. */
static struct code *effect(struct clang_walk *w, CXCursor c)
{
    struct code *e = clang_expr(w, c);
    if (e && e->kind == CODE_CAST && e->type->kind == TYPE_VOID)
        e = e->items[0];
    if (!e)
        return NULL;
    bool assigns = e->kind == CODE_ASSIGN_EXPR;
    struct code *s = clang_node(w, c, assigns ? CODE_ASSIGN : CODE_EXPR, assigns ? 2 : 1);
    s->items[0] = e->items && assigns ? e->items[1] : e;
    if (assigns) {
        s->op = e->op;
        s->items[1] = e->items[0];
    }
    return s;
}

static struct code *leave(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    struct code *s = clang_node(w, c, CODE_RETURN, inside.count);
    if (inside.count && !(s->items[0] = clang_expr(w, inside.items[0])))
        return NULL;
    return s;
}

struct code *clang_block(struct clang_walk *w, CXCursor c)
{
    struct code *block = clang_node(w, c, CODE_BLOCK, 0);
    uint32_t locals = w->locals.count;
    bool compound = w->api->getCursorKind(c) == CXCursor_CompoundStmt;
    struct clang_cursors inside = compound ? clang_children(w, c) : (struct clang_cursors){ &c, 1 };
    for (uint32_t i = 0; i < inside.count; i++)
        if (!add_statement(w, inside.items[i], block))
            return NULL;
    w->locals.count = locals;
    return block;
}

struct code *clang_stmt(struct clang_walk *w, CXCursor c)
{
    enum CXCursorKind kind = w->api->getCursorKind(c);
    struct code *block;
    switch ((int)kind) {
    case CXCursor_CompoundStmt:
        return clang_block(w, c);
    case CXCursor_DeclStmt: /* in front of a loop: its names live on */
        block = clang_node(w, c, CODE_BLOCK, 0);
        return declarations(w, c, block) ? block : NULL;
    case CXCursor_IfStmt:
        return branch(w, c);
    case CXCursor_ForStmt:
        return for_loop(w, c);
    case CXCursor_WhileStmt:
        return while_loop(w, c, true);
    case CXCursor_DoStmt:
        return while_loop(w, c, false);
    case CXCursor_SwitchStmt:
        return choice(w, c);
    case CXCursor_BreakStmt:
        return clang_node(w, c, CODE_BREAK, 0);
    case CXCursor_ContinueStmt:
        return clang_node(w, c, CODE_CONTINUE, 0);
    case CXCursor_NullStmt:
        return clang_node(w, c, CODE_PASS, 0);
    case CXCursor_ReturnStmt:
        return leave(w, c);
    default:
        return w->api->isExpression(kind) ? effect(w, c) : clang_unsupported(w, c, "this statement");
    }
}
