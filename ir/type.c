#include "ir/type.h"

#include "base/map.h"
#include "ir/internal.h"

#include <string.h>

struct types {
    struct type basic[TYPE_COUNT]; /* those without parts; the other rows are unused */
    struct intern *keys;           /* text that identifies a constructed type */
    struct map by_key;
};

enum { POINTER_SIZE = 8 };

static const struct {
    const char *name;
    uint32_t size, align;
} basic_rows[TYPE_COUNT] = {
    [TYPE_VOID] = { "void", 0, 1 },
#define TYPE(kind, name, bytes, ctype, suffix) [TYPE_##kind] = { name, bytes, _Alignof(ctype) },
#include "ir/types.def"
#undef TYPE
    [TYPE_STRING] = { "string", POINTER_SIZE, POINTER_SIZE },
};

struct types *types_new(struct ir *ir)
{
    struct types *t = NEW(ir->arena, struct types);
    t->keys = intern_new(ir->arena);
    for (int kind = 0; kind < TYPE_COUNT; kind++)
        if (basic_rows[kind].name)
            t->basic[kind] = (struct type){ .kind = (enum type_kind)kind,
                                            .size = basic_rows[kind].size,
                                            .align = basic_rows[kind].align,
                                            .lanes = 1,
                                            .name = intern(ir->names, basic_rows[kind].name) };
    return t;
}

const struct type *type_basic(const struct ir *ir, enum type_kind kind) { return &ir->types->basic[kind]; }

const struct type *type_by_name(const struct ir *ir, const char *name)
{
    if (!strcmp(name, "bool_"))
        return type_basic(ir, TYPE_BOOL);
    for (int kind = TYPE_BOOL; kind <= TYPE_C128; kind++)
        if (!strcmp(name, basic_rows[kind].name))
            return type_basic(ir, (enum type_kind)kind);
    return NULL;
}

/* ---- constructed types ---- */

/* The type with this key; a new one (kind TYPE_VOID, everything still to be filled in) if there was none. */
static struct type *find_or_new(struct ir *ir, const struct text *key)
{
    const char *name = intern(ir->types->keys, text_get(key));
    struct type *t = map_get(&ir->types->by_key, name);
    if (!t) {
        t = NEW(ir->arena, struct type);
        t->lanes = 1;
        t->align = 1;
        map_put(ir->arena, &ir->types->by_key, name, t);
    }
    return t;
}

const struct type *type_pointer(struct ir *ir, const struct type *elem)
{
    struct text key = text_new(ir->arena);
    text_printf(&key, "pointer %p", (const void *)elem);
    struct type *t = find_or_new(ir, &key);
    t->kind = TYPE_POINTER;
    t->size = t->align = POINTER_SIZE;
    t->elem = elem;
    return t;
}

const struct type *type_vector(struct ir *ir, const struct type *elem, uint32_t lanes, const char *lanes_text)
{
    struct text key = text_new(ir->arena);
    text_printf(&key, "vector %p %u %s", (const void *)elem, lanes, lanes ? "" : lanes_text);
    struct type *t = find_or_new(ir, &key);
    t->kind = TYPE_VECTOR;
    t->size = elem->size * lanes;
    t->align = elem->align; /* vectors are read at any element (semantics.md 6.7) */
    t->elem = elem;
    t->lanes = lanes;
    t->lanes_text = lanes ? NULL : intern(ir->names, lanes_text);
    return t;
}

const struct type *type_scalable(struct ir *ir, const struct type *elem, uint32_t lanes)
{
    struct text key = text_new(ir->arena);
    text_printf(&key, "scalable %p %u", (const void *)elem, lanes);
    struct type *t = find_or_new(ir, &key);
    t->kind = TYPE_VECTOR;
    t->size = elem->size * lanes;
    t->align = elem->align;
    t->elem = elem;
    t->lanes = lanes;
    t->scalable = true;
    return t;
}

