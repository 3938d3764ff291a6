/* The passes rows and triangles: which rows go together, and that the results are those of the loops as they stood. */
#include "base/remark.h"
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <math.h>
#include <stdlib.h>

enum { WIDE = 48 };

/* for i = 0 to n {
 *     square = stack 1; square[0] = 0                            (with one of the row)
 *     for j = 0 to i {
 *         t = stack 1; t[0] = 0; for k = 0 to j { t[0] += A[i, k] * A[j, k] }
 *         r = (A[i, j] - t[0]) / A[j, j]; A[i, j] = r
 *         square[0] += r * r
 *     }
 *     A[i, i] = A[i, i] - square[0]                              (or 2 * A[i, i])
 * } */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *A;
    struct tree_stmt *i, *j, *k, *term, *result, *last;
    double memory[WIDE * WIDE];
};

static struct tree_expr *number(struct sample *s, int64_t v) { return expr_i64(s->t, v); }

static struct tree_expr *at(struct sample *s, const struct tree_stmt *row, const struct tree_stmt *column)
{
    struct tree_expr *start = expr_binary(s->t, EXPR_MUL, expr_var(s->t, row->var), number(s, WIDE));
    return expr_binary(s->t, EXPR_ADD, start, expr_var(s->t, column->var));
}

static struct tree_expr *load(struct sample *s, const struct tree_stmt *row, const struct tree_stmt *column)
{
    return program_load(&s->p, s->A, at(s, row, column));
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, struct tree_expr *end)
{
    return stmt_for(s->t, b, tree_var(s->t, name, program_type(&s->p, TYPE_I64)), number(s, 0), end, number(s, 1));
}

/* One element of an iteration's own, 0. */
static struct tree_stmt *own(struct sample *s, struct tree_stmt *b, const char *name)
{
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    struct tree_stmt *alloc =
        stmt_alloc(s->t, b, tree_var(s->t, name, type_pointer(s->p.ir, f64)), f64, number(s, 1), TREE_STACK);
    alloc->alias = s->t->num_aliases++;
    stmt_store(s->t, b, expr_var(s->t, alloc->var), number(s, 0), expr_float(s->t, f64, 0), alloc->alias);
    return alloc;
}

static struct tree_expr *value(struct sample *s, const struct tree_stmt *own)
{
    return expr_load(s->t, own->type, expr_var(s->t, own->var), number(s, 0), own->alias);
}

static struct sample *sample_new(int64_t n, bool with_square)
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    s->t = s->p.t;
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    s->A = program_array(&s->p, "A", f64, s->memory);
    for (int x = 0; x < WIDE * WIDE; x++)
        s->memory[x] = x % (WIDE + 1) == 0 ? 2 : (double)((x * 7919) % 101) / 1009;
    s->i = loop(s, s->p.body, "i", number(s, n));
    struct tree_stmt *square = with_square ? own(s, s->i->body, "square") : NULL;
    s->j = loop(s, s->i->body, "j", expr_var(s->t, s->i->var));
    struct tree_stmt *t = own(s, s->j->body, "t");
    s->k = loop(s, s->j->body, "k", expr_var(s->t, s->j->var));
    struct tree_expr *product = expr_binary(s->t, EXPR_MUL, load(s, s->i, s->k), load(s, s->j, s->k));
    s->term = stmt_reduce(s->t, s->k->body, WCR_SUM, false, expr_var(s->t, t->var), number(s, 0), product, t->alias);
    struct tree_expr *rest = expr_binary(s->t, EXPR_SUB, load(s, s->i, s->j), value(s, t));
    struct tree_var *r = tree_var(s->t, "r", f64);
    stmt_assign(s->t, s->j->body, r, expr_binary(s->t, EXPR_DIV, rest, load(s, s->j, s->j)));
    s->result = program_store(&s->p, s->j->body, s->A, at(s, s->i, s->j), expr_var(s->t, r));
    if (square)
        stmt_reduce(s->t, s->j->body, WCR_SUM, false, expr_var(s->t, square->var), number(s, 0),
                    expr_binary(s->t, EXPR_MUL, expr_var(s->t, r), expr_var(s->t, r)), square->alias);
    struct tree_expr *diagonal = load(s, s->i, s->i);
    s->last = program_store(&s->p, s->i->body, s->A, at(s, s->i, s->i),
                            square ? expr_binary(s->t, EXPR_SUB, diagonal, value(s, square))
                                   : expr_binary(s->t, EXPR_ADD, diagonal, diagonal));
    return s;
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

static const char *shown(struct sample *s, bool triangles)
{
    const struct tree_options o = { .num_threads = 1 };
    CHECK(opt_unroll_jam_solve(s->t, &o) && tree_verify(s->t, s->p.ir->diags));
    CHECK(!triangles || (opt_unroll_jam_triangle(s->t, &o) && tree_verify(s->t, s->p.ir->diags)));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

static void check_run(int64_t n, bool with_square, bool triangles)
{
    struct sample *s = sample_new(n, with_square);
    double A[WIDE * WIDE];
    memcpy(A, s->memory, sizeof A);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t j = 0; j < i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < j; k++)
                sum += A[i * WIDE + k] * A[j * WIDE + k];
            A[i * WIDE + j] = (A[i * WIDE + j] - sum) / A[j * WIDE + j];
            square += A[i * WIDE + j] * A[i * WIDE + j];
        }
        A[i * WIDE + i] = with_square ? A[i * WIDE + i] - square : 2 * A[i * WIDE + i];
    }
    CHECK((strstr(shown(s, triangles), "step 4") != NULL) == (n >= 32 || (triangles && n >= 16)));
    CHECK(program_run(&s->p, -1));
    int wrong = 0;
    for (int x = 0; x < WIDE * WIDE; x++)
        wrong += !(fabs(A[x] - s->memory[x]) <= 1e-11 * (1 + fabs(A[x])));
    CHECK_INT(wrong, 0);
    sample_free(s);
}

TEST(results)
{
    for (int64_t n = 31; n <= 37; n++)
        for (int kind = 0; kind < 4; kind++)
            check_run(n, kind & 1, kind & 2);
    check_run(WIDE, false, true);
}

CHECK_MAIN
