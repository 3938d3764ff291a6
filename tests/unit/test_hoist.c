/* Trees before and after the pass hoist. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_product.h"
#include "lower/tree/tree_rewrite.h"

#include "tests/unit/tree_sample.h"

#include <string.h>

enum { SIZE = 100 };

/* for t = 0 to 10 { for i { T[i] = exp(A[i]) }; for j { B[j] = B[j] + T[j] } } */
struct loops {
    struct sample s;
    struct array a, b, t;
    struct tree_stmt *steps, *first, *second;
};

static struct tree_expr *power(struct sample *s, struct tree_expr *e) { return expr_math(s->t, TREE_MATH_exp, &e); }

static struct loops loops_new(void)
{
    struct loops l = { .s = sample_new() };
    struct sample *s = &l.s;
    s->t->num_aliases = 1;
    l.a = array_new(s, "A");
    l.b = array_new(s, "B");
    l.t = array_new(s, "T");
    l.steps = loop(s, s->body, "t", i64(s, 0), i64(s, 10));
    l.first = loop(s, l.steps->body, "i", i64(s, 0), i64(s, SIZE));
    l.second = loop(s, l.steps->body, "j", i64(s, 0), i64(s, SIZE));
    l.steps->loop.independent = false;
    struct tree_expr *i = var(s, l.first->var), *j = var(s, l.second->var);
    store(s, l.first->body, l.t, i, power(s, load(s, l.a, i)));
    store(s, l.second->body, l.b, j, plus(s, load(s, l.b, j), load(s, l.t, j)));
    return l;
}

static const char *after(struct loops *l)
{
    CHECK(opt_licm(l->s.t, &l->s.options));
    return shown(&l->s);
}

/* Gives the tree back. */
static bool goes(struct loops *l)
{
    const char *text = after(l);
    bool in_front = strstr(text, "exp(") < strstr(text, "for t");
    ir_free(l->s.ir);
    return in_front;
}

TEST(in_front)
{
    struct loops l = loops_new();
    CHECK_STR(after(&l), "for i = 0 to 100 step 1 independent {\n"
                         "    T[i] = exp(A[i])\n"
                         "}\n"
                         "for t = 0 to 10 step 1 {\n"
                         "    for j = 0 to 100 step 1 independent {\n"
                         "        B[j] = B[j] + T[j]\n"
                         "    }\n"
                         "}\n");
    CHECK(strstr(remarks_text(l.s.ir), "loop i: is hoisted out of loop t: it is loop-invariant\n"));
    ir_free(l.s.ir);
}

/* A loop that may not run at all. */
TEST(under_a_condition)
{
    struct loops l = loops_new();
    l.steps->end = l.s.n;
    CHECK(strstr(after(&l), "if 0 < N {\n    for i = 0 to 100 step 1 independent {\n"));
    ir_free(l.s.ir);
    l = loops_new();
    l.steps->kind = STMT_WHILE;
    l.steps->value = expr_binary(l.s.t, EXPR_GT, load(&l.s, l.b, i64(&l.s, 0)), expr_float(l.s.t, l.s.f64, 0));
    CHECK(strstr(after(&l), "if B[0] > 0.0 {\n    for i = 0 to 100 step 1 independent {\n"));
    ir_free(l.s.ir);
    l = loops_new();
    l.steps->kind = STMT_DO;
    l.steps->value = expr_binary(l.s.t, EXPR_GT, load(&l.s, l.b, i64(&l.s, 0)), expr_float(l.s.t, l.s.f64, 0));
    CHECK(!strncmp(after(&l), "for i = 0 to 100 step 1 independent {\n", strlen("for i = 0")));
    ir_free(l.s.ir);
    l = loops_new(); /* the condition needs it */
    l.steps->kind = STMT_WHILE;
    l.steps->value = expr_binary(l.s.t, EXPR_GT, load(&l.s, l.t, i64(&l.s, 0)), expr_float(l.s.t, l.s.f64, 0));
    CHECK(!strstr(after(&l), "if "));
    ir_free(l.s.ir);
}