const struct type *type_lanes_of(struct ir *ir, const struct type *vector, const struct type *elem)
{
    return vector->scalable ? type_scalable(ir, elem, vector->lanes)
                            : type_vector(ir, elem, vector->lanes, vector->lanes_text);
}

static uint32_t round_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

/* Inside a struct the C compiler aligns a vector to its size. */
static uint32_t field_align(const struct type *t)
{
    bool power_of_two = t->size && !(t->size & (t->size - 1));
    return t->kind == TYPE_VECTOR && power_of_two ? t->size : t->align;
}

const struct type *type_struct(struct ir *ir, const char *name, const struct type_field *fields, uint32_t count)
{
    struct text key = text_new(ir->arena);
    text_printf(&key, "struct %s", name);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&key, " %s %p %s", fields[i].name, (const void *)fields[i].type,
                    fields[i].length_text ? fields[i].length_text : "");
    struct type *t = find_or_new(ir, &key);
    if (t->kind == TYPE_STRUCT)
        return t;
    struct type_field *copy = arena_copy(ir->arena, fields, count * sizeof *fields);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t align = field_align(copy[i].type);
        copy[i].name = intern(ir->names, copy[i].name);
        copy[i].offset = offset = round_up(offset, align);
        offset += copy[i].type->size;
        if (align > t->align)
            t->align = align;
    }
    t->kind = TYPE_STRUCT;
    t->size = round_up(offset, t->align);
    t->name = intern(ir->names, name);
    t->num_fields = count;
    t->fields = copy;
    return t;
}

bool type_is_mpi_handle(const struct type *t)
{
    return t->kind == TYPE_OPAQUE && (!strcmp(t->name, "MPI_Request") || !strcmp(t->name, "MPI_Comm"));
}

const struct type *type_opaque(struct ir *ir, const char *ctype)
{
    struct text key = text_new(ir->arena);
    text_printf(&key, "opaque %s", ctype);
    struct type *t = find_or_new(ir, &key);
    t->kind = TYPE_OPAQUE;
    t->name = intern(ir->names, ctype);
    if (!strcmp(ctype, "pyobject") || type_is_mpi_handle(t)) /* (format.md 3.2, library-nodes.md 10) */
        t->size = t->align = POINTER_SIZE;
    return t;
}

const struct type *type_callback(struct ir *ir, const struct type_field *args, uint32_t num_args,
                                 const struct type *const *results, uint32_t num_results)
{
    struct text key = text_new(ir->arena);
    text_add(&key, "callback");
    for (uint32_t i = 0; i < num_args; i++)
        text_printf(&key, " %p", (const void *)args[i].type);
    text_add(&key, " to");
    for (uint32_t i = 0; i < num_results; i++)
        text_printf(&key, " %p", (const void *)results[i]);
    struct type *t = find_or_new(ir, &key);
    if (t->kind == TYPE_CALLBACK)
        return t;
    t->kind = TYPE_CALLBACK;
    t->size = t->align = POINTER_SIZE;
    t->num_fields = num_args;
    t->fields = arena_copy(ir->arena, args, num_args * sizeof *args);
    t->num_results = num_results;
    t->results = arena_copy(ir->arena, results, num_results * sizeof *results);
    return t;
}

/* ---- printing ---- */

static void print_callback(const struct type *t, struct text *out)
{
    text_add(out, "callback(");
    for (uint32_t i = 0; i < t->num_fields; i++) {
        text_add(out, i ? ", " : "");
        type_print(t->fields[i].type, out);
    }
    text_add(out, ")");
    for (uint32_t i = 0; i < t->num_results; i++) {
        text_add(out, i ? ", " : " -> ");
        type_print(t->results[i], out);
    }
}

