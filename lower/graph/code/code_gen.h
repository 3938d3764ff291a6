/* The parts of the lowering of code share this (lower/graph/code/code_*.c); nobody else includes it.
 *
 * Values are tree expressions. Those of structure type are represented by their address: a pointer to the structure,
 * whose fields are read where it is used or copied. An operand may append statements to g->out; then the operands
 * before it have been put into variables, so that the order of effects is that of the text. Functions give NULL or
 * false after a diagnostic. */
#ifndef LOWER_CODE_GEN_H
#define LOWER_CODE_GEN_H

#include "lower/graph/code/code.h"

enum lvalue_kind {
    LVALUE_VALUE,  /* read-only: value */
    LVALUE_VAR,    /* var */
    LVALUE_MEMORY, /* pointer[index] */
    LVALUE_ARRAY,  /* memory without an index: its address can be taken, nothing else */
    LVALUE_LANE,   /* one lane of a vector: base, index */
    LVALUE_STREAM, /* the queue whose handle is pointer[index]; type: of an element */
};

/* What can be read or assigned. */
struct lvalue {
    enum lvalue_kind kind;
    const struct type *type;
    struct tree_expr *value;
    struct tree_var *var;
    struct tree_expr *pointer, *index;
    uint32_t alias;
    const struct lvalue *base;
    enum wcr_kind wcr; /* MEMORY: a store combines */
    const struct code *wcr_lambda;
    bool atomic;
    const struct operand_check *check;    /* MEMORY: marked where it is read or written; NULL: not checked ... */
    struct tree_expr *const *check_index; /* ... with these indices */
    struct tree_var *old; /* after a combining store by name the name means what was there before; NULL: nobody asks */
};

struct code_local {
    const char *name;
    struct lvalue place;
    const struct code *lambda; /* the name of a function of the text: no place */
};

struct code_old {
    const char *name;
    struct tree_var *var;
};

/* The function of C++ whose body is being lowered where it is called. */
struct code_return {
    struct code_return *outer;
    const struct type *type; /* NULL: no result */
    struct lvalue result;
    struct tree_label *end;
    const struct code *last; /* statement behind which the end comes anyway */
    bool used;
};

struct code_gen {
    struct code_scope *s;
    struct tree *t;
    struct ir *ir;
    struct arena *arena;
    struct tree_stmt *out;
    const char *text;              /* for carets; NULL if nodes come from another text */
    VEC(struct code_local) locals; /* innermost last */
    VEC(const char *) ended;       /* locals of blocks that have ended */
    const struct type *expected;   /* structure type that a constructor call makes */
    const struct code *body;       /* whole text, NULL for expressions */
    VEC(struct code_old) olds;
    struct tree_stmt *prologue;  /* runs before the body */
    uint32_t *calls;             /* of functions of the text so far */
    struct code_jump *jump;      /* innermost loop or switch */
    struct code_return *inlined; /* innermost function */
};

