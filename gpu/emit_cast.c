/* Conversions between types, as lower/llvm/llvm_cast.c has them, and constants. */
#include "base/smallfloat.h"
#include "gpu/emit_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct type *basic(struct gpu_func *f, enum type_kind kind) { return type_basic(f->module->ir, kind); }

/* ---- small floats ---- */

struct cuda gpu_wide(struct gpu_func *f, const struct type *small, struct cuda v)
{
    gpu_type(f->module, small);
    return gpu_print(f, CUDA_POSTFIX, "sd_wide(%s)", v.s);
}

struct cuda gpu_narrow(struct gpu_func *f, const struct type *small, struct cuda v)
{
    return gpu_print(f, CUDA_POSTFIX, "sd_%s(%s)", gpu_type(f->module, small), v.s);
}

/* ---- floats and integers ---- */

static struct cuda plain_cast(struct gpu_func *f, const struct type *to, struct cuda v)
{
    return gpu_print(f, CUDA_UNARY, "(%s)%s", gpu_type(f->module, to), gpu_at(f, CUDA_UNARY, v));
}

static struct cuda to_float(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v)
{
    if (gpu_is_small(to) && from->kind == TYPE_F64) {
        gpu_need(f->module, PIECE_ODD);
        return gpu_narrow(f, to, gpu_print(f, CUDA_POSTFIX, "sd_odd(%s)", v.s));
    }
    if (gpu_is_small(to))
        return gpu_narrow(f, to, to_float(f, basic(f, TYPE_F32), from, v));
    if (gpu_is_small(from)) {
        v = gpu_wide(f, from, v);
        from = basic(f, TYPE_F32);
    }
    return to == from ? v : plain_cast(f, to, v);
}

/* What does not fit becomes the smallest integer. */
static struct cuda float_to_int(struct gpu_func *f, const struct type *to, struct cuda v)
{
    enum type_kind by = to->kind == TYPE_U64                           ? TYPE_U64
                        : to->kind == TYPE_I64 || to->kind == TYPE_U32 ? TYPE_I64
                                                                       : TYPE_I32;
    const struct type *first = basic(f, by);
    gpu_need(f->module, PIECE_TO_INT);
    struct cuda r = gpu_print(f, CUDA_POSTFIX, "sd_%s(%s)", gpu_type(f->module, first), v.s);
    return first == to ? r : plain_cast(f, to, r);
}

static bool is_address(const struct type *t)
{
    return t->kind == TYPE_POINTER || t->kind == TYPE_STRING || t->kind == TYPE_CALLBACK;
}

static struct cuda cast_vector(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v)
{
    if (from->kind != TYPE_VECTOR)
        return gpu_print(f, CUDA_POSTFIX, "sd_splat<%s>(%s)", gpu_type(f->module, to),
                         gpu_cast(f, to->elem, from, v).s);
    return gpu_print(f, CUDA_POSTFIX, "sd_map<%s>(%s, [](%s x) { return %s; })", gpu_type(f->module, to->elem), v.s,
                     gpu_type(f->module, from->elem),
                     gpu_cast(f, to->elem, from->elem, gpu_text_of(CUDA_POSTFIX, "x")).s);
}

static struct cuda cast_complex(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v)
{
    const struct type *part = type_part(f->module->ir, to);
    const char *name = gpu_type(f->module, to);
    if (!type_is_complex(from))
        return gpu_print(f, CUDA_POSTFIX, "%s{ %s, 0 }", name, gpu_cast(f, part, from, v).s);
    if (v.level != CUDA_POSTFIX || strchr(v.s, '('))
        v = gpu_constant(f, gpu_type(f->module, from), v);
    const char *cast = gpu_type(f->module, part);
    return gpu_print(f, CUDA_POSTFIX, "%s{ (%s)%s.re, (%s)%s.im }", name, cast, v.s, cast, v.s);
}

struct cuda gpu_cast(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v)
{
    if (to == from)
        return v;
    if (to->kind == TYPE_VECTOR || from->kind == TYPE_VECTOR)
        return cast_vector(f, to, from, v);
    if (to->kind == TYPE_BOOL)
        return gpu_truth(f, from, v);
    if (type_is_complex(to))
        return cast_complex(f, to, from, v);
    if (type_is_complex(from))
        return gpu_cast(f, to, type_part(f->module->ir, from),
                        gpu_print(f, CUDA_POSTFIX, "%s.re", gpu_at(f, CUDA_POSTFIX, v)));
    if (is_address(to) || is_address(from))
        return plain_cast(f, to, v);
    if (type_is_float(to))
        return to_float(f, to, from, v);
    if (gpu_is_small(from))
        return float_to_int(f, to, gpu_wide(f, from, v));
    if (type_is_float(from))
        return float_to_int(f, to, v);
    return plain_cast(f, to, v);
}

