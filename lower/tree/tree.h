/* The loop tree: what the program does, with no SDFG concept left. One structured program for all targets.
 *
 * Typed expressions without side effects, statements with all of them. Types are those of ir/type.h: values are basic
 * types, vectors and pointers (float16, bfloat16 and 8-bit floats are loaded, stored and cast only; arithmetic on them
 * is done in float32 by casts). Integer arithmetic wraps. Index arithmetic is int64. Everything lives in the arena of
 * the tree.
 *
 * Variables are scalars or pointers in registers. A variable belongs to the parallel region (or function) in which it
 * was made; a parallel body reads outer variables (they are captured by value when the body is outlined) but never
 * assigns them. */
#ifndef LOWER_TREE_H
#define LOWER_TREE_H

#include "base/machine.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/code/code.h"
#include "ir/type.h"

struct tree_callee;
struct tree_facts;
struct tree_stmt;

struct tree_var {
    const char *name;
    const struct type *type;
    uint32_t id;                   /* unique in the tree */
    const struct tree_stmt *owner; /* STMT_PARALLEL or STMT_KERNEL that declares it; NULL: the function */
    bool again;                    /* not the first of its name: printed as name#id */
    bool several;                  /* memory of several sizes is taken for it, or of one that calls do not give */
    struct tree_expr *elements;    /* of memory that is taken for it: as many in each place (tree_is_size); else NULL */
    struct tree_expr *size;        /* what it always is, made of constants and parameters; else NULL */
    int64_t least;                 /* with a size: it is no less, if this is more than 0 */
};

enum expr_op {
#define EXPR(op, text, precedence, form, compares, make, check) EXPR_##op,
#include "lower/tree/exprs.def"
    EXPR_OP_COUNT
};

/* clang-format off */
/* MATH(name, arguments): functions on float and complex values that a target may have an instruction or a vector form for.
 * Names are those of the C library; each target maps them per type. */
#define TREE_MATH_LIST(MATH)                                                                                           \
    MATH(sqrt, 1) MATH(cbrt, 1) MATH(exp, 1) MATH(exp2, 1) MATH(expm1, 1) MATH(log, 1) MATH(log2, 1) MATH(log10, 1)      \
    MATH(log1p, 1) MATH(sin, 1) MATH(cos, 1) MATH(tan, 1) MATH(asin, 1) MATH(acos, 1) MATH(atan, 1) MATH(atan2, 2)       \
    MATH(sinh, 1) MATH(cosh, 1) MATH(tanh, 1) MATH(asinh, 1) MATH(acosh, 1) MATH(atanh, 1) MATH(pow, 2) MATH(hypot, 2)   \
    MATH(fabs, 1) /* integers and complex too: the magnitude; complex gives the real type */                           \
    MATH(floor, 1) MATH(ceil, 1) MATH(trunc, 1) MATH(round, 1) MATH(nearbyint, 1) MATH(fmod, 2) MATH(copysign, 2)        \
    MATH(erf, 1) MATH(erfc, 1) MATH(tgamma, 1) MATH(lgamma, 1) MATH(fma, 3) MATH(conj, 1)                                \
    MATH(isnan, 1) MATH(isinf, 1) MATH(isfinite, 1) MATH(signbit, 1) /* these give bool */

enum tree_math {
#define MATH(name, arity) TREE_MATH_##name,
    TREE_MATH_LIST(MATH)
#undef MATH
    TREE_MATH_COUNT
};
/* clang-format on */

/* Expressions do not change once made and may be shared; a pass that rewrites makes new ones. */
struct tree_expr {
    enum expr_op op;
    uint32_t num_args;
    const struct type *type;
    uint32_t alias; /* LOAD: container class; classes > 0 that differ never overlap, 0 may overlap everything */
    union {
        int64_t i;
        double f;
        struct tree_var *var;
        const char *name;
        enum tree_math math;
    };
    union {
        const void *data;
        const struct tree_callee *callee; /* CALL: what the function does (tree_callee.h) */
    };
    struct tree_expr *args[];
};

