#include "ir/enums.h"

#include "base/vec.h"
#include "ir/internal.h"
#include "ir/json/json.h"

#include <string.h>

struct enums {
    struct enum_value builtin[ENUM_BUILTIN_ROWS];
    VEC(struct enum_value *) others[ENUM_KIND_COUNT]; /* registered, unknown and instances */
    const enum_members *members;                      /* NULL: none are registered */
};

static const struct {
    enum enum_kind kind;
    const char *name;
} rows[ENUM_BUILTIN_ROWS] = {
#define ENUM(kind, member, text) { ENUM_##kind, text },
#include "ir/enums.def"
#undef ENUM
};

/* What an unknown name becomes. Closed enumerations fall back to their default (format.md 1.4). */
static const enum enum_row fallback[ENUM_KIND_COUNT] = {
    [ENUM_SCHEDULE] = SCHEDULE_UNDEFINED,       [ENUM_STORAGE] = STORAGE_UNDEFINED,
    [ENUM_LIFETIME] = LIFETIME_SCOPE,           [ENUM_LANGUAGE] = LANGUAGE_UNDEFINED,
    [ENUM_INSTRUMENT] = INSTRUMENT_UNDEFINED,   [ENUM_DATA_INSTRUMENT] = DATA_INSTRUMENT_UNDEFINED,
    [ENUM_OMP_SCHEDULE] = OMP_SCHEDULE_DEFAULT,
};

/* Names of older releases (format.md 8.2) and of languages as loaders match them (6.1). */
static const struct {
    enum enum_kind kind;
    const char *name;
    enum enum_row row;
} synonyms[] = {
    { ENUM_SCHEDULE, "GPU_Default", SCHEDULE_DEFAULT }, { ENUM_SCHEDULE, "Unrolled", SCHEDULE_SEQUENTIAL },
    { ENUM_STORAGE, "CPU_Stack", STORAGE_REGISTER },    { ENUM_STORAGE, "GPU_Stack", STORAGE_REGISTER },
    { ENUM_STORAGE, "Immaterial", STORAGE_DEFAULT },    { ENUM_INSTRUMENT, "CUDA_Events", INSTRUMENT_GPU_EVENTS },
    { ENUM_LANGUAGE, "sv", LANGUAGE_SYSTEMVERILOG },
};

static const char *const kind_names[ENUM_KIND_COUNT] = {
    [ENUM_SCHEDULE] = "ScheduleType",          [ENUM_STORAGE] = "StorageType",
    [ENUM_LIFETIME] = "AllocationLifetime",    [ENUM_LANGUAGE] = "Language",
    [ENUM_INSTRUMENT] = "InstrumentationType", [ENUM_DATA_INSTRUMENT] = "DataInstrumentationType",
    [ENUM_OMP_SCHEDULE] = "OMPScheduleType",
};

const char *enum_kind_name(enum enum_kind kind) { return kind_names[kind]; }

const char *enum_row_name(enum enum_row row, enum enum_kind *kind)
{
    *kind = rows[row].kind;
    return rows[row].name;
}

struct enums *enums_new(struct ir *ir)
{
    struct enums *e = NEW(ir->arena, struct enums);
    for (uint32_t i = 0; i < ENUM_BUILTIN_ROWS; i++)
        e->builtin[i] = (struct enum_value){ .kind = rows[i].kind, .row = i, .name = intern(ir->names, rows[i].name) };
    return e;
}

const struct enum_value *enum_builtin(const struct ir *ir, enum enum_row row) { return &ir->enums->builtin[row]; }

static struct enum_value *add(struct ir *ir, enum enum_kind kind, uint32_t row, const char *name)
{
    struct enum_value *v = NEW(ir->arena, struct enum_value);
    *v = (struct enum_value){ .kind = kind, .row = row, .name = intern(ir->names, name) };
    vec_push(ir->arena, &ir->enums->others[kind], v);
    return v;
}

static const struct enum_value *find(const struct ir *ir, enum enum_kind kind, const char *name)
{
    for (uint32_t i = 0; i < ENUM_BUILTIN_ROWS; i++)
        if (rows[i].kind == kind && !strcmp(rows[i].name, name))
            return &ir->enums->builtin[i];
    for (uint32_t i = 0; i < ir->enums->others[kind].count; i++) {
        const struct enum_value *v = ir->enums->others[kind].items[i];
        if (!v->attributes && !strcmp(v->name, name))
            return v;
    }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (synonyms[i].kind == kind && !strcmp(synonyms[i].name, name))
            return &ir->enums->builtin[synonyms[i].row];
    return NULL;
}

