/* Between the files of the skew pass: sequential loops over nests (pass_skew.c), and how they are cut (skew_tile). */
#ifndef LOWER_PASS_SKEW_H
#define LOWER_PASS_SKEW_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"

enum {
    SKEW_STAGES = 16,
    SKEW_CLASSES = 16,
    SKEW_FEWEST_STEPS = 3,   /* of a tile: less is not worth the loops */
    SKEW_NARROW = 4 << 10,   /* bytes of the rows in a narrow tile, at least: less is not worth the loops */
    SKEW_FEWEST_PARTS = 4,   /* of the steps of a tile with narrow ones */
    SKEW_FEWEST_NEAREST = 64 /* steps for which rows are short enough for the first-level cache */
};

/* Rows low .. high, both inclusive, counted from the iteration. */
struct skew_rows {
    int64_t low, high;
};

/* A statement of the body: a nest over rows, or one that belongs to a single row (`fixed`: iteration 0 of 1), or an
 * assignment in front of what follows (`loop` is NULL). In a step, its iteration i stands at position i + shift. */
struct skew_stage {
    struct tree *tree;
    struct tree_stmt *stmt, *loop;
    struct tree_piece piece;
    bool fixed;
    struct tree_expr *begin, *end; /* sizes */
    int64_t shift;
};

/* An array that the loop changes: element x * stride + r, with 0 <= r < stride, lies in row x. */
struct skew_class {
    uint32_t alias;
    const struct tree_expr *pointer;
    const struct type *type;
    struct linear_term stride; /* sizes */
};

struct skew {
    struct arena *arena;
    struct tree_stmt *loop; /* over steps */
    struct skew_stage stages[SKEW_STAGES];
    uint32_t count;
    struct skew_class classes[SKEW_CLASSES];
    uint32_t num_classes;
    bool chains;                    /* rows are recurrences: no narrow tiles, as it is not memory that they wait for */
    int64_t slope;                  /* positions that a step lies behind the one before */
    struct tree_expr *first, *span; /* positions of a step: first .. first + span - 1 */
    struct tree_expr *steps,
        *width; /* of a tile: any number of positions if tiles go in turn, in waves slope * steps */
    struct tree_expr *few,
        *narrow; /* steps and positions of narrow tiles inside of it; the width is a multiple; NULL: none */
    /* Where sizes are variables, steps and width are found when the code runs: */
    struct tree_expr *row; /* bytes of all rows of an iteration; else NULL */
    int64_t most;          /* steps */
};

/* Puts tiles in place of the loop, for several threads (0: known at run time) in waves of tiles that have nothing to do
 * with each other. The loop stays for calls where a wave has too few tiles for the threads. False: that is always so.
 */
bool skew_make_tiles(struct tree *t, struct skew *s, int threads);

#endif
