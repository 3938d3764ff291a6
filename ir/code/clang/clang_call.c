/* Calls: constructors, conversions and operators of the number classes, operations of the prelude, functions of C
 * libraries. What has a body is inlined (clang_inline.c). */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

struct clang_call {
    CXCursor at, callee;
    const char *name;
    uint32_t count;
    CXCursor *args;
};

static bool starts(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* ---- number classes ---- */

static const struct type *type_at(struct clang_walk *w, CXCursor c)
{
    return clang_type(w, c, w->api->getCursorType(c));
}

static struct code *constructor(struct clang_walk *w, const struct clang_call *call)
{
    const struct type *type = type_at(w, call->at);
    if (!type)
        return NULL;
    if (!type_is_basic(type)) {
        bool copies = w->api->CXXConstructor_isCopyConstructor(call->callee) ||
                      w->api->CXXConstructor_isMoveConstructor(call->callee);
        return copies && call->count == 1 && w->api->CXXMethod_isDefaulted(call->callee)
                   ? clang_expr(w, call->args[0])
                   : clang_construct(w, call->at, call->callee, call->args, call->count);
    }
    struct clang_cursors given = clang_expressions(w, call->at); /* without defaults */
    uint32_t count = given.count < call->count ? given.count : call->count;
    if (!count)
        return clang_literal(w, call->at, type, 0);
    const struct type *from = type_at(w, given.items[0]);
    struct code *first = from ? clang_expr(w, given.items[0]) : NULL;
    if (!first || count == 1)
        return first ? clang_cast(w, call->at, from, type, first) : NULL;
    struct code *made = clang_node(w, call->at, CODE_CALL, 3);
    made->items[0] = clang_name(w, call->at, intern(w->ir->names, type->name));
    made->items[1] = first;
    made->items[2] = clang_expr(w, given.items[1]);
    return made->items[2] ? made : NULL;
}

static enum code_op operator_of(const char *text, size_t length)
{
    static const enum code_op ops[] = { CODE_ADD, CODE_SUB, CODE_MUL, CODE_DIV, CODE_EQ, CODE_NE };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strlen(code_op_text(ops[i])) == length && memcmp(code_op_text(ops[i]), text, length) == 0)
            return ops[i];
    return CODE_OP_NONE;
}

/* An operand in the type in which numbers of these classes are combined: a real one becomes complex. */
static struct code *operand(struct clang_walk *w, CXCursor c, const struct type *like)
{
    const struct type *type = type_at(w, c);
    return type ? clang_cast(w, c, type, like, clang_expr(w, c)) : NULL;
}

static struct code *number_operator(struct clang_walk *w, const struct clang_call *call)
{
    const char *text = call->name + strlen("operator");
    size_t length = strlen(text);
    const struct type *first = call->count ? type_at(w, call->args[0]) : NULL;
    if (!first)
        return clang_unsupported(w, call->at, "'%s'", call->name);
    bool assigns = text[length - 1] == '=' && strcmp(text, "==") != 0 && strcmp(text, "!=") != 0;
    enum code_op op = operator_of(text, assigns ? length - 1 : length);
    if (assigns && call->count == 2 && (op || length == 1)) {
        struct code *to = clang_expr(w, call->args[0]);
        struct code *e = clang_assign(w, call->at, to, to ? operand(w, call->args[1], first) : NULL);
        if (e)
            e->op = op;
        return e;
    }
    if (call->count == 1 && (op == CODE_SUB || op == CODE_ADD)) {
        struct code *e = clang_node(w, call->at, CODE_UNARY, 1);
        e->op = op == CODE_SUB ? CODE_NEG : CODE_PLUS;
        e->items[0] = clang_expr(w, call->args[0]);
        return e->items[0] ? e : NULL;
    }
    const struct type *second = call->count == 2 ? type_at(w, call->args[1]) : NULL;
    if (!op || !second)
        return clang_unsupported(w, call->at, "'%s'", call->name);
    const struct type *like = type_is_complex(first) ? first : second;
    struct code *e = clang_node(w, call->at, CODE_BINARY, 2);
    e->op = op;
    e->items[0] = operand(w, call->args[0], like);
    e->items[1] = e->items[0] ? operand(w, call->args[1], like) : NULL;
    return e->items[1] ? e : NULL;
}

/* ---- objects ---- */

