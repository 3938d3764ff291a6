/* Trees before and after the passes that bring loops together: loops, reuse, fuse, dead. */
#include "lower/opt/passes.h"

#include "tests/unit/tree_sample.h"

static struct tree_expr *times(struct sample *s, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, EXPR_MUL, a, b);
}

static const char *fused(struct sample *s)
{
    opt_fuse(s->t, &s->options);
    return shown(s);
}

/* ---- fuse ---- */

/* T[i] = A[i] * 2; B[j] = T[j + shift] */
static void two_loops(struct sample *s, struct tree_expr *end, int64_t shift)
{
    struct array a = array_new(s, "A"), b = array_new(s, "B"), t = array_new(s, "T");
    struct tree_stmt *x = loop(s, s->body, "i", i64(s, 0), end), *y = loop(s, s->body, "j", i64(s, 0), end);
    store(s, x->body, t, var(s, x->var), times(s, load(s, a, var(s, x->var)), expr_float(s->t, s->f64, 2)));
    store(s, y->body, b, var(s, y->var), load(s, t, plus(s, var(s, y->var), i64(s, shift))));
}

TEST(producer_and_consumer)
{
    struct sample s = sample_new();
    two_loops(&s, s.n, 0);
    CHECK_STR(shown(&s), "for i = 0 to N step 1 independent {\n"
                         "    T[i] = A[i] * 2.0\n"
                         "}\n"
                         "for j = 0 to N step 1 independent {\n"
                         "    B[j] = T[j]\n"
                         "}\n");
    CHECK_STR(fused(&s), "for i = 0 to N step 1 independent {\n"
                         "    T[i] = A[i] * 2.0\n"
                         "    B[i] = T[i]\n"
                         "}\n");
    ir_free(s.ir);
}

/* v = 3; for i = v to v + 10 { A[i] = 1; v = 7 (or w = 7) }; for j = 0 to 10 { B[j] = 1 } */
static const char *with_begin(struct sample *s, bool changes)
{
    struct array a = array_new(s, "A"), b = array_new(s, "B");
    struct tree_var *v = tree_var(s->t, "v", s->i64), *other = tree_var(s->t, "w", s->i64);
    stmt_assign(s->t, s->body, v, i64(s, 3));
    struct tree_stmt *x = loop(s, s->body, "i", var(s, v), plus(s, var(s, v), i64(s, 10)));
    struct tree_stmt *y = loop(s, s->body, "j", i64(s, 0), i64(s, 10));
    store(s, x->body, a, var(s, x->var), expr_float(s->t, s->f64, 1));
    stmt_assign(s->t, x->body, changes ? v : other, i64(s, 7));
    store(s, y->body, b, var(s, y->var), expr_float(s->t, s->f64, 1));
    return fused(s);
}

TEST(begin_that_changes_inside)
{
    struct sample s = sample_new();
    CHECK(strstr(with_begin(&s, false), "    B[i + -v] = 1.0\n"));
    ir_free(s.ir);
    s = sample_new();
    CHECK(strstr(with_begin(&s, true), "for j = 0 to 10 "));
    ir_free(s.ir);
}

TEST(shifted_reads_keep_loops_apart)
{
    struct sample s = sample_new();
    two_loops(&s, i64(&s, 100), 1);
    CHECK_STR(fused(&s), "for i = 0 to 100 step 1 independent {\n"
                         "    T[i] = A[i] * 2.0\n"
                         "}\n"
                         "for j = 0 to 100 step 1 independent {\n"
                         "    B[j] = T[j + 1]\n"
                         "}\n");
    ir_free(s.ir);
}

