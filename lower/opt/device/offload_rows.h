/* Several rows of a nest for one thread (offload_rows.c). */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_ROWS_H
#define LOWER_OPT_DEVICE_OFFLOAD_ROWS_H

#include "lower/opt/device/offload.h"

enum { OFFLOAD_ROWS = 2 };

/* Is the body of the innermost loop, a block, one that pays for several rows? */
bool offload_rows_fit(const struct tree_stmt *body);
/* How many rows a thread has, where there are this many iterations: a value of the host, OFFLOAD_ROWS or 1. */
struct tree_expr *offload_rows_count(struct tree *t, struct tree_expr *iterations);
/* The body for the counter `v` from `first` to `last`: at once if these are OFFLOAD_ROWS, one by one otherwise. */
void offload_rows(struct tree *t, struct tree_stmt *out, struct tree_stmt *body, struct tree_var *v,
                  struct tree_expr *first, struct tree_expr *last);

#endif
