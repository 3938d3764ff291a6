/* Trees before and after the pass skew, and what they compute: the same, to the bit, as the loops they come from. */
#include "lower/opt/passes.h"
#include "lower/tree/tree.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/tree_text.h"

#include <stdlib.h>

enum { ARRAYS = 3, ROWS = 6000, EDGE = 40, WIDTH = 64, PLANE_ROWS = 2500, NEAR_ROWS = 600, PLANE = WIDTH * PLANE_ROWS };

static struct tree_expr *add(struct program *p, struct tree_expr *a, int64_t b)
{
    return expr_binary(p->t, EXPR_ADD, a, expr_i64(p->t, b));
}

static struct tree_stmt *loop(struct program *p, struct tree_stmt *block, const char *name, int64_t begin, int64_t end)
{
    struct tree_var *v = tree_var(p->t, name, program_type(p, TYPE_I64));
    return stmt_for(p->t, block, v, expr_i64(p->t, begin), expr_i64(p->t, end), expr_i64(p->t, 1));
}

static const char *shown(struct program *p) { return tree_text(p->t, p->body); }

static const char *skewed(struct program *p, int threads)
{
    opt_time_skewing(p->t, &(struct tree_options){ .num_threads = threads });
    return shown(p);
}

/* ---- trees ---- */

/* for t: for i { to[i] = from[i - reach] + from[i + reach] } and back */
static struct program there_and_back(int64_t steps, int64_t rows, int64_t reach)
{
    struct program p = program_begin();
    const struct type *i64 = program_type(&p, TYPE_I64);
    struct tree_expr *a = program_array(&p, "A", i64, NULL), *b = program_array(&p, "B", i64, NULL);
    struct tree_stmt *t = loop(&p, p.body, "t", 0, steps);
    for (int k = 0; k < 2; k++) {
        struct tree_stmt *s = loop(&p, t->body, k ? "j" : "i", reach, rows - reach);
        struct tree_expr *x = expr_var(p.t, s->var), *from = k ? b : a;
        struct tree_expr *sum = expr_binary(p.t, EXPR_ADD, program_load(&p, from, add(&p, x, -reach)),
                                            program_load(&p, from, add(&p, x, reach)));
        program_store(&p, s->body, k ? a : b, x, sum);
    }
    return p;
}

TEST(tiles_in_turn)
{
    struct program p = there_and_back(2000, ROWS, 1);
    CHECK_STR(skewed(&p, 1), "for block = 0 to 2000 step 512 {\n"
                             "    stop = min(block + 512, 2000)\n"
                             "    for tile = 0 to 7021 step 1024 {\n"
                             "        for t = block to stop step 1 {\n"
                             "            row = tile - (t - block) * 2 + 1\n"
                             "            for i = max(1, row) to min(5999, row + 1024) step 1 {\n"
                             "                B[i] = A[i - 1] + A[i + 1]\n"
                             "            }\n"
                             "            for j = max(1, row - 1) to min(5999, row + 1023) step 1 {\n"
                             "                A[j] = B[j - 1] + B[j + 1]\n"
                             "            }\n"
                             "        }\n"
                             "    }\n"
                             "}\n");
    program_end(&p);
}

/* Who counts work sees the loops as they are, and that steps find in cache what others left there. */
TEST(no_tiles_where_work_is_counted)
{
    struct program p = there_and_back(2000, ROWS, 1);
    const char *before = shown(&p);
    opt_time_skewing(p.t, &(struct tree_options){ .num_threads = 1, .counting = true });
    CHECK_STR(shown(&p), before);
    CHECK(p.body->items.items[0]->loop.near);
    program_end(&p);
    p = there_and_back(2, ROWS, 1); /* too few steps for tiles */
    opt_time_skewing(p.t, &(struct tree_options){ .num_threads = 1, .counting = true });
    CHECK(!p.body->items.items[0]->loop.near);
    program_end(&p);
}

TEST(tiles_in_waves)
{
    struct program p = there_and_back(2000, ROWS, 1);
    CHECK_STR(skewed(&p, 2), "for wave = 0 to 27 step 1 {\n"
                             "    for block = max(0, (wave - 11) / 2) to min(8, wave / 2 + 1) step 1 parallel {\n"
                             "        tile = (wave - block * 2) * 500\n"
                             "        first = block * 250\n"
                             "        stop = min(first + 250, 2000)\n"
                             "        for t = first to stop step 1 {\n"
                             "            row = tile - (t - first) * 2 + 1\n"
                             "            for i = max(1, row) to min(5999, row + 500) step 1 {\n"
                             "                B[i] = A[i - 1] + A[i + 1]\n"
                             "            }\n"
                             "            for j = max(1, row - 1) to min(5999, row + 499) step 1 {\n"
                             "                A[j] = B[j - 1] + B[j + 1]\n"
                             "            }\n"
                             "        }\n"
                             "    }\n"
                             "}\n");
    program_end(&p);
}

