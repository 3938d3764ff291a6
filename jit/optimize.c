#include "jit/internal.h"

#include "base/fatal.h"
#include "jit/shim.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

/* The lean pipeline: what loops over arrays need, and nothing else: a fifth to a third of the time of default<O3> for
 * programs of many loops, and the same run times on two dozen kernels with bounds known and unknown, but for one thing:
 * vector loops of few iterations are not unrolled (up to 1.5 times slower when all data is in the first-level cache;
 * unrolling them doubles the time to compile).
 * - Variables may be in allocas: sroa comes first, and again when unrolling has made the indices of small arrays
 * constant.
 * - Stores of both branches are merged (hoist, sink), else the vectorizer masks them.
 * - Loops of at most 5 iterations (stencils, small vectors) are unrolled before the vectorizer looks at the loop around
 * them. LLVM's own limits would unroll loops of a dozen, and whole nests of them, which are better vectorized.
 * - loop-load-elim keeps in a register what the iteration before has stored (sweeps in place).
 * - What unrolling has left without a use goes (dce): the vectorizer would follow it from operand to operand once per
 * path, which for values that are used twice in every step takes all memory there is.
 * - Branch conditions are replaced by constants where the branch has decided them (known-conditions): the vectorizer of
 * LLVM 22 miscompiles some loops otherwise (shim.h).
 * - No indvars: loops have int64 counters already. */
static const char lean[] =
    "function(sroa,early-cse<memssa>,simplifycfg<hoist-common-insts;sink-common-insts>,"
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "loop-unroll<O3;no-runtime;no-partial;no-peeling;full-unroll-max=5>,sroa,early-cse<memssa>,dce,"
    "known-conditions,loop-vectorize,loop-load-elim,instcombine<no-verify-fixpoint>,simplifycfg,slp-vectorizer,"
    "early-cse,loop-mssa(licm))";

/* The quick tier: variables in registers and addresses out of loops, which takes 0.5 ms of small programs and makes
 * code that the fast selector translates three times faster than without. */
static const char quick[] = "function(sroa,early-cse<memssa>,loop-mssa(licm))";

static const char *const defaults[] = { "default<O0>", "default<O1>", "default<O2>", "default<O3>" };

static bool verify(struct jit_unit *u)
{
    char *message = NULL;
    if (LLVMVerifyModule(u->module, LLVMReturnStatusAction, &message))
        jit_unit_fail(u, "verifying", message);
    LLVMDisposeMessage(message);
    return !u->failed;
}

static void end_passes(void *unused)
{
    (void)unused;
    jit_passes_end();
}

bool jit_unit_optimize(struct jit_unit *u, LLVMTargetMachineRef machine, const struct jit_options *o)
{
    if (!verify(u)) /* LLVM crashes on broken modules */
        return false;
    const char *passes = o->quick ? quick : o->opt_level < 0 ? lean : defaults[o->opt_level];
    struct cleanup begun;
    jit_passes_begin();
    cleanup_push(&begun, end_passes, NULL);
    char *error = shim_run_passes(u->module, passes, machine);
    cleanup_pop(&begun);
    jit_passes_end();
    if (error)
        jit_unit_fail(u, "optimizing", error);
    free(error);
    if (!u->failed && !o->quick && !strncmp(LLVMGetTarget(u->module), "x86_64", 6))
        jit_keep_plain_stores(u, machine);
    return !u->failed;
}
