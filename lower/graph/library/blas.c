/* blas.*: products of matrices and vectors (library-nodes.md 3). All but vector operations become a contraction with
 * element strides. */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"
#include "ir/library.h"

/* ---- operands ---- */

static void transpose_matrix(struct area *a)
{
    const struct sym *size = a->sizes[a->rank - 1], *stride = a->strides[a->rank - 1];
    a->sizes[a->rank - 1] = a->sizes[a->rank - 2];
    a->strides[a->rank - 1] = a->strides[a->rank - 2];
    a->sizes[a->rank - 2] = size;
    a->strides[a->rank - 2] = stride;
}

/* A vector as a matrix with one column; of a stack of vectors the last dimension is the vector. */
static void to_column(struct lower *lw, struct area *a)
{
    *a = area_copy(lw, a);
    a->sizes[a->rank] = a->strides[a->rank] = sym_int(lw->ir, 1);
    a->rank++;
}

static void to_row(struct lower *lw, struct area *a)
{
    to_column(lw, a);
    transpose_matrix(a);
}

static struct tree_expr *whole_number(struct lower *lw, const struct type *type, int64_t value)
{
    bool vector = type->kind == TYPE_VECTOR;
    struct tree_expr *e = expr_cast(lw->tree, vector ? type->elem : type, expr_i64(lw->tree, value));
    return vector ? expr_splat(lw->tree, type, e) : e;
}

/* The result with its factors. An edge that adds is served by the product itself (beta 1) unless threads meet there;
 * beta * C reads the in-edge where there is one. */
static bool result(struct scope *sc, struct library *n, const char *conn, struct contraction *p)
{
    struct lower *lw = sc->act->lw;
    struct edge *out = library_output_edge(n, conn), *in = library_input_edge(n, conn);
    if (!out)
        return diag_error(lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, conn);
    const struct type *type = out->memlet.data->type;
    bool adds = out->memlet.wcr_kind == WCR_SUM, direct = adds && !lower_is_conflicting(sc, out);
    p->alpha = library_factor(sc, n, "alpha", 1, type);
    p->beta = adds ? whole_number(lw, type, direct) : library_factor(sc, n, "beta", 0, type);
    if (!p->alpha || !p->beta)
        return false;
    if (adds)
        return (direct ? library_target : library_output)(sc, n, conn, &p->c);
    bool keeps = !library_is_constant(p->beta, 0);
    if (!(keeps && !in ? library_update : library_output)(sc, n, conn, &p->c))
        return false;
    struct area addend;
    if (!keeps || !in)
        return true;
    return library_input(sc, n, conn, &addend) &&
           (library_same(&addend, &p->c) || lower_copy(sc, &n->node.place, &addend, &p->c, NULL, false));
}

/* The result gets its extents from the operands, as in DaCe: an exported function has no argument for others. */
static bool fit_matrices(struct scope *sc, struct library *n, struct contraction *p)
{
    struct lower *lw = sc->act->lw;
    uint32_t a = p->a.rank, b = p->b.rank, c = p->c.rank;
    if (library_differ(lw, p->a.sizes[a - 1], p->b.sizes[b - 2]))
        return library_wrong_shapes(sc, n, "the summed extents differ");
    if (library_differ(lw, p->a.sizes[a - 2], p->c.sizes[c - 2]) ||
        library_differ(lw, p->b.sizes[b - 1], p->c.sizes[c - 1]))
        return library_wrong_shapes(sc, n, "the result has other extents");
    p->c.sizes[c - 2] = p->a.sizes[a - 2];
    p->c.sizes[c - 1] = p->b.sizes[b - 1];
    return true;
}

static bool matrix_product(struct scope *sc, struct library *n, struct contraction *p)
{
    if (!library_to_rank(&p->a, 2) || !library_to_rank(&p->b, 2) || !library_to_rank(&p->c, 2))
        return library_wrong_shapes(sc, n, "matrices expected");
    return fit_matrices(sc, n, p) && library_contract(sc, &n->node.place, p);
}

