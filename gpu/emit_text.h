/* What the files of the emitter share. Expressions become text, innermost first; what is used twice in a statement, or
 * becomes long, is a constant of the text in front of it. Everything that the text declares has a prefix (k kernel, p
 * parameter, v variable, t constant, d data, s structure, sd_ function of ours), since names of programs may mean
 * something in CUDA. */
#ifndef GPU_EMIT_TEXT_H
#define GPU_EMIT_TEXT_H

#include "gpu/emit.h"
#include "lower/tree/tree_kernel.h"
#include "lower/tree/tree_rows.h"

#include "base/text.h"

/* How tightly an expression holds together, as in C. */
enum cuda_level {
    CUDA_CHOICE,
    CUDA_OR,
    CUDA_AND,
    CUDA_BIT_OR,
    CUDA_BIT_XOR,
    CUDA_BIT_AND,
    CUDA_EQUAL,
    CUDA_LESS,
    CUDA_SHIFT,
    CUDA_SUM,
    CUDA_PRODUCT,
    CUDA_UNARY,
    CUDA_POSTFIX, /* names, constants, calls */
};

struct cuda {
    const char *s;
    enum cuda_level level;
};

/* Functions and types of ours that the text may need (pieces.def). */
enum gpu_piece {
#define PIECE(name, needs, text) PIECE_##name,
#include "gpu/pieces.def"
    PIECE_COUNT
};

/* A module of text. */
struct gpu_module {
    const struct tree *tree;
    struct ir *ir;
    struct arena *arena;
    enum gpu_fp fp;
    bool needs[PIECE_COUNT];
    struct map records, data; /* struct type *, bytes of an EXPR_DATA -> number + 1 */
    VEC(const struct sdfg_rt_access *) accesses;
    struct text declarations;
    VEC(const struct place *) places; /* as marks in the text count them */
    VEC(struct gpu_kernel) kernels;
    struct map functions; /* interned text of a body without names of the program -> name */
    uint32_t num_functions;
    const struct place *place; /* of the statement at hand */
    bool failed;
};

/* A variable in a kernel. */
struct gpu_variable {
    const struct tree_var *var;
    const char *name;
    bool param;    /* given by the host */
    bool constant; /* nobody assigns it */
    bool declared;
    bool on_top;                /* declared before all code */
    bool array;                 /* the name stands for memory of the kernel */
    bool read_only, restricted; /* of a parameter that is a pointer: what it leads to */
    uint32_t alignment;         /* of the address in it, if known to be more than the element's */
    /* Where all mentions of it are: in items of this block, only in `item` if not `several`. */
    const struct tree_stmt *block;
    uint32_t item;
    bool several;
    bool kept; /* some iteration of a loop may find what an earlier one has left */
    uint32_t assignments, mentions;
};

/* A function that is being written. */
struct gpu_func {
    struct gpu_module *module;
    const struct tree_stmt *kernel;
    const char *name;
    struct kernel_params params;
    bool plain;           /* without names and places of the program */
    bool labels;          /* some jump may come past declarations: all of them stand on top */
    struct map variables; /* struct tree_var * -> struct gpu_variable * */
    VEC(struct gpu_variable *) order;
    struct text top, *out;
    unsigned indent;
    uint32_t num_constants, num_variables;
    const struct place *marked; /* by the last mark in the text */
    /* Within a statement: how often expressions occur in it, and the names of those that have one. */
    struct map uses;
    VEC(struct gpu_constant {
        const struct tree_expr *expr;
        const char *name;
    })
    constants;
};

/* ---- emit_module.c ---- */

void gpu_need(struct gpu_module *m, enum gpu_piece piece);
/* Records that something is not supported, once. */
void gpu_unsupported(struct gpu_module *m, const char *what);

/* ---- emit_name.c ---- */

/* What an identifier may have of a name of the program, behind `prefix` and a number. */
const char *gpu_name(struct gpu_func *f, char prefix, uint32_t number, const char *name);
struct gpu_variable *gpu_variable(struct gpu_func *f, const struct tree_var *v);
/* Finds all variables of the kernel and where to declare them. */
void gpu_variables(struct gpu_func *f);

/* ---- emit_access.c ---- */

/* What is known of memory behind pointers that are parameters. */
void gpu_accesses(struct gpu_func *f);
/* The element at pointer[index], something to read or to assign (of the type in memory). */
struct cuda gpu_element(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer,
                        const struct tree_expr *index);
/* Its value, of the type in registers. */
struct cuda gpu_load(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer,
                     const struct tree_expr *index);
void gpu_store(struct gpu_func *f, const struct type *t, const struct tree_expr *pointer, const struct tree_expr *index,
               struct cuda value);
