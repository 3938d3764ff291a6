/* Vector forms of mathematical functions (libmvec), by the names of the vector function ABIs of x86-64 and AArch64:
 * _ZGV, instruction set, N (no mask) or M, lanes (x: scalable), one v for each argument, _, scalar name. LLVM's
 * vectorizer takes them where a call names them; our own vectors call them. What has no such form is computed lane by
 * lane. */
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

/* ---- our own vectors ---- */

LLVMValueRef llvm_vscale(struct llvm_func *f)
{
    const struct llvm_unit *u = f->unit;
    return u->vscale ? llvm_int(u->i64, u->vscale) : llvm_intrinsic(f, "llvm.vscale", u->i64, NULL, 0);
}

/* Lanes that are not active are computed as well: these functions have no effects. */
LLVMValueRef llvm_vector_call(struct llvm_func *f, const char *function, const struct type *t,
                              const struct llvm_value *args, unsigned n)
{
    void *(*find)(const char *name) = f->emitter->options->vector_symbol;
    const char *name = arena_printf(f->emitter->arena, "_ZGVsMx%s_%s", n == 2 ? "vv" : "v", function);
    if (!find || f->unit->x86 || !t->scalable || n > 2 || t->size != VSCALE_BYTES || !find(name))
        return NULL;
    LLVMTypeRef vector = llvm_type(f->unit, t), mask = llvm_with_lanes(vector, f->unit->i1);
    LLVMTypeRef params[] = { vector, n == 2 ? vector : mask, mask };
    LLVMValueRef values[] = { args[0].v, n == 2 ? args[1].v : NULL, NULL };
    values[n] = llvm_const_int(mask, 1);
    LLVMTypeRef type = LLVMFunctionType(vector, params, n + 1, false);
    return LLVMBuildCall2(f->builder, type, llvm_function_get(f->unit, name, type), values, n + 1, "");
}

static LLVMValueRef insert(struct llvm_func *f, LLVMValueRef vector, LLVMValueRef lane, LLVMValueRef at)
{
    return lane ? LLVMBuildInsertElement(f->builder, vector, lane, at, "") : NULL;
}

/* The lanes of a vector of known length are written out, else there is a loop. */
struct llvm_value llvm_each_lane(struct llvm_func *f, const struct type *result, const struct llvm_value *args,
                                 unsigned n, llvm_lane_function *of_lane, void *user)
{
    struct llvm_value lanes[3];
    LLVMValueRef nothing = LLVMGetPoison(llvm_type(f->unit, result));
    LLVMValueRef values[2] = { nothing, llvm_type_is_complex(result) ? nothing : NULL };
    unsigned parts = values[1] ? 2 : 1, count = result->scalable ? 1 : result->lanes;
    struct llvm_repeat loop;
    if (result->scalable) {
        LLVMValueRef all = LLVMBuildMul(f->builder, llvm_vscale(f), llvm_int(f->unit->i64, result->lanes), "");
        loop = llvm_flow_repeat(f, all, values, parts);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = result->scalable ? loop.round : llvm_int(f->unit->i64, i);
        for (unsigned k = 0; k < n; k++)
            lanes[k] = llvm_lane(f, args[k], at);
        struct llvm_value lane = of_lane(f, user, lanes);
        values[0] = insert(f, values[0], lane.v, at);
        values[1] = insert(f, values[1], lane.im, at);
    }
    if (result->scalable)
        llvm_flow_repeat_end(f, &loop, values, parts);
    return (struct llvm_value){ values[0], values[1] };
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
