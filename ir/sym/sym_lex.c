#include "ir/sym/sym_parser.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

const struct sym *sym_parse_fail(struct sym_parser *p, size_t at, const char *what)
{
    if (!p->failed)
        diag_error_in(p->ir->diags, p->place, p->text, p->length, at, DIAG_SYM_SYNTAX, what);
    p->failed = true;
    return NULL;
}

const struct sym *sym_parse_unsupported(struct sym_parser *p, size_t at, const char *what)
{
    if (!p->failed)
        diag_error_in(p->ir->diags, p->place, p->text, p->length, at, DIAG_SYM_UNSUPPORTED, what);
    p->failed = true;
    return NULL;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char peek(const struct sym_parser *p, size_t at) { return at < p->length ? p->text[at] : 0; }

static size_t skip_digits(const struct sym_parser *p, size_t at)
{
    while (is_digit(peek(p, at)) || (peek(p, at) == '_' && is_digit(peek(p, at + 1))))
        at++;
    return at;
}

static size_t skip_name(const struct sym_parser *p, size_t at)
{
    while (is_letter(peek(p, at)) || is_digit(peek(p, at)))
        at++;
    return at;
}

/* ---- numbers ---- */

static const struct {
    const char *suffix;
    enum type_kind kind;
} suffixes[] = {
#define TYPE(kind, name, bytes, ctype, suffix) { suffix, TYPE_##kind },
#include "ir/types.def"
#undef TYPE
};

/* The suffix that fills text[at, end); TYPE_VOID: none at all, TYPE_C128: "j". */
static bool find_suffix(const struct sym_parser *p, size_t at, size_t end, enum type_kind *out)
{
    size_t length = end - at;
    *out = length ? TYPE_C128 : TYPE_VOID;
    if (!length || (length == 1 && p->text[at] == 'j'))
        return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(suffixes[i].suffix) == length && !memcmp(suffixes[i].suffix, p->text + at, length)) {
            *out = suffixes[i].kind;
            return *out != TYPE_C64 && *out != TYPE_C128;
        }
    return false;
}

static bool make_number(struct sym_parser *p, size_t end, bool whole, enum type_kind kind)
{
    struct ir *ir = p->ir;
    char *digits = arena_strndup(ir->arena, p->text + p->token.at, end - p->token.at), *to = digits;
    for (const char *from = digits; *from; from++)
        if (*from != '_')
            *to++ = *from;
    *to = 0;
    const struct type *type = kind == TYPE_VOID || kind == TYPE_C128 ? NULL : type_basic(ir, kind);
    bool hex = digits[0] == '0' && (digits[1] | 0x20) == 'x';
    if (!whole || (type && !type_is_integer(type))) {
        double f = 0;
        if (hex)
            f = (double)strtoull(digits, NULL, 16);
        else
            number_parse(digits, &f);
        if (type && type_is_integer(type))
            return sym_parse_fail(p, p->token.at, "a fraction cannot have an integer type");
        p->token.value = type && f <= 1.7976931348623157e308 ? sym_typed_float(ir, f, type) : sym_float(ir, f);
    } else {
        uint64_t value = 0, base = hex ? 16 : 10;
        for (const char *c = hex ? digits + 2 : digits; *c; c++) {
            uint64_t digit = (uint64_t)(is_digit(*c) ? *c - '0' : (*c | 0x20) - 'a' + 10);
            if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value) ||
                value > (uint64_t)1 << 63) {
                p->failed = true;
                return diag_error_in(ir->diags, p->place, p->text, p->length, p->token.at, DIAG_SYM_RANGE);
            }
        }
        if (value > INT64_MAX)
            p->token.value = NULL;
        else if (type && !sym_fits((int64_t)value, type))
            return sym_parse_fail(p, p->token.at, "the number does not fit its type");
        else
            p->token.value = sym_typed_int(ir, (int64_t)value, type);
    }
    if (kind == TYPE_C128 && p->token.value)
        p->token.value = sym_mul(ir, p->token.value, sym_leaf(ir, SYM_I));
    return true;
}

/* The longest exponent first; where no suffix follows it, the 'e' may be that of "e4m3fn". */
static bool lex_number(struct sym_parser *p, size_t at)
{
    enum type_kind kind;
    size_t end;
    p->token.kind = SYM_TOKEN_NUMBER;
    if (peek(p, at) == '0' && (peek(p, at + 1) | 0x20) == 'x') {
        size_t digits = at + 2;
        while (is_digit(peek(p, digits)) || ((peek(p, digits) | 0x20) >= 'a' && (peek(p, digits) | 0x20) <= 'f'))
            digits++;
        end = skip_name(p, digits);
        p->token.end = end;
        if (digits == at + 2 || !find_suffix(p, digits, end, &kind))
            return sym_parse_fail(p, at, "malformed number");
        return make_number(p, digits, true, kind);
    }
    size_t mantissa = skip_digits(p, at);
    bool whole = true;
    if (peek(p, mantissa) == '.') {
        whole = false;
        mantissa = skip_digits(p, mantissa + 1);
    }
    if ((peek(p, mantissa) | 0x20) == 'e') {
        size_t digits = mantissa + 1 + (peek(p, mantissa + 1) == '+' || peek(p, mantissa + 1) == '-');
        size_t exponent = skip_digits(p, digits);
        end = skip_name(p, exponent);
        p->token.end = end;
        if (exponent > digits && find_suffix(p, exponent, end, &kind))
            return make_number(p, exponent, false, kind);
    }
    end = skip_name(p, mantissa);
    p->token.end = end;
    if (!find_suffix(p, mantissa, end, &kind))
        return sym_parse_fail(p, at, "malformed number");
    return make_number(p, mantissa, whole, kind);
}

