/* Trees before and after the pass overlap. */
#include "ir/json/json.h"
#include "lower/opt/passes.h"
#include "lower/tree/tree_work.h"

#include "tests/unit/tree_text.h"

#include <string.h>

enum { ROW = 100, POINTS = 4096 };

/* A and B are given by the caller, T is a temporary between. */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    struct tree_stmt *body;
    const struct type *f64, *i64;
    struct tree_var *a, *b, *temporary;
    uint32_t alias_a, alias_b, alias_t;
    struct tree_options options;
};

static struct tree_var *param(struct sample *s, const char *name, const struct type *type)
{
    struct tree_var *v = tree_var(s->t, name, type);
    vec_push(s->t->arena, &s->f->params, ((struct tree_param){ .name = name, .var = v }));
    return v;
}

static struct sample sample_new(int64_t count)
{
    struct sample s = { .ir = ir_new() };
    s.ir->remarks = remarks_new(s.ir->arena);
    s.t = tree_new(s.ir, "p");
    s.f = tree_func(s.t, "main");
    s.body = s.f->body;
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.a = param(&s, "A", type_pointer(s.ir, s.f64));
    s.b = param(&s, "B", type_pointer(s.ir, s.f64));
    s.temporary = tree_var(s.t, "T", type_pointer(s.ir, s.f64));
    s.alias_a = s.t->num_aliases++;
    s.alias_b = s.t->num_aliases++;
    s.alias_t = s.t->num_aliases++;
    stmt_alloc(s.t, s.body, s.temporary, s.f64, expr_i64(s.t, count), TREE_HEAP);
    return s;
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *block, const char *name, int64_t begin, int64_t end)
{
    struct tree_stmt *l = stmt_for(s->t, block, tree_var(s->t, name, s->i64), expr_i64(s->t, begin),
                                   expr_i64(s->t, end), expr_i64(s->t, 1));
    l->loop.independent = true;
    return l;
}

/* i * ROW + k + shift */
static struct tree_expr *at(struct sample *s, struct tree_stmt *i, struct tree_stmt *k, int64_t shift)
{
    struct tree_expr *row = expr_binary(s->t, EXPR_MUL, expr_var(s->t, i->var), expr_i64(s->t, ROW));
    row = expr_binary(s->t, EXPR_ADD, row, expr_var(s->t, k->var));
    return expr_binary(s->t, EXPR_ADD, row, expr_i64(s->t, shift));
}

static struct tree_expr *load(struct sample *s, struct tree_var *v, struct tree_expr *index, uint32_t alias)
{
    return expr_load(s->t, s->f64, expr_var(s->t, v), index, alias);
}

/* T[i] = A[i] for all rows, of which `width` elements are used. */
static struct tree_stmt *produce(struct sample *s, int64_t width)
{
    struct tree_stmt *i = loop(s, s->body, "i", 0, POINTS), *k = loop(s, i->body, "k", 0, width);
    stmt_store(s->t, k->body, expr_var(s->t, s->temporary), at(s, i, k, 0), load(s, s->a, at(s, i, k, 0), s->alias_a),
               s->alias_t);
    return k;
}

/* B[j] = T[j - rows] + T[j + rows] */
static struct tree_stmt *consume(struct sample *s, int64_t rows, int64_t shift)
{
    struct tree_stmt *j = loop(s, s->body, "j", rows, POINTS - rows), *m = loop(s, j->body, "m", 0, ROW);
    struct tree_expr *sum =
        expr_binary(s->t, EXPR_ADD, load(s, s->temporary, at(s, j, m, shift - rows * ROW), s->alias_t),
                    load(s, s->temporary, at(s, j, m, rows * ROW), s->alias_t));
    stmt_store(s->t, m->body, expr_var(s->t, s->b), at(s, j, m, 0), sum, s->alias_b);
    return m;
}

static const char *shown(struct sample *s) { return tree_text(s->t, s->body); }

/* After release of the memory: does the pass leave the tree as it is? */
static bool stays(struct sample *s)
{
    stmt_free(s->t, s->body, s->temporary);
    const char *before = shown(s);
    opt_overlapped_tiling(s->t, &s->options);
    bool same = strcmp(shown(s), before) == 0;
    ir_free(s->ir);
    return same;
}

