/* Values of arrays and structures: lists in braces, constructors. */
#include "ir/code/clang/clang_walk.h"

enum { MOST_LISTED = 4096 }; /* elements that are assigned one by one */

static bool assign(struct clang_walk *w, CXCursor at, struct code *block, struct code *to, struct code *value)
{
    if (!value)
        return false;
    struct code *s = clang_node(w, at, CODE_ASSIGN, 2);
    s->items[0] = value;
    s->items[1] = to;
    clang_append(w, block, s);
    return true;
}

/* ---- fields ---- */

struct fields {
    struct arena *arena;
    VEC(CXCursor) list;
};

static enum CXVisitorResult add_field(CXCursor c, CXClientData data)
{
    struct fields *f = data;
    vec_push(f->arena, &f->list, c);
    return CXVisit_Continue;
}

static struct fields fields_of(struct clang_walk *w, CXType t)
{
    struct fields f = { .arena = w->arena };
    w->api->Type_visitFields(w->api->getCanonicalType(t), add_field, &f);
    return f;
}

/* What stands behind a field in its class. */
static CXCursor written_default(struct clang_walk *w, CXCursor field, bool *found)
{
    struct clang_cursors inside = clang_expressions(w, field);
    *found = inside.count && w->api->getFieldDeclBitWidth(field) < 0;
    if (*found && clang_is_array(w, w->api->getCursorType(field))) { /* or is it the size? */
        enum CXCursorKind kind = w->api->getCursorKind(clang_skip(w, inside.items[inside.count - 1]));
        *found = kind == CXCursor_InitListExpr || kind == CXCursor_StringLiteral;
    }
    return *found ? inside.items[inside.count - 1] : field;
}

/* ---- nothing given ---- */

static bool initialize_default(struct clang_walk *w, CXCursor at, CXType t, struct code *place, bool zero,
                               struct code *block);

static struct code *row(struct clang_walk *w, CXCursor at, struct code *array, CXType inner, uint64_t i)
{
    return clang_element(w, at, array, inner, clang_integer(w, at, type_basic(w->ir, TYPE_I64), (int64_t)i));
}

static bool default_fields(struct clang_walk *w, CXCursor at, CXType t, struct code *place, bool zero,
                           struct code *block)
{
    struct fields f = fields_of(w, t);
    if (w->api->getCursorKind(w->api->getTypeDeclaration(w->api->getCanonicalType(t))) == CXCursor_UnionDecl &&
        f.list.count)
        f.list.count = zero ? 1 : 0;
    for (uint32_t i = 0; i < f.list.count; i++) {
        bool found;
        CXCursor value = written_default(w, f.list.items[i], &found);
        CXType type = w->api->getCursorType(f.list.items[i]);
        struct code *to = clang_field(w, at, f.list.items[i], place, false);
        if (!to ||
            !(found ? clang_initialize(w, value, type, to, block) : initialize_default(w, at, type, to, zero, block)))
            return false;
    }
    return true;
}

/* As `T x;`, or with `zero` as `T x{};`. */
static bool initialize_default(struct clang_walk *w, CXCursor at, CXType t, struct code *place, bool zero,
                               struct code *block)
{
    if (clang_is_array(w, t)) {
        CXType inner = w->api->getArrayElementType(w->api->getCanonicalType(t));
        if (!zero && !clang_is_class(w, inner))
            return true;
        if (clang_array_count(w, t) > MOST_LISTED)
            return clang_unsupported(w, at, "the value of a large array");
        for (long long i = 0; i < w->api->getArraySize(w->api->getCanonicalType(t)); i++)
            if (!initialize_default(w, at, inner, row(w, at, place, inner, (uint64_t)i), zero, block))
                return false;
        return true;
    }
    if (clang_is_class(w, t))
        return default_fields(w, at, t, place, zero, block);
    const struct type *type = zero ? clang_type(w, at, t) : NULL;
    if (!type)
        return !zero;
    if (type_is_basic(type))
        return assign(w, at, block, place, clang_literal(w, at, type, 0));
    return assign(w, at, block, place, clang_cast(w, at, NULL, type, clang_node(w, at, CODE_NONE, 0)));
}

/* ---- lists ---- */

/* Stands where a list leaves something out. */
static bool is_left_out(struct clang_walk *w, CXCursor c)
{
    return w->api->getCursorKind(c) == CXCursor_UnexposedExpr && !clang_children(w, c).count && !clang_constant(w, c);
}

static bool list_array(struct clang_walk *w, CXCursor list, CXType t, struct code *place, struct code *block)
{
    struct clang_cursors given = clang_expressions(w, list);
    CXType inner = w->api->getArrayElementType(w->api->getCanonicalType(t));
    uint64_t count = (uint64_t)w->api->getArraySize(w->api->getCanonicalType(t));
    if (given.count > count || clang_array_count(w, t) > MOST_LISTED)
        return clang_unsupported(w, list, "this list");
    for (uint64_t i = 0; i < count; i++) {
        struct code *to = row(w, list, place, inner, i);
        bool left_out = i >= given.count || is_left_out(w, given.items[i]);
        if (!(left_out ? initialize_default(w, list, inner, to, true, block)
                       : clang_initialize(w, given.items[i], inner, to, block)))
            return false;
    }
    return true;
}