TEST(waves_only_for_as_many_threads_as_have_tiles)
{
    struct program p = there_and_back(2000, ROWS, 1);
    CHECK(strstr(skewed(&p, 0), "limit = sdfg_rt_thread_limit(context)\n"
                                "if 208 >= limit * 81 {\n"
                                "    for wave = 0 to 27 step 1 {\n"));
    CHECK(strstr(shown(&p), "} else {\n    for t#"));
    program_end(&p);
    p = there_and_back(2000, ROWS, 1);
    CHECK(!strstr(skewed(&p, 16), "wave"));
    program_end(&p);
    p = there_and_back(20, ROWS, 1); /* too few steps for threads */
    CHECK(!strstr(skewed(&p, 2), "wave"));
    program_end(&p);
}

/* The same of rows of WIDTH elements. */
static struct program planes(int64_t rows, int64_t reach)
{
    struct program p = there_and_back(2000, rows, reach);
    for (int k = 0; k < 2; k++) {
        struct tree_stmt *s = p.body->items.items[0]->body->items.items[k], *store = s->body->items.items[0];
        struct tree_stmt *m = loop(&p, NULL, "m", 0, WIDTH);
        struct tree_expr *i = expr_var(p.t, s->var), *wide = expr_i64(p.t, WIDTH);
        struct tree_expr *at = expr_binary(p.t, EXPR_MUL, i, wide);
        struct tree_expr *from = expr_var(p.t, p.main->params.items[k].var);
        struct tree_expr *low = add(&p, at, -reach * WIDTH), *high = add(&p, at, reach * WIDTH),
                         *x = expr_var(p.t, m->var);
        low = program_load(&p, from, expr_binary(p.t, EXPR_ADD, low, x));
        high = program_load(&p, from, expr_binary(p.t, EXPR_ADD, high, x));
        store->index = expr_binary(p.t, EXPR_ADD, at, x);
        store->value = expr_binary(p.t, EXPR_ADD, low, high);
        stmt_append(p.t, m->body, store);
        s->body->items.items[0] = m;
    }
    return p;
}

static bool stays(struct program p)
{
    const char *before = shown(&p);
    bool same = strcmp(before, skewed(&p, 1)) == 0;
    program_end(&p);
    return same;
}

/* As many steps as A[at] says, or N if that is negative. */
static struct program up_to(int64_t at)
{
    struct program p = there_and_back(2000, ROWS, 1);
    struct tree_expr *a = expr_var(p.t, p.main->params.items[0].var);
    p.body->items.items[0]->end =
        at < 0 ? program_value(&p, "N", TYPE_I64, NULL) : program_load(&p, a, expr_i64(p.t, at));
    return p;
}

/* The last step is asked for in every block of steps. */
TEST(last_step_that_steps_change)
{
    CHECK(!stays(up_to(-1)));
    CHECK(stays(up_to(5)));
}

TEST(what_does_not_pay)
{
    CHECK(stays(there_and_back(2000, 1000, 1)));    /* in cache anyhow */
    CHECK(stays(there_and_back(3, ROWS, 1)));       /* few steps */
    CHECK(stays(there_and_back(2000, ROWS, 1000))); /* tiles would be as wide as all of it */
    CHECK(!stays(there_and_back(2000, ROWS, 3)));
}

/* In rows of 1 KB in all, 600 of which stay in the second-level cache, as they are or in tiles. */
TEST(narrow_tiles)
{
    struct program p = planes(NEAR_ROWS, 1);
    CHECK_STR(skewed(&p, 1), "for block = 0 to 2000 step 13 {\n"
                             "    stop = min(block + 13, 2000)\n"
                             "    for tile = 0 to 623 step 4 {\n"
                             "        for t = block to stop step 1 {\n"
                             "            row = tile - (t - block) * 2 + 1\n"
                             "            for i = max(1, row) to min(599, row + 4) step 1 {\n"
                             "                for m = 0 to 64 step 1 {\n"
                             "                    B[i * 64 + m] = A[i * 64 + m - 64] + A[i * 64 + m + 64]\n"
                             "                }\n"
                             "            }\n"
                             "            for j = max(1, row - 1) to min(599, row + 3) step 1 {\n"
                             "                for m#6 = 0 to 64 step 1 {\n"
                             "                    A[j * 64 + m#6] = B[j * 64 + m#6 - 64] + B[j * 64 + m#6 + 64]\n"
                             "                }\n"
                             "            }\n"
                             "        }\n"
                             "    }\n"
                             "}\n");
    program_end(&p);
    CHECK(stays(planes(60, 1)));        /* in the first-level cache anyhow */
    CHECK(stays(planes(NEAR_ROWS, 8))); /* which has no room for what a step needs */
    p = planes(NEAR_ROWS, 1);
    CHECK(!strstr(skewed(&p, 2), "tile")); /* waves of few rows would be too short */
    program_end(&p);
}

