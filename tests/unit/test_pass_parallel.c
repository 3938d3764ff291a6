#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

#include "tests/unit/check.h"

/* A program with an array A, a size N and one loop over i; tests fill the body. */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *i64, *f64;
    struct tree_var *a, *n, *i;
    struct tree_stmt *loop;
};

static struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new() };
    s.t = tree_new(s.ir, "p");
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.f = tree_func(s.t, "main");
    s.a = tree_var(s.t, "A", type_pointer(s.ir, s.f64));
    s.n = tree_var(s.t, "N", s.i64);
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "A", .var = s.a, .alias = 1 }));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "N", .var = s.n, .by_value = true }));
    s.t->num_aliases = 2;
    s.i = tree_var(s.t, "i", s.i64);
    s.loop = stmt_for(s.t, s.f->body, s.i, expr_i64(s.t, 0), expr_var(s.t, s.n), expr_i64(s.t, 1));
    s.loop->loop.parallel = s.loop->loop.independent = true;
    return s;
}

/* A[i] = A[i] * 2 */
static void fill(const struct sample *s, struct tree_stmt *b, struct tree_var *i)
{
    struct tree_expr *index = expr_var(s->t, i), *a = expr_var(s->t, s->a);
    struct tree_expr *value = expr_load(s->t, s->f64, a, index, 1);
    stmt_store(s->t, b, a, index, expr_binary(s->t, EXPR_MUL, value, expr_float(s->t, s->f64, 2)), 1);
}

static const char *body_text(const struct sample *s)
{
    struct text out = text_new(s->t->arena);
    stmt_print(s->f->body, 0, &out);
    return text_get(&out);
}

static const char *after(const struct sample *s, int num_threads)
{
    opt_parallelize(s->t, &(struct tree_options){ .num_threads = num_threads });
    if (!tree_verify(s->t, s->ir->diags))
        return diags_get(s->ir->diags, 0)->message;
    return body_text(s);
}

TEST(static_schedule)
{
    struct sample s = sample_new();
    fill(&s, s.loop->body, s.i);
    CHECK_STR(body_text(&s), "for i = 0 to N step 1 parallel independent {\n"
                             "    A[i] = A[i] * 2.0\n"
                             "}\n");
    CHECK_STR(after(&s, 0), "count = max(N, 0)\n"
                            "small = count < 2 || min(count, 1048576) * 3 < 131072\n"
                            "if !small {\n"
                            "    sleep = sdfg_rt_threads_sleep(context)\n"
                            "    small = sleep != 0 && min(count, 1048576) * 3 < 4194304\n"
                            "}\n"
                            "parallel thread of threads = small ? 1 : 0 {\n"
                            "    share = count / threads\n"
                            "    rest = count % threads\n"
                            "    first = thread * share + min(thread, rest)\n"
                            "    last = first + share + int64(thread < rest)\n"
                            "    for i = first to last step 1 independent {\n"
                            "        A[i] = A[i] * 2.0\n"
                            "    }\n"
                            "}\n");
    CHECK(s.i->owner != NULL);
    ir_free(s.ir);
}

TEST(steps_and_variable_begin)
{
    struct sample s = sample_new();
    s.loop->begin = expr_binary(s.t, EXPR_ADD, expr_var(s.t, s.n), expr_i64(s.t, 1));
    s.loop->end = expr_i64(s.t, 1000000);
    s.loop->step = expr_i64(s.t, 3);
    s.loop->loop.num_threads = 4;
    fill(&s, s.loop->body, s.i);
    CHECK_STR(after(&s, 0), "begin = N + 1\n"
                            "count = max((1000000 - begin + 2) / 3, 0)\n"
                            "small = count < 2 || min(count, 1048576) * 3 < 131072\n"
                            "if !small {\n"
                            "    sleep = sdfg_rt_threads_sleep(context)\n"
                            "    small = sleep != 0 && min(count, 1048576) * 3 < 4194304\n"
                            "}\n"
                            "parallel thread of threads = small ? 1 : 4 {\n"
                            "    share = count / threads\n"
                            "    rest = count % threads\n"
                            "    first = thread * share + min(thread, rest)\n"
                            "    last = first + share + int64(thread < rest)\n"
                            "    for i = begin + first * 3 to begin + last * 3 step 3 independent {\n"
                            "        A[i] = A[i] * 2.0\n"
                            "    }\n"
                            "}\n");
    ir_free(s.ir);
}