/* y = alpha * A x + beta * y as a product with one column. p->b and p->c are vectors. */
static bool matrix_vector(struct scope *sc, struct library *n, struct contraction *p)
{
    if (!library_to_rank(&p->a, 2) || !library_to_rank(&p->b, 1) || !library_to_rank(&p->c, 1))
        return library_wrong_shapes(sc, n, "a matrix and vectors expected");
    to_column(sc->act->lw, &p->b);
    to_column(sc->act->lw, &p->c);
    return fit_matrices(sc, n, p) && library_contract(sc, &n->node.place, p);
}

/* ---- vectors ---- */

/* factor * value in type `wide`; every lane of a vector gets the factor. */
static struct tree_expr *scaled(struct code_scope *cs, const struct type *wide, struct tree_expr *factor,
                                struct tree_expr *value)
{
    value = code_convert(cs, wide, value);
    if (!value || library_is_constant(factor, 1))
        return value;
    factor = code_convert(cs, wide, factor);
    return factor ? expr_binary(cs->tree, EXPR_MUL, factor, value) : NULL;
}

/* alpha * value + beta * old as an element of `type`; the factors are of elements or fractions. */
static struct tree_expr *blend(struct scope *sc, const struct place *place, const struct type *type,
                               struct tree_expr *alpha, struct tree_expr *value, struct tree_expr *beta,
                               struct tree_expr *old)
{
    struct lower *lw = sc->act->lw;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    const struct type *wide =
        type_arithmetic(lw->ir, type_arithmetic(lw->ir, value->type, old ? old->type : value->type),
                        type_arithmetic(lw->ir, alpha->type, beta ? beta->type : alpha->type));
    value = scaled(&cs, wide, alpha, value);
    old = old ? scaled(&cs, wide, beta, old) : NULL;
    if (value && old)
        value = expr_binary(lw->tree, EXPR_ADD, value, old);
    return value ? code_convert(&cs, type, value) : NULL;
}

static struct tree_expr *load(struct scope *sc, const struct place *place, const struct area *a,
                              const struct sym *const *index, const struct type *type)
{
    struct lower *lw = sc->act->lw;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *at = area_offset(lw, place, a, index);
    return at ? code_convert(&cs, type, expr_load(lw->tree, a->type, a->pointer, at, a->alias)) : NULL;
}

/* p->c = alpha * sum a[i] * b[i] + beta * p->c: a reduction that vectorizes and runs in parallel when long. The sum has
 * a place of its own, in the type of the sum. */
static bool inner_product(struct scope *sc, struct library *n, const struct contraction *p)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &n->node.place;
    struct area x = area_copy(lw, &p->a), y = area_copy(lw, &p->b), out = area_copy(lw, &p->c);
    if (!library_to_rank(&x, 1) || !library_to_rank(&y, 1) || library_differ(lw, x.sizes[0], y.sizes[0]))
        return library_wrong_shapes(sc, n, "vectors of one length expected");
    if (library_differ(lw, area_volume(lw, &out), sym_int(lw->ir, 1)))
        return library_wrong_shapes(sc, n, "the result of a product of vectors is one element");
    const struct type *type = library_sum_type(lw->ir, library_sum_type(lw->ir, x.type, y.type), out.type);
    const struct type *wide = type_promote(lw->ir, type);
    struct area sum;
    out.rank = 0;
    if (!library_temporary(sc, place, &out, type, &sum))
        return false;
    stmt_store(t, sc->block, sum.pointer, expr_i64(t, 0), expr_zero(t, type), sum.alias);
    const struct sym *index[1];
    uint32_t before = sc->block->items.count;
    struct tree_stmt *body = lower_loops(sc, place, 1, x.sizes, true, index);
    if (!body)
        return false;
    sc->block->items.items[before]->loop.independent = false;
    struct tree_expr *vx = load(sc, place, &x, index, wide), *vy = load(sc, place, &y, index, wide);
    if (!vx || !vy)
        return false;
    bool atomic = !sc->parallel && !lw->options->no_threads;
    stmt_reduce(t, body, WCR_SUM, atomic, sum.pointer, expr_i64(t, 0),
                expr_cast(t, type, expr_binary(t, EXPR_MUL, vx, vy)), sum.alias)
        ->place = place;
    struct tree_expr *total = expr_load(t, type, sum.pointer, expr_i64(t, 0), sum.alias);
    struct tree_expr *old =
        library_is_constant(p->beta, 0) ? NULL : expr_load(t, out.type, out.pointer, expr_i64(t, 0), out.alias);
    struct tree_expr *value = blend(sc, place, out.type, p->alpha, total, p->beta, old);
    return value && lower_write(sc, place, &out, NULL, false, value);
}

