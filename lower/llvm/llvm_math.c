/* Mathematical functions: an intrinsic where every target has good code for it, else the C library's function. The
 * names are those of the C library on purpose (not llvm.sin and the like), so that a vector form can be named at the
 * call. */
#include "lower/llvm/llvm_emit.h"

#include <math.h>
#include <string.h>

LLVMValueRef llvm_intrinsic(struct llvm_func *f, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(f->unit->module, id, &overload, 1);
    return LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(function), function, args, n, "");
}

enum { MAX_ARGS = 3 };

static const struct {
    const char *name;      /* as in the C library for double */
    const char *intrinsic; /* or NULL */
    const char *complex;   /* double complex, or NULL */
    unsigned arity;
} functions[TREE_MATH_COUNT] = {
#define MATH(id, count) [TREE_MATH_##id].name = #id, [TREE_MATH_##id].arity = (count),
    TREE_MATH_LIST(MATH)
#undef MATH
        [TREE_MATH_sqrt]
            .intrinsic = "llvm.sqrt",
    [TREE_MATH_fabs].intrinsic = "llvm.fabs",
    [TREE_MATH_floor].intrinsic = "llvm.floor",
    [TREE_MATH_ceil].intrinsic = "llvm.ceil",
    [TREE_MATH_trunc].intrinsic = "llvm.trunc",
    [TREE_MATH_round].intrinsic = "llvm.round",
    [TREE_MATH_nearbyint].intrinsic = "llvm.nearbyint",
    [TREE_MATH_copysign].intrinsic = "llvm.copysign",
    [TREE_MATH_fma].intrinsic = "llvm.fma",
    [TREE_MATH_sqrt].complex = "csqrt",
    [TREE_MATH_exp].complex = "cexp",
    [TREE_MATH_log].complex = "clog",
    [TREE_MATH_sin].complex = "csin",
    [TREE_MATH_cos].complex = "ccos",
    [TREE_MATH_tan].complex = "ctan",
    [TREE_MATH_asin].complex = "casin",
    [TREE_MATH_acos].complex = "cacos",
    [TREE_MATH_atan].complex = "catan",
    [TREE_MATH_sinh].complex = "csinh",
    [TREE_MATH_cosh].complex = "ccosh",
    [TREE_MATH_tanh].complex = "ctanh",
    [TREE_MATH_asinh].complex = "casinh",
    [TREE_MATH_acosh].complex = "cacosh",
    [TREE_MATH_atanh].complex = "catanh",
    [TREE_MATH_pow].complex = "cpow",
};

/* ---- predicates ---- */

static LLVMValueRef sign_bit(struct llvm_func *f, const struct type *scalar, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef bits = scalar->kind == TYPE_F32 ? f->unit->i32 : f->unit->i64;
    if (llvm_is_vector(type))
        bits = llvm_with_lanes(type, bits);
    v = LLVMBuildBitCast(f->builder, v, bits, "");
    return LLVMBuildICmp(f->builder, LLVMIntSLT, v, LLVMConstNull(bits), "");
}

/* Bit patterns decide, so that fast mathematics does not fold the test away. */
static LLVMValueRef test_class(struct llvm_func *f, LLVMValueRef v, int64_t mask)
{
    return llvm_intrinsic(f, "llvm.is.fpclass", LLVMTypeOf(v), (LLVMValueRef[]){ v, llvm_int(f->unit->i32, mask) }, 2);
}

enum { CLASS_NAN = 0x3, CLASS_INFINITE = 0x204, CLASS_FINITE = 0x1f8 };

static LLVMValueRef float_test(struct llvm_func *f, enum tree_math math, const struct type *scalar, LLVMValueRef v)
{
    if (llvm_type_is_small_float(scalar)) {
        v = llvm_widen(f, scalar, v);
        scalar = type_basic(f->emitter->tree->ir, TYPE_F32);
    }
    if (math == TREE_MATH_signbit)
        return sign_bit(f, scalar, v);
    return test_class(f, v,
                      math == TREE_MATH_isnan   ? CLASS_NAN
                      : math == TREE_MATH_isinf ? CLASS_INFINITE
                                                : CLASS_FINITE);
}

