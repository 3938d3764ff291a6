#include "ir/python/lex.h"
#include "ir/python/unicode.h"

#include <string.h>

/* The row of a word is its number less 1. */
static const struct {
    char text[9];
    uint8_t word, length;
} words[] = {
#define W(NAME, text) { text, PY_W_##NAME, sizeof text - 1 },
#include "ir/python/words.def"
#undef W
};
enum { NUM_WORDS = sizeof words / sizeof *words };

struct py_token *py_push(struct py_lexer *l, enum py_token_kind kind, size_t begin, size_t end)
{
    struct py_token t = {
        .kind = (uint8_t)kind,
        .level = (uint16_t)l->brackets.count,
        .begin = (uint32_t)begin,
        .end = (uint32_t)end,
    };
    vec_push(l->p->arena, &l->p->tokens, t);
    return &vec_last(&l->p->tokens);
}

/* At a line end: over it ("\n", "\r\n" or "\r"). */
static void line_end(struct py_lexer *l) { l->at += py_peek(l, 0) == '\r' && py_peek(l, 1) == '\n' ? 2 : 1; }

static bool check_name(struct py_lexer *l, size_t begin, size_t end)
{
    for (size_t at = begin; at < end;) {
        uint32_t length, c = py_character(l->p->text + at, end - at, &length);
        if (c >= 0x80 && !(at == begin ? py_starts_name(c) : py_in_name(c))) {
            bool printable = c >= 0xa1 && c != 0xad && !(c >= 0x2000 && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202f) &&
                             c != 0x3000 && c != 0xfeff;
            return py_fail(l->p, (uint32_t)at, "invalid %scharacter U+%04X", printable ? "" : "non-printable ", c) !=
                   NULL;
        }
        at += length;
    }
    return true;
}

/* In files as many as CPython reads; tasklets are also written by programs, with brackets around everything. */
bool py_check_brackets(struct py_lexer *l, size_t begin)
{
    bool file = l->p->mode == PY_MODE_MODULE;
    return l->brackets.count < (file ? PY_MAX_BRACKETS : 5 * PY_MAX_DEPTH) ||
           py_limit(l->p, (uint32_t)begin, file ? "nesting of 200 brackets" : "nesting of more than 1000 levels") !=
               NULL;
}

/* Brackets must match: inside them line ends are blanks. */
static bool track_bracket(struct py_lexer *l, size_t begin, char c)
{
    if (c == '(' || c == '[' || c == '{') {
        vec_push(l->p->arena, &l->brackets, (uint32_t)begin);
        return py_check_brackets(l, begin);
    }
    if (c != ')' && c != ']' && c != '}')
        return true;
    char open = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (!l->brackets.count)
        return py_fail(l->p, (uint32_t)begin, "unmatched '%c'", c) != NULL;
    char found = l->p->text[vec_last(&l->brackets)];
    if (found != open)
        return py_fail(l->p, (uint32_t)begin, "closing parenthesis '%c' does not match opening parenthesis '%c'", c,
                       found) != NULL;
    l->brackets.count--;
    vec_last(&l->p->tokens).level--;
    return true;
}

/* Within a field of a formatted string, outside of brackets of its own: the characters that end the expression. True if
 * the operator was one. */
static bool field_operator(struct py_lexer *l, char c)
{
    struct py_format *f = l->formats.count ? &vec_last(&l->formats) : NULL;
    if (!f || !f->in_field || l->brackets.count != f->brackets + f->fields)
        return false;
    if (c == '}') {
        py_push(l, PY_TOKEN_OPERATOR, l->at, l->at + 1)->word = PY_W_RBRACE;
        l->at++;
        l->brackets.count--;
        f->fields--;
        f->in_field = false;
        return true;
    }
    if (c == ':') {
        py_push(l, PY_TOKEN_OPERATOR, l->at, l->at + 1)->word = PY_W_COLON;
        l->at++;
        f->in_field = false;
        return true;
    }
    if (c == '!' && py_peek(l, 1) != '=') {
        py_push(l, PY_TOKEN_OPERATOR, l->at, l->at + 1)->word = PY_W_BANG;
        l->at++;
        return true;
    }
    return false;
}

