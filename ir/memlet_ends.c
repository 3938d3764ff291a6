/* Which ends of a memlet's dimensions code needs: what gets a pointer does not need to know where the region ends. */
#include "ir/memlet_ends.h"

#include "ir/json/json.h"
#include "ir/library.h"

#include <string.h>

static const uint64_t all_ends = UINT64_MAX;

static bool defines_view(const struct edge *e)
{
    const struct access *from = as_access(e->src), *to = as_access(e->dst);
    return (to && to->data && container_is_view(to->data) && view_edge(to) == e) ||
           (from && from->data && container_is_view(from->data) && view_edge(from) == e);
}

static uint32_t operand_rank(const struct node *n, const char *connector)
{
    const struct edge *e = node_in_edge(n, connector);
    return e && e->memlet.subset ? e->memlet.subset->rank : 0;
}

/* The columns of the second operand of a product; its memlet has two dimensions or more. */
static uint64_t columns_end(const struct library *l, uint32_t rank)
{
    bool transposed = json_bool(json_get(l->attributes, "transB"), false);
    return UINT64_C(1) << (transposed ? rank - 2 : rank - 1);
}

/* Products of matrices take M, K and the batch from the first operand and N from the second one; only a first operand
 * without batch leaves that to the second. */
static uint64_t product_ends(const struct edge *e, const struct library *l)
{
    const char *name = e->dst == &l->node ? e->dst_conn : e->src_conn;
    uint32_t rank = e->memlet.subset ? e->memlet.subset->rank : 0;
    if (!name || !strcmp(name, "_a"))
        return all_ends;
    if (strcmp(name, "_b") != 0 || rank < 2)
        return 0;
    uint64_t batch = operand_rank(&l->node, "_a") <= 2 ? (UINT64_C(1) << (rank - 2)) - 1 : 0;
    return batch | columns_end(l, rank);
}

/* Sparse products take their rows from the row pointers and the columns from the dense operand. The lists of a row end
 * where the row pointers say; `_c` is initialized over its shape unless the product is added to it (beta = 1). The
 * libraries that a node asks for are told the shape of `_c` and the height of `_b` (MKL), or of all (cuSPARSE). */
static uint64_t sparse_ends(const struct edge *e, const struct library *l)
{
    const char *name = e->dst == &l->node ? e->dst_conn : e->src_conn;
    const char *library = l->implementation ? l->implementation : "";
    struct library_number beta;
    if (!name || !strcmp(name, "_a_rows") || !strcmp(library, "cuSPARSE"))
        return all_ends;
    if (!strcmp(library, "MKL"))
        return !strcmp(name, "_c") ? all_ends : !strcmp(name, "_b") ? 1 : 0;
    if (!strcmp(name, "_b") && e->memlet.subset && e->memlet.subset->rank >= 2)
        return columns_end(l, e->memlet.subset->rank);
    if (strcmp(name, "_c") != 0)
        return 0;
    bool accumulates = library_number(l, "beta", 0, &beta) && !beta.symbol && beta.re == 1 && beta.im == 0;
    return accumulates ? 0 : all_ends;
}

static bool is_sparse_product(const struct library *l)
{
    const char *class = l ? library_class(l) : "";
    return !strcmp(class, "CSRMM") || !strcmp(class, "CSRMV");
}

static bool is_product(const struct library *l)
{
    const char *class = l ? library_class(l) : "";
    return !strcmp(class, "MatMul") || !strcmp(class, "Gemm") || !strcmp(class, "BatchedMatMul");
}

/* The vectors of a distributed product have the extents that the properties say. */
static bool is_product_vector(const struct edge *e, const struct library *l)
{
    const char *name = e->dst == &l->node ? e->dst_conn : e->src_conn;
    return !strcmp(library_class(l), "Pgemv") && name && (!strcmp(name, "_b") || !strcmp(name, "_c"));
}

uint64_t memlet_needed_ends(const struct edge *e)
{
    const struct library *from = as_library(e->src), *to = as_library(e->dst), *l = to ? to : from;
    if (as_tasklet(e->src) || as_tasklet(e->dst) || as_nested(e->src) || as_nested(e->dst) || defines_view(e))
        return 0;
    if (is_sparse_product(l))
        return sparse_ends(e, l);
    if (l && is_product_vector(e, l))
        return 0;
    return is_product(l) ? product_ends(e, l) : all_ends;
}
