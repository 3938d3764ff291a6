/* Types of C++ and ours. Records of the author are structures with the same layout. */
#include "ir/code/clang/clang_walk.h"

#include <string.h>

static const struct {
    const char *spelling;
    enum type_kind kind;
} classes[] = {
    { "std::complex<float>", TYPE_C64 }, { "std::complex<double>", TYPE_C128 }, { "dace::half", TYPE_F16 },
    { "dace::bfloat16", TYPE_BF16 },     { "dace::float8_e4m3", TYPE_F8E4M3 },  { "dace::float8_e5m2", TYPE_F8E5M2 },
};

static const char *type_spelling(struct clang_walk *w, CXType t)
{
    CXString s = w->api->getTypeSpelling(t);
    const char *text = arena_strdup(w->arena, w->api->getCString(s));
    w->api->disposeString(s);
    return strncmp(text, "const ", 6) == 0 ? text + 6 : text;
}

static enum type_kind number_class(struct clang_walk *w, CXType canonical)
{
    const char *spelling = type_spelling(w, canonical);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i].spelling, spelling) == 0)
            return classes[i].kind;
    return TYPE_VOID;
}

static enum type_kind basic_kind(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Bool:
        return TYPE_BOOL;
    case CXType_Char_S:
    case CXType_SChar:
        return TYPE_I8;
    case CXType_Char_U:
    case CXType_UChar:
        return TYPE_U8;
    case CXType_Short:
        return TYPE_I16;
    case CXType_UShort:
        return TYPE_U16;
    case CXType_Int:
        return TYPE_I32;
    case CXType_UInt:
        return TYPE_U32;
    case CXType_Long:
    case CXType_LongLong:
        return TYPE_I64;
    case CXType_ULong:
    case CXType_ULongLong:
        return TYPE_U64;
    case CXType_Float:
        return TYPE_F32;
    case CXType_Double:
        return TYPE_F64;
    default:
        return TYPE_VOID;
    }
}

/* ---- records ---- */

struct fields {
    struct clang_walk *w;
    VEC(struct type_field) list;
    VEC(uint32_t) offsets;
    bool plain; /* of types that structures may have */
};

static enum CXVisitorResult visit_field(CXCursor c, CXClientData data)
{
    struct fields *f = data;
    const struct clang_api *api = f->w->api;
    CXType t = api->getCanonicalType(api->getCursorType(c));
    bool simple = basic_kind(t.kind) != TYPE_VOID || t.kind == CXType_Pointer || number_class(f->w, t) != TYPE_VOID;
    long long offset = api->Cursor_getOffsetOfField(c);
    if (!simple || offset < 0 || offset % 8 != 0 || api->getFieldDeclBitWidth(c) >= 0) {
        f->plain = false;
        return CXVisit_Break;
    }
    const struct type *type = clang_type(f->w, c, t);
    vec_push(f->w->arena, &f->list, ((struct type_field){ .name = clang_spelling(f->w, c), .type = type }));
    vec_push(f->w->arena, &f->offsets, (uint32_t)(offset / 8));
    f->plain = type != NULL;
    return type ? CXVisit_Continue : CXVisit_Break;
}

/* ---- records that point to their own kind ---- */

struct reach {
    struct clang_walk *w;
    VEC(CXCursor) records; /* seen, the one to be found first */
    bool found;
};

static enum CXVisitorResult follow(CXCursor c, CXClientData data)
{
    struct reach *r = data;
    const struct clang_api *api = r->w->api;
    CXType t = api->getCanonicalType(api->getCursorType(c));
    while (t.kind == CXType_Pointer || t.kind == CXType_ConstantArray)
        t = api->getCanonicalType(t.kind == CXType_Pointer ? api->getPointeeType(t) : api->getArrayElementType(t));
    if (t.kind != CXType_Record)
        return CXVisit_Continue;
    CXCursor record = api->getTypeDeclaration(t);
    r->found |= api->equalCursors(record, r->records.items[0]);
    for (uint32_t i = 0; i < r->records.count; i++)
        if (api->equalCursors(record, r->records.items[i]))
            return CXVisit_Continue;
    vec_push(r->w->arena, &r->records, record);
    api->Type_visitFields(t, follow, r);
    return CXVisit_Continue;
}