/* code_lower.c */
struct code_gen code_gen_at(struct code_scope *s, struct tree_stmt *out);
/* Records the error at node `c` (NULL: at the element only) and gives NULL. */
void *code_invalid(struct code_gen *g, const struct code *c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *code_unsupported(struct code_gen *g, const struct code *c, const char *what);
const struct type *code_basic(const struct code_gen *g, enum type_kind kind);
const char *code_type_text(struct code_gen *g, const struct type *t); /* for messages */
struct code_local *code_find_local(struct code_gen *g, const char *name);
void code_add_local(struct code_gen *g, const char *name, struct lvalue place);
/* The value in a new variable. */
struct tree_expr *code_temp(struct code_gen *g, const char *name, struct tree_expr *e);
/* The same value, cheap enough to be used several times. */
struct tree_expr *code_once(struct code_gen *g, struct tree_expr *e);
/* Statements made from here go to a new block, until code_end gives it and restores the block before. */
struct tree_stmt *code_begin(struct code_gen *g);
struct tree_stmt *code_end(struct code_gen *g, struct tree_stmt *before);
/* Appends `made`, the statements of an operand. The `count` operands that were evaluated before are put into variables
 * first, so that they keep their values (*kept of them are), unless all that `made` holds are marks of checked mode. */
void code_append_operand(struct code_gen *g, struct tree_stmt *made, struct tree_expr **operands, uint32_t count,
                         uint32_t *kept);

/* code_value.c */
struct tree_expr *code_eval(struct code_gen *g, const struct code *c);
bool code_eval_list(struct code_gen *g, struct code *const *codes, uint32_t count, struct tree_expr **out);
struct tree_expr *code_truth_of(struct code_gen *g, const struct code *c); /* of a condition; no vectors */
struct tree_expr *code_select(struct code_gen *g, const struct code *c, const struct code *condition,
                              const struct code *then, const struct code *otherwise);
/* x is None, x == None */
struct tree_expr *code_compare_none(struct code_gen *g, const struct code *c, enum code_op op,
                                    const struct code *other);
/* The address of what a name or element stands for, or NULL (no diagnostic). */
struct tree_expr *code_address(struct code_gen *g, const struct code *c);

/* code_chain.c */
struct tree_expr *code_chain_value(struct code_gen *g, const struct code *c); /* CODE_BINARY, CODE_COMPARE_CHAIN */

/* code_place.c */
bool code_place(struct code_gen *g, const struct code *c, struct lvalue *out); /* c must be something with a place */
bool code_has_place(const struct code *c);
bool code_operand_place(struct code_gen *g, const struct code *c, const struct operand *o, struct lvalue *out);
struct tree_expr *code_read(struct code_gen *g, const struct code *c, const struct lvalue *p);
bool code_write(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value);
/* Element of an ARRAY or POINTER operand. */
bool code_element(struct code_gen *g, const struct code *c, const struct operand *o, struct tree_expr *const *index,
                  uint32_t count, struct lvalue *out);
bool code_lookup(struct code_gen *g, const char *name, struct operand *out);
/* The place of a target whose value is known already: what the target's own statements change does not change the
 * value. */
bool code_target_place(struct code_gen *g, const struct code *target, struct tree_expr **value, struct lvalue *out);
/* Assigns to a target: the name may become a new local variable. */
bool code_assign_to(struct code_gen *g, const struct code *target, struct tree_expr *value);
/* The same; gives the value of the assignment as an expression: that of the target's type, and where the target
 * combines what was there before. NULL with a diagnostic. */
struct tree_expr *code_assign_value(struct code_gen *g, const struct code *target, struct tree_expr *value);
/* A new local variable, which hides what the name meant before. */
bool code_declare(struct code_gen *g, const struct code *at, const char *name, struct tree_expr *value);

/* code_check.c */
/* The same value, cheap enough to be used several times; sums of variables stay what they are, which says more. */
struct tree_expr *code_index_once(struct code_gen *g, struct tree_expr *e);
/* The place of an access, in checked mode behind a mark of it. */
struct lvalue code_checked(struct code_gen *g, const struct lvalue *p, bool read, bool write);
/* The handle of a queue; in checked mode NULL, which the runtime takes for one without elements, if it is not there. */
struct tree_expr *code_checked_handle(struct code_gen *g, const struct lvalue *p);

/* code_struct.c */
struct tree_expr *code_new_struct(struct code_gen *g, const struct type *type); /* memory for one, on the stack */
bool code_copy_struct(struct code_gen *g, const struct code *c, const struct lvalue *to, struct tree_expr *from);
bool code_is_constructor(const struct code_gen *g, const char *name);
struct tree_expr *code_construct(struct code_gen *g, const struct code *call);
bool code_field(struct code_gen *g, const struct code *c, struct tree_expr *base, uint32_t alias, struct lvalue *out);

/* code_convert.c */
bool code_is_pointer(const struct type *t);
struct tree_expr *code_characters(struct code_gen *g,
                                  struct tree_expr *e); /* of a text: their address; else as it is */
struct tree_expr *code_to(struct code_gen *g, const struct code *c, const struct type *type, struct tree_expr *e);
struct tree_expr *code_promote(struct code_gen *g, struct tree_expr *e);
/* Brings both to their common arithmetic type. */
bool code_common(struct code_gen *g, const struct code *c, struct tree_expr **a, struct tree_expr **b);
struct tree_expr *code_truth(struct code_gen *g, const struct code *c, struct tree_expr *e);
struct tree_expr *code_to_index(struct code_gen *g, const struct code *c, struct tree_expr *e); /* int64 */
struct tree_expr *code_constant(struct code_gen *g, const struct type *type,
                                double value); /* number of any basic type, vector */

/* code_operator.c */
struct tree_expr *code_unary(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a);
struct tree_expr *code_binary(struct code_gen *g, const struct code *c, enum code_op op, struct tree_expr *a,
                              struct tree_expr *b);
struct tree_expr *code_floor_int(struct code_gen *g, struct tree_expr *e); /* ifloor: floor as an integer */

/* code_power.c */
struct tree_expr *code_power(struct code_gen *g, const struct code *c, struct tree_expr *base,
                             const struct code *exponent);
struct tree_expr *code_pow(struct code_gen *g, const struct code *c, struct tree_expr *a, struct tree_expr *b);
struct tree_expr *code_ipow(struct code_gen *g, struct tree_expr *base, uint64_t exponent);
struct tree_expr *code_reciprocal(struct code_gen *g, const struct code *c, struct tree_expr *a);
/* A number as written, signs and quotients of integers included. */
bool code_literal(struct code_gen *g, const struct code *c, double *value);
/* math.pi, math.nan and sums, differences, products and quotients of them and integer literals. */
bool code_typeless(struct code_gen *g, const struct code *c, double *value);
/* The same of a CODE_BINARY whose left operand was looked at: *value is its value if it is `left_typeless`. */
bool code_typeless_binary(struct code_gen *g, const struct code *c, bool left_typeless, double *value);

/* code_call.c */
struct tree_expr *code_call(struct code_gen *g, const struct code *c);
bool code_call_statement(struct code_gen *g, const struct code *c);
bool code_module_constant(const char *dotted, double *value); /* math.pi and the like */

/* code_foreign.c */
struct tree_expr *code_foreign(struct code_gen *g, const struct code *c); /* a call with a type */
/* Is it one of OpenMP's questions about threads? */
bool code_thread_query(struct code_gen *g, const struct code *c, const char *name, struct tree_expr **out);

/* code_group.c: what threads of a block do together */
struct tree_expr *code_group_reduce(struct code_gen *g, const struct code *c); /* kind, width, value */
bool code_group_barrier(struct code_gen *g, const struct code *c);

/* code_math.c, code_function.c, code_integer.c: functions with values as arguments. `same`: the result has the type of
 * the first argument. */
typedef struct tree_expr *code_function(struct code_gen *g, const struct code *c, struct tree_expr **args,
                                        uint32_t count);
const struct code_math *code_find_math(const char *name);
struct tree_expr *code_math(struct code_gen *g, const struct code *c, const struct code_math *f,
                            struct tree_expr **args, uint32_t count, bool same);
/* The type in which the C++ library computes: double if there is an integer, else the widest. NULL if there is none. */
const struct type *code_library_type(struct code_gen *g, struct tree_expr **args, uint32_t count);
struct code_function_row {
    const char *name;
    uint32_t least, most; /* arguments */
    code_function *run;
};
extern const struct code_function_row code_functions[], code_integer_functions[],
    code_bits_functions[]; /* end with no name */
const struct code_function_row *code_find_function(const char *name);
struct tree_expr *code_floor_divide(struct code_gen *g, const struct code *c, struct tree_expr *a, struct tree_expr *b);

/* code_callback.c */
/* A call through operand `o`; *result is NULL if it gives no value. */
bool code_callback(struct code_gen *g, const struct code *c, const struct operand *o, struct tree_expr **result);

/* code_stream.c */
struct tree_expr *code_pop(struct code_gen *g, const struct lvalue *p);
bool code_push(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value);
/* True if the call or member is one of a queue; *out is NULL after a diagnostic. */
bool code_stream_method(struct code_gen *g, const struct code *c, struct tree_expr **out);
bool code_stream_member(struct code_gen *g, const struct code *c, struct tree_expr **out);

/* code_wcr.c */
/* The variable that gets the old content when `name` combines, if the body reads the name; else NULL. */
struct tree_var *code_old_variable(struct code_gen *g, const char *name, const struct type *type);
bool code_combine(struct code_gen *g, const struct code *c, const struct lvalue *p, struct tree_expr *value);
/* The same; gives what was there before, or NULL with a diagnostic. */
struct tree_expr *code_combine_old(struct code_gen *g, const struct code *c, const struct lvalue *p,
                                   struct tree_expr *value);

bool code_reduce(struct code_gen *g, const struct code *c); /* CODE_REDUCE */
struct tree_expr *code_reduce_value(struct code_gen *g, const struct code *c);

/* code_body.c */
bool code_statement(struct code_gen *g, const struct code *c);
bool code_in_block(struct code_gen *g, const struct code *c, struct tree_stmt *block); /* with names of its own */

/* code_static.c */
bool code_static(struct code_gen *g, const struct code *c); /* CODE_STATIC */

/* code_inline.c */
/* The body of CODE_INLINE; *value is NULL if it has none. */
bool code_inline(struct code_gen *g, const struct code *c, struct tree_expr **value);
bool code_leave(struct code_gen *g, const struct code *c);

#endif
