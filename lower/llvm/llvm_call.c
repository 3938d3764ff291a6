/* Calls of C functions, by the C conventions of the target. */
#include "lower/llvm/llvm_emit.h"
#include "lower/tree/tree_callee.h"
#include "runtime/abi.h"

#include <string.h>

enum { MAX_RUNTIME_PARAMS = 16 };

static LLVMTypeRef letter_type(struct llvm_unit *u, char letter)
{
    switch (letter) {
    case 'p':
        return u->pointer;
    case 'l':
        return u->i64;
    case 'i':
        return u->i32;
    case 'd':
        return u->f64;
    case 'f':
        return u->f32;
    default:
        return u->nothing;
    }
}

static void result_attribute(struct llvm_unit *u, LLVMValueRef function, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(u->context, kind, value));
}

/* `effects`: the flags of the function's row. A generated function runs on one thread only: what is steady has one
 * value in it. */
static LLVMValueRef named_function(struct llvm_func *f, LLVMTypeRef type, const char *name, unsigned effects)
{
    bool known = LLVMGetNamedFunction(f->unit->module, name) != NULL;
    LLVMValueRef function = llvm_function_get(f->unit, name, type);
    if (known)
        return function;
    llvm_function_attribute(f->unit, function, "nounwind", 0);
    if (effects & RT_FRESH) {
        result_attribute(f->unit, function, "noalias", 0);
        result_attribute(f->unit, function, "align", 64);
    }
    if (effects & (RT_PURE | RT_STEADY)) {
        llvm_function_attribute(f->unit, function, "willreturn", 0);
        llvm_function_attribute(f->unit, function, "memory", 0);
    }
    return function;
}

LLVMValueRef llvm_runtime(struct llvm_func *f, const char *name, LLVMValueRef *args, unsigned n)
{
    const struct tree_callee *callee = tree_callee(name);
    LLVMTypeRef params[MAX_RUNTIME_PARAMS];
    unsigned count = 0;
    for (const char *s = callee->signature + 2; *s != ')'; s++)
        params[count++] = letter_type(f->unit, *s);
    LLVMTypeRef type = LLVMFunctionType(letter_type(f->unit, callee->signature[0]), params, count, false);
    return LLVMBuildCall2(f->builder, type, named_function(f, type, name, callee->flags), args, n, "");
}

LLVMValueRef llvm_context_field(struct llvm_func *f, size_t offset)
{
    LLVMValueRef index = llvm_int(f->unit->i64, (int64_t)offset);
    return LLVMBuildInBoundsGEP2(f->builder, f->unit->i8, f->context, &index, 1, "");
}

void llvm_return_if_failed(struct llvm_func *f)
{
    LLVMValueRef error = LLVMBuildLoad2(f->builder, f->unit->i32,
                                        llvm_context_field(f, offsetof(struct sdfg_rt_context, error)), "error");
    llvm_flow_return_if(f, LLVMBuildICmp(f->builder, LLVMIntNE, error, llvm_int(f->unit->i32, 0), ""));
}

/* ---- signatures ---- */

enum { MAX_PARAMS = 64 };

struct c_signature {
    LLVMTypeRef result, params[MAX_PARAMS];
    const char *extend[MAX_PARAMS + 1]; /* attribute of a parameter narrower than int; [0]: the result */
    LLVMValueRef values[MAX_PARAMS];
    unsigned count;
};

static const char *extension(const struct type *t)
{
    if (t->kind == TYPE_BOOL || (type_is_unsigned(t) && t->size < 4))
        return "zeroext";
    return type_is_signed(t) && t->size < 4 ? "signext" : NULL;
}

/* float complex travels in one vector register on x86-64; otherwise the two parts are two arguments. */
static bool is_packed(const struct llvm_unit *u, const struct type *t) { return t->kind == TYPE_C64 && u->x86; }

static void add_value(struct c_signature *s, LLVMTypeRef type, LLVMValueRef value, const char *extend)
{
    s->params[s->count] = type;
    s->values[s->count++] = value;
    s->extend[s->count] = extend;
}