static bool points_to_itself(struct clang_walk *w, CXCursor declaration, CXType t)
{
    struct reach r = { .w = w };
    vec_push(w->arena, &r.records, declaration);
    w->api->Type_visitFields(t, follow, &r);
    return r.found;
}

/* A union, one with arrays or records inside, or of a list: words that give the size and the alignment. */
static const struct type *opaque_record(struct clang_walk *w, const char *name, uint32_t size, uint32_t align)
{
    const struct type *word = type_basic(w->ir, align == 1   ? TYPE_U8
                                                : align == 2 ? TYPE_U16
                                                : align == 4 ? TYPE_U32
                                                             : TYPE_U64);
    uint32_t count = size / word->size;
    struct type_field *fields = NEW_ARRAY(w->arena, struct type_field, count + 1);
    for (uint32_t i = 0; i < count; i++)
        fields[i] = (struct type_field){ .name = intern(w->ir->names, arena_printf(w->arena, "%u", i)), .type = word };
    return type_struct(w->ir, name, fields, count);
}

static const struct type *record(struct clang_walk *w, CXCursor at, CXType t)
{
    enum { MOST_BYTES = 4096 };
    long long size = w->api->Type_getSizeOf(t), align = w->api->Type_getAlignOf(t);
    if (size < 1 || size > MOST_BYTES || align > 8)
        return clang_unsupported(w, at, "a value of type '%s'", type_spelling(w, t));
    CXCursor declaration = w->api->getTypeDeclaration(t);
    const char *name = clang_spelling(w, declaration);
    const struct type *ours = map_get(&w->structs, name);
    if (ours)
        return ours;
    if (!*name || *name == '(') /* libclang describes what has no name */
        name = intern(w->ir->names, "unnamed");
    struct fields f = { .w = w, .plain = w->api->getCursorKind(declaration) != CXCursor_UnionDecl };
    f.plain = f.plain && !points_to_itself(w, declaration, t);
    if (f.plain)
        w->api->Type_visitFields(t, visit_field, &f);
    const struct type *s = f.plain && f.list.count ? type_struct(w->ir, name, f.list.items, f.list.count) : NULL;
    bool same = s && s->size == (uint32_t)size;
    for (uint32_t i = 0; same && i < f.list.count; i++)
        same = s->fields[i].offset == f.offsets.items[i];
    return same ? s : opaque_record(w, name, (uint32_t)size, (uint32_t)align);
}

bool clang_is_class(struct clang_walk *w, CXType t)
{
    t = w->api->getCanonicalType(t);
    return t.kind == CXType_Record && number_class(w, t) == TYPE_VOID;
}

/* ---- all types ---- */

bool clang_is_array(struct clang_walk *w, CXType t)
{
    t = w->api->getCanonicalType(t);
    return t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray;
}

/* Of an array the qualifier may stand at any level. */
bool clang_is_const(struct clang_walk *w, CXType t)
{
    for (;;) {
        if (w->api->isConstQualifiedType(t) || w->api->isConstQualifiedType(w->api->getCanonicalType(t)))
            return true;
        if (!clang_is_array(w, t))
            return false;
        t = w->api->getArrayElementType(w->api->getCanonicalType(t));
    }
}

