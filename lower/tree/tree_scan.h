/* What a piece of tree does with variables, memory and control: the questions tree passes ask before they move
 * anything. */
#ifndef LOWER_TREE_SCAN_H
#define LOWER_TREE_SCAN_H

#include "lower/tree/tree.h"

struct tree_scan {
    struct arena *arena;
    struct map uses;     /* struct tree_var * -> number of places that name it, as an integer in the pointer */
    struct map assigned; /* struct tree_var * -> itself, if some statement gives it a value */
    struct map labels;   /* struct tree_label * that stand inside */
    struct map gotos;    /* struct tree_label * -> number of jumps to it, as an integer in the pointer */
    bool breaks;         /* has a break or continue for a loop around the piece */
    bool returns, barrier, parallel;
    bool opaque;    /* calls what may conflict with accesses of other threads */
    uint32_t depth; /* loops around the statement being scanned */
};

/* Adds a statement with all it contains. */
void tree_scan_add(struct tree_scan *scan, const struct tree_stmt *s);
/* Does control enter and leave the piece only at its ends? `whole` is the scan of the function. */
bool tree_scan_is_closed(const struct tree_scan *piece, const struct tree_scan *whole);
/* Is every variable in the expression untouched by the scanned piece, and nothing else that could change in it? */
bool tree_scan_invariant(const struct tree_scan *piece, const struct tree_expr *e);
/* Are the loop's begin, end and step such? */
bool tree_scan_keeps_bounds(const struct tree_scan *piece, const struct tree_stmt *loop);
/* Does the scanned piece give the variable a value? `scan` is a struct tree_scan: for struct depend_query. */
bool tree_scan_assigns(void *scan, const struct tree_var *v);
/* The function's scan, its parameters counted as uses. */
struct tree_scan tree_scan_function(struct tree *t, const struct tree_func *f);

/* The same, made when somebody asks for it, or kept from an earlier pass (tree_facts.h): most functions have nothing
 * that a pass must know it for. */
struct tree_whole {
    struct tree *tree;
    const struct tree_func *func;
    struct tree_scan scan;
    bool changes; /* whoever asks keeps the scan up to date with what it does: it has one of its own */
};
const struct tree_scan *tree_whole(struct tree_whole *w);

#endif
