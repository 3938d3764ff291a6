/* Loops. */
#include "ir/code/clang/clang_walk.h"

static struct code *node_of(struct clang_walk *w, CXCursor c, enum code_kind kind, struct code *a, struct code *b)
{
    if (!a || !b)
        return NULL;
    struct code *s = clang_node(w, c, kind, 2);
    s->items[0] = a;
    s->items[1] = b;
    return s;
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

static struct code *loop_body(struct clang_walk *w, CXCursor c)
{
    uint32_t loop = w->outside_loop, leave = w->outside_break;
    w->outside_loop = w->outside_break = w->objects.count;
    struct code *body = clang_block(w, c);
    w->outside_loop = loop;
    w->outside_break = leave;
    return body;
}

struct code *clang_for(struct clang_walk *w, CXCursor c)
{
    CXCursor parts[4];
    bool there[4] = { false };
    uint32_t locals = w->locals.count, objects = w->objects.count;
    if (!for_parts(w, c, parts, there))
        return clang_unsupported(w, c, "this loop");
    struct code *s = clang_node(w, c, CODE_FOR, 4);
    if (there[0] && !(s->items[0] = clang_stmt(w, parts[0])))
        return NULL;
    if (w->objects.count > objects)
        return clang_unsupported(w, c, "an object with a destructor in front of a loop");
    if (there[1] && !(s->items[1] = clang_expr(w, parts[1])))
        return NULL;
    if (there[2] && !(s->items[2] = clang_stmt(w, parts[2])))
        return NULL;
    s->items[3] = loop_body(w, parts[3]);
    w->locals.count = locals;
    return s->items[3] ? s : NULL;
}

struct code *clang_while(struct clang_walk *w, CXCursor c, bool test_first)
{
    struct clang_cursors parts = clang_children(w, c);
    if (parts.count != 2 || !w->api->isExpression(w->api->getCursorKind(parts.items[test_first ? 0 : 1])))
        return clang_unsupported(w, c, "this loop");
    struct code *first = test_first ? clang_expr(w, parts.items[0]) : loop_body(w, parts.items[0]);
    struct code *second = !first ? NULL : test_first ? loop_body(w, parts.items[1]) : clang_expr(w, parts.items[1]);
    return node_of(w, c, test_first ? CODE_WHILE : CODE_DO, first, second);
}

/* for (T x : array): an index runs over the array. */
struct code *clang_for_range(struct clang_walk *w, CXCursor c)
{
    const struct clang_api *api = w->api;
    struct clang_cursors parts = clang_children(w, c);
    if (parts.count != 3 || api->getCursorKind(parts.items[0]) != CXCursor_VarDecl ||
        api->getCanonicalType(api->getCursorType(parts.items[1])).kind != CXType_ConstantArray)
        return clang_unsupported(w, c, "a loop over what is no array");
    CXType array = api->getCanonicalType(api->getCursorType(parts.items[1])), t = api->getCursorType(parts.items[0]);
    CXType inner = api->getArrayElementType(array);
    const struct type *type = clang_type(w, c, t), *elem = clang_type(w, c, inner), *i64 = type_basic(w->ir, TYPE_I64);
    struct code *range = clang_expr(w, parts.items[1]);
    if (!type || !elem || !range)
        return NULL;
    struct code *index = clang_node(w, c, CODE_DECLARE, 1), *test = clang_node(w, c, CODE_BINARY, 2);
    index->name = intern(w->ir->names, arena_printf(w->arena, "index$%u", ++w->num_inlined));
    index->type = i64;
    index->items[0] = clang_integer(w, c, i64, 0);
    struct code *name = clang_name(w, c, index->name), *step = clang_node(w, c, CODE_STEP, 1);
    test->op = CODE_LT;
    test->items[0] = name;
    test->items[1] = clang_integer(w, c, i64, api->getArraySize(array));
    step->op = CODE_ADD;
    step->items[0] = name;
    uint32_t locals = w->locals.count;
    struct code *d = clang_node(w, c, CODE_DECLARE, 1);
    d->type = type;
    d->i = clang_is_reference(w, t) && !clang_is_array(w, inner);
    d->items[0] = clang_element(w, c, range, inner, name);
    if (!d->i)
        d->items[0] = clang_cast(w, c, elem, type, d->items[0]);
    clang_add_local(w, parts.items[0], d->i ? NULL : d);
    d->name = vec_last(&w->locals).name;
    struct code *body = clang_node(w, c, CODE_BLOCK, 0), *statements = loop_body(w, parts.items[2]);
    w->locals.count = locals;
    if (!statements)
        return NULL;
    clang_append(w, body, d);
    clang_append(w, body, statements);
    struct code *s = clang_node(w, c, CODE_FOR, 4);
    s->items[0] = index;
    s->items[1] = test;
    s->items[2] = clang_node(w, c, CODE_EXPR, 1);
    s->items[2]->items[0] = step;
    s->items[3] = body;
    return s;
}
