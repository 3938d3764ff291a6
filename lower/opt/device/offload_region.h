/* What offload_region.c and offload_region_code.c share. */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_REGION_H
#define LOWER_OPT_DEVICE_OFFLOAD_REGION_H

#include "lower/opt/device/offload.h"
#include "lower/tree/tree_linear.h"

enum { /* iterations of a nest, with those of the loops in it */
       REGION_MOST_STEP = 1 << 16,
       REGION_MOST_SMALL = 1 << 17, /* where the call decides */
       REGION_MOST_ROWS = 1 << 21   /* that has one loop for threads: they do the same in a kernel of its own */
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
    ITEM_SUMS,    /* a loop that only accumulates: its iterations are distributed (offload_sums.c) */
    ITEM_JUMP
};
/* `own`: variables with memory that each thread has for itself; what writes nothing else is computed by all threads.
 * NULL: the threads of the whole grid, which do not combine sums. */
enum region_item offload_region_item(struct offload *o, struct tree_stmt *s, const struct map *own);

/* Values for the host that bound those of expressions in the region. */
struct region_limits {
    struct tree *tree;
    const struct tree_scan *region;
    const struct tree_frame *frame; /* the loops of the region around the expression */
};
/* At least, or at most, what the expression is; NULL: not known. */
struct tree_expr *offload_region_limit(const struct region_limits *l, const struct tree_expr *e, bool high);

/* ---- offload_region_code.c ---- */

/* Memory that was accessed since the last barrier. */
struct region_touched {
    const struct memory *memory;
    unsigned how;
};
typedef VEC(struct region_touched) region_touched_list;

/* A kernel, or an iteration of one, whose threads go through the same statements. */
struct device_region {
    struct offload *offload;
    enum tree_level level; /* of its threads: TREE_GRID, or those that work on the same iteration */
    const struct tree_scan *scan;
    const struct map *own; /* memory of the threads' own; NULL: none */
    region_touched_list pending;
    bool trying;             /* what is written is thrown away */
    bool small;              /* nests of several loops have at most REGION_MOST_SMALL iterations */
    struct tree_stmt *one;   /* the branch for thread 0 that was opened last */
    struct tree_stmt *block; /* ... and for the first block */
    struct tree_expr *thread, *threads;
    int64_t each;                     /* threads that share an iteration of a loop; 0: one */
    struct tree_expr *first;          /* is it the one that writes for all? NULL: thread 0 does */
    struct tree_expr *within;         /* may it write in nests? NULL: all do */
    struct tree_stmt *front, *behind; /* of the host */
    struct tree_expr *most, *planes;  /* iterations of a nest, and of one of several loops; NULL: none yet */
    uint32_t shared;                  /* bytes of shared memory that is taken */
    struct map private;               /* assignments that only items for thread 0 need */
    const struct tree_frame *frame;
};

void offload_region_items(struct device_region *r, struct tree_stmt *out, struct tree_stmt *block);

/* ---- offload_region_meet.c ---- */

enum region_threads { BY_ALL, BY_ONE, BY_FIRST /* block */ };
/* Barriers, of rising costs: none, of the first block, of all threads. */
enum region_meeting { MEET_NONE, MEET_FIRST, MEET_ALL };

/* The memory that the statement accesses, or (`deep`) all in it, too. */
region_touched_list region_touched_by(struct device_region *r, struct tree_stmt *s, bool deep, enum region_threads who);
/* All threads write to it. */
region_touched_list region_touched_memory(struct device_region *r, struct memory *m);
void region_touched_add(struct device_region *r, region_touched_list *list, const region_touched_list *other);
region_touched_list region_touched_copy(struct device_region *r, const region_touched_list *list);
bool region_touched_within(const region_touched_list *a, const region_touched_list *b);
enum region_meeting region_touched_meet(const region_touched_list *before, const region_touched_list *after);

/* The barrier that what comes next in `out` needs; it is pending then. */
void region_meet(struct device_region *r, struct tree_stmt *out, const region_touched_list *next);
void region_barrier(struct device_region *r, struct tree_stmt *out); /* of all threads */
/* Is the thread one of the first block? */
struct tree_expr *region_in_first_block(struct tree *t);
/* The branch for the first block at the end of `out`. */
struct tree_stmt *region_first_block(struct device_region *r, struct tree_stmt *out);
/* Barriers of all threads. */
uint32_t region_barriers_in(const struct device_region *r, struct tree_stmt *s);

/* ---- offload_region_share.c ---- */

/* Iterations of the loops of a nest that are counted together, at most, as a value of the host. NULL: not known, or it
 * is one loop. */
struct tree_expr *offload_region_count(struct offload *o, const struct region_limits *l, struct tree_stmt *nest);
void offload_region_nest(struct device_region *r, struct tree_stmt *out, struct tree_stmt *nest);
/* Is it a nest of one loop, or a copy, with no product of sizes in the number of its iterations? */
bool offload_region_is_line(struct offload *o, struct tree_stmt *s);
/* The elements of a copy from `from`, or of memory that is cleared (NULL). */
void offload_region_elements(struct device_region *r, struct tree_stmt *out, const struct tree_stmt *s,
                             struct tree_expr *from);
/* for i = begin + thread * step to end step threads * step; the counter `v` may be NULL. */
struct tree_stmt *offload_region_loop(struct device_region *r, struct tree_stmt *out, struct tree_var *v,
                                      struct tree_expr *begin, struct tree_expr *end, struct tree_expr *step);

/* ---- offload_region_recurrence.c ---- */

/* A loop each of whose iterations sums up terms of the results of all earlier ones; false, with nothing written: it is
 * none such. */
bool offload_region_recurrence(struct device_region *r, struct tree_stmt *out, struct tree_stmt *s);

/* ---- offload_sums.c ---- */

/* Is it a loop that writes nothing but accumulators, whose terms may be combined in any order? */
bool offload_is_sums(struct offload *o, struct tree_stmt *s);
bool offload_has_sums(struct offload *o, struct tree_stmt *s);
/* The threads accumulate their shares, and all get the results. */
void offload_sums(struct device_region *r, struct tree_stmt *out, struct tree_stmt *loop);

#endif
