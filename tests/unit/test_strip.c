/* Trees before and after the passes prove and strip. */
#include "tests/unit/tree_rows.h"

/* ---- prove ---- */

/* for i { for j { A[i * 40 + j] = A[i * 40 + j + shift] } } */
static bool is_proven(int64_t width, int64_t shift)
{
    struct sample s = sample_new();
    struct tree_stmt *i = loop(&s, s.f->body, "i", 0, 60), *j = loop(&s, i->body, "j", 0, width);
    store(&s, j->body, s.a, at(&s, i, 40, j, 1, 0), load(&s, s.a, at(&s, i, 40, j, 1, shift)));
    opt_prove_parallel(s.t, &s.options);
    shown(&s);
    bool proven = i->loop.independent;
    CHECK(proven == i->loop.parallel);
    ir_free(s.ir);
    return proven;
}

TEST(rows_are_independent)
{
    CHECK(is_proven(40, 0));
    CHECK(is_proven(39, 1));
    CHECK(!is_proven(41, 0)); /* the next row */
    CHECK(!is_proven(40, 1));
    CHECK(!is_proven(40, 40));
}

/* Columns: places are 1 apart, rows 40. */
TEST(columns_are_independent)
{
    for (int64_t width = 40; width <= 41; width++) {
        struct sample s = sample_new();
        struct tree_stmt *j = loop(&s, s.f->body, "j", 0, width), *i = loop(&s, j->body, "i", 0, 60);
        store(&s, i->body, s.a, at(&s, i, 40, j, 1, 40), load(&s, s.a, at(&s, i, 40, j, 1, 0)));
        opt_prove_parallel(s.t, &s.options);
        CHECK(j->loop.independent == (width == 40));
        CHECK(!i->loop.independent);
        ir_free(s.ir);
    }
}

/* A[i * 12 + j + k * plane]: rows of planes. */
TEST(rows_of_planes_are_independent)
{
    for (int64_t plane = 120; plane >= 119; plane--) {
        struct sample s = sample_new();
        struct tree_stmt *i = loop(&s, s.f->body, "i", 0, 10), *j = loop(&s, i->body, "j", 0, 12),
                         *k = loop(&s, j->body, "k", 0, 8);
        struct tree_expr *deep = expr_binary(s.t, EXPR_MUL, expr_var(s.t, k->var), expr_i64(s.t, plane));
        store(&s, k->body, s.a, expr_binary(s.t, EXPR_ADD, at(&s, i, 12, j, 1, 0), deep), expr_float(s.t, s.f64, 1));
        opt_prove_parallel(s.t, &s.options);
        CHECK(i->loop.independent == (plane == 120));
        ir_free(s.ir);
    }
}

/* for i { for j = i + from to 40 { for k = 0 to i + to { A[i, j] = A[i, k] * A[k, j] } } }: left of the diagonal, above
 * it, and both read what is right of it and below. */
static bool is_triangle_proven(int64_t from, int64_t to, bool around)
{
    struct sample s = sample_new();
    struct tree_stmt *i = loop(&s, s.f->body, "i", 0, 40), *j = loop(&s, i->body, "j", 0, 40),
                     *k = loop(&s, j->body, "k", 0, 40);
    j->begin = expr_binary(s.t, EXPR_ADD, expr_var(s.t, i->var), expr_i64(s.t, from));
    k->end = expr_binary(s.t, EXPR_ADD, expr_var(s.t, i->var), expr_i64(s.t, to));
    if (around) /* not the loop around: a value that nobody knows */
        k->end = expr_cast(s.t, s.i64, load(&s, s.b, expr_var(s.t, i->var)));
    struct tree_expr *product =
        expr_binary(s.t, EXPR_MUL, load(&s, s.a, at(&s, i, 40, k, 1, 0)), load(&s, s.a, at(&s, k, 40, j, 1, 0)));
    store(&s, k->body, s.a, at(&s, i, 40, j, 1, 0), product);
    opt_prove_parallel(s.t, &s.options);
    shown(&s);
    bool proven = j->loop.independent;
    CHECK(!i->loop.independent);
    ir_free(s.ir);
    return proven;
}

TEST(triangles)
{
    CHECK(is_triangle_proven(0, 0, false));
    CHECK(is_triangle_proven(3, 3, false));
    CHECK(!is_triangle_proven(0, 1, false)); /* reads the diagonal, which is written */
    CHECK(!is_triangle_proven(-1, 0, false));
    CHECK(!is_triangle_proven(0, 0, true));
}