TEST(makers_of_temporaries_join_those_that_use_them)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), c = array_new(&s, "C"), t = array_new(&s, "T");
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n), *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    struct tree_stmt *z = loop(&s, s.body, "k", i64(&s, 0), s.n);
    struct tree_expr *i = var(&s, x->var), *j = var(&s, y->var), *k = var(&s, z->var);
    store(&s, x->body, b, i, load(&s, a, i));
    store(&s, y->body, t, j, times(&s, load(&s, b, j), expr_float(s.t, s.f64, 2)));
    store(&s, z->body, c, k, plus(&s, load(&s, b, plus(&s, k, i64(&s, 1))), load(&s, t, k)));
    CHECK_STR(fused(&s), "for i = 0 to N step 1 independent {\n"
                         "    B[i] = A[i]\n"
                         "}\n"
                         "for j = 0 to N step 1 independent {\n"
                         "    T[j] = B[j] * 2.0\n"
                         "    C[j] = B[j + 1] + T[j]\n"
                         "}\n");
    ir_free(s.ir);
}

TEST(large_loops_stay_apart)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A");
    for (int k = 0; k < 2; k++) {
        struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n);
        for (int n = 0; n < 400; n++) {
            struct tree_expr *place = plus(&s, times(&s, var(&s, x->var), i64(&s, 400)), i64(&s, n));
            store(&s, x->body, a, place, load(&s, a, place));
        }
    }
    fused(&s);
    CHECK_STR(remarks_text(s.ir),
              "missed fuse        loop i: is not fused with loop i of the program: the two access memory "
              "in 1600 places, the limit is 1500\n");
    ir_free(s.ir);
}

/* Memory is taken in each iteration of the second one. */
TEST(vector_code_stays_apart_from_other_code)
{
    struct sample s = sample_new();
    two_loops(&s, s.n, 0);
    struct tree_var *own = tree_var(s.t, "own", type_pointer(s.ir, s.f64));
    stmt_alloc(s.t, s.body->items.items[1]->body, own, s.f64, i64(&s, 4), TREE_STACK);
    fused(&s);
    CHECK_STR(remarks_text(s.ir),
              "missed fuse        loop i: is not fused with loop j of the program: only one of the two can "
              "be vectorized\n");
    ir_free(s.ir);
}

TEST(disjoint_halves)
{
    struct sample s = sample_new();
    two_loops(&s, i64(&s, 100), 100);
    CHECK_STR(fused(&s), "for i = 0 to 100 step 1 independent {\n"
                         "    T[i] = A[i] * 2.0\n"
                         "    B[i] = T[i + 100]\n"
                         "}\n");
    ir_free(s.ir);
}

/* Sequential loops give no promise, but with known bounds rows are seen to be apart. */
TEST(rows_by_distance)
{
    struct sample s = sample_new();
    struct array t = array_new(&s, "T"), b = array_new(&s, "B");
    for (int k = 0; k < 2; k++) {
        struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 8));
        struct tree_stmt *y = loop(&s, x->body, "j", i64(&s, 0), i64(&s, 10 - k));
        struct tree_expr *row = times(&s, var(&s, x->var), i64(&s, 10));
        x->loop.independent = y->loop.independent = false;
        if (k == 0)
            store(&s, y->body, t, plus(&s, row, var(&s, y->var)), expr_float(s.t, s.f64, 1));
        else
            store(&s, y->body, b, plus(&s, row, var(&s, y->var)),
                  load(&s, t, plus(&s, plus(&s, row, var(&s, y->var)), i64(&s, 1))));
    }
    CHECK_STR(fused(&s), "for i = 0 to 8 step 1 {\n"
                         "    for j = 0 to 10 step 1 {\n"
                         "        T[i * 10 + j] = 1.0\n"
                         "    }\n"
                         "    for j#6 = 0 to 9 step 1 {\n"
                         "        B[i * 10 + j#6] = T[i * 10 + j#6 + 1]\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* One more column than the distance of rows: row i overlaps row i + 1. */
TEST(rows_that_overlap)
{
    struct sample s = sample_new();
    struct array t = array_new(&s, "T"), b = array_new(&s, "B");
    for (int k = 0; k < 2; k++) {
        struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 8));
        struct tree_stmt *y = loop(&s, x->body, "j", i64(&s, 0), i64(&s, 11));
        struct tree_expr *at = plus(&s, times(&s, var(&s, x->var), i64(&s, 10)), var(&s, y->var));
        x->loop.independent = y->loop.independent = false;
        if (k == 0)
            store(&s, y->body, t, at, expr_float(s.t, s.f64, 1));
        else
            store(&s, y->body, b, at, load(&s, t, at));
    }
    const char *before = shown(&s);
    CHECK_STR(fused(&s), before);
    ir_free(s.ir);
}

