/* The pass triangles: which sums start together, and that the results are those of the loops as they stood. */
#include "base/remark.h"
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <math.h>
#include <stdlib.h>

enum { L, X, B, ARRAYS, WIDE = 40 };

/* for i = 0 to n { t = stack 1; t[0] = 0; for k = 0 to i + over { t[0] += L[i, k] * X[k] }; X[i] = B[i] - t[0] } */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *array[ARRAYS], *sum;
    struct tree_stmt *i, *k, *term, *result;
    double memory[ARRAYS][WIDE * WIDE];
};

static struct tree_expr *number(struct sample *s, int64_t v) { return expr_i64(s->t, v); }
static struct tree_expr *var(struct sample *s, const struct tree_stmt *loop) { return expr_var(s->t, loop->var); }

static struct tree_expr *binary(struct sample *s, enum expr_op op, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, op, a, b);
}

static struct tree_expr *load(struct sample *s, int array, struct tree_expr *index)
{
    return program_load(&s->p, s->array[array], index);
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, struct tree_expr *end)
{
    return stmt_for(s->t, b, tree_var(s->t, name, program_type(&s->p, TYPE_I64)), number(s, 0), end, number(s, 1));
}

static struct sample *sample_new(int64_t n, int64_t over)
{
    static const char *const names[] = { "L", "X", "B" };
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    s->t = s->p.t;
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    for (int a = 0; a < ARRAYS; a++) {
        s->array[a] = program_array(&s->p, names[a], f64, s->memory[a]);
        for (int x = 0; x < WIDE * WIDE; x++)
            s->memory[a][x] = (double)((x * 7919 + a * 31) % 101) / 1009 - 0.03;
    }
    s->i = loop(s, s->p.body, "i", number(s, n));
    struct tree_var *t = tree_var(s->t, "t", type_pointer(s->p.ir, f64));
    uint32_t alias = s->t->num_aliases++;
    s->sum = expr_var(s->t, t);
    stmt_alloc(s->t, s->i->body, t, f64, number(s, 1), TREE_STACK)->alias = alias;
    stmt_store(s->t, s->i->body, s->sum, number(s, 0), expr_float(s->t, f64, 0), alias);
    s->k = loop(s, s->i->body, "k", binary(s, EXPR_ADD, var(s, s->i), number(s, over)));
    struct tree_expr *at = binary(s, EXPR_ADD, binary(s, EXPR_MUL, var(s, s->i), number(s, WIDE)), var(s, s->k));
    s->term = stmt_reduce(s->t, s->k->body, WCR_SUM, false, s->sum, number(s, 0),
                          binary(s, EXPR_MUL, load(s, L, at), load(s, X, var(s, s->k))), alias);
    struct tree_expr *total = expr_load(s->t, f64, s->sum, number(s, 0), alias);
    s->result = program_store(&s->p, s->i->body, s->array[X], var(s, s->i),
                              binary(s, EXPR_SUB, load(s, B, var(s, s->i)), total));
    return s;
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

static const char *shown(struct sample *s, bool strict)
{
    CHECK(opt_unroll_jam_triangle(s->t, &(struct tree_options){ .num_threads = 1, .strict_fp = strict }));
    CHECK(tree_verify(s->t, s->p.ir->diags));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

static void check_run(int64_t n, int64_t over)
{
    struct sample *s = sample_new(n, over);
    double expected[WIDE * WIDE];
    memcpy(expected, s->memory[X], sizeof expected);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < i + over; k++)
            sum += s->memory[L][i * WIDE + k] * expected[k];
        expected[i] = s->memory[B][i] - sum;
    }
    CHECK((strstr(shown(s, false), "begun") != NULL) == (over == 0 && n >= 16));
    opt_reduction_privatization(s->t, &(struct tree_options){ .num_threads = 1 });
    CHECK(program_run(&s->p, -1));
    int wrong = 0;
    for (int x = 0; x < WIDE * WIDE; x++)
        wrong += !(fabs(expected[x] - s->memory[X][x]) <= 1e-12);
    CHECK_INT(wrong, 0);
    sample_free(s);
}

TEST(results)
{
    for (int64_t n = 15; n <= 20; n++)
        check_run(n, 0);
    check_run(WIDE, 0);
    check_run(WIDE - 1, 1); /* X[i] is a term of its own iteration */
}

CHECK_MAIN
