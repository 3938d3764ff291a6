/* Words for remarks (base/remark.h) about trees. All of them give NULL or "" if nobody asks for remarks. */
#ifndef LOWER_PASS_REMARK_H
#define LOWER_PASS_REMARK_H

#include "base/remark.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_piece.h"

/* "loop i"; "the copy", "the fill". */
const char *remark_subject(const struct tree *t, const struct tree_stmt *s);
/* "'T'", unless the place of the allocation says so already. */
const char *remark_memory(const struct tree *t, const struct tree_stmt *alloc);
/* "C[i]": an element of memory. */
const char *remark_place(struct tree *t, const struct tree_expr *pointer, const struct tree_expr *index);
/* The element path of a statement. */
const char *remark_path(const struct tree *t, const struct tree_stmt *s);
/* "4096 bytes", "8 * N bytes": of an allocation. */
const char *remark_bytes(struct tree *t, const struct tree_stmt *alloc);
/* The value of an expression, or the expression: names of variables without their numbers. */
const char *remark_value(struct tree *t, const struct tree_expr *e);
/* What two iterations have in common: "one iteration writes A[i], another one reads A[i - 1]". NULL for an access that
 * is not known. */
const char *remark_dependence(struct tree *t, const struct tree_access *a, const struct tree_access *b);
/* Of all that is in a statement, inside of the loops of the frame; HUGE_VAL: not known. */
double opt_operations(const struct tree_stmt *s, const struct tree_frame *frame);
/* Tells the remarks what the nests of the program take. */
void remark_times(struct tree *t);

#endif
