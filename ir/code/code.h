/* Code of tasklets, conditions, assignments and conflict resolutions as a tree, whatever the source language.
 *
 * Python is read by ir/code/python_*.c, C and C++ by ir/code/clang/clang_*.c; both give this tree. Types are those
 * written in the text; what is inferred is found while lowering (lower/graph/code/code.h). Nodes live in the arena of
 * their `struct ir`.
 */
#ifndef IR_CODE_H
#define IR_CODE_H

#include "base/vec.h"
#include "ir/type.h"

enum code_kind {
    /* expressions                 items */
    CODE_INT,     /* i, u         -          an integer literal; `u` holds the bits, `big` set if it does not fit int64;
                                             `type` if the literal is typed, else NULL */
    CODE_FLOAT,   /* f            - */
    CODE_IMAG,    /* f            -          imaginary literal 2j */
    CODE_BOOL,    /* i            - */
    CODE_STRING,  /* name         - */
    CODE_NONE,    /*              -          None, nullptr */
    CODE_NAME,    /* name         - */
    CODE_MEMBER,  /* name         base       a.b; op == CODE_ARROW for a->b */
    CODE_INDEX,   /*              base, index... */
    CODE_SLICE,   /*              begin, end, step (each may be NULL) */
    CODE_CALL,    /*              callee, argument...   keyword arguments are CODE_KEYWORD. `type`: the callee is a C
                     function    by its name in objects, with that result (void too) and these arguments */
    CODE_KEYWORD, /* name         value */
    CODE_UNARY,   /* op           operand */
    CODE_BINARY,  /* op           left, right   arithmetic, bits, comparisons, and/or */
    CODE_COMPARE_CHAIN, /*         CODE_BINARY comparisons: a < b < c as (a < b), (b < c). `b` is one shared node: a
                                              walk goes into the left side of the first pair and the right sides of all,
                                              or it may take exponential time */
    CODE_SELECT,        /*              condition, then, else */
    CODE_CAST,          /* type         operand    C cast, dace.float64(x) */
    CODE_TUPLE,         /*              element... */
    CODE_LAMBDA,        /*              parameter names as CODE_NAME..., body last */
    CODE_ASSIGN_EXPR,   /* op        target, value   C assignment used as expression; op 0 is plain "=" */
    CODE_STEP,          /* op, prefix in `i`  operand   ++ (CODE_ADD) and -- (CODE_SUB) */
    CODE_ADDRESS,       /*              operand    &x */
    CODE_DEREF,         /*              operand    *p */
    CODE_COMMA,         /*              expression... */
    CODE_INLINE, /* type         parameter as CODE_DECLARE..., body block   a function of C++ at its call: CODE_RETURN
                    in the body gives the value; type NULL: none */
    CODE_REDUCE, /* i, big       pointer, value   i: enum wcr_kind, big: atomic; the value is what was there before */
    /* statements */
    CODE_ASSIGN,  /* op           value, target...   op 0 is "=", else the binary operator of an augmented assignment */
    CODE_DECLARE, /* name, type   [initial value]    type NULL: auto. i: 1 for a reference (T &x = ...). Arrays: type is
                     a vector-less pointer and `u` the element count. big: its address is taken */
    CODE_STATIC, /* name, type   [block]    a variable of the program (C++): `type` and `u` as of CODE_DECLARE, `i`: its
                    byte in the program's state. The block gives its first value when control first comes here; the
                    word before the variable says whether that has happened */
    CODE_EXPR,   /*              expression */
    CODE_IF,     /*              condition, then, [else] */
    CODE_WHILE,  /*              condition, body */
    CODE_DO,     /*              body, condition */
    CODE_FOR_RANGE, /* name         begin, end, step, body    for name in range(...); Python semantics */
    CODE_FOR,       /*              init, condition, step, body (each may be NULL) */
    CODE_SWITCH,    /*              value, CODE_CASE... */
    CODE_CASE,      /*              value (NULL: default), body block   falls through to the next */
    CODE_BREAK,
    CODE_CONTINUE,
    CODE_PASS,
    CODE_RETURN, /*              [value] */
    CODE_ASSERT, /*              condition */
    CODE_BLOCK,  /*              statement... */
    CODE_KIND_COUNT
};

