/* Matrix products as programs with one library node, as calls of CBLAS, and as loops that check both. */
#ifndef BENCH_PRODUCTS_PRODUCTS_H
#define BENCH_PRODUCTS_PRODUCTS_H

#include "sdfg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C = alpha op(A) op(B) + beta C, `batch` times (0: matrices instead of stacks of them), A: m x k, B: k x n. All are
 * row-major; a transposed operand is stored as [k, m] or [n, k]. m = 1 or n = 1: that operand and C are vectors. */
struct product {
    sdfg_dtype dtype;
    int64_t batch, m, n, k;
    bool trans_a, trans_b;
    double alpha, beta;
};

/* Number `index` of the list, and the name of its group; NULL: there are fewer (cases.c). */
const char *product_listed(int index, struct product *p);
/* The next random one; the same ones for the same `state` at first, which is not 0. */
const char *product_random(uint64_t *state, struct product *p);
/* As "odd f64 5x7x3". */
void product_name(const struct product *p, const char *group, char *name, size_t size);

/* The graph as JSON, in new memory that the caller frees; NULL: it is not valid (graph.c). */
char *product_graph(const struct product *p);

/* Elements are numbers of `dtype`. */
size_t product_element_bytes(sdfg_dtype dtype);
int64_t product_elements_a(const struct product *p);
int64_t product_elements_b(const struct product *p);
int64_t product_elements_c(const struct product *p);

/* The library called directly (direct.c). */
struct direct {
    void *library, *gemm[4], *gemv[4], *dot[4]; /* by direct_type */
    void (*set_threads)(int);                   /* NULL: it cannot be told */
};
/* False: there is no such library, or it lacks a function. */
bool direct_open(struct direct *d, const char *name);
void direct_run(const struct direct *d, const struct product *p, const void *a, const void *b, void *c);

/* The same by loops, every sum in double (reference.c). */
void reference_run(const struct product *p, const void *a, const void *b, void *c);
/* The largest difference of two results, in units in the last place of the largest sum that there can be. */
double reference_difference(const struct product *p, const void *x, const void *y);
/* Numbers in [-1, 1), the same for the same seed. */
void reference_fill(sdfg_dtype dtype, void *data, int64_t elements, uint64_t seed);

#endif
