/* Facts about statements are kept as long as what they are about stays as it is. */
#include "lower/opt/iterations.h"
#include "lower/tree/tree_facts.h"
#include "lower/tree/tree_read.h"
#include "lower/tree/tree_rewrite.h"

#include "tests/unit/check.h"

static const char program[] = "p main(A: float64*@1, B: float64*@2, N: int64) {\n"
                              "    for i = 0 to N step 1 {\n"
                              "        x = B[i]\n"
                              "        A[i] = x\n"
                              "    }\n"
                              "    for k = 0 to N step 1 {\n"
                              "        A[k + 1] = A[k]\n"
                              "    }\n"
                              "}\n";

static struct tree_stmt *loop(const struct tree *t, uint32_t i) { return t->functions.items[0]->body->items.items[i]; }

/* Another pass: it knows nothing but what is kept in the tree. */
static bool ask(struct tree *t, uint32_t i)
{
    struct iterations x = iterations_of(t, t->functions.items[0]);
    struct fuse_nest nest = { .loops = { loop(t, i) }, .depth = 1 };
    return iterations_keep_variables(&x, loop(t, i)) && iterations_are_apart(&x, loop(t, i), &nest, NULL);
}

static uint32_t found_out(const struct tree *t, enum tree_fact kind)
{
    struct tree_fact_count n = tree_fact_count(t, kind);
    return n.asked - n.found;
}

TEST(kept_while_nothing_changes)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, program, strlen(program));
    for (int i = 0; i < 3; i++) {
        CHECK(ask(t, 0));
        CHECK(!ask(t, 1));
    }
    CHECK_INT(found_out(t, TREE_FACT_SCAN), 1);
    CHECK_INT(found_out(t, TREE_FACT_VARIABLES), 2);
    CHECK_INT(found_out(t, TREE_FACT_APART), 2);
    CHECK_INT(tree_fact_count(t, TREE_FACT_APART).asked, 6);
    loop(t, 0)->loop.parallel = true; /* a mark that only says how it is to run */
    CHECK(ask(t, 0));
    CHECK_INT(found_out(t, TREE_FACT_APART), 2);
    ir_free(ir);
}

TEST(a_changed_loop_is_looked_at_again_and_no_other)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, program, strlen(program));
    CHECK(ask(t, 0));
    CHECK(!ask(t, 1));
    struct tree_stmt *store = loop(t, 1)->body->items.items[0];
    store->index = expr_var(t, loop(t, 1)->var); /* A[k] = A[k] */
    CHECK(ask(t, 1));
    CHECK(ask(t, 0));
    CHECK_INT(found_out(t, TREE_FACT_APART), 3);
    CHECK_INT(found_out(t, TREE_FACT_SCAN), 2);
    ir_free(ir);
}

/* The variable of a loop is used behind it now. */
TEST(what_others_use_is_asked_each_time)
{
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, program, strlen(program));
    CHECK(ask(t, 0));
    struct tree_stmt *x = loop(t, 0)->body->items.items[0];
    stmt_store(t, t->functions.items[0]->body, expr_var(t, t->functions.items[0]->params.items[0].var), expr_i64(t, 0),
               expr_var(t, x->var), 1);
    CHECK(!ask(t, 0));
    CHECK_INT(found_out(t, TREE_FACT_VARIABLES), 1);
    ir_free(ir);
}

CHECK_MAIN
