/* Marks of checked mode (docs/checking.md): statements that say which elements of a container the code behind them
 * touches. Lowering makes them in front of each access; the check pass proves them, moves them out of loops, and makes
 * tests of those that are left. A mark is
 *
 *     ok = check(pointer, when, low, high, extent, stride, step, ...)
 *
 * with five numbers for each dimension of the container. `ok` is a variable of type bool that guards the access: `if ok
 * {
 * ... }`, or a choice of another address. `pointer` is the address of the element with the low indices; nothing is
 * accessed where `when` is false. */
#ifndef LOWER_TREE_TREE_CHECK_H
#define LOWER_TREE_TREE_CHECK_H

#include "lower/tree/tree.h"
#include "runtime/abi.h"

enum { CHECK_POINTER, CHECK_WHEN, CHECK_DIMS };                                    /* arguments */
enum { CHECK_LOW, CHECK_HIGH, CHECK_EXTENT, CHECK_STRIDE, CHECK_STEP, CHECK_DIM }; /* of a dimension */

struct tree_check {
    const struct place *place;    /* of the access */
    const char *container;        /* of an overflow: the symbol or index */
    enum sdfg_rt_check_kind kind; /* BOUNDS for all accesses. OVERFLOW: low - least is a result, of `bits` bits */
    uint32_t bits;
    uint32_t rank;
    bool read, write; /* both: an update */
    bool assumed;     /* not checked: code that marks do not follow may write here */
    /* No access: from here on the pointer, a variable, stands for the beginning of a memory of its own, whose elements
     * are the only extent. Its guard means nothing. */
    bool memory;
    /* The dimensions do not say that the access stays inside of the allocation: the container is part of another one,
     * or its strides reach further than its size. */
    bool flat;
    bool in_bytes; /* the last dimension, that of the allocation, counts bytes instead of elements */
};

/* Appends a mark; `dims` has CHECK_DIM * rank numbers. Gives the guard. */
struct tree_var *stmt_check(struct tree *t, struct tree_stmt *block, const struct tree_check *c,
                            struct tree_expr *pointer, struct tree_expr *when, struct tree_expr *const *dims);
/* Marks an integer that becomes one of at most 32 bits: `value` is int64, without wrapping around. */
void stmt_check_overflow(struct tree *t, struct tree_stmt *block, const struct place *place, const char *name,
                         const struct type *type, struct tree_expr *value);
static inline bool stmt_is_check(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && s->check && !s->check->memory;
}
static inline bool stmt_is_memory(const struct tree_stmt *s)
{
    return s->kind == STMT_CALL && s->check && s->check->memory;
}
/* What the runtime is told about a fault of the given kind: constant bytes, a struct sdfg_rt_access. `rank`: dimensions
 * of which it is told the numbers. */
struct tree_expr *check_describe(struct tree *t, const struct tree_check *c, enum sdfg_rt_check_kind kind,
                                 uint32_t rank);
/* Number `which` (CHECK_LOW ...) of a dimension. */
static inline struct tree_expr **check_number(const struct tree_stmt *s, uint32_t dim, int which)
{
    return &s->args[CHECK_DIMS + CHECK_DIM * (int)dim + which];
}

#endif
