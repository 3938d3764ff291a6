/* LU with partial pivoting, Cholesky's factorization and triangular solves, column by column: a column is a few nests
 * of independent iterations. Pivots and codes are those of LAPACK. */
#include "lower/opt/device/solver_loops.h"

#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

/* ---- small expressions ---- */

static struct tree_expr *number(struct solver_expansion *x, int64_t i) { return expr_i64(x->tree, i); }

static struct tree_expr *binary(struct solver_expansion *x, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(x->tree, op, a, b);
}

static struct tree_expr *after(struct solver_expansion *x, struct tree_expr *i)
{
    return binary(x, EXPR_ADD, i, number(x, 1));
}

static struct tree_expr *index_of(struct solver_expansion *x, const struct tree_matrix *m, struct tree_expr *i,
                                  struct tree_expr *j)
{
    return binary(x, EXPR_ADD, binary(x, EXPR_MUL, i, m->row), binary(x, EXPR_MUL, j, m->column));
}

static struct tree_expr *element(struct solver_expansion *x, const struct tree_matrix *m, struct tree_expr *i,
                                 struct tree_expr *j)
{
    return expr_load(x->tree, x->type, m->address, index_of(x, m, i, j), m->alias);
}

static void store(struct solver_expansion *x, struct tree_stmt *b, const struct tree_matrix *m, struct tree_expr *i,
                  struct tree_expr *j, struct tree_expr *value)
{
    stmt_store(x->tree, b, m->address, index_of(x, m, i, j), value, m->alias)->place = x->call->place;
}

/* What pivots are chosen by: of complex numbers the sum of the parts, as LAPACK does. */
static struct tree_expr *size_of(struct solver_expansion *x, struct tree_expr *e)
{
    struct tree *t = x->tree;
    if (!type_is_complex(x->type))
        return expr_math(t, TREE_MATH_fabs, &e);
    struct tree_expr *re = expr_unary(t, EXPR_REAL, e), *im = expr_unary(t, EXPR_IMAG, e);
    return binary(x, EXPR_ADD, expr_math(t, TREE_MATH_fabs, &re), expr_math(t, TREE_MATH_fabs, &im));
}

static struct tree_expr *item(struct solver_expansion *x, const struct solver_list *l, struct tree_expr *i)
{
    return expr_load(x->tree, l->address->type->elem, l->address, i, l->alias);
}

static void put(struct solver_expansion *x, struct tree_stmt *b, const struct solver_list *l, struct tree_expr *i,
                struct tree_expr *value)
{
    stmt_store(x->tree, b, l->address, i, value, l->alias)->place = x->call->place;
}

/* ---- loops and memory ---- */

static struct tree_stmt *loop(struct solver_expansion *x, struct tree_stmt *b, const char *name,
                              struct tree_expr *begin, struct tree_expr *end)
{
    struct tree *t = x->tree;
    struct tree_var *i = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    struct tree_stmt *s = stmt_for(t, b, i, begin, end, number(x, 1));
    s->place = x->call->place;
    return s;
}

static struct tree_stmt *independent(struct solver_expansion *x, struct tree_stmt *b, const char *name,
                                     struct tree_expr *begin, struct tree_expr *end)
{
    struct tree_stmt *s = loop(x, b, name, begin, end);
    s->loop.parallel = s->loop.independent = true;
    return s;
}

struct solver_list solver_take(struct solver_expansion *x, struct tree_stmt *b, const char *name,
                               const struct type *type, struct tree_expr *count, enum tree_memory where)
{
    struct tree *t = x->tree;
    struct tree_var *v = tree_var(t, name, type_pointer(t->ir, type));
    struct tree_stmt *s = stmt_alloc(t, b, v, type, count, where);
    s->alias = t->num_aliases++;
    s->place = x->call->place;
    return (struct solver_list){ expr_var(t, v), s->alias };
}

/* All elements of a nest; neighbours in memory are the inner loop's. */
struct expanded_nest {
    struct tree_stmt *body;
    struct tree_expr *i, *j;
};

