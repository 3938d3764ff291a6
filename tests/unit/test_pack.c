/* The pass pack: which loops it takes, what it makes of them, and that sums come out as they did, to the bit. */
#include "base/remark.h"
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { A, B, C, ARRAYS, WIDE = 90 /* elements of a row */ };

struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *array[ARRAYS];
    struct tree_stmt *i, *k, *j;
    int64_t rows, terms; /* read when it runs, unless bound */
    double memory[ARRAYS][WIDE * WIDE];
};

static struct tree_expr *number(struct sample *s, int64_t v) { return expr_i64(s->t, v); }
static struct tree_expr *var(struct sample *s, const struct tree_stmt *loop) { return expr_var(s->t, loop->var); }

static struct tree_expr *binary(struct sample *s, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, op, a, b);
}

static struct tree_expr *at(struct sample *s, const struct tree_stmt *row, const struct tree_stmt *column)
{
    return binary(s, EXPR_ADD, binary(s, EXPR_MUL, var(s, row), number(s, WIDE)), var(s, column));
}

static struct tree_expr *load(struct sample *s, int array, struct tree_expr *index)
{
    return program_load(&s->p, s->array[array], index);
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, struct tree_expr *end)
{
    return stmt_for(s->t, b, tree_var(s->t, name, program_type(&s->p, TYPE_I64)), number(s, 0), end, number(s, 1));
}

static struct tree_expr *value(struct sample *s, struct tree_stmt *b, const char *name, struct tree_expr *e)
{
    struct tree_var *v = tree_var(s->t, name, e->type);
    stmt_assign(s->t, b, v, e);
    return expr_var(s->t, v);
}

/* for i = 0 to rows independent { for k = 0 to terms { for j = 0 to columns independent { } } }; columns: i + 1 if NULL
 */
static struct sample *sample_new(int64_t rows, int64_t terms, bool bound)
{
    static const char *const names[] = { "A", "B", "C" };
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    s->t = s->p.t;
    s->rows = rows;
    s->terms = terms;
    for (int a = 0; a < ARRAYS; a++) {
        s->array[a] = program_array(&s->p, names[a], program_type(&s->p, TYPE_F64), s->memory[a]);
        for (int x = 0; x < WIDE * WIDE; x++)
            s->memory[a][x] = (double)((x * 7919 + a * 31) % 1009) / 1009 - 0.3;
    }
    struct tree_expr *n = program_value(&s->p, "N", TYPE_I64, &s->rows);
    struct tree_expr *m = program_value(&s->p, "M", TYPE_I64, &s->terms);
    s->i = loop(s, s->p.body, "i", bound ? number(s, rows) : n);
    s->k = loop(s, s->i->body, "k", bound ? number(s, terms) : m);
    s->j = loop(s, s->k->body, "j", binary(s, EXPR_ADD, var(s, s->i), number(s, 1)));
    s->i->loop.independent = s->i->loop.parallel = s->j->loop.independent = true;
    return s;
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

/* b = B[i, k]; C[i, j] = C[i, j] + A[j, k] * 1.5 * b */
static void add_products(struct sample *s)
{
    s->k->body->items.count = 0;
    struct tree_expr *b = value(s, s->k->body, "b", load(s, B, at(s, s->i, s->k)));
    stmt_append(s->t, s->k->body, s->j);
    struct tree_expr *factor = expr_float(s->t, b->type, 1.5);
    struct tree_expr *a = value(s, s->j->body, "a", binary(s, EXPR_MUL, load(s, A, at(s, s->j, s->k)), factor));
    struct tree_expr *product = value(s, s->j->body, "product", binary(s, EXPR_MUL, a, b));
    struct tree_expr *sum = binary(s, EXPR_ADD, load(s, C, at(s, s->i, s->j)), product);
    program_store(&s->p, s->j->body, s->array[C], at(s, s->i, s->j), sum);
}

static const char *shown(struct sample *s)
{
    CHECK(opt_pack(s->t, &(struct tree_options){ .num_threads = 1, .strict_fp = true }));
    CHECK(tree_verify(s->t, s->p.ir->diags));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

/* Runs it and compares with the loops as they stand in add_products(), all arrays to the bit. `shift`: columns of row i
 * are shift .. i, or i .. 59 if it is negative. */
static void check_run(int64_t rows, int64_t terms, bool bound, int64_t shift)
{
    struct sample *s = sample_new(rows, terms, bound);
    static double expected[WIDE * WIDE];
    add_products(s);
    if (shift < 0)
        s->j->end = number(s, 60);
    s->j->begin = shift < 0 ? var(s, s->i) : number(s, shift);
    memcpy(expected, s->memory[C], sizeof expected);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < terms; k++)
            for (int64_t j = shift < 0 ? i : shift; j < (shift < 0 ? 60 : i + 1); j++) {
                volatile double product = s->memory[A][j * WIDE + k] * 1.5 * s->memory[B][i * WIDE + k];
                expected[i * WIDE + j] += product;
            }
    CHECK(strstr(shown(s), "packed"));
    s->p.options.fp = LLVM_FP_STRICT;
    s->p.threads = 2;
    opt_parallelize(s->t, &(struct tree_options){ .num_threads = 2 });
    CHECK(program_run(&s->p, bound ? -1 : 0));
    CHECK(memcmp(expected, s->memory[C], sizeof expected) == 0);
    sample_free(s);
}

TEST(sums_to_the_bit)
{
    static const int64_t sizes[] = { 17, 35, 64 };
    for (int n = 0; n < 3; n++) {
        check_run(sizes[n], 1, n & 1, 0);
        check_run(sizes[n], 37, false, 0);
        check_run(sizes[n], 37, false, 5);
        check_run(sizes[n], 20, n & 1, -1);
    }
}

/* Nothing at all is touched then, sums included. */
TEST(nothing_to_do)
{
    for (int64_t rows = -1; rows <= 17; rows += 6) {
        check_run(rows, 0, false, 0);
        check_run(rows, -5, false, 3);
        check_run(rows, 4, false, 2);
    }
}

/* Columns of row i are 5 .. i, or i .. 39; B has no rows for those without columns: pages around it cannot be read. */
static void check_rows_without_columns(bool at_end)
{
    enum { ROWS = 60, EMPTY = 5, COLUMNS = 40, TERMS = 37 };
    struct sample *s = sample_new(ROWS, TERMS, false);
    static double expected[WIDE * WIDE];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), guard = (ROWS * WIDE * sizeof(double) + page - 1) / page * page;
    char *memory = mmap(NULL, 3 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory + guard, guard, PROT_READ | PROT_WRITE) == 0);
    double *rows = (double *)(memory + guard);
    if (at_end)
        rows = (double *)(memory + 2 * guard) - (size_t)COLUMNS * WIDE;
    int64_t first = at_end ? 0 : EMPTY, last = at_end ? COLUMNS : ROWS;
    memcpy(rows, s->memory[B], (size_t)(last - first) * WIDE * sizeof *rows);
    s->p.args[B] = rows;
    add_products(s);
    s->j->begin = at_end ? var(s, s->i) : number(s, EMPTY);
    if (at_end)
        s->j->end = number(s, COLUMNS);
    struct tree_expr *place = binary(s, EXPR_SUB, at(s, s->i, s->k), number(s, first * WIDE));
    s->j->body->items.items[1]->value =
        binary(s, EXPR_MUL, expr_var(s->t, s->j->body->items.items[0]->var), load(s, B, place));
    memcpy(expected, s->memory[C], sizeof expected);
    for (int64_t i = first; i < last; i++)
        for (int64_t k = 0; k < TERMS; k++)
            for (int64_t j = at_end ? i : EMPTY; j < (at_end ? COLUMNS : i + 1); j++) {
                volatile double product = s->memory[A][j * WIDE + k] * 1.5 * rows[(i - first) * WIDE + k];
                expected[i * WIDE + j] += product;
            }
    s->k->body->items.items[0] = s->j; /* the other load of B is not needed */
    s->k->body->items.count = 1;
    CHECK(strstr(shown(s), "packed"));
    s->p.options.fp = LLVM_FP_STRICT;
    CHECK(program_run(&s->p, 0));
    CHECK(memcmp(expected, s->memory[C], sizeof expected) == 0);
    munmap(memory, 3 * guard);
    sample_free(s);
}

