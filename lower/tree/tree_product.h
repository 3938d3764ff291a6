/* Products of matrices: calls of sdfg_rt_gemm. */
#ifndef LOWER_TREE_PRODUCT_H
#define LOWER_TREE_PRODUCT_H

#include "lower/tree/tree.h"

/* Element (i, j) lies `i * row + j * column` elements behind the address; int64. */
struct tree_matrix {
    struct tree_expr *address, *row, *column;
    uint32_t alias;
};

/* C[m, n] = alpha * A[m, k] B[k, n] + beta * C. */
struct tree_product_of {
    const struct type *type; /* of the elements */
    struct tree_expr *m, *n, *k;
    struct tree_matrix a, b, c;
    struct tree_expr *alpha, *beta; /* of that type */
};

/* enum sdfg_rt_type; -1: there are no products of such elements. */
int tree_product_type(const struct type *elem);
struct tree_stmt *stmt_product(struct tree *t, struct tree_stmt *b, const struct tree_product_of *p);
/* The address of a place on the stack that holds the value. */
struct tree_expr *stmt_address_of(struct tree *t, struct tree_stmt *b, struct tree_expr *value);

#endif