static struct expanded_nest nest(struct solver_expansion *x, struct tree_stmt *b, const struct tree_matrix *m,
                                 struct tree_expr *top, struct tree_expr *bottom, struct tree_expr *left,
                                 struct tree_expr *right)
{
    bool by_rows = expr_is_int(m->column, 1);
    struct tree_stmt *outer = by_rows ? independent(x, b, "i", top, bottom) : independent(x, b, "j", left, right);
    struct tree_stmt *inner =
        by_rows ? independent(x, outer->body, "j", left, right) : independent(x, outer->body, "i", top, bottom);
    struct tree_expr *i = expr_var(x->tree, (by_rows ? outer : inner)->var);
    return (struct expanded_nest){ inner->body, i, expr_var(x->tree, (by_rows ? inner : outer)->var) };
}

/* m[i, j] -= a[i, k] * b[k, j] */
static void subtract(struct solver_expansion *x, const struct expanded_nest *n, const struct tree_matrix *m,
                     const struct tree_matrix *a, const struct tree_matrix *b, struct tree_expr *k)
{
    struct tree_expr *product = binary(x, EXPR_MUL, element(x, a, n->i, k), element(x, b, k, n->j));
    store(x, n->body, m, n->i, n->j, binary(x, EXPR_SUB, element(x, m, n->i, n->j), product));
}

/* ---- LU ---- */

static void exchange(struct solver_expansion *x, struct tree_stmt *b, const struct tree_matrix *m,
                     struct tree_expr *columns, struct tree_expr *k, struct tree_expr *other)
{
    struct tree *t = x->tree;
    struct tree_stmt *j = independent(x, b, "j", number(x, 0), columns);
    struct tree_expr *at = expr_var(t, j->var), *row = stmt_variable(t, j->body, "row", other);
    struct tree_expr *here = stmt_variable(t, j->body, "here", element(x, m, k, at));
    struct tree_expr *there = stmt_variable(t, j->body, "there", element(x, m, row, at));
    store(x, j->body, m, k, at, there);
    store(x, j->body, m, row, at, here);
}

/* Remembers the first column without a pivot, counted from 1. */
static void note(struct solver_expansion *x, struct tree_stmt *b, struct tree_expr *fails, struct tree_expr *k)
{
    struct tree *t = x->tree;
    if (!x->code.address || x->code.address->op == EXPR_NULL)
        return;
    struct tree_expr *old = item(x, &x->code, x->code_at), *none = binary(x, EXPR_EQ, old, expr_int(t, x->i32, 0));
    struct tree_expr *now = expr_select(t, fails, expr_cast(t, x->i32, after(x, k)), old);
    put(x, b, &x->code, x->code_at, expr_select(t, none, now, old));
}

/* The largest element of column k on or below the diagonal, the first of them: rows count from 1 in `pivots`. */
static void choose(struct solver_expansion *x, struct tree_stmt *b, const struct tree_matrix *a, struct tree_expr *k,
                   const struct solver_list *pivots, const struct solver_list *largest)
{
    struct tree *t = x->tree;
    const struct type *i64 = type_basic(t->ir, TYPE_I64);
    struct solver_list first = solver_take(x, b, "first", i64, number(x, 1), TREE_STACK);
    put(x, b, largest, number(x, 0), expr_zero(t, x->real));
    struct tree_stmt *i = loop(x, b, "i", k, x->rows);
    i->loop.parallel = true;
    struct tree_expr *size = size_of(x, element(x, a, expr_var(t, i->var), k));
    stmt_reduce(t, i->body, WCR_MAX, true, largest->address, number(x, 0), size, largest->alias)->place =
        x->call->place;
    put(x, b, &first, number(x, 0), x->rows);
    i = loop(x, b, "i", k, x->rows);
    i->loop.parallel = true;
    size = size_of(x, element(x, a, expr_var(t, i->var), k));
    struct tree_expr *has = binary(x, EXPR_EQ, size, item(x, largest, number(x, 0)));
    stmt_reduce(t, i->body, WCR_MIN, true, first.address, number(x, 0),
                expr_select(t, has, expr_var(t, i->var), x->rows), first.alias)
        ->place = x->call->place;
    struct tree_expr *found = item(x, &first, number(x, 0));
    found = expr_select(t, binary(x, EXPR_LT, found, x->rows), found, k); /* none: of numbers that are none */
    put(x, b, pivots, k, expr_cast(t, x->i32, after(x, found)));
}

static struct tree_expr *pivot_row(struct solver_expansion *x, const struct solver_list *pivots, struct tree_expr *k)
{
    const struct type *i64 = type_basic(x->tree->ir, TYPE_I64);
    return binary(x, EXPR_SUB, expr_cast(x->tree, i64, item(x, pivots, k)), number(x, 1));
}

