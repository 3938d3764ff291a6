#include "ir/json/json.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* One character of UTF-8, or the sign for what is none (names and paths of callers may be anything): from then on the
 * text is read from the byte that did not fit. */
static const char *decode(const char *c, uint32_t *out)
{
    enum { NONE = 0xfffd };
    const unsigned char *u = (const unsigned char *)c;
    int more = u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 1 : u[0] < 0xf0 ? 2 : u[0] < 0xf5 ? 3 : 0;
    uint32_t value = u[0] & (0x3fu >> more);
    int i = 1;
    for (; i <= more && (u[i] & 0xc0) == 0x80; i++)
        value = value << 6 | (u[i] & 63u);
    bool good = more && i > more && value < 0x110000 && (value & ~0x7ffu) != 0xd800 &&
                value >= (more == 1   ? 0x80u
                          : more == 2 ? 0x800u
                                      : 0x10000u);
    *out = good ? value : NONE;
    return c + i;
}

static const char *add_escaped(struct text *out, const char *c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *simple = strchr(from, *c);
    if (simple) {
        text_addc(out, '\\');
        text_addc(out, to[simple - from]);
        return c + 1;
    }
    if ((unsigned char)*c < 0x80) {
        text_printf(out, "\\u%04x", (unsigned)*c);
        return c + 1;
    }
    uint32_t u;
    c = decode(c, &u);
    if (u < 0x10000)
        text_printf(out, "\\u%04x", u);
    else
        text_printf(out, "\\u%04x\\u%04x", 0xd800 + ((u - 0x10000) >> 10), 0xdc00 + ((u - 0x10000) & 0x3ff));
    return c;
}

