/* Code from elsewhere: LLVM IR and objects, as units of their own. */
#include "jit/internal.h"

#include "base/fatal.h"

#include <elf.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <string.h>

/* The message as a text of the arena. */
static const char *taken(struct jit *j, char *message)
{
    size_t length = message ? strlen(message) : 0;
    while (length && message[length - 1] == '\n')
        length--;
    const char *own = length ? arena_strndup(j->arena, message, length) : "LLVM does not say why";
    LLVMDisposeMessage(message);
    return own;
}

static LLVMMemoryBufferRef buffer_of(const char *bytes, size_t size)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "source");
    if (!buffer)
        fatal_memory();
    return buffer;
}

/* Names that the library's own code may have. */
static const char *wrong_names(struct jit *j, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (!LLVMIsDeclaration(f) && !strncmp(name, "sdfg_", 5))
            return arena_printf(j->arena, "it defines '%s', but names that begin with 'sdfg_' are the library's", name);
    }
    return NULL;
}

static bool is_over_int64(LLVMValueRef f, uint32_t num_params)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
    bool good = LLVMCountParams(f) == num_params && !LLVMIsFunctionVarArg(type) && LLVMGetReturnType(type) == i64;
    for (uint32_t i = 0; good && i < num_params; i++)
        good = LLVMTypeOf(LLVMGetParam(f, i)) == i64;
    return good;
}

static const char *wrong_functions(struct jit *j, LLVMModuleRef module, const struct jit_wanted *wanted, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(module, wanted[i].name);
        if (!f || LLVMIsDeclaration(f))
            return arena_printf(j->arena, "it does not define '%s'", wanted[i].name);
        if (!is_over_int64(f, wanted[i].num_params))
            return arena_printf(j->arena, "'%s' is not a function of %u numbers of 64 bits to one", wanted[i].name,
                                wanted[i].num_params);
    }
    return NULL;
}

static const char *check_module(struct jit *j, LLVMModuleRef module)
{
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return taken(j, message);
    LLVMDisposeMessage(message);
    return wrong_names(j, module);
}

const char *jit_add_ir(struct jit *j, const char *name, const char *bytes, size_t size, const struct jit_wanted *wanted,
                       uint32_t count)
{
    struct jit_unit *u = jit_unit_new(j, CODE_GIVEN, name);
    char *message = NULL;
    u->foreign = true;
    if (LLVMParseIRInContext(u->context, buffer_of(bytes, size), &u->module, &message)) {
        u->module = NULL;
        return taken(j, message);
    }
    LLVMSetTarget(u->module, j->machine.triple); /* before the checks, which look at the layout */
    LLVMSetModuleDataLayout(u->module, j->layout);
    const char *why = check_module(j, u->module);
    if (!why)
        why = wrong_functions(j, u->module, wanted, count);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f && !why; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            jit_function_attributes(j, f);
    return why;
}

const char *jit_add_object(struct jit *j, const char *name, const char *bytes, size_t size)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return "it is no whole ELF file";
    memcpy(&head, bytes, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_type != ET_REL)
        return "it is no object file of 64 bits";
    if (head.e_machine != (strncmp(j->machine.triple, "x86_64", 6) ? EM_AARCH64 : EM_X86_64))
        return "it is an object file of another machine";
    struct jit_unit *u = NEW(j->arena, struct jit_unit);
    u->type = CODE_GIVEN;
    u->name = arena_strdup(j->arena, name);
    u->object = buffer_of(bytes, size);
    vec_push(j->arena, &j->units, u);
    return NULL;
}
