/* blas.*: matrix products (library-nodes.md 3). Everything becomes a contraction with element strides; products of BLAS types
 * go to the library through the runtime unless they are tiny, all others become loops. */
#include "lower/library/library.h"

#include "ir/library.h"

#include <string.h>

enum { TINY_PRODUCT = 1024 }; /* multiply-adds below which loops beat a library call */

static bool is_tiny(struct lower *lw, const struct contraction *c)
{
    const struct sym *work = sym_mul(lw->ir, c->m, sym_mul(lw->ir, c->n, c->k));
    return work->op == SYM_INT && work->i <= TINY_PRODUCT;
}

/* The address of a value, for C interfaces that take one. */
static struct tree_expr *address_of(struct lower *lw, struct tree_stmt *b, struct tree_expr *value)
{
    struct tree_var *v = tree_var(lw->tree, "scalar", type_pointer(lw->ir, value->type));
    stmt_alloc(lw->tree, b, v, value->type, expr_i64(lw->tree, 1), TREE_STACK);
    stmt_store(lw->tree, b, expr_var(lw->tree, v), expr_i64(lw->tree, 0), value, 0);
    return expr_var(lw->tree, v);
}

static bool call_blas(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    const struct sym *const sizes[] = { c->m, c->n, c->k };
    const struct sym *const strides[] = { c->sam, c->sak, c->sbk, c->sbn, c->scm, c->scn };
    struct tree_expr *const pointers[] = { c->a, c->b, c->c };
    struct tree_expr *args[16];
    uint32_t n = 0;
    args[n++] = expr_context(lw->tree);
    args[n++] = expr_int(lw->tree, type_basic(lw->ir, TYPE_I32), library_blas_type(c->type));
    for (int i = 0; i < 3; i++)
        args[n++] = lower_index(lw, place, sizes[i]);
    for (int i = 0; i < 3; i++) {
        args[n++] = pointers[i];
        args[n++] = lower_index(lw, place, strides[2 * i]);
        args[n++] = lower_index(lw, place, strides[2 * i + 1]);
    }
    args[n++] = address_of(lw, sc->block, c->alpha);
    args[n++] = address_of(lw, sc->block, c->beta);
    for (uint32_t i = 0; i < n; i++)
        if (!args[i])
            return false;
    stmt_call(lw->tree, sc->block, NULL, "sdfg_rt_gemm", args, n)->place = place;
    return true;
}

/* Loops in the order i, k, j: rows of C are updated with rows of B. */
static bool contract_loops(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    const struct sym *out_sizes[] = { c->m, c->n }, *sizes[] = { c->m, c->k, c->n }, *i[3];
    struct tree_stmt *init = lower_loops(sc, place, 2, out_sizes, true, i);
    struct tree_expr *at = init ? lower_index(lw, place, sym_add(lw->ir, sym_mul(lw->ir, i[0], c->scm), sym_mul(lw->ir, i[1], c->scn))) : NULL;
    if (!at)
        return false;
    struct tree_expr *start = expr_zero(t, c->type);
    if (!library_is_constant(c->beta, 0))
        start = expr_binary(t, EXPR_MUL, c->beta, expr_load(t, c->type, c->c, at, c->alias_c));
    if (!library_is_constant(c->beta, 1))
        stmt_store(t, init, c->c, at, start, c->alias_c)->place = place;
    struct tree_stmt *loop = NULL, *body = sc->block;
    uint32_t before = sc->block->items.count;
    body = lower_loops(sc, place, 3, sizes, true, i);
    if (!body)
        return false;
    if (sc->block->items.count > before && (loop = vec_last(&sc->block->items)) && loop->kind == STMT_FOR)
        for (struct tree_stmt *l = loop; l && l->kind == STMT_FOR; l = l->body->items.count ? l->body->items.items[0] : NULL)
            l->loop.independent = l->body == body; /* the innermost one, over columns of C */
    struct tree_expr *ia = lower_index(lw, place, sym_add(lw->ir, sym_mul(lw->ir, i[0], c->sam), sym_mul(lw->ir, i[1], c->sak)));
    struct tree_expr *ib = lower_index(lw, place, sym_add(lw->ir, sym_mul(lw->ir, i[1], c->sbk), sym_mul(lw->ir, i[2], c->sbn)));
    struct tree_expr *ic = lower_index(lw, place, sym_add(lw->ir, sym_mul(lw->ir, i[0], c->scm), sym_mul(lw->ir, i[2], c->scn)));
    if (!ia || !ib || !ic)
        return false;
    struct tree_expr *a = code_convert(&cs, c->type, expr_load(t, c->type_a, c->a, ia, c->alias_a));
    struct tree_expr *b = code_convert(&cs, c->type, expr_load(t, c->type_b, c->b, ib, c->alias_b));
    if (!a || !b)
        return false;
    const struct type *wide = type_promote(lw->ir, c->type);
    struct tree_expr *p = expr_binary(t, EXPR_MUL, expr_cast(t, wide, a), expr_cast(t, wide, b));
    if (!library_is_constant(c->alpha, 1))
        p = expr_binary(t, EXPR_MUL, expr_cast(t, wide, c->alpha), p);
    stmt_reduce(t, body, WCR_SUM, false, c->c, ic, expr_cast(t, c->type, p), c->alias_c)->place = place;
    return true;
}