/* for i = 0 to rows { for j = from to N { A[i * N + j] = A[i * N + j] * 2 } } */
static struct tree_stmt *rows(struct sample *s, int64_t rows, struct tree_expr *from)
{
    s->loop->end = expr_i64(s->t, rows);
    struct tree_stmt *inner =
        stmt_for(s->t, s->loop->body, tree_var(s->t, "j", s->i64), from, expr_var(s->t, s->n), expr_i64(s->t, 1));
    inner->loop.independent = true;
    struct tree_expr *index =
        expr_binary(s->t, EXPR_ADD, expr_binary(s->t, EXPR_MUL, expr_var(s->t, s->i), expr_var(s->t, s->n)),
                    expr_var(s->t, inner->var));
    struct tree_expr *a = expr_var(s->t, s->a), *value = expr_load(s->t, s->f64, a, index, 1);
    stmt_store(s->t, inner->body, a, index, expr_binary(s->t, EXPR_MUL, value, expr_float(s->t, s->f64, 2)), 1);
    return inner;
}

TEST(few_rows_are_shared_out_with_their_columns)
{
    struct sample s = sample_new();
    s.loop->begin = expr_i64(s.t, 5);
    s.loop->step = expr_i64(s.t, 2);
    rows(&s, 11, expr_i64(s.t, 3))->step = expr_i64(s.t, 4);
    CHECK_STR(after(&s, 0),
              "count = max(N / 4, 0)\n"
              "count#6 = count * 3\n"
              "small = count#6 < 2 || min(count#6, 1048576) * 3 < 131072\n"
              "if !small {\n"
              "    sleep = sdfg_rt_threads_sleep(context)\n"
              "    small = sleep != 0 && min(count#6, 1048576) * 3 < 4194304\n"
              "}\n"
              "parallel thread of threads = small ? 1 : 0 {\n"
              "    share = count#6 / threads\n"
              "    rest = count#6 % threads\n"
              "    first = thread * share + min(thread, rest)\n"
              "    last = first + share + int64(thread < rest)\n"
              "    for i = first / max(count, 1) * 2 + 5 to (last + max(count, 1) - 1) / max(count, 1) * 2 + 5 step 2 "
              "independent {\n"
              "        past = (i - 5) / 2 * count\n"
              "        for j = max(first - past, 0) * 4 + 3 to min(last - past, count) * 4 + 3 step 4 independent {\n"
              "            A[i * N + j] = A[i * N + j] * 2.0\n"
              "        }\n"
              "    }\n"
              "}\n");
    ir_free(s.ir);
}

TEST(rows_that_are_shared_out_alone)
{
    struct sample s = sample_new();
    rows(&s, 64, expr_i64(s.t, 0)); /* enough of them */
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
    s = sample_new();
    rows(&s, 3, expr_var(s.t, s.i)); /* a triangle */
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
    s = sample_new();
    struct tree_stmt *inner = rows(&s, 3, expr_i64(s.t, 0)); /* columns that meet */
    inner->body->items.items[0]->index = expr_var(s.t, s.i);
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
    s = sample_new();
    rows(&s, 3, expr_i64(s.t, 0))->loop.independent = false;
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
    s = sample_new();
    rows(&s, 3, expr_i64(s.t, 0)); /* more than one loop in a row */
    fill(&s, s.loop->body, s.i);
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
    s = sample_new();
    rows(&s, 3, expr_i64(s.t, 0));
    s.loop->loop.omp = TREE_OMP_DYNAMIC;
    CHECK(!strstr(after(&s, 0), "past"));
    ir_free(s.ir);
}

