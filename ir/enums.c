#include "ir/enums.h"

#include "base/vec.h"
#include "ir/internal.h"
#include "ir/json/json.h"

#include <string.h>

struct enums {
    struct enum_value builtin[ENUM_BUILTIN_ROWS];
    VEC(struct enum_value *) others[ENUM_KIND_COUNT]; /* registered, unknown and instances */
    uint32_t next_row;
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
    e->next_row = ENUM_BUILTIN_ROWS;
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

const struct enum_value *enum_register(struct ir *ir, enum enum_kind kind, const char *name)
{
    const struct enum_value *known = find(ir, kind, name);
    if (known && (known->row >= ENUM_BUILTIN_ROWS || known == enum_builtin(ir, (enum enum_row)known->row)))
        return known;
    for (uint32_t i = 0; i < ir->enums->others[kind].count; i++) /* met as an unknown name before */
        if (ir->enums->others[kind].items[i] == known) {
            ir->enums->others[kind].items[i]->row = ir->enums->next_row++;
            return known;
        }
    return add(ir, kind, ir->enums->next_row++, name);
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

bool enum_matches(const struct enum_value *pattern, const struct enum_value *value)
{
    return pattern == value || (value && value->template == pattern);
}
