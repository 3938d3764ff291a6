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
/* `count` of them by a library of the device, each this many elements further in A, B and C (0: the same matrix). The
 * matrices are on the device. `place` is for messages. */
struct tree_products {
    struct tree_product_of first;
    struct tree_expr *count, *steps[3];
    bool strict, fast; /* arithmetic as the type says; float32 may be rounded */
};
struct tree_stmt *stmt_device_products(struct tree *t, struct tree_stmt *b, const struct tree_products *p,
                                       const struct place *place);
/* The path of an element as text in the code. */
struct tree_expr *tree_path_of(struct tree *t, const struct place *place);
/* Is it a call of sdfg_rt_gemm of which everything is known? */
bool stmt_is_product(const struct tree_stmt *s);
/* The address of a place on the stack that holds the value. */
struct tree_expr *stmt_address_of(struct tree *t, struct tree_stmt *b, struct tree_expr *value);

/* Is it known that no library does a product of so many multiply-adds on the host? */
bool tree_product_is_small(const struct tree_expr *work);

#endif
