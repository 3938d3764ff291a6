#include "jit/internal.h"

#include "base/fatal.h"

#include <llvm-c/Orc.h>
#include <string.h>

static void on_session_error(void *jit, LLVMErrorRef error)
{
    struct jit *j = jit;
    char *message = LLVMGetErrorMessage(error);
    text_printf(&j->session_errors, "%s%s", j->session_errors.length ? "; " : "", message);
    LLVMDisposeErrorMessage(message);
}

/* ORC asks for what the objects call and no object has. */
static LLVMErrorRef define_symbols(LLVMOrcDefinitionGeneratorRef generator, void *jit, LLVMOrcLookupStateRef *state,
                                   LLVMOrcLookupKind kind, LLVMOrcJITDylibRef library, LLVMOrcJITDylibLookupFlags flags,
                                   LLVMOrcCLookupSet wanted, size_t count)
{
    (void)generator, (void)state, (void)kind, (void)flags;
    struct jit *j = jit;
    LLVMOrcCSymbolMapPair *found = NEW_ARRAY(j->arena, LLVMOrcCSymbolMapPair, count);
    size_t num_found = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = LLVMOrcSymbolStringPoolEntryStr(wanted[i].Name);
        void *address = place_find(j->options.runtime_symbol, name);
        if (address) {
            LLVMOrcRetainSymbolStringPoolEntry(wanted[i].Name);
            found[num_found++] = (LLVMOrcCSymbolMapPair){
                wanted[i].Name, { (LLVMOrcExecutorAddress)(uintptr_t)address, { LLVMJITSymbolGenericFlagsExported, 0 } }
            };
        } else if (!j->missing && wanted[i].LookupFlags == LLVMOrcSymbolLookupFlagsRequiredSymbol) {
            j->missing = arena_strdup(j->arena, name);
        }
    }
    return num_found ? LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(found, num_found)) : NULL;
}

static bool start_orc(struct jit *j)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    /* Says what host it is, so that LLJIT does not find out again; the builder takes the machine. */
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(jit_machine_new(&j->machine)));
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&j->lljit, builder);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        diag_error(j->diags, NULL, DIAG_JIT_START, message);
        LLVMDisposeErrorMessage(message);
        j->lljit = NULL;
        return false;
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(j->lljit), on_session_error, j);
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(j->lljit),
                                LLVMOrcCreateCustomCAPIDefinitionGenerator(define_symbols, j, NULL));
    return true;
}

/* `error` only says that linking failed; the cause came through the session. */
static bool link_failed(struct jit *j, LLVMErrorRef error)
{
    if (!error)
        return false;
    if (j->missing)
        diag_error(j->diags, NULL, DIAG_JIT_SYMBOL, j->missing);
    else if (j->session_errors.length)
        diag_error(j->diags, NULL, DIAG_LLVM, "linking", text_get(&j->session_errors));
    else
        return llvm_failed(j->diags, error, "linking");
    LLVMConsumeError(error);
    return true;
}

static bool add_objects(struct jit *j, struct jit_functions *functions)
{
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(j->lljit);
    for (uint32_t i = 0; i < j->units.count; i++) {
        struct jit_unit *u = j->units.items[i];
        jit_object_read(j, u->object, &functions[i]);
        LLVMMemoryBufferRef object = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            LLVMGetBufferStart(u->object), LLVMGetBufferSize(u->object), "object"); /* LLJIT takes it */
        if (!object)
            fatal_memory();
        if (link_failed(j, LLVMOrcLLJITAddObjectFile(j->lljit, library, object)))
            return false;
    }
    return true;
}

/* ORC links an object when one of its symbols is asked for. Everything is asked for here, so that failures show now and
 * not when the program runs. */
static bool link_all(struct jit *j, const struct jit_functions *functions)
{
    for (uint32_t i = 0; i < j->units.count; i++) {
        for (uint32_t k = 0; k < functions[i].list.count; k++) {
            const struct jit_function *f = &functions[i].list.items[k];
            LLVMOrcExecutorAddress address;
            if (f->global && link_failed(j, LLVMOrcLLJITLookup(j->lljit, &address, f->name)))
                return false;
        }
    }
    return true;
}

static bool link_orc(struct jit *j)
{
    struct jit_functions *functions = NEW_ARRAY(j->arena, struct jit_functions, j->units.count);
    bool ok = start_orc(j) && (!j->options.listeners || jit_listen_begin(j)) && add_objects(j, functions) &&
              link_all(j, functions);
    if (ok && j->options.listeners)
        jit_listen_linked(j, functions, j->units.count);
    return ok;
}

static bool place(struct jit *j, const char **why)
{
    const struct code_object *objects;
    uint32_t count = jit_objects(j, &objects);
    struct place_options o = { .symbol = j->options.runtime_symbol, .listeners = j->options.listeners };
    j->placed = place_new(objects, count, &o, j->arena, why);
    if (j->placed)
        j->code_bytes = place_bytes(j->placed);
    return j->placed != NULL;
}

static bool link_any(struct jit *j)
{
    enum jit_linker linker = j->options.linker;
    const char *why;
    if (linker == JIT_LINKER_AUTO && j->options.debug_info)
        linker = JIT_LINKER_ORC;
    if (linker != JIT_LINKER_ORC && place(j, &why))
        return true;
    if (linker == JIT_LINKER_PLACE)
        return diag_error(j->diags, NULL, DIAG_JIT_PLACE, why);
    return link_orc(j);
}

bool jit_link(struct jit *j)
{
    if (!j->machine.native)
        return diag_error(j->diags, NULL, DIAG_JIT_FOREIGN, j->machine.triple);
    double start = jit_now();
    bool ok = link_any(j);
    j->link = jit_now() - start;
    return ok;
}

uint32_t jit_objects(const struct jit *j, const struct code_object **out)
{
    struct code_object *objects = NEW_ARRAY(j->arena, struct code_object, j->units.count);
    for (uint32_t i = 0; i < j->units.count; i++) {
        const struct jit_unit *u = j->units.items[i];
        objects[i] =
            (struct code_object){ u->type, u->name, LLVMGetBufferStart(u->object), LLVMGetBufferSize(u->object) };
    }
    *out = objects;
    return j->units.count;
}

struct placed *jit_take_placed(struct jit *j)
{
    struct placed *p = j->placed;
    j->placed = NULL;
    return p;
}

void *jit_address(struct jit *j, const char *name)
{
    if (j->placed)
        return place_address(j->placed, name);
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(j->lljit, &address, name);
    if (error) {
        LLVMConsumeError(error);
        return NULL;
    }
    return (void *)(uintptr_t)address;
}
