/* Library calls for products of matrices and vectors become loop nests, which can run on a device, or calls of cuBLAS.
 *
 *     gemm(C = alpha A B + beta C)      ->      for i parallel { for j {
 *                                                   sum = 0
 *                                                   for k { sum += A[i, k] * B[k, j] }
 *                                                   C[i, j] = alpha * sum + beta * C[i, j]
 *                                               } }
 *
 * A product with one element as its result is one sum, whose terms are added in parallel.
 * Legality: The result overlaps no operand, as the library demands; the order of the terms may change.
 * Profitability: Always: the operands would have to go to the host and the result back. Large products of two matrices
 * are cuBLAS's where it is on this machine: they stay calls, or become ones, that the offload pass gives it. What is in
 * a loop for threads beside other things stays with it. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

/* Multiply-adds from which a product is worth a call: fewer take a kernel of loops less than the 5 us that cuBLAS takes
 * to choose and launch one, and loops can be fused with what is around them. Where two extents are so thin, nothing is
 * used often enough for the library's tiles: on an H100 4 x 4 times 4 x 2^18 takes it 1.9 ms, a hundred times as long
 * as the memory is read. */
enum { LEAST_LIBRARY_PRODUCT = 1 << 20, MOST_THIN = 8 };

enum { COLUMN_MAJOR = 102, PLAIN = 111, CONJUGATE = 113 }; /* of CBLAS */

/* A product, and what CBLAS can ask for beyond: conjugated operands. */
struct expansion {
    struct tree *tree;
    const struct tree_stmt *call;
    struct tree_stmt *out;
    struct tree_product_of product;
    struct tree_expr *conjugate_a, *conjugate_b; /* bool; NULL: never */
};

/* ---- small expressions ---- */

static struct tree_expr *wide(struct expansion *x, struct tree_expr *e)
{
    struct tree *t = x->tree;
    return stmt_variable(t, x->out, "size", expr_cast(t, type_basic(t->ir, TYPE_I64), e));
}

static struct tree_expr *is_number(struct expansion *x, struct tree_expr *e, int64_t value)
{
    return expr_binary(x->tree, EXPR_EQ, e, expr_int(x->tree, e->type, value));
}

static struct tree_expr *times(struct expansion *x, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(x->tree, EXPR_MUL, a, b);
}

static struct tree_expr *plus(struct expansion *x, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(x->tree, EXPR_ADD, a, b);
}

/* ---- what calls say ---- */

static struct tree_expr *factor(struct expansion *x, const struct tree_expr *known, struct tree_expr *address,
                                double missing)
{
    struct tree *t = x->tree;
    const struct type *type = x->product.type;
    if (known)
        return (struct tree_expr *)known;
    if (address->op == EXPR_NULL)
        return expr_cast(t, type, expr_float(t, type_basic(t->ir, TYPE_F64), missing));
    struct tree_expr *at = expr_cast(t, type_pointer(t->ir, type), address);
    return stmt_variable(t, x->out, "factor", expr_load(t, type, at, expr_i64(t, 0), 0));
}

static struct tree_matrix matrix(struct tree_expr *const *args, uint32_t alias)
{
    return (struct tree_matrix){ args[0], args[1], args[2], alias };
}

static bool of_gemm(struct expansion *x)
{
    const struct tree_product *p = x->call->product;
    struct tree_expr **args = x->call->args;
    if (!p)
        return false;
    x->product = (struct tree_product_of){ .type = p->type,
                                           .m = args[PRODUCT_M],
                                           .n = args[PRODUCT_N],
                                           .k = args[PRODUCT_K],
                                           .a = matrix(args + PRODUCT_A, p->a),
                                           .b = matrix(args + PRODUCT_B, p->b),
                                           .c = matrix(args + PRODUCT_C, p->c) };
    x->product.alpha = factor(x, p->alpha, args[PRODUCT_ALPHA], 1);
    x->product.beta = factor(x, p->beta, args[PRODUCT_BETA], 0);
    return true;
}

