#include "jit/jit.h"

#include "jit/internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double jit_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool llvm_failed(struct diags *d, LLVMErrorRef error, const char *doing)
{
    if (!error)
        return false;
    char *message = LLVMGetErrorMessage(error);
    diag_error(d, NULL, DIAG_LLVM, doing, message);
    LLVMDisposeErrorMessage(message);
    return true;
}

struct jit *jit_new(struct arena *a, struct diags *d, const struct jit_options *o)
{
    struct jit *j = NEW(a, struct jit);
    j->arena = a;
    j->diags = d;
    j->options = *o;
    j->session_errors = text_new(a);
    if (o->remarks)
        jit_remarks_enable();
    if (jit_machine_init(j))
        return j;
    jit_free(j);
    return NULL;
}

static void unit_release(struct jit_unit *u)
{
    if (u->object)
        LLVMDisposeMemoryBuffer(u->object);
    if (u->module)
        LLVMDisposeModule(u->module);
    if (u->context)
        LLVMContextDispose(u->context);
    free(u->error);
}

void jit_free(struct jit *j)
{
    if (!j)
        return;
    place_free(j->placed);
    if (atomic_load(&j->abandoned))
        return;
    if (j->lljit)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(j->lljit)); /* nobody is left who could do anything about it */
    for (uint32_t i = 0; i < j->units.count; i++)
        unit_release(j->units.items[i]);
    if (j->layout)
        LLVMDisposeTargetData(j->layout);
    if (j->target_machine)
        LLVMDisposeTargetMachine(j->target_machine);
}

/* Without a handler LLVM prints to stderr and ends the process on errors found while code is generated. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *unit)
{
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSRemark)
        jit_remarks_take(unit, info);
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    jit_unit_fail(unit, "generating code", text);
    LLVMDisposeMessage(text);
}

struct jit_unit *jit_unit_new(struct jit *j, enum code_type type, const char *name)
{
    struct jit_unit *u = NEW(j->arena, struct jit_unit);
    u->type = type;
    u->name = arena_strdup(j->arena, name);
    u->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(u->context, on_diagnostic, u);
    u->remarks = j->options.remarks;
    vec_push(j->arena, &j->units, u);
    return u;
}

LLVMModuleRef jit_module(struct jit *j, enum code_type type, const char *name)
{
    struct jit_unit *u = jit_unit_new(j, type, name);
    u->module = LLVMModuleCreateWithNameInContext(name, u->context);
    LLVMSetTarget(u->module, j->machine.triple);
    LLVMSetModuleDataLayout(u->module, j->layout);
    return u->module;
}

static void add_attribute(LLVMContextRef c, LLVMValueRef function, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static void add_enum_attribute(LLVMContextRef c, LLVMValueRef function, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(c, kind, value));
}

void jit_function_attributes(struct jit *j, LLVMValueRef function)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    add_attribute(c, function, "target-cpu", j->machine.cpu);
    add_attribute(c, function, "target-features", j->machine.features);
    if (j->machine.tune)
        add_attribute(c, function, "tune-cpu", j->machine.tune);
    add_enum_attribute(c, function, "nounwind", 0);
    if (j->options.debug_info || j->options.listeners) {
        enum { ASYNCHRONOUS = 2 }; /* llvm::UWTableKind: valid at every instruction */
        add_enum_attribute(c, function, "uwtable", ASYNCHRONOUS);
        add_attribute(c, function, "frame-pointer", "all");
    }
}

size_t jit_code_bytes(const struct jit *j) { return j->code_bytes; }

void jit_times(const struct jit *j, double *optimize, double *emit, double *link)
{
    *optimize = *emit = 0;
    for (uint32_t i = 0; i < j->units.count; i++) {
        *optimize += j->units.items[i]->optimize;
        *emit += j->units.items[i]->emit;
    }
    *link = j->link;
}

const char *jit_version(void)
{
    /* The plugin is built and linked with the LLVM whose headers it saw. */
    return "LLVM " LLVM_VERSION_STRING;
}