/* ---- batches ---- */

enum { OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_COUNT };

struct batch {
    uint32_t rank;
    const struct sym *sizes[2 * LOWER_MAX_RANK];
    const struct sym *strides[OPERAND_COUNT][2 * LOWER_MAX_RANK]; /* 0 where broadcast */
};

/* Leading dimensions aligned at the right, extent 1 stretches (NumPy matmul). */
static bool batch_strides(struct scope *sc, struct library *n, struct batch *b, const struct area *a,
                          const struct sym **strides)
{
    struct lower *lw = sc->act->lw;
    uint32_t own = a->rank - 2;
    for (uint32_t i = 0; i + b->rank < own; i++)
        if (library_differ(lw, a->sizes[i], sym_int(lw->ir, 1)))
            return library_wrong_shapes(sc, n, "an operand has more dimensions than the result");
    for (uint32_t i = 0; i < b->rank; i++) {
        uint32_t from_right = b->rank - i;
        bool has = from_right <= own && !sym_is_int(a->sizes[own - from_right], 1);
        if (has && library_differ(lw, a->sizes[own - from_right], b->sizes[i]))
            return library_wrong_shapes(sc, n, "the stacks of an operand and of the result differ");
        strides[i] = has ? a->strides[own - from_right] : sym_int(lw->ir, 0);
    }
    return true;
}

/* The last two dimensions. */
static void keep_matrix(struct area *a)
{
    a->sizes += a->rank - 2;
    a->strides += a->rank - 2;
    a->rank = 2;
}

/* A stack times one matrix: rows of the stack that lie evenly are rows of one matrix. */
static void merge_rows(struct lower *lw, struct batch *b, struct contraction *p)
{
    while (b->rank && sym_is_int(b->strides[OPERAND_B][b->rank - 1], 0)) {
        const struct sym *rows = p->a.sizes[0];
        const struct sym *step_a = b->strides[OPERAND_A][b->rank - 1], *step_c = b->strides[OPERAND_C][b->rank - 1];
        bool single = sym_is_int(rows, 1);
        if (!single &&
            (step_a != sym_mul(lw->ir, rows, p->a.strides[0]) || step_c != sym_mul(lw->ir, rows, p->c.strides[0])))
            return;
        if (single) {
            p->a.strides[0] = step_a;
            p->c.strides[0] = step_c;
        }
        p->a.sizes[0] = p->c.sizes[0] = sym_mul(lw->ir, b->sizes[b->rank - 1], rows);
        b->rank--;
    }
}

/* Of dimension i of the result's stack: that of an operand which is not stretched there. */
static const struct sym *batch_size(const struct contraction *p, uint32_t i)
{
    const struct area *const operands[] = { &p->a, &p->b };
    for (uint32_t o = 0; o < 2; o++) {
        uint32_t missing = p->c.rank - operands[o]->rank;
        if (operands[o]->rank <= p->c.rank && i >= missing && !sym_is_int(operands[o]->sizes[i - missing], 1))
            return operands[o]->sizes[i - missing];
    }
    return p->c.sizes[i];
}

