/* Matrix products. Products of BLAS types go to the library through the runtime unless they are tiny, those of integers
 * become loops; operands of other types are converted to the type in which the sum is taken. */
#include "lower/graph/library/library.h"
#include "lower/tree/tree_product.h"

enum { TINY_PRODUCT = 64 }; /* multiply-adds up to which loops beat a call */

static bool is_tiny(struct lower *lw, const struct contraction *c)
{
    const struct sym *terms = sym_mul(lw->ir, c->c.sizes[1], c->a.sizes[1]),
                     *work = sym_mul(lw->ir, c->c.sizes[0], terms);
    return work->op == SYM_INT && work->i <= TINY_PRODUCT;
}

static bool matrix_of(struct lower *lw, const struct place *place, const struct area *a, struct tree_matrix *out)
{
    *out = (struct tree_matrix){ a->pointer, lower_index(lw, place, a->strides[0]),
                                 lower_index(lw, place, a->strides[1]), a->alias };
    return out->row && out->column;
}

static bool call_blas(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    struct tree_product_of p = { .type = c->c.type, .alpha = c->alpha, .beta = c->beta };
    p.m = lower_index(lw, place, c->c.sizes[0]);
    p.n = lower_index(lw, place, c->c.sizes[1]);
    p.k = lower_index(lw, place, c->a.sizes[1]);
    if (!p.m || !p.n || !p.k || !matrix_of(lw, place, &c->a, &p.a) || !matrix_of(lw, place, &c->b, &p.b) ||
        !matrix_of(lw, place, &c->c, &p.c))
        return false;
    stmt_product(lw->tree, sc->block, &p)->place = place;
    return true;
}

static struct tree_expr *element(struct lower *lw, const struct place *place, const struct area *a,
                                 const struct sym *row, const struct sym *column)
{
    const struct sym *const index[] = { row, column };
    return area_offset(lw, place, a, index);
}

/* C = beta * C */
static bool scale_result(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct sym *i[2];
    if (library_is_constant(c->beta, 0))
        return library_fill(sc, place, &c->c, expr_zero(t, c->c.type));
    if (library_is_constant(c->beta, 1))
        return true;
    struct tree_stmt *body = lower_loops(sc, place, 2, c->c.sizes, true, i);
    struct tree_expr *at = body ? element(lw, place, &c->c, i[0], i[1]) : NULL;
    if (!at)
        return false;
    const struct type *wide = type_promote(lw->ir, c->c.type);
    struct tree_expr *old = expr_cast(t, wide, expr_load(t, c->c.type, c->c.pointer, at, c->c.alias));
    struct tree_expr *scaled = expr_binary(t, EXPR_MUL, expr_cast(t, wide, c->beta), old);
    stmt_store(t, body, c->c.pointer, at, expr_cast(t, c->c.type, scaled), c->c.alias)->place = place;
    return true;
}

/* Loops in the order i, k, j: rows of C are updated with rows of B. */
static bool contract_loops(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct sym *sizes[] = { c->c.sizes[0], c->a.sizes[1], c->c.sizes[1] }, *i[3];
    if (!scale_result(sc, place, c))
        return false;
    uint32_t before = sc->block->items.count;
    struct tree_stmt *body = lower_loops(sc, place, 3, sizes, true, i);
    if (!body)
        return false;
    for (struct tree_stmt *l = sc->block->items.items[before]; l != NULL;
         l = l->body == body ? NULL : l->body->items.items[0])
        l->loop.independent = l->body == body || l == sc->block->items.items[before]; /* over columns, over rows of C */
    struct tree_expr *ia = element(lw, place, &c->a, i[0], i[1]), *ib = element(lw, place, &c->b, i[1], i[2]),
                     *ic = element(lw, place, &c->c, i[0], i[2]);
    if (!ia || !ib || !ic)
        return false;
    const struct type *type = c->c.type, *wide = type_promote(lw->ir, type);
    struct tree_expr *a = expr_load(t, type, c->a.pointer, ia, c->a.alias),
                     *b = expr_load(t, type, c->b.pointer, ib, c->b.alias);
    struct tree_expr *p = expr_binary(t, EXPR_MUL, expr_cast(t, wide, a), expr_cast(t, wide, b));
    if (!library_is_constant(c->alpha, 1))
        p = expr_binary(t, EXPR_MUL, expr_cast(t, wide, c->alpha), p);
    stmt_reduce(t, body, WCR_SUM, false, c->c.pointer, ic, expr_cast(t, type, p), c->c.alias)->place = place;
    return true;
}

