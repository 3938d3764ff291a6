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

/* Gives the sample back. */
static int wide(struct sample *s)
{
    int bytes = marked(s);
    program_end(&s->p);
    free(s);
    return bytes;
}

/* x = x + A[i], in front of the sample */
static struct tree_stmt *add_sum(struct sample *s)
{
    struct tree_stmt *body = stmt_block(s->t), *start = stmt_block(s->t);
    struct tree_var *x = tree_var(s->t, "x", program_type(&s->p, TYPE_F64));
    struct tree_expr *next = expr_binary(s->t, EXPR_ADD, expr_var(s->t, x), program_load(&s->p, s->A, s->i));
    struct tree_stmt *sum = stmt_assign(s->t, body, x, next);
    for (uint32_t i = 0; i < s->loop->body->items.count; i++)
        stmt_append(s->t, body, s->loop->body->items.items[i]);
    s->loop->body = body;
    stmt_assign(s->t, start, x, expr_zero(s->t, x->type));
    stmt_append(s->t, start, s->loop);
    s->p.body->items.items[0] = start;
    return sum;
}

TEST(loops_that_compute)
{
    CHECK_INT(wide(sample_new()), 8);
    struct sample *s = sample_new(); /* also independent ones with what might be carried */
    s->store->index = expr_i64(s->t, 0);
    s->loop->loop.independent = true;
    CHECK_INT(wide(s), 8);
    s = sample_new();
    const struct type *c128 = program_type(&s->p, TYPE_C128);
    struct tree_expr *z = expr_cast(s->t, c128, program_load(&s->p, s->A, s->i));
    s->assign->value = expr_math(s->t, TREE_MATH_fabs, &z);
    CHECK_INT(wide(s), 8);
    s = sample_new();
    const struct type *f32 = program_type(&s->p, TYPE_F32);
    struct tree_expr *x = expr_cast(s->t, f32, program_load(&s->p, s->A, s->i));
    s->assign->value = expr_cast(s->t, s->assign->var->type, expr_math(s->t, TREE_MATH_exp, &x));
    CHECK_INT(wide(s), 4);
}

TEST(sums)
{
    struct sample *s = sample_new();
    add_sum(s)->reassociate = true;
    CHECK_INT(wide(s), 8);
    s = sample_new(); /* in their order */
    add_sum(s);
    CHECK_INT(wide(s), 0);
    s = sample_new(); /* used on the way */
    struct tree_stmt *sum = add_sum(s);
    sum->reassociate = true;
    s->store->value = expr_var(s->t, sum->var);
    CHECK_INT(wide(s), 0);
    s = sample_new(); /* through memory */
    s->store->index = expr_i64(s->t, 0);
    s->store->value = expr_binary(s->t, EXPR_ADD, s->store->value, program_load(&s->p, s->B, s->store->index));
    CHECK_INT(wide(s), 0);
}

TEST(left_alone)
{
    struct sample *s = sample_new();
    s->assign->value = program_load(&s->p, s->A, s->i); /* nothing to compute */
    CHECK_INT(wide(s), 0);
    s = sample_new();
    s->loop->end = expr_i64(s->t, 31);
    CHECK_INT(wide(s), 0);
    s = sample_new();
    stmt_call(s->t, s->loop->body, NULL, "abort", NULL, 0);
    CHECK_INT(wide(s), 0);
    s = sample_new(); /* behind the branch, the value may be that of an iteration before */
    struct tree_stmt *branch = stmt_if(s->t, NULL, expr_binary(s->t, EXPR_LT, s->i, expr_i64(s->t, 9)));
    stmt_append(s->t, branch->body, s->assign);
    s->loop->body->items.items[0] = branch;
    CHECK_INT(wide(s), 0);
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
