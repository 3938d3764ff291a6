/* Statements and declarations. */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

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

enum { MOST_STACK_BYTES = 1 << 20 }; /* of one local array */

static bool is_static(struct clang_walk *w, CXCursor v)
{
    enum CXCursorKind around = w->api->getCursorKind(w->api->getCursorSemanticParent(v));
    bool outside = around == CXCursor_TranslationUnit || around == CXCursor_Namespace ||
                   around == CXCursor_LinkageSpec || around == CXCursor_StructDecl || around == CXCursor_ClassDecl;
    return (w->api->Cursor_getStorageClass(v) == CX_SC_Static || outside) &&
           !clang_is_const(w, w->api->getCursorType(v));
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
        if (d->u > MOST_STACK_BYTES / type->elem->size)
            return clang_unsupported(w, v, "an array of this size");
    }
    const char *name = clang_add_local(w, v, d);
    clang_append(w, block, d);
    if (!w->api->Cursor_isNull(init) && !clang_initialize(w, init, t, clang_name(w, v, name), block))
        return false;
    if (clang_has_destructor(w, t))
        clang_enter_object(w, v, name);
    return true;
}

/* Memory of the block is not a variable of the thread; only what cub works in is not looked at by anybody. */
static bool is_shared(struct clang_walk *w, CXCursor v)
{
    struct clang_cursors inside = clang_children(w, v);
    for (uint32_t i = 0; i < inside.count; i++)
        if (w->api->getCursorKind(inside.items[i]) == CXCursor_AnnotateAttr &&
            strcmp(clang_spelling(w, inside.items[i]), CLANG_SHARED) == 0)
            return strcmp(clang_spelling(
                              w, w->api->getTypeDeclaration(w->api->getCanonicalType(w->api->getCursorType(v)))),
                          "TempStorage") != 0;
    return false;
}

bool clang_declare(struct clang_walk *w, CXCursor v, struct code *block)
{
    const struct clang_api *api = w->api;
    if (is_shared(w, v))
        return clang_unsupported(w, v, "a __shared__ variable");
    if (is_static(w, v))
        return clang_declare_static(w, v, block);
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

/* if (int q = i) ...: the declaration goes before, in a block of its own. */
static struct code *branch(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors parts = clang_children(w, c);
    struct code *block = clang_node(w, c, CODE_BLOCK, 0);
    uint32_t i = 0, locals = w->locals.count, objects = w->objects.count;
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
    if (!clang_leave_objects(w, c, objects, block))
        return NULL;
    w->objects.count = objects;
    return block;
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
    uint32_t outside = w->outside_break, objects = w->outside_break = w->objects.count;
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
    w->outside_break = outside;
    return w->objects.count == objects ? s : clang_unsupported(w, c, "an object with a destructor between labels");
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

/* A jump out of blocks: first the objects inside go, all but `kept`. A result is computed before. */
static struct code *behind_destructors(struct clang_walk *w, CXCursor c, struct code *jump, uint32_t kept)
{
    if (w->objects.count <= kept)
        return jump;
    struct code *block = clang_node(w, c, CODE_BLOCK, 0);
    if (jump->count) {
        struct code *result = clang_node(w, c, CODE_DECLARE, 1);
        result->name = intern(w->ir->names, arena_printf(w->arena, "result$%u", ++w->num_inlined));
        result->items[0] = jump->items[0];
        jump->items[0] = clang_name(w, c, result->name);
        clang_append(w, block, result);
    }
    if (!clang_leave_objects(w, c, kept, block))
        return NULL;
    clang_append(w, block, jump);
    return block;
}

static struct code *leave(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    struct code *s = clang_node(w, c, CODE_RETURN, inside.count);
    if (inside.count && !(s->items[0] = clang_expr(w, inside.items[0])))
        return NULL;
    return behind_destructors(w, c, s, w->outside_call);
}

struct code *clang_block(struct clang_walk *w, CXCursor c)
{
    struct code *block = clang_node(w, c, CODE_BLOCK, 0);
    uint32_t locals = w->locals.count, objects = w->objects.count;
    bool compound = w->api->getCursorKind(c) == CXCursor_CompoundStmt;
    struct clang_cursors inside = compound ? clang_children(w, c) : (struct clang_cursors){ &c, 1 };
    for (uint32_t i = 0; i < inside.count; i++)
        if (!add_statement(w, inside.items[i], block))
            return NULL;
    if (!clang_leave_objects(w, c, objects, block))
        return NULL;
    w->locals.count = locals;
    w->objects.count = objects;
    return block;
}

static struct code *statement(struct clang_walk *w, CXCursor c)
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
        return clang_for(w, c);
    case CXCursor_CXXForRangeStmt:
        return clang_for_range(w, c);
    case CXCursor_WhileStmt:
        return clang_while(w, c, true);
    case CXCursor_DoStmt:
        return clang_while(w, c, false);
    case CXCursor_SwitchStmt:
        return choice(w, c);
    case CXCursor_BreakStmt:
        return behind_destructors(w, c, clang_node(w, c, CODE_BREAK, 0), w->outside_break);
    case CXCursor_ContinueStmt:
        return behind_destructors(w, c, clang_node(w, c, CODE_CONTINUE, 0), w->outside_loop);
    case CXCursor_NullStmt:
        return clang_node(w, c, CODE_PASS, 0);
    case CXCursor_ReturnStmt:
        return leave(w, c);
    default:
        return w->api->isExpression(kind) ? effect(w, c) : clang_unsupported(w, c, "this statement");
    }
}

struct code *clang_stmt(struct clang_walk *w, CXCursor c)
{
    if (w->depth >= CLANG_MOST_DEPTH)
        return clang_unsupported(w, c, "a statement nested this deep");
    w->depth++;
    struct code *s = statement(w, c);
    w->depth--;
    return s;
}