TEST(narrow_tiles_in_tiles)
{
    struct program p = planes(PLANE_ROWS, 1);
    CHECK_STR(skewed(&p, 1),
              "for block = 0 to 2000 step 256 {\n"
              "    stop = min(block + 256, 2000)\n"
              "    for tile = 0 to 3009 step 512 {\n"
              "        for part = block to stop step 13 {\n"
              "            until = min(part + 13, stop)\n"
              "            for strip = tile to tile + 512 step 4 {\n"
              "                for t = part to until step 1 {\n"
              "                    row = strip - (t - block) * 2 + 1\n"
              "                    for i = max(1, row) to min(2499, row + 4) step 1 {\n"
              "                        for m = 0 to 64 step 1 {\n"
              "                            B[i * 64 + m] = A[i * 64 + m - 64] + A[i * 64 + m + 64]\n"
              "                        }\n"
              "                    }\n"
              "                    for j = max(1, row - 1) to min(2499, row + 3) step 1 {\n"
              "                        for m#6 = 0 to 64 step 1 {\n"
              "                            A[j * 64 + m#6] = B[j * 64 + m#6 - 64] + B[j * 64 + m#6 + 64]\n"
              "                        }\n"
              "                    }\n"
              "                }\n"
              "            }\n"
              "        }\n"
              "    }\n"
              "}\n");
    program_end(&p);
    p = planes(ROWS, 1);
    CHECK(strstr(skewed(&p, 2), "            for strip = tile to tile + 496 step 4 {\n"));
    program_end(&p);
    p = planes(ROWS, 1); /* blocks of 25 steps for two threads, 13 of which would be a part */
    p.body->items.items[0]->end = expr_i64(p.t, 200);
    CHECK(strstr(skewed(&p, 2), "wave") && !strstr(shown(&p), "strip"));
    program_end(&p);
    p = planes(PLANE_ROWS, 8);
    CHECK(strstr(skewed(&p, 1), "tile") && !strstr(shown(&p), "strip"));
    program_end(&p);
}

/* The step's first statement changes, in the tree of tiles_in_turn: it stores or reads something more. */
static bool stays_with(struct tree_expr *(*more)(struct program *p, struct tree_stmt *t, struct tree_stmt *i,
                                                 struct tree_expr *value))
{
    struct program p = there_and_back(2000, ROWS, 1);
    struct tree_stmt *t = p.body->items.items[0], *i = t->body->items.items[0], *store = i->body->items.items[0];
    store->value = more(&p, t, i, store->value);
    return stays(p);
}

static struct tree_expr *whole(struct program *p, struct tree_expr *value, struct tree_expr *at)
{
    struct tree_expr *a = expr_var(p->t, p->main->params.items[0].var);
    return expr_binary(p->t, EXPR_ADD, value, program_load(p, a, at));
}

static struct tree_expr *one_place(struct program *p, struct tree_stmt *t, struct tree_stmt *i, struct tree_expr *value)
{
    (void)t, (void)i;
    return whole(p, value, expr_i64(p->t, 7));
}

static struct tree_expr *mirrored(struct program *p, struct tree_stmt *t, struct tree_stmt *i, struct tree_expr *value)
{
    (void)t;
    return whole(p, value, expr_binary(p->t, EXPR_SUB, expr_i64(p->t, ROWS), expr_var(p->t, i->var)));
}

static struct tree_expr *by_step(struct program *p, struct tree_stmt *t, struct tree_stmt *i, struct tree_expr *value)
{
    return whole(p, value, expr_binary(p->t, EXPR_ADD, expr_var(p->t, t->var), expr_var(p->t, i->var)));
}

static struct tree_expr *by_data(struct program *p, struct tree_stmt *t, struct tree_stmt *i, struct tree_expr *value)
{
    (void)t;
    struct tree_expr *a = expr_var(p->t, p->main->params.items[0].var);
    return whole(p, value, program_load(p, a, expr_var(p->t, i->var)));
}

