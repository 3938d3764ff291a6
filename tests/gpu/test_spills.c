/* Kernels that spill registers are compiled once more with launch bounds that leave more of them. The stand-in for
 * NVRTC says what spills ($SDFG_STANDIN_SPILLS), and 64 registers where bounds name a number of blocks. */
#include "gpu/build.h"
#include "lower/tree/tree_read.h"

#include "tests/gpu/standins.h"

#include <stdio.h>
#include <string.h>

enum { KERNELS = 3, ARCH = 90, FEW = 32, MANY = 64 };

/* Bodies differ, so that all are functions; the last one names its blocks itself. */
static const char program[] = "p main(A: float64*@1, N: int64) {\n"
                              "    kernel plain grid(N, 1, 1) block(64, 1, 1) {\n"
                              "        A[0] = 1.0\n"
                              "    }\n"
                              "    kernel other grid(N, 1, 1) block(128, 1, 1) {\n"
                              "        A[0] = 2.0\n"
                              "    }\n"
                              "    kernel named grid(N, 1, 1) block(64, 1, 1) bounds 64 blocks 2 {\n"
                              "        A[0] = 3.0\n"
                              "    }\n"
                              "}\n";

struct built {
    struct ir *ir;
    const struct gpu_text *text;
    struct gpu_code code;
};

static bool build(struct built *b, bool quick)
{
    b->ir = ir_new();
    struct nvrtc *n = nvrtc_open(b->ir->arena, b->ir->diags, NULL);
    struct tree *t = tree_read(b->ir, program, sizeof program - 1);
    CHECK(n && t);
    b->text = n && t ? gpu_emit(t, GPU_FP_DEFAULT) : NULL;
    struct gpu_build *begun =
        b->text ? gpu_build_begin(b->ir->arena, b->ir->diags, n, "p", b->text, ARCH, NVRTC_CUBIN, GPU_FP_DEFAULT, quick)
                : NULL;
    CHECK(begun);
    return begun && gpu_build_end(begun, &b->code);
}

/* How often NVRTC is asked, and the registers of the three kernels then. */
static void spill(const char *what, bool quick, long times, uint32_t plain, uint32_t other)
{
    struct built b;
    setenv("SDFG_STANDIN_SPILLS", what, 1);
    CHECK(build(&b, quick));
    CHECK_INT(compilations(), times);
    CHECK_INT(b.code.num_usage, KERNELS);
    CHECK_INT(b.code.usage[0].registers, plain);
    CHECK_INT(b.code.usage[1].registers, other);
    CHECK_INT(b.code.usage[2].registers, MANY);
    CHECK(b.code.size > 0 && b.code.form == NVRTC_CUBIN && b.code.arch == ARCH);
    CHECK_INT(diags_count(b.ir->diags), 0);
    ir_free(b.ir);
}

OWN_PROCESS(nothing_spills) { spill("", false, 1, FEW, FEW); }
OWN_PROCESS(only_what_spills_has_more_registers) { spill("k1:8:0", false, 2, FEW, MANY); }
OWN_PROCESS(less_is_better) { spill("k0:8:4", false, 2, MANY, FEW); }
OWN_PROCESS(no_gain_no_change) { spill("k0:8:8", false, 2, FEW, FEW); }
OWN_PROCESS(worse_code_is_not_taken) { spill("k0:8:12", false, 2, FEW, FEW); }
OWN_PROCESS(bounds_that_name_blocks_stay) { spill("k2:8:8", false, 1, FEW, FEW); }
OWN_PROCESS(quick_code_may_spill) { spill("k0:8:0", true, 1, FEW, FEW); }

/* ---- a call of NVRTC fails ---- */

enum outcome { REFUSED, UNKNOWN /* nothing is said of registers */, FIRST, SECOND, OUTCOMES };

static enum outcome outcome_of(int failing)
{
    struct built b;
    char number[16];
    snprintf(number, sizeof number, "%d", failing);
    setenv("SDFG_STANDIN_NVRTC_FAIL", number, 1);
    bool good = build(&b, false);
    CHECK_INT(diags_count(b.ir->diags), good ? 0 : 1);
    CHECK(!good || b.code.size > 0);
    enum outcome o = !good ? REFUSED : !b.code.num_usage ? UNKNOWN : b.code.usage[1].registers == FEW ? FIRST : SECOND;
    ir_free(b.ir);
    return o;
}

/* Calls behind those that open NVRTC: an error if it is one of the first compilation, the first code if it is one of
 * the second. */
TEST(the_second_compilation_may_fail)
{
    enum { OPENING = 3, CALLS = 2 * 7 };
    int found[OUTCOMES] = { 0 };
    setenv("SDFG_STANDIN_SPILLS", "k1:8:0", 1);
    for (int k = OPENING + 1; k <= OPENING + CALLS; k++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            int before = check_failures;
            enum outcome o = outcome_of(k);
            fflush(stdout);
            _exit(check_failures != before ? OUTCOMES : (int)o);
        }
        int status = -1;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) < OUTCOMES);
        found[WIFEXITED(status) ? WEXITSTATUS(status) % OUTCOMES : 0]++;
    }
    CHECK_INT(found[REFUSED], 4); /* create, compile, size and code */
    CHECK_INT(found[UNKNOWN], 2); /* size and text of the log */
    CHECK_INT(found[FIRST], 4 + 2);
    CHECK_INT(found[SECOND], 2); /* the programs' ends */
}

/* Only heads of kernels change; a name that begins another one is not that one. */
TEST(texts_with_more_registers)
{
    static const char text[] = "__global__ void __launch_bounds__(256) k1_a(int x)\n"
                               "__global__ void __launch_bounds__(256) k1_ab(int x)\n"
                               "__global__ void __launch_bounds__(64, 2) k2_c()\n"
                               "__global__ void k3_d()\n"
                               "__global__ void __launch_bounds__(1024) k4_e()\n";
    static const struct gpu_wish wishes[] = { { "k1_a", 40 },
                                              { "k2_c", 40 },
                                              { "k3_d", 40 },
                                              { "k4_e", 72 },
                                              { "k5", 40 } },
                                 too_many = { "k1_a", 264 }, all_of_a_block = { "k4_e", 64 };
    struct arena *a = arena_new();
    CHECK_STR(gpu_text_relax(a, text, wishes, 5), "__global__ void __launch_bounds__(256, 6) k1_a(int x)\n"
                                                  "__global__ void __launch_bounds__(256) k1_ab(int x)\n"
                                                  "__global__ void __launch_bounds__(64, 2) k2_c()\n"
                                                  "__global__ void k3_d()\n"
                                                  "__global__ void __launch_bounds__(1024) k4_e()\n");
    CHECK(!gpu_text_relax(a, text, wishes + 1, 4));
    CHECK(!gpu_text_relax(a, text, &too_many, 1));
    CHECK(!gpu_text_relax(a, text, NULL, 0));
    const char *all = gpu_text_relax(a, text, &all_of_a_block, 1);
    CHECK(all && strstr(all, "__launch_bounds__(1024, 1) k4_e()"));
    arena_free(a);
}

CHECK_MAIN
