/* Between the files of the overlap pass: chains of loop nests (pass_overlap.c), how they are cut (overlap_plan), and
 * the loops that do it (overlap_make, overlap_join). */
#ifndef LOWER_PASS_OVERLAP_H
#define LOWER_PASS_OVERLAP_H

#include "lower/opt/locality/tiling.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"

enum {
    OVERLAP_DEPTH = 2,
    OVERLAP_STAGES = 16,
    OVERLAP_TILES = 32 /* of a parallel loop, at least: equal shares of many threads */
};

/* A nest of the chain. In a tile it runs over tile + low .. tile + size + high - 1, as far as that is its space, begin
 * .. end - 1. In the step of the last nest's iteration i it does iteration i + high. */
struct overlap_stage {
    struct tree_stmt *loops[OVERLAP_DEPTH];
    uint32_t depth; /* loops that can be cut */
    uint32_t item;  /* number in the block */
    struct tree_piece piece;
    int64_t begin[OVERLAP_DEPTH], end[OVERLAP_DEPTH]; /* counted from those of the group */
    int64_t low[OVERLAP_DEPTH], high[OVERLAP_DEPTH];
    bool lasting; /* writes memory that lives on */
    bool wanted;  /* later ones read what it writes */
};

/* Memory taken in the function. In a temporary of the chain, element x * strides + r, with 0 <= r < reach, belongs to
 * point x; a tile needs the points tile + low .. tile + size + high - 1, and the step of row i those of rows i + oldest
 * to i + high. */
struct overlap_memory {
    struct tree_stmt *alloc, *release, *block;
    bool fixed; /* not to be touched */
    uint32_t accesses;
    bool temporary;
    const struct overlap_stage *writer;
    struct linear_term strides[OVERLAP_DEPTH], reach; /* constants, or products of sizes; no reach: not known yet */
    int64_t written[OVERLAP_DEPTH];                   /* the writer's point - its iteration */
    int64_t low[OVERLAP_DEPTH], high[OVERLAP_DEPTH], oldest;
};

/* How far a plan came. */
enum overlap_step {
    OVERLAP_UNFIT,
    OVERLAP_LARGE,  /* temporaries, but needs cannot be told */
    OVERLAP_NEEDS,  /* are known, no size fits */
    OVERLAP_PLANES, /* rows have several dimensions of sizes that the call gives */
    OVERLAP_PLANNED
};

struct overlap_group {
    struct tree *tree;
    struct overlap_memory *memories; /* by variable */
    struct overlap_stage *stages;
    uint32_t count, depth;
    struct overlap_memory *temporaries[OVERLAP_STAGES];
    uint32_t num_temporaries;
    bool parallel;
    bool sized; /* bounds or strides are sizes that the call gives: only the first dimension is cut, `size` is the least
                 */
    struct tree_expr *from[OVERLAP_DEPTH], *to[OVERLAP_DEPTH]; /* what begins and ends are counted from: 0, or sizes */
    int64_t begin[OVERLAP_DEPTH], end[OVERLAP_DEPTH];          /* what tiles cover */
    int64_t size[OVERLAP_DEPTH], tiles[OVERLAP_DEPTH];         /* iterations of one, and their number */
    int more_work;                                             /* percent: what neighbouring tiles both do */
    enum overlap_step reached;                                 /* by overlap_plan */
};

/* The temporary that an access with this pointer goes to, or NULL. */
struct overlap_memory *overlap_temporary(const struct overlap_group *g, const struct tree_expr *pointer);
/* A place in a temporary: the point, relative to the iteration, and the element of it. */
struct overlap_place {
    int64_t shift[OVERLAP_DEPTH];
    struct linear rest;
};

/* False if an address does not always belong to the same point. Strides are set by the first address of the memory. */
bool overlap_place(struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                   const struct linear *at, const struct tree_frame *frame, struct overlap_place *place);
/* Rows of a temporary that are kept, and the points of one. */
int64_t overlap_rows(const struct overlap_memory *m);
int64_t overlap_points(const struct overlap_group *g, const struct overlap_memory *m);
/* Elements of all of them, where sizes are known. */
int64_t overlap_elements(const struct overlap_group *g, const struct overlap_memory *m);
/* Finds what stages and temporaries need, and the size of tiles. False: not legal, or not worthwhile. */
bool overlap_plan(struct overlap_group *g);
/* Brings the planned chain into tiles, in the block that it and its temporaries stand in. */
void overlap_make(struct tree *t, struct overlap_group *g, struct tree_stmt *block, const struct tree_frame *frame);
/* Can steps in which all nests have an iteration go through one innermost loop? Asked before addresses are changed,
 * then appended to the block, with the first iterations of tiles and the steps in variables. Gives the block of all
 * other steps, or NULL if there are none. */
bool overlap_joins(struct tree *t, const struct overlap_group *g);
struct tree_stmt *overlap_join(struct tree *t, const struct overlap_group *g, struct tree_expr *const *tiles,
                               struct tree_var *const *steps, struct tree_stmt *block);

#endif
