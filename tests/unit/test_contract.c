/* The pass contract: which nests become products, and that the results are those of the loops. */
#include "base/remark.h"
#include "lower/opt/passes.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 64 };
enum { I, J, K, LOOPS };

/* for i, j, k = 3 to 3 + 2 * extent step 2, in some order {
 *     f = 0.5; a = A[base + i * row + k * term]; b = B[k * 64 + j]; C[i * down + j * across] += f * a * b
 * } */
struct layout {
    int order[LOOPS];
    int64_t extents[LOOPS];
    int64_t row, term, down, across, base; /* base: of A */
    bool factor;                           /* f is there */
    bool symbolic; /* ends of the loops are not known, nor the distance of rows or columns of C: as many elements as
                      there are. Loops begin with 0 and go on by 1 */
};

static const struct layout plain = { { I, J, K }, { 20, 24, 17 }, SIDE, 1, SIDE, 1, 0, false, false };

struct sample {
    struct program p;
    struct tree *t;
    struct tree_expr *A, *B, *C;
    struct tree_stmt *loops[LOOPS], *store;
    struct tree_expr *a, *b;
    struct tree_expr *end_of[LOOPS];
    int64_t ends[LOOPS], first, step;
    double memory[3][SIDE * SIDE];
};

static struct tree_expr *number(struct sample *s, int64_t v) { return expr_i64(s->t, v); }

static struct tree_expr *times(struct sample *s, int which, struct tree_expr *stride)
{
    return expr_binary(s->t, EXPR_MUL, expr_var(s->t, s->loops[which]->var), stride);
}

static struct tree_expr *at(struct sample *s, int one, int64_t stride, int other, int64_t other_stride)
{
    return expr_binary(s->t, EXPR_ADD, times(s, one, number(s, stride)), times(s, other, number(s, other_stride)));
}

static struct tree_expr *place(struct sample *s, const struct layout *l)
{
    struct tree_expr *down = l->symbolic && l->down > 1 ? s->end_of[J] : number(s, l->down);
    struct tree_expr *across = l->symbolic && l->across > 1 ? s->end_of[I] : number(s, l->across);
    return expr_binary(s->t, EXPR_ADD, times(s, I, down), times(s, J, across));
}

static struct tree_expr *value(struct sample *s, const char *name, struct tree_expr *e)
{
    struct tree_var *v = tree_var(s->t, name, e->type);
    stmt_assign(s->t, s->store, v, e);
    return expr_var(s->t, v);
}

static void loops(struct sample *s, const struct layout *l)
{
    static const char *const names[] = { "i", "j", "k" }, *const ends[] = { "I", "J", "K" };
    struct tree_stmt *b = s->p.body;
    for (int n = 0; n < LOOPS; n++) {
        int which = l->order[n];
        s->ends[which] = s->first + s->step * l->extents[which];
        struct tree_expr *end = s->end_of[which] =
            l->symbolic ? program_value(&s->p, ends[which], TYPE_I64, &s->ends[which]) : number(s, s->ends[which]);
        struct tree_var *v = tree_var(s->t, names[which], program_type(&s->p, TYPE_I64));
        s->loops[which] = stmt_for(s->t, b, v, number(s, s->first), end, number(s, s->step));
        b = s->loops[which]->body;
    }
    s->store = b; /* of the values, until the sum is there */
}

