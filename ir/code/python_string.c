#include "ir/code/python.h"

#include <string.h>

static void add_utf8(struct text *t, uint32_t c)
{
    if (c < 0x80) {
        text_addc(t, (char)c);
    } else if (c < 0x800) {
        text_addc(t, (char)(0xc0 | c >> 6));
        text_addc(t, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        text_addc(t, (char)(0xe0 | c >> 12));
        text_addc(t, (char)(0x80 | (c >> 6 & 0x3f)));
        text_addc(t, (char)(0x80 | (c & 0x3f)));
    } else {
        text_addc(t, (char)(0xf0 | c >> 18));
        text_addc(t, (char)(0x80 | (c >> 12 & 0x3f)));
        text_addc(t, (char)(0x80 | (c >> 6 & 0x3f)));
        text_addc(t, (char)(0x80 | (c & 0x3f)));
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xhh, \uhhhh, \Uhhhhhhhh: `at` stands behind the letter. */
static bool hex_escape(struct python *p, size_t *at, int digits, struct text *value)
{
    uint32_t c = 0;
    size_t begin = *at - 2;
    for (int i = 0; i < digits; i++, ++*at) {
        int d = *at < p->length ? hex_digit(p->text[*at]) : -1;
        if (d < 0)
            return python_error(p, begin, "malformed escape sequence");
        c = c << 4 | (uint32_t)d;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return python_error(p, begin, "escape sequence is no character");
    if (!c)
        return python_unsupported(p, begin, "zero byte in a string");
    add_utf8(value, c);
    return true;
}

/* `at` stands on the backslash. */
static bool escape(struct python *p, size_t *at, struct text *value)
{
    static const char letters[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
    char c = p->text[*at + 1];
    *at += 2;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        text_addc(value, values[letter - letters]);
    } else if (c == '\n') {
        return true;
    } else if (c == '\r') {
        *at += *at < p->length && p->text[*at] == '\n';
    } else if (c == 'x' || c == 'u' || c == 'U') {
        return hex_escape(p, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, value);
    } else if (c >= '0' && c <= '7') {
        uint32_t code = (uint32_t)(c - '0');
        for (int i = 0; i < 2 && *at < p->length && p->text[*at] >= '0' && p->text[*at] <= '7'; i++)
            code = code * 8 + (uint32_t)(p->text[(*at)++] - '0');
        if (!code)
            return python_unsupported(p, *at - 2, "zero byte in a string");
        add_utf8(value, code);
    } else if (c == 'N') {
        return python_unsupported(p, *at - 2, "named character");
    } else {
        text_addc(value, '\\');
        text_addc(value, c);
    }
    return true;
}

/* Prefixes: r and u in any case; bytes and formatted strings are refused. */
static bool prefix(struct python *p, size_t begin, size_t quote, bool *raw)
{
    *raw = false;
    for (size_t i = begin; i < quote; i++) {
        char c = p->text[i] | 0x20;
        if (c == 'f' || c == 't')
            return python_unsupported(p, begin, "formatted string");
        if (c == 'b')
            return python_unsupported(p, begin, "byte string");
        if ((c != 'r' && c != 'u') || quote - begin > 1)
            return python_error(p, begin, "unknown string prefix");
        *raw = c == 'r';
    }
    return true;
}

const char *python_lex_string(struct python *p, size_t begin, size_t quote, size_t *end)
{
    bool raw;
    if (!prefix(p, begin, quote, &raw))
        return NULL;
    char q = p->text[quote];
    bool triple = p->length - quote >= 3 && p->text[quote + 1] == q && p->text[quote + 2] == q;
    size_t at = quote + (triple ? 3 : 1);
    struct text value = text_new(p->ir->arena);
    while (at < p->length) {
        char c = p->text[at];
        bool closes = c == q && (!triple || (p->length - at >= 3 && p->text[at + 1] == q && p->text[at + 2] == q));
        if (closes) {
            *end = at + (triple ? 3 : 1);
            return intern_n(p->ir->names, text_get(&value), value.length);
        }
        if (!triple && (c == '\n' || c == '\r'))
            break;
        if (c != '\\' || at + 1 >= p->length) {
            text_addc(&value, c);
            at++;
        } else if (raw) {
            text_addn(&value, p->text + at, 2);
            at += 2;
        } else if (!escape(p, &at, &value)) {
            return NULL;
        }
    }
    python_error(p, begin, "unterminated string");
    return NULL;
}