static bool lex_operator(struct py_lexer *l)
{
    size_t begin = l->at, left = l->p->length - begin;
    const char *text = l->p->text + begin;
    if (field_operator(l, *text))
        return true;
    bool goes_on = left > 1 && text[1] && strchr("=*/<>.", text[1]); /* as all longer operators do */
    for (size_t k = goes_on ? 0 : PY_W_PLUS - 1; k < NUM_WORDS && words[k].word < PY_W_BANG; k++) {
        if (*words[k].text != *text || words[k].length > left || memcmp(text, words[k].text, words[k].length) != 0)
            continue;
        l->at += words[k].length;
        py_push(l, PY_TOKEN_OPERATOR, begin, l->at)->word = words[k].word;
        return words[k].length > 1 || track_bracket(l, begin, *text);
    }
    unsigned char c = py_peek(l, 0);
    if (c > ' ' && c < 0x7f) {
        /* A generic error of the grammar in CPython, but nothing of the grammar begins so. */
        py_push(l, PY_TOKEN_OPERATOR, begin, begin + 1)->word = PY_W_BANG;
        l->at++;
        return true;
    }
    return py_fail(l->p, (uint32_t)begin, "invalid non-printable character U+%04X", c) != NULL;
}

static bool lex_name(struct py_lexer *l)
{
    size_t begin = l->at, end = begin;
    bool ascii = true, letters = true;
    for (; end < l->p->length && py_is_name((unsigned char)l->p->text[end]); end++) {
        unsigned char c = (unsigned char)l->p->text[end];
        ascii &= c < 0x80;
        letters &= c >= 'A' && c != '_';
    }
    if (end - begin <= 2 && end < l->p->length && (l->p->text[end] == '\'' || l->p->text[end] == '"')) {
        static const char *const prefixes[] = { "b", "r", "u", "f", "br", "rb", "fr", "rf" };
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strlen(prefixes[i]) == end - begin && strncasecmp(prefixes[i], l->p->text + begin, end - begin) == 0)
                return py_lex_string(l, end);
    }
    l->at = end;
    const char *text = l->p->text + begin;
    bool may_be_word = letters && end - begin > 1 && end - begin < sizeof words->text;
    for (size_t k = PY_W_BANG; may_be_word && k < NUM_WORDS; k++)
        if (*words[k].text == *text && words[k].length == end - begin &&
            memcmp(text, words[k].text, end - begin) == 0) {
            py_push(l, PY_TOKEN_OPERATOR, begin, end)->word = words[k].word;
            return true;
        }
    size_t length = end - begin;
    if (!ascii && !check_name(l, begin, end))
        return false;
    if (!ascii)
        text = py_normal_name(l->p->arena, text, length, &length);
    py_push(l, PY_TOKEN_NAME, begin, end)->name = intern_n(l->p->names, text, length);
    return true;
}

/* An error that CPython's lexer meets only where the parser asks for the token. */
static bool soft(struct py_lexer *l, uint32_t offset, const char *message)
{
    l->p->soft_error = true;
    return py_fail(l->p, offset, "%s", message) != NULL;
}

/* The last byte of this line. */
static uint32_t line_stop(const struct py_lexer *l)
{
    const char *end = memchr(l->p->text + l->at, '\n', l->p->length - l->at);
    return (uint32_t)(end ? end - l->p->text : (ptrdiff_t)l->p->length);
}

/* Blanks, comments and joined lines. */
static bool skip_blanks(struct py_lexer *l)
{
    bool lines = l->p->mode != PY_MODE_EXPRESSION;
    for (;;) {
        unsigned char c = py_peek(l, 0);
        if (c == ' ' || c == '\t' || c == '\f') {
            l->at++;
        } else if (c == '#') {
            while (l->at < l->p->length && py_peek(l, 0) != '\n' && py_peek(l, 0) != '\r')
                l->at++;
        } else if (c == '\\') {
            uint32_t after = (uint32_t)++l->at;
            if (py_peek(l, 0) != '\n' && py_peek(l, 0) != '\r')
                return py_fail(l->p, after, "unexpected character after line continuation character") != NULL;
            line_end(l);
            if (l->at >= l->p->length)
                return py_fail(l->p, after, "unexpected end of the code after a line continuation") != NULL;
        } else if ((c == '\n' || c == '\r') && (!lines || l->brackets.count)) {
            line_end(l);
        } else {
            return true;
        }
    }
}

/* The width of the blanks at the start of a line; a continued blank line goes on with the next. */
static void measure(struct py_lexer *l, uint32_t *width, uint32_t *tab1)
{
    uint32_t continued = 0;
    *width = *tab1 = 0;
    for (;; l->at++, ++*tab1) {
        unsigned char c = py_peek(l, 0);
        if (c == ' ') {
            ++*width;
        } else if (c == '\t') {
            *width = (*width / 8 + 1) * 8;
        } else if (c == '\f') {
            *width = 0;
            *tab1 = UINT32_MAX;
        } else if (c == '\\' && (py_peek(l, 1) == '\n' || py_peek(l, 1) == '\r')) {
            continued = continued ? continued : *width; /* the blanks before the first backslash count */
            l->at++;
            line_end(l);
            l->at--;
            --*tab1;
        } else {
            break;
        }
    }
    if (continued)
        *width = *tab1 = continued;
}

