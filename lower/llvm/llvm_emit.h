/* Inside the LLVM emitter: what lower/llvm/llvm_*.c share.
 *
 * A *unit* is one module. Which functions there are is planned on the tree (lower/tree/tree_outline.h); `struct
 * llvm_func` is the state while one of them is emitted. */
#ifndef LOWER_LLVM_EMIT_H
#define LOWER_LLVM_EMIT_H

#include "base/map.h"
#include "lower/llvm/llvm.h"
#include "lower/tree/tree_kernel.h"
#include "lower/tree/tree_outline.h"
#include "lower/tree/tree_uses.h"

/* A value in registers. A complex value has two parts, a vector of complex numbers two vectors; `im` is NULL otherwise.
 */
struct llvm_value {
    LLVMValueRef v, im;
};

enum {
    LLVM_ACCESS_GROUP_BATCH = 32,
    LLVM_ALIAS_CLASSES_MAX = 64,
    LLVM_UNROLLED_MAX = 5 /* iterations of a loop that the lean pipeline replaces by them (jit/optimize.c) */
};

struct llvm_unit {
    struct llvm_emitter *emitter;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder, allocas; /* allocas: at the end of the entry block of the function being emitted */
    bool x86;
    unsigned vscale; /* of scalable vectors; 0: known when the code runs */
    LLVMTypeRef nothing, pointer, i1, i8, i16, i32, i64, f16, f32, f64;
    unsigned kind_loop, kind_scope, kind_noalias, kind_group; /* metadata kinds */
    LLVMMetadataRef groups[LLVM_ACCESS_GROUP_BATCH];          /* access groups not used yet */
    uint32_t num_groups;
    struct map data;          /* bytes of EXPR_DATA -> their global */
    VEC(LLVMValueRef) kept;   /* vector functions that no call names yet */
    struct llvm_debug *debug; /* NULL: no debug info */
};

/* A variable in the function being emitted. */
struct llvm_variable {
    uint32_t stamp; /* the rest holds for the scan with this number */
    bool in_memory; /* kept in an alloca: not one assignment that dominates all uses */
    bool set;       /* `value` holds: registers, or the allocas */
    struct llvm_value value;
    uint32_t private_from; /* a pointer into stack memory made inside that many independent loops */
};

struct llvm_alias {
    LLVMMetadataRef scope, list, others; /* the class itself; list of it alone; list of all other classes */
};

struct llvm_emitter {
    const struct tree *tree;
    struct diags *diags;
    const struct llvm_options *options;
    struct arena *arena;
    VEC(struct llvm_unit *) units;
    const struct tree_outline *outline;
    struct tree_uses uses;           /* of the function being emitted */
    struct map kernels;              /* STMT_KERNEL -> what a launch needs; empty in code for the CPU */
    struct llvm_variable *variables; /* by id */
    struct llvm_alias *aliases;      /* by class */
    struct llvm_memo *memo;          /* lent to the function being emitted */
    uint32_t memo_size, statement;
};

/* A multiple of a loop's variable that grows along with it. */
struct llvm_multiple {
    int64_t factor;
    LLVMValueRef phi;
};

struct llvm_loop {
    struct llvm_loop *outer;
    LLVMBasicBlockRef leave, next; /* targets of BREAK and CONTINUE */
    uint32_t critical;
    const struct tree_var *var; /* of a loop without loops in it that counts by a constant, or NULL */
    LLVMBasicBlockRef body;
    VEC(struct llvm_multiple) multiples;
    bool has_loops; /* in it that will not be unrolled; loops around those are not either */
};

struct llvm_memo {
    const struct tree_expr *key;
    struct llvm_value value;
    uint32_t statement, branch;
};

struct llvm_func {
    struct llvm_emitter *emitter;
    struct llvm_unit *unit;
    const struct tree_outlined *code;
    const struct place *place; /* of the statement being emitted */
    LLVMBuilderRef builder;
    LLVMValueRef function, context, data; /* data: the argument struct, or the caller's argument array */
    LLVMBasicBlockRef entry, leave;       /* leave: the one block that returns */
    LLVMBasicBlockRef cancelled;          /* ends the call; NULL: nothing goes there yet */
    LLVMValueRef run;                     /* on the device; NULL: the function has no statements for one */
    LLVMValueRef kept;                    /* what sdfg_rt_threads_keep gave; NULL: not called */
    LLVMValueRef early;                   /* PART: alloca of the flag "the caller must return" */
    struct llvm_loop *loop;
    uint32_t critical; /* critical sections around the statement */
    bool reassociate;  /* float operations built now belong to an accumulator */
    bool soft_half;    /* the target converts float16 in a library only */
    bool fuse;         /* ... have an operand that is a product */
    struct map labels; /* struct tree_label -> block */
    struct map passed; /* the labels whose code has been emitted: jumps to them go back */
    /* values of shared nodes of the statement */
    struct llvm_memo *memo;
    uint32_t memo_size, memo_count, statement;
    VEC(uint32_t) branches; /* the conditional pieces of the expression that are open */
    uint32_t num_branches;
    /* metadata */
    VEC(LLVMMetadataRef) groups; /* access groups of the independent loops around the statement */
    LLVMMetadataRef domain, internal, internal_list;
    LLVMMetadataRef subprogram;
};

