/* The text of trees. Whole trees are printed so that tree_read makes the same tree of it: variables tell their types
 * where they stand first and the type does not follow from the statement, and alias classes are written where an access
 * has another one than the variable that its address begins with. Single statements and expressions, for people, are
 * not. Expressions: tree_print_expr.c; statements: tree_print.c. */
#ifndef LOWER_TREE_PRINT_H
#define LOWER_TREE_PRINT_H

#include "lower/tree/tree_rows.h"

#include "base/text.h"

/* What a text that is to be read again has told so far. */
struct tree_marks {
    struct ir *ir;
    struct arena *arena;
    struct map classes;                 /* variable -> alias class of its first access, as an integer in the pointer */
    struct map declared;                /* variables that have been mentioned */
    VEC(const struct tree_expr *) data; /* EXPR_DATA, as they are numbered */
    VEC(const struct type *) types;     /* structures and opaque types, inner ones first */
};

struct tree_printer {
    struct text *out;
    uint32_t indent;
    struct tree_marks *marks;  /* NULL: the text is for people */
    bool places;               /* elements stand before the statements that come from them */
    const struct place *place; /* of the statement before, with `places` */
};

/* The tree with a comment line, "// " and the path of an element as remarks have it ("-": none), before each statement
 * that comes from another element than the one before it. tree_read makes the same tree of it. */
void tree_print_places(const struct tree *t, struct text *out);

/* A name as a word of the text: in quotes if it is none, or means something else. */
void tree_print_name(const char *name, uint32_t id, bool again, struct text *out);
void tree_print_var(const struct tree_var *v, struct text *out);
/* The variable, with all that is to be told of it if this is the first time. `known`: the type that a reader takes it
 * for; NULL: none. */
void tree_print_declared(struct tree_printer *p, const struct tree_var *v, const struct type *known);
/* What there is to be told behind the name. */
void tree_print_declaration(struct tree_printer *p, const struct tree_var *v, const struct type *known);
/* A type; what its name does not tell comes at the beginning of the text. */
void tree_print_type(struct tree_printer *p, const struct type *type);
/* At a level of precedence that needs no parentheses from `outer` on. */
void tree_print_expr(struct tree_printer *p, const struct tree_expr *e, enum tree_precedence outer);
void tree_print_args(struct tree_printer *p, struct tree_expr *const *args, uint32_t count);
/* pointer[index]; the type is written if it is not the one pointed to. */
void tree_print_element(struct tree_printer *p, const struct tree_expr *pointer, const struct tree_expr *index,
                        const struct type *type, uint32_t alias);
void tree_print_masked(struct tree_printer *p, const struct tree_expr *pointer, const struct tree_expr *index,
                       const struct tree_expr *mask, const struct type *type, uint32_t alias);
/* The class of an access, if the pointer does not tell. */
void tree_print_class(struct tree_printer *p, const struct tree_expr *pointer, uint32_t alias);
/* Words that do not stand for a variable where an expression is expected. */
bool tree_is_reserved(const char *name);
/* Names that stand in front of the arguments of an expression. */
bool tree_is_function(const char *name);

#endif
