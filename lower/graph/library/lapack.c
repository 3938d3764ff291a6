/* linalg.{Inv, Solve, Cholesky} and lapack.* (library-nodes.md 5 and 6): calls of the runtime, which uses LAPACK where
 * it is found. Matrices are squeezed to rank 2; vectors are matrices with one column. */
#include "lower/graph/library/library.h"
#include "lower/tree/tree_product.h"

#include <string.h>

#include "ir/library.h"

enum { MAX_ARGS = 20 };

struct lapack_call {
    struct scope *sc;
    struct library *node;
    struct tree_expr *args[MAX_ARGS];
    uint32_t count;
    bool failed;
};

static struct lapack_call begin(struct scope *sc, struct library *n)
{
    struct lapack_call c = { .sc = sc, .node = n };
    c.args[c.count++] = expr_context(sc->act->lw->tree);
    return c;
}

static void add(struct lapack_call *c, struct tree_expr *e)
{
    c->failed = c->failed || !e;
    c->args[c->count++] = e;
}

static void add_size(struct lapack_call *c, const struct sym *s)
{
    add(c, lower_index(c->sc->act->lw, &c->node->node.place, s));
}

static void add_flag(struct lapack_call *c, bool flag)
{
    add(c, expr_int(c->sc->act->lw->tree, type_basic(c->sc->act->lw->ir, TYPE_I32), flag));
}

static void add_type(struct lapack_call *c, const struct type *t)
{
    struct lower *lw = c->sc->act->lw;
    int code = tree_product_type(t);
    if (code < 0)
        c->failed = !diag_error(lw->diags, &c->node->node.place, DIAG_UNKNOWN_TYPE, c->node->node.label);
    add(c, expr_int(lw->tree, type_basic(lw->ir, TYPE_I32), code));
}

/* Address, row stride, column stride. */
static void add_matrix(struct lapack_call *c, const struct area *a)
{
    add(c, a->pointer);
    add_size(c, a->strides[0]);
    add_size(c, a->strides[1]);
}

static bool finish(struct lapack_call *c, const char *function)
{
    if (c->failed)
        return false;
    remark(c->sc->act->lw->ir->remarks, &c->node->node.place, NULL, REMARK_LIBRARY_CALL, function + strlen("sdfg_rt_"));
    stmt_call(c->sc->act->lw->tree, c->sc->block, NULL, function, c->args, c->count)->place = &c->node->node.place;
    return true;
}

/* A matrix operand: rank 2 after dropping dimensions of extent 1; a vector gets one column. */
static bool to_matrix(struct scope *sc, struct library *n, struct area *a)
{
    struct lower *lw = sc->act->lw;
    library_to_rank(a, a->rank > 2 ? 2 : a->rank);
    while (a->rank < 2) {
        *a = area_copy(lw, a);
        a->sizes[a->rank] = a->strides[a->rank] = sym_int(lw->ir, 1);
        a->rank++;
    }
    return a->rank == 2 || library_wrong_shapes(sc, n, "matrices expected");
}

static bool same_extent(struct scope *sc, struct library *n, const struct sym *a, const struct sym *b)
{
    return !library_differ(sc->act->lw, a, b) || library_wrong_shapes(sc, n, "the extents of the operands differ");
}

static bool input_matrix(struct scope *sc, struct library *n, const char *conn, struct area *a)
{
    return library_input(sc, n, conn, a) && to_matrix(sc, n, a);
}

static bool output_matrix(struct scope *sc, struct library *n, const char *conn, struct area *a)
{
    return library_output(sc, n, conn, a) && to_matrix(sc, n, a);
}

static struct tree_expr *no_info(struct scope *sc)
{
    struct lower *lw = sc->act->lw;
    return expr_null(lw->tree, type_pointer(lw->ir, type_basic(lw->ir, TYPE_I32)));
}

/* Pivots and info codes are int32, packed. */
static bool is_index_list(struct scope *sc, struct library *n, struct area *a)
{
    area_squeeze(a);
    bool packed = a->rank == 0 || (a->rank == 1 && sym_is_int(a->strides[0], 1));
    if (a->type->kind != TYPE_I32)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_UNKNOWN_TYPE, n->node.label);
    return packed || lower_unsupported(sc, &n->node.place, "pivots that are not packed");
}

/* Address of an output such as the info code; null where it is not wired. */
static bool output_address(struct scope *sc, struct library *n, const char *conn, struct tree_expr **out)
{
    struct area a;
    *out = no_info(sc);
    if (!library_output_edge(n, conn))
        return true;
    if (!library_output(sc, n, conn, &a) || !is_index_list(sc, n, &a))
        return false;
    *out = a.pointer;
    return true;
}

static bool input_address(struct scope *sc, struct library *n, const char *conn, struct tree_expr **out)
{
    struct area a;
    if (!library_input(sc, n, conn, &a) || !is_index_list(sc, n, &a))
        return false;
    *out = a.pointer;
    return true;
}

bool lower_inverse(struct scope *sc, struct library *n)
{
    struct area in, out;
    if (!input_matrix(sc, n, "_ain", &in) || !output_matrix(sc, n, "_aout", &out) ||
        !library_as_type(sc, &n->node.place, out.type, &in))
        return false;
    for (int i = 0; i < 2; i++)
        if (!same_extent(sc, n, in.sizes[i], out.sizes[0]) || !same_extent(sc, n, in.sizes[0], out.sizes[i]))
            return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, out.type);
    add_size(&c, in.sizes[0]);
    add_matrix(&c, &in);
    add_matrix(&c, &out);
    add(&c, no_info(sc));
    return finish(&c, "sdfg_rt_inverse");
}

