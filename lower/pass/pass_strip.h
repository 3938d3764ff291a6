/* Between the files of the strip pass: taking loops apart (pass_strip.c), whether that pays (pass_strip_pays.c), and
 * which data all of a strip reads (pass_strip_block.c). */
#ifndef LOWER_PASS_STRIP_H
#define LOWER_PASS_STRIP_H

#include "lower/pass/pass.h"
#include "lower/tree/tree_piece.h"

/* By how many elements an address moves with the variable; INT64_MAX: not known. */
int64_t strip_stride(const struct tree_access *a, const struct tree_var *v);
/* Is there a loop inside? */
bool strip_has_loop(const struct tree_stmt *s);
/* Would strips of `loop`, whose accesses `piece` has, make more accesses of loops inside even than uneven, or vectors
 * of what is chains otherwise? */
bool strip_pays(const struct tree_stmt *loop, const struct tree_piece *piece);
/* `inner` stands directly in `loop`, whose accesses `piece` has. If it reads the same memory in all iterations of
 * `loop`, and more of it than stays in cache from one to the next: how many of its iterations' data does. Else 0. */
int64_t strip_block(const struct tree_piece *piece, const struct tree_stmt *loop, const struct tree_stmt *inner);

#endif