static LLVMValueRef predicate(struct llvm_func *f, enum tree_math math, const struct type *t, struct llvm_value a)
{
    const struct type *scalar = type_scalar(t);
    if (llvm_type_is_complex(t)) {
        const struct type *part = type_scalar(llvm_type_part(f, t));
        LLVMValueRef re = float_test(f, math, part, a.v), im = float_test(f, math, part, a.im);
        return math == TREE_MATH_isfinite ? LLVMBuildAnd(f->builder, re, im, "") : LLVMBuildOr(f->builder, re, im, "");
    }
    if (type_is_float(scalar))
        return float_test(f, math, scalar, a.v);
    if (math == TREE_MATH_signbit && type_is_signed(scalar))
        return llvm_compare(f, EXPR_LT, t, a, (struct llvm_value){ LLVMConstNull(LLVMTypeOf(a.v)), NULL });
    LLVMValueRef yes = llvm_const_int(f->unit->i1, math == TREE_MATH_isfinite);
    return t->kind == TYPE_VECTOR ? llvm_splat(f, LLVMTypeOf(a.v), yes) : yes;
}

/* ---- values ---- */

static const char *library_name(struct llvm_func *f, const struct type *t, const char *name)
{
    return t->kind == TYPE_F32 || t->kind == TYPE_C64 ? arena_printf(f->emitter->arena, "%sf", name) : name;
}

/* Math functions are speculatable, like the intrinsics: LLVM may hoist them out of a loop that does not run. */
static struct llvm_value library(struct llvm_func *f, const struct type *t, const char *name,
                                 const struct llvm_value *args, unsigned n)
{
    const struct type *types[MAX_ARGS] = { t, t, t };
    const char *called = library_name(f, t, name);
    struct llvm_value r = llvm_call_pure(f, t, called, types, args, n);
    llvm_function_attribute(f->unit, LLVMGetNamedFunction(f->unit->module, called), "speculatable", 0);
    return r;
}

static LLVMValueRef float_math(struct llvm_func *f, enum tree_math math, const struct type *t,
                               const struct llvm_value *args)
{
    unsigned n = functions[math].arity;
    if (functions[math].intrinsic) {
        LLVMValueRef v[MAX_ARGS];
        for (unsigned i = 0; i < n; i++)
            v[i] = args[i].v;
        return llvm_fp(f, llvm_intrinsic(f, functions[math].intrinsic, LLVMTypeOf(v[0]), v, n));
    }
    if (math == TREE_MATH_fmod)
        return llvm_fp(f, LLVMBuildFRem(f->builder, args[0].v, args[1].v, ""));
    if (math == TREE_MATH_conj)
        return args[0].v;
    return llvm_fp(f, library(f, t, functions[math].name, args, n).v);
}

/* What is computed for each lane of a vector. */
struct of_lane {
    enum tree_math math;
    const struct type *type; /* of an argument's lane */
};

static struct llvm_value float_lane(struct llvm_func *f, void *user, const struct llvm_value *args)
{
    const struct of_lane *l = user;
    return (struct llvm_value){ float_math(f, l->math, l->type, args), NULL };
}

LLVMValueRef llvm_vector_math(struct llvm_func *f, enum tree_math math, const struct type *t,
                              const struct llvm_value *args)
{
    struct of_lane lane = { math, t->elem };
    if (functions[math].intrinsic || math == TREE_MATH_conj || (math == TREE_MATH_fmod && !t->scalable))
        return float_math(f, math, t->elem, args);
    LLVMValueRef r =
        llvm_vector_call(f, library_name(f, t->elem, functions[math].name), t, args, functions[math].arity);
    return r ? r : llvm_each_lane(f, t, args, functions[math].arity, float_lane, &lane).v;
}