TEST(rows_around_are_computed_again)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK_STR(shown(&s), "T = heap float64[2100]\n"
                         "for step = -10 to 4086 step 1 {\n"
                         "    row = (step + 10) % 21\n"
                         "    row#9 = (step - 10) % 21\n"
                         "    if step >= 10 {\n"
                         "        for m#10 = 0 to 100 step 1 independent {\n"
                         "            value = A[step * 100 + m#10 + 1000]\n"
                         "            B[step * 100 + m#10] = T[m#10 + row#9 * 100] + value\n"
                         "            T[m#10 + row * 100] = value\n"
                         "        }\n"
                         "    } else {\n"
                         "        for i = step + 10 to step + 11 step 1 independent {\n"
                         "            for k = 0 to 100 step 1 independent {\n"
                         "                T[k + row * 100] = A[i * 100 + k]\n"
                         "            }\n"
                         "        }\n"
                         "        for j = max(10, step) to step + 1 step 1 independent {\n"
                         "            for m = 0 to 100 step 1 independent {\n"
                         "                B[j * 100 + m] = T[m + row#9 * 100] + T[m + row * 100]\n"
                         "            }\n"
                         "        }\n"
                         "    }\n"
                         "}\n"
                         "free T\n");
    ir_free(s.ir);
}

static void work(struct sample *s, double *flops, double *bytes)
{
    struct text out = text_new(s->t->arena);
    tree_work(s->t, 1 << 20, &out);
    const struct json *all = json_parse(s->t->arena, s->ir->diags, text_get(&out), out.length);
    CHECK(json_real(json_get(all, "flops"), flops) && json_real(json_get(all, "bytes"), bytes));
}

/* The rows that neighbours compute again are no work of the program, and the temporary stays in the cache. */
TEST(work_counts_once)
{
    struct sample s = sample_new(POINTS * ROW);
    struct tree_stmt *i = loop(&s, s.body, "i", 0, POINTS), *k = loop(&s, i->body, "k", 0, ROW);
    struct tree_expr *a = load(&s, s.a, at(&s, i, k, 0), s.alias_a);
    stmt_store(s.t, k->body, expr_var(s.t, s.temporary), at(&s, i, k, 0), expr_binary(s.t, EXPR_MUL, a, a), s.alias_t);
    consume(&s, 10, 0);
    stmt_free(s.t, s.body, s.temporary);
    double flops, bytes, after, moved;
    work(&s, &flops, &bytes);
    CHECK(flops == POINTS * ROW + (POINTS - 20) * ROW);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK(strstr(shown(&s), "step = -10"));
    work(&s, &after, &moved);
    CHECK(after > 0.999999 * flops && after < 1.000001 * flops);
    CHECK(moved < 0.75 * bytes);
    ir_free(s.ir);
}

/* Rows of points are too long for a tile: point (i, j) needs (i - 1, j + 1) and itself. */
static struct sample planes(bool parallel)
{
    enum { COLUMNS = 1024, ROWS = 64 };
    struct sample s = sample_new(ROWS * COLUMNS * ROW);
    struct tree_stmt *inner[2];
    struct tree_expr *index[2];
    for (int n = 0; n < 2; n++) {
        struct tree_stmt *i = loop(&s, s.body, "i", n, ROWS - n), *j = loop(&s, i->body, "j", n, COLUMNS - n);
        i->loop.parallel = parallel;
        inner[n] = loop(&s, j->body, "k", 0, ROW);
        index[n] = expr_binary(s.t, EXPR_ADD, at(&s, j, inner[n], 0),
                               expr_binary(s.t, EXPR_MUL, expr_var(s.t, i->var), expr_i64(s.t, COLUMNS * ROW)));
    }
    stmt_store(s.t, inner[0]->body, expr_var(s.t, s.temporary), index[0], load(&s, s.a, index[0], s.alias_a),
               s.alias_t);
    struct tree_expr *before = expr_binary(s.t, EXPR_ADD, index[1], expr_i64(s.t, -COLUMNS * ROW + ROW));
    struct tree_expr *sum = expr_binary(s.t, EXPR_ADD, load(&s, s.temporary, before, s.alias_t),
                                        load(&s, s.temporary, index[1], s.alias_t));
    stmt_store(s.t, inner[1]->body, expr_var(s.t, s.b), index[1], sum, s.alias_b);
    stmt_free(s.t, s.body, s.temporary);
    return s;
}

