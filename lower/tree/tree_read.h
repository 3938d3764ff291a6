/* Trees from the text that tree_print makes of them. A line that begins with // is a comment; blank lines mean nothing.
 */
#ifndef LOWER_TREE_READ_H
#define LOWER_TREE_READ_H

#include "lower/tree/tree_rows.h"

/* The tree of a text, verified; NULL with a diagnostic (line and column) if it is none. The text may go away. Names,
 * types and the tree belong to `ir`. */
struct tree *tree_read(struct ir *ir, const char *text, size_t length);

/* ---- within the reader: tree_read.c (trees), tree_read_stmt.c, tree_read_expr.c, tree_read_word.c ---- */

/* A variable that a statement names as its result, before its type is known. */
struct tree_named {
    const char *name;
    bool again;
    uint32_t id;
    const struct type *type; /* as written; NULL: it follows from the statement */
    uint32_t alias;
    enum form_role role;
    struct tree_var **out;
};

struct tree_bytes {
    const unsigned char *bytes;
    size_t size;
};

struct tree_reader {
    struct tree *tree;
    const char *text, *end, *at;
    const char *furthest; /* where the first thing was missing, of all ways to read it */
    const char *missing;  /* what */
    uint32_t depth;
    bool fixed;                     /* what has been read of the statement is so: there is no other way to read it */
    struct map vars, labels, types; /* by their names as printed */
    struct map classes;             /* variable -> alias class, as an integer in the pointer */
    const struct tree_stmt *region;
    const struct type *element; /* of the access that was read last */
    VEC(struct tree_named) named;
    VEC(struct tree_var *) unnumbered; /* whose ids are not written */
    VEC(struct tree_label *) unnumbered_labels;
    VEC(struct tree_bytes) data;
};

enum { TREE_READ_DEPTH = 500, TREE_READ_NUMBER = 1 << 20 };

/* Records what is missing here; always false. */
bool read_missing(struct tree_reader *r, const char *what);
bool read_too_deep(struct tree_reader *r);
void read_skip(struct tree_reader *r);                      /* blanks within the line */
bool read_accept(struct tree_reader *r, const char *token); /* a word or signs; nothing is recorded */
bool read_expect(struct tree_reader *r, const char *token);
const char *read_word(struct tree_reader *r, bool *quoted); /* NULL: there is none */
/* name or name#id; `key` is the whole, interned. */
bool read_tree_name(struct tree_reader *r, const char **name, bool *again, uint32_t *id, const char **key);
bool read_number(struct tree_reader *r, int64_t least, int64_t most, int64_t *out);
const struct type *read_tree_type(struct tree_reader *r);
const struct type *
read_basic_type(struct tree_reader *r); /* one that an expression may begin with; nothing is recorded */
/* A constant with its type, NULL if there is none here. */
struct tree_expr *read_constant(struct tree_reader *r);

struct tree_expr *read_expr(struct tree_reader *r, enum tree_precedence least);
/* pointer[index], as a load. */
struct tree_expr *read_element(struct tree_reader *r);
bool read_args(struct tree_reader *r, struct tree_expr ***args, uint32_t *count);
/* `@class` if it is there, else that of the variable that the address begins with. */
bool read_class(struct tree_reader *r, const struct tree_expr *pointer, uint32_t *alias);
struct tree_var *read_declare(struct tree_reader *r, const struct tree_named *n, const struct type *type);
/* The rest of a declaration, `: type@class`, if there is one. */
bool read_declaration(struct tree_reader *r, struct tree_named *n);

bool read_block(struct tree_reader *r, struct tree_stmt *block); /* { ... } */

#endif