/* Characters that stand for themselves. */
static const bool plain[256] = { [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true };

/* How many of them the text begins with. */
static size_t plain_length(const char *c)
{
    const char *end = c;
    while (plain[(unsigned char)*end])
        end++;
    return (size_t)(end - c);
}

/* Whether eight characters stand for themselves. A byte below the subtrahend leaves its highest bit set unless that was
 * set before. */
static bool all_plain(uint64_t word)
{
    const uint64_t each = 0x0101010101010101u, high = each * 0x80;
    uint64_t quote = word ^ each * '"', backslash = word ^ each * '\\';
    return !(((word - each * ' ') | (quote - each) | (backslash - each) | word | (word + each)) & high);
}

static bool copy_eight(char *to, const char *c)
{
    uint64_t word;
    memcpy(&word, c, sizeof word);
    memcpy(to, &word, sizeof word);
    return all_plain(word);
}

/* Four to seven characters: the last four may overlap the first. */
static bool copy_fours(char *to, const char *c, size_t length)
{
    uint32_t first, last;
    memcpy(&first, c, sizeof first);
    memcpy(&last, c + length - 4, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + length - 4, &last, sizeof last);
    return all_plain((uint64_t)first << 32 | last);
}

/* Copies the characters; whether all stand for themselves. The last eight may overlap those before. */
static bool copy_plain(char *to, const char *c, size_t length)
{
    bool good = true;
    if (length < 4) {
        for (size_t i = 0; i < length; i++) {
            to[i] = c[i];
            good &= plain[(unsigned char)c[i]];
        }
        return good;
    }
    if (length < 8)
        return copy_fours(to, c, length);
    for (size_t i = 0; i + 8 < length; i += 8)
        good &= copy_eight(to + i, c + i);
    return copy_eight(to + length - 8, c + length - 8) && good;
}

/* A string without escapes, between `before` and `after` (0: none). False: it wants some, and nothing was added. */
static bool add_plain(struct text *out, char before, const char *c, char after)
{
    size_t length = strlen(c), start = out->length;
    char *to = text_room(out, length + 2 + (before != 0) + (after != 0));
    if (before)
        *to++ = before;
    *to = to[length + 1] = '"';
    if (after)
        to[length + 2] = after;
    if (copy_plain(to + 1, c, length))
        return true;
    out->length = start;
    return false;
}

static void add_string(struct text *out, const char *c)
{
    if (add_plain(out, 0, c, 0))
        return;
    text_addc(out, '"');
    while (*c) {
        size_t length = plain_length(c);
        text_addn(out, c, length);
        c += length;
        if (*c)
            c = add_escaped(out, c);
    }
    text_addc(out, '"');
}

/* What stands before a value: the comma after the previous one, and the key. */
static void lead(struct json_writer *w, const char *key)
{
    bool comma = w->comma;
    w->comma = true;
    if (key && add_plain(w->out, comma ? ',' : 0, key, ':'))
        return;
    if (comma)
        text_addc(w->out, ',');
    if (key) {
        add_string(w->out, key);
        text_addc(w->out, ':');
    }
}

void json_begin(struct json_writer *w, const char *key, char bracket)
{
    lead(w, key);
    text_addc(w->out, bracket);
    w->comma = false;
}

void json_end(struct json_writer *w, char bracket)
{
    text_addc(w->out, bracket == '{' || bracket == '}' ? '}' : ']');
    w->comma = true;
}

void json_write_string(struct json_writer *w, const char *key, const char *value)
{
    if (!value) {
        json_write_null(w, key);
        return;
    }
    lead(w, key);
    add_string(w->out, value);
}

void json_write_int(struct json_writer *w, const char *key, int64_t value)
{
    lead(w, key);
    text_add_int(w->out, value);
}

void json_write_real(struct json_writer *w, const char *key, double value)
{
    char buffer[NUMBER_TEXT_SIZE];
    lead(w, key);
    if (isnan(value))
        text_add(w->out, "NaN");
    else if (isinf(value))
        text_add(w->out, value < 0 ? "-Infinity" : "Infinity");
    else
        text_add(w->out, number_print(value, buffer));
}

void json_write_bool(struct json_writer *w, const char *key, bool value)
{
    lead(w, key);
    text_add(w->out, value ? "true" : "false");
}

void json_write_null(struct json_writer *w, const char *key)
{
    lead(w, key);
    text_add(w->out, "null");
}

void json_write_value(struct json_writer *w, const char *key, const struct json *v)
{
    switch (v->kind) {
    case JSON_NULL:
        json_write_null(w, key);
        break;
    case JSON_FALSE:
    case JSON_TRUE:
        json_write_bool(w, key, v->kind == JSON_TRUE);
        break;
    case JSON_INT:
    case JSON_REAL:
        lead(w, key);
        text_addn(w->out, v->text, v->length);
        break;
    case JSON_STRING:
        json_write_string(w, key, v->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        json_begin(w, key, v->kind == JSON_OBJECT ? '{' : '[');
        for (const struct json *m = v->first; m; m = m->next)
            json_write_value(w, m->key, m);
        json_end(w, v->kind == JSON_OBJECT ? '}' : ']');
        break;
    }
}

/* ---- indented ---- */

enum { WIDTH = 118 };

static void indent(struct text *out, int depth)
{
    text_addc(out, '\n');
    for (int i = 0; i < depth; i++)
        text_addc(out, ' ');
}

/* `depth` below 0: on one line. */
static void write_indented(struct arena *a, const struct json *v, int depth, struct text *out)
{
    struct json_writer w = { .out = out };
    struct text flat = text_new(a);
    bool array = v->kind == JSON_ARRAY, list = array || v->kind == JSON_OBJECT;
    if (!list) {
        json_write_value(&w, NULL, v);
        return;
    }
    if (depth >= 0) {
        write_indented(a, v, -1, &flat);
        if ((size_t)depth + flat.length < WIDTH) {
            text_add(out, text_get(&flat));
            return;
        }
    }
    text_addc(out, array ? '[' : '{');
    for (const struct json *item = v->first; item; item = item->next) {
        if (depth >= 0)
            indent(out, depth + 1);
        if (item->key)
            text_printf(out, "\"%s\": ", item->key);
        write_indented(a, item, depth < 0 ? -1 : depth + 1, out);
        if (item->next)
            text_add(out, depth < 0 ? ", " : ",");
    }
    if (depth >= 0)
        indent(out, depth);
    text_addc(out, array ? ']' : '}');
}

void json_write_indented(struct arena *a, const struct json *v, struct text *out)
{
    write_indented(a, v, 0, out);
    text_addc(out, '\n');
}
