/* The pass lines: rows of stencils before and after it, what it leaves alone, and that the same is computed wherever
 * arrays begin. */
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/machine.h"
#include "tests/unit/tree_text.h"

#include <stdlib.h>

enum { ROWS = 500, WIDTH = 80, ELEMENTS = (ROWS + 2) * WIDTH, LINE = 8 /* elements */ };

/* for i = 1 to ROWS: for j = 1 to `end`: B[i * WIDTH + j] = A[.. - 1] + A[..] + A[.. + 1] */
struct sample {
    struct program p;
    struct tree *t;
    const struct type *type;
    struct tree_expr *A, *B, *place;
    struct tree_stmt *outer, *row, *store;
    int vector;
    bool halves;
};

static struct tree_expr *moved(struct sample *s, int64_t by)
{
    return expr_binary(s->t, EXPR_ADD, s->place, expr_i64(s->t, by));
}

static struct tree_expr *sum(struct sample *s, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, EXPR_ADD, a, b);
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *block, const char *name, int64_t end)
{
    struct tree_var *v = tree_var(s->t, name, program_type(&s->p, TYPE_I64));
    return stmt_for(s->t, block, v, expr_i64(s->t, 1), expr_i64(s->t, end), expr_i64(s->t, 1));
}

static struct sample *sample_of(enum type_kind kind, int64_t end, void *a, void *b)
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->t = s->p.t;
    s->vector = 64;
    s->type = program_type(&s->p, kind);
    s->A = program_array(&s->p, "A", s->type, a);
    s->B = program_array(&s->p, "B", s->type, b);
    s->outer = loop(s, s->p.body, "i", ROWS);
    s->row = loop(s, s->outer->body, "j", end);
    s->row->loop.independent = true;
    struct tree_expr *start = expr_binary(s->t, EXPR_MUL, expr_var(s->t, s->outer->var), expr_i64(s->t, WIDTH));
    s->place = expr_binary(s->t, EXPR_ADD, start, expr_var(s->t, s->row->var));
    struct tree_expr *left = sum(s, program_load(&s->p, s->A, moved(s, -1)), program_load(&s->p, s->A, s->place));
    s->store = program_store(&s->p, s->row->body, s->B, s->place, sum(s, left, program_load(&s->p, s->A, moved(s, 1))));
    return s;
}

static struct sample *sample_new(void) { return sample_of(TYPE_F64, WIDTH - 1, NULL, NULL); }

static const char *cut(struct sample *s)
{
    set_machine(s->t, s->vector, s->halves, 0);
    CHECK(opt_alignment_peeling(s->t, &(struct tree_options){ 0 }));
    return tree_text(s->t, s->p.body);
}

