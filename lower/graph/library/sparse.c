/* sparse.CSRMM, sparse.CSRMV (library-nodes.md 8): loops over the rows of the sparse matrix, in parallel; the rows of
 * the result are updated with rows of the dense operand. */
#include "lower/graph/library/library.h"

#include "ir/library.h"
#include "lower/graph/check.h"

struct csr {
    struct area rows, cols, vals, b, c; /* b and c of rank 2 */
    struct tree_expr *alpha, *beta;
    const char *cols_name, *vals_name, *b_name; /* containers */
};

static struct tree_expr *load_at(struct scope *sc, const struct place *place, const struct area *a,
                                 const struct sym *const *index)
{
    struct tree_expr *at = area_offset(sc->act->lw, place, a, index);
    return at ? expr_load(sc->act->lw->tree, a->type, a->pointer, at, a->alias) : NULL;
}

/* An element in the type of the sums. It is converted where it is used: how many elements the operands have is only
 * known by the checked mode. */
static struct tree_expr *load_as(struct scope *sc, const struct place *place, const struct type *type,
                                 const struct area *a, const struct sym *const *index)
{
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    struct tree_expr *e = load_at(sc, place, a, index);
    return e && a->type != type ? code_convert(&cs, type, e) : e;
}

/* A new int64 variable with the value. */
static const struct sym *settle(struct scope *sc, const char *name, struct tree_expr *value)
{
    struct lower *lw = sc->act->lw;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64);
    struct tree_var *v = tree_var(lw->tree, name, i64);
    stmt_assign(lw->tree, sc->block, v, expr_cast(lw->tree, i64, value));
    return lower_var_symbol(lw, v);
}

/* C[i, :] = beta * C[i, :] */
static bool scale_row(struct scope *sc, const struct place *place, const struct csr *m, const struct sym *row)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    if (library_is_constant(m->beta, 1))
        return true;
    const struct sym *index[] = { row, NULL };
    struct tree_stmt *body = lower_loops(sc, place, 1, &m->c.sizes[1], false, &index[1]);
    struct tree_expr *at = body ? area_offset(lw, place, &m->c, index) : NULL;
    if (!at)
        return false;
    struct tree_expr *value = expr_zero(t, m->c.type);
    if (!library_is_constant(m->beta, 0))
        value = expr_binary(t, EXPR_MUL, m->beta, expr_load(t, m->c.type, m->c.pointer, at, m->c.alias));
    stmt_store(t, body, m->c.pointer, at, value, m->c.alias)->place = place;
    return true;
}

/* The terms of a row: their places in the lists, which `rows` gives. */
static bool check_terms(struct scope *sc, const struct place *place, const struct csr *m, const struct sym *first,
                        const struct sym *last)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *begin = lower_index(lw, place, first), *end = lower_index(lw, place, last);
    return begin && end &&
           lower_check_elements_at(sc, place, m->cols_name, m->cols.pointer, begin, end, m->cols.sizes[0]) &&
           lower_check_elements_at(sc, place, m->vals_name, m->vals.pointer, begin, end, m->vals.sizes[0]);
}

static bool check_column(struct scope *sc, const struct place *place, const struct csr *m, const struct sym *column)
{
    struct lower *lw = sc->act->lw;
    struct tree_expr *at = lower_index(lw, place, column);
    struct tree_expr *next = at ? expr_binary(lw->tree, EXPR_ADD, at, expr_i64(lw->tree, 1)) : NULL;
    return at && lower_check_elements_at(sc, place, m->b_name, m->b.pointer, at, next, m->b.sizes[0]);
}

/* C = alpha A B + beta C in the type of C. */
static bool multiply(struct scope *sc, const struct place *place, const struct csr *m)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct sym *index[2], *term;
    struct scope row = *sc, body = *sc;
    row.block = lower_loops(sc, place, 1, &m->c.sizes[0], true, &index[0]);
    row.parallel = body.parallel = true;
    if (!row.block || !scale_row(&row, place, m, index[0]))
        return false;
    const struct sym *next = sym_add(lw->ir, index[0], sym_int(lw->ir, 1));
    struct tree_expr *begin = load_at(sc, place, &m->rows, &index[0]), *end = load_at(sc, place, &m->rows, &next);
    if (!begin || !end)
        return false;
    const struct sym *first = settle(&row, "first", begin), *last = settle(&row, "last", end);
    const struct sym *count = sym_sub(lw->ir, last, first);
    if (!check_terms(&row, place, m, first, last))
        return false;
    body.block = lower_loops(&row, place, 1, &count, false, &term);
    if (!body.block)
        return false;
    struct tree_stmt *terms = vec_last(&row.block->items);
    terms->loop.independent = false; /* they meet in the row of C */
    term = sym_add(lw->ir, term, first);
    struct tree_expr *col = load_at(sc, place, &m->cols, &term), *val = load_as(sc, place, m->c.type, &m->vals, &term);
    if (!col || !val)
        return false;
    const struct sym *column = settle(&body, "column", col);
    if (!check_column(&body, place, m, column))
        return false;
    struct tree_var *factor = tree_var(t, "factor", m->c.type);
    stmt_assign(t, body.block, factor,
                library_is_constant(m->alpha, 1) ? val : expr_binary(t, EXPR_MUL, m->alpha, val));
    struct scope inner = body;
    inner.block = lower_loops(&body, place, 1, &m->c.sizes[1], false, &index[1]);
    if (!inner.block)
        return false;
    const struct sym *const of_b[] = { column, index[1] };
    struct tree_expr *b = load_as(sc, place, m->c.type, &m->b, of_b), *ic = area_offset(lw, place, &m->c, index);
    if (!b || !ic)
        return false;
    stmt_reduce(t, inner.block, WCR_SUM, false, m->c.pointer, ic, expr_binary(t, EXPR_MUL, expr_var(t, factor), b),
                m->c.alias)
        ->place = place;
    return true;
}

