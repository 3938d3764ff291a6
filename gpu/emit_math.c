/* Functions: those of CUDA have the names of the C library, those of complex numbers are ours. */
#include "gpu/emit_text.h"
#include "lower/tree/tree_callee.h"
#include "runtime/abi.h"

static bool is_predicate(enum tree_math math) { return math >= TREE_MATH_isnan; }

static struct cuda call(struct gpu_func *f, const char *name, uint32_t arity, const struct cuda *args)
{
    struct text out = text_new(f->module->arena);
    text_printf(&out, "%s(", name);
    for (uint32_t i = 0; i < arity; i++)
        text_printf(&out, i ? ", %s" : "%s", args[i].s);
    text_add(&out, ")");
    return gpu_text_of(CUDA_POSTFIX, text_get(&out));
}

static struct cuda float_math(struct gpu_func *f, enum tree_math math, const struct type *t, const struct cuda *args)
{
    const char *name = tree_math_name(math);
    if (math == TREE_MATH_conj)
        return args[0];
    if (is_predicate(math)) {
        gpu_need(f->module, PIECE_CLASS);
        return call(f, arena_printf(f->module->arena, "sd_%s", name), 1, args);
    }
    return call(f, t->kind == TYPE_F32 ? arena_printf(f->module->arena, "%sf", name) : name, tree_math_arity(math),
                args);
}

static struct cuda complex_math(struct gpu_func *f, enum tree_math math, const struct cuda *args)
{
    gpu_need(f->module, PIECE_CLASS);
    gpu_need(f->module, PIECE_COMPLEX_MATH);
    switch (math) {
    case TREE_MATH_cbrt:
    case TREE_MATH_atan2:
    case TREE_MATH_hypot:
    case TREE_MATH_floor:
    case TREE_MATH_ceil:
    case TREE_MATH_trunc:
    case TREE_MATH_round:
    case TREE_MATH_nearbyint:
    case TREE_MATH_fmod:
    case TREE_MATH_copysign:
    case TREE_MATH_erf:
    case TREE_MATH_erfc:
    case TREE_MATH_tgamma:
    case TREE_MATH_lgamma:
    case TREE_MATH_fma:
    case TREE_MATH_signbit:
        gpu_unsupported(f->module, arena_printf(f->module->arena, "'%s' of complex numbers", tree_math_name(math)));
        break;
    default:
        break;
    }
    return call(f, arena_printf(f->module->arena, "sd_%s", tree_math_name(math)), tree_math_arity(math), args);
}

static struct cuda int_math(struct gpu_func *f, enum tree_math math, const struct type *t, const struct cuda *args)
{
    if (math == TREE_MATH_fabs) {
        if (!type_is_signed(t))
            return args[0];
        gpu_need(f->module, PIECE_EXTREME);
        return call(f, arena_printf(f->module->arena, "sd_magnitude<%s>", gpu_type(f->module, t)), 1, args);
    }
    if (math == TREE_MATH_signbit && type_is_signed(t))
        return gpu_print(f, CUDA_LESS, "%s < 0", gpu_at(f, CUDA_SUM, args[0]));
    if (is_predicate(math))
        return gpu_text_of(CUDA_POSTFIX, math == TREE_MATH_isfinite ? "true" : "false");
    if (math != TREE_MATH_conj)
        gpu_unsupported(f->module, arena_printf(f->module->arena, "'%s' of integers", tree_math_name(math)));
    return args[0];
}

static struct cuda scalar_math(struct gpu_func *f, enum tree_math math, const struct type *t, const struct cuda *args)
{
    if (type_is_complex(t))
        return complex_math(f, math, args);
    if (!type_is_float(t))
        return int_math(f, math, t, args);
    if (!gpu_is_small(t))
        return float_math(f, math, t, args);
    struct cuda wide[3] = { { NULL, 0 } };
    for (uint32_t i = 0; i < tree_math_arity(math); i++)
        wide[i] = gpu_wide(f, t, args[i]);
    struct cuda r = float_math(f, math, type_basic(f->module->ir, TYPE_F32), wide);
    return is_predicate(math) ? r : gpu_narrow(f, t, r);
}

struct cuda gpu_math(struct gpu_func *f, enum tree_math math, const struct type *result, const struct type *t,
                     const struct cuda *args)
{
    static const struct cuda lane[3] = { { "x", CUDA_POSTFIX }, { "y", CUDA_POSTFIX }, { "z", CUDA_POSTFIX } };
    if (t->kind != TYPE_VECTOR)
        return scalar_math(f, math, t, args);
    if (result->kind != TYPE_VECTOR) {
        gpu_unsupported(f->module, "a test of all lanes of a vector");
        return args[0];
    }
    uint32_t arity = tree_math_arity(math);
    const char *scalar = gpu_type(f->module, t->elem);
    struct text out = text_new(f->module->arena);
    struct cuda r = scalar_math(f, math, t->elem, lane);
    text_printf(&out, "sd_map<%s>(", gpu_type(f->module, result->elem));
    for (uint32_t i = 0; i < arity; i++)
        text_printf(&out, "%s, ", args[i].s);
    text_add(&out, "[](");
    for (uint32_t i = 0; i < arity; i++)
        text_printf(&out, "%s%s %s", i ? ", " : "", scalar, lane[i].s);
    text_printf(&out, is_predicate(math) ? ") { return %s ? -1 : 0; })" : ") { return %s; })", gpu_at(f, CUDA_OR, r));
    return gpu_text_of(CUDA_POSTFIX, text_get(&out));
}

struct cuda gpu_call(struct gpu_func *f, const struct type *result, const char *name, const struct tree_callee *callee,
                     struct tree_expr *const *args, uint32_t num_args)
{
    struct cuda values[16];
    (void)result;
    if (!(callee->flags & RT_DEVICE) || num_args > 16) {
        gpu_unsupported(f->module,
                        arena_printf(f->module->arena, "a call of '%s'", name ? name : "a function by its address"));
        return gpu_text_of(CUDA_POSTFIX, "0");
    }
    struct cuda of_checks;
    if (gpu_fault_call(f, name, args, &of_checks))
        return of_checks;
    for (uint32_t i = 0; i < num_args; i++) {
        values[i] = gpu_expr(f, args[i]);
        if (args[i]->type->kind == TYPE_POINTER) /* bytes of a text, or untyped memory */
            values[i] = gpu_print(f, CUDA_UNARY, "(%s)%s",
                                  callee_role(callee, i) == 'r' ? "const char *" : gpu_type(f->module, args[i]->type),
                                  gpu_at(f, CUDA_UNARY, values[i]));
    }
    return call(f, name, num_args, values);
}
