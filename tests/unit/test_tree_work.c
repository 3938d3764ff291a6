/* What is known of the work of a tree, and for which machines it is the same. */
#include "lower/opt/passes.h"
#include "lower/tree/tree_read.h"
#include "lower/tree/tree_work.h"

#include "base/text.h"
#include "ir/json/json.h"

#include "tests/unit/check.h"
#include "tests/unit/machine.h"

#include <inttypes.h>

enum { CACHE = 1 << 20 };

static void work(struct tree *t, double *flops, double *bytes)
{
    struct text out = text_new(t->arena);
    tree_work(t, CACHE, &out);
    const struct json *all = json_parse(t->arena, t->ir->diags, text_get(&out), out.length);
    CHECK(json_real(json_get(all, "flops"), flops) && json_real(json_get(all, "bytes"), bytes));
}

/* The rows that neighbouring tiles compute again are no work of the program, and the temporary stays in the cache. */
TEST(work_counts_once)
{
    static const char program[] = "p main(A: float64*@1, B: float64*@2) {\n"
                                  "    T@3 = heap float64[409600]\n"
                                  "    for i = 0 to 4096 step 1 independent {\n"
                                  "        for k = 0 to 100 step 1 independent {\n"
                                  "            T[i * 100 + k] = A[i * 100 + k] * A[i * 100 + k]\n"
                                  "        }\n"
                                  "    }\n"
                                  "    for j = 10 to 4086 step 1 independent {\n"
                                  "        for m = 0 to 100 step 1 independent {\n"
                                  "            B[j * 100 + m] = T[j * 100 + m - 1000] + T[j * 100 + m + 1000]\n"
                                  "        }\n"
                                  "    }\n"
                                  "    free T\n"
                                  "}\n";
    enum { POINTS = 4096, ROW = 100 };
    struct ir *ir = ir_new();
    struct tree *t = tree_read(ir, program, sizeof program - 1);
    double flops, bytes, after, moved;
    work(t, &flops, &bytes);
    CHECK(flops == POINTS * ROW + (POINTS - 20) * ROW);
    opt_overlapped_tiling(t, &(struct tree_options){ .num_threads = 1 });
    CHECK_INT(t->functions.items[0]->body->items.items[1]->loop.tiles, 1);
    work(t, &after, &moved);
    CHECK(after > 0.999999 * flops && after < 1.000001 * flops);
    CHECK(moved < 0.75 * bytes);
    ir_free(ir);
}

/* The products alone count, of functions whose rows tell; of others nothing is known. */
TEST(calls_count_as_their_rows_say)
{
    static const struct {
        const char *call;
        double flops; /* < 0: not known */
    } cases[] = {
        { "sdfg_rt_gemm(context, 1i32, 5, 7, 11, A, 11, 1, A, 7, 1, A, 7, 1, null, null)", 770 },
        { "sdfg_rt_gemv(context, 1i32, 5, 7, A, 7, 1, A, 1, A, 1, null, null)", 70 },
        { "sdfg_rt_dot(context, 1i32, 13, A, 1, A, 1, A)", 26 },
        { "sdfg_rt_nontemporal_end()", 0 },
        { "sdfg_rt_inverse(context, 1i32, 5, A, 5, 1, A, 5, 1, null)", -1 },
        { "sdfg_rt_gemm_of_somebody(3)", -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char program[300];
        snprintf(program, sizeof program, "p main(A: float64*@1) {\n    %s\n}\n", cases[i].call);
        struct ir *ir = ir_new();
        struct tree *t = tree_read(ir, program, strlen(program));
        struct text out = text_new(ir->arena);
        double flops = -1;
        tree_work(t, CACHE, &out);
        const struct json *nests = json_get(json_parse(ir->arena, ir->diags, text_get(&out), out.length), "nests");
        if (nests->count)
            json_real(json_get(nests->first, "flops"), &flops);
        CHECK_INT(nests->count, 1);
        CHECK(flops == cases[i].flops);
        ir_free(ir);
    }
}

/* What the decision about an array of `bytes` says of other machines: nothing if that is small and stays. */
static void decide(int64_t bytes, bool small)
{
    char program[100];
    snprintf(program, sizeof program, "p main(A: float64*@1) {\n    zero float64[%" PRId64 "] at A\n}\n", bytes / 8);
    for (int64_t cache = bytes / 2; cache <= 2 * bytes; cache *= 2) {
        struct ir *ir = ir_new();
        struct tree *t = tree_read(ir, program, strlen(program));
        set_machine(t, 0, false, cache);
        bool found = cache <= bytes;
        CHECK(t->same_cache.least == 0 && t->same_cache.most == INT64_MAX);
        opt_nontemporal(t, &(struct tree_options){ .num_threads = 1 });
        CHECK(t->functions.items[0]->body->items.items[0]->nontemporal == found);
        CHECK(t->same_cache.least <= cache && cache <= t->same_cache.most);
        CHECK(found ? t->same_cache.most == bytes : t->same_cache.least == (small ? 0 : bytes + 1));
        ir_free(ir);
    }
}

TEST(for_which_caches_the_code_is_the_same)
{
    decide(1 << 16, true);
    decide(1 << 22, false);
}

CHECK_MAIN
