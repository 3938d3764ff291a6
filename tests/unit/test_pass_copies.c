#include "lower/opt/passes.h"

#include "tests/unit/check.h"

/* Threads reduce A[i] into H[B[i]]; H has `count` elements. */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *i64, *f64;
    struct tree_expr *h, *a, *b;
    struct tree_var *i;
    struct tree_stmt *region, *loop, *reduce;
};

static struct tree_expr *param(struct sample *s, const char *name, const struct type *elem, int64_t count)
{
    struct tree_var *v = tree_var(s->t, name, type_pointer(s->ir, elem));
    vec_push(s->t->arena, &s->f->params, ((struct tree_param){ .name = name, .var = v, .count = count }));
    return expr_var(s->t, v);
}

static struct sample sample_new(int64_t count, enum wcr_kind wcr, bool varying)
{
    struct sample s = { .ir = ir_new() };
    s.t = tree_new(s.ir, "p");
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.f = tree_func(s.t, "main");
    s.h = param(&s, "H", s.f64, count);
    s.a = param(&s, "A", s.f64, 1000);
    s.b = param(&s, "B", s.i64, 1000);
    s.t->num_aliases = 4;
    s.region = tree_parallel_begin(s.t, s.f->body, expr_i64(s.t, 4));
    s.i = tree_var(s.t, "i", s.i64);
    s.loop = stmt_for(s.t, s.region->body, s.i, expr_i64(s.t, 0), expr_i64(s.t, 250), expr_i64(s.t, 1));
    struct tree_expr *index = expr_load(s.t, s.i64, s.b, varying ? expr_var(s.t, s.i) : expr_i64(s.t, 0), 3);
    if (!varying)
        index = expr_i64(s.t, 2);
    s.reduce =
        stmt_reduce(s.t, s.loop->body, wcr, true, s.h, index, expr_load(s.t, s.f64, s.a, expr_var(s.t, s.i), 2), 1);
    return s;
}

static const char *after(struct sample *s, bool strict)
{
    static char result[2000];
    tree_parallel_end(s->t, s->region);
    opt_array_privatization(s->t, &(struct tree_options){ .strict_fp = strict });
    struct text out = text_new(s->t->arena);
    if (tree_verify(s->t, s->ir->diags))
        stmt_print(s->f->body, 0, &out);
    else
        text_add(&out, diags_get(s->ir->diags, 0)->message);
    snprintf(result, sizeof result, "%s", text_get(&out));
    ir_free(s->ir);
    return result;
}

TEST(copy_of_each_thread)
{
    struct sample s = sample_new(16, WCR_MAX, true);
    CHECK_STR(after(&s, false), "parallel thread of threads = 4 {\n"
                                "    copy = heap float64[16]\n"
                                "    for e = 0 to 16 step 1 {\n"
                                "        copy[e] = -inf\n"
                                "    }\n"
                                "    for i = 0 to 250 step 1 {\n"
                                "        copy[B[i]] max= A[i]\n"
                                "    }\n"
                                "    for e#8 = 0 to 16 step 1 {\n"
                                "        atomic H[e#8] max= copy[e#8]\n"
                                "    }\n"
                                "    free copy\n"
                                "}\n");
}

/* for i = thread to 250 { for j = 0 to n { atomic H[j + i * by] += A[i] } } */
static const char *swept(int64_t count, int64_t n, int64_t by)
{
    struct sample s = sample_new(count, WCR_SUM, false);
    s.loop->begin = expr_var(s.t, s.region->var);
    struct tree_var *j = tree_var(s.t, "j", s.i64);
    struct tree_stmt *inner = stmt_for(s.t, s.loop->body, j, expr_i64(s.t, 0), expr_i64(s.t, n), expr_i64(s.t, 1));
    struct tree_expr *row = expr_binary(s.t, EXPR_MUL, expr_var(s.t, s.i), expr_i64(s.t, by));
    stmt_append(s.t, inner->body, s.reduce);
    s.loop->body->items.items[0] = inner;
    s.loop->body->items.count = 1;
    s.reduce->index = expr_binary(s.t, EXPR_ADD, expr_var(s.t, j), row);
    return after(&s, false);
}

/* Every iteration of i adds to the same elements. */
TEST(copy_of_what_every_iteration_runs_through)
{
    const char *text = swept(20000, 20000, 0);
    CHECK(strstr(text, "copy = heap float64[20000]\n"));
    CHECK(strstr(text, "            copy[j] += A[i]\n"));
    CHECK(strstr(text, "atomic H[e#9] += copy[e#9]\n") || strstr(text, "atomic H[e#10] += copy[e#10]\n"));
    CHECK(!strstr(swept(20000, 4000, 0), "copy"));      /* a small part */
    CHECK(!strstr(swept(20000, 80, 80), "copy"));       /* each its own */
    CHECK(!strstr(swept(1 << 20, 1 << 20, 0), "copy")); /* too large to have twice */
}

TEST(left_alone)
{
    struct sample large = sample_new(5000, WCR_SUM, true);
    CHECK(!strstr(after(&large, false), "copy"));
    struct sample unknown = sample_new(0, WCR_SUM, true);
    CHECK(!strstr(after(&unknown, false), "copy"));
    struct sample ordered = sample_new(16, WCR_SUM, true);
    CHECK(!strstr(after(&ordered, true), "copy"));
    struct sample fixed = sample_new(16, WCR_SUM, false); /* the privatize pass does better */
    CHECK(!strstr(after(&fixed, false), "copy"));
    struct sample read = sample_new(16, WCR_SUM, true);
    stmt_store(read.t, read.loop->body, read.a, expr_i64(read.t, 0),
               expr_load(read.t, read.f64, read.h, expr_i64(read.t, 0), 1), 2);
    CHECK(!strstr(after(&read, false), "copy"));
    struct sample mixed = sample_new(16, WCR_SUM, true);
    stmt_reduce(mixed.t, mixed.loop->body, WCR_MAX, true, mixed.h, expr_var(mixed.t, mixed.i),
                expr_float(mixed.t, mixed.f64, 1), 1);
    CHECK(!strstr(after(&mixed, false), "copy"));
}

CHECK_MAIN
