#include "ir/python/lex.h"
#include "ir/python/unicode.h"

#include <string.h>

static bool closes(const struct py_parser *p, size_t at, char quote, bool triple)
{
    return p->text[at] == quote &&
           (!triple || (p->length - at >= 3 && p->text[at + 1] == quote && p->text[at + 2] == quote));
}

static bool has_prefix(const struct py_parser *p, size_t begin, size_t quote, char letter)
{
    for (size_t i = begin; i < quote; i++)
        if ((p->text[i] | 0x20) == letter)
            return true;
    return false;
}

static uint32_t line_of(const struct py_parser *p, size_t at)
{
    uint32_t line = 1;
    for (size_t i = 0; i < at && i < p->length; i++)
        line += p->text[i] == '\n' || (p->text[i] == '\r' && p->text[i + 1] != '\n');
    return line;
}

static bool unterminated(struct py_lexer *l, size_t begin, size_t at, bool triple, const char *f)
{
    return py_fail(l->p, (uint32_t)begin, "unterminated %s%sstring literal (detected at line %u)",
                   triple ? "triple-quoted " : "", f, line_of(l->p, at)) != NULL;
}

bool py_lex_string(struct py_lexer *l, size_t quote)
{
    struct py_parser *p = l->p;
    size_t begin = l->at;
    char q = p->text[quote];
    bool triple = p->length - quote >= 3 && p->text[quote + 1] == q && p->text[quote + 2] == q;
    size_t at = quote + (triple ? 3 : 1);
    if (has_prefix(p, begin, quote, 'f')) {
        struct py_format f = { .begin = (uint32_t)begin,
                               .quote = (uint32_t)quote,
                               .triple = triple,
                               .raw = has_prefix(p, begin, quote, 'r'),
                               .brackets = l->brackets.count };
        vec_push(p->arena, &l->formats, f);
        if (l->formats.count > PY_MAX_FORMATS)
            return py_fail(p, (uint32_t)begin, "too many nested f-strings") != NULL;
        l->at = at;
        py_push(l, PY_TOKEN_F_START, begin, at);
        return true;
    }
    for (; at < p->length; at++) {
        char c = p->text[at];
        if (closes(p, at, q, triple)) {
            l->at = at + (triple ? 3 : 1);
            py_push(l, PY_TOKEN_STRING, begin, l->at);
            return true;
        }
        if (!triple && (c == '\n' || c == '\r'))
            break;
        if (c == '\\' && at + 1 < p->length) {
            at++;
            if (p->text[at] == '\r' && at + 1 < p->length && p->text[at + 1] == '\n')
                at++;
        }
    }
    return unterminated(l, begin, at, triple, "");
}

