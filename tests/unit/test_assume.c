/* Trees with the values of a call in them. */
#include "lower/tree/tree_assume.h"
#include "lower/tree/tree_read.h"

#include "base/text.h"

#include "tests/unit/check.h"

static void check(const char *program, const char *expected)
{
    const struct tree_assumption values[] = { { "other", 1 }, { "N", 20 }, { "B", 7 } };
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, program, strlen(program));
    CHECK(t);
    if (t) {
        struct text out = text_new(t->arena);
        tree_assume(t, values, sizeof values / sizeof *values);
        CHECK(tree_verify(t, ir->diags));
        tree_print(t, &out);
        CHECK_STR(text_get(&out), expected);
    }
    ir_free(ir);
}

/* Values go on through variables, also those that follow a loop; pointers are no integers. */
TEST(values_and_what_follows)
{
    check("p main(N: int64, B: float64*@1) {\n"
          "    end = N + 1\n"
          "    for i = 0 to end step 1 independent {\n"
          "        stop = i + N\n"
          "        for k = i to stop step 1 independent {\n"
          "            B[k] = 1.0\n"
          "        }\n"
          "    }\n"
          "}\n",
          "p main(N: int64, B: float64*@1) {\n"
          "    end = 21\n"
          "    for i = 0 to 21 step 1 independent {\n"
          "        stop = i + 20\n"
          "        for k = i to i + 20 step 1 independent {\n"
          "            B[k] = 1.0\n"
          "        }\n"
          "    }\n"
          "}\n");
}

TEST(what_changes_or_is_loaded_stays)
{
    check("p main(N: int64, B: float64*@1) {\n"
          "    twice = N\n"
          "    twice = twice + 1\n"
          "    loaded = int64(B[0])\n"
          "    B[twice] = 1.0\n"
          "    B[loaded] = 2.0\n"
          "}\n",
          "p main(N: int64, B: float64*@1) {\n"
          "    twice = 20\n"
          "    twice = twice + 1\n"
          "    loaded = int64(B[0])\n"
          "    B[twice] = 1.0\n"
          "    B[loaded] = 2.0\n"
          "}\n");
}

TEST(parameters_that_change_stay)
{
    const char *text = "p main(N: int64, B: float64*@1) {\n"
                       "    N = 3\n"
                       "    B[N] = 1.0\n"
                       "}\n";
    check(text, text);
}

CHECK_MAIN