/* Every iteration writes T[0]: the last value counts, not that of the same iteration. */
TEST(one_place_for_all)
{
    struct sample s = sample_new();
    struct array t = array_new(&s, "T"), b = array_new(&s, "B"), a = array_new(&s, "A");
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n), *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    store(&s, x->body, t, i64(&s, 0), load(&s, a, var(&s, x->var)));
    store(&s, y->body, b, var(&s, y->var), load(&s, t, i64(&s, 0)));
    const char *before = shown(&s);
    CHECK_STR(fused(&s), before);
    ir_free(s.ir);
}

TEST(unknown_memory)
{
    struct sample s = sample_new();
    struct array t = array_new(&s, "T"), b = array_new(&s, "B");
    b.alias = 0;
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n), *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    store(&s, x->body, t, var(&s, x->var), expr_float(s.t, s.f64, 1));
    store(&s, y->body, b, var(&s, y->var), expr_float(s.t, s.f64, 2));
    const char *before = shown(&s);
    CHECK_STR(fused(&s), before);
    ir_free(s.ir);
}

/* The allocation that the second loop needs goes in front; a use of what the first makes stays behind. */
TEST(statements_in_between)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n);
    store(&s, x->body, a, var(&s, x->var), expr_float(s.t, s.f64, 1));
    store(&s, s.body, b, i64(&s, 0), load(&s, a, i64(&s, 5)));
    struct array c = temporary(&s, "C", s.n);
    struct tree_stmt *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    store(&s, y->body, c, var(&s, y->var), load(&s, a, var(&s, y->var)));
    CHECK_STR(fused(&s), "C = heap float64[N]\n"
                         "for i = 0 to N step 1 independent {\n"
                         "    A[i] = 1.0\n"
                         "    C[i] = A[i]\n"
                         "}\n"
                         "B[0] = A[5]\n");
    ir_free(s.ir);
}

TEST(statement_that_is_in_the_way)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n);
    store(&s, x->body, a, var(&s, x->var), expr_float(s.t, s.f64, 1));
    store(&s, s.body, a, i64(&s, 5), expr_float(s.t, s.f64, 7));
    struct tree_stmt *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    store(&s, y->body, b, var(&s, y->var), load(&s, a, var(&s, y->var)));
    const char *before = shown(&s);
    CHECK_STR(fused(&s), before);
    ir_free(s.ir);
}

/* to[i] = from[i + shift] */
static void copy_loop(struct sample *s, const char *name, int64_t end, struct array to, struct array from,
                      int64_t shift)
{
    struct tree_stmt *x = loop(s, s->body, name, i64(s, 0), i64(s, end));
    store(s, x->body, to, var(s, x->var), load(s, from, plus(s, var(s, x->var), i64(s, shift))));
}

/* What is related to a loop goes into it past work that stays behind. */
TEST(related_work_behind_work_that_stays)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), t = array_new(&s, "T"), u = array_new(&s, "U"), b = array_new(&s, "B");
    struct array d = array_new(&s, "D");
    copy_loop(&s, "i", 100, t, a, 0);
    copy_loop(&s, "j", 50, u, t, 1);
    store(&s, s.body, d, i64(&s, 0), expr_float(s.t, s.f64, 1));
    copy_loop(&s, "k", 100, b, t, 0);
    CHECK_STR(fused(&s), "D[0] = 1.0\n"
                         "for i = 0 to 100 step 1 independent {\n"
                         "    T[i] = A[i]\n"
                         "    B[i] = T[i]\n"
                         "}\n"
                         "for j = 0 to 50 step 1 independent {\n"
                         "    U[j] = T[j + 1]\n"
                         "}\n");
    ir_free(s.ir);
}