/* A factor of CBLAS: by value, or by address for complex numbers. */
static struct tree_expr *cblas_factor(struct expansion *x, struct tree_expr *e)
{
    return factor(x, e->type->kind == TYPE_POINTER ? NULL : e, e, 0);
}

static struct tree_matrix cblas_matrix(struct expansion *x, struct tree_expr *order, struct tree_expr *transposed,
                                       struct tree_expr *address, struct tree_expr *leading,
                                       struct tree_expr **conjugate)
{
    struct tree *t = x->tree;
    struct tree_expr *columns = is_number(x, order, COLUMN_MAJOR), *one = expr_i64(t, 1);
    leading = wide(x, leading);
    if (transposed) {
        struct tree_expr *plain = is_number(x, transposed, PLAIN);
        columns = expr_select(t, plain, columns, expr_unary(t, EXPR_NOT, columns));
        if (type_is_complex(x->product.type))
            *conjugate = is_number(x, transposed, CONJUGATE);
    }
    columns = stmt_variable(t, x->out, "columns", columns);
    return (struct tree_matrix){ expr_cast(t, type_pointer(t->ir, x->product.type), address),
                                 wide(x, expr_select(t, columns, one, leading)),
                                 wide(x, expr_select(t, columns, leading, one)), 0 };
}

/* With a negative step the first element comes last. */
static struct tree_matrix cblas_vector(struct expansion *x, struct tree_expr *count, struct tree_expr *address,
                                       struct tree_expr *step)
{
    struct tree *t = x->tree;
    struct tree_expr *zero = expr_i64(t, 0), *one = expr_i64(t, 1);
    step = wide(x, step);
    struct tree_expr *last = times(x, expr_binary(t, EXPR_SUB, one, count), step);
    struct tree_expr *first = expr_select(t, expr_binary(t, EXPR_LT, step, zero), last, zero);
    struct tree_expr *at = expr_cast(t, type_pointer(t->ir, x->product.type), address);
    return (struct tree_matrix){ expr_offset(t, at, first), step, one, 0 };
}

/* order, transposition of A and B, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc */
static bool of_cblas_gemm(struct expansion *x)
{
    struct tree_expr **a = x->call->args + 1;
    struct tree_product_of *p = &x->product;
    p->m = wide(x, a[3]);
    p->n = wide(x, a[4]);
    p->k = wide(x, a[5]);
    p->alpha = cblas_factor(x, a[6]);
    p->a = cblas_matrix(x, a[0], a[1], a[7], a[8], &x->conjugate_a);
    p->b = cblas_matrix(x, a[0], a[2], a[9], a[10], &x->conjugate_b);
    p->beta = cblas_factor(x, a[11]);
    p->c = cblas_matrix(x, a[0], NULL, a[12], a[13], NULL);
    return true;
}

/* order, transposition, rows and columns as stored, alpha, A, lda, x, step, beta, y, step */
static bool of_cblas_gemv(struct expansion *x)
{
    struct tree *t = x->tree;
    struct tree_expr **a = x->call->args + 1;
    struct tree_product_of *p = &x->product;
    struct tree_expr *plain = is_number(x, a[1], PLAIN), *rows = wide(x, a[2]), *columns = wide(x, a[3]);
    p->m = wide(x, expr_select(t, plain, rows, columns));
    p->n = expr_i64(t, 1);
    p->k = wide(x, expr_select(t, plain, columns, rows));
    p->alpha = cblas_factor(x, a[4]);
    p->a = cblas_matrix(x, a[0], a[1], a[5], a[6], &x->conjugate_a);
    p->b = cblas_vector(x, p->k, a[7], a[8]);
    p->beta = cblas_factor(x, a[9]);
    p->c = cblas_vector(x, p->m, a[10], a[11]);
    return true;
}