/* llvm_module.c */
LLVMValueRef llvm_function_get(struct llvm_unit *u, const char *name, LLVMTypeRef type); /* declares it if needed */
bool llvm_has_feature(LLVMValueRef function, const char *feature); /* "+avx2": the function is compiled for it */
void llvm_function_attribute(struct llvm_unit *u, LLVMValueRef function, const char *name, uint64_t value);
bool llvm_unsupported(struct llvm_func *f,
                      const struct type *t); /* reports that values of the type cannot be used; false */
bool llvm_bug(struct llvm_func *f, const char *what);

/* llvm_outline.c */
LLVMTypeRef llvm_outlined_type(struct llvm_unit *u, const struct tree_outlined *code);
void llvm_load_shared(struct llvm_func *f);     /* captured and shared variables, at the start of the function */
void llvm_store_shared(struct llvm_func *f);    /* shared variables, at its end */
void llvm_threads_keep(struct llvm_func *f);    /* at the start of a function; sets f->kept */
void llvm_threads_release(struct llvm_func *f); /* in front of its return */
void llvm_stmt_parallel(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_part(struct llvm_func *f, const struct tree_outlined *part);

/* llvm_device.c */
void llvm_kernels(struct llvm_emitter *e); /* finds them */
void llvm_run_begin(struct llvm_func *f);  /* at the start of a function; sets f->run */
void llvm_run_end(struct llvm_func *f);    /* in front of its return */
bool llvm_on_device(enum tree_memory where);
LLVMValueRef llvm_device_alloc(struct llvm_func *f, enum tree_memory where, LLVMValueRef bytes); /* null: it failed */
void llvm_device_zero(struct llvm_func *f, LLVMValueRef at, LLVMValueRef bytes);
void llvm_device_free(struct llvm_func *f, enum tree_memory where, LLVMValueRef memory);
void llvm_stmt_device(struct llvm_func *f, const struct tree_stmt *s);
struct llvm_value llvm_expr_thread(struct llvm_func *f, const struct tree_expr *e);

/* llvm_variable.c: variables in the function being emitted */
struct llvm_variable *llvm_variable(struct llvm_emitter *e, const struct tree_var *v);
struct llvm_value llvm_variable_read(struct llvm_func *f, const struct tree_var *v);
void llvm_variable_write(struct llvm_func *f, const struct tree_var *v, struct llvm_value value);
LLVMValueRef llvm_alloca(struct llvm_func *f, LLVMTypeRef type, const char *name); /* in the entry block */

/* llvm_type.c */
LLVMTypeRef llvm_type(struct llvm_unit *u, const struct type *t); /* in registers; of a complex type: of one part */
bool llvm_type_is_complex(const struct type *t);                  /* complex numbers or vectors of them */
LLVMTypeRef llvm_type_memory(struct llvm_unit *u, const struct type *t); /* an element in memory; its size is t->size */
bool llvm_type_usable(const struct type *t);                             /* values of it can be in registers */
const struct type *llvm_type_part(struct llvm_func *f,
                                  const struct type *t); /* of a complex type: float32 or float64, or a vector of it */
bool llvm_type_is_small_float(const struct type *t);     /* float16, bfloat16 and the 8-bit ones */
bool llvm_is_vector(LLVMTypeRef type);                   /* of either kind */
LLVMTypeRef llvm_with_lanes(LLVMTypeRef vector, LLVMTypeRef element); /* as many lanes, of another element */
LLVMTypeRef llvm_with_pairs(LLVMTypeRef vector);                      /* twice as many lanes */
LLVMValueRef llvm_int(LLVMTypeRef type, int64_t value);
LLVMValueRef llvm_splat(struct llvm_func *f, LLVMTypeRef like,
                        LLVMValueRef scalar);                 /* `like` a vector; else unchanged */
LLVMValueRef llvm_const_int(LLVMTypeRef like, int64_t value); /* in every lane */
struct llvm_value llvm_splat_value(struct llvm_func *f, const struct type *vector, struct llvm_value lane);
struct llvm_value llvm_lane(struct llvm_func *f, struct llvm_value vector, LLVMValueRef lane);
LLVMValueRef llvm_const_float(LLVMTypeRef like, double value);

/* llvm_small.c: 16- and 8-bit floats */
LLVMTypeRef llvm_shaped(LLVMTypeRef scalar,
                        LLVMValueRef shape); /* `scalar`, or a vector of it with the lanes of `shape` */
LLVMValueRef llvm_widen(struct llvm_func *f, const struct type *small, LLVMValueRef v);  /* small float to float32 */
LLVMValueRef llvm_narrow(struct llvm_func *f, const struct type *small, LLVMValueRef v); /* float32 to small float */
LLVMValueRef llvm_round_to_odd(struct llvm_func *f, LLVMValueRef v); /* float64 to float32, to be narrowed further */

/* llvm_cast.c */
struct llvm_value llvm_cast(struct llvm_func *f, const struct type *to, const struct type *from, struct llvm_value v);
struct llvm_value llvm_bits(struct llvm_func *f, const struct type *to, const struct type *from, struct llvm_value v);
/* One LLVM value with the bytes of memory: bool as bytes, complex numbers as two lanes each. And back. */
LLVMValueRef llvm_to_memory(struct llvm_func *f, const struct type *t, struct llvm_value v);
struct llvm_value llvm_from_memory(struct llvm_func *f, const struct type *t, LLVMValueRef v);
LLVMValueRef llvm_interleave(struct llvm_func *f, LLVMValueRef a, LLVMValueRef b); /* a vector of a0 b0 a1 b1 ... */

/* llvm_arith.c, llvm_complex.c */
LLVMValueRef llvm_fp(struct llvm_func *f, LLVMValueRef v); /* sets the flags of a float operation; gives v */
struct llvm_value llvm_binary(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a,
                              struct llvm_value b);
struct llvm_value llvm_unary(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a);
LLVMValueRef llvm_compare(struct llvm_func *f, enum expr_op op, const struct type *t, struct llvm_value a,
                          struct llvm_value b);
LLVMValueRef llvm_truth(struct llvm_func *f, const struct type *t, struct llvm_value v); /* v != 0 */
struct llvm_value llvm_select(struct llvm_func *f, LLVMValueRef condition, struct llvm_value a, struct llvm_value b);
struct llvm_value llvm_complex_binary(struct llvm_func *f, enum expr_op op, struct llvm_value a, struct llvm_value b);

/* llvm_math.c */
struct llvm_value llvm_math(struct llvm_func *f, const struct tree_expr *e, const struct llvm_value *args);
LLVMValueRef llvm_intrinsic(struct llvm_func *f, const char *name, LLVMTypeRef overload, LLVMValueRef *args,
                            unsigned n);
/* Of a vector of float32 or float64. */
LLVMValueRef llvm_vector_math(struct llvm_func *f, enum tree_math math, const struct type *t,
                              const struct llvm_value *args);

/* llvm_vector.c */
LLVMValueRef llvm_vscale(struct llvm_func *f); /* int64: 128 bits of a vector register */
typedef struct llvm_value llvm_lane_function(struct llvm_func *f, void *user, const struct llvm_value *lanes);
/* Each lane of the result computed by itself from those of the arguments: for what vectors have no instruction. */
struct llvm_value llvm_each_lane(struct llvm_func *f, const struct type *result, const struct llvm_value *args,
                                 unsigned n, llvm_lane_function *of_lane, void *user);
/* The vector form that a library has of a function, called; NULL: none has one. */
LLVMValueRef llvm_vector_call(struct llvm_func *f, const char *function, const struct type *t,
                              const struct llvm_value *args, unsigned n);
void llvm_vector_forms(struct llvm_func *f, LLVMValueRef call, const char *function, const struct type *t,
                       unsigned num_args);
void llvm_vector_finish(struct llvm_unit *u);

/* llvm_masked.c: the lanes of a mask. `at`: the address of lane 0, or those of all lanes; aligned to `bytes` */
LLVMValueRef llvm_masked_load(struct llvm_func *f, LLVMTypeRef type, LLVMValueRef at, LLVMValueRef mask,
                              unsigned bytes);
LLVMValueRef llvm_masked_store(struct llvm_func *f, LLVMValueRef v, LLVMValueRef at, LLVMValueRef mask, unsigned bytes);
struct llvm_value llvm_expr_masked(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_vscale(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_steps(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_active(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_lanes(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_lanes_count(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_compact(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_ordered(struct llvm_func *f, const struct tree_expr *e);
void llvm_stmt_masked(struct llvm_func *f, const struct tree_stmt *s);

/* llvm_call.c */
LLVMValueRef llvm_runtime(struct llvm_func *f, const char *name, LLVMValueRef *args, unsigned n); /* a row of abi.def */
/* The function of that name, or the one `pointer` (or NULL) points to. */
struct llvm_value llvm_call(struct llvm_func *f, const struct type *result, const char *name,
                            const struct tree_expr *pointer, struct tree_expr *const *args, uint32_t num_args);
/* A call of a function of the C mathematical library: no side effects. */
struct llvm_value llvm_call_pure(struct llvm_func *f, const struct type *result, const char *name,
                                 const struct type *const *types, const struct llvm_value *args, unsigned n);
void llvm_return_if_failed(struct llvm_func *f);                     /* leaves the function if the call has failed */
LLVMValueRef llvm_context_field(struct llvm_func *f, size_t offset); /* address of a field of the runtime context */

/* llvm_product.c: a call of sdfg_rt_gemm in place; false: it is not small, or not known here */
bool llvm_product(struct llvm_func *f, const struct tree_stmt *s);

/* llvm_expr.c */
struct llvm_value llvm_expr(struct llvm_func *f, const struct tree_expr *e);
void llvm_expr_begin(struct llvm_func *f);   /* nothing computed so far may be used again */
void llvm_branch_begin(struct llvm_func *f); /* values computed from here to llvm_branch_end are not known behind it */
void llvm_branch_end(struct llvm_func *f);
bool llvm_speculatable(const struct tree_expr *e); /* cheap and harmless to evaluate when not needed */

/* llvm_memory.c */
LLVMValueRef llvm_address(struct llvm_func *f, const struct type *elem, LLVMValueRef pointer, LLVMValueRef index);
struct llvm_value llvm_load(struct llvm_func *f, const struct type *t, LLVMValueRef at, uint32_t alias,
                            uint32_t private_from);
void llvm_store(struct llvm_func *f, const struct type *t, LLVMValueRef at, struct llvm_value v, uint32_t alias,
                uint32_t private_from);
struct llvm_value llvm_expr_load(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_slot(struct llvm_func *f, const struct tree_expr *e);
struct llvm_value llvm_expr_data(struct llvm_func *f, const struct tree_expr *e);
void llvm_stmt_store(struct llvm_func *f, const struct tree_stmt *s);
/* The bytes of `count` elements; a negative count is none. */
LLVMValueRef llvm_byte_count(struct llvm_func *f, const struct type *elem, const struct tree_expr *count);
void llvm_stmt_copy(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_zero(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_alloc(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_free(struct llvm_func *f, const struct tree_stmt *s);
uint32_t llvm_private_from(struct llvm_func *f, const struct tree_expr *pointer);

/* llvm_reduce.c */
void llvm_stmt_reduce(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_update(struct llvm_func *f, const struct tree_stmt *s);

/* llvm_stmt.c */
void llvm_stmt(struct llvm_func *f, const struct tree_stmt *s);
void llvm_critical_begin(struct llvm_func *f);
void llvm_critical_end(struct llvm_func *f);

/* llvm_flow.c: basic blocks */
LLVMBasicBlockRef llvm_block(struct llvm_func *f, const char *name);
LLVMBasicBlockRef llvm_block_current(const struct llvm_func *f);
/* Goes on in `b`, which is moved to the end so that the text reads in order. */
void llvm_block_begin(struct llvm_func *f, LLVMBasicBlockRef b);
void llvm_block_jump(struct llvm_func *f, LLVMBasicBlockRef to); /* unless the current one has its jump already */
struct llvm_if {
    LLVMBasicBlockRef otherwise, end;
};
struct llvm_retry {
    LLVMBasicBlockRef again;
    LLVMValueRef old; /* the value at the start of each round */
};
struct llvm_repeat {
    LLVMBasicBlockRef again;
    LLVMValueRef round, rounds;
    LLVMValueRef *phis;
};
struct llvm_value llvm_flow_select(struct llvm_func *f, const struct tree_expr *condition, const struct tree_expr *a,
                                   const struct tree_expr *b);
struct llvm_value llvm_flow_logical(struct llvm_func *f, const struct tree_expr *e);
void llvm_stmt_if(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_jump(struct llvm_func *f, const struct tree_stmt *s); /* BREAK, CONTINUE, GOTO, RETURN */
void llvm_stmt_label(struct llvm_func *f, const struct tree_stmt *s);
struct llvm_if llvm_flow_if(struct llvm_func *f, LLVMValueRef condition);
void llvm_flow_else(struct llvm_func *f, struct llvm_if *i);
void llvm_flow_end(struct llvm_func *f, struct llvm_if *i);
struct llvm_retry llvm_flow_retry(struct llvm_func *f, LLVMValueRef first);
void llvm_flow_retry_end(struct llvm_func *f, struct llvm_retry *r, LLVMValueRef old, LLVMValueRef done);
/* `rounds` (int64, > 0) times what follows, up to the end: `values` are what it begins with, then those of each round,
 * and behind the end those of the last. */
struct llvm_repeat llvm_flow_repeat(struct llvm_func *f, LLVMValueRef rounds, LLVMValueRef *values, unsigned n);
void llvm_flow_repeat_end(struct llvm_func *f, struct llvm_repeat *r, LLVMValueRef *values, unsigned n);
void llvm_flow_return(struct llvm_func *f); /* ends the block */
void llvm_flow_return_if(struct llvm_func *f, LLVMValueRef condition);
void llvm_flow_begin(struct llvm_func *f); /* entry, first and leaving block of a new function */
void llvm_flow_finish(struct llvm_func *f);
bool llvm_flow_ended(const struct llvm_func *f); /* the current block has its jump: what follows is not reached */
void llvm_flow_restart(
    struct llvm_func *f); /* a block that nothing jumps to, for code behind a jump that holds labels */

/* llvm_cancel.c */
void llvm_cancel_point(struct llvm_func *f);                               /* the call ends here if it was cancelled */
void llvm_cancel_before(struct llvm_func *f, const struct tree_stmt *s);   /* ... if `s` may take long */
void llvm_cancel_again(struct llvm_func *f, const struct tree_stmt *loop); /* ... at its back edge */

/* llvm_loop.c */
/* `e` if it is a multiple of the innermost loop's variable that is counted along, or NULL */
LLVMValueRef llvm_multiple(struct llvm_func *f, const struct tree_expr *e);
void llvm_stmt_for(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_while(struct llvm_func *f, const struct tree_stmt *s);
void llvm_stmt_do(struct llvm_func *f, const struct tree_stmt *s);

/* llvm_meta.c */
void llvm_meta_function(struct llvm_func *f); /* alias scopes, after the scan */
/* For an access of alias class `alias` (and `alias2`: a copy), in the access groups of the independent loops from
 * `private_from` on. */
void llvm_meta_access(struct llvm_func *f, LLVMValueRef access, uint32_t alias, uint32_t private_from);
void llvm_meta_copy(struct llvm_func *f, LLVMValueRef access, uint32_t alias, uint32_t alias2, uint32_t private_from);
void llvm_meta_internal(struct llvm_func *f,
                        LLVMValueRef access); /* tables of the runtime: no container overlaps them */
void llvm_meta_loop_begin(struct llvm_func *f, const struct tree_loop *loop);
/* `has_loops`: see struct llvm_loop; `few`: to be replaced by its iterations; `scalar`: not to be vectorized; `at`: the
 * location of the loop, or NULL. */
void llvm_meta_loop_end(struct llvm_func *f, const struct tree_loop *loop, LLVMValueRef back_edge, bool has_loops,
                        bool few, bool scalar, LLVMMetadataRef at);
void llvm_meta_likely(struct llvm_func *f, LLVMValueRef select); /* it nearly always is its first operand */
void llvm_meta_vector_loop(struct llvm_func *f, LLVMValueRef back_edge);

/* llvm_export.c */
void llvm_exports(struct llvm_emitter *e); /* after all other functions; there is one unit */

/* llvm_debug.c */
void llvm_debug_unit(struct llvm_unit *u);
void llvm_debug_function(struct llvm_func *f);
void llvm_debug_place(struct llvm_func *f, const struct tree_stmt *s); /* f->place is that of the statement */
LLVMMetadataRef llvm_debug_here(struct llvm_func *f); /* where a loop stands, for remarks; NULL if nobody wants them */
void llvm_debug_finish(struct llvm_unit *u);

#endif
