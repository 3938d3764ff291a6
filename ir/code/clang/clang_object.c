/* Objects with destructors: these run where control leaves the block of the object, whatever the way. */
#include "ir/code/clang/clang_walk.h"

struct clang_fields {
    struct clang_walk *w;
    VEC(CXCursor) fields;
};

static enum CXVisitorResult add_field(CXCursor c, CXClientData data)
{
    struct clang_fields *p = data;
    vec_push(p->w->arena, &p->fields, c);
    return CXVisit_Continue;
}

static struct clang_fields parts_of(struct clang_walk *w, CXType t)
{
    struct clang_fields p = { .w = w };
    w->api->Type_visitFields(w->api->getCanonicalType(t), add_field, &p);
    return p;
}

/* What the author wrote. libclang does not show the members of a class that a template made: then that of the
 * template, *made. */
static bool find_destructor(struct clang_walk *w, CXType t, CXCursor *out, bool *made)
{
    const struct clang_api *api = w->api;
    CXCursor record = api->getTypeDeclaration(api->getCanonicalType(t)), from = api->getCursorDefinition(record);
    struct clang_cursors inside = clang_children(w, api->Cursor_isNull(from) ? record : from);
    CXCursor template = api->getSpecializedCursorTemplate(record);
    *made = !inside.count && !api->Cursor_isNull(template);
    if (*made)
        inside = clang_children(w, template);
    for (uint32_t i = 0; i < inside.count; i++)
        if (api->getCursorKind(inside.items[i]) == CXCursor_Destructor &&
            !api->CXXMethod_isDefaulted(inside.items[i])) {
            *out = inside.items[i];
            return true;
        }
    return false;
}

bool clang_has_destructor(struct clang_walk *w, CXType t)
{
    while (clang_is_array(w, t))
        t = w->api->getArrayElementType(w->api->getCanonicalType(t));
    CXCursor found;
    bool made;
    if (!clang_is_class(w, t))
        return false;
    if (find_destructor(w, t, &found, &made))
        return true;
    struct clang_fields p = parts_of(w, t);
    for (uint32_t i = 0; i < p.fields.count; i++)
        if (clang_has_destructor(w, w->api->getCursorType(p.fields.items[i])))
            return true;
    return false;
}

bool clang_destroy(struct clang_walk *w, CXCursor at, CXType t, struct code *self, struct code *block)
{
    CXCursor found;
    bool made = false;
    if (!clang_has_destructor(w, t))
        return true;
    if (clang_is_array(w, t))
        return clang_unsupported(w, at, "an array of objects with a destructor");
    if (find_destructor(w, t, &found, &made)) {
        if (made)
            return clang_unsupported(w, at, "the destructor of a class template");
        struct code *s = clang_node(w, at, CODE_EXPR, 1);
        if (!(s->items[0] = clang_inline_destructor(w, at, found, self)))
            return false;
        clang_append(w, block, s);
    }
    struct clang_fields p = parts_of(w, t);
    for (uint32_t i = p.fields.count; i > 0; i--) {
        CXType type = w->api->getCursorType(p.fields.items[i - 1]);
        struct code *member =
            clang_has_destructor(w, type) ? clang_field(w, at, p.fields.items[i - 1], self, false) : self;
        if (!member || !clang_destroy(w, at, type, member, block))
            return false;
    }
    return true;
}

void clang_enter_object(struct clang_walk *w, CXCursor decl, const char *name)
{
    vec_push(w->arena, &w->objects, ((struct clang_object){ decl, name }));
}

bool clang_leave_objects(struct clang_walk *w, CXCursor at, uint32_t kept, struct code *block)
{
    for (uint32_t i = w->objects.count; i > kept; i--) {
        struct clang_object o = w->objects.items[i - 1];
        if (!clang_destroy(w, at, w->api->getCursorType(o.decl), clang_name(w, at, o.name), block))
            return false;
    }
    return true;
}
