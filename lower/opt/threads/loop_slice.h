/* Loops that do a part of what another one does, for passes that make several loops of one. */
#ifndef LOWER_OPT_THREADS_LOOP_SLICE_H
#define LOWER_OPT_THREADS_LOOP_SLICE_H

#include "lower/tree/tree.h"

/* A copy of the loop with variables of its own: of its statements that write to memory, and of others in `kept`
 * (statement -> struct tree_stmt *), those in `kept` are what stands there, and the others are gone, with all that is
 * computed for them alone. The loop has no calls and no jumps. */
struct tree_stmt *loop_slice(struct tree *t, struct tree_stmt *loop, const struct map *kept);
/* Does a statement load from memory that `loop` writes to, the alias classes in `but` (uint32_t + 1 as pointers; may be
 * NULL) aside? */
bool loop_slice_reads(struct tree *t, struct tree_stmt *slice, struct tree_stmt *loop, const struct map *but);

/* Memory that the loops of a pass share, taken outside of all loops. */
struct loop_memory {
    struct tree *tree;
    struct tree_func *func;
    struct tree_stmt *front, *behind; /* of the function: put there by loop_memory_end */
};
struct loop_memory loop_memory_begin(struct tree *t, struct tree_func *f);
/* Makes code in `out` for heap memory of at least `need` elements, which are taken when more of them are needed than
 * ever before. It has an alias class of its own. */
struct tree_var *loop_memory_take(struct loop_memory *m, struct tree_stmt *out, const char *name,
                                  const struct type *type, struct tree_expr *need, uint32_t *alias);
void loop_memory_end(struct loop_memory *m);

#endif
