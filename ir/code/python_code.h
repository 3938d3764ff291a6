/* What the two files that make code of Python's trees share; nobody else includes it. */
#ifndef IR_PYTHON_CODE_H
#define IR_PYTHON_CODE_H

#include "ir/code/code.h"
#include "ir/python/ast.h"

#include "base/vec.h"

/* A text that is being converted. Failing functions record a diagnostic with a caret and give NULL or false. */
struct python_code {
    struct ir *ir;
    const struct place *place;
    const char *text;
    size_t length;
    struct py_lines lines;
};

typedef VEC(struct code *) python_nodes;

void *python_error(struct python_code *p, uint32_t offset, const char *message);
void *python_unsupported(struct python_code *p, uint32_t offset, const char *what);
/* Python that neither tasklets nor conditions run: what it is called, or NULL for what is converted. */
const char *python_refused(enum py_kind kind);

struct code *python_node(struct python_code *p, uint32_t offset, enum code_kind kind, uint32_t count);
struct code *python_node2(struct python_code *p, uint32_t offset, enum code_kind kind, enum code_op op, struct code *a,
                          struct code *b);
struct code *python_with_items(struct python_code *p, uint32_t offset, enum code_kind kind, const python_nodes *items);
struct code *python_expression(struct python_code *p, const struct py *n);
enum code_op python_op(enum py_op op);
/* The type an annotation or the function of a cast names, or NULL (no diagnostic). */
const struct type *python_type(struct python_code *p, const struct code *c);

#endif
