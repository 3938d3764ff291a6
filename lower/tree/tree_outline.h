/* The functions that code made of a tree has: those of the tree, the bodies of its parallel regions, and parts of
 * functions that are too large for one unit of a compiler.
 *
 * The tree stays as it is: a plan says which of its statements become functions, and which variables these share with
 * the code around. What a function only reads is passed by value; what a part assigns comes back as well. */
#ifndef LOWER_TREE_OUTLINE_H
#define LOWER_TREE_OUTLINE_H

#include "lower/tree/tree.h"

enum tree_outlined_kind { OUTLINED_ENTRY, OUTLINED_PARALLEL, OUTLINED_PART };

/* One function. */
struct tree_outlined {
    enum tree_outlined_kind kind;
    const char *name;                 /* sdfg_main, main.parallel<k>, main.part<k> */
    const struct tree_func *function; /* of the tree, to which it belongs */
    const struct tree_stmt *parallel; /* PARALLEL: the statement */
    const struct tree_stmt *body;
    VEC(struct tree_var *) captured; /* read only: passed by value */
    VEC(struct tree_var *) shared;   /* PART: assigned here and used elsewhere: copied in and out */
    uint32_t num_items;              /* PART: statements of the block that it replaces */
    bool may_fail;                   /* contains a heap allocation; PART: or a place where the call can be stopped */
    bool stoppable;                  /* sequential code of a call (tree_stop.h) */
    bool may_return;                 /* PART: its end may be the end of the function it was taken from */
    bool apart;                      /* PARALLEL: no thread waits for another one */
    bool keeps_threads;              /* ENTRY: loops around regions, and nobody else's threads (tree_keeps_threads) */
    uint32_t cost;                   /* statements, parallel bodies not counted */
    uint32_t unit;                   /* that it belongs to */
};

struct tree_outline {
    VEC(struct tree_outlined *) functions; /* outer ones first */
    uint32_t num_units;                    /* at least 1 */
    struct map regions, parts;             /* PARALLEL, first statement of a part -> struct tree_outlined */
};

/* `unit_budget`: statements of a unit before further functions go into another one, and most of a function before parts
 * of it become functions; 0: one unit. `stoppable`: "main" is code of a call that can be stopped. In the tree's arena,
 * with which it lives. */
const struct tree_outline *tree_outline(const struct tree *t, uint32_t unit_budget, bool stoppable);

/* Are regions begun in loops of the function, so that it pays to keep their threads, and is there no call outside of
 * regions of anything that may have threads of its own? */
bool tree_keeps_threads(const struct tree_func *f);

/* The body of a parallel region. */
const struct tree_outlined *tree_outline_region(const struct tree_outline *o, const struct tree_stmt *parallel);
/* The part that stands for the statement of `outer` and the num_items - 1 behind it; NULL: there is none. */
const struct tree_outlined *tree_outline_part(const struct tree_outline *o, const struct tree_stmt *s,
                                              const struct tree_outlined *outer);

#endif
