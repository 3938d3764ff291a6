/* Trees before and after the pass jam. */
#include "lower/opt/passes.h"

#include "tests/unit/machine.h"
#include "tests/unit/tree_text.h"

struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *f64, *i64;
    struct tree_expr *arrays[4]; /* A, x, y, z: classes 1 to 4 */
    struct tree_stmt *i, *k;
    struct tree_options options;
};

enum { A, X, Y, Z };

/* for i = 0 to n { for k = 0 to m { } } */
static struct sample sample_new(int64_t n, int64_t m)
{
    static const char *const names[] = { "A", "x", "y", "z" };
    struct sample s = { .ir = ir_new() };
    s.ir->remarks = remarks_new(s.ir->arena);
    struct tree *t = s.t = tree_new(s.ir, "p");
    s.f = tree_func(t, "main");
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    t->num_aliases = 5;
    for (int i = 0; i < 4; i++) {
        struct tree_var *v = tree_var(t, names[i], type_pointer(s.ir, s.f64));
        vec_push(t->arena, &s.f->params, ((struct tree_param){ .name = names[i], .var = v }));
        s.arrays[i] = expr_var(t, v);
    }
    s.i = stmt_for(t, s.f->body, tree_var(t, "i", s.i64), expr_i64(t, 0), expr_i64(t, n), expr_i64(t, 1));
    s.k = stmt_for(t, s.i->body, tree_var(t, "k", s.i64), expr_i64(t, 0), expr_i64(t, m), expr_i64(t, 1));
    return s;
}

static struct tree_expr *load(struct sample *s, int array, struct tree_expr *index)
{
    return expr_load(s->t, s->f64, s->arrays[array], index, (uint32_t)array + 1);
}

static struct tree_expr *i_of(struct sample *s) { return expr_var(s->t, s->i->var); }
static struct tree_expr *k_of(struct sample *s) { return expr_var(s->t, s->k->var); }

static struct tree_expr *element(struct sample *s)
{
    struct tree_expr *row = expr_binary(s->t, EXPR_MUL, i_of(s), expr_i64(s->t, 100));
    return load(s, A, expr_binary(s->t, EXPR_ADD, row, k_of(s)));
}

/* to[index] += A[i, k] * from[at] */
static struct tree_stmt *sum(struct sample *s, int to, struct tree_expr *index, int from, struct tree_expr *at)
{
    struct tree_expr *value = expr_binary(s->t, EXPR_MUL, element(s), load(s, from, at));
    return stmt_reduce(s->t, s->k->body, WCR_SUM, false, s->arrays[to], index, value, (uint32_t)to + 1);
}

static const char *shown(struct sample *s)
{
    CHECK(opt_unroll_jam(s->t, &s->options));
    return tree_text(s->t, s->f->body);
}

static bool is_jammed(struct sample *s)
{
    bool jammed = strstr(shown(s), "step 4") != NULL;
    ir_free(s->ir);
    return jammed;
}

TEST(rows_together)
{
    struct sample s = sample_new(50, 100);
    sum(&s, Y, i_of(&s), X, k_of(&s));
    sum(&s, Z, k_of(&s), X, i_of(&s));
    CHECK_STR(shown(&s), "stop = 48\n"
                         "for i#7 = 0 to stop step 4 {\n"
                         "    for k#8 = 0 to 100 step 1 {\n"
                         "        y[i#7] += A[i#7 * 100 + k#8] * x[k#8]\n"
                         "        y[i#7 + 1] += A[(i#7 + 1) * 100 + k#8] * x[k#8]\n"
                         "        y[i#7 + 2] += A[(i#7 + 2) * 100 + k#8] * x[k#8]\n"
                         "        y[i#7 + 3] += A[(i#7 + 3) * 100 + k#8] * x[k#8]\n"
                         "        z[k#8] += A[i#7 * 100 + k#8] * x[i#7] + A[(i#7 + 1) * 100 + k#8] * x[i#7 + 1] + "
                         "A[(i#7 + 2) * 100 + k#8] * x[i#7 + 2] + A[(i#7 + 3) * 100 + k#8] * x[i#7 + 3]\n"
                         "    }\n"
                         "}\n"
                         "for i = stop to 50 step 1 {\n"
                         "    for k = 0 to 100 step 1 {\n"
                         "        y[i] += A[i * 100 + k] * x[k]\n"
                         "        z[k] += A[i * 100 + k] * x[i]\n"
                         "    }\n"
                         "}\n");
    CHECK(strstr(remarks_text(s.ir), "loop i: is unrolled and jammed by 4"));
    ir_free(s.ir);
}