TEST(rows_without_columns)
{
    check_rows_without_columns(false);
    check_rows_without_columns(true);
}

/* What stands beside the sums in a row stays before or behind them. */
TEST(rest_of_the_row)
{
    struct sample *s = sample_new(30, 12, true);
    static double expected[WIDE * WIDE];
    add_products(s);
    struct tree_stmt *sums = s->k;
    s->i->body->items.count = 0;
    struct tree_stmt *before = loop(s, s->i->body, "j", number(s, WIDE)), *after;
    struct tree_expr *two = expr_float(s->t, s->array[C]->type->elem, 2);
    program_store(&s->p, before->body, s->array[C], at(s, s->i, before),
                  binary(s, EXPR_MUL, load(s, C, at(s, s->i, before)), two));
    stmt_append(s->t, s->i->body, sums);
    after = loop(s, s->i->body, "j", number(s, WIDE));
    program_store(&s->p, after->body, s->array[C], at(s, s->i, after),
                  binary(s, EXPR_ADD, load(s, C, at(s, s->i, after)), two));
    memcpy(expected, s->memory[C], sizeof expected);
    for (int64_t i = 0; i < 30; i++)
        for (int64_t j = 0; j < WIDE; j++) {
            double sum = expected[i * WIDE + j] * 2;
            for (int64_t k = 0; k < 12 && j <= i; k++) {
                volatile double product = s->memory[A][j * WIDE + k] * 1.5 * s->memory[B][i * WIDE + k];
                sum += product;
            }
            expected[i * WIDE + j] = sum + 2;
        }
    CHECK(strstr(shown(s), "packed"));
    s->p.options.fp = LLVM_FP_STRICT;
    CHECK(program_run(&s->p, -1));
    CHECK(memcmp(expected, s->memory[C], sizeof expected) == 0);
    sample_free(s);
}

CHECK_MAIN