static void sample_end(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

/* Gives the sample back. */
static bool stays(struct sample *s)
{
    const char *before = tree_text(s->t, s->p.body);
    bool same = strcmp(before, cut(s)) == 0;
    sample_end(s);
    return same;
}

/* ---- trees ---- */

TEST(ends_and_whole_vectors)
{
    struct sample *s = sample_new();
    CHECK_STR(cut(s), "for i = 1 to 500 step 1 {\n"
                      "    first = (64 - (int64(&B[i * 80 + 1]) & 63) & 63) / 8 + 1\n"
                      "    for j = 1 to first step 1 independent wide masked {\n"
                      "        B[i * 80 + j] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "    last = first + (79 - first & -8)\n"
                      "    for j = first to last step 1 independent wide whole {\n"
                      "        B[i * 80 + j] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "    for j = last to 79 step 1 independent wide masked {\n"
                      "        B[i * 80 + j] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "}\n");
    sample_end(s);
}

TEST(from_where_the_row_begins)
{
    struct sample *s = sample_new(); /* all is a row and a half away from what is stored */
    s->store->index = moved(s, WIDTH + 4);
    CHECK_STR(cut(s), "for i = 1 to 500 step 1 {\n"
                      "    for j = 1 to 73 step 1 independent wide whole {\n"
                      "        B[i * 80 + j + 84] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "    for j = 73 to 79 step 1 independent wide masked {\n"
                      "        B[i * 80 + j + 84] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "}\n");
    sample_end(s);
}

TEST(nothing_left_behind_whole_vectors)
{
    struct sample *s = sample_of(TYPE_F32, 65, NULL, NULL);
    s->store->index = moved(s, 3);
    CHECK_STR(cut(s), "for i = 1 to 500 step 1 {\n"
                      "    for j = 1 to 65 step 1 independent wide whole {\n"
                      "        B[i * 80 + j + 3] = A[i * 80 + j - 1] + A[i * 80 + j] + A[i * 80 + j + 1]\n"
                      "    }\n"
                      "}\n");
    sample_end(s);
}

TEST(what_is_said)
{
    struct sample *s = sample_new();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    cut(s);
    CHECK(strstr(remarks_text(s->p.ir), "loop j: is peeled so that its vectors of 64 bytes begin at cache lines"));
    sample_end(s);
}

/* ---- neighbours ---- */

TEST(neighbours_stay)
{
    struct sample *s = sample_of(TYPE_F64, 65, NULL, NULL);
    s->halves = true;
    s->store->index = moved(s, 3);
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    CHECK_STR(cut(s), "for i = 1 to 500 step 1 {\n"
                      "    side = A[i * 80]\n"
                      "    side#5 = A[i * 80 + 1]\n"
                      "    for j = 1 to 65 step 1 independent wide whole {\n"
                      "        side#6 = A[i * 80 + j + 1]\n"
                      "        B[i * 80 + j + 3] = side + side#5 + side#6\n"
                      "        side = side#5\n"
                      "        side#5 = side#6\n"
                      "    }\n"
                      "}\n");
    CHECK(strstr(remarks_text(s->p.ir), "loop j: keeps 2 neighbouring elements in registers"));
    sample_end(s);
}

static bool has_neighbours(struct sample *s)
{
    s->halves = true;
    const char *text = cut(s);
    CHECK(strstr(text, "whole"));
    bool has = strstr(text, "side") != NULL;
    sample_end(s);
    return has;
}

TEST(neighbours_that_are_loaded_again)
{
    CHECK(has_neighbours(sample_new()));
    CHECK(!has_neighbours(sample_of(TYPE_F64, 48, NULL, NULL))); /* less than six vectors */
    CHECK(has_neighbours(sample_of(TYPE_F64, 49, NULL, NULL)));
    struct sample *s = sample_new(); /* three elements apart */
    struct tree_expr *apart = sum(s, program_load(&s->p, s->A, moved(s, -3)), program_load(&s->p, s->A, s->place));
    s->store->value = sum(s, apart, program_load(&s->p, s->A, moved(s, 3)));
    CHECK(!has_neighbours(s));
    s = sample_new(); /* what is loaded is changed by the row */
    s->store->pointer = s->A;
    s->store->alias = program_alias(&s->p, s->A);
    CHECK(!has_neighbours(s));
}

/* A[-1] + A[1] + A[4] + A[WIDTH - 1] + A[WIDTH]: one group; the others have gaps */
TEST(groups_of_neighbours)
{
    struct sample *s = sample_of(TYPE_F64, 65, NULL, NULL);
    s->halves = true;
    s->store->index = moved(s, 3);
    s->store->value = program_load(&s->p, s->A, moved(s, -1));
    static const int64_t others[] = { 1, 4, WIDTH - 1, WIDTH };
    for (int i = 0; i < 4; i++)
        s->store->value = sum(s, s->store->value, program_load(&s->p, s->A, moved(s, others[i])));
    CHECK_STR(cut(s),
              "for i = 1 to 500 step 1 {\n"
              "    side = A[i * 80 + 80]\n"
              "    for j = 1 to 65 step 1 independent wide whole {\n"
              "        side#5 = A[i * 80 + j + 80]\n"
              "        B[i * 80 + j + 3] = A[i * 80 + j - 1] + A[i * 80 + j + 1] + A[i * 80 + j + 4] + side + side#5\n"
              "        side = side#5\n"
              "    }\n"
              "}\n");
    sample_end(s);
}

/* ---- what is left alone ---- */

TEST(machines_without_masks)
{
    struct sample *s = sample_new();
    s->vector = 0;
    CHECK(stays(s));
}

TEST(loops_of_another_kind)
{
    struct sample *s = sample_new();
    s->row->loop.independent = false;
    CHECK(stays(s));
    s = sample_new();
    s->row->loop.parallel = true;
    CHECK(stays(s));
    s = sample_new();
    s->row->step = expr_i64(s->t, 2);
    CHECK(stays(s));
    s = sample_new();
    s->row->end = program_value(&s->p, "N", TYPE_I64, NULL);
    CHECK(stays(s));
    s = sample_new();
    s->row->begin = program_value(&s->p, "N", TYPE_I64, NULL);
    CHECK(stays(s));
}

TEST(little_to_do)
{
    CHECK(stays(sample_of(TYPE_F64, 32, NULL, NULL))); /* 31 iterations: less than four vectors */
    CHECK(!stays(sample_of(TYPE_F64, 34, NULL, NULL)));
    CHECK(stays(sample_of(TYPE_F32, 64, NULL, NULL)));
    struct sample *s = sample_new();
    s->outer->end = expr_i64(s->t, 200); /* 199 rows of 78 */
    CHECK(stays(s));
    s = sample_new(); /* rows nobody knows the number of, in steps nobody knows the number of, count as 16 * 16 */
    s->outer->end = program_value(&s->p, "N", TYPE_I64, NULL);
    CHECK(stays(s));
}

TEST(elements_that_are_used_once)
{
    struct sample *s = sample_new(); /* two of an array */
    s->store->value = sum(s, program_load(&s->p, s->A, s->place), program_load(&s->p, s->A, moved(s, 1)));
    CHECK(stays(s));
    s = sample_new(); /* one each of three */
    struct tree_expr *c = program_array(&s->p, "C", s->type, NULL), *d = program_array(&s->p, "D", s->type, NULL);
    struct tree_expr *both = sum(s, program_load(&s->p, c, s->place), program_load(&s->p, d, s->place));
    s->store->value = sum(s, program_load(&s->p, s->A, s->place), both);
    CHECK(stays(s));
    s = sample_new(); /* the same one three times */
    struct tree_expr *one = program_load(&s->p, s->A, s->place);
    s->store->value = sum(s, sum(s, one, program_load(&s->p, s->A, s->place)), one);
    CHECK(stays(s));
}

TEST(bodies_of_another_kind)
{
    struct sample *s = sample_new(); /* a branch */
    struct tree_stmt *branch = stmt_if(s->t, NULL, expr_binary(s->t, EXPR_LT, s->place, expr_i64(s->t, 9)));
    stmt_append(s->t, branch->body, s->store);
    s->row->body->items.items[0] = branch;
    CHECK(stays(s));
    s = sample_new(); /* a function */
    struct tree_expr *value = s->store->value;
    s->store->value = expr_math(s->t, TREE_MATH_exp, &value);
    CHECK(stays(s));
    s = sample_new(); /* a sum in memory */
    stmt_reduce(s->t, s->row->body, WCR_SUM, false, s->B, s->place, s->store->value, s->store->alias);
    CHECK(stays(s));
    s = sample_new(); /* values of several sizes */
    struct tree_expr *f = program_array(&s->p, "F", program_type(&s->p, TYPE_F32), NULL);
    struct tree_expr *small = program_load(&s->p, f, s->place);
    s->store->value = sum(s, s->store->value, expr_cast(s->t, s->type, small));
    CHECK(stays(s));
    CHECK(stays(sample_of(TYPE_I64, WIDTH - 1, NULL, NULL)));
}

TEST(places_that_do_not_follow_each_other)
{
    struct sample *s = sample_new();
    struct tree_expr *twice = expr_binary(s->t, EXPR_MUL, expr_var(s->t, s->row->var), expr_i64(s->t, 2));
    s->store->value = sum(s, s->store->value, program_load(&s->p, s->A, twice));
    CHECK(stays(s));
    s = sample_new();
    s->store->index = expr_binary(s->t, EXPR_MUL, expr_var(s->t, s->row->var), expr_i64(s->t, 2));
    CHECK(stays(s));
    s = sample_new(); /* that depend on data */
    struct tree_expr *x = program_array(&s->p, "X", program_type(&s->p, TYPE_I64), NULL);
    struct tree_stmt *at = stmt_assign(s->t, stmt_block(s->t), tree_var(s->t, "at", program_type(&s->p, TYPE_I64)),
                                       program_load(&s->p, x, s->place));
    vec_push(s->t->arena, &s->row->body->items, s->row->body->items.items[0]);
    s->row->body->items.items[0] = at;
    s->store->value = sum(s, s->store->value, program_load(&s->p, s->A, expr_var(s->t, at->var)));
    CHECK(stays(s));
}

/* Vectors that begin elsewhere than those that have just been stored would wait for them. */
TEST(rows_that_hand_each_other_values)
{
    struct sample *s = sample_new(); /* another one reads what this one stores */
    struct tree_stmt *next = loop(s, s->outer->body, "k", WIDTH);
    struct tree_expr *k = expr_var(s->t, next->var);
    program_store(&s->p, next->body, program_array(&s->p, "C", s->type, NULL), k, program_load(&s->p, s->B, k));
    CHECK(stays(s));
    s = sample_new(); /* another one stores what this one reads */
    next = loop(s, s->outer->body, "k", WIDTH);
    program_store(&s->p, next->body, s->A, expr_var(s->t, next->var), expr_float(s->t, s->type, 0));
    CHECK(stays(s));
    s = sample_new(); /* they have nothing in common */
    next = loop(s, s->outer->body, "k", WIDTH);
    program_store(&s->p, next->body, program_array(&s->p, "C", s->type, NULL), expr_var(s->t, next->var),
                  expr_float(s->t, s->type, 0));
    CHECK(!stays(s));
    s = sample_new(); /* the other one reads what this one stores, and all vectors begin with lines */
    s->store->value = sum(s, program_load(&s->p, s->A, moved(s, -WIDTH)), program_load(&s->p, s->A, s->place));
    s->store->value = sum(s, s->store->value, program_load(&s->p, s->A, moved(s, WIDTH)));
    next = loop(s, s->outer->body, "k", WIDTH);
    struct tree_expr *same = program_load(&s->p, s->B, expr_var(s->t, next->var));
    program_store(&s->p, next->body, program_array(&s->p, "C", s->type, NULL), expr_var(s->t, next->var), same);
    CHECK(!stays(s));
}

/* ---- what is computed ---- */

static bool is_right(const double *a, const double *b, int64_t end)
{
    bool right = true;
    for (int64_t x = 0; x < ELEMENTS; x++) {
        int64_t i = x / WIDTH, j = x % WIDTH;
        bool stored = i >= 1 && i < ROWS && j >= 1 && j < end;
        right = right && b[x] == (stored ? a[x - 1] + a[x] + a[x + 1] : -1);
    }
    return right;
}

/* All the places in a line that A and B can begin at, and all numbers of iterations behind whole vectors. */
TEST(the_same_is_computed)
{
    double *memory = aligned_alloc(64, sizeof *memory * 2 * (ELEMENTS + LINE));
    for (int64_t round = 0; round < 4 * LINE; round++) {
        double *a = memory + round % LINE, *b = memory + ELEMENTS + LINE + (3 * round + round / LINE) % LINE;
        int64_t end = WIDTH - 1 - round % (LINE + 1);
        for (int x = 0; x < ELEMENTS; x++) {
            a[x] = 0.1 * x;
            b[x] = -1;
        }
        struct sample *s = sample_of(TYPE_F64, end, a, b);
        s->halves = round >= 2 * LINE;
        CHECK(strstr(cut(s), "wide masked"));
        CHECK(program_run(&s->p, -1));
        CHECK(is_right(a, b, end));
        sample_end(s);
    }
    free(memory);
}

/* Rows whose ends are known when they run: shorter and longer than what is worth it, and one that has no element. Rows
 * begin 80 elements apart, so that long ones overlap; they store the same there. */
TEST(lengths_known_when_it_runs)
{
    enum { MANY = 1100, LONGEST = 600, TOP = MANY * WIDTH + LONGEST };
    double *a = calloc(TOP, sizeof *a), *b = calloc(TOP, sizeof *b);
    for (int64_t x = 0; x < TOP; x++)
        a[x] = 0.1 * (double)x;
    static const int64_t ends[] = { -5, 0, 1, 2, 90, 512, 513, 514, 577, LONGEST };
    for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
        int64_t end = ends[n], wrong = 0;
        for (int64_t x = 0; x < TOP; x++)
            b[x] = -1;
        struct sample *s = sample_of(TYPE_F64, 2, a, b);
        s->halves = true;
        s->outer->end = expr_i64(s->t, MANY);
        s->row->end = program_value(&s->p, "n", TYPE_I64, &end);
        const char *text = cut(s);
        CHECK(strstr(text, "side") && strstr(text, "} else {"));
        CHECK(program_run(&s->p, -1));
        for (int64_t x = 0; x < TOP; x++) {
            bool first = x / WIDTH >= 1 && x / WIDTH < MANY && x % WIDTH >= 1 && x % WIDTH < end; /* by its own row */
            bool later = end > WIDTH && x > WIDTH && x < (MANY - 1) * WIDTH + end;                /* or one before */
            wrong += b[x] != (first || later ? a[x - 1] + a[x] + a[x + 1] : -1);
        }
        CHECK_INT(wrong, 0);
        sample_end(s);
    }
    free(a);
    free(b);
}

TEST(what_the_code_generator_is_told)
{
    struct sample *s = sample_new();
    cut(s);
    const char *text = program_text(&s->p, JIT_TEXT_LL, -1);
    bool has = strstr(text, "+avx512vbmi2") != NULL; /* of this machine, which LLVM makes the code for */
    CHECK(strstr(text, "!\"llvm.loop.vectorize.predicate.enable\", i1 true}"));
    text = program_text(&s->p, JIT_TEXT_LL_OPT, -1);
    CHECK((strstr(text, "@llvm.masked.load.v8f64") != NULL) == has);
    sample_end(s);
}

CHECK_MAIN