/* At the start of a line: INDENT and DEDENT tokens, unless the line is blank. In a snippet the first line sets the
 * base. */
static bool indentation(struct py_lexer *l)
{
    struct arena *a = l->p->arena;
    uint32_t width, tab1;
    measure(l, &width, &tab1);
    unsigned char c = py_peek(l, 0);
    if (l->at >= l->p->length || c == '\n' || c == '\r' || c == '#')
        return true;
    if (!l->indents.count) {
        bool snippet = l->p->mode == PY_MODE_SNIPPET;
        vec_push(a, &l->indents, snippet ? width : 0);
        vec_push(a, &l->indents_tab1, snippet ? tab1 : 0);
    }
    if (width > vec_last(&l->indents)) {
        if (tab1 <= vec_last(&l->indents_tab1))
            return soft(l, line_stop(l), "inconsistent use of tabs and spaces in indentation");
        if (l->indents.count >= PY_MAX_INDENTS)
            return py_limit(l->p, (uint32_t)l->at, "more than 100 levels of indentation") != NULL;
        vec_push(a, &l->indents, width);
        vec_push(a, &l->indents_tab1, tab1);
        py_push(l, PY_TOKEN_INDENT, l->at, l->at);
        return true;
    }
    while (l->indents.count > 1 && width < vec_last(&l->indents)) {
        l->indents.count--;
        l->indents_tab1.count--;
        py_push(l, PY_TOKEN_DEDENT, l->at, l->at);
    }
    if (width != vec_last(&l->indents))
        return soft(l, line_stop(l), "unindent does not match any outer indentation level");
    if (tab1 != vec_last(&l->indents_tab1))
        return soft(l, line_stop(l), "inconsistent use of tabs and spaces in indentation");
    return true;
}

static bool lex_token(struct py_lexer *l)
{
    unsigned char c = py_peek(l, 0);
    if (py_is_digit(c) || (c == '.' && py_is_digit(py_peek(l, 1))))
        return py_lex_number(l);
    if (c == '\'' || c == '"')
        return py_lex_string(l, l->at);
    return py_is_name_start(c) ? lex_name(l) : lex_operator(l);
}

static bool ends_statement(const struct py_parser *p)
{
    if (!p->tokens.count)
        return false;
    uint8_t last = vec_last(&p->tokens).kind;
    return last != PY_TOKEN_NEWLINE && last != PY_TOKEN_DEDENT && last != PY_TOKEN_INDENT;
}

/* The next token, a line end, or the end of the text (*done). */
static bool step(struct py_lexer *l, bool *fresh, bool *done)
{
    bool lines = l->p->mode != PY_MODE_EXPRESSION;
    if (l->formats.count && !vec_last(&l->formats).in_field)
        return py_lex_format_text(l);
    if (lines && *fresh && !indentation(l))
        return false;
    *fresh = false;
    if (!skip_blanks(l))
        return false;
    *done = l->at >= l->p->length;
    if (*done)
        return true;
    if (py_peek(l, 0) != '\n' && py_peek(l, 0) != '\r')
        return lex_token(l);
    if (ends_statement(l->p))
        py_push(l, PY_TOKEN_NEWLINE, l->at, l->at + 1);
    line_end(l);
    *fresh = true;
    return true;
}

bool py_lex(struct py_parser *p)
{
    struct py_lexer l = { .p = p };
    if (p->length > UINT32_MAX / 4)
        return py_limit(p, 0, "code of more than a gigabyte") != NULL;
    const char *zero = memchr(p->text, 0, p->length);
    if (zero)
        return py_fail(p, (uint32_t)(zero - p->text), "source code cannot contain null bytes") != NULL;
    bool fresh = true, done = false; /* fresh: at the start of a logical line */
    while (!done)
        if (!step(&l, &fresh, &done))
            return false;
    if (l.formats.count)
        return py_fail(p, vec_last(&l.formats).begin, "f-string: expecting '}'") != NULL;
    if (l.brackets.count)
        p->unclosed = vec_last(&l.brackets);
    else if (p->mode != PY_MODE_EXPRESSION && ends_statement(p))
        py_push(&l, PY_TOKEN_NEWLINE, l.at, l.at);
    for (; !l.brackets.count && l.indents.count > 1; l.indents.count--)
        py_push(&l, PY_TOKEN_DEDENT, l.at, l.at);
    py_push(&l, PY_TOKEN_END, l.at, l.at);
    return true;
}
