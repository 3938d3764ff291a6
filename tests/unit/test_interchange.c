/* Trees before and after the passes interchange, shrink and independent. */
#include "lower/opt/passes.h"

#include "tests/unit/tree_sample.h"

/* i * by + k + shift */
static struct tree_expr *at(struct sample *s, struct tree_stmt *i, int64_t by, struct tree_stmt *k, int64_t shift)
{
    struct tree_expr *row = expr_binary(s->t, EXPR_MUL, expr_var(s->t, i->var), expr_i64(s->t, by));
    return plus(s, plus(s, row, expr_var(s->t, k->var)), i64(s, shift));
}

/* ---- interchange ---- */

/* for k { for i { A[i * 40 + k + 1] = A[i * 40 + k] } } */
static const char *interchanged(struct sample *s, int64_t width, int64_t shift)
{
    struct array a = array_new(s, "A");
    struct tree_stmt *k = loop(s, s->body, "k", i64(s, 0), i64(s, 38));
    struct tree_stmt *i = loop(s, k->body, "i", i64(s, 0), i64(s, 60));
    k->loop.independent = false;
    store(s, i->body, a, at(s, i, width, k, 1 + shift), load(s, a, at(s, i, width, k, 0)));
    opt_interchange(s->t, &s->options);
    return shown(s);
}

TEST(loop_goes_inside_for_even_memory)
{
    struct sample s = sample_new();
    CHECK_STR(interchanged(&s, 40, 0), "for i = 0 to 60 step 1 independent {\n"
                                       "    for k = 0 to 38 step 1 {\n"
                                       "        A[i * 40 + k + 1] = A[i * 40 + k]\n"
                                       "    }\n"
                                       "}\n");
    ir_free(s.ir);
}

/* Rows are shorter than what k runs over: iteration i reads what i - 1 stores at a later k. */
TEST(loop_stays_outside_if_rows_overlap)
{
    struct sample s = sample_new();
    CHECK_STR(interchanged(&s, 20, 0), "for k = 0 to 38 step 1 {\n"
                                       "    for i = 0 to 60 step 1 independent {\n"
                                       "        A[i * 20 + k + 1] = A[i * 20 + k]\n"
                                       "    }\n"
                                       "}\n");
    ir_free(s.ir);
}

/* A sum over i that goes on from k to k: iterations share a variable. */
TEST(loop_stays_outside_if_variables_go_on)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A");
    struct tree_var *sum = tree_var(s.t, "sum", s.f64);
    struct tree_stmt *k = loop(&s, s.body, "k", i64(&s, 0), i64(&s, 8));
    struct tree_stmt *i = loop(&s, k->body, "i", i64(&s, 0), i64(&s, 60));
    stmt_assign(s.t, i->body, sum, plus(&s, var(&s, sum), load(&s, a, at(&s, i, 40, k, 0))));
    const char *before = shown(&s);
    opt_interchange(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    CHECK(strstr(remarks_text(s.ir),
                 "loop k: is not interchanged with loop i: a variable carries values from iteration to iteration"));
    ir_free(s.ir);
}

