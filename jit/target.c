#include "jit/internal.h"

#include "base/fatal.h"

#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <pthread.h>
#include <string.h>

/* What LLVM says of the host does not change while the process runs; asking takes 0.3 ms. */
static struct {
    pthread_once_t once;
    char *triple, *cpu, *features;
} host = { .once = PTHREAD_ONCE_INIT };

static pthread_once_t foreign_once = PTHREAD_ONCE_INIT;

static void init_x86(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
}

static void init_aarch64(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
}

/* LLVM's own "native" is the machine that its headers were installed on, which may be another one when cross-compiling.
 */
static void init_native(void)
{
#if defined(__aarch64__)
    init_aarch64();
#else
    init_x86();
#endif
}

/* Targets besides the host's that objects can be made for. */
static void init_foreign(void)
{
    init_x86();
    init_aarch64();
}

static void init_host(void)
{
    /* LLVM has no other way out of some failures (no memory, an instruction it cannot select). */
    LLVMInstallFatalErrorHandler(fatal);
    /* Loop strength reduction takes two thirds of the time of code generation and gains nothing measurable, as row
     * addresses are hoisted already. Complex numbers under a condition are vectorized with masks (1.4 times faster).
     * Selects stay selects: as branches on data they mispredict (histograms: 1.4 times slower). The options exist for
     * the whole process only. */
    static const char *const options[] = { "libsdfg", "-disable-lsr", "-enable-masked-interleaved-mem-accesses",
                                           "-x86-cmov-converter=0" };
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
    init_native();
    /* On AArch64 LLVM knows the processors of the large vendors by their identification; of others it reads the
     * features from /proc/cpuinfo, and the CPU is "generic". */
    host.triple = LLVMGetDefaultTargetTriple();
    host.cpu = LLVMGetHostCPUName();
    host.features = LLVMGetHostCPUFeatures();
}

static LLVMCodeGenOptLevel codegen_level(int opt_level)
{
    static const LLVMCodeGenOptLevel levels[] = { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                  LLVMCodeGenLevelAggressive };
    return opt_level < 0 ? LLVMCodeGenLevelDefault : levels[opt_level];
}

/* Of an unknown processor with SVE, LLVM thinks that its vectors have 128 bits, for which it mostly prefers NEON, and
 * longer ones would lie idle. One with 256 bits as the example makes it prefer SVE, which is right for all lengths. */
static const char *tuned_for(const struct jit_machine *m)
{
    bool unknown = !strncmp(m->triple, "aarch64", 7) && !strcmp(m->cpu, "generic");
    return unknown && strstr(m->features, "+sve") ? "neoverse-v1" : NULL;
}

struct jit_names jit_names_of(struct arena *a, const struct jit_options *o)
{
    pthread_once(&host.once, init_host);
    struct jit_names n = { .native = !o->triple || strcmp(o->triple, host.triple) == 0 };
    n.triple = o->triple ? arena_strdup(a, o->triple) : host.triple;
    n.cpu = o->cpu ? arena_strdup(a, o->cpu) : n.native ? host.cpu : "generic";
    n.features = o->features ? arena_strdup(a, o->features) : n.native && !o->cpu ? host.features : "";
    return n;
}

bool jit_machine_init(struct jit *j)
{
    const struct jit_options *o = &j->options;
    struct jit_machine *m = &j->machine;
    struct jit_names names = jit_names_of(j->arena, o);
    m->native = names.native;
    if (!m->native)
        pthread_once(&foreign_once, init_foreign);
    m->triple = names.triple;
    m->cpu = names.cpu;
    m->features = names.features;
    m->tune = tuned_for(m);
    m->level = o->quick ? LLVMCodeGenLevelNone : codegen_level(o->opt_level);
    char *message = NULL;
    if (LLVMGetTargetFromTriple(m->triple, &m->target, &message)) {
        diag_error(j->diags, NULL, DIAG_JIT_TARGET, m->triple, message);
        LLVMDisposeMessage(message);
        return false;
    }
    j->target_machine = jit_machine_new(m);
    if (!j->target_machine)
        return diag_error(j->diags, NULL, DIAG_JIT_TARGET, m->triple, "no machine of this kind");
    j->layout = LLVMCreateTargetDataLayout(j->target_machine);
    return true;
}

LLVMTargetMachineRef jit_machine_new(const struct jit_machine *m)
{
    /* LLVMCodeModelJITDefault would be the large model, whose code is slower and cannot be placed by a simple loader.
     */
    return LLVMCreateTargetMachine(m->target, m->triple, m->cpu, m->features, m->level, LLVMRelocPIC,
                                   LLVMCodeModelSmall);
}
