/* Between the files of the sections pass: what parts a run of statements falls into (sections_parts.c), and what is
 * made of them (sections.c). */
#ifndef LOWER_PASS_SECTIONS_H
#define LOWER_PASS_SECTIONS_H

#include "lower/opt/iterations.h"

/* Loops that are seen through, innermost first. */
struct around {
    const struct tree_stmt *loop;
    const struct around *outer;
};

struct section_leaf {
    struct tree_stmt *stmt;
    const struct around *around;
    struct tree_piece piece;
    uint32_t group; /* a leaf of the same group that is not behind this one; itself: the first one */
    uint32_t part;
};

struct item {
    struct tree_stmt *stmt;
    uint32_t first, end; /* leaves */
    bool work;           /* has loops, copies or fills */
    bool fixed;          /* in no part */
};

struct section_part {
    uint32_t number;
    struct tree_expr *cost; /* of one execution, int64 */
    int64_t little;         /* of what has gone in because it is little work */
    struct tree_stmt *body;
};

/* Who was the first to touch a class or a variable. */
struct owner {
    uint32_t stamp, leaf;
};

struct sections {
    struct tree *tree;
    struct arena *arena;
    const struct tree_func *function;
    struct iterations iterations;
    struct owner *classes, *vars; /* NULL: not needed so far, nor is `iterations` */
    uint32_t stamp;
    VEC(struct section_leaf) leaves;
    VEC(struct item) items;
    uint32_t loops; /* around the block */
    const struct tree_frame *frame;
};

/* Neighbouring items first .. end - 1 of a block. */
struct section_run {
    uint32_t first, end;
    struct tree_scan scan;
    VEC(struct tree_expr *) groups; /* what those that begin with a loop cost */
    VEC(struct section_part) parts;
};

/* Takes the statements of a block apart: fills `leaves` and `items`. */
void sections_take_apart(struct sections *x, const struct tree_stmt *block);
/* The parts that the run falls into, without bodies. `scan`: of all its items. */
void sections_find_parts(struct sections *x, struct section_run *r);
/* Their bodies. Statements are shared with the run, loops around those of several parts are copied. */
void sections_fill_parts(struct sections *x, struct section_run *r);
/* Is there a loop in the statement? */
bool sections_has_loop(struct tree_stmt *s);

#endif