static void factor_lu(struct solver_expansion *x, const struct tree_matrix *a, struct tree_expr *columns,
                      const struct solver_list *pivots)
{
    struct tree *t = x->tree;
    struct tree_expr *steps = binary(x, EXPR_MIN, x->rows, columns);
    struct tree_stmt *each = loop(x, x->out, "k", number(x, 0), steps), *b = each->body;
    struct tree_expr *k = expr_var(t, each->var), *next = after(x, k);
    struct solver_list largest = solver_take(x, b, "largest", x->real, number(x, 1), TREE_STACK);
    choose(x, b, a, k, pivots, &largest);
    struct tree_expr *zero = binary(x, EXPR_EQ, item(x, &largest, number(x, 0)), expr_zero(t, x->real));
    note(x, b, zero, k);
    exchange(x, b, a, columns, k, pivot_row(x, pivots, k));
    struct tree_stmt *i = independent(x, b, "i", next, x->rows);
    struct tree_expr *row = expr_var(t, i->var), *old = element(x, a, row, k);
    struct tree_expr *quotient = binary(x, EXPR_DIV, old, element(x, a, k, k));
    store(x, i->body, a, row, k, expr_select(t, zero, old, quotient));
    struct expanded_nest n = nest(x, b, a, next, x->rows, next, columns);
    subtract(x, &n, a, a, a, k);
}

static void solve_lu(struct solver_expansion *x, const struct tree_matrix *a, const struct solver_list *pivots,
                     const struct tree_matrix *b, struct tree_expr *sides)
{
    struct tree *t = x->tree;
    struct tree_stmt *each = loop(x, x->out, "k", number(x, 0), x->rows);
    struct tree_expr *k = expr_var(t, each->var);
    exchange(x, each->body, b, sides, k, pivot_row(x, pivots, k));
    each = loop(x, x->out, "k", number(x, 0), x->rows);
    k = expr_var(t, each->var);
    struct expanded_nest n = nest(x, each->body, b, after(x, k), x->rows, number(x, 0), sides);
    subtract(x, &n, b, a, b, k);
    each = loop(x, x->out, "k", number(x, 0), x->rows);
    k = binary(x, EXPR_SUB, binary(x, EXPR_SUB, x->rows, number(x, 1)), expr_var(t, each->var));
    struct tree_stmt *j = independent(x, each->body, "j", number(x, 0), sides);
    struct tree_expr *at = expr_var(t, j->var);
    store(x, j->body, b, k, at, binary(x, EXPR_DIV, element(x, b, k, at), element(x, a, k, k)));
    n = nest(x, each->body, b, number(x, 0), k, number(x, 0), sides);
    subtract(x, &n, b, a, b, k);
}

/* ---- Cholesky ---- */

static void factor_cholesky(struct solver_expansion *x, const struct tree_matrix *a)
{
    struct tree *t = x->tree;
    struct tree_stmt *each = loop(x, x->out, "k", number(x, 0), x->rows), *b = each->body;
    struct tree_expr *k = expr_var(t, each->var), *next = after(x, k), *diagonal = element(x, a, k, k);
    struct tree_expr *square = type_is_complex(x->type) ? expr_unary(t, EXPR_REAL, diagonal) : diagonal;
    struct tree_expr *positive = binary(x, EXPR_GT, square, expr_zero(t, x->real));
    note(x, b, expr_unary(t, EXPR_NOT, positive), k);
    store(x, b, a, k, k, expr_cast(t, x->type, expr_math(t, TREE_MATH_sqrt, &square)));
    struct tree_stmt *i = independent(x, b, "i", next, x->rows);
    struct tree_expr *row = expr_var(t, i->var);
    store(x, i->body, a, row, k, binary(x, EXPR_DIV, element(x, a, row, k), element(x, a, k, k)));
    struct expanded_nest n = nest(x, b, a, next, x->rows, next, x->rows);
    struct tree_stmt *inside = stmt_if(t, n.body, binary(x, EXPR_GE, n.i, n.j));
    struct tree_expr *other = element(x, a, n.j, k);
    if (type_is_complex(x->type))
        other = expr_math(t, TREE_MATH_conj, &other);
    struct tree_expr *product = binary(x, EXPR_MUL, element(x, a, n.i, k), other);
    store(x, inside->body, a, n.i, n.j, binary(x, EXPR_SUB, element(x, a, n.i, n.j), product));
}

