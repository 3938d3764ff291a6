/* Trees before and after the pass products, and what the nest passes make of it. */
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/unit/tree_text.h"

struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *f64, *i64;
    struct tree_var *vars[5]; /* A, x, y, v, z: classes 1 to 5 */
    struct tree_options options;
};

enum { A, X, Y, V, Z };

static struct sample sample_new(void)
{
    static const char *const names[] = { "A", "x", "y", "v", "z" };
    struct sample s = { .ir = ir_new() };
    s.ir->remarks = remarks_new(s.ir->arena);
    s.t = tree_new(s.ir, "p");
    s.f = tree_func(s.t, "main");
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.t->num_aliases = 6;
    for (int i = 0; i < 5; i++) {
        s.vars[i] = tree_var(s.t, names[i], type_pointer(s.ir, s.f64));
        struct tree_param p = { .name = names[i], .var = s.vars[i], .count = i == A ? 600 * 500 : 600 };
        vec_push(s.t->arena, &s.f->params, p);
    }
    return s;
}

static struct tree_expr *number(struct sample *s, int64_t i) { return expr_i64(s->t, i); }

/* to = A from, A of `rows` rows and `cols` columns with these strides. */
static struct tree_stmt *product(struct sample *s, struct tree_stmt *b, int64_t rows, int64_t cols, int64_t by_row,
                                 int64_t by_col, int from, int to)
{
    struct tree *t = s->t;
    const struct type *pointer = s->vars[A]->type;
    struct tree_product *p = NEW(t->arena, struct tree_product);
    *p = (struct tree_product){
        s->f64, A + 1, (uint32_t)from + 1, (uint32_t)to + 1, expr_float(t, s->f64, 1), expr_float(t, s->f64, 0)
    };
    struct tree_expr *args[] = { expr_context(t),
                                 expr_int(t, type_basic(s->ir, TYPE_I32), SDFG_RT_F64),
                                 number(s, rows),
                                 number(s, 1),
                                 number(s, cols),
                                 expr_var(t, s->vars[A]),
                                 number(s, by_row),
                                 number(s, by_col),
                                 expr_var(t, s->vars[from]),
                                 number(s, 1),
                                 number(s, 1),
                                 expr_var(t, s->vars[to]),
                                 number(s, 1),
                                 number(s, 1),
                                 expr_null(t, pointer),
                                 expr_null(t, pointer) };
    struct tree_stmt *call = stmt_call(t, b, NULL, "sdfg_rt_gemm", args, 16);
    call->product = p;
    return call;
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, int64_t end)
{
    return stmt_for(s->t, b, tree_var(s->t, name, s->i64), number(s, 0), number(s, end), number(s, 1));
}

static const char *shown(struct sample *s) { return tree_text(s->t, s->f->body); }

static bool has_call(struct sample *s) { return strstr(shown(s), "sdfg_rt_gemm") != NULL; }

