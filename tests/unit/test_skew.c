/* Trees before and after the pass skew, and what they compute: the same, to the bit, as the loops they come from. */
#include "lower/opt/passes.h"
#include "lower/tree/tree.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

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

static const char *skewed(struct program *p, int threads)
{
    opt_time_skewing(p->t, &(struct tree_options){ .num_threads = threads });
    return program_statements(p);
}

/* ---- trees ---- */

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
