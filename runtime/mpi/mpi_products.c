/* Products of matrices in block-cyclic distribution (library-nodes.md 11), in the manner of SUMMA: R. van de Geijn,
 * J. Watts, "SUMMA: Scalable Universal Matrix Multiplication Algorithm", 1997; by ScaLAPACK where it is there. */
#include "runtime/mpi/mpi_scalapack.h"

#include "runtime/linalg/blas.h"

#include <stdlib.h>
#include <string.h>

enum { PANEL = 256 }; /* columns of A, and rows of B, that are multiplied at once */

static int32_t element_type(const struct sdfg_rt_mpi_node *n, int64_t type)
{
    switch (type) {
    case SDFG_RT_MPI_FLOAT32:
        return SDFG_RT_F32;
    case SDFG_RT_MPI_FLOAT64:
        return SDFG_RT_F64;
    case SDFG_RT_MPI_COMPLEX64:
        return SDFG_RT_C64;
    case SDFG_RT_MPI_COMPLEX128:
        return SDFG_RT_C128;
    default:
        sdfg_rt_mpi_fail(n, SDFG_RT_BAD_VALUE, "a product of matrices of integers or truth values");
        return -1;
    }
}

static bool bcast(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g, int64_t type, char *memory,
                  int64_t count, int root)
{
    struct sdfg_rt_mpi_elements e;
    if (n->mpi->self || g->processes == 1 || !count)
        return true;
    if (!sdfg_rt_mpi_row(n, type, count, &e))
        return false;
    sdfg_rt_mpi_about(n, "MPI_Bcast", root, -1);
    int result = n->mpi->Bcast(memory, e.count, e.type, root, g->comm);
    sdfg_rt_mpi_elements_free(n, &e);
    return sdfg_rt_mpi_good(n, "MPI_Bcast", result, "a part of a matrix on %d processes", g->processes);
}

/* ---- matrix by matrix ---- */

/* One operand: strips of it go along one dimension of the grid, from the process that has them to all of that row or
 * column of processes. Panels are packed with neighbours in the other dimension beside each other. */
struct panels {
    struct sdfg_rt_mpi_matrix part;
    struct sdfg_rt_mpi_cyclic along; /* the dimension over which is summed */
    const struct sdfg_rt_mpi_grid *line;
    int64_t length;       /* of the other dimension, here */
    int64_t stride, step; /* from one element of the part to the next: there, and along `along` */
    char *panel;
};