TEST(nothing_left)
{
    struct sample s = sample_new(48, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    const char *text = shown(&s);
    CHECK(strstr(text, " = 0 to 48 step 4 {\n"));
    CHECK(!strstr(text, "stop"));
    CHECK(!strstr(text, "to 48 step 1"));
    ir_free(s.ir);
}

/* Rows of 1200 float64 leave the first cache: eight at a time, if there are registers and nothing reads them again. */
TEST(long_rows)
{
    for (int form = 0; form < 4; form++) {
        struct sample s = sample_new(48, form == 1 ? 100 : 1200);
        set_machine(s.t, form == 2 ? 0 : 64, false, 0);
        sum(&s, Z, k_of(&s), X, i_of(&s));
        if (form == 3) {
            s.k = stmt_for(s.t, s.i->body, tree_var(s.t, "k", s.i64), expr_i64(s.t, 0), expr_i64(s.t, 9),
                           expr_i64(s.t, 1));
            sum(&s, Y, i_of(&s), X, k_of(&s));
        }
        CHECK(strstr(shown(&s), form ? "step 4" : "step 8"));
        ir_free(s.ir);
    }
}

/* A value of one iteration is used in the next loop: every copy has its own. */
TEST(values_of_iterations)
{
    struct sample s = sample_new(50, 100);
    struct tree_var *v = tree_var(s.t, "v", s.f64);
    sum(&s, Z, k_of(&s), X, k_of(&s))->value = expr_binary(s.t, EXPR_MUL, element(&s), expr_var(s.t, v));
    struct tree_stmt *k = s.k;
    s.i->body->items.count = 0;
    stmt_assign(s.t, s.i->body, v, load(&s, X, i_of(&s)));
    stmt_append(s.t, s.i->body, k);
    CHECK_STR(shown(&s), "stop = 48\n"
                         "for i#8 = 0 to stop step 4 {\n"
                         "    v#9 = x[i#8]\n"
                         "    v#11 = x[i#8 + 1]\n"
                         "    v#13 = x[i#8 + 2]\n"
                         "    v#15 = x[i#8 + 3]\n"
                         "    for k#10 = 0 to 100 step 1 {\n"
                         "        z[k#10] += A[i#8 * 100 + k#10] * v#9 + A[(i#8 + 1) * 100 + k#10] * v#11 + "
                         "A[(i#8 + 2) * 100 + k#10] * v#13 + A[(i#8 + 3) * 100 + k#10] * v#15\n"
                         "    }\n"
                         "}\n"
                         "for i = stop to 50 step 1 {\n"
                         "    v = x[i]\n"
                         "    for k = 0 to 100 step 1 {\n"
                         "        z[k] += A[i * 100 + k] * v\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

/* What iterations have in common must be sums, and places of their own must be only theirs. */
TEST(iterations_that_meet)
{
    struct sample s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), Z, i_of(&s)); /* reads what others add to */
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s))->wcr = WCR_MAX;
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    stmt_store(s.t, s.i->body, s.arrays[Y], i_of(&s),
               load(&s, Y, expr_binary(s.t, EXPR_ADD, i_of(&s), expr_i64(s.t, 1))), Y + 1);
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    stmt_store(s.t, s.i->body, s.arrays[Y], expr_i64(s.t, 0), load(&s, X, i_of(&s)), Y + 1);
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    stmt_store(s.t, s.i->body, s.arrays[Y], i_of(&s), load(&s, Y, i_of(&s)), Y + 1); /* its own */
    CHECK(is_jammed(&s));
}

/* z[k] += A[i, k] * x[i]; A[i, k] = y[k] */
static struct sample storing(int64_t columns)
{
    struct sample s = sample_new(48, columns);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    stmt_store(s.t, s.k->body, s.arrays[A], element(&s)->args[1], load(&s, Y, k_of(&s)), A + 1);
    return s;
}

