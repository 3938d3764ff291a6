/* Python programs as trees: the grammar of Python 3.13, the nodes of CPython's module `ast`.
 *
 * The whole language is read; who runs a part of it (tasklets: ir/code/python_code.c; programs: frontend/) refuses the
 * rest. Nodes and names live in the arena of the caller. Trees are at most PY_MAX_DEPTH levels deep, so that walks may
 * be recursive. Functions here have no state of their own: any thread, one arena each. */
#ifndef IR_PYTHON_AST_H
#define IR_PYTHON_AST_H

#include "base/intern.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define PY_MAX_DEPTH 1000

enum py_kind {
#define NODE(KIND, member, Name, fields)      PY_##KIND,
#define NODE_BARE(KIND, member, Name, fields) PY_##KIND,
#include "ir/python/ast.def"
#undef NODE
#undef NODE_BARE
    PY_KIND_COUNT
};

/* The names are those of CPython's classes, in the order of `py_op_name`. */
enum py_op {
    PY_LOAD,
    PY_STORE,
    PY_DEL,
    PY_ADD,
    PY_SUB,
    PY_MULT,
    PY_MATMULT,
    PY_DIV,
    PY_MOD,
    PY_POW,
    PY_LSHIFT,
    PY_RSHIFT,
    PY_BITOR,
    PY_BITXOR,
    PY_BITAND,
    PY_FLOORDIV,
    PY_INVERT,
    PY_NOT,
    PY_UADD,
    PY_USUB,
    PY_EQ,
    PY_NOTEQ,
    PY_LT,
    PY_LTE,
    PY_GT,
    PY_GTE,
    PY_IS,
    PY_ISNOT,
    PY_IN,
    PY_NOTIN,
    PY_AND,
    PY_OR,
    PY_OP_COUNT
};

struct py;

struct py_list {
    uint32_t count;
    struct py **items;
};

enum py_value_kind { PY_NONE, PY_FALSE, PY_TRUE, PY_ELLIPSIS, PY_INT, PY_FLOAT, PY_IMAG, PY_STRING, PY_BYTES };

struct py_value {
    enum py_value_kind kind;
    bool big;         /* PY_INT: does not fit into `u`; `text` are its digits, with their prefix, without underscores */
    bool unicode;     /* PY_STRING: written with the prefix u */
    uint32_t length;  /* of the text */
    const char *text; /* PY_STRING: UTF-8, lone surrogates encoded as if they were characters; PY_BYTES. Zero bytes
                         inside are possible. */
    union {
        uint64_t u;
        double f;
    };
};

struct py {
    enum py_kind kind;
    uint32_t begin, end; /* bytes of the text */
    union {
#define FIELD_NODE             struct py *
#define FIELD_LIST             struct py_list
#define FIELD_NAME             const char *
#define FIELD_OP               enum py_op
#define FIELD_INT              int
#define FIELD_VALUE            struct py_value
#define FIELD_NONE             char
#define F(TYPE, member, field) FIELD_##TYPE field;
#define NODE(KIND, member, Name, fields)                                                                               \
    struct {                                                                                                           \
        fields                                                                                                         \
    } member;
#define NODE_BARE(KIND, member, Name, fields)                                                                          \
    struct {                                                                                                           \
        fields                                                                                                         \
    } member;
#include "ir/python/ast.def"
#undef F
#undef NODE
#undef NODE_BARE
    };
};

/* What a tree consists of, for walks and dumps. */
enum py_field_type {
    PY_FIELD_NODE,
    PY_FIELD_LIST,
    PY_FIELD_NAME,
    PY_FIELD_OP,
    PY_FIELD_INT,
    PY_FIELD_VALUE,
    PY_FIELD_NONE
};
struct py_field {
    const char *name;
    enum py_field_type type;
    uint16_t offset; /* in struct py */
};
struct py_info {
    const char *name; /* CPython's class */
    uint16_t size;    /* of the node */
    bool placed;
    uint32_t num_fields;
    const struct py_field *fields;
};
extern const struct py_info py_info[PY_KIND_COUNT];
const char *py_op_name(enum py_op op);

struct py_error {
    uint32_t offset; /* byte of the text */
    bool limit;      /* right, but beyond a limit of ours: nesting, size */
    const char *message;
};

enum py_mode {
    PY_MODE_MODULE,     /* a file: PY_MODULE */
    PY_MODE_SNIPPET,    /* statements whose first line sets the indentation: PY_MODULE */
    PY_MODE_EXPRESSION, /* an expression or a tuple; line ends are blanks: PY_EXPRESSION */
};

/* The tree of `text`, or NULL with *error. UTF-8 (py_decode makes it). */
struct py *py_parse(struct arena *a, struct intern *names, const char *text, size_t length, enum py_mode mode,
                    struct py_error *error);
/* The same for readers that take chains of binary operators (a + b + c ...) by iteration: a PY_BIN_OP that is the left
 * operand of another one counts as no level of its own. */
struct py *py_parse_flat(struct arena *a, struct intern *names, const char *text, size_t length, enum py_mode mode,
                         struct py_error *error);
/* A file's bytes as UTF-8, by its byte order mark or its encoding declaration; the declaration
 * stays. NULL with *error. */
const char *py_decode(struct arena *a, const char *bytes, size_t length, size_t *decoded, struct py_error *error);

/* Lines of a text, for places: 1-based line, 0-based column in bytes. */
struct py_lines {
    const char *text;
    uint32_t count, *begins;
};
struct py_lines py_lines(struct arena *a, const char *text, size_t length);
void py_place(const struct py_lines *l, uint32_t offset, uint32_t *line, uint32_t *column);

/* Calls `visit` for every node, parents first, in the order of the fields; a false result skips what is below. */
void py_visit(struct py *n, bool (*visit)(void *user, struct py *n), void *user);

/* The tree as `ast.dump` prints it, without fields that are empty; behind each placed node "@line:column-line:column".
 * Strings are bytes in double quotes, floats hexadecimal. */
void py_dump(const struct py *n, const struct py_lines *lines, struct text *out);

#endif