static bool list_class(struct clang_walk *w, CXCursor list, CXType t, struct code *place, struct code *block)
{
    struct clang_cursors given = clang_expressions(w, list);
    struct fields f = fields_of(w, t);
    if (w->api->getCursorKind(w->api->getTypeDeclaration(w->api->getCanonicalType(t))) == CXCursor_UnionDecl &&
        f.list.count)
        f.list.count = 1;
    if (given.count > f.list.count)
        return clang_unsupported(w, list, "this list");
    for (uint32_t i = 0; i < f.list.count; i++) {
        bool left_out = i >= given.count || is_left_out(w, given.items[i]), found = false;
        CXCursor value = left_out ? written_default(w, f.list.items[i], &found) : given.items[i];
        CXType type = w->api->getCursorType(f.list.items[i]);
        struct code *to = clang_field(w, list, f.list.items[i], place, false);
        if (!to || !(left_out && !found ? initialize_default(w, list, type, to, true, block)
                                        : clang_initialize(w, value, type, to, block)))
            return false;
    }
    return true;
}

/* ---- all values ---- */

static bool is_default_constructor(struct clang_walk *w, CXCursor init)
{
    if (w->api->getCursorKind(init) != CXCursor_CallExpr || w->api->Cursor_getNumArguments(init))
        return false;
    CXCursor made = w->api->getCursorReferenced(init);
    return w->api->getCursorKind(made) == CXCursor_Constructor && w->api->CXXMethod_isDefaulted(made);
}

bool clang_initialize(struct clang_walk *w, CXCursor init, CXType t, struct code *place, struct code *block)
{
    CXCursor inside = clang_skip(w, init);
    bool list = w->api->getCursorKind(inside) == CXCursor_InitListExpr;
    if (clang_is_array(w, t)) {
        if (is_default_constructor(w, inside))
            return initialize_default(w, init, t, place, false, block);
        return list ? list_array(w, inside, t, place, block)
                    : clang_unsupported(w, init, "this value of an array") != NULL;
    }
    if (clang_is_class(w, t) && list)
        return list_class(w, inside, t, place, block);
    if (clang_is_class(w, t) && is_default_constructor(w, inside))
        return default_fields(w, init, t, place, false, block);
    w->named = inside;
    return assign(w, init, block, place, clang_expr(w, init));
}

/* T{ a, b } and T(a, b) in expressions: a function that fills a variable of its own. */
static struct code *made(struct clang_walk *w, CXCursor at, CXType t, struct code **self, struct code **block)
{
    const struct type *type = clang_type(w, at, t);
    if (!type)
        return NULL;
    if (clang_has_destructor(w, t) && !w->api->equalCursors(at, w->named))
        return clang_unsupported(w, at, "an object without a name that has a destructor");
    struct code *d = clang_node(w, at, CODE_DECLARE, 0);
    d->type = type;
    d->name = intern(w->ir->names, arena_printf(w->arena, "made$%u", ++w->num_inlined));
    struct code *e = clang_node(w, at, CODE_INLINE, 1);
    e->type = type;
    *self = clang_name(w, at, d->name);
    *block = e->items[0] = clang_node(w, at, CODE_BLOCK, 0);
    clang_append(w, *block, d);
    return e;
}

static struct code *give(struct clang_walk *w, CXCursor at, struct code *e, struct code *self)
{
    struct code *s = clang_node(w, at, CODE_RETURN, 1);
    s->items[0] = self;
    clang_append(w, e->items[0], s);
    return e;
}

struct code *clang_list(struct clang_walk *w, CXCursor list)
{
    struct code *self, *block, *e = made(w, list, w->api->getCursorType(list), &self, &block);
    return e && list_class(w, list, w->api->getCursorType(list), self, block) ? give(w, list, e, self) : NULL;
}

/* The members as the constructor gives them, before its body. */
bool clang_initialize_members(struct clang_walk *w, CXCursor at, CXCursor constructor, struct code *self,
                              struct code *block)
{
    const struct clang_api *api = w->api;
    struct clang_cursors parts = clang_children(w, constructor);
    struct fields f = fields_of(w, api->getCursorType(api->getCursorSemanticParent(constructor)));
    for (uint32_t i = 0; i < parts.count; i++)
        if (api->getCursorKind(parts.items[i]) == CXCursor_TypeRef && i + 1 < parts.count &&
            api->isExpression(api->getCursorKind(parts.items[i + 1])))
            return clang_unsupported(w, at, "a constructor that calls another");
    for (uint32_t k = 0; k < f.list.count; k++) {
        CXType type = api->getCursorType(f.list.items[k]);
        bool found;
        CXCursor value = written_default(w, f.list.items[k], &found);
        for (uint32_t i = 0; i + 1 < parts.count; i++)
            if (api->getCursorKind(parts.items[i]) == CXCursor_MemberRef &&
                api->equalCursors(api->getCursorReferenced(parts.items[i]), f.list.items[k])) {
                value = parts.items[i + 1];
                found = true;
            }
        struct code *to = clang_field(w, at, f.list.items[k], self, false);
        if (!to ||
            !(found ? clang_initialize(w, value, type, to, block) : initialize_default(w, at, type, to, false, block)))
            return false;
    }
    return true;
}

struct code *clang_construct(struct clang_walk *w, CXCursor at, CXCursor constructor, const CXCursor *args,
                             uint32_t count)
{
    CXType t = w->api->getCursorType(at);
    struct code *self, *block, *e = made(w, at, t, &self, &block);
    if (!e)
        return NULL;
    if (is_default_constructor(w, at))
        return default_fields(w, at, t, self, false, block) ? give(w, at, e, self) : NULL;
    struct code *body = clang_inline_constructor(w, at, constructor, self, args, count);
    if (!body)
        return NULL;
    struct code *s = clang_node(w, at, CODE_EXPR, 1);
    s->items[0] = body;
    clang_append(w, block, s);
    return give(w, at, e, self);
}