/* Sums move behind what is stored, and keep the values from in front of it. */
TEST(rows_that_are_stored)
{
    struct sample s = storing(100);
    CHECK_STR(shown(&s), "for i#7 = 0 to 48 step 4 {\n"
                         "    for k#8 = 0 to 100 step 1 {\n"
                         "        term = A[i#7 * 100 + k#8] * x[i#7]\n"
                         "        A[i#7 * 100 + k#8] = y[k#8]\n"
                         "        term#13 = A[(i#7 + 1) * 100 + k#8] * x[i#7 + 1]\n"
                         "        A[(i#7 + 1) * 100 + k#8] = y[k#8]\n"
                         "        term#14 = A[(i#7 + 2) * 100 + k#8] * x[i#7 + 2]\n"
                         "        A[(i#7 + 2) * 100 + k#8] = y[k#8]\n"
                         "        term#15 = A[(i#7 + 3) * 100 + k#8] * x[i#7 + 3]\n"
                         "        z[k#8] += term + term#13 + term#14 + term#15\n"
                         "        A[(i#7 + 3) * 100 + k#8] = y[k#8]\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
    s = storing(101); /* the last element of a row is the first one of the next */
    CHECK(!is_jammed(&s));
    s = storing(100); /* another row is read */
    s.k->body->items.items[1]->value =
        load(&s, A, expr_binary(s.t, EXPR_ADD, element(&s)->args[1], expr_i64(s.t, 100)));
    CHECK(!is_jammed(&s));
}

/* for i { M = stack; M[0] = 0; for k { M[0] += A[i, k] * x[k] }; for k { z[k] += A[i, k] * M[0] } }: the memory of each
 * of the four iterations has a class of its own. `other`: something else has the class of M, too. */
static bool is_jammed_with_memory(bool other)
{
    struct sample s = sample_new(52, 100);
    struct tree *t = s.t;
    struct tree_expr *m = expr_var(t, tree_var(t, "M", type_pointer(s.ir, s.f64))), *zero = expr_i64(t, 0);
    struct tree_stmt *first = s.k;
    uint32_t class = other ? A + 1 : t->num_aliases++;
    s.i->body->items.count = 0;
    stmt_alloc(t, s.i->body, m->var, s.f64, expr_i64(t, 1), TREE_STACK);
    stmt_store(t, s.i->body, m, zero, expr_float(t, s.f64, 0), class);
    stmt_append(t, s.i->body, first);
    sum(&s, X, k_of(&s), X, k_of(&s));
    first->body->items.items[0]->pointer = m;
    first->body->items.items[0]->index = zero;
    first->body->items.items[0]->alias = class;
    s.k = stmt_for(t, s.i->body, tree_var(t, "k", s.i64), zero, expr_i64(t, 100), expr_i64(t, 1));
    sum(&s, Z, k_of(&s), X, i_of(&s))->value =
        expr_binary(t, EXPR_MUL, element(&s), expr_load(t, s.f64, m, zero, class));
    opt_unroll_jam(t, &s.options);
    const char *text = tree_text(t, s.f->body);
    bool jammed = strstr(text, "step 4") != NULL;
    CHECK(!jammed || strstr(text, "M#") != NULL);
    if (jammed)
        CHECK_INT(t->num_aliases, class + 5);
    ir_free(s.ir);
    return jammed;
}

TEST(memory_of_an_iteration)
{
    CHECK(is_jammed_with_memory(false));
    CHECK(!is_jammed_with_memory(true));
}

/* A value that goes from one iteration to the next. */
TEST(carried_values)
{
    struct sample s = sample_new(50, 100);
    struct tree_var *v = tree_var(s.t, "v", s.f64);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    stmt_assign(s.t, s.i->body, v, expr_binary(s.t, EXPR_ADD, expr_var(s.t, v), load(&s, X, i_of(&s))));
    opt_unroll_jam(s.t, &s.options);
    struct text out = text_new(s.t->arena);
    stmt_print(s.f->body, 0, &out);
    CHECK(!strstr(text_get(&out), "step 4"));
    ir_free(s.ir);
}

/* Nothing to share, bounds that follow the iteration, short loops, the order of the sums. */
TEST(left_alone)
{
    struct sample s = sample_new(50, 100);
    sum(&s, Y, i_of(&s), X, k_of(&s));
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    s.k->end = i_of(&s);
    CHECK(!is_jammed(&s));
    s = sample_new(50, 7);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s));
    s.options.strict_fp = true;
    CHECK(!is_jammed(&s));
    s = sample_new(50, 100);
    sum(&s, Z, k_of(&s), X, i_of(&s))->atomic = true;
    CHECK(!is_jammed(&s));
}

CHECK_MAIN