static void add_argument(struct llvm_func *f, struct c_signature *s, const struct type *t, struct llvm_value v)
{
    if (t->kind == TYPE_STRUCT || t->kind == TYPE_BF16 || t->kind == TYPE_F8E4M3 || t->kind == TYPE_F8E5M2)
        llvm_unsupported(f, t);
    LLVMTypeRef type = llvm_type(f->unit, t);
    if (is_packed(f->unit, t)) {
        add_value(s, LLVMVectorType(type, 2), llvm_to_memory(f, t, v), NULL);
        return;
    }
    add_value(s, type, v.v, extension(t));
    if (v.im)
        add_value(s, type, v.im, NULL);
}

/* AAPCS64 leaves the upper bits of results narrower than int open. */
static void set_result(struct llvm_func *f, struct c_signature *s, const struct type *t)
{
    LLVMTypeRef part = llvm_type(f->unit, t);
    s->result = part;
    s->extend[0] = f->unit->x86 ? extension(t) : NULL;
    if (is_packed(f->unit, t))
        s->result = LLVMVectorType(part, 2);
    else if (type_is_complex(t))
        s->result = LLVMStructTypeInContext(f->unit->context, (LLVMTypeRef[]){ part, part }, 2, false);
}

static struct llvm_value take_result(struct llvm_func *f, const struct type *t, LLVMValueRef call)
{
    if (is_packed(f->unit, t))
        return llvm_from_memory(f, t, call);
    if (type_is_complex(t))
        return (struct llvm_value){ LLVMBuildExtractValue(f->builder, call, 0, ""),
                                    LLVMBuildExtractValue(f->builder, call, 1, "") };
    return (struct llvm_value){ call, NULL };
}

/* `pointer`: the function itself, else that of the name. */
static LLVMValueRef build_call(struct llvm_func *f, struct c_signature *s, const char *name, LLVMValueRef pointer,
                               unsigned fixed, unsigned effects)
{
    LLVMTypeRef type = LLVMFunctionType(s->result, s->params, fixed ? fixed : s->count, fixed != 0);
    LLVMValueRef function = pointer ? pointer : named_function(f, type, name, effects);
    LLVMValueRef call = LLVMBuildCall2(f->builder, type, function, s->values, s->count, "");
    for (unsigned i = 0; i <= s->count; i++) {
        if (!s->extend[i])
            continue;
        unsigned kind = LLVMGetEnumAttributeKindForName(s->extend[i], strlen(s->extend[i]));
        LLVMAddCallSiteAttribute(call, i, LLVMCreateEnumAttribute(f->unit->context, kind, 0));
    }
    return call;
}

struct llvm_value llvm_call_pure(struct llvm_func *f, const struct type *result, const char *name,
                                 const struct type *const *types, const struct llvm_value *args, unsigned n)
{
    struct c_signature s = { .count = 0 };
    for (unsigned i = 0; i < n; i++)
        add_argument(f, &s, types[i], args[i]);
    set_result(f, &s, result);
    LLVMValueRef call = build_call(f, &s, name, NULL, 0, RT_PURE);
    llvm_vector_forms(f, call, name, result, n);
    return take_result(f, result, call);
}

struct llvm_value llvm_call(struct llvm_func *f, const struct type *result, const char *name,
                            const struct tree_expr *pointer, struct tree_expr *const *args, uint32_t num_args)
{
    struct c_signature s = { .count = 0 };
    LLVMValueRef function = pointer ? llvm_expr(f, pointer).v : NULL;
    for (uint32_t i = 0; i < num_args; i++) {
        struct llvm_value v = llvm_expr(f, args[i]);
        if (s.count + 2 > MAX_PARAMS) {
            llvm_bug(f, "a call with more arguments than the emitter can pass");
            break;
        }
        add_argument(f, &s, args[i]->type, v);
    }
    set_result(f, &s, result);
    const struct tree_callee *c = function ? &tree_callees[CALLEE_UNKNOWN] : tree_callee(name);
    return take_result(f, result, build_call(f, &s, name, function, c->fixed, c->flags));
}
