/* Regions of memory that are written without gaps, and whether they hold what is read (lower/opt/check/check_init.c).
 */
#ifndef LOWER_OPT_CHECK_CHECK_REGION_H
#define LOWER_OPT_CHECK_CHECK_REGION_H

#include "lower/opt/check/check.h"

enum { REGION_RANK = 8 };

struct region_dim {
    struct linear low, length; /* elements from `low` on */
};

/* A box of indices of one container, or (container NULL, rank 1) elements of the allocation. */
struct check_region {
    const struct check_root *root;
    struct tree_stmt *mark; /* it came from */
    const char *container;
    uint32_t rank;
    bool full; /* all of the container, or of the allocation */
    struct region_dim dims[REGION_RANK];
};

/* What a mark touches; false if that cannot be said. `flat`: as elements of the allocation. With `gaps` the region may
 * have elements that are not touched. */
bool region_of(struct check_region *out, struct tree_stmt *mark, const struct check_root *root, struct tree_expr *index,
               bool flat, bool gaps, struct checking *k);
/* In all iterations of a loop together; false if that leaves gaps. */
bool region_over(struct check_region *r, const struct tree_stmt *loop, struct checking *k);
/* The part that iterations before the one at hand have made of a region of one iteration. */
bool region_before(struct check_region *r, const struct tree_stmt *loop, struct checking *k);
/* `out` is both together, where they meet without a gap. */
bool region_join(struct check_region *out, const struct check_region *a, const struct check_region *b,
                 const struct tree_frame *frame, struct checking *k);
bool region_is_full(const struct check_region *r, const struct tree_stmt *mark, struct checking *k);
bool region_holds(const struct check_region *all, const struct check_region *part, const struct tree_frame *frame,
                  struct checking *k);

#endif