static struct tree_expr *carried(struct program *p, struct tree_stmt *t, struct tree_stmt *i, struct tree_expr *value)
{
    (void)t;
    struct tree_var *x = tree_var(p->t, "x", program_type(p, TYPE_I64));
    struct tree_stmt *body = stmt_block(p->t);
    struct tree_expr *both = expr_binary(p->t, EXPR_ADD, value, expr_var(p->t, x));
    stmt_assign(p->t, body, x, both);
    stmt_append(p->t, body, i->body->items.items[0]);
    i->body->items = body->items;
    struct tree_stmt *start = stmt_block(p->t);
    stmt_assign(p->t, start, x, expr_i64(p->t, 0));
    stmt_append(p->t, start, p->body->items.items[0]);
    p->body->items = start->items;
    return expr_var(p->t, x);
}

TEST(what_may_not_be_cut)
{
    CHECK(stays_with(one_place));
    CHECK(stays_with(mirrored));
    CHECK(stays_with(by_step));
    CHECK(stays_with(by_data));
    CHECK(stays_with(carried));
}

/* ---- runs ---- */

struct access {
    int array;
    int64_t shift;
};

struct stage {
    int64_t begin, end;
    struct access to, from[3];
    int reads;
};

static uint32_t random_state;

static int64_t random_below(int64_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int64_t)(random_state >> 8) % n;
}

/* Elements of the places are rows of `width` elements, of which the first and the last are not stored to. */
struct shape {
    int64_t rows, width;
};

static struct stage random_stage(const struct shape *shape)
{
    struct stage s = { EDGE + random_below(EDGE), shape->rows - EDGE - random_below(EDGE), { 0 }, { { 0 } }, 0 };
    int64_t aside = shape->width > 1 ? 3 : 1;
    s.to = (struct access){ (int)random_below(ARRAYS), (random_below(5) - 2) * shape->width };
    s.reads = 1 + (int)random_below(3);
    for (int i = 0; i < s.reads; i++)
        s.from[i] = (struct access){ (int)random_below(ARRAYS),
                                     (random_below(7) - 3) * shape->width + random_below(aside) - aside / 2 };
    return s;
}

static int64_t data[ARRAYS][PLANE], expected[ARRAYS][PLANE];

static void compute(const struct shape *shape, const struct stage *stages, int count, int64_t steps)
{
    int64_t edge = shape->width > 1;
    for (int64_t t = 0; t < steps; t++)
        for (int k = 0; k < count; k++)
            for (int64_t i = stages[k].begin * shape->width; i < stages[k].end * shape->width; i++) {
                uint64_t sum = (uint64_t)(i * 3 + t);
                for (int r = 0; r < stages[k].reads; r++)
                    sum = sum * 5 + (uint64_t)expected[stages[k].from[r].array][i + stages[k].from[r].shift];
                if (i % shape->width >= edge && i % shape->width < shape->width - edge)
                    expected[stages[k].to.array][i + stages[k].to.shift] = (int64_t)sum;
            }
}

