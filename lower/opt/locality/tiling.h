/* What tilings of nests share (overlapped_tiling.c, time_skewing.c): which nests are cut, and which points of their
 * space elements of memory belong to.
 *
 * Element x * stride + rest, with 0 <= rest < stride, lies at point x: a row of a matrix, a plane of a field. Strides
 * are constants or products of sizes. */
#ifndef LOWER_PASS_TILING_H
#define LOWER_PASS_TILING_H

#include "lower/tree/tree_linear.h"

enum { TILING_LIMIT = 1 << 30 /* of bounds, strides and shifts */ };

/* Nothing in it but loops, branches, assignments and stores, reductions if they are asked for? */
bool tiling_is_plain(struct tree_stmt *s, bool reductions);
/* A loop over int64 in steps of 1, with bounds that are constants in this order, or sizes that the call gives? */
bool tiling_has_bounds(const struct tree *t, const struct tree_stmt *loop);

/* Elements from one iteration of the loop to the next, and the place without that. False if it is no constant and no
 * product of sizes, or negative. `rest` may be `at`. */
bool tiling_stride(const struct tree *t, const struct tree_stmt *loop, const struct linear *at,
                   struct linear_term *stride, struct linear *rest);
bool tiling_same_stride(const struct linear_term *a, const struct linear_term *b);
/* The stride as a sum of one term or a constant. */
void tiling_sum(struct linear *out, const struct linear_term *stride);
/* Takes the terms out that are whole points; the stride has factors. */
int64_t tiling_take_points(struct linear *l, const struct linear_term *stride);
/* Is 0 <= l < stride, wherever the access is? */
bool tiling_is_within(struct arena *a, const struct linear *l, const struct linear_term *stride,
                      const struct tree_frame *frame);
/* Rounded down. */
int64_t tiling_divide(int64_t a, int64_t b);

#endif
