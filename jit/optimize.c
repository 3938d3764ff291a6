#include "jit/internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

/* The lean pipeline: what loops over arrays need, and nothing else; about a third of the time of default<O3> for the
 * same code. The emitter keeps variables in allocas, so sroa comes first. Loops are rotated and invariant loads hoisted
 * before the vectorizer looks at them; indvars finds trip counts of loops whose bounds were cast. */
static const char lean[] = "function(sroa,early-cse<memssa>,instcombine,simplifycfg,"
                           "loop-mssa(loop-rotate,licm),loop(indvars),"
                           "loop-vectorize,slp-vectorizer,instcombine,simplifycfg,"
                           "loop-mssa(licm),early-cse)";

static const char *const defaults[] = { "default<O0>", "default<O1>", "default<O2>", "default<O3>" };

static bool verify(struct jit_unit *u)
{
    char *message = NULL;
    if (LLVMVerifyModule(u->module, LLVMReturnStatusAction, &message))
        jit_unit_fail(u, "verifying", message);
    LLVMDisposeMessage(message);
    return !u->error;
}

bool jit_unit_optimize(struct jit_unit *u, LLVMTargetMachineRef machine, int opt_level)
{
    if (!verify(u)) /* LLVM crashes on broken modules */
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(u->module, opt_level < 0 ? lean : defaults[opt_level], machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        jit_unit_fail(u, "optimizing", message);
        LLVMDisposeErrorMessage(message);
    }
    return !u->error;
}