enum code_op {
    CODE_OP_NONE,
    CODE_ADD,
    CODE_SUB,
    CODE_MUL,
    CODE_DIV,
    CODE_FLOORDIV,
    CODE_MOD,
    CODE_POW,
    CODE_MATMUL,
    CODE_BITAND,
    CODE_BITOR,
    CODE_BITXOR,
    CODE_SHL,
    CODE_SHR,
    CODE_LT,
    CODE_LE,
    CODE_GT,
    CODE_GE,
    CODE_EQ,
    CODE_NE,
    CODE_IS,
    CODE_ISNOT,
    CODE_IN,
    CODE_NOTIN,
    CODE_AND,
    CODE_OR,
    CODE_NEG,
    CODE_PLUS,
    CODE_NOT,
    CODE_BITNOT, /* unary */
    CODE_ARROW,
    CODE_OP_COUNT
};

struct code {
    enum code_kind kind;
    enum code_op op;
    uint32_t offset;       /* byte in the text, for carets */
    uint32_t line, column; /* 1-based within the text */
    const char *name;      /* interned */
    const struct type *type;
    int64_t i;
    union {
        uint64_t u;
        double f;
    };
    bool big;
    uint32_t count;
    struct code **items;
};

/* A piece of code as the file holds it. `tree` is filled on demand by code_tree. */
struct code_text {
    const char *text; /* never NULL; "" for none */
    const struct enum_value *language;
    struct code *tree; /* CODE_BLOCK, or the expression for conditions */
};
typedef VEC(struct code_text) code_pieces;

/* Python. A failure is reported at `place` with a caret and gives NULL. */
struct code *python_parse(struct ir *ir, const struct place *place, const char *text); /* CODE_BLOCK */
struct code *python_parse_expression(struct ir *ir, const struct place *place,
                                     const char *text); /* expression, lambda */

struct code *code_new(struct ir *ir, enum code_kind kind, uint32_t count);
/* Item `i` for a walk that meets every node once: of a chain, the first pair and then the right sides. */
static inline struct code *code_item(const struct code *c, uint32_t i)
{
    return c->kind == CODE_COMPARE_CHAIN && i > 0 ? c->items[i]->items[1] : c->items[i];
}
/* The binary operators of a chain such as a + b + c, which is as deep as it has terms: `c` and the left operands below
 * it as long as these are CODE_BINARY too. The outermost comes first; 1 if `c` is CODE_BINARY with another left
 * operand. Trees are at most PY_MAX_DEPTH levels deep apart from chains, so walks recurse but take chains by iteration.
 */
uint32_t code_chain(struct arena *a, const struct code *c, const struct code ***chain);
const char *code_op_text(enum code_op op); /* as Python spells it; "" for CODE_OP_NONE and CODE_ARROW */
/* The dotted name of nested members ("math.pi", "S.x.y"), interned; the name itself for a CODE_NAME; else NULL. */
const char *code_dotted(struct ir *ir, const struct code *c);
/* Calls `visit` for every node that code_item reaches, parents first; a false result skips the children. */
void code_visit(struct code *c, bool (*visit)(void *user, struct code *c), void *user);
/* Names read where no local assignment is sure to come before: connectors, symbols, containers, each once, in the order
 * of the text. Not called functions, not the modules of dotted names (math.pi), not locals. The base of a subscripted
 * target counts as read. */
void code_free_names(struct code *c, void (*visit)(void *user, const char *name), void *user);
void code_print(const struct code *c, struct text *out); /* canonical Python, fully parenthesised as in format.md 6.2 */

/* Conflict resolution kinds (semantics.md 4.7). The order is used in tables. */
enum wcr_kind {
    WCR_NONE,
    WCR_SUM,
    WCR_PRODUCT,
    WCR_MIN,
    WCR_MAX,
    WCR_LOGICAL_AND,
    WCR_LOGICAL_OR,
    WCR_LOGICAL_XOR,
    WCR_BIT_AND,
    WCR_BIT_OR,
    WCR_BIT_XOR,
    WCR_EXCHANGE,
    WCR_CUSTOM
};
enum wcr_kind wcr_detect(const struct code *lambda);

/* Types as DaCe infers them for interstate symbols and tasklet-to-tasklet connectors (semantics.md 7). `type_of` gives
 * the type of a free name or NULL. NULL: cannot be inferred. */
typedef const struct type *code_type_of(void *user, const char *name);
const struct type *code_infer(struct ir *ir, const struct code *expression, code_type_of *type_of, void *user);

#define CODE_STATE_NAME "__state" /* the pointer to the fields of the program's state */

/* The fixed parameters of a variadic function of the C library that code may call; 0 for any other name. */
unsigned code_variadic_from(const char *name);
/* Is the function declared for C++ tasklets and called as it stands? */
bool code_is_foreign(const char *name);

#endif