TEST(threads_are_started_once)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A");
    struct tree_stmt *k = loop(&s, s.body, "k", i64(&s, 0), s.n);
    struct tree_stmt *i = loop(&s, k->body, "i", i64(&s, 0), i64(&s, 60));
    struct tree_stmt *j = loop(&s, i->body, "j", i64(&s, 0), i64(&s, 40));
    i->loop.parallel = true;
    store(&s, j->body, a, at(&s, i, 40, j, 0), plus(&s, load(&s, a, at(&s, i, 40, j, 0)), load(&s, a, s.n)));
    const char *before = shown(&s);
    opt_interchange(s.t, &s.options); /* A[N] may be in any row */
    CHECK_STR(shown(&s), before);
    j->body->items.items[0]->value = load(&s, a, at(&s, i, 40, j, 0));
    opt_interchange(s.t, &s.options);
    CHECK_STR(shown(&s), "for i = 0 to 60 step 1 parallel independent {\n"
                         "    for k = 0 to N step 1 independent {\n"
                         "        for j = 0 to 40 step 1 independent {\n"
                         "            A[i * 40 + j] = A[i * 40 + j]\n"
                         "        }\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* ---- shrink ---- */

/* T[i * 10 + j] in one loop over j, T[i * 10 + 9 - j + shift] in another, in a loop over i. */
static struct array rows(struct sample *s, struct tree_stmt *block, struct tree_expr *count, int64_t shift)
{
    struct array a = array_new(s, "A"), t = temporary(s, "T", count);
    struct tree_stmt *outer = block ? block : s->body;
    struct tree_stmt *i = loop(s, outer, "i", i64(s, 0), i64(s, 60));
    struct tree_stmt *j = loop(s, i->body, "j", i64(s, 0), i64(s, 10));
    struct tree_stmt *k = loop(s, i->body, "k", i64(s, 0), i64(s, 10));
    store(s, j->body, t, at(s, i, 10, j, 0), load(s, a, at(s, i, 10, j, 0)));
    struct tree_expr *back = expr_binary(s->t, EXPR_SUB, i64(s, 9 + shift), var(s, k->var));
    struct tree_expr *row = expr_binary(s->t, EXPR_MUL, var(s, i->var), i64(s, 10));
    store(s, k->body, a, at(s, i, 10, k, 0), load(s, t, plus(s, row, back)));
    return t;
}

/* for i { for j { T[j] = A[i * 10 + j] }; for k { A[i * 10 + k] = T[9 - k] } }: all of T is stored first, or but one.
 */
static bool is_own(int64_t stored)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), t = temporary(&s, "T", i64(&s, 20));
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 60));
    struct tree_stmt *j = loop(&s, i->body, "j", i64(&s, 0), i64(&s, stored));
    struct tree_stmt *k = loop(&s, i->body, "k", i64(&s, 0), i64(&s, 10));
    store(&s, j->body, t, var(&s, j->var), load(&s, a, at(&s, i, 10, j, 0)));
    store(&s, k->body, a, at(&s, i, 10, k, 0), load(&s, t, expr_binary(s.t, EXPR_SUB, i64(&s, 9), var(&s, k->var))));
    stmt_free(s.t, s.body, t.var);
    opt_array_contraction(s.t, &s.options);
    bool own = strstr(shown(&s), "T = stack float64[10]") != NULL;
    ir_free(s.ir);
    return own;
}

TEST(memory_that_is_filled_first)
{
    CHECK(is_own(10));
    CHECK(!is_own(9));
}

/* T of one element; for i { T[0] = A[i], or nothing; A[i] = T[0] }: does it become memory of the iteration? */
static bool is_own_element(bool stored)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), t = temporary(&s, "T", i64(&s, 1));
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 60));
    if (stored)
        store(&s, i->body, t, i64(&s, 0), load(&s, a, var(&s, i->var)));
    store(&s, i->body, a, var(&s, i->var), load(&s, t, i64(&s, 0)));
    store(&s, i->body, t, i64(&s, 0), load(&s, a, var(&s, i->var)));
    stmt_free(s.t, s.body, t.var);
    opt_array_contraction(s.t, &s.options);
    bool own = strstr(shown(&s), "    T = stack float64[1]") != NULL;
    ir_free(s.ir);
    return own;
}

TEST(elements_that_are_stored_first)
{
    CHECK(is_own_element(true));
    CHECK(!is_own_element(false));
}

TEST(memory_of_one_iteration)
{
    struct sample s = sample_new();
    struct array t = rows(&s, NULL, i64(&s, 600), 0);
    stmt_free(s.t, s.body, t.var);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(shown(&s), "for i = 0 to 60 step 1 independent {\n"
                         "    T = stack float64[10]\n"
                         "    for j = 0 to 10 step 1 independent {\n"
                         "        T[j] = A[i * 10 + j]\n"
                         "    }\n"
                         "    for k = 0 to 10 step 1 independent {\n"
                         "        A[i * 10 + k] = T[k * -1 + 9]\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* Fills and copies of one element move with the rest. */
TEST(memory_that_is_filled_and_copied)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), t = temporary(&s, "T", i64(&s, 60));
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 60));
    const struct type *f64 = a.var->type->elem;
    struct tree_expr *there = expr_offset(s.t, var(&s, t.var), var(&s, i->var));
    stmt_zero(s.t, i->body, f64, there, t.alias, i64(&s, 1));
    stmt_copy(s.t, i->body, f64, expr_offset(s.t, var(&s, a.var), var(&s, i->var)), a.alias, there, t.alias,
              i64(&s, 1));
    stmt_free(s.t, s.body, t.var);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(shown(&s), "for i = 0 to 60 step 1 independent {\n"
                         "    T = stack float64[1]\n"
                         "    zero float64[1] at T\n"
                         "    copy float64[1] at &A[i] from T\n"
                         "}\n");
    ir_free(s.ir);
}