TEST(dynamic_schedule)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 100000);
    s.loop->loop.omp = TREE_OMP_DYNAMIC;
    s.loop->loop.chunk = 8;
    fill(&s, s.loop->body, s.i);
    CHECK_STR(after(&s, 0), "sleep = sdfg_rt_threads_sleep(context)\n"
                            "counter = stack int64[1]\n"
                            "counter[0] = 0\n"
                            "parallel thread of threads = sleep != 0 ? 1 : 0 {\n"
                            "    first = sdfg_rt_next(counter, 8, 100000, 0)\n"
                            "    while first < 100000 {\n"
                            "        last = first + min(8, 100000 - first)\n"
                            "        for i = first to last step 1 independent {\n"
                            "            A[i] = A[i] * 2.0\n"
                            "        }\n"
                            "        first = sdfg_rt_next(counter, 8, 100000, 0)\n"
                            "    }\n"
                            "}\n");
    ir_free(s.ir);
}

TEST(guided_schedule)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 100000);
    s.loop->loop.omp = TREE_OMP_GUIDED;
    fill(&s, s.loop->body, s.i);
    CHECK(strstr(after(&s, 0), "first = sdfg_rt_next(counter, 1, 100000, threads)\n"
                               "    while first < 100000 {\n"
                               "        last = first + min(max(1, (100000 - first) / threads), 100000 - first)\n"));
    ir_free(s.ir);
}

TEST(static_chunks)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 100000);
    s.loop->loop.chunk = 16;
    fill(&s, s.loop->body, s.i);
    CHECK_STR(after(&s, 0), "sleep = sdfg_rt_threads_sleep(context)\n"
                            "parallel thread of threads = sleep != 0 ? 1 : 0 {\n"
                            "    for first = thread * 16 to 100000 step threads * 16 {\n"
                            "        last = min(first + 16, 100000)\n"
                            "        for i = first to last step 1 independent {\n"
                            "            A[i] = A[i] * 2.0\n"
                            "        }\n"
                            "    }\n"
                            "}\n");
    ir_free(s.ir);
}

TEST(little_work_and_one_thread)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 1000);
    fill(&s, s.loop->body, s.i);
    const char *sequential = "for i = 0 to 1000 step 1 independent {\n"
                             "    A[i] = A[i] * 2.0\n"
                             "}\n";
    CHECK_STR(after(&s, 0), sequential);
    s.loop->loop.parallel = true;
    s.loop->end = expr_i64(s.t, 100000000);
    CHECK(!strstr(after(&s, 1), "parallel"));
    ir_free(s.ir);
}

TEST(inner_loops_are_sequential_and_count)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 100);
    struct tree_var *j = tree_var(s.t, "j", s.i64);
    struct tree_stmt *inner = stmt_for(s.t, s.loop->body, j, expr_i64(s.t, 0), expr_i64(s.t, 1000), expr_i64(s.t, 1));
    inner->loop.parallel = true;
    fill(&s, inner->body, j);
    CHECK_STR(after(&s, 0), "sleep = sdfg_rt_threads_sleep(context)\n"
                            "parallel thread of threads = sleep != 0 ? 1 : 0 {\n"
                            "    share = 100 / threads\n"
                            "    rest = 100 % threads\n"
                            "    first = thread * share + min(thread, rest)\n"
                            "    last = first + share + int64(thread < rest)\n"
                            "    for i = first to last step 1 independent {\n"
                            "        for j = 0 to 1000 step 1 {\n"
                            "            A[j] = A[j] * 2.0\n"
                            "        }\n"
                            "    }\n"
                            "}\n");
    ir_free(s.ir);
}

TEST(triangular_inner_loop_does_not_leak_its_bound)
{
    struct sample s = sample_new();
    struct tree_var *j = tree_var(s.t, "j", s.i64);
    struct tree_stmt *inner = stmt_for(s.t, s.loop->body, j, expr_i64(s.t, 0), expr_var(s.t, s.i), expr_i64(s.t, 1));
    fill(&s, inner->body, j);
    CHECK(strstr(after(&s, 0), "small = count < 2 || min(count, 1048576) * 64 < 131072\n"));
    ir_free(s.ir);
}

