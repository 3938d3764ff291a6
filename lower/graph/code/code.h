/* Lowering of code trees (ir/code/code.h) to typed loop-tree expressions and statements, with C semantics (semantics.md
 * 6).
 *
 * Used for tasklets, conditions, interstate assignments and conflict-resolution lambdas. What a name means is asked
 * for; the rest - promotion, literals, local variables, functions - is decided here. */
#ifndef LOWER_CODE_H
#define LOWER_CODE_H

#include "lower/tree/tree.h"

enum operand_kind {
    OPERAND_NONE,     /* the name is not known */
    OPERAND_VALUE,    /* read-only: symbol, constant, input connector */
    OPERAND_VARIABLE, /* register variable: static output connector, input connector that may be assigned */
    OPERAND_ARRAY,    /* memory: pointer connector, container; rank 0: one element, named without subscript */
    OPERAND_POINTER,  /* a pointer value without known dimensions (C++ tasklets, optional arguments): index is linear */
    OPERAND_CALLBACK, /* function pointer argument: value is the pointer */
    OPERAND_STREAM,   /* queues: pointer to the handles; reading pops, assigning pushes. rank and strides as of an ARRAY
                       */
};

/* One dimension of a container in checked mode. */
struct operand_dim {
    struct tree_expr *low, *extent, *stride, *step;
    int index; /* that moves along it: low + step * index; -1: none */
};

/* What checked mode needs to mark an element (lower/tree/tree_check.h). */
struct operand_check {
    const struct tree_check *check;
    struct operand_dim *dims;
    bool linear;               /* the dimensions do not count, only the allocation */
    struct tree_expr *scratch; /* bytes that bad accesses go to */
};

/* What a name stands for. */
struct operand {
    enum operand_kind kind;
    const struct type *type;    /* of the value or element */
    struct tree_expr *value;    /* VALUE; CALLBACK */
    struct tree_var *var;       /* VARIABLE; VALUE: the variable of a symbol that may be assigned, or NULL */
    struct tree_expr *pointer;  /* ARRAY, POINTER: element [0, ..., 0] */
    uint32_t rank;              /* ARRAY: number of indices */
    struct tree_expr **strides; /* ARRAY: elements per index step (int64) */
    struct tree_expr **offsets; /* ARRAY: added to each index, or NULL */
    struct tree_expr *elements; /* POINTER: how many the memlet names (int64), or NULL: not known */
    uint32_t alias;
    bool single;       /* ARRAY with rank > 0 but one element: may also be named without subscript */
    enum wcr_kind wcr; /* a store combines instead */
    const struct code *wcr_lambda;
    bool atomic;
    struct operand_check *check; /* ARRAY, POINTER: elements are checked; NULL: they are not */
};

/* A call with the name of a pointer connector: the elements that its memlet names; a large number if that is not known.
 */
#define CODE_ELEMENTS "__sdfg_elements"

/* What threads of a block do together, as calls until the loops of the threads are split (lower/graph/threads.h):
 * var = the values args[0] of the args[1] neighbouring threads (0: of the block), combined by `wcr`; and nothing but to
 * wait for each other. */
#define CODE_GROUP_REDUCE  "__sdfg_group_reduce"
#define CODE_GROUP_BARRIER "__sdfg_group_barrier"

struct code_scope {
    struct tree *tree;
    struct diags *diags;
    const struct place *place; /* for diagnostics: the tasklet, transition, ... */
    const char *text;          /* source text for carets, or NULL */
    /* `name` is interned; dotted for members ("S.x"). False with a diagnostic on a hard error; kind NONE if unknown. */
    bool (*lookup)(void *user, const char *name, struct operand *out);
    void *user;
    bool check_overflow; /* indices computed in few bits are marked (lower/tree/tree_check.h) */
    bool wide;           /* integers are computed in 64 bits: what they are without wrapping around */
    bool python;         /* operators and literals as DaCe compiles Python; else plain C++ */
};

/* The value of an expression, appended statements going to `out` (calls with side effects, short circuits). NULL on
 * failure. */
struct tree_expr *code_value(struct code_scope *s, struct tree_stmt *out, const struct code *expression);
/* The truth of an expression, bool. */
struct tree_expr *code_condition(struct code_scope *s, struct tree_stmt *out, const struct code *expression);
/* All statements of a body. Local variables live in the block. */
bool code_body(struct code_scope *s, struct tree_stmt *out, const struct code *block);
/* Bits are those of integers, complex numbers have no order. */
bool code_wcr_applies(enum wcr_kind wcr, const struct type *type);
/* wcr(old, value) of a custom lambda. */
struct tree_expr *code_apply(struct code_scope *s, struct tree_stmt *out, const struct code *lambda,
                             struct tree_expr *old, struct tree_expr *value);
/* Memory on the stack for a structure (a connector of such a type), as an operand. Values of structure type are
 * addresses everywhere here: code_store copies from one, code_apply gives one. */
void code_struct_operand(struct code_scope *s, struct tree_stmt *out, const struct type *type, struct operand *o);
/* Stores `value` into element `index...` of an ARRAY operand, converting and combining as the operand says. */
bool code_store(struct code_scope *s, struct tree_stmt *out, const struct operand *o, struct tree_expr *const *index,
                uint32_t num_index, struct tree_expr *value);
/* Element `index...` of an ARRAY operand; with no index the only one. */
struct tree_expr *code_load(struct code_scope *s, struct tree_stmt *out, const struct operand *o,
                            struct tree_expr *const *index, uint32_t num_index);
/* Conversion to the type of a connector, container or variable: C rules; complex to real is an error. NULL with a
 * diagnostic. */
struct tree_expr *code_convert(struct code_scope *s, const struct type *type, struct tree_expr *value);

#endif
