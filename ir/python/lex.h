/* What the files of the lexer share. */
#ifndef IR_PYTHON_LEX_H
#define IR_PYTHON_LEX_H

#include "ir/python/parser.h"

/* CPython's limits. */
enum { PY_MAX_BRACKETS = 200, PY_MAX_INDENTS = 100, PY_MAX_FORMATS = 150 };

/* A formatted string that is being read. */
struct py_format {
    uint32_t begin; /* of its prefix */
    uint32_t quote; /* the byte of its first quote */
    bool triple, raw;
    uint32_t brackets; /* open ones around it */
    uint32_t fields;   /* replacement fields open in it: more than one where a format holds fields */
    bool in_field;     /* reading an expression, not text */
};

struct py_lexer {
    struct py_parser *p;
    size_t at;
    VEC(uint32_t) brackets;              /* offsets of the open ones */
    VEC(uint32_t) indents, indents_tab1; /* widths with tabs to eight, and with tabs as one column */
    VEC(struct py_format) formats;
};

static inline unsigned char py_peek(const struct py_lexer *l, size_t ahead)
{
    size_t at = l->at + ahead;
    return at < l->p->length ? (unsigned char)l->p->text[at] : 0;
}
static inline bool py_is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
/* Letters outside ASCII are told from other characters by py_check_name. */
static inline bool py_is_name_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}
static inline bool py_is_name(unsigned char c) { return py_is_name_start(c) || py_is_digit(c); }

bool py_check_brackets(struct py_lexer *l, size_t begin); /* that the one at `begin` is not too deep */
struct py_token *py_push(struct py_lexer *l, enum py_token_kind kind, size_t begin, size_t end);

/* ---- lex_number.c ---- */
bool py_lex_number(struct py_lexer *l);
/* ---- lex_string.c ---- */
bool py_lex_string(struct py_lexer *l, size_t quote);
bool py_lex_format_text(struct py_lexer *l); /* text of the innermost formatted string, up to a field or its end */

#endif