/* The sample's loop inside a sequential one over t = 0 .. end - 1. */
static struct tree_var *repeat(struct sample *s, int64_t end)
{
    struct tree_var *t = tree_var(s->t, "t", s->i64);
    s->f->body = stmt_block(s->t);
    struct tree_stmt *outer = stmt_for(s->t, s->f->body, t, expr_i64(s->t, 0), expr_i64(s->t, end), expr_i64(s->t, 1));
    stmt_append(s->t, outer->body, s->loop);
    return t;
}

TEST(a_triangle_that_stays_small_needs_no_decision)
{
    struct sample s = sample_new();
    fill(&s, s.loop->body, s.i);
    s.loop->end = expr_var(s.t, repeat(&s, 700));
    CHECK_STR(after(&s, 0), "for t = 0 to 700 step 1 {\n"
                            "    for i = 0 to t step 1 independent {\n"
                            "        A[i] = A[i] * 2.0\n"
                            "    }\n"
                            "}\n");
    s.loop->loop.parallel = true;
    s.f->body->items.items[0]->begin = expr_i64(s.t, 300000);
    s.f->body->items.items[0]->end = expr_i64(s.t, 300010);
    CHECK(strstr(after(&s, 0), "    parallel thread of threads {\n"));
    ir_free(s.ir);
}

/* Does a loop of 20000 elements of the type get threads? */
static bool is_shared(enum type_kind kind, bool independent)
{
    struct sample s = sample_new();
    const struct type *type = type_basic(s.ir, kind);
    struct tree_var *b = tree_var(s.t, "B", type_pointer(s.ir, type));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "B", .var = b, .alias = 2 }));
    s.t->num_aliases = 3;
    s.loop->end = expr_i64(s.t, 20000);
    s.loop->loop.independent = independent;
    struct tree_expr *index = expr_var(s.t, s.i), *array = expr_var(s.t, b);
    struct tree_expr *value = expr_load(s.t, type, array, index, 2);
    for (int n = 0; n < 4; n++)
        value = expr_binary(s.t, EXPR_ADD, value, expr_load(s.t, type, array, expr_i64(s.t, 40000 + n), 2));
    stmt_store(s.t, s.loop->body, array, index, value, 2);
    bool shared = strstr(after(&s, 0), "parallel thread") != NULL;
    ir_free(s.ir);
    return shared;
}

/* Vectors have more lanes for them. */
TEST(narrow_numbers_are_less_work)
{
    CHECK(is_shared(TYPE_F64, true));
    CHECK(!is_shared(TYPE_F32, true));
    CHECK(!is_shared(TYPE_I8, true));
    CHECK(is_shared(TYPE_I8, false)); /* no vectors */
}

TEST(little_loops_that_are_repeated_have_a_version_in_place)
{
    struct sample s = sample_new();
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    struct tree_expr *a = expr_var(s.t, s.a), *i = expr_var(s.t, s.i);
    stmt_assign(s.t, s.loop->body, x, expr_load(s.t, s.f64, a, i, 1));
    stmt_store(s.t, s.loop->body, a, i, expr_var(s.t, x), 1);
    repeat(&s, 10);
    CHECK_STR(after(&s, 0), "for t = 0 to 10 step 1 {\n"
                            "    count = max(N, 0)\n"
                            "    small = count < 2 || min(count, 1048576) * 3 < 262144\n"
                            "    if !small {\n"
                            "        sleep = sdfg_rt_threads_sleep(context)\n"
                            "        small = sleep != 0 && min(count, 1048576) * 3 < 16777216\n"
                            "    }\n"
                            "    if small {\n"
                            "        for i#8 = 0 to N step 1 independent {\n"
                            "            x#9 = A[i#8]\n"
                            "            A[i#8] = x#9\n"
                            "        }\n"
                            "    } else {\n"
                            "        parallel thread of threads {\n"
                            "            share = count / threads\n"
                            "            rest = count % threads\n"
                            "            first = thread * share + min(thread, rest)\n"
                            "            last = first + share + int64(thread < rest)\n"
                            "            for i = first to last step 1 independent {\n"
                            "                x = A[i]\n"
                            "                A[i] = x\n"
                            "            }\n"
                            "        }\n"
                            "    }\n"
                            "}\n");
    CHECK(x->owner && x->owner == s.i->owner);
    ir_free(s.ir);
}