/* count, x, step, y, step, and where the result goes */
static bool of_cblas_dot(struct expansion *x, struct tree_expr *result)
{
    struct tree *t = x->tree;
    struct tree_expr **a = x->call->args + 1, *one = expr_i64(t, 1);
    struct tree_product_of *p = &x->product;
    const struct type *real = type_basic(t->ir, TYPE_F64);
    p->m = p->n = one;
    p->k = wide(x, a[0]);
    p->alpha = expr_cast(t, p->type, expr_float(t, real, 1));
    p->beta = expr_cast(t, p->type, expr_float(t, real, 0));
    p->b = cblas_vector(x, p->k, a[1], a[2]);
    p->a = cblas_vector(x, p->k, a[3], a[4]);
    p->a.column = p->a.row;
    p->c = (struct tree_matrix){ expr_cast(t, type_pointer(t->ir, p->type), result), one, one, 0 };
    return true;
}

/* ---- loops ---- */

static struct tree_stmt *loop(struct expansion *x, struct tree_stmt *b, const char *name, struct tree_expr *end)
{
    struct tree *t = x->tree;
    struct tree_var *i = tree_var(t, name, type_basic(t->ir, TYPE_I64));
    struct tree_stmt *s = stmt_for(t, b, i, expr_i64(t, 0), end, expr_i64(t, 1));
    s->place = x->call->place;
    return s;
}

static struct tree_expr *at(struct expansion *x, const struct tree_matrix *m, struct tree_expr *row,
                            struct tree_expr *column)
{
    return plus(x, times(x, row, m->row), times(x, column, m->column));
}

static struct tree_expr *element(struct expansion *x, const struct tree_matrix *m, struct tree_expr *row,
                                 struct tree_expr *column, struct tree_expr *conjugate)
{
    struct tree *t = x->tree;
    struct tree_expr *e = expr_load(t, x->product.type, m->address, at(x, m, row, column), m->alias);
    if (!conjugate)
        return e;
    struct tree_expr *other = expr_math(t, TREE_MATH_conj, &e);
    return expr_select(t, conjugate, other, e);
}

static bool is_factor(const struct tree_expr *e, double value)
{
    if (e->op == EXPR_COMPLEX)
        return is_factor(e->args[0], value) && is_factor(e->args[1], 0);
    if (e->op == EXPR_CAST)
        return is_factor(e->args[0], value);
    return e->op == EXPR_FLOAT && e->f == value;
}

static struct tree_expr *scaled(struct expansion *x, struct tree_expr *e)
{
    return is_factor(x->product.alpha, 1) ? e : times(x, x->product.alpha, e);
}

/* What was there counts only if beta is not 0; NULL: it never counts. */
static struct tree_expr *before(struct expansion *x, struct tree_expr *row, struct tree_expr *column)
{
    struct tree *t = x->tree;
    struct tree_expr *beta = x->product.beta;
    if (is_factor(beta, 0))
        return NULL;
    struct tree_expr *old = element(x, &x->product.c, row, column, NULL);
    if (is_factor(beta, 1))
        return old;
    struct tree_expr *zero = expr_zero(t, x->product.type);
    return expr_select(t, expr_binary(t, EXPR_EQ, beta, zero), zero, times(x, beta, old));
}

static void store(struct expansion *x, struct tree_stmt *b, struct tree_expr *row, struct tree_expr *column,
                  struct tree_expr *value)
{
    const struct tree_matrix *c = &x->product.c;
    stmt_store(x->tree, b, c->address, at(x, c, row, column), value, c->alias)->place = x->call->place;
}

static struct tree_expr *term(struct expansion *x, struct tree_expr *i, struct tree_expr *j, struct tree_expr *k)
{
    return times(x, element(x, &x->product.a, i, k, x->conjugate_a), element(x, &x->product.b, k, j, x->conjugate_b));
}

