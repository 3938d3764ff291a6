/* Members of structures and unions. */
#include "ir/code/clang/clang_walk.h"

static bool has_field(const struct type *t, const char *name)
{
    for (uint32_t i = 0; i < t->num_fields; i++)
        if (t->fields[i].name == name)
            return true;
    return false;
}

static struct code *one(struct clang_walk *w, CXCursor c, enum code_kind kind, struct code *operand)
{
    struct code *e = clang_node(w, c, kind, 1);
    e->items[0] = operand;
    return e;
}

/* What our structures do not have: *(T *)((char *)&base + offset). */
static struct code *by_offset(struct clang_walk *w, CXCursor c, CXCursor field, struct code *base, bool arrow)
{
    CXType t = w->api->getCursorType(field);
    long long bits = w->api->Cursor_getOffsetOfField(field);
    const struct type *type = clang_type(w, c, t);
    if (!type)
        return NULL;
    if (bits < 0 || bits % 8 || w->api->getFieldDeclBitWidth(field) >= 0)
        return clang_unsupported(w, c, "the bit field '%s'", clang_spelling(w, field));
    bool array = clang_is_array(w, t);
    struct code *at = clang_node(w, c, CODE_BINARY, 2);
    at->op = CODE_ADD;
    at->items[0] = clang_cast(w, c, NULL, type_pointer(w->ir, type_basic(w->ir, TYPE_I8)),
                              arrow ? base : one(w, c, CODE_ADDRESS, base));
    at->items[1] = clang_integer(w, c, type_basic(w->ir, TYPE_I64), bits / 8);
    struct code *pointer = clang_cast(w, c, NULL, array ? type : type_pointer(w->ir, type), at);
    return array ? pointer : one(w, c, CODE_DEREF, pointer);
}

struct code *clang_field(struct clang_walk *w, CXCursor at, CXCursor field, struct code *base, bool arrow)
{
    const struct type *type = clang_type(w, at, w->api->getCursorType(w->api->getCursorSemanticParent(field)));
    const char *name = clang_spelling(w, field);
    if (!type)
        return NULL;
    if (type->kind != TYPE_STRUCT)
        return clang_unsupported(w, at, "the member '%s'", name);
    if (!has_field(type, name)) /* also what has no name: the members of an anonymous union follow */
        return by_offset(w, at, field, base, arrow);
    struct code *e = one(w, at, CODE_MEMBER, base);
    e->name = name;
    e->op = arrow ? CODE_ARROW : CODE_OP_NONE;
    return e;
}

struct code *clang_member(struct clang_walk *w, CXCursor c)
{
    CXCursor field = w->api->getCursorReferenced(c);
    if (w->api->getCursorKind(field) != CXCursor_FieldDecl) {
        struct code *value = clang_constant(w, c); /* a static member */
        return value ? value : clang_unsupported(w, c, "the member '%s'", clang_spelling(w, field));
    }
    struct clang_cursors inside = clang_expressions(w, c);
    bool arrow =
        inside.count && w->api->getCanonicalType(w->api->getCursorType(inside.items[0])).kind == CXType_Pointer;
    struct code *base;
    if (inside.count == 1)
        base = clang_expr(w, inside.items[0]);
    else if (!inside.count && w->frame && w->frame->self)
        base = clang_name(w, c, w->frame->self);
    else
        return clang_unsupported(w, c, "the member '%s'", clang_spelling(w, field));
    return base ? clang_field(w, c, field, base, arrow) : NULL;
}