enum stmt_kind {
#define STMT(kind, emit, form, result, flags) STMT_##kind,
#include "lower/tree/stmts.def"
    STMT_KIND_COUNT
};

enum { TREE_PROGRAM_STATE = 0 }; /* the slot of struct program_state, if the program has one */

enum tree_memory {
    TREE_HEAP,
    TREE_STACK,
    TREE_STATE,  /* slot `slot` of the program's state, lives across calls */
    TREE_DEVICE, /* only kernels and TRANSFER touch it */
    TREE_PINNED, /* of the host, at a fixed physical address: transfers go on while the host does */
    TREE_SHARED, /* of a block of threads, in a kernel; a constant count */
};
enum tree_omp { TREE_OMP_STATIC, TREE_OMP_DYNAMIC, TREE_OMP_GUIDED };

/* How the iterations of a loop that is `wide` come. */
enum tree_vectors {
    TREE_VECTORS_ANY,    /* not known */
    TREE_VECTORS_WHOLE,  /* as many as a number of such vectors have lanes */
    TREE_VECTORS_MASKED, /* fewer than one vector has */
};

/* On what a loop runs where there is a device: blocks of its grid, threads of a block or of a warp, or one after the
 * other inside a kernel that stays. Code for the CPU has loops of the host only. Groups may also be columns: the
 * threads of a block with the same x. */
enum tree_level { TREE_HOST, TREE_GRID, TREE_BLOCK, TREE_WARP, TREE_PERSISTENT, TREE_COLUMN };
enum { TREE_LEVELS = TREE_COLUMN + 1 };

/* Where a thread of a kernel is: x, y and z of the first four. */
enum tree_thread {
    THREAD_INDEX = 0,      /* in its block */
    THREAD_BLOCK = 3,      /* of its block in the grid */
    THREAD_BLOCK_SIZE = 6, /* threads of a block */
    THREAD_GRID_SIZE = 9,  /* blocks of the grid */
    THREAD_LANE = 12,      /* in its warp */
    THREAD_WARP,           /* of its warp in the block */
    THREAD_COUNT
};

/* How data comes from one memory into another. */
enum tree_direction { TREE_IN /* from the host to the device */, TREE_OUT, TREE_WITHIN /* the device */ };

/* Of a kernel, beside its name and its dimensions. 0: not said. */
struct tree_kernel {
    uint32_t most_threads; /* of a block: code for more is not needed */
    uint32_t least_blocks; /* that should fit on a multiprocessor at once */
    bool cooperative;      /* all blocks run at the same time, so that they can meet at barriers */
};

/* The arguments of a STMT_KERNEL. */
enum { KERNEL_GRID = 0, KERNEL_BLOCK = 3, KERNEL_ARGS = 6 };

/* What is known of a loop. `parallel` asks for threads (the parallelize pass decides); `independent` says that
 * iterations do not depend on each other, so vector code needs no check. */
struct tree_loop {
    bool parallel, independent, unroll;
    bool rolled; /* few iterations, mostly: copies of the body are not worth their code */
    bool heavy;  /* one iteration is enough work for a thread */
    bool near;   /* a sequential loop over nests whose iterations find in cache what others left there */
    /* Not 0: the widest vectors of the machine pay; bytes of the values in it. Iterations have nothing in common but
     * sums that may take any order. */
    uint8_t wide;
    enum tree_vectors vectors;
    enum tree_omp omp;
    enum tree_level level;  /* a wish of the graph */
    int chunk, num_threads; /* 0: default */
    /* Of a loop that stands in `tiles` overlapping tiles (0: in none): iterations that are different ones. Those beyond
     * are computed once more. Of a branch in one: both sides do the same. */
    int64_t tiles, different;
};

