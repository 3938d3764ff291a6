/* Which functions code of a tree has, and what they share. */
#include "lower/tree/tree_outline.h"
#include "lower/tree/tree_read.h"

#include "base/text.h"

#include "tests/unit/check.h"

/* One line for each function: its name and unit, what it captures and, behind a bar, what it shares; its properties. */
static const char *functions(struct ir *ir, const char *program, uint32_t budget)
{
    struct tree *t = tree_read(ir, program, strlen(program));
    const struct tree_outline *o = tree_outline(t, budget, true);
    struct text out = text_new(t->arena);
    for (uint32_t i = 0; i < o->functions.count; i++) {
        const struct tree_outlined *f = o->functions.items[i];
        text_printf(&out, "%s %u:", f->name, f->unit);
        for (uint32_t k = 0; k < f->captured.count; k++)
            text_printf(&out, " %s", f->captured.items[k]->name);
        for (uint32_t k = 0; k < f->shared.count; k++)
            text_printf(&out, "%s %s", k ? "" : " |", f->shared.items[k]->name);
        text_printf(&out, "%s%s%s%s%s\n", f->kind == OUTLINED_PARALLEL && !f->apart ? ", meets" : "",
                    f->keeps_threads ? ", keeps threads" : "", f->may_fail ? ", may fail" : "",
                    f->may_return ? ", may return" : "", f->stoppable ? ", stops" : "");
    }
    CHECK_INT(o->num_units, o->functions.items[o->functions.count - 1]->unit + 1);
    return text_get(&out);
}

/* A region reads what stands in front of it; its own variables and its thread's number are not passed. */
TEST(regions_capture_what_they_read)
{
    static const char program[] = "p main(N: int64, A: float64*@1, B: float64*@2) {\n"
                                  "    s = N * 2\n"
                                  "    unused = N * 3\n"
                                  "    parallel thread of threads = 4 {\n"
                                  "        for i = thread to N step threads {\n"
                                  "            x = A[i + s]\n"
                                  "            A[i] = x\n"
                                  "        }\n"
                                  "    }\n"
                                  "    parallel id of count = 4 {\n"
                                  "        T@3 = heap float64[N]\n"
                                  "        T[0] = B[id]\n"
                                  "        B[id] = T[0] + T[count]\n"
                                  "        free T\n"
                                  "    }\n"
                                  "}\n";
    struct ir *ir = ir_new();
    CHECK_STR(functions(ir, program, 0), "sdfg_main 0:, stops\n"
                                         "main.parallel0 0: N A s\n"
                                         "main.parallel1 0: N B, may fail\n");
    ir_free(ir);
}

/* Threads of regions in loops stay for the next one, unless something may have threads of its own in between. Threads
 * that meet, or that an unknown function may let wait, need one each. */
TEST(regions_in_loops_keep_their_threads)
{
    static const char program[] = "p main(N: int64, A: float64*@1) {\n"
                                  "    for k = 0 to N step 1 {\n"
                                  "        parallel thread of threads {\n"
                                  "            A[thread] = 1.0\n"
                                  "        }\n"
                                  "        parallel t of all {\n"
                                  "            A[t] = 1.0\n"
                                  "            barrier\n"
                                  "        }\n"
                                  "%s"
                                  "    }\n"
                                  "}\n";
    static const struct {
        const char *statement;
        bool keeps;
    } inside[] = {
        { "", true },
        { "        n = sdfg_rt_thread_limit(context)\n", true },
        { "        foreign(A)\n", false },
        { "        sdfg_rt_potrf(context, 1i32, 1i32, N, A, N, 1, null<int32*>)\n", false },
    };
    struct ir *ir = ir_new();
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, program, inside[i].statement);
        const char *found = functions(ir, text, 0);
        CHECK(!strstr(found, "sdfg_main 0:, keeps threads") == !inside[i].keeps);
        CHECK(strstr(found, "main.parallel0 0: A\nmain.parallel1 0: A, meets\n"));
    }
    ir_free(ir);
}

/* What they assign comes back if it is looked at elsewhere. Places at the begin of the function, such as W, are found
 * again in each. The second one begins with a region; before that the call can be stopped. */
TEST(large_functions_have_parts)
{
    static const char program[] = "p main(N: int64, A: float64*@1) {\n"
                                  "    W = &A[N]\n"
                                  "    x = A[0]\n"
                                  "    y = x + 1.0\n"
                                  "    A[1] = y\n"
                                  "    z = y * y\n"
                                  "    parallel thread of threads = 4 {\n"
                                  "        W[thread] = z\n"
                                  "    }\n"
                                  "    W[2] = z\n"
                                  "    W[3] = z\n"
                                  "    return\n"
                                  "}\n";
    struct ir *ir = ir_new();
    CHECK_STR(functions(ir, program, 4), "sdfg_main 0:, stops\n"
                                         "main.part0 1: A | z, stops\n"
                                         "main.part1 2: A N z, may fail, may return, stops\n"
                                         "main.parallel2 3: W z\n");
    ir_free(ir);
}

CHECK_MAIN
