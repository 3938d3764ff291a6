/* Between the files of the double-buffering pass: which loops need no copies (double_buffering_find.c), and what
 * becomes of them: two iterations in one (double_buffering.c), or iterations that choose (double_buffering_choice.c).
 */
#ifndef LOWER_PASS_DOUBLE_BUFFERING_H
#define LOWER_PASS_DOUBLE_BUFFERING_H

#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_scan.h"

/* An array and the copy of it that each iteration makes. */
struct buffer_pair {
    const struct tree_stmt *copy;
    struct tree_var *old, *now;
    uint32_t first_store; /* item of the body */
    uint32_t depth;       /* most loops around a store */
    /* Loads of elements of `now` that are stored to behind them: those are copied. */
    VEC(const struct tree_access *) rows;
};

struct buffers {
    struct tree *tree;
    struct tree_func *func;
    struct tree_stmt *loop;
    struct tree_frame frame; /* of the loop */
    struct tree_scan scan;   /* of the loop */
    struct tree_whole whole; /* the function, as it was before the pass */
    struct tree_piece *items /* of the loop's body */, function;
    VEC(struct buffer_pair) pairs;
    bool chooses; /* the loop is not worth having twice: iterations choose which array they change */
};

/* Finds the pairs of the loop, a STMT_FOR, and whether it `chooses`, if that is not known; false: there is none. Nests
 * that copy whole arrays are copies in the body then. */
bool buffers_find(struct buffers *w);
/* The statement among those of the body that takes memory for the variable; NULL: there is not one. */
const struct tree_stmt *buffers_allocation(const struct buffers *w, const struct tree_var *v);

/* Is the class that of an array of a pair? */
bool buffers_has(const struct buffers *w, uint32_t alias);
/* Does a statement with these accesses touch an array of a pair? */
bool buffers_touch(const struct buffers *w, const struct tree_piece *p);
/* The body that reads `old` and changes `now`, without copies. */
struct tree_stmt *buffers_body(const struct buffers *w);
/* Makes them read `now` and change `old`. */
void buffers_swap(const struct buffers *w, struct tree_stmt *body);
/* Memory of copies that the body took, and the first copies, if the condition holds (NULL: always). */
void buffers_begin(const struct buffers *w, struct tree_stmt *items, struct tree_expr *any);
/* Gives that memory back. */
void buffers_end(const struct buffers *w, struct tree_stmt *items);

/* The loop `like`, a STMT_FOR or STMT_WHILE with that body, whose iterations choose. */
struct tree_stmt *buffers_choose(const struct buffers *w, const struct tree_stmt *like);

#endif
