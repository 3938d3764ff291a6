/* `new` and `delete`: memory of the C library. Objects in it are numbers, pointers and structures without destructors.
 */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

static struct code *library_call(struct clang_walk *w, CXCursor at, const char *name, const struct type *result,
                                 struct code *arg)
{
    struct code *e = clang_node(w, at, CODE_CALL, 2);
    e->items[0] = clang_name(w, at, intern(w->ir->names, name));
    e->items[1] = arg;
    e->type = result;
    return e;
}

/* Is it new T[n]? Both forms have the same children. */
static bool is_array_form(struct clang_walk *w, CXCursor c)
{
    CXToken *tokens;
    unsigned count, depth = 0;
    bool found = false, other = false;
    w->api->tokenize(w->unit, w->api->getCursorExtent(c), &tokens, &count);
    for (unsigned i = 1; i < count && !found && !other; i++) {
        CXString s = w->api->getTokenSpelling(w->unit, tokens[i]);
        const char *t = w->api->getCString(s);
        depth += strcmp(t, "<") == 0;
        depth -= depth && strcmp(t, ">") == 0;
        found = !depth && strcmp(t, "[") == 0;
        other = !depth && (strcmp(t, "(") == 0 || strcmp(t, "{") == 0);
        w->api->disposeString(s);
    }
    w->api->disposeTokens(w->unit, tokens, count);
    return found;
}

/* A function of its own: { T *made = malloc(bytes); *made = value; return made; } */
static struct code *with_value(struct clang_walk *w, CXCursor c, CXType t, CXCursor init, struct code *memory)
{
    const struct type *pointer = memory->type;
    struct code *d = clang_node(w, c, CODE_DECLARE, 1), *block = clang_node(w, c, CODE_BLOCK, 0);
    d->type = pointer;
    d->name = intern(w->ir->names, arena_printf(w->arena, "made$%u", ++w->num_inlined));
    d->items[0] = memory;
    struct code *object = clang_node(w, c, CODE_DEREF, 1), *leave = clang_node(w, c, CODE_RETURN, 1);
    object->items[0] = clang_name(w, c, d->name);
    leave->items[0] = clang_name(w, c, d->name);
    clang_append(w, block, d);
    if (!clang_initialize(w, init, t, object, block))
        return NULL;
    clang_append(w, block, leave);
    struct code *e = clang_node(w, c, CODE_INLINE, 1);
    e->type = pointer;
    e->items[0] = block;
    return e;
}

/* A structure of fields without values: an array of them is left as it is. */
static bool is_plain_record(struct clang_walk *w, CXType t)
{
    struct clang_cursors inside = clang_children(w, w->api->getTypeDeclaration(w->api->getCanonicalType(t)));
    for (uint32_t i = 0; i < inside.count; i++)
        if (w->api->getCursorKind(inside.items[i]) != CXCursor_FieldDecl || clang_expressions(w, inside.items[i]).count)
            return false;
    return inside.count;
}

struct code *clang_new(struct clang_walk *w, CXCursor c)
{
    const struct clang_api *api = w->api;
    CXType t = api->getPointeeType(api->getCanonicalType(api->getCursorType(c)));
    const struct type *type = clang_type(w, c, t), *bytes = type_basic(w->ir, TYPE_U64);
    struct clang_cursors inside = clang_expressions(w, c);
    bool array = is_array_form(w, c);
    if (!type)
        return NULL;
    bool records = array && clang_is_class(w, t);
    if (clang_has_destructor(w, t) || clang_is_array(w, t) || inside.count > 1u + records ||
        (records && !is_plain_record(w, t)))
        return clang_unsupported(w, c, "this 'new'");
    struct code *size = clang_literal(w, c, bytes, api->Type_getSizeOf(t));
    if (array) {
        struct code *count = inside.count ? clang_expr(w, inside.items[0]) : NULL;
        struct code *product = clang_node(w, c, CODE_BINARY, 2);
        if (!count)
            return inside.count ? NULL : clang_unsupported(w, c, "this 'new'");
        product->op = CODE_MUL;
        product->items[0] = size;
        product->items[1] = clang_cast(w, c, NULL, bytes, count);
        size = product;
    }
    struct code *memory = library_call(w, c, "malloc", type_pointer(w->ir, type_basic(w->ir, TYPE_VOID)), size);
    memory = clang_cast(w, c, NULL, type_pointer(w->ir, type), memory);
    bool plain =
        array || !inside.count ||
        (!clang_is_class(w, t) && !clang_children(w, inside.items[0]).count && !clang_constant(w, inside.items[0]));
    return plain ? memory : with_value(w, c, t, inside.items[0], memory);
}

struct code *clang_delete(struct clang_walk *w, CXCursor c)
{
    struct clang_cursors inside = clang_expressions(w, c);
    CXCursor operand = inside.count == 1 ? clang_skip(w, inside.items[0]) : c;
    CXType t = w->api->getPointeeType(w->api->getCanonicalType(w->api->getCursorType(operand)));
    if (inside.count != 1 || clang_has_destructor(w, t))
        return clang_unsupported(w, c, "this 'delete'");
    const struct type *nothing = type_basic(w->ir, TYPE_VOID);
    struct code *pointer = clang_expr(w, inside.items[0]);
    return pointer ? library_call(w, c, "free", nothing, clang_cast(w, c, NULL, type_pointer(w->ir, nothing), pointer))
                   : NULL;
}
