/* The parts of the Python reader share this; nobody else includes it.
 *
 * The text becomes tokens first (python_lex.c); expressions are read by precedence (python_expr.c), statements by
 * recursive descent (python_parse.c). Failing functions record a diagnostic with a caret and return false or NULL. */
#ifndef IR_PYTHON_H
#define IR_PYTHON_H

#include "ir/code/code.h"

#include "base/vec.h"

/* Deepest nesting of operators, blocks and calls; deeper trees are refused, so that walks may be recursive. */
#define PYTHON_MAX_DEPTH 1000

enum python_token_kind {
    PYTHON_END,
    PYTHON_NEWLINE,
    PYTHON_INDENT,
    PYTHON_DEDENT,
    PYTHON_NAME,     /* text: interned */
    PYTHON_KEYWORD,  /* text: the keyword */
    PYTHON_OPERATOR, /* text: the operator or bracket */
    PYTHON_INT,      /* u */
    PYTHON_FLOAT,    /* f */
    PYTHON_IMAG,     /* f */
    PYTHON_STRING,   /* text: interned value in UTF-8 */
};

struct python_token {
    enum python_token_kind kind;
    uint32_t offset, length, line, column;
    const char *text;
    union {
        uint64_t u;
        double f;
    };
};

struct python {
    struct ir *ir;
    const struct place *place;
    const char *text;
    size_t length;
    VEC(struct python_token) tokens; /* the last one is PYTHON_END */
    uint32_t at;                     /* next token */
    uint32_t depth;                  /* of the recursion while parsing */
};

/* With `lines`, line ends and indentation are tokens; else they are blanks (a lone expression). */
bool python_lex(struct python *p, bool lines);
/* A string literal at `begin` whose quotes start at `quote`; *end gets the byte behind it. */
const char *python_lex_string(struct python *p, size_t begin, size_t quote, size_t *end);

/* Records the error at byte `offset`; both give false (as NULL where a tree is expected). */
bool python_error(struct python *p, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool python_unsupported(struct python *p, size_t offset, const char *what);

static inline const struct python_token *python_token(const struct python *p) { return &p->tokens.items[p->at]; }
bool python_is(const struct python *p, const char *text); /* the next token is this keyword or operator */
bool python_accept(struct python *p, const char *text);
bool python_expect(struct python *p, const char *text);
/* "expected WHAT, found ..." at the next token; NULL. */
struct code *python_unexpected(struct python *p, const char *what);
bool python_enter(struct python *p); /* one level deeper, or an error; undone by p->depth-- */

/* A node that stands at token `t`. */
struct code *python_node(struct python *p, const struct python_token *t, enum code_kind kind, uint32_t count);
struct code *python_expression(struct python *p);      /* no tuple without brackets */
struct code *python_expression_list(struct python *p); /* a tuple if there is a comma */
/* The type an annotation or the function of a cast names, or NULL (no diagnostic). */
const struct type *python_type(struct python *p, const struct code *c);

typedef VEC(struct code *) python_nodes;
struct code *python_with_items(struct python *p, const struct python_token *t, enum code_kind kind,
                               const python_nodes *items);

#endif
