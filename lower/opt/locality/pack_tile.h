/* Between the files of the pack pass that make the new loops: rows and strips (pack_tile.c), terms (pack_terms.c). */
#ifndef LOWER_PASS_PACK_TILE_H
#define LOWER_PASS_PACK_TILE_H

#include "lower/opt/locality/pack.h"

/* What the parts of the rewritten loop share. */
struct pack_tile {
    struct pack *p;
    struct tree *tree;
    struct tree_expr *first_column, *columns; /* of all rows */
    struct tree_expr *counts[PACK_SUMS];      /* iterations of the sum's loops */
    struct tree_expr *terms;                  /* of all of them */
    struct tree_expr *packed[PACK_ARRAYS];    /* pointers */
    uint32_t alias[PACK_ARRAYS];
    int64_t width, lanes;
    const struct type *vector;
    uint32_t rows;
    struct tree_expr *row[PACK_ROWS];                    /* their numbers */
    struct tree_expr *first_full, *last_full;            /* rows that have columns; NULL: from the first, to the last */
    struct tree_expr *full[PACK_ROWS];                   /* the row, or one that has columns if it has none */
    struct tree_var *sums[PACK_ROWS][PACK_VECTORS];      /* vectors */
    struct tree_var *operand[PACK_ARRAYS][PACK_VECTORS]; /* vectors of what is packed, at the term at hand */
};

static inline struct tree_expr *pack_add(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

static inline struct tree_expr *pack_sub(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_SUB, a, b);
}

static inline struct tree_expr *pack_times(struct tree *t, struct tree_expr *a, int64_t b)
{
    return expr_binary(t, EXPR_MUL, a, expr_i64(t, b));
}

/* A loop from `begin` to `end`, one by one, with a variable of its own like that of `like`. */
struct tree_stmt *pack_loop(struct pack_tile *w, struct tree_stmt *block, const struct tree_stmt *like,
                            struct tree_expr *begin, struct tree_expr *end);
/* Where packed[strip, sums] begins, in rows of `width`; `sums`: loops like those of the sum. */
struct tree_expr *pack_place(struct pack_tile *w, struct tree_expr *strip, struct tree_stmt *const *sums,
                             int64_t width);
/* A loop that adds all terms to the sums of the tile at hand. */
void pack_terms(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *strip);

#endif
