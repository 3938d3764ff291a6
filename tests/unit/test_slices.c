/* The pass slices: which rows and columns are kept, and that the results are those of the loops as they stood. */
#include "base/remark.h"
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <stdlib.h>

enum { WIDE = 40 };

/* for k { for i, j { T[i, j] = P[i, k] + P[k, j] }  for i, j { P[i, j] = P[i, j] - T[i, j] } }, all of them to n */
struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *P, *T;
    struct tree_stmt *k, *first[2], *second[2], *made, *used;
    double memory[2][WIDE * WIDE];
};

static struct tree_expr *number(struct sample *s, int64_t v) { return expr_i64(s->t, v); }

static struct tree_expr *at(struct sample *s, const struct tree_stmt *row, const struct tree_stmt *column)
{
    struct tree_expr *start = expr_binary(s->t, EXPR_MUL, expr_var(s->t, row->var), number(s, WIDE));
    return expr_binary(s->t, EXPR_ADD, start, expr_var(s->t, column->var));
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *b, const char *name, int64_t begin, int64_t end)
{
    struct tree_var *v = tree_var(s->t, name, program_type(&s->p, TYPE_I64));
    return stmt_for(s->t, b, v, number(s, begin), number(s, end), number(s, 1));
}

static struct sample *sample_new(int64_t begin, int64_t end)
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    s->t = s->p.t;
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    s->P = program_array(&s->p, "P", f64, s->memory[0]);
    s->T = program_array(&s->p, "T", f64, s->memory[1]);
    for (int x = 0; x < WIDE * WIDE; x++)
        s->memory[0][x] = (double)((x * 7919) % 101) - 50;
    s->k = loop(s, s->p.body, "k", begin, end);
    s->first[0] = loop(s, s->k->body, "i", begin, end);
    s->first[1] = loop(s, s->first[0]->body, "j", begin, end);
    s->second[0] = loop(s, s->k->body, "i", begin, end);
    s->second[1] = loop(s, s->second[0]->body, "j", begin, end);
    struct tree_expr *sum = expr_binary(s->t, EXPR_ADD, program_load(&s->p, s->P, at(s, s->first[0], s->k)),
                                        program_load(&s->p, s->P, at(s, s->k, s->first[1])));
    s->made = program_store(&s->p, s->first[1]->body, s->T, at(s, s->first[0], s->first[1]), sum);
    struct tree_expr *here = at(s, s->second[0], s->second[1]);
    s->used =
        program_store(&s->p, s->second[1]->body, s->P, here,
                      expr_binary(s->t, EXPR_SUB, program_load(&s->p, s->P, here), program_load(&s->p, s->T, here)));
    return s;
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

static const char *shown(struct sample *s)
{
    const struct tree_options o = { .num_threads = 1 };
    CHECK(opt_copy_slices(s->t, &o) && tree_verify(s->t, s->p.ir->diags));
    CHECK(opt_fuse(s->t, &o) && tree_verify(s->t, s->p.ir->diags));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

static void check_run(int64_t begin, int64_t end)
{
    struct sample *s = sample_new(begin, end);
    double expected[WIDE * WIDE], sums[WIDE * WIDE];
    memcpy(expected, s->memory[0], sizeof expected);
    for (int64_t k = begin; k < end; k++) {
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = begin; j < end; j++)
                sums[i * WIDE + j] = expected[i * WIDE + k] + expected[k * WIDE + j];
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = begin; j < end; j++)
                expected[i * WIDE + j] -= sums[i * WIDE + j];
    }
    CHECK(strstr(shown(s), "kept") != NULL);
    CHECK(program_run(&s->p, -1));
    CHECK(memcmp(expected, s->memory[0], sizeof expected) == 0);
    sample_free(s);
}

TEST(results)
{
    check_run(0, 8);
    check_run(0, 9);
    check_run(5, 21);
}

TEST(sizes_of_symbols)
{
    struct sample *s = sample_new(0, 20);
    struct tree_expr *n =
        expr_cast(s->t, program_type(&s->p, TYPE_I64), program_load(&s->p, s->T, number(s, WIDE - 1)));
    struct tree_var *size = tree_var(s->t, "n", program_type(&s->p, TYPE_I64));
    struct tree_stmt *body = stmt_block(s->t);
    stmt_assign(s->t, body, size, n);
    stmt_append(s->t, body, s->k);
    s->p.body->items.items[0] = body;
    s->k->end = s->first[0]->end = s->first[1]->end = s->second[0]->end = s->second[1]->end = expr_var(s->t, size);
    for (int i = 0; i < 2; i++)
        s->first[i]->loop.independent = s->second[i]->loop.independent = true;
    s->memory[1][WIDE - 1] = 17;
    const char *text = shown(s);
    CHECK(strstr(text, "kept = heap float64[max(n, 0)]\n"));
    CHECK(strstr(text, "if 0 < n {\n") && strstr(text, "free kept\n"));
    CHECK(program_run(&s->p, -1));
    struct sample *fixed = sample_new(0, 17);
    CHECK(program_run(&fixed->p, -1));
    CHECK(memcmp(fixed->memory[0], s->memory[0], sizeof s->memory[0]) == 0);
    sample_free(fixed);
    sample_free(s);
}

CHECK_MAIN
