/* Static variables and those of global code. There is one of each for all code that names it, in the state of the
 * program; a constant value is there from the beginning, another one is computed by whoever comes first. */
#include "ir/code/clang/clang_walk.h"

enum { ALIGNMENT = 16 };

int64_t clang_reserve(struct program_state *s, uint64_t bytes)
{
    uint64_t offset = s->size;
    s->size += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return (int64_t)offset;
}

static struct clang_static *find(struct clang_walk *w, CXCursor decl)
{
    for (uint32_t i = 0; i < w->statics.count; i++)
        if (w->api->equalCursors(w->statics.items[i].decl, decl))
            return &w->statics.items[i];
    return NULL;
}

/* ---- values ---- */

struct values_named {
    const char *name;
    bool good;
};

static bool look(void *user, struct code *c)
{
    struct values_named *k = user;
    k->good &= c->kind != CODE_CALL && c->kind != CODE_INLINE && c->kind != CODE_DEREF && c->kind != CODE_STEP &&
               c->kind != CODE_ASSIGN_EXPR && c->kind != CODE_ADDRESS && (c->kind != CODE_NAME || c->name == k->name);
    return true;
}

/* Does it name nothing but the variable, and call nothing? */
static bool is_constant(struct code *value, const char *name)
{
    struct values_named k = { name, true };
    code_visit(value, look, &k);
    return k.good;
}

static struct code *declaration(struct clang_walk *w, CXCursor v, const char *name, uint32_t count)
{
    CXType t = w->api->getCursorType(v);
    struct code *c = clang_node(w, v, CODE_STATIC, count);
    c->name = name;
    c->type = clang_type(w, v, t);
    c->u = clang_is_array(w, t) ? clang_array_count(w, t) : 0;
    return c;
}

static bool read_value(struct clang_walk *w, CXCursor v, const char *name, struct code *block)
{
    CXType t = w->api->getCursorType(v);
    CXCursor init = w->api->Cursor_getVarDeclInitializer(v);
    return w->api->Cursor_isNull(init) || clang_initialize(w, init, t, clang_name(w, v, name), block);
}

/* ---- the variable ---- */

static bool check(struct clang_walk *w, CXCursor v)
{
    CXType t = w->api->getCursorType(v);
    const char *name = clang_spelling(w, v);
    if (w->api->Cursor_getStorageClass(v) == CX_SC_Extern &&
        w->api->Cursor_isNull(w->api->Cursor_getVarDeclInitializer(v)))
        return clang_unsupported(w, v, "the variable '%s', which is defined elsewhere,", name);
    if (w->api->getCursorTLSKind(v) != CXTLS_None)
        return clang_unsupported(w, v, "the variable '%s' of every thread", name);
    if (clang_is_reference(w, t))
        return clang_unsupported(w, v, "the static reference '%s'", name);
    if (clang_is_array(w, t) && (w->api->getCanonicalType(t).kind != CXType_ConstantArray || !clang_array_count(w, t)))
        return clang_unsupported(w, v, "an array of a size that is not constant");
    return clang_type(w, v, t) != NULL;
}

/* When the program ends; a value that somebody had to compute may never have been. */
static bool add_end(struct clang_walk *w, CXCursor v, const char *name, const struct clang_static *s)
{
    struct code *block = clang_node(w, v, CODE_BLOCK, 0), *inside = clang_node(w, v, CODE_BLOCK, 0);
    struct code *d = declaration(w, v, name, 0), *made = clang_node(w, v, CODE_STATIC, 0);
    d->i = s->offset;
    clang_append(w, block, d);
    if (!clang_destroy(w, v, w->api->getCursorType(v), clang_name(w, v, name), inside))
        return false;
    if (s->first) {
        made->name = intern(w->ir->names, arena_printf(w->arena, "%s$made", name));
        made->type = type_basic(w->ir, TYPE_I64);
        made->i = s->offset - made->type->size;
        struct code *branch = clang_node(w, v, CODE_IF, 2);
        branch->items[0] = clang_name(w, v, made->name);
        branch->items[1] = inside;
        clang_append(w, block, made);
        inside = branch;
    }
    clang_append(w, block, inside);
    vec_push(w->arena, &w->state->ends, block);
    return true;
}

/* Its place, and its value if that is constant; any other value stays for the first who comes. */
static bool add(struct clang_walk *w, CXCursor v, struct code *c, struct code *value)
{
    bool first = value->count && !is_constant(value, c->name);
    uint64_t bytes = (uint64_t)w->api->Type_getSizeOf(w->api->getCursorType(v));
    struct clang_static s = { .decl = v, .first = first };
    s.offset = clang_reserve(w->state, bytes + (first ? ALIGNMENT : 0)) + (first ? ALIGNMENT : 0);
    vec_push(w->arena, &w->statics, s);
    if (clang_has_destructor(w, w->api->getCursorType(v)) && !add_end(w, v, c->name, &s))
        return false;
    if (!value->count || first)
        return true;
    struct code *block = clang_node(w, v, CODE_BLOCK, 0), *d = declaration(w, v, c->name, 0);
    d->i = s.offset;
    clang_append(w, block, d);
    for (uint32_t i = 0; i < value->count; i++)
        clang_append(w, block, value->items[i]);
    vec_push(w->arena, &w->state->values, block);
    return true;
}

bool clang_declare_static(struct clang_walk *w, CXCursor v, struct code *block)
{
    CXCursor definition = w->api->getCursorDefinition(v);
    if (!w->api->Cursor_isNull(definition))
        v = definition;
    if (!check(w, v))
        return false;
    const char *name = clang_add_local(w, v, NULL);
    const struct clang_static *known = find(w, v);
    struct code *value = clang_node(w, v, CODE_BLOCK, 0);
    if ((!known || known->first) && !read_value(w, v, name, value))
        return false;
    struct code *c = declaration(w, v, name, 0);
    if (!known && !add(w, v, c, value))
        return false;
    known = find(w, v);
    if (known->first) {
        c->items = NEW_ARRAY(w->arena, struct code *, 1);
        c->items[0] = value;
        c->count = 1;
    }
    c->i = known->offset;
    clang_append(w, block, c);
    return true;
}
