/* Between the files of array contraction: what is known of memory (array_contraction.c), the part of it that an
 * iteration needs (array_contraction_part.c), and memory that several loops use, each for itself
 * (array_contraction_split.c). */
#ifndef LOWER_PASS_SHRINK_H
#define LOWER_PASS_SHRINK_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"

enum { SHRINK_LARGEST = 16 * 1024, SHRINK_FRAME = 256 * 1024 /* bytes */, SHRINK_LOOPS = 16 };

struct contracted {
    struct tree_stmt *alloc, *release;
    struct tree_stmt *block;            /* that the allocation stands in */
    const struct tree_frame *frame;     /* loops around it */
    uint32_t repeats;                   /* other loops around it */
    uint32_t uses;                      /* of the variable, but for allocation and release */
    bool fixed;                         /* not to be touched */
    bool zero;                          /* has values from the begin */
    VEC(struct tree_access *) accesses; /* in the order of the program */
};

struct shrink {
    struct tree *tree;
    struct arena *arena;
    struct contracted *memories; /* by variable */
    struct map repeats;          /* FOR -> number of WHILE and DO loops around it, plus one */
    uint32_t num_vars;
    int64_t taken; /* bytes on the stack */
    bool jumps;    /* loops may be left */
    bool device;   /* threads have no memory whose size is not known */
};

/* What an iteration of a loop needs: addresses base + low .. base + low + count - 1. */
struct contracted_part {
    struct linear base; /* of the iteration */
    int64_t low, count;
    struct tree_expr *elements; /* not NULL: base .. base + elements - 1, as many as sizes say; low and count are 0 */
};

/* Elements of the memory; the largest number if they are not known. */
int64_t shrink_elements(const struct contracted *m);
/* Does the sum keep its value while the statement runs? */
bool shrink_stays(const struct shrink *w, const struct linear *l, const struct tree_stmt *s);
/* The sum where the loops around the access, inside `loop`, make it least or largest, in terms of what is known when an
 * iteration of `loop` begins. */
bool shrink_find_end(const struct shrink *w, struct linear *l, const struct tree_access *a,
                     const struct tree_stmt *loop, bool least);
/* The part that all accesses stay in, which stand inside `loop`; false: too large, not known, or not the same one from
 * the begin of an iteration to its end. */
bool shrink_find_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                      struct contracted_part *part);
/* The same where bounds of loops inside are sizes: as many elements as the iteration knows when it begins. */
bool shrink_find_sized_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                            struct contracted_part *part);
/* The same for memory of the heap that iterations may take and give back. */
bool shrink_find_heap_part(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                           struct contracted_part *part);
/* Do two iterations of the loops, innermost last, always have bases that are at least `part->count` elements apart, or
 * touch different elements? */
bool shrink_bases_differ(const struct shrink *w, const struct contracted *m, const struct contracted_part *part,
                         const struct tree_frame *loops, uint32_t count);
/* Does every iteration of the loop write all of the part before it looks at any of it? */
bool shrink_is_filled_first(const struct contracted *m, struct tree_stmt *loop, const struct contracted_part *part);
/* The loops between the allocation and the accesses that are around all of these, outermost first; gives their number.
 */
uint32_t shrink_common_loops(const struct contracted *m, struct tree_frame *out);
/* The remark about memory that an iteration of the loop has of its own. */
void shrink_say(const struct shrink *w, const struct contracted *m, const struct tree_stmt *loop,
                const struct contracted_part *part);
/* Accesses inside `loop` go to memory of the iteration, which `to` points to. */
void shrink_put_into(struct shrink *w, const struct contracted *m, struct tree_var *to, struct tree_stmt *loop,
                     const struct contracted_part *part);

/* Memory whose elements every iteration of the loops that use it stores before it loads them becomes memory of these
 * iterations. Gives whether it did. */
bool shrink_split(struct shrink *w, struct contracted *m);

#endif
