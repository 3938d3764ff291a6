#include "jit/internal.h"

#include "base/fatal.h"
#include "base/near.h"
#include "jit/shim.h"

#include <llvm-c/Support.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
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

/* Threads without a guard are not ours: LLVM may belong to the whole process. */
static void no_memory(void)
{
    if (guard_innermost())
        fatal_memory();
}

static void gave_up(const char *reason)
{
    if (guard_innermost())
        fatal(reason);
}

/* What is known about failures of LLVM in this process. */
static atomic_bool entered, ready, lost;
static atomic_uint num_abandoned;

void jit_first_done(void)
{
    if (!atomic_load_explicit(&ready, memory_order_relaxed))
        atomic_store(&ready, true);
}

void jit_abandoned(void)
{
    atomic_fetch_add(&num_abandoned, 1);
    if (atomic_load(&entered) && !atomic_load(&ready))
        atomic_store(&lost, true);
}

unsigned jit_num_abandoned(void) { return atomic_load(&num_abandoned); }

bool jit_lost(void) { return atomic_load(&lost); }

static void init_host(void)
{
    /* LLVM has no other way out of some failures (no memory, an instruction it cannot select). */
    shim_on_failure(no_memory, gave_up);
    /* Loop strength reduction takes two thirds of the time of code generation and gains nothing measurable, as row
     * addresses are hoisted already. Complex numbers under a condition are vectorized with masks (1.4 times faster).
     * Selects stay selects: as branches on data they mispredict (histograms: 1.4 times slower). No loop gets a version
     * for a row length of 1, which LLVM would vectorize instead of the one for all lengths (columns in code for all
     * sizes; strides that callers choose have versions of our own). The options exist for the whole process only. */
    static const char *const options[] = { "libsdfg", "-disable-lsr", "-enable-masked-interleaved-mem-accesses",
                                           "-x86-cmov-converter=0", "-enable-mem-access-versioning=false" };
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
    init_native();
    /* On AArch64 LLVM knows the processors of the large vendors by their identification; others are "generic". */
    host.triple = LLVMGetDefaultTargetTriple();
    host.cpu = LLVMGetHostCPUName();
    host.features = jit_host_features();
    if (!host.triple || !host.cpu || !host.features)
        fatal_memory();
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
    atomic_store(&entered, true);
    pthread_once(&host.once, init_host);
    struct jit_names n = { .native = !o->triple || strcmp(o->triple, host.triple) == 0 };
    n.triple = o->triple ? arena_strdup(a, o->triple) : host.triple;
    n.cpu = o->cpu ? arena_strdup(a, o->cpu) : n.native ? host.cpu : "generic";
    n.features = o->features ? arena_strdup(a, o->features) : n.native && !o->cpu ? host.features : "";
    return n;
}

/* ---- names of the caller ---- */

static void try_name(void *near, const char *text, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    near_try(near, name);
}

/* Compares as LLVM does, exactly. */
struct search {
    const char *name;
    size_t length;
    bool found;
};

static void compare(void *search, const char *text, size_t length)
{
    struct search *s = search;
    s->found |= length == s->length && !memcmp(text, s->name, length);
}

static void add_name(void *list, const char *text, size_t length)
{
    struct text *t = list;
    text_printf(t, "%s%.*s", t->length ? ", " : "", (int)length, text);
}

typedef bool list_names(const char *triple, void (*name)(void *user, const char *text, size_t length), void *user);

static bool check_name(struct jit *j, list_names *list, const char *option, const char *noun, const char *name,
                       size_t length)
{
    struct search s = { .name = name, .length = length };
    list(j->machine.triple, compare, &s);
    if (s.found)
        return true;
    const char *wrong = arena_strndup(j->arena, name, length);
    struct near n = near_begin(wrong);
    list(j->machine.triple, try_name, &n);
    const char *hint = arena_printf(j->arena, " (did you mean '%s'?)", n.best);
    if (!*n.best) {
        struct text all = text_new(j->arena);
        list(j->machine.triple, add_name, &all);
        hint = arena_printf(j->arena, "; it knows %s", text_get(&all));
    }
    return diag_error(j->diags, NULL, DIAG_OPTION_NAME, option, noun, wrong, j->machine.triple, hint);
}

/* LLVM would only warn on standard error, and ignore them. */
static bool check_names(struct jit *j)
{
    const struct jit_options *o = &j->options;
    if (o->cpu && *o->cpu && !check_name(j, shim_processors, "cpu", "processor", o->cpu, strlen(o->cpu)))
        return false;
    for (const char *at = o->features; at && *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        const char *name = at + (*at == '+' || *at == '-');
        if (name == at)
            return diag_error(j->diags, NULL, DIAG_OPTION_VALUE, "features",
                              "is a list of names with + or - in front of each, such as +sve,-avx512f");
        if (!check_name(j, shim_features, "features", "feature", name, length - 1))
            return false;
        at += length;
    }
    return true;
}

/* "x86_64-..." or "aarch64-...": of all others, nothing but the name can be said. */
static bool unknown_target(struct jit *j)
{
    static const char *const known[] = { "x86_64", "aarch64" };
    size_t length = strcspn(j->machine.triple, "-");
    const char *architecture = arena_strndup(j->arena, j->machine.triple, length);
    struct near n = near_begin(architecture);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        near_try(&n, known[i]);
    return diag_error(j->diags, NULL, DIAG_OPTION_NAME, "target", "architecture", architecture, j->machine.triple,
                      *n.best ? arena_printf(j->arena, " (did you mean '%s'?)", n.best)
                              : "; code can be made for x86_64 and aarch64");
}

/* Object files are ELF and calls follow the system's rules: the third part of a triple, or the second where the vendor
 * is left out. */
static bool check_system(struct jit *j)
{
    const char *system = strstr(j->machine.triple, "-linux");
    if (system && (!system[6] || strchr("-0123456789.", system[6])))
        return true;
    const char *vendor = strchr(j->machine.triple, '-');
    return diag_error(j->diags, NULL, DIAG_OPTION_VALUE, "target",
                      arena_printf(j->arena, "names the system '%s'; code can be made for Linux only: %.*s-linux-gnu",
                                   vendor ? vendor + 1 : "", (int)strcspn(j->machine.triple, "-"), j->machine.triple));
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
        LLVMDisposeMessage(message);
        return unknown_target(j);
    }
    if (!check_system(j) || !check_names(j))
        return false;
    j->target_machine = jit_machine_new(m);
    if (!j->target_machine)
        return diag_error(j->diags, NULL, DIAG_LLVM, "making a target machine", m->triple);
    j->layout = LLVMCreateTargetDataLayout(j->target_machine);
    return true;
}

LLVMTargetMachineRef jit_machine_new(const struct jit_machine *m)
{
    /* LLVMCodeModelJITDefault would be the large model, whose code is slower and cannot be placed by a simple loader.
     */
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(m->target, m->triple, m->cpu, m->features, m->level, LLVMRelocPIC, LLVMCodeModelSmall);
    /* Short loops take a fifth longer where they straddle the windows of 32 bytes in which instructions are decoded. */
    if (machine && !strncmp(m->triple, "x86_64", 6))
        shim_align_loops(machine, 32);
    return machine;
}
