/* Trees before and after the passes turn, shrink and strip, where these bring sweeps over rows together. */
#include "tests/unit/tree_rows.h"

enum { ROWS = 100, LENGTH = 40 };

static struct sample sample_with_memory(void)
{
    struct sample s = sample_new();
    s.memory = tree_var(s.t, "T", type_pointer(s.ir, s.f64));
    stmt_alloc(s.t, s.f->body, s.memory, s.f64, expr_i64(s.t, ROWS * LENGTH), TREE_HEAP)->alias = 3;
    return s;
}

/* ---- turn ---- */

/* for i { T[i, 0] = 1 }  for k { for i { T[i, k] = T[i + shift, k - 1] + A[k, i] } }  for k { for i { B[k, i] = T[i,
 * last
 * - k] } } with steps of `row` from T[i] to the next and `along` in it */
static const char *brought_together(struct sample *s, int64_t row, int64_t along, int64_t shift)
{
    struct tree_stmt *i = loop(s, s->f->body, "i", 0, ROWS);
    struct tree_stmt *k = loop(s, s->f->body, "k", 1, LENGTH), *j = loop(s, k->body, "i", 0, ROWS);
    struct tree_stmt *back = loop(s, s->f->body, "k", 0, LENGTH), *l = loop(s, back->body, "i", 0, ROWS);
    i->loop.independent = j->loop.independent = l->loop.independent = true;
    store(s, i->body, s->memory, at(s, i, row, NULL, 0, 0), expr_float(s->t, s->f64, 1));
    struct tree_expr *before = load(s, s->memory, at(s, j, row, k, along, shift * row - along));
    store(s, j->body, s->memory, at(s, j, row, k, along, 0),
          expr_binary(s->t, EXPR_ADD, before, load(s, s->a, at(s, k, ROWS, j, 1, 0))));
    store(s, l->body, s->b, at(s, back, ROWS, l, 1, 0),
          load(s, s->memory, at(s, l, row, back, -along, (LENGTH - 1) * along)));
    opt_interchange_to_contract(s->t, &s->options);
    opt_fuse(s->t, &s->options);
    return tree_text(s->t, s->f->body);
}

TEST(sweeps_over_rows_are_brought_together)
{
    struct sample s = sample_with_memory();
    CHECK_STR(brought_together(&s, LENGTH, 1, 0), "T = heap float64[4000]\n"
                                                  "for i = 0 to 100 step 1 independent {\n"
                                                  "    T[i * 40] = 1.0\n"
                                                  "    for k = 1 to 40 step 1 {\n"
                                                  "        T[i * 40 + k] = T[i * 40 + k - 1] + A[k * 100 + i]\n"
                                                  "    }\n"
                                                  "    for k#6 = 0 to 40 step 1 {\n"
                                                  "        B[k#6 * 100 + i] = T[i * 40 + k#6 * -1 + 39]\n"
                                                  "    }\n"
                                                  "}\n");
    CHECK(strstr(remarks_text(s.ir), "loop k: is interchanged with loop i\n"));
    ir_free(s.ir);
}

TEST(sweeps_over_columns_stay)
{
    struct sample s = sample_with_memory();
    brought_together(&s, 1, ROWS, 0);
    CHECK(!strstr(remarks_text(s.ir), "goes inside"));
    ir_free(s.ir);
}

TEST(sweeps_that_need_other_rows_stay)
{
    struct sample s = sample_with_memory();
    brought_together(&s, LENGTH, 1, 1);
    CHECK(!strstr(remarks_text(s.ir), "goes inside"));
    ir_free(s.ir);
}

/* ---- shrink ---- */