static struct sample *sample_new(const struct layout *l)
{
    struct sample *s = calloc(1, sizeof *s);
    s->p = program_begin();
    s->p.ir->remarks = remarks_new(s->p.ir->arena);
    s->t = s->p.t;
    const struct type *f64 = program_type(&s->p, TYPE_F64);
    for (int m = 0; m < 3; m++)
        for (int x = 0; x < SIDE * SIDE; x++)
            s->memory[m][x] = (double)((x * 7919 + m) % 101) / 64;
    s->A = program_array(&s->p, "A", f64, s->memory[0]);
    s->B = program_array(&s->p, "B", f64, s->memory[1]);
    s->C = program_array(&s->p, "C", f64, s->memory[2]);
    s->first = l->symbolic ? 0 : 3;
    s->step = l->symbolic ? 1 : 2;
    loops(s, l);
    struct tree_stmt *body = s->store;
    struct tree_expr *f = l->factor ? value(s, "f", expr_float(s->t, f64, 0.5)) : NULL;
    s->a =
        value(s, "a",
              program_load(&s->p, s->A, expr_binary(s->t, EXPR_ADD, at(s, I, l->row, K, l->term), number(s, l->base))));
    s->b = value(s, "b", program_load(&s->p, s->B, at(s, K, SIDE, J, 1)));
    struct tree_expr *a = f ? expr_binary(s->t, EXPR_MUL, f, s->a) : s->a;
    struct tree_expr *term = expr_binary(s->t, EXPR_MUL, a, s->b);
    s->store = stmt_reduce(s->t, body, WCR_SUM, false, s->C, place(s, l), term, program_alias(&s->p, s->C));
    return s;
}

static void sample_free(struct sample *s)
{
    program_end(&s->p);
    free(s);
}

static const char *shown(struct sample *s, const struct tree_options *o)
{
    CHECK(opt_gemm(s->t, o) && tree_verify(s->t, s->p.ir->diags));
    struct text out = text_new(s->t->arena);
    stmt_print(s->p.body, 0, &out);
    return text_get(&out);
}

static void check_run(const struct layout *l)
{
    const struct tree_options o = { .num_threads = 1 };
    struct sample *s = sample_new(l);
    double C[SIDE * SIDE], f = l->factor ? 0.5 : 1;
    int64_t down = l->symbolic && l->down > 1 ? s->ends[J] : l->down;
    int64_t across = l->symbolic && l->across > 1 ? s->ends[I] : l->across;
    memcpy(C, s->memory[2], sizeof C);
    for (int64_t i = s->first; i < s->ends[I]; i += s->step)
        for (int64_t j = s->first; j < s->ends[J]; j += s->step)
            for (int64_t k = s->first; k < s->ends[K]; k += s->step)
                C[i * down + j * across] +=
                    f * s->memory[0][l->base + i * l->row + k * l->term] * s->memory[1][k * SIDE + j];
    bool small = l->extents[I] < 8 || l->extents[J] < 8 || l->extents[K] < 8 ||
                 l->extents[I] * l->extents[J] * l->extents[K] < 4096;
    CHECK((strstr(shown(s, &o), "sdfg_rt_gemm") != NULL) == (l->symbolic || !small));
    CHECK(program_run(&s->p, -1));
    int wrong = 0;
    for (int x = 0; x < SIDE * SIDE; x++)
        wrong += !(fabs(C[x] - s->memory[2][x]) <= 1e-12 * (1 + fabs(C[x])));
    CHECK_INT(wrong, 0);
    sample_free(s);
}

TEST(results)
{
    static const int orders[][LOOPS] = { { I, J, K }, { I, K, J }, { J, I, K }, { J, K, I }, { K, I, J }, { K, J, I } };
    for (int n = 0; n < 6; n++)
        for (int kind = 0; kind < 16; kind++) {
            struct layout l = plain;
            memcpy(l.order, orders[n], sizeof l.order);
            l.row = kind & 1 ? 1 : SIDE;
            l.term = kind & 1 ? SIDE : 1;
            l.down = kind & 2 ? 1 : SIDE;
            l.across = kind & 2 ? SIDE : 1;
            l.factor = kind & 4;
            l.symbolic = kind & 8;
            check_run(&l);
        }
}

TEST(rows_from_the_end)
{
    struct layout l = plain;
    l.row = -SIDE;
    l.base = (SIDE - 1) * SIDE;
    check_run(&l);
    l.row = SIDE;
    l.term = -1;
    l.base = SIDE - 1;
    check_run(&l);
}

TEST(small_ones_stay_loops)
{
    for (int which = 0; which < LOOPS; which++)
        for (int64_t extent = -1; extent < 12; extent++)
            for (int symbolic = 0; symbolic < 2; symbolic++) {
                struct layout l = plain;
                l.extents[which] = extent;
                l.symbolic = symbolic;
                check_run(&l);
            }
}

CHECK_MAIN
