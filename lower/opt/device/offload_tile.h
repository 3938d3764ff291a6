/* Nests whose blocks of threads keep strips of their operands in shared memory: which ones (offload_tile_find.c), and
 * the kernel (offload_tile.c). */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_TILE_H
#define LOWER_OPT_DEVICE_OFFLOAD_TILE_H

#include "lower/opt/device/offload.h"
#include "lower/opt/device/offload_team.h"
#include "lower/tree/tree_linear.h"

/* A nest of independent loops, from the outside in, becomes a kernel of tiles, in a branch of the host for what has
 * enough of them: gives the block for the kernel that does the others. NULL, with nothing written: the nest is none for
 * tiles. */
struct tree_stmt *offload_tile(struct offload *o, struct tree_stmt *out, struct tree_stmt *const *loops,
                               uint32_t num_loops);

/* ---- offload_tile_find.c ---- */

enum {
    TILE = 64,
    TILE_DEPTH = 16,       /* of a strip */
    TILE_PITCH = TILE + 1, /* of a strip: neighbours in both directions lie in different banks */
    TILE_LOOPS = 8,
    TILE_OPERANDS = 4
};

struct tile_operand {
    const struct tree_expr *load;
    uint32_t side; /* 0: of the rows, 1: of the columns */
    bool deep;     /* neighbours along k lie next to each other */
    struct tree_var *strip, *element;
    uint32_t alias, element_alias;
};

struct tile_nest {
    struct offload *offload;
    struct tree *tree;
    struct tree_stmt *const *loops;
    uint32_t num_loops;
    struct tree_frame frames[TILE_LOOPS]; /* of them */
    const struct tree_stmt *body, *sum;   /* of a result; the loop over k */
    struct tree_var *acc;
    struct tree_expr *term; /* that is combined with it */
    enum expr_op op;
    enum wcr_kind wcr;
    const struct place *place; /* of the step */
    bool ordered;              /* sums begin with what is in front of them */
    struct tree_scan scan;     /* of the nest */
    struct tile_operand operands[TILE_OPERANDS];
    uint32_t num_operands;
    bool mixed;        /* an operand depends on the counters of the innermost two loops: a sum of them may be one */
    uint32_t sides[2]; /* loops of rows (y) and columns (x) */
    /* The side whose bounds depend on the other one's loop, and which of the two does; 2: none. */
    uint32_t bounded;
    bool high;
    bool rising; /* with the counter of the other loop */
    /* The same for the sum: the side whose counter one of its bounds depends on. */
    uint32_t deep;
    bool deep_high, deep_rising;

    /* while code is written */
    struct offload_range ranges[TILE_LOOPS], depth;
    struct tree_expr *first[2], *from, *to; /* row and column of the tile; what bounds the dependent side of it */
    struct tree_expr *thread;               /* in its block */
    struct tree_var *results;
    uint32_t results_alias;
};

/* Is it a nest for tiles? `w` has the offload, tree, loops and an empty scan. */
bool offload_is_tiled(struct tile_nest *w);
/* The bound of a side's loop, which may depend on the other side's, at a value of that one. */
struct tree_expr *offload_tile_bound(const struct tile_nest *w, uint32_t side, bool high, struct tree_expr *other);
/* The bound of the sum that depends on a side, at a value of that side's counter. */
struct tree_expr *offload_tile_depth(const struct tile_nest *w, struct tree_expr *at);

/* ---- offload_tile_shape.c ---- */

/* The loops with variables in place of memory of one element that an iteration takes. */
struct tree_stmt *const *offload_tile_variables(struct tree *t, struct tree_stmt *const *loops, uint32_t num_loops,
                                                bool strict);
/* Which counter counts on from which one, in copies of the loops: that of the innermost one from the one around it,
 * for i { for j = 0 to N - i { A[i + j] } } being for i { for j = i to N { A[j] } }, or that of the sum from either. */
enum tile_shift { SHIFT_INNER, SHIFT_SUM_OUTER, SHIFT_SUM_INNER, TILE_SHIFTS };
/* NULL: there is no such counter. */
struct tree_stmt *const *offload_tile_shifted(struct tree *t, struct tree_stmt *const *loops, uint32_t num_loops,
                                              enum tile_shift shift);

#endif
