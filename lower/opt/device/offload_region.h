/* What offload_region.c and offload_region_code.c share. */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_REGION_H
#define LOWER_OPT_DEVICE_OFFLOAD_REGION_H

#include "lower/opt/device/offload.h"

enum { /* iterations of a nest, with those of the loops in it */
       REGION_MOST_STEP = 1 << 16,
       REGION_MOST_ROWS = 1 << 21 /* that has one loop for threads: they do the same in a kernel of its own */
};

/* What a statement of a region becomes. */
enum region_item {
    ITEM_NONE,    /* nothing that a region can have */
    ITEM_ALL,     /* each thread computes the same variables */
    ITEM_ONE,     /* thread 0 */
    ITEM_THREADS, /* a nest: its iterations are distributed */
    ITEM_COPY,    /* so are the elements */
    ITEM_MEMORY,  /* allocations are made by the host, in front of the region */
    ITEM_CONTROL, /* all threads go the same way */
    ITEM_JUMP
};
enum region_item offload_region_item(struct offload *o, struct tree_stmt *s);

/* Values for the host that bound those of expressions in the region. */
struct region_limits {
    struct tree *tree;
    const struct tree_scan *region;
    const struct tree_frame *frame; /* the loops of the region around the expression */
};
/* At least, or at most, what the expression is; NULL: not known. */
struct tree_expr *offload_region_limit(const struct region_limits *l, const struct tree_expr *e, bool high);

#endif