/* A[i] = A[i] * 5 * 5 * 5, which counts 5, for as many */
static const char *first_line(int64_t end)
{
    struct sample s = sample_new();
    struct tree_expr *a = expr_var(s.t, s.a), *i = expr_var(s.t, s.i), *five = expr_float(s.t, s.f64, 5);
    struct tree_expr *value = expr_load(s.t, s.f64, a, i, 1);
    for (int k = 0; k < 3; k++)
        value = expr_binary(s.t, EXPR_MUL, value, five);
    stmt_store(s.t, s.loop->body, a, i, value, 1);
    s.loop->end = expr_i64(s.t, end);
    static char line[100];
    const char *text = after(&s, 0);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    ir_free(s.ir);
    return line;
}

TEST(waking_threads_up_takes_more_work)
{
    CHECK_STR(first_line(26214), "for i = 0 to 26214 step 1 independent {");
    CHECK_STR(first_line(26215), "sleep = sdfg_rt_threads_sleep(context)");
    CHECK_STR(first_line(838860), "sleep = sdfg_rt_threads_sleep(context)");
    CHECK_STR(first_line(838861), "parallel thread of threads {");
}

TEST(code_without_vectors_takes_longer)
{
    struct sample s = sample_new();
    fill(&s, s.loop->body, s.i);
    s.loop->loop.independent = false;
    s.loop->end = expr_i64(s.t, 699050);
    CHECK(strstr(after(&s, 0), "sleep = "));
    ir_free(s.ir);
    s = sample_new();
    fill(&s, s.loop->body, s.i);
    s.loop->loop.independent = false;
    s.loop->end = expr_i64(s.t, 699051);
    CHECK(!strstr(after(&s, 0), "sleep = "));
    ir_free(s.ir);
}

/* for i { end = min(i + 40, N); for j = i to end { A[j] = A[j] * 2 } } */
static void strips(struct sample *s)
{
    struct tree_expr *i = expr_var(s->t, s->i), *n = expr_i64(s->t, 2000);
    struct tree_var *end = tree_var(s->t, "end", s->i64), *j = tree_var(s->t, "j", s->i64);
    s->loop->end = n;
    stmt_assign(s->t, s->loop->body, end,
                expr_binary(s->t, EXPR_MIN, expr_binary(s->t, EXPR_ADD, i, expr_i64(s->t, 40)), n));
    struct tree_stmt *inner = stmt_for(s->t, s->loop->body, j, i, expr_var(s->t, end), expr_i64(s->t, 1));
    inner->loop.independent = true;
    fill(s, inner->body, j);
}

/* 20 columns are in the middle between none and 40. */
TEST(strips_count_as_long_as_they_are)
{
    struct sample s = sample_new();
    s.ir->remarks = remarks_new(s.ir->arena);
    strips(&s);
    after(&s, 0);
    struct text out = text_new(s.ir->arena);
    remarks_print(s.ir->remarks, &out);
    CHECK(strstr(text_get(&out), "about 134000 operations against 131072 if they do not, about 166000 against "));
    ir_free(s.ir);
}

TEST(sums_in_one_place_cost_no_atomics)
{
    struct sample s = sample_new();
    struct tree_expr *a = expr_var(s.t, s.a), *one = expr_float(s.t, s.f64, 1);
    stmt_reduce(s.t, s.loop->body, WCR_SUM, true, a, expr_i64(s.t, 0), one, 1);
    CHECK(strstr(after(&s, 0), " min(count, 1048576) < 131072\n"));
    ir_free(s.ir);
    s = sample_new();
    stmt_reduce(s.t, s.loop->body, WCR_SUM, true, expr_var(s.t, s.a), expr_var(s.t, s.i), expr_float(s.t, s.f64, 1), 1);
    CHECK(strstr(after(&s, 0), " min(count, 1048576) * 20 < 131072\n"));
    ir_free(s.ir);
}

