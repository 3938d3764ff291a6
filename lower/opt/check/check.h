/* What the files of the check pass share (lower/opt/check/check*.c). */
#ifndef LOWER_OPT_CHECK_CHECK_H
#define LOWER_OPT_CHECK_CHECK_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_check.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_scan.h"

/* Memory that a pointer variable stands for. */
struct check_root {
    const struct tree_var *var;
    const struct type *type;
    struct tree_expr *count; /* elements; NULL: not known */
    struct tree_stmt *alloc; /* NULL: an argument */
    bool read;               /* by some mark */
    bool escaped;            /* it may be written where marks do not say so */
    bool shadowed;           /* reads of it are not proved */
    struct tree_var *shadow; /* a byte for each element, not 0 when it was written; NULL: none */
    uint32_t shadow_alias;
};

/* Where a pointer that stands for no one memory lies in its memory; int64, in bytes. */
struct check_pointer {
    struct tree_var *before, *bytes;
};

struct checking {
    struct tree *tree;
    struct tree_func *func;
    unsigned kinds;         /* enum sdfg_rt_check_kind */
    struct map roots;       /* const struct tree_var * -> struct check_root *, or NULL if it has several */
    struct map slots;       /* number of a slot + 1, as a pointer -> struct check_root * of persistent memory */
    struct map pointers;    /* const struct tree_var * -> struct check_pointer * */
    struct map guards;      /* const struct tree_var * -> number of its marks that are left + 1, as a pointer */
    struct map scans;       /* const struct tree_stmt *: a loop -> struct tree_scan * of its body */
    struct map defined;     /* const struct tree_var * -> its only assignment or loop; NULL: several */
    struct tree_var *large; /* see check_wrap.c; NULL: nobody asked */
    struct map initialised; /* marks of reads that something was written in front of */
    uint32_t reads, reads_proved;
    uint32_t marks, proved, hoisted, entry, left, unknown;
};

/* check_root.c: memory. Finds what pointer variables stand for, and gives marks that need it one more dimension, that
 * of the elements of the allocation. */
void check_find_roots(struct checking *k);
void check_flatten(struct checking *k);
struct check_root *check_root_of(struct checking *k, struct tree_expr *pointer); /* NULL: not known */
/* Number of the first element of the allocation that the mark touches; NULL: elements of the two do not go together. */
struct tree_expr *check_element_of(struct checking *k, const struct tree_stmt *mark, const struct check_root *root);
/* Elements of the allocation in one of the access. */
uint32_t check_units(const struct tree_stmt *mark, const struct check_root *root);
/* Memory of one scope whose writes are all marked. */
bool check_is_followed(const struct check_root *root);

/* check_pointer.c: pointers that stand for no one memory are followed at run time, where marks ask for them. */
void check_pointers(struct checking *k);
/* Bytes from the beginning of the memory to the address, and of all of the memory; false: not known. */
bool check_origin(struct checking *k, struct tree_expr *pointer, struct tree_expr **before, struct tree_expr **bytes);

/* check_init.c: reads of what nothing has written. */
void check_init(struct checking *k);
/* check_race.c: iterations that touch the same elements. */
void check_race(struct checking *k);
/* check_scope.c: references to memory that is not there. */
void check_scope(struct checking *k);
/* check_nan.c: behind all others. */
void check_nan(struct checking *k);

/* check_prove.c: marks that cannot fail are taken away. */
void check_prove(struct checking *k);
bool check_is_at_least(const struct tree_expr *e, int64_t least, const struct tree_frame *frame, struct checking *k);

/* check_hoist.c: marks go in front of the loops around them, with the first and last index of all iterations. */
void check_hoist(struct checking *k);
void check_to_entry(struct checking *k);

/* check_wrap.c: does an int64 expression leave 64 bits when it is computed? A condition of type bool. */
void check_definitions(struct checking *k); /* first */
struct tree_expr *check_wraps(struct checking *k, struct tree_expr *e);
void check_large(struct checking *k); /* last */

/* check_emit.c: tests in place of the marks that are left. */
void check_emit(struct checking *k);
/* Tells the runtime of a fault of the mark. */
void check_report(struct tree *t, struct tree_stmt *block, const struct tree_stmt *mark, enum sdfg_rt_check_kind kind);

/* check.c */
const struct tree_scan *check_scan(struct checking *k, const struct tree_stmt *loop); /* of the loop's body */
bool check_is_guard(struct checking *k, const struct tree_stmt *s);                   /* an IF that a mark guards */
void check_drop(struct checking *k, struct tree_stmt *mark);                          /* it is settled */
void check_count(struct checking *k, const struct tree_var *guard, int more);
uintptr_t check_left(struct checking *k, const struct tree_var *guard); /* marks of the guard */
bool check_jumps(const struct tree_stmt *s); /* may control leave the statement otherwise than at its end? */

#endif
