#include "ir/code/python.h"

#include "base/number.h"

#include <string.h>

static const char *const keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};

/* Longest first: the first match wins. */
static const char *const operators[] = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=",
    "^=",  "==",  "<=",  ">=",  "<<",  ">>", "**", "//", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "=",
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

struct lexer {
    struct python *p;
    size_t at, line_start;
    uint32_t line;
    bool lines;
    VEC(size_t) brackets;                /* offsets of the open ones */
    VEC(uint32_t) indents, indents_tab1; /* widths with tabs to eight, and with tabs as one column */
};

static unsigned char peek(const struct lexer *l, size_t ahead)
{
    size_t at = l->at + ahead;
    return at < l->p->length ? (unsigned char)l->p->text[at] : 0;
}

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

/* Letters outside ASCII are let through; a name that nothing declares is an error later. */
static bool is_name_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_name(unsigned char c) { return is_name_start(c) || is_digit(c); }

static struct python_token *push(struct lexer *l, enum python_token_kind kind, size_t begin, size_t end)
{
    struct python_token t = {
        .kind = kind,
        .offset = (uint32_t)begin,
        .length = (uint32_t)(end - begin),
        .line = l->line,
        .column = begin >= l->line_start ? (uint32_t)(begin - l->line_start) + 1 : 1,
    };
    vec_push(l->p->ir->arena, &l->p->tokens, t);
    return &vec_last(&l->p->tokens);
}

/* At a line end: over it ("\n", "\r\n" or "\r"). */
static void line_end(struct lexer *l)
{
    l->at += peek(l, 0) == '\r' && peek(l, 1) == '\n' ? 2 : 1;
    l->line++;
    l->line_start = l->at;
}

static int digit_of(unsigned char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Digits with single underscores between them, copied to `digits` without; false where an underscore stands wrong. */
static bool digit_part(struct lexer *l, int base, struct text *digits)
{
    if (digit_of(peek(l, 0)) >= base)
        return false;
    for (;;) {
        while (digit_of(peek(l, 0)) < base)
            text_addc(digits, (char)peek(l, 0)), l->at++;
        if (peek(l, 0) != '_')
            return true;
        l->at++;
        if (digit_of(peek(l, 0)) >= base)
            return false;
    }
}

static bool to_integer(const char *digits, unsigned base, uint64_t *value)
{
    *value = 0;
    for (const char *s = digits; *s; s++)
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_of((unsigned char)*s), value))
            return false;
    return true;
}

static bool lex_integer(struct lexer *l, size_t begin, unsigned base, const char *digits)
{
    uint64_t value;
    if (!to_integer(digits, base, &value))
        return python_unsupported(l->p, begin, "integer of more than 64 bits");
    push(l, PYTHON_INT, begin, l->at)->u = value;
    return true;
}

static bool lex_number(struct lexer *l)
{
    size_t begin = l->at;
    struct text digits = text_new(l->p->ir->arena);
    unsigned char mark = peek(l, 0) == '0' ? peek(l, 1) | 0x20 : 0;
    unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    bool good, real = false;
    if (base != 10) {
        l->at += 2;
        if (peek(l, 0) == '_')
            l->at++;
        good = digit_part(l, (int)base, &digits);
    } else {
        good = peek(l, 0) == '.' || digit_part(l, 10, &digits);
        if (good && peek(l, 0) == '.') {
            real = true;
            l->at++;
            text_addc(&digits, '.');
            if (is_digit(peek(l, 0)))
                good = digit_part(l, 10, &digits);
        }
        if (good && (peek(l, 0) | 0x20) == 'e') {
            size_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
            if (is_digit(peek(l, 1 + sign))) {
                real = true;
                text_addn(&digits, l->p->text + l->at, 1 + sign);
                l->at += 1 + sign;
                good = digit_part(l, 10, &digits);
            }
        }
    }
    bool imaginary = base == 10 && (peek(l, 0) | 0x20) == 'j';
    l->at += imaginary;
    if (!good || is_name(peek(l, 0)))
        return python_error(l->p, begin, "malformed number");
    const char *text = text_get(&digits);
    double value = 0;
    if (real || imaginary) {
        if (!number_parse(text, &value))
            return python_error(l->p, begin, "malformed number");
        push(l, imaginary ? PYTHON_IMAG : PYTHON_FLOAT, begin, l->at)->f = value;
        return true;
    }
    if (base == 10 && text[0] == '0' && strspn(text, "0") != strlen(text))
        return python_error(l->p, begin, "a decimal integer cannot begin with 0");
    return lex_integer(l, begin, base, text);
}

static bool lex_string(struct lexer *l, size_t quote)
{
    size_t begin = l->at, end;
    const char *value = python_lex_string(l->p, begin, quote, &end);
    if (!value)
        return false;
    push(l, PYTHON_STRING, begin, end)->text = value;
    while (l->at < end) {
        if (peek(l, 0) == '\n' || peek(l, 0) == '\r')
            line_end(l);
        else
            l->at++;
    }
    return true;
}

static bool lex_name(struct lexer *l)
{
    size_t begin = l->at, end = begin;
    while (end < l->p->length && is_name((unsigned char)l->p->text[end]))
        end++;
    if (end - begin <= 2 && end < l->p->length && (l->p->text[end] == '\'' || l->p->text[end] == '"'))
        return lex_string(l, end);
    l->at = end;
    for (size_t k = 0; k < COUNT(keywords); k++)
        if (*keywords[k] == l->p->text[begin] && strlen(keywords[k]) == end - begin &&
            memcmp(l->p->text + begin, keywords[k], end - begin) == 0) {
            push(l, PYTHON_KEYWORD, begin, end)->text = keywords[k];
            return true;
        }
    push(l, PYTHON_NAME, begin, end)->text = intern_n(l->p->ir->names, l->p->text + begin, end - begin);
    return true;
}