/* Long chains become one loop, in pieces: what has grown is not moved again and again. */
TEST(long_chain)
{
    enum { LENGTH = 100 };
    struct sample s = sample_new();
    struct array from = array_new(&s, "A");
    for (int i = 0; i < LENGTH; i++) {
        struct array to = array_new(&s, arena_printf(s.t->arena, "T%d", i));
        copy_loop(&s, "i", 100, to, from, 0);
        from = to;
    }
    opt_fuse_nests(s.t, &s.options);
    shown(&s);
    CHECK(s.body->items.count == 1 && s.body->items.items[0]->body->items.count == LENGTH);
    ir_free(s.ir);
}

/* Whole nests go together first; then the fill, in the shape of the nest. */
TEST(fill_and_accumulate)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), c = array_new(&s, "C");
    stmt_zero(s.t, s.body, s.f64, var(&s, c.var), c.alias, i64(&s, 12));
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 3));
    struct tree_stmt *y = loop(&s, x->body, "j", i64(&s, 0), i64(&s, 4));
    struct tree_stmt *z = loop(&s, y->body, "k", i64(&s, 0), s.n);
    x->loop.independent = y->loop.independent = z->loop.independent = false;
    stmt_reduce(s.t, z->body, WCR_SUM, false, var(&s, c.var),
                plus(&s, times(&s, var(&s, x->var), i64(&s, 4)), var(&s, y->var)), load(&s, a, var(&s, z->var)),
                c.alias);
    CHECK_STR(fused(&s), "for i#6 = 0 to 3 step 1 {\n"
                         "    for i#7 = 0 to 4 step 1 {\n"
                         "        C[i#6 * 4 + i#7] = 0.0\n"
                         "        for k = 0 to N step 1 {\n"
                         "            C[i#6 * 4 + i#7] += A[k]\n"
                         "        }\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* What sums up rows counts them as one; it takes the shape of the nest that uses the sums row by row. */
TEST(rows_counted_as_one)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), c = array_new(&s, "C");
    struct tree_stmt *x = loop(&s, s.body, "x", i64(&s, 0), i64(&s, 12));
    struct tree_stmt *z = loop(&s, x->body, "z", i64(&s, 0), s.n);
    stmt_reduce(s.t, z->body, WCR_SUM, false, var(&s, c.var), var(&s, x->var), load(&s, a, var(&s, z->var)), c.alias);
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 3));
    struct tree_stmt *j = loop(&s, i->body, "j", i64(&s, 0), i64(&s, 4));
    struct tree_stmt *k = loop(&s, j->body, "k", i64(&s, 0), s.n);
    z->loop.independent = i->loop.independent = j->loop.independent = k->loop.independent = false;
    struct tree_expr *row = plus(&s, times(&s, var(&s, i->var), i64(&s, 4)), var(&s, j->var));
    store(&s, k->body, b, plus(&s, times(&s, row, s.n), var(&s, k->var)), load(&s, c, row));
    CHECK_STR(fused(&s), "for x#9 = 0 to 3 step 1 {\n"
                         "    for x#10 = 0 to 4 step 1 {\n"
                         "        for z = 0 to N step 1 {\n"
                         "            C[x#9 * 4 + x#10] += A[z]\n"
                         "        }\n"
                         "        for k = 0 to N step 1 {\n"
                         "            B[(x#9 * 4 + x#10) * N + k] = C[x#9 * 4 + x#10]\n"
                         "        }\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* ---- reuse and dead ---- */

TEST(temporary_disappears)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), t = temporary(&s, "T", s.n);
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n), *y = loop(&s, s.body, "j", i64(&s, 0), s.n);
    store(&s, x->body, t, var(&s, x->var), times(&s, load(&s, a, var(&s, x->var)), expr_float(s.t, s.f64, 2)));
    store(&s, y->body, b, var(&s, y->var), plus(&s, load(&s, t, var(&s, y->var)), load(&s, t, var(&s, y->var))));
    stmt_free(s.t, s.body, t.var);
    opt_fuse(s.t, &s.options);
    opt_load_forwarding(s.t, &s.options);
    CHECK_STR(shown(&s), "T = heap float64[N]\n"
                         "for i = 0 to N step 1 independent {\n"
                         "    value = A[i] * 2.0\n"
                         "    T[i] = value\n"
                         "    B[i] = value + value\n"
                         "}\n"
                         "free T\n");
    opt_dead_code(s.t, &s.options);
    CHECK_STR(shown(&s), "for i = 0 to N step 1 independent {\n"
                         "    value = A[i] * 2.0\n"
                         "    B[i] = value + value\n"
                         "}\n");
    ir_free(s.ir);
}