void type_print(const struct type *t, struct text *out)
{
    switch (t->kind) {
    case TYPE_POINTER:
        type_print(t->elem, out);
        text_addc(out, '*');
        break;
    case TYPE_VECTOR:
        text_add(out, "vec<");
        type_print(t->elem, out);
        if (t->lanes_text)
            text_printf(out, ",%s>", t->lanes_text);
        else
            text_printf(out, t->scalable ? ",vscale*%u>" : ",%u>", t->lanes);
        break;
    case TYPE_STRUCT:
        text_printf(out, "struct %s", t->name);
        break;
    case TYPE_CALLBACK:
        print_callback(t, out);
        break;
    default:
        text_add(out, t->name);
    }
}

const char *type_text(struct ir *ir, const struct type *t)
{
    struct text out = text_new(ir->arena);
    type_print(t, &out);
    return text_get(&out);
}

const struct type *type_part(struct ir *ir, const struct type *t)
{
    const struct type *part = type_basic(ir, type_scalar(t)->kind == TYPE_C64 ? TYPE_F32 : TYPE_F64);
    return t->kind == TYPE_VECTOR ? type_lanes_of(ir, t, part) : part;
}

/* ---- joint types ---- */

const struct type *type_joint(struct ir *ir, const struct type *a, const struct type *b)
{
    (void)ir;
    if (!a || !b || a == b)
        return a == b ? a : NULL;
    if (a->kind == TYPE_VECTOR || b->kind == TYPE_VECTOR)
        return a->kind == TYPE_VECTOR ? a : b;
    if (a->kind == TYPE_POINTER || b->kind == TYPE_POINTER)
        return a->kind == TYPE_POINTER ? a : b;
    if (!type_is_basic(a) || !type_is_basic(b))
        return NULL;
    if (type_is_integer(a) && type_is_integer(b)) {
        if (a->size != b->size)
            return a->size > b->size ? a : b;
        return type_is_unsigned(a) ? a : b;
    }
    if (type_is_integer(a) || type_is_integer(b))
        return type_is_integer(a) ? b : a; /* the float whatever its width, and even bool */
    return a->size > b->size ? a : b;
}

static bool is_small_float(const struct type *t)
{
    return type_is_float(t) && t->kind != TYPE_F32 && t->kind != TYPE_F64;
}

const struct type *type_promote(struct ir *ir, const struct type *t)
{
    switch (t->kind) {
    case TYPE_BOOL:
    case TYPE_I8:
    case TYPE_I16:
    case TYPE_U8:
    case TYPE_U16:
        return type_basic(ir, TYPE_I32);
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F8E4M3:
    case TYPE_F8E5M2:
        return type_basic(ir, TYPE_F32);
    case TYPE_VECTOR: /* integers keep their width there */
        return is_small_float(t->elem) ? type_lanes_of(ir, t, type_basic(ir, TYPE_F32)) : t;
    default:
        return t;
    }
}

static const struct type *integer_arithmetic(const struct type *a, const struct type *b)
{
    if (a->size != b->size)
        return a->size > b->size ? a : b;
    return type_is_unsigned(a) ? a : b;
}

const struct type *type_arithmetic(struct ir *ir, const struct type *a, const struct type *b)
{
    a = type_promote(ir, a);
    b = type_promote(ir, b);
    if (a == b)
        return a;
    if (a->kind == TYPE_VECTOR || b->kind == TYPE_VECTOR)
        return a->kind == TYPE_VECTOR ? a : b;
    if (a->kind == TYPE_POINTER || b->kind == TYPE_POINTER)
        return a->kind == TYPE_POINTER ? a : b;
    if (!type_is_basic(a) || !type_is_basic(b))
        return NULL;
    if (type_is_complex(a) || type_is_complex(b)) {
        bool wide = a->kind == TYPE_C128 || b->kind == TYPE_C128 || a->kind == TYPE_F64 || b->kind == TYPE_F64;
        return type_basic(ir, wide ? TYPE_C128 : TYPE_C64);
    }
    if (type_is_integer(a) && type_is_integer(b))
        return integer_arithmetic(a, b);
    if (type_is_integer(a) || type_is_integer(b))
        return type_is_integer(a) ? b : a;
    return a->size > b->size ? a : b;
}
