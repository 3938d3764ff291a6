/* What the functions do that a tree calls: the rows of runtime/abi.def and of ir/code/functions.def. */
#ifndef LOWER_TREE_CALLEE_H
#define LOWER_TREE_CALLEE_H

#include "lower/tree/tree.h"

struct tree_callee {
    const char *name;      /* NULL: a function without a row, which may do everything */
    const char *signature; /* as in abi.def; NULL: not of the runtime */
    const char *roles;     /* as in abi.def; the last one holds for all further arguments */
    unsigned flags;        /* as in abi.def */
    unsigned fixed;        /* parameters before `...`; 0: not variadic */
};

enum tree_callee_row {
#define RT_FUNCTION(name, signature, roles, flags) CALLEE_##name,
#include "runtime/abi.def"
#define C_FUNCTION(name, fixed, roles, flags) CALLEE_##name,
#include "ir/code/functions.def"
    CALLEE_UNKNOWN, /* the row of everything that has none */
    CALLEE_COUNT
};

extern const struct tree_callee tree_callees[CALLEE_COUNT];

/* The row of a function, CALLEE_UNKNOWN if it has none. */
const struct tree_callee *tree_callee(const char *name);
/* Of an STMT_CALL; what a pointer leads to is not known. */
const struct tree_callee *stmt_callee(const struct tree_stmt *call);

/* May a call be dropped, repeated and moved? */
bool callee_is_pure(const struct tree_callee *c);
/* Does its work grow with a product of its arguments? */
bool callee_multiplies(const struct tree_callee *c);
/* Do threads, files or clocks see when it is called? */
bool callee_orders(const struct tree_callee *c);
/* ... and is that more than other threads of the same call of the program? Then two calls are not the same as one. */
bool callee_is_noticed(const struct tree_callee *c);
char callee_role(const struct tree_callee *c, uint32_t argument);
/* May the function write to the memory that this argument points to? */
bool callee_writes(const struct tree_callee *c, uint32_t argument);
/* May the memory of this argument be on a device? */
bool callee_reaches_devices(const struct tree_callee *c, uint32_t argument);
/* Can code for a device call it? */
bool callee_is_for_devices(const struct tree_callee *c);
/* Is the pointer given as this argument forgotten when the function returns? */
bool callee_forgets(const struct tree_callee *c, uint32_t argument);
/* May a call with these arguments access memory that loads and stores of the program reach, or depend on their order?
 */
bool callee_touches(const struct tree_callee *c, struct tree_expr *const *args, uint32_t num_args);
/* The same for accesses of several threads: those that the function makes in one atomic step do not count. */
bool callee_conflicts(const struct tree_callee *c, struct tree_expr *const *args, uint32_t num_args);

#endif
