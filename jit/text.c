#include "jit/internal.h"

#include "base/fatal.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

/* What `of` defines cannot be seen from outside of `all`, which has it too. */
static void hide(LLVMModuleRef all, LLVMModuleRef of)
{
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(of); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(LLVMGetNamedFunction(all, LLVMGetValueName2(f, &length)), LLVMInternalLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(of); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMExternalLinkage)
            LLVMSetLinkage(LLVMGetNamedGlobal(all, LLVMGetValueName2(g, &length)), LLVMInternalLinkage);
}

/* Modules of different contexts cannot be linked; their bitcode can be read into one. */
static bool join_units(struct jit *j)
{
    struct jit_unit *first = j->units.items[0];
    for (uint32_t i = 1; i < j->units.count; i++) {
        struct jit_unit *u = j->units.items[i];
        if (!u->module) /* an object from elsewhere */
            continue;
        LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(u->module);
        LLVMModuleRef copy = NULL;
        if (!bits)
            fatal_memory();
        bool ok = !LLVMParseBitcodeInContext2(first->context, bits, &copy) && !LLVMLinkModules2(first->module, copy);
        LLVMDisposeMemoryBuffer(bits);
        if (ok && u->foreign)
            hide(first->module, u->module);
        LLVMDisposeModule(u->module);
        u->module = NULL;
        if (!ok)
            return jit_unit_fail(first, "joining units", LLVMGetModuleIdentifier(first->module, &(size_t){ 0 }));
    }
    return true;
}

static void give_buffer(struct jit *j, LLVMMemoryBufferRef buffer, const char **text, size_t *size)
{
    *size = LLVMGetBufferSize(buffer);
    *text = arena_strndup(j->arena, LLVMGetBufferStart(buffer), *size);
    LLVMDisposeMemoryBuffer(buffer);
}

static void give_ir(struct jit *j, const struct jit_unit *u, const char **text, size_t *size)
{
    char *ir = LLVMPrintModuleToString(u->module);
    if (!ir)
        fatal_memory();
    struct text copy = text_new(j->arena);
    text_add(&copy, ir);
    LLVMDisposeMessage(ir);
    *text = text_get(&copy);
    *size = copy.length;
}

bool jit_text(struct jit *j, enum jit_text kind, const char **text, size_t *size)
{
    *text = "";
    *size = 0;
    if (j->units.count == 0)
        return true;
    struct jit_unit *u = j->units.items[0];
    double start = jit_now();
    bool ok = join_units(j) && (kind == JIT_TEXT_LL || jit_unit_optimize(u, j->target_machine, &j->options));
    double middle = jit_now();
    if (ok && (kind == JIT_TEXT_LL || kind == JIT_TEXT_LL_OPT)) {
        give_ir(j, u, text, size);
    } else if (ok) {
        LLVMMemoryBufferRef buffer;
        ok = jit_unit_emit(u, j->target_machine, kind == JIT_TEXT_ASM ? LLVMAssemblyFile : LLVMObjectFile, &buffer);
        if (ok)
            give_buffer(j, buffer, text, size);
    }
    u->optimize = middle - start;
    u->emit = jit_now() - middle;
    return ok ? true : jit_unit_report(j, u);
}
