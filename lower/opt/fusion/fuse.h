/* Between the files of the fuse pass: may two nests of loops be one (fuse_test.c), and can they be brought into the
 * same shape (fuse_shape.c)? */
#ifndef LOWER_PASS_FUSE_H
#define LOWER_PASS_FUSE_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_scan.h"

enum { FUSE_DEPTH = 8 }; /* loops of a nest that are looked at */

/* `depth` loops, each of the outer ones with nothing but the next one inside. */
struct fuse_nest {
    struct tree_stmt *loops[FUSE_DEPTH];
    uint32_t depth;
    const struct tree_piece *piece; /* of the whole nest */
};

/* The nest that starts at a loop, as deep as there is one loop in another. */
struct fuse_nest fuse_nest_of(struct tree_stmt *loop, const struct tree_piece *piece);
/* Do the loops of two nests of one depth have the same iterations, counted from their begin? */
bool fuse_same_space(struct tree *t, const struct fuse_nest *a, const struct fuse_nest *b);
/* `first`: what nest a touches. Are elements that both touch, at least one to change them, only touched by the same
 * iteration of both, at every depth? The nests have the same iterations. */
bool fuse_is_legal(struct tree *t, const struct piece_set *first, const struct fuse_nest *a, const struct fuse_nest *b);
/* The same; if not, two accesses that may meet in different iterations. `a` is NULL if `b` may touch anything. The
 * nests may be one and the same; iterations of the loop `around` (NULL: none) may be different ones for both. */
struct fuse_obstacle {
    const struct tree_access *a, *b;
};
bool fuse_find_obstacle(struct tree *t, const struct piece_set *first, const struct fuse_nest *a,
                        const struct fuse_nest *b, const struct tree_stmt *around, struct fuse_obstacle *out);

/* May an iteration of b touch an element that the same iteration of a has to do with, one of them to change it? */
bool fuse_share_elements(struct tree *t, const struct piece_set *first, const struct fuse_nest *a,
                         const struct fuse_nest *b);

/* Nests in the block that have the same iterations become one, as in the pass of that name; the block is of a function
 * `whole`, which had `num_vars` variables before anything was changed. */
void fuse_nests_in(struct tree *t, const struct tree_options *o, struct tree_whole *whole, uint32_t num_vars,
                   struct tree_stmt *block);

/* `s` (a loop over all elements of something, a copy, a fill) as a nest like `like`; NULL if that is not possible. If
 * `like` has depth 1, what is inside may be another loop, but not if the depth is to be the `same_depth`. */
struct tree_stmt *fuse_shape(struct tree *t, const struct fuse_nest *like, struct tree_stmt *s, bool same_depth);

#endif
