/* Between the files of memory planning: what is done with memory, and when (memory_planning_lives.c), what loops take
 * once (memory_planning_hoist.c), and where it lies (memory_planning.c). */
#ifndef LOWER_PASS_ARENA_H
#define LOWER_PASS_ARENA_H

#include "lower/opt/passes.h"

struct arena_memory {
    struct tree_stmt *alloc, *block; /* block: that both stand in */
    uint32_t allocs, frees;
    bool fixed; /* a pointer that is more, or goes elsewhere */
    VEC(uint32_t) classes;
    /* in the block at hand */
    struct tree_stmt *release;
    uint32_t taken, first, last; /* items */
    uint32_t slot;
    bool used;
};

/* Memories that share. */
struct arena_slot {
    struct arena_memory *owner; /* the one taken first */
    struct tree_expr *bytes;    /* not known: of all of them */
    int64_t size, offset;       /* known */
    uint32_t last;              /* item: free after it */
    uint32_t released;
    uint32_t members;
};

struct arena_plan {
    struct tree *tree;
    struct arena *arena;
    struct arena_memory *memories; /* by variable */
    uint32_t num_vars;
    uint32_t *classes; /* alias class -> the one that it becomes */
    bool merged;
    uint32_t item; /* being looked at */
    VEC(struct arena_memory *) here;
    VEC(struct arena_slot) slots;
};

/* NULL for variables that came after the plan was made. */
struct arena_memory *arena_memory_of(const struct arena_plan *p, const struct tree_var *v);
/* Looks at all that a function does with its memory. */
void arena_uses(struct arena_plan *p, struct tree_stmt *body);
/* Fills p->here: the memories of a block, and when they are in use. */
void arena_lives(struct arena_plan *p, struct tree_stmt *block);
/* Memory whose size only a run knows, that each iteration of a sequential loop takes and gives back, is taken once in
 * front of the loop. */
void arena_hoist(struct tree *t, struct tree_stmt *s);

#endif