static void expand_sum(struct expansion *x)
{
    struct tree *t = x->tree;
    struct tree_expr *zero = expr_i64(t, 0), *old = before(x, zero, zero);
    store(x, x->out, zero, zero, old ? old : expr_zero(t, x->product.type));
    struct tree_stmt *k = loop(x, x->out, "k", x->product.k);
    k->loop.parallel = true;
    stmt_reduce(t, k->body, WCR_SUM, true, x->product.c.address, zero,
                scaled(x, term(x, zero, zero, expr_var(t, k->var))), x->product.c.alias)
        ->place = x->call->place;
}

static void expand(struct expansion *x)
{
    struct tree *t = x->tree;
    if (expr_is_int(x->product.m, 1) && expr_is_int(x->product.n, 1)) {
        expand_sum(x);
        return;
    }
    struct tree_stmt *i = loop(x, x->out, "i", x->product.m), *j = loop(x, i->body, "j", x->product.n);
    i->loop.parallel = i->loop.independent = j->loop.independent = true;
    struct tree_var *sum = tree_var(t, "sum", x->product.type);
    stmt_assign(t, j->body, sum, expr_zero(t, x->product.type));
    struct tree_stmt *k = loop(x, j->body, "k", x->product.k);
    struct tree_expr *row = expr_var(t, i->var), *column = expr_var(t, j->var);
    stmt_assign(t, k->body, sum, plus(x, expr_var(t, sum), term(x, row, column, expr_var(t, k->var))))->reassociate =
        true;
    struct tree_expr *old = before(x, row, column), *value = scaled(x, expr_var(t, sum));
    store(x, j->body, row, column, old ? plus(x, value, old) : value);
}

/* ---- which are the library's ---- */

static bool is_unit(const struct tree_expr *stride, const struct tree_expr *extent)
{
    return expr_is_int(stride, 1) || expr_is_int(extent, 1);
}

/* One of the directions lies element behind element. */
static bool is_matrix(const struct tree_matrix *m, const struct tree_expr *rows, const struct tree_expr *columns)
{
    return is_unit(m->row, rows) || is_unit(m->column, columns);
}

static bool is_false(const struct tree_expr *e) { return !e || expr_is_int(e, 0); }

static bool is_for_library(const struct expansion *x)
{
    const struct tree_product_of *p = &x->product;
    const struct tree_expr *const extents[] = { p->m, p->n, p->k };
    double work = 1;
    bool known = true;
    int thin = 0;
    for (int i = 0; i < 3; i++) {
        if (expr_is_int(extents[i], 1)) /* vectors */
            return false;
        thin += extents[i]->op == EXPR_INT && extents[i]->i <= MOST_THIN;
        known &= extents[i]->op == EXPR_INT;
        work *= known ? (double)extents[i]->i : 1;
    }
    return thin < 2 && !(known && work < LEAST_LIBRARY_PRODUCT) && is_false(x->conjugate_a) &&
           is_false(x->conjugate_b) && is_matrix(&p->a, p->m, p->k) && is_matrix(&p->b, p->k, p->n) &&
           is_matrix(&p->c, p->m, p->n);
}

/* ---- the walk ---- */

struct products {
    struct tree *tree;
    bool cublas;
};

static const struct type *float_type(struct tree *t, bool complex, bool single)
{
    return type_basic(t->ir, complex ? (single ? TYPE_C64 : TYPE_C128) : single ? TYPE_F32 : TYPE_F64);
}