bool clang_is_reference(struct clang_walk *w, CXType t)
{
    t = w->api->getCanonicalType(t);
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

uint64_t clang_array_count(struct clang_walk *w, CXType t)
{
    uint64_t count = 1;
    for (t = w->api->getCanonicalType(t); t.kind == CXType_ConstantArray;
         t = w->api->getCanonicalType(w->api->getArrayElementType(t)))
        count *= (uint64_t)w->api->getArraySize(t);
    return count;
}

/* A pointer to a class that is never looked into: cublasHandle_t and the like. */
static const struct type *pointee(struct clang_walk *w, CXCursor at, CXType t)
{
    t = w->api->getCanonicalType(t);
    bool incomplete = t.kind == CXType_Record && w->api->Type_getSizeOf(t) < 0;
    if (incomplete || t.kind == CXType_FunctionProto || t.kind == CXType_FunctionNoProto)
        return type_basic(w->ir, TYPE_VOID);
    return clang_type(w, at, t);
}

const struct type *clang_type(struct clang_walk *w, CXCursor at, CXType t)
{
    t = w->api->getCanonicalType(t);
    enum type_kind kind = basic_kind(t.kind);
    const struct type *elem;
    if (kind != TYPE_VOID)
        return type_basic(w->ir, kind);
    switch (t.kind) {
    case CXType_Void:
        return type_basic(w->ir, TYPE_VOID);
    case CXType_NullPtr:
        return type_pointer(w->ir, type_basic(w->ir, TYPE_VOID));
    case CXType_LValueReference:
    case CXType_RValueReference:
        return clang_type(w, at, w->api->getPointeeType(t));
    case CXType_Pointer:
        t = w->api->getPointeeType(t);
        elem = pointee(w, at, t);
        return elem && !clang_is_array(w, t) ? type_pointer(w->ir, elem) : elem; /* rows are pointers already */
    case CXType_ConstantArray: /* as the pointer to the first element of all */
    case CXType_IncompleteArray:
        while (clang_is_array(w, t))
            t = w->api->getCanonicalType(w->api->getArrayElementType(t));
        elem = clang_type(w, at, t);
        return elem ? type_pointer(w->ir, elem) : NULL;
    case CXType_ExtVector:
    case CXType_Vector:
        elem = clang_type(w, at, w->api->getElementType(t));
        return elem ? type_vector(w->ir, elem, (uint32_t)w->api->getNumElements(t), NULL) : NULL;
    case CXType_Enum:
        return clang_type(w, at, w->api->getEnumDeclIntegerType(w->api->getTypeDeclaration(t)));
    case CXType_Record:
        kind = number_class(w, t);
        return kind != TYPE_VOID ? type_basic(w->ir, kind) : record(w, at, t);
    default:
        return clang_unsupported(w, at, "a value of type '%s'", type_spelling(w, t));
    }
}

/* ---- ours in C++ ---- */

void clang_type_text(struct text *out, const struct type *t)
{
    static const char *const names[] = {
        [TYPE_BOOL] = "bool",
        [TYPE_I8] = "int8_t",
        [TYPE_I16] = "int16_t",
        [TYPE_I32] = "int",
        [TYPE_I64] = "int64_t",
        [TYPE_U8] = "uint8_t",
        [TYPE_U16] = "uint16_t",
        [TYPE_U32] = "uint32_t",
        [TYPE_U64] = "uint64_t",
        [TYPE_F16] = "dace::half",
        [TYPE_BF16] = "dace::bfloat16",
        [TYPE_F8E4M3] = "dace::float8_e4m3",
        [TYPE_F8E5M2] = "dace::float8_e5m2",
        [TYPE_F32] = "float",
        [TYPE_F64] = "double",
        [TYPE_C64] = "std::complex<float>",
        [TYPE_C128] = "std::complex<double>",
    };
    if (type_is_basic(t)) {
        text_add(out, names[t->kind]);
    } else if (t->kind == TYPE_VOID) {
        text_add(out, "void");
    } else if (t->kind == TYPE_STRING) {
        text_add(out, "const char *");
    } else if (t->kind == TYPE_STRUCT || type_is_mpi_handle(t)) {
        text_add(out, t->name);
    } else if (t->kind == TYPE_POINTER) {
        size_t before = out->length;
        clang_type_text(out, t->elem);
        if (out->length != before)
            text_add(out, " *");
    } else if (t->kind == TYPE_VECTOR && t->lanes) {
        text_add(out, "dace::vec<");
        clang_type_text(out, t->elem);
        text_printf(out, ", %u>", t->lanes);
    }
}

void clang_declare_structs(struct clang_walk *w, struct text *out, const struct type *t)
{
    while (t->kind == TYPE_POINTER || t->kind == TYPE_VECTOR)
        t = t->elem;
    const char *name = t->kind == TYPE_STRUCT ? intern(w->ir->names, t->name) : NULL;
    if (!name || map_has(&w->structs, name))
        return;
    map_put(w->arena, &w->structs, name, (void *)(uintptr_t)t);
    for (uint32_t i = 0; i < t->num_fields; i++)
        clang_declare_structs(w, out, t->fields[i].type);
    text_printf(out, "struct %s {", name);
    for (uint32_t i = 0; i < t->num_fields; i++) {
        size_t before = out->length;
        text_addc(out, ' ');
        clang_type_text(out, t->fields[i].type);
        if (out->length == before + 1)
            text_add(out, "void *"); /* there, but not to be used */
        text_printf(out, " %s;", t->fields[i].name);
    }
    text_add(out, " };\n");
}
