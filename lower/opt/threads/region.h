/* How loops become parallel regions, and when that pays: shared by the passes that make regions (parallelize,
 * sections). */
#ifndef LOWER_PASS_REGION_H
#define LOWER_PASS_REGION_H

#include "lower/tree/tree.h"
#include "lower/tree/tree_linear.h"

/* Iterations of a loop that is split: number 0 .. count - 1, number k has the value begin + k * step. */
struct region_space {
    struct tree_expr *begin, *step, *count; /* int64, computed in front of the loop */
    struct tree_expr *trips;                /* count, in terms of the loops around */
};

/* Computes them in `b`. */
struct region_space region_space_of(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop);
/* One contiguous piece per thread of the region, appended to `b`. The body is that of the loop itself. */
void region_split_static(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop,
                         const struct region_space *sp, const struct tree_stmt *region);
/* The same for all iterations of two loops together, the inner one alone in the outer one, with bounds that do not
 * depend on it: `both` counts them. A thread has whole rows of the inner loop, and parts of one at both ends. */
void region_split_pair(struct tree *t, struct tree_stmt *b, const struct tree_stmt *outer,
                       const struct region_space *rows, const struct region_space *row, struct tree_expr *both,
                       const struct tree_stmt *region);
/* As the loop's schedule says; `counter`: of region_counter, for schedules other than static ones. */
void region_split(struct tree *t, struct tree_stmt *b, const struct tree_stmt *loop, const struct region_space *sp,
                  const struct tree_stmt *region, struct tree_var *counter);

/* A counter for sdfg_rt_next (runtime/runtime.h) in the caller's frame, taken in `b`, which starts at 0. */
struct tree_var *region_counter(struct tree *t, struct tree_stmt *b);
/* All variables that the statement assigns become the region's, and regions inside have it around them. */
void region_own(struct tree_stmt *region, struct tree_stmt *s);

/* The least work (tree_cost.h) for which a region pays. `again`: loops are around it. */
int64_t region_limit(const struct machine *m, bool again);
/* What a unit of work takes: operations that wait for each other, others one at a time, vectors of them. */
enum region_code { REGION_CHAINS, REGION_SCALARS, REGION_VECTORS };
/* The same where threads sleep between regions (sdfg_rt_threads_sleep). */
int64_t region_limit_asleep(const struct machine *m, bool again, enum region_code code);
/* `small`, or `asleep` if threads sleep between regions. They are asked in `b`, and only where the answer matters: the
 * first one who asks starts them. */
struct tree_expr *region_or_asleep(struct tree *t, struct tree_stmt *b, struct tree_expr *small,
                                   struct tree_expr *asleep);
/* Is there less work than the limit whatever the loops around do (1), never (0), or is that only known at run time
 * (-1)? */
int region_is_less(struct tree_expr *work, const struct tree_frame *frame, int64_t limit);

#endif