static struct llvm_value complex_scaled(struct llvm_func *f, struct llvm_value v, double factor)
{
    LLVMValueRef s = LLVMConstReal(LLVMTypeOf(v.v), factor);
    return (struct llvm_value){ llvm_fp(f, LLVMBuildFMul(f->builder, v.v, s, "")),
                                llvm_fp(f, LLVMBuildFMul(f->builder, v.im, s, "")) };
}

static struct llvm_value complex_math(struct llvm_func *f, enum tree_math math, const struct type *t,
                                      const struct llvm_value *args)
{
    struct llvm_value one = { LLVMConstReal(llvm_type(f->unit, t), 1), LLVMConstNull(llvm_type(f->unit, t)) };
    struct llvm_value r = args[0];
    if (functions[math].complex)
        return library(f, t, functions[math].complex, args, functions[math].arity);
    switch (math) {
    case TREE_MATH_conj:
        return (struct llvm_value){ r.v, LLVMBuildFNeg(f->builder, r.im, "") };
    case TREE_MATH_log2:
    case TREE_MATH_log10:
        return complex_scaled(f, library(f, t, "clog", args, 1), 1 / log(math == TREE_MATH_log2 ? 2 : 10));
    case TREE_MATH_log1p:
        r = llvm_complex_binary(f, EXPR_ADD, one, r);
        return library(f, t, "clog", &r, 1);
    case TREE_MATH_exp2:
        r = complex_scaled(f, r, log(2));
        return library(f, t, "cexp", &r, 1);
    case TREE_MATH_expm1:
        return llvm_complex_binary(f, EXPR_SUB, library(f, t, "cexp", args, 1), one);
    default:
        llvm_unsupported(f, t);
        return r;
    }
}

/* sqrt(re^2 + im^2) with the parts scaled by a power of two near the larger one, so that squares neither overflow nor
 * vanish; within two units in the last place, and without a call, so that loops of it become vectors. */
static LLVMValueRef scaled_hypot(struct llvm_func *f, const struct type *part, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef q = f->builder;
    bool wide = part->size == 8;
    LLVMTypeRef real = LLVMTypeOf(a), bits = wide ? f->unit->i64 : f->unit->i32;
    int mantissa = wide ? 52 : 23, largest = wide ? 0x7fe : 0xfe; /* exponent of the largest number */
    LLVMValueRef parts[2] = { llvm_intrinsic(f, "llvm.fabs", real, &a, 1),
                              llvm_intrinsic(f, "llvm.fabs", real, &b, 1) };
    LLVMValueRef larger = llvm_intrinsic(f, "llvm.maxnum", real, parts, 2);
    LLVMValueRef exponent =
        LLVMBuildAnd(q, LLVMBuildBitCast(q, larger, bits, ""), llvm_int(bits, (int64_t)(largest + 1) << mantissa), "");
    LLVMValueRef bounded[2] = { exponent, llvm_int(bits, (int64_t)1 << mantissa) };
    bounded[0] = llvm_intrinsic(f, "llvm.umax", bits, bounded, 2);
    bounded[1] = llvm_int(bits, (int64_t)(largest - 1) << mantissa);
    exponent = llvm_intrinsic(f, "llvm.umin", bits, bounded, 2);
    LLVMValueRef inverse = LLVMBuildSub(q, llvm_int(bits, (int64_t)largest << mantissa), exponent, "");
    LLVMValueRef scale = LLVMBuildBitCast(q, inverse, real, ""), back = LLVMBuildBitCast(q, exponent, real, "");
    LLVMValueRef x = LLVMBuildFMul(q, a, scale, ""), y = LLVMBuildFMul(q, b, scale, "");
    LLVMValueRef sum =
        LLVMBuildFAdd(q, llvm_fp(f, LLVMBuildFMul(q, x, x, "")), llvm_fp(f, LLVMBuildFMul(q, y, y, "")), "");
    LLVMValueRef size = LLVMBuildFMul(q, llvm_intrinsic(f, "llvm.sqrt", real, &sum, 1), back, "");
    llvm_fp(f, sum);
    /* infinite if one part is, whatever the other one is */
    LLVMValueRef infinite = LLVMBuildFCmp(q, LLVMRealOEQ, larger, LLVMConstReal(real, INFINITY), "");
    return LLVMBuildSelect(q, infinite, larger, size, "");
}