TEST(variables_that_go_on_are_not_independent)
{
    struct sample s = sample_new();
    struct tree_var *sum = tree_var(s.t, "sum", s.f64);
    stmt_assign(s.t, s.f->body, sum, expr_float(s.t, s.f64, 0));
    struct tree_stmt *i = loop(&s, s.f->body, "i", 0, 60);
    struct tree_expr *more = load(&s, s.a, expr_var(s.t, i->var));
    stmt_assign(s.t, i->body, sum, expr_binary(s.t, EXPR_ADD, expr_var(s.t, sum), more));
    store(&s, s.f->body, s.b, expr_i64(s.t, 0), expr_var(s.t, sum));
    opt_prove_parallel(s.t, &s.options);
    CHECK(!i->loop.independent);
    ir_free(s.ir);
}

/* ---- strip ---- */

/* for j { sum = 0; for i { sum = sum + A[i * rows + j * columns] }; B[j] = sum } */
static const char *summed(struct sample *s, int64_t rows, int64_t columns, bool independent)
{
    struct tree_var *sum = tree_var(s->t, "sum", s->f64);
    struct tree_stmt *j = loop(s, s->f->body, "j", 0, 100);
    stmt_assign(s->t, j->body, sum, expr_float(s->t, s->f64, 0));
    struct tree_stmt *i = loop(s, j->body, "i", 0, 20);
    struct tree_expr *x = expr_binary(s->t, EXPR_MUL, expr_var(s->t, i->var), expr_i64(s->t, rows));
    struct tree_expr *y = expr_binary(s->t, EXPR_MUL, expr_var(s->t, j->var), expr_i64(s->t, columns));
    struct tree_expr *more = load(s, s->a, expr_binary(s->t, EXPR_ADD, x, y));
    stmt_assign(s->t, i->body, sum, expr_binary(s->t, EXPR_ADD, expr_var(s->t, sum), more));
    store(s, j->body, s->b, expr_var(s->t, j->var), expr_var(s->t, sum));
    j->loop.independent = independent;
    opt_strip_mine(s->t, &s->options);
    return shown(s);
}

TEST(sums_of_columns_become_vectors)
{
    struct sample s = sample_new();
    CHECK_STR(summed(&s, 100, 1, true), "for j#5 = 0 to 100 step 64 independent {\n"
                                        "    stop = min(j#5 + 64, 100)\n"
                                        "    sum#7 = stack float64[64]\n"
                                        "    for j#8 = j#5 to stop step 1 independent {\n"
                                        "        sum#7[j#8 - j#5] = 0.0\n"
                                        "    }\n"
                                        "    for i = 0 to 20 step 1 {\n"
                                        "        for j#9 = j#5 to stop step 1 independent {\n"
                                        "            sum#7[j#9 - j#5] = sum#7[j#9 - j#5] + A[i * 100 + j#9]\n"
                                        "        }\n"
                                        "    }\n"
                                        "    for j#10 = j#5 to stop step 1 independent {\n"
                                        "        B[j#10] = sum#7[j#10 - j#5]\n"
                                        "    }\n"
                                        "}\n");
    ir_free(s.ir);
}

TEST(strips_need_independence_and_gain)
{
    struct sample s = sample_new();
    const char *text = summed(&s, 1, 20, true);
    CHECK(strstr(text, "step 64") == NULL); /* rows: the inner loop is even already */
    ir_free(s.ir);
    s = sample_new();
    text = summed(&s, 100, 1, false);
    CHECK(strstr(text, "step 64") == NULL);
    ir_free(s.ir);
}

/* for k { a = B[k]; for j { A[j * rows + k + 1] = a * A[j * rows + k] } } */
static const char *turned(struct sample *s, int64_t rows)
{
    struct tree_var *a = tree_var(s->t, "a", s->f64);
    struct tree_stmt *k = loop(s, s->f->body, "k", 0, 29);
    stmt_assign(s->t, k->body, a, load(s, s->b, expr_var(s->t, k->var)));
    struct tree_stmt *j = loop(s, k->body, "j", 0, 40);
    j->loop.independent = true;
    store(s, j->body, s->a, at(s, j, rows, k, 1, 1),
          expr_binary(s->t, EXPR_MUL, expr_var(s->t, a), load(s, s->a, at(s, j, rows, k, 1, 0))));
    opt_strip_mine(s->t, &s->options);
    return shown(s);
}