static bool fetch(const struct sdfg_rt_mpi_node *n, const struct panels *s, int64_t first, int64_t count, int64_t at)
{
    const struct sdfg_rt_mpi_cyclic *c = &s->along;
    int owner = (int)(first / c->block % c->processes);
    char *strip = s->panel + (size_t)(at * s->length) * s->part.bytes;
    if (s->line->me == owner) {
        int64_t here = first / c->block / c->processes * c->block + first % c->block;
        struct sdfg_rt_mpi_layout l = {
            .elements = count * s->length, .rank = 2, .bytes = s->part.bytes, .strides = { s->step, s->stride }
        };
        l.extents[0] = count;
        l.extents[1] = s->length;
        sdfg_rt_mpi_pack(&l, s->part.data + here * s->step * (int64_t)s->part.bytes, strip);
    }
    return bcast(n, s->line, s->part.type, strip, count * s->length, owner);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* C += the product of the panels, of as many columns. */
static void multiply(const struct sdfg_rt_mpi_node *n, const struct panels *a, const struct panels *b, int32_t type,
                     const struct sdfg_rt_mpi_matrix *c, int64_t columns, bool more)
{
    static const double one[2] = { 1, 0 };
    static const float one_single[2] = { 1, 0 };
    const void *beta = !more ? NULL : type == SDFG_RT_F32 || type == SDFG_RT_C64 ? (const void *)one_single : one;
    sdfg_rt_gemm(n->context, type, a->length, b->length, columns, a->panel, 1, a->length, b->panel, b->length, 1,
                 c->data, c->row_stride, c->col_stride, NULL, beta);
}

static bool summa(const struct sdfg_rt_mpi_node *n, const struct panels *a, const struct panels *b, int32_t type,
                  const struct sdfg_rt_mpi_matrix *c)
{
    int64_t all = a->along.size, filled = 0;
    for (int64_t first = 0, count; first < all; first += count) {
        count = least(least(a->along.block - first % a->along.block, b->along.block - first % b->along.block),
                      least(all - first, PANEL - filled));
        if (!fetch(n, a, first, count, filled) || !fetch(n, b, first, count, filled))
            return false;
        filled += count;
        if (filled == PANEL || first + count == all) {
            multiply(n, a, b, type, c, filled, first + count > filled);
            filled = 0;
        }
    }
    if (!all)
        multiply(n, a, b, type, c, 0, false);
    return true;
}

/* The processes with the same coordinate in the other dimension. */
static const struct sdfg_rt_mpi_grid *line_of(const struct sdfg_rt_mpi_node *n, void *grid, int dimension)
{
    const int64_t stays[3] = { 2, dimension == 0, dimension == 1 };
    return sdfg_rt_mpi_grid(n->context, n->where, grid, stays, -1);
}

void sdfg_rt_mpi_gemm(struct sdfg_rt_context *context, const char *where, const void *a, const int64_t *a_layout,
                      const void *b, const int64_t *b_layout, void *c, const int64_t *c_layout, const int64_t *sizes,
                      const int32_t *a_blocks, const int32_t *b_blocks, void *grid)
{
    struct sdfg_rt_mpi_node n;
    const struct sdfg_rt_mpi_grid *g = grid;
    struct panels x = { .part = sdfg_rt_mpi_matrix(a, a_layout) }, y = { .part = sdfg_rt_mpi_matrix(b, b_layout) };
    struct sdfg_rt_mpi_matrix out = sdfg_rt_mpi_matrix(c, c_layout);
    struct sdfg_rt_mpi_cyclic left[2], right[2], result[2];
    int64_t at[2];
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) ||
        !sdfg_rt_mpi_cyclic_make(&n, g, sizes[0], sizes[2], a_blocks, left) ||
        !sdfg_rt_mpi_cyclic_make(&n, g, sizes[2], sizes[1], b_blocks, right))
        return;
    result[0] = left[0];
    result[1] = right[1];
    int32_t type = element_type(&n, out.type);
    if (type < 0 || !sdfg_rt_mpi_same_type(&n, x.part.type, out.type) ||
        !sdfg_rt_mpi_same_type(&n, y.part.type, out.type) ||
        !sdfg_rt_mpi_cyclic_fits(&n, g, left, &x.part, "the first matrix") ||
        !sdfg_rt_mpi_cyclic_fits(&n, g, right, &y.part, "the second matrix") ||
        !sdfg_rt_mpi_cyclic_fits(&n, g, result, &out, "the result"))
        return;
    if (sdfg_rt_scalapack_gemm(&n, grid, type, &x.part, left, &y.part, right, &out) != SDFG_RT_SCALAPACK_NOT_DONE ||
        context->error || !(x.line = line_of(&n, grid, 1)) || !(y.line = line_of(&n, grid, 0)))
        return;
    sdfg_rt_mpi_coordinates(g, g->me, at);
    x.along = left[1];
    x.length = sdfg_rt_mpi_cyclic_local(&left[0], (int)at[0]);
    x.stride = x.part.row_stride;
    x.step = x.part.col_stride;
    y.along = right[0];
    y.length = sdfg_rt_mpi_cyclic_local(&right[1], (int)at[1]);
    y.stride = y.part.col_stride;
    y.step = y.part.row_stride;
    x.panel = malloc((size_t)x.length * PANEL * x.part.bytes + 1);
    y.panel = malloc((size_t)y.length * PANEL * y.part.bytes + 1);
    if (x.panel && y.panel)
        summa(&n, &x, &y, type, &out);
    else
        sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "panels of a matrix");
    free(x.panel);
    free(y.panel);
}

/* ---- matrix by vector ---- */

/* A vector of the matrix's rows or columns, whole, and the elements of it that meet the part of this process. */
struct vector {
    struct sdfg_rt_mpi_cyclic cyclic;
    int64_t here;
    char *whole, *own;
};

static bool take(struct vector *v, const struct sdfg_rt_mpi_cyclic *c, int64_t at, size_t bytes)
{
    v->cyclic = *c;
    v->here = sdfg_rt_mpi_cyclic_local(c, (int)at);
    v->whole = calloc((size_t)c->size + 1, bytes);
    v->own = malloc((size_t)v->here * bytes + 1);
    return v->whole && v->own;
}