/* The product in the type of its sums. */
static bool typed_product(struct scope *sc, struct library *n, struct csr *m)
{
    struct lower *lw = sc->act->lw;
    const struct place *place = &n->node.place;
    const struct area result = m->c;
    const struct type *type = library_sum_type(lw->ir, library_sum_type(lw->ir, m->vals.type, m->b.type), result.type);
    bool whole = type_is_integer(type) || type->kind == TYPE_BOOL;
    if (whole && (type_is_float(m->alpha->type) || type_is_float(m->beta->type)))
        type = type_basic(lw->ir, TYPE_F64);
    else if (whole) /* no arithmetic on narrower ones */
        type = type_promote(lw->ir, type);
    if (result.type != type)
        if (!library_temporary(sc, place, &result, type, &m->c) ||
            (!library_is_constant(m->beta, 0) && !lower_copy(sc, place, &result, &m->c, NULL, false)))
            return false;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    m->alpha = code_convert(&cs, type, m->alpha);
    m->beta = code_convert(&cs, type, m->beta);
    return m->alpha && m->beta && multiply(sc, place, m) &&
           (result.type == type || lower_copy(sc, place, &m->c, &result, NULL, false));
}

/* The three lists of the sparse matrix, and C, which starts as `_cin` where beta is not 0. */
static bool operands(struct scope *sc, struct library *n, struct csr *m)
{
    struct edge *out = library_output_edge(n, "_c");
    struct area addend;
    if (!out)
        return diag_error(sc->act->lw->diags, &n->node.place, DIAG_LIBRARY_OPERAND, "_c");
    m->alpha = library_factor(sc, n, "alpha", 1, out->memlet.data->type);
    m->beta = library_factor(sc, n, "beta", 0, out->memlet.data->type);
    if (!m->alpha || !m->beta || !library_input(sc, n, "_a_rows", &m->rows) ||
        !library_input(sc, n, "_a_cols", &m->cols) || !library_input(sc, n, "_a_vals", &m->vals) ||
        !library_input(sc, n, "_b", &m->b))
        return false;
    m->cols_name = m->cols.desc->name;
    m->vals_name = m->vals.desc->name;
    m->b_name = m->b.desc->name;
    if (!library_to_rank(&m->rows, 1) || !library_to_rank(&m->cols, 1) || !library_to_rank(&m->vals, 1))
        return library_wrong_shapes(sc, n, "the lists of a sparse matrix are vectors");
    if (!type_is_integer(m->rows.type) || !type_is_integer(m->cols.type))
        return library_wrong_shapes(sc, n, "the indices of a sparse matrix are integers");
    bool keeps = !library_is_constant(m->beta, 0), given = keeps && library_input_edge(n, "_cin");
    if (!(keeps && !given ? library_update : library_output)(sc, n, "_c", &m->c))
        return false;
    if (!given)
        return true;
    return library_input(sc, n, "_cin", &addend) &&
           (library_same(&addend, &m->c) || lower_copy(sc, &n->node.place, &addend, &m->c, NULL, false));
}

static bool rows_fit(struct scope *sc, struct library *n, const struct csr *m)
{
    struct lower *lw = sc->act->lw;
    const struct sym *rows = sym_sub(lw->ir, m->rows.sizes[0], sym_int(lw->ir, 1));
    return (!library_differ(lw, rows, m->c.sizes[0]) && !library_differ(lw, m->b.sizes[1], m->c.sizes[1])) ||
           library_wrong_shapes(sc, n, "the result has other extents");
}

bool lower_csrmm(struct scope *sc, struct library *n)
{
    struct csr m;
    bool transposed;
    if (!library_bool(n, "transB", false, &transposed) || !operands(sc, n, &m))
        return false;
    if (!library_to_rank(&m.b, 2) || !library_to_rank(&m.c, 2))
        return library_wrong_shapes(sc, n, "matrices expected");
    if (transposed) {
        const struct sym *size = m.b.sizes[0], *stride = m.b.strides[0];
        m.b.sizes[0] = m.b.sizes[1];
        m.b.strides[0] = m.b.strides[1];
        m.b.sizes[1] = size;
        m.b.strides[1] = stride;
    }
    return rows_fit(sc, n, &m) && typed_product(sc, n, &m);
}

bool lower_csrmv(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct csr m;
    if (!operands(sc, n, &m))
        return false;
    if (!library_to_rank(&m.b, 1) || !library_to_rank(&m.c, 1))
        return library_wrong_shapes(sc, n, "vectors expected");
    struct area *const vectors[] = { &m.b, &m.c };
    for (int i = 0; i < 2; i++) { /* matrices with one column */
        *vectors[i] = area_copy(lw, vectors[i]);
        vectors[i]->sizes[1] = vectors[i]->strides[1] = sym_int(lw->ir, 1);
        vectors[i]->rank = 2;
    }
    return rows_fit(sc, n, &m) && typed_product(sc, n, &m);
}