/* for i { T[i, first] = 1; for k = 1 to 40 { T[i, k] = T[i, k - 1] }; for k { B[k, i] = T[i, 39 - k] } } */
static struct tree_stmt *row_by_row(struct sample *s, int64_t first, bool down)
{
    struct tree_stmt *i = loop(s, s->f->body, "i", 0, ROWS);
    int64_t start = down ? LENGTH - 1 : 0, by = down ? -1 : 1;
    store(s, i->body, s->memory, at(s, i, LENGTH, NULL, 0, start + first), expr_float(s->t, s->f64, 1));
    struct tree_stmt *k = loop(s, i->body, "k", 1, LENGTH);
    store(s, k->body, s->memory, at(s, i, LENGTH, k, by, start),
          load(s, s->memory, at(s, i, LENGTH, k, by, start - by)));
    struct tree_stmt *back = loop(s, i->body, "k", 0, LENGTH);
    store(s, back->body, s->b, at(s, back, ROWS, i, 1, 0), load(s, s->memory, at(s, i, LENGTH, back, -1, LENGTH - 1)));
    return i;
}

static const char *two_times(struct sample *s, int64_t first, bool down)
{
    row_by_row(s, 0, false);
    row_by_row(s, first, down);
    stmt_free(s->t, s->f->body, s->memory);
    opt_array_contraction(s->t, &s->options);
    return tree_text(s->t, s->f->body);
}

TEST(memory_of_several_loops_is_split)
{
    struct sample s = sample_with_memory();
    CHECK_STR(two_times(&s, 0, true), "for i = 0 to 100 step 1 {\n"
                                      "    T#9 = stack float64[40]\n"
                                      "    T#9[0] = 1.0\n"
                                      "    for k = 1 to 40 step 1 {\n"
                                      "        T#9[k] = T#9[k - 1]\n"
                                      "    }\n"
                                      "    for k#5 = 0 to 40 step 1 {\n"
                                      "        B[k#5 * 100 + i] = T#9[k#5 * -1 + 39]\n"
                                      "    }\n"
                                      "}\n"
                                      "for i#6 = 0 to 100 step 1 {\n"
                                      "    T#10 = stack float64[40]\n"
                                      "    T#10[39] = 1.0\n"
                                      "    for k#7 = 1 to 40 step 1 {\n"
                                      "        T#10[k#7 * -1 + 39] = T#10[k#7 * -1 + 40]\n"
                                      "    }\n"
                                      "    for k#8 = 0 to 40 step 1 {\n"
                                      "        B[k#8 * 100 + i#6] = T#10[k#8 * -1 + 39]\n"
                                      "    }\n"
                                      "}\n");
    ir_free(s.ir);
}

TEST(memory_that_is_loaded_first_is_not_split)
{
    struct sample s = sample_with_memory();
    CHECK(strstr(two_times(&s, 1, false), "T = heap float64[4000]\n"));
    ir_free(s.ir);
    s = sample_with_memory();
    CHECK(strstr(two_times(&s, -1, true), "T = heap float64[4000]\n"));
    ir_free(s.ir);
}

/* for i { v = 0; T[v] = 1; v = 1; B[i] = T[v] }, once or twice */
static const char *with_moving_place(struct sample *s, int times)
{
    for (int x = 0; x < times; x++) {
        struct tree_stmt *i = loop(s, s->f->body, "i", 0, ROWS);
        struct tree_var *v = tree_var(s->t, "v", s->i64);
        stmt_assign(s->t, i->body, v, expr_i64(s->t, 0));
        store(s, i->body, s->memory, expr_var(s->t, v), expr_float(s->t, s->f64, 1));
        stmt_assign(s->t, i->body, v, expr_i64(s->t, 1));
        store(s, i->body, s->b, at(s, i, 1, NULL, 0, 0), load(s, s->memory, expr_var(s->t, v)));
    }
    stmt_free(s->t, s->f->body, s->memory);
    opt_array_contraction(s->t, &s->options);
    return tree_text(s->t, s->f->body);
}

TEST(memory_at_a_place_that_moves_stays)
{
    for (int times = 1; times <= 2; times++) {
        struct sample s = sample_with_memory();
        CHECK(strstr(with_moving_place(&s, times), "T = heap float64[4000]\n"));
        ir_free(s.ir);
    }
}

