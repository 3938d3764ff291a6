/* The pass dots: which loops become calls, and what comes out. */
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <math.h>
#include <stdlib.h>

enum { N = 300, FIRST = 3 };

/* x = 7; for i = 3 to n { x = x + A[i] * B[i + 1] }; R[0] = x, of complex or real numbers */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *A, *B, *R, *i;
    struct tree_stmt *loop, *sum;
    double memory[3][2 * N + 4];
};

static struct tree_expr *term(struct sample *s, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, EXPR_MUL, program_load(&s->p, s->A, a), program_load(&s->p, s->B, b));
}

static struct tree_expr *next(struct sample *s) { return expr_binary(s->t, EXPR_ADD, s->i, expr_i64(s->t, 1)); }

static void set_term(struct sample *s, struct tree_expr *e)
{
    s->sum->value = expr_binary(s->t, EXPR_ADD, expr_var(s->t, s->sum->var), e);
}

static struct sample *sample_new(enum type_kind kind, int64_t end, struct tree_stmt *(*around)(struct sample *s))
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->t = s->p.t;
    const struct type *type = program_type(&s->p, kind);
    for (int m = 0; m < 3; m++)
        for (int x = 0; x < 2 * N + 4; x++)
            s->memory[m][x] = (m + 1) * 0.25 + x % 5;
    s->A = program_array(&s->p, "A", type, s->memory[0]);
    s->B = program_array(&s->p, "B", type, s->memory[1]);
    s->R = program_array(&s->p, "R", type, s->memory[2]);
    struct tree_var *i = tree_var(s->t, "i", program_type(&s->p, TYPE_I64)), *x = tree_var(s->t, "x", type);
    s->i = expr_var(s->t, i);
    stmt_assign(s->t, s->p.body, x, expr_cast(s->t, type, expr_i64(s->t, 7)));
    struct tree_stmt *b = around ? around(s) : s->p.body;
    s->loop = stmt_for(s->t, b, i, expr_i64(s->t, FIRST), expr_i64(s->t, end), expr_i64(s->t, 1));
    s->sum = stmt_assign(s->t, s->loop->body, x, expr_var(s->t, x));
    s->sum->reassociate = true;
    set_term(s, term(s, s->i, next(s)));
    program_store(&s->p, s->p.body, s->R, expr_i64(s->t, 0), expr_var(s->t, x));
    return s;
}

static const char *shown(struct sample *s, const struct tree_options *o)
{
    CHECK(opt_dot(s->t, o) && tree_verify(s->t, s->p.ir->diags));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

TEST(results)
{
    for (int complex = 0; complex < 2; complex++)
        for (int64_t end = FIRST - 2; end < N; end = 2 * end + 1) {
            struct sample *s = sample_new(complex ? TYPE_C128 : TYPE_F64, end, NULL);
            double re = 7, im = 0;
            for (int64_t i = FIRST; i < end; i++) {
                const double *a = s->memory[0] + (complex ? 2 * i : i),
                             *b = s->memory[1] + (complex ? 2 * i + 2 : i + 1);
                re += complex ? a[0] * b[0] - a[1] * b[1] : a[0] * b[0];
                im += complex ? a[0] * b[1] + a[1] * b[0] : 0;
            }
            int64_t length = end - FIRST;
            CHECK((strstr(shown(s, &(struct tree_options){ 0 }), "sdfg_rt_dot") != NULL) ==
                  (length >= (complex ? 32 : 256)));
            CHECK(program_run(&s->p, -1));
            CHECK(fabs(s->memory[2][0] - re) <= 1e-12 * fabs(re));
            CHECK(!complex || fabs(s->memory[2][1] - im) <= 1e-12 * (1 + fabs(im)));
            sample_free(s);
        }
}

CHECK_MAIN
