/* Trees before and after the pass batch. */
#include "lower/opt/passes.h"

#include "tests/unit/tree_text.h"

struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *f64, *i64;
    struct tree_var *a, *c; /* classes 1 and 2 */
    struct tree_stmt *loop, *call;
    struct tree_options options;
};

/* for i = 0 to 100 { C[i * 100 ...] = A[i * begin ..., 100 - i * fewer rows] A[, i * apart] } of a matrix with 300 rows
 * of 100 elements, multiplied from the left as a transposed one. */
static struct sample sample_new(int64_t begin, int64_t fewer, int64_t apart)
{
    struct sample s = { .ir = ir_new() };
    s.ir->remarks = remarks_new(s.ir->arena);
    struct tree *t = s.t = tree_new(s.ir, "p");
    s.f = tree_func(t, "main");
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.a = tree_var(t, "A", type_pointer(s.ir, s.f64));
    s.c = tree_var(t, "C", type_pointer(s.ir, s.f64));
    t->num_aliases = 3;
    vec_push(t->arena, &s.f->params, ((struct tree_param){ .name = "A", .var = s.a }));
    vec_push(t->arena, &s.f->params, ((struct tree_param){ .name = "C", .var = s.c }));
    s.loop = stmt_for(t, s.f->body, tree_var(t, "i", s.i64), expr_i64(t, 0), expr_i64(t, 100), expr_i64(t, 1));
    struct tree_product *p = NEW(t->arena, struct tree_product);
    *p = (struct tree_product){ s.f64, 1, 1, 2, expr_float(t, s.f64, 1), expr_float(t, s.f64, 0) };
    struct tree_expr *i = expr_var(t, s.loop->var), *null = expr_null(t, s.a->type);
    struct tree_expr *rows =
        expr_binary(t, EXPR_SUB, expr_i64(t, 100), expr_binary(t, EXPR_MUL, i, expr_i64(t, fewer)));
    struct tree_expr *from = expr_binary(t, EXPR_MUL, i, expr_i64(t, begin));
    struct tree_expr *column = expr_binary(t, EXPR_MUL, i, expr_i64(t, apart));
    struct tree_expr *to = expr_binary(t, EXPR_MUL, i, expr_i64(t, 100));
    struct tree_expr *one = expr_i64(t, 1), *row = expr_i64(t, 100);
    struct tree_expr *args[] = { expr_context(t),
                                 expr_int(t, type_basic(s.ir, TYPE_I32), 1),
                                 rows,
                                 one,
                                 expr_i64(t, 300),
                                 expr_offset(t, expr_var(t, s.a), from),
                                 one,
                                 row,
                                 expr_offset(t, expr_var(t, s.a), column),
                                 row,
                                 one,
                                 expr_offset(t, expr_var(t, s.c), to),
                                 one,
                                 one,
                                 null,
                                 null };
    s.call = stmt_call(t, s.loop->body, NULL, "sdfg_rt_gemm", args, 16);
    s.call->product = p;
    return s;
}

static const char *shown(struct sample *s)
{
    CHECK(opt_batch_gemv(s->t, &s->options));
    return tree_text(s->t, s->f->body);
}

static bool is_batched(struct sample *s) { return strstr(shown(s), "panel") != NULL; }

/* A triangle: one row less with each column. */
TEST(triangle)
{
    struct sample s = sample_new(1, 1, 1);
    CHECK_STR(shown(&s), "panel = heap float64[6400]\n"
                         "for i#4 = 0 to 100 step 64 {\n"
                         "    stop = min(i#4 + 64, 100)\n"
                         "    sdfg_rt_gemm(context, 1i32, i#4 * -1 + 100, stop - i#4, 300, &A[i#4], 1, 100, &A[i#4], "
                         "100, 1, panel, 1, 100, null, null)\n"
                         "    for i = i#4 to stop step 1 {\n"
                         "        for r = 0 to 100 - i step 1 parallel independent {\n"
                         "            C[i * 100 + r] = panel[(i - i#4) * 100 + (i - i#4) + r]\n"
                         "        }\n"
                         "    }\n"
                         "}\n"
                         "free panel\n");
    CHECK(strstr(remarks_text(s.ir), "is batched: one matrix product for 64 iterations of loop i at a time"));
    ir_free(s.ir);
}

/* The same matrix for all columns, or more of its rows. */
TEST(rectangle)
{
    struct sample s = sample_new(0, 0, 1);
    CHECK(strstr(shown(&s), "sdfg_rt_gemm(context, 1i32, 100, stop - i#4, 300, A, 1, 100, &A[i#4], 100, 1, panel, 1, "
                            "100, null, null)\n"));
    ir_free(s.ir);
    s = sample_new(0, -1, 1);
    CHECK(strstr(shown(&s),
                 "sdfg_rt_gemm(context, 1i32, stop + 99, stop - i#4, 300, A, 1, 100, &A[i#4], 100, 1, panel, "
                 "1, 199, null, null)\n"));
    ir_free(s.ir);
}

/* Rows of the panel that no iteration has are not there to be read. */
TEST(other_shapes_stay)
{
    struct sample begins_later = sample_new(1, 0, 1), ends_earlier = sample_new(0, 1, 1), faster = sample_new(2, 2, 1),
                  same_column = sample_new(1, 1, 0);
    CHECK(!is_batched(&begins_later) && !is_batched(&ends_earlier) && !is_batched(&faster) &&
          !is_batched(&same_column));
    ir_free(begins_later.ir);
    ir_free(ends_earlier.ir);
    ir_free(faster.ir);
    ir_free(same_column.ir);
}

/* An iteration that writes what later ones multiply, leaves early, or may touch anything. */
TEST(operands_are_kept)
{
    struct sample s = sample_new(1, 1, 1);
    stmt_store(s.t, s.loop->body, expr_var(s.t, s.a), expr_var(s.t, s.loop->var), expr_float(s.t, s.f64, 1), 1);
    CHECK(!is_batched(&s));
    CHECK(strstr(remarks_text(s.ir), "stays a matrix-vector product in each iteration of loop i"));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    stmt_store(s.t, s.loop->body, expr_var(s.t, s.c), expr_var(s.t, s.loop->var), expr_float(s.t, s.f64, 1), 0);
    CHECK(!is_batched(&s));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    stmt_new(s.t,
             stmt_if(s.t, s.loop->body, expr_binary(s.t, EXPR_GT, expr_var(s.t, s.loop->var), expr_i64(s.t, 3)))->body,
             STMT_BREAK);
    CHECK(!is_batched(&s));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    struct tree_expr *args[] = { expr_var(s.t, s.c) };
    stmt_call(s.t, s.loop->body, NULL, "unknown", args, 1);
    CHECK(!is_batched(&s));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    stmt_store(s.t, s.loop->body, expr_var(s.t, s.c), expr_var(s.t, s.loop->var), expr_float(s.t, s.f64, 1), 2);
    CHECK(is_batched(&s)); /* of its own result */
    ir_free(s.ir);
}

/* The order of the sums, and few or parallel iterations. */
TEST(left_alone)
{
    struct sample s = sample_new(1, 1, 1);
    s.options.strict_fp = true;
    CHECK(!is_batched(&s));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    s.loop->end = expr_i64(s.t, 10);
    CHECK(!is_batched(&s));
    ir_free(s.ir);
    s = sample_new(1, 1, 1);
    s.loop->loop.parallel = true;
    CHECK(!is_batched(&s));
    ir_free(s.ir);
}

CHECK_MAIN