/* A number for each element type, in the order in which their rows stand in abi.def. */
static bool of_cblas(struct expansion *x, const struct tree_callee *callee, struct tree_stmt **result)
{
    struct tree *t = x->tree;
    static const struct {
        enum tree_callee_row row;
        bool complex, single;
        enum { GEMM, GEMV, DOT } what;
    } rows[] = {
        { CALLEE_sdfg_rt_cblas_sgemm, false, true, GEMM },   { CALLEE_sdfg_rt_cblas_dgemm, false, false, GEMM },
        { CALLEE_sdfg_rt_cblas_cgemm, true, true, GEMM },    { CALLEE_sdfg_rt_cblas_zgemm, true, false, GEMM },
        { CALLEE_sdfg_rt_cblas_sgemv, false, true, GEMV },   { CALLEE_sdfg_rt_cblas_dgemv, false, false, GEMV },
        { CALLEE_sdfg_rt_cblas_cgemv, true, true, GEMV },    { CALLEE_sdfg_rt_cblas_zgemv, true, false, GEMV },
        { CALLEE_sdfg_rt_cblas_sdot, false, true, DOT },     { CALLEE_sdfg_rt_cblas_ddot, false, false, DOT },
        { CALLEE_sdfg_rt_cblas_cdotu_sub, true, true, DOT }, { CALLEE_sdfg_rt_cblas_zdotu_sub, true, false, DOT },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (callee != &tree_callees[rows[i].row])
            continue;
        x->product.type = float_type(t, rows[i].complex, rows[i].single);
        if (rows[i].what != DOT)
            return rows[i].what == GEMM ? of_cblas_gemm(x) : of_cblas_gemv(x);
        if (!x->call->var)
            return rows[i].complex && of_cblas_dot(x, x->call->args[6]);
        struct tree_var *place = tree_var(t, "dot", type_pointer(t->ir, x->product.type));
        stmt_alloc(t, x->out, place, x->product.type, expr_i64(t, 1), TREE_STACK);
        *result = stmt_assign(t, stmt_block(t), x->call->var,
                              expr_load(t, x->product.type, expr_var(t, place), expr_i64(t, 0), 0));
        return of_cblas_dot(x, expr_var(t, place));
    }
    return false;
}

static bool count_others(void *user, struct tree_stmt *s)
{
    int *others = user;
    bool product = s->kind == STMT_CALL && !s->pointer && stmt_callee(s) == &tree_callees[CALLEE_sdfg_rt_gemm];
    *others += product || (s->kind != STMT_BLOCK && s->kind != STMT_FOR && s->kind != STMT_STORE &&
                           !(s->kind == STMT_ALLOC && s->where == TREE_STACK));
    return true;
}

/* A product, and places for its factors. */
static bool has_one_product(struct tree_stmt *loop)
{
    int others = 0;
    stmt_visit(loop->body, count_others, &others);
    return others == 1;
}

static bool visit(void *user, struct tree_stmt *s)
{
    struct products *p = user;
    if (s->kind == STMT_FOR && s->loop.parallel && p->cublas && !has_one_product(s)) {
        struct products inside = { .tree = p->tree };
        stmt_visit(s->body, visit, &inside);
        return false;
    }
    if (s->kind != STMT_CALL || s->pointer)
        return true;
    struct tree_stmt *call = arena_copy(p->tree->arena, s, sizeof *s), *result = NULL;
    struct expansion x = { .tree = p->tree, .call = call, .out = stmt_block(p->tree) };
    const struct tree_callee *callee = stmt_callee(s);
    bool gemm = callee == &tree_callees[CALLEE_sdfg_rt_gemm];
    if (gemm ? !of_gemm(&x) : !of_cblas(&x, callee, &result))
        return true;
    bool library = p->cublas && is_for_library(&x);
    if (library && gemm)
        return true;
    if (library)
        stmt_product(p->tree, x.out, &x.product)->place = call->place;
    else
        expand(&x);
    if (result)
        stmt_append(p->tree, x.out, result);
    *s = *x.out;
    return false;
}

bool opt_expand_products(struct tree *t, const struct tree_options *o)
{
    struct products p = { t, o->cublas };
    struct tree_func *main = t->functions.items[0];
    stmt_visit(main->body, visit, &p);
    stmt_flatten(t, main->body);
    return true;
}