/* For a device: each result is summed up in a variable, and is the work of a thread. */
static bool contract_sums(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *type = c->c.type, *wide = type_promote(lw->ir, type);
    const struct sym *i[2], *k;
    struct tree_stmt *body = lower_loops(sc, place, 2, c->c.sizes, true, i);
    if (!body)
        return false;
    struct tree_var *sum = tree_var(t, "sum", type);
    struct scope inner = *sc;
    inner.block = body;
    stmt_assign(t, body, sum, expr_zero(t, type))->place = place;
    struct tree_stmt *terms = lower_loops(&inner, place, 1, &c->a.sizes[1], false, &k);
    struct tree_expr *ia = terms ? element(lw, place, &c->a, i[0], k) : NULL,
                     *ib = ia ? element(lw, place, &c->b, k, i[1]) : NULL,
                     *ic = ib ? element(lw, place, &c->c, i[0], i[1]) : NULL;
    if (!ic)
        return false;
    vec_last(&body->items)->loop.independent = false;
    struct tree_expr *a = expr_cast(t, wide, expr_load(t, type, c->a.pointer, ia, c->a.alias)),
                     *b = expr_cast(t, wide, expr_load(t, type, c->b.pointer, ib, c->b.alias));
    stmt_assign(t, terms, sum,
                expr_binary(t, EXPR_ADD, expr_var(t, sum), expr_cast(t, type, expr_binary(t, EXPR_MUL, a, b))))
        ->place = place;
    struct tree_expr *value = expr_cast(t, wide, expr_var(t, sum));
    if (!library_is_constant(c->alpha, 1))
        value = expr_binary(t, EXPR_MUL, expr_cast(t, wide, c->alpha), value);
    if (!library_is_constant(c->beta, 0)) {
        struct tree_expr *old = expr_cast(t, wide, expr_load(t, type, c->c.pointer, ic, c->c.alias));
        old = library_is_constant(c->beta, 1) ? old : expr_binary(t, EXPR_MUL, expr_cast(t, wide, c->beta), old);
        value = expr_binary(t, EXPR_ADD, value, old);
    }
    stmt_store(t, body, c->c.pointer, ic, expr_cast(t, type, value), c->c.alias)->place = place;
    return true;
}

static const struct type *sum_type(struct ir *ir, const struct contraction *c)
{
    const struct type *t = library_sum_type(ir, library_sum_type(ir, c->a.type, c->b.type), c->c.type);
    bool whole = type_is_integer(t) || t->kind == TYPE_BOOL;
    return whole && (type_is_float(c->alpha->type) || type_is_float(c->beta->type)) ? type_basic(ir, TYPE_F64) : t;
}

bool library_contract(struct scope *sc, const struct place *place, const struct contraction *c)
{
    struct lower *lw = sc->act->lw;
    const struct type *type = sum_type(lw->ir, c);
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct contraction p = *c;
    if (!library_as_type(sc, place, type, &p.a) || !library_as_type(sc, place, type, &p.b))
        return false;
    if (c->c.type != type) {
        if (!library_temporary(sc, place, &c->c, type, &p.c) ||
            (!library_is_constant(c->beta, 0) && !lower_copy(sc, place, &c->c, &p.c, NULL, false)))
            return false;
    }
    p.alpha = code_convert(&cs, type, c->alpha);
    p.beta = code_convert(&cs, type, c->beta);
    if (!p.alpha || !p.beta)
        return false;
    bool outer = sym_is_int(p.a.sizes[1], 1); /* of two vectors: nothing to gain from a library */
    bool loops = tree_product_type(type) < 0 || is_tiny(lw, &p) || outer;
    if (loops)
        remark(lw->ir->remarks, place, NULL, REMARK_LIBRARY_LOOPS,
               outer                         ? "the product of two vectors gains nothing from one"
               : tree_product_type(type) < 0 ? "there is none for this type"
                                             : "it is too small");
    else
        remark(lw->ir->remarks, place, NULL, REMARK_LIBRARY_CALL, "gemm");
    bool sums = lw->options->device && type_is_integer(type); /* may be taken in any order */
    if (!(!loops ? call_blas : sums ? contract_sums : contract_loops)(sc, place, &p))
        return false;
    if (c->c.type != type && !lower_copy(sc, place, &p.c, &c->c, NULL, false))
        return false;
    library_release(sc, &p.a);
    library_release(sc, &p.b);
    library_release(sc, &p.c);
    return true;
}
