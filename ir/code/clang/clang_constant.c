/* Literals, and expressions whose value libclang knows. */
#include "ir/code/clang/clang_walk.h"

#include <stdlib.h>
#include <string.h>

struct code *clang_integer(struct clang_walk *w, CXCursor at, const struct type *type, int64_t value)
{
    struct code *c = clang_node(w, at, CODE_INT, 0);
    c->type = type;
    c->i = value;
    c->u = (uint64_t)value;
    c->big = value < 0 && type->kind == TYPE_U64;
    return c;
}

struct code *clang_literal(struct clang_walk *w, CXCursor at, const struct type *type, int64_t value)
{
    if (type_is_integer(type))
        return clang_integer(w, at, type, value);
    if (type->kind == TYPE_BOOL) {
        struct code *c = clang_node(w, at, CODE_BOOL, 0);
        c->i = value;
        return c;
    }
    return clang_cast(w, at, NULL, type, clang_integer(w, at, type_basic(w->ir, TYPE_I32), value));
}

static struct code *real(struct clang_walk *w, CXCursor at, const struct type *type, double value)
{
    struct code *c = clang_node(w, at, CODE_FLOAT, 0);
    c->type = type;
    c->f = value;
    return c;
}

struct code *clang_constant(struct clang_walk *w, CXCursor c)
{
    const struct clang_api *api = w->api;
    CXType t = api->getCanonicalType(api->getCursorType(c));
    bool number = (t.kind >= CXType_Bool && t.kind <= CXType_LongLong) || t.kind == CXType_SChar ||
                  t.kind == CXType_Float || t.kind == CXType_Double || t.kind == CXType_Enum;
    const struct type *type = number ? clang_type(w, c, t) : NULL;
    CXEvalResult r = type ? api->Cursor_Evaluate(c) : NULL;
    if (!r)
        return NULL;
    struct code *out = NULL;
    CXEvalResultKind kind = api->EvalResult_getKind(r);
    if (kind == CXEval_Int && (type_is_integer(type) || type->kind == TYPE_BOOL))
        out = clang_literal(w, c, type,
                            api->EvalResult_isUnsignedInt(r) ? (int64_t)api->EvalResult_getAsUnsigned(r)
                                                             : api->EvalResult_getAsLongLong(r));
    else if (kind == CXEval_Float && type_is_float(type))
        out = real(w, c, type, api->EvalResult_getAsDouble(r));
    api->EvalResult_dispose(r);
    return out;
}

struct code *clang_written(struct clang_walk *w, CXCursor c)
{
    struct code *out = clang_constant(w, c);
    return out ? out : clang_unsupported(w, c, "this literal");
}

/* libclang gives the literal as C would write it. */
static uint32_t escaped(const char **at)
{
    static const char letters[] = "n\nt\tr\ra\ab\bf\fv\v";
    const char *s = *at;
    uint32_t value = 0;
    if (*s == 'x') {
        char *end;
        value = (uint32_t)strtoul(s + 1, &end, 16);
        *at = end;
        return value;
    }
    if (*s >= '0' && *s <= '7') {
        for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
            value = value * 8 + (uint32_t)(*s++ - '0');
        *at = s;
        return value;
    }
    *at = s + 1;
    const char *letter = strchr(letters, *s);
    return letter && (letter - letters) % 2 == 0 ? (uint32_t)letter[1] : (uint32_t)*s;
}

struct code *clang_string(struct clang_walk *w, CXCursor c)
{
    const char *s = clang_spelling(w, c);
    struct text out = text_new(w->arena);
    if (*s++ != '"')
        return clang_unsupported(w, c, "this kind of string");
    while (*s && *s != '"') {
        uint32_t value = (uint8_t)*s++;
        if (value == '\\')
            value = escaped(&s);
        if (!value || value > 255)
            return clang_unsupported(w, c, "this character in a string");
        text_addc(&out, (char)value);
    }
    struct code *e = clang_node(w, c, CODE_STRING, 0);
    e->name = intern(w->ir->names, text_get(&out));
    return e;
}