TEST(two_dimensions)
{
    struct sample s = planes(false);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK_STR(shown(&s),
              "for tile = 1 to 1023 step 205 independent {\n"
              "    T = heap float64[41200]\n"
              "    for step = 0 to 63 step 1 {\n"
              "        row = step % 2\n"
              "        row#13 = (step - 1) % 2\n"
              "        for step#11 = tile - 1 to min(1023, tile + 205) step 1 {\n"
              "            if step >= 1 && step#11 >= tile {\n"
              "                for k#14 = 0 to 100 step 1 independent {\n"
              "                    value = A[step#11 * 100 + k#14 + step * 102400 + 100]\n"
              "                    B[step#11 * 100 + k#14 + step * 102400] = T[step#11 * 100 + k#14 + tile * -100 + "
              "row#13 * 20600 + 100] + T[step#11 * 100 + k#14 + tile * -100 + row * 20600]\n"
              "                    T[step#11 * 100 + k#14 + tile * -100 + row * 20600 + 100] = value\n"
              "                }\n"
              "            } else {\n"
              "                for i = step to step + 1 step 1 independent {\n"
              "                    for j = step#11 + 1 to step#11 + 2 step 1 independent {\n"
              "                        for k = 0 to 100 step 1 independent {\n"
              "                            T[j * 100 + k + tile * -100 + row * 20600] = A[j * 100 + k + i * 102400]\n"
              "                        }\n"
              "                    }\n"
              "                }\n"
              "                for i#6 = max(1, step) to step + 1 step 1 independent {\n"
              "                    for j#7 = max(tile, step#11) to step#11 + 1 step 1 independent {\n"
              "                        for k#8 = 0 to 100 step 1 independent {\n"
              "                            B[j#7 * 100 + k#8 + i#6 * 102400] = T[j#7 * 100 + k#8 + tile * -100 + "
              "row#13 * 20600 + 100] + T[j#7 * 100 + k#8 + tile * -100 + row * 20600]\n"
              "                        }\n"
              "                    }\n"
              "                }\n"
              "            }\n"
              "        }\n"
              "    }\n"
              "    free T\n"
              "}\n");
    ir_free(s.ir);
}

TEST(tiles_are_parallel_if_the_nests_were)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 1, 0);
    for (uint32_t i = 1; i < 3; i++)
        s.body->items.items[i]->loop.parallel = true;
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    const char *text = shown(&s);
    CHECK(strstr(text, "for tile = 1 to 4095 step 128 parallel independent {"));
    CHECK(!strstr(strstr(text, "parallel") + 1, "parallel"));
    ir_free(s.ir);
}

/* One loop shares out the tiles of both dimensions: there may be few in each of them. */
TEST(tiles_of_two_dimensions_are_shared_out_together)
{
    struct sample s = planes(true);
    opt_overlapped_tiling(s.t, &s.options);
    const char *text = shown(&s);
    CHECK(text == strstr(text, "for tiles = 0 to 32 step 1 parallel independent {\n"
                               "    for tile = tiles / 32 * 62 + 1 to tiles / 32 * 62 + 2 step 1 {\n"
                               "        for tile#11 = tiles % 32 * 32 + 1 to tiles % 32 * 32 + 2 step 1 {\n"
                               "            T = heap float64[6600]\n"));
    CHECK(!strstr(strstr(text, "parallel") + 1, "parallel"));
    ir_free(s.ir);
}

/* Where the last rows of the first nest are not needed by all of the second one, steps in its end are its own. */
TEST(nests_that_end_earlier_are_not_joined_there)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    struct tree_stmt *m = consume(&s, 10, 0);
    struct tree_stmt *store = m->body->items.items[0];
    store->value = store->value->args[0]; /* T[j - 10], of rows up to POINTS - 20 */
    s.body->items.items[1]->end = expr_i64(s.t, POINTS - 30);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK(strstr(shown(&s), "if step < 4076 {"));
    ir_free(s.ir);
}

/* T[j + 10] from right to left needs all of a row that is just being computed. */
TEST(rows_read_backwards_are_not_joined)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    struct tree_stmt *m = consume(&s, 10, 0), *j = s.body->items.items[2];
    struct tree_expr *index = expr_binary(s.t, EXPR_MUL, expr_var(s.t, j->var), expr_i64(s.t, ROW));
    index = expr_binary(s.t, EXPR_SUB, index, expr_var(s.t, m->var));
    index = expr_binary(s.t, EXPR_ADD, index, expr_i64(s.t, 11 * ROW - 1));
    m->body->items.items[0]->value->args[1] = load(&s, s.temporary, index, s.alias_t);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK(strstr(shown(&s), "for step = -10") && !strstr(shown(&s), "if") && !strstr(shown(&s), "value"));
    ir_free(s.ir);
}

TEST(plain_chain_is_cut)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    CHECK(!stays(&s)); /* what the following tests change a little */
}