/* What stands before the dot of a method. */
static CXCursor object_of(struct clang_walk *w, CXCursor c, bool *found)
{
    struct clang_cursors inside = clang_expressions(w, c);
    CXCursor member = inside.count ? clang_skip(w, inside.items[0]) : c;
    *found = inside.count && w->api->getCursorKind(member) == CXCursor_MemberRefExpr;
    if (*found)
        inside = clang_expressions(w, member);
    *found = *found && inside.count == 1;
    return *found ? inside.items[0] : c;
}

static struct code *conversion(struct clang_walk *w, const struct clang_call *call)
{
    bool found;
    CXCursor object = object_of(w, call->at, &found);
    const struct type *from = found ? type_at(w, object) : NULL, *to = from ? type_at(w, call->at) : NULL;
    if (!found)
        return clang_unsupported(w, call->at, "this conversion");
    return to ? clang_cast(w, call->at, from, to, clang_expr(w, object)) : NULL;
}

/* ---- functions without a body ---- */

/* The name that lower/graph/code/code_call.c knows: those of std stand for the global ones. */
static struct code *operation(struct clang_walk *w, const struct clang_call *call)
{
    CXCursor parent = w->api->getCursorSemanticParent(call->callee);
    const char *name = call->name, *scope = "";
    if (starts(name, "__builtin_"))
        name = intern(w->ir->names, name + strlen("__builtin_"));
    else if (w->api->getCursorKind(parent) == CXCursor_Namespace)
        scope = clang_spelling(w, parent);
    if (strcmp(scope, "math") != 0 && strcmp(scope, "cmath") != 0)
        return clang_name(w, call->at, name);
    struct code *module = clang_node(w, call->at, CODE_MEMBER, 1), *member = clang_node(w, call->at, CODE_MEMBER, 1);
    module->name = scope;
    module->items[0] = clang_name(w, call->at, intern(w->ir->names, "dace"));
    member->name = name;
    member->items[0] = module;
    return member;
}

static struct code *known_function(struct clang_walk *w, const struct clang_call *call, bool method)
{
    bool found = true;
    CXCursor object = method ? object_of(w, call->at, &found) : call->at;
    if (!found)
        return clang_unsupported(w, call->at, "'%s'", call->name);
    const struct type *result = type_at(w, call->at);
    struct code *e = clang_node(w, call->at, CODE_CALL, call->count + 1 + method);
    e->items[0] = operation(w, call);
    if (!result || (method && !(e->items[1] = clang_expr(w, object))))
        return NULL;
    bool real = strcmp(call->name, "pow") == 0 && result->kind == TYPE_F64;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct type *type = type_at(w, call->args[i]);
        struct code *arg = type ? clang_expr(w, call->args[i]) : NULL;
        if (!arg)
            return NULL;
        e->items[1 + method + i] =
            real && type_is_integer(type) ? clang_cast(w, call->args[i], type, result, arg) : arg;
    }
    return type_is_basic(result) && strcmp(call->name, "printf") != 0 ? clang_cast(w, call->at, NULL, result, e) : e;
}

/* __sdfg_reduce(kind, atomic, pointer, value) */
static struct code *reduction(struct clang_walk *w, const struct clang_call *call)
{
    struct code *kind = clang_constant(w, call->args[0]), *atomic = clang_constant(w, call->args[1]);
    struct code *e = clang_node(w, call->at, CODE_REDUCE, 2);
    if (!kind || !atomic)
        return clang_unsupported(w, call->at, "this reduction");
    e->i = kind->i;
    e->big = atomic->i != 0;
    e->items[0] = clang_expr(w, call->args[2]);
    e->items[1] = e->items[0] ? clang_expr(w, call->args[3]) : NULL;
    return e->items[1] ? e : NULL;
}

/* __sdfg_elements(connector), converted or not; what else is given has no end that is known. */
static struct code *elements(struct clang_walk *w, const struct clang_call *call)
{
    CXCursor c = clang_skip(w, call->args[0]);
    while (w->api->getCursorKind(c) == CXCursor_CStyleCastExpr) {
        struct clang_cursors inside = clang_expressions(w, c);
        if (!inside.count)
            break;
        c = clang_skip(w, inside.items[inside.count - 1]);
    }
    CXCursor decl = w->api->getCursorReferenced(c);
    if (w->api->getCursorKind(c) != CXCursor_DeclRefExpr || w->api->getCursorKind(decl) != CXCursor_ParmDecl ||
        clang_find_local(w, decl))
        return clang_integer(w, call->at, type_basic(w->ir, TYPE_I64), INT64_MAX);
    struct code *e = clang_node(w, call->at, CODE_CALL, 2);
    e->items[0] = clang_name(w, call->at, call->name);
    e->items[1] = clang_name(w, call->at, clang_spelling(w, decl));
    return e;
}

