/* Vector forms of mathematical functions (libmvec), by the names of the x86-64 vector function ABI: _ZGV, instruction
 * set, N (no mask), lanes, one v for each argument, _, scalar name. The vectorizer takes them where a call names them.
 */
#include "lower/llvm/llvm_emit.h"

static const struct {
    char letter;         /* of the instruction set in the ABI */
    unsigned bytes;      /* of a register */
    const char *feature; /* that the function must be compiled for; NULL: always there */
} instruction_sets[] = { { 'b', 16, NULL }, { 'd', 32, "+avx2" }, { 'e', 64, "+avx512f" } };

/* Declares the vector form and keeps it: the vectorizer only uses what the module has. */
static void declare(struct llvm_func *f, const char *name, LLVMTypeRef scalar, unsigned lanes, unsigned num_args)
{
    if (LLVMGetNamedFunction(f->unit->module, name))
        return;
    LLVMTypeRef vector = LLVMVectorType(scalar, lanes), params[2] = { vector, vector };
    LLVMTypeRef type = LLVMFunctionType(vector, params, num_args, false);
    vec_push(f->emitter->arena, &f->unit->kept, llvm_function_get(f->unit, name, type));
}

void llvm_vector_forms(struct llvm_func *f, LLVMValueRef call, const char *function, const struct type *t,
                       unsigned num_args)
{
    static const char attribute[] = "vector-function-abi-variant";
    void *(*find)(const char *name) = f->emitter->options->vector_symbol;
    if (!find || !f->unit->x86 || num_args > 2 || (t->kind != TYPE_F32 && t->kind != TYPE_F64))
        return;
    struct text forms = text_new(f->emitter->arena);
    for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++) {
        unsigned lanes = instruction_sets[i].bytes / t->size;
        const char *name = arena_printf(f->emitter->arena, "_ZGV%cN%u%s_%s", instruction_sets[i].letter, lanes,
                                        num_args == 2 ? "vv" : "v", function);
        if ((instruction_sets[i].feature && !llvm_has_feature(f->function, instruction_sets[i].feature)) || !find(name))
            continue;
        declare(f, name, llvm_type(f->unit, t), lanes, num_args);
        text_printf(&forms, "%s%s(%s)", forms.length ? "," : "", name, name);
    }
    if (forms.length) {
        LLVMAttributeRef a = LLVMCreateStringAttribute(f->unit->context, attribute, sizeof attribute - 1, forms.data,
                                                       (unsigned)forms.length);
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, a);
    }
}

void llvm_vector_finish(struct llvm_unit *u)
{
    if (!u->kept.count)
        return;
    LLVMValueRef list = LLVMConstArray2(u->pointer, u->kept.items, u->kept.count);
    LLVMValueRef global = LLVMAddGlobal(u->module, LLVMTypeOf(list), "llvm.compiler.used");
    LLVMSetInitializer(global, list);
    LLVMSetLinkage(global, LLVMAppendingLinkage);
    LLVMSetSection(global, "llvm.metadata");
}