TEST(loops_are_turned_around_first)
{
    struct sample s = sample_new();
    CHECK_STR(turned(&s, 30), "for j#7 = 0 to 40 step 64 independent {\n"
                              "    stop = min(j#7 + 64, 40)\n"
                              "    for k = 0 to 29 step 1 {\n"
                              "        a = B[k]\n"
                              "        for j#9 = j#7 to stop step 1 independent {\n"
                              "            A[j#9 * 30 + k + 1] = a * A[j#9 * 30 + k]\n"
                              "        }\n"
                              "    }\n"
                              "}\n");
    ir_free(s.ir);
    s = sample_new();
    CHECK(strstr(turned(&s, 20), "step 64") == NULL); /* rows overlap */
    ir_free(s.ir);
}

/* for j { sum = 0; for i { sum = sum + A[i * by] * j }; B[j] = sum } */
static const char *swept(struct sample *s, int64_t length, int64_t by)
{
    struct tree_var *sum = tree_var(s->t, "sum", s->f64);
    struct tree_stmt *j = loop(s, s->f->body, "j", 0, 100);
    stmt_assign(s->t, j->body, sum, expr_float(s->t, s->f64, 0));
    struct tree_stmt *i = loop(s, j->body, "i", 0, length);
    struct tree_expr *x = load(s, s->a, expr_binary(s->t, EXPR_MUL, expr_var(s->t, i->var), expr_i64(s->t, by)));
    x = expr_binary(s->t, EXPR_MUL, x, expr_cast(s->t, s->f64, expr_var(s->t, j->var)));
    stmt_assign(s->t, i->body, sum, expr_binary(s->t, EXPR_ADD, expr_var(s->t, sum), x));
    store(s, j->body, s->b, expr_var(s->t, j->var), expr_var(s->t, sum));
    j->loop.independent = true;
    opt_strip_mine(s->t, &s->options);
    return shown(s);
}

TEST(data_of_all_iterations_goes_by_in_blocks)
{
    struct sample s = sample_new();
    CHECK_STR(swept(&s, 131072, 1), "for j#5 = 0 to 100 step 64 independent {\n"
                                    "    stop = min(j#5 + 64, 100)\n"
                                    "    sum#7 = stack float64[64]\n"
                                    "    for j#8 = j#5 to stop step 1 independent {\n"
                                    "        sum#7[j#8 - j#5] = 0.0\n"
                                    "    }\n"
                                    "    for i#9 = 0 to 131072 step 4096 {\n"
                                    "        for j#10 = j#5 to stop step 1 independent {\n"
                                    "            sum = sum#7[j#10 - j#5]\n"
                                    "            for i = i#9 to min(i#9 + 4096, 131072) step 1 {\n"
                                    "                sum = sum + A[i] * float64(j#10)\n"
                                    "            }\n"
                                    "            sum#7[j#10 - j#5] = sum\n"
                                    "        }\n"
                                    "    }\n"
                                    "    for j#11 = j#5 to stop step 1 independent {\n"
                                    "        B[j#11] = sum#7[j#11 - j#5]\n"
                                    "    }\n"
                                    "}\n");
    ir_free(s.ir);
}

/* Data that stays in cache is left alone, and so is data that is not read evenly. */
TEST(blocks_need_much_data)
{
    struct sample s = sample_new();
    CHECK(strstr(swept(&s, 131071, 1), "step 64") == NULL);
    ir_free(s.ir);
    s = sample_new();
    CHECK(strstr(swept(&s, 131072, 2), "step 64") == NULL);
    ir_free(s.ir);
}

/* for j { M = 0; for i { M = M + A[i] }; B[j] = M[0] } with memory of an iteration in place of the variable */
TEST(memory_is_brought_to_blocks)
{
    struct sample s = sample_new();
    struct tree_stmt *j = loop(&s, s.f->body, "j", 0, 100);
    struct tree_var *m = tree_var(s.t, "M", type_pointer(s.ir, s.f64));
    struct tree_expr *zero = expr_i64(s.t, 0);
    stmt_alloc(s.t, j->body, m, s.f64, expr_i64(s.t, 1), TREE_STACK)->alias = 3;
    stmt_store(s.t, j->body, expr_var(s.t, m), zero, expr_float(s.t, s.f64, 0), 3);
    struct tree_stmt *i = loop(&s, j->body, "i", 0, 131072);
    stmt_reduce(s.t, i->body, WCR_SUM, false, expr_var(s.t, m), zero, load(&s, s.a, expr_var(s.t, i->var)), 3);
    store(&s, j->body, s.b, expr_var(s.t, j->var), expr_load(s.t, s.f64, expr_var(s.t, m), zero, 3));
    j->loop.independent = true;
    opt_strip_mine(s.t, &s.options);
    const char *text = shown(&s);
    CHECK(strstr(text, "[0] = M[") != NULL && strstr(text, " = M#") != NULL);
    CHECK(strstr(text, "[0] += A[i]\n") != NULL);
    CHECK(strstr(text, "M = stack float64[64]\n") != NULL);
    ir_free(s.ir);
}

