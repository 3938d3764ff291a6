/* Between the files of the strip pass: which loops may be taken apart (strip_mine.c), whether that pays
 * (pass_strip_pays.c), which data all of a strip reads (pass_strip_block.c), and what becomes of the loop
 * (pass_strip_make.c). */
#ifndef LOWER_PASS_STRIP_H
#define LOWER_PASS_STRIP_H

#include "lower/opt/passes.h"
#include "lower/tree/tree_piece.h"
#include "lower/tree/tree_scan.h"

enum {
    STRIP_NARROWEST = 16,
    STRIP_FEW = 4 /* elements of memory that can be brought along one by one */
};

/* One loop that is being taken apart. */
struct strip {
    struct tree *tree;
    const struct tree_stmt *loop;
    struct tree_scan scan; /* of its body */
    struct tree_piece piece;
    struct map runs;       /* variable -> number of the run of statements that it is used in, plus one */
    struct map uniform;    /* variables that have one value for all of the strip, memory that has the same values */
    struct map varied;     /* variables of memory that has not */
    struct map arrays;     /* variable -> pointer variable of its values, or of its memory */
    struct map memory;     /* variables of memory of an iteration -> the allocation */
    uintptr_t run, direct; /* direct: uses of such memory as the pointer of an access */
    int64_t bytes;         /* of memory of an iteration that differs from that of the others */
    int64_t width;         /* iterations of a full strip */
    struct tree_var *base; /* first value of the strip */
    struct tree_expr *stop;
    bool sized; /* has memory that differs, of which only a run knows the size */
    bool ok, again;
};

/* By how many elements an address moves with the variable; INT64_MAX: not known. */
int64_t strip_stride(const struct tree_access *a, const struct tree_var *v);
/* Bytes of a strip at most. */
int64_t strip_memory(const struct strip *w);
/* Is there a loop inside? */
bool strip_has_loop(const struct tree_stmt *s);
/* Would strips of `loop`, whose accesses `piece` has, make more accesses of loops inside even than uneven, or vectors
 * of what is chains otherwise? */
bool strip_pays(struct arena *arena, const struct tree_stmt *loop, const struct tree_piece *piece);
/* `inner` stands directly in `loop`, whose accesses `piece` has. If it reads the same memory in all iterations of
 * `loop`, and more of it than stays in cache from one to the next: how many of its iterations' data does. Else 0. */
int64_t strip_block(const struct tree *t, const struct tree_piece *piece, const struct tree_stmt *loop,
                    const struct tree_stmt *inner);
/* Is the store to memory that is the same for all of the strip? */
bool strip_stores_uniform(const struct strip *w, const struct tree_stmt *s);
/* Takes the loop apart. `threads`: they may share the strips. */
void strip_make(struct strip *w, struct tree_stmt *loop, bool threads);

#endif