/* In a literal part "{{" and "}}" are characters; in a format they are not. */
bool py_lex_format_text(struct py_lexer *l)
{
    struct py_parser *p = l->p;
    struct py_format *f = &vec_last(&l->formats);
    size_t begin = l->at, at = begin;
    char q = p->text[f->quote];
    bool spec = f->fields > 0;
    if (f->fields > 2)
        return py_fail(p, (uint32_t)at - 1, "f-string: expressions nested too deeply") != NULL;
    for (; at < p->length; at++) {
        char c = p->text[at];
        if (closes(p, at, q, f->triple)) {
            if (spec)
                return py_fail(p, (uint32_t)at, "f-string: expecting '}'") != NULL;
            if (at > begin)
                py_push(l, PY_TOKEN_F_MIDDLE, begin, at);
            l->at = at + (f->triple ? 3 : 1);
            py_push(l, PY_TOKEN_F_END, at, l->at);
            l->formats.count--;
            return true;
        }
        if (!f->triple && (c == '\n' || c == '\r') && spec && at > begin) { /* ends the format; a '}' must follow */
            py_push(l, PY_TOKEN_F_MIDDLE, begin, at);
            f->in_field = true;
            l->at = at;
            return true;
        }
        if (!f->triple && (c == '\n' || c == '\r'))
            return unterminated(l, f->begin, at, false, "f-");
        if (c == '{' && !spec && at + 1 < p->length && p->text[at + 1] == '{') {
            at++;
        } else if (c == '{') {
            if (at > begin)
                py_push(l, PY_TOKEN_F_MIDDLE, begin, at);
            py_push(l, PY_TOKEN_OPERATOR, at, at + 1)->word = PY_W_LBRACE;
            vec_push(p->arena, &l->brackets, (uint32_t)at);
            f->fields++;
            f->in_field = true;
            l->at = at + 1;
            return py_check_brackets(l, at);
        } else if (c == '}' && !spec) {
            if (at + 1 >= p->length || p->text[at + 1] != '}')
                return py_fail(p, (uint32_t)at, "f-string: single '}' is not allowed") != NULL;
            at++;
        } else if (c == '}') {
            if (at > begin)
                py_push(l, PY_TOKEN_F_MIDDLE, begin, at);
            py_push(l, PY_TOKEN_OPERATOR, at, at + 1)->word = PY_W_RBRACE;
            l->brackets.count--;
            f->fields--;
            l->at = at + 1;
            return true;
        } else if (c == '\\' && at + 1 < p->length && !f->raw && p->text[at + 1] == 'N' && at + 2 < p->length &&
                   p->text[at + 2] == '{') {
            while (at < p->length && p->text[at] != '}' && p->text[at] != q && p->text[at] != '\n')
                at++;
            at -= at >= p->length || p->text[at] != '}';
        } else if (c == '\\' && at + 1 < p->length && p->text[at + 1] != '{' && p->text[at + 1] != '}') {
            at++;
            if (p->text[at] == '\r' && at + 1 < p->length && p->text[at + 1] == '\n')
                at++;
        }
    }
    return unterminated(l, f->begin, at, f->triple, "f-");
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xhh, \uhhhh, \Uhhhhhhhh: `at` stands behind the letter. */
static bool hex_escape(struct py_parser *p, uint32_t *at, uint32_t end, int count, bool bytes, struct text *value)
{
    uint32_t c = 0, begin = *at - 2;
    for (int i = 0; i < count; i++, ++*at) {
        int d = *at < end ? hex_digit(p->text[*at]) : -1;
        if (d < 0)
            return py_fail(p, begin, "malformed escape sequence") != NULL;
        c = c << 4 | (uint32_t)d;
    }
    if (c > 0x10ffff)
        return py_fail(p, begin, "escape sequence is no character") != NULL;
    if (bytes)
        text_addc(value, (char)c);
    else
        py_add_character(value, c);
    return true;
}

/* `at` stands on the backslash. */
static bool escape(struct py_parser *p, uint32_t *at, uint32_t end, bool bytes, struct text *value)
{
    static const char letters[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
    char c = *at + 1 < end ? p->text[*at + 1] : 0;
    const char *letter = c ? strchr(letters, c) : NULL;
    *at += 2;
    if (letter) {
        text_addc(value, values[letter - letters]);
    } else if (c == '\n') {
        return true;
    } else if (c == '\r') {
        *at += *at < end && p->text[*at] == '\n';
    } else if (c == 'x' || (!bytes && (c == 'u' || c == 'U'))) {
        return hex_escape(p, at, end, c == 'x' ? 2 : c == 'u' ? 4 : 8, bytes, value);
    } else if (c >= '0' && c <= '7') {
        uint32_t code = (uint32_t)(c - '0');
        for (int i = 0; i < 2 && *at < end && p->text[*at] >= '0' && p->text[*at] <= '7'; i++)
            code = code * 8 + (uint32_t)(p->text[(*at)++] - '0');
        if (bytes)
            text_addc(value, (char)code);
        else
            py_add_character(value, code);
    } else if (c == 'N' && !bytes) {
        return py_limit(p, *at - 2, "named character") != NULL;
    } else {
        text_addc(value, '\\');
        --*at;
    }
    return true;
}

bool py_unescape(struct py_parser *p, uint32_t literal, uint32_t begin, uint32_t end, bool bytes, bool raw, bool braces,
                 struct text *value)
{
    for (uint32_t at = begin; at < end;) {
        char c = p->text[at];
        if (bytes && (c & 0x80))
            return py_fail(p, literal, "bytes can only contain ASCII literal characters") != NULL;
        if (c == '\r') { /* CPython reads files with "\n" as the only line end */
            text_addc(value, '\n');
            at += at + 1 < end && p->text[at + 1] == '\n' ? 2 : 1;
        } else if (c == '\\' && !raw) {
            if (!escape(p, &at, end, bytes, value))
                return false;
        } else {
            text_addc(value, c);
            at += braces && (c == '{' || c == '}') && at + 1 < end && p->text[at + 1] == c ? 2 : 1;
        }
    }
    return true;
}

bool py_string_value(struct py_parser *p, const struct py_token *t, struct text *value, bool *bytes, bool *unicode)
{
    uint32_t quote = t->begin;
    bool raw = false;
    *bytes = *unicode = false;
    for (; p->text[quote] != '\'' && p->text[quote] != '"'; quote++) {
        char c = p->text[quote] | 0x20;
        raw |= c == 'r';
        *bytes |= c == 'b';
        *unicode |= p->text[quote] == 'u';
    }
    bool triple = t->end - quote >= 6 && p->text[quote + 1] == p->text[quote] && p->text[quote + 2] == p->text[quote];
    uint32_t n = triple ? 3 : 1;
    return py_unescape(p, t->begin, quote + n, t->end - n, *bytes, raw, false, value);
}