/* ---- strip ---- */

/* for i independent { T = stack float64[40]; T[0] = 1; for k { T[k] = T[k - 1] + what }; for k { B[i, k] = T[39 - k] }
 * }
 */
static const char *in_strips(struct sample *s, bool varied)
{
    struct tree_stmt *i = loop(s, s->f->body, "i", 0, ROWS), *k;
    s->f->body->items.items[0] = i;
    s->f->body->items.count = 1;
    i->loop.independent = true;
    stmt_alloc(s->t, i->body, s->memory, s->f64, expr_i64(s->t, LENGTH), TREE_STACK)->alias = 3;
    store(s, i->body, s->memory, expr_i64(s->t, 0), expr_float(s->t, s->f64, 1));
    k = loop(s, i->body, "k", 1, LENGTH);
    struct tree_expr *more = varied ? load(s, s->a, at(s, k, ROWS, i, 1, 0)) : expr_float(s->t, s->f64, 2);
    store(s, k->body, s->memory, expr_var(s->t, k->var),
          expr_binary(s->t, EXPR_ADD, load(s, s->memory, at(s, k, 1, NULL, 0, -1)), more));
    k = loop(s, i->body, "k", 1, LENGTH);
    struct tree_expr *old = load(s, s->b, at(s, i, LENGTH, k, 1, -1));
    store(s, k->body, s->b, at(s, i, LENGTH, k, 1, 0),
          expr_binary(s->t, EXPR_ADD, old, load(s, s->memory, at(s, k, -1, NULL, 0, LENGTH - 1))));
    opt_strip_mine(s->t, &s->options);
    return tree_text(s->t, s->f->body);
}

TEST(memory_of_an_iteration_is_widened)
{
    struct sample s = sample_with_memory();
    CHECK_STR(in_strips(&s, true),
              "for i#6 = 0 to 100 step 64 independent {\n"
              "    stop = min(i#6 + 64, 100)\n"
              "    T = stack float64[2560]\n"
              "    for i#8 = i#6 to stop step 1 independent {\n"
              "        T[i#8 - i#6] = 1.0\n"
              "    }\n"
              "    for k = 1 to 40 step 1 {\n"
              "        for i#9 = i#6 to stop step 1 independent {\n"
              "            T[i#9 - i#6 + k * 64] = T[i#9 - i#6 + (k - 1) * 64] + A[k * 100 + i#9]\n"
              "        }\n"
              "    }\n"
              "    for k#5 = 1 to 40 step 1 {\n"
              "        for i#10 = i#6 to stop step 1 independent {\n"
              "            B[i#10 * 40 + k#5] = B[i#10 * 40 + k#5 - 1] + T[i#10 - i#6 + (k#5 * -1 + 39) * 64]\n"
              "        }\n"
              "    }\n"
              "}\n");
    ir_free(s.ir);
}

TEST(memory_that_is_the_same_in_all_iterations_stays_narrow)
{
    struct sample s = sample_with_memory();
    CHECK_STR(in_strips(&s, false), "for i#6 = 0 to 100 step 64 independent {\n"
                                    "    stop = min(i#6 + 64, 100)\n"
                                    "    T = stack float64[40]\n"
                                    "    T[0] = 1.0\n"
                                    "    for k = 1 to 40 step 1 {\n"
                                    "        T[k] = T[k - 1] + 2.0\n"
                                    "    }\n"
                                    "    for k#5 = 1 to 40 step 1 {\n"
                                    "        for i#8 = i#6 to stop step 1 independent {\n"
                                    "            B[i#8 * 40 + k#5] = B[i#8 * 40 + k#5 - 1] + T[k#5 * -1 + 39]\n"
                                    "        }\n"
                                    "    }\n"
                                    "}\n");
    ir_free(s.ir);
}

CHECK_MAIN