/* The same as a tree; gives whether the pass took it. */
static bool run_stages(const struct shape *shape, const struct stage *stages, int count, int64_t steps, int threads)
{
    struct program p = program_begin();
    struct tree_expr *arrays[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = program_array(&p, "A", program_type(&p, TYPE_I64), data[i]);
    struct tree_expr *end = program_value(&p, "T", TYPE_I64, &steps);
    struct tree_stmt *t = loop(&p, p.body, "t", 0, 0);
    t->end = end;
    for (int k = 0; k < count; k++) {
        struct tree_stmt *s = loop(&p, t->body, "i", stages[k].begin, stages[k].end);
        struct tree_expr *i = expr_var(p.t, s->var), *five = expr_i64(p.t, 5);
        if (shape->width > 1) {
            i = expr_binary(p.t, EXPR_MUL, i, expr_i64(p.t, shape->width));
            s = loop(&p, s->body, "m", 1, shape->width - 1);
            i = expr_binary(p.t, EXPR_ADD, i, expr_var(p.t, s->var));
        }
        struct tree_expr *sum = expr_binary(p.t, EXPR_MUL, i, expr_i64(p.t, 3));
        sum = expr_binary(p.t, EXPR_ADD, sum, expr_var(p.t, t->var));
        for (int r = 0; r < stages[k].reads; r++)
            sum = expr_binary(p.t, EXPR_ADD, expr_binary(p.t, EXPR_MUL, sum, five),
                              program_load(&p, arrays[stages[k].from[r].array], add(&p, i, stages[k].from[r].shift)));
        program_store(&p, s->body, arrays[stages[k].to.array], add(&p, i, stages[k].to.shift), sum);
    }
    struct tree_options o = { .num_threads = threads };
    bool taken = strstr(skewed(&p, threads), "tile") != NULL;
    opt_parallelize(p.t, &o);
    p.threads = threads;
    CHECK(program_run(&p, -1));
    program_end(&p);
    return taken;
}

/* Gives how many of so many random programs, of at most so many steps, the pass took. */
static int run_random(const struct shape *shape, int trials, int64_t most_steps, int most_threads)
{
    enum { MOST = 4 };
    int taken = 0;
    for (int trial = 0; trial < trials; trial++) {
        random_state = (uint32_t)trial * 7919 + 1;
        struct stage stages[MOST];
        int count = 1 + (int)random_below(MOST), threads = 1 + trial % most_threads;
        int64_t steps = trial % 10 == 0 ? 0 : 1 + random_below(most_steps);
        for (int k = 0; k < count; k++)
            stages[k] = random_stage(shape);
        for (int a = 0; a < ARRAYS; a++)
            for (int64_t i = 0; i < shape->rows * shape->width; i++)
                data[a][i] = expected[a][i] = random_below(1000);
        compute(shape, stages, count, steps);
        taken += run_stages(shape, stages, count, steps, threads);
        CHECK(memcmp(data, expected, sizeof data) == 0);
    }
    return taken;
}

TEST(every_iteration_sees_what_it_saw) { CHECK(run_random(&(struct shape){ ROWS, 1 }, 40, 700, 3) > 30); }

TEST(in_narrow_tiles_too)
{
    CHECK(run_random(&(struct shape){ NEAR_ROWS, WIDTH }, 30, 40, 1) > 15);
    CHECK(run_random(&(struct shape){ PLANE_ROWS, WIDTH }, 12, 40, 3) > 5);
}

/* for t { x = F[t]; A[0, :] = x; for i { for k { A[i, k] = A[i - 1, k] + A[i + 1, k + 1] } } } */
static bool run_plane(int64_t *plane, int64_t *first, int64_t steps, int threads)
{
    struct program p = program_begin();
    const struct type *i64 = program_type(&p, TYPE_I64);
    struct tree_expr *a = program_array(&p, "A", i64, plane), *f = program_array(&p, "F", i64, first);
    struct tree_stmt *t = loop(&p, p.body, "t", 0, steps);
    struct tree_var *x = tree_var(p.t, "x", i64);
    stmt_assign(p.t, t->body, x, program_load(&p, f, expr_var(p.t, t->var)));
    struct tree_stmt *k = loop(&p, t->body, "k", 0, WIDTH);
    program_store(&p, k->body, a, expr_var(p.t, k->var), expr_var(p.t, x));
    struct tree_stmt *i = loop(&p, t->body, "i", 1, PLANE_ROWS - 1), *m = loop(&p, i->body, "m", 0, WIDTH - 1);
    struct tree_expr *at = expr_binary(p.t, EXPR_MUL, expr_var(p.t, i->var), expr_i64(p.t, WIDTH));
    at = expr_binary(p.t, EXPR_ADD, at, expr_var(p.t, m->var));
    program_store(&p, m->body, a, at,
                  expr_binary(p.t, EXPR_ADD, program_load(&p, a, add(&p, at, -WIDTH)),
                              program_load(&p, a, add(&p, at, WIDTH + 1))));
    bool taken = strstr(skewed(&p, threads), "tile") != NULL;
    opt_parallelize(p.t, &(struct tree_options){ .num_threads = threads });
    p.threads = threads;
    CHECK(program_run(&p, -1));
    program_end(&p);
    return taken;
}

TEST(planes_with_a_row_of_their_own)
{
    enum { STEPS = 300 };
    static int64_t plane[PLANE], right[PLANE], first[STEPS];
    for (int threads = 1; threads <= 3; threads += 2) {
        for (int64_t i = 0; i < PLANE; i++)
            plane[i] = right[i] = i % 97;
        for (int64_t t = 0; t < STEPS; t++)
            first[t] = 5 * t;
        for (int64_t t = 0; t < STEPS; t++) {
            for (int64_t k = 0; k < WIDTH; k++)
                right[k] = first[t];
            for (int64_t i = 1; i < PLANE_ROWS - 1; i++)
                for (int64_t m = 0; m < WIDTH - 1; m++) {
                    int64_t at = i * WIDTH + m;
                    right[at] = (int64_t)((uint64_t)right[at - WIDTH] + (uint64_t)right[at + WIDTH + 1]);
                }
        }
        CHECK(run_plane(plane, first, STEPS, threads));
        CHECK(memcmp(plane, right, sizeof plane) == 0);
    }
}

CHECK_MAIN
