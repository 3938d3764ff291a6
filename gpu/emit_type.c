#include "gpu/emit_text.h"

static const struct {
    const char *value, *memory; /* NULL: the same */
    enum gpu_piece piece;
} basics[] = {
    [TYPE_VOID] = { "void", NULL, PIECE_TYPES }, [TYPE_BOOL] = { "bool", "u8", PIECE_TYPES },
    [TYPE_I8] = { "i8", NULL, PIECE_TYPES },     [TYPE_I16] = { "i16", NULL, PIECE_TYPES },
    [TYPE_I32] = { "i32", NULL, PIECE_TYPES },   [TYPE_I64] = { "i64", NULL, PIECE_TYPES },
    [TYPE_U8] = { "u8", NULL, PIECE_TYPES },     [TYPE_U16] = { "u16", NULL, PIECE_TYPES },
    [TYPE_U32] = { "u32", NULL, PIECE_TYPES },   [TYPE_U64] = { "u64", NULL, PIECE_TYPES },
    [TYPE_F16] = { "f16", NULL, PIECE_F16 },     [TYPE_BF16] = { "bf16", NULL, PIECE_BF16 },
    [TYPE_F8E4M3] = { "e4m3", NULL, PIECE_F8 },  [TYPE_F8E5M2] = { "e5m2", NULL, PIECE_F8 },
    [TYPE_F32] = { "float", NULL, PIECE_TYPES }, [TYPE_F64] = { "double", NULL, PIECE_TYPES },
    [TYPE_C64] = { "c64", NULL, PIECE_COMPLEX }, [TYPE_C128] = { "c128", NULL, PIECE_COMPLEX },
};

bool gpu_is_small(const struct type *t) { return t->kind >= TYPE_F16 && t->kind <= TYPE_F8E5M2; }

/* Members are found by their offsets. */
static const char *record(struct gpu_module *m, const struct type *t)
{
    uintptr_t number = (uintptr_t)map_get(&m->records, t);
    if (!number) {
        number = m->records.count + 1;
        map_put(m->arena, &m->records, t, (void *)number);
        text_printf(&m->declarations, "struct alignas(%u) s%u { u8 bytes[%u]; };\n", t->align ? t->align : 1,
                    (unsigned)number, t->size ? t->size : 1);
    }
    return arena_printf(m->arena, "s%u", (unsigned)number);
}

static const char *name_of(struct gpu_module *m, const struct type *t, bool memory)
{
    if (t->kind <= TYPE_C128) {
        gpu_need(m, basics[t->kind].piece);
        return memory && basics[t->kind].memory ? basics[t->kind].memory : basics[t->kind].value;
    }
    if (t->kind == TYPE_POINTER)
        return arena_printf(m->arena, "%s *", name_of(m, t->elem, true));
    if (t->kind == TYPE_VECTOR && t->lanes) {
        gpu_need(m, PIECE_VECTOR);
        return arena_printf(m->arena, "vec<%s, %u>", name_of(m, t->elem, memory), t->lanes);
    }
    if (t->kind == TYPE_STRUCT)
        return record(m, t);
    if (t->kind == TYPE_STRING)
        return "const char *";
    gpu_unsupported(m, arena_printf(m->arena, "type '%s'", type_text(m->ir, t)));
    return "int";
}

const char *gpu_type(struct gpu_module *m, const struct type *t) { return name_of(m, t, false); }

const char *gpu_memory(struct gpu_module *m, const struct type *t) { return name_of(m, t, true); }