bool library_contract(struct scope *sc, const struct place *place, const struct contraction *c)
{
    if (library_blas_type(c->type) < 0 || c->type_a != c->type || c->type_b != c->type || is_tiny(sc->act->lw, c))
        return contract_loops(sc, place, c);
    return call_blas(sc, place, c);
}

/* ---- shapes ---- */

static bool wrong_shapes(struct scope *sc, struct library *n, const char *what)
{
    return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_SHAPES, what);
}

static bool scalars(struct scope *sc, struct library *n, const struct type *type, struct contraction *c)
{
    c->alpha = library_scalar(sc, n, "alpha", 1, type);
    c->beta = library_scalar(sc, n, "beta", 0, type);
    return c->alpha && c->beta;
}

static void set_a(struct contraction *c, const struct area *a, uint32_t row, uint32_t column)
{
    c->a = a->pointer;
    c->type_a = a->type;
    c->alias_a = a->alias;
    c->m = a->sizes[row];
    c->k = a->sizes[column];
    c->sam = a->strides[row];
    c->sak = a->strides[column];
}

static void set_b(struct contraction *c, const struct area *b, uint32_t row, uint32_t column)
{
    c->b = b->pointer;
    c->type_b = b->type;
    c->alias_b = b->alias;
    c->n = b->sizes[column];
    c->sbk = b->strides[row];
    c->sbn = b->strides[column];
}

static void set_c(struct contraction *c, const struct area *out, uint32_t row, uint32_t column)
{
    c->c = out->pointer;
    c->type = out->type;
    c->alias_c = out->alias;
    c->scm = out->strides[row];
    c->scn = out->strides[column];
}

/* Keeps the last `rank` dimensions if all the others have extent 1, else drops ones from the front until it fits. */
static bool to_rank(struct area *a, uint32_t rank)
{
    uint32_t kept = 0, excess = a->rank > rank ? a->rank - rank : 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (excess && sym_is_int(a->sizes[i], 1)) {
            excess--;
            continue;
        }
        a->sizes[kept] = a->sizes[i];
        a->strides[kept++] = a->strides[i];
    }
    a->rank = kept;
    return kept == rank;
}

/* beta * C reads the in-edge where there is one: the output starts as a copy of it. */
static bool copy_addend(struct scope *sc, struct library *n, const char *conn, const struct area *out)
{
    struct edge *e = library_input_edge(n, conn), *o = library_output_edge(n, conn);
    if (!e || (o && e->memlet.data == o->memlet.data))
        return true;
    struct area in;
    return library_input(sc, n, conn, &in) && lower_copy(sc, &n->node.place, &in, out, NULL, false);
}

static bool accumulates(const struct library *n, const char *conn)
{
    const struct edge *e = library_output_edge(n, conn);
    return e && e->memlet.wcr_kind == WCR_SUM;
}