TEST(variables_seen_outside)
{
    struct sample s = sample_new();
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    s.loop->end = expr_i64(s.t, 1000000);
    stmt_assign(s.t, s.loop->body, x, expr_load(s.t, s.f64, expr_var(s.t, s.a), expr_var(s.t, s.i), 1));
    stmt_store(s.t, s.f->body, expr_var(s.t, s.a), expr_i64(s.t, 0), expr_var(s.t, x), 1);
    CHECK(!strstr(after(&s, 0), "parallel"));
    CHECK(!x->owner);
    ir_free(s.ir);
}

TEST(private_variables_move)
{
    struct sample s = sample_new();
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    s.loop->end = expr_i64(s.t, 1000000);
    stmt_assign(s.t, s.loop->body, x, expr_load(s.t, s.f64, expr_var(s.t, s.a), expr_var(s.t, s.i), 1));
    stmt_store(s.t, s.loop->body, expr_var(s.t, s.a), expr_var(s.t, s.i), expr_var(s.t, x), 1);
    CHECK(strstr(after(&s, 0), "parallel"));
    CHECK(x->owner && x->owner == s.i->owner);
    ir_free(s.ir);
}

TEST(jumps_out)
{
    struct sample s = sample_new();
    s.loop->end = expr_i64(s.t, 1000000);
    fill(&s, s.loop->body, s.i);
    stmt_new(s.t, s.loop->body, STMT_BREAK);
    CHECK(!strstr(after(&s, 0), "parallel"));
    vec_last(&s.loop->body->items)->kind = STMT_RETURN;
    s.loop->loop.parallel = true;
    CHECK(!strstr(after(&s, 0), "parallel"));
    ir_free(s.ir);
}

TEST(team_shares_its_loops)
{
    struct sample s = sample_new();
    s.f->body->items.count = 0;
    struct tree_stmt *region = tree_parallel_begin(s.t, s.f->body, NULL);
    struct tree_var *i = tree_var(s.t, "k", s.i64);
    struct tree_stmt *loop = stmt_for(s.t, region->body, i, expr_i64(s.t, 0), expr_var(s.t, s.n), expr_i64(s.t, 1));
    loop->loop.parallel = true;
    struct tree_stmt *inner =
        stmt_for(s.t, loop->body, tree_var(s.t, "j", s.i64), expr_i64(s.t, 0), expr_var(s.t, s.n), expr_i64(s.t, 1));
    inner->loop.parallel = true;
    fill(&s, inner->body, i);
    tree_parallel_end(s.t, region);
    CHECK_STR(after(&s, 0), "parallel thread of threads {\n"
                            "    count = max(N, 0)\n"
                            "    share = count / threads\n"
                            "    rest = count % threads\n"
                            "    first = thread * share + min(thread, rest)\n"
                            "    last = first + share + int64(thread < rest)\n"
                            "    for k = first to last step 1 {\n"
                            "        for j = 0 to N step 1 {\n"
                            "            A[k] = A[k] * 2.0\n"
                            "        }\n"
                            "    }\n"
                            "    barrier\n"
                            "}\n");
    ir_free(s.ir);
}

TEST(atomics_only_in_regions)
{
    struct sample s = sample_new();
    struct tree_expr *a = expr_var(s.t, s.a);
    stmt_reduce(s.t, s.loop->body, WCR_SUM, true, a, expr_i64(s.t, 0), expr_float(s.t, s.f64, 1), 1);
    struct tree_stmt *alone =
        stmt_reduce(s.t, s.f->body, WCR_SUM, true, a, expr_i64(s.t, 1), expr_float(s.t, s.f64, 1), 1);
    CHECK(strstr(after(&s, 0), "        atomic A[0] += 1.0\n"));
    CHECK(!alone->atomic);
    ir_free(s.ir);
}

CHECK_MAIN