/* Arguments of sdfg_rt_gemm: extents; address and strides of each matrix; addresses of the factors. */
enum tree_product_arg {
    PRODUCT_M = 2,
    PRODUCT_N,
    PRODUCT_K,
    PRODUCT_A,
    PRODUCT_A_ROW,
    PRODUCT_A_COL,
    PRODUCT_B,
    PRODUCT_B_ROW,
    PRODUCT_B_COL,
    PRODUCT_C,
    PRODUCT_C_ROW,
    PRODUCT_C_COL,
    PRODUCT_ALPHA,
    PRODUCT_BETA,
    PRODUCT_ARGS
};

/* What such a call does, beyond its arguments. */
struct tree_product {
    const struct type *type;              /* of the elements */
    uint32_t a, b, c;                     /* alias classes of the matrices */
    const struct tree_expr *alpha, *beta; /* constants of the type of the elements; NULL: known when it runs */
};

struct tree_stmt {
    enum stmt_kind kind;
    const struct place *place; /* element of the SDFG this comes from (debug info, errors), or NULL */
    struct tree_var *var, *var2;
    struct tree_expr *pointer, *index, *value, *pointer2;
    struct tree_expr *mask; /* MASKED */
    struct tree_expr *begin, *end, *step, *count;
    const struct type *type;
    uint32_t alias, alias2, slot;
    enum wcr_kind wcr;
    enum tree_memory where;
    enum tree_direction direction; /* TRANSFER */
    bool atomic, zero;
    bool isolated;    /* CALL: of the program's memory it touches only what nothing else around it does */
    bool nontemporal; /* COPY, ZERO: past the caches; nobody reads it soon */
    bool reassociate; /* ASSIGN of `x = x op e`: an accumulator whose terms may be combined in any order */
    struct tree_loop loop;
    struct tree_stmt *body, *otherwise;
    const struct tree_stmt *region; /* PARALLEL, KERNEL: the region around this one */
    struct tree_label *label;
    const char *name;
    const struct tree_callee *callee; /* CALL: what the function of that name does; ask stmt_callee */
    uint32_t num_args;
    struct tree_expr **args;
    const struct tree_product *product; /* CALL of sdfg_rt_gemm; NULL: nothing is known of it */
    const struct tree_kernel *kernel;   /* KERNEL */
    const struct tree_check *check;     /* CALL that is a mark of checked mode (tree_check.h); else NULL */
    VEC(struct tree_stmt *) items;
};

struct tree_label {
    const char *name;
    uint32_t id;
    bool again; /* as in tree_var */
};

/* A parameter of the program, in the order of the argument list. The caller passes an array of pointers: for an array
 * the data itself, for a value the address of the value. */
struct tree_param {
    const char *name;
    struct tree_var *var; /* pointer variable of an array, value variable of a scalar or symbol */
    bool by_value;
    bool device;                /* the caller passes an address of device memory */
    bool host_code;             /* of an array, in a tree for devices: code of the host works on it */
    bool no_alias;              /* distinct from every other no_alias parameter */
    uint32_t alias;             /* its container class */
    uint32_t alignment;         /* bytes the caller promises, at least the element's */
    int64_t count;              /* elements of an array, if known; else 0 */
    struct tree_expr *elements; /* the same in checked mode and for devices, where symbols tell it; else NULL */
};

struct tree_func {
    const char *name;
    VEC(struct tree_param) params;
    struct tree_stmt *body;
};

/* What one call does, roughly: what decides whether optimizing the code pays (lower/opt/threads/estimate.c). */
struct tree_estimate {
    double operations;   /* at most: loads, stores, arithmetic; HUGE_VAL if that depends on data or on symbols without
                            value. What library functions do is not in it */
    uint32_t statements; /* of the function "main", however often they run */
};