/* ---- operations ---- */

static struct tree_matrix operand(struct solver_expansion *x, int at)
{
    struct tree_expr *const *m = x->call->args + at;
    return (struct tree_matrix){ m[0], m[1], m[2], 0 };
}

static struct tree_matrix copy_of(struct solver_expansion *x, const struct tree_matrix *from)
{
    struct solver_list memory =
        solver_take(x, x->out, "factors", x->type, binary(x, EXPR_MUL, x->rows, x->rows), TREE_HEAP);
    bool by_rows = expr_is_int(from->column, 1);
    struct tree_expr *one = number(x, 1);
    struct tree_matrix m = { memory.address, by_rows ? x->rows : one, by_rows ? one : x->rows, memory.alias };
    struct expanded_nest n = nest(x, x->out, &m, number(x, 0), x->rows, number(x, 0), x->rows);
    store(x, n.body, &m, n.i, n.j, element(x, from, n.i, n.j));
    return m;
}

static void give(struct solver_expansion *x, const struct tree_expr *address)
{
    stmt_free(x->tree, x->out, address->var)->where = TREE_HEAP;
}

/* Of the right-hand sides, or of the identity. */
static void begin_result(struct solver_expansion *x, const struct tree_matrix *to, struct tree_expr *sides)
{
    struct tree *t = x->tree;
    struct expanded_nest n = nest(x, x->out, to, number(x, 0), x->rows, number(x, 0), sides);
    struct tree_expr *one = expr_cast(t, x->type, expr_float(t, type_basic(t->ir, TYPE_F64), 1));
    struct tree_expr *value = expr_select(t, binary(x, EXPR_EQ, n.i, n.j), one, expr_zero(t, x->type));
    if (x->form->what == SOLVE) {
        struct tree_matrix from = operand(x, x->form->matrices[1]);
        value = element(x, &from, n.i, n.j);
    }
    store(x, n.body, to, n.i, n.j, value);
}

static void solve(struct solver_expansion *x)
{
    struct tree_matrix from = operand(x, x->form->matrices[0]), to = operand(x, solver_result(x->form)),
                       a = copy_of(x, &from);
    struct tree_expr *sides = x->form->what == INVERSE ? x->rows : x->columns;
    struct solver_list pivots = solver_take(x, x->out, "pivots", x->i32, x->rows, TREE_HEAP);
    begin_result(x, &to, sides);
    factor_lu(x, &a, x->rows, &pivots);
    solve_lu(x, &a, &pivots, &to, sides);
    give(x, pivots.address);
    give(x, a.address);
}

/* An upper triangle is the transpose of a lower one. */
static void cholesky(struct solver_expansion *x, bool lower)
{
    struct tree *t = x->tree;
    struct tree_matrix to = operand(x, solver_result(x->form));
    if (x->form->what == CHOLESKY) {
        struct tree_matrix from = operand(x, x->form->matrices[0]);
        struct expanded_nest n = nest(x, x->out, &to, number(x, 0), x->rows, number(x, 0), x->rows);
        struct tree_expr *inside = binary(x, lower ? EXPR_GE : EXPR_LE, n.i, n.j);
        store(x, n.body, &to, n.i, n.j, expr_select(t, inside, element(x, &from, n.i, n.j), expr_zero(t, x->type)));
    }
    if (!lower)
        to = (struct tree_matrix){ to.address, to.column, to.row, to.alias };
    factor_cholesky(x, &to);
}

void solver_loops(struct solver_expansion *x)
{
    const struct solver_form *f = x->form;
    struct solver_list pivots = { x->call->args[f->codes[0]], 0 };
    if (x->code.address && x->code.address->op != EXPR_NULL)
        put(x, x->out, &x->code, x->code_at, expr_int(x->tree, x->i32, 0));
    if (f->what == CHOLESKY || f->what == POTRF) {
        cholesky(x, x->call->args[f->lower]->i);
        return;
    }
    struct tree_matrix a = operand(x, f->matrices[0]);
    if (f->what == GETRF) {
        factor_lu(x, &a, x->columns, &pivots);
    } else if (f->what == GETRS) {
        struct tree_matrix b = operand(x, solver_result(f));
        solve_lu(x, &a, &pivots, &b, x->columns);
    } else {
        solve(x);
    }
}