static struct llvm_value magnitude(struct llvm_func *f, const struct type *t, const struct llvm_value *a)
{
    if (type_is_complex(t) && f->emitter->options->fp != LLVM_FP_STRICT)
        return (struct llvm_value){ scaled_hypot(f, llvm_type_part(f, t), a->v, a->im), NULL };
    if (type_is_complex(t)) {
        struct llvm_value parts[2] = { { a->v, NULL }, { a->im, NULL } };
        return library(f, llvm_type_part(f, t), "hypot", parts, 2);
    }
    if (!type_is_signed(type_scalar(t)))
        return *a;
    LLVMValueRef args[2] = { a->v, llvm_int(f->unit->i1, 0) };
    return (struct llvm_value){ llvm_intrinsic(f, "llvm.abs", LLVMTypeOf(a->v), args, 2), NULL };
}

static struct llvm_value magnitude_lane(struct llvm_func *f, void *user, const struct llvm_value *args)
{
    return magnitude(f, user, args);
}

static LLVMValueRef small_float_math(struct llvm_func *f, enum tree_math math, const struct type *t,
                                     const struct llvm_value *args)
{
    const struct type *scalar = type_scalar(t), *wide = type_basic(f->emitter->tree->ir, TYPE_F32);
    if (t->kind == TYPE_VECTOR)
        wide = type_lanes_of(f->emitter->tree->ir, t, wide);
    struct llvm_value a[MAX_ARGS];
    for (unsigned i = 0; i < functions[math].arity; i++)
        a[i] = (struct llvm_value){ llvm_widen(f, scalar, args[i].v), NULL };
    return llvm_narrow(f, scalar,
                       wide->kind == TYPE_VECTOR ? llvm_vector_math(f, math, wide, a) : float_math(f, math, wide, a));
}

static struct llvm_value complex_lane(struct llvm_func *f, void *user, const struct llvm_value *args)
{
    const struct of_lane *l = user;
    return complex_math(f, l->math, l->type, args);
}

struct llvm_value llvm_math(struct llvm_func *f, const struct tree_expr *e, const struct llvm_value *args)
{
    const struct type *t = e->args[0]->type, *scalar = type_scalar(t);
    if (e->math >= TREE_MATH_isnan)
        return (struct llvm_value){ predicate(f, e->math, t, args[0]), NULL };
    if (e->math == TREE_MATH_fabs && t->kind == TYPE_VECTOR && type_is_complex(scalar))
        return llvm_each_lane(f, e->type, args, 1, magnitude_lane, (void *)scalar);
    if (e->math == TREE_MATH_fabs && !type_is_float(scalar))
        return magnitude(f, t, args);
    struct of_lane lane = { e->math, scalar };
    if (type_is_complex(scalar))
        return t->kind == TYPE_VECTOR ? llvm_each_lane(f, t, args, functions[e->math].arity, complex_lane, &lane)
                                      : complex_math(f, e->math, t, args);
    if (e->math == TREE_MATH_conj)
        return args[0];
    if (!type_is_float(scalar)) {
        llvm_bug(f, "a mathematical function of an integer");
        return args[0];
    }
    if (llvm_type_is_small_float(scalar))
        return (struct llvm_value){ small_float_math(f, e->math, t, args), NULL };
    if (t->kind == TYPE_VECTOR)
        return (struct llvm_value){ llvm_vector_math(f, e->math, t, args), NULL };
    return (struct llvm_value){ float_math(f, e->math, t, args), NULL };
}