static bool batched(struct scope *sc, struct library *n, struct contraction *p)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    if (p->a.rank < 2 || p->b.rank < 2 || p->c.rank < 2)
        return library_wrong_shapes(sc, n, "stacks of matrices expected");
    struct batch batch = { .rank = p->c.rank - 2 };
    for (uint32_t i = 0; i < batch.rank; i++)
        batch.sizes[i] = batch_size(p, i);
    struct area *const operands[] = { &p->a, &p->b, &p->c };
    if (!fit_matrices(sc, n, p))
        return false;
    for (int o = 0; o < OPERAND_COUNT; o++) {
        if (!batch_strides(sc, n, &batch, operands[o], batch.strides[o]))
            return false;
        keep_matrix(operands[o]);
    }
    merge_rows(lw, &batch, p);
    const struct sym *index[2 * LOWER_MAX_RANK + 1];
    struct scope body = *sc;
    body.block = lower_loops(sc, place, batch.rank, batch.sizes, true, index);
    body.parallel = sc->parallel || batch.rank > 0;
    if (!body.block)
        return false;
    for (int o = 0; o < OPERAND_COUNT; o++) {
        const struct sym *at = sym_int(lw->ir, 0);
        for (uint32_t i = 0; i < batch.rank; i++)
            at = sym_add(lw->ir, at, sym_mul(lw->ir, index[i], batch.strides[o][i]));
        struct tree_expr *e = lower_index(lw, place, at);
        if (!e)
            return false;
        operands[o]->pointer = expr_offset(lw->tree, operands[o]->pointer, e);
    }
    return library_contract(&body, place, p);
}

/* ---- nodes ---- */

static uint32_t squeezed_rank(const struct area *a)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        r += !sym_is_int(a->sizes[i], 1);
    return r ? r : 1;
}

/* The shape rules of NumPy's @ on ranks without dimensions of extent 1; those of stacks keep theirs. */
bool lower_matmul(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct contraction p = { 0 };
    if (!library_input(sc, n, "_a", &p.a) || !library_input(sc, n, "_b", &p.b) || !result(sc, n, "_c", &p))
        return false;
    uint32_t ra = squeezed_rank(&p.a), rb = squeezed_rank(&p.b), rc = squeezed_rank(&p.c);
    bool matrices = p.a.rank == 2 && p.b.rank == 2 && p.c.rank == 2;
    if ((rc == 2 && ra == 2 && rb == 2) || (matrices && !library_differ(lw, p.a.sizes[1], p.b.sizes[0])))
        return matrix_product(sc, n, &p);
    if ((p.a.rank >= 3 && p.a.rank == p.c.rank && p.b.rank >= 2) ||
        (p.b.rank >= 3 && p.b.rank == p.c.rank && p.a.rank >= 2))
        return batched(sc, n, &p);
    if ((ra >= 3 || rb >= 3) && ra >= 2 && rb >= 2)
        return batched(sc, n, &p);
    if (ra >= 3 && rb == 1 && library_to_rank(&p.b, 1)) {
        to_column(lw, &p.b);
        to_column(lw, &p.c);
        return batched(sc, n, &p);
    }
    if (rb >= 3 && ra == 1 && library_to_rank(&p.a, 1)) {
        to_row(lw, &p.a);
        to_row(lw, &p.c);
        return batched(sc, n, &p);
    }
    if (ra == 2 && rb == 1)
        return matrix_vector(sc, n, &p);
    if (ra == 1 && rb == 2) {
        struct area vector = p.a;
        if (!library_to_rank(&p.b, 2))
            return library_wrong_shapes(sc, n, "a matrix and vectors expected");
        p.a = p.b;
        p.b = vector;
        transpose_matrix(&p.a);
        return matrix_vector(sc, n, &p);
    }
    if (ra == 1 && rb == 1 && rc == 1)
        return inner_product(sc, n, &p);
    if (ra == 1 && rb == 1 && rc == 2)
        return matrix_product(sc, n, &p);
    return library_wrong_shapes(sc, n, "no matrix product of these ranks");
}

/* An operand whose last two dimensions the flag exchanges; more than `rank` dimensions are dropped if they have
 * extent 1. */
static bool transposed(struct scope *sc, struct library *n, const char *flag, const char *conn, uint32_t rank,
                       struct area *a)
{
    bool set;
    if (!library_bool(n, flag, false, &set) || !library_input(sc, n, conn, a))
        return false;
    if (!library_to_rank(a, a->rank > rank ? rank : a->rank) || a->rank < 2)
        return library_wrong_shapes(sc, n, "matrices expected");
    if (set)
        transpose_matrix(a);
    return true;
}

bool lower_gemm(struct scope *sc, struct library *n)
{
    struct contraction p = { 0 };
    return transposed(sc, n, "transA", "_a", 2, &p.a) && transposed(sc, n, "transB", "_b", 2, &p.b) &&
           result(sc, n, "_c", &p) && matrix_product(sc, n, &p);
}

