/* Open enumerations: schedule, storage, lifetime, language, instrumentation ... (format.md 4).
 *
 * A member is one interned object; compare pointers, or `row` for built-in members. Members registered at run time have
 * rows behind the built-in ones. A template member carries attributes: instances with equal attributes are one object,
 * and enum_matches(template, instance) holds. An unknown name becomes the enumeration's Undefined member with its own
 * text, so that it is written back as read. */
#ifndef IR_ENUMS_H
#define IR_ENUMS_H

#include "ir/ir.h"

#include <stdbool.h>

struct json;

enum enum_kind {
    ENUM_SCHEDULE,
    ENUM_STORAGE,
    ENUM_LIFETIME,
    ENUM_LANGUAGE,
    ENUM_INSTRUMENT,
    ENUM_DATA_INSTRUMENT,
    ENUM_OMP_SCHEDULE,
    ENUM_KIND_COUNT
};

enum enum_row {
#define ENUM(kind, member, text) kind##_##member,
#include "ir/enums.def"
#undef ENUM
    ENUM_BUILTIN_ROWS
};

struct enum_value {
    enum enum_kind kind;
    uint32_t row;                      /* enum enum_row, or above for registered members */
    const char *name;                  /* as in files; for an unknown member the text that was read */
    const struct enum_value *template; /* the bare template of an instance, else NULL */
    const struct json *attributes;     /* instance: the object as read; else NULL */
};

const struct enum_value *enum_builtin(const struct ir *ir, enum enum_row row);
/* From JSON (string or template object); unknown names give the Undefined row with the text kept. */
const struct enum_value *enum_from_json(struct ir *ir, enum enum_kind kind, const struct json *value);
const struct enum_value *enum_by_name(struct ir *ir, enum enum_kind kind, const char *name);
const struct enum_value *enum_register(struct ir *ir, enum enum_kind kind, const char *name); /* idempotent */
/* As DaCe names them: "ScheduleType". */
const char *enum_kind_name(enum enum_kind kind);
/* The name in files of a built-in member, and its enumeration. */
const char *enum_row_name(enum enum_row row, enum enum_kind *kind);
bool enum_matches(const struct enum_value *pattern, const struct enum_value *value);

#endif
