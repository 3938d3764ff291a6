/* Several rows of a nest for one thread (offload_rows.c). */
#ifndef LOWER_OPT_DEVICE_OFFLOAD_ROWS_H
#define LOWER_OPT_DEVICE_OFFLOAD_ROWS_H

#include "lower/opt/device/offload.h"

enum { OFFLOAD_ROWS = 2 };

/* Is the body of the innermost loop, a block, one that pays for several rows? `slow`: it may call functions. */
bool offload_rows_fit(const struct tree_stmt *body, bool slow);
/* How many rows a thread has, where there are this many iterations: a value of the host, OFFLOAD_ROWS or 1. */
struct tree_expr *offload_rows_count(struct tree *t, struct tree_expr *iterations);
/* The body for the counter `v` from `first` to `last`: at once if these are OFFLOAD_ROWS, one by one otherwise. */
void offload_rows(struct tree *t, struct tree_stmt *out, struct tree_stmt *body, struct tree_var *v,
                  struct tree_expr *first, struct tree_expr *last);

/* Several iterations at once: all that they load, with what is computed between, all values that are left, all stores.
 */
struct offload_row {
    struct tree_stmt *loads, *values, *stores;
};
struct offload_row offload_rows_begin(struct tree *t);
/* Adds the iteration in which the counter `v` is `at`. */
void offload_rows_write(struct tree *t, struct offload_row *out, const struct tree_stmt *body, const struct tree_var *v,
                        struct tree_expr *at);
void offload_rows_end(struct tree *t, struct tree_stmt *out, const struct offload_row *row);

#endif
