/* Trees before and after the pass chains. */
#include "lower/opt/passes.h"

#include "tests/unit/tree_sample.h"

enum { ROW = 100 };

/* for i = 0 to 51 { for k = 3 to ROW { y[i, k] = y[i, k - back] * x[k] } } */
struct recurrence {
    struct sample s;
    struct array x, y;
    struct tree_stmt *i, *k, *store;
};

static struct tree_expr *at(struct recurrence *r, struct tree_expr *row, int64_t shift)
{
    struct sample *s = &r->s;
    row = expr_binary(s->t, EXPR_MUL, row, i64(s, ROW));
    return plus(s, plus(s, row, var(s, r->k->var)), i64(s, shift));
}

static struct recurrence recurrence_new(int64_t back)
{
    struct recurrence r = { .s = sample_new() };
    struct sample *s = &r.s;
    r.x = array_new(s, "x");
    r.y = array_new(s, "y");
    r.i = loop(s, s->body, "i", i64(s, 0), i64(s, 51));
    r.k = loop(s, r.i->body, "k", i64(s, 3), i64(s, ROW));
    r.i->loop.independent = true;
    r.k->loop.independent = false;
    struct tree_expr *before = load(s, r.y, at(&r, var(s, r.i->var), -back));
    r.store = store(s, r.k->body, r.y, at(&r, var(s, r.i->var), 0),
                    expr_binary(s->t, EXPR_MUL, before, load(s, r.x, var(s, r.k->var))));
    return r;
}

static const char *chained(struct recurrence *r)
{
    CHECK(opt_interleave(r->s.t, &r->s.options));
    return shown(&r->s);
}

static bool go_together(struct recurrence *r)
{
    bool together = strstr(chained(r), "step 2") != NULL;
    ir_free(r->s.ir);
    return together;
}

TEST(two_at_a_time)
{
    struct recurrence r = recurrence_new(1);
    CHECK_STR(chained(&r), "stop = 50\n"
                           "for i#6 = 0 to stop step 2 {\n"
                           "    for k#7 = 3 to 100 step 1 {\n"
                           "        y[i#6 * 100 + k#7] = y[i#6 * 100 + k#7 - 1] * x[k#7]\n"
                           "        y[(i#6 + 1) * 100 + k#7] = y[(i#6 + 1) * 100 + k#7 - 1] * x[k#7]\n"
                           "    }\n"
                           "}\n"
                           "for i = stop to 51 step 1 independent {\n"
                           "    for k = 3 to 100 step 1 {\n"
                           "        y[i * 100 + k] = y[i * 100 + k - 1] * x[k]\n"
                           "    }\n"
                           "}\n");
    CHECK(strstr(remarks_text(r.s.ir), "loop i: 2 of its iterations are interleaved"));
    ir_free(r.s.ir);
    r = recurrence_new(2);
    CHECK(go_together(&r));
}

/* Steps that do not wait for the last ones: they read what comes later, or what was there long before. */
TEST(steps_that_do_not_wait)
{
    struct recurrence r = recurrence_new(0);
    CHECK(!go_together(&r));
    r = recurrence_new(-1);
    CHECK(!go_together(&r));
    r = recurrence_new(3);
    CHECK(!go_together(&r));
    r = recurrence_new(1);
    r.k->loop.independent = true;
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* what an earlier iteration of another row stored */
    r.store->value = load(&r.s, r.y, at(&r, plus(&r.s, var(&r.s, r.i->var), i64(&r.s, 1)), -1));
    CHECK(!go_together(&r));
    r = recurrence_new(1);
    r.store->value = load(&r.s, r.x, at(&r, var(&r.s, r.i->var), -1));
    CHECK(!go_together(&r));
}

/* In descending order the element behind is the one of the step before. */
TEST(backwards)
{
    for (int64_t shift = -1; shift <= 1; shift += 2) {
        struct recurrence r = recurrence_new(1);
        struct tree_expr *down = expr_binary(r.s.t, EXPR_SUB, i64(&r.s, ROW), var(&r.s, r.k->var));
        r.store->index = down;
        r.store->value = load(&r.s, r.y, plus(&r.s, down, i64(&r.s, shift)));
        CHECK(go_together(&r) == (shift > 0));
    }
}

TEST(left_alone)
{
    struct recurrence r = recurrence_new(1); /* rows may have something to do with each other */
    r.i->loop.independent = false;
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* threads share them out */
    r.i->loop.parallel = true;
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* rows of different lengths */
    r.k->end = plus(&r.s, var(&r.s, r.i->var), i64(&r.s, 20));
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* few steps, few rows */
    r.k->end = i64(&r.s, 10);
    CHECK(!go_together(&r));
    r = recurrence_new(1);
    r.i->end = i64(&r.s, 7);
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* a loop of the loop */
    loop(&r.s, r.k->body, "m", i64(&r.s, 0), i64(&r.s, 9));
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* a sum */
    stmt_reduce(r.s.t, r.k->body, WCR_SUM, false, var(&r.s, r.x.var), i64(&r.s, 0), expr_float(r.s.t, r.s.f64, 1),
                r.x.alias);
    CHECK(!go_together(&r));
    r = recurrence_new(1); /* a value of the row before */
    struct tree_var *v = tree_var(r.s.t, "v", r.s.f64);
    stmt_assign(r.s.t, r.i->body, v, expr_binary(r.s.t, EXPR_ADD, var(&r.s, v), expr_float(r.s.t, r.s.f64, 1)));
    CHECK(!go_together(&r));
}

/* The stores of two rows stay apart: each has memory, and a class of it, of its own. */
TEST(memory_of_a_row)
{
    for (int large = 0; large < 2; large++) {
        struct recurrence r = recurrence_new(1);
        struct sample *s = &r.s;
        struct array own = { tree_var(s->t, "own", type_pointer(s->ir, s->f64)), s->t->num_aliases++ };
        r.i->body->items.count = 0;
        stmt_alloc(s->t, r.i->body, own.var, s->f64, i64(s, large ? 1000 : ROW), TREE_STACK);
        stmt_append(s->t, r.i->body, r.k);
        r.store->pointer = var(s, own.var);
        r.store->alias = own.alias;
        r.store->index = var(s, r.k->var);
        r.store->value = load(s, own, plus(s, var(s, r.k->var), i64(s, -1)));
        const char *text = chained(&r);
        CHECK((strstr(text, "step 2") != NULL) == !large);
        if (!large)
            CHECK_INT(s->t->num_aliases, own.alias + 3);
        ir_free(s->ir);
    }
}

CHECK_MAIN