TEST(reuse_knows_what_may_overlap)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_expr *one = expr_float(s.t, s.f64, 1), *two = expr_float(s.t, s.f64, 2);
    store(&s, s.body, a, s.n, one);
    store(&s, s.body, a, plus(&s, s.n, i64(&s, 1)), two); /* another element */
    store(&s, s.body, b, i64(&s, 0), load(&s, a, s.n));
    store(&s, s.body, a, i64(&s, 3), two); /* may be the same one */
    store(&s, s.body, b, i64(&s, 1), load(&s, a, s.n));
    opt_load_forwarding(s.t, &s.options);
    CHECK_STR(shown(&s), "A[N] = 1.0\n"
                         "A[N + 1] = 2.0\n"
                         "B[0] = 1.0\n"
                         "A[3] = 2.0\n"
                         "B[1] = A[N]\n");
    ir_free(s.ir);
}

/* What a loop changes is not known in it, nor behind it; what it leaves alone is. */
TEST(reuse_in_and_behind_loops)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B"), c = array_new(&s, "C");
    store(&s, s.body, a, i64(&s, 0), expr_float(s.t, s.f64, 1));
    store(&s, s.body, b, i64(&s, 0), expr_float(s.t, s.f64, 2));
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), s.n);
    store(&s, x->body, c, var(&s, x->var), plus(&s, load(&s, a, i64(&s, 0)), load(&s, b, i64(&s, 0))));
    store(&s, x->body, b, i64(&s, 0), load(&s, c, var(&s, x->var)));
    store(&s, s.body, c, i64(&s, 0), load(&s, b, i64(&s, 0)));
    opt_load_forwarding(s.t, &s.options);
    CHECK_STR(shown(&s), "A[0] = 1.0\n"
                         "B[0] = 2.0\n"
                         "for i = 0 to N step 1 independent {\n"
                         "    value = 1.0 + B[0]\n"
                         "    C[i] = value\n"
                         "    B[0] = value\n"
                         "}\n"
                         "C[0] = B[0]\n");
    ir_free(s.ir);
}