bool lower_batched_matmul(struct scope *sc, struct library *n)
{
    struct contraction p = { 0 };
    return transposed(sc, n, "transA", "_a", LOWER_MAX_RANK, &p.a) &&
           transposed(sc, n, "transB", "_b", LOWER_MAX_RANK, &p.b) && result(sc, n, "_c", &p) && batched(sc, n, &p);
}

bool lower_gemv(struct scope *sc, struct library *n)
{
    struct contraction p = { 0 };
    bool set;
    if (!library_bool(n, "transA", false, &set) || !library_input(sc, n, "_A", &p.a) ||
        !library_input(sc, n, "_x", &p.b) || !result(sc, n, "_y", &p))
        return false;
    if (!library_to_rank(&p.a, 2))
        return library_wrong_shapes(sc, n, "a matrix and vectors expected");
    if (set)
        transpose_matrix(&p.a);
    return matrix_vector(sc, n, &p);
}

bool lower_dot(struct scope *sc, struct library *n)
{
    struct contraction p = { 0 };
    return library_input(sc, n, "_x", &p.a) && library_input(sc, n, "_y", &p.b) && result(sc, n, "_result", &p) &&
           inner_product(sc, n, &p);
}

/* The factor of Axpy, which is the symbol `a` by default. */
static struct tree_expr *axpy_factor(struct scope *sc, struct library *n, const struct type *type)
{
    struct lower *lw = sc->act->lw;
    if (json_get(n->attributes, "a"))
        return library_factor(sc, n, "a", 1, type);
    const struct sym *a = lower_symbolic(sc, &n->node.place, sym_name(lw->ir, intern(lw->ir->names, "a")));
    return a ? lower_value(lw, &n->node.place, a) : NULL;
}

/* res[i] = a * x[i] + y[i] */
bool lower_axpy(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &n->node.place;
    struct area x, y, r;
    if (!library_input(sc, n, "_x", &x) || !library_input(sc, n, "_y", &y) || !library_output(sc, n, "_res", &r))
        return false;
    if (!library_to_rank(&x, 1) || !library_to_rank(&y, 1) || !library_to_rank(&r, 1) ||
        library_differ(lw, x.sizes[0], r.sizes[0]) || library_differ(lw, y.sizes[0], r.sizes[0]))
        return library_wrong_shapes(sc, n, "vectors of one length expected");
    struct tree_expr *a = axpy_factor(sc, n, r.type);
    const struct sym *index[1];
    struct tree_stmt *body = a ? lower_loops(sc, place, 1, r.sizes, true, index) : NULL;
    if (!body)
        return false;
    struct tree_expr *vx = load(sc, place, &x, index, x.type), *vy = load(sc, place, &y, index, y.type);
    struct tree_expr *at = area_offset(lw, place, &r, index);
    struct tree_expr *value = vx && vy ? blend(sc, place, r.type, a, vx, expr_i64(t, 1), vy) : NULL;
    if (!value || !at)
        return false;
    stmt_store(t, body, r.pointer, at, value, r.alias)->place = place;
    return true;
}

/* res = alpha * x y^T + A */
bool lower_ger(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    struct area a;
    struct contraction p = { 0 };
    if (!library_input(sc, n, "_A", &a) || !library_input(sc, n, "_x", &p.a) || !library_input(sc, n, "_y", &p.b) ||
        !library_output(sc, n, "_res", &p.c))
        return false;
    if (!library_to_rank(&p.a, 1) || !library_to_rank(&p.b, 1) || !library_to_rank(&p.c, 2))
        return library_wrong_shapes(sc, n, "two vectors and a matrix expected");
    to_column(lw, &p.a);
    to_row(lw, &p.b);
    p.alpha = library_factor(sc, n, "alpha", 1, p.c.type);
    p.beta = whole_number(lw, p.c.type, 1);
    return p.alpha && fit_matrices(sc, n, &p) &&
           (library_same(&a, &p.c) || lower_copy(sc, place, &a, &p.c, NULL, false)) && library_contract(sc, place, &p);
}
