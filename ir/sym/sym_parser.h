/* The reader of symbolic text: sym_lex.c makes tokens, sym_parse.c knows the grammar, sym_call.c the functions. */
#ifndef IR_SYM_PARSER_H
#define IR_SYM_PARSER_H

#include "ir/sym/sym_internal.h"

enum sym_token_kind {
    SYM_TOKEN_END,
    SYM_TOKEN_NUMBER,
    SYM_TOKEN_NAME,   /* bare */
    SYM_TOKEN_SYMBOL, /* with '$' in front */
    SYM_TOKEN_UNDEFINED,
    SYM_TOKEN_STRING,
    SYM_TOKEN_OPERATOR,
};

struct sym_token {
    enum sym_token_kind kind;
    size_t at, end;          /* bytes of the text */
    const char *text;        /* name, operator (interned) or contents of the string */
    const struct sym *value; /* of a number; NULL: 2**63, which only a minus sign in front makes fit */
};

struct sym_parser {
    struct ir *ir;
    const struct place *place;
    const char *text;
    size_t length;
    enum sym_syntax syntax;
    struct sym_token token;
    uint32_t depth;
    bool failed;
};

/* All report once and return NULL or false. */
const struct sym *sym_parse_fail(struct sym_parser *p, size_t at, const char *what);
const struct sym *sym_parse_unsupported(struct sym_parser *p, size_t at, const char *what);
bool sym_next(struct sym_parser *p);

bool sym_at(const struct sym_parser *p, const char *what); /* operator or keyword */
bool sym_expect(struct sym_parser *p, const char *what);   /* reads it, or reports that it is missing */
const struct sym *sym_parse_expr(struct sym_parser *p);
bool sym_parse_list(struct sym_parser *p, const char *close, struct sym_list *out); /* up to and with `close` */

/* A call of `name`, which stood at byte `at`; the token is its opening parenthesis. */
const struct sym *sym_parse_call(struct sym_parser *p, const char *name, size_t at);
const struct sym *sym_subscript(struct sym_parser *p, const struct sym *base, const struct sym_list *indices);
const char *sym_dotted(struct ir *ir, const struct sym *a); /* "s.x" for members of plain names, else NULL */
bool sym_is_function(const char *name, size_t length);      /* has a meaning of its own before '(' */

#endif