/* for j { sum = 0; for i { M = 0; M = M + A[i]; sum = sum + M[0] }; B[j] = sum }: memory of an iteration of i is that
 * of j, and is taken once. */
TEST(memory_inside_of_blocks)
{
    struct sample s = sample_new();
    struct tree_var *sum = tree_var(s.t, "sum", s.f64), *m = tree_var(s.t, "M", type_pointer(s.ir, s.f64));
    struct tree_stmt *j = loop(&s, s.f->body, "j", 0, 100);
    struct tree_expr *zero = expr_i64(s.t, 0);
    stmt_assign(s.t, j->body, sum, expr_float(s.t, s.f64, 0));
    struct tree_stmt *i = loop(&s, j->body, "i", 0, 131072);
    stmt_alloc(s.t, i->body, m, s.f64, expr_i64(s.t, 1), TREE_STACK)->alias = 3;
    stmt_store(s.t, i->body, expr_var(s.t, m), zero, expr_float(s.t, s.f64, 0), 3);
    stmt_reduce(s.t, i->body, WCR_SUM, false, expr_var(s.t, m), zero, load(&s, s.a, expr_var(s.t, i->var)), 3);
    struct tree_expr *term = expr_load(s.t, s.f64, expr_var(s.t, m), zero, 3);
    stmt_assign(s.t, i->body, sum, expr_binary(s.t, EXPR_ADD, expr_var(s.t, sum), term));
    store(&s, j->body, s.b, expr_var(s.t, j->var), expr_var(s.t, sum));
    j->loop.independent = true;
    opt_strip_mine(s.t, &s.options);
    const char *text = shown(&s), *taken = strstr(text, "M = stack float64[64]\n");
    CHECK(taken && !strstr(taken + 1, "M = stack"));
    ir_free(s.ir);
}

/* ---- what is said of it ---- */

TEST(remarks_tell_of_blocks)
{
    struct sample s = sample_new();
    swept(&s, 131072, 1);
    CHECK_STR(remarks_text(s.ir),
              "done   strip       loop j: is blocked by 64 iterations: the data that all of its iterations "
              "read stays in the cache\n");
    ir_free(s.ir);
}

TEST(remarks_tell_of_strips)
{
    struct sample s = sample_new();
    summed(&s, 100, 1, true);
    CHECK_STR(
        remarks_text(s.ir),
        "done   strip       loop j: is strip-mined by 64 iterations and interchanged to the inside, where accesses "
        "have unit stride\n");
    ir_free(s.ir);
}

/* The inner loop ends at i + 1 in one iteration and at another place in the next. */
TEST(remarks_tell_what_stands_against_strips)
{
    struct sample s = sample_new();
    struct tree_stmt *j = loop(&s, s.f->body, "j", 0, 100), *i = loop(&s, j->body, "i", 0, 20);
    struct tree_expr *here = at(&s, i, 100, j, 1, 0);
    j->loop.independent = true;
    i->end = expr_load(s.t, s.i64, expr_var(s.t, s.b), expr_var(s.t, j->var), 2);
    store(&s, i->body, s.a, here, load(&s, s.a, here));
    opt_strip_mine(s.t, &s.options);
    CHECK_STR(
        remarks_text(s.ir),
        "missed strip       loop j: would have unit-stride accesses if it were strip-mined, but conditions, calls or "
        "bounds in it differ from iteration to iteration\n");
    ir_free(s.ir);
}

TEST(remarks_tell_of_dependences)
{
    struct sample s = sample_new();
    struct tree_stmt *i = loop(&s, s.f->body, "i", 0, 60);
    store(&s, i->body, s.a, expr_binary(s.t, EXPR_ADD, expr_var(s.t, i->var), expr_i64(s.t, 1)),
          load(&s, s.a, expr_var(s.t, i->var)));
    struct tree_stmt *k = loop(&s, s.f->body, "k", 0, 60);
    store(&s, k->body, s.b, expr_var(s.t, k->var), expr_float(s.t, s.f64, 1));
    opt_prove_parallel(s.t, &s.options);
    CHECK_STR(remarks_text(s.ir),
              "missed independent loop i: stays sequential: one iteration writes A[i + 1], another one reads A[i]\n"
              "done   independent loop k: has independent iterations\n");
    ir_free(s.ir);
}

CHECK_MAIN
