/* Between the files of the pack pass: which loops it is for (pack.c), where operands are packed (pack_hoist.c), and
 * what becomes of the loops (pack_tile.c); and what passes in front of it ask. */
#ifndef LOWER_PASS_PACK_H
#define LOWER_PASS_PACK_H

#include "lower/opt/iterations.h"

enum {
    PACK_ROWS = 4,
    PACK_VECTORS = 2,       /* of a row */
    PACK_VECTOR_BYTES = 64, /* what a target has no registers for it takes apart */
    PACK_ARRAYS = 4,
    PACK_SUMS = 4, /* loops of a sum */
    PACK_HOMES = 8
};

/* What a value depends on. */
enum pack_mask {
    PACK_ROW = 1,
    PACK_SUM = 2,
    PACK_COLUMN = 4,
    PACK_PLACE = 8,    /* the sums themselves */
    PACK_UNKNOWN = 128 /* on more than that */
};

/* for row { before; for sum { values; for column { values; C[row, column] = ... } } after }
 * with several loops of the sum in one another, values in each. */
struct pack {
    struct tree *tree;
    bool strict;
    struct tree_stmt *row, *sums[PACK_SUMS], *column, *store;
    uint32_t num_sums;
    struct tree_stmt *homes[PACK_HOMES]; /* from the loop over rows to the one that operands are packed in front of */
    uint32_t num_homes;
    struct tree_stmt *before, *after; /* blocks */
    const struct type *type;          /* of the sums */
    struct tree_scan scan;            /* of the body of the loop over rows */
    struct tree_piece piece;          /* of the loop over rows */
    struct map masks;                 /* variables of the loop over sums -> pack_mask, as an integer in the pointer */
    struct map defined;               /* ... -> their assignment */
    int64_t begin_slope, end_slope;   /* by how much the columns of the next row begin and end later: 0 or 1 */
    struct tree_expr *packed[PACK_ARRAYS]; /* values that depend on sum and column only */
    uint32_t num_packed;
    bool gathers; /* packed elements that do not lie side by side */
};

uint32_t pack_mask_of(const struct pack *p, const struct tree_expr *e);
/* Is it to be packed, as it is? Columns, and the sum at most. */
static inline bool pack_is_packed(uint32_t mask) { return (mask & PACK_COLUMN) && !(mask & ~(PACK_COLUMN | PACK_SUM)); }
/* The place among the packed values; -1: none. */
int pack_find(const struct pack *p, const struct tree_expr *e);

/* Finds the outermost loop around that over rows that operands can be packed in front of; `frame`: the loops around
 * rows. */
void pack_find_home(struct pack *p, const struct tree_frame *frame);
/* Makes one loop of neighbouring ones of the sum where that is the same. */
void pack_join_sums(struct pack *p);
/* The loop over rows becomes what the head of pack.c says. What belongs in front of the last home and behind it, if
 * that is another loop, is appended to `first` and `last`. */
void pack_rewrite(struct pack *p, struct tree_stmt *first, struct tree_stmt *last);

/* Will the pass take item `at` of the loop over rows, if both stay as they are? */
bool pack_wants(struct iterations *x, const struct tree_options *o, struct tree_stmt *row, uint32_t at);

#endif