bool lower_solve(struct scope *sc, struct library *n)
{
    struct area a, b, x;
    if (!input_matrix(sc, n, "_ain", &a) || !input_matrix(sc, n, "_bin", &b) || !output_matrix(sc, n, "_bout", &x) ||
        !library_as_type(sc, &n->node.place, x.type, &a) || !library_as_type(sc, &n->node.place, x.type, &b))
        return false;
    if (!same_extent(sc, n, a.sizes[0], a.sizes[1]) || !same_extent(sc, n, a.sizes[0], b.sizes[0]) ||
        !same_extent(sc, n, b.sizes[0], x.sizes[0]) || !same_extent(sc, n, b.sizes[1], x.sizes[1]))
        return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, x.type);
    add_size(&c, a.sizes[0]);
    add_size(&c, b.sizes[1]);
    add_matrix(&c, &a);
    add_matrix(&c, &b);
    add_matrix(&c, &x);
    add(&c, no_info(sc));
    return finish(&c, "sdfg_rt_solve");
}

bool lower_cholesky(struct scope *sc, struct library *n)
{
    struct area a, b;
    bool lower;
    if (!library_bool(n, "lower", true, &lower) || !input_matrix(sc, n, "_a", &a) || !output_matrix(sc, n, "_b", &b) ||
        !library_as_type(sc, &n->node.place, b.type, &a))
        return false;
    for (int i = 0; i < 2; i++)
        if (!same_extent(sc, n, a.sizes[i], b.sizes[0]) || !same_extent(sc, n, a.sizes[0], b.sizes[i]))
            return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, b.type);
    add_flag(&c, lower);
    add_size(&c, a.sizes[0]);
    add_matrix(&c, &a);
    add_matrix(&c, &b);
    add(&c, no_info(sc));
    return finish(&c, "sdfg_rt_cholesky");
}

/* The lapack nodes work in place: their output starts as a copy of the input where the two are different memory. */
static bool in_place(struct scope *sc, struct library *n, const char *in, const char *out, struct area *a)
{
    struct area from;
    if (!input_matrix(sc, n, in, &from) || !output_matrix(sc, n, out, a))
        return false;
    if (!same_extent(sc, n, from.sizes[0], a->sizes[0]) || !same_extent(sc, n, from.sizes[1], a->sizes[1]))
        return false;
    return library_same(&from, a) || lower_copy(sc, &n->node.place, &from, a, NULL, false);
}

bool lower_getrf(struct scope *sc, struct library *n)
{
    struct area a;
    struct tree_expr *pivots, *info;
    if (!library_output_edge(n, "_ipiv"))
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, "_ipiv");
    if (!in_place(sc, n, "_xin", "_xout", &a) || !output_address(sc, n, "_ipiv", &pivots) ||
        !output_address(sc, n, "_res", &info))
        return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, a.type);
    add_size(&c, a.sizes[0]);
    add_size(&c, a.sizes[1]);
    add_matrix(&c, &a);
    add(&c, pivots);
    add(&c, info);
    return finish(&c, "sdfg_rt_getrf");
}

bool lower_getri(struct scope *sc, struct library *n)
{
    struct area a;
    struct tree_expr *pivots, *info;
    if (!in_place(sc, n, "_xin", "_xout", &a) || !input_address(sc, n, "_ipiv", &pivots) ||
        !output_address(sc, n, "_res", &info))
        return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, a.type);
    add_size(&c, a.sizes[0]);
    add_matrix(&c, &a);
    add(&c, pivots);
    add(&c, info);
    return finish(&c, "sdfg_rt_getri");
}

bool lower_getrs(struct scope *sc, struct library *n)
{
    struct area a, b;
    struct tree_expr *pivots, *info;
    if (!input_matrix(sc, n, "_a", &a) || !in_place(sc, n, "_rhs_in", "_rhs_out", &b) ||
        !input_address(sc, n, "_ipiv", &pivots) || !output_address(sc, n, "_res", &info) ||
        !library_as_type(sc, &n->node.place, b.type, &a) || !same_extent(sc, n, a.sizes[0], b.sizes[0]))
        return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, b.type);
    add_size(&c, a.sizes[0]);
    add_size(&c, b.sizes[1]);
    add_matrix(&c, &a);
    add(&c, pivots);
    add_matrix(&c, &b);
    add(&c, info);
    return finish(&c, "sdfg_rt_getrs");
}

bool lower_potrf(struct scope *sc, struct library *n)
{
    struct area a;
    bool lower;
    struct tree_expr *info;
    if (!library_bool(n, "lower", true, &lower) || !in_place(sc, n, "_xin", "_xout", &a) ||
        !output_address(sc, n, "_res", &info))
        return false;
    struct lapack_call c = begin(sc, n);
    add_type(&c, a.type);
    add_flag(&c, lower);
    add_size(&c, a.sizes[0]);
    add_matrix(&c, &a);
    add(&c, info);
    return finish(&c, "sdfg_rt_potrf");
}
