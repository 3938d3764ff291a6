/* What a program does, counted: floating-point operations and bytes touched, loop nest by loop nest. */
#ifndef LOWER_TREE_WORK_H
#define LOWER_TREE_WORK_H

#include "base/text.h"
#include "lower/tree/tree.h"
#include "lower/tree/tree_linear.h"

/* As JSON: {"flops", "bytes", "nests": [{"path", "runs", "flops", "bytes"}]}, of one call; of each nest, of one run.
 * null is what depends on data, on symbols without a value, or on code that is not ours.
 *
 * Operations: + - * / min max neg and each function of mathematics on floats count 1, fused multiply-add 2; complex
 * numbers what their formulas take; index arithmetic nothing. Bytes: each element of the containers that a nest reads
 * counts once per run of the nest, and so does each that it writes. What overlapping tiles compute again is no work. A
 * sequential loop around nests is one nest with them if all of its data fits into `cache` bytes, or goes by in tiles.
 *
 * The tree is that before parallel loops become regions. */
void tree_work(struct tree *t, double cache, struct text *out);

struct tree_amount {
    double value;
    bool known;
};
struct tree_amounts {
    struct tree_amount flops, bytes;
};
/* Of one run of a statement with all in it, inside of the loops of the frame. */
struct tree_amounts tree_work_stmt(struct tree *t, const struct tree_stmt *s, const struct tree_frame *frame);
struct tree_amount tree_work_trips(const struct tree_stmt *loop, const struct tree_frame *outer);
int tree_work_truth(const struct tree_expr *e, const struct tree_frame *frame); /* 1, 0, or -1: not known */

#endif