/* y = A x; z = A^T v: one sweep over A. */
TEST(pair_is_one_sweep)
{
    struct sample s = sample_new();
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    product(&s, s.f->body, 500, 600, 1, 500, V, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && opt_fuse_nests(s.t, &s.options));
    CHECK_STR(shown(&s), "for i = 0 to 600 step 1 parallel independent {\n"
                         "    y[i] = 0.0\n"
                         "}\n"
                         "for i#8 = 0 to 500 step 1 parallel independent {\n"
                         "    z[i#8] = 0.0\n"
                         "}\n"
                         "for i#6 = 0 to 600 step 1 parallel {\n"
                         "    for k = 0 to 500 step 1 {\n"
                         "        y[i#6] += A[i#6 * 500 + k] * x[k]\n"
                         "        atomic z[k] += A[k + i#6 * 500] * v[i#6]\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* y = A x; z = A^T y needs all of a row of y first: the rows are shared, the loops inside stay two. */
TEST(chain_shares_rows)
{
    struct sample s = sample_new();
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    product(&s, s.f->body, 500, 600, 1, 500, Y, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && opt_fuse_nests(s.t, &s.options) && opt_fuse(s.t, &s.options));
    CHECK_STR(shown(&s), "for i#8 = 0 to 500 step 1 parallel independent {\n"
                         "    z[i#8] = 0.0\n"
                         "}\n"
                         "for i = 0 to 600 step 1 parallel {\n"
                         "    y[i] = 0.0\n"
                         "    for k = 0 to 500 step 1 {\n"
                         "        y[i] += A[i * 500 + k] * x[k]\n"
                         "    }\n"
                         "    for i#10 = 0 to 500 step 1 independent {\n"
                         "        atomic z[i#10] += A[i#10 + i * 500] * y[i]\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* for i { for j { A[i, j] = A[i, j] + A[i, j] } } y = A x */
static struct tree_stmt *made(struct sample *s)
{
    struct tree *t = s->t;
    struct tree_stmt *i = loop(s, s->f->body, "r", 600), *j = loop(s, i->body, "c", 500);
    i->loop.parallel = i->loop.independent = j->loop.independent = true;
    struct tree_expr *row = expr_binary(t, EXPR_MUL, expr_var(t, i->var), number(s, 500));
    struct tree_expr *at = expr_binary(t, EXPR_ADD, row, expr_var(t, j->var));
    struct tree_expr *a = expr_load(t, s->f64, expr_var(t, s->vars[A]), at, A + 1);
    stmt_store(t, j->body, expr_var(t, s->vars[A]), at, expr_binary(t, EXPR_ADD, a, a), A + 1);
    return i;
}

TEST(product_joins_the_loop_that_makes_the_matrix)
{
    struct sample s = sample_new();
    made(&s);
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    CHECK(opt_expand_gemv(s.t, &s.options));
    CHECK_STR(shown(&s), "for i = 0 to 600 step 1 parallel independent {\n"
                         "    y[i] = 0.0\n"
                         "}\n"
                         "for r = 0 to 600 step 1 parallel independent {\n"
                         "    for c = 0 to 500 step 1 {\n"
                         "        A[r * 500 + c] = A[r * 500 + c] + A[r * 500 + c]\n"
                         "        y[r] += A[r * 500 + c] * x[c]\n"
                         "    }\n"
                         "}\n");
    CHECK(strstr(remarks_text(s.ir), "is expanded to loops, to be fused with loop r over the same matrix"));
    ir_free(s.ir);
}

/* x is made from what the loop makes, behind it: the loop cannot go down to the product. */
TEST(loop_stays_in_front_of_what_needs_it)
{
    struct sample s = sample_new();
    made(&s);
    struct tree_expr *first = expr_load(s.t, s.f64, expr_var(s.t, s.vars[A]), number(&s, 0), A + 1);
    stmt_store(s.t, s.f->body, expr_var(s.t, s.vars[X]), number(&s, 0), first, X + 1);
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    CHECK(opt_expand_gemv(s.t, &s.options));
    const char *text = shown(&s);
    CHECK(strstr(text, "for r") < strstr(text, "x[0]") && strstr(text, "x[0]") < strstr(text, "for k"));
    ir_free(s.ir);
}

/* A product alone, two of a matrix that stays in the cache, or of different matrices, are the library's. */
TEST(others_stay_calls)
{
    struct sample s = sample_new();
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    CHECK(opt_expand_gemv(s.t, &s.options) && has_call(&s));
    ir_free(s.ir);
    s = sample_new();
    product(&s, s.f->body, 60, 50, 50, 1, X, Y);
    product(&s, s.f->body, 50, 60, 1, 50, V, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && has_call(&s));
    CHECK(strstr(remarks_text(s.ir),
                 "stays a call next to others of the same matrix: the matrix stays in the cache between them"));
    ir_free(s.ir);
}

/* Any order of the sums is none that --fp=strict has. */
TEST(strict_keeps_calls)
{
    struct sample s = sample_new();
    s.options.strict_fp = true;
    product(&s, s.f->body, 600, 500, 500, 1, X, Y);
    product(&s, s.f->body, 500, 600, 1, 500, V, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && has_call(&s));
    ir_free(s.ir);
}

/* The result overlaps the vector: what the library does with that is not ours to change. */
TEST(overlap_keeps_calls)
{
    struct sample s = sample_new();
    product(&s, s.f->body, 600, 500, 500, 1, X, X);
    product(&s, s.f->body, 500, 600, 1, 500, V, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && has_call(&s));
    ir_free(s.ir);
}

/* In a loop that runs on threads of its own each thread calls the library alone. */
TEST(threads_keep_calls)
{
    struct sample s = sample_new();
    struct tree_stmt *i = loop(&s, s.f->body, "t", 4);
    i->loop.parallel = true;
    product(&s, i->body, 600, 500, 500, 1, X, Y);
    product(&s, i->body, 500, 600, 1, 500, V, Z);
    CHECK(opt_expand_gemv(s.t, &s.options) && has_call(&s));
    ir_free(s.ir);
}

CHECK_MAIN
