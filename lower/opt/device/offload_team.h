/* Nests of which several threads share an iteration (offload_team.c), and what they have in common with others. */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_TEAM_H
#define LOWER_OPT_DEVICE_OFFLOAD_TEAM_H

#include "lower/opt/device/offload.h"

/* A nest becomes a kernel; false, with nothing written, if a thread for each iteration does better. `loops`: from the
 * outside in, with bounds that the host knows. */
bool offload_team(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops, uint32_t num_loops);
/* Statements that run once, some of which accumulate, become a kernel of one block; false, with nothing written, if one
 * thread does as well. */
bool offload_team_alone(struct offload *o, struct tree_stmt *out, struct tree_stmt *block);
struct device_region;
/* The same in a region of the whole grid, of which warps, or the threads of a block with the same lane, are teams;
 * false, with nothing written, if a thread for each iteration does better. */
bool offload_team_in_region(struct device_region *r, struct tree_stmt *out, struct tree_stmt *nest);

/* ---- offload_nest.c ---- */

/* Bounds of a loop, as values of the host that kernels can use. */
struct offload_range {
    struct tree_expr *begin, *end, *step;
};
struct offload_range offload_range(struct offload *o, struct tree_stmt *out, struct tree_expr *begin,
                                   struct tree_expr *end, struct tree_expr *step, const struct place *place);
/* max(0, end - begin) / step, rounded up */
struct tree_expr *offload_trips(struct offload *o, const struct offload_range *r);

#endif