/* A value is that of the time of the store. */
TEST(reuse_of_a_variable_that_changes)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_var *x = tree_var(s.t, "x", s.f64);
    stmt_assign(s.t, s.body, x, load(&s, b, i64(&s, 1)));
    store(&s, s.body, a, i64(&s, 0), var(&s, x));
    stmt_assign(s.t, s.body, x, expr_float(s.t, s.f64, 3));
    store(&s, s.body, b, i64(&s, 0), load(&s, a, i64(&s, 0)));
    const char *before = shown(&s);
    opt_load_forwarding(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

/* f(A) && A[0] > 1, as value, as condition and as bound: what f stores is seen behind it. */
TEST(reuse_beside_a_call)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A");
    struct tree_expr *one = expr_float(s.t, s.f64, 1), *given = var(&s, a.var);
    struct tree_expr *call = expr_call(s.t, type_basic(s.ir, TYPE_BOOL), "f", &given, 1);
    struct tree_expr *more = expr_binary(s.t, EXPR_GT, load(&s, a, i64(&s, 0)), one);
    struct tree_expr *both = expr_binary(s.t, EXPR_LOGICAL_AND, call, more);
    store(&s, s.body, a, i64(&s, 0), one);
    stmt_assign(s.t, s.body, tree_var(s.t, "x", both->type), both);
    store(&s, s.body, a, i64(&s, 0), one);
    stmt_if(s.t, s.body, both);
    store(&s, s.body, a, i64(&s, 0), one);
    loop(&s, s.body, "i", i64(&s, 0), expr_cast(s.t, s.i64, both));
    const char *before = shown(&s);
    opt_load_forwarding(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

TEST(memory_that_is_given_away_stays)
{
    struct sample s = sample_new();
    struct array t = temporary(&s, "T", s.n);
    store(&s, s.body, t, i64(&s, 0), expr_float(s.t, s.f64, 1));
    struct tree_expr *args[] = { var(&s, t.var) };
    stmt_call(s.t, s.body, NULL, "look", args, 1);
    stmt_free(s.t, s.body, t.var);
    const char *before = shown(&s);
    opt_dead_code(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

/* ---- loops ---- */

static const char *counted(struct sample *s, int64_t start, enum expr_op op, struct tree_expr *bound, int64_t step)
{
    struct array a = array_new(s, "A");
    struct tree_var *k = tree_var(s->t, "k", s->i64);
    stmt_assign(s->t, s->body, k, i64(s, start));
    struct tree_stmt *w = stmt_while(s->t, s->body, expr_binary(s->t, op, var(s, k), bound));
    store(s, w->body, a, var(s, k), expr_float(s->t, s->f64, 1));
    stmt_assign(s->t, w->body, k, plus(s, var(s, k), i64(s, step)));
    store(s, s->body, a, var(s, k), expr_float(s->t, s->f64, 2));
    opt_canonical_loops(s->t, &s->options);
    return shown(s);
}

TEST(counting_up)
{
    struct sample s = sample_new();
    CHECK_STR(counted(&s, 2, EXPR_LT, i64(&s, 9), 3), "k = 2\n"
                                                      "for k#3 = 2 to 9 step 3 {\n"
                                                      "    A[k#3] = 1.0\n"
                                                      "}\n"
                                                      "k = 11\n"
                                                      "A[k] = 2.0\n");
    ir_free(s.ir);
}

TEST(counting_down)
{
    struct sample s = sample_new();
    CHECK_STR(counted(&s, 5, EXPR_GE, i64(&s, 0), -1), "k = 5\n"
                                                       "for k#3 = 0 to 6 step 1 {\n"
                                                       "    A[k#3 * -1 + 5] = 1.0\n"
                                                       "}\n"
                                                       "k = -1\n"
                                                       "A[k] = 2.0\n");
    ir_free(s.ir);
}

TEST(one_iteration)
{
    struct sample s = sample_new();
    CHECK_STR(counted(&s, 4, EXPR_LT, i64(&s, 5), 1), "k = 4\n"
                                                      "A[4] = 1.0\n"
                                                      "k = 5\n"
                                                      "A[k] = 2.0\n");
    ir_free(s.ir);
}

/* A step away from the bound never ends, or not by this condition: left alone. */
TEST(not_a_count)
{
    struct sample s = sample_new();
    CHECK_STR(counted(&s, 4, EXPR_LT, s.n, -1), "k = 4\n"
                                                "while k < N {\n"
                                                "    A[k] = 1.0\n"
                                                "    k = k - 1\n"
                                                "}\n"
                                                "A[k] = 2.0\n");
    ir_free(s.ir);
}

CHECK_MAIN