struct cuda gpu_bits(struct gpu_func *f, const struct type *to, const struct type *from, struct cuda v)
{
    gpu_need(f->module, PIECE_BITS);
    struct cuda r =
        gpu_print(f, CUDA_POSTFIX, "sd_bits<%s>(%s)", gpu_memory(f->module, to), gpu_to_memory(f, from, v).s);
    return gpu_from_memory(f, to, r);
}

/* ---- constants ---- */

static struct cuda int_constant(struct gpu_func *f, const struct type *t, int64_t i)
{
    switch (t->kind) {
    case TYPE_BOOL:
        return gpu_text_of(CUDA_POSTFIX, i ? "true" : "false");
    case TYPE_I64:
        if (i == INT64_MIN)
            return gpu_text_of(CUDA_UNARY, "(i64)0x8000000000000000ull");
        return gpu_print(f, i < 0 ? CUDA_UNARY : CUDA_POSTFIX, "%" PRId64 "ll", i);
    case TYPE_U64:
        return gpu_print(f, CUDA_POSTFIX, "%" PRIu64 "ull", (uint64_t)i);
    case TYPE_U32:
        return gpu_print(f, CUDA_POSTFIX, "%" PRIu32 "u", (uint32_t)i);
    case TYPE_I32:
        if (i == INT32_MIN)
            return gpu_text_of(CUDA_UNARY, "(i32)0x80000000u");
        return gpu_print(f, i < 0 ? CUDA_UNARY : CUDA_POSTFIX, "%" PRId64, i);
    default:
        return gpu_print(f, CUDA_UNARY, "(%s)%s%" PRId64 "%s", gpu_type(f->module, t), i < 0 ? "(" : "", i,
                         i < 0 ? ")" : "");
    }
}

/* The shortest decimal that is this number. */
static struct cuda decimal(struct gpu_func *f, double v, bool narrow)
{
    char text[48];
    for (int digits = narrow ? 6 : 15; digits <= (narrow ? 9 : 17); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (narrow ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v)
            break;
    }
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    return gpu_print(f, signbit(v) ? CUDA_UNARY : CUDA_POSTFIX, "%s%s", text, narrow ? "f" : "");
}

static struct cuda float_constant(struct gpu_func *f, const struct type *t, double v)
{
    if (gpu_is_small(t))
        return gpu_print(f, CUDA_POSTFIX, "%s{ %u }", gpu_type(f->module, t),
                         smallfloat_encode((enum smallfloat)(t->kind - TYPE_F16), v));
    if (isfinite(v))
        return decimal(f, v, t->kind == TYPE_F32);
    gpu_need(f->module, PIECE_BITS);
    if (t->kind == TYPE_F32)
        return gpu_print(f, CUDA_POSTFIX, "sd_bits<float>(0x%xu)",
                         isnan(v) ? 0x7fc00000u
                         : v < 0  ? 0xff800000u
                                  : 0x7f800000u);
    return gpu_print(f, CUDA_POSTFIX, "sd_bits<double>(0x%" PRIx64 "ull)",
                     isnan(v) ? UINT64_C(0x7ff8000000000000)
                     : v < 0  ? UINT64_C(0xfff0000000000000)
                              : UINT64_C(0x7ff0000000000000));
}

struct cuda gpu_constant_value(struct gpu_func *f, const struct tree_expr *e)
{
    const struct type *t = e->type, *scalar = type_scalar(t);
    if (e->op == EXPR_NULL)
        return gpu_print(f, CUDA_UNARY, "(%s)0", gpu_type(f->module, t));
    double v = e->op == EXPR_INT ? (double)e->i : e->f;
    struct cuda r = type_is_complex(scalar) ? gpu_print(f, CUDA_POSTFIX, "%s{ %s, 0 }", gpu_type(f->module, scalar),
                                                        float_constant(f, type_part(f->module->ir, scalar), v).s)
                    : type_is_float(scalar) ? float_constant(f, scalar, v)
                                            : int_constant(f, scalar, e->i);
    if (t->kind == TYPE_VECTOR)
        return gpu_print(f, CUDA_POSTFIX, "sd_splat<%s>(%s)", gpu_type(f->module, t), r.s);
    return r;
}
