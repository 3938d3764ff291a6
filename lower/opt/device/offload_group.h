/* Reductions that the threads of a group do together (offload_group.c). */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_GROUP_H
#define LOWER_OPT_DEVICE_OFFLOAD_GROUP_H

#include "lower/opt/device/offload.h"

struct offload_place {
    struct tree_stmt reduction; /* the first one into it, as it was */
    struct tree_var *acc;       /* of a thread */
    struct tree_var *touched;   /* has it a value? NULL: the identity is as good as one */
    bool ordered;               /* the result depends on the order, and has to be the same each time */
    bool found;
    struct tree_var *partial; /* results of the blocks, in memory of the device; NULL: none */
    uint32_t alias;           /* of these */
};

struct offload_group {
    enum tree_level level; /* TREE_BLOCK or TREE_WARP */
    bool keeps;            /* blocks keep what has an order */
    const struct map *own; /* variables with memory of each thread's own: all take the last step there; or NULL */
    struct offload_place *places;
    uint32_t count;
};

/* Reductions in `loop`, a loop of the nest, into places that are the same in all its iterations: they become
 * assignments of accumulators. */
void offload_group_find(struct offload *o, struct tree_stmt *nest, struct tree_stmt *loop, enum tree_level level,
                        struct offload_group *g);
/* In front of the loop and behind it, where all threads of the group come. */
void offload_group_begin(struct offload *o, const struct offload_group *g, struct tree_stmt *out);
void offload_group_end(struct offload *o, struct offload_group *g, struct tree_stmt *out);
/* Memory for what blocks keep, in front of the kernel, and the last step behind it. */
void offload_group_take(struct offload *o, const struct offload_group *g, struct tree_stmt *out,
                        struct tree_expr *const *blocks, uint32_t dimensions);
void offload_group_combine(struct offload *o, const struct offload_group *g, struct tree_stmt *out,
                           struct tree_expr *const *blocks, uint32_t dimensions);

#endif
