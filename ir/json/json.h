/* JSON as Python writes it: key order kept, NaN and Infinity, integers of any size, positions, depth up to 4,000.
 *
 * A value is a node in the arena; children of arrays and objects form a linked list in file order. Strings are
 * unescaped UTF-8, zero-terminated (NUL inside a string is an error, and so are equal keys in one object). Numbers keep
 * their text. */
#ifndef IR_JSON_H
#define IR_JSON_H

#include "base/diag.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind : 8;
    uint32_t mark : 24;      /* of the key */
    uint32_t offset;         /* byte in the text */
    uint32_t length;         /* of a string or number text */
    uint32_t count;          /* children */
    const char *key;         /* of this member of an object, else NULL */
    const struct json *next; /* sibling */
    union {
        const char *text; /* string; number as written (JSON_INT may exceed 64 bits; JSON_REAL also NaN, [-]Infinity) */
        const struct json *first;
    };
};

/* NULL on failure, reported with line, column and a caret. */
const struct json *json_parse(struct arena *a, struct diags *d, const char *text, size_t size);
/* The same without a copy of the text: strings of the tree lie in it, with zeros in place of their closing quotes.
 * After a failure it is what it was. */
const struct json *json_parse_in_place(struct arena *a, struct diags *d, char *text, size_t size);

/* What different keys mostly differ in: the first byte, the last one and the length. */
static inline uint32_t json_mark(const char *key, size_t length)
{
    return (unsigned char)key[0] | (length ? (unsigned char)key[length - 1] : 0u) << 8 |
           ((uint32_t)length & 0xff) << 16;
}
const struct json *json_find(const struct json *object, const char *key, uint32_t mark);
/* NULL if absent or not an object. Inline, as the mark of a constant is one. */
static inline const struct json *json_get(const struct json *object, const char *key)
{
    return json_find(object, key, json_mark(key, strlen(key)));
}
const struct json *json_at(const struct json *array, uint32_t i);
const char *json_string(const struct json *v);     /* NULL if not a string */
bool json_int(const struct json *v, int64_t *out); /* integer or integer text that fits */
bool json_real(const struct json *v, double *out);
bool json_bool(const struct json *v, bool otherwise);
bool json_equal(const struct json *a, const struct json *b); /* same content; the order of keys does not matter */

static inline bool json_is(const struct json *v, enum json_kind k) { return v && v->kind == k; }

/* Writing: compact, ASCII with \uXXXX, like json.dumps(separators=(",", ":")). */
struct json_writer {
    struct text *out;
    bool comma;
};
void json_begin(struct json_writer *w, const char *key, char bracket); /* '{' or '['; key NULL inside arrays */
void json_end(struct json_writer *w, char bracket);
void json_write_string(struct json_writer *w, const char *key, const char *value); /* NULL writes null */
void json_write_int(struct json_writer *w, const char *key, int64_t value);
void json_write_real(struct json_writer *w, const char *key, double value); /* shortest text that reads back equal */
void json_write_bool(struct json_writer *w, const char *key, bool value);
void json_write_null(struct json_writer *w, const char *key);
void json_write_value(struct json_writer *w, const char *key, const struct json *v); /* a value as it was read */
/* Members, or the beginning of some, as they shall stand: text that ends behind a value, an opening bracket or a key,
 * whose value is written without one. */
static inline void json_write_text(struct json_writer *w, const char *text, size_t length)
{
    char *to = text_room(w->out, length + w->comma), last = text[length - 1];
    if (w->comma)
        *to++ = ',';
    memcpy(to, text, length);
    w->comma = last != '{' && last != '[' && last != ':';
}
#define json_write_literal(w, text) json_write_text(w, "" text, sizeof text - 1)
#define json_write_key(w, key)      json_write_literal(w, "\"" key "\":")
/* For people: indented, with a line break at the end; what fits on a line stays on it. */
void json_write_indented(struct arena *a, const struct json *v, struct text *out);

#endif
