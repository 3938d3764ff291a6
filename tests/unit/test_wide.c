/* The pass wide: which loops get the widest vectors, and what the code generator is told then. */
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/machine.h"

#include <math.h>
#include <stdlib.h>

enum { N = 70 };

/* for i = 0 to n { r = sqrt(A[i]); B[i] = r } */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *A, *B, *i;
    struct tree_stmt *loop, *assign, *store;
    double memory[2][N];
};

static struct sample *sample_new(void)
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->t = s->p.t;
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    s->A = program_array(&s->p, "A", f64, s->memory[0]);
    s->B = program_array(&s->p, "B", f64, s->memory[1]);
    for (int x = 0; x < N; x++)
        s->memory[0][x] = x;
    struct tree_var *i = tree_var(s->t, "i", program_type(&s->p, TYPE_I64));
    s->i = expr_var(s->t, i);
    s->loop = stmt_for(s->t, s->p.body, i, expr_i64(s->t, 0), expr_i64(s->t, N), expr_i64(s->t, 1));
    struct tree_expr *root = program_load(&s->p, s->A, s->i);
    s->assign = stmt_assign(s->t, s->loop->body, tree_var(s->t, "r", f64), expr_math(s->t, TREE_MATH_sqrt, &root));
    s->store = program_store(&s->p, s->loop->body, s->B, s->i, expr_var(s->t, s->assign->var));
    return s;
}

static int marked(struct sample *s)
{
    CHECK(opt_vector_width(s->t, &(struct tree_options){ 0 }));
    return s->loop->loop.wide;
}

TEST(what_the_code_generator_is_told)
{
    struct sample *s = sample_new();
    const char *text = program_text(&s->p, JIT_TEXT_LL, -1);
    CHECK(!strstr(text, "vectorize.width"));
    CHECK_INT(marked(s), 8);
    text = program_text(&s->p, JIT_TEXT_LL, -1);
    CHECK(!strstr(text, "vectorize.width")); /* the machine has no vectors of 64 bytes */
    set_machine(s->t, 64, false, 0);
    text = program_text(&s->p, JIT_TEXT_LL, -1);
    CHECK(strstr(text, "!\"llvm.loop.vectorize.width\", i32 8}"));
    CHECK(program_run(&s->p, -1));
    for (int x = 0; x < N; x++)
        CHECK(s->memory[1][x] == sqrt(x));
    program_end(&s->p);
    free(s);
}

CHECK_MAIN