TEST(out_of_two_loops)
{
    struct loops l = loops_new();
    struct sample *s = &l.s;
    struct tree_stmt *outer = loop(s, stmt_block(s->t), "r", i64(s, 0), i64(s, 3)),
                     *steps = NEW(s->t->arena, struct tree_stmt);
    outer->loop.independent = false;
    *steps = *l.steps;
    stmt_append(s->t, outer->body, steps);
    *l.steps = *outer;
    const char *text = after(&l);
    CHECK(strstr(text, "exp(") < strstr(text, "for r"));
    ir_free(s->ir);
}

/* T = A A with the factors 1 and `beta`, which lie in the loop. */
static struct loops with_product(double beta)
{
    struct loops l = loops_new();
    struct sample *s = &l.s;
    struct tree_stmt *b = stmt_block(s->t);
    struct tree_expr *ten = i64(s, 10), *one = i64(s, 1);
    struct tree_matrix a = { var(s, l.a.var), ten, one, l.a.alias }, t = { var(s, l.t.var), ten, one, l.t.alias };
    stmt_product(s->t, b,
                 &(struct tree_product_of){ s->f64, ten, ten, ten, a, a, t, expr_float(s->t, s->f64, 1),
                                            expr_float(s->t, s->f64, beta) });
    l.steps->body->items.items[0] = b;
    stmt_flatten(s->t, s->body);
    return l;
}

TEST(products)
{
    struct loops l = with_product(0);
    const char *text = after(&l);
    CHECK(strstr(text, "sdfg_rt_gemm(") < strstr(text, "for t") && !strstr(strstr(text, "for t"), "sdfg_rt_gemm"));
    ir_free(l.s.ir);
    l = with_product(2); /* adds to what it was */
    text = after(&l);
    CHECK(strstr(text, "sdfg_rt_gemm(") > strstr(text, "for t"));
    ir_free(l.s.ir);
}

TEST(not_the_same)
{
    struct loops l = loops_new();
    struct sample *s = &l.s;
    CHECK(goes(&l));
    l = loops_new(); /* the number of the iteration */
    struct tree_stmt *st = l.first->body->items.items[0];
    st->value = plus(s, st->value, expr_cast(s->t, s->f64, var(s, l.steps->var)));
    CHECK(!goes(&l));
    l = loops_new(); /* what a later item changes */
    store(s, l.steps->body, l.a, i64(s, 3), expr_float(s->t, s->f64, 1));
    CHECK(!goes(&l));
    l = loops_new(); /* the result is changed */
    store(s, l.steps->body, l.t, i64(s, 3), expr_float(s->t, s->f64, 1));
    CHECK(!goes(&l));
    l = loops_new(); /* the result depends on what it was */
    st = l.first->body->items.items[0];
    st->value = power(s, load(s, l.t, var(s, l.first->var)));
    CHECK(!goes(&l));
    l = loops_new(); /* the result is used before */
    struct tree_stmt **items = l.steps->body->items.items, *first = items[0];
    items[0] = items[1];
    items[1] = first;
    CHECK(!goes(&l));
    l = loops_new(); /* any memory may change */
    struct tree_expr *args[] = { var(s, l.b.var) };
    stmt_call(s->t, l.steps->body, NULL, "unknown", args, 1);
    CHECK(!goes(&l));
    l = loops_new(); /* the loop is left before */
    stmt_new(s->t, stmt_if(s->t, l.steps->body, expr_binary(s->t, EXPR_GT, s->n, i64(s, 3)))->body, STMT_BREAK);
    CHECK(!goes(&l));
    l = loops_new(); /* threads would meet in front of it */
    l.steps->loop.parallel = true;
    CHECK(!goes(&l));
}

TEST(values_that_live_on)
{
    struct loops l = loops_new();
    struct sample *s = &l.s;
    struct tree_var *x = tree_var(s->t, "x", s->f64);
    stmt_assign(s->t, l.first->body, x, load(s, l.a, i64(s, 0)));
    store(s, s->body, l.a, i64(s, 0), var(s, x));
    CHECK(!goes(&l));
}

/* Work that costs less than loading what it makes. */
TEST(little_work)
{
    struct loops l = loops_new();
    struct sample *s = &l.s;
    struct tree_stmt *st = l.first->body->items.items[0];
    st->value = plus(s, load(s, l.a, var(s, l.first->var)), expr_float(s->t, s->f64, 1));
    const char *text = after(&l);
    CHECK(strstr(text, "for i") > strstr(text, "for t"));
    ir_free(s->ir);
}

CHECK_MAIN
