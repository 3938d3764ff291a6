/* Between the files of the overlap pass: chains of loop nests (pass_overlap.c), and how they are cut (overlap_plan). */
#ifndef LOWER_PASS_OVERLAP_H
#define LOWER_PASS_OVERLAP_H

#include "lower/pass/pass.h"
#include "lower/tree/tree_piece.h"

enum {
    OVERLAP_DEPTH = 2,
    OVERLAP_STAGES = 16,
    OVERLAP_FAR = 1 << 20,  /* bytes that are sure not to stay in a second-level cache together with what goes by */
    OVERLAP_LIMIT = 1 << 30 /* of bounds and strides */
};

/* A nest of the chain. In a tile it runs over tile + low .. tile + size + high - 1, as far as that is its space. */
struct overlap_stage {
    struct tree_stmt *loops[OVERLAP_DEPTH];
    uint32_t depth; /* loops that can be cut */
    uint32_t item;  /* number in the block */
    struct tree_piece piece;
    int64_t low[OVERLAP_DEPTH], high[OVERLAP_DEPTH];
    bool lasting; /* writes memory that lives on */
    bool wanted;  /* later ones read what it writes */
};

/* Memory taken in the function. In a temporary of the chain, element x * strides + r, with 0 <= r < reach, belongs to
 * point x; a tile needs the points tile + low .. tile + size + high - 1. */
struct overlap_memory {
    struct tree_stmt *alloc, *release, *block;
    bool fixed; /* not to be touched */
    uint32_t accesses;
    bool temporary;
    const struct overlap_stage *writer;
    int64_t strides[OVERLAP_DEPTH], written[OVERLAP_DEPTH] /* the writer's point - its iteration */, reach;
    int64_t low[OVERLAP_DEPTH], high[OVERLAP_DEPTH];
};

/* How far a plan came. */
enum overlap_step { OVERLAP_UNFIT, OVERLAP_LARGE /* temporaries */, OVERLAP_NEEDS /* are known */, OVERLAP_PLANNED };

struct overlap_group {
    struct overlap_memory *memories; /* by variable */
    struct overlap_stage *stages;
    uint32_t count, depth;
    struct overlap_memory *temporaries[OVERLAP_STAGES];
    uint32_t num_temporaries;
    bool parallel;
    int64_t begin[OVERLAP_DEPTH], end[OVERLAP_DEPTH]; /* what tiles cover */
    int64_t size[OVERLAP_DEPTH];                      /* of a tile */
    int more_work;                                    /* percent: what neighbouring tiles both do */
    enum overlap_step reached;                        /* by overlap_plan */
};

/* The temporary that an access with this pointer goes to, or NULL. */
struct overlap_memory *overlap_temporary(const struct overlap_group *g, const struct tree_expr *pointer);
/* Which point an address belongs to, relative to the iteration. False if that is not always the same one. Strides are
 * set by the first address of the memory. */
bool overlap_shift(struct overlap_memory *m, const struct overlap_group *g, const struct overlap_stage *s,
                   const struct linear *at, const struct tree_frame *frame, int64_t *shift);
/* Finds what stages and temporaries need, and the size of tiles. False: not legal, or not worthwhile. */
bool overlap_plan(struct overlap_group *g);

#endif
