/* Between the files of the fuse pass: the items of a block, which go into each other (pass_fuse.c), and two of them
 * (pass_fuse_pair.c, fuse_threads.c). */
#ifndef LOWER_PASS_FUSE_PAIR_H
#define LOWER_PASS_FUSE_PAIR_H

#include "lower/opt/fusion/fuse.h"

struct fuse_item {
    struct tree_stmt *stmt; /* NULL: taken into another loop */
    struct tree_piece piece;
    uint32_t number; /* grows from item to item of a block */
    bool before;     /* goes in front of the loop being looked at */
};

/* The last item of a block that touches an alias class. */
struct fuse_last_use {
    uint32_t block, number;
};

struct fuse {
    struct tree *tree;
    struct arena *arena;
    const struct tree_options *options;
    struct tree_whole *whole; /* the function; its scan is kept up to date with what goes into other loops */
    uint32_t num_vars;        /* of the variables that are counted there */
    struct piece_set first, skipped;
    bool distant;      /* loops have been skipped */
    uint32_t hopeless; /* classes of `first`, from the beginning, through which nothing further on can be taken in */
    struct fuse_last_use *last; /* by alias class */
    uint32_t block;             /* number of the block being looked at */
    struct {
        const struct tree_stmt *body;
        bool loops, wide;
    } kind;                         /* of the loop that takes in others */
    bool whole_nests;               /* loops are fused together with all that they contain, not the outer ones alone */
    uint32_t depth;                 /* else: of the outer ones that are fused together */
    const struct tree_frame *outer; /* the loops around */
    bool in_threads;                /* the loops stand in an independent one */
    bool nests_only;                /* nothing else is wanted */
    bool backwards;                 /* from the last one on */
    bool left;                      /* something was too large for that */
    bool splits;                    /* only one of two loops can be run by threads */
    struct fuse_threads *threads;   /* what has been found out for fuse_keeps_threads() */
};

/* A loop, a copy or a fill? */
bool fuse_is_loop_like(const struct tree_stmt *s);
/* `first` becomes what is touched by the loop that others may go into. */
void fuse_start_with(struct fuse *f, const struct tree_piece *piece);
/* Memory of the function's own that nothing but the two loops uses, its allocation and its release? */
bool fuse_is_between(struct fuse *f, const struct tree_access *access, const struct fuse_nest *a,
                     const struct fuse_nest *b);
/* On the host: do both loops go to threads, or neither, or does nothing but memory between them come of the one that
 * does? */
bool fuse_keeps_threads(struct fuse *f, const struct fuse_nest *a, const struct fuse_nest *b);
/* The second one goes into the first, a loop that was begun with, if it may and that pays; its statement is NULL then.
 * `outer`: the loops around. */
bool fuse_try_pair(struct fuse *f, struct fuse_item *a, struct fuse_item *b, const struct tree_frame *outer);

#endif