/* ---- everything else ---- */

static bool lex_string(struct sym_parser *p, size_t at)
{
    struct text out = text_new(p->ir->arena);
    char quote = p->text[at];
    size_t i = at + 1;
    for (; i < p->length && p->text[i] != quote; i++) {
        if (p->text[i] == '\\' && (i + 1 == p->length || !strchr("\\'\"", p->text[++i])))
            return sym_parse_fail(p, i, "an escape other than \\\\, \\' and \\\" in a string");
        text_addc(&out, p->text[i]);
    }
    if (i >= p->length)
        return sym_parse_fail(p, at, "the string does not end");
    p->token.kind = SYM_TOKEN_STRING;
    p->token.text = text_get(&out);
    p->token.end = i + 1;
    return true;
}

static bool lex_symbol(struct sym_parser *p, size_t at)
{
    if (p->syntax != SYM_SYNTAX_NEW)
        return sym_parse_fail(p, at, "'$' in an expression of the old syntax");
    if (peek(p, at + 1) == '?') {
        p->token.kind = SYM_TOKEN_UNDEFINED;
        p->token.end = at + 2;
        return true;
    }
    if (!is_letter(peek(p, at + 1)))
        return sym_parse_fail(p, at, "no name behind '$'");
    p->token.kind = SYM_TOKEN_SYMBOL;
    p->token.end = skip_name(p, at + 1);
    p->token.text = intern_n(p->ir->names, p->text + at + 1, p->token.end - at - 1);
    return true;
}

static bool lex_operator(struct sym_parser *p, size_t at)
{
    static const char *const operators[] = { "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+",
                                             "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "<",
                                             ">",  "(",  ")",  "[",  "]",  ",",  ".",  "=",  ":" };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (length <= p->length - at && !memcmp(operators[i], p->text + at, length)) {
            p->token.kind = SYM_TOKEN_OPERATOR;
            p->token.text = operators[i];
            p->token.end = at + length;
            return true;
        }
    }
    return sym_parse_fail(p, at, "unexpected character");
}

bool sym_next(struct sym_parser *p)
{
    size_t at = p->token.end;
    while (at < p->length && strchr(" \t\r\n", p->text[at]) && p->text[at])
        at++;
    p->token = (struct sym_token){ .at = at, .end = at };
    char c = peek(p, at);
    if (at == p->length)
        return true;
    if (is_digit(c) || (c == '.' && is_digit(peek(p, at + 1))))
        return lex_number(p, at);
    if (is_letter(c)) {
        p->token.kind = SYM_TOKEN_NAME;
        p->token.end = skip_name(p, at);
        p->token.text = intern_n(p->ir->names, p->text + at, p->token.end - at);
        return true;
    }
    if (c == '$')
        return lex_symbol(p, at);
    if (c == '\'' || c == '"')
        return lex_string(p, at);
    if (c == '?') {
        p->token.kind = SYM_TOKEN_UNDEFINED;
        p->token.end = at + 1;
        return true;
    }
    return lex_operator(p, at);
}

bool sym_at(const struct sym_parser *p, const char *what)
{
    return (p->token.kind == SYM_TOKEN_OPERATOR || p->token.kind == SYM_TOKEN_NAME) && !strcmp(p->token.text, what);
}

bool sym_expect(struct sym_parser *p, const char *what)
{
    if (p->failed)
        return false;
    if (sym_at(p, what))
        return sym_next(p);
    return sym_parse_fail(p, p->token.at, arena_printf(p->ir->arena, "'%s' expected", what));
}

/* ---- guessing the syntax of a file ---- */

bool sym_text_is_new(const char *text) { return strchr(text, '$') != NULL; }

static bool is_reserved(const char *name, size_t length)
{
    static const char *const words[] = { "True", "False", "None", "NoneSymbol", "pi",     "E",
                                         "I",    "oo",    "nan",  "and",        "or",     "not",
                                         "if",   "else",  "is",   "dace",       "symbol", "SymExpr" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], name, length))
            return true;
    return false;
}

bool sym_text_is_old(const char *text)
{
    struct sym_parser p = { .text = text, .length = strlen(text) };
    for (size_t at = 0; at < p.length;) {
        size_t end = skip_name(&p, at);
        if (end == at) {
            at++;
            continue;
        }
        size_t next = end;
        while (text[next] == ' ')
            next++;
        bool function = text[next] == '(' && sym_is_function(text + at, end - at);
        bool bare = !is_digit(text[at]) && (at == 0 || !strchr("$.", text[at - 1]));
        if (bare && !function && !is_reserved(text + at, end - at))
            return true;
        at = end;
    }
    return false;
}
