/* What the files that place transients share (lower/alloc*.c). */
#ifndef LOWER_ALLOC_H
#define LOWER_ALLOC_H

#include "lower/graph/target.h"

enum home_kind {
    HOME_NONE,
    HOME_ENTRY,
    HOME_STATE,
    HOME_SCOPE,
    HOME_LAZY,
    HOME_GLOBAL,
    HOME_PERSISTENT,
    HOME_EXTERNAL,
};

struct home {
    const struct container *desc;
    enum home_kind kind;
    bool used, shared; /* shared: by several states or by transitions */
    bool zero;         /* an access node asks for it */
    struct state *state;
    struct node *scope;         /* innermost common entry node */
    VEC(struct state *) states; /* that have access nodes of it */
    struct tree_var *capacity;  /* HOME_LAZY */
};

struct home_list {
    struct home **items;
    uint32_t count, capacity;
};

struct alloc_plan {
    struct map homes;  /* const struct container * -> struct home * */
    struct map places; /* activation, state or entry node -> struct home_list *: what is to be done there */
    struct map assigned;
    VEC(const struct container *) locals; /* with parts */
    struct activation *act;
};

const struct container *alloc_root(const struct container *c); /* the structure around a member */
/* The homes that need something where this scope begins; NULL: none. */
const struct home_list *alloc_homes_at(const struct scope *sc);

/* A binding without memory yet: pointer variable `v` (may be NULL). */
struct binding *alloc_bind(struct scope *sc, const struct container *c, struct tree_var *v);
/* Memory of that many elements for a binding. */
struct allocation alloc_of(struct binding *b, struct tree_expr *count, enum allocation_life life);
struct tree_var *alloc_pointer_var(struct lower *lw, const struct container *c);
/* Addresses start `start_offset` elements into the allocation. */
bool alloc_start_offset(struct scope *sc, struct binding *b);
/* Memory that lives longer than the activation: of the call, of the program, or the caller's (alloc_outside.c). */
bool alloc_outside(struct scope *sc, const struct home *h);

/* ---- storages with parts (alloc_local.c): one part of the memory for each thread, that of thread 0 outside of regions
 * ---- */

/* How many threads there can be in regions that do not ask for more themselves; at `block`. */
struct tree_expr *alloc_thread_limit(struct lower *lw, struct tree_stmt *block);
/* The same in any region of the program: as many parts are needed. */
struct tree_expr *alloc_thread_parts(struct lower *lw, struct tree_stmt *block);
/* Gives every thread `count` elements of its own; the elements of all of them. */
struct tree_expr *alloc_parts(struct lower *lw, struct binding *b, struct tree_stmt *block, struct tree_expr *count,
                              struct tree_expr *limit);
/* The part of the thread that runs `block`, now that the memory is there. */
void alloc_own_part(struct lower *lw, struct binding *b, struct tree_stmt *block);

#endif