const struct enum_value *enum_by_name(struct ir *ir, enum enum_kind kind, const char *name)
{
    const char *dot = strrchr(name, '.'); /* "ScheduleType.Default", "Language.Python" */
    const struct enum_value *v = find(ir, kind, name);
    if (!v && dot)
        v = find(ir, kind, dot + 1);
    return v ? v : add(ir, kind, fallback[kind], name);
}

void enums_extend(struct ir *ir, const enum_members *members)
{
    ir->enums->members = members;
    for (uint32_t i = 0; members && i < members->count; i++)
        if (members->items[i].plugin) /* the library's are there */
            add(ir, members->items[i].kind, ENUM_BUILTIN_ROWS + i, members->items[i].name);
}

const struct enum_member *enum_member_of(const struct ir *ir, const struct enum_value *value)
{
    return value && value->row >= ENUM_BUILTIN_ROWS ? &ir->enums->members->items[value->row - ENUM_BUILTIN_ROWS] : NULL;
}

bool enum_is_builtin(enum enum_kind kind, const char *name)
{
    for (uint32_t i = 0; i < ENUM_BUILTIN_ROWS; i++)
        if (rows[i].kind == kind && !strcmp(rows[i].name, name))
            return true;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (synonyms[i].kind == kind && !strcmp(synonyms[i].name, name))
            return true;
    return false;
}

const struct enum_value *enum_from_json(struct ir *ir, enum enum_kind kind, const struct json *value)
{
    if (json_is(value, JSON_STRING))
        return enum_by_name(ir, kind, value->text);
    const char *name = json_string(json_get(value, "type"));
    if (!name)
        return NULL;
    const char *dot = strrchr(name, '.');
    const struct enum_value *base = enum_by_name(ir, kind, dot ? dot + 1 : name);
    if (value->count == 1)
        return base;
    for (uint32_t i = 0; i < ir->enums->others[kind].count; i++) {
        const struct enum_value *v = ir->enums->others[kind].items[i];
        if (v->template == base && json_equal(v->attributes, value))
            return v;
    }
    struct enum_value *v = add(ir, kind, base->row, base->name);
    v->template = base;
    v->attributes = value;
    return v;
}

/* ---- attributes of instances ---- */

const struct json *enum_attribute(const struct enum_value *value, const char *name)
{
    return value->attributes && strcmp(name, "type") != 0 ? json_get(value->attributes, name) : NULL;
}

static const char *const field_texts[] = {
    [ENUM_FIELD_INTEGER] = "an integer",
    [ENUM_FIELD_REAL] = "a number",
    [ENUM_FIELD_BOOL] = "a boolean",
    [ENUM_FIELD_TEXT] = "text",
    [ENUM_FIELD_INTEGERS] = "a list of integers",
};

static bool has_type(const struct json *v, enum enum_field_type type)
{
    int64_t integer;
    switch (type) {
    case ENUM_FIELD_INTEGER:
        return v->kind == JSON_INT && json_int(v, &integer);
    case ENUM_FIELD_REAL:
        return v->kind == JSON_INT || v->kind == JSON_REAL;
    case ENUM_FIELD_BOOL:
        return v->kind == JSON_TRUE || v->kind == JSON_FALSE;
    case ENUM_FIELD_TEXT:
        return v->kind == JSON_STRING;
    case ENUM_FIELD_INTEGERS:
        if (v->kind != JSON_ARRAY)
            return false;
        for (const struct json *item = v->first; item; item = item->next)
            if (!has_type(item, ENUM_FIELD_INTEGER))
                return false;
        return true;
    }
    return false;
}

static bool has_field(const struct enum_member *m, const char *name)
{
    for (uint32_t i = 0; i < m->num_fields; i++)
        if (!strcmp(m->fields[i].name, name))
            return true;
    return false;
}

const char *enum_attributes_wrong(const struct ir *ir, const struct enum_value *value)
{
    const struct enum_member *m = enum_member_of(ir, value);
    if (!m || !value->attributes)
        return NULL;
    for (const struct json *v = value->attributes->first; v; v = v->next)
        if (strcmp(v->key, "type") != 0 && !has_field(m, v->key))
            return arena_printf(ir->arena, "has no attribute '%s'", v->key);
    for (uint32_t i = 0; i < m->num_fields; i++) {
        const struct json *v = enum_attribute(value, m->fields[i].name);
        if (!v)
            return arena_printf(ir->arena, "lacks the attribute '%s'", m->fields[i].name);
        if (!has_type(v, m->fields[i].type))
            return arena_printf(ir->arena, "has an attribute '%s' that is not %s", m->fields[i].name,
                                field_texts[m->fields[i].type]);
    }
    return NULL;
}

bool enum_matches(const struct enum_value *pattern, const struct enum_value *value)
{
    return pattern == value || (value && value->template == pattern);
}
