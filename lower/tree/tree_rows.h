/* The rows of exprs.def and stmts.def as tables. */
#ifndef LOWER_TREE_ROWS_H
#define LOWER_TREE_ROWS_H

#include "lower/tree/tree.h"

enum tree_precedence {
    PRECEDENCE_0, /* no operator */
    PRECEDENCE_SELECT,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_COMPARE,
    PRECEDENCE_BITS,
    PRECEDENCE_SHIFT,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT,
    PRECEDENCE_UNARY,
    PRECEDENCE_POSTFIX
};

enum expr_form {
    FORM_CONSTANT,
    FORM_NULL,
    FORM_WORD,
    FORM_VARIABLE,
    FORM_ELEMENT,  /* pointer[index] */
    FORM_MASKED,   /* pointer<type>[index if mask] */
    FORM_ADDRESS,  /* &pointer[index] */
    FORM_FIELD,    /* &pointer->field */
    FORM_SLOT,     /* slot<type>(number) */
    FORM_THREAD,   /* threadIdx.x */
    FORM_DATA,     /* data<type>(number) */
    FORM_OPERATOR, /* between operands, or in front of one */
    FORM_CHOICE,   /* c ? a : b */
    FORM_CAST,     /* type(value) */
    FORM_TYPED,    /* name<type>(value) */
    FORM_MATH,     /* function(arguments) */
    FORM_CALL,     /* function<type>(arguments) */
    FORM_FUNCTION, /* name(arguments) */
    FORM_COUNT
};

/* What makes an expression different from another one with the same operands and type. */
enum expr_payload {
    PAYLOAD_NOTHING,
    PAYLOAD_INTEGER,
    PAYLOAD_FLOAT,
    PAYLOAD_VARIABLE,
    PAYLOAD_DATA,
    PAYLOAD_MATH,
    PAYLOAD_CALLEE, /* calls are equal only if the function is pure */
};

/* The constructor of tree.h for an expression with other operands. */
enum expr_make {
    MAKE_COPY,
    MAKE_LOAD,
    MAKE_OFFSET,
    MAKE_UNARY,
    MAKE_BINARY,
    MAKE_SELECT,
    MAKE_CAST,
    MAKE_BITS,
    MAKE_MATH
};

struct expr_row {
    const char *text;
    enum tree_precedence precedence;
    enum expr_form form;
    enum expr_payload payload;
    enum expr_make make;
};
extern const struct expr_row expr_rows[EXPR_OP_COUNT];

/* Where the type of the variable comes from that a statement gives a value. */
enum stmt_result {
    RESULT_NONE,
    RESULT_VALUE,   /* of `value` */
    RESULT_ELEMENT, /* of the element that is accessed */
    RESULT_BEGIN,   /* of `begin` */
    RESULT_POINTER, /* pointer to `type` */
    RESULT_CALL,    /* what the row of the function says, if it has one */
    RESULT_I64,
};

enum stmt_flags {
    STMT_WRITES = 1 << 0,       /* memory at `pointer` */
    STMT_READS = 1 << 1,        /* the same memory */
    STMT_READS_SOURCE = 1 << 2, /* memory at `pointer2` */
    STMT_CALLS = 1 << 3,        /* what the row of the function says */
    STMT_LOOPS = 1 << 4,        /* break and continue in the body are for it */
    STMT_LEAVES_LOOP = 1 << 5,
    STMT_CONTROL = 1 << 6,      /* control does not just go on behind it, or threads meet there */
    STMT_LOCKS = 1 << 7,        /* the body is left at its end only */
    STMT_REGION = 1 << 8,       /* the body has variables of its own */
    STMT_HOST = 1 << 9,         /* not inside of kernels */
    STMT_DEVICE_WORK = 1 << 10, /* work that the host gives to a device, whose run it needs */
    STMT_ON_DEVICE = 1 << 11,   /* memory at `pointer`, or that the variable leads to, is the device's */
};

struct stmt_row {
    const char *name, *form;
    enum stmt_result result;
    unsigned flags;
};
extern const struct stmt_row stmt_rows[STMT_KIND_COUNT];

/* ---- operands, see form.def ---- */

enum form_role {
    ROLE_ASSIGNED,
    ROLE_COUNTER,
    ROLE_RESULT,
    ROLE_OWNED,
    ROLE_VALUE,
    ROLE_CONDITION,
    ROLE_BOUND,
    ROLE_COUNT,
    ROLE_NUMBER,
    ROLE_ELEMENT,
    ROLE_MASKED,
    ROLE_TARGET,
    ROLE_SOURCE,
    ROLE_TYPE,
    ROLE_WHERE,
    ROLE_HELD,
    ROLE_KERNEL,
    ROLE_LEVEL,
    ROLE_DIRECTION,
    ROLE_SLOT,
    ROLE_WCR,
    ROLE_LABEL,
    ROLE_BODY,
    ROLE_OTHERWISE,
    ROLE_CALL,
    ROLE_PRODUCT,
    ROLE_LOOP,
    ROLE_FLAG,
    ROLE_ROLES
};

struct form_field {
    const char *name;
    enum form_role role;
    size_t offset; /* of the member in struct tree_stmt */
};

/* A form piece by piece. */
struct form_piece {
    const struct form_field *field; /* NULL: text that stands for itself */
    const char *text;
    size_t length;
    bool flag;  /* a word that is there if the member is true */
    bool first; /* begins a word */
};
struct stmt_form {
    uint32_t count;
    struct form_piece pieces[16];
};
const struct stmt_form *stmt_form(enum stmt_kind kind);

static inline void *form_member(const struct tree_stmt *s, const struct form_field *f) { return (char *)s + f->offset; }
/* Its value, where the member is a pointer; NULL for numbers, words and flags. */
void *form_pointer(const struct tree_stmt *s, const struct form_field *f);

/* The type of the variable of a statement, where its other operands tell; else NULL. `element`: of RESULT_ELEMENT. */
const struct type *stmt_result_type(struct ir *ir, const struct tree_stmt *s, const struct type *element);

/* How conflict resolutions and other lists of words are written. */
extern const char *const tree_wcr_words[];
extern const char *const tree_where_words[6];
extern const char *const tree_level_words[TREE_LEVELS];
extern const char *const tree_thread_words[THREAD_COUNT];
extern const char *const tree_direction_words[3];
extern const char *const tree_omp_words[3];
extern const char *const tree_vectors_words[3];

#endif