static bool matrix_product(struct scope *sc, struct library *n, struct area *a, struct area *b, struct area *out, bool ta, bool tb,
                           const char *out_conn)
{
    struct lower *lw = sc->act->lw;
    if (!to_rank(a, 2) || !to_rank(b, 2) || !to_rank(out, 2))
        return wrong_shapes(sc, n, "matrices expected");
    struct contraction c = { 0 };
    set_c(&c, out, 0, 1);
    set_a(&c, a, ta ? 1 : 0, ta ? 0 : 1);
    set_b(&c, b, tb ? 1 : 0, tb ? 0 : 1);
    if (sym_equal(lw->ir, b->sizes[tb ? 1 : 0], c.k) == TRUTH_NO)
        return wrong_shapes(sc, n, "inner extents differ");
    if (!scalars(sc, n, out->type, &c))
        return false;
    if (accumulates(n, out_conn))
        c.beta = expr_cast(lw->tree, out->type, expr_int(lw->tree, type_basic(lw->ir, TYPE_I64), 1));
    if (!library_is_constant(c.beta, 0) && !copy_addend(sc, n, out_conn, out))
        return false;
    return library_contract(sc, &n->node.place, &c);
}

/* y = alpha * op(A) x + beta * y as a product with one column. */
static bool matrix_vector(struct scope *sc, struct library *n, struct area *a, struct area *x, struct area *y, bool transposed,
                          const char *out_conn)
{
    struct lower *lw = sc->act->lw;
    if (!to_rank(a, 2) || !to_rank(x, 1) || !to_rank(y, 1))
        return wrong_shapes(sc, n, "a matrix and vectors expected");
    struct contraction c = { 0 };
    c.n = sym_int(lw->ir, 1);
    c.c = y->pointer;
    c.type = y->type;
    c.alias_c = y->alias;
    c.scm = y->strides[0];
    c.scn = sym_int(lw->ir, 1);
    set_a(&c, a, transposed ? 1 : 0, transposed ? 0 : 1);
    c.b = x->pointer;
    c.type_b = x->type;
    c.alias_b = x->alias;
    c.sbk = x->strides[0];
    c.sbn = sym_int(lw->ir, 1);
    if (!scalars(sc, n, y->type, &c))
        return false;
    if (accumulates(n, out_conn))
        c.beta = expr_cast(lw->tree, y->type, expr_int(lw->tree, type_basic(lw->ir, TYPE_I64), 1));
    if (!library_is_constant(c.beta, 0) && !copy_addend(sc, n, out_conn, y))
        return false;
    return library_contract(sc, &n->node.place, &c);
}

/* result = sum x[i] * y[i]: a reduction that vectorizes and runs in parallel when long. */
static bool inner_product(struct scope *sc, struct library *n, struct area *x, struct area *y, struct area *out)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &n->node.place;
    area_squeeze(x);
    area_squeeze(y);
    if (x->rank > 1 || y->rank > 1)
        return wrong_shapes(sc, n, "vectors expected");
    const struct sym *length = x->rank ? x->sizes[0] : sym_int(lw->ir, 1), *index[1];
    stmt_store(t, sc->block, out->pointer, expr_i64(t, 0), expr_zero(t, out->type), out->alias);
    uint32_t before = sc->block->items.count;
    struct scope body = *sc;
    body.block = lower_loops(sc, place, 1, &length, true, index);
    if (!body.block)
        return false;
    sc->block->items.items[before]->loop.independent = false;
    const struct sym *ix = x->rank ? sym_mul(lw->ir, index[0], x->strides[0]) : sym_int(lw->ir, 0);
    const struct sym *iy = y->rank ? sym_mul(lw->ir, index[0], y->strides[0]) : sym_int(lw->ir, 0);
    struct tree_expr *ex = lower_index(lw, place, ix), *ey = lower_index(lw, place, iy);
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *vx = ex ? code_convert(&cs, out->type, expr_load(t, x->type, x->pointer, ex, x->alias)) : NULL;
    struct tree_expr *vy = ey ? code_convert(&cs, out->type, expr_load(t, y->type, y->pointer, ey, y->alias)) : NULL;
    if (!vx || !vy)
        return false;
    bool atomic = !sc->parallel && !lw->options->no_threads;
    const struct type *wide = type_promote(lw->ir, out->type);
    struct tree_expr *p = expr_cast(t, out->type, expr_binary(t, EXPR_MUL, expr_cast(t, wide, vx), expr_cast(t, wide, vy)));
    stmt_reduce(t, body.block, WCR_SUM, atomic, out->pointer, expr_i64(t, 0), p, out->alias)->place = place;
    return true;
}

/* ---- batches ---- */

struct batch {
    uint32_t rank;
    const struct sym *sizes[2 * LOWER_MAX_RANK];
    const struct sym *strides[3][2 * LOWER_MAX_RANK]; /* of a, b and the result; 0 where broadcast */
};