/* A function that is found by name when the code is linked. */
static struct code *foreign_function(struct clang_walk *w, const struct clang_call *call)
{
    CXString mangled = w->api->Cursor_getMangling(call->callee);
    const char *name = intern(w->ir->names, w->api->getCString(mangled));
    w->api->disposeString(mangled);
    struct code *e = clang_node(w, call->at, CODE_CALL, call->count + 1);
    e->items[0] = clang_name(w, call->at, name);
    e->type = type_at(w, call->at);
    if (!e->type)
        return NULL;
    if (w->api->isFunctionTypeVariadic(w->api->getCursorType(call->callee)) && !code_variadic_from(name))
        return clang_unsupported(w, call->at, "the function '%s'", call->name);
    for (uint32_t i = 0; i < call->count; i++)
        if (!(e->items[i + 1] = clang_expr(w, call->args[i])))
            return NULL;
    return e;
}

static bool is_foreign(struct clang_walk *w, const struct clang_call *call)
{
    if (code_is_foreign(call->name))
        return true;
    return !clang_in_prelude(w, call->callee) && !starts(call->name, "__builtin_");
}

/* ---- all calls ---- */

static struct code *prelude_call(struct clang_walk *w, const struct clang_call *call, enum CXCursorKind kind)
{
    bool method = kind == CXCursor_CXXMethod && !w->api->CXXMethod_isStatic(call->callee);
    if (starts(call->name, "operator"))
        return number_operator(w, call);
    if (strcmp(call->name, "__sdfg_reduce") == 0 && call->count == 4)
        return reduction(w, call);
    if (strcmp(call->name, "__sdfg_elements") == 0 && call->count == 1)
        return elements(w, call);
    if (strcmp(call->name, "move") == 0 && call->count == 1)
        return clang_expr(w, call->args[0]);
    return known_function(w, call, method);
}

/* x = y of a class without an operator of its own. */
static struct code *copy_assignment(struct clang_walk *w, const struct clang_call *call)
{
    struct code *to = clang_expr(w, call->args[0]);
    return clang_assign(w, call->at, to, to ? clang_expr(w, call->args[1]) : NULL);
}

struct code *clang_call(struct clang_walk *w, CXCursor c)
{
    const struct clang_api *api = w->api;
    struct clang_call call = { .at = c, .callee = api->getCursorReferenced(c) };
    struct code *value;
    if (api->Cursor_isNull(call.callee))
        return (value = clang_constant(w, c)) ? value : clang_unsupported(w, c, "the call of a value");
    call.name = clang_spelling(w, call.callee);
    int count = api->Cursor_getNumArguments(c);
    call.count = count > 0 ? (uint32_t)count : 0;
    call.args = NEW_ARRAY(w->arena, CXCursor, call.count + 1);
    for (uint32_t i = 0; i < call.count; i++)
        call.args[i] = api->Cursor_getArgument(c, i);
    enum CXCursorKind kind = api->getCursorKind(call.callee);
    if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)
        return clang_unsupported(w, c, "the call of a value");
    if (kind == CXCursor_Constructor)
        return constructor(w, &call);
    if (kind == CXCursor_ConversionFunction)
        return conversion(w, &call);
    if (strcmp(call.name, "operator()") == 0)
        return clang_inline_lambda(w, c, call.args, call.count);
    CXCursor definition = api->getCursorDefinition(call.callee);
    bool method = kind == CXCursor_CXXMethod && !api->CXXMethod_isStatic(call.callee);
    bool body = !api->Cursor_isNull(definition) && clang_has_body(w, definition) &&
                !(method && api->CXXMethod_isDefaulted(call.callee)); /* of those it does not say what they do */
    if (strcmp(call.name, "operator=") == 0 && call.count == 2 && !body)
        return clang_is_class(w, api->getCursorType(call.args[0])) ? copy_assignment(w, &call)
                                                                   : number_operator(w, &call);
    if (starts(call.name, "__builtin_") && (value = clang_constant(w, c)))
        return value;
    if (!body)
        return is_foreign(w, &call) ? foreign_function(w, &call) : prelude_call(w, &call, kind);
    bool found = true, first = false;
    CXCursor object = c;
    if (method && starts(call.name, "operator") && call.count) { /* the object is the first operand */
        object = call.args[0];
        first = true;
    } else if (method) {
        object = object_of(w, c, &found);
    }
    if (!found)
        return clang_unsupported(w, c, "the method '%s'", call.name);
    return clang_inline(w, c, definition, method ? &object : NULL, call.args + first, call.count - first);
}