struct tree {
    struct ir *ir;
    struct arena *arena;
    struct arena *scratch; /* of ir: what a pass needs only while it runs */
    const char *name;
    VEC(struct tree_func *) functions; /* "main", and "init" / "exit" if there is need; all with the same parameters */
    uint32_t num_vars, num_labels, num_slots;
    uint32_t num_aliases;           /* the next free class; 1 in a new tree */
    const struct tree_stmt *region; /* parallel region being built: owner of new variables */
    struct map names;               /* of variables and labels so far */
    struct tree_estimate estimate;  /* of the pass of that name */
    const struct machine *machine;  /* that the code is for; machine_baseline in a new tree */
    struct tree_facts *facts;       /* that passes found out (tree_facts.h); NULL: none yet */
    /* Passes would have decided the same for largest caches from `least` to `most` bytes. */
    struct {
        int64_t least, most;
    } same_cache;
};

/* ---- building (tree.c). Expressions fold constants and obvious identities; operand types must match. ---- */

struct tree *tree_new(struct ir *ir, const char *name);
struct tree_var *tree_var(struct tree *t, const char *name, const struct type *type);
struct tree_label *tree_label(struct tree *t, const char *name);
struct tree_func *tree_func(struct tree *t, const char *name); /* body: a new empty block */
bool tree_func_is_main(const struct tree_func *f);             /* what a call runs; the others frame the calls */

struct tree_expr *expr_int(struct tree *t, const struct type *type, int64_t value);
struct tree_expr *expr_i64(struct tree *t, int64_t value);
struct tree_expr *expr_bool(struct tree *t, bool value);
struct tree_expr *expr_float(struct tree *t, const struct type *type, double value);
struct tree_expr *expr_zero(struct tree *t, const struct type *type); /* any basic type, vector or pointer */
struct tree_expr *expr_null(struct tree *t, const struct type *pointer);
struct tree_expr *expr_context(struct tree *t);
struct tree_expr *expr_var(struct tree *t, struct tree_var *v);
struct tree_expr *expr_load(struct tree *t, const struct type *type, struct tree_expr *pointer, struct tree_expr *index,
                            uint32_t alias);
struct tree_expr *expr_offset(struct tree *t, struct tree_expr *pointer, struct tree_expr *index);
struct tree_expr *expr_field(struct tree *t, struct tree_expr *pointer, uint32_t field);
struct tree_expr *expr_slot(struct tree *t, uint32_t slot, const struct type *pointer);
struct tree_expr *expr_thread(struct tree *t, enum tree_thread which);
struct tree_expr *expr_data(struct tree *t, const struct type *elem, const void *bytes, size_t size);
struct tree_expr *expr_unary(struct tree *t, enum expr_op op, struct tree_expr *a);
struct tree_expr *expr_binary(struct tree *t, enum expr_op op, struct tree_expr *a, struct tree_expr *b);
struct tree_expr *expr_select(struct tree *t, struct tree_expr *c, struct tree_expr *a, struct tree_expr *b);
struct tree_expr *expr_cast(struct tree *t, const struct type *type, struct tree_expr *a);
struct tree_expr *expr_bits(struct tree *t, const struct type *type, struct tree_expr *a);
struct tree_expr *expr_math(struct tree *t, enum tree_math f, struct tree_expr *const *args); /* arity as listed */
struct tree_expr *expr_call(struct tree *t, const struct type *type, const char *name, struct tree_expr *const *args,
                            uint32_t num_args);
struct tree_expr *expr_complex(struct tree *t, struct tree_expr *re, struct tree_expr *im);
struct tree_expr *expr_lane(struct tree *t, struct tree_expr *v, struct tree_expr *lane);
struct tree_expr *expr_insert(struct tree *t, struct tree_expr *v, struct tree_expr *lane, struct tree_expr *value);
struct tree_expr *expr_splat(struct tree *t, const struct type *vector, struct tree_expr *scalar);
/* Of vectors as long as the machine's (exprs.def). `index`: int64, or a vector of integers. */
struct tree_expr *expr_vscale(struct tree *t);
struct tree_expr *expr_steps(struct tree *t, const struct type *vector, struct tree_expr *first,
                             struct tree_expr *step);
