/* Functions and lambdas with a body become CODE_INLINE where they are called. */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

static bool is_place(const struct code *c)
{
    return c->kind == CODE_NAME || c->kind == CODE_INDEX || c->kind == CODE_MEMBER || c->kind == CODE_DEREF;
}

static CXCursor body_of(struct clang_walk *w, CXCursor function, bool *found)
{
    struct clang_cursors inside = clang_children(w, function);
    for (uint32_t i = inside.count; i > 0; i--)
        if (w->api->getCursorKind(inside.items[i - 1]) == CXCursor_CompoundStmt) {
            *found = true;
            return inside.items[i - 1];
        }
    *found = false;
    return function;
}

bool clang_has_body(struct clang_walk *w, CXCursor function)
{
    bool found;
    body_of(w, function, &found);
    return found;
}

/* The value that a parameter has when none is given. */
static CXCursor default_of(struct clang_walk *w, CXCursor parameter, CXCursor given)
{
    if (w->api->getCursorKind(given) != CXCursor_UnexposedExpr || clang_children(w, given).count)
        return given;
    struct clang_cursors inside = clang_expressions(w, parameter);
    return inside.count ? inside.items[inside.count - 1] : given;
}

static struct code *parameter(struct clang_walk *w, CXCursor at, CXCursor decl, CXType t, struct code *value)
{
    const struct type *type = clang_type(w, at, t);
    if (!type)
        return NULL;
    if (clang_has_destructor(w, t) && !clang_is_reference(w, t) && w->api->getCursorKind(decl) == CXCursor_ParmDecl)
        return clang_unsupported(w, at, "an argument with a destructor");
    struct code *d = clang_node(w, at, CODE_DECLARE, 1);
    d->type = type;
    d->i = clang_is_reference(w, t) && is_place(value);
    d->items[0] = value;
    clang_add_local(w, decl, d->i ? NULL : d);
    d->name = vec_last(&w->locals).name;
    return d;
}

struct inlined {
    CXCursor at, function, body;
    CXType result;
    CXCursor *parameters;
    struct code **values;
    uint32_t count;
    bool constructor;
    struct code *self; /* the object of a method, or NULL */
    CXCursor record;
};

static struct code *build(struct clang_walk *w, const struct inlined *in)
{
    enum { MOST_DEPTH = 24 };
    const struct clang_api *api = w->api;
    uint32_t depth = 0, locals = w->locals.count, first = in->self != NULL, outside = w->outside_call;
    for (const struct clang_frame *f = w->frame; f; f = f->outer, depth++)
        if (depth >= MOST_DEPTH || api->equalCursors(f->function, in->function))
            return clang_unsupported(w, in->at, "the recursive function '%s'", clang_spelling(w, in->function));
    struct clang_frame frame = { .outer = w->frame, .function = in->function, .call = in->at };
    struct code *e = clang_node(w, in->at, CODE_INLINE, in->count + first + 1);
    bool nothing = api->getCanonicalType(in->result).kind == CXType_Void;
    e->type = nothing ? NULL : clang_type(w, in->at, in->result);
    if (!nothing && !e->type)
        return NULL;
    if (clang_has_destructor(w, in->result) && !clang_is_reference(w, in->result))
        return clang_unsupported(w, in->at, "a result with a destructor");
    w->frame = &frame;
    w->outside_call = w->objects.count;
    if (first) {
        e->items[0] = parameter(w, in->at, in->record, api->getCursorType(in->record), in->self);
        if (e->items[0]) {
            e->items[0]->i = is_place(in->self);
            frame.self = e->items[0]->name;
        }
    }
    bool good = !first || e->items[0];
    for (uint32_t i = 0; good && i < in->count; i++)
        good = (e->items[first + i] =
                    parameter(w, in->at, in->parameters[i], api->getCursorType(in->parameters[i]), in->values[i]));
    struct code *body = clang_node(w, in->at, CODE_BLOCK, 0);
    if (good && in->constructor)
        good = clang_initialize_members(w, in->at, in->function, clang_name(w, in->at, frame.self), body);
    if (good) {
        struct code *statements = clang_block(w, in->body);
        good = statements;
        if (good && in->constructor)
            clang_append(w, body, statements);
        e->items[first + in->count] = in->constructor ? body : statements;
    }
    w->frame = frame.outer;
    w->outside_call = outside;
    w->locals.count = locals;
    return good ? e : NULL;
}

