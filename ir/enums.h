/* Open enumerations: schedule, storage, lifetime, language, instrumentation ... (format.md 4).
 *
 * A member is one interned object; compare pointers, or `row` for built-in members. Members registered at run time have
 * rows behind the built-in ones. A template member carries attributes: instances with equal attributes are one object,
 * and enum_matches(template, instance) holds. An unknown name becomes the enumeration's Undefined member with its own
 * text, so that it is written back as read. */
#ifndef IR_ENUMS_H
#define IR_ENUMS_H

#include "base/vec.h"
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

/* A member that a plug-in registers. Its row is ENUM_BUILTIN_ROWS plus its position in the table. */
enum enum_field_type { ENUM_FIELD_INTEGER, ENUM_FIELD_REAL, ENUM_FIELD_BOOL, ENUM_FIELD_TEXT, ENUM_FIELD_INTEGERS };
struct enum_member {
    enum enum_kind kind;
    const char *name;
    const char *plugin; /* whose it is */
    const struct enum_field {
        const char *name;
        enum enum_field_type type;
    } * fields; /* of a template; every instance has all of them */
    uint32_t num_fields;
    const char *storage_inside, *schedule_inside; /* what Default means in scopes of this schedule, or NULL */
};
typedef VEC(struct enum_member) enum_members;

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
/* The members of a table, which must live as long as `ir` and stay as it is; before anything is read. */
void enums_extend(struct ir *ir, const enum_members *members);
/* What was registered for a value or its template; NULL: a built-in or unknown one. */
const struct enum_member *enum_member_of(const struct ir *ir, const struct enum_value *value);
/* What is wrong with the attributes of an instance, in the arena of `ir`, as the end of a sentence about the value;
 * NULL: nothing, or nobody has registered it. */
const char *enum_attributes_wrong(const struct ir *ir, const struct enum_value *value);
/* An attribute of an instance; NULL: it has none of that name. */
const struct json *enum_attribute(const struct enum_value *value, const char *name);
/* Whether a name is a built-in member or an older name of one. */
bool enum_is_builtin(enum enum_kind kind, const char *name);
/* As DaCe names them: "ScheduleType". */
const char *enum_kind_name(enum enum_kind kind);
/* The name in files of a built-in member, and its enumeration. */
const char *enum_row_name(enum enum_row row, enum enum_kind *kind);
bool enum_matches(const struct enum_value *pattern, const struct enum_value *value);

#endif