static void between(const struct vector *v, int64_t at, size_t bytes, bool to_own)
{
    for (int64_t i = 0, count; i < v->here; i += count) {
        count = least(v->cyclic.block, v->here - i);
        char *whole = v->whole + (size_t)sdfg_rt_mpi_cyclic_global(&v->cyclic, (int)at, i) * bytes;
        char *own = v->own + (size_t)i * bytes;
        memcpy(to_own ? own : whole, to_own ? whole : own, (size_t)count * bytes);
    }
}

/* Both vectors are whole on the first process: x goes to all, and the sums come back. */
static bool gemv(const struct sdfg_rt_mpi_node *n, const struct sdfg_rt_mpi_grid *g, const struct sdfg_rt_mpi_matrix *a,
                 struct vector v[2], int which, int32_t type, const struct sdfg_rt_mpi_matrix *x,
                 const struct sdfg_rt_mpi_matrix *y)
{
    int64_t at[2];
    struct vector *in = &v[!which], *out = &v[which];
    struct sdfg_rt_mpi_layout l = { .elements = in->cyclic.size, .rank = 1, .bytes = x->bytes };
    l.extents[0] = in->cyclic.size;
    l.strides[0] = x->row_stride;
    sdfg_rt_mpi_coordinates(g, g->me, at);
    if (!g->me)
        sdfg_rt_mpi_pack(&l, x->data, in->whole);
    if (!bcast(n, g, x->type, in->whole, in->cyclic.size, 0))
        return false;
    between(in, at[!which], x->bytes, true);
    sdfg_rt_gemv(n->context, type, out->here, in->here, a->data, which ? a->col_stride : a->row_stride,
                 which ? a->row_stride : a->col_stride, in->own, 1, out->own, 1, NULL, NULL);
    between(out, at[which], y->bytes, false);
    if (!sdfg_rt_mpi_add_up(n, g, y->type, out->cyclic.size, out->whole))
        return false;
    l.elements = l.extents[0] = out->cyclic.size;
    l.strides[0] = y->row_stride;
    if (!g->me)
        sdfg_rt_mpi_unpack(&l, y->data, out->whole);
    return true;
}

void sdfg_rt_mpi_gemv(struct sdfg_rt_context *context, const char *where, const void *a, const int64_t *a_layout,
                      const void *b, const int64_t *b_layout, void *c, const int64_t *c_layout, const int64_t *sizes,
                      const int32_t *a_blocks, int32_t transposed, void *grid)
{
    struct sdfg_rt_mpi_node n;
    const struct sdfg_rt_mpi_grid *g = grid;
    struct sdfg_rt_mpi_matrix m = sdfg_rt_mpi_matrix(a, a_layout), x = sdfg_rt_mpi_matrix(b, b_layout);
    struct sdfg_rt_mpi_matrix y = sdfg_rt_mpi_matrix(c, c_layout);
    struct sdfg_rt_mpi_cyclic cyclic[2];
    struct vector v[2] = { { .here = 0 }, { .here = 0 } };
    int which = transposed != 0; /* the dimension of the matrix that y has */
    int64_t at[2];
    if (!sdfg_rt_mpi_enter(&n, context, where, grid) ||
        !sdfg_rt_mpi_cyclic_make(&n, g, sizes[0], sizes[1], a_blocks, cyclic) ||
        !sdfg_rt_mpi_cyclic_fits(&n, g, cyclic, &m, "the matrix"))
        return;
    int32_t type = element_type(&n, m.type);
    if (type < 0 || !sdfg_rt_mpi_same_type(&n, x.type, m.type) || !sdfg_rt_mpi_same_type(&n, m.type, y.type) ||
        sdfg_rt_scalapack_gemv(&n, grid, type, &m, cyclic, which, &x, &y) != SDFG_RT_SCALAPACK_NOT_DONE ||
        context->error)
        return;
    sdfg_rt_mpi_coordinates(g, g->me, at);
    if (take(&v[0], &cyclic[0], at[0], m.bytes) && take(&v[1], &cyclic[1], at[1], m.bytes))
        gemv(&n, g, &m, v, which, type, &x, &y);
    else
        sdfg_rt_mpi_fail(&n, SDFG_RT_OUT_OF_MEMORY, "vectors of a product");
    for (int i = 0; i < 2; i++) {
        free(v[i].whole);
        free(v[i].own);
    }
}