static struct code *with_arguments(struct clang_walk *w, struct inlined *in, const CXCursor *args)
{
    const struct clang_api *api = w->api;
    bool found;
    in->body = body_of(w, in->function, &found);
    if (!found || api->Cursor_getNumArguments(in->function) != (int)in->count)
        return clang_unsupported(w, in->at, "the function '%s'", clang_spelling(w, in->function));
    in->parameters = NEW_ARRAY(w->arena, CXCursor, in->count + 1);
    in->values = NEW_ARRAY(w->arena, struct code *, in->count + 1);
    for (uint32_t i = 0; i < in->count; i++) {
        in->parameters[i] = api->Cursor_getArgument(in->function, i);
        in->values[i] = clang_expr(w, default_of(w, in->parameters[i], args[i]));
        if (!in->values[i])
            return NULL;
    }
    return build(w, in);
}

struct code *clang_inline(struct clang_walk *w, CXCursor at, CXCursor function, const CXCursor *object,
                          const CXCursor *args, uint32_t count)
{
    const struct clang_api *api = w->api;
    struct inlined in = { .at = at, .function = function, .count = count };
    in.result = api->getResultType(api->getCursorType(function));
    if (object) {
        in.record = api->getCursorSemanticParent(function);
        in.self = clang_expr(w, *object);
        bool pointer = in.self && api->getCanonicalType(api->getCursorType(*object)).kind == CXType_Pointer;
        if (pointer) { /* p->f() */
            struct code *e = clang_node(w, at, CODE_DEREF, 1);
            e->items[0] = in.self;
            in.self = e;
        }
        if (!in.self)
            return NULL;
    }
    return with_arguments(w, &in, args);
}

struct code *clang_inline_constructor(struct clang_walk *w, CXCursor at, CXCursor constructor, struct code *self,
                                      const CXCursor *args, uint32_t count)
{
    struct inlined in = { .at = at, .constructor = true, .self = self, .count = count };
    in.function = w->api->getCursorDefinition(constructor);
    in.record = w->api->getCursorSemanticParent(constructor);
    in.result = w->api->getResultType(w->api->getCursorType(constructor));
    if (w->api->Cursor_isNull(in.function))
        return clang_unsupported(w, at, "the constructor of '%s'", clang_spelling(w, in.record));
    return with_arguments(w, &in, args);
}

struct code *clang_inline_destructor(struct clang_walk *w, CXCursor at, CXCursor destructor, struct code *self)
{
    struct inlined in = { .at = at, .self = self };
    in.function = w->api->getCursorDefinition(destructor);
    in.record = w->api->getCursorSemanticParent(destructor);
    in.result = w->api->getResultType(w->api->getCursorType(destructor));
    if (w->api->Cursor_isNull(in.function))
        return clang_unsupported(w, at, "the destructor of '%s'", clang_spelling(w, in.record));
    return with_arguments(w, &in, NULL);
}

/* Only what is captured by reference means the same where the lambda is called. */
static bool captures_by_reference(struct clang_walk *w, CXCursor lambda)
{
    CXToken *tokens;
    unsigned count;
    bool good = true, reference = false;
    w->api->tokenize(w->unit, w->api->getCursorExtent(lambda), &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        CXString s = w->api->getTokenSpelling(w->unit, tokens[i]);
        const char *t = w->api->getCString(s);
        bool ends = strcmp(t, "]") == 0;
        good = good && (ends || strcmp(t, "&") == 0 || strcmp(t, ",") == 0 || reference);
        reference = strcmp(t, "&") == 0;
        w->api->disposeString(s);
        if (ends)
            break;
    }
    w->api->disposeTokens(w->unit, tokens, count);
    return good;
}

struct code *clang_inline_lambda(struct clang_walk *w, CXCursor at, const CXCursor *args, uint32_t count)
{
    const struct clang_api *api = w->api;
    CXCursor object = count ? clang_skip(w, args[0]) : at;
    const struct clang_local *l = NULL;
    if (count && api->getCursorKind(object) == CXCursor_DeclRefExpr)
        l = clang_find_local(w, api->getCursorReferenced(object));
    if (!l || !l->lambda || !captures_by_reference(w, l->value))
        return clang_unsupported(w, at, "this call of an object");
    CXCursor method = api->getCursorReferenced(at);
    struct inlined in = { .at = at, .function = l->value };
    bool found;
    in.body = body_of(w, l->value, &found);
    in.result = api->getResultType(api->getCursorType(method));
    in.parameters = NEW_ARRAY(w->arena, CXCursor, count);
    in.values = NEW_ARRAY(w->arena, struct code *, count);
    struct clang_cursors inside = clang_children(w, l->value);
    for (uint32_t i = 0; i < inside.count; i++)
        if (api->getCursorKind(inside.items[i]) == CXCursor_ParmDecl && in.count < count)
            in.parameters[in.count++] = inside.items[i];
    if (!found || in.count + 1 != count)
        return clang_unsupported(w, at, "this lambda");
    for (uint32_t i = 0; i < in.count; i++)
        if (!(in.values[i] = clang_expr(w, default_of(w, in.parameters[i], args[i + 1]))))
            return NULL;
    return build(w, &in);
}