struct tree_expr *expr_active(struct tree *t, const struct type *mask, struct tree_expr *i, struct tree_expr *end);
struct tree_expr *expr_masked(struct tree *t, const struct type *vector, struct tree_expr *pointer,
                              struct tree_expr *index, struct tree_expr *mask, uint32_t alias);
struct tree_expr *expr_lanes(struct tree *t, enum expr_op op, struct tree_expr *vector); /* LANES_SUM ... LANES_XOR */
struct tree_expr *expr_lanes_count(struct tree *t, struct tree_expr *mask);
struct tree_expr *expr_compact(struct tree *t, struct tree_expr *vector, struct tree_expr *mask);
struct tree_expr *expr_ordered_sum(struct tree *t, struct tree_expr *first, struct tree_expr *vector);
bool expr_is_int(const struct tree_expr *e, int64_t value);
bool expr_is_const(const struct tree_expr *e); /* EXPR_INT, EXPR_FLOAT, EXPR_NULL or a complex number of such */
/* The bytes of an EXPR_FLOAT as stored in memory, in the low bits. */
uint64_t expr_float_bits(const struct tree_expr *e);
/* No call of a function with effects inside: may be dropped, repeated or moved (as far as its loads allow). */
bool expr_is_pure(const struct tree_expr *e);
bool expr_mentions(const struct tree_expr *e, const struct tree_var *v);
/* What an address is computed from: without offsets, fields and casts. */
const struct tree_expr *expr_root(const struct tree_expr *pointer);
/* The variable that is, or NULL. */
const struct tree_var *expr_root_var(const struct tree_expr *pointer);
/* Surely the same value when evaluated at the same point; false if in doubt. */
bool expr_equal(const struct tree_expr *a, const struct tree_expr *b);
/* A truth value of any scalar: e != 0. */
struct tree_expr *expr_truth(struct tree *t, struct tree_expr *e);

const char *expr_op_name(enum expr_op op);
const char *tree_math_name(enum tree_math f);
uint32_t tree_math_arity(enum tree_math f);
const struct type *tree_math_type(struct tree *t, enum tree_math f, const struct type *arg); /* of the result */
/* What a comparison of vectors of the type gives: integers, or bool where their length is the machine's. */
const struct type *tree_mask_type(struct tree *t, const struct type *vector);

/* Statements are made and appended to `b` (a STMT_BLOCK); the new statement is returned for its optional fields. */
struct tree_stmt *stmt_block(struct tree *t);
void stmt_append(struct tree *t, struct tree_stmt *b, struct tree_stmt *s);
struct tree_stmt *stmt_new(struct tree *t, struct tree_stmt *b, enum stmt_kind kind); /* b may be NULL */
struct tree_stmt *stmt_assign(struct tree *t, struct tree_stmt *b, struct tree_var *v, struct tree_expr *value);
struct tree_stmt *stmt_store(struct tree *t, struct tree_stmt *b, struct tree_expr *pointer, struct tree_expr *index,
                             struct tree_expr *value, uint32_t alias);
struct tree_stmt *stmt_masked(struct tree *t, struct tree_stmt *b, struct tree_expr *pointer, struct tree_expr *index,
                              struct tree_expr *mask, struct tree_expr *value, uint32_t alias);
struct tree_stmt *stmt_reduce(struct tree *t, struct tree_stmt *b, enum wcr_kind wcr, bool atomic,
                              struct tree_expr *pointer, struct tree_expr *index, struct tree_expr *value,
                              uint32_t alias);
struct tree_stmt *stmt_for(struct tree *t, struct tree_stmt *b, struct tree_var *v, struct tree_expr *begin,
                           struct tree_expr *end, struct tree_expr *step); /* body is a new empty block */