/* The second loop reads into the next row. */
TEST(memory_of_two_iterations_stays)
{
    struct sample s = sample_new();
    struct array t = rows(&s, NULL, i64(&s, 601), 1);
    stmt_free(s.t, s.body, t.var);
    const char *before = shown(&s);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

/* In a loop that starts again, an iteration may see what it stored the last time. */
TEST(memory_that_lasts_stays)
{
    struct sample s = sample_new();
    struct tree_stmt *again = stmt_block(s.t);
    struct array t = rows(&s, again, i64(&s, 610), 1); /* T[i * 10 + 10] is read and not stored */
    struct tree_stmt *repeat = loop(&s, s.body, "t", i64(&s, 0), s.n);
    repeat->body = again;
    stmt_free(s.t, s.body, t.var);
    const char *before = shown(&s);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

TEST(memory_that_is_given_away_stays)
{
    struct sample s = sample_new();
    struct array t = rows(&s, NULL, i64(&s, 600), 0);
    struct tree_expr *args[] = { var(&s, t.var) };
    stmt_call(s.t, s.body, NULL, "look", args, 1);
    stmt_free(s.t, s.body, t.var);
    const char *before = shown(&s);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

/* ---- independent ---- */

/* A[3 * i] = 1; B[i] = A[3 * i + shift] */
static bool promised(int64_t shift)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), s.n);
    struct tree_expr *first = expr_binary(s.t, EXPR_MUL, var(&s, i->var), i64(&s, 3));
    store(&s, i->body, a, first, expr_float(s.t, s.f64, 1));
    store(&s, i->body, b, var(&s, i->var), load(&s, a, plus(&s, first, i64(&s, shift))));
    opt_independent(s.t, &s.options);
    bool result = i->loop.independent;
    ir_free(s.ir);
    return result;
}

TEST(promise_is_taken_back)
{
    CHECK(!promised(0));
    CHECK(promised(1));
}

/* x = i; A[x] = 1; x = x + step; B[i] = A[x - 1] */
static bool promised_with(int64_t step)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), b = array_new(&s, "B");
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), s.n);
    struct tree_var *x = tree_var(s.t, "x", s.i64);
    stmt_assign(s.t, i->body, x, var(&s, i->var));
    store(&s, i->body, a, var(&s, x), expr_float(s.t, s.f64, 1));
    if (step)
        stmt_assign(s.t, i->body, x, plus(&s, var(&s, x), i64(&s, step)));
    store(&s, i->body, b, var(&s, i->var), load(&s, a, plus(&s, var(&s, x), i64(&s, -1))));
    opt_independent(s.t, &s.options);
    bool result = i->loop.independent;
    ir_free(s.ir);
    return result;
}

TEST(variables_that_change_within_an_iteration)
{
    CHECK(promised_with(0));
    CHECK(!promised_with(1)); /* the same element */
}

/* ---- what is said of it ---- */

TEST(remarks_tell_of_interchange)
{
    struct sample s = sample_new();
    interchanged(&s, 40, 0);
    CHECK_STR(remarks_text(s.ir), "done   interchange loop k: is interchanged with loop i\n");
    ir_free(s.ir);
    s = sample_new();
    interchanged(&s, 20, 0);
    CHECK_STR(remarks_text(s.ir),
              "missed interchange loop k: is not interchanged with loop i: one iteration writes A[i * 20 + k + 1], "
              "another one reads A[i * 20 + k]\n");
    ir_free(s.ir);
}

TEST(remarks_tell_of_memory)
{
    for (int64_t shift = 0; shift < 2; shift++) {
        struct sample s = sample_new();
        struct array t = rows(&s, NULL, i64(&s, 600 + shift), shift);
        stmt_free(s.t, s.body, t.var);
        opt_array_contraction(s.t, &s.options);
        CHECK_STR(remarks_text(s.ir),
                  shift ? "missed memory      'T': is not contracted and stays 4808 bytes on the heap: iterations of "
                          "loop i share elements, or may\n"
                        : "done   memory      'T': is contracted to 80 bytes on the stack of an iteration of loop i, "
                          "instead of 4800 bytes\n");
        ir_free(s.ir);
    }
}

/* An iteration fills rows of 100000 bytes. */
TEST(remarks_tell_of_parts_that_are_too_large)
{
    struct sample s = sample_new();
    struct array a = array_new(&s, "A"), t = temporary(&s, "T", i64(&s, 60 * 12500));
    struct tree_stmt *i = loop(&s, s.body, "i", i64(&s, 0), i64(&s, 60));
    for (int turn = 0; turn < 2; turn++) {
        struct tree_stmt *j = loop(&s, i->body, "j", i64(&s, 0), i64(&s, 12500));
        struct tree_expr *place = at(&s, i, 12500, j, 0);
        store(&s, j->body, turn ? a : t, place, load(&s, turn ? t : a, place));
    }
    stmt_free(s.t, s.body, t.var);
    opt_array_contraction(s.t, &s.options);
    CHECK_STR(remarks_text(s.ir),
              "missed memory      'T': is not contracted and stays 6000000 bytes on the heap: the part of "
              "an iteration is too large for the stack, or its size is unknown\n");
    ir_free(s.ir);
}

CHECK_MAIN
