/* The pass lines: rows of stencils before and after it, what it leaves alone, and that the same is computed wherever
 * arrays begin. */
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/machine.h"

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
    return program_statements(&s->p);
}

static void sample_end(struct sample *s)
{
    program_end(&s->p);
    free(s);
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
        CHECK(strstr(cut(s), " masked"));
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
    /* of this machine, which LLVM makes the code for */
    bool masks = strstr(text, "+avx,") != NULL, wide = strstr(text, "+avx512vbmi2") != NULL;
    CHECK(strstr(text, "!\"llvm.loop.vectorize.predicate.enable\", i1 true}"));
    text = program_text(&s->p, JIT_TEXT_LL_OPT, -1);
    CHECK((strstr(text, "@llvm.masked.load.v") != NULL) == masks);
    CHECK(!wide || strstr(text, "@llvm.masked.load.v8f64"));
    sample_end(s);
}

CHECK_MAIN
