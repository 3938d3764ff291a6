/* Trees with the values of a call in them. */
#include "lower/tree/tree_assume.h"

#include "tests/unit/tree_sample.h"

static const char *assumed(struct sample *s)
{
    const struct tree_assumption values[] = { { "other", 1 }, { "N", 20 }, { "B", 7 } };
    tree_assume(s->t, values, sizeof values / sizeof *values);
    return shown(s);
}

static struct tree_var *assign(struct sample *s, struct tree_stmt *block, const char *name, struct tree_expr *value)
{
    struct tree_var *v = tree_var(s->t, name, s->i64);
    stmt_assign(s->t, block, v, value);
    return v;
}

/* Values go on through variables, also those that follow a loop; pointers are no integers. */
TEST(values_and_what_follows)
{
    struct sample s = sample_new();
    struct array b = array_new(&s, "B");
    struct tree_var *end = assign(&s, s.body, "end", plus(&s, s.n, i64(&s, 1)));
    struct tree_stmt *x = loop(&s, s.body, "i", i64(&s, 0), var(&s, end));
    struct tree_var *stop = assign(&s, x->body, "stop", plus(&s, var(&s, x->var), s.n));
    struct tree_stmt *y = loop(&s, x->body, "k", var(&s, x->var), var(&s, stop));
    store(&s, y->body, b, var(&s, y->var), expr_float(s.t, s.f64, 1));
    CHECK_STR(assumed(&s), "end = 21\n"
                           "for i = 0 to 21 step 1 independent {\n"
                           "    stop = i + 20\n"
                           "    for k = i to i + 20 step 1 independent {\n"
                           "        B[k] = 1.0\n"
                           "    }\n"
                           "}\n");
    ir_free(s.ir);
}

TEST(what_changes_or_is_loaded_stays)
{
    struct sample s = sample_new();
    struct array b = array_new(&s, "B");
    struct tree_var *twice = assign(&s, s.body, "twice", s.n);
    stmt_assign(s.t, s.body, twice, plus(&s, var(&s, twice), i64(&s, 1)));
    struct tree_expr *at = load(&s, b, i64(&s, 0));
    struct tree_var *loaded = assign(&s, s.body, "loaded", expr_cast(s.t, s.i64, at));
    store(&s, s.body, b, var(&s, twice), expr_float(s.t, s.f64, 1));
    store(&s, s.body, b, var(&s, loaded), expr_float(s.t, s.f64, 2));
    CHECK_STR(assumed(&s), "twice = 20\n"
                           "twice = twice + 1\n"
                           "loaded = int64(B[0])\n"
                           "B[twice] = 1.0\n"
                           "B[loaded] = 2.0\n");
    ir_free(s.ir);
}

TEST(parameters_that_change_stay)
{
    struct sample s = sample_new();
    struct array b = array_new(&s, "B");
    stmt_assign(s.t, s.body, s.n->var, i64(&s, 3));
    store(&s, s.body, b, s.n, expr_float(s.t, s.f64, 1));
    CHECK_STR(assumed(&s), "N = 3\n"
                           "B[N] = 1.0\n");
    ir_free(s.ir);
}

CHECK_MAIN
