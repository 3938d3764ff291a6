/* The parts of the Python parser share this; nobody else includes it.
 *
 * The text becomes tokens first (lex*.c); expressions are read by precedence (expr.c, atom.c, call.c), statements,
 * definitions and patterns by recursive descent (stmt.c, define.c, pattern.c). A failing function has recorded the
 * error and gives NULL or false; the first error recorded stays. */
#ifndef IR_PYTHON_PARSER_H
#define IR_PYTHON_PARSER_H

#include "ir/python/ast.h"

#include "base/text.h"
#include "base/vec.h"

enum py_token_kind {
    PY_TOKEN_END,
    PY_TOKEN_NEWLINE,
    PY_TOKEN_INDENT,
    PY_TOKEN_DEDENT,
    PY_TOKEN_NAME,
    PY_TOKEN_NUMBER,
    PY_TOKEN_STRING,   /* with prefix and quotes */
    PY_TOKEN_F_START,  /* prefix and quotes of a formatted string */
    PY_TOKEN_F_MIDDLE, /* text of one, may be empty */
    PY_TOKEN_F_END,
    PY_TOKEN_OPERATOR, /* also keywords: `word` */
};

enum py_word {
    PY_W_NO_WORD,
#define W(NAME, text) PY_W_##NAME,
#include "ir/python/words.def"
#undef W
    PY_W_COUNT
};

struct py_token {
    uint8_t kind;   /* enum py_token_kind */
    uint8_t word;   /* enum py_word */
    uint16_t level; /* of brackets around it */
    uint32_t begin, end;
    const char *name; /* PY_TOKEN_NAME: interned */
};

typedef VEC(struct py *) py_nodes;

struct py_parser {
    struct arena *arena;
    struct intern *names;
    const char *text;
    size_t length;
    enum py_mode mode;
    VEC(struct py_token) tokens; /* the last one is PY_TOKEN_END */
    uint32_t at, depth;
    bool raw;         /* reading targets of `for`, `del`: no guesses about '=' */
    int64_t unclosed; /* the innermost bracket open at the end of the text, or -1 */
    const char *soft_match, *soft_case, *soft_type, *soft_underscore, *soft_print, *soft_exec;
    struct py_error error;
    bool failed;
    bool indent_error; /* the error is an indentation that nothing explains */
    bool soft_error;   /* of the lexer: it counts only if the parser comes to it */
    bool quiet;        /* reading a key of a dictionary: no guess about commas */
};

/* ---- lex.c, lex_string.c ---- */
bool py_lex(struct py_parser *p);
struct py_lexer;
/* The value of a literal, from its token; `raw` for bytes too. */
bool py_string_value(struct py_parser *p, const struct py_token *t, struct text *value, bool *bytes, bool *unicode);
/* Text between quotes with its escapes replaced. */
bool py_unescape(struct py_parser *p, uint32_t literal, uint32_t begin, uint32_t end, bool bytes, bool raw, bool braces,
                 struct text *value);
bool py_number_value(struct py_parser *p, const struct py_token *t, struct py_value *value);