TEST(small_memory_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    for (uint32_t i = 1; i < 3; i++)
        s.body->items.items[i]->end = expr_i64(s.t, 1000);
    s.body->items.items[0]->count = expr_i64(s.t, 1010 * ROW);
    CHECK(stays(&s));
}

/* A tile that fits would mostly consist of what its neighbours compute, too. */
TEST(wide_overlap_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 400, 0);
    CHECK(stays(&s));
}

/* T[j * ROW + m - 10 * ROW + 1] belongs to one row or the next. */
TEST(address_between_points_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 1);
    CHECK(stays(&s));
}

/* Iterations of the first nest would store twice what the caller sees, and read what others have changed. */
TEST(lasting_memory_is_written_once)
{
    struct sample s = sample_new(POINTS * ROW);
    struct tree_stmt *k = produce(&s, ROW);
    stmt_store(s.t, k->body, expr_var(s.t, s.a), expr_i64(s.t, 0), expr_float(s.t, s.f64, 1), s.alias_a);
    consume(&s, 10, 0);
    CHECK(stays(&s));
}

TEST(input_that_is_overwritten_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    struct tree_stmt *store = consume(&s, 10, 0)->body->items.items[0];
    store->pointer = expr_var(s.t, s.a);
    store->alias = s.alias_a;
    CHECK(stays(&s));
}

TEST(sums_and_conditions_stay)
{
    struct sample s = sample_new(POINTS * ROW);
    struct tree_stmt *k = produce(&s, ROW), *store = k->body->items.items[0];
    consume(&s, 10, 0);
    k->body->items.count = 0;
    struct tree_stmt *branch = stmt_if(s.t, k->body, expr_binary(s.t, EXPR_GT, store->value, expr_zero(s.t, s.f64)));
    stmt_append(s.t, branch->body, store);
    CHECK(stays(&s));

    s = sample_new(POINTS * ROW);
    k = produce(&s, ROW);
    consume(&s, 10, 0);
    store = k->body->items.items[0];
    store->kind = STMT_REDUCE;
    store->wcr = WCR_SUM;
    CHECK(stays(&s));
}

TEST(memory_used_elsewhere_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    stmt_store(s.t, s.body, expr_var(s.t, s.b), expr_i64(s.t, 0), load(&s, s.temporary, expr_i64(s.t, 0), s.alias_t),
               s.alias_b);
    CHECK(stays(&s));
}

TEST(cleared_memory_stays)
{
    struct sample s = sample_new(POINTS * ROW);
    s.body->items.items[0]->zero = true;
    produce(&s, ROW);
    consume(&s, 10, 0);
    CHECK(stays(&s));
}

TEST(carried_loops_stay)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    s.body->items.items[2]->loop.independent = false;
    CHECK(stays(&s));
}

/* Two nests write the temporary; or the one that reads it comes first. */
TEST(other_orders_stay)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    produce(&s, ROW / 2);
    consume(&s, 10, 0);
    CHECK(stays(&s));
    s = sample_new(POINTS * ROW);
    consume(&s, 10, 0);
    produce(&s, ROW);
    CHECK(stays(&s));
}

TEST(remarks_tell_of_tiles)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 10, 0);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK_STR(remarks_text(s.ir),
              "done   overlap     loop j: is the last of 2 nests that are tiled together with overlap, in "
              "tiles of 4076 iterations: a tile keeps 16800 bytes of 'T' instead of 3276800 and recomputes "
              "0 %\n");
    ir_free(s.ir);
}

TEST(remarks_tell_of_memory_that_lives_on)
{
    struct sample s = sample_new(POINTS * ROW);
    struct tree_stmt *k = produce(&s, ROW);
    stmt_store(s.t, k->body, expr_var(s.t, s.a), expr_i64(s.t, 0), expr_float(s.t, s.f64, 1), s.alias_a);
    consume(&s, 10, 0);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK_STR(remarks_text(s.ir), "missed overlap     loop i: 2 nests from here on are not tiled together: memory that "
                                  "outlives them would be written twice\n");
    ir_free(s.ir);
}

TEST(remarks_tell_what_stands_against_tiles)
{
    struct sample s = sample_new(POINTS * ROW);
    produce(&s, ROW);
    consume(&s, 400, 0);
    stmt_free(s.t, s.body, s.temporary);
    opt_overlapped_tiling(s.t, &s.options);
    CHECK_STR(remarks_text(s.ir),
              "missed overlap     loop i: 2 nests from here on are not tiled together: every tile that "
              "fits the cache recomputes too much\n");
    ir_free(s.ir);
}

CHECK_MAIN