/* Leading dimensions aligned at the right, extent 1 stretches (NumPy matmul). `core` dimensions at the end do not count. */
static void batch_strides(struct lower *lw, struct batch *b, const struct area *a, uint32_t core, const struct sym **strides)
{
    for (uint32_t i = 0; i < b->rank; i++) {
        uint32_t from_right = b->rank - i, own = a->rank - core;
        bool has = from_right <= own && !sym_is_int(a->sizes[own - from_right], 1);
        strides[i] = has ? a->strides[own - from_right] : sym_int(lw->ir, 0);
    }
}

static bool batched(struct scope *sc, struct library *n, struct area *a, struct area *b, struct area *out, bool ta, bool tb)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    if (a->rank < 2 || b->rank < 2 || out->rank < 2)
        return wrong_shapes(sc, n, "stacks of matrices expected");
    struct batch batch = { .rank = out->rank - 2 };
    for (uint32_t i = 0; i < batch.rank; i++)
        batch.sizes[i] = out->sizes[i];
    batch_strides(lw, &batch, a, 2, batch.strides[0]);
    batch_strides(lw, &batch, b, 2, batch.strides[1]);
    batch_strides(lw, &batch, out, 2, batch.strides[2]);
    struct contraction c = { 0 };
    set_c(&c, out, out->rank - 2, out->rank - 1);
    set_a(&c, a, a->rank - (ta ? 1 : 2), a->rank - (ta ? 2 : 1));
    set_b(&c, b, b->rank - (tb ? 1 : 2), b->rank - (tb ? 2 : 1));
    if (!scalars(sc, n, out->type, &c))
        return false;
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    struct scope body = *sc;
    body.block = lower_loops(sc, place, batch.rank, batch.sizes, true, index);
    body.parallel = sc->parallel || batch.rank > 0;
    if (!body.block)
        return false;
    struct tree_expr **pointers[] = { &c.a, &c.b, &c.c };
    for (int o = 0; o < 3; o++) {
        const struct sym *at = sym_int(lw->ir, 0);
        for (uint32_t i = 0; i < batch.rank; i++)
            at = sym_add(lw->ir, at, sym_mul(lw->ir, index[i], batch.strides[o][i]));
        struct tree_expr *e = lower_index(lw, place, at);
        if (!e)
            return false;
        *pointers[o] = expr_offset(lw->tree, *pointers[o], e);
    }
    return library_contract(&body, place, &c);
}

/* ---- nodes ---- */

static uint32_t squeezed_rank(const struct area *a)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        r += !sym_is_int(a->sizes[i], 1);
    return r ? r : 1;
}

bool lower_matmul(struct scope *sc, struct library *n)
{
    struct area a, b, c;
    if (!library_input(sc, n, "_a", &a) || !library_input(sc, n, "_b", &b) || !library_output(sc, n, "_c", &c))
        return false;
    uint32_t ra = squeezed_rank(&a), rb = squeezed_rank(&b), rc = squeezed_rank(&c);
    if ((rc == 2 && ra == 2 && rb == 2) || (a.rank == 2 && b.rank == 2 && c.rank == 2))
        return matrix_product(sc, n, &a, &b, &c, false, false, "_c");
    if ((a.rank >= 3 && a.rank == c.rank && b.rank >= 2) || (b.rank >= 3 && b.rank == c.rank && a.rank >= 2))
        return batched(sc, n, &a, &b, &c, false, false);
    if ((ra >= 3 || rb >= 3) && ra >= 2 && rb >= 2)
        return batched(sc, n, &a, &b, &c, false, false);
    if (ra == 2 && rb == 1)
        return matrix_vector(sc, n, &a, &b, &c, false, "_c");
    if (ra == 1 && rb == 2)
        return matrix_vector(sc, n, &b, &a, &c, true, "_c");
    if (ra == 1 && rb == 1 && rc == 1)
        return inner_product(sc, n, &a, &b, &c);
    if (ra == 1 && rb == 1 && rc == 2)
        return matrix_product(sc, n, &a, &b, &c, false, false, "_c");
    return wrong_shapes(sc, n, "no matrix product of these ranks");
}

bool lower_gemm(struct scope *sc, struct library *n)
{
    struct area a, b, c;
    bool ta, tb;
    if (!library_bool(n, "transA", false, &ta) || !library_bool(n, "transB", false, &tb))
        return false;
    return library_input(sc, n, "_a", &a) && library_input(sc, n, "_b", &b) && library_output(sc, n, "_c", &c) &&
           matrix_product(sc, n, &a, &b, &c, ta, tb, "_c");
}