/* Brackets must match: inside them line ends are blanks. */
static bool track_bracket(struct lexer *l, size_t begin, char c)
{
    if (c == '(' || c == '[' || c == '{') {
        vec_push(l->p->ir->arena, &l->brackets, begin);
        return true;
    }
    if (c != ')' && c != ']' && c != '}')
        return true;
    char open = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (!l->brackets.count)
        return python_error(l->p, begin, "unmatched '%c'", c);
    if (l->p->text[vec_last(&l->brackets)] != open)
        return python_error(l->p, begin, "'%c' does not match '%c'", c, l->p->text[vec_last(&l->brackets)]);
    l->brackets.count--;
    return true;
}

static bool lex_operator(struct lexer *l)
{
    size_t begin = l->at;
    for (size_t k = 0; k < COUNT(operators); k++) {
        if (*operators[k] != l->p->text[begin])
            continue;
        size_t n = strlen(operators[k]);
        if (n <= l->p->length - begin && memcmp(l->p->text + begin, operators[k], n) == 0) {
            l->at += n;
            push(l, PYTHON_OPERATOR, begin, l->at)->text = operators[k];
            return n > 1 || track_bracket(l, begin, *operators[k]);
        }
    }
    unsigned char c = peek(l, 0);
    if (c > ' ' && c < 0x7f)
        return python_error(l->p, begin, "unexpected character '%c'", c);
    return python_error(l->p, begin, "unexpected character 0x%02x", c);
}

/* Blanks, comments and joined lines. */
static bool skip_blanks(struct lexer *l)
{
    for (;;) {
        unsigned char c = peek(l, 0);
        if (c == ' ' || c == '\t' || c == '\f') {
            l->at++;
        } else if (c == '#') {
            while (l->at < l->p->length && peek(l, 0) != '\n' && peek(l, 0) != '\r')
                l->at++;
        } else if (c == '\\') {
            l->at++;
            if (peek(l, 0) != '\n' && peek(l, 0) != '\r')
                return python_error(l->p, l->at - 1, "unexpected character after a line continuation");
            line_end(l);
        } else if ((c == '\n' || c == '\r') && (!l->lines || l->brackets.count)) {
            line_end(l);
        } else {
            return true;
        }
    }
}

/* At the start of a line: INDENT and DEDENT tokens, unless the line is blank. The first line sets the base. */
static bool indentation(struct lexer *l)
{
    uint32_t width = 0, tab1 = 0;
    for (;; l->at++, tab1++) {
        unsigned char c = peek(l, 0);
        if (c == ' ')
            width++;
        else if (c == '\t')
            width = (width / 8 + 1) * 8;
        else if (c == '\f')
            width = 0, tab1 = UINT32_MAX;
        else
            break;
    }
    unsigned char c = peek(l, 0);
    if (l->at >= l->p->length || c == '\n' || c == '\r' || c == '#')
        return true;
    struct arena *a = l->p->ir->arena;
    if (!l->indents.count) {
        vec_push(a, &l->indents, width);
        vec_push(a, &l->indents_tab1, tab1);
        return true;
    }
    if (width > vec_last(&l->indents)) {
        if (tab1 <= vec_last(&l->indents_tab1))
            return python_error(l->p, l->at, "inconsistent use of tabs and spaces");
        vec_push(a, &l->indents, width);
        vec_push(a, &l->indents_tab1, tab1);
        push(l, PYTHON_INDENT, l->at, l->at);
        return true;
    }
    while (l->indents.count > 1 && width < vec_last(&l->indents)) {
        l->indents.count--;
        l->indents_tab1.count--;
        push(l, PYTHON_DEDENT, l->at, l->at);
    }
    if (width != vec_last(&l->indents))
        return python_error(l->p, l->at, "unindent does not match any outer level");
    if (tab1 != vec_last(&l->indents_tab1))
        return python_error(l->p, l->at, "inconsistent use of tabs and spaces");
    return true;
}

static bool lex_token(struct lexer *l)
{
    unsigned char c = peek(l, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(l, 1))))
        return lex_number(l);
    if (c == '\'' || c == '"')
        return lex_string(l, l->at);
    return is_name_start(c) ? lex_name(l) : lex_operator(l);
}

bool python_lex(struct python *p, bool lines)
{
    struct lexer l = { .p = p, .line = 1, .lines = lines };
    if (p->length > UINT32_MAX / 4)
        return python_unsupported(p, 0, "code of more than a gigabyte");
    bool fresh = true; /* at the start of a logical line */
    for (;;) {
        if (lines && fresh && !indentation(&l))
            return false;
        fresh = false;
        if (!skip_blanks(&l))
            return false;
        if (l.at >= p->length)
            break;
        if (peek(&l, 0) == '\n' || peek(&l, 0) == '\r') {
            if (p->tokens.count && vec_last(&p->tokens).kind != PYTHON_NEWLINE &&
                vec_last(&p->tokens).kind != PYTHON_DEDENT)
                push(&l, PYTHON_NEWLINE, l.at, l.at + 1);
            line_end(&l);
            fresh = true;
        } else if (!lex_token(&l)) {
            return false;
        }
    }
    if (l.brackets.count)
        return python_error(p, vec_last(&l.brackets), "'%c' was never closed", p->text[vec_last(&l.brackets)]);
    if (lines) {
        if (p->tokens.count && vec_last(&p->tokens).kind != PYTHON_NEWLINE)
            push(&l, PYTHON_NEWLINE, l.at, l.at);
        for (; l.indents.count > 1; l.indents.count--)
            push(&l, PYTHON_DEDENT, l.at, l.at);
    }
    push(&l, PYTHON_END, l.at, l.at);
    return true;
}