/* Values as they are in memory, and back. */
struct cuda gpu_to_memory(struct gpu_func *f, const struct type *t, struct cuda v);
struct cuda gpu_from_memory(struct gpu_func *f, const struct type *t, struct cuda v);
struct cuda gpu_address(struct gpu_func *f, const struct tree_expr *e);
struct cuda gpu_data(struct gpu_func *f, const struct tree_expr *e);

/* ---- emit_type.c ---- */

const char *gpu_type(struct gpu_module *m, const struct type *t);   /* of values */
const char *gpu_memory(struct gpu_module *m, const struct type *t); /* of elements in memory */
bool gpu_is_small(const struct type *t);                            /* a float narrower than 32 bits */

/* ---- emit_expr.c ---- */

struct cuda gpu_text_of(enum cuda_level level, const char *s);
struct cuda gpu_print(struct gpu_func *f, enum cuda_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* In parentheses unless it holds together at this level. */
const char *gpu_at(struct gpu_func *f, enum cuda_level level, struct cuda c);
/* Begins a statement with these expressions in it. */
void gpu_begin(struct gpu_func *f, const struct tree_stmt *s);
struct cuda gpu_expr(struct gpu_func *f, const struct tree_expr *e);
/* As an index or count: int64, or a narrower integer whose value is the same. */
struct cuda gpu_index(struct gpu_func *f, const struct tree_expr *e);
/* Gives it a name of its own. */
struct cuda gpu_constant(struct gpu_func *f, const char *type, struct cuda c);

/* ---- emit_arith.c: values are texts; types are those of the operands. Vectors go lane by lane ---- */

struct cuda gpu_unary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a);
struct cuda gpu_binary(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b);
struct cuda gpu_compare(struct gpu_func *f, enum expr_op op, const struct type *t, struct cuda a, struct cuda b);
struct cuda gpu_truth(struct gpu_func *f, const struct type *t, struct cuda a);
/* Sums, differences and products of integers as one computation without a sign. */
bool gpu_is_modular(const struct tree_expr *e);
struct cuda gpu_modular(struct gpu_func *f, const struct tree_expr *e);

/* ---- emit_cast.c ---- */

struct cuda gpu_cast(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v);
struct cuda gpu_bits(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v);
struct cuda gpu_constant_value(struct gpu_func *f, const struct tree_expr *e);
/* A small float as float, and back. */
struct cuda gpu_wide(struct gpu_func *f, const struct type *small, struct cuda v);
struct cuda gpu_narrow(struct gpu_func *f, const struct type *small, struct cuda v);

/* ---- emit_math.c ---- */

struct cuda gpu_math(struct gpu_func *f, enum tree_math math, const struct type *result, const struct type *t,
                     const struct cuda *args);
/* A call of a function that devices have, too. */
struct cuda gpu_call(struct gpu_func *f, const struct type *result, const char *name, const struct tree_callee *callee,
                     struct tree_expr *const *args, uint32_t num_args);

/* ---- emit_atomic.c ---- */

/* Two values combined. */
struct cuda gpu_combine(struct gpu_func *f, enum wcr_kind wcr, const struct type *t, struct cuda a, struct cuda b);
void gpu_stmt_reduce(struct gpu_func *f, const struct tree_stmt *s);
void gpu_stmt_update(struct gpu_func *f, const struct tree_stmt *s);

/* ---- emit_group.c ---- */

void gpu_stmt_group(struct gpu_func *f, const struct tree_stmt *s);
void gpu_stmt_barrier(struct gpu_func *f, const struct tree_stmt *s);
struct cuda gpu_thread(struct gpu_func *f, const struct tree_expr *e);

/* ---- emit_fault.c: what checked mode calls ---- */

struct cuda gpu_faults(struct gpu_func *f, const struct tree_expr *e);
/* A call of a function of checked mode; false: it is another one. */
bool gpu_fault_call(struct gpu_func *f, const char *name, struct tree_expr *const *args, struct cuda *out);

/* ---- emit_stmt.c ---- */

void gpu_stmt(struct gpu_func *f, const struct tree_stmt *s);
void gpu_line(struct gpu_func *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Assigns, and declares the variable if it is not declared yet. */
void gpu_assign(struct gpu_func *f, const struct tree_var *v, const char *value);
/* Texts of their own, for code that is there only if something is: from `begin` to `end` lines go into `text`. */
struct gpu_aside {
    struct text text, *outer;
    uint32_t constants;
};
void gpu_aside_begin(struct gpu_func *f, struct gpu_aside *a);
void gpu_aside_end(struct gpu_func *f, struct gpu_aside *a);

/* ---- emit_kernel.c ---- */

/* The function, from its parameters on; `f->name` stands for itself. */
const char *gpu_kernel_text(struct gpu_func *f);
/* Of a block of a kernel; 0 if it is not a constant. */
int64_t gpu_block_threads(const struct tree_stmt *kernel);

#endif
