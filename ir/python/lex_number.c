#include "ir/python/lex.h"

#include "base/number.h"

#include <string.h>

static int digit_of(unsigned char c)
{
    if (py_is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* CPython's column of such an error is that of the last character read. */
static bool malformed(struct py_lexer *l, const char *kind)
{
    return py_fail(l->p, (uint32_t)(l->at ? l->at - 1 : 0), "invalid %s literal", kind) != NULL;
}

static bool bad_digit(struct py_lexer *l, const char *kind)
{
    return py_fail(l->p, (uint32_t)l->at, "invalid digit '%c' in %s literal", py_peek(l, 0), kind) != NULL;
}

/* Digits with single underscores between them. */
static bool digits(struct py_lexer *l, int base, const char *kind)
{
    for (;;) {
        while (digit_of(py_peek(l, 0)) < base)
            l->at++;
        if (py_peek(l, 0) != '_')
            return true;
        l->at++;
        if (digit_of(py_peek(l, 0)) >= base)
            return py_is_digit(py_peek(l, 0)) ? bad_digit(l, kind) : malformed(l, kind);
    }
}

/* A number may end before one of these words ("1if x else y", "0or 1"), not before another name. */
static bool ends_well(struct py_lexer *l, const char *kind)
{
    static const char *const follow[] = { "and", "else", "for", "if", "in", "is", "not", "or" };
    if (!py_is_name(py_peek(l, 0)))
        return true;
    for (size_t i = 0; i < sizeof follow / sizeof *follow; i++) {
        size_t n = strlen(follow[i]);
        if (l->p->length - l->at >= n && memcmp(l->p->text + l->at, follow[i], n) == 0)
            return true;
    }
    return malformed(l, kind);
}

static bool based(struct py_lexer *l, int base, const char *kind)
{
    l->at += 2;
    if (py_peek(l, 0) == '_')
        l->at++;
    if (digit_of(py_peek(l, 0)) >= base) {
        return py_is_digit(py_peek(l, 0)) ? bad_digit(l, kind) : malformed(l, kind);
    }
    if (!digits(l, base, kind))
        return false;
    if (py_is_digit(py_peek(l, 0)))
        return bad_digit(l, kind);
    return ends_well(l, kind);
}

bool py_lex_number(struct py_lexer *l)
{
    size_t begin = l->at;
    unsigned char mark = py_peek(l, 0) == '0' ? py_peek(l, 1) | 0x20 : 0;
    if (mark == 'x' || mark == 'o' || mark == 'b') {
        if (!based(l,
                   mark == 'x'   ? 16
                   : mark == 'o' ? 8
                                 : 2,
                   mark == 'x'   ? "hexadecimal"
                   : mark == 'o' ? "octal"
                                 : "binary"))
            return false;
        py_push(l, PY_TOKEN_NUMBER, begin, l->at);
        return true;
    }
    bool real = false;
    const char *kind = "decimal";
    if (!digits(l, 10, kind))
        return false;
    size_t whole = l->at;
    if (py_peek(l, 0) == '.') {
        real = true;
        l->at++;
        if (py_is_digit(py_peek(l, 0)) && !digits(l, 10, kind))
            return false;
    }
    if ((py_peek(l, 0) | 0x20) == 'e') {
        size_t sign = py_peek(l, 1) == '+' || py_peek(l, 1) == '-';
        if (py_is_digit(py_peek(l, 1 + sign))) {
            real = true;
            l->at += 1 + sign;
            if (!digits(l, 10, kind))
                return false;
        } else if (sign) {
            l->at += 2;
            return malformed(l, kind);
        }
    }
    bool imaginary = (py_peek(l, 0) | 0x20) == 'j';
    l->at += imaginary;
    kind = imaginary ? "imaginary" : kind;
    if (!real && !imaginary && l->p->text[begin] == '0') {
        for (size_t i = begin; i < whole; i++)
            if (l->p->text[i] != '0' && l->p->text[i] != '_')
                return py_fail(l->p, (uint32_t)begin,
                               "leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
                               "octal integers") != NULL;
    }
    if (!ends_well(l, kind))
        return false;
    py_push(l, PY_TOKEN_NUMBER, begin, l->at);
    return true;
}

static bool to_integer(const char *text, unsigned base, uint64_t *value)
{
    *value = 0;
    for (; *text; text++)
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_of((unsigned char)*text), value))
            return false;
    return true;
}

bool py_number_value(struct py_parser *p, const struct py_token *t, struct py_value *value)
{
    struct text plain = text_new(p->arena);
    for (uint32_t i = t->begin; i < t->end; i++)
        if (p->text[i] != '_')
            text_addc(&plain, p->text[i]);
    const char *text = text_get(&plain);
    char mark = text[0] == '0' ? (char)(text[1] | 0x20) : 0;
    unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    bool imaginary = base == 10 && (plain.data[plain.length - 1] | 0x20) == 'j';
    if (imaginary)
        plain.data[--plain.length] = 0;
    if (imaginary || (base == 10 && strpbrk(text, ".eE"))) {
        value->kind = imaginary ? PY_IMAG : PY_FLOAT;
        return number_parse(text, &value->f) || py_fail(p, t->begin, "invalid decimal literal") != NULL;
    }
    value->kind = PY_INT;
    value->big = !to_integer(base == 10 ? text : text + 2, base, &value->u);
    value->text = text;
    value->length = (uint32_t)plain.length;
    return true;
}