/* ---- parse.c ---- */
/* Records the error; NULL, which also serves as false. */
void *py_fail(struct py_parser *p, uint32_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
void *py_limit(struct py_parser *p, uint32_t offset, const char *what);
void *py_invalid(struct py_parser *p); /* "invalid syntax" at the next token, or what explains it better */
struct py *py_new(struct py_parser *p, enum py_kind kind, uint32_t begin);
struct py *py_end(struct py_parser *p, struct py *n); /* ends with the last token read */
struct py_list py_list(struct py_parser *p, const py_nodes *nodes);
bool py_enter(struct py_parser *p);
static inline void py_leave(struct py_parser *p) { p->depth--; }

static inline const struct py_token *py_next(const struct py_parser *p) { return &p->tokens.items[p->at]; }
static inline const struct py_token *py_ahead(const struct py_parser *p, uint32_t n)
{
    uint32_t at = p->at + n;
    return &p->tokens.items[at < p->tokens.count ? at : p->tokens.count - 1];
}
static inline bool py_is(const struct py_parser *p, enum py_word word)
{
    return p->tokens.items[p->at].word == (uint8_t)word;
}
static inline bool py_accept(struct py_parser *p, enum py_word word)
{
    bool is = py_is(p, word);
    p->at += is;
    return is;
}
static inline bool py_is_soft(const struct py_parser *p, const char *name)
{
    return py_next(p)->kind == PY_TOKEN_NAME && py_next(p)->name == name;
}
bool py_expect(struct py_parser *p, enum py_word word); /* else "invalid syntax" */
const char *py_name(struct py_parser *p);               /* a name, read; else NULL */
#define py_add(p, nodes, node) vec_push((p)->arena, nodes, node)

/* ---- expr.c ---- */
struct py *py_expression(struct py_parser *p);       /* no tuple, no star, no walrus */
struct py *py_named(struct py_parser *p);            /* with a walrus */
struct py *py_star_expressions(struct py_parser *p); /* a tuple if there is a comma; stars */
struct py *py_star_expression(struct py_parser *p);
struct py *py_star_named(struct py_parser *p);
struct py *py_disjunction(struct py_parser *p);
struct py *py_bitwise_or(struct py_parser *p);
struct py *py_star_bitwise(struct py_parser *p);
struct py *py_yield(struct py_parser *p);
struct py *py_yield_or_expressions(struct py_parser *p);
struct py *py_unary(struct py_parser *p);
bool py_starts_expression(const struct py_parser *p);
/* ---- atom.c ---- */
struct py *py_atom(struct py_parser *p);
struct py *py_await_primary(struct py_parser *p);
bool py_comprehension(struct py_parser *p, struct py_list *generators);
struct py *py_strings(struct py_parser *p);
struct py *py_number(struct py_parser *p);
/* ---- call.c ---- */
struct py *py_subscript(struct py_parser *p, uint32_t begin, struct py *base);
struct py *py_call(struct py_parser *p, uint32_t begin, struct py *callee);
bool py_arguments(struct py_parser *p, struct py_list *args, struct py_list *keywords); /* behind "(", over ")" */
/* ---- target.c ---- */
enum py_target { PY_TARGET_ASSIGN, PY_TARGET_DEL, PY_TARGET_FOR };
/* Makes the expression a target; an error names what cannot be one. */
bool py_make_target(struct py_parser *p, struct py *n, enum py_target what);
const struct py *py_bad_target(const struct py *n, enum py_target what);
const char *py_describe(const struct py *n);
struct py *py_targets(struct py_parser *p, enum py_target what); /* up to the word that ends them */
/* ---- stmt.c ---- */
bool py_statement(struct py_parser *p, py_nodes *out);
bool py_block(struct py_parser *p, const char *after, uint32_t line_of, struct py_list *out); /* with its colon */
struct py *py_simple(struct py_parser *p);
/* ---- define.c ---- */
struct py *py_lambda(struct py_parser *p);
struct py *py_definition(struct py_parser *p, bool is_async, uint32_t begin, struct py_list decorators);
struct py *py_class(struct py_parser *p, uint32_t begin, struct py_list decorators);
struct py *py_type_alias(struct py_parser *p);
struct py *py_import(struct py_parser *p);
struct py *py_import_from(struct py_parser *p);
/* ---- compound.c ---- */
struct py *py_if(struct py_parser *p);
struct py *py_while(struct py_parser *p);
struct py *py_for(struct py_parser *p, bool is_async, uint32_t begin);
struct py *py_with(struct py_parser *p, bool is_async, uint32_t begin);
struct py *py_try(struct py_parser *p);
/* ---- pattern.c ---- */
struct py *py_match(struct py_parser *p); /* NULL without error: not a match statement */

#endif
