/* Trees before and after the pass promote. */
#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

#include "tests/unit/tree_text.h"

/* for i = 0 to 200: for k = i + 1 to 200: the body, which is about T, of rows of 200 elements */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *f64, *i64;
    struct tree_var *array, *other;
    struct tree_stmt *outer, *inner;
    struct tree_expr *i, *k, *here;
};

static struct tree_expr *plus(struct sample *s, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(s->t, EXPR_ADD, a, b);
}

static struct tree_expr *number(struct sample *s, int64_t value) { return expr_i64(s->t, value); }

/* T[row * 200 + column] */
static struct tree_expr *at(struct sample *s, struct tree_expr *row, struct tree_expr *column)
{
    return plus(s, expr_binary(s->t, EXPR_MUL, row, number(s, 200)), column);
}

static struct tree_expr *load(struct sample *s, struct tree_expr *index)
{
    return expr_load(s->t, s->f64, expr_var(s->t, s->array), index, 1);
}

static struct tree_stmt *loop(struct sample *s, struct tree_stmt *block, const char *name, struct tree_expr *begin)
{
    return stmt_for(s->t, block, tree_var(s->t, name, s->i64), begin, number(s, 200), number(s, 1));
}

static struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new() };
    s.t = tree_new(s.ir, "p");
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.f = tree_func(s.t, "main");
    s.array = tree_var(s.t, "T", type_pointer(s.ir, s.f64));
    s.other = tree_var(s.t, "U", type_pointer(s.ir, s.f64));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "T", .var = s.array, .alias = 1 }));
    vec_push(s.t->arena, &s.f->params, ((struct tree_param){ .name = "U", .var = s.other, .alias = 2 }));
    s.t->num_aliases = 3;
    s.outer = loop(&s, s.f->body, "i", number(&s, 0));
    s.i = expr_var(s.t, s.outer->var);
    s.inner = loop(&s, s.outer->body, "k", plus(&s, s.i, number(&s, 1)));
    s.k = expr_var(s.t, s.inner->var);
    s.here = at(&s, s.i, s.i);
    return s;
}

static void keep(struct sample *s, struct tree_expr *value)
{
    stmt_store(s->t, s->inner->body, expr_var(s->t, s->array), s->here, plus(s, load(s, s->here), value), 1);
}

static const char *shown(struct sample *s) { return tree_text(s->t, s->f->body); }

/* The place is kept in a variable if the loop reads T[row, column], too. */
static bool keeps(struct sample s, struct tree_expr *row, struct tree_expr *column)
{
    keep(&s, load(&s, at(&s, row, column)));
    opt_scalar_replacement(s.t, &(struct tree_options){ 0 });
    bool kept = strstr(shown(&s), "kept = ") != NULL;
    ir_free(s.ir);
    return kept;
}

TEST(a_place_that_nothing_else_meets)
{
    struct sample s = sample_new();
    keep(&s, load(&s, at(&s, s.i, s.k)));
    opt_scalar_replacement(s.t, &(struct tree_options){ 0 });
    CHECK_STR(shown(&s), "for i = 0 to 200 step 1 {\n"
                         "    if i + 1 < 200 {\n"
                         "        kept = T[i * 200 + i]\n"
                         "        for k = i + 1 to 200 step 1 {\n"
                         "            kept = kept + T[i * 200 + k]\n"
                         "        }\n"
                         "        T[i * 200 + i] = kept\n"
                         "    }\n"
                         "}\n");
    ir_free(s.ir);
}

TEST(rows_and_columns)
{
    struct sample s = sample_new();
    CHECK(keeps(s, s.k, s.i)); /* the rows behind */
    s = sample_new();
    CHECK(keeps(s, plus(&s, s.i, number(&s, 1)), number(&s, 199))); /* always the row behind */
    s = sample_new();
    s.inner->begin = s.i;
    CHECK(!keeps(s, s.i, s.k)); /* starts at the place itself */
    s = sample_new();
    s.inner->begin = number(&s, 0);
    CHECK(!keeps(s, s.i, s.k)); /* goes over it */
    s = sample_new();
    s.inner->begin = number(&s, 0);
    s.inner->end = s.i;
    CHECK(keeps(s, s.i, s.k)); /* ends before it */
    s = sample_new();
    s.inner->begin = number(&s, 0);
    CHECK(!keeps(s, number(&s, 5), number(&s, 5))); /* the same for i = 5 */
}

TEST(what_is_not_understood)
{
    struct sample s = sample_new();
    CHECK(!keeps(s, s.i, expr_binary(s.t, EXPR_MUL, s.k, s.k)));
    s = sample_new();
    s.inner->loop.independent = true;
    CHECK(!keeps(s, s.i, s.k));
    s = sample_new();
    stmt_new(s.t, s.inner->body, STMT_BREAK);
    CHECK(!keeps(s, s.i, s.k));
    s = sample_new();
    stmt_reduce(s.t, s.inner->body, WCR_SUM, false, expr_var(s.t, s.array), s.here, load(&s, s.here), 1);
    CHECK(!keeps(s, s.i, s.k));
    s = sample_new(); /* memory of unknown class */
    stmt_store(s.t, s.inner->body, expr_var(s.t, s.other), s.k, expr_float(s.t, s.f64, 1), 0);
    CHECK(!keeps(s, s.i, s.k));
    s = sample_new(); /* and of another */
    stmt_store(s.t, s.inner->body, expr_var(s.t, s.other), s.k, expr_float(s.t, s.f64, 1), 2);
    CHECK(keeps(s, s.i, s.k));
}

TEST(a_store_that_may_not_happen)
{
    struct sample s = sample_new();
    struct tree_stmt *body = s.inner->body;
    s.inner->body = stmt_if(s.t, body, expr_binary(s.t, EXPR_GT, s.k, number(&s, 7)))->body;
    keep(&s, load(&s, at(&s, s.i, s.k)));
    s.inner->body = body;
    const char *before = shown(&s);
    opt_scalar_replacement(s.t, &(struct tree_options){ 0 });
    CHECK_STR(shown(&s), before);
    ir_free(s.ir);
}

CHECK_MAIN