bool lower_gemv(struct scope *sc, struct library *n)
{
    struct area a, x, y;
    bool transposed;
    return library_bool(n, "transA", false, &transposed) && library_input(sc, n, "_A", &a) && library_input(sc, n, "_x", &x) &&
           library_output(sc, n, "_y", &y) && matrix_vector(sc, n, &a, &x, &y, transposed, "_y");
}

bool lower_batched_matmul(struct scope *sc, struct library *n)
{
    struct area a, b, c;
    bool ta, tb;
    return library_bool(n, "transA", false, &ta) && library_bool(n, "transB", false, &tb) && library_input(sc, n, "_a", &a) &&
           library_input(sc, n, "_b", &b) && library_output(sc, n, "_c", &c) && batched(sc, n, &a, &b, &c, ta, tb);
}

bool lower_dot(struct scope *sc, struct library *n)
{
    struct area x, y, r;
    return library_input(sc, n, "_x", &x) && library_input(sc, n, "_y", &y) && library_output(sc, n, "_result", &r) &&
           inner_product(sc, n, &x, &y, &r);
}

/* res[i] = a * x[i] + y[i] */
bool lower_axpy(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct area x, y, r;
    if (!library_input(sc, n, "_x", &x) || !library_input(sc, n, "_y", &y) || !library_output(sc, n, "_res", &r))
        return false;
    if (!to_rank(&x, 1) || !to_rank(&y, 1) || !to_rank(&r, 1))
        return wrong_shapes(sc, n, "vectors expected");
    struct tree_expr *a = library_scalar(sc, n, "a", 1, r.type);
    const struct sym *index[1];
    struct tree_stmt *body = a ? lower_loops(sc, &n->node.place, 1, r.sizes, true, index) : NULL;
    if (!body)
        return false;
    struct tree_expr *ix = area_offset(lw, &n->node.place, &x, index), *iy = area_offset(lw, &n->node.place, &y, index),
                     *ir = area_offset(lw, &n->node.place, &r, index);
    struct code_scope cs = lower_code_scope(sc, &n->node.place, NULL);
    struct tree_expr *vx = ix ? code_convert(&cs, r.type, expr_load(t, x.type, x.pointer, ix, x.alias)) : NULL;
    struct tree_expr *vy = iy ? code_convert(&cs, r.type, expr_load(t, y.type, y.pointer, iy, y.alias)) : NULL;
    if (!vx || !vy || !ir)
        return false;
    stmt_store(t, body, r.pointer, ir, expr_binary(t, EXPR_ADD, expr_binary(t, EXPR_MUL, a, vx), vy), r.alias)->place = &n->node.place;
    return true;
}

/* res = alpha * x y^T + A */
bool lower_ger(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct area a, x, y, r;
    if (!library_input(sc, n, "_A", &a) || !library_input(sc, n, "_x", &x) || !library_input(sc, n, "_y", &y) ||
        !library_output(sc, n, "_res", &r))
        return false;
    const struct edge *in = library_input_edge(n, "_A"), *out = library_output_edge(n, "_res");
    if (in->memlet.data != out->memlet.data && !lower_copy(sc, &n->node.place, &a, &r, NULL, false))
        return false;
    if (!to_rank(&x, 1) || !to_rank(&y, 1) || !to_rank(&r, 2))
        return wrong_shapes(sc, n, "two vectors and a matrix expected");
    struct contraction c = { 0 };
    set_c(&c, &r, 0, 1);
    c.a = x.pointer;
    c.type_a = x.type;
    c.alias_a = x.alias;
    c.b = y.pointer;
    c.type_b = y.type;
    c.alias_b = y.alias;
    c.m = x.sizes[0];
    c.n = y.sizes[0];
    c.k = sym_int(lw->ir, 1);
    c.sam = x.strides[0];
    c.sak = c.sbk = sym_int(lw->ir, 1);
    c.sbn = y.strides[0];
    c.alpha = library_scalar(sc, n, "alpha", 1, r.type);
    c.beta = expr_cast(lw->tree, r.type, expr_i64(lw->tree, 1));
    return c.alpha && contract_loops(sc, &n->node.place, &c);
}