struct tree_stmt *stmt_while(struct tree *t, struct tree_stmt *b, struct tree_expr *condition);
/* body and otherwise are new blocks */
struct tree_stmt *stmt_if(struct tree *t, struct tree_stmt *b, struct tree_expr *condition);
struct tree_stmt *stmt_label(struct tree *t, struct tree_stmt *b, struct tree_label *l);
struct tree_stmt *stmt_goto(struct tree *t, struct tree_stmt *b, struct tree_label *l);
struct tree_stmt *stmt_alloc(struct tree *t, struct tree_stmt *b, struct tree_var *v, const struct type *elem,
                             struct tree_expr *count, enum tree_memory where);
/* Notes that so many elements are taken for the variable. */
void tree_var_holds(struct tree *t, struct tree_var *v, struct tree_expr *elements);
struct tree_stmt *stmt_free(struct tree *t, struct tree_stmt *b, struct tree_var *v);
struct tree_stmt *stmt_copy(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *to,
                            uint32_t to_alias, struct tree_expr *from, uint32_t from_alias, struct tree_expr *count);
struct tree_stmt *stmt_zero(struct tree *t, struct tree_stmt *b, const struct type *elem, struct tree_expr *at,
                            uint32_t alias, struct tree_expr *count);
struct tree_stmt *stmt_call(struct tree *t, struct tree_stmt *b, struct tree_var *result, const char *name,
                            struct tree_expr *const *args, uint32_t num_args);

/* Sets pointer and index of an access: (&p[i])[j] is p[i + j]. */
void stmt_set_address(struct tree *t, struct tree_stmt *s, struct tree_expr *pointer, struct tree_expr *index);

/* Opens a STMT_PARALLEL: variables made until tree_parallel_end belong to it. */
struct tree_stmt *tree_parallel_begin(struct tree *t, struct tree_stmt *b, struct tree_expr *count);
void tree_parallel_end(struct tree *t, struct tree_stmt *parallel);
/* The same for a STMT_KERNEL with dimensions 1: set args and kernel as needed. `b` may be NULL. */
struct tree_stmt *tree_kernel_begin(struct tree *t, struct tree_stmt *b, const char *name);
void tree_kernel_end(struct tree *t, struct tree_stmt *kernel);

/* Made of constants and parameters alone, as extents of arrays are? */
bool tree_is_size(const struct tree *t, const struct tree_expr *e);

/* ---- whole trees ---- */

void tree_print(const struct tree *t, struct text *out); /* readable pseudo-code, stable */
void stmt_print(const struct tree_stmt *s, uint32_t indent, struct text *out);
void expr_print(const struct tree_expr *e, struct text *out);
/* Types, owners, loops, labels; reports a BUG naming the place of the first broken statement. */
bool tree_verify(const struct tree *t, struct diags *d);
void expr_visit(struct tree_expr *e, void (*visit)(void *user, struct tree_expr *e), void *user); /* parents first */
void stmt_visit(struct tree_stmt *s, bool (*visit)(void *user, struct tree_stmt *s),
                void *user); /* false: skip children */
/* Calls `visit` for the statements directly in `s`, in order. The body of a kernel is code for a device: not that one.
 */
void stmt_children(const struct tree_stmt *s, void (*visit)(void *user, const struct tree_stmt *child), void *user);
bool stmt_contains(const struct tree_stmt *s, enum stmt_kind kind); /* is it of that kind, or one in it? As above */
bool stmt_is_loop(const struct tree_stmt *s);
bool stmt_has_loops(const struct tree_stmt *s);    /* inside of it */
bool stmt_has_products(const struct tree_stmt *s); /* among the items of the block */
void stmt_each_expr(struct tree_stmt *s, void (*visit)(void *user, struct tree_expr **e), void *user); /* of s itself */

#endif
