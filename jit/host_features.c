#include "jit/internal.h"

#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <string.h>

/* On AArch64 LLVM reads the features from /proc/cpuinfo, which containers may hide and which an emulator passes through
 * from its host. The kernel tells each process what it may use (getauxval). */
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

static const struct {
    unsigned long kind, bit;
    const char *name; /* LLVM's */
} known[] = {
    { AT_HWCAP, HWCAP_ATOMICS, "+lse" },      { AT_HWCAP, HWCAP_ASIMDHP, "+fullfp16" },
    { AT_HWCAP, HWCAP_ASIMDRDM, "+rdm" },     { AT_HWCAP, HWCAP_ASIMDDP, "+dotprod" },
    { AT_HWCAP, HWCAP_ASIMDFHM, "+fp16fml" }, { AT_HWCAP, HWCAP_SVE, "+sve" },
    { AT_HWCAP2, HWCAP2_SVE2, "+sve2" },      { AT_HWCAP2, HWCAP2_I8MM, "+i8mm" },
    { AT_HWCAP2, HWCAP2_SVEF64MM, "+f64mm" }, { AT_HWCAP2, HWCAP2_BF16, "+bf16" },
};

char *jit_host_features(void)
{
    char *llvm = LLVMGetHostCPUFeatures();
    size_t size = llvm ? strlen(llvm) + 1 : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        size += strlen(known[i].name) + 1;
    char *all = llvm ? malloc(size) : NULL, *end = all ? stpcpy(all, llvm) : NULL;
    for (size_t i = 0; all && i < sizeof known / sizeof *known; i++)
        if (getauxval(known[i].kind) & known[i].bit)
            end = stpcpy(stpcpy(end, end > all ? "," : ""), known[i].name);
    LLVMDisposeMessage(llvm);
    return all;
}
#else
char *jit_host_features(void) { return LLVMGetHostCPUFeatures(); }
#endif
